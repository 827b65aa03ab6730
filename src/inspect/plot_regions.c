/* Decision regions: the predictions of a model of two features over the plane, and the points of
 * the data. Affine scores have exact regions; other scores are evaluated on a grid, which has the
 * columns as read: it passes through the pipeline of the model like every row. Models of one
 * feature have curves. */
#include "inspect/plot_regions.h"

#include "data/remap.h"
#include "plot/contour.h"

#include <stdio.h>

enum { MOST_POINTS = 5000, GRID_ROWS = 4096 };
static const double MARGIN = 0.06, MOST_UNEVEN = 4, SUPPORT_SLACK = 1e-3;

/* ---- queries --------------------------------------------------------------------------------- */

Status clv_region_predict(RegionPlot *drawn, const Block *raw)
{
    const Model *model = drawn->model;
    cleave_error *error = drawn->plot->error;
    Block made;

    TRY(GROW(model->context, drawn->scores, drawn->score_capacity,
             raw->rows * outputs_of(model->labels.count), error));
    if (!model->pipeline)
        return model->method->inference->predict(model, raw, drawn->scores, error);
    TRY(clv_pipeline_block(model->pipeline, &drawn->workspace, raw, &drawn->transformed, &made,
                           error));
    return model->method->inference->predict(model, &made, drawn->scores, error);
}

const double *clv_region_scores(const RegionPlot *drawn, uint32_t row)
{
    return drawn->scores + (size_t)row * outputs_of(drawn->model->labels.count);
}

double clv_region_prediction(const RegionPlot *drawn, uint32_t row)
{
    uint32_t label;

    if (drawn->model->task == CLEAVE_TASK_REGRESSION)
        return drawn->scores[row];
    label = clv_model_decide(drawn->model, clv_region_scores(drawn, row), false);
    return label == UNLABELED ? (double)NAN : (double)label;
}

static Status add_place(const RegionPlot *drawn, Builder *builder, const double at[2])
{
    clv_builder_begin_row(builder);
    for (uint32_t i = 0; i < drawn->features; i++)
        TRY(clv_builder_add(builder, drawn->axis[i], (float)at[i], drawn->plot->error));
    return clv_builder_end_row(builder, UNLABELED, drawn->plot->error);
}

static Status predict_places(RegionPlot *drawn, Builder *builder, size_t count, RegionPlace place,
                             RegionVisit visit, void *user)
{
    for (size_t from = 0; from < count; from += GRID_ROWS) {
        size_t rows = count - from < GRID_ROWS ? count - from : GRID_ROWS;
        Block block;

        clv_builder_clear(builder);
        for (size_t i = 0; i < rows; i++) {
            double at[2];

            place(user, from + i, at);
            TRY(add_place(drawn, builder, at));
        }
        TRY(clv_builder_finish(builder, &block, drawn->plot->error));
        TRY(clv_region_predict(drawn, &block));
        for (size_t i = 0; i < rows; i++)
            visit(user, from + i, (uint32_t)i);
        clv_progress(drawn->plot->context,
                     &(cleave_progress){.phase = "plot", .rows = from + rows, .rows_total = count});
        if (clv_cancelled(drawn->plot->context))
            return clv_fail(drawn->plot->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    return OK;
}

Status clv_region_places(RegionPlot *drawn, size_t count, RegionPlace place, RegionVisit visit,
                         void *user)
{
    Builder builder;
    Status status;

    clv_builder_init(&builder, drawn->plot->context);
    status = predict_places(drawn, &builder, count, place, visit, user);
    clv_builder_free(&builder);
    return status;
}

/* ---- the data -------------------------------------------------------------------------------- */

bool clv_region_has_margin(const Model *model)
{
    return model->labels.count == 2 && (strcmp(model->method->name, "svm") == 0 ||
                                        strcmp(model->method->name, "kernel-svm") == 0);
}

double clv_region_sign(const RegionPlot *drawn, const RegionPoint *point)
{
    if (drawn->model->labels.count != 2 || point->label >= 2)
        return 0;
    return point->label == drawn->model->positive ? 1 : -1;
}

static Status keep_point(RegionPlot *drawn, const RegionPoint *point)
{
    size_t place = drawn->count;
    double at[2] = {point->x, point->y}, sign = clv_region_sign(drawn, point);

    for (int i = 0; i < 2; i++) {
        if (!isfinite(at[i]))
            continue;
        drawn->box[i] = fmin(drawn->box[i], at[i]);
        drawn->box[i + 2] = fmax(drawn->box[i + 2], at[i]);
    }
    drawn->seen++;
    drawn->wrong += point->wrong;
    drawn->evaluated += point->label != UNLABELED || !isnan(point->number);
    if (sign != 0) {
        drawn->least = fmin(drawn->least, sign * point->score);
        drawn->supports += sign * point->score <= 1 + SUPPORT_SLACK;
        drawn->slack += fmax(0, 1 - sign * point->score);
    }
    if (place == MOST_POINTS) {
        uint64_t chosen = (uint64_t)(clv_random_unit(&drawn->random) * (double)drawn->seen);

        if (chosen >= MOST_POINTS)
            return OK;
        place = (size_t)chosen;
    } else {
        TRY(GROW(drawn->plot->context, drawn->points, drawn->capacity, place + 1,
                 drawn->plot->error));
        drawn->count++;
    }
    drawn->points[place] = *point;
    return OK;
}

static RegionPoint point_of(const RegionPlot *drawn, const Block *block, uint32_t row)
{
    bool numbers = drawn->model->task == CLEAVE_TASK_REGRESSION;
    size_t outputs = outputs_of(drawn->model->labels.count);
    const double *scores = clv_region_scores(drawn, row);
    bool missing = false;
    RegionPoint point = {.label = numbers ? UNLABELED : block_label(block, row),
                         .number = (double)NAN};

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (uint32_t i = 0; i < drawn->features; i++) {
            if (walk.column == drawn->axis[i])
                *(i ? &point.y : &point.x) = (double)walk.value;
            missing |= walk.column == drawn->mark[i] && walk.value != 0;
        }
    if (missing)
        point.x = point.y = (double)NAN; /* one coordinate is missing */
    if (numbers && block->target_form == TARGETS_NUMBERS)
        point.number = block_number(block, row, NULL);
    else if (numbers && block_label(block, row) != UNLABELED)
        point.number = drawn->view->labels.list[block_label(block, row)].number;
    else if (point.label != UNLABELED)
        point.wrong = clv_region_prediction(drawn, row) != (double)point.label;
    point.score = outputs == 1                               ? scores[0]
                  : point.label < drawn->model->labels.count ? scores[point.label]
                                                             : (double)NAN;
    if (drawn->features == 1)
        point.y = numbers ? point.number : point.score;
    return point;
}

static Status read_points(RegionPlot *drawn)
{
    for (;;) {
        const Block *block;

        TRY(source_next(drawn->view, &block, drawn->plot->error));
        if (!block)
            return OK;
        TRY(clv_region_predict(drawn, block));
        for (uint32_t row = 0; row < block->rows; row++) {
            RegionPoint point = point_of(drawn, block, row);

            TRY(keep_point(drawn, &point));
        }
    }
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void pad_box(RegionPlot *drawn)
{
    for (int i = 0; i < 2; i++) {
        double span = drawn->box[i + 2] - drawn->box[i], around;

        if (!(drawn->box[i] <= drawn->box[i + 2])) {
            drawn->box[i] = drawn->box[i + 2] = 0;
            span = 0;
        }
        around = span > 0 ? MARGIN * span : fmax(fabs(drawn->box[i]) / 10, 0.5);
        drawn->box[i] -= around;
        drawn->box[i + 2] += around;
    }
}

typedef struct {
    RegionPlot *drawn;
    cleave_plot_field *field;
    double *cells, *scores; /* scores: of the positive class; NULL: not needed */
    bool affine;
} Grid;

static double middle(const cleave_plot_field *field, int axis, size_t number)
{
    size_t count = axis ? field->up : field->across;

    return field->box[axis] +
           (field->box[axis + 2] - field->box[axis]) * ((double)number + 0.5) / (double)count;
}

static void place_cell(const void *user, size_t cell, double at[2])
{
    const cleave_plot_field *field = ((const Grid *)user)->field;

    at[0] = middle(field, 0, cell % field->across);
    at[1] = middle(field, 1, cell / field->across);
}

static void visit_cell(void *user, size_t cell, uint32_t row)
{
    Grid *grid = user;
    const double *scores = clv_region_scores(grid->drawn, row);
    double at[2];

    grid->cells[cell] = clv_region_prediction(grid->drawn, row);
    grid->drawn->abstains |= isnan(grid->cells[cell]);
    if (grid->scores)
        grid->scores[cell] = scores[0];
    if (grid->affine) {
        place_cell(grid, cell, at);
        grid->affine = clv_affine_fits(grid->drawn, at, scores);
    }
}

/* Margin lines and boundary of scores that are smooth but not affine. */
static Status add_contours(RegionPlot *drawn, const Grid *grid)
{
    static const double levels[] = {0, -1, 1};
    ContourGrid values = {
        .across = grid->field->across, .up = grid->field->up, .values = grid->scores};
    Status status = OK;

    memcpy(values.box, grid->field->box, sizeof values.box);
    for (int i = 0; i < 3 && status == OK; i++) {
        Contour contour = {.context = drawn->plot->context};

        status = clv_contour(&contour, &values, levels[i], drawn->plot->error);
        THEN(status, clv_region_pairs(drawn,
                                      i == 0   ? BOUNDARY_NAME
                                      : i == 1 ? "margin: score -1 and +1"
                                               : NULL,
                                      contour.ends, contour.count, i > 0));
        clv_free(drawn->plot->context, contour.ends);
    }
    return status;
}

static Status make_field(RegionPlot *drawn)
{
    Plot *plot = drawn->plot;
    cleave_plot_field *field = clv_plot_alloc(plot, 1, sizeof *field);
    bool margin = clv_region_has_margin(drawn->model);
    Grid grid = {.drawn = drawn, .field = field};
    size_t cells;

    if (!field)
        return CLEAVE_ERROR_MEMORY;
    *field = (cleave_plot_field){.title = "prediction",
                                 .across = (size_t)plot->options.cells,
                                 .up = ((size_t)plot->options.cells * 3 + 3) / 4,
                                 .of_classes = drawn->model->task != CLEAVE_TASK_REGRESSION};
    memcpy(field->box, drawn->box, sizeof field->box);
    cells = field->across * field->up;
    grid.cells = clv_plot_alloc(plot, cells, sizeof *grid.cells);
    if (!grid.cells ||
        (margin && !(grid.scores = clv_plot_alloc(plot, cells, sizeof *grid.scores))))
        return CLEAVE_ERROR_MEMORY;
    if (field->of_classes)
        TRY(clv_affine_begin(drawn, &grid.affine));
    TRY(clv_region_places(drawn, cells, place_cell, visit_cell, &grid));
    if (grid.affine)
        return clv_affine_draw(drawn);
    field->cells = grid.cells;
    field->smooth = margin;
    drawn->panel->field = field;
    return margin ? add_contours(drawn, &grid) : OK;
}

/* ---- the series ------------------------------------------------------------------------------ */

/* Points of one class, or, with SIZE_MAX, points without a class. */
static Status add_points(RegionPlot *drawn, size_t label, const char *name)
{
    size_t classes = drawn->model->labels.count, count = 0;
    cleave_plot_series *series = &drawn->series[drawn->panel->series_count];
    bool numbers = drawn->model->task == CLEAVE_TASK_REGRESSION, *wrong = NULL;
    double *values = NULL;
    Spots spots;

    for (size_t i = 0; i < drawn->count; i++)
        count += label < classes ? drawn->points[i].label == label
                                 : drawn->points[i].label >= classes;
    if (count == 0 && label >= classes)
        return OK;
    TRY(clv_plot_points(drawn->plot, series, count, false, &spots));
    if (label < classes && count > 0 &&
        !(wrong = clv_plot_alloc(drawn->plot, count, sizeof *wrong)))
        return CLEAVE_ERROR_MEMORY;
    if (numbers && drawn->features == 2 &&
        !(values = clv_plot_alloc(drawn->plot, count, sizeof *values)))
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < drawn->count; i++) {
        const RegionPoint *point = &drawn->points[i];

        if (label < classes ? point->label != label : point->label < classes)
            continue;
        spots.x[series->count] = point->x;
        spots.y[series->count] = point->y;
        if (wrong)
            wrong[series->count] = point->wrong;
        if (values)
            values[series->count] = point->number;
        series->count++;
    }
    series->style = CLEAVE_PLOT_MARKS;
    series->look = label < classes ? label : values ? 0 : numbers ? 1 : 7;
    series->wrong = wrong;
    series->value = values;
    series->name = name;
    drawn->panel->series_count++;
    return OK;
}

static Status add_all_points(RegionPlot *drawn)
{
    const Model *model = drawn->model;
    cleave_plot_series *ring;

    if (model->task == CLEAVE_TASK_REGRESSION)
        return add_points(drawn, SIZE_MAX,
                          drawn->features == 1 ? "rows of the data" : "target in the data");
    for (uint32_t i = 0; i < model->labels.count; i++)
        TRY(add_points(drawn, i, drawn->plot->facts.classes[i]));
    TRY(add_points(drawn, SIZE_MAX, "no class of the model"));
    if (drawn->wrong == 0)
        return OK;
    /* Adds a legend entry for rings. The rings are drawn with the points. */
    ring = &drawn->series[drawn->panel->series_count++];
    *ring = (cleave_plot_series){
        .style = CLEAVE_PLOT_MARKS, .look = 7, .name = "ringed: misclassified"};
    ring->x = ring->y = clv_plot_alloc(drawn->plot, 1, sizeof *ring->x);
    ring->wrong = clv_plot_alloc(drawn->plot, 1, sizeof *ring->wrong);
    return ring->x && ring->wrong ? OK : CLEAVE_ERROR_MEMORY;
}

Status clv_region_pairs(RegionPlot *drawn, const char *name, const Spot *ends, size_t count,
                        bool margin)
{
    cleave_plot_series *series = &drawn->series[drawn->panel->series_count];
    Spots spots;

    if (count == 0)
        return OK;
    *series = (cleave_plot_series){.name = name,
                                   .style = margin ? CLEAVE_PLOT_DASHES : CLEAVE_PLOT_SEGMENTS,
                                   .look = INK_LOOK};
    TRY(clv_plot_points(drawn->plot, series, count, false, &spots));
    for (size_t i = 0; i < count; i++) {
        spots.x[i] = ends[i].x;
        spots.y[i] = ends[i].y;
    }
    series->count = count;
    drawn->panel->series_count++;
    return OK;
}

/* Rings around the support vectors: y score <= 1. */
static Status add_rings(RegionPlot *drawn)
{
    cleave_plot_series *series = &drawn->series[drawn->panel->series_count];
    Spots spots;

    if (!clv_region_has_margin(drawn->model) || drawn->supports == 0)
        return OK;
    *series = (cleave_plot_series){
        .name = "support vector", .style = CLEAVE_PLOT_RINGS, .look = INK_LOOK};
    TRY(clv_plot_points(drawn->plot, series, drawn->count, false, &spots));
    for (size_t i = 0; i < drawn->count; i++) {
        const RegionPoint *point = &drawn->points[i];
        double sign = clv_region_sign(drawn, point);

        if (sign == 0 || sign * point->score > 1 + SUPPORT_SLACK)
            continue;
        spots.x[series->count] = point->x;
        spots.y[series->count++] = point->y;
    }
    drawn->panel->series_count++;
    return OK;
}

/* The area where the model has no prediction. */
static Status add_abstention(RegionPlot *drawn)
{
    cleave_plot_series *series = &drawn->series[drawn->panel->series_count];
    Spots spots;

    if (!drawn->abstains || drawn->model->task == CLEAVE_TASK_REGRESSION)
        return OK;
    *series = (cleave_plot_series){.name = "no class (the model abstains)",
                                   .style = CLEAVE_PLOT_AREA,
                                   .look = CLEAVE_PLOT_NO_CLASS};
    TRY(clv_plot_points(drawn->plot, series, 0, false, &spots));
    drawn->panel->series_count++;
    return OK;
}

/* ---- text ------------------------------------------------------------------------------------ */

static Status name_axes(RegionPlot *drawn)
{
    const Names *names = clv_model_inputs(drawn->model);

    for (uint32_t i = 0; i < drawn->features; i++) {
        char buffer[24];

        TRY(clv_plot_text(drawn->plot, i ? &drawn->panel->y.title : &drawn->panel->x.title, "%s%s",
                          names->implicit ? "feature " : "",
                          clv_names_get(names, drawn->axis[i], buffer)));
    }
    return OK;
}

static Status say(RegionPlot *drawn)
{
    Plot *plot = drawn->plot;
    bool regression = drawn->model->task == CLEAVE_TASK_REGRESSION;
    char sampled[64] = "", points[NUMBER_SIZE], wrong[NUMBER_SIZE], labeled[NUMBER_SIZE];
    char facts[200] = "", number[2][NUMBER_SIZE];

    if (drawn->seen > drawn->count)
        snprintf(sampled, sizeof sampled, "; a sample of %s is plotted",
                 clv_format_count(points, drawn->count));
    clv_format_rounded(number[0], drawn->margin, 5);
    clv_format_rounded(number[1], drawn->slack < 1e-6 ? 0 : drawn->slack, 5);
    if (drawn->margin > 0)
        snprintf(facts, sizeof facts, "; margin %s", number[0]);
    if (clv_region_has_margin(drawn->model))
        snprintf(facts + strlen(facts), sizeof facts - strlen(facts),
                 ", %s support vector%s, slack %s", clv_format_count(number[0], drawn->supports),
                 drawn->supports == 1 ? "" : "s", number[1]);
    clv_format_count(points, drawn->seen);
    TRY(clv_plot_text(plot, &plot->facts.title, "%s of %s",
                      drawn->features == 2 ? "Decision regions"
                      : regression         ? "Predictions"
                                           : "Scores",
                      drawn->model->method->name));
    if (regression)
        return clv_plot_text(plot, &plot->facts.remark, "%s point%s%s", points,
                             drawn->seen == 1 ? "" : "s", sampled);
    return clv_plot_text(plot, &plot->facts.remark,
                         "%s point%s, %s of %s labeled points misclassified%s%s", points,
                         drawn->seen == 1 ? "" : "s", clv_format_count(wrong, drawn->wrong),
                         clv_format_count(labeled, drawn->evaluated), facts, sampled);
}

/* ---- the plot -------------------------------------------------------------------------------- */

/* One unit for both axes, so that a margin is perpendicular to its boundary, unless one side would
 * be too short. */
static bool is_even(const double box[4])
{
    double ratio = (box[2] - box[0]) / (box[3] - box[1]);

    return ratio <= MOST_UNEVEN && ratio >= 1 / MOST_UNEVEN;
}

/* Extends the shorter side of the box, to fill the picture. */
static void square_box(double box[4])
{
    double width = box[2] - box[0], height = box[3] - box[1], side = fmax(width, height);

    box[0] -= (side - width) / 2;
    box[2] += (side - width) / 2;
    box[1] -= (side - height) / 2;
    box[3] += (side - height) / 2;
}

static Status draw_plane(RegionPlot *drawn)
{
    drawn->panel->same_unit = is_even(drawn->box);
    if (drawn->panel->same_unit)
        square_box(drawn->box);
    TRY(add_all_points(drawn));
    TRY(make_field(drawn));
    TRY(add_rings(drawn));
    return add_abstention(drawn);
}

static Status draw_regions(RegionPlot *drawn, cleave_data *data)
{
    Source *source;

    TRY(clv_data_source(data, &source, drawn->plot->error));
    TRY(clv_remap_source(source, false, &drawn->model->labels, clv_model_inputs(drawn->model),
                         clv_model_input_count(drawn->model), &drawn->view, drawn->plot->error));
    TRY(read_points(drawn));
    if (drawn->count == 0)
        return clv_fail(drawn->plot->error, CLEAVE_ERROR_DATA, "%s: the data has no rows",
                        clv_data_name(data));
    pad_box(drawn);
    TRY(clv_plot_classes(drawn->plot, &drawn->model->labels));
    TRY(clv_plot_panel(drawn->plot, 2 * (size_t)drawn->model->labels.count + MOST_EXTRA_SERIES,
                       &drawn->panel, &drawn->series));
    TRY(name_axes(drawn));
    if (drawn->features == 1) {
        TRY(clv_plot_line(drawn));
        TRY(add_all_points(drawn));
        TRY(add_rings(drawn));
        TRY(add_abstention(drawn));
    } else {
        TRY(draw_plane(drawn));
    }
    return say(drawn);
}

/* ---- the axes -------------------------------------------------------------------------------- */

/* A table has an indicator column `age=?` beside `age`: if it is set, the value is missing and 0 in
 * `age`. */
static bool is_mark(const char *name, size_t *length)
{
    *length = strlen(name);
    if (*length < 3 || strcmp(name + *length - 2, "=?") != 0)
        return false;
    *length -= 2;
    return true;
}

static uint32_t find_features(RegionPlot *drawn)
{
    const Names *names = clv_model_inputs(drawn->model);
    uint32_t inputs = clv_model_input_count(drawn->model), count = 0;
    char buffer[24], other[24];
    size_t length;

    if (names->implicit) { /* without missing-value indicators; the names may be billions */
        drawn->axis[0] = 0;
        drawn->axis[1] = 1;
        return inputs;
    }
    for (uint32_t i = 0; i < inputs; i++) {
        if (is_mark(clv_names_get(names, i, buffer), &length))
            continue;
        if (count < 2)
            drawn->axis[count] = i;
        count++;
    }
    for (uint32_t i = 0; count <= 2 && i < inputs; i++) {
        const char *mark = clv_names_get(names, i, buffer);

        for (uint32_t k = 0; is_mark(mark, &length) && k < count; k++) {
            const char *name = clv_names_get(names, drawn->axis[k], other);

            if (strlen(name) == length && memcmp(name, mark, length) == 0)
                drawn->mark[k] = i;
        }
    }
    return count;
}

Status clv_plot_regions(Plot *plot, const Model *model, cleave_data *data)
{
    RegionPlot drawn = {.plot = plot,
                        .model = model,
                        .mark = {NO_COLUMN, NO_COLUMN},
                        .workspace = {.context = model->context},
                        .box = {INFINITY, INFINITY, -INFINITY, -INFINITY},
                        .least = INFINITY,
                        .random = clv_random(model->seed, 0x91f7)};
    Status status;

    drawn.features = find_features(&drawn);
    if (drawn.features != 1 && drawn.features != 2)
        return clv_fail_hint(
            plot->error, CLEAVE_ERROR_USAGE,
            "train on two features, e.g. made by 'cleave convert --transform pca:components=2'",
            "decision regions require a model of 1 or 2 features, and this model has %u",
            drawn.features);
    if (data->opened_for && model->pipeline)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "decision regions require raw data; open it with cleave_open_raw_for");
    clv_builder_init(&drawn.transformed, model->context);
    drawn.transformed.passing_by = true;
    status = draw_regions(&drawn, data);
    clv_source_close(drawn.view);
    clv_builder_free(&drawn.transformed);
    clv_workspace_free(&drawn.workspace);
    clv_free(model->context, drawn.scores);
    FREE(plot->context, drawn.points, drawn.plane);
    return status;
}
