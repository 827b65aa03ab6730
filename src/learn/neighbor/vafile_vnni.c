/* The loops of the VA-file for AVX-512 with VNNI; empty on other machines. */
#ifdef __AVX512VNNI__
#include <immintrin.h>

#define MM(name) _mm512_##name
#define SI(name) _mm512_##name##_si512
#define AT_LEAST(sum, least) _mm512_cmpge_epi32_mask(sum, least)
#define VNNI

enum { WORDS = 16, GROUP = 4, QUERIES = 6 };
typedef __m512i Register;
typedef __m512 Floats;

#include "learn/neighbor/vafile_tile.h"

const VaKernels clv_va_vnni = {"vnni", tile, one, scaled, dot, multiply};
#else
typedef int NoVnni;
#endif
