#include "interop/onnx_model.h"

#include <stdio.h>

enum { ONNX_IR_VERSION = 8, ONNX_OPERATORS = 17, ONNX_ML_OPERATORS = 3 };
enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_PRODUCER_VERSION = 3, MODEL_GRAPH = 7 };
enum { MODEL_OPERATORS = 8, OPERATORS_DOMAIN = 1, OPERATORS_VERSION = 2 };
enum { GRAPH_NAME = 2, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR_TYPE = 1, TENSOR_ELEMENT = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIMENSION = 1, DIMENSION_VALUE = 1, DIMENSION_NAME = 2 };

/* ---- classes --------------------------------------------------------------------------------- */

static const char *label_at(const void *user, size_t number)
{
    const Model *model = user;

    return model->labels.list[number].text;
}

/* Adds nodes for the number of the class as int64, like clv_decide, and for its label. */
static Status put_label(Onnx *onnx)
{
    const Model *model = onnx->model;
    uint32_t count = model->labels.count;
    int64_t *numbers;
    char name[24];
    OnnxNode node;

    if (outputs_of(count) > 1) {
        node = clv_onnx_begin(onnx, "ArgMax", NULL);
        clv_onnx_input(&node, "scores");
        clv_onnx_attribute_int(&node, "axis", 1);
        clv_onnx_attribute_int(&node, "keepdims", 0);
        clv_onnx_end(onnx, &node, NULL);
    } else {
        clv_onnx_node(onnx, "Greater", "scores", clv_onnx_doubles(onnx, &(double){0}, 1, 0, name),
                      NULL);
        clv_onnx_cast(onnx, ONNX_INT64);
        clv_onnx_node(onnx, "Reshape", onnx->current, clv_onnx_ints(onnx, &(int64_t){-1}, 1, name),
                      NULL);
    }
    TRY(ALLOC(model->context, numbers, (size_t)count + 1, "classes", onnx->text->error));
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = count == 2 ? i == model->positive : i;
    node = clv_onnx_begin(onnx, "LabelEncoder", "ai.onnx.ml");
    clv_onnx_input(&node, onnx->current);
    clv_onnx_attribute_ints(&node, "keys_int64s", numbers, count);
    clv_onnx_attribute_texts(&node, "values_strings", label_at, model, count);
    clv_onnx_attribute_text(&node, "default_string", label_at(model, 0));
    clv_onnx_end(onnx, &node, "label");
    clv_free(model->context, numbers);
    return OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* If columns is 0, the tensor has one dimension. */
static void put_value(Onnx *onnx, uint32_t field, const char *name, int64_t type, size_t columns)
{
    ModelText value = clv_pb_begin(&onnx->graph), kind = clv_pb_begin(&onnx->graph),
              tensor = clv_pb_begin(&onnx->graph), shape = clv_pb_begin(&onnx->graph);

    for (int i = 0; i < (columns ? 2 : 1); i++) {
        ModelText dimension = clv_pb_begin(&shape);

        if (i == 0)
            clv_pb_string(&dimension, DIMENSION_NAME, "N");
        else
            clv_pb_integer(&dimension, DIMENSION_VALUE, (int64_t)columns);
        clv_pb_end(&shape, SHAPE_DIMENSION, &dimension);
    }
    clv_pb_integer(&tensor, TENSOR_ELEMENT, type);
    clv_pb_end(&tensor, TENSOR_SHAPE, &shape);
    clv_pb_end(&kind, TYPE_TENSOR_TYPE, &tensor);
    clv_pb_string(&value, VALUE_NAME, name);
    clv_pb_end(&value, VALUE_TYPE, &kind);
    clv_pb_end(&onnx->graph, field, &value);
}

static void put_operators(ModelText *text, const char *domain, int64_t version)
{
    ModelText operators = clv_pb_begin(text);

    clv_pb_string(&operators, OPERATORS_DOMAIN, domain);
    clv_pb_integer(&operators, OPERATORS_VERSION, version);
    clv_pb_end(text, MODEL_OPERATORS, &operators);
}

static void write_onnx(const Model *model, const ExportOptions *options, ModelText *text)
{
    Onnx onnx = {.model = model, .text = text, .graph = clv_pb_begin(text)};
    bool classes = model->task != CLEAVE_TASK_REGRESSION, probabilities = false;
    uint32_t columns;

    (void)options;
    if ((clv_model_kind(model) != MODEL_LINEAR && !clv_has_trees(model)) ||
        (classes && model->labels.count == 0)) {
        clv_cannot_export(text, model, "onnx",
                          "train a linear method, a tree, a forest or boosted trees",
                          "it has no weights and no trees");
        return;
    }
    columns = clv_onnx_pipeline(&onnx);
    if (clv_has_trees(model))
        clv_onnx_trees(&onnx);
    else
        clv_onnx_linear(&onnx);
    if (classes) {
        clv_model_text_fail(text, put_label(&onnx));
        probabilities = clv_onnx_probabilities(&onnx);
    }
    clv_pb_string(&onnx.graph, GRAPH_NAME, model->method->name);
    put_value(&onnx, GRAPH_INPUT, "X", ONNX_FLOAT, columns);
    if (classes)
        put_value(&onnx, GRAPH_OUTPUT, "label", ONNX_STRING, 0);
    put_value(&onnx, GRAPH_OUTPUT, "scores", ONNX_DOUBLE, outputs_of(model->labels.count));
    if (probabilities)
        put_value(&onnx, GRAPH_OUTPUT, "probabilities", ONNX_DOUBLE, model->labels.count);
    clv_pb_integer(text, MODEL_IR, ONNX_IR_VERSION);
    clv_pb_string(text, MODEL_PRODUCER, "cleave");
    clv_pb_string(text, MODEL_PRODUCER_VERSION, cleave_version());
    put_operators(text, "", ONNX_OPERATORS);
    put_operators(text, "ai.onnx.ml", ONNX_ML_OPERATORS);
    clv_pb_end(text, MODEL_GRAPH, &onnx.graph);
}

const ModelFormat clv_model_format_onnx = {
    .name = "onnx",
    .suffix = ".onnx",
    .brief = "ONNX graph",
    .write = write_onnx,
};
