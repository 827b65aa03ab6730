/*
 * Output of results: standard output, or a file that is written atomically. Buffered. The first
 * failure is stored, so that a verb checks once, at the end.
 */
#ifndef CLI_UI_OUTPUT_H
#define CLI_UI_OUTPUT_H

#include <cleave/expert.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct {
    FILE *file;            /* standard output or standard error, if the others are NULL */
    cleave_output *output; /* a file, if file is NULL */
    /* a function of the caller, if both are NULL */
    void (*sink)(void *user, const char *bytes, size_t size);
    void *user;
    bool failed;
    int cause;    /* errno of the failure of `file` */
    bool in_page; /* the output is within a script element of an HTML report */
    cleave_error error;
    size_t length;
    char buffer[1 << 16];
} Out;

/* Opens a file for output; path NULL or "-": standard output. */
cleave_code cli_out_open(Out *out, cleave_context *context, const char *path, cleave_error *error);
void cli_out_file(Out *out, FILE *file);
void cli_out_sink(Out *out, void (*sink)(void *user, const char *bytes, size_t size), void *user);
/* Writes raw bytes, for formats with their own escapes (JSON, HTML, CSV) and binary formats. */
void cli_write(Out *out, const char *bytes, size_t size);
/* Writes program text, which may have newlines. Control characters are escaped (cleave_escape). */
void cli_put(Out *out, const char *text);
/* Like printf, but text of %s is escaped as by cli_put_name, and its width is counted in
 * columns. */
void cli_print(Out *out, const char *format, ...) CLEAVE_PRINTF(2, 3);
void cli_vprint(Out *out, const char *format, va_list args) CLEAVE_PRINTF(2, 0);
/* Writes text from outside (labels, names of features and files) within a line of text output. */
void cli_put_name(Out *out, const char *name);
/* Writes text from outside for programs. Backslashes are doubled, so that the escapes can be
 * reversed. */
void cli_put_value(Out *out, const char *value);
/* Flushes the buffer, so that readers receive the output. */
void cli_out_flush(Out *out);
/* End the output. cli_out_close returns the first failure. */
cleave_code cli_out_close(Out *out, cleave_error *error);
void cli_out_abandon(Out *out);

/* Wraps text at `width` columns; the first line starts at column `at`, and later lines are indented
 * to it. */
void cli_wrap(Out *out, const char *text, size_t at, size_t indent, size_t width);

/* The number of columns of a terminal that a text occupies, including escapes. */
size_t cli_width(const char *text);
size_t cli_width_of(const char *text, size_t length);
/* The number of bytes of the well-formed UTF-8 character at the start of the text, or 0. */
size_t cli_character_length(const char *text);

#endif
