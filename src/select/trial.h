/* A trial: one method with one set of options on one fold. The rows of the other folds, or a
 * fraction of them, become a dataset, to which the pipeline and the method are fitted. Then the
 * fold's rows, or a fraction of them, are evaluated. A trial has its own context with one thread,
 * so that its result does not depend on the number of concurrent trials. Cross-validation, tuning
 * and comparison consist of trials; select/experiment.h has their common parts. */
#ifndef SELECT_TRIAL_H
#define SELECT_TRIAL_H

#include "eval/evaluation.h"
#include "eval/folds.h"
#include "train/train_options.h"

#include <string.h>

typedef struct {
    cleave_log_level level;
    char message[400], hint[200];
} TrialRemark;

typedef struct {
    /* Set by the caller before clv_trial_begin. All pointers must outlive the trial. */
    Context *parent; /* allocates memory, and may cancel the trial */
    const Method *method;
    const RowMetric *metric;        /* NULL: only the error */
    const cleave_options *training; /* options of the method and of training */
    const char *name;               /* name of the data */
    Dataset *dataset;               /* the data as read; trials may share it */
    const Folds *folds;
    uint32_t part;
    double train_share, test_share; /* fractions of the rows; 0: all */
    uint64_t share_seed;
    double deadline; /* time by clv_now at which the trial is cancelled and `late` is set; 0:
                      * none */
    /* warm-start model of the same method and rows, whose context must not be in use; or NULL */
    const Model *from;
    bool keep_model;       /* returns the model */
    bool weigh_model;      /* returns only the size of the model */
    bool skip_train_error; /* methods with slow predictions do not predict the training rows */
    /* receives the losses of the evaluated rows, by row of the dataset; NULL: not needed */
    double *losses;
    void (*poll)(void *user); /* called often while the trial runs; NULL: not needed */
    void *poll_user;

    /* Set by clv_trial_run. */
    Status status;
    cleave_error error;
    bool late;
    cleave_cv_fold facts; /* filled in, except for the repeat */
    Evaluation sums;
    uint64_t features, classes;
    uint64_t model_bytes;
    Model *model;
    TrialRemark *remarks;
    size_t remark_count, remark_capacity;

    /* Private members. */
    Context context;
    uint32_t evaluated_part;
    bool evaluating;
} Trial;

/* Initializes a trial, which must not be moved afterwards. */
void clv_trial_begin(Trial *trial);
void clv_trial_run(Trial *trial);
void clv_trial_free(Trial *trial);

/* Copies the error of the trial. A row number in the message is relative to the training or test
 * set, which the message names. */
void clv_trial_failure(const Trial *trial, cleave_error *error);

/* The most frequent label, the first one if several are equally frequent: the baseline of a
 * classification. */
uint32_t clv_most_frequent(const Labels *labels);

/* Checks options before any data is read, and fills run. Fails for options that apply only to a
 * model that is saved. */
Status clv_trial_check(Context *context, const Method *method, const cleave_options *training,
                       RunOptions *run, cleave_error *error);

/* Whether the method provides the probabilities that the metric needs. Sets an error if not. */
bool clv_trial_can_measure(const RowMetric *metric, const Method *method, const RunOptions *run);
Status clv_trial_refuse_metric(const RowMetric *metric, const Method *method, cleave_error *error);

#endif
