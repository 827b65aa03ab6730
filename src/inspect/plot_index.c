/* The search structure of a nearest-neighbor model. Trees over two columns: the boxes of their
 * nodes, and those that a query must visit. Locality-sensitive hashing: the probability that two
 * points share a bucket, by the probability that one hash function agrees (the S-curve of Leskovec,
 * Rajaraman and Ullman, Section 3.4). */
#include "inspect/plot.h"
#include "learn/neighbor/index_boxes.h"
#include "learn/neighbor/points.h"

#include <stdlib.h>

enum { INK = 6, GRAY_LOOK = 7, CURVE_SPOTS = 201, MOST_LEVELS = 8 };

typedef struct {
    Plot *plot;
    const Model *model;
    Points points;
    IndexBox *box;
    size_t count;
    double query[2], reach; /* reach: distance of the k-th neighbor */
    uint32_t k;
    cleave_plot_panel *panel;
    cleave_plot_series *series;
} IndexPlot;

static cleave_plot_series *next(IndexPlot *drawn)
{
    return &drawn->series[drawn->panel->series_count];
}

/* ---- points ---------------------------------------------------------------------------------- */

static void place_of(const Points *points, uint32_t row, double at[2])
{
    const Vectors *vectors = &points->vectors;

    at[0] = at[1] = 0;
    if (vectors->dense) {
        at[0] = (double)dense_row(vectors, row)[0];
        at[1] = (double)dense_row(vectors, row)[1];
        return;
    }
    for (uint64_t i = sparse_start(vectors, row); i < vectors->end[row]; i++)
        at[vectors->column[i]] = (double)vectors->value[i];
}

static bool has_class(const IndexPlot *drawn, uint32_t row, uint32_t label)
{
    uint32_t own = drawn->points.label ? drawn->points.label[row] : UNLABELED;
    uint32_t classes = drawn->model->labels.count;

    return label < classes ? own == label : own >= classes;
}

/* Points of a class; with the number of classes, of none. */
static Status add_class(IndexPlot *drawn, uint32_t label)
{
    const Points *points = &drawn->points;
    cleave_plot_series *series = next(drawn);
    bool known = label < drawn->model->labels.count;
    size_t count = 0;
    Spots spots;

    for (uint32_t row = 0; row < points->vectors.count; row++)
        count += has_class(drawn, row, label);
    if (count == 0)
        return OK;
    *series = (cleave_plot_series){.style = CLEAVE_PLOT_MARKS,
                                   .look = known ? label : (uint32_t)GRAY_LOOK,
                                   .name = known ? drawn->plot->facts.classes[label] : "points"};
    TRY(clv_plot_points(drawn->plot, series, count, false, &spots));
    for (uint32_t row = 0; row < points->vectors.count; row++) {
        double at[2];

        if (!has_class(drawn, row, label))
            continue;
        place_of(points, row, at);
        spots.x[series->count] = at[0];
        spots.y[series->count++] = at[1];
    }
    drawn->panel->series_count++;
    return OK;
}

/* ---- the query ------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;

    return (one > two) - (one < two);
}

static Status find_reach(IndexPlot *drawn)
{
    uint32_t count = drawn->points.vectors.count;
    double *distance;

    drawn->k = clv_neighbor_count(&drawn->points.options, count);
    TRY(clv_plot_place(drawn->plot, drawn->query));
    TRY(ALLOC(drawn->plot->context, distance, (size_t)count + 1, "distances", drawn->plot->error));
    for (uint32_t row = 0; row < count; row++) {
        double at[2];

        place_of(&drawn->points, row, at);
        distance[row] = hypot(at[0] - drawn->query[0], at[1] - drawn->query[1]);
    }
    qsort(distance, count, sizeof *distance, by_size);
    drawn->reach = drawn->k ? distance[drawn->k - 1] : 0;
    clv_free(drawn->plot->context, distance);
    return OK;
}

/* No exact search can leave out a box nearer than the k-th neighbor. */
static bool is_visited(const IndexPlot *drawn, const IndexBox *box)
{
    double off[2];

    if (!drawn->plot->options.query)
        return false;
    for (int i = 0; i < 2; i++)
        off[i] = fmax(0, fmax(box->side[i] - drawn->query[i], drawn->query[i] - box->side[i + 2]));
    return hypot(off[0], off[1]) <= drawn->reach;
}

static Status add_query(IndexPlot *drawn)
{
    cleave_plot_series *series = next(drawn);
    Spots spots;

    series[0] = (cleave_plot_series){
        .name = "query", .style = CLEAVE_PLOT_MARKS, .look = INK, .count = 1};
    series[1] = (cleave_plot_series){
        .name = "nearest point", .style = CLEAVE_PLOT_RINGS, .look = INK};
    TRY(clv_plot_points(drawn->plot, &series[0], 1, false, &spots));
    spots.x[0] = drawn->query[0];
    spots.y[0] = drawn->query[1];
    TRY(clv_plot_points(drawn->plot, &series[1], drawn->points.vectors.count, false, &spots));
    for (uint32_t row = 0; row < drawn->points.vectors.count; row++) {
        double at[2];

        place_of(&drawn->points, row, at);
        if (hypot(at[0] - drawn->query[0], at[1] - drawn->query[1]) > drawn->reach)
            continue;
        spots.x[series[1].count] = at[0];
        spots.y[series[1].count++] = at[1];
    }
    drawn->panel->series_count += 2;
    return OK;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

typedef struct {
    bool leaf, visited;
    const char *name;
    cleave_plot_style style;
    size_t look;
} BoxLook;

static Status add_boxes(IndexPlot *drawn, const BoxLook *look)
{
    cleave_plot_series *series = next(drawn);
    Spots ends;

    *series = (cleave_plot_series){.name = look->name, .style = look->style, .look = look->look};
    TRY(clv_plot_points(drawn->plot, series, 8 * drawn->count, false, &ends));
    for (size_t i = 0; i < drawn->count; i++) {
        const IndexBox *box = &drawn->box[i];

        if (box->leaf != look->leaf || is_visited(drawn, box) != look->visited)
            continue;
        for (int side = 0; side < 4; side++)
            for (int end = 0; end < 2; end++) {
                int corner = (side + end) % 4;

                ends.x[series->count] = box->side[corner == 1 || corner == 2 ? 2 : 0];
                ends.y[series->count++] = box->side[corner >= 2 ? 3 : 1];
            }
    }
    drawn->panel->series_count += series->count > 0;
    return OK;
}

/* A square around the box of the root, to fill the picture. */
static void set_axes(IndexPlot *drawn)
{
    const double *root = drawn->box[0].side;
    double side = 1.1 * fmax(root[2] - root[0], root[3] - root[1]);
    cleave_plot_axis *axes[2] = {&drawn->panel->x, &drawn->panel->y};

    for (int i = 0; i < 2; i++) {
        axes[i]->low = (root[i] + root[i + 2] - side) / 2;
        axes[i]->high = (root[i] + root[i + 2] + side) / 2;
    }
    drawn->panel->same_unit = true;
}

static Status draw_tree(IndexPlot *drawn)
{
    static const BoxLook looks[] = {
        {false, false, "inner node", CLEAVE_PLOT_DASHES, GRAY_LOOK},
        {false, true, "inner node, visited by the query", CLEAVE_PLOT_DASHES, INK},
        {true, false, "leaf", CLEAVE_PLOT_SEGMENTS, GRAY_LOOK},
        {true, true, "leaf, visited by the query", CLEAVE_PLOT_SEGMENTS, INK},
    };
    Plot *plot = drawn->plot;
    const char *name = drawn->points.index->kind->name;
    size_t leaves = 0, visited = 0;

    if (drawn->model->features != 2)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "plot 'index' draws trees over 2 columns, and the model has %u",
                        drawn->model->features);
    if (plot->options.query && drawn->points.options.distance != EUCLIDEAN)
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "--query requires the Euclidean distance, and the model has '%s'",
                        clv_distances[drawn->points.options.distance]);
    TRY(clv_plot_classes(plot, &drawn->model->labels));
    TRY(clv_plot_panel(plot, (size_t)drawn->model->labels.count + 8, &drawn->panel,
                       &drawn->series));
    set_axes(drawn);
    if (plot->options.query)
        TRY(find_reach(drawn));
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        TRY(add_boxes(drawn, &looks[i]));
    for (uint32_t label = 0; label <= drawn->model->labels.count; label++)
        TRY(add_class(drawn, label));
    if (plot->options.query)
        TRY(add_query(drawn));
    for (uint32_t i = 0; i < 2; i++) {
        char buffer[24];

        TRY(clv_plot_text(plot, i ? &drawn->panel->y.title : &drawn->panel->x.title, "%s%s",
                          drawn->model->names.implicit ? "feature " : "",
                          clv_names_get(&drawn->model->names, i, buffer)));
    }
    for (size_t i = 0; i < drawn->count; i++) {
        leaves += drawn->box[i].leaf;
        visited += drawn->box[i].leaf && is_visited(drawn, &drawn->box[i]);
    }
    TRY(clv_plot_text(plot, &plot->facts.title, "Boxes of the index %s", name));
    TRY(clv_plot_text(plot, &plot->facts.remark, "%u points, %zu leaves",
                      drawn->points.vectors.count, leaves));
    return plot->options.query ? clv_plot_text(plot, &plot->facts.remark,
                                               "%s; %zu %s within the distance of the nearest %u",
                                               plot->facts.remark, visited,
                                               visited == 1 ? "leaf is" : "leaves are", drawn->k)
                               : OK;
}

/* ---- S-curve --------------------------------------------------------------------------------- */

/* The probability of a common bucket, if one hash function agrees with probability p. */
static double found(const IndexLevel *level, double p)
{
    double q = pow(p, level->hashes), none = pow(1 - q, level->signatures);

    return level->pairs ? 1 - none - level->signatures * q * pow(1 - q, level->signatures - 1.0)
                        : 1 - none;
}

static Status draw_curves(IndexPlot *drawn)
{
    Plot *plot = drawn->plot;
    IndexLevel level;

    TRY(clv_plot_panel(plot, MOST_LEVELS, &drawn->panel, &drawn->series));
    drawn->panel->x = (cleave_plot_axis){
        .title = "probability that one hash function agrees", .low = 0, .high = 1};
    drawn->panel->y = (cleave_plot_axis){
        .title = "probability of a common bucket", .low = 0, .high = 1};
    for (uint32_t i = 0; i < MOST_LEVELS && clv_index_level(drawn->points.index, i, &level); i++) {
        cleave_plot_series *series = next(drawn);
        char radius[NUMBER_SIZE];
        Spots spots;

        clv_format_rounded(radius, level.radius, 4);
        *series = (cleave_plot_series){.style = CLEAVE_PLOT_LINE, .look = i};
        TRY(clv_plot_text(plot, &series->name, "radius %s: %u %s of %u", radius, level.signatures,
                          level.pairs ? "signatures, in pairs," : "signatures", level.hashes));
        TRY(clv_plot_points(plot, series, CURVE_SPOTS, false, &spots));
        for (size_t k = 0; k < CURVE_SPOTS; k++) {
            spots.x[k] = (double)k / (CURVE_SPOTS - 1);
            spots.y[k] = found(&level, spots.x[k]);
        }
        series->count = CURVE_SPOTS;
        drawn->panel->series_count++;
    }
    plot->facts.title = "S-curve of locality-sensitive hashing";
    return clv_plot_text(plot, &plot->facts.remark, "%u points, %zu radii",
                         drawn->points.vectors.count, drawn->panel->series_count);
}

static Status draw(IndexPlot *drawn)
{
    IndexLevel level;

    if (clv_index_level(drawn->points.index, 0, &level))
        return draw_curves(drawn);
    TRY(clv_index_boxes(drawn->points.index, &drawn->box, &drawn->count, drawn->plot->error));
    if (drawn->count > 0)
        return draw_tree(drawn);
    return clv_fail_hint(drawn->plot->error, CLEAVE_ERROR_USAGE,
                         "train with --index kdtree, quadtree, rtree or lsh; --leaf N sets the "
                         "points of a leaf",
                         "the index '%s' of %u points has no boxes to draw",
                         drawn->points.index->kind->name, drawn->points.vectors.count);
}

Status clv_plot_index(Plot *plot, const Model *model, cleave_data *data)
{
    IndexPlot drawn = {.plot = plot, .model = model};
    Status status;

    (void)data;
    if (!METHOD_HAS(model->method, distributed, find_neighbors))
        return clv_fail_hint(
            plot->error, CLEAVE_ERROR_USAGE,
            "create one with 'cleave index' or 'cleave train knn', with --index kdtree or lsh",
            "plot 'index' requires a nearest-neighbor model, and this model is of '%s'",
            model->method->name);
    TRY(clv_points_open(model, &drawn.points, plot->error));
    status = draw(&drawn);
    clv_free(drawn.points.index->context, drawn.box);
    clv_points_close(&drawn.points);
    return status;
}
