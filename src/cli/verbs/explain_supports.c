/* cleave explain of kernel models: support vectors, of the model and of one prediction. */
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <string.h>

/* ---- JSON */

void cli_json_supports(Json *json, const cleave_support_vector *supports, size_t count)
{
    cli_json_open_key(json, "support_vectors", '[');
    for (size_t i = 0; i < count; i++) {
        const cleave_support_vector *support = &supports[i];

        cli_json_open(json, '{');
        cli_json_key(json, "row");
        if (support->row)
            cli_json_count(json, support->row);
        else
            cli_json_null(json);
        cli_json_put_string(json, support->against ? "against" : "for", support->label);
        cli_json_put_number(json, "alpha", support->alpha);
        if (!isnan(support->contribution)) {
            cli_json_put_number(json, "kernel", support->kernel);
            cli_json_put_number(json, "contribution", support->contribution);
        }
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* ---- text */

static double size_of(const cleave_support_vector *support)
{
    return isnan(support->contribution) ? support->alpha : support->contribution;
}

static void put_support(TextTable *table, const Bars *bars, const cleave_support_vector *support,
                        double most)
{
    char number[HUMAN_SIZE], bar[BAR_SIZE], side[300];

    snprintf(number, sizeof number, "%llu", (unsigned long long)support->row);
    cli_table_cell(table, support->row ? number : "?");
    snprintf(side, sizeof side, "%s%s", support->against ? "not " : "",
             support->label ? support->label : "");
    cli_table_cell(table, side);
    cli_table_cell(table, cli_short(support->alpha, number));
    if (!isnan(support->contribution)) {
        cli_table_cell(table, cli_short(support->kernel, number));
        cli_table_cell(table, cli_short(support->contribution, number));
    }
    cli_table_bar(table, most > 0 ? cli_bar(bars, size_of(support) / most, bar) : NULL);
}

static void show_table(Out *out, const cleave_support_vector *supports, size_t shown)
{
    static const char *const heads[] = {"row", "class", "alpha", "kernel", "contribution"};
    bool shares = shown > 0 && !isnan(supports[0].contribution);
    double most = shown > 0 ? fabs(size_of(&supports[0])) : 0;
    Bars bars = cli_bars();
    TextTable table;

    cli_table_init(&table, out, shares ? 6 : 4);
    table.indent = 2;
    table.left[1] = table.left[shares ? 5 : 3] = true;
    for (size_t i = 0; i < (shares ? 5 : 3); i++)
        cli_table_cell(&table, heads[i]);
    cli_table_end_row(&table);
    for (size_t i = 0; i < shown; i++)
        put_support(&table, &bars, &supports[i], most);
    cli_table_end(&table);
}

static void show_counts(Out *out, const cleave_model *model, const cleave_support_vector *supports,
                        size_t count)
{
    size_t classes = cleave_model_label_count(model), named = 0;

    cli_print(out, "support vectors  %s of %llu", COUNT(count, "row", "rows"),
              (unsigned long long)cleave_model_rows(model));
    for (size_t i = 0; i < classes && i < MOST_CLASSES; i++) {
        size_t there = 0;

        for (size_t j = 0; j < count; j++)
            there += !supports[j].against && supports[j].label &&
                     strcmp(supports[j].label, cleave_model_label(model, i)) == 0;
        if (there == 0)
            continue;
        cli_print(out, "%s%zu for ", named++ ? ", " : ": ", there);
        cli_put_name(out, cleave_model_label(model, i));
    }
    cli_print(out, "%s\n", classes > MOST_CLASSES ? ", …" : "");
}

bool cli_explain_supports(Out *out, const cleave_model *model, size_t top)
{
    size_t count, shown;
    cleave_support_vector *supports;

    if (cleave_model_support_vectors(model, &supports, &count, NULL) != CLEAVE_OK || count == 0)
        return false;
    shown = count < top ? count : top;
    show_counts(out, model, supports, count);
    cli_print(out,
              shown < count ? "\nLargest support vectors (%zu of %zu)\n" : "\nSupport vectors\n",
              shown, count);
    show_table(out, supports, shown);
    cli_put(out, "\nhint: --example, or DATA --row N, shows their contributions to a prediction\n");
    cleave_support_vectors_free(supports);
    return true;
}

void cli_show_supports(Out *out, const cleave_explanation *facts, size_t top)
{
    size_t shown = facts->support_vector_count < top ? facts->support_vector_count : top;
    double rest = 0, intercept = facts->score;

    cli_put(out,
            "\nSupport vectors: the score is the sum of their contributions, alpha times kernel\n");
    show_table(out, facts->support_vectors, shown);
    for (size_t i = 0; i < facts->support_vector_count; i++)
        intercept -= facts->support_vectors[i].contribution;
    for (size_t i = shown; i < facts->support_vector_count; i++)
        rest += facts->support_vectors[i].contribution;
    if (shown < facts->support_vector_count)
        cli_print(out, "  and %s, with a contribution of %s\n",
                  COUNT(facts->support_vector_count - shown, "other", "others"), SHORT(rest));
    cli_print(out, "  and the intercept, %s\n", SHORT(fabs(intercept) < 1e-9 ? 0 : intercept));
}
