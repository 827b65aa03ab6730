/*
 * The VA-file (Weber, Schek and Blott 1998): a scan of short codes selects the few candidates by a
 * bound that holds under rounding, and the vectors decide.
 *
 *     map     x becomes its coordinates along the directions of the largest variance, and the norm
 *             of the residual; distances do not increase. After a random rotation all coordinates
 *             have a similar scale.
 *     codes   bytes or half bytes c with ‖image of x − scale·c‖ ≤ e, so that
 *             ‖x − q‖ ≥ scale·‖c_x − c_q‖ − e_x − e_q, with an exact integer norm
 *     search  a sample of the blocks gives a first bound; then one pass over the blocks, each
 *             compared with all queries. The test is one comparison of c_x·c_q − ‖c_x‖²/2 with a
 *             threshold. Candidates are tested with a full-length code, and the remaining ones by
 *             clv_metric_key.
 *
 * docs/decisions/0009-a-bound-that-holds.md proves that no neighbor is lost, rounding included.
 */
#include "learn/neighbor/vafile.h"

enum {
    SAMPLED_BLOCKS = 64,
    SAMPLE_SHARE = 4, /* sampled rows per neighbor */
    FETCH_AHEAD = 4,
    MOST_LATER = 64,    /* maximum neighbors for deferred decisions */
    LATER_CAPACITY = 96 /* deferred points per query */
};

/* A candidate that passed both codes. */
typedef struct {
    int64_t apart; /* ‖full-length code − the query's‖² */
    uint32_t row;
} Later;

typedef struct {
    const int8_t *code, *full;
    VaCoded coded, full_coded;
    double extra;    /* contribution of columns past the last to every key */
    double rounding; /* maximum relative rounding of a key below the squared distance */
    double first;    /* bound from the sample */
    double reached;  /* maximum distance of a point within the bound; below 0: none wanted */
    double bound;    /* that `reached` belongs to */
    const Query *query;
    Nearest *nearest;
    /* Upper bounds from full-length codes, and the points deferred until the last bound is
     * known. */
    Nearest upper;
    Later *later; /* NULL: none deferred */
    uint32_t waiting;
} QueryState;

typedef struct {
    const Index *index;
    const VaFile *file;
    const VaKernels *kernels;
    VaHits *hits; /* VA_TILE */
} Search;

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Section 5 of the decision record. */
static void look_at_bound(QueryState *state)
{
    double bound = nearest_bound(state->nearest), square;

    if (state->first < bound)
        bound = state->first;
    if (bound == state->bound)
        return;
    state->bound = bound;
    square = bound * (1 + 2 * state->rounding) - state->extra * (1 - 2 * state->rounding);
    square += 8 * VA_UNIT * (fabs(bound) + state->extra);
    state->reached = bound < 0 || square < 0 ? -1 : sqrt(square) * (1 + 2 * VA_UNIT);
}

/* A smaller sum excludes the point. */
static int32_t threshold_of(const VaFile *file, const QueryState *state, float error)
{
    int finer = va_finer(file->map.bits);
    double radius, square, least;

    if (state->reached < 0)
        return INT32_MAX;
    radius = (state->reached + (double)error + state->coded.error) / (file->map.scale / finer);
    square = radius * radius * (1 + 16 * VA_UNIT);
    if (!(square < 0x1p40))
        return INT32_MIN;
    least = floor(((double)state->coded.norm - square) / (2 * finer)) - 1;
    least += (double)va_lift(file->map.bits) * state->coded.sum;
    return least < INT32_MIN ? INT32_MIN : (int32_t)least;
}

static int64_t full_codes_apart(const Search *search, const QueryState *state, uint32_t row)
{
    const VaFile *file = search->file;
    int32_t dot = search->kernels->dot(file->full_code + row * file->full.stride, state->full,
                                       file->full.stride);
    int64_t product = (int64_t)dot - 128 * (int64_t)state->full_coded.sum;

    return (int64_t)file->full_norm[row] + (int64_t)state->full_coded.norm - 2 * product;
}

static bool full_code_is_near(const VaFile *file, const QueryState *state, uint32_t row,
                              int64_t apart)
{
    double radius = state->reached + (double)file->full_error[row] + state->full_coded.error;

    return !((double)apart * (file->full.step * file->full.step) >
             radius * radius * (1 + 16 * VA_UNIT));
}

/* An upper bound of the point's key. */
static double key_at_most(const VaFile *file, const QueryState *state, uint32_t row, int64_t apart)
{
    double far = file->full.step * sqrt((double)apart) + (double)file->full_error[row] +
                 state->full_coded.error;
    double more = 1 + 2 * state->rounding;

    return (far * far * (1 + 16 * VA_UNIT) + state->extra * more) * more * (1 + 4 * VA_UNIT);
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void fetch(const VaFile *file, uint32_t row)
{
    if (!file->full_code)
        return;
    for (size_t i = 0; i < file->full.stride; i += 64)
        __builtin_prefetch(file->full_code + row * file->full.stride + i);
    __builtin_prefetch(file->full_norm + row);
    __builtin_prefetch(file->full_error + row);
}

/* Decides about deferred points that are still near. */
static void settle(const Search *search, QueryState *state)
{
    for (uint32_t i = 0; i < state->waiting; i++) {
        look_at_bound(state);
        if (full_code_is_near(search->file, state, state->later[i].row, state->later[i].apart))
            index_push(search->index, state->query, state->nearest, state->later[i].row);
    }
    state->waiting = 0;
}

static void look_later(const Search *search, QueryState *state, uint32_t row, int64_t apart)
{
    double bound;

    nearest_push(&state->upper, key_at_most(search->file, state, row, apart), row);
    bound = nearest_bound(&state->upper);
    if (bound < state->first)
        state->first = bound;
    state->later[state->waiting++] = (Later){.apart = apart, .row = row};
    if (state->waiting == LATER_CAPACITY)
        settle(search, state);
}

static void decide(const Search *search, QueryState *state, const VaHits *hits, float error)
{
    const VaFile *file = search->file;
    uint32_t built = search->index->built;
    int32_t threshold = threshold_of(file, state, error);

    for (uint32_t i = 0; i < hits->count; i++) {
        uint32_t row = hits->hit[i].row;
        double before = state->bound;
        int64_t apart = 0;

        if (i + FETCH_AHEAD < hits->count && hits->hit[i + FETCH_AHEAD].row < built)
            fetch(file, hits->hit[i + FETCH_AHEAD].row);
        if (hits->hit[i].sum < threshold || row >= built || !may_be_found(state->nearest, row))
            continue;
        if (file->full_code) {
            apart = full_codes_apart(search, state, row);
            if (!full_code_is_near(file, state, row, apart))
                continue;
        }
        if (state->later)
            look_later(search, state, row, apart);
        else
            index_push(search->index, state->query, state->nearest, row);
        look_at_bound(state);
        if (state->bound < before)
            threshold = threshold_of(file, state, error);
    }
}

/* ---- the sample ------------------------------------------------------------------------------ */

static void look_at_blocks(const Search *search, QueryState *state, uint32_t queries,
                           uint32_t first, uint32_t blocks, const int32_t *threshold)
{
    const int8_t *code[VA_TILE];

    for (uint32_t q = 0; q < queries; q++) {
        code[q] = state[q].code;
        search->hits[q].count = 0;
    }
    if (queries == VA_TILE)
        search->kernels->tile(&search->file->codes, first, blocks, code, threshold, search->hits);
    else
        for (uint32_t q = 0; q < queries; q++)
            search->kernels->one(&search->file->codes, first, blocks, code[q], threshold[q],
                                 &search->hits[q]);
}

/* The largest key of as many points as wanted, an upper bound of the last neighbor's key. The
 * points are the best of a sample by their codes. */
static void first_bound(const Search *search, QueryState *state, const Nearest *sample)
{
    const Index *index = search->index;
    double most = 0;

    if (sample->count < state->nearest->most)
        return;
    for (uint32_t i = 0; i < sample->count; i++) {
        double key = clv_metric_key(&index->metric, &index->vectors, sample->item[i].row,
                                    state->query);

        most = key > most ? key : most;
    }
    state->first = most;
}

static void look_at_sample(const Search *search, QueryState *state, uint32_t queries,
                           Nearest *sample)
{
    uint32_t blocks = search->file->blocks,
             step = blocks / SAMPLED_BLOCKS ? blocks / SAMPLED_BLOCKS : 1;
    int32_t threshold[VA_TILE];

    for (uint32_t q = 0; q < queries; q++) {
        Neighbor *item = sample[q].item;

        sample[q] = *state[q].nearest;
        sample[q].item = item;
        sample[q].count = 0;
        sample[q].limit = (double)INFINITY;
        threshold[q] = INT32_MIN;
    }
    for (uint32_t block = step / 2; block < blocks; block += step) {
        look_at_blocks(search, state, queries, block, 1, threshold);
        for (uint32_t q = 0; q < queries; q++) {
            for (uint32_t i = 0; i < search->hits[q].count; i++)
                if (search->hits[q].hit[i].row < search->index->built)
                    nearest_push(&sample[q], -(double)search->hits[q].hit[i].sum,
                                 search->hits[q].hit[i].row);
            if (sample[q].count == sample[q].most)
                threshold[q] = (int32_t)-nearest_bound(&sample[q]);
        }
    }
    for (uint32_t q = 0; q < queries; q++)
        first_bound(search, &state[q], &sample[q]);
}

/* ---- a search -------------------------------------------------------------------------------- */

static void look_at_all(const Search *search, QueryState *state, uint32_t count)
{
    const VaFile *file = search->file;
    int32_t threshold[VA_TILE];

    for (uint32_t block = 0; block < file->blocks; block += VA_ERROR_BLOCKS) {
        uint32_t left = file->blocks - block,
                 blocks = left < VA_ERROR_BLOCKS ? left : VA_ERROR_BLOCKS;
        float error = file->error[block / VA_ERROR_BLOCKS];

        for (uint32_t first = 0; first < count; first += VA_TILE) {
            uint32_t queries = count - first < VA_TILE ? count - first : VA_TILE;

            for (uint32_t q = 0; q < queries; q++)
                threshold[q] = threshold_of(file, &state[first + q], error);
            look_at_blocks(search, state + first, queries, block, blocks, threshold);
            for (uint32_t q = 0; q < queries; q++)
                if (search->hits[q].count)
                    decide(search, &state[first + q], &search->hits[q], error);
        }
    }
}

/* Columns outside the index: those of later points, and those of the query alone. */
static void look_at_extra(QueryState *state, uint32_t known, uint32_t features)
{
    const Query *query = state->query;

    for (uint32_t i = known; i < features; i++)
        state->extra += (double)query->dense[i] * (double)query->dense[i];
    for (size_t i = query->known; i < query->count; i++)
        state->extra += (double)query->value[i] * (double)query->value[i];
    state->rounding = va_gamma((double)features + (double)(query->count - query->known) + 8);
}

static void wait_with(QueryState *state, Later *later, Neighbor *upper)
{
    if (state->nearest->most == 0 || state->nearest->most > MOST_LATER)
        return;
    state->later = later;
    state->upper = *state->nearest;
    state->upper.item = upper;
    state->upper.count = 0;
    state->upper.limit = (double)INFINITY;
}

static void prepare(const Search *search, const Query *queries, Nearest *nearest, uint32_t count,
                    QueryState *state, double *workspace, Later *later, Neighbor *upper,
                    int8_t *code)
{
    const VaFile *file = search->file;

    for (uint32_t first = 0; first < count; first += VA_ROWS) {
        const float *row[VA_ROWS];
        VaImage image[VA_ROWS];

        for (uint32_t r = 0; r < VA_ROWS; r++)
            row[r] = queries[first + r < count ? first + r : first].dense;
        clv_va_map(&file->map, search->kernels, row, workspace, image);
        for (uint32_t r = 0; r < VA_ROWS && first + r < count; r++) {
            QueryState *one = &state[first + r];
            const Query *query = &queries[first + r];

            *one = (QueryState){.query = query,
                                .nearest = &nearest[first + r],
                                .first = (double)INFINITY,
                                .bound = NAN};
            one->code = code;
            one->coded = clv_va_encode_query(&file->map, &image[r], code);
            code += file->map.parts;
            if (file->full_code) {
                one->full = code;
                one->full_coded = clv_va_encode_full(&file->full, query->dense, code);
                code += file->full.stride;
            }
            look_at_extra(one, file->map.features, search->index->vectors.features);
            if (later)
                wait_with(one, later + (size_t)(first + r) * LATER_CAPACITY,
                          upper + (size_t)(first + r) * MOST_LATER);
        }
    }
}

/* The number of sample rows for a query; 0: a sample does not pay. */
static uint32_t wanted_of_sample(const VaFile *file, const Nearest *nearest)
{
    uint32_t rows = (file->blocks < SAMPLED_BLOCKS ? file->blocks : SAMPLED_BLOCKS) * VA_BLOCK;

    return nearest->most <= rows / SAMPLE_SHARE ? nearest->most : 0;
}

static uint32_t most_of_sample(const VaFile *file, const Nearest *nearest, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t wanted = wanted_of_sample(file, &nearest[i]);

        most = wanted > most ? wanted : most;
    }
    return most;
}

static void look_at_samples(const Search *search, QueryState *state, uint32_t count, Neighbor *item,
                            uint32_t most)
{
    Nearest sample[VA_TILE];

    for (uint32_t first = 0; most && first < count; first += VA_TILE) {
        uint32_t queries = count - first < VA_TILE ? count - first : VA_TILE;
        bool all = true;

        for (uint32_t q = 0; q < queries; q++) {
            sample[q].item = item + (size_t)q * most;
            all = all && wanted_of_sample(search->file, state[first + q].nearest) > 0;
        }
        if (all)
            look_at_sample(search, state + first, queries, sample);
    }
}

static Status search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                     SearchWorkspace *workspace, cleave_error *error)
{
    const VaFile *file = index->parts;
    Search search = {.index = index,
                     .file = file,
                     .kernels = index->options.plain ? &clv_va_plain : clv_va_kernels()};
    uint32_t most = most_of_sample(file, nearest, count);
    size_t waiting = file->full_code ? count : 0;
    size_t code = (size_t)file->map.parts + (file->full_code ? file->full.stride : 0),
           mapped = va_map_size(&file->map);
    size_t bytes = count * (sizeof(QueryState) + code) +
                   VA_TILE * (sizeof(VaHits) + most * sizeof(Neighbor)) + mapped * sizeof(double) +
                   waiting * (MOST_LATER * sizeof(Neighbor) + LATER_CAPACITY * sizeof(Later));
    char *memory = clv_search_workspace(workspace, bytes, error);
    QueryState *state = (QueryState *)memory;
    double *doubles;
    Neighbor *item, *upper;
    Later *later;

    if (!memory)
        return CLEAVE_ERROR_MEMORY;
    if (file->map.features == 0) {
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t row = 0; row < index->built; row++)
                index_push(index, &queries[i], &nearest[i], row);
        return OK;
    }
    doubles = (double *)(state + count);
    item = (Neighbor *)(doubles + mapped);
    upper = item + (size_t)VA_TILE * most;
    later = (Later *)(upper + waiting * MOST_LATER);
    search.hits = (VaHits *)(later + waiting * LATER_CAPACITY);
    prepare(&search, queries, nearest, count, state, doubles, waiting ? later : NULL, upper,
            (int8_t *)(search.hits + VA_TILE));
    look_at_samples(&search, state, count, item, most);
    for (uint32_t i = 0; i < count; i++)
        look_at_bound(&state[i]);
    look_at_all(&search, state, count);
    for (uint32_t i = 0; i < count; i++)
        settle(&search, &state[i]);
    return OK;
}

/* ---- the index ------------------------------------------------------------------------------- */

static Status suits(const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    if (metric->distance != EUCLIDEAN) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--index vafile supports the euclidean distance, not %s",
                 clv_distances[metric->distance]);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports every distance");
    }
    if (vectors->features > VA_MOST_FEATURES) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--index vafile supports at most %d columns, found %u",
                 VA_MOST_FEATURES, vectors->features);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports any number of columns");
    }
    return OK;
}

static void codes(const Index *index, uint32_t *parts, uint32_t *bits)
{
    const VaMap *map = &((const VaFile *)index->parts)->map;

    *parts = map->top + (map->top < map->features);
    *bits = map->bits;
}

const IndexKind clv_index_vafile = {.name = "vafile",
                                    .exact = true,
                                    .dense = true,
                                    .suits = suits,
                                    .build = clv_va_build,
                                    .parts_size = sizeof(VaFile),
                                    .read = clv_va_read,
                                    .codes = codes,
                                    .search = search};
