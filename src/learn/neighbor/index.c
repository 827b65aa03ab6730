#include "learn/neighbor/index.h"

/* All kinds in the order of clv_index_names. */
#define EACH_INDEX(DO) DO(scan) DO(kdtree) DO(quadtree) DO(rtree) DO(vafile) DO(lsh) DO(ivf)

#define DECLARE(kind) extern const IndexKind clv_index_##kind;
EACH_INDEX(DECLARE)

#define NAME_OF(kind) #kind,
const char *const clv_index_names[] = {"auto", EACH_INDEX(NAME_OF) NULL};

const IndexKind *clv_index_kind(int number)
{
#define ADDRESS_OF(kind) &clv_index_##kind,
    static const IndexKind *const kinds[] = {NULL, EACH_INDEX(ADDRESS_OF)};

    return kinds[number];
}

bool clv_index_packs(const IndexOptions *options, Distance distance)
{
    const IndexKind *kind = clv_index_kind(options->index);

    return kind && kind->narrow && distance <= INNER_PRODUCT;
}

int clv_index_number(const char *name)
{
    for (int i = INDEX_SCAN; clv_index_names[i]; i++)
        if (strcmp(clv_index_names[i], name) == 0)
            return i;
    return INDEX_AUTO;
}

/* Whether the kind supports the distance. Distances that are not based on differences of values
 * require an index that evaluates single points. */
static Status suits(const IndexKind *kind, const Metric *metric, const Vectors *vectors,
                    cleave_error *error)
{
    if ((metric->distance == EDIT || metric->distance == GOWER) && kind != &clv_index_scan) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--index %s does not support --distance %s", kind->name,
                 clv_distances[metric->distance]);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports every distance");
    }
    return kind->suits ? kind->suits(metric, vectors, error) : OK;
}

/* ---- building and opening -------------------------------------------------------------------- */

static Index index_of(Context *context, const IndexOptions *options, const Metric *metric,
                      const Vectors *vectors)
{
    return (Index){.context = context,
                   .kind = clv_index_kind(options->index),
                   .options = *options,
                   .metric = *metric,
                   .vectors = *vectors,
                   .built = vectors->count};
}

static Status new_index(Context *context, const IndexOptions *options, const Metric *metric,
                        const Vectors *vectors, Index **index, cleave_error *error)
{
    const IndexKind *kind = clv_index_kind(options->index);

    *index = NULL;
    TRY(suits(kind, metric, vectors, error));
    TRY(ALLOC(context, *index, 1, "an index", error));
    **index = index_of(context, options, metric, vectors);
    return OK;
}

/* Sets index->parts. Returns CLEAVE_ERROR_FORMAT without a message if the arrays do not fit the
 * points. */
static Status read_parts(Index *index, const Bundle *from, cleave_error *error)
{
    if (!index->kind->read)
        return OK;
    TRY(clv_new(index->context, &index->parts, 1, index->kind->parts_size, true, "an index",
                error));
    return index->kind->read(index, from, index->parts) ? OK : CLEAVE_ERROR_FORMAT;
}

static Status build_arrays(Index *index, cleave_error *error)
{
    TRY(clv_bundle_new(index->context, &index->arrays, error));
    if (index->kind->build)
        TRY(index->kind->build(index, index->arrays, error));
    return read_parts(index, index->arrays, error);
}

Status clv_index_build(Context *context, const IndexOptions *options, const Metric *metric,
                       const Vectors *vectors, Index **index, cleave_error *error)
{
    Status status;

    TRY(new_index(context, options, metric, vectors, index, error));
    status = build_arrays(*index, error);
    (*index)->options.before = NULL;
    if (status != OK) {
        clv_index_free(*index);
        *index = NULL;
    }
    return status;
}

static void close_arrays(Index *index)
{
    if (index->parts && index->kind->close)
        index->kind->close(index);
    clv_free(index->context, index->parts);
    index->parts = NULL;
    clv_bundle_free(index->arrays);
    index->arrays = NULL;
}

void clv_index_free(Index *index)
{
    if (!index)
        return;
    close_arrays(index);
    FREE(index->context, index->gone, index);
}

static size_t words_of(uint32_t rows)
{
    return ((size_t)rows + 63) / 64;
}

/* Reads the number of indexed rows, if not all rows are indexed, and the removed rows. */
static bool changes_of(Index *index, const Bundle *from, const BundleItem **gone)
{
    uint32_t rows = index->vectors.count;
    uint64_t built;

    *gone = clv_bundle_get(from, "index_gone", BUNDLE_U64);
    if (clv_bundle_number(from, "index_built", &built)) {
        if (built > rows)
            return false;
        index->built = (uint32_t)built;
    }
    /* a bit per row, and no bit after the last row */
    return !*gone || ((*gone)->count == words_of(rows) &&
                      !(rows % 64 && ((const uint64_t *)(*gone)->data)[rows / 64] >> (rows % 64)));
}

static Status open_changes(Index *index, const Bundle *from, cleave_error *error)
{
    const BundleItem *gone;

    if (!changes_of(index, from, &gone))
        return CLEAVE_ERROR_FORMAT;
    if (!gone)
        return OK;
    TRY(GROW(index->context, index->gone, index->gone_capacity, (size_t)gone->count, error));
    memcpy(index->gone, gone->data, (size_t)gone->count * sizeof *index->gone);
    for (size_t i = 0; i < gone->count; i++)
        index->gone_count += (uint32_t)__builtin_popcountll(index->gone[i]);
    return OK;
}

Status clv_index_open(Context *context, const Bundle *from, const IndexOptions *options,
                      const Metric *metric, const Vectors *vectors, Index **index,
                      cleave_error *error)
{
    Status status;

    TRY(new_index(context, options, metric, vectors, index, error));
    status = open_changes(*index, from, error);
    if (status == OK)
        status = read_parts(*index, from, error);
    if (status == CLEAVE_ERROR_FORMAT)
        clv_fail(error, status, "the index does not match the points");
    if (status != OK) {
        clv_index_free(*index);
        *index = NULL;
    }
    return status;
}

Status clv_index_check(Context *context, const Bundle *from, const IndexOptions *options,
                       const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    Index index = index_of(context, options, metric, vectors);
    const BundleItem *gone;
    Status status;

    if (suits(index.kind, metric, vectors, NULL) != OK || !changes_of(&index, from, &gone))
        return CLEAVE_ERROR_FORMAT;
    status = read_parts(&index, from, error);
    if (status == OK && index.kind->check)
        status = index.kind->check(&index, from, error);
    close_arrays(&index);
    return status;
}

static Status save_changes(const Index *index, Bundle *into, cleave_error *error)
{
    TRY(clv_bundle_put_text(into, "index_kind", index->kind->name, error));
    if (index->built != index->vectors.count)
        TRY(clv_bundle_put_number(into, "index_built", index->built, error));
    if (index->gone_count)
        TRY(clv_bundle_put(into, "index_gone", BUNDLE_U64, index->gone,
                           words_of(index->vectors.count), error));
    return OK;
}

Status clv_index_save(Index *index, bool move, Bundle *into, cleave_error *error)
{
    TRY(save_changes(index, into, error));
    if (index->kind->save)
        return index->kind->save(index, into, error);
    for (size_t i = 0; index->arrays && i < index->arrays->count; i++) {
        BundleItem *item = &index->arrays->item[i];

        if (move && item->owned) {
            item->owned = false;
            TRY(clv_bundle_take(into, item->name, item->type, (void *)(uintptr_t)item->data,
                                item->count, error));
        } else {
            TRY(clv_bundle_put(into, item->name, item->type, item->data, item->count, error));
        }
    }
    return OK;
}

/* ---- searching ------------------------------------------------------------------------------- */

Status clv_index_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                        SearchWorkspace *workspace, cleave_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        nearest_clear(&nearest[i]);
        nearest[i].gone = index->gone_count ? index->gone : NULL;
        for (uint32_t row = index->built; row < index->vectors.count; row++)
            index_push(index, &queries[i], &nearest[i], row);
    }
    if (index->built)
        TRY(index->kind->search(index, queries, nearest, count, workspace, error));
    for (uint32_t i = 0; i < count; i++)
        TRY(clv_nearest_sort(&nearest[i], error));
    return OK;
}

Status clv_index_share_places(const Index *index, const Query *query, Nearest *nearest,
                              cleave_error *error)
{
    uint32_t most = nearest->most, found = nearest->count, related = 0;
    double key = found ? nearest->item[found - 1].key : 0;

    if (found < most || !clv_metric_unrelated(&index->metric, key))
        return OK;
    while (nearest->item[related].key < key)
        related++;
    nearest->count = related;
    nearest->most = EVERY_POINT; /* no limit: the result is a list in the order of the rows */
    for (uint32_t row = 0; row < index->vectors.count; row++)
        if (clv_metric_key(&index->metric, &index->vectors, row, query) == key)
            clv_nearest_keep(nearest, key, row);
    nearest->most = most;
    if (nearest->failed)
        return clv_fail_memory(error, "neighbors", nearest->capacity * 2 * sizeof *nearest->item);
    nearest->tied = nearest->count - related;
    nearest->places = most - related;
    return OK;
}

static bool row_inside(const Vectors *vectors, uint32_t row, const float *low, const float *high)
{
    uint64_t at = vectors_are_dense(vectors) ? 0 : sparse_start(vectors, row);

    for (uint32_t i = 0; i < vectors->features; i++) {
        float x = vectors_are_dense(vectors) ? dense_value(vectors, row, i)
                  : at < vectors->end[row] && vectors->column[at] == i ? vectors->value[at++]
                                                                       : 0;

        if (!(x >= low[i] && x <= high[i]))
            return false;
    }
    return true;
}

Status clv_index_inside(const Index *index, const float *low, const float *high, Nearest *found,
                        cleave_error *error)
{
    bool itself = index->kind->inside && index->built;

    nearest_clear(found);
    found->gone = index->gone_count ? index->gone : NULL;
    for (uint32_t row = itself ? index->built : 0; row < index->vectors.count; row++) {
        found->candidates++;
        if (row_inside(&index->vectors, row, low, high))
            nearest_push(found, 0, row);
    }
    if (itself)
        TRY(index->kind->inside(index, low, high, found, error));
    return clv_nearest_sort(found, error);
}

/* ---- changing -------------------------------------------------------------------------------- */

/* Whether to rebuild the index. Scanning an added row costs about as much as the index saves for a
 * row, so it is rebuilt when a sixteenth of the rows are scanned. */
static bool too_many_changes(const Index *index)
{
    uint32_t loose = index->vectors.count - index->built;
    enum { FEW = 256, SHARE = 16 };

    return (loose > FEW && loose > index->vectors.count / SHARE) ||
           index->gone_since_built > index->vectors.count / 2;
}

static Status rebuild(Index *index, cleave_error *error)
{
    close_arrays(index);
    index->built = index->vectors.count;
    index->gone_since_built = 0;
    return build_arrays(index, error);
}

Status clv_index_add(Index *index, const Vectors *vectors, cleave_error *error)
{
    size_t words = words_of(vectors->count);

    if (index->gone) {
        size_t before = words_of(index->vectors.count);

        TRY(GROW(index->context, index->gone, index->gone_capacity, words, error));
        if (words > before)
            index->gone[words - 1] = 0;
    }
    index->vectors = *vectors;
    if (index->kind->add) {
        TRY(index->kind->add(index, error));
        index->built = vectors->count;
        return OK;
    }
    return too_many_changes(index) ? rebuild(index, error) : OK;
}

Status clv_index_remove(Index *index, uint32_t row, cleave_error *error)
{
    size_t words = words_of(index->vectors.count);

    if (!index->gone) {
        TRY(GROW(index->context, index->gone, index->gone_capacity, words, error));
        memset(index->gone, 0, words * sizeof *index->gone);
    }
    if (index->kind->remove)
        TRY(index->kind->remove(index, row, error));
    index->gone[row / 64] |= (uint64_t)1 << (row % 64);
    index->gone_count++;
    index->gone_since_built++;
    return !index->kind->remove && too_many_changes(index) ? rebuild(index, error) : OK;
}

/* ---- workspace ------------------------------------------------------------------------------- */

void *clv_search_workspace(SearchWorkspace *workspace, size_t bytes, cleave_error *error)
{
    enum { LINE = 64 };

    if (bytes > SIZE_MAX - LINE ||
        GROW(workspace->context, workspace->memory, workspace->capacity, bytes + LINE, error) != OK)
        return NULL;
    return (void *)(((uintptr_t)workspace->memory + LINE - 1) / LINE * LINE);
}

void clv_search_workspace_free(SearchWorkspace *workspace)
{
    if (workspace->context)
        clv_free(workspace->context, workspace->memory);
    *workspace = (SearchWorkspace){0};
}
