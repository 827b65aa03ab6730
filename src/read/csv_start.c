/* Before the first record of a table: detects the delimiter, and lays out the columns from the
 * first rows. */
#include "read/csv.h"

static bool is_letter_or_digit(char c)
{
    return (unsigned)(c - '0') < 10 || (unsigned)((c | 0x20) - 'a') < 26;
}

static Status parse_delimiter(const char *text, char *delimiter, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        text = "\t";
    *delimiter = text[0];
    if (text[0] && !text[1] && !strchr("\"\r\n+-.?", text[0]) && !is_letter_or_digit(text[0]) &&
        (text[0] & 0x80) == 0)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "letters, digits, quotes and the characters of numbers cannot be delimiters",
        "--delimiter: expected one character or 'tab', found '%s'",
        clv_quote(quoted, text, strlen(text)));
}

/* Returns the length of a first line `sep=;`, which spreadsheets write, and sets the delimiter.
 * Returns 0 if there is no such line. */
static size_t separator_line(const char *text, size_t size, char *delimiter)
{
    static const char *const lines[] = {"sep=?", "\"sep=?\""};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t length = strlen(lines[i]), before = (size_t)(strchr(lines[i], '?') - lines[i]);

        if (size < length + 2 || memcmp(text, lines[i], before) != 0 ||
            memcmp(text + before + 1, lines[i] + before + 1, length - before - 1) != 0 ||
            !memchr(",;\t|", text[before], 4))
            continue;
        *delimiter = text[before];
        length += text[length] == '\r';
        if (text[length] == '\n')
            return length + 1;
    }
    *delimiter = 0;
    return 0;
}

/* written: the delimiter given in a separator line, otherwise 0. */
static Status choose_delimiter(const Reader *reader, const char *text, size_t size, bool whole,
                               char written, char *delimiter, cleave_error *error)
{
    if (reader->column_kinds.size) {
        *delimiter = ',';
        return OK;
    }
    if (reader->options.delimiter)
        return parse_delimiter(reader->options.delimiter, delimiter, error);
    if (written)
        *delimiter = written;
    else if (reader->format == &clv_format_tsv)
        *delimiter = '\t';
    else
        *delimiter = clv_csv_find_delimiter(text, size, whole);
    return OK;
}

/* Lays out the file from its first bytes, which end in a newline and slack. */
static Status start_text(Reader *reader, const char *text, size_t size, bool whole, char written,
                         size_t *skip, cleave_error *error)
{
    Context *context = reader->source.context;
    CsvState *state = reader->state;
    CsvSample sample;
    Status status;
    char delimiter;

    TRY(choose_delimiter(reader, text, size, whole, written, &delimiter, error));
    clv_csv_layout_free(context, &state->layout);
    clv_csv_dialect(&state->layout.dialect, delimiter);
    state->missing.decimal_comma = reader->options.decimal == DECIMAL_AUTO
                                       ? delimiter == ';'
                                       : reader->options.decimal == DECIMAL_COMMA &&
                                             !reader->column_kinds.size;
    status = clv_csv_sample(context, &state->layout.dialect, &state->missing, text, size, whole,
                            reader->path, &sample, error);
    THEN(status, clv_csv_lay_out(reader, state, &sample, error));
    if (status == OK && state->layout.header)
        *skip = (size_t)(sample.second_row - text) < size ? (size_t)(sample.second_row - text)
                                                          : size;
    clv_csv_sample_free(context, &sample);
    return status;
}

static Status refuse_utf16(const char *head, size_t size, const char *path, cleave_error *error)
{
    if (size < 2 || (memcmp(head, "\xFF\xFE", 2) != 0 && memcmp(head, "\xFE\xFF", 2) != 0))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "convert the file first: iconv -f UTF-16 -t UTF-8 FILE",
                         "%s: expected UTF-8 or plain ASCII, found UTF-16", path);
}

/* Keeps the bytes before the first row: the header. */
static Status keep_header(Reader *reader, const char *head, size_t size, cleave_error *error)
{
    static const char slack[NUMBER_SLACK] = "\n";
    CsvState *state = reader->state;

    state->header.size = 0;
    TRY(clv_buffer_add(reader->source.context, &state->header, head, size, error));
    TRY(clv_buffer_add(reader->source.context, &state->header, slack, sizeof slack, error));
    state->header.size = size;
    return OK;
}

Status clv_csv_start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                     cleave_error *error)
{
    Context *context = reader->source.context;
    size_t mark = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0
                      ? 3
                      : 0; /* a byte-order mark, which some editors write */
    size_t rest = 0;
    char *text, written;
    Status status;

    TRY(refuse_utf16(head, size, reader->path, error));
    mark += separator_line(head + mark, size - mark, &written);
    if (!reader->state) {
        CsvState *state;

        TRY(ALLOC_ZERO(reader->source.context, state, 1, "a table", error));
        reader->state = state;
        TRY(clv_csv_missing_init(reader->source.context, &state->missing, reader->options.missing,
                                 error));
    }
    TRY(clv_new(context, &text, size - mark + NUMBER_SLACK, 1, false, "the first rows", error));
    memcpy(text, head + mark, size - mark);
    memset(text + size - mark, '\n', NUMBER_SLACK);
    status = start_text(reader, text, size - mark, whole, written, &rest, error);
    clv_free(context, text);
    *skip = mark + rest;
    return status == OK ? keep_header(reader, head, *skip, error) : status;
}

void clv_csv_finish(Reader *reader)
{
    CsvState *state = reader->state;

    if (!state)
        return;
    clv_csv_layout_free(reader->source.context, &state->layout);
    clv_csv_missing_free(reader->source.context, &state->missing);
    FREE(reader->source.context, state->header.data, state);
    reader->state = NULL;
}
