/* The stream driver: each row is used once, when it is read, and not stored. A method needs the
 * number of classes before its first step. The first rows are therefore held back until two classes
 * have occurred, and then for some more rows, in case of a third class. */
#include "train/feed.h"

#include <math.h>
#include <stdio.h>

enum {
    LEAST_HELD_ROWS = 4096,
    MOST_HELD_BYTES = 16 << 20,
    LONG_RUN = 10000, /* number of consecutive rows with the same label that causes a warning */
};

typedef struct {
    Run run;
    Source *source;
    Dataset *held; /* the first rows, until the method begins */
    bool ended;    /* the source is exhausted, or reading was interrupted */
    bool interrupted;
    uint32_t last_label;
    uint64_t run_length, longest_run;
    uint32_t numbers; /* regression: number of labels whose numeric value is known */
    size_t number_capacity;
} Stream;

/* Returns the next rows; NULL at the end or after an interruption. */
static Status next_block(Stream *stream, const Block **block)
{
    Run *run = &stream->run;
    Status status = source_next(stream->source, block, run->error);

    if (status == CLEAVE_ERROR_CANCELLED) {
        stream->interrupted = true;
        *block = NULL;
        status = OK;
    }
    if (status == OK && !*block)
        stream->ended = true;
    return status;
}

/* ---- the first rows -------------------------------------------------------------------------- */

static Status refuse_single(Stream *stream)
{
    char quoted[QUOTE_SIZE];
    const Labels *labels = &stream->source->labels;
    cleave_error *error = stream->run.error;

    if (stream->held->rows == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the training set is empty");
    if (labels->count == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: the first %llu examples have no label",
                        stream->run.job.name, (unsigned long long)stream->held->rows);
    clv_fail(error, CLEAVE_ERROR_DATA,
             "%s: %s %llu examples have the label '%s'; training needs two classes",
             stream->run.job.name, stream->ended ? "all" : "the first",
             (unsigned long long)stream->held->rows,
             clv_quote(quoted, labels->list[0].text, strlen(labels->list[0].text)));
    return stream->ended ? clv_hint(error, CLEAVE_ERROR_DATA, "add examples of another class")
                         : clv_hint(error, CLEAVE_ERROR_DATA, "shuffle the rows, or omit --stream");
}

static Status hold_back(Stream *stream)
{
    Run *run = &stream->run;
    bool classes = run->fit.task != CLEAVE_TASK_REGRESSION;
    size_t bytes = 0;

    while (
        !stream->ended && bytes < MOST_HELD_BYTES &&
        (stream->held->rows < LEAST_HELD_ROWS || (classes && stream->source->labels.count < 2))) {
        const Block *block;

        TRY(next_block(stream, &block));
        if (!block)
            break;
        TRY(clv_dataset_add(stream->held, block, run->error));
        bytes += stream->held->block[stream->held->blocks - 1].size;
    }
    if (stream->held->rows > 0 && (!classes || stream->source->labels.count >= 2))
        return OK;
    return stream->interrupted ? clv_fail(run->error, CLEAVE_ERROR_CANCELLED, "interrupted")
                               : refuse_single(stream);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool has_target(const Block *block, uint32_t row)
{
    return block->target_form == TARGETS_NUMBERS ? !isnan(((const double *)block->target)[row])
                                                 : block_label(block, row) != UNLABELED;
}

static Status refuse_unlabeled(Stream *stream, const Block *block, uint32_t row)
{
    const Run *run = &stream->run;
    const Labels *labels = &stream->source->labels;
    char place[24];

    if (labels->first_unlabeled_line && labels->first_unlabeled_file == 0)
        clv_fail(run->error, CLEAVE_ERROR_DATA, "%s%s: the row has no label", run->job.name,
                 clv_run_place(labels->first_unlabeled_line, 0, place));
    else
        clv_fail(run->error, CLEAVE_ERROR_DATA, "%s: row %llu has no label", run->job.name,
                 (unsigned long long)(block_row_number(block, row) + 1));
    return clv_hint(run->error, CLEAVE_ERROR_DATA,
                    "use --skip-unlabeled to ignore rows without a label");
}

static Status check_block(Stream *stream, const Block *block)
{
    Run *run = &stream->run;
    bool regression = run->fit.task == CLEAVE_TASK_REGRESSION;

    if (!regression && block->target_form == TARGETS_NUMBERS)
        return clv_fail(run->error, CLEAVE_ERROR_DATA,
                        "the labels have more than 65,536 distinct numeric values, and '%s' is a "
                        "classification method",
                        run->job.method->name);
    TRY(clv_run_check_from(run));
    if (!regression && stream->source->labels.count > run->fit.classes) {
        const Label *label = &stream->source->labels.list[run->fit.classes];
        char quoted[QUOTE_SIZE], place[24];

        return clv_fail_hint(run->error, CLEAVE_ERROR_DATA,
                             "shuffle the rows so that every class occurs early, or omit --stream",
                             "%s%s: the class '%s' appears for the first time after training began",
                             run->job.name,
                             clv_run_place(label->first_line, label->first_file, place),
                             clv_quote(quoted, label->text, strlen(label->text)));
    }
    TRY(clv_run_check_values(run, block));
    for (uint32_t row = 0; row < block->rows && !run->options.skip_unlabeled; row++)
        if (!has_target(block, row))
            return refuse_unlabeled(stream, block, row);
    return OK;
}

/* Computes the numeric values of labels that are new since the last block. */
static Status number_labels(Stream *stream)
{
    Run *run = &stream->run;
    const Labels *labels = &stream->source->labels;

    if (run->fit.task != CLEAVE_TASK_REGRESSION)
        return OK;
    TRY(GROW(run->context, run->problem.label_number, stream->number_capacity, labels->count,
             run->error));
    for (; stream->numbers < labels->count; stream->numbers++) {
        const Label *label = &labels->list[stream->numbers];

        if (isnan(label->number))
            return clv_run_refuse_word(run, label);
        run->problem.label_number[stream->numbers] = label->number;
    }
    return OK;
}

static void mark_interrupted(Run *run)
{
    run->stopped_by = "interrupt";
    run->report->facts.cancelled = true;
}

static Status learn(Stream *stream, const Block *block)
{
    Run *run = &stream->run;
    Source *source = stream->source;

    TRY(check_block(stream, block));
    TRY(number_labels(stream));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);

        stream->run_length = label == stream->last_label ? stream->run_length + 1 : 1;
        stream->last_label = label;
        if (stream->run_length > stream->longest_run)
            stream->longest_run = stream->run_length;
    }
    if (!run->job.from)
        TRY(clv_run_record_rows(run, block));
    for (uint32_t row = 0; row < block->rows; row++)
        clv_run_see_target(run, block, row);
    TRY(clv_feed(run, block));
    clv_progress(run->context, &(cleave_progress){.phase = "train",
                                                  .rows = source->rows,
                                                  .rows_total = source->rows_total,
                                                  .bytes = source->bytes,
                                                  .bytes_total = source->bytes_total,
                                                  .mistakes = fit_epoch_mistakes(&run->fit)});
    if (clv_cancelled(run->context))
        mark_interrupted(run);
    return OK;
}

static Status learn_all(Stream *stream)
{
    Run *run = &stream->run;

    for (uint32_t i = 0; i < stream->held->blocks && !run->stopped_by; i++) {
        Block block;

        TRY(clv_dataset_block(stream->held, i, &block, run->error));
        TRY(learn(stream, &block));
    }
    clv_dataset_free(stream->held);
    stream->held = NULL;
    while (!stream->ended && !run->stopped_by) {
        const Block *block;

        TRY(next_block(stream, &block));
        if (!block)
            break;
        TRY(learn(stream, block));
    }
    if (stream->interrupted)
        mark_interrupted(run);
    return OK;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static Status prepare(Stream *stream)
{
    Run *run = &stream->run;
    Fit *fit = &run->fit;

    clv_run_bind(run);
    fit->task = run->job.method->tasks == CLEAVE_TASK_REGRESSION ? CLEAVE_TASK_REGRESSION
                                                                 : CLEAVE_TASK_BINARY;
    if (run->options.class_weight && strcmp(run->options.class_weight, "balanced") == 0)
        return clv_fail_hint(
            run->error, CLEAVE_ERROR_USAGE, "set a weight for each class, e.g. spam=2,ham=1",
            "--class-weight balanced and --stream cannot be combined: class counts are not "
            "known in "
            "advance");
    if (run->options.calibrate)
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "--calibrate and --stream cannot be combined: --stream holds out no rows");
    TRY(clv_dataset_new(run->context, &stream->held, run->error));
    TRY(hold_back(stream));
    fit->features = stream->source->features;
    if (run->job.from && run->job.from->features > fit->features)
        fit->features = run->job.from->features;
    TRY(clv_run_check_from(run));
    fit->classes = fit->task == CLEAVE_TASK_REGRESSION ? 0
                   : run->job.from                     ? run->job.from->labels.count
                                                       : run->labels->count;
    fit->outputs = outputs_of(fit->classes);
    if (fit->outputs > 1)
        fit->task = CLEAVE_TASK_MULTICLASS;
    if (run->job.from) {
        fit->positive = run->job.from->positive;
        run->problem.rows_before = run->job.from->rows;
    } else if (fit->classes) {
        TRY(clv_labels_positive(run->labels, run->options.positive, &fit->positive, run->error));
    }
    TRY(clv_run_weigh_classes(run));
    TRY(clv_run_choose_options(run));
    if (!method_needs_fit(run->job.method, run->job.method_options))
        return OK;
    return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                    "--stream: '%s' with these options needs all rows in memory",
                    run->job.method->name);
}

static Status train(Stream *stream, Model **model)
{
    Run *run = &stream->run;
    bool clean = false;

    TRY(prepare(stream));
    clv_set_epoch_limit(&run->options, method_epoch_kind(run->job.method, run->job.method_options),
                        1);
    TRY(clv_run_begin(run));
    run->epoch_started = clv_now();
    TRY(learn_all(stream));
    TRY(clv_feed_end(run));
    TRY(run->job.method->training->end_epoch(&run->fit, &clean));
    run->fit.counters.mistakes = run->fit.counters.epoch_mistakes;
    run->fit.counters.epoch++;
    TRY(clv_report_round(run->report, clv_now() - run->epoch_started,
                         run->fit.counters.epoch_mistakes, run->fit.counters.epoch_loss,
                         run->error));
    run->report->facts.rows = run->fit.counters.seen - (run->job.from ? run->job.from->seen : 0);
    run->report->facts.kept_epoch = 1;
    run->report->facts.train_errors = UINT64_MAX;
    if (!run->stopped_by)
        run->stopped_by = "stream";
    if (stream->longest_run >= LONG_RUN && 2 * stream->longest_run > stream->source->rows / 10)
        clv_warn(run->context,
                 "shuffle the rows, or omit --stream: one pass in label order biases the model "
                 "toward the last rows",
                 "%llu consecutive rows have the same label",
                 (unsigned long long)stream->longest_run);
    snprintf(run->report->order, sizeof run->report->order, "input order");
    run->fit.last = true;
    TRY(clv_run_make_model(run, model));
    clv_run_tell(run);
    return OK;
}

Status clv_train_stream(Context *context, const Job *job, Source *source, Model **model,
                        Report **report, cleave_error *error)
{
    double started = clv_now(), cpu = clv_cpu_now();
    Stream stream = {
        .run = clv_run_new(context, job, &source->labels, &source->names, &source->schema, error),
        .source = source,
        .last_label = UNLABELED,
    };
    Status status;

    *model = NULL;
    *report = NULL;
    TRY(clv_report_new(context, &stream.run.report, error));
    status = train(&stream, model);
    clv_run_end(&stream.run);
    clv_dataset_free(stream.held);
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
        cleave_report_free(&stream.run.report->facts);
        return status;
    }
    stream.run.report->facts.train_seconds = clv_now() - started;
    stream.run.report->facts.train_cpu_seconds = clv_cpu_now() - cpu;
    *report = stream.run.report;
    return OK;
}
