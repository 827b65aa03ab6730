/*
 * Groups of rows that belong together, as the visits of one patient or the messages of one sender: what a row has in a column, or its query
 * number (qid). A row that has nothing there is by itself.
 */
#ifndef EVAL_GROUPS_H
#define EVAL_GROUPS_H

#include "data/dataset.h"
#include "eval/row_times.h"

typedef struct {
    Context *context;
    bool by_qid, by_date;
    TimeColumn time;  /* by_date */
    uint32_t column;  /* of numbers; NO_COLUMN: see is_value */
    uint32_t missing; /* a feature that marks rows without a value; NO_COLUMN: none */
    bool *is_value;   /* by feature: it is a value of the column, which is a category */
    uint32_t features;
    const char *name;
} GroupColumn;

void clv_group_column_init(GroupColumn *column, Context *context);
void clv_group_column_free(GroupColumn *column);
/* name must outlive it. */
Status clv_group_column_find(GroupColumn *column, const Dataset *dataset, const char *name, cleave_error *error);
/* Equal of rows that belong together, and of no others. */
Status clv_group_of(const GroupColumn *column, const Block *block, uint32_t row, uint64_t *key, cleave_error *error);

#endif
