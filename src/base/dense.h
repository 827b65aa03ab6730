/*
 * Dense matrices of doubles: sums of products, Cholesky, QR one panel of rows at a time, and
 * eigenvectors.
 *
 * `plain` is our own code. `lapack` is used for wide matrices if the build has found LAPACK
 * (cmake/flags.cmake), with the same results except for rounding; small models are the same in
 * every build.
 *
 * fold() is the step of a QR that never has all rows (Golub and Van Loan 2013, 5.1 and 6.5; TSQR of
 * Demmel et al. 2012 with one worker): R with a panel of rows below it becomes the R of both, so
 * that RᵀR is the sum of products of all rows so far, and neither the rows nor their products are
 * kept.
 *
 * Eigenvectors: Householder's reflections to a tridiagonal matrix, then QL steps with Wilkinson's
 * shift (Golub and Van Loan 2013, 8.3), or LAPACK's dsyevr.
 *
 * Matrices are stored column by column, and the upper triangle of a square one is used. A symmetric
 * matrix stored row by row, with its lower triangle, therefore has the same layout.
 */
#ifndef BASE_DENSE_H
#define BASE_DENSE_H

#include "base/memory.h"

typedef struct {
    double *data; /* rows x columns; column j is at data + j * stride */
    size_t rows, columns, stride;
} Panel;

typedef struct {
    const char *name;
    /* products (square, panel.columns wide) += panelᵀ panel */
    void (*add_products)(double *products, Panel panel);
    /* Replaces the matrix A by R with RᵀR = A. Columns are at a distance of `stride`. Returns the
     * first column without a positive pivot, or size. */
    size_t (*cholesky)(double *matrix, size_t size, size_t stride);
    /* Replaces r, panel.columns wide, by the R of r above panel. panel is overwritten. work:
     * DENSE_WORK(panel.columns) doubles. */
    void (*fold)(double *r, Panel panel, double *work);
} Dense;

enum { DENSE_STRIP = 32, DENSE_WIDE = 96 }; /* LAPACK is used from DENSE_WIDE columns on */
#define DENSE_WORK(columns) ((size_t)2 * DENSE_STRIP * (columns))

/* The implementation for matrices of this width. */
const Dense *clv_dense(size_t columns);
/* The implementations by number, for tests; number 0 is plain. NULL after the last one. */
const Dense *clv_dense_at(size_t number);

double clv_dense_dot(const double *a, const double *b, size_t count);
void clv_dense_add(double *a, double step, const double *b, size_t count);

/* Solves R x = x in place, where R is the upper triangle of the leading `size` columns, and the
 * transposed system. Columns are `stride` apart. */
void clv_dense_solve(const double *r, size_t size, size_t stride, double *x);
void clv_dense_solve_transposed(const double *r, size_t size, size_t stride, double *x);

/* Estimates the 1-norm condition number of such an R (Hager 1984; Higham 2002, 15.3). The estimate
 * is rarely far too low. It is infinite if a diagonal element is 0. work: 2 * size doubles. */
double clv_dense_condition(const double *r, size_t size, size_t stride, double *work);

/* QR with column pivoting (Businger and Golub 1965). The first `size` columns of a are the matrix;
 * `order` receives their permutation. Further columns are only reflected. Returns the number of
 * diagonal elements above tolerance. norms: 2 * size doubles. */
size_t clv_dense_pivoted(Panel a, size_t size, double tolerance, size_t *order, double *norms);

/* Computes the minimum-norm x with U x = c: The panel u is Uᵀ: its columns, which are linearly
 * independent, are the rows of U. c has u.columns numbers, x has u.rows. u is overwritten. scales:
 * u.columns doubles. */
void clv_dense_shortest(Panel u, const double *c, double *x, double *scales);

/* Adds Σ x xᵀ over `count` rows x, one row after another. */
void clv_add_squares(double *matrix, size_t size, const double *rows, size_t count);

/* Computes the `count` largest eigenvalues in descending order, and their vectors of length 1,
 * vector i at vectors + i * size. matrix: size * size, overwritten. Each vector's element of
 * largest size is positive, so that equal matrices have equal vectors. */
Status clv_eigen(Context *context, double *matrix, size_t size, size_t count, double *values,
                 double *vectors, cleave_error *error);
/* For tests: computes the eigenvectors by our own code for every size. */
Status clv_eigen_plain(Context *context, double *matrix, size_t size, size_t count, double *values,
                       double *vectors, cleave_error *error);

#endif
