#include "eval/groups.h"

#include "base/memory.h"

void clv_group_column_init(GroupColumn *column, Context *context)
{
    *column = (GroupColumn){.context = context, .column = NO_COLUMN, .missing = NO_COLUMN};
}

void clv_group_column_free(GroupColumn *column)
{
    clv_free(column->context, column->is_value);
    column->is_value = NULL;
}

static Status find_values(GroupColumn *column, const Dataset *dataset, const char *name,
                          cleave_error *error)
{
    size_t length = strlen(name);
    bool any = false;

    column->features = dataset->features;
    TRY(ALLOC_ZERO(column->context, column->is_value, (size_t)dataset->features + 1,
                   "the values of a column", error));
    for (uint32_t i = 0; i < dataset->features && i < dataset->names.count; i++) {
        char buffer[24];
        const char *feature = clv_names_get(&dataset->names, i, buffer);

        column->is_value[i] = strncmp(feature, name, length) == 0 && feature[length] == '=' &&
                              i != column->missing;
        any = any || column->is_value[i];
    }
    if (!any)
        return clv_fail(error, CLEAVE_ERROR_DATA, "--by-group: column '%s' has no values", name);
    return OK;
}

static Status refuse(const Dataset *dataset, const char *name, cleave_error *error)
{
    return clv_refuse_column(
        dataset, "by-group", name,
        "use a column of a table, a feature, or qid if rows have query numbers", error);
}

static Status refuse_kind(const char *name, ColumnKind kind, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "--by-group: column '%s' is read as '%s', which cannot define groups", name,
             clv_column_kinds[kind]);
    if (kind == COLUMN_LABEL || kind == COLUMN_WEIGHT)
        return clv_hint(error, CLEAVE_ERROR_USAGE, "use a numeric or categorical column");
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "use --columns '%s=category' to read it as a category", name);
}

Status clv_group_column_find(GroupColumn *column, const Dataset *dataset, const char *name,
                             cleave_error *error)
{
    int at = clv_schema_find(&dataset->schema, name, strlen(name));

    column->name = name;
    if (at >= 0) {
        const Column *found = &dataset->schema.column[at];

        TRY(clv_missing_mark(dataset, name, NULL, &column->missing, error));
        if (found->kind == COLUMN_CATEGORY)
            return find_values(column, dataset, name, error);
        column->by_date = found->kind == COLUMN_DATE;
        if (column->by_date)
            return clv_time_column_find(&column->time, dataset, name, error);
        if (found->kind != COLUMN_NUMBER)
            return refuse_kind(name, found->kind, error);
        column->column = found->feature != NO_COLUMN
                             ? found->feature
                             : clv_names_find(&dataset->names, name, strlen(name));
        return column->column == NO_COLUMN ? refuse(dataset, name, error) : OK;
    }
    column->by_qid = strcmp(name, "qid") == 0;
    if (column->by_qid)
        return OK;
    column->column = clv_names_find(&dataset->names, name, strlen(name));
    return column->column == NO_COLUMN ? refuse(dataset, name, error) : OK;
}

/* Makes the key of a numeric group. Group numbers must be exact. */
static Status key_of_number(const GroupColumn *column, const Block *block, uint32_t row,
                            float value, uint64_t *key, cleave_error *error)
{
    uint32_t bits;

    if (fabsf(value) >= 16777216 && value != MISSING_VALUE) {
        clv_fail(error, CLEAVE_ERROR_DATA,
                 "--by-group: row %llu: the integer %.0f in '%s' is too large to be exact",
                 (unsigned long long)block_row_number(block, row) + 1, (double)value, column->name);
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "use --columns '%s=category' to read the column of a table as categories",
                        column->name);
    }
    memcpy(&bits, &value, sizeof bits);
    *key = bits;
    return OK;
}

Status clv_group_of(const GroupColumn *column, const Block *block, uint32_t row, uint64_t *key,
                    cleave_error *error)
{
    bool missing = false;
    float value = 0;

    if (column->by_qid && !block->qid)
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA,
            "write the query number after the label in LIBSVM text, e.g. 1 qid:7 3:0.5",
            "--by-group qid: the rows have no query numbers");
    if (column->by_qid) {
        *key = block->qid[row];
        return OK;
    }
    *key = (UINT64_C(1) << 63) + block_row_number(block, row); /* the row has no value */
    if (column->by_date) {
        /* Milliseconds with an offset, so that no key is negative. A row without a date is its own
         * group. */
        double time = clv_time_of(&column->time, block, row);

        if (!isnan(time))
            *key = (uint64_t)((int64_t)time + (INT64_C(1) << 60));
        return OK;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        if (column->is_value && walk.column < column->features && column->is_value[walk.column] &&
            walk.value != 0) {
            *key = walk.column;
            return OK;
        }
        missing = missing || (walk.column == column->missing && walk.value != 0);
        if (walk.column == column->column)
            value = walk.value;
    }
    if (column->is_value || missing || value == MISSING_VALUE)
        return OK;
    return key_of_number(column, block, row, value, key, error);
}
