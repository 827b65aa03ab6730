/* The pipeline of a training run: what --transform says, or what suits the data, learned from it. */
#ifndef TRAIN_PIPELINE_FIT_H
#define TRAIN_PIPELINE_FIT_H

#include "pipeline/pipeline.h"
#include "train/batch_driver.h"

/* NULL: features are what is read. options: the method's. piecewise: rows come once, and nothing can be learned from them beforehand. */
Status clv_pipeline_of_run(Context *context, const Method *method, const void *options, const char *said,
                           const Schema *schema, bool piecewise, Pipeline **pipeline, cleave_error *error);
/* What --transform auto stands for where all rows are at hand; may be empty. */
const char *clv_pipeline_default(const Method *method, const void *options, const Schema *schema);
/* Gives the weights of trained models to the stages that want them. */
Status clv_pipeline_weights(Context *context, Pipeline *pipeline, cleave_error *error);
/* What it came to, as a note. */
Status clv_pipeline_note(const Pipeline *pipeline, bool as_usual, cleave_error *error);
/* Fits the pipeline to the rows of a dataset that the run does not hold out; *transformed is all rows after it. Both are NULL
 * if the features are the columns as read. take_rows: the memory of the raw rows is freed as they are transformed, so that
 * the two datasets are not in memory at once; then raw keeps its labels, names and schema, and has no rows. */
Status clv_pipeline_fit(Context *context, const Method *method, const void *method_options, const RunOptions *options,
                        double held_out, Dataset *raw, bool take_rows, Pipeline **pipeline, Dataset **transformed,
                        cleave_error *error);
/* For rows that come once, a pipeline that looks at none of them beforehand; an error where what was said cannot do without. */
Status clv_pipeline_piecewise(Context *context, const Method *method, const void *options, const char *said,
                              const Schema *schema, const Names *names, Pipeline **pipeline, cleave_error *error);
/* For rows that several processes have, who know of all columns: the pipeline of clv_pipeline_fit where it needs no rows, else as above. */
Status clv_pipeline_of_columns(Context *context, const Method *method, const void *method_options,
                               const RunOptions *options, const Schema *schema, const Names *names, uint32_t features,
                               Pipeline **pipeline, cleave_error *error);

#endif
