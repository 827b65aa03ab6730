/* The loops of the VA-file in plain C. Unsigned sums wrap, as those of vector instructions do. */
#include "learn/neighbor/vafile_multiply.h"

static void add_four(uint32_t sum[VA_BLOCK], const uint8_t *code, const int8_t *query)
{
    for (int v = 0; v < VA_BLOCK; v++) {
        int four = 0;

        for (int i = 0; i < 4; i++)
            four += code[4 * v + i] * query[i];
        sum[v] += (uint32_t)four;
    }
}

/* Adds components of half a byte. The lower halves are the first four. */
static void add_eight(uint32_t sum[VA_BLOCK], const uint8_t *code, const int8_t *query)
{
    for (int v = 0; v < VA_BLOCK; v++) {
        int eight = 0;

        for (int i = 0; i < 4; i++)
            eight += (code[4 * v + i] & 15) * query[i] + (code[4 * v + i] >> 4) * query[4 + i];
        sum[v] += (uint32_t)eight;
    }
}

static void one(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *query,
                int32_t threshold, VaHits *hits)
{
    for (uint32_t block = first; block < first + blocks; block++) {
        const uint8_t *code = codes->code + (size_t)block * codes->fours * 4 * VA_BLOCK;
        uint32_t sum[VA_BLOCK];

        memcpy(sum, codes->start + (size_t)block * VA_BLOCK, sizeof sum);
        for (size_t four = 0; four < codes->fours; four++)
            if (codes->bits == 8)
                add_four(sum, code + four * 4 * VA_BLOCK, query + four * 4);
            else
                add_eight(sum, code + four * 4 * VA_BLOCK, query + four * 8);
        for (uint32_t v = 0; v < VA_BLOCK; v++)
            if ((int32_t)sum[v] >= threshold)
                hits->hit[hits->count++] = (VaHit){.sum = (int32_t)sum[v],
                                                   .row = block * VA_BLOCK + v};
    }
}

static void tile(const VaCodes *codes, uint32_t first, uint32_t blocks,
                 const int8_t *const query[VA_TILE], const int32_t threshold[VA_TILE],
                 VaHits hits[VA_TILE])
{
    for (int q = 0; q < VA_TILE; q++)
        one(codes, first, blocks, query[q], threshold[q], &hits[q]);
}

static void scaled(const VaScaled *codes, uint32_t first, uint32_t blocks,
                   const VaScaledQuery *query, float *values)
{
    for (uint32_t block = first; block < first + blocks; block++, values += VA_BLOCK) {
        const uint8_t *code = codes->code + (size_t)block * codes->fours * 4 * VA_BLOCK;
        size_t at = (size_t)block * VA_BLOCK;
        uint32_t sum[VA_BLOCK] = {0};

        for (size_t four = 0; four < codes->fours; four++)
            if (codes->bits == 8)
                add_four(sum, code + four * 4 * VA_BLOCK, query->code + four * 4);
            else
                add_eight(sum, code + four * 4 * VA_BLOCK, query->code + four * 8);
        for (uint32_t v = 0; v < VA_BLOCK; v++)
            values[v] = codes->start[at + v] +
                        codes->scale[at + v] * query->unit *
                            (float)(int32_t)(sum[v] - (uint32_t)query->lifted);
    }
}

static int32_t dot(const uint8_t *code, const int8_t *query, size_t size)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += (uint32_t)(code[i] * query[i]);
    return (int32_t)sum;
}

const VaKernels clv_va_plain = {"plain", tile, one, scaled, dot, multiply};
