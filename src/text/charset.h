/*
 * Legacy character sets converted to UTF-8. Windows-1252 also decodes Latin-1 and Latin-9, as on
 * the web (https://encoding.spec.whatwg.org); the differences are rare or not letters.
 */
#ifndef TEXT_CHARSET_H
#define TEXT_CHARSET_H

#include "base/memory.h"

/* Returns the character of a byte that is not valid UTF-8 (unicode.h). */
uint32_t clv_windows_1252(unsigned char byte);

/* Returns the character, or U+FFFD for an invalid one: 0, a surrogate, above 0x10FFFF. */
uint32_t clv_sound_character(uint32_t character);

/* Returns whether a name, such as "ISO-8859-1", denotes a set that is decoded as Windows-1252. */
bool clv_is_latin(const char *name, size_t length);

/* Appends Windows-1252 text to a buffer as UTF-8. */
Status clv_add_latin(Context *context, Buffer *text, const char *bytes, size_t size,
                     cleave_error *error);

#endif
