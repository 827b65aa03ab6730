/* The numbers of a plot, as docs/formats/plot.schema.json describes them. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli/call.h"
#include "cli/json.h"

void cli_plot_json(Out *out, const Call *call, const cleave_plot *plot);

#endif
