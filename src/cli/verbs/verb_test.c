/* cleave test: evaluates a model on labeled rows, with confidence intervals. */
#include "cli/report/metrics_text.h"
#include "cli/report/report_page.h"
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static void json_classes(Json *json, const cleave_evaluation *evaluation)
{
    const cleave_interval *rate = &evaluation->error_rate;

    cli_json_put_count(json, "errors", evaluation->errors);
    cli_json_put_number(json, "error_rate", rate->value);
    cli_json_put_number(json, "accuracy", evaluation->accuracy.value);
    cli_json_put_number(json, "error_rate_low", rate->low);
    cli_json_put_number(json, "error_rate_high", rate->high);
    cli_json_put_count(json, "unlabeled", evaluation->unlabeled);
    cli_json_put_count(json, "abstained", evaluation->abstained);
    cli_json_put_count(json, "unseen_labels", evaluation->unseen_label);
}

static void json_numbers(Json *json, const cleave_evaluation *evaluation)
{
    cli_json_put_number(json, "rmse", evaluation->rmse);
    cli_json_put_number(json, "mae", evaluation->mae);
    cli_json_put_number(json, "baseline_rmse", evaluation->baseline_rmse);
    cli_json_put_number(json, "r2", evaluation->r2);
    cli_json_put_count(json, "unlabeled", evaluation->unlabeled);
}

static void json_ranks(Json *json, const cleave_evaluation *evaluation)
{
    cli_json_put_number(json, "mean_rank", evaluation->mean_rank.value);
    cli_json_put_count(json, "unranked", evaluation->unranked);
}

static bool ranks_items(const cleave_evaluation *evaluation)
{
    return !isnan(evaluation->mean_rank.value);
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const Tested *tested = facts;
    const cleave_model *model = tested->model;
    const cleave_evaluation *evaluation = tested->evaluation;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", cleave_model_method(model));
    cli_json_put_count(&json, "rows", evaluation->rows);
    if (ranks_items(evaluation))
        json_ranks(&json, evaluation);
    else if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION)
        json_numbers(&json, evaluation);
    else
        json_classes(&json, evaluation);
    if (evaluation->recall_rows) {
        cli_json_put_number(&json, "recall", evaluation->recall);
        cli_json_put_count(&json, "recall_rows", evaluation->recall_rows);
    }
    cli_metrics_json(&json, call->own, evaluation, tested->details);
    if (tested->pictures) {
        cli_pictures_json(&json, tested->details, tested->pictures);
        cli_tested_model_json(&json, tested);
    }
    cli_json_put_seconds(&json, "read_seconds", evaluation->read_seconds);
    cli_json_put_seconds(&json, "predict_seconds", evaluation->predict_seconds);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

static void print_classes(Out *out, const cleave_evaluation *evaluation, bool weighted)
{
    const cleave_interval *interval = &evaluation->error_rate;
    double rate = (double)evaluation->errors / (double)evaluation->rows;

    cli_print(out, "Error %.2f%% (%s of %s", 100 * rate, GROUPED(evaluation->errors),
              COUNT(evaluation->rows, "row", "rows"));
    if (weighted)
        cli_print(out, "), weighted error %.2f%% (", 100 * interval->value);
    else
        cli_put(out, ", ");
    cli_print(out, "95%% confidence interval %.2f%% to %.2f%%), accuracy %.2f%%%s.\n",
              100 * interval->low, 100 * interval->high,
              100 * (1 - (weighted ? interval->value : rate)),
              TOOK(evaluation->read_seconds + evaluation->predict_seconds));
    if (evaluation->abstained)
        cli_print(out, "Abstained: %s, counted as errors.\n",
                  COUNT(evaluation->abstained, "row", "rows"));
    if (evaluation->unseen_label)
        cli_print(out, "Unseen labels: %s, counted as errors.\n",
                  COUNT(evaluation->unseen_label, "row", "rows"));
}

static void print_numbers(Out *out, const cleave_evaluation *evaluation, bool weighted)
{
    cli_print(out, "RMSE %s, MAE %s on %s%s.\n", ERROR_SIZE(evaluation->rmse),
              ERROR_SIZE(evaluation->mae), COUNT(evaluation->rows, "row", "rows"),
              TOOK(evaluation->read_seconds + evaluation->predict_seconds));
    if (isfinite(evaluation->r2))
        cli_print(out, "Baseline (predict the mean): RMSE %s. R² %.4f%s.\n",
                  ERROR_SIZE(evaluation->baseline_rmse), evaluation->r2 + 0.0,
                  evaluation->r2 < 0 ? ": the model is worse than the baseline" : "");
    else
        cli_put(out, "All targets are equal: R² is undefined.\n");
    if (weighted && !evaluation->scores_omitted)
        cli_print(out, "Weighted: RMSE %s, MAE %s.\n", ERROR_SIZE(evaluation->rmse_interval.value),
                  ERROR_SIZE(evaluation->mae_interval.value));
}

static void print_ranks(Out *out, const cleave_evaluation *evaluation)
{
    const cleave_interval *rank = &evaluation->mean_rank;

    cli_print(out, "Mean rank %.2f%% on %s", 100 * rank->value,
              COUNT(evaluation->rows, "row", "rows"));
    if (!isnan(rank->low))
        cli_print(out, " (95%% confidence interval %.2f%% to %.2f%%)", 100 * rank->low,
                  100 * rank->high);
    cli_put(out, ": 0% is the top of the list of a user, and a random order has 50%.\n");
    if (evaluation->unranked)
        cli_print(out, "Unknown user or item: %s, not evaluated.\n",
                  COUNT(evaluation->unranked, "row", "rows"));
}

static void print_text(Out *out, const Call *call, const cleave_model *model,
                       const cleave_evaluation *evaluation,
                       const cleave_evaluation_details *details)
{
    bool weighted = cli_is_on(call, "weighted");

    if (ranks_items(evaluation)) {
        print_ranks(out, evaluation);
        return;
    }
    if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION)
        print_numbers(out, evaluation, weighted);
    else
        print_classes(out, evaluation, weighted);
    if (evaluation->unlabeled)
        cli_print(out, "Unlabeled: %s, not evaluated.\n",
                  COUNT(evaluation->unlabeled, "row", "rows"));
    cli_metrics_brief(out, evaluation, details);
    if (evaluation->recall_rows)
        cli_print(out,
                  "Recall of the true nearest neighbors %.4g (%s compared with exact search).\n",
                  evaluation->recall, COUNT(evaluation->recall_rows, "row", "rows"));
    cli_metrics_tables(out, call->own, evaluation, details);
}

/* Finds a label of the data that becomes a class of the model when punctuation is trimmed from its
 * ends; the punctuation is put into trim. */
static bool find_trim(const cleave_model *model, const char *label, char trim[QUOTED_SIZE])
{
    static const char marks[] = ".,;:!'\"()[]<> \t_-*#";
    size_t length = strlen(label), start = strspn(label, marks), end = length, used = 0;

    while (end > start && strchr(marks, label[end - 1]))
        end--;
    for (size_t i = 0; i < cleave_model_label_count(model); i++) {
        const char *known = cleave_model_label(model, i), *at = strstr(label, known);

        if (!at || (size_t)(at - label) > start || (size_t)(at - label) + strlen(known) < end)
            continue;
        for (const char *p = label; *p; p++)
            if ((p < at || p >= at + strlen(known)) && used + 1 < QUOTED_SIZE &&
                !memchr(trim, *p, used))
                trim[used++] = *p;
        trim[used] = '\0';
        return used > 0;
    }
    return false;
}

/* Finds the class of the model that differs from a label only in case. */
static bool find_case(const cleave_model *model, const char *label, char class[QUOTED_SIZE])
{
    for (size_t i = 0; i < cleave_model_label_count(model); i++)
        if (strcasecmp(cleave_model_label(model, i), label) == 0) {
            cli_quote(cleave_model_label(model, i), class);
            return true;
        }
    return false;
}

/* Two labels, and the number of further labels. */
static void list_labels(const char *first, const char *second, size_t count,
                        char list[3 * QUOTED_SIZE])
{
    char one[QUOTED_SIZE], two[QUOTED_SIZE], more[32] = "";

    if (count > 2)
        snprintf(more, sizeof more, ", and %zu more", count - 2);
    snprintf(list, 3 * QUOTED_SIZE, "'%s'%s%s%s%s", cli_quote(first, one), second ? ", '" : "",
             second ? cli_quote(second, two) : "", second ? "'" : "", more);
}

/* No label of the data is a class of the model: probably the wrong label column. */
static int fail_labels(const Call *call, const cleave_model *model, const cleave_data *data)
{
    size_t known = cleave_model_label_count(model), all = known;
    char here[3 * QUOTED_SIZE], there[3 * QUOTED_SIZE], trim[QUOTED_SIZE], there_label[QUOTED_SIZE],
        hint[2 * QUOTED_SIZE + 96];
    const char *label;

    while (cleave_data_label(data, all))
        all++;
    label = cleave_data_label(data, known);
    list_labels(label ? label : "", cleave_data_label(data, known + 1), all - known, here);
    list_labels(cleave_model_label(model, 0), known > 1 ? cleave_model_label(model, 1) : NULL,
                known, there);
    if (label && find_case(model, label, there_label))
        snprintf(hint, sizeof hint,
                 "labels are compared with their case: write '%s' instead of '%s' in the data",
                 there_label, cli_quote(label, trim));
    else if (label && find_trim(model, label, trim))
        snprintf(hint, sizeof hint, "--trim-labels '%s' removes the difference", trim);
    else
        snprintf(hint, sizeof hint, "--label NAME selects the label column");
    return cli_failed(
        hint, "%s: no label of the data is a class of the model: the data has %s, the model has %s",
        call->arguments[1], here, there);
}

/* pictures: NULL without a report. */
static int report_on(Call *call, const cleave_model *model, cleave_data *data,
                     const cleave_evaluation *evaluation, const cleave_evaluation_details *details,
                     const cleave_evaluation_plots *pictures)
{
    Permuted permuted;
    const Tested tested = {model, evaluation, details, pictures,
                           ((const TestFlags *)call->own)->permutation ? &permuted : NULL};
    int status;
    Out out;

    cli_progress_clear(&call->progress);
    if (evaluation->rows == 0 && evaluation->unranked)
        return cli_failed("give rows of users and items of the training data",
                          "%s: the user or the item of each row is unknown to the model",
                          call->arguments[1]);
    if (evaluation->rows == 0) {
        return cli_failed(
            "--label NAME selects the label column of a table; 'cleave predict' needs no labels",
            "%s: none of %llu rows has a label, so no metric can be computed", call->arguments[1],
            (unsigned long long)evaluation->unlabeled);
    }
    if (evaluation->unseen_label == evaluation->rows &&
        cleave_model_task(model) != CLEAVE_TASK_REGRESSION)
        return fail_labels(call, model, data);
    if (tested.permuted && cleave_permutation_importance(model, data, TOP_FEATURES, permuted.column,
                                                         permuted.importance, &permuted.count,
                                                         &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (pictures && ranks_items(evaluation))
        return cli_failed("omit --report",
                          "--report has no page for ranks: this model of '%s' predicts preferences",
                          cleave_model_method(model));
    status = cli_report_write(call, print_json, &tested);
    if (status != DONE)
        return status;
    cli_out_file(&out, stdout);
    if (call->settings.json)
        print_json(&out, call, &tested);
    else
        print_text(&out, call, model, evaluation, details);
    if (pictures && !call->settings.json)
        cli_print(&out, "Report written to %s.\n", call->settings.report);
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

/* Options that need a classification model. */
static int check_flags(const Call *call, const cleave_model *model)
{
    const TestFlags *given = call->own;
    const char *flag = given->per_class    ? "--per-class"
                       : given->confusion  ? "--confusion"
                       : given->thresholds ? "--thresholds"
                                           : NULL;

    if (!flag || cleave_model_task(model) != CLEAVE_TASK_REGRESSION)
        return DONE;
    return cli_misuse("%s needs a classification model; '%s' is a regression method", flag,
                      cleave_model_method(model));
}

static cleave_code evaluate(Call *call, const cleave_model *model, cleave_data *data,
                            cleave_evaluation *evaluation, cleave_evaluation_details **details,
                            cleave_evaluation_plots **pictures)
{
    const cleave_options *options = call->options[TABLE_TEST];

    return call->settings.report
               ? cleave_evaluate_plots(model, data, options, evaluation, details, pictures,
                                       &call->error)
               : cleave_evaluate_details(model, data, options, evaluation, details, &call->error);
}

static int run(Call *call)
{
    cleave_model *model = NULL;
    cleave_data *data = NULL;
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_evaluation_details *details = NULL;
    cleave_evaluation_plots *pictures = NULL;
    int status = cli_check_report(call);

    if (status == DONE && ((const TestFlags *)call->own)->permutation && !call->settings.report)
        status = cli_misuse(
            "--permutation adds feature importance to the report: add --report FILE.html");
    if (status == DONE)
        status = cli_load(call, call->arguments[0], &model);
    call->keep_remarks = call->settings.json;
    if (status == DONE)
        status = check_flags(call, model);
    if (status == DONE)
        status = cli_open(call, model, call->arguments + 1, call->argument_count - 1, &data);
    if (status == DONE &&
        evaluate(call, model, data, &evaluation, &details, &pictures) != CLEAVE_OK)
        status = cli_fail(call);
    if (status == DONE)
        status = report_on(call, model, data, &evaluation, details, pictures);
    cleave_evaluation_plots_free(pictures);
    cleave_evaluation_details_free(details);
    cleave_data_free(data);
    cleave_model_free(model);
    return status;
}

static const cleave_param flags[] = {
    CLI_OWN_FLAG(TestFlags, metrics, "Print every metric with its 95% confidence interval."),
    CLI_OWN_FLAG(TestFlags, per_class,
                 "Print precision, recall, F1, ROC AUC and average precision of each class."),
    CLI_OWN_FLAG(TestFlags, confusion, "Print the confusion matrix."),
    CLI_OWN_FLAG(TestFlags, thresholds,
                 "Binary classification: print the metrics at other thresholds."),
    CLI_OWN_FLAG(TestFlags, full, "Same as --metrics --per-class --confusion --thresholds."),
    CLI_REPORT_FLAG,
    CLI_OWN_FLAG(TestFlags, permutation,
                 "With --report: show permutation importance instead of weights or gain."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave train perceptron @spam6 -o spam.model",
    "cleave test spam.model @spam6",
    "cleave test spam.model @spam6 --full",
    NULL,
};

const Verb cli_verb_test = {
    .name = "test",
    .arguments = "MODEL DATA...",
    .brief = "Evaluate a model on labeled data.",
    .about = "Reports the error rate, or RMSE for regression, with a 95% confidence interval. Use "
             "rows that the model was not trained on. For approximate indexes, the recall is "
             "measured on 200 rows.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(TestFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TEST),
    .shows_progress = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
