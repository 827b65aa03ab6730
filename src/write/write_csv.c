/*
 * CSV and TSV (RFC 4180): a header of feature names, one row per line, every column, zeros as 0,
 * the label in the last column. Names of numbered features, as in LIBSVM text, get the prefix x,
 * because a header of numbers could be taken for a row.
 */
#include "write/writer.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#define FLUSH_SIZE ((size_t)1 << 20)
#define NAME_SIZE 64

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct {
    char delimiter;
    bool safe; /* prefixes cells that a spreadsheet would execute */
} Dialect;

typedef struct {
    Context *context;
    Output *output;
    Buffer *out;
    Dialect dialect;
} Table;

static Status flush(Table *table, cleave_error *error)
{
    Status status = clv_output_write(table->output, table->out->data, table->out->size, error);

    table->out->size = 0;
    /* A row of many columns may take minutes. */
    if (status == OK && clv_cancelled(table->context))
        return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    return status;
}

/* Reserves memory for more bytes; flushes first, because a row may be wider than memory. */
static Status reserve(Table *table, size_t bytes, cleave_error *error)
{
    if (table->out->size >= FLUSH_SIZE)
        TRY(flush(table, error));
    return GROW(table->context, table->out->data, table->out->capacity, table->out->size + bytes,
                error);
}

static void put(Table *table, char c)
{
    table->out->data[table->out->size++] = c;
}

static Status add_text(Table *table, const char *text, cleave_error *error)
{
    size_t size = 2 * strlen(text) + sizeof "\"\"'"; /* includes the delimiter */

    TRY(reserve(table, size + 1, error));
    table->out->size += cleave_csv_cell(text, table->dialect.delimiter, table->dialect.safe,
                                        table->out->data + table->out->size, size);
    return OK;
}

/* ---- the header ------------------------------------------------------------------------------ */

static const char *weight_name(const Schema *schema)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == COLUMN_WEIGHT)
            return schema->column[i].name;
    return NULL;
}

static bool is_feature(const Source *source, const char *name)
{
    char digits[24];

    if (source->names.implicit)
        return false;
    for (uint32_t column = 0; column < source->features; column++)
        if (strcasecmp(clv_names_get(&source->names, column, digits), name) == 0)
            return true;
    return false;
}

/* Finds the name of the label column: that of the source table; otherwise "label", unless a feature
 * has this name. */
static void find_label_name(const Source *source, char name[NAME_SIZE])
{
    const Schema *schema = &source->schema;

    for (uint32_t i = 0; i < schema->count; i++) {
        const Column *column = &schema->column[i];

        if (column->kind == COLUMN_LABEL && schema->header && strlen(column->name) < NAME_SIZE &&
            !is_feature(source, column->name)) {
            snprintf(name, NAME_SIZE, "%s", column->name);
            return;
        }
    }
    snprintf(name, NAME_SIZE, "label");
    for (unsigned i = 2; is_feature(source, name); i++)
        snprintf(name, NAME_SIZE, "label_%u", i);
    if (strcmp(name, "label") != 0) {
        char hint[NAME_SIZE + 32];

        snprintf(hint, sizeof hint, "read the file with --label %s", name);
        clv_warn(source->context, hint,
                 "a feature has the name 'label', so the labels are in the column '%s'", name);
    }
}

static Status add_names(Table *table, const Source *source, cleave_error *error)
{
    for (uint32_t column = 0; column < source->features; column++) {
        char digits[24];
        const char *name = clv_names_get(&source->names, column, digits);

        TRY(reserve(table, 2, error));
        if (name == digits)
            put(table, 'x');
        TRY(add_text(table, name, error));
        put(table, table->dialect.delimiter); /* add_text has reserved a byte for it */
    }
    return OK;
}

static Status add_header(Table *table, const Source *source, cleave_error *error)
{
    const char *weight = weight_name(&source->schema);
    char label[NAME_SIZE];

    TRY(add_names(table, source, error));
    if (weight) {
        TRY(add_text(table, weight, error));
        put(table, table->dialect.delimiter);
    }
    find_label_name(source, label);
    TRY(add_text(table, label, error));
    put(table, '\n');
    return flush(table, error);
}

static Status begin(Output *output, const Source *source, Dialect dialect, cleave_error *error)
{
    Buffer buffer = {0};
    Table table = {
        .context = source->context, .output = output, .out = &buffer, .dialect = dialect};
    Status status = add_header(&table, source, error);

    clv_free(source->context, buffer.data);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status add_zeros(Table *table, uint32_t count, cleave_error *error)
{
    while (count > 0) {
        uint32_t some = count < 4096 ? count : 4096;

        TRY(reserve(table, 2 * (size_t)some, error));
        for (uint32_t i = 0; i < some; i++) {
            put(table, '0');
            put(table, table->dialect.delimiter);
        }
        count -= some;
    }
    return OK;
}

static Status add_values(Table *table, const Source *source, const Block *block, uint32_t row,
                         cleave_error *error)
{
    uint32_t next = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        if (walk.column >= source->features)
            break;
        if (walk.column > next)
            TRY(add_zeros(table, walk.column - next, error));
        next = walk.column + 1;
        TRY(reserve(table, NUMBER_SIZE + 1, error));
        if (isfinite(walk.value)) /* otherwise the cell is empty: the value is missing */
            table->out->size += clv_format_float(table->out->data + table->out->size, walk.value);
        put(table, table->dialect.delimiter);
    }
    return add_zeros(table, source->features - next, error);
}

/* Adds the label, which is empty for a row without one. */
static Status add_target(Table *table, const Source *source, const Block *block, uint32_t row,
                         cleave_error *error)
{
    uint32_t label = block_label(block, row);

    if (block->target_form == TARGETS_NUMBERS) {
        double number = ((const double *)block->target)[row];

        TRY(reserve(table, NUMBER_SIZE, error));
        if (!isnan(number))
            table->out->size += clv_format_double(table->out->data + table->out->size, number);
    } else {
        TRY(add_text(table, label == UNLABELED ? "" : source->labels.list[label].text, error));
    }
    TRY(reserve(table, 1, error));
    put(table, '\n');
    return OK;
}

static Status write_block(Output *output, const Source *source, const Block *block, Buffer *out,
                          Dialect dialect, cleave_error *error)
{
    Table table = {.context = source->context, .output = output, .out = out, .dialect = dialect};
    bool weights = weight_name(&source->schema) != NULL;

    if (block->features > source->features)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL,
                        "a row has feature %u, but the header has %u features", block->features,
                        source->features);
    if (block->qid && block->first_row == 0)
        clv_warn(source->context,
                 "write LIBSVM text or a .cleave dataset to keep the query numbers",
                 "tables have no query numbers (qid); the query numbers are dropped");
    out->size = 0;
    for (uint32_t row = 0; row < block->rows; row++) {
        TRY(add_values(&table, source, block, row, error));
        if (weights) {
            TRY(reserve(&table, NUMBER_SIZE + 1, error));
            table.out->size += clv_format_float(table.out->data + table.out->size,
                                                block_weight(block, row));
            put(&table, table.dialect.delimiter);
        }
        TRY(add_target(&table, source, block, row, error));
    }
    return flush(&table, error);
}

/* ---- the two formats, each also in a form safe for spreadsheets ------------------------------ */

#define DIALECT(name, delimiter, safe)                                                             \
    static Status begin_##name(Output *output, const Source *source, cleave_error *error)          \
    {                                                                                              \
        return begin(output, source, (Dialect){delimiter, safe}, error);                           \
    }                                                                                              \
    static Status block_##name(Output *output, const Source *source, const Block *block,           \
                               Buffer *scratch, cleave_error *error)                               \
    {                                                                                              \
        return write_block(output, source, block, scratch, (Dialect){delimiter, safe}, error);     \
    }

DIALECT(csv, ',', false)
DIALECT(tsv, '\t', false)
DIALECT(safe_csv, ',', true)
DIALECT(safe_tsv, '\t', true)

static const Writer safe_csv = {
    .name = "csv", .begin = begin_safe_csv, .block = block_safe_csv, .needs_names = true};
static const Writer safe_tsv = {
    .name = "tsv", .begin = begin_safe_tsv, .block = block_safe_tsv, .needs_names = true};

const Writer clv_writer_csv = {
    .name = "csv",
    .suffixes = (const char *const[]){".csv", NULL},
    .begin = begin_csv,
    .block = block_csv,
    .needs_names = true,
    .safe = &safe_csv,
};

const Writer clv_writer_tsv = {
    .name = "tsv",
    .suffixes = (const char *const[]){".tsv", ".tab", NULL},
    .begin = begin_tsv,
    .block = block_tsv,
    .needs_names = true,
    .safe = &safe_tsv,
};
