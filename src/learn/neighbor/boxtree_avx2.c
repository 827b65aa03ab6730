/* The walk for AVX2 and FMA: compiled with their flags, and empty where the machine is another. */
#ifdef __AVX2__
#include <immintrin.h>
#include <stdint.h>

typedef struct {
    __m256 a, b;
} Lanes;
typedef struct {
    __m256d a, b;
} Wide;

#define LANES(name, ...) static inline __attribute__((always_inline)) Lanes lanes_##name(__VA_ARGS__)
#define WIDE(name, ...) static inline __attribute__((always_inline)) Wide wide_##name(__VA_ARGS__)

LANES(all, float x)
{
    return (Lanes){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
LANES(load, const float *at)
{
    return (Lanes){_mm256_loadu_ps(at), _mm256_loadu_ps(at + 8)};
}
LANES(add, Lanes x, Lanes y)
{
    return (Lanes){_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
LANES(sub, Lanes x, Lanes y)
{
    return (Lanes){_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)};
}
LANES(max, Lanes x, Lanes y) /* y where one is NaN */
{
    return (Lanes){_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)};
}
LANES(abs, Lanes x)
{
    __m256 sign = _mm256_set1_ps(-0.0f);

    return (Lanes){_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b)};
}
LANES(add_square, Lanes sum, Lanes x)
{
    return (Lanes){_mm256_fmadd_ps(x.a, x.a, sum.a), _mm256_fmadd_ps(x.b, x.b, sum.b)};
}
static inline void lanes_store(float *at, Lanes x)
{
    _mm256_storeu_ps(at, x.a);
    _mm256_storeu_ps(at + 8, x.b);
}
/* A bit of each that is not above the threshold, nor NaN. */
static inline uint32_t lanes_within(Lanes x, float threshold)
{
    __m256 most = _mm256_set1_ps(threshold);

    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.a, most, _CMP_LE_OQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.b, most, _CMP_LE_OQ)) << 8;
}
/* The place of the least, of those that have a bit. */
static inline uint32_t lanes_nearest(const float *at, uint32_t among)
{
    uint32_t best = (uint32_t)__builtin_ctz(among);

    for (among &= among - 1; among; among &= among - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(among);

        best = at[lane] < at[best] ? lane : best;
    }
    return best;
}

WIDE(all, double x)
{
    return (Wide){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
WIDE(load, const float *at)
{
    return (Wide){_mm256_cvtps_pd(_mm_loadu_ps(at)), _mm256_cvtps_pd(_mm_loadu_ps(at + 4))};
}
WIDE(add, Wide x, Wide y)
{
    return (Wide){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
WIDE(sub, Wide x, Wide y)
{
    return (Wide){_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}
WIDE(mul, Wide x, Wide y)
{
    return (Wide){_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
WIDE(max, Wide x, Wide y)
{
    return (Wide){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}
WIDE(abs, Wide x)
{
    __m256d sign = _mm256_set1_pd(-0.0);

    return (Wide){_mm256_andnot_pd(sign, x.a), _mm256_andnot_pd(sign, x.b)};
}
static inline void wide_store(double *at, Wide x)
{
    _mm256_storeu_pd(at, x.a);
    _mm256_storeu_pd(at + 4, x.b);
}

#define WALK clv_boxtree_walk_avx2
#include "learn/neighbor/boxtree_walk.h"
#else
typedef int NoAvx2;
#endif
