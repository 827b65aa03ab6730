/* What test has measured, beyond its first lines: as lines, tables and JSON. */
#ifndef CLI_MEASURES_H
#define CLI_MEASURES_H

#include "cli/call.h"
#include "cli/json.h"

/* A line or two, always. */
void cli_measures_brief(Out *out, const cleave_judgement *judgement, const cleave_details *details);
/* By the flags of the call. */
void cli_measures_tables(Out *out, const Call *call, const cleave_judgement *judgement, const cleave_details *details);
void cli_measures_json(Json *json, const Call *call, const cleave_judgement *judgement, const cleave_details *details);

#endif
