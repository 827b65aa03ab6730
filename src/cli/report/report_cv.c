/* cleave cv --report: the verdict and the gap, fold by fold. */
#include "cli/report/metric_value.h"
#include "cli/report/page_charts.h"
#include "cli/report/report_page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_DRAWN = 100, LINE_SIZE = 600, NAME_SIZE = 40 };

/* An error in per cent, or a root mean squared one as it is. */
static double scaled(const cleave_cv_result *result, double error)
{
    return result->regression ? error : 100 * error;
}

static const char *error_text(const cleave_cv_result *result, double error, char buffer[HUMAN_SIZE])
{
    if (result->regression)
        return isnan(error) ? "-" : cli_short(error, buffer);
    snprintf(buffer, HUMAN_SIZE, "%.2f %%", 100 * error);
    return isnan(error) ? "-" : buffer;
}

static const char *measure_name(const cleave_cv_result *result)
{
    return result->regression ? "RMSE" : "error";
}

static void put_verdict(Page *page, const cleave_cv_result *result)
{
    char text[LINE_SIZE], error[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE], easy[HUMAN_SIZE], quoted[QUOTED_SIZE];
    PageTone tone = result->high < result->baseline    ? PAGE_GOOD
                    : result->error < result->baseline ? PAGE_UNSURE
                                                       : PAGE_BAD;
    int used = snprintf(text, sizeof text, "On held-out rows, %s %s",
                        result->regression ? "the RMSE is" : "the error is", error_text(result, result->error, error));

    if (isnan(result->low))
        used += snprintf(text + used, sizeof text - (size_t)used, " (%s). ",
                         cli_no_interval(result->error, result->low, result->high));
    else
        used += snprintf(text + used, sizeof text - (size_t)used, " (95 %%: %s to %s). ",
                         error_text(result, result->low, low), error_text(result, result->high, high));

    if (result->regression)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "The mean as the answer to all has %s: ", error_text(result, result->baseline, easy));
    else
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "The answer '%s' to all would be wrong on %s: ", cli_quote(result->baseline_label, quoted),
                         error_text(result, result->baseline, easy));
    snprintf(text + used, sizeof text - (size_t)used, "%s.",
             tone == PAGE_GOOD     ? "the method is significantly better"
             : tone == PAGE_UNSURE ? "the method is better, but the difference is not statistically significant"
                                   : "the method is not better: it has learned nothing of use");
    cli_page_verdict(page, tone, text);
    snprintf(text, sizeof text, "%s%s%s.", result->summary, *result->hint ? "; " : "", result->hint);
    text[0] = (char)toupper((unsigned char)text[0]);
    cli_page_verdict_more(page, text);
    if (result->unconverged) {
        snprintf(text, sizeof text, "Training had not converged in %u of %zu folds: more --rounds may do better.",
                 result->unconverged, result->fold_count);
        cli_page_verdict_more(page, text);
    }
}

static void put_count(Page *page, const char *name, uint64_t count)
{
    char text[HUMAN_SIZE];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    cli_page_fact(page, name, text);
}

/* Flags as they were given, but those that say where things go. */
static void put_flags(Page *page, const Call *call)
{
    char text[LINE_SIZE], flag[FLAG_SIZE], quoted[QUOTED_SIZE];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < call->given_count && used + FLAG_SIZE + QUOTED_SIZE < sizeof text; i++) {
        const Given *given = &call->given[i];

        if (cli_param_find(cli_common_flags, given->name) || given->value == call->settings.report)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                                 cli_flag(given->name, flag), cli_quote(given->value, quoted));
    }
    cli_page_fact(page, "Parameters", used ? text : "as usual");
}

static void put_facts(Page *page, const Call *call, const cleave_cv_result *result)
{
    char paths[PATHS_SIZE];

    cli_page_facts(page);
    cli_page_fact(page, "Method", result->method);
    put_flags(page, call);
    cli_page_fact(page, "Data", cli_paths_text(call, 1, paths));
    put_count(page, "Rows", result->rows);
    if (result->unlabeled)
        put_count(page, "Rows without a label, not judged", result->unlabeled);
    put_count(page, "Features", result->features);
    if (!result->regression)
        put_count(page, "Classes", result->classes);
    put_count(page, result->forward ? "Forward-chaining folds" : "Folds", result->folds);
    put_count(page, "Repeats", result->repeats);
    if (result->groups)
        put_count(page, "Groups", result->groups);
    put_count(page, "Seed", result->seed);
    cli_page_facts_end(page);
}

static void summary_row(Page *page, const cleave_cv_result *result, const char *name, double value, double low,
                        double high, const char *meaning)
{
    char text[HUMAN_SIZE], from[HUMAN_SIZE], to[HUMAN_SIZE], both[2 * HUMAN_SIZE + 8];

    snprintf(both, sizeof both, "%s to %s", error_text(result, low, from), error_text(result, high, to));
    cli_page_cell(page, name);
    cli_page_cell(page, error_text(result, value, text));
    cli_page_cell(page, isnan(low) ? "-" : both);
    cli_page_cell(page, meaning);
}

static void put_summary(Page *page, const cleave_cv_result *result)
{
    static const char *const heads[] = {"<measure", "value", "95 % interval", "<what it says"};
    double none = (double)NAN;

    cli_page_section(page, "Measures");
    cli_page_table(page, result->regression ? "Root mean squared errors" : "Shares of wrong answers", heads, 4);
    summary_row(page, result, "over all rows", result->error, result->low, result->high,
                "each row judged by a model that has not seen it");
    summary_row(page, result, "mean over folds", result->mean, result->mean_low, result->mean_high,
                "by Student's t, widened as folds share training rows");
    summary_row(page, result, "in training", result->train_error, none, none, "on rows the models were made of");
    summary_row(page, result, "gap", result->gap, none, none,
                "held-out less training: overfitting, where it is surely above 0");
    summary_row(page, result, "baseline", result->baseline, none, none,
                result->regression ? "the mean as the answer to all" : "the most frequent class as the answer to all");
    cli_page_table_end(page);
}

/* A fold with too few rows has a dot without a bar. */
static void put_fold_range(ChartPen *pen, const cleave_cv_result *result, size_t number)
{
    const cleave_cv_fold *fold = &result->fold[number];
    bool none = isnan(fold->low);

    cli_chart_range(pen, scaled(result, fold->error), (double)number, scaled(result, none ? fold->error : fold->low),
                    scaled(result, none ? fold->error : fold->high));
}

static void fold_names(const cleave_cv_result *result, size_t count, char (*names)[NAME_SIZE], const char **list)
{
    for (size_t i = 0; i < count; i++) {
        const cleave_cv_fold *fold = &result->fold[i];

        if (result->repeats > 1)
            snprintf(names[i], NAME_SIZE, "repeat %u, fold %u", fold->repeat, fold->fold);
        else
            snprintf(names[i], NAME_SIZE, "fold %u", fold->fold);
        list[i] = names[i];
    }
}

static void vertical(ChartPen *pen, const char *name, double x, size_t count)
{
    cli_chart_series(pen, name, CHART_REFERENCE);
    cli_chart_point(pen, x, -0.5);
    cli_chart_point(pen, x, (double)count - 0.5);
}

static void draw_folds(Page *page, const cleave_cv_result *result)
{
    size_t count = result->fold_count < MOST_DRAWN ? result->fold_count : MOST_DRAWN;
    char(*names)[NAME_SIZE] = cli_alloc(NULL, count, sizeof *names);
    const char **list = cli_alloc(NULL, count, sizeof *list);
    ChartPen pen;

    fold_names(result, count, names, list);
    cli_chart_begin(
        &pen, page,
        &(ChartFrame){
            .title = result->regression ? "RMSE of each fold" : "Error of each fold",
            .caption = "Dots with 95 % intervals: each fold judged by a model of all others. Triangles: the same model "
                       "on rows of its training. The dashed line is the mean over folds.",
            .x = result->regression ? "RMSE, in the units of the number" : "wrong answers (%)",
            .y = "fold",
            .names = true,
            .from_zero = true});
    cli_chart_names(&pen, list, count);
    cli_chart_series(&pen, "held out", CHART_RANGES);
    for (size_t i = 0; i < count; i++)
        put_fold_range(&pen, result, i);
    cli_chart_series(&pen, "in training", CHART_POINTS);
    for (size_t i = 0; i < count; i++)
        cli_chart_point(&pen, scaled(result, result->fold[i].train_error), (double)i);
    vertical(&pen, "mean over folds", scaled(result, result->mean), count);
    cli_chart_end(&pen);
    free(list);
    free(names);
}

static void fold_row(Page *page, const cleave_cv_result *result, const cleave_cv_fold *fold)
{
    char name[NAME_SIZE], text[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE], both[2 * HUMAN_SIZE + 8];

    if (result->repeats > 1)
        snprintf(name, sizeof name, "%u.%u", fold->repeat, fold->fold);
    else
        snprintf(name, sizeof name, "%u", fold->fold);
    cli_page_cell(page, name);
    snprintf(text, sizeof text, "%llu", (unsigned long long)fold->rows);
    cli_page_cell(page, text);
    cli_page_cell(page, error_text(result, fold->error, text));
    snprintf(both, sizeof both, "%s to %s", error_text(result, fold->low, low), error_text(result, fold->high, high));
    cli_page_cell(page, isnan(fold->low) ? cli_no_interval(fold->error, fold->low, fold->high) : both);
    cli_page_cell(page, error_text(result, fold->train_error, text));
    cli_page_cell(page, fold->stopped_by ? fold->stopped_by : "");
}

static void put_folds(Page *page, const cleave_cv_result *result)
{
    const char *const heads[] = {result->repeats > 1 ? "<repeat.fold" : "<fold",
                                 "rows",
                                 measure_name(result),
                                 "95 % interval",
                                 "in training",
                                 "<stopped by"};

    cli_page_section(page, "Folds");
    draw_folds(page, result);
    if (result->fold_count > MOST_DRAWN)
        cli_page_note(page, "The first hundred are drawn; all are in the table.");
    cli_page_table(page, "Each fold, judged by a model of all others", heads, 6);
    for (size_t i = 0; i < result->fold_count; i++)
        fold_row(page, result, &result->fold[i]);
    cli_page_table_end(page);
}

int cli_report_cv(Call *call, const cleave_cv_result *result)
{
    char title[PATHS_SIZE + QUOTED_SIZE], paths[PATHS_SIZE];
    PageFile *file = cli_alloc(NULL, 1, sizeof *file);
    int status;

    snprintf(title, sizeof title, "%s on %s", result->method, cli_paths_text(call, 1, paths));
    status = cli_page_file_open(call, file, title, "cleave cv");
    if (status == DONE) {
        put_verdict(&file->page, result);
        put_facts(&file->page, call, result);
        put_summary(&file->page, result);
        put_folds(&file->page, result);
        status = cli_page_file_close(call, file);
    }
    free(file);
    return status;
}
