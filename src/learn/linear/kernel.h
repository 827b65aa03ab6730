/*
 * The loops everything linear spends its time in: w·x and w += s x for one row of a block, for one vector of weights or for
 * several at once. Each exists in plain C and for the vector units of the machine; clv_kernels picks at run time.
 *
 * All forms give the same bits, so that a model does not depend on the machine it was trained on. Products and sums are
 * taken in double, where a float times a float is exact (so that a fused multiply-add rounds as the two operations do; with
 * weights in double none is used), in an order that suits vectors and spares an addition the wait for the one before:
 *
 *   dot, dot_wide   entry i of the row goes to lane i % 8, counting fillers, which add 0, and in dense rows the zeros; the
 *                   lanes are added up as ((0+4)+(2+6))+((1+5)+(3+7)). Where the entries share a value, the lanes hold sums
 *                   of weights, and the value is multiplied at the end.
 *   dot_many        the non-zero entries go to each score by fours, score += (p0+p1)+(p2+p3), the last three or less one by one.
 *   add and so on   each weight becomes w + step * x, rounded once more to what is stored. (add_many may leave out steps
 *                   that are 0.)
 */
#ifndef LEARN_LINEAR_KERNEL_H
#define LEARN_LINEAR_KERNEL_H

#include "data/block.h"

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */

    /* One vector of at least block->features weights. */
    double (*dot)(const float *w, const Block *block, uint32_t row);
    void (*add)(float *w, double step, const Block *block, uint32_t row);
    /* The same with weights in double, for solvers that go to small gaps. */
    double (*dot_wide)(const double *w, const Block *block, uint32_t row);
    void (*add_wide)(double *w, double step, const Block *block, uint32_t row);
    /* Several vectors side by side, w[column * outputs + output]: scores[output] += w·x; w += steps[output] x. */
    void (*dot_many)(const float *w, size_t outputs, const Block *block, uint32_t row, double *scores);
    void (*add_many)(float *w, size_t outputs, const double *steps, const Block *block, uint32_t row);
} Kernels;

/* The fastest this machine has. */
const Kernels *clv_kernels(void);
/* By number from 0, for tests; NULL past those this machine can run. The first is plain. */
const Kernels *clv_kernels_at(size_t number);

#endif
