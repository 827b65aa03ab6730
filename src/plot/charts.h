/* Draws a plot: title, panels side by side, axes, data and legend. */
#ifndef PLOT_CHARTS_H
#define PLOT_CHARTS_H

#include "plot/canvas.h"

/* A suitable size of the picture. */
Status clv_plot_size(Context *context, const cleave_plot *plot, size_t *width, size_t *height,
                     cleave_error *error);
Status clv_plot_draw(Context *context, const cleave_plot *plot, Canvas *canvas,
                     cleave_error *error);

#endif
