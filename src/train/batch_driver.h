/* The batch driver runs epochs of a method over a dataset, or the method's own solver, until a
 * stopping rule ends training. The stream driver passes every row to a method once, when it is
 * read. */
#ifndef TRAIN_BATCH_DRIVER_H
#define TRAIN_BATCH_DRIVER_H

#include "eval/evaluation.h"
#include "model/method.h"
#include "train/train_options.h"

typedef struct {
    cleave_report facts; /* first member, so that the public address frees the report */
    Context *context;
    size_t seconds_capacity, mistakes_capacity, rates_capacity;
    double *seconds;
    uint64_t *mistakes;
    cleave_rate_trial *rates;
    cleave_statistic figures[24];
    char order[96], solver[32], objective[192], summary[256];
} Report;

typedef struct {
    cleave_trace_callback event;
    void *user;
} Tracer;

/* Called after each epoch or round with the errors and losses on training rows and held-out rows
 * (if any), and the value of the regularization term. */
typedef struct {
    Status (*round)(void *user, const Evaluation *train, const Evaluation *held_out, double penalty,
                    cleave_error *error);
    void *user;
} RoundWatcher;

/* A training job. valid, from and tracer may be NULL. valid, the validation set, has the labels and
 * names of the data. from is a model of the same method; the data is read with its labels and
 * names. */
typedef struct {
    const Method *method;
    void *method_options; /* options of the method, in which `auto` is replaced by its value */
    const RunOptions *options;
    const char *name; /* name of the data, for messages */
    Dataset *valid;
    const Model *from;
    const Pipeline *pipeline; /* the pipeline that computed the features; NULL: none */
    const Tracer *tracer;
    const RoundWatcher *rounds; /* NULL: no watcher */
} Job;

/* Fails if a row has no label; the message has the number of such rows and the position of the
 * first. */
Status clv_refuse_unlabeled(Dataset *dataset, const char *name, cleave_error *error);
/* Checks parameters and combinations of options, before the data is read. */
Status clv_train_check(const Method *method, void *method_options, const RunOptions *options,
                       bool has_valid, cleave_error *error);

/* The caller fills in the part of the report about reading. If the user interrupts training, the
 * model so far is returned. */
Status clv_train(Context *context, const Job *job, Dataset *dataset, Model **model, Report **report,
                 cleave_error *error);
Status clv_train_stream(Context *context, const Job *job, Source *source, Model **model,
                        Report **report, cleave_error *error);

#endif
