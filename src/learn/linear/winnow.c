/*
 * Winnow: weights that are multiplied instead of added to (Littlestone 1988). Features are 0 or 1.
 *
 *     score(x) = w·x − θ             mistake when y·score(x) ≤ 0
 *     a positive example missed:     w_i := w_i / η  where x_i = 1        (θ := η θ  when it is learned)
 *     a negative one let through:    w_i := η w_i    where x_i = 1        (θ := θ / η)
 *
 * Weights start at 1, and θ at the number of features d; a learned θ starts at 1 like a weight and is treated the opposite way.
 * For a disjunction of k of d features O(k log d) mistakes are made, where the perceptron may make O(k d).
 *
 * Weights so made are positive. The balanced form keeps two for each feature, u and v, which start at 1 and are moved in
 * opposite directions, and scores by u − v.
 *
 * The mean of the weights over all examples seen answers better than the last, which hang on the rows that came last: --form auto takes it
 * where rows are many, and the weights themselves once they make no mistake. It is kept as the perceptron keeps its own.
 *
 * Classes that appear: one output for two classes speaks for the positive one. The other's own output gets the mirror image of it, w being
 * 1/w (halves change places) and a learned θ its start squared over θ: what was raised for the one was lowered for the other by as many factors. It
 * has not made its own mistakes yet, so its answers are no exact opposite, as they are where weights are added to.
 *
 * A stream that forgets draws every weight back to its start, log w shrinking by a factor before each row. That is done when the weight is
 * next needed: a stamp says up to when it was.
 *
 * A row that weighs c is c visits: the factors are taken to the power of c. Weights are doubles, since products leave the
 * range of a float soon (2^-151 in 100 rounds of Exercise 12.2.1(d)); one stays at the least normal double rather than
 * becoming 0, from where no factor would bring it back.
 */
#include "learn/linear/apart.h"
#include "learn/linear/linear_update.h"

#include <float.h>
#include <math.h>

enum { AUTO, PLAIN, AVERAGED };
enum { FEW_ROWS = 1000 };

#define UPDATE_MARGIN 0.2 /* what a row is to score after an update, in units of the threshold */

static const char *const forms[] = {"auto", "plain", "averaged", NULL};

typedef struct {
    double rate;
    double up, down;
    int form;
    const char *threshold;
    bool learn_threshold;
    bool balanced;
    bool given;   /* check: --threshold is a number, */
    double theta; /* this one */
} Options;

static const Param params[] = {
    REAL(Options, rate, 0.5, ABOVE(0), "below 1: weights are divided by it, or multiplied, on a mistake",
         TUNE_LINEAR(0.3, 0.95)),
    REAL(Options, up, 0, AT_LEAST(0), "factor for the weights of a positive example that was missed; 0: 1 / rate"),
    REAL(Options, down, 0, AT_LEAST(0), "factor for those of a negative one that was let through; 0: the rate"),
    NAME(
        Options, form, AUTO, forms,
        "which weights answer: the last, or their mean over all examples; auto: the mean of sweeps over more than 1000 "
        "rows, unless the last ones make no mistake",
        TUNE_SOME("plain,averaged")),
    TEXT(Options, threshold, "d", "the threshold: a number, or d, the number of features"),
    FLAG(Options, learn_threshold,
         "learn the threshold: it starts at 1, or at --threshold, and moves against the weights", TUNE_ALL),
    FLAG(Options, balanced, "weights of both signs, as differences of two that start at 1", TUNE_ALL),
    END_OF_PARAMS,
};

/* Vectors of outputs * features as in linear.h. */
typedef struct {
    Context *context;
    double *w;    /* what scores; u − v in the balanced form */
    double *half; /* balanced: the u of all weights, then… */
    double *other_half;
    double *bias; /* −θ */
    double *scores;
    size_t outputs, capacity;
    uint32_t features;
    double *
        stamp; /* forgetting, by feature: what faded was when the weight was last brought up to date; NULL: never forgot */
    size_t stamp_capacity;
    double faded; /* Σ ln keep */
    bool averages;
    bool clean;   /* no mistake was made in the last sweep, nor since */
    double *late; /* averages: each increment times the examples seen before it; the biases, then laid out as w */
    size_t late_size;
} State;

/* A stream may be told to forget, and classes may appear in it: only who asks for it gets the mean of one. */
static bool wants_mean(const Fit *fit)
{
    const Options *options = fit->options;

    return options->form == AVERAGED || (options->form == AUTO && fit->problem->rows > FEW_ROWS);
}

static bool answers_with_mean(const Fit *fit)
{
    const Options *options = fit->options;
    const State *state = fit->state;

    return state->averages && (options->form == AVERAGED || (fit->counters.seen > FEW_ROWS && !state->clean));
}

static double up_of(const Options *options)
{
    return options->up > 0 ? options->up : 1 / options->rate;
}

static double down_of(const Options *options)
{
    return options->down > 0 ? options->down : options->rate;
}

static Status check_threshold(Options *options, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    options->given = strcmp(options->threshold, "d") != 0;
    options->theta = 1;
    if (options->given && (!clv_parse_ratio(options->threshold, &options->theta) || !isfinite(options->theta)))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--threshold is a number or d, not '%s'",
                        clv_quote(quoted, options->threshold, strlen(options->threshold)));
    if (options->theta <= 0 && (options->learn_threshold || !options->balanced)) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--threshold %s: it must be above 0", options->threshold);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        options->learn_threshold ? "a learned threshold is multiplied, and never changes its sign"
                                                 : "weights are positive, so nothing would ever score below it; "
                                                   "--balanced has weights of both signs");
    }
    if (options->balanced && !options->given && !options->learn_threshold) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--balanced needs a threshold: its weights start from a score of 0");
        return clv_hint(error, CLEAVE_ERROR_USAGE, "give it, as in --threshold 1, or --learn-threshold");
    }
    return OK;
}

static Status check(void *given, cleave_error *error)
{
    Options *options = given;

    if (up_of(options) <= 1 || down_of(options) >= 1) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "the factors must be above 1 (up) and below 1 (down), not %g and %g",
                 up_of(options), down_of(options));
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--rate 1/2 means 2 and 1/2; --up and --down set each by itself");
    }
    return check_threshold(options, error);
}

static Status choose(Fit *fit, void *given)
{
    const Options *options = given;

    if (fit->problem->rows > 0 || options->given || options->learn_threshold)
        return OK;
    clv_fail(fit->error, CLEAVE_ERROR_USAGE,
             "winnow's threshold is the number of features, which nobody knows in a stream");
    return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "give it, as in --threshold 100, or --learn-threshold");
}

/* ---- the vectors -------------------------------------------------------------------------------------------------- */

static Status stretch(Fit *fit, double **vector, size_t used, size_t need, size_t capacity, double start)
{
    State *state = fit->state;
    double *grown = *vector;

    if (need > state->capacity || !grown) {
        grown = clv_resize(fit->context, *vector, capacity, sizeof *grown);
        if (!grown)
            return clv_fail_memory(fit->error, "weights", capacity * sizeof *grown);
        *vector = grown;
    }
    for (size_t i = used; i < need; i++)
        grown[i] = start;
    return OK;
}

static Status make_room_for_late(Fit *fit)
{
    State *state = fit->state;
    size_t need = state->outputs * ((size_t)state->features + 1);
    double *grown;

    if (need <= state->late_size)
        return OK;
    grown = clv_resize(fit->context, state->late, need, sizeof *grown);
    if (!grown)
        return clv_fail_memory(fit->error, "the mean of the weights", need * sizeof *grown);
    memset(grown + state->late_size, 0, (need - state->late_size) * sizeof *grown);
    state->late = grown;
    state->late_size = need;
    return OK;
}

/* New features start as all did. */
static Status make_room(Fit *fit, uint32_t features)
{
    const Options *options = fit->options;
    State *state = fit->state;
    size_t used = (size_t)state->features * state->outputs, need = (size_t)features * state->outputs;
    size_t capacity = need > 2 * state->capacity || !state->w ? need : 2 * state->capacity;

    if (features > fit->features)
        fit->features = features;
    if (features <= state->features && state->w)
        return OK;
    if (state->stamp) {
        TRY(GROW(fit->context, state->stamp, state->stamp_capacity, features, fit->error));
        for (uint32_t i = state->features; i < features; i++)
            state->stamp[i] = state->faded;
    }
    TRY(clv_linear_affordable(features, state->outputs * ((options->balanced ? 6 : 2) + (state->averages ? 2 : 0)),
                              fit->error));
    TRY(stretch(fit, &state->w, used, need, capacity, options->balanced ? 0 : 1));
    if (options->balanced) {
        TRY(stretch(fit, &state->half, used, need, capacity, 1));
        TRY(stretch(fit, &state->other_half, used, need, capacity, 1));
    }
    if (need > state->capacity)
        state->capacity = capacity;
    state->features = features;
    return state->averages ? make_room_for_late(fit) : OK;
}

static Status begin(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;

    state->context = fit->context;
    state->outputs = outputs_of(fit->classes);
    state->averages = wants_mean(fit);
    state->bias = clv_alloc(fit->context, state->outputs, sizeof *state->bias);
    state->scores = clv_alloc_zero(fit->context, state->outputs, sizeof *state->scores);
    if (!state->bias || !state->scores)
        return clv_fail_memory(fit->error, "scores", state->outputs * sizeof *state->scores);
    for (size_t i = 0; i < state->outputs; i++)
        state->bias[i] = options->given || options->learn_threshold ? -options->theta : -(double)fit->features;
    return make_room(fit, fit->features);
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_free(fit->context, state->w);
    clv_free(fit->context, state->half);
    clv_free(fit->context, state->other_half);
    clv_free(fit->context, state->bias);
    clv_free(fit->context, state->scores);
    clv_free(fit->context, state->stamp);
    clv_free(fit->context, state->late);
}

/* ---- forgetting --------------------------------------------------------------------------------------------------- */

/* What is left of the logarithm of a feature's weights since they were brought up to date. */
static double left_of(const State *state, uint32_t column)
{
    return state->stamp && state->stamp[column] != state->faded ? exp(state->faded - state->stamp[column]) : 1;
}

/* A weight as it is now. */
static double weight_now(const State *state, size_t at, double left)
{
    if (left == 1)
        return state->w[at];
    return state->half ? pow(state->half[at], left) - pow(state->other_half[at], left) : pow(state->w[at], left);
}

static void bring_up_to_date(State *state, const Block *block, uint32_t row)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        double left = left_of(state, walk.column);
        size_t at = (size_t)walk.column * state->outputs;

        for (size_t end = at + state->outputs; at < end && left != 1; at++) {
            if (state->half) {
                state->half[at] = pow(state->half[at], left);
                state->other_half[at] = pow(state->other_half[at], left);
                state->w[at] = state->half[at] - state->other_half[at];
            } else {
                state->w[at] = pow(state->w[at], left);
            }
        }
        state->stamp[walk.column] = state->faded;
    }
}

static Status begin_to_forget(Fit *fit)
{
    State *state = fit->state;

    TRY(GROW(fit->context, state->stamp, state->stamp_capacity, (size_t)state->features + 1, fit->error));
    for (uint32_t i = 0; i < state->features; i++)
        state->stamp[i] = state->faded;
    return OK;
}

static Status forget(Fit *fit, double keep)
{
    const Options *options = fit->options;
    State *state = fit->state;

    if (state->averages) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE, "--form averaged cannot forget: the mean is over all examples");
        return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "--form plain can");
    }
    if (!state->stamp)
        TRY(begin_to_forget(fit));
    state->faded += log(keep);
    for (size_t i = 0; i < state->outputs && options->learn_threshold; i++)
        state->bias[i] = -options->theta * pow(-state->bias[i] / options->theta, keep);
    return OK;
}

/* ---- one example -------------------------------------------------------------------------------------------------- */

static void multiply(double *value, double factor)
{
    *value = fmax(*value * factor, DBL_MIN);
}

/* Raises what speaks for output where the row has features, or lowers it. */
static void move(Fit *fit, size_t output, bool raise, const Block *block, uint32_t row)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double weight = fit_weight(fit, block, row, block_label(block, row));
    double factor = raise ? up_of(options) : down_of(options), against = raise ? down_of(options) : up_of(options);
    double seen = (double)fit->counters.seen, before = state->bias[output];

    state->clean = false;
    if (weight != 1) {
        factor = pow(factor, weight);
        against = pow(against, weight);
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        size_t at = (size_t)walk.column * state->outputs + output;
        double old = state->w[at];

        if (options->balanced) {
            multiply(&state->half[at], factor);
            multiply(&state->other_half[at], against);
            state->w[at] = state->half[at] - state->other_half[at];
        } else {
            multiply(&state->w[at], factor);
        }
        if (state->averages)
            state->late[state->outputs + at] += (state->w[at] - old) * seen;
    }
    if (options->learn_threshold)
        state->bias[output] = fmin(before * against, -DBL_MIN);
    if (state->averages)
        state->late[output] += (state->bias[output] - before) * seen;
}

static void score_row(const State *state, const Block *block, uint32_t row)
{
    if (state->outputs == 1) {
        state->scores[0] = clv_kernels()->dot_wide(state->w, block, row) + state->bias[0];
        return;
    }
    memcpy(state->scores, state->bias, state->outputs * sizeof *state->scores);
    clv_linear_wide_dot_many(state->w, state->outputs, block, row, state->scores);
}

static Status step(Fit *fit, const Block *block)
{
    State *state = fit->state;

    TRY(make_room(fit, block->features));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        bool ok = true;

        if (label >= fit->classes)
            continue;
        if (state->stamp)
            bring_up_to_date(state, block, row);
        score_row(state, block, row);
        for (size_t output = 0; output < state->outputs; output++) {
            double y = fit_sign(fit, label, output);

            if (y * state->scores[output] > 0)
                continue;
            ok = false;
            fit->counters.epoch_mistakes++;
            fit->counters.epoch_loss -= y * state->scores[output];
            move(fit, output, y > 0, block, row);
        }
        fit->counters.seen++;
        if (fit->trace)
            fit->trace(fit, block, row, state->scores, ok);
    }
    return OK;
}

/* ---- the end of a sweep ------------------------------------------------------------------------------------------- */

static bool all_finite(const double *vector, size_t count)
{
    double sum = 0; /* 0 * infinity is not a number, and stays so */

    for (size_t i = 0; i < count; i++)
        sum += 0 * vector[i];
    return sum == 0;
}

static Status check_finite(const Fit *fit)
{
    const State *state = fit->state;
    size_t count = (size_t)state->features * state->outputs;

    if (all_finite(state->w, count) && all_finite(state->bias, state->outputs) &&
        all_finite(state->late, state->late_size))
        return OK;
    clv_fail(fit->error, CLEAVE_ERROR_DATA, "the weights have grown beyond what a double holds in round %u",
             fit->counters.epoch + 1);
    return clv_hint(fit->error, CLEAVE_ERROR_DATA,
                    "nothing separates the classes with such factors: bring --rate nearer to 1, as in 4/5, or stop "
                    "sooner with --rounds");
}

static Status pass(Fit *fit, bool *clean)
{
    State *state = fit->state;

    *clean = state->clean = fit->counters.epoch_mistakes == 0;
    return check_finite(fit);
}

/* Separators trained apart are averaged by the examples they saw. Products may have left a weight far below its start, where a
 * difference from it would say nothing: a touched weight is given as it is, with the rows that speak for it. */
static Status give_vector(const Fit *fit, const char *part, const char *rows_part, const double *ours,
                          const double *start, size_t known, double rows, Delta *delta)
{
    const State *state = fit->state;
    size_t count = (size_t)state->features * state->outputs;

    for (size_t i = 0; i < count; i++)
        if (i >= known || ours[i] != start[i]) {
            TRY(clv_delta_add(delta, part, i, rows * ours[i], fit->error));
            TRY(clv_delta_add(delta, rows_part, i, rows, fit->error));
        }
    return OK;
}

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

/* late / seen is averaged like the weights: so is then the mean. Most of late is as it was at the start. */
static Status give_late(const Fit *fit, const State *before, double rows, Delta *delta)
{
    const State *state = fit->state;
    double share = rows / (fit->counters.seen ? (double)fit->counters.seen : 1);

    TRY(clv_delta_add(delta, "late_keep", 0, share, fit->error));
    for (size_t i = 0; i < state->late_size; i++)
        TRY(clv_delta_add(delta, "late", i, share * (state->late[i] - (i < before->late_size ? before->late[i] : 0)),
                          fit->error));
    return OK;
}

static Status take_late(Fit *fit, double rows, const Delta *sum)
{
    State *state = fit->state;
    const DeltaPart *late = clv_delta_part(sum, "late");
    double share = (double)fit->counters.seen / rows, keep = share * clv_delta_number(sum, "late_keep", 0);

    if (clv_delta_size(sum, "late") > state->late_size)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "an update of an average speaks of more features than its weights");
    for (size_t i = 0; i < state->late_size; i++)
        state->late[i] *= keep;
    for (size_t i = 0; late && i < late->count; i++)
        state->late[late->index[i]] += share * late->value[i];
    return OK;
}

static Status give(const Fit *fit, const Fit *start, Delta *delta)
{
    const Options *options = fit->options;
    const State *state = fit->state, *before = start->state;
    size_t known = (size_t)before->features * before->outputs;
    double rows = (double)(fit->counters.seen - start->counters.seen);

    for (size_t i = 0; i < state->outputs; i++)
        TRY(clv_delta_add(delta, "bias", i, rows * state->bias[i], fit->error));
    if (state->averages)
        TRY(give_late(fit, before, rows, delta));
    if (!options->balanced)
        return give_vector(fit, "w", "w_rows", state->w, before->w, known, rows, delta);
    TRY(give_vector(fit, "half", "half_rows", state->half, before->half, known, rows, delta));
    return give_vector(fit, "other_half", "other_rows", state->other_half, before->other_half, known, rows, delta);
}

static Status take_vector(Fit *fit, const char *part, const char *rows_part, double *vector, double rows,
                          const Delta *sum)
{
    const DeltaPart *touched = clv_delta_part(sum, part), *touched_rows = clv_delta_part(sum, rows_part);

    for (size_t i = 0; touched && i < touched->count; i++) {
        double *weight = &vector[touched->index[i]];

        if (!touched_rows || i >= touched_rows->count || touched_rows->index[i] != touched->index[i])
            return clv_fail(fit->error, CLEAVE_ERROR_DATA, "an update does not say how many rows speak for weight %llu",
                            (unsigned long long)touched->index[i]);
        *weight = fmax((touched->value[i] + (rows - touched_rows->value[i]) * *weight) / rows, DBL_MIN);
    }
    return OK;
}

static Status take(Fit *fit, const Delta *sum)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double rows = clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS);
    uint32_t features = fit->features;

    if (rows <= 0)
        return OK;
    TRY(clv_apart_features(sum, "w", state->outputs, &features, fit->error));
    TRY(clv_apart_features(sum, "half", state->outputs, &features, fit->error));
    TRY(clv_apart_features(sum, "other_half", state->outputs, &features, fit->error));
    TRY(make_room(fit, features));
    if (state->averages)
        TRY(take_late(fit, rows, sum));
    for (size_t i = 0; i < state->outputs; i++)
        state->bias[i] = clv_delta_number(sum, "bias", i) / rows;
    if (!options->balanced)
        return take_vector(fit, "w", "w_rows", state->w, rows, sum);
    TRY(take_vector(fit, "half", "half_rows", state->half, rows, sum));
    TRY(take_vector(fit, "other_half", "other_rows", state->other_half, rows, sum));
    for (size_t i = 0; i < (size_t)state->features * state->outputs; i++)
        state->w[i] = state->half[i] - state->other_half[i];
    return OK;
}

/* ---- streams ------------------------------------------------------------------------------------------------------ */

static Status score(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    const State *state = fit->state;

    if (state->stamp) {
        memset(scores, 0, state->outputs * sizeof *scores);
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            double left = walk.column < state->features ? left_of(state, walk.column) : 1;

            for (size_t i = 0; i < state->outputs && walk.column < state->features; i++)
                scores[i] += (double)walk.value * weight_now(state, (size_t)walk.column * state->outputs + i, left);
        }
    } else {
        clv_linear_known_wide_scores(state->w, state->features, state->outputs, block, row, scores);
    }
    for (size_t i = 0; i < state->outputs; i++)
        scores[i] += state->bias[i];
    if (!answers_with_mean(fit))
        return OK;
    clv_linear_known_wide_scores(state->late + state->outputs, state->features, state->outputs, block, row,
                                 state->scores);
    for (size_t i = 0; i < state->outputs; i++)
        scores[i] -= (state->scores[i] + state->late[i]) / (fit->counters.seen ? (double)fit->counters.seen : 1);
    return OK;
}

/* vector, where weights start at start, for more classes; those of the other class come from `mirrored`, or are start² over those of the
 * positive one. */
static Status widen_vector(const Fit *fit, const Widening *to, const double *vector, const double *mirrored,
                           size_t rows, double start, double **wide)
{
    *wide = clv_alloc(fit->context, rows * to->outputs, sizeof **wide);
    if (!*wide)
        return clv_fail_memory(fit->error, "weights of classes that appear", rows * to->outputs * sizeof **wide);
    for (size_t output = 0; output < to->outputs; output++) {
        size_t from;
        double sign = clv_widen_sign(fit, to, output, &from);

        for (size_t i = 0; i < rows; i++) {
            size_t at = i * fit->outputs + from;

            (*wide)[i * to->outputs + output] = sign > 0    ? vector[at]
                                                : sign == 0 ? start
                                                : mirrored  ? mirrored[at]
                                                            : fmax(start * start / vector[at], DBL_MIN);
        }
    }
    return OK;
}

static void replace(const Fit *fit, double **vector, double *by)
{
    if (!by)
        return;
    clv_free(fit->context, *vector);
    *vector = by;
}

/* A threshold that is not learned is the same for all. */
static Status widen_biases(const Fit *fit, const Widening *to)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double *bias = clv_alloc(fit->context, to->outputs, sizeof *bias);

    if (!bias)
        return clv_fail_memory(fit->error, "thresholds", to->outputs * sizeof *bias);
    for (size_t output = 0; output < to->outputs; output++) {
        size_t from;
        double sign = clv_widen_sign(fit, to, output, &from);

        if (!options->learn_threshold || sign > 0)
            bias[output] = state->bias[from < fit->outputs ? from : 0];
        else
            bias[output] = sign == 0 ? -options->theta
                                     : fmin(options->theta * options->theta / state->bias[from], -DBL_MIN);
    }
    clv_free(fit->context, state->bias);
    state->bias = bias;
    return OK;
}

static Status widen(Fit *fit, uint32_t classes, uint32_t positive)
{
    const Options *options = fit->options;
    State *state = fit->state;
    Widening to = {classes, positive, outputs_of(classes)};
    size_t rows = state->features, count = rows * to.outputs;
    double *w = NULL, *half = NULL, *other = NULL;
    Status status = clv_linear_affordable(state->features, to.outputs * (options->balanced ? 6 : 2), fit->error);

    if (state->averages && status == OK && fit->counters.seen > 0) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE, "--form averaged cannot take up classes that appear while it learns");
        status = clv_hint(fit->error, CLEAVE_ERROR_USAGE, "--form plain can");
    }
    if (status == OK)
        status = widen_vector(fit, &to, options->balanced ? state->half : state->w, NULL, rows, 1, &w);
    if (status == OK && options->balanced)
        status = widen_vector(fit, &to, state->half, state->other_half, rows, 1, &half);
    if (status == OK && options->balanced)
        status = widen_vector(fit, &to, state->other_half, state->half, rows, 1, &other);
    if (status == OK)
        status = clv_widen_doubles(fit, &to, &state->scores, 1);
    if (status == OK)
        status = widen_biases(fit, &to);
    if (status != OK) {
        clv_free(fit->context, w);
        clv_free(fit->context, half);
        clv_free(fit->context, other);
        return status;
    }
    for (size_t i = 0; i < count && half; i++)
        w[i] = half[i] - other[i];
    replace(fit, &state->w, w);
    replace(fit, &state->half, half);
    replace(fit, &state->other_half, other);
    state->outputs = to.outputs;
    state->capacity = count;
    clv_widened(fit, &to);
    if (!state->averages)
        return OK;
    clv_free(fit->context, state->late); /* nothing has been seen yet */
    state->late = NULL;
    state->late_size = 0;
    return make_room_for_late(fit);
}

/* ---- the model ---------------------------------------------------------------------------------------------------- */

/* The weights as they are now, and to go on the weights as they were at their stamps. */
static Status put_faded(const Fit *fit, Model *model)
{
    const State *state = fit->state;
    size_t count = (size_t)state->features * state->outputs;
    double *now = clv_alloc(fit->context, count, sizeof *now);
    Status status;

    if (!now)
        return clv_fail_memory(fit->error, "weights", count * sizeof *now);
    for (size_t i = 0; i < count; i++)
        now[i] = weight_now(state, i, left_of(state, (uint32_t)(i / state->outputs)));
    status = clv_linear_wide_to_model(now, state->bias, state->features, state->outputs, model, fit->error);
    clv_free(fit->context, now);
    TRY(status);
    if (!state->half)
        TRY(clv_bundle_put(model->bundle, "stamped", BUNDLE_F64, state->w, count, fit->error));
    TRY(clv_bundle_put(model->bundle, "stamp", BUNDLE_F64, state->stamp, state->features, fit->error));
    return clv_bundle_put(model->bundle, "faded", BUNDLE_F64, &state->faded, 1, fit->error);
}

/* The mean of the weights, and to go on the last and how late they came. */
static Status put_mean(const Fit *fit, Model *model)
{
    const State *state = fit->state;
    size_t outputs = state->outputs, count = (size_t)state->features * outputs;
    double *mean = clv_alloc(fit->context, outputs + count, sizeof *mean),
           seen = fit->counters.seen ? (double)fit->counters.seen : 1;
    Status status;

    if (!mean)
        return clv_fail_memory(fit->error, "the mean of the weights", (outputs + count) * sizeof *mean);
    for (size_t i = 0; i < outputs + count; i++)
        mean[i] = (i < outputs ? state->bias[i] : state->w[i - outputs]) - state->late[i] / seen;
    status = clv_linear_wide_to_model(mean + outputs, mean, state->features, outputs, model, fit->error);
    clv_free(fit->context, mean);
    return status;
}

static Status save_mean(const Fit *fit, Model *model)
{
    const State *state = fit->state;
    size_t outputs = state->outputs, count = (size_t)state->features * outputs;
    double clean = state->clean;

    TRY(clv_bundle_put(model->bundle, "clean", BUNDLE_F64, &clean, 1, fit->error));
    TRY(clv_bundle_put(model->bundle, "last_weights", BUNDLE_F64, state->w, count, fit->error));
    TRY(clv_bundle_put(model->bundle, "last_bias", BUNDLE_F64, state->bias, outputs, fit->error));
    return clv_bundle_put(model->bundle, "late", BUNDLE_F64, state->late, outputs + count, fit->error);
}

static Status end(Fit *fit, Model *model)
{
    const Options *options = fit->options;
    const State *state = fit->state;
    uint64_t count = (uint64_t)state->features * state->outputs;

    TRY(check_finite(fit));
    if (state->averages)
        TRY(save_mean(fit, model));
    TRY((answers_with_mean(fit) ? put_mean(fit, model)
         : state->stamp
             ? put_faded(fit, model)
             : clv_linear_wide_to_model(state->w, state->bias, state->features, state->outputs, model, fit->error)));
    if (!options->balanced)
        return OK;
    TRY(clv_bundle_put(model->bundle, "half", BUNDLE_F64, state->half, count, fit->error));
    return clv_bundle_put(model->bundle, "other_half", BUNDLE_F64, state->other_half, count, fit->error);
}

static bool half_fits(const Model *model, const char *name)
{
    const BundleItem *half = clv_bundle_get(model->bundle, name, BUNDLE_F64);

    return half && half->count == (uint64_t)model->features * outputs_of(model->labels.count) &&
           clv_linear_finite_item(half);
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
    if (stamp->count != model->features || !clv_bundle_copy(model->bundle, "faded", BUNDLE_F64, &faded, 1) ||
        !isfinite(faded) || (!is_balanced(model) && !half_fits(model, "stamped")))
        return false;
    for (uint64_t i = 0; i < stamp->count; i++)
        if (!(((const double *)stamp->data)[i] >= faded && isfinite(((const double *)stamp->data)[i])))
            return false;
    return true;
}

static bool rest_fits(const Model *model, const char *name, size_t rows)
{
    const BundleItem *item = clv_bundle_get(model->bundle, name, BUNDLE_F64);

    return item && item->count == (uint64_t)rows * outputs_of(model->labels.count) && clv_linear_finite_item(item);
}

static bool mean_fits(const Model *model)
{
    double clean;

    return !clv_bundle_get(model->bundle, "late", BUNDLE_F64) ||
           (rest_fits(model, "late", (size_t)model->features + 1) && rest_fits(model, "last_bias", 1) &&
            rest_fits(model, "last_weights", model->features) &&
            clv_bundle_copy(model->bundle, "clean", BUNDLE_F64, &clean, 1));
}

static bool arrays_fit(const Model *model)
{
    return mean_fits(model) && clv_linear_check_model(model, BUNDLE_F64) &&
           (!is_balanced(model) || (half_fits(model, "half") && half_fits(model, "other_half"))) && stamps_fit(model);
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

/* A stream goes on as it was; a sweep forgets nothing, and begins with the weights as they are. */
static Status resume_stamps(Fit *fit, const Model *model)
{
    State *state = fit->state;
    size_t count = (size_t)model->features * state->outputs;

    clv_bundle_copy(model->bundle, "faded", BUNDLE_F64, &state->faded, 1);
    TRY(begin_to_forget(fit));
    copy_item(state->stamp, model, "stamp");
    if (fit->problem->rows == 0) {
        if (state->half)
            for (size_t i = 0; i < count; i++)
                state->w[i] = state->half[i] - state->other_half[i];
        else
            copy_item(state->w, model, "stamped");
        return OK;
    }
    for (size_t i = 0; i < count && state->half; i++) {
        double left = left_of(state, (uint32_t)(i / state->outputs));

        state->half[i] = pow(state->half[i], left);
        state->other_half[i] = pow(state->other_half[i], left);
        state->w[i] = state->half[i] - state->other_half[i];
    }
    clv_free(fit->context, state->stamp);
    state->stamp = NULL;
    state->stamp_capacity = 0;
    state->faded = 0;
    return OK;
}

static Status resume(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;
    bool late = clv_bundle_get(model->bundle, "late", BUNDLE_F64) != NULL;

    TRY(clv_linear_check_outputs(model, state->outputs, fit->error));
    if (is_balanced(model) != options->balanced) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE, "the model was trained %s --balanced, and cannot go on %s",
                 options->balanced ? "without" : "with", options->balanced ? "with it" : "without");
        return CLEAVE_ERROR_USAGE;
    }
    if (options->form == AUTO)
        state->averages = late && fit->problem->rows > 0;
    if (state->averages && !late)
        return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                        "the model was not trained with --form averaged: it cannot go on with it");
    TRY(make_room(fit, model->features));
    if (state->averages) {
        double clean = 0;

        TRY(make_room_for_late(fit));
        copy_item(state->late, model, "late");
        clv_bundle_copy(model->bundle, "clean", BUNDLE_F64, &clean, 1);
        state->clean = clean == 1;
    }
    copy_item(state->w, model, late ? "last_weights" : "weights");
    if (options->learn_threshold || !options->given)
        copy_item(state->bias, model, late ? "last_bias" : "bias");
    if (options->balanced) {
        copy_item(state->half, model, "half");
        copy_item(state->other_half, model, "other_half");
    }
    return clv_bundle_get(model->bundle, "stamp", BUNDLE_F64) ? resume_stamps(fit, model) : OK;
}

/* What going on needs: halves whose product is 1, as steps leave it, and a mean over examples that all had these weights. */
static Status put_updated(const Fit *fit, const Model *from, const double *w, const double *bias, const Linear *shape,
                          Model *model)
{
    size_t count = (size_t)shape->features * shape->outputs;
    double *vector = clv_alloc_zero(fit->context, count + shape->outputs, sizeof *vector), clean = 0;
    Status status = OK;

    if (!vector)
        return clv_fail_memory(fit->error, "weights", count * sizeof *vector);
    if (clv_bundle_get(from->bundle, "late", BUNDLE_F64)) {
        status = clv_bundle_put(model->bundle, "late", BUNDLE_F64, vector, count + shape->outputs, fit->error);
        if (status == OK)
            status = clv_bundle_put(model->bundle, "clean", BUNDLE_F64, &clean, 1, fit->error);
        if (status == OK)
            status = clv_bundle_put(model->bundle, "last_weights", BUNDLE_F64, w, count, fit->error);
        if (status == OK)
            status = clv_bundle_put(model->bundle, "last_bias", BUNDLE_F64, bias, shape->outputs, fit->error);
    }
    if (status == OK && is_balanced(from)) {
        for (size_t i = 0; i < count; i++)
            vector[i] = w[i] >= 0 ? (w[i] + sqrt(w[i] * w[i] + 4)) / 2 : 2 / (sqrt(w[i] * w[i] + 4) - w[i]);
        status = clv_bundle_put(model->bundle, "half", BUNDLE_F64, vector, count, fit->error);
        for (size_t i = 0; i < count; i++)
            vector[i] = 1 / vector[i];
        if (status == OK)
            status = clv_bundle_put(model->bundle, "other_half", BUNDLE_F64, vector, count, fit->error);
    }
    clv_free(fit->context, vector);
    return status;
}

/* Steps are added to the weights that predict, by as much as a row needs: factors are as large for a row that is nearly right. */
static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const Options *options = fit->options;
    const double *theta = clv_bundle_get(from->bundle, "bias", BUNDLE_F64)->data;
    LinearUpdate how = {.loss = {.kind = LOSS_HINGE},
                        .learn_bias = options->learn_threshold,
                        .C = INFINITY,
                        .unit = UPDATE_MARGIN * fmax(fabs(theta[0]), DBL_MIN)};
    size_t count = (size_t)fit->features * fit->outputs;
    double *wide;
    Linear w = {0};
    Status status;

    if (fit->classes > from->labels.count) {
        clv_fail(fit->error, CLEAVE_ERROR_DATA, "an update of winnow cannot add a class");
        return clv_hint(fit->error, CLEAVE_ERROR_DATA, "train on the old and the new rows together");
    }
    wide = clv_alloc(fit->context, count + 1, sizeof *wide);
    status = wide ? clv_linear_update(fit, from, dataset, &how, &w)
                  : clv_fail_memory(fit->error, "weights", count * sizeof *wide);

    for (size_t i = 0; status == OK && i < count; i++)
        wide[i] = is_balanced(from) ? (double)w.w[i] : fmax((double)w.w[i], DBL_MIN);
    if (status == OK)
        status = clv_linear_wide_to_model(wide, w.bias, w.features, w.outputs, model, fit->error);
    if (status == OK)
        status = put_updated(fit, from, wide, w.bias, &w, model);
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
    clv_fail(error, CLEAVE_ERROR_DATA, "row %llu: feature '%s' is %g, and winnow takes 0 and 1 only",
             (unsigned long long)block_row_number(block, other.row) + 1, clv_quote(quoted, feature, strlen(feature)),
             (double)other.value);
    return clv_hint(error, CLEAVE_ERROR_DATA, "write 1 where a feature is present and 0 or nothing where it is not");
}

static void look(const Fit *fit, double *weights, double *thresholds)
{
    const State *state = fit->state;

    for (size_t output = 0; output < state->outputs; output++) {
        for (uint32_t column = 0; column < state->features; column++)
            weights[output * state->features + column] = weight_now(state, column * state->outputs + output,
                                                                    left_of(state, column));
        thresholds[output] = state->bias[output] == 0 ? 0 : -state->bias[output];
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
    .title = "linear separator of 0/1 features that multiplies its weights",
    .objective = "sum over examples of max(0, -y (w.x - theta))",
    .reference = "Littlestone 1988",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_MERGEABLE | CLEAVE_TRAIT_WIDE |
              CLEAVE_TRAIT_DETERMINISTIC,
    .behavior = METHOD_BINARY_FEATURES | METHOD_SHUFFLES | METHOD_COUNTS_MISTAKES | METHOD_RECORDS_MOMENTS,
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
