/*
 * Pegasos (Shalev-Shwartz, Singer and Srebro 2007): subgradient steps on batches of rows with the
 * learning rate 1/(λt), each followed by a projection onto the ball that contains the optimum.
 *
 *     w := (1 − 1/t) w + 1/(λ t |A|) Σ_{A⁺} c y x,   ‖w‖ ≤ 1/√λ
 *
 * where A is the batch, and A⁺ its rows with y·s < 1.
 *
 * A batch of all rows is the subgradient method. A step needs the scores of its batch at one w, so
 * its rows are summed into a separate vector, with a list of the columns touched: a batch costs its
 * non-zeros, wherever blocks begin and end.
 *
 * Steps on fewer rows than all are noisy, and long where λ is small. The solution is then the mean
 * of the weights after each step from the second epoch on, or of the first epoch if it is the only
 * one (late_mean.h; Lacoste-Julien, Schmidt and Bach 2012 show the gain). A trace shows the weights
 * themselves.
 *
 * A stream that forgets multiplies the weights by a factor before each row. The learning rate is
 * that of at most 1 / (1 − factor) steps.
 *
 * The intercept is outside the ball. Its learning rate is 1/(1 + λt), which is bounded where 1/(λt)
 * is not. With --regularize-intercept it is a weight like the others, of a feature that is always
 * 1.
 */
#include "learn/linear/risk.h"

#include "base/number.h"

typedef struct {
    double t;          /* number of steps */
    uint64_t batch;    /* rows per step; 0: all rows */
    uint64_t in_batch; /* rows since the last step */
    double *delta;     /* Σ c y x of this batch, in the layout of w */
    size_t delta_size;
    double *delta_intercept;
    size_t *touched; /* positions in delta that are not 0; a position may occur twice */
    size_t touched_count, touched_capacity;
    double *length2; /* ‖scale * w‖² per output, plus b² if the intercept is regularized */
    double last_objective;
} Pegasos;

static Status reserve(Fit *fit, Risk *risk)
{
    Pegasos *own = risk->own;

    return clv_extend(fit->context, &own->delta, &own->delta_size,
                      (size_t)risk->w.features * risk->w.outputs, sizeof *own->delta, "the batch",
                      fit->error);
}

/* Computes length2 from the weights: at the start, and after each epoch, because updates accumulate
 * rounding errors. */
static void measure(const Risk *risk)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;

    for (size_t i = 0; i < outputs; i++)
        own->length2[i] = risk->options->regularize_intercept
                              ? risk->w.intercept[i] * risk->w.intercept[i]
                              : 0;
    for (size_t i = 0; i < (size_t)risk->w.features * outputs; i++)
        own->length2[i % outputs] += risk->scale * risk->scale * (double)risk->w.w[i] *
                                     (double)risk->w.w[i];
}

static Status begin(Fit *fit, Risk *risk)
{
    Pegasos *own = risk->own;
    const char *batch = risk->options->batch_size, *end;
    double rows = 0;

    own->last_objective = INFINITY;
    if (strcmp(batch, "all") != 0)
        clv_parse_double(batch, batch + strlen(batch), &rows, &end);
    own->batch = (uint64_t)rows;
    risk->averages = own->batch > 0 && (fit->problem->rows == 0 || own->batch < fit->problem->rows);
    own->length2 = clv_alloc_zero(fit->context, fit->outputs, sizeof *own->length2);
    own->delta_intercept = clv_alloc_zero(fit->context, fit->outputs, sizeof *own->delta_intercept);
    if (!own->length2 || !own->delta_intercept)
        return clv_fail_memory(fit->error, "steps", fit->outputs * sizeof *own->length2);
    measure(risk);
    for (size_t i = 0; i < fit->outputs; i++)
        if (own->length2[i] > (1 + 1e-6) / risk->lambda)
            return clv_fail(
                fit->error, CLEAVE_ERROR_USAGE,
                "--initial-weights: the norm of the weights exceeds 1/sqrt(lambda) = %g",
                1 / sqrt(risk->lambda));
    return OK;
}

static void free_pegasos(Fit *fit, Risk *risk)
{
    Pegasos *own = risk->own;

    FREE(fit->context, own->delta, own->delta_intercept, own->touched, own->length2);
}

static Status add_row(Fit *fit, Risk *risk, const Block *block, uint32_t row, double weight)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;

    for (size_t i = 0; i < outputs; i++)
        own->delta_intercept[i] -= weight * risk->steps[i];
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        TRY(GROW(fit->context, own->touched, own->touched_capacity, own->touched_count + outputs,
                 fit->error));
        for (size_t i = 0; i < outputs; i++) {
            size_t at = (size_t)walk.column * outputs + i;

            if (risk->steps[i] == 0)
                continue;
            if (own->delta[at] == 0)
                own->touched[own->touched_count++] = at;
            own->delta[at] -= weight * risk->steps[i] * (double)walk.value;
        }
    }
    return OK;
}

/* Sets a weight, and adjusts the mean. */
static void set_weight(Risk *risk, size_t at, double value)
{
    float *w = &risk->w.w[at], before = *w;

    *w = (float)value;
    if (risk->averages)
        risk->mean.sum[at] += (float)(late_mean_share(&risk->mean) * ((double)*w - (double)before));
}

/* Projects each output onto the ball. For a single output, this only changes the scale. */
static void project(Risk *risk)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;

    for (size_t output = 0; output < outputs; output++) {
        double most = 1 / risk->lambda, factor;

        if (own->length2[output] <= most)
            continue;
        factor = sqrt(most / own->length2[output]);
        if (risk->options->regularize_intercept)
            risk->w.intercept[output] *= factor;
        own->length2[output] = most;
        if (outputs == 1) {
            risk->scale *= factor;
            continue;
        }
        risk->factor[output] *= factor;
        for (uint32_t column = 0; column < risk->w.features; column++) {
            size_t at = column * outputs + output;

            set_weight(risk, at, (double)risk->w.w[at] * factor);
        }
    }
}

/* Takes one step with the gradient of the batch. */
static void take_step(Risk *risk)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;
    double shrink, rate, intercept_rate;

    if (own->in_batch == 0)
        return;
    own->t++;
    shrink = 1 - 1 / own->t;
    rate = 1 / (risk->lambda * own->t * (double)own->in_batch);
    intercept_rate = 1 / ((1 + risk->lambda * own->t) * (double)own->in_batch);
    if (shrink == 0) { /* the first step does not depend on the initial weights */
        clv_risk_flush_scale(risk);
        memset(risk->w.w, 0, (size_t)risk->w.features * outputs * sizeof *risk->w.w);
        memset(risk->factor, 0, outputs * sizeof *risk->factor);
    } else {
        risk->scale *= shrink;
    }
    for (size_t i = 0; i < outputs; i++) {
        double *intercept = &risk->w.intercept[i];

        own->length2[i] *= shrink * shrink;
        if (risk->options->regularize_intercept) {
            double before = shrink * *intercept;

            *intercept = before + rate * own->delta_intercept[i];
            own->length2[i] += *intercept * *intercept - before * before;
        } else if (risk->learn_intercept) {
            *intercept += intercept_rate * own->delta_intercept[i];
        }
        own->delta_intercept[i] = 0;
    }
    for (size_t i = 0; i < own->touched_count; i++) {
        size_t at = own->touched[i];
        double before = risk->scale * (double)risk->w.w[at], after = before + rate * own->delta[at];

        set_weight(risk, at, after / risk->scale);
        own->length2[at % outputs] += after * after - before * before;
        own->delta[at] = 0;
    }
    own->touched_count = 0;
    own->in_batch = 0;
    project(risk);
    if (risk->averages)
        clv_late_mean_step(&risk->mean, (LocalWeights){&risk->w, risk->scale, risk->factor});
    if (risk->scale < LEAST_SCALE ||
        (risk->averages && late_mean_needs_flush(&risk->mean, risk->scale)))
        clv_risk_flush_scale(risk);
}

static Status step(Fit *fit, Risk *risk, const Block *block)
{
    Pegasos *own = risk->own;

    if (risk->averages)
        clv_late_mean_begin_epoch(&risk->mean, fit);
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, weight, loss;
        bool moved;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        weight = risk_weight(fit, block, row, label);
        memset(risk->scores, 0, fit->outputs * sizeof *risk->scores);
        risk->kernels->dot_many(risk->w.w, fit->outputs, block, row, risk->scores);
        for (size_t i = 0; i < fit->outputs; i++)
            risk->scores[i] = risk->scale * risk->scores[i] + risk->w.intercept[i];
        moved = risk_steps(fit, risk, label, target, &loss);
        fit->counters.epoch_loss += weight * loss;
        fit->counters.epoch_mistakes += moved;
        if (moved && weight > 0)
            TRY(add_row(fit, risk, block, row, weight));
        fit->counters.seen++;
        own->in_batch++;
        if (own->batch > 0 && own->in_batch >= own->batch)
            take_step(risk);
        if (fit->trace)
            fit->trace(fit, block, row, risk->scores, !moved);
    }
    return isfinite(fit->counters.epoch_loss) ? OK : clv_linear_overflow(fit->error);
}

static Status pass(Fit *fit, Risk *risk, bool *done)
{
    Pegasos *own = risk->own;
    double rows = fit->counters.seen ? (double)fit->counters.seen / (fit->counters.epoch + 1.0) : 1,
           objective;
    bool useless;

    if (own->in_batch > 0) {
        take_step(risk);
        if (fit->trace && own->batch != 1)
            fit->trace(fit, NULL, 0, NULL, false);
    }
    measure(risk);
    objective = fit->counters.epoch_loss / rows + clv_risk_penalty(risk, &risk->w, risk->scale);
    useless = objective > 0.999 * (double)fit->outputs; /* the objective is that of w = 0 */
    *done = fit->counters.epoch > 0 &&
            fabs(own->last_objective - objective) <= risk->options->tolerance * objective &&
            !useless;
    fit->result.plateau = *done;
    if (*done)
        clv_summarize(fit, "converged, relative change of the objective below %g in the last epoch",
                      risk->options->tolerance);
    else if (fit->counters.epoch > 0 && useless)
        clv_summarize(
            fit, "the objective is no better than with zero weights; standardize the features");
    else if (fit->counters.epoch > 0)
        clv_summarize(fit,
                      "stopped before convergence, the objective changed by %.2g (relative) in the "
                      "last epoch",
                      fabs(own->last_objective - objective) / objective);
    own->last_objective = objective;
    return OK;
}

/* ---- several workers ------------------------------------------------------------------------- */

static bool sums_exactly(const RiskOptions *options)
{
    return strcmp(options->batch_size, "all") == 0;
}

/* With a batch of all rows, workers add their sums to one batch. Otherwise each worker makes its
 * own steps, the last from an incomplete batch. */
static Status give(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta)
{
    const Pegasos *own = risk->own, *before = start->own;

    if (own->batch == 0) {
        TRY(clv_delta_add_all(delta, "bias", own->delta_intercept, risk->w.outputs, fit->error));
        return clv_delta_add_all(delta, "w", own->delta, own->delta_size, fit->error);
    }
    take_step(fit->state);
    TRY(clv_risk_give_average(fit, risk, start, rows, delta));
    return clv_average_give_numbers("numbers", &own->t, &before->t, 1, rows, delta, fit->error);
}

static Status take_batch(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    Pegasos *own = risk->own;
    const DeltaPart *w = clv_delta_part(sum, "w");

    for (size_t i = 0; i < risk->w.outputs; i++)
        own->delta_intercept[i] += clv_delta_number(sum, "bias", i);
    TRY(GROW(fit->context, own->touched, own->touched_capacity,
             own->touched_count + (w ? w->count : 0), fit->error));
    for (size_t i = 0; w && i < w->count; i++) {
        if (own->delta[w->index[i]] == 0)
            own->touched[own->touched_count++] = (size_t)w->index[i];
        own->delta[w->index[i]] += w->value[i];
    }
    own->in_batch += (uint64_t)rows;
    return OK;
}

static Status take(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    Pegasos *own = risk->own;

    if (own->batch == 0)
        return take_batch(fit, risk, rows, sum);
    if (rows <= 0)
        return OK;
    TRY(clv_risk_take_average(fit, risk, rows, sum));
    clv_average_take_numbers("numbers", &own->t, 1, rows, sum);
    measure(risk);
    return OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Renumbers the positions of the current batch for more classes. */
static Status widen_touched(Fit *fit, Pegasos *own, const Widening *to)
{
    size_t *touched = NULL, capacity = 0, count = 0;

    TRY(GROW(fit->context, touched, capacity, own->touched_count * to->outputs + 1, fit->error));
    for (size_t i = 0; i < own->touched_count; i++)
        for (size_t output = 0; output < to->outputs; output++) {
            size_t from;

            if (clv_widen_sign(fit, to, output, &from) != 0 &&
                from == own->touched[i] % fit->outputs)
                touched[count++] = own->touched[i] / fit->outputs * to->outputs + output;
        }
    clv_free(fit->context, own->touched);
    own->touched = touched;
    own->touched_capacity = capacity;
    own->touched_count = count;
    return OK;
}

static Status widen(Fit *fit, Risk *risk, const Widening *to)
{
    Pegasos *own = risk->own;

    TRY(widen_touched(fit, own, to));
    TRY(clv_widen_doubles(fit, to, &own->delta, own->delta_size / fit->outputs));
    own->delta_size = own->delta_size / fit->outputs * to->outputs;
    TRY(clv_widen_doubles(fit, to, &own->delta_intercept, 1));
    return clv_widen_sizes(fit, to, &own->length2, 1);
}

static void forget(Risk *risk, double keep)
{
    Pegasos *own = risk->own;

    own->t = fmin(own->t, 1 / (1 - keep));
}

/* ---- warm starts ----------------------------------------------------------------------------- */

static Status save_batch(Fit *fit, const Risk *risk, Model *model)
{
    const Pegasos *own = risk->own;
    size_t count = own->touched_count;
    Arena memory = {.context = fit->context, .error = fit->error, .what = "the batch"};
    uint64_t *at = clv_arena_alloc(&memory, count + 1, sizeof *at);
    double *value = clv_arena_alloc(&memory, count, sizeof *value);
    Status status = memory.status;

    if (status == OK) {
        at[0] = own->in_batch;
        for (size_t i = 0; i < count; i++) {
            at[i + 1] = own->touched[i];
            value[i] = own->delta[own->touched[i]];
        }
        status = clv_bundle_put(model->bundle, "pegasos_at", BUNDLE_U64, at, count + 1, fit->error);
    }
    THEN(status,
         clv_bundle_put(model->bundle, "pegasos_delta", BUNDLE_F64, value, count, fit->error));
    clv_arena_free(&memory);
    TRY(status);
    return clv_bundle_put(model->bundle, "pegasos_bias", BUNDLE_F64, own->delta_intercept,
                          risk->w.outputs, fit->error);
}

static Status resume_batch(Fit *fit, Risk *risk, const Model *model)
{
    Pegasos *own = risk->own;
    const BundleItem *at = clv_bundle_get(model->bundle, "pegasos_at", BUNDLE_U64);
    const BundleItem *delta = clv_bundle_get(model->bundle, "pegasos_delta", BUNDLE_F64);
    size_t count = at && at->count ? (size_t)at->count - 1 : 0;

    if (!at || fit->problem->rows > 0)
        return OK;
    if (!delta || delta->count != count ||
        !clv_bundle_copy(model->bundle, "pegasos_bias", BUNDLE_F64, own->delta_intercept,
                         risk->w.outputs))
        return clv_state_nonsense(fit->error);
    TRY(GROW(fit->context, own->touched, own->touched_capacity, count, fit->error));
    for (size_t i = 0; i < count; i++) {
        uint64_t place = ((const uint64_t *)at->data)[i + 1];
        double value = ((const double *)delta->data)[i];

        if (place >= own->delta_size || !isfinite(value))
            return clv_state_nonsense(fit->error);
        own->touched[i] = (size_t)place;
        own->delta[place] = value;
    }
    own->touched_count = count;
    own->in_batch = ((const uint64_t *)at->data)[0];
    return OK;
}

static Status save(Fit *fit, const Risk *risk, Model *model)
{
    const Pegasos *own = risk->own;
    double numbers[2] = {own->t, own->last_objective};

    TRY(clv_bundle_put(model->bundle, "pegasos", BUNDLE_F64, numbers, 2, fit->error));
    TRY(clv_bundle_put(model->bundle, "pegasos_length2", BUNDLE_F64, own->length2, risk->w.outputs,
                       fit->error));
    if (risk->averages)
        TRY(clv_late_mean_save(&risk->mean, &risk->w, risk->scale, model, fit->error));
    /* An incomplete epoch is repeated. A stream does not repeat rows, and may end within a
     * batch. */
    return fit->problem->rows == 0 && own->in_batch > 0 ? save_batch(fit, risk, model) : OK;
}

static Status resume(Fit *fit, Risk *risk, const Model *model)
{
    Pegasos *own = risk->own;
    bool has_mean = clv_bundle_get(model->bundle, "mean", BUNDLE_F64) != NULL;
    double numbers[2];

    if (!clv_bundle_copy(model->bundle, "pegasos", BUNDLE_F64, numbers, 2)) {
        /* Weights of another solver are treated like weights after one epoch. */
        own->t = (own->batch
                      ? (double)(fit->problem->rows ? fit->problem->rows : 1) / (double)own->batch
                      : 1) +
                 1;
        measure(risk);
        return OK;
    }
    own->t = numbers[0];
    own->last_objective = numbers[1];
    if (!(own->t >= 0 && isfinite(own->t)) || isnan(own->last_objective))
        return clv_state_nonsense(fit->error);
    if (risk->averages)
        TRY(clv_late_mean_resume(&risk->mean, &risk->w, &risk->scale, model, fit->error));
    measure(risk);
    /* otherwise training continues from the mean, whose norm is different */
    if (risk->averages || !has_mean)
        clv_bundle_copy(model->bundle, "pegasos_length2", BUNDLE_F64, own->length2,
                        risk->w.outputs);
    for (size_t i = 0; i < risk->w.outputs; i++)
        if (!(own->length2[i] >= 0 && isfinite(own->length2[i])))
            return clv_state_nonsense(fit->error);
    return resume_batch(fit, risk, model);
}

const Solver clv_solver_pegasos = {
    .name = "pegasos",
    .losses = LOSS_BIT(LOSS_HINGE), /* the radius of the ball holds for the hinge loss */
    .starts = true,
    .scaled = true,
    .own_size = sizeof(Pegasos),
    .begin = begin,
    .reserve = reserve,
    .step = step,
    .pass = pass,
    .give = give,
    .take = take,
    .sums_exactly = sums_exactly,
    .widen = widen,
    .forget = forget,
    .save = save,
    .resume = resume,
    .free = free_pegasos,
};
