/* Reads lines of updates from files, for updates.h. */
#ifndef DIST_UPDATE_LINES_H
#define DIST_UPDATE_LINES_H

#include "model/delta.h"
#include "read/bytes.h"

enum { KEY_SIZE = DELTA_NAME + 24 };

/* The part whose values are not numbers: dist/nearest_lines.h. */
#define UPDATE_NEAR "near"

typedef struct {
    Context *context;
    const char *const *paths;
    size_t count, at; /* number of files; index of the current file */
    Bytes *bytes;     /* NULL between files */
    Buffer text;
    size_t next; /* start of the next line in text */
    bool ended;  /* text has the rest of the file */
    uint64_t line;
    cleave_error *error;

    /* The current line. */
    char key[KEY_SIZE];
    size_t key_length;
    char part[DELTA_NAME];
    uint64_t index;
    double value;
    /* for UPDATE_NEAR, instead of the value: the text after the tab, valid until the next line */
    const char *rest;
    size_t rest_length;
} Lines;

void clv_lines_open(Lines *lines, Context *context, const char *const *paths, size_t count,
                    cleave_error *error);
void clv_lines_close(Lines *lines);
/* Reads the next line. *more is false at the end of the last file. */
Status clv_lines_next(Lines *lines, bool *more);
/* Fails with an error at the current line, or at another line of the same file. The message follows
 * "FILE:LINE: ". */
Status clv_lines_fail(const Lines *lines, const char *format, ...) CLEAVE_PRINTF(2, 3);
const char *clv_lines_file(const Lines *lines, size_t number); /* name of a file for messages */

#endif
