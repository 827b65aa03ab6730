/*
 * A tree of boxes over points of few columns, as named arrays: the search form of the kd-tree and
 * the quadtree. A node has up to sixteen children, with the bounding boxes stored by column, so
 * that one vector instruction processes a column of all children. Points are stored in blocks of
 * sixteen, by column. A leaf is one or more blocks.
 *
 *     index_boxes     per node and column: 16 lowest values, 16 highest; no child: +inf, -inf
 *     index_children  per node: 16 pairs (first, blocks) for a leaf; (node, 0); no child: (0, 0).
 *                     Node 0 is the root
 *     index_values    per block and column: 16 values; no point: NaN, which fails every comparison
 *     index_rows      per block: 16 rows; no point: NO_ROW
 *
 * Pruning bound. Distances to boxes and points are computed in float32 and used to skip points
 * only. With u = 2^-24, a difference has a relative error of u; its square (1±u)³ plus at most
 * 2^-150; a sum of d of them (1±u)^(d+3) plus d·2^-149, fused or not. The key K of distance.h, in
 * double, has a relative error below (1±2^-53)^(d+3). Hence K <= b implies that the computed sum is
 * at most b·(1 + 2(d+4)u) + d·2^-147, for d below 2^22. Boxes contain their points, and max and
 * differences are monotone under rounding, so the computed distance of a box is at most that of its
 * points. Two more units in both terms cover the rounding of the threshold to float32. Above the
 * largest float it is +inf, and everything is visited. Points that are not skipped get the exact K.
 * An Lr distance is at least d^-max(0, 1/2-1/r) times the Euclidean distance, which is used for
 * pruning.
 */
#ifndef LEARN_NEIGHBOR_BOXTREE_H
#define LEARN_NEIGHBOR_BOXTREE_H

#include "learn/neighbor/index.h"

#include <float.h>

enum { BOX_LANES = 16, BOX_MOST_DEPTH = 64, BOX_DEFAULT_LEAF = 48 };
#define NO_ROW UINT32_MAX

typedef struct {
    uint32_t first, blocks;
} BoxChild;

typedef struct BoxSearch BoxSearch;
typedef void BoxWalk(BoxSearch *search);

typedef struct {
    BoxWalk *walk; /* search function for this machine */
    uint32_t columns, nodes, blocks;
    const float *boxes;
    const BoxChild *child;
    const float *value;
    const uint32_t *row;
} BoxTree;

/* The distance of the search: Lr prunes by squares. */
typedef enum { BOX_SQUARES, BOX_SUM, BOX_LARGEST } BoxForm;

struct BoxSearch {
    const Index *index;
    const BoxTree *tree;
    const Query *query;
    Nearest *nearest;
    BoxForm form;
    bool uses_metric_key; /* clv_metric_key computes the keys: Lr, or columns outside the tree */
    double key_off;       /* factor for the rounding of keys */
    double off;           /* factor for the rounding of float32 distances, and their underflow */
    double lost;
    double outside; /* lower bound of the key over columns outside the tree */
};

/* the bound on squares for a bound on Lr keys */
double clv_boxtree_squares(const BoxSearch *search, double bound);

/* A threshold: a computed distance above it implies a key above the bound. */
static inline float boxtree_threshold(const BoxSearch *search)
{
    double bound = nearest_bound(search->nearest), most;

    if (search->index->metric.distance == LR)
        bound = clv_boxtree_squares(search, bound);
    most = (bound * search->key_off - search->outside) * search->off + search->lost;
    if (most >= (double)FLT_MAX)
        return INFINITY;
    return most < 0 ? -1 : (float)most;
}

BoxWalk clv_boxtree_walk_plain, clv_boxtree_walk_avx2, clv_boxtree_walk_avx512;
/* The search functions this machine supports, from plain to fastest; NULL after the last. */
BoxWalk *clv_boxtree_walk_at(size_t number);

/* ---- shared by the kinds --------------------------------------------------------------------- */

Status clv_boxtree_suits(const char *name, const Metric *metric, const Vectors *vectors,
                         cleave_error *error);
bool clv_boxtree_read(const Index *index, const Bundle *from, void *parts);
Status clv_boxtree_check(const Index *index, const Bundle *from, cleave_error *error);
Status clv_boxtree_search(const Index *index, const Query *queries, Nearest *nearest,
                          uint32_t count, SearchWorkspace *workspace, cleave_error *error);
Status clv_boxtree_inside(const Index *index, const float *low, const float *high, Nearest *found,
                          cleave_error *error);

/* ---- building -------------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    cleave_error *error;
    uint32_t columns;
    const float *point; /* rows of `stride` floats */
    size_t stride;
    float *spread; /* dense copy of a sparse vector; NULL: dense */
    /* points to place: row in the lower 32 bits, data of the kind in the upper 32 */
    uint64_t *to_place;
    uint32_t count, leaf;
    float *boxes;
    BoxChild *child;
    float *value;
    uint32_t *row;
    uint32_t nodes, blocks;
    size_t box_capacity, child_capacity, value_capacity, row_capacity;
    uint64_t work; /* points visited since the last check for cancellation */
} BoxBuilder;

/* Counts points visited; returns CLEAVE_ERROR_CANCELLED if the caller cancels. */
static inline Status boxbuilder_poll(BoxBuilder *builder, uint64_t points)
{
    return clv_cancelled_after(builder->context, &builder->work, points * (4 + builder->columns))
               ? clv_fail(builder->error, CLEAVE_ERROR_CANCELLED, "interrupted")
               : OK;
}

/* Puts the arrays into a bundle. `fill` adds the children of the root if points exist. */
typedef Status BoxFill(BoxBuilder *builder, uint32_t root);
Status clv_boxtree_build(const Index *index, BoxFill *fill, Bundle *into, cleave_error *error);
/* Adds a node without children. */
Status clv_boxbuilder_node(BoxBuilder *builder, uint32_t *node);
/* Sets child `lane` of a node: a leaf of points in to_place, or a node with children. */
Status clv_boxbuilder_leaf(BoxBuilder *builder, uint32_t node, uint32_t lane,
                           const uint64_t *points, uint32_t count);
void clv_boxbuilder_child(BoxBuilder *builder, uint32_t node, uint32_t lane, uint32_t child);

#endif
