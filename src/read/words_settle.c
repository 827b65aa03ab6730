/*
 * Settling: assigns columns to words, and sorts the entries of rows by column.
 *
 * Rows are sorted in groups with a radix sort: by column, some bits at a time, lowest first, and
 * finally by row. Each step is stable and linear in the entries. A group has as many rows as fit
 * the cache.
 */
#include "read/words_dictionary.h"

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    GROUP = 4096,
    FEW = 64,
    AHEAD = 16,
    AT_ONCE = 256
};

struct WordsPlace {
    uint32_t column, count, row;
};

/* ---- columns --------------------------------------------------------------------------------- */

static Status number_word(Words *words, Reader *reader, uint32_t number, uint64_t hash,
                          cleave_error *error)
{
    const Word *word = &words->word[number];
    const char *text = word_text(words, word);
    uint32_t *column = &words->column[number];

    if (reader->words && reader->words->rules.hash_bits)
        return clv_words_bucket(reader, text, word->length, column, error);
    TRY(clv_names_add_hashed(&reader->source.names, text, word->length, hash, column, error));
    if (*column >= MOST_FEATURES && *column != NO_COLUMN)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: more than %u different words", reader->path,
                        MOST_FEATURES);
    return OK;
}

/* Assigns columns to new words in order of appearance; prefetches memory for the next words. */
static Status number_fresh(Words *words, Reader *reader, cleave_error *error)
{
    size_t count = words->fresh_count;
    const Names *names = &reader->source.names;
    uint64_t hash[AHEAD]; /* hashes of the next words */

    for (size_t i = 0; i < count + AHEAD; i++) {
        if (i >= AHEAD)
            TRY(number_word(words, reader, words->fresh[i - AHEAD], hash[i % AHEAD], error));
        if (i < count) {
            const Word *word = &words->word[words->fresh[i]];

            hash[i % AHEAD] = clv_names_hash(names, word_text(words, word), word->length);
            hash_table_prefetch(&names->table, hash[i % AHEAD]);
        }
    }
    words->fresh_count = 0;
    return OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A group of rows and its entries. */
typedef struct {
    size_t first, end;
    size_t count;  /* entries with a column */
    uint32_t bits; /* number of bits of all columns */
} Group;

/* Returns the end of a group with GROUP entries, at least one row. */
static Group group_from(const Words *words, size_t row)
{
    Group group = {.first = row, .end = row + 1};
    size_t start = words_row_start(words, row);

    while (group.end < words->rows && words->row[group.end].end - start <= GROUP)
        group.end++;
    return group;
}

/* Copies the entries that have columns, and stores the start of each row in `settled`. */
static Status place_entries(Words *words, Group *group, size_t settled, cleave_error *error)
{
    size_t i = words_row_start(words, group->first), entries = words->row[group->end - 1].end;
    const WordCount *entry = words->entry;
    size_t count = 0;

    TRY(GROW(words->context, words->one, words->one_capacity, entries - i, error));
    for (size_t row = group->first; row < group->end; row++) {
        words->row_end[row] = settled + count;
        for (; i < words->row[row].end; i++) {
            uint32_t column = words->column[entry[i].column];

            if (i + AHEAD < entries)
                __builtin_prefetch(&words->column[entry[i + AHEAD].column]);
            if (column == NO_COLUMN)
                continue;
            words->one[count++] = (struct WordsPlace){column, entry[i].count, (uint32_t)row};
            group->bits |= column;
        }
    }
    group->count = count;
    return OK;
}

/* digits: number of values of a digit, a power of two, at most DIGITS. */
static void sort_by_digit(const struct WordsPlace *from, struct WordsPlace *to, size_t count,
                          unsigned shift, uint32_t digits)
{
    uint32_t start[DIGITS], sum = 0;

    memset(start, 0, digits * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[from[i].column >> shift & (digits - 1)]++;
    for (size_t i = 0; i < digits; i++) {
        uint32_t here = start[i];

        start[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[start[from[i].column >> shift & (digits - 1)]++] = from[i];
}

/* Chooses the bits per digit, so that steps are few and their digits of similar width. */
static unsigned digit_bits(uint32_t bits)
{
    unsigned width = bits ? 32 - (unsigned)__builtin_clz(bits) : 1,
             steps = (width + DIGIT_BITS - 1) / DIGIT_BITS;

    return (width + steps - 1) / steps;
}

static Status sort_by_column(Words *words, const Group *group, cleave_error *error)
{
    const unsigned step = digit_bits(group->bits);

    if (group->count < FEW) {
        for (size_t i = 1; i < group->count; i++) {
            struct WordsPlace item = words->one[i];
            size_t j = i;

            for (; j > 0 && words->one[j - 1].column > item.column; j--)
                words->one[j] = words->one[j - 1];
            words->one[j] = item;
        }
        return OK;
    }
    for (unsigned shift = 0; shift < 32 && group->bits >> shift; shift += step) {
        struct WordsPlace *swap = words->one;
        size_t capacity = words->one_capacity;

        TRY(GROW(words->context, words->other, words->other_capacity, group->count, error));
        sort_by_digit(words->one, words->other, group->count, shift, 1u << step);
        words->one = words->other;
        words->one_capacity = words->other_capacity;
        words->other = swap;
        words->other_capacity = capacity;
    }
    return OK;
}

static Status order_entries(Words *words, cleave_error *error)
{
    Group group;
    size_t settled = 0;

    TRY(GROW(words->context, words->settled, words->settled_capacity, words->entries, error));
    TRY(GROW(words->context, words->row_end, words->row_end_capacity, words->rows, error));
    for (size_t row = 0; row < words->rows; row = group.end) {
        group = group_from(words, row);
        TRY(place_entries(words, &group, settled, error));
        TRY(sort_by_column(words, &group, error));
        /* Reorders from column order to row order; starts become ends. */
        for (size_t i = 0; i < group.count; i++) {
            const struct WordsPlace *place = &words->one[i];

            words->settled[words->row_end[place->row]++] = (WordCount){place->column, place->count};
        }
        settled += group.count;
    }
    return OK;
}

/* Merges entries of one row that were hashed to the same column. */
static void merge_entries(Words *words)
{
    size_t kept = 0, at = 0;

    for (size_t row = 0; row < words->rows; row++) {
        size_t start = kept;

        for (; at < words->row_end[row]; at++) {
            WordCount entry = words->settled[at];

            if (kept > start && words->settled[kept - 1].column == entry.column)
                add_count(&words->settled[kept - 1].count, entry.count);
            else
                words->settled[kept++] = entry;
        }
        words->row_end[row] = kept;
    }
}

Status clv_words_number(Words *words, Reader *reader, cleave_error *error)
{
    Status status = number_fresh(words, reader, error);

    if (status != OK) {
        clv_words_forget(words); /* some words have no column */
        return status;
    }
    words->names = reader->source.names.count;
    TRY(order_entries(words, error));
    if (reader->words && reader->words->rules.hash_bits)
        merge_entries(words);
    return OK;
}

const WordCount *clv_words_row(const Words *words, size_t row, size_t *count)
{
    size_t start = row ? words->row_end[row - 1] : 0;

    *count = words->row_end[row] - start;
    return *count ? words->settled + start : words->settled; /* NULL if no row has a word */
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status add_counts(Builder *builder, const WordCount *entry, size_t count,
                         cleave_error *error)
{
    uint32_t column[AT_ONCE];
    float value[AT_ONCE];

    for (size_t i = 0; i < count; i++) {
        column[i] = entry[i].column;
        value[i] = (float)entry[i].count;
    }
    return clv_builder_add_many(builder, column, value, count, error);
}

Status clv_words_put_row(const Words *words, size_t row, Builder *builder, bool *empty,
                         cleave_error *error)
{
    size_t count;
    const WordCount *entry = clv_words_row(words, row, &count);

    *empty = count == 0 && words->row[row].end > words_row_start(words, row);
    clv_builder_begin_row(builder);
    for (size_t i = 0; i < count; i += AT_ONCE)
        TRY(add_counts(builder, entry + i, count - i < AT_ONCE ? count - i : AT_ONCE, error));
    return OK;
}

Status clv_words_settle_chunk(Reader *reader, Chunk *chunk, cleave_error *error)
{
    Words *words = chunk->scratch;

    if (chunk->size == 0)
        clv_words_clear(words,
                        reader); /* no data was parsed: the scratch belongs to another chunk */
    TRY(clv_words_number(words, reader, error));
    for (size_t i = 0; i < words->rows; i++) {
        const struct WordsRow *row = &words->row[i];
        bool empty;

        TRY(clv_words_put_row(words, i, &chunk->builder, &empty, error));
        TRY(clv_builder_end_row(&chunk->builder, row->label, error));
        if (empty && chunk->empty_rows++ == 0)
            chunk->first_empty_line = row->line;
        TRY(clv_builder_set_line(&chunk->builder, row->line, error));
    }
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}
