/* The tree search for AVX2 and FMA; empty on other machines. */
#ifdef __AVX2__
#include <immintrin.h>
#include <stdint.h>

typedef struct {
    __m256 a, b;
} Lanes;
typedef struct {
    __m256d a, b;
} Wide;

/* Applies a function to both registers of each argument. */
#define ONE(type, name, from, a, b)                                                                \
    static inline __attribute__((always_inline)) type name(from)                                   \
    {                                                                                              \
        return (type){a, b};                                                                       \
    }
#define TWO(type, name, op)                                                                        \
    static inline __attribute__((always_inline)) type name(type x, type y)                         \
    {                                                                                              \
        return (type){op(x.a, y.a), op(x.b, y.b)};                                                 \
    }
#define add_square(sum, x) _mm256_fmadd_ps(x, x, sum)

ONE(Lanes, lanes_all, float x, _mm256_set1_ps(x), _mm256_set1_ps(x))
ONE(Lanes, lanes_load, const float *at, _mm256_loadu_ps(at), _mm256_loadu_ps(at + 8))
ONE(Lanes, lanes_abs, Lanes x, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x.a),
    _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x.b))
TWO(Lanes, lanes_add, _mm256_add_ps)
TWO(Lanes, lanes_sub, _mm256_sub_ps)
TWO(Lanes, lanes_max, _mm256_max_ps) /* the result is y if one is NaN */
TWO(Lanes, lanes_add_square, add_square)
ONE(Wide, wide_all, double x, _mm256_set1_pd(x), _mm256_set1_pd(x))
ONE(Wide, wide_load, const float *at, _mm256_cvtps_pd(_mm_loadu_ps(at)),
    _mm256_cvtps_pd(_mm_loadu_ps(at + 4)))
ONE(Wide, wide_abs, Wide x, _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.a),
    _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.b))
TWO(Wide, wide_add, _mm256_add_pd)
TWO(Wide, wide_sub, _mm256_sub_pd)
TWO(Wide, wide_mul, _mm256_mul_pd)
TWO(Wide, wide_max, _mm256_max_pd)

static inline void lanes_store(float *at, Lanes x)
{
    _mm256_storeu_ps(at, x.a);
    _mm256_storeu_ps(at + 8, x.b);
}
static inline void wide_store(double *at, Wide x)
{
    _mm256_storeu_pd(at, x.a);
    _mm256_storeu_pd(at + 4, x.b);
}
/* A bit per lane that is not above the threshold and not NaN. */
static inline uint32_t lanes_within(Lanes x, float threshold)
{
    __m256 most = _mm256_set1_ps(threshold);

    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.a, most, _CMP_LE_OQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.b, most, _CMP_LE_OQ)) << 8;
}

#define SCALAR_NEAREST
#define WALK clv_boxtree_walk_avx2
#include "learn/neighbor/boxtree_walk.h"
#else
typedef int NoAvx2;
#endif
