#include "model/model.h"
#include "pipeline/pipeline.h"

#include "data/block.h"
#include "model/method.h"
#include "model/predictor.h"

#include <stdio.h>
#include <sys/mman.h>

Status clv_model_new(Context *context, const struct Method *method, Model **result,
                     cleave_error *error)
{
    Model *model;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, model, 1, "a model", error));
    model->context = context;
    model->method = method;
    clv_labels_init(&model->labels, context);
    clv_names_init(&model->names, context, true);
    clv_schema_init(&model->schema, context);
    snprintf(model->writer, sizeof model->writer, "%s", cleave_version());
    status = clv_bundle_new(context, &model->bundle, error);
    THEN(status, clv_predictors_new(context, &model->predictors, error));
    if (status != OK) {
        cleave_model_free(model);
        return status;
    }
    *result = model;
    return OK;
}

const Model *clv_model_keep(const Model *model)
{
    if (model)
        /* Counting references does not change the model. */
        atomic_fetch_add(&((Model *)(uintptr_t)model)->holders, 1);
    return model;
}

void clv_model_drop(const Model *model)
{
    cleave_model_free((Model *)(uintptr_t)model);
}

Status clv_model_retire(Model *model, const char *array, cleave_error *error)
{
    BundleItem *item = NULL;
    char number[24];

    if (atomic_load(&model->holders) == 0) {
        clv_bundle_free(model->retired);
        model->retired = NULL;
        return OK;
    }
    for (size_t i = 0; i < model->bundle->count && !item; i++)
        if (strcmp(model->bundle->item[i].name, array) == 0)
            item = &model->bundle->item[i];
    if (!item || !item->owned)
        return OK;
    if (!model->retired)
        TRY(clv_bundle_new(model->context, &model->retired, error));
    /* the name is the number of the array, because an array may be replaced several times */
    snprintf(number, sizeof number, "%zu", model->retired->count);
    TRY(clv_bundle_borrow(model->retired, number, item->type, item->data, item->count, error));
    model->retired->item[model->retired->count - 1].owned = true;
    item->owned = false;
    return OK;
}

void clv_model_set_pipeline(Model *model, const Pipeline *pipeline, const Model *from)
{
    model->pipeline = clv_pipeline_keep(pipeline);
    if (pipeline && from && from->pipeline == pipeline)
        model->origin = clv_model_keep(from->origin ? from->origin : from);
}

void cleave_model_free(cleave_model *model)
{
    Context *context;

    if (!model || atomic_fetch_sub(&model->holders, 1) > 0)
        return;
    context = model->context;
    clv_bundle_free(model->bundle);
    clv_bundle_free(model->retired);
    clv_labels_free(&model->labels);
    clv_names_free(&model->names);
    clv_schema_free(&model->schema);
    clv_pipeline_release(model->pipeline);
    clv_model_drop(model->origin);
    for (size_t i = 0; i < model->param_count; i++) {
        FREE(context, model->params[i].name, model->params[i].value);
    }
    clv_free(context, model->params);
    clv_predictors_free(context, model->predictors);
    clv_free(context, model->bytes);
    if (model->map)
        munmap(model->map, model->map_size);
    clv_free(context, model);
}

Status clv_model_add_param(Model *model, const char *name, const char *value, cleave_error *error)
{
    struct ModelParam *param;

    TRY(GROW(model->context, model->params, model->param_capacity, model->param_count + 1, error));
    param = &model->params[model->param_count];
    param->name = clv_copy_string(model->context, name, strlen(name));
    param->value = clv_copy_string(model->context, value, strlen(value));
    model->param_count++;
    return param->name && param->value
               ? OK
               : clv_fail_memory(error, "a parameter", strlen(name) + strlen(value));
}

Status clv_model_set_params(Model *model, const cleave_param *params, const void *options,
                            cleave_error *error)
{
    for (const Param *param = params; param->name; param++) {
        char buffer[PARAM_TEXT_SIZE];

        TRY(clv_model_add_param(model, param->name, clv_param_text(param, options, buffer), error));
    }
    return OK;
}

/* The default of the table may stand for "automatic" and be outside of the range. A missing text is
 * recorded as an empty text. */
Status clv_model_options(const Model *model, void *options, cleave_error *error)
{
    clv_params_initial(model->method->params, options);
    for (size_t i = 0; i < model->param_count; i++) {
        const struct ModelParam *own = &model->params[i];
        const Param *param = clv_param_find(model->method->params, own->name);
        char buffer[PARAM_TEXT_SIZE];

        if (!param ||
            (param->type != CLEAVE_TEXT && clv_param_set(param, options, own->value, NULL) == OK))
            continue;
        if (strcmp(clv_param_text(param, options, buffer), own->value) != 0)
            TRY(clv_param_set(param, options, own->value, error));
    }
    return OK;
}

/* Whether the model reads columns through its pipeline. A pipeline that accepts any column passes
 * new columns through unchanged. */
static bool reads_for_pipeline(const Model *model)
{
    return model->pipeline && !clv_pipeline_any_column(model->pipeline);
}

const Names *clv_model_inputs(const Model *model)
{
    return reads_for_pipeline(model) ? clv_pipeline_inputs(model->pipeline) : &model->names;
}

uint32_t clv_model_input_count(const Model *model)
{
    return reads_for_pipeline(model) ? clv_pipeline_input_count(model->pipeline) : model->features;
}

DecisionRule clv_model_rule(const Model *model, bool allow_none)
{
    return (DecisionRule){
        .labels = &model->labels,
        .outputs = outputs_of(model->labels.count),
        .classes = model->labels.count,
        .positive = model->positive,
        .regression = model->task == CLEAVE_TASK_REGRESSION,
        .allow_none = allow_none,
        .abstains = model->method->inference->abstains,
    };
}

uint32_t clv_model_decide(const Model *model, const double *scores, bool allow_none)
{
    DecisionRule rule = clv_model_rule(model, allow_none);

    return clv_decide(&rule, scores);
}

/* ---- inspection ------------------------------------------------------------------------------ */

const char *cleave_model_method(const cleave_model *model)
{
    return model->method->name;
}

unsigned cleave_model_task(const cleave_model *model)
{
    return model->task;
}

const char *cleave_model_writer(const cleave_model *model)
{
    return model->writer;
}

uint64_t cleave_model_seed(const cleave_model *model)
{
    return model->seed;
}

uint64_t cleave_model_rows(const cleave_model *model)
{
    return model->rows;
}

const char *cleave_model_column(const cleave_model *model, size_t number, const char **kind)
{
    if (number >= model->schema.count)
        return NULL;
    if (kind)
        *kind = clv_column_kinds[model->schema.column[number].kind];
    return model->schema.column[number].name;
}

size_t cleave_model_label_count(const cleave_model *model)
{
    return model->labels.count;
}

const char *cleave_model_label(const cleave_model *model, size_t number)
{
    return number < model->labels.count ? model->labels.list[number].text : NULL;
}

const char *cleave_model_positive(const cleave_model *model)
{
    return model->labels.count == 2 ? model->labels.list[model->positive].text : NULL;
}

size_t cleave_model_feature_count(const cleave_model *model)
{
    return model->features;
}

const char *cleave_model_feature_name(const cleave_model *model, size_t column, char buffer[24])
{
    return clv_names_get(&model->names, (uint32_t)column, buffer);
}

const char *cleave_model_param(const cleave_model *model, size_t number, const char **name)
{
    if (number >= model->param_count)
        return NULL;
    *name = model->params[number].name;
    return model->params[number].value;
}

/* ---- probabilities */

static double sigmoid(const double fitted[2], double score)
{
    return 1 / (1 + exp(fitted[0] * score + fitted[1]));
}

bool clv_model_probabilities(const Model *model, const double *scores, double *probabilities)
{
    size_t outputs = outputs_of(model->labels.count);
    const BundleItem *platt;
    double sum = 0;

    if (model->method->inference->probabilities) {
        model->method->inference->probabilities(model, scores, probabilities);
        return true;
    }
    platt = clv_bundle_get(model->bundle, "platt", BUNDLE_F64);
    if (!platt || platt->count != 2 * outputs)
        return false;
    if (outputs == 1) {
        double yes = sigmoid(platt->data, scores[0]);

        for (uint32_t i = 0; i < model->labels.count; i++)
            probabilities[i] = i == model->positive ? yes : 1 - yes;
        return true;
    }
    for (size_t i = 0; i < outputs; i++)
        sum += probabilities[i] = sigmoid((const double *)platt->data + 2 * i, scores[i]);
    for (size_t i = 0; i < outputs; i++)
        probabilities[i] = sum > 0 ? probabilities[i] / sum : 1 / (double)outputs;
    return true;
}

bool cleave_model_has_probabilities(const cleave_model *model)
{
    return (model->method->inference->probabilities && model->labels.count > 0) ||
           clv_bundle_get(model->bundle, "platt", BUNDLE_F64);
}

/* Returns the weights of a linear model: weights[column * outputs + output] as float or double, one
 * common scale, and intercept[output]. */
static const BundleItem *weights_of(const Model *model)
{
    const BundleItem *weights = clv_bundle_get(model->bundle, "weights", BUNDLE_F32);

    return weights ? weights : clv_bundle_get(model->bundle, "weights", BUNDLE_F64);
}

bool cleave_model_is_linear(const cleave_model *model, size_t *outputs)
{
    const BundleItem *intercept = clv_bundle_get(model->bundle, "bias", BUNDLE_F64);

    if (!intercept || !weights_of(model) || !clv_bundle_get(model->bundle, "scale", BUNDLE_F64))
        return false;
    *outputs = (size_t)intercept->count;
    return true;
}

double cleave_model_weight(const cleave_model *model, size_t output, size_t column)
{
    const BundleItem *weights = weights_of(model);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    const BundleItem *intercept = clv_bundle_get(model->bundle, "bias", BUNDLE_F64);
    size_t at;

    if (!weights || !scale || !intercept || output >= intercept->count ||
        column * intercept->count + output >= weights->count)
        return 0;
    at = column * intercept->count + output;
    return *(const double *)scale->data * (weights->type == BUNDLE_F64
                                               ? ((const double *)weights->data)[at]
                                               : (double)((const float *)weights->data)[at]);
}

double cleave_model_threshold(const cleave_model *model, size_t output)
{
    const BundleItem *intercept = clv_bundle_get(model->bundle, "bias", BUNDLE_F64);
    double value = intercept && output < intercept->count
                       ? ((const double *)intercept->data)[output]
                       : 0;

    return value == 0 ? 0 : -value;
}

bool clv_weight_contributions(const Model *model, const Block *block, uint32_t row, size_t output,
                              double *contributions, double *intercept)
{
    size_t outputs;

    if (!cleave_model_is_linear(model, &outputs) || output >= outputs)
        return false;
    *intercept = 0.0 - cleave_model_threshold(model, output);
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        if (walk.column < model->features)
            contributions[walk.column] += cleave_model_weight(model, output, walk.column) *
                                          (double)walk.value;
    return true;
}

void clv_class_shares_as_probabilities(const Model *model, const double *scores,
                                       double *probabilities)
{
    uint32_t classes = model->labels.count;
    double sum = 0;

    if (classes <= 2) {
        double positive = (1 + scores[0]) / 2;

        positive = positive < 0 ? 0 : positive > 1 ? 1 : positive;
        probabilities[model->positive] = positive;
        if (classes == 2)
            probabilities[1 - model->positive] = 1 - positive;
        return;
    }
    for (uint32_t c = 0; c < classes; c++)
        sum += scores[c] > 0 ? scores[c] : 0;
    for (uint32_t c = 0; c < classes; c++)
        probabilities[c] = sum > 0 ? (scores[c] > 0 ? scores[c] / sum : 0) : 1 / (double)classes;
}

/* ---- targets --------------------------------------------------------------------------------- */

#define RANGE_ITEM "target_range"

void clv_target_range_add(TargetRange *range, double target)
{
    if (isnan(target))
        return;
    range->low = range->known ? fmin(range->low, target) : target;
    range->high = range->known ? fmax(range->high, target) : target;
    range->known = true;
}

TargetRange clv_model_target_range(const Model *model)
{
    TargetRange range = {0};
    double ends[2];

    if (clv_bundle_copy(model->bundle, RANGE_ITEM, BUNDLE_F64, ends, 2) && ends[0] <= ends[1])
        range = (TargetRange){.low = ends[0], .high = ends[1], .known = true};
    return range;
}

Status clv_model_set_target_range(Model *model, TargetRange range, cleave_error *error)
{
    double ends[2] = {range.low, range.high};

    return range.known ? clv_bundle_put(model->bundle, RANGE_ITEM, BUNDLE_F64, ends, 2, error) : OK;
}

bool cleave_model_target_range(const cleave_model *model, double *low, double *high)
{
    TargetRange range = clv_model_target_range(model);

    *low = range.low;
    *high = range.high;
    return range.known;
}

bool clv_item_array(const BundleItem *item, cleave_array *array)
{
    static const cleave_number_type types[] = {[BUNDLE_BYTES] = CLEAVE_BYTES,
                                               [BUNDLE_U32] = CLEAVE_UINT32,
                                               [BUNDLE_U64] = CLEAVE_UINT64,
                                               [BUNDLE_F32] = CLEAVE_FLOAT32,
                                               [BUNDLE_F64] = CLEAVE_FLOAT64};
    cleave_array own;

    if (!array || clv_take_sized(&own, sizeof own, array, "cleave_array", NULL) != OK)
        return false;
    own = (cleave_array){
        .name = item->name, .type = types[item->type], .values = item->data, .count = item->count};
    clv_give_sized(array, &own, sizeof own);
    return true;
}

bool cleave_model_array_at(const cleave_model *model, size_t number, cleave_array *array)
{
    return model && number < model->bundle->count &&
           clv_item_array(&model->bundle->item[number], array);
}

bool cleave_model_array(const cleave_model *model, const char *name, cleave_array *array)
{
    for (size_t i = 0; model && name && i < model->bundle->count; i++)
        if (strcmp(model->bundle->item[i].name, name) == 0)
            return cleave_model_array_at(model, i, array);
    return false;
}
