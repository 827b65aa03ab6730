/*
 * Private header of the files that grow a tree: leaves that may be split, the best split of a leaf
 * (grow_search.c), histograms of leaves (grow_histograms.c), sums over the rows of nodes
 * (grow_nodes.c), and best-first growth (grow.c).
 */
#ifndef LEARN_TREE_GROWING_H
#define LEARN_TREE_GROWING_H

#include "learn/tree/drawn.h"
#include "learn/tree/node_rows.h"
#include "learn/tree/split.h"

#define NO_SPLIT UINT32_MAX

/* State of a node during growth. */
typedef struct {
    NodeSum sum;
    Split split;         /* best split; column NO_SPLIT: none */
    Histogram histogram; /* may be empty */
    /* several processes: the gathered rows of the node; NULL: each process has its own */
    NodeRows *gathered;
    uint32_t first, count; /* range in gathered->row */
} Leaf;

struct GrowWorkspace {
    HistogramMaker maker;
    SplitRules rules;
    SplitWorkspace *searching; /* scratch space of each worker */
    unsigned workers;
    uint32_t *spare_rows; /* scratch: rows that go right */
    uint32_t *lefts;      /* per chunk: number of rows that go left */
    Leaf *leaf;           /* per node */
    size_t leaf_capacity;
    uint32_t **spare_count; /* buffers of class counts that no open leaf uses */
    size_t spare_counts, spare_count_capacity, counts;
    uint32_t *open; /* leaves that have a split */
    size_t opens, open_capacity;
    DrawnColumns drawn;
    Split *found;     /* best split of each sampled column */
    Histogram *spare; /* unused histograms */
    size_t spares, spare_capacity, alive, most_alive;
    uint64_t most_gathered; /* a node of at most this many rows is gathered from all processes */
    uint64_t number;        /* number of the tree */
};

/* Whether the node can have a split. */
bool clv_grow_may_split(const Grower *grower, uint32_t node);
/* Finds the best split of the node and adds the node to the open leaves if it has one. */
Status clv_grow_search(Grower *grower, uint32_t node, cleave_error *error);

/* Computes the node's histogram if its search needs one. */
Status clv_grow_make_histogram(Grower *grower, uint32_t node, cleave_error *error);
/* Makes the histograms of both children, left and left + 1. One is summed, the other is the
 * difference from the parent. */
Status clv_grow_make_histograms(Grower *grower, uint32_t parent, uint32_t left,
                                cleave_error *error);
/* Accepts NULL. */
void clv_grow_drop_histogram(struct GrowWorkspace *workspace, Histogram *histogram);

static inline bool has_histogram(const Leaf *leaf)
{
    return leaf->histogram.pair || leaf->histogram.count;
}

/* Returns the class counts of a node that is no longer open to the spare buffers. */
void clv_grow_drop_counts(struct GrowWorkspace *workspace, NodeSum *sum);
/* Makes a leaf of `count` rows of Grower.row from `first` on. */
Status clv_grow_add_node(Grower *grower, uint32_t first, uint32_t count, uint32_t depth,
                         cleave_error *error);
/* Sums over the root's rows: the given rows, or the first `count` rows if rows is NULL. */
Status clv_grow_sum_root(Grower *grower, const uint32_t *rows, uint32_t count, cleave_error *error);
/* Sums over the rows of both children, left and left + 1. Their numbers of rows are known. */
Status clv_grow_sum_children(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error);

/* Adds the sums of several processes. */
static inline Status grow_add_up(const Grower *grower, void *numbers, size_t count, size_t bytes,
                                 cleave_error *error)
{
    const Collective *collective = grower->bins->collective;

    return collective ? collective->add_up(collective->user, numbers, count, bytes, error) : OK;
}

#endif
