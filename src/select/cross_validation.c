/* Cross-validation: a trial for each fold, several at once. The result does not depend on the
 * number of threads. */
#include "select/cross_validation.h"

#include "eval/leakage.h"
#include "model/registry.h"

static const Param cv_params[] = {
    INTEGER(SelectOptions, folds, 10, WITHIN(2, 65535), "Number of folds."),
    INTEGER(SelectOptions, repeats, 1, WITHIN(1, 10000),
            "Number of repetitions with different folds."),
    METRIC_PARAM(SelectOptions),
    FOLD_GROUP_PARAMS,
    END_OF_PARAMS,
};

const cleave_param *cleave_cv_params(void)
{
    return cv_params;
}

/* Runs the trial of a fold. Trials before a failed one still run, so that the first failure is
 * reported. */
static void run_fold(void *user, uint32_t number, unsigned worker)
{
    Cv *cv = user;
    Trial *trial = &cv->trial[number];
    cleave_error error;
    uint64_t done;

    if (clv_experiment_has_failed(&cv->base, number))
        return;
    clv_trial_run(trial);
    if (trial->status != OK) {
        clv_trial_failure(trial, &error);
        clv_experiment_fail(&cv->base, number, trial->status, &error);
    }
    done = atomic_fetch_add(&cv->rows_done, trial->folds->size[trial->part]) +
           trial->folds->size[trial->part];
    if (worker == 0)
        clv_progress(cv->base.context,
                     &(cleave_progress){.phase = "cv",
                                        .rows = done,
                                        .rows_total = cv->base.dataset->rows * cv->base.repeats});
}

static void warn_of_small_classes(const Experiment *base)
{
    const Labels *labels = &base->dataset->labels;
    char quoted[QUOTE_SIZE];

    if (base->regression || base->options.by_time)
        return;
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->list[i].count && labels->list[i].count < base->fold_count) {
            clv_warn(base->context, "use fewer --folds, or add rows of this class",
                     "class '%s' has only %llu rows: some folds contain none of them",
                     clv_quote(quoted, labels->list[i].text, strlen(labels->list[i].text)),
                     (unsigned long long)labels->list[i].count);
            return;
        }
}

static void describe(Cv *cv)
{
    const Experiment *base = &cv->base;

    cv->test_ratio = clv_folds_test_ratio(&base->folds[0]);
    for (uint32_t i = 0; i < base->trials; i++) {
        cv->result[i] = clv_trial_result(&cv->trial[i], 0);
        cv->fold[i] = cv->trial[i].facts;
        cv->fold[i].repeat = i / base->fold_count + 1;
    }
    cv->facts.method = cv->method->name;
    cv->facts.regression = base->regression;
    cv->facts.folds = base->fold_count;
    cv->facts.repeats = base->repeats;
    cv->facts.forward = base->folds[0].forward;
    cv->facts.groups = base->options.by_group ? base->folds[0].groups : 0;
    cv->facts.seed = base->seed;
    cv->facts.fold_count = base->trials;
    cv->facts.fold = cv->fold;
    cv->facts.features = cv->trial[0].features;
    cv->facts.classes = cv->trial[0].classes;
    cv->facts.metric = &base->metric->facts;
    cv->facts.positive = base->positive_label;
    cv->facts.baseline_label = *base->baseline_label ? base->baseline_label : NULL;
}

static Status run_all(Cv *cv, const cleave_options *training, cleave_error *error)
{
    Experiment *base = &cv->base;

    cv->fold = clv_alloc_zero(base->context, base->trials, sizeof *cv->fold);
    cv->result = clv_alloc_zero(base->context, base->trials, sizeof *cv->result);
    cv->trial = clv_alloc_zero(base->context, base->trials, sizeof *cv->trial);
    if (!cv->fold || !cv->result || !cv->trial)
        return clv_fail_memory(error, "folds", base->trials * sizeof *cv->trial);
    TRY(clv_experiment_choose_metric(base, cv->method, error));
    clv_progress(base->context, &(cleave_progress){.phase = "cv"});
    TRY(clv_experiment_split(
        base, base->run.skip_unlabeled || cv->method->training->accepts_unlabeled, 0, error));
    warn_of_small_classes(base);
    TRY(clv_leak_warn(base->dataset, base->regression, error));
    for (uint32_t i = 0; i < base->trials; i++) {
        cv->trial[i] = clv_experiment_trial(base, i);
        cv->trial[i].method = cv->method;
        cv->trial[i].training = training;
        clv_trial_begin(&cv->trial[i]);
    }
    TRY(clv_experiment_run(base, base->trials, run_fold, cv, error));
    clv_experiment_tell_remarks(base, cv->trial, base->trials);
    describe(cv);
    TRY(clv_baseline_find(base, &cv->baseline, error));
    return clv_cv_summarize(cv, error);
}

static Status cross_validate(Cv *cv, Context *context, const char *method, cleave_data *data,
                             const cleave_options *options, const cleave_options *training,
                             cleave_error *error)
{
    Experiment *base = &cv->base;

    TRY(clv_method_find(method, &cv->method, error));
    TRY(clv_experiment_begin(base, context, data, cv_params, options, error));
    TRY(clv_trial_check(context, cv->method, training, &base->run, error));
    base->regression = cv->method->tasks == CLEAVE_TASK_REGRESSION;
    base->seed = (uint64_t)base->run.seed;
    TRY(clv_experiment_load(base, data, error));
    return run_all(cv, training, error);
}

/* Frees all memory that the result does not need. */
static void free_work(Cv *cv)
{
    Context *context = cv->base.context;

    for (uint32_t i = 0; cv->trial && i < cv->base.trials; i++)
        clv_trial_free(&cv->trial[i]);
    FREE(context, cv->trial, cv->result);
    clv_baseline_free(context, &cv->baseline);
    clv_experiment_close(&cv->base);
}

cleave_code cleave_cv(cleave_context *context, const char *method, cleave_data *data,
                      const cleave_options *options, const cleave_options *training,
                      cleave_cv_result **result, cleave_error *error)
{
    REQUIRE(context && method && data && result);
    Cv *cv;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, cv, 1, "folds", error));
    cv->base.context = context;
    status = cross_validate(cv, context, method, data, options, training, error);
    free_work(cv);
    cv->facts.seconds = clv_now() - cv->base.started;
    if (status != OK) {
        cleave_cv_free(&cv->facts);
        return status;
    }
    *result = &cv->facts;
    return OK;
}

void cleave_cv_free(cleave_cv_result *result)
{
    Cv *cv = (Cv *)result;

    if (!cv)
        return;
    FREE(cv->base.context, cv->fold, cv);
}
