/* The dictionary of words.h from inside: for words*.c alone. */
#ifndef READ_WORDS_DICTIONARY_H
#define READ_WORDS_DICTIONARY_H

#include "read/words.h"

#define UNNUMBERED (UINT32_MAX - 1)

struct Word {
    uint64_t key[2]; /* the first bytes, zeros behind a shorter word */
    uint32_t length;
    uint32_t offset;   /* longer than its key: into Words.text, eight zeros behind it */
    uint32_t document; /* the last that has it, from 1 */
    uint32_t entry;    /* its entry there */
};

struct WordSlot {
    uint32_t hash;
    uint32_t word; /* + 1; 0: free */
};

static inline const char *word_text(const Words *words, const Word *word)
{
    return word->length > TOKEN_KEY ? words->text.data + word->offset : (const char *)word->key;
}

/* The number of a word, new or known. */
Status clv_words_find(Words *words, const Token *token, uint32_t *number, cleave_error *error);
/* Empties the dictionary. */
void clv_words_forget(Words *words);

static inline size_t words_row_start(const Words *words, size_t row)
{
    return row ? words->row[row - 1].end : 0;
}

#endif
