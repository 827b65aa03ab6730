/* The state of one training run, shared by the files of this module; train/batch_driver.h is the
 * interface. */
#ifndef TRAIN_RUN_H
#define TRAIN_RUN_H

#include "base/scratch_file.h"
#include "data/traversal.h"
#include "train/running_scores.h"
#include "train/stopping.h"
#include "train/training_report.h"
#include "train/training_rows.h"

/* Rows gathered from several blocks. */
typedef struct {
    Builder builder;
    uint64_t *number; /* number of each row in its dataset */
    size_t capacity;
    bool begun;
} GatheredRows;

/* The model of the best epoch on held-out rows. */
typedef struct {
    Model *model; /* NULL: the best epoch is the newest, and its model has not been built */
    Evaluation evaluation;
    uint32_t epoch;
} BestEpoch;

/* Scores of rows kept between epochs; see running_scores.h. */
typedef struct {
    Model *model; /* any model of the run, to evaluate the scores with */
    KeptSums held_out, train;
} RunningScores;

typedef struct {
    Buffer facts;     /* identifies the run */
    Model *model;     /* the state to resume from */
    char *best_bytes; /* bytes of the best model until it is loaded */
    double saved_at;
} RunCheckpoint;

/* Buffers of trace.c. */
typedef struct {
    bool start; /* the next event has the weights before the first epoch */
    double *weights, *thresholds, *scores;
    double *gradient; /* laid out as weights and intercepts; NULL: not needed so far */
    char *row_name;
    size_t weights_capacity, gradient_capacity, row_name_capacity;
    uint32_t per_feature; /* weights of each feature, … */
    Names names;          /* … and their names, where they are several */
} RunTrace;

typedef struct {
    Context *context;
    cleave_error *error;
    Job job;              /* the job; its options are replaced by those below */
    RunOptions options;   /* options with `auto` replaced */
    const Labels *labels; /* labels of the training data */
    Dataset *dataset;     /* the training rows; NULL in a stream */
    FitProblem problem;   /* owns label_number and class_weight */
    Fit fit;              /* fit of this problem */
    Report *report;

    Scratch scratch;            /* the workspace of the fit */
    TrainingRows training_rows; /* including the held-out rows */
    TargetRange targets;        /* regression: range of the targets of the training rows */
    struct {
        GatheredRows sample, slice;
    } feed;              /* state of feed.c */
    Traversal traversal; /* the training rows of an epoch */
    Traversal all;       /* every training row once, in file order */
    Traversal held_out;  /* traversal of job.valid, or of the held-out part of the dataset */
    bool watches;        /* held_out is used for evaluation */
    /* the next epoch visits every row, because an epoch of draws had no changes */
    bool checking;
    uint32_t shards; /* number of shards; 1: one worker */
    Stop stop;
    const char *stopped_by; /* the reason for the end; NULL: the run continues */
    double epoch_started;
    BestEpoch selected;
    RunningScores running;
    double train_rmse; /* regression, at the end: RMSE on the training set; NaN: unknown */
    RunCheckpoint checkpoint;
    RunTrace tracing;
} Run;

/* ---- check_data.c ---------------------------------------------------------------------------- */
Status clv_run_check_data(Run *run);
Status clv_run_check_from(const Run *run); /* checks the warm-start model, if any */
Status clv_run_check_options(const Run *run);
/* checks that features are binary if the method requires it */
Status clv_run_check_values(const Run *run, const Block *block);
/* ":LINE" if the line is known and in the first file, otherwise "". */
const char *clv_run_place(uint64_t line, uint32_t file, char buffer[24]);
Status clv_run_refuse_unlabeled(const Run *run); /* fails if no row has a label */
/* fails for a target that is not a number */
Status clv_run_refuse_word(const Run *run, const Label *label);
Status clv_run_weigh_classes(Run *run); /* sets class_weight only */
/* Sets label_number, class_weight, fit->rows and fit->weight_total. */
Status clv_run_weigh(Run *run);
/* Parts of clv_run_weigh for drivers without all rows: sets label_number and class_weight; adds
 * rows and weight_total of one traversal to those of the fit; checks the totals. */
Status clv_run_weigh_labels(Run *run);
Status clv_run_count_rows(Run *run, Traversal *traversal);
/* In a regression, extends run->targets by the target of a row. */
void clv_run_see_target(Run *run, const Block *block, uint32_t row);
/* Records the range of the targets of this run and of the warm-start model. */
Status clv_run_put_target_range(const Run *run, Model *model);
Status clv_run_check_weights(const Run *run);
/* Adds rows of the data to the record in the model. */
Status clv_run_record_rows(Run *run, const Block *block);

/* ---- trace.c --------------------------------------------------------------------------------- */
Status clv_run_trace_workspace(Run *run);
void clv_run_trace(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok);
void clv_run_trace_free(Run *run);

/* ---- batch_driver.c, for the driver in mpi/ -------------------------------------------------- */
Status clv_run_describe(
    /* checks the data and collects the facts from which the method chooses, except rows and
     * weights */
    Run *run);
/* Replaces `auto` in the options of the method. */
Status clv_run_choose_options(Run *run);
Status clv_run_choose(Run *run); /* lets the method choose, and sets the stopping rules */
/* Makes a run of a job over data with these labels. Names and schema are those of the warm-start
 * model if there is one. */
Run clv_run_new(Context *context, const Job *job, const Labels *labels, const Names *names,
                const Schema *schema, cleave_error *error);
/* Connects the fit with the run, its method and its problem. The run must not move afterwards. */
void clv_run_bind(Run *run);
Status clv_run_begin(Run *run);
void clv_run_end(Run *run);
Status clv_run_make_model(Run *run, Model **model);
void clv_run_tell(Run *run); /* completes the report of the run */

#endif
