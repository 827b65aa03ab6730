/*
 * Documents, one a line: `label<TAB>text`. Each word of the text (tokens.h says what a word is) is a feature of that
 * name with the value 1, however often it occurs.
 *
 * A line that starts with a TAB has no label; a blank line is passed over; further TABs are blanks of the text. When a
 * model reads, a line without any TAB is all text and has no label.
 *
 * Parsing a chunk numbers its words in order of first appearance in a dictionary of the chunk's own, so that it can be
 * done anywhere. Settling gives every different word of the chunk, once, its number in the data set: names are added
 * in the order of the file whoever parsed it.
 */
#include "base/hash.h"
#include "base/random.h"
#include "read/reader.h"
#include "read/tokens.h"

typedef struct {
    uint64_t key;  /* the first eight bytes, zeros behind a shorter word */
    uint64_t hash; /* as Names wants it */
    size_t offset; /* into Words.text */
    uint32_t length;
    uint32_t row; /* the last row that has it, from 1 */
} Word;

/* The chunk's dictionary and its rows, as numbers into the dictionary. */
typedef struct {
    Word *word;
    size_t words, word_capacity;
    Buffer text;
    uint32_t *slot; /* open addressing: number of the word + 1 */
    size_t slots;

    struct TextRow {
        size_t end; /* of its entries */
        uint64_t line;
        uint32_t label;
    } * row;
    size_t rows, row_capacity;
    uint32_t *entry;
    size_t entries, entry_capacity;

    /* While settling. */
    uint32_t *column; /* of each word in the data set */
    uint32_t *sorted, *spare;
    size_t column_capacity, sorted_capacity, spare_capacity;
} Words;

enum { FIRST_SLOTS = 8192 };

static const char *const suffixes[] = {".txt", NULL};

/* ---- the chunk's dictionary -------------------------------------------------------------------------------------- */

static void clear_words(Words *words)
{
    words->words = words->rows = words->entries = words->text.size = 0;
    if (words->slots)
        memset(words->slot, 0, words->slots * sizeof *words->slot);
}

static void free_words(Context *context, void *scratch)
{
    Words *words = scratch;

    clv_free(context, words->word);
    clv_free(context, words->text.data);
    clv_free(context, words->slot);
    clv_free(context, words->row);
    clv_free(context, words->entry);
    clv_free(context, words->column);
    clv_free(context, words->sorted);
    clv_free(context, words->spare);
}

static uint64_t load(const char *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

/* For the chunk's slots alone: cheaper than clv_hash on words of a few bytes. The word is followed by eight zeros. */
static inline size_t place(const char *text, size_t length)
{
    uint64_t hash = clv_mix(load(text) + length);

    for (size_t i = 8; i < length; i += 8)
        hash = clv_mix(hash ^ load(text + i));
    return (size_t)hash;
}

static inline bool same_word(const Words *words, const Word *word, uint64_t key, const char *text, size_t length)
{
    return word->key == key && word->length == length &&
           (length <= 8 || memcmp(words->text.data + word->offset + 8, text + 8, length - 8) == 0);
}

static Status grow_slots(Context *context, Words *words, cleave_error *error)
{
    size_t slots = words->slots ? 2 * words->slots : FIRST_SLOTS;
    uint32_t *slot = clv_alloc_zero(context, slots, sizeof *slot);

    if (!slot)
        return clv_fail_memory(error, "words", slots * sizeof *slot);
    clv_free(context, words->slot);
    words->slot = slot;
    words->slots = slots;
    for (size_t i = 0; i < words->words; i++) {
        size_t at = place(words->text.data + words->word[i].offset, words->word[i].length) & (slots - 1);

        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    return OK;
}

static Status add_word(Context *context, Words *words, const char *text, size_t length, size_t at, cleave_error *error)
{
    if (words->words >= MOST_FEATURES)
        return clv_fail(error, CLEAVE_ERROR_DATA, "a line has more than %u different words", MOST_FEATURES);
    TRY(GROW(context, words->word, words->word_capacity, words->words + 1, error));
    words->word[words->words] = (Word){
        .key = load(text), .hash = clv_hash(text, length, 0), .length = (uint32_t)length, .offset = words->text.size};
    /* With its zeros, so that place() can read it again. */
    TRY(clv_buffer_add(context, &words->text, text, length + 8, error));
    words->slot[at] = (uint32_t)++words->words;
    return OK;
}

/* Notes that the row under way has the word. */
static inline Status count_word(Context *context, Words *words, const char *text, size_t length, cleave_error *error)
{
    uint64_t key = load(text);
    uint32_t row = (uint32_t)words->rows + 1;
    Word *word;
    size_t at;

    if (2 * (words->words + 1) > words->slots)
        TRY(grow_slots(context, words, error));
    at = place(text, length) & (words->slots - 1);
    while (words->slot[at] && !same_word(words, &words->word[words->slot[at] - 1], key, text, length))
        at = (at + 1) & (words->slots - 1);
    if (words->slot[at] == 0)
        TRY(add_word(context, words, text, length, at, error));
    word = &words->word[words->slot[at] - 1];
    if (word->row == row)
        return OK;
    word->row = row;
    TRY(GROW(context, words->entry, words->entry_capacity, words->entries + 1, error));
    words->entry[words->entries++] = words->slot[at] - 1;
    return OK;
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

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

/* Where the text starts; the label, trimmed, from *label to *label_stop. NULL: the line has no TAB and needs one. */
static const char *split_line(const Reader *reader, const char *line, const char *stop, const char **label,
                              const char **label_stop)
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

    clv_chunk_fail(chunk, number, 0, CLEAVE_ERROR_DATA, "expected label<TAB>text, found no TAB in '%s'",
                   clv_quote(quoted, line, (size_t)(stop - line)));
    if (clv_format_libsvm.sniff(line, (size_t)(stop - line)))
        return clv_chunk_hint(chunk, "this looks like LIBSVM text: read it with --format libsvm");
    return clv_chunk_hint(chunk, "put the label and a TAB before the text; a line without a label starts with the TAB");
}

static Status parse_words(Context *context, Words *words, const char *text, const char *stop, cleave_error *error)
{
    char token[TOKEN_ROOM];
    size_t length;

    while ((length = clv_token_next(&text, stop, token)) > 0)
        TRY(count_word(context, words, token, length, error));
    return OK;
}

static void count_empty(Chunk *chunk, uint64_t line)
{
    if (chunk->empty_rows++ == 0)
        chunk->first_empty_line = line;
}

static Status parse_line(const Reader *reader, Chunk *chunk, const char *line, const char *stop, uint64_t number)
{
    Context *context = reader->source.context;
    Words *words = chunk->scratch;
    const char *label, *label_stop, *text = split_line(reader, line, stop, &label, &label_stop);
    size_t before = words->entries;
    struct TextRow *row;

    if (!text)
        return fail_without_tab(chunk, line, stop, number);
    TRY(GROW(context, words->row, words->row_capacity, words->rows + 1, &chunk->error));
    TRY(parse_words(context, words, text, stop, &chunk->error));
    row = &words->row[words->rows++];
    *row = (struct TextRow){.end = words->entries, .line = number};
    if (words->entries == before)
        count_empty(chunk, number);
    return clv_chunk_label(chunk, label, (size_t)(label_stop - label), number, &row->label);
}

static bool is_blank_line(const char *line, const char *stop)
{
    trim(&line, &stop);
    return line == stop;
}

/* A last line without a newline must end in a whole word. */
static Status check_unfinished(Chunk *chunk, const char *line, const char *stop, uint64_t number)
{
    char last = stop > line ? stop[-1] : ' ';

    if (!is_blank(last) && last != '\t' && last != ':')
        return OK;
    clv_chunk_fail(chunk, number, (uint64_t)(stop - line), CLEAVE_ERROR_DATA,
                   "the file is cut short: its last line ends in a %s, without a newline",
                   last == ':' ? "colon" : "blank");
    return clv_chunk_hint(chunk, "--allow-cut reads up to the last whole line");
}

static Status fail_nul(Chunk *chunk, const char *line, const char *nul, uint64_t number)
{
    clv_chunk_fail(chunk, number, (uint64_t)(nul - line) + 1, CLEAVE_ERROR_DATA,
                   "expected text, found a byte that is 0");
    return clv_chunk_hint(chunk, "save the file as UTF-8 text: UTF-16 and binary files have such bytes");
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
        if (nul && nul < end)
            return fail_nul(chunk, line, nul, number);
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

    clear_words(chunk->scratch);
    status = parse_lines(reader, chunk);
    if (status != OK)
        chunk->status = status;
}

/* ---- settling ---------------------------------------------------------------------------------------------------- */

static void insertion_sort(uint32_t *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t item = list[i];
        size_t j = i;

        for (; j > 0 && list[j - 1] > item; j--)
            list[j] = list[j - 1];
        list[j] = item;
    }
}

/* By bytes, lowest first, as many as the largest number has; the sorted list may end up in either array. */
static uint32_t *radix_sort(uint32_t *list, uint32_t *spare, size_t count)
{
    uint32_t most = 0;

    for (size_t i = 0; i < count; i++)
        most |= list[i];
    for (unsigned shift = 0; shift < 32 && most >> shift; shift += 8) {
        size_t start[257] = {0};
        uint32_t *swap = list;

        for (size_t i = 0; i < count; i++)
            start[((list[i] >> shift) & 255) + 1]++;
        for (size_t i = 1; i < 256; i++)
            start[i] += start[i - 1];
        for (size_t i = 0; i < count; i++)
            spare[start[(list[i] >> shift) & 255]++] = list[i];
        list = spare;
        spare = swap;
    }
    return list;
}

static Status sort_columns(Context *context, Words *words, size_t count, uint32_t **sorted, cleave_error *error)
{
    *sorted = words->sorted;
    if (count < 64) {
        insertion_sort(words->sorted, count);
        return OK;
    }
    TRY(GROW(context, words->spare, words->spare_capacity, count, error));
    *sorted = radix_sort(words->sorted, words->spare, count);
    return OK;
}

/* The number in the data set of every word of the chunk: the only look-up in the large dictionary. */
static Status number_words(Reader *reader, Words *words, cleave_error *error)
{
    Names *names = &reader->source.names;

    TRY(GROW(reader->source.context, words->column, words->column_capacity, words->words, error));
    for (size_t i = 0; i < words->words; i++) {
        const Word *word = &words->word[i];

        TRY(clv_names_add_hashed(names, words->text.data + word->offset, word->length, word->hash, &words->column[i],
                                 error));
        if (words->column[i] >= MOST_FEATURES && words->column[i] != NO_COLUMN)
            return clv_fail(error, CLEAVE_ERROR_DATA, "%s: more than %u different words", reader->path, MOST_FEATURES);
    }
    return OK;
}

static Status settle_row(Reader *reader, Chunk *chunk, size_t start, const struct TextRow *row, cleave_error *error)
{
    Context *context = reader->source.context;
    Words *words = chunk->scratch;
    Builder *builder = &chunk->builder;
    uint32_t *sorted;
    size_t count = 0;

    TRY(GROW(context, words->sorted, words->sorted_capacity, row->end - start, error));
    for (size_t i = start; i < row->end; i++) {
        words->sorted[count] = words->column[words->entry[i]];
        count += words->sorted[count] != NO_COLUMN;
    }
    TRY(sort_columns(context, words, count, &sorted, error));
    clv_builder_begin_row(builder);
    for (size_t i = 0; i < count; i++)
        TRY(clv_builder_add(builder, sorted[i], 1, error));
    TRY(clv_builder_end_row(builder, row->label, error));
    if (count == 0 && row->end > start)
        count_empty(chunk, row->line); /* it has words, none of which the model knows */
    return clv_builder_set_line(builder, row->line, error);
}

static Status settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    Words *words = chunk->scratch;

    if (chunk->size == 0)
        clear_words(words); /* nothing was parsed, and what is here is of another chunk */
    TRY(number_words(reader, words, error));
    for (size_t i = 0; i < words->rows; i++)
        TRY(settle_row(reader, chunk, i ? words->row[i - 1].end : 0, &words->row[i], error));
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}

/* ---- starting and recognising ------------------------------------------------------------------------------------ */

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip, cleave_error *error)
{
    Names *names = &reader->source.names;

    (void)whole;
    *skip = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* the mark some editors put before UTF-8 */
    if (!reader->guide_schema) {
        names->implicit = false;
        memcpy(reader->source.schema.format, "text", sizeof "text");
    } else if (names->implicit) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: this is text, and the features of the model are numbered columns (%s)",
                 reader->path, reader->guide_schema->format);
        return clv_hint(error, CLEAVE_ERROR_DATA, "give data of the kind the model was trained on, or say --format");
    }
    return OK;
}

enum { SNIFF_LINES = 256, SNIFF_LABEL = 64 };

/* What sniffing counts over the first lines. */
typedef struct {
    unsigned lines;
    unsigned others;  /* lines that can not be a label and a text */
    unsigned several; /* lines whose text has two words or more */
    unsigned labels;  /* different ones */
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

/* Whether the field has letters, and whether it has several words; a long run of bytes from 0x80 up counts as several,
 * for scripts that do not part words. */
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
            return false; /* a third column with something in it */
    return letters;
}

/* A label and a text, rather than a table or numbers: on nearly every line (19 of 20; one may differ from three lines
 * on) there is a first field of at most 64 bytes, a TAB, a second field with letters, and nothing but blanks and TABs
 * behind that; the second field has several words on half of the lines or more; and, from eight lines on, there are at
 * most half as many different first fields as lines. */
static bool sniff(const char *head, size_t size)
{
    const char *stop = head + size;
    Sniff found = {.lines = 0};

    if (size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        head += 3;
    for (const char *line = head, *end; line < stop && found.lines < SNIFF_LINES; line = end + 1) {
        end = memchr(line, '\n', (size_t)(stop - line));
        if (!end && found.lines > 0)
            break; /* perhaps cut */
        if (!end)
            end = stop;
        if (memchr(line, '\0', (size_t)(end - line)))
            return false;
        if (is_blank_line(line, end))
            continue;
        found.lines++;
        found.others += !sniff_line(&found, line, end);
    }
    if (found.lines == 0 || found.others > (found.lines >= 20 ? found.lines / 20 : found.lines >= 3))
        return false;
    return 2 * found.several >= found.lines && (found.lines < 8 || 2 * found.labels <= found.lines);
}

const Format clv_format_text = {
    .name = "text",
    .brief = "a document a line, label<TAB>text; words become features",
    .suffixes = suffixes,
    .sniff = sniff,
    .start = start,
    .parse = parse,
    .settle = settle,
    .free_scratch = free_words,
    .scratch_size = sizeof(Words),
    .text = true,
};
