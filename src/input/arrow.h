/* Converts Arrow record batches to the text of a table. */
#ifndef INPUT_ARROW_H
#define INPUT_ARROW_H

#include "base/memory.h"

/* Reads the stream to its end, writes the batches as CSV with a header, and releases the stream.
 * columns receives the kinds implied by the types, in the syntax of the option "columns", without
 * the column named label. The caller owns both buffers, also on failure. */
Status clv_arrow_to_csv(Context *context, struct ArrowArrayStream *stream, const char *label,
                        Buffer *csv, Buffer *columns, cleave_error *error);

#endif
