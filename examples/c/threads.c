/* Threads that share a model: each has a predictor of its own. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, ROWS = 1000 };

typedef struct {
    const cleave_model *model;
    const float (*rows)[2];
    size_t high;
} Task;

static void *predict(void *argument)
{
    Task *task = argument;
    cleave_matrix matrix = {
        .size = sizeof matrix, .rows = ROWS, .columns = 2, .values = task->rows};
    int64_t labels[ROWS];
    cleave_predictions to = {.size = sizeof to, .labels = labels};
    cleave_predictor *predictor;
    cleave_error error;

    check(cleave_predictor_new(task->model, &predictor, &error), &error);
    check(cleave_predict_matrix(predictor, &matrix, &to, &error), &error);
    for (size_t i = 0; i < ROWS; i++)
        task->high += cleave_model_label(task->model, (size_t)labels[i])[0] == 'h';
    cleave_predictor_free(predictor);
    return NULL;
}

int main(void)
{
    static float rows[THREADS * ROWS][2];
    static const char *labels[THREADS * ROWS];
    cleave_matrix matrix = {
        .size = sizeof matrix, .rows = THREADS * ROWS, .columns = 2, .values = rows};
    cleave_rows with = {.size = sizeof with, .labels = labels};
    cleave_context *context = cleave_context_new(NULL);
    Task task[THREADS];
    pthread_t thread[THREADS];
    cleave_model *model;
    cleave_data *data;
    cleave_error error;
    size_t high = 0;

    for (int i = 0; i < THREADS * ROWS; i++) {
        rows[i][0] = (float)(i % 63);
        rows[i][1] = (float)(i % 64);
        labels[i] = rows[i][0] + rows[i][1] > 62 ? "high" : "low";
    }
    check(cleave_data_from_matrix(context, &matrix, &with, &data, &error), &error);
    check(cleave_train(context, "forest", data, NULL, NULL, &model, NULL, &error), &error);
    for (int i = 0; i < THREADS; i++) {
        task[i] = (Task){.model = model, .rows = (const float(*)[2])rows + i * ROWS};
        if (pthread_create(&thread[i], NULL, predict, &task[i]) != 0)
            return EXIT_FAILURE;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        high += task[i].high;
    }
    printf("%d threads predicted %d rows: %zu are high\n", THREADS, THREADS * ROWS, high);

    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
    return 0;
}
