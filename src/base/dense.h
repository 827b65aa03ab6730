/*
 * Dense matrices of doubles: sums of products, Cholesky, QR one panel of rows at a time, and
 * eigenvectors.
 *
 * `plain` is our own code. `lapack` is used for wide matrices where the build found one
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
 * matrix is therefore also one that is stored row by row with its lower triangle.
 */
#ifndef BASE_DENSE_H
#define BASE_DENSE_H

#include "base/memory.h"

typedef struct {
    double *data; /* rows x columns, column j at data + j * stride */
    size_t rows, columns, stride;
} Panel;

typedef struct {
    const char *name;
    /* products (square, panel.columns wide) += panelᵀ panel */
    void (*add_products)(double *products, Panel panel);
    /* The matrix A, its columns stride apart, becomes R, RᵀR = A. Returns the first column without
     * a positive pivot, or size. */
    size_t (*cholesky)(double *matrix, size_t size, size_t stride);
    /* r (panel.columns wide) becomes the R of r above panel; panel is used up. work:
     * DENSE_WORK(panel.columns) doubles. */
    void (*fold)(double *r, Panel panel, double *work);
} Dense;

enum { DENSE_STRIP = 32, DENSE_WIDE = 96 }; /* WIDE: LAPACK is used from here on */
#define DENSE_WORK(columns) ((size_t)2 * DENSE_STRIP * (columns))

/* The implementation for matrices of this width. */
const Dense *clv_dense(size_t columns);
/* For tests: returns an implementation by number from 0, NULL past the last. The first is plain. */
const Dense *clv_dense_at(size_t number);

double clv_dense_dot(const double *a, const double *b, size_t count);
void clv_dense_add(double *a, double step, const double *b, size_t count);

/* Solves R x = x in place, where R is the upper triangle of the leading `size` columns, and the
 * transposed system. Columns are `stride` apart. */
void clv_dense_solve(const double *r, size_t size, size_t stride, double *x);
void clv_dense_solve_transposed(const double *r, size_t size, size_t stride, double *x);

/* Estimates the 1-norm condition number of such an R, rarely far too low (Hager 1984; Higham
 * 2002, 15.3): infinity if a diagonal element is 0. work: 2 * size doubles. */
double clv_dense_condition(const double *r, size_t size, size_t stride, double *work);

/* QR with column pivoting (Businger and Golub 1965). The first `size` columns of a are those of the
 * matrix, permuted as `order` states afterwards; later columns are only reflected. Returns the
 * number of diagonal elements above tolerance. norms: 2 * size doubles. */
size_t clv_dense_pivoted(Panel a, size_t size, double tolerance, size_t *order, double *norms);

/* Computes the minimum-norm x with U x = c: u is uᵀ, its columns the rows of U, linearly
 * independent; c has u.columns numbers, x u.rows. u is overwritten. scales: u.columns doubles. */
void clv_dense_shortest(Panel u, const double *c, double *x, double *scales);

/* matrix += Σ x xᵀ over `count` rows x, one after another. */
void clv_add_squares(double *matrix, size_t size, const double *rows, size_t count);

/* matrix: size * size, used up. The `count` largest eigenvalues, descending, and their vectors of
 * length 1, vector i at vectors + i * size. Each vector's element of largest size is positive, so
 * that equal matrices have equal vectors. */
Status clv_eigen(Context *context, double *matrix, size_t size, size_t count, double *values,
                 double *vectors, cleave_error *error);
/* For tests: computes the eigenvectors by our own code for every size. */
Status clv_eigen_plain(Context *context, double *matrix, size_t size, size_t count, double *values,
                       double *vectors, cleave_error *error);

#endif
