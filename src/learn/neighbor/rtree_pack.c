/*
 * Packs an R-tree (VAMSplit: White and Jain 1996): the items of a page are halved in the column of
 * the largest variance, at the multiple of a child's capacity closest to the middle, recursively.
 * Children are equally full, so that no page is less than half full and the number of pages is
 * minimal.
 */
#include "learn/neighbor/rtree.h"

static uint32_t up_to(uint32_t count, uint32_t step)
{
    return (count + step - 1) / step * step;
}

/* Lays out pages with this many entries; returns their size in words. */
static size_t plan_page(RtreePlan *plan, uint32_t capacity, uint32_t width, bool pairs)
{
    plan->capacity = capacity;
    plan->pairs = pairs;
    plan->group = capacity < RTREE_GROUP ? up_to(capacity, RTREE_STEP) : RTREE_GROUP;
    plan->groups = up_to(capacity, plan->group) / plan->group;
    plan->group_stride = plan->groups > 1 ? up_to(plan->groups, RTREE_STEP) : 0;
    plan->group_words = (size_t)plan->group * width * (pairs ? 2 : 1);
    plan->boxes = RTREE_HEADER + (size_t)plan->groups * plan->group;
    plan->sides = plan->boxes + 2 * (size_t)plan->group_stride * width;
    return plan->sides + plan->groups * plan->group_words;
}

/* The number of entries that fit in a page of RTREE_PAGE bytes, at least a minimum. */
static uint32_t default_capacity(uint32_t width, bool pairs)
{
    enum { FEWEST = RTREE_STEP };
    uint32_t capacity = FEWEST;
    RtreePlan plan;

    while (plan_page(&plan, capacity + RTREE_STEP, width, pairs) <= RTREE_PAGE / 4)
        capacity += RTREE_STEP;
    return capacity;
}

bool clv_rtree_shape(Rtree *tree, const RtreeShape *shape)
{
    enum { MOST = 1 << 16 };
    size_t leaf, branch;

    if (shape->leaf > MOST || shape->fanout > MOST ||
        (shape->fanout && shape->fanout < RTREE_FANOUT) || shape->width > INT32_MAX)
        return false;
    tree->shape = *shape;
    if (!shape->leaf)
        tree->shape.leaf = default_capacity(shape->width, !shape->points);
    if (!shape->fanout)
        tree->shape.fanout = default_capacity(shape->width, true);
    leaf = plan_page(&tree->leaf, tree->shape.leaf, shape->width, !shape->points);
    branch = plan_page(&tree->branch, tree->shape.fanout, shape->width, true);
    /* rounded up to whole cache lines */
    tree->page_words = ((leaf > branch ? leaf : branch) + 15) / 16 * 16;
    return true;
}

static void set_group(const Rtree *tree, const RtreePlan *plan, uint32_t *page, uint32_t group,
                      uint32_t column)
{
    uint32_t first = group * plan->group, count = rtree_count(page) - first;
    const float *low = rtree_low(plan, page, first) + (size_t)column * plan->group,
                *high = rtree_high(tree, plan, page, first) + (size_t)column * plan->group;
    float *to = (float *)(uintptr_t)rtree_group(plan, page, group) +
                (size_t)column * plan->group_stride;
    float least = low[0], most = high[0];

    for (uint32_t i = 1; i < count && i < plan->group; i++) {
        least = low[i] < least ? low[i] : least;
        most = high[i] > most ? high[i] : most;
    }
    to[0] = least;
    to[(size_t)tree->shape.width * plan->group_stride] = most;
}

void clv_rtree_set_groups(const Rtree *tree, uint32_t *page, uint32_t from, uint32_t to)
{
    const RtreePlan *plan = rtree_plan(tree, page);

    if (plan->group_stride == 0)
        return;
    for (uint32_t group = from / plan->group; group * plan->group < to; group++)
        for (uint32_t c = 0; c < tree->shape.width; c++)
            set_group(tree, plan, page, group, c);
}

void clv_rtree_free(Rtree *tree)
{
    if (!tree->context)
        return;
    FREE(tree->context, tree->own, tree->place, tree->parent, tree->loose.level, tree->loose.id,
         tree->loose.sides, tree->workspace);
    *tree = (Rtree){0};
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct {
    Rtree *tree;
    const RtreeItems *items;
    uint64_t *order; /* per item: a sort value and its number */
    uint64_t covers[RTREE_DEPTH];
    uint64_t work; /* items visited since the last check for cancellation */
    bool cancelled;
} Packer;

static float middle(const RtreeItems *items, uint32_t item, uint32_t column)
{
    size_t at = item * items->stride + column;

    return items->high ? items->low[at] / 2 + items->high[at] / 2 : items->low[at];
}

static double variance(const Packer *packer, uint32_t first, uint32_t count, uint32_t column)
{
    enum { SAMPLE = 256 };
    uint32_t step = count / SAMPLE + 1, seen = 0;
    double sum = 0, squares = 0,
           start = (double)middle(packer->items, (uint32_t)packer->order[first], column);

    for (uint32_t i = 0; i < count; i += step, seen++) {
        double value = (double)middle(packer->items, (uint32_t)packer->order[first + i], column) -
                       start;

        sum += value;
        squares += value * value;
    }
    return squares - sum / seen * sum;
}

static uint32_t widest_column(const Packer *packer, uint32_t first, uint32_t count)
{
    uint32_t widest = 0;
    double most = -1;

    for (uint32_t c = 0; c < packer->tree->shape.width; c++) {
        double spread = variance(packer, first, count, c);

        if (spread > most) {
            most = spread;
            widest = c;
        }
    }
    return widest;
}

static uint64_t middle_of_three(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b) {
        uint64_t t = a;

        a = b;
        b = t;
    }
    return c < a ? a : c > b ? b : c;
}

/* Quickselect (Hoare 1961). */
void clv_rtree_select(uint64_t *value, size_t count, size_t place)
{
    size_t from = 0, to = count;

    while (to - from > 1 && place > from && place < to) {
        size_t third = (to - from) / 3, less = from;
        uint64_t pivot = middle_of_three(value[from + third], value[from + (to - from) / 2],
                                         value[to - 1 - third]);

        for (size_t i = from; i < to; i++) { /* branches would be unpredictable */
            uint64_t moving = value[i];

            value[i] = value[less];
            value[less] = moving;
            less += moving < pivot;
        }
        if (place <= less) {
            to = less;
        } else { /* the pivot is the smallest of the rest */
            size_t at = less;

            while (value[at] != pivot)
                at++;
            value[at] = value[less];
            value[less] = pivot;
            from = less + 1;
        }
    }
}

/* The start of part i of a number of equal parts. */
static uint32_t edge(uint32_t count, uint32_t parts, uint32_t i)
{
    return (uint32_t)((uint64_t)count * i / parts);
}

/* Describes how items are divided into parts. */
typedef struct {
    uint32_t first, count, parts;
    uint32_t group; /* 0: equal parts; otherwise the size of each part */
} Cut;

/* The start of part i. All groups except the last are full. */
static uint32_t start_of(const Cut *cut, uint32_t i)
{
    if (!cut->group)
        return cut->first + edge(cut->count, cut->parts, i);
    return cut->first + ((uint64_t)cut->group * i < cut->count ? cut->group * i : cut->count);
}

/* The position that divides parts from … to − 1: between groups, if there are several. */
static uint32_t half_of(const Cut *cut, uint32_t from, uint32_t to)
{
    uint32_t step = !cut->group && to - from > RTREE_GROUP ? RTREE_GROUP : 1;

    return from + ((to - from + step - 1) / step) / 2 * step;
}

/* Orders items such that those of each part from … to − 1 are close together. */
static void divide(Packer *packer, const Cut *cut, uint32_t from, uint32_t to)
{
    uint32_t half = half_of(cut, from, to), start = start_of(cut, from),
             inside = start_of(cut, to) - start, column;

    if (to - from < 2 || packer->tree->shape.width == 0 || packer->cancelled)
        return;
    packer->cancelled |= clv_cancelled_after(packer->tree->context, &packer->work,
                                             12 * (uint64_t)inside);
    column = widest_column(packer, start, inside);
    for (uint32_t i = start; i < start + inside; i++) {
        uint32_t item = (uint32_t)packer->order[i];

        packer->order[i] = rtree_sortable(middle(packer->items, item, column)) | item;
    }
    clv_rtree_select(packer->order + start, inside, start_of(cut, half) - start);
    divide(packer, cut, from, half);
    divide(packer, cut, half, to);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static uint32_t children_of(const Packer *packer, uint32_t count, uint32_t level)
{
    uint64_t below = packer->covers[level - 1];

    return (uint32_t)((count + below - 1) / below);
}

static uint64_t count_pages(const Packer *packer, uint32_t count, uint32_t level)
{
    uint64_t pages = 1;

    if (level > 0) {
        uint32_t children = children_of(packer, count, level);

        for (uint32_t i = 0; i < children; i++)
            pages += count_pages(packer, edge(count, children, i + 1) - edge(count, children, i),
                                 level - 1);
    }
    return pages;
}

/* Writes the items of a leaf, group by group. */
static void put_items(Packer *packer, uint32_t *page, uint32_t first, uint32_t count)
{
    const Rtree *tree = packer->tree;
    const RtreeItems *items = packer->items;
    const RtreePlan *plan = &tree->leaf;

    page[0] = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = (uint32_t)packer->order[first + i];
        float *low = (float *)(uintptr_t)rtree_low(plan, page, i),
              *high = (float *)(uintptr_t)rtree_high(tree, plan, page, i);

        page[RTREE_HEADER + i] = item;
        packer->cancelled |= clv_cancelled_after(tree->context, &packer->work,
                                                 2 * tree->shape.width);
        for (uint32_t c = 0; c < tree->shape.width; c++) {
            low[c * plan->group] = items->low[item * items->stride + c];
            if (plan->pairs)
                high[c * plan->group] = items->high[item * items->stride + c];
        }
    }
}

/* Copies the bounds of a page to entry i of its parent. */
static void put_child(const Rtree *tree, uint32_t *page, uint32_t i, uint32_t child)
{
    const uint32_t *below = rtree_page(tree, child);
    const RtreePlan *from = rtree_plan(tree, below), *to = &tree->branch;
    float *low = (float *)(uintptr_t)rtree_low(to, page, i),
          *high = (float *)(uintptr_t)rtree_high(tree, to, page, i);

    page[RTREE_HEADER + i] = child;
    for (uint32_t c = 0; c < tree->shape.width; c++) {
        float least = INFINITY, most = -INFINITY;

        for (uint32_t j = 0; j < rtree_count(below); j++) {
            float side = rtree_low(from, below, j)[c * from->group],
                  other = rtree_high(tree, from, below, j)[c * from->group];

            least = side < least ? side : least;
            most = other > most ? other : most;
        }
        low[c * to->group] = least;
        high[c * to->group] = most;
    }
}

/* Makes a page of this level from items, parents first; returns its number. */
static uint32_t pack_page(Packer *packer, uint32_t first, uint32_t count, uint32_t level)
{
    Rtree *tree = packer->tree;
    uint32_t number = tree->page_count++, children;
    uint32_t *page = tree->own + number * tree->page_words;

    page[1] = level;
    if (level == 0) {
        uint32_t group = tree->leaf.group;

        divide(packer, &(Cut){first, count, 0, group}, 0, (count + group - 1) / group);
        put_items(packer, page, first, count);
    } else {
        children = children_of(packer, count, level);
        divide(packer, &(Cut){first, count, children, 0}, 0, children);
        page[0] = children;
        for (uint32_t i = 0; i < children; i++) {
            uint32_t from = edge(count, children, i), to = edge(count, children, i + 1);

            put_child(tree, page, i, pack_page(packer, first + from, to - from, level - 1));
        }
    }
    clv_rtree_set_groups(tree, page, 0, page[0]);
    return number;
}

static Status pack(Packer *packer, cleave_error *error)
{
    Rtree *tree = packer->tree;
    uint32_t count = packer->items->count, level = 0;
    uint64_t pages;

    packer->covers[0] = tree->shape.leaf;
    while (packer->covers[level] < count) {
        packer->covers[level + 1] = packer->covers[level] * tree->shape.fanout;
        level++;
    }
    for (uint32_t i = 0; i < count; i++)
        packer->order[i] = i;
    pages = count_pages(packer, count, level);
    if (pages > SIZE_MAX / tree->page_words)
        return clv_fail_memory(error, "an R-tree", SIZE_MAX);
    TRY(ALLOC_ZERO(tree->context, tree->own, (size_t)pages * tree->page_words, "an R-tree", error));
    tree->own_capacity = (size_t)pages * tree->page_words;
    tree->pages = tree->own;
    tree->root = pack_page(packer, 0, count, level);
    return packer->cancelled ? clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

Status clv_rtree_pack(Context *context, const RtreeShape *shape, const RtreeItems *items,
                      Rtree *tree, cleave_error *error)
{
    Packer packer = {.tree = tree, .items = items};
    Status status;

    *tree = (Rtree){.context = context, .free_page = RTREE_NONE};
    if (!clv_rtree_shape(tree, shape))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--fanout %u, --leaf %u: expected at least %d children per node",
                        shape->fanout, shape->leaf, RTREE_FANOUT);
    TRY(ALLOC(context, packer.order, (size_t)items->count + 1, "the sort keys of the points",
              error));
    status = pack(&packer, error);
    clv_free(context, packer.order);
    if (status != OK)
        clv_rtree_free(tree);
    return status;
}
