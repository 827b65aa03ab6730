/*
 * Copies rows as text: the records of a table, the lines of `label<TAB>text`. A sink attached to a
 * reader receives the bytes of each row, in order. `convert` and `split` write tables this way, so
 * columns, cells and quotes stay unchanged.
 *
 * Files of one table may have another column order or delimiter than the first file. Their records
 * are rewritten to match the first file. Columns that --columns ignores are dropped.
 */
#ifndef READ_RECORDS_H
#define READ_RECORDS_H

#include "read/reader.h"

#define RECORD_HEADER UINT64_MAX

typedef struct {
    /* The bytes of a record with its line end. row counts from 0; RECORD_HEADER: the column
     * names. */
    Status (*take)(void *user, uint64_t row, const char *bytes, size_t size, cleave_error *error);
    void *user;
    bool safe; /* prefixes cells that a spreadsheet would execute with an apostrophe */
} RecordSink;

/* Returns whether the rows of the source can be written as records of a format ("csv" or "tsv"). */
bool clv_records_fit(const Source *source, const char *format);
/* Returns whether the source can be read a second time. */
bool clv_records_rewindable(const Source *source);
/* Attaches a sink before the first row is read. Fails if an option changes cells. */
Status clv_records_attach(Source *source, const char *format, const RecordSink *sink,
                          cleave_error *error);
void clv_records_detach(Source *source);
/* Returns the columns of the records after the first row; 0: lines of text, or no sink. */
uint32_t clv_records_columns(const Source *source);

/* For the reader: passes the records of a settled chunk to the sink. */
Status clv_records_emit(Reader *reader, const Chunk *chunk, cleave_error *error);
void clv_records_free(Reader *reader);

#endif
