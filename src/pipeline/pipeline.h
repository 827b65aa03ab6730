/*
 * A pipeline: transformations one after another, learned on training data, part of the model, applied to every row the model is asked about.
 *
 *     "tfidf:min-df=2,select:top=2000"       names with commas between them, each with its parameters
 *
 * A pipeline that has been learned is never changed again, so that data, models and threads may share one: keep and drop count them.
 */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include "data/builder.h"
#include "data/source.h"
#include "pipeline/transform.h"

typedef struct Pipeline Pipeline;

/* From its text, which must not be empty. */
Status clv_pipeline_parse(Context *context, const char *text, Pipeline **pipeline, cleave_error *error);
Pipeline *clv_pipeline_keep(const Pipeline *pipeline); /* NULL is fine */
void clv_pipeline_release(Pipeline *pipeline);         /* NULL is fine */

size_t clv_pipeline_stages(const Pipeline *pipeline);
const Stage *clv_pipeline_stage(const Pipeline *pipeline, size_t i);
/* The text again, with every parameter that is not the usual one. */
Status clv_pipeline_text(const Pipeline *pipeline, Buffer *text, cleave_error *error);
/* The first stage that looks at rows before it can be used; NULL: none, so that a stream can begin with it. */
const char *clv_pipeline_looks(const Pipeline *pipeline);

/* The first stage that looks at rows, not only at what columns there are; NULL: none. */
const char *clv_pipeline_needs_rows(const Pipeline *pipeline);

/* The model's file that the stage wants to have weights of before it learns, NULL: none; and they are given. */
const char *clv_pipeline_wants_model(const Pipeline *pipeline, size_t stage);
Status clv_pipeline_give_weights(Pipeline *pipeline, size_t stage, const Names *names, const double *weight,
                                 uint32_t count, cleave_error *error);
/* Sweeps over the source as often as the stages ask for, and leaves it at its end. */
Status clv_pipeline_learn(Pipeline *pipeline, Source *source, uint64_t seed, cleave_error *error);
/* The same for one that needs no rows, where all columns are known. */
Status clv_pipeline_learn_columns(Pipeline *pipeline, const Schema *schema, const Names *names, uint32_t features,
                                  uint64_t seed, cleave_error *error);
/* After learning, and after the training rows went through: input columns that nothing is made of are forgotten, so that they need not
 * be read. Other data must be seen through clv_pipeline_inputs from here on. */
Status clv_pipeline_narrow(Pipeline *pipeline, cleave_error *error);
/* Instead of learning, for one that looks at nothing (clv_pipeline_looks), of data whose columns are yet to come: each goes through as it is. */
Status clv_pipeline_begin(Pipeline *pipeline, const Schema *schema, const Names *names, cleave_error *error);

/* Whether an input that appears in so many rows after learning can become a feature. */
bool clv_pipeline_admits(const Pipeline *pipeline, uint64_t df);
/* The pipeline with more inputs and outputs behind those it has, names being those of all inputs and of all outputs. Admitted ones only. */
Status clv_pipeline_grow(const Pipeline *pipeline, const Growth *growth, const Names *names, Pipeline **grown,
                         cleave_error *error);

/* What is to be read for it, once it has been learned, and what comes out. */
const Names *clv_pipeline_inputs(const Pipeline *pipeline);
uint32_t clv_pipeline_input_count(const Pipeline *pipeline);
const Names *clv_pipeline_outputs(const Pipeline *pipeline);
uint32_t clv_pipeline_output_count(const Pipeline *pipeline);
bool clv_pipeline_any_column(
    const Pipeline *pipeline); /* it was begun, not learned: whatever columns there are go through as they are */

/* What an output of a stage is called; NULL where that is not known: its column goes neither back to an input nor on to an output as it
 * is. */
const char *clv_pipeline_name(const Pipeline *pipeline, size_t stage, uint32_t output, char buffer[24]);

/* One row of a block, its columns being inputs; into room->row. */
Status clv_pipeline_row(const Pipeline *pipeline, RowWorkspace *workspace, const Block *block, uint32_t row,
                        cleave_error *error);
/* A block; the one made lives in the builder. */
Status clv_pipeline_block(const Pipeline *pipeline, RowWorkspace *workspace, const Block *block, Builder *builder,
                          Block *made, cleave_error *error);
/* A source whose columns are inputs (data/remap.h makes them so), as one whose columns are outputs. Takes over source if own. */
Status clv_pipeline_source(const Pipeline *pipeline, Source *source, bool own, Source **made, cleave_error *error);

/* Into a model's file and back: items whose names begin with "t.". Where inputs are outputs, they are stored once: names are the model's. */
Status clv_pipeline_put(const Pipeline *pipeline, Bundle *bundle, cleave_error *error);
const char *clv_pipeline_in(const Bundle *bundle);
Status clv_pipeline_get(Context *context, const Bundle *bundle, const char *text, const char *file, const Names *names,
                        uint32_t features, Pipeline **pipeline, cleave_error *error);

#endif
