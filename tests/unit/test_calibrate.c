/*
 * The calibrated learning rate against a literal implementation of the rule of the slides: select a
 * small random subsample, try several rates, choose the one with the lowest loss on it, use it for
 * the next examples, and repeat. The data is sparse and wide, where a subsample can be overfitted,
 * or narrow and dense.
 */
#include "support/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ROWS = 6000,
    ENTRIES = 20,
    EPOCHS = 10,
    EVERY = 10000,
    SUBSAMPLE = 1000,
    MOST_FEATURES = 4000
};

typedef struct {
    uint32_t features;
    double lambda;
    uint32_t column[ROWS][ENTRIES];
    double value[ROWS][ENTRIES], y[ROWS];
} Problem;

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* Labels by a hidden vector, one in ten inverted. Columns of a row increase. */
static void make_problem(Problem *problem, uint32_t features, double lambda)
{
    static double hidden[MOST_FEATURES];

    problem->features = features;
    problem->lambda = lambda;
    state = 1;
    for (uint32_t i = 0; i < features; i++)
        hidden[i] = 2 * uniform() - 1;
    for (int row = 0; row < ROWS; row++) {
        double score = 0;

        for (uint32_t i = 0; i < ENTRIES; i++) {
            uint32_t width = features / ENTRIES;
            double size = 0.4 * uniform();

            problem->column[row][i] = i * width + (uint32_t)(uniform() * width);
            problem->value[row][i] = floor(size * 1e6) / 1e6;
            score += hidden[problem->column[row][i]] * problem->value[row][i];
        }
        problem->y[row] = (score > 0) != (uniform() < 0.1) ? 1 : -1;
    }
}

/* ---- the rule, literally */

typedef struct {
    double w[MOST_FEATURES], b;
} Weights;

static double score_of(const Problem *problem, const Weights *weights, int row)
{
    double score = weights->b;

    for (int i = 0; i < ENTRIES; i++)
        score += weights->w[problem->column[row][i]] * problem->value[row][i];
    return score;
}

static double cost_of(const Problem *problem, const Weights *weights, const int *rows, int count)
{
    double squares = 0, loss = 0;

    for (uint32_t i = 0; i < problem->features; i++)
        squares += weights->w[i] * weights->w[i];
    for (int i = 0; i < count; i++)
        loss += fmax(0, 1 - problem->y[rows[i]] * score_of(problem, weights, rows[i]));
    return problem->lambda / 2 * squares + loss / count;
}

static void learn(const Problem *problem, Weights *weights, double rate, int row)
{
    bool inside = problem->y[row] * score_of(problem, weights, row) < 1;

    for (uint32_t i = 0; i < problem->features; i++)
        weights->w[i] *= 1 - rate * problem->lambda;
    for (int i = 0; inside && i < ENTRIES; i++)
        weights->w[problem->column[row][i]] += rate * problem->y[row] * problem->value[row][i];
    weights->b += inside ? rate * problem->y[row] : 0;
}

static double literal_rule(const Problem *problem)
{
    static const double rates[] = {10, 1, 0.1, 0.01, 0.001, 0.0001};
    static Weights weights, trial;
    static int all[ROWS];
    double rate = 0;

    memset(&weights, 0, sizeof weights);
    for (int i = 0; i < ROWS; i++)
        all[i] = i;
    for (int seen = 0; seen < EPOCHS * ROWS; seen++) {
        if (seen % EVERY == 0) {
            double least = INFINITY;
            int sample[SUBSAMPLE];

            for (int i = 0; i < SUBSAMPLE; i++)
                sample[i] = (int)(uniform() * ROWS);
            for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
                double cost;

                trial = weights;
                for (int i = 0; i < SUBSAMPLE; i++)
                    learn(problem, &trial, rates[k], sample[i]);
                cost = cost_of(problem, &trial, sample, SUBSAMPLE);
                if (cost < least) {
                    least = cost;
                    rate = rates[k];
                }
            }
        }
        learn(problem, &weights, rate, seen % ROWS);
    }
    return cost_of(problem, &weights, all, ROWS);
}

/* ---- ours */

static cleave_context *context;
static cleave_error error;

static void check(cleave_code code)
{
    if (code != CLEAVE_OK)
        fail_msg("%s", error.message);
}

static cleave_data *data_of(const Problem *problem, const char *path)
{
    FILE *file = fopen(path, "w");
    cleave_data *data;

    assert_non_null(file);
    for (int row = 0; row < ROWS; row++) {
        fprintf(file, "%d", (int)problem->y[row]);
        for (int i = 0; i < ENTRIES; i++)
            fprintf(file, " %u:%.6f", problem->column[row][i] + 1, problem->value[row][i]);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
    check(cleave_open(context, path, NULL, &data, &error));
    return data;
}

/* Every calibration tries several rates and keeps the one with the lowest objective. */
static void check_rates(const cleave_report *report)
{
    size_t kept = 0, calibrations = 0;

    assert_true(report->rate_count > 0);
    for (size_t i = 0; i < report->rate_count; i++) {
        const cleave_rate_trial *tried = &report->rates[i];

        calibrations += i == 0 || tried->seen != tried[-1].seen;
        kept += tried->kept;
        for (size_t j = 0; tried->kept && j < report->rate_count; j++)
            assert_true(report->rates[j].seen != tried->seen ||
                        report->rates[j].objective >= tried->objective);
    }
    assert_int_equal(kept, calibrations);
    assert_int_equal(calibrations, EPOCHS * ROWS / EVERY);
}

static double calibrated(const Problem *problem)
{
    static const char *const pairs[][2] = {{"solver", "sgd"},
                                           {"schedule", "calibrated"},
                                           {"calibrate_every", "10000"},
                                           {"epochs", "10"},
                                           {"order", "file"}};
    cleave_options *options = cleave_options_new(context);
    char path[TEST_PATH_SIZE], folder[TEST_PATH_SIZE], lambda[32];
    cleave_report *report;
    cleave_model *model;
    cleave_data *data;
    double primal = NAN;

    test_folder_new(folder);
    data = data_of(problem, test_join(path, folder, "rows.libsvm"));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check(cleave_options_set(options, pairs[i][0], pairs[i][1], &error));
    snprintf(lambda, sizeof lambda, "%g", problem->lambda);
    check(cleave_options_set(options, "lambda", lambda, &error));
    check(cleave_train(context, "svm", data, NULL, options, &model, &report, &error));
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, "primal") == 0)
            primal = report->statistics[i].value;
    check_rates(report);
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    test_folder_remove(folder);
    return primal;
}

static void as_good_as_the_literal_rule(void **unused)
{
    static const struct {
        uint32_t features;
        double lambda;
    } cases[] = {{4000, 1e-3}, {4000, 1e-4}, {40, 1e-3}, {40, 1e-4}};
    static Problem problem;

    (void)unused;
    context = cleave_context_new(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ours, literal;

        make_problem(&problem, cases[i].features, cases[i].lambda);
        ours = calibrated(&problem);
        literal = literal_rule(&problem);
        print_message("%u features, lambda %g: primal %.5f, by the literal rule %.5f\n",
                      cases[i].features, cases[i].lambda, ours, literal);
        assert_true(ours <= 1.01 * literal);
    }
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_good_as_the_literal_rule)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
