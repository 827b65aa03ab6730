/*
 * Delaunay triangulation (1934) by divide and conquer in O(n log n) for any points (Guibas and
 * Stolfi 1985): joins the sites whose Voronoi regions touch. An edge is two directed edges, e and e
 * ^ 1; the edges that leave a site form a counter-clockwise ring.
 */
#ifndef PLOT_DELAUNAY_H
#define PLOT_DELAUNAY_H

#include "base/memory.h"

#define NO_EDGE UINT32_MAX

typedef struct {
    Context *context;
    uint32_t sites;  /* number of distinct sites */
    float *at;       /* x and y of each site */
    uint32_t *point; /* the first point at each site */
    uint32_t *out;   /* an edge that starts at the site; NO_EDGE if there is only one site */
    /* For each directed edge: its origin, or NO_EDGE if it was deleted, and its neighbors in the
     * ring. */
    uint32_t *origin, *next, *before;
    uint32_t edges, free_edges;
} Delaunay;

/* Triangulates points. xy: pairs of finite numbers. The caller frees the result with
 * clv_delaunay_free, also on failure. */
Status clv_delaunay(Delaunay *delaunay, Context *context, const float *xy, uint32_t count,
                    cleave_error *error);
void clv_delaunay_free(Delaunay *delaunay);

static inline uint32_t edge_target(const Delaunay *delaunay, uint32_t edge)
{
    return delaunay->origin[edge ^ 1];
}

/* Returns the next edge around the face to the left. */
static inline uint32_t edge_around(const Delaunay *delaunay, uint32_t edge)
{
    return delaunay->before[edge ^ 1];
}

/* Returns whether the face to the left is a triangle, not the outer face. */
bool clv_delaunay_is_triangle(const Delaunay *delaunay, uint32_t edge);

#endif
