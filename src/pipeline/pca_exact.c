/*
 * Exact principal components of narrow data: the eigenvectors of the covariance matrix, which is
 * summed in one pass. A row with few values adds its own products. Rows with many values are
 * buffered in a panel and multiplied together.
 */
#include "base/dense.h"
#include "pipeline/pca_parts.h"

enum { PANEL = 256, WIDEST = 16384 };

/* Ratio of the time of a scattered product to that of a product in a panel. */
enum { SCATTERED = 8 };

Status clv_pca_exact_begin(Step *step)
{
    Pca *pca = step->state;
    size_t size = step->inputs;

    if (size > WIDEST)
        return clv_fail_hint(step->error, CLEAVE_ERROR_USAGE,
                             "pass solver=randomized, which needs no covariance matrix",
                             "--transform: pca: the covariance matrix of %u columns is too large; "
                             "the limit is %d columns",
                             step->inputs, WIDEST);
    pca->matrix = clv_alloc_zero(step->context, size * size, sizeof *pca->matrix);
    pca->panel = clv_alloc(step->context, size * PANEL, sizeof *pca->panel);
    return pca->matrix && pca->panel ? OK
                                     : clv_fail_memory(step->error, "a covariance matrix",
                                                       size * size * sizeof *pca->matrix);
}

static void scatter(Pca *pca, size_t size, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        double *row = pca->matrix + pca->column[a] * size, value = pca->value[a];

        for (size_t b = 0; b <= a; b++)
            row[pca->column[b]] += value * pca->value[b];
    }
}

static void add_panel(Pca *pca, size_t size)
{
    if (pca->panel_rows)
        clv_add_squares(pca->matrix, size, pca->panel, pca->panel_rows);
    pca->panel_rows = 0;
}

static void put_into_panel(Pca *pca, size_t size, size_t count)
{
    double *row = pca->panel + pca->panel_rows++ * size;

    memset(row, 0, size * sizeof *row);
    for (size_t i = 0; i < count; i++)
        row[pca->column[i]] = pca->value[i];
    if (pca->panel_rows == PANEL)
        add_panel(pca, size);
}

Status clv_pca_exact_look(Step *step, const Block *block)
{
    Pca *pca = step->state;
    size_t size = step->inputs;

    for (uint32_t row = 0; row < block->rows; row++) {
        size_t count = clv_pca_load(pca, block, row, 0);

        if (SCATTERED * count * count < size * size)
            scatter(pca, size, count);
        else
            put_into_panel(pca, size, count);
    }
    return OK;
}

static void center(const Step *step)
{
    Pca *pca = step->state;
    size_t size = step->inputs;
    double divisor = clv_pca_divisor(step), rows = (double)step->rows;

    for (uint32_t j = 0; j < size; j++) {
        double mean = clv_pca_mean(step, j);

        for (uint32_t i = 0; i <= j; i++)
            pca->matrix[j * size + i] = (pca->matrix[j * size + i] -
                                         rows * mean * clv_pca_mean(step, i)) /
                                        divisor;
        pca->total += pca->matrix[j * size + j];
    }
}

Status clv_pca_exact_end(Step *step)
{
    const PcaOptions *options = step->options;
    Pca *pca = step->state;
    size_t size = step->inputs;

    add_panel(pca, size);
    center(step);
    pca->found = (uint32_t)(options->components < (int64_t)size ? options->components
                                                                : (int64_t)size);
    pca->variances = clv_alloc(step->context, pca->found, sizeof *pca->variances);
    pca->vectors = clv_alloc(step->context, size * pca->found, sizeof *pca->vectors);
    if (!pca->variances || !pca->vectors)
        return clv_fail_memory(step->error, "principal components",
                               size * pca->found * sizeof *pca->vectors);
    return clv_eigen(step->context, pca->matrix, size, pca->found, pca->variances, pca->vectors,
                     step->error);
}
