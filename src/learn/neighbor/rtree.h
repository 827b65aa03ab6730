/*
 * R-trees (Guttman 1984). A page has the boxes of its children; a leaf has points or rectangles.
 * Siblings may overlap, and all leaves have the same depth. A page has 4,096 bytes by default and
 * contains everything a search needs, so that the vectors are not read. Trees can be searched in a
 * mapped file; the first change makes a copy.
 *
 * A page consists of 32-bit words: number of entries, level (leaves: 0), 14 zeros, then the numbers
 * of the entries (pages, or items in leaves). Entries form groups of sixteen. A page with several
 * groups has their boxes next: for each column the lower sides of all groups, then the upper sides.
 * The groups follow: for each column the lower sides of the entries, then the upper sides, except
 * in leaves of points. A register holds several entries, and only relevant groups of a large page
 * are read.
 *
 * Sides are float32 values of the entries below, so that boxes are exact. The key (distance.h) of a
 * box is computed with the operations of a point's key, in the same order. Each operation is
 * monotone under rounding, so the key of a box is at most that of a point inside. (This is not
 * proved for powers; boxes then have a margin, see rtree_search.c.)
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

/* Size of pages; fanout is at least RTREE_FANOUT; 0: as many as fit in RTREE_PAGE bytes. */
typedef struct {
    uint32_t width; /* number of columns */
    bool points;    /* the items are points: lower and upper sides are equal */
    uint32_t leaf, fanout;
} RtreeShape;

/* Layout of pages of one sort, in words. */
typedef struct {
    uint32_t capacity; /* maximum number of entries */
    uint32_t group, groups;
    uint32_t group_stride; /* floats between columns of the groups' boxes; 0: no such boxes */
    size_t boxes, sides, group_words;
    bool pairs; /* entries have lower and upper sides; false: points */
} RtreePlan;

/* Entries that are not in a page. */
typedef struct {
    uint32_t *level, *id;
    float *sides; /* per entry: lower sides, then upper sides */
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
    /* Memory of a tree that was built here or changed. */
    uint32_t *own; /* the pages */
    size_t own_capacity;
    uint32_t *place, *parent; /* page of each item and of each page; NULL: not changed yet */
    size_t place_capacity, parent_capacity;
    uint32_t free_page; /* head of a chain through word 0; RTREE_NONE: none */
    RtreeLoose loose;
    void *workspace; /* workspace of a split */
    size_t workspace_capacity;
    uint64_t pushed_out; /* a bit per level on which this change has reinserted entries */
    bool lost;           /* memory ran out during a change, and entries may be missing */
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

/* The lower side of an entry in the first column; other columns follow at a distance of
 * plan->group floats. */
static inline const float *rtree_low(const RtreePlan *plan, const uint32_t *page, uint32_t slot)
{
    return (const float *)(page + plan->sides + slot / plan->group * plan->group_words +
                           slot % plan->group);
}

static inline const float *rtree_high(const Rtree *tree, const RtreePlan *plan,
                                      const uint32_t *page, uint32_t slot)
{
    const float *low = rtree_low(plan, page, slot);

    return plan->pairs ? low + (size_t)tree->shape.width * plan->group : low;
}

/* The lower side of a group's box in the first column; other columns follow at a distance of
 * plan->group_stride floats, then the upper sides. */
static inline const float *rtree_group(const RtreePlan *plan, const uint32_t *page, uint32_t group)
{
    return (const float *)(page + plan->boxes) + group;
}

static inline uint32_t rtree_capacity(const Rtree *tree, uint32_t level)
{
    return level ? tree->branch.capacity : tree->leaf.capacity;
}

/* The minimum number of entries of a page other than the root. With two children each, the depth
 * is bounded by the number of bits. */
static inline uint32_t rtree_least(const Rtree *tree, uint32_t level)
{
    uint32_t least = rtree_capacity(tree, level) * 2 / 5, fewest = level ? 2 : 1;

    return least > fewest ? least : fewest;
}

/* Rectangles, or points if `high` is NULL. */
typedef struct {
    uint32_t count;
    const float *low, *high;
    size_t stride; /* floats between items */
} RtreeItems;

/* Converts a float to an integer with the same order, in the upper 32 bits. */
static inline uint64_t rtree_sortable(float value)
{
    return (uint64_t)clv_float_order(value) << 32;
}

/* Moves the `place` smallest numbers to the front, in any order. The numbers are distinct. */
void clv_rtree_select(uint64_t *value, size_t count, size_t place);
/* Computes the boxes of the groups with entries in the slots `from` to `to` - 1 of a page. */
void clv_rtree_set_groups(const Rtree *tree, uint32_t *page, uint32_t from, uint32_t to);
/* Sets the page sizes of an empty tree. Returns false if they are invalid. */
bool clv_rtree_shape(Rtree *tree, const RtreeShape *shape);
/* Packs the items 0 … count − 1 into pages: subsets are halved in the column of the largest
 * spread, at a multiple of the capacity of a subtree (White and Jain 1996). */
Status clv_rtree_pack(Context *context, const RtreeShape *shape, const RtreeItems *items,
                      Rtree *tree, cleave_error *error);
void clv_rtree_free(Rtree *tree);

/* Inserts an item that is not in the tree; for points, high is low. R*-tree insertion (Beckmann et
 * al. 1990). */
Status clv_rtree_insert(Rtree *tree, uint32_t id, const float *low, const float *high,
                        cleave_error *error);
/* Removes an item if present. Underfull pages are dissolved and their entries reinserted. */
Status clv_rtree_remove(Rtree *tree, uint32_t id, cleave_error *error);
/* Copies the pages in use, the root first and parents before children. The caller frees *pages,
 * which has count pages. */
Status clv_rtree_compact(const Rtree *tree, uint32_t **pages, uint32_t *count, cleave_error *error);

/* Pushes the neighbors of the query. The distance of a rectangle is that of its nearest point.
 * features: the columns of query->dense. */
Status clv_rtree_search(const Rtree *tree, const RtreeLoops *loops, const Metric *metric,
                        const Query *query, uint32_t features, Nearest *nearest,
                        SearchWorkspace *workspace, cleave_error *error);
/* Pushes, with key 0, all items that intersect a rectangle, sides included. */
Status clv_rtree_crossing(const Rtree *tree, const float *low, const float *high, Nearest *found,
                          cleave_error *error);

#endif
