/* Explanations of single rows, for inspect/example.c, which parses an example of the user. */
#ifndef INSPECT_EXPLAIN_H
#define INSPECT_EXPLAIN_H

#include "data/source.h"
#include "model/model.h"

/* Explains one row of a block of the model's features; the source has its labels. */
Status clv_explain_one(const Model *model, const Source *source, const Block *block, uint32_t row,
                       cleave_explanation **explanation, cleave_error *error);
/* The category that a number in a tree stands for; NULL if the column has no categories, or if the
 * number is unknown. */
const char *clv_category_text(const Model *model, size_t column, double code);
Status clv_explanation_add_unknown(cleave_explanation *explanation, const char *name,
                                   cleave_error *error);

#endif
