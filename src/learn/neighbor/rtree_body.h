/*
 * The text of the loops. The file that includes it has said what a register is: LANES doubles of type Lanes, and LOAD (of floats), SPREAD, ADD,
 * SUBTRACT, MULTIPLY, LARGER, ABSOLUTE, and KEEP, which writes those not above a bound.
 */
#ifndef LEARN_NEIGHBOR_RTREE_BODY_H
#define LEARN_NEIGHBOR_RTREE_BODY_H

#include "learn/neighbor/distance.h"
#include "learn/neighbor/rtree_loops.h"

#define INLINED static inline __attribute__((always_inline))

/* Of a column: how far the value asked for is from the entries from i on. */
INLINED Lanes gap(const RtreeAsked *asked, uint32_t column, uint32_t i, bool boxes)
{
    size_t at = column * asked->stride + i;
    Lanes query = SPREAD(asked->query[column]), below = SUBTRACT(LOAD(asked->low + at), query);

    if (!boxes)
        return below;
    return LARGER(LARGER(below, SUBTRACT(query, LOAD(asked->high + at))), SPREAD(0));
}

INLINED Lanes with_term(Lanes sum, Lanes gap, Distance distance)
{
    switch (distance) {
    case EUCLIDEAN:
        return ADD(sum, MULTIPLY(gap, gap));
    case MANHATTAN:
        return ADD(sum, ABSOLUTE(gap));
    default:
        return LARGER(sum, ABSOLUTE(gap));
    }
}

/* Columns that only the query has. */
INLINED void add_beyond(const RtreeAsked *asked, Lanes part[4], Distance distance)
{
    for (uint32_t c = asked->width; c < asked->features; c++)
        part[c % 4] = with_term(part[c % 4], SPREAD(asked->query[c]), distance);
    for (size_t j = 0; j < asked->beyond; j++)
        part[asked->column[j] % 4] = with_term(part[asked->column[j] % 4], SPREAD((double)asked->value[j]), distance);
}

INLINED uint32_t below(const RtreeAsked *asked, double bound, double *key, uint32_t *entry, Distance distance,
                       bool boxes)
{
    uint32_t kept = 0, width = asked->width, columns = width / 4 * 4;
    bool more = asked->features > width || asked->beyond;

    for (uint32_t i = 0; i < asked->count; i += LANES) {
        Lanes a = SPREAD(0), b = SPREAD(0), c = SPREAD(0), d = SPREAD(0), all;

        for (uint32_t column = 0; column < columns; column += 4) {
            a = with_term(a, gap(asked, column, i, boxes), distance);
            b = with_term(b, gap(asked, column + 1, i, boxes), distance);
            c = with_term(c, gap(asked, column + 2, i, boxes), distance);
            d = with_term(d, gap(asked, column + 3, i, boxes), distance);
        }
        if (columns < width)
            a = with_term(a, gap(asked, columns, i, boxes), distance);
        if (columns + 1 < width)
            b = with_term(b, gap(asked, columns + 1, i, boxes), distance);
        if (columns + 2 < width)
            c = with_term(c, gap(asked, columns + 2, i, boxes), distance);
        if (more) {
            Lanes part[4] = {a, b, c, d};

            add_beyond(asked, part, distance);
            a = part[0], b = part[1], c = part[2], d = part[3];
        }
        all = distance == MAXIMUM ? LARGER(LARGER(a, b), LARGER(c, d)) : ADD(ADD(a, b), ADD(c, d));
        kept = KEEP(all, bound, asked->number + i, asked->number + asked->count, key, entry, kept);
    }
    return kept;
}

#define FORM(name, distance, boxes)                                                                                    \
    static uint32_t name(const RtreeAsked *asked, double bound, double *key, uint32_t *entry)                          \
    {                                                                                                                  \
        return below(asked, bound, key, entry, distance, boxes);                                                       \
    }
FORM(points_squares, EUCLIDEAN, false)
FORM(points_sums, MANHATTAN, false)
FORM(points_largest, MAXIMUM, false)
FORM(boxes_squares, EUCLIDEAN, true)
FORM(boxes_sums, MANHATTAN, true)
FORM(boxes_largest, MAXIMUM, true)

#endif
