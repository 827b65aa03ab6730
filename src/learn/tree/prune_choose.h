/*
 * Chooses the complexity parameter of a tree by validation (Breiman et al. 1984, section 3.4): trees are grown without one fold of the rows each, pruned
 * with the sequence of the full tree, and their losses on the rows of the fold are added up.
 *
 *     regression       the tree with the least mean squared error
 *     classification   of the trees whose error rate is within one standard error of the least, the one with the least Brier score
 *
 * Of several equal ones the smallest is chosen.
 *
 * Folds are stratified by class and drawn by the seed; the row numbers of all processes count, so that the choice does not depend on where rows lie.
 */
#ifndef LEARN_TREE_PRUNE_CHOOSE_H
#define LEARN_TREE_PRUNE_CHOOSE_H

#include "learn/tree/prune.h"

typedef struct {
    const Bins *bins;
    Grower *grower; /* for the trees of the folds */
    uint64_t seed;
    uint32_t folds;
    uint32_t runs; /* folds that are validated on: all, or 1 for one held-out part */
    double center; /* regression: node values are relative to it */
    Status (*grow)(void *user, Grower *grower, const uint32_t *rows, uint32_t count);
    void *user;
} PruneValidation;

/* Fills in the losses and errors of the steps. *best: the one to choose. */
Status clv_prune_choose(const PruneValidation *validation, PruneSequence *sequence, uint32_t *best,
                        cleave_error *error);

#endif
