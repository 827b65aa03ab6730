/*
 * Updates as lines of text, the currency of map and reduce as filters: NAME/INDEX, a tab, a number, a newline. Numbers are written so
 * that they read back as the same double. docs/formats/updates.md.
 */
#ifndef DIST_UPDATES_H
#define DIST_UPDATES_H

#include "base/file.h"
#include "model/delta.h"

/* The part that says which model the updates are for: its index is that model's mark, its value how many map tasks there were. */
#define UPDATE_MODEL "model"

/* What a part may be called, and where its indexes end. */
typedef struct {
    const char *name;
    uint64_t size;
} UpdateRule;

Status clv_updates_write(const Delta *delta, Output *output, cleave_error *error);

/* The sums of the values of equal keys, which must stand together, each rounded once; or, partial, so many numbers for each key that their
 * sum is what there was, to be summed again. "-" is standard input. */
Status clv_updates_reduce(Context *context, const char *const *paths, size_t count, bool partial, Output *output,
                          uint64_t *lines, uint64_t *keys, cleave_error *error);

/* All lines, in any order, each key once; rules end with a NULL name. */
Status clv_updates_read(Context *context, const char *const *paths, size_t count, const UpdateRule *rules, Delta *sum,
                        cleave_error *error);

#endif
