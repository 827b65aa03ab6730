/* The legend of the series. It is placed beside or below the data and never covers it. */
#ifndef PLOT_LEGEND_H
#define PLOT_LEGEND_H

#include "plot/canvas.h"

typedef struct {
    const cleave_plot_series *series;
    double width; /* width of the line */
} LegendEntry;

typedef struct {
    Context *context;
    LegendEntry *entry; /* distinct names */
    size_t count, capacity;
    size_t shown, left_out;
    bool beside; /* the legend is on the right of the panel, not below */
    Area area;   /* required size */
} Legend;

/* Makes a legend and subtracts its size from the area. The caller frees it with clv_legend_free,
 * also on failure. */
Status clv_legend_make(Legend *legend, Context *context, Canvas *canvas, const cleave_plot *plot,
                       Area *area, cleave_error *error);
void clv_legend_draw(const Legend *legend, Canvas *canvas);
void clv_legend_free(Legend *legend);

#endif
