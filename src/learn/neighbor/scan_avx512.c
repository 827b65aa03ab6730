/* The loops of the scan for AVX-512; empty on other machines. */
#ifdef __AVX512F__
#include <immintrin.h>

#define MM(name) _mm512_##name
#define WIDTH 16
#define POINTS 4
#define NAME "avx512"
#define LOOPS clv_scan_avx512

typedef __m512 Vector;
typedef __mmask16 Mask;

#define MASK_OF(columns) ((Mask)((1U << (columns)) - 1))
#define LOAD_SOME(from, mask) _mm512_maskz_loadu_ps(mask, from)
#define sum_of(a) _mm512_reduce_add_ps(a)
#define largest_of(a) _mm512_reduce_max_ps(a)

#include "learn/neighbor/scan_body.h"
#else
typedef int NoAvx512;
#endif
