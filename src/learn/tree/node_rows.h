/*
 * The rows of a small node, gathered from all processes that grow a tree together. The cost of
 * exchanging a histogram does not depend on the number of rows. Once the rows are smaller than the
 * histogram, every process receives them and grows the subtree below the node without
 * communication.
 */
#ifndef LEARN_TREE_NODE_ROWS_H
#define LEARN_TREE_NODE_ROWS_H

#include "learn/tree/targets.h"

typedef struct {
    uint32_t users;  /* number of nodes that share these rows */
    Bins bins;       /* bins of these rows only, in the same ranges */
    Targets targets; /* targets of these rows */
    uint32_t *row;   /* rows of a node are adjacent and ascending */
    uint32_t *spare; /* scratch space of the same size */
} NodeRows;

/* Gathers the listed rows of every process. */
Status clv_node_rows_new(const Bins *bins, const Targets *targets, const uint32_t *rows,
                         uint32_t count, NodeRows **gathered, cleave_error *error);
/* Releases one user; the last one frees the rows. Accepts NULL. */
void clv_node_rows_drop(NodeRows *gathered);

#endif
