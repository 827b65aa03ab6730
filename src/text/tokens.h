/*
 * Tokenizer: words of a text by Unicode annex 29 (word boundaries), restricted to the common
 * scripts:
 *
 * - A word is a run of letters, digits and marks of any script. It includes an apostrophe (' or
 *   U+2019) or a point between two of these ("don't", "cs.cmu.edu", "3.14"), and a comma between
 *   two ASCII digits ("1,000"). All other characters, including '_' and '-', separate words.
 * - A character of Han or Hiragana, or an emoji, is a word. Scripts without word separators (Thai,
 *   Khmer, …) are not segmented: a run is a word.
 * - Letters become lower case unless the case is kept. Soft hyphens and joiners are dropped; U+2019
 *   becomes '.
 * - Bytes that are not UTF-8 are decoded as windows-1252, which covers most Latin-1 text. Words are
 *   always UTF-8.
 * - A word has 1 to TOKEN_MOST bytes. A longer word is truncated at a character boundary.
 *
 * Words are returned in batches, so that a dictionary can prefetch memory for many lookups. Word
 * boundaries are found 64 bytes at a time with bit masks (marks.h). A stretch with bytes of at
 * least 0x80 is processed character by character.
 */
#ifndef TEXT_TOKENS_H
#define TEXT_TOKENS_H

#include "base/hash_table.h"

#define TOKEN_MOST 64
#define TOKEN_KEY 16 /* number of bytes of a word that are stored in the token itself */

typedef struct {
    uint64_t key[2];  /* the first bytes, zero-padded */
    const char *text; /* longer than TOKEN_KEY: the whole word, followed by eight zeros */
    uint32_t length;
    uint32_t hash; /* see clv_token_hash */
} Token;

enum { TOKEN_WINDOW = 2048, TOKEN_BATCH = TOKEN_WINDOW / 2 + 2, TOKEN_FOLDED = 4 * TOKEN_WINDOW };

typedef struct {
    bool keep_case;
    HashKey hash_key;
    /* Tokens in a batch. */
    size_t count;
    Token token[TOKEN_BATCH];
    char folded[TOKEN_FOLDED]; /* text of the longer words */
    size_t folded_size;
} Tokens;

/* Returns the next words from *at on and advances *at. Returns false, with count 0, at the end. */
bool clv_tokens_take(Tokens *tokens, const char **at, const char *stop);

/* The bytes of a token, without a final NUL. */
static inline const char *token_text(const Token *token)
{
    return token->length > TOKEN_KEY ? token->text : (const char *)token->key;
}

/* Hash of a word of any length, followed by eight zeros. */
static inline uint32_t clv_token_hash(HashKey by, const uint64_t key[2], const char *text,
                                      size_t length)
{
    uint64_t hash = hash_fold(key[0] ^ by.a, key[1] ^ by.b);

    for (size_t i = TOKEN_KEY; i < length; i += 8) {
        uint64_t more;

        memcpy(&more, text + i, sizeof more);
        hash = hash_fold(hash ^ by.a, more ^ by.b);
    }
    return (uint32_t)hash_finish(by, hash);
}

/* Makes a token from text of any length, followed by eight zeros. The text is not copied. */
Token clv_token_of(HashKey by, const char *text, size_t length);

#endif
