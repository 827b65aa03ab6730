/*
 * The rows of a small node, gathered from all processes that grow a tree together. Sending a node's histogram costs its cells, however few rows there are;
 * once its rows cost less, every process gets them, and grows what is below the node by itself, without another word.
 */
#ifndef LEARN_TREE_NODE_ROWS_H
#define LEARN_TREE_NODE_ROWS_H

#include "learn/tree/targets.h"

typedef struct {
    uint32_t users;  /* nodes that have rows of it */
    Bins bins;       /* these rows alone, as all rows are binned */
    Targets targets; /* what they ask for */
    uint32_t *row;   /* those of a node together, ascending in it */
    uint32_t *spare; /* as many */
} NodeRows;

/* The rows listed, of each process its own. */
Status clv_node_rows_new(const Bins *bins, const Targets *targets, const uint32_t *rows, uint32_t count,
                         NodeRows **gathered, cleave_error *error);
/* A user less; the last one frees it. NULL is fine. */
void clv_node_rows_drop(NodeRows *gathered);

#endif
