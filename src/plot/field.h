/* What fills the area between two axes: answers cell by cell, regions of points, and a bar that says which colour is which number. */
#ifndef PLOT_FIELD_H
#define PLOT_FIELD_H

#include "plot/axes.h"

/* Where numbers are on the sheet. */
typedef struct {
    Area area;
    Scale x, y;
} Frame;

Pixel clv_frame_at(const Frame *frame, double x, double y);

Status clv_field_draw(Context *context, Canvas *canvas, const Frame *frame, const cleave_plot_field *field,
                      const Scale *numbers, cleave_error *error);
Status clv_regions_draw(Context *context, Canvas *canvas, const Frame *frame, const cleave_voronoi *regions,
                        cleave_error *error);
/* From bottom to top, with its ticks at its right. */
void clv_colour_bar(Canvas *canvas, Area area, const Scale *numbers, Colour (*colour)(double share));

#endif
