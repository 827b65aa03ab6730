/* Writes a source to a file in the format given by `to` or by the file's suffix. Used by
 * cleave_convert, cleave_split and cleave_generate. */
#ifndef PREPARE_CONVERT_H
#define PREPARE_CONVERT_H

#include "data/dataset.h"

#define CSV_SAFE_HELP "Prefix CSV cells that a spreadsheet would run as a formula."

/* Fails if the format is unknown or cannot be written. */
Status clv_write_check(const char *path, const char *to, cleave_error *error);
/* Returns the name of that format ("cleave", "csv", …), or NULL. */
const char *clv_write_format(const char *path, const char *to);
/* Called after each block: counts it, reports progress, and fails if the user interrupts. */
Status clv_write_step(Source *from, const Block *block, cleave_conversion *done,
                      cleave_error *error);
/* Notes how categories are written if the format has none. */
void clv_write_note(const Dataset *dataset, const char *path, const char *to);
#define FORCE_HELP "Write a table even if it is far larger than its input."
/* Options for writing a source. */
typedef struct {
    const char *to; /* name of the format; NULL: determined by the suffix */
    bool csv_safe;  /* prefixes cells that a spreadsheet would execute */
    bool shuffle;
    uint64_t seed;
    bool force;        /* writes the table even if it is far larger than its input */
    uint64_t bytes_in; /* size of the input; 0: bytes read by the source */
} WriteHow;
Status clv_write_source(Source *source, const char *path, const WriteHow *how,
                        cleave_conversion *done, cleave_error *error);

#endif
