/* Linear models as ONNX: scores = X W + b, in double. */
#include "interop/onnx_model.h"

static Status put_linear(Onnx *onnx)
{
    const Model *model = onnx->model;
    const float *rest = clv_weights_rest(model);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    size_t outputs = outputs_of(model->labels.count), features = model->features;
    double *weight, *intercept = NULL;
    char name[24];
    Status status = ALLOC(model->context, weight, features * outputs, "weights", onnx->text->error);

    THEN(status, ALLOC(model->context, intercept, outputs, "weights", onnx->text->error));
    for (size_t i = 0; status == OK && i < features * outputs; i++)
        weight[i] = cleave_model_weight(model, i % outputs, i / outputs) +
                    (rest ? *(const double *)scale->data * (double)rest[i] : 0);
    for (size_t i = 0; status == OK && i < outputs; i++)
        intercept[i] = 0.0 - cleave_model_threshold(model, i);
    if (status == OK) {
        clv_onnx_node(onnx, "MatMul", onnx->current,
                      clv_onnx_doubles(onnx, weight, features, outputs, name), NULL);
        clv_onnx_node(onnx, "Add", onnx->current,
                      clv_onnx_doubles(onnx, intercept, outputs, 0, name), "scores");
    }
    FREE(model->context, weight, intercept);
    return status;
}

void clv_onnx_linear(Onnx *onnx)
{
    clv_model_text_fail(onnx->text, put_linear(onnx));
}
