/* Scales: for any data, ticks cover it, have space between them, and have distinct labels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "plot/axes.h"

static void make(Scale *scale, double low, double high, bool logarithmic, size_t most, bool exact)
{
    cleave_plot_axis axis = {.logarithmic = logarithmic, .low = (double)NAN, .high = (double)NAN};
    AxisRange range = EMPTY_RANGE;

    clv_range_add(&range, low);
    clv_range_add(&range, high);
    clv_scale_make(scale, &axis, range, most, exact);
}

static void check(const Scale *scale, double low, double high, bool exact)
{
    char text[NUMBER_SIZE], before[NUMBER_SIZE] = "";
    double slack = 1e-6 * (scale->high - scale->low);

    assert_true(isfinite(scale->low) && isfinite(scale->high) && scale->low < scale->high);
    assert_true(scale->count <= MOST_TICKS);
    if (!exact)
        assert_true(scale->low <= low + slack && scale->high >= high - slack);
    assert_true(scale->count >= 2 || (exact && scale->logarithmic));
    for (size_t i = 0; i < scale->count; i++) {
        double place = clv_scale_place(scale, scale->tick[i]);

        assert_true(place > -1e-6 && place < 1 + 1e-6);
        assert_true(i == 0 || scale->tick[i] > scale->tick[i - 1]);
        clv_tick_text(scale, i, text);
        assert_string_not_equal(text, before);
        assert_true(strlen(text) < 18);
        memcpy(before, text, sizeof before);
    }
    if (!exact && !scale->logarithmic) {
        assert_true(fabs(clv_scale_place(scale, scale->tick[0])) < 1e-6);
        assert_true(fabs(clv_scale_place(scale, scale->tick[scale->count - 1]) - 1) < 1e-6);
    }
}

static void ticks_cover_the_data(void **state)
{
    Random random = clv_random(7, 1);

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double size = pow(10, 24 * clv_random_unit(&random) - 12),
               where = 40 * clv_random_unit(&random) - 20;
        double low = size * where, high = low + size * clv_random_unit(&random) * 5;
        size_t most = 2 + clv_random_below(&random, 20);
        bool exact = clv_random_below(&random, 4) == 0;
        Scale scale;

        make(&scale, low, high, false, most, exact);
        check(&scale, low, high, exact);
        assert_true(scale.count <= 2 * most + 2);
        low = size;
        high = size * pow(10, 12 * clv_random_unit(&random));
        make(&scale, low, high, true, most, exact);
        check(&scale, low, high, exact);
    }
}

static void edges(void **state)
{
    static const double values[] = {0,      1,       -1,       5e-324,  1e-300,  1e300,
                                    -1e300, 1.7e308, -1.7e308, 3.14159, 1e15 + 1};
    enum { VALUES = sizeof values / sizeof *values };
    Scale scale;

    (void)state;
    for (size_t i = 0; i < VALUES; i++)
        for (size_t j = 0; j < VALUES; j++) {
            double low = fmin(values[i], values[j]), high = fmax(values[i], values[j]);

            make(&scale, low, high, false, 8, false);
            assert_true(isfinite(scale.low) && isfinite(scale.high) && scale.low < scale.high &&
                        scale.count >= 2);
            make(&scale, low, high, true, 8, false);
            assert_true(scale.low > 0 && isfinite(scale.high) && scale.low < scale.high &&
                        scale.count >= 1);
        }
    make(&scale, (double)NAN, INFINITY, false, 8, false);
    check(&scale, 0, 1, false);
    assert_true(isnan(clv_scale_place(&scale, (double)NAN)));
    make(&scale, -5, 0, true, 8, false);
    assert_true(isnan(clv_scale_place(&scale, -1)) && isnan(clv_scale_place(&scale, 0)));
}

static void texts(void **state)
{
    char text[NUMBER_SIZE];
    Scale scale;

    (void)state;
    make(&scale, 0, 20000, false, 4, false);
    assert_string_equal(clv_tick_text(&scale, scale.count - 1, text), "20000");
    assert_string_equal(clv_tick_text(&scale, 0, text), "0");
    make(&scale, -0.3, 0.3, false, 6, false);
    for (size_t i = 0; i < scale.count; i++)
        assert_true(strlen(clv_tick_text(&scale, i, text)) <=
                    4); /* no -0.30000000000000004, no -0 */
    make(&scale, 1, 1000, true, 6, false);
    assert_int_equal(scale.count, 4);
    assert_string_equal(clv_tick_text(&scale, 3, text), "1000");
    /* Also 2 and 5 times a power, if there is space for three ticks per decade. */
    make(&scale, 1, 100, true, 5, false);
    assert_int_equal(scale.count, 7);
    make(&scale, 1, 100, true, 4, false);
    assert_int_equal(scale.count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_cover_the_data),
        cmocka_unit_test(edges),
        cmocka_unit_test(texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
