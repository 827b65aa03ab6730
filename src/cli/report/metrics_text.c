/*
 * The metrics of test: four digits after the point, "-" if undefined. A confusion matrix is a table
 * if it fits the page; with more classes, each has a line with its most frequent confusions.
 */
#include "cli/report/metrics_text.h"

#include "cli/report/metric_value.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/params.h"
#include "cli/ui/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *key, *name; /* name in JSON; name in text */
    cleave_interval metric;
} NamedMetric;

enum { CLASS_METRICS = 12, TARGET_METRICS = 15, METRIC_COUNT = 16 };

/* Classes in the order of their labels; labels that are numbers are sorted by value. The last
 * element is "no prediction". */
typedef struct {
    const char *label;
    size_t number;
} ClassPlace;

static void list_metrics(const cleave_evaluation *evaluation, NamedMetric named[METRIC_COUNT])
{
    const NamedMetric list[METRIC_COUNT] = {
        {"accuracy", "accuracy", evaluation->accuracy},
        {"error", "error", evaluation->error_rate},
        {"macro_precision", "macro precision", evaluation->macro_precision},
        {"macro_recall", "macro recall", evaluation->macro_recall},
        {"macro_f1", "macro F1", evaluation->macro_f1},
        {"weighted_precision", "weighted precision", evaluation->weighted_precision},
        {"weighted_recall", "weighted recall", evaluation->weighted_recall},
        {"weighted_f1", "weighted F1", evaluation->weighted_f1},
        {"roc_auc", "ROC AUC", evaluation->roc_auc},
        {"average_precision", "average precision", evaluation->average_precision},
        {"log_loss", "log loss", evaluation->log_loss},
        {"brier_score", "Brier score", evaluation->brier},
        {"rmse", "RMSE", evaluation->rmse_interval},
        {"mae", "MAE", evaluation->mae_interval},
        {"r2", "R²", evaluation->r2_interval},
        {"mean_rank", "mean rank", evaluation->mean_rank},
    };

    memcpy(named, list, sizeof list);
}

/* ---- brief ----------------------------------------------------------------------------------- */

static const char *fixed(double value, char buffer[HUMAN_SIZE])
{
    snprintf(buffer, HUMAN_SIZE, "%.4f", value + 0.0);
    return isnan(value) ? "-" : buffer;
}

static void put_part(Out *out, const char **before, const char *name, double value)
{
    char text[HUMAN_SIZE];

    if (isnan(value))
        return;
    cli_print(out, "%s%s %s", *before, name, fixed(value, text));
    *before = ", ";
}

static void brief_areas(Out *out, const cleave_evaluation *evaluation,
                        const cleave_evaluation_details *details)
{
    const char *before = "";

    put_part(out, &before, "ROC AUC", evaluation->roc_auc.value);
    put_part(out, &before, *before ? "average precision" : "Average precision",
             evaluation->average_precision.value);
    if (*before && details->positive == SIZE_MAX)
        cli_put(out, " (one-vs-rest, mean over classes)");
    put_part(out, &before, "log loss", evaluation->log_loss.value);
    put_part(out, &before, "Brier score", evaluation->brier.value);
    if (*before)
        cli_put(out, ".\n");
}

static void brief_numbers(Out *out, const cleave_evaluation *evaluation)
{
    const cleave_interval *rmse = &evaluation->rmse_interval;

    if (isnan(rmse->low)) {
        if (!evaluation->scores_omitted)
            cli_print(out, "No confidence interval: %s.\n",
                      cli_no_interval(rmse->value, rmse->low, rmse->high));
        return;
    }
    cli_print(out, "95%% confidence intervals: RMSE %s to %s", BRIEF(rmse->low), BRIEF(rmse->high));
    if (!isnan(evaluation->r2_interval.low))
        cli_print(out, ", R² %.4f to %.4f", evaluation->r2_interval.low + 0.0,
                  evaluation->r2_interval.high + 0.0);
    cli_put(out, ".\n");
}

void cli_metrics_brief(Out *out, const cleave_evaluation *evaluation,
                       const cleave_evaluation_details *details)
{
    const char *before = "";

    if (details->class_count == 0) {
        brief_numbers(out, evaluation);
    } else if (details->positive != SIZE_MAX) {
        const cleave_class_metrics *of_class = &details->classes[details->positive];

        if (!isnan(of_class->f1.value)) {
            cli_print(out, "Class '%s': ", QUOTED(of_class->label));
            put_part(out, &before, "precision", of_class->precision.value);
            put_part(out, &before, "recall", of_class->recall.value);
            put_part(out, &before, "F1", of_class->f1.value);
            cli_put(out, ".\n");
        }
        brief_areas(out, evaluation, details);
    } else {
        put_part(out, &before, "Macro precision", evaluation->macro_precision.value);
        put_part(out, &before, "recall", evaluation->macro_recall.value);
        put_part(out, &before, "F1", evaluation->macro_f1.value);
        cli_put(out, *before ? ".\n" : "");
        brief_areas(out, evaluation, details);
    }
    if (evaluation->scores_omitted)
        cli_put(
            out,
            details->class_count
                ? "Too many rows to keep their scores: AUC and thresholds are omitted.\n"
                : "Too many rows to keep their predictions: confidence intervals are omitted.\n");
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Labels of digits are compared as numbers: leading zeros are ignored. */
static int compare_places(const void *left, const void *right)
{
    const char *a = ((const ClassPlace *)left)->label, *b = ((const ClassPlace *)right)->label;

    while (*a && *b) {
        size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");

        if (digits_a && digits_b && digits_a != digits_b)
            return digits_a < digits_b ? -1 : 1;
        if (*a != *b)
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        a++;
        b++;
    }
    return *a ? 1 : *b ? -1 : 0;
}

static ClassPlace *order_classes(const cleave_evaluation_details *details)
{
    ClassPlace *order = cli_alloc(NULL, details->class_count + 1, sizeof *order);

    for (size_t k = 0; k < details->class_count; k++)
        order[k] = (ClassPlace){details->classes[k].label, k};
    qsort(order, details->class_count, sizeof *order, compare_places);
    order[details->class_count] = (ClassPlace){NULL, details->class_count};
    return order;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void cell_number(TextTable *table, double value)
{
    char text[HUMAN_SIZE];

    cli_table_cell(table, fixed(value, text));
}

static void cell_count(TextTable *table, double count)
{
    cli_table_cell(table, count == 0 ? "." : SHORT(count));
}

/* "0.9312 (0.9011 to 0.9530)" */
static void cell_interval(TextTable *table, const cleave_interval *metric,
                          const char *(*show)(double value, char buffer[HUMAN_SIZE]))
{
    const char *none = cli_no_interval(metric->value, metric->low, metric->high);
    char value[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE], text[4 * HUMAN_SIZE];

    if (none)
        snprintf(text, sizeof text, "%s (%s)", show(metric->value, value), none);
    else
        snprintf(text, sizeof text, "%s (%s to %s)", show(metric->value, value),
                 show(metric->low, low), show(metric->high, high));
    cli_table_cell(table, text);
}

/* "0.9312 (0.901-0.953)", for a table with several metrics; "0.9312 (-)": too few rows. */
static void cell_narrow(TextTable *table, const cleave_interval *metric)
{
    char text[3 * HUMAN_SIZE];

    snprintf(text, sizeof text, isnan(metric->low) ? "%.4f (-)" : "%.4f (%.3f-%.3f)", metric->value,
             metric->low, metric->high);
    cli_table_cell(table, isnan(metric->value) ? "-" : text);
}

static void print_metrics(Out *out, const cleave_evaluation *evaluation)
{
    NamedMetric named[METRIC_COUNT];
    TextTable table;

    list_metrics(evaluation, named);
    cli_put(out, "\nMetrics with 95% confidence intervals\n");
    cli_table_init(&table, out, 2);
    table.indent = 2;
    table.left[0] = table.left[1] = true;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (isnan(named[i].metric.value))
            continue;
        cli_table_cell(&table, named[i].name);
        cell_interval(&table, &named[i].metric,
                      i >= CLASS_METRICS && i < TARGET_METRICS ? cli_error_size : fixed);
    }
    cli_table_end(&table);
}

static void cell_label(TextTable *table, const char *label)
{
    cli_table_cell(table, QUOTED(label));
}

static void print_classes(Out *out, const cleave_evaluation_details *details)
{
    static const char *const heads[] = {"class", "rows",    "precision",        "recall",
                                        "F1",    "ROC AUC", "average precision"};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    ClassPlace *order = order_classes(details);
    TextTable table;

    cli_put(out, "\nMetrics by class with 95% confidence intervals (-: " TOO_FEW_ROWS ")\n");
    cli_table_init(&table, out, COLUMNS);
    table.indent = 2;
    table.left[0] = true;
    for (size_t c = 0; c < COLUMNS; c++)
        cli_table_cell(&table, heads[c]);
    for (size_t k = 0; k < details->class_count; k++) {
        const cleave_class_metrics *of_class = &details->classes[order[k].number];

        cell_label(&table, of_class->label);
        cell_count(&table, of_class->rows);
        cell_narrow(&table, &of_class->precision);
        cell_narrow(&table, &of_class->recall);
        cell_narrow(&table, &of_class->f1);
        cell_number(&table, of_class->roc_auc.value);
        cell_number(&table, of_class->average_precision.value);
    }
    cli_table_end(&table);
    free(order);
}

/* ---- confusion ------------------------------------------------------------------------------- */

static double cell_of(const cleave_evaluation_details *details, size_t truth, size_t answer)
{
    return details->confusion[truth * (details->class_count + 1) + answer];
}

/* Counts the rows or columns shown. The last one is shown only if it has counts. */
static size_t shown(const cleave_evaluation_details *details, bool answers)
{
    for (size_t i = 0; i <= details->class_count; i++)
        if (answers ? cell_of(details, i, details->class_count) > 0
                    : cell_of(details, details->class_count, i) > 0)
            return details->class_count + 1;
    return details->class_count;
}

static const char *name_of(const cleave_evaluation_details *details, size_t number,
                           const char *past_the_last)
{
    return number < details->class_count ? details->classes[number].label : past_the_last;
}

#define UNSEEN "(unseen label)"
#define ABSTAINED "(none)"

static size_t matrix_width(const cleave_evaluation_details *details, size_t rows, size_t columns)
{
    size_t first = cli_width("true class"), width = 2;

    for (size_t i = 0; i < rows; i++) {
        size_t own = cli_width(QUOTED(name_of(details, i, UNSEEN)));

        first = own > first ? own : first;
    }
    for (size_t j = 0; j < columns; j++) {
        size_t widest = cli_width(QUOTED(name_of(details, j, ABSTAINED)));

        for (size_t i = 0; i < rows; i++) {
            size_t own = cli_width(SHORT(cell_of(details, i, j)));

            widest = own > widest ? own : widest;
        }
        width += 2 + widest;
    }
    return width + first;
}

static void print_matrix(Out *out, const cleave_evaluation_details *details, size_t rows,
                         size_t columns)
{
    ClassPlace *order = order_classes(details);
    TextTable table;

    cli_put(out, "\nConfusion matrix: rows are true classes, columns are predicted classes\n");
    cli_table_init(&table, out, columns + 1);
    table.indent = 2;
    table.left[0] = true;
    cli_table_cell(&table, "true class");
    for (size_t j = 0; j < columns; j++)
        cell_label(&table, name_of(details, order[j].number, ABSTAINED));
    for (size_t i = 0; i < rows; i++) {
        cell_label(&table, name_of(details, order[i].number, UNSEEN));
        for (size_t j = 0; j < columns; j++)
            cell_count(&table, cell_of(details, order[i].number, order[j].number));
    }
    cli_table_end(&table);
    free(order);
}

enum { MOST_MISTAKES = 5 }; /* maximum number of predicted classes on a line */

/* Writes "b 12, d 5, others 3": the other predicted classes, most frequent first. */
static void put_mistakes(Out *out, const cleave_evaluation_details *details, size_t truth)
{
    size_t last[MOST_MISTAKES], found = 0;
    double shown_count = 0, all = 0;

    for (size_t j = 0; j <= details->class_count; j++)
        if (j != truth || truth == details->class_count)
            all += cell_of(details, truth, j);
    for (; found < MOST_MISTAKES; found++) {
        size_t best = SIZE_MAX;
        char count[HUMAN_SIZE];

        for (size_t j = 0; j <= details->class_count; j++) {
            bool taken = (j == truth && truth < details->class_count) ||
                         cell_of(details, truth, j) == 0;

            for (size_t k = 0; k < found; k++)
                taken = taken || last[k] == j;
            if (!taken &&
                (best == SIZE_MAX || cell_of(details, truth, j) > cell_of(details, truth, best)))
                best = j;
        }
        if (best == SIZE_MAX)
            break;
        last[found] = best;
        shown_count += cell_of(details, truth, best);
        cli_print(out, "%s%s %s", found ? ", " : "  confused with ",
                  QUOTED(name_of(details, best, ABSTAINED)),
                  cli_short(cell_of(details, truth, best), count));
    }
    if (found == MOST_MISTAKES && all > shown_count) {
        char count[HUMAN_SIZE];

        cli_print(out, ", others %s", cli_short(all - shown_count, count));
    }
}

/* Prints the line of one true class. */
static void print_line(Out *out, const cleave_evaluation_details *details, size_t truth,
                       size_t widest)
{
    const char *label = QUOTED(name_of(details, truth, UNSEEN));
    double all = 0, right = truth < details->class_count ? cell_of(details, truth, truth) : 0;

    for (size_t j = 0; j <= details->class_count; j++)
        all += cell_of(details, truth, j);
    if (all == 0)
        return;
    cli_print(out, "  %s%*s  %6.2f%%  %s of %s", label, (int)(widest - cli_width(label)), "",
              100 * right / all, SHORT(right), SHORT(all));
    put_mistakes(out, details, truth);
    cli_put(out, "\n");
}

static void print_lines(Out *out, const cleave_evaluation_details *details, size_t rows)
{
    ClassPlace *order = order_classes(details);
    size_t widest = 0;

    cli_put(out, "\nConfusion matrix: recall of each class, and the classes it is confused with\n");
    for (size_t i = 0; i < rows; i++) {
        size_t own = cli_width(QUOTED(name_of(details, i, UNSEEN)));

        widest = own > widest ? own : widest;
    }
    for (size_t i = 0; i < rows; i++)
        print_line(out, details, order[i].number, widest);
    free(order);
}

static void print_confusion(Out *out, const cleave_evaluation_details *details)
{
    size_t rows, columns;

    if (!details->confusion) {
        cli_put(out, "\nConfusion matrix: omitted for more than 2,000 classes; --per-class shows "
                     "metrics by class\n");
        return;
    }
    rows = shown(details, false);
    columns = shown(details, true);
    if (matrix_width(details, rows, columns) <= PAGE_WIDTH)
        print_matrix(out, details, rows, columns);
    else
        print_lines(out, details, rows);
}

/* ---- thresholds ------------------------------------------------------------------------------ */

/* Prints one threshold per tenth of recall, and the thresholds with special properties. */
static void print_thresholds(Out *out, const cleave_evaluation_details *details)
{
    static const char *const heads[] = {"threshold",           "predicted", "correct",
                                        "precision",           "recall",    "F1",
                                        "false positive rate", ""};
    enum { COLUMNS = sizeof heads / sizeof *heads, STEPS = 10 };
    TextTable table;
    int next = 1;

    cli_print(out,
              "\nThresholds: metrics when '%s' is predicted for scores at or above the threshold\n",
              QUOTED(details->classes[details->positive].label));
    cli_table_init(&table, out, COLUMNS);
    table.indent = 2;
    table.left[COLUMNS - 1] = true;
    for (size_t c = 0; c < COLUMNS; c++)
        cli_table_cell(&table, heads[c]);
    for (size_t i = 0; i < details->threshold_count; i++) {
        const cleave_threshold *here = &details->thresholds[i];
        bool step = next <= STEPS && here->recall * STEPS >= next - 1e-9;

        while (next <= STEPS && here->recall * STEPS >= next - 1e-9)
            next++;
        if (!step && !here->best_f1 && !here->in_use)
            continue;
        cli_table_cell(&table, SHORT(here->threshold));
        cell_count(&table, here->true_positives + here->false_positives);
        cell_count(&table, here->true_positives);
        cell_number(&table, here->precision);
        cell_number(&table, here->recall);
        cell_number(&table, here->f1);
        cell_number(&table, here->false_positive_rate);
        cli_table_cell(&table, here->in_use && here->best_f1 ? "default, best F1"
                               : here->in_use                ? "default"
                               : here->best_f1               ? "best F1"
                                                             : NULL);
    }
    cli_table_end(&table);
}

void cli_metrics_tables(Out *out, const TestFlags *wanted, const cleave_evaluation *evaluation,
                        const cleave_evaluation_details *details)
{
    if (wanted->metrics || wanted->full)
        print_metrics(out, evaluation);
    if (details->class_count == 0)
        return;
    if (wanted->per_class || wanted->full)
        print_classes(out, details);
    if (wanted->confusion || wanted->full)
        print_confusion(out, details);
    if ((wanted->thresholds || wanted->full) && details->threshold_count)
        print_thresholds(out, details);
    else if (wanted->thresholds)
        cli_put(out, "\nThresholds: only for binary classification with rows of both classes\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_metric(Json *json, const char *key, const cleave_interval *metric)
{
    cli_json_key(json, key);
    if (isnan(metric->value)) {
        cli_json_null(json);
        return;
    }
    cli_json_open(json, '{');
    cli_json_put_number(json, "value", metric->value);
    cli_json_bounds(json, metric->value, metric->low, metric->high);
    cli_json_close(json, '}');
}

static void json_metrics(Json *json, const cleave_evaluation *evaluation, bool classes)
{
    NamedMetric named[METRIC_COUNT];
    bool ranks = !isnan(evaluation->mean_rank.value), targets = !classes && !ranks;

    list_metrics(evaluation, named);
    cli_json_open_key(json, "metrics", '{');
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (i < CLASS_METRICS ? classes : i < TARGET_METRICS ? targets : ranks)
            json_metric(json, named[i].key, &named[i].metric);
    cli_json_close(json, '}');
}

static void json_classes(Json *json, const cleave_evaluation_details *details)
{
    cli_json_open_key(json, "classes", '[');
    for (size_t k = 0; k < details->class_count; k++) {
        const cleave_class_metrics *of_class = &details->classes[k];

        cli_json_open(json, '{');
        cli_json_put_string(json, "label", of_class->label);
        cli_json_put_number(json, "rows", of_class->rows);
        cli_json_put_number(json, "predicted", of_class->predicted);
        cli_json_put_number(json, "correct", of_class->correct);
        json_metric(json, "precision", &of_class->precision);
        json_metric(json, "recall", &of_class->recall);
        json_metric(json, "f1", &of_class->f1);
        json_metric(json, "roc_auc", &of_class->roc_auc);
        json_metric(json, "average_precision", &of_class->average_precision);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_confusion(Json *json, const cleave_evaluation_details *details)
{
    cli_json_open_key(json, "confusion", '[');
    for (size_t i = 0; i <= details->class_count; i++) {
        cli_json_open(json, '[');
        for (size_t j = 0; j <= details->class_count; j++)
            cli_json_number(json, cell_of(details, i, j));
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
}

static void json_thresholds(Json *json, const cleave_evaluation_details *details)
{
    cli_json_open_key(json, "thresholds", '[');
    for (size_t i = 0; i < details->threshold_count; i++) {
        const cleave_threshold *here = &details->thresholds[i];

        cli_json_open(json, '{');
        cli_json_put_number(json, "threshold", here->threshold);
        cli_json_put_number(json, "true_positives", here->true_positives);
        cli_json_put_number(json, "false_positives", here->false_positives);
        cli_json_put_number(json, "precision", here->precision);
        cli_json_put_number(json, "recall", here->recall);
        cli_json_put_number(json, "f1", here->f1);
        cli_json_put_number(json, "false_positive_rate", here->false_positive_rate);
        cli_json_put_bool(json, "best_f1", here->best_f1);
        cli_json_put_bool(json, "default", here->in_use);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

enum {
    MOST_BY_DEFAULT = 100
}; /* maximum number of classes for a confusion matrix in the JSON by default */

void cli_metrics_json(Json *json, const TestFlags *wanted, const cleave_evaluation *evaluation,
                      const cleave_evaluation_details *details)
{
    bool classes = details->class_count > 0;

    json_metrics(json, evaluation, classes);
    cli_json_put_count(json, "evaluated_rows", evaluation->scored_rows);
    cli_json_put_bool(json, "scores_omitted", evaluation->scores_omitted);
    if (!classes)
        return;
    cli_json_put_string(json, "positive",
                        details->positive == SIZE_MAX ? NULL
                                                      : details->classes[details->positive].label);
    json_classes(json, details);
    if (details->confusion &&
        (details->class_count <= MOST_BY_DEFAULT || wanted->confusion || wanted->full))
        json_confusion(json, details);
    if (details->threshold_count && (wanted->thresholds || wanted->full))
        json_thresholds(json, details);
}
