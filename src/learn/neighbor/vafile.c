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
 * docs/decisions/0009-vafile-distance-bound.md proves that no neighbor is lost, rounding included.
 * For COSINE and ANGLE the index contains unit vectors; for INNER_PRODUCT the query is the vector
 * center + t q, and the bound depends on the length of the point (decision 0023).
 */
#include "learn/neighbor/vafile.h"

#include <float.h>

enum {
    SAMPLED_BLOCKS = 64,
    SAMPLE_SHARE = 4, /* sampled rows per neighbor */
    FETCH_AHEAD = 4,
    MOST_LATER = 64,    /* maximum number of neighbors for deferred decisions */
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
    double extra;    /* contribution of columns past the last to every squared distance */
    double rounding; /* maximum relative rounding of a key below the squared distance */
    double first;    /* bound from the sample */
    /* maximum distance of a point within the bound; below 0: no point can be within it */
    double reached;
    double bound; /* bound for which `reached` is valid */
    /* INNER_PRODUCT: of the factor t, ‖t q‖², center·q, and the maximum error of a key. */
    double factor, own2, from_center, slack;
    double reached2; /* maximum squared distance, less the squared length of the point */
    bool zero;       /* COSINE, ANGLE: the query is a zero vector */
    const Query *query;
    Nearest *nearest;
    /* Upper bounds from full-length codes, and the points deferred until the last bound is
     * known. */
    Nearest upper;
    Later *later; /* deferred points; NULL: none */
    uint32_t waiting;
} QueryState;

typedef struct {
    const Index *index;
    const VaFile *file;
    const VaKernels *kernels;
    VaHits *hits; /* VA_TILE */
} Search;

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Errors of arc cosines and cosines are far smaller. */
#define ARC_ERROR 1e-12

/* Upper bound of the squared distance of vectors whose key is at most `bound`. */
static double square_of_key(const QueryState *state, Distance distance, double bound)
{
    switch (distance) {
    case COSINE:
        return 2 * (bound + state->rounding);
    case ANGLE:
        return bound < 1 ? 2 * (1 - cos(bound * acos(-1.0)) + ARC_ERROR + state->rounding) : 5;
    default:
        return bound * (1 + 2 * state->rounding);
    }
}

/* Derives the thresholds from the bound: section 5 of decision 0009 and sections 1 and 2 of
 * decision 0023. */
static void look_at_bound(const Search *search, QueryState *state)
{
    Distance distance = search->index->metric.distance;
    double bound = nearest_bound(state->nearest), square;

    if (state->first < bound)
        bound = state->first;
    if (bound == state->bound)
        return;
    state->bound = bound;
    if (distance == INNER_PRODUCT) {
        double least = bound + state->slack + state->from_center;

        state->reached2 = state->own2 + 2 * state->factor * least;
        state->reached2 += 16 * VA_UNIT * (state->own2 + 2 * state->factor * fabs(least));
        state->reached = bound == -(double)INFINITY ? -1 : 0;
        return;
    }
    square = square_of_key(state, distance, bound) - state->extra * (1 - 2 * state->rounding);
    square += 8 * VA_UNIT * (fabs(bound) + state->extra);
    state->reached = bound < 0 || square < 0 ? -1 : sqrt(square) * (1 + 2 * VA_UNIT);
}

/* Upper bound of the distance between the query and a point of this length within the bound; below
 * 0: no such point exists. */
static double reached_at(const QueryState *state, double length2)
{
    double square = length2 + state->reached2;

    return square < 0 ? -1 : sqrt(square) * (1 + 2 * VA_UNIT);
}

/* Upper bound of the squared distance between the codes of a point within the bound and of the
 * query, in units of the query's code. INNER_PRODUCT: less the length of the point, which is part
 * of its start. */
static double codes_apart_at_most(const VaFile *file, const QueryState *state, uint32_t group)
{
    double unit = file->map.scale / va_finer(file->map.bits);
    double error = (double)file->error[group] + state->coded.error, radius, square;

    if (!file->inner.length2) {
        radius = (state->reached + error) / unit;
        return radius * radius * (1 + 16 * VA_UNIT);
    }
    radius = fmax(reached_at(state, file->inner.longest[group]), 0);
    square = state->reached2 + 2 * error * radius + error * error;
    square += 16 * VA_UNIT * (fabs(state->reached2) + (radius + error) * (radius + error));
    return (square + 4 * VA_UNIT * fabs(square)) / (unit * unit);
}

/* The threshold of the sums: a point with a smaller sum is excluded. */
static int32_t threshold_of(const VaFile *file, const QueryState *state, uint32_t group)
{
    double square, least;

    if (state->reached < 0)
        return INT32_MAX;
    square = codes_apart_at_most(file, state, group);
    if (!(square < 0x1p40))
        return INT32_MIN;
    least = floor(((double)state->coded.norm - square) / (2 * va_finer(file->map.bits))) - 1;
    least += (double)va_lift(file->map.bits) * state->coded.sum;
    if (least > VA_MOST_THRESHOLD)
        return VA_MOST_THRESHOLD;
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
    double reached = file->inner.length2 ? reached_at(state, file->inner.length2[row])
                                         : state->reached;
    double radius = reached + (double)file->full_error[row] + state->full_coded.error;

    return !(reached < 0 || (double)apart * (file->full.step * file->full.step) >
                                radius * radius * (1 + 16 * VA_UNIT));
}

/* An upper bound of the point's key. */
static double key_at_most(const Search *search, const QueryState *state, uint32_t row,
                          int64_t apart)
{
    const VaFile *file = search->file;
    double far = file->full.step * sqrt((double)apart) + (double)file->full_error[row] +
                 state->full_coded.error;
    double more = 1 + 2 * state->rounding, square, cosine;

    if (file->inner.length2) {
        double both2 = file->inner.length2[row] + state->own2, terms = far * far + both2;

        square = far * far * (1 + 16 * VA_UNIT) - both2 * (1 - 4 * state->rounding);
        return (square + 16 * VA_UNIT * terms) / (2 * state->factor) * (1 + 2 * VA_UNIT) -
               state->from_center + state->slack;
    }
    square = (far * far * (1 + 16 * VA_UNIT) + state->extra * more) * more * (1 + 4 * VA_UNIT);
    switch (search->index->metric.distance) {
    case COSINE:
        return square / 2 + state->rounding;
    case ANGLE:
        cosine = 1 - square / 2 - state->rounding - ARC_ERROR;
        return acos(cosine > -1 ? cosine : -1) / acos(-1.0) * (1 + 8 * VA_UNIT);
    default:
        return square;
    }
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

/* Decides the deferred points that may still be near enough. */
static void settle(const Search *search, QueryState *state)
{
    for (uint32_t i = 0; i < state->waiting; i++) {
        look_at_bound(search, state);
        if (full_code_is_near(search->file, state, state->later[i].row, state->later[i].apart))
            index_push(search->index, state->query, state->nearest, state->later[i].row);
    }
    state->waiting = 0;
}

static void look_later(const Search *search, QueryState *state, uint32_t row, int64_t apart)
{
    double bound;

    nearest_push(&state->upper, key_at_most(search, state, row, apart), row);
    bound = nearest_bound(&state->upper);
    if (bound < state->first)
        state->first = bound;
    state->later[state->waiting++] = (Later){.apart = apart, .row = row};
    if (state->waiting == LATER_CAPACITY)
        settle(search, state);
}

static void decide(const Search *search, QueryState *state, const VaHits *hits, uint32_t group)
{
    const VaFile *file = search->file;
    uint32_t built = search->index->built;
    int32_t threshold = threshold_of(file, state, group);

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
        look_at_bound(search, state);
        if (state->bound < before)
            threshold = threshold_of(file, state, group);
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

/* The largest key of k points, an upper bound of the key of the last neighbor. The
 * points are the best of a sample by their codes. */
static void first_bound(const Search *search, QueryState *state, const Nearest *sample)
{
    const Index *index = search->index;
    double most = -(double)INFINITY;

    if (sample->count < state->nearest->most)
        return;
    state->nearest->candidates += sample->count;
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

        for (uint32_t first = 0; first < count; first += VA_TILE) {
            uint32_t queries = count - first < VA_TILE ? count - first : VA_TILE;

            for (uint32_t q = 0; q < queries; q++)
                threshold[q] = threshold_of(file, &state[first + q], block / VA_ERROR_BLOCKS);
            look_at_blocks(search, state + first, queries, block, blocks, threshold);
            for (uint32_t q = 0; q < queries; q++)
                if (search->hits[q].count)
                    decide(search, &state[first + q], &search->hits[q], block / VA_ERROR_BLOCKS);
        }
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

/* The sum of squares of the query in columns outside the index: those that only later points have,
 * and those that only the query has. */
static double squares_outside(const Query *query, uint32_t known, uint32_t features)
{
    double sum = 0;

    for (uint32_t i = known; i < features; i++)
        sum += (double)query->dense[i] * (double)query->dense[i];
    for (size_t i = query->known; i < query->count; i++)
        sum += (double)query->value[i] * (double)query->value[i];
    return sum;
}

/* COSINE, ANGLE: computes the unit vector of the query. Returns a bound of the sum of its error and
 * of a point's error. */
static double set_unit(const Search *search, QueryState *state, float *to)
{
    uint32_t known = search->file->map.features;
    double squares = clv_va_squares(state->query->dense, known) + state->extra;

    clv_va_unit(state->query->dense, squares, known, to);
    state->extra = squares > 0 ? state->extra / squares : 0;
    state->zero = !(squares > 0);
    return 2 * va_unit_error(state->rounding / VA_UNIT);
}

/* INNER_PRODUCT: computes the vector center + t q. Returns a bound of its error. */
static double set_moved(const Search *search, QueryState *state, float *to)
{
    const VaMap *map = &search->file->map;
    const VaInner *inner = &search->file->inner;
    const float *q = state->query->dense;
    double own = sqrt(clv_va_squares(q, map->features)), center = sqrt(inner->center2), dot = 0,
           left2 = 0;

    state->rounding = va_gamma(state->rounding / VA_UNIT + (double)map->top);
    state->factor = own > 0 ? inner->typical / own : 1;
    for (uint32_t i = 0; i < map->features; i++) {
        double moved = (double)map->center[i] + state->factor * (double)q[i], left;

        to[i] = (float)fmax(fmin(moved, (double)FLT_MAX), -(double)FLT_MAX);
        left = (double)to[i] - moved;
        left2 += left * left;
        dot += (double)map->center[i] * (double)q[i];
    }
    state->extra = 0;
    state->own2 = state->factor * own * state->factor * own * (1 + 2 * state->rounding);
    state->from_center = dot;
    /* rounding errors of a key, of `from_center`, and of the square root of `own2` */
    state->slack = 4 * state->rounding * own * (inner->largest + center);
    return (sqrt(left2) + 8 * VA_UNIT * (center + state->factor * own)) * (1 + 2 * state->rounding);
}

/* The vector that is compared with those of the index: the query, or a vector in `to`. Returns a
 * bound of its error in *error. */
static const float *vector_of(const Search *search, QueryState *state, float *to, double *error)
{
    const Query *query = state->query;
    uint32_t known = search->file->map.features, features = search->index->vectors.features;

    *error = 0;
    state->extra = squares_outside(query, known, features);
    state->rounding = va_gamma((double)features + (double)(query->count - query->known) + 8);
    if (metric_of_directions(&search->index->metric)) {
        state->rounding *= 4; /* rounding errors of a cosine */
        *error = set_unit(search, state, to);
    } else if (search->file->inner.length2) {
        *error = set_moved(search, state, to);
    } else {
        return query->dense;
    }
    return to;
}

/* Defers the decisions if possible: upper bounds of keys require that no vector is zero. */
static void wait_with(const Search *search, QueryState *state, Later *later, Neighbor *upper)
{
    if (state->nearest->most == 0 || state->nearest->most > MOST_LATER || state->zero ||
        search->file->zeros)
        return;
    state->later = later;
    state->upper = *state->nearest;
    state->upper.item = upper;
    state->upper.count = 0;
    state->upper.limit = (double)INFINITY;
}

/* The codes of a query; returns the memory after them. */
static int8_t *encode_query(const VaFile *file, QueryState *state, const VaImage *image,
                            const float *vector, double error, int8_t *code)
{
    state->code = code;
    state->coded = clv_va_encode_query(&file->map, image, code);
    state->coded.error += error;
    code += file->map.parts;
    if (!file->full_code)
        return code;
    state->full = code;
    state->full_coded = clv_va_encode_full(&file->full, vector, code);
    state->full_coded.error += error;
    return code + file->full.stride;
}

static void prepare(const Search *search, const Query *queries, Nearest *nearest, uint32_t count,
                    QueryState *state, double *workspace, float *moved, Later *later,
                    Neighbor *upper, int8_t *code)
{
    const VaFile *file = search->file;

    for (uint32_t first = 0; first < count; first += VA_ROWS) {
        uint32_t some = count - first < VA_ROWS ? count - first : VA_ROWS;
        const float *vector[VA_ROWS];
        VaImage image[VA_ROWS];
        double error[VA_ROWS];

        for (uint32_t r = 0; r < VA_ROWS; r++) {
            QueryState *one = &state[first + r];

            if (r >= some) {
                vector[r] = vector[0];
                continue;
            }
            *one = (QueryState){.query = &queries[first + r],
                                .nearest = &nearest[first + r],
                                .first = (double)INFINITY,
                                .bound = NAN};
            vector[r] = vector_of(search, one, moved + (size_t)r * file->map.features, &error[r]);
        }
        clv_va_map(&file->map, search->kernels, vector, workspace, image);
        for (uint32_t r = 0; r < some; r++) {
            code = encode_query(file, &state[first + r], &image[r], vector[r], error[r], code);
            if (later)
                wait_with(search, &state[first + r], later + (size_t)(first + r) * LATER_CAPACITY,
                          upper + (size_t)(first + r) * MOST_LATER);
        }
    }
}

/* The number of sampled rows for a query; 0: a sample does not pay. */
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
           mapped = va_map_size(&file->map), moved = (size_t)VA_ROWS * file->map.features;
    size_t bytes = count * (sizeof(QueryState) + code) +
                   VA_TILE * (sizeof(VaHits) + most * sizeof(Neighbor)) + mapped * sizeof(double) +
                   moved * sizeof(float) +
                   waiting * (MOST_LATER * sizeof(Neighbor) + LATER_CAPACITY * sizeof(Later));
    char *memory = clv_search_workspace(workspace, bytes, error);
    QueryState *state = (QueryState *)memory;
    double *doubles;
    float *floats;
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
    floats = (float *)(search.hits + VA_TILE);
    prepare(&search, queries, nearest, count, state, doubles, floats, waiting ? later : NULL, upper,
            (int8_t *)(floats + moved));
    look_at_samples(&search, state, count, item, most);
    for (uint32_t i = 0; i < count; i++)
        look_at_bound(&search, &state[i]);
    look_at_all(&search, state, count);
    for (uint32_t i = 0; i < count; i++)
        settle(&search, &state[i]);
    return OK;
}

/* ---- the index ------------------------------------------------------------------------------- */

static Status suits(const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    if (metric->distance != EUCLIDEAN && metric->distance != INNER_PRODUCT &&
        !metric_of_directions(metric)) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--index vafile supports the distances euclidean, cosine, angle and "
                 "inner-product, not %s",
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
                                    .narrow = true,
                                    .suits = suits,
                                    .build = clv_va_build,
                                    .parts_size = sizeof(VaFile),
                                    .read = clv_va_read,
                                    .codes = codes,
                                    .search = search};
