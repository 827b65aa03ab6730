/* Points of data with one or two numeric columns: by class, or by target. An axis whose values are
 * positive and span more than three powers of ten is logarithmic. */
#include "inspect/plot.h"

#include <stdio.h>

enum { MOST_POINTS = 5000, MANY_NUMBERS = 10 };
static const double MANY_DECADES = 1000;

typedef struct {
    double x, y;
    uint32_t label; /* UNLABELED: none */
    double target;  /* NaN: none */
} ScatterPoint;

typedef struct {
    Plot *plot;
    Dataset *dataset;
    uint32_t columns, column[2];
    bool numbers; /* the labels are targets */
    ScatterPoint *point;
    size_t count;
    uint64_t every; /* rows per drawn point */
} Scatter;

static bool are_targets(const Dataset *dataset, uint32_t columns)
{
    if (dataset->labels.count <= (columns == 1 ? 2 : MANY_NUMBERS))
        return dataset->labels.count == 0;
    for (uint32_t i = 0; i < dataset->labels.count; i++)
        if (isnan(dataset->labels.list[i].number))
            return false;
    return true;
}

static Status refuse_column(const Scatter *scatter, const char *wanted)
{
    cleave_error *error = scatter->plot->error;
    uint32_t features = scatter->dataset->features, shown = 0;
    char list[320] = "", buffer[24], quoted[QUOTE_SIZE];
    size_t length = 0;

    for (; shown < features && length + QUOTE_SIZE + 8 < sizeof list; shown++) {
        const char *name = clv_names_get(&scatter->dataset->names, shown, buffer);

        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", shown ? ", " : "",
                                   clv_quote(quoted, name, strlen(name)));
    }
    (void)clv_fail(error, CLEAVE_ERROR_USAGE, "unknown column '%s'",
                   clv_quote(quoted, wanted, strlen(wanted)));
    return clv_hint(error, CLEAVE_ERROR_USAGE, "the columns are %s%s; the label is shown by color",
                    list, shown < features ? ", ..." : "");
}

static Status choose_column(const Scatter *scatter, const char *wanted, uint32_t *column)
{
    const Names *names = &scatter->dataset->names;
    char buffer[24];

    for (uint32_t i = 0; wanted && i < scatter->dataset->features; i++)
        if (strcmp(clv_names_get(names, i, buffer), wanted) == 0) {
            *column = i;
            return OK;
        }
    return wanted ? refuse_column(scatter, wanted) : OK;
}

static Status choose_columns(Scatter *scatter)
{
    const PlotOptions *options = &scatter->plot->options;

    if (scatter->dataset->features == 0)
        return clv_fail(scatter->plot->error, CLEAVE_ERROR_DATA, "the data has no columns");
    scatter->columns = scatter->dataset->features == 1 ? 1 : 2;
    scatter->column[1] = 1;
    TRY(choose_column(scatter, options->x_column, &scatter->column[0]));
    if (options->x_column && !options->y_column)
        scatter->column[1] = scatter->column[0] == 0 ? 1 : 0;
    return choose_column(scatter, options->y_column, &scatter->column[1]);
}

static void take_row(Scatter *scatter, const Block *block, uint32_t row)
{
    ScatterPoint point = {.label = UNLABELED, .target = (double)NAN};

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        if (walk.column == scatter->column[0])
            point.x = (double)walk.value;
        if (scatter->columns == 2 && walk.column == scatter->column[1])
            point.y = (double)walk.value;
    }
    if (block->target_form == TARGETS_NUMBERS)
        point.target = block_number(block, row, NULL);
    else
        point.label = block_label(block, row);
    if (scatter->numbers && point.label != UNLABELED)
        point.target = scatter->dataset->labels.list[point.label].number;
    if (scatter->columns == 1)
        point.y = scatter->numbers           ? point.target
                  : point.label == UNLABELED ? (double)NAN
                                             : (double)point.label;
    scatter->point[scatter->count++] = point;
}

static Status take_rows(Scatter *scatter)
{
    Dataset *dataset = scatter->dataset;
    uint64_t seen = 0;

    scatter->every = dataset->rows > MOST_POINTS ? (dataset->rows + MOST_POINTS - 1) / MOST_POINTS
                                                 : 1;
    scatter->point = clv_plot_alloc(scatter->plot, (size_t)(dataset->rows / scatter->every + 1),
                                    sizeof *scatter->point);
    if (!scatter->point)
        return CLEAVE_ERROR_MEMORY;
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, scatter->plot->error));
        if (block.target_form == TARGETS_NUMBERS)
            scatter->numbers = true;
        for (uint32_t row = 0; row < block.rows; row++)
            if (seen++ % scatter->every == 0)
                take_row(scatter, &block, row);
    }
    return OK;
}

/* Points of a class; with SIZE_MAX, of none. */
static Status add_class(Scatter *scatter, cleave_plot_panel *panel, cleave_plot_series *series,
                        uint32_t label)
{
    bool values = scatter->numbers && scatter->columns == 2;
    double *value = NULL;
    size_t count = 0;
    Spots spots;

    for (size_t i = 0; i < scatter->count; i++)
        count += scatter->numbers || scatter->point[i].label == label;
    if (count == 0)
        return OK;
    *series = (cleave_plot_series){
        .style = CLEAVE_PLOT_MARKS,
        .look = label == UNLABELED ? scatter->numbers ? 1 : 7 : label,
        .name = label == UNLABELED ? scatter->numbers ? "target in the data" : "no class"
                                   : scatter->plot->facts.classes[label]};
    TRY(clv_plot_points(scatter->plot, series, count, false, &spots));
    if (values && !(value = clv_plot_alloc(scatter->plot, count, sizeof *value)))
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < scatter->count; i++) {
        const ScatterPoint *point = &scatter->point[i];

        if (!scatter->numbers && point->label != label)
            continue;
        spots.x[series->count] = point->x;
        spots.y[series->count] = point->y;
        if (value)
            value[series->count] = point->target;
        series->count++;
    }
    series->value = value;
    panel->series_count++;
    return OK;
}

static bool asks_for_log(const Scatter *scatter, bool up)
{
    double low = INFINITY, high = 0;

    for (size_t i = 0; i < scatter->count; i++) {
        double value = up ? scatter->point[i].y : scatter->point[i].x;

        if (isnan(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return low > 0 && high > MANY_DECADES * low;
}

static Status describe(Scatter *scatter, cleave_plot_panel *panel)
{
    Plot *plot = scatter->plot;
    char points[NUMBER_SIZE], sampled[NUMBER_SIZE], more[80] = "";

    for (uint32_t i = 0; i < scatter->columns; i++) {
        char buffer[24];

        TRY(clv_plot_text(plot, i ? &panel->y.title : &panel->x.title, "%s%s",
                          scatter->dataset->names.implicit ? "feature " : "",
                          clv_names_get(&scatter->dataset->names, scatter->column[i], buffer)));
    }
    if (scatter->columns == 1)
        panel->y.title = scatter->numbers ? "target" : "class";
    panel->x.logarithmic = asks_for_log(scatter, false);
    panel->y.logarithmic = (scatter->columns == 2 || scatter->numbers) &&
                           asks_for_log(scatter, true);
    plot->facts.title = "Data";
    if (scatter->every > 1)
        snprintf(more, sizeof more, "; %s are drawn, one of %llu",
                 clv_format_count(sampled, scatter->count), (unsigned long long)scatter->every);
    return clv_plot_text(plot, &plot->facts.remark, "%s point%s%s",
                         clv_format_count(points, scatter->dataset->rows),
                         scatter->dataset->rows == 1 ? "" : "s", more);
}

Status clv_plot_scatter(Plot *plot, cleave_data *data)
{
    Scatter scatter = {.plot = plot};
    cleave_plot_panel *panel;
    cleave_plot_series *series;

    TRY(clv_data_dataset(data, &scatter.dataset, plot->error));
    TRY(choose_columns(&scatter));
    scatter.numbers = are_targets(scatter.dataset, scatter.columns);
    TRY(take_rows(&scatter));
    if (scatter.count == 0)
        return clv_fail(plot->error, CLEAVE_ERROR_DATA, "%s: the data has no rows",
                        clv_data_name(data));
    if (!scatter.numbers)
        TRY(clv_plot_classes(plot, &scatter.dataset->labels));
    TRY(clv_plot_panel(plot, plot->facts.class_count + 1, &panel, &series));
    for (uint32_t i = 0; i < plot->facts.class_count; i++)
        TRY(add_class(&scatter, panel, &series[panel->series_count], i));
    TRY(add_class(&scatter, panel, &series[panel->series_count], UNLABELED));
    return describe(&scatter, panel);
}
