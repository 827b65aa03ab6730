/* cleave explain of linear separators: margin, slack and support vectors of labeled rows, and the
 * set of all separators of points of the plane. */
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"
#include "cli/verbs/explain_parts.h"

#include <stdio.h>

enum { MOST_POINTS = 50 };
static const double ROUNDING = 1e-6; /* slack of a point on the margin */

/* ---- margins --------------------------------------------------------------------------------- */

static void json_point(Json *json, const cleave_margin_point *point)
{
    cli_json_open(json, '{');
    cli_json_put_count(json, "row", point->row);
    cli_json_put_string(json, "label", point->label);
    cli_json_put_number(json, "score", point->score);
    cli_json_put_number(json, "margin", point->margin);
    cli_json_put_number(json, "slack", point->slack);
    cli_json_put_bool(json, "support_vector", point->support_vector);
    cli_json_close(json, '}');
}

static void json_margins(Out *out, const cleave_margins *facts)
{
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "positive", facts->positive);
    cli_json_put_string(&json, "negative", facts->negative);
    cli_json_put_number(&json, "norm", facts->norm);
    cli_json_put_number(&json, "margin", 1 / facts->norm);
    cli_json_put_number(&json, "least_margin", facts->least);
    cli_json_put_number(&json, "least_distance", facts->least / facts->norm);
    cli_json_put_number(&json, "slack", facts->slack);
    cli_json_put_count(&json, "rows", facts->points);
    cli_json_put_count(&json, "violated", facts->violated);
    cli_json_put_count(&json, "misclassified", facts->misclassified);
    cli_json_put_count(&json, "support_vectors", facts->support_vectors);
    cli_json_open_key(&json, "points", '[');
    for (size_t i = 0; i < facts->point_count; i++)
        json_point(&json, &facts->list[i]);
    cli_json_close(&json, ']');
    cli_json_end(&json, '}');
}

static void print_points(Out *out, const cleave_margins *facts)
{
    static const char *const heads[] = {"row", "class", "score", "y score", "hinge loss", NULL};
    enum { COLUMNS = 6 };
    TextTable table;

    cli_table_init(&table, out, COLUMNS);
    table.indent = 2;
    table.left[1] = table.left[COLUMNS - 1] = true;
    for (size_t i = 0; i < COLUMNS; i++)
        cli_table_cell(&table, heads[i]);
    for (size_t i = 0; i < facts->point_count; i++) {
        const cleave_margin_point *point = &facts->list[i];

        cli_table_cell(&table, GROUPED(point->row));
        cli_table_cell(&table, point->label);
        cli_table_cell(&table, SHORT(point->score));
        cli_table_cell(&table, SHORT(point->margin));
        cli_table_cell(&table, SHORT(point->slack));
        cli_table_cell(&table, point->misclassified      ? "misclassified"
                               : point->slack > ROUNDING ? "inside the margin"
                               : point->support_vector   ? "on the margin"
                                                         : NULL);
    }
    cli_table_end(&table);
}

static void print_margins(Out *out, const cleave_margins *facts, bool all)
{
    cli_put(out, "positive         ");
    cli_put_name(out, facts->positive);
    cli_print(out, "\nmargin           1/|w| = %s, |w| = %s\n", SHORT(1 / facts->norm),
              SHORT(facts->norm));
    cli_print(out, "least y score    %s, at distance %s\n", SHORT(facts->least),
              SHORT(facts->least / facts->norm));
    cli_print(out, "violated         %llu of %s (y score < 1), %llu misclassified\n",
              (unsigned long long)facts->violated, COUNT(facts->points, "row", "rows"),
              (unsigned long long)facts->misclassified);
    cli_print(out, "slack            %s, the sum of the hinge losses\n", SHORT(facts->slack));
    cli_print(out, "support vectors  %s\n\n", GROUPED(facts->support_vectors));
    print_points(out, facts);
    if ((all ? facts->points : facts->support_vectors) > facts->point_count)
        cli_print(out, "the first %zu %s; --top N, --json\n", facts->point_count,
                  all ? "rows" : "support vectors");
}

int cli_explain_margins(Call *call, const cleave_model *model)
{
    const ExplainFlags *given = call->own;
    bool all = model == NULL;
    size_t most = call->settings.json ? SIZE_MAX : explain_top(call, MOST_POINTS);
    cleave_margins *facts = NULL;
    cleave_data *data;
    Out out;
    int status;

    CLI_TRY(cli_use_data(call, model, model ? 1 : 0, &data));
    if ((model ? cleave_margins_of_model(model, data, all, most, &facts, &call->error)
               : cleave_margins_of_weights(data, given->weights, all, most, &facts,
                                           &call->error)) != CLEAVE_OK)
        return cli_fail(call);
    cli_out_file(&out, stdout);
    if (call->settings.json)
        json_margins(&out, facts);
    else
        print_margins(&out, facts, all);
    status = cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
    cleave_margins_free(facts);
    return status;
}

/* ---- separators ------------------------------------------------------------------------------ */

static void json_separators(Out *out, const cleave_separators *all)
{
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "positive", all->positive);
    cli_json_put_string(&json, "negative", all->negative);
    cli_json_put_count(&json, "rows", all->points);
    cli_json_put_bool(&json, "separable", all->count > 0);
    cli_json_open_key(&json, "vertices", '[');
    for (size_t i = 0; i < all->count; i++) {
        const cleave_separator *vertex = &all->vertices[i];

        cli_json_open(&json, '{');
        cli_json_open_key(&json, "weights", '{');
        for (size_t k = 0; k < 2; k++)
            cli_json_put_number(&json, all->names[k], vertex->weights[k]);
        cli_json_close(&json, '}');
        cli_json_put_number(&json, "threshold", vertex->threshold);
        cli_json_open_key(&json, "rows", '[');
        for (size_t k = 0; k < 2; k++)
            cli_json_count(&json, vertex->rows[k]);
        cli_json_close(&json, ']');
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_end(&json, '}');
}

static void print_separators(Out *out, const cleave_separators *all)
{
    const char *const heads[] = {all->names[0], all->names[1], "theta", "through rows"};
    enum { COLUMNS = 4 };
    TextTable table;

    if (all->count == 0) {
        cli_put(out, "No line separates the classes.\n");
        return;
    }
    cli_print(out, "Lines w.x = theta that separate %s, ", COUNT(all->points, "row", "rows"));
    cli_put_name(out, all->positive);
    cli_put(out, " where w.x > theta:\nall sums of these vertices with positive factors\n\n");
    cli_table_init(&table, out, COLUMNS);
    table.indent = 2;
    for (size_t i = 0; i < COLUMNS; i++)
        cli_table_cell(&table, heads[i]);
    for (size_t i = 0; i < all->count; i++) {
        const cleave_separator *vertex = &all->vertices[i];
        char rows[64];

        snprintf(rows, sizeof rows, "%llu, %llu", (unsigned long long)vertex->rows[0],
                 (unsigned long long)vertex->rows[1]);
        cli_table_cell(&table, SHORT(vertex->weights[0]));
        cli_table_cell(&table, SHORT(vertex->weights[1]));
        cli_table_cell(&table, SHORT(vertex->threshold));
        cli_table_cell(&table, rows);
    }
    cli_table_end(&table);
}

int cli_explain_separators(Call *call)
{
    cleave_separators *all = NULL;
    cleave_data *data;
    Out out;
    int status;

    CLI_TRY(cli_use_data(call, NULL, 0, &data));
    if (cleave_separators_of(data, &all, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    cli_out_file(&out, stdout);
    if (call->settings.json)
        json_separators(&out, all);
    else
        print_separators(&out, all);
    status = cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
    cleave_separators_free(all);
    return status;
}
