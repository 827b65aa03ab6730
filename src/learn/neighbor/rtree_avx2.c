/* The loops of R-trees for AVX2; empty on other machines. */
#ifdef __AVX2__
#include <immintrin.h>

typedef __m256d Lanes;
#define LANES 4
#define LOAD(floats) _mm256_cvtps_pd(_mm_loadu_ps(floats))
#define SPREAD(value) _mm256_set1_pd(value)
#define LARGER(a, b) _mm256_max_pd(a, b)
#define ABSOLUTE(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)

static inline unsigned keep(Lanes all, double bound, unsigned i, unsigned count, double *key,
                            unsigned *entry, unsigned kept)
{
    unsigned mask = (unsigned)_mm256_movemask_pd(
        _mm256_cmp_pd(all, _mm256_set1_pd(bound), _CMP_LE_OQ));
    double value[LANES];

    if (count - i < LANES)
        mask &= (1u << (count - i)) - 1;
    if (!mask)
        return kept;
    _mm256_storeu_pd(value, all);
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        key[kept] = value[lane];
        entry[kept++] = i + lane;
    }
    return kept;
}

#define NAME "avx2"
#define LOOPS clv_rtree_avx2
#include "learn/neighbor/rtree_body.h"
#else
typedef int NoAvx2;
#endif
