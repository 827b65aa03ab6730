/*
 * Features in plain spelling, many at a time, by the vector unit: INDEX:VALUE with one blank behind, an index of up to seven
 * digits, a value of up to eight, with a sign and a point or without. What is spelled otherwise is left to libsvm.c, which reads
 * the same from the same text, one by one.
 */
#ifndef READ_LIBSVM_RUN_H
#define READ_LIBSVM_RUN_H

#include <stddef.h>
#include <stdint.h>

enum { RUN_SPARE = 8 }; /* entries that may be written behind those taken */

typedef struct {
    const char *text; /* the first feature; then the first byte not taken. NUMBER_SLACK bytes follow the text */
    uint16_t *gap;    /* room for all features that can follow, and for RUN_SPARE more */
    float *value;
    size_t count; /* of features taken, none of which is 0 */
    int32_t last; /* the index before the first (one less than the lowest in a new row); then the last one taken */
} FeatureRun;

typedef void (*TakeRun)(FeatureRun *run);

/* NULL where the machine has no such unit. */
TakeRun clv_libsvm_taker(void);

void clv_libsvm_take_avx2(FeatureRun *run);

#endif
