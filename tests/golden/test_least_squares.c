/* Least squares (src/learn/linear/least_squares.c) against the values the documents print for
 * the points of @line4, by every solver. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cleave/expert.h>

static const char *const solvers[] = {"auto", "normal", "qr", "cg"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef struct {
    cleave_context *context;
    cleave_model *model;
    cleave_report *report;
} Trained;

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

static Trained train(cleave_context *context, cleave_data *data, const char *solver,
                     const char *name, const char *value)
{
    cleave_options *options = cleave_options_new(context);
    Trained trained = {.context = context};
    cleave_error error;

    check(cleave_options_set(options, "solver", solver, &error), &error);
    if (name)
        check(cleave_options_set(options, name, value, &error), &error);
    check(cleave_train(context, "least-squares", data, NULL, options, &trained.model,
                       &trained.report, &error),
          &error);
    cleave_options_free(options);
    assert_true(trained.report->converged);
    return trained;
}

static double figure(const Trained *trained, const char *name)
{
    for (size_t i = 0; i < trained->report->statistic_count; i++)
        if (strcmp(trained->report->statistics[i].name, name) == 0)
            return trained->report->statistics[i].value;
    fail_msg("no figure '%s'", name);
    return NAN;
}

static void end(Trained *trained)
{
    cleave_model_free(trained->model);
    cleave_report_free(trained->report);
    cleave_context_free(trained->context);
}

static void is_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6))
        print_error("%.17g, expected %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= 1e-6);
}

static void line(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOLVERS; i++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_error error;
        cleave_data *data;
        Trained trained;

        check(cleave_open(context, "@line4", NULL, &data, &error), &error);
        trained = train(context, data, solvers[i], NULL, NULL);
        is_near(cleave_model_weight(trained.model, 0, 0), 3.0 / 5);
        is_near(-cleave_model_threshold(trained.model, 0), 1);
        is_near(figure(&trained, "sse"), 3.2);
        is_near(figure(&trained, "train_sse"), 3.2);
        is_near(figure(&trained, "rmse"), sqrt(0.8));
        is_near(figure(&trained, "r2"), 1 - 3.2 / 5);
        cleave_data_free(data);
        end(&trained);
    }
}

static void through_the_origin(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOLVERS; i++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_error error;
        cleave_data *data;
        Trained trained;

        check(cleave_open(context, "@line4", NULL, &data, &error), &error);
        trained = train(context, data, solvers[i], "no-intercept", "true");
        is_near(cleave_model_weight(trained.model, 0, 0), 14.0 / 15);
        assert_true(cleave_model_threshold(trained.model, 0) == 0);
        is_near(figure(&trained, "sse"), 58.0 / 15);
        is_near(figure(&trained, "rmse"), 0.983192);
        cleave_data_free(data);
        end(&trained);
    }
}

/* Centered x is -1.5 … 1.5, their squares sum to 5, and with y to 3: w = 3 / (5 + ridge). */
static void ridge(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOLVERS; i++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_error error;
        cleave_data *data;
        Trained trained;

        check(cleave_open(context, "@line4", NULL, &data, &error), &error);
        trained = train(context, data, solvers[i], "ridge", "5");
        is_near(cleave_model_weight(trained.model, 0, 0), 0.3);
        is_near(-cleave_model_threshold(trained.model, 0), 2.5 - 0.3 * 2.5);
        is_near(figure(&trained, "sse"), 5 - 2 * 0.3 * 3 + 0.09 * 5);
        assert_string_equal(trained.report->objective,
                            "sum over examples of (y - w.x - b)^2 + 5 |w|^2");
        cleave_data_free(data);
        end(&trained);
    }
}

static void quadratic(void **state)
{
    static const float x[4][2] = {{1, 1}, {2, 4}, {3, 9}, {4, 16}};
    static const char *const y[4] = {"2", "1", "4", "3"};
    static const uint32_t columns[2] = {0, 1};

    (void)state;
    for (size_t i = 0; i < SOLVERS; i++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_error error;
        cleave_data *data;
        Trained trained;

        check(cleave_data_new(context, &data, &error), &error);
        for (size_t row = 0; row < 4; row++)
            check(cleave_data_add(data, y[row], 2, columns, x[row], &error), &error);
        trained = train(context, data, solvers[i], NULL, NULL);
        is_near(cleave_model_weight(trained.model, 0, 0), 3.0 / 5);
        is_near(cleave_model_weight(trained.model, 0, 1), 0);
        is_near(-cleave_model_threshold(trained.model, 0), 1);
        is_near(figure(&trained, "sse"), 3.2);
        cleave_data_free(data);
        end(&trained);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line),
        cmocka_unit_test(through_the_origin),
        cmocka_unit_test(ridge),
        cmocka_unit_test(quadratic),
    };

    return cmocka_run_group_tests_name("golden least-squares", tests, NULL, NULL);
}
