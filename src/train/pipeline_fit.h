/* The pipeline of a training run: that of --transform, or the default for the data, fitted to
 * it. */
#ifndef TRAIN_PIPELINE_FIT_H
#define TRAIN_PIPELINE_FIT_H

#include "pipeline/pipeline.h"
#include "train/batch_driver.h"

/* How rows arrive. ROWS_ONCE and ROWS_STREAM: no step can be fitted in advance. ROWS_STREAM: steps
 * can learn from each row (clv_pipeline_observe). */
typedef enum { ROWS_STORED, ROWS_ONCE, ROWS_STREAM } RowAccess;

/* Makes the pipeline of a run; NULL: no pipeline. options: the method's options. */
Status clv_pipeline_of_run(Context *context, const Method *method, const void *options,
                           const char *said, const Schema *schema, RowAccess access,
                           Pipeline **pipeline, cleave_error *error);
/* Writes the meaning of --transform auto if all rows are available; it may be empty. */
const char *clv_pipeline_default(const Method *method, const void *options, const Schema *schema);
/* Passes the weights of trained models to the steps that need them. */
Status clv_pipeline_weights(Context *context, Pipeline *pipeline, cleave_error *error);
/* Prints the pipeline as a note. */
Status clv_pipeline_note(const Pipeline *pipeline, bool as_usual, cleave_error *error);
/* Fits the pipeline to the rows of a dataset that the run does not hold out. *transformed receives
 * all rows after it. Both are NULL if the features are the columns as read. take_rows: frees the
 * memory of the raw rows as they are transformed, so that the two datasets are not in memory at
 * once. raw then keeps its labels, names and schema, but no rows. */
Status clv_pipeline_fit(Context *context, const Method *method, const void *method_options,
                        const RunOptions *options, double held_out, Dataset *raw, bool take_rows,
                        Pipeline **pipeline, Dataset **transformed, cleave_error *error);
/* Makes the pipeline for rows that are not stored. It has no fitted steps; fails if the user's
 * pipeline needs fitting. */
Status clv_pipeline_piecewise(Context *context, const Method *method, const void *options,
                              const char *said, const Schema *schema, const Names *names,
                              RowAccess access, Pipeline **pipeline, cleave_error *error);
/* Makes the pipeline for rows of several processes that share the columns: that of clv_pipeline_fit
 * if it needs no rows, otherwise that of clv_pipeline_piecewise. */
Status clv_pipeline_of_columns(Context *context, const Method *method, const void *method_options,
                               const RunOptions *options, const Schema *schema, const Names *names,
                               uint32_t features, Pipeline **pipeline, cleave_error *error);

#endif
