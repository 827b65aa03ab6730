/*
 * cleave_update: every method either learns from new rows without increasing the error on other
 * rows much, or fails with a hint. New classes and features; bit-identical results for any number
 * of threads; a warm start on other rows is refused.
 */
#include "property/table.h"

#include "base/random.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEATURES = 12, OLD_ROWS = 400, NEW_ROWS = 40, TEST_ROWS = 1000 };

/* 0/1 features, so that winnow supports them. The first ones determine the class, and one row in
 * twenty has the wrong class. */
static void add_row(cleave_data *data, Random *random, bool numbers, uint32_t shift,
                    const char *label)
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
    FINE(cleave_data_add(data,
                         label       ? label
                         : numbers   ? text
                         : score > 0 ? "yes"
                                     : "no",
                         count, index, value, &error));
}

static void add_rating(cleave_data *data, Random *random)
{
    const uint32_t pair[] = {clv_random_below(random, 6), 6 + clv_random_below(random, 9)};
    cleave_error error = {0};
    char text[8];

    snprintf(text, sizeof text, "%u", 1 + (pair[0] + pair[1]) % 5);
    FINE(cleave_data_add(data, text, 2, pair, (const float[]){1, 1}, &error));
}

typedef enum { ROWS_OF_CLASSES, ROWS_OF_NUMBERS, ROWS_OF_RATINGS } Kind;

static cleave_data *make(cleave_context *context, uint64_t stream, size_t rows, Kind kind)
{
    Random random = clv_random(7, stream);
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t i = 0; i < rows; i++)
        if (kind == ROWS_OF_RATINGS)
            add_rating(data, &random);
        else
            add_row(data, &random, kind == ROWS_OF_NUMBERS, 0, NULL);
    return data;
}

static Kind kind_for(const char *method)
{
    cleave_method_info info;
    cleave_error error = {0};

    FINE(cleave_method_find(method, &info, &error));
    return info.traits & CLEAVE_TRAIT_RATINGS     ? ROWS_OF_RATINGS
           : info.tasks == CLEAVE_TASK_REGRESSION ? ROWS_OF_NUMBERS
                                                  : ROWS_OF_CLASSES;
}

static void update_method(const char *method)
{
    cleave_context *context = cleave_context_new(NULL);
    const Kind kind = kind_for(method);
    const bool numbers = kind != ROWS_OF_CLASSES;
    cleave_data *old = make(context, 1, OLD_ROWS, kind), *new = make(context, 2, NEW_ROWS, kind);
    cleave_data *test = make(context, 3, TEST_ROWS, kind);
    cleave_model *model, *updated;
    cleave_update_result result = {.size = sizeof result};
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
        assert_true(result.validation_after <=
                    result.validation_before * (numbers ? 1.03 : 1) + (numbers ? 0 : 0.01));
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

/* A class and a feature that the model does not have are learned, and the other classes are still
 * distinguished. */
static void test_growth(void **state)
{
    static const char *const methods[] = {"svm",  "logistic", "perceptron", "knn",
                                          "tree", "forest",   NULL};

    (void)state;
    for (size_t i = 0; methods[i]; i++) {
        bool trees = strcmp(methods[i], "tree") == 0 || strcmp(methods[i], "forest") == 0;
        cleave_context *context = cleave_context_new(NULL);
        cleave_data *old = make(context, 1, OLD_ROWS, ROWS_OF_CLASSES), *new,
                    *test = make(context, 3, TEST_ROWS, ROWS_OF_CLASSES);
        Random random = clv_random(9, 9);
        cleave_model *model, *updated;
        cleave_update_result result = {.size = sizeof result};
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
        /* Trees have no split on a new feature: the new rows, which have no other, outnumber the
         * old rows of their leaf. */
        assert_true(result.validation_after <= result.validation_before + (trees ? 0.15 : 0.02));
        cleave_model_free(updated);
        cleave_model_free(model);
        cleave_data_free(old);
        cleave_data_free(new);
        cleave_data_free(test);
        cleave_context_free(context);
    }
}

/* Columns between the model's and a large index do not become features of the model. */
static void test_large_index(void **state)
{
    static const char *const methods[] = {"svm", "perceptron", "tree", NULL};

    (void)state;
    for (size_t i = 0; methods[i]; i++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_data *old = make(context, 1, OLD_ROWS, ROWS_OF_CLASSES),
                    *new = make(context, 2, NEW_ROWS, ROWS_OF_CLASSES);
        cleave_model *model, *updated, *again;
        cleave_update_result result = {.size = sizeof result};
        cleave_error error = {0};

        FINE(cleave_data_add(new, "yes", 2, (uint32_t[]){0, 200000000}, (float[]){1, 1}, &error));
        FINE(cleave_train(context, methods[i], old, NULL, NULL, &model, NULL, &error));
        FINE(cleave_update(model, new, NULL, NULL, &updated, &result, &error));
        assert_int_equal(result.new_features, 1);
        assert_true(result.error_after <= 0.3);
        FINE(cleave_update(updated, new, old, NULL, &again, &result, &error));
        assert_int_equal(result.new_features, 0);
        assert_true(result.validation_after <= 0.3);
        cleave_model_free(again);
        cleave_model_free(updated);
        cleave_model_free(model);
        cleave_data_free(old);
        cleave_data_free(new);
        cleave_context_free(context);
    }
}

static cleave_model *train_with(cleave_context *context, const char *method, cleave_data *data,
                                const char *name, const char *value)
{
    cleave_options *options = cleave_options_new(context);
    cleave_model *model;
    cleave_error error = {0};

    if (name)
        FINE(cleave_options_set(options, name, value, &error));
    FINE(cleave_train(context, method, data, NULL, options, &model, NULL, &error));
    cleave_options_free(options);
    return model;
}

/* The leaf of a tree with the old and the new rows: its probabilities are the fractions of both. */
static void test_leaf_shares(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_data *old, *new;
    cleave_model *model, *updated;
    cleave_prediction prediction;
    cleave_error error = {0};
    uint32_t index = 0;
    float low = 1, high = 5;

    (void)state;
    FINE(cleave_data_new(context, &old, &error));
    FINE(cleave_data_new(context, &new, &error));
    for (int i = 0; i < 3; i++) {
        FINE(cleave_data_add(old, "a", 1, &index, &low, &error));
        FINE(cleave_data_add(old, "b", 1, &index, &high, &error));
    }
    FINE(cleave_data_add(new, "a", 1, &index, &high, &error));
    FINE(cleave_data_add(new, "c", 1, &index, &high, &error));
    model = train_with(context, "tree", old, NULL, NULL);
    FINE(cleave_update(model, new, NULL, NULL, &updated, NULL, &error));
    FINE(cleave_predict_row(updated, 1, &index, &high, &prediction, &error));
    assert_string_equal(prediction.label, "b");
    assert_int_equal(prediction.score_count, 3);
    assert_true(fabs(prediction.scores[0] - 0.2) < 1e-6);
    assert_true(fabs(prediction.scores[1] - 0.6) < 1e-6);
    assert_true(fabs(prediction.scores[2] - 0.2) < 1e-6);
    FINE(cleave_predict_row(updated, 1, &index, &low, &prediction, &error));
    assert_string_equal(prediction.label, "a");
    assert_true(prediction.scores[0] == 1);
    cleave_model_free(updated);
    cleave_model_free(model);
    cleave_data_free(old);
    cleave_data_free(new);
    cleave_context_free(context);
}

/* A class that is new to boost, and AdaBoost. */
static void test_boost_refuses(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_data *old = make(context, 1, OLD_ROWS, ROWS_OF_CLASSES), *new;
    cleave_model *log_loss = train_with(context, "boost", old, NULL, NULL);
    cleave_model *exponential = train_with(context, "boost", old, "loss", "exponential"), *updated;
    Random random = clv_random(9, 9);
    cleave_error error = {0};

    (void)state;
    FINE(cleave_data_new(context, &new, &error));
    add_row(new, &random, false, 0, "maybe");
    assert_int_equal(cleave_update(log_loss, new, NULL, NULL, &updated, NULL, &error),
                     CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.hint, "old and the new rows"));
    assert_null(updated);
    assert_int_equal(cleave_update(exponential, old, NULL, NULL, &updated, NULL, &error),
                     CLEAVE_ERROR_USAGE);
    assert_null(updated);
    cleave_model_free(exponential);
    cleave_model_free(log_loss);
    cleave_data_free(old);
    cleave_data_free(new);
    cleave_context_free(context);
}

/* A label that equals a class of the model as a number is refused unless the option is set. */
static void test_equal_numbers(void **state)
{
    static const char *const labels[] = {"0", "1"};
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_data *old, *new;
    cleave_model *model, *updated;
    cleave_update_result result = {.size = sizeof result};
    cleave_error error = {0};

    (void)state;
    FINE(cleave_options_set(options, "allow_similar_labels", "true", &error));
    FINE(cleave_data_new(context, &old, &error));
    FINE(cleave_data_new(context, &new, &error));
    for (uint32_t i = 0; i < 8; i++) {
        float value = 1 + (float)i;
        uint32_t index = i % 2;

        FINE(cleave_data_add(old, labels[i % 2], 1, &index, &value, &error));
        FINE(cleave_data_add(new, i % 2 ? "1" : "0.0", 1, &index, &value, &error));
    }
    model = train_with(context, "knn", old, NULL, NULL);
    assert_int_equal(cleave_update(model, new, NULL, NULL, &updated, NULL, &error),
                     CLEAVE_ERROR_DATA);
    assert_null(updated);
    FINE(cleave_update(model, new, NULL, options, &updated, &result, &error));
    assert_int_equal(result.new_classes, 1);
    cleave_model_free(updated);
    cleave_model_free(model);
    cleave_data_free(old);
    cleave_data_free(new);
    cleave_options_free(options);
    cleave_context_free(context);
}

static void test_from_other_rows(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_data *old = make(context, 1, OLD_ROWS, ROWS_OF_CLASSES),
                *new = make(context, 2, OLD_ROWS, ROWS_OF_CLASSES);
    cleave_options *options = cleave_options_new(context);
    cleave_model *model, *longer;
    cleave_error error = {0};

    (void)state;
    FINE(cleave_train(context, "svm", old, NULL, NULL, &model, NULL, &error));
    FINE(cleave_train_from(model, old, NULL, NULL, &longer, NULL, &error));
    cleave_model_free(longer);
    assert_int_equal(cleave_train_from(model, new, NULL, NULL, &longer, NULL, &error),
                     CLEAVE_ERROR_USAGE);
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
        cmocka_unit_test(test_large_index),   cmocka_unit_test(test_methods),
        cmocka_unit_test(test_growth),        cmocka_unit_test(test_leaf_shares),
        cmocka_unit_test(test_boost_refuses), cmocka_unit_test(test_from_other_rows),
        cmocka_unit_test(test_equal_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
