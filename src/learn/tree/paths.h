/*
 * Why trees answer a row as they do (Saabas 2014): on its way down a row passes nodes, each with a mean of its own, that of the leaves below by what their
 * training rows weigh; what the mean changes by at a question is the share of the column asked about. All shares and the means of the roots
 * are the score.
 */
#ifndef LEARN_TREE_PATHS_H
#define LEARN_TREE_PATHS_H

#include "learn/tree/trees.h"

typedef struct {
    size_t output, outputs; /* as of clv_trees_add_scores */
    double scale;           /* of all leaves */
} PathOutput;

/* Method.shares: sets the share of each entry of the row, and *bias to what is left: means of the roots, and what columns came to that the row
 * does not mention, being 0. False where the model has not kept what nodes weigh, or there is no memory. */
bool clv_path_shares(const Trees *trees, Context *context, const Block *block, uint32_t row, const PathOutput *output,
                     double *shares, double *bias);

#endif
