/*
 * Bins of numbers (src/learn/tree/bounds.c) against a plain form of the rule in its header comment,
 * on random values with repetitions, and sorting against qsort.
 */
#include "property/table.h"

#include "learn/tree/bounds.h"

#include <float.h>
#include <math.h>

enum { MOST = 600 };

typedef struct {
    float value;
    size_t rows;
} Value;

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static float draw_value(Random *random, int kind)
{
    switch (kind) {
    case 0: /* few values, of different frequencies */
        return (float)clv_random_below(random, 1 + clv_random_below(random, 12)) - 3;
    case 1:
        return (float)clv_random_below(random, 300) / 8 - 10;
    case 2: /* one frequent value */
        return clv_random_below(random, 3) ? 5 : (float)clv_random_unit(random) * 10;
    default:
        return random_value(random, RANDOM_FLOATS);
    }
}

/* The distinct values, with zeros more rows of value 0. */
static size_t count_values(const float *sorted, size_t count, size_t zeros, Value *found)
{
    size_t distinct = 0;

    for (size_t i = 0; i <= count; i++) {
        if (zeros && (i == count || sorted[i] >= 0)) {
            found[distinct++] = (Value){.value = 0, .rows = zeros};
            zeros = 0;
        }
        if (i == count)
            break;
        if (distinct && found[distinct - 1].value == sorted[i])
            found[distinct - 1].rows++;
        else
            found[distinct++] = (Value){.value = sorted[i], .rows = 1};
    }
    return distinct;
}

static size_t split_plainly(const Value *value, size_t distinct, uint32_t bins, bool *ends)
{
    size_t all = 0, frequent = 0, rows = 0, made = 0;
    double left, free_bins, share, here = 0;

    for (size_t i = 0; i < distinct; i++)
        all += value[i].rows;
    for (size_t i = 0; i < distinct; i++)
        if ((double)value[i].rows >= (double)all / bins) {
            frequent++;
            rows += value[i].rows;
        }
    left = (double)(all - rows);
    free_bins = (double)bins - (double)frequent;
    share = free_bins > 0 ? left / free_bins : left;
    for (size_t i = 0; i + 1 < distinct && made + 1 < bins; i++) {
        bool own = (double)value[i].rows >= (double)all / bins;
        bool next_own = (double)value[i + 1].rows >= (double)all / bins;

        here += (double)value[i].rows;
        left -= own ? 0 : (double)value[i].rows;
        ends[i] = own || here >= share || (next_own && here >= share / 2);
        if (!ends[i])
            continue;
        made++;
        here = 0;
        if (!own) {
            free_bins--;
            share = free_bins > 0 ? left / free_bins : left;
        }
    }
    return made;
}

static void check_bounds(const float *sorted, size_t count, size_t zeros, uint32_t bins)
{
    Value value[MOST + 1];
    bool ends[MOST + 1] = {false};
    float bounds[MOST + 1];
    size_t distinct = count_values(sorted, count, zeros, value), expected, at = 0;

    if (distinct <= bins) {
        expected = distinct ? distinct - 1 : 0;
        for (size_t i = 0; i < expected; i++)
            ends[i] = true;
    } else {
        expected = split_plainly(value, distinct, bins, ends);
    }
    assert_int_equal(clv_find_bounds(sorted, count, zeros, bins, bounds), expected);
    for (size_t i = 0; i < distinct; i++) {
        if (!ends[i])
            continue;
        assert_true(value[i].value <= bounds[at] && bounds[at] < value[i + 1].value);
        at++;
    }
    assert_int_equal(at, expected);
}

static void bounds_follow_the_rule(void **state)
{
    Random random = clv_random(test_seed("bounds_follow_the_rule"), 0);

    (void)state;
    for (uint64_t n = how_many(3000, 300000); n > 0; n--) {
        size_t count = clv_random_below(&random, clv_random_below(&random, 2) ? 40 : MOST);
        size_t zeros = clv_random_below(&random, 2) ? clv_random_below(&random, 100) : 0;
        int kind = (int)clv_random_below(&random, 4);
        float values[MOST];

        for (size_t i = 0; i < count; i++)
            values[i] = draw_value(&random, kind);
        qsort(values, count, sizeof *values, ascending);
        check_bounds(values, count, zeros, 2 + clv_random_below(&random, 40));
    }
}

/* Halfway, except between neighbors and where the rounded middle is b. */
static void lies_between(void **state)
{
    static const float ends[] = {-FLT_MAX, -1, -FLT_MIN, -1e-45F, 0, 1e-45F, 1, 1.5F, FLT_MAX};
    Random random = clv_random(test_seed("lies_between"), 0);

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (size_t j = i + 1; j < sizeof ends / sizeof *ends; j++)
            assert_true(clv_between(ends[i], ends[j]) >= ends[i] &&
                        clv_between(ends[i], ends[j]) < ends[j]);
        assert_true(clv_between(nextafterf(ends[i], -INFINITY), ends[i]) ==
                    nextafterf(ends[i], -INFINITY));
    }
    for (int n = 0; n < 10000; n++) {
        float a = random_value(&random, RANDOM_FLOATS), b = random_value(&random, RANDOM_FLOATS),
              low = fminf(a, b), high = fmaxf(a, b), middle;

        if (low == high)
            continue;
        middle = clv_between(low, high);
        assert_true(middle >= low && middle < high);
        if (nextafterf(low, high) != high)
            assert_true(middle == (float)(((double)low + (double)high) / 2));
    }
}

static void sorts(void **state)
{
    Random random = clv_random(test_seed("sorts"), 0);

    (void)state;
    for (int n = 0; n < 300; n++) {
        size_t count = clv_random_below(&random, MOST);
        float values[MOST], plain[MOST], workspace[MOST];

        for (size_t i = 0; i < count; i++)
            plain[i] = values[i] = clv_random_below(&random, 50)
                                       ? draw_value(&random, (int)clv_random_below(&random, 4))
                                       : (clv_random_below(&random, 2) ? INFINITY : -INFINITY);
        clv_sort_floats(values, workspace, count);
        qsort(plain, count, sizeof *plain, ascending);
        for (size_t i = 0; i < count; i++)
            assert_true(values[i] == plain[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_follow_the_rule),
        cmocka_unit_test(lies_between),
        cmocka_unit_test(sorts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
