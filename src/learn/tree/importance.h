/*
 * How much columns matter to an ensemble.
 *
 *     gain          what all splits by the column gained together, as a share of what all splits did (Breiman et al. 1984): from the model, at once;
 *                   columns of many values are favoured
 *     permutation   how much worse the trees answer the rows out of their bags when each takes the column's value of another of them, drawn
 *                   (Breiman 2001): from the training rows, tree by tree
 */
#ifndef LEARN_TREE_IMPORTANCE_H
#define LEARN_TREE_IMPORTANCE_H

#include "learn/tree/bag.h"
#include "learn/tree/trees.h"

/* Adds to gains, by feature, what the model's trees gained; false where it has not been kept. */
bool clv_importance_gains(const Model *model, double *gains);

/* One for each thread. */
typedef struct {
    Context *context;
    const Bins *bins;
    uint32_t *asked; /* of each column, the last row on whose way it is, from 1 */
    size_t outputs;
    uint32_t positive;
} Permuting;

Status clv_permuting_init(Permuting *permuting, const Bins *bins, size_t outputs, uint32_t positive,
                          cleave_error *error);
void clv_permuting_free(Permuting *permuting);
/* harm, by column: the loss (share of errors, mean square) of rows out of the bag with the column permuted, less their loss as they are.
 * nodes: where the rows end as they are; values: outputs numbers for each node. */
void clv_permute(Permuting *permuting, const Grower *grower, const Bag *bag, const uint32_t *nodes,
                 const double *values, uint64_t seed, uint64_t tree, double *harm);

#endif
