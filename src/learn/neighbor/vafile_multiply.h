/*
 * Rows times a matrix, in double. Each output is a sum in the order of the columns, so that the
 * register width does not change the result. Compiled with every form of the kernels.
 */
#ifndef LEARN_NEIGHBOR_VAFILE_MULTIPLY_H
#define LEARN_NEIGHBOR_VAFILE_MULTIPLY_H

#include "learn/neighbor/vafile_kernel.h"

#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif
#define INLINED static inline __attribute__((always_inline))

typedef double VaEight __attribute__((vector_size(64)));
typedef float VaFloats __attribute__((vector_size(32)));

#ifdef __AVX512F__
#define WIDEN(floats) _mm512_cvtps_pd(floats)
#else
#define WIDEN(floats) __builtin_convertvector(floats, VaEight)
#endif

static void multiply_panel(const float *matrix, size_t depth, const double *row, double *out,
                           size_t width)
{
    VaEight sum[VA_ROWS][2] = {0};

    for (size_t i = 0; i < depth; i++) {
        VaFloats low, high;
        VaEight a, b;

        memcpy(&low, matrix + i * VA_PANEL, sizeof low);
        memcpy(&high, matrix + i * VA_PANEL + 8, sizeof high);
        a = WIDEN(low);
        b = WIDEN(high);
        UNROLLED
        for (int r = 0; r < VA_ROWS; r++) {
            sum[r][0] += a * row[r * depth + i];
            sum[r][1] += b * row[r * depth + i];
        }
    }
    for (int r = 0; r < VA_ROWS; r++)
        memcpy(out + r * width, sum[r], sizeof sum[r]);
}

static void multiply(const float *matrix, size_t panels, size_t depth, const double *row,
                     double *out)
{
    for (size_t panel = 0; panel < panels; panel++)
        multiply_panel(matrix + panel * depth * VA_PANEL, depth, row, out + panel * VA_PANEL,
                       panels * VA_PANEL);
}

#endif
