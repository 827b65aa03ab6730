/*
 * Least squares by conjugate gradient on the normal equations, whose matrix is never made (Hestenes
 * and Stiefel 1952), scaled by its diagonal so that the units of columns do not matter. A step is
 * one pass over the rows, which needs of each only x·p and adds one multiple of x: rows stay
 * sparse, the means are taken away beside them, and memory is a few vectors.
 *
 * The gradient is carried from step to step, which drifts with rounding; so convergence is believed
 * only when a pass made for that finds the gradient small, and the steps start anew from there
 * otherwise.
 *
 * Measure of convergence: the gradient by scaled columns against the spread of the targets, which
 * has no unit: each part is how much a column still tells about the residuals, a correlation times
 * |residuals| / |targets|.
 *
 * A run that was ended before its end leaves weights, direction and the gradient as carried in the
 * model, in double, and can be gone on with exactly.
 */
#include "base/dense.h"
#include "data/tour.h"
#include "learn/linear/squares.h"
#include "model/state.h"

#define CONSTANT 1e-24 /* share of a column's squares about 0 that rounding of its mean leaves about the mean */

enum { NUMBERS = 4 };

typedef struct Climb {
    Fit *fit;
    Squares *squares;
    Dataset *dataset;
    const Kernels *kernels;
    double *diagonal;  /* of the matrix; 0: leave the column alone */
    double *gradient;  /* minus one half of it */
    double *direction; /* p */
    double *image;     /* the matrix times p */
    double objective;
    double steep;  /* slope() */
    double before; /* the same when the steps last started anew */
    /* The state of the run, which is not to be what a last look finds. */
    double *carried; /* the gradient */
    double kept[NUMBERS];
    uint64_t print; /* of the problem; 0: not taken yet */
    bool ended_early;
    Arena memory;
} Climb;

void clv_squares_cg_free(Squares *squares)
{
    Arena memory;

    if (!squares->climb)
        return;
    memory = squares->climb->memory; /* which the climb itself is part of */
    clv_arena_free(&memory);
    squares->climb = NULL;
}

static Status open_climb(Fit *fit, Squares *squares, Dataset *dataset)
{
    Arena memory = {.context = fit->context, .error = fit->error, .what = "conjugate gradient"};
    Climb *climb = clv_arena_zero(&memory, 1, sizeof *climb);
    double *vectors[4];

    for (size_t i = 0; i < 4; i++)
        vectors[i] = clv_arena_zero(&memory, squares->features, sizeof *vectors[i]);
    if (memory.status != OK) {
        Status status = memory.status;

        clv_arena_free(&memory);
        return status;
    }
    *climb = (Climb){.fit = fit,
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
    squares->climb = climb;
    return OK;
}

typedef void (*RowFunction)(Climb *climb, const Block *block, uint32_t row, double target, double weight, double *sums);

typedef struct {
    Climb *climb;
    RowFunction function;
    double *sums;
} EachRow;

static Status each_row_of(void *user, const Block *block, cleave_error *error)
{
    const EachRow *each = user;
    Climb *climb = each->climb;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        double target = fit_target(climb->fit, block, row);
        double weight = fit_weight(climb->fit, block, row, UNLABELED);

        if (!isnan(target) && weight > 0)
            each->function(climb, block, row, target, weight, each->sums);
    }
    return OK;
}

/* Every row that has a target and a weight. */
static Status each_row(Climb *climb, RowFunction function, double *sums)
{
    return clv_tour_all(climb->dataset, each_row_of, &(EachRow){climb, function, sums}, climb->fit->error);
}

/* ---- means and diagonal ------------------------------------------------------------------------------------------- */

/* image: the weight of the rows that have the column at all. */
static void sum_row(Climb *climb, const Block *block, uint32_t row, double target, double weight, double *sums)
{
    Squares *squares = climb->squares;

    sums[0] += weight * target;
    squares->weight_total += weight;
    squares->rows++;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        squares->mean[walk.column] += weight * (double)walk.value;
        climb->image[walk.column] += weight;
    }
}

static void square_row(Climb *climb, const Block *block, uint32_t row, double target, double weight, double *sums)
{
    Squares *squares = climb->squares;
    double off = target - squares->target_mean;

    (void)sums;
    squares->target_square += weight * off * off;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        double x = (double)walk.value - squares->mean[walk.column];

        climb->diagonal[walk.column] += weight * x * x;
    }
}

static Status measure(Climb *climb)
{
    Squares *squares = climb->squares;
    double sum = 0;

    TRY(each_row(climb, sum_row, &sum));
    squares->target_mean = squares->bias ? sum / squares->weight_total : 0;
    for (size_t j = 0; j < squares->features; j++)
        squares->mean[j] = squares->bias ? squares->mean[j] / squares->weight_total : 0;
    TRY(each_row(climb, square_row, NULL));
    if (!isfinite(squares->target_square))
        return clv_squares_overflow(climb->fit, climb->dataset, SIZE_MAX);
    for (size_t j = 0; j < squares->features; j++) {
        double centre = squares->mean[j] * squares->mean[j];
        double square = climb->diagonal[j] + fmax(0, squares->weight_total - climb->image[j]) * centre;

        if (!isfinite(square))
            return clv_squares_overflow(climb->fit, climb->dataset, j);
        if (square <= CONSTANT * squares->weight_total * centre)
            square = 0;
        squares->spread[j] = sqrt(square);
        squares->constants += square == 0;
        climb->diagonal[j] = square > 0 ? square + squares->ridge : 0;
        if (square == 0)
            squares->weights[j] = 0;
    }
    return OK;
}

/* ---- steps -------------------------------------------------------------------------------------------------------- */

/* sums: squares of the residuals, their sum, w·mean. */
static void residual_row(Climb *climb, const Block *block, uint32_t row, double target, double weight, double *sums)
{
    double score = climb->kernels->dot_wide(climb->squares->weights, block, row) - sums[2];
    double residual = target - climb->squares->target_mean - score;

    sums[0] += weight * residual * residual;
    sums[1] += weight * residual;
    climb->kernels->add_wide(climb->gradient, weight * residual, block, row);
}

/* sums: squares of x·p, their sum, p·mean. */
static void image_row(Climb *climb, const Block *block, uint32_t row, double target, double weight, double *sums)
{
    double x = climb->kernels->dot_wide(climb->direction, block, row) - sums[2];

    (void)target;
    sums[0] += weight * x * x;
    sums[1] += weight * x;
    climb->kernels->add_wide(climb->image, weight * x, block, row);
}

/* What the weights are worth, and the gradient, from the rows. */
static Status look(Climb *climb)
{
    Squares *squares = climb->squares;
    size_t size = squares->features;
    double sums[3] = {0, 0, clv_dense_dot(squares->weights, squares->mean, size)};

    memset(climb->gradient, 0, size * sizeof *climb->gradient);
    TRY(each_row(climb, residual_row, sums));
    clv_dense_add(climb->gradient, -sums[1], squares->mean, size);
    clv_dense_add(climb->gradient, -squares->ridge, squares->weights, size);
    squares->sse = sums[0];
    climb->objective = sums[0] + squares->ridge * clv_dense_dot(squares->weights, squares->weights, size);
    return OK;
}

/* gradient · gradient / diagonal; what is not a column to move counts nothing. */
static double slope(const Climb *climb)
{
    double sum = 0;

    for (size_t j = 0; j < climb->squares->features; j++)
        if (climb->diagonal[j] > 0)
            sum += climb->gradient[j] / climb->diagonal[j] * climb->gradient[j];
    return sum;
}

static void turn(Climb *climb, double share)
{
    for (size_t j = 0; j < climb->squares->features; j++)
        climb->direction[j] = (climb->diagonal[j] > 0 ? climb->gradient[j] / climb->diagonal[j] : 0) +
                              share * climb->direction[j];
}

/* Along the direction to the lowest point. */
static Status step(Climb *climb)
{
    Squares *squares = climb->squares;
    size_t size = squares->features;
    double sums[3] = {0, 0, clv_dense_dot(climb->direction, squares->mean, size)}, along;

    memset(climb->image, 0, size * sizeof *climb->image);
    TRY(each_row(climb, image_row, sums));
    clv_dense_add(climb->image, -sums[1], squares->mean, size);
    clv_dense_add(climb->image, squares->ridge, climb->direction, size);
    along = climb->steep / (sums[0] + squares->ridge * clv_dense_dot(climb->direction, climb->direction, size));
    if (!isfinite(along)) {
        climb->steep = 0; /* no curvature: nothing is left to be won */
        return OK;
    }
    clv_dense_add(squares->weights, along, climb->direction, size);
    clv_dense_add(climb->gradient, -along, climb->image, size);
    climb->objective = fmax(0, climb->objective - along * climb->steep);
    climb->steep = slope(climb);
    return OK;
}

/* ---- the state of a run ------------------------------------------------------------------------------------------- */

enum { PARTS = 4 };

static void list_parts(Climb *climb, StatePart parts[PARTS])
{
    uint64_t features = climb->squares->features;

    parts[0] = (StatePart){"run.numbers", BUNDLE_F64, climb->kept, NUMBERS};
    parts[1] = (StatePart){"run.weights", BUNDLE_F64, climb->squares->weights, features};
    parts[2] = (StatePart){"run.gradient", BUNDLE_F64, climb->carried, features};
    parts[3] = (StatePart){"run.direction", BUNDLE_F64, climb->direction, features};
}

static Status take_print(Climb *climb)
{
    const double numbers[] = {climb->squares->ridge, climb->squares->bias};

    return climb->print ? OK : clv_state_print(climb->fit, climb->dataset, "cg", numbers, 2, &climb->print);
}

Status clv_squares_cg_save(const Fit *fit, const Squares *squares, Model *model)
{
    Climb *climb = squares->climb;
    StatePart parts[PARTS];

    if (!climb)
        return OK; /* it came to its end, or was never begun */
    TRY(take_print(climb));
    list_parts(climb, parts);
    return clv_state_put(parts, PARTS, climb->print, model, fit->error);
}

/* *found: the next step is the one that did not come after the model's last. */
static Status go_on(Climb *climb, bool *found)
{
    const Model *from = climb->squares->from;
    StatePart parts[PARTS];

    *found = false;
    if (!from || !clv_state_in_model(from))
        return OK;
    TRY(take_print(climb));
    list_parts(climb, parts);
    TRY(clv_state_take(parts, PARTS, climb->print, from, found, climb->fit->error));
    if (!*found)
        return OK;
    climb->objective = climb->kept[0];
    climb->steep = climb->kept[1];
    climb->before = climb->kept[2];
    climb->squares->sse = climb->kept[3];
    return OK;
}

/* ---- until it is done --------------------------------------------------------------------------------------------- */

static void summarize(const Climb *climb, uint32_t steps, bool done, bool stuck)
{
    const Squares *squares = climb->squares;
    double relative = squares->target_square > 0 ? sqrt(climb->steep / squares->target_square) : 0;

    clv_verdict(climb->fit, "%s after %u iteration%s%s, relative gradient norm %.2g%s", done ? "converged" : "stopped",
                steps, steps == 1 ? "" : "s", done ? "" : " without convergence", relative,
                done    ? ""
                : stuck ? ", no longer decreasing"
                        : "; raise --rounds, --tolerance or --ridge");
    climb->fit->result.converged = done;
    climb->fit->result.plateau = !done && stuck;
    clv_figure(climb->fit, "gradient", relative);
}

/* Steps until the gradient as carried is small, or the driver wants no more. */
static Status take_steps(Climb *climb, double goal, uint32_t *steps, bool *wanted)
{
    Fit *fit = climb->fit;

    while (climb->steep > goal && *wanted) {
        double last = climb->steep;

        TRY(step(climb));
        turn(climb, climb->steep / last);
        ++*steps;
        climb->kept[0] = climb->objective;
        climb->kept[1] = climb->steep;
        climb->kept[2] = climb->before;
        climb->kept[3] = climb->squares->sse; /* of the last look */
        fit->counters.seen += climb->squares->rows;
        fit->counters.epoch_loss = climb->objective;
        *wanted = fit->epoch_done(fit);
    }
    if (!*wanted) { /* what a last look finds is for the verdict: who goes on does so without it */
        memcpy(climb->image, climb->gradient, climb->squares->features * sizeof *climb->image);
        climb->carried = climb->image;
    }
    return OK;
}

static Status climb_down(Climb *climb)
{
    Squares *squares = climb->squares;
    double goal;
    bool stuck = false, wanted = true, goes_on;
    uint32_t steps = 0;

    TRY(measure(climb));
    TRY(go_on(climb, &goes_on));
    goal = squares->tolerance * squares->tolerance * squares->target_square;
    if (goes_on)
        TRY(take_steps(climb, goal, &steps, &wanted));
    for (;;) {
        TRY(look(climb));
        climb->steep = slope(climb);
        stuck = climb->steep > goal && !(climb->steep < 0.25 * climb->before);
        climb->before = climb->steep;
        if (climb->steep <= goal || stuck || !wanted)
            break;
        memset(climb->direction, 0, squares->features * sizeof *climb->direction);
        turn(climb, 0);
        TRY(take_steps(climb, goal, &steps, &wanted));
    }
    if (steps == 0)
        climb->fit->epoch_done(climb->fit);
    summarize(climb, steps, climb->steep <= goal, stuck && wanted);
    climb->ended_early = !climb->fit->result.converged && !climb->fit->result.plateau && !wanted;
    return climb->ended_early ? take_print(climb) : OK;
}

Status clv_squares_cg(Fit *fit, Squares *squares, Dataset *dataset)
{
    Status status;

    squares->weight_total = squares->target_square = 0;
    squares->constants = 0;
    squares->rows = 0;
    memset(squares->mean, 0, squares->features * sizeof *squares->mean);
    TRY(open_climb(fit, squares, dataset));
    status = climb_down(squares->climb);
    if (status != OK || !squares->climb->ended_early)
        clv_squares_cg_free(squares);
    return status;
}
