/* Voronoi regions of the points of data, or of a model of knn: the data of `plot voronoi`. */
#include "inspect/plot.h"
#include "learn/neighbor/points.h"
#include "plot/voronoi.h"

#include <stdio.h>

/* The memory of a public structure, which is a part of this one. */
typedef struct {
    cleave_voronoi facts;
    Context *context;
    float *xy;
    uint32_t *class_of;
    uint64_t *row_of;
    size_t count, xy_capacity, class_capacity, row_capacity;
    Labels labels;
    Voronoi voronoi;
    cleave_region *region;
    cleave_border *border;
    const char **label;
} Drawn;

void clv_regions_free(cleave_voronoi *voronoi)
{
    Drawn *drawn = (Drawn *)voronoi;
    Context *context;

    if (!drawn)
        return;
    context = drawn->context;
    clv_voronoi_free(&drawn->voronoi);
    clv_labels_free(&drawn->labels);
    FREE(context, drawn->xy, drawn->class_of, drawn->row_of, drawn->region, drawn->border,
         drawn->label, drawn);
}

/* ---- points ---------------------------------------------------------------------------------- */

static Status add_point(Drawn *drawn, const float xy[2], uint32_t label, uint64_t row,
                        cleave_error *error)
{
    const size_t most = UINT32_MAX / 8;
    size_t at = drawn->count;

    if (!isfinite(xy[0]) || !isfinite(xy[1]))
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "row %llu: expected two finite numbers, found %g and %g",
                        (unsigned long long)row + 1, (double)xy[0], (double)xy[1]);
    if (at == most)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the plot supports at most %zu points", most);
    TRY(GROW(drawn->context, drawn->xy, drawn->xy_capacity, 2 * at + 2, error));
    TRY(GROW(drawn->context, drawn->class_of, drawn->class_capacity, at + 1, error));
    TRY(GROW(drawn->context, drawn->row_of, drawn->row_capacity, at + 1, error));
    memcpy(drawn->xy + 2 * at, xy, 2 * sizeof *xy);
    drawn->class_of[at] = label;
    drawn->row_of[at] = row;
    drawn->count++;
    return OK;
}

static Status refuse_width(const char *name, uint32_t features, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "use 'cleave convert --transform pca:components=2' to project the data to two columns",
        "%s: expected 2 numeric columns, found %u", name, features);
}

static Status take_block(Drawn *drawn, const Block *block, cleave_error *error)
{
    for (uint32_t row = 0; row < block->rows; row++) {
        float xy[2] = {0, 0};

        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            if (walk.column < 2)
                xy[walk.column] = walk.value;
        TRY(add_point(drawn, xy,
                      block->target_form == TARGETS_LABELS ? block_label(block, row) : UNLABELED,
                      block_row_number(block, row), error));
    }
    return OK;
}

static Status take_data(Drawn *drawn, cleave_data *data, cleave_error *error)
{
    Dataset *dataset;

    TRY(clv_data_dataset(data, &dataset, error));
    if (dataset->features != 2)
        return refuse_width(clv_data_name(data), dataset->features, error);
    TRY(clv_labels_copy(&drawn->labels, &dataset->labels, error));
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, error));
        TRY(take_block(drawn, &block, error));
    }
    return OK;
}

/* Takes the points that are not removed. */
static Status take_vectors(Drawn *drawn, const Points *points, const BundleItem *gone,
                           cleave_error *error)
{
    const Vectors *vectors = &points->vectors;

    for (uint32_t row = 0; row < vectors->count; row++) {
        float xy[2] = {0, 0};

        if (gone && row_bit(gone->data, row))
            continue;
        if (vectors->dense)
            memcpy(xy, dense_row(vectors, row), sizeof xy);
        else
            spread_row(vectors, row, xy);
        TRY(add_point(drawn, xy, points->label ? points->label[row] : UNLABELED,
                      point_row(points, row), error));
    }
    return OK;
}

static Status take_model(Drawn *drawn, const Model *model, cleave_error *error)
{
    Points points;

    if (!METHOD_HAS(model->method, distributed, find_neighbors) ||
        !clv_points_of_model(model, &points))
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "use a knn model, or data",
            "Voronoi regions require stored training points, and a model of '%s' has none",
            model->method->name);
    if (model->features != 2)
        return refuse_width("the model", model->features, error);
    if (points.options.distance != EUCLIDEAN)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "train the model without --distance",
            "Voronoi regions require the Euclidean distance, and the distance of the model is '%s'",
            clv_distances[points.options.distance]);
    TRY(clv_labels_copy(&drawn->labels, &model->labels, error));
    return take_vectors(drawn, &points, clv_bundle_get(model->bundle, "index_gone", BUNDLE_U64),
                        error);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* The bounding box of all points with a margin, extended to the aspect ratio of the plot: both axes
 * have the same unit. */
static VoronoiBox box_of(const Drawn *drawn, double width, double height)
{
    const double margin = 0.06, around[2] = {80, 68}, legend = 132;
    double low[2], high[2],
        size[2] = {width - around[0] - (drawn->labels.count ? legend : 0), height - around[1]};
    double unit;

    for (size_t i = 0; i < 2; i++) {
        low[i] = high[i] = (double)drawn->xy[i];
        for (size_t j = 1; j < drawn->count; j++) {
            low[i] = fmin(low[i], (double)drawn->xy[2 * j + i]);
            high[i] = fmax(high[i], (double)drawn->xy[2 * j + i]);
        }
        size[i] = fmax(size[i], 20);
    }
    /* size of a pixel */
    unit = fmax((high[0] - low[0]) / size[0], (high[1] - low[1]) / size[1]) * (1 + 2 * margin);
    if (unit == 0)
        unit = fmax(fmax(fabs(low[0]), fabs(low[1])), 1) / size[0];
    for (int i = 0; i < 2; i++) {
        double middle = low[i] + (high[i] - low[i]) / 2;

        low[i] = middle - unit * size[i] / 2;
        high[i] = middle + unit * size[i] / 2;
    }
    return (VoronoiBox){low[0], low[1], high[0], high[1]};
}

static Status name_labels(Drawn *drawn, cleave_error *error)
{
    TRY(ALLOC(drawn->context, drawn->label, (size_t)drawn->labels.count + 1, "labels", error));
    for (uint32_t i = 0; i < drawn->labels.count; i++)
        drawn->label[i] = drawn->labels.list[i].text;
    for (size_t i = 0; i < drawn->count; i++)
        if (drawn->class_of[i] > drawn->labels.count)
            drawn->class_of[i] = drawn->labels.count;
    return OK;
}

static size_t label_of(const Drawn *drawn, uint32_t site)
{
    uint32_t label = drawn->class_of[drawn->voronoi.point[site]];

    return label < drawn->labels.count ? label : SIZE_MAX;
}

static Status tell(Drawn *drawn, cleave_error *error)
{
    const Voronoi *voronoi = &drawn->voronoi;

    drawn->region = clv_alloc(drawn->context, voronoi->sites, sizeof *drawn->region);
    drawn->border = clv_alloc(drawn->context, voronoi->borders + 1, sizeof *drawn->border);
    if (!drawn->region || !drawn->border)
        return clv_fail_memory(error, "regions", voronoi->sites * sizeof *drawn->region);
    for (uint32_t i = 0; i < voronoi->sites; i++) {
        size_t first = i ? voronoi->end[i - 1] : 0;

        drawn->region[i] = (cleave_region){.x = voronoi->site[i].x,
                                           .y = voronoi->site[i].y,
                                           .row = drawn->row_of[voronoi->point[i]],
                                           .label = label_of(drawn, i),
                                           .first_corner = first,
                                           .corner_count = voronoi->end[i] - first};
    }
    for (size_t i = 0; i < voronoi->borders; i++) {
        const struct Border *border = &voronoi->border[i];

        drawn->border[i] = (cleave_border){.regions = {border->site[0], border->site[1]},
                                           .from = {border->from.x, border->from.y},
                                           .to = {border->to.x, border->to.y},
                                           .between_classes = label_of(drawn, border->site[0]) !=
                                                              label_of(drawn, border->site[1])};
    }
    drawn->facts = (cleave_voronoi){
        .box = {voronoi->box.left, voronoi->box.bottom, voronoi->box.right, voronoi->box.top},
        .point_count = drawn->count,
        .label_count = drawn->labels.count,
        .labels = drawn->label,
        .region_count = voronoi->sites,
        .regions = drawn->region,
        .corner_count = voronoi->corners,
        .corners = (const cleave_plane_point *)voronoi->corner,
        .border_count = voronoi->borders,
        .borders = drawn->border};
    return OK;
}

static Status make(Drawn *drawn, const Plot *plot, const Model *model, cleave_data *data)
{
    cleave_error *error = plot->error;
    VoronoiBox box;

    TRY(model ? take_model(drawn, model, error) : take_data(drawn, data, error));
    if (drawn->count == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: the data has no rows",
                        model ? "the model" : clv_data_name(data));
    TRY(name_labels(drawn, error));
    box = box_of(drawn, plot->options.width ? (double)plot->options.width : 800,
                 plot->options.height ? (double)plot->options.height : 600);
    TRY(clv_voronoi(&drawn->voronoi, drawn->context, drawn->xy, (uint32_t)drawn->count, &box,
                    error));
    return tell(drawn, error);
}

Status clv_regions(Plot *plot, const Model *model, cleave_data *data)
{
    Drawn *drawn;

    TRY(ALLOC_ZERO(plot->context, drawn, 1, "regions", plot->error));
    drawn->context = plot->context;
    clv_labels_init(&drawn->labels, plot->context);
    plot->voronoi = &drawn->facts;
    return make(drawn, plot, model, data);
}
