/* Weights of a trained model for a step of a pipeline that selects columns (select by=weights). */
#include "pipeline/pipeline.h"
#include "train/pipeline_fit.h"

/* Computes the largest |weight| of each feature over the outputs. */
static void largest(const Model *model, size_t outputs, double *weight)
{
    for (uint32_t column = 0; column < model->features; column++) {
        weight[column] = 0;
        for (size_t output = 0; output < outputs; output++) {
            double one = fabs(cleave_model_weight(model, output, column));

            weight[column] = one > weight[column] ? one : weight[column];
        }
    }
}

static Status give(Pipeline *pipeline, size_t step, const Model *model, const char *path,
                   cleave_error *error)
{
    Context *context = model->context;
    size_t outputs;
    double *weight;
    Status status;

    if (!cleave_model_is_linear(model, &outputs))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "pass a linear model, e.g. of svm or logistic",
                             "%s: this model of '%s' has no weights for feature selection", path,
                             model->method->name);
    TRY(ALLOC(context, weight, (size_t)model->features + 1, "weights", error));
    largest(model, outputs, weight);
    status = clv_pipeline_give_weights(pipeline, step, &model->names, weight, model->features,
                                       error);
    clv_free(context, weight);
    return status;
}

Status clv_pipeline_weights(Context *context, Pipeline *pipeline, cleave_error *error)
{
    for (size_t i = 0; i < clv_pipeline_steps(pipeline); i++) {
        const char *path = clv_pipeline_wants_model(pipeline, i);
        Model *model;
        Status status;

        if (!path)
            continue;
        TRY(clv_model_load(context, path, &model, error));
        status = give(pipeline, i, model, path, error);
        cleave_model_free(model);
        TRY(status);
    }
    return OK;
}
