/*
 * The loops of the VA-file, once, for registers of WORDS vectors. A form says what its instructions are before it includes this:
 *
 *     Register, Mask      of 32-bit words; as many bits as a register has words
 *     Point, Asked        what a register of codes, and four components of a query, become before they are multiplied
 *     GROUP, QUERIES      registers and queries whose sums are held at once
 *     load, spread, add, at_least, store, point_of, asked_of, more
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

/* So many queries against one group of registers of a block. */
INLINED void look(const VaCodes *codes, const uint8_t *code, size_t at, const int8_t *const *query,
                  const int32_t *threshold, VaHits *hits, const int queries)
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
        Point point[GROUP];

        UNROLLED
        for (int g = 0; g < GROUP; g++)
            point[g] = point_of(load(code + g * 4 * WORDS));
        UNROLLED
        for (int q = 0; q < queries; q++) {
            int32_t word;
            Asked asked;

            memcpy(&word, query[q] + four * 4, sizeof word);
            asked = asked_of(spread(word));
            UNROLLED
            for (int g = 0; g < GROUP; g++)
                sum[q][g] = more(sum[q][g], point[g], asked);
        }
    }
    UNROLLED
    for (int q = 0; q < queries; q++)
        compare(sum[q], threshold[q], &hits[q], (uint32_t)at);
}

static void tile(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *const query[VA_TILE],
                 const int32_t threshold[VA_TILE], VaHits hits[VA_TILE])
{
    for (uint32_t block = first; block < first + blocks; block++)
        for (uint32_t group = 0; group < GROUPS; group++) {
            const uint8_t *code = codes->code + (size_t)block * codes->fours * 4 * VA_BLOCK + group * 4 * GROUP * WORDS;
            size_t at = (size_t)block * VA_BLOCK + group * GROUP * WORDS;

            for (int q = 0; q < VA_TILE; q += QUERIES)
                look(codes, code, at, query + q, threshold + q, hits + q, QUERIES);
        }
}

static void one(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *query, int32_t threshold,
                VaHits *hits)
{
    for (uint32_t block = first; block < first + blocks; block++)
        for (uint32_t group = 0; group < GROUPS; group++) {
            const uint8_t *code = codes->code + (size_t)block * codes->fours * 4 * VA_BLOCK + group * 4 * GROUP * WORDS;

            look(codes, code, (size_t)block * VA_BLOCK + group * GROUP * WORDS, &query, &threshold, hits, 1);
        }
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
