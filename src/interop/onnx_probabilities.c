/*
 * Class probabilities from "scores", like clv_model_probabilities and the methods.
 *
 *     logistic, boost     Sigmoid of the score or of twice the score; Softmax for more than two
 *                         classes, except for one-vs-rest logistic regression
 *     trees, forests      (1 + score) / 2, limited to 0 to 1; class shares
 *     other methods       with --calibrate: Sigmoid of -(a score + b)
 *
 * The probabilities of more than two classes are divided by their sum.
 */
#include "interop/onnx_model.h"

#include <stdio.h>

typedef enum { PROBABILITIES_NONE, PROBABILITIES_LOGISTIC, PROBABILITIES_SHARES } Kind;

static Kind kind_of(const Model *model)
{
    if (!model->method->inference->probabilities)
        return clv_bundle_get(model->bundle, "platt", BUNDLE_F64) ? PROBABILITIES_LOGISTIC
                                                                  : PROBABILITIES_NONE;
    return clv_model_kind(model) == MODEL_TREES ? PROBABILITIES_SHARES : PROBABILITIES_LOGISTIC;
}

static void with_number(Onnx *onnx, const char *operator, double number)
{
    char name[24];

    clv_onnx_node(onnx, operator, onnx->current, clv_onnx_doubles(onnx, &number, 1, 0, name), NULL);
}

/* Returns whether the scores of several classes were trained together. */
static bool is_joint(const Model *model)
{
    const BundleItem *loss = clv_bundle_get(model->bundle, "loss", BUNDLE_F64);

    return clv_model_kind(model) == MODEL_BOOST ||
           (loss && loss->count == 3 && ((const double *)loss->data)[2] != 0);
}

static void put_platt(Onnx *onnx, const double *platt, size_t outputs, double *numbers)
{
    char name[24];

    for (size_t i = 0; i < outputs; i++)
        numbers[i] = -platt[2 * i];
    clv_onnx_node(onnx, "Mul", "scores", clv_onnx_doubles(onnx, numbers, outputs, 0, name), NULL);
    for (size_t i = 0; i < outputs; i++)
        numbers[i] = platt[2 * i + 1];
    clv_onnx_node(onnx, "Sub", onnx->current, clv_onnx_doubles(onnx, numbers, outputs, 0, name),
                  NULL);
    clv_onnx_node(onnx, "Sigmoid", onnx->current, NULL, NULL);
}

/* Divides by the sum of each row. */
static void put_normalized(Onnx *onnx)
{
    OnnxNode node = clv_onnx_begin(onnx, "ReduceSum", NULL);
    char values[24], name[24];

    memcpy(values, onnx->current, sizeof values);
    clv_onnx_input(&node, values);
    clv_onnx_input(&node, clv_onnx_ints(onnx, &(int64_t){1}, 1, name));
    clv_onnx_end(onnx, &node, NULL);
    memcpy(name, onnx->current, sizeof name);
    clv_onnx_node(onnx, "Div", values, name, "probabilities");
}

/* Concatenates the probabilities of the two classes in the order of the labels. */
static void put_both(Onnx *onnx)
{
    char positive[24], name[24], other[24];
    OnnxNode node;

    memcpy(positive, onnx->current, sizeof positive);
    clv_onnx_node(onnx, "Sub", clv_onnx_doubles(onnx, &(double){1}, 1, 0, name), positive, NULL);
    memcpy(other, onnx->current, sizeof other);
    node = clv_onnx_begin(onnx, "Concat", NULL);
    clv_onnx_input(&node, onnx->model->positive == 0 ? positive : other);
    clv_onnx_input(&node, onnx->model->positive == 0 ? other : positive);
    clv_onnx_attribute_int(&node, "axis", 1);
    clv_onnx_end(onnx, &node, "probabilities");
}

static void put_softmax(Onnx *onnx)
{
    OnnxNode node = clv_onnx_begin(onnx, "Softmax", NULL);

    clv_onnx_input(&node, "scores");
    clv_onnx_attribute_int(&node, "axis", 1);
    clv_onnx_end(onnx, &node, "probabilities");
}

static void put_shares(Onnx *onnx, bool two)
{
    if (two) {
        with_number(onnx, "Add", 1);
        with_number(onnx, "Div", 2);
        with_number(onnx, "Min", 1);
    }
    with_number(onnx, "Max", 0);
}

static Status put_probabilities(Onnx *onnx, Kind kind)
{
    const Model *model = onnx->model;
    const BundleItem *platt = clv_bundle_get(model->bundle, "platt", BUNDLE_F64);
    size_t outputs = outputs_of(model->labels.count);
    bool own = model->method->inference->probabilities != NULL;
    double *numbers;

    TRY(ALLOC(model->context, numbers, outputs, "probabilities", onnx->text->error));
    snprintf(onnx->current, sizeof onnx->current, "scores");
    if (kind == PROBABILITIES_SHARES) {
        put_shares(onnx, outputs == 1);
    } else if (!own) {
        put_platt(onnx, platt->data, outputs, numbers);
    } else if (outputs == 1) {
        if (strcmp(clv_model_param_text(model, "loss"), "exponential") == 0)
            with_number(onnx, "Mul", 2);
        clv_onnx_node(onnx, "Sigmoid", onnx->current, NULL, NULL);
    } else if (!is_joint(model)) {
        clv_onnx_node(onnx, "Sigmoid", onnx->current, NULL, NULL);
    }
    clv_free(model->context, numbers);
    if (outputs == 1)
        put_both(onnx);
    else if (own && kind == PROBABILITIES_LOGISTIC && is_joint(model))
        put_softmax(onnx);
    else
        put_normalized(onnx);
    return OK;
}

bool clv_onnx_probabilities(Onnx *onnx)
{
    Kind kind = onnx->model->labels.count > 1 ? kind_of(onnx->model) : PROBABILITIES_NONE;

    if (kind == PROBABILITIES_NONE)
        return false;
    clv_model_text_fail(onnx->text, put_probabilities(onnx, kind));
    return true;
}
