/* Plots of data without a model: Voronoi regions of points of the plane, and the interpolation
 * rules of Leskovec, Rajaraman and Ullman (Mining of Massive Datasets, Example 12.12) through
 * points of one feature. */
#include "inspect/plot.h"

#include <stdio.h>

/* ---- Voronoi --------------------------------------------------------------------------------- */

/* Adds the points of one class, or, for `labels`, the points without a class. */
static Status add_places(Plot *plot, cleave_plot_panel *panel, cleave_plot_series *series,
                         size_t label)
{
    const cleave_voronoi *voronoi = plot->voronoi;
    size_t wanted = label < voronoi->label_count ? label : SIZE_MAX, count = 0;
    Spots spots;

    for (size_t i = 0; i < voronoi->region_count; i++)
        count += voronoi->regions[i].label == wanted;
    if (count == 0)
        return OK;
    TRY(clv_plot_points(plot, series, count, false, &spots));
    for (size_t i = 0; i < voronoi->region_count; i++)
        if (voronoi->regions[i].label == wanted) {
            spots.x[series->count] = voronoi->regions[i].x;
            spots.y[series->count++] = voronoi->regions[i].y;
        }
    series->style = CLEAVE_PLOT_MARKS;
    series->look = wanted == SIZE_MAX ? 7 : label;
    series->name = wanted == SIZE_MAX ? "no class" : voronoi->labels[label];
    panel->series_count++;
    return OK;
}

/* Entries of the legend for both kinds of borders, as in Figure 12.21 of the book. */
static Status add_border_names(Plot *plot, cleave_plot_panel *panel, cleave_plot_series *series,
                               size_t between)
{
    const size_t black = 6, gray = 7;
    Spots none;

    if (between > 0) {
        *series = (cleave_plot_series){
            .name = "border between classes", .style = CLEAVE_PLOT_SEGMENTS, .look = black};
        TRY(clv_plot_points(plot, series++, 0, false, &none));
        panel->series_count++;
    }
    if (plot->voronoi->label_count == 0 || between == plot->voronoi->border_count)
        return OK;
    *series = (cleave_plot_series){
        .name = "border within a class", .style = CLEAVE_PLOT_DASHES, .look = gray};
    panel->series_count++;
    return clv_plot_points(plot, series, 0, false, &none);
}

Status clv_plot_place(const Plot *plot, double place[2])
{
    const char *text = plot->options.query, *comma = strchr(text, ',');
    char first[64], quoted[QUOTE_SIZE];

    snprintf(first, sizeof first, "%.*s", comma ? (int)(comma - text) : 0, text);
    if (comma && comma - text < 63 && clv_parse_ratio(first, &place[0]) &&
        clv_parse_ratio(comma + 1, &place[1]) && isfinite(place[0]) && isfinite(place[1]))
        return OK;
    return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                    "--query: expected two numbers such as 5.5,3, found '%s'",
                    clv_quote(quoted, text, strlen(text)));
}

/* Marks the query and the point of its region, which is the nearest one. */
static Status add_query(Plot *plot, cleave_plot_panel *panel, cleave_plot_series *series)
{
    const cleave_voronoi *voronoi = plot->voronoi;
    double place[2], least = INFINITY;
    size_t nearest = 0;
    const char *label;
    Spots spots, ends;

    TRY(clv_plot_place(plot, place));
    for (size_t i = 0; i < voronoi->region_count; i++) {
        double distance = hypot(voronoi->regions[i].x - place[0], voronoi->regions[i].y - place[1]);

        if (distance < least ||
            (distance == least && voronoi->regions[i].row < voronoi->regions[nearest].row)) {
            least = distance;
            nearest = i;
        }
    }
    series[0] = (cleave_plot_series){
        .name = "query", .style = CLEAVE_PLOT_MARKS, .look = 6, .count = 1};
    series[1] = (cleave_plot_series){
        .name = "nearest point", .style = CLEAVE_PLOT_ARROWS, .look = 6, .count = 2};
    TRY(clv_plot_points(plot, &series[0], 1, false, &spots));
    TRY(clv_plot_points(plot, &series[1], 2, false, &ends));
    spots.x[0] = ends.x[0] = place[0];
    spots.y[0] = ends.y[0] = place[1];
    ends.x[1] = voronoi->regions[nearest].x;
    ends.y[1] = voronoi->regions[nearest].y;
    panel->series_count += 2;
    label = voronoi->regions[nearest].label == SIZE_MAX
                ? ""
                : voronoi->labels[voronoi->regions[nearest].label];
    return clv_plot_text(plot, &plot->facts.remark, "%s; query in the region of row %llu%s%s",
                         plot->facts.remark, (unsigned long long)voronoi->regions[nearest].row + 1,
                         *label ? ", class " : "", label);
}

static Status draw_voronoi(Plot *plot, const Model *model, cleave_data *data)
{
    cleave_plot_panel *panel;
    cleave_plot_series *series;
    Dataset *dataset = NULL;
    const Names *names;
    size_t between = 0;

    TRY(clv_regions(plot, model, data));
    if (!model)
        TRY(clv_data_dataset(data, &dataset, plot->error));
    names = model ? &model->names : &dataset->names;
    plot->facts.classes = plot->voronoi->labels;
    plot->facts.class_count = plot->voronoi->label_count;
    TRY(clv_plot_panel(plot, plot->voronoi->label_count + 5, &panel, &series));
    panel->regions = plot->voronoi;
    panel->same_unit = true;
    for (size_t i = 0; i <= plot->voronoi->label_count; i++)
        TRY(add_places(plot, panel, &series[panel->series_count], i));
    for (uint32_t i = 0; i < 2; i++) {
        char buffer[24];

        TRY(clv_plot_text(plot, i ? &panel->y.title : &panel->x.title, "%s%s",
                          names->implicit ? "feature " : "", clv_names_get(names, i, buffer)));
    }
    for (size_t i = 0; i < plot->voronoi->border_count; i++)
        between += plot->voronoi->borders[i].between_classes;
    TRY(add_border_names(plot, panel, &series[panel->series_count], between));
    plot->facts.title = "Voronoi regions";
    TRY(clv_plot_text(
        plot, &plot->facts.remark, "%zu point%s, %zu region%s, %zu border%s, %zu between classes",
        plot->voronoi->point_count, plot->voronoi->point_count == 1 ? "" : "s",
        plot->voronoi->region_count, plot->voronoi->region_count == 1 ? "" : "s",
        plot->voronoi->border_count, plot->voronoi->border_count == 1 ? "" : "s", between));
    return plot->options.query ? add_query(plot, panel, &series[panel->series_count]) : OK;
}

Status clv_plot_voronoi(Plot *plot, cleave_data *data)
{
    return draw_voronoi(plot, NULL, data);
}

Status clv_plot_voronoi_of(Plot *plot, const Model *model, cleave_data *data)
{
    (void)data;
    return draw_voronoi(plot, model, NULL);
}

/* ---- rules ----------------------------------------------------------------------------------- */

enum { RULES = 6, CURVE_SPOTS = 601, MOST_POINTS = 100000 };

typedef struct {
    const char *title;
    const char *k, *weight; /* number of neighbors, and weights; k NULL: all points */
} Rule;

static const Rule rules[RULES] = {
    {"nearest point", "1", "none"},
    {"average of the 2 nearest", "2", "none"},
    {"2 nearest, weighted by 1/distance", "2", "1/d"},
    {"average of the 3 nearest", "3", "none"},
    {"all points, weighted by 1/distance\xC2\xB2", NULL, "1/d2"},
    {"all points, weighted by a Gaussian", NULL, "gaussian"},
};

typedef struct {
    double *x, *y;
    size_t count, x_capacity, y_capacity;
} Pairs;

static Status read_pairs(Plot *plot, Dataset *dataset, Pairs *pairs)
{
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, plot->error));
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t label = block_label(&block, row);
            double x = 0, y = block.target_form == TARGETS_NUMBERS ? block_number(&block, row, NULL)
                              : label == UNLABELED                 ? (double)NAN
                                                   : dataset->labels.list[label].number;

            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
                x = (double)walk.value;
            if (isnan(x) || isnan(y))
                continue;
            if (pairs->count == MOST_POINTS)
                return clv_fail(plot->error, CLEAVE_ERROR_DATA,
                                "the plot supports at most %d points", MOST_POINTS);
            TRY(GROW(plot->context, pairs->x, pairs->x_capacity, pairs->count + 1, plot->error));
            TRY(GROW(plot->context, pairs->y, pairs->y_capacity, pairs->count + 1, plot->error));
            pairs->x[pairs->count] = x;
            pairs->y[pairs->count++] = y;
        }
    }
    return OK;
}

static Status rule_options(const Plot *plot, const Rule *rule, const Pairs *pairs,
                           cleave_options *options)
{
    char sigma[32], all[24];
    const char *k = rule->k;

    if (k && pairs->count < (size_t)(*k - '0')) { /* there are fewer points than k */
        snprintf(all, sizeof all, "%zu", pairs->count);
        k = all;
    }
    TRY(cleave_options_set(options, k ? "k" : "all", k ? k : "true", plot->error));
    TRY(cleave_options_set(options, "weight", rule->weight, plot->error));
    TRY(cleave_options_set(options, "transform", "none", plot->error));
    TRY(cleave_options_set(options, "sigma", cleave_number_text(plot->options.sigma, sigma),
                           plot->error));
    return cleave_options_set(options, "skip_unlabeled", "true", plot->error);
}

static Status follow_curve(Plot *plot, cleave_model *model, double low, double high,
                           cleave_plot_series *series)
{
    Spots spots;

    TRY(clv_plot_points(plot, series, CURVE_SPOTS, false, &spots));
    for (size_t i = 0; i < CURVE_SPOTS; i++) {
        float at = (float)(low + (high - low) * (double)i / (CURVE_SPOTS - 1));
        cleave_prediction prediction;

        TRY(cleave_predict_row(model, 1, (uint32_t[]){0}, &at, &prediction, plot->error));
        spots.x[i] = (double)at;
        spots.y[i] = prediction.value;
    }
    series->count = CURVE_SPOTS;
    return OK;
}

static Status make_rule(Plot *plot, const Rule *rule, cleave_data *data, const Pairs *pairs,
                        cleave_plot_series *series)
{
    double low = pairs->x[0], high = pairs->x[0], around;
    cleave_options *options = cleave_options_new(plot->context);
    cleave_model *model = NULL;
    Status status = options ? rule_options(plot, rule, pairs, options)
                            : clv_fail_memory(plot->error, "options", sizeof *options);

    for (size_t i = 1; i < pairs->count; i++) {
        low = fmin(low, pairs->x[i]);
        high = fmax(high, pairs->x[i]);
    }
    around = high > low ? 0.08 * (high - low) : fmax(fabs(low) / 10, 1);
    THEN(status, cleave_train(plot->context, "knn-regression", data, NULL, options, &model, NULL,
                              plot->error));
    THEN(status, follow_curve(plot, model, low - around, high + around, series));
    cleave_model_free(model);
    cleave_options_free(options);
    return status;
}

static Status add_rule(Plot *plot, const Rule *rule, cleave_data *data, const Pairs *pairs,
                       const char *axes[2])
{
    cleave_plot_panel *panel;
    cleave_plot_series *series;
    Spots spots;

    TRY(clv_plot_panel(plot, 2, &panel, &series));
    panel->title = rule->title;
    panel->x.title = axes[0];
    panel->y.title = axes[1];
    panel->series_count = 2;
    series[0] = (cleave_plot_series){.name = "prediction of the rule", .style = CLEAVE_PLOT_LINE};
    TRY(make_rule(plot, rule, data, pairs, &series[0]));
    series[1] = (cleave_plot_series){
        .name = "points", .style = CLEAVE_PLOT_MARKS, .look = 1, .count = pairs->count};
    TRY(clv_plot_points(plot, &series[1], pairs->count, false, &spots));
    memcpy(spots.x, pairs->x, pairs->count * sizeof *spots.x);
    memcpy(spots.y, pairs->y, pairs->count * sizeof *spots.y);
    return OK;
}

static Status make_rules(Plot *plot, cleave_data *data, Dataset *dataset, const Pairs *pairs)
{
    const char *axes[2];
    char buffer[24], sigma[32];

    TRY(clv_plot_text(plot, &axes[0], "%s%s", dataset->names.implicit ? "feature " : "",
                      clv_names_get(&dataset->names, 0, buffer)));
    axes[1] = "prediction";
    for (size_t i = 0; i < RULES; i++)
        TRY(add_rule(plot, &rules[i], data, pairs, axes));
    plot->facts.title = "Interpolation rules";
    return clv_plot_text(
        plot, &plot->facts.remark,
        "%zu point%s; the Gaussian is e^(-d\xC2\xB2/\xCF\x83\xC2\xB2) with \xCF\x83 = %s",
        pairs->count, pairs->count == 1 ? "" : "s", cleave_number_text(plot->options.sigma, sigma));
}

Status clv_plot_rules(Plot *plot, cleave_data *data)
{
    Pairs pairs = {0};
    Dataset *dataset;
    Status status;

    TRY(clv_data_dataset(data, &dataset, plot->error));
    if (dataset->features != 1)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "%s: expected 1 numeric column and a target, found %u", clv_data_name(data),
                        dataset->features);
    status = read_pairs(plot, dataset, &pairs);
    if (status == OK && pairs.count == 0) {
        clv_fail(plot->error, CLEAVE_ERROR_DATA, "%s: no row has a numeric target",
                 clv_data_name(data));
        status = clv_hint(plot->error, CLEAVE_ERROR_DATA, "label each row with a number");
    }
    THEN(status, make_rules(plot, data, dataset, &pairs));
    FREE(plot->context, pairs.x, pairs.y);
    return status;
}
