/*
 * What the files that grow a tree share, and nobody else needs: leaves that may be split, the best split of one (grow_search.c), the histograms they hold
 * (grow_histograms.c), what the rows of nodes come to (grow_nodes.c), and splitting the best one after the other (grow.c).
 */
#ifndef LEARN_TREE_GROWING_H
#define LEARN_TREE_GROWING_H

#include "learn/tree/drawn.h"
#include "learn/tree/node_rows.h"
#include "learn/tree/split.h"

#define NO_SPLIT UINT32_MAX

/* What there is of each node while the tree grows, beside the node. */
typedef struct {
    NodeSum sum;
    Split split;           /* column NO_SPLIT: none */
    Histogram histogram;   /* may be empty */
    NodeRows *gathered;    /* of several processes: the rows that all have of it; NULL: each has its own */
    uint32_t first, count; /* of gathered->row */
} Leaf;

struct GrowWorkspace {
    HistogramMaker maker;
    SplitRules rules;
    SplitWorkspace *searching; /* one for each worker */
    unsigned workers;
    uint32_t *spare_rows; /* those that go right, for a moment */
    uint32_t *lefts;      /* of each chunk, how many go left */
    Leaf *leaf;           /* of each node */
    size_t leaf_capacity;
    uint32_t **spare_count; /* buffers of class counts that no open leaf uses */
    size_t spare_counts, spare_count_capacity, counts;
    uint32_t *open; /* leaves with a split */
    size_t opens, open_capacity;
    DrawnColumns drawn;
    Split *found;     /* by drawn column */
    Histogram *spare; /* histograms nobody holds */
    size_t spares, spare_capacity, alive, most_alive;
    uint64_t most_gathered; /* a node of so many rows, or fewer, is grown on from what all processes have of it */
    uint64_t number;        /* of the tree */
};

/* Whether there may be a split of the node at all. */
bool clv_grow_may_split(const Grower *grower, uint32_t node);
/* The node's best split; where it has one, it is open from now on. */
Status clv_grow_search(Grower *grower, uint32_t node, cleave_error *error);

/* The node's histogram, where its search will want one. */
Status clv_grow_make_histogram(Grower *grower, uint32_t node, cleave_error *error);
/* The same of both children, left and left + 1: one is summed, the other what is left of the parent's. */
Status clv_grow_make_histograms(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error);
/* None is fine. */
void clv_grow_drop_histogram(struct GrowWorkspace *workspace, Histogram *histogram);

static inline bool has_histogram(const Leaf *leaf)
{
    return leaf->histogram.pair || leaf->histogram.count;
}

/* Returns the class counts of a node that is no longer open to the spare buffers. */
void clv_grow_drop_counts(struct GrowWorkspace *workspace, NodeSum *sum);
/* A leaf of these rows: of Grower.row, count of them from first on. */
Status clv_grow_add_node(Grower *grower, uint32_t first, uint32_t count, uint32_t depth, cleave_error *error);
/* What the root's rows come to; it is of these, NULL: of the first count of all. */
Status clv_grow_sum_root(Grower *grower, const uint32_t *rows, uint32_t count, cleave_error *error);
/* What the rows of both children, left and left + 1, come to; how many those are is known. */
Status clv_grow_sum_children(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error);

/* Sums of several processes. */
static inline Status grow_add_up(const Grower *grower, void *numbers, size_t count, size_t bytes, cleave_error *error)
{
    const Collective *collective = grower->bins->collective;

    return collective ? collective->add_up(collective->user, numbers, count, bytes, error) : OK;
}

#endif
