/*
 * Cells of a text table by RFC 4180: a quoted cell may contain the delimiter, newlines and doubled
 * quotes. Extensions: blanks around a cell are ignored, lines end in LF or CRLF, and a quote inside
 * an unquoted cell is an ordinary byte (5" nails). Bytes above 127 are unchanged; control bytes are
 * errors, because the file is then not text.
 */
#include "read/csv.h"

#include <stdio.h>

#define LONGEST_RECORD ((size_t)1 << 28) /* a quote that is open for longer is an error */

void clv_csv_dialect(CsvDialect *dialect, char delimiter)
{
    *dialect = (CsvDialect){.delimiter = delimiter};
    for (int c = 0; c < 0x20; c++)
        if (c != '\t')
            dialect->stops[c] = STOP_PLAIN | STOP_QUOTED;
    dialect->stops['\r'] = STOP_PLAIN;
    dialect->stops['"'] |= STOP_QUOTED;
    dialect->stops[(unsigned char)delimiter] |= STOP_PLAIN;
}

static const char *problem(CsvScan *scan, CsvTrouble kind, CsvPlace place)
{
    scan->problem = kind;
    scan->problem_place = place;
    return NULL;
}

static CsvPlace place_of(const CsvScan *scan, const char *at)
{
    return (CsvPlace){.at = at, .line_start = scan->line_start, .line = scan->line};
}

static const char *skip_blanks(const CsvScan *scan, const char *p)
{
    while (csv_is_blank(*p, scan->dialect->delimiter))
        p++;
    return p;
}

/* Returns whether a cell may end at p. */
static bool at_cell_end(const CsvScan *scan, const char *p)
{
    return *p == scan->dialect->delimiter || *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static const char *plain_cell(CsvScan *scan, const char *p, CsvCell *cell)
{
    const unsigned char *stops = scan->dialect->stops;
    const char *last;

    cell->text = p;
    while (!(stops[(unsigned char)*p] & STOP_PLAIN))
        p++;
    if (!at_cell_end(scan, p))
        return problem(scan, PROBLEM_BYTE, place_of(scan, p));
    for (last = p; last > cell->text && csv_is_blank(last[-1], scan->dialect->delimiter); last--)
        continue;
    cell->length = (size_t)(last - cell->text);
    return p;
}

/* Returns the closing quote of a cell whose content starts at p; *doubled counts doubled quotes. */
static const char *closing_quote(CsvScan *scan, const char *p, const CsvCell *cell, size_t *doubled)
{
    const unsigned char *stops = scan->dialect->stops;

    for (;; p++) {
        while (!(stops[(unsigned char)*p] & STOP_QUOTED))
            p++;
        if (*p == '"') {
            if (p[1] != '"')
                return p;
            ++*doubled;
            p++;
        } else if (*p == '\n') {
            if (p >= scan->end)
                return problem(scan, PROBLEM_OPEN, cell->place);
            scan->line++;
            scan->line_start = p + 1;
        } else {
            return problem(scan, PROBLEM_BYTE, place_of(scan, p));
        }
    }
}

/* Copies the content with single instead of doubled quotes. */
static Status undouble(CsvScan *scan, CsvCell *cell)
{
    const char *from = cell->text, *stop = cell->text + cell->length;
    char *to;

    if (!scan->spare || scan->spare_capacity < (size_t)(scan->end - scan->start)) {
        clv_free(scan->context, scan->spare);
        scan->spare_capacity = (size_t)(scan->end - scan->start);
        scan->spare = clv_alloc(scan->context, scan->spare_capacity, 1);
        scan->spare_size = 0;
        if (!scan->spare)
            return CLEAVE_ERROR_MEMORY;
    }
    to = scan->spare + scan->spare_size;
    cell->text = to;
    while (from < stop) {
        from += *from == '"';
        *to++ = *from++;
    }
    cell->length = (size_t)(to - cell->text);
    cell->copied = true;
    scan->spare_size += cell->length;
    return OK;
}

static const char *quoted_cell(CsvScan *scan, const char *p, CsvCell *cell)
{
    size_t doubled = 0;
    const char *close = closing_quote(scan, p + 1, cell, &doubled);

    if (!close)
        return NULL;
    cell->text = p + 1;
    cell->length = (size_t)(close - cell->text);
    if (doubled && scan->context && undouble(scan, cell) != OK)
        return problem(scan, PROBLEM_MEMORY, cell->place);
    p = skip_blanks(scan, close + 1);
    if (!at_cell_end(scan, p))
        return problem(scan, PROBLEM_AFTER_QUOTE, place_of(scan, p));
    return p;
}

const char *clv_csv_cell(CsvScan *scan, const char *p, CsvCell *cell)
{
    p = skip_blanks(scan, p);
    cell->place = place_of(scan, p);
    cell->copied = false;
    return *p == '"' ? quoted_cell(scan, p, cell) : plain_cell(scan, p, cell);
}

const char *clv_csv_next_line(CsvScan *scan, const char *p)
{
    p += *p == '\r';
    p += *p == '\n';
    scan->line++;
    scan->line_start = p;
    return p;
}

const char *clv_csv_skip_blank(CsvScan *scan, const char *p)
{
    while (p < scan->end) {
        const char *q = skip_blanks(scan, p);

        if (*q != '\n' && !(*q == '\r' && q[1] == '\n'))
            break;
        p = clv_csv_next_line(scan, q);
    }
    return p < scan->end ? p : scan->end;
}

uint32_t clv_csv_count(CsvScan *scan, const char *p, const char **next)
{
    uint32_t count = 0;
    CsvCell cell;

    for (;; p++) {
        p = clv_csv_cell(scan, p, &cell);
        count++;
        if (!p) {
            *next = NULL;
            return count;
        }
        if (csv_at_line_end(p))
            break;
    }
    *next = clv_csv_next_line(scan, p);
    return count;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* Returns the position after the last newline in [from, to), or NULL. */
static const char *after_last_newline(const char *from, const char *to)
{
    while (to > from && to[-1] != '\n')
        to--;
    return to > from ? to : NULL;
}

/* A quote starts a cell if only blanks lie between it and a delimiter, a newline or the start. */
static bool opens(const char *start, const char *quote, char delimiter)
{
    while (quote > start && csv_is_blank(quote[-1], delimiter))
        quote--;
    return quote == start || quote[-1] == delimiter || quote[-1] == '\n';
}

/* Returns the position after the closing quote of a cell that was opened before p. Returns NULL if
 * the cell does not end before p. */
static const char *past_quoted(const char *p, const char *end)
{
    while ((p = memchr(p, '"', (size_t)(end - p)))) {
        if (p + 1 == end)
            return NULL; /* only the next byte shows whether the quote is doubled */
        if (p[1] != '"')
            return p + 1;
        p += 2;
    }
    return NULL;
}

size_t clv_csv_cut(char delimiter, const char *text, size_t size)
{
    const char *end = text + size, *p = text, *best = text, *after, *quote;

    while ((quote = memchr(p, '"', (size_t)(end - p)))) {
        const char *next = quote + 1;

        after = after_last_newline(p, quote);
        best = after ? after : best;
        if (opens(text, quote, delimiter))
            next = past_quoted(next, end);
        if (!next)
            return best == text && size >= LONGEST_RECORD ? size : (size_t)(best - text);
        p = next;
    }
    after = after_last_newline(p, end);
    return (size_t)((after ? after : best) - text);
}

/* Positions of the next byte within a record. */
enum { BEFORE_CELL, IN_PLAIN_CELL, IN_QUOTES, AFTER_QUOTE };

size_t clv_csv_record_end(char delimiter, unsigned *state, const char *text, size_t size)
{
    const char *end = text + size;

    for (const char *p = text; p < end; p++) {
        if (*state == IN_QUOTES) {
            p = memchr(p, '"', (size_t)(end - p));
            if (!p)
                return 0;
            *state = AFTER_QUOTE;
        } else if (*state == AFTER_QUOTE && *p == '"') {
            *state = IN_QUOTES; /* the second of two quotes */
        } else if (*p == '\n') {
            *state = BEFORE_CELL;
            return (size_t)(p - text) + 1;
        } else if (*p == delimiter) {
            *state = BEFORE_CELL;
        } else if (*state != BEFORE_CELL || !csv_is_blank(*p, delimiter)) {
            *state = *state == BEFORE_CELL && *p == '"' ? IN_QUOTES : IN_PLAIN_CELL;
        }
    }
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

void clv_csv_format_error(const CsvScan *scan, CsvErrorText *error_text)
{
    const char *at = scan->problem_place.at, *stop = at;
    char quoted[QUOTE_SIZE];

    error_text->hint = "";
    switch (scan->problem) {
    case PROBLEM_OPEN:
        snprintf(error_text->message, sizeof error_text->message, "this quote is not closed");
        error_text->hint = "write a quote inside a quoted cell twice: \"\"";
        break;
    case PROBLEM_AFTER_QUOTE:
        while (stop < scan->end && stop < at + 16 && *stop != '\n' && *stop != '\r')
            stop++;
        snprintf(error_text->message, sizeof error_text->message,
                 "expected the delimiter or the end of the line after a closing quote, found '%s'",
                 clv_quote(quoted, at, (size_t)(stop - at)));
        error_text->hint = "write a quote inside a quoted cell twice: \"\"";
        break;
    case PROBLEM_MEMORY:
        snprintf(error_text->message, sizeof error_text->message, "not enough memory for a cell");
        break;
    default:
        snprintf(error_text->message, sizeof error_text->message,
                 "expected text, found the byte 0x%02x", (unsigned char)*at);
        error_text->hint =
            *at == '\r' ? "end lines with LF or CRLF; a carriage return alone is not a line end"
                        : "set the format with --format if the file is not a text table";
        break;
    }
}
