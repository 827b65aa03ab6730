/* Internals of principal component analysis; pca.c is the step. */
#ifndef PIPELINE_PCA_PARTS_H
#define PIPELINE_PCA_PARTS_H

#include "pipeline/random_directions.h"

enum { SOLVER_AUTO, SOLVER_EXACT, SOLVER_RANDOMIZED };

typedef struct {
    int64_t components, iterations, seed;
    int solver;
    bool no_center, whiten;
} PcaOptions;

typedef struct {
    /* State during learning. */
    double *sum;    /* sum of each column */
    double squares; /* sum over all values */
    bool exact;
    double *matrix; /* exact: Σ x xᵀ, the lower triangle */
    double *panel;  /* exact: buffered rows with many values, added together */
    uint32_t panel_rows;
    double *basis;   /* randomized: inputs x width, orthonormal */
    double *product; /* randomized: Σ x (xᵀ basis) */
    double *ritz;    /* randomized: eigenvalues of the last pass */
    uint32_t width;
    int looks;
    uint32_t *column; /* the current row; randomized: the rows of a block */
    double *value;
    size_t *end; /* end of the entries of each row */
    size_t column_capacity, value_capacity, end_capacity;
    /* The result: `found` components in descending order, vector i at vectors + i * inputs. */
    uint32_t found;
    double *variances, *vectors;
    double total;
    /* Arrays for transforming rows. */
    const float *axes;    /* size: inputs x outputs */
    const double *offset; /* per output: the product of the mean and its axis */
} Pca;

/* Copies the entries of a row to column and value from `at` on, adds them to the sums, and returns
 * their number. */
size_t clv_pca_load(Pca *pca, const Block *block, uint32_t row, size_t at);
/* Returns the mean of a column; 0 without centering. */
double clv_pca_mean(const Step *step, uint32_t column);
/* Returns the divisor of sums of squares: n - 1, or n without centering. */
double clv_pca_divisor(const Step *step);

Status clv_pca_exact_begin(Step *step);
Status clv_pca_exact_look(Step *step, const Block *block);
Status clv_pca_exact_end(Step *step);

Status clv_pca_random_begin(Step *step);
Status clv_pca_random_look(Step *step, const Block *block);
Status clv_pca_random_end_pass(Step *step, bool *again);

#endif
