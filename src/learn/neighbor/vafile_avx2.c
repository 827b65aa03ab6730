/*
 * The loops of the VA-file for AVX2: compiled with -mavx2, and empty where the machine is another. Bytes are taken apart into even and odd
 * ones of 16 bits, whose products by twos are exact in 32.
 */
#ifdef __AVX2__
#include <immintrin.h>

#include "learn/neighbor/vafile_multiply.h"

enum { WORDS = 8, GROUP = 2, QUERIES = 3 };

typedef __m256i Register;
typedef struct {
    Register even, odd;
} Point, Asked;

INLINED Register load(const void *from)
{
    return _mm256_loadu_si256(from);
}

INLINED void store(void *to, Register words)
{
    _mm256_storeu_si256(to, words);
}

INLINED Register spread(int32_t word)
{
    return _mm256_set1_epi32(word);
}

INLINED Register add(Register a, Register b)
{
    return _mm256_add_epi32(a, b);
}

INLINED uint32_t at_least(Register sum, Register least)
{
    return ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(least, sum))) & 255;
}

INLINED Point point_of(Register codes)
{
    return (Point){_mm256_and_si256(codes, _mm256_set1_epi16(255)), _mm256_srli_epi16(codes, 8)};
}

INLINED Asked asked_of(Register query)
{
    return (Asked){_mm256_srai_epi16(_mm256_slli_epi16(query, 8), 8), _mm256_srai_epi16(query, 8)};
}

INLINED Register more(Register sum, Point point, Asked asked)
{
    return _mm256_add_epi32(
        sum, _mm256_add_epi32(_mm256_madd_epi16(point.even, asked.even), _mm256_madd_epi16(point.odd, asked.odd)));
}

INLINED Register half_of(Register codes, int upper)
{
    return _mm256_and_si256(upper ? _mm256_srli_epi16(codes, 4) : codes, _mm256_set1_epi8(15));
}

/* No sum of two products leaves 16 bits: 2 · 15 · 128. */
INLINED Register more_of_half(Register sum, Register half, Register asked)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(half, asked), _mm256_set1_epi16(1)));
}

#include "learn/neighbor/vafile_tile.h"

const VaKernels clv_va_avx2 = {"avx2", tile, one, dot, multiply};
#else
typedef int NoAvx2;
#endif
