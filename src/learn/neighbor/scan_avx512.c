/* The loops of the scan for AVX-512: compiled with -mavx512f and others, and empty where the machine is another. */
#ifdef __AVX512F__
#include <immintrin.h>
#include <stdint.h>

#define WIDTH 16
#define POINTS 4
#define NAME "avx512"
#define LOOPS clv_scan_avx512

typedef __m512 Vector;
typedef __mmask16 Mask;

static inline Mask mask_of(uint32_t columns)
{
    return (Mask)((1U << columns) - 1);
}

static inline Vector zero(void)
{
    return _mm512_setzero_ps();
}

static inline Vector load(const float *from)
{
    return _mm512_loadu_ps(from);
}

static inline Vector load_some(const float *from, Mask mask)
{
    return _mm512_maskz_loadu_ps(mask, from);
}

static inline Vector minus(Vector a, Vector b)
{
    return _mm512_sub_ps(a, b);
}

static inline Vector plus(Vector a, Vector b)
{
    return _mm512_add_ps(a, b);
}

static inline Vector size_of(Vector a)
{
    return _mm512_abs_ps(a);
}

static inline Vector larger(Vector a, Vector b)
{
    return _mm512_max_ps(a, b);
}

static inline Vector plus_square(Vector a, Vector b)
{
    return _mm512_fmadd_ps(b, b, a);
}

static inline float sum_of(Vector a)
{
    return _mm512_reduce_add_ps(a);
}

static inline float largest_of(Vector a)
{
    return _mm512_reduce_max_ps(a);
}

#include "learn/neighbor/scan_body.h"
#else
typedef int NoAvx512;
#endif
