/*
 * Text as a character sequence: column i of a row is character i, its value the code point (exact
 * in float32, since there are 1,114,112). Text is not normalized, except that a carriage return at
 * the end of the line is dropped. Columns have numbers, not names, so a row may be longer than all
 * previous rows.
 */
#ifndef READ_SEQUENCE_H
#define READ_SEQUENCE_H

#include "read/reader.h"

#define MOST_SEQUENCE 65536u /* maximum number of characters */

/* Whether texts are read as sequences. Known from the start of the file on. */
bool clv_reads_sequences(const Reader *reader);
/* Parses one row. line counts from 1 in the chunk. */
Status clv_sequence_row(Chunk *chunk, const char *text, const char *stop, const char *label,
                        size_t length, uint64_t line);

#endif
