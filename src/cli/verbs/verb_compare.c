/* cleave compare: all suitable methods in one table, with significance tests. */
#include "cli/report/compare_text.h"

#include "cli/verbs/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *cli_compare_command(const Call *call, const cleave_comparison_row *candidate)
{
    CommandText words = {0};

    if (!candidate->method)
        return NULL;
    cli_add_train_command(&words, call, 0, candidate->method, cleave_compare_params());
    cli_add(&words, *candidate->settings ? " " : "");
    cli_add(&words, candidate->settings);
    cli_add(&words, " -o ");
    cli_add(&words, candidate->method);
    cli_add(&words, ".model");
    return words.text;
}

/* ---- the table */

#define RESTRICTION_SIZE (2 * HUMAN_SIZE + 24)
#define ODDS_SIZE (RESTRICTION_SIZE + 16)

/* Formats a value. Four digits are enough in a wide table, unless the metric is a fraction. */
static const char *value_text(const cleave_comparison *result, double value,
                              char buffer[HUMAN_SIZE])
{
    if (!result->metric->percent && !result->metric->higher_is_better && !isnan(value))
        return cli_brief(value, buffer);
    return cli_metric_text(result->metric, value, buffer);
}

static const char *time_text(double seconds, char buffer[HUMAN_SIZE])
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    size_t i = 0;
    double value;

    while (i < 2 && seconds < 0.995 * units[i].unit)
        i++;
    value = seconds / units[i].unit;
    snprintf(buffer, HUMAN_SIZE,
             value < 9.95   ? "%.2f %s"
             : value < 99.5 ? "%.1f %s"
                            : "%.0f %s",
             value, units[i].name);
    return buffer;
}

static const char *candidate_name(const cleave_comparison *result,
                                  const cleave_comparison_row *candidate,
                                  char buffer[QUOTED_SIZE + 24])
{
    if (candidate->method)
        return candidate->method;
    if (!result->baseline_label)
        return "baseline (mean)";
    snprintf(buffer, QUOTED_SIZE + 24, "baseline ('%s')", result->baseline_label);
    return buffer;
}

/* Formats " (3.8% of rows, 2 of 5 folds)"; empty if the candidate had all rows and folds. */
static const char *restriction_text(const cleave_comparison *result,
                                    const cleave_comparison_row *candidate,
                                    char buffer[RESTRICTION_SIZE])
{
    uint32_t folds = result->folds * result->repeats;
    bool less = candidate->method && candidate->train_rows < candidate->train_rows_total;
    bool fewer = candidate->method && candidate->folds_done < folds;
    char rows[HUMAN_SIZE] = "", done[HUMAN_SIZE] = "";

    if (less)
        snprintf(rows, sizeof rows, "%.2g%% of rows",
                 100 * (double)candidate->train_rows / (double)candidate->train_rows_total);
    if (fewer)
        snprintf(done, sizeof done, "%u of %u folds", candidate->folds_done, folds);
    buffer[0] = '\0';
    if (less || fewer)
        snprintf(buffer, RESTRICTION_SIZE, " (%s%s%s)", rows, less && fewer ? ", " : "", done);
    return buffer;
}

/* Formats the result of the test against the best candidate, and the restriction under which it
 * holds. */
static const char *odds_text(const cleave_comparison *result, size_t number, char buffer[ODDS_SIZE])
{
    static const char *const words[] = {"not tested", "not significant", "worse", "better"};
    const cleave_comparison_row *candidate = &result->methods[number];
    char restriction[RESTRICTION_SIZE];

    snprintf(buffer, ODDS_SIZE, "%s%s",
             number == result->best ? "best" : words[candidate->against_best],
             restriction_text(result, candidate, restriction));
    return buffer;
}

static void put_answer(TextTable *table, unsigned traits, unsigned bit)
{
    cli_table_cell(table, traits & bit ? "yes" : "no");
}

static void candidate_row(TextTable *table, const cleave_comparison *result, size_t number)
{
    const cleave_comparison_row *candidate = &result->methods[number];
    char text[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE], sure[2 * HUMAN_SIZE + 8],
        name[QUOTED_SIZE + 24];
    char odds[ODDS_SIZE];
    bool measured = candidate->method != NULL;

    cli_table_cell(table, candidate_name(result, candidate, name));
    cli_table_cell(table, value_text(result, candidate->metric.value, text));
    snprintf(sure, sizeof sure, "%s to %s", value_text(result, candidate->metric.low, low),
             value_text(result, candidate->metric.high, high));
    cli_table_cell(table, isnan(candidate->metric.low) ? "-" : sure);
    cli_table_cell(table, odds_text(result, number, odds));
    cli_table_cell(table, measured ? time_text(candidate->train_seconds, text) : "-");
    cli_table_cell(table, measured ? time_text(1000 * candidate->predict_seconds, text) : "-");
    cli_table_cell(table, measured ? cli_bytes(candidate->model_bytes, text) : "-");
    put_answer(table, candidate->traits, CLEAVE_TRAIT_CATEGORICAL);
    put_answer(table, candidate->traits, CLEAVE_TRAIT_WIDE);
    put_answer(table, candidate->traits, CLEAVE_TRAIT_READABLE);
    cli_table_end_row(table);
}

static void print_table(Out *out, const cleave_comparison *result)
{
    static const char *const titles[] = {"method",    NULL,           "95% interval", "vs. best",
                                         "train",     "1,000 rows",   "model",        "categories",
                                         "high-dim.", "interpretable"};
    char heading[HUMAN_SIZE];
    TextTable table;

    cli_table_init(&table, out, 10);
    table.left[0] = table.left[3] = table.left[7] = table.left[8] = table.left[9] = true;
    for (size_t i = 0; i < 10; i++)
        cli_table_cell(&table, titles[i] ? titles[i] : cli_metric_heading(result->metric, heading));
    for (size_t i = 0; i < result->method_count; i++)
        if (result->methods[i].folds_done)
            candidate_row(&table, result, i);
    cli_table_print(&table);
    cli_table_free(&table);
}

/* ---- words about it */

static void print_head(Out *out, const cleave_comparison *result)
{
    cli_print(out, "Read %s, %s", COUNT(result->rows, "row", "rows"),
              COUNT(result->features, "feature", "features"));
    if (!result->regression)
        cli_print(out, ", %s", COUNT(result->classes, "class", "classes"));
    cli_print(out, "; %u %sfolds", result->folds, result->forward ? "forward-chaining " : "");
    if (result->groups)
        cli_print(out, " of %s", COUNT(result->groups, "group", "groups"));
    if (result->repeats > 1)
        cli_print(out, ", %u repeats", result->repeats);
    cli_print(out, ", seed %llu", (unsigned long long)result->seed);
    cli_print(out, "; %.1f s of %g s.\n", result->seconds, result->budget);
}

/* Prints the methods that had fewer rows or folds because of --budget. */
static void print_shares(Out *out, const cleave_comparison *result)
{
    for (size_t i = 0; i < result->method_count; i++) {
        const cleave_comparison_row *candidate = &result->methods[i];
        bool less = candidate->train_rows < candidate->train_rows_total,
             fewer = candidate->rows < candidate->rows_total;

        if (!candidate->method || candidate->folds_done == 0 || (!less && !fewer))
            continue;
        cli_print(out, "%s:", candidate->method);
        if (less)
            cli_print(out, " trained on %llu of %llu rows",
                      (unsigned long long)candidate->train_rows,
                      (unsigned long long)candidate->train_rows_total);
        if (fewer)
            cli_print(out, "%s evaluated on %llu of %llu", less ? "," : "",
                      (unsigned long long)candidate->rows,
                      (unsigned long long)candidate->rows_total);
        cli_print(out, "%s%s\n", candidate->reason ? "; " : "",
                  candidate->reason ? candidate->reason : "");
    }
}

static bool same_reason(const cleave_comparison_row *a, const cleave_comparison_row *b)
{
    return a->reason && b->reason && strcmp(a->reason, b->reason) == 0;
}

/* Prints one line per reason. */
static void print_left_out(Out *out, const cleave_comparison *result)
{
    for (size_t i = 0; i < result->method_count; i++) {
        const cleave_comparison_row *candidate = &result->methods[i];
        bool told = false;

        if (candidate->folds_done || !candidate->method)
            continue;
        for (size_t j = 0; j < i; j++)
            told |= result->methods[j].folds_done == 0 &&
                    same_reason(candidate, &result->methods[j]);
        if (told)
            continue;
        cli_print(out, "Not compared: %s", candidate->method);
        for (size_t j = i + 1; j < result->method_count; j++)
            if (result->methods[j].folds_done == 0 && same_reason(candidate, &result->methods[j]))
                cli_print(out, ", %s", result->methods[j].method);
        cli_print(out, ": %s\n", candidate->reason);
    }
}

/* Prints "; not significantly different: svm, knn". */
static void print_equals(Out *out, const cleave_comparison *result, cleave_significance odds,
                         const char *words)
{
    bool any = false;

    for (size_t i = 0; i < result->method_count; i++) {
        const cleave_comparison_row *candidate = &result->methods[i];

        if (i == result->best || !candidate->method || candidate->folds_done == 0 ||
            candidate->against_best != odds)
            continue;
        cli_print(out, "%s%s", any ? ", " : words, candidate->method);
        any = true;
    }
}

static void print_baseline_words(Out *out, const cleave_comparison *result)
{
    if (result->baseline_label)
        cli_print(out, "the baseline (always predict '%s')", result->baseline_label);
    else
        cli_put(out, "the baseline (predict the mean)");
}

/* Prints the conclusion if no method, or only a method other than the best, is better than the
 * baseline. */
static void print_doubt(Out *out, const cleave_comparison *result)
{
    const cleave_comparison_row *candidate = result->methods;

    if (!result->beats_baseline && result->incomplete) {
        cli_put(out, "Too few folds were completed to compare methods with ");
        print_baseline_words(out, result);
        cli_put(out, "; use a larger --budget.\n");
        return;
    }
    if (!result->beats_baseline) {
        cli_put(out, "No method is significantly better than ");
        print_baseline_words(out, result);
        cli_put(out, ".\n");
        return;
    }
    while (candidate->against_baseline != CLEAVE_SIGNIFICANCE_BETTER)
        candidate++;
    cli_print(out, "%s has the best value, but only %s is significantly better than ",
              result->methods[result->best].method, candidate->method);
    print_baseline_words(out, result);
    cli_put(out, "; use more rows, --folds or --repeats.\n");
}

static void print_best(Out *out, const Call *call, const cleave_comparison *result)
{
    const cleave_comparison_row *best = &result->methods[result->best];
    char number[HUMAN_SIZE], name[METRIC_NAME_SIZE], *command;

    if (best->against_baseline != CLEAVE_SIGNIFICANCE_BETTER) {
        print_doubt(out, result);
        return;
    }
    cli_print(out, "Best: %s, %s %s%s", best->method,
              cli_metric_name(result->metric, result->positive, name),
              value_text(result, best->metric.value, number), result->metric->percent ? "%" : "");
    print_equals(out, result, CLEAVE_SIGNIFICANCE_NONE, "; not significantly different: ");
    print_equals(out, result, CLEAVE_SIGNIFICANCE_UNTESTED, "; not tested: ");
    if (result->incomplete)
        cli_put(out, "; methods with fewer rows or folds may improve with a larger --budget");
    command = cli_compare_command(call, best);
    cli_print(out, ".\nTrain it:\n  %s\n", command);
    free(command);
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_comparison *result = facts;

    print_head(out, result);
    print_table(out, result);
    print_shares(out, result);
    print_left_out(out, result);
    cli_put(out,
            "train: time per fold; 1,000 rows: time to predict 1,000 rows; categories: supports "
            "categories without encoding; high-dim.: suited to many features; interpretable: "
            "readable by a "
            "person\n"
            "worse, better: statistically significant by paired tests over folds (Nadeau and "
            "Bengio) and rows (McNemar), p < 0.05 after Holm's correction\n");
    for (size_t i = 0; i < result->suspect_count; i++)
        cli_suspect(out, &result->suspects[i]);
    if (result->best != SIZE_MAX)
        print_best(out, call, result);
    else
        cli_put(out, result->incomplete
                         ? "No method completed a fold; use a larger --budget or fewer rows.\n"
                         : "No method is suitable for the data.\n");
}

/* ---- the verb */

static void print_json(Out *out, const Call *call, const void *facts)
{
    cli_compare_json(out, call, facts);
}

static cleave_code run_compare(Call *call, cleave_data *data, void **result)
{
    cleave_comparison *made = NULL;
    cleave_code code = cleave_compare(call->context, data, call->options[TABLE_COMPARE], &made,
                                      &call->error);

    *result = made;
    return code;
}

static bool was_cancelled(const void *result)
{
    return ((const cleave_comparison *)result)->cancelled;
}

static void free_comparison(void *result)
{
    cleave_comparison_free(result);
}

static int run(Call *call)
{
    return cli_run_selection(
        call, &(Selection){0, run_compare, was_cancelled, print_text, print_json, free_comparison});
}

static const char *const examples[] = {
    "cleave compare @dogs --folds 2",
    "cleave compare @spam6 --folds 2 --methods perceptron,winnow,svm --json",
    NULL,
};

const Verb cli_verb_compare = {
    .name = "compare",
    .arguments = "DATA...",
    .brief = "Compare all methods that suit the data by cross-validation.",
    .about = "Evaluates every suitable method on the same folds within the time limit. Methods "
             "that are too slow for all rows get as many as the time allows, and the table states "
             "how many. Paired tests mark significant differences between methods and from the "
             "baseline. With --journal, an interrupted comparison resumes where it stopped.",
    .examples = examples,
    .flags = cli_selection_flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_COMPARE),
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
