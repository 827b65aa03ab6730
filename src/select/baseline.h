/*
 * The baseline of cross-validation and comparison: the most frequent class of the data, or the mean of its targets,
 * predicted for every row. Its score is the same for every row, and its probabilities are the shares of the classes.
 */
#ifndef SELECT_BASELINE_H
#define SELECT_BASELINE_H

#include "eval/folds.h"
#include "eval/row_loss.h"

typedef struct {
    Context *context;
    Dataset *dataset;
    const Metric *metric;
    const char *name;     /* of the data */
    const char *positive; /* class; NULL: by the rule */
    const Folds *folds;   /* of each repeat */
    uint32_t repeats;

    /* Found. To be freed by clv_baseline_free. */
    float *loss;             /* by repeat and row; NaN: no label, or the metric is undefined in the fold */
    MetricSums *sums;        /* by repeat and fold */
    uint64_t labelled;       /* rows of the test sets that have a label */
    uint64_t errors;         /* classification: those of them that are not of the most frequent class */
    double squares, fourths; /* regression: sums over these rows of (target - mean)^2 and of its square */
} Baseline;

Status clv_baseline_find(Baseline *baseline, cleave_error *error);
void clv_baseline_free(Baseline *baseline);

#endif
