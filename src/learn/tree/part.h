/* The newest trees of a builder, ready to be asked before there is a model: nodes and slots of their own, sorted, so that rows are laid out only by what
 * these trees ask for; values and sets are the builder's. */
#ifndef LEARN_TREE_PART_H
#define LEARN_TREE_PART_H

#include "learn/tree/trees.h"

typedef struct {
    Trees trees; /* good until the builder gets another tree */
    Context *context;
    uint32_t *start;
    TreeNode *node;
    TreeSlot *slot;
} TreesPart;

/* Trees from first on. */
Status clv_trees_part(TreesPart *part, const TreesBuilder *builder, uint32_t first, cleave_error *error);
void clv_trees_part_free(TreesPart *part); /* all 0 is fine */

/* Adds what trees from *count on say to sums, rows * outputs, as clv_trees_add_scores does; *count becomes the number of all. */
Status clv_trees_extend_scores(const TreesBuilder *builder, const Block *block, uint32_t *count, size_t outputs,
                               double *sums, cleave_error *error);

#endif
