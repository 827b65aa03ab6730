/*
 * Explains predictions of trees (Saabas 2014). Each node has a mean: the mean of the leaves below
 * it, weighted by training rows. The change of the mean at a split is the contribution of its
 * column. The score is the sum of all contributions and the means of the roots.
 */
#ifndef LEARN_TREE_PATHS_H
#define LEARN_TREE_PATHS_H

#include "learn/tree/trees.h"

typedef struct {
    size_t output, outputs; /* as in clv_trees_add_scores */
    double scale;           /* factor of all leaf values */
} PathOutput;

/* Implements MethodInspection.contributions. *intercept is the sum of the means of the roots.
 * Returns false if the model has no node weights, or if memory is exhausted. */
bool clv_path_contributions(const Trees *trees, Context *context, const Block *block, uint32_t row,
                            const PathOutput *output, double *contributions, double *intercept);

#endif
