/*
 * The scan: compares every point, and is the reference of all other indexes.
 *
 * The plain form computes the keys of distance.h in double. Otherwise float32 distances, at an
 * eighth of the cost, skip most points. Let u = 2⁻²⁴ be the rounding unit of a float and s the
 * computed sum of squares, in which no term takes part in more than m additions. Each difference is
 * (x−q)(1+δ), |δ| ≤ u, exact for subnormal results; its square adds one rounding, each sum another,
 * and all terms are nonnegative. Hence s ≤ t (1+u)^(m+3) + m 2⁻¹⁴⁹ for the true sum t; the second
 * term covers numbers below 2⁻¹²⁶. For a sum that overflows the same holds with the largest float.
 * The double key is at least t (1 − (features+3) 2⁻⁵³). If
 *
 *     s > bound (1 + (m+8) 2⁻²²) + (m+8) 2⁻¹⁴⁸,
 *
 * rounded up, the key exceeds the bound while m u is below 1/16, with a safety factor above two.
 * Sums of absolute values and maxima have fewer roundings. Columns that only the query has can only
 * increase the key. distance.h decides about the remaining points. scan_products.c does the same
 * for inner products and cosines.
 */
#include "learn/neighbor/edit.h"
#include "learn/neighbor/gower.h"
#include "learn/neighbor/scan_loops.h"
#include "learn/neighbor/simd.h"

#include <float.h>

enum { BLOCK_BYTES = 1 << 17, MOST_ROWS = 512, MOST_QUERIES = SCAN_AT_ONCE, WIDEST = 1 << 22 };

extern const ScanLoops clv_scan_avx2, clv_scan_avx512;

const ScanLoops *clv_scan_loops_at(size_t number)
{
    static const ScanLoops *const form[SIMD_LEVELS] = SIMD_FORMS(NULL, &clv_scan_avx2,
                                                                 &clv_scan_avx512);

    return number < simd_level() ? form[number + 1] : NULL;
}

const ScanLoops *clv_scan_loops(void)
{
    const ScanLoops *widest = clv_scan_loops_at(1);

    return widest ? widest : clv_scan_loops_at(0);
}

/* ---- plain ----------------------------------------------------------------------------------- */

static void look_at(const Index *index, const Query *query, Nearest *nearest, uint32_t first,
                    uint32_t end)
{
    for (uint32_t row = first; row < end; row++)
        index_push(index, query, nearest, row);
}

static uint64_t entries_of_row(const Vectors *vectors)
{
    return vectors_are_dense(vectors) ? vectors->features
                                      : vectors->end[vectors->count - 1] / vectors->count;
}

/* Number of rows that fit into a cache and are compared with many queries. */
static uint32_t rows_at_once(uint64_t values)
{
    uint64_t rows = BLOCK_BYTES / sizeof(float) / (values + 1);

    return rows < 8 ? 8 : rows > MOST_ROWS ? MOST_ROWS : (uint32_t)rows;
}

static void look_at_all(const Index *index, const Query *queries, Nearest *nearest,
                        const uint32_t *which, uint32_t count)
{
    uint32_t rows = rows_at_once(entries_of_row(&index->vectors));

    for (uint32_t first = 0, left = index->built; left > 0; first += rows, left -= rows) {
        rows = rows < left ? rows : left;
        for (uint32_t i = 0; i < count; i++)
            look_at(index, &queries[which[i]], &nearest[which[i]], first, first + rows);
    }
}

/* If only few rows may be found, visits only these. Returns whether it did. */
static bool only_few(const Index *index, const Nearest *nearest)
{
    uint32_t allowed = 0, words = index->built / 64;
    enum { FEW = 8 };

    if (!nearest->only)
        return false;
    for (uint32_t i = 0; i < words; i++)
        allowed += (uint32_t)__builtin_popcountll(nearest->only[i]);
    return allowed < index->built / FEW;
}

static void look_at_few(const Index *index, const Query *query, Nearest *nearest)
{
    for (uint32_t row = 0; row < index->built; row++) {
        if (row % 64 == 0 && nearest->only[row / 64] == 0)
            /* none of these rows may be found */
            row += index->built - row > 64 ? 63 : index->built - row - 1;
        else if (row_bit(nearest->only, row))
            look_at(index, query, nearest, row, row + 1);
    }
}

/* ---- skipping by float32 distances ----------------------------------------------------------- */

/* A float sum above this limit implies a key above the bound (see the top of the file). */
static float threshold(double bound, uint32_t features)
{
    double others = (double)(features / 8 + 8);
    double above = bound + fabs(bound) * (others + 8) * 0x1p-22 + (others + 8) * 0x1p-148;

    if (!(above < (double)FLT_MAX))
        return INFINITY;
    return above < -(double)FLT_MAX ? -INFINITY : nextafterf((float)above, INFINITY);
}

static void look_at_near(const Index *index, const Query *query, Nearest *nearest, uint32_t first,
                         uint32_t rows, const float *sums)
{
    double bound = nearest_bound(nearest);
    float above = threshold(bound, index->vectors.features);

    for (uint32_t i = 0; i < rows; i++) {
        if (sums[i] > above)
            continue;
        look_at(index, query, nearest, first + i, first + i + 1);
        if (nearest_bound(nearest) < bound) {
            bound = nearest_bound(nearest);
            above = threshold(bound, index->vectors.features);
        }
    }
}

/* A block of dense rows. */
typedef struct {
    const float *points;
    size_t stride;
    uint32_t first, rows;
} Rows;

uint32_t clv_scan_unpacked_rows(uint32_t features, uint32_t most)
{
    enum { NEAR_BYTES = 1 << 14 };
    uint32_t rows = features ? NEAR_BYTES / (uint32_t)sizeof(float) / features : most;

    return rows < 1 ? 1 : rows < most ? rows : most;
}

/* Compares up to SCAN_TOGETHER queries with a block of rows. */
static void look_together(const Index *index, const ScanLoops *loops, const Query *queries,
                          Nearest *nearest, const uint32_t *which, uint32_t count,
                          const Rows *block)
{
    ScanSums *const *by_distance = count == 1 ? loops->one : loops->collective;
    const float *query[SCAN_TOGETHER];
    float sums[SCAN_TOGETHER * MOST_ROWS];

    for (uint32_t i = 0; i < SCAN_TOGETHER; i++)
        query[i] = queries[which[i < count ? i : 0]].dense;
    by_distance[index->metric.distance](query, block->points, block->stride, block->rows,
                                        index->vectors.features, sums, MOST_ROWS);
    for (uint32_t i = 0; i < count; i++)
        look_at_near(index, &queries[which[i]], &nearest[which[i]], block->first, block->rows,
                     sums + i * MOST_ROWS);
}

/* spread: buffer for a block of unpacked points. */
static void look_by_blocks(const Index *index, const ScanLoops *loops, const Query *queries,
                           Nearest *nearest, const uint32_t *which, uint32_t count, float *spread)
{
    const Vectors *vectors = &index->vectors;
    Rows block = {
        .points = spread, .stride = vectors->features, .rows = rows_at_once(vectors->features)};

    if (vectors->packed && count == 1)
        block.rows = clv_scan_unpacked_rows(vectors->features, block.rows);
    for (uint32_t left = index->built; left > 0; block.first += block.rows, left -= block.rows) {
        block.rows = block.rows < left ? block.rows : left;
        for (uint32_t i = 0; spread && i < block.rows; i++)
            spread_row(vectors, block.first + i, spread + (size_t)i * vectors->features);
        if (!spread)
            block = (Rows){dense_row(vectors, block.first), vectors->stride, block.first,
                           block.rows};
        for (uint32_t i = 0; i < count; i += SCAN_TOGETHER)
            look_together(index, loops, queries, nearest, which + i,
                          count - i < SCAN_TOGETHER ? count - i : SCAN_TOGETHER, &block);
    }
}

static bool by_products(const Index *index)
{
    return index->metric.distance == INNER_PRODUCT || metric_of_directions(&index->metric);
}

static const ScanLoops *loops_for(const Index *index)
{
    Distance distance = index->metric.distance;

    if (by_products(index))
        return index->vectors.features <= SCAN_MOST_PRODUCTS ? clv_scan_loops() : NULL;
    return index->vectors.features < WIDEST &&
                   (distance == EUCLIDEAN || distance == MANHATTAN || distance == MAXIMUM)
               ? clv_scan_loops()
               : NULL;
}

/* Whether to unpack sparse points. Many queries share the cost, and dense loops are faster. */
static bool worth_spreading(const Index *index, uint32_t queries)
{
    enum { FEW_QUERIES = 16, MOST_ZEROS = 8 };
    const Vectors *vectors = &index->vectors;

    return queries >= FEW_QUERIES && vectors->features <= entries_of_row(vectors) * MOST_ZEROS;
}

/* Whether a large part of the points is requested, so that skipping does not pay. */
static bool wants_many(const Index *index, const Nearest *nearest)
{
    enum { MANY = 8 };

    return nearest->most > index->built / MANY && nearest->limit == (double)INFINITY;
}

/* Searches with the queries that can skip points. */
static Status pass_over(const Index *index, const ScanLoops *loops, const Query *queries,
                        Nearest *nearest, const uint32_t *which, uint32_t count,
                        SearchWorkspace *workspace, cleave_error *error)
{
    const Vectors *vectors = &index->vectors;
    float *spread = NULL;

    if (count == 0)
        return OK;
    if (!vectors_are_dense(vectors) && (!loops || !worth_spreading(index, count))) {
        clv_scan_sparse(index, queries, nearest, which, count);
        return OK;
    }
    if (by_products(index)) {
        size_t size = clv_scan_products_size(index, loops, count);
        float *memory = clv_search_workspace(workspace, size * sizeof *memory, error);

        if (!memory)
            return CLEAVE_ERROR_MEMORY;
        clv_scan_products(index, loops, queries, nearest, which, count, memory);
        return OK;
    }
    if (!vectors->dense) {
        size_t cells = (size_t)rows_at_once(vectors->features) * vectors->features;

        spread = clv_search_workspace(workspace, cells * sizeof *spread, error);
        if (!spread)
            return CLEAVE_ERROR_MEMORY;
    }
    look_by_blocks(index, loops, queries, nearest, which, count, spread);
    return OK;
}

/* Searches for a few hundred queries, whose state fits on the stack. */
static Status search_some(const Index *index, const Query *queries, Nearest *nearest,
                          uint32_t count, SearchWorkspace *workspace, cleave_error *error)
{
    uint32_t all = 0, some = 0, which[MOST_QUERIES];
    const ScanLoops *loops = loops_for(index);
    bool over = !index->options.plain &&
                (vectors_are_dense(&index->vectors)
                     ? loops != NULL
                     : index->metric.distance != LR && index->vectors.features <= MOST_SPREAD);

    /* queries without skipping are placed first, the others from the end */
    for (uint32_t i = 0; i < count; i++) {
        if (only_few(index, &nearest[i]))
            look_at_few(index, &queries[i], &nearest[i]);
        else if (over && !wants_many(index, &nearest[i]))
            which[count - ++some] = i;
        else
            which[all++] = i;
    }
    look_at_all(index, queries, nearest, which, all);
    return pass_over(index, loops, queries, nearest, which + count - some, some, workspace, error);
}

static Status search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                     SearchWorkspace *workspace, cleave_error *error)
{
    if (index->metric.distance == EDIT)
        return clv_edit_search(index, queries, nearest, count, workspace, error);
    if (index->metric.distance == GOWER) {
        clv_gower_search(index, queries, nearest, count);
        return OK;
    }
    for (uint32_t i = 0; i < count; i += MOST_QUERIES)
        TRY(search_some(index, queries + i, nearest + i,
                        count - i < MOST_QUERIES ? count - i : MOST_QUERIES, workspace, error));
    return OK;
}

const IndexKind clv_index_scan = {.name = "scan", .exact = true, .narrow = true, .search = search};
