/*
 * Winnow: weights that are multiplied instead of added to (Littlestone 1988). Features are 0 or 1.
 *
 *     score(x) = w·x − θ             mistake when y·score(x) ≤ 0
 *     a positive example missed:     w_i := w_i / η  where x_i = 1   (θ := η θ  when it is learned)
 *     a false positive:              w_i := η w_i    where x_i = 1   (θ := θ / η)
 *
 * Weights start at 1, and θ at the number of features d. A learned θ starts at 1, as a weight does,
 * and moves in the opposite direction. For a disjunction of k of d features winnow makes O(k log d)
 * mistakes, where the perceptron may make O(k d).
 *
 * The weights and their balanced form: winnow_weights.h. The mean of the weights: online_learner.h.
 * A row of weight c counts as c visits: the factors are taken to the power of c.
 *
 * New classes: with two classes, the single output is that of the positive class. The output of the
 * other class is its mirror image: w becomes 1/w (halves are exchanged), and a learned θ becomes
 * its start squared over θ, because each factor that raised a weight of one class lowered that of
 * the other. Its predictions are not the exact opposite, as they are for methods that add to
 * weights.
 */
#include "learn/linear/average.h"
#include "learn/linear/linear_update.h"
#include "learn/linear/online_learner.h"
#include "learn/linear/winnow_weights.h"

#include <float.h>

#define UPDATE_MARGIN 0.2 /* score of a row after an update, in units of the threshold */

static const char *const forms[] = {"auto", "plain", "averaged", NULL};

typedef struct {
    double factor;
    double promotion, demotion;
    int form;
    const char *threshold;
    bool learn_threshold;
    bool balanced;
    bool given;   /* whether --threshold is a number */
    double theta; /* that number */
} Options;

static const Param params[] = {
    REAL(Options, factor, 0.5, ABOVE(0),
         "Update factor below 1: weights are multiplied or divided by it.", TUNE_LINEAR(0.3, 0.95)),
    REAL(Options, promotion, 0, AT_LEAST(0),
         "Factor for the weights of misclassified positive examples.", DEFAULT("1 / --factor")),
    REAL(Options, demotion, 0, AT_LEAST(0),
         "Factor for the weights of misclassified negative examples.", DEFAULT("--factor")),
    NAME(Options, form, FORM_AUTO, forms,
         "Weights used for prediction: last (plain) or averaged.\n"
         "auto: averaged for more than 1,000 rows, unless the last weights make no mistake.",
         TUNE_SOME("plain,averaged")),
    TEXT(Options, threshold, "d", "Threshold: a number, or d for the number of features."),
    FLAG(Options, learn_threshold, "Learn the threshold; it starts at 1, or at --threshold.",
         TUNE_ALL),
    FLAG(Options, balanced, "Use Balanced Winnow, which has weights of both signs.", TUNE_ALL),
    END_OF_PARAMS,
};

typedef struct {
    OnlineLearner learner;
    WinnowWeights weights;
} State;

static bool uses_mean(const Fit *fit)
{
    return learner_uses_mean(fit, &((const State *)fit->state)->learner,
                             ((const Options *)fit->options)->form);
}

static double up_of(const Options *options)
{
    return options->promotion > 0 ? options->promotion : 1 / options->factor;
}

static double down_of(const Options *options)
{
    return options->demotion > 0 ? options->demotion : options->factor;
}

static Status check_threshold(Options *options, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    options->given = strcmp(options->threshold, "d") != 0;
    options->theta = 1;
    if (options->given &&
        (!clv_parse_ratio(options->threshold, &options->theta) || !isfinite(options->theta)))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--threshold: expected a number or 'd', found '%s'",
                        clv_quote(quoted, options->threshold, strlen(options->threshold)));
    if (options->theta <= 0 && (options->learn_threshold || !options->balanced)) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--threshold %s: must be above 0", options->threshold);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        options->learn_threshold
                            ? "updates multiply a learned threshold and never change its sign"
                            : "all weights are positive, so every score would exceed it; "
                              "--balanced has weights of both signs");
    }
    if (options->balanced && !options->given && !options->learn_threshold)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "add --threshold 1 or --learn-threshold",
                             "--balanced requires a threshold: initial scores are 0");
    return OK;
}

static Status check(void *given, cleave_error *error)
{
    Options *options = given;

    if (up_of(options) <= 1 || down_of(options) >= 1)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "--factor 1/2 sets --promotion 2 and --demotion 1/2",
                             "expected --promotion above 1 and --demotion below 1, found %g and %g",
                             up_of(options), down_of(options));
    return check_threshold(options, error);
}

static Status choose(Fit *fit, void *given)
{
    const Options *options = given;

    if (fit->problem->rows > 0 || options->given || options->learn_threshold)
        return OK;
    return clv_fail_hint(
        fit->error, CLEAVE_ERROR_USAGE, "add --threshold 100 or --learn-threshold",
        "winnow's default threshold is the number of features, which is unknown in a stream");
}

/* ---- the state ------------------------------------------------------------------------------- */

static Status reserve(Fit *fit, uint32_t features)
{
    State *state = fit->state;

    if (features > fit->features)
        fit->features = features;
    TRY(clv_winnow_reserve(fit, &state->weights, features, state->learner.form == FORM_AVERAGED));
    return clv_learner_reserve(fit, &state->learner, state->weights.outputs,
                               state->weights.features);
}

/* With --form auto, a stream is not averaged: it may forget old examples and add classes. */
static Status begin(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    bool averages = options->form == FORM_AVERAGED ||
                    (options->form == FORM_AUTO && fit->problem->rows > FEW_ROWS);

    TRY(clv_winnow_begin(fit, &state->weights, options->balanced,
                         options->given || options->learn_threshold ? options->theta
                                                                    : (double)fit->features));
    TRY(clv_learner_begin(fit, &state->learner, averages ? FORM_AVERAGED : FORM_PLAIN,
                          state->weights.outputs));
    return reserve(fit, fit->features);
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_winnow_free(fit, &state->weights);
    clv_learner_free(fit, &state->learner);
}

/* ---- one example ----------------------------------------------------------------------------- */

static void score_row(Fit *fit, const Block *block, uint32_t row)
{
    State *state = fit->state;
    WinnowWeights *weights = &state->weights;
    double *scores = state->learner.scores;

    if (weights->stamp)
        clv_winnow_update_row(weights, block, row);
    for (size_t i = 0; i < weights->outputs; i++)
        scores[i] = weights->intercept[i];
    wide_scores(clv_kernels(), weights->w, weights->outputs, block, row, scores);
}

/* Raises the weights of an output where the row has features, or lowers them. */
static Status change(Fit *fit, size_t output, double sign, const Block *block, uint32_t row)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double weight = fit_weight(fit, block, row, block_label(block, row)),
           *intercept = &state->weights.intercept[output];
    double factor = sign > 0 ? up_of(options) : down_of(options),
           against = sign > 0 ? down_of(options) : up_of(options);
    double seen = (double)fit->counters.seen, before = *intercept;
    double *late = state->learner.form == FORM_AVERAGED ? state->learner.late : NULL;

    if (weight != 1) {
        factor = pow(factor, weight);
        against = pow(against, weight);
    }
    clv_winnow_multiply(&state->weights, output, factor, against, block, row,
                        late ? late + state->weights.outputs : NULL, seen);
    if (options->learn_threshold)
        *intercept = fmin(before * against, -DBL_MIN);
    if (late)
        late[output] += (*intercept - before) * seen;
    return OK;
}

static Status step(Fit *fit, const Block *block)
{
    const LearningRule rule = {.score = score_row, .update = change};

    TRY(reserve(fit, block->features));
    return clv_learner_step(fit, &((State *)fit->state)->learner, &rule, block);
}

/* ---- the end of an epoch --------------------------------------------------------------------- */

static Status check_finite(const Fit *fit)
{
    const State *state = fit->state;
    double sum = 0;

    for (size_t i = 0; i < state->learner.late_size; i++)
        sum += 0 * state->learner.late[i];
    if (clv_winnow_finite(&state->weights) && sum == 0)
        return OK;
    return clv_fail_hint(
        fit->error, CLEAVE_ERROR_DATA, "move --factor closer to 1 (such as 4/5), or lower --epochs",
        "winnow diverged: the weights overflow a double in epoch %u", fit->counters.epoch + 1);
}

static Status pass(Fit *fit, bool *clean)
{
    *clean = ((State *)fit->state)->learner.clean = fit->counters.epoch_mistakes == 0;
    return check_finite(fit);
}

/* ---- several workers ------------------------------------------------------------------------- */

static const DeltaShape shapes[] = {
    {.name = "bias", .kind = SHAPE_OUTPUTS},
    {.name = "w", .kind = SHAPE_WEIGHTS},
    {.name = "w_rows", .kind = SHAPE_WEIGHTS},
    {.name = "half", .kind = SHAPE_WEIGHTS},
    {.name = "half_rows", .kind = SHAPE_WEIGHTS},
    {.name = "other_half", .kind = SHAPE_WEIGHTS},
    {.name = "other_rows", .kind = SHAPE_WEIGHTS},
    {.name = "late", .kind = SHAPE_BOTH},
    {.name = "late_keep", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = NULL},
};

/* Weights of several workers are averaged by the number of examples. A weight may be far below its
 * start, so that a difference from the start would be inexact. A changed weight is therefore given
 * as a value, with its number of rows. */
static Status give(const Fit *fit, const Fit *start, Delta *delta)
{
    const State *state = fit->state, *before = start->state;
    double rows = (double)(fit->counters.seen - start->counters.seen);

    for (size_t i = 0; i < state->weights.outputs; i++)
        TRY(clv_delta_add(delta, "bias", i, rows * state->weights.intercept[i], fit->error));
    if (state->learner.form == FORM_AVERAGED)
        TRY(clv_learner_give_mean(fit, &state->learner, &before->learner, rows, delta));
    return clv_winnow_give(fit, &state->weights, &before->weights, rows, delta);
}

static Status take(Fit *fit, const Delta *sum)
{
    State *state = fit->state;
    double rows = clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS);
    size_t outputs = state->weights.outputs;
    uint32_t features = fit->features;

    if (rows <= 0)
        return OK;
    TRY(clv_average_features(sum, "w", outputs, &features, fit->error));
    TRY(clv_average_features(sum, "half", outputs, &features, fit->error));
    TRY(clv_average_features(sum, "other_half", outputs, &features, fit->error));
    TRY(reserve(fit, features));
    TRY(clv_learner_take_mean(fit, &state->learner, rows, sum));
    for (size_t i = 0; i < outputs; i++)
        state->weights.intercept[i] = clv_delta_number(sum, "bias", i) / rows;
    return clv_winnow_take(fit, &state->weights, rows, sum);
}

/* ---- streams --------------------------------------------------------------------------------- */

static Status score(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    const State *state = fit->state;
    const WinnowWeights *weights = &state->weights;
    const OnlineLearner *learner = &state->learner;
    size_t outputs = weights->outputs;

    if (weights->stamp) {
        memset(scores, 0, outputs * sizeof *scores);
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            double left = walk.column < weights->features ? clv_winnow_left(weights, walk.column)
                                                          : 1;

            for (size_t i = 0; i < outputs && walk.column < weights->features; i++)
                scores[i] += (double)walk.value *
                             clv_winnow_now(weights, (size_t)walk.column * outputs + i, left);
        }
    } else {
        clv_linear_known_wide_scores(weights->w, weights->features, outputs, block, row, scores);
    }
    for (size_t i = 0; i < outputs; i++)
        scores[i] += weights->intercept[i];
    if (!uses_mean(fit))
        return OK;
    clv_linear_known_wide_scores(learner->late + outputs, weights->features, outputs, block, row,
                                 learner->scores);
    for (size_t i = 0; i < outputs; i++)
        scores[i] -= (learner->scores[i] + learner->late[i]) /
                     (fit->counters.seen ? (double)fit->counters.seen : 1);
    return OK;
}

static Status forget(Fit *fit, double keep)
{
    const Options *options = fit->options;
    State *state = fit->state;

    if (state->learner.form == FORM_AVERAGED)
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_USAGE, "use --form plain",
            "--form averaged cannot forget old examples: the mean includes all of them");
    TRY(clv_winnow_forget(fit, &state->weights, keep));
    for (size_t i = 0; i < state->weights.outputs && options->learn_threshold; i++)
        state->weights.intercept[i] = -options->theta *
                                      pow(-state->weights.intercept[i] / options->theta, keep);
    return OK;
}

static Status widen(Fit *fit, uint32_t classes, uint32_t positive)
{
    const Options *options = fit->options;
    State *state = fit->state;
    OnlineLearner *learner = &state->learner;
    Widening to = {classes, positive, outputs_of(classes)};

    TRY(clv_linear_affordable(state->weights.features, to.outputs * (options->balanced ? 6 : 2),
                              fit->error));
    if (learner->form == FORM_AVERAGED && fit->counters.seen > 0)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE, "use --form plain",
                             "--form averaged cannot add new classes during training");
    TRY(clv_widen_doubles(fit, &to, &learner->scores, 1));
    TRY(clv_winnow_widen(fit, &state->weights, &to,
                         options->learn_threshold ? options->theta : (double)NAN));
    clv_widened(fit, &to);
    clv_free(fit->context, learner->late); /* no example has been seen yet */
    learner->late = NULL;
    learner->late_size = 0;
    return clv_learner_reserve(fit, learner, to.outputs, state->weights.features);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Stores the weights, brought up to date, or the mean if the model has one. */
static Status put_weights(const Fit *fit, Model *model)
{
    const State *state = fit->state;
    const WinnowWeights *weights = &state->weights;
    size_t outputs = weights->outputs, count = (size_t)weights->features * outputs;
    double *vector = clv_alloc(fit->context, outputs + count, sizeof *vector),
           seen = fit->counters.seen ? (double)fit->counters.seen : 1;
    bool mean = uses_mean(fit);
    Status status;

    if (!vector)
        return clv_fail_memory(fit->error, "weights", (outputs + count) * sizeof *vector);
    for (size_t i = 0; i < outputs; i++)
        vector[i] = weights->intercept[i] - (mean ? state->learner.late[i] / seen : 0);
    for (size_t i = 0; i < count; i++)
        vector[outputs + i] = mean ? weights->w[i] - state->learner.late[outputs + i] / seen
                                   : clv_winnow_now(
                                         weights, i,
                                         clv_winnow_left(weights, (uint32_t)(i / outputs)));
    status = clv_linear_wide_to_model(vector + outputs, vector, weights->features, outputs, model,
                                      fit->error);
    clv_free(fit->context, vector);
    return status;
}

/* Stores the state of the mean, to resume training. */
static Status save_mean(const Fit *fit, Model *model)
{
    const State *state = fit->state;
    size_t outputs = state->weights.outputs, count = (size_t)state->weights.features * outputs;
    double clean = state->learner.clean;

    TRY(clv_bundle_put(model->bundle, "clean", BUNDLE_F64, &clean, 1, fit->error));
    TRY(clv_bundle_put(model->bundle, "last_weights", BUNDLE_F64, state->weights.w, count,
                       fit->error));
    TRY(clv_bundle_put(model->bundle, "last_bias", BUNDLE_F64, state->weights.intercept, outputs,
                       fit->error));
    return clv_bundle_put(model->bundle, "late", BUNDLE_F64, state->learner.late, outputs + count,
                          fit->error);
}

static Status end(Fit *fit, Model *model)
{
    const State *state = fit->state;
    const WinnowWeights *weights = &state->weights;
    size_t count = (size_t)weights->features * weights->outputs;
    Bundle *bundle = model->bundle;

    TRY(check_finite(fit));
    if (state->learner.form == FORM_AVERAGED)
        TRY(save_mean(fit, model));
    TRY(put_weights(fit, model));
    if (weights->stamp) { /* the values of the weights at the time of their stamps */
        if (!weights->half)
            TRY(clv_bundle_put(bundle, "stamped", BUNDLE_F64, weights->w, count, fit->error));
        TRY(clv_bundle_put(bundle, "stamp", BUNDLE_F64, weights->stamp, weights->features,
                           fit->error));
        TRY(clv_bundle_put(bundle, "faded", BUNDLE_F64, &weights->faded, 1, fit->error));
    }
    if (!weights->balanced)
        return OK;
    TRY(clv_bundle_put(bundle, "half", BUNDLE_F64, weights->half, count, fit->error));
    return clv_bundle_put(bundle, "other_half", BUNDLE_F64, weights->other_half, count, fit->error);
}

static bool is_balanced(const Model *model)
{
    return clv_bundle_get(model->bundle, "half", BUNDLE_F64) != NULL;
}

static bool stamps_fit(const Model *model)
{
    const BundleItem *stamp = clv_bundle_get(model->bundle, "stamp", BUNDLE_F64);
    double faded;

    if (!stamp)
        return true;
    if (stamp->count != model->features ||
        !clv_bundle_copy(model->bundle, "faded", BUNDLE_F64, &faded, 1) || !isfinite(faded) ||
        !clv_bundle_finite(stamp) ||
        (!is_balanced(model) &&
         !clv_linear_has_item(model, "stamped", BUNDLE_F64, model->features)))
        return false;
    for (uint64_t i = 0; i < stamp->count; i++)
        if (!(((const double *)stamp->data)[i] >= faded))
            return false;
    return true;
}

static bool arrays_fit(const Model *model)
{
    uint32_t features = model->features;
    double clean;

    if (clv_bundle_get(model->bundle, "late", BUNDLE_F64) &&
        !(clv_linear_has_item(model, "late", BUNDLE_F64, (size_t)features + 1) &&
          clv_linear_has_item(model, "last_bias", BUNDLE_F64, 1) &&
          clv_linear_has_item(model, "last_weights", BUNDLE_F64, features) &&
          clv_bundle_copy(model->bundle, "clean", BUNDLE_F64, &clean, 1)))
        return false;
    return clv_linear_check_model(model, BUNDLE_F64) && stamps_fit(model) &&
           (!is_balanced(model) ||
            (clv_linear_has_item(model, "half", BUNDLE_F64, features) &&
             clv_linear_has_item(model, "other_half", BUNDLE_F64, features)));
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(arrays_fit(model));
}

static void copy_item(double *vector, const Model *model, const char *name)
{
    const BundleItem *item = clv_bundle_get(model->bundle, name, BUNDLE_F64);

    if (item->count)
        memcpy(vector, item->data, (size_t)item->count * sizeof *vector);
}

/* A stream continues with its stamps. Epochs do not forget, and start with up-to-date weights. */
static Status resume_stamps(Fit *fit, const Model *model)
{
    WinnowWeights *weights = &((State *)fit->state)->weights;
    size_t count = (size_t)model->features * weights->outputs;

    clv_bundle_copy(model->bundle, "faded", BUNDLE_F64, &weights->faded, 1);
    TRY(clv_winnow_stamp(fit, weights));
    copy_item(weights->stamp, model, "stamp");
    if (fit->problem->rows > 0) {
        clv_winnow_settle(fit, weights, count);
        return OK;
    }
    if (!weights->half)
        copy_item(weights->w, model, "stamped");
    for (size_t i = 0; i < count && weights->half; i++)
        winnow_subtract(weights, i);
    return OK;
}

static Status resume(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;
    WinnowWeights *weights = &state->weights;
    bool late = clv_bundle_get(model->bundle, "late", BUNDLE_F64) != NULL;

    TRY(clv_linear_check_outputs(model, weights->outputs, fit->error));
    if (is_balanced(model) != options->balanced)
        return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                        "the warm-start model was trained %s --balanced and cannot continue %s",
                        options->balanced ? "without" : "with",
                        options->balanced ? "with it" : "without it");
    if (options->form == FORM_AUTO)
        state->learner.form = late && fit->problem->rows > 0 ? FORM_AVERAGED : FORM_PLAIN;
    if (state->learner.form == FORM_AVERAGED && !late)
        return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                        "the warm-start model was not trained with --form averaged and cannot "
                        "continue with it");
    TRY(reserve(fit, model->features));
    if (state->learner.form == FORM_AVERAGED) {
        double clean = 0;

        copy_item(state->learner.late, model, "late");
        clv_bundle_copy(model->bundle, "clean", BUNDLE_F64, &clean, 1);
        state->learner.clean = clean == 1;
    }
    copy_item(weights->w, model, late ? "last_weights" : "weights");
    if (options->learn_threshold || !options->given)
        copy_item(weights->intercept, model, late ? "last_bias" : "bias");
    if (options->balanced) {
        copy_item(weights->half, model, "half");
        copy_item(weights->other_half, model, "other_half");
    }
    return clv_bundle_get(model->bundle, "stamp", BUNDLE_F64) ? resume_stamps(fit, model) : OK;
}

/* Stores the state of a warm start: positive and negative weights with a product of 1, as after
 * updates, and the mean of constant weights. */
static Status put_updated(const Fit *fit, const Model *from, const double *w,
                          const double *intercept, const Linear *shape, Model *model)
{
    size_t count = (size_t)shape->features * shape->outputs;
    double *vector = clv_alloc_zero(fit->context, count + shape->outputs, sizeof *vector),
           clean = 0;
    Status status = OK;

    if (!vector)
        return clv_fail_memory(fit->error, "weights", count * sizeof *vector);
    if (clv_bundle_get(from->bundle, "late", BUNDLE_F64)) {
        status = clv_bundle_put(model->bundle, "late", BUNDLE_F64, vector, count + shape->outputs,
                                fit->error);
        THEN(status, clv_bundle_put(model->bundle, "clean", BUNDLE_F64, &clean, 1, fit->error));
        THEN(status,
             clv_bundle_put(model->bundle, "last_weights", BUNDLE_F64, w, count, fit->error));
        THEN(status, clv_bundle_put(model->bundle, "last_bias", BUNDLE_F64, intercept,
                                    shape->outputs, fit->error));
    }
    if (status == OK && is_balanced(from)) {
        for (size_t i = 0; i < count; i++)
            vector[i] = w[i] >= 0 ? (w[i] + sqrt(w[i] * w[i] + 4)) / 2
                                  : 2 / (sqrt(w[i] * w[i] + 4) - w[i]);
        status = clv_bundle_put(model->bundle, "half", BUNDLE_F64, vector, count, fit->error);
        for (size_t i = 0; i < count; i++)
            vector[i] = 1 / vector[i];
        THEN(status,
             clv_bundle_put(model->bundle, "other_half", BUNDLE_F64, vector, count, fit->error));
    }
    clv_free(fit->context, vector);
    return status;
}

/* An update changes the weights used for prediction by adding as much as a row needs, because the
 * factors of winnow do not depend on the error. */
static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const Options *options = fit->options;
    const double *theta = clv_bundle_get(from->bundle, "bias", BUNDLE_F64)->data;
    LinearUpdate how = {.loss = {.kind = LOSS_HINGE},
                        .learn_intercept = options->learn_threshold,
                        .C = INFINITY,
                        .unit = UPDATE_MARGIN * fmax(fabs(theta[0]), DBL_MIN)};
    size_t count = (size_t)fit->features * fit->outputs;
    double *wide;
    Linear w = {0};
    Status status;

    if (fit->classes > from->labels.count)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_DATA,
                             "train on the old and the new rows together",
                             "winnow cannot add a class in an update");
    wide = clv_alloc(fit->context, count + 1, sizeof *wide);
    status = wide ? clv_linear_update(fit, from, dataset, &how, &w)
                  : clv_fail_memory(fit->error, "weights", count * sizeof *wide);

    for (size_t i = 0; status == OK && i < count; i++)
        wide[i] = is_balanced(from) ? (double)w.w[i] : fmax((double)w.w[i], DBL_MIN);
    THEN(status,
         clv_linear_wide_to_model(wide, w.intercept, w.features, w.outputs, model, fit->error));
    THEN(status, put_updated(fit, from, wide, w.intercept, &w, model));
    clv_free(fit->context, wide);
    clv_linear_free(&w);
    return status;
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    char name[24], quoted[QUOTE_SIZE];
    const char *feature;
    RowWalk other;

    if (clv_block_is_binary(block, &other))
        return clv_linear_predict(model, block, scores, error);
    feature = clv_names_get(&model->names, other.column, name);
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "encode each feature as 1 (present) or 0 (absent)",
                         "row %llu: feature '%s' is %g; winnow requires values of 0 or 1",
                         (unsigned long long)block_row_number(block, other.row) + 1,
                         clv_quote(quoted, feature, strlen(feature)), (double)other.value);
}

static void look(const Fit *fit, double *weights, double *thresholds)
{
    const WinnowWeights *ours = &((const State *)fit->state)->weights;

    for (size_t output = 0; output < ours->outputs; output++) {
        for (uint32_t column = 0; column < ours->features; column++)
            weights[output * ours->features + column] = clv_winnow_now(
                ours, column * ours->outputs + output, clv_winnow_left(ours, column));
        thresholds[output] = ours->intercept[output] == 0 ? 0 : -ours->intercept[output];
    }
}

static bool learns_threshold(const void *options)
{
    return ((const Options *)options)->learn_threshold;
}

static const MethodTraining training = {
    .choose = choose,
    .begin = begin,
    .resume = resume,
    .step = step,
    .end_epoch = pass,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {
    .predict = predict,
    .check_model = check_model,
    .loss = clv_separator_loss,
};

static const MethodOnline online = {
    .score = score,
    .widen = widen,
    .forget = forget,
    .update = update,
};

static const MethodDistributed distributed = {
    .give = give,
    .shapes = shapes,
    .take = take,
};

static const MethodInspection inspection = {
    .contributions = clv_weight_contributions,
    .weights = look,
    .learns_threshold = learns_threshold,
};

const Method clv_method_winnow = {
    .name = "winnow",
    .title = "Winnow: multiplicative updates for 0/1 features.",
    .objective = "sum over examples of max(0, -y (w.x - theta))",
    .reference = "Littlestone 1988",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_MERGEABLE |
              CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_DETERMINISTIC,
    .behavior = METHOD_BINARY_FEATURES | METHOD_SHUFFLES | METHOD_COUNTS_MISTAKES |
                METHOD_RECORDS_MOMENTS,
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .check_options = check,
    .training = &training,
    .inference = &inference,
    .online = &online,
    .distributed = &distributed,
    .inspection = &inspection,
};
