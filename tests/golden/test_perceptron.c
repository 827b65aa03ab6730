/*
 * The perceptron (src/learn/linear/perceptron.c) against the values of the documents. Short traces
 * are written out and compared line by line. Long ones are compared line by line with an integer
 * perceptron in this file, and their ends with the values of the documents.
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

enum { MOST_FEATURES_HERE = 6, MOST_LINES = 800 };

/* One line of a trace. */
typedef struct {
    uint32_t round;
    uint64_t row; /* 0: the step of a batch form */
    bool ok;
    double score;
    double w[MOST_FEATURES_HERE];
    double threshold;
} Line;

typedef struct {
    Line line[MOST_LINES];
    size_t count, features;
    char names[16]; /* first letter of each row's name */
    bool learns_threshold;
} Trace;

/* Data of the exercises: at most six rows, labels "+1" and "-1". */
typedef struct {
    const char *builtin; /* used instead of the rows */
    size_t rows, features;
    int x[6][MOST_FEATURES_HERE];
    int y[6];
} Data;

static const Data spam6 = {
    .builtin = "@spam6",
    .rows = 6,
    .features = 5,
    .x = {{1, 1, 0, 1, 1},
          {0, 0, 1, 1, 0},
          {0, 1, 1, 0, 0},
          {1, 0, 0, 1, 0},
          {1, 0, 1, 0, 1},
          {1, 0, 1, 1, 0}},
    .y = {1, -1, 1, -1, 1, -1},
};
static const Data points5 = {
    .builtin = "@points5",
    .rows = 5,
    .features = 2,
    .x = {{1, 4}, {3, 3}, {3, 1}, {3, 6}, {5, 3}},
    .y = {-1, -1, -1, 1, 1},
};
/* Exercise 12.2.1: b also has "nigeria". */
static const Data nigeria = {
    .rows = 6,
    .features = 5,
    .x = {{1, 1, 0, 1, 1},
          {0, 0, 1, 1, 1},
          {0, 1, 1, 0, 0},
          {1, 0, 0, 1, 0},
          {1, 0, 1, 0, 1},
          {1, 0, 1, 1, 0}},
    .y = {1, -1, 1, -1, 1, -1},
};
static const Data exercise2 = {
    .rows = 4, .features = 2, .x = {{1, 2}, {2, 1}, {2, 3}, {3, 2}}, .y = {1, 1, -1, -1}};
static const Data exercise3 = {
    .rows = 4, .features = 2, .x = {{1, 2}, {2, 3}, {2, 1}, {3, 2}}, .y = {-1, 1, 1, -1}};
/* The slides: viagra, learning, the, dating, nigeria. */
static const Data mails = {.rows = 3,
                           .features = 5,
                           .x = {{1, 0, 1, 0, 0}, {0, 1, 1, 0, 0}, {0, 0, 0, 0, 1}},
                           .y = {1, -1, 1}};

/* ---- running --------------------------------------------------------------------------------- */

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s\n", error->message);
    assert_int_equal(code, CLEAVE_OK);
}

static void keep(void *user, const cleave_trace_event *event)
{
    Trace *trace = user;
    Line *line;

    if (event->epoch == 0) { /* the weights before the first example */
        for (size_t i = 0; i < event->features; i++)
            assert_true(event->weights[i] == 0);
        return;
    }
    line = &trace->line[trace->count++];
    assert_true(trace->count <= MOST_LINES);
    assert_true(event->features <= MOST_FEATURES_HERE);
    assert_int_equal(event->outputs, 1);
    *line = (Line){.round = event->epoch,
                   .row = event->example_row,
                   .ok = event->correct,
                   .threshold = event->thresholds[0]};
    line->score = event->scores ? event->scores[0] : 0;
    memcpy(line->w, event->weights, event->features * sizeof *line->w);
    trace->features = event->features;
    trace->learns_threshold = event->learns_threshold;
    if (event->example_name)
        trace->names[event->example_row - 1] = event->example_name[0];
}

static cleave_data *open_data(cleave_context *context, const Data *data)
{
    cleave_error error;
    cleave_data *opened;

    if (data->builtin) {
        check(cleave_open(context, data->builtin, NULL, &opened, &error), &error);
        return opened;
    }
    check(cleave_data_new(context, &opened, &error), &error);
    for (size_t row = 0; row < data->rows; row++) {
        uint32_t index[MOST_FEATURES_HERE];
        float value[MOST_FEATURES_HERE];

        for (uint32_t i = 0; i < data->features; i++) {
            index[i] = i;
            value[i] = (float)data->x[row][i];
        }
        check(cleave_data_add(opened, data->y[row] > 0 ? "+1" : "-1", data->features, index, value,
                              &error),
              &error);
    }
    return opened;
}

/* The result of a run. */
typedef struct {
    Trace trace;
    cleave_context *context;
    cleave_model *model;
    cleave_report *report;
} Ran;

/* options: name, value, name, value, …, NULL. */
static Ran *run(const Data *data, const char *const *options)
{
    Ran *ran = calloc(1, sizeof *ran);
    cleave_options *given;
    cleave_data *opened;
    cleave_error error;

    assert_non_null(ran);
    ran->context = cleave_context_new(NULL);
    given = cleave_options_new(ran->context);
    opened = open_data(ran->context, data);
    for (; *options; options += 2)
        check(cleave_options_set(given, options[0], options[1], &error), &error);
    check(cleave_trace(ran->context, "perceptron", opened, given, keep, &ran->trace, &ran->model,
                       &ran->report, &error),
          &error);
    assert_int_equal(ran->trace.features, data->features);
    cleave_options_free(given);
    cleave_data_free(opened);
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

static void assert_equal(double found, double expected)
{
    if (found != expected)
        print_error("found %.17g, expected %.17g\n", found, expected);
    assert_true(found == expected);
}

static void assert_lines(const Trace *trace, const Line *expected, size_t count)
{
    assert_int_equal(trace->count, count);
    for (size_t i = 0; i < count; i++) {
        const Line *found = &trace->line[i];

        assert_int_equal(found->round, expected[i].round);
        assert_int_equal(found->row, expected[i].row);
        assert_int_equal(found->ok, expected[i].ok);
        if (found->row)
            assert_equal(found->score, expected[i].score);
        assert_equal(found->threshold, expected[i].threshold);
        for (size_t j = 0; j < trace->features; j++)
            assert_equal(found->w[j], expected[i].w[j]);
    }
}

#define LINES(trace, ...)                                                                          \
    assert_lines((trace), (const Line[]){__VA_ARGS__},                                             \
                 sizeof((const Line[]){__VA_ARGS__}) / sizeof(Line))

static void assert_end(const Ran *ran, const double *w, double threshold, uint64_t mistakes,
                       uint32_t passes)
{
    for (size_t i = 0; i < ran->trace.features; i++)
        assert_equal(cleave_model_weight(ran->model, 0, i), w[i]);
    assert_equal(cleave_model_threshold(ran->model, 0), threshold);
    assert_int_equal(ran->report->mistakes, mistakes);
    assert_int_equal(ran->report->epochs, passes);
    assert_int_equal(ran->report->epoch_count, passes);
}

static void assert_converged(const Ran *ran)
{
    assert_true(ran->report->converged);
    assert_string_equal(ran->report->stopped_by, "converged");
    assert_int_equal(ran->report->last_epoch_mistakes, 0);
    assert_int_equal(ran->report->epoch_mistakes[ran->report->epochs - 1], 0);
}

/* The perceptron with integers: weights are multiples of the learning rate. */
typedef struct {
    long w[MOST_FEATURES_HERE], delta[MOST_FEATURES_HERE];
    long theta, theta_delta;
} Plain;

static void put_line(Trace *trace, const Plain *plain, size_t features, double rate, Line line)
{
    for (size_t i = 0; i < features; i++)
        line.w[i] = rate * (double)plain->w[i];
    line.threshold = rate * (double)plain->theta;
    trace->line[trace->count++] = line;
}

static void plain_example(Plain *plain, const Data *data, size_t row, bool learn_threshold,
                          bool batch, long *score, bool *ok)
{
    *score = learn_threshold ? -plain->theta : 0;
    for (size_t i = 0; i < data->features; i++)
        *score += plain->w[i] * data->x[row][i];
    *ok = data->y[row] * *score > 0;
    for (size_t i = 0; i < data->features && !*ok; i++)
        (batch ? plain->delta : plain->w)[i] += data->y[row] * data->x[row][i];
    if (!*ok && learn_threshold)
        *(batch ? &plain->theta_delta : &plain->theta) -= data->y[row];
}

static void plain_perceptron(const Data *data, double rate, bool learn_threshold, bool batch,
                             uint32_t rounds, Trace *trace)
{
    Plain plain = {0};

    *trace = (Trace){.features = data->features};
    for (uint32_t round = 1; round <= rounds; round++) {
        size_t mistakes = 0;

        for (size_t row = 0; row < data->rows; row++) {
            long score;
            bool ok;

            plain_example(&plain, data, row, learn_threshold, batch, &score, &ok);
            mistakes += !ok;
            put_line(
                trace, &plain, data->features, rate,
                (Line){.round = round, .row = row + 1, .ok = ok, .score = rate * (double)score});
        }
        if (mistakes == 0)
            return;
        for (size_t i = 0; i < data->features; i++)
            plain.w[i] += plain.delta[i];
        plain.theta += plain.theta_delta;
        memset(plain.delta, 0, sizeof plain.delta);
        plain.theta_delta = 0;
        if (batch)
            put_line(trace, &plain, data->features, rate, (Line){.round = round});
    }
}

static void assert_like_plain(const Ran *ran, const Data *data, double rate, bool learn_threshold,
                              bool batch)
{
    Trace *plain = calloc(1, sizeof *plain);

    assert_non_null(plain);
    plain_perceptron(data, rate, learn_threshold, batch, ran->report->epochs, plain);
    assert_lines(&ran->trace, plain->line, plain->count);
    assert_true(ran->trace.learns_threshold == learn_threshold);
    free(plain);
}

static double figure(const Ran *ran, const char *name)
{
    for (size_t i = 0; i < ran->report->statistic_count; i++)
        if (strcmp(ran->report->statistics[i].name, name) == 0)
            return ran->report->statistics[i].value;
    print_error("no figure '%s'\n", name);
    fail();
    return 0;
}

#define WEIGHTS(...) ((const double[]){__VA_ARGS__})
#define W(...) .w = {__VA_ARGS__}

/* ---- the documents --------------------------------------------------------------------------- */

static void spam6_threshold_zero(void **state)
{
    Ran *ran = run(&spam6, OPTIONS("learning_rate", "0.5"));

    (void)state;
    LINES(&ran->trace, {1, 1, false, 0, W(.5, .5, 0, .5, .5)},
          {1, 2, false, .5, W(.5, .5, -.5, 0, .5)}, {1, 3, false, 0, W(.5, 1, 0, 0, .5)},
          {1, 4, false, .5, W(0, 1, 0, -.5, .5)}, {1, 5, true, .5, W(0, 1, 0, -.5, .5)},
          {1, 6, true, -.5, W(0, 1, 0, -.5, .5)}, {2, 1, true, 1, W(0, 1, 0, -.5, .5)},
          {2, 2, true, -.5, W(0, 1, 0, -.5, .5)}, {2, 3, true, 1, W(0, 1, 0, -.5, .5)},
          {2, 4, true, -.5, W(0, 1, 0, -.5, .5)}, {2, 5, true, .5, W(0, 1, 0, -.5, .5)},
          {2, 6, true, -.5, W(0, 1, 0, -.5, .5)});
    assert_string_equal(ran->trace.names, "abcdef");
    assert_false(ran->trace.learns_threshold);
    assert_end(ran, WEIGHTS(0, 1, 0, -.5, .5), 0, 4, 2);
    assert_converged(ran);
    assert_int_equal(ran->report->epoch_mistakes[0], 4);
    assert_like_plain(ran, &spam6, 0.5, false, false);
    end(ran);
}

static void spam6_learned_threshold(void **state)
{
    Ran *ran = run(&spam6, OPTIONS("learning_rate", "1/2", "learn_threshold", "true"));

    (void)state;
    assert_end(ran, WEIGHTS(0, 1, 0, -.5, .5), 0, 4, 2);
    assert_converged(ran);
    assert_like_plain(ran, &spam6, 0.5, true, false);
    end(ran);
}

/* The increments of job 1 do not depend on the learning rate; job 2 is clean. */
static void spam6_map_reduce(void **state)
{
    Ran *ran = run(&spam6, OPTIONS("learning_rate", "0.5", "update", "sum"));

    (void)state;
    LINES(&ran->trace, {1, 1, false, 0, W(0)}, {1, 2, false, 0, W(0)}, {1, 3, false, 0, W(0)},
          {1, 4, false, 0, W(0)}, {1, 5, false, 0, W(0)}, {1, 6, false, 0, W(0)},
          {1, 0, false, 0, W(0, 1, 0, -1, 1)}, {2, 1, true, 1, W(0, 1, 0, -1, 1)},
          {2, 2, true, -1, W(0, 1, 0, -1, 1)}, {2, 3, true, 1, W(0, 1, 0, -1, 1)},
          {2, 4, true, -1, W(0, 1, 0, -1, 1)}, {2, 5, true, 1, W(0, 1, 0, -1, 1)},
          {2, 6, true, -1, W(0, 1, 0, -1, 1)});
    assert_end(ran, WEIGHTS(0, 1, 0, -1, 1), 0, 6, 2);
    assert_converged(ran);
    end(ran);
}

static void spam6_mistake_bound(void **state)
{
    Ran *ran = run(&spam6, OPTIONS("learning_rate", "0.5"));

    (void)state;
    assert_equal(figure(ran, "bound_radius2"), 4);
    assert_float_equal(figure(ran, "bound_gamma2"), 1.0 / 6, 1e-12);
    assert_float_equal(figure(ran, "mistake_bound"), 24, 1e-9);
    assert_true((double)ran->report->mistakes <= figure(ran, "mistake_bound"));
    assert_float_equal(figure(ran, "margin"), 0.5 / 1.224744871391589, 1e-12);
    assert_equal(figure(ran, "origin_distance"), 0);
    end(ran);
}

static void exercise_12_2_1(void **state)
{
    Ran *ran = run(&nigeria, OPTIONS("learning_rate", "0.5"));

    (void)state;
    assert_end(ran, WEIGHTS(0, 1, 0, -1, .5), 0, 6, 2);
    assert_converged(ran);
    assert_like_plain(ran, &nigeria, 0.5, false, false);
    end(ran);
    ran = run(&nigeria, OPTIONS("learning_rate", "0.5", "learn_threshold", "true"));
    assert_end(ran, WEIGHTS(0, 1, 0, -1, .5), 0, 6, 2);
    assert_converged(ran);
    assert_like_plain(ran, &nigeria, 0.5, true, false);
    end(ran);
}

static void exercise_12_2_2(void **state)
{
    Ran *ran = run(&exercise2, OPTIONS("learning_rate", "0.5", "learn_threshold", "true"));

    (void)state;
    assert_end(ran, WEIGHTS(-1, -1), -4, 36, 17);
    assert_converged(ran);
    assert_like_plain(ran, &exercise2, 0.5, true, false);
    /* R and gamma including the component of the threshold: R^2 = 9 + 4 + 1, gamma^2 = 1 / (1 + 1 +
     * 16). */
    assert_equal(figure(ran, "bound_radius2"), 14);
    assert_float_equal(figure(ran, "mistake_bound"), 14 * 18, 1e-9);
    assert_float_equal(figure(ran, "origin_distance"), 4 / 1.4142135623730951, 1e-12);
    end(ran);
    ran = run(&exercise2, OPTIONS("learning_rate", "0.5", "epochs", "100"));
    assert_false(ran->report->converged);
    assert_string_equal(ran->report->stopped_by, "epochs");
    assert_int_equal(ran->report->epochs, 100);
    assert_true(ran->report->last_epoch_mistakes > 0);
    assert_like_plain(ran, &exercise2, 0.5, false, false);
    end(ran);
}

static void exercise_12_2_3(void **state)
{
    static const double ends[][2] = {{-2, -1}, {-3, 0}, {-4, 1}, {-3, 3}};
    Ran *ran = run(&exercise3, OPTIONS("learning_rate", "1", "epochs", "50"));

    (void)state;
    for (size_t round = 0; round < 50; round++) {
        const Line *last = &ran->trace.line[round * 4 + 3];

        assert_int_equal(last->round, round + 1);
        assert_equal(last->w[0], ends[round < 3 ? round : 3][0]);
        assert_equal(last->w[1], ends[round < 3 ? round : 3][1]);
        if (round >= 4)
            assert_int_equal(ran->report->epoch_mistakes[round], 4);
    }
    assert_false(ran->report->converged);
    assert_int_equal(ran->report->least_epoch_mistakes, 4);
    assert_int_equal(ran->report->most_epoch_mistakes, 4);
    assert_like_plain(ran, &exercise3, 1, false, false);
    end(ran);
    ran = run(&exercise3, OPTIONS("learn_threshold", "true", "epochs", "150"));
    assert_false(ran->report->converged);
    end(ran);
}

static void points5_a_third(void **state)
{
    const double third = 1.0 / 3;
    Ran *ran = run(&points5, OPTIONS("learning_rate", "1/3", "learn_threshold", "true"));

    (void)state;
    assert_int_equal(ran->trace.line[0].row, 1); /* A */
    assert_float_equal(ran->trace.line[0].w[0], -1.0 / 3, 1e-15);
    assert_float_equal(ran->trace.line[0].w[1], -4.0 / 3, 1e-15);
    assert_float_equal(ran->trace.line[0].threshold, 1.0 / 3, 1e-15);
    assert_int_equal(ran->trace.line[3].row, 4); /* D */
    assert_float_equal(ran->trace.line[3].w[0], 2.0 / 3, 1e-15);
    assert_float_equal(ran->trace.line[3].w[1], 2.0 / 3, 1e-15);
    assert_equal(ran->trace.line[3].threshold, 0);
    assert_end(ran, WEIGHTS(third * 2, third * 1), third * 10, 40, 17);
    assert_converged(ran);
    assert_like_plain(ran, &points5, third, true, false);
    end(ran);
}

static void points5_map_reduce(void **state)
{
    const double third = 1.0 / 3;
    Ran *ran = run(&points5,
                   OPTIONS("learning_rate", "1/3", "learn_threshold", "true", "update", "sum"));

    (void)state;
    assert_end(ran, WEIGHTS(third * 2, third * 3), third * 18, 72, 29);
    assert_float_equal(cleave_model_threshold(ran->model, 0), 6, 1e-12);
    assert_converged(ran);
    assert_like_plain(ran, &points5, third, true, true);
    end(ran);
}

static void three_mails(void **state)
{
    Ran *ran = run(&mails, OPTIONS("learning_rate", "1"));

    (void)state;
    assert_end(ran, WEIGHTS(1, -1, 0, 0, 1), 0, 3, 2);
    assert_converged(ran);
    LINES(&ran->trace, {1, 1, false, 0, W(1, 0, 1, 0, 0)}, {1, 2, false, 1, W(1, -1, 0, 0, 0)},
          {1, 3, false, 0, W(1, -1, 0, 0, 1)}, {2, 1, true, 1, W(1, -1, 0, 0, 1)},
          {2, 2, true, -1, W(1, -1, 0, 0, 1)}, {2, 3, true, 1, W(1, -1, 0, 0, 1)});
    end(ran);
}

/* After round t the step is rate / (1 + c t): with c = 1, rounds of Exercise 12.2.3 move by 1,
 * 1/2, 1/3. */
static void decaying_rate(void **state)
{
    Ran *ran = run(&exercise3, OPTIONS("learning_rate_decay", "1", "epochs", "3"));
    double w[2] = {0, 0};

    (void)state;
    for (size_t i = 0; i < ran->trace.count; i++) {
        const Line *line = &ran->trace.line[i];
        size_t row = line->row - 1;

        if (!line->ok)
            for (size_t j = 0; j < 2; j++)
                w[j] = (double)(float)(w[j] + exercise3.y[row] * exercise3.x[row][j] /
                                                  (double)line->round);
        assert_float_equal(line->w[0], w[0], 1e-6);
        assert_float_equal(line->w[1], w[1], 1e-6);
    }
    end(ran);
}

/* The batch form that uses the mean of an epoch's mistakes instead of their sum. */
static void mean_of_the_mistakes(void **state)
{
    Ran *ran = run(&spam6, OPTIONS("update", "mean"));

    (void)state;
    assert_int_equal(ran->trace.line[6].row, 0);
    for (size_t i = 0; i < 5; i++) /* six mistakes: a sixth of the sums, 0 2 0 -2 2 */
        assert_float_equal(ran->trace.line[6].w[i], WEIGHTS(0, 2, 0, -2, 2)[i] / 6, 1e-7);
    assert_converged(ran);
    end(ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spam6_threshold_zero), cmocka_unit_test(spam6_learned_threshold),
        cmocka_unit_test(spam6_map_reduce),     cmocka_unit_test(spam6_mistake_bound),
        cmocka_unit_test(exercise_12_2_1),      cmocka_unit_test(exercise_12_2_2),
        cmocka_unit_test(exercise_12_2_3),      cmocka_unit_test(points5_a_third),
        cmocka_unit_test(points5_map_reduce),   cmocka_unit_test(three_mails),
        cmocka_unit_test(decaying_rate),        cmocka_unit_test(mean_of_the_mistakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
