/*
 * The table of formats of other programs' models. A format has a writer, a reader, or both. All
 * readers get the whole file as bytes that end with a NUL; they validate everything, and errors have
 * the file and the line.
 */
#ifndef INTEROP_MODEL_FORMATS_H
#define INTEROP_MODEL_FORMATS_H

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

extern const ModelFormat clv_format_c;

/* Fails: the model cannot be written in a format, for this reason (a clause). The hint may be NULL. */
void clv_cannot_export(ModelText *text, const Model *model, const char *format, const char *hint,
                       const char *reason, ...) CLEAVE_PRINTF(5, 6);

/* The kinds of models that formats know. */
typedef enum { MODEL_OTHER, MODEL_LINEAR, MODEL_TREES } ModelKind;
ModelKind clv_model_kind(const Model *model);

#endif
