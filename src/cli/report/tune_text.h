/* Parts of the output of tune that its text, its JSON and its page share. */
#ifndef CLI_REPORT_TUNE_TEXT_H
#define CLI_REPORT_TUNE_TEXT_H

#include "cli/ui/call.h"

/* "--C 0.3 --loss hinge"; empty for the defaults. To be freed. */
char *cli_tune_settings(const cleave_candidate *candidate);
/* "C (log 0.001..1000), loss (hinge, squared-hinge)": the search space. To be freed. */
char *cli_tune_space(const cleave_tune_result *result);
/* The command that trains the winner on all rows. To be freed. */
char *cli_tune_command(const Call *call, const cleave_tune_result *result);

#endif
