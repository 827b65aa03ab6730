/*
 * Distances between a point and a query, decided in double precision from values of 32 bits:
 *
 *     euclidean  √Σ(x−q)²        manhattan  Σ|x−q|       lr  (Σ|x−q|^r)^(1/r)       maximum  max|x−q|
 *     cosine     the angle between them over π; beside a vector of zeros ½, between two of them 0
 *     jaccard    1 − common / all, of the sets of columns that are not 0; of two empty sets 0
 *     hamming    how many values differ
 *     edit       how many characters must be put in, taken out or replaced (edit.h)
 *     gower      the mean difference of numbers, by their range, and categories (gower.h)
 *
 * Points are compared by a key, which grows with the distance and costs less (its square, its power). Sums are made in four parts, by column
 * modulo four, whatever form the vectors have, so that dense and sparse vectors have the same key, bit for bit.
 */
#ifndef LEARN_NEIGHBOR_DISTANCE_H
#define LEARN_NEIGHBOR_DISTANCE_H

#include "learn/neighbor/vectors.h"

typedef enum { EUCLIDEAN, MANHATTAN, LR, MAXIMUM, COSINE, JACCARD, HAMMING, EDIT, GOWER, DISTANCE_AUTO } Distance;
extern const char *const clv_distances[]; /* their names; NULL at the end */

typedef struct {
    Distance distance;
    double r;            /* LR */
    const double *scale; /* GOWER: of each of the vectors' columns */
} Metric;

double clv_metric_key(const Metric *metric, const Vectors *vectors, uint32_t row, const Query *query);
/* The key of COSINE, of the sums Σxq, Σx² and Σq² as described above. */
double clv_metric_angle(double dot, double xx, double qq);
double clv_metric_distance(const Metric *metric, double key);
/* Whether a point with this key has nothing in common with the query: a right angle (COSINE, as of a
 * vector of zeros), or disjoint sets (JACCARD). All such points have the same distance. */
bool clv_metric_unrelated(const Metric *metric, double key);

#endif
