/* The time of each row, from a column of dates or numbers. Rows are split by time, with the earlier
 * rows for training. Dates are exact to a millisecond, although each of their features is a 32-bit
 * number. */
#ifndef EVAL_ROW_TIMES_H
#define EVAL_ROW_TIMES_H

#include "data/dataset.h"

typedef struct {
    uint32_t days, hour; /* features of a date; NO_COLUMN: there is none */
    uint32_t number;     /* feature of a number; NO_COLUMN: the column is a date */
    uint32_t missing;    /* feature that indicates missing values; NO_COLUMN: none */
    const char *name;
} TimeColumn;

/* name must outlive the result. */
Status clv_time_column_find(TimeColumn *column, const Dataset *dataset, const char *name,
                            cleave_error *error);
/* The time of a row: milliseconds since 1970-01-01 for a date, the value for a number; NaN if it is
 * missing. */
double clv_time_of(const TimeColumn *column, const Block *block, uint32_t row);
/* Fails because --OPTION names a column that does not exist. The hint is that for data without
 * columns. */
Status clv_refuse_column(const Dataset *dataset, const char *option, const char *name,
                         const char *hint, cleave_error *error);
/* Finds the feature that indicates an empty cell. Readers name it `column=?`, or `column.part=?`
 * for the first part of a date. */
Status clv_missing_mark(const Dataset *dataset, const char *name, const char *part,
                        uint32_t *feature, cleave_error *error);
/* Reads the times of all rows into [dataset->rows] numbers, by the name of the column (--by-time).
 * Fails if a time is missing. */
Status clv_times_read(Dataset *dataset, const char *name, double *time, cleave_error *error);

#endif
