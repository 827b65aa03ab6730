/*
 * Words of a text, for the `label<TAB>text` reader.
 *
 * A word is a run, as long as possible, of ASCII letters, digits and bytes from 0x80 up, which keeps the letters of
 * every script written in UTF-8; an apostrophe between two of these belongs to the word ("don't"). ASCII letters are
 * lower-cased, other bytes are kept as they are, broken UTF-8 included.
 *
 * A word is 1 to TOKEN_MOST bytes. A longer run counts as its first TOKEN_MOST bytes, less a UTF-8 character that the
 * cut would split; the rest of the run is passed over.
 *
 * The loop classifies and lower-cases eight bytes at a time inside one register; most words need one turn.
 */
#ifndef READ_TOKENS_H
#define READ_TOKENS_H

#include <stddef.h>

#define TOKEN_MOST 64
#define TOKEN_ROOM (TOKEN_MOST + 8)
#define TOKEN_SLACK 8

/* The next word of the text from *at to stop, moving *at behind it; its length, or 0 when there are no more. At least
 * TOKEN_SLACK bytes must be readable from stop on, the first of them not part of a word. The word is followed by eight
 * zeros. */
size_t clv_token_next(const char **at, const char *stop, char token[TOKEN_ROOM]);

#endif
