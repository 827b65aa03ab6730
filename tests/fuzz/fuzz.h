/*
 * What the fuzz targets share. A target is LLVMFuzzerTestOneInput: any bytes, and the library must
 * answer with a result that holds its own promises or with an error that has a message. Memory is
 * limited, so that a length read from the input can not ask for the world; a broken promise traps.
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

/* A note or warning has a text. */
void fuzz_log(void *user, cleave_log_level level, const char *message, const char *hint);

static inline cleave_context *fuzz_context(void)
{
    return cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = fuzz_allocate, .log = fuzz_log, .threads = 1});
}

/* A failed call has the code in the error and something to say. */
static inline void fuzz_check_error(cleave_code code, const cleave_error *error)
{
    PROMISE(code != CLEAVE_OK);
    PROMISE(code != CLEAVE_ERROR_INTERNAL);
    PROMISE(error->code == code);
    PROMISE(error->message[0] != '\0');
}

/* Columns increase and stay below the block's features, labels are known, values are finite and
 * not 0; any_value: but for the values, which in our own file only the checksum vouches for. */
void fuzz_check_block(const Block *block, uint32_t labels, bool any_value);

/* Reads a source to its end, checking each block; true when it ended without an error. */
bool fuzz_drain(Source *source, bool any_value);

#endif
