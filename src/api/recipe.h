/* The recipe of a training run: what --transform says, or what suits the data, learned from it. */
#ifndef API_RECIPE_H
#define API_RECIPE_H

#include "model/method.h"

/* NULL: features are what is read. piecewise: rows come once, and nothing can be learned from them beforehand. */
Status clv_recipe_of_run(Context *context, const Method *method, const char *said, const Schema *schema, bool piecewise,
                         Recipe **recipe, cleave_error *error);
/* What it came to, as a note. */
Status clv_recipe_tell(const Recipe *recipe, bool as_usual, cleave_error *error);
/* Learned from the dataset, which is made anew of what comes out. */
Status clv_recipe_cook(Recipe *recipe, Dataset *raw, uint64_t seed, Dataset **cooked, cleave_error *error);

#endif
