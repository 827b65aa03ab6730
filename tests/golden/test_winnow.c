/*
 * Winnow (src/learn/linear/winnow.c) and LMS (src/learn/linear/lms.c) against the values of the
 * documents: short traces line by line, long ones against a winnow with integer exponents in this
 * file, and by their ends.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cleave/expert.h>

enum { MOST_FEATURES_HERE = 6, MOST_LINES = 800 };

typedef struct {
    uint32_t round;
    uint64_t row;
    bool ok;
    double score;
    double w[MOST_FEATURES_HERE];
    double threshold;
} Line;

typedef struct {
    Line line[MOST_LINES];
    size_t count, features;
    double start[MOST_FEATURES_HERE], start_threshold;
    bool learns_threshold;
    cleave_context *context;
    cleave_model *model;
    cleave_report *report;
} Ran;

/* Exercise 12.2.1: b also has "nigeria". */
static const float nigeria[6][5] = {{1, 1, 0, 1, 1}, {0, 0, 1, 1, 1}, {0, 1, 1, 0, 0},
                                    {1, 0, 0, 1, 0}, {1, 0, 1, 0, 1}, {1, 0, 1, 1, 0}};

/* ---- running --------------------------------------------------------------------------------- */

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

static void keep(void *user, const cleave_trace_event *event)
{
    Ran *ran = user;
    Line *line;

    assert_int_equal(event->outputs, 1);
    assert_true(event->features <= MOST_FEATURES_HERE);
    if (event->epoch == 0) {
        memcpy(ran->start, event->weights, event->features * sizeof *ran->start);
        ran->start_threshold = event->thresholds[0];
        return;
    }
    assert_true(ran->count < MOST_LINES);
    line = &ran->line[ran->count++];
    *line = (Line){.round = event->epoch,
                   .row = event->example_row,
                   .ok = event->correct,
                   .score = event->scores[0],
                   .threshold = event->thresholds[0]};
    memcpy(line->w, event->weights, event->features * sizeof *line->w);
    ran->features = event->features;
    ran->learns_threshold = event->learns_threshold;
}

static cleave_data *open_nigeria(cleave_context *context)
{
    cleave_error error;
    cleave_data *data;

    check(cleave_data_new(context, &data, &error), &error);
    for (size_t row = 0; row < 6; row++)
        check(cleave_data_add(data, row % 2 ? "-1" : "+1", 5, (const uint32_t[]){0, 1, 2, 3, 4},
                              nigeria[row], &error),
              &error);
    return data;
}

/* name: a built-in set, or NULL for Exercise 12.2.1; options: name, value, name, value, …, NULL. */
static Ran *run(const char *method, const char *name, const char *const *options)
{
    Ran *ran = calloc(1, sizeof *ran);
    cleave_options *given;
    cleave_data *data;
    cleave_error error;

    assert_non_null(ran);
    ran->context = cleave_context_new(NULL);
    given = cleave_options_new(ran->context);
    if (name)
        check(cleave_open(ran->context, name, NULL, &data, &error), &error);
    else
        data = open_nigeria(ran->context);
    for (; *options; options += 2)
        check(cleave_options_set(given, options[0], options[1], &error), &error);
    check(cleave_trace(ran->context, method, data, given, keep, ran, &ran->model, &ran->report,
                       &error),
          &error);
    cleave_options_free(given);
    cleave_data_free(data);
    return ran;
}

static void end(Ran *ran)
{
    cleave_report_free(ran->report);
    cleave_model_free(ran->model);
    cleave_context_free(ran->context);
    free(ran);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- comparing ------------------------------------------------------------------------------- */

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        print_error("found %.17g, expected %.17g\n", found, expected);
    assert_true(fabs(found - expected) <= tolerance * fabs(expected));
}

static void assert_lines(const Ran *ran, const Line *expected, size_t count)
{
    assert_int_equal(ran->count, count);
    for (size_t i = 0; i < count; i++) {
        const Line *found = &ran->line[i];

        assert_int_equal(found->round, expected[i].round);
        assert_int_equal(found->row, expected[i].row);
        assert_int_equal(found->ok, expected[i].ok);
        assert_near(found->score, expected[i].score, 0);
        assert_near(found->threshold, expected[i].threshold, 0);
        for (size_t j = 0; j < ran->features; j++)
            assert_near(found->w[j], expected[i].w[j], 0);
    }
}

#define W(...)                                                                                     \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define LINES(ran, ...)                                                                            \
    assert_lines((ran), (const Line[]){__VA_ARGS__},                                               \
                 sizeof((const Line[]){__VA_ARGS__}) / sizeof(Line))

static void assert_end(const Ran *ran, const double *w, double threshold, uint64_t mistakes,
                       uint32_t passes, bool converged, double tolerance)
{
    for (size_t i = 0; i < ran->features; i++)
        assert_near(cleave_model_weight(ran->model, 0, i), w[i], tolerance);
    assert_near(cleave_model_threshold(ran->model, 0), threshold, tolerance);
    assert_int_equal(ran->report->mistakes, mistakes);
    assert_int_equal(ran->report->epochs, passes);
    assert_int_equal(ran->report->converged, converged);
    assert_string_equal(ran->report->stopped_by, converged ? "converged" : "epochs");
}

#define WEIGHTS(...) ((const double[]){__VA_ARGS__})

/* ---- winnow ---------------------------------------------------------------------------------- */

/* Figure 12.7, and the third epoch without mistakes. The default threshold is the number of
 * features. */
static void spam6_threshold_five(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        Ran *ran = run("winnow", "@spam6",
                       given ? OPTIONS("threshold", "5") : OPTIONS("threshold", "d"));

        for (size_t i = 0; i < 5; i++)
            assert_true(ran->start[i] == 1);
        assert_false(ran->learns_threshold);
        LINES(ran, {1, 1, false, 4, W(2, 2, 1, 2, 2), 5}, {1, 2, true, 3, W(2, 2, 1, 2, 2), 5},
              {1, 3, false, 3, W(2, 4, 2, 2, 2), 5}, {1, 4, true, 4, W(2, 4, 2, 2, 2), 5},
              {1, 5, true, 6, W(2, 4, 2, 2, 2), 5}, {1, 6, false, 6, W(1, 4, 1, 1, 2), 5},
              {2, 1, true, 8, W(1, 4, 1, 1, 2), 5}, {2, 2, true, 2, W(1, 4, 1, 1, 2), 5},
              {2, 3, false, 5, W(1, 8, 2, 1, 2), 5}, {2, 4, true, 2, W(1, 8, 2, 1, 2), 5},
              {2, 5, false, 5, W(2, 8, 4, 1, 4), 5}, {2, 6, false, 7, W(1, 8, 2, .5, 4), 5},
              {3, 1, true, 13.5, W(1, 8, 2, .5, 4), 5}, {3, 2, true, 2.5, W(1, 8, 2, .5, 4), 5},
              {3, 3, true, 10, W(1, 8, 2, .5, 4), 5}, {3, 4, true, 1.5, W(1, 8, 2, .5, 4), 5},
              {3, 5, true, 7, W(1, 8, 2, .5, 4), 5}, {3, 6, true, 3.5, W(1, 8, 2, .5, 4), 5});
        assert_end(ran, WEIGHTS(1, 8, 2, .5, 4), 5, 6, 3, true, 0);
        end(ran);
    }
}

/* Figure 12.9. */
static void spam6_learned_threshold(void **state)
{
    Ran *ran = run("winnow", "@spam6", OPTIONS("learn_threshold", "true"));

    (void)state;
    assert_true(ran->learns_threshold);
    assert_true(ran->start_threshold == 1);
    LINES(ran, {1, 1, true, 3, W(1, 1, 1, 1, 1), 1}, {1, 2, false, 1, W(1, 1, .5, .5, 1), 2},
          {1, 3, false, -.5, W(1, 2, 1, .5, 1), 1}, {1, 4, false, .5, W(.5, 2, 1, .25, 1), 2},
          {1, 5, true, .5, W(.5, 2, 1, .25, 1), 2}, {1, 6, true, -.25, W(.5, 2, 1, .25, 1), 2},
          {2, 1, true, 1.75, W(.5, 2, 1, .25, 1), 2}, {2, 2, true, -.75, W(.5, 2, 1, .25, 1), 2},
          {2, 3, true, 1, W(.5, 2, 1, .25, 1), 2}, {2, 4, true, -1.25, W(.5, 2, 1, .25, 1), 2},
          {2, 5, true, .5, W(.5, 2, 1, .25, 1), 2}, {2, 6, true, -.25, W(.5, 2, 1, .25, 1), 2});
    assert_end(ran, WEIGHTS(.5, 2, 1, .25, 1), 2, 3, 2, true, 0);
    end(ran);
}

static void films5(void **state)
{
    Ran *ran = run("winnow", "@films5", OPTIONS("threshold", "6"));

    (void)state;
    LINES(ran, {1, 1, false, 4, W(1, 2, 2, 2, 2, 1), 6}, {1, 2, false, 5, W(2, 4, 4, 2, 2, 1), 6},
          {1, 3, false, 8, W(2, 2, 4, 1, 1, 1), 6}, {1, 4, true, 2, W(2, 2, 4, 1, 1, 1), 6},
          {1, 5, true, 7, W(2, 2, 4, 1, 1, 1), 6}, {2, 1, true, 8, W(2, 2, 4, 1, 1, 1), 6},
          {2, 2, true, 8, W(2, 2, 4, 1, 1, 1), 6}, {2, 3, true, 4, W(2, 2, 4, 1, 1, 1), 6},
          {2, 4, true, 2, W(2, 2, 4, 1, 1, 1), 6}, {2, 5, true, 7, W(2, 2, 4, 1, 1, 1), 6});
    assert_end(ran, WEIGHTS(2, 2, 4, 1, 1, 1), 6, 3, 2, true, 0);
    end(ran);
}

static void exercise_12_2_1_b(void **state)
{
    Ran *ran = run("winnow", NULL, OPTIONS("threshold", "5"));

    (void)state;
    assert_end(ran, WEIGHTS(2, 8, 2, .5, 2), 5, 6, 3, true, 0);
    end(ran);
}

/* The same run with weights as powers of 2, because the last of them exceed a float32. */
static void assert_like_exponents(const Ran *ran)
{
    int w[5] = {0}, theta = 0;

    for (size_t i = 0; i < ran->count; i++) {
        const Line *line = &ran->line[i];
        const float *x = nigeria[line->row - 1];
        int y = line->row % 2 ? 1 : -1;
        double score = -ldexp(1, theta);

        for (size_t j = 0; j < 5; j++)
            score += x[j] != 0 ? ldexp(1, w[j]) : 0;
        assert_int_equal(line->ok, y * score > 0);
        for (size_t j = 0; j < 5; j++) {
            w[j] += !line->ok && x[j] != 0 ? y : 0;
            assert_near(line->w[j], ldexp(1, w[j]), 0);
        }
        theta -= line->ok ? 0 : y;
        assert_near(line->threshold, ldexp(1, theta), 0);
    }
}

static void exercise_12_2_1_d(void **state)
{
    Ran *ran = run("winnow", NULL, OPTIONS("learn_threshold", "true"));

    (void)state;
    assert_end(ran,
               WEIGHTS(ldexp(1, 24), ldexp(1, 26), ldexp(1, -24), ldexp(1, -151), ldexp(1, 25)),
               ldexp(1, 25), 277, 100, false, 0);
    assert_int_equal(ran->report->last_epoch_mistakes, 2);
    assert_like_exponents(ran);
    end(ran);
    ran = run("winnow", NULL, OPTIONS("learn_threshold", "true", "factor", "2/3"));
    assert_end(ran, WEIGHTS(8.0 / 27, 27.0 / 8, 2.0 / 3, 256.0 / 6561, 3.0 / 2), 9.0 / 4, 14, 6,
               true, 1e-14);
    end(ran);
    ran = run("winnow", NULL,
              OPTIONS("learn_threshold", "true", "promotion", "3/2", "demotion", "2/3"));
    assert_end(ran, WEIGHTS(8.0 / 27, 27.0 / 8, 2.0 / 3, 256.0 / 6561, 3.0 / 2), 9.0 / 4, 14, 6,
               true, 1e-14);
    end(ran);
    ran = run("winnow", NULL,
              OPTIONS("learn_threshold", "true", "promotion", "5/4", "demotion", "4/5"));
    assert_end(ran, WEIGHTS(256.0 / 625, 25.0 / 16, 16.0 / 25, 4096.0 / 15625, 1), 125.0 / 64, 9, 5,
               true, 1e-14);
    end(ran);
}

/* Weights are differences of two numbers that start at 1. The first scores are therefore -theta,
 * and a mistake in the positive class makes the weights of its features 2 - 1/2. */
static void balanced(void **state)
{
    Ran *ran = run("winnow", NULL, OPTIONS("balanced", "true", "threshold", "1"));

    (void)state;
    for (size_t i = 0; i < 5; i++)
        assert_true(ran->start[i] == 0);
    assert_near(ran->line[0].score, 0, 0);
    assert_false(ran->line[0].ok);
    for (size_t i = 0; i < 5; i++)
        assert_near(ran->line[0].w[i], nigeria[0][i] != 0 ? 1.5 : 0, 0);
    assert_true(ran->report->converged);
    assert_true(cleave_model_weight(ran->model, 0, 3) < 0);
    end(ran);
}

/* A row of weight c is visited c times: with class weights of 2 a mistake multiplies by 4 and by
 * 1/4. */
static void class_weights(void **state)
{
    Ran *ran = run("winnow", "@spam6", OPTIONS("threshold", "5", "class_weight", "1=2,-1=0.5"));

    (void)state;
    assert_near(ran->line[0].w[0], 4, 1e-15); /* a, +1 */
    for (size_t i = 1; i < ran->count; i++)
        if (!ran->line[i].ok && ran->line[i].row % 2 == 0) {
            assert_near(ran->line[i].w[3] / ran->line[i - 1].w[3], sqrt(0.5),
                        1e-12); /* all negatives have "of" */
            end(ran);
            return;
        }
    fail_msg("no negative row was wrong");
}

static void assert_refused(cleave_context *context, cleave_data *data, const char *const *options,
                           cleave_code code, const char *says)
{
    cleave_options *given = cleave_options_new(context);
    cleave_model *model = NULL;
    cleave_error error = {0};

    for (; *options; options += 2)
        check(cleave_options_set(given, options[0], options[1], &error), &error);
    assert_int_equal(cleave_train(context, "winnow", data, NULL, given, &model, NULL, &error),
                     code);
    if (!strstr(error.message, says))
        print_error("expected '%s' in '%s'\n", says, error.message);
    assert_non_null(strstr(error.message, says));
    assert_true(strlen(error.hint) > 0 || code == CLEAVE_ERROR_USAGE);
    assert_null(model);
    cleave_options_free(given);
}

static void what_winnow_refuses(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_data *data, *points, *stream = open_nigeria(context);
    cleave_error error;

    (void)state;
    data = open_nigeria(context);
    check(cleave_open(context, "@points5", NULL, &points, &error), &error);
    assert_refused(context, points, OPTIONS("seed", "1"), CLEAVE_ERROR_DATA,
                   "row 1: feature 'x2' has the value 4");
    assert_refused(context, data, OPTIONS("balanced", "true"), CLEAVE_ERROR_USAGE,
                   "--balanced requires a threshold");
    assert_refused(context, data, OPTIONS("factor", "1"), CLEAVE_ERROR_USAGE, "--promotion");
    assert_refused(context, data, OPTIONS("promotion", "1/2"), CLEAVE_ERROR_USAGE, "--promotion");
    assert_refused(context, data, OPTIONS("threshold", "0"), CLEAVE_ERROR_USAGE, "above 0");
    assert_refused(context, data, OPTIONS("threshold", "five"), CLEAVE_ERROR_USAGE, "'five'");
    assert_refused(context, data, OPTIONS("threshold", "inf"), CLEAVE_ERROR_USAGE, "'inf'");
    assert_refused(context, stream, OPTIONS("stream", "true"), CLEAVE_ERROR_USAGE, "in a stream");
    assert_refused(context, data, OPTIONS("learn_threshold", "true", "epochs", "10000"),
                   CLEAVE_ERROR_DATA, "overflow a double");
    cleave_data_free(data);
    cleave_data_free(points);
    cleave_data_free(stream);
    cleave_context_free(context);
}

/* ---- lms ------------------------------------------------------------------------------------- */

/* One epoch from 0: the weight of x, and the weight of a feature that is always 1, which is the
 * intercept. */
static void line4(void **state)
{
    static const double w[] = {.2, .28, 1.156, .2936}, b[] = {.2, .24, .532, .3164};
    static const double score[] = {0, .6, 1.08, 5.156};
    Ran *ran = run("lms", "@line4", OPTIONS("learning_rate", "0.1", "epochs", "1"));

    (void)state;
    assert_int_equal(ran->count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_near(ran->line[i].score, score[i], 1e-6);
        assert_near(ran->line[i].w[0], w[i], 1e-6);
        assert_near(-ran->line[i].threshold, b[i], 1e-6);
    }
    assert_near(cleave_model_weight(ran->model, 0, 0), .2936, 1e-6);
    assert_near(cleave_model_threshold(ran->model, 0), -.3164, 1e-6);
    assert_int_equal(cleave_model_task(ran->model), CLEAVE_TASK_REGRESSION);
    assert_int_equal(cleave_model_label_count(ran->model), 0);
    end(ran);
}

/* Through the origin, a decaying rate converges to the least-squares line 14/15 x, and with an
 * intercept to 3/5 x + 1. */
static void towards_least_squares(void **state)
{
    Ran *ran = run("lms", "@line4",
                   OPTIONS("learning_rate", "0.05", "learning_rate_decay", "0.1", "no_intercept",
                           "true", "epochs", "190", "tolerance", "0"));

    (void)state;
    assert_near(cleave_model_weight(ran->model, 0, 0), 14.0 / 15, 2e-2);
    assert_true(cleave_model_threshold(ran->model, 0) == 0);
    assert_false(ran->learns_threshold);
    end(ran);
}

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return NAN;
}

static cleave_code train_line4(cleave_context *context, const char *const *options,
                               cleave_model **model, cleave_report **report, cleave_error *error)
{
    cleave_options *given = cleave_options_new(context);
    cleave_data *data;
    cleave_code code;

    check(cleave_open(context, "@line4", NULL, &data, error), error);
    for (; *options; options += 2)
        check(cleave_options_set(given, options[0], options[1], error), error);
    code = cleave_train(context, "lms", data, NULL, given, model, report, error);
    cleave_options_free(given);
    cleave_data_free(data);
    return code;
}

static void ends_of_lms(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_model *model = NULL;
    cleave_report *report = NULL;
    cleave_error error;

    (void)state;
    check(train_line4(context,
                      OPTIONS("learning_rate", "0.002", "epochs", "20000", "tolerance", "1e-7"),
                      &model, &report, &error),
          &error);
    assert_false(report->converged); /* convergence is not proven */
    assert_string_equal(report->stopped_by, "plateau");
    assert_near(cleave_model_weight(model, 0, 0), 3.0 / 5, 2e-2);
    assert_near(cleave_model_threshold(model, 0), -1, 2e-2);
    assert_near(figure(report, "train_sse"), 3.2, 1e-3);
    cleave_model_free(model);
    cleave_report_free(report);
    /* Too high a learning rate is detected, and the error suggests a remedy. */
    assert_int_equal(train_line4(context, OPTIONS("learning_rate", "0.5"), &model, NULL, &error),
                     CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "diverged"));
    assert_non_null(strstr(error.hint, "--normalize"));
    assert_null(model);
    check(train_line4(context, OPTIONS("learning_rate", "0.5", "epochs", "3"), &model, &report,
                      &error),
          &error);
    assert_false(report->converged);
    assert_non_null(strstr(report->summary, "increasing"));
    cleave_model_free(model);
    cleave_report_free(report);
    check(train_line4(context, OPTIONS("learning_rate", "0.5", "normalize", "true"), &model,
                      &report, &error),
          &error);
    assert_string_equal(report->stopped_by, "plateau");
    cleave_model_free(model);
    cleave_report_free(report);
    /* Calibration does not keep a rate with which the weights diverge. */
    check(train_line4(context, OPTIONS("learning_rate", "0.5", "calibrate_every", "4"), &model,
                      &report, &error),
          &error);
    assert_true(figure(report, "train_sse") < 10);
    cleave_model_free(model);
    cleave_report_free(report);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spam6_threshold_five),
        cmocka_unit_test(spam6_learned_threshold),
        cmocka_unit_test(films5),
        cmocka_unit_test(exercise_12_2_1_b),
        cmocka_unit_test(exercise_12_2_1_d),
        cmocka_unit_test(balanced),
        cmocka_unit_test(class_weights),
        cmocka_unit_test(what_winnow_refuses),
        cmocka_unit_test(line4),
        cmocka_unit_test(towards_least_squares),
        cmocka_unit_test(ends_of_lms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
