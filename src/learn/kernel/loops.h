/*
 * Inner loops of kernel methods over contiguous arrays. loops_body.h is plain C that compilers
 * vectorize. It is compiled for any machine, AVX2 and AVX-512; clv_loops chooses at run time. No
 * form reorders a sum or fuses operations, so all forms are bit-identical and a model does not
 * depend on the machine.
 */
#ifndef LEARN_KERNEL_LOOPS_H
#define LEARN_KERNEL_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Added to entries that must not be chosen. It is larger than any gradient, and finite, so that
 * comparisons need no special case. */
#define SHUT 1e30f

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */

    /* dots[k] = number of bits set in both x and point k, whose word w is bits[w * stride + k]. */
    void (*dot_bits)(const uint64_t *bits, size_t stride, const uint64_t *x, size_t words,
                     size_t count, double *dots);
    /* sums[k] += x * plane[k] */
    void (*add_plane)(const float *plane, double x, size_t count, double *sums);
    /* dots[k] = x·point, point being order[k] (NULL: first + k); value NULL: all ones; x is
     * unpacked over all columns. */
    void (*dot_rows)(const uint64_t *end, const uint32_t *column, const float *value,
                     const uint32_t *order, size_t first, size_t count, const float *x,
                     double *dots);

    /* out[k] = exp(-gamma * max(0, own + norm2[k] - 2 dots[k])), within 2 ulps of the nearest
     * float; 0 below 2^-125 */
    void (*gaussian)(const double *dots, const double *norm2, double own, double gamma,
                     size_t count, float *out);
    /* out[k] = scale * cos(angle[k]), to 1e-6 of scale */
    void (*cosines)(const double *angle, double scale, size_t count, float *out);
    /* The sum of k[i] * weight[i], in eight partial sums. */
    double (*weigh)(const float *k, const double *weight, size_t count);

    /* Computes g -= step (a − b), and then the largest g + gate and its first position. */
    double (*move)(double *g, const float *a, const float *b, double step, const float *gate,
                   size_t count, size_t *at);
    /* Finds the k with the largest (top − g[k])² / (own + diagonal[k] − 2 row[k]) among those
     * with g[k] + gate[k] < top. Sets *at to its position and returns the value, 0 if none.
     * *least: the smallest g + gate. */
    float (*pair)(const double *g, const float *gate, const float *row, const float *diagonal,
                  double top, double own, size_t count, size_t *at, double *least);
} Loops;

/* The fastest form of this machine. */
const Loops *clv_loops(void);
/* The forms by number, for tests; number 0 is plain. NULL after the last form that this machine
 * supports. */
const Loops *clv_loops_at(size_t number);

extern const Loops clv_loops_plain, clv_loops_avx2, clv_loops_avx512;

#endif
