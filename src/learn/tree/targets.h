/*
 * What the rows ask of a tree, as whole numbers: sums of whole numbers are exact, so a histogram is the same in whatever order, by
 * however many threads or machines it was summed, a parent minus a child is the other child, and trees are the same byte for byte.
 *
 *     classes      a label and a weight; weights that are whole are taken as they are, others in units that make their total 2^31
 *     gradients    g of 16 bits with a sign, h of 16 bits, each in units of the largest; h that are whole and small are taken as they are, so
 *                  that sums of 1 are numbers of rows. Where a few g are so much larger than the others that differences between these would be rounded away, g has
 *                  31 bits, and g and h are summed apart
 *
 * With squared errors, g = weight (prediction - target) and h = weight: the gain is then what the split takes from the sum of squares.
 */
#ifndef LEARN_TREE_TARGETS_H
#define LEARN_TREE_TARGETS_H

#include "learn/tree/bins.h"

typedef struct {
    Context *context;
    const Bins *bins; /* what is as long as the rows lies in their room */
    uint32_t rows;
    /* Gradients: g * 2^32 + h of each row, so that one addition sums both. */
    int64_t *packed;
    double gradient_unit, hessian_unit;
    struct TargetExtent *extent; /* targets.c's own */
    bool whole;                  /* hessians are whole numbers, in units of 1 */
    /* 0: numbers are rounded to the nearest. Otherwise up or down, as a sequence of row numbers says that begins here, so that sums of many
     * that are far below a unit come to what they should: in boosting few rows ask for much, and many for next to nothing. */
    uint32_t dither;
    bool alone;     /* set by the owner, who is one of several threads: uses no others */
    bool unbounded; /* set by the owner: gradients may be as far apart as numbers are; only then … */
    bool fine;      /* … gradients have 31 bits: sums of g * 2^32 + h would overflow */
    /* Classes; NULL label: gradients. */
    uint32_t classes;
    const uint32_t *label;
    uint32_t *weight; /* NULL: all 1 */
    double weight_unit;
} Targets;

/* The bins must outlive it; weight may be NULL, and changed for the next tree by clv_targets_weigh. */
Status clv_targets_classes(Targets *targets, const Bins *bins, uint32_t classes, cleave_error *error);
Status clv_targets_weigh(Targets *targets, const float *weight, cleave_error *error);

Status clv_targets_gradients(Targets *targets, const Bins *bins, cleave_error *error);
/* Takes them in; hessian NULL: all 1. Finite, hessians not below 0. */
Status clv_targets_set(Targets *targets, const float *gradient, const float *hessian, cleave_error *error);
void clv_targets_free(Targets *targets);

#endif
