/*
 * Words of any bytes: each is well-formed UTF-8 of 1 to 64 bytes, the words of a text are those of
 * its lines in succession, and lower-case letters do not change.
 */
#include "fuzz/fuzz.h"
#include "text/tokens.h"
#include "text/unicode.h"

#include <stdlib.h>

static const HashKey key = {0x243F6A8885A308D3u, 0x13198A2E03707344u};

static void check_token(const Token *token, bool keep_case)
{
    const char *text = token_text(token), *at = text;

    PROMISE(token->length >= 1 && token->length <= TOKEN_MOST);
    PROMISE(token->hash == clv_token_hash(key, token->key, token->text, token->length));
    while (at < text + token->length) {
        const char *start = at;
        uint32_t character = clv_character(&at, text + token->length);
        char bytes[4];

        PROMISE(clv_put_character(character, bytes) == (size_t)(at - start));
        PROMISE(memcmp(bytes, start, (size_t)(at - start)) == 0);
        PROMISE(keep_case || clv_fold_character(character) == character);
    }
}

/* A sum over the words that depends on their order. */
static uint64_t take_all(Tokens *tokens, const char *text, const char *stop, uint64_t sum)
{
    while (clv_tokens_take(tokens, &text, stop)) {
        PROMISE(tokens->count > 0 && tokens->count <= TOKEN_BATCH &&
                tokens->folded_size <= TOKEN_FOLDED);
        for (size_t i = 0; i < tokens->count; i++) {
            check_token(&tokens->token[i], tokens->keep_case);
            sum = sum * 31 + tokens->token[i].hash;
        }
    }
    PROMISE(text == stop);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(size ? size : 1, 1);
    Tokens *tokens = malloc(sizeof *tokens);
    uint64_t lines = 0;

    PROMISE(text && tokens);
    if (size)
        memcpy(text, data, size);
    tokens->hash_key = key;
    tokens->keep_case = true;
    take_all(tokens, text, text + size, 0);
    tokens->keep_case = false;
    for (char *line = text, *end; line < text + size; line = end + (end < text + size)) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (!end)
            end = text + size;
        lines = take_all(tokens, line, end, lines);
    }
    PROMISE(take_all(tokens, text, text + size, 0) == lines);
    free(tokens);
    free(text);
    return 0;
}
