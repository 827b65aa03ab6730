/* cleave stream: online learning. Each example is predicted, evaluated, and then used for
 * training. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *follow, *predictions;
    bool rates;
} StreamFlags;

typedef struct {
    Call *call;
    const StreamFlags *given;
    cleave_stream *stream;
    Out out;
    bool to_stderr, head_printed;
    uint64_t began; /* examples of the warm-start model */
    uint64_t began_unlabeled;
    uint64_t reported; /* examples in the last line */
    FILE *predictions; /* NULL: not written */
    Out predicted;     /* writes to predictions */
    bool has_none;     /* a class "none" has appeared */
    bool abstained;    /* a row had no prediction, which is written as "none" */
    bool warned;       /* of both */
} Streaming;

/* ---- predictions */

static int predictions_failed(const char *path)
{
    return cli_failed("", "%s: cannot be written: %s", path, strerror(errno));
}

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;

    return a && b &&
           (strcmp(a, b) == 0 || (stat(a, &one) == 0 && stat(b, &other) == 0 &&
                                  one.st_dev == other.st_dev && one.st_ino == other.st_ino));
}

/* Checks that no output is an input and that the outputs differ. */
static int check_files(const Call *call)
{
    const Settings *settings = &call->settings;
    const StreamFlags *given = call->own;
    const char *input = given->follow              ? given->follow
                        : call->argument_count > 1 ? call->arguments[1]
                                                   : NULL;
    const char *labels = cleave_options_get(call->options[TABLE_STREAM], "labels_later");
    const char *predictions = given->predictions && strcmp(given->predictions, "-") != 0
                                  ? given->predictions
                                  : NULL;

    if (same_file(predictions, input))
        return cli_misuse("--predictions names '%s', which is the input: it would be overwritten",
                          predictions);
    if (same_file(predictions, labels))
        return cli_misuse("--predictions and --labels-later both name '%s'", predictions);
    if (same_file(settings->model, labels))
        return cli_misuse("-m and --labels-later both name '%s'", settings->model);
    if (same_file(predictions, settings->model))
        return cli_misuse("--predictions and -m both name '%s'", predictions);
    if (same_file(settings->model, input))
        return cli_misuse("-m names '%s', which is the input: it would be overwritten",
                          settings->model);
    CLI_TRY(cli_check_target(predictions));
    return cli_check_target(settings->model);
}

/* A resumed run discards predictions written after the model was saved: their rows are predicted
 * again. */
static int open_predictions(Streaming *streaming)
{
    const char *path = streaming->given->predictions;
    struct stat facts;
    uint64_t kept = 0;
    bool resumed;

    if (!path)
        return DONE;
    if (strcmp(path, "-") == 0) {
        streaming->predictions = stdout;
        cli_out_file(&streaming->predicted, stdout);
        return DONE;
    }
    resumed = cleave_stream_resumed(streaming->stream, NULL, NULL, &kept) && kept > 0 &&
              stat(path, &facts) == 0;
    if (resumed && (uint64_t)facts.st_size < kept)
        return cli_misuse("--predictions %s is not the file of the previous run, which wrote %llu "
                          "bytes: name that file or a new one",
                          path, (unsigned long long)kept);
    streaming->predictions = fopen(path, resumed ? "r+" : "w");
    if (!streaming->predictions)
        return predictions_failed(path);
    cli_out_file(&streaming->predicted, streaming->predictions);
    if (resumed && (ftruncate(fileno(streaming->predictions), (off_t)kept) != 0 ||
                    fseeko(streaming->predictions, 0, SEEK_END) != 0))
        return predictions_failed(path);
    return DONE;
}

static cleave_code predictions_error(const Streaming *streaming, int cause, cleave_error *error)
{
    const char *path = streaming->predictions == stdout ? "standard output"
                                                        : streaming->given->predictions;

    error->code = CLEAVE_ERROR_IO;
    error->message[0] = error->hint[0] = '\0';
    if (cause != EPIPE) /* the reader closed the pipe */
        snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", path,
                 strerror(cause));
    return CLEAVE_ERROR_IO;
}

static void watch_none(Streaming *streaming, const cleave_prediction *prediction)
{
    bool none = strcmp(prediction->label, "none") == 0;

    if (streaming->warned || streaming->call->method.tasks == CLEAVE_TASK_REGRESSION)
        return;
    streaming->abstained |= none && prediction->label_number == SIZE_MAX;
    streaming->has_none |= (none && prediction->label_number != SIZE_MAX) ||
                           (prediction->true_label && strcmp(prediction->true_label, "none") == 0);
    streaming->warned = streaming->abstained && streaming->has_none;
    if (streaming->warned)
        cli_warn_of_none(streaming->call, "rename the class to tell them apart");
}

static cleave_code take_prediction(void *user, const cleave_prediction *prediction,
                                   cleave_error *error)
{
    Streaming *streaming = user;
    Out *out = &streaming->predicted;

    if (!streaming->predictions)
        return CLEAVE_OK;
    watch_none(streaming, prediction);
    cli_put_value(out, prediction->label);
    for (size_t i = 0; streaming->call->settings.scores && i < prediction->score_count; i++)
        cli_print(out, "\t%s", EXACT(prediction->scores[i]));
    cli_put(out, "\n");
    return out->failed ? predictions_error(streaming, out->cause, error) : CLEAVE_OK;
}

static void caught_up(void *user)
{
    Streaming *streaming = user;

    if (streaming->predictions)
        cli_out_flush(&streaming->predicted);
    cli_out_flush(&streaming->out);
}

/* Predictions are on disk before the model that counts them is saved. */
static cleave_code before_saving(void *user, uint64_t *number, cleave_error *error)
{
    Streaming *streaming = user;
    FILE *file = streaming->predictions;
    struct stat facts;

    if (!file)
        return CLEAVE_OK;
    cli_out_flush(&streaming->predicted);
    if (streaming->predicted.failed)
        return predictions_error(streaming, streaming->predicted.cause, error);
    if (file == stdout || fstat(fileno(file), &facts) != 0 || !S_ISREG(facts.st_mode))
        return CLEAVE_OK;
    if (fsync(fileno(file)) != 0)
        return predictions_error(streaming, errno, error);
    *number = (uint64_t)ftello(file);
    return CLEAVE_OK;
}

/* ---- progress */

static const char *cell(double value, bool percent, char buffer[HUMAN_SIZE])
{
    if (isnan(value))
        return "-";
    if (!percent)
        return cli_brief(value, buffer);
    snprintf(buffer, HUMAN_SIZE, "%.2f%%", 100 * value);
    return buffer;
}

/* The columns of --rates, or, with NULL, their heads; then the end of the line. */
static void print_rates(Streaming *streaming, const cleave_stream_status *facts)
{
    char number[4][HUMAN_SIZE];

    if (streaming->given->rates && !facts)
        cli_print(&streaming->out, " %10s %10s %12s %10s", "missed", "window", "false alarm",
                  "window");
    else if (streaming->given->rates)
        cli_print(&streaming->out, " %10s %10s %12s %10s", cell(facts->missed, true, number[0]),
                  cell(facts->window_missed, true, number[1]),
                  cell(facts->false_alarms, true, number[2]),
                  cell(facts->window_false_alarms, true, number[3]));
    cli_put(&streaming->out, "\n");
}

static void print_line(Streaming *streaming, const cleave_stream_status *facts)
{
    char error[HUMAN_SIZE], window[HUMAN_SIZE], rate[HUMAN_SIZE], length[HUMAN_SIZE];
    bool percent = !facts->regression;
    Out *out = &streaming->out;

    if (!streaming->head_printed) {
        cli_print(out, "%12s %10s %10s %10s %8s %10s %10s", "examples", percent ? "error" : "MSE",
                  "window", "rate", "classes", "features", "|w|");
        print_rates(streaming, NULL);
    }
    streaming->head_printed = true;
    cli_print(out, "%12llu %10s %10s %10s %8zu %10zu %10s", (unsigned long long)facts->examples,
              cell(facts->error, percent, error), cell(facts->window_error, percent, window),
              cell(facts->learning_rate, false, rate), facts->classes, facts->features,
              cell(facts->weights_norm, false, length));
    print_rates(streaming, facts);
}

static void json_facts(Json *json, const Streaming *streaming, const cleave_stream_status *facts)
{
    cli_json_put_count(json, "examples", facts->examples);
    cli_json_put_count(json, "unlabeled", facts->unlabeled);
    cli_json_put_number(json, facts->regression ? "mse" : "error", facts->error);
    cli_json_put_number(json, facts->regression ? "window_mse" : "window_error",
                        facts->window_error);
    cli_json_put_number(json, "learning_rate", facts->learning_rate);
    cli_json_put_count(json, "classes", facts->classes);
    cli_json_put_count(json, "features", facts->features);
    cli_json_put_number(json, "weights_norm", facts->weights_norm);
    cli_json_put_count(json, "drifts", facts->alarms);
    if (!streaming->given->rates)
        return;
    cli_json_put_number(json, "missed", facts->missed);
    cli_json_put_number(json, "window_missed", facts->window_missed);
    cli_json_put_number(json, "false_alarms", facts->false_alarms);
    cli_json_put_number(json, "window_false_alarms", facts->window_false_alarms);
}

static void open_event(Json *json, const char *event)
{
    cli_json_open(json, '{');
    cli_json_put_string(json, "event", event);
}

static void close_event(Json *json)
{
    cli_json_close(json, '}');
    cli_json_end_line(json);
}

static void take_progress(void *user, const cleave_stream_status *facts)
{
    Streaming *streaming = user;
    Json json = {.out = &streaming->out};

    streaming->reported = facts->examples;
    if (streaming->call->settings.json) {
        open_event(&json, "progress");
        json_facts(&json, streaming, facts);
        close_event(&json);
    } else if (!streaming->call->settings.quiet) {
        print_line(streaming, facts);
    }
}

static void take_drift(void *user, const cleave_stream_drift *drift)
{
    Streaming *streaming = user;
    Json json = {.out = &streaming->out};
    bool regression = streaming->call->method.tasks == CLEAVE_TASK_REGRESSION;

    if (streaming->call->settings.json) {
        open_event(&json, "drift");
        cli_json_put_count(&json, "example", drift->example);
        cli_json_put_number(&json, "before", drift->before);
        cli_json_put_number(&json, "now", drift->now);
        cli_json_put_number(&json, "z", drift->z);
        close_event(&json);
    } else if (!streaming->call->settings.quiet) {
        cli_print(
            &streaming->out,
            "Drift at example %llu: %s %.1f%% in the recent window, %.1f%% before (z = %.1f).\n",
            (unsigned long long)drift->example, regression ? "large errors" : "error",
            100 * drift->now, 100 * drift->before, drift->z);
    }
}

/* Almost no row has a label: probably another column is the label. */
static void warn_unlabeled(const Streaming *streaming, const cleave_stream_status *facts)
{
    enum { ROWS_ENOUGH = 100 };
    uint64_t unlabeled = facts->unlabeled - streaming->began_unlabeled;
    uint64_t rows = facts->examples - streaming->began + unlabeled;
    char message[128];

    if (streaming->predictions || rows < ROWS_ENOUGH || 100 * (rows - unlabeled) >= rows)
        return;
    snprintf(message, sizeof message,
             "%llu of %llu rows have no label and were not used for training",
             (unsigned long long)unlabeled, (unsigned long long)rows);
    cli_remark(
        streaming->call, CLEAVE_LOG_WARNING, message,
        "--label NAME selects the label column of a table; --format text reads label<TAB>text");
}

/* Runs also after an unreadable line, because earlier examples were used for training. */
static void print_end(Streaming *streaming, bool failed)
{
    const Settings *settings = &streaming->call->settings;
    cleave_stream_status facts;
    Json json = {.out = &streaming->out};

    cleave_stream_get_status(streaming->stream, &facts);
    if (settings->json) {
        open_event(&json, "end");
        json_facts(&json, streaming, &facts);
        cli_json_put_count(&json, "skipped", facts.skipped);
        cli_json_put_bool(&json, "cancelled", facts.cancelled);
        cli_json_put_string(&json, "model", settings->model);
        close_event(&json);
    } else if (!settings->quiet) {
        if (facts.examples > streaming->reported)
            print_line(streaming, &facts);
        if (facts.unlabeled)
            cli_print(&streaming->out, "Unlabeled: %s, predicted only.\n",
                      COUNT(facts.unlabeled, "row", "rows"));
        if (facts.skipped)
            cli_print(&streaming->out, "Skipped: %s that could not be read.\n",
                      COUNT(facts.skipped, "line", "lines"));
        if (settings->model && facts.saved && facts.examples > (failed ? streaming->began : 0)) {
            cli_put(&streaming->out, failed ? "Model so far written to " : "Model written to ");
            cli_put_name(&streaming->out, settings->model);
            cli_put(&streaming->out, ".\n");
        }
    }
    cli_out_flush(&streaming->out);
    if (!failed && !facts.cancelled && facts.examples == streaming->began && !facts.unlabeled &&
        !facts.skipped)
        cli_remark(streaming->call, CLEAVE_LOG_NOTE,
                   streaming->began ? "no new examples"
                                    : "the input has no examples: the model is not trained",
                   "");
    if (!failed && !facts.cancelled)
        warn_unlabeled(streaming, &facts);
    if (facts.cancelled)
        cli_remark(streaming->call, CLEAVE_LOG_WARNING,
                   settings->model ? "interrupted: the same command resumes"
                                   : "interrupted: no model is saved without -m",
                   "");
}

/* ---- all of it */

static int begin(Streaming *streaming)
{
    Call *call = streaming->call;
    cleave_stream_callbacks watch = {.prediction = streaming->given->predictions ? take_prediction
                                                                                 : NULL,
                                     .progress = take_progress,
                                     .drift = take_drift,
                                     .caught_up = caught_up,
                                     .saving = before_saving,
                                     .user = streaming};
    cleave_stream_status facts;
    uint64_t examples, bytes;
    char note[128], count[HUMAN_SIZE];

    if (cleave_stream_new(call->context, call->method.name, call->settings.model,
                          call->options[TABLE_STREAM], &watch, &streaming->stream,
                          &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (cleave_stream_resumed(streaming->stream, &examples, &bytes, NULL)) {
        snprintf(note, sizeof note, "resuming after %s; the first %s of the input are skipped",
                 cli_count(examples, "example", "examples", count), BYTES(bytes));
        if (bytes == 0)
            snprintf(note, sizeof note, "resuming after %s", count);
        cli_remark(call, CLEAVE_LOG_NOTE, note, "");
        streaming->began = streaming->reported = examples;
        cleave_stream_get_status(streaming->stream, &facts);
        streaming->began_unlabeled = facts.unlabeled;
    }
    return open_predictions(streaming);
}

static int read_stream(Streaming *streaming)
{
    Call *call = streaming->call;
    const char *path = call->argument_count > 1 ? call->arguments[1] : "-";
    const cleave_options *options = call->options[TABLE_READ];
    cleave_code code;

    CLI_TRY(cli_imply_task(call));
    code = streaming->given->follow
               ? cleave_stream_follow(streaming->stream, streaming->given->follow, options,
                                      &call->error)
               : cleave_stream_read(streaming->stream, path, options, &call->error);
    if (code == CLEAVE_OK || (code == CLEAVE_ERROR_DATA && !call->settings.json))
        print_end(streaming, code != CLEAVE_OK);
    cli_out_flush(&streaming->out);
    return code == CLEAVE_OK ? DONE : cli_fail(call);
}

static int finish(Streaming *streaming, int status)
{
    Call *call = streaming->call;
    bool own = streaming->predictions && streaming->predictions != stdout;

    if (streaming->predictions)
        cli_out_flush(&streaming->predicted);
    if (streaming->predictions && streaming->predicted.failed && status == DONE) {
        predictions_error(streaming, streaming->predicted.cause, &call->error);
        status = cli_fail(call);
    }
    if (own && fclose(streaming->predictions) != 0 && status == DONE)
        status = predictions_failed(streaming->given->predictions);
    if (cli_out_close(&streaming->out, &call->error) != CLEAVE_OK && status == DONE)
        status = cli_fail(call);
    cleave_stream_free(streaming->stream);
    return status;
}

static int run(Call *call)
{
    Streaming streaming = {.call = call, .given = call->own};
    const Settings *settings = &call->settings;
    StreamFlags *given = call->own;
    int status;

    if (cli_is_stdout(given->predictions))
        given->predictions = "-";
    if (given->follow && call->argument_count > 1)
        return cli_misuse("--follow %s is the input: omit '%s'", given->follow, call->arguments[1]);
    status = check_files(call);
    if (status != DONE)
        return status;
    if (settings->scores && !given->predictions)
        return cli_misuse(
            "--scores requires --predictions FILE, or --predictions - for standard output");
    if (given->rates && call->method.tasks == CLEAVE_TASK_REGRESSION)
        return cli_misuse("--rates needs a classification method, and '%s' is a regression method",
                          call->method.name);
    if (settings->model && strcmp(settings->model, "-") == 0)
        return cli_misuse("-m needs the name of a file: the model is also read from it");
    streaming.to_stderr = given->predictions && strcmp(given->predictions, "-") == 0;
    cli_out_file(&streaming.out, streaming.to_stderr ? stderr : stdout);
    status = begin(&streaming);
    if (status == DONE)
        status = read_stream(&streaming);
    return finish(&streaming, status);
}

static const cleave_param flags[] = {
    CLI_MODEL("Save the model to this file; resume from it if it exists."),
    CLI_OWN_TEXT(StreamFlags, follow,
                 "Follow a growing file, or a folder that receives documents (maildir)."),
    CLI_OWN_TEXT(StreamFlags, predictions,
                 "Write one prediction per row to this file; - is standard output."),
    CLI_OWN_FLAG(StreamFlags, rates,
                 "Two classes: print the rates of missed positives and false alarms."),
    CLI_FLAG(scores, "Print scores after the predicted labels."),
    {.name = NULL},
};

static bool suits(const cleave_method_info *method)
{
    return method->streams;
}

static const char *const examples[] = {
    "cleave stream perceptron @spam6",
    "cleave generate spam --rows 2000 -o mail.tsv",
    "cleave stream logistic mail.tsv -m mail.model",
    "tail -n 20 mail.tsv | cleave stream logistic -m mail.model --input-continues",
    NULL,
};

const Verb cli_verb_stream = {
    .name = "stream",
    .arguments = "METHOD [DATA]",
    .brief = "Learn online: predict each example, then learn from it.",
    .about = "Reads lines as they arrive from standard input, a pipe or a file, or new documents "
             "of a folder (--follow). Rows without a label are only predicted. Reports the "
             "progressive error over all examples and over a window at 1, 2, 4, 8, ... examples. "
             "With -m, the model and the position in the input are saved: the same command resumes "
             "after an interruption.",
    .examples = examples,
    .common = "model follow predictions scores known-classes window forget save-every skip-bad "
              "label columns seed json quiet",
    .flags = flags,
    .own_size = sizeof(StreamFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_STREAM),
    .takes_method = true,
    .suits = suits,
    .shows_notes = true,
    .least = 1,
    .most = 2,
    .run = run,
};
