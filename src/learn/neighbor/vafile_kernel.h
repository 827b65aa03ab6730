/*
 * Inner loops of the VA-file. Codes are stored in blocks of 64 vectors, four bytes at a time: four
 * bytes of each vector of the block, then the next four, so that a register holds one word per
 * vector. A byte is one component of 8 bits or two of 4 bits: of eight components in a word, the
 * first four are the lower halves of its bytes. A sum is
 *
 *     start + Σ code · query        code 0…255 or 0…15, query −128…127
 *
 * in 32 bits with wraparound. All forms give identical sums, and multiply doubles in the same
 * order. Inverted lists (ivf.h) use the same layout, with a scale and a start for each vector.
 */
#ifndef LEARN_NEIGHBOR_VAFILE_KERNEL_H
#define LEARN_NEIGHBOR_VAFILE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum {
    VA_BLOCK = 64, /* vectors per block */
    /* queries compared with a block at once: 24 sums of 16 vectors fill the AVX-512 registers */
    VA_TILE = 6,
    VA_PANEL = 16,      /* adjacent outputs of a matrix */
    VA_ROWS = 4,        /* rows multiplied with a matrix at once */
    VA_CODE_STEP = 64,  /* full-length codes are padded to a multiple of it */
    VA_MOST_BLOCKS = 16 /* maximum number of blocks per call */
};

typedef struct {
    const uint8_t *code; /* [block][four][vector][4] */
    const int32_t *start;
    size_t fours;  /* bytes of a code / 4 */
    uint32_t bits; /* per component: 4 or 8 */
} VaCodes;

typedef struct {
    int32_t sum;
    uint32_t row;
} VaHit;

/* The vectors with a sum of at least the threshold, by row. */
typedef struct {
    uint32_t count;
    VaHit hit[VA_MOST_BLOCKS * VA_BLOCK];
} VaHits;

/* Vectors with scales: the value of a code is start + scale · unit · Σ code · query, with signed
 * components of the code, rounded after each operation. */
typedef struct {
    const uint8_t *code; /* as in VaCodes */
    const float *scale, *start;
    size_t fours;
    uint32_t bits;
} VaScaled;

typedef struct {
    const int8_t *code;
    int32_t lifted; /* Σ code, times the offset of the stored components */
    float unit;
} VaScaledQuery;

typedef struct {
    const char *name; /* "plain", "avx2", "avx512", "vnni" */
    /* Appends to the hits of each query; the caller reserves memory. */
    void (*tile)(const VaCodes *codes, uint32_t first, uint32_t blocks,
                 const int8_t *const query[VA_TILE], const int32_t threshold[VA_TILE],
                 VaHits hits[VA_TILE]);
    void (*one)(const VaCodes *codes, uint32_t first, uint32_t blocks, const int8_t *query,
                int32_t threshold, VaHits *hits);
    /* Writes the values of VA_BLOCK vectors per block. */
    void (*scaled)(const VaScaled *codes, uint32_t first, uint32_t blocks,
                   const VaScaledQuery *query, float *values);
    /* For full-length codes, whose size is a multiple of VA_CODE_STEP. */
    int32_t (*dot)(const uint8_t *code, const int8_t *query, size_t size);
    /* out[r * panels * VA_PANEL + j] = Σ_i row[r * depth + i] · matrix[j / VA_PANEL][i][j %
     * VA_PANEL], i from 0 up, for VA_ROWS rows */
    void (*multiply)(const float *matrix, size_t panels, size_t depth, const double *row,
                     double *out);
} VaKernels;

extern const VaKernels clv_va_plain, clv_va_avx2, clv_va_avx512, clv_va_vnni;

/* The fastest form of this machine; the forms by number, plain first, NULL after the last one
 * supported. */
const VaKernels *clv_va_kernels(void);
const VaKernels *clv_va_kernels_at(size_t number);

#endif
