/* Chooses the type of narrow numbers, and packs them; see narrow.h. */
#include "learn/neighbor/narrow.h"
#include "learn/neighbor/simd.h"

#include <stdint.h>
#include <string.h>

static bool has_conversion(void)
{
#ifdef CLEAVE_X86_KERNELS
    return __builtin_cpu_supports("f16c") != 0;
#else
    return false;
#endif
}

const NarrowLoops *clv_narrow_loops(void)
{
    static const NarrowLoops *const form[SIMD_LEVELS] = SIMD_FORMS(&clv_narrow_plain,
                                                                   &clv_narrow_avx2);

    return form[simd_level() > SIMD_PLAIN && has_conversion() ? SIMD_AVX2 : SIMD_PLAIN];
}

static inline uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool are_integers(const float *values, size_t count, float least, float most)
{
    bool differs = false;

    for (size_t i = 0; i < count; i++) {
        float x = values[i] > least ? values[i] : least;

        x = x < most ? x : most;
        differs |= (float)(int32_t)x != values[i];
    }
    return !differs;
}

/* The float16 that a number is, if there is one. */
static inline uint16_t half_of(float x)
{
    uint32_t bits = bits_of(x);
    float small;

    bits &= 0x7fffffff;
    memcpy(&small, &bits, sizeof small);
    small *= 0x1p-112F;
    return (uint16_t)((bits_of(small) >> 13 & 0x7fff) | (bits_of(x) >> 16 & 0x8000));
}

static bool are_halves(const float *values, size_t count)
{
    enum { PIECE = 256 };
    uint16_t half[PIECE];
    float again[PIECE];
    bool differs = false;

    for (size_t first = 0; first < count; first += PIECE) {
        size_t some = count - first < PIECE ? count - first : PIECE;

        for (size_t i = 0; i < some; i++) {
            half[i] = half_of(values[first + i]);
            differs |= (half[i] & 0x7c00) == 0x7c00;
        }
        clv_narrow_loops()->unpack[NARROW_FLOAT16](half, some, again);
        for (size_t i = 0; i < some; i++)
            differs |= again[i] != values[first + i];
    }
    return !differs;
}

static bool are_short(const float *values, size_t count)
{
    uint32_t rest = 0;

    for (size_t i = 0; i < count; i++)
        rest |= bits_of(values[i]) & 0xffff;
    return rest == 0;
}

static bool represents(NarrowType type, const float *values, size_t count)
{
    switch (type) {
    case NARROW_UINT8:
        return are_integers(values, count, 0, UINT8_MAX);
    case NARROW_INT8:
        return are_integers(values, count, INT8_MIN, INT8_MAX);
    case NARROW_FLOAT16:
        return are_halves(values, count);
    default:
        return are_short(values, count);
    }
}

NarrowType clv_narrow_type(const float *values, size_t count)
{
    enum { PIECE = 4096 };
    NarrowType type = NARROW_UINT8;

    for (; type < NARROW_TYPES; type++) {
        size_t first = 0;

        while (first < count &&
               represents(type, values + first, count - first < PIECE ? count - first : PIECE))
            first += PIECE;
        if (first >= count)
            return type;
    }
    return NARROW_NONE;
}

void clv_narrow_pack(NarrowType type, float *values, size_t count)
{
    char *to = (char *)values;

    for (size_t i = 0; i < count; i++) {
        float x;
        uint16_t bits;

        memcpy(&x, to + i * sizeof x, sizeof x);
        bits = type == NARROW_UINT8     ? (uint16_t)(uint8_t)x
               : type == NARROW_INT8    ? (uint8_t)(int8_t)x
               : type == NARROW_FLOAT16 ? half_of(x)
                                        : (uint16_t)(bits_of(x) >> 16);
        if (narrow_size(type) == 1)
            to[i] = (char)bits;
        else
            memcpy(to + i * sizeof bits, &bits, sizeof bits);
    }
}
