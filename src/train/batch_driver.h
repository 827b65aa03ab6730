/*
 * The batch driver: sweeps of a method over a dataset, or its own solver, until a stopping rule ends them; and the stream
 * driver, which shows a method every row once as it is read.
 */
#ifndef TRAIN_BATCH_DRIVER_H
#define TRAIN_BATCH_DRIVER_H

#include "eval/evaluation.h"
#include "model/method.h"
#include "train/train_options.h"

typedef struct {
    cleave_report facts; /* first, so that a report can be freed by its public address */
    Context *context;
    size_t seconds_capacity, mistakes_capacity, rates_capacity;
    double *seconds;
    uint64_t *mistakes;
    cleave_rate_trial *rates;
    cleave_statistic figures[24];
    char order[96], solver[32], objective[192], verdict[256];
} Report;

typedef struct {
    cleave_trace_callback event;
    void *user;
} Tracer;

/* Told after each round how the model stands, on the rows it learns from and on those held out, of which there may be none; and what the
 * objective adds to the mean loss. */
typedef struct {
    Status (*round)(void *user, const Evaluation *train, const Evaluation *held_out, double penalty,
                    cleave_error *error);
    void *user;
} RoundWatcher;

/* What a run is asked to do. valid, from and tracer may be NULL. valid has the labels and names of the data; from, a model of the
 * same method, those the data was read for. */
typedef struct {
    const Method *method;
    void *method_options; /* `auto` in them is rewritten to what it came to */
    const RunOptions *options;
    const char *name; /* of the data, for messages */
    Dataset *valid;
    const Model *from;
    const Pipeline *pipeline; /* what made the data's features of what was read; NULL: nothing */
    const Tracer *tracer;
    const RoundWatcher *rounds; /* NULL: nobody asks */
} Job;

/* Fails where some row has no label, with the number of such rows and the place of the first one. */
Status clv_refuse_unlabelled(Dataset *dataset, const char *name, cleave_error *error);
/* What can be said before the data is read: parameters and rules that do not go together. */
Status clv_train_check(const Method *method, void *method_options, const RunOptions *options, bool has_valid,
                       cleave_error *error);

/* What is about reading is the caller's to fill into the report. When the user interrupts, the model so far is returned. */
Status clv_train(Context *context, const Job *job, Dataset *dataset, Model **model, Report **report,
                 cleave_error *error);
Status clv_train_stream(Context *context, const Job *job, Source *source, Model **model, Report **report,
                        cleave_error *error);

#endif
