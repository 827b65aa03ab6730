/* Fills the area between two axes: predictions by cell, regions of points, and a color bar. */
#ifndef PLOT_FIELD_H
#define PLOT_FIELD_H

#include "plot/axes.h"

/* Maps numbers to the sheet. */
typedef struct {
    Area area;
    Scale x, y;
} PlotFrame;

Pixel clv_frame_at(const PlotFrame *frame, double x, double y);

Status clv_field_draw(Context *context, Canvas *canvas, const PlotFrame *frame,
                      const cleave_plot_field *field, const Scale *numbers, cleave_error *error);
Status clv_regions_draw(Context *context, Canvas *canvas, const PlotFrame *frame,
                        const cleave_voronoi *regions, cleave_error *error);
/* The color of the area of a class; CLEAVE_PLOT_NO_CLASS: of none. */
Color clv_area_color(size_t label);
/* Draws the bar from bottom to top, with ticks on the right. */
void clv_color_bar(Canvas *canvas, Area area, const Scale *numbers, Color (*color)(double share));

#endif
