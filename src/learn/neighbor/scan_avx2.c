/* The loops of the scan for AVX2 and FMA; empty on other machines. */
#ifdef __AVX2__
#include <immintrin.h>

#define MM(name) _mm256_##name
#define WIDTH 8
#define POINTS 2
#define PANEL_QUERIES 6
#define NAME "avx2"
#define LOOPS clv_scan_avx2

typedef __m256 Vector;
typedef __m256i Mask;

#define MASK_OF(columns)                                                                           \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(columns)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define LOAD_SOME(from, mask) _mm256_maskload_ps(from, mask)
#define NOT_BELOW(a, b) (uint32_t) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_NLT_UQ))
static inline __m128 quarter_of(Vector a)
{
    return _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
}

#define REDUCTION(name, op)                                                                        \
    static inline float name(Vector a)                                                             \
    {                                                                                              \
        __m128 four = _mm_##op##_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));       \
        __m128 two = _mm_##op##_ps(four, _mm_movehl_ps(four, four));                               \
                                                                                                   \
        return _mm_cvtss_f32(_mm_##op##_ss(two, _mm_movehdup_ps(two)));                            \
    }
REDUCTION(sum_of, add)
REDUCTION(largest_of, max)

#include "learn/neighbor/scan_body.h"
#else
typedef int NoAvx2;
#endif
