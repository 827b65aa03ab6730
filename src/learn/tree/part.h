/* The newest trees of a builder, usable for prediction before a model exists. It has its own
 * sorted nodes and slots, so that rows are laid out only for these trees; values and sets belong
 * to the builder. */
#ifndef LEARN_TREE_PART_H
#define LEARN_TREE_PART_H

#include "learn/tree/trees.h"

typedef struct {
    Trees trees; /* valid until the builder adds a tree */
    Context *context;
    uint32_t *start;
    TreeNode *node;
    TreeSlot *slot;
} TreesPart;

/* Prepares the trees from `first` on. */
Status clv_trees_part(TreesPart *part, const TreesBuilder *builder, uint32_t first,
                      cleave_error *error);
void clv_trees_part_free(TreesPart *part); /* accepts an object of zeros */

/* Adds the predictions of the trees from *count on to sums, rows * outputs, as
 * clv_trees_add_scores does; sets *count to the number of trees. */
Status clv_trees_extend_scores(const TreesBuilder *builder, const Block *block, uint32_t *count,
                               size_t outputs, double *sums, cleave_error *error);

#endif
