/*
 * The batch driver: sweeps of a method over a dataset until a stopping rule ends them.
 */
#ifndef RUN_TRAIN_H
#define RUN_TRAIN_H

#include "model/method.h"
#include "run/options.h"

typedef struct {
    cleave_report facts; /* first, so that a report can be freed by its public address */
    Context *context;
    size_t seconds_capacity, mistakes_capacity;
    double *seconds;
    uint64_t *mistakes;
    cleave_figure figures[24];
    char order[96];
} Report;

typedef struct {
    cleave_trace_callback event;
    void *user;
} Tracer;

/* valid and tracer may be NULL; valid has the labels and names of dataset. What is about reading is the caller's to fill
 * in. When the user interrupts, the model so far is returned. */
/* What can be said before the data is read: parameters and rules that do not go together. */
Status clv_train_check(const Method *method, void *method_options, const RunOptions *options, bool has_valid,
                       cleave_error *error);

Status clv_train(Context *context, const Method *method, const void *method_options, const RunOptions *options,
                 Dataset *dataset, Dataset *valid, const Tracer *tracer, Model **model, Report **report,
                 cleave_error *error);

#endif
