/*
 * The table of model formats of other programs. A format has a writer, a reader, or both. A reader
 * receives the whole file as NUL-terminated bytes and validates all of it. Its errors name the file
 * and the line.
 */
#ifndef INTEROP_MODEL_FORMATS_H
#define INTEROP_MODEL_FORMATS_H

#include "interop/model_lines.h"
#include "interop/model_text.h"
#include "model/model.h"

typedef struct {
    const char *format; /* name of a format; NULL: chosen by the suffix of the file */
    const char *prefix; /* prefix of identifiers in C code */
} ExportOptions;

typedef struct {
    const char *name, *suffix, *brief;
    /* NULL: the format cannot be written. */
    void (*write)(const Model *model, const ExportOptions *options, ModelText *text);
    /* NULL: the format cannot be read. `recognizes` checks the first bytes. */
    bool (*recognizes)(const char *bytes, size_t size);
    Status (*read)(Context *context, const char *name, const char *bytes, size_t size,
                   Model **model, cleave_error *error);
} ModelFormat;

extern const ModelFormat clv_model_format_c, clv_model_format_liblinear, clv_model_format_libsvm,
    clv_model_format_lightgbm, clv_model_format_onnx;

/* For readers: creates a model of a method whose columns are numbered from 1. `params` has pairs of
 * a parameter and its value and ends with NULL. Other parameters have their defaults. */
Status clv_import_model(Context *context, const char *method, const char *const *params,
                        Model **model, cleave_error *error);
/* Adds a class with an integer as its label. Fails if the class exists. */
Status clv_import_label(ModelLines *lines, Model *model, int64_t label);

/* Returns the label of a class as a 32-bit integer, which LIBSVM and LIBLINEAR require. Fails if it
 * is not one. */
bool clv_integer_label(ModelText *text, const Model *model, const char *format, uint32_t label,
                       int64_t *number);
/* Returns the recorded value of a training parameter, or "". */
const char *clv_model_param_text(const Model *model, const char *name);
/* Returns whether the features of a model are numeric columns of the data: the model has no
 * pipeline, or its pipeline only encodes missing numbers. */
bool clv_has_numbers(const Model *model);
/* Fails if the model has a pipeline. */
bool clv_has_no_pipeline(ModelText *text, const Model *model, const char *format);
/* Returns the index of a column in the other program, which counts from 1. */
uint32_t clv_column_index(const Model *model, uint32_t column);

/* Sets the error that the model cannot be exported in this format. `reason` is a clause. `hint` may
 * be NULL. */
void clv_cannot_export(ModelText *text, const Model *model, const char *format, const char *hint,
                       const char *reason, ...) CLEAVE_PRINTF(5, 6);

/* The kinds of models that can be exported. */
typedef enum { MODEL_OTHER, MODEL_LINEAR, MODEL_KERNEL, MODEL_TREES, MODEL_BOOST } ModelKind;
ModelKind clv_model_kind(const Model *model);
bool clv_has_trees(const Model *model);
/* Returns the start values of boosted trees, one for each output, or NULL for other trees, whose
 * scores are means. */
const BundleItem *clv_boost_start(const Model *model);
/* Returns the differences between the weights of least-squares and the weights rounded to floats,
 * or NULL. */
const float *clv_weights_rest(const Model *model);

#endif
