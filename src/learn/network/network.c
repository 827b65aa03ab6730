#include "learn/network/network.h"

#include <stdlib.h>

enum {
    SHAPE_NUMBERS_BEFORE = 3, /* format without the scaling: activation, loss, layers */
    CHUNK_ROWS = 64,          /* rows that are predicted together */
};

/* ---- the shape ------------------------------------------------------------------------------- */

size_t clv_shape_start(const NetworkShape *shape, uint32_t layer)
{
    size_t count = 0;

    for (uint32_t i = 0; i < layer; i++)
        count += ((size_t)shape->width[i] + 1) * shape->width[i + 1];
    return count;
}

size_t clv_shape_weights(const NetworkShape *shape)
{
    return clv_shape_start(shape, shape->layers);
}

uint32_t clv_shape_widest(const NetworkShape *shape)
{
    uint32_t widest = 0;

    for (uint32_t i = 1; i <= shape->layers; i++)
        widest = shape->width[i] > widest ? shape->width[i] : widest;
    return widest;
}

/* ---- scores ---------------------------------------------------------------------------------- */

void clv_network_layer(const Network *network, const LayerLoops *loops, uint32_t layer,
                       const Minibatch *rows, const float *in, uint32_t first, uint32_t end,
                       float *out)
{
    const NetworkShape *shape = &network->shape;
    size_t inputs = shape->width[layer], units = shape->width[layer + 1];
    const float *weights = network->weights + clv_shape_start(shape, layer);
    const float *bias = network->weights + shape_bias(shape, layer);
    bool lists = layer == 0 && !rows->dense;

    for (uint32_t row = first; row < end; row++)
        memcpy(out + row * units, bias, units * sizeof *out);
    for (uint32_t row = first; lists && row < end; row++) {
        uint32_t start = minibatch_start(rows, row);

        loops->combine(out + row * units, units, weights, rows->column + start, rows->value + start,
                       rows->end[row] - start);
    }
    if (!lists)
        loops->multiply(end - first, units, inputs, (layer ? in : rows->unpacked) + first * inputs,
                        inputs, 1, weights, units, out + first * units, units);
    if (layer + 1 < shape->layers)
        loops->activate(shape->activation, out + first * units, (end - first) * units);
}

/* ---- arrays of a model ----------------------------------------------------------------------- */

static bool shape_of(const Model *model, NetworkShape *shape)
{
    const BundleItem *item = clv_bundle_get(model->bundle, "layers", BUNDLE_U32);
    const uint32_t *numbers = item ? item->data : NULL;
    size_t outputs = outputs_of(model->labels.count);

    if (!item || item->count <= SHAPE_NUMBERS_BEFORE || numbers[0] > ACTIVATION_STEP ||
        numbers[1] > LOSS_SQUARED || numbers[2] < 1 || numbers[2] > MOST_LAYERS ||
        item->count != SHAPE_NUMBERS_BEFORE + 1 + (uint64_t)numbers[2])
        return false;
    *shape = (NetworkShape){
        .activation = (Activation)numbers[0], .loss = (OutputLoss)numbers[1], .layers = numbers[2]};
    memcpy(shape->width, numbers + SHAPE_NUMBERS_BEFORE, (shape->layers + 1) * sizeof *numbers);
    for (uint32_t i = 1; i < shape->layers; i++)
        if (shape->width[i] < 1 || shape->width[i] > MOST_UNITS)
            return false;
    return shape->width[0] == model->features && shape->width[shape->layers] == outputs;
}

bool clv_network_of(const Model *model, Network *network)
{
    const BundleItem *weights = clv_bundle_get(model->bundle, "layer_weights", BUNDLE_F32);
    double scaling[3];

    if (!weights || !shape_of(model, &network->shape) ||
        weights->count != clv_shape_weights(&network->shape) ||
        !clv_bundle_copy(model->bundle, "layer_scaling", BUNDLE_F64, scaling, 3))
        return false;
    network->weights = weights->data;
    network->scale = scaling[0];
    network->mean = scaling[1];
    network->spread = scaling[2];
    return true;
}

bool clv_network_check(const Model *model)
{
    Network network;

    return clv_network_of(model, &network) &&
           clv_bundle_finite(clv_bundle_get(model->bundle, "layer_weights", BUNDLE_F32)) &&
           network.scale > 0 && isfinite((float)network.scale) && isfinite(network.mean) &&
           network.spread > 0 && isfinite(network.spread);
}

Status clv_network_put(const Network *network, Model *model, cleave_error *error)
{
    const NetworkShape *shape = &network->shape;
    const double scaling[] = {network->scale, network->mean, network->spread};
    uint32_t numbers[SHAPE_NUMBERS_BEFORE + MOST_LAYERS + 1] = {
        (uint32_t)shape->activation, (uint32_t)shape->loss, shape->layers};

    memcpy(numbers + SHAPE_NUMBERS_BEFORE, shape->width,
           (shape->layers + 1) * sizeof *shape->width);
    TRY(clv_bundle_put(model->bundle, "layers", BUNDLE_U32, numbers,
                       SHAPE_NUMBERS_BEFORE + 1 + shape->layers, error));
    TRY(clv_bundle_put(model->bundle, "layer_scaling", BUNDLE_F64, scaling, 3, error));
    return clv_bundle_put(model->bundle, "layer_weights", BUNDLE_F32, network->weights,
                          clv_shape_weights(shape), error);
}

/* ---- predictions ----------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    Network network;
    const LayerLoops *loops;
    Minibatch rows;
    float *out[2]; /* outputs of two layers in turn */
} Session;

static void close_session(void *given)
{
    Session *session = given;

    if (!session)
        return;
    clv_minibatch_free(&session->rows);
    FREE(session->context, session->out[0], session->out[1], session);
}

static Status open_session(const Model *model, void **given, cleave_error *error)
{
    Context *context = model->context;
    Session *session;
    Status status;
    size_t most;

    *given = NULL;
    TRY(ALLOC_ZERO(context, session, 1, "a network", error));
    session->context = context;
    session->loops = clv_layer_loops();
    session->rows = (Minibatch){.context = context, .features = model->features};
    status = clv_network_of(model, &session->network)
                 ? OK
                 : clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no network");
    session->rows.scale = (float)session->network.scale;
    most = (size_t)CHUNK_ROWS * clv_shape_widest(&session->network.shape);
    for (int i = 0; i < 2; i++)
        THEN(status, ALLOC(context, session->out[i], most, "the outputs of a layer", error));
    if (status != OK) {
        close_session(session);
        return status;
    }
    *given = session;
    return OK;
}

/* A score beyond the range of a float is replaced by the largest float. */
static double bounded(float score)
{
    return isnan(score) ? 0 : fmax(-(double)FLT_MAX, fmin((double)score, (double)FLT_MAX));
}

static Status predict_rows(void *given, const Block *block, double *scores, cleave_error *error)
{
    Session *session = given;
    const Network *network = &session->network;
    const NetworkShape *shape = &network->shape;
    size_t outputs = shape->width[shape->layers];

    for (uint32_t row = 0; row < block->rows; row += session->rows.count) {
        const float *last = NULL;

        session->rows.count = 0;
        while (session->rows.count < CHUNK_ROWS && row + session->rows.count < block->rows)
            TRY(clv_minibatch_add(&session->rows, block, row + session->rows.count, error));
        TRY(clv_minibatch_close(&session->rows, error));
        clv_minibatch_unpack(&session->rows, 0, session->rows.count);
        for (uint32_t layer = 0; layer < shape->layers; layer++) {
            clv_network_layer(network, session->loops, layer, &session->rows, last, 0,
                              session->rows.count, session->out[layer % 2]);
            last = session->out[layer % 2];
        }
        for (size_t i = 0; i < session->rows.count * outputs; i++)
            scores[row * outputs + i] = network->mean + network->spread * bounded(last[i]);
    }
    return OK;
}

Status clv_network_predict(const Model *model, const Block *block, double *scores,
                           cleave_error *error)
{
    void *session;
    Status status;

    TRY(open_session(model, &session, error));
    status = predict_rows(session, block, scores, error);
    close_session(session);
    return status;
}

const PredictSession clv_network_session = {
    .open = open_session, .predict = predict_rows, .close = close_session};

/* ---- units ----------------------------------------------------------------------------------- */

/* Computes outputs[k], the sum over all paths from a unit of the first layer to output k. at:
 * scratch space for two layers. */
static void follow(const Network *network, size_t unit, double *at, double *outputs)
{
    const NetworkShape *shape = &network->shape;
    size_t widest = clv_shape_widest(shape), known = shape->width[1];
    double *now = at, *then = at + widest;

    for (size_t i = 0; i < known; i++)
        now[i] = i == unit ? network->spread : 0;
    for (uint32_t layer = 1; layer < shape->layers; layer++) {
        const float *w = network->weights + clv_shape_start(shape, layer);
        size_t units = shape->width[layer + 1];
        double *other = now;

        memset(then, 0, units * sizeof *then);
        for (size_t i = 0; i < known; i++)
            for (size_t j = 0; j < units && now[i] != 0; j++)
                then[j] += now[i] * (double)w[i * units + j];
        now = then;
        then = other;
        known = units;
    }
    memcpy(outputs, now, known * sizeof *outputs);
}

bool clv_network_unit(const Model *model, size_t unit, double *weights, double *outputs,
                      double *intercept)
{
    Network network;
    const NetworkShape *shape = &network.shape;
    size_t units;

    if (!clv_network_of(model, &network) || unit >= shape->width[1])
        return false;
    units = shape->width[1];
    for (size_t i = 0; weights && i < shape->width[0]; i++)
        weights[i] = network.scale * (double)network.weights[i * units + unit];
    if (intercept)
        *intercept = (double)network.weights[shape_bias(shape, 0) + unit];
    if (outputs) {
        double *at = clv_alloc(model->context, 2 * (size_t)clv_shape_widest(shape), sizeof *at);

        if (!at)
            return false;
        follow(&network, unit, at, outputs);
        clv_free(model->context, at);
    }
    return true;
}
