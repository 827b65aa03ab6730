/*
 * Text as it is: of a row, column i is the i-th character, its value the code point (exact in 32 bits: there are 1,114,112). Nothing is
 * folded or left out, but for a carriage return at the end of the line. Columns have numbers, not names, so that a row may be longer than
 * any before it.
 */
#ifndef READ_SEQUENCE_H
#define READ_SEQUENCE_H

#include "read/reader.h"

#define MOST_SEQUENCE 65536u /* characters */

/* Known from the start of the file on. */
bool clv_reads_sequences(const Reader *reader);
/* One row; line from 1 in the chunk. */
Status clv_sequence_row(Chunk *chunk, const char *text, const char *stop, const char *label, size_t length,
                        uint64_t line);

#endif
