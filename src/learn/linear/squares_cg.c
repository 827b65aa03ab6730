/*
 * Least squares by conjugate gradient on the normal equations without forming their matrix
 * (Hestenes and Stiefel 1952), preconditioned by the diagonal, so that units of columns do not
 * matter. An iteration is one pass over the rows; each row needs x·p and adds one multiple of x.
 * Rows stay sparse, means are subtracted separately, and memory is a few vectors.
 *
 * The gradient is updated from iteration to iteration and accumulates rounding errors. Convergence
 * is therefore confirmed by a pass that recomputes the gradient; if it is too large, the iterations
 * restart.
 *
 * Convergence criterion: the norm of the gradient by scaled columns, relative to the spread of the
 * targets. Each component is the correlation of a column with the residuals times |residuals| /
 * |targets|.
 *
 * An interrupted run stores weights, direction and gradient in the model, in double, and can be
 * resumed exactly.
 */
#include "base/dense.h"
#include "data/tour.h"
#include "learn/linear/squares.h"
#include "model/state.h"

#define CONSTANT 1e-24 /* fraction of the squares of a column that rounding of its mean can cause */

enum { NUMBERS = 4 };

typedef struct CgRun {
    Fit *fit;
    Squares *squares;
    Dataset *dataset;
    const Kernels *kernels;
    double *diagonal;  /* diagonal of the matrix; 0: the column is skipped */
    double *gradient;  /* minus one half of the gradient */
    double *direction; /* p */
    double *image;     /* the matrix times p */
    double objective;
    double gradient2; /* see slope() */
    double before;    /* slope() at the last restart */
    /* The state of the run, without the recomputed gradient of the final pass. */
    double *carried; /* the gradient */
    double kept[NUMBERS];
    uint64_t fingerprint; /* fingerprint of the problem; 0: not computed yet */
    bool ended_early;
    Arena memory;
} CgRun;

void clv_squares_cg_free(Squares *squares)
{
    Arena memory;

    if (!squares->cg)
        return;
    memory = squares->cg->memory; /* the arena, which also contains the run */
    clv_arena_free(&memory);
    squares->cg = NULL;
}

static Status open_cg(Fit *fit, Squares *squares, Dataset *dataset)
{
    Arena memory = {.context = fit->context, .error = fit->error, .what = "conjugate gradient"};
    CgRun *cg = clv_arena_zero(&memory, 1, sizeof *cg);
    double *vectors[4];

    for (size_t i = 0; i < 4; i++)
        vectors[i] = clv_arena_zero(&memory, squares->features, sizeof *vectors[i]);
    if (memory.status != OK) {
        Status status = memory.status;

        clv_arena_free(&memory);
        return status;
    }
    *cg = (CgRun){.fit = fit,
                  .squares = squares,
                  .dataset = dataset,
                  .kernels = clv_kernels(),
                  .diagonal = vectors[0],
                  .gradient = vectors[1],
                  .direction = vectors[2],
                  .image = vectors[3],
                  .carried = vectors[1],
                  .before = (double)INFINITY,
                  .memory = memory};
    squares->cg = cg;
    return OK;
}

typedef void (*RowFunction)(CgRun *cg, const Block *block, uint32_t row, double target,
                            double weight, double *sums);

typedef struct {
    CgRun *cg;
    RowFunction function;
    double *sums;
} EachRow;

static Status each_row_of(void *user, const Block *block, cleave_error *error)
{
    const EachRow *each = user;
    CgRun *cg = each->cg;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        double target = fit_target(cg->fit, block, row);
        double weight = fit_weight(cg->fit, block, row, UNLABELED);

        if (!isnan(target) && weight > 0)
            each->function(cg, block, row, target, weight, each->sums);
    }
    return OK;
}

/* Visits every row with a target and a weight. */
static Status each_row(CgRun *cg, RowFunction function, double *sums)
{
    return clv_tour_all(cg->dataset, each_row_of, &(EachRow){cg, function, sums}, cg->fit->error);
}

/* ---- means and diagonal ---------------------------------------------------------------------- */

/* image receives the total weight of the rows that have a value in the column. */
static void sum_row(CgRun *cg, const Block *block, uint32_t row, double target, double weight,
                    double *sums)
{
    Squares *squares = cg->squares;

    sums[0] += weight * target;
    squares->weight_total += weight;
    squares->rows++;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        squares->mean[walk.column] += weight * (double)walk.value;
        cg->image[walk.column] += weight;
    }
}

static void square_row(CgRun *cg, const Block *block, uint32_t row, double target, double weight,
                       double *sums)
{
    Squares *squares = cg->squares;
    double off = target - squares->target_mean;

    (void)sums;
    squares->target_square += weight * off * off;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        double x = (double)walk.value - squares->mean[walk.column];

        cg->diagonal[walk.column] += weight * x * x;
    }
}

static Status measure(CgRun *cg)
{
    Squares *squares = cg->squares;
    double sum = 0;

    TRY(each_row(cg, sum_row, &sum));
    squares->target_mean = squares->intercept ? sum / squares->weight_total : 0;
    for (size_t j = 0; j < squares->features; j++)
        squares->mean[j] = squares->intercept ? squares->mean[j] / squares->weight_total : 0;
    TRY(each_row(cg, square_row, NULL));
    if (!isfinite(squares->target_square))
        return clv_squares_overflow(cg->fit, cg->dataset, SIZE_MAX);
    for (size_t j = 0; j < squares->features; j++) {
        double center = squares->mean[j] * squares->mean[j];
        double square = cg->diagonal[j] + fmax(0, squares->weight_total - cg->image[j]) * center;

        if (!isfinite(square))
            return clv_squares_overflow(cg->fit, cg->dataset, j);
        if (square <= CONSTANT * squares->weight_total * center)
            square = 0;
        squares->spread[j] = sqrt(square);
        squares->constants += square == 0;
        cg->diagonal[j] = square > 0 ? square + squares->ridge : 0;
        if (square == 0)
            squares->weights[j] = 0;
    }
    return OK;
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* sums: squares of the residuals, their sum, w·mean. */
static void residual_row(CgRun *cg, const Block *block, uint32_t row, double target, double weight,
                         double *sums)
{
    double score = cg->kernels->dot_wide(cg->squares->weights, block, row) - sums[2];
    double residual = target - cg->squares->target_mean - score;

    sums[0] += weight * residual * residual;
    sums[1] += weight * residual;
    cg->kernels->add_wide(cg->gradient, weight * residual, block, row);
}

/* sums: squares of x·p, their sum, p·mean. */
static void image_row(CgRun *cg, const Block *block, uint32_t row, double target, double weight,
                      double *sums)
{
    double x = cg->kernels->dot_wide(cg->direction, block, row) - sums[2];

    (void)target;
    sums[0] += weight * x * x;
    sums[1] += weight * x;
    cg->kernels->add_wide(cg->image, weight * x, block, row);
}

/* Computes the squared error and the gradient from the rows. */
static Status evaluate_rows(CgRun *cg)
{
    Squares *squares = cg->squares;
    size_t size = squares->features;
    double sums[3] = {0, 0, clv_dense_dot(squares->weights, squares->mean, size)};

    memset(cg->gradient, 0, size * sizeof *cg->gradient);
    TRY(each_row(cg, residual_row, sums));
    clv_dense_add(cg->gradient, -sums[1], squares->mean, size);
    clv_dense_add(cg->gradient, -squares->ridge, squares->weights, size);
    squares->sse = sums[0];
    cg->objective = sums[0] +
                    squares->ridge * clv_dense_dot(squares->weights, squares->weights, size);
    return OK;
}

/* The product gradient · gradient / diagonal, without skipped columns. */
static double slope(const CgRun *cg)
{
    double sum = 0;

    for (size_t j = 0; j < cg->squares->features; j++)
        if (cg->diagonal[j] > 0)
            sum += cg->gradient[j] / cg->diagonal[j] * cg->gradient[j];
    return sum;
}

static void turn(CgRun *cg, double share)
{
    for (size_t j = 0; j < cg->squares->features; j++)
        cg->direction[j] = (cg->diagonal[j] > 0 ? cg->gradient[j] / cg->diagonal[j] : 0) +
                           share * cg->direction[j];
}

/* Moves along the direction to the minimum. */
static Status step(CgRun *cg)
{
    Squares *squares = cg->squares;
    size_t size = squares->features;
    double sums[3] = {0, 0, clv_dense_dot(cg->direction, squares->mean, size)}, along;

    memset(cg->image, 0, size * sizeof *cg->image);
    TRY(each_row(cg, image_row, sums));
    clv_dense_add(cg->image, -sums[1], squares->mean, size);
    clv_dense_add(cg->image, squares->ridge, cg->direction, size);
    along = cg->gradient2 /
            (sums[0] + squares->ridge * clv_dense_dot(cg->direction, cg->direction, size));
    if (!isfinite(along)) {
        cg->gradient2 = 0; /* no curvature: converged */
        return OK;
    }
    clv_dense_add(squares->weights, along, cg->direction, size);
    clv_dense_add(cg->gradient, -along, cg->image, size);
    cg->objective = fmax(0, cg->objective - along * cg->gradient2);
    cg->gradient2 = slope(cg);
    return OK;
}

/* ---- state of a run -------------------------------------------------------------------------- */

enum { PARTS = 4 };

static void list_parts(CgRun *cg, StatePart parts[PARTS])
{
    uint64_t features = cg->squares->features;

    parts[0] = (StatePart){"run.numbers", BUNDLE_F64, cg->kept, NUMBERS};
    parts[1] = (StatePart){"run.weights", BUNDLE_F64, cg->squares->weights, features};
    parts[2] = (StatePart){"run.gradient", BUNDLE_F64, cg->carried, features};
    parts[3] = (StatePart){"run.direction", BUNDLE_F64, cg->direction, features};
}

static Status take_fingerprint(CgRun *cg)
{
    const double numbers[] = {cg->squares->ridge, cg->squares->intercept};

    return cg->fingerprint
               ? OK
               : clv_state_fingerprint(cg->fit, cg->dataset, "cg", numbers, 2, &cg->fingerprint);
}

Status clv_squares_cg_save(const Fit *fit, const Squares *squares, Model *model)
{
    CgRun *cg = squares->cg;
    StatePart parts[PARTS];

    if (!cg)
        return OK; /* the run was completed or never started */
    TRY(take_fingerprint(cg));
    list_parts(cg, parts);
    return clv_state_put(parts, PARTS, cg->fingerprint, model, fit->error);
}

/* Sets *found if the next iteration continues the interrupted run. */
static Status resume_run(CgRun *cg, bool *found)
{
    const Model *from = cg->squares->from;
    StatePart parts[PARTS];

    *found = false;
    if (!from || !clv_state_in_model(from))
        return OK;
    TRY(take_fingerprint(cg));
    list_parts(cg, parts);
    TRY(clv_state_take(parts, PARTS, cg->fingerprint, from, found, cg->fit->error));
    if (!*found)
        return OK;
    cg->objective = cg->kept[0];
    cg->gradient2 = cg->kept[1];
    cg->before = cg->kept[2];
    cg->squares->sse = cg->kept[3];
    return OK;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void summarize(const CgRun *cg, uint32_t steps, bool done, bool stuck)
{
    const Squares *squares = cg->squares;
    double relative = squares->target_square > 0 ? sqrt(cg->gradient2 / squares->target_square) : 0;

    clv_summarize(cg->fit, "%s after %u iteration%s%s, relative gradient norm %.2g%s",
                  done ? "converged" : "stopped", steps, steps == 1 ? "" : "s",
                  done ? "" : " without convergence", relative,
                  done    ? ""
                  : stuck ? ", no longer decreasing"
                          : "; raise --max-iterations, --tolerance or --ridge");
    cg->fit->result.converged = done;
    cg->fit->result.plateau = !done && stuck;
    clv_figure(cg->fit, "gradient", relative);
}

/* Iterates until the updated gradient is small or the driver stops. */
static Status take_steps(CgRun *cg, double goal, uint32_t *steps, bool *wanted)
{
    Fit *fit = cg->fit;

    while (cg->gradient2 > goal && *wanted) {
        double last = cg->gradient2;

        TRY(step(cg));
        turn(cg, cg->gradient2 / last);
        ++*steps;
        cg->kept[0] = cg->objective;
        cg->kept[1] = cg->gradient2;
        cg->kept[2] = cg->before;
        cg->kept[3] = cg->squares->sse; /* of the last evaluation */
        fit->counters.seen += cg->squares->rows;
        fit->counters.epoch_loss = cg->objective;
        *wanted = fit->epoch_done(fit);
    }
    /* the final evaluation is for the summary only; a resumed run does not use it */
    if (!*wanted) {
        memcpy(cg->image, cg->gradient, cg->squares->features * sizeof *cg->image);
        cg->carried = cg->image;
    }
    return OK;
}

static Status iterate(CgRun *cg)
{
    Squares *squares = cg->squares;
    double goal;
    bool stuck = false, wanted = true, goes_on;
    uint32_t steps = 0;

    TRY(measure(cg));
    TRY(resume_run(cg, &goes_on));
    goal = squares->tolerance * squares->tolerance * squares->target_square;
    if (goes_on)
        TRY(take_steps(cg, goal, &steps, &wanted));
    for (;;) {
        TRY(evaluate_rows(cg));
        cg->gradient2 = slope(cg);
        stuck = cg->gradient2 > goal && !(cg->gradient2 < 0.25 * cg->before);
        cg->before = cg->gradient2;
        if (cg->gradient2 <= goal || stuck || !wanted)
            break;
        memset(cg->direction, 0, squares->features * sizeof *cg->direction);
        turn(cg, 0);
        TRY(take_steps(cg, goal, &steps, &wanted));
    }
    if (steps == 0)
        cg->fit->epoch_done(cg->fit);
    summarize(cg, steps, cg->gradient2 <= goal, stuck && wanted);
    cg->ended_early = !cg->fit->result.converged && !cg->fit->result.plateau && !wanted;
    return cg->ended_early ? take_fingerprint(cg) : OK;
}

Status clv_squares_cg(Fit *fit, Squares *squares, Dataset *dataset)
{
    Status status;

    squares->weight_total = squares->target_square = 0;
    squares->constants = 0;
    squares->rows = 0;
    memset(squares->mean, 0, squares->features * sizeof *squares->mean);
    TRY(open_cg(fit, squares, dataset));
    status = iterate(squares->cg);
    if (status != OK || !squares->cg->ended_early)
        clv_squares_cg_free(squares);
    return status;
}
