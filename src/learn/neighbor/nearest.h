/* The nearest so many points met so far: a heap with the farthest on top. Of equal keys the lower row is nearer. */
#ifndef LEARN_NEIGHBOR_NEAREST_H
#define LEARN_NEIGHBOR_NEAREST_H

#include "base/memory.h"

#include <math.h>

typedef struct {
    double key; /* what distances are compared by: metric.h */
    uint32_t row;
} Neighbor;

typedef struct {
    Neighbor *item;
    uint32_t most, count;
} Nearest;

static inline bool nearer(Neighbor a, Neighbor b)
{
    return a.key < b.key || (a.key == b.key && a.row < b.row);
}

/* A point whose key is above this cannot be among them any more; one that equals it may, by its row. */
static inline double nearest_bound(const Nearest *nearest)
{
    return nearest->count < nearest->most ? (double)INFINITY : nearest->item[0].key;
}

Status clv_nearest_init(Nearest *nearest, Context *context, uint32_t most, cleave_error *error);
void clv_nearest_free(Nearest *nearest, Context *context);
void clv_nearest_push(Nearest *nearest, double key, uint32_t row);
/* From the nearest to the farthest; what comes after needs another count = 0. */
void clv_nearest_sort(Nearest *nearest);

#endif
