/* Distances by hand, equal for dense and sparse vectors; the nearest points in order, ties by
 * row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/builder.h"
#include "learn/neighbor/index.h"

#define FINE(expression) assert_int_equal((expression), OK)

/* One row as a query. */
static void ask(Query *query, Builder *builder, const float *values, uint32_t width,
                uint32_t features)
{
    cleave_error error;
    Block block;

    clv_builder_clear(builder);
    clv_builder_begin_row(builder);
    for (uint32_t i = 0; i < width; i++)
        if (values[i] != 0)
            FINE(clv_builder_add(builder, i, values[i], &error));
    FINE(clv_builder_end_row(builder, UNLABELED, &error));
    FINE(clv_builder_finish(builder, &block, &error));
    FINE(clv_query_set(query, &block, 0, features, &error));
}

static double distance(Distance kind, const float *x, const float *q, uint32_t width)
{
    Context *context = cleave_context_new(NULL);
    Metric metric = {.distance = kind, .r = 3};
    Vectors dense = {.count = 1, .features = width, .dense = x, .stride = width};
    Query query = {.context = context};
    Builder builder;
    double found;

    clv_builder_init(&builder, context);
    ask(&query, &builder, q, width, width);
    found = clv_metric_distance(&metric, clv_metric_key(&metric, &dense, 0, &query));
    clv_builder_free(&builder);
    clv_query_free(&query);
    cleave_context_free(context);
    return found;
}

static void assert_near(double found, double expected)
{
    assert_true(fabs(found - expected) <= 1e-12);
}

static void distances_by_hand(void **state)
{
    const float x[] = {1, 0, 3, 0}, q[] = {0, 0, 1, 2}, zero[4] = {0}, side[] = {0, 2, 0, 0};

    (void)state;
    assert_near(distance(EUCLIDEAN, x, q, 4), 3); /* 1 + 4 + 4 */
    assert_near(distance(MANHATTAN, x, q, 4), 5);
    assert_near(distance(LR, x, q, 4), cbrt(17)); /* 1 + 8 + 8 */
    assert_near(distance(MAXIMUM, x, q, 4), 2);
    assert_near(distance(HAMMING, x, q, 4), 3);
    assert_near(distance(JACCARD, x, q, 4), 2 / 3.0); /* one of three columns is common */
    assert_near(distance(ANGLE, x, side, 4), 0.5);    /* a right angle */
    assert_near(distance(ANGLE, x, x, 4), 0);
    assert_near(distance(ANGLE, x, zero, 4), 0.5);
    assert_near(distance(ANGLE, zero, zero, 4), 0);
    assert_near(distance(COSINE, x, q, 4), 1 - 3 / sqrt(50)); /* (1, 3) and (1, 2) of 3 columns */
    assert_near(distance(COSINE, x, side, 4), 1);
    assert_near(distance(COSINE, x, x, 4), 0);
    assert_near(distance(COSINE, x, zero, 4), 1);
    assert_near(distance(COSINE, zero, zero, 4), 0);
    assert_near(distance(INNER_PRODUCT, x, q, 4), -3);
    assert_near(distance(INNER_PRODUCT, x, zero, 4), 0);
    assert_near(distance(JACCARD, zero, zero, 4), 0);
}

/* Random vectors, with columns of the query past the last one: every distance is bit-identical for
 * both forms. */
static void sparse_is_dense(void **state)
{
    enum { ROUNDS = 300, MOST = 21 };
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(11, 3);
    Query query = {.context = context};
    Builder builder;

    (void)state;
    clv_builder_init(&builder, context);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t features = 1 + clv_random_below(&random, MOST - 4), column[MOST], count = 0;
        float x[MOST] = {0}, q[MOST] = {0}, value[MOST];
        uint64_t end;
        Vectors dense = {.count = 1, .features = features, .dense = x, .stride = features};
        Vectors sparse = {
            .count = 1, .features = features, .end = &end, .column = column, .value = value};

        for (uint32_t i = 0; i < features + 3; i++) {
            if (i < features && clv_random_below(&random, 2)) {
                x[i] = value[count] = (float)(clv_random_unit(&random) - 0.5);
                column[count++] = i;
            }
            if (clv_random_below(&random, 2))
                q[i] = (float)(clv_random_unit(&random) - 0.5);
        }
        end = count;
        ask(&query, &builder, q, features + 3, features);
        for (int kind = EUCLIDEAN; kind <= HAMMING; kind++) {
            Metric metric = {.distance = (Distance)kind, .r = 2.5};
            double one = clv_metric_key(&metric, &dense, 0, &query),
                   other = clv_metric_key(&metric, &sparse, 0, &query);

            assert_memory_equal(&one, &other, sizeof one);
        }
    }
    clv_builder_free(&builder);
    clv_query_free(&query);
    cleave_context_free(context);
}

/* Repeated keys: the k nearest are those of a sort, lower rows first. */
static void nearest_are_sorted(void **state)
{
    enum { ROWS = 500, K = 17 };
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(5, 1);
    cleave_error error;
    Nearest nearest;
    double key[ROWS];

    (void)state;
    FINE(clv_nearest_init(&nearest, context, K, &error));
    for (uint32_t i = 0; i < ROWS; i++) {
        key[i] = (double)clv_random_below(&random, 40);
        nearest_push(&nearest, key[i], i);
    }
    FINE(clv_nearest_sort(&nearest, &error));
    assert_int_equal(nearest.count, K);
    for (uint32_t i = 0; i < K; i++) {
        uint32_t before = 0;

        for (uint32_t j = 0; j < ROWS; j++)
            before += nearer((Neighbor){.key = key[j], .row = j}, nearest.item[i]);
        assert_int_equal(before, i);
    }
    clv_nearest_free(&nearest);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distances_by_hand),
                                       cmocka_unit_test(sparse_is_dense),
                                       cmocka_unit_test(nearest_are_sorted)};

    return cmocka_run_group_tests_name("neighbor", tests, NULL, NULL);
}
