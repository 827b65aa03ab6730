/* cleave compare --report: the best method, the metric of each with its interval, and times. */
#include "cli/report/compare_text.h"
#include "cli/report/metric_value.h"
#include "cli/report/page_charts.h"
#include "cli/report/report_page.h"

#include <math.h>
#include <stdlib.h>

enum { LINE_SIZE = 900 };

static double scaled(const cleave_comparison *result, double value)
{
    return result->metric->percent ? 100 * value : value;
}

static const char *name_of(const cleave_comparison_row *contender)
{
    return contender->method ? contender->method : "baseline";
}

/* ---- the best */

static void put_verdict(Page *page, const cleave_comparison *result)
{
    const cleave_comparison_row *best = result->best == SIZE_MAX ? NULL : &result->methods[result->best];
    bool sure = best && best->against_baseline == CLEAVE_SIGNIFICANCE_BETTER;
    char text[LINE_SIZE], name[METRIC_NAME_SIZE], value[4 * HUMAN_SIZE];

    if (!best) {
        cli_page_verdict(page, PAGE_BAD, "No method has finished a fold.");
        return;
    }
    snprintf(text, sizeof text, "Best: %s, %s %s.", best->method,
             cli_metric_name(result->metric, result->positive, name),
             cli_metric_interval(result->metric, &best->metric, value));
    cli_page_verdict(page, sure ? PAGE_GOOD : PAGE_UNSURE, text);
    cli_page_verdict_more(page, sure ? "It is significantly better than the baseline."
                                     : "It is not significantly better than the baseline.");
    if (result->incomplete)
        cli_page_verdict_more(page,
                              "Some methods were evaluated on fewer rows or folds: a longer --budget allows more.");
}

static void put_count(Page *page, const char *name, uint64_t count)
{
    char text[HUMAN_SIZE];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    cli_page_fact(page, name, text);
}

static void put_facts(Page *page, const Call *call, const cleave_comparison *result)
{
    char paths[PATHS_SIZE], name[METRIC_NAME_SIZE];
    char *command = result->best == SIZE_MAX ? NULL : cli_compare_command(call, &result->methods[result->best]);

    cli_page_facts(page);
    if (command)
        cli_page_long_fact(page, "Command", command, true);
    cli_page_fact(page, "Metric", cli_metric_name(result->metric, result->positive, name));
    cli_page_fact(page, "Data", cli_paths_text(call, 0, paths));
    put_count(page, "Rows", result->rows);
    put_count(page, "Features", result->features);
    if (!result->regression)
        put_count(page, "Classes", result->classes);
    put_count(page, "Folds", result->folds);
    put_count(page, "Repeats", result->repeats);
    put_count(page, "Seed", result->seed);
    cli_page_facts_end(page);
    free(command);
}

/* ---- charts */

/* Methods with a value come first. */
static size_t count_done(const cleave_comparison *result)
{
    size_t count = 0;

    while (count < result->method_count && result->methods[count].folds_done)
        count++;
    return count;
}

static void draw_metric(Page *page, const cleave_comparison *result, const char *const *names, size_t count)
{
    char heading[HUMAN_SIZE];
    ChartPen pen;

    cli_chart_begin(&pen, page,
                    &(ChartFrame){.title = "Metric of each method",
                                  .caption = "Dots with 95 % intervals, the best first.",
                                  .x = cli_metric_heading(result->metric, heading),
                                  .y = "method",
                                  .names = true});
    cli_chart_names(&pen, names, count);
    cli_chart_series(&pen, result->metric->title, CHART_RANGES);
    for (size_t i = 0; i < count; i++) {
        const cleave_interval *metric = &result->methods[i].metric;

        cli_chart_range(&pen, scaled(result, metric->value), (double)i,
                        scaled(result, isnan(metric->low) ? metric->value : metric->low),
                        scaled(result, isnan(metric->low) ? metric->value : metric->high));
    }
    cli_chart_end(&pen);
}

/* The baseline has no time and no line. */
static void draw_times(Page *page, const cleave_comparison *result, const char *const *names, size_t count)
{
    const char **timed = cli_alloc(NULL, count + 1, sizeof *timed);
    size_t timed_count = 0;
    ChartPen pen;

    for (size_t i = 0; i < count; i++)
        if (result->methods[i].method)
            timed[timed_count++] = names[i];
    cli_chart_begin(&pen, page,
                    &(ChartFrame){.title = "Time of each method",
                                  .caption = "Training of one fold, and prediction of 1,000 rows.",
                                  .x = "seconds",
                                  .y = "method",
                                  .names = true,
                                  .logarithmic = true});
    cli_chart_names(&pen, timed, timed_count);
    for (int training = 1; training >= 0; training--) {
        size_t line = 0;

        cli_chart_series(&pen, training ? "training" : "prediction", CHART_POINTS);
        for (size_t i = 0; i < count; i++) {
            const cleave_comparison_row *contender = &result->methods[i];
            double seconds = training ? contender->train_seconds : 1000 * contender->predict_seconds;

            if (contender->method && seconds > 0)
                cli_chart_point(&pen, seconds, (double)line);
            line += contender->method != NULL;
        }
    }
    cli_chart_end(&pen);
    free(timed);
}

/* ---- the table */

static const char *test_text(const cleave_comparison *result, size_t number, char buffer[HUMAN_SIZE * 2])
{
    static const char *const words[] = {"untested", "not significant", "worse, significant", "better, significant"};
    const cleave_comparison_row *contender = &result->methods[number];
    bool less = contender->train_rows < contender->train_rows_total || contender->rows < contender->rows_total;

    if (number == result->best)
        return "best";
    snprintf(buffer, HUMAN_SIZE * 2, "%s%s", words[contender->against_best], less ? " (on fewer rows)" : "");
    return buffer;
}

static void contender_row(Page *page, const cleave_comparison *result, size_t number)
{
    const cleave_comparison_row *contender = &result->methods[number];
    char text[HUMAN_SIZE], both[4 * HUMAN_SIZE];

    cli_page_cell(page, name_of(contender));
    cli_page_cell(page, cli_metric_text(result->metric, contender->metric.value, text));
    cli_page_cell(page, cli_metric_bounds(result->metric, &contender->metric, both));
    cli_page_cell(page, test_text(result, number, both));
    cli_page_cell(page, isnan(contender->p) ? "-" : cli_brief(contender->p, text));
    snprintf(text, sizeof text, "%llu", (unsigned long long)contender->rows);
    cli_page_cell(page, text);
    cli_page_cell(page, contender->method ? cli_brief(contender->train_seconds, text) : "-");
    cli_page_cell(page, contender->method ? cli_brief(1000 * contender->predict_seconds, text) : "-");
    cli_page_cell(page, contender->method ? cli_bytes(contender->model_bytes, text) : "-");
}

static void put_left_out(Page *page, const cleave_comparison *result)
{
    static const char *const heads[] = {"<method", "<reason"};

    if (count_done(result) == result->method_count)
        return;
    cli_page_section(page, "Left out");
    cli_page_table(page, "Methods without a value", heads, 2);
    for (size_t i = count_done(result); i < result->method_count; i++) {
        cli_page_cell(page, name_of(&result->methods[i]));
        cli_page_cell(page, result->methods[i].reason ? result->methods[i].reason : "-");
    }
    cli_page_table_end(page);
}

static void put_methods(Page *page, const cleave_comparison *result)
{
    size_t count = count_done(result);
    const char **names = cli_alloc(NULL, count ? count : 1, sizeof *names);
    char heading[HUMAN_SIZE];
    const char *const heads[] = {"<method",
                                 cli_metric_heading(result->metric, heading),
                                 "95 % interval",
                                 "<against the best",
                                 "p",
                                 "rows",
                                 "training, s",
                                 "1,000 rows, s",
                                 "model"};

    for (size_t i = 0; i < count; i++)
        names[i] = name_of(&result->methods[i]);
    cli_page_section(page, "Methods");
    draw_metric(page, result, names, count);
    draw_times(page, result, names, count);
    cli_page_table(page, "The best first. p: paired tests over folds and rows, adjusted by Holm", heads, 9);
    for (size_t i = 0; i < count; i++)
        contender_row(page, result, i);
    cli_page_table_end(page);
    free(names);
}

int cli_report_compare(Call *call, const cleave_comparison *result)
{
    char title[PATHS_SIZE + QUOTED_SIZE], paths[PATHS_SIZE];
    PageFile *file = cli_alloc(NULL, 1, sizeof *file);
    int status;

    snprintf(title, sizeof title, "Methods compared on %s", cli_paths_text(call, 0, paths));
    status = cli_page_file_open(call, file, title, "cleave compare");
    if (status == DONE) {
        put_verdict(&file->page, result);
        put_facts(&file->page, call, result);
        put_methods(&file->page, result);
        put_left_out(&file->page, result);
        status = cli_page_file_close(call, file);
    }
    free(file);
    return status;
}
