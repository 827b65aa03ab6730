/* Writing a source to a file in the format its name or `to` says: behind cleave_convert, cleave_split and cleave_generate. */
#ifndef PREPARE_CONVERT_H
#define PREPARE_CONVERT_H

#include "data/dataset.h"

#define CSV_SAFE_HELP "Prefix CSV cells that a spreadsheet would run as a formula."

/* An error where that format cannot be told or written. */
Status clv_write_check(const char *path, const char *to, cleave_error *error);
/* The name of that format ("cleave", "csv", …), or NULL. */
const char *clv_write_format(const char *path, const char *to);
/* After each block: counts it, reports progress, and fails when the user interrupts. */
Status clv_write_step(Source *from, const Block *block, cleave_conversion *done, cleave_error *error);
/* Says what becomes of categories, where the format does not know them. */
void clv_write_note(const Dataset *dataset, const char *path, const char *to);
#define FORCE_HELP "Write a table even if it is far larger than its input."
/* How a source is written. */
typedef struct {
    const char *to; /* format; NULL: from the suffix */
    bool csv_safe;  /* spreadsheets execute no cell */
    bool shuffle;
    uint64_t seed;
    bool force;        /* a table may be far larger than its input */
    uint64_t bytes_in; /* size of the input; 0: what the source has read */
} WriteHow;
Status clv_write_source(Source *source, const char *path, const WriteHow *how, cleave_conversion *done,
                        cleave_error *error);

#endif
