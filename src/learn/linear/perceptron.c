/*
 * The perceptron: on every mistake, turn w towards the example.
 *
 *     score(x) = w·x − θ             mistake when y·score(x) ≤ 0
 *     on a mistake:  w += η y x      θ −= η y
 *
 * A score of exactly zero is a mistake, so w = 0 learns. If some unit vector separates the examples with margin γ and
 * none is longer than R, at most (R/γ)² mistakes are made (Novikoff 1962); if none does, w never settles, and the
 * stopping rules in train/stopping.h end the sweeps.
 *
 * The rate only scales w, and scaling changes no sign: w is kept in units of the rate, so that with whole-number data every
 * score is exact and a tie is a tie, whether the rate is 1 or 1/3. The model holds w and the scale.
 *
 * On data that nothing separates the last weights hang on the rows that came last; their mean over all examples does not, and is
 * nearly always better (Freund and Schapire 1999). --form auto takes it where rows are many, and the weights themselves once they
 * get through a sweep without a mistake.
 *
 * Batch form: the increments of a sweep, all made from one w, are summed (or averaged) and added at its end. Several
 * workers' sums may be added too: that is give and take, and the MapReduce round.
 *
 * A stream that forgets shrinks w by a factor before every row. What is stored is v = G w, G growing by as much, so that only the steps
 * change. The average in which an example counts less by the factor for every one after it is then Σ v / Σ G, and the sum of all v is
 * kept as it is without forgetting: n v − Σ (increment × examples before it).
 *
 * More than two classes: one separator per class against the rest, or jointly: when the highest score is not that of the
 * right class, the right one is raised and the highest wrong one lowered (Crammer and Singer 2003, with the whole step).
 */
#include "learn/linear/apart.h"
#include "learn/linear/linear_update.h"
#include "learn/linear/voted.h"

#include <math.h>

enum { AUTO, PLAIN, AVERAGED, VOTED };
enum { ONLINE, SUM, MEAN };
enum { REST, JOINT };
enum { FEW_ROWS = 1000 };

/* Score of a row after an update, in units of the learning rate; chosen with bench/update. */
#define UPDATE_MARGIN 0.8

static const char *const forms[] = {"auto", "plain", "averaged", "voted", NULL};
static const char *const updates[] = {"online", "sum", "mean", NULL};
static const char *const ways[] = {"rest", "joint", NULL};

typedef struct {
    double rate;
    double rate_decay;
    bool learn_threshold;
    bool average;
    int form;
    int update;
    int multiclass;
} Options;

static const Param params[] = {
    REAL(Options, rate, 1, ABOVE(0), "step taken on a mistake", TUNE_LOG(1e-2, 1e2), WHEN("learn_threshold=true")),
    REAL(Options, rate_decay, 0, AT_LEAST(0), "c: after t rounds the step is rate / (1 + c t)", TUNE_LOG(1e-2, 10)),
    FLAG(Options, learn_threshold, "learn the threshold; otherwise it is 0", TUNE_ALL),
    FLAG(Options, average, "short for --form averaged"),
    NAME(
        Options, form, AUTO, forms,
        "which weights answer: the last, the average over all examples seen, or all by vote; auto: the average of more "
        "than 1000 rows, unless the last ones make no mistake",
        TUNE_SOME("plain,averaged"), WHEN("average=false")),
    NAME(Options, update, ONLINE, updates,
         "after each mistake, or once a round by the sum or the mean of its mistakes"),
    NAME(Options, multiclass, REST, ways, "each class against the rest, or the right and the wrong class together"),
    END_OF_PARAMS,
};

typedef struct {
    int form;      /* what auto comes to, for one */
    bool clean;    /* no mistake was made in the last sweep, nor since */
    Linear w;      /* in units of the rate */
    double *late;  /* averaged: each increment times the examples seen before it; laid out as w, then the biases */
    double *delta; /* batch: the increments of this sweep, laid out likewise */
    size_t late_size, delta_size;
    uint64_t batch; /* examples stepped over since the last update */
    double step;    /* of this round, in units of the rate */
    double others;  /* racing: workers beside this one, whose thresholds move as this one's does */
    /* A stream that forgets: steps grow instead of weights that shrink. */
    bool forgets;
    double grown;     /* by this: w is in units of rate / grown */
    double grown_sum; /* over the examples seen; where nothing is forgotten they are as many */
    uint64_t origin;  /* late counts examples from here on */
    double *scores;
    Votes votes;
    Margin margin;
} State;

/* Steps of whole sweeps are not noisy; racing workers share the last weights alone; of a stream nobody knows how many rows there are. */
static int choose_form(const Fit *fit)
{
    const Options *options = fit->options;

    if (options->form != AUTO)
        return options->form;
    return (fit->problem->rows > FEW_ROWS || fit->problem->rows == 0) && options->update == ONLINE &&
                   !fit->problem->racy
               ? AVERAGED
               : PLAIN;
}

static bool answers_with_mean(const Fit *fit)
{
    const Options *options = fit->options;
    const State *state = fit->state;

    return state->form == AVERAGED && (options->form != AUTO || (fit->counters.seen > FEW_ROWS && !state->clean));
}

/* What the weights that answer are multiplied by: those of a mean have it in them that w has grown. */
static double unit_of(const Fit *fit)
{
    const Options *options = fit->options;

    return answers_with_mean(fit) ? options->rate : options->rate / ((const State *)fit->state)->grown;
}

static Status check(void *given, cleave_error *error)
{
    Options *options = given;

    if (options->average && (options->form == VOTED || options->form == PLAIN))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--average does not go with --form %s", forms[options->form]);
    if (options->average)
        options->form = AVERAGED;
    options->average = false;
    if (options->form == VOTED && options->update != ONLINE) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--form voted does not go with --update %s", updates[options->update]);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "votes are counted between single mistakes: leave --update out");
    }
    return OK;
}

/* ---- the extra vectors -------------------------------------------------------------------------------------------- */

/* As long as w and its biases; what is new is 0. The biases stand first, so that w may grow behind them. */
static Status stretch(Fit *fit, double **vector, size_t *size)
{
    State *state = fit->state;
    size_t need = state->w.outputs * ((size_t)state->w.features + 1);
    double *grown;

    if (need <= *size)
        return OK;
    grown = clv_resize(fit->context, *vector, need, sizeof *grown);
    if (!grown)
        return clv_fail_memory(fit->error, "weights", need * sizeof *grown);
    clv_clear(fit->context, grown + *size, (need - *size) * sizeof *grown);
    *vector = grown;
    *size = need;
    return OK;
}

static void add_to(const State *state, double *vector, size_t output, double step, const Block *block, uint32_t row,
                   bool bias)
{
    size_t outputs = state->w.outputs;
    double *weights = vector + outputs;

    if (bias)
        vector[output] += step;
    if (outputs == 1) { /* the same sums by the faster loop */
        state->w.kernels->add_wide(weights, step, block, row);
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        weights[(size_t)walk.column * outputs + output] += step * (double)walk.value;
}

static Status make_room(Fit *fit, uint32_t features)
{
    const Options *options = fit->options;
    State *state = fit->state;

    TRY(clv_linear_reserve(&state->w, features, fit->error));
    if (features > fit->features)
        fit->features = features;
    if (state->form == AVERAGED)
        TRY(stretch(fit, &state->late, &state->late_size));
    if (options->update != ONLINE)
        TRY(stretch(fit, &state->delta, &state->delta_size));
    return OK;
}

static Status begin(Fit *fit)
{
    State *state = fit->state;
    size_t outputs = outputs_of(fit->classes);

    state->form = choose_form(fit);
    state->grown = 1;
    clv_votes_init(&state->votes, fit->context);
    TRY(clv_linear_init(&state->w, fit->context, fit->features, outputs, fit->error));
    state->scores = clv_alloc_zero(fit->context, outputs, sizeof *state->scores);
    if (!state->scores)
        return clv_fail_memory(fit->error, "scores", outputs * sizeof *state->scores);
    return make_room(fit, fit->features);
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_linear_free(&state->w);
    clv_votes_free(&state->votes);
    clv_free(fit->context, state->late);
    clv_free(fit->context, state->delta);
    clv_free(fit->context, state->scores);
}

/* ---- one example -------------------------------------------------------------------------------------------------- */

/* Moves output's separator by sign times the step towards the row. */
static Status move(Fit *fit, size_t output, double sign, const Block *block, uint32_t row)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double step = sign * state->step * fit_weight(fit, block, row, block_label(block, row));
    bool bias = options->learn_threshold;

    state->clean = false;
    if (options->update != ONLINE) {
        add_to(state, state->delta, output, step, block, row, bias);
        return OK;
    }
    clv_linear_add(&state->w, output, step, block, row, bias);
    if (bias)
        state->w.bias[output] += state->others * step;
    if (state->form == AVERAGED)
        add_to(state, state->late, output, step * (double)(fit->counters.seen - state->origin), block, row, bias);
    if (state->form == VOTED)
        return clv_votes_mistake(&state->votes, block, row, output, step, fit->error);
    return OK;
}

static Status learn_binary(Fit *fit, const Block *block, uint32_t row, uint32_t label, bool *ok)
{
    State *state = fit->state;
    double y = label == fit->positive ? 1 : -1;

    state->scores[0] = state->w.kernels->dot(state->w.w, block, row) + state->w.bias[0];
    *ok = y * state->scores[0] > 0;
    if (*ok)
        return OK;
    fit->counters.epoch_mistakes++;
    fit->counters.epoch_loss -= y * state->scores[0] / state->grown;
    return move(fit, 0, y, block, row);
}

static Status learn_rest(Fit *fit, const Block *block, uint32_t row, uint32_t label, bool *ok)
{
    State *state = fit->state;

    clv_linear_scores(&state->w, block, row, state->scores);
    *ok = true;
    for (size_t output = 0; output < state->w.outputs; output++) {
        double y = output == label ? 1 : -1;

        if (y * state->scores[output] > 0)
            continue;
        *ok = false;
        fit->counters.epoch_mistakes++;
        fit->counters.epoch_loss -= y * state->scores[output] / state->grown;
        TRY(move(fit, output, y, block, row));
    }
    return OK;
}

static Status learn_joint(Fit *fit, const Block *block, uint32_t row, uint32_t label, bool *ok)
{
    State *state = fit->state;
    size_t wrong = label == 0;

    clv_linear_scores(&state->w, block, row, state->scores);
    for (size_t output = 0; output < state->w.outputs; output++)
        if (output != label && state->scores[output] > state->scores[wrong])
            wrong = output;
    *ok = state->scores[label] > state->scores[wrong];
    if (*ok)
        return OK;
    fit->counters.epoch_mistakes++;
    fit->counters.epoch_loss += (state->scores[wrong] - state->scores[label]) / state->grown;
    TRY(move(fit, label, 1, block, row));
    return move(fit, wrong, -1, block, row);
}

static Status step(Fit *fit, const Block *block)
{
    const Options *options = fit->options;
    State *state = fit->state;
    Status (*learn)(Fit *, const Block *, uint32_t, uint32_t, bool *) = state->w.outputs == 1          ? learn_binary
                                                                        : options->multiclass == JOINT ? learn_joint
                                                                                                       : learn_rest;
    bool voted = state->form == VOTED;

    TRY(make_room(fit, block->features));
    state->step = state->grown / (1 + options->rate_decay * fit->counters.epoch);
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        bool ok;

        if (label >= fit->classes)
            continue;
        TRY(learn(fit, block, row, label, &ok));
        fit->counters.seen++;
        state->batch++;
        state->grown_sum += state->grown;
        if (voted)
            clv_votes_visited(&state->votes);
        if (fit->trace)
            fit->trace(fit, block, row, state->scores, ok);
    }
    return OK;
}

/* ---- the end of a sweep ------------------------------------------------------------------------------------------- */

static void apply_delta(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;
    double share = options->update == MEAN && fit->counters.epoch_mistakes ? 1 / (double)fit->counters.epoch_mistakes
                                                                           : 1;
    double seen = (double)(fit->counters.seen - state->batch -
                           state->origin); /* the mean is over the weights each round ends with */

    for (size_t i = 0; i < outputs; i++)
        state->w.bias[i] += share * state->delta[i];
    for (size_t i = 0; i < count; i++)
        state->w.w[i] = (float)((double)state->w.w[i] + share * state->delta[outputs + i]);
    for (size_t i = 0; i < outputs + count && state->late; i++)
        state->late[i] += share * state->delta[i] * seen;
    memset(state->delta, 0, state->delta_size * sizeof *state->delta);
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
    state->batch = 0;
    fit->counters.epoch_loss *= options->rate;
    *clean = state->clean = fit->counters.epoch_mistakes == 0;
    return clv_linear_finite(&state->w) ? OK : clv_linear_overflow(fit->error);
}

static Status refuse_voted(cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_USAGE,
                    "--form voted is one chain of mistakes: it cannot be put together from several workers");
}

/* Of an average, late / seen is averaged like w: w - late / seen then is. Most of late is as it was at the start. */
static Status give_late(const Fit *fit, const Fit *start, double rows, Delta *delta)
{
    const State *state = fit->state, *before = start->state;
    double share = rows / (fit->counters.seen > state->origin ? (double)(fit->counters.seen - state->origin) : 1);

    TRY(clv_delta_add(delta, "late_keep", 0, share, fit->error));
    for (size_t i = 0; i < state->late_size; i++)
        TRY(clv_delta_add(delta, "late", i, share * (state->late[i] - (i < before->late_size ? before->late[i] : 0)),
                          fit->error));
    return OK;
}

static void take_late(Fit *fit, const Delta *sum, double rows)
{
    State *state = fit->state;
    const DeltaPart *late = clv_delta_part(sum, "late");
    double share = (double)(fit->counters.seen - state->origin) / rows,
           keep = share * clv_delta_number(sum, "late_keep", 0);

    for (size_t i = 0; i < state->late_size; i++)
        state->late[i] *= keep;
    for (size_t i = 0; late && i < late->count; i++)
        state->late[late->index[i]] += share * late->value[i];
}

/* Increments of one w are summed; separators trained apart are averaged by the examples they saw. */
static Status give(const Fit *fit, const Fit *start, Delta *delta)
{
    const Options *options = fit->options;
    const State *state = fit->state, *before = start->state;
    double rows = (double)(fit->counters.seen - start->counters.seen);
    size_t outputs = state->w.outputs;

    if (state->form == VOTED)
        return refuse_voted(fit->error);
    if (options->update != ONLINE) {
        TRY(clv_delta_add_all(delta, "bias", state->delta, outputs, fit->error));
        return clv_delta_add_all(delta, "w", state->delta + outputs, state->delta_size - outputs, fit->error);
    }
    TRY(clv_apart_give((Apart){&state->w, 1, NULL}, (Apart){&before->w, 1, NULL}, rows, delta, fit->error));
    return state->form == AVERAGED ? give_late(fit, start, rows, delta) : OK;
}

static void take_increments(State *state, const Delta *sum)
{
    const DeltaPart *w = clv_delta_part(sum, "w");
    size_t outputs = state->w.outputs;

    for (size_t i = 0; i < outputs; i++)
        state->delta[i] += clv_delta_number(sum, "bias", i);
    for (size_t i = 0; w && i < w->count; i++)
        state->delta[outputs + w->index[i]] += w->value[i];
}

static Status race(Fit *worker, const Fit *shared, unsigned workers)
{
    const Options *options = worker->options;
    State *state = worker->state;

    if (state->form != PLAIN || options->update != ONLINE || state->w.outputs > 1) {
        clv_fail(worker->error, CLEAVE_ERROR_USAGE,
                 "--racy is for the plain perceptron with its own updates, and for two classes");
        return clv_hint(worker->error, CLEAVE_ERROR_USAGE,
                        "--shards takes every form; 'svm --solver sgd' races with any classes");
    }
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

    TRY(clv_apart_features(sum, "w", state->w.outputs, &features, fit->error));
    TRY(make_room(fit, features));
    if (clv_delta_size(sum, "late") > state->late_size)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "an update of an average speaks of more features than its weights");
    if (rows <= 0)
        return OK;
    state->batch += (uint64_t)rows;
    state->grown_sum += rows * state->grown;
    if (options->update != ONLINE) {
        take_increments(state, sum);
        return OK;
    }
    clv_apart_take(&state->w, &scale, rows, sum);
    if (state->form == AVERAGED)
        take_late(fit, sum, rows);
    return OK;
}

/* ---- streams ------------------------------------------------------------------------------------------------------ */

/* What the average is of w and late: answers = ours * w - theirs * late. */
static void average_of(const Fit *fit, double *ours, double *theirs)
{
    const State *state = fit->state;
    double seen = (double)(fit->counters.seen - state->origin);

    double all = state->forgets ? state->grown_sum : seen;

    all = all > 0 ? all : 1;
    *ours = state->forgets ? seen / all : 1;
    *theirs = 1 / all;
}

static void score_average(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    State *state = fit->state;
    size_t outputs = state->w.outputs;
    double ours, theirs;

    average_of(fit, &ours, &theirs);
    clv_linear_known_wide_scores(state->late + outputs, state->w.features, outputs, block, row, state->scores);
    for (size_t i = 0; i < outputs; i++)
        scores[i] = ours * scores[i] - theirs * (state->scores[i] + state->late[i]);
}

static Status score(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double unit = unit_of(fit);

    if (state->form == VOTED) {
        clv_votes_scores(&state->votes, options->learn_threshold, state->w.outputs, block, row, state->scores, scores);
        return OK;
    }
    clv_linear_known_scores(&state->w, state->w.w, 1, block, row, scores);
    for (size_t i = 0; i < state->w.outputs; i++)
        scores[i] += state->w.bias[i];
    if (answers_with_mean(fit))
        score_average(fit, block, row, scores);
    for (size_t i = 0; i < state->w.outputs; i++)
        scores[i] *= unit;
    return OK;
}

static Status widen(Fit *fit, uint32_t classes, uint32_t positive)
{
    State *state = fit->state;
    Widening to = {classes, positive, outputs_of(classes)};
    size_t rows = (size_t)state->w.features + 1; /* the biases are the first */

    if (state->form == VOTED && state->votes.mistakes > 0) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE, "--form voted cannot take up classes that appear while it learns");
        return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "--form averaged can, and answers much the same");
    }
    TRY(make_room(fit, state->w.features));
    if (state->late)
        TRY(clv_widen_doubles(fit, &to, &state->late, rows));
    if (state->delta)
        TRY(clv_widen_doubles(fit, &to, &state->delta, rows));
    state->late_size = state->late ? rows * to.outputs : 0;
    state->delta_size = state->delta ? rows * to.outputs : 0;
    TRY(clv_widen_doubles(fit, &to, &state->scores, 1));
    TRY(clv_widen_linear(fit, &to, &state->w));
    clv_widened(fit, &to);
    return OK;
}

/* The sum of all v, which late is to be from here on, is the negative of late when no example is counted. */
static void fold(Fit *fit)
{
    State *state = fit->state;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;
    double seen = (double)(fit->counters.seen - state->origin);

    for (size_t i = 0; i < outputs + count && state->late; i++) {
        double v = i < outputs ? state->w.bias[i] : (double)state->w.w[i - outputs];

        state->late[i] = (state->late[i] - seen * v) / FORGET_FOLD;
    }
    for (size_t i = 0; i < outputs + count && state->delta; i++)
        state->delta[i] /= FORGET_FOLD;
    for (size_t i = 0; i < outputs; i++)
        state->w.bias[i] /= FORGET_FOLD;
    for (size_t i = 0; i < count; i++)
        state->w.w[i] = (float)((double)state->w.w[i] / FORGET_FOLD);
    state->grown /= FORGET_FOLD;
    state->grown_sum /= FORGET_FOLD;
    state->origin = fit->counters.seen;
}

static Status forget(Fit *fit, double keep)
{
    State *state = fit->state;

    if (state->form == VOTED) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE, "--form voted cannot forget: every vector keeps its votes");
        return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "--form averaged can");
    }
    state->forgets = true;
    state->grown /= keep;
    if (state->grown >= FORGET_FOLD)
        fold(fit);
    return OK;
}

static double rate_of(const Fit *fit)
{
    const Options *options = fit->options;

    return options->rate / (1 + options->rate_decay * fit->counters.epoch);
}

/* ---- figures ------------------------------------------------------------------------------------------------------ */

static Status survey(Fit *fit, const Model *model, const Block *block, const double *scores)
{
    const Options *options = fit->options;
    State *state = fit->state;

    (void)model;
    (void)scores; /* those of w in units of the rate are exact */
    if (fit->result.converged && state->w.outputs == 1)
        clv_margin_add(&state->margin, &state->w, block, fit->positive, options->learn_threshold);
    return OK;
}

static Status surveyed(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;

    (void)model;
    clv_margin_tell(&state->margin, options->rate / state->grown, options->learn_threshold, fit);
    return OK;
}

/* ---- the model ---------------------------------------------------------------------------------------------------- */

static Status average(const Fit *fit, Linear *result)
{
    enum { PIECE = 1 << 20 };
    const State *state = fit->state;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;
    double seen = fit->counters.seen ? (double)fit->counters.seen : 1, ours, theirs;

    average_of(fit, &ours, &theirs);
    TRY(clv_linear_init(result, fit->context, state->w.features, outputs, fit->error));
    for (size_t i = 0; i < outputs; i++)
        result->bias[i] = state->w.bias[i] - state->late[i] / seen;
    for (size_t from = 0; from < count; from += PIECE) {
        clv_tick(fit->context);
        for (size_t i = from; i < count && i < from + PIECE; i++)
            result->w[i] = (float)((double)state->w.w[i] - state->late[outputs + i] / seen);
    }
    if (!state->forgets)
        return OK;
    for (size_t i = 0; i < outputs; i++)
        result->bias[i] = ours * state->w.bias[i] - theirs * state->late[i];
    for (size_t i = 0; i < count; i++)
        result->w[i] = (float)(ours * (double)state->w.w[i] - theirs * state->late[outputs + i]);
    return OK;
}

enum { FORGOTTEN = 3 };

/* What going on needs beside the weights that answer: the thresholds in units of the rate (dividing by it again would
 * round), and of an average the last weights and how late they came. */
static Status save_rest(const Fit *fit, Model *model)
{
    const Options *options = fit->options;
    const State *state = fit->state;
    size_t outputs = state->w.outputs, count = (size_t)state->w.features * outputs;

    double forgotten[FORGOTTEN] = {state->grown, state->grown_sum, (double)state->origin};
    double pending[] = {(double)state->batch, (double)fit->counters.epoch_mistakes};
    double clean = state->clean;

    if (state->forgets)
        TRY(clv_bundle_put(model->bundle, "forgotten", BUNDLE_F64, forgotten, FORGOTTEN, fit->error));
    if (state->batch > 0 && state->delta && fit->problem->rows == 0) { /* no row of a stream comes again */
        TRY(clv_bundle_put(model->bundle, "pending", BUNDLE_F64, state->delta, outputs + count, fit->error));
        TRY(clv_bundle_put(model->bundle, "pending_rows", BUNDLE_F64, pending, 2, fit->error));
    }
    if (options->learn_threshold)
        TRY(clv_bundle_put(model->bundle, "last_bias", BUNDLE_F64, state->w.bias, outputs, fit->error));
    if (state->form != AVERAGED)
        return OK;
    if (!answers_with_mean(fit))
        TRY(clv_bundle_put(model->bundle, "last_answers", BUNDLE_F64, &clean, 1, fit->error));
    TRY(clv_bundle_put(model->bundle, "last_weights", BUNDLE_F32, state->w.w, count, fit->error));
    return clv_bundle_put(model->bundle, "late", BUNDLE_F64, state->late, outputs + count, fit->error);
}

static Status end(Fit *fit, Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;
    Linear averaged = {0};
    Status status = OK;

    if (answers_with_mean(fit))
        status = average(fit, &averaged);
    if (status == OK)
        status = clv_linear_to_model(averaged.w ? &averaged : &state->w, unit_of(fit), unit_of(fit), model, fit->error);
    if (status == OK && state->form == VOTED)
        status = clv_votes_to_model(&state->votes, options->learn_threshold, model, fit->error);
    if (status == OK)
        status = save_rest(fit, model);
    clv_linear_free(&averaged);
    return status;
}

static bool rest_fits(const Model *model, const char *name, BundleType type, size_t rows)
{
    const BundleItem *item = clv_bundle_get(model->bundle, name, type);

    return !item || (item->count == (uint64_t)rows * outputs_of(model->labels.count) && clv_linear_finite_item(item));
}

static bool arrays_fit(const Model *model)
{
    return clv_linear_check_model(model, BUNDLE_F32) && rest_fits(model, "last_bias", BUNDLE_F64, 1) &&
           rest_fits(model, "last_weights", BUNDLE_F32, model->features) &&
           rest_fits(model, "late", BUNDLE_F64, (size_t)model->features + 1) &&
           rest_fits(model, "pending", BUNDLE_F64, (size_t)model->features + 1) &&
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
    return clv_fail(fit->error, CLEAVE_ERROR_USAGE, "the model was not trained with %s: it cannot go on with it", what);
}

static Status refuse_state(const Fit *fit)
{
    return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model's state of training does not make sense");
}

static Status resume_forgotten(Fit *fit, const Model *model)
{
    State *state = fit->state;
    double forgotten[FORGOTTEN], pending[2];

    state->grown_sum = (double)fit->counters.seen;
    if (clv_bundle_copy(model->bundle, "forgotten", BUNDLE_F64, forgotten, FORGOTTEN)) {
        if (!forget_factor_fits(forgotten[0]) || !(forgotten[1] >= 0 && isfinite(forgotten[1])) ||
            !(forgotten[2] >= 0 && forgotten[2] <= (double)fit->counters.seen))
            return refuse_state(fit);
        state->forgets = true;
        state->grown = forgotten[0];
        state->grown_sum = forgotten[1];
        state->origin = (uint64_t)forgotten[2];
    }
    if (state->delta && fit->problem->rows == 0 &&
        clv_bundle_copy(model->bundle, "pending_rows", BUNDLE_F64, pending, 2) &&
        clv_bundle_copy(model->bundle, "pending", BUNDLE_F64, state->delta,
                        state->w.outputs * ((uint64_t)model->features + 1))) {
        if (!(pending[0] >= 0 && pending[0] <= (double)fit->counters.seen) || !(pending[1] >= 0 && pending[1] < 9e15))
            return refuse_state(fit);
        state->batch = (uint64_t)pending[0];
        fit->counters.epoch_mistakes = (uint64_t)pending[1];
    }
    return OK;
}

/* The model's units are its scale, ours the rate. */
static Status resume(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;
    const BundleItem *bias = clv_bundle_get(model->bundle, "last_bias", BUNDLE_F64);
    const BundleItem *weights = clv_bundle_get(model->bundle, "last_weights", BUNDLE_F32);
    const BundleItem *late = clv_bundle_get(model->bundle, "late", BUNDLE_F64);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    double ratio, unit, clean = 0;
    bool last_answers = !late || clv_bundle_copy(model->bundle, "last_answers", BUNDLE_F64, &clean, 1);

    if (options->form == AUTO)
        state->form = late && !fit->problem->racy ? AVERAGED : clv_votes_in_model(model) ? VOTED : PLAIN;
    if (state->form == AVERAGED && !late)
        return refuse_form(fit, "--form averaged");
    if (state->form == VOTED && !clv_votes_in_model(model))
        return refuse_form(fit, "--form voted");
    if (state->form == VOTED && clv_votes_with_threshold(model) != options->learn_threshold)
        return refuse_form(fit, options->learn_threshold ? "--learn-threshold" : "a threshold of 0");
    TRY(make_room(fit, model->features));
    TRY(resume_forgotten(fit, model));
    state->clean = clean == 1;
    unit = last_answers ? options->rate / state->grown : options->rate; /* the model's, at our rate */
    ratio = *(const double *)scale->data / unit;
    TRY(clv_linear_from_model(&state->w, model, unit, fit->error));
    for (uint64_t i = 0; bias && i < bias->count; i++)
        state->w.bias[i] = ratio * ((const double *)bias->data)[i];
    for (uint64_t i = 0; weights && i < weights->count; i++)
        state->w.w[i] = (float)(ratio * (double)((const float *)weights->data)[i]);
    for (uint64_t i = 0; late && state->late && i < late->count; i++)
        state->late[i] = ratio * ((const double *)late->data)[i];
    return state->form == VOTED ? clv_votes_from_model(&state->votes, model, ratio, fit->error) : OK;
}

/* Of an average, the state of one that has had these weights from the first example on. */
static Status put_average(const Fit *fit, const Linear *w, Model *model)
{
    size_t count = (size_t)w->features * w->outputs, size = w->outputs + count;
    double *late = clv_alloc_zero(fit->context, size, sizeof *late);

    if (!late)
        return clv_fail_memory(fit->error, "averaged weights", size * sizeof *late);
    TRY(clv_bundle_take(model->bundle, "late", BUNDLE_F64, late, size, fit->error));
    return clv_bundle_put(model->bundle, "last_weights", BUNDLE_F32, w->w, count, fit->error);
}

/* The weights that predict are changed by passive-aggressive steps: a row is to score UPDATE_MARGIN or more. */
static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const Options *options = fit->options;
    LinearUpdate how = {
        .loss = {.kind = LOSS_HINGE},
        .joint = options->multiclass == JOINT,
        .learn_bias = options->learn_threshold,
        .C = INFINITY,
        .unit = UPDATE_MARGIN * options->rate,
    };
    Linear w = {0};
    Status status;

    if (clv_votes_in_model(from)) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE, "--form voted has no incremental form: every vector keeps its votes");
        return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "train on all rows together, or with --form averaged");
    }
    status = clv_linear_update(fit, from, dataset, &how, &w);
    if (status == OK)
        status = clv_linear_to_model(&w, 1, 1, model, fit->error);
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

static bool shares(const Model *model, const Block *block, uint32_t row, size_t output, double *share, double *bias)
{
    return !clv_votes_in_model(model) && clv_weight_contributions(model, block, row, output, share, bias);
}

static void look(const Fit *fit, double *weights, double *thresholds)
{
    const Options *options = fit->options;
    const State *state = fit->state;

    clv_linear_look(&state->w, options->rate / state->grown, weights, thresholds);
}

static bool slow_to_predict(const void *options)
{
    return ((const Options *)options)->form == VOTED;
}

static double scale(const Fit *fit)
{
    return ((const Options *)fit->options)->rate / ((const State *)fit->state)->grown;
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
    .title = "linear separator that learns from its mistakes",
    .objective = "sum over examples of max(0, -y (w.x - theta))",
    .reference = "Rosenblatt 1958; averaged and voted forms: Freund and Schapire 1999",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_MERGEABLE | CLEAVE_TRAIT_WIDE |
              CLEAVE_TRAIT_DETERMINISTIC,
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
