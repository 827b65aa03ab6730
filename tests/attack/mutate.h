/*
 * What the attacks share: seeded changes of bytes and of bundles (base/bundle.h), and the driver of a campaign.
 *
 * Mutant number n of a campaign depends on the seed and n alone, so that `--seed S --first n --count 1` makes it again. When the
 * process dies (a signal, a sanitizer report, too much processor time), the driver prints this command line.
 */
#ifndef TESTS_ATTACK_MUTATE_H
#define TESTS_ATTACK_MUTATE_H

#include "base/random.h"

#include <cleave.h>

/* ---- bytes */

typedef struct {
    unsigned char *bytes;
    size_t size, capacity;
} Bytes;

void bytes_set(Bytes *bytes, const void *from, size_t size);
/* Puts count bytes (NULL: zeros) in place of those from at to at + gone. */
void bytes_replace(Bytes *bytes, size_t at, size_t gone, const void *with, size_t count);
void bytes_free(Bytes *bytes);
/* A copy of exactly its size, on a multiple of 64, so that a read past the end is seen; to be freed with free(). */
unsigned char *bytes_exact(const Bytes *bytes);

/* One random change of the bytes from `from` on: a bit, a byte, an extreme number, a piece that is repeated, removed, moved or taken from
 * other (which may be NULL), or an end that is cut off. */
void mutate_bytes(Bytes *bytes, size_t from, const Bytes *other, Random *random);
/* An extreme or random number of 4 or 8 bytes, an integer or of floating point, as bytes. */
void mutate_number(unsigned char *at, size_t width, Random *random);

/* ---- bundles */

typedef struct {
    char name[256]; /* may be longer than its string: name_size bytes are written */
    uint32_t name_size, type;
    uint64_t count; /* as written; the bytes may be fewer */
    Bytes data;
} BundlePart;

typedef struct {
    char header[64];
    BundlePart *part;
    size_t parts, capacity;
} BundleParts;

/* False where the bytes are no bundle. */
bool bundle_take_apart(const Bytes *bytes, BundleParts *parts);
/* Sizes, places and the checksum are right. */
void bundle_put_together(const BundleParts *parts, Bytes *bytes);
void bundle_parts_free(BundleParts *parts);
BundlePart *bundle_part(BundleParts *parts, const char *name); /* NULL: there is none */
/* Makes the checksum right for whatever the bytes are. */
void bundle_mend(unsigned char *bytes, size_t size);

/* One random change of a part or of the list of parts: elements, length, type, name; parts doubled, removed, swapped or taken from other. */
void mutate_parts(BundleParts *parts, const BundleParts *other, Random *random);

/* ---- a campaign */

typedef struct {
    uint64_t seed, first, count;
    bool verbose;
} Attack;

/* Reads --seed N, --first N, --count N and --verbose; count is the default, the seed is of the clock unless CLEAVE_SEED or --seed says
 * one. Prints the seed. Other arguments end the program. */
Attack attack_begin(int argc, char **argv, uint64_t count);
/* Mutant n is next: random numbers for it, and seconds of processor time that it may take. */
Random attack_next(const Attack *attack, uint64_t n, unsigned seconds);
/* Prints what is wrong and how to make the mutant again, and ends the program. */
void attack_fail(const char *what, const char *detail);
/* An allocator for cleave_config that refuses single requests of more than 256 MB. */
void *attack_allocate(void *user, void *old, size_t size);
/* A failed call has a code other than CLEAVE_ERROR_INTERNAL and a message; otherwise attack_fail. Returns whether code is CLEAVE_OK. */
bool attack_check(cleave_code code, const cleave_error *error, const char *call);

#endif
