/*
 * The table of formats of other programs' models. A format has a writer, a reader, or both.
 * Readers get the whole file as bytes that end with a NUL. They validate everything, and errors
 * have the file and the line.
 */
#ifndef INTEROP_MODEL_FORMATS_H
#define INTEROP_MODEL_FORMATS_H

#include "interop/model_lines.h"
#include "interop/model_text.h"
#include "model/model.h"

typedef struct {
    const char *format; /* NULL: by suffix */
    const char *prefix; /* of identifiers of C code */
} ExportOptions;

typedef struct {
    const char *name, *suffix, *brief;
    /* NULL: the format is not written. */
    void (*write)(const Model *model, const ExportOptions *options, ModelText *text);
    /* NULL: the format is not read. `recognizes` decides by the first bytes. */
    bool (*recognizes)(const char *bytes, size_t size);
    Status (*read)(Context *context, const char *name, const char *bytes, size_t size,
                   Model **model, cleave_error *error);
} ModelFormat;

extern const ModelFormat clv_model_format_c, clv_model_format_liblinear, clv_model_format_libsvm,
    clv_model_format_lightgbm, clv_model_format_onnx;

/* For readers: a model of a method whose columns are numbered from 1. params: pairs of a parameter
 * and its value, ended by NULL; the others have their defaults. */
Status clv_import_model(Context *context, const char *method, const char *const *params,
                        Model **model, cleave_error *error);
/* Adds a class with an integer as its label; fails if the model has it. */
Status clv_import_label(ModelLines *lines, Model *model, int64_t label);

/* The label of a class as an integer of 32 bits, for LIBSVM and LIBLINEAR; fails otherwise. */
bool clv_integer_label(ModelText *text, const Model *model, const char *format, uint32_t label,
                       int64_t *number);
/* The recorded value of a parameter of training; "" without one. */
const char *clv_model_param_text(const Model *model, const char *name);
/* Whether the features of a model are numeric columns of the data: there is no pipeline, or it only
 * encodes missing numbers. */
bool clv_has_numbers(const Model *model);
/* Refuses a model with a pipeline. */
bool clv_has_no_pipeline(ModelText *text, const Model *model, const char *format);
/* The index of a column in the other program, which counts from 1. */
uint32_t clv_column_index(const Model *model, uint32_t column);

/* Fails: the model cannot be written in a format, for this reason (a clause). hint may be NULL. */
void clv_cannot_export(ModelText *text, const Model *model, const char *format, const char *hint,
                       const char *reason, ...) CLEAVE_PRINTF(5, 6);

/* The kinds of models that formats know; the arrays of the kind are valid. */
typedef enum { MODEL_OTHER, MODEL_LINEAR, MODEL_KERNEL, MODEL_TREES, MODEL_BOOST } ModelKind;
ModelKind clv_model_kind(const Model *model);
bool clv_has_trees(const Model *model);
/* Start values of boosted trees, one for each output; NULL: other trees, whose scores are means. */
const BundleItem *clv_boost_start(const Model *model);
/* The rest of each weight of least-squares, which is the weight rounded to a float; NULL: none. */
const float *clv_weights_rest(const Model *model);

#endif
