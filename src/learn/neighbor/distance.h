/*
 * Distances between a point and a query, computed in double from float32 values:
 *
 *     euclidean  √Σ(x−q)²     manhattan  Σ|x−q|     lr  (Σ|x−q|^r)^(1/r)     maximum  max|x−q|
 *     cosine     1 − cos; 1 if one vector is zero, 0 if both are
 *     angle      angle / π; ½ if one vector is zero, 0 if both are
 *     inner-product  −Σxq: the nearest point has the largest inner product with the query
 *     jaccard    1 − common / all, for the sets of nonzero columns; 0 for two empty sets
 *     hamming    number of different values
 *     edit       number of insertions, deletions and replacements (edit.h)
 *     gower      mean difference of numbers (by range) and categories (gower.h)
 *
 * Points are compared by a key that increases with the distance and is faster to compute (its
 * square or power). Sums have four parts, by column modulo four, so that dense and sparse vectors
 * have bit-identical keys.
 */
#ifndef LEARN_NEIGHBOR_DISTANCE_H
#define LEARN_NEIGHBOR_DISTANCE_H

#include "learn/neighbor/vectors.h"

typedef enum {
    EUCLIDEAN,
    MANHATTAN,
    LR,
    MAXIMUM,
    COSINE,
    ANGLE,
    INNER_PRODUCT,
    JACCARD,
    HAMMING,
    EDIT,
    GOWER,
    DISTANCE_AUTO
} Distance;
extern const char *const clv_distances[]; /* names; NULL at the end */

typedef struct {
    Distance distance;
    double r;            /* LR */
    const double *scale; /* scale of each column for GOWER */
} Metric;

double clv_metric_key(const Metric *metric, const Vectors *vectors, uint32_t row,
                      const Query *query);
/* Whether the distance depends on the directions of the vectors alone. */
static inline bool metric_of_directions(const Metric *metric)
{
    return metric->distance == COSINE || metric->distance == ANGLE;
}

double clv_metric_distance(const Metric *metric, double key);
/* Whether a point with this key is unrelated to the query: a right angle (also for zero vectors),
 * an inner product of 0, or disjoint sets. All unrelated points have the same distance. */
bool clv_metric_unrelated(const Metric *metric, double key);

#endif
