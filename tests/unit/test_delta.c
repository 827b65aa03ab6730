/* Updates to be summed (src/model/delta.c): parts, sums, and the tree that makes them the same
 * in any order; and the pool of threads (src/base/pool.c) that works on them. */
#include "base/pool.h"
#include "base/random.h"
#include "model/delta.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PIECES = 37, NUMBERS = 200 };

static Context *context;
static cleave_error error;

static void assert_ok(Status status)
{
    if (status != OK)
        fail_msg("%s", error.message);
}

static void fill(Delta *delta, uint32_t piece)
{
    Random random = clv_random(5, piece);

    clv_delta_init(delta, context);
    for (uint64_t i = 0; i < NUMBERS; i++)
        if (clv_random_unit(&random) < 0.3)
            assert_ok(clv_delta_add(delta, "w", i, clv_random_normal(&random) * 1e3, &error));
    assert_ok(clv_delta_add(delta, piece % 2 ? "odd" : "even", 0, 1, &error));
}

static void adds_by_index(void **state)
{
    Delta a, b;

    (void)state;
    clv_delta_init(&a, context);
    clv_delta_init(&b, context);
    assert_ok(clv_delta_add(&a, "w", 1, 0.5, &error));
    assert_ok(clv_delta_add(&a, "w", 7, 0, &error));
    assert_ok(clv_delta_add(&a, "w", 9, 2, &error));
    assert_ok(clv_delta_add(&b, "w", 0, 4, &error));
    assert_ok(clv_delta_add(&b, "w", 9, 3, &error));
    assert_ok(clv_delta_add(&b, "bias", 2, 1, &error));
    assert_int_equal(clv_delta_part(&a, "w")->count, 2);
    assert_ok(clv_delta_sum(&a, &b, &error));
    assert_true(clv_delta_number(&a, "w", 0) == 4 && clv_delta_number(&a, "w", 1) == 0.5);
    assert_true(clv_delta_number(&a, "w", 9) == 5 && clv_delta_number(&a, "w", 8) == 0);
    assert_true(clv_delta_number(&a, "bias", 2) == 1 && clv_delta_number(&a, "none", 0) == 0);
    assert_int_equal(clv_delta_size(&a, "w"), 10);
    assert_int_equal(clv_delta_add(&a, "w", 9, 1, &error), CLEAVE_ERROR_INTERNAL);
    assert_int_equal(clv_delta_add(&a, "w", 10, 1.0 / (double)(a.parts - a.parts), &error),
                     CLEAVE_ERROR_DATA);
    clv_delta_free(&a);
    clv_delta_free(&b);
}

static void shuffled(uint32_t order[PIECES], uint32_t pieces, uint64_t seed)
{
    Random random = clv_random(seed, 0);

    for (uint32_t i = 0; i < pieces; i++)
        order[i] = i;
    clv_shuffle(&random, order, pieces);
}

static void assert_same(const Delta *a, const Delta *b)
{
    assert_int_equal(a->parts, b->parts);
    for (size_t i = 0; i < a->parts; i++) {
        const DeltaPart *ours = &a->part[i], *theirs = clv_delta_part(b, ours->name);

        assert_non_null(theirs);
        assert_int_equal(ours->count, theirs->count);
        assert_memory_equal(ours->index, theirs->index, ours->count * sizeof *ours->index);
        assert_memory_equal(ours->value, theirs->value, ours->count * sizeof *ours->value);
    }
}

/* Pieces in any order, some summed elsewhere before: the same bits. */
static void tree_knows_no_order(void **state)
{
    (void)state;
    for (uint32_t pieces = 1; pieces <= PIECES; pieces++) {
        DeltaTree first;

        clv_delta_tree_init(&first, context, pieces);
        for (uint32_t i = 0; i < pieces; i++) {
            Delta delta;

            assert_null(clv_delta_tree_sum(&first));
            fill(&delta, i);
            assert_ok(clv_delta_tree_add(&first, i, 1, &delta, &error));
        }
        assert_non_null(clv_delta_tree_sum(&first));
        for (uint64_t seed = 1; seed <= 5; seed++) {
            DeltaTree halves[2], whole;
            uint32_t order[PIECES];

            shuffled(order, pieces, seed);
            clv_delta_tree_init(&halves[0], context, pieces);
            clv_delta_tree_init(&halves[1], context, pieces);
            clv_delta_tree_init(&whole, context, pieces);
            for (uint32_t i = 0; i < pieces; i++) {
                Delta delta;

                fill(&delta, order[i]);
                assert_ok(clv_delta_tree_add(&halves[order[i] >= pieces / seed], order[i], 1,
                                             &delta, &error));
            }
            for (int i = 1; i >= 0; i--) {
                for (size_t node = 0; node < halves[i].nodes; node++)
                    assert_ok(clv_delta_tree_add(&whole, halves[i].node[node].first,
                                                 halves[i].node[node].size,
                                                 &halves[i].node[node].delta, &error));
                clv_delta_tree_free(&halves[i]);
            }
            assert_non_null(clv_delta_tree_sum(&whole));
            assert_same(clv_delta_tree_sum(&whole), clv_delta_tree_sum(&first));
            clv_delta_tree_free(&whole);
        }
        clv_delta_tree_free(&first);
    }
}

/* ---- the pool -------------------------------------------------------------------------------- */

typedef struct {
    uint32_t done[1000];
    unsigned workers;
    _Atomic bool strange;
} Tasks;

static void work(void *user, uint32_t task, unsigned worker)
{
    Tasks *tasks = user;

    tasks->done[task] += task + 1;
    if (worker >= tasks->workers)
        tasks->strange = true;
}

static void pool_does_every_task_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 7; threads += 2) {
        Context *many = cleave_context_new(
            &(cleave_config){.size = sizeof(cleave_config), .threads = threads});

        for (uint32_t count = 0; count <= 1000; count = 2 * count + 1) {
            Tasks *tasks = calloc(1, sizeof *tasks);

            assert_non_null(tasks);
            tasks->workers = clv_pool_workers(many, count);
            clv_pool_run(many, count, work, tasks);
            for (uint32_t i = 0; i < 1000; i++)
                assert_int_equal(tasks->done[i], i < count ? i + 1 : 0);
            assert_false(tasks->strange);
            free(tasks);
        }
        cleave_context_free(many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_by_index),
        cmocka_unit_test(tree_knows_no_order),
        cmocka_unit_test(pool_does_every_task_once),
    };
    int status;

    context = cleave_context_new(NULL);
    status = cmocka_run_group_tests_name("delta", tests, NULL, NULL);
    cleave_context_free(context);
    return status;
}
