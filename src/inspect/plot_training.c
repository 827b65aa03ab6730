/* Learning curves: error and loss after each epoch, and the error by the number of training rows
 * (Cortes and others 1994). Neither the method nor its pipeline is fitted to held-out rows. */
#include "base/pool.h"
#include "inspect/plot.h"
#include "model/registry.h"
#include "select/trial.h"
#include "train/train.h"

#include <stdatomic.h>

static const double USUAL_HOLDOUT = 0.2;
enum { MANY_PASSES = 30 };

/* ---- by epoch -------------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    Evaluation *train, *held_out;
    double *penalty;
    size_t count, train_capacity, held_capacity, penalty_capacity;
} Passes;

static Status keep_pass(void *user, const Evaluation *train, const Evaluation *held_out,
                        double penalty, cleave_error *error)
{
    Passes *passes = user;

    TRY(GROW(passes->context, passes->penalty, passes->penalty_capacity, passes->count + 1, error));
    TRY(GROW(passes->context, passes->train, passes->train_capacity, passes->count + 1, error));
    TRY(GROW(passes->context, passes->held_out, passes->held_capacity, passes->count + 1, error));
    passes->penalty[passes->count] = penalty;
    passes->train[passes->count] = *train;
    passes->held_out[passes->count++] = *held_out;
    return OK;
}

/* Copies the caller's options, with a default for --validation-fraction. */
static Status copy_options(Plot *plot, const cleave_options *given, bool has_valid,
                           cleave_options **copy)
{
    char share[32];
    Status status = OK;

    *copy = cleave_options_new(plot->context);
    if (!*copy)
        return clv_fail_memory(plot->error, "options", sizeof **copy);
    if (!has_valid)
        status = cleave_options_set(*copy, "validation_fraction",
                                    cleave_number_text(USUAL_HOLDOUT, share), plot->error);
    for (size_t i = 0; status == OK && given && i < given->count; i++)
        status = cleave_options_set(*copy, given->list[i].name, given->list[i].value, plot->error);
    if (status != OK) {
        cleave_options_free(*copy);
        *copy = NULL;
    }
    return status;
}

static double error_of(const Evaluation *evaluation, bool regression)
{
    return regression ? sqrt(evaluation->squared_error / (double)evaluation->n)
                      : 100 * (double)evaluation->errors / (double)evaluation->n;
}

static Status add_passes(Plot *plot, cleave_plot_panel *panel, cleave_plot_series *series,
                         const Passes *passes, bool held_out, bool loss, bool regression)
{
    const Evaluation *evaluations = held_out ? passes->held_out : passes->train;
    Spots spots;

    if (passes->count == 0 || evaluations[0].n == 0)
        return OK;
    *series = (cleave_plot_series){.name = held_out ? "held-out rows" : "training rows",
                                   .style = CLEAVE_PLOT_BOTH,
                                   .look = held_out,
                                   .count = passes->count};
    TRY(clv_plot_points(plot, series, passes->count, false, &spots));
    for (size_t i = 0; i < passes->count; i++) {
        spots.x[i] = (double)(i + 1);
        spots.y[i] = loss ? evaluations[i].loss / (double)evaluations[i].n
                          : error_of(&evaluations[i], regression);
    }
    panel->series_count++;
    return OK;
}

/* Adds the objective. Without a regularization term it equals the training loss, which is already
 * drawn. */
static Status add_objective(Plot *plot, cleave_plot_panel *panel, cleave_plot_series *series,
                            const Passes *passes)
{
    Spots spots;

    *series = (cleave_plot_series){.name = "training rows, with regularization",
                                   .style = CLEAVE_PLOT_BOTH,
                                   .look = 2,
                                   .count = passes->count};
    TRY(clv_plot_points(plot, series, passes->count, false, &spots));
    for (size_t i = 0; i < passes->count; i++) {
        spots.x[i] = (double)(i + 1);
        spots.y[i] = passes->train[i].loss / (double)passes->train[i].n + passes->penalty[i];
    }
    panel->series_count++;
    return OK;
}

static const char *ending_of(const cleave_report *report)
{
    const char *by = report->stopped_by ? report->stopped_by : "";

    if (report->converged)
        return "converged";
    return strcmp(by, "plateau") == 0    ? "objective no longer decreasing"
           : strcmp(by, "complete") == 0 ? "complete"
                                         : "did not converge";
}

static const char *unit_of(const Method *method)
{
    return strncmp(method->name, "boost", strlen("boost")) == 0 ? "boosting rounds"
           : method->training->step                             ? "epochs"
                                                                : "iterations";
}

static Status draw_passes(Plot *plot, const Method *method, const Passes *passes,
                          const cleave_report *report, bool regression)
{
    const char *ended = ending_of(report);
    char train[NUMBER_SIZE], held_out_rows[NUMBER_SIZE];

    for (int loss = 0; loss < (method->inference->loss ? 2 : 1); loss++) {
        cleave_plot_panel *panel;
        cleave_plot_series *series;

        TRY(clv_plot_panel(plot, 3, &panel, &series));
        panel->x.title = unit_of(method);
        /* most changes occur in the first epochs */
        panel->x.logarithmic = passes->count > MANY_PASSES;
        panel->x.whole = !panel->x.logarithmic;
        panel->y.title = loss         ? "objective, per row"
                         : regression ? "root mean squared error"
                                      : "error rate (%)";
        panel->title = loss ? "objective" : "error";
        for (int held_out = 0; held_out < 2; held_out++)
            TRY(add_passes(plot, panel, &series[panel->series_count], passes, held_out, loss,
                           regression));
        if (loss && method->training->penalty)
            TRY(add_objective(plot, panel, &series[panel->series_count], passes));
    }
    TRY(clv_plot_text(plot, &plot->facts.title, "Learning curve of %s", method->name));
    return clv_plot_text(plot, &plot->facts.remark,
                         "%s training and %s held-out rows; %s after %u %s",
                         clv_format_count(train, passes->train[0].n),
                         clv_format_count(held_out_rows, passes->held_out[0].n), ended,
                         report->epochs, unit_of(method));
}

static Status refuse_method(const Plot *plot, const Method *method)
{
    clv_fail(plot->error, CLEAVE_ERROR_USAGE,
             "'%s' has no epochs or iterations with these options: there is no learning curve",
             method->name);
    return clv_hint(plot->error, CLEAVE_ERROR_USAGE,
                    "use 'cleave plot size %s' for the error by the number of rows", method->name);
}

Status clv_plot_curve(Plot *plot, const char *name, cleave_data *data, cleave_data *valid,
                      const cleave_options *training)
{
    Passes passes = {.context = plot->context};
    RoundWatcher watcher = {.round = keep_pass, .user = &passes};
    cleave_options *options = NULL;
    cleave_report *report = NULL;
    Model *model = NULL;
    const Method *method;
    Status status;

    TRY(clv_method_find(name, &method, plot->error));
    if (METHOD_HAS(method, distributed, find_neighbors))
        return refuse_method(plot, method);
    TRY(copy_options(plot, training, valid != NULL, &options));
    status = clv_train_watched(plot->context, name, data, valid, options, &watcher, &model, &report,
                               plot->error);
    if (status == OK && report->cancelled)
        status = clv_fail(plot->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    if (status == OK && (passes.count == 0 || (passes.count == 1 && !method->training->step)))
        status = refuse_method(plot, method);
    THEN(status, draw_passes(plot, method, &passes, report, model->task == CLEAVE_TASK_REGRESSION));
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_options_free(options);
    FREE(plot->context, passes.train, passes.penalty, passes.held_out);
    return status;
}

/* ---- by size --------------------------------------------------------------------------------- */

enum { MOST_SIZES = 11, LEAST_ROWS = 16, MOST_EVALUATED = 2000 };

typedef struct {
    Plot *plot;
    const Method *method;
    Folds *folds; /* training part and held-out part, for each repeat */
    Trial *trial; /* all repeats with the largest size, then with half of it, … */
    uint32_t sizes, repeats;
    _Atomic uint32_t done;
} Sizes;

typedef struct {
    const Model *model;
    Evaluation sums;
} EvaluatedRows;

static Status evaluate_block(void *user, const Block *block, const double *numbers,
                             const double *scores)
{
    EvaluatedRows *rows = user;

    clv_evaluate_scores(rows->model, block, numbers, false, scores, &rows->sums);
    return OK;
}

/* Finds the training error. If predictions are slow, training does not compute it, and it is
 * estimated here from some of the rows. */
static Status find_train_error(Trial *trial)
{
    double all = (double)trial->facts.train_rows,
           train_rows = trial->train_share > 0 ? trial->train_share : 1;
    FoldRows rows = {.folds = trial->folds,
                     .part = trial->part,
                     .others = true,
                     .share = all > MOST_EVALUATED ? train_rows * MOST_EVALUATED / all
                                                   : trial->train_share,
                     .seed = trial->share_seed};
    EvaluatedRows found = {.model = trial->model, .sums = {.without_loss = true}};
    Source *source, *view = NULL;
    Status status;

    TRY(clv_fold_source(&trial->context, trial->dataset, &rows, &source, &trial->error));
    status = clv_view_for(trial->model, source, &view, &trial->error);
    THEN(status, clv_score_source(trial->model, view, evaluate_block, &found, &trial->error));
    clv_source_close(view);
    clv_source_close(source);
    trial->facts.train_evaluated = found.sums.n;
    trial->facts.train_error = clv_evaluation_error(&found.sums,
                                                    trial->model->task == CLEAVE_TASK_REGRESSION);
    return status;
}

static void work(void *user, uint32_t number, unsigned worker)
{
    Sizes *sizes = user;
    Trial *trial = &sizes->trial[number];
    uint32_t done;

    if (clv_cancelled(sizes->plot->context))
        return;
    clv_trial_run(trial);
    if (trial->status == OK && trial->facts.train_evaluated != trial->facts.train_rows)
        trial->status = find_train_error(trial);
    cleave_model_free(trial->model);
    trial->model = NULL;
    done = ++sizes->done;
    if (worker == 0)
        clv_progress(sizes->plot->context,
                     &(cleave_progress){.phase = "plot",
                                        .rows = done,
                                        .rows_total = sizes->sizes * sizes->repeats});
}

static Status prepare_sizes(Sizes *sizes, Dataset *dataset, const char *name,
                            const cleave_options *training, const RunOptions *run)
{
    Plot *plot = sizes->plot;
    uint64_t rows;

    sizes->folds = clv_plot_alloc(plot, sizes->repeats, sizeof *sizes->folds);
    sizes->trial = clv_plot_alloc(plot, (size_t)MOST_SIZES * sizes->repeats, sizeof *sizes->trial);
    if (!sizes->folds || !sizes->trial)
        return CLEAVE_ERROR_MEMORY;
    for (uint32_t i = 0; i < sizes->repeats; i++)
        TRY(clv_folds_make(dataset,
                           &(FoldPlan){.count = 2,
                                       .last_share = USUAL_HOLDOUT,
                                       .seed = (uint64_t)run->seed,
                                       .stream = i,
                                       .numbers = sizes->method->tasks == CLEAVE_TASK_REGRESSION},
                           &sizes->folds[i], plot->error));
    rows = sizes->folds[0].size[0];
    sizes->sizes = 1;
    while (sizes->sizes < MOST_SIZES && rows >> sizes->sizes >= LEAST_ROWS)
        sizes->sizes++;
    for (uint32_t i = 0; i < sizes->sizes * sizes->repeats; i++) {
        sizes->trial[i] = (Trial){
            .parent = plot->context,
            .method = sizes->method,
            .training = training,
            .name = name,
            .dataset = dataset,
            .folds = &sizes->folds[i % sizes->repeats],
            .part = 1,
            .keep_model = true,
            .train_share = i < sizes->repeats ? 0 : ldexp(1, -(int)(i / sizes->repeats)),
            .share_seed = (uint64_t)run->seed + i % sizes->repeats};
        clv_trial_begin(&sizes->trial[i]);
    }
    return OK;
}

/* Means over the repeats of a size: held-out error with its bounds, and training error. */
typedef struct {
    double rows, train;
    Interval held_out;
} SizeFacts;

static bool sum_size(const Sizes *sizes, uint32_t size, SizeFacts *facts)
{
    bool regression = sizes->method->tasks == CLEAVE_TASK_REGRESSION;
    double made = 0, known = 0, train = 0;
    Evaluation sums = {0};

    *facts = (SizeFacts){0};
    for (uint32_t i = 0; i < sizes->repeats; i++) {
        const Trial *trial = &sizes->trial[size * sizes->repeats + i];

        if (trial->status != OK || trial->sums.n == 0)
            continue;
        made++;
        clv_evaluation_join(&sums, &trial->sums);
        facts->rows += (double)trial->facts.train_rows;
        if (trial->facts.train_evaluated) {
            train += trial->facts.train_error;
            known++;
        }
    }
    if (made == 0)
        return false;
    facts->rows /= made;
    facts->train = known > 0 ? train / known : (double)NAN;
    /* The held-out rows of the repeats overlap, so the effective number of rows is that of one
     * repeat. */
    facts->held_out = clv_evaluation_interval(&sums, regression, made);
    return true;
}

static Status draw_sizes(Sizes *sizes)
{
    Plot *plot = sizes->plot;
    char rows[NUMBER_SIZE];
    bool regression = sizes->method->tasks == CLEAVE_TASK_REGRESSION;
    double unit = regression ? 1 : 100;
    cleave_plot_panel *panel;
    cleave_plot_series *series;
    Spots train, held_out;

    TRY(clv_plot_panel(plot, 2, &panel, &series));
    panel->x.title = "training rows";
    panel->x.logarithmic = true;
    panel->y.title = regression ? "root mean squared error" : "error rate (%)";
    panel->y.low = 0;
    panel->series_count = 2;
    series[0] = (cleave_plot_series){.name = "training rows", .style = CLEAVE_PLOT_BOTH};
    series[1] = (cleave_plot_series){
        .name = "held-out rows, 95% interval", .style = CLEAVE_PLOT_BOTH, .look = 1};
    TRY(clv_plot_points(plot, &series[0], sizes->sizes, false, &train));
    TRY(clv_plot_points(plot, &series[1], sizes->sizes, true, &held_out));
    for (uint32_t i = sizes->sizes; i-- > 0;) {
        SizeFacts facts;
        size_t at = series[1].count;

        if (!sum_size(sizes, i, &facts))
            continue;
        if (!isnan(facts.train)) {
            train.x[series[0].count] = facts.rows;
            train.y[series[0].count++] = unit * facts.train;
        }
        held_out.x[at] = facts.rows;
        held_out.y[at] = unit * facts.held_out.middle;
        held_out.low[at] = unit * facts.held_out.low;
        held_out.high[at] = isnan(facts.held_out.low) ? (double)NAN : unit * facts.held_out.high;
        series[1].count++;
    }
    TRY(clv_plot_text(plot, &plot->facts.title, "Error of %s against the number of training rows",
                      sizes->method->name));
    return clv_plot_text(plot, &plot->facts.remark,
                         "%s held-out rows; each size is the mean of %u sample%s",
                         clv_format_count(rows, sizes->trial[0].sums.n), sizes->repeats,
                         sizes->repeats == 1 ? "" : "s");
}

static Status run_sizes(Sizes *sizes)
{
    uint32_t trials = sizes->sizes * sizes->repeats;

    clv_pool_run(sizes->plot->context, trials, work, sizes);
    if (clv_cancelled(sizes->plot->context))
        return clv_fail(sizes->plot->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    /* A small sample may not suit the method, e.g. lack a class, but the full data must. */
    for (uint32_t i = 0; i < trials; i++) {
        Status status = sizes->trial[i].status;

        if (status != OK && (i < sizes->repeats || status != CLEAVE_ERROR_DATA)) {
            if (sizes->plot->error)
                clv_trial_failure(&sizes->trial[i], sizes->plot->error);
            return status;
        }
    }
    return draw_sizes(sizes);
}

Status clv_plot_sizes(Plot *plot, const char *name, cleave_data *data, cleave_data *valid,
                      const cleave_options *training)
{
    Sizes sizes = {.plot = plot, .repeats = (uint32_t)plot->options.repeats};
    Dataset *dataset;
    RunOptions run;
    Status status;

    TRY(clv_method_find(name, &sizes.method, plot->error));
    if (valid)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "plot 'size' holds out its own rows in each repeat: omit --validation");
    TRY(clv_trial_check(plot->context, sizes.method, training, &run, plot->error));
    TRY(clv_data_training_set(data, &dataset, plot->error));
    status = prepare_sizes(&sizes, dataset, clv_data_name(data), training, &run);
    THEN(status, run_sizes(&sizes));
    for (uint32_t i = 0; sizes.trial && i < sizes.sizes * sizes.repeats; i++)
        clv_trial_free(&sizes.trial[i]);
    for (uint32_t i = 0; sizes.folds && i < sizes.repeats; i++)
        clv_folds_free(&sizes.folds[i]);
    return status;
}
