/*
 * An interior-point method for the dual of the hinge and the epsilon-insensitive loss. Coordinate
 * descent is slow on many rows of few features, because steps of similar rows cancel. Here all
 * variables of an output move at once:
 *
 *     min over a   1/2 |w|^2 - sum p a      w = sum s a x,  0 <= a <= c,  sum s a = 0
 *
 * The last constraint applies if the intercept is free.
 *
 *     hinge      one variable per row: s = y, p = 1
 *     epsilon    two: s = 1 and -1, p = s y - epsilon
 *
 * With multipliers z of a >= 0 and v of t = c - a >= 0, Newton's equations are
 * (Q + D) da + s db = r, D = z/a + v/t. Q = X X' has the rank of the features, which leaves
 *
 *     (I + X' D^-1 X) dw = X' D^-1 r + (sum s a x - w)
 *
 * This is one weighted sum of products of the features, and a system of their size (Ferris and
 * Munson 2002). The intercept is one more column. If it is free, its diagonal element lacks the 1.
 *
 * 1. centering     Newton's method finds the point of the central path (a z = t v = mean) with a
 *                  gap of 2%. On the path, a is a function of w and b, which minimize a smooth
 *                  function. The start is the result of coordinate descent.
 * 2. following     Predictor and corrector steps (Mehrotra 1992) reduce the gap to the tolerance.
 * 3. result        The result replaces the variables of coordinate descent. The run ends if their
 *                  duality gap is within the tolerance.
 *
 * Rows are summed in a fixed number of pieces, so that results are bit-identical for any number of
 * threads. Memory: 64 bytes per variable and at most 8 matrices of 512 columns or 2 of 1,024. See
 * docs/decisions/0014-interior-point.md.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "learn/linear/dcd.h"
#include "learn/linear/dense.h"

#include <float.h>

enum {
    MAX_SIZE = 1024, /* features and intercept */
    MAX_STEPS = 80,
    TYPICAL_STEPS = 25,
    MIN_PASSES = 100, /* of coordinate descent before the switch */
    MAX_PIECES = 8,
    LARGE_SIZE = 512, /* above: fewer pieces, factorization in a thread */
    PANEL_ROWS = 64,
    FEW_ROWS = 2000, /* one piece */
};
#define MAX_PRODUCTS 1e11    /* in all: beyond, coordinate descent is not slower */
#define STEP_SHARE 0.995     /* of the way to the nearest bound */
#define START_GAP 0.02       /* centering ends at this share of the primal value … */
#define CENTERED 0.01        /* … when the predicted decrease is below this share of the gap */
#define NEAR_PATH 0.3        /* below this predicted decrease, the gap is reduced … */
#define SHRINK 0.2           /* … to this share of it */
#define GAP_SHARE 0.3        /* of the tolerance, because the certificate finds a larger gap */
#define USEFUL_GAP 10        /* times the tolerance: a result with a larger gap is discarded */
#define AT_BOUND 1e-9        /* of a variable's range */
#define SHORTEST_STEP 1e-8   /* a shorter one ends the iteration */
#define SUFFICIENT_SHARE 0.1 /* of the predicted decrease, which a step must reach (Armijo) */

typedef struct Interior Interior;
typedef void PieceWork(Interior *interior, uint32_t from, uint32_t to, unsigned piece);

struct Interior {
    Dcd *dcd;
    const Dense *dense;
    size_t output, size, variables;
    uint32_t pieces, sides; /* sides: variables per row */
    uint32_t steps;
    bool free_intercept, dense_rows;
    double b;                /* the intercept where it is free; else it is the last weight */
    double *a, *t, *z, *v;   /* by variable */
    double *slope;           /* derivative of the objective by a, without the multipliers */
    double *inverse;         /* 1 / D */
    double *step;            /* da */
    double *affine;          /* da of the predictor; while centering, the products of rows and dw */
    double mean;             /* target of a z and t v */
    bool corrects;           /* the target includes the second-order term of the predictor */
    double length;           /* of the step that a sum over rows evaluates */
    double *w, *dw;          /* weights and their step; the last number may be the intercept */
    double *dual_w;          /* sum s a x */
    double *sums;            /* pieces * size */
    double *gram;            /* pieces * size * size; the first becomes the Cholesky factor */
    double *panel;           /* pieces * PANEL_ROWS * size: rows times the root of their weight */
    uint32_t *column;        /* pieces * size: entries of a row */
    double *value;           /* pieces * size */
    double lower_bound;      /* of the objectives of the other outputs */
    double part[MAX_PIECES]; /* results of pieces */
    PieceWork *work;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static bool has_intercept(const Interior *interior)
{
    return interior->size > interior->dcd->fit->features;
}

static double sign_of(const Interior *interior, uint32_t row, uint32_t side)
{
    return interior->sides == 2 ? (side ? -1 : 1) : dcd_y(interior->dcd, &interior->dcd->rows[row], interior->output);
}

static double linear_term(const Interior *interior, uint32_t row, uint32_t side)
{
    const Dcd *dcd = interior->dcd;

    return interior->sides == 2 ? sign_of(interior, row, side) * dcd->rows[row].y - dcd->shape.epsilon : 1;
}

static double cost_of(const Interior *interior, size_t k)
{
    return interior->dcd->rows[k / interior->sides].cost;
}

static double product(const Interior *interior, const double *vector, uint32_t row)
{
    const Dcd *dcd = interior->dcd;
    const DcdRow *at = &dcd->rows[row];
    double sum = dcd->risk->kernels->dot_wide(vector, &dcd->blocks[at->block], at->row);

    return has_intercept(interior) ? sum + vector[interior->size - 1] : sum;
}

static void add_row(const Interior *interior, double *vector, double step, uint32_t row)
{
    const Dcd *dcd = interior->dcd;
    const DcdRow *at = &dcd->rows[row];

    dcd->risk->kernels->add_wide(vector, step, &dcd->blocks[at->block], at->row);
    if (has_intercept(interior))
        vector[interior->size - 1] += step;
}

static void run_piece(void *user, uint32_t piece, unsigned worker)
{
    Interior *interior = user;
    uint64_t rows = interior->dcd->count;

    (void)worker;
    interior->work(interior, (uint32_t)(rows * piece / interior->pieces),
                   (uint32_t)(rows * (piece + 1) / interior->pieces), piece);
}

static void run(Interior *interior, PieceWork *work)
{
    interior->work = work;
    clv_pool_run(interior->dcd->fit->context, interior->pieces, run_piece, interior);
}

/* The sum of what work leaves in `part`. */
static double sum_of(Interior *interior, PieceWork *work)
{
    double sum = 0;

    run(interior, work);
    for (uint32_t piece = 0; piece < interior->pieces; piece++)
        sum += interior->part[piece];
    return sum;
}

/* to = sum over the pieces, in their order */
static void join(const Interior *interior, const double *from, size_t count, double *to)
{
    for (uint32_t piece = to == from; piece < interior->pieces; piece++)
        for (size_t i = 0; i < count; i++)
            to[i] = (piece ? to[i] : 0) + from[piece * count + i];
}

/* Whether the caller has cancelled the run. The driver ends the run after this iteration. */
static bool ends(const Interior *interior)
{
    return clv_tick(interior->dcd->fit->context);
}

/* ---- sums over rows -------------------------------------------------------------------------- */

/* sums = sum of s step x */
static void add_steps(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double *sums = interior->sums + piece * interior->size;

    memset(sums, 0, interior->size * sizeof *sums);
    for (uint32_t row = from; row < to; row++) {
        double step = 0;

        for (uint32_t side = 0; side < interior->sides; side++)
            step += sign_of(interior, row, side) * interior->step[(size_t)row * interior->sides + side];
        if (step != 0)
            add_row(interior, sums, step, row);
    }
}

static void add_sparse_products(Interior *interior, uint32_t row, double weight, unsigned piece)
{
    const Dcd *dcd = interior->dcd;
    const DcdRow *at = &dcd->rows[row];
    size_t size = interior->size, count = 0;
    uint32_t *column = interior->column + piece * size;
    double *value = interior->value + piece * size, *gram = interior->gram + piece * size * size;

    for (RowWalk walk = clv_walk(&dcd->blocks[at->block], at->row); clv_walk_next(&walk);) {
        column[count] = walk.column;
        value[count++] = (double)walk.value;
    }
    if (has_intercept(interior)) {
        column[count] = (uint32_t)size - 1;
        value[count++] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        double *to = gram + column[i] * size, factor = weight * value[i];

        for (size_t j = 0; j <= i; j++)
            to[column[j]] += factor * value[j];
    }
}

/* Dense rows are gathered for a product of matrices. */
static void fill_panel(Interior *interior, uint32_t row, uint32_t place, double weight, double *panel)
{
    const Dcd *dcd = interior->dcd;
    const DcdRow *at = &dcd->rows[row];
    double root = sqrt(weight);

    for (size_t i = 0; i < interior->size; i++)
        panel[i * PANEL_ROWS + place] = 0;
    for (RowWalk walk = clv_walk(&dcd->blocks[at->block], at->row); clv_walk_next(&walk);)
        panel[walk.column * PANEL_ROWS + place] = root * (double)walk.value;
    if (has_intercept(interior))
        panel[(interior->size - 1) * PANEL_ROWS + place] = root;
}

/* gram = X' D^-1 X. Incomplete if the run is cancelled. */
static void add_products(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    size_t size = interior->size;
    double *gram = interior->gram + piece * size * size, *panel = interior->panel + piece * size * PANEL_ROWS;
    uint64_t done = 0, entries = interior->dcd->dataset->entries / (interior->dcd->dataset->rows + 1) + 1;
    uint32_t filled = 0;

    memset(gram, 0, size * size * sizeof *gram);
    for (uint32_t row = from; row < to; row++) {
        double weight = 0;

        for (uint32_t side = 0; side < interior->sides; side++)
            weight += interior->inverse[(size_t)row * interior->sides + side];
        if (clv_tick_after(interior->dcd->fit->context, &done,
                           interior->dense_rows ? size * size / 2 : entries * entries))
            return;
        if (!interior->dense_rows) {
            add_sparse_products(interior, row, weight, piece);
            continue;
        }
        fill_panel(interior, row, filled++, weight, panel);
        if (filled == PANEL_ROWS || row + 1 == to) {
            interior->dense->add_products(gram, (Panel){panel, filled, size, PANEL_ROWS});
            filled = 0;
        }
    }
}

static void set_slopes(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (uint32_t row = from; row < to; row++) {
        double score = product(interior, interior->w, row) + interior->b;

        for (uint32_t side = 0; side < interior->sides; side++)
            interior->slope[(size_t)row * interior->sides + side] = sign_of(interior, row, side) * score -
                                                                    linear_term(interior, row, side);
    }
}

static void set_inverse(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (size_t k = (size_t)from * interior->sides; k < (size_t)to * interior->sides; k++)
        interior->inverse[k] = 1 / (interior->z[k] / interior->a[k] + interior->v[k] / interior->t[k]);
}

static void factor_here(void *user)
{
    Interior *interior = user;

    interior->part[0] = (double)interior->dense->cholesky(interior->gram, interior->size, interior->size);
}

/* The Cholesky factor of I + X' D^-1 X; false if rounding prevents it, or the run is cancelled. */
static bool factor_gram(Interior *interior)
{
    size_t size = interior->size;

    run(interior, set_inverse);
    run(interior, add_products);
    if (ends(interior))
        return false;
    join(interior, interior->gram, size * size, interior->gram);
    for (size_t i = 0; i < size; i++)
        interior->gram[i * size + i] += interior->free_intercept && i == size - 1 ? 0 : 1;
    if (size > LARGE_SIZE)
        clv_run_beside(interior->dcd->fit->context, factor_here, interior);
    else
        factor_here(interior);
    return interior->part[0] == (double)size;
}

static void solve_gram(const Interior *interior, double *x)
{
    clv_dense_solve_transposed(interior->gram, interior->size, interior->size, x);
    clv_dense_solve(interior->gram, interior->size, interior->size, x);
}

/* The weights of the variables; at the minimum they equal w. */
static void set_dual_weights(Interior *interior)
{
    memcpy(interior->step, interior->a, interior->variables * sizeof *interior->step);
    run(interior, add_steps);
    join(interior, interior->sums, interior->size, interior->dual_w);
}

static void move_weights(Interior *interior)
{
    size_t last = interior->size - 1;

    clv_dense_add(interior->w, interior->length, interior->dw, last + !interior->free_intercept);
    interior->b += interior->free_intercept ? interior->length * interior->dw[last] : 0;
}

/* ---- predictor and corrector ----------------------------------------------------------------- */

typedef struct {
    double z, v;
} Multipliers;

/* The targets of a z and t v. */
static Multipliers targets(const Interior *interior, size_t k)
{
    double step = interior->affine[k];

    if (!interior->corrects)
        return (Multipliers){interior->mean, interior->mean};
    return (Multipliers){interior->mean + step * interior->z[k] * (1 + step / interior->a[k]),
                         interior->mean - step * interior->v[k] * (1 - step / interior->t[k])};
}

static Multipliers multiplier_steps(const Interior *interior, size_t k)
{
    Multipliers target = targets(interior, k);
    double step = interior->step[k];

    return (Multipliers){(target.z - interior->z[k] * step) / interior->a[k] - interior->z[k],
                         (target.v + interior->v[k] * step) / interior->t[k] - interior->v[k]};
}

/* step = D^-1 r */
static void set_first_steps(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (size_t k = (size_t)from * interior->sides; k < (size_t)to * interior->sides; k++) {
        Multipliers target = targets(interior, k);

        interior->step[k] = interior->inverse[k] *
                            (target.z / interior->a[k] - target.v / interior->t[k] - interior->slope[k]);
    }
}

/* da = D^-1 (r - s (x dw + db)) */
static void complete_steps(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (uint32_t row = from; row < to; row++) {
        double score = product(interior, interior->dw, row);

        for (uint32_t side = 0; side < interior->sides; side++) {
            size_t k = (size_t)row * interior->sides + side;

            interior->step[k] -= interior->inverse[k] * sign_of(interior, row, side) * score;
        }
    }
}

static double length_to_bound(double at, double step, double length)
{
    return step < 0 && -at / step < length ? -at / step : length;
}

static void find_length(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double length = 1 / STEP_SHARE;

    for (size_t k = (size_t)from * interior->sides; k < (size_t)to * interior->sides; k++) {
        Multipliers steps = multiplier_steps(interior, k);

        length = length_to_bound(interior->a[k], interior->step[k], length);
        length = length_to_bound(interior->t[k], -interior->step[k], length);
        length = length_to_bound(interior->z[k], steps.z, length);
        length = length_to_bound(interior->v[k], steps.v, length);
    }
    interior->part[piece] = length;
}

/* Solves for dw and da, and sets the length of the step. */
static void find_step(Interior *interior)
{
    double length = 1 / STEP_SHARE;

    run(interior, set_first_steps);
    run(interior, add_steps);
    join(interior, interior->sums, interior->size, interior->dw);
    for (size_t i = 0; i < interior->size; i++)
        interior->dw[i] += interior->dual_w[i] - interior->w[i];
    solve_gram(interior, interior->dw);
    run(interior, complete_steps);
    run(interior, find_length);
    for (uint32_t piece = 0; piece < interior->pieces; piece++)
        length = fmin(length, interior->part[piece]);
    interior->length = fmin(1, STEP_SHARE * length);
}

/* Sum of a z and t v after the step; `length` 0: now. */
static void add_complementarity(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double sum = 0, length = interior->length;

    for (size_t k = (size_t)from * interior->sides; k < (size_t)to * interior->sides; k++) {
        Multipliers steps = length > 0 ? multiplier_steps(interior, k) : (Multipliers){0, 0};
        double step = length > 0 ? length * interior->step[k] : 0;

        sum += (interior->a[k] + step) * (interior->z[k] + length * steps.z) +
               (interior->t[k] - step) * (interior->v[k] + length * steps.v);
    }
    interior->part[piece] = sum;
}

static void move(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double length = interior->length;

    (void)piece;
    for (size_t k = (size_t)from * interior->sides; k < (size_t)to * interior->sides; k++) {
        Multipliers steps = multiplier_steps(interior, k);

        interior->a[k] = fmax(interior->a[k] + length * interior->step[k], DBL_MIN);
        interior->t[k] = fmax(interior->t[k] - length * interior->step[k], DBL_MIN);
        interior->z[k] = fmax(interior->z[k] + length * steps.z, DBL_MIN);
        interior->v[k] = fmax(interior->v[k] + length * steps.v, DBL_MIN);
    }
}

/* One iteration of Mehrotra's method: the predictor determines the target and the second-order term
 * of the step. False if there is no step. */
static bool follow_path(Interior *interior)
{
    double now, share;

    if (!factor_gram(interior))
        return false;
    interior->length = 0;
    now = sum_of(interior, add_complementarity);
    interior->corrects = false;
    interior->mean = 0;
    find_step(interior);
    share = sum_of(interior, add_complementarity) / now;
    memcpy(interior->affine, interior->step, interior->variables * sizeof *interior->step);
    interior->corrects = true;
    interior->mean = share * share * share * now / (2 * (double)interior->variables);
    find_step(interior);
    run(interior, move);
    move_weights(interior);
    set_dual_weights(interior);
    run(interior, set_slopes);
    return interior->length > SHORTEST_STEP;
}

/* ---- the central path ------------------------------------------------------------------------ */

/* Shares of c that a and t have on the path: z - v is the slope, a z = t v = mean. */
typedef struct {
    double a, t;
} Shares;

static Shares central_shares(double slope, double cost, double mean)
{
    double push = slope * cost, large = hypot(push, 2 * mean) + fabs(push), small = 4 * mean * mean / large;
    double less = 2 * mean / (2 * mean + large), more = 2 * mean / (2 * mean + small);

    return push > 0 ? (Shares){less, more} : (Shares){more, less};
}

static void center_variables(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (size_t k = (size_t)from * interior->sides; k < (size_t)to * interior->sides; k++) {
        double cost = cost_of(interior, k);
        Shares shares = central_shares(interior->slope[k], cost, interior->mean);

        interior->a[k] = shares.a * cost;
        interior->t[k] = shares.t * cost;
        interior->z[k] = interior->mean / interior->a[k];
        interior->v[k] = interior->mean / interior->t[k];
    }
}

static void set_products(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (uint32_t row = from; row < to; row++)
        interior->affine[row] = product(interior, interior->dw, row);
}

/* The sum over rows in the smooth function of w and b that the central path minimizes, after a step
 * along dw. */
static void add_smooth_loss(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double sum = 0, mean = interior->mean;

    for (uint32_t row = from; row < to; row++)
        for (uint32_t side = 0; side < interior->sides; side++) {
            double cost = interior->dcd->rows[row].cost;
            double slope = interior->slope[(size_t)row * interior->sides + side] +
                           interior->length * sign_of(interior, row, side) * interior->affine[row];
            Shares shares = central_shares(slope, cost, mean);

            sum += mean * log(shares.a * shares.t) - slope * cost * shares.a;
        }
    interior->part[piece] = sum;
}

static double smooth_value(Interior *interior, double length)
{
    double sum = 0;

    interior->length = length;
    for (size_t i = 0; i < interior->size - interior->free_intercept; i++) {
        double weight = interior->w[i] + length * interior->dw[i];

        sum += weight * weight / 2;
    }
    return sum + sum_of(interior, add_smooth_loss);
}

/* One Newton step of the smooth function. Returns the decrease by the quadratic model, 0 if there
 * is no step. */
static double center_step(Interior *interior)
{
    double predicted = 0, length = 1, value;

    run(interior, center_variables);
    set_dual_weights(interior);
    for (size_t i = 0; i < interior->size; i++)
        interior->sums[i] = interior->dw[i] = interior->dual_w[i] - interior->w[i];
    if (!factor_gram(interior))
        return 0;
    solve_gram(interior, interior->dw);
    for (size_t i = 0; i < interior->size; i++)
        predicted += interior->sums[i] * interior->dw[i];
    run(interior, set_products);
    value = smooth_value(interior, 0);
    while (length > SHORTEST_STEP && !(smooth_value(interior, length) < value - SUFFICIENT_SHARE * length * predicted))
        length /= 2;
    if (length <= SHORTEST_STEP)
        return 0;
    move_weights(interior);
    run(interior, set_slopes);
    return predicted;
}

static void add_loss(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double sum = 0;

    for (size_t k = (size_t)from * interior->sides; k < (size_t)to * interior->sides; k++)
        sum += cost_of(interior, k) * fmax(0, -interior->slope[k]);
    interior->part[piece] = sum;
}

/* The primal value of w and b. */
static double primal_of(Interior *interior)
{
    return clv_dense_dot(interior->w, interior->w, interior->size) / 2 + sum_of(interior, add_loss);
}

static void add_linear_terms(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double sum = 0;

    for (uint32_t row = from; row < to; row++)
        for (uint32_t side = 0; side < interior->sides; side++)
            sum += linear_term(interior, row, side) * interior->a[(size_t)row * interior->sides + side];
    interior->part[piece] = sum;
}

/* The dual value of the variables, less an estimated cost of violating sum s a = 0. */
static double dual_of(Interior *interior)
{
    size_t weights = interior->size - interior->free_intercept;
    double violation = interior->free_intercept ? fabs(interior->b * interior->dual_w[weights]) : 0;

    return sum_of(interior, add_linear_terms) - clv_dense_dot(interior->dual_w, interior->dual_w, weights) / 2 -
           violation;
}

/* Moves from the weights of coordinate descent to the point of the central path with a gap of
 * START_GAP of its primal value. */
static void find_center(Interior *interior)
{
    double gap = primal_of(interior), predicted = INFINITY;

    for (; interior->steps < MAX_STEPS && predicted > CENTERED * gap; interior->steps++) {
        interior->mean = gap / (2 * (double)interior->variables);
        predicted = center_step(interior);
        if (predicted > 0 && predicted < NEAR_PATH * gap && gap > START_GAP * primal_of(interior)) {
            gap *= SHRINK;
            predicted = INFINITY;
        }
    }
    run(interior, center_variables);
    set_dual_weights(interior);
}

/* ---- one output ------------------------------------------------------------------------------ */

/* Outputs share the tolerance of the sum of their objectives: half of it in proportion to the
 * objectives, half evenly. */
static double allowed_gap(const Interior *interior, double primal)
{
    const Dcd *dcd = interior->dcd;

    return dcd->risk->options->tolerance * (primal + (interior->lower_bound + primal) / (double)dcd->outputs) / 2;
}

static void start(Interior *interior)
{
    Dcd *dcd = interior->dcd;
    size_t features = dcd->fit->features, j = interior->output;

    interior->steps = 0;
    interior->lower_bound = dcd->dual - dcd->output_dual[j];
    for (size_t i = 0; i < features; i++)
        interior->w[i] = dcd->w[i * dcd->outputs + j] - (dcd->centre ? dcd->beta_sum[j] * dcd->centre[i] : 0);
    interior->b = interior->free_intercept ? dcd->best[j] : 0;
    if (has_intercept(interior))
        interior->w[features] = interior->free_intercept ? 0 : dcd->best[j];
    run(interior, set_slopes);
}

/* Whether the gap is at most USEFUL_GAP times the allowed one. */
static bool minimize(Interior *interior)
{
    double gap = INFINITY, allowed = 0;

    find_center(interior);
    for (bool moved = true; interior->steps < MAX_STEPS && moved && !ends(interior); interior->steps++) {
        double primal = primal_of(interior);

        gap = primal - dual_of(interior);
        allowed = allowed_gap(interior, primal);
        if (!(gap > GAP_SHARE * allowed))
            break;
        moved = follow_path(interior);
    }
    return gap <= USEFUL_GAP * allowed;
}

/* w and b are closer to the minimum than the weights of the variables. */
static void keep_weights(const Interior *interior)
{
    const Dcd *dcd = interior->dcd;
    size_t features = dcd->fit->features, j = interior->output, outputs = dcd->outputs;

    for (size_t i = 0; i < features; i++)
        dcd->interior_w[i * outputs + j] = interior->w[i];
    dcd->interior_w[features * outputs + j] = has_intercept(interior) ? interior->b + interior->w[features] : 0;
}

/* Variables within rounding of a bound are set to it. */
static double settled(const Interior *interior, size_t k)
{
    double cost = cost_of(interior, k);

    return interior->a[k] < AT_BOUND * cost ? 0 : interior->t[k] < AT_BOUND * cost ? cost : interior->a[k];
}

static void hand_over(Interior *interior)
{
    Dcd *dcd = interior->dcd;
    size_t j = interior->output, outputs = dcd->outputs;
    uint64_t done = 0;

    dcd->beta_sum[j] = dcd->sideways[j] = 0;
    memset(interior->w, 0, interior->size * sizeof *interior->w);
    for (uint32_t row = 0; row < dcd->count; row++) {
        double beta = 0, *at = &dcd->beta[row * outputs + j], y = dcd_y(dcd, &dcd->rows[row], j);
        double cost = dcd->rows[row].cost;

        for (uint32_t side = 0; side < interior->sides; side++)
            beta += sign_of(interior, row, side) * settled(interior, (size_t)row * interior->sides + side);
        dcd->gain += dcd_gain(&dcd->shape, y, cost, beta) - dcd_gain(&dcd->shape, y, cost, *at);
        *at = beta;
        dcd->beta_sum[j] += beta;
        dcd->sideways[j] += dcd->rows[row].along * beta;
        if (beta != 0)
            add_row(interior, interior->w, beta, row);
        clv_tick_after(dcd->fit->context, &done, 200);
    }
    for (size_t i = 0; i < dcd->fit->features; i++)
        dcd->w[i * outputs + j] = interior->w[i];
    dcd->offset[j] = interior->free_intercept ? interior->b : dcd->tau * dcd->beta_sum[j];
}

/* Minimizes one output unless coordinate descent has done so. Returns its primal value, or infinity
 * if there is no result. */
static double solve_output(Interior *interior)
{
    Dcd *dcd = interior->dcd;
    double primal = dcd->output_primal[interior->output];

    start(interior);
    if (primal - dcd->output_dual[interior->output] <= allowed_gap(interior, primal)) {
        keep_weights(interior);
        return primal;
    }
    if (!minimize(interior))
        return INFINITY;
    primal = primal_of(interior);
    keep_weights(interior);
    hand_over(interior);
    return primal;
}

/* ---- all outputs ----------------------------------------------------------------------------- */

static size_t size_of(const Dcd *dcd)
{
    return (size_t)dcd->fit->features + dcd->risk->learn_bias;
}

/* Mean number of entries of a row. */
static double entries_of(const Dcd *dcd)
{
    return (double)dcd->dataset->entries / fmax(1, (double)dcd->dataset->rows) + 1;
}

static bool has_dense_rows(const Dcd *dcd)
{
    return 2 * entries_of(dcd) > (double)size_of(dcd);
}

double clv_dcd_interior_passes(const Dcd *dcd)
{
    double size = (double)size_of(dcd), entries = entries_of(dcd), rows = dcd->count;
    double width = has_dense_rows(dcd) ? size / 2 : entries;
    double step = rows * (width * width + 8 * entries) + size * size * size / 3;

    if (!dcd->shape.capped || dcd->risk->hard || size > MAX_SIZE ||
        TYPICAL_STEPS * step * (double)dcd->outputs > MAX_PRODUCTS)
        return INFINITY;
    return fmax(MIN_PASSES, TYPICAL_STEPS * step / (4 * rows * entries));
}

static Status allocate(Interior *interior, double **memory)
{
    Dcd *dcd = interior->dcd;
    size_t size = interior->size, n = interior->variables, pieces = interior->pieces;
    size_t doubles = 8 * n + 3 * size + pieces * size * (1 + size + PANEL_ROWS + 1);
    size_t weights = ((size_t)dcd->fit->features + 1) * dcd->outputs;
    double *at = *memory = clv_alloc(dcd->fit->context, doubles, sizeof *at);

    interior->column = clv_alloc(dcd->fit->context, pieces * size, sizeof *interior->column);
    clv_free(dcd->fit->context, dcd->interior_w);
    dcd->interior_w = clv_alloc(dcd->fit->context, weights, sizeof *dcd->interior_w);
    if (!at || !interior->column || !dcd->interior_w)
        return clv_fail_memory(dcd->fit->error, "the interior-point method",
                               doubles * sizeof *at + pieces * size * sizeof *interior->column +
                                   weights * sizeof *dcd->interior_w);
    interior->a = at;
    interior->t = (at += n);
    interior->z = (at += n);
    interior->v = (at += n);
    interior->slope = (at += n);
    interior->inverse = (at += n);
    interior->step = (at += n);
    interior->affine = (at += n);
    interior->w = (at += n);
    interior->dual_w = (at += size);
    interior->dw = (at += size);
    interior->sums = (at += size);
    interior->gram = (at += pieces * size);
    interior->panel = (at += pieces * size * size);
    interior->value = at + pieces * size * PANEL_ROWS;
    return OK;
}

Status clv_dcd_interior(Dcd *dcd)
{
    Interior interior = {.dcd = dcd,
                         .dense = clv_dense_at(0), /* not LAPACK: its sums may depend on threads */
                         .size = size_of(dcd),
                         .sides = dcd->shape.two_sided ? 2 : 1,
                         .free_intercept = dcd->free_bias,
                         .dense_rows = has_dense_rows(dcd)};
    double *memory, primal = 0;
    Status status;

    interior.variables = (size_t)dcd->count * interior.sides;
    interior.pieces = dcd->count < FEW_ROWS ? 1 : interior.size > LARGE_SIZE ? 2 : MAX_PIECES;
    status = allocate(&interior, &memory);
    for (; status == OK && interior.output < dcd->outputs && !ends(&interior); interior.output++) {
        primal += solve_output(&interior);
        dcd->interior_steps += interior.steps;
    }
    dcd->interior = interior.output == dcd->outputs;
    dcd->interior_primal = dcd->interior ? primal : (double)INFINITY;
    memset(dcd->asleep, 0, dcd->count * sizeof *dcd->asleep);
    clv_free(dcd->fit->context, interior.column);
    clv_free(dcd->fit->context, memory);
    return status;
}
