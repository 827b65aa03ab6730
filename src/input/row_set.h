/* Row selections: `3,7-9`, or a file of such lists. Rows count from 0. */
#ifndef INPUT_ROW_SET_H
#define INPUT_ROW_SET_H

#include "base/memory.h"

typedef struct {
    uint64_t first, last;
} RowRange;

/* Disjoint ranges in ascending order. */
typedef struct {
    Context *context;
    RowRange *range;
    size_t count, capacity;
} RowSet;

/* text: a list, or the path of a file with numbers and ranges, which are separated by commas or
 * blanks. flag: name in messages. */
Status clv_row_set_parse(Context *context, const char *flag, const char *text, RowSet *set,
                         cleave_error *error);
Status clv_row_set_from(Context *context, const uint64_t *rows, size_t count, RowSet *set,
                        cleave_error *error);
/* Adds a row. The set must be settled after the last one. */
Status clv_row_set_add(RowSet *set, uint64_t row, cleave_error *error);
void clv_row_set_settle(RowSet *set);
bool clv_row_set_has(const RowSet *set, uint64_t row);
uint64_t clv_row_set_size(const RowSet *set);
void clv_row_set_free(RowSet *set);

#endif
