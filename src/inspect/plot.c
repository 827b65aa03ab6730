/* Plots: the table of kinds, their common parts, and the layout. */
#include "inspect/plot.h"

#include "plot/animation.h"
#include "plot/charts.h"
#include "plot/palette.h"

#include <stdarg.h>
#include <stdio.h>

static const Param plot_params[] = {
    INTEGER(PlotOptions, width, 0, WITHIN(0, 20000), "Width in pixels.", DEFAULT("auto")),
    INTEGER(PlotOptions, height, 0, WITHIN(0, 20000), "Height in pixels.", DEFAULT("auto")),
    INTEGER(PlotOptions, cells, 400, WITHIN(2, 4000), "regions: number of grid cells per axis."),
    INTEGER(PlotOptions, repeats, 3, WITHIN(1, 1000),
            "size: number of random samples per training set size."),
    INTEGER(PlotOptions, tree, 1, WITHIN(1, 4294967295.0), "tree: number of the tree, from 1."),
    INTEGER(PlotOptions, levels, -1, WITHIN(0, 1e6),
            "tree: maximum number of levels to show (0: all)."),
    INTEGER(PlotOptions, top, 20, WITHIN(1, 500), "importance: maximum number of columns to show."),
    TEXT(PlotOptions, query, NULL, "index, voronoi: a place x,y to search.", DEFAULT("none")),
    TEXT(PlotOptions, x_column, NULL, "data: column of the x axis.", DEFAULT("first")),
    TEXT(PlotOptions, y_column, NULL, "data: column of the y axis.", DEFAULT("second")),
    REAL(PlotOptions, sigma, 1, ABOVE(0), "rules: width of the Gaussian."),
    END_OF_PARAMS,
};

const cleave_param *cleave_plot_params(void)
{
    return plot_params;
}

/* A kind has the functions for its inputs; the others are NULL. */
typedef struct {
    const char *name;
    cleave_plot_source source;
    const char *brief;
    Status (*of_model)(Plot *plot, const Model *model, cleave_data *data); /* data may be NULL */
    Status (*of_data)(Plot *plot, cleave_data *data);
    Status (*of_training)(Plot *plot, const char *method, cleave_data *data, cleave_data *valid,
                          const cleave_options *training);
    Status (*of_nothing)(Plot *plot);
} Kind;

static const Kind kinds[] = {
    {"curve", CLEAVE_PLOT_OF_TRAINING,
     "learning curve: training and validation error and loss by epoch",
     .of_training = clv_plot_curve},
    {"size", CLEAVE_PLOT_OF_TRAINING, "error against the number of training rows",
     .of_training = clv_plot_sizes},
    {"trace", CLEAVE_PLOT_OF_TRAINING, "the updates of a linear method on one or two columns",
     .of_training = clv_plot_trace},
    {"active", CLEAVE_PLOT_OF_TRAINING,
     "error of active and random selection against the number of labels",
     .of_training = clv_plot_needs_comparison},
    {"roc", CLEAVE_PLOT_OF_MODEL, "ROC curve of each class", .of_model = clv_plot_roc},
    {"pr", CLEAVE_PLOT_OF_MODEL, "precision-recall curve of each class", .of_model = clv_plot_pr},
    {"confusion", CLEAVE_PLOT_OF_MODEL, "confusion matrix", .of_model = clv_plot_confusion},
    {"regions", CLEAVE_PLOT_OF_MODEL,
     "decision regions of a model with two features, or the curve of one",
     .of_model = clv_plot_regions},
    {"tree", CLEAVE_PLOT_OF_MODEL_ALONE, "a decision tree, or one tree of an ensemble",
     .of_model = clv_plot_tree},
    {"importance", CLEAVE_PLOT_OF_MODEL_ALONE, "feature importance of trees",
     .of_model = clv_plot_importance},
    {"index", CLEAVE_PLOT_OF_MODEL_ALONE, "boxes of a neighbor tree, or the S-curve of lsh",
     .of_model = clv_plot_index},
    {"voronoi", CLEAVE_PLOT_OF_DATA, "Voronoi regions of data points or of a knn model",
     .of_data = clv_plot_voronoi, .of_model = clv_plot_voronoi_of},
    {"data", CLEAVE_PLOT_OF_DATA, "points of data with one or two columns",
     .of_data = clv_plot_scatter},
    {"loss", CLEAVE_PLOT_OF_NOTHING, "loss functions of linear classifiers",
     .of_nothing = clv_plot_loss},
    {"rules", CLEAVE_PLOT_OF_DATA, "interpolation curves through data with one feature",
     .of_data = clv_plot_rules},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *cleave_plot_kind(size_t number, cleave_plot_source *source, const char **brief)
{
    if (number >= KINDS)
        return NULL;
    if (source)
        *source = kinds[number].source;
    if (brief)
        *brief = kinds[number].brief;
    return kinds[number].name;
}

/* ---- construction ---------------------------------------------------------------------------- */

void *clv_plot_alloc(Plot *plot, size_t count, size_t size)
{
    void *workspace;

    if (GROW(plot->context, plot->owned, plot->owned_capacity, plot->owned_count + 1,
             plot->error) != OK)
        return NULL;
    workspace = clv_alloc_zero(plot->context, count ? count : 1, size);
    if (!workspace) {
        clv_fail_memory(plot->error, "a plot", count * size);
        return NULL;
    }
    plot->owned[plot->owned_count++] = workspace;
    return workspace;
}

Status clv_plot_text(Plot *plot, const char **text, const char *format, ...)
{
    char buffer[512];
    va_list values;
    char *copy;

    va_start(values, format);
    vsnprintf(buffer, sizeof buffer, format, values);
    va_end(values);
    copy = clv_plot_alloc(plot, strlen(buffer) + 1, 1);
    if (!copy)
        return CLEAVE_ERROR_MEMORY;
    memcpy(copy, buffer, strlen(buffer) + 1);
    *text = copy;
    return OK;
}

Status clv_plot_classes(Plot *plot, const Labels *labels)
{
    const char **classes = clv_plot_alloc(plot, labels->count, sizeof *classes);

    if (!classes)
        return CLEAVE_ERROR_MEMORY;
    for (uint32_t i = 0; i < labels->count; i++)
        TRY(clv_plot_text(plot, &classes[i], "%s", labels->list[i].text));
    plot->facts.classes = classes;
    plot->facts.class_count = labels->count;
    return OK;
}

Status clv_plot_panel(Plot *plot, size_t most_series, cleave_plot_panel **panel,
                      cleave_plot_series **series)
{
    cleave_plot_series *workspace = clv_plot_alloc(plot, most_series, sizeof *workspace);

    if (!workspace)
        return CLEAVE_ERROR_MEMORY;
    *panel = &plot->panel[plot->facts.panel_count++];
    **panel = (cleave_plot_panel){.title = "",
                                  .x = {.title = "", .low = NO_LIMIT, .high = NO_LIMIT},
                                  .y = {.title = "", .low = NO_LIMIT, .high = NO_LIMIT},
                                  .series = workspace};
    if (series)
        *series = workspace;
    return OK;
}

Status clv_plot_points(Plot *plot, cleave_plot_series *series, size_t count, bool bars,
                       Spots *points)
{
    double *workspace = clv_plot_alloc(plot, (bars ? 4 : 2) * (count + 1), sizeof *workspace);

    if (!workspace)
        return CLEAVE_ERROR_MEMORY;
    *points = (Spots){.x = workspace, .y = workspace + count + 1};
    if (bars) {
        points->low = workspace + 2 * (count + 1);
        points->high = workspace + 3 * (count + 1);
    }
    series->x = points->x;
    series->y = points->y;
    series->low = points->low;
    series->high = points->high;
    return OK;
}

void cleave_plot_free(cleave_plot *facts)
{
    Plot *plot = (Plot *)facts;

    if (!plot)
        return;
    clv_regions_free(plot->voronoi);
    for (size_t i = 0; i < plot->owned_count; i++)
        clv_free(plot->context, plot->owned[i]);
    FREE(plot->context, plot->owned, plot);
}

static bool takes(const Kind *kind, cleave_plot_source source)
{
    return source == CLEAVE_PLOT_OF_MODEL     ? kind->of_model != NULL
           : source == CLEAVE_PLOT_OF_DATA    ? kind->of_data != NULL
           : source == CLEAVE_PLOT_OF_NOTHING ? kind->of_nothing != NULL
                                              : kind->of_training != NULL;
}

static Status find_kind(const char *name, cleave_plot_source source, const Kind **kind,
                        cleave_error *error)
{
    const char *names[KINDS + 1] = {NULL}, *nearest;
    char quoted[QUOTE_SIZE];
    size_t count = 0;

    for (size_t i = 0; i < KINDS; i++) {
        if (!takes(&kinds[i], source))
            continue;
        *kind = &kinds[i];
        if (strcmp(kinds[i].name, name) == 0)
            return OK;
        names[count++] = kinds[i].name;
    }
    nearest = cleave_nearest_word(name, names);
    return clv_fail(error, CLEAVE_ERROR_USAGE, "unknown plot '%s' for this input%s%s%s",
                    clv_quote(quoted, name, strlen(name)), nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
}

static Status begin(const char *name, cleave_plot_source source, Context *context,
                    const cleave_options *options, Plot **plot, const Kind **kind,
                    cleave_error *error)
{
    TRY(find_kind(name, source, kind, error));
    TRY(ALLOC_ZERO(context, *plot, 1, "a plot", error));
    (*plot)->context = context;
    (*plot)->error = error;
    (*plot)->facts = (cleave_plot){
        .kind = (*kind)->name, .title = "", .remark = "", .panels = (*plot)->panel};
    return clv_params_apply(options, plot_params, &(*plot)->options, NULL, NULL, error);
}

/* Sets the default size, which depends on the content. */
static Status settle_size(Plot *plot)
{
    size_t width, height;

    TRY(clv_plot_size(plot->context, &plot->facts, &width, &height, plot->error));
    plot->facts.width = plot->options.width ? (size_t)plot->options.width : width;
    plot->facts.height = plot->options.height ? (size_t)plot->options.height : height;
    return OK;
}

static cleave_code finish(Plot *plot, Status status, cleave_plot **result)
{
    *result = NULL;
    THEN(status, settle_size(plot));
    if (status == OK) {
        plot->error = NULL;
        *result = &plot->facts;
    } else {
        cleave_plot_free((cleave_plot *)plot);
    }
    return status;
}

cleave_code cleave_plot_of_training(const char *kind, cleave_context *context, const char *method,
                                    cleave_data *data, cleave_data *valid,
                                    const cleave_options *options, const cleave_options *training,
                                    cleave_plot **result, cleave_error *error)
{
    REQUIRE(kind && context && method && data && result);
    Plot *plot = NULL;
    const Kind *found;
    Status status = begin(kind, CLEAVE_PLOT_OF_TRAINING, context, options, &plot, &found, error);

    THEN(status, found->of_training(plot, method, data, valid, training));
    return finish(plot, status, result);
}

cleave_code cleave_plot_of_model(const char *kind, const cleave_model *model, cleave_data *data,
                                 const cleave_options *options, cleave_plot **result,
                                 cleave_error *error)
{
    REQUIRE(kind && model && result);
    Plot *plot = NULL;
    const Kind *found;
    Status status = begin(kind, CLEAVE_PLOT_OF_MODEL, model->context, options, &plot, &found,
                          error);

    if (status == OK && !data && found->source == CLEAVE_PLOT_OF_MODEL)
        status = clv_fail_null(error, __func__, "data");
    THEN(status, found->of_model(plot, model, data));
    return finish(plot, status, result);
}

cleave_code cleave_plot_of_data(const char *kind, cleave_data *data, const cleave_options *options,
                                cleave_plot **result, cleave_error *error)
{
    REQUIRE(kind && data && result);
    Plot *plot = NULL;
    const Kind *found;
    Status status = begin(kind, CLEAVE_PLOT_OF_DATA, data->context, options, &plot, &found, error);

    THEN(status, found->of_data(plot, data));
    return finish(plot, status, result);
}

cleave_code cleave_plot_of_nothing(const char *kind, cleave_context *context,
                                   const cleave_options *options, cleave_plot **result,
                                   cleave_error *error)
{
    REQUIRE(kind && context && result);
    Plot *plot = NULL;
    const Kind *found;
    Status status = begin(kind, CLEAVE_PLOT_OF_NOTHING, context, options, &plot, &found, error);

    THEN(status, found->of_nothing(plot));
    return finish(plot, status, result);
}

cleave_code cleave_plot_of_active(cleave_context *context,
                                  const cleave_active_comparison *comparison,
                                  const cleave_options *options, cleave_plot **result,
                                  cleave_error *error)
{
    REQUIRE(context && comparison && result);
    Plot *plot = NULL;
    const Kind *found;
    Status status = begin("active", CLEAVE_PLOT_OF_TRAINING, context, options, &plot, &found,
                          error);

    THEN(status, clv_plot_active(plot, comparison));
    return finish(plot, status, result);
}

/* ---- drawing --------------------------------------------------------------------------------- */

uint32_t cleave_plot_color(size_t number)
{
    return clv_look_color(number);
}

cleave_code cleave_plot_draw(cleave_context *context, const cleave_plot *plot, const char *format,
                             cleave_write_callback write, void *user, cleave_error *error)
{
    REQUIRE(context && plot && format && write);
    char quoted[QUOTE_SIZE];
    Canvas *canvas;
    Status status, drawn;

    if (strcmp(format, "svg") != 0 && strcmp(format, "png") != 0 && strcmp(format, "pdf") != 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "unknown image format '%s': expected svg, pdf or png",
                        clv_quote(quoted, format, strlen(format)));
    if (plot->width < 200 || plot->height < 150 || plot->width > 20000 || plot->height > 20000)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "the image size must be from 200 x 150 to 20,000 x 20,000 pixels, not %zu x %zu",
            plot->width, plot->height);
    if (plot->frame_count > 0 && strcmp(format, "svg") == 0)
        return clv_animation_draw(context, plot, write, user, error);
    TRY(clv_canvas_open(context, format, (double)plot->width, (double)plot->height, write, user,
                        &canvas, error));
    drawn = clv_plot_draw(context, plot, canvas, error);
    status = clv_canvas_close(canvas, drawn == OK ? error : NULL);
    return drawn != OK ? drawn : status;
}
