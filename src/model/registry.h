/* The list of methods. A new method needs a line here and a file in learn/; a test finds a file
 * that is not listed. */
#ifndef MODEL_REGISTRY_H
#define MODEL_REGISTRY_H

#include "model/method.h"

/* Defined in learn/methods.c, so that model/ does not depend on learn/. */
extern const Method *const clv_methods[]; /* NULL at the end */

Status clv_method_find(const char *name, const Method **method, cleave_error *error);

#endif
