#include "eval/platt.h"
#include "pipeline/pipeline.h"
#include "train/checkpoint.h"
#include "train/feed.h"
#include "train/remaining_rows.h"
#include "train/row_order.h"
#include "train/row_source.h"
#include "train/run.h"
#include "train/shards.h"
#include "train/team.h"
#include "train/training_rows.h"

#include <math.h>
#include <stdio.h>

enum {
    FEW_ROWS = 30, /* with fewer held-out rows, one or two of them dominate the mean square */
};

/* ---- the fit --------------------------------------------------------------------------------- */

static bool round_over(Fit *fit);

Run clv_run_new(Context *context, const Job *job, const Labels *labels, const Names *names,
                const Schema *schema, cleave_error *error)
{
    const Model *from = job->from;
    Run run = {
        .context = context,
        .error = error,
        .job = *job,
        .options = *job->options,
        .labels = labels,
        .problem = {.names = from ? &from->names : names, .schema = from ? &from->schema : schema},
    };

    if (from)
        run.job.pipeline = from->pipeline;
    if (!job->name)
        run.job.name = "data";
    return run;
}

void clv_run_bind(Run *run)
{
    Fit *fit = &run->fit;

    run->problem.seed = (uint64_t)run->options.seed;
    fit->context = run->context;
    fit->error = run->error;
    fit->method = run->job.method;
    fit->options = run->job.method_options;
    fit->problem = &run->problem;
}

Status clv_run_begin(Run *run)
{
    Fit *fit = &run->fit;

    clv_run_bind(run);
    fit->driver = run;
    fit->epoch_done = round_over;
    fit->max_epochs = (uint32_t)run->options.limit;
    if (run->report)
        fit->max_epochs -= run->report->facts.epochs; /* minus the epochs before the checkpoint */
    if (!run->scratch.context)
        clv_scratch_init(&run->scratch, run->context, clv_scratch_memory(fit->problem->on_disk));
    run->problem.workspace = &run->scratch.workspace;
    TRY(clv_new(run->context, &fit->state, 1, run->job.method->state_size, true,
                "the state of the method", run->error));
    if (run->job.from) {
        fit->counters.epoch = (uint32_t)run->job.from->rounds;
        fit->counters.seen = run->job.from->seen;
    }
    TRY(run->job.method->training->begin(fit));
    if (run->job.from)
        TRY(run->job.method->training->resume(fit, run->job.from));
    if (run->job.tracer) {
        fit->trace = clv_run_trace;
        TRY(clv_run_trace_workspace(run));
    }
    return OK;
}

static void free_fit(Run *run)
{
    if (run->fit.state)
        run->job.method->training->free(&run->fit);
    clv_free(run->context, run->fit.state);
    run->fit.state = NULL;
}

void clv_run_end(Run *run)
{
    free_fit(run);
    clv_scratch_free(&run->scratch);
    clv_feed_free(run);
    clv_traversal_free(&run->traversal);
    clv_traversal_free(&run->all);
    clv_traversal_free(&run->held_out);
    cleave_model_free(run->selected.model);
    cleave_model_free(run->running.model);
    clv_kept_free(&run->running.held_out);
    clv_kept_free(&run->running.train);
    FREE(run->context, run->problem.label_number, run->problem.class_weight);
    clv_training_rows_free(&run->training_rows, run->context);
    cleave_model_free(run->checkpoint.model);
    FREE(run->context, run->checkpoint.best_bytes, run->checkpoint.facts.data);
    clv_run_trace_free(run);
}

/* The stored range covers the rows of this run and those of the warm-start model. */
Status clv_run_put_target_range(const Run *run, Model *model)
{
    TargetRange range = run->targets,
                before = run->job.from ? clv_model_target_range(run->job.from) : (TargetRange){0};

    if (before.known) {
        clv_target_range_add(&range, before.low);
        clv_target_range_add(&range, before.high);
    }
    return clv_model_set_target_range(model, range, run->error);
}

static Status fill_model(Run *run, Model *model)
{
    EpochKind kind;

    model->task = run->fit.task;
    model->positive = run->fit.positive;
    model->seed = (uint64_t)run->options.seed;
    model->rows = run->report->facts.rows;
    model->rounds = run->fit.counters.epoch;
    model->seen = run->fit.counters.seen;
    model->features = run->fit.features;
    if (run->fit.task != CLEAVE_TASK_REGRESSION)
        TRY(clv_labels_copy(&model->labels, run->labels, run->error));
    TRY(clv_names_copy(&model->names, run->problem.names, run->error));
    clv_model_set_pipeline(model, run->job.pipeline, run->job.from);
    TRY(clv_schema_copy(&model->schema, run->problem.schema, run->error));
    TRY(clv_model_set_params(model, run->job.method->params, run->fit.options, run->error));
    kind = method_epoch_kind(run->job.method, run->job.method_options);
    for (const Param *param = clv_run_params; param->name; param++) {
        char text[PARAM_TEXT_SIZE];

        if (param < clv_run_params + EPOCH_BY_SOLVER && param != clv_run_params + kind)
            continue; /* this limit is for other methods */
        if (!clv_checkpoint_is_param(param->name) && strcmp(param->name, "refit") != 0)
            TRY(clv_model_add_param(model, param->name, clv_param_text(param, &run->options, text),
                                    run->error));
    }
    TRY(clv_training_rows_put(&run->training_rows, model, run->error));
    if (run->fit.task == CLEAVE_TASK_REGRESSION)
        TRY(clv_run_put_target_range(run, model));
    return run->job.method->training->end(&run->fit, model);
}

Status clv_run_make_model(Run *run, Model **result)
{
    Model *model;
    Status status;

    TRY(clv_model_new(run->context, run->job.method, &model, run->error));
    status = fill_model(run, model);
    if (status != OK) {
        cleave_model_free(model);
        return status;
    }
    *result = model;
    return OK;
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static void tell_progress(Run *run, uint64_t rows)
{
    const Fit *fit = &run->fit;

    clv_progress(run->context, &(cleave_progress){.phase = "train",
                                                  .rows = rows,
                                                  .rows_total = run->dataset->rows,
                                                  .epoch = fit->counters.epoch + 1,
                                                  .epochs = (uint32_t)run->options.limit,
                                                  .mistakes = fit_epoch_mistakes(fit)});
}

/* Runs an epoch. Sets *cancelled if the user interrupted it. */
static Status run_epoch(Run *run, Traversal *traversal, bool *cancelled)
{
    Fit *fit = &run->fit;
    uint64_t rows = 0;
    Status status;

    *cancelled = false;
    fit->counters.epoch_mistakes = 0;
    fit->counters.epoch_loss = 0;
    TRY(clv_traversal_begin(traversal, fit->counters.epoch, run->error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, run->error));
        if (!block)
            break;
        status = clv_feed(run, block);
        if (status != CLEAVE_ERROR_CANCELLED)
            TRY(status);
        rows += block->rows;
        tell_progress(run, rows);
        *cancelled = status == CLEAVE_ERROR_CANCELLED || clv_cancelled(run->context);
        if (*cancelled)
            break;
    }
    if (*cancelled)
        return OK; /* rows that were gathered for a sample are discarded */
    status = clv_feed_end(run);
    *cancelled = status == CLEAVE_ERROR_CANCELLED;
    return *cancelled ? OK : status;
}

/* Evaluates rows with the current model. Builds the model only if necessary: no scores are kept,
 * and it does not exist yet. */
static Status evaluate_now(Run *run, Model **model, KeptSums *kept, Traversal *rows,
                           Evaluation *evaluation)
{
    if (!run->job.method->training->extend_scores) {
        if (!*model)
            TRY(clv_run_make_model(run, model));
        return clv_evaluate_rows(*model, rows, run->problem.label_number, NULL, NULL, evaluation,
                                 run->error);
    }
    if (!run->running.model)
        TRY(clv_run_make_model(run, &run->running.model));
    return clv_evaluate_kept(kept, &run->fit, run->running.model, rows, run->problem.label_number,
                             evaluation, run->error);
}

/* Evaluates the current model on the held-out data. The value is NaN if there is none. */
static Status watch(Run *run, Model **model, Evaluation *evaluation, double *value)
{
    *value = NAN;
    *model = NULL;
    if (!run->watches)
        return OK;
    TRY(evaluate_now(run, model, &run->running.held_out, &run->held_out, evaluation));
    if (evaluation->n == 0)
        return clv_fail(run->error, CLEAVE_ERROR_DATA, "the held-out data has no labeled rows");
    *value = run->options.validation_metric == VALIDATION_LOSS ? evaluation->loss
             : run->fit.task == CLEAVE_TASK_REGRESSION         ? evaluation->squared_error
                                                               : (double)evaluation->errors;
    return OK;
}

/* Passes the current model to the watcher. With held-out rows the model exists already. */
static Status tell_round(Run *run, Model **model, const Evaluation *held_out)
{
    Evaluation train = {0};
    double penalty = 0;

    if (!run->job.rounds)
        return OK;
    TRY(evaluate_now(run, model, &run->running.train, &run->all, &train));
    if (run->fit.method->training->penalty && *model)
        penalty = run->fit.method->training->penalty(&run->fit, *model);
    return run->job.rounds->round(run->job.rounds->user, &train, held_out, penalty, run->error);
}

/* Keeps the best model so far if a stopping rule needs it, otherwise the newest. If scores are
 * kept, the newest model is not built. */
static Status keep_model(Run *run, Model *model, const Evaluation *evaluation, bool improved)
{
    bool best = run->options.patience > 0;

    if (!run->watches || (best && !improved)) {
        cleave_model_free(model);
        return OK;
    }
    if (!model && (best || run->options.checkpoint))
        TRY(clv_run_make_model(run, &model));
    cleave_model_free(run->selected.model);
    run->selected.model = model;
    run->selected.evaluation = *evaluation;
    run->selected.epoch = run->report->facts.epochs;
    return OK;
}

static Status nothing_learned(const Run *run)
{
    return clv_fail(run->error, CLEAVE_ERROR_CANCELLED,
                    "training was interrupted before the first epoch");
}

static void note_interrupt(Run *run)
{
    run->stopped_by = "interrupt";
    run->report->facts.cancelled = true;
}

/* Records a complete epoch or round, evaluates on held-out data and applies the stopping rules.
 * Sets run->stopped_by after the last one. cancelled: the epoch is the last, and is not
 * evaluated. */
static Status finish_round(Run *run, bool clean, bool cancelled)
{
    Fit *fit = &run->fit;
    Evaluation evaluation = {0};
    Model *model = NULL;
    double held_out;
    Status status;

    fit->counters.mistakes += fit->counters.epoch_mistakes;
    TRY(clv_report_round(run->report, clv_now() - run->epoch_started, fit->counters.epoch_mistakes,
                         fit->counters.epoch_loss, run->error));
    fit->counters.epoch++;
    if (cancelled) {
        note_interrupt(run);
        return OK;
    }
    status = watch(run, &model, &evaluation, &held_out);
    THEN(status, tell_round(run, &model, &evaluation));
    if (status != OK) {
        cleave_model_free(model);
        if (status != CLEAVE_ERROR_CANCELLED)
            return status;
        note_interrupt(run);
        return OK;
    }
    run->stopped_by = clv_stop_after(&run->stop, run->report->facts.epochs,
                                     fit->counters.epoch_mistakes, fit_ending(fit, clean),
                                     held_out);
    TRY(keep_model(run, model, &evaluation, run->stop.improved));
    fit->result.converged = clean && !fit->result.plateau && !fit->result.complete;
    TRY(clv_checkpoint_save(run));
    run->epoch_started = clv_now();
    return OK;
}

/* Adds the number of threads or shards to the description of the order. */
static void describe_shards(Run *run)
{
    char *order = run->report->order;
    size_t used = strlen(order), left = sizeof run->report->order - used;

    if (run->options.racy)
        snprintf(order + used, left, ", %u thread%s without locks", run->shards,
                 run->shards == 1 ? "" : "s");
    else if (run->options.shards > 1)
        snprintf(order + used, left, ", in %u shards", run->shards);
}

/* Runs epochs until a rule ends training. */
static Status run_epochs(Run *run)
{
    Fit *fit = &run->fit;
    bool draws = run->traversal.order == ORDER_DRAWS;

    TRY(clv_shards_choose(run, &run->shards));
    describe_shards(run);

    while (!run->stopped_by) {
        bool cancelled, clean = false;

        if (run->shards > 1) {
            TRY(clv_shards_epoch(run, run->shards, &clean, &cancelled));
        } else {
            TRY(run_epoch(run, run->checking ? &run->all : &run->traversal, &cancelled));
            if (cancelled && run->report->facts.epochs == 0)
                return nothing_learned(run);
            TRY(run->job.method->training->end_epoch(fit, &clean));
        }
        if (cancelled && run->report->facts.epochs == 0)
            return nothing_learned(run);
        if (cancelled) {
            fit->result.plateau = fit->result.complete = false; /* the epoch is incomplete */
            note_interrupt(run);
            return OK;
        }
        if (draws && clean && !run->checking) {
            /* the draws may have missed a misclassified row, so the next epoch visits every row */
            clean = false;
            run->checking = true;
        } else {
            run->checking = false;
        }
        TRY(finish_round(run, clean, false));
    }
    return OK;
}

/* ---- methods with their own solver ----------------------------------------------------------- */

static bool round_over(Fit *fit)
{
    Run *run = fit->driver;
    bool cancelled = clv_cancelled(run->context);

    tell_progress(run, run->dataset->rows);
    if (finish_round(run, false, cancelled) != OK && !run->stopped_by)
        run->stopped_by = "error"; /* `fit` returns the error again */
    fit->counters.epoch_mistakes = 0;
    fit->counters.epoch_loss = 0;
    return !run->stopped_by;
}

static Status fit_whole(Run *run)
{
    bool split = !run->job.valid && run->options.validation_fraction > 0;
    Dataset *dataset = run->dataset;
    uint32_t passes = run->report->facts.epochs; /* epochs of the resumed run */
    Status status;

    if (split)
        TRY(clv_keep_rows(run, &dataset));
    snprintf(run->report->order, sizeof run->report->order, "order chosen by the solver");
    status = run->job.method->training->fit(&run->fit, dataset);
    if (split)
        clv_dataset_free(dataset);
    if (status == CLEAVE_ERROR_CANCELLED && run->report->facts.epochs == passes)
        return nothing_learned(run);
    if (status == CLEAVE_ERROR_CANCELLED) {
        note_interrupt(run); /* the epochs that are complete are kept */
        status = OK;
    }
    TRY(status);
    if (run->stopped_by && strcmp(run->stopped_by, "error") == 0)
        return run->error ? run->error->code : CLEAVE_ERROR_INTERNAL;
    if (!run->stopped_by &&
        !fit_ending(&run->fit, run->fit.result.converged || run->fit.result.plateau ||
                                   run->fit.result.complete) &&
        clv_cancelled(run->context))
        note_interrupt(run);
    if (run->report->facts.cancelled && run->report->facts.epochs == passes)
        return nothing_learned(run);
    run->stopped_by = clv_stop_after_fit(&run->fit, run->stopped_by);
    return OK;
}

/* ---- the number of epochs from a sample ------------------------------------------------------ */

/* Trains on one sample and evaluates on another after each epoch. The best number of epochs becomes
 * the limit. */
static Status try_rounds(Run *run, Traversal *train, Traversal *test, int64_t *best_rounds)
{
    double best = INFINITY;

    TRY(clv_run_begin(run));
    run->fit.trace = NULL;
    for (int64_t round = 1; round <= run->options.limit; round++) {
        Evaluation evaluation = {0};
        Model *model;
        bool cancelled, clean;
        Status status;
        double value;

        TRY(run_epoch(run, train, &cancelled));
        if (cancelled)
            return nothing_learned(run);
        TRY(run->job.method->training->end_epoch(&run->fit, &clean));
        run->fit.counters.epoch++;
        TRY(clv_run_make_model(run, &model));
        status = clv_evaluate_rows(model, test, run->problem.label_number, NULL, NULL, &evaluation,
                                   run->error);
        cleave_model_free(model);
        TRY(status);
        value = run->options.validation_metric == VALIDATION_LOSS ? evaluation.loss
                : run->fit.task == CLEAVE_TASK_REGRESSION         ? evaluation.squared_error
                                                                  : (double)evaluation.errors;
        if (value < best) {
            best = value;
            *best_rounds = round;
        }
        if (clean)
            break;
    }
    return OK;
}

static Status find_rounds(Run *run, int order, int64_t *rounds)
{
    double share = (double)run->options.epochs_from_sample / (double)run->dataset->rows;
    /* the samples are drawn from the remaining rows */
    double held = run->job.valid ? 0 : run->options.validation_fraction;
    uint64_t seed = (uint64_t)run->options.seed;
    Fit fresh = run->fit;
    Traversal train = {0}, test = {0};
    Status status = clv_traversal_init(&train, run->dataset, order, seed, held, held + share,
                                       run->error);

    THEN(status, clv_traversal_init(&test, run->dataset, ORDER_FILE, seed, held + share,
                                    held + 2 * share, run->error));
    if (status == OK) {
        clv_traversal_slice(&train, run->fit.outputs);
        clv_traversal_slice(&test, run->fit.outputs);
        status = try_rounds(run, &train, &test, rounds);
    }
    clv_traversal_free(&train);
    clv_traversal_free(&test);
    free_fit(run);
    run->fit = fresh;
    if (status == OK)
        clv_note(run->context, "a sample of about %lld rows has its lowest error after %lld epochs",
                 (long long)run->options.epochs_from_sample, (long long)*rounds);
    return status;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static Status open_traversals(Run *run, int order)
{
    uint64_t seed = (uint64_t)run->options.seed;
    double held = run->job.valid ? 0 : run->options.validation_fraction;

    TRY(clv_traversal_init(&run->traversal, run->dataset, order, seed, held, 1, run->error));
    TRY(clv_traversal_init(&run->all, run->dataset, ORDER_FILE, seed, held, 1, run->error));
    run->watches = run->job.valid || held > 0;
    if (!run->watches)
        return OK;
    if (held > 0)
        clv_note(run->context, "%g%% of the rows are held out (seed %llu) for validation%s",
                 100 * held, (unsigned long long)seed,
                 run->options.calibrate ? " and calibration" : "");
    return clv_traversal_init(&run->held_out, run->job.valid ? run->job.valid : run->dataset,
                              ORDER_FILE, seed, 0, held > 0 ? held : 1, run->error);
}

Status clv_run_describe(Run *run)
{
    Fit *fit = &run->fit;

    clv_run_bind(run);
    fit->task = run->job.method->tasks == CLEAVE_TASK_REGRESSION ? CLEAVE_TASK_REGRESSION
                : run->labels->count > 2                         ? CLEAVE_TASK_MULTICLASS
                                                                 : CLEAVE_TASK_BINARY;
    TRY(clv_run_check_data(run));
    TRY(clv_run_check_options(run));
    fit->features = run->dataset->features;
    if (run->job.from && run->job.from->features > fit->features)
        fit->features = run->job.from->features;
    fit->classes = fit->task == CLEAVE_TASK_REGRESSION ? 0 : run->labels->count;
    fit->outputs = outputs_of(fit->classes);
    if (run->job.from)
        fit->positive = run->job.from->positive;
    else if (fit->task != CLEAVE_TASK_REGRESSION && run->labels->count)
        TRY(clv_labels_positive(run->labels, run->options.positive, &fit->positive, run->error));
    return OK;
}

Status clv_run_choose_options(Run *run)
{
    return run->job.method->training->choose
               ? run->job.method->training->choose(&run->fit, run->job.method_options)
               : OK;
}

Status clv_run_choose(Run *run)
{
    const Method *method = run->job.method;
    const void *options = run->job.method_options;
    EpochKind kind;
    int64_t limit;

    TRY(clv_run_choose_options(run));
    if (run->problem.shared && ((!METHOD_HAS(run->job.method, distributed, join) &&
                                 !(run->job.method->behavior & METHOD_COLLECTIVE_FIT)) ||
                                run->options.shards > 1 || run->options.racy))
        TRY(clv_team_check(run->job.method, run->job.method_options, run->error));
    kind = method_epoch_kind(method, options);
    limit = clv_epoch_limit(method, options, &run->options);
    if (limit == 0)
        limit = clv_default_epochs(method, options);
    clv_set_epoch_limit(&run->options, kind, limit);
    clv_stop_init(&run->stop, &run->options);
    run->stop.limit = clv_run_params[kind].name;
    return OK;
}

/* Computes the fingerprint of the rows. It includes the held-out rows, because their choice depends
 * on the run. */
static Status sum_rows(Run *run, Traversal *traversal)
{
    TRY(clv_traversal_begin(traversal, 0, run->error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, run->error));
        if (!block)
            return OK;
        TRY(clv_run_record_rows(run, block));
    }
}

/* Collects the facts about the data, and lets the method choose its automatic options. */
static Status prepare(Run *run)
{
    Fit *fit = &run->fit;
    int order, wanted = clv_wanted_order(run->job.method, &run->options, run->dataset);

    TRY(clv_run_describe(run));
    if (!run->job.valid)
        run->options.validation_fraction = clv_run_holdout(&run->options, false);
    TRY(clv_choose_order(run->dataset, wanted, (uint64_t)run->options.seed, &order,
                         run->report->order, sizeof run->report->order, run->error));
    run->problem.same_order = (order == ORDER_FILE || order == ORDER_ONCE) &&
                              run->options.shards <= 1;
    TRY(open_traversals(run, order));
    clv_traversal_slice(&run->traversal, fit->outputs);
    clv_traversal_slice(&run->all, fit->outputs);
    if (run->watches)
        clv_traversal_slice(&run->held_out, fit->outputs);
    TRY(clv_run_weigh(run));
    if (!run->job.valid && run->options.validation_fraction > 0)
        TRY(sum_rows(run, &run->held_out));
    if (run->job.from && !run->options.refit)
        TRY(clv_training_rows_check(run->job.from, &run->training_rows, run->job.name, run->error));
    run->report->facts.rows = fit->problem->rows;
    run->problem.shared = run->options.shards > 1 || run->options.racy;
    run->problem.racy = run->options.racy;
    run->problem.on_disk = run->dataset->on_disk;
    TRY(clv_run_choose(run));
    if (run->options.racy && !METHOD_HAS(run->job.method, distributed, race))
        return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE,
                             "use --shards N, which also uses threads and is deterministic",
                             "--racy: method '%s' does not support it", run->job.method->name);
    if (run->options.epochs_from_sample > 0 &&
        method_prefers_fit(run->job.method, run->job.method_options))
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "--epochs-from-sample requires a method with epochs; '%s' with these "
                        "options has its own stopping "
                        "rule",
                        run->job.method->name);
    TRY(clv_checkpoint_find(run));
    if (run->options.epochs_from_sample > 0 && !run->checkpoint.model)
        TRY(find_rounds(run, order, &run->stop.epochs));
    return OK;
}

static void warn_unseen(const Run *run)
{
    uint64_t unseen = run->selected.evaluation.unseen_label;

    if (unseen)
        clv_warn(run->context,
                 "these rows count as errors; check that both sets spell the labels alike",
                 "%llu of %llu held-out rows have a label that is not in the training set",
                 (unsigned long long)unseen, (unsigned long long)run->selected.evaluation.n);
}

typedef struct {
    Run *run;
    const Model *model;
} Survey;

static Status survey_block(void *user, const Block *block, const double *numbers,
                           const double *scores)
{
    Survey *survey = user;

    (void)numbers;
    return survey->run->job.method->inspection->survey(&survey->run->fit, survey->model, block,
                                                       scores);
}

/* Visits the training rows once more, for the method's own figures and the training error of the
 * final model. The errors counted in the last epoch are those of changing weights. */
static Status survey(Run *run, const Model *model)
{
    cleave_report *report = &run->report->facts;
    Survey user = {.run = run, .model = model};
    Evaluation evaluation = {.without_loss = true};
    Status status;

    run->train_rmse = NAN;
    report->train_errors = UINT64_MAX;
    if (run->fit.result.knows_train_errors && report->kept_epoch == report->epochs)
        report->train_errors = run->fit.result.train_errors;
    if (report->cancelled || method_predicts_preferences(run->job.method, run->fit.options) ||
        (run->job.method->inference->slow_to_predict &&
         run->job.method->inference->slow_to_predict(run->fit.options)))
        return OK;
    if (run->fit.result.surveyed && run->fit.result.knows_train_errors &&
        report->kept_epoch == report->epochs)
        return METHOD_HAS(run->job.method, inspection, end_survey)
                   ? run->job.method->inspection->end_survey(&run->fit, model)
                   : OK;
    status = clv_evaluate_rows(model, &run->all, run->problem.label_number,
                               METHOD_HAS(run->job.method, inspection, survey) ? survey_block
                                                                               : NULL,
                               &user, &evaluation, run->error);
    if (status == CLEAVE_ERROR_CANCELLED)
        return OK; /* the model is complete, but its training error is unknown */
    TRY(status);
    if (run->fit.task == CLEAVE_TASK_REGRESSION) {
        run->train_rmse = sqrt(evaluation.squared_error / (double)evaluation.n);
        clv_figure(&run->fit, "train_rmse", run->train_rmse);
        clv_figure(&run->fit, "train_sse", evaluation.squared_error);
        if (evaluation.target_spread > 0)
            clv_figure(&run->fit, "train_r2",
                       1 - evaluation.squared_error / evaluation.target_spread);
    } else if (!run->job.tracer) {
        report->train_errors = evaluation.errors;
    }
    return METHOD_HAS(run->job.method, inspection, end_survey)
               ? run->job.method->inspection->end_survey(&run->fit, model)
               : OK;
}

/* Returns whether the gap between training and held-out error (error rates or RMSE) is wide. The
 * training error is less than half of the held-out error, by more than one or two percentage
 * points, and by more than the sampling error. */
static bool is_wide(const Run *run, double train, double held_out)
{
    double share = 0.02 + 2 * sqrt(held_out * (1 - held_out) / (double)run->selected.evaluation.n);

    if (run->fit.task == CLEAVE_TASK_REGRESSION)
        return run->selected.evaluation.n >= FEW_ROWS && train < held_out / 2;
    return train < held_out / 2 && held_out - train > share;
}

static void warn_of_gap(Run *run)
{
    const cleave_report *report = &run->report->facts;
    bool numbers = run->fit.task == CLEAVE_TASK_REGRESSION;
    double n = (double)run->selected.evaluation.n, train = numbers ? run->train_rmse : NAN,
           held_out;

    if (!run->job.method->overfitting_hint || run->selected.evaluation.n == 0)
        return;
    held_out = numbers ? sqrt(run->selected.evaluation.squared_error / n)
                       : (double)run->selected.evaluation.errors / n;
    if (!numbers && report->train_errors != UINT64_MAX)
        train = (double)report->train_errors / (double)report->rows;
    if (isnan(train) || !is_wide(run, train, held_out))
        return;
    if (numbers)
        clv_warn(run->context, run->job.method->overfitting_hint,
                 "overfitting: held-out RMSE %.4g, training RMSE %.4g", held_out, train);
    else
        clv_warn(run->context, run->job.method->overfitting_hint,
                 "overfitting: held-out error %.2f%%, training error %.2f%%", 100 * held_out,
                 100 * train);
}

/* Returns the final model: the best on held-out data if a stopping rule needs it, otherwise the
 * last. */
static Status choose_model(Run *run, Model **model)
{
    cleave_report *report = &run->report->facts;

    if (run->selected.model) {
        *model = run->selected.model;
        run->selected.model = NULL;
    } else {
        run->fit.last = true;
        TRY(clv_run_make_model(run, model));
    }
    report->kept_epoch = run->selected.evaluation.n ? run->selected.epoch : report->epochs;
    if (run->selected.evaluation.n == 0)
        return OK;
    report->validation_rows = run->selected.evaluation.n;
    report->validation_errors = run->selected.evaluation.errors;
    if (run->fit.task == CLEAVE_TASK_REGRESSION)
        clv_figure(&run->fit, "validation_rmse",
                   sqrt(run->selected.evaluation.squared_error / (double)report->validation_rows));
    warn_unseen(run);
    return OK;
}

void clv_run_tell(Run *run)
{
    cleave_report *report = &run->report->facts;

    report->method = run->job.method->name;
    report->features = run->fit.features;
    report->classes = run->fit.classes;
    report->order = run->report->order;
    report->converged = run->fit.result.converged;
    report->stopped_by = run->stopped_by;
    clv_report_finish(run->report, &run->fit);
}

/* Calibrates probabilities. An interrupted run keeps its model, which has no probabilities if they
 * could not be fitted in time. */
static Status calibrate(Run *run, Model *model)
{
    Status status = run->options.calibrate ? clv_platt(model, &run->held_out, run->error) : OK;

    if (status != CLEAVE_ERROR_CANCELLED)
        return status;
    note_interrupt(run);
    clv_warn(run->context, "use --from MODEL to continue the training",
             "training was interrupted before the calibration of probabilities");
    return OK;
}

static Status train(Run *run, Model **model)
{
    TRY(prepare(run));
    TRY(clv_run_begin(run));
    if (run->fit.trace) {
        run->tracing.start = true;
        run->fit.trace(&run->fit, NULL, 0, NULL, true);
        run->tracing.start = false;
    }
    run->epoch_started = clv_now();
    TRY(method_prefers_fit(run->job.method, run->job.method_options) ? fit_whole(run)
                                                                     : run_epochs(run));
    if (run->options.epochs_from_sample > 0) {
        clv_figure(&run->fit, "sample_epochs", (double)run->stop.epochs);
        if (clv_is_epoch_limit(run->stopped_by))
            run->stopped_by = "epochs_from_sample";
    }
    TRY(choose_model(run, model));
    TRY(calibrate(run, *model));
    TRY(survey(run, *model));
    warn_of_gap(run);
    clv_run_tell(run);
    return OK;
}

Status clv_train(Context *context, const Job *job, Dataset *dataset, Model **model, Report **report,
                 cleave_error *error)
{
    double started = clv_now(), cpu = clv_cpu_now();
    Run run = clv_run_new(context, job, &dataset->labels, &dataset->names, &dataset->schema, error);
    Status status;

    run.dataset = dataset;
    *model = NULL;
    *report = NULL;
    TRY(clv_report_new(context, &run.report, error));
    clv_progress(context, &(cleave_progress){.phase = "train"});
    status = train(&run, model);
    clv_run_end(&run);
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
        cleave_report_free(&run.report->facts);
        return status;
    }
    run.report->facts.train_seconds = clv_now() - started;
    run.report->facts.train_cpu_seconds = clv_cpu_now() - cpu;
    *report = run.report;
    return OK;
}
