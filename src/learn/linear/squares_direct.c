/*
 * Exact least squares. Rows are processed in panels. Each panel is centered by its own means, and
 * one more row corrects for this: the difference of its means from those so far times √(W P / (W +
 * P)) (Chan, Golub and LeVeque 1983). Either the panels' products are summed and the normal
 * equations solved by Cholesky, or the R of their QR factorization is updated, which is accurate
 * where squaring loses half of the digits. Panels have the same rows for any blocking of the data.
 *
 * Dependent columns: QR with pivoting finds the rank, and the solution has the minimum ‖w‖.
 */
#include "base/dense.h"
#include "data/tour.h"
#include "learn/linear/squares.h"

enum { PANEL_ROWS = 128, NAMED = 3 };

/* Columns have norm 1, so these are angles. Values are floats: different columns differ by at
 * least 1e-8. */
/* of R: its square, the condition of the products, matches the precision of a float */
#define NORMAL_CONDITION 1e4
#define FULL_CONDITION 1e12
#define NO_ANGLE 1e-12
#define FAR_APART 1e8 /* ratio of column spreads that no common unit can represent */

typedef struct {
    Fit *fit;
    Squares *squares;
    Dataset *dataset;
    const Dense *dense;
    bool qr;
    size_t width; /* features and the target */
    double *table;
    Panel panel;
    double *row_weight;
    double *scale; /* norm of each column, including ridge */
    double *work;
    uint64_t panels;
    Arena memory;
} Gather;

/* ---- memory ---------------------------------------------------------------------------------- */

static Status numbers(Gather *gather, double **vector, size_t rows, size_t columns)
{
    if (rows && columns > SIZE_MAX / sizeof **vector / rows)
        return clv_fail_memory(gather->fit->error, gather->memory.what, SIZE_MAX);
    *vector = clv_arena_zero(&gather->memory, rows * columns, sizeof **vector);
    return gather->memory.status;
}

static Status open_gather(Gather *gather, Fit *fit, Squares *squares, Dataset *dataset, bool qr)
{
    size_t width = (size_t)squares->features + 1;

    *gather = (Gather){
        .fit = fit,
        .squares = squares,
        .dataset = dataset,
        .qr = qr,
        .width = width,
        .dense = clv_dense(width),
        .memory = {.context = fit->context,
                   .error = fit->error,
                   .what = "the matrix of the exact solver"},
    };
    TRY(numbers(gather, &gather->table, width, width));
    /* one additional row for the difference of the means */
    gather->panel = (Panel){.columns = width, .stride = PANEL_ROWS + 1};
    TRY(numbers(gather, &gather->panel.data, width, PANEL_ROWS + 1));
    TRY(numbers(gather, &gather->row_weight, PANEL_ROWS, 1));
    TRY(numbers(gather, &gather->scale, width, 1));
    TRY(numbers(gather, &gather->work, 1, DENSE_WORK(width)));
    squares->weight_total = squares->target_mean = squares->target_square = squares->sse =
        squares->condition = 0;
    squares->constants = squares->dependents = 0;
    squares->rows = 0;
    memset(squares->mean, 0, squares->features * sizeof *squares->mean);
    return OK;
}

/* ---- reading rows ---------------------------------------------------------------------------- */

/* The mean of a column, computed relative to its first value, so that a constant column is exactly
 * constant. */
static double panel_mean(const Gather *gather, const double *column, double total)
{
    double sum = 0;

    if (!gather->squares->intercept)
        return 0;
    for (size_t i = 0; i < gather->panel.rows; i++)
        sum += gather->row_weight[i] * (column[i] - column[0]);
    return column[0] + sum / total;
}

static void center(const Gather *gather, double *column, double *mean, double total)
{
    double before = gather->squares->weight_total, here = panel_mean(gather, column, total),
           off = here - *mean;

    for (size_t i = 0; i < gather->panel.rows; i++)
        column[i] = sqrt(gather->row_weight[i]) * (column[i] - here);
    column[gather->panel.rows] = sqrt(before * (total / (before + total))) * off;
    *mean += off * (total / (before + total));
}

static void take_panel(Gather *gather)
{
    Squares *squares = gather->squares;
    Panel *panel = &gather->panel;
    double total = 0;

    if (panel->rows == 0)
        return;
    for (size_t i = 0; i < panel->rows; i++)
        total += gather->row_weight[i];
    for (size_t j = 0; j < gather->width; j++)
        center(gather, panel->data + j * panel->stride,
               j < squares->features ? &squares->mean[j] : &squares->target_mean, total);
    squares->weight_total += total;
    squares->rows += panel->rows;
    panel->rows++;
    if (gather->qr)
        gather->dense->fold(gather->table, *panel, gather->work);
    else
        gather->dense->add_products(gather->table, *panel);
    memset(panel->data, 0, panel->stride * panel->columns * sizeof *panel->data);
    panel->rows = 0;
    gather->panels++;
}

static void take_row(Gather *gather, const Block *block, uint32_t row)
{
    double target = fit_target(gather->fit, block, row);
    double weight = fit_weight(gather->fit, block, row, UNLABELED);
    Panel *panel = &gather->panel;

    if (isnan(target) || !(weight > 0))
        return;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        panel->data[walk.column * panel->stride + panel->rows] = (double)walk.value;
    panel->data[(gather->width - 1) * panel->stride + panel->rows] = target;
    gather->row_weight[panel->rows++] = weight;
    if (panel->rows == PANEL_ROWS)
        take_panel(gather);
}

static Status gather_block(void *user, const Block *block, cleave_error *error)
{
    Gather *gather = user;
    Context *context = gather->fit->context;

    (void)error;
    TRY(fit_check(gather->fit));
    for (uint32_t row = 0; row < block->rows; row++)
        take_row(gather, block, row);
    clv_progress(context, &(cleave_progress){.phase = "train",
                                             .rows = block->first_row + block->rows,
                                             .rows_total = gather->dataset->rows,
                                             .epoch = 1,
                                             .epochs = 1});
    return OK;
}

static Status gather_rows(Gather *gather)
{
    TRY(clv_tour_all(gather->dataset, gather_block, gather, gather->fit->error));
    take_panel(gather);
    return OK;
}

/* Computes the spreads of the columns, and checks that all are finite. */
static Status measure(Gather *gather)
{
    Squares *squares = gather->squares;

    for (size_t j = 0; j < gather->width; j++) {
        const double *column = gather->table + j * gather->width;
        double square = gather->qr ? clv_dense_dot(column, column, j + 1) : column[j];

        if (!isfinite(square))
            return clv_squares_overflow(gather->fit, gather->dataset, j);
        if (j == squares->features) {
            squares->target_square = square;
        } else {
            squares->spread[j] = sqrt(square);
            squares->constants += square == 0;
        }
    }
    return OK;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* The leading columns of the matrix, divided by their norms; columns of norm 0 stay 0. */
static void scale_triangle(Gather *gather)
{
    for (size_t j = 0; j < gather->squares->features; j++) {
        double *column = gather->table + j * gather->width;

        gather->scale[j] = sqrt(clv_dense_dot(column, column, j + 1));
        for (size_t i = 0; i <= j && gather->scale[j] > 0; i++)
            column[i] /= gather->scale[j];
    }
}

/* Sets the diagonal element of a column of zeros to 1, which makes its weight 0. */
static void set_empty(Gather *gather, double diagonal)
{
    for (size_t j = 0; j < gather->squares->features; j++)
        if (gather->scale[j] == 0)
            gather->table[j * gather->width + j] = diagonal;
}

static double penalty(const Squares *squares)
{
    return squares->ridge > 0 ? squares->ridge * clv_dense_dot(squares->weights, squares->weights,
                                                               squares->features)
                              : 0;
}

/* Solves R w = c for scaled columns; `left` is the residual of the target's square, including
 * the penalty. */
static void solve_full(Gather *gather, double left)
{
    Squares *squares = gather->squares;
    const double *c = gather->table + (gather->width - 1) * gather->width;

    memcpy(squares->weights, c, squares->features * sizeof *c);
    clv_dense_solve(gather->table, squares->features, gather->width, squares->weights);
    for (size_t j = 0; j < squares->features; j++)
        squares->weights[j] = gather->scale[j] > 0 ? squares->weights[j] / gather->scale[j] : 0;
    squares->sse = fmax(0, left - penalty(squares));
}

/* Converts the products to a scaled R with c, as after QR. */
static bool factor_products(Gather *gather, double *left)
{
    Squares *squares = gather->squares;
    size_t size = squares->features, width = gather->width;
    double *c = gather->table + size * width;

    for (size_t j = 0; j < size; j++)
        gather->scale[j] = sqrt(gather->table[j * width + j] + squares->ridge);
    for (size_t j = 0; j < size; j++) {
        for (size_t i = 0; i < j; i++)
            if (gather->scale[i] > 0 && gather->scale[j] > 0)
                gather->table[j * width + i] /= gather->scale[i] * gather->scale[j];
        gather->table[j * width + j] = 1;
        c[j] = gather->scale[j] > 0 ? c[j] / gather->scale[j] : 0;
    }
    if (gather->dense->cholesky(gather->table, size, width) < size)
        return false;
    clv_dense_solve_transposed(gather->table, size, width, c);
    *left = c[size] - clv_dense_dot(c, c, size);
    return true;
}

static Status normal(Gather *gather, bool *singular)
{
    Squares *squares = gather->squares;
    double left;

    *singular = true;
    TRY(gather_rows(gather));
    TRY(measure(gather));
    if (!factor_products(gather, &left))
        return OK;
    squares->condition = clv_dense_condition(gather->table, squares->features, gather->width,
                                             gather->work);
    if (squares->condition > NORMAL_CONDITION)
        return OK;
    solve_full(gather, left);
    *singular = false;
    return OK;
}

/* Adds √ridge times the identity below all rows, so that QR minimizes the whole objective. */
static void fold_ridge(Gather *gather)
{
    size_t size = gather->squares->features;
    Panel *panel = &gather->panel;

    for (size_t first = 0; first < size && gather->squares->ridge > 0; first += PANEL_ROWS) {
        panel->rows = size - first < PANEL_ROWS ? size - first : PANEL_ROWS;
        for (size_t i = 0; i < panel->rows; i++)
            panel->data[(first + i) * panel->stride + i] = sqrt(gather->squares->ridge);
        gather->dense->fold(gather->table, *panel, gather->work);
        memset(panel->data, 0, panel->stride * panel->columns * sizeof *panel->data);
    }
}

/* ---- dependent columns ----------------------------------------------------------------------- */

static void warn_dependents(const Gather *gather, const size_t *order, size_t rank)
{
    Squares *squares = gather->squares;
    char list[3 * QUOTE_SIZE + 16] = "", number[24], quoted[QUOTE_SIZE];

    for (size_t k = rank; k < squares->features; k++) {
        const char *name = clv_names_get(&gather->dataset->names, (uint32_t)order[k], number);

        if (gather->scale[order[k]] == 0 || ++squares->dependents > NAMED)
            continue;
        append_text(list, sizeof list, *list ? ", '" : "'");
        append_text(list, sizeof list, clv_quote(quoted, name, strlen(name)));
        append_text(list, sizeof list, "'");
    }
    if (squares->dependents == 0)
        return;
    clv_note(gather->fit->context,
             "%u of %u columns are linear combinations of the others (%s%s): the weights are the "
             "minimum-norm solution",
             squares->dependents, squares->features, list,
             squares->dependents > NAMED ? ", ..." : "");
}

/* Returns whether one unit fits all columns; otherwise the columns are scaled. */
static bool one_unit(const Gather *gather)
{
    double least = INFINITY, most = 0;

    for (size_t j = 0; j < gather->squares->features; j++)
        if (gather->scale[j] > 0) {
            least = fmin(least, gather->scale[j]);
            most = fmax(most, gather->scale[j]);
        }
    return most <= FAR_APART * least;
}

static Status solve_deficient(Gather *gather, size_t *order)
{
    Squares *squares = gather->squares;
    size_t size = squares->features, width = gather->width, rank;
    double *c = gather->table + size * width, left = c[size] * c[size];
    uint64_t filled = squares->rows + gather->panels + (squares->ridge > 0 ? size : 0);
    bool unit = one_unit(gather);
    Panel u;

    set_empty(gather, 0);
    rank = clv_dense_pivoted(
        (Panel){gather->table, filled < size ? (size_t)filled : size, width, width}, size, NO_ANGLE,
        order, gather->work);
    warn_dependents(gather, order, rank);
    u = (Panel){.rows = size, .columns = rank, .stride = size};
    TRY(numbers(gather, &u.data, size, rank ? rank : 1));
    for (size_t k = 0; k < size; k++)
        for (size_t i = 0; i < rank && i <= k; i++)
            u.data[i * size + k] = gather->table[k * width + i] *
                                   (unit ? gather->scale[order[k]] : 1);
    clv_dense_shortest(u, c, gather->work, gather->work + size);
    for (size_t k = 0; k < size; k++) {
        double scale = unit ? 1 : gather->scale[order[k]];

        squares->weights[order[k]] = scale > 0 ? gather->work[k] / scale : 0;
    }
    for (size_t i = rank; i < size; i++)
        left += c[i] * c[i];
    squares->sse = fmax(0, left - penalty(squares));
    return OK;
}

static Status qr(Gather *gather)
{
    Squares *squares = gather->squares;
    size_t size = squares->features;
    double bottom;
    size_t *order;

    TRY(gather_rows(gather));
    TRY(measure(gather));
    fold_ridge(gather);
    scale_triangle(gather);
    set_empty(gather, 1);
    squares->condition = clv_dense_condition(gather->table, size, gather->width, gather->work);
    bottom = gather->table[size * gather->width + size];
    if (squares->condition <= FULL_CONDITION) {
        solve_full(gather, bottom * bottom);
        return OK;
    }
    order = clv_arena_alloc(&gather->memory, size, sizeof *order);
    TRY(gather->memory.status);
    return solve_deficient(gather, order);
}

/* ---- the two solvers ------------------------------------------------------------------------- */

Status clv_squares_overflow(const Fit *fit, const Dataset *dataset, size_t column)
{
    char number[24], quoted[QUOTE_SIZE];
    const char *name;

    if (column >= dataset->features) {
        clv_fail(fit->error, CLEAVE_ERROR_DATA, "the squares of the targets overflow");
    } else {
        name = clv_names_get(&dataset->names, (uint32_t)column, number);
        clv_fail(fit->error, CLEAVE_ERROR_DATA, "the squares of column '%s' overflow",
                 clv_quote(quoted, name, strlen(name)));
    }
    return clv_hint(fit->error, CLEAVE_ERROR_DATA, "rescale the values to magnitudes below 1e150");
}

Status clv_squares_normal(Fit *fit, Squares *squares, Dataset *dataset, bool *singular)
{
    Gather gather;
    Status status = open_gather(&gather, fit, squares, dataset, false);

    THEN(status, normal(&gather, singular));
    clv_arena_free(&gather.memory);
    return status;
}

Status clv_squares_qr(Fit *fit, Squares *squares, Dataset *dataset)
{
    Gather gather;
    Status status = open_gather(&gather, fit, squares, dataset, true);

    THEN(status, qr(&gather));
    clv_arena_free(&gather.memory);
    return status;
}
