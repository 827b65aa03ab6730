/*
 * Minibatch training by backpropagation (Rumelhart, Hinton and Williams 1986). For a minibatch of B
 * rows with weights c (mean 1 over the training set) the gradient of 1/B sum c loss is
 *
 *     D_L = c (prediction - target) / B            D_(l-1) = (D_l W_l') * activation'
 *     dW_l = h_(l-1)' D_l                          db_l = column sums of D_l
 *
 * then one step of Adam (Kingma and Ba 2015) or of gradient descent with momentum. A feature that
 * is 0 in all rows of a minibatch keeps its weights and its moments (lazy Adam), so that a step
 * costs time in proportion to the non-zeros. The L2 penalty shrinks all weights by the factor 1 -
 * rate * l2 per step (decoupled: Loshchilov and Hutter 2019). Weights of features without entries
 * are shrunk later, before their next use.
 *
 * Threads compute parts of the rows, then parts of the weights. No sum is divided between tasks, so
 * the result is bit-identical for any number of threads.
 */
#ifndef LEARN_NETWORK_BACKPROP_H
#define LEARN_NETWORK_BACKPROP_H

#include "base/random.h"
#include "learn/network/network.h"

typedef struct {
    bool adam;
    double learning_rate, momentum; /* options of gradient descent */
    double dropout, l2;
} BackpropOptions;

typedef struct {
    Fit *fit;
    BackpropOptions options;
    const LayerLoops *loops;
    Network network; /* `weights` has its weights */
    Arena memory;
    float *weights, *m, *v; /* weights and moments; v: adam only */
    double steps;           /* number of steps of the optimizer so far */
    double rate_factor;     /* factor of the learning rate from the schedule */
    uint64_t seed;
    uint32_t batch; /* rows per step */

    /* the minibatch */
    Minibatch rows;
    uint32_t *label; /* per row */
    double *target, *weight;
    double *part_loss; /* per part of the rows */
    uint32_t *part_errors;
    float *out[MOST_LAYERS], *delta[MOST_LAYERS];
    float *kept[MOST_LAYERS]; /* outputs after dropout; the same as `out` without dropout */
    float *transposed[MOST_LAYERS];
    float *gradient; /* per worker */
    unsigned workers;
    size_t gradient_size;

    /* entries by column, each column in the order of the rows */
    uint32_t *place;   /* per feature: end of its entries; 0: no entries */
    uint32_t *touched; /* features with entries */
    uint32_t *start;   /* first entry of each touched feature; the last element is the end */
    uint32_t *row_of;
    float *value_of;
    uint32_t touched_count;
    size_t touched_capacity, start_capacity, row_of_capacity, value_of_capacity;
    Update update;  /* parameters of this step */
    double shrunk;  /* sum of ln(1 - rate l2) over all steps */
    double *shrank; /* per feature: `shrunk` when its weights were last shrunk; NULL: l2 is 0 */

    double loss; /* sum over the rows of this epoch so far */
    uint64_t errors;
} Backprop;

/* Initializes the state. The shape and scaling of the network, options, seed and batch are set
 * already. */
Status clv_backprop_init(Backprop *backprop, Fit *fit);
void clv_backprop_free(Backprop *backprop);

/* Adds a labeled row; target is used in a regression. Runs a step when the minibatch is full. */
Status clv_backprop_add(Backprop *backprop, const Block *block, uint32_t row, uint32_t label,
                        double target, double weight);
/* Runs a step of the remaining rows, and brings all weights up to date. */
Status clv_backprop_end_epoch(Backprop *backprop);

/* For tests: returns the mean loss of the rows added so far, and its derivatives in gradient, one
 * per weight. Makes no step. */
Status clv_backprop_gradient(Backprop *backprop, double *loss, float *gradient);

#endif
