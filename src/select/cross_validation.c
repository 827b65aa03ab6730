/*
 * Cross-validation: a trial of each fold, several at a time. What is told does not hang on how many: it is what the trials come to in
 * their order.
 */
#include "select/cross_validation.h"

#include "base/pool.h"
#include "input/input.h"
#include "model/registry.h"
#include "select/baseline.h"
#include "train/batch_driver.h"

#include <stdatomic.h>
#include <stdio.h>

typedef struct {
    int64_t folds, repeats;
    const char *by_group, *by_time;
    int metric;
} CvOptions;

static const Param cv_params[] = {
    INTEGER(CvOptions, folds, 10, WITHIN(2, 65535),
            "parts that the rows are dealt into, each judged by a model of all others"),
    INTEGER(CvOptions, repeats, 1, WITHIN(1, 10000), "how often all of it is done, the rows dealt anew each time"),
    METRIC_PARAM(CvOptions),
    TEXT(CvOptions, by_group, NULL, "rows that have the same in this column (or qid) are in one fold"),
    TEXT(CvOptions, by_time, NULL, "Forward-chaining folds, ordered by this column of dates or numbers."),
    END_OF_PARAMS,
};

const cleave_param *cleave_cv_params(void)
{
    return cv_params;
}

typedef struct {
    Context *context;
    const Method *method;
    const cleave_options *training;
    RunOptions run; /* as every trial has them */
    CvOptions options;
    const char *name;
    Dataset *dataset;
    Folds *folds; /* of each repeat */
    Trial *trial;
    uint32_t trials;
    _Atomic uint32_t failed; /* the first trial that did, as far as is known; UINT32_MAX: none */
    _Atomic uint64_t rows_done;
} Cv;

/* ---- what trials had to say ---------------------------------------------------------------------------------------- */

static const char *past_number(const char *text)
{
    return text + strspn(text, "0123456789.");
}

/* Folds come to figures of their own; numbers in quotes are names. */
static bool is_alike(const char *a, const char *b)
{
    bool quoted = false;

    for (;; a++, b++) {
        if (!quoted) {
            a = past_number(a);
            b = past_number(b);
        }
        if (*a != *b || *a == '\0')
            return *a == *b;
        quoted ^= *a == '\'';
    }
}

static bool was_told(const Cv *cv, const Remark *remark, uint32_t before)
{
    for (uint32_t i = 0; i < before; i++)
        for (size_t j = 0; j < cv->trial[i].remark_count; j++)
            if (is_alike(cv->trial[i].remarks[j].message, remark->message))
                return true;
    return false;
}

/* What the first fold has to say, and warnings of others that are news. */
static void tell_remarks(Cv *cv)
{
    for (uint32_t i = 0; i < cv->trials; i++) {
        const Trial *trial = &cv->trial[i];

        for (size_t j = 0; j < trial->remark_count; j++) {
            const Remark *remark = &trial->remarks[j];

            if (i == 0 && remark->level == CLEAVE_LOG_NOTE)
                clv_note(cv->context, "%s", remark->message);
            else if (remark->level == CLEAVE_LOG_WARNING && !was_told(cv, remark, i))
                clv_warn(cv->context, remark->hint, "fold %u: %s", i + 1, remark->message);
        }
    }
}

/* ---- running them --------------------------------------------------------------------------------------------------- */

static void note_failure(Cv *cv, uint32_t number)
{
    uint32_t first = atomic_load(&cv->failed);

    while (number < first && !atomic_compare_exchange_weak(&cv->failed, &first, number))
        continue;
}

/* Those before one that has failed are run all the same: which failure is told does not hang on who was faster. */
static void work(void *user, uint32_t number, unsigned worker)
{
    Cv *cv = user;
    Trial *trial = &cv->trial[number];
    uint64_t done;

    if (atomic_load(&cv->failed) < number)
        return;
    clv_trial_run(trial);
    if (trial->status != OK)
        note_failure(cv, number);
    done = atomic_fetch_add(&cv->rows_done, trial->folds->size[trial->part]) + trial->folds->size[trial->part];
    if (worker == 0)
        clv_progress(cv->context, &(cleave_progress){.phase = "cv",
                                                     .rows = done,
                                                     .rows_total = cv->dataset->rows * (uint64_t)cv->options.repeats});
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static Status deal_all(Cv *cv, CvResult *result, cleave_error *error)
{
    uint32_t folds = (uint32_t)cv->options.folds;

    cv->folds = clv_alloc_zero(cv->context, (size_t)cv->options.repeats, sizeof *cv->folds);
    cv->trial = clv_alloc_zero(cv->context, cv->trials, sizeof *cv->trial);
    if (!cv->folds || !cv->trial)
        return clv_fail_memory(error, "folds", cv->trials * sizeof *cv->trial);
    if (!cv->run.skip_unlabelled && !cv->method->training->accepts_unlabeled)
        TRY(clv_refuse_unlabelled(cv->dataset, cv->name, error));
    for (uint32_t repeat = 0; repeat < cv->options.repeats; repeat++) {
        FoldPlan plan = {.count = folds,
                         .seed = (uint64_t)cv->run.seed,
                         .stream = repeat,
                         .numbers = cv->method->tasks == CLEAVE_TASK_REGRESSION,
                         .by_group = cv->options.by_group,
                         .by_time = cv->options.by_time,
                         .forward = true};

        TRY(clv_folds_deal(cv->dataset, &plan, &cv->folds[repeat], error));
    }
    for (uint32_t i = 0; i < cv->trials; i++) {
        Trial *trial = &cv->trial[i];

        *trial = (Trial){.parent = cv->context,
                         .method = cv->method,
                         .metric = result->metric,
                         .training = cv->training,
                         .name = cv->name,
                         .dataset = cv->dataset,
                         .folds = &cv->folds[i / folds],
                         .part = i % folds};
        clv_trial_begin(trial);
    }
    result->facts.groups = cv->options.by_group ? cv->folds[0].groups : 0;
    return OK;
}

static Status first_failure(const Cv *cv, cleave_error *error)
{
    for (uint32_t i = 0; i < cv->trials; i++) {
        if (cv->trial[i].status == OK)
            continue;
        if (error)
            clv_trial_failure(&cv->trial[i], error);
        return cv->trial[i].status;
    }
    return OK;
}

static void warn_of_small_classes(const Cv *cv)
{
    const Labels *labels = &cv->dataset->labels;
    char quoted[QUOTE_SIZE];

    if (cv->method->tasks == CLEAVE_TASK_REGRESSION || cv->options.by_time)
        return;
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->list[i].count && labels->list[i].count < (uint64_t)cv->options.folds) {
            clv_warn(cv->context, "fewer --folds, or more rows of it",
                     "class '%s' has %llu rows, and not every fold has one",
                     clv_quote(quoted, labels->list[i].text, strlen(labels->list[i].text)),
                     (unsigned long long)labels->list[i].count);
            return;
        }
}

static void describe(const Cv *cv, CvResult *result)
{
    cleave_cv_result *facts = &result->facts;
    const Labels *labels = &cv->dataset->labels;

    facts->method = cv->method->name;
    facts->regression = cv->method->tasks == CLEAVE_TASK_REGRESSION;
    facts->folds = (uint32_t)cv->options.folds;
    facts->repeats = (uint32_t)cv->options.repeats;
    facts->forward = cv->folds[0].forward;
    result->test_ratio = clv_folds_test_ratio(&cv->folds[0]);
    facts->seed = (uint64_t)cv->run.seed;
    facts->fold_count = cv->trials;
    facts->fold = result->fold;
    facts->features = cv->trial[0].features;
    facts->classes = cv->trial[0].classes;
    facts->metric = &result->metric->facts;
    facts->positive = clv_trial_positive(result->metric, &cv->run, labels, result->positive);
    if (facts->regression || labels->count == 0)
        return;
    clv_quote(result->baseline_label, labels->list[clv_most_frequent(labels)].text,
              strlen(labels->list[clv_most_frequent(labels)].text));
    facts->baseline_label = result->baseline_label;
}

static Status find_baseline(Cv *cv, CvResult *result, cleave_error *error)
{
    Baseline baseline = {.context = cv->context,
                         .dataset = cv->dataset,
                         .metric = result->metric,
                         .name = cv->name,
                         .positive = cv->run.positive,
                         .folds = cv->folds,
                         .repeats = (uint32_t)cv->options.repeats};
    Status status = clv_baseline_find(&baseline, error);

    if (status == OK) {
        result->baseline = baseline.sums;
        baseline.sums = NULL;
    }
    clv_baseline_free(&baseline);
    return status;
}

static Status run_all(Cv *cv, CvResult *result, cleave_error *error)
{
    result->fold = clv_alloc_zero(cv->context, cv->trials, sizeof *result->fold);
    result->sums = clv_alloc_zero(cv->context, cv->trials, sizeof *result->sums);
    if (!result->fold || !result->sums)
        return clv_fail_memory(error, "folds", cv->trials * sizeof *result->fold);
    TRY(clv_trial_metric(cv->options.metric, cv->method, &cv->run, cv->dataset, &result->metric, error));
    clv_progress(cv->context, &(cleave_progress){.phase = "cv"});
    TRY(deal_all(cv, result, error));
    warn_of_small_classes(cv);
    clv_pool_run(cv->context, cv->trials, work, cv);
    TRY(first_failure(cv, error));
    for (uint32_t i = 0; i < cv->trials; i++) {
        result->fold[i] = cv->trial[i].facts;
        result->fold[i].repeat = i / (uint32_t)cv->options.folds + 1;
        result->sums[i] = cv->trial[i].sums;
    }
    tell_remarks(cv);
    describe(cv, result);
    TRY(find_baseline(cv, result, error));
    return clv_cv_summarise(result, cv->method, error);
}

static void free_cv(Cv *cv)
{
    for (uint32_t i = 0; cv->trial && i < cv->trials; i++)
        clv_trial_free(&cv->trial[i]);
    for (int64_t i = 0; cv->folds && i < cv->options.repeats; i++)
        clv_folds_free(&cv->folds[i]);
    clv_free(cv->context, cv->trial);
    clv_free(cv->context, cv->folds);
}

cleave_code cleave_cv(cleave_context *context, const char *method, cleave_data *data, const cleave_options *options,
                      const cleave_options *training, cleave_cv_result **result, cleave_error *error)
{
    REQUIRE(context && method && data && result);
    double started = clv_now();
    Cv cv = {.context = context, .training = training, .name = clv_data_name(data), .failed = UINT32_MAX};
    CvResult *made;
    Status status;

    *result = NULL;
    TRY(clv_method_find(method, &cv.method, error));
    TRY(clv_params_apply(options, cv_params, &cv.options, NULL, NULL, error));
    TRY(clv_folds_check_options(cv.options.by_time, cv.options.by_group, cv.options.repeats, error));
    TRY(clv_trial_check(context, cv.method, training, &cv.run, error));
    TRY(clv_data_training_set(data, &cv.dataset, error));
    cv.trials = (uint32_t)(cv.options.folds * cv.options.repeats);
    made = clv_alloc_zero(context, 1, sizeof *made);
    if (!made)
        return clv_fail_memory(error, "folds", sizeof *made);
    made->context = context;
    status = run_all(&cv, made, error);
    free_cv(&cv);
    made->facts.seconds = clv_now() - started;
    if (status != OK) {
        cleave_cv_free(&made->facts);
        return status;
    }
    *result = &made->facts;
    return OK;
}

void cleave_cv_free(cleave_cv_result *result)
{
    CvResult *made = (CvResult *)result;

    if (!made)
        return;
    clv_free(made->context, made->fold);
    clv_free(made->context, made->sums);
    clv_free(made->context, made->baseline);
    clv_free(made->context, made);
}
