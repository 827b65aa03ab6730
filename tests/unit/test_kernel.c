/*
 * src/learn/linear/kernel*.c: every kernel of every table that this machine supports, over all
 * forms of rows and all lengths around the widths of vectors, is bit-identical to the rule in
 * kernel.h, which is implemented here entry by entry. The rule is accurate to within the rounding
 * of long double.
 */
#include "property/table.h"

#include "learn/linear/kernel.h"

#include <math.h>

enum { LONGEST = 70, MOST_OUTPUTS = 100 };

static const Shape shapes[] = {{ROWS_DENSE, VALUES_EACH},   {ROWS_GAPS, VALUES_EACH},
                               {ROWS_GAPS, VALUES_PER_ROW}, {ROWS_GAPS, VALUES_ONES},
                               {ROWS_COLUMNS, VALUES_EACH}, {ROWS_COLUMNS, VALUES_PER_ROW},
                               {ROWS_COLUMNS, VALUES_ONES}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---- rows ------------------------------------------------------------------------------------ */

/* The entries of one row, to which the rule refers. Fillers have the value 0. */
typedef struct {
    uint32_t count;
    uint32_t column[LONGEST * 4 + 8];
    float value[LONGEST * 4 + 8];
} Entries;

/* Columns at random distances, so that the last is below features. Wide rows have a distance of one
 * filler or two; dense rows have zeros. */
static void add_row(Table *table, Random *random, uint32_t length, uint32_t features, Shape shape)
{
    float same = (float)clv_random_normal(random);
    uint32_t column = 0, far = clv_random_below(random, length + 1);

    table_row(table, 0);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t workspace = features - column - (length - i); /* the maximum distance */
        uint32_t left_out = shape.form == ROWS_DENSE ? 0 : clv_random_below(random, 4);

        if (i == far)
            left_out += FILLER_GAP * (1 + clv_random_below(random, 2)) - 2;
        column += left_out < workspace ? left_out : workspace;
        if (shape.form != ROWS_DENSE || clv_random_below(random, 4))
            table_cell(table, column,
                       shape.values == VALUES_ONES      ? 1
                       : shape.values == VALUES_PER_ROW ? same
                                                        : (float)clv_random_normal(random));
        column++;
    }
    table->features = features;
}

/* Arrays that end where the rows end, so that a sanitizer reports any read beyond them. */
static void *tight(void *array, size_t count, size_t size)
{
    void *copy = malloc(count * size);

    assert_true(copy || count == 0);
    if (count)
        memcpy(copy, array, count * size);
    free(array);
    return copy;
}

static void encode_tightly(const Table *table, Shape shape, Encoded *encoded)
{
    Block *block = &encoded->block;
    size_t entries;

    encode(table, 0, table->rows, shape, encoded);
    entries = shape.form == ROWS_DENSE ? table->rows * (size_t)table->features
                                       : block->end[table->rows - 1];
    encoded->gap = tight(encoded->gap, entries, sizeof *encoded->gap);
    encoded->column = tight(encoded->column, entries, sizeof *encoded->column);
    encoded->value = tight(encoded->value,
                           shape.values == VALUES_EACH      ? entries
                           : shape.values == VALUES_PER_ROW ? table->rows
                                                            : 0,
                           sizeof *encoded->value);
    block->gap = shape.form == ROWS_GAPS ? encoded->gap : NULL;
    block->column = shape.form == ROWS_COLUMNS ? encoded->column : NULL;
    block->value = shape.values == VALUES_ONES ? NULL : encoded->value;
}

static void put_entry(Entries *entries, uint32_t column, float value)
{
    assert_true(entries->count < sizeof entries->column / sizeof entries->column[0]);
    entries->column[entries->count] = column;
    entries->value[entries->count++] = value;
}

static void list_entries(const Table *table, size_t row, Shape shape, Entries *entries)
{
    const Cell *cell = table->cell + table->row[row].start;
    size_t count = table->row[row].count;
    uint32_t before = UINT32_MAX;

    entries->count = 0;
    for (uint32_t column = 0, i = 0; shape.form == ROWS_DENSE && column < table->features; column++)
        put_entry(entries, column, i < count && cell[i].column == column ? cell[i++].value : 0);
    for (size_t i = 0; shape.form != ROWS_DENSE && i < count; i++) {
        while (shape.form == ROWS_GAPS && cell[i].column - before > FILLER_GAP) {
            before += FILLER_GAP;
            put_entry(entries, before, 0);
        }
        put_entry(entries, cell[i].column, cell[i].value);
        before = cell[i].column;
    }
}

/* ---- the rule -------------------------------------------------------------------------------- */

static double add_lanes(const double lane[8])
{
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* Weights are given as doubles; those of floats are exact. */
static double dot_by_rule(const double *w, const Entries *entries, Shape shape)
{
    double lane[8] = {0}, same = 0;

    for (uint32_t i = 0; i < entries->count; i++) {
        if (shape.values == VALUES_EACH)
            lane[i % 8] += w[entries->column[i]] * (double)entries->value[i];
        else if (entries->value[i] != 0)
            lane[i % 8] += w[entries->column[i]];
        if (entries->value[i] != 0)
            same = (double)entries->value[i];
    }
    return shape.values == VALUES_EACH ? add_lanes(lane) : same * add_lanes(lane);
}

static long double dot_exactly(const double *w, const Entries *entries, long double *size)
{
    long double sum = 0;

    *size = 0;
    for (uint32_t i = 0; i < entries->count; i++) {
        long double product = (long double)w[entries->column[i]] * (long double)entries->value[i];

        sum += product;
        *size += fabsl(product);
    }
    return sum;
}

static double score_by_rule(double score, const float *w, size_t outputs, const Entries *entries)
{
    double product[LONGEST * 4 + 8];
    size_t count = 0, i = 0;

    for (uint32_t j = 0; j < entries->count; j++)
        if (entries->value[j] != 0)
            product[count++] = (double)w[entries->column[j] * outputs] * (double)entries->value[j];
    for (; i + 4 <= count; i += 4)
        score += (product[i] + product[i + 1]) + (product[i + 2] + product[i + 3]);
    for (; i < count; i++)
        score += product[i];
    return score;
}

static void assert_same_bits(double found, double expected)
{
    if (memcmp(&found, &expected, sizeof found) != 0)
        print_error("%.17g where the rule gives %.17g\n", found, expected);
    assert_memory_equal(&found, &expected, sizeof found);
}

/* In [-1, 1), using all bits; fast, because there are many. */
static double quick(Random *random)
{
    return 2 * clv_random_unit(random) - 1;
}

/* ---- one vector of weights ------------------------------------------------------------------- */

typedef struct {
    Table table;
    Encoded encoded;
    Shape shape;
    uint32_t features, row;
    Entries entries;
} Sample;

static void check_one(const Kernels *kernels, Sample *sample, Random *random)
{
    uint32_t features = sample->features;
    const Entries *entries = &sample->entries;
    const Block *block = &sample->encoded.block;
    float *w = malloc(features * sizeof *w), *expected = malloc(features * sizeof *w);
    double *wide = malloc(features * sizeof *wide), step = clv_random_normal(random), sum;
    long double exact, size;

    for (uint32_t i = 0; i < features; i++) {
        expected[i] = w[i] = (float)quick(random);
        wide[i] = (double)w[i];
    }
    sum = kernels->dot(w, block, sample->row);
    exact = dot_exactly(wide, entries, &size);
    assert_same_bits(sum, dot_by_rule(wide, entries, sample->shape));
    assert_true(fabsl((long double)sum - exact) <= 1e-14L * size);
    kernels->add(w, step, block, sample->row);
    for (uint32_t i = 0; i < entries->count; i++) {
        float *weight = &expected[entries->column[i]];

        *weight = (float)((double)*weight + step * (double)entries->value[i]);
    }
    if (features)
        assert_memory_equal(w, expected, features * sizeof *w);
    free(w);
    free(expected);
    free(wide);
}

static void check_one_wide(const Kernels *kernels, Sample *sample, Random *random)
{
    uint32_t features = sample->features;
    const Entries *entries = &sample->entries;
    const Block *block = &sample->encoded.block;
    double *w = malloc(features * sizeof *w), *expected = malloc(features * sizeof *w);
    double step = clv_random_normal(random), sum;
    long double exact, size;

    for (uint32_t i = 0; i < features; i++)
        expected[i] = w[i] = quick(random);
    sum = kernels->dot_wide(w, block, sample->row);
    exact = dot_exactly(w, entries, &size);
    assert_same_bits(sum, dot_by_rule(w, entries, sample->shape));
    assert_true(fabsl((long double)sum - exact) <= 1e-14L * size);
    kernels->add_wide(w, step, block, sample->row);
    for (uint32_t i = 0; i < entries->count; i++)
        expected[entries->column[i]] += step * (double)entries->value[i];
    if (features)
        assert_memory_equal(w, expected, features * sizeof *w);
    free(w);
    free(expected);
}

/* ---- several --------------------------------------------------------------------------------- */

static void check_many(const Kernels *kernels, Sample *sample, size_t outputs, bool most_steps_0,
                       Random *random)
{
    size_t count = sample->features * outputs;
    const Entries *entries = &sample->entries;
    const Block *block = &sample->encoded.block;
    float *w = malloc(count * sizeof *w), *expected = malloc(count * sizeof *w);
    double *scores = malloc(outputs * sizeof *scores), *steps = malloc(outputs * sizeof *steps);
    double *before = malloc(outputs * sizeof *before);

    for (size_t i = 0; i < count; i++)
        expected[i] = w[i] = (float)quick(random);
    for (size_t i = 0; i < outputs; i++) {
        before[i] = scores[i] = clv_random_normal(random);
        steps[i] = most_steps_0 && clv_random_below(random, 8) ? 0 : clv_random_normal(random);
    }
    kernels->dot_many(w, outputs, block, sample->row, scores);
    for (size_t i = 0; i < outputs; i++) {
        long double sum = (long double)before[i], size = fabsl(sum);

        assert_same_bits(scores[i], score_by_rule(before[i], w + i, outputs, entries));
        for (uint32_t j = 0; j < entries->count; j++) {
            sum += (long double)w[entries->column[j] * outputs + i] *
                   (long double)entries->value[j];
            size += fabsl((long double)w[entries->column[j] * outputs + i] *
                          (long double)entries->value[j]);
        }
        assert_true(fabsl((long double)scores[i] - sum) <= 1e-14L * size);
    }
    kernels->add_many(w, outputs, steps, block, sample->row);
    for (uint32_t j = 0; j < entries->count; j++)
        for (size_t i = 0; i < outputs; i++) {
            float *weight = &expected[entries->column[j] * outputs + i];

            *weight = (float)((double)*weight + steps[i] * (double)entries->value[j]);
        }
    if (count)
        assert_memory_equal(w, expected, count * sizeof *w);
    free(w);
    free(expected);
    free(scores);
    free(steps);
    free(before);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void with_samples(const char *test, uint32_t wide_features,
                         void (*check)(const Kernels *, Sample *, Random *))
{
    Random random = clv_random(test_seed(test), 0);

    for (size_t shape = 0; shape < SHAPES; shape++)
        for (uint32_t length = 0; length <= LONGEST; length++)
            for (int wide = 0; wide < 2; wide++) {
                Sample sample = {.shape = shapes[shape]};

                if (wide && (shapes[shape].form == ROWS_DENSE || length % 3 != shape % 3))
                    continue; /* wide ones are for fillers, and slow */
                sample.features = shapes[shape].form == ROWS_DENSE ? length
                                  : wide                           ? wide_features
                                                                   : 2 * length + 1;
                for (uint32_t row = 0; row < 3; row++)
                    add_row(&sample.table, &random, length, sample.features, sample.shape);
                encode_tightly(&sample.table, sample.shape, &sample.encoded);
                sample.row = clv_random_below(&random, 3);
                list_entries(&sample.table, sample.row, sample.shape, &sample.entries);
                for (size_t i = 0; clv_kernels_at(i); i++)
                    check(clv_kernels_at(i), &sample, &random);
                encoded_free(&sample.encoded);
                table_free(&sample.table);
            }
}

static void one_vector_of_floats(void **state)
{
    (void)state;
    with_samples("one_vector_of_floats", 140000, check_one);
}

static void one_vector_of_doubles(void **state)
{
    (void)state;
    with_samples("one_vector_of_doubles", 140000, check_one_wide);
}

static void check_some_outputs(const Kernels *kernels, Sample *sample, Random *random)
{
    static const size_t outputs[] = {2,  3,  4,  5,  7,  10, 8,  15,
                                     16, 17, 31, 32, 33, 64, 65, MOST_OUTPUTS};
    uint32_t most = sample->features > 1000 ? 6 : sizeof outputs / sizeof outputs[0];

    for (uint32_t i = 0; i < (sample->features > 1000 ? 1 : 4); i++)
        check_many(kernels, sample, outputs[clv_random_below(random, most)],
                   clv_random_below(random, 2), random);
}

static void several_vectors(void **state)
{
    (void)state;
    with_samples("several_vectors", 100000, check_some_outputs);
}

/* Rows longer than the lists of kernels for several vectors, with some zeros in the middle. */
static void long_rows_of_several_vectors(void **state)
{
    Random random = clv_random(test_seed("long_rows_of_several_vectors"), 0);

    (void)state;
    for (uint32_t length = 60; length < LONGEST * 4; length += 1 + clv_random_below(&random, 3)) {
        size_t shape = clv_random_below(&random, SHAPES);
        Sample sample = {.shape = shapes[shape]};

        sample.features = shapes[shape].form == ROWS_DENSE ? length : length + 20;
        add_row(&sample.table, &random, length, sample.features, sample.shape);
        encode_tightly(&sample.table, sample.shape, &sample.encoded);
        list_entries(&sample.table, 0, sample.shape, &sample.entries);
        for (size_t i = 0; clv_kernels_at(i); i++) {
            check_one(clv_kernels_at(i), &sample, &random);
            check_one_wide(clv_kernels_at(i), &sample, &random);
            check_many(clv_kernels_at(i), &sample, 1 + clv_random_below(&random, MOST_OUTPUTS),
                       false, &random);
            check_many(clv_kernels_at(i), &sample, 10, true, &random);
        }
        encoded_free(&sample.encoded);
        table_free(&sample.table);
    }
}

static void tables_are_listed_from_plain_to_fastest(void **state)
{
    size_t count = 0;

    (void)state;
    while (clv_kernels_at(count))
        count++;
    assert_string_equal(clv_kernels_at(0)->name, "plain");
    assert_ptr_equal(clv_kernels(), clv_kernels_at(count - 1));
    assert_null(clv_kernels_at(count + 1));
    for (size_t i = 0; i < count; i++)
        print_message("this machine runs %s\n", clv_kernels_at(i)->name);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        assert_string_equal(clv_kernels_at(1)->name, "avx2");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_vector_of_floats),
        cmocka_unit_test(one_vector_of_doubles),
        cmocka_unit_test(several_vectors),
        cmocka_unit_test(long_rows_of_several_vectors),
        cmocka_unit_test(tables_are_listed_from_plain_to_fastest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
