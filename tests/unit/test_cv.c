/*
 * Cross-validation (src/select/cross_validation.c): the rows of a fold are used neither by the
 * method nor by the pipeline of the model that is evaluated on it; the result is the same for any
 * number of threads; sums are consistent; intervals (src/eval/interval.c) against printed tables.
 */
#include "property/table.h"

#include "base/random.h"
#include "eval/interval.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>

enum { NOISE_ROWS = 200, NOISE_COLUMNS = 2000 };

/* Labels that are independent of the columns, each of which is 1 in half of the rows. */
static cleave_data *make_noise(cleave_context *context)
{
    Random random = clv_random(5, 0);
    cleave_error error = {0};
    cleave_data *data;
    static float values[NOISE_COLUMNS];
    static uint32_t indexes[NOISE_COLUMNS];

    FINE(cleave_data_new(context, &data, &error));
    for (size_t row = 0; row < NOISE_ROWS; row++) {
        size_t count = 0;

        for (uint32_t column = 0; column < NOISE_COLUMNS; column++)
            if (clv_random_unit(&random) < 0.5) {
                values[count] = 1;
                indexes[count++] = column;
            }
        FINE(cleave_data_add(data, row % 2 ? "a" : "b", count, indexes, values, &error));
    }
    return data;
}

static cleave_options *options_of(cleave_context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};

    assert_non_null(options);
    for (size_t i = 0; pairs && pairs[i]; i += 2)
        FINE(cleave_options_set(options, pairs[i], pairs[i + 1], &error));
    return options;
}

static cleave_cv_result *cross(cleave_context *context, const char *method, cleave_data *data,
                               const char *const *folds, const char *const *training)
{
    cleave_options *of_folds = options_of(context, folds),
                   *of_training = options_of(context, training);
    cleave_error error = {0};
    cleave_cv_result *result;

    FINE(cleave_cv(context, method, data, of_folds, of_training, &result, &error));
    cleave_options_free(of_folds);
    cleave_options_free(of_training);
    return result;
}

/* The twenty columns with the largest weights for random labels, chosen within each fold: the error
 * is that of chance. Chosen from all rows, they seem to be informative, which is how a pipeline
 * that sees the fold would look. */
static void test_leak(void **state)
{
    static const char *const chosen[] = {"transform", "select:by=chi2:top=20", NULL},
                             *const plain[] = {NULL};
    static const char *const both[] = {"transform", "select:by=chi2:top=20", "to", "libsvm", NULL};
    cleave_context *context = cleave_context_new(NULL);
    cleave_data *noise = make_noise(context), *leaked;
    cleave_cv_result *honest = cross(context, "logistic", noise, NULL, chosen), *fooled;
    cleave_options *convert = options_of(context, both);
    cleave_error error = {0};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    assert_int_equal(honest->rows, NOISE_ROWS);
    assert_int_equal(honest->features, 20);
    assert_true(honest->low < 0.5 && 0.5 < honest->high);
    assert_false(honest->beats_baseline);
    assert_true(honest->fit >=
                CLEAVE_FIT_OVERFITS); /* the chosen columns do tell the rows they were chosen by */
    test_folder_new(folder);
    test_join(path, folder, "leaked.libsvm");
    FINE(cleave_convert(noise, path, convert, NULL, &error));
    FINE(cleave_open(context, path, NULL, &leaked, &error));
    fooled = cross(context, "logistic", leaked, NULL, plain);
    assert_true(fooled->high < 0.4);
    assert_true(fooled->beats_baseline);
    cleave_cv_free(fooled);
    cleave_cv_free(honest);
    cleave_data_free(leaked);
    cleave_data_free(noise);
    cleave_options_free(convert);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void test_threads(void **state)
{
    static const char *const folds[] = {"folds", "7", "repeats", "2", NULL};
    static const char *const training[] = {"epochs", "3", "transform", "scale", NULL};
    cleave_cv_result *result[2];
    cleave_context *context[2];
    cleave_data *data[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        context[i] = cleave_context_new(
            &(cleave_config){.size = sizeof(cleave_config), .threads = i ? 3 : 1});
        data[i] = make_noise(context[i]);
        result[i] = cross(context[i], "perceptron", data[i], folds, training);
        assert_int_equal(result[i]->fold_count, 14);
    }
    for (size_t i = 0; i < 14; i++) {
        const cleave_cv_fold *a = &result[0]->fold[i], *b = &result[1]->fold[i];

        assert_int_equal(a->repeat, i / 7 + 1);
        assert_int_equal(a->fold, i % 7 + 1);
        assert_int_equal(a->errors, b->errors);
        assert_int_equal(a->rows, b->rows);
        assert_int_equal(a->train_errors, b->train_errors);
        assert_int_equal(a->rows + a->train_rows, NOISE_ROWS);
    }
    assert_true(result[0]->gap_high == result[1]->gap_high);
    for (unsigned i = 0; i < 2; i++) {
        cleave_cv_free(result[i]);
        cleave_data_free(data[i]);
        cleave_context_free(context[i]);
    }
}

/* The results over all folds equal the sums over the folds, and repeats count each row once. */
static void test_sums(void **state)
{
    static const char *const folds[] = {"folds", "5", "repeats", "3", NULL};
    cleave_context *context = cleave_context_new(NULL);
    cleave_data *data = make_noise(context);
    cleave_cv_result *result = cross(context, "knn", data, folds, NULL);
    uint64_t errors = 0;
    double mean = 0;
    Interval sure;

    (void)state;
    for (size_t i = 0; i < result->fold_count; i++) {
        errors += result->fold[i].errors;
        mean += result->fold[i].error / 15;
    }
    sure = clv_wilson((double)errors / 3, NOISE_ROWS);
    assert_int_equal(result->rows, NOISE_ROWS);
    assert_true(fabs(result->error - (double)errors / (3 * NOISE_ROWS)) < 1e-12);
    assert_true(fabs(result->mean - mean) < 1e-12);
    assert_true(result->low == sure.low && result->high == sure.high);
    assert_true(result->baseline == 0.5);
    cleave_cv_free(result);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* y = 2 x with noise of standard deviation 1, which is the error in training and on held-out
 * rows. */
static void test_numbers(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    Random random = clv_random(3, 0);
    cleave_error error = {0};
    cleave_data *data;
    cleave_cv_result *result;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    for (unsigned row = 0; row < 1000; row++) {
        float x = (float)(10 * clv_random_unit(&random));
        char label[32];

        snprintf(label, sizeof label, "%.6f", 2 * (double)x + clv_random_normal(&random));
        FINE(cleave_data_add(data, label, 1, (const uint32_t[]){0}, &x, &error));
    }
    result = cross(context, "least-squares", data, NULL, NULL);
    assert_true(result->regression);
    assert_true(result->low < 1 && 1 < result->high);
    assert_true(result->high - result->low < 0.2);
    assert_true(fabs(result->train_error - result->error) < 0.02);
    assert_true(fabs(result->baseline - sqrt(4 * 100 / 12.0 + 1)) < 0.5);
    assert_true(result->beats_baseline);
    assert_int_equal(result->fit, CLEAVE_FIT_GOOD);
    cleave_cv_free(result);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* Rows in pairs that are nearly equal. In different folds, one row of a pair predicts the other; in
 * the same fold, nothing can be learned. */
static void test_groups(void **state)
{
    static const char *const collective[] = {"by_group", "qid", "folds", "5", NULL},
                             *const torn[] = {"folds", "5", NULL};
    static const char *const nearest[] = {"k", "1", NULL};
    cleave_context *context = cleave_context_new(NULL);
    Random random = clv_random(4, 0);
    cleave_error error = {0};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], text[400 * 64];
    cleave_cv_result *result;
    cleave_data *data;
    size_t used = 0;

    (void)state;
    for (unsigned group = 0; group < 200; group++) {
        double x = clv_random_unit(&random), y = clv_random_unit(&random);
        const char *label = clv_random_unit(&random) < 0.5 ? "1" : "2";

        for (unsigned i = 0; i < 2; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s qid:%u 1:%.6f 2:%.6f\n",
                                     label, group, x, y);
    }
    test_folder_new(folder);
    test_join(path, folder, "pairs.libsvm");
    test_write_text(path, text);
    FINE(cleave_open(context, path, NULL, &data, &error));
    result = cross(context, "knn", data, torn, nearest);
    assert_true(result->error < 0.2);
    cleave_cv_free(result);
    result = cross(context, "knn", data, collective, nearest);
    assert_true(result->error > 0.35);
    assert_int_equal(result->groups, 200);
    cleave_cv_free(result);
    cleave_data_free(data);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static bool stop(void *user)
{
    (void)user;
    return true;
}

static void test_interrupt(void **state)
{
    cleave_context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = 2, .cancelled = stop});
    cleave_data *data = make_noise(context);
    cleave_cv_result *result;
    cleave_error error = {0};

    (void)state;
    assert_int_equal(cleave_cv(context, "perceptron", data, NULL, NULL, &result, &error),
                     CLEAVE_ERROR_CANCELLED);
    assert_null(result);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* Whichever allocation fails, the error is reported and all memory is freed. */
static void test_memory(void **state)
{
    long long failures = 0;

    (void)state;
    for (long long fail_at = 1;; fail_at += fail_at / 12 + 1) {
        TestMemory memory = {.fail_at = 0};
        cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                                      .allocate = test_allocate,
                                                                      .user = &memory,
                                                                      .threads = 1});
        cleave_error error = {0};
        cleave_cv_result *result = NULL;
        cleave_data *data;
        cleave_code code;

        assert_non_null(context);
        FINE(cleave_open(context, "@dogs", NULL, &data, &error));
        memory.fail_at = atomic_load(&memory.calls) + fail_at;
        code = cleave_cv(context, "perceptron", data, NULL, NULL, &result, &error);
        failures += code == CLEAVE_ERROR_MEMORY;
        if (atomic_load(&memory.failures))
            assert_true(code == CLEAVE_ERROR_MEMORY || code == CLEAVE_OK);
        memory.fail_at = 0;
        cleave_cv_free(result);
        cleave_data_free(data);
        cleave_context_free(context);
        assert_int_equal(atomic_load(&memory.live), 0);
        if (!atomic_load(&memory.failures))
            break;
    }
    assert_true(failures > 10);
}

/* Quantiles of Student's t from tables. Wilson's interval, with mid-P bounds: p with
 * P(X > x) + P(X = x) / 2 = 2.5%. */
static void test_intervals(void **state)
{
    static const struct {
        uint64_t freedom;
        double t;
    } table[] = {{1, 12.7062047},  {2, 4.30265273},  {3, 3.18244631},
                 {4, 2.77644511},  {9, 2.26215716},  {10, 2.22813885},
                 {30, 2.04227246}, {99, 1.98421695}, {1000, 1.96233908}};
    static const double numbers[] = {1, 2, 3, 4};
    Interval sure = clv_wilson(1, 10);

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(fabs(clv_student(table[i].freedom) - table[i].t) < 1e-7);
    assert_true(fabs(sure.low - 0.005001475282) < 1e-11 && fabs(sure.high - 0.4041500268) < 1e-9);
    sure = clv_wilson(98, 100);
    assert_true(fabs(sure.low - 0.9299882) < 1e-6 && fabs(sure.high - 0.996633055852) < 1e-11);
    sure = clv_wilson(4, 100);
    assert_true(fabs(sure.low - 0.012836812458) < 1e-11 && fabs(sure.high - 0.0983707) < 1e-6);
    sure = clv_wilson(20, 200);
    assert_true(fabs(sure.low - 0.065670448669) < 1e-11 &&
                fabs(sure.high - 0.149405812433) < 1e-11);
    sure = clv_wilson(0, 10);
    assert_true(sure.low == 0 && fabs(sure.high - 0.2775327999) < 1e-9);
    sure = clv_mean_of_folds(numbers, 4, 0);
    assert_true(sure.middle == 2.5 && fabs(sure.high - 2.5 - 3.18244631 * 1.2909944487 / 2) < 1e-6);
    sure = clv_mean_of_folds(numbers, 4, 1 / 3.0);
    assert_true(fabs(sure.high - 2.5 - 3.18244631 * sqrt((0.25 + 1 / 3.0) * 5 / 3)) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leak),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_sums),   cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_groups), cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
