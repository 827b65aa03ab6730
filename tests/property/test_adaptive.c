/*
 * Learning rates per weight (learn/linear/adaptive.h) beside plain references in double precision,
 * written from the publications: Vowpal Wabbit's update (normalized, adaptive, invariant; Ross,
 * Mineiro and Langford 2013, Karampatziakis and Langford 2011) with sums in units of the features,
 * and FTRL-proximal (McMahan et al. 2013).
 */
#include "property/table.h"

#include "learn/linear/adaptive.h"
#include "support/support.h"

#include <math.h>

enum { COLUMNS = 9, INTERCEPT = COLUMNS };

/* Scales are stored in 8 bits beside the exponent, and powers of 2 are exact in them. */
static const float powers[] = {0.125f, 0.5f, 1, 2, 8};

typedef struct {
    double w[COLUMNS + 1], squares[COLUMNS + 1], scale[COLUMNS + 1], sums[COLUMNS + 1];
    double rows, norm;
} Reference;

/* The end of ds/dt = -loss'(y, s) at time h, in small steps (Heun's method). */
static double follow(Loss loss, double y, double s, double h)
{
    enum { STEPS = 20000 };

    for (int i = 0; i < STEPS; i++) {
        double dt = h / STEPS, first = loss_slope(loss, y, s),
               second = loss_slope(loss, y, s - dt * first);

        s -= dt * (first + second) / 2;
    }
    return s;
}

static const Loss losses[] = {{LOSS_HINGE, 0},    {LOSS_SQUARED_HINGE, 0},
                              {LOSS_LOGISTIC, 0}, {LOSS_EPSILON, 0.1},
                              {LOSS_SQUARED, 0},  {LOSS_SQUARED_EPSILON, 0.1}};
enum { LOSSES = sizeof losses / sizeof *losses };

static void flow_is_the_limit_of_small_steps(void **state)
{
    static const double scores[] = {-3, -0.5, 0, 0.9, 2}, times[] = {1e-6, 0.01, 0.7, 5};

    (void)state;
    for (size_t i = 0; i < LOSSES; i++)
        for (size_t j = 0; j < 5; j++)
            for (size_t k = 0; k < 4; k++)
                for (int y = -1; y <= 1; y += 2) {
                    double expected = follow(losses[i], y, scores[j], times[k]),
                           found = clv_adaptive_flow(losses[i], y, scores[j], times[k]);

                    if (fabs(found - expected) > 1e-3 * times[k])
                        print_error(
                            "loss %d, target %d, score %g, time %g: %.12g, expected %.12g\n",
                            (int)losses[i].kind, y, scores[j], times[k], found, expected);
                    assert_true(fabs(found - expected) <= 1e-3 * times[k]);
                }
    assert_true(isfinite(clv_adaptive_flow(losses[2], 1, -1e4, 1e6)));
    assert_true(clv_adaptive_flow(losses[2], 1, 1e4, 1) == 1e4);
}

/* One row of the update of Vowpal Wabbit, with x[INTERCEPT] = 1 or 0. */
static void learn_plainly(Reference *at, Loss loss, double rate, const double *x, double weight,
                          double y, double score)
{
    double slope = loss_slope(loss, y, score), p = 0, norm = 0, factor, step;

    if (slope == 0)
        return;
    for (int i = 0; i <= COLUMNS; i++) {
        double size = fabs(x[i]);

        if (size == 0)
            continue;
        at->squares[i] += weight * slope * slope * x[i] * x[i];
        if (size > at->scale[i]) {
            if (at->scale[i] > 0)
                at->w[i] *= at->scale[i] / size;
            at->scale[i] = size;
        }
        norm += x[i] * x[i] / (at->scale[i] * at->scale[i]);
        p += x[i] * x[i] / (sqrt(at->squares[i]) * at->scale[i]);
    }
    at->rows += weight;
    at->norm += weight * norm;
    factor = sqrt(at->rows / at->norm);
    step = (clv_adaptive_flow(loss, y, score, rate * weight * factor * p) - score) / p;
    for (int i = 0; i <= COLUMNS; i++)
        if (x[i] != 0)
            at->w[i] += step * x[i] / (sqrt(at->squares[i]) * at->scale[i]);
}

static void follow_leader_plainly(Reference *at, const AdaptiveRule *rule, const double *x,
                                  double slope)
{
    for (int i = 0; i <= COLUMNS; i++) {
        double g = slope * x[i], alpha = rule->learning_rate, sigma,
               l1 = i == INTERCEPT ? 0 : rule->l1, l2 = i == INTERCEPT ? 0 : rule->l2;

        sigma = (sqrt(at->squares[i] + g * g) - sqrt(at->squares[i])) / alpha;
        at->sums[i] += g - sigma * at->w[i];
        at->squares[i] += g * g;
        at->w[i] = fabs(at->sums[i]) <= l1 ? 0
                                           : -(at->sums[i] - copysign(l1, at->sums[i])) /
                                                 ((rule->beta + sqrt(at->squares[i])) / alpha + l2);
    }
}

/* Learns a row by the engine, and returns its score before the step. x has COLUMNS numbers. */
static double learn_row(Adaptive *adaptive, Linear *w, const double *x, bool dense, double weight,
                        double y)
{
    Builder builder;
    Block block;
    cleave_error error = {0};
    double score;

    clv_builder_init(&builder, w->context);
    clv_builder_clear(&builder);
    if (dense) {
        float values[COLUMNS];

        for (int i = 0; i < COLUMNS; i++)
            values[i] = (float)x[i];
        FINE(clv_builder_add_dense(&builder, values, COLUMNS, 0, &error));
    } else {
        clv_builder_begin_row(&builder);
        for (uint32_t i = 0; i < COLUMNS; i++)
            if (x[i] != 0)
                FINE(clv_builder_add(&builder, i, (float)x[i], &error));
        FINE(clv_builder_end_row(&builder, 0, &error));
    }
    FINE(clv_builder_finish(&builder, &block, &error));
    FINE(clv_linear_reserve(w, COLUMNS, &error));
    FINE(clv_adaptive_reserve(adaptive, w, &block, &error));
    linear_scores(w, &block, 0, &score);
    clv_adaptive_learn(adaptive, w, 1, &block, 0, weight, &y, &score);
    clv_builder_free(&builder);
    return score;
}

static void draw_row(Random *random, double *x)
{
    for (int i = 0; i < COLUMNS; i++)
        x[i] = clv_random_below(random, 3) == 0 ? 0
                                                : (clv_random_below(random, 2) ? 1 : -1) *
                                                      (double)powers[clv_random_below(random, 5)];
    x[INTERCEPT] = 1;
}

static double difference(const Reference *reference, const Linear *w)
{
    double most = fabs(reference->w[INTERCEPT] - w->intercept[0]);

    for (int i = 0; i < COLUMNS; i++)
        most = fmax(most, fabs(reference->w[i] - (double)w->w[i]));
    return most;
}

static void try_rule(const AdaptiveRule *rule, uint64_t seed)
{
    enum { ROWS = 300 };
    Context *context = new_context(1);
    Random random = clv_random(seed, rule->loss.kind);
    Reference reference = {0};
    Adaptive adaptive = {0};
    cleave_error error = {0};
    Linear w;

    FINE(clv_linear_init(&w, context, COLUMNS, 1, &error));
    FINE(clv_adaptive_begin(&adaptive, context, rule, 1, &error));
    for (int i = 0; i < ROWS; i++) {
        double x[COLUMNS + 1], y = clv_random_below(&random, 2) ? 1 : -1, score,
                               weight = 0.5 * (1 + clv_random_below(&random, 4));

        draw_row(&random, x);
        score = learn_row(&adaptive, &w, x, clv_random_below(&random, 2), weight, y);
        if (rule->proximal)
            follow_leader_plainly(&reference, rule, x, weight * loss_slope(rule->loss, y, score));
        else
            learn_plainly(&reference, rule->loss, rule->learning_rate, x, weight, y, score);
        assert_true(difference(&reference, &w) < 1e-3);
    }
    clv_adaptive_free(&adaptive);
    clv_linear_free(&w);
    cleave_context_free(context);
}

static void steps_are_those_of_the_formulas(void **state)
{
    uint64_t seed = test_seed("steps_are_those_of_the_formulas");

    (void)state;
    for (size_t i = 0; i < LOSSES; i++) {
        try_rule(&(AdaptiveRule){.loss = losses[i], .learn_intercept = true, .learning_rate = 0.5},
                 seed);
        try_rule(&(AdaptiveRule){.loss = losses[i],
                                 .proximal = true,
                                 .learn_intercept = true,
                                 .learning_rate = 0.3,
                                 .beta = 1,
                                 .l1 = 0.7,
                                 .l2 = 0.2},
                 seed);
    }
}

/* Scores of the same rows in other units, feature by feature, and of targets in other units. */
static void units_do_not_matter(void **state)
{
    enum { ROWS = 200 };
    static const LossKind kinds[] = {LOSS_HINGE, LOSS_SQUARED};
    uint64_t seed = test_seed("units_do_not_matter");

    (void)state;
    for (size_t kind = 0; kind < 2; kind++) {
        Context *context = new_context(1);
        Random random = clv_random(seed, kind);
        bool regression = kinds[kind] == LOSS_SQUARED;
        const AdaptiveRule rule = {.loss = {.kind = kinds[kind]},
                                   .learn_intercept = true,
                                   .regression = regression,
                                   .learning_rate = 0.5};
        Adaptive adaptive[2] = {{0}, {0}};
        Linear w[2];
        cleave_error error = {0};

        for (int i = 0; i < 2; i++) {
            FINE(clv_linear_init(&w[i], context, COLUMNS, 1, &error));
            FINE(clv_adaptive_begin(&adaptive[i], context, &rule, 1, &error));
        }
        for (int i = 0; i < ROWS; i++) {
            double x[COLUMNS + 1], other[COLUMNS + 1],
                y = regression ? clv_random_normal(&random)
                               : (clv_random_below(&random, 2) ? 1 : -1),
                unit = regression ? 1024 : 1, a, b;

            draw_row(&random, x);
            for (int column = 0; column < COLUMNS; column++)
                other[column] = ldexp(x[column], 20 * (column % 3 - 1));
            a = learn_row(&adaptive[0], &w[0], x, false, 1, y);
            b = learn_row(&adaptive[1], &w[1], other, false, 1, unit * y);
            assert_true(fabs(unit * a - b) <= 1e-4 * unit);
        }
        for (int i = 0; i < 2; i++) {
            clv_adaptive_free(&adaptive[i]);
            clv_linear_free(&w[i]);
        }
        cleave_context_free(context);
    }
}

/* Extreme values leave finite numbers. */
static void numbers_stay_finite(void **state)
{
    static const double sizes[] = {1e-44, 1e-30, 1, 1e20, 3e38};

    (void)state;
    for (int proximal = 0; proximal < 2; proximal++) {
        Context *context = new_context(1);
        const AdaptiveRule rule = {.loss = {.kind = LOSS_LOGISTIC},
                                   .proximal = proximal,
                                   .learn_intercept = true,
                                   .learning_rate = 0.5,
                                   .beta = 1};
        Adaptive adaptive = {0};
        cleave_error error = {0};
        Linear w;

        FINE(clv_linear_init(&w, context, COLUMNS, 1, &error));
        FINE(clv_adaptive_begin(&adaptive, context, &rule, 1, &error));
        for (int i = 0; i < 50; i++) {
            double x[COLUMNS + 1] = {sizes[i % 5], sizes[i / 5 % 5], -sizes[i % 3]};

            learn_row(&adaptive, &w, x, false, i % 7 ? 1 : 1e30, i % 2 ? 1 : -1);
            for (int column = 0; column < COLUMNS; column++)
                if (!isfinite(w.w[column]) || !isfinite(adaptive.squares[column])) {
                    print_error("row %d, column %d: w %g, squares %g\n", i, column,
                                (double)w.w[column], (double)adaptive.squares[column]);
                    fail();
                }
            assert_true(isfinite(w.intercept[0]));
        }
        clv_adaptive_free(&adaptive);
        clv_linear_free(&w);
        cleave_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_is_the_limit_of_small_steps),
        cmocka_unit_test(steps_are_those_of_the_formulas),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(numbers_stay_finite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
