/*
 * The metrics that rank candidates in cross-validation, tuning and comparison. Every metric is
 * reduced to one loss per row (less is better), so that racing, intervals and paired tests are the
 * same for all:
 *
 *     accuracy, error       1 for a wrong prediction, 0 for a correct one
 *     log-loss              -log p of the true class
 *     mae, rmse             |prediction - target|, its square
 *     f1, macro-f1, auc,    1 - (value + n * influence of the row), the pseudo-value of the
 *     average-precision     infinitesimal jackknife (Efron 1982). Influences sum to 0, so the mean
 *                           loss of a fold is 1 - value. Their squares sum to the variance by the
 *                           delta method, for auc DeLong's (1988).
 *
 * The metrics up to rmse are means over rows, for which folds are pooled. The others are values of
 * a fold, and the value over folds is their mean, as in scikit-learn's cross_val_score.
 */
#ifndef EVAL_ROW_LOSS_H
#define EVAL_ROW_LOSS_H

#include "base/param.h"

typedef enum {
    METRIC_AUTO, /* error, or rmse in a regression */
    METRIC_ACCURACY,
    METRIC_ERROR,
    METRIC_F1,
    METRIC_MACRO_F1,
    METRIC_AUC,
    METRIC_AVERAGE_PRECISION,
    METRIC_LOG_LOSS,
    METRIC_RMSE,
    METRIC_MAE,
    METRIC_COUNT
} MetricId;

typedef struct {
    cleave_metric facts;
    MetricId id;
    /* whether the metric requires a regression, two classes, or probabilities */
    bool regression, binary, probabilities;
    bool of_folds;    /* it is a value of a fold, not a mean over rows */
    bool of_positive; /* it is the value of the positive class only */
    bool ranks;       /* it requires the scores of all rows */
} RowMetric;

/* Names for tables of parameters. */
extern const char *const clv_metric_names[];
#define METRIC_PARAM(structure)                                                                    \
    NAME(structure, metric, METRIC_AUTO, clv_metric_names, "Metric that ranks the results.")

/* Chooses the metric of an option. A metric that does not suit the task is a usage error that lists
 * suitable ones. classes: number of classes in the data. */
Status clv_metric_choose(int id, bool regression, uint64_t classes, const RowMetric **metric,
                         cleave_error *error);

/* Fails with the error for a metric that is undefined in every fold. */
Status clv_metric_undefined(const RowMetric *metric, cleave_error *error);

/* ---- sums over rows */

/* Sums over the rows of one fold. A zeroed struct is empty. */
typedef struct {
    uint64_t n; /* 0: the metric is undefined in this fold, e.g. auc if it lacks a class */
    double loss, squares;
    /* Effective number of rows, used if losses do not vary. macro-f1: 0 if a class has few rows;
     * auc: number of rows of the smaller class; log-loss: number of rows outside of the most
     * frequent class. */
    double worth;
} MetricSums;

void clv_metric_add(MetricSums *sums, double loss);

/* Sums over folds. */
typedef struct {
    MetricSums all;
    uint32_t folds;
    double mean, variance; /* sums over folds: of mean losses, and of their variances */
    double fewest;         /* minimum of worth over folds */
} MetricPool;

void clv_metric_pool(MetricPool *pool, const MetricSums *fold);

/* The mean loss, in the unit of the metric; less is better. NaN without rows. */
double clv_metric_loss(const RowMetric *metric, const MetricPool *pool);
double clv_metric_fold_loss(const RowMetric *metric, const MetricSums *fold);
/* Converts such a loss to a value of the metric. */
double clv_metric_value(const RowMetric *metric, double loss);
/* Converts a mean loss and two bounds to values, limited to the range of the metric. */
cleave_interval clv_metric_within(const RowMetric *metric, double loss, double low, double high);
/* The value with its 95% interval. repeats: number of times that each row is in the sums. */
cleave_interval clv_metric_measure(const RowMetric *metric, const MetricPool *pool, double repeats);
cleave_interval clv_metric_fold_measure(const RowMetric *metric, const MetricSums *fold);
/* The mean loss and the variance of that mean, for tests of one sum against another. Both are above
 * 0 even if losses do not vary. */
void clv_metric_moments(const RowMetric *metric, const MetricPool *pool, double *mean,
                        double *variance);

/* ---- values of a fold */

/* Predictions for the rows of a fold. */
typedef struct {
    Context *context;
    const RowMetric *metric;
    /* the model's number of classes; the model has one score per row for two classes, otherwise one
     * per class */
    uint32_t classes;
    uint32_t positive; /* the model's positive class */
    size_t count, truth_capacity, answer_capacity, row_capacity, score_capacity;
    /* labels. A true label may be above the model's classes, and a prediction may be UNLABELED. */
    uint32_t *truth, *answer;
    uint64_t *row;  /* the caller's number of the row */
    double *scores; /* scores of the rows, if the metric ranks rows */
} FoldPredictions;

Status clv_fold_predictions_add(FoldPredictions *predictions, uint64_t row, uint32_t truth,
                                uint32_t answer, const double *scores, cleave_error *error);
/* Computes the loss of each row, and the sums. If the metric is undefined, *sums is empty and
 * losses are NaN. */
Status clv_fold_predictions_end(FoldPredictions *predictions, double *losses, MetricSums *sums,
                                cleave_error *error);
void clv_fold_predictions_free(FoldPredictions *predictions);

#endif
