/*
 * Shared code of the attacks: seeded changes of bytes and of bundles (base/bundle.h), and the
 * driver of a campaign.
 *
 * Mutant n of a campaign depends only on the seed and n, so `--seed S --first n --count 1` repeats
 * it. If the process dies (a signal, a sanitizer report, too much processor time), the driver
 * prints this command line.
 */
#ifndef TESTS_ATTACK_MUTATE_H
#define TESTS_ATTACK_MUTATE_H

#include "base/random.h"

#include <cleave/expert.h>

/* ---- bytes */

typedef struct {
    unsigned char *bytes;
    size_t size, capacity;
} Bytes;

void bytes_set(Bytes *bytes, const void *from, size_t size);
/* Replaces the bytes from at to at + gone by count bytes (NULL: zeros). */
void bytes_replace(Bytes *bytes, size_t at, size_t gone, const void *with, size_t count);
void bytes_free(Bytes *bytes);
/* A copy of exactly this size, aligned to 64 bytes, so that a read past the end is detected. The
 * caller calls free(). */
unsigned char *bytes_exact(const Bytes *bytes);

/* One random change of the bytes after `from`: a bit, a byte, an extreme number, a truncation,
 * or a piece that is repeated, removed, moved or taken from other (which may be NULL). */
void mutate_bytes(Bytes *bytes, size_t from, const Bytes *other, Random *random);
/* Inserts one of the tokens, in place of up to three bytes. Few mutants get a NUL instead. */
void mutate_text(Bytes *bytes, const char *const *tokens, size_t count, Random *random);
/* An extreme or random number of 4 or 8 bytes, integer or floating point. */
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

/* False if the bytes are not a bundle. */
bool bundle_take_apart(const Bytes *bytes, BundleParts *parts);
/* Writes valid sizes, positions and checksum. */
void bundle_put_together(const BundleParts *parts, Bytes *bytes);
void bundle_parts_free(BundleParts *parts);
BundlePart *bundle_part(BundleParts *parts, const char *name); /* NULL if there is none */
/* Sets the checksum for the given bytes. */
void bundle_mend(unsigned char *bytes, size_t size);

/* One random change of a part or of the list of parts: elements, length, type or name, or parts
 * that are doubled, removed, swapped or taken from other. */
void mutate_parts(BundleParts *parts, const BundleParts *other, Random *random);

/* ---- a campaign */

typedef struct {
    uint64_t seed, first, count;
    uint64_t batch; /* mutants that share a limit of time and are repeated together */
    bool verbose;
} Attack;

/* Reads --seed N, --first N, --count N and --verbose. count is the default. Without CLEAVE_SEED
 * or --seed, the seed comes from the clock. Prints the seed. Other arguments end the program. */
Attack attack_begin(int argc, char **argv, uint64_t count);
/* Starts mutant n: its random numbers, and its limit of processor time in seconds. */
Random attack_next(const Attack *attack, uint64_t n, unsigned seconds);
/* Prints the failure and the command that repeats the mutant, and ends the program. */
void attack_fail(const char *what, const char *detail);
/* A context whose allocator refuses single requests of more than 64 MB. Its calls are cancelled
 * after a second of processor time per mutant: files from outside may cause endless work if it
 * can be cancelled. */
extern const cleave_config attack_config;
/* Checks that a failed call has a message and a code other than CLEAVE_ERROR_INTERNAL; otherwise
 * attack_fail. Returns whether code is CLEAVE_OK. */
bool attack_check(cleave_code code, const cleave_error *error, const char *call);

#endif
