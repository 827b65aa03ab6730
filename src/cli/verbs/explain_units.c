/* cleave explain of networks: the features that the units of the first layer respond to, and the
 * outputs they affect. */
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_SHOWN = 5, JSON_FEATURES = 20 };

typedef struct {
    size_t number;
    double strength; /* largest effect on an output */
} Unit;

typedef struct {
    const cleave_model *model;
    size_t features, outputs, count;
    /* weights, effects and intercept of the unit that was read last */
    double *weights, *effects, intercept;
    size_t *order; /* features of the unit, by decreasing weight */
    Unit *units;   /* units, by decreasing effect */
} Units;

typedef struct {
    double size;
    size_t column;
} Sized;

static int largest_first(const void *a, const void *b)
{
    const Sized *x = a, *y = b;

    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->column > y->column) - (x->column < y->column);
}

static int strongest_first(const void *a, const void *b)
{
    const Unit *x = a, *y = b;

    return x->strength != y->strength ? (x->strength < y->strength) - (x->strength > y->strength)
                                      : (x->number > y->number) - (x->number < y->number);
}

static void read_unit(Units *units, size_t number)
{
    Sized *sized = cli_alloc(NULL, units->features + 1, sizeof *sized);

    cleave_model_unit(units->model, number, units->weights, units->effects, &units->intercept);
    for (size_t i = 0; i < units->features; i++)
        sized[i] = (Sized){fabs(units->weights[i]), i};
    qsort(sized, units->features, sizeof *sized, largest_first);
    for (size_t i = 0; i < units->features; i++)
        units->order[i] = sized[i].column;
    free(sized);
}

static bool open_units(Units *units, const cleave_model *model)
{
    size_t classes = cleave_model_label_count(model);

    *units = (Units){.model = model,
                     .features = cleave_model_feature_count(model),
                     .outputs = classes > 2 ? classes : 1};
    while (cleave_model_unit(model, units->count, NULL, NULL, NULL))
        units->count++;
    if (units->count == 0)
        return false;
    units->weights = cli_alloc(NULL, units->features + 1, sizeof *units->weights);
    units->effects = cli_alloc(NULL, units->outputs, sizeof *units->effects);
    units->order = cli_alloc(NULL, units->features + 1, sizeof *units->order);
    units->units = cli_alloc(NULL, units->count, sizeof *units->units);
    for (size_t i = 0; i < units->count; i++) {
        double norm2 = 0, most = 0;

        cleave_model_unit(model, i, units->weights, units->effects, NULL);
        for (size_t j = 0; j < units->features; j++)
            norm2 += units->weights[j] * units->weights[j];
        for (size_t j = 0; j < units->outputs; j++)
            most = fmax(most, fabs(units->effects[j]));
        units->units[i] = (Unit){i, sqrt(norm2) * most};
    }
    qsort(units->units, units->count, sizeof *units->units, strongest_first);
    return true;
}

static void close_units(Units *units)
{
    free(units->weights);
    free(units->effects);
    free(units->order);
    free(units->units);
}

static const char *output_name(const cleave_model *model, size_t output)
{
    const char *positive = cleave_model_positive(model);

    if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION)
        return "prediction";
    return positive ? positive : cleave_model_label(model, output);
}

static void put_effect(Out *out, const Units *units, double sign, const char *title)
{
    size_t best = 0;

    for (size_t i = 1; i < units->outputs; i++)
        best = sign * units->effects[i] > sign * units->effects[best] ? i : best;
    if (sign * units->effects[best] <= 0)
        return;
    cli_print(out, ", %s ", title);
    cli_put_name(out, output_name(units->model, best));
    cli_print(out, " %s", SHORT(units->effects[best]));
}

static void show_unit(Out *out, const Units *units, size_t number, size_t top)
{
    size_t shown = units->features < top ? units->features : top;
    double most = shown ? fabs(units->weights[units->order[0]]) : 0;
    Bars bars = cli_bars();
    char name[24], bar[BAR_SIZE];
    TextTable table;

    cli_print(out, "\nUnit %zu", number + 1);
    put_effect(out, units, 1, "raises");
    put_effect(out, units, -1, "lowers");
    cli_print(out, "; intercept %s\n", SHORT(units->intercept));
    cli_table_init(&table, out, 3);
    table.indent = 2;
    table.left[0] = table.left[2] = true;
    for (size_t i = 0; i < shown && units->weights[units->order[i]] != 0; i++) {
        double weight = units->weights[units->order[i]];

        cli_table_cell(&table, cleave_model_feature_name(units->model, units->order[i], name));
        cli_table_cell(&table, SHORT(weight));
        cli_table_bar(&table, cli_bar(&bars, weight / most, bar));
    }
    cli_table_end(&table);
}

bool cli_explain_units(Out *out, const cleave_model *model, size_t top)
{
    Units units;
    size_t shown;

    if (!open_units(&units, model))
        return false;
    shown = units.count < UNITS_SHOWN ? units.count : UNITS_SHOWN;
    cli_print(out, "units      %zu in the first layer; the largest weights of %zu follow\n",
              units.count, shown);
    for (size_t i = 0; i < shown; i++) {
        read_unit(&units, units.units[i].number);
        show_unit(out, &units, units.units[i].number, top);
    }
    close_units(&units);
    return true;
}

void cli_explain_units_json(Json *json, const cleave_model *model)
{
    Units units;
    char name[24];

    if (!open_units(&units, model))
        return;
    cli_json_open_key(json, "units", '[');
    for (size_t i = 0; i < units.count; i++) {
        read_unit(&units, units.units[i].number);
        cli_json_open(json, '{');
        cli_json_put_count(json, "unit", units.units[i].number + 1);
        cli_json_put_number(json, "intercept", units.intercept);
        cli_json_open_key(json, "outputs", '{');
        for (size_t j = 0; j < units.outputs; j++)
            cli_json_put_number(json, output_name(model, j), units.effects[j]);
        cli_json_close(json, '}');
        cli_json_open_key(json, "weights", '{');
        for (size_t j = 0; j < units.features && j < JSON_FEATURES; j++)
            cli_json_put_number(json, cleave_model_feature_name(model, units.order[j], name),
                                units.weights[units.order[j]]);
        cli_json_close(json, '}');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    close_units(&units);
}
