/*
 * Distances between a point and a query, computed in double from float32 values:
 *
 *     euclidean  √Σ(x−q)²     manhattan  Σ|x−q|     lr  (Σ|x−q|^r)^(1/r)     maximum  max|x−q|
 *     cosine     angle / π; ½ if one vector is zero, 0 if both are
 *     jaccard    1 − common / all, for the sets of nonzero columns; 0 for two empty sets
 *     hamming    number of different values
 *     edit       number of insertions, deletions and replacements (edit.h)
 *     gower      mean difference of numbers (by range) and categories (gower.h)
 *
 * Points are compared by a key that increases with the distance and costs less (its square or
 * power). Sums have four parts, by column modulo four, so that dense and sparse vectors have
 * bit-identical keys.
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
    const double *scale; /* GOWER: per column */
} Metric;

double clv_metric_key(const Metric *metric, const Vectors *vectors, uint32_t row,
                      const Query *query);
/* The key of COSINE from the sums Σxq, Σx² and Σq². */
double clv_metric_angle(double dot, double xx, double qq);
double clv_metric_distance(const Metric *metric, double key);
/* Whether a point with this key is unrelated to the query: a right angle (COSINE, also for zero
 * vectors), or disjoint sets (JACCARD). All unrelated points have the same distance. */
bool clv_metric_unrelated(const Metric *metric, double key);

#endif
