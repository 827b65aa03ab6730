/*
 * The loops of scan_loops.h for one width of vectors. The file that includes this says what a vector is: Vector, Mask, WIDTH, POINTS (rows that are looked at
 * together, so that all sums fit into registers), load, load_some, mask_of, minus, plus, size_of, larger, plus_square, sum_of, largest_of, zero; and NAME, LOOPS.
 */
#include "learn/neighbor/scan_loops.h"

#define INLINE static inline __attribute__((always_inline))

INLINE Vector take_in(Distance distance, Vector sum, Vector difference)
{
    switch (distance) {
    case EUCLIDEAN:
        return plus_square(sum, difference);
    case MANHATTAN:
        return plus(sum, size_of(difference));
    default:
        return larger(sum, size_of(difference));
    }
}

/* A few queries against a few rows; all sizes but the number of columns are known to the compiler. */
INLINE void tile(Distance distance, uint32_t queries, uint32_t rows, const float *const *query, const float *points,
                 size_t stride, uint32_t features, float *sums, size_t pitch)
{
    Vector sum[SCAN_TOGETHER][POINTS];
    uint32_t column = 0;
    Mask rest = mask_of(features % WIDTH);

#pragma GCC unroll 4
    for (uint32_t q = 0; q < queries; q++)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++)
            sum[q][p] = zero();
    for (; column + WIDTH <= features; column += WIDTH)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++) {
            Vector x = load(points + p * stride + column);

#pragma GCC unroll 4
            for (uint32_t q = 0; q < queries; q++)
                sum[q][p] = take_in(distance, sum[q][p], minus(x, load(query[q] + column)));
        }
    if (column < features)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++) {
            Vector x = load_some(points + p * stride + column, rest);

#pragma GCC unroll 4
            for (uint32_t q = 0; q < queries; q++)
                sum[q][p] = take_in(distance, sum[q][p], minus(x, load_some(query[q] + column, rest)));
        }
#pragma GCC unroll 4
    for (uint32_t q = 0; q < queries; q++)
#pragma GCC unroll 4
        for (uint32_t p = 0; p < rows; p++)
            sums[q * pitch + p] = distance == MAXIMUM ? largest_of(sum[q][p]) : sum_of(sum[q][p]);
}

INLINE void block(Distance distance, uint32_t queries, const float *const *query, const float *points, size_t stride,
                  uint32_t rows, uint32_t features, float *sums, size_t pitch)
{
    uint32_t row = 0;

    for (; row + POINTS <= rows; row += POINTS)
        tile(distance, queries, POINTS, query, points + row * stride, stride, features, sums + row, pitch);
    for (; row < rows; row++)
        tile(distance, queries, 1, query, points + row * stride, stride, features, sums + row, pitch);
}

#define DEFINE(name, distance, queries)                                                                                \
    static void name(const float *const *query, const float *points, size_t stride, uint32_t rows, uint32_t features,  \
                     float *sums, size_t pitch)                                                                        \
    {                                                                                                                  \
        block(distance, queries, query, points, stride, rows, features, sums, pitch);                                  \
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
    .collective = {[EUCLIDEAN] = squares_together, [MANHATTAN] = sizes_together, [MAXIMUM] = largest_together},
};
