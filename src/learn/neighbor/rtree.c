/* R-trees as an index: points in leaves, in the order of packing or insertion. Page layout:
 * rtree.h. */
#include "learn/neighbor/rtree.h"

/* Arrays of a file: "index_pages" begins with the root. "index_shape" has the width and the
 * capacities of leaves and other pages. */
enum { SHAPE_WORDS = 3 };

typedef struct {
    Rtree tree;
    const RtreeLoops *loops;
    float *row; /* values of a sparse vector */
    size_t row_capacity;
} Parts;

static Status suits(const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    if (metric->distance > MAXIMUM) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--index rtree does not support --distance %s",
                 clv_distances[metric->distance]);
        return clv_hint(
            error, CLEAVE_ERROR_USAGE,
            "use euclidean, manhattan, lr or maximum, or --index scan for every distance");
    }
    if (!vectors->dense && vectors->features > RTREE_WIDEST_SPARSE) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--index rtree requires dense rows, found sparse rows of %u columns",
                 vectors->features);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "use --index scan");
    }
    return OK;
}

/* ---- vectors --------------------------------------------------------------------------------- */

static Status pack_rows(const Index *index, Rtree *tree, cleave_error *error)
{
    const Vectors *vectors = &index->vectors;
    RtreeShape shape = {.width = vectors->features,
                        .points = true,
                        .leaf = (uint32_t)index->options.leaf,
                        .fanout = (uint32_t)index->options.fanout};
    RtreeItems items = {.count = vectors->count, .low = vectors->dense, .stride = vectors->stride};
    float *spread;
    Status status;

    if (vectors->dense)
        return clv_rtree_pack(index->context, &shape, &items, tree, error);
    TRY(ALLOC(index->context, spread, (size_t)vectors->count * vectors->features + 1, "points",
              error));
    for (uint32_t i = 0; i < vectors->count; i++)
        spread_row(vectors, i, spread + (size_t)i * vectors->features);
    items.low = spread;
    items.stride = vectors->features;
    status = clv_rtree_pack(index->context, &shape, &items, tree, error);
    clv_free(index->context, spread);
    return status;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Transfers the pages, which were allocated by clv_alloc, to the bundle. */
static Status put_arrays(const Rtree *tree, uint32_t *pages, uint32_t count, Bundle *into,
                         cleave_error *error)
{
    const uint32_t shape[SHAPE_WORDS] = {tree->shape.width, tree->shape.leaf, tree->shape.fanout};

    TRY(clv_bundle_take(into, "index_pages", BUNDLE_U32, pages, count * tree->page_words, error));
    return clv_bundle_put(into, "index_shape", BUNDLE_U32, shape, SHAPE_WORDS, error);
}

static Status build(const Index *index, Bundle *into, cleave_error *error)
{
    Rtree tree;
    uint32_t *pages;
    Status status;

    TRY(pack_rows(index, &tree, error));
    pages = tree.own;
    tree.own = NULL;
    status = put_arrays(&tree, pages, tree.page_count, into, error);
    clv_rtree_free(&tree);
    return status;
}

static bool read(const Index *index, const Bundle *from, void *memory)
{
    Parts *parts = memory;
    Rtree *tree = &parts->tree;
    const BundleItem *pages = clv_bundle_get(from, "index_pages", BUNDLE_U32),
                     *words = clv_bundle_get(from, "index_shape", BUNDLE_U32);
    const uint32_t *value;

    *tree = (Rtree){.context = index->context, .free_page = RTREE_NONE};
    if (!pages || !words || words->count != SHAPE_WORDS)
        return false;
    value = words->data;
    if (value[0] > index->vectors.features || value[1] == 0 || value[2] == 0 ||
        !clv_rtree_shape(
            tree,
            &(RtreeShape){.width = value[0], .points = true, .leaf = value[1], .fanout = value[2]}))
        return false;
    if (pages->count == 0 || pages->count % tree->page_words != 0 ||
        pages->count / tree->page_words >= RTREE_NONE)
        return false;
    tree->page_count = (uint32_t)(pages->count / tree->page_words);
    tree->pages = pages->data;
    parts->loops = index->options.plain ? &clv_rtree_plain : clv_rtree_loops();
    return true;
}

/* Checks that each page occurs once, one level below its parent, and that each row occurs once. */
typedef struct {
    const Rtree *tree;
    uint64_t *pages, *rows;
    uint32_t built;
} Seen;

static bool first_time(uint64_t *bits, uint32_t number)
{
    bool first = !row_bit(bits, number);

    bits[number / 64] |= (uint64_t)1 << (number % 64);
    return first;
}

static bool check_page(const Seen *seen, uint32_t number, uint32_t level)
{
    const uint32_t *page = rtree_page(seen->tree, number), *id = rtree_ids(page);

    if (!first_time(seen->pages, number) || rtree_level(page) != level ||
        rtree_count(page) > rtree_capacity(seen->tree, level) ||
        (rtree_count(page) == 0 && (level || number)))
        return false;
    for (uint32_t i = 0; i < rtree_count(page); i++) {
        if (level == 0 ? id[i] >= seen->built || !first_time(seen->rows, id[i])
                       : id[i] >= seen->tree->page_count || !check_page(seen, id[i], level - 1))
            return false;
    }
    return true;
}

static bool none_missing(const Seen *seen, const Bundle *from)
{
    const BundleItem *gone = clv_bundle_get(from, "index_gone", BUNDLE_U64);

    for (uint32_t row = 0; row < seen->built; row++)
        if (!row_bit(seen->rows, row) &&
            !(gone && row / 64 < gone->count && row_bit(gone->data, row)))
            return false;
    return true;
}

static Status check(const Index *index, const Bundle *from, cleave_error *error)
{
    const Rtree *tree = &((const Parts *)index->parts)->tree;
    Seen seen = {.tree = tree, .built = index->built};
    Status status;

    if (rtree_level(tree->pages) >= RTREE_DEPTH)
        return CLEAVE_ERROR_FORMAT;
    status = ALLOC_ZERO(index->context, seen.pages, (size_t)tree->page_count / 64 + 1, "page marks",
                        error);
    if (status == OK)
        status = ALLOC_ZERO(index->context, seen.rows, (size_t)index->built / 64 + 1, "point marks",
                            error);
    if (status == OK &&
        (!check_page(&seen, 0, rtree_level(tree->pages)) || !none_missing(&seen, from)))
        status = CLEAVE_ERROR_FORMAT;
    FREE(index->context, seen.pages, seen.rows);
    return status;
}

static void close_tree(Index *index)
{
    Parts *parts = index->parts;

    clv_rtree_free(&parts->tree);
    clv_free(index->context, parts->row);
}

static Status save(const Index *index, Bundle *into, cleave_error *error)
{
    const Rtree *tree = &((const Parts *)index->parts)->tree;
    uint32_t *pages, count;

    if (tree->lost)
        return clv_fail(error, CLEAVE_ERROR_MEMORY,
                        "the R-tree is incomplete: an earlier change ran out of memory");
    TRY(clv_rtree_compact(tree, &pages, &count, error));
    return put_arrays(tree, pages, count, into, error);
}

/* ---- searching and changing ------------------------------------------------------------------ */

static Status search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                     SearchWorkspace *workspace, cleave_error *error)
{
    const Parts *parts = index->parts;

    for (uint32_t i = 0; i < count; i++)
        TRY(clv_rtree_search(&parts->tree, parts->loops, &index->metric, &queries[i],
                             index->vectors.features, &nearest[i], workspace, error));
    return OK;
}

static Status inside(const Index *index, const float *low, const float *high, Nearest *found,
                     cleave_error *error)
{
    const Parts *parts = index->parts;

    for (uint32_t c = parts->tree.shape.width; c < index->vectors.features; c++)
        if (!(low[c] <= 0 && high[c] >= 0))
            return OK;
    return clv_rtree_crossing(&parts->tree, low, high, found, error);
}

/* Sets *point to all values of a row, which are valid until the next call. */
static Status find_point(Index *index, uint32_t row, const float **point, cleave_error *error)
{
    Parts *parts = index->parts;
    const Vectors *vectors = &index->vectors;

    if (vectors->dense) {
        *point = dense_row(vectors, row);
        return OK;
    }
    TRY(GROW(index->context, parts->row, parts->row_capacity, (size_t)vectors->features + 1,
             error));
    spread_row(vectors, row, parts->row);
    *point = parts->row;
    return OK;
}

static Status add(Index *index, cleave_error *error)
{
    Parts *parts = index->parts;
    const float *point;
    bool wider = false;
    Rtree tree;

    TRY(suits(&index->metric, &index->vectors, error));
    TRY(find_point(index, index->built, &point, error));
    for (uint32_t c = parts->tree.shape.width; c < index->vectors.features; c++)
        wider = wider || point[c] != 0;
    if (!wider)
        return clv_rtree_insert(&parts->tree, index->built, point, point, error);
    TRY(pack_rows(index, &tree, error)); /* the row has a new column */
    clv_rtree_free(&parts->tree);
    parts->tree = tree;
    return OK;
}

static Status remove_row(Index *index, uint32_t row, cleave_error *error)
{
    Parts *parts = index->parts;

    return clv_rtree_remove(&parts->tree, row, error);
}

const IndexKind clv_index_rtree = {.name = "rtree",
                                   .exact = true,
                                   .dense = true,
                                   .suits = suits,
                                   .build = build,
                                   .parts_size = sizeof(Parts),
                                   .read = read,
                                   .check = check,
                                   .close = close_tree,
                                   .search = search,
                                   .inside = inside,
                                   .add = add,
                                   .remove = remove_row,
                                   .save = save};
