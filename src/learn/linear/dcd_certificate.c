/*
 * Certifies a solution by weak duality: the primal value of w with its optimal intercept, and the
 * dual value of the variables. Their difference, the duality gap, bounds the distance from the
 * optimum.
 *
 * With an unregularized intercept the dual requires Σ β = 0, which iterations satisfy only
 * approximately. Before the evaluation, variables of the larger side are scaled down, those inside
 * their bounds first.
 *
 * Hard margin: the primal is that of w scaled such that the nearest row scores 1. While w does not
 * separate the classes, the variables bound the margin of any hyperplane: with Σ β = 0 it is at
 * most ‖Σ β x‖ / Σ |β|.
 */
#include "learn/linear/dcd.h"

void clv_dcd_measure(Dcd *dcd)
{
    DcdSolution *solution = &dcd->solution;
    size_t count = (size_t)dcd->fit->features * dcd->fit->outputs;

    for (size_t j = 0; j < dcd->fit->outputs; j++)
        solution->squares[j] = 0;
    if (dcd->fit->outputs == 1) {
        double sum[4] = {0};

        for (size_t i = 0; i < count; i++)
            sum[i % 4] += solution->w[i] * solution->w[i];
        solution->squares[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        return;
    }
    for (size_t i = 0; i < count; i += dcd->fit->outputs)
        for (size_t j = 0; j < dcd->fit->outputs; j++)
            solution->squares[j] += solution->w[i + j] * solution->w[i + j];
}

static void score_rows(Dcd *dcd, uint32_t from, uint32_t to)
{
    memset(dcd->certificate.scores + (size_t)from * dcd->fit->outputs, 0,
           (size_t)(to - from) * dcd->fit->outputs * sizeof *dcd->certificate.scores);
    for (uint32_t i = from; i < to; i++) {
        const DcdRow *row = &dcd->problem.rows[i];

        if (i + 2 < to)
            clv_dcd_prefetch_weights(dcd, &dcd->problem.blocks[row[2].block], row[2].row);
        wide_scores(dcd->risk->kernels, dcd->solution.w, dcd->fit->outputs,
                    &dcd->problem.blocks[row->block], row->row,
                    dcd->certificate.scores + (size_t)i * dcd->fit->outputs);
    }
}

/* ---- the dual -------------------------------------------------------------------------------- */

/* Parts of a dual value: its linear part, the squared norm of its w (and of a regularized b),
 * and Σ |β|. */
typedef struct {
    double gain, squares, mass;
} DualParts;

static void add_dual(const Dcd *dcd, size_t output, uint32_t from, uint32_t to,
                     double sums[DCD_SUMS])
{
    for (uint32_t i = from; i < to; i++) {
        double beta = dcd->solution.beta[i * dcd->fit->outputs + output];

        if (beta == 0)
            continue;
        sums[0] += dcd_gain(&dcd->problem.shape, dcd_y(dcd, &dcd->problem.rows[i], output),
                            dcd->problem.rows[i].cost, beta);
        sums[1] += fabs(beta);
        sums[2] += beta;
    }
}

static DualParts dual_parts(Dcd *dcd, size_t output)
{
    DcdSolution *solution = &dcd->solution;
    double sums[DCD_SUMS];
    DualParts parts = {.squares = solution->squares[output]};

    clv_dcd_sum_rows(dcd, output, add_dual, sums);
    parts.gain = sums[0];
    parts.mass = sums[1];
    solution->beta_sum[output] = sums[2];
    if (!dcd_free_intercept(dcd) && dcd->problem.tau > 0)
        parts.squares += solution->beta_sum[output] * solution->beta_sum[output];
    return parts;
}

static bool inside(const Dcd *dcd, uint32_t row, double beta)
{
    return !dcd->problem.shape.capped || fabs(beta) < dcd->problem.rows[row].cost;
}

/* Adds up the side with the larger sum: all variables, and those inside their bounds. */
static void add_heavier(const Dcd *dcd, size_t output, uint32_t from, uint32_t to,
                        double sums[DCD_SUMS])
{
    double side = dcd->solution.beta_sum[output] > 0 ? 1 : -1;

    for (uint32_t i = from; i < to; i++) {
        double beta = dcd->solution.beta[i * dcd->fit->outputs + output];

        sums[0] += side * beta > 0 ? fabs(beta) : 0;
        sums[1] += side * beta > 0 && inside(dcd, i, beta) ? fabs(beta) : 0;
    }
}

/* Makes Σ β = 0 in the sums, without changing the variables. */
static void level(Dcd *dcd, size_t output, DualParts *parts)
{
    DcdCertificate *certificate = &dcd->certificate;
    double surplus = dcd->solution.beta_sum[output], side = surplus > 0 ? 1 : -1, all, movable,
           share, sums[DCD_SUMS];
    bool only_inside;

    clv_dcd_sum_rows(dcd, output, add_heavier, sums);
    all = sums[0];
    movable = sums[1];
    if (surplus == 0 || all == 0)
        return;
    only_inside = movable > 2 * fabs(surplus);
    share = fmin(1, fabs(surplus) / (only_inside ? movable : all));
    memset(certificate->spare, 0, dcd->fit->features * sizeof *certificate->spare);
    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        const DcdRow *row = &dcd->problem.rows[i];
        double beta = dcd->solution.beta[i * dcd->fit->outputs + output],
               y = dcd_y(dcd, row, output);

        if (side * beta <= 0 || (only_inside && !inside(dcd, i, beta)))
            continue;
        parts->gain += dcd_gain(&dcd->problem.shape, y, row->cost, (1 - share) * beta) -
                       dcd_gain(&dcd->problem.shape, y, row->cost, beta);
        parts->squares -= 2 * share * beta * certificate->scores[i * dcd->fit->outputs + output];
        dcd->risk->kernels->add_wide(certificate->spare, share * beta,
                                     &dcd->problem.blocks[row->block], row->row);
    }
    for (uint32_t i = 0; i < dcd->fit->features; i++)
        parts->squares += certificate->spare[i] * certificate->spare[i];
    parts->mass -= fabs(surplus);
}

/* ---- the primal ------------------------------------------------------------------------------ */

static void add_loss(const Dcd *dcd, size_t output, uint32_t from, uint32_t to,
                     double sums[DCD_SUMS])
{
    for (uint32_t i = from; i < to; i++) {
        const DcdRow *row = &dcd->problem.rows[i];
        double score = dcd_centered(dcd, row, output,
                                    dcd->certificate.scores[i * dcd->fit->outputs + output]) +
                       dcd->certificate.offset[output];

        sums[0] += row->cost * loss_value(dcd->risk->loss, dcd_y(dcd, row, output), score);
    }
}

static double soft_primal(Dcd *dcd, size_t output)
{
    double b = dcd->certificate.offset[output], sums[DCD_SUMS];

    clv_dcd_sum_rows(dcd, output, add_loss, sums);
    return dcd_squares(dcd, output) / 2 + sums[0] +
           (dcd->risk->options->regularize_intercept ? b * b / 2 : 0);
}

/* The optimal intercept from the nearest rows of both sides, and the smallest score of all rows. A
 * result of at most 0 means that the classes are not separable. */
static double hard_distance(Dcd *dcd, size_t output)
{
    double above = INFINITY, below = -INFINITY, b = dcd->solution.offset[output];

    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        double score = dcd_centered(dcd, &dcd->problem.rows[i], output,
                                    dcd->certificate.scores[i * dcd->fit->outputs + output]);

        if (dcd_y(dcd, &dcd->problem.rows[i], output) > 0)
            above = fmin(above, score);
        else
            below = fmax(below, score);
    }
    if (dcd_free_intercept(dcd) && isfinite(above) && isfinite(below))
        b = -(above + below) / 2;
    dcd->certificate.offset[output] = b;
    return fmin(above + b, -(below + b));
}

static double hard_primal(Dcd *dcd, size_t output, const DualParts *parts)
{
    DcdCertificate *certificate = &dcd->certificate;
    double distance = hard_distance(dcd, output), b = certificate->offset[output];
    double squares = dcd_squares(dcd, output) +
                     (dcd->risk->options->regularize_intercept ? b * b : 0);

    certificate->distance[output] = distance;
    certificate->bound = fmin(certificate->bound, parts->mass > 0
                                                      ? sqrt(fmax(0, parts->squares)) / parts->mass
                                                      : INFINITY);
    return distance > 0 ? squares / 2 / (distance * distance) : (double)INFINITY;
}

/* ---- together -------------------------------------------------------------------------------- */

static Status certify_output(Dcd *dcd, size_t output)
{
    DcdCertificate *certificate = &dcd->certificate;
    DualParts parts = dual_parts(dcd, output);

    if (dcd_free_intercept(dcd))
        level(dcd, output, &parts);
    certificate->output_dual[output] = parts.gain - parts.squares / 2;
    if (risk_is_hard(dcd->risk) && !dcd->newton.has_finite_cost) {
        certificate->output_primal[output] = hard_primal(dcd, output, &parts);
    } else {
        certificate->offset[output] = dcd->solution.offset[output];
        if (dcd_free_intercept(dcd))
            TRY(clv_dcd_best_offset(dcd, output, &certificate->offset[output]));
        certificate->output_primal[output] = soft_primal(dcd, output);
    }
    certificate->primal += certificate->output_primal[output];
    certificate->dual += certificate->output_dual[output];
    return OK;
}

static bool may_shrink(const Dcd *dcd, uint32_t i)
{
    const DcdRow *row = &dcd->problem.rows[i];

    for (size_t j = 0; j < dcd->fit->outputs; j++) {
        size_t at = i * dcd->fit->outputs + j;
        double score = dcd_centered(dcd, row, j, dcd->certificate.scores[at]) +
                       dcd->solution.offset[j];

        if (dcd_pushed(&dcd->problem.shape, dcd_y(dcd, row, j), row->cost, dcd->solution.beta[at],
                       score) <= 0)
            return false;
    }
    return true;
}

static void add_wrongly_shrunk(const Dcd *dcd, size_t output, uint32_t from, uint32_t to,
                               double sums[DCD_SUMS])
{
    (void)output;
    for (uint32_t i = from; i < to; i++)
        if (dcd->order.shrunk[i] && !may_shrink(dcd, i)) {
            dcd->order.shrunk[i] = false;
            sums[0]++;
        }
}

Status clv_dcd_certify(Dcd *dcd, bool final)
{
    DcdCertificate *certificate = &dcd->certificate;
    uint64_t done = 0;

    clv_dcd_each_row(dcd, score_rows);
    clv_dcd_measure(dcd);
    certificate->primal = certificate->dual = 0;
    certificate->bound = INFINITY;
    for (size_t j = 0; j < dcd->fit->outputs; j++) {
        TRY(certify_output(dcd, j));
        clv_tick_after(dcd->fit->context, &done, 32 * (uint64_t)dcd->problem.count);
    }
    /* No variable changes while b is between two breakpoints, so b moves to a breakpoint. */
    for (size_t j = 0;
         j < dcd->fit->outputs && dcd_free_intercept(dcd) && dcd->iteration.changes == 0 && !final;
         j++)
        dcd->solution.offset[j] = certificate->offset[j] +
                                  dcd->problem.tau * dcd->solution.beta_sum[j];
    if (!final) {
        double sums[DCD_SUMS];

        clv_dcd_sum_rows(dcd, 0, add_wrongly_shrunk, sums);
        dcd->certificate.unshrunk = sums[0] > 0;
    }
    return OK;
}
