/* Internals of a pipeline, for the files that create, apply and store it; the interface is
 * pipeline/pipeline.h. */
#ifndef PIPELINE_PIPELINE_PARTS_H
#define PIPELINE_PIPELINE_PARTS_H

#include "pipeline/pipeline.h"

#include <stdatomic.h>

struct Pipeline {
    Context *context;
    atomic_size_t users;
    char *text; /* the given text; values of parameters point into it */
    Step *step;
    size_t count, capacity;
    /* columns of the pipeline; their kinds are known only during learning */
    Columns inputs, outputs;
    /* number of steps, from the first on, that map each output to one input */
    size_t apart;
    Columns between; /* outputs of these steps */
    bool any_column; /* all columns are unchanged */
};

/* Validates the learned state of a step, as for a file. */
Status clv_step_make_ready(Step *step, cleave_error *error);

#endif
