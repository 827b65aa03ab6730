/* What the files of the verb explain share. */
#ifndef CLI_VERBS_EXPLAIN_PARTS_H
#define CLI_VERBS_EXPLAIN_PARTS_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"
#include "cli/ui/text_bars.h"

/* explain_json.c: the model, complete. */
void cli_explain_json(Out *out, const cleave_model *model);

/* explain_recipe.c: ", made by …" and the end of the line; then the columns that stages have
 * chosen, the best first. */
void cli_explain_recipe(Out *out, const cleave_model *model);
void cli_explain_scores(Out *out, const cleave_model *model, size_t top);

/* explain_example.c: one example, or one row of data, by the flags of the call. */
bool cli_asks_example(const Call *call);
int cli_explain_example(Call *call, const cleave_model *model, size_t top);

/* explain_supports.c: those of a model, false where it has none; those of an answer. */
void cli_json_supports(Json *json, const cleave_support_vector *supports, size_t count);
bool cli_explain_supports(Out *out, const cleave_model *model, size_t top);
void cli_show_supports(Out *out, const cleave_explanation *facts, size_t top);

#define MOST_CLASSES 20 /* shown to a person; JSON has all */

/* The value of the parameter is the default. */
bool cli_param_is_default(const cleave_model *model, const char *name, const char *value);

/* explain_tree.c: trees as text, false where the model has none; and as JSON, into an object. */
bool cli_explain_trees(const Call *call, Out *out, const cleave_model *model);
/* Why a row ends in a leaf, one question after the other. */
void cli_explain_leaf(Out *out, const cleave_model *model, size_t leaf);
void cli_explain_trees_json(Json *json, const cleave_model *model);
/* explain_importance.c: feature importance of trees. */
typedef struct {
    size_t column;
    double gain,
        harm; /* harm, by permutation out of the bag: NaN where the model does not have it */
} Importance;
/* The columns of all splits, the most important first; count 0 for models without trees. To be
 * freed. */
Importance *cli_importances(const cleave_model *model, size_t *count);
void cli_explain_importances(Out *out, const cleave_model *model, size_t top);
void cli_explain_importances_json(Json *json, const cleave_model *model);

const cleave_param *cli_model_param(const cleave_model *model, const char *name);

#endif
