/*
 * Least squares: the linear function with the smallest sum of squared errors (Legendre 1805, Gauss
 * 1809), exactly.
 *
 *     minimize  Σ cᵢ (yᵢ − w·xᵢ − b)²  +  ridge ‖w‖²        (ridge: Hoerl and Kennard 1970)
 *
 * b is not penalized. Dense data of up to some thousand columns: one pass with d x d numbers of
 * memory (squares_direct.c), by the normal equations if they are well conditioned, otherwise by QR.
 * Wide sparse data: conjugate gradient (squares_cg.c).
 *
 * A model stores float weights. The exact solvers also store their rounding errors as floats, and
 * so does conjugate gradient if rounding matters. Otherwise the intercept is computed for the
 * rounded weights.
 */
#include "base/number.h"
#include "learn/linear/linear_update.h"
#include "learn/linear/squares.h"

#include <float.h>

enum { AUTO, NORMAL, QR, CG };
static const char *const solvers[] = {"auto", "normal", "qr", "cg", NULL};

enum {
    MOST_COLUMNS = 20000, /* limit of the exact solvers: 3.2 GB */
    EXACT_COLUMNS = 4096, /* auto: cg above */
    DEFAULT_STEPS = 1000,
};
#define EXACT_WORK 4e10 /* auto: multiplications that take little time */
#define DENSE_SHARE 0.1 /* auto: minimum fraction of nonzero cells for a larger matrix */
/* fractions of the error and of the targets' square that rounding the weights may add */
#define ROUNDING_OF_SSE 1e-6
#define ROUNDING_OF_ALL 1e-12

typedef struct {
    double ridge;
    bool no_intercept;
    int solver;
    double tolerance;
} Options;

static const Param params[] = {
    REAL(Options, ridge, 0, AT_LEAST(0),
         "L2 penalty on the weights (alpha of scikit-learn's Ridge).", TUNE_LOG(1e-6, 1e4)),
    FLAG(Options, no_intercept, "Do not fit an intercept."),
    NAME(Options, solver, AUTO, solvers,
         "Solver: normal equations, QR decomposition or conjugate gradient.\n"
         "auto: cg for wide sparse data, qr where normal is inaccurate, otherwise normal."),
    REAL(Options, tolerance, 1e-6, AT_LEAST(0),
         "cg: stop when the relative gradient norm falls below this value."),
    END_OF_PARAMS,
};

typedef struct {
    Squares squares;
    /* statistics of the training rows for the stored model */
    double seen_weight, seen_mean, seen_square, seen_error;
} State;

/* ---- state ----------------------------------------------------------------------------------- */

static Status begin(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double **vectors[] = {&state->squares.weights, &state->squares.mean, &state->squares.spread};

    TRY(clv_linear_affordable(fit->features, 6, fit->error)); /* three vectors of doubles */
    state->squares.features = fit->features;
    state->squares.intercept = !options->no_intercept;
    state->squares.ridge = options->ridge;
    state->squares.tolerance = options->tolerance;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        TRY(ALLOC_ZERO(fit->context, *vectors[i], fit->features, "weights", fit->error));
    }
    return OK;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_squares_cg_free(&state->squares);
    FREE(fit->context, state->squares.weights, state->squares.mean, state->squares.spread);
}

/* Starts conjugate gradient from the model; exact solvers ignore it. */
static Status resume(Fit *fit, const Model *model)
{
    State *state = fit->state;
    const BundleItem *weights = clv_bundle_get(model->bundle, "weights", BUNDLE_F32);
    const BundleItem *rest = clv_bundle_get(model->bundle, "weights_rest", BUNDLE_F32);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);

    for (uint32_t i = 0; i < model->features; i++)
        state->squares.weights[i] = *(const double *)scale->data *
                                    ((double)((const float *)weights->data)[i] +
                                     (rest ? (double)((const float *)rest->data)[i] : 0));
    state->squares.from = model;
    return OK;
}

/* ---- solving --------------------------------------------------------------------------------- */

static int solver_for(const Fit *fit, const Dataset *dataset)
{
    double rows = (double)fit->problem->rows, columns = (double)fit->features;
    int solver = ((const Options *)fit->options)->solver;

    if (solver != AUTO)
        return solver;
    if (fit->features > EXACT_COLUMNS)
        return CG;
    if ((rows + columns) * columns * columns > EXACT_WORK &&
        (double)dataset->entries < DENSE_SHARE * (double)dataset->rows * columns)
        return CG;
    return rows > columns || ((const Options *)fit->options)->ridge > 0 ? NORMAL : QR;
}

static Status solve_exactly(Fit *fit, Dataset *dataset, int solver)
{
    State *state = fit->state;
    bool singular = solver == QR;

    if (fit->features > MOST_COLUMNS)
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_USAGE, "--solver cg stores only a few vectors",
            "--solver %s needs a columns x columns matrix, and the data has %u columns",
            solvers[solver], fit->features);
    if (solver == NORMAL)
        TRY(clv_squares_normal(fit, &state->squares, dataset, &singular));
    if (singular)
        TRY(clv_squares_qr(fit, &state->squares, dataset));
    clv_solver(fit, singular ? "qr" : "normal");
    if (singular && solver == NORMAL)
        clv_summarize(fit, "exact solution by QR, the normal equations are ill-conditioned");
    else
        clv_summarize(fit, "exact solution");
    state->squares.exact = true;
    fit->counters.seen += state->squares.rows;
    fit->counters.epoch_loss = state->squares.sse;
    fit->epoch_done(fit);
    fit->result.converged = true;
    clv_figure(fit, "rank", fit->features - state->squares.constants - state->squares.dependents);
    clv_figure(fit, "condition", state->squares.condition);
    return OK;
}

static void state_objective(Fit *fit)
{
    const Options *options = fit->options;
    char number[NUMBER_SIZE];

    clv_format_double(number, options->ridge);
    clv_objective(fit, "sum over examples of (y - w.x%s)^2%s%s%s",
                  options->no_intercept ? "" : " - b", options->ridge > 0 ? " + " : "",
                  options->ridge > 0 ? number : "", options->ridge > 0 ? " |w|^2" : "");
}

static Status solve(Fit *fit, Dataset *dataset)
{
    State *state = fit->state;
    int solver = solver_for(fit, dataset);

    state_objective(fit);
    if (solver == CG) {
        clv_solver(fit, "cg");
        TRY(clv_squares_cg(fit, &state->squares, dataset));
    } else {
        TRY(solve_exactly(fit, dataset, solver));
    }
    if (state->squares.constants)
        clv_note(fit->context, "%u of %u columns are constant and have weight 0",
                 state->squares.constants, fit->features);
    return OK;
}

static uint32_t default_epochs(const void *options)
{
    (void)options;
    return DEFAULT_STEPS;
}

static EpochKind epoch_kind(const void *options)
{
    (void)options;
    return EPOCH_ITERATION;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* A power of two that scales weights into the range of floats; 1 if they are in range. */
static double scale_for(const Squares *squares)
{
    double largest = 0;
    int exponent;

    for (uint32_t i = 0; i < squares->features; i++)
        largest = fmax(largest, fabs(squares->weights[i]));
    if (largest == 0 || largest > 1e-25)
        return 1;
    frexp(largest, &exponent);
    return ldexp(1, exponent);
}

/* Whether rounding of the weights adds noticeably to the error. rest may be NULL. */
static bool rounding_shows(const Squares *squares, const float *weights, const float *rest,
                           double scale)
{
    double added = 0;

    for (uint32_t i = 0; i < squares->features; i++) {
        double off = squares->weights[i] / scale - (double)weights[i] -
                     (rest ? (double)rest[i] : 0);

        off *= scale * squares->spread[i];
        added += off * off;
    }
    return added > ROUNDING_OF_SSE * squares->sse &&
           added > ROUNDING_OF_ALL * squares->target_square;
}

static bool any_rounded(const Squares *squares, const float *weights, double scale)
{
    for (uint32_t i = 0; i < squares->features; i++)
        if (squares->weights[i] != scale * (double)weights[i])
            return true;
    return false;
}

static Status put_rest(const Fit *fit, const float *weights, double scale, float *rest,
                       Model *model)
{
    const Squares *squares = &((const State *)fit->state)->squares;

    for (uint32_t i = 0; i < squares->features; i++)
        rest[i] = (float)(squares->weights[i] / scale - (double)weights[i]);
    if (rounding_shows(squares, weights, rest, scale))
        return clv_fail_hint(fit->error, CLEAVE_ERROR_DATA,
                             "standardize the columns with the largest or smallest values",
                             "the range of the weights exceeds float32");
    return clv_bundle_put(model->bundle, "weights_rest", BUNDLE_F32, rest, squares->features,
                          fit->error);
}

static Status fill_model(const Fit *fit, Linear *rounded, Model *model)
{
    const Squares *squares = &((const State *)fit->state)->squares;
    double scale = scale_for(squares), intercept = squares->target_mean;
    float *rest;
    Status status;
    bool keeps;

    for (uint32_t i = 0; i < squares->features; i++) {
        if (!(fabs(squares->weights[i]) <= (double)FLT_MAX))
            return clv_linear_overflow(fit->error);
        rounded->w[i] = (float)(squares->weights[i] / scale);
    }
    keeps = squares->exact ? any_rounded(squares, rounded->w, scale)
                           : rounding_shows(squares, rounded->w, NULL, scale);
    for (uint32_t i = 0; i < squares->features; i++)
        intercept -= squares->mean[i] *
                     (keeps ? squares->weights[i] : scale * (double)rounded->w[i]);
    rounded->intercept[0] = intercept / scale;
    TRY(clv_linear_to_model(rounded, scale, scale, model, fit->error));
    if (!keeps)
        return OK;
    TRY(ALLOC(fit->context, rest, squares->features, "weights", fit->error));
    status = put_rest(fit, rounded->w, scale, rest, model);
    clv_free(fit->context, rest);
    return status;
}

static Status end(Fit *fit, Model *model)
{
    Linear rounded = {0};
    Status status = clv_linear_init(&rounded, fit->context, fit->features, 1, fit->error);

    THEN(status, fill_model(fit, &rounded, model));
    THEN(status, clv_squares_cg_save(fit, &((const State *)fit->state)->squares, model));
    clv_linear_free(&rounded);
    return status;
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(
        clv_linear_check_model(model, BUNDLE_F32) &&
        clv_linear_allows_item(model, "weights_rest", BUNDLE_F32, model->features));
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    const BundleItem *rest = clv_bundle_get(model->bundle, "weights_rest", BUNDLE_F32);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    LinearDot dot = {0};
    Status status;

    TRY(clv_linear_predict(model, block, scores, error));
    if (!rest)
        return OK;
    status = clv_linear_dot_init(&dot, model->context, block, error);
    for (uint32_t row = 0; status == OK && row < block->rows; row++)
        scores[row] += *(const double *)scale->data * clv_linear_dot(&dot, rest, block, row);
    clv_linear_dot_free(&dot);
    return status;
}

static bool shares(const Model *model, const Block *block, uint32_t row, size_t output,
                   double *share, double *intercept)
{
    const BundleItem *rest = clv_bundle_get(model->bundle, "weights_rest", BUNDLE_F32);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);

    if (!clv_weight_contributions(model, block, row, output, share, intercept))
        return false;
    if (rest)
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            if (walk.column < model->features)
                share[walk.column] += *(const double *)scale->data *
                                      (double)((const float *)rest->data)[walk.column] *
                                      (double)walk.value;
    return true;
}

/* ---- updates --------------------------------------------------------------------------------- */

static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const Options *options = fit->options;
    LinearUpdate how = {.loss = {.kind = LOSS_SQUARED},
                        .learn_intercept = !options->no_intercept,
                        .C = INFINITY,
                        .unit = 1};
    Linear w = {0};
    Status status = clv_linear_update(fit, from, dataset, &how, &w);

    THEN(status, clv_linear_move_to_model(&w, 1, 1, model, fit->error));
    clv_linear_free(&w);
    return status;
}

/* ---- figures --------------------------------------------------------------------------------- */

static Status survey(Fit *fit, const Model *model, const Block *block, const double *scores)
{
    State *state = fit->state;

    (void)model;
    for (uint32_t row = 0; row < block->rows; row++) {
        double target = fit_target(fit, block, row),
               weight = fit_weight(fit, block, row, UNLABELED), off;

        if (isnan(target) || !(weight > 0))
            continue;
        state->seen_error += weight * (target - scores[row]) * (target - scores[row]);
        state->seen_weight += weight;
        off = target - state->seen_mean;
        state->seen_mean += off * weight / state->seen_weight;
        state->seen_square += weight * off * (target - state->seen_mean);
    }
    return OK;
}

static Status surveyed(Fit *fit, const Model *model)
{
    const State *state = fit->state;

    (void)model;
    clv_figure(fit, "sse", state->seen_error);
    clv_figure(fit, "rmse", sqrt(state->seen_error / state->seen_weight));
    if (state->seen_square > 0)
        clv_figure(fit, "r2", 1 - state->seen_error / state->seen_square);
    return OK;
}

static double loss(const Model *model, const double *scores, uint32_t label, double target)
{
    (void)model;
    (void)label;
    return (target - scores[0]) * (target - scores[0]);
}

static const MethodTraining training = {
    .default_epochs = default_epochs,
    .epoch_kind = epoch_kind,
    .begin = begin,
    .resume = resume,
    .fit = solve,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {
    .predict = predict,
    .check_model = check_model,
    .loss = loss,
};

static const MethodOnline online = {
    .update = update,
};

static const MethodInspection inspection = {
    .contributions = shares,
    .survey = survey,
    .end_survey = surveyed,
};

const Method clv_method_least_squares = {
    .name = "least-squares",
    .title = "Ordinary least squares or ridge regression.",
    .objective = "sum over examples of (y - w.x - b)^2 + ridge |w|^2",
    .reference = "Legendre 1805, Gauss 1809; ridge: Hoerl and Kennard 1970",
    .tasks = CLEAVE_TASK_REGRESSION,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_DETERMINISTIC,
    .behavior = METHOD_SCALE_INVARIANT | METHOD_LINEAR | METHOD_RECORDS_MOMENTS,
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .training = &training,
    .inference = &inference,
    .online = &online,
    .inspection = &inspection,
};
