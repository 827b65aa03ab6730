/*
 * R-trees (Guttman 1984): a page has the boxes of its children, a leaf the points, or the rectangles, themselves; siblings may overlap, all leaves
 * are equally deep. A page is made for a page of a disk: 4,096 bytes unless told otherwise, with everything that a search wants to know in it, so
 * that the vectors are not looked at. Trees that are only searched may lie in a mapped file; the first change makes a copy of one's own.
 *
 * A page is words of 32 bits: how many entries, the level (leaves have 0), 14 that are 0; then the numbers of the entries (pages, or in leaves what
 * they stand for). Entries are sixteen to a group; a page with several has the box of each next, for each column the lower sides of all groups, then
 * the upper ones. Last come the groups: for each column the lower sides of its entries, one beside the other, then the upper ones, but in leaves of
 * points. So several distances are computed in one register, and of a large page only the groups that matter come from memory.
 *
 * Sides are values of 32 bits that the entries below have, so that boxes contain what they should without rounding. The key (metric.h) of a box is
 * computed from them by the operations of a point's, in the same order. Each of these is monotone, rounded or not: it is never above the key of a
 * point within. (Powers alone are not proved to be; boxes have a margin, see rtree_search.c.)
 */
#ifndef LEARN_NEIGHBOR_RTREE_H
#define LEARN_NEIGHBOR_RTREE_H

#include "base/number.h"
#include "learn/neighbor/index.h"
#include "learn/neighbor/rtree_loops.h"

enum {
    RTREE_HEADER = 16,
    RTREE_DEPTH = 64,
    RTREE_PAGE = 4096,
    RTREE_WIDEST_SPARSE = 1024,
    RTREE_FANOUT = 3,
    RTREE_GROUP = 16
};

/* How large pages are; fanout at least RTREE_FANOUT, which can be split; 0: what a page of RTREE_PAGE bytes holds. */
typedef struct {
    uint32_t width; /* columns */
    bool points;    /* the lower and upper sides of what leaves hold are the same */
    uint32_t leaf, fanout;
} RtreeShape;

/* Where things are in pages of one sort, in words. */
typedef struct {
    uint32_t capacity; /* entries */
    uint32_t group, groups;
    uint32_t group_stride; /* floats from one column of the groups' boxes to the next; 0: they have none */
    size_t boxes, sides, group_words;
    bool pairs; /* lower and upper sides, not only one */
} RtreePlan;

/* Entries without a page, yet. */
typedef struct {
    uint32_t *level, *id;
    float *sides; /* of each: the lower, then the upper */
    uint32_t count;
    size_t level_capacity, id_capacity, sides_capacity;
} RtreeLoose;

typedef struct {
    Context *context;
    RtreeShape shape;
    RtreePlan leaf, branch;
    size_t page_words;
    uint32_t page_count, root;
    const uint32_t *pages;
    /* Of a tree that was built here or changed. */
    uint32_t *own; /* pages, then */
    size_t own_capacity;
    uint32_t *place, *parent; /* of each number in a leaf, and of each page: the page it is in; NULL: not changed yet */
    size_t place_capacity, parent_capacity;
    uint32_t free_page; /* the first of a chain by word 0; RTREE_NONE: none */
    RtreeLoose loose;
    void *workspace; /* of a split */
    size_t room_capacity;
    uint64_t pushed_out; /* a bit of each level where entries were put in anew already, during this change */
    bool lost;           /* memory was short in the middle of a change: there may be entries missing */
} Rtree;

#define RTREE_NONE UINT32_MAX

static inline const uint32_t *rtree_page(const Rtree *tree, uint32_t page)
{
    return tree->pages + page * tree->page_words;
}

static inline uint32_t rtree_count(const uint32_t *page)
{
    return page[0];
}

static inline uint32_t rtree_level(const uint32_t *page)
{
    return page[1];
}

static inline const uint32_t *rtree_ids(const uint32_t *page)
{
    return page + RTREE_HEADER;
}

static inline const RtreePlan *rtree_plan(const Rtree *tree, const uint32_t *page)
{
    return rtree_level(page) ? &tree->branch : &tree->leaf;
}

/* The lower side of an entry in the first column; the others follow, plan->group floats from one to the next. */
static inline const float *rtree_low(const RtreePlan *plan, const uint32_t *page, uint32_t slot)
{
    return (const float *)(page + plan->sides + slot / plan->group * plan->group_words + slot % plan->group);
}

static inline const float *rtree_high(const Rtree *tree, const RtreePlan *plan, const uint32_t *page, uint32_t slot)
{
    const float *low = rtree_low(plan, page, slot);

    return plan->pairs ? low + (size_t)tree->shape.width * plan->group : low;
}

/* The lower side of a group's box in the first column; the others follow, plan->group_stride floats from one to the next, then the upper ones. */
static inline const float *rtree_group(const RtreePlan *plan, const uint32_t *page, uint32_t group)
{
    return (const float *)(page + plan->boxes) + group;
}

static inline uint32_t rtree_capacity(const Rtree *tree, uint32_t level)
{
    return level ? tree->branch.capacity : tree->leaf.capacity;
}

/* The least there is in a page but the root: with two children each, a tree is never deeper than it has bits to count. */
static inline uint32_t rtree_least(const Rtree *tree, uint32_t level)
{
    uint32_t least = rtree_capacity(tree, level) * 2 / 5, fewest = level ? 2 : 1;

    return least > fewest ? least : fewest;
}

/* Rectangles, or points: where `high` is NULL. */
typedef struct {
    uint32_t count;
    const float *low, *high;
    size_t stride; /* floats from one to the next */
} RtreeItems;

/* A number that grows with the value, with room for another of 32 bits. */
static inline uint64_t rtree_sortable(float value)
{
    return (uint64_t)clv_float_order(value) << 32;
}

/* The `place` smallest of them come first, in any order; no two are equal. */
void clv_rtree_select(uint64_t *value, size_t count, size_t place);
/* The boxes of the groups of a page from slot `from` to before `to`, from its entries. */
void clv_rtree_set_groups(const Rtree *tree, uint32_t *page, uint32_t from, uint32_t to);
/* Sizes of pages, for trees that have none yet; false where they cannot be. */
bool clv_rtree_shape(Rtree *tree, const RtreeShape *shape);
/* The pages of the items 0 … count − 1, packed: subsets are cut in halves, in the column where they are most spread out, at a multiple of what a page
 * below holds (White and Jain 1996). */
Status clv_rtree_pack(Context *context, const RtreeShape *shape, const RtreeItems *items, Rtree *tree,
                      cleave_error *error);
void clv_rtree_free(Rtree *tree);

/* A number that is not in it, with its sides; high is low for points. R*-trees' ways (Beckmann and others 1990). */
Status clv_rtree_insert(Rtree *tree, uint32_t id, const float *low, const float *high, cleave_error *error);
/* One that is, if it is; pages with too little go away, and their entries are put in anew. */
Status clv_rtree_remove(Rtree *tree, uint32_t id, cleave_error *error);
/* The pages in use, each before its children: *pages is the caller's, of count pages; the first is the root. */
Status clv_rtree_compact(const Rtree *tree, uint32_t **pages, uint32_t *count, cleave_error *error);

/* Pushes what `nearest` looks for: the distance from a rectangle is that from its nearest point. features: the columns of query->dense. */
Status clv_rtree_search(const Rtree *tree, const RtreeLoops *loops, const Metric *metric, const Query *query,
                        uint32_t features, Nearest *nearest, SearchWorkspace *workspace, cleave_error *error);
/* Pushes, with key 0, all that have a point in common with a rectangle, sides included: points that are in it. */
Status clv_rtree_crossing(const Rtree *tree, const float *low, const float *high, Nearest *found, cleave_error *error);

#endif
