/*
 * How good answers are, as numbers with their 95 % intervals: pure functions over counts and arrays. What a measure is where it is
 * undefined (nothing was answered, a class is absent) is what scikit-learn says by default, or NaN where that only warns of nonsense.
 *
 * Intervals (eval/interval.h): shares and averages of shares have Wilson's interval. Averages use
 * the effective sample size, the number of rows at which a share of that value has the same
 * variance (Dean and Pagano 2015). Means over rows have the interval of positive means. Rows of
 * unequal weights count as (sum w)^2 / sum w^2 rows (Kish 1965). Bounds are NaN if there are too
 * few rows.
 */
#ifndef EVAL_METRICS_H
#define EVAL_METRICS_H

#include "base/context.h"

#define NO_MEASURE ((cleave_interval){(double)NAN, (double)NAN, (double)NAN})

/* ---- shares */

/* right of count; both may be sums of weights. n: how many rows that is worth. */
cleave_interval clv_share(double right, double count, double n);
/* Of a value between 0 and 1 and its variance; n: what it is worth where the variance is 0. */
cleave_interval clv_share_by_variance(double value, double variance, double n);

/* ---- means over rows */

/* Zeroed is empty (Welford 1962, with weights as West 1979). */
typedef struct {
    uint64_t rows;
    double weight, weight_squares, mean, squares;
} Moments;

void clv_moments_add(Moments *moments, double value, double weight);
/* For losses, which are never negative. NaN for no rows. */
cleave_interval clv_moments_mean(const Moments *moments);

/* ---- probabilities: what one row adds to the mean */

/* Mean of such losses. No interval if few rows are outside of the most frequent class, because
 * they contribute most of the loss. most: the largest possible loss, infinite for the log loss. */
cleave_interval clv_probability_loss(const Moments *losses, double others, double most);
double clv_log_loss(double of_truth); /* -log p, p kept from 0 by 2^-52 */
/* The squared distance from the truth: of two classes that of the one's probability (Brier 1950), of many summed over them. */
double clv_brier(const double *probabilities, size_t classes, size_t truth);

/* ---- classes */

/* Sums of weights by class of the model; what they are worth in rows is weight / spread. */
typedef struct {
    size_t classes;
    const double *rows, *answers, *right;
    /* classes + 1 rows of truth, the last for labels that are no class, times classes + 1 columns of answers, the last for none. NULL: not known. */
    const double *confusion;
    double spread; /* sum w^2 / sum w; 1 where every row counts 1 */
} ClassCounts;

typedef struct {
    cleave_interval precision, recall, f1;
} ClassMeasures;

/* All NaN of a class that is neither in the data nor among the answers. */
ClassMeasures clv_class_measures(const ClassCounts *counts, size_t number);
/* Average over the classes that are in the data or predicted: the mean, or the mean weighted by
 * their rows. Intervals by the delta method (Takahashi and others 2022), if the confusion matrix
 * is known. No interval if a class of the model has fewer than INTERVAL_CLASS_ROWS rows (for
 * precision: predictions). Recall and F1 weighted by rows always have an interval. */
ClassMeasures clv_class_average(const ClassCounts *counts, bool by_rows);

/* The derivative of a class's F1 by the weight of one row of class truth that was predicted as answer (infinitesimal jackknife). */
double clv_f1_influence(const ClassCounts *counts, size_t number, size_t truth, size_t answer);

/* ---- numbers */

typedef struct {
    cleave_interval rmse, mae, r2;
    double mean_rmse; /* of the mean of the targets as the prediction */
    bool rescaled;    /* sums of squares without a scale would leave the range of doubles */
} NumberMeasures;

/* weights NULL: all 1. */
NumberMeasures clv_number_measures(const double *targets, const double *answers, const float *weights, size_t count);

#endif
