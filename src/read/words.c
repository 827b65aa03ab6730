/* The chunk's dictionary, its rows as numbers into the dictionary, and their settling. */
#include "read/words.h"

#include "base/hash.h"
#include "base/random.h"
#include "read/tokens.h"

struct Word {
    uint64_t key;  /* the first eight bytes, zeros behind a shorter word */
    uint64_t hash; /* as Names wants it */
    size_t offset; /* into Words.text */
    uint32_t length;
    uint32_t row; /* the last row that has it, from 1 */
    size_t entry; /* its entry there */
};

enum { FIRST_SLOTS = 8192 };

Status clv_words_start(Reader *reader, cleave_error *error)
{
    Names *names = &reader->source.names;

    if (!reader->guide_schema) {
        names->implicit = false;
    } else if (names->implicit) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: this is text, and the features of the model are numbered columns (%s)",
                 reader->path, reader->guide_schema->format);
        return clv_hint(error, CLEAVE_ERROR_DATA, "give data of the kind the model was trained on, or say --format");
    }
    return OK;
}

/* ---- the chunk's dictionary -------------------------------------------------------------------------------------- */

void clv_words_clear(Words *words, const Reader *reader)
{
    words->context = reader->source.context;
    words->words = words->rows = words->entries = words->text.size = 0;
    if (words->slots)
        memset(words->slot, 0, words->slots * sizeof *words->slot);
}

void clv_words_free(Context *context, void *scratch)
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

static Status grow_slots(Words *words, cleave_error *error)
{
    size_t slots = words->slots ? 2 * words->slots : FIRST_SLOTS;
    uint32_t *slot = clv_alloc_zero(words->context, slots, sizeof *slot);

    if (!slot)
        return clv_fail_memory(error, "words", slots * sizeof *slot);
    clv_free(words->context, words->slot);
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

static Status add_word(Words *words, const char *text, size_t length, size_t at, cleave_error *error)
{
    if (words->words >= MOST_FEATURES)
        return clv_fail(error, CLEAVE_ERROR_DATA, "a line has more than %u different words", MOST_FEATURES);
    TRY(GROW(words->context, words->word, words->word_capacity, words->words + 1, error));
    words->word[words->words] = (Word){
        .key = load(text), .hash = clv_hash(text, length, 0), .length = (uint32_t)length, .offset = words->text.size};
    /* With its zeros, so that place() can read it again. */
    TRY(clv_buffer_add(words->context, &words->text, text, length + 8, error));
    words->slot[at] = (uint32_t)++words->words;
    return OK;
}

static void add_count(uint32_t *count, uint32_t more)
{
    *count = *count > UINT32_MAX - more ? UINT32_MAX : *count + more;
}

/* Counts a word, followed by eight zeros, in the row under way. */
static inline Status count_word(Words *words, const char *text, size_t length, uint32_t count, cleave_error *error)
{
    uint64_t key = load(text);
    uint32_t row = (uint32_t)words->rows + 1;
    Word *word;
    size_t at;

    if (2 * (words->words + 1) > words->slots)
        TRY(grow_slots(words, error));
    at = place(text, length) & (words->slots - 1);
    while (words->slot[at] && !same_word(words, &words->word[words->slot[at] - 1], key, text, length))
        at = (at + 1) & (words->slots - 1);
    if (words->slot[at] == 0)
        TRY(add_word(words, text, length, at, error));
    word = &words->word[words->slot[at] - 1];
    if (word->row == row) {
        add_count(&words->entry[word->entry].count, count);
        return OK;
    }
    TRY(GROW(words->context, words->entry, words->entry_capacity, words->entries + 1, error));
    word->row = row;
    word->entry = words->entries;
    words->entry[words->entries++] = (WordCount){.column = words->slot[at] - 1, .count = count};
    return OK;
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

Status clv_words_begin(Words *words, cleave_error *error)
{
    return GROW(words->context, words->row, words->row_capacity, words->rows + 1, error);
}

Status clv_words_text(Words *words, const char *prefix, const char *text, const char *stop, cleave_error *error)
{
    char token[WORDS_FEATURE_MOST + TOKEN_ROOM];
    size_t before = prefix ? strlen(prefix) : 0, length;

    if (before > WORDS_FEATURE_MOST)
        before = WORDS_FEATURE_MOST;
    if (before)
        memcpy(token, prefix, before);
    while ((length = clv_token_next(&text, stop, token + before)) > 0)
        TRY(count_word(words, token, before + length, 1, error));
    return OK;
}

Status clv_words_feature(Words *words, const char *name, size_t length, uint32_t count, cleave_error *error)
{
    char token[WORDS_FEATURE_MOST + 8];

    if (length > WORDS_FEATURE_MOST)
        length = WORDS_FEATURE_MOST;
    if (length == 0 || count == 0)
        return OK;
    memcpy(token, name, length);
    memset(token + length, 0, 8);
    return count_word(words, token, length, count, error);
}

void clv_words_end_unlabelled(Words *words, uint64_t line)
{
    words->row[words->rows++] = (struct WordsRow){.end = words->entries, .line = line};
}

static void count_empty(Chunk *chunk, uint64_t line)
{
    if (chunk->empty_rows++ == 0)
        chunk->first_empty_line = line;
}

static size_t row_start(const Words *words, size_t row)
{
    return row ? words->row[row - 1].end : 0;
}

Status clv_words_end(Words *words, Chunk *chunk, const char *label, size_t length, uint64_t line)
{
    if (words->entries == row_start(words, words->rows))
        count_empty(chunk, line);
    clv_words_end_unlabelled(words, line);
    return clv_chunk_label(chunk, label, length, line, &words->row[words->rows - 1].label);
}

/* ---- settling ---------------------------------------------------------------------------------------------------- */

static void insertion_sort(WordCount *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        WordCount item = list[i];
        size_t j = i;

        for (; j > 0 && list[j - 1].column > item.column; j--)
            list[j] = list[j - 1];
        list[j] = item;
    }
}

/* By bytes, lowest first, as many as the largest number has; the sorted list may end up in either array. */
static WordCount *radix_sort(WordCount *list, WordCount *spare, size_t count)
{
    uint32_t most = 0;

    for (size_t i = 0; i < count; i++)
        most |= list[i].column;
    for (unsigned shift = 0; shift < 32 && most >> shift; shift += 8) {
        size_t start[257] = {0};
        WordCount *swap = list;

        for (size_t i = 0; i < count; i++)
            start[((list[i].column >> shift) & 255) + 1]++;
        for (size_t i = 1; i < 256; i++)
            start[i] += start[i - 1];
        for (size_t i = 0; i < count; i++)
            spare[start[(list[i].column >> shift) & 255]++] = list[i];
        list = spare;
        spare = swap;
    }
    return list;
}

/* The only look-up in the large dictionary. */
Status clv_words_number(Words *words, Reader *reader, cleave_error *error)
{
    Names *names = &reader->source.names;

    TRY(GROW(words->context, words->column, words->column_capacity, words->words, error));
    for (size_t i = 0; i < words->words; i++) {
        const Word *word = &words->word[i];

        TRY(clv_names_add_hashed(names, words->text.data + word->offset, word->length, word->hash, &words->column[i],
                                 error));
        if (words->column[i] >= MOST_FEATURES && words->column[i] != NO_COLUMN)
            return clv_fail(error, CLEAVE_ERROR_DATA, "%s: more than %u different words", reader->path, MOST_FEATURES);
    }
    return OK;
}

Status clv_words_row(Words *words, size_t row, const WordCount **entries, size_t *count, cleave_error *error)
{
    size_t start = row_start(words, row), end = words->row[row].end, kept = 0;

    TRY(GROW(words->context, words->sorted, words->sorted_capacity, end - start, error));
    TRY(GROW(words->context, words->spare, words->spare_capacity, end - start, error));
    for (size_t i = start; i < end; i++) {
        words->sorted[kept] = (WordCount){words->column[words->entry[i].column], words->entry[i].count};
        kept += words->sorted[kept].column != NO_COLUMN;
    }
    *count = kept;
    *entries = words->sorted;
    if (kept < 64)
        insertion_sort(words->sorted, kept);
    else
        *entries = radix_sort(words->sorted, words->spare, kept);
    return OK;
}

static Status settle_row(Chunk *chunk, size_t number, cleave_error *error)
{
    Words *words = chunk->scratch;
    Builder *builder = &chunk->builder;
    const struct WordsRow *row = &words->row[number];
    const WordCount *entry;
    size_t count;

    TRY(clv_words_row(words, number, &entry, &count, error));
    clv_builder_begin_row(builder);
    for (size_t i = 0; i < count; i++)
        TRY(clv_builder_add(builder, entry[i].column, (float)entry[i].count, error));
    TRY(clv_builder_end_row(builder, row->label, error));
    if (count == 0 && row->end > row_start(words, number))
        count_empty(chunk, row->line); /* it has words, none of which the model knows */
    return clv_builder_set_line(builder, row->line, error);
}

Status clv_words_settle_chunk(Reader *reader, Chunk *chunk, cleave_error *error)
{
    Words *words = chunk->scratch;

    if (chunk->size == 0)
        clv_words_clear(words, reader); /* nothing was parsed, and what is here is of another chunk */
    TRY(clv_words_number(words, reader, error));
    for (size_t i = 0; i < words->rows; i++)
        TRY(settle_row(chunk, i, error));
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}
