/*
 * Support vector machines with kernels (Boser, Guyon and Vapnik 1992; Cortes and Vapnik 1995): the
 * objective is in svm.h, the solvers in smo.c (exact), stochastic.c (descent on the expansion) and
 * random_features.c (random features, the fastest). This file turns options and rows into the
 * problem, and the solution into a model and figures.
 */
#include "learn/kernel/svm.h"

#include "base/machine.h"
#include "base/random.h"
#include "learn/kernel/expansion.h"

#define LARGEST_SELF 1e18 /* limit of K(x, x); sums of larger kernel values overflow floats */
#define ON_MARGIN (1 + 1e-3)

const char *const clv_svm_solvers[] = {"smo", "sgd", "pegasos", "fourier", NULL};

static const Param params[] = {
    KERNEL_PARAMS(0,
                  "Coefficient of the Gaussian and polynomial kernels.\n"
                  "The default is 'scale' of scikit-learn.",
                  "1 / sum of the column variances"),
    REAL_OR_INF(SvmOptions, C, 1, ABOVE(0), "Inverse regularization strength; inf: hard margin.",
                TUNE_LOG(1e-2, 1e3), WHEN("lambda=0")),
    REAL(SvmOptions, lambda, 0, AT_LEAST(0), "Regularization strength, 1 / (n C).",
         DEFAULT("from --C")),
    NAME(SvmOptions, solver, SOLVER_SMO, clv_svm_solvers,
         "Solver: exact (smo), stochastic (sgd, pegasos), or random Fourier features."),
    REAL(SvmOptions, tolerance, 1e-3, ABOVE(0),
         "Stopping tolerance.\n"
         "smo: maximum violation of the optimality conditions. sgd, pegasos: relative "
         "decrease of the objective."),
    REAL(SvmOptions, cache_mb, 200, ABOVE(0), "Size of the kernel cache, in MB."),
    INTEGER(SvmOptions, fourier_features, 1000, WITHIN(1, 1e6),
            "Number of random features of --solver fourier."),
    END_OF_PARAMS,
};

static Status check(void *given, cleave_error *error)
{
    const SvmOptions *options = given;

    TRY(clv_kernel_check(&options->kernel, error));
    if (options->kernel.gamma > 0 && options->kernel.sigma > 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--gamma and --sigma cannot be combined: both set the width of the kernel");
    if (isinf(options->C) && options->lambda > 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--C inf and --lambda cannot be combined: both set the regularization");
    if (isinf(options->C) && options->solver != SOLVER_SMO)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use --solver smo for a hard margin",
                             "--C inf and --solver %s cannot be combined",
                             clv_svm_solvers[options->solver]);
    if (options->solver == SOLVER_FOURIER && options->kernel.kernel != KERNEL_GAUSSIAN)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "random Fourier features approximate the gaussian kernel only",
                             "--solver fourier and --kernel %s cannot be combined",
                             clv_kernel_names[options->kernel.kernel]);
    return OK;
}

static uint32_t default_epochs(const void *given)
{
    const SvmOptions *options = given;

    return options->solver == SOLVER_SMO ? 10000 : options->solver == SOLVER_FOURIER ? 1 : 20;
}

static EpochKind epoch_kind(const void *given)
{
    const SvmOptions *options = given;

    if (!options)
        return EPOCH_BY_SOLVER;
    return options->solver == SOLVER_SMO ? EPOCH_ITERATION : EPOCH_PASS;
}

static Status begin(Fit *fit)
{
    Svm *svm = fit->state;

    svm->options = fit->options;
    svm->outputs = outputs_of(fit->classes);
    svm->scale = 1;
    clv_points_init(&svm->points, fit->context, fit->features);
    svm->before = INFINITY;
    clv_solver(fit, clv_svm_solvers[svm->options->solver]);
    return OK;
}

static void free_state(Fit *fit)
{
    Svm *svm = fit->state;

    clv_cache_free(&svm->cache);
    clv_evaluator_free(&svm->evaluator);
    clv_view_free(&svm->whole);
    clv_points_free(&svm->points);
    clv_fourier_free(&svm->fourier);
    FREE(fit->context, svm->label, svm->row, svm->weight);
    clv_arena_free(&svm->memory);
}

/* Starts from a model. Its kernel may be different, because β is a start for any kernel. Random
 * features and rows cannot be combined. */
static Status resume(Fit *fit, const Model *model)
{
    Svm *svm = fit->state;

    if (clv_fourier_in_model(model) != (svm->options->solver == SOLVER_FOURIER))
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_USAGE,
            "random-feature models and support-vector models cannot be converted into each other",
            "the warm-start model was %strained with --solver fourier and cannot continue "
            "with --solver %s",
            clv_fourier_in_model(model) ? "" : "not ", clv_svm_solvers[svm->options->solver]);
    if (outputs_of(model->labels.count) != svm->outputs)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "the warm-start model has %u classes and the data has a different number",
                        model->labels.count);
    svm->from = model;
    return OK;
}

/* ---- the rows -------------------------------------------------------------------------------- */

static Status take_block(Fit *fit, const Block *block, size_t *label_capacity,
                         size_t *weight_capacity, size_t *row_capacity)
{
    Svm *svm = fit->state;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);

        if (label >= fit->classes)
            continue;
        TRY(GROW(fit->context, svm->label, *label_capacity, (size_t)svm->count + 1, fit->error));
        TRY(GROW(fit->context, svm->weight, *weight_capacity, (size_t)svm->count + 1, fit->error));
        TRY(GROW(fit->context, svm->row, *row_capacity, (size_t)svm->count + 1, fit->error));
        TRY(clv_points_add(&svm->points, block, row, fit->error));
        svm->row[svm->count] = block_row_number(block, row);
        svm->label[svm->count] = label;
        svm->weight[svm->count] = fit_weight(fit, block, row, label);
        svm->weight_total += svm->weight[svm->count++];
    }
    return OK;
}

static Status take_rows(Fit *fit, Dataset *dataset)
{
    Svm *svm = fit->state;
    size_t label_capacity = 0, weight_capacity = 0, row_capacity = 0;

    if (dataset->rows >= UINT32_MAX / 2)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "the data has %llu rows, more than a kernel method supports",
                        (unsigned long long)dataset->rows);
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, fit->error));
        TRY(take_block(fit, &block, &label_capacity, &weight_capacity, &row_capacity));
    }
    clv_points_settle(&svm->points);
    if (!(svm->weight_total > 0))
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "no training row has a sample weight above 0");
    return OK;
}

static Status choose_kernel(Fit *fit)
{
    Svm *svm = fit->state;
    double default_gamma = 1, widest = 0;
    Kernel before;

    if (svm->options->kernel.kernel != KERNEL_LINEAR && svm->options->kernel.gamma == 0 &&
        svm->options->kernel.sigma == 0 && svm->from && clv_kernel_from_model(svm->from, &before) &&
        before.kind == (KernelKind)svm->options->kernel.kernel) {
        default_gamma = before.gamma; /* a warm start keeps the model's gamma */
    } else if (svm->options->kernel.kernel != KERNEL_LINEAR && svm->options->kernel.gamma == 0 &&
               svm->options->kernel.sigma == 0) {
        TRY(clv_kernel_default_gamma(&svm->points, &default_gamma, fit->error));
        clv_note(fit->context, "using --gamma %g = 1 / (sum of the column variances)",
                 default_gamma);
    }
    svm->kernel = clv_kernel_of(&svm->options->kernel, default_gamma);
    for (uint32_t i = 0; i < svm->count; i++) {
        double self = clv_kernel_self(&svm->kernel, svm->points.norm2[i]);

        TRY(clv_kernel_check_row(self, LARGEST_SELF, i, fit->error));
        widest = fmax(widest, fabs(self));
    }
    return clv_kernel_check_widest(widest, fit->error);
}

static Status make_room(Fit *fit)
{
    Svm *svm = fit->state;
    size_t cells = svm->outputs * svm->count;

    TRY(clv_affordable((double)(sizeof *svm->beta + sizeof *svm->score) * (double)cells, fit->error,
                       "the coefficients of %u rows for %zu output%s", svm->count, svm->outputs,
                       svm->outputs == 1 ? "" : "s"));
    svm->memory = (Arena){.context = fit->context, .error = fit->error, .what = "the expansion"};
    svm->beta = clv_arena_zero(&svm->memory, cells, sizeof *svm->beta);
    svm->score = clv_arena_zero(&svm->memory, cells, sizeof *svm->score);
    svm->intercept = clv_arena_zero(&svm->memory, svm->outputs, sizeof *svm->intercept);
    svm->solved = clv_arena_zero(&svm->memory, svm->outputs, sizeof *svm->solved);
    svm->numbers = clv_arena_zero(&svm->memory, SVM_NUMBERS, sizeof *svm->numbers);
    TRY(svm->memory.status);
    TRY(clv_evaluator_init(&svm->evaluator, fit->context, svm->kernel, svm->points.features,
                           fit->error));
    TRY(clv_view_init(&svm->whole, &svm->points, NULL, svm->count, fit->error));
    return clv_cache_init(&svm->cache, &svm->evaluator, &svm->whole, svm->options->cache_mb,
                          fit->error);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static bool is_wrong(const Fit *fit, const Svm *svm, uint32_t row)
{
    uint32_t predicted = 0;
    double best = -INFINITY;

    for (size_t output = 0; output < svm->outputs; output++) {
        double score = svm->scale * svm->score[output * svm->count + row] + svm->intercept[output];

        if (svm->outputs == 1)
            return (score > 0) != (svm->label[row] == fit->positive);
        if (score > best) {
            best = score;
            predicted = (uint32_t)output;
        }
    }
    return predicted != svm->label[row];
}

static void evaluate_row(const Fit *fit, const Svm *svm, uint32_t row, SvmEvaluation *value,
                         double *alphas)
{
    bool supports = false, kept = false;

    for (size_t output = 0; output < svm->outputs; output++) {
        double y = fit_sign(fit, svm->label[row], output),
               beta = svm->scale * svm->beta[output * svm->count + row];
        double score = svm->scale * svm->score[output * svm->count + row],
               ahead = y * (score + svm->intercept[output]);

        value->loss += svm->weight[row] * fmax(0, 1 - ahead);
        value->norm2 += beta * score;
        *alphas += fabs(beta);
        supports |= ahead <= ON_MARGIN && svm->weight[row] > 0;
        kept |= beta != 0;
    }
    value->support += supports;
    value->kept += kept;
    value->errors += is_wrong(fit, svm, row);
}

void clv_svm_evaluate(const Fit *fit, const Svm *svm, SvmEvaluation *value)
{
    double alphas = 0, unit = svm->hard ? 1 : svm->lambda;

    *value = (SvmEvaluation){0};
    for (uint32_t row = 0; row < svm->count; row++)
        evaluate_row(fit, svm, row, value, &alphas);
    value->norm2 = fmax(value->norm2, 0);
    value->primal = unit * value->norm2 / 2 + (svm->hard ? 0 : value->loss / svm->weight_total);
    value->dual = unit * (alphas - value->norm2 / 2);
}

static void report_penalty(Fit *fit, const Svm *svm)
{
    clv_figure(fit, "lambda", svm->lambda);
    if (!svm->hard)
        clv_figure(fit, "C", svm->C);
    if (svm->kernel.kind != KERNEL_LINEAR)
        clv_figure(fit, "gamma", svm->kernel.gamma);
}

static void summarize(Fit *fit, const Svm *svm)
{
    SvmEvaluation value;

    clv_svm_evaluate(fit, svm, &value);
    report_penalty(fit, svm);
    clv_figure(fit, "primal", value.primal);
    if (svm->has_dual) {
        clv_figure(fit, "dual", value.dual);
        clv_figure(fit, "gap",
                   value.primal > 0 ? fmax(0, value.primal - value.dual) / value.primal : 0);
    }
    if (svm->outputs == 1 && value.norm2 > 0)
        clv_figure(fit, "margin", 1 / sqrt(value.norm2));
    clv_figure(fit, "support_vectors", (double)value.support);
    clv_figure(fit, "kept_rows", (double)value.kept);
    clv_figure(fit, "kernel_rows", (double)svm->cache.computed);
    clv_figure(fit, "kernel_rows_found", (double)svm->cache.found);
    fit->result.knows_train_errors = true;
    fit->result.train_errors = value.errors;
}

/* ---- random features ------------------------------------------------------------------------- */

static Status learn_mapped(Fit *fit, Svm *svm, const uint32_t *order, double *y, double *scores)
{
    double mean_weight = svm->weight_total / svm->count;

    for (uint32_t k = 0; k < svm->count; k++) {
        uint32_t row = order[k];
        bool wrong = false;

        for (size_t output = 0; output < svm->outputs; output++)
            y[output] = fit_sign(fit, svm->label[row], output);
        clv_fourier_learn(&svm->fourier, point_row(&svm->points, row), y,
                          svm->weight[row] / mean_weight, svm->lambda, scores);
        for (size_t output = 0; output < svm->outputs; output++) {
            wrong |= y[output] * scores[output] <= 0;
            fit->counters.epoch_loss += svm->weight[row] * fmax(0, 1 - y[output] * scores[output]);
        }
        fit->counters.epoch_mistakes += wrong;
        fit->counters.seen++;
        if (k % 64 == 0)
            TRY(fit_check(fit));
    }
    return OK;
}

/* Trains on random features. The requested number of epochs is always complete, because the average
 * over the last epoch does not improve with more epochs. */
static Status fit_fourier(Fit *fit, Svm *svm)
{
    Random random = clv_random(fit->problem->seed, 0x666f);
    uint32_t *order = clv_alloc(fit->context, svm->count, sizeof *order);
    double *y = clv_alloc(fit->context, 2 * svm->outputs, sizeof *y);
    uint32_t first = fit->counters.epoch;
    Status status = clv_fourier_init(&svm->fourier, &svm->points,
                                     (size_t)svm->options->fourier_features, svm->kernel.gamma,
                                     fit->problem->seed, svm->outputs, fit->error);

    if (status == OK && (!order || !y))
        status = clv_fail_memory(fit->error, "a row permutation", svm->count * sizeof *order);
    THEN(status, clv_svm_fingerprint(fit, svm));
    if (status == OK && svm->from)
        status = clv_fourier_resume(&svm->fourier, svm->from, svm->fingerprint, fit->error);
    for (uint32_t i = 0; i < svm->count && order; i++)
        order[i] = i;
    for (uint32_t round = 0; round < first && order && !clv_cancelled(fit->context); round++)
        clv_shuffle(&random, order, svm->count); /* repeats the shuffles of the earlier epochs */
    while (status == OK) {
        clv_shuffle(&random, order, svm->count);
        status = learn_mapped(fit, svm, order, y, y + svm->outputs);
        if (status == OK && !fit->epoch_done(fit))
            break;
    }
    fit->result.complete = status == OK && fit->counters.epoch - first == fit->max_epochs;
    clv_summarize(fit, "%zu random features, weights averaged over the last epoch",
                  (size_t)svm->options->fourier_features);
    FREE(fit->context, order, y);
    return status;
}

static Status survey(Fit *fit, const Model *model, const Block *block, const double *scores)
{
    Svm *svm = fit->state;

    (void)model;
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        double weight;

        if (label >= fit->classes)
            continue;
        weight = fit_weight(fit, block, row, label);
        svm->loss_weight += weight;
        for (size_t output = 0; output < svm->outputs; output++)
            svm->loss_sum += weight * fmax(0, 1 - fit_sign(fit, label, output) *
                                                      scores[row * svm->outputs + output]);
    }
    return OK;
}

static Status surveyed(Fit *fit, const Model *model)
{
    Svm *svm = fit->state;
    double norm2 = clv_fourier_norm2(&svm->fourier);

    (void)model;
    report_penalty(fit, svm);
    clv_figure(fit, "primal", svm->lambda * norm2 / 2 + svm->loss_sum / svm->loss_weight);
    if (svm->outputs == 1 && norm2 > 0)
        clv_figure(fit, "margin", 1 / sqrt(norm2));
    return OK;
}

/* ---- the method ------------------------------------------------------------------------------ */

static Status fit_rows(Fit *fit, Dataset *dataset)
{
    Svm *svm = fit->state;
    const SvmOptions *options = svm->options;

    svm->dataset = dataset;
    TRY(take_rows(fit, dataset));
    TRY(choose_kernel(fit));
    svm->hard = isinf(options->C) && options->lambda == 0;
    svm->C = options->lambda > 0 ? 1 / (options->lambda * svm->weight_total) : options->C;
    svm->lambda = svm->hard ? 0 : 1 / (svm->C * svm->weight_total);
    if (svm->hard)
        clv_objective(fit, "1/2 |f|^2 subject to y (f(x) + b) >= 1");
    if (svm->options->solver == SOLVER_FOURIER)
        return fit_fourier(fit, svm);
    TRY(make_room(fit));
    TRY(clv_svm_start(fit, svm));
    TRY(svm->options->solver == SOLVER_SMO ? clv_smo_fit(fit, svm) : clv_stochastic_fit(fit, svm));
    summarize(fit, svm);
    return fit->result.converged || fit->result.plateau ? OK : clv_svm_fingerprint(fit, svm);
}

static Status end(Fit *fit, Model *model)
{
    Svm *svm = fit->state;

    if (svm->options->solver == SOLVER_FOURIER) {
        /* gamma may have been computed from the data */
        TRY(clv_kernel_to_model(&svm->kernel, model, fit->error));
        TRY(clv_fourier_save(&svm->fourier, svm->fingerprint, model, fit->error));
        return clv_fourier_to_model(&svm->fourier, fit->problem->seed, model, fit->error);
    }
    TRY(clv_svm_save(fit, svm, model));
    return clv_expansion_to_model(&(Expansion){.points = &svm->points,
                                               .kernel = &svm->kernel,
                                               .alpha = svm->beta,
                                               .scale = svm->scale,
                                               .intercept = svm->intercept,
                                               .outputs = svm->outputs,
                                               .row = svm->row},
                                  model, fit->error);
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(clv_fourier_in_model(model) ? clv_fourier_check_model(model)
                                                      : clv_expansion_check_model(model));
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    return clv_fourier_in_model(model) ? clv_fourier_predict(model, block, scores, error)
                                       : clv_expansion_predict(model, block, scores, error);
}

static bool slow_to_predict(const void *options)
{
    return ((const SvmOptions *)options)->solver != SOLVER_FOURIER;
}

static double loss(const Model *model, const double *scores, uint32_t label, double target)
{
    (void)target;
    return clv_expansion_loss(model, scores, label, 1);
}

static const MethodTraining training = {
    .default_epochs = default_epochs,
    .epoch_kind = epoch_kind,
    .begin = begin,
    .resume = resume,
    .fit = fit_rows,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {
    .predict = predict,
    .check_model = check_model,
    .loss = loss,
    .slow_to_predict = slow_to_predict,
};

static const MethodInspection inspection = {
    .contributions = clv_weight_contributions,
    .supports = clv_expansion_supports,
    .survey = survey,
    .end_survey = surveyed,
};

const Method clv_method_kernel_svm = {
    .name = "kernel-svm",
    .title = "Kernel support vector machine.",
    .objective = "lambda/2 |f|^2 + mean over examples of max(0, 1 - y (f(x) + b)), f(x) = sum of "
                 "alpha_i y_i K(x_i, x)",
    .reference = "Cortes and Vapnik 1995; solver: Fan, Chen and Lin 2005; random features: Rahimi "
                 "and Recht 2007",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_DETERMINISTIC,
    .behavior = METHOD_WIDER_ROWS,
    .params = params,
    .options_size = sizeof(SvmOptions),
    .state_size = sizeof(Svm),
    .check_options = check,
    .training = &training,
    .inference = &inference,
    .inspection = &inspection,
};
