#include "read/records.h"

#include "base/cell.h"
#include "read/csv.h"

typedef struct {
    const char *start, *stop; /* the cell with its quotes and blanks */
} Slice;

struct RecordTap {
    RecordSink sink;
    char delimiter;  /* delimiter of the output; 0: not known before the first file */
    bool begun;      /* the columns of the first file are known */
    uint32_t file;   /* file to which `place` belongs */
    uint32_t count;  /* number of columns of the output */
    char **name;     /* name of each column */
    uint32_t *place; /* per output column: its column in the current file; CSV_NOWHERE: none */
    bool verbatim;   /* records of the current file need no change */
    bool crlf;       /* the last line end was CR LF */
    Slice *slice;    /* cells of the record being read */
    size_t slice_capacity;
    Buffer line;
};

/* ---- attaching ------------------------------------------------------------------------------- */

static bool is_table(const Format *format)
{
    return format == &clv_format_csv || format == &clv_format_tsv;
}

bool clv_records_rewindable(const Source *source)
{
    const Reader *reader = clv_reader_of(source);

    return reader && clv_reader_rewindable(reader);
}

/* Returns whether the options request word features, which are not cells. */
static bool requests_words(const ReadOptions *options)
{
    return options->stop_words || options->stem || options->ngrams || options->chars ||
           options->hash_bits || options->hash_names || options->keep_case || options->sequence;
}

bool clv_records_fit(const Source *source, const char *format)
{
    const Reader *reader = clv_reader_of(source);

    if (!reader || !format || reader->guide_schema || reader->options.ranged ||
        requests_words(&reader->options))
        return false;
    if (reader->format == &clv_format_text)
        return strcmp(format, "tsv") == 0;
    return is_table(reader->format) && (strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0);
}

Status clv_records_attach(Source *source, const char *format, const RecordSink *sink,
                          cleave_error *error)
{
    Reader *reader = clv_reader_of(source);
    struct RecordTap *records;

    if (reader->options.trim_labels || reader->options.weights)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE,
            "write a .cleave dataset, or write features with 'convert --transform'",
            "--%s has no effect here: %s is copied cell by cell",
            reader->options.weights ? "weights" : "trim-labels", reader->path);
    TRY(ALLOC_ZERO(source->context, records, 1, "records", error));
    clv_records_free(reader);
    records->sink = *sink;
    if (strcmp(format, reader->format->name) != 0)
        records->delimiter = strcmp(format, "tsv") == 0 ? '\t' : ',';
    reader->tap = records;
    return OK;
}

void clv_records_free(Reader *reader)
{
    struct RecordTap *records = reader->tap;
    Context *context = reader->source.context;

    if (!records)
        return;
    for (uint32_t i = 0; records->name && i < records->count; i++)
        clv_free(context, records->name[i]);
    FREE(context, records->name, records->place, records->slice, records->line.data, records);
    reader->tap = NULL;
}

uint32_t clv_records_columns(const Source *source)
{
    const Reader *reader = clv_reader_of(source);

    return reader && reader->tap ? reader->tap->count : 0;
}

void clv_records_detach(Source *source)
{
    Reader *reader = clv_reader_of(source);

    if (reader)
        clv_records_free(reader);
}

/* ---- columns --------------------------------------------------------------------------------- */

static const char *column_name(const CsvColumn *column)
{
    return column->name ? column->name : column->title;
}

/* Marks the columns that --columns ignores. */
static Status find_ignored(const Reader *reader, const CsvLayout *layout, bool *ignored,
                           cleave_error *error)
{
    for (const char *list = reader->options.columns; list && *list;) {
        CsvEntry entry;

        TRY(clv_csv_next_entry(reader, layout, &list, &entry, error));
        ignored[entry.column] = entry.kind == COLUMN_IGNORE;
    }
    return OK;
}

/* Chooses the columns of the first file that are not ignored. */
static Status choose_columns(Context *context, struct RecordTap *records, const CsvLayout *layout,
                             const bool *ignored, cleave_error *error)
{
    records->name = clv_alloc_zero(context, layout->count, sizeof *records->name);
    records->place = clv_alloc_zero(context, layout->count, sizeof *records->place);
    if (!records->name || !records->place)
        return clv_fail_memory(error, "the columns of a table",
                               layout->count * sizeof *records->name);
    for (uint32_t i = 0; i < layout->count; i++) {
        const CsvColumn *column = &layout->column[i];
        const char *name = column_name(column);

        if (ignored[i])
            continue;
        records->name[records->count] = clv_copy_string(context, name, strlen(name));
        if (!records->name[records->count])
            return clv_fail_memory(error, "the name of a column", strlen(name));
        records->place[records->count++] = i;
    }
    if (records->delimiter == 0)
        records->delimiter = layout->dialect.delimiter;
    return OK;
}

static bool in_place(const struct RecordTap *records, const CsvLayout *layout)
{
    if (records->sink.safe || records->count != layout->count ||
        records->delimiter != layout->dialect.delimiter)
        return false;
    for (uint32_t i = 0; i < records->count; i++)
        if (records->place[i] != i)
            return false;
    return true;
}

/* ---- records --------------------------------------------------------------------------------- */

/* before: text that is inserted after the opening quote. */
static Status add_quoted(Context *context, Buffer *line, const char *before, const char *text,
                         size_t length, cleave_error *error)
{
    TRY(clv_buffer_add(context, line, "\"", 1, error));
    TRY(clv_buffer_add(context, line, before, strlen(before), error));
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            TRY(clv_buffer_add(context, line, "\"", 1, error));
        TRY(clv_buffer_add(context, line, text + i, 1, error));
    }
    return clv_buffer_add(context, line, "\"", 1, error);
}

/* Whether a slice has more text; that of a quoted cell ends at the closing quote. */
static bool runs(const struct RecordTap *records, const char *text, size_t length,
                 bool stands_quoted)
{
    const char *quote = stands_quoted ? memchr(text, '"', length) : NULL;

    return records->sink.safe && clv_cell_runs(text, quote ? (size_t)(quote - text) : length);
}

/* Copies a cell, quoted if it contains the output delimiter. */
static Status add_cell(Context *context, struct RecordTap *records, const char *text, size_t length,
                       bool stands_quoted, cleave_error *error)
{
    bool breaks = !stands_quoted &&
                  (memchr(text, records->delimiter, length) || memchr(text, '\n', length));
    size_t inside = stands_quoted ? (size_t)((const char *)memchr(text, '"', length) - text) + 1
                                  : 0;
    const char *mark = runs(records, text + inside, length - inside, stands_quoted) ? "'" : "";

    if (breaks)
        return add_quoted(context, &records->line, mark, text, length, error);
    TRY(clv_buffer_add(context, &records->line, text, inside, error));
    TRY(clv_buffer_add(context, &records->line, mark, strlen(mark), error));
    return clv_buffer_add(context, &records->line, text + inside, length - inside, error);
}

static bool is_quoted(const Slice *slice, char delimiter)
{
    const char *p = slice->start;

    while (p < slice->stop && csv_is_blank(*p, delimiter))
        p++;
    return p < slice->stop && *p == '"';
}

static Status put_record(Context *context, struct RecordTap *records, const CsvLayout *layout,
                         uint64_t row, bool renamed, cleave_error *error)
{
    records->line.size = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        uint32_t place = records->place[i];
        const Slice *slice = place == CSV_NOWHERE ? NULL : &records->slice[place];

        if (i > 0)
            TRY(clv_buffer_add(context, &records->line, &records->delimiter, 1, error));
        if (renamed)
            TRY(add_cell(context, records, records->name[i], strlen(records->name[i]), false,
                         error));
        else if (slice)
            TRY(add_cell(context, records, slice->start, (size_t)(slice->stop - slice->start),
                         is_quoted(slice, layout->dialect.delimiter), error));
    }
    TRY(clv_buffer_add(context, &records->line, "\n", 1, error));
    return records->sink.take(records->sink.user, row, records->line.data, records->line.size,
                              error);
}

/* Copies unchanged bytes, and adds a missing line end at the end of the file. */
static Status put_bytes(Context *context, struct RecordTap *records, uint64_t row,
                        const char *bytes, size_t size, cleave_error *error)
{
    if (size && bytes[size - 1] == '\n') {
        records->crlf = size > 1 && bytes[size - 2] == '\r';
        return records->sink.take(records->sink.user, row, bytes, size, error);
    }
    records->line.size = 0;
    TRY(clv_buffer_add(context, &records->line, bytes, size, error));
    TRY(clv_buffer_add(context, &records->line, records->crlf ? "\r\n" : "\n", 1 + records->crlf,
                       error));
    return records->sink.take(records->sink.user, row, records->line.data, records->line.size,
                              error);
}

/* Splits the record at p into slices; returns the position after its line end. */
static Status cut_record(Context *context, struct RecordTap *records, CsvScan *scan, const char *p,
                         const char **next, uint32_t *count, cleave_error *error)
{
    for (*count = 0;; p++) {
        CsvCell cell;
        const char *start = p;

        TRY(GROW(context, records->slice, records->slice_capacity, (size_t)*count + 1, error));
        p = clv_csv_cell(scan, p, &cell);
        if (!p)
            return clv_fail(error, CLEAVE_ERROR_INTERNAL, "a record cannot be read a second time");
        records->slice[(*count)++] = (Slice){.start = start, .stop = p};
        if (csv_at_line_end(p))
            break;
    }
    *next = clv_csv_next_line(scan, p);
    if (*next > scan->end)
        *next = scan->end;
    return OK;
}

static CsvScan scan_of(const CsvLayout *layout, const char *text, size_t size)
{
    return (CsvScan){.dialect = &layout->dialect,
                     .start = text,
                     .end = text + size,
                     .line_start = text,
                     .line = 1};
}

static Status put_header(const Reader *reader, const CsvState *state, cleave_error *error)
{
    struct RecordTap *records = reader->tap;
    Context *context = reader->source.context;
    const CsvLayout *layout = &state->layout;
    size_t mark = state->header.size >= 3 && memcmp(state->header.data, "\xEF\xBB\xBF", 3) == 0 ? 3
                                                                                                : 0;
    CsvScan scan;
    const char *next;
    uint32_t count;

    if (!layout->header)
        return OK;
    if (records->verbatim && !reader->options.rename)
        return put_bytes(context, records, RECORD_HEADER, state->header.data, state->header.size,
                         error);
    /* A newline and slack follow the header: clv_csv_start has added them. */
    scan = scan_of(layout, state->header.data + mark, state->header.size - mark);
    TRY(cut_record(context, records, &scan, clv_csv_skip_blank(&scan, scan.start), &next, &count,
                   error));
    return put_record(context, records, layout, RECORD_HEADER, reader->options.rename != NULL,
                      error);
}

static Status begin_file(const Reader *reader, cleave_error *error)
{
    struct RecordTap *records = reader->tap;
    const CsvState *state = reader->state;
    bool *ignored;
    Status status;

    if (records->begun && records->file == reader->file)
        return OK;
    records->file = reader->file;
    if (records->begun) {
        /* Maps the output columns to the columns of a later file. */
        for (uint32_t i = 0; i < records->count; i++) {
            records->place[i] = state->layout.header ? CSV_NOWHERE : records->place[i];
            for (uint32_t j = 0; state->layout.header && j < state->layout.count &&
                                 records->place[i] == CSV_NOWHERE;
                 j++)
                if (strcmp(column_name(&state->layout.column[j]), records->name[i]) == 0)
                    records->place[i] = j;
        }
        records->verbatim = in_place(records, &state->layout);
        return OK;
    }
    records->begun = true;
    ignored = clv_alloc_zero(reader->source.context, state->layout.count, sizeof *ignored);
    if (!ignored)
        return clv_fail_memory(error, "the columns of a table", state->layout.count);
    status = find_ignored(reader, &state->layout, ignored, error);
    THEN(status, choose_columns(reader->source.context, records, &state->layout, ignored, error));
    clv_free(reader->source.context, ignored);
    TRY(status);
    records->verbatim = in_place(records, &state->layout);
    return put_header(reader, state, error);
}

/* Returns whether --classes dropped the record of this line. Lines are in order; *dropped counts
 * them. */
static bool is_dropped(const Chunk *chunk, uint64_t line, uint64_t *dropped)
{
    if (*dropped == chunk->dropped || chunk->dropped_line[*dropped] != line)
        return false;
    ++*dropped;
    return true;
}

static Status emit_table(const Reader *reader, const Chunk *chunk, uint64_t *row,
                         cleave_error *error)
{
    struct RecordTap *records = reader->tap;
    Context *context = reader->source.context;
    const CsvLayout *layout = &((const CsvState *)reader->state)->layout;
    CsvScan scan = scan_of(layout, chunk->text, chunk->size);
    uint64_t dropped = 0;

    TRY(begin_file(reader, error));
    for (const char *p = scan.start, *next; p < scan.end; p = next) {
        uint64_t line;
        uint32_t count;

        p = clv_csv_skip_blank(&scan, p);
        if (p >= scan.end)
            break;
        line = scan.line;
        TRY(cut_record(context, records, &scan, p, &next, &count, error));
        if (is_dropped(chunk, line, &dropped))
            continue;
        TRY(records->verbatim ? put_bytes(context, records, *row, p, (size_t)(next - p), error)
                              : put_record(context, records, layout, *row, false, error));
        ++*row;
    }
    return OK;
}

/* Writes a line of text, which has no quotes, cell by cell. */
static Status put_safe_line(Context *context, struct RecordTap *records, uint64_t row,
                            const char *line, const char *stop, cleave_error *error)
{
    records->line.size = 0;
    for (const char *tab; line < stop; line = tab) {
        tab = memchr(line, '\t', (size_t)(stop - line));
        tab = tab ? tab + 1 : stop;
        if (clv_cell_runs(line, (size_t)(tab - line) - (tab[-1] == '\t')))
            TRY(clv_buffer_add(context, &records->line, "'", 1, error));
        TRY(clv_buffer_add(context, &records->line, line, (size_t)(tab - line), error));
    }
    TRY(clv_buffer_add(context, &records->line, "\n", 1, error));
    return records->sink.take(records->sink.user, row, records->line.data, records->line.size,
                              error);
}

static bool is_blank_line(const char *line, const char *stop)
{
    while (line < stop && strchr(" \r\v\f", *line))
        line++;
    return line == stop;
}

static Status emit_lines(const Reader *reader, const Chunk *chunk, uint64_t *row,
                         cleave_error *error)
{
    const char *stop = chunk->text + chunk->size;
    uint64_t number = 0, dropped = 0;

    for (const char *line = chunk->text, *next; line < stop; line = next) {
        const char *end = memchr(line, '\n', (size_t)(stop - line));

        next = end ? end + 1 : stop;
        if (is_dropped(chunk, ++number, &dropped) || is_blank_line(line, end ? end : stop))
            continue;
        TRY(reader->tap->sink.safe ? put_safe_line(reader->source.context, reader->tap, (*row)++,
                                                   line, end ? end : stop, error)
                                   : put_bytes(reader->source.context, reader->tap, (*row)++, line,
                                               (size_t)(next - line), error));
    }
    return OK;
}

Status clv_records_emit(Reader *reader, const Chunk *chunk, cleave_error *error)
{
    uint64_t row = chunk->block.first_row;

    TRY(is_table(reader->format) ? emit_table(reader, chunk, &row, error)
                                 : emit_lines(reader, chunk, &row, error));
    if (row != chunk->block.first_row + chunk->block.rows)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "found %llu records, expected %u",
                        (unsigned long long)(row - chunk->block.first_row), chunk->block.rows);
    return OK;
}
