/*
 * The scan by inner products of floats, for INNER_PRODUCT, COSINE and ANGLE (decision 0023).
 *
 * Let s be the computed sum of products and X the computed length of a point, Q that of the query
 * in double. No product takes part in more than `features` + 8 roundings, so that for lengths
 * between the limits of scan_loops.h, with c = (features + 16) 2⁻²²
 *
 *     |s − Σxq| ≤ c X Q / 2        |X − ‖x‖| ≤ c X / 4
 *
 * and a point is skipped only if s < base + slope X:
 *
 *     INNER_PRODUCT   base = −bound, slope = −c Q
 *     COSINE, ANGLE   base = 0, slope = (least cosine − 2c) Q
 *
 * A comparison with a number that is not finite is false: nothing is skipped. Many queries are
 * compared with a panel of points, stored column by column, so that a register has one column of
 * many points. distance.h decides about the remaining points.
 */
#include "learn/neighbor/scan_loops.h"

#include <float.h>

enum { MOST_ROWS = 256 }; /* maximum number of rows that a single query scans at once */

typedef struct {
    const Index *index;
    const ScanLoops *loops;
    const Query *queries;
    Nearest *nearest;
    const uint32_t *which;
    uint32_t count;
} Products;

typedef struct {
    ScanLimit limit;
    double bound, length;
} Line;

static double length_of(const Query *query, uint32_t features)
{
    double sum = 0;

    for (uint32_t i = 0; i < features; i++)
        sum += (double)query->dense[i] * (double)query->dense[i];
    for (size_t i = query->known; i < query->count; i++)
        sum += (double)query->value[i] * (double)query->value[i];
    return sqrt(sum);
}

/* The cosine that corresponds to the bound: a smaller cosine has a key above the bound. */
static double least_cosine(Distance distance, double bound)
{
    if (distance == COSINE)
        return 1 - bound;
    return bound < 1 ? cos(bound * acos(-1.0)) : -2;
}

static void set_limit(const Index *index, const Nearest *nearest, Line *line)
{
    Distance distance = index->metric.distance;
    double c = ((double)index->vectors.features + 16) * 0x1p-22, bound = nearest_bound(nearest);

    if (line->bound == bound)
        return;
    line->bound = bound;
    if (!(line->length > SCAN_LEAST_LENGTH && line->length < SCAN_MOST_LENGTH)) {
        line->limit = (ScanLimit){.base = NAN};
    } else if (distance == INNER_PRODUCT) {
        line->limit = (ScanLimit){.base = (float)(-bound - fabs(bound) * 0x1p-22),
                                  .slope = (float)(-c * line->length * (1 + 0x1p-20))};
    } else {
        double least = bound < 0 ? (double)INFINITY : least_cosine(distance, bound) - 2 * c;

        line->limit = (ScanLimit){.slope = (float)(least * line->length)};
    }
}

static void look_at_rows(const Products *all, uint32_t i, Line *line, uint32_t first, uint64_t rows)
{
    uint32_t query = all->which[i];

    for (; rows; rows &= rows - 1)
        index_push(all->index, &all->queries[query], &all->nearest[query],
                   first + (uint32_t)__builtin_ctzll(rows));
    set_limit(all->index, &all->nearest[query], line);
}

/* Computes the lengths from the squares. They are NaN outside the limits, so that nothing is
 * skipped. */
static void set_lengths(float *length, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float root = sqrtf(length[i]);

        length[i] = root > SCAN_LEAST_LENGTH && root < SCAN_MOST_LENGTH ? root : NAN;
    }
}

/* ---- few queries ----------------------------------------------------------------------------- */

static void look_alone(const Products *all, Line *line, const float *points, size_t stride,
                       uint32_t first, uint32_t rows)
{
    float product[MOST_ROWS], length[MOST_ROWS];

    for (uint32_t i = 0; i < all->count; i++) {
        all->loops->product(all->queries[all->which[i]].dense, points, stride, rows,
                            all->index->vectors.features, product, length);
        set_lengths(length, rows);
        for (uint32_t row = 0; row < rows; row++)
            if (!(product[row] < line[i].limit.base + line[i].limit.slope * length[row]))
                look_at_rows(all, i, &line[i], first + row, 1);
    }
}

/* ---- many queries ---------------------------------------------------------------------------- */

static bool are_many(const ScanLoops *loops, uint32_t count)
{
    return count > loops->queries / 2;
}

static uint32_t groups_of(const ScanLoops *loops, uint32_t count)
{
    return (count + loops->queries - 1) / loops->queries;
}

/* Packs groups of queries, column by column. Missing queries are copies of the last. */
static void pack_queries(const Products *all, float *packed)
{
    uint32_t features = all->index->vectors.features, width = all->loops->queries;

    for (uint32_t i = 0; i < groups_of(all->loops, all->count) * width; i++) {
        const float *q = all->queries[all->which[i < all->count ? i : all->count - 1]].dense;
        float *to = packed + (size_t)(i / width) * width * features + i % width;

        for (uint32_t column = 0; column < features; column++)
            to[(size_t)column * width] = q[column];
    }
}

/* Compares a panel of rows, some columns at a time, with all queries. */
static void look_together(const Products *all, Line *line, const float *points, size_t stride,
                          uint32_t first, uint32_t rows, const float *packed, float *panel)
{
    const ScanLoops *loops = all->loops;
    uint32_t features = all->index->vectors.features, groups = groups_of(loops, all->count);
    float length[SCAN_MOST_PANEL] = {0}, *sums = panel + (size_t)SCAN_COLUMNS * loops->panel;
    size_t size = (size_t)loops->queries * loops->panel;
    uint64_t there = (UINT64_C(1) << rows) - 1;

    memset(sums, 0, groups * size * sizeof *sums);
    for (uint32_t column = 0; column < features; column += SCAN_COLUMNS) {
        uint32_t columns = features - column < SCAN_COLUMNS ? features - column : SCAN_COLUMNS;

        loops->pack(points + column, stride, rows, columns, panel, length);
        for (uint32_t group = 0; group < groups; group++)
            loops->add_products(panel,
                                packed + ((size_t)group * features + column) * loops->queries,
                                columns, sums + group * size);
    }
    set_lengths(length, loops->panel);
    for (uint32_t i = 0; i < all->count; i++) {
        uint64_t near = loops->compare(sums + (size_t)i * loops->panel, line[i].limit, length) &
                        there;

        if (near)
            look_at_rows(all, i, &line[i], first, near);
    }
}

/* Sums the sizes: the packed queries, a panel, its sums, and a panel of unpacked points. */
size_t clv_scan_products_size(const Index *index, const ScanLoops *loops, uint32_t count)
{
    size_t features = index->vectors.features, spread = index->vectors.dense ? 0 : features,
           queries = (size_t)groups_of(loops, count) * loops->queries;

    return are_many(loops, count)
               ? queries * (features + loops->panel) + loops->panel * (SCAN_COLUMNS + spread)
               : loops->panel * spread + 1;
}

void clv_scan_products(const Index *index, const ScanLoops *loops, const Query *queries,
                       Nearest *nearest, const uint32_t *which, uint32_t count, float *memory)
{
    const Vectors *vectors = &index->vectors;
    bool many = are_many(loops, count);
    uint32_t features = vectors->features,
             rows = many              ? loops->panel
                    : vectors->dense  ? MOST_ROWS
                    : vectors->packed ? clv_scan_unpacked_rows(features, loops->panel)
                                      : loops->panel;
    size_t stride = vectors->dense ? vectors->stride : features;
    float *spread = memory, *packed = memory + (vectors->dense ? 0 : loops->panel * stride),
          *panel = packed + (size_t)groups_of(loops, count) * loops->queries * features;
    Products all = {.index = index,
                    .loops = loops,
                    .queries = queries,
                    .nearest = nearest,
                    .which = which,
                    .count = count};
    Line line[SCAN_AT_ONCE];

    for (uint32_t i = 0; i < count; i++) {
        line[i] = (Line){.bound = NAN, .length = length_of(&queries[which[i]], features)};
        set_limit(index, &nearest[which[i]], &line[i]);
    }
    if (many)
        pack_queries(&all, packed);
    for (uint32_t first = 0, left = index->built; left > 0; first += rows, left -= rows) {
        const float *points = vectors->dense ? dense_row(vectors, first) : spread;

        rows = rows < left ? rows : left;
        for (uint32_t i = 0; !vectors->dense && i < rows; i++)
            spread_row(vectors, first + i, spread + i * stride);
        if (many)
            look_together(&all, line, points, stride, first, rows, packed, panel);
        else
            look_alone(&all, line, points, stride, first, rows);
    }
}
