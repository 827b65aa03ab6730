/*
 * A trial: one method with one set of options on one fold. The rows of the other folds, or a share
 * of them, become a dataset; the pipeline and the method learn from them alone; the fold's rows, or
 * a share of them, are evaluated. A trial has a context of its own, with one thread: its result
 * does not depend on the number of trials that run at once. Cross-validation, tuning and comparison
 * are made of trials; select/experiment.h has what they share.
 */
#ifndef SELECT_TRIAL_H
#define SELECT_TRIAL_H

#include "eval/evaluation.h"
#include "eval/folds.h"
#include "train/train_options.h"

#include <string.h>

typedef struct {
    cleave_log_level level;
    char message[400], hint[200];
} Remark;

typedef struct {
    /* Set by the caller before clv_trial_begin. All pointers must outlive the trial. */
    Context *parent; /* allocates, and may cancel the trial */
    const Method *method;
    const Metric *metric;           /* NULL: none beside the error */
    const cleave_options *training; /* of the method and of the run */
    const char *name;               /* of the data */
    Dataset *dataset;               /* as it was read; trials may share it */
    const Folds *folds;
    uint32_t part;
    double train_share, test_share; /* of the rows; 0: all */
    uint64_t share_seed;
    double deadline;   /* by clv_now: the trial is cancelled then, and late is set; 0: none */
    const Model *from; /* warm start from a model of the same method and rows, whose context is not in use; or NULL */
    bool keep_model;   /* the model is kept … */
    bool weigh_model;  /* … or its size is */
    bool skip_train_error;    /* it is not needed: methods that are slow to predict do not predict training rows */
    double *losses;           /* by row of the dataset: receives the losses of the evaluated rows; NULL: not needed */
    void (*poll)(void *user); /* called often while the trial runs; NULL: not needed */
    void *poll_user;

    /* Set by clv_trial_run. */
    Status status;
    cleave_error error;
    bool late;
    cleave_cv_fold facts; /* except for the repeat */
    Evaluation sums;
    uint64_t features, classes;
    uint64_t model_bytes;
    Model *model;
    Remark *remarks;
    size_t remark_count, remark_capacity;

    /* Private. */
    Context context;
    uint32_t evaluated_part;
    bool evaluating;
} Trial;

/* The trial must not be moved afterwards. */
void clv_trial_begin(Trial *trial);
void clv_trial_run(Trial *trial);
void clv_trial_free(Trial *trial);

/* Its error. A row number in the message is relative to the rows of the trial; the message says
 * which ones. */
void clv_trial_failure(const Trial *trial, cleave_error *error);

/* The most frequent label, the first of equal ones: the baseline of a classification predicts it
 * for every row. */
uint32_t clv_most_frequent(const Labels *labels);

/* Checks options before any data is read, and fills run. Options that only suit a model that is
 * kept are errors. */
Status clv_trial_check(Context *context, const Method *method, const cleave_options *training, RunOptions *run,
                       cleave_error *error);

/* Whether the method has the probabilities that the metric needs, and the error if it does not. */
bool clv_trial_can_measure(const Metric *metric, const Method *method, const RunOptions *run);
Status clv_trial_refuse_metric(const Metric *metric, const Method *method, cleave_error *error);

#endif
