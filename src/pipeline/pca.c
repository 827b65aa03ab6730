/*
 * Principal component analysis (Pearson 1901; Hotelling 1933): orthogonal directions of maximum
 * variance.
 *
 *     output k = (x - μ) · v_k
 *
 * v_k are the eigenvectors of the covariance matrix by descending eigenvalue. The variance along
 * v_k is λ_k. Narrow data uses pca_exact.c, wide data pca_random.c. The largest element of each v_k
 * is positive, so that the result is unique.
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
    INTEGER(PcaOptions, seed, -1, AT_LEAST(-1), "Seed.", DEFAULT("the seed of the run")),
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

double clv_pca_mean(const Step *step, uint32_t column)
{
    const PcaOptions *options = step->options;
    const Pca *pca = step->state;

    return options->no_center ? 0 : pca->sum[column] / (double)step->rows;
}

double clv_pca_divisor(const Step *step)
{
    const PcaOptions *options = step->options;

    return options->no_center || step->rows < 2 ? (double)step->rows : (double)step->rows - 1;
}

static Status begin(Step *step)
{
    const PcaOptions *options = step->options;
    Pca *pca = step->state;
    size_t size = (size_t)step->inputs + 1;

    pca->exact = options->solver == SOLVER_EXACT ||
                 (options->solver == SOLVER_AUTO && step->inputs <= NARROW);
    TRY(ALLOC_ZERO(step->context, pca->sum, size, "means of columns", step->error));
    TRY(GROW(step->context, pca->column, pca->column_capacity, size, step->error));
    TRY(GROW(step->context, pca->value, pca->value_capacity, size, step->error));
    return pca->exact ? clv_pca_exact_begin(step) : clv_pca_random_begin(step);
}

static Status look(Step *step, const Block *block)
{
    const Pca *pca = step->state;

    return pca->exact ? clv_pca_exact_look(step, block) : clv_pca_random_look(step, block);
}

static Status end_pass(Step *step, bool *again)
{
    const Pca *pca = step->state;

    *again = false;
    if (step->rows == 0)
        return clv_fail(step->error, CLEAVE_ERROR_DATA, "--transform: pca: no rows to learn from");
    return pca->exact ? clv_pca_exact_end(step) : clv_pca_random_end_pass(step, again);
}

/* Computes the axes in the layout for rows, and the projection of the mean on each axis. */
static void fill_axes(const Step *step, uint32_t count, float *axes, double *offset)
{
    const PcaOptions *options = step->options;
    const Pca *pca = step->state;

    for (uint32_t k = 0; k < count; k++) {
        const double *vector = pca->vectors + (size_t)k * step->inputs;
        double scale = options->whiten ? 1 / sqrt(pca->variances[k]) : 1;
        uint32_t peak = 0;

        for (uint32_t i = 1; i < step->inputs; i++)
            if (fabs(vector[i]) > fabs(vector[peak]) * (1 + 1e-9))
                peak = i;
        if (vector[peak] < 0)
            scale = -scale;
        offset[k] = 0;
        for (uint32_t i = 0; i < step->inputs; i++) {
            float axis = (float)(scale * vector[i]);

            axes[(size_t)i * count + k] = axis;
            offset[k] += clv_pca_mean(step, i) * (double)axis;
        }
    }
}

static Status put_axes(Step *step, uint32_t count)
{
    const Pca *pca = step->state;
    size_t all = (size_t)step->inputs * count;
    float *axes = clv_alloc(step->context, all, sizeof *axes);
    double *offset = clv_alloc(step->context, count, sizeof *offset);
    Status one, other;

    if (!axes || !offset) {
        FREE(step->context, axes, offset);
        return clv_fail_memory(step->error, "principal components", all * sizeof *axes);
    }
    fill_axes(step, count, axes, offset);
    one = clv_bundle_take(step->arrays, "axes", BUNDLE_F32, axes, all, step->error);
    other = clv_bundle_take(step->arrays, "offset", BUNDLE_F64, offset, count, step->error);
    TRY(one);
    TRY(other);
    TRY(clv_bundle_put(step->arrays, "variance", BUNDLE_F64, pca->variances, count, step->error));
    return clv_bundle_put(step->arrays, "total_variance", BUNDLE_F64, &pca->total, 1, step->error);
}

static Status columns(Step *step, Columns *out)
{
    const Pca *pca = step->state;
    uint32_t count = 0;

    while (count < pca->found && pca->variances[count] > NOTHING * pca->variances[0] &&
           pca->variances[count] > 0)
        count++;
    if (count == 0 || !(pca->total > 0))
        return clv_fail_hint(step->error, CLEAVE_ERROR_DATA,
                             "use at least two different rows, or pass --transform none",
                             "--transform: pca: no components exist because all rows are equal");
    TRY(put_axes(step, count));
    return clv_number_columns(step, "pc", count, out);
}

static void free_state(Step *step)
{
    Pca *pca = step->state;
    Context *context = step->context;

    FREE(context, pca->sum, pca->matrix, pca->panel, pca->basis, pca->product, pca->ritz,
         pca->column, pca->value, pca->end, pca->variances, pca->vectors);
    *pca = (Pca){0};
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const double *numbers(const Step *step, const char *name, uint64_t count)
{
    const BundleItem *item = clv_bundle_get(step->arrays, name, BUNDLE_F64);
    const double *list = item ? item->data : NULL;

    if (!item || item->count != count)
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(list[i]))
            return NULL;
    return list;
}

static Status ready(Step *step, cleave_error *error)
{
    Pca *pca = step->state;

    (void)error;
    free_state(step);
    pca->axes = clv_step_floats(step, "axes", (uint64_t)step->inputs * step->outputs);
    pca->offset = numbers(step, "offset", step->outputs);
    return pca->axes && pca->offset && numbers(step, "variance", step->outputs) &&
                   numbers(step, "total_variance", 1)
               ? OK
               : CLEAVE_ERROR_FORMAT;
}

static Status turn_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const Pca *pca = step->state;

    TRY(clv_workspace_numbers(workspace, step->outputs, error));
    for (uint32_t k = 0; k < step->outputs; k++)
        workspace->numbers[k] = -pca->offset[k];
    clv_row_times(&workspace->row, pca->axes, step->outputs, workspace->numbers);
    return clv_row_of_sums(workspace, workspace->numbers, step->outputs, error);
}

static void summarize(const Step *step, char text[160])
{
    const double *variance = numbers(step, "variance", step->outputs),
                 *total = numbers(step, "total_variance", 1);
    double sum = 0;

    for (uint32_t k = 0; variance && k < step->outputs; k++)
        sum += variance[k];
    if (total)
        snprintf(text, 160, "%u components of %u columns, %.2f%% of the variance", step->outputs,
                 step->inputs, 100 * sum / *total);
}

const Transform clv_transform_pca = {
    .name = "pca",
    .other_space = true,
    .brief = "Principal component analysis.",
    .about = "Each row is centered and projected onto the first eigenvectors of the covariance "
             "matrix. These components have the largest variance. Wide or sparse data is read "
             "several times and stays sparse in memory.",
    .params = params,
    .options_size = sizeof(PcaOptions),
    .state_size = sizeof(Pca),
    .begin = begin,
    .look = look,
    .end_pass = end_pass,
    .columns = columns,
    .ready = ready,
    .row = turn_row,
    .free = free_state,
    .summarize = summarize,
};
