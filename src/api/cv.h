/* What stands behind cleave_cv_result, and the words that are made of its numbers. */
#ifndef API_CV_H
#define API_CV_H

#include "model/method.h"

/* What a fold's rows came to; sums. */
typedef struct {
    uint64_t n, unlabelled, errors, baseline_errors;
    double squares, fourths; /* regression: of what answers are off */
    double mean, spread;     /* of the targets */
} Tally;

typedef struct {
    cleave_cv_result facts; /* first, so that it can be freed by its public address */
    Context *context;
    cleave_cv_fold *fold;
    Tally *tally; /* of each fold */
    char verdict[512], hint[384], baseline_label[QUOTE_SIZE];
} CvResult;

/* From folds and tallies: all numbers over them, and the verdict. */
Status clv_cv_summarise(CvResult *result, const Method *method, cleave_error *error);

#endif
