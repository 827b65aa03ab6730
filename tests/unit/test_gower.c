/* Gower's distance by hand, equal for dense and sparse vectors. The search skips no point that it
 * should find. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/neighbor/gower.h"

#define FINE(expression) assert_int_equal((expression), OK)
#define NONE MISSING_VALUE

enum { ROWS = 200, MOST = 12 };

/* Age, size, color; the schema has their types. */
static void by_hand(void **state)
{
    static const float points[4][3] = {{10, 1, 1}, {20, 3, 2}, {30, NONE, 1}, {NONE, 2, 3}};
    static const double expected[] = {0.25, 1.75 / 3, 0.375, 0.5};
    const float asked[] = {15, 2, 1}, lost[] = {NONE, NONE, NONE}, far[] = {50, NONE, 9};
    Vectors vectors = {.count = 4, .features = 3, .dense = points[0], .stride = 3};
    Context *context = cleave_context_new(NULL);
    Metric metric = {.distance = GOWER};
    cleave_error error;
    double *scale;
    Schema schema;
    Names names;
    Query query;
    uint32_t number;

    (void)state;
    clv_schema_init(&schema, context);
    memcpy(schema.format, "csv", 4);
    clv_names_init(&names, context, false);
    FINE(clv_schema_add(&schema, "color", 6, COLUMN_CATEGORY, &error));
    FINE(clv_schema_add(&schema, "age", 3, COLUMN_NUMBER, &error));
    FINE(clv_schema_add(&schema, "size", 4, COLUMN_NUMBER, &error));
    FINE(clv_names_add(&names, "age", 3, &number, &error));
    FINE(clv_names_add(&names, "size", 4, &number, &error));
    FINE(clv_names_add(&names, "color", 6, &number, &error));
    FINE(clv_gower_learn(context, &vectors, &names, &schema, &scale, &error));
    assert_true(scale[0] == 1 / 20.0 && scale[1] == 0.5 && scale[2] == 0);
    metric.scale = scale;
    query_set_dense(&query, asked);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(fabs(clv_metric_key(&metric, &vectors, i, &query) - expected[i]) < 1e-15);
    query_set_dense(&query, lost);
    assert_true(clv_metric_key(&metric, &vectors, 0, &query) == 1);
    query_set_dense(&query, far);
    assert_true(clv_metric_key(&metric, &vectors, 0, &query) == 1.5); /* (2 + 1) / 2 */
    query_set_dense(&query, points[3]);
    assert_true(clv_metric_key(&metric, &vectors, 3, &query) == 0);
    clv_free(context, scale);
    clv_names_free(&names);
    clv_schema_free(&schema);
    cleave_context_free(context);
}

typedef struct {
    float dense[ROWS][MOST], value[ROWS * MOST];
    uint32_t column[ROWS * MOST];
    uint64_t end[ROWS];
} Table;

static void draw(Table *table, Random *random, uint32_t features)
{
    static const float few[] = {0, 0, 1, 2, -1, 0.25f, NONE, 1e30f};
    uint64_t entries = 0;

    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < features; i++) {
            float value = few[clv_random_below(random, i == 2 ? 8 : 7)];

            table->dense[row][i] = value;
            table->column[entries] = i;
            table->value[entries] = value;
            entries += value != 0;
        }
        table->end[row] = entries;
    }
}

static void check_query(Context *context, const Index *index, const Vectors *sparse,
                        const Query *query, uint32_t k)
{
    SearchWorkspace workspace = {.context = context};
    cleave_error error;
    Nearest nearest;

    FINE(clv_nearest_init(&nearest, context, k, &error));
    FINE(clv_index_search(index, query, &nearest, 1, &workspace, &error));
    assert_int_equal(nearest.count, k);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t before = 0;

        for (uint32_t row = 0; row < ROWS; row++) {
            double one = clv_metric_key(&index->metric, &index->vectors, row, query);
            double other = clv_metric_key(&index->metric, sparse, row, query);

            assert_memory_equal(&one, &other, sizeof one);
            before += nearer((Neighbor){.key = one, .row = row}, nearest.item[i]);
        }
        assert_int_equal(before, i);
    }
    clv_nearest_free(&nearest);
    clv_search_workspace_free(&workspace);
}

static void all_forms_agree(void **state)
{
    static Table table;
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(17, 1);
    IndexOptions options = {.index = INDEX_SCAN};
    cleave_error error;

    (void)state;
    for (int round = 0; round < 30; round++) {
        uint32_t features = 1 + clv_random_below(&random, MOST), row;
        Vectors dense = {
            .count = ROWS, .features = features, .dense = table.dense[0], .stride = MOST};
        Vectors sparse = {.count = ROWS,
                          .features = features,
                          .end = table.end,
                          .column = table.column,
                          .value = table.value};
        Metric metric = {.distance = GOWER};
        double *scale, *again;
        Query query = {.context = NULL};
        uint64_t start;
        Index *index;

        draw(&table, &random, features);
        FINE(clv_gower_learn(context, &dense, NULL, NULL, &scale, &error));
        FINE(clv_gower_learn(context, &sparse, NULL, NULL, &again, &error));
        assert_memory_equal(scale, again, features * sizeof *scale);
        metric.scale = scale;
        FINE(clv_index_build(context, &options, &metric, &dense, &index, &error));
        row = clv_random_below(&random, ROWS);
        start = sparse_start(&sparse, row);
        query = (Query){.column = table.column + start,
                        .value = table.value + start,
                        .count = (size_t)(table.end[row] - start),
                        .known = (size_t)(table.end[row] - start),
                        .dense = table.dense[row]};
        check_query(context, index, &sparse, &query, 1 + clv_random_below(&random, 20));
        clv_index_free(index);
        clv_free(context, scale);
        clv_free(context, again);
    }
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(all_forms_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
