/*
 * The loops of scan_loops.h for one vector width. The including file first defines Vector, Mask,
 * WIDTH, MM (prefix of the intrinsics), POINTS (rows compared together, so that all sums fit into
 * registers), MASK_OF, LOAD_SOME, sum_of, largest_of, NAME and LOOPS.
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

/* A few queries against a few rows; all sizes except the number of columns are compile-time
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

const ScanLoops LOOPS = {
    .name = NAME,
    .one = {[EUCLIDEAN] = squares_one, [MANHATTAN] = sizes_one, [MAXIMUM] = largest_one},
    .collective = {[EUCLIDEAN] = squares_together,
                   [MANHATTAN] = sizes_together,
                   [MAXIMUM] = largest_together},
};
