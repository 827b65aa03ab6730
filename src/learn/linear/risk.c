#include "learn/linear/risk.h"

#include "base/number.h"
#include "learn/linear/average.h"
#include "learn/linear/dcd.h"
#include "learn/linear/linear_update.h"
#include "model/state.h"

#include <math.h>

#define SUPPORT_SLACK 1e-3 /* support vectors have y·score ≤ 1 + this value */
#define STREAM_LAMBDA 1e-4 /* lambda for an unknown number of rows */

const char *const clv_solver_names[] = {"auto",  "sgd",    "asgd",     "pegasos", "gd", "dcd",
                                        "lbfgs", "newton", "adaptive", "ftrl",    NULL};
const char *const clv_schedule_names[] = {"auto", "fixed", "inverse", "decay", "calibrated", NULL};
const char *const clv_multiclass_names[] = {"one-vs-rest", "joint", NULL};

static const Solver *const solvers[] = {
    [SOLVER_SGD] = &clv_solver_sgd,         [SOLVER_ASGD] = &clv_solver_asgd,
    [SOLVER_PEGASOS] = &clv_solver_pegasos, [SOLVER_GD] = &clv_solver_gd,
    [SOLVER_DCD] = &clv_solver_dcd,         [SOLVER_LBFGS] = &clv_solver_lbfgs,
    [SOLVER_NEWTON] = &clv_solver_newton,   [SOLVER_ADAPTIVE] = &clv_solver_adaptive,
    [SOLVER_FTRL] = &clv_solver_ftrl,
};

static const char *const loss_texts[] = {
    [LOSS_HINGE] = "max(0, 1 - y s)",
    [LOSS_SQUARED_HINGE] = "max(0, 1 - y s)^2",
    [LOSS_LOGISTIC] = "ln(1 + exp(-y s))",
    [LOSS_EPSILON] = "max(0, |y - s| - epsilon)",
    [LOSS_SQUARED_EPSILON] = "max(0, |y - s| - epsilon)^2",
    [LOSS_SQUARED] = "(y - s)^2 / 2",
};

/* ---- options --------------------------------------------------------------------------------- */

static const char *const loss_names[] = {
    [LOSS_HINGE] = "--loss hinge",
    [LOSS_SQUARED_HINGE] = "--loss squared-hinge",
    [LOSS_LOGISTIC] = "the logistic loss",
    [LOSS_EPSILON] = "--loss epsilon",
    [LOSS_SQUARED_EPSILON] = "--loss squared-epsilon",
    [LOSS_SQUARED] = "--loss squared",
};

static Status refuse_combination(const RiskOptions *options, const char *what, const char *hint,
                                 cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE, "%s and --solver %s cannot be combined", what,
             clv_solver_names[options->solver]);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "%s", hint);
}

/* Fails for options that the named solver does not support, including flags without effect. */
static Status check_solver(const RiskOptions *options, LossKind loss, cleave_error *error)
{
    const Solver *solver = solvers[options->solver];

    if (!(solver->losses & LOSS_BIT(loss)))
        return refuse_combination(
            options, loss_names[loss],
            solver->losses == LOSSES_SMOOTH
                ? "use a smooth loss (such as svm's --loss squared-hinge), or omit --solver"
                : "omit --solver; auto chooses one for the loss",
            error);
    if (options->l1_ratio > 0 && !solver->l1)
        return refuse_combination(options, "--l1-ratio",
                                  "use --solver lbfgs (smooth losses), sgd or ftrl (any loss)",
                                  error);
    if (options->solver == SOLVER_ADAPTIVE && (options->lambda > 0 || options->C != 1))
        return refuse_combination(options, options->lambda > 0 ? "--lambda" : "--C",
                                  "adaptive has no penalty; use --solver ftrl, sgd or asgd", error);
    if (options->multiclass == MULTICLASS_JOINT && !solver->joint)
        return refuse_combination(options, "--multiclass joint", "use --solver asgd", error);
    if (isinf(options->C) && !solver->hard)
        return refuse_combination(options, "--C inf", "use --solver dcd for a hard margin", error);
    if (options->initial_weights && !solver->starts)
        return refuse_combination(options, "--initial-weights",
                                  "--initial-weights applies to gd, sgd, asgd and pegasos", error);
    if ((options->learning_rate > 0 || options->learning_rate_decay > 0 ||
         options->schedule != RATE_AUTO || options->t0 > 0) &&
        !solver->rates)
        return refuse_combination(
            options, "a learning rate",
            "--learning-rate, --learning-rate-decay, --schedule and --t0 apply to gd, sgd and asgd",
            error);
    if (solver->per_weight &&
        (options->learning_rate_decay > 0 || options->schedule != RATE_AUTO || options->t0 > 0))
        return refuse_combination(options, "a schedule",
                                  "adaptive and ftrl support --learning-rate only", error);
    if (options->solver == SOLVER_GD && (options->schedule != RATE_AUTO || options->t0 > 0))
        return refuse_combination(options, "a schedule",
                                  "gd supports --learning-rate and --learning-rate-decay only",
                                  error);
    if (options->t0 > 0 && (options->solver == SOLVER_ASGD || options->learning_rate > 0))
        return refuse_combination(options,
                                  options->learning_rate > 0 ? "--t0 with --learning-rate" : "--t0",
                                  "--t0 applies to sgd with --schedule inverse", error);
    if (strcmp(options->batch_size, "1") != 0 && options->solver != SOLVER_PEGASOS)
        return refuse_combination(options, "--batch-size", "--batch-size applies to pegasos",
                                  error);
    return OK;
}

static Status check_batch(const RiskOptions *options, cleave_error *error)
{
    const char *end = NULL;
    double rows;

    if (strcmp(options->batch_size, "all") == 0)
        return OK;
    if (clv_parse_double(options->batch_size, options->batch_size + strlen(options->batch_size),
                         &rows, &end) &&
        *end == '\0' && rows >= 1 && rows <= 1e9 && rows == floor(rows))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "--batch-size is the number of rows per step",
                         "--batch-size: expected a positive integer or 'all', found '%s'",
                         options->batch_size);
}

Status clv_risk_check(void *given, const LossKind *losses, cleave_error *error)
{
    RiskOptions *options = given;

    if (options->lambda > 0 && options->C != 1)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "lambda = 1 / (n C) for n rows",
                             "--lambda and --C cannot be combined: both set the regularization");
    if (options->multiclass == MULTICLASS_JOINT && losses[options->loss] >= LOSS_EPSILON)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--multiclass joint applies to classification only");
    if (options->regularize_intercept && options->no_intercept)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--regularize-intercept and --no-intercept cannot be combined");
    TRY(check_batch(options, error));
    if (isinf(options->C) && losses[options->loss] != LOSS_HINGE)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--C inf requires --loss hinge");
    if (isinf(options->C) && options->l1_ratio > 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--C inf and --l1-ratio cannot be combined");
    if (options->l1_ratio > 0 && options->regularize_intercept)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--regularize-intercept and --l1-ratio cannot be combined");
    if (options->solver != SOLVER_AUTO)
        TRY(check_solver(options, losses[options->loss], error));
    if (options->solver == SOLVER_GD && !options->no_intercept)
        options->regularize_intercept = true; /* textbooks regularize the intercept in gd */
    return OK;
}

static int stochastic(double weights)
{
    /* above this number of weights, the memory for an average is too large */
    const double most_averaged = 4e6;

    return weights > most_averaged ? SOLVER_SGD : SOLVER_ASGD;
}

/* Whether to use the solver adaptive: one pass over an unknown number of rows without a penalty, of
 * sparse rows (bench/online) or with numeric targets. The columns of a table are standardized as
 * rows arrive, and the averaged weights of asgd classify such dense rows better: on adult, 15.1%
 * progressive error instead of 16.0%. */
static bool suits_adaptive(const Fit *fit, const RiskOptions *options)
{
    const Schema *schema = fit->problem->schema;
    bool table = schema && clv_schema_is_table(schema) && !clv_schema_is_array(schema);

    return fit->problem->rows == 0 && fit->problem->rows_before == 0 && options->lambda == 0 &&
           options->C == 1 && options->l1_ratio == 0 && options->multiclass != MULTICLASS_JOINT &&
           (fit->task == CLEAVE_TASK_REGRESSION || !table);
}

/* The default solver: exact if the rows and the dual variables fit in memory; stochastic
 * otherwise, for streams and for several workers. */
static int pick_solver(const Fit *fit, const RiskOptions *options, LossKind loss)
{
    const double most_duals = 4e7, most_weights = 2.5e8;
    double duals = (double)fit->problem->rows * (double)fit->outputs,
           weights = (double)fit->features * (double)fit->outputs;
    bool smooth = LOSSES_SMOOTH & LOSS_BIT(loss);

    if (isinf(options->C))
        return SOLVER_DCD;
    if (options->initial_weights || options->learning_rate > 0 || options->schedule != RATE_AUTO ||
        options->t0 > 0)
        return SOLVER_SGD;
    if (strcmp(options->batch_size, "1") != 0)
        return SOLVER_PEGASOS;
    if (fit->problem->racy)
        return SOLVER_SGD;
    if (suits_adaptive(fit, options))
        return SOLVER_ADAPTIVE;
    if (fit->problem->rows == 0 || fit->problem->shared || options->multiclass == MULTICLASS_JOINT)
        return options->l1_ratio > 0 ? SOLVER_SGD : stochastic(weights);
    if (options->l1_ratio > 0)
        return smooth && weights < most_weights / 16 ? SOLVER_LBFGS : SOLVER_SGD;
    if (fit->problem->on_disk)
        return stochastic(weights);
    if (duals <= most_duals && weights < most_weights && (clv_solver_dcd.losses & LOSS_BIT(loss)))
        return SOLVER_DCD;
    /* newton needs half the passes of lbfgs, and stores numbers per row */
    if (smooth && weights < most_weights / 16)
        return duals <= most_duals ? SOLVER_NEWTON : SOLVER_LBFGS;
    return stochastic(weights);
}

/* The default tolerance. Exact solvers: near machine precision for few rows, 1e-4 for many. gd
 * needs 1 / tolerance epochs for losses with kinks. Stochastic solvers have no certificate, and end
 * when the objective no longer decreases. */
static double default_tolerance(const Fit *fit, const RiskOptions *options, LossKind loss)
{
    const uint64_t few_rows = 1000;
    bool corners = !(LOSSES_SMOOTH & LOSS_BIT(loss)) && options->learning_rate == 0;

    if (!solvers[options->solver]->fit)
        return options->solver == SOLVER_GD && fit->problem->rows <= few_rows && !corners ? 1e-9
                                                                                          : 1e-3;
    return fit->problem->rows <= few_rows ? 1e-9 : 1e-4;
}

Status clv_risk_choose(Fit *fit, void *given, const LossKind *losses)
{
    RiskOptions *options = given;

    if (fit->outputs == 1 && fit->problem->rows > 0)
        /* two classes have a single weight vector; a stream may add a third class */
        options->multiclass = MULTICLASS_REST;
    if (options->solver == SOLVER_AUTO) {
        options->solver = pick_solver(fit, options, losses[options->loss]);
        TRY(check_solver(options, losses[options->loss], fit->error));
        if (fit->problem->on_disk && !solvers[options->solver]->fit)
            clv_note(
                fit->context,
                "the rows do not fit in memory: using --solver %s, which reads them once per epoch",
                clv_solver_names[options->solver]);
    }
    if (fit->problem->rows == 0 && options->solver == SOLVER_GD)
        return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                        "--solver gd and --stream cannot be combined: a step of gd needs all rows");
    if (options->tolerance == 0)
        options->tolerance = default_tolerance(fit, options, losses[options->loss]);
    if (fit->problem->rows == 0 && solvers[options->solver]->per_weight)
        return options->lambda == 0
                   ? OK
                   : clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                                   "use --C, which does not depend on the number of rows",
                                   "--lambda with --solver %s needs the number of rows, which is "
                                   "unknown in a stream",
                                   clv_solver_names[options->solver]);
    if (fit->problem->rows == 0 && options->lambda == 0 && fit->problem->rows_before > 0 &&
        isfinite(options->C)) {
        /* the lambda of the warm-start model */
        options->lambda = 1 / ((double)fit->problem->rows_before * options->C);
        options->C = 1;
    }
    if (fit->problem->rows == 0 && options->lambda == 0) {
        options->lambda = STREAM_LAMBDA;
        clv_note(fit->context,
                 "the number of rows of a stream is unknown: using --lambda %g instead of --C %g",
                 STREAM_LAMBDA, options->C);
        options->C = 1;
    }
    return OK;
}

bool clv_risk_prefers_fit(const void *options)
{
    return solvers[((const RiskOptions *)options)->solver] &&
           solvers[((const RiskOptions *)options)->solver]->fit;
}

uint32_t clv_risk_default_epochs(const void *given)
{
    const RiskOptions *options = given;

    if (options->solver == SOLVER_DCD)
        return DCD_MAX_ITERATIONS;
    return clv_risk_prefers_fit(options) ? 1000 : options->solver == SOLVER_GD ? 1000 : 100;
}

EpochKind clv_risk_epoch_kind(const void *given)
{
    const RiskOptions *options = given;

    if (!options || options->solver == SOLVER_AUTO)
        return EPOCH_BY_SOLVER;
    return clv_risk_prefers_fit(options) || options->solver == SOLVER_GD ? EPOCH_ITERATION
                                                                         : EPOCH_PASS;
}

static bool learns_threshold(const void *options)
{
    return !((const RiskOptions *)options)->no_intercept;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void describe(Fit *fit, const Risk *risk)
{
    const RiskOptions *options = risk->options;
    const char *penalty = options->l1_ratio == 0   ? "lambda/2 |w|^2"
                          : options->l1_ratio == 1 ? "lambda |w|_1"
                                                   : "lambda ((1 - l1)/2 |w|^2 + l1 |w|_1)";

    clv_solver(fit, risk->solver->name);
    if (risk_is_hard(risk))
        clv_objective(fit, "1/2 |w|^2 subject to y s >= 1, s = w.x%s",
                      risk->learn_intercept ? " + b" : "");
    else
        clv_objective(fit, "%s%s%smean %s, s = w.x%s", risk->lambda > 0 ? penalty : "",
                      options->regularize_intercept ? " (w includes b)" : "",
                      risk->lambda > 0 ? " + " : "",
                      options->multiclass == MULTICLASS_JOINT && fit->outputs > 1
                          ? risk->loss.kind == LOSS_LOGISTIC ? "(ln sum_k exp(s_k) - s_y)"
                                                             : "max(0, 1 + max_{k != y} s_k - s_y)"
                          : loss_texts[risk->loss.kind],
                      risk->learn_intercept ? " + b" : "");
}

/* Weights and intercept from --initial-weights. */
static Status set_start(Fit *fit, Risk *risk)
{
    const char *at = risk->options->initial_weights;
    size_t count = (size_t)fit->features + risk->learn_intercept, i = 0;

    if (!at)
        return OK;
    if (fit->outputs > 1)
        return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                        "--initial-weights applies to binary classification and regression, and "
                        "the data has %u classes",
                        fit->classes);
    for (;; at++) {
        size_t length = strcspn(at, ",");
        const char *end;
        double value;

        if (!clv_parse_double(at, at + length, &value, &end) || end != at + length ||
            fabs(value) > 1e30)
            return clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                            "--initial-weights: value %zu is not a number: '%.*s'", i + 1,
                            (int)(length < 40 ? length : 40), at);
        if (i < fit->features)
            risk->w.w[i] = (float)value;
        else if (i < count)
            risk->w.intercept[0] = value;
        i++;
        at += length;
        if (!*at)
            break;
    }
    if (i == count || (i == fit->features && risk->learn_intercept))
        return OK;
    return clv_fail_hint(
        fit->error, CLEAVE_ERROR_USAGE, "list the weights in column order, then the intercept",
        "--initial-weights: expected a value for each of the %u features%s, found %zu",
        fit->features, risk->learn_intercept ? " and the intercept" : "", i);
}

static Status allocate_own(Fit *fit, Risk *risk)
{
    risk->memory = (Arena){
        .context = fit->context, .error = fit->error, .what = "the solver state"};
    risk->own = clv_arena_zero(&risk->memory, 1, risk->solver->own_size);
    return risk->memory.status;
}

static void free_own(Fit *fit, Risk *risk)
{
    if (risk->own && risk->solver->free)
        risk->solver->free(fit, risk);
    clv_arena_free(&risk->memory);
    risk->own = NULL;
}

/* Allocates memory for this many features in every per-weight array. */
static Status reserve(Fit *fit, Risk *risk, uint32_t features)
{
    TRY(clv_linear_reserve(&risk->w, features, fit->error));
    if (features > fit->features)
        fit->features = features;
    if (risk->averages)
        TRY(clv_late_mean_reserve(&risk->mean, &risk->w, fit->error));
    return risk->solver->reserve ? risk->solver->reserve(fit, risk) : OK;
}

Status clv_risk_begin(Fit *fit, const LossKind *losses)
{
    const RiskOptions *options = fit->options;
    Risk *risk = fit->state;

    risk->options = options;
    risk->solver = solvers[options->solver];
    risk->kernels = clv_kernels();
    risk->loss = (Loss){.kind = losses[options->loss], .epsilon = options->epsilon};
    risk->lambda = risk_is_hard(risk) || risk->solver == &clv_solver_adaptive ? 0
                   : options->lambda > 0                                      ? options->lambda
                   : fit->problem->weight_total > 0 ? 1 / (fit->problem->weight_total * options->C)
                                                    : 0;
    risk->learn_intercept = !options->no_intercept;
    risk->scale = 1;
    TRY(clv_linear_init(&risk->w, fit->context, fit->features, fit->outputs, fit->error));
    risk->scores = clv_alloc_zero(fit->context, fit->outputs, sizeof *risk->scores);
    risk->steps = clv_alloc_zero(fit->context, fit->outputs, sizeof *risk->steps);
    risk->factor = clv_alloc_zero(fit->context, fit->outputs, sizeof *risk->factor);
    if (!risk->scores || !risk->steps || !risk->factor)
        return clv_fail_memory(fit->error, "scores", fit->outputs * sizeof *risk->scores);
    for (size_t i = 0; i < fit->outputs; i++)
        risk->factor[i] = 1;
    describe(fit, risk);
    if (!risk->solver->begin)
        return OK;
    TRY(set_start(fit, risk));
    TRY(allocate_own(fit, risk));
    TRY(risk->solver->begin(fit, risk));
    risk->averaging = risk->averages;
    if (risk->averages)
        TRY(clv_late_mean_init(&risk->mean, &risk->w, fit->error));
    return reserve(fit, risk, fit->features);
}
double clv_risk_penalty(const Risk *risk, const Linear *w, double scale)
{
    double squares = 0, sizes = 0, l1 = risk->options->l1_ratio;
    size_t count = (size_t)w->features * w->outputs;

    for (size_t i = 0, end; i < count;)
        for (end = next_weights(w->context, i, count); i < end; i++)
            squares += (double)w->w[i] * (double)w->w[i];
    for (size_t i = 0, end; i < count && l1 > 0;)
        for (end = next_weights(w->context, i, count); i < end; i++)
            sizes += fabs((double)w->w[i]);
    squares *= scale * scale;
    for (size_t i = 0; i < w->outputs && risk->options->regularize_intercept; i++)
        squares += w->intercept[i] * w->intercept[i];
    return risk->lambda * ((1 - l1) / 2 * squares + l1 * scale * sizes);
}

double clv_risk_model_penalty(const Fit *fit, const Model *model)
{
    const Risk *risk = fit->state;
    double squares = 0, sizes = 0, l1 = risk->options->l1_ratio;

    for (size_t output = 0; output < fit->outputs; output++) {
        for (size_t column = 0; column < model->features; column++) {
            double weight = cleave_model_weight(model, output, column);

            squares += weight * weight;
            sizes += fabs(weight);
        }
        if (risk->options->regularize_intercept)
            squares += pow(cleave_model_threshold(model, output), 2);
    }
    return risk->lambda * ((1 - l1) / 2 * squares + l1 * sizes);
}

double clv_risk_row_loss(const Fit *fit, const Risk *risk, const double *scores, uint32_t label,
                         double target)
{
    double sum = 0;

    if (fit->outputs > 1 && risk->options->multiclass == MULTICLASS_JOINT)
        return risk_joint_loss(risk->loss, scores, fit->outputs, label, NULL);
    for (size_t i = 0; i < fit->outputs; i++)
        sum += loss_value(risk->loss, risk_y(fit, label, target, i), scores[i]);
    return sum;
}

Status clv_risk_fingerprint(const Fit *fit, const Risk *risk, Dataset *dataset,
                            uint64_t *fingerprint)
{
    const RiskOptions *options = risk->options;
    const double numbers[] = {risk->loss.kind,       risk->loss.epsilon,
                              risk->lambda,          options->l1_ratio,
                              risk_is_hard(risk),    options->regularize_intercept,
                              risk->learn_intercept, options->multiclass};

    return clv_state_fingerprint(fit, dataset, risk->solver->name, numbers,
                                 sizeof numbers / sizeof *numbers, fingerprint);
}

/* ---- the method around the solver ------------------------------------------------------------ */

Status clv_risk_sample(Fit *fit, const Block *rows)
{
    Risk *risk = fit->state;

    TRY(reserve(fit, risk, rows->features));
    return risk->solver->sample(fit, risk, rows);
}

Status clv_risk_step(Fit *fit, const Block *block)
{
    Risk *risk = fit->state;

    TRY(reserve(fit, risk, block->features));
    return risk->solver->step(fit, risk, block);
}

Status clv_risk_end_epoch(Fit *fit, bool *clean)
{
    Risk *risk = fit->state;

    TRY(risk->solver->pass(fit, risk, clean));
    return clv_linear_finite(&risk->w) ? OK : clv_linear_overflow(fit->error);
}

/* Only an interrupted run has a state to continue from. */
Status clv_risk_fit(Fit *fit, Dataset *dataset)
{
    Risk *risk = fit->state;
    Status status = allocate_own(fit, risk);

    THEN(status, risk->solver->fit(fit, risk, dataset));
    if ((status != OK && !(status == CLEAVE_ERROR_CANCELLED && risk->solver->keeps_cancelled)) ||
        fit->result.converged || fit->result.plateau)
        free_own(fit, risk);
    TRY(status);
    return clv_linear_finite(&risk->w) ? OK : clv_linear_overflow(fit->error);
}

void clv_risk_free(Fit *fit)
{
    Risk *risk = fit->state;

    free_own(fit, risk);
    clv_late_mean_free(&risk->mean);
    clv_linear_free(&risk->w);
    FREE(fit->context, risk->scores, risk->steps, risk->factor);
}

void clv_risk_flush_scale(Risk *risk)
{
    if (risk->w.shared) { /* the weights are shared by all workers, so their scale is fixed */
        risk->scale = LEAST_SCALE;
        return;
    }
    if (risk->averaging)
        clv_late_mean_flush(&risk->mean, &risk->w);
    for (size_t i = 0; i < (size_t)risk->w.features * risk->w.outputs; i++)
        risk->w.w[i] = (float)((double)risk->w.w[i] * risk->scale);
    for (size_t i = 0; i < risk->w.outputs; i++)
        risk->factor[i] *= risk->scale;
    risk->scale = 1;
}

Status clv_risk_copy_state(Fit *to, const Fit *from)
{
    Risk *into = to->state;
    const Risk *risk = from->state;

    TRY(reserve(to, into, risk->w.features));
    memcpy(into->w.w, risk->w.w, (size_t)risk->w.features * risk->w.outputs * sizeof *risk->w.w);
    memcpy(into->w.intercept, risk->w.intercept, risk->w.outputs * sizeof *risk->w.intercept);
    into->scale = risk->scale;
    into->averaging = false; /* a trial of a learning rate evaluates the last weights */
    return risk->solver->copy ? risk->solver->copy(to, into, risk) : OK;
}

static Status race(Fit *worker, const Fit *shared, unsigned workers)
{
    Risk *risk = worker->state;

    if (!risk->solver->race || risk->options->l1_ratio > 0)
        return clv_fail_hint(worker->error, CLEAVE_ERROR_USAGE,
                             "--shards supports every solver that trains in epochs",
                             "--racy requires --solver sgd without --l1-ratio, found --solver %s%s",
                             risk->solver->name,
                             risk->options->l1_ratio > 0 ? " with --l1-ratio" : "");
    clv_linear_share(&risk->w, &((const Risk *)shared->state)->w);
    risk->kernels = risk->w.kernels;
    risk->solver->race(risk, workers);
    return OK;
}

void clv_risk_set_rate_factor(Fit *fit, double factor)
{
    Risk *risk = fit->state;

    if (risk->solver->set_rate)
        risk->solver->set_rate(risk, factor);
}

/* ---- several workers ------------------------------------------------------------------------- */

static const DeltaShape shapes[] = {
    {.name = "keep", .kind = SHAPE_OUTPUTS},
    {.name = "bias", .kind = SHAPE_OUTPUTS},
    {.name = "w", .kind = SHAPE_WEIGHTS},
    {.name = "gain", .kind = SHAPE_OUTPUTS},
    {.name = "rows_sum", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = "numbers", .kind = SHAPE_NUMBERS, .numbers = 2},
    {.name = "bias_squares", .kind = SHAPE_OUTPUTS},
    {.name = "class_seen", .kind = SHAPE_CLASSES},
    {.name = "rate", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = "paid", .kind = SHAPE_WEIGHTS},
    {.name = "mean_keep", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = "mean_gain", .kind = SHAPE_OUTPUTS},
    {.name = "mean_steps", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = "mean_bias", .kind = SHAPE_OUTPUTS},
    {.name = "mean", .kind = SHAPE_WEIGHTS},
    ADAPTIVE_SHAPES,
    {.name = NULL},
};

static Status refuse_many(const Risk *risk, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "use --solver sgd (averages models) or --solver gd (sums gradients)",
                         "--solver %s cannot be trained by several workers", risk->solver->name);
}

static Status give(const Fit *fit, const Fit *start, Delta *delta)
{
    const Risk *risk = fit->state;

    if (!risk->solver->give)
        return refuse_many(risk, fit->error);
    return risk->solver->give(fit, risk, start->state,
                              (double)(fit->counters.seen - start->counters.seen), delta);
}

static Status take(Fit *fit, const Delta *sum)
{
    Risk *risk = fit->state;
    uint32_t features = fit->features;

    if (!risk->solver->take)
        return refuse_many(risk, fit->error);
    TRY(clv_average_features(sum, "w", fit->outputs, &features, fit->error));
    TRY(clv_average_features(sum, "squares", fit->outputs, &features, fit->error));
    TRY(reserve(fit, risk, features));
    return risk->solver->take(fit, risk, clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS), sum);
}

Status clv_risk_give_average(const Fit *fit, const Risk *risk, const Risk *start, double rows,
                             Delta *delta)
{
    TRY(clv_average_give((LocalWeights){&risk->w, risk->scale, risk->factor},
                         (LocalWeights){&start->w, start->scale, NULL}, rows, delta, fit->error));
    return risk->averages ? clv_late_mean_give(&risk->mean, &risk->w, &start->mean, &start->w, rows,
                                               delta, fit->error)
                          : OK;
}

Status clv_risk_take_average(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    if (risk->averages)
        TRY(clv_late_mean_take(&risk->mean, fit, &risk->w, rows, sum));
    clv_average_take(&risk->w, &risk->scale, rows, sum);
    return OK;
}

static bool sums_exactly(const void *options)
{
    const Solver *solver = solvers[((const RiskOptions *)options)->solver];

    return solver && solver->sums_exactly && solver->sums_exactly(options);
}

/* ---- streams --------------------------------------------------------------------------------- */

static Status score(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    const Risk *risk = fit->state;

    if (clv_late_mean_scores(&risk->mean, &risk->w, block, row, risk->scores, scores))
        return OK;
    clv_linear_known_scores(&risk->w, risk->w.w, risk->scale, block, row, scores);
    for (size_t i = 0; i < risk->w.outputs; i++)
        scores[i] += risk->w.intercept[i];
    return OK;
}

static Status refuse_stream(const Risk *risk, const char *what, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use --solver sgd, asgd or pegasos",
                         "--solver %s cannot %s", risk->solver->name, what);
}

static Status widen(Fit *fit, uint32_t classes, uint32_t positive)
{
    Risk *risk = fit->state;
    Widening to = {classes, positive, outputs_of(classes)};

    if (!risk->solver->widen)
        return refuse_stream(risk, "add new classes during training", fit->error);
    TRY(reserve(fit, risk, risk->w.features));
    if (risk->averages)
        TRY(clv_late_mean_widen(&risk->mean, fit, &risk->w, &to));
    TRY(risk->solver->widen(fit, risk, &to));
    TRY(clv_widen_linear(fit, &to, &risk->w));
    TRY(clv_widen_doubles(fit, &to, &risk->scores, 1));
    TRY(clv_widen_doubles(fit, &to, &risk->steps, 1));
    TRY(clv_widen_doubles(fit, &to, &risk->factor, 1));
    for (size_t i = 0; i < to.outputs; i++)
        risk->factor[i] = 1;
    clv_widened(fit, &to);
    describe(fit, risk);
    return OK;
}

static Status forget(Fit *fit, double keep)
{
    Risk *risk = fit->state;

    if (!risk->solver->forget)
        return refuse_stream(risk, "forget", fit->error);
    clv_late_mean_forget(&risk->mean, keep);
    risk->solver->forget(risk, keep);
    return OK;
}

static double learning_rate(const Fit *fit)
{
    const Risk *risk = fit->state;

    return risk->solver->rate ? risk->solver->rate(fit, risk) : (double)NAN;
}

/* ---- figures --------------------------------------------------------------------------------- */

static bool supports(const Risk *risk, double y, double score)
{
    switch (risk->loss.kind) {
    case LOSS_HINGE:
    case LOSS_SQUARED_HINGE:
        return y * score <= 1 + SUPPORT_SLACK;
    case LOSS_EPSILON:
    case LOSS_SQUARED_EPSILON:
        return fabs(y - score) >= risk->loss.epsilon - SUPPORT_SLACK;
    default:
        return false;
    }
}

void clv_risk_add_row(Risk *risk, double weight, double y, double score)
{
    risk->survey.weight += weight;
    risk->survey.loss += weight * loss_value(risk->loss, y, score);
    risk->survey.support_vectors += supports(risk, y, score);
}

static bool row_supports(const Fit *fit, const Risk *risk, const double *scores, uint32_t label,
                         double target)
{
    if (fit->outputs > 1 && risk->options->multiclass == MULTICLASS_JOINT)
        return supports(risk, 1,
                        scores[label] - scores[highest_wrong(scores, fit->outputs, label)]);
    for (size_t i = 0; i < fit->outputs; i++)
        if (supports(risk, risk_y(fit, label, target, i), scores[i]))
            return true;
    return false;
}

static Status survey(Fit *fit, const Model *model, const Block *block, const double *scores)
{
    Risk *risk = fit->state;

    (void)model;
    for (uint32_t row = 0; row < block->rows; row++) {
        const double *of_row = scores + (size_t)row * fit->outputs;
        uint32_t label;
        double target, weight;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        weight = fit_weight(fit, block, row, label);
        risk->survey.weight += weight;
        risk->survey.loss += weight * clv_risk_row_loss(fit, risk, of_row, label, target);
        risk->survey.support_vectors += row_supports(fit, risk, of_row, label, target);
    }
    return OK;
}

/* Squared norm of the model's weights, without and with the intercepts. */
static void lengths(const Fit *fit, const Model *model, double *weights, double *sizes,
                    double *offsets)
{
    const BundleItem *w = clv_bundle_get(model->bundle, "weights", BUNDLE_F32);
    double scale = *(const double *)clv_bundle_get(model->bundle, "scale", BUNDLE_F64)->data;

    *weights = *sizes = *offsets = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        double value = (double)((const float *)w->data)[i];

        *weights += value * value;
        *sizes += fabs(value);
    }
    *weights *= scale * scale;
    *sizes *= fabs(scale);
    for (size_t output = 0; output < fit->outputs; output++)
        *offsets += cleave_model_threshold(model, output) * cleave_model_threshold(model, output);
}

/* The duality gap relative to the primal, from 0 to 1: a negative dual value is treated as 0. */
static double relative_gap(double cost, double dual)
{
    return cost > 1e-15 ? fmin(1, fmax(0, (cost - dual) / cost)) : 0;
}

static Status end_survey(Fit *fit, const Model *model)
{
    Risk *risk = fit->state;
    double l1 = risk->options->l1_ratio, squares, sizes, offsets, mean, primal, cost;

    lengths(fit, model, &squares, &sizes, &offsets);
    mean = risk->survey.weight > 0 ? risk->survey.loss / risk->survey.weight : 0;
    if (risk_is_hard(risk)) {
        clv_figure(fit, "C", INFINITY);
        cost = (squares + (risk->options->regularize_intercept ? offsets : 0)) / 2;
        clv_figure(fit, "primal", cost); /* the only cost is the penalty, and lambda is 0 */
        clv_figure(fit, "objective_value", cost);
        if (risk->has_dual) {
            clv_figure(fit, "dual", risk->dual);
            clv_figure(fit, "gap", relative_gap(cost, risk->dual));
        }
    } else {
        /* the reported penalty never includes the intercept */
        primal = risk->lambda * ((1 - l1) / 2 * squares + l1 * sizes) + mean;
        cost = primal + (risk->options->regularize_intercept ? risk->lambda / 2 * offsets : 0);
        if (risk->lambda > 0) {
            clv_figure(fit, "lambda", risk->lambda);
            clv_figure(fit, "C", 1 / (risk->lambda * risk->survey.weight));
        }
        clv_figure(fit, "primal", primal);
        if (risk->lambda > 0)
            clv_figure(fit, "objective_value", cost / risk->lambda);
        if (risk->has_dual) {
            clv_figure(fit, "dual", risk->dual);
            clv_figure(fit, "gap", relative_gap(cost, risk->dual));
        }
    }
    clv_figure(fit, "mean_loss", mean);
    if (fit->outputs == 1 && squares > 0) {
        clv_figure(fit, "margin", 1 / sqrt(squares));
        clv_figure(fit, "weight_length", sqrt(squares));
    }
    if (risk->loss.kind != LOSS_LOGISTIC && risk->loss.kind != LOSS_SQUARED)
        clv_figure(fit, "support_vectors", (double)risk->survey.support_vectors);
    return OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Writes the averaged weights, or the solver's own solution, into the model. */
static Status put_result(Fit *fit, Risk *risk, Model *model, bool *put)
{
    Linear result;
    Status status = clv_linear_init(&result, fit->context, risk->w.features, risk->w.outputs,
                                    fit->error);

    if (status == OK) {
        *put = clv_late_mean_get(&risk->mean, &risk->w, &result) ||
               (risk->solver->result && risk->solver->result(fit, risk, &result));
        if (*put)
            status = clv_linear_to_model(&result, 1, 1, model, fit->error);
    }
    clv_linear_free(&result);
    return status;
}

Status clv_risk_end(Fit *fit, Model *model)
{
    Risk *risk = fit->state;
    double loss[3] = {risk->loss.kind, risk->loss.epsilon,
                      fit->outputs > 1 && risk->options->multiclass == MULTICLASS_JOINT};
    bool put = false;

    if (risk->solver->result || risk->averages)
        TRY(put_result(fit, risk, model, &put));
    if (!put)
        TRY((fit->last ? clv_linear_move_to_model(&risk->w, risk->scale, 1, model, fit->error)
                       : clv_linear_to_model(&risk->w, risk->scale, 1, model, fit->error)));
    TRY(clv_bundle_put(model->bundle, "loss", BUNDLE_F64, loss, 3, fit->error));
    return risk->solver->save ? risk->solver->save(fit, risk, model) : OK;
}

Status clv_risk_resume(Fit *fit, const Model *model)
{
    Risk *risk = fit->state;
    uint64_t count = (uint64_t)model->features * risk->w.outputs;

    risk->from = model;
    TRY(clv_linear_from_model(&risk->w, model, 1, fit->error));
    TRY(reserve(fit, risk, risk->w.features));
    if (risk->solver->scaled) { /* stored unscaled, so that a resumed run is bit-identical */
        clv_bundle_copy(model->bundle, "weights", BUNDLE_F32, risk->w.w, count);
        clv_bundle_copy(model->bundle, "scale", BUNDLE_F64, &risk->scale, 1);
    }
    return risk->solver->resume ? risk->solver->resume(fit, risk, model) : OK;
}

static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const RiskOptions *options = fit->options;
    const double *loss = clv_bundle_get(from->bundle, "loss", BUNDLE_F64)->data;
    double rows = fit->problem->rows_before ? (double)fit->problem->rows_before : 1;
    LinearUpdate how = {
        .loss = {.kind = (LossKind)loss[0], .epsilon = loss[1]},
        .joint = options->multiclass == MULTICLASS_JOINT,
        .learn_intercept = !options->no_intercept,
        .C = options->lambda > 0 ? 1 / (options->lambda * rows) : options->C,
        .unit = 1,
    };
    double kept[3] = {loss[0], loss[1], how.joint && fit->outputs > 1};
    Linear w = {0};
    Status status = clv_linear_update(fit, from, dataset, &how, &w);

    THEN(status, clv_linear_move_to_model(&w, 1, 1, model, fit->error));
    THEN(status, clv_bundle_put(model->bundle, "loss", BUNDLE_F64, kept, 3, fit->error));
    clv_linear_free(&w);
    return status;
}

/* The model records the solver that was chosen in place of `auto`. */
Status clv_risk_check_model(const Model *model, const void *options, cleave_error *error)
{
    const BundleItem *loss = clv_bundle_get(model->bundle, "loss", BUNDLE_F64);
    const double *values = loss ? loss->data : NULL;

    (void)error;
    return model_is_sound((clv_linear_check_model(model, BUNDLE_F32) ||
                           /* an imported model has weights in double */
                           clv_linear_check_model(model, BUNDLE_F64)) &&
                          loss && loss->count == 3 && values[0] >= 0 && values[0] < LOSS_KINDS &&
                          isfinite(values[1]) && solvers[((const RiskOptions *)options)->solver] &&
                          clv_adaptive_check_model(model));
}

double clv_risk_loss(const Model *model, const double *scores, uint32_t label, double target)
{
    const double *stored = clv_bundle_get(model->bundle, "loss", BUNDLE_F64)->data;
    Loss loss = {.kind = (LossKind)stored[0], .epsilon = stored[1]};
    size_t outputs = outputs_of(model->labels.count);
    double sum = 0;

    if (model->task == CLEAVE_TASK_REGRESSION)
        return loss_value(loss, target, scores[0]);
    if (outputs == 1)
        return loss_value(loss, label == model->positive ? 1 : -1, scores[0]);
    if (stored[2] != 0)
        return risk_joint_loss(loss, scores, outputs, label, NULL);
    for (size_t i = 0; i < outputs; i++)
        sum += loss_value(loss, i == label ? 1 : -1, scores[i]);
    return sum;
}

static void copy_weights(const Fit *fit, double *weights, double *thresholds)
{
    const Risk *risk = fit->state;

    clv_linear_look(&risk->w, risk->scale, weights, thresholds);
    for (size_t i = 0; i < fit->outputs; i++)
        thresholds[i] = risk->w.intercept[i] == 0 ? 0 : -risk->w.intercept[i];
}

const MethodInference clv_risk_inference = {
    .predict = clv_linear_predict,
    .check_model = clv_risk_check_model,
    .loss = clv_risk_loss,
};

const MethodOnline clv_risk_online = {
    .score = score,
    .widen = widen,
    .forget = forget,
    .learning_rate = learning_rate,
    .update = update,
};

const MethodDistributed clv_risk_distributed = {
    .give = give,
    .shapes = shapes,
    .take = take,
    .sums_exactly = sums_exactly,
    .race = race,
};

const MethodInspection clv_risk_inspection = {
    .contributions = clv_weight_contributions,
    .survey = survey,
    .end_survey = end_survey,
    .weights = copy_weights,
    .learns_threshold = learns_threshold,
};
