/*
 * XXH64 (Yann Collet): the checksum of our files and the hash of our dictionaries. Fast enough that checking a dataset
 * costs less than touching it.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t clv_hash(const void *data, size_t size, uint64_t seed);

#endif
