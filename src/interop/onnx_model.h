/*
 * Models as ONNX graphs (operator set 17 and ai.onnx.ml 3). The input "X" has rows of float32. The
 * outputs are "scores" and, for classification, "label" and "probabilities". Intermediate values
 * are doubles, so that scores differ from those of cleave by at most the rounding to a float.
 */
#ifndef INTEROP_ONNX_MODEL_H
#define INTEROP_ONNX_MODEL_H

#include "interop/model_formats.h"
#include "interop/protobuf.h"
#include "model/method.h"

typedef struct {
    const Model *model;
    ModelText *text; /* text of the file, which stores failures */
    ModelText graph;
    unsigned names;   /* number of tensors created so far */
    char current[24]; /* input of the next node */
} Onnx;

/* Data types of tensors. */
enum { ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_STRING = 8, ONNX_DOUBLE = 11 };

/* A node with one output, which becomes `current` unless a name is given. Attributes are added to
 * the message between begin and end. */
typedef struct {
    ModelText message;
    char output[24];
} OnnxNode;
OnnxNode clv_onnx_begin(Onnx *onnx, const char *operator, const char * domain);
void clv_onnx_end(Onnx *onnx, OnnxNode *node, const char *output);
/* Adds a node without attributes that has one input, or two if `second` is not NULL. */
void clv_onnx_node(Onnx *onnx, const char *operator, const char * first, const char *second,
                   const char *output);
void clv_onnx_cast(Onnx *onnx, int64_t type);
void clv_onnx_input(OnnxNode *node, const char *name);

void clv_onnx_attribute_int(OnnxNode *node, const char *name, int64_t value);
void clv_onnx_attribute_text(OnnxNode *node, const char *name, const char *value);
void clv_onnx_attribute_ints(OnnxNode *node, const char *name, const int64_t *values, size_t count);
void clv_onnx_attribute_texts(OnnxNode *node, const char *name,
                              const char *(*get)(const void *user, size_t number), const void *user,
                              size_t count);
void clv_onnx_attribute_doubles(OnnxNode *node, const char *name, const double *values,
                                size_t count);
/* Adds a constant tensor, of one dimension if columns is 0. Returns its name in `name`. */
const char *clv_onnx_doubles(Onnx *onnx, const double *values, size_t rows, size_t columns,
                             char name[24]);
const char *clv_onnx_ints(Onnx *onnx, const int64_t *values, size_t count, char name[24]);

/* Adds the nodes that compute the features of the method from "X", as doubles. Returns the number
 * of columns of "X". */
uint32_t clv_onnx_pipeline(Onnx *onnx);
/* Add the nodes that compute scores from the features. */
void clv_onnx_linear(Onnx *onnx);
void clv_onnx_trees(Onnx *onnx);
/* Adds the nodes that compute "probabilities" from scores. Returns false if the model has none. */
bool clv_onnx_probabilities(Onnx *onnx);

#endif
