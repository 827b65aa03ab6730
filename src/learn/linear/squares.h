/*
 * The problem least-squares solves and its answer, shared by the method (least_squares.c) and its
 * solvers.
 *
 *     minimise  Σ cᵢ (yᵢ − w·xᵢ − b)²  +  ridge ‖w‖²            b is not penalised
 *
 * Whatever w is, the best b is ȳ − w·x̄ with the means weighted by c. So b is left out by taking
 * the means from x and y, which also keeps large offsets from drowning what varies; with no_bias
 * nothing is taken away.
 */
#ifndef LEARN_LINEAR_SQUARES_H
#define LEARN_LINEAR_SQUARES_H

#include "learn/linear/linear.h"

typedef struct {
    /* the problem */
    uint32_t features;
    bool bias;
    double ridge;
    double tolerance;

    /* its answer; vectors of `features` numbers */
    double *weights;
    double *mean;   /* of each column; 0 without bias */
    double *spread; /* square root of the sum of squares about the mean; 0: the column is constant */
    double target_mean;
    double target_square; /* sum of squares about the mean */
    double weight_total;
    double sse;
    double condition;    /* estimate for the columns scaled to length 1; 0: not known */
    uint32_t constants;  /* columns that are constant (without bias: 0 throughout) */
    uint32_t dependents; /* columns that follow from others: the answer is not the only one */
    uint64_t rows;       /* gathered */
    bool exact;          /* by one of the exact solvers */

    const Model *from;   /* that conjugate gradient goes on from; NULL: it does not */
    struct Climb *climb; /* of a conjugate gradient that runs or was ended before its end */
} Squares;

/* Exact, in one pass over the rows and d x d numbers of memory: normal equations, or QR. */
Status clv_squares_normal(Fit *fit, Squares *squares, Dataset *dataset, bool *singular);
Status clv_squares_qr(Fit *fit, Squares *squares, Dataset *dataset);
/* Conjugate gradient from squares->weights on, telling the driver of each step. */
Status clv_squares_cg(Fit *fit, Squares *squares, Dataset *dataset);
/* What it needs to go on, if it is not at its end, into a model. */
Status clv_squares_cg_save(const Fit *fit, const Squares *squares, Model *model);
void clv_squares_cg_free(Squares *squares);

/* Adds to a text as much as fits. */
static inline void squares_say(char *text, size_t size, const char *more)
{
    size_t length = strlen(text), workspace = size - length - 1, count = strlen(more);

    count = count < workspace ? count : workspace;
    memcpy(text + length, more, count);
    text[length + count] = '\0';
}

/* "the squares of column 'x' are beyond the range of a number" */
Status clv_squares_overflow(const Fit *fit, const Dataset *dataset, size_t column);

#endif
