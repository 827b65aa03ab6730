/*
 * Warm starts of dual coordinate descent.
 *
 * An interrupted run (iteration limit or interrupt) stores its state in the model (model/state.h):
 * the dual variables, w in double, the shrunk rows, and its estimates. On the same rows and
 * objective, the next run continues from this state and is bit-identical to one longer run. A
 * completed run stores nothing, because the variables of a million rows exceed most models.
 *
 * For any other model, the scores determine the variables. At the minimum β = −C loss′(y, s), which
 * is exact for smooth losses. At a kink β is any slope between those of the two sides. Variables of
 * rows that score within WIDTH of a kink are set, one after another, to bring Σ β x closest to the
 * model's w. Finally all variables are multiplied by the factor in [0, 1] with the largest dual
 * value, so that the start is never worse than 0.
 *
 * The model itself also has a primal value. It is used for the gap until a better one is found, and
 * it is the result if none is found: a few iterations never make a model worse.
 */
#include "learn/linear/dcd.h"

#define WIDTH 0.05     /* distance from a kink, in units of a score */
#define MATCHED 1e-3   /* tolerance in units of a score */
enum { MATCHES = 20 }; /* maximum number of iterations over the variables near a kink */
/* hard margin: effect of rounded weights on the scores of the nearest rows */
#define NEARLY_ONE 1e-6

/* ---- state of a run -------------------------------------------------------------------------- */

enum { PARTS = 7 };

static void list_parts(Dcd *dcd, double *numbers, StatePart parts[PARTS])
{
    const DcdSolution *solution = &dcd->solution;
    uint64_t duals = (uint64_t)dcd->problem.count * dcd->fit->outputs,
             weights = (uint64_t)dcd->fit->features * dcd->fit->outputs;

    parts[0] = (StatePart){"run.numbers", BUNDLE_F64, numbers, DCD_NUMBERS};
    parts[1] = (StatePart){"run.dual", BUNDLE_F64, solution->beta, duals};
    parts[2] = (StatePart){"run.asleep", BUNDLE_BYTES, dcd->order.shrunk, dcd->problem.count};
    parts[3] = (StatePart){"run.weights", BUNDLE_F64, solution->w, weights};
    parts[4] = (StatePart){"run.offsets", BUNDLE_F64, solution->offset, dcd->fit->outputs};
    parts[5] = (StatePart){"run.dual_sums", BUNDLE_F64, solution->beta_sum, dcd->fit->outputs};
    parts[6] = (StatePart){"run.sideways", BUNDLE_F64, solution->center_dot, dcd->fit->outputs};
}

Status clv_dcd_fingerprint(Dcd *dcd)
{
    return dcd->problem.fingerprint
               ? OK
               : clv_risk_fingerprint(dcd->fit, dcd->risk, dcd->problem.dataset,
                                      &dcd->problem.fingerprint);
}

static void store_numbers(const Dcd *dcd, double stored[DCD_NUMBERS])
{
    const DcdProgress *progress = &dcd->progress;
    const double numbers[DCD_NUMBERS] = {
        progress->iterations,
        progress->unchanged_iterations,
        progress->gap,
        progress->work,
        dcd->solution.gain,
        progress->shrink_threshold,
        progress->gap_ratio,
        progress->threshold_factor,
        dcd->certificate.unshrunk,
        dcd->problem.tau,
        progress->least_gap,
        dcd->start.kept,
        dcd->start.primal,
        progress->passes,
        dcd->newton.done,
    };

    memcpy(stored, numbers, sizeof numbers);
}

Status clv_dcd_save(Fit *fit, const Risk *risk, Model *model)
{
    Dcd *dcd = risk->own;
    StatePart parts[PARTS];
    double numbers[DCD_NUMBERS];

    if (!dcd)
        return OK; /* the run was completed */
    TRY(clv_dcd_fingerprint(dcd));
    store_numbers(dcd, numbers);
    list_parts(dcd, numbers, parts);
    return clv_state_put(parts, PARTS, dcd->problem.fingerprint, model, fit->error);
}

static bool within_bounds(const Dcd *dcd)
{
    for (uint32_t i = 0; i < dcd->problem.count; i++)
        for (size_t j = 0; j < dcd->fit->outputs; j++) {
            double beta = dcd->solution.beta[i * dcd->fit->outputs + j],
                   y = dcd_y(dcd, &dcd->problem.rows[i], j), cost = dcd->problem.rows[i].cost;

            if (!isfinite(beta) || beta < dcd_low(&dcd->problem.shape, y, cost) ||
                beta > dcd_high(&dcd->problem.shape, y, cost))
                return false;
        }
    return true;
}

static Status restore_numbers(Dcd *dcd, const double *numbers)
{
    DcdProgress *progress = &dcd->progress;

    if (!state_is_whole(numbers[0], UINT32_MAX - 1) || !state_is_whole(numbers[1], 3) ||
        numbers[9] != dcd->problem.tau || !within_bounds(dcd))
        return clv_state_nonsense(dcd->fit->error);
    progress->iterations = (uint32_t)numbers[0];
    progress->unchanged_iterations = (uint32_t)numbers[1];
    progress->gap = numbers[2];
    progress->work = numbers[3];
    dcd->solution.gain = numbers[4];
    progress->shrink_threshold = numbers[5];
    progress->gap_ratio = numbers[6];
    progress->threshold_factor = numbers[7];
    dcd->certificate.unshrunk = numbers[8] != 0;
    progress->least_gap = numbers[10];
    progress->passes = numbers[13];
    dcd->newton.done = numbers[14] != 0;
    if (numbers[11] != 0) /* the result was the warm-start model, unless a better one was found */
        dcd->start.primal = numbers[12];
    for (size_t j = 0; j < dcd->fit->outputs; j++)
        dcd->start.length[j] = 1; /* the model was scaled before it was kept */
    return OK;
}

/* ---- start from scores ----------------------------------------------------------------------- */

static double between(double low, double x, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The distance of a score from the kink of the loss. */
static double beyond_corner(const DcdShape *shape, double y, double s)
{
    return shape->two_sided ? fabs(y - s) - shape->epsilon : 1 - y * s;
}

/* −C loss′(y, s), with smoothed kinks. */
static double smoothed_beta(const DcdShape *shape, double y, double cost, double s)
{
    double beyond = beyond_corner(shape, y, s), side = shape->two_sided ? copysign(1, y - s) : y;

    if (shape->capped)
        return side * cost * between(0, 0.5 + beyond / (2 * WIDTH), 1);
    return side * cost / shape->curvature * fmax(0, beyond);
}

/* Writes the model's scores into the certificate, and the sum of its losses into start. */
static void score_start(Dcd *dcd)
{
    const Risk *risk = dcd->risk;
    double sum = 0;

    for (size_t j = 0; j < dcd->fit->outputs; j++)
        dcd->start.length[j] = INFINITY;
    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        const DcdRow *row = &dcd->problem.rows[i];
        double *scores = dcd->certificate.scores + (size_t)i * dcd->fit->outputs;

        linear_scores(&risk->w, &dcd->problem.blocks[row->block], row->row, scores);
        for (size_t j = 0; j < dcd->fit->outputs; j++) {
            double y = dcd_y(dcd, row, j);

            sum += risk_is_hard(risk) ? 0 : row->cost * loss_value(risk->loss, y, scores[j]);
            dcd->start.length[j] = fmin(dcd->start.length[j], y * scores[j]);
        }
    }
    dcd->start.primal = sum;
}

static void add_penalty(Dcd *dcd)
{
    const Linear *w = &dcd->risk->w;

    for (size_t j = 0; j < dcd->fit->outputs; j++) {
        double squares = dcd->risk->options->regularize_intercept
                             ? w->intercept[j] * w->intercept[j]
                             : 0,
               length = 1;

        for (size_t i = j; i < (size_t)w->features * dcd->fit->outputs; i += dcd->fit->outputs)
            squares += (double)w->w[i] * (double)w->w[i];
        if (risk_is_hard(dcd->risk)) {
            length = dcd->start.length[j];
            if (fabs(length - 1) <= NEARLY_ONE)
                dcd->start.length[j] = length = 1;
        }
        dcd->start.primal += length > 0 ? squares / 2 / (length * length) : (double)INFINITY;
    }
}

Status clv_dcd_keep_start(Dcd *dcd)
{
    Linear *w = &dcd->risk->w;

    TRY(clv_linear_from_model(w, dcd->risk->from, 1, dcd->fit->error));
    for (size_t j = 0; j < dcd->fit->outputs && risk_is_hard(dcd->risk); j++) {
        double length = dcd->start.length[j];

        for (size_t i = j; i < (size_t)w->features * dcd->fit->outputs && length != 1;
             i += dcd->fit->outputs)
            w->w[i] = (float)((double)w->w[i] / length);
        w->intercept[j] /= length;
    }
    return OK;
}

static void set_betas(Dcd *dcd)
{
    DcdSolution *solution = &dcd->solution;

    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        const DcdRow *row = &dcd->problem.rows[i];
        double *beta = solution->beta + (size_t)i * dcd->fit->outputs;
        bool any = false;

        for (size_t j = 0; j < dcd->fit->outputs; j++) {
            beta[j] = smoothed_beta(&dcd->problem.shape, dcd_y(dcd, row, j), row->cost,
                                    dcd->certificate.scores[i * dcd->fit->outputs + j]);
            solution->beta_sum[j] += beta[j];
            solution->center_dot[j] += row->center_dot * beta[j];
            any |= beta[j] != 0;
        }
        if (any)
            wide_add(dcd->risk->kernels, solution->w, dcd->fit->outputs, 0, dcd->fit->outputs, beta,
                     &dcd->problem.blocks[row->block], row->row);
    }
}

/* The factor with the largest dual value of one output. */
static double best_factor(const Dcd *dcd, size_t output)
{
    double gain = 0, bends = 0, sum = dcd->solution.beta_sum[output], squares, factor;

    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        double beta = dcd->solution.beta[i * dcd->fit->outputs + output],
               cost = dcd->problem.rows[i].cost;

        gain += dcd_y(dcd, &dcd->problem.rows[i], output) * beta -
                dcd->problem.shape.epsilon * fabs(beta);
        bends += dcd_bend(&dcd->problem.shape, cost) * beta * beta;
    }
    squares = dcd_squares(dcd, output) + bends +
              (dcd_free_intercept(dcd) ? 0 : dcd->problem.tau * sum * sum);
    factor = squares > 0 ? gain / squares : gain > 0 ? 1 : 0;
    return isfinite(factor) ? between(0, factor, 1) : 0;
}

/* Avoids 0 * infinity. */
static double times(double factor, double x)
{
    return factor > 0 ? factor * x : 0;
}

static void scale(Dcd *dcd, size_t output, double factor)
{
    DcdSolution *solution = &dcd->solution;

    for (uint32_t i = 0; i < dcd->problem.count; i++)
        solution->beta[i * dcd->fit->outputs + output] = times(
            factor, solution->beta[i * dcd->fit->outputs + output]);
    for (size_t i = output; i < (size_t)dcd->fit->features * dcd->fit->outputs;
         i += dcd->fit->outputs)
        solution->w[i] = times(factor, solution->w[i]);
    solution->beta_sum[output] = times(factor, solution->beta_sum[output]);
    solution->center_dot[output] = times(factor, solution->center_dot[output]);
}

/* The difference between the model's scores and those relative to the center: w·center, plus the
 * intercept if it is not a weight. */
static double center_difference(const Dcd *dcd, size_t output)
{
    const Linear *w = &dcd->risk->w;
    double sum = dcd_free_intercept(dcd) ? w->intercept[output] : 0;

    for (size_t i = 0; dcd->problem.center.x && i < dcd->fit->features; i++)
        sum += (double)w->w[i * dcd->fit->outputs + output] * dcd->problem.center.x[i];
    return sum;
}

static bool near_corner(const Dcd *dcd, const DcdRow *row, size_t output, double s)
{
    return dcd->problem.shape.capped &&
           fabs(beyond_corner(&dcd->problem.shape, dcd_y(dcd, row, output), s)) < WIDTH;
}

/* w·x of one output. */
static double score_row(const Dcd *dcd, const DcdRow *row, size_t output)
{
    const Block *block = &dcd->problem.blocks[row->block];
    double sum = 0;

    if (dcd->fit->outputs == 1)
        return dcd->risk->kernels->dot_wide(dcd->solution.w, block, row->row);
    for (RowWalk walk = clv_walk(block, row->row); clv_walk_next(&walk);)
        sum += dcd->solution.w[walk.column * dcd->fit->outputs + output] * (double)walk.value;
    return sum;
}

/* Sets one variable to bring Σ β x closest to the model's w; returns the change of the row's
 * score. */
static double match(Dcd *dcd, uint32_t i, size_t output, double wanted)
{
    DcdSolution *solution = &dcd->solution;
    const DcdRow *row = &dcd->problem.rows[i];
    double *beta = &solution->beta[i * dcd->fit->outputs + output], y = dcd_y(dcd, row, output),
           score, next, step;
    double curve = dcd_norm2(dcd, row) + dcd->problem.tau;

    score = dcd_centered(dcd, row, output, solution->offset[output] + score_row(dcd, row, output));
    next = curve > 0 ? *beta + (wanted - score) / curve : *beta;
    next = between(dcd_low(&dcd->problem.shape, y, row->cost), next,
                   dcd_high(&dcd->problem.shape, y, row->cost));
    step = next - *beta;
    *beta = next;
    solution->beta_sum[output] += step;
    solution->center_dot[output] += row->center_dot * step;
    solution->offset[output] += (dcd->problem.tau + dcd->problem.center.norm2 - row->center_dot) *
                                step;
    if (step != 0)
        wide_add(dcd->risk->kernels, solution->w, dcd->fit->outputs, output, 1, &step,
                 &dcd->problem.blocks[row->block], row->row);
    return fabs(step) * curve;
}

static void match_corners(Dcd *dcd)
{
    for (size_t j = 0; j < dcd->fit->outputs; j++) {
        double off = center_difference(dcd, j), moved = INFINITY;

        dcd->solution.offset[j] = (dcd->problem.tau + dcd->problem.center.norm2) *
                                      dcd->solution.beta_sum[j] -
                                  dcd->solution.center_dot[j];
        for (int iteration = 0; iteration < MATCHES && moved > MATCHED; iteration++) {
            moved = 0;
            for (uint32_t i = 0; i < dcd->problem.count; i++) {
                double s = dcd->certificate.scores[i * dcd->fit->outputs + j];

                if (near_corner(dcd, &dcd->problem.rows[i], j, s))
                    moved = fmax(moved, match(dcd, i, j, s - off));
            }
        }
    }
}

static void start_from_scores(Dcd *dcd)
{
    DcdSolution *solution = &dcd->solution;

    set_betas(dcd);
    match_corners(dcd);
    clv_dcd_measure(dcd);
    for (size_t j = 0; j < dcd->fit->outputs; j++) {
        double factor = best_factor(dcd, j);

        if (factor < 1)
            scale(dcd, j, factor);
        if (!dcd_free_intercept(dcd))
            solution->offset[j] = dcd->problem.tau * solution->beta_sum[j];
    }
    for (uint32_t i = 0; i < dcd->problem.count; i++)
        for (size_t j = 0; j < dcd->fit->outputs; j++)
            solution->gain += dcd_gain(&dcd->problem.shape, dcd_y(dcd, &dcd->problem.rows[i], j),
                                       dcd->problem.rows[i].cost,
                                       solution->beta[i * dcd->fit->outputs + j]);
    dcd->start.used = true;
}

/* ---- the start ------------------------------------------------------------------------------- */

Status clv_dcd_start(Dcd *dcd)
{
    DcdProgress *progress = &dcd->progress;
    const Model *from = dcd->risk->from;
    double numbers[DCD_NUMBERS] = {0};
    bool found = false;

    progress->shrink_threshold = progress->least_gap = dcd->start.primal = dcd->newton.primal =
        INFINITY;
    progress->gap_ratio = progress->threshold_factor = progress->gap = 1;
    if (!from)
        return OK;
    if (clv_state_in_model(from)) {
        StatePart parts[PARTS];
        const BundleItem *stored;

        TRY(clv_dcd_fingerprint(dcd));
        list_parts(dcd, numbers, parts);
        stored = clv_bundle_get(from->bundle, parts[0].name, parts[0].type);
        if (stored && stored->count == DCD_NUMBERS_BEFORE)
            /* the numbers that earlier versions did not store stay 0 */
            parts[0].count = DCD_NUMBERS_BEFORE;
        TRY(clv_state_take(parts, PARTS, dcd->problem.fingerprint, from, &found, dcd->fit->error));
    }
    if (found)
        return restore_numbers(dcd, numbers);
    score_start(dcd);
    add_penalty(dcd);
    if (!risk_is_hard(dcd->risk))
        start_from_scores(dcd);
    return OK;
}
