#include "eval/row_times.h"

#include "data/tour.h"

#include <math.h>

Status clv_refuse_column(const Dataset *dataset, const char *option, const char *name,
                         const char *hint, cleave_error *error)
{
    const char *nearest = clv_schema_nearest(&dataset->schema, name);
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         clv_schema_is_table(&dataset->schema)
                             ? "run 'cleave convert DATA --describe' for the list of columns"
                             : hint,
                         "--%s: no column '%s' in the data%s%s%s", option,
                         clv_quote(quoted, name, strlen(name)), nearest ? "; the nearest is '" : "",
                         nearest ? nearest : "", nearest ? "'" : "");
}

static Status refuse_kind(const Column *column, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "--by-time: column '%s' has the type '%s'; it must contain dates or numbers",
             column->name, clv_column_kinds[column->kind]);
    if (column->kind == COLUMN_LABEL || column->kind == COLUMN_WEIGHT)
        return clv_hint(error, CLEAVE_ERROR_USAGE, "use another column of dates or numbers");
    return clv_hint(error, CLEAVE_ERROR_USAGE, "use --columns '%s=date' to read it as dates",
                    column->name);
}

Status clv_missing_mark(const Dataset *dataset, const char *name, const char *part,
                        uint32_t *feature, cleave_error *error)
{
    Context *context = dataset->context;
    Buffer text = {0};
    Status status = clv_buffer_add(context, &text, name, strlen(name), error);

    if (status == OK && part)
        status = clv_buffer_add(context, &text, ".", 1, error);
    if (status == OK && part)
        status = clv_buffer_add(context, &text, part, strlen(part), error);
    THEN(status, clv_buffer_add(context, &text, "=?", 2, error));
    if (status == OK)
        *feature = clv_names_find(&dataset->names, text.data, text.size);
    clv_free(context, text.data);
    return status;
}

Status clv_time_column_find(TimeColumn *column, const Dataset *dataset, const char *name,
                            cleave_error *error)
{
    int at = clv_schema_find(&dataset->schema, name, strlen(name));
    const Column *found = at >= 0 ? &dataset->schema.column[at] : NULL;

    *column = (TimeColumn){.days = NO_COLUMN,
                           .hour = NO_COLUMN,
                           .number = NO_COLUMN,
                           .missing = NO_COLUMN,
                           .name = name};
    if (found && found->kind == COLUMN_DATE) {
        column->days = clv_date_feature(found, DATE_DAYS);
        column->hour = clv_date_feature(found, DATE_HOUR);
        return clv_missing_mark(dataset, name,
                                clv_date_parts[__builtin_ctz(found->parts | 1u << DATE_HOUR)],
                                &column->missing, error);
    }
    if (found && found->kind != COLUMN_NUMBER)
        return refuse_kind(found, error);
    column->number = found && found->feature != NO_COLUMN
                         ? found->feature
                         : clv_names_find(&dataset->names, name, strlen(name));
    return column->number == NO_COLUMN
               ? clv_refuse_column(dataset, "by-time", name,
                                   "use a column of a table, or a feature", error)
               : clv_missing_mark(dataset, name, NULL, &column->missing, error);
}

double clv_time_of(const TimeColumn *column, const Block *block, uint32_t row)
{
    double days = 0, hour = 0, number = 0;
    bool missing = false;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        missing = missing || (walk.column == column->missing && walk.value != 0);
        if (walk.column == column->days)
            days = (double)walk.value;
        else if (walk.column == column->hour)
            hour = (double)walk.value;
        else if (walk.column == column->number)
            number = (double)walk.value;
    }
    if (missing || number == (double)MISSING_VALUE)
        return (double)NAN;
    if (column->number != NO_COLUMN)
        return number;
    return round(days - hour / 24) * 86400e3 + round(hour * 3600e3);
}

typedef struct {
    TimeColumn column;
    double *time;
} TimeReading;

static Status read_block(void *user, const Block *block, cleave_error *error)
{
    TimeReading *reading = user;

    for (uint32_t i = 0; i < block->rows; i++) {
        uint64_t row = block_row_number(block, i);

        reading->time[row] = clv_time_of(&reading->column, block, i);
        if (!isnan(reading->time[row]))
            continue;
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "remove rows without a time from the data",
                             "--by-time: row %llu has no value in column '%s'",
                             (unsigned long long)row + 1, reading->column.name);
    }
    return OK;
}

Status clv_times_read(Dataset *dataset, const char *name, double *time, cleave_error *error)
{
    TimeReading reading = {.time = time};

    TRY(clv_time_column_find(&reading.column, dataset, name, error));
    return clv_tour_all(dataset, read_block, &reading, error);
}
