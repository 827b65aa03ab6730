/* cleave test --report: verdict, what was judged, measures, classes, confusion, charts, what the model goes by. */
#include "cli/report/metrics_text.h"
#include "cli/report/report_page.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was judged */

/* Parameters that somebody chose: "lambda 0.001, loss hinge". */
static void put_params(Page *page, const cleave_model *model)
{
    enum { SIZE = 600 };
    char text[SIZE], flag[FLAG_SIZE], quoted[QUOTED_SIZE];
    const char *name, *value;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; used + 2 * QUOTED_SIZE < SIZE && (value = cleave_model_param(model, i, &name)); i++)
        if (!cli_param_is_usual(model, name, value))
            used += (size_t)snprintf(text + used, SIZE - used, "%s%s %s", used ? ", " : "", cli_flag(name, flag),
                                     cli_quote(value, quoted));
    cli_page_fact(page, "Parameters", used ? text : "as usual");
}

static void put_count_fact(Page *page, const char *name, uint64_t count)
{
    char text[HUMAN_SIZE];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    cli_page_fact(page, name, text);
}

static void put_facts(Page *page, const Tested *tested)
{
    const cleave_evaluation *judgement = tested->judgement;
    char paths[PATHS_SIZE];

    cli_page_facts(page);
    cli_page_fact(page, "Model", tested->call->arguments[0]);
    cli_page_fact(page, "Method", cleave_model_method(tested->model));
    put_params(page, tested->model);
    cli_page_fact(page, "Data", cli_paths_text(tested->call, 1, paths));
    put_count_fact(page, "Rows judged", judgement->rows);
    if (judgement->unlabeled)
        put_count_fact(page, "Rows without a label, not judged", judgement->unlabeled);
    if (judgement->abstained)
        put_count_fact(page, "Rows without a prediction, counted as wrong", judgement->abstained);
    if (judgement->unseen_label)
        put_count_fact(page, "Rows with a label the model has never seen, counted as wrong", judgement->unseen_label);
    if (tested->details->class_count)
        put_count_fact(page, "Classes", tested->details->class_count);
    put_count_fact(page, "Features", cleave_model_feature_count(tested->model));
    put_count_fact(page, "Rows it was trained on", cleave_model_rows(tested->model));
    put_count_fact(page, "Seed", cleave_model_seed(tested->model));
    if (cli_is_on(tested->call, "weighted"))
        cli_page_fact(page, "Measures count rows", "by their weights");
    cli_page_facts_end(page);
}

/* ---- measures */

static const char *meaning_of(const char *key)
{
    static const char *const meanings[][2] = {
        {"accuracy", "share of rows answered right"},
        {"error", "share of rows answered wrong"},
        {"macro_precision", "share of a class's answers that are right, mean over classes"},
        {"macro_recall", "share of a class's rows that are found, mean over classes"},
        {"macro_f1", "harmonic mean of both, mean over classes"},
        {"weighted_precision", "precision, classes counted by their rows"},
        {"weighted_recall", "recall, classes counted by their rows"},
        {"weighted_f1", "F1, classes counted by their rows"},
        {"roc_area", "how often a row of the class scores above another; 0.5 is chance"},
        {"pr_area", "average precision; chance is the share of the class"},
        {"log_loss", "of probabilities; 0 is best, being sure of what is wrong costs most"},
        {"brier", "squared error of probabilities; 0 is best"},
        {"rmse", "root of the mean squared error, in the units of the number"},
        {"mae", "mean distance from the truth, in the units of the number"},
        {"r2", "1 is best; 0 is the mean of the targets as the answer to all"},
    };

    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i][0], key) == 0)
            return meanings[i][1];
    return "";
}

static void put_measures(Page *page, const Tested *tested)
{
    static const char *const heads[] = {"<measure", "value", "95 % interval", "<what it says"};
    NamedMeasure named[MEASURE_COUNT];
    char text[INTERVAL_SIZE], value[HUMAN_SIZE];

    cli_list_measures(tested->judgement, named);
    cli_page_section(page, "Measures");
    cli_page_table(page, "Every measure with its 95 % interval", heads, 4);
    for (size_t i = 0; i < MEASURE_COUNT; i++) {
        const cleave_interval *measure = &named[i].measure;
        bool share = i < MEASURES_OF_CLASSES;

        if (isnan(measure->value))
            continue;
        snprintf(value, sizeof value, "%.4f", measure->value + 0.0);
        cli_page_cell(page, strcmp(named[i].key, "r2") == 0 ? "R²" : named[i].name);
        cli_page_cell(page, share ? value : cli_short(measure->value, value));
        cli_page_cell(page, cli_interval_text(measure, share, text));
        cli_page_cell(page, meaning_of(named[i].key));
    }
    cli_page_table_end(page);
    if (tested->judgement->recall_rows) {
        char line[200], rows[HUMAN_SIZE];

        snprintf(line, sizeof line, "Neighbours are found approximately: %.4g of the true ones, measured on %s.",
                 tested->judgement->recall, cli_count(tested->judgement->recall_rows, "row", "rows", rows));
        cli_page_paragraph(page, line);
    }
}

static void put_share(Page *page, const cleave_interval *measure)
{
    char text[INTERVAL_SIZE];

    snprintf(text, sizeof text, isnan(measure->low) ? "%.4f" : "%.4f (%.3f–%.3f)", measure->value, measure->low,
             measure->high);
    cli_page_cell(page, isnan(measure->value) ? "-" : text);
}

static void put_classes(Page *page, const Tested *tested)
{
    static const char *const heads[] = {"<class", "rows", "answers",  "right",  "precision",
                                        "recall", "F1",   "ROC area", "PR area"};
    const cleave_evaluation_details *details = tested->details;
    ClassPlace *order = cli_order_classes(details);
    char text[HUMAN_SIZE];

    cli_page_section(page, "Classes");
    cli_page_table(page, "Each class, with 95 % intervals in brackets", heads, 9);
    for (size_t k = 0; k < details->class_count; k++) {
        const cleave_class_metrics *of_class = &details->classes[order[k].number];

        cli_page_cell(page, of_class->label);
        cli_page_cell(page, cli_short(of_class->rows, text));
        cli_page_cell(page, cli_short(of_class->predicted, text));
        cli_page_cell(page, cli_short(of_class->correct, text));
        put_share(page, &of_class->precision);
        put_share(page, &of_class->recall);
        put_share(page, &of_class->f1);
        put_share(page, &of_class->roc_auc);
        put_share(page, &of_class->pr_auc);
    }
    cli_page_table_end(page);
    free(order);
}

/* ---- the page */

int cli_report_test(Call *call, const Tested *tested)
{
    char title[PATHS_SIZE + QUOTED_SIZE], paths[PATHS_SIZE];
    PageFile *file = cli_alloc(NULL, 1, sizeof *file);
    int status;

    snprintf(title, sizeof title, "%s on %s", cleave_model_method(tested->model), cli_paths_text(call, 1, paths));
    status = cli_page_file_open(call, file, title, "cleave test");
    if (status == DONE) {
        cli_report_verdict(&file->page, tested);
        put_facts(&file->page, tested);
        put_measures(&file->page, tested);
        if (tested->details->class_count) {
            put_classes(&file->page, tested);
            cli_report_confusion(&file->page, tested);
        }
        cli_report_charts(&file->page, tested);
        cli_report_model(&file->page, tested->model);
        status = cli_page_file_close(call, file);
    }
    free(file);
    return status;
}
