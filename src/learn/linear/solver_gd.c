/*
 * Gradient descent on ½‖w‖² + C Σ loss with all rows per step, in the textbook form: given C and
 * learning rate η, the intercept is one of the weights, so that iterations can be compared line by
 * line.
 *
 *     w := w − η (w + C Σ loss'(y, s) x)
 *
 * The objective f is 1-strongly convex, so f(w) − ½‖g‖² is a lower bound of its minimum for any
 * (sub)gradient g. This is the certificate of a run.
 *
 * Without a given learning rate, gd chooses one. Smooth losses: a step that increases the objective
 * is undone and the rate is halved; a step that decreases it raises the rate by 10%. Losses with
 * kinks, whose gradient does not vanish at the minimum: Polyak's step (f(w) − f*)/‖g‖², with a dual
 * value d for f*. w is a convex combination of the vectors −C Σ loss'(y, s) x of earlier epochs,
 * and the dual point is the same combination; d = Σ C −loss*(loss'), combined likewise, minus
 * ½‖w‖². This is the exact line search of Frank and Wolfe on the dual. The model is the w with the
 * lowest objective, and f(w) − d is the certificate.
 *
 * References: Polyak 1987, Introduction to Optimization, 5.3; Lacoste-Julien et al. 2013,
 * Block-Coordinate Frank-Wolfe.
 */
#include "base/hash.h"
#include "learn/linear/risk.h"

typedef struct {
    double *slope; /* Σ c loss' x of this epoch, in double, in the layout of w */
    size_t slope_size;
    double *slope_intercept;
    double *gain; /* Σ −c loss*(loss') of this epoch, by output */
    /* Smooth losses without a given rate: weights, intercepts and slope before the last step.
     * Polyak's step: the best weights. */
    float *before;
    double *before_intercept, *before_slope, *before_slope_intercept;
    double *gradient; /* of the last step, for a trace */
    size_t gradient_size;
    double rate, objective;
    bool begun, resumed;
    bool polyak;   /* no given rate, and a loss with kinks: Polyak's step */
    double *point; /* Polyak's step: w before it is rounded to float */
    /* Polyak's step, per output: intercept, dual loss and lowest objective */
    double *point_intercept, *conjugate, *best;
    double rows_sum;   /* checksum of the rows of this epoch */
    double rows_known; /* checksum of the rows for which the dual point was computed */
} Descent;

/* State of an output after an epoch: squared norms of w and of the gradient, and their product. */
typedef struct {
    double weights, gradient, product;
} Lengths;

static Status reserve(Fit *fit, Risk *risk)
{
    Descent *own = risk->own;
    double **second = own->polyak ? &own->point : &own->before_slope;
    size_t need = (size_t)risk->w.features * risk->w.outputs, size = own->slope_size, same = size;

    TRY(clv_extend(fit->context, second, &size, need, sizeof **second, "the gradient", fit->error));
    if (fit->trace)
        TRY(clv_extend(fit->context, &own->gradient, &own->gradient_size, need + risk->w.outputs,
                       sizeof *own->gradient, "the gradient", fit->error));
    TRY(clv_extend(fit->context, &own->before, &same, need, sizeof *own->before, "weights",
                   fit->error));
    return clv_extend(fit->context, &own->slope, &own->slope_size, need, sizeof *own->slope,
                      "the gradient", fit->error);
}

static Status begin(Fit *fit, Risk *risk)
{
    Descent *own = risk->own;
    double **by_output[] = {&own->slope_intercept,
                            &own->before_intercept,
                            &own->before_slope_intercept,
                            &own->gain,
                            &own->point_intercept,
                            &own->conjugate,
                            &own->best};
    const size_t count = sizeof by_output / sizeof *by_output;
    double *numbers = clv_arena_zero(&risk->memory, count * fit->outputs, sizeof *numbers);

    TRY(risk->memory.status);
    for (size_t i = 0; i < count; i++)
        *by_output[i] = numbers + i * fit->outputs;
    for (size_t k = 0; k < fit->outputs; k++)
        own->best[k] = INFINITY;
    own->polyak = risk->options->learning_rate == 0 && !(LOSSES_SMOOTH & LOSS_BIT(risk->loss.kind));
    own->rate = risk->options->learning_rate;
    return OK;
}

static void free_descent(Fit *fit, Risk *risk)
{
    Descent *own = risk->own;

    FREE(fit->context, own->slope, own->before, own->before_slope, own->point, own->gradient);
}

/* A checksum of a row that is exact for any order of the rows: labels, entries and the first
 * values. */
static double row_sum(const Block *block, uint32_t row, uint32_t label, double target)
{
    enum { FIRST_VALUES = 4, EXACT_BITS = 20 }; /* sums over 2^33 rows are exact */
    RowWalk walk = clv_walk(block, row);
    double numbers[2 * FIRST_VALUES + 3] = {label, target, walk.stop - walk.at};
    size_t count = 3;

    while (count < sizeof numbers / sizeof *numbers && clv_walk_next(&walk)) {
        numbers[count++] = walk.column;
        numbers[count++] = (double)walk.value;
    }
    return (double)(clv_hash(numbers, count * sizeof *numbers, 0) >> (64 - EXACT_BITS));
}

static Status step(Fit *fit, Risk *risk, const Block *block)
{
    Descent *own = risk->own;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, weight;
        bool moved = false;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        if (own->polyak)
            own->rows_sum += row_sum(block, row, label, target);
        weight = fit_weight(fit, block, row, label);
        linear_scores(&risk->w, block, row, risk->scores);
        for (size_t i = 0; i < fit->outputs; i++) {
            double y = risk_y(fit, label, target, i),
                   slope = loss_slope(risk->loss, y, risk->scores[i]);
            double loss = loss_value(risk->loss, y, risk->scores[i]);

            fit->counters.epoch_loss += weight * loss;
            moved |= slope != 0;
            if (slope == 0) /* loss*(0) is 0, and the loss is below the slack of loss_slope */
                continue;
            own->gain[i] += weight * (loss - risk->scores[i] * slope);
            slope *= weight;
            own->slope_intercept[i] += slope;
            wide_add(risk->kernels, own->slope, fit->outputs, i, 1, &slope, block, row);
        }
        fit->counters.epoch_mistakes += moved;
        fit->counters.seen++;
        if (fit->trace)
            fit->trace(fit, block, row, risk->scores, !moved);
    }
    return OK;
}

/* ½‖w‖² (+ ½b²) + C Σ loss, with the losses of the epoch that has ended. */
static double objective_now(const Fit *fit, const Risk *risk, double C)
{
    double squares = 0;

    for (size_t i = 0; i < (size_t)risk->w.features * risk->w.outputs; i++)
        squares += (double)risk->w.w[i] * (double)risk->w.w[i];
    for (size_t i = 0; i < risk->w.outputs && risk->learn_intercept; i++)
        squares += risk->w.intercept[i] * risk->w.intercept[i];
    return squares / 2 + C * fit->counters.epoch_loss;
}

/* Saves the state before a step, or restores it. */
static void save_start(Risk *risk, bool back)
{
    Descent *own = risk->own;
    const struct {
        void *now, *before;
        size_t bytes;
    } parts[] = {
        {risk->w.w, own->before, own->slope_size * sizeof *own->before},
        {own->slope, own->before_slope, own->slope_size * sizeof *own->slope},
        {risk->w.intercept, own->before_intercept, risk->w.outputs * sizeof *own->before_intercept},
        {own->slope_intercept, own->before_slope_intercept,
         risk->w.outputs * sizeof *own->slope_intercept}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].bytes)
            memcpy(back ? parts[i].now : parts[i].before, back ? parts[i].before : parts[i].now,
                   parts[i].bytes);
}

static void clear_slope(Risk *risk)
{
    Descent *own = risk->own;

    if (own->slope_size)
        memset(own->slope, 0, own->slope_size * sizeof *own->slope);
    memset(own->slope_intercept, 0, risk->w.outputs * sizeof *own->slope_intercept);
    memset(own->gain, 0, risk->w.outputs * sizeof *own->gain);
}

static void descend(Risk *risk, double C, double rate)
{
    Descent *own = risk->own;

    for (size_t i = 0; i < own->slope_size; i++)
        risk->w.w[i] = (float)((double)risk->w.w[i] -
                               rate * ((double)risk->w.w[i] + C * own->slope[i]));
    for (size_t i = 0; i < risk->w.outputs && risk->learn_intercept; i++)
        risk->w.intercept[i] -= rate * (risk->w.intercept[i] + C * own->slope_intercept[i]);
    clear_slope(risk);
}

static void add_lengths(Lengths *lengths, double w, double gradient)
{
    lengths->weights += w * w;
    lengths->gradient += gradient * gradient;
    lengths->product += w * gradient;
}

static Lengths measure(const Risk *risk, double C, size_t output)
{
    const Descent *own = risk->own;
    Lengths lengths = {0};

    for (size_t i = output; i < own->slope_size; i += risk->w.outputs)
        add_lengths(&lengths, (double)risk->w.w[i], (double)risk->w.w[i] + C * own->slope[i]);
    if (risk->learn_intercept)
        add_lengths(&lengths, risk->w.intercept[output],
                    risk->w.intercept[output] + C * own->slope_intercept[output]);
    return lengths;
}

/* Keeps the gradient of a step for the trace. */
static void keep_gradient(Fit *fit, const Risk *risk, double C)
{
    Descent *own = risk->own;

    if (!fit->trace)
        return;
    for (size_t i = 0; i < own->slope_size; i++)
        own->gradient[i] = (double)risk->w.w[i] + C * own->slope[i];
    for (size_t i = 0; i < risk->w.outputs; i++)
        own->gradient[own->slope_size + i] = risk->learn_intercept ? risk->w.intercept[i] +
                                                                         C * own->slope_intercept[i]
                                                                   : 0;
    fit->gradient = own->gradient;
}

/* The first learning rate. With it, a step for a single row cannot overshoot. */
static double first_rate(const Fit *fit, double C)
{
    return 1 / (1 + C * (double)(fit->problem->rows ? fit->problem->rows : 1));
}

static Status check_objective(const Fit *fit, double objective)
{
    if (isfinite(objective))
        return OK;
    return clv_fail_hint(
        fit->error, CLEAVE_ERROR_DATA, "lower --learning-rate, or omit it for an automatic choice",
        "gd diverged: the objective overflows after %u iterations", fit->counters.epoch + 1);
}

/* Adapts the learning rate of a smooth loss to the last step, and undoes a step that increased
 * the objective. */
static void adapt(const Fit *fit, Risk *risk, double C, double *objective)
{
    Descent *own = risk->own;

    if (own->resumed && *objective > 2 * own->objective)
        own->begun = false; /* the rows are not those of the warm-start model */
    own->resumed = false;
    if (!own->begun) {
        own->rate = first_rate(fit, C);
    } else if (*objective > own->objective) {
        own->rate /= 2;
        save_start(risk, true);
        *objective = own->objective;
    } else {
        own->rate *= 1.1;
    }
    save_start(risk, false);
}

/* Performs one step with a given learning rate or for a smooth loss. */
static Status pass_gradient(Fit *fit, Risk *risk, double C, bool *done)
{
    Descent *own = risk->own;
    const RiskOptions *options = risk->options;
    double objective = objective_now(fit, risk, C), change, gradient = 0, bound;

    TRY(check_objective(fit, objective));
    keep_gradient(fit, risk, C);
    if (options->learning_rate == 0)
        adapt(fit, risk, C, &objective);
    for (size_t k = 0; k < risk->w.outputs; k++)
        gradient += measure(risk, C, k).gradient;
    bound = objective - gradient / 2;
    change = own->begun ? fabs(own->objective - objective) / objective : INFINITY;
    fit->result.plateau = own->begun && change <= options->tolerance * 1e-3 &&
                          (options->learning_rate > 0 || change > 0 ||
                           own->rate < 1e-12 * first_rate(fit, C));
    *done = objective - bound <= options->tolerance * objective;
    if (*done)
        clv_summarize(fit, "converged, objective %.6g, relative gap at most %.2g", objective,
                      (objective - bound) / objective);
    else
        clv_summarize(fit,
                      fit->result.plateau
                          ? "stopped, objective %.6g no longer decreases"
                          : "stopped before convergence, objective %.6g before the last step",
                      objective);
    fit->result.plateau &= !*done;
    *done |= fit->result.plateau;
    own->begun = true;
    own->objective = objective;
    if (!*done)
        descend(risk, C, own->rate / (1 + options->learning_rate_decay * fit->counters.epoch));
    return OK;
}

/* ---- Polyak's step --------------------------------------------------------------------------- */

/* Stores the weights of an output if they are the best so far. */
static void keep_best(Risk *risk, size_t output, double objective)
{
    Descent *own = risk->own;

    if (!(objective < own->best[output]))
        return;
    own->best[output] = objective;
    for (size_t i = output; i < own->slope_size; i += risk->w.outputs)
        own->before[i] = risk->w.w[i];
    own->before_intercept[output] = risk->w.intercept[output];
}

/* Moves the point of an output, and with it the weights, towards −C Σ loss' x. */
static void move_point(Risk *risk, double C, size_t output, double rate)
{
    Descent *own = risk->own;

    for (size_t i = output; i < own->slope_size; i += risk->w.outputs) {
        own->point[i] -= rate * (own->point[i] + C * own->slope[i]);
        risk->w.w[i] = (float)own->point[i];
    }
    if (risk->learn_intercept)
        own->point_intercept[output] -= rate * (own->point_intercept[output] +
                                                C * own->slope_intercept[output]);
    risk->w.intercept[output] = own->point_intercept[output];
    own->conjugate[output] += rate * (C * own->gain[output] - own->conjugate[output]);
}

/* One epoch of an output: its objective, the dual value of its point, and the step. Weights from
 * --initial-weights or another solver are not a dual point. The first step does not depend on them,
 * but they are the result if no better weights are found. */
static void step_output(Risk *risk, double C, size_t output, double *objective, double *dual)
{
    Descent *own = risk->own;
    Lengths lengths = measure(risk, C, output);
    double rounded = 0, gap;

    *objective = C * own->gain[output] + lengths.product - lengths.weights / 2;
    keep_best(risk, output, *objective);
    if (!own->begun && lengths.weights > 0) {
        *dual = -INFINITY;
        move_point(risk, C, output, 1);
        return;
    }
    for (size_t i = output; i < own->slope_size; i += risk->w.outputs)
        rounded += own->point[i] * own->point[i];
    rounded += own->point_intercept[output] * own->point_intercept[output];
    *dual = own->conjugate[output] - rounded / 2;
    gap = *objective - *dual;
    move_point(risk, C, output,
               lengths.gradient > 0 ? fmin(1, fmax(0, gap / lengths.gradient)) : 0);
}

/* If the rows are not those of the warm-start model, its weights are the start and its dual point
 * is invalid. */
static void forget(Risk *risk)
{
    Descent *own = risk->own;

    own->begun = false;
    for (size_t k = 0; k < risk->w.outputs; k++)
        own->best[k] = INFINITY;
}

static Status pass_polyak(Fit *fit, Risk *risk, double C, bool *done)
{
    Descent *own = risk->own;
    double objective = 0, best = 0, dual = 0, gap;

    if (own->resumed && own->rows_sum != own->rows_known)
        forget(risk);
    own->resumed = false;
    keep_gradient(fit, risk, C);
    own->rows_known = own->rows_sum;
    own->rows_sum = 0;
    for (size_t k = 0; k < risk->w.outputs; k++) {
        double of_output, dual_of_output;

        step_output(risk, C, k, &of_output, &dual_of_output);
        objective += of_output;
        best += own->best[k];
        dual += dual_of_output;
    }
    TRY(check_objective(fit, objective));
    clear_slope(risk);
    own->begun = true;
    own->objective = best;
    gap = best > 0 ? (best - dual) / best : 0;
    *done = gap <= risk->options->tolerance;
    risk->has_dual = isfinite(dual);
    risk->dual = risk->has_dual ? dual * risk->lambda : 0;
    if (risk->has_dual)
        clv_summarize(fit, "%s, objective %.6g, duality gap %.2g",
                      *done ? "converged" : "stopped before convergence", best, gap);
    else
        clv_summarize(fit, "stopped before convergence, objective %.6g, duality gap unknown", best);
    return OK;
}

static bool result(const Fit *fit, const Risk *risk, Linear *result)
{
    const Descent *own = risk->own;

    (void)fit;
    if (!own->polyak || isinf(own->best[0]))
        return false;
    if (own->slope_size)
        memcpy(result->w, own->before, own->slope_size * sizeof *own->before);
    memcpy(result->intercept, own->before_intercept,
           risk->w.outputs * sizeof *own->before_intercept);
    return true;
}

static Status pass(Fit *fit, Risk *risk, bool *done)
{
    const Descent *own = risk->own;
    double C = 1 / (risk->lambda * fit->problem->weight_total);

    TRY((own->polyak ? pass_polyak : pass_gradient)(fit, risk, C, done));
    if (fit->trace && !*done)
        fit->trace(fit, NULL, 0, NULL, false);
    return OK;
}

/* ---- several workers ------------------------------------------------------------------------- */

/* Gives the gradients. All are taken at one w, so the sum of the workers' gradients is the gradient
 * of all rows. */
static Status give(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta)
{
    const Descent *own = risk->own;

    (void)start;
    (void)rows;
    TRY(clv_delta_add_all(delta, "bias", own->slope_intercept, risk->w.outputs, fit->error));
    TRY(clv_delta_add_all(delta, "gain", own->gain, risk->w.outputs, fit->error));
    if (own->polyak)
        TRY(clv_delta_add(delta, "rows_sum", 0, own->rows_sum, fit->error));
    return clv_delta_add_all(delta, "w", own->slope, own->slope_size, fit->error);
}

static Status take(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    Descent *own = risk->own;
    const DeltaPart *slope = clv_delta_part(sum, "w");

    (void)fit;
    (void)rows;
    for (size_t i = 0; i < risk->w.outputs; i++) {
        own->slope_intercept[i] += clv_delta_number(sum, "bias", i);
        own->gain[i] += clv_delta_number(sum, "gain", i);
    }
    own->rows_sum += clv_delta_number(sum, "rows_sum", 0);
    for (size_t i = 0; slope && i < slope->count; i++)
        own->slope[slope->index[i]] += slope->value[i];
    return OK;
}

static bool sums_exactly(const RiskOptions *options)
{
    (void)options;
    return true;
}

/* ---- warm starts ----------------------------------------------------------------------------- */

enum { SAVED_NUMBERS = 3, POLYAK_NUMBERS = 4 /* numbers saved per output */ };

/* Per output: the intercepts of the best weights and of the point, and the values of both. */
static Status save_polyak(Fit *fit, const Risk *risk, Model *model)
{
    const Descent *own = risk->own;
    size_t outputs = risk->w.outputs;
    const double *from[POLYAK_NUMBERS] = {own->before_intercept, own->point_intercept,
                                          own->conjugate, own->best};
    double *numbers;
    Status status;

    TRY(ALLOC(fit->context, numbers, POLYAK_NUMBERS * outputs + 1, "the solver", fit->error));
    for (size_t i = 0; i < POLYAK_NUMBERS; i++)
        memcpy(numbers + i * outputs, from[i], outputs * sizeof *numbers);
    numbers[POLYAK_NUMBERS * outputs] = own->rows_known;
    status = clv_bundle_put(model->bundle, "gd_polyak", BUNDLE_F64, numbers,
                            POLYAK_NUMBERS * outputs + 1, fit->error);
    clv_free(fit->context, numbers);
    TRY(status);
    TRY(clv_bundle_put(model->bundle, "gd_best", BUNDLE_F32, own->before, own->slope_size,
                       fit->error));
    return clv_bundle_put(model->bundle, "gd_point", BUNDLE_F64, own->point, own->slope_size,
                          fit->error);
}

/* With an adaptive rate, a resumed run may have to undo the last step. */
static Status save(Fit *fit, const Risk *risk, Model *model)
{
    const Descent *own = risk->own;
    double numbers[SAVED_NUMBERS] = {own->rate, own->objective, own->begun};

    TRY(clv_bundle_put(model->bundle, "gd", BUNDLE_F64, numbers, SAVED_NUMBERS, fit->error));
    if (risk->options->learning_rate > 0)
        return OK;
    if (own->polyak)
        return save_polyak(fit, risk, model);
    TRY(clv_bundle_put(model->bundle, "gd_before", BUNDLE_F32, own->before, own->slope_size,
                       fit->error));
    TRY(clv_bundle_put(model->bundle, "gd_slope", BUNDLE_F64, own->before_slope, own->slope_size,
                       fit->error));
    return clv_bundle_put(model->bundle, "gd_biases", BUNDLE_F64, own->before_intercept,
                          2 * (uint64_t)risk->w.outputs, fit->error);
}

/* Returns false if the model was not trained by Polyak's step; its weights are a start. */
static bool resume_polyak(Risk *risk, const Model *model, size_t count)
{
    Descent *own = risk->own;
    size_t outputs = risk->w.outputs;
    const BundleItem *saved = clv_bundle_get(model->bundle, "gd_polyak", BUNDLE_F64);
    double *to[POLYAK_NUMBERS] = {own->before_intercept, own->point_intercept, own->conjugate,
                                  own->best};

    if (!saved || saved->count != POLYAK_NUMBERS * outputs + 1 ||
        !clv_bundle_copy(model->bundle, "gd_best", BUNDLE_F32, own->before, count) ||
        !clv_bundle_copy(model->bundle, "gd_point", BUNDLE_F64, own->point, count))
        return false;
    for (size_t i = 0; i < POLYAK_NUMBERS; i++)
        memcpy(to[i], (const double *)saved->data + i * outputs, outputs * sizeof *to[i]);
    own->rows_known = ((const double *)saved->data)[POLYAK_NUMBERS * outputs];
    for (size_t i = 0; i < count; i++)
        risk->w.w[i] = (float)own->point[i];
    memcpy(risk->w.intercept, own->point_intercept, outputs * sizeof *risk->w.intercept);
    return true;
}

static Status resume(Fit *fit, Risk *risk, const Model *model)
{
    Descent *own = risk->own;
    size_t count = (size_t)model->features * risk->w.outputs;
    double numbers[SAVED_NUMBERS];

    if (!clv_bundle_copy(model->bundle, "gd", BUNDLE_F64, numbers, SAVED_NUMBERS))
        return OK; /* weights of another solver are the start */
    if (own->polyak && !resume_polyak(risk, model, count))
        return OK;
    if (risk->options->learning_rate == 0 && !own->polyak &&
        !(clv_bundle_copy(model->bundle, "gd_before", BUNDLE_F32, own->before, count) &&
          clv_bundle_copy(model->bundle, "gd_slope", BUNDLE_F64, own->before_slope, count) &&
          clv_bundle_copy(model->bundle, "gd_biases", BUNDLE_F64, own->before_intercept,
                          2 * risk->w.outputs)))
        return OK; /* the model was trained with a given rate, so this run chooses its rate */
    own->rate = risk->options->learning_rate > 0 ? risk->options->learning_rate : numbers[0];
    own->objective = numbers[1];
    own->begun = own->resumed = numbers[2] != 0;
    return isfinite(own->rate) && isfinite(own->objective) ? OK : clv_state_nonsense(fit->error);
}

const Solver clv_solver_gd = {
    .name = "gd",
    .losses = LOSSES_ALL,
    .starts = true,
    .rates = true,
    .own_size = sizeof(Descent),
    .begin = begin,
    .reserve = reserve,
    .step = step,
    .pass = pass,
    .result = result,
    .give = give,
    .take = take,
    .sums_exactly = sums_exactly,
    .save = save,
    .resume = resume,
    .free = free_descent,
};
