/*
 * Targets of rows as integers. Sums of integers are exact: histograms do not depend on the order of
 * summation, a parent minus a child is the other child, and trees are bit-identical for any number
 * of threads or processes.
 *
 *     classes      a label and a weight; integer weights are used directly, others in units that
 *                  make their total 2^31
 *     gradients    g with 16 bits and sign, h with 16 bits, each in units of the largest; small
 *                  integers h are used directly, so that sums of 1 count rows. If a few g are so
 *                  large that the others would be rounded away, g has 31 bits, and g and h are
 *                  summed separately
 *
 * For squared error, g = weight (prediction - target) and h = weight. The gain is then the decrease
 * of the sum of squares.
 */
#ifndef LEARN_TREE_TARGETS_H
#define LEARN_TREE_TARGETS_H

#include "learn/tree/bins.h"

typedef struct {
    Context *context;
    const Bins *bins; /* its workspace holds the per-row arrays */
    uint32_t rows;
    /* Gradients: g * 2^32 + h per row, so that one addition sums both. */
    int64_t *packed;
    double gradient_unit, hessian_unit;
    struct TargetExtent *extent; /* private to targets.c */
    bool whole;                  /* hessians are integers, in units of 1 */
    /* 0: round to nearest. Otherwise: round up or down by a sequence that starts with this number,
     * so that sums of many small values are unbiased. In boosting few rows have large gradients and
     * many have gradients near 0. */
    uint32_t dither;
    /* set by the owner: uses no threads, because the owner runs in one of several threads */
    bool alone;
    bool unbounded; /* set by the owner: gradients may have any range */
    /* gradients have 31 bits, only if unbounded: sums of g * 2^32 + h would overflow */
    bool fine;
    /* Arrays for classes; label NULL: gradients. */
    uint32_t classes;
    const uint32_t *label;
    uint32_t *weight; /* NULL: all 1 */
    double weight_unit;
} Targets;

/* The bins must outlive the targets. weight may be NULL; clv_targets_weigh changes it for the next
 * tree. */
Status clv_targets_classes(Targets *targets, const Bins *bins, uint32_t classes,
                           cleave_error *error);
Status clv_targets_weigh(Targets *targets, const float *weight, cleave_error *error);

Status clv_targets_gradients(Targets *targets, const Bins *bins, cleave_error *error);
/* Sets gradients and hessians; hessian NULL: all 1. Values must be finite, and hessians at least
 * 0. */
Status clv_targets_set(Targets *targets, const float *gradient, const float *hessian,
                       cleave_error *error);
void clv_targets_free(Targets *targets);

#endif
