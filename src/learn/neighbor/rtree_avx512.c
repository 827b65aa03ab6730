/* The loops of R-trees for AVX-512; empty on other machines. */
#ifdef __AVX512VL__
#include <immintrin.h>

typedef __m512d Lanes;
#define LANES 8
#define LOAD(floats) _mm512_cvtps_pd(_mm256_loadu_ps(floats))
#define SPREAD(value) _mm512_set1_pd(value)
#define LARGER(a, b) _mm512_max_pd(a, b)
#define ABSOLUTE(a) _mm512_abs_pd(a)

/* Writes whole registers. Elements after those kept are overwritten later or ignored. */
static inline unsigned keep(Lanes all, double bound, unsigned i, unsigned count, double *key,
                            unsigned *entry, unsigned kept)
{
    __mmask8 mask = _mm512_cmp_pd_mask(all, _mm512_set1_pd(bound), _CMP_LE_OQ);
    __m256i lanes;

    if (count - i < LANES)
        mask &= (__mmask8)((1u << (count - i)) - 1);
    if (!mask)
        return kept;
    lanes = _mm256_add_epi32(_mm256_set1_epi32((int)i), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm512_storeu_pd(key + kept, _mm512_maskz_compress_pd(mask, all));
    _mm256_storeu_si256((__m256i *)(entry + kept), _mm256_maskz_compress_epi32(mask, lanes));
    return kept + (unsigned)__builtin_popcount(mask);
}

#define NAME "avx512"
#define LOOPS clv_rtree_avx512
#include "learn/neighbor/rtree_body.h"
#else
typedef int NoAvx512;
#endif
