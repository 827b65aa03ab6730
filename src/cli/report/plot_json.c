#include "cli/report/plot_text.h"

#include "cli/report/train_summary.h"

#include <math.h>

static void put_numbers(Json *json, const char *key, const double *numbers, size_t count)
{
    if (!numbers)
        return;
    cli_json_open_key(json, key, '[');
    for (size_t i = 0; i < count; i++)
        cli_json_number(json, numbers[i]);
    cli_json_close(json, ']');
}

static void put_names(Json *json, const char *key, const char *const *names, size_t count)
{
    cli_json_open_key(json, key, '[');
    for (size_t i = 0; i < count; i++)
        cli_json_string(json, names[i]);
    cli_json_close(json, ']');
}

static void put_axis(Json *json, const char *key, const cleave_plot_axis *axis)
{
    cli_json_open_key(json, key, '{');
    cli_json_put_string(json, "title", axis->title);
    cli_json_put_bool(json, "logarithmic", axis->logarithmic);
    if (isfinite(axis->low))
        cli_json_put_number(json, "low", axis->low);
    if (isfinite(axis->high))
        cli_json_put_number(json, "high", axis->high);
    cli_json_close(json, '}');
}

static void put_series(Json *json, const cleave_plot_series *series)
{
    static const char *const styles[] = {"line",     "steps",  "marks",  "both",  "reference",
                                         "segments", "dashes", "arrows", "rings", "area"};

    cli_json_open(json, '{');
    cli_json_put_string(json, "name", series->name);
    cli_json_put_string(json, "style", styles[series->style]);
    if (series->look != CLEAVE_PLOT_NO_CLASS)
        cli_json_put_count(json, "color", series->look);
    put_numbers(json, "x", series->x, series->count);
    put_numbers(json, "y", series->y, series->count);
    put_numbers(json, "low", series->low, series->count);
    put_numbers(json, "high", series->high, series->count);
    put_numbers(json, "value", series->value, series->count);
    if (series->wrong) {
        cli_json_open_key(json, "misclassified", '[');
        for (size_t i = 0; i < series->count; i++)
            cli_json_bool(json, series->wrong[i]);
        cli_json_close(json, ']');
    }
    cli_json_close(json, '}');
}

static void put_matrix(Json *json, const cleave_plot_matrix *matrix)
{
    cli_json_open_key(json, "matrix", '{');
    put_names(json, "rows", matrix->row_names, matrix->rows);
    put_names(json, "columns", matrix->column_names, matrix->columns);
    cli_json_open_key(json, "counts", '[');
    for (size_t row = 0; row < matrix->rows; row++) {
        cli_json_open(json, '[');
        for (size_t column = 0; column < matrix->columns; column++)
            cli_json_number(json, matrix->counts[row * matrix->columns + column]);
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void put_regions(Json *json, const cleave_voronoi *regions)
{
    cli_json_open_key(json, "regions", '[');
    for (size_t i = 0; i < regions->region_count; i++) {
        const cleave_region *region = &regions->regions[i];

        cli_json_open(json, '{');
        cli_json_put_number(json, "x", region->x);
        cli_json_put_number(json, "y", region->y);
        cli_json_put_string(json, "class",
                            region->label == SIZE_MAX ? NULL : regions->labels[region->label]);
        cli_json_open_key(json, "corners", '[');
        for (size_t j = 0; j < region->corner_count; j++) {
            cli_json_open(json, '[');
            cli_json_number(json, regions->corners[region->first_corner + j].x);
            cli_json_number(json, regions->corners[region->first_corner + j].y);
            cli_json_close(json, ']');
        }
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_node(Json *json, const cleave_plot_tree *tree, const cleave_plot_node *node)
{
    cli_json_open(json, '{');
    cli_json_put_string(json,
                        node->yes != SIZE_MAX ? "split"
                        : node->left_out      ? "omitted"
                                              : "prediction",
                        node->text);
    cli_json_put_count(json, "number", node->number);
    if (node->yes != SIZE_MAX) {
        cli_json_put_count(json, "yes", node->yes);
        cli_json_put_count(json, "no", node->no);
        if (node->missing >= 0)
            cli_json_put_string(json, "missing", node->missing ? "yes" : "no");
    }
    if (node->left_out)
        cli_json_put_count(json, "leaves", node->left_out);
    if (!isnan(node->weight))
        cli_json_put_number(json, "weight", node->weight);
    if (!isnan(node->rows))
        cli_json_put_number(json, "rows", node->rows);
    put_numbers(json, "weights", node->class_weight, tree->class_count);
    cli_json_close(json, '}');
}

static void put_panel(Json *json, const cleave_plot_panel *panel)
{
    cli_json_open(json, '{');
    cli_json_put_string(json, "title", panel->title);
    put_axis(json, "x", &panel->x);
    put_axis(json, "y", &panel->y);
    cli_json_open_key(json, "series", '[');
    for (size_t i = 0; i < panel->series_count; i++)
        put_series(json, &panel->series[i]);
    cli_json_close(json, ']');
    if (panel->field) {
        cli_json_open_key(json, "field", '{');
        put_numbers(json, "box", panel->field->box, 4);
        cli_json_put_count(json, "columns", panel->field->across);
        cli_json_put_count(json, "rows", panel->field->up);
        cli_json_put_bool(json, "of_classes", panel->field->of_classes);
        put_numbers(json, "cells", panel->field->cells, panel->field->across * panel->field->up);
        cli_json_close(json, '}');
    }
    if (panel->matrix)
        put_matrix(json, panel->matrix);
    if (panel->regions)
        put_regions(json, panel->regions);
    if (panel->tree) {
        cli_json_open_key(json, "tree", '[');
        for (size_t i = 0; i < panel->tree->node_count; i++)
            put_node(json, panel->tree, &panel->tree->nodes[i]);
        cli_json_close(json, ']');
    }
    if (panel->bars) {
        cli_json_open_key(json, "bars", '{');
        put_names(json, "names", panel->bars->names, panel->bars->count);
        put_numbers(json, "values", panel->bars->values, panel->bars->count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
}

static void put_image(Json *json, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    cli_json_key(json, "image");
    cli_json_raw(json, "\"data:image/svg+xml;base64,");
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned long three = (unsigned long)bytes[i] << 16 |
                              (left > 1 ? (unsigned long)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? bytes[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
                        left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};

        cli_write(json->out, four, sizeof four);
    }
    cli_put(json->out, "\"");
}

static bool is_curve(const cleave_plot_series *series)
{
    return series->style <= CLEAVE_PLOT_REFERENCE;
}

bool cli_plot_is_chart(const cleave_plot *plot)
{
    for (size_t i = 0; i < plot->panel_count; i++)
        if (plot->panels[i].field || plot->panels[i].matrix || plot->panels[i].regions ||
            plot->panels[i].tree || plot->panels[i].bars || plot->panels[i].y.logarithmic)
            return false;
    for (size_t i = 0; i < plot->panel_count; i++)
        for (size_t j = 0; j < plot->panels[i].series_count; j++)
            if (!is_curve(&plot->panels[i].series[j]))
                return false;
    return true;
}

void cli_plot_json(Out *out, const Call *call, const cleave_plot *plot, const PlotImage *image)
{
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "kind", plot->kind);
    cli_json_put_string(&json, "title", plot->title);
    cli_json_put_string(&json, "subtitle", plot->remark);
    cli_json_put_string(&json, "output", call->settings.output);
    cli_json_put_count(&json, "width", plot->width);
    cli_json_put_count(&json, "height", plot->height);
    if (plot->frame_count)
        cli_json_put_count(&json, "frames", plot->frame_count);
    put_names(&json, "classes", plot->classes, plot->class_count);
    if (out->in_page && image->size) {
        put_image(&json, (const unsigned char *)image->bytes, image->size);
    } else {
        cli_json_open_key(&json, "panels", '[');
        for (size_t i = 0; i < plot->panel_count; i++)
            put_panel(&json, &plot->panels[i]);
        cli_json_close(&json, ']');
    }
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}
