/*
 * CSV and TSV: tables with a row of data on each line.
 *
 * A column of numbers is one feature. A column of categories is one feature per value, called column=value, numbered
 * in order of first appearance after the numbers; a missing cell is the value '?', and a missing number is 0 with
 * column=? beside it. A column of dates is several numbers (csv_dates.c).
 *
 * As long as there is nothing but numbers a row is read into an array and goes straight into the builder, dense. From
 * the first missing number on (or from the start where columns are categories) rows are kept in the scratch instead:
 * numbers other than 0 with their features, categories as numbers of the chunk's own dictionary, until settling knows
 * what these are called in the data as a whole.
 *
 * In a column the cell above is often the same once more. So what the last short cell of a column said is remembered
 * with its bytes, up to and with the delimiter, and is not read again while the bytes stay the same. Where the next
 * cell begins does then not wait for the digits of this one.
 */
#include "read/csv.h"
#include "read/words.h"

#include <float.h>
#include <math.h>

/* A value of a category column, or the '?' of any column, seen in the chunk. */
typedef struct {
    const char *text;
    size_t length;
    uint32_t column;
    uint32_t feature; /* when settled */
    bool unseen;      /* when settled: the model does not know this category */
} Value;

typedef struct {
    uint32_t label;
    float weight;
    uint64_t line;
    size_t entry_end, value_end; /* of its numbers in entries, of its values in row_values */
} Row;

/* A column as rows are read, with its last short cell: the same bytes where the masks have ones mean the same again. */
typedef struct {
    uint64_t bytes, mask, more_bytes,
        more_mask;   /* numbers have no more; a mask of 0 with bytes of 1: nothing is known */
    uint32_t length; /* of the cell with what follows it */
    uint8_t kind;
    bool zeros; /* four columns of numbers from here, none the last, so that eight bytes tell whether all are 0 */
    char after; /* what follows a cell: the delimiter, or a newline */
    uint32_t slot;
    BuilderEntry entry; /* COLUMN_NUMBER */
    uint32_t said;      /* COLUMN_CATEGORY: the number in values; COLUMN_LABEL: the chunk's label */
} Cell;

typedef struct {
    float *current; /* numbers of the row being read, if it is dense */
    Cell *cell;     /* of each column */
    size_t current_capacity, cell_capacity;

    Row *rows;
    BuilderEntry *entries; /* numbers other than 0, row after row, unless the builder has them */
    uint32_t *row_values;  /* numbers in values, row after row */
    size_t rows_capacity, entries_capacity, row_values_capacity;
    size_t row_count, entry_count, row_value_count;

    Value *values;
    size_t values_capacity, value_count;
    HashTable table;

    Words words; /* of columns of text, a document for each row */
    char *spare; /* of the scan, kept for reuse */
    size_t spare_capacity;

    uint32_t *feature; /* of the row being settled, and their values */
    float *feature_value;
    size_t feature_capacity, feature_value_capacity;
    Buffer name;
    uint64_t *unseen; /* see Source */
    size_t unseen_capacity;
} Scratch;

typedef struct {
    const CsvState *state;
    const CsvLayout *layout;
    Chunk *chunk;
    Scratch *scratch;
    Context *context;
    CsvScan scan;
    bool dense;             /* rows go into the builder */
    bool row_dense;         /* the row being read did when it began */
    uint64_t zeros;         /* the bytes of four cells of 0 */
    bool in_parts;          /* others may have begun to read at any newline: none may stand in a cell */
    Row row;                /* the one being read */
    const Reader *filter;   /* NULL where all classes are kept */
    uint32_t label_column;  /* of a filter */
    const char *label_text; /* of the row before */
    size_t label_length;
    uint32_t label;
} Parser;

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/* Another part may have been begun inside such a cell: nothing that was read is sure. */
static void refuse_line_break(Parser *parser, uint64_t line)
{
    clv_chunk_fail(parser->chunk, line, 0, CLEAVE_ERROR_DATA,
                   "a cell in quotes goes over a line end, and such a table cannot be read in parts");
    clv_chunk_hint(parser->chunk, "'cleave convert' makes a dataset of it, which can");
}

static const char *fail_trouble(Parser *parser)
{
    const CsvScan *scan = &parser->scan;
    CsvComplaint complaint;

    if (parser->in_parts && scan->trouble == TROUBLE_OPEN) {
        refuse_line_break(parser, scan->trouble_place.line);
        return NULL;
    }
    clv_csv_complain(scan, &complaint);
    clv_chunk_fail(parser->chunk, scan->trouble_place.line, csv_column(&scan->trouble_place),
                   scan->trouble == TROUBLE_MEMORY ? CLEAVE_ERROR_MEMORY : CLEAVE_ERROR_DATA, "%s", complaint.message);
    if (complaint.hint[0])
        clv_chunk_hint(parser->chunk, "%s", complaint.hint);
    return NULL;
}

/* An error of memory, already in words. */
static const char *fail_memory(Parser *parser, const cleave_error *error)
{
    clv_chunk_fail(parser->chunk, 0, 0, error->code, "%s", error->message);
    clv_chunk_hint(parser->chunk, "%s", error->hint);
    return NULL;
}

static const char *fail_count(Parser *parser, const char *at, uint32_t found)
{
    CsvPlace place = {.at = at, .line_start = parser->scan.line_start, .line = parser->scan.line};
    const CsvLayout *layout = parser->layout;

    clv_chunk_fail(parser->chunk, place.line, csv_column(&place), CLEAVE_ERROR_DATA,
                   "expected %u columns as in the %s, found %u", layout->count, layout->header ? "header" : "first row",
                   found);
    if (found > layout->count)
        clv_chunk_hint(parser->chunk, "a cell that holds the delimiter must stand in quotes");
    return NULL;
}

static const char *fail_extra(Parser *parser, const char *delimiter)
{
    uint32_t count = parser->layout->count;
    CsvScan rest = parser->scan;
    const char *next;

    rest.context = NULL;
    count += clv_csv_count(&rest, delimiter + 1, &next);
    return fail_count(parser, delimiter + 1, count);
}

static const char *fail_number(Parser *parser, const CsvColumn *column, const CsvCell *cell, CellClass class)
{
    Chunk *chunk = parser->chunk;
    char title[QUOTE_SIZE], text[QUOTE_SIZE];

    clv_quote(title, column->title, strlen(column->title));
    clv_quote(text, cell->text, cell->length);
    if (class == CELL_TEXT) {
        clv_chunk_fail(chunk, cell->place.line, csv_column(&cell->place), CLEAVE_ERROR_DATA,
                       "column '%s' holds numbers, found '%s'", title, text);
        clv_chunk_hint(
            chunk,
            "if these are categories, pass --columns %s=category; if it stands for a missing value, --missing %s",
            title, text);
    } else {
        clv_chunk_fail(chunk, cell->place.line, csv_column(&cell->place), CLEAVE_ERROR_DATA,
                       "column '%s': the value is %s: '%s'", title,
                       class == CELL_TOO_LARGE ? "too large for a 32-bit number" : "not finite", text);
        clv_chunk_hint(chunk, "if it stands for a missing value, pass --missing %s", text);
    }
    return NULL;
}

static bool fail_weight(Parser *parser, const CsvColumn *column, const CsvCell *cell)
{
    char title[QUOTE_SIZE], text[QUOTE_SIZE];

    clv_chunk_fail(parser->chunk, cell->place.line, csv_column(&cell->place), CLEAVE_ERROR_DATA,
                   "column '%s': a weight is a number from 0 up, found '%s'",
                   clv_quote(title, column->title, strlen(column->title)), clv_quote(text, cell->text, cell->length));
    return false;
}

/* ---- values of the chunk --------------------------------------------------------------------------------------- */

static bool same_value(const void *owner, const void *wanted, uint32_t entry)
{
    const Value *value = &((const Scratch *)owner)->values[entry], *other = wanted;

    return value->column == other->column && value->length == other->length &&
           memcmp(value->text, other->text, other->length) == 0;
}

/* Adds a value to the row being read; new or seen before in this chunk. */
static Status add_value(Context *context, Scratch *scratch, uint32_t column, const char *text, size_t length,
                        cleave_error *error)
{
    Value wanted = {.text = text, .length = length, .column = column};
    uint64_t hash = clv_keyed_hash(context->hash_key, text, length, column);
    HashSlot *slot;

    TRY(clv_hash_table_reserve(context, &scratch->table, scratch->value_count, "values of categories", error));
    slot = hash_table_find(&scratch->table, hash, same_value, scratch, &wanted);
    if (!slot->entry) {
        TRY(GROW(context, scratch->values, scratch->values_capacity, scratch->value_count + 1, error));
        scratch->values[scratch->value_count] = wanted;
        hash_table_fill(slot, hash, (uint32_t)scratch->value_count++);
    }
    TRY(GROW(context, scratch->row_values, scratch->row_values_capacity, scratch->row_value_count + 1, error));
    scratch->row_values[scratch->row_value_count++] = slot->entry - 1;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static Status reserve_entries(Parser *parser, size_t count, cleave_error *error)
{
    Scratch *scratch = parser->scratch;

    return GROW(parser->context, scratch->entries, scratch->entries_capacity, scratch->entry_count + count, error);
}

/* What is not 0 of a row. */
static Status keep_numbers(Parser *parser, const float *numbers, Row *row, cleave_error *error)
{
    const CsvLayout *layout = parser->layout;
    Scratch *scratch = parser->scratch;
    size_t count = scratch->entry_count;

    TRY(reserve_entries(parser, layout->numbers, error));
    for (uint32_t i = 0; i < layout->numbers; i++) { /* a 0 is written, and written over */
        scratch->entries[count] = (BuilderEntry){.column = layout->feature[i], .value = numbers[i]};
        count += numbers[i] != 0;
    }
    row->entry_end = scratch->entry_count = count;
    return OK;
}

/* The first missing number: the numbers of the rows so far leave the builder for the scratch. */
static Status leave_dense(Parser *parser, cleave_error *error)
{
    Builder *builder = &parser->chunk->builder;

    for (size_t row = 0; row < builder->rows; row++)
        TRY(keep_numbers(parser, builder->value + row * parser->layout->numbers, &parser->scratch->rows[row], error));
    clv_builder_clear(builder);
    parser->dense = false;
    return OK;
}

/* What the builder keeps of a row beside its features. */
static Status add_extras(Builder *builder, const CsvLayout *layout, const Row *row, cleave_error *error)
{
    TRY(clv_builder_set_line(builder, row->line, error));
    return layout->weighted ? clv_builder_set_weight(builder, row->weight, error) : OK;
}

static Status end_row(Parser *parser, cleave_error *error)
{
    Scratch *scratch = parser->scratch;
    Builder *builder = &parser->chunk->builder;

    if (parser->layout->worded)
        clv_words_end_unlabelled(&scratch->words, parser->row.line);
    TRY(GROW(parser->context, scratch->rows, scratch->rows_capacity, scratch->row_count + 1, error));
    if (parser->row_dense && !parser->dense)
        TRY(keep_numbers(parser, scratch->current, &parser->row, error));
    parser->row.entry_end = scratch->entry_count;
    parser->row.value_end = scratch->row_value_count;
    scratch->rows[scratch->row_count++] = parser->row;
    if (!parser->dense)
        return OK;
    TRY(clv_builder_add_dense(builder, scratch->current, parser->layout->numbers, parser->row.label, error));
    return add_extras(builder, parser->layout, &parser->row, error);
}

/* ---- cells that are not plain numbers -------------------------------------------------------------------------- */

static bool take_missing(Parser *parser, uint32_t column)
{
    cleave_error error;

    if ((parser->dense && leave_dense(parser, &error) != OK) ||
        add_value(parser->context, parser->scratch, column, "?", 1, &error) != OK) {
        fail_memory(parser, &error);
        return false;
    }
    return true;
}

/* There is room for all numbers of the row. */
static void put_number(Parser *parser, uint32_t slot, float value)
{
    Scratch *scratch = parser->scratch;

    if (parser->row_dense)
        scratch->current[slot] = value;
    else if (value != 0)
        scratch->entries[scratch->entry_count++] = (BuilderEntry){.column = parser->layout->feature[slot],
                                                                  .value = value};
}

static bool take_number(Parser *parser, uint32_t index, const CsvCell *cell)
{
    const CsvColumn *column = &parser->layout->column[index];
    float value;
    CellClass class = clv_csv_classify(&parser->state->missing, cell, &value);

    switch (class) {
    case CELL_NUMBER:
        put_number(parser, column->slot, value);
        return true;
    case CELL_MISSING:
        put_number(parser, column->slot, 0);
        return take_missing(parser, index);
    default:
        return fail_number(parser, column, cell, class);
    }
}

static bool take_missing_date(Parser *parser, uint32_t index)
{
    static const char *const marks[DATE_PARTS] = {".days=?", ".year=?", ".month=?", ".day=?", ".weekday=?", ".hour=?"};
    const CsvColumn *column = &parser->layout->column[index];
    cleave_error error;

    for (int part = 0; part < DATE_PARTS; part++) {
        if (column->part_slot[part] == CSV_NOWHERE)
            continue;
        put_number(parser, column->part_slot[part], 0);
        if ((parser->dense && leave_dense(parser, &error) != OK) ||
            add_value(parser->context, parser->scratch, index, marks[part], strlen(marks[part]), &error) != OK) {
            fail_memory(parser, &error);
            return false;
        }
    }
    return true;
}

static bool take_date(Parser *parser, uint32_t index, const CsvCell *cell)
{
    const CsvColumn *column = &parser->layout->column[index];
    float values[DATE_PARTS];
    Moment moment;

    if (clv_csv_is_missing(&parser->state->missing, cell))
        return take_missing_date(parser, index);
    if (!clv_date_parse(cell->text, cell->length, column->form, &moment)) {
        clv_csv_fail_date(parser->chunk, column, cell);
        return false;
    }
    clv_date_values(&moment, values);
    for (int part = 0; part < DATE_PARTS; part++)
        if (column->part_slot[part] != CSV_NOWHERE)
            put_number(parser, column->part_slot[part], values[part]);
    return true;
}

static bool take_category(Parser *parser, uint32_t index, const CsvCell *cell)
{
    bool missing = clv_csv_is_missing(&parser->state->missing, cell);
    cleave_error error;

    if (add_value(parser->context, parser->scratch, index, missing ? "?" : cell->text, missing ? 1 : cell->length,
                  &error) == OK)
        return true;
    fail_memory(parser, &error);
    return false;
}

static bool take_text(Parser *parser, const CsvColumn *column, const CsvCell *cell)
{
    cleave_error error;

    if (clv_csv_is_missing(&parser->state->missing, cell) ||
        clv_words_text(&parser->scratch->words, column->prefix, cell->text, cell->text + cell->length, &error) == OK)
        return true;
    fail_memory(parser, &error);
    return false;
}

/* Rows often come in runs of one label: what it was for the row before spares looking it up. A cell that --missing names
 * is no label. */
static bool take_label(Parser *parser, const CsvCell *cell)
{
    Row *row = &parser->row;

    if (clv_csv_is_missing(&parser->state->missing, cell))
        return clv_chunk_label(parser->chunk, "", 0, cell->place.line, &row->label) == OK;
    if (cell->length == parser->label_length && parser->label_text &&
        memcmp(cell->text, parser->label_text, cell->length) == 0) {
        row->label = parser->label;
        parser->chunk->labels.list[row->label].count++;
        return true;
    }
    if (clv_chunk_label(parser->chunk, cell->text, cell->length, cell->place.line, &row->label) != OK)
        return false;
    if (row->label == UNLABELED)
        return true;
    parser->label_text = cell->text;
    parser->label_length = cell->length;
    parser->label = row->label;
    return true;
}

static bool take_weight(Parser *parser, const CsvColumn *column, const CsvCell *cell)
{
    float value;

    if (clv_csv_classify(&parser->state->missing, cell, &value) != CELL_NUMBER || value < 0)
        return fail_weight(parser, column, cell);
    parser->row.weight = value;
    return true;
}

static bool take_cell(Parser *parser, uint32_t index, const CsvCell *cell)
{
    const CsvColumn *column = &parser->layout->column[index];

    switch (column->kind) {
    case COLUMN_NUMBER:
        return take_number(parser, index, cell);
    case COLUMN_CATEGORY:
        return take_category(parser, index, cell);
    case COLUMN_DATE:
        return take_date(parser, index, cell);
    case COLUMN_TEXT:
        return take_text(parser, column, cell);
    case COLUMN_LABEL:
        return take_label(parser, cell);
    case COLUMN_WEIGHT:
        return take_weight(parser, column, cell);
    default:
        return true;
    }
}

/* Past the cell at p and what follows it, or NULL. */
static const char *slow_cell(Parser *parser, const char *p, uint32_t index)
{
    bool last = index + 1 == parser->layout->count;
    CsvCell cell;

    p = clv_csv_cell(&parser->scan, p, &cell);
    if (!p)
        return fail_trouble(parser);
    if (csv_at_line_end(p) != last)
        return last ? fail_extra(parser, p) : fail_count(parser, p, index + 1);
    if (!take_cell(parser, index, &cell))
        return NULL;
    return last ? p + 1 + (*p == '\r') : p + 1;
}

/* ---- the hot loop ---------------------------------------------------------------------------------------------- */

static inline uint64_t eight_bytes(const char *p)
{
    uint64_t bytes;

    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

/* Ones for the first so many bytes of eight. */
static inline uint64_t mask_of(size_t count)
{
    return count >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * count) - 1;
}

static inline void forget_cell(Cell *cell)
{
    cell->mask = 0;
    cell->bytes = 1;
}

/* Of a number no longer than seven bytes. */
static inline void remember_number(Cell *cell, const char *p, const char *next, float value)
{
    size_t length = (size_t)(next - p);

    if (length > 8)
        return;
    cell->mask = mask_of(length);
    cell->bytes = eight_bytes(p) & cell->mask;
    cell->length = (uint32_t)length;
    cell->entry.value = value;
}

/* Of a category or a label no longer than fifteen bytes. In quotes there may be line ends, which must be counted. */
static void remember_text(Cell *cell, const char *p, const char *next, uint32_t said)
{
    size_t length = (size_t)(next - p);

    if (length > 16 || *p == '"')
        return;
    cell->mask = mask_of(length);
    cell->bytes = eight_bytes(p) & cell->mask;
    cell->more_mask = length > 8 ? mask_of(length - 8) : 0;
    cell->more_bytes = eight_bytes(p + 8) & cell->more_mask;
    cell->length = (uint32_t)length;
    cell->said = said;
}

/* Whether the cell at p is that of a category or label, as remembered. */
static inline bool is_text_again(const Cell *cell, const char *p)
{
    return (eight_bytes(p) & cell->mask) == cell->bytes && (eight_bytes(p + 8) & cell->more_mask) == cell->more_bytes;
}

/* Past a cell of anything but numbers, or NULL. */
static const char *other_cell(Parser *parser, const char *p, uint32_t index)
{
    Scratch *scratch = parser->scratch;
    Cell *cell = &scratch->cell[index];
    const char *next;

    if (cell->kind == COLUMN_CATEGORY && is_text_again(cell, p)) {
        cleave_error error;

        if (GROW(parser->context, scratch->row_values, scratch->row_values_capacity, scratch->row_value_count + 1,
                 &error) != OK)
            return fail_memory(parser, &error);
        scratch->row_values[scratch->row_value_count++] = cell->said;
        return p + cell->length;
    }
    if (cell->kind == COLUMN_LABEL && is_text_again(cell, p)) {
        parser->row.label = cell->said;
        parser->chunk->labels.list[cell->said].count++;
        return p + cell->length;
    }
    next = slow_cell(parser, p, index);
    if (next && cell->kind == COLUMN_CATEGORY)
        remember_text(cell, p, next, scratch->row_values[scratch->row_value_count - 1]);
    else if (next && cell->kind == COLUMN_LABEL && parser->row.label != UNLABELED)
        remember_text(cell, p, next, parser->row.label);
    return next;
}

/* Past a number that ends where its cell does, or NULL. */
static inline const char *number_cell(Cell *cell, const char *p, const char *end, float *value)
{
    unsigned digit = (unsigned)(unsigned char)*p - '0', count;
    uint64_t whole;
    const char *after;

    if (digit < 10 && p[1] == cell->after) { /* a single digit: counts, flags, categories by number */
        *value = (float)digit;
        return p + 2;
    }
    if ((eight_bytes(p) & cell->mask) == cell->bytes) {
        *value = cell->entry.value;
        return p + cell->length;
    }
    count = clv_digits8(p, &whole);
    if (count - 1 < 7 && p[count] == cell->after) { /* up to seven digits are exact */
        *value = (float)whole;
        after = p + count;
    } else {
        after = p[1] == '.' ? clv_parse_short_float(p, value) : NULL;
        if (!after || *after != cell->after)
            after = clv_parse_float(p, end, value);
        if (!after || *after != cell->after || fabsf(*value) > FLT_MAX)
            return NULL;
    }
    remember_number(cell, p, after + 1, *value);
    return after + 1;
}

static inline bool is_zero(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits << 1 == 0;
}

/* Past the row at p, or NULL. What is no plain number goes the slow way. */
static inline __attribute__((always_inline)) const char *parse_row(Parser *parser, const char *p, bool dense)
{
    Scratch *scratch = parser->scratch;
    const char *end = parser->scan.end, *next;
    Cell *cell = scratch->cell, *stop = cell + parser->layout->count;
    float *current = scratch->current, value;
    BuilderEntry *entry = dense ? NULL : scratch->entries + scratch->entry_count;

    for (; cell < stop; cell++, p = next) {
        if (cell->zeros && eight_bytes(p) == parser->zeros) {
            for (int i = 0; i < 4 && dense; i++)
                current[cell[i].slot] = 0;
            next = p + 8;
            cell += 3;
            continue;
        }
        if (cell->kind == COLUMN_NUMBER && (next = number_cell(cell, p, end, &value))) {
            if (dense) {
                current[cell->slot] = value;
            } else { /* a 0 is written, and written over */
                *entry = (BuilderEntry){.column = cell->entry.column, .value = value};
                entry += !is_zero(value);
            }
            continue;
        }
        if (!dense)
            scratch->entry_count = (size_t)(entry - scratch->entries);
        next = other_cell(parser, p, (uint32_t)(cell - scratch->cell));
        if (!next)
            return NULL;
        if (!dense)
            entry = scratch->entries + scratch->entry_count;
    }
    if (!dense)
        scratch->entry_count = (size_t)(entry - scratch->entries);
    return p;
}

static const char *dense_row(Parser *parser, const char *p)
{
    return parse_row(parser, p, true);
}

/* One more entry than there are numbers, for a 0 at the end of the row. */
static const char *sparse_row(Parser *parser, const char *p)
{
    cleave_error error;

    if (reserve_entries(parser, (size_t)parser->layout->numbers + 1, &error) != OK)
        return fail_memory(parser, &error);
    return parse_row(parser, p, false);
}

static Status begin_cells(Parser *parser, cleave_error *error)
{
    char zeros[sizeof parser->zeros];
    const CsvLayout *layout = parser->layout;
    Scratch *scratch = parser->scratch;

    TRY(GROW(parser->context, scratch->current, scratch->current_capacity, layout->numbers, error));
    TRY(GROW(parser->context, scratch->cell, scratch->cell_capacity, layout->count, error));
    for (uint32_t i = 0; i < layout->count; i++) {
        const CsvColumn *column = &layout->column[i];
        bool number = column->kind == COLUMN_NUMBER;

        scratch->cell[i] = (Cell){.kind = (uint8_t)column->kind, .after = column->after, .slot = column->slot};
        scratch->cell[i].entry.column = number ? layout->feature[column->slot] : 0;
        forget_cell(&scratch->cell[i]);
    }
    for (uint32_t i = 0; i + 4 < layout->count; i++) {
        const Cell *cell = &scratch->cell[i];

        scratch->cell[i].zeros = cell[0].kind == COLUMN_NUMBER && cell[1].kind == COLUMN_NUMBER &&
                                 cell[2].kind == COLUMN_NUMBER && cell[3].kind == COLUMN_NUMBER;
    }
    for (size_t i = 0; i < sizeof zeros; i++)
        zeros[i] = i % 2 == 0 ? '0' : layout->dialect.delimiter;
    memcpy(&parser->zeros, zeros, sizeof zeros);
    return OK;
}

/* Whether the row that was read goes over more than one line. */
static bool fail_line_break(Parser *parser)
{
    if (parser->scan.line == parser->row.line)
        return false;
    refuse_line_break(parser, parser->row.line);
    return true;
}

/* Passes over the row at *at where --classes drops it: its label is looked up before any of its cells are kept. A row with an
 * error is left to the parser proper, which reports it. */
static bool drop_row(Parser *parser, const char **at)
{
    CsvScan *scan = &parser->scan;
    const uint64_t line = scan->line;
    const size_t spare_size = scan->spare_size;
    const char *line_start = scan->line_start, *p = *at;
    bool keeps = true, ended = false;

    for (uint32_t i = 0; !ended && (i <= parser->label_column || !keeps); i++) {
        CsvCell cell;

        p = clv_csv_cell(scan, p, &cell);
        if (!p) {
            keeps = true;
            break;
        }
        if (i == parser->label_column && !clv_csv_is_missing(&parser->state->missing, &cell))
            keeps = clv_keeps_class(parser->filter, cell.text, cell.length);
        ended = csv_at_line_end(p);
        p += 1 + (ended && *p == '\r');
    }
    scan->spare_size = spare_size;
    if (keeps) {
        scan->line = line;
        scan->line_start = line_start;
        return false;
    }
    scan->line++;
    scan->line_start = *at = p;
    return clv_chunk_drop(parser->chunk, line) == OK;
}

static bool parse_rows(Parser *parser)
{
    CsvScan *scan = &parser->scan;
    const char *p = scan->start;
    cleave_error error;

    while (p < scan->end) {
        if ((unsigned char)*p <= ' ')
            p = clv_csv_skip_blank(scan, p);
        if (p >= scan->end)
            break;
        if (parser->filter && drop_row(parser, &p))
            continue;
        if (parser->chunk->status != OK)
            return false;
        parser->row = (Row){.label = UNLABELED, .weight = 1, .line = scan->line};
        if (parser->layout->worded && clv_words_begin(&parser->scratch->words, &error) != OK) {
            fail_memory(parser, &error);
            return false;
        }
        parser->row_dense = parser->dense;
        p = parser->dense ? dense_row(parser, p) : sparse_row(parser, p);
        if (!p || (parser->in_parts && fail_line_break(parser)))
            return false;
        scan->line++;
        scan->line_start = p;
        if (end_row(parser, &error) != OK) {
            fail_memory(parser, &error);
            return false;
        }
    }
    parser->chunk->lines = scan->line - 1;
    return true;
}

static void clear_scratch(Scratch *scratch)
{
    if (scratch->value_count)
        clv_hash_table_clear(&scratch->table);
    scratch->entry_count = scratch->row_count = scratch->row_value_count = scratch->value_count = 0;
}

/* A last line that ends in a delimiter, without a newline, has lost at least a cell. */
static void fail_cut(Chunk *chunk)
{
    uint64_t line = 1;
    size_t start = 0;

    for (size_t i = 0; i < chunk->size; i++) {
        if (chunk->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    clv_chunk_fail(chunk, line, chunk->size - start, CLEAVE_ERROR_DATA,
                   "the file is cut short: its last line ends in a delimiter, without a newline");
    clv_chunk_hint(chunk, "--allow-cut reads up to the last whole line");
}

static void find_filter(Parser *parser, const Reader *reader)
{
    const CsvLayout *layout = parser->layout;

    for (uint32_t i = 0; reader->options.classes && i < layout->count && !parser->filter; i++)
        if (layout->column[i].kind == COLUMN_LABEL) {
            parser->filter = reader;
            parser->label_column = i;
        }
}

static void parse(const Reader *reader, Chunk *chunk)
{
    const CsvState *state = reader->state;
    Scratch *scratch = chunk->scratch;
    Parser parser = {.state = state,
                     .layout = &state->layout,
                     .chunk = chunk,
                     .scratch = scratch,
                     .context = reader->source.context,
                     .dense = state->layout.dense,
                     .in_parts = reader->options.ranged};
    cleave_error error;

    parser.scan = (CsvScan){.dialect = &state->layout.dialect,
                            .context = parser.context,
                            .start = chunk->text,
                            .end = chunk->text + chunk->size,
                            .line_start = chunk->text,
                            .line = 1,
                            .spare = scratch->spare,
                            .spare_capacity = scratch->spare_capacity};
    find_filter(&parser, reader);
    clear_scratch(scratch);
    if (state->layout.worded)
        clv_words_clear(&scratch->words, reader);
    if (begin_cells(&parser, &error) == OK)
        parse_rows(&parser);
    else
        fail_memory(&parser, &error);
    if (chunk->status == OK && chunk->unfinished && chunk->text[chunk->size - 1] == state->layout.dialect.delimiter)
        fail_cut(chunk);
    scratch->spare = parser.scan.spare;
    scratch->spare_capacity = parser.scan.spare_capacity;
}

/* ---- settling -------------------------------------------------------------------------------------------------- */

static Status name_value(Reader *reader, Scratch *scratch, Value *value, cleave_error *error)
{
    Context *context = reader->source.context;
    CsvState *state = reader->state;
    Names *names = &reader->source.names;
    const char *column = state->layout.column[value->column].name;
    Buffer *name = &scratch->name;

    name->size = 0;
    TRY(clv_buffer_add(context, name, column, strlen(column), error));
    if (state->layout.column[value->column].kind != COLUMN_DATE) /* whose values are `.part=?` */
        TRY(clv_buffer_add(context, name, "=", 1, error));
    TRY(clv_buffer_add(context, name, value->text, value->length, error));
    if (!names->frozen)
        return clv_names_add(names, name->data, name->size, &value->feature, error);
    value->feature = clv_names_find(names, name->data, name->size);
    if (value->feature != NO_COLUMN || state->layout.column[value->column].kind != COLUMN_CATEGORY)
        return OK;
    value->unseen = value->length != 1 || value->text[0] != '?';
    name->size = strlen(column) + 1;
    TRY(clv_buffer_add(context, name, VALUE_OTHER, strlen(VALUE_OTHER), error));
    value->feature = clv_names_find(names, name->data, name->size);
    return OK;
}

/* Inserts into the features of a row, which stay sorted; one that is there already stays as it is. */
static size_t insert_feature(Scratch *scratch, size_t count, uint32_t feature, float value)
{
    size_t at = count;

    while (at > 0 && scratch->feature[at - 1] > feature)
        at--;
    if (at > 0 && scratch->feature[at - 1] == feature)
        return count;
    for (size_t i = count; i > at; i--) {
        scratch->feature[i] = scratch->feature[i - 1];
        scratch->feature_value[i] = scratch->feature_value[i - 1];
    }
    scratch->feature[at] = feature;
    scratch->feature_value[at] = value;
    return count + 1;
}

/* The values of a row from those of the chunk. */
static size_t settle_values(Scratch *scratch, size_t value, size_t stop, size_t count)
{
    for (; value < stop; value++) {
        uint32_t feature = scratch->values[scratch->row_values[value]].feature;

        if (feature != NO_COLUMN)
            count = insert_feature(scratch, count, feature, 1);
    }
    return count;
}

/* Anything between the numbers, or numbers in another order than the features. */
static Status settle_mixed(Reader *reader, Chunk *chunk, size_t index, size_t entry, size_t value, cleave_error *error)
{
    const CsvLayout *layout = &((CsvState *)reader->state)->layout;
    Scratch *scratch = chunk->scratch;
    const Row *row = &scratch->rows[index];
    size_t count = 0, words = 0;
    const WordCount *word = layout->worded ? clv_words_row(&scratch->words, index, &words) : NULL;
    size_t most = (row->entry_end - entry) + (row->value_end - value) + words + 1;

    TRY(GROW(reader->source.context, scratch->feature, scratch->feature_capacity, most, error));
    TRY(GROW(reader->source.context, scratch->feature_value, scratch->feature_value_capacity, most, error));
    for (; entry < row->entry_end; entry++)
        count = insert_feature(scratch, count, scratch->entries[entry].column, scratch->entries[entry].value);
    count = settle_values(scratch, value, row->value_end, count);
    for (size_t i = 0; i < words; i++)
        count = insert_feature(scratch, count, word[i].column, (float)word[i].count);
    return clv_builder_add_many(&chunk->builder, scratch->feature, scratch->feature_value, count, error);
}

/* Numbers come in the order of their features and before all values, unless a model has it otherwise. */
static Status settle_row(Reader *reader, Chunk *chunk, size_t index, bool ordered, cleave_error *error)
{
    const CsvLayout *layout = &((CsvState *)reader->state)->layout;
    Scratch *scratch = chunk->scratch;
    const Row *row = &scratch->rows[index];
    size_t entry = index ? row[-1].entry_end : 0, value = index ? row[-1].value_end : 0;
    size_t most = row->value_end - value + 1, count = 0;

    clv_builder_begin_row(&chunk->builder);
    if (ordered) {
        TRY(GROW(reader->source.context, scratch->feature, scratch->feature_capacity, most, error));
        TRY(GROW(reader->source.context, scratch->feature_value, scratch->feature_value_capacity, most, error));
        count = settle_values(scratch, value, row->value_end, 0);
    }
    if (ordered &&
        (count == 0 || entry == row->entry_end || scratch->feature[0] > scratch->entries[row->entry_end - 1].column)) {
        TRY(clv_builder_add_entries(&chunk->builder, scratch->entries + entry, row->entry_end - entry, error));
        TRY(clv_builder_add_many(&chunk->builder, scratch->feature, scratch->feature_value, count, error));
    } else {
        TRY(settle_mixed(reader, chunk, index, entry, value, error));
    }
    TRY(clv_builder_end_row(&chunk->builder, row->label, error));
    return add_extras(&chunk->builder, layout, row, error);
}

/* Whether a slot is past those before it. */
static bool follows(uint32_t slot, uint32_t *next)
{
    if (slot < *next)
        return false;
    *next = slot + 1;
    return true;
}

/* Whether the columns of numbers and dates stand in the order of their features, with no words beside them. */
static bool is_ordered(const CsvLayout *layout)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < layout->count; i++) {
        const CsvColumn *column = &layout->column[i];

        if (column->kind == COLUMN_NUMBER && !follows(column->slot, &next))
            return false;
        for (int part = 0; part < DATE_PARTS && column->kind == COLUMN_DATE; part++)
            if (column->part_slot[part] != CSV_NOWHERE && !follows(column->part_slot[part], &next))
                return false;
    }
    return !layout->worded;
}

/* Marks and counts the rows with a category that the model does not know. Only called where the chunk has one. */
static Status note_unseen(Reader *reader, Chunk *chunk, cleave_error *error)
{
    CsvState *state = reader->state;
    Scratch *scratch = chunk->scratch;
    size_t at = 0;

    TRY(GROW(reader->source.context, scratch->unseen, scratch->unseen_capacity, scratch->row_count, error));
    for (size_t row = 0; row < scratch->row_count; row++) {
        scratch->unseen[row] = 0;
        for (; at < scratch->rows[row].value_end; at++) {
            const Value *value = &scratch->values[scratch->row_values[at]];
            uint32_t number = value->unseen
                                  ? clv_unseen_number(&state->unseen, state->layout.column[value->column].name)
                                  : MOST_UNSEEN;

            if (number == MOST_UNSEEN)
                continue;
            scratch->unseen[row] |= UINT64_C(1) << number;
            state->unseen.rows[number]++;
        }
    }
    chunk->unseen = scratch->unseen;
    reader->source.unseen_column = state->unseen.column;
    return OK;
}

static void tell_unseen(const Reader *reader)
{
    const CsvState *state = reader->state;

    if (state && !reader->options.ranged)
        clv_unseen_warn(&state->unseen, state->rows, "rows", reader->source.context);
}

static Status settle_rows(Reader *reader, Chunk *chunk, cleave_error *error)
{
    bool unseen = false;
    const CsvLayout *layout = &((const CsvState *)reader->state)->layout;
    Scratch *scratch = chunk->scratch;
    bool ordered = is_ordered(layout);

    for (size_t i = 0; i < scratch->value_count; i++) {
        TRY(name_value(reader, scratch, &scratch->values[i], error));
        unseen = unseen || scratch->values[i].unseen;
    }
    ((CsvState *)reader->state)->rows += scratch->row_count;
    if (unseen && reader->guide_schema && clv_schema_is_table(reader->guide_schema)) /* whose names stay in place */
        TRY(note_unseen(reader, chunk, error));
    if (layout->worded)
        TRY(clv_words_number(&scratch->words, reader, error));
    for (size_t i = 0; i < scratch->row_count; i++)
        TRY(settle_row(reader, chunk, i, ordered, error));
    return OK;
}

static Status settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    chunk->unseen = NULL;
    if (reader->options.describe)
        TRY(clv_csv_describe(reader, chunk, error));
    if (!chunk->builder.dense)
        TRY(settle_rows(reader, chunk, error));
    TRY(clv_settle_labels(reader, chunk, error));
    TRY(clv_builder_finish(&chunk->builder, &chunk->block, error));
    if (chunk->block.rows != ((Scratch *)chunk->scratch)->row_count)
        chunk->unseen = NULL; /* rows were left out: marks are not theirs */
    return OK;
}

static void free_scratch(Context *context, void *memory)
{
    Scratch *scratch = memory;

    clv_words_free(context, &scratch->words);
    clv_free(context, scratch->current);
    clv_free(context, scratch->cell);
    clv_free(context, scratch->rows);
    clv_free(context, scratch->entries);
    clv_free(context, scratch->row_values);
    clv_free(context, scratch->values);
    clv_hash_table_free(context, &scratch->table);
    clv_free(context, scratch->spare);
    clv_free(context, scratch->feature);
    clv_free(context, scratch->feature_value);
    clv_free(context, scratch->name.data);
    clv_free(context, scratch->unseen);
}

/* ---- the formats ----------------------------------------------------------------------------------------------- */

static size_t cut(const Reader *reader, const char *text, size_t size)
{
    return clv_csv_cut(((const CsvState *)reader->state)->layout.dialect.delimiter, text, size);
}

static bool sniff_csv(const char *head, size_t size)
{
    return clv_csv_sniff(head, size, ",;|", 2);
}

static bool sniff_tsv(const char *head, size_t size)
{
    return clv_csv_sniff(head, size, "\t", 3); /* two cells with a tab between are a label and its text */
}

static const char *const csv_suffixes[] = {".csv", NULL};
static const char *const tsv_suffixes[] = {".tsv", ".tab", NULL};

const Format clv_format_csv = {
    .name = "csv",
    .brief = "a table, cells separated by commas (or ; | tab), with or without a header",
    .suffixes = csv_suffixes,
    .sniff = sniff_csv,
    .start = clv_csv_start,
    .cut = cut,
    .parse = parse,
    .settle = settle,
    .free_scratch = free_scratch,
    .tell = tell_unseen,
    .finish = clv_csv_finish,
    .scratch_size = sizeof(Scratch),
    .text = true,
};

const Format clv_format_tsv = {
    .name = "tsv",
    .brief = "a table, cells separated by tabs, with or without a header",
    .suffixes = tsv_suffixes,
    .sniff = sniff_tsv,
    .start = clv_csv_start,
    .cut = cut,
    .parse = parse,
    .settle = settle,
    .free_scratch = free_scratch,
    .tell = tell_unseen,
    .finish = clv_csv_finish,
    .scratch_size = sizeof(Scratch),
    .text = true,
};
