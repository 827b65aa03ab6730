/*
 * Gradient descent on ½‖w‖² + C Σ loss, all rows a step, as the documents print it: C and the rate η as given, the
 * offset among the weights, so that their iterations can be read line by line.
 *
 *     w := w − η (w + C Σ loss'(y, s) x)
 *
 * Without a rate it finds its own: a step that raised the objective is taken back and the rate halved, one that lowered it lets
 * the rate grow by a tenth.
 */
#include "learn/linear/risk.h"

typedef struct {
    double *slope; /* Σ c loss' x of this sweep, laid out as w, in double; then those of the offsets */
    size_t slope_size;
    double *slope_bias;
    float *before; /* own rate: the weights, offsets, slope the last step began from */
    double *before_bias, *before_slope, *before_slope_bias;
    double rate, objective;
    bool begun, resumed;
} Descent;

static Status stretch(Fit *fit, const Risk *risk, double **vector, size_t size)
{
    size_t need = (size_t)risk->w.features * risk->w.outputs;
    double *grown = clv_resize(fit->context, *vector, need, sizeof *grown);

    if (!grown)
        return clv_fail_memory(fit->error, "a gradient", need * sizeof *grown);
    memset(grown + size, 0, (need - size) * sizeof *grown);
    *vector = grown;
    return OK;
}

static Status make_room(Fit *fit, Risk *risk)
{
    Descent *own = risk->own;
    size_t need = (size_t)risk->w.features * risk->w.outputs;
    float *grown;

    if (need <= own->slope_size)
        return OK;
    TRY(stretch(fit, risk, &own->slope, own->slope_size));
    TRY(stretch(fit, risk, &own->before_slope, own->slope_size));
    grown = clv_resize(fit->context, own->before, need, sizeof *grown);
    if (!grown)
        return clv_fail_memory(fit->error, "weights", need * sizeof *grown);
    memset(grown + own->slope_size, 0, (need - own->slope_size) * sizeof *grown);
    own->before = grown;
    own->slope_size = need;
    return OK;
}

static Status begin(Fit *fit, Risk *risk)
{
    Descent *own = clv_alloc_zero(fit->context, 1, sizeof *own);
    bool given;

    risk->own = own;
    if (!own)
        return clv_fail_memory(fit->error, "a solver", sizeof *own);
    own->slope_bias = clv_alloc_zero(fit->context, 3 * fit->outputs, sizeof *own->slope_bias);
    if (!own->slope_bias)
        return clv_fail_memory(fit->error, "a gradient", 3 * fit->outputs * sizeof *own->slope_bias);
    own->before_bias = own->slope_bias + fit->outputs;
    own->before_slope_bias = own->before_bias + fit->outputs;
    own->rate = risk->options->rate;
    TRY(clv_risk_start(fit, risk, &given));
    return make_room(fit, risk);
}

static void free_descent(Fit *fit, Risk *risk)
{
    Descent *own = risk->own;

    if (!own)
        return;
    clv_free(fit->context, own->slope);
    clv_free(fit->context, own->slope_bias);
    clv_free(fit->context, own->before);
    clv_free(fit->context, own->before_slope);
    clv_free(fit->context, own);
}

static void add_slope(Risk *risk, const Block *block, uint32_t row, size_t output, double slope)
{
    Descent *own = risk->own;
    size_t outputs = risk->w.outputs;

    own->slope_bias[output] += slope;
    if (outputs == 1) {
        risk->kernels->add_wide(own->slope, slope, block, row);
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        own->slope[walk.column * outputs + output] += slope * (double)walk.value;
}

static Status step(Fit *fit, Risk *risk, const Block *block)
{
    TRY(make_room(fit, risk));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, weight;
        bool moved = false;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        weight = fit_weight(fit, block, row, label);
        clv_linear_scores(&risk->w, block, row, risk->scores);
        for (size_t i = 0; i < fit->outputs; i++) {
            double y = risk_y(fit, label, target, i), slope = loss_slope(risk->loss, y, risk->scores[i]);

            fit->round_loss += weight * loss_value(risk->loss, y, risk->scores[i]);
            moved |= slope != 0;
            if (slope != 0)
                add_slope(risk, block, row, i, weight * slope);
        }
        fit->round_mistakes += moved;
        fit->seen++;
        if (fit->trace)
            fit->trace(fit, block, row, risk->scores, !moved);
    }
    return OK;
}

/* ½‖w‖² (+ ½b²) + C Σ loss, the losses being those of the sweep that is over. */
static double objective_now(const Fit *fit, const Risk *risk, double C)
{
    double squares = 0;

    for (size_t i = 0; i < (size_t)risk->w.features * risk->w.outputs; i++)
        squares += (double)risk->w.w[i] * (double)risk->w.w[i];
    for (size_t i = 0; i < risk->w.outputs && risk->learn_bias; i++)
        squares += risk->w.bias[i] * risk->w.bias[i];
    return squares / 2 + C * fit->round_loss;
}

/* Remembers where a step begins. */
static void remember(Risk *risk)
{
    Descent *own = risk->own;

    if (own->slope_size) {
        memcpy(own->before, risk->w.w, own->slope_size * sizeof *own->before);
        memcpy(own->before_slope, own->slope, own->slope_size * sizeof *own->slope);
    }
    memcpy(own->before_bias, risk->w.bias, risk->w.outputs * sizeof *own->before_bias);
    memcpy(own->before_slope_bias, own->slope_bias, risk->w.outputs * sizeof *own->slope_bias);
}

static void go_back(Risk *risk)
{
    Descent *own = risk->own;

    if (own->slope_size) {
        memcpy(risk->w.w, own->before, own->slope_size * sizeof *own->before);
        memcpy(own->slope, own->before_slope, own->slope_size * sizeof *own->slope);
    }
    memcpy(risk->w.bias, own->before_bias, risk->w.outputs * sizeof *own->before_bias);
    memcpy(own->slope_bias, own->before_slope_bias, risk->w.outputs * sizeof *own->slope_bias);
}

static void descend(Risk *risk, double C, double rate)
{
    Descent *own = risk->own;

    for (size_t i = 0; i < own->slope_size; i++)
        risk->w.w[i] = (float)((double)risk->w.w[i] - rate * ((double)risk->w.w[i] + C * own->slope[i]));
    for (size_t i = 0; i < risk->w.outputs && risk->learn_bias; i++)
        risk->w.bias[i] -= rate * (risk->w.bias[i] + C * own->slope_bias[i]);
    if (own->slope_size)
        memset(own->slope, 0, own->slope_size * sizeof *own->slope);
    memset(own->slope_bias, 0, risk->w.outputs * sizeof *own->slope_bias);
}

/* The first rate where none is given: one that a single row could not overshoot by. */
static double first_rate(const Fit *fit, double C)
{
    return 1 / (1 + C * (double)(fit->rows ? fit->rows : 1));
}

static Status pass(Fit *fit, Risk *risk, bool *done)
{
    Descent *own = risk->own;
    const RiskOptions *options = risk->options;
    double C = 1 / (risk->lambda * fit->weight_total), objective = objective_now(fit, risk, C), change;

    if (!isfinite(objective)) {
        clv_fail(fit->error, CLEAVE_ERROR_DATA, "the objective has grown beyond all bounds after %u rounds",
                 fit->round + 1);
        return clv_hint(fit->error, CLEAVE_ERROR_DATA, "lower --rate, or leave it out: gd then finds one");
    }
    if (options->rate == 0) {
        if (own->resumed && objective > 2 * own->objective)
            own->begun = false; /* other rows than those the model was trained on */
        own->resumed = false;
        if (!own->begun) {
            own->rate = first_rate(fit, C);
        } else if (objective > own->objective) {
            own->rate /= 2;
            go_back(risk);
            objective = own->objective;
        } else {
            own->rate *= 1.1;
        }
        remember(risk);
    }
    change = own->begun ? fabs(own->objective - objective) / objective : INFINITY;
    *done = own->begun && change <= options->tolerance * 1e-3 &&
            (options->rate > 0 || change > 0 || own->rate < 1e-12 * first_rate(fit, C));
    own->begun = true;
    own->objective = objective;
    if (!*done)
        descend(risk, C, own->rate / (1 + options->rate_decay * fit->round));
    clv_verdict(fit, *done ? "the objective %.6g no longer falls" : "the objective was %.6g before the last step",
                objective);
    if (fit->trace && !*done)
        fit->trace(fit, NULL, 0, NULL, false);
    return OK;
}

/* ---- rounds made by many ------------------------------------------------------------------------------------------ */

/* Slopes are sums over rows, all taken at one w: they add up. */
static Status give(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta)
{
    const Descent *own = risk->own;

    (void)start;
    (void)rows;
    TRY(clv_delta_add_all(delta, "bias", own->slope_bias, risk->w.outputs, fit->error));
    return clv_delta_add_all(delta, "w", own->slope, own->slope_size, fit->error);
}

static Status take(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    Descent *own = risk->own;
    const DeltaPart *slope = clv_delta_part(sum, "w");

    (void)rows;
    TRY(make_room(fit, risk));
    for (size_t i = 0; i < risk->w.outputs; i++)
        own->slope_bias[i] += clv_delta_number(sum, "bias", i);
    for (size_t i = 0; slope && i < slope->count; i++)
        own->slope[slope->index[i]] += slope->value[i];
    return OK;
}

static bool sums_exactly(const RiskOptions *options)
{
    (void)options;
    return true;
}

/* ---- warm starts -------------------------------------------------------------------------------------------------- */

enum { SAVED_NUMBERS = 3 };

/* With a rate of its own it may have to go back to where the last step began. */
static Status save(Fit *fit, const Risk *risk, Model *model)
{
    const Descent *own = risk->own;
    double numbers[SAVED_NUMBERS] = {own->rate, own->objective, own->begun};

    TRY(clv_bundle_put(model->bundle, "gd", BUNDLE_F64, numbers, SAVED_NUMBERS, fit->error));
    if (risk->options->rate > 0)
        return OK;
    TRY(clv_bundle_put(model->bundle, "gd_before", BUNDLE_F32, own->before, own->slope_size, fit->error));
    TRY(clv_bundle_put(model->bundle, "gd_slope", BUNDLE_F64, own->before_slope, own->slope_size, fit->error));
    return clv_bundle_put(model->bundle, "gd_biases", BUNDLE_F64, own->before_bias, 2 * (uint64_t)risk->w.outputs,
                          fit->error);
}

static Status resume(Fit *fit, Risk *risk, const Model *model)
{
    Descent *own = risk->own;
    size_t count = (size_t)model->features * risk->w.outputs;
    double numbers[SAVED_NUMBERS];

    TRY(make_room(fit, risk));
    if (!clv_bundle_copy(model->bundle, "gd", BUNDLE_F64, numbers, SAVED_NUMBERS))
        return OK; /* of another solver: its weights are a start */
    if (risk->options->rate == 0 &&
        !(clv_bundle_copy(model->bundle, "gd_before", BUNDLE_F32, own->before, count) &&
          clv_bundle_copy(model->bundle, "gd_slope", BUNDLE_F64, own->before_slope, count) &&
          clv_bundle_copy(model->bundle, "gd_biases", BUNDLE_F64, own->before_bias, 2 * risk->w.outputs)))
        return OK; /* trained with a given rate: this one is found anew */
    own->rate = risk->options->rate > 0 ? risk->options->rate : numbers[0];
    own->objective = numbers[1];
    own->begun = own->resumed = numbers[2] != 0;
    return isfinite(own->rate) && isfinite(own->objective)
               ? OK
               : clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model's state of training does not make sense");
}

const Solver clv_solver_gd = {
    .name = "gd",
    .losses = LOSSES_ALL,
    .starts = true,
    .rates = true,
    .begin = begin,
    .step = step,
    .pass = pass,
    .give = give,
    .take = take,
    .sums_exactly = sums_exactly,
    .save = save,
    .resume = resume,
    .free = free_descent,
};
