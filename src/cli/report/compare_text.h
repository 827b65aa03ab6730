/* What a comparison came to: its JSON, and the command lines that train what was compared. */
#ifndef CLI_REPORT_COMPARE_TEXT_H
#define CLI_REPORT_COMPARE_TEXT_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

/* The command that trains a contender on all the data; NULL for the same answer to all. To be
 * freed. */
char *cli_compare_command(const Call *call, const cleave_comparison_row *contender);

void cli_compare_json(Out *out, const Call *call, const void *facts); /* a cleave_comparison */

#endif
