/* Rows sorted by the score of one class, the highest first. The area under the ROC curve is the
 * probability that a positive row is above a negative row, where a tie counts half (Hanley and
 * McNeil 1982); its variance is that of DeLong, DeLong and Clarke-Pearson (1988). The area under
 * the precision-recall curve is the average precision, the mean precision at each positive row,
 * without interpolation. */
#ifndef EVAL_RANKING_H
#define EVAL_RANKING_H

#include "base/context.h"

typedef struct {
    double score;
    uint32_t row; /* index of weights and influence */
    uint32_t positive;
} RankedRow;

typedef struct {
    RankedRow *row;
    size_t count;
    const float *weights;        /* weights by row; NULL: all are 1 */
    size_t positives, negatives; /* number of rows of both classes */
    double positive_weight, negative_weight;
    double spread; /* sum w^2 / sum w of the positive rows */
} Ranking;

/* Sorts the rows in place. NaN scores come last. */
void clv_rank(Ranking *ranking, RankedRow *rows, size_t count, const float *weights);
/* Ranks the other class: changes the signs of the scores. */
void clv_rank_reversed(Ranking *ranking);

/* The area under the ROC curve; NaN if a class has no rows. */
double clv_roc_area(const Ranking *ranking);
/* Adds the influence of each row on the area to influence[row]; the sum of squares is the
 * variance. */
void clv_roc_influence(const Ranking *ranking, double area, double *influence);
/* Returns the variance of the ROC area, summed directly; NaN if a class has fewer than two rows. */
double clv_roc_variance(const Ranking *ranking, double area);
double clv_pr_area(const Ranking *ranking);
/* Adds to influence[row] the derivative of that area by the weight of the row, times the weight. */
void clv_pr_influence(const Ranking *ranking, double area, double *influence);
double clv_pr_variance(const Ranking *ranking, double area);

/* The area with its interval: see clv_area. */
cleave_interval clv_roc_measure(const Ranking *ranking);
cleave_interval clv_pr_measure(const Ranking *ranking);

/* Selects about `most` evenly spaced thresholds from the scores, from high to low. They always
 * include the first, the last, the threshold with the best F1 (the highest if there are several),
 * and the last one above `own`, the threshold of the model. The array has space for most + 4.
 * Returns their number. */
size_t clv_rank_thresholds(const Ranking *ranking, size_t most, double own,
                           cleave_threshold *thresholds);

/* Selects thresholds for charts: at most `most` (at least 16), such that an omitted threshold
 * differs from its predecessor by less than `tolerance` in recall, precision and false positive
 * rate. The tolerance is 0.0025, doubled until `most` thresholds suffice. The first, the last, the
 * best and the own threshold are included. The array has space for most + 4. *tolerance is set
 * unless NULL. */
size_t clv_rank_curve(const Ranking *ranking, size_t most, double own, cleave_threshold *points,
                      double *tolerance);

#endif
