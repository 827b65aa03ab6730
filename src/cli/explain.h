/* What the files of the verb explain share. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/bars.h"
#include "cli/call.h"
#include "cli/json.h"

/* explain_json.c: the model, complete. */
void cli_explain_json(Out *out, const cleave_model *model);

/* explain_recipe.c: ", made by …" and the end of the line; then the columns that stages have chosen, the best first. */
void cli_explain_recipe(Out *out, const cleave_model *model);
void cli_explain_scores(Out *out, const cleave_model *model, size_t top);

/* explain_example.c: one example, or one row of data, by the flags of the call. */
bool cli_asks_example(const Call *call);
int cli_explain_example(Call *call, const cleave_model *model, size_t top);

const cleave_param *cli_model_param(const cleave_model *model, const char *name);

#endif
