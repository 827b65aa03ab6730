/* The loops for AVX2; empty on other machines. */
#ifdef KERNEL_LOOPS_X86
#include <immintrin.h>

typedef __m256 Vector;
#define WIDTH 8
#define ROWS 4

static inline __m256i some_of(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

#define LOAD(from) _mm256_loadu_ps(from)
#define STORE(to, vector) _mm256_storeu_ps(to, vector)
#define LOAD_SOME(from, count) _mm256_maskload_ps(from, some_of(count))
#define STORE_SOME(to, vector, count) _mm256_maskstore_ps(to, some_of(count), vector)
#define SPREAD(number) _mm256_set1_ps(number)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define NAME "avx2"
#define LOOPS clv_layer_loops_avx2
#include "learn/network/layer_loops_body.h"
#else
typedef int loops_of_another_machine; /* a translation unit must not be empty */
#endif
