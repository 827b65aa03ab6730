/*
 * Text from outside (labels, names of features and files) made safe to display. Visible escapes
 * replace control characters, line ends, direction marks and bytes that are not UTF-8. Other
 * characters of all scripts are kept.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <cleave/expert.h>
#include <stdarg.h>

/* Escapes the first character of text into piece, without a NUL. Returns the bytes of piece and
 * sets *taken to the bytes of text. length is at least 1. */
#define ESCAPED_SIZE 6
size_t clv_escape_next(const char *text, size_t length, cleave_escaping how,
                       char piece[ESCAPED_SIZE], size_t *taken);

/* Like vsnprintf, then escaped to one line. Every message, hint and note of the library passes
 * through here. Text beyond ERROR_TEXT_SIZE is cut. */
#define ERROR_TEXT_SIZE 1024
void clv_vprint_line(char *buffer, size_t size, const char *format, va_list args)
    CLEAVE_PRINTF(3, 0);

#endif
