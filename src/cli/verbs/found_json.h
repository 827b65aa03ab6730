/* The JSON of neighbors, for the verbs search and serve. */
#ifndef CLI_VERBS_FOUND_JSON_H
#define CLI_VERBS_FOUND_JSON_H

#include "cli/ui/output.h"

/* One line: the neighbors of a query. */
void cli_found_json(Out *out, const cleave_searcher *searcher, const cleave_found *found,
                    bool stats);

#endif
