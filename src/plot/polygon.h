/* A convex polygon in the plane, cut by half-planes (Sutherland and Hodgman 1974). */
#ifndef PLOT_POLYGON_H
#define PLOT_POLYGON_H

#include "base/memory.h"

typedef struct {
    double x, y;
} Spot;

typedef struct {
    Context *context;
    Spot *corner; /* counter-clockwise */
    size_t count;
    Spot *kept; /* buffer of a cut */
    size_t corner_capacity, kept_capacity;
} Polygon;

/* Adds a corner; a repetition of the last one is ignored. */
Status clv_polygon_add(Polygon *polygon, Spot corner, cleave_error *error);
/* Replaces the polygon by a box: left, bottom, right, top. */
Status clv_polygon_box(Polygon *polygon, const double box[4], cleave_error *error);
/* Keeps the part with a x + b y <= c. */
Status clv_polygon_cut(Polygon *polygon, double a, double b, double c, cleave_error *error);
void clv_polygon_free(Polygon *polygon);

#endif
