/*
 * The settings of the candidates of a comparison: the defaults of the method, except where they are
 * known to be poor for the data. Chosen settings are part of the result, as flags of cleave train.
 *
 *     lms                 --normalize: without it, a learning rate that suits few features diverges
 *                         with many features
 *     svr                 C and epsilon in units of the standard deviation of the targets
 *                         (Cherkassky and Ma 2004), unlike the defaults
 *     kernel-perceptron   gamma 1 / (sum of the columns' variances), the default of kernel-svm
 */
#include "select/compare.h"

#include "base/number.h"
#include "train/pipeline_fit.h"
#include "train/train.h"

#include <stdio.h>

enum { SAMPLE_ROWS = 1000 };

/* Sets an option that the method has, and adds it to the text. value NULL: the option is a flag. */
static Status set(MethodCandidate *candidate, const char *name, const char *value,
                  cleave_error *error)
{
    size_t used = strlen(candidate->settings);

    if (!clv_param_find(candidate->method->params, name) && !clv_param_find(clv_run_params, name))
        return OK;
    snprintf(candidate->settings + used, SETTINGS_SIZE - used, "%s--%s%s%s", used ? " " : "", name,
             value ? " " : "", value ? value : "");
    return cleave_options_set(candidate->training, name, value ? value : "true", error);
}

static Status set_number(MethodCandidate *candidate, const char *name, double number,
                         cleave_error *error)
{
    char text[NUMBER_SIZE];

    clv_format_rounded(text, number, 2);
    return set(candidate, name, text, error);
}

/* Computes the sum of the variances of the columns. */
static Status sum_variances(Context *context, Dataset *rows, double *sum, cleave_error *error)
{
    double *sums = clv_alloc_zero(context, 2 * (size_t)rows->features + 2, sizeof *sums);
    double n = (double)rows->rows;
    Status status = sums ? OK
                         : clv_fail_memory(error, "columns", 2 * rows->features * sizeof *sums);

    for (uint32_t i = 0; status == OK && i < rows->blocks; i++) {
        Block block;

        status = clv_dataset_block(rows, i, &block, error);
        for (uint32_t row = 0; status == OK && row < block.rows; row++)
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);) {
                sums[2 * walk.column] += (double)walk.value;
                sums[2 * walk.column + 1] += (double)walk.value * (double)walk.value;
            }
    }
    *sum = 0;
    for (uint32_t i = 0; status == OK && i < rows->features; i++)
        *sum += fmax(0, sums[2 * i + 1] / n - sums[2 * i] / n * (sums[2 * i] / n));
    clv_free(context, sums);
    return status;
}

/* Loads some training rows of the first fold, with the features on which the method is trained. */
static Status load_sample(const Experiment *base, const MethodCandidate *candidate, Context *quiet,
                          Dataset **rows, cleave_error *error)
{
    FoldRows which = {.folds = &base->folds[0], .others = true, .seed = base->seed};
    RunOptions run;
    Job job = {.method = candidate->method};
    Source *source;
    Pipeline *pipeline = NULL;
    Dataset *transformed = NULL;
    Status status;

    if (base->dataset->rows > 2 * SAMPLE_ROWS)
        which.share = SAMPLE_ROWS / (double)base->dataset->rows;
    TRY(clv_new(quiet, &job.method_options, 1, candidate->method->options_size, true, "options",
                error));
    status = clv_train_options(&job, candidate->training, &run, error);
    THEN(status, clv_fold_source(quiet, base->dataset, &which, &source, error));
    if (status == OK) {
        status = clv_dataset_load(source, rows, error);
        clv_source_close(source);
    }
    THEN(status, clv_pipeline_fit(quiet, candidate->method, job.method_options, &run, 0, *rows,
                                  true, &pipeline, &transformed, error));
    if (transformed) {
        clv_dataset_free(*rows);
        *rows = transformed;
    }
    clv_pipeline_release(pipeline);
    clv_free(quiet, job.method_options);
    return status;
}

static Status set_gamma(const Experiment *base, MethodCandidate *candidate, cleave_error *error)
{
    Context quiet = {.config = base->context->config};
    Dataset *rows = NULL;
    double sum = 0;
    Status status;

    quiet.config.log = NULL;
    quiet.config.progress = NULL;
    quiet.config.threads = 1;
    status = load_sample(base, candidate, &quiet, &rows, error);
    if (status == OK && rows->rows)
        status = sum_variances(&quiet, rows, &sum, error);
    clv_dataset_free(rows);
    TRY(status);
    return sum > 0 ? set_number(candidate, "gamma", 1 / sum, error) : OK;
}

static Status apply_rules(const Compare *compare, MethodCandidate *candidate, cleave_error *error)
{
    const char *name = candidate->method->name;
    const Evaluation *targets = &compare->baseline.sums;
    double spread = sqrt(targets->squared_error / (double)targets->n);

    if (strcmp(name, "lms") == 0)
        return set(candidate, "normalize", NULL, error);
    if (strcmp(name, "kernel-perceptron") == 0)
        return set_gamma(&compare->base, candidate, error);
    if (strcmp(name, "svr") != 0 || !(spread > 0))
        return OK;
    TRY(set_number(candidate, "C", spread, error));
    return set_number(candidate, "epsilon", 0.1 * spread, error);
}

Status clv_compare_choose_settings(Compare *compare, MethodCandidate *candidate,
                                   cleave_error *error)
{
    const SelectOptions *options = &compare->base.options;
    char seed[NUMBER_SIZE];
    RunOptions run;

    candidate->training = cleave_options_new(compare->base.context);
    if (!candidate->training)
        return clv_fail_memory(error, "options", sizeof *candidate->training);
    if (strcmp(options->transform, "auto") != 0)
        TRY(set(candidate, "transform", options->transform, error));
    clv_format_unsigned(seed, (uint64_t)options->seed);
    if (options->seed != 1)
        TRY(set(candidate, "seed", seed, error));
    if (options->skip_unlabeled)
        TRY(set(candidate, "skip-unlabeled", NULL, error));
    TRY(apply_rules(compare, candidate, error));
    return clv_trial_check(compare->base.context, candidate->method, candidate->training, &run,
                           error);
}
