/* C code of the steps of a pipeline over dense rows. Each step computes out[j] for every output. A
 * value of 0 is an entry that a sparse row does not store. The C code follows the functions `row`
 * in src/pipeline. */
#include "interop/c_source.h"

#include <stdio.h>

typedef struct {
    const CSource *source;
    const Step *step;
    size_t number; /* number of the step in the C code */
    const char *transform;
} CStep;

static const BundleItem *array_of(const CStep *step, const char *name, BundleType type)
{
    const BundleItem *item = clv_bundle_get(step->step->arrays, name, type);

    return item && item->count ? item : NULL;
}

/* Returns the value of an option as text. */
static const char *option_of(const CStep *step, const char *name, char buffer[PARAM_TEXT_SIZE])
{
    const Transform *transform = step->step->transform;

    return clv_param_text(clv_param_find(transform->params, name), step->step->options, buffer);
}

/* The name of an array of the step. */
static const char *name_of(const CStep *step, const char *array, char buffer[64])
{
    snprintf(buffer, 64, "step%zu_%s", step->number, array);
    return buffer;
}

static void put_numbers(const CStep *step, const char *array, const BundleItem *item)
{
    char name[64];

    clv_c_numbers(step->source, name_of(step, array, name), item->data, (size_t)item->count);
}

/* Writes text. '@' stands for the prefix, '#' for the prefix with the step, as in model_step0. */
static void put(const CStep *step, const char *text)
{
    while (*text) {
        char piece[2048];
        size_t length = strcspn(text, "#");

        length = length < sizeof piece ? length : sizeof piece - 1;
        memcpy(piece, text, length);
        piece[length] = '\0';
        clv_c_put(step->source, piece);
        text += length;
        if (*text == '#') {
            clv_model_text_put(step->source->text, "%s_step%zu", step->source->prefix,
                               step->number);
            text++;
        }
    }
}

static void begin(const CStep *step)
{
    put(step, "\nstatic void #(const float *in, float *out)\n"
              "{\n"
              "    unsigned long i;\n\n");
}

static void for_each(const CStep *step, uint32_t count)
{
    clv_model_text_put(step->source->text, "    for (i = 0; i < %u; i++)", count);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A factor of 0 marks an unchanged column. */
static Status put_scale(const CStep *step)
{
    const BundleItem *factor = array_of(step, "factor", BUNDLE_F64);
    const BundleItem *offset = array_of(step, "offset", BUNDLE_F64);
    char name[64], buffer[PARAM_TEXT_SIZE];
    const char *clip = option_of(step, "clip", buffer);
    double *factors;

    if (!factor)
        return OK;
    TRY(ALLOC(step->source->model->context, factors, (size_t)factor->count, "scales",
              step->source->text->error));
    for (uint64_t i = 0; i < factor->count; i++)
        factors[i] = isnan(((const double *)factor->data)[i]) ? 0
                                                              : ((const double *)factor->data)[i];
    clv_c_doubles(step->source, name_of(step, "factor", name), factors, (size_t)factor->count);
    clv_free(step->source->model->context, factors);
    if (offset)
        clv_c_doubles(step->source, name_of(step, "offset", name), offset->data,
                      (size_t)offset->count);
    put(step, "\nstatic void #(const float *in, float *out)\n"
              "{\n"
              "    unsigned long i;\n"
              "    double value;\n\n");
    for_each(step, step->step->inputs);
    put(step, " {\n");
    put(step, offset ? "        value = ((double)in[i] - #_offset[i]) * #_factor[i];\n"
                     : "        value = (double)in[i] * #_factor[i];\n");
    if (strcmp(clip, "inf") != 0)
        clv_model_text_put(step->source->text,
                           "        if (!(value <= %s))\n            value = %s;\n"
                           "        else if (value < -%s)\n            value = -%s;\n",
                           clip, clip, clip, clip);
    put(step, "        out[i] = #_factor[i] == 0 ? in[i] : (float)value;\n"
              "    }\n}\n");
    return OK;
}

/* Writes out[i] = in[kept[i]], for a step that drops columns. */
static void put_kept(const CStep *step, const BundleItem *kept)
{
    for_each(step, step->step->outputs);
    put(step, kept ? "\n        out[i] = in[#_kept[i]];\n" : "\n        out[i] = in[i];\n");
}

static Status put_impute(const CStep *step)
{
    const BundleItem *kept = array_of(step, "kept", BUNDLE_U32);
    const BundleItem *mark = array_of(step, "mark", BUNDLE_U32);
    const BundleItem *number = array_of(step, "number", BUNDLE_U32);
    const BundleItem *fill = array_of(step, "fill", BUNDLE_F32);
    const uint32_t *columns = kept ? kept->data : NULL;
    uint32_t *place;
    char name[64], buffer[PARAM_TEXT_SIZE];

    if (strcmp(option_of(step, "strategy", buffer), "error") == 0) {
        clv_cannot_export(step->source->text, step->source->model, "c",
                          "use impute without strategy=error",
                          "its pipeline does not accept missing values");
        return OK;
    }
    if (kept)
        put_numbers(step, "kept", kept);
    if (mark && number && fill) {
        TRY(ALLOC(step->source->model->context, place, (size_t)number->count, "columns",
                  step->source->text->error));
        for (uint64_t i = 0; i < number->count; i++) {
            place[i] = ((const uint32_t *)number->data)[i];
            for (uint32_t j = 0; columns && j < kept->count; j++)
                if (columns[j] == ((const uint32_t *)number->data)[i])
                    place[i] = j;
        }
        put_numbers(step, "mark", mark);
        clv_c_numbers(step->source, name_of(step, "number", name), place, (size_t)number->count);
        clv_c_floats(step->source, name_of(step, "fill", name), fill->data, (size_t)fill->count);
        clv_free(step->source->model->context, place);
    }
    begin(step);
    put_kept(step, kept);
    if (mark && number && fill) {
        for_each(step, (uint32_t)mark->count);
        put(step, "\n        if (in[#_mark[i]] != 0 && out[#_number[i]] == 0)\n"
                  "            out[#_number[i]] = #_fill[i];\n");
    }
    put(step, "}\n");
    return OK;
}

/* If two columns have the same output, the first is kept. */
static Status put_rare(const CStep *step)
{
    const BundleItem *place = array_of(step, "place", BUNDLE_U32);

    if (place)
        put_numbers(step, "place", place);
    begin(step);
    if (!place) {
        put_kept(step, NULL);
    } else {
        for_each(step, step->step->outputs);
        put(step, "\n        out[i] = 0;\n");
        for_each(step, step->step->inputs);
        put(step, "\n        if (in[i] != 0 && out[#_place[i]] == 0)\n"
                  "            out[#_place[i]] = in[i];\n");
    }
    put(step, "}\n");
    return OK;
}

static Status put_select(const CStep *step)
{
    const BundleItem *kept = array_of(step, "kept", BUNDLE_U32);

    if (kept)
        put_numbers(step, "kept", kept);
    begin(step);
    put_kept(step, kept);
    put(step, "}\n");
    return OK;
}

static Status put_weigh(const CStep *step)
{
    const BundleItem *weight = array_of(step, "weight", BUNDLE_F32);
    char name[64];

    if (weight)
        clv_c_floats(step->source, name_of(step, "weight", name), weight->data,
                     (size_t)weight->count);
    begin(step);
    for_each(step, step->step->inputs);
    put(step,
        weight ? "\n        out[i] = in[i] * #_weight[i];\n}\n" : "\n        out[i] = in[i];\n}\n");
    return OK;
}

/* Code 0 is a number, 4294967295 a missing value, which becomes -FLT_MAX. */
static Status put_ordinal(const CStep *step)
{
    const BundleItem *output = array_of(step, "output", BUNDLE_U32);
    const BundleItem *code = array_of(step, "code", BUNDLE_U32);
    char buffer[PARAM_TEXT_SIZE];

    if (output && code && strcmp(option_of(step, "mark_missing", buffer), "true") != 0) {
        clv_cannot_export(step->source->text, step->source->model, "c", "use ordinal:mark-missing",
                          "its pipeline does not accept missing values");
        return OK;
    }
    if (output && code) {
        put_numbers(step, "output", output);
        put_numbers(step, "code", code);
    }
    begin(step);
    if (!output || !code) {
        put_kept(step, NULL);
    } else {
        for_each(step, step->step->outputs);
        put(step, "\n        out[i] = 0;\n");
        for_each(step, step->step->inputs);
        put(step, " {\n"
                  "        float *value = &out[#_output[i]];\n\n"
                  "        if (in[i] == 0 || *value == -FLT_MAX)\n"
                  "            continue;\n"
                  "        if (#_code[i] == 4294967295u)\n"
                  "            *value = -FLT_MAX;\n"
                  "        else\n"
                  "            *value = #_code[i] == 0 ? in[i] : (float)#_code[i];\n"
                  "    }\n");
    }
    put(step, "}\n");
    return OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    Status (*put)(const CStep *step);
} transforms[] = {
    {"scale", put_scale},   {"impute", put_impute}, {"rare", put_rare},
    {"select", put_select}, {"weigh", put_weigh},   {"ordinal", put_ordinal},
};

enum { TRANSFORMS = sizeof transforms / sizeof *transforms };

static void put_step(const CStep *step)
{
    for (size_t i = 0; i < TRANSFORMS; i++)
        if (strcmp(transforms[i].name, step->step->transform->name) == 0) {
            clv_model_text_fail(step->source->text, transforms[i].put(step));
            put(step, "\n");
            return;
        }
    clv_cannot_export(step->source->text, step->source->model, "c",
                      "train with --transform none, or with the steps scale, impute, rare, select, "
                      "weigh and ordinal only",
                      "its pipeline has the step '%s'", step->step->transform->name);
}

size_t clv_c_pipeline(const CSource *source, uint32_t *widest)
{
    const Pipeline *pipeline = source->model->pipeline;
    size_t steps = pipeline ? clv_pipeline_steps(pipeline) : 0;

    for (size_t i = 0; i < steps; i++) {
        CStep step = {.source = source, .step = clv_pipeline_step(pipeline, i), .number = i};

        *widest = step.step->outputs > *widest ? step.step->outputs : *widest;
        put_step(&step);
    }
    return steps;
}
