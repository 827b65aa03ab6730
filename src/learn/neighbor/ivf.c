/* Searches inverted lists, and reads them from a model; see ivf.h. */
#include "learn/neighbor/ivf.h"

#include <stdlib.h>

extern const IndexKind clv_index_scan;

enum {
    RUN = 8,  /* number of blocks estimated at once */
    AHEAD = 6 /* points fetched before they are compared */
};

/* ---- searching ------------------------------------------------------------------------------- */

/* A list with an upper estimate of the value of its points. */
typedef struct {
    float value, upper;
    uint32_t list;
} Visit;

typedef struct {
    const Index *index;
    const Ivf *ivf;
    VaScaledQuery query;
    double length2;
    Nearest pool, best; /* points to compare; the best k by their estimates */
    float *list_value, *upper, *values;
    Visit *visit;
    uint64_t blocks; /* number of visited blocks */
} Search;

/* The value that corresponds to the bound. A larger value means a nearer point. */
static inline float least_value(const Nearest *nearest)
{
    return nearest->count < nearest->most ? -INFINITY : (float)-nearest->item[0].key;
}

static void keep_values(Search *search, uint32_t block, const float *values, float base)
{
    const uint32_t *row = search->ivf->row + (size_t)block * VA_BLOCK;
    float least = least_value(&search->pool) - base;

    if (ivf_largest(values, VA_BLOCK) < least)
        return;
    for (uint32_t i = 0; i < VA_BLOCK; i++) {
        double key = -(double)(base + values[i]);

        if (!(values[i] >= least) || row[i] == IVF_EMPTY || !may_be_found(&search->pool, row[i]))
            continue;
        clv_nearest_keep(&search->pool, key, row[i]);
        nearest_push(&search->best, key, row[i]);
        least = least_value(&search->pool) - base;
    }
}

static void visit_list(Search *search, uint32_t list, float base)
{
    const Ivf *ivf = search->ivf;

    for (uint32_t block = ivf->first[list]; block != IVF_LAST;) {
        uint32_t run = 1;

        while (run < RUN && ivf->next[block + run - 1] == block + run)
            run++;
        ivf->kernels->scaled(&ivf->point, block, run, &search->query, search->values);
        for (uint32_t i = 0; i < run; i++)
            keep_values(search, block + i, search->values + i * VA_BLOCK, base);
        search->blocks += run;
        block = ivf->next[block + run - 1];
    }
}

/* Computes upper estimates of the values in all lists. Unused entries are treated as lists without
 * points. */
static void weigh_lists(const Search *search, uint32_t count, float *upper)
{
    const float *value = search->list_value, *radius = search->ivf->radius;
    float length2 = (float)search->length2, reach = search->ivf->effort.reach;

    if (search->index->metric.distance == INNER_PRODUCT)
        for (uint32_t i = 0; i < count; i++)
            upper[i] = value[i] + reach * radius[i] * sqrtf(length2);
    else
        for (uint32_t i = 0; i < count; i++)
            upper[i] = value[i] - radius[i] * radius[i] / 2 +
                       reach * radius[i] * sqrtf(fabsf(length2 - 2 * value[i]));
    for (uint32_t i = count; i % VA_BLOCK; i++)
        upper[i] = -INFINITY;
}

static int by_upper(const void *a, const void *b)
{
    const Visit *x = a, *y = b;

    return x->upper != y->upper ? (x->upper < y->upper) - (x->upper > y->upper)
                                : (x->list > y->list) - (x->list < y->list);
}

/* Appends the lists whose upper estimate is at least this value, except one. */
static uint32_t choose_lists(const Search *search, const float *upper, float least, uint32_t except)
{
    uint32_t lists = search->ivf->lists, count = 0;

    for (uint32_t block = 0; block < lists; block += VA_BLOCK) {
        if (ivf_largest(upper + block, VA_BLOCK) < least)
            continue;
        for (uint32_t i = block; i < block + VA_BLOCK && i < lists; i++)
            if (upper[i] >= least && i != except)
                search->visit[count++] = (Visit){search->list_value[i], upper[i], i};
    }
    qsort(search->visit, count, sizeof *search->visit, by_upper);
    return count;
}

static void visit_lists(Search *search)
{
    const Ivf *ivf = search->ivf;
    VaScaledQuery lifted = search->query;
    uint32_t blocks = ivf_blocks(ivf->lists), best = 0, count;
    float *upper = search->upper, most;

    lifted.lifted *= va_lift(IVF_LIST_BITS);
    search->query.lifted *= va_lift(IVF_POINT_BITS);
    ivf->kernels->scaled(&ivf->list, 0, blocks, &lifted, search->list_value);
    weigh_lists(search, ivf->lists, upper);
    most = ivf_largest(upper, blocks * VA_BLOCK);
    while (best + 1 < ivf->lists && upper[best] != most)
        best++;
    visit_list(search, best, search->list_value[best]);
    count = choose_lists(search, upper, least_value(&search->best), best);
    for (uint32_t i = 0; i < count && search->visit[i].upper >= least_value(&search->best); i++)
        visit_list(search, search->visit[i].list, search->visit[i].value);
}

/* Compares the points of the pool. */
static void compare(const Search *search, const Query *query, Nearest *nearest)
{
    const Vectors *vectors = &search->index->vectors;

    for (uint32_t i = 0; i < search->pool.count + AHEAD; i++) {
        if (i < search->pool.count && vectors_are_dense(vectors)) {
            uint32_t row = search->pool.item[i].row;
            const char *next = vectors->dense ? (const char *)dense_row(vectors, row)
                                              : packed_row(vectors, row);

            for (size_t at = 0; at < vectors->features * narrow_size(vectors->narrow); at += 64)
                __builtin_prefetch(next + at);
        }
        if (i >= AHEAD)
            index_push(search->index, query, nearest, search->pool.item[i - AHEAD].row);
    }
}

/* The number of neighbors that determines the effort. A search for fewer than IVF_NEIGHBORS uses
 * the effort that was chosen for IVF_NEIGHBORS. */
static uint32_t neighbors_for(const Nearest *nearest)
{
    return nearest->most > IVF_NEIGHBORS ? nearest->most : IVF_NEIGHBORS;
}

static Nearest places_for(const Nearest *nearest, Neighbor *item, uint32_t most)
{
    Nearest places = *nearest;

    places.item = item;
    places.most = most;
    places.count = 0;
    places.limit = (double)INFINITY;
    return places;
}

static Status search_one(Search *search, const Query *query, Nearest *nearest,
                         SearchWorkspace *workspace, cleave_error *error)
{
    const Ivf *ivf = search->ivf;
    uint32_t k = neighbors_for(nearest), most = (uint32_t)ceilf(ivf->effort.share * (float)k);
    size_t lists = (size_t)ivf_blocks(ivf->lists) * VA_BLOCK;
    size_t bytes = ((size_t)most + k) * sizeof(Neighbor) + ivf->lists * sizeof(Visit) +
                   (2 * lists + RUN * VA_BLOCK + ivf->parts) * sizeof(float) + ivf->parts;
    char *memory = clv_search_workspace(workspace, bytes, error);
    IvfQuery coded;
    float *v;

    if (!memory)
        return CLEAVE_ERROR_MEMORY;
    search->pool = places_for(nearest, (Neighbor *)memory, most);
    search->best = places_for(nearest, search->pool.item + most, k);
    search->visit = (Visit *)(search->best.item + k);
    search->list_value = (float *)(search->visit + ivf->lists);
    search->upper = search->list_value + lists;
    search->values = search->upper + lists;
    v = search->values + RUN * VA_BLOCK;
    clv_ivf_query(ivf, search->index, query, v);
    coded = clv_ivf_code_query(ivf, v, (int8_t *)(v + ivf->parts));
    search->query = coded.scaled;
    search->length2 = coded.length2;
    search->blocks = 0;
    visit_lists(search);
    nearest->leaves += search->blocks;
    compare(search, query, nearest);
    return OK;
}

static bool wants_all(const Index *index, const Nearest *nearest)
{
    const Ivf *ivf = index->parts;

    return nearest->most == EVERY_POINT || ivf->features == 0 ||
           ivf_compares_all(ivf->effort.share, neighbors_for(nearest), index->built);
}

static Status compare_all(const Index *index, const Query *query, Nearest *nearest,
                          SearchWorkspace *workspace, cleave_error *error)
{
    Index scan = *index;

    scan.kind = &clv_index_scan;
    scan.parts = NULL;
    return scan.kind->search(&scan, query, nearest, 1, workspace, error);
}

static Status search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                     SearchWorkspace *workspace, cleave_error *error)
{
    const Ivf *ivf = index->parts;
    Search search = {.index = index, .ivf = ivf};

    for (uint32_t i = 0; i < count; i++)
        if (nearest[i].most == 0)
            continue;
        else if (wants_all(index, &nearest[i]))
            TRY(compare_all(index, &queries[i], &nearest[i], workspace, error));
        else
            TRY(search_one(&search, &queries[i], &nearest[i], workspace, error));
    return OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static const void *array_of(const Bundle *from, const char *name, BundleType type, uint64_t count)
{
    const BundleItem *item = clv_bundle_get(from, name, type);

    return item && item->count == count ? item->data : NULL;
}

/* Reads the sizes. The lengths of four arrays determine those of all others. */
static bool read_sizes(const Index *index, const Bundle *from, Ivf *ivf)
{
    const BundleItem *center = clv_bundle_get(from, "index_center", BUNDLE_F32),
                     *radius = clv_bundle_get(from, "index_radii", BUNDLE_F32),
                     *next = clv_bundle_get(from, "index_next", BUNDLE_U32);
    double effort[2];

    if (index->vectors.features == 0)
        return true;
    if (!center || !radius || !next || center->count == 0 ||
        center->count > index->vectors.features || center->count > VA_MOST_FEATURES ||
        radius->count == 0 || radius->count > UINT32_MAX - VA_BLOCK || next->count == 0 ||
        next->count > UINT32_MAX / VA_BLOCK ||
        !clv_bundle_copy(from, "index_unit", BUNDLE_F64, &ivf->unit, 1) ||
        !clv_bundle_copy(from, "index_effort", BUNDLE_F64, effort, 2))
        return false;
    ivf->effort = (IvfEffort){.reach = (float)effort[0], .share = (float)effort[1]};
    ivf->features = (uint32_t)center->count;
    ivf->parts = ivf_parts(ivf->features);
    ivf->lists = (uint32_t)radius->count;
    ivf->blocks = (uint32_t)next->count;
    ivf->center = center->data;
    ivf->radius = radius->data;
    ivf->next = next->data;
    return ivf->unit > 0 && isfinite(ivf->unit) && isfinite(1 / ivf->unit) && effort[0] >= 0 &&
           effort[0] <= 2 && effort[1] >= 1 && effort[1] <= IVF_MOST_SHARE;
}

static VaScaled read_codes(const Ivf *ivf, const Bundle *from, uint32_t bits, uint64_t blocks,
                           const char *codes, const char *scales, const char *starts)
{
    return (VaScaled){
        .code = array_of(from, codes, BUNDLE_BYTES, blocks * ivf_block_size(ivf->parts, bits)),
        .scale = array_of(from, scales, BUNDLE_F32, blocks * VA_BLOCK),
        .start = array_of(from, starts, BUNDLE_F32, blocks * VA_BLOCK),
        .fours = ivf->parts * bits / 8 / 4,
        .bits = bits};
}

bool clv_ivf_read(const Index *index, const Bundle *from, void *parts)
{
    Ivf *ivf = parts;

    ivf->kernels = index->options.plain ? &clv_va_plain : clv_va_kernels();
    if (!read_sizes(index, from, ivf))
        return false;
    if (ivf->features == 0)
        return true;
    ivf->step = array_of(from, "index_steps", BUNDLE_F32, ivf->features);
    ivf->first = array_of(from, "index_first", BUNDLE_U32, ivf->lists);
    ivf->row = array_of(from, "index_places", BUNDLE_U32, (uint64_t)ivf->blocks * VA_BLOCK);
    ivf->list = read_codes(ivf, from, IVF_LIST_BITS, ivf_blocks(ivf->lists), "index_list_codes",
                           "index_list_scales", "index_list_starts");
    ivf->point = read_codes(ivf, from, IVF_POINT_BITS, ivf->blocks, "index_codes", "index_scales",
                            "index_starts");
    if (index->metric.distance == INNER_PRODUCT)
        ivf->list_start2 = array_of(from, "index_list_lengths", BUNDLE_F32,
                                    (uint64_t)ivf_blocks(ivf->lists) * VA_BLOCK);
    return ivf->step && ivf->first && ivf->row && ivf->list.code && ivf->list.scale &&
           ivf->list.start && ivf->point.code && ivf->point.scale && ivf->point.start &&
           (ivf->list_start2 || index->metric.distance != INNER_PRODUCT);
}

/* Marks a number as seen. Returns whether it was seen before. */
static bool note(uint64_t *seen, uint32_t number)
{
    uint64_t *word = &seen[number / 64], bit = (uint64_t)1 << (number % 64), before = *word & bit;

    *word |= bit;
    return before;
}

/* Whether every block is in exactly one list. */
static bool check_chains(const Ivf *ivf, uint64_t *seen)
{
    uint32_t blocks = 0;

    for (uint32_t i = 0; i < ivf->lists; i++)
        for (uint32_t block = ivf->first[i]; block != IVF_LAST; block = ivf->next[block], blocks++)
            if (block >= ivf->blocks || note(seen, block))
                return false;
    return blocks == ivf->blocks;
}

/* Whether every row is in exactly one place. */
static bool check_rows(const Ivf *ivf, uint32_t built, uint64_t *seen)
{
    uint32_t rows = 0;

    for (size_t i = 0; i < (size_t)ivf->blocks * VA_BLOCK; i++) {
        if (ivf->row[i] == IVF_EMPTY)
            continue;
        if (ivf->row[i] >= built || note(seen, ivf->row[i]))
            return false;
        rows++;
    }
    return rows == built;
}

static Status check(const Index *index, const Bundle *from, cleave_error *error)
{
    static const char *const floats[] = {"index_center",      "index_steps",       "index_radii",
                                         "index_list_scales", "index_list_starts", "index_scales",
                                         "index_starts",      "index_list_lengths"};
    const Ivf *ivf = index->parts;
    uint64_t *seen;
    size_t words;
    bool valid;

    if (ivf->features == 0)
        return OK;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        const BundleItem *item = clv_bundle_get(from, floats[i], BUNDLE_F32);

        if (item && !clv_bundle_finite(item))
            return CLEAVE_ERROR_FORMAT;
    }
    words = (index->built > ivf->blocks ? index->built : ivf->blocks) / 64 + 1;
    TRY(ALLOC_ZERO(index->context, seen, words, "an index", error));
    valid = check_chains(ivf, seen);
    memset(seen, 0, words * sizeof *seen);
    valid = valid && check_rows(ivf, index->built, seen);
    clv_free(index->context, seen);
    return valid ? OK : CLEAVE_ERROR_FORMAT;
}

static Status suits(const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    if (metric->distance != EUCLIDEAN && metric->distance != INNER_PRODUCT &&
        !metric_of_directions(metric)) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--index ivf supports the distances euclidean, cosine, angle and "
                 "inner-product, not %s",
                 clv_distances[metric->distance]);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports every distance");
    }
    if (vectors->features > VA_MOST_FEATURES) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--index ivf supports at most %d columns, found %u",
                 VA_MOST_FEATURES, vectors->features);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports any number of columns");
    }
    return OK;
}

const IndexKind clv_index_ivf = {.name = "ivf",
                                 .dense = true,
                                 .narrow = true,
                                 .extends = true,
                                 .suits = suits,
                                 .build = clv_ivf_build,
                                 .parts_size = sizeof(Ivf),
                                 .read = clv_ivf_read,
                                 .check = check,
                                 .search = search};
