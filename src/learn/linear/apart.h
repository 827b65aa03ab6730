/*
 * Separators learned apart from a common start, and put together as their average, every worker counting by its rows: local
 * iterations, then average (McDonald, Hall and Mann 2010; Zinkevich, Weimer, Smola and Li 2010).
 *
 * A worker ends with w_k = keep_k w_0 + d_k: steps with a penalty shrink every weight, and rows change few of them. What it gives
 * is rows keep_k and rows d_k, which is 0 where no row of its has the feature. The average is then Σ keep / n w_0 + Σ d / n.
 */
#ifndef LEARN_LINEAR_APART_H
#define LEARN_LINEAR_APART_H

#include "learn/linear/linear.h"

/* Weights that are scale * w; the biases as they are. factor, one for each output or NULL: what w itself was multiplied by, rounding,
 * since the start. */
typedef struct {
    const Linear *w;
    double scale;
    const double *factor;
} Apart;

/* Parts "keep", "w" and "bias". */
Status clv_apart_give(Apart ours, Apart start, double rows, Delta *delta, cleave_error *error);
/* w, as it was at the start, becomes the average. There must be room for all of the sum: see clv_apart_features. */
void clv_apart_take(Linear *w, double *scale, double rows, const Delta *sum);
/* Raises *features to those a part laid out as w speaks of; an error where they are more than there can be: a sum may come from outside. */
Status clv_apart_features(const Delta *sum, const char *part, size_t outputs, uint32_t *features, cleave_error *error);

/* Numbers beside the weights: rows times what was added to each since the start; and the mean of that put in. */
Status clv_apart_give_numbers(const char *part, const double *ours, const double *start, size_t count, double rows,
                              Delta *delta, cleave_error *error);
void clv_apart_take_numbers(const char *part, double *numbers, size_t count, double rows, const Delta *sum);

/* 0 where a difference of numbers about so large is the rounding of weights that were multiplied by a common factor. */
static inline double apart_unless_rounding(double difference, double size)
{
    return fabs(difference) <= size * 0x1p-22 ? 0 : difference;
}

#endif
