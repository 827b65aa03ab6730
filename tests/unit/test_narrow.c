/*
 * Narrow numbers: the first type that represents all values; packing is reversed exactly, by every
 * form of the loops and for every finite float16; distances to packed points are those to the
 * values, bit for bit; points that are added to packed ones unpack them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/neighbor/distance.h"
#include "support/support.h"

enum { ROWS = 70, FEATURES = 1030, CELLS = ROWS * FEATURES };

/* Random values of a type. */
static void fill(NarrowType type, float *value, size_t count)
{
    Random random = clv_random(3, (uint64_t)type);

    for (size_t i = 0; i < count; i++) {
        float x = (float)clv_random_normal(&random) * (type == NARROW_BFLOAT16 ? 0x1p40F : 1);
        uint32_t bits, kept = type == NARROW_FLOAT16 ? 0xffffe000 : 0xffff0000;

        if (type == NARROW_UINT8 || type == NARROW_INT8) {
            value[i] = (float)((int)clv_random_below(&random, 256) - (type == NARROW_INT8) * 128);
            continue;
        }
        memcpy(&bits, &x, sizeof bits);
        bits &= type == NARROW_NONE ? UINT32_MAX : kept;
        memcpy(&value[i], &bits, sizeof bits);
        if (type == NARROW_FLOAT16 && fabsf(value[i]) < 0x1p-14F)
            value[i] = 0;
    }
}

static void types(void **state)
{
    static const float whole[] = {0, 255, 3}, negative[] = {0, -128, 127}, half[] = {-0.5F, 65504},
                       small[] = {0x1p-24F, 0x1.ff8p-15F}, large[] = {65536, 1},
                       tiny[] = {0x1p-130F}, others[] = {256.5F, 0x1p-25F}, full[] = {0.1F};

    (void)state;
    assert_int_equal(clv_narrow_type(whole, 3), NARROW_UINT8);
    assert_int_equal(clv_narrow_type(negative, 3), NARROW_INT8);
    assert_int_equal(clv_narrow_type(half, 2), NARROW_FLOAT16);
    assert_int_equal(clv_narrow_type(small, 2), NARROW_FLOAT16);
    assert_int_equal(clv_narrow_type(large, 2), NARROW_BFLOAT16);
    assert_int_equal(clv_narrow_type(tiny, 1), NARROW_BFLOAT16);
    assert_int_equal(clv_narrow_type(others, 2), NARROW_NONE);
    assert_int_equal(clv_narrow_type(full, 1), NARROW_NONE);
}

static void packing_is_exact(void **state)
{
    float *value = malloc(CELLS * sizeof *value), *packed = malloc(CELLS * sizeof *packed),
          *again = malloc(CELLS * sizeof *again);

    (void)state;
    assert_true(value && packed && again);
    for (NarrowType type = NARROW_UINT8; type < NARROW_TYPES; type++) {
        fill(type, value, CELLS);
        assert_int_equal(clv_narrow_type(value, CELLS), type);
        memcpy(packed, value, CELLS * sizeof *value);
        clv_narrow_pack(type, packed, CELLS);
        clv_narrow_plain.unpack[type](packed, CELLS, again);
        assert_memory_equal(again, value, CELLS * sizeof *value);
        memset(again, 1, CELLS * sizeof *again);
        clv_narrow_loops()->unpack[type](packed, CELLS, again);
        assert_memory_equal(again, value, CELLS * sizeof *value);
    }
    free(value);
    free(packed);
    free(again);
}

static void every_float16(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        uint16_t half = (uint16_t)bits;
        uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
        double size = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
        float plain, fast;

        if (exponent == 31)
            continue; /* not finite */
        clv_narrow_plain.unpack[NARROW_FLOAT16](&half, 1, &plain);
        clv_narrow_loops()->unpack[NARROW_FLOAT16](&half, 1, &fast);
        assert_true((double)plain == (bits & 0x8000 ? -size : size));
        assert_memory_equal(&plain, &fast, sizeof plain);
        clv_narrow_pack(NARROW_FLOAT16, &fast, 1);
        assert_memory_equal(&fast, &half, sizeof half);
    }
}

static void distances_are_the_same(void **state)
{
    float *value = malloc(CELLS * sizeof *value), *packed = malloc(CELLS * sizeof *packed),
          *query = malloc(FEATURES * sizeof *query);

    (void)state;
    assert_true(value && packed && query);
    fill(NARROW_NONE, query, FEATURES);
    for (NarrowType type = NARROW_UINT8; type < NARROW_TYPES; type++) {
        fill(type, value, CELLS);
        memcpy(packed, value, CELLS * sizeof *value);
        clv_narrow_pack(type, packed, CELLS);
        for (int distance = EUCLIDEAN; distance <= HAMMING; distance++)
            for (uint32_t features = 1; features <= FEATURES; features = 3 * features + 2) {
                static const uint32_t column[] = {FEATURES, FEATURES + 2};
                static const float other[] = {0.75F, -3};
                Metric metric = {.distance = (Distance)distance, .r = 1.5};
                Vectors wide = {.count = 1, .features = features, .dense = value},
                        narrow = {.count = 1,
                                  .features = features,
                                  .packed = (const char *)packed,
                                  .narrow = type,
                                  .unpack = clv_narrow_loops()->unpack[type]};
                Query one = {.dense = query, .column = column, .value = other, .count = 2};
                double x = clv_metric_key(&metric, &wide, 0, &one),
                       y = clv_metric_key(&metric, &narrow, 0, &one);

                assert_memory_equal(&x, &y, sizeof x);
            }
    }
    free(value);
    free(packed);
    free(query);
}

static void added_points_unpack_the_others(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    Gathered gathered = {.context = context};
    float *value = malloc(CELLS * sizeof *value), *row = malloc(FEATURES * sizeof *row);
    Vectors all = {.count = ROWS, .features = FEATURES, .dense = value, .stride = FEATURES}, packed;
    cleave_error error;

    (void)state;
    assert_true(value && row);
    fill(NARROW_INT8, value, CELLS);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(clv_gathered_add_vector(&gathered, &all, i, &error), OK);
    assert_int_equal(clv_gathered_settle(&gathered, FEATURES, &error), OK);
    clv_gathered_pack(&gathered);
    packed = clv_gathered_vectors(&gathered);
    assert_int_equal(packed.narrow, NARROW_INT8);
    assert_null(packed.dense);
    spread_row(&packed, 9, row);
    assert_memory_equal(row, value + 9 * FEATURES, FEATURES * sizeof *row);
    assert_true(dense_value(&packed, 9, 700) == value[9 * FEATURES + 700]);
    value[5] = 0.1F;
    assert_int_equal(clv_gathered_add_vector(&gathered, &all, 0, &error), OK);
    packed = clv_gathered_vectors(&gathered);
    assert_int_equal(packed.narrow, NARROW_NONE);
    assert_int_equal(packed.count, ROWS + 1);
    assert_memory_equal(dense_row(&packed, 9), value + 9 * FEATURES, FEATURES * sizeof *value);
    assert_true(dense_row(&packed, ROWS)[5] == 0.1F);
    clv_gathered_free(&gathered);
    free(value);
    free(row);
    cleave_context_free(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(packing_is_exact),
        cmocka_unit_test(every_float16),
        cmocka_unit_test(distances_are_the_same),
        cmocka_unit_test(added_points_unpack_the_others),
    };

    return cmocka_run_group_tests_name("narrow", tests, NULL, NULL);
}
