/*
 * Principal component analysis (Pearson 1901; Hotelling 1933): orthogonal directions of maximum
 * variance.
 *
 *     output k = (x - μ) · v_k,   v_k the eigenvectors of the covariance matrix, largest eigenvalue first
 *
 * The variance along v_k is λ_k. Narrow data uses pca_exact.c, wide data pca_random.c. The largest
 * element of each v_k is positive, so that the result is unique.
 */
#include "pipeline/pca_parts.h"

#include <stdio.h>

/* Maximum number of columns for which the covariance matrix is faster. */
enum { NARROW = 1024 };

/* Directions with a smaller fraction of the largest variance are rounding errors. */
#define NOTHING 1e-12

static const char *const solvers[] = {"auto", "exact", "randomized", NULL};

static const Param params[] = {
    INTEGER(PcaOptions, components, 50, WITHIN(1, 100000), "Number of components."),
    FLAG(PcaOptions, no_center, "Do not subtract the column means."),
    FLAG(PcaOptions, whiten, "Scale each component to unit variance."),
    NAME(PcaOptions, solver, SOLVER_AUTO, solvers,
         "Covariance matrix (exact) or randomized; auto: exact up to 1,024 columns."),
    INTEGER(PcaOptions, iterations, 8, WITHIN(1, 1000),
            "randomized: maximum number of power iterations."),
    INTEGER(PcaOptions, seed, -1, AT_LEAST(-1), "Seed (-1: the seed of the run)."),
    END_OF_PARAMS,
};

/* ---- learning -------------------------------------------------------------------------------- */

size_t clv_pca_load(Pca *pca, const Block *block, uint32_t row, size_t at)
{
    size_t count = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        double value = (double)walk.value;

        pca->column[at + count] = walk.column;
        pca->value[at + count++] = value;
        pca->sum[walk.column] += value;
        pca->squares += value * value;
    }
    return count;
}

double clv_pca_mean(const Stage *stage, uint32_t column)
{
    const PcaOptions *options = stage->options;
    const Pca *pca = stage->state;

    return options->no_center ? 0 : pca->sum[column] / (double)stage->rows;
}

double clv_pca_divisor(const Stage *stage)
{
    const PcaOptions *options = stage->options;

    return options->no_center || stage->rows < 2 ? (double)stage->rows : (double)stage->rows - 1;
}

static Status begin(Stage *stage)
{
    const PcaOptions *options = stage->options;
    Pca *pca = stage->state;
    size_t size = (size_t)stage->inputs + 1;

    pca->exact = options->solver == SOLVER_EXACT ||
                 (options->solver == SOLVER_AUTO && stage->inputs <= NARROW);
    pca->sum = clv_alloc_zero(stage->context, size, sizeof *pca->sum);
    if (!pca->sum)
        return clv_fail_memory(stage->error, "means of columns", size * sizeof *pca->sum);
    TRY(GROW(stage->context, pca->column, pca->column_capacity, size, stage->error));
    TRY(GROW(stage->context, pca->value, pca->value_capacity, size, stage->error));
    return pca->exact ? clv_pca_exact_begin(stage) : clv_pca_random_begin(stage);
}

static Status look(Stage *stage, const Block *block)
{
    const Pca *pca = stage->state;

    return pca->exact ? clv_pca_exact_look(stage, block) : clv_pca_random_look(stage, block);
}

static Status swept(Stage *stage, bool *again)
{
    const Pca *pca = stage->state;

    *again = false;
    if (stage->rows == 0)
        return clv_fail(stage->error, CLEAVE_ERROR_DATA, "--transform: pca: no rows to learn from");
    return pca->exact ? clv_pca_exact_end(stage) : clv_pca_random_swept(stage, again);
}

/* The axes in the layout for rows, and the projection of the mean on each. */
static void fill_axes(const Stage *stage, uint32_t count, float *axes, double *offset)
{
    const PcaOptions *options = stage->options;
    const Pca *pca = stage->state;

    for (uint32_t k = 0; k < count; k++) {
        const double *vector = pca->vectors + (size_t)k * stage->inputs;
        double scale = options->whiten ? 1 / sqrt(pca->variances[k]) : 1;
        uint32_t peak = 0;

        for (uint32_t i = 1; i < stage->inputs; i++)
            if (fabs(vector[i]) > fabs(vector[peak]) * (1 + 1e-9))
                peak = i;
        if (vector[peak] < 0)
            scale = -scale;
        offset[k] = 0;
        for (uint32_t i = 0; i < stage->inputs; i++) {
            float axis = (float)(scale * vector[i]);

            axes[(size_t)i * count + k] = axis;
            offset[k] += clv_pca_mean(stage, i) * (double)axis;
        }
    }
}

static Status put_axes(Stage *stage, uint32_t count)
{
    const Pca *pca = stage->state;
    size_t all = (size_t)stage->inputs * count;
    float *axes = clv_alloc(stage->context, all, sizeof *axes);
    double *offset = clv_alloc(stage->context, count, sizeof *offset);
    Status one, other;

    if (!axes || !offset) {
        clv_free(stage->context, axes);
        clv_free(stage->context, offset);
        return clv_fail_memory(stage->error, "principal components", all * sizeof *axes);
    }
    fill_axes(stage, count, axes, offset);
    one = clv_bundle_take(stage->arrays, "axes", BUNDLE_F32, axes, all, stage->error);
    other = clv_bundle_take(stage->arrays, "offset", BUNDLE_F64, offset, count, stage->error);
    TRY(one);
    TRY(other);
    TRY(clv_bundle_put(stage->arrays, "variance", BUNDLE_F64, pca->variances, count, stage->error));
    return clv_bundle_put(stage->arrays, "total_variance", BUNDLE_F64, &pca->total, 1,
                          stage->error);
}

static Status columns(Stage *stage, Columns *out)
{
    const Pca *pca = stage->state;
    uint32_t count = 0;

    while (count < pca->found && pca->variances[count] > NOTHING * pca->variances[0] &&
           pca->variances[count] > 0)
        count++;
    if (count == 0 || !(pca->total > 0))
        return clv_fail_hint(stage->error, CLEAVE_ERROR_DATA,
                             "give rows that differ, or pass --transform none to keep the columns",
                             "--transform: pca: no components exist because all rows are equal");
    TRY(put_axes(stage, count));
    return clv_number_columns(stage, "pc", count, out);
}

static void free_state(Stage *stage)
{
    Pca *pca = stage->state;
    Context *context = stage->context;

    FREE(context, pca->sum, pca->matrix, pca->panel, pca->basis, pca->product, pca->ritz,
         pca->column, pca->value, pca->end, pca->variances, pca->vectors);
    *pca = (Pca){0};
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const double *numbers(const Stage *stage, const char *name, uint64_t count)
{
    const BundleItem *item = clv_bundle_get(stage->arrays, name, BUNDLE_F64);
    const double *list = item ? item->data : NULL;

    if (!item || item->count != count)
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(list[i]))
            return NULL;
    return list;
}

static Status ready(Stage *stage, cleave_error *error)
{
    Pca *pca = stage->state;

    (void)error;
    free_state(stage);
    pca->axes = clv_stage_floats(stage, "axes", (uint64_t)stage->inputs * stage->outputs);
    pca->offset = numbers(stage, "offset", stage->outputs);
    return pca->axes && pca->offset && numbers(stage, "variance", stage->outputs) &&
                   numbers(stage, "total_variance", 1)
               ? OK
               : CLEAVE_ERROR_FORMAT;
}

static Status turn_row(const Stage *stage, RowWorkspace *workspace, cleave_error *error)
{
    const Pca *pca = stage->state;

    TRY(clv_workspace_numbers(workspace, stage->outputs, error));
    for (uint32_t k = 0; k < stage->outputs; k++)
        workspace->numbers[k] = -pca->offset[k];
    clv_row_times(&workspace->row, pca->axes, stage->outputs, workspace->numbers);
    return clv_row_of_sums(workspace, workspace->numbers, stage->outputs, error);
}

static void summarize(const Stage *stage, char text[160])
{
    const double *variance = numbers(stage, "variance", stage->outputs),
                 *total = numbers(stage, "total_variance", 1);
    double sum = 0;

    for (uint32_t k = 0; variance && k < stage->outputs; k++)
        sum += variance[k];
    if (total)
        snprintf(text, 160, "%u components of %u columns, %.2f%% of the variance", stage->outputs,
                 stage->inputs, 100 * sum / *total);
}

const Transform clv_transform_pca = {
    .name = "pca",
    .other_space = true,
    .brief = "Principal component analysis.",
    .about =
        "Rows, less their mean, become their products with the first eigenvectors of the "
        "covariance matrix: the few columns that tell most of "
        "what many did. Wide and sparse data is looked at several times, and never becomes dense.",
    .params = params,
    .options_size = sizeof(PcaOptions),
    .state_size = sizeof(Pca),
    .begin = begin,
    .look = look,
    .swept = swept,
    .columns = columns,
    .ready = ready,
    .row = turn_row,
    .free = free_state,
    .summarize = summarize,
};
