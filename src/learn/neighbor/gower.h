/*
 * Gower's distance (Gower 1971) between rows of numbers and categories: the mean over the columns
 * present in both rows of
 *
 *     numbers      |x - q| / range of the training values; may exceed 1 outside the range
 *     categories   0 if equal, 1 otherwise; also for columns that are constant in training
 *
 * A column is categorical if the schema of the data declares it so and --transform ordinal has
 * turned it into one feature. Codes may be missing as well. Rows that have no column in common are
 * at distance 1.
 */
#ifndef LEARN_NEIGHBOR_GOWER_H
#define LEARN_NEIGHBOR_GOWER_H

#include "learn/neighbor/index.h"
#include "model/method.h"

/* Computes 1 / range per column, or 0 for columns compared for equality. The array is allocated by
 * clv_alloc. */
Status clv_gower_learn(Context *context, const Vectors *vectors, const Names *names,
                       const Schema *schema, double **scale, cleave_error *error);
double clv_gower_key(const Metric *metric, const Vectors *vectors, uint32_t row,
                     const Query *query);
/* Scans an index with this distance. The computation stops early for distant points. */
void clv_gower_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count);
/* Stores the scales in a model with this many features, and reads them. The read function returns
 * false if they are absent or invalid. */
Status clv_gower_put(Model *model, const double *scale, uint32_t count, uint32_t features,
                     cleave_error *error);
bool clv_gower_of_model(const Model *model, const double **scale);

#endif
