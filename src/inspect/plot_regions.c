/* Decision regions: the predictions of a model of two features over a grid of the plane, and the
 * points of the data. The grid has the columns as read: it passes through the pipeline of the model
 * like every row. */
#include "base/random.h"
#include "data/remap.h"
#include "inspect/plot.h"
#include "pipeline/pipeline.h"

#include <stdio.h>

enum { MOST_POINTS = 5000, GRID_ROWS = 4096 };
static const double MARGIN = 0.06;

typedef struct {
    double x, y, number; /* number: target in a regression */
    /* UNLABELED: no label; numbers after the model's classes: unknown labels */
    uint32_t label;
    bool wrong;
} Point;

typedef struct {
    Plot *plot;
    const Model *model;
    /* columns as read: the features and their missing-value indicators (NO_COLUMN: there is
     * none) */
    uint32_t axis[2], mark[2];
    Source *view;
    RowWorkspace workspace;
    Builder transformed;
    double *scores;
    size_t score_capacity;
    Point *points; /* all points, or a random sample of them (Vitter 1985) */
    size_t count, capacity;
    uint64_t seen, wrong, evaluated;
    double box[4]; /* left, bottom, right and top of the data */
    Random random;
} RegionPredictor;

/* ---- queries --------------------------------------------------------------------------------- */

/* Computes the scores of rows as read. */
static Status predict_rows(RegionPredictor *predictor, const Block *raw)
{
    const Model *model = predictor->model;
    cleave_error *error = predictor->plot->error;
    Block made;

    TRY(GROW(model->context, predictor->scores, predictor->score_capacity,
             raw->rows * outputs_of(model->labels.count), error));
    if (!model->pipeline)
        return model->method->inference->predict(model, raw, predictor->scores, error);
    TRY(clv_pipeline_block(model->pipeline, &predictor->workspace, raw, &predictor->transformed,
                           &made, error));
    return model->method->inference->predict(model, &made, predictor->scores, error);
}

static double answer(const RegionPredictor *predictor, uint32_t row)
{
    const Model *model = predictor->model;
    uint32_t label;

    if (model->task == CLEAVE_TASK_REGRESSION)
        return predictor->scores[row];
    label = clv_model_decide(
        model, predictor->scores + (size_t)row * outputs_of(model->labels.count), false);
    return label == UNLABELED ? (double)NAN : (double)label;
}

static Status keep_point(RegionPredictor *predictor, const Point *point)
{
    size_t place = predictor->count;
    double at[2] = {point->x, point->y};

    for (int i = 0; i < 2; i++) {
        if (!isfinite(at[i]))
            continue;
        predictor->box[i] = fmin(predictor->box[i], at[i]);
        predictor->box[i + 2] = fmax(predictor->box[i + 2], at[i]);
    }
    predictor->seen++;
    predictor->wrong += point->wrong;
    predictor->evaluated += point->label != UNLABELED || !isnan(point->number);
    if (place == MOST_POINTS) {
        uint64_t chosen = (uint64_t)(clv_random_unit(&predictor->random) * (double)predictor->seen);

        if (chosen >= MOST_POINTS)
            return OK;
        place = (size_t)chosen;
    } else {
        TRY(GROW(predictor->plot->context, predictor->points, predictor->capacity, place + 1,
                 predictor->plot->error));
        predictor->count++;
    }
    predictor->points[place] = *point;
    return OK;
}

static Point point_of(const RegionPredictor *predictor, const Block *block, uint32_t row)
{
    bool numbers = predictor->model->task == CLEAVE_TASK_REGRESSION;
    bool missing[2] = {false, false};
    Point point = {.label = numbers ? UNLABELED : block_label(block, row), .number = (double)NAN};

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (int i = 0; i < 2; i++) {
            if (walk.column == predictor->axis[i])
                *(i ? &point.y : &point.x) = (double)walk.value;
            missing[i] |= walk.column == predictor->mark[i] && walk.value != 0;
        }
    if (missing[0] || missing[1])
        point.x = point.y = (double)NAN; /* one coordinate is missing */
    if (numbers && block->target_form == TARGETS_NUMBERS)
        point.number = block_number(block, row, NULL);
    else if (numbers && block_label(block, row) != UNLABELED)
        point.number = predictor->view->labels.list[block_label(block, row)].number;
    else if (point.label != UNLABELED)
        point.wrong = answer(predictor, row) != (double)point.label;
    return point;
}

static Status read_points(RegionPredictor *predictor)
{
    for (;;) {
        const Block *block;

        TRY(source_next(predictor->view, &block, predictor->plot->error));
        if (!block)
            return OK;
        TRY(predict_rows(predictor, block));
        for (uint32_t row = 0; row < block->rows; row++) {
            Point point = point_of(predictor, block, row);

            TRY(keep_point(predictor, &point));
        }
    }
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void pad_box(RegionPredictor *predictor)
{
    for (int i = 0; i < 2; i++) {
        double span = predictor->box[i + 2] - predictor->box[i], around;

        if (!(predictor->box[i] <= predictor->box[i + 2])) {
            predictor->box[i] = predictor->box[i + 2] = 0;
            span = 0;
        }
        around = span > 0 ? MARGIN * span : fmax(fabs(predictor->box[i]) / 10, 0.5);
        predictor->box[i] -= around;
        predictor->box[i + 2] += around;
    }
}

static double middle(const cleave_plot_field *field, int axis, size_t number)
{
    size_t count = axis ? field->up : field->across;

    return field->box[axis] +
           (field->box[axis + 2] - field->box[axis]) * ((double)number + 0.5) / (double)count;
}

static Status add_cell(const RegionPredictor *predictor, Builder *builder,
                       const cleave_plot_field *field, size_t cell)
{
    clv_builder_begin_row(builder);
    for (int axis = 0; axis < 2; axis++) {
        size_t number = axis ? cell / field->across : cell % field->across;

        TRY(clv_builder_add(builder, predictor->axis[axis], (float)middle(field, axis, number),
                            predictor->plot->error));
    }
    return clv_builder_end_row(builder, UNLABELED, predictor->plot->error);
}

static Status predict_cells(RegionPredictor *predictor, Builder *builder,
                            const cleave_plot_field *field, double *cells)
{
    size_t all = field->across * field->up;

    for (size_t from = 0; from < all; from += GRID_ROWS) {
        size_t count = all - from < GRID_ROWS ? all - from : GRID_ROWS;
        Block block;

        clv_builder_clear(builder);
        for (size_t i = 0; i < count; i++)
            TRY(add_cell(predictor, builder, field, from + i));
        TRY(clv_builder_finish(builder, &block, predictor->plot->error));
        TRY(predict_rows(predictor, &block));
        for (size_t i = 0; i < count; i++)
            cells[from + i] = answer(predictor, (uint32_t)i);
        clv_progress(predictor->plot->context,
                     &(cleave_progress){.phase = "plot", .rows = from + count, .rows_total = all});
        if (clv_cancelled(predictor->plot->context))
            return clv_fail(predictor->plot->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    return OK;
}

static Status make_field(RegionPredictor *predictor, cleave_plot_panel *panel)
{
    Plot *plot = predictor->plot;
    cleave_plot_field *field = clv_plot_alloc(plot, 1, sizeof *field);
    Builder builder;
    double *cells;
    Status status;

    if (!field)
        return CLEAVE_ERROR_MEMORY;
    *field = (cleave_plot_field){.title = "prediction",
                                 .across = (size_t)plot->options.cells,
                                 .up = ((size_t)plot->options.cells * 3 + 3) / 4,
                                 .of_classes = predictor->model->task != CLEAVE_TASK_REGRESSION};
    pad_box(predictor);
    memcpy(field->box, predictor->box, sizeof field->box);
    cells = clv_plot_alloc(plot, field->across * field->up, sizeof *cells);
    if (!cells)
        return CLEAVE_ERROR_MEMORY;
    clv_builder_init(&builder, plot->context);
    status = predict_cells(predictor, &builder, field, cells);
    clv_builder_free(&builder);
    field->cells = cells;
    panel->field = field;
    return status;
}

/* ---- the points ------------------------------------------------------------------------------ */

/* Adds the points of one class; SIZE_MAX: the points without a class. */
static Status add_points(RegionPredictor *predictor, cleave_plot_panel *panel,
                         cleave_plot_series *series, size_t label, const char *name)
{
    size_t classes = predictor->model->labels.count, count = 0;
    bool *wrong = NULL;
    double *values = NULL;
    Spots spots;

    for (size_t i = 0; i < predictor->count; i++)
        count += label < classes ? predictor->points[i].label == label
                                 : predictor->points[i].label >= classes;
    if (count == 0 && label >= classes)
        return OK;
    TRY(clv_plot_points(predictor->plot, series, count, false, &spots));
    if (label < classes && count > 0 &&
        !(wrong = clv_plot_alloc(predictor->plot, count, sizeof *wrong)))
        return CLEAVE_ERROR_MEMORY;
    if (predictor->model->task == CLEAVE_TASK_REGRESSION &&
        !(values = clv_plot_alloc(predictor->plot, count, sizeof *values)))
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < predictor->count; i++) {
        const Point *point = &predictor->points[i];

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
    series->look = label < classes ? label : values ? 0 : 7;
    series->wrong = wrong;
    series->value = values;
    series->name = name;
    panel->series_count++;
    return OK;
}

static Status add_all_points(RegionPredictor *predictor, cleave_plot_panel *panel,
                             cleave_plot_series *series)
{
    const Model *model = predictor->model;
    cleave_plot_series *ring;

    if (model->task == CLEAVE_TASK_REGRESSION)
        return add_points(predictor, panel, &series[0], SIZE_MAX, "target in the data");
    for (uint32_t i = 0; i < model->labels.count; i++)
        TRY(add_points(predictor, panel, &series[panel->series_count], i,
                       predictor->plot->facts.classes[i]));
    TRY(add_points(predictor, panel, &series[panel->series_count], SIZE_MAX,
                   "no class of the model"));
    if (predictor->wrong == 0)
        return OK;
    /* Adds a legend entry for rings, which are drawn with the points. */
    ring = &series[panel->series_count++];
    *ring = (cleave_plot_series){
        .style = CLEAVE_PLOT_MARKS, .look = 7, .name = "ringed: misclassified"};
    ring->x = ring->y = clv_plot_alloc(predictor->plot, 1, sizeof *ring->x);
    ring->wrong = clv_plot_alloc(predictor->plot, 1, sizeof *ring->wrong);
    return ring->x && ring->wrong ? OK : CLEAVE_ERROR_MEMORY;
}

static Status write_note(RegionPredictor *predictor, cleave_plot_panel *panel)
{
    Plot *plot = predictor->plot;
    const Names *names = clv_model_inputs(predictor->model);
    char sampled[64] = "", points[NUMBER_SIZE], wrong[NUMBER_SIZE], labeled[NUMBER_SIZE];

    for (uint32_t i = 0; i < 2; i++) {
        char buffer[24];

        TRY(clv_plot_text(plot, i ? &panel->y.title : &panel->x.title, "%s%s",
                          names->implicit ? "feature " : "",
                          clv_names_get(names, predictor->axis[i], buffer)));
    }
    if (predictor->seen > predictor->count)
        snprintf(sampled, sizeof sampled, "; a sample of %s is drawn",
                 clv_format_count(points, predictor->count));
    clv_format_count(points, predictor->seen);
    TRY(clv_plot_text(plot, &plot->facts.title, "Decision regions of %s",
                      predictor->model->method->name));
    if (predictor->model->task == CLEAVE_TASK_REGRESSION)
        return clv_plot_text(plot, &plot->facts.remark, "%s point%s%s", points,
                             predictor->seen == 1 ? "" : "s", sampled);
    return clv_plot_text(plot, &plot->facts.remark,
                         "%s point%s, %s of %s labeled points misclassified%s", points,
                         predictor->seen == 1 ? "" : "s", clv_format_count(wrong, predictor->wrong),
                         clv_format_count(labeled, predictor->evaluated), sampled);
}

static Status draw_regions(RegionPredictor *predictor, cleave_data *data)
{
    cleave_plot_panel *panel;
    cleave_plot_series *series;
    Source *source;

    TRY(clv_data_source(data, &source, predictor->plot->error));
    TRY(clv_remap_source(
        source, false, &predictor->model->labels, clv_model_inputs(predictor->model),
        clv_model_input_count(predictor->model), &predictor->view, predictor->plot->error));
    TRY(read_points(predictor));
    if (predictor->count == 0)
        return clv_fail(predictor->plot->error, CLEAVE_ERROR_DATA, "%s: the data has no rows",
                        clv_data_name(data));
    TRY(clv_plot_classes(predictor->plot, &predictor->model->labels));
    TRY(clv_plot_panel(predictor->plot, (size_t)predictor->model->labels.count + 2, &panel,
                       &series));
    TRY(make_field(predictor, panel));
    TRY(add_all_points(predictor, panel, series));
    return write_note(predictor, panel);
}

/* ---- the axes -------------------------------------------------------------------------------- */

/* Whether a column is a missing-value indicator: a table has a column `age=?` beside `age`. If it
 * is set, the value is missing, and `age` is 0. */
static bool is_mark(const char *name, size_t *length)
{
    *length = strlen(name);
    if (*length < 3 || strcmp(name + *length - 2, "=?") != 0)
        return false;
    *length -= 2;
    return true;
}

static uint32_t find_features(RegionPredictor *predictor)
{
    const Names *names = clv_model_inputs(predictor->model);
    uint32_t inputs = clv_model_input_count(predictor->model), count = 0;
    char buffer[24], other[24];
    size_t length;

    /* implicit names have no missing-value indicators, and there may be billions of them */
    if (names->implicit) {
        predictor->axis[0] = 0;
        predictor->axis[1] = 1;
        return inputs;
    }
    for (uint32_t i = 0; i < inputs; i++) {
        if (is_mark(clv_names_get(names, i, buffer), &length))
            continue;
        if (count < 2)
            predictor->axis[count] = i;
        count++;
    }
    for (uint32_t i = 0; count == 2 && i < inputs; i++) {
        const char *mark = clv_names_get(names, i, buffer);

        for (int k = 0; is_mark(mark, &length) && k < 2; k++) {
            const char *name = clv_names_get(names, predictor->axis[k], other);

            if (strlen(name) == length && memcmp(name, mark, length) == 0)
                predictor->mark[k] = i;
        }
    }
    return count;
}

Status clv_plot_regions(Plot *plot, const Model *model, cleave_data *data)
{
    RegionPredictor predictor = {.plot = plot,
                                 .model = model,
                                 .mark = {NO_COLUMN, NO_COLUMN},
                                 .workspace = {.context = model->context},
                                 .box = {INFINITY, INFINITY, -INFINITY, -INFINITY},
                                 .random = clv_random(model->seed, 0x91f7)};
    uint32_t features = find_features(&predictor);
    Status status;

    if (features != 2)
        return clv_fail_hint(
            plot->error, CLEAVE_ERROR_USAGE,
            "train on two features, e.g. made by 'cleave convert --transform pca:components=2'",
            "decision regions require a model of 2 features, and this model has %u", features);
    if (data->opened_for && model->pipeline)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "decision regions require raw data; open it with cleave_open_raw_for");
    clv_builder_init(&predictor.transformed, model->context);
    predictor.transformed.passing_by = true;
    status = draw_regions(&predictor, data);
    clv_source_close(predictor.view);
    clv_builder_free(&predictor.transformed);
    clv_workspace_free(&predictor.workspace);
    clv_free(model->context, predictor.scores);
    clv_free(plot->context, predictor.points);
    return status;
}
