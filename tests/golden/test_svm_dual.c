/*
 * svm --solver dcd (src/learn/linear/solver_dcd.c) against the values of the documents and values
 * derived from their data: Figure 12.18, Examples 12.8 and 12.9, Exercises 12.3.2 and 12.3.3. The
 * results are fractions; weights are stored as float32.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cleave/expert.h>

#include <math.h>

enum { MOST_FEATURES_HERE = 3 };

typedef struct {
    const char *builtin; /* used instead of rows */
    size_t rows, features;
    float x[6][MOST_FEATURES_HERE];
    int y[6];
} Data;

static const Data points5 = {.builtin = "@points5", .features = 2};
static const Data points6 = {.builtin = "@points6", .features = 2};
static const Data square4 = {.builtin = "@square4", .features = 2};
static const Data sum10 = {
    .rows = 6,
    .features = 3,
    .x = {{3, 4, 5}, {2, 7, 2}, {5, 5, 5}, {1, 2, 3}, {3, 3, 2}, {2, 4, 1}},
    .y = {1, 1, 1, -1, -1, -1},
};
static const Data odd = {
    .rows = 6,
    .features = 2,
    .x = {{1, 2}, {3, 4}, {5, 2}, {2, 4}, {3, 1}, {7, 3}},
    .y = {1, 1, 1, -1, -1, -1},
};

typedef struct {
    double w[MOST_FEATURES_HERE], b, objective, dual, gap, margin;
    uint64_t errors;
} Answer;

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

static cleave_data *open_data(cleave_context *context, const Data *data)
{
    const uint32_t index[MOST_FEATURES_HERE] = {0, 1, 2};
    cleave_error error;
    cleave_data *opened;

    if (data->builtin) {
        check(cleave_open(context, data->builtin, NULL, &opened, &error), &error);
        return opened;
    }
    check(cleave_data_new(context, &opened, &error), &error);
    for (size_t i = 0; i < data->rows; i++)
        check(cleave_data_add(opened, data->y[i] > 0 ? "+1" : "-1", data->features, index,
                              data->x[i], &error),
              &error);
    return opened;
}

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return NAN;
}

static cleave_code train(cleave_context *context, const Data *data, const char *C, const char *flag,
                         cleave_model **model, cleave_report **report, cleave_error *error)
{
    cleave_data *opened = open_data(context, data);
    cleave_options *options = cleave_options_new(context);
    cleave_code code;

    check(cleave_options_set(options, "C", C, error), error);
    check(cleave_options_set(options, "solver", "dcd", error), error);
    check(cleave_options_set(options, "tolerance", "1e-9", error), error);
    if (flag)
        check(cleave_options_set(options, flag, "yes", error), error);
    code = cleave_train(context, "svm", opened, NULL, options, model, report, error);
    cleave_options_free(options);
    cleave_data_free(opened);
    return code;
}

static Answer solve(const Data *data, const char *C, const char *flag)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_report *report;
    cleave_model *model;
    cleave_error error;
    Answer answer = {0};

    check(train(context, data, C, flag, &model, &report, &error), &error);
    assert_true(report->converged);
    for (size_t i = 0; i < data->features; i++)
        answer.w[i] = cleave_model_weight(model, 0, i);
    answer.b = -cleave_model_threshold(model, 0);
    answer.objective = figure(report, "objective_value");
    answer.dual = figure(report, "dual");
    answer.gap = figure(report, "gap");
    answer.margin = figure(report, "margin");
    answer.errors = report->train_errors;
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_context_free(context);
    return answer;
}

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * fmax(1, fabs(expected))))
        print_error("found %.12g, expected %.12g\n", found, expected);
    assert_true(fabs(found - expected) <= 1e-6 * fmax(1, fabs(expected)));
}

static void gradient_descents_points(void **state)
{
    Answer soft = solve(&points6, "0.1", NULL), hard = solve(&points6, "inf", NULL);

    (void)state;
    near(soft.w[0], 0);
    near(soft.w[1], 2.0 / 3);
    near(soft.b, -5.0 / 3);
    near(soft.objective, 16.0 / 45);
    assert_true(soft.gap <= 1e-6);
    near(hard.w[0], 0);
    near(hard.w[1], 2);
    near(hard.b, -3);
    near(hard.margin, 0.5);
    assert_int_equal(hard.errors, 0);
}

static void example_12_8(void **state)
{
    Answer hard = solve(&square4, "inf", NULL);

    (void)state;
    near(hard.w[0], -1);
    near(hard.w[1], 1);
    near(hard.b, 0);
    near(hard.margin, 1 / sqrt(2));
}

/* The multipliers of the hard margin have the sum ‖w‖² = 13/9, and the largest is 13/18. From this
 * C on, soft and hard margin are equal. */
static void five_points(void **state)
{
    Answer hard = solve(&points5, "inf", NULL), soft = solve(&points5, "0.7222222222222222", NULL),
           large = solve(&points5, "10", NULL);

    (void)state;
    near(hard.w[0], 1);
    near(hard.w[1], 2.0 / 3);
    near(hard.b, -6);
    near(hard.margin, 0.8320502943378437);
    near(hard.objective, 13.0 / 18);
    near(hard.dual, 13.0 / 18);
    near(soft.objective, 13.0 / 18);
    near(soft.dual * 0.7222222222222222 * 5, 13.0 / 18);
    near(large.w[0], 1);
    near(large.b, -6);
    near(large.objective, 13.0 / 18);
}

static void exercise_12_3_2(void **state)
{
    Answer hard = solve(&sum10, "inf", NULL), soft = solve(&sum10, "1", "regularize_intercept");

    (void)state;
    near(hard.w[0], 0);
    near(hard.w[1], 0.5);
    near(hard.w[2], 0.5);
    near(hard.b, -3.5);
    near(hard.margin, sqrt(2));
    near(hard.objective, 0.25);
    near(soft.w[0], -183.0 / 1297);
    near(soft.w[1], 366.0 / 1297);
    near(soft.w[2], 427.0 / 1297);
    near(soft.b, -1753.0 / 1297);
    near(soft.objective, 9419.0 / 2594);
}

static void exercise_12_3_3(void **state)
{
    Answer free_b = solve(&odd, "1", NULL), counted = solve(&odd, "1", "regularize_intercept");

    (void)state;
    near(free_b.w[0], -2.0 / 5);
    near(free_b.w[1], 2.0 / 5);
    near(free_b.b, 3.0 / 5);
    near(free_b.objective, 124.0 / 25);
    assert_int_equal(free_b.errors, 2);
    near(counted.w[0], -8.0 / 21);
    near(counted.w[1], 10.0 / 21);
    near(counted.b, 5.0 / 21);
    near(counted.objective, 71.0 / 14);
}

static void hard_margin_needs_a_separator(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_report *report = NULL;
    cleave_model *model = NULL;
    cleave_error error;

    (void)state;
    assert_int_equal(train(context, &odd, "inf", NULL, &model, &report, &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "not separable: every hyperplane has a margin below"));
    assert_non_null(strstr(error.hint, "--C 1"));
    assert_int_equal(train(context, &points5, "inf", "no_intercept", &model, &report, &error),
                     CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "separa"));
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_descents_points),
        cmocka_unit_test(example_12_8),
        cmocka_unit_test(five_points),
        cmocka_unit_test(exercise_12_3_2),
        cmocka_unit_test(exercise_12_3_3),
        cmocka_unit_test(hard_margin_needs_a_separator),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
