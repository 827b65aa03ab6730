/*
 * Stochastic gradient descent on the regularized risk, plain (sgd) and averaged (asgd).
 *
 *     w := (1 − η λ₂) w − η c loss'(y, s) x           b := b − η_b c loss'(y, s)
 *
 * w is a vector times a scalar, so that shrinking it is one multiplication and a step costs the
 * non-zeros of one row (Bottou 2010). Schedules of the learning rate η:
 *
 *     inverse      1 / (λ (t + t₀)), where t₀ gives the first rate (sgd_rate.c); the default of sgd
 *     averaged     η₀ / (1 + λ η₀ t)^¾; the default of asgd (Xu 2011)
 *     fixed, decay rate, rate / (1 + c epoch)
 *     calibrated   the best of several, tried on a sample of the next rows every 100,000 rows
 *                  (train/feed.h)
 *
 * The solution of asgd is the mean of the weights after each step from the second epoch on, or of
 * the first epoch if it is the only one (late_mean.h).
 *
 * A stream that forgets multiplies the weights by a factor before each row. Rates that decrease
 * with t are those of at most 1 / (1 − factor) rows.
 *
 * L1: each step shrinks each weight by η λ₁ towards 0. The shrinkage is applied when the weight is
 * used next, and to all weights at the end of an epoch (the cumulative penalty of Tsuruoka, Tsujii
 * and Ananiadou 2009).
 */
#include "learn/linear/sgd.h"

#include <float.h>

#define INTERCEPT_RATE 0.1 /* factor of the intercept's learning rate; see move_intercept */

static int schedule_of(const Risk *risk)
{
    const RiskOptions *options = risk->options;

    if (options->schedule != RATE_AUTO)
        return options->schedule;
    if (options->learning_rate_decay > 0)
        return RATE_DECAY;
    return options->learning_rate > 0 ? RATE_FIXED : RATE_INVERSE;
}

static double l2_of(const Risk *risk)
{
    return risk->lambda * (1 - risk->options->l1_ratio);
}

/* ---- the state ------------------------------------------------------------------------------- */

static Status reserve(Fit *fit, Risk *risk)
{
    Sgd *sgd = risk->own;

    return risk->options->l1_ratio > 0
               ? clv_extend(fit->context, &sgd->shrinkage, &sgd->shrinkage_size,
                            (size_t)risk->w.features * risk->w.outputs, sizeof *sgd->shrinkage,
                            "weights", fit->error)
               : OK;
}

static Status begin(Fit *fit, Risk *risk)
{
    Sgd *sgd = risk->own;

    risk->averages = risk->solver == &clv_solver_asgd;
    sgd->run.factor = 1;
    sgd->stride = 1;
    sgd->run.last_objective = INFINITY;
    sgd->intercept_squares = clv_alloc_zero(fit->context, fit->outputs,
                                            sizeof *sgd->intercept_squares);
    sgd->class_seen = clv_alloc_zero(fit->context, fit->classes ? fit->classes : 1,
                                     sizeof *sgd->class_seen);
    if (!sgd->intercept_squares || !sgd->class_seen)
        return clv_fail_memory(fit->error, "steps", fit->outputs * sizeof *sgd->intercept_squares);
    if (schedule_of(risk) == RATE_CALIBRATED)
        fit->calibration.every = (uint64_t)risk->options->calibrate_every;
    fit->wants_sample = true;
    return OK;
}

static void free_sgd(Fit *fit, Risk *risk)
{
    Sgd *sgd = risk->own;

    FREE(fit->context, sgd->shrinkage, sgd->intercept_squares, sgd->class_seen);
}

/* ---- one row --------------------------------------------------------------------------------- */

void clv_sgd_score(const Risk *risk, const Block *block, uint32_t row, double *scores)
{
    const Linear *w = &risk->w;

    if (w->outputs == 1) {
        scores[0] = risk->scale * risk->kernels->dot(w->w, block, row) + w->intercept[0];
        return;
    }
    memset(scores, 0, w->outputs * sizeof *scores);
    risk->kernels->dot_many(w->w, w->outputs, block, row, scores);
    for (size_t i = 0; i < w->outputs; i++)
        scores[i] = risk->scale * scores[i] + w->intercept[i];
}

/* Adds share * steps[output] * x to vector[output]. */
static void add_rows(const Risk *risk, float *vector, double share, const Block *block,
                     uint32_t row)
{
    size_t outputs = risk->w.outputs;
    double *steps = risk->steps;

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

/* Applies the L1 shrinkage due to a weight, at most down to 0. */
static void apply_shrinkage(const Risk *risk, Sgd *sgd, size_t i)
{
    double w = risk->scale * (double)risk->w.w[i], shrinkage = (double)sgd->shrinkage[i], now;

    if (w > 0)
        now = fmax(0, w - (sgd->run.shrinkage_due + shrinkage));
    else if (w < 0)
        now = fmin(0, w + (sgd->run.shrinkage_due - shrinkage));
    else
        return;
    sgd->shrinkage[i] = (float)(shrinkage + now - w);
    risk->w.w[i] = (float)(now / risk->scale);
}

double clv_sgd_rate(const Fit *fit, const Risk *risk)
{
    const SgdNumbers *run = &((const Sgd *)risk->own)->run;

    switch (schedule_of(risk)) {
    case RATE_FIXED:
        return run->first_rate;
    case RATE_DECAY:
        return run->first_rate / (1 + risk->options->learning_rate_decay * fit->counters.epoch);
    case RATE_CALIBRATED:
        return run->first_rate * run->factor;
    default:
        return risk->averages
                   ? run->first_rate / pow(1 + risk->lambda * run->first_rate * run->t, 0.75)
                   : 1 / (risk->lambda * (run->t + run->t0));
    }
}

/* Every row changes the intercept, few rows change a weight, and no penalty limits it. The
 * intercept has its own learning rate, INTERCEPT_RATE / sqrt(sum of its squared gradients)
 * (AdaGrad; Duchi, Hazan and Singer 2011). */
static inline void move_intercept(Risk *risk, Sgd *sgd, size_t output, double slope)
{
    if (slope == 0)
        return;
    sgd->intercept_squares[output] += slope * slope;
    risk->w.intercept[output] -= INTERCEPT_RATE * slope / sqrt(sgd->intercept_squares[output]);
}

double clv_sgd_learn(Fit *fit, Risk *risk, double rate, const Block *block, uint32_t row,
                     uint32_t label, double target, bool *moved)
{
    Sgd *sgd = risk->own;
    double loss, shrink = 1 - rate * l2_of(risk) * sgd->stride,
                 weight = risk_weight(fit, block, row, label), share;

    if (sgd->shrinkage) {
        size_t outputs = risk->w.outputs;

        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            for (size_t i = 0; i < outputs; i++)
                apply_shrinkage(risk, sgd, (size_t)walk.column * outputs + i);
    }
    clv_sgd_score(risk, block, row, risk->scores);
    *moved = risk_steps(fit, risk, label, target, &loss) && weight > 0;
    risk->scale *= shrink > 0 ? shrink : DBL_EPSILON;
    if (risk->scale < LEAST_SCALE ||
        (risk->averaging && late_mean_needs_flush(&risk->mean, risk->scale)))
        clv_risk_flush_scale(risk);
    if (*moved) {
        share = -rate * weight / risk->scale;
        add_rows(risk, risk->w.w, share, block, row);
        if (risk->averaging && late_mean_share(&risk->mean) != 0)
            add_rows(risk, risk->mean.sum, late_mean_share(&risk->mean) * share, block, row);
    }
    for (size_t i = 0; i < risk->w.outputs && risk->learn_intercept; i++) {
        double slope = *moved ? weight * risk->steps[i] : 0;

        if (risk->options->regularize_intercept)
            risk->w.intercept[i] = (shrink > 0 ? shrink : 0) * risk->w.intercept[i] - rate * slope;
        else
            move_intercept(risk, sgd, i, slope);
    }
    sgd->run.shrinkage_due += rate * risk->lambda * risk->options->l1_ratio;
    sgd->run.t += sgd->stride;
    if (risk->averaging)
        clv_late_mean_step(&risk->mean, (LocalWeights){&risk->w, risk->scale, risk->factor});
    return weight * loss;
}

/* Learns a row in the most frequent case: one output, no L1 penalty and no mean. */
static inline double learn_single(Fit *fit, Risk *risk, double rate, const Block *block,
                                  uint32_t row, uint32_t label, double target, bool *moved)
{
    Sgd *sgd = risk->own;
    double y = risk_y(fit, label, target, 0), shrink = 1 - rate * risk->lambda * sgd->stride,
           weight, slope, score;

    score = risk->scale * risk->kernels->dot(risk->w.w, block, row) + risk->w.intercept[0];
    risk->scores[0] = score;
    slope = loss_slope(risk->loss, y, score);
    weight = block->weight || fit->problem->class_weight ? risk_weight(fit, block, row, label) : 1;
    risk->scale *= shrink > 0 ? shrink : DBL_EPSILON;
    if (risk->scale < LEAST_SCALE)
        clv_risk_flush_scale(risk);
    *moved = slope != 0 && weight > 0;
    sgd->run.t += sgd->stride;
    if (!*moved)
        return weight * loss_value(risk->loss, y, score);
    risk->kernels->add(risk->w.w, -rate * weight * slope / risk->scale, block, row);
    if (risk->learn_intercept)
        move_intercept(risk, sgd, 0, weight * slope);
    return weight * loss_value(risk->loss, y, score);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static Status step(Fit *fit, Risk *risk, const Block *block)
{
    Sgd *sgd = risk->own;
    SgdNumbers *run = &sgd->run;
    bool inverse = schedule_of(risk) == RATE_INVERSE &&
                   !risk->averages; /* the default schedule, repeated here so that it is inlined */
    bool single = fit->outputs == 1 && !risk->averaging && risk->options->l1_ratio == 0 &&
                  !risk->options->regularize_intercept;

    if (risk->averaging)
        clv_late_mean_begin_epoch(&risk->mean, fit);
    if (run->ready == 0) /* the driver gathered no sample */
        TRY(clv_sgd_find_rate(fit, risk, block));
    else if (run->squares_rows > 0 && run->squares_rows < ENOUGH_SQUARES)
        clv_sgd_continue_solved(fit, risk, block);
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, rate;
        bool moved;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        rate = inverse ? 1 / (risk->lambda * (run->t + run->t0)) : clv_sgd_rate(fit, risk);
        fit->counters.epoch_loss += single ? learn_single(fit, risk, rate, block, row, label,
                                                          target, &moved)
                                           : clv_sgd_learn(fit, risk, rate, block, row, label,
                                                           target, &moved);
        fit->counters.epoch_mistakes += moved;
        fit->counters.seen++;
        if (fit->counters.epoch == 0 && label < fit->classes)
            sgd->class_seen[label] += risk_weight(fit, block, row, label);
        if (fit->trace)
            fit->trace(fit, block, row, risk->scores, !moved);
    }
    return isfinite(fit->counters.epoch_loss) ? OK : clv_linear_overflow(fit->error);
}

/* The lowest mean loss of a constant prediction, summed over outputs, from the weights of the
 * classes seen. */
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

/* Sets *done when the objective has changed little for some epochs and is lower than that of a
 * constant prediction. Without the second condition, a learning rate that is too small would end
 * the run. */
static Status pass(Fit *fit, Risk *risk, bool *done)
{
    enum { STILL_EPOCHS = 3 };
    Sgd *sgd = risk->own;
    double rows = fit->counters.seen ? (double)fit->counters.seen / (fit->counters.epoch + 1.0) : 1,
           objective, change;
    bool joint = fit->outputs > 1 && risk->options->multiclass == MULTICLASS_JOINT, useless;

    for (size_t i = 0; i < sgd->shrinkage_size; i++)
        apply_shrinkage(risk, sgd, i);
    objective = fit->counters.epoch_loss / rows + clv_risk_penalty(risk, &risk->w, risk->scale);
    change = fabs(sgd->run.last_objective - objective) / objective;
    sgd->run.stalled_epochs = change <= risk->options->tolerance ? sgd->run.stalled_epochs + 1 : 0;
    sgd->run.last_objective = objective;
    useless = fit->task != CLEAVE_TASK_REGRESSION && !joint &&
              objective > 0.999 * constant_loss(fit, risk);
    *done = fit->result.plateau = sgd->run.stalled_epochs >= STILL_EPOCHS && !useless;
    if (*done)
        clv_summarize(fit,
                      "converged, relative change of the objective below %g in each of the last "
                      "%d epochs",
                      risk->options->tolerance, STILL_EPOCHS);
    else if (useless && fit->counters.epoch > 0)
        clv_summarize(fit, "the objective is no better than a constant prediction; standardize the "
                           "features or change --learning-rate");
    else if (isfinite(change))
        clv_summarize(fit,
                      "stopped before convergence, the objective changed by %.2g (relative) in the "
                      "last epoch",
                      change);
    else
        clv_summarize(fit, "%s", "");
    return OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

static Status widen(Fit *fit, Risk *risk, const Widening *to)
{
    Sgd *sgd = risk->own;
    double *seen = clv_resize(fit->context, sgd->class_seen, to->classes, sizeof *seen);

    if (!seen)
        return clv_fail_memory(fit->error, "classes", to->classes * sizeof *seen);
    sgd->class_seen = seen;
    for (uint32_t i = fit->classes; i < to->classes; i++)
        seen[i] = 0;
    if (risk->options->l1_ratio > 0) {
        TRY(clv_widen_floats(fit, to, &sgd->shrinkage, risk->w.features));
        sgd->shrinkage_size = (size_t)risk->w.features * to->outputs;
    }
    return clv_widen_sizes(fit, to, &sgd->intercept_squares, 1);
}

static void forget(Risk *risk, double keep)
{
    Sgd *sgd = risk->own;

    sgd->run.t = fmin(sgd->run.t, 1 / (1 - keep));
    for (size_t i = 0; i < risk->w.outputs; i++)
        sgd->intercept_squares[i] *= keep;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static Status copy(Fit *to, Risk *into, const Risk *from)
{
    Sgd *mine = into->own;
    const Sgd *theirs = from->own;

    (void)to;
    mine->run = theirs->run;
    memcpy(mine->intercept_squares, theirs->intercept_squares,
           into->w.outputs * sizeof *mine->intercept_squares);
    if (theirs->shrinkage)
        memcpy(mine->shrinkage, theirs->shrinkage,
               theirs->shrinkage_size * sizeof *mine->shrinkage);
    return OK;
}

static void race(Risk *risk, unsigned workers)
{
    ((Sgd *)risk->own)->stride = workers;
}

static void set_rate(Risk *risk, double factor)
{
    ((Sgd *)risk->own)->run.factor = factor;
}

/* ---- several workers ------------------------------------------------------------------------- */

static Status give(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta)
{
    const Sgd *sgd = risk->own, *before = start->own;
    double numbers[] = {sgd->run.t, sgd->run.shrinkage_due},
           old[] = {before->run.t, before->run.shrinkage_due};

    TRY(clv_risk_give_average(fit, risk, start, rows, delta));
    TRY(clv_average_give_numbers("numbers", numbers, old, 2, rows, delta, fit->error));
    TRY(clv_average_give_numbers("bias_squares", sgd->intercept_squares, before->intercept_squares,
                                 risk->w.outputs, rows, delta, fit->error));
    TRY(clv_average_give_numbers("class_seen", sgd->class_seen, before->class_seen, fit->classes, 1,
                                 delta, fit->error));
    /* the driver collected no sample, because each worker has chosen a learning rate */
    if (before->run.ready == 0 && rows > 0)
        TRY(clv_delta_add(delta, "rate", 0, rows * log(sgd->run.first_rate), fit->error));
    for (size_t i = 0; i < sgd->shrinkage_size; i++)
        TRY(clv_delta_add(delta, "paid", i,
                          rows * ((double)sgd->shrinkage[i] -
                                  (i < before->shrinkage_size ? (double)before->shrinkage[i] : 0)),
                          fit->error));
    return OK;
}

static Status take(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    Sgd *sgd = risk->own;
    const DeltaPart *shrinkage = clv_delta_part(sum, "paid");
    double numbers[] = {sgd->run.t, sgd->run.shrinkage_due};

    if (rows <= 0)
        return OK;
    if (shrinkage && clv_delta_size(sum, "paid") > sgd->shrinkage_size)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "the update has more L1 penalties than weights");
    TRY(clv_risk_take_average(fit, risk, rows, sum));
    for (size_t i = 0; shrinkage && i < shrinkage->count; i++)
        sgd->shrinkage[shrinkage->index[i]] = (float)((double)sgd->shrinkage[shrinkage->index[i]] +
                                                      shrinkage->value[i] / rows);
    clv_average_take_numbers("numbers", numbers, 2, rows, sum);
    sgd->run.t = numbers[0]; /* each worker has made this many steps */
    sgd->run.shrinkage_due = numbers[1];
    clv_average_take_numbers("bias_squares", sgd->intercept_squares, risk->w.outputs, rows, sum);
    clv_average_take_numbers("class_seen", sgd->class_seen, fit->classes, 1, sum);
    if (sgd->run.ready == 0) {
        clv_sgd_set_first_rate(risk, exp(clv_delta_number(sum, "rate", 0) / rows));
        sgd->run.ready = 1;
    }
    return OK;
}

/* ---- warm starts ----------------------------------------------------------------------------- */

static Status save(Fit *fit, const Risk *risk, Model *model)
{
    const Sgd *sgd = risk->own;
    SgdNumbers run = sgd->run;

    run.calibrate_next = (double)fit->calibration.next;
    TRY(clv_bundle_put(model->bundle, "sgd", BUNDLE_F64, &run, SGD_NUMBERS, fit->error));
    TRY(clv_bundle_put(model->bundle, "sgd_seen", BUNDLE_F64, sgd->class_seen, fit->classes,
                       fit->error));
    TRY(clv_bundle_put(model->bundle, "sgd_bias_squares", BUNDLE_F64, sgd->intercept_squares,
                       risk->w.outputs, fit->error));
    if (risk->averages)
        TRY(clv_late_mean_save(&risk->mean, &risk->w, risk->scale, model, fit->error));
    return sgd->shrinkage ? clv_bundle_put(model->bundle, "sgd_paid", BUNDLE_F32, sgd->shrinkage,
                                           (size_t)risk->w.features * risk->w.outputs, fit->error)
                          : OK;
}

/* Starts from the weights of another solver, which are also the first value of the mean, with as
 * many steps as training rows. */
static Status resume_solved(Risk *risk, const Model *model)
{
    Sgd *sgd = risk->own;
    double rows = (double)model->rows;

    sgd->run.solved_rows = rows;
    for (size_t i = 0; i < risk->w.outputs; i++)
        sgd->intercept_squares[i] = rows; /* as if the gradient was 1 in each row */
    if (risk->averaging)
        clv_late_mean_start(&risk->mean, &risk->w, risk->scale, rows);
    return OK;
}

static Status resume(Fit *fit, Risk *risk, const Model *model)
{
    Sgd *sgd = risk->own;
    double numbers[SGD_NUMBERS];

    if (!clv_bundle_copy(model->bundle, "sgd", BUNDLE_F64, numbers, SGD_NUMBERS))
        return resume_solved(risk, model);
    for (size_t i = 0; i < SGD_NUMBERS; i++)
        if (isnan(numbers[i]) || (i >= offsetof(SgdNumbers, calibrate_next) / sizeof *numbers &&
                                  !(numbers[i] >= 0 && numbers[i] < 1e18)))
            return clv_state_nonsense(fit->error);
    memcpy(&sgd->run, numbers, sizeof numbers);
    fit->calibration.factor = sgd->run.factor;
    fit->wants_sample = sgd->run.ready == 0;
    fit->calibration.next = (uint64_t)sgd->run.calibrate_next;
    clv_bundle_copy(model->bundle, "sgd_seen", BUNDLE_F64, sgd->class_seen, fit->classes);
    clv_bundle_copy(model->bundle, "sgd_bias_squares", BUNDLE_F64, sgd->intercept_squares,
                    risk->w.outputs);
    if (sgd->shrinkage)
        clv_bundle_copy(model->bundle, "sgd_paid", BUNDLE_F32, sgd->shrinkage,
                        (size_t)model->features * risk->w.outputs);
    return risk->averages
               ? clv_late_mean_resume(&risk->mean, &risk->w, &risk->scale, model, fit->error)
               : OK;
}

#define SGD_SOLVER                                                                                 \
    .losses = LOSSES_ALL, .joint = true, .starts = true, .scaled = true, .rates = true,            \
    .own_size = sizeof(Sgd), .begin = begin, .reserve = reserve, .sample = clv_sgd_find_rate,      \
    .step = step, .pass = pass, .copy = copy, .set_rate = set_rate, .give = give, .take = take,    \
    .widen = widen, .forget = forget, .rate = clv_sgd_rate, .save = save, .resume = resume,        \
    .free = free_sgd

const Solver clv_solver_sgd = {.name = "sgd", .l1 = true, .race = race, SGD_SOLVER};
const Solver clv_solver_asgd = {.name = "asgd", SGD_SOLVER};
