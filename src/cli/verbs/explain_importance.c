/* cleave explain of forests and boosted trees: feature importances, most important first. */
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"
#include "cli/ui/text_bars.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <stdlib.h>

static double key_of(const Importance *importance)
{
    return isnan(importance->harm) ? importance->gain : importance->harm;
}

Importance *cli_importances(const cleave_model *model, size_t *count)
{
    size_t columns = cleave_model_feature_count(model);
    double *gain = cli_alloc(NULL, columns + 1, sizeof *gain),
           *harm = cli_alloc(NULL, columns + 1, sizeof *harm);
    size_t *order = cli_alloc(NULL, columns + 1, sizeof *order);
    Importance *list = cli_alloc(NULL, columns + 1, sizeof *list);

    if (!cleave_model_importances(model, gain, harm))
        columns = 0;
    *count = cleave_importance_order(gain, harm, columns, order);
    for (size_t i = 0; i < *count; i++)
        list[i] = (Importance){.column = order[i], .gain = gain[order[i]], .harm = harm[order[i]]};
    free(gain);
    free(harm);
    free(order);
    return list;
}

static void put_row(TextTable *table, const cleave_model *model, const Importance *importance,
                    bool harm, double most)
{
    char name[24], bar[BAR_SIZE];
    Bars bars = cli_bars();

    cli_table_cell(table, cleave_model_feature_name(model, importance->column, name));
    cli_table_cell(table, SHORT(importance->gain));
    if (harm)
        cli_table_cell(table, SHORT(importance->harm));
    cli_table_bar(table, most > 0 ? cli_bar(&bars, key_of(importance) / most, bar) : NULL);
}

void cli_explain_importances(Out *out, const cleave_model *model, size_t top)
{
    size_t count;
    Importance *list = cli_importances(model, &count);
    bool harm = count && !isnan(list[0].harm);
    TextTable table;

    if (count) {
        cli_put(out, "\n");
        cli_table_init(&table, out, harm ? 4 : 3);
        table.indent = 2;
        table.left[0] = table.left[harm ? 3 : 2] = true;
        cli_table_cell(&table, "column");
        cli_table_cell(&table, "gain");
        if (harm)
            cli_table_cell(&table, "permutation");
        cli_table_end_row(&table);
        for (size_t i = 0; i < count && i < top; i++)
            put_row(&table, model, &list[i], harm, key_of(&list[0]));
        cli_table_end(&table);
        if (count > top)
            cli_print(out, "  and %zu more\n", count - top);
    }
    free(list);
}

void cli_explain_importances_json(Json *json, const cleave_model *model)
{
    size_t count;
    Importance *list = cli_importances(model, &count);
    char name[24];

    if (count) {
        cli_json_open_key(json, "importances", '[');
        for (size_t i = 0; i < count; i++) {
            cli_json_open(json, '{');
            cli_json_put_string(json, "column",
                                cleave_model_feature_name(model, list[i].column, name));
            cli_json_put_number(json, "gain", list[i].gain);
            if (!isnan(list[i].harm))
                cli_json_put_number(json, "permutation", list[i].harm);
            cli_json_close(json, '}');
        }
        cli_json_close(json, ']');
    }
    free(list);
}
