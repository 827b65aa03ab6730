/* Bars from left to right below each other, each with its name before and its number behind it. */
#ifndef PLOT_BAR_CHART_H
#define PLOT_BAR_CHART_H

#include "plot/canvas.h"

void clv_bars_draw(Canvas *canvas, Area area, const cleave_plot_panel *panel);
/* How high an area shows so many well. */
double clv_bars_height(size_t count);

#endif
