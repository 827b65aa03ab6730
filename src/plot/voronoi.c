#include "plot/voronoi.h"

#include "plot/delaunay.h"
#include "plot/predicates.h"

#include <math.h>

typedef struct {
    Voronoi *voronoi;
    Delaunay delaunay;
    Spot *center;      /* circumcenter of the triangle to the left of each edge */
    bool *is_triangle; /* whether it exists */
    Polygon polygon;   /* the region in work */
    cleave_error *error;
} Drawing;

static Spot spot_of(const Delaunay *delaunay, uint32_t site)
{
    return (Spot){(double)delaunay->at[2 * (size_t)site],
                  (double)delaunay->at[2 * (size_t)site + 1]};
}

/* ---- circumcenters --------------------------------------------------------------------------- */

static double squared(const Delaunay *delaunay, uint32_t a, uint32_t b)
{
    Spot p = spot_of(delaunay, a), q = spot_of(delaunay, b);

    return (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
}

/* The circumcenter of three sites. The divisor, twice the area, has the right sign even if it is
 * tiny. Coordinates are relative to the corner opposite the longest side, which minimizes rounding
 * errors. */
static Spot circumcenter(const Delaunay *delaunay, uint32_t site[3])
{
    const float *at = delaunay->at;
    double across[3] = {squared(delaunay, site[1], site[2]), squared(delaunay, site[2], site[0]),
                        squared(delaunay, site[0], site[1])};
    int first = across[0] >= across[1] ? (across[0] >= across[2] ? 0 : 2)
                                       : (across[1] >= across[2] ? 1 : 2);
    Spot a = spot_of(delaunay, site[first]), b = spot_of(delaunay, site[(first + 1) % 3]),
         c = spot_of(delaunay, site[(first + 2) % 3]);
    double turn = clv_turn(at + 2 * (size_t)site[0], at + 2 * (size_t)site[1],
                           at + 2 * (size_t)site[2]);
    double bb, cc;

    b = (Spot){b.x - a.x, b.y - a.y};
    c = (Spot){c.x - a.x, c.y - a.y};
    bb = b.x * b.x + b.y * b.y;
    cc = c.x * c.x + c.y * c.y;
    return (Spot){a.x + (c.y * bb - b.y * cc) / (2 * turn),
                  a.y + (b.x * cc - c.x * bb) / (2 * turn)};
}

static Status find_center_choices(Drawing *drawing)
{
    const Delaunay *delaunay = &drawing->delaunay;
    Context *context = drawing->voronoi->context;

    drawing->center = clv_alloc(context, (size_t)delaunay->edges + 1, sizeof *drawing->center);
    drawing->is_triangle = clv_alloc_zero(context, (size_t)delaunay->edges + 1,
                                          sizeof *drawing->is_triangle);
    if (!drawing->center || !drawing->is_triangle)
        return clv_fail_memory(drawing->error, "regions",
                               delaunay->edges * sizeof *drawing->center);
    for (uint32_t i = 0; i < delaunay->edges; i++) {
        uint32_t edge[3] = {i};
        Spot center;

        if (delaunay->origin[i] == NO_EDGE || drawing->is_triangle[i] ||
            !clv_delaunay_is_triangle(delaunay, i))
            continue;
        edge[1] = edge_around(delaunay, i);
        edge[2] = edge_around(delaunay, edge[1]);
        center = circumcenter(delaunay,
                              (uint32_t[]){delaunay->origin[edge[0]], delaunay->origin[edge[1]],
                                           delaunay->origin[edge[2]]});
        for (int j = 0; j < 3; j++) {
            drawing->center[edge[j]] = center;
            drawing->is_triangle[edge[j]] = true;
        }
    }
    return OK;
}

/* The unit normal to the left of an edge. */
static Spot left_of(const Delaunay *delaunay, uint32_t edge)
{
    Spot a = spot_of(delaunay, delaunay->origin[edge]),
         b = spot_of(delaunay, edge_target(delaunay, edge));
    double length = hypot(b.x - a.x, b.y - a.y);

    return (Spot){(a.y - b.y) / length, (b.x - a.x) / length};
}

static Spot middle_of(const Delaunay *delaunay, uint32_t edge)
{
    Spot a = spot_of(delaunay, delaunay->origin[edge & ~1u]),
         b = spot_of(delaunay, delaunay->origin[edge | 1u]);

    return (Spot){a.x + (b.x - a.x) / 2, a.y + (b.y - a.y) / 2};
}

/* A distance larger than that of any point of the box. */
static double far_from(const VoronoiBox *box, Spot spot)
{
    return 4 * (fabs(spot.x - box->left) + fabs(spot.x - box->right) + fabs(spot.y - box->bottom) +
                fabs(spot.y - box->top));
}

/* The circumcenter at an end of the border between the two sites of an edge. If it is so far
 * outside the box that its rounding error would be visible, it is moved closer along the
 * bisector. */
static Spot on_border(const Drawing *drawing, uint32_t edge, Spot center)
{
    Spot middle = middle_of(&drawing->delaunay, edge),
         way = left_of(&drawing->delaunay, edge & ~1u);
    double along = (center.x - middle.x) * way.x + (center.y - middle.y) * way.y;
    double far = far_from(&drawing->voronoi->box, middle);

    if (fabs(along) <= far)
        return center;
    along = along < 0 ? -far : far;
    return (Spot){middle.x + along * way.x, middle.y + along * way.y};
}

/* ---- polygons -------------------------------------------------------------------------------- */

static Status add_corner(Drawing *drawing, Spot corner)
{
    return clv_polygon_add(&drawing->polygon, corner, drawing->error);
}

static Status cut(Drawing *drawing, double a, double b, double c)
{
    return clv_polygon_cut(&drawing->polygon, a, b, c, drawing->error);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Adds the corner between the borders of an edge and of the next edge. Outside the box there may be
 * two corners. */
static Status add_center(Drawing *drawing, uint32_t edge)
{
    Spot center = drawing->center[edge];

    TRY(add_corner(drawing, on_border(drawing, edge, center)));
    return add_corner(drawing, on_border(drawing, drawing->delaunay.next[edge], center));
}

static Status add_far(Drawing *drawing, Spot from, Spot way, double far)
{
    return add_corner(drawing, (Spot){from.x + far * way.x, from.y + far * way.y});
}

/* Makes the region of a site of the hull. Triangles are between its first and its last edge,
 * counter-clockwise. The region is unbounded between the last and the first edge. */
static Status open_region(Drawing *drawing, uint32_t site, uint32_t first, uint32_t last)
{
    const Delaunay *delaunay = &drawing->delaunay;
    const VoronoiBox *box = &drawing->voronoi->box;
    Spot here = spot_of(delaunay, site), u = left_of(delaunay, last), v = left_of(delaunay, first);
    Spot begin = on_border(drawing, first, drawing->center[first]), way;
    Spot end = on_border(drawing, last, drawing->center[delaunay->before[last]]);
    double far = fmax(far_from(box, here), fmax(far_from(box, begin), far_from(box, end))), length;

    v = (Spot){-v.x, -v.y};
    way = (Spot){u.x + v.x, u.y + v.y};
    /* at a sharp corner of the hull, the border continues in the same direction */
    if (hypot(way.x, way.y) < 0.5)
        way = (Spot){u.y * -1 + v.y, u.x - v.x};
    length = hypot(way.x, way.y);
    way = (Spot){way.x / length, way.y / length};
    for (uint32_t edge = first; edge != last; edge = delaunay->next[edge])
        TRY(add_center(drawing, edge));
    TRY(add_far(drawing, end, u, far));
    TRY(add_far(drawing, here, way, far));
    return add_far(drawing, begin, v, far);
}

/* Makes the region of one of several collinear sites, or of a single site: clips the box to the
 * half-planes between the site and its neighbors. */
static Status strip(Drawing *drawing, uint32_t site)
{
    const Delaunay *delaunay = &drawing->delaunay;
    const VoronoiBox *box = &drawing->voronoi->box;
    Spot here = spot_of(delaunay, site);
    uint32_t edge = delaunay->out[site];

    TRY(add_corner(drawing, (Spot){box->left, box->bottom}));
    TRY(add_corner(drawing, (Spot){box->right, box->bottom}));
    TRY(add_corner(drawing, (Spot){box->right, box->top}));
    TRY(add_corner(drawing, (Spot){box->left, box->top}));
    for (; edge != NO_EDGE;
         edge = delaunay->next[edge] == delaunay->out[site] ? NO_EDGE : delaunay->next[edge]) {
        Spot there = spot_of(delaunay, edge_target(delaunay, edge));
        double a = there.x - here.x, b = there.y - here.y;

        TRY(cut(drawing, a, b, a * (here.x + a / 2) + b * (here.y + b / 2)));
    }
    return OK;
}

/* Returns the edge with the outer face to its left; NO_EDGE: the site is surrounded by triangles.
 * *any: whether there is a triangle. */
static uint32_t find_gap(const Drawing *drawing, uint32_t site, bool *any)
{
    const Delaunay *delaunay = &drawing->delaunay;
    uint32_t edge = delaunay->out[site], gap = NO_EDGE;

    *any = false;
    if (edge == NO_EDGE)
        return NO_EDGE;
    do {
        if (drawing->is_triangle[edge])
            *any = true;
        else
            gap = edge;
        edge = delaunay->next[edge];
    } while (edge != delaunay->out[site]);
    return gap;
}

static Status draw_region(Drawing *drawing, uint32_t site)
{
    const Delaunay *delaunay = &drawing->delaunay;
    bool any;
    uint32_t gap = find_gap(drawing, site, &any), edge = delaunay->out[site];
    const VoronoiBox *box = &drawing->voronoi->box;

    drawing->polygon.count = 0;
    if (!any)
        return strip(drawing, site);
    if (gap != NO_EDGE) {
        TRY(open_region(drawing, site, delaunay->next[gap], gap));
    } else {
        do {
            TRY(add_center(drawing, edge));
            edge = delaunay->next[edge];
        } while (edge != delaunay->out[site]);
    }
    TRY(cut(drawing, -1, 0, -box->left));
    TRY(cut(drawing, 1, 0, box->right));
    TRY(cut(drawing, 0, -1, -box->bottom));
    return cut(drawing, 0, 1, box->top);
}

static Status draw_regions(Drawing *drawing)
{
    Voronoi *voronoi = drawing->voronoi;

    for (uint32_t i = 0; i < voronoi->sites; i++) {
        TRY(draw_region(drawing, i));
        TRY(GROW(voronoi->context, voronoi->corner, voronoi->corner_capacity,
                 voronoi->corners + drawing->polygon.count, drawing->error));
        if (drawing->polygon.count)
            memcpy(voronoi->corner + voronoi->corners, drawing->polygon.corner,
                   drawing->polygon.count * sizeof *voronoi->corner);
        voronoi->corners += drawing->polygon.count;
        voronoi->end[i] = voronoi->corners;
    }
    return OK;
}

/* ---- borders --------------------------------------------------------------------------------- */

/* Clips a segment from..to to the box (Liang and Barsky 1984). */
static bool in_box(const VoronoiBox *box, Spot *from, Spot *to)
{
    double dx = to->x - from->x, dy = to->y - from->y, first = 0, last = 1;
    const double way[4] = {-dx, dx, -dy, dy};
    const double workspace[4] = {from->x - box->left, box->right - from->x, from->y - box->bottom,
                                 box->top - from->y};
    Spot start = *from;

    if (dx == 0 && dy == 0)
        return false;
    for (int i = 0; i < 4; i++) {
        if (way[i] == 0 && workspace[i] < 0)
            return false;
        if (way[i] < 0)
            first = fmax(first, workspace[i] / way[i]);
        if (way[i] > 0)
            last = fmin(last, workspace[i] / way[i]);
    }
    if (!(first < last))
        return false;
    if (last < 1)
        *to = (Spot){start.x + last * dx, start.y + last * dy};
    if (first > 0)
        *from = (Spot){start.x + first * dx, start.y + first * dy};
    return true;
}

/* Finds the ends of the border between the two faces of an edge. The border is unbounded at the
 * outer face. */
static void ends_of(const Drawing *drawing, uint32_t edge, Spot *from, Spot *to)
{
    const Delaunay *delaunay = &drawing->delaunay;
    Spot middle = middle_of(delaunay, edge), way = left_of(delaunay, edge);
    bool left = drawing->is_triangle[edge], right = drawing->is_triangle[edge ^ 1];
    double far;

    *from = middle;
    if (right || left)
        *from = on_border(drawing, edge, drawing->center[right ? edge ^ 1 : edge]);
    *to = left ? on_border(drawing, edge, drawing->center[edge]) : *from;
    far = far_from(&drawing->voronoi->box, *from);
    if (!left)
        *to = (Spot){to->x + far * way.x, to->y + far * way.y};
    if (!right)
        *from = (Spot){from->x - far * way.x, from->y - far * way.y};
}

static Status draw_borders(Drawing *drawing)
{
    const Delaunay *delaunay = &drawing->delaunay;
    Voronoi *voronoi = drawing->voronoi;

    for (uint32_t edge = 0; edge < delaunay->edges; edge += 2) {
        Spot from, to;

        if (delaunay->origin[edge] == NO_EDGE)
            continue;
        ends_of(drawing, edge, &from, &to);
        if (!in_box(&voronoi->box, &from, &to))
            continue;
        TRY(GROW(voronoi->context, voronoi->border, voronoi->border_capacity, voronoi->borders + 1,
                 drawing->error));
        voronoi->border[voronoi->borders++] = (struct Border){
            .site = {delaunay->origin[edge], edge_target(delaunay, edge)}, .from = from, .to = to};
    }
    return OK;
}

/* ---- the whole diagram ----------------------------------------------------------------------- */

static Status keep_sites(Drawing *drawing)
{
    Delaunay *delaunay = &drawing->delaunay;
    Voronoi *voronoi = drawing->voronoi;

    voronoi->site = clv_alloc(voronoi->context, delaunay->sites, sizeof *voronoi->site);
    voronoi->end = clv_alloc(voronoi->context, delaunay->sites, sizeof *voronoi->end);
    if (!voronoi->site || !voronoi->end)
        return clv_fail_memory(drawing->error, "regions", delaunay->sites * sizeof *voronoi->site);
    for (uint32_t i = 0; i < delaunay->sites; i++)
        voronoi->site[i] = spot_of(delaunay, i);
    voronoi->sites = delaunay->sites;
    voronoi->point = delaunay->point;
    delaunay->point = NULL;
    return OK;
}

Status clv_voronoi(Voronoi *voronoi, Context *context, const float *xy, uint32_t count,
                   const VoronoiBox *box, cleave_error *error)
{
    Drawing drawing = {.voronoi = voronoi, .polygon = {.context = context}, .error = error};
    Status status;

    *voronoi = (Voronoi){.context = context, .box = *box};
    status = clv_delaunay(&drawing.delaunay, context, xy, count, error);
    THEN(status, keep_sites(&drawing));
    THEN(status, find_center_choices(&drawing));
    THEN(status, draw_regions(&drawing));
    THEN(status, draw_borders(&drawing));
    clv_delaunay_free(&drawing.delaunay);
    clv_polygon_free(&drawing.polygon);
    FREE(context, drawing.center, drawing.is_triangle);
    return status;
}

void clv_voronoi_free(Voronoi *voronoi)
{
    if (!voronoi->context)
        return;
    FREE(voronoi->context, voronoi->site, voronoi->point, voronoi->end, voronoi->corner,
         voronoi->border);
    *voronoi = (Voronoi){0};
}
