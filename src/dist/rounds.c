#include "dist/rounds.h"

#include "base/hash.h"
#include "base/number.h"
#include "dist/check_sums.h"
#include "dist/updates.h"
#include "train/feed.h"
#include "train/row_order.h"
#include "train/team.h"

#include <math.h>
#include <stdio.h>

#define WEIGHT_ITEM "round_weight" /* item of the model with the total weight of the rows */

static void end_run(Run *run)
{
    clv_run_end(run);
    if (run->report)
        cleave_report_free(&run->report->facts);
}

/* Makes the current model, with the facts about the rows for the next round. */
static Status make_model(Run *run, Model **result)
{
    Model *model;
    Status status;

    run->report->facts.rows = run->problem.rows;
    TRY(clv_run_make_model(run, &model));
    status = clv_bundle_put(model->bundle, WEIGHT_ITEM, BUNDLE_F64, &run->problem.weight_total, 1,
                            run->error);
    if (status != OK) {
        cleave_model_free(model);
        return status;
    }
    *result = model;
    return OK;
}

/* ---- before the first round ------------------------------------------------------------------ */

/* Estimates facts of all rows from the sample. */
static Status weigh(Run *run, uint64_t rows)
{
    Fit *fit = &run->fit;

    TRY(clv_run_weigh(run));
    clv_training_rows_free(&run->training_rows, run->context); /* these rows are only a sample */
    if (rows > 0) {
        run->problem.weight_total *= (double)rows / (double)fit->problem->rows;
        run->problem.rows = rows;
    }
    return OK;
}

static Status prepare(Run *run, Dataset *sample, uint64_t rows)
{
    Fit *fit = &run->fit;
    uint64_t seed = (uint64_t)run->options.seed;
    int order;

    clv_run_bind(run);
    fit->task = run->job.method->tasks == CLEAVE_TASK_REGRESSION ? CLEAVE_TASK_REGRESSION
                : run->labels->count > 2                         ? CLEAVE_TASK_MULTICLASS
                                                                 : CLEAVE_TASK_BINARY;
    TRY(clv_run_check_data(run));
    TRY(clv_run_check_options(run));
    fit->features = sample->features;
    fit->classes = fit->task == CLEAVE_TASK_REGRESSION ? 0 : run->labels->count;
    fit->outputs = outputs_of(fit->classes);
    if (fit->classes)
        TRY(clv_labels_positive(run->labels, run->options.positive, &fit->positive, run->error));
    TRY(clv_choose_order(sample, clv_wanted_order(run->job.method, &run->options, sample), seed,
                         &order, run->report->order, sizeof run->report->order, run->error));
    TRY(clv_traversal_init(&run->traversal, sample, order, seed, 0, 1, run->error));
    TRY(clv_traversal_init(&run->all, sample, ORDER_FILE, seed, 0, 1, run->error));
    TRY(weigh(run, rows));
    TRY(clv_run_choose_options(run));
    return clv_team_check(run->job.method, run->job.method_options, run->error);
}

/* Returns whether the method supports give with these options, by a call. */
static Status try_to_give(const Fit *fit)
{
    Delta delta;
    Status status;

    clv_delta_init(&delta, fit->context);
    status = clv_team_give(fit, fit, &delta);
    clv_delta_free(&delta);
    return status;
}

static Status begin(Run *run, Dataset *sample, uint64_t rows, Model **model)
{
    TRY(prepare(run, sample, rows));
    TRY(clv_run_begin(run));
    if (run->fit.calibration.every > 0)
        return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE,
                             "omit --schedule calibrated, or pass --learning-rate",
                             "several workers do not support the calibrated learning rate");
    TRY(try_to_give(&run->fit));
    if (run->fit.wants_sample)
        TRY(clv_feed_sample(run, &run->traversal));
    return make_model(run, model);
}

Status clv_round_begin(Context *context, const Job *job, Dataset *sample, uint64_t rows,
                       Model **model, cleave_error *error)
{
    Run run = clv_run_new(context, job, &sample->labels, &sample->names, &sample->schema, error);
    Status status = clv_report_new(context, &run.report, error);

    run.dataset = sample;
    THEN(status, begin(&run, sample, rows, model));
    end_run(&run);
    return status;
}

/* ---- the current round ----------------------------------------------------------------------- */

/* Resumes a fit from the model, with at least this number of features, for the rows of the model or
 * of the round. */
static Status resume(Run *run, uint32_t features, uint64_t rows, double weight)
{
    const Model *from = run->job.from;
    Fit *fit = &run->fit;

    clv_run_bind(run);
    fit->task = from->task;
    fit->features = features > from->features ? features : from->features;
    fit->classes = fit->task == CLEAVE_TASK_REGRESSION ? 0 : from->labels.count;
    fit->outputs = outputs_of(fit->classes);
    fit->positive = from->positive;
    run->problem.rows = rows;
    run->problem.weight_total = weight;
    TRY(clv_team_check(run->job.method, run->job.method_options, run->error));
    TRY(clv_run_weigh_classes(run));
    TRY(clv_run_begin(run));
    if (!fit->wants_sample)
        return OK;
    return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE,
                         "create the model with `cleave begin`, or pass --learning-rate to it",
                         "the model has no initial learning rate, which all workers must share");
}

static double weight_of(const Model *model)
{
    double weight;

    return clv_bundle_copy(model->bundle, WEIGHT_ITEM, BUNDLE_F64, &weight, 1) &&
                   isfinite(weight) && weight > 0
               ? weight
               : (double)model->rows;
}

/* Computes a fingerprint that identifies the model from which updates were computed. */
static Status mark_of(const Model *model, uint64_t *mark, cleave_error *error)
{
    Buffer bytes = {0};
    Status status = clv_model_to_bytes(model, &bytes, error);

    if (status == OK)
        *mark = clv_hash(bytes.data, bytes.size, 0);
    clv_free(model->context, bytes.data);
    return status;
}

enum { MOST_RULES = DELTA_PARTS + 1 };

static uint64_t size_of(const DeltaShape *shape, const Model *model)
{
    uint64_t outputs = outputs_of(model->labels.count);
    uint64_t features = model->names.implicit ? MOST_FEATURES : model->features;

    switch (shape->kind) {
    case SHAPE_NUMBERS:
        return shape->numbers;
    case SHAPE_OUTPUTS:
        return outputs;
    case SHAPE_CLASSES:
        return model->labels.count;
    case SHAPE_WEIGHTS:
        return features * outputs;
    default:
        return (features + 1) * outputs;
    }
}

/* Lists the allowed keys of the lines. */
static Status make_rules(const Run *run, UpdateRule rules[MOST_RULES], cleave_error *error)
{
    const DeltaShape *shapes = run->job.method->distributed->shapes;
    size_t count = 0;

    rules[count++] = (UpdateRule){.name = UPDATE_MODEL, .size = UINT64_MAX};
    rules[count++] = (UpdateRule){.name = DELTA_ROUND, .size = ROUND_WEIGHT + 1};
    for (size_t i = 0; shapes && shapes[i].name && count + 2 < MOST_RULES; i++)
        rules[count++] = (UpdateRule){.name = shapes[i].name,
                                      .size = size_of(&shapes[i], run->job.from)};
    rules[count] = (UpdateRule){.name = UPDATE_CHECK, .size = 2 * count};
    rules[++count] = (UpdateRule){.name = NULL};
    return shapes ? OK
                  : clv_fail(error, CLEAVE_ERROR_USAGE, "'%s' cannot apply external updates",
                             run->job.method->name);
}

/* ---- map ------------------------------------------------------------------------------------- */

typedef struct {
    Run run; /* a run whose fit is the initial state of every worker */
    Fit worker;
    Source *source;
    double weight;
    uint32_t numbers; /* regression: number of labels whose numeric value is known */
    size_t number_capacity;
} Map;

static Status refuse_label(const Map *map)
{
    const Run *run = &map->run;
    const Label *label = &map->source->labels.list[run->job.from->labels.count];
    char quoted[QUOTE_SIZE], place[24];

    return clv_fail_hint(
        run->error, CLEAVE_ERROR_DATA,
        "name all classes before the first round: cleave begin ... --known-classes A,B,C",
        "%s%s: the label '%s' is not a class of the model", run->job.name,
        clv_run_place(label->first_line, label->first_file, place),
        clv_quote(quoted, label->text, strlen(label->text)));
}

static Status refuse_unlabeled(const Map *map, const Block *block, uint32_t row)
{
    const Run *run = &map->run;
    const Labels *labels = &map->source->labels;
    const char *expected = strcmp(run->job.from->schema.format, "text") == 0
                               ? ": expected label<TAB>text, the format of the training data"
                               : "";
    char place[24];

    if (labels->first_unlabeled_line && labels->first_unlabeled_file == 0)
        clv_fail(run->error, CLEAVE_ERROR_DATA, "%s%s: the row has no label%s", run->job.name,
                 clv_run_place(labels->first_unlabeled_line, 0, place), expected);
    else
        clv_fail(run->error, CLEAVE_ERROR_DATA, "%s: row %llu has no label%s", run->job.name,
                 (unsigned long long)(block_row_number(block, row) + 1), expected);
    if (*expected)
        return clv_hint(
            run->error, CLEAVE_ERROR_DATA,
            "write each line as label<TAB>text, or use cleave begin ... --skip-unlabeled to ignore "
            "other lines");
    return clv_hint(run->error, CLEAVE_ERROR_DATA,
                    "use cleave begin ... --skip-unlabeled to ignore rows without a label");
}

/* Computes the numeric values of labels that are new since the last block. */
static Status number_labels(Map *map)
{
    const Labels *labels = &map->source->labels;

    if (map->worker.task != CLEAVE_TASK_REGRESSION)
        return OK;
    TRY(GROW(map->run.context, map->run.problem.label_number, map->number_capacity, labels->count,
             map->run.error));
    for (; map->numbers < labels->count; map->numbers++) {
        const Label *label = &labels->list[map->numbers];

        if (isnan(label->number))
            return clv_run_refuse_word(&map->run, label);
        map->run.problem.label_number[map->numbers] = label->number;
    }
    return OK;
}

static Status check_block(Map *map, const Block *block)
{
    const Run *run = &map->run;
    bool regression = map->worker.task == CLEAVE_TASK_REGRESSION;

    if (!regression && block->target_form == TARGETS_NUMBERS)
        return clv_fail(run->error, CLEAVE_ERROR_DATA,
                        "the labels have more than 65,536 distinct numeric values, and '%s' is a "
                        "classification method",
                        run->job.method->name);
    if (!regression && map->source->labels.count > run->job.from->labels.count)
        return refuse_label(map);
    TRY(clv_run_check_values(run, block));
    TRY(number_labels(map));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);

        if (regression ? isnan(fit_target(&map->worker, block, row)) : label == UNLABELED) {
            if (!run->options.skip_unlabeled)
                return refuse_unlabeled(map, block, row);
            continue;
        }
        map->weight += fit_weight(&map->worker, block, row, label);
    }
    return OK;
}

static Status step_over(Map *map)
{
    Run *run = &map->run;

    for (;;) {
        const Block *block;

        TRY(source_next(map->source, &block, run->error));
        if (!block)
            return OK;
        TRY(check_block(map, block));
        TRY(run->job.method->training->step(&map->worker, block));
        clv_progress(run->context, &(cleave_progress){.phase = "map",
                                                      .rows = map->source->rows,
                                                      .bytes = map->source->bytes,
                                                      .bytes_total = map->source->bytes_total});
        if (clv_cancelled(run->context))
            return clv_fail(run->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
}

static Status give(Map *map, Output *output)
{
    const Run *run = &map->run;
    UpdateRule rules[MOST_RULES];
    uint64_t mark;
    Delta delta;
    Status status;

    TRY(make_rules(run, rules, run->error));
    TRY(mark_of(run->job.from, &mark, run->error));
    clv_delta_init(&delta, run->context);
    status = clv_delta_add(&delta, UPDATE_MODEL, mark, 1, run->error);
    THEN(status, clv_team_give(&map->worker, &run->fit, &delta));
    THEN(status, clv_delta_add(&delta, DELTA_ROUND, ROUND_WEIGHT, map->weight, run->error));
    THEN(status, clv_check_sums_add(&delta, rules, run->error));
    THEN(status, clv_updates_write(&delta, output, run->error));
    clv_delta_free(&delta);
    return status;
}

static Status map_rows(Map *map, Output *output, cleave_round *facts)
{
    Run *run = &map->run;

    TRY(resume(run, 0, run->job.from->rows, weight_of(run->job.from)));
    TRY(clv_team_join(&map->worker, &run->fit, run->job.from, run->error));
    if (map->source)
        TRY(step_over(map));
    TRY(give(map, output));
    *facts = (cleave_round){
        .round = (uint32_t)run->job.from->rounds + 1,
        .tasks = 1,
        .rows = map->worker.counters.seen - run->fit.counters.seen,
        .mistakes = map->worker.counters.epoch_mistakes,
        .counts_mistakes = (map->worker.method->behavior & METHOD_COUNTS_MISTAKES),
        .loss = map->worker.counters.epoch_loss};
    return OK;
}

Status clv_round_map(Context *context, const Job *job, Source *source, Output *output,
                     cleave_round *facts, cleave_error *error)
{
    Map map = {.run = clv_run_new(context, job, &job->from->labels, NULL, NULL, error),
               .source = source};
    Status status = map_rows(&map, output, facts);

    clv_team_leave(&map.worker);
    end_run(&map.run);
    return status;
}

/* ---- contributions --------------------------------------------------------------------------- */

/* Writes the numbers of a part as lines: name of the feature, tab, number. */
static Status write_part(const Map *map, const Delta *delta, const char *name, Output *output)
{
    const Run *run = &map->run;
    const Model *model = run->job.from;
    const DeltaPart *part = clv_delta_part(delta, name);
    size_t outputs = map->worker.outputs;
    const MethodInspection *inspection = run->job.method->inspection;
    double scale = inspection && inspection->score_scale ? inspection->score_scale(&map->worker)
                                                         : 1;

    for (size_t i = 0; part && i < part->count; i++) {
        size_t output_number = part->index[i] % outputs;
        uint32_t column = (uint32_t)(part->index[i] / outputs);
        char line[512], buffer[24], number[32];

        snprintf(line, sizeof line, "%s%s%.300s\t%s\n",
                 outputs > 1 ? model->labels.list[output_number].text : "", outputs > 1 ? ":" : "",
                 strcmp(name, "bias") == 0 ? "b" : clv_names_get(&model->names, column, buffer),
                 cleave_number_text(scale * part->value[i], number));
        TRY(clv_output_write(output, line, strlen(line), run->error));
    }
    return OK;
}

/* The update of one row alone. */
static Status write_row(Map *map, const Block *row, Output *output)
{
    Run *run = &map->run;
    Delta delta;
    Status status;

    clv_team_leave(&map->worker);
    map->worker = (Fit){0};
    TRY(clv_team_join(&map->worker, &run->fit, run->job.from, run->error));
    TRY(run->job.method->training->step(&map->worker, row));
    clv_delta_init(&delta, run->context);
    status = clv_team_give(&map->worker, &run->fit, &delta);
    THEN(status, write_part(map, &delta, "w", output));
    THEN(status, write_part(map, &delta, "bias", output));
    clv_delta_free(&delta);
    return status;
}

static Status write_rows(Map *map, Builder *builder, Output *output)
{
    Run *run = &map->run;

    for (;;) {
        const Block *block;

        TRY(source_next(map->source, &block, run->error));
        if (!block)
            return OK;
        TRY(check_block(map, block));
        for (uint32_t row = 0; row < block->rows; row++) {
            Block alone;

            if (block_label(block, row) == UNLABELED)
                continue;
            clv_builder_clear(builder);
            TRY(clv_builder_copy_row(builder, block, row, block_label(block, row), run->error));
            TRY(clv_builder_finish(builder, &alone, run->error));
            TRY(write_row(map, &alone, output));
        }
    }
}

Status clv_round_contributions(Context *context, const Job *job, Source *source, Output *output,
                               cleave_error *error)
{
    Map map = {.run = clv_run_new(context, job, &job->from->labels, NULL, NULL, error),
               .source = source};
    Builder builder;
    Status status = OK;

    clv_builder_init(&builder, context);
    if (job->from->task == CLEAVE_TASK_REGRESSION ||
        !method_sums_exactly(job->method, job->method_options))
        status = clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                               "begin the round with 'cleave begin perceptron DATA --update sum'",
                               "the rows of '%s' with these options contribute no separate updates",
                               job->method->name);
    THEN(status, resume(&map.run, 0, job->from->rows, weight_of(job->from)));
    THEN(status, clv_team_join(&map.worker, &map.run.fit, job->from, error));
    if (status == OK && source)
        status = write_rows(&map, &builder, output);
    clv_builder_free(&builder);
    clv_team_leave(&map.worker);
    end_run(&map.run);
    return status;
}

/* ---- apply ----------------------------------------------------------------------------------- */

/* The number of features in the sums. */
static uint32_t features_of(const Method *method, const Delta *sum, size_t outputs)
{
    uint64_t most = 0;

    for (const DeltaShape *shape = method->distributed->shapes; shape->name; shape++) {
        uint64_t size = clv_delta_size(sum, shape->name), features;

        if (shape->kind != SHAPE_WEIGHTS && shape->kind != SHAPE_BOTH)
            continue;
        features = (size + outputs - 1) / outputs;
        if (shape->kind == SHAPE_BOTH && features > 0)
            features--;
        most = features > most ? features : most;
    }
    return (uint32_t)most;
}

/* Fails unless the updates belong to this model, and not to an earlier one. This also prevents
 * applying them twice. */
static Status check_mark(const Run *run, const Delta *sum)
{
    const DeltaPart *marks = clv_delta_part(sum, UPDATE_MODEL);
    uint64_t mark;

    TRY(mark_of(run->job.from, &mark, run->error));
    if (!marks || marks->count == 0)
        return clv_fail_hint(run->error, CLEAVE_ERROR_DATA,
                             "pass the complete output of every reducer",
                             "the sums are incomplete: the fingerprint of the model is missing");
    if (marks->count > 1 || marks->index[0] != mark)
        return clv_fail_hint(
            run->error, CLEAVE_ERROR_DATA,
            "use the same model for all map tasks and `cleave apply`; apply each update only once",
            "the updates were computed with %s, not with this model of round %llu",
            marks->count > 1 ? "several models" : "another model",
            (unsigned long long)run->job.from->rounds);
    return OK;
}

static bool is_count(double value)
{
    const double most = 9007199254740992.0;

    return value >= 0 && value <= most && value == floor(value);
}

/* Checks that counts are integers, so that casts are safe, and that the loss is not negative. */
static Status check_counts(const Run *run, const Delta *sum)
{
    const DeltaPart *marks = clv_delta_part(sum, UPDATE_MODEL);
    double rows = clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS);
    double loss = clv_delta_number(sum, DELTA_ROUND, ROUND_LOSS);

    if (!is_count(marks->value[0]) || !is_count(rows) ||
        !is_count(clv_delta_number(sum, DELTA_ROUND, ROUND_MISTAKES)) ||
        clv_delta_number(sum, DELTA_ROUND, ROUND_WEIGHT) < 0)
        return clv_fail(
            run->error, CLEAVE_ERROR_DATA,
            "round/ or model/ has an invalid count of tasks, rows, mistakes or weights");
    if (!isfinite(loss) || loss < 0)
        return clv_fail(run->error, CLEAVE_ERROR_DATA,
                        "round/%d: the loss is %g; it must be at least 0", ROUND_LOSS, loss);
    if (rows > 0 && clv_delta_number(sum, DELTA_ROUND, ROUND_WEIGHT) > 0)
        return OK;
    return clv_fail_hint(
        run->error, CLEAVE_ERROR_DATA,
        "check that `cleave map` reads the data and that all of its output is reduced",
        "the round has no rows with a weight above 0");
}

static void warn_of_rows(const Run *run, uint64_t rows)
{
    uint64_t before = run->job.from->rows;
    double ratio = before ? (double)rows / (double)before : 1;

    if (rows == before)
        return;
    if (run->job.from->rounds > 0)
        clv_warn(run->context, "check for missing or duplicate parts of the data",
                 "this round has %llu rows, the previous round %llu", (unsigned long long)rows,
                 (unsigned long long)before);
    else if ((ratio > 1.1 || ratio < 0.9) && clv_param_find(run->job.method->params, "C"))
        clv_warn(run->context, "pass --rows, or --lambda instead of --C, to `cleave begin`",
                 "the model was created for %llu rows, and the round has %llu",
                 (unsigned long long)before, (unsigned long long)rows);
}

static Status take(Run *run, const Delta *sum, const UpdateRule *rules, Model **next,
                   cleave_round *facts)
{
    Fit *fit = &run->fit;
    uint64_t tasks, rows;
    bool clean = false;

    TRY(check_mark(run, sum));
    TRY(check_counts(run, sum));
    TRY(clv_check_sums_test(sum, rules, run->error));
    tasks = (uint64_t)clv_delta_part(sum, UPDATE_MODEL)->value[0];
    rows = (uint64_t)clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS);
    warn_of_rows(run, rows);
    TRY(resume(run, features_of(run->job.method, sum, outputs_of(run->job.from->labels.count)),
               rows, clv_delta_number(sum, DELTA_ROUND, ROUND_WEIGHT)));
    TRY(clv_team_take(fit, sum, &clean));
    fit->counters.epoch++;
    fit->result.converged = clean && !fit->result.plateau && !fit->result.complete;
    TRY(make_model(run, next));
    *facts = (cleave_round){.round = fit->counters.epoch,
                            .tasks = tasks,
                            .rows = rows,
                            .mistakes = fit->counters.epoch_mistakes,
                            .counts_mistakes = (fit->method->behavior & METHOD_COUNTS_MISTAKES),
                            .loss = fit->counters.epoch_loss,
                            .converged = fit->result.converged,
                            .finished = clean,
                            .features = fit->features};
    snprintf(facts->summary, sizeof facts->summary, "%s", fit->result.summary);
    return OK;
}

static Status apply(Run *run, const char *const *paths, size_t count, Model **next,
                    cleave_round *facts)
{
    UpdateRule rules[MOST_RULES];
    Delta sum;
    Status status;

    TRY(clv_report_new(run->context, &run->report, run->error));
    TRY(clv_team_check(run->job.method, run->job.method_options, run->error));
    TRY(make_rules(run, rules, run->error));
    clv_delta_init(&sum, run->context);
    status = clv_updates_read(run->context, paths, count, rules, &sum, run->error);
    THEN(status, take(run, &sum, rules, next, facts));
    clv_delta_free(&sum);
    return status;
}

Status clv_round_apply(Context *context, const Job *job, const char *const *paths, size_t count,
                       Model **next, cleave_round *facts, cleave_error *error)
{
    Run run = clv_run_new(context, job, &job->from->labels, NULL, NULL, error);
    Status status = apply(&run, paths, count, next, facts);

    end_run(&run);
    return status;
}
