/* Lines of updates, one after another, from files; for updates.h. */
#ifndef DIST_UPDATE_LINES_H
#define DIST_UPDATE_LINES_H

#include "model/delta.h"
#include "read/bytes.h"

enum { KEY_SIZE = DELTA_NAME + 24 };

/* The part whose values are no numbers: dist/nearest_lines.h. */
#define UPDATE_NEAR "near"

typedef struct {
    Context *context;
    const char *const *paths;
    size_t count, at; /* files, and the one being read */
    Bytes *bytes;     /* NULL between files */
    Buffer text;
    size_t next; /* of text: where the next line begins */
    bool ended;  /* the file has no more than what is in text */
    uint64_t line;
    cleave_error *error;

    /* The line just read. */
    char key[KEY_SIZE];
    size_t key_length;
    char part[DELTA_NAME];
    uint64_t index;
    double value;
    const char
        *rest; /* of a line of UPDATE_NEAR, instead of the value: the text after the tab, until the next line is read */
    size_t rest_length;
} Lines;

void clv_lines_open(Lines *lines, Context *context, const char *const *paths, size_t count, cleave_error *error);
void clv_lines_close(Lines *lines);
/* *more is false at the end of the last file. */
Status clv_lines_next(Lines *lines, bool *more);
/* An error at the line just read, or at another of the same file; the message follows "FILE:LINE: ". */
Status clv_lines_fail(const Lines *lines, const char *format, ...) CLEAVE_PRINTF(2, 3);
const char *clv_lines_file(const Lines *lines, size_t number); /* as messages name it */

#endif
