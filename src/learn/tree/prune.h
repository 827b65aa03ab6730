/*
 * Cutting a tree back by rows it has not seen (reduced-error pruning: Quinlan 1987): from the leaves up, a node becomes a leaf where those rows are
 * answered at least as well without what is below it.
 */
#ifndef LEARN_TREE_PRUNE_H
#define LEARN_TREE_PRUNE_H

#include "learn/tree/grow.h"

typedef struct {
    double grown, pruned; /* loss on the rows held out: errors, or squares; weighted, as means */
    double train;         /* of the tree as grown, on the rows it was grown from */
    uint32_t leaves;      /* it had */
} Pruning;

/* held: rows of the bins that the tree was not grown from. Afterwards they count in the leaves as the others do. */
Status clv_prune(Grower *grower, const uint32_t *held, uint32_t count, Pruning *pruning, cleave_error *error);

#endif
