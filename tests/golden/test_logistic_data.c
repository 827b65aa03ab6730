/*
 * Logistic regression on a9a against LIBLINEAR 2.30 run to a tolerance of 1e-8 on the same file (-s
 * 0, with -B 1 and without; -s 6): the least values of its objective, and its test error.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"

typedef struct {
    const char *solver, *option, *l1;
    double objective;
    uint64_t test_errors; /* of LIBLINEAR; one or two rows near the boundary may differ */
} Known;

static const Known known[] = {
    {.solver = "newton",
     .option = "regularize_intercept",
     .l1 = "0",
     .objective = 10529.311,
     .test_errors = 2444},
    {.solver = "lbfgs",
     .option = "regularize_intercept",
     .l1 = "0",
     .objective = 10529.311,
     .test_errors = 2444},
    {.solver = "newton",
     .option = "no_intercept",
     .l1 = "0",
     .objective = 10529.563,
     .test_errors = 2444},
    {.solver = "lbfgs",
     .option = "no_intercept",
     .l1 = "1",
     .objective = 10558.723,
     .test_errors = 2443},
};

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return NAN;
}

typedef struct {
    /* sums of the probabilities of +1, over the rows that are not +1 and those that are */
    double sum[2];
    double expected;   /* all of them */
    uint64_t positive; /* rows that are +1 */
} Odds;

static cleave_code add_row(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Odds *odds = user;
    bool positive = strcmp(prediction->true_label, "+1") == 0 ||
                    strcmp(prediction->true_label, "1") == 0;
    double p = prediction->probabilities[0], q = prediction->probabilities[1];

    (void)error;
    assert_true(p >= 0 && q >= 0 && fabs(p + q - 1) < 1e-12);
    assert_true(prediction->probabilities[prediction->label_number] >= 0.5);
    odds->positive += positive;
    odds->expected += 1 / (1 + exp(-prediction->scores[0]));
    odds->sum[positive] += 1 / (1 + exp(-prediction->scores[0]));
    return CLEAVE_OK;
}

static void as_liblinear_finds(void **state)
{
    char train_path[TEST_PATH_SIZE], test_path[TEST_PATH_SIZE];
    cleave_context *context = cleave_context_new(NULL);
    cleave_error error;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const Known *one = &known[i];
        cleave_options *options = cleave_options_new(context);
        cleave_data *data, *test;
        cleave_model *model;
        cleave_report *report;
        cleave_evaluation evaluation = {.size = sizeof evaluation};

        check(cleave_options_set(options, "solver", one->solver, &error), &error);
        check(cleave_options_set(options, one->option, "true", &error), &error);
        check(cleave_options_set(options, "l1_ratio", one->l1, &error), &error);
        check(cleave_options_set(options, "tolerance", "1e-8", &error), &error);
        check(cleave_open(context, test_data_path(train_path, "a9a"), NULL, &data, &error), &error);
        check(cleave_train(context, "logistic", data, NULL, options, &model, &report, &error),
              &error);
        assert_true(report->converged);
        if (!(fabs(figure(report, "objective_value") - one->objective) < 2e-3))
            print_error("%s %s: %.9g, expected %.9g\n", one->solver, one->option,
                        figure(report, "objective_value"), one->objective);
        assert_true(fabs(figure(report, "objective_value") - one->objective) < 2e-3);
        assert_true(strcmp(one->l1, "0") != 0 || figure(report, "gap") < 1e-6);
        check(cleave_open_for(model, (const char *const[]){test_data_path(test_path, "a9a.t")}, 1,
                              NULL, &test, &error),
              &error);
        check(cleave_evaluate(model, test, NULL, &evaluation, &error), &error);
        assert_int_equal(evaluation.rows, 16281);
        assert_true(evaluation.errors + 2 >= one->test_errors &&
                    evaluation.errors <= one->test_errors + 2);
        cleave_report_free(report);
        cleave_model_free(model);
        cleave_data_free(data);
        cleave_data_free(test);
        cleave_options_free(options);
    }
    cleave_context_free(context);
}

/* The fraction of positive rows in the test set equals the mean probability, over all rows and over
 * those with high and low probabilities. */
static void probabilities_hold_on_new_rows(void **state)
{
    char path[TEST_PATH_SIZE];
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_data *data, *test;
    cleave_model *model;
    cleave_error error;
    Odds odds = {0};

    (void)state;
    check(cleave_open(context, test_data_path(path, "a9a"), NULL, &data, &error), &error);
    check(cleave_train(context, "logistic", data, NULL, NULL, &model, NULL, &error), &error);
    check(cleave_open_for(model, (const char *const[]){test_data_path(path, "a9a.t")}, 1, NULL,
                          &test, &error),
          &error);
    check(cleave_options_set(options, "probabilities", "true", &error), &error);
    check(cleave_predict(model, test, options, add_row, &odds, &error), &error);
    assert_true(fabs(odds.expected / (double)odds.positive - 1) < 0.03);
    assert_true(odds.sum[1] / (double)odds.positive >
                2.5 * odds.sum[0] / (16281 - (double)odds.positive));
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_data_free(test);
    cleave_options_free(options);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_liblinear_finds),
                                       cmocka_unit_test(probabilities_hold_on_new_rows)};

    return cmocka_run_group_tests_name("golden logistic on data", tests, NULL, NULL);
}
