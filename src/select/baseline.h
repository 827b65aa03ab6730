/*
 * The baseline of cross-validation and comparison: predicts the most frequent class of the data, or
 * the mean of its targets, for every row. Its score is the same for every row; its probabilities
 * are the class frequencies.
 */
#ifndef SELECT_BASELINE_H
#define SELECT_BASELINE_H

#include "select/experiment.h"

typedef struct {
    /* by repeat and row; NaN: no label, or the metric is undefined in the fold */
    float *loss;
    MetricSums *folds; /* sums by repeat and fold */
    Evaluation sums;   /* sums over the test sets of one repeat */
} Baseline;

/* Finds the baseline. Must be freed also after a failure. Warns of categories that occur only in
 * test sets. */
Status clv_baseline_find(const Experiment *experiment, Baseline *baseline, cleave_error *error);
void clv_baseline_free(Context *context, Baseline *baseline);

#endif
