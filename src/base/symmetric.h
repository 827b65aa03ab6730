/*
 * Dense symmetric matrices, row by row, of which the lower triangle counts: sums of products of rows, and eigenvectors.
 *
 * Small matrices, and all where the build found no LAPACK, go our own way: Householder's reflections to a tridiagonal matrix, then QL
 * steps with Wilkinson's shift (Golub and Van Loan 2013, 8.3), so that small models are the same in every build. Larger ones are
 * LAPACK's dsyevr.
 */
#ifndef BASE_SYMMETRIC_H
#define BASE_SYMMETRIC_H

#include "base/memory.h"

/* matrix += Σ x xᵀ over `count` rows x, one after another. */
void clv_add_squares(double *matrix, size_t size, const double *rows, size_t count);

/* matrix: size * size, used up. The `count` largest eigenvalues, descending, and their vectors of length 1, vector i at
 * vectors + i * size. Each vector's element of largest size is positive, so that equal matrices have equal vectors. */
Status clv_eigen(Context *context, double *matrix, size_t size, size_t count, double *values, double *vectors,
                 cleave_error *error);
/* The same by our own way, whatever the size, for tests to hold one against the other. */
Status clv_eigen_plain(Context *context, double *matrix, size_t size, size_t count, double *values, double *vectors,
                       cleave_error *error);

#endif
