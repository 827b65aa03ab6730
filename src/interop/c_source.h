/*
 * Exports a model as C code: one C99 file without dependencies whose predictions are bit-identical
 * to those of cleave. Weights and nodes are arrays. The code that uses them is the same for every
 * model of a kind. All identifiers begin with a prefix. Names and labels from the data appear only
 * in escaped string literals, never in comments or identifiers.
 *
 * The order of additions is that of clv_linear_predict and clv_trees_add_scores.
 */
#ifndef INTEROP_C_SOURCE_H
#define INTEROP_C_SOURCE_H

#include "interop/model_formats.h"
#include "model/method.h"
#include "pipeline/pipeline.h"

typedef struct {
    const Model *model;
    const char *prefix;
    ModelText *text;
} CSource;

/* Writes the text and replaces each '@' by the prefix. */
void clv_c_put(const CSource *source, const char *text);
/* Writes "static const TYPE PREFIX_name[count] = {…};". An empty array gets one 0, because C has no
 * empty arrays. */
void clv_c_doubles(const CSource *source, const char *name, const double *values, size_t count);
void clv_c_floats(const CSource *source, const char *name, const float *values, size_t count);
void clv_c_numbers(const CSource *source, const char *name, const uint32_t *values, size_t count);
void clv_c_strings(const CSource *source, const char *name,
                   const char *(*get)(const Model *model, uint32_t number, char buffer[24]),
                   uint32_t count);
/* Writes one number as a literal. */
void clv_c_double(const CSource *source, double value);
void clv_c_float(const CSource *source, float value);

/* Writes the function "static void PREFIX_sum(const float *x, double *scores)". */
void clv_c_linear(const CSource *source);
void clv_c_trees(const CSource *source);
/* Writes a function "static void PREFIX_step0(const float *in, float *out)" for each step that
 * changes rows. Returns the number of functions and the largest number of columns. */
size_t clv_c_pipeline(const CSource *source, uint32_t *widest);

#endif
