/*
 * Inner loops of fully connected layers, in float32. layer_loops_body.h is compiled for plain C,
 * AVX2 and AVX-512; clv_layer_loops chooses at run time. Each sum has a fixed order: one chain of
 * fused multiply-adds per number, in the order of its terms. All forms, tile sizes and thread
 * counts are therefore bit-identical, and a model does not depend on the machine.
 */
#ifndef LEARN_NETWORK_LAYER_LOOPS_H
#define LEARN_NETWORK_LAYER_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { ACTIVATION_RELU, ACTIVATION_TANH, ACTIVATION_SIGMOID, ACTIVATION_STEP } Activation;

/* Parameters of one step of an optimizer. For adam, the learning rate `step` includes the bias
 * correction. */
typedef struct {
    bool adam; /* false: momentum */
    float step;
    float beta1, beta2, epsilon; /* momentum uses beta1 only */
} Update;

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */

    /* c[i][j] += sum over k of a(i, k) b[k][j], for rows * columns numbers of c. a(i, k) is
     * a[i * a_row + k * a_step]; rows of b and c are b_row and c_row numbers apart. */
    void (*multiply)(size_t rows, size_t columns, size_t terms, const float *a, size_t a_row,
                     size_t a_step, const float *b, size_t b_row, float *c, size_t c_row);
    /* to[j] += sum over i of x[i] from[at[i] * units + j], for j below units */
    void (*combine)(float *to, size_t units, const float *from, const uint32_t *at, const float *x,
                    size_t count);
    /* to[j] += from[j] */
    void (*add)(float *to, const float *from, size_t count);
    /* z := the activation of z */
    void (*activate)(Activation activation, float *z, size_t count);
    /* delta *= the derivative of the activation with this output */
    void (*slope)(Activation activation, const float *output, float *delta, size_t count);
    /* Updates the weights w with the gradient g. v is NULL except for adam. */
    void (*update)(const Update *update, const float *g, float *w, float *m, float *v,
                   size_t count);
} LayerLoops;

/* The fastest form of this machine. */
const LayerLoops *clv_layer_loops(void);
/* The forms by number, for tests; number 0 is plain. NULL after the last form that this machine
 * supports. */
const LayerLoops *clv_layer_loops_at(size_t number);

extern const LayerLoops clv_layer_loops_plain, clv_layer_loops_avx2, clv_layer_loops_avx512;

#endif
