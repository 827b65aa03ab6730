/*
 * Paired tests against scipy's on the same losses: values in paired_reference.h are made by
 * scripts/make-paired-reference, which draws the same rows as draw() below.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eval/paired_test.h"

enum { MOST_ROWS = 1000, MOST_FOLDS = 10 };

typedef struct {
    uint64_t seed, rows;
    size_t folds;
    double wrong, other_wrong, left_out;
    bool numbers;
    double shared, repeats;
    double difference, p;
    size_t used;
    uint64_t n;
} Case;

typedef struct {
    double t;
    uint64_t freedom;
    double p;
} Tail;

#include "golden/paired_reference.h"

static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 0x1p31;
}

static float draw_loss(uint64_t *state, double share, const Case *from)
{
    double unit = next(state);
    bool gone = next(state) < from->left_out;

    return gone ? NAN : from->numbers ? (float)(unit * share) : unit < share ? 1.0f : 0.0f;
}

static void test_cases(void **state)
{
    static float a[MOST_ROWS], b[MOST_ROWS];
    static uint16_t of[MOST_ROWS];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *from = &cases[i];
        PairSums sums[MOST_FOLDS] = {{0}};
        uint64_t random = from->seed;
        Paired found;

        for (uint64_t row = 0; row < from->rows; row++) {
            of[row] = (uint16_t)(row % from->folds);
            a[row] = draw_loss(&random, from->wrong, from);
            b[row] = draw_loss(&random, from->other_wrong, from);
        }
        clv_pair_add(sums, a, b, of, from->rows);
        found = clv_paired(sums, from->folds, from->shared, from->repeats);
        assert_float_equal(found.difference, from->difference, 1e-12);
        assert_float_equal(found.p, from->p, 1e-12);
        assert_int_equal(found.folds, from->used);
        assert_int_equal(found.rows, from->n);
    }
}

static void test_tails(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        assert_float_equal(clv_student_tails(tails[i].t, tails[i].freedom), tails[i].p, 1e-12);
        assert_float_equal(clv_student_tails(-tails[i].t, tails[i].freedom), tails[i].p, 1e-12);
    }
    assert_float_equal(clv_normal_tails(1.959963984540054), 0.05, 1e-12);
}

static void test_holm(void **state)
{
    enum { COUNT = sizeof many / sizeof *many };
    double given[COUNT + 1], adjusted[COUNT + 1];

    (void)state;
    memcpy(given, many, sizeof many);
    given[COUNT] = (double)NAN; /* is not counted */
    clv_holm(given, adjusted, COUNT + 1);
    for (size_t i = 0; i < COUNT; i++)
        assert_float_equal(adjusted[i], many_adjusted[i], 1e-15);
    assert_true(isnan(adjusted[COUNT]));
}

/* No common rows, only one fold, no difference at all, and a constant difference. */
static void test_edges(void **state)
{
    PairSums sums[3] = {{0}};
    Paired found = clv_paired(sums, 3, 0.5, 1);

    (void)state;
    assert_true(isnan(found.p) && isnan(found.difference));
    sums[1] = (PairSums){.n = 10, .sum = 5, .squares = 5};
    found = clv_paired(sums, 3, 0.5, 1);
    assert_true(isnan(found.p));
    assert_float_equal(found.difference, 0.5, 0);
    sums[0] = sums[1] = sums[2] = (PairSums){.n = 10};
    assert_float_equal(clv_paired(sums, 3, 0.5, 1).p, 1, 0);
    /* Three rows agree: McNemar's chi-squared is only 3. */
    sums[0] = sums[1] = sums[2] = (PairSums){.n = 1, .sum = 1, .squares = 1};
    assert_float_equal(clv_paired(sums, 3, 0.5, 1).p, 0.08326451666355042, 1e-12);
    /* Folds agree completely, but rows do not: the test over rows decides. */
    sums[0] = sums[1] = sums[2] = (PairSums){.n = 10, .sum = 1, .squares = 9};
    found = clv_paired(sums, 3, 0.5, 1);
    assert_true(found.p > 0.5 && found.p < 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_edges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
