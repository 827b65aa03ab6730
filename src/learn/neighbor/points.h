/*
 * The training points of a neighbor model with their labels, index, and the four prediction
 * options. Predictions depend on these alone, for a model as well as during training.
 */
#ifndef LEARN_NEIGHBOR_POINTS_H
#define LEARN_NEIGHBOR_POINTS_H

#include "learn/neighbor/index.h"
#include "learn/neighbor/metadata.h"
#include "model/method.h"

enum { WEIGHT_NONE, WEIGHT_INVERSE, WEIGHT_SQUARE, WEIGHT_GAUSSIAN, WEIGHT_AUTO };
enum { VOTE_MAJORITY, VOTE_AGREE };

typedef struct {
    int64_t k;
    bool all, keep_unlabeled;
    int distance, weight, vote;
    double r, sigma;
    const char *feature_weights; /* NULL: all 1 */
    IndexOptions search;
    int64_t max_points; /* 0: any number */
    int64_t shard;      /* number of the shard of the data, from 0 */
} NeighborOptions;

typedef struct {
    NeighborOptions options;
    Vectors vectors;
    const double *scale; /* scale of Gower's distance; NULL: another distance */
    Index *index;        /* NULL: not open */
    /* Per point. */
    const uint32_t *label;
    const double *number;
    const float *weight; /* NULL: all 1 */
    /* row of each point in the training data, from 0; NULL: equal to the position */
    const uint64_t *row;
    uint64_t next_row;  /* number of the first row of further data */
    Metadata metadata;  /* metadata of the rows */
    uint32_t classes;   /* 0: regression, or no labels */
    uint32_t unlabeled; /* points without a label: used for search, not for prediction */
    uint32_t positive;
} Points;

/* Labels of points are class numbers or UNLABELED. */
static inline uint64_t point_row(const Points *points, uint32_t point)
{
    return points->row ? points->row[point] : point;
}

/* Returns the metric, without the scale of Gower's distance. */
Metric clv_neighbor_metric(const NeighborOptions *options);
/* The number of neighbors k for this many points. */
uint32_t clv_neighbor_count(const NeighborOptions *options, uint32_t points);

/* Reads the points of a model. Returns false if its arrays are invalid. `check` validates every
 * number, for untrusted files. */
bool clv_points_of_model(const Model *model, Points *points);
Status clv_points_check(const Model *model, const void *options, cleave_error *error);
/* Fails if points have no labels: such a model supports search only. */
Status clv_points_can_predict(const Points *points, cleave_error *error);
/* Opens the index as well; call clv_points_close afterwards. */
Status clv_points_open(const Model *model, Points *points, cleave_error *error);
void clv_points_close(Points *points);

/* Computes the scores of a row from these nearest points, which are sorted. share: scratch space
 * for the classes. */
void clv_points_row_scores(const Points *points, const Nearest *nearest, double *share,
                           double *scores);
/* The smallest integer weight, at most nearest->most, with which a row of this class wins the
 * vote at its own position once it is a point. nearest: the nearest points without the row. */
uint32_t clv_points_votes_to_win(const Points *points, const Nearest *nearest, uint32_t label,
                                 double *share);
/* Computes the weight of each neighbor, and its fraction of the total. */
void clv_points_weights(const Points *points, const Nearest *nearest, double *weight,
                        double *share);
extern const PredictSession clv_points_session;
/* Predicts every row of a block, on the context's threads. */
Status clv_points_predict(Context *context, const Points *points, const Block *block,
                          double *scores, cleave_error *error);
/* Counts the true neighbors of these rows, and those that the index found. Both are 0 if the index
 * is exact. */
Status clv_points_recall(const Model *model, const Block *rows, uint64_t *found, uint64_t *there,
                         cleave_error *error);

/* Points of a shard: the neighbor functions of MethodDistributed. */
uint32_t clv_points_neighbors_used(const Model *model, uint32_t *there);
Status clv_points_find_neighbors(const Model *model, const Block *block, uint32_t most,
                                 Found *found, uint32_t *counts, cleave_error *error);
Status clv_points_score_neighbors(const Model *model, const Found *found, uint32_t count,
                                  uint32_t classes, double *scores, cleave_error *error);
/* Writes the neighbors of a row to `found`; for predictions.c. */
void clv_points_found(const Points *points, const Nearest *nearest, Found *found);

#endif
