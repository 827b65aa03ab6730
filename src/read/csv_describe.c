/* The cells of a chunk, counted for `cleave convert --describe`. */
#include "read/csv.h"
#include "read/describe.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SAMPLED = 1 << 16, SHOWN_BYTES = 48 };

/* ---- one column ------------------------------------------------------------------------------ */

/* Values are distinguished only by their hashes. */
static bool same_value(const void *owner, const void *wanted, uint32_t entry)
{
    return ((const ColumnFacts *)owner)->value[entry].hash == *(const uint64_t *)wanted;
}

static Status add_value(Context *context, ColumnFacts *column, const CsvCell *cell, uint64_t label,
                        cleave_error *error)
{
    uint64_t hash = clv_keyed_hash(context->hash_key, cell->text, cell->length, 0);
    size_t length = cell->length < SHOWN_BYTES ? cell->length : SHOWN_BYTES;
    SeenValue *value;
    HashSlot *slot;

    TRY(clv_hash_table_reserve(context, &column->table, column->value_count, "values of a column",
                               error));
    slot = hash_table_find(&column->table, hash, same_value, column, &hash);
    if (slot->entry) {
        value = &column->value[slot->entry - 1];
        value->count++;
        column->mixed = column->mixed || value->label != label;
        return OK;
    }
    if (column->value_count == MOST_VALUES) {
        if (!column->cells_when_full)
            column->cells_when_full = column->cells;
        return OK;
    }
    TRY(GROW(context, column->value, column->value_capacity, column->value_count + 1, error));
    value = &column->value[column->value_count];
    *value = (SeenValue){.hash = hash, .count = 1, .label = label};
    value->text = clv_copy_string(context, cell->text, length);
    if (!value->text)
        return clv_fail_memory(error, "a value", length);
    hash_table_fill(slot, hash, (uint32_t)column->value_count++);
    return OK;
}

static Status add_number(Context *context, ColumnFacts *column, float value, cleave_error *error)
{
    if (column->numbers == 0) {
        column->min = column->max = (double)value;
        column->whole = true;
        column->stride = 1;
    }
    column->min = fmin(column->min, (double)value);
    column->max = fmax(column->max, (double)value);
    column->whole = column->whole && value == truncf(value);
    if (column->numbers++ % column->stride != 0)
        return OK;
    TRY(GROW(context, column->sample, column->sample_capacity, column->sample_count + 1, error));
    column->sample[column->sample_count++] = value;
    if (column->sample_count < MOST_SAMPLED)
        return OK;
    column->sample_count /= 2;
    column->stride *= 2;
    for (size_t i = 0; i < column->sample_count; i++)
        column->sample[i] = column->sample[2 * i];
    return OK;
}

static bool is_before(const Moment *a, const Moment *b)
{
    return a->day != b->day ? a->day < b->day : a->seconds < b->seconds;
}

static void add_date(ColumnFacts *column, const CsvCell *cell)
{
    Moment moment;

    if (!clv_date_parse(cell->text, cell->length, column->form, &moment))
        return;
    if (!column->dated || is_before(&moment, &column->earliest))
        column->earliest = moment;
    if (!column->dated || is_before(&column->latest, &moment))
        column->latest = moment;
    column->dated = true;
}

static uint64_t count_words(const CsvCell *cell)
{
    uint64_t words = 0;
    bool inside = false;

    for (size_t i = 0; i < cell->length; i++) {
        bool blank = cell->text[i] == ' ' || cell->text[i] == '\t' || cell->text[i] == '\n';

        words += !blank && !inside;
        inside = !blank;
    }
    return words;
}

static Status add_cell(Context *context, ColumnFacts *column, const CsvMissing *missing,
                       const CsvCell *cell, uint64_t label, cleave_error *error)
{
    float value;
    CellClass class = clv_csv_classify(missing, cell, &value);

    column->cells++;
    if (class == CELL_MISSING) {
        column->missing++;
        return OK;
    }
    if (column->kind == COLUMN_DATE)
        add_date(column, cell);
    else if (class == CELL_NUMBER)
        TRY(add_number(context, column, value, error));
    column->words += count_words(cell);
    return add_value(context, column, cell, label, error);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

double clv_column_median(ColumnFacts *column)
{
    if (column->sample_count == 0)
        return NAN;
    qsort(column->sample, column->sample_count, sizeof *column->sample, compare_floats);
    return (double)column->sample[(column->sample_count - 1) / 2];
}

/* ---- a table --------------------------------------------------------------------------------- */

void clv_table_facts_free(TableFacts *facts)
{
    Context *context = facts->context;

    for (uint32_t i = 0; i < facts->count; i++) {
        ColumnFacts *column = &facts->column[i];

        for (size_t j = 0; j < column->value_count; j++)
            clv_free(context, column->value[j].text);
        clv_free(context, column->value);
        clv_hash_table_free(context, &column->table);
        FREE(context, column->sample, column->name);
    }
    clv_free(context, facts->column);
    *facts = (TableFacts){.context = context};
}

static Status begin(TableFacts *facts, const CsvLayout *layout, cleave_error *error)
{
    TRY(ALLOC_ZERO(facts->context, facts->column, layout->count, "columns", error));
    facts->count = layout->count;
    for (uint32_t i = 0; i < layout->count; i++) {
        const CsvColumn *column = &layout->column[i];

        facts->column[i].kind = column->kind;
        facts->column[i].form = column->form;
        facts->column[i].name = clv_copy_string(facts->context, column->title,
                                                strlen(column->title));
        if (!facts->column[i].name)
            return clv_fail_memory(error, "the name of a column", strlen(column->title));
    }
    return OK;
}

/* The columns of a second file are those of the first, matched by name. */
static ColumnFacts *facts_of(TableFacts *facts, const CsvLayout *layout, uint32_t column)
{
    const char *title = layout->column[column].title;

    if (column < facts->count && strcmp(facts->column[column].name, title) == 0)
        return &facts->column[column];
    for (uint32_t i = 0; i < facts->count; i++)
        if (strcmp(facts->column[i].name, title) == 0)
            return &facts->column[i];
    return NULL;
}

static Status add_record(TableFacts *facts, const CsvState *state, const CsvCell *cells,
                         cleave_error *error)
{
    const CsvLayout *layout = &state->layout;
    uint64_t label = 0;

    for (uint32_t i = 0; i < layout->count; i++)
        if (layout->column[i].kind == COLUMN_LABEL)
            label = clv_keyed_hash(facts->context->hash_key, cells[i].text, cells[i].length, 1);
    for (uint32_t i = 0; i < layout->count; i++) {
        ColumnFacts *column = facts_of(facts, layout, i);

        if (column)
            TRY(add_cell(facts->context, column, &state->missing, &cells[i], label, error));
    }
    return OK;
}

/* The records were parsed before without an error, so none occurs here. */
static Status add_records(TableFacts *facts, const CsvState *state, CsvScan *scan, CsvCell *cells,
                          cleave_error *error)
{
    const char *p = clv_csv_skip_blank(scan, scan->start);

    while (p && p < scan->end) {
        uint32_t count = 0;

        for (;; p++) {
            p = clv_csv_cell(scan, p, &cells[count++]);
            if (!p || csv_at_line_end(p) || count == state->layout.count)
                break;
        }
        if (!p)
            return clv_fail_memory(error, "a cell", 1);
        if (count == state->layout.count)
            TRY(add_record(facts, state, cells, error));
        scan->spare_size = 0;
        p = clv_csv_skip_blank(scan, clv_csv_next_line(scan, p));
    }
    return OK;
}

Status clv_csv_describe(const Reader *reader, const Chunk *chunk, cleave_error *error)
{
    TableFacts *facts = reader->options.describe;
    const CsvState *state = reader->state;
    CsvScan scan = {.dialect = &state->layout.dialect,
                    .context = facts->context,
                    .start = chunk->text,
                    .end = chunk->text + chunk->size,
                    .line_start = chunk->text,
                    .line = 1};
    CsvCell *cells;
    Status status;

    if (!facts->column)
        TRY(begin(facts, &state->layout, error));
    TRY(ALLOC(facts->context, cells, state->layout.count, "cells", error));
    status = add_records(facts, state, &scan, cells, error);
    FREE(facts->context, cells, scan.spare);
    return status;
}
