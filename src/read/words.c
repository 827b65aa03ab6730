/* The dictionary, and documents as word numbers. words_settle.c assigns columns to words. */
#include "read/words.h"

#include "read/words_dictionary.h"

enum { FIRST_SLOTS = 8192, AHEAD = 16 };

/* Maximum sizes of a dictionary. A larger one is emptied before the next chunk. */
enum { MOST_WORDS = 1 << 20, MOST_TEXT = 1 << 26, MOST_DOCUMENTS = 1 << 30 };

/* ---- the dictionary -------------------------------------------------------------------------- */

void clv_words_forget(Words *words)
{
    words->words = words->text.size = words->fresh_count = 0;
    words->documents = 0;
    clv_words_maker_forget(words->maker);
    if (words->slots)
        memset(words->slot, 0, words->slots * sizeof *words->slot);
}

void clv_words_clear(Words *words, const Reader *reader)
{
    words->context = reader->source.context;
    words->plan = reader->words;
    words->rows = words->entries = 0;
    if (words->fresh_count || words->words > MOST_WORDS || words->text.size > MOST_TEXT ||
        words->documents > MOST_DOCUMENTS || reader->source.names.count < words->names)
        clv_words_forget(words);
}

void clv_words_free(Context *context, void *scratch)
{
    Words *words = scratch;

    FREE(context, words->word_memory, words->column, words->text.data, words->slot, words->row,
         words->entry, words->tokens);
    clv_words_maker_free(context, words->maker);
    FREE(context, words->fresh, words->settled, words->one, words->other, words->row_end);
}

/* Returns the slot for a new word. */
static void fill_slot(Words *words, uint32_t hash, uint32_t number)
{
    uint32_t at = words_slot_of(words, hash);

    while (words->slot[at])
        at = words_slot_of(words, at + 1);
    words->slot[at] = (hash ^ words_slot_of(words, hash)) | (number + 1);
}

/* Inserts words in the order of their numbers, so that common words, which appear early, get their
 * first slot. */
static Status grow_slots(Words *words, cleave_error *error)
{
    size_t slots = words->slots ? 2 * words->slots : FIRST_SLOTS;
    uint32_t *slot;

    TRY(ALLOC_ZERO(words->context, slot, slots, "words", error));
    clv_free(words->context, words->slot);
    words->slot = slot;
    words->slots = slots;
    for (size_t i = 0; i < words->words; i++) {
        const Word *word = &words->word[i];

        fill_slot(words,
                  clv_token_hash(words->context->hash_key, word->key, word_text(words, word),
                                 word->length),
                  (uint32_t)i);
    }
    return OK;
}

/* Enlarges the words, which are aligned to their size, so that a word never spans two cache
 * lines. */
static Status grow_words(Words *words, cleave_error *error)
{
    size_t capacity = words->word_capacity ? words->word_capacity + words->word_capacity / 2
                                           : FIRST_SLOTS / 2;
    void *memory = clv_alloc(words->context, capacity + 1, sizeof(Word));
    Word *word;

    if (!memory)
        return clv_fail_memory(error, "words", capacity * sizeof(Word));
    word = (Word *)(((uintptr_t)memory + sizeof(Word) - 1) / sizeof(Word) * sizeof(Word));
    if (words->words)
        memcpy(word, words->word, words->words * sizeof *word);
    clv_free(words->context, words->word_memory);
    words->word_memory = memory;
    words->word = word;
    words->word_capacity = capacity;
    return OK;
}

static inline bool same_word(const Words *words, const Word *word, const Token *token)
{
    return word->key[0] == token->key[0] && word->key[1] == token->key[1] &&
           word->length == token->length &&
           (token->length <= TOKEN_KEY ||
            memcmp(words->text.data + word->offset, token->text, token->length) == 0);
}

/* Adds a word at the end of the list and assigns it a slot of the table. */
static Status add_word(Words *words, const Token *token, cleave_error *error)
{
    Word *word;

    if (words->words >= MOST_FEATURES || words->text.size > UINT32_MAX - UINT16_MAX)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "a chunk of the input has too many different words");
    if (words->words == words->word_capacity)
        TRY(grow_words(words, error));
    TRY(GROW(words->context, words->column, words->column_capacity, words->words + 1, error));
    TRY(GROW(words->context, words->fresh, words->fresh_capacity, words->words + 1, error));
    word = &words->word[words->words];
    *word = (Word){.key = {token->key[0], token->key[1]},
                   .length = token->length,
                   .offset = (uint32_t)words->text.size};
    if (token->length > TOKEN_KEY)
        TRY(clv_buffer_add(words->context, &words->text, token->text, (size_t)token->length + 8,
                           error));
    words->column[words->words] = NO_COLUMN;
    fill_slot(words, token->hash, (uint32_t)words->words++);
    return OK;
}

/* Finds or adds a word. A free slot exists. */
static inline Status find_word(Words *words, const Token *token, uint32_t *number,
                               cleave_error *error)
{
    uint32_t at = words_slot_of(words, token->hash), slot;

    while ((slot = words->slot[at]) &&
           (words_slot_differs(words, slot, token->hash) ||
            !same_word(words, &words->word[words_slot_word(words, slot) - 1], token)))
        at = words_slot_of(words, at + 1);
    if (slot == 0) {
        *number = (uint32_t)words->words;
        return add_word(words, token, error);
    }
    *number = words_slot_word(words, slot) - 1;
    return OK;
}

Status clv_words_find(Words *words, const Token *token, uint32_t *number, cleave_error *error)
{
    if (2 * (words->words + 1) > words->slots)
        TRY(grow_slots(words, error));
    return find_word(words, token, number, error);
}

/* ---- documents ------------------------------------------------------------------------------- */

Status clv_words_begin(Words *words, cleave_error *error)
{
    if (!words->tokens) {
        TRY(ALLOC(words->context, words->tokens, 1, "words", error));
    }
    words->tokens->hash_key = words->context->hash_key;
    words->tokens->keep_case = words->plan && words->plan->rules.keep_case;
    words->documents++;
    return GROW(words->context, words->row, words->row_capacity, words->rows + 1, error);
}

/* Looks up the words of a batch and prefetches memory for later words: first their slots, then the
 * words. */
static Status count_batch(Words *words, const Tokens *tokens, cleave_error *error)
{
    const Token *token = tokens->token;
    size_t count = tokens->count;

    TRY(words_reserve(words, count, error));
    while (2 * (words->words + count) > words->slots)
        TRY(grow_slots(words, error));
    for (size_t i = 0; i < count && i < 2 * AHEAD; i++)
        __builtin_prefetch(&words->slot[words_slot_of(words, token[i].hash)]);
    for (size_t i = 0; i < count; i++) {
        uint32_t number;

        if (i + 2 * AHEAD < count)
            __builtin_prefetch(&words->slot[words_slot_of(words, token[i + 2 * AHEAD].hash)]);
        if (i + AHEAD < count) {
            uint32_t next = words_slot_word(
                words, words->slot[words_slot_of(words, token[i + AHEAD].hash)]);

            if (next)
                __builtin_prefetch(words->word + next - 1);
        }
        TRY(find_word(words, &token[i], &number, error));
        words_count(words, number, 1);
    }
    return OK;
}

/* Counts one feature. Eight zeros follow its name. */
static Status count_name(Words *words, const char *name, size_t length, uint32_t count,
                         cleave_error *error)
{
    Token token = clv_token_of(words->context->hash_key, name, length);
    uint32_t number;

    TRY(words_reserve(words, 1, error));
    TRY(clv_words_find(words, &token, &number, error));
    words_count(words, number, count);
    return OK;
}

Status clv_words_text(Words *words, const char *prefix, const char *text, const char *stop,
                      cleave_error *error)
{
    bool plain = (!words->plan || words->plan->plain) && !(prefix && *prefix);

    if (!plain)
        TRY(clv_words_make_begin(words, prefix, error));
    while (clv_tokens_take(words->tokens, &text, stop)) {
        TRY(plain ? count_batch(words, words->tokens, error)
                  : clv_words_make(words, words->tokens, error));
        if (clv_cancelled(words->context)) /* a document may be arbitrarily long */
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    return OK;
}

Status clv_words_feature(Words *words, const char *name, size_t length, uint32_t count,
                         cleave_error *error)
{
    char copy[WORDS_FEATURE_MOST + 8];

    if (length > WORDS_FEATURE_MOST)
        length = WORDS_FEATURE_MOST;
    if (length == 0 || count == 0)
        return OK;
    memcpy(copy, name, length);
    memset(copy + length, 0, 8);
    return count_name(words, copy, length, count, error);
}

void clv_words_end_unlabeled(Words *words, uint64_t line)
{
    words->row[words->rows++] = (struct WordsRow){.end = words->entries, .line = line};
}

Status clv_words_end(Words *words, Chunk *chunk, const char *label, size_t length, uint64_t line)
{
    if (words->entries == words_row_start(words, words->rows) && chunk->empty_rows++ == 0)
        chunk->first_empty_line = line;
    clv_words_end_unlabeled(words, line);
    return clv_chunk_label(chunk, label, length, line, &words->row[words->rows - 1].label);
}
