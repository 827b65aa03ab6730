/*
 * Words of a text, by the rules of Unicode's annex 29 (word boundaries) as far as the common scripts need them:
 *
 *   - A word is a run of letters, digits and marks of any script. An apostrophe (' or U+2019) or a point between two of these
 *     belongs to it ("don't", "cs.cmu.edu", "3.14"), and so does a comma between two ASCII digits ("1,000"). All else parts
 *     words, '_' and '-' too.
 *   - A character of Han or Hiragana, or a picture (emoji), is a word of its own. Scripts that part no words otherwise (Thai,
 *     Khmer, …) have their runs taken as they are.
 *   - Letters become small, unless the case is kept. Soft hyphens and joiners are dropped; U+2019 becomes '.
 *   - Bytes that are not UTF-8 are characters of windows-1252, as Latin-1 text nearly always is. Words are UTF-8 in any case.
 *   - A word is 1 to TOKEN_MOST bytes. Of a longer one as many whole characters are kept as fit; the rest is passed over.
 *
 * Words come in batches, so that who looks them up can have memory fetched for many at once. Where a word begins and ends is found
 * 64 bytes at a time by masks (marks.h); a stretch that has bytes from 0x80 up is walked character by character.
 */
#ifndef TEXT_TOKENS_H
#define TEXT_TOKENS_H

#include "base/hash_table.h"

#define TOKEN_MOST 64
#define TOKEN_KEY 16 /* bytes of a word that stand in the token itself */

typedef struct {
    uint64_t key[2];  /* the first bytes, zeros behind a shorter word */
    const char *text; /* longer than TOKEN_KEY: all of it, eight zeros behind */
    uint32_t length;
    uint32_t hash; /* clv_token_hash */
} Token;

enum { TOKEN_WINDOW = 2048, TOKEN_BATCH = TOKEN_WINDOW / 2 + 2, TOKEN_FOLDED = 4 * TOKEN_WINDOW };

typedef struct {
    bool keep_case;
    HashKey hash_key;
    /* What was found. */
    size_t count;
    Token token[TOKEN_BATCH];
    char folded[TOKEN_FOLDED]; /* the longer words */
    size_t folded_size;
} Tokens;

/* Takes the next words, from *at on, and moves *at behind them. False: there are no more, and count is 0. */
bool clv_tokens_take(Tokens *tokens, const char **at, const char *stop);

/* The bytes of a token, which are not followed by a NUL. */
static inline const char *token_text(const Token *token)
{
    return token->length > TOKEN_KEY ? token->text : (const char *)token->key;
}

/* Of a word of any length; eight zeros follow it. */
static inline uint32_t clv_token_hash(HashKey by, const uint64_t key[2], const char *text, size_t length)
{
    uint64_t hash = hash_fold(key[0] ^ by.a, key[1] ^ by.b);

    for (size_t i = TOKEN_KEY; i < length; i += 8) {
        uint64_t more;

        memcpy(&more, text + i, sizeof more);
        hash = hash_fold(hash ^ by.a, more ^ by.b);
    }
    return (uint32_t)hash_finish(by, hash);
}

/* The token of a word made otherwise: text of any length, eight zeros behind it. It is not copied. */
Token clv_token_of(HashKey by, const char *text, size_t length);

#endif
