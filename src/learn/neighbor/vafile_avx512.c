/* The loops of the VA-file for AVX-512 without VNNI; empty on other machines. */
#ifdef __AVX512BW__
#include <immintrin.h>

#define MM(name) _mm512_##name
#define SI(name) _mm512_##name##_si512
#define AT_LEAST(sum, least) _mm512_cmpge_epi32_mask(sum, least)

enum { WORDS = 16, GROUP = 2, QUERIES = 6 };
typedef __m512i Register;
typedef __m512 Floats;

#include "learn/neighbor/vafile_tile.h"

const VaKernels clv_va_avx512 = {"avx512", tile, one, scaled, dot, multiply};
#else
typedef int NoAvx512;
#endif
