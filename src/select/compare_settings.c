/*
 * The settings a method is compared with: its defaults, but where those are known to be poor for the data at hand. What was chosen is part of
 * what is told, as flags for cleave train.
 *
 *     lms                 --normalize: without it, a rate that suits few features makes many of them diverge
 *     svr                 C and epsilon in units of the targets' spread (Cherkassky and Ma 2004), which defaults cannot know
 *     kernel-perceptron   gamma 1 / (sum of the columns' variances), as kernel-svm chooses it by itself
 */
#include "select/compare.h"

#include "base/number.h"
#include "data/traversal.h"
#include "train/pipeline_fit.h"
#include "train/train.h"

#include <stdio.h>

enum { SAMPLE_ROWS = 1000 };

static bool has_param(const Candidate *candidate, const char *name)
{
    return clv_param_find(candidate->method->params, name) || clv_param_find(clv_run_params, name);
}

/* value NULL: a flag that takes none. */
static Status set(Candidate *candidate, const char *name, const char *value, cleave_error *error)
{
    size_t used = strlen(candidate->settings);

    if (!has_param(candidate, name))
        return OK;
    snprintf(candidate->settings + used, SETTINGS_SIZE - used, "%s--%s%s%s", used ? " " : "", name, value ? " " : "",
             value ? value : "");
    return cleave_options_set(candidate->training, name, value ? value : "true", error);
}

static Status set_number(Candidate *candidate, const char *name, double number, cleave_error *error)
{
    char text[NUMBER_SIZE];

    clv_format_rounded(text, number, 2);
    return set(candidate, name, text, error);
}

/* ---- what the data says ------------------------------------------------------------------------------------------- */

/* Sums over a column. */
typedef struct {
    double sum, squares;
} Moments;

static Status sum_columns(Dataset *rows, Moments *moments, cleave_error *error)
{
    for (uint32_t i = 0; i < rows->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(rows, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++)
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);) {
                moments[walk.column].sum += (double)walk.value;
                moments[walk.column].squares += (double)walk.value * (double)walk.value;
            }
    }
    return OK;
}

static Status sum_variances(Context *context, Dataset *rows, double *sum, cleave_error *error)
{
    Moments *moments = clv_alloc_zero(context, (size_t)rows->features + 1, sizeof *moments);
    double n = (double)rows->rows;
    Status status;

    if (!moments)
        return clv_fail_memory(error, "columns", rows->features * sizeof *moments);
    status = sum_columns(rows, moments, error);
    *sum = 0;
    for (uint32_t i = 0; i < rows->features; i++)
        *sum += fmax(0, moments[i].squares / n - moments[i].sum / n * (moments[i].sum / n));
    clv_free(context, moments);
    return status;
}

/* Some training rows of the first fold, as the method would see them. */
static Status cook_sample(Compare *compare, const Candidate *candidate, Context *quiet, Dataset **rows,
                          cleave_error *error)
{
    FoldRows which = {.folds = &compare->folds[0], .others = true, .seed = (uint64_t)compare->options.seed};
    RunOptions run;
    Job job = {.method = candidate->method};
    Source *source;
    Pipeline *pipeline = NULL;
    Dataset *cooked = NULL;
    Status status;

    if (compare->dataset->rows > 2 * SAMPLE_ROWS)
        which.share = SAMPLE_ROWS / (double)compare->dataset->rows;
    job.method_options = clv_alloc_zero(quiet, 1, candidate->method->options_size);
    if (!job.method_options)
        return clv_fail_memory(error, "options", candidate->method->options_size);
    status = clv_train_options(&job, candidate->training, &run, error);
    if (status == OK)
        status = clv_fold_source(quiet, compare->dataset, &which, &source, error);
    if (status == OK) {
        status = clv_dataset_load(source, rows, error);
        clv_source_close(source);
    }
    if (status == OK)
        status = clv_pipeline_fit(quiet, candidate->method, job.method_options, &run, 0, *rows, true, &pipeline,
                                  &cooked, error);
    if (cooked) {
        clv_dataset_free(*rows);
        *rows = cooked;
    }
    clv_pipeline_release(pipeline);
    clv_free(quiet, job.method_options);
    return status;
}

static Status set_width(Compare *compare, Candidate *candidate, cleave_error *error)
{
    Context quiet = {.config = compare->context->config};
    Dataset *rows = NULL;
    double sum = 0;
    Status status;

    quiet.config.log = NULL;
    quiet.config.progress = NULL;
    quiet.config.threads = 1;
    status = cook_sample(compare, candidate, &quiet, &rows, error);
    if (status == OK && rows->rows)
        status = sum_variances(&quiet, rows, &sum, error);
    clv_dataset_free(rows);
    TRY(status);
    return sum > 0 ? set_number(candidate, "gamma", 1 / sum, error) : OK;
}

static Status set_street(const Compare *compare, Candidate *candidate, cleave_error *error)
{
    double spread = sqrt(compare->baseline.squares / (double)compare->baseline.labelled);

    if (!(spread > 0))
        return OK;
    TRY(set_number(candidate, "C", spread, error));
    return set_number(candidate, "epsilon", 0.1 * spread, error);
}

/* ---- the rules ---------------------------------------------------------------------------------------------------- */

static Status apply_rules(Compare *compare, Candidate *candidate, cleave_error *error)
{
    const char *name = candidate->method->name;

    if (strcmp(name, "lms") == 0)
        return set(candidate, "normalize", NULL, error);
    if (strcmp(name, "svr") == 0)
        return set_street(compare, candidate, error);
    return strcmp(name, "kernel-perceptron") == 0 ? set_width(compare, candidate, error) : OK;
}

Status clv_compare_settle(Compare *compare, Candidate *candidate, cleave_error *error)
{
    const CompareOptions *options = &compare->options;
    char seed[NUMBER_SIZE];
    RunOptions run;

    candidate->training = cleave_options_new(compare->context);
    if (!candidate->training)
        return clv_fail_memory(error, "options", sizeof *candidate->training);
    if (strcmp(options->transform, "auto") != 0)
        TRY(set(candidate, "transform", options->transform, error));
    clv_format_unsigned(seed, (uint64_t)options->seed);
    if (options->seed != 1)
        TRY(set(candidate, "seed", seed, error));
    if (options->skip_unlabelled)
        TRY(set(candidate, "skip-unlabelled", NULL, error));
    TRY(apply_rules(compare, candidate, error));
    return clv_trial_check(compare->context, candidate->method, candidate->training, &run, error);
}
