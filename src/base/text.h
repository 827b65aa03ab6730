/* Finds the nearest spelling of a word. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/status.h"

/* Edit distance from a to b (insert, delete, replace, swap adjacent characters), but at most limit
 * + 1. '-' and '_' are equal. */
unsigned clv_edit_distance(const char *a, const char *b, unsigned limit);

#endif
