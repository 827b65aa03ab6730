/* Functions shared by the files of the verb explain. */
#ifndef CLI_VERBS_EXPLAIN_PARTS_H
#define CLI_VERBS_EXPLAIN_PARTS_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"
#include "cli/ui/text_bars.h"

typedef struct {
    const char *class, *example, *example_file;
    int64_t row, top;
    int64_t tree, levels; /* flags for trees */
    bool rules;
    bool margins, separators;
    const char *weights;
} ExplainFlags;

/* The value of --top, or this output's default. */
static inline size_t explain_top(const Call *call, size_t other)
{
    int64_t top = ((const ExplainFlags *)call->own)->top;

    return top >= 0 ? (size_t)top : other;
}

/* explain_json.c: writes the complete model. */
void cli_explain_json(Out *out, const cleave_model *model);

/* explain_pipeline.c: prints the end of the line about the pipeline, then the columns selected by
 * its steps, the best first. */
void cli_explain_pipeline(Out *out, const cleave_model *model);
void cli_explain_scores(Out *out, const cleave_model *model, size_t top);

/* explain_example.c: explains one example, or one row of data, as the flags of the call select. */
bool cli_asks_example(const Call *call);
int cli_explain_example(Call *call, const cleave_model *model, size_t top);
/* One line. */
void cli_explanation_json(Out *out, const cleave_model *model, const cleave_explanation *facts);

/* explain_supports.c: prints the support vectors of the model (false if it has none), or of a
 * prediction. */
void cli_json_supports(Json *json, const cleave_support_vector *supports, size_t count);
bool cli_explain_supports(Out *out, const cleave_model *model, size_t top);
void cli_show_supports(Out *out, const cleave_explanation *facts, size_t top);

/* explain_margins.c: margin, slack and support vectors of DATA, for a linear model or for --weights
 * (model NULL); the separators of DATA. */
int cli_explain_margins(Call *call, const cleave_model *model);
int cli_explain_separators(Call *call);

/* explain_units.c: the units of the first layer of a network; false for other models. */
bool cli_explain_units(Out *out, const cleave_model *model, size_t top);
void cli_explain_units_json(Json *json, const cleave_model *model);

#define MOST_CLASSES 20 /* maximum number of classes shown as text; JSON has all */

/* Whether the value of the parameter is the default. */
bool cli_param_is_default(const cleave_model *model, const char *name, const char *value);

/* explain_tree.c: prints trees as text (false if the model has none), and as JSON into an
 * object. */
bool cli_explain_trees(const Call *call, Out *out, const cleave_model *model);
/* Prints the conditions on the path of a row to its leaf. */
void cli_explain_leaf(Out *out, const cleave_model *model, size_t leaf);
void cli_explain_trees_json(Json *json, const cleave_model *model);
/* explain_importance.c: feature importance of trees. */
typedef struct {
    size_t column;
    double gain,
        /* increase of the out-of-bag error by permutation; NaN if the model does not store it */
        harm;
} Importance;
/* The columns of all splits, the most important first; count is 0 for models without trees. The
 * caller frees the list. */
Importance *cli_importances(const cleave_model *model, size_t *count);
void cli_explain_importances(Out *out, const cleave_model *model, size_t top);
void cli_explain_importances_json(Json *json, const cleave_model *model);

const cleave_param *cli_model_param(const cleave_model *model, const char *name);

#endif
