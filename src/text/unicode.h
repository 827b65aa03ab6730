/*
 * Unicode data for the tokenizer: decoding, character classes, lower case. The tables (Unicode 14,
 * scripts/make-unicode) are part of cleave, so that a model finds the same words on every machine,
 * independent of library versions.
 */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CHARACTER_OTHER,  /* blanks, punctuation, symbols: separators */
    CHARACTER_LETTER, /* letters and digits */
    CHARACTER_MARK,   /* accents and vowel signs: part of the preceding letter */
    CHARACTER_FORMAT, /* soft hyphens, joiners: ignored */
    CHARACTER_ALONE   /* Han, Hiragana, emoji: one word each */
} CharacterKind;

/* Returns the next character of a non-empty text and advances *at. A byte that is not part of
 * well-formed UTF-8 (RFC 3629) is decoded as windows-1252. */
uint32_t clv_character(const char **at, const char *stop);
/* Writes the character as UTF-8 and returns its length, 1 to 4. */
size_t clv_put_character(uint32_t character, char bytes[4]);

CharacterKind clv_character_kind(uint32_t character);
/* Lower case by the simple mapping of one character to one. A final sigma becomes the other
 * sigma. */
uint32_t clv_fold_character(uint32_t character);

#endif
