/*
 * One model, many threads (src/model/predictor.c, src/base/pool.c): predictions of eight threads at
 * once are those of one thread, for every method, for k-NN with every index, and for models with a
 * pipeline. Made for ThreadSanitizer: scripts/build tsan; scripts/run-tests tsan -R threads
 */
#include "base/context.h"
#include "base/random.h"
#include "model/registry.h"
#include "support/support.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FINE(call) assert_fine((call), &error, #call)

enum { THREADS = 8, ROWS = 300, ASKED = 50, COLUMNS = 3 };
#ifdef __SANITIZE_THREAD__
enum { LOOPS = 4 };
#else
enum { LOOPS = 40 };
#endif

static void assert_fine(cleave_code code, const cleave_error *error, const char *call)
{
    if (code != CLEAVE_OK)
        fail_msg("%s: %s (%s)", call, error->message, error->hint);
}

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t column[COLUMNS];
    float value[COLUMNS];
    size_t count;
} Row;

/* Rows of 0 and 1, or of a user and an item, for methods that require them. */
typedef enum { REALS, ONES, PAIRS } Values;

static Row make_row(uint64_t number, Values values)
{
    enum { USERS = 20, ITEMS = 10 };
    Random random = clv_random(17, number);
    Row row = {0};

    if (values == PAIRS) {
        uint32_t user = clv_random_below(&random, USERS), item = clv_random_below(&random, ITEMS);

        return (Row){.column = {user, USERS + item}, .value = {1, 1}, .count = 2};
    }
    for (uint32_t i = 0; i < COLUMNS; i++) {
        float value = values == ONES ? (float)(clv_random_unit(&random) < 0.5)
                                     : (float)(4 * clv_random_unit(&random) - 2);

        if (value != 0) {
            row.column[row.count] = i;
            row.value[row.count++] = value;
        }
    }
    return row;
}

static const char *label_of(const Row *row, unsigned tasks, char text[32])
{
    double sum = 0;

    for (size_t i = 0; i < row->count; i++)
        sum += (double)row->value[i] * (1 + row->column[i] % 3);
    if (tasks == CLEAVE_TASK_REGRESSION)
        snprintf(text, 32, "%.3f", sum);
    else if (tasks & CLEAVE_TASK_MULTICLASS)
        snprintf(text, 32, "%c", sum < -1 ? 'a' : sum < 2 ? 'b' : 'c');
    else
        snprintf(text, 32, "%c", sum < 1 ? 'a' : 'b');
    return text;
}

static cleave_data *make_data(Context *context, unsigned tasks, Values values, uint64_t rows)
{
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (uint64_t i = 0; i < rows; i++) {
        Row row = make_row(i, values);
        char text[32];

        FINE(cleave_data_add(data, tasks ? label_of(&row, tasks, text) : NULL, row.count,
                             row.column, row.value, &error));
    }
    return data;
}

/* ---- many threads ---------------------------------------------------------------------------- */

typedef struct {
    char label[32];
    size_t number, scores;
    double score[4], probability[4];
} Answer;

typedef struct {
    const cleave_model *model;
    Values values;
    Answer answer[ASKED];
} Known;

typedef struct {
    Known *known;
    unsigned first;
    uint64_t wrong, failed;
} Thread;

static Answer answer_of(const cleave_prediction *prediction, size_t classes)
{
    Answer answer = {.number = prediction->label_number, .scores = prediction->score_count};

    snprintf(answer.label, sizeof answer.label, "%s", prediction->label);
    memcpy(answer.score, prediction->scores, prediction->score_count * sizeof *answer.score);
    if (prediction->probabilities)
        memcpy(answer.probability, prediction->probabilities, classes * sizeof *answer.probability);
    return answer;
}

static bool ask(const Known *known, unsigned number, Answer *answer)
{
    Row row = make_row(1000 + number, known->values);
    cleave_prediction prediction;
    cleave_error error;

    if (cleave_predict_row(known->model, row.count, row.column, row.value, &prediction, &error) !=
        CLEAVE_OK)
        return false;
    *answer = answer_of(&prediction, cleave_model_label_count(known->model));
    return true;
}

static void *ask_often(void *user)
{
    Thread *thread = user;

    for (unsigned i = 0; i < LOOPS * ASKED; i++) {
        unsigned number = (thread->first + i) % ASKED;
        Answer answer;

        if (!ask(thread->known, number, &answer))
            thread->failed++;
        else if (memcmp(&answer, &thread->known->answer[number], sizeof answer) != 0)
            thread->wrong++;
    }
    return NULL;
}

static void run_threads(void *(*work)(void *), Thread *thread)
{
    pthread_t started[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&started[i], NULL, work, &thread[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(started[i], NULL);
}

static void check_model(const cleave_model *model, Values values, const char *name)
{
    Known known = {.model = model, .values = values};
    Thread thread[THREADS] = {0};

    for (unsigned i = 0; i < ASKED; i++)
        assert_true(ask(&known, i, &known.answer[i]));
    for (unsigned i = 0; i < THREADS; i++)
        thread[i] = (Thread){.known = &known, .first = 7 * i};
    run_threads(ask_often, thread);
    for (unsigned i = 0; i < THREADS; i++)
        if (thread[i].wrong || thread[i].failed)
            fail_msg("%s: %llu of %d predictions are wrong, %llu failed", name,
                     (unsigned long long)thread[i].wrong, LOOPS * ASKED,
                     (unsigned long long)thread[i].failed);
}

static void train_and_check(const char *method, const char *const *settings, unsigned tasks,
                            Values values)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        Context *context = cleave_context_new(
            &(cleave_config){.size = sizeof(cleave_config), .threads = threads});
        cleave_options *options = cleave_options_new(context);
        cleave_data *data = make_data(context, tasks, values, ROWS);
        cleave_error error = {0};
        cleave_model *model;
        char name[64];

        snprintf(name, sizeof name, "%s%s%s", method, settings ? " " : "",
                 settings ? settings[1] : "");
        for (const char *const *at = settings; at && *at; at += 2)
            FINE(cleave_options_set(options, at[0], at[1], &error));
        FINE(cleave_train(context, method, data, NULL, options, &model, NULL, &error));
        check_model(model, values, name);
        cleave_model_free(model);
        cleave_data_free(data);
        cleave_options_free(options);
        cleave_context_free(context);
    }
}

static void every_method(void **state)
{
    (void)state;
    for (const Method *const *method = clv_methods; *method; method++)
        train_and_check((*method)->name, NULL, (*method)->tasks,
                        (*method)->traits & CLEAVE_TRAIT_RATINGS       ? PAIRS
                        : (*method)->behavior & METHOD_BINARY_FEATURES ? ONES
                                                                       : REALS);
}

static void every_index(void **state)
{
    static const char *const indexes[] = {"scan",   "kdtree", "quadtree", "rtree",
                                          "vafile", "lsh",    "ivf"};

    (void)state;
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        train_and_check("knn",
                        (const char *const[]){"index", indexes[i], "transform", "none", NULL},
                        CLEAVE_TASK_MULTICLASS, REALS);
}

static void pipelines(void **state)
{
    (void)state;
    train_and_check("logistic",
                    (const char *const[]){"transform", "scale,polynomial:degree=2", NULL},
                    CLEAVE_TASK_MULTICLASS, REALS);
    train_and_check("svm", (const char *const[]){"transform", "scale,pca:components=2", NULL},
                    CLEAVE_TASK_BINARY, REALS);
    train_and_check("svm", (const char *const[]){"calibrate", "true", NULL}, CLEAVE_TASK_BINARY,
                    REALS);
    train_and_check("knn", (const char *const[]){"vote", "agree", "k", "2", NULL},
                    CLEAVE_TASK_MULTICLASS, REALS);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_model(void **state)
{
    static const char *const words[] = {"offer", "meeting", "win",  "report",
                                        "prize", "lunch",   "free", "project"};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], text[ROWS * 80];
    Context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = 2});
    cleave_error error = {0};
    cleave_options *options = cleave_options_new(context);
    cleave_data *data;
    cleave_model *model;
    size_t at = 0;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        Random random = clv_random(3, (uint64_t)i);
        bool spam = i % 2;

        at += (size_t)snprintf(text + at, sizeof text - at, "%s\t", spam ? "spam" : "ham");
        for (int j = 0; j < 6; j++)
            at += (size_t)snprintf(
                text + at, sizeof text - at, "%s ",
                words[(size_t)(4 * clv_random_unit(&random)) * 2 + !spam * (j % 3 != 0)]);
        at += (size_t)snprintf(text + at, sizeof text - at, "\n");
    }
    test_write_text(test_join(path, test_folder_new(folder), "mail.tsv"), text);
    FINE(cleave_options_set(options, "transform", "tfidf", &error));
    FINE(cleave_open(context, path, NULL, &data, &error));
    FINE(cleave_train(context, "svm", data, NULL, options, &model, NULL, &error));
    check_model(model, ONES, "text");
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
    test_folder_remove(folder);
}

/* ---- rows of data ---------------------------------------------------------------------------- */

enum { MANY = 3000 };

typedef struct {
    const cleave_model *model;
    Context *context;
    double *scores;
    size_t count;
    cleave_code code;
} Walker;

static cleave_code take_score(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Walker *walker = user;

    (void)error;
    walker->scores[walker->count++] = prediction->scores[0];
    return CLEAVE_OK;
}

static void *predict_data(void *user)
{
    Walker *walker = user;
    cleave_error error;
    cleave_data *data = make_data(walker->context, 0, REALS, MANY);

    walker->code = cleave_predict(walker->model, data, NULL, take_score, walker, &error);
    cleave_data_free(data);
    return NULL;
}

/* Threads with separate data share a context with several threads: one call uses them, and the
 * others run without. */
static void data_of_many_threads(void **state)
{
    static const char *const methods[] = {"knn", "forest", "boost", "kernel-svm"};

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        Context *context = cleave_context_new(
            &(cleave_config){.size = sizeof(cleave_config), .threads = 3});
        cleave_data *data = make_data(context, CLEAVE_TASK_MULTICLASS, REALS, ROWS);
        cleave_error error = {0};
        cleave_model *model;
        Walker walker[4];
        pthread_t thread[4];

        FINE(cleave_train(context, methods[m], data, NULL, NULL, &model, NULL, &error));
        for (size_t i = 0; i < 4; i++) {
            walker[i] = (Walker){
                .model = model, .context = context, .scores = calloc(MANY, sizeof(double))};
            assert_int_equal(pthread_create(&thread[i], NULL, predict_data, &walker[i]), 0);
        }
        for (size_t i = 0; i < 4; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(walker[i].code, CLEAVE_OK);
            assert_int_equal(walker[i].count, MANY);
            assert_memory_equal(walker[i].scores, walker[0].scores, MANY * sizeof(double));
        }
        for (size_t i = 0; i < 4; i++)
            free(walker[i].scores);
        cleave_model_free(model);
        cleave_data_free(data);
        cleave_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(every_index),
        cmocka_unit_test(pipelines),
        cmocka_unit_test(text_model),
        cmocka_unit_test(data_of_many_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
