/*
 * Latency of single-row predictions from C: one dense row of float32, one call. Prints, for each model, the median over
 * runs of the processor time of a call, and how many times the calls two threads make that share the model.
 *
 *     cc -O2 -Iinclude bench/predict.c build/libcleave.a ... (see bench/predict)
 */
#define _POSIX_C_SOURCE 200809L
#include <cleave.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5, MOST_THREADS = 2 };

static void check(cleave_code code, const cleave_error *error)
{
    if (code == CLEAVE_OK)
        return;
    fprintf(stderr, "predict: %s\n", error->message);
    exit(1);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Uniform numbers, the sum of four of which is nearly normal (SplitMix64). */
static double next_number(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 4; i++) {
        uint64_t z = *state += 0x9E3779B97F4A7C15u;

        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        sum += (double)(z >> 40) / (1 << 24) - 0.5;
    }
    return sum;
}

typedef struct {
    const cleave_model *model;
    const float *rows;
    size_t count, columns, calls;
    double seconds; /* processor time of all calls */
} Task;

static void *predict(void *argument)
{
    Task *task = argument;
    cleave_matrix row = {.size = sizeof row, .rows = 1, .columns = task->columns};
    int64_t label;
    cleave_predictions to = {.size = sizeof to, .labels = &label};
    cleave_predictor *predictor;
    cleave_error error;
    double started;

    check(cleave_predictor_new(task->model, &predictor, &error), &error);
    row.values = task->rows;
    check(cleave_predict_matrix(predictor, &row, &to, &error), &error);
    started = now();
    for (size_t i = 0; i < task->calls; i++) {
        row.values = task->rows + i % task->count * task->columns;
        check(cleave_predict_matrix(predictor, &row, &to, &error), &error);
    }
    task->seconds = now() - started;
    cleave_predictor_free(predictor);
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median over runs: processor seconds of a call, in the slowest of `threads` concurrent threads. */
static double measure(const Task *task, int threads)
{
    double seconds[RUNS];

    for (int run = 0; run < RUNS; run++) {
        pthread_t thread[MOST_THREADS];
        Task each[MOST_THREADS];
        double worst = 0;

        for (int i = 0; i < threads; i++) {
            each[i] = *task;
            if (pthread_create(&thread[i], NULL, predict, &each[i]) != 0)
                exit(1);
        }
        for (int i = 0; i < threads; i++) {
            pthread_join(thread[i], NULL);
            worst = each[i].seconds > worst ? each[i].seconds : worst;
        }
        seconds[run] = worst / (double)task->calls;
    }
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    return seconds[RUNS / 2];
}

static void bench(cleave_context *context, const char *name, const char *method, const char *option, const char *value,
                  size_t count, size_t columns, size_t calls)
{
    float *rows = malloc(count * columns * sizeof *rows);
    int64_t *classes = malloc(count * sizeof *classes);
    cleave_matrix matrix = {.size = sizeof matrix, .rows = count, .columns = columns, .values = rows};
    cleave_rows with = {.size = sizeof with, .classes = classes, .borrow = true};
    cleave_options *options = cleave_options_new(context);
    uint64_t state = 1;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;
    double one, two;

    for (size_t i = 0; i < count; i++) {
        double score = 0;

        for (size_t j = 0; j < columns; j++) {
            rows[i * columns + j] = (float)next_number(&state);
            score += (j % 2 ? 1 : -1) * (double)rows[i * columns + j];
        }
        classes[i] = score + next_number(&state) > 0;
    }
    check(cleave_options_set(options, option, value, &error), &error);
    check(cleave_data_from_matrix(context, &matrix, &with, &data, &error), &error);
    check(cleave_train(context, method, data, NULL, options, &model, NULL, &error), &error);
    {
        Task task = {.model = model, .rows = rows, .count = count, .columns = columns, .calls = calls};

        one = measure(&task, 1);
        two = measure(&task, 2);
    }
    printf("%-28s %8.2f us   two threads %.2f x\n", name, 1e6 * one, 2 * one / two);
    fflush(stdout);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    free(classes);
    free(rows);
}

int main(void)
{
    cleave_context *context = cleave_context_new(NULL);

    bench(context, "linear, 100 features", "svm", "seed", "1", 5000, 100, 100000);
    bench(context, "100 trees, 20 features", "forest", "trees", "100", 5000, 20, 4000);
    bench(context, "10,000 x 128 neighbors", "knn", "k", "5", 10000, 128, 400);
    cleave_context_free(context);
    return 0;
}
