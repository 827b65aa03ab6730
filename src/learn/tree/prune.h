/*
 * Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3). For a
 * complexity parameter alpha, the pruned tree minimizes
 *
 *     R(T) + alpha * leaves(T)
 *
 * R(T) is the weighted impurity of the leaves (mean squared error for regression), divided by the
 * weight of all rows. The pruned trees are nested: a node becomes a leaf at one value of alpha, and
 * stays a leaf for every larger one. Units are those of scikit-learn's ccp_alpha.
 *
 * R(node) - R(subtree) is the sum of the gains of the subtree's splits, so that impurities are not
 * computed again. Gains come from sums of integers: the sequence is bit-identical for any number of
 * threads and processes.
 */
#ifndef LEARN_TREE_PRUNE_H
#define LEARN_TREE_PRUNE_H

#include "learn/tree/grow.h"

/* A tree of the sequence of pruned trees. */
typedef struct {
    double alpha; /* smallest alpha of this tree */
    /* geometric mean of this alpha and the next one; infinite for the root alone */
    double midpoint;
    uint32_t leaves;
    double loss, error; /* loss and error on validation rows; see prune_choose.h */
} PruneStep;

typedef struct {
    PruneStep *step; /* steps from the full tree (alpha 0) to the root alone */
    uint32_t count;
} PruneSequence;

/* Computes for each node the smallest complexity parameter at which it is a leaf; 0 for leaves.
 * alpha has tree->nodes elements. */
Status clv_prune_alphas(Context *context, const GrowTree *tree, double *alpha, cleave_error *error);
/* Computes the sequence of pruned trees. Trees are dropped from a long sequence, so that
 * consecutive trees differ by a few percent of their leaves. The caller frees step. */
Status clv_prune_sequence(Context *context, const GrowTree *tree, const double *alpha,
                          PruneSequence *sequence, cleave_error *error);
/* Turns the nodes whose alpha is at most this into leaves. */
void clv_prune_tree(GrowTree *tree, const double *alphas, double alpha);

#endif
