/*
 * Reading the text of a model file line by line and word by word. Words are separated by spaces and
 * tabs. Errors begin with the file and the line.
 */
#ifndef INTEROP_MODEL_LINES_H
#define INTEROP_MODEL_LINES_H

#include "base/memory.h"

typedef struct {
    Context *context;
    const char *name;     /* name of the file */
    const char *at, *end; /* the rest of the file */
    uint64_t line;        /* number of the current line, from 1 */
    /* The rest of the current line, and the last word that was read. */
    const char *rest, *line_end;
    const char *word;
    size_t length;
    cleave_error *error;
} ModelLines;

/* Advances to the next line that is not blank. Returns false at the end of the file. */
bool clv_model_lines_next(ModelLines *lines);
/* Advances to the next word of the line. Returns false at its end. */
bool clv_model_lines_word(ModelLines *lines);
/* Returns whether the last word is this text. */
bool clv_model_lines_is(const ModelLines *lines, const char *text);
/* Sets an error with the current line. */
Status clv_model_lines_fail(const ModelLines *lines, const char *format, ...) CLEAVE_PRINTF(2, 3);
/* Reads the next word as a finite number, or as an integer within a range. `what` is used in
 * errors. */
Status clv_model_lines_double(ModelLines *lines, const char *what, double *value);
Status clv_model_lines_integer(ModelLines *lines, const char *what, int64_t least, int64_t most,
                               int64_t *value);
/* Fails if the line has more words. */
Status clv_model_lines_done(ModelLines *lines);

#endif
