/* The loops of the VA-file for AVX2; empty on other machines. */
#ifdef __AVX2__
#include <immintrin.h>

#define MM(name) _mm256_##name
#define SI(name) _mm256_##name##_si256
#define AT_LEAST(sum, least)                                                                       \
    (~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(least, sum))) & 255)

enum { WORDS = 8, GROUP = 2, QUERIES = 3 };
typedef __m256i Register;
typedef __m256 Floats;

#include "learn/neighbor/vafile_tile.h"

const VaKernels clv_va_avx2 = {"avx2", tile, one, scaled, dot, multiply};
#else
typedef int NoAvx2;
#endif
