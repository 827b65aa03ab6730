/*
 * The loops kernel methods spend their time in, over arrays that lie one after the other. loops_body.h is their one source, in
 * plain C that compilers turn into vector code; it is compiled once for any machine and once each for AVX2 and AVX-512, and
 * clv_loops picks at run time. No form reorders a sum or fuses a multiplication with an addition, so all give the same
 * bits and a model does not depend on the machine it was trained on.
 */
#ifndef LEARN_KERNEL_LOOPS_H
#define LEARN_KERNEL_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Added to what must not be chosen: far beyond any gradient, and not infinite, so that comparing stays plain arithmetic. */
#define SHUT 1e30f

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */

    /* dots[k] = bits that are set both in x and in point k, whose word w is bits[w * stride + k]. */
    void (*dot_bits)(const uint64_t *bits, size_t stride, const uint64_t *x, size_t words, size_t count, double *dots);
    /* sums[k] += x * plane[k] */
    void (*add_plane)(const float *plane, double x, size_t count, double *sums);
    /* dots[k] = x·point, point being order[k] (NULL: first + k); value NULL: all ones; x is spread out over all columns. */
    void (*dot_rows)(const uint64_t *end, const uint32_t *column, const float *value, const uint32_t *order,
                     size_t first, size_t count, const float *x, double *dots);

    /* out[k] = exp(-gamma * max(0, own + norm2[k] - 2 dots[k])), within 2 ulps of the float nearest; 0 below 2^-125 */
    void (*gaussian)(const double *dots, const double *norm2, double own, double gamma, size_t count, float *out);
    /* out[k] = scale * cos(angle[k]), to 1e-6 of scale */
    void (*cosines)(const double *angle, double scale, size_t count, float *out);
    /* The sum of k[i] * weight[i], in eight lanes. */
    double (*weigh)(const float *k, const double *weight, size_t count);

    /* g -= step (a − b), then the largest g + gate and the first place it is at. */
    double (*move)(double *g, const float *a, const float *b, double step, const float *gate, size_t count, size_t *at);
    /* The k with the largest (top − g[k])² / (own + diagonal[k] − 2 row[k]) of those with g[k] + gate[k] < top; its place in
     * *at, the value returned, 0: there is none. *least: the smallest g + gate. */
    float (*pair)(const double *g, const float *gate, const float *row, const float *diagonal, double top, double own,
                  size_t count, size_t *at, double *least);
} Loops;

/* The fastest this machine has. */
const Loops *clv_loops(void);
/* By number from 0, for tests; NULL past those this machine can run. The first is plain. */
const Loops *clv_loops_at(size_t number);

extern const Loops clv_loops_plain, clv_loops_avx2, clv_loops_avx512;

#endif
