/* What stands behind cleave_cv_result, and the words that are made of its numbers. */
#ifndef SELECT_CROSS_VALIDATION_H
#define SELECT_CROSS_VALIDATION_H

#include "select/trial.h"

typedef struct {
    cleave_cv_result facts; /* first, so that it can be freed by its public address */
    Context *context;
    cleave_cv_fold *fold;
    FoldSums *sums;    /* of each fold */
    double test_ratio; /* see clv_folds_test_ratio */
    const Metric *metric;
    MetricSums *baseline; /* of each fold */
    char verdict[512], hint[384], baseline_label[QUOTE_SIZE], positive[QUOTE_SIZE];
} CvResult;

/* From folds and tallies: all numbers over them, and the verdict. */
Status clv_cv_summarise(CvResult *result, const Method *method, cleave_error *error);

#endif
