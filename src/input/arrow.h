/* Arrow record batches as the text of a table. */
#ifndef INPUT_ARROW_H
#define INPUT_ARROW_H

#include "base/memory.h"

/* Reads the stream to its end, writes the batches as CSV with a header, and releases the stream.
 * columns receives the kinds that the types imply, as the option "columns" takes them, without the
 * column named label. Both buffers belong to the caller, also if it fails. */
Status clv_arrow_to_csv(Context *context, struct ArrowArrayStream *stream, const char *label, Buffer *csv,
                        Buffer *columns, cleave_error *error);

#endif
