/*
 * Rows by their score for one class, the highest first: what any threshold would come to. The area below the ROC curve is the probability that a row of
 * the class is above one that is not, a tie counting half (Hanley and McNeil 1982), its variance DeLong, DeLong and Clarke-Pearson's (1988). The area
 * below the precision-recall curve is the average precision, the precision at each row of the class, without interpolation between.
 */
#ifndef EVAL_RANKING_H
#define EVAL_RANKING_H

#include "base/context.h"

typedef struct {
    double score;
    uint32_t row; /* into the weights, and of influence */
    uint32_t positive;
} RankedRow;

typedef struct {
    RankedRow *row;
    size_t count;
    const float *weights;        /* by row; NULL: all 1 */
    size_t positives, negatives; /* how many, … */
    double positive_weight, negative_weight;
    double spread; /* … and sum w^2 / sum w of the positives */
} Ranking;

/* Puts the rows in order, in place. A score that is no number is below all others. */
void clv_rank(Ranking *ranking, RankedRow *rows, size_t count, const float *weights);
/* Of the other class: scores change their signs. */
void clv_rank_reversed(Ranking *ranking);

/* NaN where a side has no rows. */
double clv_roc_area(const Ranking *ranking);
/* Adds to influence[row] what the row moves the area by: the sum of their squares is the variance. */
void clv_roc_influence(const Ranking *ranking, double area, double *influence);
/* The same summed at once; NaN where a side has fewer than two rows. */
double clv_roc_variance(const Ranking *ranking, double area);
double clv_pr_area(const Ranking *ranking);
/* Adds to influence[row] the derivative of that area by the weight of the row, times the weight. */
void clv_pr_influence(const Ranking *ranking, double area, double *influence);
double clv_pr_variance(const Ranking *ranking, double area);

/* Intervals: see clv_area. */
cleave_interval clv_roc_measure(const Ranking *ranking);
cleave_interval clv_pr_measure(const Ranking *ranking);

/* Thresholds from high to low, each a score that occurs: about `most` of them, evenly, with the first, the last, the one of the best F1 (the highest of
 * several) and the last above `own`, where the model draws the line. Workspace for most + 4; how many there are. */
size_t clv_rank_thresholds(const Ranking *ranking, size_t most, double own, cleave_threshold *thresholds);

/* The same for pictures: as few thresholds as will do, at most `most` (and at least 16), such that any left out differs from the one before it by
 * less than `tolerance` in recall, precision and false positive rate, a quarter of a hundredth or, where that takes too many, the least doubling of it
 * that does not. The first, the last, the best and the own are among them. Workspace for most + 4; tolerance, which may be NULL, is told. */
size_t clv_rank_curve(const Ranking *ranking, size_t most, double own, cleave_threshold *points, double *tolerance);

#endif
