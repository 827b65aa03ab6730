/* The walk for AVX-512: compiled with its flags, and empty where the machine is another. */
#ifdef __AVX512F__
#include <immintrin.h>
#include <stdint.h>

typedef __m512 Lanes;
typedef __m512d Wide;

#define LANES(name, ...) static inline __attribute__((always_inline)) Lanes lanes_##name(__VA_ARGS__)
#define WIDE(name, ...) static inline __attribute__((always_inline)) Wide wide_##name(__VA_ARGS__)

LANES(all, float x)
{
    return _mm512_set1_ps(x);
}
LANES(load, const float *at)
{
    return _mm512_loadu_ps(at);
}
LANES(add, Lanes a, Lanes b)
{
    return _mm512_add_ps(a, b);
}
LANES(sub, Lanes a, Lanes b)
{
    return _mm512_sub_ps(a, b);
}
LANES(max, Lanes a, Lanes b) /* b where one is NaN */
{
    return _mm512_max_ps(a, b);
}
LANES(abs, Lanes a)
{
    return _mm512_abs_ps(a);
}
LANES(add_square, Lanes sum, Lanes x)
{
    return _mm512_fmadd_ps(x, x, sum);
}
static inline void lanes_store(float *at, Lanes a)
{
    _mm512_storeu_ps(at, a);
}
/* A bit of each that is not above the threshold, nor NaN. */
static inline uint32_t lanes_within(Lanes a, float threshold)
{
    return _mm512_cmp_ps_mask(a, _mm512_set1_ps(threshold), _CMP_LE_OQ);
}
/* The place of the least, of those that have a bit. */
static inline uint32_t lanes_nearest(const float *at, uint32_t among)
{
    Lanes all = lanes_load(at);
    float least = _mm512_mask_reduce_min_ps((__mmask16)among, all);

    return (uint32_t)__builtin_ctz(_mm512_mask_cmp_ps_mask((__mmask16)among, all, _mm512_set1_ps(least), _CMP_EQ_OQ));
}

WIDE(all, double x)
{
    return _mm512_set1_pd(x);
}
WIDE(load, const float *at)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(at));
}
WIDE(add, Wide a, Wide b)
{
    return _mm512_add_pd(a, b);
}
WIDE(sub, Wide a, Wide b)
{
    return _mm512_sub_pd(a, b);
}
WIDE(mul, Wide a, Wide b)
{
    return _mm512_mul_pd(a, b);
}
WIDE(max, Wide a, Wide b)
{
    return _mm512_max_pd(a, b);
}
WIDE(abs, Wide a)
{
    return _mm512_abs_pd(a);
}
static inline void wide_store(double *at, Wide a)
{
    _mm512_storeu_pd(at, a);
}

#define WALK clv_boxtree_walk_avx512
#include "learn/neighbor/boxtree_walk.h"
#else
typedef int NoAvx512;
#endif
