#include "interop/model_formats.h"

#include "base/file.h"
#include "base/param.h"
#include "model/method.h"
#include "model/registry.h"
#include "pipeline/pipeline.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const ModelFormat *const formats[] = {
    &clv_model_format_c,         &clv_model_format_onnx,   &clv_model_format_lightgbm,
    &clv_model_format_liblinear, &clv_model_format_libsvm, NULL};

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

/* Loading validates the arrays that the method of a model uses. Other arrays in the file are not
 * validated. */
static const struct {
    const char *method;
    ModelKind kind;
} kinds[] = {
    {"svm", MODEL_LINEAR},
    {"logistic", MODEL_LINEAR},
    {"svr", MODEL_LINEAR},
    {"least-squares", MODEL_LINEAR},
    {"lms", MODEL_LINEAR},
    {"perceptron", MODEL_LINEAR},
    {"winnow", MODEL_LINEAR},
    {"kernel-svm", MODEL_KERNEL},
    {"kernel-perceptron", MODEL_KERNEL},
    {"tree", MODEL_TREES},
    {"tree-regression", MODEL_TREES},
    {"forest", MODEL_TREES},
    {"forest-regression", MODEL_TREES},
    {"boost", MODEL_BOOST},
    {"boost-regression", MODEL_BOOST},
};

/* Whether scores are computed in another way, as by voted perceptrons and random features. */
static bool has_other_scores(const Model *model)
{
    return clv_bundle_get(model->bundle, "vote_ends", BUNDLE_U64) ||
           clv_bundle_get(model->bundle, "frequencies", BUNDLE_F32);
}

ModelKind clv_model_kind(const Model *model)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !has_other_scores(model); i++)
        if (strcmp(kinds[i].method, model->method->name) == 0)
            return kinds[i].kind;
    return MODEL_OTHER;
}

bool clv_has_trees(const Model *model)
{
    ModelKind kind = clv_model_kind(model);

    return kind == MODEL_TREES || kind == MODEL_BOOST;
}

const BundleItem *clv_boost_start(const Model *model)
{
    return clv_model_kind(model) == MODEL_BOOST
               ? clv_bundle_get(model->bundle, "boost_start", BUNDLE_F64)
               : NULL;
}

const float *clv_weights_rest(const Model *model)
{
    const BundleItem *rest = clv_bundle_get(model->bundle, "weights_rest", BUNDLE_F32);

    return rest && strcmp(model->method->name, "least-squares") == 0 ? rest->data : NULL;
}

Status clv_import_model(Context *context, const char *name, const char *const *params,
                        Model **model, cleave_error *error)
{
    const Method *method;
    void *options;
    Status status;

    TRY(clv_method_find(name, &method, error));
    TRY(clv_model_new(context, method, model, error));
    options = clv_alloc_zero(context, 1, method->options_size);
    status = options ? OK : clv_fail_memory(error, "options", method->options_size);
    if (status == OK) {
        clv_params_initial(method->params, options);
        for (; *params && status == OK; params += 2)
            status = clv_param_set(clv_param_find(method->params, params[0]), options, params[1],
                                   error);
    }
    THEN(status, clv_model_set_params(*model, method->params, options, error));
    clv_free(context, options);
    (*model)->names.first = 1;
    snprintf((*model)->schema.format, sizeof(*model)->schema.format, "%s", SCHEMA_NUMBERED);
    return status;
}

Status clv_import_label(ModelLines *lines, Model *model, int64_t label)
{
    char text[24];
    uint32_t known = model->labels.count, number;
    int length = snprintf(text, sizeof text, "%lld", (long long)label);

    model->labels.from_libsvm = true;
    TRY(clv_labels_add(&model->labels, text, (size_t)length, &number, lines->error));
    return number == known ? OK : clv_model_lines_fail(lines, "label %s occurs twice", text);
}

bool clv_integer_label(ModelText *text, const Model *model, const char *format, uint32_t label,
                       int64_t *number)
{
    double value = model->labels.list[label].number;
    char quoted[QUOTE_SIZE];
    const char *name = model->labels.list[label].text;

    *number = 0;
    if (text->status != OK)
        return false;
    if (!(value >= INT32_MIN && value <= INT32_MAX) || value != floor(value)) {
        clv_cannot_export(text, model, format, "train with integers as labels",
                          "the label '%s' is not an integer",
                          clv_quote(quoted, name, strlen(name)));
        return false;
    }
    *number = (int64_t)value;
    return true;
}

const char *clv_model_param_text(const Model *model, const char *wanted)
{
    const char *name, *value;

    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    return "";
}

bool clv_has_numbers(const Model *model)
{
    const Step *step = model->pipeline ? clv_pipeline_step(model->pipeline, 0) : NULL;
    const BundleItem *code;

    if (!step)
        return true;
    if (clv_pipeline_steps(model->pipeline) > 1 || strcmp(step->transform->name, "ordinal") != 0)
        return false;
    code = clv_bundle_get(step->arrays, "code", BUNDLE_U32);
    for (uint64_t i = 0; code && i < code->count; i++) {
        uint32_t number = ((const uint32_t *)code->data)[i];

        if (number != 0 && number != UINT32_MAX)
            return false;
    }
    return true;
}

bool clv_has_no_pipeline(ModelText *text, const Model *model, const char *format)
{
    if (model->pipeline)
        clv_cannot_export(text, model, format, "train with --transform none",
                          "the format has no pipelines");
    return text->status == OK;
}

/* Columns that were renumbered have their index as their name. */
uint32_t clv_column_index(const Model *model, uint32_t column)
{
    char buffer[24];

    if (model->names.implicit || !clv_names_are_numbers(&model->names))
        return column + 1;
    return (uint32_t)strtoul(clv_names_get(&model->names, column, buffer), NULL, 10) + 1 -
           model->names.first;
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

/* Lists formats, e.g. "c (.c), onnx (.onnx)". */
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
        if (formats[i]->write && (name ? strcmp(name, formats[i]->name) == 0
                                       : formats[i]->suffix && ends_with(path, formats[i]->suffix)))
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
    TEXT(ExportOptions, format, NULL, "Model format: c, onnx, lightgbm, liblinear or libsvm.",
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

/* ---- import ---------------------------------------------------------------------------------- */

/* Finds the format that recognizes the first bytes, and reads the file. */
static Status read_file(Context *context, const char *path, Buffer *bytes,
                        const ModelFormat **format, cleave_error *error)
{
    enum { FIRST_BYTES = 4096 };
    struct stat facts;
    bool regular;
    Status status;
    int file;

    *format = NULL;
    TRY(clv_input_open(context, path, &file, error));
    regular = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    status = clv_input_read(context, path, file, regular, FIRST_BYTES, bytes, error);
    for (size_t i = 0; status == OK && formats[i] && !*format; i++)
        if (formats[i]->read && formats[i]->recognizes(bytes->data, bytes->size))
            *format = formats[i];
    if (status == OK && !*format)
        status = clv_fail_hint(
            error, CLEAVE_ERROR_FORMAT,
            "the first line of a LIBLINEAR model is 'solver_type ...', that of a "
            "LIBSVM model 'svm_type ...'",
            "%s: the file is not a model of LIBLINEAR or LIBSVM", path);
    THEN(status, clv_input_read(context, path, file, regular, SIZE_MAX / 2, bytes, error));
    close(file);
    return status;
}

/* Converts the model to bytes and loads them, which validates the model. */
static Status reload(const Model *model, const char *path, Model **loaded, cleave_error *error)
{
    Context *context = model->context;
    Buffer bytes = {0};
    Status status = clv_model_to_bytes(model, &bytes, error);

    THEN(status, clv_model_from_bytes(context, path, bytes.data, bytes.size, loaded, error));
    if (status == OK)
        (*loaded)->bytes = bytes.data;
    else
        clv_free(context, bytes.data);
    return status;
}

cleave_code cleave_import(cleave_context *context, const char *path, cleave_model **model,
                          cleave_error *error)
{
    REQUIRE(context && path && model);
    const ModelFormat *format;
    Model *imported = NULL;
    Buffer bytes = {0};
    Status status = read_file(context, path, &bytes, &format, error);

    *model = NULL;
    THEN(status, clv_buffer_add(context, &bytes, "", 1, error));
    THEN(status, format->read(context, path, bytes.data, bytes.size - 1, &imported, error));
    clv_free(context, bytes.data);
    THEN(status, reload(imported, path, model, error));
    cleave_model_free(imported);
    return status;
}
