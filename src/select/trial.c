/* One candidate on one fold: what it learns from, and how its answers are held against the fold's rows. */
#include "select/trial.h"

#include "eval/interval.h"
#include "eval/metrics.h"
#include "input/input.h"
#include "pipeline/pipeline.h"
#include "train/pipeline_fit.h"
#include "train/row_source.h"
#include "train/train.h"

#include <stdio.h>

enum { LATE_ROWS = 128 }; /* judged between two looks at the clock, or as many as a block of the data has */

/* ---- its context -------------------------------------------------------------------------------------------------- */

static void *allocate(void *user, void *old, size_t size)
{
    const cleave_config *config = &((Trial *)user)->parent->config;

    return config->allocate(config->user, old, size);
}

static bool is_late(const Trial *trial)
{
    return trial->deadline > 0 && clv_now() > trial->deadline;
}

static bool cancelled(void *user)
{
    const Trial *trial = user;

    return clv_cancelled(trial->parent) || is_late(trial);
}

static void keep_remark(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Trial *trial = user;
    Remark *remark;

    if (GROW(trial->parent, trial->remarks, trial->remark_capacity, trial->remark_count + 1, NULL) != OK)
        return;
    remark = &trial->remarks[trial->remark_count++];
    remark->level = level;
    snprintf(remark->message, sizeof remark->message, "%s", message);
    snprintf(remark->hint, sizeof remark->hint, "%s", hint);
}

void clv_trial_begin(Trial *trial)
{
    trial->judged_part = trial->part;
    trial->context = (Context){.config = {.allocate = allocate,
                                          .log = trial->parent->config.log ? keep_remark : NULL,
                                          .cancelled = cancelled,
                                          .user = trial,
                                          .threads = 1}};
}

void clv_trial_free(Trial *trial)
{
    cleave_model_free(trial->model);
    if (trial->parent)
        clv_free(trial->parent, trial->remarks);
    *trial = (Trial){0};
}

void clv_trial_failure(const Trial *trial, cleave_error *error)
{
    char message[sizeof error->message];
    int part = (int)sizeof message - 64;

    *error = trial->error;
    if (strncmp(error->message, "row ", 4) != 0 && !strstr(error->message, ": row "))
        return;
    snprintf(message, sizeof message, "%s the rows of fold %u: %.*s", trial->judging ? "of" : "without",
             trial->judged_part + 1, part, error->message);
    memcpy(error->message, message, sizeof message);
}

/* ---- judging ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const Model *model;
    Source *view;
    FoldRows rows;        /* that are judged … */
    uint64_t at;          /* … up to this row of the dataset */
    double *losses;       /* see Trial */
    const Metric *metric; /* NULL: not asked for */
    FoldPredictions predictions;
    double *probabilities; /* of the row under way; NULL: not needed */
    const Label *majority; /* class of the baseline: the most frequent one of the dataset; NULL: it has no classes */
    uint32_t baseline;     /* its number among the labels of the view */
    double *scores, *numbers;
    size_t score_capacity, number_capacity;
    uint32_t number_count;
    FoldSums *sums;
    cleave_error *error;
} Judge;

/* The loss of row judge->at, by a metric that is a mean over rows. */
static void note_loss(Judge *judge, double loss)
{
    if (!judge->metric)
        return;
    if (judge->losses)
        judge->losses[judge->at] = loss;
    clv_metric_add(&judge->sums->metric, loss);
}

static void judge_number(Judge *judge, double target, double answer)
{
    FoldSums *sums = judge->sums;
    double off = answer - target, from_mean = target - sums->mean;

    if (isnan(target)) {
        sums->unlabelled++;
        return;
    }
    sums->n++;
    if (judge->metric && judge->metric->id == METRIC_MAE) {
        note_loss(judge, fabs(off));
        sums->metric.squares += clv_underflow(off, off * off);
    } else {
        note_loss(judge, off * off);
        sums->metric.squares += clv_underflow(off, off * off * off * off);
    }
    sums->squares += off * off;
    sums->fourths += off * off * off * off + clv_underflow(off, off * off * off * off);
    sums->mean += from_mean / (double)sums->n;
    sums->spread += from_mean * (target - sums->mean); /* Welford 1962 */
}

/* A label that was not in the training rows has probability 0. */
static double log_loss_of(const Judge *judge, uint32_t label, const double *scores)
{
    if (label >= judge->model->labels.count)
        return clv_log_loss(0);
    clv_model_probabilities(judge->model, scores, judge->probabilities);
    return clv_log_loss(judge->probabilities[label]);
}

static Status judge_class(Judge *judge, uint32_t label, const double *scores)
{
    FoldSums *sums = judge->sums;
    uint32_t answer;

    if (label == UNLABELED) {
        sums->unlabelled++;
        return OK;
    }
    answer = clv_model_decide(judge->model, scores, false);
    sums->n++;
    sums->errors += answer != label;
    sums->baseline_errors += label != judge->baseline;
    if (judge->metric && judge->metric->of_folds)
        return clv_fold_predictions_add(&judge->predictions, judge->at, label, answer, scores, judge->error);
    note_loss(judge, judge->probabilities ? log_loss_of(judge, label, scores) : answer != label);
    return OK;
}

/* Metrics that are values of the whole fold. */
static Status judge_predictions(Judge *judge)
{
    FoldPredictions *predictions = &judge->predictions;
    double *losses;
    Status status;

    if (predictions->count == 0)
        return OK;
    losses = clv_alloc(predictions->context, predictions->count, sizeof *losses);
    if (!losses)
        return clv_fail_memory(judge->error, "losses", predictions->count * sizeof *losses);
    status = clv_fold_predictions_end(predictions, losses, &judge->sums->metric, judge->error);
    for (size_t i = 0; status == OK && judge->losses && i < predictions->count; i++)
        judge->losses[predictions->row[i]] = losses[i];
    clv_free(predictions->context, losses);
    return status;
}

static Status judge_block(Judge *judge, const Block *block)
{
    const Model *model = judge->model;
    const Labels *labels = &judge->view->labels;
    size_t outputs = outputs_of(model->labels.count);

    TRY(GROW(model->context, judge->scores, judge->score_capacity, block->rows * outputs, judge->error));
    TRY(GROW(model->context, judge->numbers, judge->number_capacity, labels->count, judge->error));
    if (judge->majority && judge->number_count < labels->count)
        judge->baseline = clv_labels_find(labels, judge->majority->text, strlen(judge->majority->text));
    for (; judge->number_count < labels->count; judge->number_count++)
        judge->numbers[judge->number_count] = labels->list[judge->number_count].number;
    TRY(model->method->inference->predict(model, block, judge->scores, judge->error));
    for (uint32_t row = 0; row < block->rows; row++, judge->at++) {
        while (judge->losses && !clv_fold_has(&judge->rows, judge->at))
            judge->at++;
        if (model->task == CLEAVE_TASK_REGRESSION)
            judge_number(judge, block_number(block, row, judge->numbers), judge->scores[row]);
        else
            TRY(judge_class(judge, block_label(block, row), judge->scores + (size_t)row * outputs));
    }
    return clv_cancelled(model->context) ? clv_fail(judge->error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

static Status refuse_metric(const Metric *metric, const Method *method, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE, "'%s' predicts no probabilities, which --metric %s needs", method->name,
             metric->facts.name);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "--calibrate fits probabilities to its scores; otherwise choose another --metric");
}

/* For the fold's own rows; the error on training rows needs no metric. */
static Status begin_metric(const Trial *trial, Judge *judge)
{
    const Model *model = judge->model;

    judge->metric = trial->metric;
    judge->predictions = (FoldPredictions){.context = model->context,
                                           .metric = trial->metric,
                                           .classes = model->labels.count,
                                           .positive = model->positive};
    if (!trial->metric || !trial->metric->probabilities)
        return OK;
    if (!cleave_model_has_probabilities(model))
        return refuse_metric(trial->metric, model->method, judge->error);
    judge->probabilities = clv_alloc(model->context, model->labels.count, sizeof *judge->probabilities);
    return judge->probabilities ? OK : clv_fail_memory(judge->error, "probabilities", model->labels.count);
}

/* Rows of one part, by a model. */
static Status judge_part(Trial *trial, const Model *model, uint32_t part, FoldSums *sums)
{
    Context *context = &trial->context;
    const Labels *labels = &trial->dataset->labels;
    Judge judge = {.model = model,
                   .majority = labels->count ? &labels->list[clv_most_frequent(labels)] : NULL,
                   .rows = {.folds = trial->folds,
                            .part = part,
                            .share = trial->judge_share,
                            .seed = trial->share_seed,
                            .block_rows = trial->deadline > 0 ? LATE_ROWS : 0},
                   .losses = part == trial->part ? trial->losses : NULL,
                   .sums = sums,
                   .error = &trial->error};
    Source *source = NULL;
    Status status;

    trial->judging = true;
    trial->judged_part = part;
    status = part == trial->part ? begin_metric(trial, &judge) : OK;
    if (status == OK)
        status = clv_fold_source(context, trial->dataset, &judge.rows, &source, &trial->error);
    if (status == OK)
        status = clv_view_for(model, source, &judge.view, &trial->error);
    while (status == OK) {
        const Block *block;

        status = source_next(judge.view, &block, &trial->error);
        if (status != OK || !block)
            break;
        status = judge_block(&judge, block);
    }
    if (status == OK)
        status = judge_predictions(&judge);
    if (judge.metric && judge.metric->probabilities)
        /* Rows outside of the most frequent class. */
        sums->metric.worth = (double)sums->baseline_errors;
    clv_source_close(judge.view);
    clv_source_close(source);
    clv_fold_predictions_free(&judge.predictions);
    clv_free(context, judge.probabilities);
    clv_free(context, judge.scores);
    clv_free(context, judge.numbers);
    return status;
}

/* ---- the fold ----------------------------------------------------------------------------------------------------- */

uint32_t clv_most_frequent(const Labels *labels)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < labels->count; i++)
        if (labels->list[i].count > labels->list[most].count)
            most = i;
    return most;
}

static double error_of(const FoldSums *sums, bool regression)
{
    double sum = regression ? sums->squares : (double)sums->errors;

    return regression ? sqrt(sum / (double)sums->n) : sum / (double)sums->n;
}

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return (double)NAN;
}

/* On the rows it was trained with, as training has found out itself; where that was too slow, on those of another fold. */
static Status find_train_error(Trial *trial, const Model *model, const cleave_report *report)
{
    bool regression = model->task == CLEAVE_TASK_REGRESSION;
    cleave_cv_fold *facts = &trial->facts;
    FoldSums sums = {0};

    facts->train_error = regression ? figure(report, "train_rmse")
                                    : (double)report->train_errors / (double)report->rows;
    facts->train_evaluated = report->rows;
    facts->train_errors = regression ? 0 : report->train_errors;
    if (regression ? !isnan(facts->train_error) : report->train_errors != UINT64_MAX)
        return OK;
    TRY(judge_part(trial, model, clv_folds_training_part(trial->folds, trial->part), &sums));
    facts->train_evaluated = sums.n;
    facts->train_errors = sums.errors;
    facts->train_error = sums.n ? error_of(&sums, regression) : 0;
    return OK;
}

static Status judge_fold(Trial *trial, const Model *model, const cleave_report *report)
{
    bool regression = model->task == CLEAVE_TASK_REGRESSION;
    cleave_cv_fold *facts = &trial->facts;
    double started = clv_now();
    Interval sure;

    if (report->cancelled)
        return clv_fail(&trial->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    TRY(judge_part(trial, model, trial->part, &trial->sums));
    facts->test_seconds = clv_now() - started;
    if (trial->sums.n == 0)
        return clv_fail(&trial->error, CLEAVE_ERROR_DATA,
                        "fold %u has no row with a label: there is nothing to evaluate", facts->fold);
    if (!trial->skip_train_error)
        TRY(find_train_error(trial, model, report));
    sure = regression ? clv_root_mean(trial->sums.squares, trial->sums.fourths, (double)trial->sums.n)
                      : clv_wilson((double)trial->sums.errors, (double)trial->sums.n);
    facts->rows = trial->sums.n;
    facts->errors = trial->sums.errors;
    facts->error = sure.middle;
    facts->low = sure.low;
    facts->high = sure.high;
    if (trial->metric)
        facts->metric = clv_metric_fold_measure(trial->metric, &trial->sums.metric);
    facts->train_rows = report->rows;
    facts->train_seconds = report->train_seconds;
    facts->converged = report->converged;
    facts->stopped_by = report->stopped_by;
    trial->features = report->features;
    trial->classes = report->classes;
    return OK;
}

static Status measure_size(Trial *trial, const Model *model)
{
    Buffer bytes = {0};

    TRY(clv_model_to_bytes(model, &bytes, &trial->error));
    trial->model_bytes = bytes.size;
    clv_free(model->context, bytes.data);
    return OK;
}

/* Rows as they were read, or as the model gone on from sees them. */
static Status load_rows(Trial *trial, Dataset **raw)
{
    FoldRows rows = {.folds = trial->folds,
                     .part = trial->part,
                     .others = true,
                     .share = trial->learn_share,
                     .seed = trial->share_seed};
    Source *source, *view = NULL;
    Status status;

    TRY(clv_fold_source(&trial->context, trial->dataset, &rows, &source, &trial->error));
    status = trial->from ? clv_view_for(trial->from, source, &view, &trial->error) : OK;
    if (status == OK)
        status = clv_dataset_load(view ? view : source, raw, &trial->error);
    clv_source_close(view);
    clv_source_close(source);
    return status;
}

/* To rows as the method sees them: the pipeline learns from nothing else. *raw is let go. */
static Status cook(Trial *trial, Job *job, Dataset **raw, Pipeline **pipeline)
{
    Dataset *cooked = NULL;
    Status status = clv_pipeline_fit(&trial->context, job->method, job->method_options, job->options,
                                     clv_run_holdout(job->options, false), *raw, true, pipeline, &cooked,
                                     &trial->error);

    if (cooked) {
        clv_dataset_free(*raw);
        *raw = cooked;
    }
    job->pipeline = *pipeline;
    return status;
}

static Status train_fold(Trial *trial, Job *job, Dataset **rows)
{
    Pipeline *pipeline = NULL;
    Report *report = NULL;
    Model *model = NULL;
    Status status = trial->from ? OK : cook(trial, job, rows, &pipeline);

    if (status == OK)
        status = clv_train(&trial->context, job, *rows, &model, &report, &trial->error);
    clv_dataset_free(*rows);
    *rows = NULL;
    if (status == OK)
        status = judge_fold(trial, model, &report->facts);
    if (status == OK && trial->weigh_model)
        status = measure_size(trial, model);
    if (report)
        cleave_report_free(&report->facts);
    if (status == OK && trial->keep_model)
        trial->model = model;
    else
        cleave_model_free(model);
    clv_pipeline_release(pipeline);
    return status;
}

static Status run_trial(Trial *trial)
{
    Context *context = &trial->context;
    RunOptions run;
    Job job = {.method = trial->method, .options = &run, .name = trial->name, .from = trial->from};
    Dataset *rows = NULL;
    Status status;

    job.method_options = clv_alloc_zero(context, 1, trial->method->options_size);
    if (!job.method_options)
        return clv_fail_memory(&trial->error, "options", trial->method->options_size);
    status = clv_train_options(&job, trial->training, &run, &trial->error);
    if (status == OK)
        status = load_rows(trial, &rows);
    if (status == OK)
        status = train_fold(trial, &job, &rows);
    clv_dataset_free(rows);
    clv_free(context, job.method_options);
    return status;
}

void clv_trial_run(Trial *trial)
{
    trial->facts.fold = trial->part + 1;
    trial->status = run_trial(trial);
    trial->late = trial->status == CLEAVE_ERROR_CANCELLED && is_late(trial);
}

/* ---- before any is run -------------------------------------------------------------------------------------------- */

static Status refuse_options(const RunOptions *run, cleave_error *error)
{
    const char *flag = run->stream ? "--stream" : run->checkpoint ? "--checkpoint" : NULL;

    if (flag)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s is for training one model: leave it out where many are tried",
                        flag);
    return OK;
}

Status clv_trial_check(Context *context, const Method *method, const cleave_options *training, RunOptions *run,
                       cleave_error *error)
{
    Job job = {.method = method};
    Status status;

    job.method_options = clv_alloc_zero(context, 1, method->options_size);
    if (!job.method_options)
        return clv_fail_memory(error, "options", method->options_size);
    status = clv_train_options(&job, training, run, error);
    if (status == OK)
        status = clv_train_check(method, job.method_options, run, false, error);
    clv_free(context, job.method_options);
    TRY(status);
    return refuse_options(run, error);
}

/* ---- metrics ------------------------------------------------------------------------------------------------------ */

bool clv_trial_can_measure(const Metric *metric, const Method *method, const RunOptions *run)
{
    return !metric->probabilities || method->inference->probabilities || run->calibrate;
}

Status clv_trial_metric(int id, const Method *method, const RunOptions *run, const Dataset *dataset,
                        const Metric **metric, cleave_error *error)
{
    uint64_t classes = 0;

    for (uint32_t i = 0; i < dataset->labels.count; i++)
        classes += dataset->labels.list[i].count > 0;
    TRY(clv_metric_choose(id, method->tasks == CLEAVE_TASK_REGRESSION, classes, metric, error));
    if (clv_trial_can_measure(*metric, method, run))
        return OK;
    return refuse_metric(*metric, method, error);
}

const char *clv_trial_positive(const Metric *metric, const RunOptions *run, const Labels *labels,
                               char buffer[QUOTE_SIZE])
{
    uint32_t positive;

    if (!metric->of_positive || clv_labels_positive(labels, run->positive, &positive, NULL) != OK)
        return NULL;
    return clv_quote(buffer, labels->list[positive].text, strlen(labels->list[positive].text));
}
