/* cleave train: trains a model, writes it, and prints a summary of at most six lines. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    Call *call;
    cleave_data *data, *valid;
    cleave_model *from, *model;
    cleave_report *report;
} Training;

/* ---- the checkpoint */

/* The checkpoint is removed at the end, so it must not be the output. */
static int check_checkpoint(const Call *call)
{
    const char *path = cli_value_of(call, "checkpoint"), *output = call->settings.output;
    struct stat one, other;

    if (!path || !output)
        return DONE;
    if (strcmp(path, output) == 0 || (stat(path, &one) == 0 && stat(output, &other) == 0 &&
                                      one.st_dev == other.st_dev && one.st_ino == other.st_ino))
        return cli_misuse(
            "--checkpoint and -o both name '%s': the checkpoint would replace the model", path);
    return DONE;
}

/* How to resume an interrupted run; empty if there is no checkpoint. */
static const char *how_to_resume(const Call *call, char buffer[ENDING_SIZE])
{
    buffer[0] = '\0';
    if (call->checkpoint && access(call->checkpoint, F_OK) == 0)
        snprintf(buffer, ENDING_SIZE, "the same command%s%s resumes from the checkpoint %s",
                 call->resumed_by ? " with " : "", call->resumed_by ? call->resumed_by : "",
                 call->checkpoint);
    return buffer;
}

/* Loads the warm-start model. */
static int load_from(Training *training)
{
    Call *call = training->call;
    const char *method = call->method.name;
    int status;

    if (!call->settings.from)
        return DONE;
    status = cli_load(call, call->settings.from, &training->from);
    if (status != DONE || strcmp(cleave_model_method(training->from), method) == 0)
        return status;
    return cli_misuse("--from: %s is a model of '%s' and cannot be trained further as '%s'",
                      call->settings.from, cleave_model_method(training->from), method);
}

static int open_inputs(Training *training)
{
    Call *call = training->call;
    int status;

    if (call->settings.validation && cli_is_on(call, "stream"))
        return cli_misuse("--stream and --validation cannot be combined: the rows are read once");
    status = load_from(training);
    if (status == DONE)
        status = cli_open(call, training->from, call->arguments + 1, call->argument_count - 1,
                          &training->data);
    if (status == DONE && call->settings.validation &&
        cleave_open_like(training->data, &call->settings.validation, 1, call->options[TABLE_READ],
                         &training->valid, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    return status;
}

/* ---- JSON */

/* Statistics whose name is a member already are left out. */
static bool is_plain_member(const char *name)
{
    static const char *const members[] = {"method",
                                          "solver",
                                          "objective",
                                          "summary",
                                          "rows",
                                          "features",
                                          "classes",
                                          "epochs",
                                          "converged",
                                          "stopped_by",
                                          "cancelled",
                                          "mistakes",
                                          "loss",
                                          "order",
                                          "last_epoch_mistakes",
                                          "seed",
                                          "best_epoch",
                                          "warnings",
                                          "validation_rows",
                                          "model",
                                          "train_errors",
                                          "validation_errors",
                                          NULL};

    for (size_t i = 0; members[i]; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return false;
}

static void json_mistakes(Json *json, const char *key, const cleave_report *report,
                          uint64_t mistakes)
{
    if (report->counts_mistakes)
        cli_json_put_count(json, key, mistakes);
    else
        cli_json_put_string(json, key, NULL);
}

static void json_epochs(Json *json, const cleave_report *report)
{
    cli_json_key(json, "epoch_seconds");
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->epoch_count; i++)
        cli_json_number(json, report->epoch_seconds[i]);
    cli_json_close(json, ']');
    if (!report->counts_mistakes) {
        cli_json_put_string(json, "epoch_mistakes", NULL);
        return;
    }
    cli_json_key(json, "epoch_mistakes");
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->epoch_count; i++)
        cli_json_count(json, report->epoch_mistakes[i]);
    cli_json_close(json, ']');
}

/* The learning rates tried by calibration. */
static void json_rates(Json *json, const cleave_report *report)
{
    if (report->rate_count == 0)
        return;
    cli_json_key(json, "learning_rates");
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->rate_count; i++) {
        const cleave_rate_trial *tried = &report->rates[i];

        cli_json_open(json, '{');
        cli_json_put_count(json, "seen", tried->seen);
        cli_json_put_number(json, "learning_rate", tried->rate);
        cli_json_put_number(json, "objective", tried->objective);
        cli_json_put_bool(json, "kept", tried->kept);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_run(Json *json, const Training *training)
{
    const cleave_report *report = training->report;
    const char *epochs = cli_unit(report)->key;

    cli_json_put_string(json, "method", report->method);
    cli_json_put_string(json, "solver", *report->solver ? report->solver : NULL);
    cli_json_put_string(json, "objective", report->objective);
    cli_json_put_string(json, "summary", *report->summary ? report->summary : NULL);
    cli_json_put_count(json, "rows", report->rows);
    cli_json_put_count(json, "features", report->features);
    cli_json_put_count(json, "classes", report->classes);
    cli_json_put_count(json, epochs, report->epochs);
    cli_json_ending(json, report->converged, report->stopped_by);
    cli_json_put_bool(json, "cancelled", report->cancelled);
    json_mistakes(json, "mistakes", report, report->mistakes);
    json_mistakes(json, "last_epoch_mistakes", report, report->last_epoch_mistakes);
    cli_json_put_number(json, "loss", report->loss);
    cli_json_put_string(json, "order", report->order);
    cli_json_put_count(json, "seed", cleave_model_seed(training->model));
    cli_json_put_count(json, "best_epoch", report->kept_epoch);
    if (report->train_errors != UINT64_MAX)
        cli_json_put_count(json, "train_errors", report->train_errors);
    if (report->validation_rows) {
        cli_json_put_count(json, "validation_rows", report->validation_rows);
        cli_json_put_count(json, "validation_errors", report->validation_errors);
    }
    for (size_t i = 0; i < report->statistic_count; i++)
        if (!is_plain_member(report->statistics[i].name) &&
            strcmp(report->statistics[i].name, epochs) != 0)
            cli_json_put_number(json, report->statistics[i].name, report->statistics[i].value);
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const Training *training = facts;
    const cleave_report *report = training->report;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    json_run(&json, training);
    cli_json_put_number(&json, "read_seconds", report->read_seconds);
    cli_json_put_number(&json, "read_cpu_seconds", report->read_cpu_seconds);
    cli_json_put_number(&json, "train_seconds", report->train_seconds);
    cli_json_put_number(&json, "train_cpu_seconds", report->train_cpu_seconds);
    json_epochs(&json, report);
    json_rates(&json, report);
    cli_json_put_string(&json, "model", call->settings.output);
    cli_json_guesses(&json, call);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* ---- text */

/* " (mail.tsv)", " (a.csv and 2 more files)" */
static void put_inputs(Out *out, const Call *call)
{
    size_t more = call->argument_count > 2 ? call->argument_count - 2 : 0;

    if (call->argument_count < 2)
        return;
    cli_put(out, " (");
    cli_put_name(out, call->arguments[1]);
    if (more)
        cli_print(out, " and %s", COUNT(more, "more file", "more files"));
    cli_put(out, ")");
}

/* " on 2 ranks: 16 chunks, 2 messages of 84.2 kB per epoch" */
static void put_ranks(Out *out, const cleave_report *report)
{
    double ranks = cli_figure(report, "ranks"), messages = cli_figure(report, "messages");

    if (isnan(ranks))
        return;
    cli_print(out, " on %s: %s", COUNT((uint64_t)ranks, "rank", "ranks"),
              COUNT((uint64_t)cli_figure(report, "chunks"), "chunk", "chunks"));
    if (messages > 0)
        cli_print(out, ", %s of %s per epoch", COUNT((uint64_t)messages, "message", "messages"),
                  BYTES((uint64_t)cli_figure(report, "message_bytes")));
}

static void print_read(Out *out, const Call *call, const cleave_report *report)
{
    cli_print(out, "Read %s, %s", COUNT(report->rows, "row", "rows"),
              COUNT(report->features, "feature", "features"));
    if (report->classes)
        cli_print(out, ", %s", COUNT(report->classes, "class", "classes"));
    put_inputs(out, call);
    cli_put(out, TOOK(report->read_seconds));
    put_ranks(out, report);
    cli_put(out, ".\n");
}

/* ", 4 mistakes (bound (R/margin)^2 24, margin 0.408248)", or ", 527 mistakes (4 in the last
 * epoch)" */
static void put_mistakes(Out *out, const cleave_report *report)
{
    double bound = cli_figure(report, "mistake_bound"), margin = cli_figure(report, "margin");

    if (!report->counts_mistakes)
        return;
    cli_print(out, ", %s", COUNT(report->mistakes, "mistake", "mistakes"));
    if (isfinite(bound)) {
        cli_print(out, " (bound (R/margin)^2 %s", SHORT(bound));
        if (isfinite(margin))
            cli_print(out, ", margin %s", SHORT(margin));
        cli_put(out, ")");
    } else if (report->epochs > 1) {
        cli_print(out, " (%llu in the last epoch)",
                  (unsigned long long)report->last_epoch_mistakes);
    }
}

/* ", duality gap 0.0009, objective 122.6, 109 support vectors, calibrated learning rate 0.5" */
static void put_optimum(Out *out, const cleave_report *report)
{
    double gap = cli_figure(report, "gap"), objective = cli_figure(report, "objective_value");
    double vectors = cli_figure(report, "support_vectors"), rate = NAN;

    if (isfinite(gap))
        cli_print(out, ", duality gap %.2g", gap);
    if (isfinite(objective))
        cli_print(out, ", objective %s", BRIEF(objective));
    if (isfinite(vectors))
        cli_print(out, ", %s", COUNT((uint64_t)vectors, "support vector", "support vectors"));
    for (size_t i = 0; i < report->rate_count; i++)
        rate = report->rates[i].kept ? report->rates[i].rate : rate;
    if (isfinite(rate))
        cli_print(out, ", calibrated learning rate %s", BRIEF(rate));
}

static void print_trained(Out *out, const Call *call, const cleave_report *report)
{
    char ending[ENDING_SIZE];

    cli_print(out, "Trained %s", report->method);
    if (*report->solver)
        cli_print(out, " (%s)", report->solver);
    cli_print(out, "%s: ", TOOK(report->train_seconds));
    if (cli_ended_well(report))
        cli_put_name(out, cli_ending(call, report, ending));
    else /* a warning states how it ended */
        cli_put(out, COUNT(report->epochs, cli_unit(report)->one, cli_unit(report)->many));
    put_mistakes(out, report);
    put_optimum(out, report);
    cli_put(out, ".\n");
}

static void print_training_error(Out *out, const cleave_report *report)
{
    double rmse = cli_figure(report, "train_rmse"), r2 = cli_figure(report, "train_r2");

    if (isfinite(rmse)) {
        cli_print(out, "Training RMSE %s", BRIEF(rmse));
        if (isfinite(r2))
            cli_print(out, ", R² %.4f", r2 + 0.0);
        cli_put(out, ".\n");
    } else if (report->train_errors != UINT64_MAX && report->rows) {
        cli_print(out, "Training error %.2f%% (%s of %s).\n",
                  100 * (double)report->train_errors / (double)report->rows,
                  GROUPED(report->train_errors), COUNT(report->rows, "row", "rows"));
    }
}

/* Bounds of the 95% Wilson interval: side -1 is the lower one. */
static double wilson(uint64_t errors, uint64_t rows, double side)
{
    double n = (double)rows, p = (double)errors / n, z = 1.959963984540054;

    return (p + z * z / (2 * n) + side * z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) /
           (1 + z * z / n);
}

static void print_validation(Out *out, const cleave_report *report)
{
    double rmse = cli_figure(report, "validation_rmse");
    uint64_t errors = report->validation_errors, all = report->validation_rows;
    char rows[HUMAN_SIZE];

    if (!all)
        return;
    cli_count(all, "row", "rows", rows);
    if (isfinite(rmse))
        cli_print(out, "Validation RMSE %s (%s)", BRIEF(rmse), rows);
    else
        cli_print(out,
                  "Validation error %.2f%% (%s of %s, 95%% confidence interval %.1f%% to %.1f%%)",
                  100 * (double)errors / (double)all, GROUPED(errors), rows,
                  100 * fmax(wilson(errors, all, -1), 0), 100 * fmin(wilson(errors, all, 1), 1));
    if (report->kept_epoch < report->epochs)
        cli_print(out, ", best %s %u", cli_unit(report)->one, report->kept_epoch);
    cli_put(out, ".\n");
}

static void print_next(Out *out, const Call *call)
{
    const char *model = call->settings.output;
    char *word;

    if (!model || cli_to_stdout(call))
        return;
    word = cli_shell_word(model);
    cli_put(out, "Model written to ");
    cli_put_name(out, model);
    cli_put(out, ".\nNext: cleave test ");
    cli_put_name(out, word);
    cli_put(out, " DATA, or cleave explain ");
    cli_put_name(out, word);
    cli_put(out, ".\n");
    free(word);
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const Training *training = facts;
    const cleave_report *report = training->report;

    print_read(out, call, report);
    print_trained(out, call, report);
    print_training_error(out, report);
    print_validation(out, report);
    print_next(out, call);
}

/* A run that did not converge is reported as a warning, also with --quiet and --json. */
static void warn_of_ending(Training *training)
{
    Call *call = training->call;
    char ending[ENDING_SIZE], hint[ENDING_SIZE];

    if (cli_ended_well(training->report))
        return;
    cli_ending(call, training->report, ending);
    cli_ending_hint(call, training->report, hint);
    if (call->keep_remarks)
        cli_remark(call, CLEAVE_LOG_WARNING, ending, hint);
    else
        cli_say(call, ending, hint);
}

static void warn_of_loss(Call *call, const cleave_report *report)
{
    char hint[ENDING_SIZE], message[ENDING_SIZE];
    bool stream = cli_is_on(call, "stream");

    if (!call->settings.output && !report->cancelled)
        cli_remark(call, CLEAVE_LOG_WARNING, "the model is not saved", "use -o FILE to save it");
    if (!call->settings.output || !report->cancelled)
        return;
    snprintf(message, sizeof message, "interrupted after %s: the best model so far is saved",
             stream ? COUNT(report->rows, "row", "rows")
                    : COUNT(report->epochs, cli_unit(report)->one, cli_unit(report)->many));
    cli_remark(call, CLEAVE_LOG_WARNING, message, how_to_resume(call, hint));
}

static int report_on(Training *training)
{
    int status;

    warn_of_ending(training);
    warn_of_loss(training->call, training->report);
    status = cli_tell_done(training->call, print_text, print_json, training);
    return status == DONE && training->report->cancelled ? cli_interrupted_status() : status;
}

int cli_report_training(Call *call, cleave_model *model, cleave_report *report)
{
    return report_on(&(Training){.call = call, .model = model, .report = report});
}

static int keep(Training *training)
{
    Call *call = training->call;
    char hint[ENDING_SIZE];
    const char *path = training->call->checkpoint;

    if (!call->settings.output) {
        if (!training->report->cancelled)
            return DONE;
        if (*how_to_resume(call, hint))
            cli_misuse("interrupted: no model is saved without -o; %s", hint);
        else
            cli_misuse("interrupted: no model is saved without -o");
        return cli_interrupted_status();
    }
    if (cleave_save(training->model, call->settings.output, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    /* An interrupted run keeps its checkpoint: the same command resumes from it. */
    if (path && training->call->settings.output && !training->report->cancelled)
        unlink(path);
    return DONE;
}

static cleave_code learn(Training *training)
{
    Call *call = training->call;
    const cleave_options *options = call->options[TABLE_TRAIN];

    if (training->from)
        return cleave_train_from(training->from, training->data, training->valid, options,
                                 &training->model, &training->report, &call->error);
    return cleave_train(call->context, call->method.name, training->data, training->valid, options,
                        &training->model, &training->report, &call->error);
}

static int train(Training *training)
{
    Call *call = training->call;
    int status;

    if (learn(training) != CLEAVE_OK)
        return cli_fail(call);
    cli_progress_clear(&call->progress);
    cli_defer_interrupts(call);
    call->scaled = cli_is_scaled(training->model);
    status = keep(training);
    return status == DONE ? report_on(training) : status;
}

static int run(Call *call)
{
    Training training = {.call = call};
    int status = cli_check_output(call);

    call->keep_remarks = call->settings.json;
    call->checkpoint = cli_value_of(call, "checkpoint");
    if (status == DONE)
        status = check_checkpoint(call);
    if (status == DONE)
        status = cli_lock_model(call, call->settings.output);
    if (status == DONE)
        status = open_inputs(&training);
    if (status == DONE)
        status = train(&training);
    cleave_report_free(training.report);
    cleave_model_free(training.model);
    cleave_data_free(training.valid);
    cleave_data_free(training.data);
    cleave_model_free(training.from);
    return status;
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write the model to this file."),
    CLI_TEXT(validation, "Validation set, for early stopping and calibration."),
    CLI_TEXT(from, "Continue training from this model on the same rows (warm start)."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave train perceptron @spam6 --learning-rate 0.5 -o spam.model",
    "cleave train perceptron @dogs --learn-threshold --epochs 20 --json",
    NULL,
};

const Verb cli_verb_train = {
    .name = "train",
    .arguments = "METHOD DATA...",
    .brief = "Train a model.",
    .about = "Several files are read as one; - is standard input, @NAME a built-in dataset. "
             "Ctrl-C stops training and keeps the model of the last complete epoch.",
    .examples = examples,
    .common = "output validation validation-fraction patience epochs max-iterations from "
              "transform class-weight calibrate label columns threads seed json quiet",
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN),
    .takes_method = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
