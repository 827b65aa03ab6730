/*
 * Pegasos (Shalev-Shwartz, Singer and Srebro 2007): subgradient steps on batches of rows with the rate 1/(λt), each followed
 * by a projection onto the ball that must hold the optimum.
 *
 *     A the batch, A⁺ those of it with y·s < 1        w := (1 − 1/t) w + 1/(λ t |A|) Σ_{A⁺} c y x        ‖w‖ ≤ 1/√λ
 *
 * A batch of all rows is the subgradient method. The step needs the batch's scores at one w, so its rows are summed into a vector
 * of their own, with a list of the columns touched: a batch costs its non-zeros, wherever blocks begin and end.
 *
 * The offset is outside the ball: it takes steps of 1/(1 + λt), which are bounded where 1/(λt) is not. With
 * --regularize-bias it is a weight like the others, of a component that is always 1.
 */
#include "learn/linear/risk.h"

#include "base/number.h"
#include "learn/linear/apart.h"

typedef struct {
    double t;          /* steps so far */
    uint64_t batch;    /* rows of one; 0: all of a sweep */
    uint64_t in_batch; /* rows since the last step */
    double *delta;     /* Σ c y x of this batch, laid out as w */
    size_t delta_size;
    double *delta_bias;
    size_t *touched; /* places in delta that are not 0, some perhaps twice */
    size_t touched_count, touched_capacity;
    double *length2; /* of scale * w, per output; the offset's square included when it is penalised */
    double *steps;
    double last_objective;
} Pegasos;

static Status make_room(Fit *fit, Risk *risk)
{
    Pegasos *own = risk->own;
    size_t need = (size_t)risk->w.features * risk->w.outputs;
    double *grown;

    if (need <= own->delta_size)
        return OK;
    grown = clv_resize(fit->context, own->delta, need, sizeof *grown);
    if (!grown)
        return clv_fail_memory(fit->error, "a batch", need * sizeof *grown);
    memset(grown + own->delta_size, 0, (need - own->delta_size) * sizeof *grown);
    own->delta = grown;
    own->delta_size = need;
    return OK;
}

/* Lengths from the weights themselves: at the start, and after each sweep against drift. */
static void measure(const Risk *risk)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;

    for (size_t i = 0; i < outputs; i++)
        own->length2[i] = risk->options->regularize_bias ? risk->w.bias[i] * risk->w.bias[i] : 0;
    for (size_t i = 0; i < (size_t)risk->w.features * outputs; i++)
        own->length2[i % outputs] += risk->scale * risk->scale * (double)risk->w.w[i] * (double)risk->w.w[i];
}

static Status begin(Fit *fit, Risk *risk)
{
    Pegasos *own = clv_alloc_zero(fit->context, 1, sizeof *own);
    const char *batch = risk->options->batch, *end;
    double rows = 0;
    bool given;

    risk->own = own;
    if (!own)
        return clv_fail_memory(fit->error, "a solver", sizeof *own);
    own->last_objective = INFINITY;
    if (strcmp(batch, "all") != 0)
        clv_parse_double(batch, batch + strlen(batch), &rows, &end);
    own->batch = (uint64_t)rows;
    own->length2 = clv_alloc_zero(fit->context, fit->outputs, sizeof *own->length2);
    own->delta_bias = clv_alloc_zero(fit->context, fit->outputs, sizeof *own->delta_bias);
    own->steps = clv_alloc_zero(fit->context, fit->outputs, sizeof *own->steps);
    if (!own->length2 || !own->delta_bias || !own->steps)
        return clv_fail_memory(fit->error, "steps", fit->outputs * sizeof *own->steps);
    TRY(clv_risk_start(fit, risk, &given));
    measure(risk);
    for (size_t i = 0; i < fit->outputs; i++)
        if (own->length2[i] > (1 + 1e-6) / risk->lambda)
            return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                            "--start: the weights lie outside the ball |w| <= 1/sqrt(lambda) = %g",
                            1 / sqrt(risk->lambda));
    return make_room(fit, risk);
}

static void free_pegasos(Fit *fit, Risk *risk)
{
    Pegasos *own = risk->own;

    if (!own)
        return;
    clv_free(fit->context, own->delta);
    clv_free(fit->context, own->delta_bias);
    clv_free(fit->context, own->touched);
    clv_free(fit->context, own->length2);
    clv_free(fit->context, own->steps);
    clv_free(fit->context, own);
}

static Status add_row(Fit *fit, Risk *risk, const Block *block, uint32_t row, double weight)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;

    for (size_t i = 0; i < outputs; i++)
        own->delta_bias[i] -= weight * own->steps[i];
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        TRY(GROW(fit->context, own->touched, own->touched_capacity, own->touched_count + outputs, fit->error));
        for (size_t i = 0; i < outputs; i++) {
            size_t at = (size_t)walk.column * outputs + i;

            if (own->steps[i] == 0)
                continue;
            if (own->delta[at] == 0)
                own->touched[own->touched_count++] = at;
            own->delta[at] -= weight * own->steps[i] * (double)walk.value;
        }
    }
    return OK;
}

/* The whole vector by the ball: one output is one multiplication, several are projected each on its own. */
static void project(Risk *risk)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;

    for (size_t output = 0; output < outputs; output++) {
        double most = 1 / risk->lambda, factor;

        if (own->length2[output] <= most)
            continue;
        factor = sqrt(most / own->length2[output]);
        if (risk->options->regularize_bias)
            risk->w.bias[output] *= factor;
        own->length2[output] = most;
        if (outputs == 1) {
            risk->scale *= factor;
            continue;
        }
        risk->factor[output] *= factor;
        for (uint32_t column = 0; column < risk->w.features; column++) {
            float *w = &risk->w.w[column * outputs + output];

            *w = (float)((double)*w * factor);
        }
    }
}

static void flush_scale(Risk *risk)
{
    for (size_t i = 0; i < (size_t)risk->w.features * risk->w.outputs; i++)
        risk->w.w[i] = (float)((double)risk->w.w[i] * risk->scale);
    for (size_t i = 0; i < risk->w.outputs; i++)
        risk->factor[i] *= risk->scale;
    risk->scale = 1;
}

/* One step from the batch gathered. */
static void take_step(Risk *risk)
{
    Pegasos *own = risk->own;
    size_t outputs = risk->w.outputs;
    double shrink, rate, bias_rate;

    if (own->in_batch == 0)
        return;
    own->t++;
    shrink = 1 - 1 / own->t;
    rate = 1 / (risk->lambda * own->t * (double)own->in_batch);
    bias_rate = 1 / ((1 + risk->lambda * own->t) * (double)own->in_batch);
    if (shrink == 0) { /* the first step forgets where it began */
        memset(risk->w.w, 0, (size_t)risk->w.features * outputs * sizeof *risk->w.w);
        memset(risk->factor, 0, outputs * sizeof *risk->factor);
        risk->scale = 1;
    } else {
        risk->scale *= shrink;
    }
    for (size_t i = 0; i < outputs; i++) {
        double *bias = &risk->w.bias[i];

        own->length2[i] *= shrink * shrink;
        if (risk->options->regularize_bias) {
            double before = shrink * *bias;

            *bias = before + rate * own->delta_bias[i];
            own->length2[i] += *bias * *bias - before * before;
        } else if (risk->learn_bias) {
            *bias += bias_rate * own->delta_bias[i];
        }
        own->delta_bias[i] = 0;
    }
    for (size_t i = 0; i < own->touched_count; i++) {
        size_t at = own->touched[i];
        double before = risk->scale * (double)risk->w.w[at], after = before + rate * own->delta[at];

        risk->w.w[at] = (float)(after / risk->scale);
        own->length2[at % outputs] += after * after - before * before;
        own->delta[at] = 0;
    }
    own->touched_count = 0;
    own->in_batch = 0;
    project(risk);
    if (risk->scale < 1e-12)
        flush_scale(risk);
}

static Status step(Fit *fit, Risk *risk, const Block *block)
{
    Pegasos *own = risk->own;

    TRY(make_room(fit, risk));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, weight, loss = 0;
        bool moved = false;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        weight = risk_weight(fit, block, row, label);
        memset(risk->scores, 0, fit->outputs * sizeof *risk->scores);
        risk->kernels->dot_many(risk->w.w, fit->outputs, block, row, risk->scores);
        for (size_t i = 0; i < fit->outputs; i++) {
            double y = risk_y(fit, label, target, i);

            risk->scores[i] = risk->scale * risk->scores[i] + risk->w.bias[i];
            loss += loss_value(risk->loss, y, risk->scores[i]);
            own->steps[i] = loss_slope(risk->loss, y, risk->scores[i]);
            moved |= own->steps[i] != 0;
        }
        fit->round_loss += weight * loss;
        fit->round_mistakes += moved;
        if (moved && weight > 0)
            TRY(add_row(fit, risk, block, row, weight));
        fit->seen++;
        own->in_batch++;
        if (own->in_batch == own->batch)
            take_step(risk);
        if (fit->trace)
            fit->trace(fit, block, row, risk->scores, !moved);
    }
    return isfinite(fit->round_loss) ? OK : clv_linear_overflow(fit->error);
}

static Status pass(Fit *fit, Risk *risk, bool *done)
{
    Pegasos *own = risk->own;
    double rows = fit->seen ? (double)fit->seen / (fit->round + 1.0) : 1, objective;
    bool useless;

    if (own->in_batch > 0) {
        take_step(risk);
        if (fit->trace && own->batch != 1)
            fit->trace(fit, NULL, 0, NULL, false);
    }
    measure(risk);
    objective = fit->round_loss / rows + clv_risk_penalty(risk, &risk->w, risk->scale);
    useless = objective > 0.999 * (double)fit->outputs; /* what no weights at all cost */
    *done = fit->round > 0 && fabs(own->last_objective - objective) <= risk->options->tolerance * objective && !useless;
    if (*done)
        clv_verdict(fit, "the objective fell by less than %g in the last sweep", risk->options->tolerance);
    else if (fit->round > 0 && useless)
        clv_verdict(fit, "no better yet than no weights at all: the features may want scaling");
    else if (fit->round > 0)
        clv_verdict(fit, "the objective was still changing by %.2g of itself",
                    fabs(own->last_objective - objective) / objective);
    own->last_objective = objective;
    return OK;
}

/* ---- rounds made by many ------------------------------------------------------------------------------------------ */

static bool sums_exactly(const RiskOptions *options)
{
    return strcmp(options->batch, "all") == 0;
}

/* A batch of all rows is one sum; otherwise each worker makes its own steps, the last from what is left of a batch. */
static Status give(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta)
{
    const Pegasos *own = risk->own, *before = start->own;

    if (own->batch == 0) {
        TRY(clv_delta_add_all(delta, "bias", own->delta_bias, risk->w.outputs, fit->error));
        return clv_delta_add_all(delta, "w", own->delta, own->delta_size, fit->error);
    }
    take_step(fit->state);
    TRY(clv_apart_give((Apart){&risk->w, risk->scale, risk->factor}, (Apart){&start->w, start->scale, NULL}, rows,
                       delta, fit->error));
    return clv_apart_give_numbers("numbers", &own->t, &before->t, 1, rows, delta, fit->error);
}

static Status take_batch(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    Pegasos *own = risk->own;
    const DeltaPart *w = clv_delta_part(sum, "w");

    for (size_t i = 0; i < risk->w.outputs; i++)
        own->delta_bias[i] += clv_delta_number(sum, "bias", i);
    TRY(GROW(fit->context, own->touched, own->touched_capacity, own->touched_count + (w ? w->count : 0), fit->error));
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

    TRY(make_room(fit, risk));
    if (own->batch == 0)
        return take_batch(fit, risk, rows, sum);
    clv_apart_take(&risk->w, &risk->scale, rows, sum);
    clv_apart_take_numbers("numbers", &own->t, 1, rows, sum);
    measure(risk);
    return OK;
}

/* ---- warm starts -------------------------------------------------------------------------------------------------- */

static Status save(Fit *fit, const Risk *risk, Model *model)
{
    const Pegasos *own = risk->own;
    double numbers[2] = {own->t, own->last_objective};

    return clv_bundle_put(model->bundle, "pegasos", BUNDLE_F64, numbers, 2, fit->error);
}

static Status resume(Fit *fit, Risk *risk, const Model *model)
{
    Pegasos *own = risk->own;
    const BundleItem *numbers = clv_bundle_get(model->bundle, "pegasos", BUNDLE_F64);

    TRY(make_room(fit, risk));
    measure(risk);
    if (!numbers ||
        numbers->count !=
            2) { /* of another solver: its weights are a start, and count as what a sweep would have come to */
        own->t = (double)(fit->rows ? fit->rows : 1) / (double)(own->batch  ? own->batch
                                                                : fit->rows ? fit->rows
                                                                            : 1) +
                 1;
        return OK;
    }
    own->t = ((const double *)numbers->data)[0];
    own->last_objective = ((const double *)numbers->data)[1];
    return own->t >= 0 && isfinite(own->t) && !isnan(own->last_objective)
               ? OK
               : clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model's state of training does not make sense");
}

const Solver clv_solver_pegasos = {
    .name = "pegasos",
    .losses = LOSS_BIT(LOSS_HINGE), /* the ball is the hinge's */
    .starts = true,
    .scaled = true,
    .begin = begin,
    .step = step,
    .pass = pass,
    .give = give,
    .take = take,
    .sums_exactly = sums_exactly,
    .save = save,
    .resume = resume,
    .free = free_pegasos,
};
