/*
 * Stochastic gradient descent on disjoint blocks (Gemulla et al. 2011; Zhuang et al. 2013): users
 * and items are divided into bands. The ratings of a band of users for a band of items are a block.
 * Blocks of a diagonal share no user and no item, so that threads can visit them at once. The bands
 * depend on the data only, and results are bit-identical for any number of threads.
 */
#ifndef LEARN_FACTOR_DESCENT_H
#define LEARN_FACTOR_DESCENT_H

#include "learn/factor/factors.h"
#include "learn/factor/rating_loops.h"

typedef struct {
    double rate, bias_rate, penalty;
    bool to_agree; /* each factor changes by a fraction of the change that removes the error */
} DescentStep;

typedef struct {
    uint32_t bands;        /* number of bands of users, and of items */
    uint32_t users, items; /* number of users and items in a band */
    /* bands * bands + 1 numbers: the first rating of each block, and the end */
    uint64_t *start;
    BlockRating *rating;
    float *weight; /* NULL: all 1 */
} Blocks;

/* Values are those of the ratings minus scale->mean, divided by scale->spread. */
Status clv_blocks_new(const Fit *fit, Arena *memory, const Ratings *ratings, const Factors *factors,
                      Blocks *blocks);
/* Runs one epoch. *loss is the sum of the squared errors before each step. */
Status clv_blocks_descend(const Fit *fit, const Ratings *ratings, const Blocks *blocks,
                          const DescentStep *step, const Factors *factors, double *loss);

#endif
