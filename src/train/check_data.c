/* Checks that the data suits the method, and prepares targets, weights and the number of rows
 * before the first row. */
#include "base/number.h"
#include "model/registry.h"
#include "train/run.h"

#include <math.h>
#include <stdio.h>

/* ---- labels ---------------------------------------------------------------------------------- */

const char *clv_run_place(uint64_t line, uint32_t file, char buffer[24])
{
    buffer[0] = '\0';
    if (line && file == 0)
        snprintf(buffer, 24, ":%llu", (unsigned long long)line);
    return buffer;
}

typedef struct {
    uint64_t count, first; /* number of rows without a label; number of the first one, from 1 */
} UnlabeledRows;

static Status count_unlabeled_in(void *user, const Block *block, cleave_error *error)
{
    UnlabeledRows *found = user;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        if (block->target_form == TARGETS_NUMBERS ? !isnan(((const double *)block->target)[row])
                                                  : block_label(block, row) != UNLABELED)
            continue;
        if (found->count++ == 0)
            found->first = block->first_row + row + 1;
    }
    return OK;
}

Status clv_refuse_unlabeled(Dataset *dataset, const char *name, cleave_error *error)
{
    const Labels *labels = &dataset->labels;
    UnlabeledRows found = {0};
    char place[24], others[64] = "";

    TRY(clv_tour_all(dataset, count_unlabeled_in, &found, error));
    if (found.count == 0)
        return OK;
    if (found.count > 1)
        snprintf(others, sizeof others, " (%llu of %llu rows have no label)",
                 (unsigned long long)found.count, (unsigned long long)dataset->rows);
    if (labels->first_unlabeled_line && labels->first_unlabeled_file == 0)
        clv_fail(error, CLEAVE_ERROR_DATA, "%s%s: the row has no label%s", name,
                 clv_run_place(labels->first_unlabeled_line, 0, place), others);
    else
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: row %llu has no label%s", name,
                 (unsigned long long)found.first, others);
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "use --skip-unlabeled to ignore rows without a label");
}

/* Warns of numeric classes, and recommends the regression method of the same name, if any. */
static void warn_of_numbers(const Run *run)
{
    const Method *method;
    cleave_error none;
    char name[64], hint[128];

    snprintf(name, sizeof name, "%s-regression", run->job.method->name);
    if (clv_method_find(name, &method, &none) == OK)
        snprintf(hint, sizeof hint, "use '%s' for regression", name);
    else
        snprintf(hint, sizeof hint,
                 "use 'least-squares', 'svr' or 'boost-regression' for regression");
    clv_warn(run->context, hint, "the labels are %u different numbers, each treated as a class",
             run->labels->count);
}

static Status check_classes(Run *run, uint64_t labeled)
{
    enum { MANY_NUMBERS = 300 };
    const Labels *labels = run->labels;
    char quoted[QUOTE_SIZE], place[24];
    const char *text;

    if (run->dataset->numbers)
        return clv_fail_hint(run->error, CLEAVE_ERROR_DATA,
                             "use a regression method, or check the column of --label",
                             "the labels have more than 65,536 distinct numeric values, and '%s' "
                             "is a classification method",
                             run->job.method->name);
    if ((labels->count > MANY_NUMBERS && labels->all_numbers) ||
        clv_labels_look_like_numbers(labels, labeled))
        warn_of_numbers(run);
    clv_labels_note(labels, 0);
    if (labels->count != 1)
        return OK;
    text = labels->list[0].text;
    return clv_fail_hint(
        run->error, CLEAVE_ERROR_DATA, "add examples of another class",
        "%s%s: all %llu examples have the label '%s'; training needs two classes", run->job.name,
        clv_run_place(labels->list[0].first_line, labels->list[0].first_file, place),
        (unsigned long long)labeled, clv_quote(quoted, text, strlen(text)));
}

/* The hint about adding labels to data of this format. */
static const char *label_hint(const Schema *schema)
{
    if (clv_schema_is_array(schema))
        return "use --labels FILE to name the file of labels";
    if (clv_schema_is_table(schema))
        return "use --label COLUMN to name the label column";
    if (strcmp(schema->format, "folder") == 0 || strcmp(schema->format, "document") == 0)
        return "put each document into the folder of its class (FOLDER/class/document), or pass "
               "label<TAB>text lines with --documents lines";
    return strcmp(schema->format, "text") == 0 ? "write each line as label<TAB>text"
                                               : "add a label to each row";
}

Status clv_run_refuse_unlabeled(const Run *run)
{
    const Schema *own = &run->dataset->schema,
                 *schema = own->format[0] || !run->problem.schema ? own : run->problem.schema;
    uint64_t rows = run->dataset->rows;

    clv_fail(run->error, CLEAVE_ERROR_DATA, "%s: no row has a label (%llu row%s)", run->job.name,
             (unsigned long long)rows, rows == 1 ? "" : "s");
    return clv_hint(run->error, CLEAVE_ERROR_DATA, "%s", label_hint(schema));
}

/* Whether most targets are numbers, so that the others stand for missing values. */
static bool mostly_numbers(const Labels *labels)
{
    uint32_t numbers = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        numbers += !isnan(labels->list[i].number);
    return numbers > labels->count / 2;
}

Status clv_run_refuse_word(const Run *run, const Label *label)
{
    char quoted[QUOTE_SIZE], place[24];

    clv_quote(quoted, label->text, strlen(label->text));
    clv_fail(run->error, CLEAVE_ERROR_DATA,
             "%s%s: '%s' is a regression method, and the label '%s' is not a number", run->job.name,
             clv_run_place(label->first_line, label->first_file, place), run->job.method->name,
             quoted);
    if (run->problem.schema && clv_schema_is_table(run->problem.schema) &&
        mostly_numbers(run->labels))
        return clv_hint(
            run->error, CLEAVE_ERROR_DATA,
            "use --missing '%s' --skip-unlabeled to ignore such rows, or --label to name another "
            "target column",
            quoted);
    return clv_hint(
        run->error, CLEAVE_ERROR_DATA,
        "use --label to name the target column of a table, or 'svm', 'logistic' or 'boost' for "
        "classification");
}

static Status check_numbers(const Run *run)
{
    const Labels *labels = run->labels;

    for (uint32_t i = 0; i < labels->count; i++)
        if (isnan(labels->list[i].number))
            return clv_run_refuse_word(run, &labels->list[i]);
    return OK;
}

/* Fails if a method of binary features gets a value other than 0 and 1. */
static Status refuse_value(const Run *run, const Block *block, const RowWalk *at)
{
    char name[24], quoted[QUOTE_SIZE], number[NUMBER_SIZE], place[384];
    const char *feature = clv_names_get(run->problem.names, at->column, name);
    uint64_t row = block_row_number(block, at->row) + 1, line = block_line(block, at->row);

    clv_format_float(number, at->value);
    clv_quote(quoted, feature, strlen(feature));
    if (line && block->file == 0)
        snprintf(place, sizeof place, "%s:%llu", run->job.name, (unsigned long long)line);
    else if (line)
        snprintf(place, sizeof place, "line %llu of file %u", (unsigned long long)line,
                 block->file + 1);
    else
        snprintf(place, sizeof place, "%s: row %llu", run->job.name, (unsigned long long)row);
    return clv_fail_hint(
        run->error, CLEAVE_ERROR_DATA,
        "write 1 for a feature that is present and 0 or nothing otherwise, or use 'perceptron'",
        "%s: feature '%s' has the value %s, and '%s' requires binary features (0 or 1)", place,
        quoted, number, run->job.method->name);
}

Status clv_run_check_values(const Run *run, const Block *block)
{
    RowWalk other;

    if (!(run->job.method->behavior & METHOD_BINARY_FEATURES) || clv_block_is_binary(block, &other))
        return OK;
    return refuse_value(run, block, &other);
}

static Status check_values_of(void *user, const Block *block, cleave_error *error)
{
    (void)error; /* run->error is used instead */
    return clv_run_check_values(user, block);
}

static Status refuse_positive(const Run *run)
{
    const char *given = run->options.positive;
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE,
                         "omit --positive; a warm start keeps the positive class of the model",
                         "--positive: '%s' is not the positive class of the warm-start model",
                         clv_quote(quoted, given, strlen(given)));
}

/* Checks the warm-start model: the classes must be the same in the same order, which the reader
 * ensures. */
Status clv_run_check_from(const Run *run)
{
    const Labels *ours = run->labels, *known;
    const char *positive = run->options.positive;
    char quoted[QUOTE_SIZE], place[24];

    if (!run->job.from)
        return OK;
    known = &run->job.from->labels;
    if (run->job.method != run->job.from->method)
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "--from: a model of '%s' cannot be the warm start of '%s'",
                        run->job.from->method->name, run->job.method->name);
    if (!run->job.method->training->resume)
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "--from: '%s' does not support a warm start", run->job.method->name);
    if (positive && clv_labels_find(known, positive, strlen(positive)) != run->job.from->positive)
        return refuse_positive(run);
    if (run->fit.task == CLEAVE_TASK_REGRESSION || ours->count <= known->count)
        return OK;
    return clv_fail_hint(
        run->error, CLEAVE_ERROR_DATA, "train a new model on the old and the new rows together",
        "%s%s: the label '%s' is not a class of the warm-start model", run->job.name,
        clv_run_place(ours->list[known->count].first_line, ours->list[known->count].first_file,
                      place),
        clv_quote(quoted, ours->list[known->count].text, strlen(ours->list[known->count].text)));
}

Status clv_run_check_data(Run *run)
{
    const Labels *labels = run->labels;
    uint64_t labeled = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        labeled += labels->list[i].count;
    if (run->dataset->rows == 0)
        return clv_fail(run->error, CLEAVE_ERROR_DATA, "the training set is empty");
    if (method_accepts_unlabeled(run->job.method, run->job.method_options)) {
        if (run->options.skip_unlabeled)
            return clv_fail_hint(
                run->error, CLEAVE_ERROR_USAGE,
                "use --skip-unlabeled to train a predictive model from the labeled rows",
                "--skip-unlabeled and --keep-unlabeled cannot be combined");
        run->report->facts.rows = run->dataset->rows;
        return clv_run_check_from(run);
    }
    if (labels->count == 0 && !run->dataset->numbers)
        return clv_run_refuse_unlabeled(run);
    if (labeled < run->dataset->rows && !run->options.skip_unlabeled)
        TRY(clv_refuse_unlabeled(run->dataset, run->job.name, run->error));
    TRY(run->fit.task == CLEAVE_TASK_REGRESSION ? check_numbers(run) : check_classes(run, labeled));
    if (run->job.method->behavior & METHOD_BINARY_FEATURES)
        TRY(clv_tour_all(run->dataset, check_values_of, run, run->error));
    TRY(clv_run_check_from(run));
    run->report->facts.rows = labeled;
    return OK;
}

/* ---- options --------------------------------------------------------------------------------- */

Status clv_train_check(const Method *method, void *method_options, const RunOptions *options,
                       bool has_valid, cleave_error *error)
{
    bool held_out = has_valid || options->validation_fraction > 0;

    if (method->check_options)
        TRY(method->check_options(method_options, error));
    TRY(clv_epoch_limit_check(method, method_options, options, error));
    if (options->validation_fraction > 0 && has_valid)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--validation-fraction and --validation cannot be combined");
    if (held_out && method_predicts_preferences(method, method_options))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "split the data with 'split', and evaluate the model with 'test'",
                             "--validation and --validation-fraction compare predictions with "
                             "targets, and this model predicts preferences");
    if (options->stream && (held_out || options->epochs_from_sample > 0 ||
                            clv_epoch_limit(method, method_options, options) > 1))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--stream reads the rows once: it cannot be combined with --validation, "
                        "--validation-fraction, --epochs-from-sample "
                        "or more than one epoch");
    if (options->racy && options->shards > 0)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE,
            "use --racy with --threads N for speed, or --shards for a deterministic model",
            "--racy and --shards cannot be combined");
    if (options->stream && options->checkpoint)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "--checkpoint and --stream cannot be combined: a checkpoint is written between epochs");
    if (!options->checkpoint && (options->checkpoint_every > 0 || options->checkpoint_seconds > 0))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--checkpoint-%s requires --checkpoint FILE",
                        options->checkpoint_every > 0 ? "every" : "seconds");
    if (options->checkpoint && !*options->checkpoint)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--checkpoint requires a file name");
    if (!held_out && (options->patience > 0 || (options->validation_metric != VALIDATION_ERROR &&
                                                options->epochs_from_sample == 0))) {
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "provide a validation set with --validation FILE, or hold out rows "
                             "with --validation-fraction 0.1",
                             "--%s requires held-out data",
                             options->patience > 0 ? "patience" : "validation-metric");
    }
    return OK;
}

Status clv_run_check_options(const Run *run)
{
    const RunOptions *options = &run->options;

    if (options->positive && run->labels->count > 2)
        return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE,
                             "omit --positive; multiclass models treat all classes alike",
                             "--positive requires two classes, and the data has %u",
                             run->labels->count);
    if (options->epochs_from_sample > 0 &&
        2 * (double)options->epochs_from_sample >
            (1 - (run->job.valid ? 0 : options->validation_fraction)) *
                (double)run->dataset->rows) {
        return clv_fail_hint(
            run->error, CLEAVE_ERROR_USAGE, "set --epochs-from-sample to at most half of the rows",
            "--epochs-from-sample %lld: %llu rows are too few for two samples of that size",
            (long long)options->epochs_from_sample, (unsigned long long)run->dataset->rows);
    }
    if (options->calibrate && run->fit.task == CLEAVE_TASK_REGRESSION)
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "--calibrate requires a classification method");
    if (options->calibrate && run->job.method->inference->probabilities)
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "--calibrate: '%s' already predicts probabilities", run->job.method->name);
    return OK;
}

/* ---- weights --------------------------------------------------------------------------------- */

static Status bad_class_weight(const Run *run, const char *part, size_t length, const char *what)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE,
                         "use 'balanced' or a weight for each class, e.g. spam=2,ham=1",
                         "--class-weight: %s: '%s'", what, clv_quote(quoted, part, length));
}

/* Parses label=weight. */
static Status set_class_weight(Run *run, const char *part, size_t length)
{
    size_t name = length;
    char text[64];
    double weight;
    uint32_t label;

    while (name > 0 && part[name - 1] != '=')
        name--;
    if (name == 0)
        return bad_class_weight(run, part, length, "expected CLASS=WEIGHT");
    snprintf(text, sizeof text, "%.*s",
             (int)(length - name < sizeof text ? length - name : sizeof text), part + name);
    if (!clv_parse_ratio(text, &weight) || !(weight >= 0) || isinf(weight))
        return bad_class_weight(run, part + name, length - name,
                                "a weight must be a number of at least 0");
    label = clv_labels_find(run->labels, part, name - 1);
    if (label == UNLABELED)
        return bad_class_weight(run, part, name - 1, "the data has no such class");
    run->problem.class_weight[label] = weight;
    return OK;
}

Status clv_run_weigh_classes(Run *run)
{
    const Labels *labels = run->labels;
    const char *given = run->options.class_weight;

    if (!given)
        return OK;
    if (run->fit.task == CLEAVE_TASK_REGRESSION)
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "--class-weight requires a classification method");
    TRY(ALLOC(run->context, run->problem.class_weight, labels->count, "class weights", run->error));
    for (uint32_t i = 0; i < labels->count; i++)
        run->problem.class_weight[i] = 1;
    if (strcmp(given, "balanced") == 0) {
        uint64_t all = 0;

        for (uint32_t i = 0; i < labels->count; i++)
            all += labels->list[i].count;
        for (uint32_t i = 0; i < labels->count; i++)
            if (labels->list[i].count)
                run->problem.class_weight[i] = (double)all / ((double)labels->count *
                                                              (double)labels->list[i].count);
        return OK;
    }
    for (const char *at = given;; at++) {
        size_t length = strcspn(at, ",");

        TRY(set_class_weight(run, at, length));
        at += length;
        if (!*at)
            return OK;
    }
}

/* Finds whether at least two classes have rows with a weight above 0. */
typedef struct {
    uint32_t first;
    bool second;
} Classes;

static void see_class(Classes *seen, uint32_t label, double weight)
{
    if (weight <= 0)
        return;
    if (seen->first == UNLABELED)
        seen->first = label;
    seen->second |= label != seen->first;
}

static void warn_of_single(const Run *run, const Classes *seen)
{
    char quoted[QUOTE_SIZE];
    const char *text;

    if (run->fit.task == CLEAVE_TASK_REGRESSION || run->job.from ||
        method_accepts_unlabeled(run->job.method, run->job.method_options) || seen->second ||
        seen->first == UNLABELED)
        return;
    text = run->labels->list[seen->first].text;
    clv_warn(
        run->context, "check --class-weight, the sample weights and the held-out rows",
        "only training rows of the class '%s' have a weight above 0; training needs two classes",
        clv_quote(quoted, text, strlen(text)));
}

Status clv_run_record_rows(Run *run, const Block *block)
{
    return clv_training_rows_add(&run->training_rows, run->context, block,
                                 run->fit.task == CLEAVE_TASK_REGRESSION ? run->problem.label_number
                                                                         : NULL,
                                 (run->job.method->behavior & METHOD_RECORDS_MOMENTS), run->error);
}

/* Counts the rows of a traversal, which skips held-out rows. */
static Status count_rows(Run *run, Traversal *traversal, Classes *seen)
{
    Fit *fit = &run->fit;
    bool all = method_accepts_unlabeled(run->job.method, run->job.method_options);

    TRY(clv_traversal_begin(traversal, 0, run->error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, run->error));
        if (!block)
            break;
        TRY(clv_run_record_rows(run, block));
        for (uint32_t row = 0; row < block->rows; row++) {
            uint32_t label = block_label(block, row);
            double weight;

            if (!all && (fit->task == CLEAVE_TASK_REGRESSION ? isnan(fit_target(fit, block, row))
                                                             : label >= fit->classes))
                continue;
            weight = fit_weight(fit, block, row, label);
            clv_run_see_target(run, block, row);
            run->problem.rows++;
            run->problem.weight_total += weight;
            see_class(seen, label, weight);
        }
    }
    return OK;
}

void clv_run_see_target(Run *run, const Block *block, uint32_t row)
{
    if (run->fit.task == CLEAVE_TASK_REGRESSION)
        clv_target_range_add(&run->targets, fit_target(&run->fit, block, row));
}

Status clv_run_count_rows(Run *run, Traversal *traversal)
{
    Classes seen = {.first = UNLABELED};

    return count_rows(run, traversal, &seen);
}

Status clv_run_weigh_labels(Run *run)
{
    TRY(clv_run_weigh_classes(run));
    if (run->fit.task != CLEAVE_TASK_REGRESSION || run->labels->count == 0)
        return OK;
    TRY(ALLOC(run->context, run->problem.label_number, run->labels->count, "targets", run->error));
    for (uint32_t i = 0; i < run->labels->count; i++)
        run->problem.label_number[i] = run->labels->list[i].number;
    return OK;
}

Status clv_run_weigh(Run *run)
{
    Classes seen = {.first = UNLABELED};

    TRY(clv_run_weigh_labels(run));
    run->problem.rows = 0;
    run->problem.weight_total = 0;
    clv_training_rows_free(&run->training_rows, run->context);
    TRY(count_rows(run, &run->all, &seen));
    warn_of_single(run, &seen);
    return clv_run_check_weights(run);
}

Status clv_run_check_weights(const Run *run)
{
    if (!isfinite(run->problem.weight_total) || run->problem.weight_total > 1e30)
        return clv_fail(run->error, CLEAVE_ERROR_USAGE,
                        "the sum of the sample weights exceeds 1e30; use smaller weights");
    if (run->problem.rows == 0 || !(run->problem.weight_total > 0))
        return clv_fail(run->error, CLEAVE_ERROR_DATA,
                        "no training row has a label and a weight above 0");
    return OK;
}
