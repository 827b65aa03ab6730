/*
 * The kernel perceptron (Aizerman, Braverman and Rozonoer 1964). The perceptron's weights are a sum
 * of the misclassified rows, so that scores need inner products only, which a kernel function
 * replaces:
 *
 *     score(x) = Σ α_i y_i K(x_i, x) − θ             mistake when y·score(x) ≤ 0
 *     on a mistake in row i:  α_i += c_i             θ −= y c_i (if it is learned)
 *
 * c_i is the sample weight; with weights of 1, α counts mistakes. A row that is misclassified again
 * in a later epoch is not stored again. After a warm start, the model's row numbers identify its
 * points if the rows are unchanged. Multiclass: one expansion per class against the rest, over the
 * same rows.
 */
#include "base/machine.h"
#include "learn/kernel/expansion.h"

typedef struct {
    KernelOptions kernel;
    bool learn_threshold;
} Options;

static const Param params[] = {
    KERNEL_PARAMS(1, "Coefficient of the Gaussian and polynomial kernels.", NULL),
    FLAG(Options, learn_threshold, "Learn the threshold instead of fixing it at 0.", TUNE_ALL),
    END_OF_PARAMS,
};

#define NO_ROW UINT64_MAX
#define LARGEST_SELF 1e38 /* limit of K(x, x); larger kernel values overflow floats */

typedef struct {
    size_t outputs;
    KernelPoints points;
    Evaluator evaluator;
    double *alpha;                      /* [point * outputs + output], signed */
    double *intercept, *scores, widest; /* the largest K(x, x) */
    float *values;
    /* per point: number of the row; NO_ROW in a stream, which does not repeat rows */
    uint64_t *row_of;
    uint32_t *point_of; /* per row number: one more than the number of the point; 0: no point */
    size_t alpha_capacity, values_capacity, row_capacity, point_capacity;
} State;

static Status check(void *given, cleave_error *error)
{
    Options *options = given;

    TRY(clv_kernel_check(&options->kernel, error));
    if (options->kernel.sigma > 0 && options->kernel.gamma > 0 && options->kernel.gamma != 1)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--gamma and --sigma cannot be combined: both set the width of the kernel");
    if (options->kernel.sigma == 0 && options->kernel.gamma == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--gamma must be above 0 for this kernel");
    return OK;
}

/* Checks the memory. Two copies of the coefficients exist while the model is created. */
static Status check_memory(const Fit *fit, size_t points, size_t outputs)
{
    enum { COPIES = 2 };

    if (clv_affordable(COPIES * sizeof(double) * (double)points * (double)outputs, fit->error,
                       "the coefficients of %zu rows for %zu output%s", points, outputs,
                       outputs == 1 ? "" : "s") == OK)
        return OK;
    return clv_hint(
        fit->error, CLEAVE_ERROR_MEMORY,
        "check that the labels are not IDs or numbers; knn and perceptron support many classes");
}

static Status begin(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;

    state->outputs = outputs_of(fit->classes);
    if (state->outputs > 1)
        /* the first row of each class is a mistake */
        TRY(check_memory(fit, fit->classes, state->outputs));
    clv_points_init(&state->points, fit->context, fit->features);
    state->intercept = clv_alloc_zero(fit->context, state->outputs, sizeof *state->intercept);
    state->scores = clv_alloc_zero(fit->context, state->outputs, sizeof *state->scores);
    if (!state->intercept || !state->scores)
        return clv_fail_memory(fit->error, "scores", 2 * state->outputs * sizeof *state->scores);
    return clv_evaluator_init(&state->evaluator, fit->context, clv_kernel_of(&options->kernel, 1),
                              fit->features, fit->error);
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_points_free(&state->points);
    clv_evaluator_free(&state->evaluator);
    FREE(fit->context, state->alpha, state->intercept, state->scores, state->values, state->row_of,
         state->point_of);
}

/* ---- one example ----------------------------------------------------------------------------- */

/* Computes the scores of the row stored after the last point, which is not a point yet. */
static void score(State *state, KernelRow row)
{
    const KernelPoints *points = &state->points;
    View view = {.points = points, .count = points->count, .norm2 = points->norm2};

    clv_evaluate(&state->evaluator, &view, row, state->values);
    memcpy(state->scores, state->intercept, state->outputs * sizeof *state->scores);
    for (uint32_t i = 0; i < points->count; i++)
        for (size_t output = 0; output < state->outputs; output++)
            state->scores[output] += state->alpha[i * state->outputs + output] *
                                     (double)state->values[i];
}

/* Reserves memory for this row number in point_of. Row numbers of a model are used only here, so a
 * large number needs no memory elsewhere. */
static Status know_row(Fit *fit, uint64_t number)
{
    State *state = fit->state;
    size_t old = state->point_capacity;

    if (number < old)
        return OK;
    TRY(GROW(fit->context, state->point_of, state->point_capacity, (size_t)number + 1, fit->error));
    memset(state->point_of + old, 0, (state->point_capacity - old) * sizeof *state->point_of);
    for (uint32_t i = 0; i < state->points.count; i++)
        if (state->row_of[i] >= old && state->row_of[i] < state->point_capacity)
            state->point_of[state->row_of[i]] = i + 1;
    return OK;
}

/* The point for this row, which is stored after the last point; *index is the number of points if
 * the row is new. */
static Status find_point(Fit *fit, uint64_t number, uint32_t *index)
{
    State *state = fit->state;
    uint32_t last = state->points.count, known;

    *index = last;
    state->row_of[last] = NO_ROW;
    if (fit->problem->rows == 0)
        return OK;
    TRY(know_row(fit, number));
    known = state->point_of[number];
    if (known && clv_points_alike(&state->points, known - 1, last)) {
        *index = known - 1;
        return OK;
    }
    state->row_of[last] = number;
    state->point_of[number] = last + 1;
    return OK;
}

/* Memory for one more point. */
static Status make_room(Fit *fit, uint32_t features)
{
    State *state = fit->state;
    size_t count = (size_t)state->points.count + 1;

    if (count >= UINT32_MAX)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "the kernel perceptron made more mistakes than it can store");
    if (features > fit->features)
        fit->features = features;
    TRY(clv_evaluator_reserve(&state->evaluator, fit->features, fit->error));
    TRY(GROW(fit->context, state->values, state->values_capacity, count, fit->error));
    TRY(GROW(fit->context, state->row_of, state->row_capacity, count, fit->error));
    if (count * state->outputs > state->alpha_capacity)
        TRY(check_memory(fit, count, state->outputs));
    return GROW(fit->context, state->alpha, state->alpha_capacity, count * state->outputs,
                fit->error);
}

static Status learn(Fit *fit, const Block *block, uint32_t row, uint32_t label, bool *ok)
{
    const Options *options = fit->options;
    State *state = fit->state;
    KernelPoints *points = &state->points;
    double weight = fit_weight(fit, block, row, label), self;
    uint32_t last = points->count, point = 0;
    bool kept = false;

    TRY(make_room(fit, block->features));
    TRY(clv_points_add(points, block, row, fit->error));
    points->count = last; /* the row is stored, but not a point yet */
    self = clv_kernel_self(&state->evaluator.kernel, points->norm2[last]);
    TRY(clv_kernel_check_row(self, LARGEST_SELF, block_row_number(block, row), fit->error));
    state->widest = fmax(state->widest, fabs(self));
    score(state, point_row(points, last));
    *ok = true;
    for (size_t output = 0; output < state->outputs; output++) {
        double y = label == (state->outputs == 1 ? fit->positive : output) ? 1 : -1;

        if (y * state->scores[output] > 0)
            continue;
        *ok = false;
        fit->counters.epoch_mistakes++;
        fit->counters.epoch_loss -= y * state->scores[output];
        if (weight == 0)
            continue;
        if (!kept)
            TRY(find_point(fit, block_row_number(block, row), &point));
        if (!kept && point == last) {
            memset(state->alpha + last * state->outputs, 0, state->outputs * sizeof *state->alpha);
            points->count = last + 1;
        }
        kept = true;
        state->alpha[point * state->outputs + output] += y * weight;
        if (options->learn_threshold)
            state->intercept[output] += y * weight;
    }
    points->entries = points->count ? (size_t)points->end[points->count - 1] : 0;
    return OK;
}

static Status step(Fit *fit, const Block *block)
{
    const State *state = fit->state;
    uint64_t done = 0;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        bool ok;

        if (label >= fit->classes)
            continue;
        TRY(learn(fit, block, row, label, &ok));
        fit->counters.seen++;
        TRY(fit_poll(fit, &done,
                     kernel_row_units(&state->points) + state->points.count * state->outputs));
    }
    return OK;
}

static Status end_epoch(Fit *fit, bool *clean)
{
    const State *state = fit->state;

    *clean = fit->counters.epoch_mistakes == 0;
    fit->result.knows_train_errors = *clean;
    return clv_kernel_check_widest(state->widest, fit->error);
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool knows_rows(const State *state)
{
    for (uint32_t i = 0; i < state->points.count; i++)
        if (state->row_of[i] != NO_ROW)
            return true;
    return false;
}

static Status end(Fit *fit, Model *model)
{
    const State *state = fit->state;
    size_t count = state->points.count, outputs = state->outputs;
    double *by_output;
    Status status;

    TRY(ALLOC(fit->context, by_output, count * outputs, "the expansion", fit->error));
    for (size_t i = 0; i < count; i++)
        for (size_t output = 0; output < outputs; output++)
            by_output[output * count + i] = state->alpha[i * outputs + output];
    status = clv_expansion_to_model(&(Expansion){.points = &state->points,
                                                 .kernel = &state->evaluator.kernel,
                                                 .alpha = by_output,
                                                 .scale = 1,
                                                 .intercept = state->intercept,
                                                 .outputs = outputs,
                                                 .row = knows_rows(state) ? state->row_of : NULL},
                                    model, fit->error);
    clv_free(fit->context, by_output);
    return status;
}

static Status resume(Fit *fit, const Model *model)
{
    State *state = fit->state;
    const BundleItem *alpha = clv_bundle_get(model->bundle, "alpha", BUNDLE_F64);
    const BundleItem *intercept = clv_bundle_get(model->bundle, "bias", BUNDLE_F64);
    const BundleItem *rows = clv_bundle_get(model->bundle, "sv_rows", BUNDLE_U64);
    size_t outputs = state->outputs, count;
    Kernel kernel;

    if (!clv_kernel_from_model(model, &kernel) ||
        !clv_kernel_same(&kernel, &state->evaluator.kernel))
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                             "omit --kernel, --gamma, --sigma, --degree and --coef0; a warm start "
                             "keeps the model's kernel",
                             "the warm-start model was trained with another kernel");
    TRY(clv_expansion_points(model, &state->points, fit->error));
    TRY(make_room(fit, model->features));
    count = state->points.count;
    for (size_t i = 0; i < count; i++) {
        state->row_of[i] = rows ? ((const uint64_t *)rows->data)[i] : NO_ROW;
        for (size_t output = 0; output < outputs; output++)
            state->alpha[i * outputs + output] = ((const double *)alpha->data)[output * count + i];
    }
    memcpy(state->intercept, intercept->data, outputs * sizeof *state->intercept);
    return OK;
}

static bool slow_to_predict(const void *options)
{
    (void)options;
    return true;
}

static double loss(const Model *model, const double *scores, uint32_t label, double target)
{
    (void)target;
    return clv_expansion_loss(model, scores, label, 0);
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(clv_expansion_check_model(model));
}

static const MethodTraining training = {
    .begin = begin,
    .resume = resume,
    .step = step,
    .end_epoch = end_epoch,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {
    .predict = clv_expansion_predict,
    .check_model = check_model,
    .loss = loss,
    .slow_to_predict = slow_to_predict,
};

static const MethodInspection inspection = {
    .contributions = clv_weight_contributions,
    .supports = clv_expansion_supports,
};

const Method clv_method_kernel_perceptron = {
    .name = "kernel-perceptron",
    .title = "Kernel perceptron.",
    .objective =
        "sum over examples of max(0, -y (f(x) - theta)), f(x) = sum of alpha_i y_i K(x_i, x)",
    .reference = "Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_WIDE |
              CLEAVE_TRAIT_DETERMINISTIC,
    .behavior = METHOD_COUNTS_MISTAKES | METHOD_WIDER_ROWS,
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .check_options = check,
    .training = &training,
    .inference = &inference,
    .inspection = &inspection,
};
