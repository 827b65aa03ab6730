/*
 * L-BFGS (Liu and Nocedal 1989). The direction is −H g, where H approximates the inverse Hessian
 * from the last few changes of w and of the gradient, starting from a diagonal with the scale of
 * each feature. A step of 1 is accepted in most cases; otherwise a shorter one is tried (Armijo). A
 * step costs one pass.
 *
 * λ₁ > 0: |w| is smooth while no weight changes its sign. The gradient is replaced by the
 * subgradient of minimum norm, and a weight that would change its sign becomes 0 (OWL-QN, Andrew
 * and Gao 2007). Weights that leave 0 take a diagonal step, and the history applies to the other
 * weights only, with each pair restricted to them. Otherwise directions that are projected to agree
 * with the subgradient lose the curvature information (Schmidt 2010, section 2.3, PSSgb).
 *
 * Outputs are minimized together in the same passes, each with its own direction, step and history.
 *
 * An interrupted run stores w, the gradient and the history in the model, in double, and can be
 * resumed exactly.
 */
#include "learn/linear/batch.h"

enum { PAIRS = 10, FORGET_AFTER = 6, MOST_TRIES = 46, KEPT_NUMBERS = 4 + PAIRS };
#define ENOUGH 1e-4 /* required fraction of the decrease that the slope predicts */
#define NOISE 1e-12 /* relative rounding error of a value */

/* State of one output. */
typedef struct {
    bool needs_direction; /* needs a new direction */
    double step;          /* length of the step tried along the direction */
    double slope;         /* slope of the objective along the direction */
    double value;         /* value of the objective at the trial step */
    double moved;         /* dot product of the (sub)gradient and the trial step */
    int tries;            /* number of steps tried along this direction */
    double pair[PAIRS];   /* 1 / s·y; 0: no pair */
    double shrink;        /* s·y / y·D y of the newest pair */
    LossSums sums;        /* sums over the rows at w */
} LbfgsOutput;

typedef struct {
    Batch all, *batch; /* `batch` points to `all` */
    double *w, *g, *sub, *p, *trial, *trial_g,
        /* vectors; sub: the subgradient; scale: the diagonal of the initial inverse Hessian */
        *scale;
    double *s[PAIRS], *y[PAIRS];
    size_t newest; /* pair written last */
    size_t held;   /* number of pairs written, at most PAIRS */
    double *numbers, *more, *alpha[PAIRS], *weight[PAIRS]; /* per output */
    LbfgsOutput *output;
    double *kept; /* buffer for the numbers of a state */
} Lbfgs;

/* Allocates the state; the batch owns the memory. */
static Status open_lbfgs(Lbfgs *lbfgs, Batch *batch)
{
    Arena *memory = &batch->memory;
    size_t size = batch->size, outputs = batch->outputs;
    double **vectors[] = {&lbfgs->w,     &lbfgs->g,       &lbfgs->sub,  &lbfgs->p,
                          &lbfgs->trial, &lbfgs->trial_g, &lbfgs->scale};
    const size_t count = sizeof vectors / sizeof *vectors;
    double *all;

    TRY(clv_batch_vectors(batch, memory, count + 2 * PAIRS, &all));
    for (size_t i = 0; i < count; i++)
        *vectors[i] = all + i * size;
    for (size_t i = 0; i < PAIRS; i++) {
        lbfgs->s[i] = all + (count + i) * size;
        lbfgs->y[i] = all + (count + PAIRS + i) * size;
        lbfgs->alpha[i] = clv_arena_zero(memory, outputs, sizeof *lbfgs->alpha[i]);
        lbfgs->weight[i] = clv_arena_zero(memory, outputs, sizeof *lbfgs->weight[i]);
    }
    lbfgs->numbers = clv_arena_zero(memory, outputs, sizeof *lbfgs->numbers);
    lbfgs->more = clv_arena_zero(memory, outputs, sizeof *lbfgs->more);
    lbfgs->output = clv_arena_zero(memory, outputs, sizeof *lbfgs->output);
    lbfgs->kept = clv_arena_zero(memory, KEPT_NUMBERS * outputs + 1 + batch_numbers(batch),
                                 sizeof *lbfgs->kept);
    return memory->status;
}

/* ---- the objective --------------------------------------------------------------------------- */

/* The number of penalized weights: all except the intercepts. */
static size_t lasso(const Batch *batch)
{
    return batch->l1 > 0 ? batch->size - batch->outputs : 0;
}

/* Computes the gradient, or the subgradient of minimum norm. */
static void make_sub(Lbfgs *lbfgs)
{
    const Batch *batch = lbfgs->batch;
    size_t count = lasso(batch);

    memcpy(lbfgs->sub, lbfgs->g, batch->size * sizeof *lbfgs->sub);
    for (size_t i = 0; i < count; i++) {
        double g = lbfgs->g[i];

        if (lbfgs->w[i] != 0)
            lbfgs->sub[i] = g + copysign(batch->l1, lbfgs->w[i]);
        else
            lbfgs->sub[i] = g > batch->l1 ? g - batch->l1 : g < -batch->l1 ? g + batch->l1 : 0;
    }
}

/* Computes values and smooth gradients at the trial. */
static Status evaluate_trial(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;

    TRY(clv_batch_evaluate(batch, lbfgs->trial, lbfgs->trial_g));
    clv_batch_add_penalty(batch, lbfgs->trial, lbfgs->trial_g);
    clv_batch_penalty(batch, lbfgs->trial, lbfgs->numbers);
    for (size_t k = 0; k < batch->outputs; k++)
        lbfgs->output[k].value = batch->sums[k].loss + lbfgs->numbers[k];
    return OK;
}

/* Computes the norms of the (sub)gradients at w. */
static void measure(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;

    make_sub(lbfgs);
    clv_columns_dot(batch, lbfgs->sub, lbfgs->sub, lbfgs->numbers);
    for (size_t k = 0; k < batch->outputs; k++)
        batch->standing[k].length = sqrt(lbfgs->numbers[k]);
}

/* ---- the direction --------------------------------------------------------------------------- */

/* Computes the diagonal: the inverse of the Hessian's diagonal, with equal second derivatives for
 * all rows. */
static Status make_scale(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;
    size_t features = batch->risk->w.features, outputs = batch->outputs;
    double *squares = lbfgs->p, largest = 0,
           curvature = batch->risk->loss.kind == LOSS_LOGISTIC  ? 0.25
                       : batch->risk->loss.kind == LOSS_SQUARED ? 1
                                                                : 2;

    TRY(clv_batch_squares(batch, squares));
    for (size_t j = 0; j < features; j++)
        largest = fmax(largest, squares[j]);
    for (size_t j = features + 1; j-- > 0;)
        for (size_t k = 0; k < outputs; k++) {
            double of_feature = j < features ? fmax(squares[j], 1e-6 * largest) : 1;

            lbfgs->scale[j * outputs + k] = of_feature > 0 || batch->l2 > 0
                                                ? 1 / (batch->l2 + curvature * of_feature)
                                                : 1;
        }
    return OK;
}

/* Whether a weight is at the kink of |w|, at 0, where the history does not apply. */
static bool at_edge(const Lbfgs *lbfgs, size_t i, size_t count)
{
    return i < count && lbfgs->w[i] == 0;
}

/* Sets p to 0 at kinks. */
static void clear_edges(Lbfgs *lbfgs)
{
    size_t count = lasso(lbfgs->batch);

    for (size_t i = 0; i < count; i++)
        if (lbfgs->w[i] == 0)
            lbfgs->p[i] = 0;
}

/* The factor of a pair's products: 1 / s·y over the weights that are not at a kink; 0 if it is not
 * positive. */
static void weigh_pair(const Lbfgs *lbfgs, size_t pair, double *weight)
{
    const Batch *batch = lbfgs->batch;
    size_t outputs = batch->outputs, count = lasso(batch);
    const double *s = lbfgs->s[pair], *y = lbfgs->y[pair];

    for (size_t k = 0; k < outputs; k++)
        weight[k] = lbfgs->output[k].pair[pair];
    if (count == 0)
        return;
    memset(weight, 0, outputs * sizeof *weight);
    for (size_t i = 0; i < batch->size; i += outputs)
        for (size_t k = 0; k < outputs; k++)
            if (!at_edge(lbfgs, i + k, count))
                weight[k] += s[i + k] * y[i + k];
    for (size_t k = 0; k < outputs; k++) {
        double whole = lbfgs->output[k].pair[pair]; /* 1 / s·y over all weights */

        weight[k] = whole > 0 && weight[k] * whole > 1e-8 ? 1 / weight[k] : 0;
    }
}

/* Computes p = −H sub. */
static Status multiply(Lbfgs *lbfgs)
{
    const Batch *batch = lbfgs->batch;
    size_t outputs = batch->outputs, count = lasso(batch);
    uint64_t done = 0;

    for (size_t i = 0; i < batch->size; i++)
        lbfgs->p[i] = at_edge(lbfgs, i, count) ? 0 : -lbfgs->sub[i];
    for (size_t age = 0; age < PAIRS; age++) {
        size_t at = (lbfgs->newest + PAIRS - age) % PAIRS;

        weigh_pair(lbfgs, at, lbfgs->weight[at]);
        clv_columns_dot(batch, lbfgs->s[at], lbfgs->p, lbfgs->alpha[at]);
        for (size_t k = 0; k < outputs; k++) {
            lbfgs->alpha[at][k] *= lbfgs->weight[at][k];
            lbfgs->numbers[k] = -lbfgs->alpha[at][k];
        }
        clv_columns_add(batch, lbfgs->numbers, lbfgs->y[at], lbfgs->p);
        clear_edges(lbfgs);
        TRY(fit_poll(batch->fit, &done, 4 * batch->size));
    }
    for (size_t i = 0; i < batch->size; i += outputs)
        for (size_t k = 0; k < outputs; k++)
            lbfgs->p[i + k] *= lbfgs->scale[i + k] * lbfgs->output[k].shrink;
    for (size_t age = PAIRS; age-- > 0;) {
        size_t at = (lbfgs->newest + PAIRS - age) % PAIRS;

        clv_columns_dot(batch, lbfgs->y[at], lbfgs->p, lbfgs->numbers);
        for (size_t k = 0; k < outputs; k++)
            lbfgs->numbers[k] = lbfgs->alpha[at][k] - lbfgs->weight[at][k] * lbfgs->numbers[k];
        clv_columns_add(batch, lbfgs->numbers, lbfgs->s[at], lbfgs->p);
        clear_edges(lbfgs);
        TRY(fit_poll(batch->fit, &done, 4 * batch->size));
    }
    for (size_t i = 0; i < count; i += outputs)
        for (size_t k = 0; k < outputs; k++)
            if (lbfgs->w[i + k] == 0)
                lbfgs->p[i + k] = -lbfgs->sub[i + k] * lbfgs->scale[i + k] *
                                  lbfgs->output[k].shrink;
    return OK;
}

/* Computes new directions. An output whose trial was rejected continues with a shorter step along
 * its old direction; the history may have lost a pair since. */
static Status turn(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;

    TRY(multiply(lbfgs));
    clv_columns_dot(batch, lbfgs->p, lbfgs->sub, lbfgs->numbers);
    for (size_t k = 0; k < batch->outputs; k++) {
        LbfgsOutput *output = &lbfgs->output[k];

        output->slope = lbfgs->numbers[k];
        if (output->needs_direction) {
            output->step = 1;
            output->tries = 0;
            output->needs_direction = false;
        }
        /* no descent direction within rounding */
        if (!batch->standing[k].done && !(output->slope < 0))
            batch->standing[k].done = batch->standing[k].stuck = true;
    }
    return OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Computes the trial w + step p, where a weight that would change its sign becomes 0, and the
 * predicted decrease. */
static void make_trial(Lbfgs *lbfgs)
{
    const Batch *batch = lbfgs->batch;
    size_t outputs = batch->outputs, count = lasso(batch);
    uint64_t done = 0;

    for (size_t k = 0; k < outputs; k++)
        lbfgs->output[k].moved = 0;
    for (size_t i = 0; i < batch->size; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++) {
            double step = batch->standing[k].done ? 0 : lbfgs->output[k].step,
                   from = lbfgs->w[i + k];
            double to = from + step * lbfgs->p[i + k];

            if (i < count && to * (from != 0 ? from : -lbfgs->sub[i + k]) < 0)
                to = 0;
            lbfgs->trial[i + k] = to;
            lbfgs->output[k].moved += lbfgs->sub[i + k] * (to - from);
        }
}

/* The slope of the objective at the trial times the step, per output. */
static void measure_arrival(const Lbfgs *lbfgs, double *arrival)
{
    const Batch *batch = lbfgs->batch;
    size_t outputs = batch->outputs, count = lasso(batch);
    uint64_t done = 0;

    memset(arrival, 0, outputs * sizeof *arrival);
    for (size_t i = 0; i < batch->size; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++) {
            double to = lbfgs->trial[i + k], from = lbfgs->w[i + k];
            double edge = i < count && to != from ? copysign(batch->l1, to != 0 ? to : from) : 0;

            arrival[k] += (lbfgs->trial_g[i + k] + edge) * (to - from);
        }
}

/* Whether an output's trial is low enough, or has a smaller slope if values differ by rounding
 * only. Otherwise shortens the step, or ends the search if steps differ by rounding only. */
static bool accept(Batch *batch, size_t k, LbfgsOutput *output, double arrival)
{
    Standing *standing = &batch->standing[k];
    double fall = standing->value - output->value, noise = NOISE * fabs(standing->value);

    if (standing->done)
        return false;
    if (isfinite(output->value) && output->moved < 0 &&
        (fall >= -ENOUGH * output->moved ||
         (fall >= -noise && -output->moved <= noise && fabs(arrival) < -output->moved)))
        return true;
    if (++output->tries == FORGET_AFTER) {
        /* the diagonal alone gives a descent direction, even at kinks */
        memset(output->pair, 0, sizeof output->pair);
        output->step = 1;
        return false;
    }
    if (output->tries >= MOST_TRIES || fabs(output->moved) <= NOISE * noise) {
        standing->done = standing->stuck = true;
        return false;
    }
    /* The minimum of the interpolating parabola, kept away from 0 and from the failed step. */
    output->step *= isfinite(output->value)
                        ? fmin(0.5, fmax(0.1, output->moved / (2 * (output->moved + fall))))
                        : 0.1;
    return false;
}

/* Adds the last step of each output to its history. */
static void learn(Lbfgs *lbfgs)
{
    const Batch *batch = lbfgs->batch;
    size_t outputs = batch->outputs, at = lbfgs->newest;
    const double *s = lbfgs->s[at], *y = lbfgs->y[at];
    uint64_t done = 0;

    clv_columns_dot(batch, s, y, lbfgs->numbers);
    memset(lbfgs->more, 0, outputs * sizeof *lbfgs->more);
    for (size_t i = 0; i < batch->size; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            lbfgs->more[k] += y[i + k] * y[i + k] * lbfgs->scale[i + k];
    for (size_t k = 0; k < outputs; k++) {
        LbfgsOutput *output = &lbfgs->output[k];
        bool bent = lbfgs->numbers[k] > 1e-14 * lbfgs->more[k] && isfinite(1 / lbfgs->numbers[k]);

        output->pair[at] = bent ? 1 / lbfgs->numbers[k] : 0;
        if (bent)
            output->shrink = lbfgs->numbers[k] / lbfgs->more[k];
    }
}

/* Accepts the trials of the outputs that have converged or passed the test. */
static void move(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;
    size_t outputs = batch->outputs, at = (lbfgs->newest + 1) % PAIRS;
    double *s = lbfgs->s[at], *y = lbfgs->y[at];
    bool any = false;
    uint64_t done = 0;

    measure_arrival(lbfgs, lbfgs->more);
    for (size_t k = 0; k < outputs; k++) {
        LbfgsOutput *output = &lbfgs->output[k];

        output->needs_direction = accept(batch, k, output, lbfgs->more[k]);
        any |= output->needs_direction;
        if (output->needs_direction) {
            batch->standing[k].value = output->value;
            output->sums = batch->sums[k];
        }
        batch->sums[k] = output->sums;
    }
    for (size_t i = 0; i < batch->size && any; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++) {
            bool moves = lbfgs->output[k].needs_direction;

            s[i + k] = moves ? lbfgs->trial[i + k] - lbfgs->w[i + k] : 0;
            y[i + k] = moves ? lbfgs->trial_g[i + k] - lbfgs->g[i + k] : 0;
            if (moves) {
                lbfgs->w[i + k] = lbfgs->trial[i + k];
                lbfgs->g[i + k] = lbfgs->trial_g[i + k];
            }
        }
    if (any) {
        lbfgs->newest = at;
        lbfgs->held += lbfgs->held < PAIRS;
        learn(lbfgs);
    }
}

/* ---- state of a run -------------------------------------------------------------------------- */

/* The position of pair i, from the oldest. */
static size_t place_of(const Lbfgs *lbfgs, size_t i)
{
    return (lbfgs->newest + PAIRS + 1 - lbfgs->held + i) % PAIRS;
}

static void store_numbers(const Lbfgs *lbfgs)
{
    const Batch *batch = lbfgs->batch;
    double *numbers = lbfgs->kept;

    *numbers++ = (double)lbfgs->held;
    for (size_t k = 0; k < batch->outputs; k++) {
        const LbfgsOutput *output = &lbfgs->output[k];

        *numbers++ = output->needs_direction;
        *numbers++ = output->step;
        *numbers++ = output->tries;
        *numbers++ = output->shrink;
        for (size_t i = 0; i < PAIRS; i++)
            *numbers++ = i < lbfgs->held ? output->pair[place_of(lbfgs, i)] : 0;
    }
    clv_batch_store(batch, numbers);
}

static Status restore_numbers(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;
    const double *numbers = lbfgs->kept;

    if (!state_is_whole(*numbers, PAIRS))
        return clv_state_nonsense(batch->fit->error);
    lbfgs->held = (size_t)*numbers++;
    lbfgs->newest = lbfgs->held ? lbfgs->held - 1 : 0;
    TRY(clv_batch_restore(batch, numbers + KEPT_NUMBERS * batch->outputs));
    for (size_t k = 0; k < batch->outputs; k++, numbers += KEPT_NUMBERS) {
        LbfgsOutput *output = &lbfgs->output[k];

        if (!state_is_whole(numbers[2], MOST_TRIES))
            return clv_state_nonsense(batch->fit->error);
        *output = (LbfgsOutput){.needs_direction = numbers[0] != 0,
                                .step = numbers[1],
                                .tries = (int)numbers[2],
                                .shrink = numbers[3],
                                .sums = batch->sums[k]};
        memcpy(output->pair, numbers + 4, lbfgs->held * sizeof *output->pair);
    }
    return OK;
}

static StatePart numbers_part(const Lbfgs *lbfgs)
{
    size_t count = 1 + KEPT_NUMBERS * lbfgs->batch->outputs + batch_numbers(lbfgs->batch);

    return (StatePart){"run.numbers", BUNDLE_F64, lbfgs->kept, count};
}

enum { MOST_PARTS = 2 + 2 * PAIRS };

/* Lists the vectors of the state; returns their number. */
static size_t list_vectors(const Lbfgs *lbfgs, StatePart parts[MOST_PARTS])
{
    static const char *const s[PAIRS] = {"run.s1", "run.s2", "run.s3", "run.s4", "run.s5",
                                         "run.s6", "run.s7", "run.s8", "run.s9", "run.s10"};
    static const char *const y[PAIRS] = {"run.y1", "run.y2", "run.y3", "run.y4", "run.y5",
                                         "run.y6", "run.y7", "run.y8", "run.y9", "run.y10"};
    size_t size = lbfgs->batch->size, count = 0;

    parts[count++] = (StatePart){"run.weights", BUNDLE_F64, lbfgs->w, size};
    parts[count++] = (StatePart){"run.gradient", BUNDLE_F64, lbfgs->g, size};
    for (size_t i = 0; i < lbfgs->held; i++) {
        parts[count++] = (StatePart){s[i], BUNDLE_F64, lbfgs->s[place_of(lbfgs, i)], size};
        parts[count++] = (StatePart){y[i], BUNDLE_F64, lbfgs->y[place_of(lbfgs, i)], size};
    }
    return count;
}

static Status save(Fit *fit, const Risk *risk, Model *model)
{
    Lbfgs *lbfgs = risk->own;
    StatePart parts[MOST_PARTS], numbers;

    if (!lbfgs)
        return OK; /* the run was completed */
    TRY(clv_batch_fingerprint(lbfgs->batch));
    store_numbers(lbfgs);
    numbers = numbers_part(lbfgs);
    TRY(clv_state_put(&numbers, 1, lbfgs->batch->fingerprint, model, fit->error));
    return clv_state_put(parts, list_vectors(lbfgs, parts), lbfgs->batch->fingerprint, model,
                         fit->error);
}

/* Sets *found if the state of the interrupted run has been restored. */
static Status resume_run(Lbfgs *lbfgs, bool *found)
{
    Batch *batch = lbfgs->batch;
    const Model *from = batch->risk->from;
    StatePart parts[MOST_PARTS], numbers = numbers_part(lbfgs);

    *found = false;
    if (!from || !clv_state_in_model(from))
        return OK;
    TRY(clv_batch_fingerprint(batch));
    TRY(clv_state_take(&numbers, 1, batch->fingerprint, from, found, batch->fit->error));
    if (!*found)
        return OK;
    TRY(restore_numbers(lbfgs));
    TRY(clv_state_take(parts, list_vectors(lbfgs, parts), batch->fingerprint, from, found,
                       batch->fit->error));
    make_sub(lbfgs);
    return clv_batch_report(batch, lbfgs->w, 0);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Computes values and gradient at the trial, which becomes w. */
static Status arrive(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;

    TRY(evaluate_trial(lbfgs));
    memcpy(lbfgs->w, lbfgs->trial, batch->size * sizeof *lbfgs->w);
    memcpy(lbfgs->g, lbfgs->trial_g, batch->size * sizeof *lbfgs->g);
    for (size_t k = 0; k < batch->outputs; k++) {
        LbfgsOutput *output = &lbfgs->output[k];

        batch->standing[k].value = output->value;
        output->sums = batch->sums[k];
        output->needs_direction = true;
        output->shrink = 1;
    }
    measure(lbfgs);
    return clv_batch_bound(batch, lbfgs->w, lbfgs->g);
}

static Status start(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;

    clv_batch_start(batch, lbfgs->trial);
    TRY(arrive(lbfgs));
    for (size_t k = 0; k < batch->outputs; k++)
        batch->standing[k].reference = clv_batch_set_reference(batch, k, batch->standing[k].length);
    if (clv_batch_load(batch, lbfgs->trial))
        TRY(arrive(lbfgs));
    return clv_batch_report(batch, lbfgs->w, 0);
}

/* If the pass is cancelled, restores the state of the previous iteration, from which a run can
 * continue. */
static Status evaluate_or_restore(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;
    Status status = evaluate_trial(lbfgs);

    for (size_t k = 0; k < batch->outputs && status == CLEAVE_ERROR_CANCELLED; k++)
        batch->sums[k] = lbfgs->output[k].sums;
    return status;
}

static Status run(Lbfgs *lbfgs)
{
    Batch *batch = lbfgs->batch;
    Fit *fit = batch->fit;
    double tolerance = batch->risk->options->tolerance;

    bool goes_on;

    TRY(resume_run(lbfgs, &goes_on));
    if (!goes_on)
        TRY(start(lbfgs));
    TRY(make_scale(lbfgs));
    for (uint32_t steps = 1; !clv_batch_done(batch, tolerance); steps++) {
        TRY(turn(lbfgs));
        make_trial(lbfgs);
        TRY(evaluate_or_restore(lbfgs));
        move(lbfgs);
        measure(lbfgs);
        TRY(clv_batch_bound(batch, lbfgs->w, lbfgs->g));
        TRY(clv_batch_report(batch, lbfgs->w, steps));
        if (!fit->epoch_done(fit))
            break;
    }
    clv_batch_end(batch, tolerance);
    return fit->result.converged || fit->result.plateau ? OK : clv_batch_fingerprint(batch);
}

static void free_all(Fit *fit, Risk *risk)
{
    clv_tick(fit->context); /* freeing much memory takes a while */
    clv_batch_close(&((Lbfgs *)risk->own)->all);
}

static Status fit_all(Fit *fit, Risk *risk, Dataset *dataset)
{
    Lbfgs *lbfgs = risk->own;

    lbfgs->batch = &lbfgs->all;
    TRY(clv_batch_open(lbfgs->batch, fit, risk, dataset, 1));
    TRY(open_lbfgs(lbfgs, lbfgs->batch));
    return run(lbfgs);
}

const Solver clv_solver_lbfgs = {.name = "lbfgs",
                                 .losses = LOSSES_SMOOTH,
                                 .l1 = true,
                                 .keeps_cancelled = true,
                                 .own_size = sizeof(Lbfgs),
                                 .fit = fit_all,
                                 .save = save,
                                 .free = free_all};
