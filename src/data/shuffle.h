/*
 * External shuffle: a source in a seeded random order with bounded memory. Rows are assigned to
 * random buckets, the buckets are spooled to one temporary file, and each bucket is returned in
 * random order. The result is a uniform shuffle that depends only on the order of the rows and the
 * seed. Memory holds a few megabytes of partial blocks and the row numbers of one bucket.
 */
#ifndef DATA_SHUFFLE_H
#define DATA_SHUFFLE_H

#include "data/source.h"

/* Reads source to its end without taking ownership; its labels, names and schema stay with it. The
 * temporary file is created beside path, which may be NULL. */
Status clv_shuffle_source(Source *source, uint64_t seed, const char *path, Source **shuffled,
                          cleave_error *error);

#endif
