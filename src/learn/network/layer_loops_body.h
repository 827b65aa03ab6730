/*
 * The body of each layer_loops_*.c, which first defines:
 *
 *     Vector, WIDTH     a register of floats, and their number
 *     ROWS              rows of a tile; its sums stay in registers
 *     LOAD, STORE       whole registers
 *     LOAD_SOME         the first `count` numbers and zeros; STORE_SOME stores the first ones
 *     SPREAD, FMA       a register of one number; a * b + c, rounded once
 *     LOOPS, NAME       the table and its name
 *
 * Contraction is disabled, so the other loops round every operation. The compiler vectorizes them.
 */
#include "base/exponential.h"
#include "learn/network/layer_loops.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    PANEL = 2 * WIDTH,
    STRIPE = 8,  /* registers of sums of a list */
    DEPTH = 256, /* terms per pass: the numbers of b in a panel stay in the cache */
};

/* rows and vectors are constants, so that the sums stay in registers. some: count of numbers in the
 * last register, at most WIDTH. */
INLINE void tile(size_t rows, size_t vectors, size_t some, size_t terms, const float *a,
                 size_t a_row, size_t a_step, const float *b, size_t b_row, float *c, size_t c_row)
{
    Vector sum[ROWS][2];
    bool whole = some == WIDTH;
    size_t last = (vectors - 1) * WIDTH;

#pragma GCC unroll 8
    for (size_t i = 0; i < rows; i++) {
        if (vectors == 2)
            sum[i][0] = LOAD(c + i * c_row);
        sum[i][vectors - 1] = whole ? LOAD(c + i * c_row + last)
                                    : LOAD_SOME(c + i * c_row + last, some);
    }
    for (size_t k = 0; k < terms; k++) {
        const float *from = b + k * b_row;
        Vector left = vectors == 2 ? LOAD(from) : SPREAD(0);
        Vector right = whole ? LOAD(from + last) : LOAD_SOME(from + last, some);

#pragma GCC unroll 8
        for (size_t i = 0; i < rows; i++) {
            Vector x = SPREAD(a[i * a_row + k * a_step]);

            if (vectors == 2)
                sum[i][0] = FMA(x, left, sum[i][0]);
            sum[i][vectors - 1] = FMA(x, right, sum[i][vectors - 1]);
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; i++) {
        if (vectors == 2)
            STORE(c + i * c_row, sum[i][0]);
        if (whole)
            STORE(c + i * c_row + last, sum[i][vectors - 1]);
        else
            STORE_SOME(c + i * c_row + last, sum[i][vectors - 1], some);
    }
}

/* Computes all rows of c in the columns of one panel. */
INLINE void panel(size_t vectors, size_t some, size_t rows, size_t terms, const float *a,
                  size_t a_row, size_t a_step, const float *b, size_t b_row, float *c, size_t c_row)
{
    size_t i = 0;

    for (; i + ROWS <= rows; i += ROWS)
        tile(ROWS, vectors, some, terms, a + i * a_row, a_row, a_step, b, b_row, c + i * c_row,
             c_row);
    for (; i < rows; i++)
        tile(1, vectors, some, terms, a + i * a_row, a_row, a_step, b, b_row, c + i * c_row, c_row);
}

static void multiply(size_t rows, size_t columns, size_t terms, const float *a, size_t a_row,
                     size_t a_step, const float *b, size_t b_row, float *c, size_t c_row)
{
    for (size_t k = 0; k < terms; k += DEPTH) {
        size_t count = terms - k < DEPTH ? terms - k : DEPTH, j = 0;
        const float *left = a + k * a_step, *right = b + k * b_row;

        for (; j + PANEL <= columns; j += PANEL)
            panel(2, WIDTH, rows, count, left, a_row, a_step, right + j, b_row, c + j, c_row);
        for (; j + WIDTH <= columns; j += WIDTH)
            panel(1, WIDTH, rows, count, left, a_row, a_step, right + j, b_row, c + j, c_row);
        if (j < columns)
            panel(1, columns - j, rows, count, left, a_row, a_step, right + j, b_row, c + j, c_row);
    }
}

/* vectors is a constant, so that the sums stay in registers. some: count of numbers in the last
 * register. */
INLINE void combine_some(size_t vectors, size_t some, float *to, size_t units, const float *from,
                         const uint32_t *at, const float *x, size_t count)
{
    Vector sum[STRIPE];
    bool whole = some == WIDTH;
    size_t last = vectors - 1;

#pragma GCC unroll 8
    for (size_t j = 0; j < last; j++)
        sum[j] = LOAD(to + j * WIDTH);
    sum[last] = whole ? LOAD(to + last * WIDTH) : LOAD_SOME(to + last * WIDTH, some);
    for (size_t i = 0; i < count; i++) {
        const float *row = from + at[i] * units;
        Vector by = SPREAD(x[i]);

#pragma GCC unroll 8
        for (size_t j = 0; j < last; j++)
            sum[j] = FMA(by, LOAD(row + j * WIDTH), sum[j]);
        sum[last] = FMA(by, whole ? LOAD(row + last * WIDTH) : LOAD_SOME(row + last * WIDTH, some),
                        sum[last]);
    }
#pragma GCC unroll 8
    for (size_t j = 0; j < last; j++)
        STORE(to + j * WIDTH, sum[j]);
    if (whole)
        STORE(to + last * WIDTH, sum[last]);
    else
        STORE_SOME(to + last * WIDTH, sum[last], some);
}

static void combine(float *to, size_t units, const float *from, const uint32_t *at, const float *x,
                    size_t count)
{
    size_t j = 0;

    for (; j + STRIPE * WIDTH <= units; j += STRIPE * WIDTH)
        combine_some(STRIPE, WIDTH, to + j, units, from + j, at, x, count);
    for (; j + WIDTH <= units; j += WIDTH)
        combine_some(1, WIDTH, to + j, units, from + j, at, x, count);
    if (j < units)
        combine_some(1, units - j, to + j, units, from + j, at, x, count);
}

static void add(float *restrict to, const float *restrict from, size_t count)
{
    for (size_t j = 0; j < count; j++)
        to[j] += from[j];
}

/* e^-|x|; 0 where the result would be subnormal. */
INLINE float decay(float x)
{
    const float least = -86.6F;
    float below = x < 0 ? x : -x;
    float e = exponential(below > least ? below : least);

    return below > least ? e : 0;
}

static void activate(Activation activation, float *restrict z, size_t count)
{
    switch (activation) {
    case ACTIVATION_RELU:
        for (size_t i = 0; i < count; i++)
            z[i] = z[i] > 0 ? z[i] : 0;
        break;
    case ACTIVATION_TANH:
        for (size_t i = 0; i < count; i++) {
            float e = decay(2 * z[i]), t = (1 - e) / (1 + e);

            z[i] = z[i] < 0 ? -t : t;
        }
        break;
    case ACTIVATION_SIGMOID:
        for (size_t i = 0; i < count; i++) {
            float e = decay(z[i]), p = 1 / (1 + e);

            z[i] = z[i] < 0 ? e * p : p;
        }
        break;
    case ACTIVATION_STEP:
        for (size_t i = 0; i < count; i++)
            z[i] = z[i] > 0 ? 1 : 0;
        break;
    }
}

static void slope(Activation activation, const float *restrict output, float *restrict delta,
                  size_t count)
{
    switch (activation) {
    case ACTIVATION_RELU:
        for (size_t i = 0; i < count; i++)
            delta[i] = output[i] > 0 ? delta[i] : 0;
        break;
    case ACTIVATION_TANH:
        for (size_t i = 0; i < count; i++)
            delta[i] *= 1 - output[i] * output[i];
        break;
    case ACTIVATION_SIGMOID:
        for (size_t i = 0; i < count; i++)
            delta[i] *= output[i] * (1 - output[i]);
        break;
    case ACTIVATION_STEP:
        break; /* threshold units are not trained */
    }
}

static void update(const Update *how, const float *restrict g, float *restrict w, float *restrict m,
                   float *restrict v, size_t count)
{
    float step = how->step, beta1 = how->beta1, beta2 = how->beta2, epsilon = how->epsilon;

    if (how->adam)
        for (size_t i = 0; i < count; i++) {
            m[i] = beta1 * m[i] + (1 - beta1) * g[i];
            v[i] = beta2 * v[i] + (1 - beta2) * (g[i] * g[i]);
            w[i] -= step * m[i] / (sqrtf(v[i]) + epsilon);
        }
    else
        for (size_t i = 0; i < count; i++) {
            m[i] = beta1 * m[i] + g[i];
            w[i] -= step * m[i];
        }
}

const LayerLoops LOOPS = {
    .name = NAME,
    .multiply = multiply,
    .combine = combine,
    .add = add,
    .activate = activate,
    .slope = slope,
    .update = update,
};
