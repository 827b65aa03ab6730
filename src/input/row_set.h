/* Rows that were named: `3,7-9`, or a file of such. They count from 1, as everywhere in front of people. */
#ifndef INPUT_ROW_SET_H
#define INPUT_ROW_SET_H

#include "base/memory.h"

typedef struct {
    uint64_t first, last;
} RowRange;

/* Ranges in order, apart from each other. */
typedef struct {
    Context *context;
    RowRange *range;
    size_t count, capacity;
} RowSet;

/* said: a list, or else the path of a file that holds numbers and ranges, with commas or blanks between them. flag is for messages. */
Status clv_row_set_parse(Context *context, const char *flag, const char *said, RowSet *set, cleave_error *error);
Status clv_row_set_from(Context *context, const uint64_t *rows, size_t count, RowSet *set, cleave_error *error);
bool clv_row_set_has(const RowSet *set, uint64_t row);
uint64_t clv_row_set_size(const RowSet *set);
void clv_row_set_free(RowSet *set);

#endif
