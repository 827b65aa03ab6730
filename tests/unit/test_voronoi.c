/* Regions by the public interface: corners, borders and classes of points computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cleave/expert.h>
#include <cmocka.h>

#define FINE(expression) assert_int_equal((expression), CLEAVE_OK)

typedef struct {
    const char *label;
    float x, y;
} Row;

static cleave_plot *regions_of(cleave_context *context, const Row *rows, size_t count)
{
    static const uint32_t indexes[] = {0, 1};
    cleave_plot *plot;
    cleave_error error;
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t i = 0; i < count; i++)
        FINE(cleave_data_add(data, rows[i].label, 2, indexes, (float[]){rows[i].x, rows[i].y},
                             &error));
    FINE(cleave_plot_of_data("voronoi", data, NULL, &plot, &error));
    cleave_data_free(data);
    return plot;
}

static bool has_corner(const cleave_voronoi *voronoi, size_t region, double x, double y)
{
    const cleave_region *of = &voronoi->regions[region];

    for (size_t i = 0; i < of->corner_count; i++) {
        cleave_plane_point corner = voronoi->corners[of->first_corner + i];

        if (fabs(corner.x - x) < 1e-12 && fabs(corner.y - y) < 1e-12)
            return true;
    }
    return false;
}

/* The circle around a right-angled triangle has its center in the middle of the longest side. */
static void three_points(void **state)
{
    static const Row rows[] = {{"a", 0, 0}, {"b", 4, 0}, {"a", 0, 4}, {"b", 0, 0}};
    cleave_context *context = cleave_context_new(NULL);
    cleave_plot *plot = regions_of(context, rows, 4);
    const cleave_voronoi *voronoi = plot->panels[0].regions;
    size_t between = 0;

    (void)state;
    assert_int_equal(voronoi->point_count, 4);
    assert_int_equal(voronoi->region_count, 3);
    assert_int_equal(voronoi->border_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const cleave_region *region = &voronoi->regions[i];

        assert_true(has_corner(voronoi, i, 2, 2));
        assert_true(region->x == (double)rows[region->row].x &&
                    region->y == (double)rows[region->row].y);
        assert_string_equal(voronoi->labels[region->label], rows[region->row].label);
        assert_true(region->row < 3); /* of two that coincide, the first */
    }
    for (size_t i = 0; i < 3; i++) {
        const cleave_border *border = &voronoi->borders[i];

        between += border->between_classes;
        assert_true((fabs(border->from.x - 2) < 1e-12 && fabs(border->from.y - 2) < 1e-12) ||
                    (fabs(border->to.x - 2) < 1e-12 && fabs(border->to.y - 2) < 1e-12));
    }
    assert_int_equal(between, 2);
    cleave_plot_free(plot);
    cleave_context_free(context);
}

/* Four points on a circle: all regions meet in its center, and four of the six pairs have a
 * border. */
static void a_square(void **state)
{
    static const Row rows[] = {{"a", 1, 1}, {"b", 3, 1}, {"c", 3, 3}, {NULL, 1, 3}};
    cleave_context *context = cleave_context_new(NULL);
    cleave_plot *plot = regions_of(context, rows, 4);
    const cleave_voronoi *voronoi = plot->panels[0].regions;

    (void)state;
    assert_int_equal(voronoi->region_count, 4);
    assert_int_equal(voronoi->border_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(has_corner(voronoi, i, 2, 2));
        assert_true((voronoi->regions[i].label == SIZE_MAX) == (voronoi->regions[i].row == 3));
        assert_true(voronoi->borders[i].between_classes);
    }
    cleave_plot_free(plot);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_points),
        cmocka_unit_test(a_square),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
