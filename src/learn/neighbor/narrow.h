/*
 * Narrow numbers: dense points are stored in the smallest type that represents each of their values
 * exactly. The float32 values, and with them all distances, are the same as without packing.
 *
 *     uint8, int8         integers from 0 to 255, from −128 to 127
 *     float16, bfloat16   5 or 8 bits of exponent, 10 or 7 of fraction
 */
#ifndef LEARN_NEIGHBOR_NARROW_H
#define LEARN_NEIGHBOR_NARROW_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    NARROW_NONE,
    NARROW_UINT8,
    NARROW_INT8,
    NARROW_FLOAT16,
    NARROW_BFLOAT16,
    NARROW_TYPES
} NarrowType;

typedef void Unpack(const void *from, size_t count, float *to);

/* Unpacking by type; NULL for NARROW_NONE. */
typedef struct {
    Unpack *unpack[NARROW_TYPES];
} NarrowLoops;
extern const NarrowLoops clv_narrow_plain, clv_narrow_avx2;
const NarrowLoops *clv_narrow_loops(void);

#define NARROW_LARGEST_HALF 65504.0F

/* Bytes of a value. */
static inline size_t narrow_size(NarrowType type)
{
    return type == NARROW_NONE ? sizeof(float) : type < NARROW_FLOAT16 ? 1 : 2;
}

/* The first type that represents these finite values exactly, or NARROW_NONE. */
NarrowType clv_narrow_type(const float *values, size_t count);
/* Packs values in place. */
void clv_narrow_pack(NarrowType type, float *values, size_t count);

#endif
