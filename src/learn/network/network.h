/*
 * Fully connected networks: the shape, the arrays of a model, and the scores of rows.
 *
 *     h_0 = scale x       h_l = activation(h_(l-1) W_l + b_l)       score = mean + spread (h W + b)
 *
 * scale is one number for all features. mean and spread are those of the targets of a regression,
 * otherwise 0 and 1. The weights of a layer are stored by input: W[input * units + unit], followed
 * by the biases of its units; layers follow one another.
 */
#ifndef LEARN_NETWORK_NETWORK_H
#define LEARN_NETWORK_NETWORK_H

#include "learn/network/layer_loops.h"
#include "learn/network/minibatch.h"
#include "model/method.h"

enum {
    MOST_LAYERS = 17,   /* maximum number of hidden layers, plus the output layer */
    MOST_UNITS = 65536, /* maximum number of units of a hidden layer */
};

typedef enum { LOSS_SOFTMAX, LOSS_LOGISTIC, LOSS_SQUARED } OutputLoss;

typedef struct {
    Activation activation;
    OutputLoss loss;
    uint32_t layers;                 /* number of layers of weights */
    uint32_t width[MOST_LAYERS + 1]; /* features, then the units of each layer */
} NetworkShape;

typedef struct {
    NetworkShape shape;
    const float *weights;
    double scale, mean, spread;
} Network;

/* The number of weights and biases of all layers; clv_shape_start: of the layers before one. */
size_t clv_shape_weights(const NetworkShape *shape);
size_t clv_shape_start(const NetworkShape *shape, uint32_t layer);
/* The biases of a layer, after its weights. */
static inline size_t shape_bias(const NetworkShape *shape, uint32_t layer)
{
    return clv_shape_start(shape, layer) + (size_t)shape->width[layer] * shape->width[layer + 1];
}
/* The largest number of units of a layer. */
uint32_t clv_shape_widest(const NetworkShape *shape);

/* Computes layer by layer for the rows from first to end: out[l] has the outputs of layer l for all
 * rows, one row after the other. The last layer has no activation. */
void clv_network_layer(const Network *network, const LayerLoops *loops, uint32_t layer,
                       const Minibatch *rows, const float *in, uint32_t first, uint32_t end,
                       float *out);

/* Reads the arrays of a model. Returns false if they are missing or do not match. */
bool clv_network_of(const Model *model, Network *network);
bool clv_network_check(const Model *model);
Status clv_network_put(const Network *network, Model *model, cleave_error *error);

Status clv_network_predict(const Model *model, const Block *block, double *scores,
                           cleave_error *error);
extern const PredictSession clv_network_session;

/* Implements MethodInspection.unit. */
bool clv_network_unit(const Model *model, size_t unit, double *weights, double *outputs,
                      double *intercept);

#endif
