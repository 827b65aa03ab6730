#include "interop/c_source.h"

#include "base/number.h"

enum {
    /* in bytes: after escaping, a string literal must be shorter than 4,096 */
    MOST_NAME = 1000,
    MOST_COLUMNS = 1 << 18, /* the C code stores rows of a pipeline on the stack */
    MOST_PREFIX = 64,
};

/* ---- literals -------------------------------------------------------------------------------- */

void clv_c_put(const CSource *source, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "@");

        clv_model_text_add(source->text, text, length);
        text += length;
        if (*text == '@') {
            clv_model_text_put(source->text, "%s", source->prefix);
            text++;
        }
    }
}

/* Writes a literal of type double, not int. */
static void put_real(const CSource *source, char digits[NUMBER_SIZE], size_t length)
{
    clv_model_text_add(source->text, digits, length);
    if (!memchr(digits, '.', length) && !memchr(digits, 'e', length))
        clv_model_text_put(source->text, ".0");
}

void clv_c_double(const CSource *source, double value)
{
    char digits[NUMBER_SIZE];

    put_real(source, digits, clv_format_double(digits, value));
}

void clv_c_float(const CSource *source, float value)
{
    char digits[NUMBER_SIZE];

    put_real(source, digits, clv_format_float(digits, value));
    clv_model_text_put(source->text, "f");
}

static void begin_array(const CSource *source, const char *type, const char *name, size_t count)
{
    clv_model_text_put(source->text, "static const %s %s_%s[%zu] = {%s", type, source->prefix, name,
                       count ? count : 1, count ? "" : "0");
}

static void separate(const CSource *source, size_t i)
{
    clv_model_text_put(source->text, i == 0 ? "\n    " : i % 8 == 0 ? ",\n    " : ", ");
}

void clv_c_doubles(const CSource *source, const char *name, const double *values, size_t count)
{
    begin_array(source, "double", name, count);
    for (size_t i = 0; i < count && source->text->status == OK; i++) {
        separate(source, i);
        clv_c_double(source, values[i]);
    }
    clv_model_text_put(source->text, "};\n");
}

void clv_c_floats(const CSource *source, const char *name, const float *values, size_t count)
{
    begin_array(source, "float", name, count);
    for (size_t i = 0; i < count && source->text->status == OK; i++) {
        separate(source, i);
        clv_c_float(source, values[i]);
    }
    clv_model_text_put(source->text, "};\n");
}

void clv_c_numbers(const CSource *source, const char *name, const uint32_t *values, size_t count)
{
    begin_array(source, "unsigned long", name, count);
    for (size_t i = 0; i < count && source->text->status == OK; i++) {
        separate(source, i);
        clv_model_text_put(source->text, "%u", values[i]);
    }
    clv_model_text_put(source->text, "};\n");
}

/* Bytes other than plain ASCII are written as octal escapes. So are question marks, because C99 has
 * trigraphs. */
static void put_string(const CSource *source, const char *string)
{
    if (strlen(string) > MOST_NAME)
        clv_cannot_export(source->text, source->model, "c", NULL,
                          "a name or a label is longer than %d bytes", MOST_NAME);
    clv_model_text_put(source->text, "\"");
    for (; *string && source->text->status == OK; string++) {
        unsigned char byte = (unsigned char)*string;

        if (byte < 0x20 || byte > 0x7E || byte == '"' || byte == '\\' || byte == '?')
            clv_model_text_put(source->text, "\\%03o", byte);
        else
            clv_model_text_add(source->text, string, 1);
    }
    clv_model_text_put(source->text, "\"");
}

void clv_c_strings(const CSource *source, const char *name,
                   const char *(*get)(const Model *model, uint32_t number, char buffer[24]),
                   uint32_t count)
{
    char buffer[24];

    clv_model_text_put(source->text, "const char *const %s_%s[%u] = {", source->prefix, name,
                       count);
    for (uint32_t i = 0; i < count && source->text->status == OK; i++) {
        clv_model_text_put(source->text, i ? ",\n    " : "\n    ");
        put_string(source, get(source->model, i, buffer));
    }
    clv_model_text_put(source->text, "};\n");
}

/* ---- the file -------------------------------------------------------------------------------- */

static const char *label_of(const Model *model, uint32_t number, char buffer[24])
{
    (void)buffer;
    return model->labels.list[number].text;
}

static const char *input_name(const Model *model, uint32_t number, char buffer[24])
{
    return clv_names_get(clv_model_inputs(model), number, buffer);
}

/* Returns whether the inputs have names instead of numbers. */
static bool has_names(const Model *model)
{
    return !clv_model_inputs(model)->implicit && clv_model_input_count(model) > 0;
}

static void put_top(const CSource *source)
{
    const Model *model = source->model;
    const Names *names = clv_model_inputs(model);
    bool regression = model->task == CLEAVE_TASK_REGRESSION;

    clv_model_text_put(source->text,
                       "/* A model of '%s', exported by cleave %s. C99, no dependencies.\n *\n",
                       model->method->name, cleave_version());
    if (!has_names(model))
        clv_model_text_put(source->text, " * inputs[i] is feature i + %u of the data.\n",
                           names->first);
    else
        clv_c_put(source,
                  " * inputs[i] is the value of the column with the name @_input_names[i], and\n"
                  " * @_set sets it by its name. A value of a categorical column is the column\n"
                  " * \"COLUMN=VALUE\", set to 1. A missing number is \"COLUMN=?\", set to 1.\n");
    clv_c_put(source, " * Inputs that are not set are 0. NaN and infinity are not allowed.\n"
                      " *\n"
                      " * Predictions equal those of cleave bit for bit, unless the compiler "
                      "fuses\n"
                      " * multiplications and additions: pass -std=c99 or -ffp-contract=off.\n"
                      " */\n"
                      "#include <float.h>\n"
                      "#include <string.h>\n\n"
                      "#ifdef __clang__\n"
                      "#pragma STDC FP_CONTRACT OFF\n"
                      "#endif\n\n");
    clv_model_text_put(source->text, "enum { %s_input_count = %u, %s_score_count = %zu };\n\n",
                       source->prefix, clv_model_input_count(model), source->prefix,
                       outputs_of(model->labels.count));
    clv_c_put(source, regression ? "/* The predicted number. */\n"
                                   "double @_predict(const float *inputs);\n"
                                 : "/* The predicted class, an index of @_labels. */\n"
                                   "int @_predict(const float *inputs);\n");
    clv_c_put(source, "/* @_score_count numbers, as cleave prints them with --scores. */\n"
                      "void @_scores(const float *inputs, double *scores);\n");
    if (model->labels.count)
        clv_model_text_put(source->text, "extern const char *const %s_labels[%u];\n",
                           source->prefix, model->labels.count);
    if (has_names(model))
        clv_model_text_put(source->text, "extern const char *const %s_input_names[%u];\n",
                           source->prefix, clv_model_input_count(model));
    if (has_names(model))
        clv_c_put(source,
                  "/* Returns 0 if the model has no such column; the value is ignored then. "
                  "*/\n"
                  "int @_set(float *inputs, const char *name, float value);\n");
    clv_c_put(source, "\n");
}

/* Writes the search of a name, like clv_names_find_or_other. */
static void put_set(const CSource *source)
{
    const Model *model = source->model;
    bool others = false;
    char buffer[24];

    clv_c_strings(source, "input_names", input_name, clv_model_input_count(model));
    for (uint32_t i = 0; i < clv_model_input_count(model); i++)
        others = others || strstr(input_name(model, i, buffer), "=" VALUE_OTHER);
    clv_c_put(source, "\nint @_set(float *inputs, const char *name, float value)\n"
                      "{\n"
                      "    int i;\n\n"
                      "    for (i = 0; i < @_input_count; i++)\n"
                      "        if (strcmp(@_input_names[i], name) == 0) {\n"
                      "            inputs[i] = value;\n"
                      "            return 1;\n"
                      "        }\n");
    if (others)
        clv_c_put(source, "    for (i = 0; i < @_input_count; i++) {\n"
                          "        size_t length = strlen(@_input_names[i]);\n\n"
                          "        if (length > 8 &&\n"
                          "            strcmp(@_input_names[i] + length - 8, \"=" VALUE_OTHER
                          "\") == 0 &&\n"
                          "            strncmp(@_input_names[i], name, length - 7) == 0) {\n"
                          "            inputs[i] = value;\n"
                          "            return 1;\n"
                          "        }\n"
                          "    }\n");
    clv_c_put(source, "    return 0;\n}\n\n");
}

static void put_scores(const CSource *source, size_t steps, uint32_t widest)
{
    clv_c_put(source, "void @_scores(const float *inputs, double *scores)\n{\n");
    for (size_t i = 0; i < steps && i < 2; i++)
        clv_model_text_put(source->text, "    float row%zu[%u];\n", i, widest ? widest : 1);
    if (steps)
        clv_c_put(source, "\n");
    for (size_t i = 0; i < steps; i++) {
        clv_model_text_put(source->text, "    %s_step%zu(", source->prefix, i);
        if (i == 0)
            clv_model_text_put(source->text, "inputs, row0);\n");
        else
            clv_model_text_put(source->text, "row%zu, row%zu);\n", (i - 1) % 2, i % 2);
    }
    if (steps)
        clv_model_text_put(source->text, "    %s_sum(row%zu, scores);\n}\n\n", source->prefix,
                           (steps - 1) % 2);
    else
        clv_c_put(source, "    @_sum(inputs, scores);\n}\n\n");
}

/* Writes the decision, like clv_decide. */
static void put_predict(const CSource *source)
{
    const Model *model = source->model;

    if (model->task == CLEAVE_TASK_REGRESSION) {
        clv_c_put(source, "double @_predict(const float *inputs)\n"
                          "{\n"
                          "    double score;\n\n"
                          "    @_scores(inputs, &score);\n"
                          "    return score;\n"
                          "}\n");
        return;
    }
    clv_c_put(source, "int @_predict(const float *inputs)\n"
                      "{\n"
                      "    double scores[@_score_count];\n");
    if (outputs_of(model->labels.count) > 1)
        clv_c_put(source, "    int best = 0, i;\n\n"
                          "    @_scores(inputs, scores);\n"
                          "    for (i = 1; i < @_score_count; i++)\n"
                          "        if (scores[i] > scores[best])\n"
                          "            best = i;\n"
                          "    return best;\n"
                          "}\n");
    else if (model->labels.count == 1)
        clv_c_put(source, "\n    @_scores(inputs, scores);\n"
                          "    return 0;\n"
                          "}\n");
    else
        clv_model_text_put(source->text,
                           "\n    %s_scores(inputs, scores);\n"
                           "    return scores[0] > 0 ? %u : %u;\n"
                           "}\n",
                           source->prefix, model->positive, 1 - model->positive);
}

static bool is_identifier(const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length > MOST_PREFIX || (text[0] >= '0' && text[0] <= '9'))
        return false;
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
           length;
}

static bool check(const Model *model, const ExportOptions *options, ModelText *text)
{
    char quoted[QUOTE_SIZE];

    if (!is_identifier(options->prefix)) {
        clv_model_text_fail(
            text, clv_fail_hint(text->error, CLEAVE_ERROR_USAGE,
                                "use letters, digits and '_', beginning with a letter",
                                "--prefix '%s' is not a C identifier",
                                clv_quote(quoted, options->prefix, strlen(options->prefix))));
        return false;
    }
    if (clv_model_kind(model) != MODEL_LINEAR && !clv_has_trees(model))
        clv_cannot_export(text, model, "c",
                          "train a linear method, a tree, a forest or boosted trees",
                          "it has no weights and no trees");
    else if (model->task != CLEAVE_TASK_REGRESSION && model->labels.count == 0)
        clv_cannot_export(text, model, "c", NULL, "it has no classes");
    return text->status == OK;
}

static void write_c(const Model *model, const ExportOptions *options, ModelText *text)
{
    CSource source = {.model = model, .prefix = options->prefix, .text = text};
    uint32_t widest = 0;
    size_t steps;

    if (!check(model, options, text))
        return;
    put_top(&source);
    if (model->labels.count)
        clv_c_strings(&source, "labels", label_of, model->labels.count);
    if (has_names(model))
        put_set(&source);
    steps = clv_c_pipeline(&source, &widest);
    if (widest > MOST_COLUMNS)
        clv_cannot_export(text, model, "c", "train with --transform none",
                          "its pipeline has more than %d columns", MOST_COLUMNS);
    if (clv_has_trees(model))
        clv_c_trees(&source);
    else
        clv_c_linear(&source);
    put_scores(&source, steps, widest);
    put_predict(&source);
}

const ModelFormat clv_model_format_c = {
    .name = "c",
    .suffix = ".c",
    .brief = "C code without dependencies",
    .write = write_c,
};
