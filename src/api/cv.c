/*
 * Cross-validation. A fold is a task of its own: its rows and all others become datasets, the recipe and the method learn from the others
 * alone, and its rows are judged. A task has a context of its own, with one thread, so that whoever runs it, and however many at a time, it
 * computes the same.
 */
#include "api/cv.h"

#include "api/data.h"
#include "api/recipe.h"
#include "api/train.h"
#include "base/pool.h"
#include "feature/recipe.h"
#include "model/registry.h"
#include "run/folds.h"
#include "run/interval.h"
#include "run/rows.h"

#include <stdatomic.h>
#include <stdio.h>

typedef struct {
    int64_t folds, repeats;
    const char *by_group;
} CvOptions;

static const Param cv_params[] = {
    INTEGER(CvOptions, folds, 10, WITHIN(2, 65535),
            "parts that the rows are dealt into, each judged by a model of all others"),
    INTEGER(CvOptions, repeats, 1, WITHIN(1, 10000), "how often all of it is done, the rows dealt anew each time"),
    TEXT(CvOptions, by_group, NULL, "rows that have the same in this column (or qid) are in one fold"),
    END_OF_PARAMS,
};

const cleave_param *cleave_cv_params(void)
{
    return cv_params;
}

typedef struct {
    cleave_log_level level;
    char message[400], hint[200];
} Remark;

typedef struct Cv Cv;

typedef struct {
    Cv *cv;
    Context context; /* its own: one thread, and remarks are kept for later */
    const Folds *folds;
    uint32_t part, judged_part; /* its own; and the one whose rows are judged, while judging */
    bool judging;
    cleave_cv_fold *facts;
    Tally *tally;
    uint64_t features, classes;
    Remark *remarks;
    size_t remark_count, remark_capacity;
    Status status;
    cleave_error error;
} Task;

struct Cv {
    Context *context;
    const Method *method;
    const cleave_options *training;
    RunOptions run; /* as every task has them */
    CvOptions options;
    const char *name;
    Dataset *dataset;
    Folds *folds; /* of each repeat */
    Task *task;
    uint32_t tasks;
    _Atomic uint32_t failed; /* the first task that did, as far as is known; UINT32_MAX: none */
    _Atomic uint64_t rows_done;
};

/* ---- the context of a task ---------------------------------------------------------------------------------------- */

static void *allocate(void *user, void *old, size_t size)
{
    const cleave_config *config = &((Task *)user)->cv->context->config;

    return config->allocate(config->user, old, size);
}

static bool cancelled(void *user)
{
    return clv_cancelled(((Task *)user)->cv->context);
}

/* Told once all are done, in the order of folds. */
static void keep_remark(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Task *task = user;
    Remark *remark;

    if (GROW(task->cv->context, task->remarks, task->remark_capacity, task->remark_count + 1, NULL) != OK)
        return;
    remark = &task->remarks[task->remark_count++];
    remark->level = level;
    snprintf(remark->message, sizeof remark->message, "%s", message);
    snprintf(remark->hint, sizeof remark->hint, "%s", hint);
}

static void init_context(Task *task)
{
    task->context = (Context){.config = {.allocate = allocate,
                                         .log = task->cv->context->config.log ? keep_remark : NULL,
                                         .cancelled = cancelled,
                                         .user = task,
                                         .threads = 1}};
}

static bool was_told(const Cv *cv, const Remark *remark, uint32_t before)
{
    for (uint32_t i = 0; i < before; i++)
        for (size_t j = 0; j < cv->task[i].remark_count; j++)
            if (strcmp(cv->task[i].remarks[j].message, remark->message) == 0)
                return true;
    return false;
}

/* What the first fold has to say, and warnings of others that are news. */
static void tell_remarks(Cv *cv)
{
    for (uint32_t i = 0; i < cv->tasks; i++) {
        const Task *task = &cv->task[i];

        for (size_t j = 0; j < task->remark_count; j++) {
            const Remark *remark = &task->remarks[j];

            if (i == 0 && remark->level == CLEAVE_LOG_NOTE)
                clv_note(cv->context, "%s", remark->message);
            else if (remark->level == CLEAVE_LOG_WARNING && !was_told(cv, remark, i))
                clv_warn(cv->context, remark->hint, "fold %u: %s", i + 1, remark->message);
        }
    }
}

/* ---- judging ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const Model *model;
    Source *view;
    uint32_t baseline; /* the class that would be answered always */
    double *scores, *numbers;
    size_t score_capacity, number_capacity;
    uint32_t number_count;
    Tally *tally;
    cleave_error *error;
} Judge;

static void judge_number(Judge *judge, double target, double answer)
{
    Tally *tally = judge->tally;
    double off = answer - target, from_mean = target - tally->mean;

    if (isnan(target)) {
        tally->unlabelled++;
        return;
    }
    tally->n++;
    tally->squares += off * off;
    tally->fourths += off * off * off * off;
    tally->mean += from_mean / (double)tally->n;
    tally->spread += from_mean * (target - tally->mean); /* Welford 1962 */
}

static void judge_class(Judge *judge, uint32_t label, const double *scores)
{
    Tally *tally = judge->tally;

    if (label == UNLABELLED) {
        tally->unlabelled++;
        return;
    }
    tally->n++;
    tally->errors += clv_model_decide(judge->model, scores, false) != label;
    tally->baseline_errors += label != judge->baseline;
}

static Status judge_block(Judge *judge, const Block *block)
{
    const Model *model = judge->model;
    const Labels *labels = &judge->view->labels;
    size_t outputs = outputs_of(model->labels.count);

    TRY(GROW(model->context, judge->scores, judge->score_capacity, block->rows * outputs, judge->error));
    TRY(GROW(model->context, judge->numbers, judge->number_capacity, labels->count, judge->error));
    for (; judge->number_count < labels->count; judge->number_count++)
        judge->numbers[judge->number_count] = labels->list[judge->number_count].number;
    TRY(model->method->predict(model, block, judge->scores, judge->error));
    for (uint32_t row = 0; row < block->rows; row++) {
        if (model->task == CLEAVE_TASK_REGRESSION)
            judge_number(judge, block_number(block, row, judge->numbers), judge->scores[row]);
        else
            judge_class(judge, block_label(block, row), judge->scores + (size_t)row * outputs);
    }
    return clv_cancelled(model->context) ? clv_fail(judge->error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

/* The rows of one part, by a model. */
static Status judge_part(Task *task, const Model *model, uint32_t part, uint32_t baseline, Tally *tally)
{
    Judge judge = {.model = model, .baseline = baseline, .tally = tally, .error = &task->error};
    Context *context = &task->context;
    Source *source;
    Status status;

    task->judging = true;
    task->judged_part = part;
    TRY(clv_folds_source(context, task->cv->dataset, task->folds, part, false, &source, &task->error));
    status = clv_view_for(model, source, &judge.view, &task->error);
    while (status == OK) {
        const Block *block;

        status = source_next(judge.view, &block, &task->error);
        if (status != OK || !block)
            break;
        status = judge_block(&judge, block);
    }
    clv_source_close(judge.view);
    clv_source_close(source);
    clv_free(context, judge.scores);
    clv_free(context, judge.numbers);
    return status;
}

/* ---- a fold ------------------------------------------------------------------------------------------------------- */

static uint32_t most_frequent(const Labels *labels)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < labels->count; i++)
        if (labels->list[i].count > labels->list[most].count)
            most = i;
    return most;
}

static double error_of(const Tally *tally, bool regression)
{
    double sum = regression ? tally->squares : (double)tally->errors;

    return regression ? sqrt(sum / (double)tally->n) : sum / (double)tally->n;
}

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->figure_count; i++)
        if (strcmp(report->figures[i].name, name) == 0)
            return report->figures[i].value;
    return (double)NAN;
}

/* On the rows it was trained with, as training has found out itself; where that was too slow, on those of another fold. */
static Status find_train_error(Task *task, const Model *model, const cleave_report *report)
{
    bool regression = model->task == CLEAVE_TASK_REGRESSION;
    cleave_cv_fold *facts = task->facts;
    Tally tally = {0};

    facts->train_error = regression ? figure(report, "train_rmse") : (double)report->train_errors / (double)report->n;
    facts->train_judged = report->n;
    facts->train_errors = regression ? 0 : report->train_errors;
    if (regression ? !isnan(facts->train_error) : report->train_errors != UINT64_MAX)
        return OK;
    TRY(judge_part(task, model, (task->part + 1) % task->folds->count, 0, &tally));
    facts->train_judged = tally.n;
    facts->train_errors = tally.errors;
    facts->train_error = tally.n ? error_of(&tally, regression) : 0;
    return OK;
}

static Status judge_fold(Task *task, const Model *model, const cleave_report *report, uint32_t baseline)
{
    bool regression = model->task == CLEAVE_TASK_REGRESSION;
    cleave_cv_fold *facts = task->facts;
    double started = clv_now();
    Interval sure;

    if (report->cancelled)
        return clv_fail(&task->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    TRY(judge_part(task, model, task->part, baseline, task->tally));
    facts->test_seconds = clv_now() - started;
    if (task->tally->n == 0)
        return clv_fail(&task->error, CLEAVE_ERROR_DATA,
                        "fold %u has no row with a label: there is nothing to judge by", facts->fold);
    TRY(find_train_error(task, model, report));
    sure = regression ? clv_root_mean(task->tally->squares, task->tally->fourths, (double)task->tally->n)
                      : clv_wilson((double)task->tally->errors, (double)task->tally->n);
    facts->n = task->tally->n;
    facts->errors = task->tally->errors;
    facts->error = sure.middle;
    facts->low = sure.low;
    facts->high = sure.high;
    facts->train_n = report->n;
    facts->train_seconds = report->train_seconds;
    facts->converged = report->converged || !report->stopped_by || strcmp(report->stopped_by, "rounds") != 0;
    task->features = report->features;
    task->classes = report->classes;
    return OK;
}

/* Rows as they were read to rows as the method sees them: the recipe learns from nothing else. */
static Status train_fold(Task *task, Job *job, Dataset **raw)
{
    Context *context = &task->context;
    uint32_t baseline = most_frequent(&(*raw)->labels);
    Dataset *cooked = NULL;
    Recipe *recipe = NULL;
    Report *report = NULL;
    Model *model = NULL;
    Status status = clv_recipe_cook(context, job->method, job->method_options, job->options,
                                    clv_run_holdout(job->options, false), *raw, &recipe, &cooked, &task->error);

    if (cooked) {
        clv_dataset_free(*raw);
        *raw = NULL;
    }
    job->recipe = recipe;
    if (status == OK)
        status = clv_train(context, job, cooked ? cooked : *raw, &model, &report, &task->error);
    clv_dataset_free(cooked);
    if (status == OK)
        status = judge_fold(task, model, &report->facts, baseline);
    if (report)
        cleave_report_free(&report->facts);
    cleave_model_free(model);
    clv_recipe_drop(recipe);
    return status;
}

static Status run_task(Task *task)
{
    Cv *cv = task->cv;
    Context *context = &task->context;
    RunOptions run;
    Job job = {.method = cv->method, .options = &run, .name = cv->name};
    Dataset *raw = NULL;
    Source *source;
    Status status;

    job.method_options = clv_alloc_zero(context, 1, cv->method->options_size);
    if (!job.method_options)
        return clv_fail_memory(&task->error, "options", cv->method->options_size);
    status = clv_train_options(&job, cv->training, &run, &task->error);
    if (status == OK)
        status = clv_folds_source(context, cv->dataset, task->folds, task->part, true, &source, &task->error);
    if (status == OK) {
        status = clv_dataset_load(source, &raw, &task->error);
        clv_source_close(source);
    }
    if (status == OK)
        status = train_fold(task, &job, &raw);
    clv_dataset_free(raw);
    clv_free(context, job.method_options);
    return status;
}

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
    Task *task = &cv->task[number];
    uint64_t done;

    if (atomic_load(&cv->failed) < number)
        return;
    task->status = run_task(task);
    if (task->status != OK)
        note_failure(cv, number);
    done = atomic_fetch_add(&cv->rows_done, task->folds->size[task->part]) + task->folds->size[task->part];
    if (worker == 0)
        clv_progress(cv->context, &(cleave_progress){.phase = "cv",
                                                     .rows = done,
                                                     .rows_total = cv->dataset->rows * (uint64_t)cv->options.repeats});
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static Status refuse_options(const Cv *cv, cleave_error *error)
{
    const char *flag = cv->run.stream ? "--stream" : cv->run.checkpoint ? "--checkpoint" : NULL;

    if (flag)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s is for training one model: leave it out of a cross-validation",
                        flag);
    return OK;
}

/* Before anything is read: options that make no sense. */
static Status settle_options(Cv *cv, const cleave_options *options, cleave_error *error)
{
    Job job = {.method = cv->method};
    Status status;

    TRY(clv_params_apply(options, cv_params, &cv->options, NULL, NULL, error));
    job.method_options = clv_alloc_zero(cv->context, 1, cv->method->options_size);
    if (!job.method_options)
        return clv_fail_memory(error, "options", cv->method->options_size);
    status = clv_train_options(&job, cv->training, &cv->run, error);
    if (status == OK)
        status = clv_train_check(cv->method, job.method_options, &cv->run, false, error);
    clv_free(cv->context, job.method_options);
    TRY(status);
    return refuse_options(cv, error);
}

static Status deal_all(Cv *cv, CvResult *result, cleave_error *error)
{
    uint32_t folds = (uint32_t)cv->options.folds;

    cv->folds = clv_alloc_zero(cv->context, (size_t)cv->options.repeats, sizeof *cv->folds);
    cv->task = clv_alloc_zero(cv->context, cv->tasks, sizeof *cv->task);
    if (!cv->folds || !cv->task)
        return clv_fail_memory(error, "folds", cv->tasks * sizeof *cv->task);
    for (uint32_t repeat = 0; repeat < cv->options.repeats; repeat++) {
        FoldPlan plan = {.count = folds,
                         .seed = (uint64_t)cv->run.seed,
                         .stream = repeat,
                         .numbers = cv->method->tasks == CLEAVE_TASK_REGRESSION,
                         .by_group = cv->options.by_group};

        TRY(clv_folds_deal(cv->dataset, &plan, &cv->folds[repeat], error));
    }
    for (uint32_t i = 0; i < cv->tasks; i++) {
        Task *task = &cv->task[i];

        *task = (Task){.cv = cv,
                       .folds = &cv->folds[i / folds],
                       .part = i % folds,
                       .judged_part = i % folds,
                       .facts = &result->fold[i],
                       .tally = &result->tally[i]};
        *task->facts = (cleave_cv_fold){.repeat = i / folds + 1, .fold = i % folds + 1};
        init_context(task);
    }
    result->facts.groups = cv->options.by_group ? cv->folds[0].groups : 0;
    return OK;
}

/* Rows are counted anew where a fold's rows are left out, and in the fold. */
static void tell_failure(const Task *task, cleave_error *error)
{
    char message[sizeof error->message];
    int part = (int)sizeof message - 64;

    *error = task->error;
    if (strncmp(error->message, "row ", 4) != 0 && !strstr(error->message, ": row "))
        return;
    snprintf(message, sizeof message, "%s the rows of fold %u: %.*s", task->judging ? "of" : "without",
             task->judged_part + 1, part, error->message);
    memcpy(error->message, message, sizeof message);
}

static Status first_failure(const Cv *cv, cleave_error *error)
{
    for (uint32_t i = 0; i < cv->tasks; i++) {
        if (cv->task[i].status == OK)
            continue;
        if (error)
            tell_failure(&cv->task[i], error);
        return cv->task[i].status;
    }
    return OK;
}

static void warn_of_small_classes(const Cv *cv)
{
    const Labels *labels = &cv->dataset->labels;
    char quoted[QUOTE_SIZE];

    if (cv->method->tasks == CLEAVE_TASK_REGRESSION)
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
    facts->seed = (uint64_t)cv->run.seed;
    facts->fold_count = cv->tasks;
    facts->fold = result->fold;
    facts->features = cv->task[0].features;
    facts->classes = cv->task[0].classes;
    if (facts->regression || labels->count == 0)
        return;
    clv_quote(result->baseline_label, labels->list[most_frequent(labels)].text,
              strlen(labels->list[most_frequent(labels)].text));
    facts->baseline_label = result->baseline_label;
}

static Status run_all(Cv *cv, CvResult *result, cleave_error *error)
{
    result->fold = clv_alloc_zero(cv->context, cv->tasks, sizeof *result->fold);
    result->tally = clv_alloc_zero(cv->context, cv->tasks, sizeof *result->tally);
    if (!result->fold || !result->tally)
        return clv_fail_memory(error, "folds", cv->tasks * sizeof *result->fold);
    TRY(deal_all(cv, result, error));
    warn_of_small_classes(cv);
    clv_pool_run(cv->context, cv->tasks, work, cv);
    TRY(first_failure(cv, error));
    tell_remarks(cv);
    describe(cv, result);
    return clv_cv_summarise(result, cv->method, error);
}

static void free_cv(Cv *cv)
{
    for (uint32_t i = 0; cv->task && i < cv->tasks; i++)
        clv_free(cv->context, cv->task[i].remarks);
    for (int64_t i = 0; cv->folds && i < cv->options.repeats; i++)
        clv_folds_free(&cv->folds[i]);
    clv_free(cv->context, cv->task);
    clv_free(cv->context, cv->folds);
}

cleave_code cleave_cv(cleave_context *context, const char *method, cleave_data *data, const cleave_options *options,
                      const cleave_options *training, cleave_cv_result **result, cleave_error *error)
{
    double started = clv_now();
    Cv cv = {.context = context, .training = training, .name = clv_data_name(data), .failed = UINT32_MAX};
    CvResult *made;
    Status status;

    *result = NULL;
    TRY(clv_method_find(method, &cv.method, error));
    TRY(settle_options(&cv, options, error));
    TRY(clv_data_dataset(data, &cv.dataset, error));
    cv.tasks = (uint32_t)(cv.options.folds * cv.options.repeats);
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
    clv_free(made->context, made->tally);
    clv_free(made->context, made);
}
