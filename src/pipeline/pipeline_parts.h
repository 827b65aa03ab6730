/* What a pipeline holds, for the files that make, apply and store one; the door is pipeline/pipeline.h. */
#ifndef PIPELINE_PIPELINE_PARTS_H
#define PIPELINE_PIPELINE_PARTS_H

#include "pipeline/pipeline.h"

#include <stdatomic.h>

struct Pipeline {
    Context *context;
    atomic_size_t users;
    char *text; /* as it was given: values of parameters point into it */
    Stage *stage;
    size_t count, capacity;
    Columns inputs, outputs; /* kinds are known while learning only */
    size_t apart;            /* the first stages, so many, keep columns apart from each other ... */
    Columns between;         /* ... and this is what comes out of them */
    bool any_column;         /* what comes in goes out, whatever its number */
};

#endif
