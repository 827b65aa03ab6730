/*
 * Search of an R-tree: depth first, nearest child first (Roussopoulos, Kelley and Vincent 1995).
 * After the first child most siblings are too far, so only the remaining ones are sorted.
 *
 * A child is skipped if its key exceeds the bound (1 + 2⁻⁴⁰) + the smallest normal double. Sums and
 * squares need no margin (rtree.h). Powers are within 1 ulp (glibc), sums of them within 2⁻⁵⁰ for
 * all widths; losses by subnormal values are far below the smallest normal double, and where a key
 * overflows, so does the bound.
 */
#include "learn/neighbor/rtree.h"

#include <float.h>

typedef struct {
    const Rtree *tree;
    RtreeBatch batch;
    RtreeBelow *points, *boxes; /* NULL: powers, which have no vector form */
    double r;
    Nearest *nearest;
    double *key; /* scratch space per level, for the entries of a page, the root first */
    uint32_t *entry;
    size_t workspace;
    double *group_key; /* keys of the groups of a page */
    uint32_t *group;
} Walk;

static double reach(const Nearest *nearest)
{
    return nearest_bound(nearest) * (1 + 0x1p-40) + DBL_MIN;
}

/* ---- powers ---------------------------------------------------------------------------------- */

static double power_key(const RtreeBatch *batch, double r, uint32_t i)
{
    double part[4] = {0};

    for (uint32_t c = 0; c < batch->width; c++) {
        double query = batch->query[c], below = (double)batch->low[c * batch->stride + i] - query,
               gap = fabs(below);

        if (batch->high) {
            double above = query - (double)batch->high[c * batch->stride + i];

            gap = below > 0 ? below : above > 0 ? above : 0;
        }
        part[c % 4] += pow(gap, r);
    }
    for (uint32_t c = batch->width; c < batch->features; c++)
        part[c % 4] += pow(fabs(batch->query[c]), r);
    for (size_t j = 0; j < batch->beyond; j++)
        part[batch->column[j] % 4] += pow(fabs((double)batch->value[j]), r);
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static uint32_t below_powers(const RtreeBatch *batch, double r, double bound, double *key,
                             uint32_t *entry)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < batch->count; i++) {
        key[kept] = power_key(batch, r, i);
        entry[kept] = batch->number + i;
        kept += key[kept] <= bound;
    }
    return kept;
}

/* ---- nearest --------------------------------------------------------------------------------- */

static uint32_t find_below(const Walk *walk, RtreeBelow *form, double bound, double *key,
                           uint32_t *entry)
{
    return form ? form(&walk->batch, bound, key, entry)
                : below_powers(&walk->batch, walk->r, bound, key, entry);
}

/* Finds the groups of a page within a bound; returns their number. */
static uint32_t find_groups(Walk *walk, const RtreePlan *plan, const uint32_t *page, double bound,
                            double *key, uint32_t *group)
{
    if (plan->group_stride == 0) {
        key[0] = 0;
        group[0] = 0;
        return 1;
    }
    walk->batch.number = 0;
    walk->batch.count = (rtree_count(page) + plan->group - 1) / plan->group;
    walk->batch.stride = plan->group_stride;
    walk->batch.low = rtree_group(plan, page, 0);
    walk->batch.high = walk->batch.low + (size_t)plan->group_stride * walk->batch.width;
    return find_below(walk, walk->boxes, bound, key, group);
}

/* Finds the entries of a group within a bound; returns their number. */
static uint32_t find_entries(Walk *walk, const RtreePlan *plan, const uint32_t *page,
                             uint32_t group, double bound, double *key, uint32_t *entry)
{
    uint32_t first = group * plan->group, count = rtree_count(page) - first;

    walk->batch.number = first;
    walk->batch.count = count < plan->group ? count : plan->group;
    walk->batch.stride = plan->group;
    walk->batch.low = rtree_low(plan, page, first);
    walk->batch.high = plan->pairs ? rtree_high(walk->tree, plan, page, first) : NULL;
    return find_below(walk, plan->pairs ? walk->boxes : walk->points, bound, key, entry);
}

/* Moves the smallest key to the front. */
static void bring_least(double *key, uint32_t *number, uint32_t count)
{
    uint32_t least = 0, place = number[0];
    double first = key[0];

    for (uint32_t i = 1; i < count; i++)
        least = key[i] < key[least] ? i : least;
    key[0] = key[least], number[0] = number[least];
    key[least] = first, number[least] = place;
}

/* Sorts the entries within a bound from nearest to farthest; returns their number. */
static uint32_t sort_within(double *key, uint32_t *number, uint32_t count, double bound)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        double moving = key[i];
        uint32_t place = number[i], j = kept;

        if (!(moving <= bound))
            continue;
        for (; j > 0 && key[j - 1] > moving; j--)
            key[j] = key[j - 1], number[j] = number[j - 1];
        key[j] = moving, number[j] = place;
        kept++;
    }
    return kept;
}

static void search_group(Walk *walk, const uint32_t *page, uint32_t group)
{
    double key[RTREE_GROUP + RTREE_STEP];
    uint32_t entry[RTREE_GROUP + RTREE_STEP];
    uint32_t found = find_entries(walk, &walk->tree->leaf, page, group,
                                  nearest_bound(walk->nearest), key, entry);

    walk->nearest->candidates += found;
    for (uint32_t i = 0; i < found; i++)
        nearest_push(walk->nearest, key[i], rtree_ids(page)[entry[i]]);
}

static void search_leaf(Walk *walk, const uint32_t *page)
{
    uint32_t count = find_groups(walk, &walk->tree->leaf, page, reach(walk->nearest),
                                 walk->group_key, walk->group);

    if (count == 0)
        return;
    bring_least(walk->group_key, walk->group, count);
    search_group(walk, page, walk->group[0]);
    count = sort_within(walk->group_key + 1, walk->group + 1, count - 1, reach(walk->nearest));
    for (uint32_t i = 1; i <= count && walk->group_key[i] <= reach(walk->nearest); i++)
        search_group(walk, page, walk->group[i]);
}

static void search_page(Walk *walk, uint32_t number, double *key, uint32_t *entry)
{
    const uint32_t *page = rtree_page(walk->tree, number), *child = rtree_ids(page);
    const RtreePlan *plan = &walk->tree->branch;
    uint32_t groups, nearest, count;

    if (rtree_level(page) == 0) {
        walk->nearest->leaves++;
        search_leaf(walk, page);
        return;
    }
    walk->nearest->nodes++;
    /* Visit the nearest child of the nearest group first. */
    groups = find_groups(walk, plan, page, reach(walk->nearest), walk->group_key, walk->group);
    if (groups == 0)
        return;
    bring_least(walk->group_key, walk->group, groups);
    nearest = walk->group[0];
    count = find_entries(walk, plan, page, nearest, reach(walk->nearest), key, entry);
    if (count > 0) {
        bring_least(key, entry, count);
        search_page(walk, child[entry[0]], key + walk->workspace, entry + walk->workspace);
    } else {
        key[0] = (double)INFINITY; /* no further candidate */
        count = 1;
    }
    /* Then all other children, few of which are within reach. */
    groups = find_groups(walk, plan, page, reach(walk->nearest), walk->group_key, walk->group);
    for (uint32_t i = 0; i < groups; i++)
        if (walk->group[i] != nearest)
            count += find_entries(walk, plan, page, walk->group[i], reach(walk->nearest),
                                  key + count, entry + count);
    count = sort_within(key + 1, entry + 1, count - 1, reach(walk->nearest));
    for (uint32_t i = 1; i <= count && key[i] <= reach(walk->nearest); i++)
        search_page(walk, child[entry[i]], key + walk->workspace, entry + walk->workspace);
}

static Status make_room(Walk *walk, const Query *query, uint32_t features,
                        SearchWorkspace *workspace, cleave_error *error)
{
    const Rtree *tree = walk->tree;
    uint32_t levels = rtree_level(rtree_page(tree, tree->root)) + 1;
    size_t groups = (tree->leaf.groups > tree->branch.groups ? tree->leaf.groups
                                                             : tree->branch.groups) +
                    RTREE_STEP,
           all;
    double *values;

    walk->workspace = tree->branch.capacity + 1 + RTREE_STEP;
    all = levels * walk->workspace + groups;
    values = clv_search_workspace(
        workspace, features * sizeof *values + all * (sizeof *walk->key + sizeof *walk->entry),
        error);
    if (!values)
        return CLEAVE_ERROR_MEMORY;
    for (uint32_t c = 0; c < features; c++)
        values[c] = (double)query->dense[c];
    walk->batch.query = values;
    walk->key = values + features;
    walk->group_key = walk->key + levels * walk->workspace;
    walk->group = (uint32_t *)(walk->group_key + groups);
    walk->entry = walk->group + groups;
    return OK;
}

static Status refuse_lost(const Rtree *tree, cleave_error *error)
{
    if (!tree->lost)
        return OK;
    clv_fail(error, CLEAVE_ERROR_MEMORY,
             "the R-tree is incomplete: an earlier change ran out of memory");
    return clv_hint(error, CLEAVE_ERROR_MEMORY, "build the index again");
}

Status clv_rtree_search(const Rtree *tree, const RtreeLoops *loops, const Metric *metric,
                        const Query *query, uint32_t features, Nearest *nearest,
                        SearchWorkspace *workspace, cleave_error *error)
{
    Walk walk = {.tree = tree,
                 .points = loops->points[metric->distance],
                 .boxes = loops->boxes[metric->distance],
                 .r = metric->r,
                 .nearest = nearest,
                 .batch = {.width = tree->shape.width, .features = features}};

    TRY(refuse_lost(tree, error));
    if (query->count > query->known) {
        walk.batch.column = query->column + query->known;
        walk.batch.value = query->value + query->known;
        walk.batch.beyond = query->count - query->known;
    }
    TRY(make_room(&walk, query, features, workspace, error));
    search_page(&walk, tree->root, walk.key, walk.entry);
    return OK;
}

/* ---- in a rectangle -------------------------------------------------------------------------- */

typedef struct {
    const Rtree *tree;
    const float *low, *high;
    Nearest *found;
} Rectangle;

/* Whether entry i intersects the rectangle. Sets *within if it is contained. */
static bool crosses(const Rectangle *rectangle, const uint32_t *page, uint32_t i, bool *within)
{
    const Rtree *tree = rectangle->tree;
    const RtreePlan *plan = rtree_plan(tree, page);
    const float *low = rtree_low(plan, page, i), *high = rtree_high(tree, plan, page, i);

    *within = true;
    for (uint32_t c = 0; c < tree->shape.width; c++, low += plan->group, high += plan->group) {
        if (!(*low <= rectangle->high[c] && *high >= rectangle->low[c]))
            return false;
        *within = *within && *low >= rectangle->low[c] && *high <= rectangle->high[c];
    }
    return true;
}

static void find_crossing(const Rectangle *rectangle, uint32_t number, bool all)
{
    const uint32_t *page = rtree_page(rectangle->tree, number);

    *(rtree_level(page) ? &rectangle->found->nodes : &rectangle->found->leaves) += 1;
    if (!rtree_level(page))
        rectangle->found->candidates += rtree_count(page);
    for (uint32_t i = 0; i < rtree_count(page); i++) {
        bool within = true;

        if (!all && !crosses(rectangle, page, i, &within))
            continue;
        if (rtree_level(page))
            find_crossing(rectangle, rtree_ids(page)[i], within);
        else
            nearest_push(rectangle->found, 0, rtree_ids(page)[i]);
    }
}

Status clv_rtree_crossing(const Rtree *tree, const float *low, const float *high, Nearest *found,
                          cleave_error *error)
{
    Rectangle rectangle = {.tree = tree, .low = low, .high = high, .found = found};

    TRY(refuse_lost(tree, error));
    find_crossing(&rectangle, tree->root, false);
    return OK;
}
