/*
 * What tells one run from another: version, method, every option, the data; names and values in turn. Files that a run goes on from hold
 * it, so that those of another run are refused, and the first name that differs says why.
 */
#ifndef TRAIN_IDENTITY_H
#define TRAIN_IDENTITY_H

#include "base/hash.h"
#include "base/param.h"
#include "data/dataset.h"

typedef struct {
    Context *context;
    cleave_error *error;
    Buffer *list; /* each name and each value with its NUL */
} Identity;

Status clv_identity_add(const Identity *identity, const char *name, const char *value);
Status clv_identity_count(const Identity *identity, const char *name, uint64_t count);
Status clv_identity_hash(const Identity *identity, const char *name, const Hash *hash);
/* Flags are told as they are written; skip may be NULL. */
Status clv_identity_params(const Identity *identity, const Param *params, const void *options,
                           bool (*skip)(const char *name));
void clv_identity_hash_labels(const Labels *labels, Hash *hash);
/* Numbers of rows, features and non-zeros, labels, and rows: all of them, or some here and there, so that the data need not be read. `which`
 * is put behind each name. */
Status clv_identity_dataset(const Identity *identity, Dataset *dataset, const char *which, bool all_rows);

/* The first fact of which both lists know the name and not the value alike; NULL name: they differ otherwise. */
typedef struct {
    const char *name, *theirs, *mine;
} Difference;
Difference clv_identity_difference(const char *theirs, size_t size, const Buffer *mine);

#endif
