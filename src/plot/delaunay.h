/*
 * Delaunay's triangulation (1934), by divide and conquer in O(n log n) whatever the points are (Guibas and Stolfi 1985): each place is joined with those whose
 * regions touch its own. An edge is two directed ones, e and e ^ 1; the edges that leave a place are a ring, counter-clockwise.
 */
#ifndef PLOT_DELAUNAY_H
#define PLOT_DELAUNAY_H

#include "base/memory.h"

#define NO_EDGE UINT32_MAX

typedef struct {
    Context *context;
    uint32_t sites;  /* places that differ */
    float *at;       /* of each, x and y */
    uint32_t *point; /* the first of the points that lie there */
    uint32_t *out;   /* an edge that leaves it; NO_EDGE where there is one place only */
    /* Of each directed edge: where it begins, or NO_EDGE where it is none; its neighbours in the ring. */
    uint32_t *origin, *next, *before;
    uint32_t edges, free_edges;
} Delaunay;

/* xy: pairs of finite numbers. Freed by clv_delaunay_free, also when this fails. */
Status clv_delaunay(Delaunay *delaunay, Context *context, const float *xy, uint32_t count, cleave_error *error);
void clv_delaunay_free(Delaunay *delaunay);

static inline uint32_t edge_target(const Delaunay *delaunay, uint32_t edge)
{
    return delaunay->origin[edge ^ 1];
}

/* The next edge around the face to the left. */
static inline uint32_t edge_around(const Delaunay *delaunay, uint32_t edge)
{
    return delaunay->before[edge ^ 1];
}

/* Whether the face to the left is a triangle, not what lies outside of all. */
bool clv_delaunay_is_triangle(const Delaunay *delaunay, uint32_t edge);

#endif
