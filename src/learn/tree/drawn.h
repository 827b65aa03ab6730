/*
 * Random subsets of columns: a subset for each tree, and a subset of this subset for each node (Ho
 * 1998; Breiman 2001). A subset depends on the seed and the numbers of tree and node alone.
 */
#ifndef LEARN_TREE_DRAWN_H
#define LEARN_TREE_DRAWN_H

#include "learn/tree/grow.h"

typedef struct {
    uint32_t *of_tree, count; /* in ascending order */
    /* the same columns: first the drawn columns in ascending order, then the others in the order of
     * drawing */
    uint32_t *of_node;
} DrawnColumns;

Status clv_drawn_init(DrawnColumns *drawn, Context *context, uint32_t columns, cleave_error *error);
void clv_drawn_free(DrawnColumns *drawn, Context *context);
void clv_draw_for_tree(DrawnColumns *drawn, const GrowOptions *options, uint32_t columns,
                       uint64_t tree);
/* Draws columns for a node. Returns their number. */
uint32_t clv_draw_for_node(DrawnColumns *drawn, const GrowOptions *options, uint64_t tree,
                           uint32_t node);
/* A fraction of count, at least 1; the fraction 0 means all. */
uint32_t clv_drawn_share(double share, uint32_t count);

#endif
