/* A plot on a sheet: title, panels side by side, axes, what lies between them, and the legend. */
#ifndef PLOT_CHARTS_H
#define PLOT_CHARTS_H

#include "plot/canvas.h"

/* How large a picture shows it well. */
Status clv_plot_size(Context *context, const cleave_plot *plot, size_t *width, size_t *height, cleave_error *error);
Status clv_plot_draw(Context *context, const cleave_plot *plot, Canvas *canvas, cleave_error *error);

#endif
