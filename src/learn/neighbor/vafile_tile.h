/*
 * The loops of the VA-file for registers of WORDS vectors. The including file first defines:
 *
 *     Register, WORDS     a register of 32-bit words, and their number
 *     MM, SI              prefix of the intrinsics; prefix and suffix of those for whole registers
 *     AT_LEAST            a bit per word of the first register that is not below that of the second
 *     Floats              a register of floats
 *     GROUP, QUERIES      registers and queries whose sums are held at once
 *     VNNI                defined if one instruction adds four byte products to each word
 */
#ifndef LEARN_NEIGHBOR_VAFILE_TILE_H
#define LEARN_NEIGHBOR_VAFILE_TILE_H

#include "learn/neighbor/vafile_multiply.h"

#define load(from) SI(loadu)((const void *)(from))
#define store(to, words) SI(storeu)((void *)(to), words)
#define spread(word) MM(set1_epi32)(word)

#ifdef VNNI
typedef Register Codes, QueryBytes;
#define split_codes(codes) (codes)
#define split_query(query) (query)
#define add_half add_products

INLINED Register add_products(Register sum, Codes codes, QueryBytes query)
{
    /* Replaces the intrinsic, for which gcc 12 copies all 24 sums to memory, which doubles the
     * time. */
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(codes), "v"(query));
    return sum;
}
#else
/* Even and odd bytes as 16-bit words. The sum of two products is exact in 32 bits. */
typedef struct {
    Register even, odd;
} Codes, QueryBytes;

INLINED Codes split_codes(Register codes)
{
    return (Codes){SI(and)(codes, MM(set1_epi16)(255)), MM(srli_epi16)(codes, 8)};
}

INLINED QueryBytes split_query(Register query)
{
    return (QueryBytes){MM(srai_epi16)(MM(slli_epi16)(query, 8), 8), MM(srai_epi16)(query, 8)};
}

INLINED Register add_products(Register sum, Codes codes, QueryBytes query)
{
    return MM(add_epi32)(sum, MM(add_epi32)(MM(madd_epi16)(codes.even, query.even),
                                            MM(madd_epi16)(codes.odd, query.odd)));
}

/* The sum of two products fits in 16 bits: 2 · 15 · 128. */
INLINED Register add_half(Register sum, Register half, Register query)
{
    return MM(add_epi32)(sum, MM(madd_epi16)(MM(maddubs_epi16)(half, query), MM(set1_epi16)(1)));
}
#endif

/* The lower or the upper four bits of every byte. */
INLINED Register half_of(Register codes, int upper)
{
    return SI(and)(upper ? MM(srli_epi16)(codes, 4) : codes, MM(set1_epi8)(15));
}

enum { GROUPS = VA_BLOCK / (GROUP * WORDS) };

static __attribute__((noinline)) void keep_hits(VaHits *hits, uint64_t mask, const int32_t *sum,
                                                uint32_t row)
{
    for (; mask; mask &= mask - 1) {
        uint32_t v = (uint32_t)__builtin_ctzll(mask);

        hits->hit[hits->count++] = (VaHit){.sum = sum[v], .row = row + v};
    }
}

INLINED void compare(const Register sum[GROUP], int32_t threshold, VaHits *hits, uint32_t row)
{
    Register least = spread(threshold);
    uint64_t mask = 0;

    UNROLLED
    for (int g = 0; g < GROUP; g++)
        mask |= (uint64_t)AT_LEAST(sum[g], least) << (g * WORDS);
    if (__builtin_expect(mask != 0, 0)) {
        int32_t sums[GROUP * WORDS];

        for (int g = 0; g < GROUP; g++)
            store(sums + g * WORDS, sum[g]);
        keep_hits(hits, mask, sums, row);
    }
}

INLINED Register spread_four(const int8_t *query)
{
    int32_t word;

    memcpy(&word, query, sizeof word);
    return spread(word);
}

/* Adds the products of four components of one byte each. */
INLINED void add_bytes(Register sum[][GROUP], const uint8_t *code, size_t four,
                       const int8_t *const *query, const int queries)
{
    Codes split[GROUP];

    UNROLLED
    for (int g = 0; g < GROUP; g++)
        split[g] = split_codes(load(code + g * 4 * WORDS));
    UNROLLED
    for (int q = 0; q < queries; q++) {
        QueryBytes bytes = split_query(spread_four(query[q] + four * 4));

        UNROLLED
        for (int g = 0; g < GROUP; g++)
            sum[q][g] = add_products(sum[q][g], split[g], bytes);
    }
}

/* Adds the products of four components of half a byte each. Processing one half at a time keeps all
 * sums in registers. */
INLINED void add_halves(Register sum[][GROUP], const uint8_t *code, size_t four,
                        const int8_t *const *query, const int queries, const int upper)
{
    Register half[GROUP];

    UNROLLED
    for (int g = 0; g < GROUP; g++)
        half[g] = half_of(load(code + g * 4 * WORDS), upper);
    UNROLLED
    for (int q = 0; q < queries; q++) {
        Register bytes = spread_four(query[q] + four * 8 + upper * 4);

        UNROLLED
        for (int g = 0; g < GROUP; g++)
            sum[q][g] = add_half(sum[q][g], half[g], bytes);
    }
}

/* Compares queries with one group of registers of a block. */
INLINED void look(const VaCodes *codes, const uint8_t *code, size_t at, const int8_t *const *query,
                  const int32_t *threshold, VaHits *hits, const int queries, const int bits)
{
    Register sum[QUERIES][GROUP];

    UNROLLED
    for (int g = 0; g < GROUP; g++) {
        sum[0][g] = load(codes->start + at + g * WORDS);
        UNROLLED
        for (int q = 1; q < queries; q++)
            sum[q][g] = sum[0][g];
    }
    for (size_t four = 0; four < codes->fours; four++, code += 4 * VA_BLOCK) {
        if (bits == 8) {
            add_bytes(sum, code, four, query, queries);
        } else {
            add_halves(sum, code, four, query, queries, 0);
            add_halves(sum, code, four, query, queries, 1);
        }
    }
    UNROLLED
    for (int q = 0; q < queries; q++)
        compare(sum[q], threshold[q], &hits[q], (uint32_t)at);
}

/* Compares the queries, a multiple of `at_once`, with some blocks. */
INLINED void look_at_blocks(const VaCodes *codes, uint32_t first, uint32_t blocks,
                            const int8_t *const *query, const int32_t *threshold, VaHits *hits,
                            const int queries, const int at_once, const int bits)
{
    for (uint32_t block = first; block < first + blocks; block++)
        for (uint32_t group = 0; group < GROUPS; group++) {
            const uint8_t *code = codes->code + (size_t)block * codes->fours * 4 * VA_BLOCK +
                                  group * 4 * GROUP * WORDS;
            size_t at = (size_t)block * VA_BLOCK + group * GROUP * WORDS;

            for (int q = 0; q < queries; q += at_once)
                look(codes, code, at, query + q, threshold + q, hits + q, at_once, bits);
        }
}

static void tile(const VaCodes *codes, uint32_t first, uint32_t blocks,
                 const int8_t *const query[VA_TILE], const int32_t threshold[VA_TILE],
                 VaHits hits[VA_TILE])
{
    if (codes->bits == 8)
        look_at_blocks(codes, first, blocks, query, threshold, hits, VA_TILE, QUERIES, 8);
    else
        look_at_blocks(codes, first, blocks, query, threshold, hits, VA_TILE, QUERIES, 4);
}

static void one(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *query,
                int32_t threshold, VaHits *hits)
{
    if (codes->bits == 8)
        look_at_blocks(codes, first, blocks, &query, &threshold, hits, 1, 1, 8);
    else
        look_at_blocks(codes, first, blocks, &query, &threshold, hits, 1, 1, 4);
}

static void scaled(const VaScaled *codes, uint32_t first, uint32_t blocks,
                   const VaScaledQuery *query, float *values)
{
    Floats unit = MM(set1_ps)(query->unit);

    for (uint32_t at = first * GROUPS; at < (first + blocks) * GROUPS; at++) {
        size_t block = at / GROUPS, vector = (size_t)at * GROUP * WORDS;
        const uint8_t *code = codes->code + block * codes->fours * 4 * VA_BLOCK +
                              at % GROUPS * 4 * GROUP * WORDS;
        Register sum[1][GROUP];

        UNROLLED
        for (int g = 0; g < GROUP; g++)
            sum[0][g] = spread(-query->lifted);
        for (size_t four = 0; four < codes->fours; four++, code += 4 * VA_BLOCK) {
            if (codes->bits == 8) {
                add_bytes(sum, code, four, &query->code, 1);
            } else {
                add_halves(sum, code, four, &query->code, 1, 0);
                add_halves(sum, code, four, &query->code, 1, 1);
            }
        }
        UNROLLED
        for (int g = 0; g < GROUP; g++, vector += WORDS, values += WORDS) {
            Floats scale = MM(mul_ps)(MM(loadu_ps)(codes->scale + vector), unit);

            MM(storeu_ps)
            (values, MM(add_ps)(MM(loadu_ps)(codes->start + vector),
                                MM(mul_ps)(scale, MM(cvtepi32_ps)(sum[0][g]))));
        }
    }
}

static int32_t dot(const uint8_t *code, const int8_t *query, size_t size)
{
    Register even = spread(0), odd = spread(0);
    uint32_t word[WORDS], sum = 0;
    size_t i = 0;

    for (; i + 8 * WORDS <= size; i += 8 * WORDS) {
        even = add_products(even, split_codes(load(code + i)), split_query(load(query + i)));
        odd = add_products(odd, split_codes(load(code + i + 4 * WORDS)),
                           split_query(load(query + i + 4 * WORDS)));
    }
    if (i < size)
        even = add_products(even, split_codes(load(code + i)), split_query(load(query + i)));
    store(word, MM(add_epi32)(even, odd));
    for (int w = 0; w < WORDS; w++)
        sum += word[w];
    return (int32_t)sum;
}

#endif
