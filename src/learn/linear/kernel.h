/*
 * The inner loops of the linear methods: w·x and w += s x for one row of a block, with one weight
 * vector or several. Each exists in plain C and for the vector units; clv_kernels chooses at run
 * time.
 *
 * All forms are bit-identical, so that a model does not depend on the machine. Products and sums
 * are computed in double. A product of two floats is exact, so a fused multiply-add rounds like two
 * operations; loops over double weights use none. The order of additions suits vector units:
 *
 *   dot, dot_wide   Entry i goes to lane i % 8, counting fillers (which add 0) and the zeros of
 *                   dense rows. Lanes are added as ((0+4)+(2+6))+((1+5)+(3+7)). If all entries
 *                   share a value, lanes sum weights and the value is multiplied at the end.
 *   dot_many        Nonzero entries are added in fours, score += (p0+p1)+(p2+p3), the last three or
 *                   fewer one by one.
 *   add, ...        Each weight becomes w + step * x, rounded once when stored. add_many may skip
 *                   steps of 0.
 */
#ifndef LEARN_LINEAR_KERNEL_H
#define LEARN_LINEAR_KERNEL_H

#include "data/block.h"

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */

    /* One vector of at least block->features weights. */
    double (*dot)(const float *w, const Block *block, uint32_t row);
    void (*add)(float *w, double step, const Block *block, uint32_t row);
    /* Dot product with weights in double, for solvers that reach small gaps. */
    double (*dot_wide)(const double *w, const Block *block, uint32_t row);
    void (*add_wide)(double *w, double step, const Block *block, uint32_t row);
    /* Several vectors side by side, w[column * outputs + output]: scores[output] += w·x; w +=
     * steps[output] x. */
    void (*dot_many)(const float *w, size_t outputs, const Block *block, uint32_t row,
                     double *scores);
    void (*add_many)(float *w, size_t outputs, const double *steps, const Block *block,
                     uint32_t row);
} Kernels;

/* The fastest kernels of this machine. */
const Kernels *clv_kernels(void);
/* Kernels by number from 0, for tests; NULL past the last one this machine can run. Number 0 is
 * plain. */
const Kernels *clv_kernels_at(size_t number);

#endif
