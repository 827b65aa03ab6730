/*
 * The weights of winnow: products of factors, in double, because products soon leave the range of a
 * float (2^-151 after 100 epochs of Exercise 12.2.1(d)). A weight stays at the least normal double
 * rather than becoming 0, from where no factor would return.
 *
 * The balanced form has two positive weights for each feature, u and v, which start at 1 and move
 * in opposite directions. Scores use w = u − v.
 *
 * A stream that forgets moves every weight back to its start: log w shrinks by a factor before each
 * row. That takes place when the weight is used next: a stamp tells up to when it has been done.
 */
#ifndef LEARN_LINEAR_WINNOW_WEIGHTS_H
#define LEARN_LINEAR_WINNOW_WEIGHTS_H

#include "learn/linear/linear.h"

/* Vectors of features * outputs in the layout of linear.h. */
typedef struct {
    double *w;          /* that score; u − v in the balanced form */
    double *half;       /* balanced: u … */
    double *other_half; /* … and v */
    double *bias;       /* −θ, by output */
    double *stamp;      /* by feature: `faded` when its weights were last up to date; NULL: nothing is forgotten */
    double faded;       /* Σ ln keep */
    size_t outputs, capacity, stamp_capacity;
    uint32_t features;
    bool balanced;
} WinnowWeights;

Status clv_winnow_begin(const Fit *fit, WinnowWeights *weights, bool balanced, double theta);
void clv_winnow_free(const Fit *fit, WinnowWeights *weights);
/* New features start as all did. copies: vectors of doubles that are needed beside w, for the check
 * of the memory. */
Status clv_winnow_reserve(const Fit *fit, WinnowWeights *weights, uint32_t features, size_t copies);
bool clv_winnow_finite(const WinnowWeights *weights);

/* Multiplies the weights of an output where the row has features, in the balanced form the others
 * by `against`. late, if not NULL: gets each change times seen. */
void clv_winnow_multiply(WinnowWeights *weights, size_t output, double factor, double against, const Block *block,
                         uint32_t row, double *late, double seen);

/* Forgetting. now: a weight up to date, given what is left of the logarithms of its feature. */
Status clv_winnow_forget(const Fit *fit, WinnowWeights *weights, double keep);
Status clv_winnow_stamp(const Fit *fit, WinnowWeights *weights); /* begins to forget */
/* The weights of a row up to date; there are stamps. */
void clv_winnow_update_row(WinnowWeights *weights, const Block *block, uint32_t row);
double clv_winnow_left(const WinnowWeights *weights, uint32_t column);
double clv_winnow_now(const WinnowWeights *weights, size_t at, double left);
/* Everything up to date, and nothing is forgotten from here on. */
void clv_winnow_settle(const Fit *fit, WinnowWeights *weights, size_t count);

/* Several workers: see winnow.c. */
Status clv_winnow_give(const Fit *fit, const WinnowWeights *weights, const WinnowWeights *start, double rows,
                       Delta *delta);
Status clv_winnow_take(const Fit *fit, WinnowWeights *weights, double rows, const Delta *sum);

/* More classes; theta: where a learned threshold starts, NAN: it is not learned. */
Status clv_winnow_widen(const Fit *fit, WinnowWeights *weights, const Widening *to, double theta);

static inline void winnow_subtract(WinnowWeights *weights, size_t at)
{
    weights->w[at] = weights->half[at] - weights->other_half[at];
}

#endif
