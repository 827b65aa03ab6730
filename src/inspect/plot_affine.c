/* Decision regions of affine scores, without a grid: the region of a class is the box cut by a
 * half-plane for each other class. In binary classification, margin lines and the slack of each
 * point are drawn as in Figures 12.14 to 12.16 of Leskovec, Rajaraman and Ullman (Mining of Massive
 * Datasets). */
#include "inspect/plot_regions.h"

enum { MOST_CLASSES = 64 };
static const double TOLERANCE = 1e-5, TOUCHES = 1e-9, LEAST_SLACK = 1e-3;

static double score_at(const AffineScore *plane, double x, double y)
{
    return plane->x * x + plane->y * y + plane->constant;
}

/* ---- fitting --------------------------------------------------------------------------------- */

typedef struct {
    RegionPlot *drawn;
    double at[3][2]; /* three corners of the box, as the 32-bit numbers that the model receives */
    double *scores;  /* of each corner */
} Corners;

static void place_corner(const void *user, size_t place, double at[2])
{
    memcpy(at, ((const Corners *)user)->at[place], 2 * sizeof *at);
}

static void visit_corner(void *user, size_t place, uint32_t row)
{
    Corners *corners = user;
    size_t outputs = outputs_of(corners->drawn->model->labels.count);

    memcpy(corners->scores + place * outputs, clv_region_scores(corners->drawn, row),
           outputs * sizeof *corners->scores);
}

static AffineScore fit_plane(const Corners *corners, size_t outputs, size_t output)
{
    const double *scores = corners->scores + output;
    AffineScore plane = {
        .x = (scores[outputs] - scores[0]) / (corners->at[1][0] - corners->at[0][0]),
        .y = (scores[2 * outputs] - scores[0]) / (corners->at[2][1] - corners->at[0][1])};

    plane.constant = scores[0] - plane.x * corners->at[0][0] - plane.y * corners->at[0][1];
    return plane;
}

Status clv_affine_begin(RegionPlot *drawn, bool *possible)
{
    const Model *model = drawn->model;
    const double *box = drawn->box;
    size_t classes = model->labels.count, outputs = outputs_of(model->labels.count);
    Corners corners = {.drawn = drawn,
                       .at = {{(double)(float)box[0], (double)(float)box[1]},
                              {(double)(float)box[2], (double)(float)box[1]},
                              {(double)(float)box[0], (double)(float)box[3]}}};
    Status status;

    *possible = classes >= 2 && classes <= MOST_CLASSES && !model->method->inference->abstains &&
                corners.at[0][0] < corners.at[1][0] && corners.at[0][1] < corners.at[2][1];
    if (!*possible)
        return OK;
    TRY(ALLOC(drawn->plot->context, drawn->plane, classes, "a plot", drawn->plot->error));
    TRY(ALLOC(drawn->plot->context, corners.scores, 3 * outputs, "a plot", drawn->plot->error));
    status = clv_region_places(drawn, 3, place_corner, visit_corner, &corners);
    for (size_t i = 0; i < outputs && status == OK; i++)
        drawn->plane[outputs == 1 ? model->positive : i] = fit_plane(&corners, outputs, i);
    if (status == OK && outputs == 1) {
        const AffineScore *plane = &drawn->plane[model->positive];

        drawn->plane[1 - model->positive] = (AffineScore){-plane->x, -plane->y, -plane->constant};
    }
    clv_free(drawn->plot->context, corners.scores);
    return status;
}

bool clv_affine_fits(const RegionPlot *drawn, const double at[2], const double *scores)
{
    size_t outputs = outputs_of(drawn->model->labels.count);
    double x = (double)(float)at[0], y = (double)(float)at[1];

    for (size_t i = 0; i < outputs; i++) {
        const AffineScore *plane = &drawn->plane[outputs == 1 ? drawn->model->positive : i];
        double size = fabs(plane->x) * (drawn->box[2] - drawn->box[0]) +
                      fabs(plane->y) * (drawn->box[3] - drawn->box[1]) +
                      fabs(score_at(plane, drawn->box[0], drawn->box[1]));

        if (!(fabs(scores[i] - score_at(plane, x, y)) <= TOLERANCE * size))
            return false;
    }
    return true;
}

/* ---- regions --------------------------------------------------------------------------------- */

typedef struct {
    RegionPlot *drawn;
    Polygon polygon;
    cleave_voronoi *regions;
    cleave_region *region;
    cleave_plane_point *corner;
    size_t corner_capacity;
    Spot *ends; /* of boundaries */
    size_t end_count, end_capacity;
} ExactRegions;

static bool is_same(const AffineScore *a, const AffineScore *b)
{
    return a->x == b->x && a->y == b->y && a->constant == b->constant;
}

/* Cuts the polygon of a class to the places where no other class has a larger score, or, at equal
 * scores, an earlier number. */
static Status cut_region(ExactRegions *exact, size_t label)
{
    const RegionPlot *drawn = exact->drawn;
    const AffineScore *own = &drawn->plane[label];

    TRY(clv_polygon_box(&exact->polygon, drawn->box, drawn->plot->error));
    for (size_t i = 0; i < drawn->model->labels.count; i++) {
        const AffineScore *other = &drawn->plane[i];

        if (i < label && is_same(own, other))
            exact->polygon.count = 0;
        if (i != label)
            TRY(clv_polygon_cut(&exact->polygon, other->x - own->x, other->y - own->y,
                                own->constant - other->constant, drawn->plot->error));
    }
    return OK;
}

static Status keep_region(ExactRegions *exact, size_t label)
{
    const Polygon *polygon = &exact->polygon;
    cleave_region *region = &exact->region[exact->regions->region_count];

    if (polygon->count < 3)
        return OK;
    TRY(GROW(exact->drawn->plot->context, exact->corner, exact->corner_capacity,
             exact->regions->corner_count + polygon->count, exact->drawn->plot->error));
    *region = (cleave_region){.label = label,
                              .first_corner = exact->regions->corner_count,
                              .corner_count = polygon->count};
    for (size_t i = 0; i < polygon->count; i++) {
        region->x += polygon->corner[i].x / (double)polygon->count;
        region->y += polygon->corner[i].y / (double)polygon->count;
        exact->corner[exact->regions->corner_count++] = (cleave_plane_point){polygon->corner[i].x,
                                                                             polygon->corner[i].y};
    }
    exact->regions->region_count++;
    return OK;
}

/* The difference of two scores is 0 at a place, up to rounding. */
static bool touches(const RegionPlot *drawn, size_t a, size_t b, Spot at)
{
    const AffineScore *one = &drawn->plane[a], *two = &drawn->plane[b];
    double x = one->x - two->x, y = one->y - two->y, constant = one->constant - two->constant;

    return fabs(x * at.x + y * at.y + constant) <=
           TOUCHES * (fabs(x * at.x) + fabs(y * at.y) + fabs(constant));
}

/* The sides of the polygon of a class where another class of a larger number has the same score. */
static Status keep_boundaries(ExactRegions *exact, size_t label)
{
    const RegionPlot *drawn = exact->drawn;
    const Polygon *polygon = &exact->polygon;

    for (size_t i = 0; i < polygon->count; i++) {
        Spot from = polygon->corner[i], to = polygon->corner[(i + 1) % polygon->count];

        for (size_t j = label + 1; j < drawn->model->labels.count; j++) {
            if (!touches(drawn, label, j, from) || !touches(drawn, label, j, to))
                continue;
            TRY(GROW(drawn->plot->context, exact->ends, exact->end_capacity, exact->end_count + 2,
                     drawn->plot->error));
            exact->ends[exact->end_count++] = from;
            exact->ends[exact->end_count++] = to;
            break;
        }
    }
    return OK;
}

static Status find_regions(ExactRegions *exact)
{
    RegionPlot *drawn = exact->drawn;
    Plot *plot = drawn->plot;
    cleave_plane_point *corners;

    exact->regions = clv_plot_alloc(plot, 1, sizeof *exact->regions);
    exact->region = clv_plot_alloc(plot, drawn->model->labels.count, sizeof *exact->region);
    if (!exact->regions || !exact->region)
        return CLEAVE_ERROR_MEMORY;
    for (size_t label = 0; label < drawn->model->labels.count; label++) {
        TRY(cut_region(exact, label));
        TRY(keep_region(exact, label));
        TRY(keep_boundaries(exact, label));
    }
    corners = clv_plot_alloc(plot, exact->regions->corner_count, sizeof *corners);
    if (!corners)
        return CLEAVE_ERROR_MEMORY;
    memcpy(corners, exact->corner, exact->regions->corner_count * sizeof *corners);
    memcpy(exact->regions->box, drawn->box, sizeof drawn->box);
    exact->regions->labels = plot->facts.classes;
    exact->regions->label_count = plot->facts.class_count;
    exact->regions->regions = exact->region;
    exact->regions->corners = corners;
    drawn->panel->regions = exact->regions;
    return clv_region_pairs(drawn, BOUNDARY_NAME, exact->ends, exact->end_count, false);
}

/* ---- margin ---------------------------------------------------------------------------------- */

/* The score of the margin lines: 1 for support vector machines; otherwise that of the nearest
 * point, if all are classified correctly. 0: no margin. */
static double find_margin(RegionPlot *drawn)
{
    const AffineScore *plane = &drawn->plane[drawn->model->positive];
    double length = hypot(plane->x, plane->y), score = 0;

    if (drawn->model->labels.count != 2 || !(length > 0))
        return 0;
    if (clv_region_has_margin(drawn->model))
        score = 1;
    else if (drawn->wrong == 0 && isfinite(drawn->least) && drawn->least > 0)
        score = drawn->least;
    drawn->margin = score / length;
    return score;
}

/* Extends the box so that both margin lines cross it, by at most its longer side. */
static void show_margin(RegionPlot *drawn, double score)
{
    const AffineScore *plane = &drawn->plane[drawn->model->positive];
    double *box = drawn->box, most = 0, longer = fmax(box[2] - box[0], box[3] - box[1]);

    for (int side = -1; side <= 1; side += 2) {
        double largest = -INFINITY;

        for (int i = 0; i < 4; i++)
            largest = fmax(largest, side * score_at(plane, box[i & 1 ? 2 : 0], box[i & 2 ? 3 : 1]));
        most = fmax(most, (1.1 * score - largest) / (fabs(plane->x) + fabs(plane->y)));
    }
    for (int i = 0; i < 4 && most > 0; i++)
        box[i] += (i < 2 ? -1 : 1) * fmin(most, longer);
}

/* The part of the line with this score that is within the box. */
static Status add_margin_line(ExactRegions *exact, double score, const char *name)
{
    const RegionPlot *drawn = exact->drawn;
    const AffineScore *plane = &drawn->plane[drawn->model->positive];
    Polygon *polygon = &exact->polygon;
    double size = fabs(plane->constant - score);

    TRY(clv_polygon_box(polygon, drawn->box, drawn->plot->error));
    TRY(clv_polygon_cut(polygon, plane->x, plane->y, score - plane->constant, drawn->plot->error));
    for (size_t i = 0; i < polygon->count; i++) {
        Spot ends[2] = {polygon->corner[i], polygon->corner[(i + 1) % polygon->count]};
        bool on = true;

        for (int k = 0; k < 2; k++)
            on &= fabs(score_at(plane, ends[k].x, ends[k].y) - score) <=
                  TOUCHES * (fabs(plane->x * ends[k].x) + fabs(plane->y * ends[k].y) + size);
        if (on)
            return clv_region_pairs(exact->drawn, name, ends, 2, true);
    }
    return OK;
}

/* An arrow for each point with slack, from the margin line of its class. */
static Status add_slack(RegionPlot *drawn)
{
    const AffineScore *plane = &drawn->plane[drawn->model->positive];
    double squared = plane->x * plane->x + plane->y * plane->y;
    cleave_plot_series *series = &drawn->series[drawn->panel->series_count];
    Spots ends;

    *series = (cleave_plot_series){.name = "slack", .style = CLEAVE_PLOT_ARROWS, .look = INK_LOOK};
    TRY(clv_plot_points(drawn->plot, series, 2 * drawn->count, false, &ends));
    for (size_t i = 0; i < drawn->count; i++) {
        const RegionPoint *point = &drawn->points[i];
        double sign = clv_region_sign(drawn, point), missing = sign - point->score;

        if (sign == 0 || sign * missing <= LEAST_SLACK)
            continue;
        ends.x[series->count] = point->x + missing * plane->x / squared;
        ends.y[series->count++] = point->y + missing * plane->y / squared;
        ends.x[series->count] = point->x;
        ends.y[series->count++] = point->y;
    }
    drawn->panel->series_count += series->count > 0;
    return OK;
}

static Status draw(ExactRegions *exact)
{
    RegionPlot *drawn = exact->drawn;
    double score = find_margin(drawn);
    bool fixed = clv_region_has_margin(drawn->model);

    if (score > 0)
        show_margin(drawn, score);
    TRY(find_regions(exact));
    if (!(score > 0))
        return OK;
    TRY(add_margin_line(exact, score,
                        fixed ? "margin: score -1 and +1" : "margin: through the nearest point"));
    TRY(add_margin_line(exact, -score, NULL));
    return fixed ? add_slack(drawn) : OK;
}

Status clv_affine_draw(RegionPlot *drawn)
{
    ExactRegions exact = {.drawn = drawn, .polygon = {.context = drawn->plot->context}};
    Status status = draw(&exact);

    clv_polygon_free(&exact.polygon);
    FREE(drawn->plot->context, exact.corner, exact.ends);
    return status;
}
