/* Current names of parameters and transforms that have another name in model files of format 1. */
#ifndef MODEL_OLD_NAMES_H
#define MODEL_OLD_NAMES_H

#include "base/memory.h"

/* The current name and value of a parameter of a method or transform. Names that have not changed
 * are returned unchanged. */
const char *clv_present_name(const char *owner, const char *name);
const char *clv_present_value(const char *owner, const char *name, const char *value);

/* The text of a pipeline with the current names. The caller frees it. */
Status clv_present_pipeline(Context *context, const char *text, char **present,
                            cleave_error *error);

#endif
