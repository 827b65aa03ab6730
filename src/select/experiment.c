#include "select/experiment.h"

#include "base/pool.h"
#include "train/batch_driver.h"
#include "train/identity.h"

/* ---- results of trials ----------------------------------------------------------------------- */

TrialResult clv_trial_result(const Trial *trial, double seconds)
{
    return (TrialResult){.state = trial->status == OK ? TRIAL_DONE : TRIAL_FAILED,
                         .limited = trial->facts.stopped_by &&
                                    clv_is_epoch_limit(trial->facts.stopped_by),
                         .warm = trial->from != NULL,
                         .train_share = trial->train_share,
                         .test_share = trial->test_share,
                         .train_n = trial->facts.train_rows,
                         .model_bytes = trial->model_bytes,
                         .train_seconds = trial->facts.train_seconds,
                         .test_seconds = trial->facts.test_seconds,
                         .seconds = seconds,
                         .sums = trial->sums};
}

TrialPool clv_results_pool(const TrialResult *results, uint32_t count, const RowMetric *metric)
{
    TrialPool all = {0};

    for (uint32_t i = 0; i < count; i++) {
        if (results[i].state != TRIAL_DONE)
            continue;
        all.folds++;
        all.limited += results[i].limited;
        all.train_seconds += results[i].train_seconds;
        all.seconds += results[i].seconds;
        clv_evaluation_join(&all.sums, &results[i].sums);
        clv_metric_pool(&all.metric, &results[i].sums.metric);
    }
    all.loss = clv_metric_loss(metric, &all.metric);
    return all;
}

/* ---- the experiment -------------------------------------------------------------------------- */

Status clv_experiment_begin(Experiment *experiment, Context *context, const cleave_data *data,
                            const Param *params, const cleave_options *options, cleave_error *error)
{
    SelectOptions *own = &experiment->options;

    *experiment = (Experiment){.context = context,
                               .params = params,
                               .options = {.repeats = 1},
                               .started = clv_now(),
                               .name = clv_data_name(data),
                               .failed = UINT32_MAX};
    TRY(clv_params_apply(options, params, own, NULL, NULL, error));
    TRY(clv_folds_check_options(own->by_time, own->by_group, own->repeats, error));
    if (own->budget)
        TRY(clv_duration("budget", own->budget, &experiment->budget, error));
    if (own->journal)
        TRY(clv_data_protects(data, own->journal, error));
    experiment->has_lock = pthread_mutex_init(&experiment->lock, NULL) == 0;
    if (!experiment->has_lock)
        return clv_fail_memory(error, "a lock", sizeof experiment->lock);
    experiment->fold_count = (uint32_t)own->folds;
    experiment->repeats = (uint32_t)own->repeats;
    experiment->trials = experiment->fold_count * experiment->repeats;
    return OK;
}

void clv_experiment_close(Experiment *experiment)
{
    for (uint32_t i = 0; experiment->folds && i < experiment->repeats; i++)
        clv_folds_free(&experiment->folds[i]);
    if (experiment->context)
        clv_free(experiment->context, experiment->folds);
    clv_journal_close(experiment->journal);
    if (experiment->has_lock)
        pthread_mutex_destroy(&experiment->lock);
    experiment->folds = NULL;
    experiment->journal = NULL;
    experiment->has_lock = false;
}

Status clv_experiment_load(Experiment *experiment, cleave_data *data, cleave_error *error)
{
    const Labels *labels;

    TRY(clv_data_training_set(data, &experiment->dataset, error));
    labels = &experiment->dataset->labels;
    for (uint32_t i = 0; i < labels->count; i++)
        experiment->classes += labels->list[i].count > 0;
    return OK;
}

Status clv_experiment_choose_metric(Experiment *experiment, const Method *method,
                                    cleave_error *error)
{
    const Labels *labels = &experiment->dataset->labels;
    SelectOptions *options = &experiment->options;
    uint32_t number;

    TRY(clv_metric_choose(options->metric, experiment->regression, experiment->classes,
                          &experiment->metric, error));
    /* the journal identifies the metric, not `auto` */
    options->metric = (int)experiment->metric->id;
    if (method && !clv_trial_can_measure(experiment->metric, method, &experiment->run))
        return clv_trial_refuse_metric(experiment->metric, method, error);
    if (experiment->metric->of_positive &&
        clv_labels_positive(labels, experiment->run.positive, &number, NULL) == OK)
        experiment->positive_label = clv_quote(experiment->positive, labels->list[number].text,
                                               strlen(labels->list[number].text));
    if (!experiment->regression && labels->count > 0) {
        number = clv_most_frequent(labels);
        clv_quote(experiment->baseline_label, labels->list[number].text,
                  strlen(labels->list[number].text));
    }
    return OK;
}

Status clv_experiment_split(Experiment *experiment, bool takes_unlabeled, double held_out,
                            cleave_error *error)
{
    const SelectOptions *options = &experiment->options;

    TRY(ALLOC_ZERO(experiment->context, experiment->folds, experiment->repeats, "folds", error));
    if (!takes_unlabeled)
        TRY(clv_refuse_unlabeled(experiment->dataset, experiment->name, error));
    for (uint32_t repeat = 0; repeat < experiment->repeats; repeat++) {
        FoldPlan plan = {.count = experiment->fold_count + (held_out > 0),
                         .last_share = held_out,
                         .seed = experiment->seed,
                         .stream = repeat,
                         .numbers = experiment->regression,
                         .by_group = options->by_group,
                         .by_time = options->by_time,
                         .forward = true};

        TRY(clv_folds_make(experiment->dataset, &plan, &experiment->folds[repeat], error));
        experiment->folds[repeat].apart = held_out > 0;
    }
    return OK;
}

Trial clv_experiment_trial(const Experiment *experiment, uint32_t number)
{
    return (Trial){.parent = experiment->context,
                   .metric = experiment->metric,
                   .name = experiment->name,
                   .dataset = experiment->dataset,
                   .folds = experiment_folds(experiment, number),
                   .part = number % experiment->fold_count,
                   .share_seed = experiment->seed};
}

/* ---- tasks on several threads ---------------------------------------------------------------- */

Status clv_experiment_run(Experiment *experiment, uint32_t tasks,
                          void (*work)(void *user, uint32_t task, unsigned worker), void *user,
                          cleave_error *error)
{
    clv_pool_run(experiment->context, tasks, work, user);
    if (experiment->failed == UINT32_MAX)
        return OK;
    if (error)
        *error = experiment->failure_error;
    return experiment->failure;
}

void clv_experiment_fail(Experiment *experiment, uint32_t task, Status status,
                         const cleave_error *error)
{
    pthread_mutex_lock(&experiment->lock);
    if (task < experiment->failed) {
        experiment->failed = task;
        experiment->failure = status;
        experiment->failure_error = *error;
    }
    pthread_mutex_unlock(&experiment->lock);
}

bool clv_experiment_has_failed(Experiment *experiment, uint32_t task)
{
    bool failed;

    pthread_mutex_lock(&experiment->lock);
    failed = experiment->failed < task;
    pthread_mutex_unlock(&experiment->lock);
    return failed;
}

/* Whether two messages differ only in numbers. Numbers in quotes are names. */
static bool is_alike(const char *a, const char *b)
{
    bool quoted = false;

    for (;; a++, b++) {
        if (!quoted) {
            a += strspn(a, "0123456789.");
            b += strspn(b, "0123456789.");
        }
        if (*a != *b || *a == '\0')
            return *a == *b;
        quoted ^= *a == '\'';
    }
}

static bool was_logged(const Trial *trials, uint32_t count, const TrialRemark *remark)
{
    for (uint32_t i = 0; i < count; i++)
        for (size_t j = 0; j < trials[i].remark_count; j++)
            if (is_alike(trials[i].remarks[j].message, remark->message))
                return true;
    return false;
}

void clv_experiment_tell_remarks(const Experiment *experiment, const Trial *trials, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (size_t j = 0; j < trials[i].remark_count; j++) {
            const TrialRemark *remark = &trials[i].remarks[j];

            if (i == 0 && remark->level == CLEAVE_LOG_NOTE)
                clv_note(experiment->context, "%s", remark->message);
            else if (remark->level == CLEAVE_LOG_WARNING && !was_logged(trials, i, remark))
                clv_warn(experiment->context, remark->hint, "fold %u: %s", i + 1, remark->message);
        }
}

/* ---- the journal ----------------------------------------------------------------------------- */

static Status list_facts(const Experiment *experiment, const Identity *identity,
                         const char *command, const Buffer *facts, bool (*skip)(const char *name))
{
    TRY(clv_identity_add(identity, "version of cleave", cleave_version()));
    TRY(clv_identity_add(identity, "command", command));
    if (facts)
        TRY(clv_buffer_add(identity->context, identity->list, facts->data, facts->size,
                           identity->error));
    TRY(clv_identity_params(identity, experiment->params, &experiment->options, skip));
    return clv_identity_dataset(identity, experiment->dataset, "", true);
}

Status clv_experiment_open_journal(Experiment *experiment, const char *command, const Buffer *facts,
                                   bool (*skip)(const char *name), cleave_error *error)
{
    const char *path = experiment->options.journal;
    Buffer list = {0};
    Identity identity = {.context = experiment->context, .error = error, .list = &list};
    Status status = path ? list_facts(experiment, &identity, command, facts, skip) : OK;

    THEN(status, clv_journal_open(experiment->context, path, &list, &experiment->journal, error));
    clv_free(experiment->context, list.data);
    return status;
}

/* Members of a result as numbers. They follow the first number, which contains the flags. */
#define NUMBER(member)                                                                             \
    {                                                                                              \
        offsetof(TrialResult, member), false                                                       \
    }
#define COUNT(member)                                                                              \
    {                                                                                              \
        offsetof(TrialResult, member), true                                                        \
    }
static const struct {
    size_t offset;
    bool count; /* the member is a uint64_t; otherwise a double */
} members[RESULT_NUMBERS - 1] = {
    NUMBER(train_share),
    NUMBER(test_share),
    COUNT(train_n),
    COUNT(model_bytes),
    NUMBER(train_seconds),
    NUMBER(test_seconds),
    NUMBER(seconds),
    COUNT(sums.n),
    COUNT(sums.unlabeled),
    COUNT(sums.errors),
    COUNT(sums.none),
    COUNT(sums.unseen_label),
    COUNT(sums.baseline_errors),
    NUMBER(sums.abs_error),
    NUMBER(sums.squared_error),
    NUMBER(sums.fourth_error),
    NUMBER(sums.target_mean),
    NUMBER(sums.target_spread),
    COUNT(sums.metric.n),
    NUMBER(sums.metric.loss),
    NUMBER(sums.metric.squares),
    NUMBER(sums.metric.worth),
};
enum { FLAG_FAILED = 1, FLAG_LIMITED = 2, FLAG_WARM = 4 };

void clv_result_save(const TrialResult *result, double numbers[RESULT_NUMBERS])
{
    numbers[0] = (result->state == TRIAL_FAILED ? FLAG_FAILED : 0) +
                 (result->limited ? FLAG_LIMITED : 0) + (result->warm ? FLAG_WARM : 0);
    for (size_t i = 0; i < RESULT_NUMBERS - 1; i++) {
        const void *at = (const char *)result + members[i].offset;

        numbers[i + 1] = members[i].count ? (double)*(const uint64_t *)at : *(const double *)at;
    }
}

static bool is_count(double number)
{
    return number >= 0 && number < 0x1p53 && number == floor(number);
}

bool clv_result_load(TrialResult *result, const double numbers[RESULT_NUMBERS])
{
    unsigned flags = is_count(numbers[0]) && numbers[0] < 8 ? (unsigned)numbers[0] : 8;

    *result = (TrialResult){.state = flags & FLAG_FAILED ? TRIAL_FAILED : TRIAL_DONE,
                            .limited = flags & FLAG_LIMITED,
                            .warm = flags & FLAG_WARM};
    for (size_t i = 0; i < RESULT_NUMBERS - 1; i++) {
        void *at = (char *)result + members[i].offset;

        if (members[i].count && !is_count(numbers[i + 1]))
            return false;
        if (members[i].count)
            *(uint64_t *)at = (uint64_t)numbers[i + 1];
        else
            *(double *)at = numbers[i + 1];
    }
    return flags < 8 && result->train_share >= 0 && result->train_share < 1 &&
           result->test_share >= 0 && result->test_share < 1 &&
           (result->state == TRIAL_FAILED || result->sums.n > 0);
}

Status clv_experiment_record(Experiment *experiment, const char *key, const TrialResult *result,
                             const char *text, cleave_error *error)
{
    double numbers[RESULT_NUMBERS];

    clv_result_save(result, numbers);
    return clv_journal_add(
        experiment->journal,
        &(JournalRecord){.key = key, .text = text, .numbers = numbers, .count = RESULT_NUMBERS},
        error);
}
