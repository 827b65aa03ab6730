/*
 * One document per line: `label<TAB>text`. The words of the text are features (words.h); the value
 * is their count.
 *
 * With --sequence a text is a sequence of characters instead (sequence.h).
 *
 * A line that starts with a TAB has no label; blank lines are skipped; further TABs are blanks of
 * the text. For a model, a line without a TAB is text without a label.
 */
#include "base/hash.h"
#include "read/sequence.h"
#include "read/words.h"

static const char *const suffixes[] = {".txt", NULL};

/* ---- parsing --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\r' || c == '\v' || c == '\f';
}

static void trim(const char **start, const char **stop)
{
    while (*start < *stop && is_blank(**start))
        ++*start;
    while (*start < *stop && is_blank((*stop)[-1]))
        --*stop;
}

/* Returns the start of the text. The trimmed label is from *label to *label_stop. Returns NULL if a
 * required TAB is missing. */
static const char *split_line(const Reader *reader, const char *line, const char *stop,
                              const char **label, const char **label_stop)
{
    const char *tab = memchr(line, '\t', (size_t)(stop - line));

    *label = *label_stop = line;
    if (!tab)
        return reader->guide_schema && !reader->strict_lines ? line : NULL;
    *label_stop = tab;
    trim(label, label_stop);
    return tab + 1;
}

static Status fail_without_tab(Chunk *chunk, const char *line, const char *stop, uint64_t number)
{
    char quoted[QUOTE_SIZE];

    clv_chunk_fail(chunk, number, 0, CLEAVE_ERROR_DATA,
                   "expected label<TAB>text, found no TAB in '%s'",
                   clv_quote(quoted, line, (size_t)(stop - line)));
    if (clv_format_libsvm.sniff(line, (size_t)(stop - line)))
        return clv_chunk_hint(chunk, "pass --format libsvm if this is LIBSVM text");
    if (memchr(line, ',', (size_t)(stop - line)) || memchr(line, ';', (size_t)(stop - line)))
        return clv_chunk_hint(
            chunk, "put the label and a TAB before the text, or pass --format csv to read a table");
    return clv_chunk_hint(
        chunk,
        "put the label and a TAB before the text; start a line without a label with the TAB");
}

static Status parse_line(const Reader *reader, Chunk *chunk, const char *line, const char *stop,
                         uint64_t number)
{
    Words *words = chunk->scratch;
    const char *label, *label_stop, *text = split_line(reader, line, stop, &label, &label_stop);

    if (!text)
        return fail_without_tab(chunk, line, stop, number);
    if (!clv_keeps_class(reader, label, (size_t)(label_stop - label)))
        return clv_chunk_drop(chunk, number);
    if (clv_reads_sequences(reader))
        return clv_sequence_row(chunk, text, stop, label, (size_t)(label_stop - label), number);
    TRY(clv_words_begin(words, &chunk->error));
    TRY(clv_words_text(words, NULL, text, stop, &chunk->error));
    return clv_words_end(words, chunk, label, (size_t)(label_stop - label), number);
}

static bool is_blank_line(const char *line, const char *stop)
{
    trim(&line, &stop);
    return line == stop;
}

/* Fails unless a last line without a newline ends with a complete word. */
static Status check_unfinished(Chunk *chunk, const char *line, const char *stop, uint64_t number)
{
    char last = stop > line ? stop[-1] : ' ';

    if (!is_blank(last) && last != '\t' && last != ':')
        return OK;
    clv_chunk_fail(chunk, number, (uint64_t)(stop - line), CLEAVE_ERROR_DATA,
                   "the file is incomplete: its last line ends with a %s and has no newline",
                   last == ':' ? "colon" : "space");
    return clv_chunk_hint(chunk, "pass --allow-cut to read up to the last complete line");
}

static Status parse_lines(const Reader *reader, Chunk *chunk)
{
    const char *stop = chunk->text + chunk->size;
    const char *nul = memchr(chunk->text, '\0', chunk->size);

    for (const char *line = chunk->text, *end; line < stop; line = end + 1) {
        uint64_t number = ++chunk->lines;

        end = memchr(line, '\n', (size_t)(stop - line));
        if (!end)
            end = stop;
        if (nul && nul < end) {
            clv_chunk_fail(chunk, number, (uint64_t)(nul - line) + 1, CLEAVE_ERROR_DATA,
                           "expected text, found a zero byte");
            return clv_chunk_hint(
                chunk, "save the file as UTF-8 text; UTF-16 and binary files contain zero bytes");
        }
        if (is_blank_line(line, end))
            continue;
        if (end == stop && chunk->unfinished)
            TRY(check_unfinished(chunk, line, end, number));
        TRY(parse_line(reader, chunk, line, end, number));
    }
    return OK;
}

static void parse(const Reader *reader, Chunk *chunk)
{
    Status status;

    clv_words_clear(chunk->scratch, reader);
    status = parse_lines(reader, chunk);
    if (status != OK)
        chunk->status = status;
}

static Status settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    if (!clv_reads_sequences(reader))
        return clv_words_settle_chunk(reader, chunk, error);
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}

/* ---- start and recognition ---------------------------------------------------------------- */

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                    cleave_error *error)
{
    (void)whole;
    *skip = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0
                ? 3
                : 0; /* the byte-order mark of some editors */
    if (!reader->guide_schema)
        memcpy(reader->source.schema.format, "text", sizeof "text");
    return clv_words_start(reader, error);
}

enum { SNIFF_LINES = 256, SNIFF_LABEL = 64 };

/* Counts over the first lines, for format detection. */
typedef struct {
    unsigned lines;
    unsigned others;  /* lines that cannot be a label and a text */
    unsigned several; /* lines whose text has two words or more */
    unsigned labels;  /* distinct labels */
    uint64_t label[SNIFF_LINES];
} Sniff;

static bool is_letter(char c)
{
    return (unsigned)((c | 0x20) - 'a') < 26 || (unsigned char)c >= 0x80;
}

static void sniff_label(Sniff *sniff, const char *text, size_t length)
{
    uint64_t hash = clv_hash(text, length, 0);

    for (unsigned i = 0; i < sniff->labels; i++)
        if (sniff->label[i] == hash)
            return;
    sniff->label[sniff->labels++] = hash;
}

/* Returns whether the field has letters, and whether it has several words; a long run of bytes of
 * at least 0x80 counts as several, for scripts without word separators. */
static bool sniff_field(const char *text, const char *stop, bool *several)
{
    bool letters = false;
    unsigned words = 0, high = 0;

    for (const char *p = text; p < stop; p++) {
        bool letter = is_letter(*p);

        letters = letters || letter;
        high += (unsigned char)*p >= 0x80;
        words += !is_blank(*p) && (p == text || is_blank(p[-1]));
    }
    *several = words > 1 || high > 12;
    return letters;
}

static bool sniff_line(Sniff *sniff, const char *line, const char *stop)
{
    const char *tab = memchr(line, '\t', (size_t)(stop - line)), *end;
    bool several, letters;

    if (!tab || tab - line > SNIFF_LABEL)
        return false;
    sniff_label(sniff, line, (size_t)(tab - line));
    end = memchr(tab + 1, '\t', (size_t)(stop - tab - 1));
    if (!end)
        end = stop;
    letters = sniff_field(tab + 1, end, &several);
    sniff->several += several;
    for (const char *p = end; p < stop; p++)
        if (*p != '\t' && !is_blank(*p))
            return false; /* there is a third column that is not empty */
    return letters;
}

/* Distinguishes label and text from a table or numbers. Nearly every line (19 of 20; one may differ
 * from three lines on) has a first field of at most 64 bytes, a TAB, a second field with letters,
 * and only blanks and TABs after it. The second field has several words on at least half of the
 * lines. From eight lines on, at most half of the first fields are distinct. */
static bool sniff(const char *head, size_t size)
{
    const char *stop = head + size;
    Sniff found = {.lines = 0};

    if (size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        head += 3;
    for (const char *line = head, *end; line < stop && found.lines < SNIFF_LINES; line = end + 1) {
        end = memchr(line, '\n', (size_t)(stop - line));
        if (!end && found.lines > 0)
            break; /* the last line may be incomplete */
        if (!end)
            end = stop;
        if (memchr(line, '\0', (size_t)(end - line)))
            return false;
        if (is_blank_line(line, end))
            continue;
        found.lines++;
        found.others += !sniff_line(&found, line, end);
    }
    if (found.lines == 0 ||
        found.others > (found.lines >= 20 ? found.lines / 20 : found.lines >= 3))
        return false;
    return 2 * found.several >= found.lines && (found.lines < 8 || 2 * found.labels <= found.lines);
}

const Format clv_format_text = {
    .name = "text",
    .brief = "one document per line, label<TAB>text; words become features",
    .suffixes = suffixes,
    .sniff = sniff,
    .start = start,
    .parse = parse,
    .settle = settle,
    .free_scratch = clv_words_free,
    .scratch_size = sizeof(Words),
    .text = true,
};
