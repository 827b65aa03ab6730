/*
 * The criteria and results of a search: the nearest points up to a number and a distance limit,
 * among all or some rows. A bounded number of results is a heap with the farthest on top (sorted,
 * if few); otherwise a list. If keys are equal, the lower row is nearer.
 */
#ifndef LEARN_NEIGHBOR_NEAREST_H
#define LEARN_NEIGHBOR_NEAREST_H

#include "base/memory.h"

#include <math.h>

#define EVERY_POINT UINT32_MAX

typedef struct {
    double key; /* comparison key of the distance: distance.h */
    uint32_t row;
} Neighbor;

typedef struct {
    uint32_t most;        /* maximum number; EVERY_POINT: all */
    double limit;         /* maximum key; INFINITY: none */
    const uint64_t *only; /* a bit per row: rows that may be found; NULL: all */
    const uint64_t *gone; /* a bit per row: rows that are excluded; NULL: none */

    Neighbor *item;
    uint32_t count;
    uint64_t nodes, leaves, candidates; /* number visited, see cleave_found */
    uint32_t tied, places; /* the last `tied` points share `places` equally; 0: no ties */
    bool failed;           /* out of memory */
    size_t capacity;
    Context *context;
} Nearest;

static inline bool nearer(Neighbor a, Neighbor b)
{
    return a.key < b.key || (a.key == b.key && a.row < b.row);
}

/* Points with a larger key are not accepted; a point with an equal key may be, by its row. */
static inline double nearest_bound(const Nearest *nearest)
{
    return nearest->count < nearest->most ? nearest->limit : nearest->item[0].key;
}

static inline bool row_bit(const uint64_t *bits, uint32_t row)
{
    return bits[row / 64] >> (row % 64) & 1;
}

/* Whether the row is not excluded. */
static inline bool may_be_found(const Nearest *nearest, uint32_t row)
{
    return (!nearest->only || row_bit(nearest->only, row)) &&
           (!nearest->gone || !row_bit(nearest->gone, row));
}

/* Allocates memory for `most` points. There is no limit and no exclusion. */
Status clv_nearest_init(Nearest *nearest, Context *context, uint32_t most, cleave_error *error);
void clv_nearest_free(Nearest *nearest);
/* Removes all results, and keeps the criteria. */
static inline void nearest_clear(Nearest *nearest)
{
    nearest->count = nearest->tied = 0;
    nearest->nodes = nearest->leaves = nearest->candidates = 0;
    nearest->failed = false;
}

void clv_nearest_keep(Nearest *nearest, double key,
                      /* called for a point that may be found and is within the bound */
                      uint32_t row);
static inline void nearest_push(Nearest *nearest, double key, uint32_t row)
{
    if (key <= nearest_bound(nearest))
        clv_nearest_keep(nearest, key, row);
}

/* Sorts from nearest to farthest. Clear the results before the next search. */
Status clv_nearest_sort(Nearest *nearest, cleave_error *error);

#endif
