/*
 * Regions of points that are random, on a grid, on a line, on a circle, coincident, very large or
 * very small. By exact signs, no circle of a triangle contains another point. The regions fill the
 * box, each query is in the region of its nearest point, and each border is equally far from both
 * its points.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "plot/delaunay.h"
#include "plot/predicates.h"
#include "plot/voronoi.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { MOST = 20000 };

typedef struct {
    float xy[2 * MOST];
    uint32_t count;
    VoronoiBox box;
    Random random;
} Points;

typedef void (*Maker)(Points *points, double scale);

static double uniform(Points *points)
{
    return clv_random_unit(&points->random);
}

static void add(Points *points, double x, double y)
{
    points->xy[2 * points->count] = (float)x;
    points->xy[2 * points->count + 1] = (float)y;
    points->count++;
}

static void make_uniform(Points *points, double scale)
{
    while (points->count < 200)
        add(points, scale * (uniform(points) - 0.5), scale * uniform(points));
}

static void make_grid(Points *points, double scale)
{
    while (points->count < 300)
        add(points, scale * floor(12 * uniform(points)), scale * floor(9 * uniform(points)));
}

static void make_line(Points *points, double scale)
{
    while (points->count < 40) {
        double t = floor(64 * uniform(points));

        add(points, scale * t, scale * 3 * t);
    }
}

static void make_upright(Points *points, double scale)
{
    while (points->count < 30)
        add(points, scale, scale * floor(64 * uniform(points)));
}

static void make_circle(Points *points, double scale)
{
    static const int legs[][2] = {{3, 4}, {4, 3}, {5, 0}, {0, 5}};

    add(points, 0, 0);
    for (int i = 0; i < 16; i++) /* exactly on it */
        add(points, scale * legs[i % 4][0] * (i & 4 ? 1 : -1),
            scale * legs[i % 4][1] * (i & 8 ? 1 : -1));
    while (points->count < 200) {
        double t = 6.283185307179586 * uniform(points);

        add(points, 5 * scale * cos(t), 5 * scale * sin(t));
    }
}

static void make_clusters(Points *points, double scale)
{
    while (points->count < 200) {
        double x = floor(3 * uniform(points)), near = 1e-5;

        add(points, scale * (x + near * uniform(points)), scale * (x * x + near * uniform(points)));
    }
}

static void make_almost_line(Points *points, double scale)
{
    while (points->count < 100) {
        double t = uniform(points);

        add(points, scale * t, scale * t * (1 + 2e-7 * uniform(points)));
    }
}

static void make_few(Points *points, double scale)
{
    uint32_t count = 1 + (uint32_t)(6 * uniform(points));

    while (points->count < count)
        add(points, scale * floor(4 * uniform(points)), scale * floor(4 * uniform(points)));
}

static void make_many(Points *points, double scale)
{
    while (points->count < MOST)
        add(points, scale * uniform(points), scale * uniform(points) * uniform(points));
}

/* ---- what must hold -------------------------------------------------------------------------- */

static const float *place(const Delaunay *delaunay, uint32_t site)
{
    return delaunay->at + 2 * (size_t)site;
}

/* For each edge between two triangles: the corner of one is not inside the circle of the other. */
static void assert_delaunay(const Points *points, Context *context)
{
    cleave_error error;
    Delaunay delaunay;
    uint32_t edges = 0, triangles = 0;

    FINE(clv_delaunay(&delaunay, context, points->xy, points->count, &error));
    for (uint32_t edge = 0; edge < delaunay.edges; edge++) {
        uint32_t third;

        if (delaunay.origin[edge] == NO_EDGE)
            continue;
        edges++;
        if (!clv_delaunay_is_triangle(&delaunay, edge))
            continue;
        triangles++;
        third = edge_target(&delaunay, edge_around(&delaunay, edge));
        if (clv_delaunay_is_triangle(&delaunay, edge ^ 1)) {
            uint32_t other = edge_target(&delaunay, edge_around(&delaunay, edge ^ 1));

            assert_true(clv_in_circle(place(&delaunay, delaunay.origin[edge]),
                                      place(&delaunay, edge_target(&delaunay, edge)),
                                      place(&delaunay, third), place(&delaunay, other)) <= 0);
        }
    }
    assert_int_equal(triangles % 3, 0);
    assert_int_equal(edges % 2, 0);
    if (delaunay.sites > 1) /* Euler: sites - edges + faces = 2, where the outside is one face */
        assert_int_equal((int)delaunay.sites - (int)(edges / 2) + (int)(triangles / 3) + 1, 2);
    clv_delaunay_free(&delaunay);
}

static double area_of(const Voronoi *voronoi, uint32_t site)
{
    size_t first = site ? voronoi->end[site - 1] : 0, last = voronoi->end[site];
    double area = 0;

    for (size_t i = first; i < last; i++) {
        Spot p = voronoi->corner[i], q = voronoi->corner[i + 1 < last ? i + 1 : first],
             o = voronoi->corner[first];

        area += ((p.x - o.x) * (q.y - o.y) - (q.x - o.x) * (p.y - o.y)) / 2;
    }
    return area;
}

static void assert_fills_box(const Voronoi *voronoi)
{
    double box = (voronoi->box.right - voronoi->box.left) *
                 (voronoi->box.top - voronoi->box.bottom),
           sum = 0;

    for (uint32_t i = 0; i < voronoi->sites; i++) {
        double area = area_of(voronoi, i);

        assert_true(area >= -1e-12 * box);
        sum += area;
    }
    assert_true(fabs(sum - box) <= 1e-9 * box);
}

static double distance(Spot a, Spot b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

static uint32_t nearest(const Voronoi *voronoi, Spot query)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < voronoi->sites; i++)
        if (distance(voronoi->site[i], query) < distance(voronoi->site[best], query))
            best = i;
    return best;
}

static void assert_contains(const Voronoi *voronoi, uint32_t site, Spot query, double tolerance)
{
    size_t first = site ? voronoi->end[site - 1] : 0, last = voronoi->end[site];

    assert_true(last - first >= 3);
    for (size_t i = first; i < last; i++) {
        Spot p = voronoi->corner[i], q = voronoi->corner[i + 1 < last ? i + 1 : first];
        double length = distance(p, q);

        if (length > tolerance) /* shorter ones have no well-defined direction */
            assert_true(((q.x - p.x) * (query.y - p.y) - (q.y - p.y) * (query.x - p.x)) / length >=
                        -tolerance);
    }
}

static void assert_borders(const Voronoi *voronoi, double tolerance)
{
    for (size_t i = 0; i < voronoi->borders; i++) {
        const struct Border *border = &voronoi->border[i];
        Spot middle = {(border->from.x + border->to.x) / 2, (border->from.y + border->to.y) / 2};
        double to = distance(voronoi->site[border->site[0]], middle);

        assert_true(border->site[0] != border->site[1]);
        assert_true(fabs(distance(voronoi->site[border->site[1]], middle) - to) <= tolerance);
        if (voronoi->sites <= 500)
            assert_true(distance(voronoi->site[nearest(voronoi, middle)], middle) >=
                        to - tolerance);
    }
}

static void assert_regions(Points *points, Context *context)
{
    double width = points->box.right - points->box.left,
           height = points->box.top - points->box.bottom;
    double tolerance = 1e-9 * (width + height);
    int queries = points->count > 1000 ? 200 : 500;
    cleave_error error;
    Voronoi voronoi;

    FINE(clv_voronoi(&voronoi, context, points->xy, points->count, &points->box, &error));
    assert_fills_box(&voronoi);
    for (int i = 0; i < queries; i++) {
        Spot query = {points->box.left + width * uniform(points),
                      points->box.bottom + height * uniform(points)};

        assert_contains(&voronoi, nearest(&voronoi, query), query, tolerance);
    }
    assert_borders(&voronoi, tolerance);
    clv_voronoi_free(&voronoi);
}

static void box_around(Points *points)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, size;

    for (uint32_t i = 0; i < 2 * points->count; i++) {
        low[i % 2] = fmin(low[i % 2], (double)points->xy[i]);
        high[i % 2] = fmax(high[i % 2], (double)points->xy[i]);
    }
    size = fmax(high[0] - low[0], high[1] - low[1]);
    size = size > 0 ? size : fmax(fmax(fabs(low[0]), fabs(low[1])), 1);
    points->box = (VoronoiBox){low[0] - 0.1 * size, low[1] - 0.3 * size, high[0] + 0.2 * size,
                               high[1] + 0.1 * size};
}

static void try_all(Maker make, int times)
{
    static const double scales[] = {1, 1e-30, 1e30, 255};
    Context *context = cleave_context_new(NULL);
    Points *points = malloc(sizeof *points);

    assert_non_null(points);
    for (int i = 0; i < times; i++) {
        points->count = 0;
        points->random = clv_random((uint64_t)i + 1, 0);
        make(points, scales[i % 4]);
        box_around(points);
        assert_delaunay(points, context);
        assert_regions(points, context);
    }
    free(points);
    cleave_context_free(context);
}

#define TRY_ALL(kind, times)                                                                       \
    static void kind##_points(void **state)                                                        \
    {                                                                                              \
        (void)state;                                                                               \
        try_all(make_##kind, times);                                                               \
    }
TRY_ALL(uniform, 20)
TRY_ALL(grid, 20)
TRY_ALL(line, 8)
TRY_ALL(upright, 8)
TRY_ALL(circle, 8)
TRY_ALL(clusters, 12)
TRY_ALL(almost_line, 12)
TRY_ALL(few, 400)
TRY_ALL(many, 1)

/* A point beside a line and a circle, moved by the smallest amount: the sign is that of the
 * move. */
static void signs_are_exact(void **state)
{
    float a[2] = {1, 1}, b[2] = {3e6f, 3e6f}, c[2] = {12345, 12345};
    float p[2] = {5, 0}, q[2] = {0, 5}, r[2] = {-5, 0}, s[2] = {3, -4};

    (void)state;
    assert_true(clv_turn(a, b, c) == 0);
    c[1] = nextafterf(c[1], INFINITY);
    assert_true(clv_turn(a, b, c) > 0);
    c[1] = nextafterf(12345, 0);
    assert_true(clv_turn(a, b, c) < 0);
    assert_true(clv_in_circle(p, q, r, s) == 0);
    s[1] = nextafterf(-4, 0);
    assert_true(clv_in_circle(p, q, r, s) > 0);
    s[1] = nextafterf(-4, -5);
    assert_true(clv_in_circle(p, q, r, s) < 0);
    c[0] = 1e-45f;
    c[1] = 0;
    a[0] = a[1] = 0;
    b[0] = 3e38f;
    b[1] = 1e-45f;
    assert_true(clv_turn(a, b, c) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_are_exact), cmocka_unit_test(uniform_points),
        cmocka_unit_test(grid_points),     cmocka_unit_test(line_points),
        cmocka_unit_test(upright_points),  cmocka_unit_test(circle_points),
        cmocka_unit_test(clusters_points), cmocka_unit_test(almost_line_points),
        cmocka_unit_test(few_points),      cmocka_unit_test(many_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
