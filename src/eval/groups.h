/* Groups of related rows, e.g. the visits of one patient or the messages of one sender: the value
 * of a column, or the query number (qid). A row without a value is its own group. */
#ifndef EVAL_GROUPS_H
#define EVAL_GROUPS_H

#include "data/dataset.h"
#include "eval/row_times.h"

typedef struct {
    Context *context;
    bool by_qid, by_date;
    TimeColumn time;  /* column of dates, if by_date */
    uint32_t column;  /* numeric column; NO_COLUMN: the column is categorical, see is_value */
    uint32_t missing; /* feature that indicates missing values; NO_COLUMN: none */
    bool *is_value;   /* for each feature, whether it is a value of the categorical column */
    uint32_t features;
    const char *name;
} GroupColumn;

void clv_group_column_init(GroupColumn *column, Context *context);
void clv_group_column_free(GroupColumn *column);
/* name must outlive the result. */
Status clv_group_column_find(GroupColumn *column, const Dataset *dataset, const char *name,
                             cleave_error *error);
/* Computes the key of a row. Keys are equal for rows of one group, and different otherwise. */
Status clv_group_of(const GroupColumn *column, const Block *block, uint32_t row, uint64_t *key,
                    cleave_error *error);

#endif
