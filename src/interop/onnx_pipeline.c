/*
 * Exports pipelines as ONNX. Values are doubles that are rounded to floats where cleave rounds
 * them.
 *
 *     scale            (X - offset) * factor, limited by Min and Max
 *     impute, rare     X M with a sparse matrix M. A missing number is 0 and its indicator is 1, so
 *                      that the product is the imputed value. A merged category is added to its
 *                      column.
 *     select           Gather
 *     weigh            X * weight
 *     ordinal          no node if all columns are numeric; missing values are NaN
 */
#include "interop/onnx_model.h"

#include "pipeline/pipeline.h"

#include <stdio.h>

enum { MOST_CELLS = 1 << 22 }; /* maximum number of cells of a matrix */

typedef struct {
    Onnx *onnx;
    const Step *step;
} OnnxStep;

static const BundleItem *array_of(const OnnxStep *step, const char *name, BundleType type)
{
    const BundleItem *item = clv_bundle_get(step->step->arrays, name, type);

    return item && item->count ? item : NULL;
}

static const char *option_of(const OnnxStep *step, const char *name, char buffer[PARAM_TEXT_SIZE])
{
    const Transform *transform = step->step->transform;

    return clv_param_text(clv_param_find(transform->params, name), step->step->options, buffer);
}

static void round_to_floats(const OnnxStep *step)
{
    clv_onnx_cast(step->onnx, ONNX_FLOAT);
    clv_onnx_cast(step->onnx, ONNX_DOUBLE);
}

/* Adds an operator with one number per column. */
static void by_column(const OnnxStep *step, const char *operator, const double * numbers)
{
    char name[24];

    clv_onnx_node(step->onnx, operator, step->onnx->current,
                  clv_onnx_doubles(step->onnx, numbers, step->step->inputs, 0, name), NULL);
}

/* Columns without a factor get the factor 1 and are not clipped. */
static Status put_scale(const OnnxStep *step)
{
    const BundleItem *factor = array_of(step, "factor", BUNDLE_F64);
    const BundleItem *offset = array_of(step, "offset", BUNDLE_F64);
    uint32_t count = step->step->inputs;
    char buffer[PARAM_TEXT_SIZE];
    double clip = 0, *numbers;
    bool clips = clv_parse_ratio(option_of(step, "clip", buffer), &clip) && isfinite(clip);

    if (!factor)
        return OK;
    TRY(ALLOC(step->onnx->model->context, numbers, count, "scales", step->onnx->text->error));
    if (offset)
        by_column(step, "Sub", offset->data);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = isnan(((const double *)factor->data)[i]) ? 1
                                                              : ((const double *)factor->data)[i];
    by_column(step, "Mul", numbers);
    for (int side = 0; clips && side < 2; side++) {
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = (side ? -1 : 1) *
                         (isnan(((const double *)factor->data)[i]) ? (double)INFINITY : clip);
        by_column(step, side ? "Max" : "Min", numbers);
    }
    clv_free(step->onnx->model->context, numbers);
    round_to_floats(step);
    return OK;
}

static void put_gather(const OnnxStep *step, const int64_t *columns, size_t count)
{
    OnnxNode node = clv_onnx_begin(step->onnx, "Gather", NULL);
    char name[24];

    clv_onnx_input(&node, step->onnx->current);
    clv_onnx_input(&node, clv_onnx_ints(step->onnx, columns, count, name));
    clv_onnx_attribute_int(&node, "axis", 1);
    clv_onnx_end(step->onnx, &node, NULL);
}

static Status put_select(const OnnxStep *step)
{
    const BundleItem *kept = array_of(step, "kept", BUNDLE_U32);
    int64_t *columns;

    if (!kept)
        return OK;
    TRY(ALLOC(step->onnx->model->context, columns, (size_t)kept->count, "columns",
              step->onnx->text->error));
    for (uint64_t i = 0; i < kept->count; i++)
        columns[i] = ((const uint32_t *)kept->data)[i];
    put_gather(step, columns, (size_t)kept->count);
    clv_free(step->onnx->model->context, columns);
    return OK;
}

/* Returns inputs * outputs zeros. Returns NULL without an error if the matrix is too large. */
static Status new_matrix(const OnnxStep *step, double **matrix)
{
    uint64_t cells = (uint64_t)step->step->inputs * step->step->outputs;

    *matrix = NULL;
    if (cells > MOST_CELLS) {
        clv_cannot_export(step->onnx->text, step->onnx->model, "onnx", "use --format c",
                          "its pipeline has too many columns");
        return OK;
    }
    return ALLOC_ZERO(step->onnx->model->context, *matrix, (size_t)cells, "a matrix",
                      step->onnx->text->error);
}

static void put_matrix(const OnnxStep *step, double *matrix)
{
    char name[24];

    clv_onnx_node(
        step->onnx, "MatMul", step->onnx->current,
        clv_onnx_doubles(step->onnx, matrix, step->step->inputs, step->step->outputs, name), NULL);
    clv_free(step->onnx->model->context, matrix);
}

static Status put_impute(const OnnxStep *step)
{
    const BundleItem *kept = array_of(step, "kept", BUNDLE_U32);
    const BundleItem *mark = array_of(step, "mark", BUNDLE_U32);
    const BundleItem *number = array_of(step, "number", BUNDLE_U32);
    const BundleItem *fill = array_of(step, "fill", BUNDLE_F32);
    uint32_t outputs = step->step->outputs;
    double *matrix;

    if (!mark || !number || !fill)
        return put_select(step);
    TRY(new_matrix(step, &matrix));
    for (uint32_t j = 0; matrix && j < outputs; j++) {
        uint32_t input = kept ? ((const uint32_t *)kept->data)[j] : j;

        matrix[(size_t)input * outputs + j] = 1;
        for (uint64_t i = 0; i < number->count; i++)
            if (((const uint32_t *)number->data)[i] == input)
                matrix[(size_t)((const uint32_t *)mark->data)[i] * outputs + j] =
                    (double)((const float *)fill->data)[i];
    }
    if (matrix)
        put_matrix(step, matrix);
    return OK;
}

static Status put_rare(const OnnxStep *step)
{
    const BundleItem *place = array_of(step, "place", BUNDLE_U32);
    double *matrix;

    if (!place)
        return OK;
    TRY(new_matrix(step, &matrix));
    for (uint32_t i = 0; matrix && i < step->step->inputs; i++)
        matrix[(size_t)i * step->step->outputs + ((const uint32_t *)place->data)[i]] = 1;
    if (matrix)
        put_matrix(step, matrix);
    return OK;
}

static Status put_weigh(const OnnxStep *step)
{
    const BundleItem *weight = array_of(step, "weight", BUNDLE_F32);
    double *numbers;

    if (!weight)
        return OK;
    TRY(ALLOC(step->onnx->model->context, numbers, (size_t)weight->count, "weights",
              step->onnx->text->error));
    for (uint64_t i = 0; i < weight->count; i++)
        numbers[i] = (double)((const float *)weight->data)[i];
    by_column(step, "Mul", numbers);
    clv_free(step->onnx->model->context, numbers);
    round_to_floats(step);
    return OK;
}

static const struct {
    const char *name;
    Status (*put)(const OnnxStep *step);
} transforms[] = {
    {"scale", put_scale},   {"impute", put_impute}, {"rare", put_rare},
    {"select", put_select}, {"weigh", put_weigh},
};

enum { TRANSFORMS = sizeof transforms / sizeof *transforms };

static void put_step(const OnnxStep *step)
{
    char buffer[PARAM_TEXT_SIZE];
    const char *name = step->step->transform->name;

    for (size_t i = 0; i < TRANSFORMS; i++)
        if (strcmp(transforms[i].name, name) == 0 &&
            (strcmp(name, "impute") != 0 ||
             strcmp(option_of(step, "strategy", buffer), "error") != 0)) {
            clv_model_text_fail(step->onnx->text, transforms[i].put(step));
            return;
        }
    clv_cannot_export(step->onnx->text, step->onnx->model, "onnx",
                      "train with --transform none, or with the steps scale, impute, rare, select "
                      "and weigh only",
                      "its pipeline has the step '%s'", name);
}

uint32_t clv_onnx_pipeline(Onnx *onnx)
{
    const Model *model = onnx->model;
    bool numbers = clv_has_numbers(model);

    snprintf(onnx->current, sizeof onnx->current, "X");
    clv_onnx_cast(onnx, ONNX_DOUBLE);
    for (size_t i = 0; !numbers && i < clv_pipeline_steps(model->pipeline); i++)
        put_step(&(OnnxStep){.onnx = onnx, .step = clv_pipeline_step(model->pipeline, i)});
    return numbers ? model->features : clv_model_input_count(model);
}
