/*
 * Reads rows that arrive in pieces of memory, such as the body of a request, for a model. The
 * caller gives complete records; each piece becomes one block. Only formats of lines are read this
 * way: text, tables and LIBSVM.
 *
 *     clv_pieces_open    makes the source, for the schema and the names of a model
 *     clv_pieces_start   reads the header of a table; again for each new table
 *     clv_pieces_cut     bytes of complete records
 *     clv_pieces_give    the records that the next call of source_next returns
 */
#ifndef READ_PIECES_H
#define READ_PIECES_H

#include "read/reader.h"

/* options, guide and name must outlive the source. name is for messages. */
Status clv_pieces_open(Context *context, const char *name, const Format *format,
                       const ReadOptions *options, const ReadGuide *guide, Source **source,
                       cleave_error *error);
/* Begins a new input. head: its first bytes, which contain the first two lines of a table, or the
 * whole input (whole). *skip is the size of the header. */
Status clv_pieces_start(Source *source, const char *head, size_t size, bool whole, size_t *skip,
                        cleave_error *error);
/* Returns how many of the bytes are complete records. */
size_t clv_pieces_cut(const Source *source, const char *text, size_t size);
/* Gives records, which are copied. The last may lack its newline. source_next then returns their
 * rows, or NULL if there are none. Errors count lines from the start of the input. */
Status clv_pieces_give(Source *source, const char *text, size_t size, cleave_error *error);

#endif
