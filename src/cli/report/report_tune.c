/* cleave tune --report: the winner and its command, the metric over the candidates, and each
 * hyperparameter against the metric. */
#include "cli/report/metric_value.h"
#include "cli/report/page_charts.h"
#include "cli/report/report_page.h"
#include "cli/report/tune_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 900, MOST_ROWS = 500, MOST_VALUES = 64, VALUE_SIZE = 64 };

static double scaled(const cleave_tune_result *result, double value)
{
    return result->metric->percent ? 100 * value : value;
}

static bool is_better(const cleave_tune_result *result, double value, double other)
{
    return result->metric->higher_is_better ? value > other : value < other;
}

/* ---- the winner */

static void put_sentence(Page *page, const char *text)
{
    char line[LINE_SIZE + 2];

    if (!*text)
        return;
    snprintf(line, sizeof line, "%s.", text);
    line[0] = (char)toupper((unsigned char)line[0]);
    cli_page_verdict_more(page, line);
}

static void put_verdict(Page *page, const cleave_tune_result *result)
{
    const cleave_candidate *winner = &result->candidates[0];
    const cleave_interval *apart = &result->holdout_winner;
    char *settings = cli_tune_settings(winner);
    char text[LINE_SIZE], name[METRIC_NAME_SIZE], value[4 * HUMAN_SIZE];
    bool sure = result->holdout_rows
                    ? result->holdout_p < 0.05 && is_better(result, apart->value, result->holdout_default.value)
                    : result->gain_significant;

    snprintf(text, sizeof text, "Best of %zu candidates: %s, with %s %s over the folds.", result->candidate_count,
             *settings ? settings : "the defaults", cli_metric_name(result->metric, result->positive, name),
             cli_metric_interval(result->metric, &winner->metric, value));
    cli_page_verdict(page, sure ? PAGE_GOOD : PAGE_UNSURE, text);
    if (result->default_candidate != 0)
        put_sentence(page, result->summary);
    if (result->holdout_rows) {
        snprintf(text, sizeof text, "On %llu held-out rows: %s %s%s%s", (unsigned long long)result->holdout_rows, name,
                 cli_metric_interval(result->metric, &(cleave_interval){apart->value, apart->low, apart->high}, value),
                 *result->holdout_summary ? "; " : "", result->holdout_summary);
        put_sentence(page, text);
    }
    put_sentence(page, result->hint);
    free(settings);
}

static void put_count(Page *page, const char *name, uint64_t count)
{
    char text[HUMAN_SIZE];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    cli_page_fact(page, name, text);
}

static void put_facts(Page *page, const Call *call, const cleave_tune_result *result)
{
    char paths[PATHS_SIZE], name[METRIC_NAME_SIZE], *command = cli_tune_command(call, result);
    char *space = cli_tune_space(result);

    cli_page_facts(page);
    cli_page_long_fact(page, "Command", command, true);
    cli_page_long_fact(page, "Search space", space, false);
    cli_page_fact(page, "Method", result->method);
    cli_page_fact(page, "Metric", cli_metric_name(result->metric, result->positive, name));
    cli_page_fact(page, "Data", cli_paths_text(call, 1, paths));
    put_count(page, "Rows in the folds", result->rows);
    put_count(page, "Held-out rows", result->holdout_rows);
    put_count(page, "Folds", result->folds);
    put_count(page, "Candidates", result->candidate_count);
    put_count(page, "Rounds", result->rounds);
    put_count(page, "Seed", result->seed);
    cli_page_facts_end(page);
    free(command);
    free(space);
}

/* ---- the search */

/* Whether it was evaluated on all folds of the last rung. The others were dropped, failed or ran
 * out of time. */
static bool is_finished(const cleave_candidate *candidate)
{
    return candidate->status == CLEAVE_TRIAL_FINISHED;
}

static const cleave_candidate *numbered(const cleave_tune_result *result, size_t number)
{
    for (size_t i = 0; i < result->candidate_count; i++)
        if (result->candidates[i].number == number)
            return &result->candidates[i];
    return NULL;
}

static const cleave_setting *setting_of(const cleave_candidate *candidate, const char *name)
{
    for (size_t i = 0; i < candidate->setting_count; i++)
        if (strcmp(candidate->settings[i].name, name) == 0)
            return &candidate->settings[i];
    return NULL;
}

/* The horizontal position of a candidate: its number, or its value of a hyperparameter. NaN: it has
 * no point. */
static double place_of(const cleave_candidate *candidate, const cleave_tuned_param *tuned)
{
    const cleave_setting *setting = tuned ? setting_of(candidate, tuned->name) : NULL;

    return !tuned ? candidate->number : setting ? setting->number : (double)NAN;
}

/* Candidates that were evaluated on all folds, or the others; no series if there are none. tuned:
 * NULL for their numbers. */
static void draw_points(ChartPen *pen, const cleave_tune_result *result, const cleave_tuned_param *tuned, bool finished)
{
    bool any = false;

    for (size_t i = 0; i < result->candidate_count; i++) {
        const cleave_candidate *candidate = &result->candidates[i];
        double place = place_of(candidate, tuned);

        if (is_finished(candidate) != finished || isnan(candidate->metric.value) || isnan(place))
            continue;
        if (!any)
            cli_chart_series(pen, finished ? "evaluated on all folds" : "dropped", CHART_POINTS);
        any = true;
        cli_chart_point(pen, place, scaled(result, candidate->metric.value));
    }
}

static void draw_best(ChartPen *pen, const cleave_tune_result *result)
{
    double best = (double)NAN;

    cli_chart_series(pen, "best so far", CHART_LINE);
    for (size_t number = 1; number <= result->candidate_count; number++) {
        const cleave_candidate *candidate = numbered(result, number);

        if (!candidate || !is_finished(candidate) || isnan(candidate->metric.value))
            continue;
        if (isnan(best) || is_better(result, candidate->metric.value, best))
            best = candidate->metric.value;
        cli_chart_point(pen, (double)number, scaled(result, best));
    }
}

static void put_search(Page *page, const cleave_tune_result *result)
{
    char heading[HUMAN_SIZE];
    ChartPen pen;

    cli_page_section(page, "Search");
    cli_chart_begin(&pen, page,
                    &(ChartFrame){.title = "Metric of the candidates, in the order of drawing",
                                  .caption = "Candidate 1 has the defaults. Dropped candidates were evaluated on fewer "
                                             "folds or rows.",
                                  .x = "candidate",
                                  .y = cli_metric_heading(result->metric, heading)});
    draw_points(&pen, result, NULL, true);
    draw_points(&pen, result, NULL, false);
    draw_best(&pen, result);
    cli_chart_end(&pen);
}

/* ---- hyperparameters */

static void draw_numbers(Page *page, const cleave_tune_result *result, const cleave_tuned_param *tuned,
                         const char *flag)
{
    char title[LINE_SIZE], heading[HUMAN_SIZE];
    ChartPen pen;

    snprintf(title, sizeof title, "%s", flag);
    cli_chart_begin(&pen, page,
                    &(ChartFrame){.title = title,
                                  .x = flag,
                                  .y = cli_metric_heading(result->metric, heading),
                                  .logarithmic = tuned->scale == CLEAVE_TUNE_LOG});
    draw_points(&pen, result, tuned, true);
    draw_points(&pen, result, tuned, false);
    cli_chart_end(&pen);
}

static size_t split_values(const char *list, char values[MOST_VALUES][VALUE_SIZE], const char **names)
{
    size_t count = 0;

    while (*list && count < MOST_VALUES) {
        size_t length = strcspn(list, ",");

        snprintf(values[count], VALUE_SIZE, "%.*s", (int)length, list);
        names[count] = values[count];
        count++;
        list += length + (list[length] == ',');
    }
    return count;
}

/* A flag that is not set is not among the settings. */
static bool has_value(const cleave_candidate *candidate, const char *name, const char *value)
{
    const cleave_setting *own = setting_of(candidate, name);

    return own ? strcmp(own->value, value) == 0 : strcmp(value, "false") == 0;
}

static void draw_choices(Page *page, const cleave_tune_result *result, const cleave_tuned_param *tuned,
                         const char *flag)
{
    char values[MOST_VALUES][VALUE_SIZE], heading[HUMAN_SIZE];
    const char *names[MOST_VALUES];
    size_t count = split_values(tuned->values, values, names);
    ChartPen pen;

    cli_chart_begin(
        &pen, page,
        &(ChartFrame){.title = flag, .x = cli_metric_heading(result->metric, heading), .y = flag, .names = true});
    cli_chart_names(&pen, names, count);
    cli_chart_series(&pen, "candidates", CHART_POINTS);
    for (size_t i = 0; i < result->candidate_count; i++)
        for (size_t value = 0; value < count; value++)
            if (!isnan(result->candidates[i].metric.value) &&
                has_value(&result->candidates[i], tuned->name, names[value]))
                cli_chart_point(&pen, scaled(result, result->candidates[i].metric.value), (double)value);
    cli_chart_end(&pen);
}

/* Whether an evaluated candidate sets it: otherwise its chart would be empty. */
static bool is_drawn(const cleave_tune_result *result, const cleave_tuned_param *tuned)
{
    for (size_t i = 0; i < result->candidate_count; i++)
        if (setting_of(&result->candidates[i], tuned->name) && !isnan(result->candidates[i].metric.value))
            return true;
    return false;
}

/* Numbers first: their charts are side by side, and those of choices have the full width. */
static void put_hyperparameters(Page *page, const cleave_tune_result *result)
{
    cli_page_section(page, "Hyperparameters");
    for (int choices = 0; choices < 2; choices++)
        for (size_t i = 0; i < result->tuned_count; i++) {
            const cleave_tuned_param *tuned = &result->tuned[i];
            char flag[FLAG_SIZE];

            cli_flag(tuned->name, flag);
            if ((tuned->scale == CLEAVE_TUNE_CHOICES) != choices || !is_drawn(result, tuned))
                continue;
            if (choices)
                draw_choices(page, result, tuned, flag);
            else
                draw_numbers(page, result, tuned, flag);
        }
    cli_page_note(page, "A chart leaves out candidates that do not set its hyperparameter, such as the defaults.");
}

/* ---- candidates */

static void candidate_row(Page *page, const cleave_tune_result *result, size_t place)
{
    static const char *const fates[] = {"finished", "not promoted", "dropped", "failed", "no time"};
    const cleave_candidate *candidate = &result->candidates[place];
    char text[HUMAN_SIZE], both[4 * HUMAN_SIZE];
    char *settings = cli_tune_settings(candidate);

    snprintf(text, sizeof text, "%zu", place + 1);
    cli_page_cell(page, text);
    snprintf(text, sizeof text, "%u", candidate->number);
    cli_page_cell(page, text);
    cli_page_cell(page, cli_metric_text(result->metric, candidate->metric.value, text));
    cli_page_cell(page, cli_metric_bounds(result->metric, &candidate->metric, both));
    snprintf(text, sizeof text, "%u", candidate->folds);
    cli_page_cell(page, text);
    cli_page_cell(page, fates[candidate->status]);
    snprintf(text, sizeof text, "%.2f", candidate->seconds);
    cli_page_cell(page, text);
    cli_page_whole_cell(page, candidate->number == 1 ? "the defaults" : settings);
    free(settings);
}

static void put_candidates(Page *page, const cleave_tune_result *result)
{
    char heading[HUMAN_SIZE];
    const char *const heads[] = {"place",         "candidate", cli_metric_heading(result->metric, heading),
                                 "95 % interval", "folds",     "<result",
                                 "seconds",       "<settings"};
    size_t shown = result->candidate_count < MOST_ROWS ? result->candidate_count : MOST_ROWS;

    cli_page_section(page, "Candidates");
    cli_page_table(page, "The best first", heads, 8);
    for (size_t i = 0; i < shown; i++)
        candidate_row(page, result, i);
    cli_page_table_end(page);
    if (shown < result->candidate_count)
        cli_page_note(page, "The first 500 candidates are listed; --json has all of them.");
}

int cli_report_tune(Call *call, const cleave_tune_result *result)
{
    char title[PATHS_SIZE + QUOTED_SIZE], paths[PATHS_SIZE];
    PageFile *file = cli_alloc(NULL, 1, sizeof *file);
    int status;

    snprintf(title, sizeof title, "%s tuned on %s", result->method, cli_paths_text(call, 1, paths));
    status = cli_page_file_open(call, file, title, "cleave tune");
    if (status == DONE) {
        put_verdict(&file->page, result);
        put_facts(&file->page, call, result);
        put_search(&file->page, result);
        put_hyperparameters(&file->page, result);
        put_candidates(&file->page, result);
        status = cli_page_file_close(call, file);
    }
    free(file);
    return status;
}
