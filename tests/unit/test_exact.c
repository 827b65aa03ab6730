/* Exact sums (base/exact.h): against integers that hold the same sums, and against themselves in
 * other orders. */
#include "base/exact.h"
#include "base/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static double sum_of(const double *values, size_t count)
{
    Exact sum = {0};

    for (size_t i = 0; i < count; i++)
        clv_exact_add(&sum, values[i]);
    return clv_exact_round(&sum);
}

static void assert_same(double left, double right)
{
    assert_memory_equal(&left, &right, sizeof left);
}

static void test_single_numbers(void **state)
{
    const double numbers[] = {
        0,      1,       -1,          0.1,  -1.0 / 3,           DBL_MAX, -DBL_MAX,  DBL_MIN,
        5e-324, -5e-324, DBL_MIN / 2, 1e15, 4503599627370497.0, 1e-300,  123456.789};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_same(sum_of(&numbers[i], 1), numbers[i]);
}

static void test_cancelling(void **state)
{
    const double large[] = {1e300, 1, -1e300}, tiny[] = {5e-324, DBL_MAX, -DBL_MAX, 5e-324};
    const double over[] = {DBL_MAX, DBL_MAX, -DBL_MAX}, none[] = {0.1, 0.2, -0.2, -0.1},
                 below[] = {-1e300, -1, 1e300};

    (void)state;
    assert_same(sum_of(large, 3), 1);
    assert_same(sum_of(below, 3), -1);
    assert_same(sum_of(tiny, 4), 1e-323);
    assert_same(sum_of(over, 3), DBL_MAX); /* an overflow of an intermediate sum has no effect */
    assert_same(sum_of(none, 4), 0);
    assert_true(isinf(sum_of(over, 2)));
}

/* Ties go to the even neighbor, whatever is below a tie breaks it. */
static void test_rounding(void **state)
{
    const double half = DBL_EPSILON / 2;
    const double tie[] = {1, half}, above[] = {1, half, 5e-324}, odd[] = {1 + DBL_EPSILON, half};
    const double under[] = {1, half, -5e-324}, negative[] = {-1, -half, -5e-324},
                 carry[] = {2 - DBL_EPSILON, half};

    (void)state;
    assert_same(sum_of(tie, 2), 1);
    assert_same(sum_of(above, 3), 1 + DBL_EPSILON);
    assert_same(sum_of(odd, 2), 1 + 2 * DBL_EPSILON);
    assert_same(sum_of(under, 3), 1);
    assert_same(sum_of(negative, 3), -1 - DBL_EPSILON);
    assert_same(sum_of(carry, 2), 2);
}

/* Multiples of a power of two whose sum an int64_t holds, near both ends of the range. */
static void test_against_integers(void **state)
{
    Random random = clv_random(5, 0);

    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        int exponent = (int)(clv_random_next(&random) % 1900) - 1074;
        int64_t whole = 0;
        Exact sum = {0};

        for (int i = 0; i < 20; i++) {
            int64_t value = (int64_t)(clv_random_next(&random) >> 12) - ((int64_t)1 << 51);

            value >>= clv_random_next(&random) % 52;
            whole += value;
            clv_exact_add(&sum, ldexp((double)value, exponent));
        }
        assert_same(clv_exact_round(&sum),
                    ldexp((double)whole, exponent)); /* rounds once: from an integer */
    }
}

static double any_double(Random *random)
{
    for (;;) {
        uint64_t bits = clv_random_next(random);
        double value;

        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

static void test_order_and_pieces(void **state)
{
    enum { COUNT = 50 };
    Random random = clv_random(6, 0);

    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        Exact forward = {0}, backward = {0}, pieces = {0}, half = {0}, sent = {0};
        int64_t words[EXACT_WORDS];
        size_t used;
        double value[COUNT];

        for (int i = 0; i < COUNT; i++)
            value[i] = trial % 2 ? any_double(&random) / COUNT
                                 : ldexp(any_double(&random) / DBL_MAX, 3);
        for (int i = 0; i < COUNT; i++) {
            clv_exact_add(&forward, value[i]);
            clv_exact_add(&backward, value[COUNT - 1 - i]);
            clv_exact_add(i < COUNT / 2 ? &half : &pieces, value[i]);
        }
        used = clv_exact_write(&half, words);
        assert_int_equal(clv_exact_add_written(&sent, words, used), used);
        assert_int_equal(clv_exact_add_written(&sent, words, used - 1), 0);
        used = clv_exact_write(&pieces, words);
        assert_int_equal(clv_exact_add_written(&sent, words, EXACT_WORDS), used);
        while (!clv_exact_is_zero(&half)) { /* as many numbers as the first half needs */
            double part = clv_exact_round(&half);

            clv_exact_add(&pieces, part);
            clv_exact_add(&half, -part);
        }
        assert_same(clv_exact_round(&forward), clv_exact_round(&backward));
        assert_same(clv_exact_round(&forward), clv_exact_round(&pieces));
        assert_same(clv_exact_round(&forward), clv_exact_round(&sent));
        assert_same(clv_exact_round(&forward),
                    clv_exact_round(&forward)); /* reading the sum does not change it */
    }
}

static void test_clear(void **state)
{
    Exact sum = {0};

    (void)state;
    clv_exact_add(&sum, -1e300);
    clv_exact_add(&sum, 1e-300);
    assert_false(clv_exact_is_zero(&sum));
    assert_same(clv_exact_round(&sum), -1e300);
    clv_exact_clear(&sum);
    assert_true(clv_exact_is_zero(&sum));
    clv_exact_add(&sum, 3);
    assert_same(clv_exact_round(&sum), 3);
    clv_exact_clear(&sum);
    assert_memory_equal(&sum, &(Exact){0}, sizeof sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_numbers),   cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_rounding),         cmocka_unit_test(test_against_integers),
        cmocka_unit_test(test_order_and_pieces), cmocka_unit_test(test_clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
