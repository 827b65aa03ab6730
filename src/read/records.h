/*
 * Rows as they stand in the files: the records of a table, the lines of `label<TAB>text`. A sink attached to a reader gets the
 * bytes of each row, in order, while the rows are read. `convert` and `split` write tables this way, so that columns, cells
 * and quotes stay as the user wrote them.
 *
 * Files of one table may have their columns in another order than the first file, or another delimiter: their records are
 * rewritten in the order and with the delimiter of the first. Columns that --columns ignores are left out.
 */
#ifndef READ_RECORDS_H
#define READ_RECORDS_H

#include "read/reader.h"

#define RECORD_HEADER UINT64_MAX

typedef struct {
    /* The bytes of a record, line end included. row counts from 0; RECORD_HEADER: the names of the columns. */
    Status (*take)(void *user, uint64_t row, const char *bytes, size_t size, cleave_error *error);
    void *user;
    bool safe; /* prefix cells that a spreadsheet would execute with an apostrophe */
} RecordSink;

/* Whether the rows of the source can be written as records of a format ("csv" or "tsv"). */
bool clv_records_fit(const Source *source, const char *format);
/* Whether the source can be read a second time. */
bool clv_records_rewindable(const Source *source);
/* Attaches a sink, before the first row is read. An error where an option changes cells. */
Status clv_records_attach(Source *source, const char *format, const RecordSink *sink, cleave_error *error);
void clv_records_detach(Source *source);
/* Columns of the records, once the first row is read; 0: lines of text, or nothing attached. */
uint32_t clv_records_columns(const Source *source);

/* For the reader: gives the records of a chunk, whose rows are settled, to the sink. */
Status clv_records_emit(Reader *reader, const Chunk *chunk, cleave_error *error);
void clv_records_free(Reader *reader);

#endif
