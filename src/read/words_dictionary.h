/* Internals of the dictionary of words.h, for words*.c only. */
#ifndef READ_WORDS_DICTIONARY_H
#define READ_WORDS_DICTIONARY_H

#include "read/words.h"
#include "text/rules.h"
#include "text/stop_words.h"

/* Text rules of the reader, shared read-only by all chunks. Settling fills the buckets. */
struct WordsPlan {
    TextRules rules;
    bool plain; /* features are the words themselves */
    StopWords stop_words;
    uint32_t *bucket;      /* hashing: the words of each column; see words_plan.c */
    uint64_t used, shared; /* number of columns with one word, and with several */
    bool noted;
};

struct Word {
    uint64_t key[2]; /* the first bytes of the word, zero-padded */
    uint32_t length;
    /* for a word longer than its key: offset into Words.text, where eight zeros follow the word */
    uint32_t offset;
    uint32_t document; /* number of the last document with the word, from 1; 0: none */
    uint32_t entry;    /* entry of the word in that document */
};

_Static_assert(64 % sizeof(Word) == 0,
               "words that begin at multiples of their size are in one line of the cache each");

/*
 * A slot has four bytes, so that many fit into the L1 cache. Its low bits, enough to number all
 * slots, are the word's number plus 1, or 0 if the slot is free. Its high bits are the same bits of
 * the word's hash, whose low bits select the first slot. Few other words match these bits, and only
 * they are compared.
 */
static inline uint32_t words_slot_word(const Words *words, uint32_t slot)
{
    return slot & (uint32_t)(words->slots - 1);
}

static inline uint32_t words_slot_of(const Words *words, uint32_t hash)
{
    return hash & (uint32_t)(words->slots - 1);
}

static inline bool words_slot_differs(const Words *words, uint32_t slot, uint32_t hash)
{
    return (slot ^ hash) > (uint32_t)(words->slots - 1);
}

static inline const char *word_text(const Words *words, const Word *word)
{
    return word->length > TOKEN_KEY ? words->text.data + word->offset : (const char *)word->key;
}

/* Reserves memory for `count` more entries. */
static inline Status words_reserve(Words *words, size_t count, cleave_error *error)
{
    if (words->entries + count > UINT32_MAX)
        return clv_fail(error, CLEAVE_ERROR_DATA, "a chunk of the input has too many words");
    return GROW(words->context, words->entry, words->entry_capacity, words->entries + count, error);
}

static inline void add_count(uint32_t *sum, uint32_t count)
{
    *sum = *sum > UINT32_MAX - count ? UINT32_MAX : *sum + count;
}

/* Counts a word in the current document; the caller reserves the entry. */
static inline void words_count(Words *words, uint32_t number, uint32_t count)
{
    Word *word = &words->word[number];
    uint32_t again = word->document == words->documents, at = (uint32_t)words->entries;

    if (word->document == 0)
        words->fresh[words->fresh_count++] = number;
    words->entry[at] = (WordCount){.column = number};
    at ^= (at ^ word->entry) &
          (0 -
           /* a branch-free choice between the old and the new entry, because a branch would be
            * unpredictable */
           again);
    add_count(&words->entry[at].count, count);
    word->document = words->documents;
    word->entry = at;
    words->entries += !again;
}

/* words_maker.c: features other than plain words. clv_words_make_begin precedes the batches
 * of a text. */
Status clv_words_make_begin(Words *words, const char *prefix, cleave_error *error);
Status clv_words_make(Words *words, const Tokens *tokens, cleave_error *error);
void clv_words_maker_forget(struct WordsMaker *maker);
void clv_words_maker_free(Context *context, struct WordsMaker *maker);

/* Returns the column of a word in the plan's buckets. */
Status clv_words_bucket(Reader *reader, const char *text, size_t length, uint32_t *column,
                        cleave_error *error);

/* Returns the number of a word, new or known. */
Status clv_words_find(Words *words, const Token *token, uint32_t *number, cleave_error *error);
/* Empties the dictionary. */
void clv_words_forget(Words *words);

static inline size_t words_row_start(const Words *words, size_t row)
{
    return row ? words->row[row - 1].end : 0;
}

#endif
