/*
 * Models written by earlier releases (tests/data/models) can always be read: the same labels,
 * names, parameters and scores. A model in that folder that is not listed here is a failure too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/old_names.h"
#include "support/support.h"

#include <dirent.h>
#include <math.h>

enum { MOST_ROWS = 10, MOST_OUTPUTS = 3 };

typedef struct {
    const char *file, *method, *writer;
    const char *data; /* built-in set that it predicts */
    uint64_t rows, seed;
    const char *labels[MOST_OUTPUTS + 1], *positive, *names[8];
    const char *params[8]; /* name, value, … */
    size_t outputs, answers;
    double weights[MOST_OUTPUTS][8], thresholds[MOST_OUTPUTS];
    const char *answer[MOST_ROWS];
    double scores[MOST_ROWS][MOST_OUTPUTS];
} OldModel;

static const OldModel models[] = {
    {
        .file = "perceptron-0.1.0.model",
        .method = "perceptron",
        .writer = "0.1.0",
        .data = "@spam6",
        .rows = 6,
        .seed = 1,
        .labels = {"+1", "-1"},
        .positive = "+1",
        .names = {"and", "viagra", "the", "of", "nigeria"},
        .params = {"learning_rate", "0.5", "average", "true", "order", "auto"},
        .outputs = 1,
        .answers = 6,
        .weights = {{1.0 / 8, 11.0 / 12, -1.0 / 24, -1.0 / 3, 1.0 / 2}},
        .answer = {"+1", "-1", "+1", "-1", "+1", "-1"},
        .scores = {{29.0 / 24}, {-9.0 / 24}, {21.0 / 24}, {-5.0 / 24}, {14.0 / 24}, {-6.0 / 24}},
    },
    {
        .file = "perceptron-classes-0.1.0.model",
        .method = "perceptron",
        .writer = "0.1.0",
        .data = "@dogs",
        .rows = 10,
        .seed = 1,
        .labels = {"Chihuahua", "Dachshund", "Beagle"},
        .names = {"height", "weight"},
        .params = {"learn_threshold", "true", "epochs", "1000", "form", "plain"},
        .outputs = 3,
        .answers = 10,
        .weights = {{6, -16}, {-64, 31}, {2, 5}},
        .thresholds = {-3, -252, 39},
        .answer = {"Chihuahua", "Dachshund", "Chihuahua", "Dachshund", "Dachshund", "Dachshund",
                   "Beagle", "Beagle", "Beagle", "Beagle"},
        .scores = {{1, -6, -19},
                   {11, 27, -26},
                   {7, -70, -17},
                   {-31, 56, -9},
                   {-41, 23, -2},
                   {-69, 182, -1},
                   {-29, -105, 2},
                   {-39, -138, 9},
                   {-49, -171, 16},
                   {-77, -12, 17}},
    },
    {
        .file = "perceptron-voted-0.1.0.model",
        .method = "perceptron",
        .writer = "0.1.0",
        .data = "@points5",
        .rows = 5,
        .seed = 1,
        .labels = {"-1", "+1"},
        .positive = "+1",
        .names = {"x1", "x2"},
        .params = {"learning_rate", "0.3333333333333333", "form", "voted", "learn_threshold",
                   "true"},
        .outputs = 1,
        .answers = 5,
        .weights = {{2.0 / 3, 1.0 / 3}},
        .thresholds = {10.0 / 3},
        .answer = {"-1", "-1", "-1", "+1", "+1"},
        .scores = {{-15.0 / 85}, {-11.0 / 85}, {-13.0 / 85}, {9.0 / 85}, {11.0 / 85}},
    },
};
enum { MODELS = sizeof models / sizeof *models };

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

static cleave_code compare(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    const OldModel *expected = user;
    size_t row = prediction->row - 1;

    (void)error;
    assert_true(row < expected->answers);
    assert_string_equal(prediction->label, expected->answer[row]);
    assert_int_equal(prediction->score_count, expected->outputs);
    for (size_t i = 0; i < expected->outputs; i++)
        assert_true(fabs(prediction->scores[i] - expected->scores[row][i]) <= 1e-6);
    return CLEAVE_OK;
}

static void check_facts(const OldModel *expected, const cleave_model *model)
{
    const char *positive = cleave_model_positive(model);
    size_t count = 0;

    assert_string_equal(cleave_model_method(model), expected->method);
    assert_string_equal(cleave_model_writer(model), expected->writer);
    assert_int_equal(cleave_model_rows(model), expected->rows);
    assert_int_equal(cleave_model_seed(model), expected->seed);
    for (count = 0; expected->labels[count]; count++)
        assert_string_equal(cleave_model_label(model, count), expected->labels[count]);
    assert_int_equal(cleave_model_label_count(model), count);
    assert_int_equal(positive != NULL, expected->positive != NULL);
    if (positive)
        assert_string_equal(positive, expected->positive);
    for (count = 0; expected->names[count]; count++) {
        char buffer[24];

        assert_string_equal(cleave_model_feature_name(model, count, buffer),
                            expected->names[count]);
    }
    assert_int_equal(cleave_model_feature_count(model), count);
    for (size_t i = 0; i < 8 && expected->params[i]; i += 2) {
        bool found = false;
        const char *name, *value;

        for (size_t j = 0; (value = cleave_model_param(model, j, &name)) != NULL; j++)
            if (strcmp(name, expected->params[i]) == 0) {
                assert_string_equal(value, expected->params[i + 1]);
                found = true;
            }
        assert_true(found);
    }
}

static void read_for_ever(void **state)
{
    const OldModel *expected = *state;
    char relative[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    cleave_context *context = cleave_context_new(NULL);
    cleave_error error;
    cleave_model *model;
    cleave_data *data;
    size_t outputs;

    test_tree_path(path, test_join(relative, "tests/data/models", expected->file));
    check(cleave_load(context, path, &model, &error), &error);
    check_facts(expected, model);
    assert_true(cleave_model_is_linear(model, &outputs));
    assert_int_equal(outputs, expected->outputs);
    for (size_t i = 0; i < outputs; i++) {
        assert_true(fabs(cleave_model_threshold(model, i) - expected->thresholds[i]) <= 1e-6);
        for (size_t j = 0; expected->names[j]; j++)
            assert_true(fabs(cleave_model_weight(model, i, j) - expected->weights[i][j]) <= 1e-6);
    }
    check(cleave_open(context, expected->data, NULL, &data, &error), &error);
    check(cleave_predict(model, data, NULL, compare, (void *)(uintptr_t)expected, &error), &error);
    cleave_data_free(data);
    cleave_model_free(model);
    cleave_context_free(context);
}

static void every_model_is_tested(void **state)
{
    char path[TEST_PATH_SIZE];
    DIR *folder = opendir(test_tree_path(path, "tests/data/models"));
    size_t count = 0;

    (void)state;
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        bool listed = false;

        if (!strstr(entry->d_name, ".model"))
            continue;
        count++;
        for (size_t i = 0; i < MODELS; i++)
            listed |= strcmp(models[i].file, entry->d_name) == 0;
        if (!listed)
            print_error("%s is not tested\n", entry->d_name);
        assert_true(listed);
    }
    closedir(folder);
    assert_int_equal(count, MODELS);
}

static void pipelines_have_present_names(void **state)
{
    static const char *const texts[][2] = {
        {"missing,codes", "impute,ordinal"},
        {"missing:by=category:keep,scale:clip=2", "impute:strategy=mean:keep,scale:clip=2"},
        {"tfidf:min_df=2,select:by=chi2:least=3,pca:dimensions=2",
         "tfidf:min_df=2,select:by=chi2:min_score=3,pca:components=2"},
        {"impute:strategy=refuse,fourier:usual:dimensions=9:sigma=1",
         "impute:strategy=error,fourier:estimate:components=9:sigma=1"},
        /* present names, of which some were the old names of other parameters */
        {"scale:center:clip=2", "scale:center:clip=2"},
        {"project:components=2", "project:components=2"},
        {"polar:by=mean", "polar:by=mean"},
        {"none", "none"},
        {"", ""},
    };
    cleave_context *context = cleave_context_new(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cleave_error error = {0};
        char *present;

        check(clv_present_pipeline(context, texts[i][0], &present, &error), &error);
        assert_string_equal(present, texts[i][1]);
        clv_free(context, present);
    }
    assert_string_equal(clv_present_name("winnow", "rate"), "factor");
    assert_string_equal(clv_present_name("svm", "rate"), "learning_rate");
    assert_string_equal(clv_present_name("boost", "rounds"), "rounds");
    assert_string_equal(clv_present_name("forest", "rounds"), "trees");
    assert_string_equal(clv_present_name("mlp", "rounds"), "epochs");
    assert_string_equal(clv_present_value("svm", "order", "each"), "shuffle");
    assert_string_equal(clv_present_value("svm", "form", "each"), "each");
    cleave_context_free(context);
}

int main(void)
{
    struct CMUnitTest tests[MODELS + 2] = {cmocka_unit_test(every_model_is_tested),
                                           cmocka_unit_test(pipelines_have_present_names)};

    for (size_t i = 0; i < MODELS; i++)
        tests[i + 2] = (struct CMUnitTest){.name = models[i].file,
                                           .test_func = read_for_ever,
                                           .initial_state = (void *)(uintptr_t)&models[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
