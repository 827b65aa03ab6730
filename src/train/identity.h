/* Facts that identify a run: version, method, every option, the data. They are a list of
 * alternating names and values. Checkpoints and journals store them, so that a file of another run
 * is refused with the first name that differs. */
#ifndef TRAIN_IDENTITY_H
#define TRAIN_IDENTITY_H

#include "base/hash.h"
#include "base/param.h"
#include "data/dataset.h"

typedef struct {
    Context *context;
    cleave_error *error;
    Buffer *list; /* names and values, each with its NUL */
} Identity;

Status clv_identity_add(const Identity *identity, const char *name, const char *value);
Status clv_identity_count(const Identity *identity, const char *name, uint64_t count);
Status clv_identity_hash(const Identity *identity, const char *name, const Hash *hash);
/* Adds options, named as the user writes them. skip may be NULL. */
Status clv_identity_params(const Identity *identity, const Param *params, const void *options,
                           bool (*skip)(const char *name));
void clv_identity_hash_labels(const Labels *labels, Hash *hash);
/* Adds the number of rows, features and non-zeros, the labels, and a hash of the rows: of all, or
 * of a sample so that the data is not read completely. `which` is appended to each name. */
Status clv_identity_dataset(const Identity *identity, Dataset *dataset, const char *which,
                            bool all_rows);

/* The first fact whose name is in both lists and whose values differ; name is NULL if the lists
 * differ otherwise. */
typedef struct {
    const char *name, *theirs, *mine;
} Difference;
Difference clv_identity_difference(const char *theirs, size_t size, const Buffer *mine);

#endif
