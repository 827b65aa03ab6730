/*
 * A trial: one method with one set of options on one fold. Rows of the other folds, or a share of them, become a dataset; the pipeline and the
 * method learn from them alone; the fold's rows, or a share of them, are judged. A trial has a context of its own, with one thread, so that
 * whoever runs it, and however many at a time, it computes the same. Cross-validation, tuning and comparison are made of trials.
 */
#ifndef SELECT_TRIAL_H
#define SELECT_TRIAL_H

#include "eval/folds.h"
#include "eval/row_loss.h"
#include "model/method.h"
#include "train/train_options.h"

#include <string.h>

/* What a fold's rows came to; sums. */
typedef struct {
    uint64_t n, unlabelled, errors, baseline_errors;
    double squares, fourths; /* regression: of what answers are off */
    double mean, spread;     /* of the targets */
    MetricSums metric;
} FoldSums;

typedef struct {
    cleave_log_level level;
    char message[400], hint[200];
} Remark;

typedef struct {
    /* Asked for, before clv_trial_begin. All pointers must outlive it. */
    Context *parent; /* allocates, and is asked whether to go on */
    const Method *method;
    const Metric *metric;           /* NULL: none beside the error */
    const cleave_options *training; /* of the method and of the run */
    const char *name;               /* of the data */
    Dataset *dataset;               /* as it was read; many trials may share it */
    const Folds *folds;
    uint32_t part;
    double learn_share, judge_share; /* of the rows; 0: all */
    uint64_t share_seed;
    double deadline; /* by clv_now: given up then, with late set; 0: never */
    const Model *
        from; /* of the same method, for the same rows, in a context that is not in use: gone on from; NULL: begun anew */
    bool keep_model, weigh_model;
    bool skip_train_error; /* nobody asks: where answers are slow, none is given to training rows */
    double *
        losses; /* by row of the dataset: for the rows evaluated, the loss by the metric; others are left unchanged. NULL: not needed */

    /* Found, by clv_trial_run. */
    Status status;
    cleave_error error;
    bool late;
    cleave_cv_fold facts; /* repeat is the caller's */
    FoldSums sums;
    uint64_t features, classes;
    uint64_t model_bytes; /* as a file, where it was to be weighed */
    Model *model;         /* where it was to be kept */
    Remark *remarks;
    size_t remark_count, remark_capacity;

    /* Its own. */
    Context context;
    uint32_t judged_part;
    bool judging;
} Trial;

/* Whether training was ended by the number of rounds: more of them may do better. */
static inline bool fold_limited(const cleave_cv_fold *fold)
{
    return fold->stopped_by && strcmp(fold->stopped_by, "rounds") == 0;
}

/* It must stay where it is from then on. */
void clv_trial_begin(Trial *trial);
void clv_trial_run(Trial *trial);
void clv_trial_free(Trial *trial);

/* Its error, in the words of the whole data: rows are counted anew where a fold's rows are left out, and in the fold. */
void clv_trial_failure(const Trial *trial, cleave_error *error);

/* The most frequent label, the first of equals. The baseline of a classification predicts it for every row. */
uint32_t clv_most_frequent(const Labels *labels);

/* What can be said before any data is read: options that make no sense, or none for models that are not kept. run is filled. */
Status clv_trial_check(Context *context, const Method *method, const cleave_options *training, RunOptions *run,
                       cleave_error *error);

/* The metric of an option, for a dataset and a method: one that suits neither is a usage error. */
Status clv_trial_metric(int id, const Method *method, const RunOptions *run, const Dataset *dataset,
                        const Metric **metric, cleave_error *error);
/* Whether the method predicts what the metric needs. */
bool clv_trial_can_measure(const Metric *metric, const Method *method, const RunOptions *run);
/* The name of the class whose value the metric is, quoted, for messages; NULL: the metric is not of one class. */
const char *clv_trial_positive(const Metric *metric, const RunOptions *run, const Labels *labels,
                               char buffer[QUOTE_SIZE]);

#endif
