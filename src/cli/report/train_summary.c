#include "cli/report/train_summary.h"

#include "cli/ui/human_numbers.h"

#include <math.h>
#include <string.h>

double cli_figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return NAN;
}

int cli_tell(Call *call, Telling *as_text, Telling *as_json, const void *facts)
{
    Out out;

    cli_progress_clear(&call->progress);
    cli_out_file(&out, cli_to_stdout(call) ? stderr : stdout);
    (call->settings.json ? as_json : as_text)(&out, call, facts);
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

int cli_tell_done(Call *call, Telling *as_text, Telling *as_json, const void *facts)
{
    cli_progress_clear(&call->progress);
    return call->settings.quiet && !call->settings.json ? DONE : cli_tell(call, as_text, as_json, facts);
}

/* ---- how a run ended */

void cli_json_ending(Json *json, bool converged, const char *stopped_by)
{
    if (!stopped_by || strcmp(stopped_by, "complete") != 0)
        cli_json_put_bool(json, "converged", converged);
    cli_json_put_string(json, "stopped_by", stopped_by);
}

/* A rule is called as the flag that sets it where there is one. */
static const char *rule_name(const char *rule, char buffer[FLAG_SIZE + 2])
{
    char flag[FLAG_SIZE];

    if (strcmp(rule, "held-out") == 0)
        return "the held-out data";
    if (strcmp(rule, "cancelled") == 0)
        return "an interrupt";
    if (!cli_param_find(cleave_train_params(), rule))
        return rule;
    snprintf(buffer, FLAG_SIZE + 2, "--%s", cli_flag(rule, flag));
    return buffer;
}

static bool was_stream(const cleave_report *report)
{
    return strcmp(report->stopped_by, "stream") == 0;
}

bool cli_ended_well(const cleave_report *report)
{
    return report->converged || was_stream(report) || strcmp(report->stopped_by, "plateau") == 0 ||
           strcmp(report->stopped_by, "complete") == 0;
}

static const char *converged_ending(const cleave_report *report, char buffer[ENDING_SIZE])
{
    char mistakes[HUMAN_SIZE], rounds[HUMAN_SIZE];

    cli_count(report->mistakes, "mistake", "mistakes", mistakes);
    cli_count(report->epochs, "round", "rounds", rounds);
    if (*report->summary)
        snprintf(buffer, ENDING_SIZE, "%s", report->summary);
    else if (was_stream(report))
        buffer[0] = '\0';
    else if (!report->counts_mistakes)
        snprintf(buffer, ENDING_SIZE, "settled after %s", rounds);
    else
        snprintf(buffer, ENDING_SIZE, "separated after %s in %s", mistakes, rounds);
    return buffer;
}

const char *cli_ending(const Call *call, const cleave_report *report, char buffer[ENDING_SIZE])
{
    char mistakes[HUMAN_SIZE], rounds[HUMAN_SIZE], rmse[HUMAN_SIZE], rule[FLAG_SIZE + 2];
    const char *ended_by = rule_name(report->cancelled ? "cancelled" : report->stopped_by, rule);

    if (cli_ended_well(report))
        return converged_ending(report, buffer);
    cli_count(report->epochs, "round", "rounds", rounds);
    if (*report->summary)
        snprintf(buffer, ENDING_SIZE, "%s: %s; stopped by %s after %s", call->verb->name, report->summary, ended_by,
                 rounds);
    else if (report->classes == 0 && isfinite(cli_figure(report, "train_rmse")))
        snprintf(buffer, ENDING_SIZE, "%s: not settled after %s, RMSE %s; stopped by %s", call->verb->name, rounds,
                 cli_brief(cli_figure(report, "train_rmse"), rmse), ended_by);
    else if (report->classes == 0)
        snprintf(buffer, ENDING_SIZE, "%s: not settled after %s; stopped by %s", call->verb->name, rounds, ended_by);
    else if (report->train_errors != UINT64_MAX)
        snprintf(buffer, ENDING_SIZE, "%s: %llu of %llu examples still wrong after %s; stopped by %s", call->verb->name,
                 (unsigned long long)report->train_errors, (unsigned long long)report->rows, rounds, ended_by);
    else if (!report->counts_mistakes)
        snprintf(buffer, ENDING_SIZE, "%s: not settled after %s; stopped by %s", call->verb->name, rounds, ended_by);
    else
        snprintf(buffer, ENDING_SIZE, "%s: %s on %llu examples in the last of %s; stopped by %s", call->verb->name,
                 cli_count(report->last_epoch_mistakes, "mistake", "mistakes", mistakes),
                 (unsigned long long)report->rows, rounds, ended_by);
    return buffer;
}

/* ---- what may help */

static bool has_method(const char *name)
{
    for (size_t i = 0; i < cleave_method_count(); i++)
        if (strcmp(cleave_method(i).name, name) == 0)
            return true;
    return false;
}

/* The method has such a parameter, and it was left alone. A model gone on from has its own. */
static bool could_set(const Call *call, const char *name)
{
    return !call->settings.from && cli_param_find(call->method.params, name) && !cli_was_given(call, name);
}

static bool can_average(const Call *call)
{
    const cleave_param *form = cli_param_find(call->method.params, "form");

    for (size_t i = 0; form && form->values && form->values[i]; i++)
        if (strcmp(form->values[i], "averaged") == 0)
            return !call->settings.from && !cli_was_given(call, "form") && !cli_was_given(call, "average");
    return false;
}

/* A method that multiplies its weights, of features of 0 and 1. */
static bool multiplies(const Call *call)
{
    return cli_param_find(call->method.params, "promotion") && cli_param_find(call->method.params, "demotion");
}

/* Over the last so many rounds: never more mistakes than before, and fewer in the end. */
static bool fell(const cleave_report *report, size_t rounds)
{
    const uint64_t *mistakes = report->epoch_mistakes + report->epoch_count - rounds;

    for (size_t i = 1; i < rounds; i++)
        if (mistakes[i] > mistakes[i - 1])
            return false;
    return rounds > 1 && mistakes[rounds - 1] < mistakes[0];
}

#define SWING_SIZE 96
static void describe_swing(const cleave_report *report, char buffer[SWING_SIZE])
{
    size_t rounds = report->epoch_count < 10 ? report->epoch_count : 10;
    unsigned long long least = report->least_epoch_mistakes, most = report->most_epoch_mistakes;

    buffer[0] = '\0';
    if (rounds < 2)
        return;
    if (least == most)
        snprintf(buffer, SWING_SIZE, "the last %zu rounds made %llu mistake%s each", rounds, most,
                 most == 1 ? "" : "s");
    else if (fell(report, rounds))
        snprintf(buffer, SWING_SIZE, "mistakes fell from %llu to %llu over the last %zu rounds", most, least, rounds);
    else
        snprintf(buffer, SWING_SIZE, "the last %zu rounds swung between %llu and %llu mistakes", rounds, least, most);
}

/* Things to try, one after another; the first is preceded by `lead`. */
typedef struct {
    char *buffer;
    const char *lead;
    bool any;
} Advice;

static void suggest(Advice *advice, const char *what)
{
    size_t length = strlen(advice->buffer);

    snprintf(advice->buffer + length, ENDING_SIZE - length, "%s%s", advice->any ? ", " : advice->lead, what);
    advice->any = true;
}

/* Mistake by mistake: it goes on getting better, or it never will. */
static void advise_learner(const Call *call, const cleave_report *report, char *buffer)
{
    const size_t few_rounds = 10;
    Advice advice = {.buffer = buffer,
                     .lead = multiplies(call) ? "the factors may be too large, or the classes not separable: try "
                                              : "the classes may not be separable: try "};
    char swing[SWING_SIZE];
    size_t length;

    describe_swing(report, swing);
    if (report->epoch_count < few_rounds && fell(report, report->epoch_count)) {
        advice.lead = "try ";
        suggest(&advice, "more --epochs");
    } else {
        if (could_set(call, "learn_threshold"))
            suggest(&advice, "--learn-threshold");
        if (multiplies(call))
            suggest(&advice, cli_was_given(call, "factor") || cli_was_given(call, "promotion")
                                 ? "factors nearer to 1"
                                 : "factors nearer to 1, as with --factor 4/5");
        if (could_set(call, "balanced"))
            suggest(&advice, "--balanced");
        if (has_method("svm") && strcmp(report->method, "svm") != 0)
            suggest(&advice, "'svm'");
        if (can_average(call))
            suggest(&advice, cli_param_find(call->method.params, "average") ? "--average" : "--form averaged");
        if (!multiplies(call) && !call->scaled)
            suggest(&advice, "scaling the features");
    }
    length = strlen(buffer);
    if (*swing)
        snprintf(buffer + length, ENDING_SIZE - length, "; %s", swing);
}

static bool fits_badly(const cleave_report *report)
{
    return report->classes > 1 && report->train_errors != UINT64_MAX && 4 * report->train_errors > report->rows;
}

/* "more --epochs", or the limit that stopped it. */
static const char *more_epochs(const cleave_report *report)
{
    return strcmp(report->stopped_by, "max_iterations") == 0 ? "more --max-iterations" : "more --epochs";
}

/* A solver knows how far it may be from the best there is. */
static void advise_solver(const Call *call, const cleave_report *report, char *buffer)
{
    double gap = cli_figure(report, "gap");
    bool by_rounds = strcmp(report->stopped_by, "epochs") == 0 || strcmp(report->stopped_by, "max_iterations") == 0;
    Advice advice = {.buffer = buffer, .lead = "try "};
    char number[HUMAN_SIZE];
    size_t length;

    if (gap >= 0 && gap < 1)
        snprintf(buffer, ENDING_SIZE, "it is at most %s %% above the best there is; ",
                 cli_brief(100 * gap / (1 - gap), number));
    if (cli_was_given(call, "learning_rate"))
        suggest(&advice, "a lower --learning-rate");
    if (by_rounds)
        suggest(&advice, more_epochs(report));
    if (by_rounds && cli_param_find(call->method.params, "tolerance"))
        suggest(&advice, "a larger --tolerance");
    if (!call->scaled)
        suggest(&advice, "scaling the features");
    if (fits_badly(report) && has_method("kernel-svm"))
        suggest(&advice, "a curved boundary ('kernel-svm')");
    length = strlen(buffer);
    if (!by_rounds)
        snprintf(buffer + length, ENDING_SIZE - length, ", or leave out the rule that stopped it");
}

static void advise_regression(const Call *call, const cleave_report *report, char *buffer)
{
    double r2 = cli_figure(report, "train_r2");
    Advice advice = {.buffer = buffer, .lead = "try "};

    if (r2 < 0) {
        advice.lead = "it is worse than the mean of the targets: try ";
        if (cli_param_find(call->method.params, "learning_rate"))
            suggest(&advice, "a smaller --learning-rate");
    } else {
        suggest(&advice, more_epochs(report));
        if (could_set(call, "learning_rate_decay"))
            suggest(&advice, "--learning-rate-decay");
    }
    if (has_method("least-squares") && strcmp(report->method, "least-squares") != 0)
        suggest(&advice, "'least-squares'");
    if (!call->scaled)
        suggest(&advice, "scaling the features");
}

const char *cli_ending_hint(const Call *call, const cleave_report *report, char buffer[ENDING_SIZE])
{
    buffer[0] = '\0';
    if (cli_ended_well(report) || report->cancelled || report->kept_epoch < report->epochs)
        return buffer; /* nothing is wrong with a run that held-out data ended */
    if (report->classes == 0)
        advise_regression(call, report, buffer);
    else if (*report->solver || isfinite(cli_figure(report, "gap")) || isfinite(cli_figure(report, "objective_value")))
        advise_solver(call, report, buffer);
    else
        advise_learner(call, report, buffer);
    return buffer;
}

void cli_json_remarks(Json *json, const Call *call)
{
    if (json->out->in_page)
        return;
    if (call->settings.report)
        cli_json_put_string(json, "report", call->settings.report);
    cli_json_open_key(json, "warnings", '[');
    for (size_t i = 0; i < call->remark_count; i++) {
        const Remark *remark = &call->remarks[i];

        if (remark->level != CLEAVE_LOG_WARNING)
            continue;
        cli_json_open(json, '{');
        cli_json_put_string(json, "message", remark->message);
        cli_json_put_string(json, "hint", remark->hint);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_json_guess_list(Json *json, const cleave_guess *guesses, size_t count)
{
    cli_json_open_key(json, "guesses", '[');
    for (size_t i = 0; i < count; i++) {
        cli_json_open(json, '{');
        cli_json_put_string(json, "what", guesses[i].what);
        cli_json_put_string(json, "value", guesses[i].value);
        cli_json_put_string(json, "option", guesses[i].option);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_json_guesses(Json *json, const Call *call)
{
    size_t count = 0;
    const cleave_guess *guesses = call->data ? cleave_data_guesses(call->data, &count) : NULL;

    cli_json_guess_list(json, guesses, count);
}

/* ---- convert, generate */

typedef struct {
    const cleave_conversion *done;
    const char *path;
} Converted;

static void conversion_json(Out *out, const Call *call, const void *facts)
{
    const Converted *converted = facts;
    const cleave_conversion *done = converted->done;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "output", converted->path);
    cli_json_put_count(&json, "rows", done->rows);
    cli_json_put_count(&json, "features", done->features);
    if (done->columns)
        cli_json_put_count(&json, "columns", done->columns);
    cli_json_put_count(&json, "classes", done->classes);
    cli_json_put_count(&json, "entries", done->entries);
    cli_json_put_count(&json, "bytes_in", done->bytes_in);
    cli_json_put_count(&json, "bytes_out", done->bytes_out);
    cli_json_put_number(&json, "seconds", done->seconds);
    cli_json_put_number(&json, "cpu_seconds", done->cpu_seconds);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

static void conversion_text(Out *out, const Call *call, const void *facts)
{
    const Converted *converted = facts;
    const cleave_conversion *done = converted->done;
    char rows[HUMAN_SIZE], features[HUMAN_SIZE], classes[HUMAN_SIZE], size[HUMAN_SIZE], from[HUMAN_SIZE];
    char took[HUMAN_SIZE];
    uint64_t most = done->bytes_in > done->bytes_out ? done->bytes_in : done->bytes_out;

    cli_put(out, cli_count(done->rows, "row", "rows", rows));
    if (done->columns)
        cli_print(out, ", %s", cli_count(done->columns, "column", "columns", features));
    else if (done->features)
        cli_print(out, ", %s", cli_count(done->features, "feature", "features", features));
    if (done->classes)
        cli_print(out, ", %s", cli_count(done->classes, "class", "classes", classes));
    cli_put(out, " written to ");
    cli_put_name(out, cli_to_stdout(call) ? "standard output" : converted->path);
    cli_print(out, ": %s", cli_bytes(done->bytes_out, size));
    if (done->bytes_in)
        cli_print(out, " from %s", cli_bytes(done->bytes_in, from));
    cli_put(out, cli_took(done->seconds, took));
    if (*took)
        cli_print(out, ", %.0f MB/s", (double)most / 1e6 / done->seconds);
    cli_put(out, "\n");
}

int cli_report_conversion(Call *call, const cleave_conversion *done, const char *path)
{
    return cli_tell_done(call, conversion_text, conversion_json, &(Converted){done, path});
}
