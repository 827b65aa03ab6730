/*
 * A recipe: transformations one after another, learned on training data, part of the model, applied to every row the model is asked about.
 *
 *     "tfidf:min-df=2,select:top=2000"       names with commas between them, each with its parameters
 *
 * A recipe that has been learned is never changed again, so that data, models and threads may share one: keep and drop count them.
 */
#ifndef FEATURE_RECIPE_H
#define FEATURE_RECIPE_H

#include "data/builder.h"
#include "data/source.h"
#include "feature/transform.h"

typedef struct Recipe Recipe;

/* From its text, which must not be empty. */
Status clv_recipe_parse(Context *context, const char *text, Recipe **recipe, cleave_error *error);
Recipe *clv_recipe_keep(const Recipe *recipe); /* NULL is fine */
void clv_recipe_drop(Recipe *recipe);          /* NULL is fine */

size_t clv_recipe_stages(const Recipe *recipe);
const Stage *clv_recipe_stage(const Recipe *recipe, size_t i);
/* The text again, with every parameter that is not the usual one. */
Status clv_recipe_text(const Recipe *recipe, Buffer *text, cleave_error *error);
/* The first stage that looks at rows before it can be used; NULL: none, so that a stream can begin with it. */
const char *clv_recipe_looks(const Recipe *recipe);

/* The first stage that looks at rows, not only at what columns there are; NULL: none. */
const char *clv_recipe_needs_rows(const Recipe *recipe);

/* The model's file that the stage wants to have weights of before it learns, NULL: none; and they are given. */
const char *clv_recipe_wants_model(const Recipe *recipe, size_t stage);
Status clv_recipe_give_weights(Recipe *recipe, size_t stage, const Names *names, const double *weight, uint32_t count,
                               cleave_error *error);
/* Sweeps over the source as often as the stages ask for, and leaves it at its end. */
Status clv_recipe_learn(Recipe *recipe, Source *source, uint64_t seed, cleave_error *error);
/* The same for one that needs no rows, where all columns are known. */
Status clv_recipe_learn_columns(Recipe *recipe, const Schema *schema, const Names *names, uint32_t features,
                                uint64_t seed, cleave_error *error);
/* After learning, and after the training rows went through: input columns that nothing is made of are forgotten, so that they need not
 * be read. Other data must be seen through clv_recipe_inputs from here on. */
Status clv_recipe_narrow(Recipe *recipe, cleave_error *error);
/* Instead of learning, for one that looks at nothing (clv_recipe_looks), of data whose columns are yet to come: each goes through as it is. */
Status clv_recipe_begin(Recipe *recipe, const Schema *schema, const Names *names, cleave_error *error);

/* Whether an input that appears in so many rows after learning can become a feature. */
bool clv_recipe_admits(const Recipe *recipe, uint64_t df);
/* The recipe with more inputs and outputs behind those it has, names being those of all inputs and of all outputs. Admitted ones only. */
Status clv_recipe_grow(const Recipe *recipe, const Growth *growth, const Names *names, Recipe **grown,
                       cleave_error *error);

/* What is to be read for it, once it has been learned, and what comes out. */
const Names *clv_recipe_inputs(const Recipe *recipe);
uint32_t clv_recipe_input_count(const Recipe *recipe);
const Names *clv_recipe_outputs(const Recipe *recipe);
uint32_t clv_recipe_output_count(const Recipe *recipe);
bool clv_recipe_any_column(
    const Recipe *recipe); /* it was begun, not learned: whatever columns there are go through as they are */

/* What an output of a stage is called; NULL where that is not known: its column goes neither back to an input nor on to an output as it
 * is. */
const char *clv_recipe_name(const Recipe *recipe, size_t stage, uint32_t output, char buffer[24]);

/* One row of a block, its columns being inputs; into room->row. */
Status clv_recipe_row(const Recipe *recipe, RowRoom *room, const Block *block, uint32_t row, cleave_error *error);
/* A block; the one made lives in the builder. */
Status clv_recipe_block(const Recipe *recipe, RowRoom *room, const Block *block, Builder *builder, Block *made,
                        cleave_error *error);
/* A source whose columns are inputs (data/remap.h makes them so), as one whose columns are outputs. Takes over source if own. */
Status clv_recipe_source(const Recipe *recipe, Source *source, bool own, Source **made, cleave_error *error);

/* Into a model's file and back: items whose names begin with "t.". Where inputs are outputs, they are stored once: names are the model's. */
Status clv_recipe_put(const Recipe *recipe, Bundle *bundle, cleave_error *error);
bool clv_recipe_in(const Bundle *bundle);
Status clv_recipe_get(Context *context, const Bundle *bundle, const char *file, const Names *names, uint32_t features,
                      Recipe **recipe, cleave_error *error);

#endif
