/*
 * The state and the model of a factorization: a vector of `rank` factors and a bias for each user
 * and each item. The prediction of a pair, in units of the ratings:
 *
 *     mean + spread * (bias of the user + bias of the item + factors of the user . of the item)
 */
#ifndef LEARN_FACTOR_FACTORS_H
#define LEARN_FACTOR_FACTORS_H

#include "learn/factor/ratings.h"

enum {
    FACTOR_LANES = 16, /* vectors are padded with zeros to a multiple of this length */
    MOST_RANK = 4096,
};

typedef struct {
    double mean, spread;
    double low, high; /* range of predictions; infinite: not limited */
} RatingScale;

/* The state during training. Vectors are in the order of the numbers of a side. */
typedef struct {
    uint32_t rank, stride; /* stride: numbers from one vector to the next */
    float *users, *items;  /* vectors of factors */
    float *user_bias, *item_bias;
    RatingScale scale;
} Factors;

/* A trained model. Vectors are in the order of the features. The arrays belong to the model. */
typedef struct {
    uint32_t rank, features;
    const float *vectors, *biases;
    const uint8_t *role;
    /* the items that a user rated, ascending: rated[start[feature]] to rated[start[feature + 1]] */
    const uint64_t *start;
    const uint32_t *rated;
    RatingScale scale;
} FactorModel;

Status clv_factors_new(Arena *memory, const Ratings *ratings, uint32_t rank, Factors *factors);
bool clv_factors_finite(const Factors *factors, const Ratings *ratings);
/* Writes the arrays of a model. */
Status clv_factors_put(const Factors *factors, const Ratings *ratings, Model *model,
                       cleave_error *error);

/* Returns false if the model has no factors, or if its arrays do not match each other. */
bool clv_factors_of(const Model *model, FactorModel *factors);
/* Whether clv_factors_of succeeds and all numbers are valid. */
bool clv_factors_check(const Model *model);
/* The prediction for a pair. NO_COLUMN stands for an unknown user or item. */
double clv_factors_predict(const FactorModel *factors, uint32_t user, uint32_t item);
Status clv_factors_scores(const Model *model, const Block *block, double *scores,
                          cleave_error *error);
/* See MethodInference.ranks. */
Status clv_factors_ranks(const Model *model, const Block *block, double *ranks,
                         cleave_error *error);
/* The feature of a user or item by its name in the data. Fails if it is unknown. */
Status clv_factors_find(const Model *model, const FactorModel *factors, uint8_t role,
                        const char *name, uint32_t *feature, cleave_error *error);
/* The name of a feature without that of its column. */
const char *clv_factors_name(const Model *model, const FactorModel *factors, uint8_t role,
                             uint32_t feature, char buffer[24]);

#endif
