/*
 * An interior-point method for the dual of the hinge and the epsilon-insensitive loss. Coordinate descent is slow where rows are many and features few:
 * variables of rows that are alike undo each other's steps. Here all variables move at once.
 *
 *     min over a   1/2 |w|^2 - sum p a      w = sum s a x,  0 <= a <= c,  sum s a = 0 where the intercept is free
 *
 *     hinge      one variable for a row: s = y, p = 1
 *     epsilon    two: s = 1 and -1, p = s y - epsilon
 *
 * With multipliers z of a >= 0 and v of t = c - a >= 0, Newton's equations are (Q + D) da + s db = r, D = z/a + v/t. Q = X X' has the rank of the
 * features, so that they become (I + X' D^-1 X) dw = X' D^-1 r + (what w lacks to sum s a x): one weighted sum of products of the features, and a system as large as
 * they are (Ferris and Munson 2002). The intercept is one more column, without the 1 on the diagonal where it is free.
 *
 * The start is near the point of the central path, a z = t v = mean, that has a gap of some percent. On the path, a follows from w and b, which
 * minimize a smooth function: Newton's method with a line search finds them from where coordinate descent is. Then follow predictor and corrector steps (Mehrotra 1992).
 * The result replaces the variables of coordinate descent, whose certificate decides.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "learn/linear/dcd.h"
#include "learn/linear/dense.h"

#include <float.h>

enum {
    MOST_SIZE = 1024, /* features and intercept */
    MOST_STEPS = 80,
    USUAL_STEPS = 25,
    STALLED = 100,   /* passes of coordinate descent: fewer are no reason to look for something else */
    MOST_PIECES = 8, /* rows are summed in so many, whatever the number of threads */
    LARGE_SIZE = 512,
    PANEL_ROWS = 64,
    FEW_ROWS = 2000,
};
#define STEP_SHARE 0.995 /* of the way to the nearest bound */
#define START_GAP 0.02   /* of the primal value: of the point on the central path that the steps begin from */
#define CENTRED 0.01     /* of the gap: a Newton step that promises less ends the way to that point */
#define NEAR_PATH 0.3    /* of the gap: a step that promises less is near enough to the path to follow it … */
#define SHRINK 0.2       /* … to this share of the gap */
#define GAP_SHARE 0.3    /* of the tolerance: the certificate finds a little more */
#define NEARLY 10        /* times the tolerance: a result that is worth more than what coordinate descent has */
#define AT_BOUND 1e-9    /* of a variable's range */
#define SHORTEST_STEP 1e-8

typedef struct Interior Interior;
typedef void PieceWork(Interior *interior, uint32_t from, uint32_t to, unsigned piece);

struct Interior {
    Dcd *dcd;
    const Dense *dense;
    size_t output, size, variables;
    uint32_t pieces, sides; /* variables of a row */
    uint32_t steps;
    bool free_bias, dense_rows;
    double b;                /* where it is no weight */
    double *a, *t, *z, *v;   /* variables, what they lack to c, and the multipliers of both */
    double *slope;           /* of the objective by a, less the multipliers */
    double *inverse;         /* 1 / D */
    double *right, *step;    /* of the Newton equations: r, and da */
    double *w, *dual_w, *dw; /* features, and the intercept where it is a weight; of dw, in any case */
    double *sums;            /* pieces * size */
    double *gram;            /* pieces * size * size; the first becomes the sum */
    double *panel;           /* pieces * PANEL_ROWS * size: dense rows, times the root of their weight */
    uint32_t *column;        /* pieces * size: entries of a row */
    double *value;
    PieceWork *work;
};

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

static double sign_of(const Interior *interior, uint32_t row, uint32_t side)
{
    return interior->sides == 2 ? (side ? -1 : 1) : dcd_y(interior->dcd, &interior->dcd->rows[row], interior->output);
}

static double price_of(const Interior *interior, uint32_t row, uint32_t side)
{
    const Dcd *dcd = interior->dcd;

    return interior->sides == 2 ? sign_of(interior, row, side) * dcd->rows[row].y - dcd->shape.epsilon : 1;
}

/* vector·x, the intercept being the last number where there is one. */
static double product(const Interior *interior, const double *vector, uint32_t row)
{
    const Dcd *dcd = interior->dcd;
    const DcdRow *at = &dcd->rows[row];
    double sum = dcd->risk->kernels->dot_wide(vector, &dcd->blocks[at->block], at->row);

    return interior->size > dcd->fit->features ? sum + vector[interior->size - 1] : sum;
}

static void add_times(const Interior *interior, double *vector, double step, uint32_t row)
{
    const Dcd *dcd = interior->dcd;
    const DcdRow *at = &dcd->rows[row];

    dcd->risk->kernels->add_wide(vector, step, &dcd->blocks[at->block], at->row);
    if (interior->size > dcd->fit->features)
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

/* to = the sum over the pieces, in their order. */
static void join(const Interior *interior, double *from, size_t count, double *to)
{
    for (uint32_t piece = to == from; piece < interior->pieces; piece++)
        for (size_t i = 0; i < count; i++)
            to[i] = (piece ? to[i] : 0) + from[piece * count + i];
}

/* ---- sums over rows ---------------------------------------------------------------------------------------------------- */

/* step: by variable; sums = sum of s step x. */
static void add_rows(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    double *sums = interior->sums + piece * interior->size;

    memset(sums, 0, interior->size * sizeof *sums);
    for (uint32_t row = from; row < to; row++) {
        double step = 0;

        for (uint32_t side = 0; side < interior->sides; side++)
            step += sign_of(interior, row, side) * interior->step[(size_t)row * interior->sides + side];
        if (step != 0)
            add_times(interior, sums, step, row);
    }
}

static void add_gram_row(Interior *interior, uint32_t row, double weight, unsigned piece)
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
    if (size > dcd->fit->features) {
        column[count] = (uint32_t)size - 1;
        value[count++] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        double *to = gram + column[i] * size, factor = weight * value[i];

        for (size_t j = 0; j <= i; j++)
            to[column[j]] += factor * value[j];
    }
}

/* Rows of many entries: some of them side by side, for a product of matrices. */
static void fill_panel(Interior *interior, uint32_t row, uint32_t place, double weight, double *panel)
{
    const Dcd *dcd = interior->dcd;
    const DcdRow *at = &dcd->rows[row];
    double root = sqrt(weight);

    for (size_t i = 0; i < interior->size; i++)
        panel[i * PANEL_ROWS + place] = 0;
    for (RowWalk walk = clv_walk(&dcd->blocks[at->block], at->row); clv_walk_next(&walk);)
        panel[walk.column * PANEL_ROWS + place] = root * (double)walk.value;
    if (interior->size > dcd->fit->features)
        panel[(interior->size - 1) * PANEL_ROWS + place] = root;
}

static void add_gram(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    size_t size = interior->size;
    double *gram = interior->gram + piece * size * size, *panel = interior->panel + piece * size * PANEL_ROWS;
    uint32_t filled = 0;

    memset(gram, 0, size * size * sizeof *gram);
    for (uint32_t row = from; row < to; row++) {
        double weight = 0;

        for (uint32_t side = 0; side < interior->sides; side++)
            weight += interior->inverse[(size_t)row * interior->sides + side];
        if (!interior->dense_rows) {
            add_gram_row(interior, row, weight, piece);
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
                                                                    price_of(interior, row, side);
    }
}

/* da = D^-1 (r - s (x dw + db)) */
static void set_steps(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (uint32_t row = from; row < to; row++) {
        double score = product(interior, interior->dw, row);

        for (uint32_t side = 0; side < interior->sides; side++) {
            size_t k = (size_t)row * interior->sides + side;

            interior->step[k] = interior->inverse[k] * (interior->right[k] - sign_of(interior, row, side) * score);
        }
    }
}

/* ---- a step ------------------------------------------------------------------------------------------------------------- */

static double z_step(const Interior *interior, size_t k, double target)
{
    return target / interior->a[k] - interior->z[k] - interior->z[k] / interior->a[k] * interior->step[k];
}

static double v_step(const Interior *interior, size_t k, double target)
{
    return target / interior->t[k] - interior->v[k] + interior->v[k] / interior->t[k] * interior->step[k];
}

/* Solves for dw and da; gram is a Cholesky factor. */
static void solve(Interior *interior)
{
    size_t size = interior->size;

    for (size_t k = 0; k < interior->variables; k++)
        interior->step[k] = interior->inverse[k] * interior->right[k];
    run(interior, add_rows);
    join(interior, interior->sums, size, interior->dw);
    for (size_t i = 0; i < size; i++)
        interior->dw[i] += interior->dual_w[i] - interior->w[i];
    clv_dense_solve_transposed(interior->gram, size, size, interior->dw);
    clv_dense_solve(interior->gram, size, size, interior->dw);
    run(interior, set_steps);
}

static double way_to_bound(double at, double step, double way)
{
    return step < 0 && -at / step < way ? -at / step : way;
}

/* What the complementarity of a variable and its bounds should become, beside the term of second order. */
typedef struct {
    double mean;
    bool corrected;
    const double *second; /* two for each variable */
} Target;

static double target_of(const Target *target, size_t k, size_t which)
{
    return target->mean - (target->corrected ? target->second[2 * k + which] : 0);
}

static double longest_step(const Interior *interior, const Target *target)
{
    double way = 1 / STEP_SHARE;

    for (size_t k = 0; k < interior->variables; k++) {
        way = way_to_bound(interior->a[k], interior->step[k], way);
        way = way_to_bound(interior->t[k], -interior->step[k], way);
        way = way_to_bound(interior->z[k], z_step(interior, k, target_of(target, k, 0)), way);
        way = way_to_bound(interior->v[k], v_step(interior, k, target_of(target, k, 1)), way);
    }
    return STEP_SHARE * way;
}

/* The mean complementarity, after a step of this length along the affine direction. */
static double mean_after(const Interior *interior, double way)
{
    double sum = 0;

    for (size_t k = 0; k < interior->variables; k++) {
        double step = way * interior->step[k];

        sum += (interior->a[k] + step) * (interior->z[k] + (way > 0 ? way * z_step(interior, k, 0) : 0)) +
               (interior->t[k] - step) * (interior->v[k] + (way > 0 ? way * v_step(interior, k, 0) : 0));
    }
    return sum / (2 * (double)interior->variables);
}

static void set_right(Interior *interior, const Target *target)
{
    for (size_t k = 0; k < interior->variables; k++)
        interior->right[k] = -interior->slope[k] + target_of(target, k, 0) / interior->a[k] -
                             target_of(target, k, 1) / interior->t[k];
}

static void move_weights(Interior *interior, double way)
{
    size_t last = interior->size - 1;

    clv_dense_add(interior->w, way, interior->dw, last + !interior->free_bias);
    interior->b += interior->free_bias ? way * interior->dw[last] : 0;
}

static void move(Interior *interior, const Target *target, double way)
{
    for (size_t k = 0; k < interior->variables; k++) {
        double dz = z_step(interior, k, target_of(target, k, 0)), dv = v_step(interior, k, target_of(target, k, 1));

        interior->a[k] = fmax(interior->a[k] + way * interior->step[k], DBL_MIN);
        interior->t[k] = fmax(interior->t[k] - way * interior->step[k], DBL_MIN);
        interior->z[k] = fmax(interior->z[k] + way * dz, DBL_MIN);
        interior->v[k] = fmax(interior->v[k] + way * dv, DBL_MIN);
    }
    move_weights(interior, way);
}

static bool factor_gram(Interior *interior)
{
    size_t size = interior->size;

    for (size_t k = 0; k < interior->variables; k++)
        interior->inverse[k] = 1 / (interior->z[k] / interior->a[k] + interior->v[k] / interior->t[k]);
    run(interior, add_gram);
    join(interior, interior->gram, size * size, interior->gram);
    for (size_t i = 0; i < size; i++)
        interior->gram[i * size + i] += interior->free_bias && i == size - 1 ? 0 : 1;
    return interior->dense->cholesky(interior->gram, size, size) == size;
}

/* One step of Mehrotra's: where the affine direction leads says how far to aim from the bounds, and what the linear equations left out. */
static double take_step(Interior *interior, double mean)
{
    Target target = {0};
    double way, share, *second = interior->right + interior->variables;

    if (!factor_gram(interior))
        return 0;
    set_right(interior, &target);
    solve(interior);
    way = fmin(1, longest_step(interior, &target));
    share = mean_after(interior, way) / mean;
    for (size_t k = 0; k < interior->variables; k++) {
        second[2 * k] = interior->step[k] * z_step(interior, k, 0);
        second[2 * k + 1] = -interior->step[k] * v_step(interior, k, 0);
    }
    target = (Target){.mean = share * share * share * mean, .corrected = true, .second = second};
    set_right(interior, &target);
    solve(interior);
    way = fmin(1, longest_step(interior, &target));
    move(interior, &target, way);
    return way;
}

/* ---- from the middle to the solution ---------------------------------------------------------------------------------- */

/* The weights that belong to the variables; in the end they are w. */
static void set_dual_weights(Interior *interior)
{
    memcpy(interior->step, interior->a, interior->variables * sizeof *interior->step);
    run(interior, add_rows);
    join(interior, interior->sums, interior->size, interior->dual_w);
}

/* The point of the central path that belongs to the slopes: z - v is the slope, a z = t v = mean. */
static void centre_variables(Interior *interior, double mean)
{
    for (size_t k = 0; k < interior->variables; k++) {
        double cost = interior->dcd->rows[k / interior->sides].cost, push = interior->slope[k] * cost;
        double length = hypot(push, 2 * mean), small = 4 * mean * mean / (length + fabs(push)),
               large = length + fabs(push);

        interior->a[k] = 2 * mean * cost / (2 * mean + (push > 0 ? large : small));
        interior->t[k] = 2 * mean * cost / (2 * mean + (push > 0 ? small : large));
        interior->z[k] = mean / interior->a[k];
        interior->v[k] = mean / interior->t[k];
    }
}

/* The smooth function of w and b that the central path minimizes, after a step along dw, whose products with the rows are in `right`. */
static double smooth_value(const Interior *interior, double mean, double way)
{
    size_t size = interior->size - interior->free_bias;
    double sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += pow(interior->w[i] + way * interior->dw[i], 2) / 2;
    for (size_t k = 0; k < interior->variables; k++) {
        uint32_t row = (uint32_t)(k / interior->sides);
        double cost = interior->dcd->rows[row].cost;
        double slope = interior->slope[k] +
                       way * sign_of(interior, row, (uint32_t)(k % interior->sides)) * interior->right[row];
        double push = slope * cost, length = hypot(push, 2 * mean), large = length + fabs(push);
        double far = 2 * mean / (2 * mean + large), near = 2 * mean / (2 * mean + 4 * mean * mean / large);

        sum += mean * (log(far) + log(near)) - slope * cost * (push > 0 ? far : near);
    }
    return sum;
}

static void set_products(Interior *interior, uint32_t from, uint32_t to, unsigned piece)
{
    (void)piece;
    for (uint32_t row = from; row < to; row++)
        interior->right[row] = product(interior, interior->dw, row);
}

/* One Newton step of the smooth function; what it promised to gain, 0 where there is none. */
static double centre_step(Interior *interior, double mean)
{
    size_t size = interior->size;
    double promised = 0, way = 1, value;

    centre_variables(interior, mean);
    set_dual_weights(interior);
    for (size_t i = 0; i < size; i++)
        interior->sums[i] = interior->dw[i] = interior->dual_w[i] - interior->w[i];
    if (!factor_gram(interior))
        return 0;
    clv_dense_solve_transposed(interior->gram, size, size, interior->dw);
    clv_dense_solve(interior->gram, size, size, interior->dw);
    for (size_t i = 0; i < size; i++)
        promised += interior->sums[i] * interior->dw[i];
    run(interior, set_products);
    value = smooth_value(interior, mean, 0);
    while (way > SHORTEST_STEP && !(smooth_value(interior, mean, way) < value - 0.1 * way * promised))
        way /= 2;
    if (way <= SHORTEST_STEP)
        return 0;
    move_weights(interior, way);
    run(interior, set_slopes);
    return promised;
}

/* At the present w and b. */
static double primal_of(const Interior *interior)
{
    double sum = 0;

    for (size_t i = 0; i < interior->size; i++)
        sum += interior->w[i] * interior->w[i] / 2;
    for (size_t k = 0; k < interior->variables; k++)
        sum += interior->dcd->rows[k / interior->sides].cost * fmax(0, -interior->slope[k]);
    return sum;
}

/* At the present variables, less what the equality that they do not meet yet may be worth. */
static double dual_of(const Interior *interior)
{
    size_t weights = interior->size - interior->free_bias;
    double sum = interior->free_bias ? -fabs(interior->b * interior->dual_w[weights]) : 0;

    for (size_t i = 0; i < weights; i++)
        sum -= interior->dual_w[i] * interior->dual_w[i] / 2;
    for (uint32_t row = 0; row < interior->dcd->count; row++)
        for (uint32_t side = 0; side < interior->sides; side++)
            sum += price_of(interior, row, side) * interior->a[(size_t)row * interior->sides + side];
    return sum;
}

/* From where coordinate descent is, to near the point of the central path whose gap is a share of the primal value there. */
static void start(Interior *interior)
{
    Dcd *dcd = interior->dcd;
    size_t features = dcd->fit->features, j = interior->output;
    double gap, mean = 0, promised = INFINITY;

    for (size_t i = 0; i < features; i++)
        interior->w[i] = dcd->w[i * dcd->outputs + j] - (dcd->centre ? dcd->beta_sum[j] * dcd->centre[i] : 0);
    interior->b = interior->free_bias ? dcd->offset[j] : 0;
    if (interior->size > features)
        interior->w[features] = interior->free_bias ? 0 : dcd->offset[j];
    run(interior, set_slopes);
    gap = primal_of(interior);
    for (; interior->steps < MOST_STEPS && promised > CENTRED * gap; interior->steps++) {
        mean = gap / (2 * (double)interior->variables);
        promised = centre_step(interior, mean);
        if (promised < NEAR_PATH * gap && gap > START_GAP * primal_of(interior)) {
            gap *= SHRINK;
            promised = INFINITY;
        }
    }
    centre_variables(interior, mean);
    set_dual_weights(interior);
}

/* Whether the gap is as small as it should be, or nearly so. */
static bool iterate(Interior *interior)
{
    double tolerance = interior->dcd->risk->options->tolerance, gap = INFINITY, way = 1;
    uint32_t *steps = &interior->steps;

    *steps = 0;
    start(interior);
    for (; *steps < MOST_STEPS && way > SHORTEST_STEP && !clv_cancelled(interior->dcd->fit->context); ++*steps) {
        double primal = primal_of(interior);

        gap = (primal - dual_of(interior)) / primal;
        if (!(gap > GAP_SHARE * tolerance))
            break;
        way = take_step(interior, mean_after(interior, 0));
        set_dual_weights(interior);
        run(interior, set_slopes);
    }
    return gap <= NEARLY * tolerance;
}

/* Variables that are all but at a bound are there. */
static double settled(const Interior *interior, size_t k)
{
    double cost = interior->dcd->rows[k / interior->sides].cost;

    return interior->a[k] < AT_BOUND * cost ? 0 : interior->t[k] < AT_BOUND * cost ? cost : interior->a[k];
}

/* The weights, which come closer to the minimum than those of the variables do. */
static void keep_weights(const Interior *interior)
{
    const Dcd *dcd = interior->dcd;
    size_t features = dcd->fit->features, j = interior->output, outputs = dcd->outputs;

    for (size_t i = 0; i < features; i++)
        dcd->interior_w[i * outputs + j] = interior->w[i];
    dcd->interior_w[features * outputs + j] = interior->free_bias         ? interior->b
                                              : interior->size > features ? interior->w[features]
                                                                          : 0;
}

static void hand_over(Interior *interior)
{
    Dcd *dcd = interior->dcd;
    size_t j = interior->output, outputs = dcd->outputs;

    keep_weights(interior);
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
            add_times(interior, interior->w, beta, row);
    }
    for (size_t i = 0; i < dcd->fit->features; i++)
        dcd->w[i * outputs + j] = interior->w[i];
    dcd->offset[j] = interior->free_bias ? interior->b + (dcd->tau + dcd->centre2) * dcd->beta_sum[j]
                                         : dcd->tau * dcd->beta_sum[j];
}

/* ---- whether and how ---------------------------------------------------------------------------------------------------- */

static size_t size_of(const Dcd *dcd)
{
    return (size_t)dcd->fit->features + dcd->risk->learn_bias;
}

/* Entries of a row, on average. */
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

    if (!dcd->shape.capped || dcd->risk->hard || size > MOST_SIZE)
        return INFINITY;
    return fmax(STALLED, USUAL_STEPS * step / (4 * rows * entries));
}

static Status make_room(Interior *interior, double **memory)
{
    Dcd *dcd = interior->dcd;
    size_t size = interior->size, n = interior->variables, pieces = interior->pieces;
    size_t doubles = 10 * n + 3 * size + pieces * size * (1 + size + PANEL_ROWS + 1), bytes = doubles * sizeof **memory;
    double *at = *memory = clv_alloc(dcd->fit->context, doubles, sizeof *at);

    interior->column = clv_alloc(dcd->fit->context, pieces * size, sizeof *interior->column);
    if (!at || !interior->column)
        return clv_fail_memory(dcd->fit->error, "the interior-point method", bytes);
    interior->a = at;
    interior->t = (at += n);
    interior->z = (at += n);
    interior->v = (at += n);
    interior->slope = (at += n);
    interior->inverse = (at += n);
    interior->step = (at += n);
    interior->right = (at += n);
    interior->w = (at += 3 * n);
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
                         .size = size_of(dcd),
                         .sides = dcd->shape.two_sided ? 2 : 1,
                         .free_bias = dcd->free_bias,
                         .dense_rows = has_dense_rows(dcd)};
    double *memory, primal = 0;
    size_t weights = ((size_t)dcd->fit->features + 1) * dcd->outputs;
    Status status;

    dcd->interior_w = clv_alloc_zero(dcd->fit->context, weights, sizeof *dcd->interior_w);
    if (!dcd->interior_w)
        return clv_fail_memory(dcd->fit->error, "weights", weights * sizeof *dcd->interior_w);
    interior.dense = clv_dense_at(0); /* plain: LAPACK may sum in another order where threads are more */
    interior.variables = (size_t)dcd->count * interior.sides;
    interior.pieces = dcd->count < FEW_ROWS ? 1 : interior.size > LARGE_SIZE ? 2 : MOST_PIECES;
    status = make_room(&interior, &memory);
    for (; interior.output < dcd->outputs && status == OK && !clv_cancelled(dcd->fit->context); interior.output++) {
        bool good = iterate(&interior);

        primal += good ? primal_of(&interior) : (double)INFINITY;
        if (good)
            hand_over(&interior);
        dcd->interior_steps += interior.steps;
    }
    dcd->interior_primal = interior.output == dcd->outputs ? primal : (double)INFINITY;
    memset(dcd->asleep, 0, dcd->count * sizeof *dcd->asleep);
    clv_free(dcd->fit->context, interior.column);
    clv_free(dcd->fit->context, memory);
    return status;
}
