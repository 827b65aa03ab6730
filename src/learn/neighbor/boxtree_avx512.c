/* The tree search for AVX-512; empty on other machines. */
#ifdef __AVX512F__
#include <immintrin.h>
#include <stdint.h>

typedef __m512 Lanes;
typedef __m512d Wide;

#define lanes_all(x) _mm512_set1_ps(x)
#define lanes_load(at) _mm512_loadu_ps(at)
#define lanes_add(a, b) _mm512_add_ps(a, b)
#define lanes_sub(a, b) _mm512_sub_ps(a, b)
#define lanes_max(a, b) _mm512_max_ps(a, b) /* the result is b if one is NaN */
#define lanes_abs(a) _mm512_abs_ps(a)
#define lanes_add_square(sum, x) _mm512_fmadd_ps(x, x, sum)
#define lanes_store(at, a) _mm512_storeu_ps(at, a)
/* A bit per lane that is not above the threshold and not NaN. */
#define lanes_within(a, threshold)                                                                 \
    ((uint32_t)_mm512_cmp_ps_mask(a, _mm512_set1_ps(threshold), _CMP_LE_OQ))

#define wide_all(x) _mm512_set1_pd(x)
#define wide_load(at) _mm512_cvtps_pd(_mm256_loadu_ps(at))
#define wide_add(a, b) _mm512_add_pd(a, b)
#define wide_sub(a, b) _mm512_sub_pd(a, b)
#define wide_mul(a, b) _mm512_mul_pd(a, b)
#define wide_max(a, b) _mm512_max_pd(a, b)
#define wide_abs(a) _mm512_abs_pd(a)
#define wide_store(at, a) _mm512_storeu_pd(at, a)

/* The lane with the smallest value among those with a set bit. */
static inline uint32_t lanes_nearest(const float *at, uint32_t among)
{
    Lanes all = lanes_load(at);
    float least = _mm512_mask_reduce_min_ps((__mmask16)among, all);

    return (uint32_t)__builtin_ctz(
        _mm512_mask_cmp_ps_mask((__mmask16)among, all, _mm512_set1_ps(least), _CMP_EQ_OQ));
}

#define WALK clv_boxtree_walk_avx512
#include "learn/neighbor/boxtree_walk.h"
#else
typedef int NoAvx512;
#endif
