/*
 * Voronoi's regions (1908) of places in the plane, cut to a box: a region is all that is nearer to its place than to any other. Its corners are the centres
 * of the circles around the triangles of Delaunay at that place, each computed once, so that neighbours share it bit for bit.
 */
#ifndef PLOT_VORONOI_H
#define PLOT_VORONOI_H

#include "base/memory.h"

typedef struct {
    double x, y;
} Spot;

typedef struct {
    double left, bottom, right, top;
} Box;

typedef struct {
    Context *context;
    Box box;
    uint32_t sites;
    Spot *site;
    uint32_t *point; /* of each site: the first of the points that lie there */
    size_t *end;     /* corners up to and with site i */
    Spot *corner;    /* counter-clockwise */
    size_t corners, corner_capacity;
    struct Border {
        uint32_t site[2]; /* on its two sides */
        Spot from, to;
    } * border;
    size_t borders, border_capacity;
} Voronoi;

/* Of `count` pairs of finite numbers, at least one. Freed by clv_voronoi_free, also when this fails. */
Status clv_voronoi(Voronoi *voronoi, Context *context, const float *xy, uint32_t count, const Box *box,
                   cleave_error *error);
void clv_voronoi_free(Voronoi *voronoi);

#endif
