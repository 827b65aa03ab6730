/*
 * Dual coordinate descent (Hsieh et al. 2008; Ho and Lin 2012 for regression). Each step sets the
 * dual variable of one row to its optimum given the others, at the cost of one w·x and one w +=
 * step x. The dual problem: dcd.h.
 *
 * Order. Adjacent rows are visited at about the same time, in random order: runs of rows are drawn
 * at random until some hundred rows are collected, and these are shuffled. Runs are long if the
 * data looks shuffled, short if adjacent rows are similar.
 *
 * Shrinking. A variable at a bound whose slope exceeds the root mean square of the last iteration
 * is skipped until a certificate shows that it should move. LIBLINEAR uses the largest slope
 * instead. The certificate covers all rows, so a lower threshold is safe.
 *
 * Unregularized intercept. Σ β = 0 couples all variables, so single coordinates could not move.
 * Instead b is a weight with feature √τ and center b₀ (proximal point, Rockafellar 1976): b = b₀ +
 * τ Σ β. After each iteration b becomes the center, until Σ β is 0.
 *
 * Centering. Rows far from the origin are nearly parallel, which slows convergence. With Σ β = 0
 * the origin does not matter, so rows are taken relative to the mean of a sample: w stands for Σ β
 * x − Σ β center, which costs one number per row (its product with the center) and one for w.
 *
 * Stopping. Iterations estimate the duality gap. When the estimate and its decrease suggest that
 * the gap is within the tolerance, dcd_certificate.c computes it.
 *
 * Warm starts: dcd_start.c. Prefetch thread: dcd_prefetch.c.
 */
#include "learn/linear/dcd.h"

#include "base/machine.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"

enum { GROUP = 512, LONG_RUN = 512, SHORT_RUN = 16, ORDER_STREAM = 5000, CACHED_WEIGHTS = 1 << 16 };

/* gap / estimate, which is large because a certificate costs two iterations */
#define OPTIMISM 2.5
/* small, because an unnecessary certificate costs less than unnecessary iterations */
#define LEAST_GAP_RATIO 0.5
#define MOST_WORK 4      /* maximum number of passes without a certificate while rows are shrunk */
#define MOST_PASSES 1000 /* maximum number of passes if the user sets no limit */
#define LEAST_PASSES 100 /* minimum of this limit, unless the passes exceed MOST_PRODUCTS */
/* products of a weight and a value; about a minute of work */
#define MOST_PRODUCTS 3e10
#define MOST_STRETCH 100 /* rows per stretch */
/* minimum cost of an iteration in passes: it tests which rows are shrunk */
#define LEAST_PASS (1.0 / 32)
#define NO_MARGIN 1e-5     /* fraction of the spread of the rows below which no margin exists */
#define NOTHING_LEFT 1e-13 /* the loss is 0 if it is at most this fraction of the loss at w = 0 */

/* ---- before the first iteration -------------------------------------------------------------- */

/* Allocates the pages of large arrays at once, because they are filled next. */
static void *allocate(Dcd *dcd, size_t count, size_t size, bool zero)
{
    const size_t large = (size_t)4 << 20;
    void *memory = clv_arena_alloc(&dcd->risk->memory, count ? count : 1, size);

    if (memory && count * size >= large)
        clv_populate(memory, count * size);
    if (memory && zero)
        memset(memory, 0, count * size);
    return memory;
}

static Status allocate_all(Dcd *dcd, const Dataset *dataset)
{
    DcdCertificate *certificate = &dcd->certificate;
    DcdOrder *order = &dcd->order;
    DcdSolution *solution = &dcd->solution;
    const Fit *fit = dcd->fit;
    size_t rows = dataset->rows, outputs = dcd->fit->outputs;
    double **by_output[] = {&dcd->iteration.steps,     &solution->offset,
                            &certificate->offset,      &solution->beta_sum,
                            &solution->squares,        &solution->center_dot,
                            &certificate->distance,    &certificate->output_primal,
                            &certificate->output_dual, &dcd->start.length};

    if (rows >= UINT32_MAX)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                             "--solver asgd supports any number of rows",
                             "--solver dcd supports fewer than %u rows", UINT32_MAX);
    dcd->problem.blocks = allocate(dcd, dataset->blocks, sizeof *dcd->problem.blocks, true);
    dcd->problem.rows = allocate(dcd, rows, sizeof *dcd->problem.rows, false);
    solution->beta = allocate(dcd, rows * outputs, sizeof *solution->beta, true);
    certificate->scores = allocate(dcd, rows * outputs, sizeof *certificate->scores, true);
    order->shrunk = allocate(dcd, rows, sizeof *order->shrunk, true);
    order->rows = allocate(dcd, rows, sizeof *order->rows, false);
    order->runs = allocate(dcd, rows / SHORT_RUN + 1, sizeof *order->runs, true);
    solution->w = allocate(dcd, (size_t)fit->features * outputs, sizeof *solution->w, true);
    certificate->spare = allocate(dcd, fit->features, sizeof *certificate->spare, true);
    for (size_t i = 0; i < sizeof by_output / sizeof *by_output; i++)
        *by_output[i] = allocate(dcd, outputs, sizeof **by_output[i], true);
    return dcd->risk->memory.status;
}

/* ---- the order of an iteration --------------------------------------------------------------- */

static void take_run(Dcd *dcd, uint32_t run)
{
    DcdOrder *order = &dcd->order;
    uint32_t from = run * order->run,
             to = dcd->problem.count - from > order->run ? from + order->run : dcd->problem.count;

    for (uint32_t i = from; i < to; i++)
        if (!order->shrunk[i])
            order->rows[order->active++] = i;
}

static void set_order(Dcd *dcd, uint32_t iteration)
{
    DcdOrder *order = &dcd->order;
    Random random = clv_random(dcd->fit->problem->seed, ORDER_STREAM + iteration);
    uint32_t runs = dcd->problem.count / order->run + (dcd->problem.count % order->run > 0),
             begun = 0;

    order->active = 0;
    for (uint32_t i = 0; i < runs; i++)
        order->runs[i] = i;
    clv_shuffle(&random, order->runs, runs);
    for (uint32_t i = 0; i < runs; i++) {
        take_run(dcd, order->runs[i]);
        if (order->active - begun < GROUP && i + 1 < runs)
            continue;
        clv_shuffle(&random, order->rows + begun, order->active - begun);
        begun = order->active;
    }
}

void clv_dcd_prefetch_weights(const Dcd *dcd, const Block *block, uint32_t row)
{
    size_t at = SIZE_MAX;

    if (block->form != ROWS_GAPS || (size_t)dcd->fit->features * dcd->fit->outputs < CACHED_WEIGHTS)
        return;
    for (uint32_t i = block_start(block, row); i < block->end[row]; i++) {
        at += block->gap[i] ? block->gap[i] : FILLER_GAP;
        __builtin_prefetch(dcd->solution.w + at * dcd->fit->outputs);
    }
}

/* Rows in random order are not in the cache. Prefetches the position of a row, then its entries,
 * then its weights, a few steps before its visit. */
static void prefetch(const Dcd *dcd, uint32_t at)
{
    const DcdOrder *order = &dcd->order;

    enum { NEXT = 2, NEAR = 6, MIDDLE = 10, FAR = 18, LINES = 5 };
    const DcdRow *row;
    const Block *block;
    uint32_t start;

    if (at + FAR >= order->active)
        return;
    __builtin_prefetch(&dcd->problem.rows[order->rows[at + FAR]]);
    __builtin_prefetch(&dcd->solution.beta[order->rows[at + FAR] * dcd->fit->outputs]);
    row = &dcd->problem.rows[order->rows[at + MIDDLE]];
    block = &dcd->problem.blocks[row->block];
    if (block->form == ROWS_DENSE)
        return;
    __builtin_prefetch(&block->end[row->row]);
    row = &dcd->problem.rows[order->rows[at + NEAR]];
    block = &dcd->problem.blocks[row->block];
    if (block->form != ROWS_GAPS)
        return;
    start = block_start(block, row->row);
    for (uint32_t line = 0; line < LINES; line++) {
        __builtin_prefetch((const char *)(block->gap + start) + 64 * line);
        if (block->value_form == VALUES_EACH)
            __builtin_prefetch((const char *)(block->value + start) + 64 * line);
    }
    row = &dcd->problem.rows[order->rows[at + NEXT]];
    clv_dcd_prefetch_weights(dcd, &dcd->problem.blocks[row->block], row->row);
}

/* ---- an iteration ---------------------------------------------------------------------------- */

/* The optimal β of a row with score s, given the others. */
static double best_beta(const Dcd *dcd, const DcdRow *row, double y, double beta, double s)
{
    const DcdShape *shape = &dcd->problem.shape;
    double low = dcd_low(shape, y, row->cost), high = dcd_high(shape, y, row->cost);
    double curvature = dcd_bend(shape, row->cost),
           curve = dcd_norm2(dcd, row) + dcd->problem.tau + curvature, edge, next;

    if (curve <= 0) /* a row of zeros without intercept has a constant loss */
        return y > 0 ? high : low;
    next = beta - (s - y + curvature * beta) / curve;
    edge = shape->epsilon / curve;
    next = next > edge ? next - edge : next < -edge ? next + edge : 0;
    return next < low ? low : next > high ? high : next;
}

/* Optimizes one variable and returns its change; clears *shrinks unless the variable can be
 * shrunk. */
static double improve(Dcd *dcd, const DcdRow *row, double y, double *beta, double s, bool *shrinks)
{
    DcdIteration *iteration = &dcd->iteration;
    const DcdShape *shape = &dcd->problem.shape;
    double pushed = dcd_pushed(shape, y, row->cost, *beta, s),
           gain = dcd_gain(shape, y, row->cost, *beta), next, step, slope;

    if (isfinite(row->cost))
        iteration->terms += row->cost * loss_value(dcd->risk->loss, y, s) - gain + *beta * s;
    *shrinks &= pushed > dcd->progress.shrink_threshold;
    if (pushed > 0)
        return 0;
    next = best_beta(dcd, row, y, *beta, s);
    step = next - *beta;
    if (step == 0)
        return 0;
    slope = fabs(s - y + dcd_bend(shape, row->cost) * *beta);
    iteration->violation = fmax(iteration->violation, slope);
    iteration->violation2 += slope * slope;
    dcd->solution.gain += dcd_gain(shape, y, row->cost, next) - gain;
    *beta = next;
    return step;
}

/* Visits row i, which is row `number` of a block. */
static void visit(Dcd *dcd, uint32_t i, const DcdRow *row, const Block *block, uint32_t number)
{
    DcdIteration *iteration = &dcd->iteration;
    DcdSolution *solution = &dcd->solution;
    const size_t outputs = dcd->fit->outputs;
    double *beta = solution->beta + i * outputs;
    bool shrinks = true, moved = false;

    memcpy(iteration->steps, solution->offset, outputs * sizeof *iteration->steps);
    wide_scores(dcd->risk->kernels, solution->w, outputs, block, number, iteration->steps);
    for (size_t j = 0; j < outputs; j++) {
        double score = dcd_centered(dcd, row, j, iteration->steps[j]);
        double step = improve(dcd, row, dcd_y(dcd, row, j), &beta[j], score, &shrinks);

        dcd->risk->scores[j] = score;
        iteration->steps[j] = step;
        solution->offset[j] += (dcd->problem.tau + dcd->problem.center.norm2 - row->center_dot) *
                               step;
        solution->beta_sum[j] += step;
        solution->center_dot[j] += row->center_dot * step;
        moved |= step != 0;
    }
    dcd->order.shrunk[i] = shrinks;
    iteration->changes += moved;
    if (moved)
        wide_add(dcd->risk->kernels, solution->w, outputs, 0, outputs, iteration->steps, block,
                 number);
}

/* Publishes w and intercepts; hard margin: scaled such that `distance` becomes 1. */
static void publish(Dcd *dcd, const double *offset, const double *distance)
{
    float *w = dcd->risk->w.w;
    uint64_t done = 0;

    for (size_t i = 0; i < dcd->fit->features;
         i++, clv_tick_after(dcd->fit->context, &done, dcd->fit->outputs))
        for (size_t j = 0; j < dcd->fit->outputs; j++) {
            double weight = dcd->solution.w[i * dcd->fit->outputs + j];

            if (dcd->problem.center.x)
                weight -= dcd->solution.beta_sum[j] * dcd->problem.center.x[i];
            w[i * dcd->fit->outputs + j] = (float)(distance ? weight / distance[j] : weight);
        }
    for (size_t j = 0; j < dcd->fit->outputs; j++)
        dcd->risk->w.intercept[j] = distance ? offset[j] / distance[j] : offset[j];
}

/* Visits rows of the order that were copied contiguously. Their variables were not copied. */
static void visit_copies(Dcd *dcd, const uint32_t *order, const DcdStretch *copies)
{
    enum { NEXT = 2, FAR = 18 };

    for (uint32_t i = 0; i < copies->rows; i++) {
        if (i + FAR < copies->rows)
            __builtin_prefetch(&dcd->solution.beta[order[i + FAR] * dcd->fit->outputs]);
        if (i + NEXT < copies->rows)
            clv_dcd_prefetch_weights(dcd, &copies->block, i + NEXT);
        visit(dcd, order[i], &copies->row[i], &copies->block, i);
    }
}

static void visit_in_place(Dcd *dcd, uint32_t at)
{
    Fit *fit = dcd->fit;
    const DcdRow *row = &dcd->problem.rows[dcd->order.rows[at]];
    uint64_t changes = dcd->iteration.changes;

    prefetch(dcd, at);
    visit(dcd, dcd->order.rows[at], row, &dcd->problem.blocks[row->block], row->row);
    if (fit->trace) {
        publish(dcd, dcd->solution.offset, NULL);
        fit->trace(fit, &dcd->problem.blocks[row->block], row->row, dcd->risk->scores,
                   dcd->iteration.changes == changes);
    }
}

static void visit_all(Dcd *dcd, bool ahead)
{
    DcdOrder *order = &dcd->order;
    uint64_t row_units = (2 * (dcd->problem.dataset->entries / (dcd->problem.dataset->rows + 1)) +
                          16) *
                         dcd->fit->outputs,
             done = 0;

    for (uint32_t at = 0; at < order->active;) {
        uint32_t stop = order->active - at < DCD_STRETCH ? order->active : at + DCD_STRETCH,
                 number = at / DCD_STRETCH;
        const DcdStretch *copies = ahead ? clv_dcd_prefetched(dcd, number) : NULL;

        if (clv_cancelled_after(dcd->fit->context, &done, (stop - at) * row_units))
            break;
        dcd->fit->counters.seen += stop - at;
        if (copies) {
            visit_copies(dcd, order->rows + at, copies);
            at += copies->rows;
        }
        for (; at < stop; at++)
            visit_in_place(dcd, at);
        if (ahead)
            clv_dcd_stretch_learned(dcd, number + 1);
    }
    if (ahead)
        clv_dcd_stretch_learned(dcd, UINT32_MAX / 2);
}

static void learn_or_prefetch(void *user, uint32_t task, unsigned worker)
{
    (void)worker;
    if (task == 0)
        visit_all(user, true);
    else
        clv_dcd_prefetch_rows(user);
}

static void run_iteration(Dcd *dcd)
{
    DcdIteration *iteration = &dcd->iteration;
    double drift = 0;

    iteration->terms = iteration->violation = iteration->violation2 = 0;
    iteration->changes = 0;
    if (dcd->order.ahead && !dcd->fit->trace) {
        clv_dcd_prefetch_begin(dcd);
        clv_pool_run(dcd->fit->context, 2, learn_or_prefetch, dcd);
    } else {
        visit_all(dcd, false);
    }
    for (size_t j = 0; j < dcd->fit->outputs && dcd_free_intercept(dcd); j++) {
        dcd->solution.offset[j] += dcd->problem.tau * dcd->solution.beta_sum[j];
        drift = fmax(drift, fabs(dcd->problem.tau * dcd->solution.beta_sum[j]));
    }
    dcd->progress.shrink_threshold = dcd->progress.threshold_factor *
                                     (drift + sqrt(iteration->violation2 /
                                                   fmax(1, (double)dcd->order.active *
                                                               (double)dcd->fit->outputs)));
}

/* Hard margin: scales w and its variables up if that alone increases the dual considerably. If
 * the classes are not separable, the dual is unbounded and they grow fast. */
static void stretch(Dcd *dcd, size_t output)
{
    DcdSolution *solution = &dcd->solution;
    double mass = 0, squares, factor;

    for (uint32_t i = 0; i < dcd->problem.count; i++)
        mass += fabs(solution->beta[i * dcd->fit->outputs + output]);
    squares = dcd_squares(dcd, output) +
              dcd->problem.tau * solution->beta_sum[output] * solution->beta_sum[output];
    factor = fmin(mass / squares, MOST_STRETCH);
    if (!(factor > 2) || mass * factor > 1e150)
        return;
    for (uint32_t i = 0; i < dcd->problem.count; i++)
        solution->beta[i * dcd->fit->outputs + output] *= factor;
    for (size_t i = 0; i < dcd->fit->features; i++)
        solution->w[i * dcd->fit->outputs + output] *= factor;
    solution->offset[output] *= factor;
    solution->beta_sum[output] *= factor;
    solution->center_dot[output] *= factor;
    solution->squares[output] *= factor * factor;
    solution->gain += (factor - 1) * mass;
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* The relative gap estimated by the iteration. Most of its terms are for the w before the
 * iteration. Also computes the loss. */
static double gap_in_passing(Dcd *dcd)
{
    DcdSolution *solution = &dcd->solution;
    double squares = 0, products = 0, loss, primal;

    clv_dcd_measure(dcd);
    for (size_t j = 0; j < dcd->fit->outputs; j++) {
        squares += dcd_squares(dcd, j) +
                   (dcd_free_intercept(dcd) ? 0 : solution->offset[j] * solution->offset[j]);
        products += solution->squares[j] +
                    (solution->offset[j] - solution->center_dot[j]) * solution->beta_sum[j];
    }
    if (risk_is_hard(dcd->risk)) {
        double share = 1 - fmin(1, dcd->iteration.violation);

        return squares > 0 ? 1 - share * share * (solution->gain - squares / 2) / (squares / 2) : 1;
    }
    loss = fmax(0, dcd->iteration.terms + solution->gain - products);
    primal = squares / 2 + loss;
    dcd->fit->counters.epoch_loss = loss * dcd->risk->lambda * dcd->fit->problem->weight_total;
    return primal > 0 ? fmin(1, dcd->iteration.terms / primal) : 0;
}

/* Primal value of the current solution. */
static double primal_now(const Dcd *dcd)
{
    return fmin(dcd->certificate.primal, dcd->newton.primal);
}

/* Relative gap of the better of the current solution and the warm-start model. */
static double relative_gap(const Dcd *dcd)
{
    double primal = fmin(primal_now(dcd), dcd->start.primal),
           gap = (primal - dcd->certificate.dual) / primal;

    if (primal <= NOTHING_LEFT * dcd->problem.first_loss)
        return 0;
    return isinf(primal) ? 1 : fmax(0, gap);
}

static Status not_separable(const Dcd *dcd, uint32_t iterations)
{
    cleave_error *error = dcd->fit->error;

    if (dcd->certificate.bound <= NO_MARGIN * dcd->problem.spread)
        clv_fail(error, CLEAVE_ERROR_DATA,
                 "the classes are not separable: every hyperplane has a margin below %.2g, with "
                 "rows up to %.3g from "
                 "their mean",
                 dcd->certificate.bound, dcd->problem.spread);
    else
        clv_fail(
            error, CLEAVE_ERROR_DATA,
            "no separating hyperplane found in %u iterations; its margin would be at most %.2g",
            iterations, dcd->certificate.bound);
    return clv_hint(error, CLEAVE_ERROR_DATA, "use a finite --C, such as --C 1, for a soft margin");
}

/* Computes the statistics from the scores of the last certificate instead of a pass over the rows.
 * Rounding the weights to float changes the scores in the eighth digit. */
static void survey(Dcd *dcd)
{
    const uint32_t many_rows = 10000;
    Fit *fit = dcd->fit;
    Risk *risk = dcd->risk;

    if (dcd->fit->outputs > 1 || risk_is_hard(risk) || fit->task == CLEAVE_TASK_REGRESSION ||
        dcd->problem.count != fit->problem->rows || dcd->problem.count < many_rows)
        return;
    fit->result.train_errors = 0;
    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        const DcdRow *row = &dcd->problem.rows[i];
        double y = dcd_y(dcd, row, 0),
               score = dcd_centered(dcd, row, 0, dcd->certificate.scores[i]) +
                       dcd->certificate.offset[0];

        clv_risk_add_row(risk, row->cost * risk->lambda * fit->problem->weight_total, y, score);
        fit->result.train_errors += (score > 0) != (y > 0);
    }
    fit->result.knows_train_errors = fit->result.surveyed = true;
}

static Status summarize(Dcd *dcd, uint32_t iterations, bool unchanged_iterations)
{
    DcdCertificate *certificate = &dcd->certificate;
    Fit *fit = dcd->fit;
    double gap = relative_gap(dcd), wanted = dcd->risk->options->tolerance;
    const char *keeps = "";
    const char *second = dcd->newton.steps > 0 ? " and an augmented-Lagrangian method" : "";

    dcd->start.kept = dcd->start.primal <= primal_now(dcd);
    if (isinf(fmin(certificate->primal, dcd->start.primal)))
        return not_separable(dcd, iterations);
    if (dcd->start.kept) {
        keeps = "; the warm-start model has a lower objective and is kept";
        TRY(clv_dcd_keep_start(dcd));
    } else if (dcd->newton.primal <= certificate->primal) {
        size_t weights = (size_t)dcd->fit->features * dcd->fit->outputs;

        for (size_t i = 0; i < weights; i++)
            dcd->risk->w.w[i] = (float)dcd->newton.w[i];
        for (size_t j = 0; j < dcd->fit->outputs; j++)
            dcd->risk->w.intercept[j] = dcd->newton.w[weights + j];
    } else {
        publish(dcd, certificate->offset, risk_is_hard(dcd->risk) ? certificate->distance : NULL);
        survey(dcd);
    }
    dcd->risk->has_dual = true;
    dcd->risk->dual = certificate->dual * (risk_is_hard(dcd->risk) ? 1 : dcd->risk->lambda);
    fit->result.converged = gap <= wanted;
    fit->result.plateau = !fit->result.converged && unchanged_iterations;
    if (dcd->newton.steps > 0)
        clv_figure(fit, "newton_iterations", dcd->newton.steps);
    if (fit->result.converged)
        clv_summarize(fit, "converged after %u iteration%s%s, duality gap %.2g%s", iterations,
                      iterations == 1 ? "" : "s", second, gap, keeps);
    else
        clv_summarize(fit,
                      "stopped after %u iteration%s%s without convergence, duality gap %.2g%s%s",
                      iterations, iterations == 1 ? "" : "s", second, gap,
                      unchanged_iterations ? ", objective no longer decreasing" : "", keeps);
    return OK;
}

static bool needs_certificate(const Dcd *dcd, double promised, uint32_t iteration, double work)
{
    double wanted = dcd->risk->options->tolerance;

    return OPTIMISM * promised <= wanted * dcd->progress.gap_ratio || dcd->iteration.changes == 0 ||
           (work > MOST_WORK && dcd->order.active < dcd->problem.count) ||
           (risk_is_hard(dcd->risk) && (iteration & (iteration + 1)) == 0);
}

/* Adapts trust and the shrinking threshold to the ratio of the estimated to the certified gap. */
static void learn_from_certificate(Dcd *dcd, double promised)
{
    DcdProgress *progress = &dcd->progress;
    double gap = relative_gap(dcd);

    if (gap > dcd->risk->options->tolerance)
        progress->gap_ratio = fmin(1, fmax(LEAST_GAP_RATIO, OPTIMISM * promised / gap));
    if (dcd->certificate.unshrunk && gap > 0.9 * progress->least_gap)
        progress->threshold_factor *= 2;
    progress->least_gap = fmin(gap, progress->least_gap);
}

static bool good_enough(const Dcd *dcd)
{
    return relative_gap(dcd) <= dcd->risk->options->tolerance;
}

/* Switches once to the augmented-Lagrangian method, after coordinate descent has taken the
 * estimated time of that method. */
static Status switch_if_slow(Dcd *dcd, bool *certified)
{
    if (dcd->newton.done || dcd->progress.passes <= clv_dcd_newton_passes(dcd))
        return OK;
    if (!*certified)
        TRY(clv_dcd_certify(dcd, false));
    *certified = true;
    if (good_enough(dcd))
        return OK;
    TRY(clv_dcd_newton(dcd));
    return clv_dcd_certify(dcd, false);
}

/* Runs one iteration, and computes a certificate if needed. Sets *more if the run continues. */
static Status continue_run(Dcd *dcd, bool *certified, bool *more)
{
    DcdProgress *progress = &dcd->progress;
    Fit *fit = dcd->fit;
    double now, promised;

    dcd->newton.primal = INFINITY;
    set_order(dcd, progress->iterations);
    run_iteration(dcd);
    if (fit_cancelled(fit)) { /* an incomplete iteration does not count */
        *certified = *more = false;
        return OK;
    }
    progress->work += (double)dcd->order.active / (double)dcd->problem.count;
    progress->passes += fmax((double)dcd->order.active / (double)dcd->problem.count, LEAST_PASS);
    now = gap_in_passing(dcd);
    for (size_t j = 0; j < dcd->fit->outputs && risk_is_hard(dcd->risk); j++)
        stretch(dcd, j);
    promised = now * fmin(1, now / progress->gap);
    progress->gap = now;
    *certified = needs_certificate(dcd, promised, progress->iterations++, progress->work);
    if (*certified) {
        TRY(clv_dcd_certify(dcd, false));
        learn_from_certificate(dcd, promised);
        progress->work = 0;
    }
    TRY(switch_if_slow(dcd, certified));
    progress->unchanged_iterations = dcd->iteration.changes == 0 && !dcd->certificate.unshrunk
                                         ? progress->unchanged_iterations + 1
                                         : 0;
    publish(dcd, *certified ? dcd->certificate.offset : dcd->solution.offset, NULL);
    fit->counters.epoch_mistakes = dcd->iteration.changes;
    *more = fit->epoch_done(fit);
    return OK;
}

/* Computes a final certificate, if necessary, and the result. The state of the iterations does not
 * change, so that a resumed run equals a longer run. */
static Status finish(Dcd *dcd, bool certified, uint32_t iterations)
{
    double *sums = dcd->iteration.steps; /* scratch space that is unused between iterations */

    memcpy(sums, dcd->solution.beta_sum, dcd->fit->outputs * sizeof *sums);
    if (!certified)
        TRY(clv_dcd_certify(dcd, true));
    TRY(summarize(dcd, iterations, dcd->progress.unchanged_iterations == 3));
    memcpy(dcd->solution.beta_sum, sums, dcd->fit->outputs * sizeof *sums);
    return dcd->fit->result.converged || dcd->fit->result.plateau ? OK : clv_dcd_fingerprint(dcd);
}

/* The default limit counts passes: with many shrunk rows, one pass is many iterations. */
static bool is_over_limit(const Dcd *dcd, uint32_t first)
{
    double products = fmax(1, (double)dcd->problem.dataset->entries * (double)dcd->fit->outputs);

    return dcd->progress.passes >=
               fmin(MOST_PASSES, fmax(LEAST_PASSES, MOST_PRODUCTS / products)) &&
           (dcd->fit->max_epochs == DCD_MAX_ITERATIONS ||
            dcd->fit->max_epochs + first == DCD_MAX_ITERATIONS);
}

static Status descend(Dcd *dcd)
{
    uint32_t first = dcd->progress.iterations;
    bool certified = dcd->start.used, more = true;

    if (certified)
        TRY(clv_dcd_certify(dcd, false));
    while (more && dcd->progress.unchanged_iterations < 3 && !is_over_limit(dcd, first) &&
           !(certified && good_enough(dcd)) &&
           !(certified && isinf(dcd->certificate.primal) &&
             dcd->certificate.bound <= NO_MARGIN * dcd->problem.spread))
        TRY(continue_run(dcd, &certified, &more));
    if (risk_is_hard(dcd->risk) && !certified)
        /* unvisited rows do not prove that the classes are inseparable */
        TRY(fit_check(dcd->fit));
    TRY(finish(dcd, certified, dcd->progress.iterations - first));
    return dcd->fit->result.converged ? OK : fit_check(dcd->fit);
}

static Status solve(Dcd *dcd, Dataset *dataset)
{
    TRY(allocate_all(dcd, dataset));
    TRY(clv_dcd_gather(dcd));
    dcd->order.run = clv_dcd_neighbors_are_similar(&dcd->problem) ? SHORT_RUN : LONG_RUN;
    TRY(clv_dcd_start(dcd));
    clv_dcd_prefetch_make(dcd);
    return descend(dcd);
}

static void free_all(Fit *fit, Risk *risk)
{
    Dcd *dcd = risk->own;

    clv_dcd_prefetch_free(dcd);
    FREE(fit->context, dcd->problem.center.x, dcd->certificate.corners, dcd->newton.w);
}

static Status fit_all(Fit *fit, Risk *risk, Dataset *dataset)
{
    Dcd *dcd = risk->own;

    *dcd = (Dcd){
        .fit = fit,
        .risk = risk,
        .problem.dataset = dataset,
    };
    return solve(dcd, dataset);
}

const Solver clv_solver_dcd = {
    .name = "dcd",
    .losses = LOSSES_ALL & ~LOSS_BIT(LOSS_LOGISTIC),
    .hard = true,
    .own_size = sizeof(Dcd),
    .fit = fit_all,
    .save = clv_dcd_save,
    .free = free_all,
};
