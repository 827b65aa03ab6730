/*
 * The loops of the VA-file for AVX-512 without VNNI: compiled with -mavx512f -mavx512bw and so on, empty where the machine is another.
 * Bytes are taken apart into even and odd ones of 16 bits, whose products by twos are exact in 32.
 */
#ifdef __AVX512BW__
#include <immintrin.h>

#include "learn/neighbor/vafile_multiply.h"

enum { WORDS = 16, GROUP = 2, QUERIES = 6 };

typedef __m512i Register;
typedef struct {
    Register even, odd;
} Point, Asked;

INLINED Register load(const void *from)
{
    return _mm512_loadu_si512(from);
}

INLINED void store(void *to, Register words)
{
    _mm512_storeu_si512(to, words);
}

INLINED Register spread(int32_t word)
{
    return _mm512_set1_epi32(word);
}

INLINED Register add(Register a, Register b)
{
    return _mm512_add_epi32(a, b);
}

INLINED uint32_t at_least(Register sum, Register least)
{
    return _mm512_cmpge_epi32_mask(sum, least);
}

INLINED Point point_of(Register codes)
{
    return (Point){_mm512_and_si512(codes, _mm512_set1_epi16(255)), _mm512_srli_epi16(codes, 8)};
}

INLINED Asked asked_of(Register query)
{
    return (Asked){_mm512_srai_epi16(_mm512_slli_epi16(query, 8), 8), _mm512_srai_epi16(query, 8)};
}

INLINED Register more(Register sum, Point point, Asked asked)
{
    return _mm512_add_epi32(
        sum, _mm512_add_epi32(_mm512_madd_epi16(point.even, asked.even), _mm512_madd_epi16(point.odd, asked.odd)));
}

INLINED Register half_of(Register codes, int upper)
{
    return _mm512_and_si512(upper ? _mm512_srli_epi16(codes, 4) : codes, _mm512_set1_epi8(15));
}

/* No sum of two products leaves 16 bits: 2 · 15 · 128. */
INLINED Register more_of_half(Register sum, Register half, Register asked)
{
    return _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(half, asked), _mm512_set1_epi16(1)));
}

#include "learn/neighbor/vafile_tile.h"

const VaKernels clv_va_avx512 = {"avx512", tile, one, dot, multiply};
#else
typedef int NoAvx512;
#endif
