/*
 * The descent solvers of svm (solver_gd.c, solver_pegasos.c, solver_sgd.c) against the values of
 * the documents, and against the optimum found by other methods.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cleave/expert.h>

#include <math.h>

/* The weights after each step of a complete iteration, and which rows were correct before it. */
typedef struct {
    double w[3]; /* u, v, b */
    char pattern[8];
} Iteration;

typedef struct {
    Iteration list[32];
    size_t count;
    char pattern[8];
    size_t seen;
} Iterations;

static void keep(void *user, const cleave_trace_event *event)
{
    Iterations *all = user;

    if (event->example_row) {
        all->pattern[all->seen++] = event->correct ? 'o' : 'x';
        return;
    }
    assert_true(all->count < sizeof all->list / sizeof *all->list);
    assert_int_equal(event->features, 2);
    if (all->count > 0) /* these values belong to the weights before the step */
        memcpy(all->list[all->count - 1].pattern, all->pattern, sizeof all->pattern);
    all->list[all->count++].w[0] = event->weights[0];
    all->list[all->count - 1].w[1] = event->weights[1];
    all->list[all->count - 1].w[2] = -event->thresholds[0];
    memset(all->pattern, 0, sizeof all->pattern);
    all->seen = 0;
}

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

/* Options as "name value name value …". */
static cleave_options *options_of(cleave_context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error;

    for (size_t i = 0; pairs[i]; i += 2)
        check(cleave_options_set(options, pairs[i], pairs[i + 1], &error), &error);
    return options;
}

static void trace(const char *const *pairs, Iterations *all)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = options_of(context, pairs);
    cleave_report *report;
    cleave_error error;
    cleave_data *data;

    *all = (Iterations){0};
    check(cleave_open(context, "@points6", NULL, &data, &error), &error);
    check(cleave_trace(context, "svm", data, options, keep, all, NULL, &report, &error), &error);
    cleave_report_free(report);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

static void assert_iterations(const Iterations *all, const Iteration *expected, size_t count,
                              double tolerance)
{
    assert_int_equal(all->count, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < 3; j++) {
            if (fabs(all->list[i].w[j] - expected[i].w[j]) > tolerance)
                print_error("line %zu, number %zu: %.9g instead of %.9g\n", i + 1, j + 1,
                            all->list[i].w[j], expected[i].w[j]);
            assert_true(fabs(all->list[i].w[j] - expected[i].w[j]) <= tolerance);
        }
        if (*expected[i].pattern)
            assert_string_equal(all->list[i].pattern, expected[i].pattern);
    }
}

/* Fig. 12.20 with its errata, and three lines more. */
static void figure_12_20(void **state)
{
    static const Iteration expected[] = {
        {{0, 1, -2}, "oxoooo"},
        {{0.04, 0.84, -1.58}, "oxoxxx"},
        {{-0.048, 0.652, -1.304}, "oxoxxx"},
        {{-0.1184, 0.5016, -1.0832}, "xxxxxx"},
        {{-0.09472, 0.54128, -0.86656}, "oxoxxx"},
        {{-0.155776, 0.413024, -0.733248}, "xxxxxx"},
        {{-0.1246, 0.4704, -0.5866}, "oxxxxx"},
        {{-0.1197, 0.4363, -0.4893}, "oxxxxx"},
        {{-0.1158, 0.4091, -0.4114}, ""},
    };
    static const char *const pairs[] = {
        "solver",         "gd", "C", "0.1", "learning_rate", "0.2", "initial_weights", "0,1,-2",
        "max_iterations", "8",  NULL};
    Iterations all;

    (void)state;
    trace(pairs, &all);
    assert_iterations(&all, expected, 9, 5.1e-5);
    all.count = 6;
    assert_iterations(&all, expected, 6, 2e-7);
}

/* The subgradient method with projection: A = S, λ 1, the intercept as a component. */
static void pegasos_on_all_rows(void **state)
{
    static const Iteration expected[] = {
        {{0, 0, 0}, "xxxxxx"},
        {{0, 1, 0}, ""},
        {{-0.5, 0.25, -0.25}, ""},
        {{-1.0 / 18, 2.0 / 3, -1.0 / 18}, ""},
        {{-7.0 / 24, 0.375, -1.0 / 6}, ""},
    };
    static const char *const pairs[] = {
        "solver", "pegasos", "lambda", "1", "batch_size", "all", "regularize_intercept",
        "true",   "epochs",  "4",      NULL};
    Iterations all;

    (void)state;
    trace(pairs, &all);
    assert_iterations(&all, expected, 5, 2e-7);
}

typedef struct {
    double u, v, b, f;
} Optimum;

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    print_error("no figure %s\n", name);
    fail();
    return NAN;
}

static Optimum train(const char *const *pairs)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = options_of(context, pairs);
    cleave_report *report;
    cleave_model *model;
    cleave_error error;
    cleave_data *data;
    Optimum found;

    check(cleave_open(context, "@points6", NULL, &data, &error), &error);
    check(cleave_train(context, "svm", data, NULL, options, &model, &report, &error), &error);
    found = (Optimum){cleave_model_weight(model, 0, 0), cleave_model_weight(model, 0, 1),
                      -cleave_model_threshold(model, 0), figure(report, "objective_value")};
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
    return found;
}

static void assert_near(Optimum found, Optimum expected, double tolerance)
{
    if (fabs(found.u - expected.u) + fabs(found.v - expected.v) + fabs(found.b - expected.b) >
        tolerance)
        print_error("(%g, %g), %g, f %g\n", found.u, found.v, found.b, found.f);
    assert_true(fabs(found.u - expected.u) <= tolerance);
    assert_true(fabs(found.v - expected.v) <= tolerance);
    assert_true(fabs(found.b - expected.b) <= tolerance);
    assert_true(found.f >= expected.f - 1e-6 && found.f <= expected.f + tolerance);
}

/* The limit of gd's iterations of the figure, with its own learning rate and a decreasing one. */
static void gd_has_its_limit(void **state)
{
    static const char *const own[] = {"solver", "gd",        "C",    "0.1", "max_iterations",
                                      "3000",   "tolerance", "1e-9", NULL};
    static const char *const decaying[] = {"solver",
                                           "gd",
                                           "C",
                                           "0.1",
                                           "learning_rate",
                                           "0.2",
                                           "initial_weights",
                                           "0,1,-2",
                                           "learning_rate_decay",
                                           "0.01",
                                           "max_iterations",
                                           "20000",
                                           "tolerance",
                                           "1e-15",
                                           NULL};

    (void)state;
    assert_near(train(own), (Optimum){-0.1, 0.3, -0.1, 0.445}, 1e-3);
    assert_near(train(decaying), (Optimum){-0.1, 0.3, -0.1, 0.445}, 1e-3);
}

/* Free intercept: (0, 2/3), −5/3, f 16/45; the stochastic solvers come close to it. */
static void descent_finds_the_free_offset(void **state)
{
    static const char *const averaged[] = {"solver", "asgd",      "C",     "0.1", "epochs",
                                           "200000", "tolerance", "1e-15", NULL};
    Optimum found;

    (void)state;
    found = train(averaged);
    if (!(found.f <= 16.0 / 45 + 2e-3))
        print_error("f %g\n", found.f);
    assert_true(found.f >= 16.0 / 45 - 1e-6 && found.f <= 16.0 / 45 + 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_12_20),
        cmocka_unit_test(pegasos_on_all_rows),
        cmocka_unit_test(gd_has_its_limit),
        cmocka_unit_test(descent_finds_the_free_offset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
