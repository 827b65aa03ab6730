/* Edit distances by hand and against the table of Wagner and Fischer. The search equals it,
 * although it stops early. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/neighbor/edit.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { LONGEST = 300, ROWS = 400 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t by_table(const float *x, size_t n, const float *q, size_t m)
{
    size_t row[LONGEST + 1];

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t replaced = corner + (x[i - 1] != q[j - 1]);

            corner = row[j];
            row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[m];
}

static size_t spell(const char *text, float *value)
{
    size_t count = strlen(text);

    for (size_t i = 0; i < count; i++)
        value[i] = (float)(unsigned char)text[i];
    return count;
}

static double between(const char *one, const char *other)
{
    float x[LONGEST], q[LONGEST];
    uint32_t column[LONGEST] = {0};
    uint64_t end = spell(one, x);
    Vectors vectors = {.count = 1, .features = LONGEST, .end = &end, .column = column, .value = x};
    Query query = {.value = q, .column = column, .count = spell(other, q)};
    Metric metric = {.distance = EDIT};

    return clv_metric_distance(&metric, clv_metric_key(&metric, &vectors, 0, &query));
}

static void by_hand(void **state)
{
    (void)state;
    assert_true(between("kitten", "sitting") == 3);
    assert_true(between("sitting", "kitten") == 3);
    assert_true(between("saturday", "sunday") == 3);
    assert_true(between("abc", "abc") == 0);
    assert_true(between("abc", "abxc") == 1); /* an insertion */
    assert_true(between("abc", "bc") == 1);   /* a deletion */
    assert_true(between("abc", "") == 3);
    assert_true(between("", "abcd") == 4);
    assert_true(between("", "") == 0);
    assert_true(between("ab", "ba") == 2); /* swapping adjacent characters is not one operation */
}

typedef struct {
    float value[ROWS][LONGEST];
    size_t length[ROWS];
} Texts;

/* Characters from a small alphabet, so that texts have much in common; some rows are the previous
 * row with a few changes. */
static void draw(Texts *texts, Random *random, uint32_t longest, uint32_t letters)
{
    for (size_t i = 0; i < ROWS; i++) {
        float *value = texts->value[i];

        if (i && clv_random_below(random, 2)) {
            memcpy(value, texts->value[i - 1], sizeof texts->value[i]);
            texts->length[i] = texts->length[i - 1];
            for (uint32_t j = 0; j < 3 && texts->length[i]; j++)
                value[clv_random_below(random, (uint32_t)texts->length[i])] = 1;
            continue;
        }
        texts->length[i] = clv_random_below(random, longest + 1);
        for (size_t j = 0; j < texts->length[i]; j++)
            value[j] = (float)(1 + 3001 * clv_random_below(random, letters));
    }
}

static void check_searches(Context *context, Random *random, const Texts *texts,
                           const Vectors *vectors)
{
    IndexOptions options = {.index = INDEX_SCAN};
    Metric metric = {.distance = EDIT};
    SearchWorkspace workspace = {.context = context};
    cleave_error error;
    Nearest nearest;
    Index *index;

    FINE(clv_index_build(context, &options, &metric, vectors, &index, &error));
    for (int round = 0; round < 20; round++) {
        uint32_t row = clv_random_below(random, ROWS), k = 1 + clv_random_below(random, 12);
        Query query = {
            .value = texts->value[row], .column = vectors->column, .count = texts->length[row]};

        FINE(clv_nearest_init(&nearest, context, k, &error));
        if (round % 3 == 0)
            nearest.limit = (double)clv_random_below(random, 20);
        FINE(clv_index_search(index, &query, &nearest, 1, &workspace, &error));
        for (uint32_t i = 0; i < nearest.count; i++) {
            Neighbor found = nearest.item[i];
            uint32_t before = 0;

            for (uint32_t j = 0; j < ROWS; j++) {
                double key = (double)by_table(texts->value[j], texts->length[j], query.value,
                                              query.count);

                assert_true(j != found.row || key == found.key);
                assert_true(clv_metric_key(&metric, vectors, j, &query) == key);
                before += nearer((Neighbor){.key = key, .row = j}, found);
            }
            assert_int_equal(before, i);
            assert_true(found.key <= nearest.limit);
        }
        assert_true(nearest.count == k || isfinite(nearest.limit));
        clv_nearest_free(&nearest);
    }
    clv_search_workspace_free(&workspace);
    clv_index_free(index);
}

static void as_the_table_says(void **state)
{
    static const uint32_t longest[] = {3, 12, 63, 64, 65, 128, 200};
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(3, 7);
    Texts *texts = malloc(sizeof *texts);
    float *value = malloc(sizeof(float) * ROWS * LONGEST);
    uint32_t *column = calloc((size_t)ROWS * LONGEST, sizeof *column);
    uint64_t end[ROWS], entries;

    (void)state;
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
        Vectors vectors = {
            .count = ROWS, .features = LONGEST, .end = end, .column = column, .value = value};

        draw(texts, &random, longest[i], 2 + clv_random_below(&random, 20));
        entries = 0;
        for (size_t row = 0; row < ROWS; row++) {
            memcpy(value + entries, texts->value[row], texts->length[row] * sizeof *value);
            end[row] = entries += texts->length[row];
        }
        check_searches(context, &random, texts, &vectors);
    }
    free(texts);
    free(value);
    free(column);
    cleave_context_free(context);
}

/* Other kinds of indexes refuse this distance. */
static void other_kinds_refuse(void **state)
{
    Context *context = cleave_context_new(NULL);
    const float value[] = {1, 2, 3};
    const uint32_t column[] = {0, 1, 2};
    const uint64_t end = 3;
    Vectors vectors = {.count = 1, .features = 3, .end = &end, .column = column, .value = value};
    Metric metric = {.distance = EDIT};
    cleave_error error;
    Index *index;

    (void)state;
    for (int kind = INDEX_SCAN + 1; clv_index_names[kind]; kind++) {
        IndexOptions options = {.index = kind};

        assert_int_equal(clv_index_build(context, &options, &metric, &vectors, &index, &error),
                         CLEAVE_ERROR_USAGE);
        assert_non_null(strstr(error.hint, "scan"));
    }
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(as_the_table_says),
        cmocka_unit_test(other_kinds_refuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
