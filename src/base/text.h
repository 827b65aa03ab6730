/* Small helpers over text: nearest spelling. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/status.h"

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b, at most limit + 1; '-' and '_' are alike. */
unsigned clv_edit_distance(const char *a, const char *b, unsigned limit);

#endif
