/*
 * What a search looks for and what it has found so far: the nearest so many points, or all of them, no farther than a limit, of all rows or
 * of some. The points are a heap with the farthest on top where their number is bounded (few: in order), a list otherwise. Of equal keys the lower row is
 * nearer.
 */
#ifndef LEARN_NEIGHBOR_NEAREST_H
#define LEARN_NEIGHBOR_NEAREST_H

#include "base/memory.h"

#include <math.h>

#define EVERY_POINT UINT32_MAX

typedef struct {
    double key; /* what distances are compared by: metric.h */
    uint32_t row;
} Neighbor;

typedef struct {
    uint32_t most;        /* so many; EVERY_POINT: however many there are */
    double limit;         /* no key above it; INFINITY: any */
    const uint64_t *only; /* a bit of each row: those that may be found; NULL: any */
    const uint64_t *gone; /* a bit of each row: those that may not; NULL: none */

    Neighbor *item;
    uint32_t count;
    uint32_t tied, places; /* the last `tied` points share `places` equally; 0: no ties */
    bool failed;           /* there was no memory for one */
    size_t capacity;
    Context *context;
} Nearest;

static inline bool nearer(Neighbor a, Neighbor b)
{
    return a.key < b.key || (a.key == b.key && a.row < b.row);
}

/* A point whose key is above this is not looked for any more; one that equals it may be, by its row. */
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
    return (!nearest->only || row_bit(nearest->only, row)) && (!nearest->gone || !row_bit(nearest->gone, row));
}

/* Memory for most of them, no limit, any row. */
Status clv_nearest_init(Nearest *nearest, Context *context, uint32_t most, cleave_error *error);
void clv_nearest_free(Nearest *nearest);
/* Nothing found yet; what is looked for stays. */
static inline void nearest_clear(Nearest *nearest)
{
    nearest->count = nearest->tied = 0;
    nearest->failed = false;
}

void clv_nearest_keep(Nearest *nearest, double key,
                      uint32_t row); /* of a point that may be found and is within the bound */
static inline void nearest_push(Nearest *nearest, double key, uint32_t row)
{
    if (key <= nearest_bound(nearest))
        clv_nearest_keep(nearest, key, row);
}

/* From the nearest to the farthest; what comes after needs clearing first. */
Status clv_nearest_sort(Nearest *nearest, cleave_error *error);

#endif
