/*
 * Columns that are drawn by chance: some of all for a tree, and of those some for each node (Ho 1998; Breiman 2001). What is drawn depends on the seed and the numbers of
 * tree and node alone.
 */
#ifndef LEARN_TREE_DRAWN_H
#define LEARN_TREE_DRAWN_H

#include "learn/tree/grow.h"

typedef struct {
    uint32_t *of_tree, count; /* ascending */
    uint32_t *of_node; /* the same ones: those that are drawn, ascending, then the others as they would be drawn */
} DrawnColumns;

Status clv_drawn_init(DrawnColumns *drawn, Context *context, uint32_t columns, cleave_error *error);
void clv_drawn_free(DrawnColumns *drawn, Context *context);
void clv_draw_for_tree(DrawnColumns *drawn, const GrowOptions *options, uint32_t columns, uint64_t tree);
/* How many of a node's columns are drawn. */
uint32_t clv_draw_for_node(DrawnColumns *drawn, const GrowOptions *options, uint64_t tree, uint32_t node);
/* So many of count, at least 1; a share of 0 is all. */
uint32_t clv_drawn_share(double share, uint32_t count);

#endif
