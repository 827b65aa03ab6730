/*
 * Chooses the complexity parameter of a tree by validation (Breiman et al. 1984, section 3.4). Each
 * validation tree is grown without one fold of the rows and pruned with the sequence of the full
 * tree. The losses on the folds are summed.
 *
 *     regression       the tree with the smallest mean squared error
 *     classification   among the trees with an error rate within one standard error of the
 *                      smallest, the tree with the smallest Brier score
 *
 * If trees are equally good, the smallest is chosen.
 *
 * Folds are stratified by class and drawn by the seed. Rows are numbered over all processes, so
 * that the choice does not depend on the distribution of the rows.
 */
#ifndef LEARN_TREE_PRUNE_CHOOSE_H
#define LEARN_TREE_PRUNE_CHOOSE_H

#include "learn/tree/prune.h"

typedef struct {
    const Bins *bins;
    Grower *grower; /* grower for the trees of the folds */
    uint64_t seed;
    uint32_t folds;
    uint32_t runs; /* number of validation folds: all, or 1 for one held-out part */
    double center; /* regression: number that node values are relative to */
    Status (*grow)(void *user, Grower *grower, const uint32_t *rows, uint32_t count);
    void *user;
} PruneValidation;

/* Computes the losses and errors of the steps. Sets *best to the chosen step. */
Status clv_prune_choose(const PruneValidation *validation, PruneSequence *sequence, uint32_t *best,
                        cleave_error *error);

#endif
