/*
 * SIMD parser for features in plain spelling: INDEX:VALUE followed by one blank, an index of up to
 * seven digits, and a value of up to eight digits with an optional sign and point. libsvm.c parses
 * all other spellings one by one; both give identical results.
 */
#ifndef READ_LIBSVM_RUN_H
#define READ_LIBSVM_RUN_H

#include <stddef.h>
#include <stdint.h>

enum { RUN_SPARE = 8 }; /* number of entries that may be written after the parsed ones */

typedef struct {
    /* the first feature; after the call, the first byte not parsed. NUMBER_SLACK bytes follow the
     * text. */
    const char *text;
    uint16_t *gap; /* memory for all features that can follow, and for RUN_SPARE more */
    float *value;
    size_t count; /* number of parsed features, all nonzero */
    int32_t
        last; /* the previous index (one less than the lowest in a new row); then the last index */
} FeatureRun;

typedef void (*TakeRun)(FeatureRun *run);

/* Returns NULL if the processor does not support the instructions. */
TakeRun clv_libsvm_taker(void);

void clv_libsvm_take_avx2(FeatureRun *run);

#endif
