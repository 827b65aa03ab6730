/* Functions shared by cross-validation, tuning and comparison: options, folds, metric, the results
 * of trials and their sums over folds, the journal for resuming an interrupted search, and the
 * first failure of concurrent tasks. */
#ifndef SELECT_EXPERIMENT_H
#define SELECT_EXPERIMENT_H

#include "input/input.h"
#include "select/journal.h"
#include "select/trial.h"

#include <pthread.h>

/* Options of the three verbs. Each verb has its own table. Members that are not in its table are
 * 0. */
typedef struct {
    int64_t folds, repeats, seed;
    const char *by_group, *by_time, *budget, *journal;
    int metric;
    /* tune */
    int64_t candidates, trials, rungs;
    bool search_pipeline;
    double test_fraction;
    const char *space;
    /* compare */
    bool skip_unlabeled;
    const char *methods, *transform;
    int task;
} SelectOptions;

#define FOLD_GROUP_PARAMS                                                                          \
    TEXT(SelectOptions, by_group, NULL,                                                            \
         "Keep rows with equal values of this column (or qid) in one fold."),                      \
        TEXT(SelectOptions, by_time, NULL,                                                         \
             "Use forward-chaining folds, ordered by this column of dates or numbers.")

/* ---- results of trials */

typedef enum {
    TRIAL_PENDING,
    TRIAL_RUNNING,
    TRIAL_DONE,
    TRIAL_FAILED, /* the options of the candidate do not suit the data */
    TRIAL_DROPPED /* the trial exceeded its time */
} TrialState;

/* The result of a trial. */
typedef struct {
    TrialState state;
    /* training stopped at the maximum number of epochs, and more epochs may be better */
    bool limited;
    bool warm;                      /* the trial had a warm start */
    double train_share, test_share; /* fractions of the rows; 0: all */
    uint64_t train_n, model_bytes;
    double train_seconds, test_seconds;
    double seconds; /* time of the whole trial */
    Evaluation sums;
} TrialResult;

TrialResult clv_trial_result(const Trial *trial, double seconds);

/* Sums over the finished trials of a candidate. */
typedef struct {
    uint32_t folds;   /* number of finished trials */
    uint32_t limited; /* number of trials that stopped at the limit of epochs */
    Evaluation sums;
    MetricPool metric;
    double loss; /* loss by the metric, where lower is better; NaN: undefined */
    double train_seconds, seconds;
} TrialPool;

TrialPool clv_results_pool(const TrialResult *results, uint32_t count, const RowMetric *metric);

/* ---- the experiment */

typedef struct {
    Context *context;
    const Param *params;
    SelectOptions options;
    double started, budget; /* start of the experiment, by clv_now; budget in seconds, 0: none */
    const char *name;       /* name of the data */
    Dataset *dataset;
    bool regression;
    uint64_t classes; /* number of classes with rows in the dataset */
    const RowMetric *metric;
    RunOptions run; /* options of every trial, if there is only one method */
    uint64_t seed;
    uint32_t fold_count; /* number of folds per repeat, without the held-out part */
    uint32_t repeats, trials;
    Folds *folds; /* folds of each repeat */
    Journal *journal;
    char baseline_label[QUOTE_SIZE], positive[QUOTE_SIZE];
    const char *positive_label; /* NULL: the metric does not depend on a class */

    pthread_mutex_t lock;
    bool has_lock;
    uint32_t failed; /* number of the first failed task; UINT32_MAX: none */
    Status failure;
    cleave_error failure_error;
} Experiment;

/* Applies and checks the options. The experiment must be closed also after a failure; a zeroed one
 * may be closed. */
Status clv_experiment_begin(Experiment *experiment, Context *context, const cleave_data *data,
                            const Param *params, const cleave_options *options,
                            cleave_error *error);
void clv_experiment_close(Experiment *experiment);

/* Loads the data and counts its classes. */
Status clv_experiment_load(Experiment *experiment, cleave_data *data, cleave_error *error);
/* Chooses the metric for the dataset and, unless it is NULL, the method. `regression` must be set
 * before. */
Status clv_experiment_choose_metric(Experiment *experiment, const Method *method,
                                    cleave_error *error);
/* Splits the rows into folds. held_out: fraction of the rows outside of all folds. */
Status clv_experiment_split(Experiment *experiment, bool takes_unlabeled, double held_out,
                            cleave_error *error);

/* Makes a trial on one fold of one repeat, which the caller completes. */
Trial clv_experiment_trial(const Experiment *experiment, uint32_t number);

static inline const Folds *experiment_folds(const Experiment *experiment, uint32_t trial)
{
    return &experiment->folds[trial / experiment->fold_count];
}

/* ---- tasks on several threads */

/* Runs all tasks. Returns the failure with the lowest number. */
Status clv_experiment_run(Experiment *experiment, uint32_t tasks,
                          void (*work)(void *user, uint32_t task, unsigned worker), void *user,
                          cleave_error *error);
void clv_experiment_fail(Experiment *experiment, uint32_t task, Status status,
                         const cleave_error *error);
/* Whether a task before this one has failed. */
bool clv_experiment_has_failed(Experiment *experiment, uint32_t task);

/* Logs the notes of the first trial, and the warnings of all trials that differ in more than
 * numbers. */
void clv_experiment_tell_remarks(const Experiment *experiment, const Trial *trials, uint32_t count);

/* ---- the journal */

/* Opens the journal of the options, if any. facts: further facts that identify the search,
 * alternating names and values. Options that `skip` accepts are not among the facts. */
Status clv_experiment_open_journal(Experiment *experiment, const char *command, const Buffer *facts,
                                   bool (*skip)(const char *name), cleave_error *error);

enum { RESULT_NUMBERS = 23 };

/* Converts a result to numbers and back. clv_result_load returns false if the numbers are not a
 * valid result. */
void clv_result_save(const TrialResult *result, double numbers[RESULT_NUMBERS]);
bool clv_result_load(TrialResult *result, const double numbers[RESULT_NUMBERS]);

/* Records a finished trial, from any thread. text may be NULL. */
Status clv_experiment_record(Experiment *experiment, const char *key, const TrialResult *result,
                             const char *text, cleave_error *error);

#endif
