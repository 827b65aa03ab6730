/*
 * XXH64 (Yann Collet): the checksum of our files, and the columns of hashed words. Checking a
 * dataset costs less than reading it. Tables in memory use base/hash_table.h.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Integers at unaligned addresses. */
static inline uint64_t hash_read64(const unsigned char *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

static inline uint32_t hash_read32(const unsigned char *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

uint64_t clv_hash(const void *data, size_t size, uint64_t seed);

/* Incremental hash: begin, add pieces, end. The result equals clv_hash of the whole, whatever the
 * pieces are. */
typedef struct {
    uint64_t seed, size; /* size: bytes added so far */
    uint64_t lane[4];
    unsigned char held[32]; /* the last size % 32 bytes, an incomplete stripe */
} Hash;

void clv_hash_start(Hash *hash, uint64_t seed);
void clv_hash_add(Hash *hash, const void *data, size_t size);
uint64_t clv_hash_end(const Hash *hash);

#endif
