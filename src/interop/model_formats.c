#include "interop/model_formats.h"

#include "base/file.h"
#include "base/param.h"
#include "model/method.h"

#include <stdarg.h>
#include <stdio.h>

static const ModelFormat *const formats[] = {&clv_format_c, NULL};

/* ---- for formats ----------------------------------------------------------------------------- */

void clv_cannot_export(ModelText *text, const Model *model, const char *format, const char *hint,
                       const char *reason, ...)
{
    char clause[256];
    va_list arguments;

    if (text->status != OK)
        return;
    va_start(arguments, reason);
    vsnprintf(clause, sizeof clause, reason, arguments);
    va_end(arguments);
    text->status = clv_fail(text->error, CLEAVE_ERROR_USAGE,
                            "a model of '%s' cannot be exported as %s: %s", model->method->name,
                            format, clause);
    if (hint)
        clv_hint(text->error, text->status, "%s", hint);
}

/* Votes of a perceptron and expansions of kernel methods have weights too, but other scores. */
ModelKind clv_model_kind(const Model *model)
{
    size_t outputs;

    if (clv_bundle_get(model->bundle, "tree_starts", BUNDLE_U32))
        return MODEL_TREES;
    if (clv_bundle_get(model->bundle, "vote_ends", BUNDLE_U64) ||
        clv_bundle_get(model->bundle, "alpha", BUNDLE_F64) ||
        clv_bundle_get(model->bundle, "frequencies", BUNDLE_F32))
        return MODEL_OTHER;
    return cleave_model_is_linear(model, &outputs) ? MODEL_LINEAR : MODEL_OTHER;
}

/* ---- the table ------------------------------------------------------------------------------- */

bool cleave_model_format(size_t number, cleave_model_format_info *info)
{
    if (number >= sizeof formats / sizeof *formats - 1)
        return false;
    *info = (cleave_model_format_info){.name = formats[number]->name,
                                       .suffix = formats[number]->suffix,
                                       .brief = formats[number]->brief,
                                       .exported = formats[number]->write,
                                       .imported = formats[number]->read};
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);

    return length > size && strcmp(text + length - size, end) == 0;
}

/* "c (.c), onnx (.onnx)" */
static const char *list_formats(char buffer[256])
{
    size_t size = 0;

    buffer[0] = '\0';
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->write && size < 200)
            size += (size_t)snprintf(buffer + size, 256 - size, "%s%s", size ? ", " : "",
                                     formats[i]->name);
    return buffer;
}

static Status choose_format(const char *path, const char *name, const ModelFormat **format,
                            cleave_error *error)
{
    char list[256], quoted[QUOTE_SIZE];

    for (size_t i = 0; formats[i]; i++) {
        *format = formats[i];
        if (formats[i]->write &&
            (name ? strcmp(name, formats[i]->name) == 0 : ends_with(path, formats[i]->suffix)))
            return OK;
    }
    if (name)
        clv_fail(error, CLEAVE_ERROR_USAGE, "unknown model format '%s'",
                 clv_quote(quoted, name, strlen(name)));
    else
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the suffix does not name a model format",
                 strcmp(path, "-") == 0 ? "standard output" : path);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "pass --format; formats: %s", list_formats(list));
}

/* ---- export ---------------------------------------------------------------------------------- */

static const Param export_params[] = {
    TEXT(ExportOptions, format, NULL,
         "Format of the file.\n"
         "Formats: c.",
         DEFAULT("by suffix")),
    TEXT(ExportOptions, prefix, "model", "C code: prefix of all identifiers."),
    END_OF_PARAMS,
};

const cleave_param *cleave_export_params(void)
{
    return export_params;
}

static Status write_file(const Model *model, const char *path, const Buffer *bytes,
                         cleave_error *error)
{
    Output *output;
    Status status;

    TRY(clv_output_open(model->context, path, true, &output, error));
    status = clv_output_write(output, bytes->data, bytes->size, error);
    if (status == OK)
        return clv_output_commit(output, error);
    clv_output_abandon(output);
    return status;
}

cleave_code cleave_export(const cleave_model *model, const char *path,
                          const cleave_options *options, cleave_error *error)
{
    REQUIRE(model && path);
    ModelText text = {.context = model->context, .error = error};
    const ModelFormat *format;
    ExportOptions own;

    TRY(clv_params_apply(options, export_params, &own, NULL, NULL, error));
    TRY(choose_format(path, own.format, &format, error));
    format->write(model, &own, &text);
    THEN(text.status, write_file(model, path, &text.bytes, error));
    clv_free(model->context, text.bytes.data);
    return text.status;
}
