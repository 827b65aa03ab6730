/* A model of one feature. Regression: the predictions as a curve through the points (Figure 12.2 of
 * Leskovec, Rajaraman and Ullman). Classification: the scores as curves, with each point at its own
 * score, above strips of the predicted class whose ends are found by bisection. */
#include "inspect/plot_regions.h"

enum { CURVE_SPOTS = 801, BISECTIONS = 60 };

typedef struct {
    RegionPlot *drawn;
    double low, high;
    size_t count, outputs;
    double *y, *answer; /* y[output * count + place] */
} Curve;

static void place_spot(const void *user, size_t place, double at[2])
{
    const Curve *curve = user;

    at[0] = curve->count == 1 ? curve->low
                              : curve->low + (curve->high - curve->low) * (double)place /
                                                 (double)(curve->count - 1);
    at[1] = 0;
}

static void visit_spot(void *user, size_t place, uint32_t row)
{
    Curve *curve = user;

    for (size_t i = 0; i < curve->outputs; i++)
        curve->y[i * curve->count + place] = clv_region_scores(curve->drawn, row)[i];
    curve->answer[place] = clv_region_prediction(curve->drawn, row);
}

static Status predict_curve(Curve *curve)
{
    RegionPlot *drawn = curve->drawn;

    curve->low = drawn->box[0];
    curve->high = drawn->box[2];
    curve->count = CURVE_SPOTS;
    curve->outputs = outputs_of(drawn->model->labels.count);
    curve->y = clv_plot_alloc(drawn->plot, curve->outputs * CURVE_SPOTS, sizeof *curve->y);
    curve->answer = clv_plot_alloc(drawn->plot, CURVE_SPOTS, sizeof *curve->answer);
    if (!curve->y || !curve->answer)
        return CLEAVE_ERROR_MEMORY;
    return clv_region_places(drawn, CURVE_SPOTS, place_spot, visit_spot, curve);
}

/* Adds an output as a line. A straight one has two ends, which are exact. */
static Status add_curve(const Curve *curve, size_t output, const char *name)
{
    RegionPlot *drawn = curve->drawn;
    cleave_plot_series *series = &drawn->series[drawn->panel->series_count++];
    const double *y = curve->y + output * curve->count;
    double first = y[0], last = y[curve->count - 1], size = fabs(first) + fabs(last);
    bool straight = true;
    Spots spots;

    for (size_t i = 0; i < curve->count; i++)
        straight &= fabs(y[i] - first - (last - first) * (double)i / (double)(curve->count - 1)) <=
                    1e-6 * size;
    *series = (cleave_plot_series){.name = name,
                                   .style = CLEAVE_PLOT_LINE,
                                   .look = drawn->model->task == CLEAVE_TASK_REGRESSION ? 0
                                           : curve->outputs == 1 ? (size_t)INK_LOOK
                                                                 : output};
    TRY(clv_plot_points(drawn->plot, series, curve->count, false, &spots));
    for (size_t i = 0; i < curve->count; i += straight ? curve->count - 1 : 1) {
        double at[2];

        place_spot(curve, i, at);
        spots.x[series->count] = at[0];
        spots.y[series->count++] = y[i];
        if (isfinite(y[i])) {
            drawn->box[1] = fmin(drawn->box[1], y[i]);
            drawn->box[3] = fmax(drawn->box[3], y[i]);
        }
    }
    return OK;
}

/* ---- strips ---------------------------------------------------------------------------------- */

static bool differ(double a, double b)
{
    return isnan(a) ? !isnan(b) : a != b;
}

/* The place between two spots of different predictions where the prediction changes. */
static Status find_change(RegionPlot *drawn, double low, double high, double answer, double *at)
{
    for (int i = 0; i < BISECTIONS; i++) {
        double found, middle = low + (high - low) / 2;
        Curve spot = {.drawn = drawn, .low = middle, .count = 1, .answer = &found};

        TRY(clv_region_places(drawn, 1, place_spot, visit_spot, &spot));
        if (differ(found, answer))
            high = middle;
        else
            low = middle;
    }
    *at = low + (high - low) / 2;
    return OK;
}

static Status add_strips(const Curve *curve)
{
    RegionPlot *drawn = curve->drawn;
    Plot *plot = drawn->plot;
    cleave_voronoi *regions = clv_plot_alloc(plot, 1, sizeof *regions);
    cleave_region *region = clv_plot_alloc(plot, curve->count, sizeof *region);
    cleave_plane_point *corners = clv_plot_alloc(plot, 4 * curve->count, sizeof *corners);
    Spot *ends = clv_plot_alloc(plot, 2 * curve->count, sizeof *ends);
    double from = drawn->box[0];
    size_t changes = 0;

    if (!regions || !region || !corners || !ends)
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < curve->count; i++) {
        double before[2], after[2], to = drawn->box[2];
        size_t strip = regions->region_count;

        drawn->abstains |= isnan(curve->answer[i]);
        if (i + 1 < curve->count) {
            if (!differ(curve->answer[i], curve->answer[i + 1]))
                continue;
            place_spot(curve, i, before);
            place_spot(curve, i + 1, after);
            TRY(find_change(drawn, before[0], after[0], curve->answer[i], &to));
            ends[changes++] = (Spot){to, drawn->box[1]};
            ends[changes++] = (Spot){to, drawn->box[3]};
        }
        region[strip] = (cleave_region){.x = (from + to) / 2,
                                        .y = (drawn->box[1] + drawn->box[3]) / 2,
                                        .label = isnan(curve->answer[i]) ? SIZE_MAX
                                                                         : (size_t)curve->answer[i],
                                        .first_corner = 4 * strip,
                                        .corner_count = 4};
        for (int k = 0; k < 4; k++)
            corners[4 * strip + (size_t)k] = (cleave_plane_point){k == 1 || k == 2 ? to : from,
                                                                  drawn->box[k < 2 ? 1 : 3]};
        regions->region_count++;
        regions->corner_count += 4;
        from = to;
    }
    memcpy(regions->box, drawn->box, sizeof drawn->box);
    regions->labels = plot->facts.classes;
    regions->label_count = plot->facts.class_count;
    regions->regions = region;
    regions->corners = corners;
    drawn->panel->regions = regions;
    return clv_region_pairs(drawn, BOUNDARY_NAME, ends, changes, false);
}

/* ---- margins --------------------------------------------------------------------------------- */

/* Horizontal lines at a distance above and below the score, or the prediction. */
static Status add_levels(const Curve *curve, double distance, const char *name)
{
    RegionPlot *drawn = curve->drawn;
    bool tube = drawn->model->task == CLEAVE_TASK_REGRESSION;

    for (int side = -1; side <= 1; side += 2) {
        cleave_plot_series *series = &drawn->series[drawn->panel->series_count++];
        const cleave_plot_series *line = &drawn->series[0];
        Spots spots;

        *series = (cleave_plot_series){.name = side < 0 ? name : NULL,
                                       .style = CLEAVE_PLOT_REFERENCE};
        TRY(clv_plot_points(drawn->plot, series, tube ? line->count : 2, false, &spots));
        series->count = tube ? line->count : 2;
        for (size_t i = 0; i < series->count; i++) {
            spots.x[i] = tube ? line->x[i] : drawn->box[i ? 2 : 0];
            spots.y[i] = (tube ? line->y[i] : 0) + side * distance;
        }
    }
    return OK;
}

/* Arrows from the margin line of each point with slack to its score: their length is the slack. */
static Status add_slack(RegionPlot *drawn)
{
    cleave_plot_series *series = &drawn->series[drawn->panel->series_count];
    Spots ends;

    *series = (cleave_plot_series){.name = "slack", .style = CLEAVE_PLOT_ARROWS, .look = INK_LOOK};
    TRY(clv_plot_points(drawn->plot, series, 2 * drawn->count, false, &ends));
    for (size_t i = 0; i < drawn->count; i++) {
        const RegionPoint *point = &drawn->points[i];
        double sign = clv_region_sign(drawn, point);

        if (sign == 0 || 1 - sign * point->score <= 1e-3)
            continue;
        for (int k = 0; k < 2; k++) {
            ends.x[series->count] = point->x;
            ends.y[series->count++] = k ? point->score : sign;
        }
    }
    drawn->panel->series_count += series->count > 0;
    return OK;
}

/* The tube of --epsilon: errors within it cost nothing. */
static double tube_of(const Model *model)
{
    const char *name, *value, *stop;
    double epsilon;

    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (strcmp(name, "epsilon") == 0 && strcmp(model->method->name, "svr") == 0 &&
            clv_parse_double(value, value + strlen(value), &epsilon, &stop))
            return epsilon;
    return 0;
}

static Status draw_scores(Curve *curve)
{
    RegionPlot *drawn = curve->drawn;
    bool margin = clv_region_has_margin(drawn->model);

    drawn->panel->y.title = "score";
    if (margin) {
        drawn->box[1] = fmin(drawn->box[1], -1.15);
        drawn->box[3] = fmax(drawn->box[3], 1.15);
    }
    for (size_t i = 0; i < curve->outputs; i++) {
        uint32_t label = curve->outputs > 1 ? (uint32_t)i : drawn->model->positive;
        const char *name;

        TRY(clv_plot_text(drawn->plot, &name, "score of %s", drawn->plot->facts.classes[label]));
        TRY(add_curve(curve, i, name));
    }
    TRY(add_strips(curve));
    if (!margin)
        return OK;
    if (drawn->series[0].count == 2) /* straight */
        drawn->margin = fabs((curve->high - curve->low) /
                             (curve->y[curve->count - 1] - curve->y[0]));
    TRY(add_levels(curve, 1, "margin: score -1 and +1"));
    return add_slack(drawn);
}

Status clv_plot_line(RegionPlot *drawn)
{
    Curve curve = {.drawn = drawn};
    double epsilon = tube_of(drawn->model);

    TRY(predict_curve(&curve));
    if (drawn->model->task != CLEAVE_TASK_REGRESSION)
        return draw_scores(&curve);
    drawn->panel->y = (cleave_plot_axis){
        .title = "target", .low = drawn->box[1], .high = drawn->box[3]};
    TRY(add_curve(&curve, 0, "prediction"));
    return epsilon > 0 ? add_levels(&curve, epsilon, "prediction -epsilon and +epsilon") : OK;
}
