/*
 * Metrics with 95% confidence intervals: pure functions over counts and arrays. The value of an
 * undefined metric (no predictions, absent class) is the default of scikit-learn, or NaN where
 * scikit-learn only warns.
 *
 * Intervals (eval/interval.h): fractions and averages of fractions have Wilson's interval. Averages
 * use the effective sample size, the number of rows at which a fraction of that value has the same
 * variance (Dean and Pagano 2015). Means over rows have the interval of positive means. Rows of
 * unequal weights count as (sum w)^2 / sum w^2 rows (Kish 1965). Bounds are NaN if there are too
 * few rows.
 */
#ifndef EVAL_METRICS_H
#define EVAL_METRICS_H

#include "base/context.h"

#define NO_MEASURE ((cleave_interval){(double)NAN, (double)NAN, (double)NAN})

/* ---- shares */

/* The fraction right / count; both may be sums of weights. n: effective number of rows. */
cleave_interval clv_share(double right, double count, double n);
/* A value between 0 and 1 with this variance. n: effective number of rows, used if the variance is
 * 0. */
cleave_interval clv_share_by_variance(double value, double variance, double n);

/* ---- means over rows */

/* Mean and variance (Welford 1962, with weights as West 1979). A zeroed struct is empty. */
typedef struct {
    uint64_t rows;
    double weight, weight_squares, mean, squares;
} Moments;

void clv_moments_add(Moments *moments, double value, double weight);
/* The mean of losses, which are never negative; NaN without rows. */
cleave_interval clv_moments_mean(const Moments *moments);

/* ---- probabilities: contribution of one row to the mean */

/* The mean of losses of probabilities. It has no interval if few rows are outside of the most
 * frequent class, because these rows contribute most of the loss. most: the largest possible loss,
 * infinite for the log loss. */
cleave_interval clv_probability_loss(const Moments *losses, double others, double most);
double clv_log_loss(double of_truth); /* -log p, with p at least 2^-52 */
/* The squared distance from the true class (Brier 1950): for two classes that of one probability,
 * for more classes the sum over the classes. */
double clv_brier(const double *probabilities, size_t classes, size_t truth);

/* ---- classes */

/* Sums of weights by class of the model. weight / spread is the effective number of rows. */
typedef struct {
    size_t classes;
    const double *rows, *answers, *right;
    /* classes + 1 rows of true classes, the last for unknown labels, times classes + 1 columns of
     * predictions, the last for abstentions. NULL: unknown. */
    const double *confusion;
    double spread; /* sum w^2 / sum w; 1 if every weight is 1 */
} ClassCounts;

typedef struct {
    cleave_interval precision, recall, f1;
} ClassMetrics;

/* All metrics are NaN for a class that neither occurs in the data nor is predicted. */
ClassMetrics clv_class_metrics(const ClassCounts *counts, size_t number);
/* The average over the classes that are in the data or predicted: the mean, or the mean weighted by
 * their rows. Intervals are by the delta method (Takahashi and others 2022), if the confusion
 * matrix is known. There is no interval if a class of the model has fewer than INTERVAL_CLASS_ROWS
 * rows (for precision: predictions). Recall and F1 weighted by rows always have an interval. */
ClassMetrics clv_class_average(const ClassCounts *counts, bool by_rows);

/* The derivative of a class's F1 by the weight of one row of class truth that was predicted as
 * answer (infinitesimal jackknife). */
double clv_f1_influence(const ClassCounts *counts, size_t number, size_t truth, size_t answer);

/* ---- numbers */

typedef struct {
    cleave_interval rmse, mae, r2;
    double mean_rmse; /* RMSE of the baseline that predicts the mean */
    bool rescaled;    /* whether sums of squares would leave the range of doubles without scaling */
} RegressionMetrics;

/* Computes the metrics of a regression. weights NULL: all 1. */
RegressionMetrics clv_regression_metrics(const double *targets, const double *answers,
                                         const float *weights, size_t count);

#endif
