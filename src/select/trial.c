#include "select/trial.h"

#include "eval/metrics.h"
#include "input/input.h"
#include "pipeline/pipeline.h"
#include "train/pipeline_fit.h"
#include "train/row_source.h"
#include "train/train.h"

#include <stdio.h>

/* number of rows evaluated between two checks of the deadline */
enum { LATE_ROWS = 128 };

/* ---- context of a trial ---------------------------------------------------------------------- */

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

    if (trial->poll)
        trial->poll(trial->poll_user);
    return clv_cancelled(trial->parent) || is_late(trial);
}

static void keep_remark(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Trial *trial = user;
    TrialRemark *remark;

    if (GROW(trial->parent, trial->remarks, trial->remark_capacity, trial->remark_count + 1,
             NULL) != OK)
        return;
    remark = &trial->remarks[trial->remark_count++];
    remark->level = level;
    snprintf(remark->message, sizeof remark->message, "%s", message);
    snprintf(remark->hint, sizeof remark->hint, "%s", hint);
}

void clv_trial_begin(Trial *trial)
{
    trial->evaluated_part = trial->part;
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
    snprintf(message, sizeof message, "%s fold %u: %.*s",
             trial->evaluating ? "test set of" : "training set of", trial->evaluated_part + 1, part,
             error->message);
    memcpy(error->message, message, sizeof message);
}

uint32_t clv_most_frequent(const Labels *labels)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < labels->count; i++)
        if (labels->list[i].count > labels->list[most].count)
            most = i;
    return most;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

/* The evaluation of one part. */
typedef struct {
    const Model *model;
    const Source *view;
    FoldRows rows;
    uint64_t row;            /* index of the current row in the dataset */
    double *losses;          /* see Trial.losses */
    const RowMetric *metric; /* NULL: no metric */
    FoldPredictions predictions;
    double *probabilities; /* NULL: not needed */
    const Label *majority; /* the most frequent class of the dataset; NULL: there are no classes */
    uint32_t baseline;     /* number of this class among the labels of the view */
    uint32_t label_count;  /* number of labels that were searched for this class */
    Evaluation *sums;
    cleave_error *error;
} PartEvaluation;

/* Adds the loss of the current row, for a metric that is a mean over rows. */
static void add_loss(PartEvaluation *part, double loss)
{
    if (!part->metric)
        return;
    if (part->losses)
        part->losses[part->row] = loss;
    clv_metric_add(&part->sums->metric, loss);
}

static void evaluate_number(PartEvaluation *part, double target, double predicted)
{
    double off = predicted - target;
    bool absolute = part->metric && part->metric->id == METRIC_MAE;

    clv_evaluate_number(part->model, target, predicted, part->sums);
    if (isnan(target))
        return;
    add_loss(part, absolute ? fabs(off) : off * off);
    part->sums->metric.squares += clv_underflow(off, absolute ? off * off : off * off * off * off);
}

static Status evaluate_class(PartEvaluation *part, uint32_t label, const double *scores)
{
    uint32_t predicted = clv_evaluate_class(part->model, label, scores, false, part->sums);
    double loss = predicted != label;

    if (label == UNLABELED)
        return OK;
    part->sums->baseline_errors += label != part->baseline;
    if (part->metric && part->metric->of_folds)
        return clv_fold_predictions_add(&part->predictions, part->row, label, predicted, scores,
                                        part->error);
    if (part->probabilities && label >= part->model->labels.count) {
        loss = clv_log_loss(0); /* the class does not occur in the training rows */
    } else if (part->probabilities) {
        clv_model_probabilities(part->model, scores, part->probabilities);
        loss = clv_log_loss(part->probabilities[label]);
    }
    add_loss(part, loss);
    return OK;
}

static Status evaluate_block(void *user, const Block *block, const double *numbers,
                             const double *scores)
{
    PartEvaluation *part = user;
    const Labels *labels = &part->view->labels;
    size_t outputs = outputs_of(part->model->labels.count);

    if (part->majority && part->label_count < labels->count)
        part->baseline = clv_labels_find(labels, part->majority->text,
                                         strlen(part->majority->text));
    part->label_count = labels->count;
    for (uint32_t row = 0; row < block->rows; row++, part->row++) {
        while (part->losses && !clv_fold_has(&part->rows, part->row))
            part->row++;
        if (part->model->task == CLEAVE_TASK_REGRESSION)
            evaluate_number(part, block_number(block, row, numbers), scores[row]);
        else
            TRY(evaluate_class(part, block_label(block, row), scores + (size_t)row * outputs));
    }
    return OK;
}

/* Begins the metric of the trial's own fold. The error on training rows needs no metric. */
static Status begin_metric(const RowMetric *metric, PartEvaluation *part)
{
    const Model *model = part->model;

    part->metric = metric;
    part->predictions = (FoldPredictions){.context = model->context,
                                          .metric = metric,
                                          .classes = model->labels.count,
                                          .positive = model->positive};
    if (!metric || !metric->probabilities)
        return OK;
    if (!cleave_model_has_probabilities(model))
        return clv_trial_refuse_metric(metric, model->method, part->error);
    return ALLOC(model->context, part->probabilities, model->labels.count, "probabilities",
                 part->error);
}

/* Computes metrics that are values of the whole fold. */
static Status end_metric(PartEvaluation *part)
{
    FoldPredictions *predictions = &part->predictions;
    double *losses;
    Status status;

    if (part->probabilities) /* counts the rows outside of the most frequent class */
        part->sums->metric.worth = (double)part->sums->baseline_errors;
    if (predictions->count == 0)
        return OK;
    TRY(ALLOC(predictions->context, losses, predictions->count, "losses", part->error));
    status = clv_fold_predictions_end(predictions, losses, &part->sums->metric, part->error);
    for (size_t i = 0; status == OK && part->losses && i < predictions->count; i++)
        part->losses[predictions->row[i]] = losses[i];
    clv_free(predictions->context, losses);
    return status;
}

static Status evaluate_part(Trial *trial, const Model *model, uint32_t number, Evaluation *sums)
{
    const Labels *labels = &trial->dataset->labels;
    bool own = number == trial->part;
    PartEvaluation part = {.model = model,
                           .rows = {.folds = trial->folds,
                                    .part = number,
                                    .share = trial->test_share,
                                    .seed = trial->share_seed,
                                    .block_rows = trial->deadline > 0 ? LATE_ROWS : 0},
                           .losses = own ? trial->losses : NULL,
                           .majority = labels->count ? &labels->list[clv_most_frequent(labels)]
                                                     : NULL,
                           .sums = sums,
                           .error = &trial->error};
    Source *source = NULL, *view = NULL;
    Status status;

    trial->evaluating = true;
    trial->evaluated_part = number;
    sums->without_loss = true;
    status = own ? begin_metric(trial->metric, &part) : OK;
    THEN(status,
         clv_fold_source(&trial->context, trial->dataset, &part.rows, &source, &trial->error));
    THEN(status, clv_view_for(model, source, &view, &trial->error));
    part.view = view;
    THEN(status, clv_score_source(model, view, evaluate_block, &part, &trial->error));
    THEN(status, end_metric(&part));
    clv_source_close(view);
    clv_source_close(source);
    clv_fold_predictions_free(&part.predictions);
    clv_free(&trial->context, part.probabilities);
    return status;
}

/* ---- the fold -------------------------------------------------------------------------------- */

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return (double)NAN;
}

/* Finds the training error: the one reported by training, or, if training did not compute it for
 * lack of time, the error on the rows of another fold. */
static Status find_train_error(Trial *trial, const Model *model, const cleave_report *report)
{
    bool regression = model->task == CLEAVE_TASK_REGRESSION;
    cleave_cv_fold *facts = &trial->facts;
    Evaluation sums = {0};

    facts->train_error = regression ? figure(report, "train_rmse")
                                    : (double)report->train_errors / (double)report->rows;
    facts->train_evaluated = report->rows;
    facts->train_errors = regression ? 0 : report->train_errors;
    if (regression ? !isnan(facts->train_error) : report->train_errors != UINT64_MAX)
        return OK;
    TRY(evaluate_part(trial, model, clv_folds_training_part(trial->folds, trial->part), &sums));
    facts->train_evaluated = sums.n;
    facts->train_errors = sums.errors;
    facts->train_error = sums.n ? clv_evaluation_error(&sums, regression) : 0;
    return OK;
}

static Status evaluate_fold(Trial *trial, const Model *model, const cleave_report *report)
{
    cleave_cv_fold *facts = &trial->facts;
    double started = clv_now();
    Interval error;

    if (report->cancelled)
        return clv_fail(&trial->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    TRY(evaluate_part(trial, model, trial->part, &trial->sums));
    facts->test_seconds = clv_now() - started;
    if (trial->sums.n == 0)
        return clv_fail(&trial->error, CLEAVE_ERROR_DATA,
                        "fold %u has no row with a label, so no metric can be computed",
                        facts->fold);
    if (!trial->skip_train_error)
        TRY(find_train_error(trial, model, report));
    error = clv_evaluation_interval(&trial->sums, model->task == CLEAVE_TASK_REGRESSION, 1);
    facts->rows = trial->sums.n;
    facts->errors = trial->sums.errors;
    facts->error = error.middle;
    facts->low = error.low;
    facts->high = error.high;
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

/* Loads rows as read or, for a warm start, as the model receives them. */
static Status load_rows(Trial *trial, Dataset **raw)
{
    FoldRows rows = {.folds = trial->folds,
                     .part = trial->part,
                     .others = true,
                     .share = trial->train_share,
                     .seed = trial->share_seed};
    Source *source, *view = NULL;
    Status status;

    TRY(clv_fold_source(&trial->context, trial->dataset, &rows, &source, &trial->error));
    status = trial->from ? clv_view_for(trial->from, source, &view, &trial->error) : OK;
    THEN(status, clv_dataset_load(view ? view : source, raw, &trial->error));
    clv_source_close(view);
    clv_source_close(source);
    return status;
}

/* Trains on rows as read or, for a warm start, as the model receives them. Frees the rows as early
 * as possible. */
static Status train_fold(Trial *trial, Job *job, Dataset **rows)
{
    Pipeline *pipeline = NULL;
    Dataset *transformed = NULL;
    Report *report = NULL;
    Model *model = NULL;
    Status status = OK;

    if (!trial->from)
        status = clv_pipeline_fit(&trial->context, job->method, job->method_options, job->options,
                                  clv_run_holdout(job->options, false), *rows, true, &pipeline,
                                  &transformed, &trial->error);
    if (transformed) {
        clv_dataset_free(*rows);
        *rows = transformed;
    }
    job->pipeline = pipeline;
    THEN(status, clv_train(&trial->context, job, *rows, &model, &report, &trial->error));
    clv_dataset_free(*rows);
    *rows = NULL;
    THEN(status, evaluate_fold(trial, model, &report->facts));
    if (status == OK && trial->weigh_model) {
        Buffer bytes = {0};

        status = clv_model_to_bytes(model, &bytes, &trial->error);
        trial->model_bytes = bytes.size;
        clv_free(model->context, bytes.data);
    }
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

    TRY(clv_new(context, &job.method_options, 1, trial->method->options_size, true, "options",
                &trial->error));
    status = clv_train_options(&job, trial->training, &run, &trial->error);
    THEN(status, load_rows(trial, &rows));
    THEN(status, train_fold(trial, &job, &rows));
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

/* ---- checks before the first trial ----------------------------------------------------------- */

Status clv_trial_check(Context *context, const Method *method, const cleave_options *training,
                       RunOptions *run, cleave_error *error)
{
    Job job = {.method = method};
    const char *flag;
    Status status;

    TRY(clv_new(context, &job.method_options, 1, method->options_size, true, "options", error));
    status = clv_train_options(&job, training, run, error);
    THEN(status, clv_train_check(method, job.method_options, run, false, error));
    if (status == OK && method_predicts_preferences(method, job.method_options))
        status = clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                               "split the data with 'split', and evaluate the model with 'test', "
                               "which reports the rank of each item",
                               "cv, tune and compare evaluate predictions of targets, and this "
                               "model predicts preferences");
    clv_free(context, job.method_options);
    TRY(status);
    flag = run->stream ? "--stream" : run->checkpoint ? "--checkpoint" : NULL;
    if (flag)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "%s cannot be used here: it applies to the training of one model", flag);
    return OK;
}

bool clv_trial_can_measure(const RowMetric *metric, const Method *method, const RunOptions *run)
{
    return !metric->probabilities || method->inference->probabilities || run->calibrate;
}

Status clv_trial_refuse_metric(const RowMetric *metric, const Method *method, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "use --calibrate to fit probabilities to the scores, or choose another --metric",
        "'%s' predicts no probabilities, which --metric %s requires", method->name,
        metric->facts.name);
}
