/* The result of cleave_describe, as text or as JSON. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"

#include <math.h>
#include <string.h>

enum { CELL_SIZE = 512, SHOWN_LABELS = 10 };

/* ---- text ------------------------------------------------------------------------------------ */

/* Prints "Private 22696, Self-emp-not-inc 2541, …", or one example if no value is repeated. */
static void print_values(const cleave_column *column, char cell[CELL_SIZE])
{
    size_t length = 0,
           shown = column->value_count && column->values[0].count > 1 ? column->value_count : 1;

    cell[0] = '\0';
    for (size_t i = 0; i < shown && i < column->value_count; i++) {
        char quoted[QUOTED_SIZE];

        cli_quote(column->values[i].text, quoted);
        if (column->values[0].count > 1)
            length += (size_t)snprintf(cell + length, CELL_SIZE - length, "%s%s %llu",
                                       i ? ", " : "", quoted,
                                       (unsigned long long)column->values[i].count);
        else
            length += (size_t)snprintf(cell + length, CELL_SIZE - length, "such as %s", quoted);
    }
    if (shown < column->distinct && column->values[0].count > 1)
        snprintf(cell + length, CELL_SIZE - length, ", ...");
}

static void print_column(TextTable *table, const cleave_column *column)
{
    char cell[CELL_SIZE];

    cli_table_cell(table, QUOTED(column->name));
    cli_table_cell(table, column->kind);
    snprintf(cell, sizeof cell, "%llu", (unsigned long long)column->missing);
    cli_table_cell(table, cell);
    snprintf(cell, sizeof cell, "%s%llu", column->more ? "> " : "",
             (unsigned long long)column->distinct);
    cli_table_cell(table, cell);
    if (column->earliest)
        snprintf(cell, sizeof cell, "%s to %s", column->earliest, column->latest);
    else if (isfinite(column->min) && strcmp(column->kind, "category") != 0)
        snprintf(cell, CELL_SIZE, "%s to %s, median %s", SHORT(column->min), SHORT(column->max),
                 SHORT(column->median));
    else
        print_values(column, cell);
    cli_table_cell(table, cell);
    cli_table_cell(table, column->why);
}

static void print_columns(Out *out, const cleave_description *found)
{
    static const char *const titles[] = {"column",   "type",   "missing",
                                         "distinct", "values", "reason"};
    TextTable table;

    cli_table_init(&table, out, 6);
    table.left[0] = table.left[1] = table.left[4] = table.left[5] = true;
    for (size_t i = 0; i < 6; i++)
        cli_table_cell(&table, titles[i]);
    for (size_t i = 0; i < found->column_count; i++)
        print_column(&table, &found->columns[i]);
    cli_table_end(&table);
    for (size_t i = 0; i < found->column_count; i++)
        if (found->columns[i].warning)
            cli_print(out, "warning: %s: %s\n", QUOTED(found->columns[i].name),
                      found->columns[i].warning);
}

/* Whether the column has its own warning. */
static bool has_warning(const cleave_description *found, const char *name)
{
    for (size_t i = 0; i < found->column_count; i++)
        if (found->columns[i].warning && strcmp(found->columns[i].name, name) == 0)
            return true;
    return false;
}

static void print_labels(Out *out, const cleave_description *found)
{
    if (found->label_count == 0) {
        cli_put(out, "No row has a label.\n");
        return;
    }
    cli_print(out, "%s: ", COUNT(found->label_count, "label", "labels"));
    for (size_t i = 0; i < found->label_count && i < SHOWN_LABELS; i++)
        cli_print(out, "%s%s %llu", i ? ", " : "", QUOTED(found->labels[i].text),
                  (unsigned long long)found->labels[i].count);
    cli_put(out, found->label_count > SHOWN_LABELS ? ", ...\n" : "\n");
    if (found->unlabeled)
        cli_print(out, "Unlabeled: %s.\n", COUNT(found->unlabeled, "row", "rows"));
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_description *found = facts;
    double cells = (double)found->rows * (double)found->features;

    (void)call;
    cli_print(out, "Read %s, %s", COUNT(found->rows, "row", "rows"),
              COUNT(found->features, "feature", "features"));
    if (cells > 0)
        cli_print(out, "; %.3g%% nonzero values, %.3g per row",
                  100 * (double)found->entries / cells,
                  (double)found->entries / (double)found->rows);
    cli_put(out, ".\n");
    print_labels(out, found);
    if (found->column_count) {
        cli_put(out, "\n");
        print_columns(out, found);
    }
    for (size_t i = 0; i < found->suspect_count; i++)
        if (!has_warning(found, found->suspects[i].name))
            cli_suspect(out, &found->suspects[i]);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_values(Json *json, const char *key, const cleave_value *values, size_t count)
{
    cli_json_open_key(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        cli_json_open(json, '{');
        cli_json_put_string(json, "value", values[i].text);
        cli_json_put_count(json, "count", values[i].count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_column(Json *json, const cleave_column *column)
{
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", column->name);
    cli_json_put_string(json, "kind", column->kind);
    cli_json_put_string(json, "reason", column->why);
    cli_json_put_count(json, "values_count", column->cells);
    cli_json_put_count(json, "missing", column->missing);
    cli_json_put_count(json, "distinct", column->distinct);
    cli_json_put_bool(json, "more", column->more);
    cli_json_put_number(json, "min", column->min);
    cli_json_put_number(json, "median", column->median);
    cli_json_put_number(json, "max", column->max);
    if (column->earliest) {
        cli_json_put_string(json, "earliest", column->earliest);
        cli_json_put_string(json, "latest", column->latest);
    }
    put_values(json, "values", column->values, column->value_count);
    cli_json_put_string(json, "warning", column->warning);
    cli_json_close(json, '}');
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_description *found = facts;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "format", found->format);
    cli_json_put_count(&json, "rows", found->rows);
    cli_json_put_count(&json, "features", found->features);
    cli_json_put_count(&json, "entries", found->entries);
    cli_json_put_count(&json, "unlabeled", found->unlabeled);
    put_values(&json, "labels", found->labels, found->label_count);
    cli_json_open_key(&json, "columns", '[');
    for (size_t i = 0; i < found->column_count; i++)
        put_column(&json, &found->columns[i]);
    cli_json_close(&json, ']');
    cli_json_suspects(&json, found->suspects, found->suspect_count);
    cli_json_guess_list(&json, found->guesses, found->guess_count);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

int cli_report_description(Call *call, const cleave_description *found)
{
    return cli_tell(call, print_text, print_json, found);
}
