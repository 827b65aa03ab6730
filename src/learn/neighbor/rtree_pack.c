/*
 * Packing an R-tree (VAMSplit: White and Jain 1996): what a page covers is cut in two, in the column where it varies most, at the multiple of what a
 * child holds that is nearest to the half; and so on until each part is a child. Children are as full as each other, so no page is less than
 * half full, and pages are as few as they can be.
 */
#include "learn/neighbor/rtree.h"

static uint32_t up_to_step(uint32_t count)
{
    return (count + RTREE_STEP - 1) / RTREE_STEP * RTREE_STEP;
}

/* Entries of so many words that a page of RTREE_PAGE bytes holds, though never fewer than a few. */
static uint32_t usual_capacity(size_t words)
{
    enum { WORDS = RTREE_PAGE / 4 - RTREE_HEADER, FEWEST = 8 };
    size_t most = WORDS / words / RTREE_STEP * RTREE_STEP;

    return most < FEWEST ? FEWEST : (uint32_t)most;
}

bool clv_rtree_shape(Rtree *tree, const RtreeShape *shape)
{
    enum { MOST = 1 << 16 };
    size_t leaf_words = 1 + (size_t)shape->width * (shape->points ? 1 : 2), branch_words = 1 + 2 * (size_t)shape->width;
    size_t leaf, branch;

    if (shape->leaf > MOST || shape->fanout > MOST || (shape->fanout && shape->fanout < RTREE_FANOUT) ||
        shape->width > INT32_MAX)
        return false;
    tree->shape = *shape;
    if (!shape->leaf)
        tree->shape.leaf = usual_capacity(leaf_words);
    if (!shape->fanout)
        tree->shape.fanout = usual_capacity(branch_words);
    tree->leaf_stride = up_to_step(tree->shape.leaf);
    tree->branch_stride = up_to_step(tree->shape.fanout);
    leaf = tree->leaf_stride * leaf_words;
    branch = tree->branch_stride * branch_words;
    tree->page_words = (RTREE_HEADER + (leaf > branch ? leaf : branch) + 15) / 16 * 16; /* whole lines of the cache */
    return true;
}

void clv_rtree_free(Rtree *tree)
{
    if (!tree->context)
        return;
    clv_free(tree->context, tree->own);
    clv_free(tree->context, tree->place);
    clv_free(tree->context, tree->parent);
    clv_free(tree->context, tree->loose.level);
    clv_free(tree->context, tree->loose.id);
    clv_free(tree->context, tree->loose.sides);
    clv_free(tree->context, tree->room);
    *tree = (Rtree){0};
}

/* ---- order --------------------------------------------------------------------------------------------------------- */

typedef struct {
    Rtree *tree;
    const RtreeItems *items;
    uint64_t *order; /* of each item: a value by which it is sorted, and its number */
    uint64_t covers[RTREE_DEPTH];
} Packer;

/* Grows with the value. */
static uint32_t sortable(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float middle(const RtreeItems *items, uint32_t item, uint32_t column)
{
    size_t at = item * items->stride + column;

    return items->high ? items->low[at] / 2 + items->high[at] / 2 : items->low[at];
}

static double variance(const Packer *packer, uint32_t first, uint32_t count, uint32_t column)
{
    enum { SAMPLE = 256 };
    uint32_t step = count / SAMPLE + 1, seen = 0;
    double sum = 0, squares = 0, start = (double)middle(packer->items, (uint32_t)packer->order[first], column);

    for (uint32_t i = 0; i < count; i += step, seen++) {
        double value = (double)middle(packer->items, (uint32_t)packer->order[first + i], column) - start;

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

/* The `place` smallest come first (Hoare's find). All values differ: each has its item's number. */
static void select_smallest(uint64_t *value, size_t count, size_t place)
{
    size_t from = 0, to = count;

    while (to - from > 1 && place > from && place < to) {
        size_t third = (to - from) / 3, less = from;
        uint64_t pivot = middle_of_three(value[from + third], value[from + (to - from) / 2], value[to - 1 - third]);

        for (size_t i = from; i < to; i++) { /* no branch that could be guessed wrong */
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

/* Where the i-th of so many equal parts begins. */
static uint32_t edge(uint32_t count, uint32_t parts, uint32_t i)
{
    return (uint32_t)((uint64_t)count * i / parts);
}

/* Puts items first … first + count − 1 in such an order that parts from … to − 1 of `parts` are near each other. */
static void divide(Packer *packer, uint32_t first, uint32_t count, uint32_t parts, uint32_t from, uint32_t to)
{
    uint32_t half = from + (to - from) / 2, start = first + edge(count, parts, from),
             inside = first + edge(count, parts, to) - start, column;

    if (to - from < 2 || packer->tree->shape.width == 0)
        return;
    column = widest_column(packer, start, inside);
    for (uint32_t i = start; i < start + inside; i++) {
        uint32_t item = (uint32_t)packer->order[i];

        packer->order[i] = (uint64_t)sortable(middle(packer->items, item, column)) << 32 | item;
    }
    select_smallest(packer->order + start, inside, first + edge(count, parts, half) - start);
    divide(packer, first, count, parts, from, half);
    divide(packer, first, count, parts, half, to);
}

/* ---- pages --------------------------------------------------------------------------------------------------------- */

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
            pages += count_pages(packer, edge(count, children, i + 1) - edge(count, children, i), level - 1);
    }
    return pages;
}

static void put_items(const Packer *packer, uint32_t *page, uint32_t first, uint32_t count)
{
    const Rtree *tree = packer->tree;
    const RtreeItems *items = packer->items;
    float *low = (float *)(uintptr_t)rtree_low(tree, page), *high = (float *)(uintptr_t)rtree_high(tree, page);
    size_t stride = tree->leaf_stride;

    page[0] = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = (uint32_t)packer->order[first + i];

        page[RTREE_HEADER + i] = item;
        for (uint32_t c = 0; c < tree->shape.width; c++) {
            low[c * stride + i] = items->low[item * items->stride + c];
            if (!tree->shape.points)
                high[c * stride + i] = items->high[item * items->stride + c];
        }
    }
}

/* The sides of a page become those of entry i of the one above. */
static void put_child(const Rtree *tree, uint32_t *page, uint32_t i, uint32_t child)
{
    const uint32_t *below = rtree_page(tree, child);
    const float *from_low = rtree_low(tree, below), *from_high = rtree_high(tree, below);
    float *low = (float *)(uintptr_t)rtree_low(tree, page), *high = (float *)(uintptr_t)rtree_high(tree, page);
    size_t from = rtree_stride(tree, below), to = tree->branch_stride;

    page[RTREE_HEADER + i] = child;
    for (uint32_t c = 0; c < tree->shape.width; c++) {
        float least = from_low[c * from], most = from_high[c * from];

        for (uint32_t j = 1; j < rtree_count(below); j++) {
            least = from_low[c * from + j] < least ? from_low[c * from + j] : least;
            most = from_high[c * from + j] > most ? from_high[c * from + j] : most;
        }
        low[c * to + i] = least;
        high[c * to + i] = most;
    }
}

/* A page of such a level over items, each before those below it; returns its number. */
static uint32_t pack_page(Packer *packer, uint32_t first, uint32_t count, uint32_t level)
{
    Rtree *tree = packer->tree;
    uint32_t number = tree->page_count++, children;
    uint32_t *page = tree->own + number * tree->page_words;

    page[1] = level;
    if (level == 0) {
        put_items(packer, page, first, count);
        return number;
    }
    children = children_of(packer, count, level);
    divide(packer, first, count, children, 0, children);
    page[0] = children;
    for (uint32_t i = 0; i < children; i++) {
        uint32_t from = edge(count, children, i), to = edge(count, children, i + 1);

        put_child(tree, page, i, pack_page(packer, first + from, to - from, level - 1));
    }
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
    tree->own = clv_alloc_zero(tree->context, (size_t)pages * tree->page_words, sizeof *tree->own);
    if (!tree->own)
        return clv_fail_memory(error, "an R-tree", (size_t)pages * tree->page_words * sizeof *tree->own);
    tree->own_capacity = (size_t)pages * tree->page_words;
    tree->pages = tree->own;
    tree->root = pack_page(packer, 0, count, level);
    return OK;
}

Status clv_rtree_pack(Context *context, const RtreeShape *shape, const RtreeItems *items, Rtree *tree,
                      cleave_error *error)
{
    Packer packer = {.tree = tree, .items = items};
    Status status;

    *tree = (Rtree){.context = context, .free_page = RTREE_NONE};
    if (!clv_rtree_shape(tree, shape))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--fanout %u, --leaf %u: pages of an R-tree have %d branches or more", shape->fanout,
                        shape->leaf, RTREE_FANOUT);
    packer.order = clv_alloc(context, (size_t)items->count + 1, sizeof *packer.order);
    if (!packer.order)
        return clv_fail_memory(error, "sorting points", items->count * sizeof *packer.order);
    status = pack(&packer, error);
    clv_free(context, packer.order);
    if (status != OK)
        clv_rtree_free(tree);
    return status;
}
