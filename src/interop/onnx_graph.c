/* Writes the parts of ONNX graphs. The field numbers are those of onnx.proto. */
#include "interop/onnx_model.h"

#include <stdio.h>

enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OPERATOR = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INT = 3, ATTRIBUTE_TEXT = 4, ATTRIBUTE_TENSOR = 5 };
enum { ATTRIBUTE_INTS = 8, ATTRIBUTE_TEXTS = 9, ATTRIBUTE_TYPE = 20 };
enum { TYPE_INT = 2, TYPE_TEXT = 3, TYPE_TENSOR = 4, TYPE_INTS = 7, TYPE_TEXTS = 8 };
enum { TENSOR_DIMENSION = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_BYTES = 9 };

static void new_name(Onnx *onnx, char name[24])
{
    snprintf(name, 24, "t%u", onnx->names++);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

OnnxNode clv_onnx_begin(Onnx *onnx, const char *operator, const char * domain)
{
    OnnxNode node = {.message = clv_pb_begin(&onnx->graph)};

    clv_pb_string(&node.message, NODE_OPERATOR, operator);
    if (domain)
        clv_pb_string(&node.message, NODE_DOMAIN, domain);
    return node;
}

void clv_onnx_input(OnnxNode *node, const char *name)
{
    clv_pb_string(&node->message, NODE_INPUT, name);
}

void clv_onnx_end(Onnx *onnx, OnnxNode *node, const char *output)
{
    if (output)
        snprintf(node->output, sizeof node->output, "%s", output);
    else
        new_name(onnx, node->output);
    clv_pb_string(&node->message, NODE_OUTPUT, node->output);
    clv_pb_end(&onnx->graph, GRAPH_NODE, &node->message);
    memcpy(onnx->current, node->output, sizeof onnx->current);
}

void clv_onnx_node(Onnx *onnx, const char *operator, const char * first, const char *second,
                   const char *output)
{
    OnnxNode node = clv_onnx_begin(onnx, operator, NULL);

    clv_onnx_input(&node, first);
    if (second)
        clv_onnx_input(&node, second);
    clv_onnx_end(onnx, &node, output);
}

void clv_onnx_cast(Onnx *onnx, int64_t type)
{
    OnnxNode node = clv_onnx_begin(onnx, "Cast", NULL);

    clv_onnx_input(&node, onnx->current);
    clv_onnx_attribute_int(&node, "to", type);
    clv_onnx_end(onnx, &node, NULL);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static ModelText begin_attribute(OnnxNode *node, const char *name, int64_t type)
{
    ModelText attribute = clv_pb_begin(&node->message);

    clv_pb_string(&attribute, ATTRIBUTE_NAME, name);
    clv_pb_integer(&attribute, ATTRIBUTE_TYPE, type);
    return attribute;
}

void clv_onnx_attribute_int(OnnxNode *node, const char *name, int64_t value)
{
    ModelText attribute = begin_attribute(node, name, TYPE_INT);

    clv_pb_integer(&attribute, ATTRIBUTE_INT, value);
    clv_pb_end(&node->message, NODE_ATTRIBUTE, &attribute);
}

void clv_onnx_attribute_text(OnnxNode *node, const char *name, const char *value)
{
    ModelText attribute = begin_attribute(node, name, TYPE_TEXT);

    clv_pb_string(&attribute, ATTRIBUTE_TEXT, value);
    clv_pb_end(&node->message, NODE_ATTRIBUTE, &attribute);
}

void clv_onnx_attribute_ints(OnnxNode *node, const char *name, const int64_t *values, size_t count)
{
    ModelText attribute = begin_attribute(node, name, TYPE_INTS);

    for (size_t i = 0; i < count && attribute.status == OK; i++)
        clv_pb_integer(&attribute, ATTRIBUTE_INTS, values[i]);
    clv_pb_end(&node->message, NODE_ATTRIBUTE, &attribute);
}

void clv_onnx_attribute_texts(OnnxNode *node, const char *name,
                              const char *(*get)(const void *user, size_t number), const void *user,
                              size_t count)
{
    ModelText attribute = begin_attribute(node, name, TYPE_TEXTS);

    for (size_t i = 0; i < count && attribute.status == OK; i++)
        clv_pb_string(&attribute, ATTRIBUTE_TEXTS, get(user, i));
    clv_pb_end(&node->message, NODE_ATTRIBUTE, &attribute);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Numbers are little-endian, as on all supported machines. */
static void put_tensor(ModelText *parent, uint32_t field, const char *name, int64_t type,
                       const void *values, size_t size, size_t rows, size_t columns)
{
    ModelText tensor = clv_pb_begin(parent);

    clv_pb_integer(&tensor, TENSOR_DIMENSION, (int64_t)rows);
    if (columns)
        clv_pb_integer(&tensor, TENSOR_DIMENSION, (int64_t)columns);
    clv_pb_integer(&tensor, TENSOR_TYPE, type);
    clv_pb_string(&tensor, TENSOR_NAME, name);
    clv_pb_bytes(&tensor, TENSOR_BYTES, values, rows * (columns ? columns : 1) * size);
    clv_pb_end(parent, field, &tensor);
}

void clv_onnx_attribute_doubles(OnnxNode *node, const char *name, const double *values,
                                size_t count)
{
    ModelText attribute = begin_attribute(node, name, TYPE_TENSOR);

    put_tensor(&attribute, ATTRIBUTE_TENSOR, name, ONNX_DOUBLE, values, sizeof *values, count, 0);
    clv_pb_end(&node->message, NODE_ATTRIBUTE, &attribute);
}

const char *clv_onnx_doubles(Onnx *onnx, const double *values, size_t rows, size_t columns,
                             char name[24])
{
    new_name(onnx, name);
    put_tensor(&onnx->graph, GRAPH_INITIALIZER, name, ONNX_DOUBLE, values, sizeof *values, rows,
               columns);
    return name;
}

const char *clv_onnx_ints(Onnx *onnx, const int64_t *values, size_t count, char name[24])
{
    new_name(onnx, name);
    put_tensor(&onnx->graph, GRAPH_INITIALIZER, name, ONNX_INT64, values, sizeof *values, count, 0);
    return name;
}
