/* cleave explain --example, --example-file, --row: explains the prediction for one row. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"
#include "cli/ui/whole_file.h"
#include "cli/verbs/explain_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cli_asks_example(const Call *call)
{
    const ExplainFlags *given = call->own;

    return given->example || given->example_file || call->argument_count > 1;
}

/* ---- JSON */

static void json_side(Json *json, const char *key, const char *label, double score,
                      double probability)
{
    cli_json_key(json, key);
    if (!label) {
        cli_json_null(json);
        return;
    }
    cli_json_open(json, '{');
    cli_json_put_string(json, "label", label);
    cli_json_put_number(json, "score", score);
    cli_json_put_number(json, "probability", probability);
    cli_json_close(json, '}');
}

static void json_contributions(Json *json, const cleave_explanation *facts, bool many)
{
    cli_json_put_number(json, "intercept", facts->intercept);
    if (many)
        cli_json_put_number(json, "runner_up_intercept", facts->runner_up_intercept);
    cli_json_open_key(json, "contributions", '[');
    for (size_t i = 0; i < facts->contribution_count; i++) {
        const cleave_contribution *share = &facts->contributions[i];

        cli_json_open(json, '{');
        cli_json_put_string(json, "feature", share->name);
        if (share->text)
            cli_json_put_string(json, "value", share->text);
        else
            cli_json_put_number(json, "value", share->value);
        cli_json_put_number(json, "contribution", share->contribution);
        if (many)
            cli_json_put_number(json, "runner_up_contribution", share->runner_up);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* The contribution of a neighbor to the score of the prediction: the score is their sum. The score
 * of two classes is the difference of their shares. Without a prediction, the share. */
static double neighbor_contribution(const cleave_model *model, const cleave_explanation *facts,
                                    const cleave_neighbor *neighbor)
{
    if (!neighbor->label)
        return neighbor->share * neighbor->value;
    if (facts->abstained || strcmp(neighbor->label, facts->label) == 0)
        return neighbor->share;
    return cleave_model_label_count(model) <= 2 ? 0.0 - neighbor->share : 0;
}

static void json_neighbors(Json *json, const cleave_model *model, const cleave_explanation *facts)
{
    cli_json_open_key(json, "neighbors", '[');
    for (size_t i = 0; i < facts->neighbor_count; i++) {
        const cleave_neighbor *neighbor = &facts->neighbors[i];

        cli_json_open(json, '{');
        cli_json_put_count(json, "row", neighbor->row);
        cli_json_put_number(json, "distance", neighbor->distance);
        cli_json_put_number(json, "weight", neighbor->weight);
        cli_json_put_number(json, "share", neighbor->share);
        cli_json_put_number(json, "contribution", neighbor_contribution(model, facts, neighbor));
        if (neighbor->label)
            cli_json_put_string(json, "label", neighbor->label);
        else
            cli_json_put_number(json, "number", neighbor->value);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_explanation_json(Out *out, const cleave_model *model, const cleave_explanation *facts)
{
    Json json = {.out = out};

    cli_json_open(&json, '{');
    json_side(&json, "prediction", facts->abstained ? NULL : facts->label, facts->score,
              facts->probability);
    if (facts->abstained)
        cli_json_put_bool(&json, "abstained", true);
    json_side(&json, "runner_up", facts->runner_up, facts->runner_up_score,
              facts->runner_up_probability);
    cli_json_put_string(&json, "true_label", facts->true_label);
    if (facts->has_contributions)
        json_contributions(&json, facts, cleave_model_label_count(model) > 2);
    if (facts->neighbor_count)
        json_neighbors(&json, model, facts);
    if (facts->support_vector_count)
        cli_json_supports(&json, facts->support_vectors, facts->support_vector_count);
    if (facts->leaf != SIZE_MAX)
        cli_json_put_count(&json, "leaf", facts->leaf);
    cli_json_open_key(&json, "unknown", '[');
    for (size_t i = 0; i < facts->unknown_count; i++)
        cli_json_string(&json, facts->unknown[i]);
    cli_json_close(&json, ']');
    cli_json_end(&json, '}');
}

/* ---- text */

static void show_side(Out *out, const char *title, const char *label, double score,
                      double probability)
{
    cli_put_name(out, title);
    cli_put_name(out, label);
    cli_print(out, ", score %s", SHORT(score));
    if (!isnan(probability))
        cli_print(out, ", probability %s", BRIEF(probability));
    cli_put(out, "\n");
}

static void show_prediction(Out *out, const cleave_model *model, const cleave_explanation *facts)
{
    if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION)
        cli_print(out, "prediction  %s\n", SHORT(facts->score));
    else if (facts->abstained)
        cli_put(out, "prediction  none (the model abstains)\n");
    else
        show_side(out, "prediction  ", facts->label, facts->score, facts->probability);
    if (facts->runner_up)
        show_side(out, "runner-up   ", facts->runner_up, facts->runner_up_score,
                  facts->runner_up_probability);
    if (facts->true_label) {
        cli_put(out, "true label  ");
        cli_put_name(out, facts->true_label);
        cli_put(out, "\n");
    }
}

typedef struct {
    TextTable table;
    Bars bars;
    double most;
    bool many; /* classes: the second-best class has its own contributions */
} Shares;

/* Prints one contribution. If value is NULL, the column of values is empty. */
static void put_share(Shares *shares, const char *name, const char *value, double share,
                      double other, bool drawn)
{
    char bar[BAR_SIZE];

    cli_table_cell(&shares->table, name);
    cli_table_cell(&shares->table, value);
    cli_table_cell(&shares->table, SHORT(share));
    if (shares->many)
        cli_table_cell(&shares->table, SHORT(other));
    cli_table_cell(&shares->table, drawn && shares->most > 0
                                       ? cli_bar(&shares->bars, (share - other) / shares->most, bar)
                                       : NULL);
}

/* Prints the omitted features on one line. */
static void put_others(Shares *shares, const cleave_explanation *facts, size_t shown)
{
    double share = 0, other = 0;
    char title[HUMAN_SIZE + 16];

    for (size_t i = shown; i < facts->contribution_count; i++) {
        share += facts->contributions[i].contribution;
        other += facts->contributions[i].runner_up;
    }
    if (shown == facts->contribution_count)
        return;
    snprintf(title, sizeof title, "(%s)",
             COUNT(facts->contribution_count - shown, "other", "others"));
    put_share(shares, title, NULL, share, other, true);
}

static void show_contributions(Out *out, const cleave_model *model, const cleave_explanation *facts,
                               size_t top)
{
    size_t shown = facts->contribution_count < top ? facts->contribution_count : top;
    Shares shares = {.bars = cli_bars(), .many = cleave_model_label_count(model) > 2};
    double other_intercept = shares.many ? facts->runner_up_intercept : 0;

    shares.most = fabs(facts->intercept - other_intercept);
    for (size_t i = 0; i < facts->contribution_count; i++)
        shares.most = fmax(shares.most, fabs(facts->contributions[i].contribution -
                                             facts->contributions[i].runner_up));
    cli_put(out, "\n");
    cli_table_init(&shares.table, out, shares.many ? 5 : 4);
    shares.table.indent = 2;
    shares.table.left[0] = shares.table.left[shares.many ? 4 : 3] = true;
    cli_table_cell(&shares.table, "feature");
    cli_table_cell(&shares.table, "value");
    cli_table_cell(&shares.table, cleave_model_task(model) == CLEAVE_TASK_REGRESSION
                                      ? "contribution"
                                      : facts->label);
    if (shares.many)
        cli_table_cell(&shares.table, facts->runner_up);
    cli_table_end_row(&shares.table);
    for (size_t i = 0; i < shown; i++) {
        const cleave_contribution *share = &facts->contributions[i];

        put_share(&shares, share->name,
                  share->text           ? share->text
                  : isnan(share->value) ? "missing"
                                        : SHORT(share->value),
                  share->contribution, share->runner_up, true);
    }
    put_others(&shares, facts, shown);
    put_share(&shares, "(intercept)", NULL, facts->intercept, other_intercept, true);
    put_share(&shares, "(sum)", NULL, facts->score, shares.many ? facts->runner_up_score : 0,
              false);
    cli_table_print(&shares.table);
    cli_table_free(&shares.table);
}

static void put_neighbor(TextTable *table, const Bars *bars, size_t rank,
                         const cleave_neighbor *neighbor, double contribution, double most)
{
    char number[HUMAN_SIZE], bar[BAR_SIZE];

    snprintf(number, sizeof number, "%zu", rank);
    cli_table_cell(table, number);
    snprintf(number, sizeof number, "%llu", (unsigned long long)neighbor->row);
    cli_table_cell(table, number);
    cli_table_cell(table, neighbor->label ? neighbor->label : cli_short(neighbor->value, number));
    cli_table_cell(table, cli_short(neighbor->distance, number));
    cli_table_cell(table, cli_short(neighbor->weight, number));
    cli_table_cell(table, cli_short(contribution, number));
    cli_table_bar(table, most > 0 ? cli_bar(bars, contribution / most, bar) : NULL);
}

/* The omitted neighbors and their total contribution. */
static void show_others(Out *out, const cleave_model *model, const cleave_explanation *facts,
                        size_t shown)
{
    double share = 0;

    for (size_t i = shown; i < facts->neighbor_count; i++)
        share += neighbor_contribution(model, facts, &facts->neighbors[i]);
    if (shown < facts->neighbor_count)
        cli_print(out, "  and %s, with a contribution of %s\n",
                  COUNT(facts->neighbor_count - shown, "other", "others"), SHORT(share));
}

static void show_neighbors(Out *out, const cleave_model *model, const cleave_explanation *facts,
                           size_t top)
{
    const char *const heads[] = {"rank",     "row",    "label",
                                 "distance", "weight", facts->abstained ? "share" : "contribution"};
    size_t shown = facts->neighbor_count < top ? facts->neighbor_count : top;
    bool number = cleave_model_task(model) == CLEAVE_TASK_REGRESSION;
    Bars bars = cli_bars();
    double most = 0;
    TextTable table;

    for (size_t i = 0; i < shown; i++)
        most = fmax(most, fabs(neighbor_contribution(model, facts, &facts->neighbors[i])));
    cli_print(out, "\nNearest neighbors%s\n",
              facts->abstained ? ""
              : number         ? ": the prediction is the sum of their contributions"
                               : ": the score is the sum of their contributions");
    cli_table_init(&table, out, 7);
    table.indent = 2;
    table.left[2] = !number;
    table.left[6] = true;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cli_table_cell(&table, number && i == 2 ? "target" : heads[i]);
    cli_table_end_row(&table);
    for (size_t i = 0; i < shown; i++)
        put_neighbor(&table, &bars, i + 1, &facts->neighbors[i],
                     neighbor_contribution(model, facts, &facts->neighbors[i]), most);
    cli_table_end(&table);
    show_others(out, model, facts, shown);
}

static void show_unknown(Out *out, const cleave_explanation *facts)
{
    if (facts->unknown_count == 0)
        return;
    cli_put(out, "\nNot in the model: ");
    for (size_t i = 0; i < facts->unknown_count; i++) {
        cli_put(out, i ? ", " : "");
        cli_put_name(out, facts->unknown[i]);
    }
    cli_put(out, "\n");
}

static void print_text(Out *out, const cleave_model *model, const cleave_explanation *facts,
                       size_t top)
{
    show_prediction(out, model, facts);
    if (facts->has_contributions)
        show_contributions(out, model, facts, top);
    else if (facts->neighbor_count)
        show_neighbors(out, model, facts, top);
    else if (facts->support_vector_count)
        cli_show_supports(out, facts, top);
    else if (facts->leaf != SIZE_MAX)
        cli_explain_leaf(out, model, facts->leaf);
    else
        cli_print(out,
                  "\nNo contributions: the score of a '%s' model is not a sum over features.\n"
                  "hint: linear methods such as svm and logistic have contributions\n",
                  cleave_model_method(model));
    show_unknown(out, facts);
}

/* ---- the row to explain */

/* DATA that does not name a file and contains a blank is probably a text for --example. */
static bool is_text(const char *path)
{
    struct stat facts;

    return strchr(path, ' ') && stat(path, &facts) != 0;
}

/* Explains a row; row 0: the only row. */
static int explain_row(Call *call, const cleave_model *model, const char *const *paths,
                       size_t count, uint64_t row, cleave_explanation **facts)
{
    cleave_data *data = NULL;
    int status;

    if (is_text(paths[0])) {
        call->error = (cleave_error){.code = CLEAVE_ERROR_USAGE};
        snprintf(call->error.message, sizeof call->error.message, "the file '%s' does not exist",
                 QUOTED(paths[0]));
        snprintf(call->error.hint, sizeof call->error.hint,
                 "--example TEXT explains the prediction for a text");
        return cli_fail(call);
    }
    status = cli_open(call, model, paths, count, &data);
    if (status == DONE && cleave_explain_row(model, data, row, facts, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    cleave_data_free(data);
    return status;
}

/* Whether the path is a folder or a binary dataset, which is opened as data and not read as
 * text. */
static bool is_data(const char *path)
{
    size_t length = strlen(path);
    struct stat facts;

    return (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) ||
           (length > 7 && strcmp(path + length - 7, ".cleave") == 0);
}

static int explain_file(Call *call, const cleave_model *model, const char *path,
                        cleave_explanation **facts)
{
    char *text = NULL;
    size_t size;
    int status;

    if (is_data(path))
        return explain_row(call, model, &path, 1, 0, facts);
    status = cli_read_whole(call, path, &text, &size) == CLEAVE_OK ? DONE : cli_fail(call);
    if (status == DONE && cleave_explain_text(model, text, size, facts, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    free(text);
    return status;
}

/* The file that contains the example: --example-file, or --example if that is - or names a file.
 * NULL: --example is the text. */
static const char *example_path(Call *call)
{
    const ExplainFlags *given = call->own;
    const char *example = given->example;
    char note[QUOTED_SIZE + 64];
    struct stat facts;

    if (given->example_file || !example || strcmp(example, "-") == 0)
        return example ? example : given->example_file;
    if (stat(example, &facts) != 0 || !(S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)))
        return NULL;
    snprintf(note, sizeof note, "--example: reading the file '%s'", QUOTED(example));
    cli_remark(call, CLEAVE_LOG_NOTE, note,
               "to explain a text that is also the name of a file, pass --example - and write the "
               "text to standard input");
    return example;
}

static int explain_text(Call *call, const cleave_model *model, cleave_explanation **facts)
{
    const ExplainFlags *given = call->own;
    const char *text = given->example;

    return cleave_explain_text(model, text, strlen(text), facts, &call->error) == CLEAVE_OK
               ? DONE
               : cli_fail(call);
}

int cli_explain_example(Call *call, const cleave_model *model, size_t top)
{
    cleave_explanation *facts = NULL;
    const ExplainFlags *given = call->own;
    uint64_t row = given->row >= 0 ? (uint64_t)given->row : 0;
    const char *path = example_path(call);
    int status;
    Out out;

    if (path)
        status = explain_file(call, model, path, &facts);
    else if (given->example)
        status = explain_text(call, model, &facts);
    else
        status = explain_row(call, model, call->arguments + 1, call->argument_count - 1, row,
                             &facts);
    if (status == DONE) {
        cli_out_file(&out, stdout);
        if (call->settings.json)
            cli_explanation_json(&out, model, facts);
        else
            print_text(&out, model, facts, top);
        if (cli_out_close(&out, &call->error) != CLEAVE_OK)
            status = cli_fail(call);
    }
    cleave_explanation_free(facts);
    return status;
}
