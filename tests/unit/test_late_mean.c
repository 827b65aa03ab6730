/*
 * The mean of the weights of stochastic steps (src/learn/linear/late_mean.c) against one computed
 * weight by weight in double: through steps that change few weights, shrinking, outputs that are
 * multiplied by separate factors, flushes, forgetting, storing a model, and epochs of two workers.
 */
#include "base/random.h"
#include "learn/linear/late_mean.h"
#include "model/registry.h"
#include "property/table.h"
#include "support/support.h"

#include <math.h>

enum {
    FEATURES = 30,
    OUTPUTS = 3,
    COUNT = FEATURES * OUTPUTS,
    UNTOUCHED = 20 /* the first feature that no step changes */
};

/* A solver that makes random steps. */
typedef struct {
    Context *context;
    cleave_error error;
    Linear w;
    double scale, factor[OUTPUTS];
    LateMean mean;
    double by_hand[COUNT], by_hand_intercept[OUTPUTS]; /* the mean */
    double steps;
} Hopper;

static void open_hopper(Hopper *hopper, Context *context)
{
    *hopper = (Hopper){.context = context, .scale = 1, .factor = {1, 1, 1}};
    assert_fine(clv_linear_init(&hopper->w, context, FEATURES, OUTPUTS, &hopper->error),
                &hopper->error);
    assert_fine(clv_late_mean_init(&hopper->mean, &hopper->w, &hopper->error), &hopper->error);
}

static void close_hopper(Hopper *hopper)
{
    clv_late_mean_free(&hopper->mean);
    clv_linear_free(&hopper->w);
}

static void set_weight(Hopper *hopper, size_t at, double value)
{
    float before = hopper->w.w[at];

    hopper->w.w[at] = (float)value;
    hopper->mean.sum[at] += (float)(late_mean_share(&hopper->mean) *
                                    ((double)hopper->w.w[at] - (double)before));
}

static void flush(Hopper *hopper)
{
    clv_late_mean_flush(&hopper->mean, &hopper->w);
    for (size_t i = 0; i < COUNT; i++)
        hopper->w.w[i] = (float)((double)hopper->w.w[i] * hopper->scale);
    for (size_t i = 0; i < OUTPUTS; i++)
        hopper->factor[i] *= hopper->scale;
    hopper->scale = 1;
}

static void average_by_hand(Hopper *hopper, double kept)
{
    double share = hopper->steps == 0 ? 1 : fmax(4 / (hopper->steps + 4), 1 - kept);

    for (size_t i = 0; i < COUNT; i++)
        hopper->by_hand[i] += share * (hopper->scale * (double)hopper->w.w[i] - hopper->by_hand[i]);
    for (size_t i = 0; i < OUTPUTS; i++)
        hopper->by_hand_intercept[i] += share *
                                        (hopper->w.intercept[i] - hopper->by_hand_intercept[i]);
    hopper->steps++;
}

/* One step. With keep below 1, two rows, each of which forgets. */
static void hop(Hopper *hopper, Random *random, double kept, uint32_t features)
{
    size_t output = clv_random_below(random, OUTPUTS);

    for (int i = 0; i < 2 && kept < 1; i++)
        clv_late_mean_forget(&hopper->mean, kept);
    hopper->scale *= 0.99;
    for (int i = 0; i < 4; i++) {
        size_t at = clv_random_below(random, features) * OUTPUTS +
                    clv_random_below(random, OUTPUTS);

        set_weight(hopper, at,
                   (double)hopper->w.w[at] + (clv_random_unit(random) - 0.5) / hopper->scale);
    }
    if (clv_random_below(random, 10) == 0) { /* projects onto a ball, like pegasos */
        hopper->factor[output] *= 0.75;
        for (size_t i = output; i < COUNT; i += OUTPUTS)
            set_weight(hopper, i, 0.75 * (double)hopper->w.w[i]);
    }
    hopper->w.intercept[output] += clv_random_unit(random) - 0.5;
    clv_late_mean_step(&hopper->mean, (LocalWeights){&hopper->w, hopper->scale, hopper->factor});
    average_by_hand(hopper, kept * kept);
    if (late_mean_needs_flush(&hopper->mean, hopper->scale))
        flush(hopper);
}

static void assert_mean(const Hopper *hopper, const double *expected,
                        const double *expected_intercept)
{
    Linear result;
    cleave_error error;

    FINE(clv_linear_init(&result, hopper->context, FEATURES, OUTPUTS, &error));
    assert_true(clv_late_mean_get(&hopper->mean, &hopper->w, &result));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(fabs((double)result.w[i] - expected[i]) <= 2e-5);
    for (size_t i = 0; i < OUTPUTS; i++)
        assert_true(fabs(result.intercept[i] - expected_intercept[i]) <= 1e-12);
    clv_linear_free(&result);
}

static void keeps_the_mean(void **state)
{
    static const double kept[] = {1, 0.999, 0.7};
    Context *context = new_context(1);

    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        Random random = clv_random(3, i);
        Hopper hopper;
        Linear none;

        open_hopper(&hopper, context);
        assert_false(clv_late_mean_get(&hopper.mean, &hopper.w, &none));
        for (int step = 0; step < 3000; step++) {
            hop(&hopper, &random, kept[i], FEATURES);
            if (step % 100 == 0)
                assert_mean(&hopper, hopper.by_hand, hopper.by_hand_intercept);
        }
        assert_mean(&hopper, hopper.by_hand, hopper.by_hand_intercept);
        close_hopper(&hopper);
    }
    cleave_context_free(context);
}

static Model *model_of(Hopper *hopper)
{
    const Method *svm;
    cleave_error error;
    Linear result;
    Model *model;

    FINE(clv_method_find("svm", &svm, &error));
    FINE(clv_model_new(hopper->context, svm, &model, &error));
    model->features = FEATURES;
    FINE(clv_linear_init(&result, hopper->context, FEATURES, OUTPUTS, &error));
    if (clv_late_mean_get(&hopper->mean, &hopper->w, &result))
        FINE(clv_linear_to_model(&result, 1, 1, model, &error));
    clv_linear_free(&result);
    FINE(clv_late_mean_save(&hopper->mean, &hopper->w, hopper->scale, model, &error));
    return model;
}

/* Resumes like a solver: the intercepts of the model are those of the mean. */
static void resume(Hopper *hopper, const Hopper *from, const Model *model)
{
    cleave_error error;

    memcpy(hopper->w.intercept, from->mean.intercept, sizeof hopper->factor);
    FINE(clv_late_mean_resume(&hopper->mean, &hopper->w, &hopper->scale, model, &error));
    memcpy(hopper->by_hand, from->by_hand, sizeof hopper->by_hand);
    memcpy(hopper->by_hand_intercept, from->by_hand_intercept, sizeof hopper->by_hand_intercept);
    hopper->steps = from->steps;
}

static void goes_on(void **state)
{
    Context *context = new_context(1);
    Random random = clv_random(4, 0), again;
    Hopper whole, rest;
    Model *model;

    (void)state;
    open_hopper(&whole, context);
    open_hopper(&rest, context);
    for (int step = 0; step < 200; step++)
        hop(&whole, &random, 1, FEATURES);
    clv_late_mean_forget(&whole.mean, 0.5); /* between two rows of one batch */
    model = model_of(&whole);
    resume(&rest, &whole, model);
    again = random;
    for (int step = 0; step < 50; step++) {
        hop(&whole, &random, 0.9, FEATURES);
        hop(&rest, &again, 0.9, FEATURES);
    }
    assert_memory_equal(whole.w.w, rest.w.w, COUNT * sizeof *whole.w.w);
    assert_memory_equal(whole.mean.sum, rest.mean.sum, COUNT * sizeof *whole.mean.sum);
    assert_memory_equal(whole.mean.intercept, rest.mean.intercept,
                        OUTPUTS * sizeof *whole.mean.intercept);
    assert_true(whole.mean.alpha == rest.mean.alpha && whole.mean.beta == rest.mean.beta);
    assert_true(whole.mean.steps == rest.mean.steps && whole.mean.kept == rest.mean.kept);
    cleave_model_free(model);
    close_hopper(&whole);
    close_hopper(&rest);
    cleave_context_free(context);
}

static void damage_is_refused(void **state)
{
    static const double wrong[][2] = {{0, 0},        {0, -1}, {1, 0}, {1, NAN},
                                      {2, INFINITY}, {3, -1}, {4, 2}, {5, 0}};
    Context *context = new_context(1);
    Random random = clv_random(6, 0);
    Hopper hopper;

    (void)state;
    open_hopper(&hopper, context);
    for (int step = 0; step < 20; step++)
        hop(&hopper, &random, 1, FEATURES);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + 1; i++) {
        Model *model = model_of(&hopper);
        Hopper other;

        if (i < sizeof wrong / sizeof *wrong)
            ((double *)clv_bundle_get(model->bundle, "mean", BUNDLE_F64)->data)[(int)wrong[i][0]] =
                wrong[i][1];
        else
            ((float *)clv_bundle_get(model->bundle, "mean_sum", BUNDLE_F32)->data)[7] = NAN;
        open_hopper(&other, context);
        assert_int_equal(
            clv_late_mean_resume(&other.mean, &other.w, &other.scale, model, &other.error),
            CLEAVE_ERROR_FORMAT);
        close_hopper(&other);
        cleave_model_free(model);
    }
    close_hopper(&hopper);
    cleave_context_free(context);
}

/* Two workers continue from one state, and their means are joined by rows. The second epoch
 * restarts the mean for all. Updates contain weights that no step changed only as a common
 * factor. */
static void two_make_a_round(bool second_epoch)
{
    Context *context = new_context(1);
    Random random = clv_random(5, 0);
    Hopper start, worker[2];
    static const double rows[] = {300, 100};
    const FitProblem problem = {.rows = 400};
    Fit fit = {.context = context, .problem = &problem, .counters.epoch = second_epoch};
    double expected[COUNT] = {0}, intercept[OUTPUTS] = {0}, steps = 0;
    const DeltaPart *part;
    const Delta *sum;
    DeltaTree tree;
    Model *model;

    fit.error = &start.error;
    open_hopper(&start, context);
    for (int step = 0; step < 150; step++)
        hop(&start, &random, 1, FEATURES);
    model = model_of(&start);
    clv_delta_tree_init(&tree, context, 2);
    for (int k = 0; k < 2; k++) {
        Delta delta;

        clv_delta_init(&delta, context);
        open_hopper(&worker[k], context);
        resume(&worker[k], &start, model);
        clv_late_mean_begin_epoch(&worker[k].mean, &fit);
        worker[k].steps = worker[k].mean.steps;
        assert_true(second_epoch == (worker[k].steps == 0));
        for (int step = 0; step < (int)rows[k]; step++)
            hop(&worker[k], &random, 1, UNTOUCHED);
        assert_mean(&worker[k], worker[k].by_hand, worker[k].by_hand_intercept);
        assert_fine(clv_late_mean_give(&worker[k].mean, &worker[k].w, &start.mean, &start.w,
                                       rows[k], &delta, &start.error),
                    &start.error);
        assert_fine(clv_delta_tree_add(&tree, (uint32_t)k, 1, &delta, &start.error), &start.error);
        clv_delta_free(&delta);
        for (size_t i = 0; i < COUNT; i++)
            expected[i] += rows[k] / 400 * worker[k].by_hand[i];
        for (size_t i = 0; i < OUTPUTS; i++)
            intercept[i] += rows[k] / 400 * worker[k].by_hand_intercept[i];
        steps += rows[k] / 400 * worker[k].steps;
    }
    sum = clv_delta_tree_sum(&tree);
    part = clv_delta_part(sum, "mean");
    assert_true(part && part->count > 0);
    for (size_t i = 0; i < part->count; i++)
        if (part->index[i] >= UNTOUCHED * OUTPUTS)
            assert_true(fabs(part->value[i]) / 400 <= 1e-5);
    assert_fine(clv_late_mean_take(&start.mean, &fit, &start.w, 400, sum), &start.error);
    assert_mean(&start, expected, intercept);
    assert_true(fabs(start.mean.steps - steps) <= 1e-9 && start.mean.round == second_epoch);
    for (int k = 0; k < 2; k++)
        close_hopper(&worker[k]);
    clv_delta_tree_free(&tree);
    cleave_model_free(model);
    close_hopper(&start);
    cleave_context_free(context);
}

static void rounds_are_made_by_two(void **state)
{
    (void)state;
    two_make_a_round(false);
    two_make_a_round(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_mean),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(rounds_are_made_by_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
