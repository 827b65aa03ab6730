/*
 * kd-tree (Bentley 1975; Friedman, Bentley and Finkel 1977): points are halved recursively in the
 * column of the largest spread. Four halvings make one node of a tree of boxes (boxtree.h), which
 * implements the search. Halves are cut such that leaves, and nodes of leaves, are full. Equal
 * points are ordered by row, so that any number of them can be halved.
 */
#include "base/number.h"
#include "base/random.h"
#include "learn/neighbor/boxtree.h"

enum { LEVELS = 16 };

typedef struct {
    BoxBuilder *builder;
    uint32_t level;
    float *extent; /* per level: lowest values, highest values */
} Build;

/* ---- halving --------------------------------------------------------------------------------- */

static void sort_few(uint64_t *a, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint64_t moving = a[i];
        uint32_t j = i;

        for (; j > 0 && a[j - 1] > moving; j--)
            a[j] = a[j - 1];
        a[j] = moving;
    }
}

/* A pivot slightly after position k, towards the larger side (Floyd and Rivest 1975). */
static uint64_t pivot_of(const uint64_t *a, uint32_t count, uint32_t k)
{
    enum { MOST = 127, FEWEST = 7 };
    uint32_t size = FEWEST, margin = 1;
    uint64_t sample[MOST], at;
    Random random = clv_random(count, k);

    while (size < MOST && (uint64_t)size * size < count) {
        size = 2 * size + 1;
        margin += size / 16;
    }
    margin = size < 16 ? 1 : margin < size / 4 ? margin : size / 4;
    for (uint32_t i = 0; i < size; i++)
        sample[i] = a[clv_random_next(&random) % count];
    sort_few(sample, size);
    at = (uint64_t)k * size / count;
    if (k < count / 2)
        at = at + margin < size ? at + margin : size - 1;
    else
        at = at > margin ? at - margin : 0;
    return sample[at];
}

/* Moves numbers below the pivot to the front; returns their count. */
static uint32_t part(uint64_t *a, uint32_t count, uint64_t pivot)
{
    uint32_t below = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = a[i];

        a[i] = a[below];
        a[below] = x;
        below += x < pivot;
    }
    return below;
}

/* Orders distinct numbers such that the k smallest come first. */
static void choose_least(uint64_t *a, uint32_t count, uint32_t k)
{
    enum { FEW = 24 };

    while (count > FEW) {
        uint64_t pivot = pivot_of(a, count, k);
        uint32_t below = part(a, count, pivot);

        if (below == k)
            return;
        if (k < below) {
            count = below;
        } else {
            a += below;
            count -= below;
            k -= below;
            if (below == 0) { /* the pivot is the smallest number, and becomes the first */
                uint32_t at = 0;

                while (a[at] != pivot)
                    at++;
                a[at] = a[0];
                a[0] = pivot;
                if (k == 0)
                    return;
                a++;
                count--;
                k--;
            }
        }
    }
    sort_few(a, count);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static const float *values_of(const Build *build, uint64_t point)
{
    return build->builder->point + (size_t)(uint32_t)point * build->builder->stride;
}

static float *extent_of(const Build *build, const uint64_t *point, uint32_t count)
{
    uint32_t columns = build->builder->columns;
    float *low = build->extent + (size_t)build->level * 2 * columns, *high = low + columns;

    memcpy(low, values_of(build, point[0]), columns * sizeof *low);
    memcpy(high, values_of(build, point[0]), columns * sizeof *high);
    for (uint32_t i = 1; i < count; i++) {
        const float *x = values_of(build, point[i]);

        for (uint32_t j = 0; j < columns; j++) {
            low[j] = x[j] < low[j] ? x[j] : low[j];
            high[j] = x[j] > high[j] ? x[j] : high[j];
        }
    }
    return low;
}

static uint32_t widest(const float *low, const float *high, uint32_t columns)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < columns; i++)
        if ((double)high[i] - (double)low[i] > (double)high[best] - (double)low[best])
            best = i;
    return best;
}

/* Stores the value of each point as an order-preserving integer in the upper half, and the row in
 * the lower half. */
static void look_at_column(const Build *build, uint64_t *point, uint32_t count, uint32_t column)
{
    const float *from = build->builder->point + column;
    size_t stride = build->builder->stride;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = (uint32_t)point[i];

        point[i] = (uint64_t)clv_float_order(from[row * stride]) << 32 | row;
    }
}

typedef struct {
    uint32_t node, quantum; /* children have this many points or a multiple, except the last */
    float *low, *high;      /* bounds of the points, which may be wider than necessary */
} Halving;

static Status fill_node(Build *build, uint32_t node, uint64_t *point, uint32_t count);

static Status add_child(Build *build, const Halving *halving, uint32_t lane, uint64_t *point,
                        uint32_t count)
{
    uint32_t child;

    if (count <= build->builder->leaf)
        return clv_boxbuilder_leaf(build->builder, halving->node, lane, point, count);
    TRY(clv_boxbuilder_node(build->builder, &child));
    TRY(fill_node(build, child, point, count));
    clv_boxbuilder_child(build->builder, halving->node, lane, child);
    return OK;
}

/* Makes children in `lanes` lanes from `lane` on. */
static Status halve(Build *build, const Halving *halving, uint32_t lane, uint32_t lanes,
                    uint64_t *point, uint32_t count)
{
    uint32_t parts = (uint32_t)(((uint64_t)count + halving->quantum - 1) / halving->quantum), left,
             column;
    float low, high;
    Status status;

    if (parts <= 1 || lanes == 1)
        return add_child(build, halving, lane, point, count);
    left = (parts + 1) / 2 * halving->quantum;
    column = widest(halving->low, halving->high, build->builder->columns);
    look_at_column(build, point, count, column);
    choose_least(point, count, left);
    TRY(boxbuilder_poll(build->builder, count));
    low = halving->low[column];
    high = halving->high[column];
    halving->high[column] = halving->low[column] = values_of(build, point[left])[column];
    halving->low[column] = low;
    status = halve(build, halving, lane, lanes / 2, point, left);
    halving->low[column] = halving->high[column];
    halving->high[column] = high;
    if (status == OK)
        status = halve(build, halving, lane + lanes / 2, lanes / 2, point + left, count - left);
    halving->low[column] = low;
    return status;
}

static Status fill_node(Build *build, uint32_t node, uint64_t *point, uint32_t count)
{
    bool of_leaves = count <= (uint64_t)BOX_LANES * build->builder->leaf;
    Halving halving = {.node = node,
                       .quantum = of_leaves ? build->builder->leaf
                                            : BOX_LANES * build->builder->leaf};
    Status status;

    TRY(boxbuilder_poll(build->builder, count));
    halving.low = extent_of(build, point, count);
    halving.high = halving.low + build->builder->columns;
    build->level++;
    status = halve(build, &halving, 0, BOX_LANES, point, count);
    build->level--;
    return status;
}

static Status fill_tree(BoxBuilder *builder, uint32_t root)
{
    Build build = {.builder = builder};
    Status status = ALLOC(builder->context, build.extent, LEVELS * 2 * (size_t)builder->columns,
                          "a kd-tree", builder->error);

    if (status == OK)
        status = fill_node(&build, root, builder->to_place, builder->count);
    clv_free(builder->context, build.extent);
    return status;
}

static Status build(const Index *index, Bundle *into, cleave_error *error)
{
    return clv_boxtree_build(index, fill_tree, into, error);
}

static Status suits(const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    return clv_boxtree_suits("kdtree", metric, vectors, error);
}

const IndexKind clv_index_kdtree = {.name = "kdtree",
                                    .exact = true,
                                    .dense = true,
                                    .suits = suits,
                                    .build = build,
                                    .parts_size = sizeof(BoxTree),
                                    .read = clv_boxtree_read,
                                    .check = clv_boxtree_check,
                                    .search = clv_boxtree_search,
                                    .inside = clv_boxtree_inside};
