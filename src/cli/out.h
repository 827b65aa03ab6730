/*
 * Where results go: standard output, or a file that is written whole or not at all. Buffered, and the first failure is
 * kept, so that a verb may write on and look once.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <cleave.h>
#include <stdio.h>

typedef struct {
    FILE *file;            /* standard output or error, … */
    cleave_output *output; /* … or a file of the library's */
    bool failed;
    cleave_error error;
    size_t length;
    char buffer[1 << 16];
} Out;

/* path NULL or "-": standard output. */
cleave_code cli_out_open(Out *out, cleave_context *context, const char *path, cleave_error *error);
void cli_out_file(Out *out, FILE *file);
void cli_write(Out *out, const char *bytes, size_t size);
void cli_put(Out *out, const char *text);
void cli_print(Out *out, const char *format, ...) CLEAVE_PRINTF(2, 3);
/* A name out of the data, within a line: what would break the line, or is no UTF-8, is shown as \n, \t or \xFF. */
void cli_put_name(Out *out, const char *name);
/* So that others see what was written. */
void cli_out_flush(Out *out);
/* Both end it. Close returns the first failure. */
cleave_code cli_out_close(Out *out, cleave_error *error);
void cli_out_abandon(Out *out);

/* Text broken into lines of so many columns; the first line starts at column at, later ones are indented so far. */
void cli_wrap(Out *out, const char *text, size_t at, size_t indent, size_t width);

/* Columns a UTF-8 text takes. */
size_t cli_width(const char *text);
/* Bytes of the well-formed UTF-8 character that the text begins with, or 0. */
size_t cli_character_length(const char *text);

#endif
