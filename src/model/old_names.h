/* Names of parameters and transforms in model files of format 1 that have changed since. */
#ifndef MODEL_OLD_NAMES_H
#define MODEL_OLD_NAMES_H

#include "base/memory.h"

/* The present name and value of a parameter of a method or transform. Unchanged names are
 * returned as they are. */
const char *clv_present_name(const char *owner, const char *name);
const char *clv_present_value(const char *owner, const char *name, const char *value);

/* The text of a pipeline with the present names; the caller frees it. */
Status clv_present_pipeline(Context *context, const char *text, char **present,
                            cleave_error *error);

#endif
