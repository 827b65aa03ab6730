#include "learn/network/backprop.h"

#include "base/machine.h"
#include "base/pool.h"

enum {
    PART_ROWS = 16,          /* rows of a task */
    PART_INPUTS = 32,        /* rows of a weight matrix of a task */
    SERIAL_WORK = 1 << 18,   /* below this number of multiply-adds, a step does not use threads */
    DROPOUT_STREAM = 0x6d6c, /* random numbers */
    WEIGHT_STREAM = 0x776c,
};

#define BETA1 0.9
#define BETA2 0.999
#define EPSILON 1e-8

/* ---- memory ---------------------------------------------------------------------------------- */

/* Draws weights uniformly between -+ sqrt(6 / (inputs + units)) (Glorot and Bengio 2010). All
 * features count as inputs, so that the weights of rare features stay small. */
static void initialize(Backprop *backprop)
{
    const NetworkShape *shape = &backprop->network.shape;

    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        Random random = clv_random(backprop->seed, WEIGHT_STREAM + ((uint64_t)layer << 16));
        size_t units = shape->width[layer + 1], count = shape->width[layer] * units;
        float *w = backprop->weights + clv_shape_start(shape, layer);
        double inputs = shape->width[layer];
        double bound = sqrt(6 / (inputs + (double)units));

        for (size_t i = 0; i < count; i++) {
            w[i] = (float)(bound * (2 * clv_random_unit(&random) - 1));
            if (i % (1 << 20) == 0)
                clv_tick(backprop->fit->context);
        }
    }
}

static void make_minibatch(Backprop *backprop)
{
    const NetworkShape *shape = &backprop->network.shape;
    Arena *memory = &backprop->memory;
    size_t batch = backprop->batch, parts = (batch + PART_ROWS - 1) / PART_ROWS;

    backprop->label = clv_arena_alloc(memory, batch, sizeof *backprop->label);
    backprop->target = clv_arena_alloc(memory, batch, sizeof *backprop->target);
    backprop->weight = clv_arena_alloc(memory, batch, sizeof *backprop->weight);
    backprop->part_loss = clv_arena_alloc(memory, parts, sizeof *backprop->part_loss);
    backprop->part_errors = clv_arena_alloc(memory, parts, sizeof *backprop->part_errors);
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        size_t units = shape->width[layer + 1];
        bool hidden = layer + 1 < shape->layers;

        backprop->out[layer] = clv_arena_alloc(memory, batch * units, sizeof(float));
        backprop->delta[layer] = clv_arena_alloc(memory, batch * units, sizeof(float));
        backprop->kept[layer] = hidden && backprop->options.dropout > 0
                                    ? clv_arena_alloc(memory, batch * units, sizeof(float))
                                    : backprop->out[layer];
        if (layer > 0)
            backprop->transposed[layer] = clv_arena_alloc(memory, shape->width[layer] * units,
                                                          sizeof(float));
    }
    backprop->workers = clv_pool_workers(backprop->fit->context, UINT32_MAX);
    backprop->gradient_size = (size_t)PART_INPUTS * clv_shape_widest(shape);
    backprop->gradient = clv_arena_alloc(memory, backprop->workers * backprop->gradient_size,
                                         sizeof(float));
    backprop->place = clv_arena_zero(memory, (size_t)shape->width[0] + 1, sizeof(uint32_t));
    if (backprop->options.l2 > 0)
        backprop->shrank = clv_arena_zero(memory, (size_t)shape->width[0] + 1, sizeof(double));
}

Status clv_backprop_init(Backprop *backprop, Fit *fit)
{
    const NetworkShape *shape = &backprop->network.shape;
    size_t weights = clv_shape_weights(shape);
    Arena *memory = &backprop->memory;

    backprop->fit = fit;
    backprop->loops = clv_layer_loops();
    backprop->rate_factor = 1;
    *memory = (Arena){.context = fit->context, .error = fit->error, .what = "the network"};
    backprop->rows = (Minibatch){.context = fit->context,
                                 .features = shape->width[0],
                                 .scale = (float)backprop->network.scale};
    if (clv_affordable((backprop->options.adam ? 3.0 : 2.0) * sizeof(float) * (double)weights,
                       fit->error, "the weights of a network of %u features and %u units",
                       shape->width[0], clv_shape_widest(shape)) != OK)
        return clv_hint(fit->error, CLEAVE_ERROR_MEMORY,
                        "lower --hidden, or add --transform auto,select:top=10000");
    backprop->weights = clv_arena_zero(memory, weights, sizeof(float));
    backprop->m = clv_arena_zero(memory, weights, sizeof(float));
    if (backprop->options.adam)
        backprop->v = clv_arena_zero(memory, weights, sizeof(float));
    make_minibatch(backprop);
    TRY(memory->status);
    backprop->network.weights = backprop->weights;
    initialize(backprop);
    return OK;
}

void clv_backprop_free(Backprop *backprop)
{
    Context *context = backprop->memory.context;

    if (!context)
        return;
    clv_minibatch_free(&backprop->rows);
    FREE(context, backprop->touched, backprop->start, backprop->row_of, backprop->value_of);
    clv_arena_free(&backprop->memory);
}

/* ---- entries by column ----------------------------------------------------------------------- */

static void count_columns(Backprop *backprop, uint32_t count)
{
    const uint32_t *column = backprop->rows.column;
    uint32_t touched = 0, end = 0;

    for (uint32_t i = 0; i < count; i++)
        if (backprop->place[column[i]]++ == 0)
            backprop->touched[touched++] = column[i];
    for (uint32_t i = 0; i < touched; i++) {
        uint32_t *place = &backprop->place[backprop->touched[i]], entries = *place;

        backprop->start[i] = *place = end;
        end += entries;
    }
    backprop->start[touched] = end;
    backprop->touched_count = touched;
}

static Status list_columns(Backprop *backprop)
{
    const Minibatch *rows = &backprop->rows;
    cleave_error *error = backprop->fit->error;
    Context *context = backprop->fit->context;
    uint32_t count = minibatch_start(rows, rows->count);
    size_t need = (size_t)count + 1;

    TRY(GROW(context, backprop->touched, backprop->touched_capacity, need, error));
    TRY(GROW(context, backprop->start, backprop->start_capacity, need, error));
    TRY(GROW(context, backprop->row_of, backprop->row_of_capacity, need, error));
    TRY(GROW(context, backprop->value_of, backprop->value_of_capacity, need, error));
    count_columns(backprop, count);
    for (uint32_t row = 0, i = 0; row < rows->count; row++)
        for (; i < rows->end[row]; i++) {
            uint32_t at = backprop->place[rows->column[i]]++;

            backprop->row_of[at] = row;
            backprop->value_of[at] = rows->value[i];
        }
    return OK;
}

static void forget_columns(Backprop *backprop)
{
    for (uint32_t i = 0; i < backprop->touched_count; i++)
        backprop->place[backprop->touched[i]] = 0;
}

/* ---- the L2 penalty -------------------------------------------------------------------------- */

static void shrink(float *w, size_t count, double log_factor)
{
    float factor = (float)exp(log_factor);

    for (size_t i = 0; i < count && log_factor != 0; i++)
        w[i] *= factor;
}

/* Shrinks the weights of a feature by the factors of all steps since the last time. */
static void shrink_feature(Backprop *backprop, uint32_t column)
{
    size_t units = backprop->network.shape.width[1];

    shrink(backprop->weights + column * units, units, backprop->shrunk - backprop->shrank[column]);
    backprop->shrank[column] = backprop->shrunk;
}

/* ---- the rows of a minibatch ----------------------------------------------------------------- */

/* Inverted dropout: outputs are kept with the probability 1 - p and divided by it. Four outputs
 * share a random number. */
static void drop(const Backprop *backprop, uint32_t layer, uint32_t row)
{
    size_t units = backprop->network.shape.width[layer + 1];
    const float *from = backprop->out[layer] + row * units;
    float *to = backprop->kept[layer] + row * units;
    Random random = clv_random(backprop->seed + (uint64_t)backprop->steps,
                               DROPOUT_STREAM + ((uint64_t)layer << 16));
    uint32_t least = (uint32_t)lround(backprop->options.dropout * 65536);
    float scale = (float)(65536.0 / (65536.0 - least));
    uint64_t bits = 0;

    random.counter = row * ((units + 3) / 4);
    for (size_t i = 0; i < units; i++, bits >>= 16) {
        if (i % 4 == 0)
            bits = clv_random_next(&random);
        to[i] = (bits & 0xffff) >= least ? from[i] * scale : 0;
    }
}

/* Sets the delta of dropped outputs to 0, and scales the others. */
static void undrop(const Backprop *backprop, uint32_t layer, uint32_t row, float *delta)
{
    size_t units = backprop->network.shape.width[layer + 1];
    const float *out = backprop->out[layer] + row * units,
                *kept = backprop->kept[layer] + row * units;
    uint32_t least = (uint32_t)lround(backprop->options.dropout * 65536);
    float scale = (float)(65536.0 / (65536.0 - least));

    for (size_t i = 0; i < units; i++)
        delta[i] = kept[i] != 0 || out[i] == 0 ? delta[i] * scale : 0;
}

static double log1pexp(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* Returns the target -1 or 1 as 0 or 1. */
static double wanted(const Backprop *backprop, uint32_t label, size_t output)
{
    return fit_sign(backprop->fit, label, output) > 0;
}

/* Computes the softmax of the outputs: the loss, and delta = p - wanted. */
static double softmax_row(const float *z, size_t outputs, uint32_t label, float *delta)
{
    double highest = (double)z[0], sum = 0;

    for (size_t i = 1; i < outputs; i++)
        highest = fmax(highest, (double)z[i]);
    for (size_t i = 0; i < outputs; i++)
        sum += delta[i] = (float)exp((double)z[i] - highest);
    for (size_t i = 0; i < outputs; i++)
        delta[i] = (float)((double)delta[i] / sum - (i == label));
    return log(sum) + highest - (double)z[label];
}

static double loss_of_row(const Backprop *backprop, uint32_t row, const float *z, float *delta)
{
    const NetworkShape *shape = &backprop->network.shape;
    size_t outputs = shape->width[shape->layers];
    uint32_t label = backprop->label[row];
    double loss = 0;

    if (shape->loss == LOSS_SOFTMAX && outputs > 1)
        return softmax_row(z, outputs, label, delta);
    for (size_t i = 0; i < outputs; i++) {
        double x = (double)z[i], off;

        if (shape->loss != LOSS_SQUARED) {
            double y = wanted(backprop, label, i);

            loss += log1pexp(x) - y * x;
            delta[i] = (float)(1 / (1 + exp(-x)) - y);
            continue;
        }
        off = x - (backprop->fit->task == CLEAVE_TASK_REGRESSION
                       ? backprop->target[row]
                       : 2 * wanted(backprop, label, i) - 1);
        loss += off * off / 2;
        delta[i] = (float)off;
    }
    return loss;
}

static bool is_error(const Backprop *backprop, uint32_t row, const float *z)
{
    const Fit *fit = backprop->fit;
    uint32_t label = backprop->label[row], best = 0;

    if (fit->task == CLEAVE_TASK_REGRESSION)
        return false;
    if (fit->outputs == 1)
        return (z[0] > 0) != (label == fit->positive);
    for (uint32_t i = 1; i < fit->outputs; i++)
        best = z[i] > z[best] ? i : best;
    return best != label;
}

static void backward(Backprop *backprop, uint32_t first, uint32_t end)
{
    const NetworkShape *shape = &backprop->network.shape;

    for (uint32_t layer = shape->layers - 1; layer > 0; layer--) {
        size_t inputs = shape->width[layer], units = shape->width[layer + 1];
        float *to = backprop->delta[layer - 1] + first * inputs;

        memset(to, 0, (end - first) * inputs * sizeof *to);
        backprop->loops->multiply(end - first, inputs, units,
                                  backprop->delta[layer] + first * units, units, 1,
                                  backprop->transposed[layer], inputs, to, inputs);
        if (backprop->options.dropout > 0)
            for (uint32_t row = first; row < end; row++)
                undrop(backprop, layer - 1, row, backprop->delta[layer - 1] + row * inputs);
        backprop->loops->slope(shape->activation, backprop->out[layer - 1] + first * inputs, to,
                               (end - first) * inputs);
    }
}

static void run_rows(void *user, uint32_t part, unsigned worker)
{
    Backprop *backprop = user;
    const NetworkShape *shape = &backprop->network.shape;
    uint32_t last = shape->layers - 1, first = part * PART_ROWS, end = first + PART_ROWS;
    size_t outputs = shape->width[shape->layers];

    (void)worker;
    end = end < backprop->rows.count ? end : backprop->rows.count;
    clv_minibatch_unpack(&backprop->rows, first, end);
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        clv_network_layer(&backprop->network, backprop->loops, layer, &backprop->rows,
                          layer ? backprop->kept[layer - 1] : NULL, first, end,
                          backprop->out[layer]);
        if (backprop->options.dropout > 0 && layer < last)
            for (uint32_t row = first; row < end; row++)
                drop(backprop, layer, row);
    }
    backprop->part_loss[part] = 0;
    backprop->part_errors[part] = 0;
    for (uint32_t row = first; row < end; row++) {
        const float *z = backprop->out[last] + row * outputs;
        float *delta = backprop->delta[last] + row * outputs;
        float share = (float)(backprop->weight[row] / backprop->rows.count);

        backprop->part_loss[part] += backprop->weight[row] * loss_of_row(backprop, row, z, delta);
        backprop->part_errors[part] += is_error(backprop, row, z);
        for (size_t i = 0; i < outputs; i++)
            delta[i] *= share;
    }
    backward(backprop, first, end);
}

/* ---- gradients and steps --------------------------------------------------------------------- */

static void begin_step(Backprop *backprop)
{
    const BackpropOptions *options = &backprop->options;
    double rate = options->learning_rate * backprop->rate_factor, t = backprop->steps + 1;
    double correction = sqrt(1 - pow(BETA2, t));

    backprop->update = (Update){.adam = options->adam,
                                .step = (float)rate,
                                .beta1 = (float)(options->adam ? BETA1 : options->momentum),
                                .beta2 = (float)BETA2,
                                .epsilon = (float)(EPSILON * correction)};
    if (options->adam)
        backprop->update.step = (float)(rate * correction / (1 - pow(BETA1, t)));
}

static void step_weights(const Backprop *backprop, const float *gradient, size_t at, size_t count)
{
    backprop->loops->update(&backprop->update, gradient, backprop->weights + at, backprop->m + at,
                            backprop->v ? backprop->v + at : NULL, count);
}

/* The gradients of the weights of inputs of a layer, from first to end. */
static void inputs_gradient(const Backprop *backprop, uint32_t layer, uint32_t first, uint32_t end,
                            float *gradient)
{
    const NetworkShape *shape = &backprop->network.shape;
    size_t inputs = shape->width[layer], units = shape->width[layer + 1];
    const float *in = layer ? backprop->kept[layer - 1] : backprop->rows.unpacked;

    memset(gradient, 0, (end - first) * units * sizeof *gradient);
    backprop->loops->multiply(end - first, units, backprop->rows.count, in + first, 1, inputs,
                              backprop->delta[layer], units, gradient, units);
}

/* The gradient of the weights of a feature with entries in the minibatch. */
static void feature_gradient(const Backprop *backprop, uint32_t number, float *gradient)
{
    size_t units = backprop->network.shape.width[1];
    uint32_t start = backprop->start[number];

    memset(gradient, 0, units * sizeof *gradient);
    backprop->loops->combine(gradient, units, backprop->delta[0], backprop->row_of + start,
                             backprop->value_of + start, backprop->start[number + 1] - start);
}

static void bias_gradient(const Backprop *backprop, uint32_t layer, float *gradient)
{
    size_t units = backprop->network.shape.width[layer + 1];

    memset(gradient, 0, units * sizeof *gradient);
    for (uint32_t row = 0; row < backprop->rows.count; row++)
        backprop->loops->add(gradient, backprop->delta[layer] + row * units, units);
}

static uint32_t tasks_of(uint32_t items)
{
    return items / PART_INPUTS + (items % PART_INPUTS > 0);
}

/* Updates the weights of the features with entries in the minibatch. */
static void step_features(Backprop *backprop, uint32_t task, float *gradient)
{
    size_t units = backprop->network.shape.width[1];
    uint32_t first = task * PART_INPUTS, end = first + PART_INPUTS;

    if (backprop->rows.dense) {
        uint32_t features = backprop->rows.features;

        end = end < features ? end : features;
        inputs_gradient(backprop, 0, first, end, gradient);
        for (uint32_t column = first; column < end; column++)
            if (backprop->place[column])
                step_weights(backprop, gradient + (column - first) * units, column * units, units);
        return;
    }
    end = end < backprop->touched_count ? end : backprop->touched_count;
    for (uint32_t i = first; i < end; i++) {
        feature_gradient(backprop, i, gradient);
        step_weights(backprop, gradient, backprop->touched[i] * units, units);
    }
}

/* A task: the biases of each layer, then features, then inputs of the other layers. */
static void run_weights(void *user, uint32_t task, unsigned worker)
{
    Backprop *backprop = user;
    const NetworkShape *shape = &backprop->network.shape;
    float *gradient = backprop->gradient + worker * backprop->gradient_size;
    uint32_t features = backprop->rows.dense ? backprop->rows.features : backprop->touched_count;

    if (task < shape->layers) {
        bias_gradient(backprop, task, gradient);
        step_weights(backprop, gradient, shape_bias(shape, task), shape->width[task + 1]);
        return;
    }
    task -= shape->layers;
    if (task < tasks_of(features)) {
        step_features(backprop, task, gradient);
        return;
    }
    task -= tasks_of(features);
    for (uint32_t layer = 1; layer < shape->layers; layer++) {
        uint32_t count = tasks_of(shape->width[layer]), first = task * PART_INPUTS,
                 end = first + PART_INPUTS;
        size_t units = shape->width[layer + 1];

        if (task >= count) {
            task -= count;
            continue;
        }
        end = end < shape->width[layer] ? end : shape->width[layer];
        inputs_gradient(backprop, layer, first, end, gradient);
        step_weights(backprop, gradient, clv_shape_start(shape, layer) + first * units,
                     (end - first) * units);
        return;
    }
}

static uint32_t weight_tasks(const Backprop *backprop)
{
    const NetworkShape *shape = &backprop->network.shape;
    uint32_t tasks = shape->layers + tasks_of(backprop->rows.dense ? backprop->rows.features
                                                                   : backprop->touched_count);

    for (uint32_t layer = 1; layer < shape->layers; layer++)
        tasks += tasks_of(shape->width[layer]);
    return tasks;
}

static void transpose(Backprop *backprop)
{
    const NetworkShape *shape = &backprop->network.shape;

    for (uint32_t layer = 1; layer < shape->layers; layer++) {
        size_t inputs = shape->width[layer], units = shape->width[layer + 1];
        const float *w = backprop->weights + clv_shape_start(shape, layer);

        for (size_t i = 0; i < inputs; i++)
            for (size_t j = 0; j < units; j++)
                backprop->transposed[layer][j * inputs + i] = w[i * units + j];
    }
}

/* Whether a step is large enough to use threads. */
static bool is_large(const Backprop *backprop)
{
    const Minibatch *rows = &backprop->rows;
    const NetworkShape *shape = &backprop->network.shape;
    double work = (double)(rows->dense ? (size_t)rows->count * rows->features
                                       : minibatch_start(rows, rows->count)) *
                  shape->width[1];

    for (uint32_t layer = 1; layer < shape->layers; layer++)
        work += (double)rows->count * shape->width[layer] * shape->width[layer + 1];
    return work >= SERIAL_WORK;
}

/* Runs the forward and the backward pass over the rows. */
static Status run(Backprop *backprop)
{
    uint32_t parts = (backprop->rows.count + PART_ROWS - 1) / PART_ROWS;

    TRY(clv_minibatch_close(&backprop->rows, backprop->fit->error));
    TRY(list_columns(backprop));
    for (uint32_t i = 0; backprop->shrank && i < backprop->touched_count; i++)
        shrink_feature(backprop, backprop->touched[i]);
    transpose(backprop);
    clv_pool_run_if(is_large(backprop), backprop->fit->context, parts, run_rows, backprop);
    for (uint32_t i = 0; i < parts; i++) {
        backprop->loss += backprop->part_loss[i];
        backprop->errors += backprop->part_errors[i];
    }
    return OK;
}

static void step_penalty(Backprop *backprop)
{
    const NetworkShape *shape = &backprop->network.shape;
    double factor = log1p(
        -fmin(0.5, backprop->options.learning_rate * backprop->rate_factor * backprop->options.l2));

    backprop->shrunk += factor;
    for (uint32_t layer = 1; layer < shape->layers; layer++)
        shrink(backprop->weights + clv_shape_start(shape, layer),
               (size_t)shape->width[layer] * shape->width[layer + 1], factor);
}

static Status fail_diverged(const Backprop *backprop, const char *what)
{
    return clv_fail_hint(backprop->fit->error, CLEAVE_ERROR_DATA,
                         "lower --learning-rate, or standardize the features",
                         "training diverged in epoch %u: %s not finite",
                         backprop->fit->counters.epoch + 1, what);
}

static Status step(Backprop *backprop)
{
    TRY(run(backprop));
    if (backprop->shrank)
        step_penalty(backprop);
    begin_step(backprop);
    clv_pool_run_if(is_large(backprop), backprop->fit->context, weight_tasks(backprop), run_weights,
                    backprop);
    forget_columns(backprop);
    backprop->steps++;
    backprop->rows.count = 0;
    return isfinite(backprop->loss) ? fit_check(backprop->fit)
                                    : fail_diverged(backprop, "the loss is");
}

Status clv_backprop_add(Backprop *backprop, const Block *block, uint32_t row, uint32_t label,
                        double target, double weight)
{
    uint32_t at = backprop->rows.count;

    TRY(clv_minibatch_add(&backprop->rows, block, row, backprop->fit->error));
    backprop->label[at] = label;
    backprop->target[at] = (target - backprop->network.mean) / backprop->network.spread;
    backprop->weight[at] = weight;
    return at + 1 == backprop->batch ? step(backprop) : OK;
}

Status clv_backprop_end_epoch(Backprop *backprop)
{
    if (backprop->rows.count > 0)
        TRY(step(backprop));
    for (uint32_t i = 0; backprop->shrank && i < backprop->network.shape.width[0]; i++)
        shrink_feature(backprop, i);
    for (size_t i = 0, count = clv_shape_weights(&backprop->network.shape); i < count; i++)
        if (!isfinite(backprop->weights[i]))
            return fail_diverged(backprop, "a weight is");
    return OK;
}

Status clv_backprop_gradient(Backprop *backprop, double *loss, float *gradient)
{
    const NetworkShape *shape = &backprop->network.shape;

    backprop->loss = 0;
    TRY(run(backprop));
    *loss = backprop->loss / backprop->rows.count;
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        size_t units = shape->width[layer + 1];
        float *to = gradient + clv_shape_start(shape, layer);

        memset(to, 0, shape->width[layer] * units * sizeof *to);
        for (uint32_t i = 0; layer == 0 && !backprop->rows.dense && i < backprop->touched_count;
             i++)
            feature_gradient(backprop, i, to + backprop->touched[i] * units);
        if (layer > 0 || backprop->rows.dense)
            inputs_gradient(backprop, layer, 0, shape->width[layer], to);
        bias_gradient(backprop, layer, gradient + shape_bias(shape, layer));
    }
    forget_columns(backprop);
    backprop->rows.count = 0;
    return OK;
}
