/*
 * The weights of winnow: products of factors, in double, because products leave the range of a
 * float (2^-151 after 100 epochs of Exercise 12.2.1(d)). A weight never falls below the smallest
 * normal double, because no factor can change a weight of 0.
 *
 * The balanced form has two positive weights per feature, u and v. They start at 1 and move in
 * opposite directions. Scores use w = u − v.
 *
 * Forgetting moves every weight back to its start: log w shrinks by a factor before each row. This
 * is applied when the weight is used next; a stamp per feature records how far it has been applied.
 */
#ifndef LEARN_LINEAR_WINNOW_WEIGHTS_H
#define LEARN_LINEAR_WINNOW_WEIGHTS_H

#include "learn/linear/linear.h"

/* Vectors of features * outputs in the layout of linear.h. */
typedef struct {
    double *w;          /* weights of the score; u − v in the balanced form */
    double *half;       /* balanced: u … */
    double *other_half; /* … and v */
    double *intercept;  /* −θ, per output */
    /* per feature: `faded` at the last update of its weights; NULL: no forgetting */
    double *stamp;
    double faded; /* Σ ln keep */
    size_t outputs, capacity, stamp_capacity;
    uint32_t features;
    bool balanced;
} WinnowWeights;

Status clv_winnow_begin(const Fit *fit, WinnowWeights *weights, bool balanced, double theta);
void clv_winnow_free(const Fit *fit, WinnowWeights *weights);
/* New features start at the initial weight. copies: number of double vectors needed in addition
 * to w, for the memory check. */
Status clv_winnow_reserve(const Fit *fit, WinnowWeights *weights, uint32_t features, size_t copies);
bool clv_winnow_finite(const WinnowWeights *weights);

/* Multiplies the weights of an output at the features of the row; in the balanced form divides
 * the opposite weights (`against`). late (may be NULL) receives each change times seen. */
void clv_winnow_multiply(WinnowWeights *weights, size_t output, double factor, double against,
                         const Block *block, uint32_t row, double *late, double seen);

/* Forgetting: computes the current value of a weight from the remaining fraction of the logarithms
 * of its feature. */
Status clv_winnow_forget(const Fit *fit, WinnowWeights *weights, double keep);
Status clv_winnow_stamp(const Fit *fit, WinnowWeights *weights); /* starts forgetting */
/* Brings the weights of a row up to date; requires stamps. */
void clv_winnow_update_row(WinnowWeights *weights, const Block *block, uint32_t row);
double clv_winnow_left(const WinnowWeights *weights, uint32_t column);
double clv_winnow_now(const WinnowWeights *weights, size_t at, double left);
/* Brings all weights up to date and ends forgetting. */
void clv_winnow_settle(const Fit *fit, WinnowWeights *weights, size_t count);

/* Several workers: see winnow.c. */
Status clv_winnow_give(const Fit *fit, const WinnowWeights *weights, const WinnowWeights *start,
                       double rows, Delta *delta);
Status clv_winnow_take(const Fit *fit, WinnowWeights *weights, double rows, const Delta *sum);

/* Adds classes; theta: initial learned threshold, NAN: not learned. */
Status clv_winnow_widen(const Fit *fit, WinnowWeights *weights, const Widening *to, double theta);

static inline void winnow_subtract(WinnowWeights *weights, size_t at)
{
    weights->w[at] = weights->half[at] - weights->other_half[at];
}

#endif
