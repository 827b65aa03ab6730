/*
 * Stochastic gradient descent on the regularised risk, plain and averaged.
 *
 *     w := (1 − η λ₂) w − η c loss'(y, s) x           b := b − η_b c loss'(y, s)
 *
 * w is kept as a vector times a scalar, so that shrinking it is one multiplication and a step costs the non-zeros of one row
 * (Bottou 2010). Rates:
 *
 *     inverse      1 / (λ (t + t₀)), t₀ such that the first rate is the best of several tried on a subsample (sgd's own), or
 *                  1 / mean |x|² where its rows all have one label and trying tells nothing
 *     averaged     η₀ / (1 + λ η₀ t)^¾ (asgd's own; Xu 2011)
 *     fixed, decay rate, rate / (1 + c round)
 *     calibrated   the best of several, tried on a sample of the rows to come every 100,000 rows (train/feed.h)
 *
 * asgd answers with the mean of the weights after each step from the second sweep on, or of the first where there is no other
 * (late_mean.h).
 *
 * A stream that forgets, keeping a share of what it knows from row to row, never counts more steps than 1 / (1 - share): the rates that fall
 * with t stay those of that many rows.
 *
 * L1: every step owes each weight a pull of η λ₁ towards 0, paid when the weight is next touched, and by all at the end of a sweep
 * (the cumulative penalty of Tsuruoka, Tsujii and Ananiadou 2009).
 */
#include "learn/linear/late_mean.h"
#include "learn/linear/risk.h"

#include <float.h>

enum { ENOUGH_SQUARES = 128 };
#define LEAST_SCALE 1e-12 /* below it the scalar is multiplied into the vector */
#define BIAS_RATE 0.1     /* see move_bias */

typedef struct {
    double t;  /* steps so far, over all sweeps */
    double t0; /* inverse: see above; averaged: unused */
    double first_rate;
    bool ready;                   /* the first rate is known */
    double factor;                /* of the calibrated rate */
    double solved_rows;           /* of a model that another solver made, whose weights are gone on from; 0: none */
    double squares, squares_rows; /* then: |x|^2 of the first rows since, and how many they are */
    double stride;                /* steps made by all while this one makes one: 1, but for workers that race */

    bool averages;  /* asgd */
    bool averaging; /* and this is not a trial of a rate */
    LateMean mean;

    double owed; /* L1: pull owed to every weight so far */
    float *paid; /* and what each has had, signed */
    size_t paid_size;

    double *bias_squares; /* of the steps each offset has been asked to make */
    double *steps;        /* several outputs: of one row */
    double *class_seen;   /* by label: the weight of the rows learned from */
    double last_objective;
    double still; /* sweeps in a row that changed it little */
} Sgd;

static int schedule_of(const Risk *risk)
{
    const RiskOptions *options = risk->options;

    if (options->schedule != RATE_AUTO)
        return options->schedule;
    if (options->rate_decay > 0)
        return RATE_DECAY;
    return options->rate > 0 ? RATE_FIXED : RATE_INVERSE;
}

static double l2_of(const Risk *risk)
{
    return risk->lambda * (1 - risk->options->l1);
}

/* ---- the state ---------------------------------------------------------------------------------------------------- */

static Status stretch(Fit *fit, const Risk *risk, float **vector, size_t *size)
{
    size_t need = (size_t)risk->w.features * risk->w.outputs;
    float *grown;

    if (need <= *size)
        return OK;
    grown = clv_resize(fit->context, *vector, need, sizeof *grown);
    if (!grown)
        return clv_fail_memory(fit->error, "weights", need * sizeof *grown);
    memset(grown + *size, 0, (need - *size) * sizeof *grown);
    *vector = grown;
    *size = need;
    return OK;
}

static Status make_room(Fit *fit, Risk *risk)
{
    Sgd *sgd = risk->own;

    if (sgd->averages)
        TRY(clv_late_mean_reserve(&sgd->mean, &risk->w, fit->error));
    return risk->options->l1 > 0 ? stretch(fit, risk, &sgd->paid, &sgd->paid_size) : OK;
}

static Status begin_with(Fit *fit, Risk *risk, bool averages)
{
    Sgd *sgd = clv_alloc_zero(fit->context, 1, sizeof *sgd);
    bool given;

    risk->own = sgd;
    if (!sgd)
        return clv_fail_memory(fit->error, "a solver", sizeof *sgd);
    sgd->averages = sgd->averaging = averages;
    sgd->factor = 1;
    sgd->stride = 1;
    sgd->last_objective = INFINITY;
    sgd->steps = clv_alloc_zero(fit->context, fit->outputs, sizeof *sgd->steps);
    sgd->bias_squares = clv_alloc_zero(fit->context, fit->outputs, sizeof *sgd->bias_squares);
    sgd->class_seen = clv_alloc_zero(fit->context, fit->classes ? fit->classes : 1, sizeof *sgd->class_seen);
    if (!sgd->steps || !sgd->bias_squares || !sgd->class_seen)
        return clv_fail_memory(fit->error, "steps", fit->outputs * sizeof *sgd->steps);
    if (schedule_of(risk) == RATE_CALIBRATED)
        fit->calibration.every = (uint64_t)risk->options->calibrate_every;
    fit->wants_sample = true;
    if (averages)
        TRY(clv_late_mean_init(&sgd->mean, &risk->w, fit->error));
    TRY(clv_risk_start(fit, risk, &given));
    return make_room(fit, risk);
}

static Status begin_plain(Fit *fit, Risk *risk)
{
    return begin_with(fit, risk, false);
}

static Status begin_averaged(Fit *fit, Risk *risk)
{
    return begin_with(fit, risk, true);
}

static void free_sgd(Fit *fit, Risk *risk)
{
    Sgd *sgd = risk->own;

    if (!sgd)
        return;
    clv_late_mean_free(&sgd->mean);
    clv_free(fit->context, sgd->paid);
    clv_free(fit->context, sgd->steps);
    clv_free(fit->context, sgd->bias_squares);
    clv_free(fit->context, sgd->class_seen);
    clv_free(fit->context, sgd);
}

/* ---- one row ------------------------------------------------------------------------------------------------------ */

static void flush_scale(Risk *risk)
{
    Sgd *sgd = risk->own;
    size_t count = (size_t)risk->w.features * risk->w.outputs;

    if (risk->w.shared) { /* the vector is everybody's: what it is multiplied by stays as it is */
        risk->scale = LEAST_SCALE;
        return;
    }

    if (sgd->averaging)
        clv_late_mean_flush(&sgd->mean, &risk->w);
    for (size_t i = 0; i < count; i++)
        risk->w.w[i] = (float)((double)risk->w.w[i] * risk->scale);
    for (size_t i = 0; i < risk->w.outputs; i++)
        risk->factor[i] *= risk->scale;
    risk->scale = 1;
}

/* Steps of all outputs of a row; *loss and whether any is not 0. */
static bool find_steps(const Fit *fit, Risk *risk, const double *scores, uint32_t label, double target, double *steps,
                       double *loss)
{
    bool any = false;

    *loss = 0;
    if (fit->outputs > 1 && risk->options->multiclass == MULTICLASS_JOINT) {
        *loss = risk_joint_loss(risk->loss, scores, fit->outputs, label, steps);
        for (size_t i = 0; i < fit->outputs; i++)
            any |= steps[i] != 0;
        return any;
    }
    for (size_t i = 0; i < fit->outputs; i++) {
        double y = risk_y(fit, label, target, i);

        *loss += loss_value(risk->loss, y, scores[i]);
        steps[i] = loss_slope(risk->loss, y, scores[i]);
        any |= steps[i] != 0;
    }
    return any;
}

static void score_row(const Risk *risk, const Block *block, uint32_t row, double *scores)
{
    const Linear *w = &risk->w;

    if (w->outputs == 1) {
        scores[0] = risk->scale * risk->kernels->dot(w->w, block, row) + w->bias[0];
        return;
    }
    memset(scores, 0, w->outputs * sizeof *scores);
    risk->kernels->dot_many(w->w, w->outputs, block, row, scores);
    for (size_t i = 0; i < w->outputs; i++)
        scores[i] = risk->scale * scores[i] + w->bias[i];
}

/* vector[output] += share * steps[output] x */
static void add_rows(const Risk *risk, float *vector, double share, double *steps, const Block *block, uint32_t row)
{
    size_t outputs = risk->w.outputs;

    if (outputs == 1) {
        risk->kernels->add(vector, share * steps[0], block, row);
        return;
    }
    for (size_t i = 0; i < outputs; i++)
        steps[i] *= share;
    risk->kernels->add_many(vector, outputs, steps, block, row);
    for (size_t i = 0; i < outputs; i++)
        steps[i] /= share;
}

/* Pays a weight what it is owed, never past 0. */
static void pay(const Risk *risk, Sgd *sgd, size_t i)
{
    double w = risk->scale * (double)risk->w.w[i], paid = (double)sgd->paid[i], now;

    if (w > 0)
        now = fmax(0, w - (sgd->owed + paid));
    else if (w < 0)
        now = fmin(0, w + (sgd->owed - paid));
    else
        return;
    sgd->paid[i] = (float)(paid + now - w);
    risk->w.w[i] = (float)(now / risk->scale);
}

static void pay_row(const Risk *risk, Sgd *sgd, const Block *block, uint32_t row)
{
    size_t outputs = risk->w.outputs;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (size_t i = 0; i < outputs; i++)
            pay(risk, sgd, (size_t)walk.column * outputs + i);
}

static double rate_of(const Fit *fit, const Risk *risk, const Sgd *sgd)
{
    const RiskOptions *options = risk->options;

    switch (schedule_of(risk)) {
    case RATE_FIXED:
        return sgd->first_rate;
    case RATE_DECAY:
        return sgd->first_rate / (1 + options->rate_decay * fit->counters.epoch);
    case RATE_CALIBRATED:
        return sgd->first_rate * sgd->factor;
    default:
        return sgd->averages ? sgd->first_rate / pow(1 + risk->lambda * sgd->first_rate * sgd->t, 0.75)
                             : 1 / (risk->lambda * (sgd->t + sgd->t0));
    }
}

static double next_rate(const Fit *fit, const Risk *risk)
{
    return rate_of(fit, risk, risk->own);
}

/* The offset is asked to move by every row, a weight only by those that have it, and nothing holds it back: it has a rate of
 * its own, which falls with the moves asked for (AdaGrad; Duchi, Hazan and Singer 2011). */
static inline void move_bias(Risk *risk, Sgd *sgd, size_t output, double slope)
{
    if (slope == 0)
        return;
    sgd->bias_squares[output] += slope * slope;
    risk->w.bias[output] -= BIAS_RATE * slope / sqrt(sgd->bias_squares[output]);
}

/* Learns from one row at a rate; returns its loss before. */
static double learn(Fit *fit, Risk *risk, double rate, const Block *block, uint32_t row, uint32_t label, double target,
                    bool *moved)
{
    Sgd *sgd = risk->own;
    double loss, shrink = 1 - rate * l2_of(risk) * sgd->stride, weight = risk_weight(fit, block, row, label), share;

    if (sgd->paid)
        pay_row(risk, sgd, block, row);
    score_row(risk, block, row, risk->scores);
    *moved = find_steps(fit, risk, risk->scores, label, target, sgd->steps, &loss) && weight > 0;
    risk->scale *= shrink > 0 ? shrink : DBL_EPSILON;
    if (risk->scale < LEAST_SCALE || (sgd->averaging && late_mean_wants_flush(&sgd->mean, risk->scale)))
        flush_scale(risk);
    if (*moved) {
        share = -rate * weight / risk->scale;
        add_rows(risk, risk->w.w, share, sgd->steps, block, row);
        if (sgd->averaging && late_mean_share(&sgd->mean) != 0)
            add_rows(risk, sgd->mean.sum, late_mean_share(&sgd->mean) * share, sgd->steps, block, row);
    }
    for (size_t i = 0; i < risk->w.outputs && risk->learn_bias; i++) {
        double slope = *moved ? weight * sgd->steps[i] : 0;

        if (risk->options->regularize_bias)
            risk->w.bias[i] = (shrink > 0 ? shrink : 0) * risk->w.bias[i] - rate * slope;
        else
            move_bias(risk, sgd, i, slope);
    }
    sgd->owed += rate * risk->lambda * risk->options->l1;
    sgd->t += sgd->stride;
    if (sgd->averaging)
        clv_late_mean_step(&sgd->mean, (Apart){&risk->w, risk->scale, risk->factor});
    return weight * loss;
}

/* The same for one output, nothing owed and nothing averaged: the loop most rows go through. */
static inline double learn_single(Fit *fit, Risk *risk, double rate, const Block *block, uint32_t row, uint32_t label,
                                  double target, bool *moved)
{
    Sgd *sgd = risk->own;
    double y = risk_y(fit, label, target, 0), shrink = 1 - rate * risk->lambda * sgd->stride, weight, slope, score;

    score = risk->scale * risk->kernels->dot(risk->w.w, block, row) + risk->w.bias[0];
    risk->scores[0] = score;
    slope = loss_slope(risk->loss, y, score);
    weight = block->weight || fit->problem->class_weight ? risk_weight(fit, block, row, label) : 1;
    risk->scale *= shrink > 0 ? shrink : DBL_EPSILON;
    if (risk->scale < LEAST_SCALE)
        flush_scale(risk);
    *moved = slope != 0 && weight > 0;
    sgd->t += sgd->stride;
    if (!*moved)
        return weight * loss_value(risk->loss, y, score);
    risk->kernels->add(risk->w.w, -rate * weight * slope / risk->scale, block, row);
    if (risk->learn_bias)
        move_bias(risk, sgd, 0, weight * slope);
    return weight * loss_value(risk->loss, y, score);
}

/* ---- the first rate ----------------------------------------------------------------------------------------------- */

typedef struct {
    Linear w;
    double scale, owed, t, first_rate, t0;
} Saved;

static void set_first_rate(const Risk *risk, Sgd *sgd, double rate)
{
    sgd->first_rate = rate;
    sgd->t0 = sgd->averages ? 0 : 1 / (risk->lambda * rate);
}

static bool all_zero(const Linear *w)
{
    size_t count = (size_t)w->features * w->outputs;

    for (size_t i = 0, end; i < count;)
        for (end = next_weights(w->context, i, count); i < end; i++)
            if (w->w[i] != 0)
                return false;
    for (size_t i = 0; i < w->outputs; i++)
        if (w->bias[i] != 0)
            return false;
    return true;
}

static void set_zero(Linear *w)
{
    clv_clear(w->context, w->w, (size_t)w->features * w->outputs * sizeof *w->w);
    memset(w->bias, 0, w->outputs * sizeof *w->bias);
}

/* Learns from the sample at a rate and looks what came of it. */
static double sweep_sample(Fit *fit, Risk *risk, const Block *sample)
{
    Sgd *sgd = risk->own;
    double loss = 0;
    uint32_t seen = 0;
    uint64_t done = 0;

    for (int sweep = 0; sweep < 2; sweep++)
        for (uint32_t row = 0; row < sample->rows; row++) {
            uint32_t label;
            double target;
            bool moved;

            if (clv_tick_after(fit->context, &done, (2 * block_row_entries(sample, row) + 16) * fit->outputs) &&
                !fit->problem->collective)
                return (double)INFINITY;
            if (!risk_row(fit, sample, row, &label, &target))
                continue;
            if (sweep == 0) {
                learn(fit, risk, rate_of(fit, risk, sgd), sample, row, label, target, &moved);
                continue;
            }
            score_row(risk, sample, row, risk->scores);
            loss += risk_weight(fit, sample, row, label) * clv_risk_row_loss(fit, risk, risk->scores, label, target);
            seen++;
        }
    loss = seen ? loss / seen + clv_risk_penalty(risk, &risk->w, risk->scale) : 0;
    return isfinite(loss) && clv_linear_finite(&risk->w) ? loss : (double)INFINITY;
}

/* The objective on the sample after one epoch over it from where we are; everything is put back afterwards. Weights that are
 * all 0 (in_place) need no copy: there may be very many of them. */
static Status try_rate(Fit *fit, Risk *risk, const Block *sample, double rate, bool in_place, double *objective)
{
    Sgd *sgd = risk->own, kept = *sgd;
    Linear before = risk->w, copy = {0};
    double scale = risk->scale, factor = risk->factor[0];
    double *squares = clv_alloc_zero(fit->context, fit->outputs, sizeof *squares);
    Status status = squares ? OK : clv_fail_memory(fit->error, "steps", fit->outputs * sizeof *squares);

    if (status == OK && !in_place)
        status = clv_linear_init(&copy, fit->context, before.features, before.outputs, fit->error);
    if (status == OK) {
        if (!in_place) {
            memcpy(copy.w, before.w, (size_t)before.features * before.outputs * sizeof *copy.w);
            memcpy(copy.bias, before.bias, before.outputs * sizeof *copy.bias);
            risk->w = copy;
        }
        sgd->bias_squares = squares;
        sgd->averaging = false;
        sgd->paid = NULL; /* L1 changes the best first rate little */
        set_first_rate(risk, sgd, rate);
        *objective = sweep_sample(fit, risk, sample);
        if (in_place)
            set_zero(&risk->w);
        if (fit_cancelled(fit))
            status = clv_fail(fit->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    clv_linear_free(&copy);
    clv_free(fit->context, squares);
    risk->w = before;
    risk->scale = scale;
    for (size_t i = 0; i < before.outputs; i++)
        risk->factor[i] = factor;
    *sgd = kept;
    return status;
}

/* Whether the rows have one target only: then the offset alone answers for them, the weights are best left where they are, and the
 * best rate for this sample says nothing about the rows to come. */
static bool one_target(const Fit *fit, const Block *rows)
{
    uint32_t label, first_label = UNLABELED;
    double target, first = 0;
    bool any = false;

    for (uint32_t row = 0; row < rows->rows; row++) {
        if (!risk_row(fit, rows, row, &label, &target))
            continue;
        if (any && (fit->classes ? label != first_label : target != first))
            return false;
        any = true;
        first_label = label;
        first = target;
    }
    return true;
}

/* The mean of |x|^2, each row as often as it counts. */
static double mean_square(const Fit *fit, const Block *rows, double *count)
{
    double sum = 0, target;
    uint32_t label;

    *count = 0;
    for (uint32_t row = 0; row < rows->rows; row++) {
        if (!risk_row(fit, rows, row, &label, &target))
            continue;
        for (RowWalk walk = clv_walk(rows, row); clv_walk_next(&walk);)
            sum += risk_weight(fit, rows, row, label) * (double)walk.value * (double)walk.value;
        ++*count;
    }
    return *count > 0 ? sum / *count : 0;
}

/* What to begin with where trying tells nothing: a step at 1 / |x|^2 moves a row's own score by its slope. A rate that was found is
 * kept, unless all steps of the sample together would not have moved a score by a hundredth of that: nothing was learned at it. */
static double believable_rate(const Fit *fit, const Block *rows, double found, double most)
{
    const double least_move = 0.01;
    double count, square = mean_square(fit, rows, &count), safe;

    if (!(square > 0) || !isfinite(square))
        return found;
    safe = fmin(1 / square, most);
    if (one_target(fit, rows))
        return safe;
    return fit->classes && found < least_move * safe / count ? safe : found;
}

/* Above it a step forgets more than it keeps. */
static double most_rate(const Risk *risk)
{
    return risk->lambda > 0 ? 0.5 / risk->lambda : 1e30;
}

/* The best of a series of doubled and halved rates (Bottou 2010). */
static Status find_first_rate(Fit *fit, Risk *risk, const Block *block)
{
    Sgd *sgd = risk->own;
    double most = most_rate(risk), rate = most < 1 ? most : 1, first = rate, best = rate, least, objective;
    bool zero = all_zero(&risk->w);

    TRY(try_rate(fit, risk, block, rate, zero, &least));
    for (int way = 0; way < 2; way++) {
        double factor = way == 0 ? 2 : 0.5;

        for (rate = best * factor; rate > 1e-30 && rate <= most; rate *= factor) {
            TRY(try_rate(fit, risk, block, rate, zero, &objective));
            if (objective < least || (isinf(least) && factor < 1)) {
                least = objective;
                best = rate;
            } else {
                break;
            }
        }
        if (way == 0 && best > first)
            break; /* larger was better: smaller is not */
    }
    set_first_rate(risk, sgd, believable_rate(fit, block, best, most));
    return OK;
}

/* Whether any row has something to learn from: in a stream labels may come late. */
static bool teaches(const Fit *fit, const Block *rows)
{
    uint32_t label;
    double target;

    for (uint32_t row = 0; row < rows->rows; row++)
        if (risk_row(fit, rows, row, &label, &target))
            return true;
    return false;
}

/* Weights that another solver has made of so many rows: trying rates on them tells nothing, and one that suits weights of 0 would undo them
 * in a few steps. From the safe rate on as many rows have gone by, rates falling with the root of their number, which is what suits
 * any loss (Nemirovski, Juditsky, Lan and Shapiro 2009). Rows that are looked at one by one are, at first, too few for a mean. */
static void go_on_from_solved(const Fit *fit, const Risk *risk, const Block *block)
{
    Sgd *sgd = risk->own;
    double rows = sgd->solved_rows, count, square = mean_square(fit, block, &count);

    sgd->squares = fmin(sgd->squares + square * count, 1e15);
    sgd->squares_rows += count;
    square = sgd->squares / sgd->squares_rows;
    set_first_rate(risk, sgd, fmin(square > 0 && isfinite(square) ? 1 / square : 1, most_rate(risk)));
    sgd->t = fmax(((sgd->averages ? pow(rows, 2.0 / 3) : sqrt(rows)) - 1) / (risk->lambda * sgd->first_rate), rows) +
             sgd->squares_rows;
}

/* The rate of the first step, from the rows it will begin with. */
static Status find_rate(Fit *fit, Risk *risk, const Block *rows)
{
    const RiskOptions *options = risk->options;
    Sgd *sgd = risk->own;

    TRY(make_room(fit, risk));
    if (!teaches(fit, rows))
        return OK;
    sgd->ready = true;
    if (fit->trace && risk->learn_bias && !options->regularize_bias)
        clv_note(fit->context,
                 "the intercept has a learning rate of its own: 0.1 / sqrt(sum of its squared gradients)");
    if (options->rate > 0) {
        set_first_rate(risk, sgd, options->rate);
    } else if (options->t0 > 0 && !sgd->averages) {
        sgd->t0 = options->t0;
        sgd->first_rate = 1 / (risk->lambda * options->t0);
    } else if (sgd->solved_rows > 0) {
        go_on_from_solved(fit, risk, rows);
    } else {
        TRY(find_first_rate(fit, risk, rows));
    }
    return OK;
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------- */

static Status step(Fit *fit, Risk *risk, const Block *block)
{
    Sgd *sgd = risk->own;
    bool inverse = schedule_of(risk) == RATE_INVERSE && !sgd->averages; /* the usual rate, in line */
    bool single = fit->outputs == 1 && !sgd->averaging && risk->options->l1 == 0 && !risk->options->regularize_bias;

    TRY(make_room(fit, risk));
    if (sgd->averaging)
        clv_late_mean_sweep(&sgd->mean, fit);
    if (!sgd->ready) /* nobody gathered a sample */
        TRY(find_rate(fit, risk, block));
    else if (sgd->squares_rows > 0 && sgd->squares_rows < ENOUGH_SQUARES)
        go_on_from_solved(fit, risk, block);
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, rate;
        bool moved;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        rate = inverse ? 1 / (risk->lambda * (sgd->t + sgd->t0)) : rate_of(fit, risk, sgd);
        fit->counters.epoch_loss += single ? learn_single(fit, risk, rate, block, row, label, target, &moved)
                                           : learn(fit, risk, rate, block, row, label, target, &moved);
        fit->counters.epoch_mistakes += moved;
        fit->counters.seen++;
        if (fit->counters.epoch == 0 && label < fit->classes)
            sgd->class_seen[label] += risk_weight(fit, block, row, label);
        if (fit->trace)
            fit->trace(fit, block, row, risk->scores, !moved);
    }
    return isfinite(fit->counters.epoch_loss) ? OK : clv_linear_overflow(fit->error);
}

/* The mean loss of the best answer that is the same for every row, output by output, from the weights of the classes seen. */
static double constant_loss(const Fit *fit, const Risk *risk)
{
    const Sgd *sgd = risk->own;
    double sum = 0, total = 0;

    for (uint32_t i = 0; i < fit->classes; i++)
        total += sgd->class_seen[i];
    for (size_t i = 0; i < fit->outputs; i++) {
        double p = sgd->class_seen[fit->outputs == 1 ? fit->positive : i] / total, q = 1 - p;

        switch (risk->loss.kind) {
        case LOSS_HINGE:
            sum += 2 * fmin(p, q);
            break;
        case LOSS_SQUARED_HINGE:
            sum += 4 * p * q;
            break;
        default:
            sum -= (p > 0 ? p * log(p) : 0) + (q > 0 ? q * log(q) : 0);
        }
    }
    return sum;
}

/* Ends a sweep; done when the objective has stood still for some sweeps, and is better than knowing nothing. A small rate stands still
 * too: what is no better than one answer for all is no end, whatever it does. */
static Status pass(Fit *fit, Risk *risk, bool *done)
{
    enum { STILL_SWEEPS = 3 };
    Sgd *sgd = risk->own;
    double rows = fit->counters.seen ? (double)fit->counters.seen / (fit->counters.epoch + 1.0) : 1, objective, change;
    bool joint = fit->outputs > 1 && risk->options->multiclass == MULTICLASS_JOINT, useless;

    for (size_t i = 0; i < sgd->paid_size; i++)
        pay(risk, sgd, i);
    objective = fit->counters.epoch_loss / rows + clv_risk_penalty(risk, &risk->w, risk->scale);
    change = fabs(sgd->last_objective - objective) / objective;
    sgd->still = change <= risk->options->tolerance ? sgd->still + 1 : 0;
    sgd->last_objective = objective;
    useless = fit->task != CLEAVE_TASK_REGRESSION && !joint && objective > 0.999 * constant_loss(fit, risk);
    *done = fit->result.plateau = sgd->still >= STILL_SWEEPS && !useless;
    if (*done)
        clv_verdict(fit, "objective no longer decreasing: by less than %g of itself in each of the last %d epochs",
                    risk->options->tolerance, STILL_SWEEPS);
    else if (useless && fit->counters.epoch > 0)
        clv_verdict(
            fit, "no better yet than one answer for all rows: the features may want scaling, the rate another value");
    else if (isfinite(change))
        clv_verdict(fit, "the objective was still changing by %.2g of itself", change);
    else
        clv_verdict(fit, "%s", "");
    return OK;
}

static bool result(const Fit *fit, const Risk *risk, Linear *result)
{
    const Sgd *sgd = risk->own;

    (void)fit;
    return clv_late_mean_get(&sgd->mean, &risk->w, result);
}

/* ---- streams ------------------------------------------------------------------------------------------------------ */

static bool score_averaged(const Fit *fit, const Risk *risk, const Block *block, uint32_t row, double *scores)
{
    const Sgd *sgd = risk->own;

    (void)fit;
    return clv_late_mean_scores(&sgd->mean, &risk->w, block, row, risk->scores, scores);
}

static Status widen(Fit *fit, Risk *risk, const Widening *to)
{
    Sgd *sgd = risk->own;
    double *seen = clv_resize(fit->context, sgd->class_seen, to->classes, sizeof *seen);

    if (!seen)
        return clv_fail_memory(fit->error, "classes", to->classes * sizeof *seen);
    sgd->class_seen = seen;
    for (uint32_t i = fit->classes; i < to->classes; i++)
        seen[i] = 0;
    TRY(make_room(fit, risk));
    if (sgd->averages)
        TRY(clv_late_mean_widen(&sgd->mean, fit, &risk->w, to));
    if (risk->options->l1 > 0) {
        TRY(clv_widen_floats(fit, to, &sgd->paid, risk->w.features));
        sgd->paid_size = (size_t)risk->w.features * to->outputs;
    }
    TRY(clv_widen_doubles(fit, to, &sgd->steps, 1));
    return clv_widen_sizes(fit, to, &sgd->bias_squares, 1);
}

static void forget(Risk *risk, double keep)
{
    Sgd *sgd = risk->own;

    sgd->t = fmin(sgd->t, 1 / (1 - keep));
    clv_late_mean_forget(&sgd->mean, keep);
    for (size_t i = 0; i < risk->w.outputs; i++)
        sgd->bias_squares[i] *= keep;
}

/* ---- copies ------------------------------------------------------------------------------------------------------- */

static Status copy(Fit *to, Risk *into, const Risk *from)
{
    Sgd *mine = into->own;
    const Sgd *theirs = from->own;

    TRY(make_room(to, into));
    mine->averaging = false; /* a rate is judged by where it leads, not by the way there */
    mine->t = theirs->t;
    mine->t0 = theirs->t0;
    mine->first_rate = theirs->first_rate;
    mine->ready = theirs->ready;
    mine->solved_rows = theirs->solved_rows;
    mine->squares = theirs->squares;
    mine->squares_rows = theirs->squares_rows;
    mine->factor = theirs->factor;
    mine->owed = theirs->owed;
    memcpy(mine->bias_squares, theirs->bias_squares, into->w.outputs * sizeof *mine->bias_squares);
    if (theirs->paid)
        memcpy(mine->paid, theirs->paid, theirs->paid_size * sizeof *mine->paid);
    return OK;
}

static void race(Risk *risk, unsigned workers)
{
    ((Sgd *)risk->own)->stride = workers;
}

static void set_rate(Risk *risk, double factor)
{
    ((Sgd *)risk->own)->factor = factor;
}

/* ---- rounds made by many ------------------------------------------------------------------------------------------ */

enum { OWN_STEPS, OWN_OWED, OWN_NUMBERS };

static void own_numbers(const Sgd *sgd, double *numbers)
{
    numbers[OWN_STEPS] = sgd->t;
    numbers[OWN_OWED] = sgd->owed;
}

static Status give(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta)
{
    const Sgd *sgd = risk->own, *before = start->own;
    double numbers[OWN_NUMBERS], old_numbers[OWN_NUMBERS];

    own_numbers(sgd, numbers);
    own_numbers(before, old_numbers);
    TRY(clv_apart_give((Apart){&risk->w, risk->scale, risk->factor}, (Apart){&start->w, start->scale, NULL}, rows,
                       delta, fit->error));
    TRY(clv_apart_give_numbers("numbers", numbers, old_numbers, OWN_NUMBERS, rows, delta, fit->error));
    TRY(clv_apart_give_numbers("bias_squares", sgd->bias_squares, before->bias_squares, risk->w.outputs, rows, delta,
                               fit->error));
    TRY(clv_apart_give_numbers("class_seen", sgd->class_seen, before->class_seen, fit->classes, 1, delta, fit->error));
    if (!before->ready && rows > 0) /* nobody gathered a sample: each has found a rate of its own */
        TRY(clv_delta_add(delta, "rate", 0, rows * log(sgd->first_rate), fit->error));
    for (size_t i = 0; i < sgd->paid_size; i++)
        TRY(clv_delta_add(delta, "paid", i,
                          rows * ((double)sgd->paid[i] - (i < before->paid_size ? (double)before->paid[i] : 0)),
                          fit->error));
    return sgd->averages ? clv_late_mean_give(&sgd->mean, &risk->w, &before->mean, &start->w, rows, delta, fit->error)
                         : OK;
}

static void take_numbers(const Fit *fit, const Risk *risk, double rows, const Delta *sum)
{
    Sgd *sgd = risk->own;
    double numbers[OWN_NUMBERS];

    own_numbers(sgd, numbers);
    clv_apart_take_numbers("numbers", numbers, OWN_NUMBERS, rows, sum);
    sgd->t = numbers[OWN_STEPS]; /* each worker has made so many, one after another */
    sgd->owed = numbers[OWN_OWED];
    clv_apart_take_numbers("bias_squares", sgd->bias_squares, risk->w.outputs, rows, sum);
    clv_apart_take_numbers("class_seen", sgd->class_seen, fit->classes, 1, sum);
    if (!sgd->ready) {
        set_first_rate(risk, sgd, exp(clv_delta_number(sum, "rate", 0) / rows));
        sgd->ready = true;
    }
}

static Status take(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    Sgd *sgd = risk->own;
    const DeltaPart *paid = clv_delta_part(sum, "paid");

    TRY(make_room(fit, risk));
    if (rows <= 0)
        return OK;
    if (paid && clv_delta_size(sum, "paid") > sgd->paid_size)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "an update of penalties paid speaks of more features than its weights");
    if (sgd->averages)
        TRY(clv_late_mean_take(&sgd->mean, fit, &risk->w, rows, sum));
    clv_apart_take(&risk->w, &risk->scale, rows, sum);
    for (size_t i = 0; paid && i < paid->count; i++)
        sgd->paid[paid->index[i]] = (float)((double)sgd->paid[paid->index[i]] + paid->value[i] / rows);
    take_numbers(fit, risk, rows, sum);
    return OK;
}

/* ---- warm starts -------------------------------------------------------------------------------------------------- */

enum { SAVED_CALIBRATE = 8, SAVED_NUMBERS = 12 };

static Status save(Fit *fit, const Risk *risk, Model *model)
{
    const Sgd *sgd = risk->own;
    size_t count = (size_t)risk->w.features * risk->w.outputs;
    double numbers[SAVED_NUMBERS] = {sgd->t,
                                     sgd->t0,
                                     sgd->first_rate,
                                     sgd->ready,
                                     sgd->factor,
                                     sgd->owed,
                                     sgd->last_objective,
                                     sgd->still,
                                     (double)fit->calibration.next,
                                     sgd->solved_rows,
                                     sgd->squares,
                                     sgd->squares_rows};

    TRY(clv_bundle_put(model->bundle, "sgd", BUNDLE_F64, numbers, SAVED_NUMBERS, fit->error));
    TRY(clv_bundle_put(model->bundle, "sgd_seen", BUNDLE_F64, sgd->class_seen, fit->classes, fit->error));
    TRY(clv_bundle_put(model->bundle, "sgd_bias_squares", BUNDLE_F64, sgd->bias_squares, risk->w.outputs, fit->error));
    if (sgd->averages)
        TRY(clv_late_mean_save(&sgd->mean, &risk->w, risk->scale, model, fit->error));
    return sgd->paid ? clv_bundle_put(model->bundle, "sgd_paid", BUNDLE_F32, sgd->paid, count, fit->error) : OK;
}

/* From the weights of another solver. They are the mean that is gone on from, too: of as many steps as it has had rows. */
static Status resume_solved(Risk *risk, const Model *model)
{
    Sgd *sgd = risk->own;

    sgd->solved_rows = (double)model->rows;
    for (size_t i = 0; i < risk->w.outputs; i++)
        sgd->bias_squares[i] = sgd->solved_rows; /* as if each row had asked for a move of 1 */
    if (sgd->averaging)
        clv_late_mean_start(&sgd->mean, &risk->w, risk->scale, sgd->solved_rows);
    return OK;
}

static Status resume(Fit *fit, Risk *risk, const Model *model)
{
    Sgd *sgd = risk->own;
    size_t count = (size_t)model->features * risk->w.outputs;
    double numbers[SAVED_NUMBERS];

    TRY(make_room(fit, risk));
    if (!clv_bundle_copy(model->bundle, "sgd", BUNDLE_F64, numbers, SAVED_NUMBERS))
        return resume_solved(risk, model);
    for (size_t i = 0; i < SAVED_NUMBERS; i++)
        if (isnan(numbers[i]) || (i >= SAVED_CALIBRATE && !(numbers[i] >= 0 && numbers[i] < 1e18)))
            return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model's state of training does not make sense");
    sgd->t = numbers[0];
    sgd->t0 = numbers[1];
    sgd->first_rate = numbers[2];
    sgd->ready = numbers[3] != 0;
    sgd->factor = numbers[4];
    sgd->owed = numbers[5];
    sgd->last_objective = numbers[6];
    sgd->still = numbers[7];
    fit->calibration.factor = sgd->factor;
    fit->wants_sample = !sgd->ready;
    fit->calibration.next = (uint64_t)numbers[SAVED_CALIBRATE];
    sgd->solved_rows = numbers[9];
    sgd->squares = numbers[10];
    sgd->squares_rows = numbers[11];
    clv_bundle_copy(model->bundle, "sgd_seen", BUNDLE_F64, sgd->class_seen, fit->classes);
    clv_bundle_copy(model->bundle, "sgd_bias_squares", BUNDLE_F64, sgd->bias_squares, risk->w.outputs);
    if (sgd->paid)
        clv_bundle_copy(model->bundle, "sgd_paid", BUNDLE_F32, sgd->paid, count);
    return sgd->averages ? clv_late_mean_resume(&sgd->mean, &risk->w, &risk->scale, model, fit->error) : OK;
}

const Solver clv_solver_sgd = {
    .name = "sgd",
    .losses = LOSSES_ALL,
    .l1 = true,
    .joint = true,
    .starts = true,
    .scaled = true,
    .rates = true,
    .begin = begin_plain,
    .sample = find_rate,
    .step = step,
    .pass = pass,
    .copy = copy,
    .set_rate = set_rate,
    .race = race,
    .give = give,
    .take = take,
    .widen = widen,
    .forget = forget,
    .rate = next_rate,
    .save = save,
    .resume = resume,
    .free = free_sgd,
};

const Solver clv_solver_asgd = {
    .name = "asgd",
    .losses = LOSSES_ALL,
    .joint = true,
    .starts = true,
    .scaled = true,
    .rates = true,
    .begin = begin_averaged,
    .sample = find_rate,
    .step = step,
    .pass = pass,
    .result = result,
    .copy = copy,
    .set_rate = set_rate,
    .give = give,
    .take = take,
    .score = score_averaged,
    .widen = widen,
    .forget = forget,
    .rate = next_rate,
    .save = save,
    .resume = resume,
    .free = free_sgd,
};
