/* The loops of narrow.h, compiled for each kind of register. LOOPS: the name of the form. */
#include "learn/neighbor/narrow.h"

#include <stdint.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

static void unpack_uint8(const void *from, size_t count, float *restrict to)
{
    const uint8_t *value = from;

    for (size_t i = 0; i < count; i++)
        to[i] = (float)value[i];
}

static void unpack_int8(const void *from, size_t count, float *restrict to)
{
    const int8_t *value = from;

    for (size_t i = 0; i < count; i++)
        to[i] = (float)value[i];
}

/* The exponent of a float16 is 112 less than that of the float32 with these bits; the product is
 * exact, also for subnormal numbers. */
static void unpack_float16(const void *from, size_t count, float *restrict to)
{
    const uint16_t *value = from;
    size_t i = 0;

#ifdef __F16C__
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(value + i))));
#endif
    for (; i < count; i++) {
        uint32_t bits = (uint32_t)value[i], size = (bits & 0x7fff) << 13;
        float number;

        memcpy(&number, &size, sizeof number);
        number *= 0x1p112F;
        memcpy(&size, &number, sizeof size);
        size |= (bits & 0x8000) << 16;
        memcpy(&to[i], &size, sizeof size);
    }
}

static void unpack_bfloat16(const void *from, size_t count, float *restrict to)
{
    const uint16_t *value = from;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)value[i] << 16;

        memcpy(&to[i], &bits, sizeof bits);
    }
}

const NarrowLoops LOOPS = {.unpack = {[NARROW_UINT8] = unpack_uint8,
                                      [NARROW_INT8] = unpack_int8,
                                      [NARROW_FLOAT16] = unpack_float16,
                                      [NARROW_BFLOAT16] = unpack_bfloat16}};
