/*
 * The least-squares problem and its solution, shared by least_squares.c and its solvers.
 *
 *     minimize  Σ cᵢ (yᵢ − w·xᵢ − b)²  +  ridge ‖w‖²            b is not penalized
 *
 * For any w the optimal b is ȳ − w·x̄, with means weighted by c. Solvers therefore subtract the
 * means from x and y, which also avoids cancellation with large means. With no_intercept, they
 * subtract nothing.
 */
#ifndef LEARN_LINEAR_SQUARES_H
#define LEARN_LINEAR_SQUARES_H

#include "learn/linear/linear.h"

typedef struct {
    /* the problem */
    uint32_t features;
    bool intercept;
    double ridge;
    double tolerance;

    /* its solution; vectors of `features` numbers */
    double *weights;
    double *mean;   /* per column; 0 without intercept */
    double *spread; /* square root of the sum of squares about the mean; 0: constant column */
    double target_mean;
    double target_square; /* sum of squares about the mean */
    double weight_total;
    double sse;
    double condition;    /* estimate for columns of norm 1; 0: unknown */
    uint32_t constants;  /* constant columns; without intercept, columns of zeros */
    uint32_t dependents; /* linearly dependent columns, with which the solution is not unique */
    uint64_t rows;       /* rows read */
    bool exact;          /* solved by an exact solver */

    const Model *from; /* warm start of conjugate gradient; NULL: none */
    struct CgRun *cg;  /* state of an unfinished conjugate gradient run */
} Squares;

/* Exact solvers, in one pass over the rows and d x d numbers of memory: normal equations, or QR. */
Status clv_squares_normal(Fit *fit, Squares *squares, Dataset *dataset, bool *singular);
Status clv_squares_qr(Fit *fit, Squares *squares, Dataset *dataset);
/* Conjugate gradient from squares->weights; reports each iteration to the driver. */
Status clv_squares_cg(Fit *fit, Squares *squares, Dataset *dataset);
/* Stores the state of an unfinished run in a model. */
Status clv_squares_cg_save(const Fit *fit, const Squares *squares, Model *model);
void clv_squares_cg_free(Squares *squares);

/* Appends as much of the text as fits. */
static inline void append_text(char *text, size_t size, const char *more)
{
    size_t length = strlen(text), workspace = size - length - 1, count = strlen(more);

    count = count < workspace ? count : workspace;
    memcpy(text + length, more, count);
    text[length + count] = '\0';
}

/* Fails with "the squares of column 'x' overflow". */
Status clv_squares_overflow(const Fit *fit, const Dataset *dataset, size_t column);

#endif
