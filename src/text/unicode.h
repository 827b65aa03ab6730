/*
 * What tokens need to know of Unicode: characters from bytes, what kind they are, their small letters. From tables of our own
 * (Unicode 14, scripts/make-unicode) rather than a library's: a model must find the same words on every machine, whatever
 * release of a library that has.
 */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CHARACTER_OTHER,  /* blanks, punctuation, signs: between words */
    CHARACTER_LETTER, /* letters and digits */
    CHARACTER_MARK,   /* accents and vowel signs: belong to the letter before them */
    CHARACTER_FORMAT, /* soft hyphens, joiners: not there */
    CHARACTER_ALONE   /* Han, Hiragana, pictures: a word each */
} CharacterKind;

/* The next character of the text, moving *at behind it. A byte that is not part of well-formed UTF-8 (RFC 3629) is a character of
 * windows-1252. The text is not empty. */
uint32_t clv_character(const char **at, const char *stop);
/* Writes it as UTF-8 and returns its length, 1 to 4. */
size_t clv_put_character(uint32_t character, char bytes[4]);

CharacterKind clv_character_kind(uint32_t character);
/* Its small letter: the simple mapping, one character to one, and the final sigma to the other. */
uint32_t clv_fold_character(uint32_t character);

#endif
