/*
 * The loops of rtree_loops.h for one kind of register. The including file first defines LANES
 * doubles of type Lanes, LOAD (of floats), SPREAD, LARGER, ABSOLUTE, keep (writes the lanes that
 * are not above a bound), NAME and LOOPS.
 */
#ifndef LEARN_NEIGHBOR_RTREE_BODY_H
#define LEARN_NEIGHBOR_RTREE_BODY_H

#include "learn/neighbor/distance.h"
#include "learn/neighbor/rtree_loops.h"

#define INLINED static inline __attribute__((always_inline))

/* The distances between the query and the entries from i on, in one column. */
INLINED Lanes gap(const RtreeBatch *batch, uint32_t column, uint32_t i, bool boxes)
{
    size_t at = column * batch->stride + i;
    Lanes query = SPREAD(batch->query[column]), below = LOAD(batch->low + at) - query;

    if (!boxes)
        return below;
    return LARGER(LARGER(below, query - LOAD(batch->high + at)), SPREAD(0));
}

INLINED Lanes with_term(Lanes sum, Lanes gap, Distance distance)
{
    switch (distance) {
    case EUCLIDEAN:
        return sum + gap * gap;
    case MANHATTAN:
        return sum + ABSOLUTE(gap);
    default:
        return LARGER(sum, ABSOLUTE(gap));
    }
}

/* Adds the columns that only the query has. */
INLINED void add_beyond(const RtreeBatch *batch, Lanes part[4], Distance distance)
{
    for (uint32_t c = batch->width; c < batch->features; c++)
        part[c % 4] = with_term(part[c % 4], SPREAD(batch->query[c]), distance);
    for (size_t j = 0; j < batch->beyond; j++)
        part[batch->column[j] % 4] = with_term(part[batch->column[j] % 4],
                                               SPREAD((double)batch->value[j]), distance);
}

INLINED uint32_t below(const RtreeBatch *batch, double bound, double *key, uint32_t *entry,
                       Distance distance, bool boxes)
{
    uint32_t kept = 0, width = batch->width, columns = width / 4 * 4;
    bool more = batch->features > width || batch->beyond;

    for (uint32_t i = 0; i < batch->count; i += LANES) {
        Lanes a = SPREAD(0), b = SPREAD(0), c = SPREAD(0), d = SPREAD(0), all;

        for (uint32_t column = 0; column < columns; column += 4) {
            a = with_term(a, gap(batch, column, i, boxes), distance);
            b = with_term(b, gap(batch, column + 1, i, boxes), distance);
            c = with_term(c, gap(batch, column + 2, i, boxes), distance);
            d = with_term(d, gap(batch, column + 3, i, boxes), distance);
        }
        if (columns < width)
            a = with_term(a, gap(batch, columns, i, boxes), distance);
        if (columns + 1 < width)
            b = with_term(b, gap(batch, columns + 1, i, boxes), distance);
        if (columns + 2 < width)
            c = with_term(c, gap(batch, columns + 2, i, boxes), distance);
        if (more) {
            Lanes part[4] = {a, b, c, d};

            add_beyond(batch, part, distance);
            a = part[0], b = part[1], c = part[2], d = part[3];
        }
        all = distance == MAXIMUM ? LARGER(LARGER(a, b), LARGER(c, d)) : (Lanes)((a + b) + (c + d));
        kept = keep(all, bound, batch->number + i, batch->number + batch->count, key, entry, kept);
    }
    return kept;
}

#define FORM(name, distance, boxes)                                                                \
    static uint32_t name(const RtreeBatch *batch, double bound, double *key, uint32_t *entry)      \
    {                                                                                              \
        return below(batch, bound, key, entry, distance, boxes);                                   \
    }
FORM(points_squares, EUCLIDEAN, false)
FORM(points_sums, MANHATTAN, false)
FORM(points_largest, MAXIMUM, false)
FORM(boxes_squares, EUCLIDEAN, true)
FORM(boxes_sums, MANHATTAN, true)
FORM(boxes_largest, MAXIMUM, true)

const RtreeLoops LOOPS = {.name = NAME,
                          .points = {points_squares, points_sums, NULL, points_largest},
                          .boxes = {boxes_squares, boxes_sums, NULL, boxes_largest}};

#endif
