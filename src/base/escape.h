/*
 * Text from outside (labels, names of features and files) made safe to show. Characters that a terminal obeys, that end
 * a line or that change the order of the text around them are replaced by visible escapes; so are bytes that are not
 * UTF-8. Other characters are kept, whatever their script.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <cleave.h>
#include <stdarg.h>

/* Escapes what text begins with into piece, which gets no NUL. Returns the bytes of piece; *taken is those of text.
 * length is at least 1. */
#define ESCAPED_SIZE 6
size_t clv_escape_next(const char *text, size_t length, cleave_escaping how, char piece[ESCAPED_SIZE], size_t *taken);

/* As vsnprintf, then escaped to one line: how every message, hint and note of the library is made. Text beyond
 * ERROR_TEXT_SIZE is cut. */
#define ERROR_TEXT_SIZE 1024
void clv_vprint_line(char *buffer, size_t size, const char *format, va_list args) CLEAVE_PRINTF(3, 0);

#endif
