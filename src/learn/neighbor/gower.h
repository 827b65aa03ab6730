/*
 * Gower's distance (Gower 1971) between rows of numbers and categories: the mean over the columns that both rows have of
 *
 *     numbers      |x - q| / range, of the training rows' values; beyond their range it may be above 1
 *     categories   0 where they are the same, 1 where not; so are numbers that are all the same in training
 *
 * A column is a category where the schema of the data says so and --transform ordinal has made it one feature; missing values are those of
 * codes, too. Rows that have no column in common are at distance 1.
 */
#ifndef LEARN_NEIGHBOR_GOWER_H
#define LEARN_NEIGHBOR_GOWER_H

#include "learn/neighbor/index.h"
#include "model/method.h"

/* 1 / range of each of the vectors' columns, 0 for those that are compared; from clv_alloc. */
Status clv_gower_learn(Context *context, const Vectors *vectors, const Names *names, const Schema *schema,
                       double **scale, cleave_error *error);
double clv_gower_key(const Metric *metric, const Vectors *vectors, uint32_t row, const Query *query);
/* The scan of an index whose distance this is: points that are too far are given up early. */
void clv_gower_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count);
/* Into a model of so many features, and back: false where there is none, or none that makes sense. */
Status clv_gower_put(Model *model, const double *scale, uint32_t count, uint32_t features, cleave_error *error);
bool clv_gower_of_model(const Model *model, const double **scale);

#endif
