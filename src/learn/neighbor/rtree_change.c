/*
 * Changes of an R-tree by the rules of the R*-tree (Beckmann, Kriegel, Schneider and Seeger 1990).
 * An entry goes to the child with the least enlargement. When a page overflows for the first time
 * in a change, the 30% of its entries farthest from its center are reinserted. Otherwise it is
 * split in the column with the smallest sum of edges, at the position with the least overlap. A
 * page with less than 40% of its capacity is dissolved and its entries are reinserted (Guttman
 * 1984).
 *
 * Enlargement is measured by the sum of edges, not by volume: the product of hundreds of edges
 * overflows or vanishes, and points on a line have no volume.
 *
 * Pages are reserved before an entry is inserted, so that memory cannot run out during an
 * insertion. Entries still outside the tree when a reservation fails are lost, and the tree is
 * marked as incomplete.
 */
#include "learn/neighbor/rtree.h"

#include <float.h>
#include <stdlib.h>

/* ---- owned pages ----------------------------------------------------------------------------- */

static uint32_t *own_page(Rtree *tree, uint32_t page)
{
    return tree->own + page * tree->page_words;
}

static float *own_low(Rtree *tree, uint32_t *page, uint32_t slot)
{
    return (float *)(uintptr_t)rtree_low(rtree_plan(tree, page), page, slot);
}

static float *own_high(Rtree *tree, uint32_t *page, uint32_t slot)
{
    return (float *)(uintptr_t)rtree_high(tree, rtree_plan(tree, page), page, slot);
}

static void note_place(Rtree *tree, uint32_t page)
{
    const uint32_t *words = rtree_page(tree, page), *id = rtree_ids(words);

    for (uint32_t i = 0; i < rtree_count(words); i++)
        if (rtree_level(words))
            tree->parent[id[i]] = page;
        else
            tree->place[id[i]] = page;
}

static void note_places(Rtree *tree, uint32_t page)
{
    const uint32_t *words = rtree_page(tree, page);

    note_place(tree, page);
    for (uint32_t i = 0; rtree_level(words) && i < rtree_count(words); i++)
        note_places(tree, rtree_ids(words)[i]);
}

static uint32_t highest_id(const Rtree *tree, uint32_t page)
{
    const uint32_t *words = rtree_page(tree, page);
    uint32_t highest = 0;

    for (uint32_t i = 0; i < rtree_count(words); i++) {
        uint32_t id = rtree_ids(words)[i];

        if (rtree_level(words))
            id = highest_id(tree, id);
        highest = id > highest ? id : highest;
    }
    return highest;
}

static Status grow_place(Rtree *tree, uint32_t id, cleave_error *error)
{
    size_t before = tree->place_capacity;

    TRY(GROW(tree->context, tree->place, tree->place_capacity, (size_t)id + 1, error));
    for (size_t i = before; i < tree->place_capacity; i++)
        tree->place[i] = RTREE_NONE;
    return OK;
}

/* Makes a modifiable copy of the pages, unless one exists, and lists the page of each entry. */
static Status take_over(Rtree *tree, cleave_error *error)
{
    size_t words = tree->page_count * tree->page_words;

    if (!tree->own) {
        TRY(GROW(tree->context, tree->own, tree->own_capacity, words, error));
        memcpy(tree->own, tree->pages, words * sizeof *tree->own);
        tree->pages = tree->own;
    }
    if (tree->parent)
        return OK;
    TRY(grow_place(tree, highest_id(tree, tree->root), error));
    TRY(GROW(tree->context, tree->parent, tree->parent_capacity, (size_t)tree->page_count, error));
    note_places(tree, tree->root);
    return OK;
}

/* Reserves memory for this many more pages. */
static Status reserve_pages(Rtree *tree, uint32_t more, cleave_error *error)
{
    size_t pages = (size_t)tree->page_count + more;

    if (pages >= RTREE_NONE || pages > SIZE_MAX / tree->page_words / sizeof *tree->own)
        return clv_fail_memory(error, "an R-tree", SIZE_MAX);
    TRY(GROW(tree->context, tree->parent, tree->parent_capacity, pages, error));
    TRY(GROW(tree->context, tree->own, tree->own_capacity, pages * tree->page_words, error));
    tree->pages = tree->own;
    return OK;
}

static uint32_t new_page(Rtree *tree, uint32_t level)
{
    uint32_t number = tree->free_page;
    uint32_t *page;

    if (number == RTREE_NONE)
        number = tree->page_count++;
    else
        tree->free_page = own_page(tree, number)[0];
    page = own_page(tree, number);
    memset(page, 0, tree->page_words * sizeof *page);
    page[1] = level;
    return number;
}

static void release_page(Rtree *tree, uint32_t number)
{
    own_page(tree, number)[0] = tree->free_page;
    tree->free_page = number;
}

static uint32_t slot_of(const uint32_t *page, uint32_t id)
{
    uint32_t slot = 0;

    while (rtree_ids(page)[slot] != id)
        slot++;
    return slot;
}

static void put_entry(Rtree *tree, uint32_t number, uint32_t slot, uint32_t id, const float *low,
                      const float *high)
{
    uint32_t *page = own_page(tree, number);
    float *to_low = own_low(tree, page, slot), *to_high = own_high(tree, page, slot);
    size_t stride = rtree_plan(tree, page)->group;

    page[RTREE_HEADER + slot] = id;
    for (uint32_t c = 0; c < tree->shape.width; c++) {
        to_low[c * stride] = low[c];
        to_high[c * stride] = high[c]; /* the same for points */
    }
    if (rtree_level(page))
        tree->parent[id] = number;
    else
        tree->place[id] = number;
}

static void take_entry(const Rtree *tree, const uint32_t *page, uint32_t slot, float *low,
                       float *high)
{
    const RtreePlan *plan = rtree_plan(tree, page);
    const float *from_low = rtree_low(plan, page, slot),
                *from_high = rtree_high(tree, plan, page, slot);

    for (uint32_t c = 0; c < tree->shape.width; c++) {
        low[c] = from_low[c * plan->group];
        high[c] = from_high[c * plan->group];
    }
}

/* Removes an entry of a page. The last entry takes its slot. */
static void drop_entry(Rtree *tree, uint32_t number, uint32_t slot)
{
    uint32_t *page = own_page(tree, number);
    uint32_t last = --page[0], stride = rtree_plan(tree, page)->group;
    float *low = own_low(tree, page, slot), *high = own_high(tree, page, slot);
    const float *from_low = own_low(tree, page, last), *from_high = own_high(tree, page, last);

    page[RTREE_HEADER + slot] = page[RTREE_HEADER + last];
    for (size_t c = 0; c < tree->shape.width; c++) {
        low[c * stride] = from_low[c * stride];
        high[c * stride] = from_high[c * stride];
    }
    if (slot < last)
        clv_rtree_set_groups(tree, page, slot, slot + 1);
    if (last % stride)
        clv_rtree_set_groups(tree, page, last - 1, last);
}

/* ---- boxes of ancestors ---------------------------------------------------------------------- */

/* Extends the box of the group of an entry. */
static void widen_group(Rtree *tree, uint32_t *page, uint32_t slot, const float *low,
                        const float *high)
{
    const RtreePlan *plan = rtree_plan(tree, page);
    size_t stride = plan->group_stride;
    float *to_low = (float *)(uintptr_t)rtree_group(plan, page, slot / plan->group),
          *to_high = to_low + tree->shape.width * stride;

    for (uint32_t c = 0; stride && c < tree->shape.width; c++) {
        to_low[c * stride] = low[c] < to_low[c * stride] ? low[c] : to_low[c * stride];
        to_high[c * stride] = high[c] > to_high[c * stride] ? high[c] : to_high[c * stride];
    }
}

/* Extends every box above a page. */
static void widen_above(Rtree *tree, uint32_t page, const float *low, const float *high)
{
    while (page != tree->root) {
        uint32_t above = tree->parent[page];
        uint32_t *words = own_page(tree, above);
        uint32_t slot = slot_of(words, page);
        float *to_low = own_low(tree, words, slot), *to_high = own_high(tree, words, slot);
        size_t stride = tree->branch.group;

        for (uint32_t c = 0; c < tree->shape.width; c++) {
            to_low[c * stride] = low[c] < to_low[c * stride] ? low[c] : to_low[c * stride];
            to_high[c * stride] = high[c] > to_high[c * stride] ? high[c] : to_high[c * stride];
        }
        widen_group(tree, words, slot, low, high);
        page = above;
    }
}

static bool refresh_column(Rtree *tree, const uint32_t *page, uint32_t *above, uint32_t slot,
                           uint32_t c)
{
    const RtreePlan *plan = rtree_plan(tree, page);
    float *to_low = own_low(tree, above, slot) + c * (size_t)tree->branch.group,
          *to_high = own_high(tree, above, slot) + c * (size_t)tree->branch.group;
    float least = INFINITY, most = -INFINITY;
    bool changed;

    for (uint32_t i = 0; i < rtree_count(page); i++) {
        float side = rtree_low(plan, page, i)[c * (size_t)plan->group],
              other = rtree_high(tree, plan, page, i)[c * (size_t)plan->group];

        least = side < least ? side : least;
        most = other > most ? other : most;
    }
    changed = *to_low != least || *to_high != most;
    *to_low = least;
    *to_high = most;
    return changed;
}

/* Recomputes the boxes above a page, which is not empty. */
static void refresh_above(Rtree *tree, uint32_t page)
{
    bool changed = true;

    while (changed && page != tree->root) {
        uint32_t above = tree->parent[page];
        uint32_t *words = own_page(tree, above);
        uint32_t slot = slot_of(words, page);

        changed = false;
        for (uint32_t c = 0; c < tree->shape.width; c++)
            changed |= refresh_column(tree, own_page(tree, page), words, slot, c);
        if (changed)
            clv_rtree_set_groups(tree, words, slot, slot + 1);
        page = above;
    }
}

/* ---- entries outside the tree ---------------------------------------------------------------- */

static float *loose_low(const Rtree *tree, uint32_t i)
{
    return tree->loose.sides + (size_t)i * 2 * tree->shape.width;
}

static Status reserve_loose(Rtree *tree, uint32_t more, cleave_error *error)
{
    RtreeLoose *loose = &tree->loose;
    size_t count = (size_t)loose->count + more;

    TRY(GROW(tree->context, loose->level, loose->level_capacity, count, error));
    TRY(GROW(tree->context, loose->id, loose->id_capacity, count, error));
    return GROW(tree->context, loose->sides, loose->sides_capacity, count * 2 * tree->shape.width,
                error);
}

/* Adds an entry outside the tree. Memory is reserved already. */
static void add_loose(Rtree *tree, uint32_t level, uint32_t id, const float *low, const float *high)
{
    uint32_t i = tree->loose.count++, width = tree->shape.width;

    tree->loose.level[i] = level;
    tree->loose.id[i] = id;
    memcpy(loose_low(tree, i), low, width * sizeof *low);
    memcpy(loose_low(tree, i) + width, high, width * sizeof *high);
}

/* ---- choice of the child --------------------------------------------------------------------- */

typedef struct {
    double growth, edges;
} BoxGrowth;

static BoxGrowth fit_of(const Rtree *tree, const uint32_t *page, uint32_t slot, const float *low,
                        const float *high)
{
    const float *box_low = rtree_low(&tree->branch, page, slot),
                *box_high = rtree_high(tree, &tree->branch, page, slot);
    size_t stride = tree->branch.group;
    BoxGrowth fit = {0};

    for (uint32_t c = 0; c < tree->shape.width; c++) {
        double below = (double)box_low[c * stride] - (double)low[c],
               above = (double)high[c] - (double)box_high[c * stride];

        fit.growth += (below > 0 ? below : 0) + (above > 0 ? above : 0);
        fit.edges += (double)box_high[c * stride] - (double)box_low[c * stride];
    }
    return fit;
}

static uint32_t best_child(const Rtree *tree, const uint32_t *page, const float *low,
                           const float *high)
{
    BoxGrowth best = {.growth = (double)INFINITY};
    uint32_t child = 0;

    for (uint32_t i = 0; i < rtree_count(page); i++) {
        BoxGrowth fit = fit_of(tree, page, i, low, high);

        if (fit.growth < best.growth || (fit.growth == best.growth && fit.edges < best.edges)) {
            best = fit;
            child = i;
        }
    }
    return rtree_ids(page)[child];
}

static uint32_t page_for(const Rtree *tree, uint32_t level, const float *low, const float *high)
{
    uint32_t page = tree->root;

    while (rtree_level(rtree_page(tree, page)) > level)
        page = best_child(tree, rtree_page(tree, page), low, high);
    return page;
}

/* ---- overflowing pages ----------------------------------------------------------------------- */

/* All entries of a page, possibly with one more, and scratch space for the split. */
typedef struct {
    Rtree *tree;
    uint32_t level, count, least, width;
    float *low, *high;            /* per entry */
    float *from_low, *from_high;  /* bounds of the box of the entries from the i-th on, in an
                                   * order */
    float *box_low, *box_high;    /* bounds of the box of the entries before the i-th */
    uint64_t *order, *best_order; /* a value, and the number of the entry */
    uint32_t *id;
} Full;

static size_t split_space(const Rtree *tree)
{
    size_t leaf = tree->shape.leaf, fanout = tree->shape.fanout,
           entries = (leaf > fanout ? leaf : fanout) + 1;

    return entries * 2 * sizeof(uint64_t) + (4 * entries + 4) * tree->shape.width * sizeof(float) +
           entries * sizeof(uint32_t);
}

/* The box of a page for its parent, which may be split too. */
static float *carried_box(Rtree *tree)
{
    return tree->workspace;
}

static Full full_page(Rtree *tree, uint32_t number, uint32_t id, const float *low,
                      const float *high)
{
    const uint32_t *page = rtree_page(tree, number);
    uint32_t width = tree->shape.width, before = rtree_count(page);
    size_t all = before + (size_t)1;
    Full full = {.tree = tree,
                 .level = rtree_level(page),
                 .count = low ? before + 1 : before,
                 .least = rtree_least(tree, rtree_level(page)),
                 .width = width,
                 /* the workspace begins with carried_box */
                 .order = (uint64_t *)tree->workspace + width};

    full.best_order = full.order + all;
    full.low = (float *)(full.best_order + all);
    full.high = full.low + all * width;
    full.from_low = full.high + all * width;
    full.from_high = full.from_low + all * width;
    full.box_low = full.from_high + all * width;
    full.box_high = full.box_low + width;
    full.id = (uint32_t *)(full.box_high + width);
    for (uint32_t i = 0; i < before; i++) {
        full.id[i] = rtree_ids(page)[i];
        take_entry(tree, page, i, full.low + (size_t)i * width, full.high + (size_t)i * width);
    }
    if (!low)
        return full;
    full.id[before] = id;
    memcpy(full.low + (size_t)before * width, low, width * sizeof *low);
    memcpy(full.high + (size_t)before * width, high, width * sizeof *high);
    return full;
}

static int compare_order(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void widen(float *low, float *high, const float *by_low, const float *by_high,
                  uint32_t width)
{
    for (uint32_t c = 0; c < width; c++) {
        low[c] = by_low[c] < low[c] ? by_low[c] : low[c];
        high[c] = by_high[c] > high[c] ? by_high[c] : high[c];
    }
}

static void start_box(const Full *full, uint32_t entry, float *low, float *high)
{
    memcpy(low, full->low + (size_t)entry * full->width, full->width * sizeof *low);
    memcpy(high, full->high + (size_t)entry * full->width, full->width * sizeof *high);
}

static void widen_by(const Full *full, uint32_t entry, float *low, float *high)
{
    widen(low, high, full->low + (size_t)entry * full->width,
          full->high + (size_t)entry * full->width, full->width);
}

/* Sorts by one side in a column, and computes the boxes of the suffixes. */
static void sort_by(Full *full, const float *side, uint32_t column)
{
    uint32_t last = full->count - 1, width = full->width;

    for (uint32_t i = 0; i < full->count; i++)
        full->order[i] = rtree_sortable(side[(size_t)i * width + column]) | i;
    qsort(full->order, full->count, sizeof *full->order, compare_order);
    start_box(full, (uint32_t)full->order[last], full->from_low + (size_t)last * width,
              full->from_high + (size_t)last * width);
    for (uint32_t i = last; i-- > 0;) {
        float *low = full->from_low + (size_t)i * width,
              *high = full->from_high + (size_t)i * width;

        memcpy(low, low + width, width * sizeof *low);
        memcpy(high, high + width, width * sizeof *high);
        widen_by(full, (uint32_t)full->order[i], low, high);
    }
}

static double edges(const float *low, const float *high, uint32_t width)
{
    double sum = 0;

    for (uint32_t c = 0; c < width; c++)
        sum += (double)high[c] - (double)low[c];
    return sum;
}

/* Volume of the overlap of both boxes, as a fraction of the page's volume over its nonempty
 * columns. */
static double overlap(const Full *full, uint32_t at, const float *all_low, const float *all_high)
{
    const float *low = full->from_low + (size_t)at * full->width,
                *high = full->from_high + (size_t)at * full->width;
    double share = 1;

    for (uint32_t c = 0; c < full->width && share > 0; c++) {
        double extent = (double)all_high[c] - (double)all_low[c];
        double top = (double)(high[c] < full->box_high[c] ? high[c] : full->box_high[c]),
               bottom = (double)(low[c] > full->box_low[c] ? low[c] : full->box_low[c]);

        if (extent > 0)
            share *= top > bottom ? (top - bottom) / extent : 0;
    }
    return share;
}

typedef struct {
    double sum;                /* sum of the edges over all splits of the order */
    double overlap, least_sum; /* overlap and sum of the best split */
    uint32_t at;               /* start of its second part */
} Parting;

static Parting part_order(Full *full)
{
    const float *all_low = full->from_low, *all_high = full->from_high;
    Parting best = {.overlap = (double)INFINITY, .least_sum = (double)INFINITY};

    start_box(full, (uint32_t)full->order[0], full->box_low, full->box_high);
    for (uint32_t i = 1; i <= full->count - full->least; i++) {
        double sum, shared;

        if (i >= full->least) {
            sum = edges(full->box_low, full->box_high, full->width) +
                  edges(full->from_low + (size_t)i * full->width,
                        full->from_high + (size_t)i * full->width, full->width);
            shared = overlap(full, i, all_low, all_high);
            best.sum += sum;
            if (shared < best.overlap || (shared == best.overlap && sum < best.least_sum)) {
                best.overlap = shared;
                best.least_sum = sum;
                best.at = i;
            }
        }
        widen_by(full, (uint32_t)full->order[i], full->box_low, full->box_high);
    }
    return best;
}

static void try_order(Full *full, const float *side, uint32_t column, Parting *best)
{
    Parting parting;

    sort_by(full, side, column);
    parting = part_order(full);
    if (parting.sum < best->sum) {
        *best = parting;
        memcpy(full->best_order, full->order, full->count * sizeof *full->order);
    }
}

static double extent(const Full *full, uint32_t column)
{
    double low = (double)INFINITY, high = -(double)INFINITY;

    for (uint32_t i = 0; i < full->count; i++) {
        double side = (double)full->low[(size_t)i * full->width + column],
               other = (double)full->high[(size_t)i * full->width + column];

        low = side < low ? side : low;
        high = other > high ? other : high;
    }
    return high - low;
}

/* Finds the split. Columns less than half as wide as the widest are skipped, and of very many
 * candidates only some are tried. */
static uint32_t part(Full *full)
{
    enum { ENOUGH = 16 };
    Parting best = {.sum = (double)INFINITY};
    double widest = 0;
    uint32_t tried = 0;

    for (uint32_t c = 0; c < full->width; c++) {
        double wide = extent(full, c);

        widest = wide > widest ? wide : widest;
    }
    for (uint32_t c = 0; c < full->width && tried < ENOUGH; c++) {
        if (extent(full, c) < widest / 2)
            continue;
        tried++;
        try_order(full, full->low, c, &best);
        if (full->level || !full->tree->shape.points)
            try_order(full, full->high, c, &best);
    }
    if (tried == 0) { /* the points have no columns */
        for (uint32_t i = 0; i < full->count; i++)
            full->best_order[i] = i;
        return full->count / 2;
    }
    return best.at;
}

static float middle_of(const Full *full, uint64_t entry, uint32_t column)
{
    size_t at = (size_t)(uint32_t)entry * full->width + column;

    return full->low[at] / 2 + full->high[at] / 2;
}

static uint32_t widest_column(const Full *full, const uint64_t *order, uint32_t count)
{
    float widest = -1;
    uint32_t column = 0;

    for (uint32_t c = 0; c < full->width; c++) {
        float least = INFINITY, most = -INFINITY;

        for (uint32_t i = 0; i < count; i++) {
            float value = middle_of(full, order[i], c);

            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        if (most - least > widest) {
            widest = most - least;
            column = c;
        }
    }
    return column;
}

/* Groups entries that are close together: recursive halving at group boundaries, as in packing. */
static void group_entries(const Full *full, uint64_t *order, uint32_t count)
{
    uint32_t group = full->level ? full->tree->branch.group : full->tree->leaf.group,
             half = (count + group - 1) / group / 2 * group, column;

    if (count <= group || full->width == 0)
        return;
    column = widest_column(full, order, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = rtree_sortable(middle_of(full, order[i], column)) | (uint32_t)order[i];
    clv_rtree_select(order, count, half);
    group_entries(full, order, half);
    group_entries(full, order + half, count - half);
}

static void put_entries(const Full *full, uint32_t page, uint64_t *order, uint32_t count)
{
    group_entries(full, order, count);
    for (uint32_t i = 0; i < count; i++) {
        size_t entry = (uint32_t)order[i];

        put_entry(full->tree, page, i, full->id[entry], full->low + entry * full->width,
                  full->high + entry * full->width);
    }
    own_page(full->tree, page)[0] = count;
    clv_rtree_set_groups(full->tree, own_page(full->tree, page), 0, count);
}

/* Regroups the entries of a page at times, because new entries go to the last group. */
static void regroup(Rtree *tree, uint32_t page)
{
    enum { REGROUP_EVERY = 2 * RTREE_GROUP };
    const uint32_t *words = rtree_page(tree, page);
    Full full;

    if (rtree_plan(tree, words)->group_stride == 0 || rtree_count(words) % REGROUP_EVERY != 0)
        return;
    full = full_page(tree, page, 0, NULL, NULL);
    for (uint32_t i = 0; i < full.count; i++)
        full.order[i] = i;
    put_entries(&full, page, full.order, full.count);
}

static void add_entry(Rtree *tree, uint32_t page, uint32_t id, const float *low, const float *high);

/* Splits a page: it keeps the first part, and a new page gets the second. */
static void split(Rtree *tree, uint32_t page, uint32_t id, const float *low, const float *high)
{
    Full full = full_page(tree, page, id, low, high);
    uint32_t at = part(&full), other = new_page(tree, full.level);

    put_entries(&full, page, full.best_order, at);
    put_entries(&full, other, full.best_order + at, full.count - at);
    start_box(&full, (uint32_t)full.best_order[at], full.box_low, full.box_high);
    for (uint32_t i = at; i < full.count; i++)
        widen_by(&full, (uint32_t)full.best_order[i], full.box_low, full.box_high);
    if (page == tree->root) {
        float *top_low = full.from_low, *top_high = full.from_high;

        start_box(&full, (uint32_t)full.best_order[0], top_low, top_high);
        for (uint32_t i = 0; i < at; i++)
            widen_by(&full, (uint32_t)full.best_order[i], top_low, top_high);
        tree->root = new_page(tree, full.level + 1);
        put_entry(tree, tree->root, 0, page, top_low, top_high);
        put_entry(tree, tree->root, 1, other, full.box_low, full.box_high);
        own_page(tree, tree->root)[0] = 2;
        clv_rtree_set_groups(tree, own_page(tree, tree->root), 0, 2);
        return;
    }
    refresh_above(tree, page);
    memcpy(carried_box(tree), full.box_low, full.width * sizeof *full.low);
    memcpy(carried_box(tree) + full.width, full.box_high, full.width * sizeof *full.high);
    add_entry(tree, tree->parent[page], other, carried_box(tree), carried_box(tree) + full.width);
}

/* Removes the entries farthest from the center for reinsertion, the nearest of them first. */
static void push_out(Rtree *tree, uint32_t page, uint32_t id, const float *low, const float *high,
                     uint32_t count)
{
    Full full = full_page(tree, page, id, low, high);
    uint32_t kept = full.count - count;

    start_box(&full, 0, full.box_low, full.box_high);
    for (uint32_t i = 1; i < full.count; i++)
        widen_by(&full, i, full.box_low, full.box_high);
    for (uint32_t i = 0; i < full.count; i++) {
        size_t from = (size_t)i * full.width;
        double away = 0;

        for (uint32_t c = 0; c < full.width; c++) {
            double off = ((double)full.low[from + c] + (double)full.high[from + c]) / 2 -
                         ((double)full.box_low[c] + (double)full.box_high[c]) / 2;

            away += off * off;
        }
        full.order[i] = rtree_sortable((float)sqrt(away)) | i;
    }
    qsort(full.order, full.count, sizeof *full.order, compare_order);
    put_entries(&full, page, full.order, kept);
    refresh_above(tree, page);
    for (uint32_t i = full.count; i-- > kept;) {
        size_t entry = (uint32_t)full.order[i];

        add_loose(tree, full.level, full.id[entry], full.low + entry * full.width,
                  full.high + entry * full.width);
    }
}

/* The number of entries to reinsert for a page of this level. */
static uint32_t share_pushed_out(const Rtree *tree, uint32_t level)
{
    return (rtree_capacity(tree, level) + 1) * 3 / 10;
}

/* Inserts into a page, splitting or reinserting as necessary. */
static void add_entry(Rtree *tree, uint32_t page, uint32_t id, const float *low, const float *high)
{
    uint32_t *words = own_page(tree, page);
    uint32_t level = rtree_level(words), pushed = share_pushed_out(tree, level);
    uint64_t bit = (uint64_t)1 << level;

    if (rtree_count(words) < rtree_capacity(tree, level)) {
        uint32_t slot = words[0]++;

        put_entry(tree, page, slot, id, low, high);
        clv_rtree_set_groups(tree, words, slot, slot + 1);
        widen_above(tree, page, low, high);
        regroup(tree, page);
    } else if (page != tree->root && pushed > 0 && !(tree->pushed_out & bit)) {
        tree->pushed_out |= bit;
        push_out(tree, page, id, low, high, pushed);
    } else {
        split(tree, page, id, low, high);
    }
}

/* ---- insertion and removal ------------------------------------------------------------------- */

/* Reserves memory for the insertion of an entry: a page on each level, a new root, and the
 * reinserted entries. */
static Status reserve(Rtree *tree, cleave_error *error)
{
    uint32_t levels = rtree_level(rtree_page(tree, tree->root)) + 1, most = 0;
    size_t bytes = split_space(tree);

    if (levels + 1 >= RTREE_DEPTH)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the R-tree is deeper than %d levels",
                        RTREE_DEPTH);
    for (uint32_t level = 0; level <= 1; level++)
        most = share_pushed_out(tree, level) > most ? share_pushed_out(tree, level) : most;
    TRY(reserve_pages(tree, levels + 1, error));
    TRY(reserve_loose(tree, most + 1, error));
    if (bytes > tree->workspace_capacity) {
        void *workspace = clv_resize(tree->context, tree->workspace, 1, bytes);

        if (!workspace)
            return clv_fail_memory(error, "a page of an R-tree", bytes);
        tree->workspace = workspace;
        tree->workspace_capacity = bytes;
    }
    return OK;
}

/* Inserts the last of the entries outside the tree. Memory is reserved already. */
static void put_last(Rtree *tree)
{
    uint32_t i = --tree->loose.count, level = tree->loose.level[i], id = tree->loose.id[i],
             width = tree->shape.width;
    float *low = loose_low(tree, i), *high = low + width;
    uint32_t *top = own_page(tree, tree->root);

    if (rtree_count(top) == 0)
        top[1] = level; /* an empty root may have any level */
    /* The entry's memory may be overwritten before its last use, so it is copied behind the
     * others. */
    low = memcpy(tree->loose.sides + tree->loose.sides_capacity - 2 * (size_t)width, low,
                 2 * width * sizeof *low);
    high = low + width;
    add_entry(tree, page_for(tree, level, low, high), id, low, high);
}

static Status put_loose(Rtree *tree, cleave_error *error)
{
    while (tree->loose.count > 0) {
        Status status = reserve(tree, error);

        if (status != OK) {
            tree->lost = true;
            return status;
        }
        put_last(tree);
    }
    return OK;
}

Status clv_rtree_insert(Rtree *tree, uint32_t id, const float *low, const float *high,
                        cleave_error *error)
{
    if (tree->lost)
        return clv_fail(error, CLEAVE_ERROR_MEMORY,
                        "the R-tree is incomplete: an earlier change ran out of memory");
    TRY(take_over(tree, error));
    TRY(grow_place(tree, id, error));
    TRY(reserve(tree, error)); /* fails before anything has changed */
    tree->pushed_out = 0;
    add_loose(tree, 0, id, low, high);
    return put_loose(tree, error);
}

/* Frees a page and moves its entries out of the tree. Memory is reserved already. */
static void dissolve(Rtree *tree, uint32_t number)
{
    const uint32_t *page = rtree_page(tree, number);
    uint32_t above = tree->parent[number];

    for (uint32_t i = 0; i < rtree_count(page); i++) {
        uint32_t at = tree->loose.count++;

        tree->loose.level[at] = rtree_level(page);
        tree->loose.id[at] = rtree_ids(page)[i];
        take_entry(tree, page, i, loose_low(tree, at), loose_low(tree, at) + tree->shape.width);
    }
    drop_entry(tree, above, slot_of(rtree_page(tree, above), number));
    release_page(tree, number);
}

/* Removes a root with one child; turns an empty root into a leaf. */
static void lower_root(Rtree *tree)
{
    uint32_t *top = own_page(tree, tree->root);

    while (rtree_level(top) > 0 && rtree_count(top) == 1) {
        uint32_t child = rtree_ids(top)[0];

        release_page(tree, tree->root);
        tree->root = child;
        top = own_page(tree, child);
    }
    if (rtree_count(top) == 0)
        top[1] = 0;
}

static Status reserve_for_removal(Rtree *tree, cleave_error *error)
{
    uint32_t levels = rtree_level(rtree_page(tree, tree->root)) + 1;

    return reserve_loose(tree, rtree_least(tree, 0) + levels * rtree_least(tree, 1), error);
}

Status clv_rtree_remove(Rtree *tree, uint32_t id, cleave_error *error)
{
    uint32_t page;

    if (tree->lost)
        return clv_fail(error, CLEAVE_ERROR_MEMORY,
                        "the R-tree is incomplete: an earlier change ran out of memory");
    TRY(take_over(tree, error));
    if (id >= tree->place_capacity || tree->place[id] == RTREE_NONE)
        return OK;
    TRY(reserve_for_removal(tree, error));
    page = tree->place[id];
    tree->place[id] = RTREE_NONE;
    tree->pushed_out = 0;
    drop_entry(tree, page, slot_of(rtree_page(tree, page), id));
    while (page != tree->root) {
        uint32_t above = tree->parent[page];
        const uint32_t *words = rtree_page(tree, page);

        if (rtree_count(words) >= rtree_least(tree, rtree_level(words))) {
            refresh_above(tree, page);
            break;
        }
        dissolve(tree, page);
        page = above;
    }
    TRY(put_loose(tree, error));
    lower_root(tree);
    return OK;
}

/* ---- compaction ------------------------------------------------------------------------------ */

static uint32_t count_used(const Rtree *tree, uint32_t page)
{
    const uint32_t *words = rtree_page(tree, page);
    uint32_t used = 1;

    for (uint32_t i = 0; rtree_level(words) && i < rtree_count(words); i++)
        used += count_used(tree, rtree_ids(words)[i]);
    return used;
}

static uint32_t copy_used(const Rtree *tree, uint32_t page, uint32_t *to, uint32_t *count)
{
    uint32_t number = (*count)++;
    uint32_t *words = to + number * tree->page_words;

    memcpy(words, rtree_page(tree, page), tree->page_words * sizeof *words);
    for (uint32_t i = 0; rtree_level(words) && i < rtree_count(words); i++)
        words[RTREE_HEADER + i] = copy_used(tree, words[RTREE_HEADER + i], to, count);
    return number;
}

Status clv_rtree_compact(const Rtree *tree, uint32_t **pages, uint32_t *count, cleave_error *error)
{
    uint32_t used = count_used(tree, tree->root);

    TRY(ALLOC(tree->context, *pages, (size_t)used * tree->page_words, "an R-tree", error));
    *count = 0;
    copy_used(tree, tree->root, *pages, count);
    return OK;
}
