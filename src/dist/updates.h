/* Updates as lines of text for map and reduce: NAME/INDEX, a tab, a number, a newline. Numbers are
 * written such that they are read back as the same double. docs/formats/updates.md. */
#ifndef DIST_UPDATES_H
#define DIST_UPDATES_H

#include "base/file.h"
#include "model/delta.h"

/* The part that identifies the model of the updates. Its index is the fingerprint of the model, and
 * its value is the number of map tasks. */
#define UPDATE_MODEL "model"

/* The name of a part and its largest index. */
typedef struct {
    const char *name;
    uint64_t size;
} UpdateRule;

Status clv_updates_write(const Delta *delta, Output *output, cleave_error *error);

/* Sums the values of equal keys, which must be adjacent. Each sum is rounded once. partial: writes
 * several numbers for each key whose sum is exact, to be summed again. "-" is standard input. */
Status clv_updates_reduce(Context *context, const char *const *paths, size_t count, bool partial,
                          Output *output, uint64_t *lines, uint64_t *keys, cleave_error *error);

/* Reads all lines, in any order, with each key once. The rules end with a NULL name. */
Status clv_updates_read(Context *context, const char *const *paths, size_t count,
                        const UpdateRule *rules, Delta *sum, cleave_error *error);

#endif
