/*
 * Least squares on real data sets against scikit-learn 1.9.1 (LinearRegression, and Ridge with
 * alpha 100 by cholesky) on the same columns, written by `cleave convert` and rounded to floats.
 * Columns of categories are linearly dependent, so this also compares the shortest weights.
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
    const char *file, *label, *columns;
    size_t features;
    double sse, r2, offset, weight[4];
    double ridge_sse, ridge_offset, ridge_weight[4];
} Known;

static const Known known[] = {
    {
        .file = "california-housing.csv.gz",
        .label = "median_house_value",
        .features = 14,
        .sse = 9.7434265729e+13,
        .r2 = 0.645476974541,
        .offset = -2211962.77262,
        .weight = {-26455.099, -25193.986, 1057.9194, -4.7753106},
        .ridge_sse = 9.75930663879e+13,
        .ridge_offset = -2219947.42526,
        .ridge_weight = {-26229.523, -25072.463, 1065.8156, -4.2591582},
    },
    {
        .file = "diamonds.csv.gz",
        .label = "price",
        .features = 27,
        .sse = 68549271437.8,
        .r2 = 0.920149776852,
        .offset = 4995.73080106,
        .weight = {0.0053637092, 11182.592, -59.411235, -25.418947},
        .ridge_sse = 70478876064.8,
        .ridge_offset = 422.863638185,
        .ridge_weight = {0.0066361155, 9381.0914, -30.946132, -23.64473},
    },
    {
        .file = "bike-hour.csv",
        .label = "count",
        .columns = "casual=ignore,registered=ignore,dateday=ignore",
        .features = 13,
        .sse = 349408209.246,
        .r2 = 0.388891778142,
        .offset = -28.1261367785,
        .weight = {-0.0049965769, 19.873479, 124.77247, 3.6299675},
        .ridge_sse = 350553972.046,
        .ridge_offset = -26.1137148917,
        .ridge_weight = {0.0079183974, 21.272351, 12.905698, -6.1503182},
    },
};

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

static void is_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        print_error("%.12g, expected %.12g\n", value, expected);
    assert_true(fabs(value - expected) <= relative * fabs(expected));
}

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    fail_msg("no figure '%s'", name);
    return NAN;
}

static void train(const Known *set, const char *solver, bool ridge)
{
    char path[TEST_PATH_SIZE];
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *read = cleave_options_new(context), *options = cleave_options_new(context);
    cleave_error error;
    cleave_data *data;
    cleave_model *model;
    cleave_report *report;

    check(cleave_options_set(read, "label", set->label, &error), &error);
    if (set->columns)
        check(cleave_options_set(read, "columns", set->columns, &error), &error);
    check(cleave_options_set(options, "solver", solver, &error), &error);
    check(cleave_options_set(options, "transform", "none", &error),
          &error); /* a missing value is 0, with a separate feature */
    check(cleave_options_set(options, "tolerance", "1e-9", &error), &error);
    if (ridge)
        check(cleave_options_set(options, "ridge", "100", &error), &error);
    check(cleave_open(context, test_data_path(path, set->file), read, &data, &error), &error);
    check(cleave_train(context, "least-squares", data, NULL, options, &model, &report, &error),
          &error);
    assert_true(report->converged);
    assert_int_equal(report->features, set->features);
    is_near(figure(report, "sse"), ridge ? set->ridge_sse : set->sse, 1e-7);
    if (!ridge)
        is_near(figure(report, "r2"), set->r2, 1e-8);
    /* of several solutions, conjugate gradient finds another one */
    if (ridge || strcmp(solver, "cg") != 0) {
        is_near(-cleave_model_threshold(model, 0), ridge ? set->ridge_offset : set->offset, 1e-5);
        for (size_t i = 0; i < 4; i++)
            is_near(cleave_model_weight(model, 0, i), ridge ? set->ridge_weight[i] : set->weight[i],
                    1e-5);
    }
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_options_free(read);
    cleave_context_free(context);
}

static void as_others_find(void **state)
{
    static const char *const solvers[] = {"auto", "normal", "qr", "cg"};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t j = 0; j < sizeof solvers / sizeof *solvers; j++) {
            train(&known[i], solvers[j], false);
            train(&known[i], solvers[j], true);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_others_find)};

    return cmocka_run_group_tests_name("golden least-squares on data", tests, NULL, NULL);
}
