/* The choices of auto: by a deterministic rule for little data, otherwise among exact indexes;
 * without leaks if memory is exhausted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/neighbor/auto.h"
#include "support/support.h"

static const Metric euclidean = {.distance = EUCLIDEAN};

static Vectors dense_points(uint32_t count, uint32_t features)
{
    Random random = clv_random(1, 2);
    float *value = malloc((size_t)count * features * sizeof *value);

    assert_non_null(value);
    for (size_t i = 0; i < (size_t)count * features; i++)
        value[i] = (float)clv_random_unit(&random);
    return (Vectors){.count = count, .features = features, .dense = value, .stride = features};
}

static void free_points(Vectors *vectors)
{
    free((void *)(uintptr_t)vectors->dense);
}

static AutoChoice choose(Context *context, const Metric *metric, const Vectors *vectors,
                         uint32_t most)
{
    IndexOptions options = {.index = INDEX_AUTO, .seed = 5};
    AutoChoice choice;
    cleave_error error;

    assert_int_equal(clv_auto_index(context, &options, metric, vectors, most, &choice, &error), OK);
    return choice;
}

static void a_rule_for_little_data(void **state)
{
    Context *context = cleave_context_new(NULL);
    Vectors few = dense_points(900, 3), more = dense_points(5000, 3), wide = dense_points(5000, 40);
    int tree = clv_index_number("kdtree");
    AutoChoice choice;

    (void)state;
    choice = choose(context, &euclidean, &few, 5);
    assert_int_equal(choice.index, INDEX_SCAN);
    assert_int_equal(choice.against, INDEX_AUTO);
    choice = choose(context, &euclidean, &more, 5);
    assert_int_equal(choice.index, tree == INDEX_AUTO ? INDEX_SCAN : tree);
    assert_int_equal(choice.against, INDEX_AUTO);
    assert_int_equal(choose(context, &euclidean, &more, 5000).index,
                     INDEX_SCAN); /* all points are requested */
    assert_int_equal(choose(context, &euclidean, &wide, 5).index, INDEX_SCAN);
    free_points(&few);
    free_points(&more);
    free_points(&wide);
    cleave_context_free(context);
}

static void an_exact_structure_that_suits(void **state)
{
    Context *context = cleave_context_new(NULL);
    Vectors vectors = dense_points(70000, 16);

    (void)state;
    for (int i = 0; i < 3; i++) {
        static const Distance distances[] = {EUCLIDEAN, MANHATTAN, COSINE};
        Metric metric = {.distance = distances[i]};
        AutoChoice choice = choose(context, &metric, &vectors, 5);
        const IndexKind *kind = clv_index_kind(choice.index);

        assert_non_null(kind);
        assert_true(kind->exact);
        assert_true(!kind->suits || kind->suits(&metric, &vectors, NULL) == OK);
        if (choice.against != INDEX_AUTO) {
            assert_true(clv_index_kind(choice.against)->exact && choice.against != choice.index);
            assert_true(choice.seconds > 0 && choice.against_seconds > 0);
            assert_true(choice.index == INDEX_SCAN || choice.seconds < choice.against_seconds);
        }
    }
    free_points(&vectors);
    cleave_context_free(context);
}

/* Sparse points of the same kind are timed in their own form. */
static void sparse_points_are_sampled(void **state)
{
    enum { ROWS = 120000, EACH = 10, FEATURES = 500 };
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(3, 4);
    uint64_t *end = malloc(ROWS * sizeof *end);
    uint32_t *column = malloc((size_t)ROWS * EACH * sizeof *column);
    float *value = malloc((size_t)ROWS * EACH * sizeof *value);
    Vectors vectors = {
        .count = ROWS, .features = FEATURES, .end = end, .column = column, .value = value};

    (void)state;
    assert_true(end && column && value);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < EACH; i++) {
            column[row * EACH + i] = i * (FEATURES / EACH) +
                                     clv_random_below(&random, FEATURES / EACH);
            value[row * EACH + i] = (float)clv_random_unit(&random);
        }
        end[row] = (uint64_t)(row + 1) * EACH;
    }
    assert_true(clv_index_kind(choose(context, &euclidean, &vectors, 3).index)->exact);
    free(end);
    free(column);
    free(value);
    cleave_context_free(context);
}

static void memory_may_end(void **state)
{
    Vectors vectors = dense_points(40000, 32);
    IndexOptions options = {.index = INDEX_AUTO};
    AutoChoice choice;

    (void)state;
    for (long long at = 1; at < 300; at += 1 + at) {
        TestMemory memory = {.keep_failing = true};
        Context *context;
        cleave_error error;

        context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                      .allocate = test_allocate,
                                                      .user = &memory,
                                                      .threads = 1});
        assert_non_null(context);
        memory.fail_at = memory.calls + at;
        if (clv_auto_index(context, &options, &euclidean, &vectors, 5, &choice, &error) != OK)
            assert_int_equal(error.code, CLEAVE_ERROR_MEMORY);
        memory.fail_at = 0;
        memory.keep_failing = false;
        cleave_context_free(context);
        assert_int_equal(memory.live, 0);
    }
    free_points(&vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_for_little_data),
        cmocka_unit_test(an_exact_structure_that_suits),
        cmocka_unit_test(sparse_points_are_sampled),
        cmocka_unit_test(memory_may_end),
    };

    return cmocka_run_group_tests_name("auto", tests, NULL, NULL);
}
