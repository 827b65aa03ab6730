/* The result of a comparison: its JSON, and the command lines that train the compared methods. */
#ifndef CLI_REPORT_COMPARE_TEXT_H
#define CLI_REPORT_COMPARE_TEXT_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

/* The command that trains a candidate on all data; NULL for the baseline. The caller frees it. */
char *cli_compare_command(const Call *call, const cleave_comparison_row *contender);

/* facts: a cleave_comparison */
void cli_compare_json(Out *out, const Call *call, const void *facts);

#endif
