/*
 * Voronoi regions (1908) of sites in the plane, clipped to a box: a region contains the points
 * nearest to its site. Its corners are the circumcenters of the Delaunay triangles at the site,
 * each computed once, so that the corners of neighbors are bit-identical.
 */
#ifndef PLOT_VORONOI_H
#define PLOT_VORONOI_H

#include "plot/polygon.h"

typedef struct {
    double left, bottom, right, top;
} VoronoiBox;

typedef struct {
    Context *context;
    VoronoiBox box;
    uint32_t sites;
    Spot *site;
    uint32_t *point; /* per site: the first point there */
    size_t *end;     /* end of the corners of site i */
    Spot *corner;    /* corners in counter-clockwise order */
    size_t corners, corner_capacity;
    struct Border {
        uint32_t site[2]; /* the sites on both sides */
        Spot from, to;
    } * border;
    size_t borders, border_capacity;
} Voronoi;

/* Computes the regions of `count` pairs of finite numbers, at least one. The caller frees the
 * result with clv_voronoi_free, also on failure. */
Status clv_voronoi(Voronoi *voronoi, Context *context, const float *xy, uint32_t count,
                   const VoronoiBox *box, cleave_error *error);
void clv_voronoi_free(Voronoi *voronoi);

#endif
