/* A model: key-values and named arrays, with everything needed to apply it to new data (labels,
 * names of features, schema). No other module reads or writes the model file
 * (docs/formats/model.md). */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/bundle.h"
#include "data/labels.h"
#include "data/names.h"
#include "data/schema.h"
#include "model/prediction.h"

#include <stdatomic.h>

typedef struct Pipeline Pipeline; /* pipeline/pipeline.h */

typedef struct cleave_model Model;
struct Method;

struct ModelParam {
    char *name, *value;
};

/* Immutable after training or loading, so that any number of threads may use it. */
struct cleave_model {
    Context *context;
    atomic_uint holders; /* number of references besides the caller's: see clv_model_keep */
    const struct Method *method;
    Bundle *bundle;  /* the arrays of the method */
    Bundle *retired; /* replaced arrays that open searchers may use; NULL: none */
    Labels labels;
    Names names; /* names of the features, as the method receives them */
    Schema schema;
    /* the pipeline that computes the features from the columns; NULL: the features are the
     * columns */
    Pipeline *pipeline;
    /* The model from which the pipeline was taken. Arrays of the pipeline may be in the bytes of its
     * file. NULL: none */
    const Model *origin;
    /* CLEAVE_TASK_REGRESSION: no labels, and one output, which is the prediction; otherwise
     * classes */
    unsigned task;
    uint32_t features;
    uint32_t positive; /* binary classification: number of the positive label */
    uint64_t seed, rows;
    uint64_t rounds, seen; /* number of epochs and of examples so far, for a warm start */
    char writer[24];       /* version of the program that wrote it */
    /* Parameters as text, in the order of the table. */
    size_t param_count, param_capacity;
    struct ModelParam *params;
    /* scratch space of single predictions, not part of the learned model; see model/predictor.h */
    struct PredictorList *predictors;
    char *bytes; /* the file, to which the bundle points, if it was loaded */
    void *map;   /* the mapped file, to which the bundle points, if it is large; NULL: not mapped */
    size_t map_size;
};

Status clv_model_new(Context *context, const struct Method *method, Model **model,
                     cleave_error *error);
/* Adds a reference to the model, for objects that point into it and may outlive the caller's.
 * cleave_model_free removes one; the last one frees the model. Returns the model; NULL for NULL. */
const Model *clv_model_keep(const Model *model);
void clv_model_drop(const Model *model);
/* Call before an array of the bundle is replaced. If other objects hold the model, the old array
 * stays allocated until a later call at which none does, or until the model is freed. */
Status clv_model_retire(Model *model, const char *array, cleave_error *error);
/* Sets the pipeline of a new model, which may be that of `from`. Both may be NULL. */
void clv_model_set_pipeline(Model *model, const Pipeline *pipeline, const Model *from);
Status clv_model_add_param(Model *model, const char *name, const char *value, cleave_error *error);
Status clv_model_set_params(Model *model, const cleave_param *params, const void *options,
                            cleave_error *error);

/* Sets the method's options from the recorded parameters. Parameters that are not recorded have the
 * default. Fails if a value has the wrong kind or is out of range, which is impossible for a model
 * that was loaded or trained. */
Status clv_model_options(const Model *model, void *options, cleave_error *error);

Status clv_model_to_bytes(const Model *model, Buffer *bytes, cleave_error *error);
Status clv_model_save(const Model *model, const char *path, cleave_error *error);
Status clv_model_load(Context *context, const char *path, Model **model, cleave_error *error);
Status clv_model_from_bytes(Context *context, const char *name, const void *bytes, size_t size,
                            Model **model, cleave_error *error);

/* The names of the columns to read: the inputs of the pipeline, if there is one, otherwise the
 * features. */
const Names *clv_model_inputs(const Model *model);
/* Describes an item to the caller. Returns false if the size of the caller's struct is invalid. */
bool clv_item_array(const BundleItem *item, cleave_array *array);
uint32_t clv_model_input_count(const Model *model);

/* Computes the probability of each class. Returns false for a model without probabilities
 * (docs/formats/model.md: "platt"). */
bool clv_model_probabilities(const Model *model, const double *scores, double *probabilities);

/* The rule that turns the model's scores into predictions. */
DecisionRule clv_model_rule(const Model *model, bool allow_none);

/* Applies clv_decide with that rule. */
uint32_t clv_model_decide(const Model *model, const double *scores, bool allow_none);

/* The range of the training targets of a regression. `known` is false without targets. */
typedef struct {
    double low, high;
    bool known;
} TargetRange;

void clv_target_range_add(TargetRange *range, double target);
/* Read the range from the model, and record it there. */
TargetRange clv_model_target_range(const Model *model);
Status clv_model_set_target_range(Model *model, TargetRange range, cleave_error *error);

#endif
