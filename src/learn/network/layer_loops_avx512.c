/* The loops for AVX-512; empty on other machines. */
#ifdef KERNEL_LOOPS_X86
#include <immintrin.h>

typedef __m512 Vector;
#define WIDTH 16
#define ROWS 8
#define SOME(count) ((__mmask16)((1U << (count)) - 1))
#define LOAD(from) _mm512_loadu_ps(from)
#define STORE(to, vector) _mm512_storeu_ps(to, vector)
#define LOAD_SOME(from, count) _mm512_maskz_loadu_ps(SOME(count), from)
#define STORE_SOME(to, vector, count) _mm512_mask_storeu_ps(to, SOME(count), vector)
#define SPREAD(number) _mm512_set1_ps(number)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define NAME "avx512"
#define LOOPS clv_layer_loops_avx512
#include "learn/network/layer_loops_body.h"
#else
typedef int loops_of_another_machine; /* a translation unit must not be empty */
#endif
