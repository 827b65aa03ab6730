/*
 * Old character sets, as UTF-8. Windows-1252 stands for Latin-1 and Latin-9 as well, as it does on the web
 * (https://encoding.spec.whatwg.org): they differ in characters that are no letters of words, or rare.
 */
#ifndef TEXT_CHARSET_H
#define TEXT_CHARSET_H

#include "base/memory.h"

enum { CHARACTER_ROOM = 4 };

/* The character of a byte. The five that Windows-1252 leaves open are the controls of that number. */
uint32_t clv_windows_1252(unsigned char byte);

/* Writes a character as UTF-8 and returns the bytes written; what is no character (a surrogate, beyond 0x10FFFF, 0) is U+FFFD. */
size_t clv_put_character(uint32_t character, char bytes[CHARACTER_ROOM]);

/* Whether a name, such as "ISO-8859-1", is of a set whose bytes are read as Windows-1252. */
bool clv_is_latin(const char *name, size_t length);

/* Adds Windows-1252 text to a buffer as UTF-8. */
Status clv_add_latin(Context *context, Buffer *text, const char *bytes, size_t size, cleave_error *error);

#endif
