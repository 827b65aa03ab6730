/* The numbers of a plot, as docs/formats/plot.schema.json describes them. */
#ifndef CLI_REPORT_PLOT_TEXT_H
#define CLI_REPORT_PLOT_TEXT_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

void cli_plot_json(Out *out, const Call *call, const cleave_plot *plot);

#endif
