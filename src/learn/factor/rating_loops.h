/*
 * Steps of stochastic gradient descent over the ratings of a block. With the error
 * e = value - (bias of the user + bias of the item + p . q), a step is
 *
 *     p := (1 - rate * penalty) p + rate e q      bias := (1 - rate * penalty) bias + rate e
 *
 * and the same for the item, both from the old values. rating_loops_body.h is compiled for plain C,
 * AVX2 and AVX-512. Every operation is rounded, and a product is the sum of FACTOR_LANES sums in a
 * fixed order: all forms are bit-identical.
 */
#ifndef LEARN_FACTOR_RATING_LOOPS_H
#define LEARN_FACTOR_RATING_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of the user and the item, each within its band. */
typedef struct {
    uint16_t user, item;
    float value;
} BlockRating;

typedef struct {
    const BlockRating *rating;
    const float *weight; /* weight of each rating; NULL: all 1 */
    size_t count;
    float *users, *items; /* the vectors of the bands, stride apart, 64-byte aligned */
    float *user_bias, *item_bias;
    size_t stride; /* a multiple of FACTOR_LANES */
    float rate, penalty;
    float bias_rate; /* 0: the biases do not change */
} RatingBlock;

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */
    /* Visits the ratings in order. Returns the sum of the squared errors before each step. */
    double (*descend)(const RatingBlock *block);
} RatingLoops;

/* The fastest form of this machine. */
const RatingLoops *clv_rating_loops(void);
/* The forms by number, for tests; number 0 is plain. NULL after the last form that this machine
 * supports. */
const RatingLoops *clv_rating_loops_at(size_t number);

extern const RatingLoops clv_rating_loops_plain, clv_rating_loops_avx2, clv_rating_loops_avx512;

#endif
