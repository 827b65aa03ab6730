/*
 * Shared by the fuzz targets. A target is LLVMFuzzerTestOneInput: for any bytes, the library must
 * return a result that satisfies its invariants, or an error with a message. Memory is limited, so
 * that a length in the input cannot cause a huge allocation. A violated invariant traps.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "data/source.h"

#include <stddef.h>
#include <stdint.h>

struct Format;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Traps, so that both libFuzzer and the replay stop at the place. */
#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

/* A single allocation may take up to 256 MB. */
void *fuzz_allocate(void *user, void *old, size_t size);

/* Checks that a note or warning has a text. */
void fuzz_log(void *user, cleave_log_level level, const char *message, const char *hint);

static inline cleave_context *fuzz_context(void)
{
    return cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = fuzz_allocate, .log = fuzz_log, .threads = 1});
}

/* Checks that a failed call sets its code and a message. */
static inline void fuzz_check_error(cleave_code code, const cleave_error *error)
{
    PROMISE(code != CLEAVE_OK);
    PROMISE(code != CLEAVE_ERROR_INTERNAL);
    PROMISE(error->code == code);
    PROMISE(error->message[0] != '\0');
}

/* Columns increase and stay below the block's features, labels are known, values are finite and not
 * 0; any_value: the values are not checked, because in our own file only the checksum protects
 * them. */
void fuzz_check_block(const Block *block, uint32_t labels, bool any_value);

/* Reads a source to its end, checking each block; true when it ended without an error. */
bool fuzz_drain(Source *source, bool any_value);

#endif
