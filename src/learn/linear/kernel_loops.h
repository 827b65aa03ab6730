/*
 * The loops of the kernels. kernel_plain.c, kernel_avx2.c and kernel_avx512.c compile this text for
 * different machines, with WIDTH the number of doubles in a register. All do the same operations in
 * the same order. Vectors are the vector extensions of gcc and clang.
 *
 * Weights of sparse rows are loaded one by one and combined. On Zen 4 this takes 0.048 s for the
 * 58.6 million entries of RCV1's shape; the gather instructions of AVX2 and AVX-512 take 0.053 s,
 * and single doubles 0.058 s.
 */
#ifndef LEARN_LINEAR_KERNEL_LOOPS_H
#define LEARN_LINEAR_KERNEL_LOOPS_H

#include "learn/linear/kernel.h"

#if WIDTH >= 4
#include <immintrin.h>
#endif

#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif
#define INLINED static inline __attribute__((always_inline))

enum { LANES = 8, PARTS = LANES / WIDTH };

typedef double Two __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32)));
typedef double Part __attribute__((vector_size(8 * WIDTH)));
typedef float FloatTwo __attribute__((vector_size(8)));
typedef float FloatFour __attribute__((vector_size(16)));
typedef float FloatPart __attribute__((vector_size(4 * WIDTH)));

/* Intrinsics are used where compilers generate slower code: gcc 12 converts whole registers in
 * halves. MULTIPLY_ADD is sum + a * b for exact products, so that one rounding equals two. */
#define WIDEN_Two(floats) __builtin_convertvector(floats, Two)
#define MULTIPLY_ADD_Two(a, b, sum) ((sum) + (a) * (b))
#if WIDTH >= 4
#define WIDEN_Four(floats) _mm256_cvtps_pd(floats)
#define NARROW_Four(doubles) _mm256_cvtpd_ps(doubles)
#define MULTIPLY_ADD_Four(a, b, sum) _mm256_fmadd_pd(a, b, sum)
#else
#define WIDEN_Four(floats) __builtin_convertvector(floats, Four)
#define NARROW_Four(doubles) __builtin_convertvector(doubles, FloatFour)
#define MULTIPLY_ADD_Four(a, b, sum) ((sum) + (a) * (b))
#endif
#if WIDTH == 8
#define WIDEN_Part(floats) _mm512_cvtps_pd(floats)
#define NARROW_Part(doubles) _mm512_cvtpd_ps(doubles)
#define MULTIPLY_ADD_Part(a, b, sum) _mm512_fmadd_pd(a, b, sum)
#elif WIDTH == 4
#define WIDEN_Part WIDEN_Four
#define NARROW_Part NARROW_Four
#define MULTIPLY_ADD_Part MULTIPLY_ADD_Four
#else
#define WIDEN_Part WIDEN_Two
#define NARROW_Part(doubles) __builtin_convertvector(doubles, FloatTwo)
#define MULTIPLY_ADD_Part MULTIPLY_ADD_Two
#endif

/* ---- a row ----------------------------------------------------------------------------------- */

/* How a sparse row stores the positions of its entries: columns; gaps (a filler has the value
 * 0); or gaps where a gap of 0 marks a filler. */
typedef enum { BY_COLUMN, BY_GAP, BY_GAP_OR_FILLER } Places;

typedef struct {
    const uint32_t *column;
    const uint16_t *gap;
    const float *value; /* per entry; NULL: all entries have the same value */
    uint32_t count;
} Row;

static Places places_of(const Block *block)
{
    if (block->form == ROWS_COLUMNS)
        return BY_COLUMN;
    return block->has_fillers && block->value_form != VALUES_EACH ? BY_GAP_OR_FILLER : BY_GAP;
}

INLINED Row row_of(const Block *block, uint32_t row)
{
    uint32_t start = block_start(block, row);

    return (Row){
        .column = block->form == ROWS_COLUMNS ? block->column + start : NULL,
        .gap = block->form == ROWS_GAPS ? block->gap + start : NULL,
        .value = block->value_form == VALUES_EACH ? block->value + start : NULL,
        .count = block->end[row] - start,
    };
}

/* The common value of all entries of a row, if entries have no values of their own. */
INLINED double value_of(const Block *block, uint32_t row)
{
    return block->value_form == VALUES_PER_ROW ? (double)block->value[row] : 1;
}

/* The column of entry i after an entry in column `at`; SIZE_MAX precedes the first entry. */
INLINED size_t next_place(const Row *row, Places places, size_t i, size_t at)
{
    switch (places) {
    case BY_COLUMN:
        return row->column[i];
    case BY_GAP:
        return at + row->gap[i];
    default:
        return at + (row->gap[i] ? row->gap[i] : FILLER_GAP);
    }
}

INLINED bool is_filler(const Row *row, Places places, size_t i)
{
    return places == BY_GAP_OR_FILLER && row->gap[i] == 0;
}

/* Rows are consecutive in memory. Prefetches data some rows ahead, because hardware prefetching
 * stops at page boundaries. An epoch over RCV1's shape takes 0.038 s instead of 0.048 s. */
INLINED void fetch_ahead(const Row *row, Places places, bool each, size_t i)
{
    if (places == BY_COLUMN)
        __builtin_prefetch((const char *)(row->column + i) + 512);
    else if (i % 16 == 0)
        __builtin_prefetch((const char *)(row->gap + i) + 512);
    if (each)
        __builtin_prefetch((const char *)(row->value + i) + 1024);
}

/* ---- vectors --------------------------------------------------------------------------------- */

INLINED double add_up(const double lane[LANES])
{
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

INLINED void load_floats(const float *from, Four *to)
{
    FloatFour floats;

    memcpy(&floats, from, sizeof floats);
    *to = WIDEN_Four(floats);
}

INLINED void part_of_floats(const float *from, Part *to)
{
    FloatPart floats;

    memcpy(&floats, from, sizeof floats);
    *to = WIDEN_Part(floats);
}

INLINED void part_to_floats(const Part *from, float *to)
{
    FloatPart floats = NARROW_Part(*from);

    memcpy(to, &floats, sizeof floats);
}

INLINED void part_of_doubles(const double *from, Part *to)
{
    memcpy(to, from, sizeof *to);
}

INLINED void part_to_doubles(const Part *from, double *to)
{
    memcpy(to, from, sizeof *from);
}

/* ---- one weight vector ----------------------------------------------------------------------- */

#define WEIGHT float
#define NAME(name) name
#define NARROW(x) ((float)(x))
#define FOUR_WEIGHTS(result, a, b, c, d) (*(result) = WIDEN_Four(((FloatFour){a, b, c, d})))
#define STORED FloatFour
#define TO_STORED NARROW_Four
#define LOAD_PART part_of_floats
#define STORE_PART part_to_floats
#define SUM_FOUR MULTIPLY_ADD_Four
#define SUM_PART MULTIPLY_ADD_Part
#include "learn/linear/kernel_row.h"

#define WEIGHT double
#define NAME(name) name##_wide
#define NARROW(x) (x)
#define FOUR_WEIGHTS(result, a, b, c, d) (*(result) = (Four){a, b, c, d})
#define STORED Four
#define TO_STORED(four) (four)
#define LOAD_PART part_of_doubles
#define STORE_PART part_to_doubles
#define SUM_FOUR(a, b, sum) ((sum) + (a) * (b)) /* a double times a float is not exact */
#define SUM_PART(a, b, sum) ((sum) + (a) * (b))
#include "learn/linear/kernel_row.h"

/* ---- several weight vectors ------------------------------------------------------------------ */

#include "learn/linear/kernel_many.h"

#define KERNELS(title)                                                                             \
    {                                                                                              \
        .name = title, .dot = dot, .add = add, .dot_wide = dot_wide, .add_wide = add_wide,         \
        .dot_many = dot_many, .add_many = add_many                                                 \
    }

#endif
