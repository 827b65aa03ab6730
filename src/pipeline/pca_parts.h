/* Principal components, for the files that find them; pca.c is the stage. */
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
    /* While learning. */
    double *sum;    /* of each column */
    double squares; /* of all values */
    bool exact;
    double *matrix; /* exact: Σ x xᵀ, the lower triangle */
    double *panel;  /* exact: rows with many values, to be added together */
    uint32_t panel_rows;
    double *basis;   /* randomised: inputs x width, orthonormal */
    double *product; /* randomised: Σ x (xᵀ basis) */
    double *ritz;    /* randomised: the eigenvalues found by the last look */
    uint32_t width;
    int looks;
    uint32_t *column; /* the row at hand; randomised: those of a block */
    double *value;
    size_t *end; /* of each of its rows */
    size_t column_capacity, value_capacity, end_capacity;
    /* What was found: so many, descending, vector i at vectors + i * inputs. */
    uint32_t found;
    double *variances, *vectors;
    double total;
    /* For rows. */
    const float *axes;    /* inputs x outputs */
    const double *offset; /* of each output: the product of the mean and its axis */
} Pca;

/* One row's entries, into column and value from `at` on; how many. Adds them to the sums. */
size_t clv_pca_load(Pca *pca, const Block *block, uint32_t row, size_t at);
/* The mean of a column; 0 where nothing is centred. */
double clv_pca_mean(const Stage *stage, uint32_t column);
/* What sums of squares are divided by: n - 1, and n where nothing is centred. */
double clv_pca_divisor(const Stage *stage);

Status clv_pca_exact_begin(Stage *stage);
Status clv_pca_exact_look(Stage *stage, const Block *block);
Status clv_pca_exact_end(Stage *stage);

Status clv_pca_random_begin(Stage *stage);
Status clv_pca_random_look(Stage *stage, const Block *block);
Status clv_pca_random_swept(Stage *stage, bool *again);

#endif
