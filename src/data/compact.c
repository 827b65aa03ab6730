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

bool clv_stream_has_gaps(uint64_t columns, uint64_t values)
{
    return columns > FEW_COLUMNS_OF_A_STREAM && clv_has_gaps(columns, values);
}

static int compare_columns(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

/* The column of every value, ascending, with repetitions. */
static Status collect(Dataset *dataset, uint32_t *columns, size_t *count, cleave_error *error)
{
    *count = 0;
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++)
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk) && *count < dataset->entries;)
                columns[(*count)++] = walk.column;
    }
    qsort(columns, *count, sizeof *columns, compare_columns);
    return OK;
}

static Status add_number(Names *names, uint64_t number, cleave_error *error)
{
    char digits[NUMBER_SIZE];
    uint32_t column;

    return clv_names_add(names, digits, clv_format_unsigned(digits, number), &column, error);
}

static Status name_columns(Dataset *dataset, Names *names, cleave_error *error)
{
    uint32_t *columns = clv_alloc(dataset->context, dataset->entries + 1, sizeof *columns);
    size_t count = 0;
    Status status = columns ? collect(dataset, columns, &count, error)
                            : clv_fail_memory(error, "columns that occur", dataset->entries * sizeof *columns);

    names->first = dataset->names.first;
    for (size_t i = 0; status == OK && i < count; i++)
        if (i == 0 || columns[i] != columns[i - 1])
            status = add_number(names, (uint64_t)columns[i] + names->first, error);
    clv_free(dataset->context, columns);
    return status;
}

/* Copies the rows with the columns of names. */
static Status renumber(Dataset *dataset, const Names *names, Dataset **compact, cleave_error *error)
{
    Source *source, *view;
    Status status;

    TRY(clv_dataset_source(dataset, false, &source, error));
    TRY(clv_remap_source(source, true, &dataset->labels, names, names->count, &view, error));
    status = clv_dataset_load(view, compact, error);
    clv_source_close(view);
    TRY(status);
    TRY(clv_names_copy(&(*compact)->names, names, error));
    TRY(clv_schema_copy(&(*compact)->schema, &dataset->schema, error));
    snprintf((*compact)->schema.format, sizeof(*compact)->schema.format, "%s", SCHEMA_NUMBERED);
    (*compact)->features = names->count;
    (*compact)->shuffled = dataset->shuffled;
    if (!dataset->path)
        return OK;
    (*compact)->path = clv_copy_string(dataset->context, dataset->path, strlen(dataset->path));
    return (*compact)->path ? OK : clv_fail_memory(error, "a file name", strlen(dataset->path));
}

Status clv_dataset_compact(Dataset *dataset, Dataset **compact, cleave_error *error)
{
    bool numbered = clv_schema_is_numbered(&dataset->schema) || dataset->schema.format[0] == '\0';
    Names names;
    Status status;

    *compact = NULL;
    if (!numbered || !dataset->names.implicit || dataset->on_disk || !clv_has_gaps(dataset->features, dataset->entries))
        return OK;
    clv_names_init(&names, dataset->context, false);
    status = name_columns(dataset, &names, error);
    if (status == OK)
        status = renumber(dataset, &names, compact, error);
    clv_names_free(&names);
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
