/* cleave cv: cross-validation, fold by fold, with the baseline and the gap to the training
 * error. */
#include "cli/verbs/selection.h"

#include <math.h>

enum { MOST_LINES = 60 };

/* ---- text */

/* Formats an error: a percentage, or an RMSE. */
static const char *error_text(const cleave_cv_result *result, double error, char buffer[HUMAN_SIZE])
{
    if (result->regression)
        return cli_error_size(error, buffer);
    snprintf(buffer, HUMAN_SIZE, "%.2f", 100 * error);
    return buffer;
}

static void put_count(TextTable *table, uint64_t count)
{
    char text[HUMAN_SIZE];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    cli_table_cell(table, text);
}

static void fold_row(TextTable *table, const cleave_cv_result *result, const cleave_cv_fold *fold)
{
    char text[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE], sure[2 * HUMAN_SIZE + 8];

    if (result->repeats > 1)
        put_count(table, fold->repeat);
    put_count(table, fold->fold);
    put_count(table, fold->rows);
    if (!result->regression)
        put_count(table, fold->errors);
    cli_table_cell(table, error_text(result, fold->error, text));
    snprintf(sure, sizeof sure, "%s to %s", error_text(result, fold->low, low),
             error_text(result, fold->high, high));
    cli_table_cell(table, isnan(fold->low) ? "-" : sure);
    cli_table_cell(table, error_text(result, fold->train_error, text));
    if (!cli_metric_is_default(result->metric))
        cli_table_cell(table, cli_metric_text(result->metric, fold->metric.value, text));
    cli_table_end_row(table);
}

static void print_folds(Out *out, const cleave_cv_result *result)
{
    static const char *const of_classes[] = {"repeat",    "fold",         "rows",        "errors",
                                             "error (%)", "95% interval", "training (%)"};
    static const char *const of_numbers[] = {"repeat", "fold",         "rows",
                                             "RMSE",   "95% interval", "training"};
    const char *const *titles = result->regression ? of_numbers : of_classes;
    size_t first = result->repeats > 1 ? 0 : 1, count = result->regression ? 6 : 7;
    bool other = !cli_metric_is_default(result->metric);
    char heading[HUMAN_SIZE];
    TextTable table;

    if (result->fold_count > MOST_LINES) {
        cli_print(out, "(%zu folds; --json lists them)\n", result->fold_count);
        return;
    }
    cli_table_init(&table, out, count - first + other);
    for (size_t i = first; i < count; i++)
        cli_table_cell(&table, titles[i]);
    if (other)
        cli_table_cell(&table, cli_metric_heading(result->metric, heading));
    for (size_t i = 0; i < result->fold_count; i++)
        fold_row(&table, result, &result->fold[i]);
    cli_table_print(&table);
    cli_table_free(&table);
}

static void put_interval(Out *out, const cleave_cv_result *result, double value, double low,
                         double high, const char *method)
{
    const char *none = cli_no_interval(value, low, high), *unit = result->regression ? "" : "%";
    char middle[HUMAN_SIZE], from[HUMAN_SIZE], to[HUMAN_SIZE];

    cli_print(out, "%s%s", error_text(result, value, middle), unit);
    if (none)
        cli_print(out, " (%s).\n", none);
    else
        cli_print(out, " (95%% confidence interval %s%s to %s%s, %s).\n",
                  error_text(result, low, from), unit, error_text(result, high, to), unit, method);
}

static void print_pooled(Out *out, const cleave_cv_result *result)
{
    const char *name = result->regression ? "RMSE" : "error";

    cli_print(out, "%s over all rows ", result->regression ? "RMSE" : "Error");
    put_interval(out, result, result->error, result->low, result->high,
                 result->regression ? "Student's t on a logarithmic scale" : "Wilson");
    cli_print(out, "Mean %s over folds ", name);
    put_interval(out, result, result->mean, result->mean_low, result->mean_high,
                 "corrected for shared training rows");
}

/* Prints a metric other than the error, and its baseline. */
static void print_metric(Out *out, const cleave_cv_result *result)
{
    char name[METRIC_NAME_SIZE], value[4 * HUMAN_SIZE], number[HUMAN_SIZE];

    if (cli_metric_is_default(result->metric))
        return;
    cli_metric_name(result->metric, result->positive, name);
    cli_print(out, "%s %s over all rows.\n", name,
              cli_metric_interval(result->metric, &result->metric_value, value));
    cli_print(out, "%s %s, mean over folds.\n", name,
              cli_metric_interval(result->metric, &result->metric_mean, value));
    cli_print(out, "Baseline: %s %s%s.\n", name,
              cli_metric_text(result->metric, result->metric_baseline, number),
              result->metric->percent ? "%" : "");
    if (result->metric_undefined)
        cli_print(out, "%s is undefined in %u of %zu folds, which lack a class.\n", name,
                  result->metric_undefined, result->fold_count);
}

static void print_baseline(Out *out, const cleave_cv_result *result)
{
    if (result->regression)
        cli_print(out, "Baseline (predict the mean): RMSE %s.", ERROR_SIZE(result->baseline));
    else
        cli_print(out, "Baseline (always predict '%s'): error %.2f%%.", result->baseline_label,
                  100 * result->baseline);
    cli_put(out, !(result->high >= result->baseline) ? "\n"
                 : result->error < result->baseline
                     ? " The difference is not statistically significant.\n"
                     : " The method is not better than the baseline.\n");
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_cv_result *result = facts;

    (void)call;
    cli_selection_head(out, result->method, result->rows, result->folds, result->forward,
                       result->groups);
    if (result->repeats > 1)
        cli_print(out, ", %u repeats", result->repeats);
    cli_print(out, ", seed %llu%s.\n", (unsigned long long)result->seed, TOOK(result->seconds));
    print_folds(out, result);
    print_metric(out, result);
    print_pooled(out, result);
    print_baseline(out, result);
    cli_put_sentence(out, result->summary, result->hint);
    if (result->unlabeled)
        cli_print(out, "Unlabeled: %s, not evaluated.\n", COUNT(result->unlabeled, "row", "rows"));
    if (result->unconverged)
        cli_print(
            out,
            "Training did not converge in %u of %zu folds; more epochs or iterations may help.\n",
            result->unconverged, result->fold_count);
}

/* ---- JSON */

static void json_fold(Json *json, const cleave_cv_result *result, const cleave_cv_fold *fold)
{
    cli_json_open(json, '{');
    cli_json_put_count(json, "repeat", fold->repeat);
    cli_json_put_count(json, "fold", fold->fold);
    cli_json_put_count(json, "training_rows", fold->train_rows);
    cli_json_put_count(json, "rows", fold->rows);
    if (!result->regression)
        cli_json_put_count(json, "errors", fold->errors);
    cli_json_put_number(json, "error", fold->error);
    cli_json_bounds(json, fold->error, fold->low, fold->high);
    cli_json_put_count(json, "training_rows_evaluated", fold->train_evaluated);
    cli_json_put_number(json, "train_error", fold->train_error);
    cli_json_ending(json, fold->converged, fold->stopped_by);
    cli_json_put_seconds(json, "train_seconds", fold->train_seconds);
    cli_json_put_seconds(json, "test_seconds", fold->test_seconds);
    cli_json_interval(json, "metric", &fold->metric);
    cli_json_close(json, '}');
}

static void json_numbers(Json *json, const cleave_cv_result *result)
{
    static const char *const fits[] = {"good", "inconclusive", "slight_overfitting", "overfitting",
                                       "memorization"};

    cli_json_put_string(json, "error_metric", result->regression ? "rmse" : "error_rate");
    cli_json_metric_open(json, result->metric, result->positive, &result->metric_value);
    cli_json_interval(json, "mean", &result->metric_mean);
    cli_json_put_number(json, "baseline_value", result->metric_baseline);
    cli_json_put_count(json, "undefined_folds", result->metric_undefined);
    cli_json_close(json, '}');
    cli_json_interval(json, "pooled", &(cleave_interval){result->error, result->low, result->high});
    cli_json_interval(json, "mean",
                      &(cleave_interval){result->mean, result->mean_low, result->mean_high});
    cli_json_put_number(json, "train_error", result->train_error);
    cli_json_only_value(json, "gap", result->gap,
                        "the variance of the gap cannot be estimated from folds");
    cli_json_put_number(json, "baseline", result->baseline);
    if (result->baseline_label)
        cli_json_put_string(json, "baseline_label", result->baseline_label);
    cli_json_put_bool(json, "beats_baseline", result->beats_baseline);
    cli_json_put_string(json, "fit", fits[result->fit]);
    cli_json_put_string(json, "summary", result->summary);
    cli_json_put_string(json, "hint", result->hint);
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_cv_result *result = facts;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", result->method);
    cli_json_put_count(&json, "rows", result->rows);
    cli_json_put_count(&json, "unlabeled", result->unlabeled);
    cli_json_put_count(&json, "features", result->features);
    cli_json_put_count(&json, "classes", result->classes);
    cli_json_put_count(&json, "folds", result->folds);
    cli_json_put_count(&json, "repeats", result->repeats);
    if (result->forward)
        cli_json_put_bool(&json, "forward_chaining", true);
    if (result->groups)
        cli_json_put_count(&json, "groups", result->groups);
    cli_json_put_count(&json, "seed", result->seed);
    json_numbers(&json, result);
    cli_json_put_count(&json, "unconverged", result->unconverged);
    cli_json_key(&json, "fold_results");
    cli_json_open(&json, '[');
    for (size_t i = 0; i < result->fold_count; i++)
        json_fold(&json, result, &result->fold[i]);
    cli_json_close(&json, ']');
    cli_json_put_seconds(&json, "seconds", result->seconds);
    cli_json_guesses(&json, call);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* ---- the verb */

static cleave_code run_cv(Call *call, cleave_data *data, void **result)
{
    cleave_cv_result *made = NULL;
    cleave_code code = cleave_cv(call->context, call->method.name, data, call->options[TABLE_CV],
                                 call->options[TABLE_TRAIN], &made, &call->error);

    *result = made;
    return code;
}

static void free_cv(void *result)
{
    cleave_cv_free(result);
}

static int run(Call *call)
{
    return cli_run_selection(call, &(Selection){1, run_cv, NULL, print_text, print_json, free_cv});
}

static const char *const examples[] = {
    "cleave cv perceptron @dogs --folds 3",
    "cleave cv knn @dogs --k 1 --folds 3 --repeats 2 --json",
    NULL,
};

const Verb cli_verb_cv = {
    .name = "cv",
    .arguments = "METHOD DATA...",
    .brief = "Evaluate a method by cross-validation and detect overfitting.",
    .about = "Splits the rows into stratified random folds (see --seed). Each fold is predicted by "
             "a model that was trained on the other folds, pipeline included. Reports the error "
             "with a 95% confidence interval, the baseline, and the gap to the training error.",
    .examples = examples,
    .common = "folds repeats metric by-group by-time report transform class-weight label columns "
              "threads seed json quiet",
    .flags = cli_selection_flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN) | TABLE_BIT(TABLE_CV),
    .takes_method = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
