/*
 * What a method is: one descriptor, one table of parameters, and functions over blocks. A method does not know who runs
 * it (batch, stream, threads, cluster), reads no files, prints nothing and has no code to save or load itself.
 *
 *     begin                    the state, for so many features and classes (both may grow)
 *     step(block)  …           as often as data comes
 *     pass                     a sweep is over
 *     end                      the state becomes named arrays in a model; may be called at any time and again
 */
#ifndef MODEL_METHOD_H
#define MODEL_METHOD_H

#include "base/param.h"
#include "data/dataset.h"
#include "model/model.h"

typedef struct Fit Fit;
typedef struct Method Method;

struct Fit {
    Context *context;
    cleave_error *error;
    const Method *method;
    const void *options; /* the method's struct, filled from its table */
    void *state;         /* state_size bytes, zeroed before begin */

    uint32_t features; /* known so far; blocks may bring more */
    uint32_t classes;
    uint32_t positive; /* two classes: the label number of the positive one */
    uint64_t seed;

    uint32_t round;          /* from 0 */
    uint64_t seen;           /* examples over all sweeps */
    uint64_t mistakes;       /* updates over all sweeps */
    uint64_t round_mistakes; /* updates in this sweep */
    double round_loss;       /* the method's loss, summed over this sweep */

    /* Called for every example when somebody watches, and with block NULL for a step between examples; NULL otherwise. */
    void (*trace)(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok);
    void *trace_user;

    size_t figure_count;
    cleave_figure figures[24]; /* what the method found worth telling */
};

struct Method {
    const char *name, *brief, *objective, *reference;
    unsigned tasks, traits;
    const Param *params;
    size_t options_size, state_size;
    /* Parameters that do not go together; may rewrite one that is short for another. NULL when there is nothing to do. */
    Status (*check)(void *options, cleave_error *error);
    Status (*begin)(Fit *fit);
    Status (*step)(Fit *fit, const Block *block);
    /* *clean: this sweep changed nothing, and no later one will. */
    Status (*pass)(Fit *fit, bool *clean);
    /* Folds another worker's state, begun like this one and stepped over other blocks, into this one. */
    Status (*merge)(Fit *into, const Fit *from);
    Status (*fit)(Fit *fit, Dataset *dataset); /* instead of step and pass, where rows are needed at random */
    /* After a clean sweep: one more look at the data for figures such as the margin; NULL: nothing to look for. */
    Status (*survey)(Fit *fit, const Block *block);
    Status (*surveyed)(Fit *fit);
    Status (*end)(Fit *fit, Model *model);
    /* Whether the arrays of a loaded model are all there and fit together; a file from outside may hold anything. */
    bool (*check_model)(const Model *model);
    void (*free)(Fit *fit); /* what begin allocated; the state may be half made */
    /* rows * outputs scores; block->features is at most the model's. */
    Status (*predict)(const Model *model, const Block *block, double *scores, cleave_error *error);
    /* Whether a prediction costs so much more than a step that nobody should ask for one unasked; NULL: no. */
    bool (*slow_to_predict)(const void *options);
    /* The method's loss of one row, from its scores; label is a class of the model. NULL: errors are all there is. */
    double (*loss)(const Model *model, const double *scores, uint32_t label);
    /* Weights and thresholds as they are now, for a trace: outputs * features and outputs. NULL: can not be traced. */
    void (*look)(const Fit *fit, double *weights, double *thresholds);
    /* What the scores handed to trace must be multiplied by; NULL: 1. */
    double (*scale)(const Fit *fit);
    bool (*learns_threshold)(const void *options);
};

void clv_figure(Fit *fit, const char *name, double value);

/* One output for two classes, else one per class. */
static inline size_t outputs_of(uint32_t classes)
{
    return classes <= 2 ? 1 : classes;
}

#endif
