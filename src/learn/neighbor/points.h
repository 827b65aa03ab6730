/*
 * The training points of a model of neighbours: where they lie, what is known of each, how they are searched, and the four decisions that
 * the options are. Answers are made of these alone, whether they are in a model or still being gathered.
 */
#ifndef LEARN_NEIGHBOR_POINTS_H
#define LEARN_NEIGHBOR_POINTS_H

#include "learn/neighbor/index.h"
#include "model/method.h"

enum { WEIGHT_NONE, WEIGHT_INVERSE, WEIGHT_SQUARE, WEIGHT_GAUSSIAN, WEIGHT_AUTO };
enum { VOTE_MAJORITY, VOTE_AGREE };

typedef struct {
    int64_t k;
    bool all, keep_unlabeled;
    int distance, weight, vote;
    double r, sigma;
    const char *feature_weights; /* NULL: all count 1 */
    IndexOptions search;
    int64_t max_points; /* 0: any number */
    int64_t shard;      /* of the data, from 0 */
} NeighborOptions;

typedef struct {
    NeighborOptions options;
    Vectors vectors;
    const double *scale; /* of Gower's distance; NULL: it is another */
    Index *index;        /* NULL: not opened */
    /* Of each point. */
    const uint32_t *label;
    const double *number;
    const float *weight; /* NULL: all 1 */
    const uint64_t *row; /* in the training data, from 0; NULL: as they are here */
    uint64_t next_row;   /* of data that follows */
    uint32_t classes;    /* 0: numbers, or no labels */
    uint32_t unlabelled; /* points without one: they can be searched for, and do not answer */
    uint32_t positive;
} Points;

/* Labels of points are numbers of classes, or UNLABELED. */
static inline uint64_t point_row(const Points *points, uint32_t point)
{
    return points->row ? points->row[point] : point;
}

/* But for the scale of Gower's. */
Metric clv_neighbor_metric(const NeighborOptions *options);
/* How many are asked where there are so many points. */
uint32_t clv_neighbor_count(const NeighborOptions *options, uint32_t points);

/* Those of a model: false where its arrays are not such. `check` looks at every number, for files from outside. */
bool clv_points_of_model(const Model *model, Points *points);
Status clv_points_check(const Model *model, const void *options, cleave_error *error);
/* An error where points have no labels: such a model is for search. */
Status clv_points_can_answer(const Points *points, cleave_error *error);
/* With the index open; clv_points_close afterwards. */
Status clv_points_open(const Model *model, Points *points, cleave_error *error);
void clv_points_close(Points *points);

/* The scores of a row whose nearest points, sorted, are these. share: room for the classes. */
void clv_points_answer(const Points *points, const Nearest *nearest, double *share, double *scores);
/* The smallest integer weight, at most nearest->most, with which a row of this class wins the vote
 * at its own position once it is a point. nearest: the nearest points without the row. */
uint32_t clv_points_votes_to_win(const Points *points, const Nearest *nearest, uint32_t label, double *share);
/* What each of the nearest counts, and its share of what they count together. */
void clv_points_weights(const Points *points, const Nearest *nearest, double *weight, double *share);
extern const PredictSession clv_points_session;
/* Of every row of a block, on the context's threads. */
Status clv_points_predict(Context *context, const Points *points, const Block *block, double *scores,
                          cleave_error *error);
/* Of the nearest points that there are for these rows, how many are found; both 0 where the model's index is exact. */
Status clv_points_recall(const Model *model, const Block *rows, uint64_t *found, uint64_t *there, cleave_error *error);

/* The points being those of a part: the neighbor functions of MethodDistributed. */
uint32_t clv_points_neighbors_used(const Model *model, uint32_t *there);
Status clv_points_find_neighbors(const Model *model, const Block *block, uint32_t most, Found *found, uint32_t *counts,
                                 cleave_error *error);
Status clv_points_score_neighbors(const Model *model, const Found *found, uint32_t count, uint32_t classes,
                                  double *scores, cleave_error *error);
/* For answers.c: the neighbours of a row as found. */
void clv_points_found(const Points *points, const Nearest *nearest, Found *found);

#endif
