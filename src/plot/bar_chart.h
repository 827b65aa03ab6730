/* Horizontal bars, each with its name on the left and its value on the right. */
#ifndef PLOT_BAR_CHART_H
#define PLOT_BAR_CHART_H

#include "plot/canvas.h"

void clv_bars_draw(Canvas *canvas, Area area, const cleave_plot_panel *panel);
/* A suitable height for this many bars. */
double clv_bars_height(size_t count);

#endif
