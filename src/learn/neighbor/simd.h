/* The forms of the loops of this module. A form has a level: the vector instructions that it
 * requires. */
#ifndef LEARN_NEIGHBOR_SIMD_H
#define LEARN_NEIGHBOR_SIMD_H

#include <stddef.h>

enum { SIMD_PLAIN, SIMD_AVX2, SIMD_AVX512, SIMD_VNNI, SIMD_LEVELS };

/* The forms by level. Files with vector forms are compiled with CLEAVE_X86_KERNELS if the
 * compiler supports the instructions. */
#ifdef CLEAVE_X86_KERNELS
#define SIMD_FORMS(plain, ...)                                                                     \
    {                                                                                              \
        plain, __VA_ARGS__                                                                         \
    }
#else
#define SIMD_FORMS(plain, ...)                                                                     \
    {                                                                                              \
        plain                                                                                      \
    }
#endif

/* The highest level that this machine supports. */
static inline size_t simd_level(void)
{
#ifdef CLEAVE_X86_KERNELS
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return SIMD_PLAIN;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
        return SIMD_AVX2;
    return __builtin_cpu_supports("avx512vnni") ? SIMD_VNNI : SIMD_AVX512;
#else
    return SIMD_PLAIN;
#endif
}

#endif
