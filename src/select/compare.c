/* Comparison: who takes part, on which folds, and the words for what comes of it. */
#include "select/compare.h"

#include "base/pool.h"
#include "input/input.h"
#include "model/registry.h"
#include "train/batch_driver.h"

#include <stdio.h>

static const char *const tasks[] = {"auto", "classes", "numbers", NULL};

const Param clv_compare_params[] = {
    TEXT(CompareOptions, budget, "5m", "time for all of it, reading included, as in 30s, 5m or 1h"),
    INTEGER(CompareOptions, folds, 5, WITHIN(2, 65535),
            "parts that the rows are dealt into, each judged by models of all others"),
    INTEGER(CompareOptions, repeats, 1, WITHIN(1, 10000), "how often all of it is done, the rows dealt anew each time"),
    TEXT(CompareOptions, by_group, NULL, "rows that have the same in this column (or qid) are in one fold"),
    TEXT(CompareOptions, by_time, NULL, "Forward-chaining folds, ordered by this column of dates or numbers."),
    INTEGER(CompareOptions, seed, 1, AT_LEAST(0), "seed of everything random"),
    FLAG(CompareOptions, skip_unlabelled, "Leave out rows without a label."),
    TEXT(CompareOptions, methods, NULL, "compare only these, as in svm,knn"),
    NAME(CompareOptions, task, TASK_AUTO, tasks,
         "what labels are: names of classes, or numbers to be learned; auto: numbers where many different ones are"),
    METRIC_PARAM(CompareOptions),
    TEXT(CompareOptions, transform, "auto",
         "what makes features of what is read, as for train; auto: what suits each method"),
    TEXT(CompareOptions, journal, NULL,
         "a file that is told each finished trial; the same command, started again, does only the others"),
    END_OF_PARAMS,
};

const cleave_param *cleave_compare_params(void)
{
    return clv_compare_params;
}

static const double reserve = 0.015; /* of the budget, for what comes behind the last trial */

/* ---- who takes part ----------------------------------------------------------------------------------------------- */

static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; *at; at += *at == ',') {
        size_t size = strcspn(at, ",");

        if (size == length && memcmp(at, name, length) == 0)
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

/* Why a method cannot; NULL where it may. */
static const char *unfit(const Compare *compare, const Method *method)
{
    bool numbers = compare->facts.regression;

    if (numbers)
        return method->tasks & CLEAVE_TASK_REGRESSION ? NULL : "answers classes, and these labels are numbers";
    if (!(method->tasks & (CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS)))
        return "answers numbers, and these labels are classes";
    if (compare->facts.classes > 2 && !(method->tasks & CLEAVE_TASK_MULTICLASS))
        return "tells two classes apart, and here are more";
    if (!clv_trial_can_measure(compare->metric, method, &(RunOptions){0}))
        return "predicts no probabilities, which the metric needs (train --calibrate fits them)";
    return NULL;
}

Status clv_compare_make_room(Compare *compare, Candidate *candidate, cleave_error *error)
{
    size_t losses = compare->dataset->rows * (size_t)compare->options.repeats;

    candidate->piece = clv_alloc_zero(compare->context, compare->pieces, sizeof *candidate->piece);
    candidate->loss = clv_alloc(compare->context, losses, sizeof *candidate->loss);
    if (!candidate->piece || !candidate->loss)
        return clv_fail_memory(error, "losses", losses * sizeof *candidate->loss);
    for (size_t i = 0; i < losses; i++)
        candidate->loss[i] = NAN;
    return OK;
}

Status clv_compare_again(Compare *compare, Candidate *first, Candidate **second, cleave_error *error)
{
    Candidate *made = &compare->candidate[compare->candidates];

    *made = (Candidate){.method = first->method,
                        .training = first->training,
                        .again = true,
                        .pace = first->pace,
                        .planned = true,
                        .learn_share = first->learn_share,
                        .judge_share = first->judge_share,
                        .expected = first->expected};
    memcpy(made->settings, first->settings, SETTINGS_SIZE);
    first->second = (uint32_t)compare->candidates++;
    *second = made;
    return clv_compare_make_room(compare, made, error);
}

static Status add_candidate(Compare *compare, const Method *method, cleave_error *error)
{
    Candidate *candidate = &compare->candidate[compare->candidates++];
    const char *why = unfit(compare, method);

    candidate->method = method;
    if (why) {
        candidate->out = true;
        snprintf(candidate->reason, REASON_SIZE, "%s", why);
        return OK;
    }
    TRY(clv_compare_make_room(compare, candidate, error));
    return clv_compare_settle(compare, candidate, error);
}

static Status find_candidates(Compare *compare, cleave_error *error)
{
    size_t count = cleave_method_count();

    compare->candidate = clv_alloc_zero(compare->context, 2 * count, sizeof *compare->candidate);
    if (!compare->candidate)
        return clv_fail_memory(error, "candidates", count * sizeof *compare->candidate);
    for (size_t i = 0; i < count && compare->candidates < MOST_METHODS / 2 - 1; i++)
        if (!compare->options.methods || is_named(compare->options.methods, clv_methods[i]->name))
            TRY(add_candidate(compare, clv_methods[i], error));
    compare->methods = compare->candidates;
    return OK;
}

/* ---- the data ----------------------------------------------------------------------------------------------------- */

static Status check_labels(Compare *compare, cleave_error *error)
{
    const Labels *labels = &compare->dataset->labels;
    bool numbers = compare->dataset->numbers || labels->all_numbers;

    compare->facts.regression = compare->options.task == TASK_NUMBERS ||
                                (compare->options.task == TASK_AUTO && clv_folds_look_like_numbers(compare->dataset));
    if (compare->options.task == TASK_AUTO)
        TRY(clv_guess_add(compare->guesses, "task", tasks[compare->facts.regression ? TASK_NUMBERS : TASK_CLASSES],
                          "--task", NULL, error));
    if (compare->options.task == TASK_NUMBERS && !numbers)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: --task numbers, and not all labels are numbers", compare->name);
    for (uint32_t i = 0; i < labels->count; i++)
        compare->facts.classes += labels->list[i].count > 0;
    if (compare->facts.regression) {
        compare->facts.classes = 0;
        return OK;
    }
    if (compare->facts.classes < 2) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: %s: there is nothing to tell apart", compare->name,
                 compare->facts.classes ? "all labels are the same" : "no row has a label");
        return clv_hint(error, CLEAVE_ERROR_DATA, "--label names the column of the label");
    }
    clv_quote(compare->baseline_label, labels->list[clv_most_frequent(labels)].text,
              strlen(labels->list[clv_most_frequent(labels)].text));
    compare->facts.baseline_label = compare->baseline_label;
    return OK;
}

static Status choose_metric(Compare *compare, cleave_error *error)
{
    TRY(clv_metric_choose(compare->options.metric, compare->facts.regression, compare->facts.classes, &compare->metric,
                          error));
    compare->options.metric = (int)compare->metric->id; /* for the journal: auto and its value are the same */
    compare->facts.metric = &compare->metric->facts;
    compare->facts.positive = clv_trial_positive(compare->metric, &(RunOptions){0}, &compare->dataset->labels,
                                                 compare->positive);
    return OK;
}

static Status find_baseline(Compare *compare, cleave_error *error)
{
    compare->baseline = (Baseline){.context = compare->context,
                                   .dataset = compare->dataset,
                                   .metric = compare->metric,
                                   .name = compare->name,
                                   .folds = compare->folds,
                                   .repeats = (uint32_t)compare->options.repeats};
    return clv_baseline_find(&compare->baseline, error);
}

static Status deal(Compare *compare, cleave_error *error)
{
    compare->folds = clv_alloc_zero(compare->context, (size_t)compare->options.repeats, sizeof *compare->folds);
    if (!compare->folds)
        return clv_fail_memory(error, "folds", (size_t)compare->options.repeats * sizeof *compare->folds);
    if (!compare->options.skip_unlabelled)
        TRY(clv_refuse_unlabelled(compare->dataset, compare->name, error));
    for (uint32_t repeat = 0; repeat < compare->options.repeats; repeat++) {
        FoldPlan plan = {.count = (uint32_t)compare->options.folds,
                         .seed = (uint64_t)compare->options.seed,
                         .stream = repeat,
                         .numbers = compare->facts.regression,
                         .by_group = compare->options.by_group,
                         .by_time = compare->options.by_time,
                         .forward = true};

        TRY(clv_folds_deal(compare->dataset, &plan, &compare->folds[repeat], error));
    }
    compare->facts.groups = compare->options.by_group ? compare->folds[0].groups : 0;
    return OK;
}

static Status look_for_leaks(Compare *compare, cleave_error *error)
{
    size_t count;

    TRY(clv_leak_in_dataset(compare->dataset, compare->facts.regression, compare->suspect, &count, error));
    for (size_t i = 0; i < count; i++)
        compare->suspect_facts[i] = (cleave_suspect_column){.name = compare->suspect[i].name,
                                                            .error = compare->suspect[i].error,
                                                            .baseline = compare->suspect[i].majority};
    compare->facts.suspects = compare->suspect_facts;
    compare->facts.suspect_count = count;
    return OK;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static Status compare_all(Compare *compare, cleave_error *error)
{
    TRY(check_labels(compare, error));
    TRY(choose_metric(compare, error));
    TRY(look_for_leaks(compare, error));
    TRY(deal(compare, error));
    TRY(find_baseline(compare, error));
    TRY(find_candidates(compare, error));
    TRY(clv_compare_open_journal(compare, error));
    compare->workers = clv_pool_workers(compare->context, (uint32_t)compare->candidates * compare->pieces);
    TRY(clv_compare_run(compare, error));
    compare->facts.cancelled = clv_cancelled(compare->context);
    return clv_compare_summarise(compare, error);
}

static void describe(Compare *compare)
{
    cleave_comparison *facts = &compare->facts;

    facts->rows = compare->baseline.labelled;
    facts->features = compare->dataset->features;
    facts->folds = (uint32_t)compare->options.folds;
    facts->repeats = (uint32_t)compare->options.repeats;
    facts->forward = compare->folds[0].forward;
    facts->seed = (uint64_t)compare->options.seed;
}

/* What the caller has no use for. */
static void free_work(Compare *compare)
{
    for (size_t i = 0; i < compare->candidates; i++) {
        clv_free(compare->context, compare->candidate[i].piece);
        clv_free(compare->context, compare->candidate[i].loss);
        if (!compare->candidate[i].again)
            cleave_options_free(compare->candidate[i].training);
        compare->candidate[i].piece = NULL;
        compare->candidate[i].loss = NULL;
        compare->candidate[i].training = NULL;
    }
    for (int64_t i = 0; compare->folds && i < compare->options.repeats; i++)
        clv_folds_free(&compare->folds[i]);
    clv_free(compare->context, compare->folds);
    clv_baseline_free(&compare->baseline);
    clv_journal_close(compare->journal);
    compare->folds = NULL;
    compare->journal = NULL;
}

void cleave_comparison_free(cleave_comparison *facts)
{
    Compare *compare = (Compare *)facts;

    if (!compare)
        return;
    free_work(compare);
    clv_free(compare->context, compare->candidate);
    clv_free(compare->context, compare->contender);
    clv_free(compare->context, compare);
}

static Status begin(Compare *compare, cleave_data *data, const cleave_options *options, cleave_error *error)
{
    CompareOptions *own = &compare->options;

    compare->started = clv_now();
    compare->name = clv_data_name(data);
    compare->facts.best = SIZE_MAX;
    TRY(clv_params_apply(options, clv_compare_params, own, NULL, NULL, error));
    TRY(clv_folds_check_options(own->by_time, own->by_group, own->repeats, error));
    TRY(clv_duration("budget", own->budget, &compare->facts.budget, error));
    if (own->methods)
        TRY(check_names(own->methods, error));
    if (own->journal)
        TRY(clv_data_protects(data, own->journal, error));
    compare->end = compare->started + (1 - reserve) * compare->facts.budget;
    compare->pieces = (uint32_t)(own->folds * own->repeats);
    compare->guesses = &data->guesses;
    return clv_data_training_set(data, &compare->dataset, error);
}

cleave_code cleave_compare(cleave_context *context, cleave_data *data, const cleave_options *options,
                           cleave_comparison **result, cleave_error *error)
{
    REQUIRE(context && data && result);
    Compare *compare = clv_alloc_zero(context, 1, sizeof *compare);
    Status status;

    *result = NULL;
    if (!compare)
        return clv_fail_memory(error, "a comparison", sizeof *compare);
    compare->context = context;
    status = begin(compare, data, options, error);
    if (status == OK)
        status = compare_all(compare, error);
    if (status != OK) {
        cleave_comparison_free(&compare->facts);
        return status;
    }
    describe(compare);
    free_work(compare);
    compare->facts.seconds = clv_now() - compare->started;
    *result = &compare->facts;
    return OK;
}
