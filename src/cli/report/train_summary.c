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
    return call->settings.quiet && !call->settings.json ? DONE
                                                        : cli_tell(call, as_text, as_json, facts);
}

/* ---- how a run ended */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

const EpochUnit *cli_unit(const cleave_report *report)
{
    static const char *const batch[] = {"dcd", "gd", "lbfgs", "newton", "smo", "cg", NULL};
    static const EpochUnit units[] = {{"epochs", "epoch", "epochs", "--epochs"},
                                      {"epochs", "iteration", "iterations", "--max-iterations"},
                                      {"rounds", "boosting round", "boosting rounds", "--rounds"},
                                      {"trees", "tree", "trees", "--trees"}};

    if (strncmp(report->method, "boost", strlen("boost")) == 0)
        return &units[2];
    if (strncmp(report->method, "forest", strlen("forest")) == 0)
        return &units[3];
    return &units[is_one_of(report->solver, batch)];
}

void cli_json_ending(Json *json, bool converged, const char *stopped_by)
{
    if (!stopped_by || strcmp(stopped_by, "complete") != 0)
        cli_json_put_bool(json, "converged", converged);
    cli_json_put_string(json, "stopped_by", stopped_by);
}

static bool stopped_by(const cleave_report *report, const char *rule)
{
    return strcmp(report->stopped_by, rule) == 0;
}

bool cli_ended_well(const cleave_report *report)
{
    static const char *const fine[] = {"stream", "plateau", "complete", "early_stopping", NULL};

    return report->converged || is_one_of(report->stopped_by, fine);
}

/* Whether the limit of epochs, iterations, rounds or trees ended the run. */
static bool reached_limit(const cleave_report *report)
{
    static const char *const limits[] = {"epochs", "max_iterations", "rounds", "trees", NULL};

    return is_one_of(report->stopped_by, limits);
}

/* The option that ended the run, or "interrupted". */
static const char *stopping_option(const cleave_report *report, char buffer[FLAG_SIZE + 2])
{
    if (report->cancelled)
        return "interrupted";
    snprintf(buffer, FLAG_SIZE + 2, "--%s", FLAG_NAME(report->stopped_by));
    return buffer;
}

const char *cli_ending(const Call *call, const cleave_report *report, char buffer[ENDING_SIZE])
{
    char epochs[HUMAN_SIZE], option[FLAG_SIZE + 2];
    static const char *const exact[] = {"normal", "qr", NULL};
    /* SMO counts runs over all pairs as iterations, so that a single one is not informative */
    bool one_iteration = report->epochs == 1 && strcmp(report->solver, "smo") == 0;

    cli_count(report->epochs, cli_unit(report)->one, cli_unit(report)->many, epochs);
    if (!cli_ended_well(report))
        snprintf(buffer, ENDING_SIZE, "%s: not converged after %s (%s)%s%s", call->verb->name,
                 epochs, stopping_option(report, option), *report->summary ? ": " : "",
                 report->summary);
    else if (stopped_by(report, "complete") && *report->summary)
        snprintf(buffer, ENDING_SIZE, "%s", report->summary);
    else if (stopped_by(report, "stream"))
        snprintf(buffer, ENDING_SIZE, "one pass over the stream");
    else if (is_one_of(report->solver, exact))
        snprintf(buffer, ENDING_SIZE, "exact solution");
    else
        snprintf(buffer, ENDING_SIZE, "%s%s%s",
                 stopped_by(report, "early_stopping") ? "early stopping"
                 : stopped_by(report, "plateau")      ? "objective no longer decreasing"
                 : stopped_by(report, "complete")     ? "complete"
                                                      : "converged",
                 one_iteration ? "" : " after ", one_iteration ? "" : epochs);
    return buffer;
}

/* ---- hints */

static bool has_method(const char *name)
{
    for (size_t i = 0; i < cleave_method_count(); i++)
        if (strcmp(cleave_method(i).name, name) == 0)
            return true;
    return false;
}

/* Whether the user could set this option of the method and has not done so. A warm-start model
 * keeps its own options. */
static bool could_set(const Call *call, const char *name)
{
    return !call->settings.from && cli_param_find(call->method.params, name) &&
           !cli_was_given(call, name);
}

static bool can_average(const Call *call)
{
    const cleave_param *form = cli_param_find(call->method.params, "form");

    for (size_t i = 0; form && form->values && form->values[i]; i++)
        if (strcmp(form->values[i], "averaged") == 0)
            return !call->settings.from && !cli_was_given(call, "form") &&
                   !cli_was_given(call, "average");
    return false;
}

/* Whether the method multiplies its weights by a factor, as winnow does. */
static bool multiplies(const Call *call)
{
    return strcmp(call->method.name, "winnow") == 0;
}

/* Whether mistakes decreased over the last epochs without any increase. */
static bool has_decreased(const cleave_report *report, size_t epochs)
{
    const uint64_t *mistakes = report->epoch_mistakes + report->epoch_count - epochs;

    for (size_t i = 1; i < epochs; i++)
        if (mistakes[i] > mistakes[i - 1])
            return false;
    return epochs > 1 && mistakes[epochs - 1] < mistakes[0];
}

#define SWING_SIZE 96
static void describe_swing(const cleave_report *report, char buffer[SWING_SIZE])
{
    size_t epochs = report->epoch_count < 10 ? report->epoch_count : 10;
    double period = cli_figure(report, "cycle_epochs");
    unsigned long long least = report->least_epoch_mistakes, most = report->most_epoch_mistakes;

    buffer[0] = '\0';
    if (epochs < 2)
        return;
    if (isfinite(period)) {
        snprintf(buffer, SWING_SIZE, "the weights cycle with a period of %s",
                 COUNT((uint64_t)period, "epoch", "epochs"));
        return;
    }
    if (least == most)
        snprintf(buffer, SWING_SIZE, "%llu mistake%s in each of the last %zu epochs", most,
                 most == 1 ? "" : "s", epochs);
    else if (has_decreased(report, epochs))
        snprintf(buffer, SWING_SIZE, "mistakes fell from %llu to %llu in the last %zu epochs", most,
                 least, epochs);
    else
        snprintf(buffer, SWING_SIZE, "%llu to %llu mistakes in each of the last %zu epochs", least,
                 most, epochs);
}

/* A list of suggestions; `lead` precedes the first. */
typedef struct {
    char *buffer;
    const char *lead;
    bool any;
} Advice;

static void suggest(Advice *advice, const char *suggestion)
{
    size_t length = strlen(advice->buffer);

    snprintf(advice->buffer + length, ENDING_SIZE - length, "%s%s",
             advice->any ? ", " : advice->lead, suggestion);
    advice->any = true;
}

static void suggest_more(Advice *advice, const cleave_report *report)
{
    char more[48];

    snprintf(more, sizeof more, "more %s", cli_unit(report)->flag);
    suggest(advice, more);
}

/* Hints for an online method: the number of mistakes still decreases, or the classes are not
 * separable. */
static void advise_learner(const Call *call, const cleave_report *report, char *buffer)
{
    const size_t few_epochs = 10;
    Advice advice = {
        .buffer = buffer,
        .lead = multiplies(call)
                    ? "the factors may be too large, or the classes not linearly separable: try "
                    : "the classes may not be linearly separable: try "};
    char swing[SWING_SIZE];
    size_t length;

    describe_swing(report, swing);
    if (report->epoch_count < few_epochs && has_decreased(report, report->epoch_count)) {
        advice.lead = "try ";
        suggest_more(&advice, report);
    } else {
        if (could_set(call, "learn_threshold"))
            suggest(&advice, "--learn-threshold");
        if (multiplies(call))
            suggest(&advice, cli_was_given(call, "factor") || cli_was_given(call, "promotion")
                                 ? "factors closer to 1"
                                 : "factors closer to 1, such as --factor 4/5");
        if (could_set(call, "balanced"))
            suggest(&advice, "--balanced");
        if (has_method("svm") && strcmp(report->method, "svm") != 0)
            suggest(&advice, "the method svm");
        if (can_average(call))
            suggest(&advice, cli_param_find(call->method.params, "average") ? "--average"
                                                                            : "--form averaged");
        if (!multiplies(call) && !call->scaled)
            suggest(&advice, "--transform scale");
    }
    length = strlen(buffer);
    if (*swing)
        snprintf(buffer + length, ENDING_SIZE - length, "; %s", swing);
}

static bool fits_badly(const cleave_report *report)
{
    return report->classes > 1 && report->train_errors != UINT64_MAX &&
           4 * report->train_errors > report->rows;
}

/* Hints for a solver, whose duality gap bounds the distance from the optimum. */
static void advise_solver(const Call *call, const cleave_report *report, char *buffer)
{
    double gap = cli_figure(report, "gap");
    bool by_epochs = reached_limit(report);
    Advice advice = {.buffer = buffer, .lead = "try "};
    size_t length;

    if (gap >= 0 && gap < 1)
        snprintf(buffer, ENDING_SIZE, "the objective is at most %s%% above the optimum; ",
                 BRIEF(100 * gap / (1 - gap)));
    if (cli_was_given(call, "learning_rate"))
        suggest(&advice, "a lower --learning-rate");
    if (by_epochs)
        suggest_more(&advice, report);
    if (by_epochs && cli_param_find(call->method.params, "tolerance"))
        suggest(&advice, "a larger --tolerance");
    if (!call->scaled)
        suggest(&advice, "--transform scale");
    if (fits_badly(report) && has_method("kernel-svm"))
        suggest(&advice, "a nonlinear method such as kernel-svm");
    length = strlen(buffer);
    if (!by_epochs)
        snprintf(buffer + length, ENDING_SIZE - length, "%swithout the stopping rule",
                 advice.any ? ", or train " : "train ");
}

static void advise_regression(const Call *call, const cleave_report *report, char *buffer)
{
    double r2 = cli_figure(report, "train_r2");
    Advice advice = {.buffer = buffer, .lead = "try "};

    if (call->method.traits & CLEAVE_TRAIT_RATINGS) {
        suggest_more(&advice, report);
        suggest(&advice, "a larger --tolerance");
        return;
    }
    if (r2 < 0) {
        advice.lead = "the model is worse than the baseline that predicts the mean: try ";
        if (cli_param_find(call->method.params, "learning_rate"))
            suggest(&advice, "a smaller --learning-rate");
    } else {
        suggest_more(&advice, report);
        if (could_set(call, "learning_rate_decay"))
            suggest(&advice, "--learning-rate-decay");
    }
    if (has_method("least-squares") && strcmp(report->method, "least-squares") != 0)
        suggest(&advice, "the method least-squares");
    if (!call->scaled)
        suggest(&advice, "--transform scale");
}

bool cli_is_scaled(const cleave_model *model)
{
    cleave_pipeline_step stage;

    for (size_t i = 0; cleave_model_step(model, i, &stage); i++)
        if (strncmp(stage.text, "scale", 5) == 0 || strncmp(stage.text, "tfidf", 5) == 0 ||
            strncmp(stage.text, "running-scale", 13) == 0)
            return true;
    return false;
}

const char *cli_ending_hint(const Call *call, const cleave_report *report, char buffer[ENDING_SIZE])
{
    buffer[0] = '\0';
    if (cli_ended_well(report) || report->cancelled || report->kept_epoch < report->epochs)
        return buffer;
    if (report->classes == 0)
        advise_regression(call, report, buffer);
    else if (*report->solver || isfinite(cli_figure(report, "gap")) ||
             isfinite(cli_figure(report, "objective_value")))
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
    char took[HUMAN_SIZE];
    uint64_t most = done->bytes_in > done->bytes_out ? done->bytes_in : done->bytes_out;

    cli_print(out, "Wrote %s", COUNT(done->rows, "row", "rows"));
    if (done->columns)
        cli_print(out, ", %s", COUNT(done->columns, "column", "columns"));
    else if (done->features)
        cli_print(out, ", %s", COUNT(done->features, "feature", "features"));
    if (done->classes)
        cli_print(out, ", %s", COUNT(done->classes, "class", "classes"));
    cli_put(out, " to ");
    cli_put_name(out, cli_to_stdout(call) ? "standard output" : converted->path);
    cli_print(out, " (%s", BYTES(done->bytes_out));
    if (done->bytes_in)
        cli_print(out, " from %s", BYTES(done->bytes_in));
    cli_put(out, ")");
    cli_put(out, cli_took(done->seconds, took));
    if (*took)
        cli_print(out, ", %.0f MB/s", (double)most / 1e6 / done->seconds);
    cli_put(out, ".\n");
}

int cli_report_conversion(Call *call, const cleave_conversion *done, const char *path)
{
    return cli_tell_done(call, conversion_text, conversion_json, &(Converted){done, path});
}
