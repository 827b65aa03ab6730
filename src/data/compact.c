#include "data/compact.h"

#include "base/number.h"
#include "data/remap.h"

#include <stdio.h>
#include <stdlib.h>

enum { FEW_COLUMNS = 1 << 20, FEW_COLUMNS_OF_A_STREAM = 1 << 24, COLUMNS_PER_VALUE = 8 };

bool clv_has_gaps(uint64_t columns, uint64_t values)
{
    return columns > FEW_COLUMNS && columns / COLUMNS_PER_VALUE > values;
}

bool clv_numbers_have_gaps(const Schema *schema, const Names *names, uint64_t columns,
                           uint64_t values)
{
    bool numbered = clv_schema_is_numbered(schema) || schema->format[0] == '\0';

    return numbered && names->implicit && clv_has_gaps(columns, values);
}

bool clv_stream_has_gaps(uint64_t columns, uint64_t values)
{
    return columns > FEW_COLUMNS_OF_A_STREAM && clv_has_gaps(columns, values);
}

/* ---- the columns that occur ------------------------------------------------------------------ */

static int compare_columns(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

static void sort_and_merge(ColumnSet *columns)
{
    size_t kept = 0;

    if (columns->count > 1)
        qsort(columns->number, columns->count, sizeof *columns->number, compare_columns);
    for (size_t i = 0; i < columns->count; i++)
        if (i == 0 || columns->number[i] != columns->number[kept - 1])
            columns->number[kept++] = columns->number[i];
    columns->count = kept;
}

Status clv_column_set_add(ColumnSet *columns, const uint32_t *numbers, size_t count,
                          cleave_error *error)
{
    TRY(GROW(columns->context, columns->number, columns->capacity, columns->count + count, error));
    if (count > 0)
        memcpy(columns->number + columns->count, numbers, count * sizeof *numbers);
    columns->count += count;
    sort_and_merge(columns);
    return OK;
}

Status clv_column_set_add_dataset(ColumnSet *columns, Dataset *dataset, cleave_error *error)
{
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, error));
        TRY(GROW(columns->context, columns->number, columns->capacity,
                 columns->count + clv_block_entries(&block), error));
        for (uint32_t row = 0; row < block.rows; row++)
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
                columns->number[columns->count++] = walk.column;
    }
    sort_and_merge(columns);
    return OK;
}

uint32_t clv_column_set_place(const ColumnSet *columns, uint32_t number)
{
    const uint32_t *found = bsearch(&number, columns->number, columns->count, sizeof number,
                                    compare_columns);

    return (uint32_t)(found - columns->number);
}

void clv_column_set_free(ColumnSet *columns)
{
    clv_free(columns->context, columns->number);
    columns->number = NULL;
    columns->count = columns->capacity = 0;
}

static Status add_number(Names *names, uint64_t number, cleave_error *error)
{
    char digits[NUMBER_SIZE];
    uint32_t column;

    return clv_names_add(names, digits, clv_format_unsigned(digits, number), &column, error);
}

Status clv_column_set_name(const ColumnSet *columns, Names *names, Schema *schema,
                           cleave_error *error)
{
    names->implicit = false;
    for (size_t i = 0; i < columns->count; i++)
        TRY(add_number(names, (uint64_t)columns->number[i] + names->first, error));
    snprintf(schema->format, sizeof schema->format, "%s", SCHEMA_NUMBERED);
    return OK;
}

void clv_note_columns(Context *context, const char *name, uint32_t occurring, uint32_t columns)
{
    clv_note(context, "%s: %u of %u columns have values; the other columns are ignored", name,
             occurring, columns);
}

/* ---- datasets -------------------------------------------------------------------------------- */

/* Copies the rows, restricted to the columns in names. */
static Status renumber(Dataset *dataset, const Names *names, const Schema *schema,
                       Dataset **compact, cleave_error *error)
{
    Source *source, *view;
    Status status;

    TRY(clv_dataset_source(dataset, false, &source, error));
    TRY(clv_remap_source(source, true, &dataset->labels, names, names->count, &view, error));
    status = clv_dataset_load(view, compact, error);
    clv_source_close(view);
    TRY(status);
    TRY(clv_names_copy(&(*compact)->names, names, error));
    TRY(clv_schema_copy(&(*compact)->schema, schema, error));
    (*compact)->features = names->count;
    (*compact)->shuffled = dataset->shuffled;
    if (!dataset->path)
        return OK;
    (*compact)->path = clv_copy_string(dataset->context, dataset->path, strlen(dataset->path));
    return (*compact)->path ? OK : clv_fail_memory(error, "a file name", strlen(dataset->path));
}

Status clv_dataset_compact(Dataset *dataset, Dataset **compact, cleave_error *error)
{
    ColumnSet columns = {.context = dataset->context};
    Names names;
    Schema schema;
    Status status;

    *compact = NULL;
    if (dataset->on_disk || !clv_numbers_have_gaps(&dataset->schema, &dataset->names,
                                                   dataset->features, dataset->entries))
        return OK;
    clv_names_init(&names, dataset->context, true);
    clv_schema_init(&schema, dataset->context);
    names.first = dataset->names.first;
    status = clv_schema_copy(&schema, &dataset->schema, error);
    THEN(status, clv_column_set_add_dataset(&columns, dataset, error));
    THEN(status, clv_column_set_name(&columns, &names, &schema, error));
    THEN(status, renumber(dataset, &names, &schema, compact, error));
    clv_column_set_free(&columns);
    clv_names_free(&names);
    clv_schema_free(&schema);
    if (status != OK) {
        clv_dataset_free(*compact);
        *compact = NULL;
    }
    return status;
}

Status clv_names_spell_out(Names *names, uint32_t columns, cleave_error *error)
{
    names->implicit = false;
    for (uint32_t i = names->count; i < columns; i++)
        TRY(add_number(names, (uint64_t)i + names->first, error));
    return OK;
}
