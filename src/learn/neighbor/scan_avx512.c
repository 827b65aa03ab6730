/* The loops of the scan for AVX-512; empty on other machines. */
#ifdef __AVX512F__
#include <immintrin.h>

#define MM(name) _mm512_##name
#define WIDTH 16
#define POINTS 4
#define PANEL_QUERIES 12
#define NAME "avx512"
#define LOOPS clv_scan_avx512

typedef __m512 Vector;
typedef __mmask16 Mask;

#define MASK_OF(columns) ((Mask)((1U << (columns)) - 1))
#define LOAD_SOME(from, mask) _mm512_maskz_loadu_ps(mask, from)
#define NOT_BELOW(a, b) _mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ)
static inline __m128 quarter_of(Vector a)
{
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));

    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
}

#define sum_of(a) _mm512_reduce_add_ps(a)
#define largest_of(a) _mm512_reduce_max_ps(a)

#include "learn/neighbor/scan_body.h"
#else
typedef int NoAvx512;
#endif
