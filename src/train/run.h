/* What one training run holds, for the files of this room that share the work; the door is train/batch_driver.h. */
#ifndef TRAIN_RUN_H
#define TRAIN_RUN_H

#include "base/scratch_file.h"
#include "data/traversal.h"
#include "train/running_scores.h"
#include "train/stopping.h"
#include "train/training_report.h"
#include "train/training_rows.h"

/* Rows copied from several blocks. */
typedef struct {
    Builder builder;
    uint64_t *number; /* of each row in its dataset */
    size_t capacity;
    bool begun;
} Gathered;

typedef struct {
    Context *context;
    const Method *method;
    void *method_options; /* `auto` in them is rewritten */
    RunOptions options;
    const Labels *labels; /* of the training data */
    const Names *names;
    const Pipeline *pipeline; /* of the model that is made */
    const Schema *schema;
    const char *name;  /* of the data, for messages */
    Dataset *dataset;  /* NULL in a stream */
    Dataset *valid;    /* NULL: the held-out part of the dataset, if any */
    const Model *from; /* training goes on from it; NULL: from nothing */
    const Tracer *tracer;
    const RoundWatcher *rounds;
    cleave_error *error;

    Fit fit;
    Scratch scratch; /* the fit's */
    double *label_number, *class_weight;
    TrainingRows training_rows; /* and those held out */
    TargetRange targets;        /* regression: of the training rows */
    Gathered sample, slice;     /* feed.c */
    Traversal traversal, held_out;
    Traversal all;   /* every training row once, as in the file: for what must miss none */
    bool watches;    /* held_out is used */
    uint32_t shards; /* 1: plain sweeps */
    Stop stop;
    const char *stopped_by; /* NULL: go on */
    double round_started;
    Model *best; /* the model of the best round on held-out data; NULL where it is the newest, and not made yet */
    Evaluation best_evaluation;
    uint32_t best_round;
    Model *judging; /* where scores are kept: any model of the run, to judge them by */
    Kept kept_held_out, kept_train;
    double train_rmse; /* regression, when all is done; NaN: nobody knows */
    bool checking;     /* of draws: the next round visits every row, since the last one changed nothing */
    Report *report;
    struct {
        Buffer facts;     /* what tells this run from others */
        Model *model;     /* gone on from */
        char *best_bytes; /* of run->best, until it is loaded */
        double saved_at;
    } checkpoint; /* checkpoint.c */

    /* For the tracer. */
    bool tracing_start; /* the weights before the first round */
    double *weights, *thresholds, *scores;
    char *row_name;
    size_t weights_capacity, row_name_capacity;
} Run;

/* ---- check.c: is the data fit for the method, and what of it matters before the first row */
Status clv_run_check_data(Run *run);
Status clv_run_check_from(const Run *run); /* the model that training goes on from, where it does */
Status clv_run_check_options(const Run *run);
Status clv_run_check_values(const Run *run, const Block *block); /* 0 and 1 where the method wants them */
/* ":LINE" when the line is known and in the one file the data is named after, else nothing. */
const char *clv_run_place(uint64_t line, uint32_t file, char buffer[24]);
Status clv_run_refuse_unlabeled(const Run *run);                /* no row has a label */
Status clv_run_refuse_word(const Run *run, const Label *label); /* a target that is no number */
Status clv_run_weigh_classes(Run *run);                         /* class_weight alone */
/* label_number, class_weight, fit->rows and fit->weight_total. */
Status clv_run_weigh(Run *run);
/* Its parts, for drivers whose rows are not all here: label_number and class_weight; rows and weight_total of one sweep, added to the
 * fit's; whether what they came to will do. */
Status clv_run_weigh_labels(Run *run);
Status clv_run_count_rows(Run *run, Traversal *traversal);
/* Extends run->targets by a row, in a regression. */
void clv_run_see_target(Run *run, const Block *block, uint32_t row);
/* Records the range of the targets of this run's rows, and of those of the model it continues from. */
Status clv_run_put_target_range(const Run *run, Model *model);
Status clv_run_check_weights(const Run *run);
/* Rows of the data, for what the model records of them. */
Status clv_run_record_rows(Run *run, const Block *block);

/* ---- trace.c */
Status clv_run_trace_workspace(Run *run);
void clv_run_trace(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok);
void clv_run_trace_free(Run *run);

/* ---- train.c, for stream.c and the driver in mpi/ */
Status clv_run_describe(
    Run *run); /* is the data fit for it, and the facts the method decides by, but for rows and weights */
/* Replaces `auto` in the options of the method. */
Status clv_run_choose_options(Run *run);
Status clv_run_choose(Run *run); /* the method's decisions, and what stops the run */
Status clv_run_begin(Run *run);
void clv_run_end(Run *run);
Status clv_run_make_model(Run *run, Model **model);
void clv_run_tell(Run *run); /* the rest of the report */

#endif
