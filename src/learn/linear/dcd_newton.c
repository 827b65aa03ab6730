/*
 * An augmented-Lagrangian method for the dual of the hinge and the epsilon-insensitive loss.
 * Coordinate descent is slow on features of large values, and on many rows of few features, because
 * steps of similar rows cancel. Here all variables of an output move at once. Each iteration solves
 *
 *     max over beta   sum (y beta - epsilon |beta|) - 1/2 |sum beta x|^2
 *                     - sum (beta - beta0)^2 / (2 sigma c)
 *
 * with the bounds of dcd.h and the cost c of each row. Then beta becomes beta0, and sigma grows. In
 * terms of the scores s = w.x + b, each beta is known: y - s times sigma c, added to beta0, moved
 * towards 0 by sigma c epsilon, and limited to the bounds. The weights minimize a function with a
 * piecewise linear gradient w - sum beta x. Newton's equations are
 *
 *     (I + sigma sum c x x') dw = sum beta x - w       sum over the free rows
 *
 * A row is free if its beta is inside its bounds (and not 0, if epsilon > 0). Near the minimum,
 * only the rows on the margin are free. The matrix changes only by the rows whose state changes.
 * The intercept is one more column. If it is not regularized, its diagonal element lacks the 1.
 *
 * The result replaces the variables of coordinate descent. The run ends if their duality gap is
 * within the tolerance. A hard margin is solved with a large finite cost, and its own certificate.
 *
 * Rows are summed in a fixed number of pieces, so that results are bit-identical for any number of
 * threads. Memory: 40 bytes per row and at most 17 matrices of 512 columns or 5 of 1,024. See
 * docs/decisions/0014-augmented-lagrangian.md.
 *
 * References: Rockafellar 1976; Li, Sun and Toh 2018 (semismooth Newton augmented Lagrangian); Yan
 * and Li 2020 (for support-vector machines).
 */
#include "base/dense.h"
#include "base/memory.h"
#include "base/pool.h"
#include "learn/linear/dcd.h"

#include <float.h>

enum {
    MAX_SIZE = 1024, /* features and intercept */
    MAX_STEPS = 1000,
    TYPICAL_STEPS = 60,
    MIN_PASSES = 30, /* passes of coordinate descent before the switch */
    MAX_PIECES = 8,
    LARGE_SIZE = 512, /* above this size: fewer pieces, factorization in a thread */
    PANEL_ROWS = 64,
    FEW_ROWS = 2000, /* below this number of rows: one piece */
    MAX_TRIALS = 60, /* maximum number of step lengths tried */
};
#define MAX_PRODUCTS 2e11    /* above this number of products, coordinate descent is not slower */
#define FIRST_SIGMA 0.5      /* divided by mean |y - s|, so that most rows are free at first */
#define SIGMA_GROWTH 3       /* by iteration */
#define GAP_SHARE 0.3        /* share of the tolerance; the certificate finds a larger gap */
#define RESIDUAL_SHARE 0.3   /* fraction of that gap at which a subproblem counts as solved */
#define SUFFICIENT_SLOPE 0.3 /* share of the first slope; a full step with this slope is taken */
#define ACCURATE_SLOPE 0.1   /* fraction of the first slope at which the line search ends */
#define SHORTEST_STEP 1e-15  /* shorter steps count as 0 */
#define LEAST_CURVATURE 1e-9 /* curvature of the intercept where no row is free, in mean rows */
/* hard margin: ratio of the cost of the rows to the largest dual variable */
#define HARD_COST 1000

typedef struct Newton Newton;
typedef void PieceWork(Newton *newton, uint32_t from, uint32_t to, unsigned piece);

enum { FREE = 1, IN_GRAM = 2 }; /* flags of a row */

typedef struct {
    double loss, terms; /* sums over rows: c loss, and the terms of the gap */
    uint64_t free, added, removed;
} RowSums;

struct Newton {
    Dcd *dcd;
    const Dense *dense;
    size_t output, size;
    uint32_t pieces, steps;
    bool free_intercept, dense_rows;
    double sigma;
    double mean_cost, mean_norm2; /* means over the rows */
    double *beta0, *beta;         /* values by row */
    double *score, *product;      /* w.x + b by row, and its change along dw */
    unsigned char *state;         /* state of each row */
    double length;                /* length of the step whose slope is evaluated */
    /* weights and their step; the last element may be the intercept */
    double *w, *dw;
    double *dual_w;     /* sum beta x */
    double *sums;       /* pieces * size */
    double *gram;       /* pieces * size * size: sum c x x' of rows in state IN_GRAM */
    double *full_gram;  /* pieces * size * size: sum c x x' of all rows */
    double *factor;     /* size * size */
    double *panel;      /* pieces * PANEL_ROWS * size: rows times sqrt(cost) */
    uint32_t *column;   /* pieces * size: entries of a row */
    double *value;      /* pieces * size */
    double lower_bound; /* lower bound of the objectives of the other outputs */
    /* rows removed since the matrix was last computed from its rows */
    uint64_t removed;
    RowSums rows[MAX_PIECES]; /* results of pieces */
    double part[MAX_PIECES];
    PieceWork *work;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static bool has_intercept(const Newton *newton)
{
    return newton->size > newton->dcd->fit->features;
}

static double dot_row(const Newton *newton, const double *vector, uint32_t row)
{
    const Dcd *dcd = newton->dcd;
    const DcdRow *at = &dcd->problem.rows[row];
    double sum = dcd->risk->kernels->dot_wide(vector, &dcd->problem.blocks[at->block], at->row);

    return has_intercept(newton) ? sum + vector[newton->size - 1] : sum;
}

static void add_row(const Newton *newton, double *vector, double step, uint32_t row)
{
    const Dcd *dcd = newton->dcd;
    const DcdRow *at = &dcd->problem.rows[row];

    dcd->risk->kernels->add_wide(vector, step, &dcd->problem.blocks[at->block], at->row);
    if (has_intercept(newton))
        vector[newton->size - 1] += step;
}

/* The dual variable of a row with this score. */
static inline double beta_at(const Newton *newton, uint32_t row, double score)
{
    const DcdShape *shape = &newton->dcd->problem.shape;
    double cost = newton->dcd->problem.rows[row].cost,
           y = dcd_y(newton->dcd, &newton->dcd->problem.rows[row], newton->output);
    double strength = newton->sigma * cost, dead = strength * shape->epsilon;
    double beta = newton->beta0[row] + strength * (y - score);

    beta = beta > dead ? beta - dead : beta < -dead ? beta + dead : 0;
    return fmin(dcd_high(shape, y, cost), fmax(dcd_low(shape, y, cost), beta));
}

static bool is_free(const Newton *newton, uint32_t row, double beta)
{
    const DcdShape *shape = &newton->dcd->problem.shape;
    double cost = newton->dcd->problem.rows[row].cost,
           y = dcd_y(newton->dcd, &newton->dcd->problem.rows[row], newton->output);

    return beta > dcd_low(shape, y, cost) && beta < dcd_high(shape, y, cost) &&
           (shape->epsilon == 0 || beta != 0);
}

static void run_piece(void *user, uint32_t piece, unsigned worker)
{
    Newton *newton = user;
    uint64_t rows = newton->dcd->problem.count;

    (void)worker;
    newton->work(newton, (uint32_t)(rows * piece / newton->pieces),
                 (uint32_t)(rows * (piece + 1) / newton->pieces), piece);
}

static void run(Newton *newton, PieceWork *work)
{
    newton->work = work;
    clv_pool_run(newton->dcd->fit->context, newton->pieces, run_piece, newton);
}

/* Adds the pieces in their order, and writes the sum to `to`. */
static void join(const Newton *newton, const double *from, size_t count, double *to)
{
    for (uint32_t piece = 0; piece < newton->pieces; piece++)
        for (size_t i = 0; i < count; i++)
            to[i] = (piece ? to[i] : 0) + from[piece * count + i];
}

/* Whether the caller has cancelled the run. The driver ends the run after this iteration. */
static bool ends(const Newton *newton)
{
    return clv_tick(newton->dcd->fit->context);
}

/* Work on one row in units of context.h. */
static uint64_t row_units(const Newton *newton)
{
    return newton->dcd->problem.dataset->entries / (newton->dcd->problem.dataset->rows + 1) + 16;
}

/* ---- sums over rows -------------------------------------------------------------------------- */

static void set_scores(Newton *newton, uint32_t from, uint32_t to, unsigned piece)
{
    uint64_t done = 0, units = row_units(newton);

    (void)piece;
    for (uint32_t row = from; row < to && !clv_tick_after(newton->dcd->fit->context, &done, units);
         row++)
        newton->score[row] = dot_row(newton, newton->w, row);
}

static void set_products(Newton *newton, uint32_t from, uint32_t to, unsigned piece)
{
    uint64_t done = 0, units = row_units(newton);

    (void)piece;
    for (uint32_t row = from; row < to && !clv_tick_after(newton->dcd->fit->context, &done, units);
         row++)
        newton->product[row] = dot_row(newton, newton->dw, row);
}

/* Sets beta and the states from the scores. sums receives the sum of the changes of beta times
 * x. */
static void set_variables(Newton *newton, uint32_t from, uint32_t to, unsigned piece)
{
    const Dcd *dcd = newton->dcd;
    double *sums = newton->sums + piece * newton->size;
    uint64_t done = 0, units = row_units(newton);
    RowSums total = {0};

    memset(sums, 0, newton->size * sizeof *sums);
    for (uint32_t row = from; row < to && !clv_tick_after(dcd->fit->context, &done, units); row++) {
        double y = dcd_y(dcd, &dcd->problem.rows[row], newton->output),
               cost = dcd->problem.rows[row].cost;
        double beta = beta_at(newton, row, newton->score[row]);
        double loss = cost * loss_value(dcd->risk->loss, y, newton->score[row]);
        bool now = is_free(newton, row, beta), before = newton->state[row] & IN_GRAM;

        if (beta != newton->beta[row])
            add_row(newton, sums, beta - newton->beta[row], row);
        newton->beta[row] = beta;
        newton->state[row] = (unsigned char)((before ? IN_GRAM : 0) | (now ? FREE : 0));
        total.free += now;
        total.added += now && !before;
        total.removed += before && !now;
        total.loss += loss;
        total.terms += loss - dcd_gain(&dcd->problem.shape, y, cost, beta) +
                       beta * newton->score[row];
    }
    newton->rows[piece] = total;
}

/* The part of these rows in the derivative of the subproblem along dw, after a step of `length`. */
static void add_slopes(Newton *newton, uint32_t from, uint32_t to, unsigned piece)
{
    double sum = 0;

    for (uint32_t row = from; row < to; row++)
        sum -= newton->product[row] *
               beta_at(newton, row, newton->score[row] + newton->length * newton->product[row]);
    newton->part[piece] = sum;
}

static void add_products(Newton *newton, uint32_t row, double weight, unsigned piece)
{
    const Dcd *dcd = newton->dcd;
    const DcdRow *at = &dcd->problem.rows[row];
    size_t size = newton->size, count = 0;
    uint32_t *column = newton->column + piece * size;
    double *value = newton->value + piece * size, *gram = newton->gram + piece * size * size;

    for (RowWalk walk = clv_walk(&dcd->problem.blocks[at->block], at->row); clv_walk_next(&walk);) {
        column[count] = walk.column;
        value[count++] = (double)walk.value;
    }
    if (has_intercept(newton)) {
        column[count] = (uint32_t)size - 1;
        value[count++] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        double *to = gram + column[i] * size, factor = weight * value[i];

        for (size_t j = 0; j <= i; j++)
            to[column[j]] += factor * value[j];
    }
}

/* Copies a row into the dense panel, for a product of matrices. */
static void fill_panel(Newton *newton, uint32_t row, uint32_t place, double *panel)
{
    const Dcd *dcd = newton->dcd;
    const DcdRow *at = &dcd->problem.rows[row];
    double root = sqrt(at->cost);

    for (size_t i = 0; i < newton->size; i++)
        panel[i * PANEL_ROWS + place] = 0;
    for (RowWalk walk = clv_walk(&dcd->problem.blocks[at->block], at->row); clv_walk_next(&walk);)
        panel[walk.column * PANEL_ROWS + place] = root * (double)walk.value;
    if (has_intercept(newton))
        panel[(newton->size - 1) * PANEL_ROWS + place] = root;
}

/* Computes the gram matrix of the free rows. It is incomplete if the run is cancelled. */
static void compute_gram(Newton *newton, uint32_t from, uint32_t to, unsigned piece)
{
    size_t size = newton->size;
    double *gram = newton->gram + piece * size * size,
           *panel = newton->panel + piece * size * PANEL_ROWS;
    uint64_t done = 0, entries = row_units(newton),
             units = newton->dense_rows ? size * size / 2 : entries * entries;
    uint32_t filled = 0;

    memset(gram, 0, size * size * sizeof *gram);
    for (uint32_t row = from; row < to; row++) {
        bool now = newton->state[row] & FREE;

        newton->state[row] = now ? FREE | IN_GRAM : 0;
        if (now && clv_tick_after(newton->dcd->fit->context, &done, units))
            return;
        if (now && newton->dense_rows)
            fill_panel(newton, row, filled++, panel);
        else if (now)
            add_products(newton, row, newton->dcd->problem.rows[row].cost, piece);
        if (filled == PANEL_ROWS || (filled > 0 && row + 1 == to)) {
            newton->dense->add_products(gram, (Panel){panel, filled, size, PANEL_ROWS});
            filled = 0;
        }
    }
}

/* Adds and subtracts the rows whose state has changed since the gram matrix was computed. */
static void change_gram(Newton *newton, uint32_t from, uint32_t to, unsigned piece)
{
    uint64_t done = 0, entries = row_units(newton);

    for (uint32_t row = from; row < to; row++) {
        double cost = newton->dcd->problem.rows[row].cost;
        bool now = newton->state[row] & FREE, before = newton->state[row] & IN_GRAM;

        if (now == before)
            continue;
        newton->state[row] = now ? FREE | IN_GRAM : 0;
        add_products(newton, row, now ? cost : -cost, piece);
        if (clv_tick_after(newton->dcd->fit->context, &done, entries * entries))
            return;
    }
}

/* ---- Newton's method ------------------------------------------------------------------------- */

/* Updates all values that depend on the scores. */
static RowSums set_all(Newton *newton)
{
    RowSums total = {0};

    run(newton, set_variables);
    for (uint32_t piece = 0; piece < newton->pieces; piece++) {
        total.loss += newton->rows[piece].loss;
        total.terms += newton->rows[piece].terms;
        total.free += newton->rows[piece].free;
        total.added += newton->rows[piece].added;
        total.removed += newton->rows[piece].removed;
        clv_dense_add(newton->dual_w, 1, newton->sums + piece * newton->size, newton->size);
    }
    return total;
}

/* Subtracting removed rows accumulates rounding errors, so the matrix is recomputed at times. */
static void set_gram(Newton *newton, const RowSums *rows)
{
    newton->removed += rows->removed;
    if (rows->added + newton->removed > rows->free) {
        run(newton, compute_gram);
        newton->removed = 0;
    } else {
        run(newton, change_gram);
    }
}

static void factor_here(void *user)
{
    Newton *newton = user;

    newton->part[0] = (double)newton->dense->cholesky(newton->factor, newton->size, newton->size);
}

/* Computes the Cholesky factor of I + sigma gram; false if rounding prevents it. */
static bool factor_gram(Newton *newton)
{
    size_t size = newton->size, last = size - 1;

    join(newton, newton->gram, size * size, newton->factor);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j <= i; j++)
            newton->factor[i * size + j] *= newton->sigma;
        newton->factor[i * size + i] += newton->free_intercept && i == last
                                            ? LEAST_CURVATURE * newton->sigma * newton->mean_cost
                                            : 1;
    }
    if (size > LARGE_SIZE)
        clv_run_beside(newton->dcd->fit->context, factor_here, newton);
    else
        factor_here(newton);
    return newton->part[0] == (double)size;
}

static double slope_at(Newton *newton, double length)
{
    size_t weights = newton->size - newton->free_intercept;
    double slope = clv_dense_dot(newton->w, newton->dw, weights) +
                   length * clv_dense_dot(newton->dw, newton->dw, weights);

    newton->length = length;
    run(newton, add_slopes);
    for (uint32_t piece = 0; piece < newton->pieces; piece++)
        slope += newton->part[piece];
    return slope;
}

/* Finds the step length at which the slope is about 0. The slope increases with the length, from
 * -first. */
static double find_length(Newton *newton, double first)
{
    double low = 0, high = 1, below = -first, above = slope_at(newton, 1), length = 1;

    if (fabs(above) <= SUFFICIENT_SLOPE * first)
        return 1;
    for (int i = 0; i < MAX_TRIALS && above < 0; i++) {
        low = high;
        below = above;
        high *= 4;
        above = slope_at(newton, high);
    }
    for (int i = 0; i < MAX_TRIALS; i++) {
        double slope;

        length = i % 2 == 0 ? low - below * (high - low) / (above - below)
                 : low > 0  ? sqrt(low * high)
                            : high / 64;
        slope = slope_at(newton, length);
        if (fabs(slope) <= ACCURATE_SLOPE * first)
            break;
        if (slope < 0) {
            low = length;
            below = slope;
        } else {
            high = length;
            above = slope;
        }
    }
    return length;
}

static void move_scores(Newton *newton, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (uint32_t row = from; row < to; row++)
        newton->score[row] += newton->length * newton->product[row];
}

/* Takes one step of the subproblem. Returns false if no step decreases it. */
static bool take_step(Newton *newton, const RowSums *rows)
{
    size_t size = newton->size;
    double first = 0;

    set_gram(newton, rows);
    if (ends(newton))
        return false;
    if (!factor_gram(newton)) {
        newton->removed = rows->free; /* a matrix computed from its rows is more accurate */
        set_gram(newton, &(RowSums){.added = 1, .free = rows->free});
        if (ends(newton) || !factor_gram(newton))
            return false;
    }
    for (size_t i = 0; i < size; i++)
        newton->sums[i] = newton->dw[i] = newton->dual_w[i] -
                                          (newton->free_intercept && i == size - 1 ? 0
                                                                                   : newton->w[i]);
    clv_dense_solve_transposed(newton->factor, size, size, newton->dw);
    clv_dense_solve(newton->factor, size, size, newton->dw);
    first = clv_dense_dot(newton->sums, newton->dw, size);
    if (!(first > 0))
        return false;
    run(newton, set_products);
    newton->length = find_length(newton, first);
    if (!(newton->length > SHORTEST_STEP) || ends(newton))
        return false;
    clv_dense_add(newton->w, newton->length, newton->dw, size);
    run(newton, move_scores);
    newton->steps++;
    return true;
}

/* ---- one output ------------------------------------------------------------------------------ */

/* Outputs share the tolerance of the sum of their objectives: half of it in proportion to the
 * objectives, half evenly. */
static double allowed_gap(const Newton *newton, double primal)
{
    const Dcd *dcd = newton->dcd;

    return dcd->risk->options->tolerance *
           (primal + (newton->lower_bound + primal) / (double)dcd->fit->outputs) / 2;
}

/* The amount by which the gap exceeds its terms because the gradient is not 0: sum beta x is not
 * w, and the sum of beta is not 0. The certificate makes that sum 0 with rows of mean length. */
static double residual_of(const Newton *newton)
{
    size_t weights = newton->size - newton->free_intercept;
    double sum = 0;

    for (size_t i = 0; i < weights; i++)
        sum += (newton->dual_w[i] - newton->w[i]) * (newton->dual_w[i] - newton->w[i]) / 2;
    if (newton->free_intercept) {
        double surplus = fabs(newton->dual_w[weights]);

        sum += (fabs(newton->w[weights]) + 1 / newton->sigma) * surplus +
               newton->mean_norm2 * surplus * surplus / 2;
    }
    return sum;
}

/* Starts with variables of 0, and with the intercept of the mean target. */
static void start(Newton *newton)
{
    Dcd *dcd = newton->dcd;
    size_t rows = dcd->problem.count, last = newton->size - 1;
    double sum = 0, costs = 0, distance = 0, norms2 = 0;

    newton->steps = 0;
    newton->lower_bound = 0;
    for (size_t j = 0; j < dcd->fit->outputs; j++)
        newton->lower_bound += j == newton->output ? 0 : fmax(0, dcd->certificate.output_dual[j]);
    memset(newton->w, 0, newton->size * sizeof *newton->w);
    memset(newton->dual_w, 0, newton->size * sizeof *newton->dual_w);
    memset(newton->beta, 0, rows * sizeof *newton->beta);
    memset(newton->beta0, 0, rows * sizeof *newton->beta0);
    for (size_t i = 0; i < rows; i++) {
        sum += dcd->problem.rows[i].cost * dcd->problem.rows[i].y;
        costs += dcd->problem.rows[i].cost;
        norms2 += dcd->problem.rows[i].norm2;
    }
    newton->mean_cost = costs / (double)rows;
    newton->mean_norm2 = norms2 / (double)rows;
    if (newton->free_intercept && dcd->problem.shape.two_sided)
        newton->w[last] = sum / costs;
    for (size_t i = 0; i < rows; i++) {
        newton->score[i] = has_intercept(newton) ? newton->w[last] : 0;
        distance += fabs(dcd_y(dcd, &dcd->problem.rows[i], newton->output) - newton->score[i]) /
                    (double)rows;
    }
    newton->sigma = FIRST_SIGMA / fmax(distance, DBL_MIN);
    memcpy(newton->gram, newton->full_gram,
           newton->pieces * newton->size * newton->size * sizeof *newton->gram);
    memset(newton->state, IN_GRAM, rows);
    newton->removed = 0;
}

typedef struct {
    double primal, gap;
} Minimum;

static Minimum minimize(Newton *newton)
{
    Minimum found = {INFINITY, INFINITY};
    bool moved = true;

    while (newton->steps < MAX_STEPS && moved && !ends(newton)) {
        RowSums rows = set_all(newton);
        double residual = residual_of(newton), wanted;

        if (ends(newton)) /* after a cancellation the sums are incomplete */
            return (Minimum){INFINITY, INFINITY};
        found.primal = clv_dense_dot(newton->w, newton->w, newton->size - newton->free_intercept) /
                           2 +
                       rows.loss;
        found.gap = rows.terms + residual;
        wanted = GAP_SHARE * allowed_gap(newton, found.primal);
        if (!(found.gap > wanted))
            break;
        if (residual > rows.terms + RESIDUAL_SHARE * wanted) {
            moved = take_step(newton, &rows);
            continue;
        }
        memcpy(newton->beta0, newton->beta, newton->dcd->problem.count * sizeof *newton->beta0);
        newton->sigma *= SIGMA_GROWTH;
        run(newton, set_scores); /* computes the scores again, without the rounding errors of the
                                  * steps */
    }
    return ends(newton) ? (Minimum){INFINITY, INFINITY} : found;
}

/* Keeps w, which is closer to the minimum than the weights computed from the variables. */
static void keep_weights(const Newton *newton, const double *w)
{
    const Dcd *dcd = newton->dcd;
    size_t features = dcd->fit->features, j = newton->output, outputs = dcd->fit->outputs;

    for (size_t i = 0; i < features; i++)
        dcd->newton.w[i * outputs + j] = w[i];
    dcd->newton.w[features * outputs + j] = has_intercept(newton) ? w[features] : 0;
}

static void store_result(Newton *newton)
{
    Dcd *dcd = newton->dcd;
    DcdSolution *solution = &dcd->solution;
    size_t j = newton->output, outputs = dcd->fit->outputs, features = dcd->fit->features;
    uint64_t done = 0;

    solution->beta_sum[j] = solution->center_dot[j] = 0;
    memset(newton->dual_w, 0, newton->size * sizeof *newton->dual_w);
    for (uint32_t row = 0; row < dcd->problem.count; row++) {
        double beta = newton->beta[row], *at = &solution->beta[row * outputs + j],
               y = dcd_y(dcd, &dcd->problem.rows[row], j);
        double cost = dcd->problem.rows[row].cost;

        solution->gain += dcd_gain(&dcd->problem.shape, y, cost, beta) -
                          dcd_gain(&dcd->problem.shape, y, cost, *at);
        *at = beta;
        solution->beta_sum[j] += beta;
        solution->center_dot[j] += dcd->problem.rows[row].center_dot * beta;
        if (beta != 0)
            add_row(newton, newton->dual_w, beta, row);
        clv_tick_after(dcd->fit->context, &done, 200);
    }
    for (size_t i = 0; i < features; i++)
        solution->w[i * outputs + j] = newton->dual_w[i];
    solution->offset[j] = newton->free_intercept ? newton->w[features]
                                                 : dcd->problem.tau * solution->beta_sum[j];
}

/* Keeps the weights of coordinate descent. */
static void keep_descent(Newton *newton)
{
    Dcd *dcd = newton->dcd;
    size_t features = dcd->fit->features, j = newton->output;

    for (size_t i = 0; i < features; i++)
        newton->w[i] = dcd->solution.w[i * dcd->fit->outputs + j] -
                       (dcd->problem.center.x ? dcd->solution.beta_sum[j] * dcd->problem.center.x[i]
                                              : 0);
    if (has_intercept(newton))
        newton->w[features] = dcd->certificate.offset[j];
    keep_weights(newton, newton->w);
}

/* Minimizes one output. Returns its primal value. The result of coordinate descent is kept if
 * its gap is small enough, or smaller. */
static double solve_output(Newton *newton)
{
    Dcd *dcd = newton->dcd;
    size_t j = newton->output;
    double primal = dcd->certificate.output_primal[j],
           gap = primal - dcd->certificate.output_dual[j];
    Minimum found = {.gap = INFINITY};

    start(newton);
    if (gap > allowed_gap(newton, primal))
        found = minimize(newton);
    if (!(found.gap < gap)) {
        keep_descent(newton);
        return primal;
    }
    dcd->certificate.output_dual[j] = found.primal - found.gap;
    keep_weights(newton, newton->w);
    store_result(newton);
    return found.primal;
}

/* ---- all outputs ----------------------------------------------------------------------------- */

static size_t size_of(const Dcd *dcd)
{
    return (size_t)dcd->fit->features + dcd->risk->learn_intercept;
}

/* Mean number of entries of a row. */
static double entries_of(const Dcd *dcd)
{
    return (double)dcd->problem.dataset->entries / fmax(1, (double)dcd->problem.dataset->rows) + 1;
}

double clv_dcd_newton_passes(const Dcd *dcd)
{
    double size = (double)size_of(dcd), entries = entries_of(dcd), rows = dcd->problem.count;
    double step = rows * (2 * entries + 16) + size * size * size / 12;

    if (!dcd->problem.shape.capped || size > MAX_SIZE ||
        TYPICAL_STEPS * step * (double)dcd->fit->outputs > MAX_PRODUCTS)
        return INFINITY;
    return fmax(MIN_PASSES, TYPICAL_STEPS * step / (4 * rows * entries));
}

static Status allocate(Newton *newton, double **memory)
{
    Dcd *dcd = newton->dcd;
    size_t size = newton->size, n = dcd->problem.count, pieces = newton->pieces;
    size_t doubles = 4 * n + 3 * size + size * size +
                     pieces * size * (1 + 2 * size + PANEL_ROWS + 1);
    size_t weights = ((size_t)dcd->fit->features + 1) * dcd->fit->outputs;
    double *at = *memory = clv_alloc(dcd->fit->context, doubles, sizeof *at);

    newton->column = clv_alloc(dcd->fit->context, pieces * size, sizeof *newton->column);
    newton->state = clv_alloc(dcd->fit->context, n, sizeof *newton->state);
    clv_free(dcd->fit->context, dcd->newton.w);
    dcd->newton.w = clv_alloc(dcd->fit->context, weights, sizeof *dcd->newton.w);
    if (!at || !newton->column || !newton->state || !dcd->newton.w)
        return clv_fail_memory(dcd->fit->error, "the augmented-Lagrangian method",
                               doubles * sizeof *at + pieces * size * sizeof *newton->column + n +
                                   weights * sizeof *dcd->newton.w);
    newton->beta0 = at;
    newton->beta = (at += n);
    newton->score = (at += n);
    newton->product = (at += n);
    newton->w = (at += n);
    newton->dw = (at += size);
    newton->dual_w = (at += size);
    newton->factor = (at += size);
    newton->sums = (at += size * size);
    newton->gram = (at += pieces * size);
    newton->full_gram = (at += pieces * size * size);
    newton->panel = (at += pieces * size * size);
    newton->value = at + pieces * size * PANEL_ROWS;
    return OK;
}

/* Computes the gram matrix of all rows, because all or most rows are free at the start of an
 * output. */
static void compute_full_gram(Newton *newton)
{
    memset(newton->state, FREE, newton->dcd->problem.count);
    run(newton, compute_gram);
    memcpy(newton->full_gram, newton->gram,
           newton->pieces * newton->size * newton->size * sizeof *newton->gram);
}

/* Hard margin: chooses a finite cost above all variables of the solution, which gives the same
 * solution. */
static Status make_cost_finite(Dcd *dcd)
{
    double largest = 0;

    for (size_t i = 0; i < (size_t)dcd->problem.count * dcd->fit->outputs; i++)
        largest = fmax(largest, fabs(dcd->solution.beta[i]));
    for (uint32_t i = 0; i < dcd->problem.count; i++)
        dcd->problem.rows[i].cost = HARD_COST * largest;
    dcd->newton.has_finite_cost = true;
    return clv_dcd_certify(dcd, false);
}

static void harden(Dcd *dcd)
{
    for (uint32_t i = 0; i < dcd->problem.count; i++)
        dcd->problem.rows[i].cost = INFINITY;
    dcd->newton.has_finite_cost = false;
    /* of the problem with a finite cost; the certificate computes the primal of the margin */
    dcd->newton.primal = INFINITY;
}

static Status minimize_outputs(Dcd *dcd)
{
    Newton newton = {.dcd = dcd,
                     /* LAPACK is not used, because its sums may depend on the number of threads */
                     .dense = clv_dense_at(0),
                     .size = size_of(dcd),
                     .free_intercept = dcd_free_intercept(dcd),
                     .dense_rows = 2 * entries_of(dcd) > (double)size_of(dcd)};
    double *memory, primal = 0;
    Status status;

    newton.pieces = dcd->problem.count < FEW_ROWS ? 1 : newton.size > LARGE_SIZE ? 2 : MAX_PIECES;
    status = allocate(&newton, &memory);
    if (status == OK)
        compute_full_gram(&newton);
    for (; status == OK && newton.output < dcd->fit->outputs && !ends(&newton); newton.output++) {
        primal += solve_output(&newton);
        dcd->newton.steps += newton.steps;
    }
    dcd->newton.done = newton.output == dcd->fit->outputs && !ends(&newton);
    dcd->newton.primal = dcd->newton.done ? primal : (double)INFINITY;
    memset(dcd->order.shrunk, 0, dcd->problem.count * sizeof *dcd->order.shrunk);
    FREE(dcd->fit->context, newton.state, newton.column, memory);
    return status;
}

Status clv_dcd_newton(Dcd *dcd)
{
    bool hard = risk_is_hard(dcd->risk);
    Status status = hard ? make_cost_finite(dcd) : OK;

    if (status == OK)
        status = minimize_outputs(dcd);
    if (hard)
        harden(dcd);
    return status;
}
