/* The loops of the scan for AVX2 and FMA: compiled with -mavx2 -mfma, and empty where the machine is another. */
#ifdef __AVX2__
#include <immintrin.h>
#include <stdint.h>

#define WIDTH 8
#define POINTS 2
#define NAME "avx2"
#define LOOPS clv_scan_avx2

typedef __m256 Vector;
typedef __m256i Mask;

static inline Mask mask_of(uint32_t columns)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)columns), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline Vector zero(void)
{
    return _mm256_setzero_ps();
}

static inline Vector load(const float *from)
{
    return _mm256_loadu_ps(from);
}

static inline Vector load_some(const float *from, Mask mask)
{
    return _mm256_maskload_ps(from, mask);
}

static inline Vector minus(Vector a, Vector b)
{
    return _mm256_sub_ps(a, b);
}

static inline Vector plus(Vector a, Vector b)
{
    return _mm256_add_ps(a, b);
}

static inline Vector size_of(Vector a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a);
}

static inline Vector larger(Vector a, Vector b)
{
    return _mm256_max_ps(a, b);
}

static inline Vector plus_square(Vector a, Vector b)
{
    return _mm256_fmadd_ps(b, b, a);
}

static inline float sum_of(Vector a)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));

    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline float largest_of(Vector a)
{
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));

    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

#include "learn/neighbor/scan_body.h"
#else
typedef int NoAvx2;
#endif
