/*
 * The training ratings of a factorization: each row has two features, the indicator of a user and
 * that of an item, and a rating. Users and items are numbered separately, and the ratings are
 * sorted by user, then item.
 */
#ifndef LEARN_FACTOR_RATINGS_H
#define LEARN_FACTOR_RATINGS_H

#include "model/method.h"

/* The role of a feature, as stored in a model. */
enum { ROLE_NONE, ROLE_USER, ROLE_ITEM };

/* One side: users or items. */
typedef struct {
    uint32_t count;
    uint32_t *feature; /* feature of each number */
    /* count + 1 numbers: the first rating of each user or item in the lists below, and the end */
    uint64_t *start;
    uint32_t *other; /* the number on the other side */
    float *value;
    float *weight; /* NULL: all 1 */
} RatingSide;

typedef struct {
    Arena memory;
    RatingSide users, items; /* items: without lists until clv_ratings_by_item */
    uint8_t *role;           /* role of each feature */
    uint32_t *number;        /* number of each feature on its side */
    uint32_t features;
    uint64_t count;
    /* statistics of all ratings; mean and variance are weighted */
    double weight, mean, variance, low, high;
} Ratings;

/* Reads the ratings of the training rows. In a table, the first categorical column names the users
 * and the second one the items; in other data, the first feature of a row is the user. implicit:
 * rows without a rating have the value 1. Users and items are numbered in random order by the seed,
 * or in the order of the features if the seed is 0. */
Status clv_ratings_read(Fit *fit, Dataset *dataset, bool implicit, uint64_t seed, Ratings *ratings);
/* Makes the lists of the items. */
Status clv_ratings_by_item(Ratings *ratings);
void clv_ratings_free(Ratings *ratings);

#endif
