/* cleave train: reads, learns, keeps the model, and says how it went. */
#include "cli/human.h"
#include "cli/report.h"

#include <math.h>
#include <string.h>

typedef struct {
    Call *call;
    cleave_data *data, *valid;
    cleave_model *model;
    cleave_report *report;
} Training;

static int open_inputs(Training *training)
{
    Call *call = training->call;
    int status = cli_open(call, NULL, call->arguments + 1, call->argument_count - 1, &training->data);

    if (status == DONE && call->settings.valid &&
        cleave_open_like(training->data, &call->settings.valid, 1, call->options[TABLE_READ], &training->valid,
                         &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    return status;
}

/* ---- JSON */

static bool is_plain_member(const char *name)
{
    static const char *const members[] = {"method",
                                          "objective",
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

static void json_rounds(Json *json, const cleave_report *report)
{
    cli_json_key(json, "round_seconds");
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->round_count; i++)
        cli_json_number(json, report->round_seconds[i]);
    cli_json_close(json, ']');
    cli_json_key(json, "round_mistakes");
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->round_count; i++)
        cli_json_count(json, report->round_mistakes[i]);
    cli_json_close(json, ']');
}

static void json_run(Json *json, const Training *training)
{
    const cleave_report *report = training->report;

    cli_json_put_string(json, "method", report->method);
    cli_json_put_string(json, "objective", training->call->method.objective);
    cli_json_put_count(json, "n", report->n);
    cli_json_put_count(json, "features", report->features);
    cli_json_put_count(json, "classes", report->classes);
    cli_json_put_count(json, "passes", report->passes);
    cli_json_put_bool(json, "converged", report->converged);
    cli_json_put_string(json, "stopped_by", report->stopped_by);
    cli_json_put_bool(json, "cancelled", report->cancelled);
    cli_json_put_count(json, "mistakes", report->mistakes);
    cli_json_put_count(json, "last_round_mistakes", report->last_round_mistakes);
    cli_json_put_number(json, "loss", report->loss);
    cli_json_put_string(json, "order", report->order);
    cli_json_put_count(json, "seed", cleave_model_seed(training->model));
    cli_json_put_count(json, "kept_round", report->kept_round);
    if (report->train_errors != UINT64_MAX)
        cli_json_put_count(json, "train_errors", report->train_errors);
    if (report->valid_n) {
        cli_json_put_count(json, "valid_n", report->valid_n);
        cli_json_put_count(json, "valid_errors", report->valid_errors);
    }
    for (size_t i = 0; i < report->figure_count; i++)
        if (!is_plain_member(report->figures[i].name))
            cli_json_put_number(json, report->figures[i].name, report->figures[i].value);
}

static void print_json(Out *out, const Training *training)
{
    const cleave_report *report = training->report;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    json_run(&json, training);
    cli_json_put_number(&json, "read_seconds", report->read_seconds);
    cli_json_put_number(&json, "read_cpu_seconds", report->read_cpu_seconds);
    cli_json_put_number(&json, "train_seconds", report->train_seconds);
    cli_json_put_number(&json, "train_cpu_seconds", report->train_cpu_seconds);
    json_rounds(&json, report);
    cli_json_put_string(&json, "model", training->call->settings.output);
    cli_json_remarks(&json, training->call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* ---- for people */

static void print_separation(Out *out, const Training *training)
{
    char ending[ENDING_SIZE], number[HUMAN_SIZE];
    double bound = cli_figure(training->report, "mistake_bound");
    double margin = cli_figure(training->report, "margin");

    if (!training->report->converged)
        return; /* said on stderr */
    cli_put(out, cli_ending(training->call, training->report, ending));
    if (isfinite(bound))
        cli_print(out, "; the bound (R/margin)^2 is %s", cli_short(bound, number));
    if (isfinite(margin))
        cli_print(out, ", the margin %s", cli_short(margin, number));
    cli_put(out, "\n");
}

static void print_valid(Out *out, const cleave_report *report)
{
    if (!report->valid_n)
        return;
    cli_print(out, "held out: %llu of %llu wrong, error %.2f %%", (unsigned long long)report->valid_errors,
              (unsigned long long)report->valid_n, 100 * (double)report->valid_errors / (double)report->valid_n);
    if (report->kept_round < report->passes)
        cli_print(out, "; round %u was the best and is kept", report->kept_round);
    cli_put(out, "\n");
}

static void print_next(Out *out, const Call *call)
{
    const char *model = call->settings.output, *word;
    char room[QUOTED_SIZE];

    if (!model || cli_to_stdout(call))
        return;
    word = cli_shell_word(model, room);
    cli_put(out, "model written to ");
    cli_put(out, model);
    cli_put(out, "\ntry next: cleave explain ");
    cli_put(out, word);
    cli_put(out, ", or cleave test ");
    cli_put(out, word);
    cli_put(out, " FILE on data it has not seen\n");
}

static void print_text(Out *out, const Training *training)
{
    const cleave_report *report = training->report;
    char a[HUMAN_SIZE], b[HUMAN_SIZE], c[HUMAN_SIZE], took[HUMAN_SIZE];

    cli_print(out, "read %s, %s, %s%s\n", cli_count(report->n, "row", "rows", a),
              cli_count(report->features, "feature", "features", b), cli_count(report->classes, "class", "classes", c),
              cli_took(report->read_seconds, took));
    cli_print(out, "trained %s%s: %s, rows %s; %s, %llu of them in the last\n", report->method,
              cli_took(report->train_seconds, took), cli_count(report->passes, "round", "rounds", a), report->order,
              cli_count(report->mistakes, "mistake", "mistakes", b), (unsigned long long)report->last_round_mistakes);
    print_separation(out, training);
    print_valid(out, report);
    print_next(out, training->call);
}

/* A run that did not converge says so, whoever reads. */
static void warn_of_ending(Training *training)
{
    Call *call = training->call;
    char ending[ENDING_SIZE], hint[ENDING_SIZE];

    if (training->report->converged)
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
    if (!call->settings.output && !report->cancelled)
        cli_remark(call, CLEAVE_LOG_WARNING, "the model was not kept", "-o FILE writes it to a file");
    if (call->settings.output && report->cancelled)
        cli_remark(call, CLEAVE_LOG_WARNING, "interrupted: the model is the best so far", "");
}

static int report_on(Training *training)
{
    Call *call = training->call;
    Out out;

    warn_of_ending(training);
    warn_of_fate(call, training->report);
    if (call->settings.quiet && !call->settings.json)
        return DONE;
    cli_out_file(&out, cli_to_stdout(call) ? stderr : stdout);
    if (call->settings.json)
        print_json(&out, training);
    else
        print_text(&out, training);
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static int keep(Training *training)
{
    Call *call = training->call;

    if (!call->settings.output) {
        if (!training->report->cancelled)
            return DONE;
        cli_misuse("interrupted; no -o was given, and nothing is kept");
        return FAILED;
    }
    return cleave_save(training->model, call->settings.output, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static int train(Training *training)
{
    Call *call = training->call;
    int status;

    if (cleave_train(call->context, call->method.name, training->data, training->valid, call->options[TABLE_TRAIN],
                     &training->model, &training->report, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    cli_progress_clear(&call->progress);
    call->deaf = true;
    status = keep(training);
    return status == DONE ? report_on(training) : status;
}

static int run(Call *call)
{
    Training training = {.call = call};
    int status = cli_check_output(call);

    call->keep_remarks = call->settings.json;
    if (status == DONE)
        status = open_inputs(&training);
    if (status == DONE)
        status = train(&training);
    cleave_report_free(training.report);
    cleave_model_free(training.model);
    cleave_data_free(training.valid);
    cleave_data_free(training.data);
    return status;
}

static const cleave_param flags[] = {
    {.name = "output",
     .alias = "o",
     .type = CLEAVE_TEXT,
     .help = "the file the model is written to, whole or not at all",
     .offset = offsetof(Settings, output)},
    {.name = "valid",
     .type = CLEAVE_TEXT,
     .help = "held-out data, for the stopping rules that watch it",
     .offset = offsetof(Settings, valid)},
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave train perceptron @spam6 --rate 0.5 -o spam.model",
    "cleave train perceptron @dogs --learn-threshold --rounds 20 --json",
    NULL,
};

const Verb cli_verb_train = {
    .name = "train",
    .arguments = "METHOD DATA...",
    .brief = "learn a model from labelled data",
    .about =
        "Reads the data (several files are read as one, - is standard input, @NAME a built-in set), trains the method "
        "on it and writes the model to the file named by -o. Ctrl-C ends the training early and keeps the model so "
        "far; a second one ends the program.",
    .examples = examples,
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN),
    .takes_method = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
