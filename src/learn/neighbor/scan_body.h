/*
 * The loops of scan_loops.h for one vector width. The including file first defines Vector, Mask,
 * WIDTH, MM (prefix of the intrinsics), POINTS (rows compared together, so that all sums fit into
 * registers), PANEL_QUERIES (queries compared with a panel), MASK_OF, LOAD_SOME, NOT_BELOW,
 * quarter_of (four sums of a register), sum_of, largest_of, NAME and LOOPS.
 */
#include "learn/neighbor/scan_loops.h"

#define INLINE static inline __attribute__((always_inline))

INLINE Vector absolute(Vector a)
{
    return MM(andnot_ps)(MM(set1_ps)(-0.0F), a);
}

INLINE Vector add_term(Distance distance, Vector sum, Vector difference)
{
    switch (distance) {
    case EUCLIDEAN:
        return MM(fmadd_ps)(difference, difference, sum);
    case MANHATTAN:
        return sum + absolute(difference);
    default:
        return MM(max_ps)(sum, absolute(difference));
    }
}

/* Compares a few queries with a few rows. All sizes except the number of columns are compile-time
 * constants. */
INLINE void tile(Distance distance, uint32_t queries, uint32_t rows, const float *const *query,
                 const float *points, size_t stride, uint32_t features, float *sums, size_t pitch)
{
    Vector sum[SCAN_TOGETHER][POINTS];
    uint32_t column = 0;
    Mask rest = MASK_OF(features % WIDTH);

#pragma GCC unroll 4
    for (uint32_t q = 0; q < queries; q++)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++)
            sum[q][p] = MM(setzero_ps)();
    for (; column + WIDTH <= features; column += WIDTH)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++) {
            Vector x = MM(loadu_ps)(points + p * stride + column);

#pragma GCC unroll 4
            for (uint32_t q = 0; q < queries; q++)
                sum[q][p] = add_term(distance, sum[q][p], x - MM(loadu_ps)(query[q] + column));
        }
    if (column < features)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++) {
            Vector x = LOAD_SOME(points + p * stride + column, rest);

#pragma GCC unroll 4
            for (uint32_t q = 0; q < queries; q++)
                sum[q][p] = add_term(distance, sum[q][p], x - LOAD_SOME(query[q] + column, rest));
        }
#pragma GCC unroll 4
    for (uint32_t q = 0; q < queries; q++)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++)
            sums[q * pitch + p] = distance == MAXIMUM ? largest_of(sum[q][p]) : sum_of(sum[q][p]);
}

INLINE void block(Distance distance, uint32_t queries, const float *const *query,
                  const float *points, size_t stride, uint32_t rows, uint32_t features, float *sums,
                  size_t pitch)
{
    uint32_t row = 0;

    for (; row + POINTS <= rows; row += POINTS)
        tile(distance, queries, POINTS, query, points + row * stride, stride, features, sums + row,
             pitch);
    for (; row < rows; row++)
        tile(distance, queries, 1, query, points + row * stride, stride, features, sums + row,
             pitch);
}

#define DEFINE(name, distance, queries)                                                            \
    static void name(const float *const *query, const float *points, size_t stride, uint32_t rows, \
                     uint32_t features, float *sums, size_t pitch)                                 \
    {                                                                                              \
        block(distance, queries, query, points, stride, rows, features, sums, pitch);              \
    }

DEFINE(squares_one, EUCLIDEAN, 1)
DEFINE(squares_together, EUCLIDEAN, SCAN_TOGETHER)
DEFINE(sizes_one, MANHATTAN, 1)
DEFINE(sizes_together, MANHATTAN, SCAN_TOGETHER)
DEFINE(largest_one, MAXIMUM, 1)
DEFINE(largest_together, MAXIMUM, SCAN_TOGETHER)

/* ---- inner products -------------------------------------------------------------------------- */

enum { PANEL = 2 * WIDTH };

/* Packs four rows, four columns at a time. The columns used next are prefetched. */
static void pack_rows(const float *const row[4], uint32_t columns, float *panel)
{
    uint32_t column = 0;

    for (; column + 4 <= columns; column += 4) {
        __m128 a = _mm_loadu_ps(row[0] + column), b = _mm_loadu_ps(row[1] + column),
               c = _mm_loadu_ps(row[2] + column), d = _mm_loadu_ps(row[3] + column);
        float *to = panel + (size_t)column * PANEL;

        if (column % 16 == 0)
            for (uint32_t i = 0; i < 4; i++)
                __builtin_prefetch(row[i] + column + SCAN_COLUMNS);

        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_storeu_ps(to, a);
        _mm_storeu_ps(to + PANEL, b);
        _mm_storeu_ps(to + 2 * PANEL, c);
        _mm_storeu_ps(to + 3 * PANEL, d);
    }
    for (; column < columns; column++)
        for (uint32_t i = 0; i < 4; i++)
            panel[(size_t)column * PANEL + i] = row[i][column];
}

static void pack(const float *points, size_t stride, uint32_t rows, uint32_t columns, float *panel,
                 float *squares)
{
    Vector low = MM(loadu_ps)(squares), high = MM(loadu_ps)(squares + WIDTH);

    for (uint32_t first = 0; first < PANEL; first += 4) {
        const float *row[4];

        for (uint32_t i = 0; i < 4; i++)
            row[i] = points + (first + i < rows ? first + i : rows - 1) * stride;
        pack_rows(row, columns, panel + first);
    }
    for (uint32_t column = 0; column < columns; column++) {
        Vector a = MM(loadu_ps)(panel + (size_t)column * PANEL);
        Vector b = MM(loadu_ps)(panel + (size_t)column * PANEL + WIDTH);

        low = MM(fmadd_ps)(a, a, low);
        high = MM(fmadd_ps)(b, b, high);
    }
    MM(storeu_ps)(squares, low);
    MM(storeu_ps)(squares + WIDTH, high);
}

/* queries: stored column by column, like the panel. */
static void add_products(const float *panel, const float *queries, uint32_t columns, float *sums)
{
    Vector sum[PANEL_QUERIES][2];

#pragma GCC unroll 12
    for (uint32_t q = 0; q < PANEL_QUERIES; q++) {
        sum[q][0] = MM(loadu_ps)(sums + q * PANEL);
        sum[q][1] = MM(loadu_ps)(sums + q * PANEL + WIDTH);
    }
    for (uint32_t column = 0; column < columns; column++) {
        Vector a = MM(loadu_ps)(panel), b = MM(loadu_ps)(panel + WIDTH);

#pragma GCC unroll 12
        for (uint32_t q = 0; q < PANEL_QUERIES; q++) {
            Vector value = MM(set1_ps)(queries[q]);

            sum[q][0] = MM(fmadd_ps)(a, value, sum[q][0]);
            sum[q][1] = MM(fmadd_ps)(b, value, sum[q][1]);
        }
        panel += PANEL;
        queries += PANEL_QUERIES;
    }
#pragma GCC unroll 12
    for (uint32_t q = 0; q < PANEL_QUERIES; q++) {
        MM(storeu_ps)(sums + q * PANEL, sum[q][0]);
        MM(storeu_ps)(sums + q * PANEL + WIDTH, sum[q][1]);
    }
}

static uint64_t compare_products(const float *sums, ScanLimit limit, const float *length)
{
    Vector base = MM(set1_ps)(limit.base), slope = MM(set1_ps)(limit.slope);
    Vector low = MM(fmadd_ps)(slope, MM(loadu_ps)(length), base),
           high = MM(fmadd_ps)(slope, MM(loadu_ps)(length + WIDTH), base);

    return NOT_BELOW(MM(loadu_ps)(sums), low) |
           (uint64_t)NOT_BELOW(MM(loadu_ps)(sums + WIDTH), high) << WIDTH;
}

INLINE __m128 sums_of_four(const Vector a[4])
{
    __m128 w = quarter_of(a[0]), x = quarter_of(a[1]), y = quarter_of(a[2]), z = quarter_of(a[3]);

    _MM_TRANSPOSE4_PS(w, x, y, z);
    return _mm_add_ps(_mm_add_ps(w, x), _mm_add_ps(y, z));
}

/* Computes the products with four rows and their squares. ahead: distance of the rows to
 * prefetch. */
INLINE void product_of_four(const float *query, const float *const row[4], uint32_t features,
                            size_t ahead, float *product, float *square)
{
    Vector sum[4], squares[4];
    uint32_t column = 0;
    Mask rest = MASK_OF(features % WIDTH);

#pragma GCC unroll 4
    for (uint32_t p = 0; p < 4; p++)
        sum[p] = squares[p] = MM(setzero_ps)();
    for (; column + WIDTH <= features; column += WIDTH) {
        Vector q = MM(loadu_ps)(query + column);

#pragma GCC unroll 4
        for (uint32_t p = 0; p < 4; p++) {
            Vector x = MM(loadu_ps)(row[p] + column);

            __builtin_prefetch(row[p] + column + ahead);
            sum[p] = MM(fmadd_ps)(x, q, sum[p]);
            squares[p] = MM(fmadd_ps)(x, x, squares[p]);
        }
    }
    if (column < features) {
        Vector q = LOAD_SOME(query + column, rest);

#pragma GCC unroll 4
        for (uint32_t p = 0; p < 4; p++) {
            Vector x = LOAD_SOME(row[p] + column, rest);

            sum[p] = MM(fmadd_ps)(x, q, sum[p]);
            squares[p] = MM(fmadd_ps)(x, x, squares[p]);
        }
    }
    _mm_storeu_ps(product, sums_of_four(sum));
    _mm_storeu_ps(square, sums_of_four(squares));
}

static void product(const float *query, const float *points, size_t stride, uint32_t rows,
                    uint32_t features, float *product, float *square)
{
    enum { AHEAD = 2048 };
    size_t ahead = 4 * stride * (1 + AHEAD / (4 * stride));

    for (uint32_t first = 0; first < rows; first += 4) {
        const float *row[4];

        for (uint32_t i = 0; i < 4; i++)
            row[i] = points + (first + i < rows ? first + i : rows - 1) * stride;
        product_of_four(query, row, features, ahead, product + first, square + first);
    }
}

const ScanLoops LOOPS = {
    .name = NAME,
    .one = {[EUCLIDEAN] = squares_one, [MANHATTAN] = sizes_one, [MAXIMUM] = largest_one},
    .collective = {[EUCLIDEAN] = squares_together,
                   [MANHATTAN] = sizes_together,
                   [MAXIMUM] = largest_together},
    .panel = PANEL,
    .queries = PANEL_QUERIES,
    .pack = pack,
    .add_products = add_products,
    .compare = compare_products,
    .product = product,
};
