/* Comparison of methods: collects the candidates, opens the data, runs the schedule. */
#include "select/compare.h"

#include "base/pool.h"
#include "data/rating_roles.h"
#include "model/registry.h"
#include "read/read_options.h"

#include <stdio.h>

static const Param compare_params[] = {
    TEXT(SelectOptions, budget, "5m", "Time limit including reading, e.g. 30s, 5m or 1h."),
    INTEGER(SelectOptions, folds, 5, WITHIN(2, 65535), "Number of folds."),
    INTEGER(SelectOptions, repeats, 1, WITHIN(1, 10000),
            "Number of repetitions with different folds."),
    FOLD_GROUP_PARAMS,
    INTEGER(SelectOptions, seed, 1, AT_LEAST(0), "Seed of all random choices."),
    FLAG(SelectOptions, skip_unlabeled, "Skip rows without a label."),
    TEXT(SelectOptions, methods, NULL, "Compare only these methods, e.g. svm,knn."),
    NAME(SelectOptions, task, TASK_AUTO, clv_tasks,
         "Classification, regression or ratings of items by users; auto: from the labels."),
    METRIC_PARAM(SelectOptions),
    TEXT(SelectOptions, transform, "auto", "Feature pipeline; auto: the default of each method."),
    TEXT(SelectOptions, journal, NULL,
         "Journal of completed trials; the same command resumes from it."),
    END_OF_PARAMS,
};

const cleave_param *cleave_compare_params(void)
{
    return compare_params;
}

static const double reserve = 0.015; /* fraction of the budget for the work after the last trial */

/* ---- candidates ------------------------------------------------------------------------------ */

static bool is_named(const char *list, const char *name)
{
    for (const char *at = list; *at; at += *at == ',') {
        size_t size = strcspn(at, ",");

        if (size == strlen(name) && memcmp(at, name, size) == 0)
            return true;
        at += size;
    }
    return false;
}

static Status check_names(const char *list, cleave_error *error)
{
    for (const char *at = list; *at; at += *at == ',') {
        size_t size = strcspn(at, ",");
        const Method *method;
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), at);
        TRY(clv_method_find(name, &method, error));
        at += size;
    }
    return OK;
}

/* The reason why a method does not suit the data; NULL if it does. */
static const char *unfit(const Experiment *base, const Method *method)
{
    if (base->regression && !(method->tasks & CLEAVE_TASK_REGRESSION))
        return "suited to classification only; the task is regression";
    if (base->regression)
        return method->traits & CLEAVE_TRAIT_RATINGS && !base->options.methods &&
                       base->options.task != TASK_RATINGS
                   ? "suited to ratings of items by users (--task ratings)"
                   : NULL;
    if (!(method->tasks & (CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS)))
        return "suited to regression only; the task is classification";
    if (base->classes > 2 && !(method->tasks & CLEAVE_TASK_MULTICLASS))
        return "supports two classes only";
    if (!clv_trial_can_measure(base->metric, method, &base->run))
        return "predicts no probabilities, which the metric requires (train --calibrate fits them)";
    return NULL;
}

Status clv_compare_prepare(Compare *compare, MethodCandidate *candidate, cleave_error *error)
{
    const Experiment *base = &compare->base;
    size_t losses = base->dataset->rows * base->repeats;

    candidate->result = clv_alloc_zero(base->context, base->trials, sizeof *candidate->result);
    candidate->loss = clv_alloc(base->context, losses, sizeof *candidate->loss);
    if (!candidate->result || !candidate->loss)
        return clv_fail_memory(error, "losses", losses * sizeof *candidate->loss);
    for (size_t i = 0; i < losses; i++)
        candidate->loss[i] = NAN;
    return OK;
}

Status clv_compare_retry(Compare *compare, MethodCandidate *first, MethodCandidate **retry,
                         cleave_error *error)
{
    MethodCandidate *made = &compare->candidate[compare->candidates];

    *made = (MethodCandidate){.method = first->method,
                              .training = first->training,
                              .is_retry = true,
                              .pace = first->pace,
                              .planned = true,
                              .train_share = first->train_share,
                              .test_share = first->test_share,
                              .expected = first->expected};
    memcpy(made->settings, first->settings, SETTINGS_SIZE);
    first->retry = (uint32_t)compare->candidates++;
    *retry = made;
    return clv_compare_prepare(compare, made, error);
}

static Status find_candidates(Compare *compare, cleave_error *error)
{
    const Experiment *base = &compare->base;
    size_t count = cleave_method_count();

    TRY(ALLOC_ZERO(base->context, compare->candidate, 2 * count, "candidates", error));
    for (size_t i = 0; i < count && compare->candidates < MOST_METHODS / 2 - 1; i++) {
        const Method *method = clv_methods[i];
        const char *reason = unfit(base, method);
        MethodCandidate *candidate = &compare->candidate[compare->candidates];

        if (base->options.methods && !is_named(base->options.methods, method->name))
            continue;
        compare->candidates++;
        candidate->method = method;
        candidate->excluded = reason != NULL;
        snprintf(candidate->reason, REASON_SIZE, "%s", reason ? reason : "");
        if (reason)
            continue;
        TRY(clv_compare_prepare(compare, candidate, error));
        TRY(clv_compare_choose_settings(compare, candidate, error));
    }
    compare->methods = compare->candidates;
    return OK;
}

/* ---- the data -------------------------------------------------------------------------------- */

/* Whether the names of two columns are those of a user and an item. */
static bool are_ratings(const Schema *schema)
{
    bool user = false, item = false;

    for (uint32_t i = 0; i < schema->count; i++) {
        RatingRole role = clv_rating_role(schema->column[i].name);

        user = user || role == RATING_USER;
        item = item || role == RATING_ITEM;
    }
    return user && item;
}

/* Few different numbers may be classes, a scale or ratings. */
static void note_numbers(const Experiment *base)
{
    if (base->classes <= 2 || !base->dataset->labels.all_numbers)
        return;
    clv_note(base->context,
             "%s: %llu different numbers are read as classes; --task %s compares methods that "
             "predict numbers",
             base->name, (unsigned long long)base->classes,
             are_ratings(&base->dataset->schema) ? "ratings" : "regression");
}

static Status find_task(Experiment *base, struct Guesses *guesses, cleave_error *error)
{
    int task = base->options.task;

    base->regression = task == TASK_REGRESSION || task == TASK_RATINGS ||
                       (task == TASK_AUTO && clv_folds_look_like_numbers(base->dataset));
    if (task == TASK_AUTO)
        TRY(clv_guess_add(guesses, "task",
                          clv_tasks[base->regression ? TASK_REGRESSION : TASK_CLASSIFICATION],
                          "--task", NULL, error));
    if (task == TASK_AUTO && !base->regression)
        note_numbers(base);
    if (base->regression && !base->dataset->numbers && !base->dataset->labels.all_numbers)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: --task %s requires numeric labels",
                        base->name, clv_tasks[task]);
    if (base->regression || base->classes >= 2)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "use --label to name the label column",
                         "%s: %s; a comparison needs two classes", base->name,
                         base->classes ? "all labels are the same" : "no row has a label");
}

static Status look_for_leaks(Compare *compare, cleave_error *error)
{
    size_t count;

    TRY(clv_leak_in_dataset(compare->base.dataset, compare->base.regression, compare->suspect,
                            &count, error));
    for (size_t i = 0; i < count; i++)
        compare->suspect_facts[i] = (cleave_suspect_column){
            .name = compare->suspect[i].name,
            .error = compare->suspect[i].error,
            .baseline = compare->suspect[i].majority,
            .message = compare->suspect[i].message,
            .hint = LEAK_HINT};
    compare->facts.suspects = compare->suspect_facts;
    compare->facts.suspect_count = count;
    return OK;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static void describe(Compare *compare)
{
    cleave_comparison *facts = &compare->facts;
    const Experiment *base = &compare->base;

    facts->rows = compare->baseline.sums.n;
    facts->features = base->dataset->features;
    facts->classes = base->regression ? 0 : base->classes;
    facts->regression = base->regression;
    facts->metric = &base->metric->facts;
    facts->positive = base->positive_label;
    facts->baseline_label = *base->baseline_label ? base->baseline_label : NULL;
    facts->budget = base->budget;
    facts->folds = base->fold_count;
    facts->repeats = base->repeats;
    facts->forward = base->folds[0].forward;
    facts->groups = base->options.by_group ? base->folds[0].groups : 0;
    facts->seed = base->seed;
}

static Status compare_methods(Compare *compare, Context *context, cleave_data *data,
                              const cleave_options *options, cleave_error *error)
{
    Experiment *base = &compare->base;

    TRY(clv_experiment_begin(base, context, data, compare_params, options, error));
    if (base->options.methods)
        TRY(check_names(base->options.methods, error));
    base->seed = (uint64_t)base->options.seed;
    compare->end = base->started + (1 - reserve) * base->budget;
    TRY(clv_experiment_load(base, data, error));
    TRY(find_task(base, &data->guesses, error));
    TRY(clv_experiment_choose_metric(base, NULL, error));
    TRY(look_for_leaks(compare, error));
    TRY(clv_experiment_split(base, base->options.skip_unlabeled, 0, error));
    TRY(clv_baseline_find(base, &compare->baseline, error));
    TRY(find_candidates(compare, error));
    TRY(clv_compare_resume(compare, error));
    compare->workers = clv_pool_workers(context, (uint32_t)compare->candidates * base->trials);
    TRY(clv_compare_run(compare, error));
    compare->facts.cancelled = clv_cancelled(context);
    TRY(clv_compare_summarize(compare, error));
    describe(compare);
    return OK;
}

/* Frees all memory that the result does not need. */
static void free_work(Compare *compare)
{
    Context *context = compare->base.context;

    for (size_t i = 0; i < compare->candidates; i++) {
        MethodCandidate *candidate = &compare->candidate[i];

        FREE(context, candidate->result, candidate->loss);
        if (!candidate->is_retry)
            cleave_options_free(candidate->training);
    }
    clv_baseline_free(context, &compare->baseline);
    clv_experiment_close(&compare->base);
}

cleave_code cleave_compare(cleave_context *context, cleave_data *data,
                           const cleave_options *options, cleave_comparison **result,
                           cleave_error *error)
{
    REQUIRE(context && data && result);
    Compare *compare;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, compare, 1, "a comparison", error));
    compare->base.context = context;
    compare->facts.best = SIZE_MAX;
    status = compare_methods(compare, context, data, options, error);
    free_work(compare);
    compare->facts.seconds = clv_now() - compare->base.started;
    if (status != OK) {
        cleave_comparison_free(&compare->facts);
        return status;
    }
    *result = &compare->facts;
    return OK;
}

void cleave_comparison_free(cleave_comparison *facts)
{
    Compare *compare = (Compare *)facts;

    if (!compare)
        return;
    FREE(compare->base.context, compare->candidate, compare->listed, compare);
}
