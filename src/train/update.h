/*
 * The driver of an update: a model learns from new rows without forgetting its training rows.
 *
 * A method implements this in one call (MethodOnline.update), or by steps: its state resumes the
 * model, is widened if the rows have new classes, and learns from the rows for a few epochs.
 * Methods with neither fail with a hint.
 */
#ifndef TRAIN_UPDATE_H
#define TRAIN_UPDATE_H

#include "model/method.h"
#include "train/train_options.h"

typedef struct {
    int64_t epochs;
    bool allow_similar_labels;
} UpdateOptions;

extern const Param clv_update_params[];

/* The labels of the dataset are those of the model, then new ones. Names, pipeline and columns
 * begin with those of the model too. */
typedef struct {
    const Model *from;
    void *method_options; /* method options of the model */
    const RunOptions *run;
    const UpdateOptions *options;
    const char *name; /* name of the data, for messages */
    const Names *names;
    const Pipeline *pipeline; /* NULL: none */
    Dataset *dataset;
} UpdateJob;

/* Fails unless the method supports updates. Called before the rows are read. */
Status clv_update_check(const Model *from, const void *method_options, cleave_error *error);
Status clv_update(Context *context, const UpdateJob *job, Model **model, cleave_error *error);

#endif
