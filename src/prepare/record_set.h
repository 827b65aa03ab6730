/* Copies rows of a table, or lines of `label<TAB>text`, unchanged. Used by cleave_convert and
 * cleave_split. */
#ifndef PREPARE_RECORD_SET_H
#define PREPARE_RECORD_SET_H

#include "prepare/convert.h"

typedef struct {
    Source *source; /* NULL: the rows are not written as records */
    WriteHow how;
    /* All records in memory, for rows in another order or data that can be read only once. */
    bool held;
    Buffer text, header;
    uint64_t *end; /* end of each record in text */
    size_t end_capacity;
    uint64_t rows, *order; /* number of written rows, and their order; NULL: as in the data */
} RecordSet;

typedef bool (*RowChosen)(const void *user, uint64_t row);

/* Returns whether the rows of an unread source can be written to path as records, by its suffix or
 * `to`. */
bool clv_records_apply(const Source *source, const char *path, const char *to);
/* Called before the source is read. held: keeps the records in memory, where they are complete when
 * the source has ended. */
Status clv_records_begin(RecordSet *records, Source *source, const char *path, const WriteHow *how,
                         bool held, cleave_error *error);
/* Draws a random order of the rows, which must be held in memory. */
Status clv_records_shuffle(RecordSet *records, uint64_t seed, cleave_error *error);
/* Writes the header and the chosen rows (NULL: all); reads the source if the rows are not held.
 * Writes the whole file or nothing. */
Status clv_records_write(RecordSet *records, const char *path, RowChosen chosen, const void *user,
                         cleave_conversion *done, cleave_error *error);
void clv_records_end(RecordSet *records);

#endif
