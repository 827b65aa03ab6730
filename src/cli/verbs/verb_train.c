/* cleave train: reads, learns, keeps the model, and says how it went. */
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

/* It is removed in the end: it must not be a file that is wanted. */
static int check_checkpoint(const Call *call)
{
    const char *path = cli_value_of(call, "checkpoint"), *output = call->settings.output;
    struct stat one, other;

    if (!path || !output)
        return DONE;
    if (strcmp(path, output) == 0 || (stat(path, &one) == 0 && stat(output, &other) == 0 &&
                                      one.st_dev == other.st_dev && one.st_ino == other.st_ino))
        return cli_misuse(
            "--checkpoint and -o both name '%s': the model would replace the checkpoint, or be removed with it", path);
    return DONE;
}

/* What it was for is safe in the model. A run that was interrupted keeps it: the same command goes on. */
static void drop_checkpoint(const Training *training)
{
    const char *path = training->call->checkpoint;

    if (path && training->call->settings.output && !training->report->cancelled)
        unlink(path);
}

/* How an interrupted run goes on; empty where it cannot. */
static const char *how_to_go_on(const Call *call, char buffer[ENDING_SIZE])
{
    buffer[0] = '\0';
    if (call->checkpoint && access(call->checkpoint, F_OK) == 0)
        snprintf(buffer, ENDING_SIZE, "the checkpoint %s stays: the same command%s%s goes on from it", call->checkpoint,
                 call->resumed_by ? " with " : "", call->resumed_by ? call->resumed_by : "");
    return buffer;
}

/* The model that training goes on from. */
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
    return cli_misuse("--from: %s is a model of '%s', and cannot go on as '%s'", call->settings.from,
                      cleave_model_method(training->from), method);
}

static int open_inputs(Training *training)
{
    Call *call = training->call;
    int status;

    if (call->settings.validation && cli_is_on(call, "stream"))
        return cli_misuse("--stream is one pass that keeps no rows: it does not go with --validation");
    status = load_from(training);
    if (status == DONE)
        status = cli_open(call, training->from, call->arguments + 1, call->argument_count - 1, &training->data);
    if (status == DONE && call->settings.validation &&
        cleave_open_like(training->data, &call->settings.validation, 1, call->options[TABLE_READ], &training->valid,
                         &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    return status;
}

/* ---- JSON */

static bool is_plain_member(const char *name)
{
    static const char *const members[] = {"method",
                                          "solver",
                                          "objective",
                                          "verdict",
                                          "n",
                                          "features",
                                          "classes",
                                          "passes",
                                          "converged",
                                          "stopped_by",
                                          "cancelled",
                                          "mistakes",
                                          "last_round_mistakes",
                                          "loss",
                                          "order",
                                          "seed",
                                          "valid_n",
                                          "valid_errors",
                                          "train_errors",
                                          "kept_round",
                                          "warnings",
                                          "model",
                                          NULL};

    for (size_t i = 0; members[i]; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return false;
}

static void json_mistakes(Json *json, const char *key, const cleave_report *report, uint64_t mistakes)
{
    if (report->counts_mistakes)
        cli_json_put_count(json, key, mistakes);
    else
        cli_json_put_string(json, key, NULL);
}

static void json_rounds(Json *json, const cleave_report *report)
{
    cli_json_key(json, "round_seconds");
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->epoch_count; i++)
        cli_json_number(json, report->epoch_seconds[i]);
    cli_json_close(json, ']');
    if (!report->counts_mistakes) {
        cli_json_put_string(json, "round_mistakes", NULL);
        return;
    }
    cli_json_key(json, "round_mistakes");
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
    cli_json_key(json, "rates");
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->rate_count; i++) {
        const cleave_rate_trial *tried = &report->rates[i];

        cli_json_open(json, '{');
        cli_json_put_count(json, "seen", tried->seen);
        cli_json_put_number(json, "rate", tried->rate);
        cli_json_put_number(json, "objective", tried->objective);
        cli_json_put_bool(json, "kept", tried->kept);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_run(Json *json, const Training *training)
{
    const cleave_report *report = training->report;

    cli_json_put_string(json, "method", report->method);
    cli_json_put_string(json, "solver", *report->solver ? report->solver : NULL);
    cli_json_put_string(json, "objective", report->objective);
    cli_json_put_string(json, "verdict", *report->summary ? report->summary : NULL);
    cli_json_put_count(json, "n", report->rows);
    cli_json_put_count(json, "features", report->features);
    cli_json_put_count(json, "classes", report->classes);
    cli_json_put_count(json, "passes", report->epochs);
    cli_json_ending(json, report->converged, report->stopped_by);
    cli_json_put_bool(json, "cancelled", report->cancelled);
    json_mistakes(json, "mistakes", report, report->mistakes);
    json_mistakes(json, "last_round_mistakes", report, report->last_epoch_mistakes);
    cli_json_put_number(json, "loss", report->loss);
    cli_json_put_string(json, "order", report->order);
    cli_json_put_count(json, "seed", cleave_model_seed(training->model));
    cli_json_put_count(json, "kept_round", report->kept_epoch);
    if (report->train_errors != UINT64_MAX)
        cli_json_put_count(json, "train_errors", report->train_errors);
    if (report->validation_rows) {
        cli_json_put_count(json, "valid_n", report->validation_rows);
        cli_json_put_count(json, "valid_errors", report->validation_errors);
    }
    for (size_t i = 0; i < report->statistic_count; i++)
        if (!is_plain_member(report->statistics[i].name))
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
    json_rounds(&json, report);
    json_rates(&json, report);
    cli_json_put_string(&json, "model", call->settings.output);
    cli_json_guesses(&json, call);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* ---- for people */

static void print_ending(Out *out, const Training *training)
{
    char ending[ENDING_SIZE], number[HUMAN_SIZE];
    double bound = cli_figure(training->report, "mistake_bound");
    double margin = cli_figure(training->report, "margin");

    if (!cli_ended_well(training->report) || !*cli_ending(training->call, training->report, ending))
        return; /* said on stderr, or nothing to say */
    cli_put_name(out, ending);
    if (isfinite(bound))
        cli_print(out, "; the bound (R/margin)^2 is %s", cli_short(bound, number));
    if (isfinite(bound) && isfinite(margin))
        cli_print(out, ", the margin %s", cli_short(margin, number));
    cli_put(out, "\n");
}

/* "primal 0.3193, dual 0.319, gap 0.09 %; margin 0.12; 1234 support vectors; C 1 is lambda 1.3e-06" */
static void print_figures(Out *out, const cleave_report *report)
{
    static const struct {
        const char *name, *before, *after;
        double times;
        const char *between; /* this and what stands before it */
    } shown[] = {
        {"objective_value", "objective ", "", 1, "; "},
        {"primal", "primal ", "", 1, "; "},
        {"dual", "dual ", "", 1, ", "},
        {"gap", "gap ", " %", 100, ", "},
        {"margin", "margin ", "", 1, "; "},
        {"support_vectors", "", " support vectors", 1, "; "},
        {"C", "C ", "", 1, "; "},
        {"lambda", "lambda ", "", 1, " is "},
    };
    bool any = false, separated = isfinite(cli_figure(report, "mistake_bound"));
    const char *last = "";

    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        double value = cli_figure(report, shown[i].name);
        bool pair = strcmp(last, "C") == 0 || strcmp(shown[i].name, "lambda") != 0;
        char number[HUMAN_SIZE];

        if (isnan(value) || (separated && strcmp(shown[i].name, "margin") == 0))
            continue;
        cli_print(out, "%s%s", any ? (pair ? shown[i].between : "; ") : "", shown[i].before);
        if (strcmp(shown[i].name, "support_vectors") == 0)
            cli_print(out, "%.0f", value);
        else
            cli_put(out, cli_brief(shown[i].times * value, number));
        cli_put(out, shown[i].after);
        any = true;
        last = shown[i].name;
    }
    cli_put(out, any ? "\n" : "");
}

/* "learning rates tried: 18; kept 1 from row 1, 0.5 from row 100001" */
static void print_rates(Out *out, const cleave_report *report)
{
    enum { MOST_SHOWN = 6 };
    char number[HUMAN_SIZE];
    size_t kept = 0;

    if (report->rate_count == 0)
        return;
    cli_print(out, "learning rates tried: %zu; kept ", report->rate_count);
    for (size_t i = 0; i < report->rate_count; i++) {
        if (!report->rates[i].kept || kept++ >= MOST_SHOWN)
            continue;
        cli_print(out, "%s%s from row %llu", kept > 1 ? ", " : "", cli_brief(report->rates[i].rate, number),
                  (unsigned long long)report->rates[i].seen + 1);
    }
    cli_print(out, "%s\n", kept > MOST_SHOWN ? ", …; --json lists all" : "; --json lists all");
}

/* How well the training rows are told apart, where the ending does not say it. */
static void print_fit(Out *out, const cleave_report *report)
{
    double rmse = cli_figure(report, "train_rmse"), r2 = cli_figure(report, "train_r2");
    char number[HUMAN_SIZE];

    if (isfinite(rmse)) {
        cli_print(out, "on the training rows: RMSE %s", cli_short(rmse, number));
        if (isfinite(r2))
            cli_print(out, ", R^2 %.4f", r2 + 0.0);
        cli_put(out, "\n");
    } else if (*report->summary && report->train_errors != UINT64_MAX && report->rows) {
        cli_print(out, "on the training rows: %llu of %llu wrong, error %.2f %%\n",
                  (unsigned long long)report->train_errors, (unsigned long long)report->rows,
                  100 * (double)report->train_errors / (double)report->rows);
    }
}

static void print_valid(Out *out, const cleave_report *report)
{
    double rmse = cli_figure(report, "valid_rmse");
    char number[HUMAN_SIZE];

    if (!report->validation_rows)
        return;
    if (isfinite(rmse))
        cli_print(out, "held out: RMSE %s on %llu rows", cli_short(rmse, number),
                  (unsigned long long)report->validation_rows);
    else
        cli_print(out, "held out: %llu of %llu wrong, error %.2f %%", (unsigned long long)report->validation_errors,
                  (unsigned long long)report->validation_rows,
                  100 * (double)report->validation_errors / (double)report->validation_rows);
    if (report->kept_epoch < report->epochs)
        cli_print(out, "; round %u was the best and is kept", report->kept_epoch);
    cli_put(out, "\n");
}

static void print_next(Out *out, const Call *call)
{
    const char *model = call->settings.output;
    char *word;

    if (!model || cli_to_stdout(call))
        return;
    word = cli_shell_word(model);
    cli_put(out, "model written to ");
    cli_put_name(out, model);
    cli_put(out, "\ntry next: cleave explain ");
    cli_put_name(out, word);
    cli_put(out, ", or cleave test ");
    cli_put_name(out, word);
    cli_put(out, " FILE on data it has not seen\n");
    free(word);
}

static void print_read(Out *out, const cleave_report *report)
{
    char a[HUMAN_SIZE], b[HUMAN_SIZE], c[HUMAN_SIZE], took[HUMAN_SIZE];

    cli_print(out, "read %s, %s", cli_count(report->rows, "row", "rows", a),
              cli_count(report->features, "feature", "features", b));
    if (report->classes)
        cli_print(out, ", %s", cli_count(report->classes, "class", "classes", c));
    cli_print(out, "%s\n", cli_took(report->read_seconds, took));
}

static void print_trained(Out *out, const cleave_report *report)
{
    char rounds[HUMAN_SIZE], mistakes[HUMAN_SIZE], took[HUMAN_SIZE];

    cli_print(out, "trained %s", report->method);
    if (*report->solver)
        cli_print(out, " by %s", report->solver);
    cli_print(out, "%s: %s, rows %s", cli_took(report->train_seconds, took),
              cli_count(report->epochs, "round", "rounds", rounds), report->order);
    if (report->counts_mistakes)
        cli_print(out, "; %s", cli_count(report->mistakes, "mistake", "mistakes", mistakes));
    if (report->counts_mistakes && report->epochs > 1)
        cli_print(out, ", %llu of them in the last", (unsigned long long)report->last_epoch_mistakes);
    cli_put(out, "\n");
}

/* "2 ranks, 16 chunks; 2 messages a round of 84.2 kB each (as floats the weights are 189 kB)" */
static void print_ranks(Out *out, const cleave_report *report)
{
    double ranks = cli_figure(report, "ranks"), messages = cli_figure(report, "messages");
    double dense = cli_figure(report, "dense_bytes");
    char a[HUMAN_SIZE], b[HUMAN_SIZE];

    if (isnan(ranks))
        return;
    cli_print(out, "%s, %s", cli_count((uint64_t)ranks, "rank", "ranks", a),
              cli_count((uint64_t)cli_figure(report, "chunks"), "chunk", "chunks", b));
    if (messages > 0)
        cli_print(out, "; %.0f messages a round of %s each", messages,
                  cli_bytes((uint64_t)cli_figure(report, "message_bytes"), a));
    if (messages > 0 && dense > 0) /* trees have no weights */
        cli_print(out, " (as floats the weights are %s)", cli_bytes((uint64_t)dense, b));
    cli_put(out, "\n");
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const Training *training = facts;
    const cleave_report *report = training->report;

    print_read(out, report);
    print_trained(out, report);
    print_ending(out, training);
    print_rates(out, report);
    print_figures(out, report);
    print_fit(out, report);
    print_valid(out, report);
    print_ranks(out, report);
    print_next(out, call);
}

/* A run that did not converge says so, whoever reads. */
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

static void warn_of_fate(Call *call, const cleave_report *report)
{
    char hint[ENDING_SIZE], done[HUMAN_SIZE], message[ENDING_SIZE];
    bool stream = cli_is_on(call, "stream");

    if (!call->settings.output && !report->cancelled)
        cli_remark(call, CLEAVE_LOG_WARNING, "the model was not kept", "-o FILE writes it to a file");
    if (!call->settings.output || !report->cancelled)
        return;
    snprintf(message, sizeof message, "interrupted after %s: the model is the best so far",
             stream ? cli_count(report->rows, "row", "rows", done)
                    : cli_count(report->epochs, "round", "rounds", done));
    cli_remark(call, CLEAVE_LOG_WARNING, message, how_to_go_on(call, hint));
}

static int report_on(Training *training)
{
    int status;

    warn_of_ending(training);
    warn_of_fate(training->call, training->report);
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

    if (!call->settings.output) {
        if (!training->report->cancelled)
            return DONE;
        if (*how_to_go_on(call, hint))
            cli_misuse("interrupted; no -o was given, and no model is kept; %s", hint);
        else
            cli_misuse("interrupted; no -o was given, and nothing is kept");
        return cli_interrupted_status();
    }
    if (cleave_save(training->model, call->settings.output, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    drop_checkpoint(training);
    return DONE;
}

static cleave_code learn(Training *training)
{
    Call *call = training->call;
    const cleave_options *options = call->options[TABLE_TRAIN];

    if (training->from)
        return cleave_train_from(training->from, training->data, training->valid, options, &training->model,
                                 &training->report, &call->error);
    return cleave_train(call->context, call->method.name, training->data, training->valid, options, &training->model,
                        &training->report, &call->error);
}

/* Whether a stage of its pipeline has seen to it. */
static bool is_scaled(const cleave_model *model)
{
    cleave_pipeline_step stage;

    for (size_t i = 0; cleave_model_step(model, i, &stage); i++)
        if (strncmp(stage.text, "scale", 5) == 0 || strncmp(stage.text, "tfidf", 5) == 0)
            return true;
    return false;
}

static int train(Training *training)
{
    Call *call = training->call;
    int status;

    if (learn(training) != CLEAVE_OK)
        return cli_fail(call);
    cli_progress_clear(&call->progress);
    cli_defer_interrupts(call);
    call->scaled = is_scaled(training->model);
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
    {.name = "output",
     .alias = "o",
     .type = CLEAVE_TEXT,
     .help = "Write the model to this file.",
     .offset = offsetof(Settings, output)},
    {.name = "validation",
     .type = CLEAVE_TEXT,
     .help = "Validation set, for early stopping and calibration.",
     .offset = offsetof(Settings, validation)},
    {.name = "from",
     .type = CLEAVE_TEXT,
     .help = "Continue training from this model on the same rows (warm start).",
     .offset = offsetof(Settings, from)},
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
    .about = "Several files are read as one; - is standard input, @NAME a built-in data set. "
             "Ctrl-C stops training and keeps the model of the last complete epoch.",
    .examples = examples,
    .common = "output validation validation-fraction patience epochs max-iterations rounds trees from "
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
