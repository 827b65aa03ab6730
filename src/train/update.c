#include "train/update.h"

#include "pipeline/pipeline.h"
#include "train/run.h"
#include "train/training_rows.h"

#include <math.h>

const Param clv_update_params[] = {
    INTEGER(UpdateOptions, epochs, 20, WITHIN(1, 1e6),
            "Maximum number of epochs over the new rows."),
    FLAG(UpdateOptions, allow_similar_labels,
         "Accept a new class with a label similar to an existing one (Spam, spam)."),
    END_OF_PARAMS,
};

const cleave_param *cleave_update_params(void)
{
    return clv_update_params;
}

Status clv_update_check(const Model *from, const void *method_options, cleave_error *error)
{
    const Method *method = from->method;

    if (method_updates(method, method_options))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "train on the old and the new rows together",
                         "a model of '%s' cannot be updated: the method has no incremental form",
                         method->name);
}

/* ---- input of the method --------------------------------------------------------------------- */

static uint32_t positive_of(const Run *run)
{
    const Model *from = run->job.from;
    uint32_t positive = 0;

    if (from->labels.count >= 2 || run->labels->count < 2)
        return from->positive;
    return clv_labels_positive(run->labels, run->options.positive, &positive, NULL) == OK ? positive
                                                                                          : 1;
}

/* Adds the number of rows of each class to those of the model, for balanced class weights and for
 * the labels of the new model. */
static Status add_labels(const UpdateJob *job, Labels *labels, cleave_error *error)
{
    TRY(clv_labels_copy(labels, &job->dataset->labels, error));
    for (uint32_t i = 0; i < job->from->labels.count; i++)
        labels->list[i].count += job->from->labels.list[i].count;
    return OK;
}

static Status describe(Run *run)
{
    Fit *fit = &run->fit;

    clv_run_bind(run);
    fit->task = run->job.from->task == CLEAVE_TASK_REGRESSION ? CLEAVE_TASK_REGRESSION
                : run->labels->count > 2                      ? CLEAVE_TASK_MULTICLASS
                                                              : CLEAVE_TASK_BINARY;
    fit->features = run->job.from->features > run->dataset->features ? run->job.from->features
                                                                     : run->dataset->features;
    fit->classes = fit->task == CLEAVE_TASK_REGRESSION ? 0 : run->labels->count;
    fit->outputs = outputs_of(fit->classes);
    fit->positive = positive_of(run);
    run->problem.rows_before = run->job.from->rows;
    run->problem.on_disk = run->dataset->on_disk;
    TRY(clv_traversal_init(&run->all, run->dataset, ORDER_FILE, fit->problem->seed, 0, 1,
                           run->error));
    TRY(clv_run_weigh_labels(run));
    TRY(clv_run_count_rows(run, &run->all));
    TRY(clv_run_check_weights(run));
    fit->max_epochs = (uint32_t)run->options.limit;
    return OK;
}

static Status check_labels(const Run *run)
{
    const Labels *labels = &run->dataset->labels;

    if (run->dataset->rows == 0)
        return clv_fail(run->error, CLEAVE_ERROR_DATA, "%s: the file has no rows", run->job.name);
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->list[i].count)
            return OK;
    return run->dataset->numbers ? OK : clv_run_refuse_unlabeled(run);
}

static Status check(Run *run)
{
    const Method *method = run->job.method;
    const Label *label;
    char quoted[QUOTE_SIZE], place[24];

    for (uint32_t i = 0; run->fit.task == CLEAVE_TASK_REGRESSION && i < run->labels->count; i++)
        if (isnan(run->labels->list[i].number))
            return clv_run_refuse_word(run, &run->labels->list[i]);
    if (run->fit.task == CLEAVE_TASK_REGRESSION ||
        run->labels->count <= run->job.from->labels.count ||
        ((method->tasks & CLEAVE_TASK_MULTICLASS || run->labels->count <= 2) &&
         (METHOD_HAS(method, online, update) || METHOD_HAS(method, online, widen)) &&
         !(method->behavior & METHOD_FIXED_CLASSES)))
        return OK;
    label = &run->labels->list[run->job.from->labels.count];
    return clv_fail_hint(run->error, CLEAVE_ERROR_DATA,
                         "train on the old and the new rows together",
                         "%s%s: the class '%s' is new, and '%s' cannot add classes", run->job.name,
                         clv_run_place(label->first_line, label->first_file, place),
                         clv_quote(quoted, label->text, strlen(label->text)), method->name);
}

/* ---- online methods -------------------------------------------------------------------------- */

static Status check_values(void *user, const Block *block, cleave_error *error)
{
    (void)error; /* run->error is used instead */
    return clv_run_check_values(user, block);
}

/* Resumes a state for the classes of the model, then widens it to all classes. */
static Status resume(Run *run)
{
    Fit *fit = &run->fit, wide = *fit;
    const Model *from = run->job.from;

    if (fit->task != CLEAVE_TASK_REGRESSION && fit->classes > from->labels.count) {
        fit->classes = from->labels.count;
        fit->outputs = outputs_of(fit->classes);
        fit->positive = from->positive;
        fit->task = fit->outputs > 1 ? CLEAVE_TASK_MULTICLASS : CLEAVE_TASK_BINARY;
    }
    fit->features = from->features;
    TRY(clv_run_begin(run));
    if (wide.classes > fit->classes)
        TRY(run->job.method->online->widen(fit, wide.classes, wide.positive));
    fit->wants_sample = false;
    return OK;
}

/*
 * Weights of corrections, for methods that vote by rows. A misclassified row gets the number of
 * votes with which its class wins at the position of the row (MethodOnline.votes_to_win). This is
 * for an update that consists of corrections. Misclassified rows among many correct ones are mostly
 * noise, and count like any other row:
 *
 *     weight of a misclassified row  =  1 + min(1, 2 s) · (votes needed beside its own)
 *
 * s is the fraction of the new rows that the model misclassifies. With the weights 1/d and 1/d², a
 * point at distance 0 decides alone: there, a row needs more votes than its own only against equal
 * rows of other classes. Unneeded votes would only change the predictions of its neighborhood.
 */
typedef struct {
    float *needed; /* needed votes by row of the dataset; NULL: rows need no further votes */
    float *weight; /* weight of each row of a block */
    double *scores;
    size_t weights;
    uint64_t labeled, wrong;
    Model *like; /* supplies classes, positive class and method, to interpret scores */
} Corrections;

static Status poll(const Run *run)
{
    return clv_cancelled(run->context)
               ? clv_fail(run->error, CLEAVE_ERROR_CANCELLED, "interrupted: the model is unchanged")
               : OK;
}

static Status next_block(Run *run, const Block **block)
{
    TRY(clv_traversal_next(&run->all, block, run->error));
    return *block ? poll(run) : OK;
}

/* Finds the number of votes that each row of a block needs beside its own, with the state before
 * the update. */
static Status find_needed(Run *run, Corrections *corrections, const Block *block, float *needed)
{
    Fit *fit = &run->fit;
    uint64_t work = 0;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row), votes;

        if (clv_work_is_due(&work, run->job.from->rows + 1000)) /* a search may read every point */
            TRY(poll(run));
        if (label >= fit->classes)
            continue;
        corrections->labeled++;
        TRY(run->job.method->online->score(fit, block, row, corrections->scores));
        if (clv_model_decide(corrections->like, corrections->scores, false) == label)
            continue;
        TRY(run->job.method->online->votes_to_win(fit, block, row, &votes));
        needed[row] = (float)(votes - 1);
        corrections->wrong++;
    }
    return OK;
}

static Status find_corrections(Run *run, Corrections *corrections)
{
    size_t rows = (size_t)run->dataset->rows;
    float *needed = clv_alloc_zero(run->context, rows + 1, sizeof *needed);
    const Block *block;

    corrections->needed = needed;
    corrections->scores = clv_alloc(run->context, run->fit.outputs, sizeof *corrections->scores);
    if (!needed || !corrections->scores)
        return clv_fail_memory(run->error, "sample weights", rows * sizeof *needed);
    TRY(clv_traversal_begin(&run->all, 0, run->error));
    for (;;) {
        TRY(next_block(run, &block));
        if (!block)
            return OK;
        TRY(find_needed(run, corrections, block, needed));
        needed += block->rows;
    }
}

/* Computes the weights of the rows of a block. first: number of its first row in the dataset. */
static Status weigh_corrections(Run *run, Corrections *corrections, Block *block, uint64_t first)
{
    double share = fmin(1, 2 * (double)corrections->wrong / (double)corrections->labeled);

    if (!corrections->needed)
        return OK;
    TRY(GROW(run->context, corrections->weight, corrections->weights, (size_t)block->rows,
             run->error));
    for (uint32_t row = 0; row < block->rows; row++)
        corrections->weight[row] = (float)((double)block_weight(block, row) *
                                           (1 + share * (double)corrections->needed[first + row]));
    block->weight = corrections->weight;
    return OK;
}

static Status step_over(Run *run, Corrections *corrections, bool *clean)
{
    Fit *fit = &run->fit;
    uint64_t rows = 0;

    fit->counters.epoch_mistakes = 0;
    fit->counters.epoch_loss = 0;
    TRY(clv_traversal_begin(&run->all, fit->counters.epoch, run->error));
    for (;;) {
        const Block *block;
        Block view;

        TRY(next_block(run, &block));
        if (!block)
            break;
        view = *block;
        TRY(weigh_corrections(run, corrections, &view, rows));
        TRY(run->job.method->training->step(fit, &view));
        rows += view.rows;
    }
    TRY(run->job.method->training->end_epoch(fit, clean));
    fit->counters.mistakes += fit->counters.epoch_mistakes;
    fit->counters.epoch++;
    return OK;
}

/* Learns in one epoch if the method stores rows. Otherwise runs epochs until one has no
 * mistakes. */
static Status learn_by_steps(Run *run, Model *model)
{
    Corrections corrections = {.like = model};
    uint32_t there,
        votes = METHOD_HAS(run->job.method, distributed, neighbors_used)
                    ? run->job.method->distributed->neighbors_used(run->job.from, &there)
                    : 1;
    int64_t epochs = METHOD_HAS(run->job.method, distributed, neighbors_used) ? 1
                                                                              : run->options.limit;
    bool clean = false;
    Status status = resume(run);

    if (status == OK && METHOD_HAS(run->job.method, online, votes_to_win) && votes > 1 &&
        votes != EVERY_ROW)
        status = find_corrections(run, &corrections);
    for (int64_t i = 0; status == OK && i < epochs && !clean; i++)
        status = step_over(run, &corrections, &clean);
    FREE(run->context, corrections.needed, corrections.weight, corrections.scores);
    return status;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Describes everything in the model except the arrays of the method. */
static Status describe_model(const Run *run, Model *model)
{
    const Model *from = run->job.from;
    const BundleItem *platt = clv_bundle_get(from->bundle, "platt", BUNDLE_F64);

    model->task = run->fit.task;
    model->positive = run->fit.positive;
    model->seed = from->seed;
    model->rows = from->rows + run->problem.rows;
    model->rounds = from->rounds;
    model->seen = from->seen + run->problem.rows;
    model->features = run->fit.features;
    if (model->task != CLEAVE_TASK_REGRESSION)
        TRY(clv_labels_copy(&model->labels, run->labels, run->error));
    TRY(clv_names_copy(&model->names, run->problem.names, run->error));
    TRY(clv_schema_copy(&model->schema, &from->schema, run->error));
    clv_model_set_pipeline(model, run->job.pipeline, from);
    for (size_t i = 0; i < from->param_count; i++)
        TRY(clv_model_add_param(model, from->params[i].name, from->params[i].value, run->error));
    if (platt && outputs_of(model->labels.count) == outputs_of(from->labels.count))
        TRY(clv_bundle_put(model->bundle, "platt", BUNDLE_F64, platt->data, platt->count,
                           run->error));
    if (model->task == CLEAVE_TASK_REGRESSION)
        TRY(clv_run_put_target_range(run, model));
    return clv_training_rows_updated(from, model, run->error);
}

static Status make(Run *run, Model *model)
{
    TRY(check_labels(run));
    TRY(describe(run));
    TRY(check(run));
    TRY(describe_model(run, model));
    if (run->job.method->behavior & METHOD_BINARY_FEATURES)
        TRY(clv_tour_all(run->dataset, check_values, run, run->error));
    if (METHOD_HAS(run->job.method, online, update))
        return run->job.method->online->update(&run->fit, run->job.from, run->dataset, model);
    TRY(learn_by_steps(run, model));
    return run->job.method->training->end(&run->fit, model);
}

Status clv_update(Context *context, const UpdateJob *job, Model **result, cleave_error *error)
{
    Labels labels;
    Run run = {
        .context = context,
        .job.method = job->from->method,
        .job.method_options = job->method_options,
        .options = *job->run,
        .labels = &labels,
        .problem.names = job->names,
        .job.pipeline = job->pipeline,
        .problem.schema = &job->from->schema,
        .job.name = job->name,
        .dataset = job->dataset,
        .job.from = job->from,
        .error = error,
    };
    Model *model;
    Status status;

    *result = NULL;
    run.options.limit = job->options->epochs;
    TRY(clv_model_new(context, run.job.method, &model, error));
    clv_labels_init(&labels, context);
    status = add_labels(job, &labels, error);
    THEN(status, make(&run, model));
    clv_run_end(&run);
    clv_labels_free(&labels);
    if (status != OK) {
        cleave_model_free(model);
        return status;
    }
    *result = model;
    return OK;
}
