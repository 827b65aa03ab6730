/* What the looks of series mean. It stands beside or below what it is about, and covers none of it. */
#ifndef PLOT_LEGEND_H
#define PLOT_LEGEND_H

#include "plot/canvas.h"

typedef struct {
    const cleave_plot_series *series;
    double width; /* of its line */
} LegendEntry;

typedef struct {
    Context *context;
    LegendEntry *entry; /* each name once */
    size_t count, capacity;
    size_t shown, left_out;
    bool beside; /* at the right of the panel, and not below */
    Area area;   /* all it needs */
} Legend;

/* Takes what it needs off the area. Freed by clv_legend_free, also when this fails. */
Status clv_legend_make(Legend *legend, Context *context, Canvas *canvas, const cleave_plot *plot, Area *area,
                       cleave_error *error);
void clv_legend_draw(const Legend *legend, Canvas *canvas);
void clv_legend_free(Legend *legend);

#endif
