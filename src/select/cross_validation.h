/* Cross-validation: a trial for each fold (cross_validation.c), and its summary (cv_summary.c). */
#ifndef SELECT_CROSS_VALIDATION_H
#define SELECT_CROSS_VALIDATION_H

#include "select/baseline.h"

#include <stdatomic.h>

typedef struct {
    cleave_cv_result facts; /* first member, so that the public address frees it */
    Experiment base;
    const Method *method;
    Trial *trial; /* trial of each fold of each repeat */
    TrialResult *result;
    cleave_cv_fold *fold;
    Baseline baseline;
    double test_ratio; /* see clv_folds_test_ratio */
    _Atomic uint64_t rows_done;
    char summary[512], hint[384];
} Cv;

/* Computes the error, the metric, the gap and the summary from the results of all folds. */
Status clv_cv_summarize(Cv *cv, cleave_error *error);

#endif
