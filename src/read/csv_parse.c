/* Parses the rows of a table: cells to numbers, categories, dates, words and labels of the
 * chunk. */
#include "read/csv_rows.h"

#include <float.h>
#include <math.h>

typedef struct {
    const CsvState *state;
    const CsvLayout *layout;
    Chunk *chunk;
    CsvScratch *scratch;
    Context *context;
    CsvScan scan;
    bool dense;     /* rows are added to the builder */
    bool row_dense; /* the builder contained the current row from its start */
    uint64_t zeros; /* the bytes of four zero cells */
    bool in_parts;  /* other readers may start at any newline, so cells must not contain one */
    CsvRow row;     /* the current row */
    bool guided;    /* a model determines the kinds of the columns */
    const char *cell_end; /* of the current cell, and its number */
    uint32_t cell_index;
    const Reader *filter;   /* NULL if all classes are kept */
    uint32_t label_column;  /* label column of a filter */
    const char *label_text; /* label text of the previous row */
    size_t label_length;
    uint32_t label;
} Parser;

/* ---- errors ---------------------------------------------------------------------------------- */

/* Fails at a line break in a cell. Another part may start inside such a cell, so the result would
 * be uncertain. */
static void refuse_line_break(Parser *parser, uint64_t line)
{
    clv_chunk_fail(parser->chunk, line, 0, CLEAVE_ERROR_DATA,
                   "a quoted cell contains a line end; such a table cannot be read in parts");
    clv_chunk_hint(
        parser->chunk,
        "convert the table to a dataset with 'cleave convert'; a dataset can be read in parts");
}

static const char *fail_problem(Parser *parser)
{
    const CsvScan *scan = &parser->scan;
    CsvErrorText error_text;

    if (parser->in_parts && scan->problem == PROBLEM_OPEN) {
        refuse_line_break(parser, scan->problem_place.line);
        return NULL;
    }
    clv_csv_format_error(scan, &error_text);
    clv_chunk_fail(parser->chunk, scan->problem_place.line, csv_column(&scan->problem_place),
                   scan->problem == PROBLEM_MEMORY ? CLEAVE_ERROR_MEMORY : CLEAVE_ERROR_DATA, "%s",
                   error_text.message);
    if (error_text.hint[0])
        clv_chunk_hint(parser->chunk, "%s", error_text.hint);
    return NULL;
}

/* Records a memory error whose message is formatted already. */
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
                   "expected %u columns as in the %s, found %u", layout->count,
                   layout->header ? "header" : "first row", found);
    if (found > layout->count)
        clv_chunk_hint(parser->chunk, "put a cell that contains the delimiter in quotes");
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

/* A bad value is often the result of a row with more or fewer cells than columns, as one with a
 * delimiter in a cell without quotes. Reports such a row, and returns whether it did. */
static bool fail_miscount(Parser *parser, const CsvCell *cell)
{
    uint32_t count = parser->cell_index + 1;
    CsvScan rest = parser->scan;
    const char *next = parser->cell_end;

    rest.context = NULL;
    if (!csv_at_line_end(parser->cell_end))
        count += clv_csv_count(&rest, parser->cell_end + 1, &next);
    if (!next || count == parser->layout->count)
        return false;
    fail_count(parser, cell->place.at, count);
    return true;
}

static const char *fail_number(Parser *parser, const CsvColumn *column, const CsvCell *cell,
                               CellClass class)
{
    Chunk *chunk = parser->chunk;
    char title[QUOTE_SIZE], text[QUOTE_SIZE], number[COMMA_NUMBER_SIZE + NUMBER_SLACK];

    if (fail_miscount(parser, cell))
        return NULL;
    clv_quote(title, column->title, strlen(column->title));
    clv_quote(text, cell->text, cell->length);
    if (class == CELL_TEXT) {
        clv_chunk_fail(chunk, cell->place.line, csv_column(&cell->place), CLEAVE_ERROR_DATA,
                       "column '%s': expected a number, found '%s'", title, text);
        if (!parser->state->missing.decimal_comma &&
            clv_csv_decimal_point(&(CsvMissing){.decimal_comma = true}, cell, number) > 0)
            clv_chunk_hint(chunk, "pass --decimal comma to read '%s' as a number", text);
        else if (parser->guided)
            clv_chunk_hint(chunk,
                           "the model reads this column as numbers: correct the cell, or pass "
                           "--missing %s if it means a missing value",
                           text);
        else
            clv_chunk_hint(
                chunk,
                "pass --columns %s=category to read the column as categories; if the cell means a "
                "missing value, pass --missing %s",
                title, text);
    } else {
        clv_chunk_fail(chunk, cell->place.line, csv_column(&cell->place), CLEAVE_ERROR_DATA,
                       "column '%s': the value is %s: '%s'", title,
                       class == CELL_TOO_LARGE ? "too large for a 32-bit number" : "not finite",
                       text);
        clv_chunk_hint(chunk, "if the cell means a missing value, pass --missing %s", text);
    }
    return NULL;
}

/* ---- values of the chunk --------------------------------------------------------------------- */

static bool same_value(const void *owner, const void *wanted, uint32_t entry)
{
    const CsvValue *value = &((const CsvScratch *)owner)->values[entry], *other = wanted;

    return value->column == other->column && value->length == other->length &&
           memcmp(value->text, other->text, other->length) == 0;
}

/* Adds a value, new or known in this chunk, to the current row. */
static Status add_value(Context *context, CsvScratch *scratch, uint32_t column, const char *text,
                        size_t length, cleave_error *error)
{
    CsvValue wanted = {.text = text, .length = length, .column = column};
    uint64_t hash = clv_keyed_hash(context->hash_key, text, length, column);
    HashSlot *slot;

    TRY(clv_hash_table_reserve(context, &scratch->table, scratch->value_count,
                               "values of categories", error));
    slot = hash_table_find(&scratch->table, hash, same_value, scratch, &wanted);
    if (!slot->entry) {
        TRY(GROW(context, scratch->values, scratch->values_capacity, scratch->value_count + 1,
                 error));
        scratch->values[scratch->value_count] = wanted;
        hash_table_fill(slot, hash, (uint32_t)scratch->value_count++);
    }
    TRY(GROW(context, scratch->row_values, scratch->row_values_capacity,
             scratch->row_value_count + 1, error));
    scratch->row_values[scratch->row_value_count++] = slot->entry - 1;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status reserve_entries(Parser *parser, size_t count, cleave_error *error)
{
    CsvScratch *scratch = parser->scratch;

    return GROW(parser->context, scratch->entries, scratch->entries_capacity,
                scratch->entry_count + count, error);
}

/* Adds the nonzeros of a row. */
static Status keep_numbers(Parser *parser, const float *numbers, CsvRow *row, cleave_error *error)
{
    const CsvLayout *layout = parser->layout;
    CsvScratch *scratch = parser->scratch;
    size_t count = scratch->entry_count;

    TRY(reserve_entries(parser, layout->numbers, error));
    for (uint32_t i = 0; i < layout->numbers; i++) { /* a 0 is also written, and then overwritten */
        scratch->entries[count] = (BuilderEntry){.column = layout->feature[i], .value = numbers[i]};
        count += numbers[i] != 0;
    }
    row->entry_end = scratch->entry_count = count;
    return OK;
}

/* Called at the first missing number: moves the numbers of the previous rows from the builder to
 * the scratch space. */
static Status leave_dense(Parser *parser, cleave_error *error)
{
    Builder *builder = &parser->chunk->builder;

    for (size_t row = 0; row < builder->rows; row++)
        TRY(keep_numbers(parser, builder->value + row * parser->layout->numbers,
                         &parser->scratch->rows[row], error));
    clv_builder_clear(builder);
    parser->dense = false;
    return OK;
}

Status clv_csv_add_extras(Builder *builder, const CsvLayout *layout, const CsvRow *row,
                          cleave_error *error)
{
    TRY(clv_builder_set_line(builder, row->line, error));
    return layout->weighted ? clv_builder_set_weight(builder, row->weight, error) : OK;
}

static Status end_row(Parser *parser, cleave_error *error)
{
    CsvScratch *scratch = parser->scratch;
    Builder *builder = &parser->chunk->builder;

    if (parser->layout->worded)
        clv_words_end_unlabeled(&scratch->words, parser->row.line);
    TRY(GROW(parser->context, scratch->rows, scratch->rows_capacity, scratch->row_count + 1,
             error));
    if (parser->row_dense && !parser->dense)
        TRY(keep_numbers(parser, scratch->current, &parser->row, error));
    parser->row.entry_end = scratch->entry_count;
    parser->row.value_end = scratch->row_value_count;
    scratch->rows[scratch->row_count++] = parser->row;
    if (!parser->dense)
        return OK;
    TRY(clv_builder_add_dense(builder, scratch->current, parser->layout->numbers, parser->row.label,
                              error));
    return clv_csv_add_extras(builder, parser->layout, &parser->row, error);
}

/* ---- cells that are not plain numbers -------------------------------------------------------- */

static bool take_missing(Parser *parser, uint32_t column, const char *mark)
{
    cleave_error error;

    if ((!parser->dense || leave_dense(parser, &error) == OK) &&
        add_value(parser->context, parser->scratch, column, mark, strlen(mark), &error) == OK)
        return true;
    fail_memory(parser, &error);
    return false;
}

/* Writes a number. Memory for all numbers of the row is reserved already. */
static void put_number(Parser *parser, uint32_t slot, float value)
{
    CsvScratch *scratch = parser->scratch;

    if (parser->row_dense)
        scratch->current[slot] = value;
    else if (value != 0)
        scratch->entries[scratch->entry_count++] = (BuilderEntry){
            .column = parser->layout->feature[slot], .value = value};
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
        return take_missing(parser, index, "?");
    default:
        return fail_number(parser, column, cell, class);
    }
}

static bool take_missing_date(Parser *parser, uint32_t index)
{
    static const char *const marks[DATE_PARTS] = {".days=?", ".year=?",    ".month=?",
                                                  ".day=?",  ".weekday=?", ".hour=?"};
    const CsvColumn *column = &parser->layout->column[index];

    for (int part = 0; part < DATE_PARTS; part++) {
        if (column->part_slot[part] == CSV_NOWHERE)
            continue;
        put_number(parser, column->part_slot[part], 0);
        if (!take_missing(parser, index, marks[part]))
            return false;
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
        if (!fail_miscount(parser, cell))
            clv_csv_fail_date(parser->chunk, column, cell, parser->guided);
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

    if (add_value(parser->context, parser->scratch, index, missing ? "?" : cell->text,
                  missing ? 1 : cell->length, &error) == OK)
        return true;
    fail_memory(parser, &error);
    return false;
}

static bool take_text(Parser *parser, const CsvColumn *column, const CsvCell *cell)
{
    cleave_error error;

    if (clv_csv_is_missing(&parser->state->missing, cell) ||
        clv_words_text(&parser->scratch->words, column->prefix, cell->text,
                       cell->text + cell->length, &error) == OK)
        return true;
    fail_memory(parser, &error);
    return false;
}

/* Reads the label. The label of the previous row is cached, because often many rows in succession
 * have the same label. A cell listed in --missing is not a label. */
static bool take_label(Parser *parser, const CsvCell *cell)
{
    CsvRow *row = &parser->row;
    char number[COMMA_NUMBER_SIZE + NUMBER_SLACK];
    size_t length;

    if (clv_csv_is_missing(&parser->state->missing, cell))
        return clv_chunk_label(parser->chunk, "", 0, cell->place.line, &row->label) == OK;
    if (cell->length == parser->label_length && parser->label_text &&
        memcmp(cell->text, parser->label_text, cell->length) == 0) {
        row->label = parser->label;
        parser->chunk->labels.list[row->label].count++;
        return true;
    }
    length = clv_csv_decimal_point(&parser->state->missing, cell, number);
    if (clv_chunk_label(parser->chunk, length ? number : cell->text, length ? length : cell->length,
                        cell->place.line, &row->label) != OK)
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

    if (clv_csv_classify(&parser->state->missing, cell, &value) != CELL_NUMBER || value < 0) {
        char title[QUOTE_SIZE], text[QUOTE_SIZE];

        clv_chunk_fail(parser->chunk, cell->place.line, csv_column(&cell->place), CLEAVE_ERROR_DATA,
                       "column '%s': expected a non-negative sample weight, found '%s'",
                       clv_quote(title, column->title, strlen(column->title)),
                       clv_quote(text, cell->text, cell->length));
        return false;
    }
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

/* Skips the cell at p and its delimiter. Returns NULL after an error. */
static const char *slow_cell(Parser *parser, const char *p, uint32_t index)
{
    bool last = index + 1 == parser->layout->count;
    CsvCell cell;

    p = clv_csv_cell(&parser->scan, p, &cell);
    if (!p)
        return fail_problem(parser);
    if (csv_at_line_end(p) != last)
        return last ? fail_extra(parser, p) : fail_count(parser, p, index + 1);
    parser->cell_end = p;
    parser->cell_index = index;
    if (!take_cell(parser, index, &cell))
        return NULL;
    return last ? p + 1 + (*p == '\r') : p + 1;
}

/* ---- the hot loop ---------------------------------------------------------------------------- */

static inline uint64_t eight_bytes(const char *p)
{
    uint64_t bytes;

    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

/* Returns a mask with ones in the first `count` of eight bytes. */
static inline uint64_t mask_of(size_t count)
{
    return count >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * count) - 1;
}

/* Caches a cell with a number of at most seven bytes. */
static inline void remember_number(CsvLastCell *cell, const char *p, const char *next, float value)
{
    size_t length = (size_t)(next - p);

    if (length > 8)
        return;
    cell->mask = mask_of(length);
    cell->bytes = eight_bytes(p) & cell->mask;
    cell->length = (uint32_t)length;
    cell->entry.value = value;
}

/* Caches a cell with a category or a label of at most fifteen bytes. Quoted cells may contain line
 * ends, which must be counted. */
static void remember_text(CsvLastCell *cell, const char *p, const char *next, uint32_t number)
{
    size_t length = (size_t)(next - p);

    if (length > 16 || *p == '"')
        return;
    cell->mask = mask_of(length);
    cell->bytes = eight_bytes(p) & cell->mask;
    cell->more_mask = length > 8 ? mask_of(length - 8) : 0;
    cell->more_bytes = eight_bytes(p + 8) & cell->more_mask;
    cell->length = (uint32_t)length;
    cell->number = number;
}

/* Returns whether the cell at p equals the cached category or label. */
static inline bool is_text_again(const CsvLastCell *cell, const char *p)
{
    return (eight_bytes(p) & cell->mask) == cell->bytes &&
           (eight_bytes(p + 8) & cell->more_mask) == cell->more_bytes;
}

/* Skips a cell that is not a number. Returns NULL after an error. */
static const char *other_cell(Parser *parser, const char *p, uint32_t index)
{
    CsvScratch *scratch = parser->scratch;
    CsvLastCell *cell = &scratch->cell[index];
    const char *next;

    if (cell->kind == COLUMN_CATEGORY && is_text_again(cell, p)) {
        cleave_error error;

        if (GROW(parser->context, scratch->row_values, scratch->row_values_capacity,
                 scratch->row_value_count + 1, &error) != OK)
            return fail_memory(parser, &error);
        scratch->row_values[scratch->row_value_count++] = cell->number;
        return p + cell->length;
    }
    if (cell->kind == COLUMN_LABEL && is_text_again(cell, p)) {
        parser->row.label = cell->number;
        parser->chunk->labels.list[cell->number].count++;
        return p + cell->length;
    }
    next = slow_cell(parser, p, index);
    if (next && cell->kind == COLUMN_CATEGORY)
        remember_text(cell, p, next, scratch->row_values[scratch->row_value_count - 1]);
    else if (next && cell->kind == COLUMN_LABEL && parser->row.label != UNLABELED)
        remember_text(cell, p, next, parser->row.label);
    return next;
}

/* Skips a number that ends with its cell. Returns NULL otherwise. */
static inline const char *number_cell(CsvLastCell *cell, const char *p, const char *end,
                                      float *value)
{
    unsigned digit = (unsigned)(unsigned char)*p - '0', count;
    uint64_t whole;
    const char *after;

    /* a single digit: counts, flags and numeric categories */
    if (digit < 10 && p[1] == cell->after) {
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

/* Skips the row at p. Returns NULL after an error. Cells that are not plain numbers take the slow
 * path. */
static inline __attribute__((always_inline)) const char *parse_row(Parser *parser, const char *p,
                                                                   bool dense)
{
    CsvScratch *scratch = parser->scratch;
    const char *end = parser->scan.end, *next;
    CsvLastCell *cell = scratch->cell, *stop = cell + parser->layout->count;
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
            } else { /* a 0 is also written, and then overwritten */
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

/* Skips the row at p and keeps its nonzero numbers. There is one more entry than numbers, for a 0
 * at the end of the row. */
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
    CsvScratch *scratch = parser->scratch;

    TRY(GROW(parser->context, scratch->current, scratch->current_capacity, layout->numbers, error));
    TRY(GROW(parser->context, scratch->cell, scratch->cell_capacity, layout->count, error));
    for (uint32_t i = 0; i < layout->count; i++) {
        const CsvColumn *column = &layout->column[i];
        bool number = column->kind == COLUMN_NUMBER;

        scratch->cell[i] = (CsvLastCell){
            .kind = (uint8_t)column->kind, .after = column->after, .slot = column->slot};
        scratch->cell[i].entry.column = number ? layout->feature[column->slot] : 0;
        scratch->cell[i].mask = 0;
        scratch->cell[i].bytes = 1;
    }
    for (uint32_t i = 0; i + 4 < layout->count; i++) {
        const CsvLastCell *cell = &scratch->cell[i];

        scratch->cell[i].zeros = cell[0].kind == COLUMN_NUMBER && cell[1].kind == COLUMN_NUMBER &&
                                 cell[2].kind == COLUMN_NUMBER && cell[3].kind == COLUMN_NUMBER;
    }
    for (size_t i = 0; i < sizeof zeros; i++)
        zeros[i] = i % 2 == 0 ? '0' : layout->dialect.delimiter;
    memcpy(&parser->zeros, zeros, sizeof zeros);
    return OK;
}

/* Fails if the current row spans several lines. Returns whether it does. */
static bool fail_line_break(Parser *parser)
{
    if (parser->scan.line == parser->row.line)
        return false;
    refuse_line_break(parser, parser->row.line);
    return true;
}

/* Skips the row at *at if --classes drops it: its label is looked up before its cells are stored.
 * The parser reports rows with an error. */
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
        parser->row = (CsvRow){.label = UNLABELED, .weight = 1, .line = scan->line};
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

/* Fails at a last line that ends in a delimiter, without a newline: it has lost at least one
 * cell. */
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
    clv_chunk_fail(
        chunk, line, chunk->size - start, CLEAVE_ERROR_DATA,
        "the file is incomplete: its last line ends with a delimiter and has no newline");
    clv_chunk_hint(chunk, "pass --allow-cut to read up to the last complete line");
}

void clv_csv_parse(const Reader *reader, Chunk *chunk)
{
    const CsvState *state = reader->state;
    CsvScratch *scratch = chunk->scratch;
    Parser parser = {.state = state,
                     .layout = &state->layout,
                     .chunk = chunk,
                     .scratch = scratch,
                     .context = reader->source.context,
                     .dense = state->layout.dense,
                     .guided = reader->guide_schema != NULL,
                     .in_parts = reader->options.ranged};
    cleave_error error;
    const CsvLayout *layout = parser.layout;

    parser.scan = (CsvScan){.dialect = &state->layout.dialect,
                            .context = parser.context,
                            .start = chunk->text,
                            .end = chunk->text + chunk->size,
                            .line_start = chunk->text,
                            .line = 1,
                            .spare = scratch->spare,
                            .spare_capacity = scratch->spare_capacity};
    for (uint32_t i = 0; reader->options.classes && i < layout->count && !parser.filter; i++)
        if (layout->column[i].kind == COLUMN_LABEL) {
            parser.filter = reader;
            parser.label_column = i;
        }
    if (scratch->value_count)
        clv_hash_table_clear(&scratch->table);
    scratch->entry_count = scratch->row_count = scratch->row_value_count = scratch->value_count = 0;
    if (state->layout.worded)
        clv_words_clear(&scratch->words, reader);
    if (begin_cells(&parser, &error) == OK)
        parse_rows(&parser);
    else
        fail_memory(&parser, &error);
    if (chunk->status == OK && chunk->unfinished &&
        chunk->text[chunk->size - 1] == state->layout.dialect.delimiter)
        fail_cut(chunk);
    scratch->spare = parser.scan.spare;
    scratch->spare_capacity = parser.scan.spare_capacity;
}
