/*
 * Feature importance of an ensemble.
 *
 *     gain          total gain of the splits by a column, as a fraction of the gain of all splits
 *                   (Breiman et al. 1984); read from the model; favors columns with many values
 *     permutation   increase of the out-of-bag loss when the values of a column are permuted
 *                   (Breiman 2001); computed from the training rows, tree by tree
 */
#ifndef LEARN_TREE_IMPORTANCE_H
#define LEARN_TREE_IMPORTANCE_H

#include "learn/tree/bag.h"
#include "learn/tree/trees.h"

/* State of a thread. */
typedef struct {
    Context *context;
    const Bins *bins;
    /* per column: number (from 1) of the last row with a split by it on its path */
    uint32_t *last_row;
    size_t outputs;
    uint32_t positive;
} Permuting;

Status clv_permuting_init(Permuting *permuting, const Bins *bins, size_t outputs, uint32_t positive,
                          cleave_error *error);
void clv_permuting_free(Permuting *permuting);
/* harm: per column, the out-of-bag loss (error rate, mean squared error) with the column permuted
 * minus the loss without. nodes: leaves of the rows; values: `outputs` numbers per node. */
void clv_permute(Permuting *permuting, const Grower *grower, const Bag *bag, const uint32_t *nodes,
                 const double *values, uint64_t seed, uint64_t tree, double *loss_increase);

#endif
