/* The numbers of a plot, as docs/formats/plot.schema.json describes them. */
#ifndef CLI_REPORT_PLOT_TEXT_H
#define CLI_REPORT_PLOT_TEXT_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

/* A plot that does not consist of series of points, drawn as SVG for an HTML report; otherwise
 * empty. */
typedef struct {
    char *bytes;
    size_t size, capacity;
} PlotImage;

/* Whether charts.js can draw the plot: it consists of series of points. */
bool cli_plot_is_chart(const cleave_plot *plot);
void cli_plot_json(Out *out, const Call *call, const cleave_plot *plot, const PlotImage *image);

#endif
