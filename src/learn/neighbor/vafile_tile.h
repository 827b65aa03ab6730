/*
 * The loops of the VA-file, once, for registers of WORDS vectors. A form says what its instructions are before it includes this:
 *
 *     Register, Mask      of 32-bit words; as many bits as a register has words
 *     Point, Asked        what a register of codes, and four components of a query, become before they are multiplied
 *     GROUP, QUERIES      registers and queries whose sums are held at once
 *     load, spread, add, at_least, store, point_of, asked_of, more
 *     half_of, more_of_half   the lower or upper four bits of every byte; their products with a spread word of a query, added
 */
#ifndef LEARN_NEIGHBOR_VAFILE_TILE_H
#define LEARN_NEIGHBOR_VAFILE_TILE_H

enum { GROUPS = VA_BLOCK / (GROUP * WORDS) };

static __attribute__((noinline)) void keep_hits(VaHits *hits, uint64_t mask, const int32_t *sum, uint32_t row)
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
        mask |= (uint64_t)at_least(sum[g], least) << (g * WORDS);
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

/* Four components of a byte each. */
INLINED void add_bytes(Register sum[][GROUP], const uint8_t *code, size_t four, const int8_t *const *query,
                       const int queries)
{
    Point point[GROUP];

    UNROLLED
    for (int g = 0; g < GROUP; g++)
        point[g] = point_of(load(code + g * 4 * WORDS));
    UNROLLED
    for (int q = 0; q < queries; q++) {
        Asked asked = asked_of(spread_four(query[q] + four * 4));

        UNROLLED
        for (int g = 0; g < GROUP; g++)
            sum[q][g] = more(sum[q][g], point[g], asked);
    }
}

/* Four components of half a byte each: those of one half, so that the registers suffice for as many sums as above. */
INLINED void add_halves(Register sum[][GROUP], const uint8_t *code, size_t four, const int8_t *const *query,
                        const int queries, const int upper)
{
    Register half[GROUP];

    UNROLLED
    for (int g = 0; g < GROUP; g++)
        half[g] = half_of(load(code + g * 4 * WORDS), upper);
    UNROLLED
    for (int q = 0; q < queries; q++) {
        Register asked = spread_four(query[q] + four * 8 + upper * 4);

        UNROLLED
        for (int g = 0; g < GROUP; g++)
            sum[q][g] = more_of_half(sum[q][g], half[g], asked);
    }
}

/* So many queries against one group of registers of a block. */
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

INLINED void look_by_tiles(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *const query[VA_TILE],
                           const int32_t threshold[VA_TILE], VaHits hits[VA_TILE], const int bits)
{
    for (uint32_t block = first; block < first + blocks; block++)
        for (uint32_t group = 0; group < GROUPS; group++) {
            const uint8_t *code = codes->code + (size_t)block * codes->fours * 4 * VA_BLOCK + group * 4 * GROUP * WORDS;
            size_t at = (size_t)block * VA_BLOCK + group * GROUP * WORDS;

            for (int q = 0; q < VA_TILE; q += QUERIES)
                look(codes, code, at, query + q, threshold + q, hits + q, QUERIES, bits);
        }
}

static void tile(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *const query[VA_TILE],
                 const int32_t threshold[VA_TILE], VaHits hits[VA_TILE])
{
    if (codes->bits == 8)
        look_by_tiles(codes, first, blocks, query, threshold, hits, 8);
    else
        look_by_tiles(codes, first, blocks, query, threshold, hits, 4);
}

INLINED void look_alone(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *query, int32_t threshold,
                        VaHits *hits, const int bits)
{
    for (uint32_t block = first; block < first + blocks; block++)
        for (uint32_t group = 0; group < GROUPS; group++) {
            const uint8_t *code = codes->code + (size_t)block * codes->fours * 4 * VA_BLOCK + group * 4 * GROUP * WORDS;

            look(codes, code, (size_t)block * VA_BLOCK + group * GROUP * WORDS, &query, &threshold, hits, 1, bits);
        }
}

static void one(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *query, int32_t threshold,
                VaHits *hits)
{
    if (codes->bits == 8)
        look_alone(codes, first, blocks, query, threshold, hits, 8);
    else
        look_alone(codes, first, blocks, query, threshold, hits, 4);
}

static int32_t dot(const uint8_t *code, const int8_t *query, size_t size)
{
    Register even = spread(0), odd = spread(0);
    uint32_t word[WORDS], sum = 0;
    size_t i = 0;

    for (; i + 8 * WORDS <= size; i += 8 * WORDS) {
        even = more(even, point_of(load(code + i)), asked_of(load(query + i)));
        odd = more(odd, point_of(load(code + i + 4 * WORDS)), asked_of(load(query + i + 4 * WORDS)));
    }
    if (i < size)
        even = more(even, point_of(load(code + i)), asked_of(load(query + i)));
    store(word, add(even, odd));
    for (int w = 0; w < WORDS; w++)
        sum += word[w];
    return (int32_t)sum;
}

#endif
