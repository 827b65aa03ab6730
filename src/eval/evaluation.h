/*
 * The evaluation of predictions on labeled rows: one accumulator for training, test,
 * cross-validation, tuning, comparison and plots. Metrics with intervals are derived from these
 * sums (eval/metrics.h, eval/row_loss.h); the confusion matrix and kept scores of `test` are in
 * eval/tally.h.
 */
#ifndef EVAL_EVALUATION_H
#define EVAL_EVALUATION_H

#include "data/traversal.h"
#include "eval/interval.h"
#include "eval/row_loss.h"
#include "model/method.h"

/* Sums over rows. A zeroed struct is empty. */
typedef struct {
    uint64_t n, unlabeled, errors;
    /* number of abstentions of the model; they are errors */
    uint64_t none;
    uint64_t unseen_label; /* number of labels that are not classes of the model */
    /* errors of the baseline that always predicts the majority class */
    uint64_t baseline_errors;
    /* set by the caller: the loss of the method is not computed */
    bool without_loss;
    double loss;                                   /* loss by the loss function of the method */
    double abs_error, squared_error, fourth_error; /* regression: powers of prediction - target */
    double target_mean;                            /* regression: mean of the targets */
    /* regression: sum of the squared deviations of the targets from their mean */
    double target_spread;
    MetricSums metric; /* sums of the chosen metric, if any */
} Evaluation;

/* Add one row: the prediction of the model, compared with its label or target. clv_evaluate_class
 * returns the predicted label. */
uint32_t clv_evaluate_class(const Model *model, uint32_t label, const double *scores,
                            bool allow_none, Evaluation *evaluation);
void clv_evaluate_number(const Model *model, double target, double predicted,
                         Evaluation *evaluation);

/* Adds the rows of a block, whose scores are given. numbers: in a regression, the numeric value of
 * each label of the data. */
void clv_evaluate_scores(const Model *model, const Block *block, const double *numbers,
                         bool allow_none, const double *scores, Evaluation *evaluation);

/* Adds the sums over other rows, except for their metric, which is pooled by fold
 * (clv_metric_pool). */
void clv_evaluation_join(Evaluation *all, const Evaluation *more);

/* The error rate, or the RMSE of a regression; NaN without rows. */
double clv_evaluation_error(const Evaluation *evaluation, bool regression);
/* Returns the error with its interval. `repeats` is the number of times that each row is in the
 * sums. */
Interval clv_evaluation_interval(const Evaluation *evaluation, bool regression, double repeats);

/* Called with each block and the scores of its rows. */
typedef Status (*ScoredBlock)(void *user, const Block *block, const double *numbers,
                              const double *scores);

/* Computes the scores of the rows of a source, which has the features of the model. */
Status clv_score_source(const Model *model, Source *source, ScoredBlock scored, void *user,
                        cleave_error *error);

/* Evaluates the rows of a traversal. scored may be NULL. The evaluation is cleared first, except
 * for without_loss. */
Status clv_evaluate_rows(const Model *model, Traversal *traversal, const double *numbers,
                         ScoredBlock scored, void *user, Evaluation *evaluation,
                         cleave_error *error);

#endif
