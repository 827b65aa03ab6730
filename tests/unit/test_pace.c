/* The predicted time of more rows, the number of rows for which there is time, and fair shares of
 * time (src/select/pace.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/pace.h"

static Pace of_power(double power, double answer_power)
{
    Pace pace = {0};

    for (double rows = 1000; rows <= 16000; rows *= 4)
        clv_pace_add(&pace, (PaceSample){rows, 1e-3 * pow(rows / 1000, power),
                                         1e-6 * pow(rows / 1000, answer_power), false});
    return pace;
}

static void test_laws(void **state)
{
    Pace pace = of_power(2, 1);

    (void)state;
    assert_int_equal(pace.count, 2);
    assert_float_equal(pace.sample[0].rows, 4000, 0);
    assert_float_equal(clv_pace_train(&pace, 1e6), 1000, 1e-6);
    assert_float_equal(clv_pace_predict(&pace, 1e6), 1e-3, 1e-12);
    /* Growth is limited: a thousand more rows take some time, and a prediction takes at most the
     * time to visit each row. */
    pace = of_power(0.2, -1);
    assert_float_equal(clv_pace_train(&pace, 160000) / pace.sample[1].train, 5.5, 1e-9);
    assert_float_equal(clv_pace_predict(&pace, 160000), pace.sample[1].predict, 1e-15);
    pace = of_power(5, 3);
    assert_float_equal(clv_pace_train(&pace, 160000) / pace.sample[1].train, 1000, 1e-6);
    assert_float_equal(clv_pace_predict(&pace, 160000) / pace.sample[1].predict, 10, 1e-9);
}

static void test_notes(void **state)
{
    Pace pace = {0};

    (void)state;
    assert_float_equal(clv_pace_train(&pace, 1000), 0, 0);
    assert_float_equal(clv_pace_predict(&pace, 1000), 0, 0);
    clv_pace_add(&pace, (PaceSample){1000, 2, 0.1, false});
    /* one trial: proportional to the rows */
    assert_float_equal(clv_pace_train(&pace, 2000), 4, 1e-12);
    assert_float_equal(clv_pace_predict(&pace, 2000), 0.1, 1e-12);
    clv_pace_add(&pace,
                 /* the same number of rows again: the slower of both */
                 (PaceSample){1010, 3, 0.05, false});
    assert_int_equal(pace.count, 1);
    assert_float_equal(pace.sample[0].train, 3, 0);
    assert_float_equal(pace.sample[0].predict, 0.1, 0);
    /* a trial on fewer rows gives no information about more */
    clv_pace_add(&pace, (PaceSample){500, 100, 1, false});
    assert_float_equal(pace.sample[0].train, 3, 0);
    clv_pace_add(
        &pace, (PaceSample){4000, 100, 1, .guess = true}); /* … but more than a guess about more */
    assert_int_equal(pace.count, 2);
    clv_pace_add(&pace, (PaceSample){2000, 7, 0.1, false});
    assert_int_equal(pace.count, 2);
    assert_float_equal(pace.sample[1].rows, 2000, 0);
    assert_float_equal(pace.sample[1].train, 7, 0);
}

/* A trial on slightly more rows replaces the last one. Two such times give an exponent of noise:
 * 11 and 16 ms on 6,000 and 6,512 rows suggested 1 s for 26,049 rows; it is 50 ms. */
static void test_near_samples(void **state)
{
    Pace pace = {0};

    (void)state;
    clv_pace_add(&pace, (PaceSample){1500, 0.0029, 1e-7, false});
    clv_pace_add(&pace, (PaceSample){6000, 0.0112, 1e-7, false});
    clv_pace_add(&pace, (PaceSample){6512, 0.0155, 1e-7, false});
    assert_int_equal(pace.count, 2);
    assert_float_equal(pace.sample[0].rows, 1500, 0);
    assert_float_equal(pace.sample[1].rows, 6512, 0);
    assert_true(clv_pace_train(&pace, 26049) < 0.08);
    clv_pace_add(&pace, (PaceSample){9768, 0.02, 1e-7, false});
    assert_float_equal(pace.sample[0].rows, 6512, 0);
}

/* 100 boosting rounds: 20 ms and 2 us a row. The fixed cost does not grow with the rows. */
static void test_fixed_cost(void **state)
{
    Pace pace = {0};

    (void)state;
    clv_pace_add(&pace, (PaceSample){1500, 0.023, 2e-6, false});
    clv_pace_add(&pace, (PaceSample){15000, 0.05, 2e-6, false});
    assert_float_equal(clv_pace_train(&pace, 15000), 0.05, 1e-12);
    assert_float_equal(clv_pace_train(&pace, 30000), 0.08, 1e-12);
    assert_true(clv_pace_train(&pace, 14999) < 0.05);
}

static void test_afford(void **state)
{
    Pace slow = of_power(2, 1), lazy = {0};
    RowCounts all = {1e6, 2e5}, found;

    (void)state;
    /* There is time for all rows. */
    assert_true(clv_pace_afford(&slow, all, 250, 2000, 1e6, &found));
    assert_float_equal(found.train, 1e6, 0);
    assert_float_equal(found.test, 2e5, 0);
    /* As many training rows as leave time for the predictions. */
    assert_true(clv_pace_afford(&slow, all, 250, 2000, 10, &found));
    assert_true(found.train > 90000 && found.train < 100000);
    assert_true(found.test >= 2000);
    assert_true(clv_pace_train(&slow, found.train) +
                    found.test * clv_pace_predict(&slow, found.train) <=
                10 + 1e-6);
    /* Only predictions are slow: all rows for training, few predictions. */
    clv_pace_add(&lazy, (PaceSample){1000, 1e-6, 1e-4, false});
    clv_pace_add(&lazy, (PaceSample){4000, 4e-6, 4e-4, false});
    assert_true(clv_pace_afford(&lazy, all, 250, 2000, 400, &found));
    assert_float_equal(found.train, 1e6, 0);
    assert_true(found.test > 3980 && found.test <= 4000);
    /* No time at all: the minimum. */
    assert_false(clv_pace_afford(&slow, all, 250, 2000, 1e-6, &found));
    assert_float_equal(found.train, 250, 0);
    assert_false(clv_pace_afford(&slow, all, 250, 2000, -5, &found));
}

static void test_fair(void **state)
{
    const double needs[] = {1, 100, 10, 1000};

    (void)state;
    assert_true(isinf(clv_fair_share(needs, 4, 1111)));
    /* 1 and 10 need less than their share; each of the others gets half of the rest. */
    assert_float_equal(clv_fair_share(needs, 4, 111), 50, 1e-9);
    assert_float_equal(clv_fair_share(needs, 4, 400), 289, 1e-9);
    assert_float_equal(clv_fair_share(needs, 4, 2), 0.5, 1e-9);
    assert_float_equal(clv_fair_share(needs, 4, 0), 0, 0);
    assert_float_equal(clv_fair_share(needs, 4, -3), 0, 0);
}

/* A fast method gets all rows although its fair share would be less. */
static void test_cheapest(void **state)
{
    const double needs[] = {4, 100, 100, 1000};

    (void)state;
    assert_float_equal(clv_cheapest_share(needs, 4, 10, 4), 4, 0);
    assert_float_equal(clv_cheapest_share(needs, 4, 7, 4), 1.75, 1e-9);
    assert_float_equal(clv_cheapest_share(needs, 4, 40, 4), 12, 1e-9);
}

/* The rest of the budget is for the search. */
static void test_reserve(void **state)
{
    (void)state;
    assert_float_equal(clv_test_reserve(100, 0), 25, 1e-9);
    assert_float_equal(clv_test_reserve(100, 0.5), 4, 1e-9);
    assert_float_equal(clv_test_reserve(100, 50), 25, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),         cmocka_unit_test(test_notes),
        cmocka_unit_test(test_near_samples), cmocka_unit_test(test_fixed_cost),
        cmocka_unit_test(test_afford),       cmocka_unit_test(test_fair),
        cmocka_unit_test(test_cheapest),     cmocka_unit_test(test_reserve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
