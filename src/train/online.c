/* Online learning, one row at a time: new classes, rows held back until two classes occur,
 * models. */
#include "pipeline/pipeline.h"
#include "train/online_parts.h"

#include <math.h>
#include <stdio.h>

/* Number of features below which a single row with gaps keeps them. */
#define SAFE_FILLERS (1000u * FILLER_GAP)

/* ---- one row --------------------------------------------------------------------------------- */

/* Entries of one row as a separate block. The storage form of a row in a block, and with it the
 * order of summation, depends on adjacent rows (data/builder.c). Here every row has the form of a
 * block of one row. */
static Status view_entries(Online *online, const Block *block, uint32_t row, Block *view)
{
    cleave_error *error = online->run.error;

    if (block->form == ROWS_GAPS && block->value_form == VALUES_EACH &&
        (!block->has_fillers || block->features <= SAFE_FILLERS)) {
        uint32_t start = block_start(block, row);

        *view = *block;
        online->row_end = block->end[row] - start;
        view->end = &online->row_end;
        view->gap = block->gap + start;
        view->value = block->value + start;
        if (block->features > online->run.fit.features) {
            view->features = 0;
            for (uint32_t i = 0; i < online->row_end; i++)
                view->features += view->gap[i];
        }
        return OK;
    }
    clv_builder_clear(&online->row);
    clv_builder_begin_row(&online->row);
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        TRY(clv_builder_add(&online->row, walk.column, walk.value, error));
    TRY(clv_builder_end_row(&online->row, UNLABELED, error));
    TRY(clv_builder_finish(&online->row, view, error));
    if (block->form == ROWS_DENSE && block->features > view->features)
        view->features = block->features;
    return OK;
}

static Status view_row(Online *online, const Block *block, uint32_t row, Block *view)
{
    TRY(view_entries(online, block, row, view));
    view->rows = 1;
    view->first_row = block_row_number(block, row);
    view->row_number = NULL;
    view->target_form = block->target_form;
    view->label_bytes = block->label_bytes;
    view->target = NULL;
    if (block->target_form == TARGETS_LABELS)
        view->target = (const char *)block->target + (size_t)row * block->label_bytes;
    else if (block->target_form == TARGETS_NUMBERS)
        view->target = (const double *)block->target + row;
    view->weight = block->weight ? block->weight + row : NULL;
    view->qid = NULL;
    view->name_end = NULL;
    view->name = NULL;
    view->line = NULL;
    view->first_line = block_line(block, row);
    view->file = block->file;
    return OK;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Computes the numeric values of labels that are new since the last block. */
static Status number_labels(Online *online)
{
    Run *run = &online->run;

    if (!online->regression)
        return OK;
    TRY(GROW(run->context, run->problem.label_number, online->number_capacity,
             (size_t)run->labels->count + 1, run->error));
    for (; online->numbers < run->labels->count; online->numbers++)
        run->problem.label_number[online->numbers] = run->labels->list[online->numbers].number;
    return OK;
}

Status clv_online_see_class(Online *online, uint32_t label)
{
    if (label < online->seen)
        return OK;
    TRY(GROW(online->run.context, online->count, online->count_capacity, (size_t)label + 1,
             online->run.error));
    for (; online->seen <= label; online->seen++)
        online->count[online->seen] = 0;
    return OK;
}

/* The positive class of the classes seen so far, by the rule of clv_labels_positive. */
static uint32_t positive_class(const Online *online)
{
    const Labels *labels = online->run.labels;
    const char *wanted = online->options.positive;

    if (wanted)
        return clv_labels_find(labels, wanted, strlen(wanted));
    if (online->seen < 2)
        return 0;
    return online->seen == 2 ? clv_labels_larger(labels) : 1;
}

static Status weigh_classes(Run *run)
{
    clv_free(run->context, run->problem.class_weight);
    run->problem.class_weight = NULL;
    return clv_run_weigh_classes(run);
}

static Status refuse_new_class(const Online *online, uint32_t number)
{
    const Run *run = &online->run;
    const Label *label = &run->labels->list[number];
    char quoted[QUOTE_SIZE], place[24];

    return clv_fail_hint(
        run->error, CLEAVE_ERROR_DATA, "name every class in advance, e.g. --known-classes spam,ham",
        "%s%s: the class '%s' is new, and '%s' cannot add classes after training has started",
        run->job.name, clv_run_place(label->first_line, label->first_file, place),
        clv_quote(quoted, label->text, strlen(label->text)), run->job.method->name);
}

Status clv_online_widen(Online *online, uint32_t label)
{
    Run *run = &online->run;

    TRY(clv_online_see_class(online, label));
    if (!METHOD_HAS(run->job.method, online, widen) ||
        !(run->job.method->tasks & CLEAVE_TASK_MULTICLASS || label < 2))
        return refuse_new_class(online, label);
    TRY(weigh_classes(run));
    return run->job.method->online->widen(&run->fit, label + 1, run->fit.positive);
}

/* ---- the method ------------------------------------------------------------------------------ */

Status clv_online_check_method(const Online *online)
{
    const Run *run = &online->run;

    if (!METHOD_HAS(run->job.method, online, score) || !run->job.method->training->step)
        return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE,
                             "'cleave stream --help' lists the methods that learn online",
                             "'%s' needs all rows in memory and cannot learn online",
                             run->job.method->name);
    if (method_needs_fit(run->job.method, run->job.method_options))
        return clv_fail_hint(
            run->error, CLEAVE_ERROR_USAGE, "use --solver sgd",
            "'%s' with these options needs all rows in memory and cannot learn online",
            run->job.method->name);
    if (method_sums_exactly(run->job.method, run->job.method_options))
        return clv_fail_hint(
            run->error, CLEAVE_ERROR_USAGE, "choose options that update after each row",
            "'%s' with these options updates at the end of an epoch and cannot learn online",
            run->job.method->name);
    if (online->options.forget > 0 && !METHOD_HAS(run->job.method, online, forget)) {
        clv_fail(run->error, CLEAVE_ERROR_USAGE, "--forget: '%s' does not support it",
                 run->job.method->name);
        return clv_param_find(run->job.method->params, "max-points")
                   ? clv_hint(run->error, CLEAVE_ERROR_USAGE,
                              "use --max-points N to keep only the newest N rows")
                   : CLEAVE_ERROR_USAGE;
    }
    return OK;
}

Status clv_online_begin(Online *online, const Model *from)
{
    Run *run = &online->run;
    Fit *fit = &run->fit;

    clv_run_bind(run);
    fit->classes = online->regression ? 0 : online->seen;
    fit->outputs = outputs_of(fit->classes);
    fit->task = online->regression ? CLEAVE_TASK_REGRESSION
                : fit->outputs > 1 ? CLEAVE_TASK_MULTICLASS
                                   : CLEAVE_TASK_BINARY;
    /* a model of a stream contains the options of the stream */
    run->problem.rows_before = from && !online->resumed ? from->rows : 0;
    fit->positive = from ? from->positive : online->regression ? 0 : positive_class(online);
    TRY(weigh_classes(run));
    TRY(clv_run_choose_options(run));
    TRY(clv_online_check_method(online));
    run->job.from = from;
    TRY(clv_run_begin(run));
    run->job.from = NULL;
    if (fit->calibration.every > 0) {
        clv_fail(run->error, CLEAVE_ERROR_USAGE,
                 "online learning does not support the calibrated learning rate");
        return clv_hint(run->error, CLEAVE_ERROR_USAGE,
                        "choose another --schedule; run 'cleave stream %s --help' for the list",
                        run->job.method->name);
    }
    return OK;
}

static void end(Online *online)
{
    Run *run = &online->run;
    Fit fresh = {.problem = &run->problem, .features = run->fit.features};

    if (run->fit.state)
        run->job.method->training->free(&run->fit);
    clv_free(run->context, run->fit.state);
    run->fit = fresh;
}

static Status learn(Online *online, const Block *view)
{
    Run *run = &online->run;
    Fit *fit = &run->fit;
    uint32_t label = block_label(view, 0);

    if (!online->regression && label >= fit->classes)
        TRY(clv_online_widen(online, label));
    if (online->options.forget > 0)
        TRY(run->job.method->online->forget(fit, 1 - online->options.forget));
    for (uint32_t row = 0; row < view->rows; row++)
        clv_run_see_target(run, view, row);
    return run->job.method->training->step(fit, view);
}

/* ---- held-back rows -------------------------------------------------------------------------- */

static Status learn_held(Online *online)
{
    Run *run = &online->run;
    Fit *fit = &run->fit;
    Block held, view;

    TRY(clv_builder_finish(&online->held, &held, run->error));
    if (fit->wants_sample && held.rows > 0)
        TRY(run->job.method->training->sample(fit, &held));
    fit->wants_sample = false;
    for (uint32_t row = 0; row < held.rows; row++) {
        TRY(view_row(online, &held, row, &view));
        TRY(learn(online, &view));
    }
    return OK;
}

/* Decides whether to train on the held-back rows, after one more was added. */
static Status settle(Online *online)
{
    bool full = online->held.rows >= HELD_ROWS;

    if (!full && !online->regression && online->seen < 2)
        return OK;
    if (!online->begun || online->run.fit.classes != (online->regression ? 0 : online->seen)) {
        end(online);
        TRY(clv_online_begin(online, NULL));
    }
    online->begun = true;
    if (online->run.fit.wants_sample && !full)
        return OK;
    online->learning = true;
    TRY(learn_held(online));
    clv_builder_clear(&online->held);
    return OK;
}

static Status hold(Online *online, const Block *view)
{
    Run *run = &online->run;
    uint32_t label = online->regression ? UNLABELED : block_label(view, 0);

    TRY(clv_builder_copy_row(&online->held, view, 0, label, run->error));
    if (online->regression)
        TRY(clv_builder_set_number(&online->held, fit_target(&run->fit, view, 0), run->error));
    if (view->features > run->fit.features)
        run->fit.features = view->features;
    if (online->regression) {
        online->target_sum += fit_target(&run->fit, view, 0);
    } else {
        TRY(clv_online_see_class(online, label));
        online->count[label]++;
    }
    return settle(online);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status check_target(const Online *online, const Block *view)
{
    const Run *run = &online->run;
    uint32_t label = block_label(view, 0);

    if (!online->regression && view->target_form == TARGETS_NUMBERS)
        return clv_fail(run->error, CLEAVE_ERROR_DATA,
                        "the labels have more than 65,536 distinct numeric values, and '%s' is a "
                        "classification method",
                        run->job.method->name);
    if (online->regression && label != UNLABELED && isnan(run->labels->list[label].number))
        return clv_run_refuse_word(run, &run->labels->list[label]);
    return clv_run_check_values(run, view);
}

static bool has_target(const Block *view)
{
    return view->target_form == TARGETS_NUMBERS ? !isnan(*(const double *)view->target)
                                                : block_label(view, 0) != UNLABELED;
}

/* Keeps a row for its label: by its name, or its number in the input. */
static Status keep_unlabeled(Online *online, const Block *block, uint32_t row, const Block *view,
                             const cleave_prediction *prediction)
{
    uint32_t predicted = prediction->label_number == SIZE_MAX ? UNLABELED
                                                              : (uint32_t)prediction->label_number;
    char number[24];

    if (block->name_end) {
        uint32_t start = row ? block->name_end[row - 1] : 0;

        return clv_late_keep(&online->late, view, block->name + start, block->name_end[row] - start,
                             predicted, online->run.error);
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long)online->rows);
    return clv_late_keep(&online->late, view, number, strlen(number), predicted, online->run.error);
}

static Status take(Online *online, const Block *block, uint32_t row, cleave_prediction *prediction)
{
    Block view;

    TRY(view_row(online, block, row, &view));
    TRY(check_target(online, &view));
    TRY(clv_online_predict(online, &view, prediction));
    online->rows++;
    if (online->watch.prediction) {
        clv_online_spell(online, prediction);
        TRY(online->watch.prediction(online->watch.user, prediction, online->run.error));
    }
    if (!has_target(&view)) {
        online->unlabeled++;
        return online->late.path ? keep_unlabeled(online, block, row, &view, prediction) : OK;
    }
    clv_online_evaluate(online, online->regression ? UNLABELED : block_label(&view, 0), prediction);
    TRY(online->learning ? learn(online, &view) : hold(online, &view));
    clv_online_report(online);
    return OK;
}

/* A row whose label has arrived: its earlier prediction is evaluated, then it is learned from. */
static Status take_late_row(void *user, LateRow *row, const char *text, size_t length)
{
    Online *online = user;
    cleave_error *error = online->run.error;
    uint32_t label = clv_labels_find(online->run.labels, text, length);
    cleave_prediction prediction = {.correct = label == row->predicted};
    char quoted[QUOTE_SIZE];
    Block alone, view;
    Builder builder;
    Status status = OK;

    if (label == UNLABELED)
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA, "name every class in advance, e.g. --known-classes spam,ham",
            "%s:%llu: the class '%s' is new", online->late.path,
            (unsigned long long)online->late.line, clv_quote(quoted, text, length));
    clv_builder_init(&builder, online->run.context);
    clv_builder_begin_row(&builder);
    for (size_t i = row->start; i < row->start + row->entries && status == OK; i++)
        status = clv_builder_add(&builder, online->late.column[i], online->late.value[i], error);
    THEN(status, clv_builder_end_row(&builder, label, error));
    THEN(status, clv_builder_finish(&builder, &alone, error));
    THEN(status, view_row(online, &alone, 0, &view));
    if (status == OK) {
        online->unlabeled--;
        clv_online_evaluate(online, label, &prediction);
        status = online->learning ? learn(online, &view) : hold(online, &view);
        clv_online_report(online);
    }
    clv_builder_free(&builder);
    return status;
}

Status clv_online_take_late(Online *online, bool ended, cleave_error *error)
{
    if (!online->late.path || !online->run.labels)
        return OK;
    clv_online_hand_error(online, error);
    TRY(clv_late_read(&online->late, ended, take_late_row, online, error));
    if (ended && online->late.unknown)
        clv_note(online->run.context, "%s: %llu labels name no row without a label",
                 online->late.path, (unsigned long long)online->late.unknown);
    return OK;
}

void clv_online_hand_error(Online *online, cleave_error *error)
{
    online->run.error = online->run.fit.error = error;
}

Status clv_online_take(Online *online, const Block *block, cleave_error *error)
{
    cleave_prediction prediction;

    clv_online_hand_error(online, error);
    TRY(number_labels(online));
    for (uint32_t row = 0; row < block->rows; row++)
        TRY(take(online, block, row, &prediction));
    return OK;
}

Status clv_online_take_row(Online *online, const Block *block, cleave_prediction *prediction,
                           cleave_error *error)
{
    clv_online_hand_error(online, error);
    TRY(number_labels(online));
    TRY(take(online, block, 0, prediction));
    clv_online_spell(online, prediction);
    return OK;
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* Makes a model of the held-back rows, from a temporary state. */
static Status try_model(Online *online, Model **model)
{
    Run *run = &online->run;
    Fit kept = run->fit;
    Status status;

    run->fit = (Fit){.problem = &run->problem, .features = kept.features};
    status = clv_online_begin(online, NULL);
    THEN(status, learn_held(online));
    if (status == OK) {
        run->report->facts.rows = online->rows_before + online->windows.examples;
        status = clv_run_make_model(run, model);
    }
    run->job.from = NULL;
    end(online);
    run->fit = kept;
    return status;
}

static Status make_model(Online *online, Model **model)
{
    if (!online->learning)
        return try_model(online, model);
    online->run.report->facts.rows = online->rows_before + online->windows.examples;
    return clv_run_make_model(&online->run, model);
}

/* Copies the pipeline of the model, because the pipeline of the stream continues to learn. */
static Status copy_pipeline(Model *model, cleave_error *error)
{
    Pipeline *copy;

    if (!model->pipeline || !clv_pipeline_observes(model->pipeline))
        return OK;
    TRY(clv_pipeline_copy(model->pipeline, model->features, &copy, error));
    clv_pipeline_release(model->pipeline);
    model->pipeline = copy;
    return OK;
}

Status clv_online_model(Online *online, const LivePlace *place, uint64_t mark, Model **model,
                        cleave_error *error)
{
    Status status;

    *model = NULL;
    clv_online_hand_error(online, error);
    if (!online->run.labels || online->windows.examples == 0)
        return OK;
    TRY(make_model(online, model));
    status = copy_pipeline(*model, error);
    THEN(status, clv_online_save_counts(online, place, mark, (*model)->bundle, error));
    if (status == OK && !online->learning)
        status = clv_online_save_held(online, (*model)->bundle, error);
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
    }
    return status;
}
