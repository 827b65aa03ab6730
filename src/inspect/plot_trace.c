/* The updates of a linear method on data of one or two columns: the line after each update, as an
 * animation, and the path of its weights over contours of the objective. */
#include "inspect/plot.h"
#include "plot/contour.h"

#include <stdio.h>

enum {
    MOST_STEPS = 100000,
    MOST_FRAMES = 120,
    MOST_EARLIER = 30, /* lines before the last one */
    MOST_PATH = 1000,  /* spots of a path */
    ACROSS = 80,
    UP = 60,
    LEVELS = 9,
    GRAY_LOOK = 7,
    INK = 6,
    SERIES = 8,
};
static const double MARGIN = 0.08, PATH_MARGIN = 0.35;

typedef struct {
    uint32_t epoch;
    uint64_t row; /* 0: a step after all rows */
    double weights[2], intercept;
} TracedUpdate;

typedef struct {
    double x, y,
        sign; /* two columns: a point and its label; one column: y is the label or target */
} TracedPoint;

typedef enum { NO_OBJECTIVE, HINGE, SQUARED_HINGE, LOGISTIC, PERCEPTRON, SQUARED } Objective;

typedef struct {
    Plot *plot;
    const char *method;
    Dataset *dataset;
    uint32_t features, positive;
    bool regression;
    TracedUpdate *update;
    size_t count, capacity, outputs;
    size_t every; /* updates per frame */
    TracedPoint *point;
    size_t points;
    double box[4], path[4];
    Objective objective;
    double penalty, C; /* penalty 1: 1/2 w^2; 2: with the intercept */
    const cleave_plot_series *contour;
    Status status;
} Traced;

/* ---- the updates ----------------------------------------------------------------------------- */

static void keep_update(void *user, const cleave_trace_event *event)
{
    Traced *traced = user;
    TracedUpdate update = {.epoch = event->epoch, .row = event->example_row};
    const TracedUpdate *last = traced->count ? &traced->update[traced->count - 1] : NULL;

    traced->outputs = event->outputs;
    if (traced->status != OK || event->outputs != 1 || event->features != traced->features ||
        traced->count == MOST_STEPS)
        return;
    for (size_t i = 0; i < event->features; i++)
        update.weights[i] = event->weights[i];
    update.intercept = 0.0 - event->thresholds[0];
    if (last && memcmp(last->weights, update.weights, sizeof update.weights) == 0 &&
        last->intercept == update.intercept)
        return;
    traced->status = GROW(traced->plot->context, traced->update, traced->capacity,
                          traced->count + 1, traced->plot->error);
    if (traced->status == OK)
        traced->update[traced->count++] = update;
}

/* Columns are drawn as they are: the default pipeline would change them. */
static Status run_trace(Traced *traced, cleave_data *data, const cleave_options *given,
                        Model **model)
{
    Plot *plot = traced->plot;
    cleave_options *options;
    bool has_transform = false;
    Status status;

    for (size_t i = 0; given && i < given->count; i++)
        has_transform |= strcmp(given->list[i].name, "transform") == 0;
    TRY(clv_options_copy(plot->context, given, &options, plot->error));
    status = has_transform ? OK : cleave_options_set(options, "transform", "none", plot->error);
    THEN(status, cleave_trace(plot->context, traced->method, data, options, keep_update, traced,
                              model, NULL, plot->error));
    cleave_options_free(options);
    THEN(status, traced->status);
    if (status != OK)
        return status;
    if ((*model)->pipeline)
        return clv_fail_hint(plot->error, CLEAVE_ERROR_USAGE, "omit --transform",
                             "plot 'trace' draws the columns of the data, without a pipeline");
    if (traced->outputs != 1)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "plot 'trace' needs two classes or a regression, and the data has %u "
                        "classes",
                        (*model)->labels.count);
    return OK;
}

/* ---- the data -------------------------------------------------------------------------------- */

static void extend(double box[4], double x, double y)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    box[0] = fmin(box[0], x);
    box[1] = fmin(box[1], y);
    box[2] = fmax(box[2], x);
    box[3] = fmax(box[3], y);
}

static void pad(double box[4], double share)
{
    for (int i = 0; i < 2; i++) {
        double span = box[i + 2] - box[i], around = span > 0 ? share * span : 0.5;

        box[i] -= around;
        box[i + 2] += around;
    }
}

static Status take_points(Traced *traced)
{
    Dataset *dataset = traced->dataset;

    traced->point = clv_plot_alloc(traced->plot, (size_t)dataset->rows, sizeof *traced->point);
    if (!traced->point)
        return CLEAVE_ERROR_MEMORY;
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, traced->plot->error));
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t label = block_label(&block, row);
            TracedPoint *point = &traced->point[traced->points];
            double at[2] = {0};

            if (block.target_form == TARGETS_LABELS && label == UNLABELED)
                continue;
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
                at[walk.column] = (double)walk.value;
            point->sign = label == traced->positive ? 1 : -1;
            point->x = at[0];
            point->y = traced->features == 2 ? at[1] : point->sign;
            if (traced->regression)
                point->y = block.target_form == TARGETS_NUMBERS
                               ? block_number(&block, row, NULL)
                               : dataset->labels.list[label].number;
            extend(traced->box, point->x, point->y);
            traced->points++;
        }
    }
    pad(traced->box, MARGIN);
    return OK;
}

static Status add_points(Traced *traced, cleave_plot_series *series, double sign, const char *name,
                         size_t look)
{
    Spots spots;

    *series = (cleave_plot_series){.name = name, .style = CLEAVE_PLOT_MARKS, .look = look};
    TRY(clv_plot_points(traced->plot, series, traced->points, false, &spots));
    for (size_t i = 0; i < traced->points; i++) {
        const TracedPoint *point = &traced->point[i];

        if (!traced->regression && point->sign != sign)
            continue;
        spots.x[series->count] = point->x;
        spots.y[series->count++] = point->y;
    }
    return OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The part of the line of an update that is within the box: w.x + b = 0, or, with one column,
 * y = w x + b. */
static Status add_line(Traced *traced, const TracedUpdate *update, Spots *ends,
                       cleave_plot_series *series)
{
    Polygon polygon = {.context = traced->plot->context};
    bool plane = traced->features == 2;
    double a = update->weights[0], b = plane ? update->weights[1] : -1, c = update->intercept;
    double size = fabs(c);
    Status status = OK;

    if (a == 0 && b == 0)
        return OK;
    status = clv_polygon_box(&polygon, traced->box, traced->plot->error);
    THEN(status, clv_polygon_cut(&polygon, a, b, -c, traced->plot->error));
    for (size_t i = 0; i < polygon.count && status == OK; i++) {
        Spot two[2] = {polygon.corner[i], polygon.corner[(i + 1) % polygon.count]};
        bool on = true;

        for (int k = 0; k < 2; k++)
            on &= fabs(a * two[k].x + b * two[k].y + c) <=
                  1e-9 * (fabs(a * two[k].x) + fabs(b * two[k].y) + size);
        for (int k = 0; k < 2 && on; k++) {
            ends->x[series->count] = two[k].x;
            ends->y[series->count++] = two[k].y;
        }
        if (on)
            break;
    }
    clv_polygon_free(&polygon);
    return status;
}

static Status add_lines(Traced *traced, cleave_plot_series *series, size_t from, size_t to,
                        bool last)
{
    Spots ends;

    *series = (cleave_plot_series){.name = last ? traced->features == 2 ? "line" : "w x + b"
                                           : traced->features == 2 ? "earlier lines"
                                                                   : "earlier",
                                   .style = last ? CLEAVE_PLOT_SEGMENTS : CLEAVE_PLOT_DASHES,
                                   .look = last ? INK : GRAY_LOOK};
    TRY(clv_plot_points(traced->plot, series, 2 * (to - from), false, &ends));
    for (size_t i = from; i < to; i++)
        TRY(add_line(traced, &traced->update[i], &ends, series));
    return OK;
}

/* ---- the objective --------------------------------------------------------------------------- */

static double number_of(const Model *model, const char *wanted)
{
    const char *name, *value, *stop;
    double number;

    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (strcmp(name, wanted) == 0 &&
            clv_parse_double(value, value + strlen(value), &number, &stop))
            return number;
    return 0;
}

static bool has_value(const Model *model, const char *wanted, const char *expected)
{
    const char *name, *value;

    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (strcmp(name, wanted) == 0)
            return strcmp(value, expected) == 0;
    return false;
}

static void find_objective(Traced *traced, const Model *model)
{
    double lambda = number_of(model, "lambda");
    bool risk = strcmp(traced->method, "svm") == 0 || strcmp(traced->method, "logistic") == 0;

    traced->objective = strcmp(traced->method, "svm") == 0
                            ? has_value(model, "loss", "squared-hinge") ? SQUARED_HINGE : HINGE
                        : strcmp(traced->method, "logistic") == 0   ? LOGISTIC
                        : strcmp(traced->method, "perceptron") == 0 ? PERCEPTRON
                        : strcmp(traced->method, "lms") == 0        ? SQUARED
                                                                    : NO_OBJECTIVE;
    traced->penalty = risk ? has_value(model, "solver", "gd") ||
                                     has_value(model, "regularize_intercept", "true")
                                 ? 2
                                 : 1
                           : 0;
    traced->C = !risk        ? 1
                : lambda > 0 ? 1 / (lambda * (double)traced->points)
                             : number_of(model, "C");
    if (risk && !(traced->C > 0 && traced->C < 1e30))
        traced->objective = NO_OBJECTIVE;
}

static double loss_of(const Traced *traced, const TracedPoint *point, double score)
{
    double margin = point->sign * score;

    switch (traced->objective) {
    case HINGE:
        return fmax(0, 1 - margin);
    case SQUARED_HINGE:
        return fmax(0, 1 - margin) * fmax(0, 1 - margin);
    case LOGISTIC:
        return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
    case PERCEPTRON:
        return fmax(0, 0 - margin);
    default:
        return (point->y - score) * (point->y - score);
    }
}

/* p, q: the weights of two columns, or the weight and the intercept of one. */
static double objective_at(const Traced *traced, double p, double q)
{
    bool plane = traced->features == 2;
    double b = plane ? traced->update[traced->count - 1].intercept : q, sum = 0;

    for (size_t i = 0; i < traced->points; i++) {
        const TracedPoint *point = &traced->point[i];

        sum += loss_of(traced, point, p * point->x + (plane ? q * point->y : 0) + b);
    }
    return traced->C * sum + (traced->penalty > 0 ? p * p + (plane ? q * q : 0) : 0) / 2 +
           (traced->penalty > 1 ? b * b / 2 : 0);
}

static double second_of(const Traced *traced, const TracedUpdate *update)
{
    return traced->features == 2 ? update->weights[1] : update->intercept;
}

/* Contours at levels that are closer near the minimum. */
static Status make_contours(Traced *traced)
{
    Plot *plot = traced->plot;
    double *values = clv_plot_alloc(plot, (size_t)ACROSS * UP, sizeof *values);
    cleave_plot_series *series = clv_plot_alloc(plot, 1, sizeof *series);
    ContourGrid grid = {.across = ACROSS, .up = UP, .values = values};
    Contour contour = {.context = plot->context};
    double low = INFINITY, high = -INFINITY;
    Status status = OK;
    Spots spots;

    if (!values || !series)
        return CLEAVE_ERROR_MEMORY;
    memcpy(grid.box, traced->path, sizeof grid.box);
    for (size_t i = 0; i < (size_t)ACROSS * UP; i++) {
        double p = grid.box[0] +
                   (grid.box[2] - grid.box[0]) * ((double)(i % ACROSS) + 0.5) / ACROSS;
        double q = grid.box[1] + (grid.box[3] - grid.box[1]) * ((double)(i / ACROSS) + 0.5) / UP;

        values[i] = objective_at(traced, p, q);
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    for (int i = 1; i <= LEVELS && status == OK; i++)
        status = clv_contour(&contour, &grid,
                             low + (high - low) * (i * i) / ((LEVELS + 1.0) * (LEVELS + 1.0)),
                             plot->error);
    *series = (cleave_plot_series){
        .name = "contours of the objective", .style = CLEAVE_PLOT_DASHES, .look = GRAY_LOOK};
    THEN(status, clv_plot_points(plot, series, contour.count, false, &spots));
    for (size_t i = 0; i < contour.count && status == OK; i++) {
        spots.x[i] = contour.ends[i].x;
        spots.y[i] = contour.ends[i].y;
    }
    series->count = contour.count;
    traced->contour = series;
    clv_free(plot->context, contour.ends);
    return status;
}

/* ---- panels ---------------------------------------------------------------------------------- */

static cleave_plot_axis axis(const char *title, const double box[4], int i)
{
    return (cleave_plot_axis){.title = title, .low = box[i], .high = box[i + 2]};
}

static Status name_axes(Traced *traced, cleave_plot_panel *panel)
{
    const Names *names = &traced->dataset->names;
    const char *title[2] = {NULL, traced->regression ? "target" : "score and label"};

    for (uint32_t i = 0; i < traced->features; i++) {
        char buffer[24];

        TRY(clv_plot_text(traced->plot, &title[i], "%s%s", names->implicit ? "feature " : "",
                          clv_names_get(names, i, buffer)));
    }
    panel->x = axis(title[0], traced->box, 0);
    panel->y = axis(title[1], traced->box, 1);
    return OK;
}

static Status fill_lines(Traced *traced, cleave_plot_panel *panel, cleave_plot_series *series,
                         size_t now)
{
    const Labels *labels = &traced->dataset->labels;
    size_t count = 0;

    panel->title = traced->features == 2 || traced->regression ? "data and line" : "data and score";
    TRY(name_axes(traced, panel));
    panel->same_unit = traced->features == 2;
    if (traced->regression) {
        TRY(add_points(traced, &series[count++], 0, "rows of the data", 1));
    } else {
        for (uint32_t i = 0; i < 2; i++)
            TRY(add_points(traced, &series[count++], i == traced->positive ? 1 : -1,
                           traced->plot->facts.classes ? traced->plot->facts.classes[i]
                                                       : labels->list[i].text,
                           i));
    }
    if (now > 0)
        TRY(add_lines(traced, &series[count++], now > MOST_EARLIER ? now - MOST_EARLIER : 0, now,
                      false));
    TRY(add_lines(traced, &series[count++], now, now + 1, true));
    if (traced->update[now].row > 0 && traced->update[now].row <= traced->points &&
        traced->dataset->rows == traced->points) {
        const TracedPoint *point = &traced->point[traced->update[now].row - 1];
        Spots ring;

        series[count] = (cleave_plot_series){
            .name = "updated by this row", .style = CLEAVE_PLOT_RINGS, .look = INK, .count = 1};
        TRY(clv_plot_points(traced->plot, &series[count++], 1, false, &ring));
        ring.x[0] = point->x;
        ring.y[0] = point->y;
    }
    panel->series_count = count;
    return OK;
}

static Status fill_path(Traced *traced, cleave_plot_panel *panel, cleave_plot_series *series,
                        size_t now)
{
    char buffer[NUMBER_SIZE];
    size_t every = 1 + now / MOST_PATH;
    Spots spots;

    panel->x = axis(traced->features == 2 ? "weight of the first column" : "w", traced->path, 0);
    panel->y = axis(traced->features == 2 ? "weight of the second column" : "b", traced->path, 1);
    clv_format_rounded(buffer, traced->update[traced->count - 1].intercept, 4);
    if (traced->features == 2)
        TRY(clv_plot_text(traced->plot, &panel->title, "objective at b = %s", buffer));
    else
        panel->title = "objective";
    series[0] = *traced->contour;
    series[1] = (cleave_plot_series){.name = traced->features == 2 ? "path of w" : "path of (w, b)",
                                     .style = CLEAVE_PLOT_BOTH,
                                     .look = 0};
    TRY(clv_plot_points(traced->plot, &series[1], now / every + 2, false, &spots));
    for (size_t i = 0; i <= now; i++) {
        if (i % every != 0 && i != now)
            continue;
        spots.x[series[1].count] = traced->update[i].weights[0];
        spots.y[series[1].count++] = second_of(traced, &traced->update[i]);
    }
    panel->series_count = 2;
    return OK;
}

/* One picture: the state after update `now`. */
static Status fill_frame(Traced *traced, cleave_plot *frame, cleave_plot_panel *panels, size_t now)
{
    const TracedUpdate *update = &traced->update[now];
    char w[2][NUMBER_SIZE], b[NUMBER_SIZE], row[48] = "";
    size_t count = traced->contour ? 2 : 1;

    for (size_t i = 0; i < count; i++) {
        cleave_plot_series *series = clv_plot_alloc(traced->plot, SERIES, sizeof *series);

        if (!series)
            return CLEAVE_ERROR_MEMORY;
        panels[i] = (cleave_plot_panel){.title = "", .series = series};
        TRY(i == 0 ? fill_lines(traced, &panels[i], series, now)
                   : fill_path(traced, &panels[i], series, now));
    }
    for (uint32_t i = 0; i < 2; i++)
        clv_format_rounded(w[i], update->weights[i], 5);
    clv_format_rounded(b, update->intercept, 5);
    if (update->row)
        snprintf(row, sizeof row, ", row %llu", (unsigned long long)update->row);
    frame->panels = panels;
    frame->panel_count = count;
    frame->kind = traced->plot->facts.kind;
    frame->classes = traced->plot->facts.classes;
    frame->class_count = traced->plot->facts.class_count;
    TRY(clv_plot_text(traced->plot, &frame->title, "Updates of %s", traced->method));
    return clv_plot_text(traced->plot, &frame->remark,
                         "update %zu of %zu, epoch %u%s: w = (%s%s%s), b = %s", now,
                         traced->count - 1, update->epoch, row, w[0],
                         traced->features == 2 ? ", " : "", traced->features == 2 ? w[1] : "", b);
}

static Status fill_frames(Traced *traced)
{
    Plot *plot = traced->plot;
    size_t frames = (traced->count + traced->every - 1) / traced->every;
    cleave_plot *frame = clv_plot_alloc(plot, frames + 1, sizeof *frame);
    cleave_plot_panel *panels = clv_plot_alloc(plot, 2 * (frames + 1), sizeof *panels);
    size_t count = 0;

    if (!frame || !panels)
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < traced->count; i++)
        if (i % traced->every == 0 || i + 1 == traced->count) {
            TRY(fill_frame(traced, &frame[count], panels + 2 * count, i));
            count++;
        }
    plot->facts.frames = frame;
    plot->facts.frame_count = count;
    return OK;
}

static Status draw(Traced *traced, const Model *model)
{
    Plot *plot = traced->plot;

    traced->regression = model->task == CLEAVE_TASK_REGRESSION;
    traced->positive = model->positive;
    if (!traced->regression)
        TRY(clv_plot_classes(plot, &traced->dataset->labels));
    TRY(take_points(traced));
    if (traced->count == 0)
        return clv_fail(plot->error, CLEAVE_ERROR_DATA, "the method makes no update");
    for (size_t i = 0; i < traced->count; i++)
        extend(traced->path, traced->update[i].weights[0], second_of(traced, &traced->update[i]));
    pad(traced->path, PATH_MARGIN);
    find_objective(traced, model);
    if (traced->objective != NO_OBJECTIVE)
        TRY(make_contours(traced));
    traced->every = 1 + (traced->count - 1) / MOST_FRAMES;
    TRY(fill_frame(traced, &plot->facts, plot->panel, traced->count - 1));
    return fill_frames(traced);
}

Status clv_plot_trace(Plot *plot, const char *method, cleave_data *data, cleave_data *valid,
                      const cleave_options *training)
{
    Traced traced = {.plot = plot,
                     .method = method,
                     .box = {INFINITY, INFINITY, -INFINITY, -INFINITY},
                     .path = {INFINITY, INFINITY, -INFINITY, -INFINITY}};
    Model *model = NULL;
    Status status;

    (void)valid;
    TRY(clv_data_dataset(data, &traced.dataset, plot->error));
    traced.features = traced.dataset->features;
    if (traced.features < 1 || traced.features > 2)
        return clv_fail_hint(plot->error, CLEAVE_ERROR_USAGE,
                             "ignore columns with --columns NAME=ignore, or use 'cleave trace'",
                             "%s: plot 'trace' needs 1 or 2 numeric columns, found %u",
                             clv_data_name(data), traced.features);
    status = run_trace(&traced, data, training, &model);
    THEN(status, draw(&traced, model));
    cleave_model_free(model);
    clv_free(plot->context, traced.update);
    return status;
}
