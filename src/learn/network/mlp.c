/*
 * Multilayer perceptron: a network of fully connected layers, trained by backpropagation
 * (backprop.h). The loss of a row with the outputs z:
 *
 *     softmax     -ln(e^z_y / sum e^z_k); for two classes ln(1 + e^(-y z)) with one output
 *     logistic    the sum of ln(1 + e^(-y_k z_k)) over the classes, y_k = +1 or -1
 *     squared     the sum of (z_k - y_k)^2 / 2; the only loss of mlp-regression
 *
 * Features are multiplied by one number, such that the mean square of the values that are not 0 is
 * 1. Targets of a regression are standardized. Predictions reverse both transformations.
 *
 * --layers defines a network of threshold units instead (threshold_units.h), which is not trained.
 */
#include "data/traversal.h"
#include "learn/network/backprop.h"
#include "learn/network/labeled.h"
#include "learn/network/threshold_units.h"

#include <stdlib.h>

enum { SOLVER_ADAM, SOLVER_SGD };
static const char *const solvers[] = {"adam", "sgd", NULL};

enum { SCHEDULE_FIXED, SCHEDULE_INVERSE, SCHEDULE_DECAY };
static const char *const schedules[] = {"fixed", "inverse", "decay", NULL};

static const char *const activations[] = {"relu", "tanh", "sigmoid", "step", NULL};
static const char *const losses[] = {"softmax", "logistic", "squared", NULL};

enum {
    SMALLEST_BATCH = 8,
    LARGEST_BATCH = 128,
    STEPS_PER_EPOCH = 50, /* minimum, for small data */
    STALE_EPOCHS = 10,    /* number of epochs without progress after which training ends */
    EPOCHS = 100,
};

typedef struct {
    const char *hidden, *layers;
    int activation, loss, solver, schedule;
    double momentum, learning_rate, learning_rate_decay, t0, dropout, l2, tolerance;
    int64_t batch_size;
} Options;

#define MOMENTUM 0.9
#define T0 500
#define LEARNING_RATE_DECAY 0.1

#define MLP_PARAMS                                                                                 \
    TEXT(Options, hidden, "128", "Number of units in each hidden layer, e.g. 256,128."),           \
        NAME(Options, activation, ACTIVATION_RELU, activations,                                    \
             "Activation function of the hidden units; step requires --layers.",                   \
             TUNE_SOME("relu,tanh")),                                                              \
        FILE_TEXT(Options, layers, NULL,                                                           \
                  "File that defines a network of threshold units, which is not trained.",         \
                  DEFAULT("none")),                                                                \
        NAME(Options, solver, SOLVER_ADAM, solvers,                                                \
             "Optimization algorithm: Adam, or gradient descent with momentum."),                  \
        REAL(Options, momentum, MOMENTUM, WITHIN(0, 0.999), "Momentum of --solver sgd."),          \
        INTEGER(Options, batch_size, 0, WITHIN(0, 65536), "Number of rows per step (minibatch).",  \
                DEFAULT("8 to 128, by the number of rows")),                                       \
        REAL(Options, learning_rate, 0, AT_LEAST(0), "Initial learning rate.",                     \
             TUNE_LOG(1e-4, 1e-2), DEFAULT("0.003; sgd: 0.1")),                                    \
        NAME(Options, schedule, SCHEDULE_INVERSE, schedules,                                       \
             "Learning rate schedule.\n"                                                           \
             "fixed: constant. inverse: learning_rate / (1 + t / t0) at step t. decay: "           \
             "learning_rate / (1 + c t) in epoch t."),                                             \
        REAL(Options, t0, T0, ABOVE(0), "Offset t0 of --schedule inverse, in steps."),             \
        REAL(Options, learning_rate_decay, LEARNING_RATE_DECAY, AT_LEAST(0),                       \
             "Decay c of --schedule decay."),                                                      \
        REAL(Options, dropout, 0, WITHIN(0, 0.9),                                                  \
             "Probability of dropping a hidden unit in a step.", TUNE_LINEAR(0, 0.5)),             \
        REAL(Options, l2, 0, AT_LEAST(0),                                                          \
             "L2 penalty (weight decay: each step subtracts learning rate * l2 * weight).",        \
             TUNE_LOG(1e-6, 1e-1)),                                                                \
        REAL(Options, tolerance, 1e-4, AT_LEAST(0),                                                \
             "Stop when the mean loss has not decreased by this value in 10 epochs.")

static const Param class_params[] = {
    MLP_PARAMS,
    NAME(Options, loss, LOSS_SOFTMAX, losses, "Loss function.", TUNE_SOME("softmax,logistic")),
    END_OF_PARAMS,
};

static const Param number_params[] = {MLP_PARAMS, END_OF_PARAMS};

typedef struct {
    Backprop backprop;
    /* network of the warm-start model, whose arrays outlive the fit; no layers: none */
    Network from;
    const float *from_moments;
    double from_steps;
    uint64_t from_moment_count;
    double best;  /* smallest mean loss of an epoch */
    double stale; /* number of epochs since that epoch */
} State;

/* ---- options --------------------------------------------------------------------------------- */

static bool parse_hidden(const char *text, uint32_t *width, uint32_t *layers)
{
    *layers = 0;
    for (const char *at = text;; at++) {
        char *end;
        long units = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;

        if (units < 1 || units > MOST_UNITS || *layers == MOST_LAYERS - 1)
            return false;
        width[(*layers)++] = (uint32_t)units;
        at = end;
        if (*at == '\0')
            return true;
        if (*at != ',')
            return false;
    }
}

static Status check(void *given, cleave_error *error)
{
    const Options *options = given;
    uint32_t width[MOST_LAYERS], layers;
    char quoted[QUOTE_SIZE];

    if (!parse_hidden(options->hidden, width, &layers))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "use 1 to 16 numbers from 1 to 65,536, e.g. --hidden 256,128",
                             "--hidden: '%s' is not a list of layer sizes",
                             clv_quote(quoted, options->hidden, strlen(options->hidden)));
    if (options->momentum != MOMENTUM && options->solver != SOLVER_SGD)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "omit it, or add --solver sgd",
                             "--momentum applies to --solver sgd");
    if (options->t0 != T0 && options->schedule != SCHEDULE_INVERSE)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "omit it, or use --schedule inverse",
                             "--t0 applies to --schedule inverse");
    if (options->learning_rate_decay != LEARNING_RATE_DECAY && options->schedule != SCHEDULE_DECAY)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "omit it, or add --schedule decay",
                             "--learning-rate-decay applies to --schedule decay");
    if (options->activation == ACTIVATION_STEP && !options->layers)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "use relu, tanh or sigmoid, or define the units with --layers",
                             "--activation step has no gradient and cannot be trained");
    return OK;
}

static uint32_t default_epochs(const void *options)
{
    (void)options;
    return EPOCHS;
}

/* The default pipeline does not scale: the weights of --layers apply to the original columns. */
static const char *default_pipeline(const void *given, const Schema *schema)
{
    const Options *options = given;

    return options && options->layers && clv_schema_is_table(schema) ? "impute" : NULL;
}

static Status choose(Fit *fit, void *given)
{
    Options *options = given;

    if (options->layers)
        options->activation = ACTIVATION_STEP;
    if (options->learning_rate == 0)
        options->learning_rate = options->solver == SOLVER_ADAM ? 0.003 : 0.1;
    if (options->batch_size > 0)
        return OK;
    options->batch_size = SMALLEST_BATCH;
    while (options->batch_size < LARGEST_BATCH &&
           (uint64_t)options->batch_size * 2 * STEPS_PER_EPOCH <= fit->problem->rows)
        options->batch_size *= 2;
    return OK;
}

/* ---- the start ------------------------------------------------------------------------------- */

static Status begin(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;

    state->best = INFINITY;
    clv_solver(fit, options->layers ? "fixed" : solvers[options->solver]);
    return OK;
}

static void free_state(Fit *fit)
{
    clv_backprop_free(&((State *)fit->state)->backprop);
}

static NetworkShape shape_of(const Fit *fit)
{
    const Options *options = fit->options;
    NetworkShape shape = {.activation = (Activation)options->activation,
                          .loss = fit->task == CLEAVE_TASK_REGRESSION ? LOSS_SQUARED
                                                                      : (OutputLoss)options->loss};

    parse_hidden(options->hidden, shape.width + 1, &shape.layers);
    shape.width[0] = fit->features;
    shape.width[++shape.layers] = (uint32_t)fit->outputs;
    return shape;
}

/* Sums over the training rows. */
typedef struct {
    const Fit *fit;
    double rows, entries, squares;
    double weight, target, target_squares;
} Survey;

static Status survey_block(void *user, const Block *block, cleave_error *error)
{
    Survey *survey = user;
    const Fit *fit = survey->fit;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        double weight;

        if (!is_training_row(fit, block, row))
            continue;
        weight = fit_weight(fit, block, row, block_label(block, row));
        survey->rows++;
        survey->weight += weight;
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            if (walk.value != 0) {
                survey->entries++;
                survey->squares += (double)walk.value * (double)walk.value;
            }
        if (fit->task == CLEAVE_TASK_REGRESSION) {
            double target = fit_target(fit, block, row);

            survey->target += weight * target;
            survey->target_squares += weight * target * target;
        }
    }
    return fit_check(fit);
}

/* Computes the numbers that scale features and targets. */
static Status scale_data(Fit *fit, const Survey *survey, Network *network)
{
    double variance;

    if (!(survey->weight > 0))
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "no training row has a sample weight above 0");
    network->scale = survey->squares > 0 ? sqrt(survey->entries / survey->squares) : 1;
    network->scale = fmax(1e-30, fmin(network->scale, 1e30));
    network->mean = 0;
    network->spread = 1;
    if (fit->task != CLEAVE_TASK_REGRESSION)
        return OK;
    network->mean = survey->target / survey->weight;
    variance = survey->target_squares / survey->weight - network->mean * network->mean;
    if (variance > 1e-12 * network->mean * network->mean)
        network->spread = sqrt(variance);
    if (isfinite(network->mean) && isfinite(network->spread))
        return OK;
    return clv_fail_hint(fit->error, CLEAVE_ERROR_DATA, "scale the targets",
                         "the variance of the targets overflows");
}

static void copy_moments(const State *state, uint32_t layer, size_t to, size_t from, size_t count)
{
    const Backprop *backprop = &state->backprop;
    size_t all = clv_shape_weights(&state->from.shape);

    (void)layer;
    memcpy(backprop->weights + to, state->from.weights + from, count * sizeof(float));
    if (!state->from_moments)
        return;
    memcpy(backprop->m + to, state->from_moments + from, count * sizeof(float));
    if (backprop->v)
        memcpy(backprop->v + to, state->from_moments + all + from, count * sizeof(float));
}

/* Copies weights and moments of the warm-start model. New features keep their initial weights. */
static void copy_network(State *state)
{
    Backprop *backprop = &state->backprop;
    const NetworkShape *old = &state->from.shape, *shape = &backprop->network.shape;
    bool adam = backprop->options.adam;

    if (state->from_moment_count != clv_shape_weights(old) * (adam ? 2 : 1))
        state->from_moments = NULL; /* the moments of another solver do not apply */
    for (uint32_t layer = 0; layer < old->layers; layer++) {
        size_t units = old->width[layer + 1];

        copy_moments(state, layer, clv_shape_start(shape, layer), clv_shape_start(old, layer),
                     old->width[layer] * units);
        copy_moments(state, layer, shape_bias(shape, layer), shape_bias(old, layer), units);
    }
    backprop->steps = state->from_moments ? state->from_steps : 0;
}

static Status start(Fit *fit, const Survey *survey)
{
    const Options *options = fit->options;
    State *state = fit->state;
    Backprop *backprop = &state->backprop;

    backprop->options = (BackpropOptions){.adam = options->solver == SOLVER_ADAM,
                                          .learning_rate = options->learning_rate,
                                          .momentum = options->momentum,
                                          .dropout = options->dropout,
                                          .l2 = options->l2};
    backprop->batch = (uint32_t)options->batch_size;
    backprop->seed = fit->problem->seed;
    backprop->network = state->from;
    backprop->network.shape = shape_of(fit);
    if (state->from.shape.layers == 0)
        TRY(scale_data(fit, survey, &backprop->network));
    TRY(clv_backprop_init(backprop, fit));
    if (state->from.shape.layers)
        copy_network(state);
    return OK;
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static void set_rate(const Fit *fit, Backprop *backprop)
{
    const Options *options = fit->options;

    backprop->rate_factor = options->schedule == SCHEDULE_INVERSE
                                ? 1 / (1 + backprop->steps / options->t0)
                            : options->schedule == SCHEDULE_DECAY
                                ? 1 / (1 + options->learning_rate_decay * fit->counters.epoch)
                                : 1;
}

static Status learn_block(Fit *fit, const Block *block, double mean_weight)
{
    Backprop *backprop = &((State *)fit->state)->backprop;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        double target = fit->task == CLEAVE_TASK_REGRESSION ? fit_target(fit, block, row) : 0;

        if (!is_training_row(fit, block, row))
            continue;
        set_rate(fit, backprop);
        TRY(clv_backprop_add(backprop, block, row, label, target,
                             fit_weight(fit, block, row, label) / mean_weight));
        fit->counters.seen++;
    }
    clv_progress(fit->context, &(cleave_progress){.phase = "train",
                                                  .rows = fit->counters.seen % fit->problem->rows,
                                                  .rows_total = fit->problem->rows,
                                                  .epoch = fit->counters.epoch + 1,
                                                  .epochs = fit->max_epochs});
    return fit_check(fit);
}

static Status run_epoch(Fit *fit, Traversal *traversal, double mean_weight)
{
    Backprop *backprop = &((State *)fit->state)->backprop;

    backprop->loss = 0;
    backprop->errors = 0;
    TRY(clv_traversal_begin(traversal, fit->counters.epoch, fit->error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, fit->error));
        if (!block)
            return clv_backprop_end_epoch(backprop);
        TRY(learn_block(fit, block, mean_weight));
    }
}

static Status run_epochs(Fit *fit, Traversal *traversal, const Survey *survey)
{
    const Options *options = fit->options;
    State *state = fit->state;
    const Backprop *backprop = &state->backprop;
    double mean_weight = survey->weight / survey->rows, loss = 0, unit;
    bool more = true, settled = false;

    unit = backprop->network.spread * backprop->network.spread;
    while (more && !settled) {
        TRY(run_epoch(fit, traversal, mean_weight));
        loss = backprop->loss / survey->rows;
        state->stale = loss < state->best - options->tolerance ? 0 : state->stale + 1;
        state->best = fmin(state->best, loss);
        settled = state->stale >= STALE_EPOCHS;
        fit->counters.epoch_mistakes = backprop->errors;
        fit->counters.epoch_loss = unit * backprop->loss * mean_weight;
        more = fit->epoch_done(fit);
    }
    fit->result.plateau = settled;
    clv_summarize(fit, "mean loss %.4g in the last epoch%s", unit * loss,
                  settled ? ", no longer decreasing" : "");
    return OK;
}

static Status train(Fit *fit, Dataset *dataset)
{
    State *state = fit->state;
    Survey survey = {.fit = fit};
    Dataset *labeled = NULL;
    Traversal traversal;
    Status status;

    TRY(clv_tour_all(dataset, survey_block, &survey, fit->error));
    TRY(start(fit, &survey));
    if (survey.rows < (double)dataset->rows && !dataset->on_disk)
        TRY(clv_labeled_rows(fit, dataset, &labeled));
    status = clv_traversal_init(&traversal, labeled ? labeled : dataset, ORDER_EACH,
                                fit->problem->seed, 0, 1, fit->error);
    if (status == OK) {
        status = run_epochs(fit, &traversal, &survey);
        clv_traversal_free(&traversal);
    }
    clv_dataset_free(labeled);
    clv_figure(fit, "weights", (double)clv_shape_weights(&state->backprop.network.shape));
    clv_figure(fit, "steps", state->backprop.steps);
    return status;
}

/* Reports a network of --layers, which has no epochs. */
static Status state_network(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    Backprop *backprop = &state->backprop;

    backprop->memory = (Arena){.context = fit->context, .error = fit->error, .what = "the network"};
    backprop->network = (Network){.scale = 1, .spread = 1};
    if (fit->outputs != 1 || fit->task == CLEAVE_TASK_REGRESSION)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "--layers requires two classes; the data has %u", fit->classes);
    TRY(clv_threshold_network(options->layers, fit->problem->names, fit->features,
                              &backprop->memory, &backprop->network, fit->error));
    backprop->weights = (float *)(uintptr_t)backprop->network.weights;
    fit->result.complete = true;
    clv_summarize(fit, "%zu weights, defined by --layers",
                  clv_shape_weights(&backprop->network.shape));
    return OK;
}

static Status fit_rows(Fit *fit, Dataset *dataset)
{
    return ((const Options *)fit->options)->layers ? state_network(fit) : train(fit, dataset);
}

/* ---- models ---------------------------------------------------------------------------------- */

static const char *shape_difference(const NetworkShape *a, const NetworkShape *b)
{
    if (a->activation != b->activation)
        return "--activation";
    if (a->loss != b->loss)
        return "--loss";
    if (a->layers != b->layers)
        return "--hidden";
    for (uint32_t i = 1; i <= a->layers; i++)
        if (a->width[i] != b->width[i])
            return "--hidden";
    return NULL;
}

static Status resume(Fit *fit, const Model *model)
{
    State *state = fit->state;
    NetworkShape shape = shape_of(fit);
    const BundleItem *moments = clv_bundle_get(model->bundle, "moments", BUNDLE_F32);
    const char *other;
    double progress[3];

    if (((const Options *)fit->options)->layers)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE, "omit --from, or omit --layers",
                             "--layers defines all weights, so training cannot be continued");
    if (!clv_network_of(model, &state->from))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no network");
    other = shape_difference(&shape, &state->from.shape);
    if (other)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                             "a warm start keeps the layers of the model",
                             "the warm-start model was trained with another %s", other);
    if (!moments || !clv_bundle_copy(model->bundle, "progress", BUNDLE_F64, progress, 3))
        return OK;
    state->from_moments = moments->data;
    state->from_moment_count = moments->count;
    state->from_steps = progress[0];
    state->best = progress[1];
    state->stale = progress[2];
    return OK;
}

/* Stores the model, with the moments of the optimizer unless training has converged. */
static Status end(Fit *fit, Model *model)
{
    State *state = fit->state;
    const Backprop *backprop = &state->backprop;
    size_t count = clv_shape_weights(&backprop->network.shape);
    const double progress[] = {backprop->steps, state->best, state->stale};
    float *moments;

    if (!backprop->weights)
        return clv_fail(fit->error, CLEAVE_ERROR_CANCELLED,
                        "training was interrupted before the first epoch");
    TRY(clv_network_put(&backprop->network, model, fit->error));
    if (!backprop->m || fit->result.plateau)
        return OK;
    TRY(ALLOC(fit->context, moments, (backprop->v ? 2 : 1) * count, "moments", fit->error));
    memcpy(moments, backprop->m, count * sizeof *moments);
    if (backprop->v)
        memcpy(moments + count, backprop->v, count * sizeof *moments);
    TRY(clv_bundle_take(model->bundle, "moments", BUNDLE_F32, moments,
                        (backprop->v ? 2 : 1) * count, fit->error));
    return clv_bundle_put(model->bundle, "progress", BUNDLE_F64, progress, 3, fit->error);
}

static bool moments_fit(const Model *model)
{
    const BundleItem *moments = clv_bundle_get(model->bundle, "moments", BUNDLE_F32);
    const float *numbers;
    double progress[3];
    size_t count;
    Network network;

    if (!moments)
        return true;
    if (!clv_network_of(model, &network) || !clv_bundle_finite(moments) ||
        !clv_bundle_copy(model->bundle, "progress", BUNDLE_F64, progress, 3) ||
        !(progress[0] >= 0 && progress[0] <= 9e15) || isnan(progress[1]) ||
        !(progress[2] >= 0 && progress[2] <= 9e15))
        return false;
    numbers = moments->data;
    count = clv_shape_weights(&network.shape);
    for (size_t i = count; i < moments->count; i++)
        if (numbers[i] < 0)
            return false;
    return moments->count == count || moments->count == 2 * count;
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(clv_network_check(model) && moments_fit(model));
}

/* ---- predictions ----------------------------------------------------------------------------- */

static void class_probabilities(const Model *model, const double *scores, double *p)
{
    size_t outputs = outputs_of(model->labels.count);
    double sum = 0, highest = scores[0];
    Network network;
    bool joint = clv_network_of(model, &network) && network.shape.loss == LOSS_SOFTMAX;

    if (outputs == 1) {
        double yes = 1 / (1 + exp(-scores[0]));

        for (uint32_t i = 0; i < model->labels.count; i++)
            p[i] = i == model->positive ? yes : 1 - yes;
        return;
    }
    for (size_t i = 1; i < outputs; i++)
        highest = fmax(highest, scores[i]);
    for (size_t i = 0; i < outputs; i++)
        sum += p[i] = joint ? exp(scores[i] - highest) : 1 / (1 + exp(-scores[i]));
    for (size_t i = 0; i < outputs; i++)
        p[i] = sum > 0 ? p[i] / sum : 1 / (double)outputs;
}

static double class_loss(const Model *model, const double *scores, uint32_t label, double target)
{
    size_t outputs = outputs_of(model->labels.count);
    double sum = 0, highest = scores[0];
    Network network;
    bool known = clv_network_of(model, &network);

    (void)target;
    if (known && network.shape.loss == LOSS_SOFTMAX && outputs > 1) {
        for (size_t i = 1; i < outputs; i++)
            highest = fmax(highest, scores[i]);
        for (size_t i = 0; i < outputs; i++)
            sum += exp(scores[i] - highest);
        return log(sum) + highest - scores[label];
    }
    for (size_t i = 0; i < outputs; i++) {
        double y = label == (outputs == 1 ? model->positive : i) ? 1 : -1, x = y * scores[i];

        sum += known && network.shape.loss == LOSS_SQUARED ? (1 - x) * (1 - x) / 2
               : x > 0                                     ? log1p(exp(-x))
                                                           : -x + log1p(exp(x));
    }
    return sum;
}

static double number_loss(const Model *model, const double *scores, uint32_t label, double target)
{
    (void)model;
    (void)label;
    return (scores[0] - target) * (scores[0] - target) / 2;
}

static const MethodTraining training = {
    .choose = choose,
    .default_pipeline = default_pipeline,
    .default_epochs = default_epochs,
    .begin = begin,
    .resume = resume,
    .fit = fit_rows,
    .end = end,
    .free = free_state,
};

static const MethodInference class_inference = {
    .predict = clv_network_predict,
    .session = &clv_network_session,
    .check_model = check_model,
    .probabilities = class_probabilities,
    .loss = class_loss,
};

static const MethodInference number_inference = {
    .predict = clv_network_predict,
    .session = &clv_network_session,
    .check_model = check_model,
    .loss = number_loss,
};

static const MethodInspection inspection = {.unit = clv_network_unit};

#define MLP_METHOD                                                                                 \
    .reference = "Rumelhart, Hinton and Williams 1986; solver: Kingma and Ba 2015",                \
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_DETERMINISTIC, .options_size = sizeof(Options),   \
    .state_size = sizeof(State), .check_options = check, .training = &training,                    \
    .inspection = &inspection,                                                                     \
    .overfitting_hint = "add --dropout 0.3, --validation-fraction 0.1 --patience 5, or lower "     \
                        "--hidden"

const Method clv_method_mlp = {
    .name = "mlp",
    .title = "Multilayer perceptron.",
    .objective = "mean loss of the outputs of a network of fully connected layers",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = class_params,
    .inference = &class_inference,
    MLP_METHOD,
};

const Method clv_method_mlp_regression = {
    .name = "mlp-regression",
    .title = "Multilayer perceptron regression.",
    .objective = "mean of 1/2 (f(x) - y)^2, f a network of fully connected layers",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = number_params,
    .inference = &number_inference,
    MLP_METHOD,
};
