/*
 * An interrupt at any time leaves a usable model or none: every method is cancelled at random calls
 * of `cancelled`. A returned model can be saved, loaded and used, and reports at least one complete
 * round.
 *
 *     build/check/tests/unit_interrupt [SEED]
 */
#include "base/context.h"
#include "base/random.h"
#include "model/registry.h"
#include "support/support.h"
#include "train/train_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIMES = 50, ROWS = 300, COLUMNS = 8 };

typedef struct {
    uint64_t calls, stop_at; /* true from this call on */
} Interrupt;

static uint64_t seed = 1;

static bool cancelled(void *user)
{
    Interrupt *interrupt = user;

    return __atomic_add_fetch(&interrupt->calls, 1, __ATOMIC_RELAXED) >= interrupt->stop_at;
}

static cleave_data *make_data(Context *context, const Method *method)
{
    bool numbers = method->tasks == CLEAVE_TASK_REGRESSION,
         ratings = method->traits & CLEAVE_TRAIT_RATINGS;
    cleave_error error = {0};
    cleave_data *data;

    assert_int_equal(cleave_data_new(context, &data, &error), CLEAVE_OK);
    for (uint64_t row = 0; row < ROWS; row++) {
        Random random = clv_random(7, row);
        uint32_t column[COLUMNS];
        float value[COLUMNS];
        double sum = 0;
        char label[32];

        for (uint32_t i = 0; i < COLUMNS; i++) {
            column[i] = i;
            value[i] = strcmp(method->name, "winnow") == 0 ? (float)(clv_random_unit(&random) < 0.5)
                                                           : (float)clv_random_unit(&random);
            sum += (i % 2 ? 1 : -1) * value[i];
        }
        if (ratings) { /* the indicators of a user and an item */
            column[0] = clv_random_below(&random, COLUMNS);
            column[1] = COLUMNS + clv_random_below(&random, COLUMNS);
            value[0] = value[1] = 1;
        }
        sum += 0.2 * clv_random_unit(&random);
        snprintf(label, sizeof label, numbers ? "%.4f" : "c%.0f",
                 numbers ? sum : (double)(sum > 0) + (sum > 0.7));
        assert_int_equal(cleave_data_add(data, label, ratings ? 2 : COLUMNS, column, value, &error),
                         CLEAVE_OK);
    }
    return data;
}

static void use(Context *context, const cleave_model *model, const char *path)
{
    uint32_t column[] = {0, 3};
    float value[] = {1, 1};
    cleave_prediction prediction;
    cleave_error error = {0};
    cleave_model *loaded;

    assert_int_equal(cleave_save(model, path, &error), CLEAVE_OK);
    if (cleave_load(context, path, &loaded, &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
    if (cleave_predict_row(loaded, 2, column, value, &prediction, &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
    cleave_model_free(loaded);
}

/* Returns how often `cancelled` was called. */
static uint64_t train(const Method *method, uint64_t stop_at, const char *path, unsigned *models)
{
    Interrupt interrupt = {.stop_at = UINT64_MAX};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .cancelled = cancelled, .user = &interrupt, .threads = 1});
    cleave_options *options = cleave_options_new(context);
    cleave_data *data = make_data(context, method);
    cleave_report *report = NULL;
    cleave_model *model = NULL;
    cleave_error error = {0};
    cleave_code code;
    uint64_t calls;

    if (strcmp(method->name, "forest") == 0 || strncmp(method->name, "boost", 5) == 0)
        assert_int_equal(cleave_options_set(options,
                                            clv_run_params[method_epoch_kind(method, NULL)].name,
                                            "12", &error),
                         CLEAVE_OK);
    interrupt = (Interrupt){.stop_at = stop_at};
    code = cleave_train(context, method->name, data, NULL, options, &model, &report, &error);
    calls = interrupt.calls;
    interrupt.stop_at = UINT64_MAX;
    if (code == CLEAVE_OK) {
        if (report->epochs == 0)
            fail_msg("%s: a model without a complete round, at call %llu", method->name,
                     (unsigned long long)stop_at);
        use(context, model, path);
        ++*models;
    } else if (code != CLEAVE_ERROR_CANCELLED || model) {
        fail_msg("%s: %s, at call %llu", method->name, error.message, (unsigned long long)stop_at);
    }
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
    return calls;
}

static void every_method_at_random_times(void **state)
{
    char folder[] = "/tmp/cleave-test-XXXXXX", path[64];
    Random random = clv_random(seed, 0);

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model", folder);
    for (const Method *const *method = clv_methods; *method; method++) {
        unsigned models = 0;
        uint64_t calls = train(*method, UINT64_MAX, path, &models);

        assert_int_equal(models, 1);
        for (uint64_t i = 0; i < TIMES; i++) /* the first calls, then any */
            train(*method,
                  i < 10 ? i + 1 : 1 + (uint64_t)(clv_random_unit(&random) * (double)calls), path,
                  &models);
        print_message("%-20s %6llu calls, %2u of %d interrupts left a model\n", (*method)->name,
                      (unsigned long long)calls, models - 1, TIMES);
    }
    test_folder_remove(folder);
}

/* A model of knn in a context of some threads, and calls over many rows with it. */
typedef struct {
    Interrupt interrupt;
    cleave_model *model;
    cleave_matrix rows;
    int64_t *nearest;
} Many;

enum { MANY = 1000, NEIGHBORS = 5 };

static cleave_code predict_many(Many *many, cleave_error *error)
{
    cleave_predictions to = {.size = sizeof to, .labels = many->nearest};
    cleave_predictor *predictor;
    cleave_code code;

    assert_int_equal(cleave_predictor_new(many->model, &predictor, error), CLEAVE_OK);
    code = cleave_predict_matrix(predictor, &many->rows, &to, error);
    cleave_predictor_free(predictor);
    return code;
}

static cleave_code search_many(Many *many, cleave_error *error)
{
    cleave_searcher *searcher;
    cleave_code code;

    assert_int_equal(cleave_searcher_open(many->model, NULL, &searcher, error), CLEAVE_OK);
    assert_int_equal(cleave_searcher_k(searcher), NEIGHBORS);
    code = cleave_search_matrix(searcher, &many->rows, many->nearest, NULL, error);
    cleave_searcher_free(searcher);
    return code;
}

/* Cancelled calls end early, and the next call on the context is not cancelled. */
static void cancel_many(Many *many, cleave_code (*call)(Many *many, cleave_error *error))
{
    cleave_error error = {0};

    for (unsigned i = 0; i < 3; i++) {
        many->interrupt = (Interrupt){.stop_at = 1};
        assert_int_equal(call(many, &error), CLEAVE_ERROR_CANCELLED);
        many->interrupt = (Interrupt){.stop_at = UINT64_MAX};
        if (call(many, &error) != CLEAVE_OK)
            fail_msg("%s", error.message);
    }
}

static void predictions_and_searches(void **state)
{
    float *values = calloc((size_t)MANY * COLUMNS, sizeof *values);
    Random random = clv_random(seed, 1);

    (void)state;
    assert_non_null(values);
    for (size_t i = 0; i < (size_t)MANY * COLUMNS; i++)
        values[i] = (float)clv_random_unit(&random);
    for (unsigned threads = 1; threads <= 3; threads++) {
        Many many = {.interrupt.stop_at = UINT64_MAX,
                     .rows = {.size = sizeof many.rows,
                              .type = CLEAVE_FLOAT32,
                              .rows = MANY,
                              .columns = COLUMNS,
                              .values = values,
                              .row_stride = COLUMNS * sizeof *values,
                              .column_stride = sizeof *values},
                     .nearest = calloc((size_t)MANY * NEIGHBORS, sizeof *many.nearest)};
        Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                               .cancelled = cancelled,
                                                               .user = &many.interrupt,
                                                               .threads = threads});
        cleave_error error = {0};
        const Method *knn;
        cleave_data *data;

        assert_non_null(many.nearest);
        assert_int_equal(clv_method_find("knn", &knn, &error), CLEAVE_OK);
        data = make_data(context, knn);
        assert_int_equal(cleave_train(context, "knn", data, NULL, NULL, &many.model, NULL, &error),
                         CLEAVE_OK);
        cancel_many(&many, predict_many);
        cancel_many(&many, search_many);
        cleave_model_free(many.model);
        cleave_data_free(data);
        cleave_context_free(context);
        free(many.nearest);
    }
    free(values);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_at_random_times),
                                       cmocka_unit_test(predictions_and_searches)};

    if (count > 1)
        seed = strtoull(arguments[1], NULL, 10);
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
