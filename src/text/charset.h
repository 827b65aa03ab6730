/*
 * Old character sets, as UTF-8. Windows-1252 stands for Latin-1 and Latin-9 as well, as it does on the web
 * (https://encoding.spec.whatwg.org): they differ in characters that are no letters of words, or rare.
 */
#ifndef TEXT_CHARSET_H
#define TEXT_CHARSET_H

#include "base/memory.h"

/* The character of a byte, by the rule for bytes that are not UTF-8 (unicode.h). */
uint32_t clv_windows_1252(unsigned char byte);

/* The character, or U+FFFD for what is none: 0, a surrogate, beyond 0x10FFFF. */
uint32_t clv_sound_character(uint32_t character);

/* Whether a name, such as "ISO-8859-1", is of a set whose bytes are read as Windows-1252. */
bool clv_is_latin(const char *name, size_t length);

/* Adds Windows-1252 text to a buffer as UTF-8. */
Status clv_add_latin(Context *context, Buffer *text, const char *bytes, size_t size, cleave_error *error);

#endif
