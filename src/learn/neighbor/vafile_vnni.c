/*
 * The loops of the VA-file for AVX-512 with VNNI, whose one instruction adds four products of bytes to each word: compiled with
 * -mavx512vnni and so on, empty where the machine is another.
 */
#ifdef __AVX512VNNI__
#include <immintrin.h>

#include "learn/neighbor/vafile_multiply.h"

enum { WORDS = 16, GROUP = 4, QUERIES = 6 };

typedef __m512i Register;
typedef __m512i Point;
typedef __m512i Asked;

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
    return codes;
}

INLINED Asked asked_of(Register query)
{
    return query;
}

INLINED Register more(Register sum, Point point, Asked asked)
{
    /* Not the intrinsic: gcc 12 keeps copies of all 24 sums in memory around it, which takes twice the time. */
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(point), "v"(asked));
    return sum;
}

INLINED Register half_of(Register codes, int upper)
{
    return _mm512_and_si512(upper ? _mm512_srli_epi16(codes, 4) : codes, _mm512_set1_epi8(15));
}

INLINED Register more_of_half(Register sum, Register half, Register asked)
{
    return more(sum, half, asked);
}

#include "learn/neighbor/vafile_tile.h"

const VaKernels clv_va_vnni = {"vnni", tile, one, dot, multiply};
#else
typedef int NoVnni;
#endif
