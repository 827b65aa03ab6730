/*
 * The perceptron: on every mistake, w moves towards the example (Rosenblatt 1958).
 *
 *     score(x) = w·x − θ             mistake when y·score(x) ≤ 0
 *     on a mistake:  w += η y x      θ −= η y
 *
 * A score of exactly zero is a mistake, so that w = 0 learns. If a unit vector separates the
 * examples with margin γ and all examples are at most R long, at most (R/γ)² mistakes are made
 * (Novikoff 1962). If no vector separates them, w does not converge, and the stopping rules in
 * train/stopping.h end the epochs. Forms of the model, and several classes: online_learner.h; voted
 * form: voted.h.
 *
 * The learning rate η only scales w, which changes no sign. w is kept in units of η: with integer
 * data every score is exact, and η = 1 and η = 1/3 make the same mistakes. The model holds w and
 * the scale.
 *
 * Batch form: the changes of an epoch, all from one w, are summed (or averaged) and added at its
 * end. Sums of several workers are added by give and take, in one round of MapReduce.
 *
 * A stream that forgets multiplies w by a factor before every row. The stored vector is G w
 * instead, where G grows by the inverse of the factor, so that only the steps change. The mean, in
 * which older examples are discounted by the same factor, is then Σ G w / Σ G.
 */
#include "learn/linear/average.h"
#include "learn/linear/linear_update.h"
#include "learn/linear/online_learner.h"
#include "learn/linear/voted.h"
#include "model/state.h"

enum { ONLINE, SUM, MEAN };
enum { REST, JOINT };

/* Score of a row after an update, in units of the learning rate; chosen with bench/update. */
#define UPDATE_MARGIN 0.8

static const char *const forms[] = {"auto", "plain", "averaged", "voted", NULL};
static const char *const updates[] = {"online", "sum", "mean", NULL};
static const char *const ways[] = {"one-vs-rest", "joint", NULL};

typedef struct {
    double learning_rate;
    double learning_rate_decay;
    bool learn_threshold;
    bool average;
    int form;
    int update;
    int multiclass;
} Options;

static const Param params[] = {
    REAL(Options, learning_rate, 1, ABOVE(0), "Learning rate.", TUNE_LOG(1e-2, 1e2),
         WHEN("learn_threshold=true")),
    REAL(Options, learning_rate_decay, 0, AT_LEAST(0),
         "Decay c: the learning rate of epoch t is learning_rate / (1 + c t).", TUNE_LOG(1e-2, 10)),
    FLAG(Options, learn_threshold, "Learn the threshold instead of fixing it at 0.", TUNE_ALL),
    FLAG(Options, average, "Same as --form averaged."),
    NAME(Options, form, FORM_AUTO, forms,
         "Weights used for prediction: last (plain), averaged, or voted.\n"
         "auto: averaged for more than 1,000 rows, unless the last weights make no mistake.",
         TUNE_SOME("plain,averaged"), WHEN("average=false")),
    NAME(Options, update, ONLINE, updates,
         "Update after each mistake, or once per epoch by the sum or mean of updates."),
    NAME(Options, multiclass, REST, ways,
         "Train one classifier per class, or update the scores of two classes jointly."),
    END_OF_PARAMS,
};

typedef struct {
    OnlineLearner learner; /* `late` is in units of the learning rate, as w is */
    Linear w;              /* weights in units of the learning rate, times learner.grown */
    double *delta;         /* batch: the changes of this epoch, in the layout of learner.late */
    size_t delta_size;
    double step; /* step of this epoch, in units of the learning rate */
    /* lock-free: the number of other workers, whose thresholds move with this one */
    double others;
    bool forgets;
    Votes votes;
    Margin margin;
    /* Weights and thresholds at the end of an earlier epoch, which are compared with those of each
     * epoch; period: epochs until they repeat, 0: not seen. */
    double *earlier;
    uint32_t earlier_epoch, period;
} State;

/* Batch steps are not noisy, lock-free workers share the last weights only, and a stream may
 * have any number of rows. */
static int choose_form(const Fit *fit)
{
    const Options *options = fit->options;

    if (options->form != FORM_AUTO)
        return options->form;
    return (fit->problem->rows > FEW_ROWS || fit->problem->rows == 0) &&
                   options->update == ONLINE && !fit->problem->racy
               ? FORM_AVERAGED
               : FORM_PLAIN;
}

static bool uses_mean(const Fit *fit)
{
    const State *state = fit->state;

    return learner_uses_mean(fit, &state->learner, ((const Options *)fit->options)->form);
}

/* The factor from w to the last weights. */
static double scale(const Fit *fit)
{
    return ((const Options *)fit->options)->learning_rate /
           ((const State *)fit->state)->learner.grown;
}

/* The factor from w or the mean to the model's weights; the mean already includes the growth. */
static double unit_of(const Fit *fit)
{
    return uses_mean(fit) ? ((const Options *)fit->options)->learning_rate : scale(fit);
}

static Status check(void *given, cleave_error *error)
{
    Options *options = given;

    if (options->average && (options->form == FORM_VOTED || options->form == FORM_PLAIN))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--average and --form %s cannot be combined",
                        forms[options->form]);
    if (options->average)
        options->form = FORM_AVERAGED;
    options->average = false;
    if (options->form == FORM_VOTED && options->update != ONLINE)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "omit --update; the voted form updates after each mistake",
            "--form voted and --update %s cannot be combined", updates[options->update]);
    return OK;
}

/* ---- the extra vectors ----------------------------------------------------------------------- */

static void add_to(const State *state, double *vector, size_t output, double step,
                   const Block *block, uint32_t row, bool intercept)
{
    size_t outputs = state->w.outputs;

    if (intercept)
        vector[output] += step;
    wide_add(state->w.kernels, vector + outputs, outputs, output, 1, &step, block, row);
}

static Status reserve(Fit *fit, uint32_t features)
{
    const Options *options = fit->options;
    State *state = fit->state;
    size_t outputs = state->w.outputs;

    TRY(clv_linear_reserve(&state->w, features, fit->error));
    if (features > fit->features)
        fit->features = features;
    if (options->update != ONLINE)
        TRY(clv_extend(fit->context, &state->delta, &state->delta_size,
                       outputs * ((size_t)state->w.features + 1), sizeof *state->delta, "weights",
                       fit->error));
    return clv_learner_reserve(fit, &state->learner, outputs, state->w.features);
}

static Status begin(Fit *fit)
{
    State *state = fit->state;
    size_t outputs = outputs_of(fit->classes);

    state->learner.joint = ((const Options *)fit->options)->multiclass == JOINT;
    clv_votes_init(&state->votes, fit->context);
    TRY(clv_linear_init(&state->w, fit->context, fit->features, outputs, fit->error));
    TRY(clv_learner_begin(fit, &state->learner, choose_form(fit), outputs));
    return reserve(fit, fit->features);
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_linear_free(&state->w);
    clv_votes_free(&state->votes);
    clv_learner_free(fit, &state->learner);
    FREE(fit->context, state->delta, state->earlier);
}

/* ---- one example ----------------------------------------------------------------------------- */

static void score_row(Fit *fit, const Block *block, uint32_t row)
{
    State *state = fit->state;

    linear_scores(&state->w, block, row, state->learner.scores);
}

/* Moves the weights of an output by sign times the step towards the row. */
static Status change(Fit *fit, size_t output, double sign, const Block *block, uint32_t row)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double step = sign * state->step * fit_weight(fit, block, row, block_label(block, row));
    bool intercept = options->learn_threshold;

    if (options->update != ONLINE) {
        add_to(state, state->delta, output, step, block, row, intercept);
        return OK;
    }
    clv_linear_add(&state->w, output, step, block, row, intercept);
    if (intercept)
        state->w.intercept[output] += state->others * step;
    if (state->learner.form == FORM_AVERAGED)
        add_to(state, state->learner.late, output,
               step * (double)(fit->counters.seen - state->learner.origin), block, row, intercept);
    if (state->learner.form == FORM_VOTED)
        return clv_votes_mistake(&state->votes, block, row, output, step, fit->error);
    return OK;
}

static void count_vote(Fit *fit)
{
    clv_votes_visited(&((State *)fit->state)->votes);
}

static Status step(Fit *fit, const Block *block)
{
    const Options *options = fit->options;
    State *state = fit->state;
    LearningRule rule = {.score = score_row,
                         .update = change,
                         .visited = state->learner.form == FORM_VOTED ? count_vote : NULL};

    TRY(reserve(fit, block->features));
    state->step = state->learner.grown / (1 + options->learning_rate_decay * fit->counters.epoch);
    return clv_learner_step(fit, &state->learner, &rule, block);
}

/* ---- the end of an epoch --------------------------------------------------------------------- */

static void apply_delta(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;
    double share = options->update == MEAN && fit->counters.epoch_mistakes
                       ? 1 / (double)fit->counters.epoch_mistakes
                       : 1;
    /* The mean covers the weights at the end of each epoch. */
    double seen = (double)(fit->counters.seen - state->learner.batch - state->learner.origin);

    for (size_t i = 0; i < outputs; i++)
        state->w.intercept[i] += share * state->delta[i];
    for (size_t i = 0; i < count; i++)
        state->w.w[i] = (float)((double)state->w.w[i] + share * state->delta[outputs + i]);
    for (size_t i = 0; i < outputs + count && state->learner.late; i++)
        state->learner.late[i] += share * state->delta[i] * seen;
    memset(state->delta, 0, state->delta_size * sizeof *state->delta);
}

/* ---- cycles ----------------------------------------------------------------------------------- */

enum { MOST_WATCHED = 1 << 20 };

static bool is_as_before(const State *state)
{
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;

    for (size_t i = 0; i < outputs; i++)
        if (state->w.intercept[i] != state->earlier[i])
            return false;
    for (size_t i = 0; i < count; i++)
        if ((double)state->w.w[i] != state->earlier[outputs + i])
            return false;
    return true;
}

/* Weights that repeat at the end of an epoch repeat for ever. The weights of epoch 1, 2, 4, 8, … are
 * compared with those that follow (Brent 1980), which finds the period. */
static Status watch_cycle(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;
    uint32_t epoch = fit->counters.epoch + 1;

    if (!fit->problem->same_order || options->learning_rate_decay > 0 || state->forgets ||
        state->period > 0 || outputs + count > MOST_WATCHED || fit->counters.epoch_mistakes == 0)
        return OK;
    if (state->earlier && is_as_before(state)) {
        state->period = epoch - state->earlier_epoch;
        clv_figure(fit, "cycle_epochs", state->period);
        return OK;
    }
    if (epoch & (epoch - 1))
        return OK;
    if (!state->earlier)
        TRY(ALLOC(fit->context, state->earlier, outputs + count, "weights", fit->error));
    memcpy(state->earlier, state->w.intercept, outputs * sizeof *state->earlier);
    for (size_t i = 0; i < count; i++)
        state->earlier[outputs + i] = (double)state->w.w[i];
    state->earlier_epoch = epoch;
    return OK;
}

static Status pass(Fit *fit, bool *clean)
{
    const Options *options = fit->options;
    State *state = fit->state;

    if (options->update != ONLINE) {
        apply_delta(fit);
        if (fit->trace && fit->counters.epoch_mistakes)
            fit->trace(fit, NULL, 0, NULL, false);
    }
    state->learner.batch = 0;
    fit->counters.epoch_loss *= options->learning_rate;
    *clean = state->learner.clean = fit->counters.epoch_mistakes == 0;
    TRY(watch_cycle(fit));
    return clv_linear_finite(&state->w) ? OK : clv_linear_overflow(fit->error);
}

/* Sums batch updates that start from one w; averages weights trained locally by the number of
 * examples. */
static Status give(const Fit *fit, const Fit *start, Delta *delta)
{
    const Options *options = fit->options;
    const State *state = fit->state, *before = start->state;
    double rows = (double)(fit->counters.seen - start->counters.seen);
    size_t outputs = state->w.outputs;

    if (state->learner.form == FORM_VOTED)
        return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                        "--form voted cannot be trained by several workers: it depends on the "
                        "order of the mistakes");
    if (options->update != ONLINE) {
        TRY(clv_delta_add_all(delta, "bias", state->delta, outputs, fit->error));
        return clv_delta_add_all(delta, "w", state->delta + outputs, state->delta_size - outputs,
                                 fit->error);
    }
    TRY(clv_average_give((LocalWeights){&state->w, 1, NULL}, (LocalWeights){&before->w, 1, NULL},
                         rows, delta, fit->error));
    return state->learner.form == FORM_AVERAGED
               ? clv_learner_give_mean(fit, &state->learner, &before->learner, rows, delta)
               : OK;
}

static Status race(Fit *worker, const Fit *shared, unsigned workers)
{
    const Options *options = worker->options;
    State *state = worker->state;

    if (state->learner.form != FORM_PLAIN || options->update != ONLINE || state->w.outputs > 1)
        return clv_fail_hint(
            worker->error, CLEAVE_ERROR_USAGE,
            "--shards supports every form; 'svm --solver sgd' supports --racy with any "
            "number of classes",
            "--racy requires --form plain, --update online and binary classification");
    clv_linear_share(&state->w, &((const State *)shared->state)->w);
    state->others = workers - 1;
    return OK;
}

static bool sums_exactly(const void *options)
{
    return ((const Options *)options)->update != ONLINE;
}

static const DeltaShape shapes[] = {
    {.name = "keep", .kind = SHAPE_OUTPUTS},
    {.name = "bias", .kind = SHAPE_OUTPUTS},
    {.name = "w", .kind = SHAPE_WEIGHTS},
    {.name = "late", .kind = SHAPE_BOTH},
    {.name = "late_keep", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = NULL},
};

static Status take(Fit *fit, const Delta *sum)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double rows = clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS), scale = 1;
    uint32_t features = fit->features;

    TRY(clv_average_features(sum, "w", state->w.outputs, &features, fit->error));
    TRY(reserve(fit, features));
    TRY(clv_learner_take_mean(fit, &state->learner, options->update == ONLINE ? rows : 0, sum));
    if (rows <= 0)
        return OK;
    state->learner.batch += (uint64_t)rows;
    state->learner.grown_sum += rows * state->learner.grown;
    if (options->update != ONLINE) {
        const DeltaPart *w = clv_delta_part(sum, "w");
        size_t outputs = state->w.outputs;

        for (size_t i = 0; i < outputs; i++)
            state->delta[i] += clv_delta_number(sum, "bias", i);
        for (size_t i = 0; w && i < w->count; i++)
            state->delta[outputs + w->index[i]] += w->value[i];
    } else
        clv_average_take(&state->w, &scale, rows, sum);
    return OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* The mean is ours * w - theirs * late. */
static void average_of(const Fit *fit, double *ours, double *theirs)
{
    const State *state = fit->state;
    double seen = (double)(fit->counters.seen - state->learner.origin),
           all = state->forgets ? state->learner.grown_sum : seen;

    all = all > 0 ? all : 1;
    *ours = state->forgets ? seen / all : 1;
    *theirs = 1 / all;
}

static Status score(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    const Options *options = fit->options;
    State *state = fit->state;
    OnlineLearner *learner = &state->learner;
    size_t outputs = state->w.outputs;
    double unit = unit_of(fit), ours, theirs;

    if (learner->form == FORM_VOTED) {
        clv_votes_scores(&state->votes, options->learn_threshold, outputs, block, row,
                         learner->scores, scores);
        return OK;
    }
    clv_linear_known_scores(&state->w, state->w.w, 1, block, row, scores);
    for (size_t i = 0; i < outputs; i++)
        scores[i] += state->w.intercept[i];
    if (uses_mean(fit)) {
        average_of(fit, &ours, &theirs);
        clv_linear_known_wide_scores(learner->late + outputs, state->w.features, outputs, block,
                                     row, learner->scores);
        for (size_t i = 0; i < outputs; i++)
            scores[i] = ours * scores[i] - theirs * (learner->scores[i] + learner->late[i]);
    }
    for (size_t i = 0; i < outputs; i++)
        scores[i] *= unit;
    return OK;
}

static Status widen(Fit *fit, uint32_t classes, uint32_t positive)
{
    State *state = fit->state;
    OnlineLearner *learner = &state->learner;
    Widening to = {classes, positive, outputs_of(classes)};
    size_t rows = (size_t)state->w.features + 1; /* the intercepts come first */

    if (state->learner.form == FORM_VOTED && state->votes.mistakes > 0)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                             "use --form averaged, which predicts similarly",
                             "--form voted cannot add new classes during training");
    TRY(reserve(fit, state->w.features));
    if (learner->late)
        TRY(clv_widen_doubles(fit, &to, &learner->late, rows));
    if (state->delta)
        TRY(clv_widen_doubles(fit, &to, &state->delta, rows));
    learner->late_size = learner->late ? rows * to.outputs : 0;
    state->delta_size = state->delta ? rows * to.outputs : 0;
    TRY(clv_widen_doubles(fit, &to, &learner->scores, 1));
    TRY(clv_widen_linear(fit, &to, &state->w));
    clv_widened(fit, &to);
    return OK;
}

/* Divides w and the sums by FORGET_FOLD. With the count restarted here, late is the negative of the
 * sum of all w so far. */
static void fold(Fit *fit)
{
    State *state = fit->state;
    OnlineLearner *learner = &state->learner;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;
    double seen = (double)(fit->counters.seen - learner->origin);

    for (size_t i = 0; i < outputs + count && learner->late; i++) {
        double v = i < outputs ? state->w.intercept[i] : (double)state->w.w[i - outputs];

        learner->late[i] = (learner->late[i] - seen * v) / FORGET_FOLD;
    }
    for (size_t i = 0; i < outputs + count && state->delta; i++)
        state->delta[i] /= FORGET_FOLD;
    for (size_t i = 0; i < outputs; i++)
        state->w.intercept[i] /= FORGET_FOLD;
    for (size_t i = 0; i < count; i++)
        state->w.w[i] = (float)((double)state->w.w[i] / FORGET_FOLD);
    learner->grown /= FORGET_FOLD;
    learner->grown_sum /= FORGET_FOLD;
    learner->origin = fit->counters.seen;
}

static Status forget(Fit *fit, double keep)
{
    State *state = fit->state;

    if (state->learner.form == FORM_VOTED)
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_USAGE, "use --form averaged",
            "--form voted cannot forget old examples: every weight vector keeps its votes");
    state->forgets = true;
    state->learner.grown /= keep;
    if (state->learner.grown >= FORGET_FOLD)
        fold(fit);
    return OK;
}

static double rate_of(const Fit *fit)
{
    const Options *options = fit->options;

    return options->learning_rate / (1 + options->learning_rate_decay * fit->counters.epoch);
}

/* ---- figures --------------------------------------------------------------------------------- */

static Status survey(Fit *fit, const Model *model, const Block *block, const double *scores)
{
    const Options *options = fit->options;
    State *state = fit->state;

    (void)model;
    (void)scores; /* scores of w in units of the learning rate are exact */
    if (fit->result.converged && state->w.outputs == 1)
        clv_margin_add(&state->margin, &state->w, block, fit->positive, options->learn_threshold);
    return OK;
}

static Status surveyed(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;

    (void)model;
    clv_margin_report(&state->margin, scale(fit), options->learn_threshold, fit);
    return OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

static Status average(const Fit *fit, Linear *result)
{
    const State *state = fit->state;
    const double *late = state->learner.late;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;
    double seen = fit->counters.seen ? (double)fit->counters.seen : 1, ours, theirs;

    average_of(fit, &ours, &theirs);
    TRY(clv_linear_init(result, fit->context, state->w.features, outputs, fit->error));
    for (size_t i = 0; i < outputs; i++)
        result->intercept[i] = state->forgets ? ours * state->w.intercept[i] - theirs * late[i]
                                              : state->w.intercept[i] - late[i] / seen;
    for (size_t i = 0, end; i < count;)
        for (end = next_weights(fit->context, i, count); i < end; i++)
            result->w[i] = (float)(state->forgets
                                       ? ours * (double)state->w.w[i] - theirs * late[outputs + i]
                                       : (double)state->w.w[i] - late[outputs + i] / seen);
    return OK;
}

enum { FORGOTTEN = 3 };

/* State of a warm start besides the model's weights. Thresholds are in units of the learning rate,
 * because division would round. A mean adds the last weights and `late`. */
static Status save_rest(const Fit *fit, Model *model)
{
    const Options *options = fit->options;
    const State *state = fit->state;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;

    const OnlineLearner *learner = &state->learner;
    double forgotten[FORGOTTEN] = {learner->grown, learner->grown_sum, (double)learner->origin};
    double pending[] = {(double)learner->batch, (double)fit->counters.epoch_mistakes},
           clean = learner->clean;

    if (state->forgets)
        TRY(clv_bundle_put(model->bundle, "forgotten", BUNDLE_F64, forgotten, FORGOTTEN,
                           fit->error));
    /* a stream does not repeat rows */
    if (learner->batch > 0 && state->delta && fit->problem->rows == 0) {
        TRY(clv_bundle_put(model->bundle, "pending", BUNDLE_F64, state->delta, outputs + count,
                           fit->error));
        TRY(clv_bundle_put(model->bundle, "pending_rows", BUNDLE_F64, pending, 2, fit->error));
    }
    if (options->learn_threshold)
        TRY(clv_bundle_put(model->bundle, "last_bias", BUNDLE_F64, state->w.intercept, outputs,
                           fit->error));
    if (learner->form != FORM_AVERAGED)
        return OK;
    if (!uses_mean(fit))
        TRY(clv_bundle_put(model->bundle, "last_answers", BUNDLE_F64, &clean, 1, fit->error));
    TRY(clv_bundle_put(model->bundle, "last_weights", BUNDLE_F32, state->w.w, count, fit->error));
    return clv_bundle_put(model->bundle, "late", BUNDLE_F64, learner->late, outputs + count,
                          fit->error);
}

static Status end(Fit *fit, Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;
    Linear averaged = {0};
    Status status = OK;

    if (uses_mean(fit))
        status = average(fit, &averaged);
    THEN(status, clv_linear_to_model(averaged.w ? &averaged : &state->w, unit_of(fit), unit_of(fit),
                                     model, fit->error));
    if (status == OK && state->learner.form == FORM_VOTED)
        status = clv_votes_to_model(&state->votes, options->learn_threshold, model, fit->error);
    THEN(status, save_rest(fit, model));
    clv_linear_free(&averaged);
    return status;
}

static bool arrays_fit(const Model *model)
{
    size_t all = (size_t)model->features + 1;

    return clv_linear_check_model(model, BUNDLE_F32) &&
           clv_linear_allows_item(model, "last_bias", BUNDLE_F64, 1) &&
           clv_linear_allows_item(model, "last_weights", BUNDLE_F32, model->features) &&
           clv_linear_allows_item(model, "late", BUNDLE_F64, all) &&
           clv_linear_allows_item(model, "pending", BUNDLE_F64, all) &&
           (!clv_votes_in_model(model) || clv_votes_check_model(model));
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(arrays_fit(model));
}

static Status refuse_form(const Fit *fit, const char *what)
{
    return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                    "the warm-start model was not trained with %s and cannot continue with it",
                    what);
}

static Status resume_forgotten(Fit *fit, const Model *model)
{
    State *state = fit->state;
    double forgotten[FORGOTTEN], pending[2];

    state->learner.grown_sum = (double)fit->counters.seen;
    if (clv_bundle_copy(model->bundle, "forgotten", BUNDLE_F64, forgotten, FORGOTTEN)) {
        if (!forget_factor_fits(forgotten[0]) || !(forgotten[1] >= 0 && isfinite(forgotten[1])) ||
            !(forgotten[2] >= 0 && forgotten[2] <= (double)fit->counters.seen))
            return clv_state_nonsense(fit->error);
        state->forgets = true;
        state->learner.grown = forgotten[0];
        state->learner.grown_sum = forgotten[1];
        state->learner.origin = (uint64_t)forgotten[2];
    }
    if (state->delta && fit->problem->rows == 0 &&
        clv_bundle_copy(model->bundle, "pending_rows", BUNDLE_F64, pending, 2) &&
        clv_bundle_copy(model->bundle, "pending", BUNDLE_F64, state->delta,
                        state->w.outputs * ((uint64_t)model->features + 1))) {
        if (!(pending[0] >= 0 && pending[0] <= (double)fit->counters.seen) ||
            !(pending[1] >= 0 && pending[1] < 9e15))
            return clv_state_nonsense(fit->error);
        state->learner.batch = (uint64_t)pending[0];
        fit->counters.epoch_mistakes = (uint64_t)pending[1];
    }
    return OK;
}

/* Weights of the model are in units of its scale, those of this run in units of the learning
 * rate. */
static Status resume(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;
    OnlineLearner *learner = &state->learner;
    const BundleItem *intercept = clv_bundle_get(model->bundle, "last_bias", BUNDLE_F64);
    const BundleItem *weights = clv_bundle_get(model->bundle, "last_weights", BUNDLE_F32);
    const BundleItem *late = clv_bundle_get(model->bundle, "late", BUNDLE_F64);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    double ratio, unit, clean = 0;
    bool uses_last = !late || clv_bundle_copy(model->bundle, "last_answers", BUNDLE_F64, &clean, 1);

    if (options->form == FORM_AUTO)
        learner->form = late && !fit->problem->racy ? FORM_AVERAGED
                        : clv_votes_in_model(model) ? FORM_VOTED
                                                    : FORM_PLAIN;
    if (learner->form == FORM_AVERAGED && !late)
        return refuse_form(fit, "--form averaged");
    if (learner->form == FORM_VOTED && !clv_votes_in_model(model))
        return refuse_form(fit, "--form voted");
    if (learner->form == FORM_VOTED && clv_votes_with_threshold(model) != options->learn_threshold)
        return refuse_form(fit,
                           options->learn_threshold ? "--learn-threshold" : "a threshold of 0");
    TRY(reserve(fit, model->features));
    TRY(resume_forgotten(fit, model));
    learner->clean = clean == 1;
    /* the model's weights in units of this rate */
    unit = uses_last ? options->learning_rate / learner->grown : options->learning_rate;
    ratio = *(const double *)scale->data / unit;
    TRY(clv_linear_from_model(&state->w, model, unit, fit->error));
    for (uint64_t i = 0; intercept && i < intercept->count; i++)
        state->w.intercept[i] = ratio * ((const double *)intercept->data)[i];
    for (uint64_t i = 0; weights && i < weights->count; i++)
        state->w.w[i] = (float)(ratio * (double)((const float *)weights->data)[i]);
    for (uint64_t i = 0; late && learner->late && i < late->count; i++)
        learner->late[i] = ratio * ((const double *)late->data)[i];
    return learner->form == FORM_VOTED
               ? clv_votes_from_model(&state->votes, model, ratio, fit->error)
               : OK;
}

/* Stores the state of an average whose weights were constant from the first example on. */
static Status put_average(const Fit *fit, const Linear *w, Model *model)
{
    size_t count = (size_t)w->features * w->outputs, size = w->outputs + count;
    double *late;

    TRY(ALLOC_ZERO(fit->context, late, size, "averaged weights", fit->error));
    TRY(clv_bundle_take(model->bundle, "late", BUNDLE_F64, late, size, fit->error));
    return clv_bundle_put(model->bundle, "last_weights", BUNDLE_F32, w->w, count, fit->error);
}

/* Changes the weights used for prediction by passive-aggressive steps toward a margin of at least
 * UPDATE_MARGIN for each row. */
static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const Options *options = fit->options;
    LinearUpdate how = {
        .loss = {.kind = LOSS_HINGE},
        .joint = options->multiclass == JOINT,
        .learn_intercept = options->learn_threshold,
        .C = INFINITY,
        .unit = UPDATE_MARGIN * options->learning_rate,
    };
    Linear w = {0};
    Status status;

    if (clv_votes_in_model(from))
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_USAGE, "train on all rows together, or with --form averaged",
            "--form voted has no incremental form: every weight vector keeps its votes");
    status = clv_linear_update(fit, from, dataset, &how, &w);
    THEN(status, clv_linear_to_model(&w, 1, 1, model, fit->error));
    if (status == OK && clv_bundle_get(from->bundle, "late", BUNDLE_F64))
        status = put_average(fit, &w, model);
    clv_linear_free(&w);
    return status;
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    return clv_votes_in_model(model) ? clv_votes_predict(model, block, scores, error)
                                     : clv_linear_predict(model, block, scores, error);
}

static bool shares(const Model *model, const Block *block, uint32_t row, size_t output,
                   double *share, double *intercept)
{
    return !clv_votes_in_model(model) &&
           clv_weight_contributions(model, block, row, output, share, intercept);
}

static void look(const Fit *fit, double *weights, double *thresholds)
{
    const State *state = fit->state;

    clv_linear_look(&state->w, scale(fit), weights, thresholds);
}

static bool slow_to_predict(const void *options)
{
    return ((const Options *)options)->form == FORM_VOTED;
}

static bool learns_threshold(const void *options)
{
    return ((const Options *)options)->learn_threshold;
}

static const MethodTraining training = {
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
    .slow_to_predict = slow_to_predict,
};

static const MethodOnline online = {
    .score = score,
    .widen = widen,
    .forget = forget,
    .learning_rate = rate_of,
    .update = update,
};

static const MethodDistributed distributed = {
    .give = give,
    .shapes = shapes,
    .take = take,
    .sums_exactly = sums_exactly,
    .race = race,
};

static const MethodInspection inspection = {
    .contributions = shares,
    .survey = survey,
    .end_survey = surveyed,
    .weights = look,
    .score_scale = scale,
    .learns_threshold = learns_threshold,
};

const Method clv_method_perceptron = {
    .name = "perceptron",
    .title = "Perceptron.",
    .objective = "sum over examples of max(0, -y (w.x - theta))",
    .reference = "Rosenblatt 1958; averaged and voted forms: Freund and Schapire 1999",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_MERGEABLE |
              CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_DETERMINISTIC,
    .behavior = METHOD_COUNTS_MISTAKES | METHOD_LINEAR | METHOD_RECORDS_MOMENTS,
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
