/* cleave tune: candidates of a method's hyperparameters, evaluated on folds, and the command
 * that trains with the best one. */
#include "cli/ui/params.h"
#include "cli/verbs/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_SHOWN = 10 };

/* ---- text */

/* A parameter of a step, such as "tfidf:min_df", is part of --transform. */
static bool is_of_step(const cleave_setting *setting)
{
    return strchr(setting->name, ':') != NULL;
}

static char *tune_settings(const cleave_candidate *candidate)
{
    CommandText words = {0};

    cli_add(&words, "");
    for (size_t i = 0; i < candidate->setting_count; i++) {
        const cleave_setting *setting = &candidate->settings[i];
        bool plain = strcmp(setting->value, "true") == 0;

        if (is_of_step(setting))
            continue;
        cli_add(&words, words.length ? " --" : "--");
        cli_add(&words, FLAG_NAME(setting->name));
        cli_add(&words, plain ? "" : " ");
        cli_add(&words, plain ? "" : setting->value);
    }
    if (candidate->transform) {
        cli_add(&words, words.length ? " --transform " : "--transform ");
        cli_add(&words, candidate->transform);
    }
    return words.text;
}

static char *tune_space(const cleave_tune_result *result)
{
    CommandText words = {0};

    cli_add(&words, "");
    for (size_t i = 0; i < result->tuned_count; i++) {
        const cleave_tuned_param *tuned = &result->tuned[i];

        cli_add(&words, i ? ", " : "");
        cli_add(&words, FLAG_NAME(tuned->name));
        cli_add(&words, tuned->scale == CLEAVE_TUNE_LOG ? " (log " : " (");
        if (tuned->scale == CLEAVE_TUNE_CHOICES) {
            for (const char *at = tuned->values; *at; at++)
                cli_add(&words, *at == ',' ? ", " : (char[]){*at, '\0'});
        } else {
            cli_add(&words, SHORT(tuned->low));
            cli_add(&words, "..");
            cli_add(&words, SHORT(tuned->high));
        }
        cli_add(&words, ")");
    }
    return words.text;
}

static void print_batches(Out *out, const cleave_tune_result *result)
{
    char candidates[HUMAN_SIZE];

    cli_count(result->candidate_count, "candidate", "candidates", candidates);
    if (result->exhausted)
        cli_print(out, "Search space exhausted: %s.\n", candidates);
    else if (result->rounds > 1)
        cli_print(out,
                  "%s in %u batches; later batches sample half of the candidates near the best.\n",
                  candidates, result->rounds);
}

static void print_rung(Out *out, const cleave_rung *rung, size_t number)
{
    cli_print(out, "Rung %zu: %s, ", number, COUNT(rung->entered, "candidate", "candidates"));
    if (rung->share < 1)
        cli_print(out, "1/%.0f of the rows", 1 / rung->share);
    else
        cli_put(out, "all rows");
    if (rung->dropped)
        cli_print(out, "; %u dropped after two folds", rung->dropped);
    if (rung->failed)
        cli_print(out, "; %u failed", rung->failed);
    cli_put(out, rung->finished ? ".\n" : "; not finished within the budget.\n");
}

static void candidate_row(TextTable *table, const cleave_tune_result *result, size_t place)
{
    const cleave_candidate *candidate = &result->candidates[place];
    char text[HUMAN_SIZE], sure[4 * HUMAN_SIZE];
    char *settings = tune_settings(candidate);

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
    const char *titles[] = {"rank",           cli_metric_heading(result->metric, heading),
                            "95% interval",   "rung",
                            "folds",          "time",
                            "hyperparameters"};
    size_t shown = result->candidate_count < BEST_SHOWN ? result->candidate_count : BEST_SHOWN;
    TextTable table;

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
        cli_print(out, "(%zu candidates; --json lists all)\n", result->candidate_count);
}

static void print_failure(Out *out, const cleave_tune_result *result)
{
    for (size_t i = 0; i < result->candidate_count; i++)
        if (result->candidates[i].failure) {
            char *settings = tune_settings(&result->candidates[i]);

            cli_print(out, "Failed: %s: %s\n", settings, result->candidates[i].failure);
            free(settings);
            return;
        }
}

static void print_test(Out *out, const cleave_tune_result *result)
{
    const cleave_metric *metric = result->metric;
    const cleave_interval *winner = &result->holdout_winner, *defaults = &result->holdout_default;
    char name[METRIC_NAME_SIZE], value[4 * HUMAN_SIZE];

    cli_metric_name(metric, result->positive, name);
    if (result->holdout_rows == 0) {
        cli_print(out,
                  "Its %s was measured on the folds of the search; expect a slightly worse value "
                  "on new rows.\n",
                  name);
        return;
    }
    cli_print(out, "Test set (%s): %s %s", COUNT(result->holdout_rows, "row", "rows"), name,
              cli_metric_interval(
                  metric, &(cleave_interval){winner->value, winner->low, winner->high}, value));
    if (result->default_candidate != 0)
        cli_print(
            out, ", defaults %s; %s",
            cli_metric_interval(
                metric, &(cleave_interval){defaults->value, defaults->low, defaults->high}, value),
            result->holdout_summary);
    cli_put(out, ".\n");
}

/* ---- the command that trains the winner */

static char *tune_command(const Call *call, const cleave_tune_result *result)
{
    const cleave_candidate *winner = &result->candidates[0];
    CommandText words = {0};

    cli_add_train_command(&words, call, 1, result->method, cleave_tune_params());
    for (size_t i = 0; i < winner->setting_count; i++)
        if (!is_of_step(&winner->settings[i]))
            cli_add_flag(&words, cli_param_of(call, winner->settings[i].name),
                         winner->settings[i].value);
    if (winner->transform)
        cli_add_flag(&words, cli_param_of(call, "transform"), winner->transform);
    cli_add(&words, " -o ");
    cli_add(&words, result->method);
    cli_add(&words, ".model");
    return words.text;
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_tune_result *result = facts;
    char took[HUMAN_SIZE], *command = tune_command(call, result);
    char *space = tune_space(result);

    cli_selection_head(out, result->method, result->rows, result->folds, result->forward,
                       result->groups);
    cli_print(out, ", seed %llu%s.\n", (unsigned long long)result->seed,
              cli_took(result->seconds, took));
    cli_print(out, "Search space: %s.\n", space);
    free(space);
    print_batches(out, result);
    for (size_t i = 0; i < result->rung_count; i++)
        print_rung(out, &result->rungs[i], i + 1);
    print_candidates(out, result);
    print_failure(out, result);
    cli_print(out, "Winner: %s.\n", result->summary);
    print_test(out, result);
    if (*result->hint)
        cli_put_sentence(out, result->hint, "");
    cli_print(out, "Train it:\n  %s\n", command);
    free(command);
}

/* ---- JSON */

static void json_candidate(Json *json, const cleave_tune_result *result,
                           const cleave_candidate *candidate)
{
    static const char *const statuses[] = {"finished", "eliminated", "dropped", "failed",
                                           "not_run"};

    cli_json_open(json, '{');
    cli_json_put_count(json, "number", candidate->number);
    cli_json_key(json, "parameters");
    cli_json_open(json, '{');
    for (size_t i = 0; i < candidate->setting_count; i++)
        cli_json_put_string(json, candidate->settings[i].name, candidate->settings[i].value);
    cli_json_close(json, '}');
    if (candidate->transform)
        cli_json_put_string(json, "transform", candidate->transform);
    cli_json_put_count(json, "rung", candidate->rung);
    cli_json_put_count(json, "folds", candidate->folds);
    cli_json_put_count(json, "rows", candidate->rows);
    if (!result->regression)
        cli_json_put_count(json, "errors", candidate->errors);
    cli_json_put_number(json, "error", candidate->error);
    cli_json_bounds(json, candidate->error, candidate->low, candidate->high);
    cli_json_interval(json, "metric", &candidate->metric);
    cli_json_put_string(json, "status", statuses[candidate->status]);
    if (candidate->failure)
        cli_json_put_string(json, "failure", candidate->failure);
    cli_json_put_number(json, "seconds", candidate->seconds);
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
        cli_json_put_number(json, "row_fraction", result->rungs[i].share);
        cli_json_put_count(json, "entered", result->rungs[i].entered);
        cli_json_put_count(json, "dropped", result->rungs[i].dropped);
        cli_json_put_count(json, "failed", result->rungs[i].failed);
        cli_json_put_bool(json, "finished", result->rungs[i].finished);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_test(Json *json, const cleave_tune_result *result)
{
    cli_json_key(json, "test");
    if (result->holdout_rows == 0) {
        cli_json_null(json);
        return;
    }
    cli_json_open(json, '{');
    cli_json_put_count(json, "rows", result->holdout_rows);
    cli_json_interval(json, "winner", &result->holdout_winner);
    cli_json_interval(json, "defaults", &result->holdout_default);
    if (result->metric->percent) {
        cli_json_put_count(json, "only_winner_wrong", result->holdout_only_winner);
        cli_json_put_count(json, "only_defaults_wrong", result->holdout_only_default);
    }
    cli_json_put_number(json, "p", result->holdout_p);
    cli_json_put_string(json, "summary", result->holdout_summary);
    cli_json_close(json, '}');
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_tune_result *result = facts;
    Json json = {.out = out};
    char *command = tune_command(call, result);

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", result->method);
    cli_json_put_string(&json, "error_metric", result->regression ? "rmse" : "error_rate");
    cli_json_metric_open(&json, result->metric, result->positive, &result->candidates[0].metric);
    cli_json_close(&json, '}');
    cli_json_put_count(&json, "rows", result->rows);
    cli_json_put_count(&json, "folds", result->folds);
    if (result->forward)
        cli_json_put_bool(&json, "forward_chaining", true);
    if (result->groups)
        cli_json_put_count(&json, "groups", result->groups);
    cli_json_put_count(&json, "seed", result->seed);
    json_space(&json, result);
    json_rungs(&json, result);
    cli_json_put_count(&json, "chosen_in", result->chosen_in);
    cli_json_put_bool(&json, "budget_exhausted", result->out_of_time);
    cli_json_put_bool(&json, "exhausted", result->exhausted);
    cli_json_put_count(&json, "batches", result->rounds);
    cli_json_key(&json, "candidates");
    cli_json_open(&json, '[');
    for (size_t i = 0; i < result->candidate_count; i++)
        json_candidate(&json, result, &result->candidates[i]);
    cli_json_close(&json, ']');
    cli_json_only_value(&json, "gain", result->gain.value,
                        "the winner was selected on these folds");
    cli_json_put_bool(&json, "significant", result->gain_significant);
    cli_json_put_string(&json, "summary", result->summary);
    cli_json_put_string(&json, "hint", result->hint);
    json_test(&json, result);
    cli_json_put_string(&json, "command", command);
    free(command);
    cli_json_put_count(&json, "trials", result->trials);
    cli_json_put_count(&json, "resumed_trials", result->resumed);
    cli_json_put_count(&json, "warm_started", result->warm_started);
    cli_json_put_number(&json, "seconds", result->seconds);
    cli_json_guesses(&json, call);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* ---- the verb */

/* --space may be given several times: the values are joined. */
static cleave_code join_overs(Call *call)
{
    CommandText all = {0};
    cleave_code code = CLEAVE_OK;

    for (size_t i = 0; i < call->given_count; i++)
        if (strcmp(call->given[i].name, "space") == 0) {
            cli_add(&all, all.text ? ";" : "");
            cli_add(&all, call->given[i].value);
        }
    if (all.text)
        code = cleave_options_set(call->options[TABLE_TUNE], "space", all.text, &call->error);
    free(all.text);
    return code;
}

static cleave_code run_tune(Call *call, cleave_data *data, void **result)
{
    cleave_tune_result *made = NULL;
    cleave_code code = join_overs(call);

    if (code == CLEAVE_OK)
        code = cleave_tune(call->context, call->method.name, data, call->options[TABLE_TUNE],
                           call->options[TABLE_TRAIN], &made, &call->error);
    *result = made;
    return code;
}

static void free_tune(void *result)
{
    cleave_tune_free(result);
}

static int run(Call *call)
{
    return cli_run_selection(call,
                             &(Selection){1, run_tune, NULL, print_text, print_json, free_tune});
}

static const char *const examples[] = {
    "cleave tune perceptron @dogs --folds 3 --candidates 8",
    "cleave tune knn @dogs --space k=1..3 --weight none --folds 3 --json",
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
             "that are given are fixed. The best candidate is compared with the defaults on "
             "held-out rows, and the command that trains with it is printed.",
    .examples = examples,
    .common = "budget candidates trials space metric folds test-fraction "
              "search-pipeline journal threads seed json",
    .flags = cli_selection_flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN) | TABLE_BIT(TABLE_TUNE),
    .takes_method = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
