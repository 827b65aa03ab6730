#include "run/train.h"

#include "run/judge.h"
#include "run/report.h"
#include "run/stop.h"
#include "run/sweep.h"

#include <math.h>
#include <stdio.h>

/* Everything one run holds. */
typedef struct {
    Context *context;
    const Method *method;
    const RunOptions *options;
    Dataset *dataset;
    Dataset *valid; /* NULL: the held-out part of the dataset, if any */
    const Tracer *tracer;
    cleave_error *error;

    Fit fit;
    Sweep sweep, held_out;
    Sweep all;    /* every training row once, as in the file: for what must miss none */
    bool watches; /* held_out is used */
    Model *best;  /* the model of the best round on held-out data */
    Judgement best_judgement;
    uint32_t best_round;
    Report *report;

    /* For the tracer. */
    bool tracing_start; /* the weights before the first round */
    double *weights, *thresholds, *scores;
    char *name;
    size_t weights_capacity, outputs_capacity, name_capacity;
} Run;

/* ---- is the data fit for it --------------------------------------------------------------------------------------- */

static const char *name_of(const Run *run)
{
    return run->dataset->path ? run->dataset->path : "data";
}

/* ":LINE" when the line is known and in the one file the dataset is named after. */
static const char *place_of(uint64_t line, uint32_t file, char buffer[24])
{
    buffer[0] = '\0';
    if (line && file == 0)
        snprintf(buffer, 24, ":%llu", (unsigned long long)line);
    return buffer;
}

static Status find_unlabelled(Run *run)
{
    const Labels *labels = &run->dataset->labels;
    char place[24];

    if (labels->first_unlabelled_line && labels->first_unlabelled_file == 0) {
        clv_fail(run->error, CLEAVE_ERROR_DATA, "%s%s: the row has no label", name_of(run),
                 place_of(labels->first_unlabelled_line, 0, place));
        return clv_hint(run->error, CLEAVE_ERROR_DATA, "--skip-unlabelled leaves such rows out");
    }
    for (uint32_t i = 0; i < run->dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(run->dataset, i, &block, run->error));
        for (uint32_t row = 0; row < block.rows; row++) {
            if (block_label(&block, row) != UNLABELLED)
                continue;
            clv_fail(run->error, CLEAVE_ERROR_DATA, "%s: row %llu has no label", name_of(run),
                     (unsigned long long)(block.first_row + row + 1));
            return clv_hint(run->error, CLEAVE_ERROR_DATA, "--skip-unlabelled leaves such rows out");
        }
    }
    return OK;
}

static Status check_data(Run *run)
{
    const Labels *labels = &run->dataset->labels;
    uint64_t labelled = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        labelled += labels->list[i].count;
    if (run->dataset->rows == 0)
        return clv_fail(run->error, CLEAVE_ERROR_DATA, "there are no examples to train on");
    if (run->dataset->numbers) {
        clv_fail(run->error, CLEAVE_ERROR_DATA,
                 "%s tells classes apart, and the labels are more than 65536 different numbers", run->method->name);
        return clv_hint(run->error, CLEAVE_ERROR_DATA, "is this a regression? or is --label the wrong column?");
    }
    if (labels->count == 0)
        return clv_fail(run->error, CLEAVE_ERROR_DATA, "%s: none of the %llu examples has a label", name_of(run),
                        (unsigned long long)run->dataset->rows);
    if (labelled < run->dataset->rows && !run->options->skip_unlabelled)
        TRY(find_unlabelled(run));
    if (labels->count == 1) {
        char quoted[QUOTE_SIZE], place[24];
        const char *text = labels->list[0].text;

        clv_fail(run->error, CLEAVE_ERROR_DATA,
                 "%s%s: all %llu examples have the label '%s': there is nothing to tell apart", name_of(run),
                 place_of(labels->list[0].first_line, labels->list[0].first_file, place), (unsigned long long)labelled,
                 clv_quote(quoted, text, strlen(text)));
        return clv_hint(run->error, CLEAVE_ERROR_DATA, "add examples of another class");
    }
    run->report->facts.n = labelled;
    return OK;
}

Status clv_train_check(const Method *method, void *method_options, const RunOptions *options, bool has_valid,
                       cleave_error *error)
{
    bool held_out = has_valid || options->holdout > 0;

    if (method->check)
        TRY(method->check(method_options, error));
    if (options->holdout > 0 && has_valid)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--holdout and --valid are two ways to say one thing: give one");
    if (!held_out && (options->patience > 0 || (options->watch != WATCH_ERRORS && options->sample == 0))) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--%s needs held-out data", options->patience > 0 ? "patience" : "watch");
        return clv_hint(error, CLEAVE_ERROR_USAGE, "give it with --valid FILE, or hold out a share with --holdout 0.1");
    }
    return OK;
}

static Status check_options(const Run *run)
{
    const RunOptions *options = run->options;

    if (options->positive && run->dataset->labels.count > 2) {
        clv_fail(run->error, CLEAVE_ERROR_USAGE, "--positive is for two classes, and the data has %u",
                 run->dataset->labels.count);
        return clv_hint(run->error, CLEAVE_ERROR_USAGE, "leave it out: each class is told from the rest");
    }
    if (options->sample > 0 &&
        2 * (double)options->sample > (1 - (run->valid ? 0 : options->holdout)) * (double)run->dataset->rows) {
        clv_fail(run->error, CLEAVE_ERROR_USAGE, "--sample %lld: two samples of that size do not fit %llu rows",
                 (long long)options->sample, (unsigned long long)run->dataset->rows);
        return clv_hint(run->error, CLEAVE_ERROR_USAGE, "--sample can be half of the rows at the most");
    }
    return OK;
}

/* ---- tracing ------------------------------------------------------------------------------------------------------ */

static Status room_for_trace(Run *run)
{
    size_t outputs = outputs_of(run->fit.classes);

    TRY(GROW(run->context, run->weights, run->weights_capacity, outputs * (size_t)run->fit.features + 1, run->error));
    if (!run->thresholds) {
        run->thresholds = clv_alloc_zero(run->context, outputs, sizeof *run->thresholds);
        run->scores = clv_alloc_zero(run->context, outputs, sizeof *run->scores);
    }
    if (!run->thresholds || !run->scores)
        return clv_fail_memory(run->error, "a trace", outputs * sizeof *run->scores);
    return GROW(run->context, run->name, run->name_capacity, 256, run->error);
}

/* Block NULL: a step between examples. */
static void trace(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok)
{
    Run *run = fit->trace_user;
    double scale = fit->method->scale ? fit->method->scale(fit) : 1;
    cleave_trace_event event = {
        .round = run->tracing_start ? 0 : fit->round + 1,
        .ok = ok,
        .outputs = outputs_of(fit->classes),
        .features = fit->features,
        .weights = run->weights,
        .thresholds = run->thresholds,
        .learns_threshold = fit->method->learns_threshold && fit->method->learns_threshold(fit->options),
    };

    fit->method->look(fit, run->weights, run->thresholds);
    if (block) {
        event.example_row = block_row_number(block, row) + 1;
        event.label = run->dataset->labels.list[block_label(block, row)].text;
        event.scores = run->scores;
        for (size_t i = 0; i < event.outputs; i++) {
            run->scores[i] = scale * scores[i];
            if (!event.learns_threshold)
                run->scores[i] += run->thresholds[i];
        }
        if (block->name_end) {
            uint32_t start = row ? block->name_end[row - 1] : 0, length = block->name_end[row] - start;

            length = length < 255 ? length : 255;
            memcpy(run->name, block->name + start, length);
            run->name[length] = '\0';
            event.example_name = run->name;
        }
    }
    run->tracer->event(run->tracer->user, &event);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------- */

static Status begin_fit(Run *run, const void *method_options)
{
    Fit *fit = &run->fit;

    *fit = (Fit){
        .context = run->context,
        .error = run->error,
        .method = run->method,
        .options = method_options,
        .features = run->dataset->features,
        .classes = run->dataset->labels.count,
        .seed = (uint64_t)run->options->seed,
    };
    fit->state = clv_alloc_zero(run->context, 1, run->method->state_size);
    if (!fit->state)
        return clv_fail_memory(run->error, "the state of a method", run->method->state_size);
    TRY(clv_labels_positive(&run->dataset->labels, run->options->positive, &fit->positive, run->error));
    TRY(run->method->begin(fit));
    if (run->tracer) {
        fit->trace = trace;
        fit->trace_user = run;
        TRY(room_for_trace(run));
    }
    return OK;
}

static void free_fit(Run *run)
{
    if (run->fit.state)
        run->method->free(&run->fit);
    clv_free(run->context, run->fit.state);
    run->fit.state = NULL;
}

/* *cancelled when the user interrupted it. */
static Status sweep_once(Run *run, Sweep *sweep, bool *cancelled)
{
    Fit *fit = &run->fit;
    uint64_t rows = 0;

    *cancelled = false;
    fit->round_mistakes = 0;
    fit->round_loss = 0;
    TRY(clv_sweep_begin(sweep, fit->round, run->error));
    for (;;) {
        const Block *block;

        TRY(clv_sweep_next(sweep, &block, run->error));
        if (!block)
            break;
        TRY(run->method->step(fit, block));
        rows += block->rows;
        clv_progress(run->context, &(cleave_progress){.phase = "train",
                                                      .rows = rows,
                                                      .rows_total = run->dataset->rows,
                                                      .round = fit->round + 1,
                                                      .rounds = (uint32_t)run->options->rounds,
                                                      .mistakes = fit->round_mistakes});
        *cancelled = clv_cancelled(run->context);
        if (*cancelled)
            break;
    }
    return OK;
}

static Status make_model(Run *run, Model **result)
{
    Model *model;
    Status status;

    TRY(clv_model_new(run->context, run->method, &model, run->error));
    model->positive = run->fit.positive;
    model->seed = (uint64_t)run->options->seed;
    model->rows = run->report->facts.n;
    model->features = run->fit.features;
    status = clv_labels_copy(&model->labels, &run->dataset->labels, run->error);
    if (status == OK)
        status = clv_names_copy(&model->names, &run->dataset->names, run->error);
    if (status == OK)
        status = clv_schema_copy(&model->schema, &run->dataset->schema, run->error);
    if (status == OK)
        status = clv_model_set_params(model, run->method->params, run->fit.options, run->error);
    if (status == OK)
        status = clv_model_set_params(model, clv_run_params, run->options, run->error);
    if (status == OK)
        status = run->method->end(&run->fit, model);
    if (status != OK) {
        cleave_model_free(model);
        return status;
    }
    *result = model;
    return OK;
}

/* What the held-out data says of the model as it is now; NaN when nothing is held out. */
static Status watch(Run *run, Model **model, Judgement *judgement, double *value)
{
    *value = NAN;
    *model = NULL;
    if (!run->watches)
        return OK;
    TRY(make_model(run, model));
    TRY(clv_judge(*model, &run->held_out, judgement, run->error));
    if (judgement->n == 0)
        return clv_fail(run->error, CLEAVE_ERROR_DATA, "the held-out data has no labelled rows");
    *value = run->options->watch == WATCH_LOSS ? judgement->loss : (double)judgement->errors;
    return OK;
}

/* The best model so far where a rule asks for it, the newest otherwise. */
static void keep_model(Run *run, Model *model, const Judgement *judgement, bool improved)
{
    if (run->options->patience > 0 && !improved) {
        cleave_model_free(model);
        return;
    }
    cleave_model_free(run->best);
    run->best = model;
    run->best_judgement = *judgement;
    run->best_round = run->fit.round;
}

/* Sweeps until a rule says stop. */
static Status sweep_until(Run *run, Stop *stop, const char **why)
{
    Fit *fit = &run->fit;

    bool draws = run->sweep.order == ORDER_DRAWS, checking = false;

    *why = NULL;
    while (!*why) {
        double started = clv_now(), held_out;
        Judgement judgement = {0};
        Model *model = NULL;
        bool cancelled, clean = false;
        Status status;

        TRY(sweep_once(run, checking ? &run->all : &run->sweep, &cancelled));
        TRY(run->method->pass(fit, &clean));
        if (draws && clean && !checking) {
            clean = false; /* draws may have missed the row that is wrong: the next round visits every one */
            checking = true;
        } else {
            checking = false;
        }
        fit->mistakes += fit->round_mistakes;
        if (fit->round == 0)
            run->report->facts.n = fit->seen; /* without what is held out or unlabelled */
        TRY(clv_report_round(run->report, clv_now() - started, fit->round_mistakes, fit->round_loss, run->error));
        if (cancelled) {
            *why = "interrupt";
            run->report->facts.cancelled = true;
            return OK;
        }
        status = watch(run, &model, &judgement, &held_out);
        if (status != OK) {
            cleave_model_free(model);
            return status;
        }
        fit->round++;
        *why = clv_stop_after(stop, fit->round, fit->round_mistakes, clean, held_out);
        if (model)
            keep_model(run, model, &judgement, stop->improved);
        run->report->facts.converged = clean;
    }
    return OK;
}

static Status survey(Run *run)
{
    Fit *fit = &run->fit;

    if (!run->method->survey)
        return OK;
    TRY(clv_sweep_begin(&run->all, 0, run->error));
    for (;;) {
        const Block *block;

        TRY(clv_sweep_next(&run->all, &block, run->error));
        if (!block)
            break;
        TRY(run->method->survey(fit, block));
    }
    return run->method->surveyed(fit);
}

static void warn_unseen(const Run *run)
{
    uint64_t unseen = run->best_judgement.unseen_label;

    if (unseen)
        clv_warn(run->context, "they count as errors; are the labels written alike?",
                 "%llu of %llu held-out rows have a label that the training data has not", (unsigned long long)unseen,
                 (unsigned long long)run->best_judgement.n);
}

/* How many training rows the model that is kept gets wrong: not what the last sweep counted, when the weights moved. */
static Status count_errors(Run *run, const Model *model)
{
    cleave_report *report = &run->report->facts;
    Judgement judgement;

    report->train_errors = UINT64_MAX;
    if (report->cancelled || run->tracer ||
        (run->method->slow_to_predict && run->method->slow_to_predict(run->fit.options)))
        return OK;
    TRY(clv_judge(model, &run->all, &judgement, run->error));
    report->train_errors = judgement.errors;
    return OK;
}

/* ---- the number of sweeps found beforehand ------------------------------------------------------------------------ */

/* Trains on one sample, judges by another after each sweep; the best number of sweeps becomes the limit. */
static Status try_rounds(Run *run, const void *method_options, Sweep *train, Sweep *test, int64_t *best_rounds)
{
    double best = INFINITY;

    TRY(begin_fit(run, method_options));
    run->fit.trace = NULL;
    for (int64_t round = 1; round <= run->options->rounds; round++) {
        Judgement judgement;
        Model *model;
        bool cancelled, clean;
        Status status;

        TRY(sweep_once(run, train, &cancelled));
        if (cancelled)
            break;
        TRY(run->method->pass(&run->fit, &clean));
        run->fit.round++;
        TRY(make_model(run, &model));
        status = clv_judge(model, test, &judgement, run->error);
        cleave_model_free(model);
        TRY(status);
        if ((run->options->watch == WATCH_LOSS ? judgement.loss : (double)judgement.errors) < best) {
            best = run->options->watch == WATCH_LOSS ? judgement.loss : (double)judgement.errors;
            *best_rounds = round;
        }
        if (clean)
            break;
    }
    return OK;
}

static Status find_rounds(Run *run, const void *method_options, int order, int64_t *rounds)
{
    double share = (double)run->options->sample / (double)run->dataset->rows;
    double held = run->valid ? 0 : run->options->holdout; /* the samples are taken from what is left */
    uint64_t seed = (uint64_t)run->options->seed;
    Sweep train = {0}, test = {0};
    Status status = clv_sweep_init(&train, run->dataset, order, seed, held, held + share, run->error);

    if (status == OK)
        status = clv_sweep_init(&test, run->dataset, ORDER_FILE, seed, held + share, held + 2 * share, run->error);
    if (status == OK)
        status = try_rounds(run, method_options, &train, &test, rounds);
    clv_sweep_free(&train);
    clv_sweep_free(&test);
    free_fit(run);
    if (status == OK)
        clv_note(run->context, "%lld sweeps were best on a sample of about %lld rows", (long long)*rounds,
                 (long long)run->options->sample);
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static Status open_sweeps(Run *run, int order)
{
    uint64_t seed = (uint64_t)run->options->seed;
    double held = run->valid ? 0 : run->options->holdout;

    TRY(clv_sweep_init(&run->sweep, run->dataset, order, seed, held, 1, run->error));
    TRY(clv_sweep_init(&run->all, run->dataset, ORDER_FILE, seed, held, 1, run->error));
    run->watches = run->valid || held > 0;
    if (!run->watches)
        return OK;
    if (held > 0)
        clv_note(run->context, "%g %% of the rows are held out (seed %llu) to judge each sweep", 100 * held,
                 (unsigned long long)seed);
    return clv_sweep_init(&run->held_out, run->valid ? run->valid : run->dataset, ORDER_FILE, seed, 0,
                          held > 0 ? held : 1, run->error);
}

static Status train(Run *run, const void *method_options, Model **model)
{
    cleave_report *report = &run->report->facts;
    double started = clv_now(), cpu = clv_cpu_now();
    int order;
    Stop stop;

    TRY(check_data(run));
    TRY(check_options(run));
    TRY(clv_choose_order(run->dataset, run->options->order, (uint64_t)run->options->seed, &order, run->report->order,
                         sizeof run->report->order, run->error));
    clv_stop_init(&stop, run->options);
    if (run->options->sample > 0)
        TRY(find_rounds(run, method_options, order, &stop.rounds));
    TRY(open_sweeps(run, order));
    TRY(begin_fit(run, method_options));
    if (run->fit.trace) {
        run->tracing_start = true;
        run->fit.trace(&run->fit, NULL, 0, NULL, true);
        run->tracing_start = false;
    }
    TRY(sweep_until(run, &stop, &report->stopped_by));
    if (run->options->sample > 0) {
        clv_figure(&run->fit, "sample_rounds", (double)stop.rounds);
        if (strcmp(report->stopped_by, "rounds") == 0)
            report->stopped_by = "sample";
    }
    if (report->converged)
        TRY(survey(run));
    if (run->best) {
        *model = run->best;
        run->best = NULL;
        report->valid_n = run->best_judgement.n;
        report->valid_errors = run->best_judgement.errors;
        report->kept_round = run->best_round;
        warn_unseen(run);
    } else {
        TRY(make_model(run, model));
        report->kept_round = report->passes;
    }
    TRY(count_errors(run, *model));
    report->method = run->method->name;
    report->features = run->fit.features;
    report->classes = run->fit.classes;
    report->order = run->report->order;
    report->train_seconds = clv_now() - started;
    report->train_cpu_seconds = clv_cpu_now() - cpu;
    clv_report_finish(run->report, &run->fit);
    return OK;
}

Status clv_train(Context *context, const Method *method, const void *method_options, const RunOptions *options,
                 Dataset *dataset, Dataset *valid, const Tracer *tracer, Model **model, Report **report,
                 cleave_error *error)
{
    Run run = {
        .context = context,
        .method = method,
        .options = options,
        .dataset = dataset,
        .valid = valid,
        .tracer = tracer,
        .error = error,
    };
    Status status;

    *model = NULL;
    *report = NULL;
    TRY(clv_report_new(context, &run.report, error));
    status = train(&run, method_options, model);
    free_fit(&run);
    clv_sweep_free(&run.sweep);
    clv_sweep_free(&run.all);
    clv_sweep_free(&run.held_out);
    cleave_model_free(run.best);
    clv_free(context, run.weights);
    clv_free(context, run.thresholds);
    clv_free(context, run.scores);
    clv_free(context, run.name);
    if (status != OK) {
        cleave_report_free(&run.report->facts);
        return status;
    }
    *report = run.report;
    return OK;
}
