/*
 * A tree of boxes over points of few columns, as named arrays: what the kd-tree and the quadtree are once they are built. A node has up to
 * sixteen children with the smallest box around the points of each, column by column, so that one vector instruction works on a column of all
 * of them; points lie in blocks of sixteen, column by column, too. A leaf is one block or several.
 *
 *     index_boxes     of each node, of each column: 16 lowest values, 16 highest; of no child +inf, -inf
 *     index_children  of each node 16 pairs (first, blocks): the blocks of a leaf; (node, 0); of no child (0, 0). Node 0 is the root
 *     index_values    of each block, of each column: 16 values; of no point NaN, which no comparison takes in
 *     index_rows      of each block: 16 rows; of no point NO_ROW
 *
 * What may be skipped. Distances to boxes and to the points of a block are computed with 32 bits, and only hold points back: with u = 2^-24,
 * a difference is off by a factor 1±u, exactly or not at all below the normal numbers; a square of it by (1±u)³ and at most 2^-150; a sum of
 * d of them by (1±u)^(d+3) and d·2^-149, fused or not. The key K of metric.h, of 64 bits, is off by less than (1±2^-53)^(d+3). So K <= b means
 * that the computed sum is at most b·(1 + 2(d+4)u) + d·2^-147, for d below 2^22; boxes hold their points, and max and differences are monotone
 * under rounding, so that of a box is not above its points'. Two more units in both terms pay for making that number one of 32 bits, which is
 * the threshold; above their largest it is +inf, and nothing is above that: whatever overflows is looked at. Points that are not held back
 * get K itself. A Lr distance D is not below d^-max(0, 1/2-1/r) times the Euclidean one, which is what is asked instead.
 */
#ifndef LEARN_NEIGHBOR_BOXTREE_H
#define LEARN_NEIGHBOR_BOXTREE_H

#include "learn/neighbor/index.h"

#include <float.h>

enum { BOX_LANES = 16, BOX_MOST_DEPTH = 64, BOX_USUAL_LEAF = 48 };
#define NO_ROW UINT32_MAX

typedef struct {
    uint32_t first, blocks;
} BoxChild;

typedef struct BoxSearch BoxSearch;
typedef void BoxWalk(BoxSearch *search);

typedef struct {
    BoxWalk *walk; /* the machine's */
    uint32_t columns, nodes, blocks;
    const float *boxes;
    const BoxChild *child;
    const float *value;
    const uint32_t *row;
} BoxTree;

/* What a walk compares by: Lr walks by squares. */
typedef enum { BOX_SQUARES, BOX_SUM, BOX_LARGEST } BoxForm;

struct BoxSearch {
    const Index *index;
    const BoxTree *tree;
    const Query *query;
    Nearest *nearest;
    BoxForm form;
    bool ask;       /* keys are clv_metric_key's: Lr, or columns that the tree does not know */
    double key_off; /* factor that pays for the rounding of keys */
    double off;     /* factor for that of distances of 32 bits, and what they lose to underflow */
    double lost;
    double outside; /* what columns past the tree's add to every key, or less */
};

double clv_boxtree_squares(const BoxSearch *search, double bound); /* of a bound of Lr keys */

/* A number that a computed distance is above only where no key can be within the bound. */
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
/* Those this machine can run, from plain to fastest; NULL past the last. */
BoxWalk *clv_boxtree_walk_at(size_t number);

/* ---- what the kinds have in common --------------------------------------------------------------------------------- */

Status clv_boxtree_suits(const char *name, const Metric *metric, const Vectors *vectors, cleave_error *error);
bool clv_boxtree_read(const Index *index, const Bundle *from, void *parts);
Status clv_boxtree_check(const Index *index, const Bundle *from, cleave_error *error);
Status clv_boxtree_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                          SearchWorkspace *workspace, cleave_error *error);
Status clv_boxtree_inside(const Index *index, const float *low, const float *high, Nearest *found, cleave_error *error);

/* ---- building ------------------------------------------------------------------------------------------------------ */

typedef struct {
    Context *context;
    cleave_error *error;
    uint32_t columns;
    const float *point; /* rows of `stride` floats */
    size_t stride;
    float *spread;      /* of sparse vectors; NULL: they are dense */
    uint64_t *to_place; /* points that are not removed, the row below 2^32; what is above is the kind's */
    uint32_t count, leaf;
    float *boxes;
    BoxChild *child;
    float *value;
    uint32_t *row;
    uint32_t nodes, blocks;
    size_t box_capacity, child_capacity, value_capacity, row_capacity;
    uint64_t work; /* since cancellation was polled last */
} BoxBuilder;

/* For so many points looked at; CLEAVE_ERROR_CANCELLED where the caller wants the call to end. */
static inline Status boxbuilder_poll(BoxBuilder *builder, uint64_t points)
{
    return clv_cancelled_after(builder->context, &builder->work, points * (4 + builder->columns))
               ? clv_fail(builder->error, CLEAVE_ERROR_CANCELLED, "interrupted")
               : OK;
}

/* Puts the arrays into a bundle: `fill` adds the children of the root, if there are points. */
typedef Status BoxFill(BoxBuilder *builder, uint32_t root);
Status clv_boxtree_build(const Index *index, BoxFill *fill, Bundle *into, cleave_error *error);
/* A node without children. */
Status clv_boxbuilder_node(BoxBuilder *builder, uint32_t *node);
/* Child `lane` of a node: a leaf of points as in to_place; or a node that has its children. */
Status clv_boxbuilder_leaf(BoxBuilder *builder, uint32_t node, uint32_t lane, const uint64_t *points, uint32_t count);
void clv_boxbuilder_child(BoxBuilder *builder, uint32_t node, uint32_t lane, uint32_t child);

#endif
