/*
 * A pipeline is a sequence of transforms. It is learned on training data, stored in the model, and
 * applied to every row for prediction.
 *
 *     "tfidf:min-df=2,select:top=2000"       names separated by commas, each with its parameters
 *
 * A learned pipeline is immutable, so data, models and threads can share it: keep and drop count
 * the references.
 */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include "data/builder.h"
#include "data/source.h"
#include "pipeline/transform.h"

typedef struct Pipeline Pipeline;

/* Parses a pipeline from non-empty text. */
Status clv_pipeline_parse(Context *context, const char *text, Pipeline **pipeline,
                          cleave_error *error);
Pipeline *clv_pipeline_keep(const Pipeline *pipeline); /* accepts NULL */
void clv_pipeline_release(Pipeline *pipeline);         /* accepts NULL */

size_t clv_pipeline_steps(const Pipeline *pipeline);
const Step *clv_pipeline_step(const Pipeline *pipeline, size_t i);
/* Returns the text with every parameter that differs from its default. */
Status clv_pipeline_text(const Pipeline *pipeline, Buffer *text, cleave_error *error);
/* Returns the first step that must see rows before use. NULL: there is none, so that a stream can
 * start with the pipeline. */
const char *clv_pipeline_looks(const Pipeline *pipeline);

/* Like clv_pipeline_looks_ahead for a stream in which steps learn from each row
 * (clv_pipeline_observe). Also returns whether such a step exists. */
const char *clv_pipeline_looks_ahead(const Pipeline *pipeline);
bool clv_pipeline_observes(const Pipeline *pipeline);

/* Returns the first step that learns from rows, not only from column names; NULL: there is none. */
const char *clv_pipeline_needs_rows(const Pipeline *pipeline);

/* clv_pipeline_wants_model returns the model file whose weights the step needs for learning; NULL:
 * none. The other function sets these weights. */
const char *clv_pipeline_wants_model(const Pipeline *pipeline, size_t step);
Status clv_pipeline_give_weights(Pipeline *pipeline, size_t step, const Names *names,
                                 const double *weight, uint32_t count, cleave_error *error);
/* Reads the source as often as the steps require, and leaves it at its end. */
Status clv_pipeline_learn(Pipeline *pipeline, Source *source, uint64_t seed, cleave_error *error);
/* Fits a pipeline that needs no rows, when all columns are known. */
Status clv_pipeline_learn_columns(Pipeline *pipeline, const Schema *schema, const Names *names,
                                  uint32_t features, uint64_t seed, cleave_error *error);
/* Called after learning and transforming the training rows. Drops input columns without an output,
 * so that they are not read. Later data must be translated with clv_pipeline_inputs. */
Status clv_pipeline_narrow(Pipeline *pipeline, cleave_error *error);
/* Replaces learning for a pipeline that needs no rows (clv_pipeline_looks) if the columns are not
 * known yet. All columns are unchanged. */
Status clv_pipeline_begin(Pipeline *pipeline, const Schema *schema, const Names *names,
                          cleave_error *error);

/* Returns whether an input that occurs in `rows` rows after learning can become a feature. */
bool clv_pipeline_admits(const Pipeline *pipeline, uint64_t df);
/* Returns the pipeline with additional inputs and outputs; names: those of all inputs and outputs.
 * Only admitted inputs are allowed. */
Status clv_pipeline_grow(const Pipeline *pipeline, const Growth *growth, const Names *names,
                         Pipeline **grown, cleave_error *error);

/* The names of the inputs and of the outputs of a learned pipeline. */
const Names *clv_pipeline_inputs(const Pipeline *pipeline);
uint32_t clv_pipeline_input_count(const Pipeline *pipeline);
const Names *clv_pipeline_outputs(const Pipeline *pipeline);
uint32_t clv_pipeline_output_count(const Pipeline *pipeline);
bool clv_pipeline_any_column(
    const Pipeline *pipeline); /* started without learning: all columns are unchanged */

/* Returns the name of an output of a step; NULL if its column is neither an unchanged input nor an
 * unchanged output. */
const char *clv_pipeline_name(const Pipeline *pipeline, size_t step, uint32_t output,
                              char buffer[24]);

/* Transforms one row of a block, whose columns are inputs, into workspace->row. */
Status clv_pipeline_row(const Pipeline *pipeline, RowWorkspace *workspace, const Block *block,
                        uint32_t row, cleave_error *error);
/* Transforms a block; the builder owns the result. */
Status clv_pipeline_block(const Pipeline *pipeline, RowWorkspace *workspace, const Block *block,
                          Builder *builder, Block *made, cleave_error *error);
/* Transforms a block of a stream. Steps first learn from each row. names: those of all columns so
 * far. The pipeline must not be shared: see clv_pipeline_copy. */
Status clv_pipeline_observe(Pipeline *pipeline, const Names *names, RowWorkspace *workspace,
                            const Block *block, Builder *builder, Block *made, cleave_error *error);
/* Copies the pipeline of a stream with its arrays. limit: number of features of the model that gets
 * the copy, or NO_COLUMN for a stream that grows. */
Status clv_pipeline_copy(const Pipeline *pipeline, uint32_t limit, Pipeline **copy,
                         cleave_error *error);
/* Makes a source of outputs from a source of inputs (data/remap.h). Takes ownership of source if
 * own. */
Status clv_pipeline_source(const Pipeline *pipeline, Source *source, bool own, Source **made,
                           cleave_error *error);

/* Write a pipeline to a model file, and read it: items whose names start with "t.". Inputs that
 * equal the outputs are stored once; names are the model's. */
Status clv_pipeline_put(const Pipeline *pipeline, Bundle *bundle, cleave_error *error);
const char *clv_pipeline_in(const Bundle *bundle);
Status clv_pipeline_get(Context *context, const Bundle *bundle, const char *text, const char *file,
                        const Names *names, uint32_t features, Pipeline **pipeline,
                        cleave_error *error);

#endif
