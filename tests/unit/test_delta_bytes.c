/* Updates as bytes (src/model/delta_bytes.c): encoding and decoding are exact, small updates take
 * few bytes, and truncated or changed bytes cause no crash. */
#include "base/random.h"
#include "model/delta_bytes.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static Context *context;
static cleave_error error;

static void assert_ok(Status status)
{
    if (status != OK)
        fail_msg("%s", error.message);
}

static void make(Delta *delta, uint64_t seed, uint64_t size, double share, bool floats)
{
    Random random = clv_random(seed, 1);

    clv_delta_init(delta, context);
    for (uint64_t i = 0; i < size; i++)
        if (clv_random_unit(&random) < share) {
            double value = clv_random_normal(&random);

            assert_ok(clv_delta_add(delta, "w", i * 3 + 5, floats ? (double)(float)value : value,
                                    &error));
        }
    assert_ok(clv_delta_add(delta, "round", 0, 1234567, &error));
    assert_ok(clv_delta_add(delta, "round", 1, 1e300, &error));
    assert_ok(clv_delta_add(delta, "far", (uint64_t)1 << 62, -1e-300, &error));
    assert_ok(clv_delta_add(delta, "empty", 3, 0, &error));
}

static void assert_same(const Delta *a, const Delta *b)
{
    assert_int_equal(a->parts, b->parts);
    for (size_t i = 0; i < a->parts; i++) {
        const DeltaPart *ours = &a->part[i], *theirs = &b->part[i];

        assert_string_equal(ours->name, theirs->name);
        assert_int_equal(ours->count, theirs->count);
        if (ours->count == 0)
            continue;
        assert_memory_equal(ours->index, theirs->index, ours->count * sizeof *ours->index);
        assert_memory_equal(ours->value, theirs->value, ours->count * sizeof *ours->value);
    }
}

static size_t there_and_back(const Delta *delta)
{
    Buffer bytes = {0};
    DeltaBytes reading;
    Delta back;
    size_t size;

    assert_ok(clv_delta_to_bytes(delta, context, &bytes, &error));
    reading = (DeltaBytes){.at = (unsigned char *)bytes.data,
                           .end = (unsigned char *)bytes.data + bytes.size};
    clv_delta_init(&back, context);
    assert_ok(clv_delta_from_bytes(&reading, &back, &error));
    assert_ptr_equal(reading.at, reading.end);
    assert_same(delta, &back);
    clv_delta_free(&back);
    size = bytes.size;
    clv_free(context, bytes.data);
    return size;
}

static void comes_back_to_the_last_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        Delta delta;

        make(&delta, seed, 1000 + seed, seed % 3 == 0 ? 1.0 : 0.1, seed % 2 == 0);
        there_and_back(&delta);
        clv_delta_free(&delta);
    }
}

/* A twentieth of a million weights have changed: far fewer bytes than the four million of all
 * weights as floats. */
static void takes_few_bytes_where_little_was_touched(void **state)
{
    Delta delta;

    (void)state;
    make(&delta, 3, 1000000, 0.05, false);
    assert_true(there_and_back(&delta) < 4 * 1000000 / 8);
    clv_delta_free(&delta);
    make(&delta, 3, 1000000, 0.05, true);
    assert_true(there_and_back(&delta) < 4 * 1000000 / 15);
    clv_delta_free(&delta);
}

/* All weights, with consecutive indexes: no index is written. */
static void writes_no_gaps_where_there_are_none(void **state)
{
    Delta delta;

    (void)state;
    clv_delta_init(&delta, context);
    for (uint64_t i = 0; i < 1000; i++)
        assert_ok(clv_delta_add(&delta, "w", i, 1.0 / (double)(i + 3), &error));
    assert_in_range(there_and_back(&delta), 8000, 8010);
    clv_delta_free(&delta);
}

/* A sum that is 0 is not sent, because it equals a missing one. */
static void leaves_zeros_out(void **state)
{
    Buffer bytes = {0};
    DeltaBytes reading;
    Delta a, b;

    (void)state;
    clv_delta_init(&a, context);
    clv_delta_init(&b, context);
    assert_ok(clv_delta_add(&a, "w", 2, 5, &error));
    assert_ok(clv_delta_add(&a, "w", 4, 1, &error));
    assert_ok(clv_delta_add(&b, "w", 2, -5, &error));
    assert_ok(clv_delta_sum(&a, &b, &error));
    assert_ok(clv_delta_to_bytes(&a, context, &bytes, &error));
    clv_delta_free(&a);
    reading = (DeltaBytes){.at = (unsigned char *)bytes.data,
                           .end = (unsigned char *)bytes.data + bytes.size};
    assert_ok(clv_delta_from_bytes(&reading, &a, &error));
    assert_int_equal(clv_delta_part(&a, "w")->count, 1);
    assert_true(clv_delta_number(&a, "w", 4) == 1);
    clv_delta_free(&a);
    clv_delta_free(&b);
    clv_free(context, bytes.data);
}

/* Three workers sum contiguous pieces, and send their nodes to the first: the same bits as one
 * worker with all pieces. */
static void trees_travel(void **state)
{
    enum { PIECES = 11 };
    DeltaTree whole, first;

    (void)state;
    clv_delta_tree_init(&whole, context, PIECES);
    clv_delta_tree_init(&first, context, PIECES);
    for (uint32_t i = 0; i < PIECES; i++) {
        Delta delta;

        clv_delta_init(&delta, context);
        for (uint64_t j = 0; j < 50; j++)
            assert_ok(clv_delta_add(&delta, "w", j, 1.0 / (double)(i * 50 + j + 3), &error));
        assert_ok(clv_delta_tree_add(&whole, i, 1, &delta, &error));
    }
    for (uint32_t rank = 3; rank-- > 0;) {
        Buffer bytes = {0};
        DeltaTree mine;

        clv_delta_tree_init(&mine, context, PIECES);
        for (uint32_t i = PIECES * rank / 3; i < PIECES * (rank + 1) / 3; i++) {
            Delta delta;

            clv_delta_init(&delta, context);
            for (uint64_t j = 0; j < 50; j++)
                assert_ok(clv_delta_add(&delta, "w", j, 1.0 / (double)(i * 50 + j + 3), &error));
            assert_ok(clv_delta_tree_add(&mine, i, 1, &delta, &error));
        }
        assert_ok(clv_delta_tree_to_bytes(&mine, &bytes, &error));
        assert_ok(clv_delta_tree_from_bytes(&first, bytes.data, bytes.size, &error));
        clv_delta_tree_free(&mine);
        clv_free(context, bytes.data);
    }
    assert_non_null(clv_delta_tree_sum(&first));
    assert_same(clv_delta_tree_sum(&first), clv_delta_tree_sum(&whole));
    clv_delta_tree_free(&first);
    clv_delta_tree_free(&whole);
}

/* Truncated anywhere, or with a byte changed: an error or another update, never a crash. */
static void survives_anything(void **state)
{
    Buffer bytes = {0};
    Random random = clv_random(9, 9);
    Delta delta;

    (void)state;
    make(&delta, 1, 60, 0.5, false);
    assert_ok(clv_delta_to_bytes(&delta, context, &bytes, &error));
    for (size_t size = 0; size < bytes.size; size++) {
        DeltaBytes reading = {.at = (unsigned char *)bytes.data,
                              .end = (unsigned char *)bytes.data + size};
        Delta back;

        clv_delta_init(&back, context);
        assert_int_equal(clv_delta_from_bytes(&reading, &back, &error), CLEAVE_ERROR_FORMAT);
        clv_delta_free(&back);
    }
    for (unsigned i = 0; i < 20000; i++) {
        char *at = bytes.data + clv_random_below(&random, (uint32_t)bytes.size), kept = *at;
        DeltaBytes reading = {.at = (unsigned char *)bytes.data,
                              .end = (unsigned char *)bytes.data + bytes.size};
        Delta back;

        *at = (char)clv_random_below(&random, 256);
        clv_delta_init(&back, context);
        clv_delta_from_bytes(&reading, &back, &error);
        clv_delta_free(&back);
        *at = kept;
    }
    clv_delta_free(&delta);
    clv_free(context, bytes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_to_the_last_bit),
        cmocka_unit_test(takes_few_bytes_where_little_was_touched),
        cmocka_unit_test(writes_no_gaps_where_there_are_none),
        cmocka_unit_test(leaves_zeros_out),
        cmocka_unit_test(trees_travel),
        cmocka_unit_test(survives_anything),
    };
    int failed;

    context = cleave_context_new(NULL);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    cleave_context_free(context);
    return failed;
}
