/* cleave tune: candidates of a method's parameters raced on folds, the best of them, whether it is better than the defaults, and the command that trains it. */
#include "cli/report/metric_value.h"
#include "cli/report/report_page.h"
#include "cli/report/train_summary.h"
#include "cli/report/tune_text.h"
#include "cli/ui/params.h"
#include "cli/ui/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_SHOWN = 10 };

/* ---- text that grows */

typedef struct {
    char *text; /* to be freed; NULL: empty */
    size_t length, capacity;
} Words;

static void add(Words *words, const char *text)
{
    size_t size = strlen(text) + 1;

    if (words->length + size > words->capacity) {
        words->capacity = 2 * words->capacity + size;
        words->text = cli_alloc(words->text, words->capacity, 1);
    }
    memcpy(words->text + words->length, text, size);
    words->length += size - 1;
}

/* ---- text */

/* A parameter of a step, such as "tfidf:min_df", is part of --transform. */
static bool is_of_step(const cleave_setting *setting)
{
    return strchr(setting->name, ':') != NULL;
}

char *cli_tune_settings(const cleave_candidate *candidate)
{
    Words words = {0};
    char flag[FLAG_SIZE];

    add(&words, "");
    for (size_t i = 0; i < candidate->setting_count; i++) {
        const cleave_setting *setting = &candidate->settings[i];
        bool plain = strcmp(setting->value, "true") == 0;

        if (is_of_step(setting))
            continue;
        add(&words, words.length ? " --" : "--");
        add(&words, cli_flag(setting->name, flag));
        add(&words, plain ? "" : " ");
        add(&words, plain ? "" : setting->value);
    }
    if (candidate->transform) {
        add(&words, words.length ? " --transform " : "--transform ");
        add(&words, candidate->transform);
    }
    return words.text;
}

char *cli_tune_space(const cleave_tune_result *result)
{
    char flag[FLAG_SIZE], number[HUMAN_SIZE];
    Words words = {0};

    add(&words, "");
    for (size_t i = 0; i < result->tuned_count; i++) {
        const cleave_tuned_param *tuned = &result->tuned[i];

        add(&words, i ? ", " : "");
        add(&words, cli_flag(tuned->name, flag));
        add(&words, tuned->scale == CLEAVE_TUNE_LOG ? " (log " : " (");
        if (tuned->scale == CLEAVE_TUNE_CHOICES) {
            for (const char *at = tuned->values; *at; at++)
                add(&words, *at == ',' ? ", " : (char[]){*at, '\0'});
        } else {
            add(&words, cli_short(tuned->low, number));
            add(&words, "..");
            add(&words, cli_short(tuned->high, number));
        }
        add(&words, ")");
    }
    return words.text;
}

static void print_space(Out *out, const cleave_tune_result *result)
{
    char *space = cli_tune_space(result);

    cli_print(out, "searched: %s\n", space);
    free(space);
}

static void print_rounds(Out *out, const cleave_tune_result *result)
{
    char candidates[HUMAN_SIZE];

    cli_count(result->candidate_count, "candidate", "candidates", candidates);
    if (result->exhausted)
        cli_print(out, "search space exhausted: %s\n", candidates);
    else if (result->rounds > 1)
        cli_print(out, "%s in %u rounds; later rounds draw every other candidate around the best\n", candidates,
                  result->rounds);
}

static void print_rung(Out *out, const cleave_rung *rung, size_t number)
{
    char entered[HUMAN_SIZE];

    cli_print(out, "rung %zu: %s, ", number, cli_count(rung->entered, "candidate", "candidates", entered));
    if (rung->share < 1)
        cli_print(out, "1/%.0f of the rows", 1 / rung->share);
    else
        cli_put(out, "all rows");
    if (rung->dropped)
        cli_print(out, "; %u hopeless after two folds, and given up", rung->dropped);
    if (rung->failed)
        cli_print(out, "; %u failed", rung->failed);
    cli_put(out, rung->finished ? "\n" : "; not finished: the budget was over\n");
}

static void candidate_row(Table *table, const cleave_tune_result *result, size_t place)
{
    const cleave_candidate *candidate = &result->candidates[place];
    char text[HUMAN_SIZE], sure[4 * HUMAN_SIZE];
    char *settings = cli_tune_settings(candidate);

    snprintf(text, sizeof text, "%zu", place + 1);
    cli_table_cell(table, text);
    cli_table_cell(table, cli_metric_text(result->metric, candidate->metric.value, text));
    cli_table_cell(table, cli_metric_bounds(result->metric, &candidate->metric, sure));
    snprintf(text, sizeof text, "%u", candidate->rung);
    cli_table_cell(table, text);
    snprintf(text, sizeof text, "%u", candidate->folds);
    cli_table_cell(table, text);
    snprintf(text, sizeof text, "%.2f s", candidate->seconds);
    cli_table_cell(table, text);
    cli_table_cell(table, candidate->number == 1 ? "the defaults" : settings);
    free(settings);
}

static void print_candidates(Out *out, const cleave_tune_result *result)
{
    char heading[HUMAN_SIZE];
    const char *titles[] = {"place",     cli_metric_heading(result->metric, heading), "95 %", "rung", "folds", "time",
                            "parameters"};
    size_t shown = result->candidate_count < BEST_SHOWN ? result->candidate_count : BEST_SHOWN;
    Table table;

    cli_table_init(&table, out, sizeof titles / sizeof *titles);
    table.left[6] = true;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        cli_table_cell(&table, titles[i]);
    for (size_t i = 0; i < shown; i++)
        candidate_row(&table, result, i);
    if (result->default_candidate >= shown)
        candidate_row(&table, result, result->default_candidate);
    cli_table_print(&table);
    cli_table_free(&table);
    if (result->candidate_count > shown + (result->default_candidate >= shown))
        cli_print(out, "(%zu candidates: --json has each)\n", result->candidate_count);
}

static void print_failure(Out *out, const cleave_tune_result *result)
{
    for (size_t i = 0; i < result->candidate_count; i++)
        if (result->candidates[i].failure) {
            char *settings = cli_tune_settings(&result->candidates[i]);

            cli_print(out, "failed: %s: %s\n", settings, result->candidates[i].failure);
            free(settings);
            return;
        }
}

static void print_apart(Out *out, const cleave_tune_result *result)
{
    const cleave_metric *metric = result->metric;
    const cleave_interval *winner = &result->holdout_winner, *defaults = &result->holdout_default;
    char rows[HUMAN_SIZE], name[METRIC_NAME_SIZE], value[4 * HUMAN_SIZE];

    cli_metric_name(metric, result->positive, name);
    if (result->holdout_rows == 0) {
        cli_print(out, "its %s is from the folds of the search: expect a slightly worse value on new rows\n", name);
        return;
    }
    cli_print(out, "on %s: %s %s", cli_count(result->holdout_rows, "held-out row", "held-out rows", rows), name,
              cli_metric_interval(metric, &(cleave_interval){winner->value, winner->low, winner->high}, value));
    if (result->default_candidate != 0)
        cli_print(
            out, ", the defaults %s; %s",
            cli_metric_interval(metric, &(cleave_interval){defaults->value, defaults->low, defaults->high}, value),
            result->holdout_summary);
    cli_put(out, "\n");
}

/* ---- the command that trains the winner */

/* In quotes where a shell needs them. */
static void put_word(Words *words, const char *word)
{
    char *quoted = cli_shell_word(word);

    add(words, quoted);
    free(quoted);
}

static const cleave_param *param_of(const Call *call, const char *name)
{
    const cleave_param *table, *param;
    int goes_to;

    for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++) {
        param = goes_to >= 0 ? cli_param_find(table, name) : NULL;
        if (param)
            return param;
    }
    return NULL;
}

static void put_flag(Words *words, const cleave_param *param, const char *value)
{
    char flag[FLAG_SIZE];

    cli_flag(param->name, flag);
    if (param->type == CLEAVE_FLAG) {
        add(words, strcmp(value, "false") == 0 ? " --no-" : " --");
        add(words, flag);
        return;
    }
    add(words, " --");
    add(words, flag);
    add(words, *value == '-' ? "=" : " ");
    put_word(words, value);
}

char *cli_tune_command(const Call *call, const cleave_tune_result *result)
{
    const cleave_candidate *winner = &result->candidates[0];
    Words all = {0}, *words = &all;

    add(words, "cleave train ");
    add(words, result->method);
    for (size_t i = 1; i < call->argument_count; i++) {
        add(words, " ");
        put_word(words, call->arguments[i]);
    }
    for (size_t i = 0; i < call->given_count; i++) {
        const cleave_param *param = param_of(call, call->given[i].name);

        if (param && !cli_param_find(cleave_tune_params(), call->given[i].name))
            put_flag(words, param, call->given[i].value);
    }
    for (size_t i = 0; i < winner->setting_count; i++)
        if (!is_of_step(&winner->settings[i]))
            put_flag(words, param_of(call, winner->settings[i].name), winner->settings[i].value);
    if (winner->transform)
        put_flag(words, param_of(call, "transform"), winner->transform);
    add(words, " -o ");
    add(words, result->method);
    add(words, ".model");
    return all.text;
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_tune_result *result = facts;
    char rows[HUMAN_SIZE], folds[HUMAN_SIZE], more[HUMAN_SIZE], took[HUMAN_SIZE];
    char *command = cli_tune_command(call, result);

    cli_print(out, "%s on %s in %s", result->method, cli_count(result->rows, "row", "rows", rows),
              cli_count(result->folds, result->forward ? "forward-chaining fold" : "fold",
                        result->forward ? "forward-chaining folds" : "folds", folds));
    if (result->groups)
        cli_print(out, " of %s", cli_count(result->groups, "group", "groups", more));
    cli_print(out, ", seed %llu%s\n", (unsigned long long)result->seed, cli_took(result->seconds, took));
    print_space(out, result);
    print_rounds(out, result);
    for (size_t i = 0; i < result->rung_count; i++)
        print_rung(out, &result->rungs[i], i + 1);
    print_candidates(out, result);
    print_failure(out, result);
    cli_print(out, "the winner: %s\n", result->summary);
    print_apart(out, result);
    if (*result->hint)
        cli_print(out, "%s\n", result->hint);
    cli_print(out, "train it:\n  %s\n", command);
    if (call->settings.report)
        cli_print(out, "report written to %s\n", call->settings.report);
    free(command);
}

/* ---- JSON */

static void json_settings(Json *json, const cleave_candidate *candidate)
{
    cli_json_key(json, "parameters");
    cli_json_open(json, '{');
    for (size_t i = 0; i < candidate->setting_count; i++)
        cli_json_put_string(json, candidate->settings[i].name, candidate->settings[i].value);
    cli_json_close(json, '}');
}

static void json_candidate(Json *json, const cleave_tune_result *result, const cleave_candidate *candidate)
{
    static const char *const fates[] = {"finished", "halved", "hopeless", "failed", "late"};

    cli_json_open(json, '{');
    cli_json_put_count(json, "number", candidate->number);
    json_settings(json, candidate);
    if (candidate->transform)
        cli_json_put_string(json, "transform", candidate->transform);
    cli_json_put_count(json, "rung", candidate->rung);
    cli_json_put_count(json, "folds", candidate->folds);
    cli_json_put_count(json, "n", candidate->rows);
    if (!result->regression)
        cli_json_put_count(json, "errors", candidate->errors);
    cli_json_put_number(json, "error", candidate->error);
    cli_json_bounds(json, candidate->error, candidate->low, candidate->high);
    cli_json_measure(json, "metric", &candidate->metric);
    cli_json_put_string(json, "fate", fates[candidate->status]);
    if (candidate->failure)
        cli_json_put_string(json, "failure", candidate->failure);
    cli_json_put_number(json, "seconds", candidate->seconds);
    cli_json_close(json, '}');
}

static void json_estimate(Json *json, const char *key, const cleave_interval *estimate)
{
    cli_json_key(json, key);
    cli_json_open(json, '{');
    cli_json_put_number(json, "value", estimate->value);
    cli_json_bounds(json, estimate->value, estimate->low, estimate->high);
    cli_json_close(json, '}');
}

static void json_space(Json *json, const cleave_tune_result *result)
{
    cli_json_key(json, "tuned");
    cli_json_open(json, '[');
    for (size_t i = 0; i < result->tuned_count; i++) {
        const cleave_tuned_param *tuned = &result->tuned[i];

        cli_json_open(json, '{');
        cli_json_put_string(json, "name", tuned->name);
        cli_json_put_string(json, "scale", cli_scale_name(tuned->scale));
        if (tuned->scale == CLEAVE_TUNE_CHOICES) {
            cli_json_put_string(json, "values", tuned->values);
        } else {
            cli_json_put_number(json, "low", tuned->low);
            cli_json_put_number(json, "high", tuned->high);
        }
        if (tuned->when)
            cli_json_put_string(json, "when", tuned->when);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_rungs(Json *json, const cleave_tune_result *result)
{
    cli_json_key(json, "rungs");
    cli_json_open(json, '[');
    for (size_t i = 0; i < result->rung_count; i++) {
        cli_json_open(json, '{');
        cli_json_put_number(json, "share", result->rungs[i].share);
        cli_json_put_count(json, "entered", result->rungs[i].entered);
        cli_json_put_count(json, "hopeless", result->rungs[i].dropped);
        cli_json_put_count(json, "failed", result->rungs[i].failed);
        cli_json_put_bool(json, "finished", result->rungs[i].finished);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_apart(Json *json, const cleave_tune_result *result)
{
    cli_json_key(json, "apart");
    if (result->holdout_rows == 0) {
        cli_json_null(json);
        return;
    }
    cli_json_open(json, '{');
    cli_json_put_count(json, "n", result->holdout_rows);
    json_estimate(json, "winner", &result->holdout_winner);
    json_estimate(json, "defaults", &result->holdout_default);
    if (result->metric->percent) {
        cli_json_put_count(json, "only_winner_wrong", result->holdout_only_winner);
        cli_json_put_count(json, "only_defaults_wrong", result->holdout_only_default);
    }
    cli_json_put_number(json, "p", result->holdout_p);
    cli_json_put_string(json, "verdict", result->holdout_summary);
    cli_json_close(json, '}');
}

static void json_command(Json *json, const Call *call, const cleave_tune_result *result)
{
    char *command = cli_tune_command(call, result);

    cli_json_put_string(json, "command", command);
    free(command);
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_tune_result *result = facts;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", result->method);
    cli_json_put_string(&json, "measure", result->regression ? "rmse" : "error_rate");
    cli_json_metric_open(&json, result->metric, result->positive, &result->candidates[0].metric);
    cli_json_close(&json, '}');
    cli_json_put_count(&json, "n", result->rows);
    cli_json_put_count(&json, "folds", result->folds);
    if (result->forward)
        cli_json_put_bool(&json, "forward_chaining", true);
    if (result->groups)
        cli_json_put_count(&json, "groups", result->groups);
    cli_json_put_count(&json, "seed", result->seed);
    json_space(&json, result);
    json_rungs(&json, result);
    cli_json_put_count(&json, "chosen_in", result->chosen_in);
    cli_json_put_bool(&json, "late", result->out_of_time);
    cli_json_put_bool(&json, "exhausted", result->exhausted);
    cli_json_put_count(&json, "rounds", result->rounds);
    cli_json_key(&json, "candidates");
    cli_json_open(&json, '[');
    for (size_t i = 0; i < result->candidate_count; i++)
        json_candidate(&json, result, &result->candidates[i]);
    cli_json_close(&json, ']');
    cli_json_only_value(&json, "gain", result->gain.value, "the winner was selected on these folds");
    cli_json_put_bool(&json, "gain_is_sure", result->gain_significant);
    cli_json_put_string(&json, "verdict", result->summary);
    cli_json_put_string(&json, "hint", result->hint);
    json_apart(&json, result);
    json_command(&json, call, result);
    cli_json_put_count(&json, "trials", result->trials);
    cli_json_put_count(&json, "found", result->resumed);
    cli_json_put_count(&json, "warm", result->warm_started);
    cli_json_put_number(&json, "seconds", result->seconds);
    cli_json_guesses(&json, call);
    if (call->settings.report)
        cli_json_put_string(&json, "report", call->settings.report);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* ---- the verb */

/* --over may be given several times: the library takes all of them as one. */
static int join_overs(Call *call)
{
    Words all = {0};
    int status = DONE;

    for (size_t i = 0; i < call->given_count; i++)
        if (strcmp(call->given[i].name, "over") == 0) {
            add(&all, all.text ? ";" : "");
            add(&all, call->given[i].value);
        }
    if (all.text && cleave_options_set(call->options[TABLE_TUNE], "over", all.text, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    free(all.text);
    return status;
}

static int run(Call *call)
{
    cleave_data *data = NULL;
    cleave_tune_result *result = NULL;
    int status;

    call->keep_remarks = call->settings.json;
    status = cli_check_report(call);
    if (status == DONE)
        status = join_overs(call);
    if (status == DONE)
        status = cli_open(call, NULL, call->arguments + 1, call->argument_count - 1, &data);
    if (status == DONE && cleave_tune(call->context, call->method.name, data, call->options[TABLE_TUNE],
                                      call->options[TABLE_TRAIN], &result, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    if (status == DONE && call->settings.report)
        status = cli_report_tune(call, result);
    if (status == DONE)
        status = cli_tell(call, print_text, print_json, result);
    cleave_tune_free(result);
    cleave_data_free(data);
    return status;
}

static const cleave_param flags[] = {
    CLI_REPORT_FLAG,
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave tune perceptron @dogs --folds 3 --candidates 8",
    "cleave tune knn @dogs --over k=1..3 --weight none --folds 3 --test-share 0 --json",
    "cleave tune svm @points5 --search-pipeline --folds 2 --candidates 4",
    NULL,
};

const Verb cli_verb_tune = {
    .name = "tune",
    .arguments = "METHOD DATA...",
    .brief = "Search for good hyperparameters of a method.",
    .about = "Draws candidates at random from the search space ('cleave tune METHOD --help'), the "
             "defaults first, and evaluates all on the same folds with successive halving. "
             "Candidates significantly worse than the best after two folds are dropped. Options "
             "that are given are fixed. The best candidate is compared with the defaults on held- "
             "out rows, and the command that trains with it is printed.",
    .examples = examples,
    .common = "budget candidates trials space over metric folds test-fraction test-share search- "
              "pipeline by-group by-time journal report transform label threads seed json quiet",
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN) | TABLE_BIT(TABLE_TUNE),
    .takes_method = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
