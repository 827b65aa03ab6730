/*
 * cleave_update: every method either learns from further rows without raising the error on other rows much, or is refused with a hint;
 * a class and features that are new; the same bytes for any number of threads; a warm start on other rows is refused.
 */
#include "property/table.h"

#include "base/random.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEATURES = 12, OLD_ROWS = 400, NEW_ROWS = 40, TEST_ROWS = 1000 };

/* 0/1 features, so that winnow takes them. The class is decided by the first ones, and a row in twenty has the wrong one. */
static void add_row(cleave_data *data, Random *random, bool numbers, uint32_t shift, const char *label)
{
    uint32_t index[FEATURES];
    float value[FEATURES];
    size_t count = 0;
    double score = 0;
    char text[32];
    cleave_error error = {0};

    for (uint32_t i = 0; i < FEATURES; i++) {
        if (clv_random_unit(random) < 0.5)
            continue;
        index[count] = shift + i;
        value[count++] = 1;
        score += i < 4 ? 2 : i < 8 ? -2 : 0;
    }
    score += 0.5 * clv_random_normal(random);
    snprintf(text, sizeof text, "%.3f", score);
    FINE(cleave_data_add(data, label ? label : numbers ? text : score > 0 ? "yes" : "no", count, index, value, &error));
}

static cleave_data *make(cleave_context *context, uint64_t stream, size_t rows, bool numbers)
{
    Random random = clv_random(7, stream);
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t i = 0; i < rows; i++)
        add_row(data, &random, numbers, 0, NULL);
    return data;
}

static bool is_regression(const char *method)
{
    cleave_method_info info;
    cleave_error error = {0};

    FINE(cleave_method_find(method, &info, &error));
    return info.tasks == CLEAVE_TASK_REGRESSION;
}

static void update_method(const char *method)
{
    cleave_context *context = cleave_context_new(NULL);
    bool numbers = is_regression(method);
    cleave_data *old = make(context, 1, OLD_ROWS, numbers), *new = make(context, 2, NEW_ROWS, numbers);
    cleave_data *test = make(context, 3, TEST_ROWS, numbers);
    cleave_model *model, *updated;
    cleave_update_result result;
    cleave_error error = {0};
    cleave_code code;

    FINE(cleave_train(context, method, old, NULL, NULL, &model, NULL, &error));
    code = cleave_update(model, new, test, NULL, &updated, &result, &error);
    if (code == CLEAVE_ERROR_USAGE) {
        assert_null(updated);
        assert_non_null(strstr(error.hint, "train on the old and the new rows together"));
    } else {
        assert_int_equal(code, CLEAVE_OK);
        assert_int_equal(result.rows, NEW_ROWS);
        assert_int_equal(result.validation_rows, TEST_ROWS);
        assert_true(result.validation_after <= result.validation_before * (numbers ? 1.03 : 1) + (numbers ? 0 : 0.01));
        assert_true(result.error_after <= result.error_before + 1e-9);
        cleave_model_free(updated);
    }
    cleave_model_free(model);
    cleave_data_free(old);
    cleave_data_free(new);
    cleave_data_free(test);
    cleave_context_free(context);
}

static void test_methods(void **state)
{
    (void)state;
    for (size_t i = 0; i < cleave_method_count(); i++)
        update_method(cleave_method(i).name);
}

/* A class and a feature that the model does not have are learned, and the others are still told apart. */
static void test_growth(void **state)
{
    static const char *const methods[] = {"svm", "logistic", "perceptron", "knn", NULL};

    (void)state;
    for (size_t i = 0; methods[i]; i++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_data *old = make(context, 1, OLD_ROWS, false), *new, *test = make(context, 3, TEST_ROWS, false);
        Random random = clv_random(9, 9);
        cleave_model *model, *updated;
        cleave_update_result result;
        cleave_error error = {0};

        FINE(cleave_data_new(context, &new, &error));
        for (size_t row = 0; row < NEW_ROWS; row++)
            add_row(new, &random, false, FEATURES, "maybe");
        FINE(cleave_train(context, methods[i], old, NULL, NULL, &model, NULL, &error));
        FINE(cleave_update(model, new, test, NULL, &updated, &result, &error));
        assert_int_equal(result.new_classes, 1);
        assert_int_equal(result.new_features, FEATURES);
        assert_int_equal(cleave_model_label_count(updated), 3);
        assert_true(result.error_before == 1);
        assert_true(result.error_after <= 0.2);
        assert_true(result.validation_after <= result.validation_before + 0.02);
        cleave_model_free(updated);
        cleave_model_free(model);
        cleave_data_free(old);
        cleave_data_free(new);
        cleave_data_free(test);
        cleave_context_free(context);
    }
}

static void test_from_other_rows(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_data *old = make(context, 1, OLD_ROWS, false), *new = make(context, 2, OLD_ROWS, false);
    cleave_options *options = cleave_options_new(context);
    cleave_model *model, *longer;
    cleave_error error = {0};

    (void)state;
    FINE(cleave_train(context, "svm", old, NULL, NULL, &model, NULL, &error));
    FINE(cleave_train_from(model, old, NULL, NULL, &longer, NULL, &error));
    cleave_model_free(longer);
    assert_int_equal(cleave_train_from(model, new, NULL, NULL, &longer, NULL, &error), CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.hint, "cleave update"));
    FINE(cleave_options_set(options, "refit", "true", &error));
    FINE(cleave_train_from(model, new, NULL, options, &longer, NULL, &error));
    cleave_model_free(longer);
    cleave_options_free(options);
    cleave_model_free(model);
    cleave_data_free(old);
    cleave_data_free(new);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_from_other_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
