/* Converts Arrow record batches to the text of a table. */
#ifndef READ_ARROW_H
#define READ_ARROW_H

#include "base/memory.h"

#include <cleave.h>

/* What the type of a column implies for its kind. */
typedef enum { ARROW_ANY = '?', ARROW_NUMBER = 'n', ARROW_CATEGORY = 'c' } ArrowKind;

/* Writes batches as CSV with a header, to the buffer or, if file is not -1, through it to a file.
 * The caller frees the buffers, also on failure. */
typedef struct {
    Context *context;
    const char *name;
    int file;
    cleave_error *error;
    const cleave_rows *rows; /* labels and weights: further columns; NULL: none */
    const char *label;       /* name of the column of labels; NULL: unknown */
    size_t row;              /* number of rows of all batches */
    uint64_t written;        /* bytes written to the file */
    uint64_t most;           /* limit of the text, by clv_arrow_limit; 0: none */
    Buffer csv;
    Buffer kinds;   /* an ArrowKind per column, without the columns of rows */
    Buffer columns; /* kinds of columns in the syntax of the option "columns"; only with a label */
} ArrowWriter;

/* Limits the text for this many bytes of input. A few bytes can expand to much text: indexes of
 * long values, and columns without values. */
void clv_arrow_limit(ArrowWriter *writer, uint64_t bytes);
/* Refuses columns of types that are not supported. */
Status clv_arrow_begin(ArrowWriter *writer, const struct ArrowSchema *schema);
Status clv_arrow_put(ArrowWriter *writer, const struct ArrowSchema *schema,
                     const struct ArrowArray *batch);
/* Writes the rest of the buffer to the file. */
Status clv_arrow_end(ArrowWriter *writer);
/* Calls these functions for a stream, which is read to its end and released. A second stream must
 * have the same columns. */
Status clv_arrow_put_stream(ArrowWriter *writer, struct ArrowArrayStream *stream);

#endif
