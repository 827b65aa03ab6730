/* Regions as a picture: SVG, with axes and a legend. Both axes have the same unit, so that what looks near is near. */
#ifndef PLOT_SVG_H
#define PLOT_SVG_H

#include "base/file.h"
#include "plot/voronoi.h"

typedef struct {
    int64_t width, height; /* in pixels */
    const char *axis[2];
    const char *const *label; /* names of the classes */
    uint32_t labels;
    /* The points, and of each its class; `labels`: none. */
    const float *xy;
    const uint32_t *class_of;
    uint32_t count;
} Picture;

/* What the picture shows: all points, a margin, and as much more as its shape has room for. */
Box clv_svg_box(const Picture *picture);
Status clv_svg_write(Context *context, const Picture *picture, const Voronoi *voronoi, Output *output,
                     cleave_error *error);

#endif
