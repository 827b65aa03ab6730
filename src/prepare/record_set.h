/* Rows of a table, or lines of `label<TAB>text`, written as they stand in the files: behind cleave_convert and cleave_split. */
#ifndef PREPARE_RECORD_SET_H
#define PREPARE_RECORD_SET_H

#include "prepare/convert.h"

typedef struct {
    Source *source; /* NULL: the rows are not written as records */
    WriteHow how;
    /* Where rows are wanted out of order, or can be read only once: all records, in memory. */
    bool held;
    Buffer text, header;
    uint64_t *end; /* of each record in text */
    size_t end_capacity;
    uint64_t rows, *order; /* order: in which rows are written; NULL: as in the data */
} RecordSet;

typedef bool (*RowChosen)(const void *user, uint64_t row);

/* Whether the rows of a source that is not read yet can be written to path as records, by its suffix or `to`. */
bool clv_records_apply(const Source *source, const char *path, const char *to);
/* Before the source is read. held: keep the records in memory; they are complete when the source has ended. */
Status clv_records_begin(RecordSet *records, Source *source, const char *path, const WriteHow *how, bool held,
                         cleave_error *error);
/* Draws an order of the rows, which must be held. */
Status clv_records_shuffle(RecordSet *records, uint64_t seed, cleave_error *error);
/* Writes the header and the rows chosen (chosen NULL: all), reading the source where they are not held. Whole or not at all. */
Status clv_records_write(RecordSet *records, const char *path, RowChosen chosen, const void *user,
                         cleave_conversion *done, cleave_error *error);
void clv_records_end(RecordSet *records);

#endif
