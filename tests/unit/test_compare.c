/*
 * Comparison (src/select/compare*.c): results are those of cv, for any number of threads; after an
 * interruption, the finished trials are reported; any allocation may fail; on noise, no method
 * beats the majority class, whatever the seed, except in one case of twenty.
 */
#include "property/table.h"

#include "base/random.h"
#include "support/support.h"

#include <math.h>
#include <stdatomic.h>

static cleave_options *options_of(cleave_context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};

    assert_non_null(options);
    for (size_t i = 0; pairs && pairs[i]; i += 2)
        FINE(cleave_options_set(options, pairs[i], pairs[i + 1], &error));
    return options;
}

/* Two columns; signal: correlation of the label with the first. */
static cleave_data *make_rows(cleave_context *context, size_t rows, uint64_t seed, double signal)
{
    Random random = clv_random(seed, 0);
    const uint32_t indexes[] = {0, 1};
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t row = 0; row < rows; row++) {
        bool yes = clv_random_unit(&random) < 0.4;
        float values[] = {(float)(clv_random_unit(&random) + signal * yes),
                          (float)clv_random_unit(&random)};

        FINE(cleave_data_add(data, yes ? "yes" : "no", 2, indexes, values, &error));
    }
    return data;
}

static cleave_comparison *compare(cleave_context *context, cleave_data *data,
                                  const char *const *pairs)
{
    cleave_options *options = options_of(context, pairs);
    cleave_error error = {0};
    cleave_comparison *result;

    FINE(cleave_compare(context, data, options, &result, &error));
    cleave_options_free(options);
    return result;
}

static const cleave_comparison_row *contender(const cleave_comparison *result, const char *name)
{
    for (size_t i = 0; i < result->method_count; i++)
        if (result->methods[i].method && strcmp(result->methods[i].method, name) == 0)
            return &result->methods[i];
    fail();
    return NULL;
}

static void test_numbers(void **state)
{
    static const char *const options[] = {"methods", "knn,logistic,winnow,lms", NULL};
    static const char *const folds[] = {"folds", "5", NULL};
    double errors[2] = {0};

    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        cleave_context *context = cleave_context_new(
            &(cleave_config){.size = sizeof(cleave_config), .threads = threads});
        cleave_data *data = make_rows(context, 200, 3, 0.8);
        cleave_comparison *result = compare(context, data, options);
        cleave_options *of_folds = options_of(context, folds);
        const cleave_comparison_row *knn = contender(result, "knn");
        cleave_error error = {0};
        cleave_cv_result *cv;

        FINE(cleave_cv(context, "knn", data, of_folds, NULL, &cv, &error));
        assert_float_equal(knn->error, cv->error, 0);
        assert_float_equal(knn->low, cv->low, 0);
        assert_float_equal(knn->high, cv->high, 0);
        assert_int_equal(knn->rows, 200);
        assert_int_equal(knn->train_rows, 160);
        assert_int_equal(knn->folds_done, 5);
        assert_true(result->beats_baseline && !result->incomplete && !result->cancelled);
        assert_string_equal(result->baseline_label, "no");
        assert_int_equal(contender(result, "winnow")->folds_done, 0);
        assert_string_equal(contender(result, "winnow")->reason,
                            "requires binary features (0 or 1)");
        assert_int_equal(contender(result, "lms")->folds_done, 0);
        assert_int_equal(result->method_count, 5); /* with the baseline */
        errors[threads - 1] = contender(result, "logistic")->error;
        cleave_options_free(of_folds);
        cleave_cv_free(cv);
        cleave_comparison_free(result);
        cleave_data_free(data);
        cleave_context_free(context);
    }
    assert_float_equal(errors[0], errors[1], 0);
}

/* By chance, one comparison in twenty has a significant result, over all methods together. */
static void test_noise(void **state)
{
    static const char *const options[] = {"methods", "knn,logistic,perceptron,least-squares",
                                          "folds", "5", NULL};
    unsigned seeds = getenv("CLEAVE_LONG") ? 400 : 20, wrong = 0;

    (void)state;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_data *data = make_rows(context, 120, seed, 0);
        cleave_comparison *result = compare(context, data, options);

        wrong += result->beats_baseline;
        cleave_comparison_free(result);
        cleave_data_free(data);
        cleave_context_free(context);
    }
    print_message("%u of %u\n", wrong, seeds);
    assert_true(wrong <= 1 + seeds / 20);
}

typedef struct {
    atomic_int asked;
    int most;
} Patience;

static bool stop_later(void *user)
{
    Patience *patience = user;

    return atomic_fetch_add(&patience->asked, 1) >= patience->most;
}

/* Whenever the run is cancelled, it reports the trials that are finished. */
static void test_interrupt(void **state)
{
    static const char *const options[] = {"methods", "knn,logistic", NULL};
    uint32_t least = UINT32_MAX, most = 0;

    (void)state;
    for (int asked = 10; asked < 10000; asked *= 2) {
        Patience patience = {.most = asked};
        cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                                      .threads = 2,
                                                                      .cancelled = stop_later,
                                                                      .user = &patience});
        cleave_data *data = make_rows(context, 200, 3, 0.8);
        cleave_options *given = options_of(context, options);
        cleave_error error = {0};
        cleave_comparison *result;
        cleave_code code = cleave_compare(context, data, given, &result, &error);

        assert_true(code == CLEAVE_OK || code == CLEAVE_ERROR_CANCELLED);
        if (code == CLEAVE_OK) {
            uint32_t done = contender(result, "knn")->folds_done +
                            contender(result, "logistic")->folds_done;

            assert_true(result->cancelled == (atomic_load(&patience.asked) > asked));
            least = done < least ? done : least;
            most = done > most ? done : most;
        }
        cleave_options_free(given);
        cleave_comparison_free(result);
        cleave_data_free(data);
        cleave_context_free(context);
    }
    assert_true(least < 10 && most == 10);
}

/* Whichever allocation fails, the error is reported and all memory is freed. */
static void test_memory(void **state)
{
    static const char *const options[] = {"methods", "perceptron,kernel-perceptron", "folds", "2",
                                          NULL};
    long long failures = 0;

    (void)state;
    for (long long fail_at = 1;; fail_at += fail_at / 12 + 1) {
        TestMemory memory = {.fail_at = 0};
        cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                                      .allocate = test_allocate,
                                                                      .user = &memory,
                                                                      .threads = 1});
        cleave_error error = {0};
        cleave_comparison *result = NULL;
        cleave_options *given;
        cleave_data *data;
        cleave_code code;

        assert_non_null(context);
        given = options_of(context, options);
        FINE(cleave_open(context, "@dogs", NULL, &data, &error));
        memory.fail_at = atomic_load(&memory.calls) + fail_at;
        code = cleave_compare(context, data, given, &result, &error);
        failures += code == CLEAVE_ERROR_MEMORY;
        if (atomic_load(&memory.failures))
            assert_true(code == CLEAVE_ERROR_MEMORY || code == CLEAVE_OK);
        memory.fail_at = 0;
        cleave_comparison_free(result);
        cleave_options_free(given);
        cleave_data_free(data);
        cleave_context_free(context);
        assert_int_equal(atomic_load(&memory.live), 0);
        if (!atomic_load(&memory.failures))
            break;
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
