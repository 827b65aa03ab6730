/* Converts Arrow record batches to the text of a table. */
#ifndef INPUT_ARROW_H
#define INPUT_ARROW_H

#include "base/memory.h"

#include <cleave.h>

/* Reads the stream to its end, writes the batches as CSV with a header, and releases the stream.
 * rows adds the columns of labels, named label, and of weights. columns receives the kinds implied
 * by the types, in the syntax of the option "columns", without the column named label. The caller
 * owns both buffers, also on failure. */
Status clv_arrow_to_csv(Context *context, struct ArrowArrayStream *stream, const cleave_rows *rows,
                        const char *label, Buffer *csv, Buffer *columns, cleave_error *error);

#endif
