/*
 * A source in a seeded random order, in bounded memory: rows are thrown into buckets by chance, the buckets spooled to one
 * temporary file, and each bucket given out in random order. The result is a uniform shuffle that depends on the rows'
 * order and the seed alone; memory holds a few megabytes of blocks being filled and the row numbers of one bucket.
 */
#ifndef DATA_SHUFFLE_H
#define DATA_SHUFFLE_H

#include "data/source.h"

/* Reads source to its end; does not take it over, and its labels, names and schema stay with it. The temporary file lies
 * beside path, which may be NULL. */
Status clv_shuffle_source(Source *source, uint64_t seed, const char *path, Source **shuffled, cleave_error *error);

#endif
