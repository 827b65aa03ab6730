/* Windows of a stream and the drift alarm (src/eval/progressive.c). */
#include "property/table.h"

#include "base/random.h"
#include "eval/progressive.h"

#include <math.h>

static void decays_by_half(void **state)
{
    Decaying window;

    (void)state;
    clv_decaying_init(&window, 10);
    assert_true(isnan(clv_decaying_mean(&window)));
    clv_decaying_add(&window, 1);
    for (int i = 0; i < 10; i++)
        clv_decaying_add(&window, 0);
    assert_true(fabs(window.sum - 0.5) < 1e-12);
    for (int i = 0; i < 1000; i++)
        clv_decaying_add(&window, 0.25);
    assert_true(fabs(clv_decaying_mean(&window) - 0.25) < 1e-9);
    /* (1 + k) / (1 - k) rows in the long run */
    assert_true(fabs(clv_decaying_size(&window) - (1 + window.keep) / (1 - window.keep)) < 1e-6);
}

static void counts_all(void **state)
{
    Windows windows;
    Drift drift;

    (void)state;
    clv_windows_init(&windows, 1000, false);
    assert_true(isnan(clv_windows_error(&windows)));
    for (int i = 0; i < 8; i++)
        assert_false(clv_windows_add(&windows, i < 2, &drift));
    assert_int_equal(windows.examples, 8);
    assert_true(clv_windows_error(&windows) == 0.25);
}

/* For many rows the likelihood ratio is the square of the z statistic of two fractions. */
static void z_is_normal(void **state)
{
    double n = 1e6, p = 0.301, q = 0.300, both = 0.3005,
           z = (p - q) / sqrt(both * (1 - both) * 2 / n);

    (void)state;
    assert_true(fabs(clv_drift_z(p, n, q, n) - z) < 1e-3);
    assert_true(fabs(clv_drift_z(q, n, p, n) + z) < 1e-3);
    assert_true(clv_drift_z(0, 100, 0, 100) == 0);
    assert_true(clv_drift_z(1, 100, 1, 100) == 0);
    assert_true(clv_drift_z(1, 20, 0, 1000) > 6);
}

static void silent_while_nothing_changes(void **state)
{
    static const double shares[] = {0.5, 0.1, 0.01, 0.0005};

    (void)state;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        Random random = clv_random(1, (uint64_t)i);
        Windows windows;
        Drift drift;

        clv_windows_init(&windows, 1000, false);
        for (int row = 0; row < 1000000; row++)
            assert_false(clv_windows_add(&windows, clv_random_unit(&random) < shares[i], &drift));
    }
}

/* Squared errors with heavy tails of infinite variance. */
static void silent_with_heavy_tails(void **state)
{
    Random random = clv_random(2, 1);
    Windows windows;
    Drift drift;

    (void)state;
    clv_windows_init(&windows, 1000, true);
    for (int row = 0; row < 1000000; row++)
        assert_false(
            clv_windows_add(&windows, pow(1 - clv_random_unit(&random), -1 / 1.2), &drift));
}

/* Number of rows until the alarm after a change of the error rate; -1: no alarm within the
 * limit. */
static int rows_to_alarm(double before, double after, int most, uint64_t seed)
{
    Random random = clv_random(seed, 1);
    Windows windows;
    Drift drift;

    clv_windows_init(&windows, 1000, false);
    for (int row = 0; row < 20000; row++)
        assert_false(clv_windows_add(&windows, clv_random_unit(&random) < before, &drift));
    for (int row = 1; row <= most; row++) {
        if (!clv_windows_add(&windows, clv_random_unit(&random) < after, &drift))
            continue;
        assert_true(drift.z >= DRIFT_Z && drift.now > drift.before &&
                    fabs(drift.before - before) < 0.05);
        assert_int_equal(windows.alarms, 1);
        for (int later = 0; later < 20000; later++) /* the new rate is the normal one from now on */
            assert_false(clv_windows_add(&windows, clv_random_unit(&random) < after, &drift));
        return row;
    }
    return -1;
}

static void rings_soon(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int flip = rows_to_alarm(0.05, 0.95, 300, seed),
            triple = rows_to_alarm(0.1, 0.3, 1000, seed);

        assert_true(flip > 0 && flip <= 64);
        assert_true(triple > 0);
        assert_int_equal(rows_to_alarm(0.3, 0.1, 5000, seed), -1); /* fewer errors are no alarm */
    }
}

static void rings_of_numbers(void **state)
{
    Random random = clv_random(4, 1);
    Windows windows;
    Drift drift;
    int rang = -1;

    (void)state;
    clv_windows_init(&windows, 1000, true);
    for (int row = 0; row < 20000; row++) {
        double off = clv_random_normal(&random);

        assert_false(clv_windows_add(&windows, off * off, &drift));
    }
    for (int row = 0; row < 1000 && rang < 0; row++) {
        double off = 3 * clv_random_normal(&random);

        if (clv_windows_add(&windows, off * off, &drift))
            rang = row;
    }
    assert_true(rang >= 0 && rang < 300);
}

/* Saved and loaded at any row, it continues with the same numbers. */
static void goes_on_where_it_was(void **state)
{
    double numbers[WINDOWS_NUMBERS], ours[WINDOWS_NUMBERS], theirs[WINDOWS_NUMBERS];
    Random random = clv_random(5, 1);
    Windows whole, part;
    Drift drift;

    (void)state;
    clv_windows_init(&whole, 50, false);
    clv_windows_init(&part, 50, false);
    for (int row = 0; row < 5000; row++) {
        double error = clv_random_unit(&random) < (row < 2000 ? 0.1 : 0.9);
        bool rang = clv_windows_add(&whole, error, &drift);

        assert_int_equal(clv_windows_add(&part, error, &drift), rang);
        clv_windows_save(&part, numbers);
        clv_windows_init(&part, 50, false);
        assert_true(clv_windows_load(&part, numbers));
    }
    clv_windows_save(&whole, ours);
    clv_windows_save(&part, theirs);
    assert_memory_equal(ours, theirs, sizeof ours);
    assert_true(whole.alarms >= 1);
    numbers[5] = -1;
    assert_false(clv_windows_load(&part, numbers));
    numbers[5] = (double)NAN;
    assert_false(clv_windows_load(&part, numbers));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decays_by_half),
        cmocka_unit_test(counts_all),
        cmocka_unit_test(z_is_normal),
        cmocka_unit_test(silent_while_nothing_changes),
        cmocka_unit_test(silent_with_heavy_tails),
        cmocka_unit_test(rings_soon),
        cmocka_unit_test(rings_of_numbers),
        cmocka_unit_test(goes_on_where_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
