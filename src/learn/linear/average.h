/*
 * Averages weights that several workers train from a common start. Each worker runs local epochs
 * and is weighted in the average by its number of rows (McDonald, Hall and Mann 2010; Zinkevich,
 * Weimer, Smola and Li 2010).
 *
 * A worker ends with w_k = keep_k w_0 + d_k. The penalty shrinks every weight, and rows change few
 * of them. The worker gives rows * keep_k and rows * d_k; d_k is 0 for features that its rows lack.
 * With n rows in all, the average is (Σ keep / n) w_0 + Σ d / n.
 */
#ifndef LEARN_LINEAR_AVERAGE_H
#define LEARN_LINEAR_AVERAGE_H

#include "learn/linear/linear.h"

/* Weights scale * w; the scale does not apply to the intercepts. factor (per output, or NULL) is
 * the product of all factors that w was multiplied by since the start, with rounding. */
typedef struct {
    const Linear *w;
    double scale;
    const double *factor;
} LocalWeights;

/* Gives the parts "keep", "w" and "bias". */
Status clv_average_give(LocalWeights ours, LocalWeights start, double rows, Delta *delta,
                        cleave_error *error);
/* Replaces w, which holds the start, by the average. w must have memory for all features of the
 * sum; see clv_average_features. */
void clv_average_take(Linear *w, double *scale, double rows, const Delta *sum);
/* Raises *features to the number of features in a part with the layout of w. Fails if it exceeds
 * the limit, because a sum may come from an untrusted file. */
Status clv_average_features(const Delta *sum, const char *part, size_t outputs, uint32_t *features,
                            cleave_error *error);

/* Numbers other than weights: gives rows times the change since the start, and applies the mean
 * change. */
Status clv_average_give_numbers(const char *part, const double *ours, const double *start,
                                size_t count, double rows, Delta *delta, cleave_error *error);
void clv_average_take_numbers(const char *part, double *numbers, size_t count, double rows,
                              const Delta *sum);

/* Returns 0 if a difference of numbers of this size is only the rounding error of multiplying
 * the weights by a common factor. */
static inline double difference_unless_rounding(double difference, double size)
{
    return fabs(difference) <= size * 0x1p-22 ? 0 : difference;
}

#endif
