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
} Ask;

/* ---- queries --------------------------------------------------------------------------------- */

/* Computes the scores of rows as read. */
static Status ask(Ask *asked, const Block *raw)
{
    const Model *model = asked->model;
    cleave_error *error = asked->plot->error;
    Block made;

    TRY(GROW(model->context, asked->scores, asked->score_capacity,
             raw->rows * outputs_of(model->labels.count), error));
    if (!model->pipeline)
        return model->method->inference->predict(model, raw, asked->scores, error);
    TRY(clv_pipeline_block(model->pipeline, &asked->workspace, raw, &asked->transformed, &made,
                           error));
    return model->method->inference->predict(model, &made, asked->scores, error);
}

static double answer(const Ask *asked, uint32_t row)
{
    const Model *model = asked->model;
    uint32_t label;

    if (model->task == CLEAVE_TASK_REGRESSION)
        return asked->scores[row];
    label = clv_model_decide(model, asked->scores + (size_t)row * outputs_of(model->labels.count),
                             false);
    return label == UNLABELED ? (double)NAN : (double)label;
}

static Status keep_point(Ask *asked, const Point *point)
{
    size_t place = asked->count;
    double at[2] = {point->x, point->y};

    for (int i = 0; i < 2; i++) {
        if (!isfinite(at[i]))
            continue;
        asked->box[i] = fmin(asked->box[i], at[i]);
        asked->box[i + 2] = fmax(asked->box[i + 2], at[i]);
    }
    asked->seen++;
    asked->wrong += point->wrong;
    asked->evaluated += point->label != UNLABELED || !isnan(point->number);
    if (place == MOST_POINTS) {
        uint64_t chosen = (uint64_t)(clv_random_unit(&asked->random) * (double)asked->seen);

        if (chosen >= MOST_POINTS)
            return OK;
        place = (size_t)chosen;
    } else {
        TRY(GROW(asked->plot->context, asked->points, asked->capacity, place + 1,
                 asked->plot->error));
        asked->count++;
    }
    asked->points[place] = *point;
    return OK;
}

static Point point_of(const Ask *asked, const Block *block, uint32_t row)
{
    bool numbers = asked->model->task == CLEAVE_TASK_REGRESSION;
    bool missing[2] = {false, false};
    Point point = {.label = numbers ? UNLABELED : block_label(block, row), .number = (double)NAN};

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (int i = 0; i < 2; i++) {
            if (walk.column == asked->axis[i])
                *(i ? &point.y : &point.x) = (double)walk.value;
            missing[i] |= walk.column == asked->mark[i] && walk.value != 0;
        }
    if (missing[0] || missing[1])
        point.x = point.y = (double)NAN; /* one coordinate is missing */
    if (numbers && block->target_form == TARGETS_NUMBERS)
        point.number = block_number(block, row, NULL);
    else if (numbers && block_label(block, row) != UNLABELED)
        point.number = asked->view->labels.list[block_label(block, row)].number;
    else if (point.label != UNLABELED)
        point.wrong = answer(asked, row) != (double)point.label;
    return point;
}

static Status read_points(Ask *asked)
{
    for (;;) {
        const Block *block;

        TRY(source_next(asked->view, &block, asked->plot->error));
        if (!block)
            return OK;
        TRY(ask(asked, block));
        for (uint32_t row = 0; row < block->rows; row++) {
            Point point = point_of(asked, block, row);

            TRY(keep_point(asked, &point));
        }
    }
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void pad_box(Ask *asked)
{
    for (int i = 0; i < 2; i++) {
        double span = asked->box[i + 2] - asked->box[i], around;

        if (!(asked->box[i] <= asked->box[i + 2])) {
            asked->box[i] = asked->box[i + 2] = 0;
            span = 0;
        }
        around = span > 0 ? MARGIN * span : fmax(fabs(asked->box[i]) / 10, 0.5);
        asked->box[i] -= around;
        asked->box[i + 2] += around;
    }
}

static double middle(const cleave_plot_field *field, int axis, size_t number)
{
    size_t count = axis ? field->up : field->across;

    return field->box[axis] +
           (field->box[axis + 2] - field->box[axis]) * ((double)number + 0.5) / (double)count;
}

static Status add_cell(const Ask *asked, Builder *builder, const cleave_plot_field *field,
                       size_t cell)
{
    clv_builder_begin_row(builder);
    for (int axis = 0; axis < 2; axis++) {
        size_t number = axis ? cell / field->across : cell % field->across;

        TRY(clv_builder_add(builder, asked->axis[axis], (float)middle(field, axis, number),
                            asked->plot->error));
    }
    return clv_builder_end_row(builder, UNLABELED, asked->plot->error);
}

static Status ask_cells(Ask *asked, Builder *builder, const cleave_plot_field *field, double *cells)
{
    size_t all = field->across * field->up;

    for (size_t from = 0; from < all; from += GRID_ROWS) {
        size_t count = all - from < GRID_ROWS ? all - from : GRID_ROWS;
        Block block;

        clv_builder_clear(builder);
        for (size_t i = 0; i < count; i++)
            TRY(add_cell(asked, builder, field, from + i));
        TRY(clv_builder_finish(builder, &block, asked->plot->error));
        TRY(ask(asked, &block));
        for (size_t i = 0; i < count; i++)
            cells[from + i] = answer(asked, (uint32_t)i);
        clv_progress(asked->plot->context,
                     &(cleave_progress){.phase = "plot", .rows = from + count, .rows_total = all});
        if (clv_cancelled(asked->plot->context))
            return clv_fail(asked->plot->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    return OK;
}

static Status make_field(Ask *asked, cleave_plot_panel *panel)
{
    Plot *plot = asked->plot;
    cleave_plot_field *field = clv_plot_alloc(plot, 1, sizeof *field);
    Builder builder;
    double *cells;
    Status status;

    if (!field)
        return CLEAVE_ERROR_MEMORY;
    *field = (cleave_plot_field){.title = "prediction",
                                 .across = (size_t)plot->options.cells,
                                 .up = ((size_t)plot->options.cells * 3 + 3) / 4,
                                 .of_classes = asked->model->task != CLEAVE_TASK_REGRESSION};
    pad_box(asked);
    memcpy(field->box, asked->box, sizeof field->box);
    cells = clv_plot_alloc(plot, field->across * field->up, sizeof *cells);
    if (!cells)
        return CLEAVE_ERROR_MEMORY;
    clv_builder_init(&builder, plot->context);
    status = ask_cells(asked, &builder, field, cells);
    clv_builder_free(&builder);
    field->cells = cells;
    panel->field = field;
    return status;
}

/* ---- the points ------------------------------------------------------------------------------ */

/* Adds the points of one class; SIZE_MAX: the points without a class. */
static Status add_points(Ask *asked, cleave_plot_panel *panel, cleave_plot_series *series,
                         size_t label, const char *name)
{
    size_t classes = asked->model->labels.count, count = 0;
    bool *wrong = NULL;
    double *values = NULL;
    Spots spots;

    for (size_t i = 0; i < asked->count; i++)
        count += label < classes ? asked->points[i].label == label
                                 : asked->points[i].label >= classes;
    if (count == 0 && label >= classes)
        return OK;
    TRY(clv_plot_points(asked->plot, series, count, false, &spots));
    if (label < classes && count > 0 &&
        !(wrong = clv_plot_alloc(asked->plot, count, sizeof *wrong)))
        return CLEAVE_ERROR_MEMORY;
    if (asked->model->task == CLEAVE_TASK_REGRESSION &&
        !(values = clv_plot_alloc(asked->plot, count, sizeof *values)))
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < asked->count; i++) {
        const Point *point = &asked->points[i];

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

static Status add_all_points(Ask *asked, cleave_plot_panel *panel, cleave_plot_series *series)
{
    const Model *model = asked->model;
    cleave_plot_series *ring;

    if (model->task == CLEAVE_TASK_REGRESSION)
        return add_points(asked, panel, &series[0], SIZE_MAX, "target in the data");
    for (uint32_t i = 0; i < model->labels.count; i++)
        TRY(add_points(asked, panel, &series[panel->series_count], i,
                       asked->plot->facts.classes[i]));
    TRY(add_points(asked, panel, &series[panel->series_count], SIZE_MAX, "no class of the model"));
    if (asked->wrong == 0)
        return OK;
    /* Adds a legend entry for rings, which are drawn with the points. */
    ring = &series[panel->series_count++];
    *ring = (cleave_plot_series){
        .style = CLEAVE_PLOT_MARKS, .look = 7, .name = "ringed: misclassified"};
    ring->x = ring->y = clv_plot_alloc(asked->plot, 1, sizeof *ring->x);
    ring->wrong = clv_plot_alloc(asked->plot, 1, sizeof *ring->wrong);
    return ring->x && ring->wrong ? OK : CLEAVE_ERROR_MEMORY;
}

static Status say(Ask *asked, cleave_plot_panel *panel)
{
    Plot *plot = asked->plot;
    const Names *names = clv_model_inputs(asked->model);
    char sampled[64] = "", points[NUMBER_SIZE], wrong[NUMBER_SIZE], labeled[NUMBER_SIZE];

    for (uint32_t i = 0; i < 2; i++) {
        char buffer[24];

        TRY(clv_plot_text(plot, i ? &panel->y.title : &panel->x.title, "%s%s",
                          names->implicit ? "feature " : "",
                          clv_names_get(names, asked->axis[i], buffer)));
    }
    if (asked->seen > asked->count)
        snprintf(sampled, sizeof sampled, "; a sample of %s is drawn",
                 clv_format_count(points, asked->count));
    clv_format_count(points, asked->seen);
    TRY(clv_plot_text(plot, &plot->facts.title, "Decision regions of %s",
                      asked->model->method->name));
    if (asked->model->task == CLEAVE_TASK_REGRESSION)
        return clv_plot_text(plot, &plot->facts.remark, "%s point%s%s", points,
                             asked->seen == 1 ? "" : "s", sampled);
    return clv_plot_text(plot, &plot->facts.remark,
                         "%s point%s, %s of %s labeled points misclassified%s", points,
                         asked->seen == 1 ? "" : "s", clv_format_count(wrong, asked->wrong),
                         clv_format_count(labeled, asked->evaluated), sampled);
}

static Status draw_regions(Ask *asked, cleave_data *data)
{
    cleave_plot_panel *panel;
    cleave_plot_series *series;
    Source *source;

    TRY(clv_data_source(data, &source, asked->plot->error));
    TRY(clv_remap_source(source, false, &asked->model->labels, clv_model_inputs(asked->model),
                         clv_model_input_count(asked->model), &asked->view, asked->plot->error));
    TRY(read_points(asked));
    if (asked->count == 0)
        return clv_fail(asked->plot->error, CLEAVE_ERROR_DATA, "%s: the data has no rows",
                        clv_data_name(data));
    TRY(clv_plot_classes(asked->plot, &asked->model->labels));
    TRY(clv_plot_panel(asked->plot, (size_t)asked->model->labels.count + 2, &panel, &series));
    TRY(make_field(asked, panel));
    TRY(add_all_points(asked, panel, series));
    return say(asked, panel);
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

static uint32_t find_features(Ask *asked)
{
    const Names *names = clv_model_inputs(asked->model);
    uint32_t inputs = clv_model_input_count(asked->model), count = 0;
    char buffer[24], other[24];
    size_t length;

    /* implicit names have no missing-value indicators, and there may be billions of them */
    if (names->implicit) {
        asked->axis[0] = 0;
        asked->axis[1] = 1;
        return inputs;
    }
    for (uint32_t i = 0; i < inputs; i++) {
        if (is_mark(clv_names_get(names, i, buffer), &length))
            continue;
        if (count < 2)
            asked->axis[count] = i;
        count++;
    }
    for (uint32_t i = 0; count == 2 && i < inputs; i++) {
        const char *mark = clv_names_get(names, i, buffer);

        for (int k = 0; is_mark(mark, &length) && k < 2; k++) {
            const char *name = clv_names_get(names, asked->axis[k], other);

            if (strlen(name) == length && memcmp(name, mark, length) == 0)
                asked->mark[k] = i;
        }
    }
    return count;
}

Status clv_plot_regions(Plot *plot, const Model *model, cleave_data *data)
{
    Ask asked = {.plot = plot,
                 .model = model,
                 .mark = {NO_COLUMN, NO_COLUMN},
                 .workspace = {.context = model->context},
                 .box = {INFINITY, INFINITY, -INFINITY, -INFINITY},
                 .random = clv_random(model->seed, 0x91f7)};
    uint32_t features = find_features(&asked);
    Status status;

    if (features != 2)
        return clv_fail_hint(
            plot->error, CLEAVE_ERROR_USAGE,
            "train on two features, e.g. made by 'cleave convert --transform pca:components=2'",
            "decision regions require a model of 2 features, and this model has %u", features);
    if (data->opened_for && model->pipeline)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "decision regions require raw data; open it with cleave_open_raw_for");
    clv_builder_init(&asked.transformed, model->context);
    asked.transformed.passing_by = true;
    status = draw_regions(&asked, data);
    clv_source_close(asked.view);
    clv_builder_free(&asked.transformed);
    clv_workspace_free(&asked.workspace);
    clv_free(model->context, asked.scores);
    clv_free(plot->context, asked.points);
    return status;
}
