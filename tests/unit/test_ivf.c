/*
 * Inverted lists: the recall on clustered points reaches the target for every distance, dense or
 * sparse, and the keys are those of the scan; all forms of the kernels and any number of threads
 * give the same arrays; filters, limits and removed rows hold; an index that is extended keeps its
 * lists; broken arrays are refused.
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
#include "learn/neighbor/ivf.h"
#include "support/support.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { ROWS = 6000, WIDTH = 20, CLUSTERS = 60, QUERIES = 100, K = 10 };

typedef struct {
    Context *context;
    float *values, *queries;
    Vectors vectors;
    uint64_t *end; /* of the sparse form */
    uint32_t *column;
} Data;

static float coordinate(Random *random, uint32_t cluster, uint32_t column)
{
    Random center = clv_random(7, (uint64_t)cluster * WIDTH + column);

    if (column % 5 == 4)
        return 0; /* the sparse form has fewer entries than columns */
    return (float)(3 * clv_random_normal(&center) + clv_random_normal(random) + 5);
}

static void fill(float *values, uint32_t rows, uint64_t stream)
{
    Random random = clv_random(1, stream);

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t cluster = clv_random_below(&random, CLUSTERS);

        for (uint32_t j = 0; j < WIDTH; j++)
            values[(size_t)i * WIDTH + j] = coordinate(&random, cluster, j);
    }
}

static Data make_data(unsigned threads)
{
    Data data = {.values = malloc(sizeof(float) * ROWS * WIDTH),
                 .queries = malloc(sizeof(float) * QUERIES * WIDTH)};

    data.context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = threads});
    assert_true(data.values && data.queries);
    fill(data.values, ROWS, 1);
    fill(data.queries, QUERIES, 2);
    data.vectors = (Vectors){
        .count = ROWS, .features = WIDTH, .dense = data.values, .stride = WIDTH};
    return data;
}

static void free_data(Data *data)
{
    free(data->values);
    free(data->queries);
    free(data->end);
    free(data->column);
    cleave_context_free(data->context);
}

static Vectors sparse_of(Data *data)
{
    float *value = data->values;
    size_t count = 0;

    data->end = malloc(ROWS * sizeof *data->end);
    data->column = malloc(sizeof *data->column * ROWS * WIDTH);
    assert_true(data->end && data->column);
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < WIDTH; j++)
            if (data->values[(size_t)i * WIDTH + j] != 0) {
                data->column[count] = j;
                value[count++] = data->values[(size_t)i * WIDTH + j];
            }
        data->end[i] = count;
    }
    return (Vectors){
        .count = ROWS, .features = WIDTH, .end = data->end, .column = data->column, .value = value};
}

static Index *build(const Data *data, const char *kind, Distance distance, const Vectors *vectors,
                    IndexOptions options)
{
    Metric metric = {.distance = distance};
    cleave_error error = {0};
    Index *index;

    options.index = clv_index_number(kind);
    options.seed = 3;
    if (clv_index_build(data->context, &options, &metric, vectors, &index, &error) != OK)
        fail_msg("%s", error.message);
    return index;
}

/* A search of one query; the results are in nearest. */
static void find(const Data *data, const Index *index, uint32_t query, Nearest *nearest)
{
    SearchWorkspace workspace = {.context = data->context};
    Query one = {.context = data->context, .sparse = !index->vectors.dense};
    cleave_error error;

    FINE(
        clv_query_set_values(&one, data->queries + (size_t)query * WIDTH, &index->vectors, &error));
    FINE(clv_index_search(index, &one, nearest, 1, &workspace, &error));
    clv_query_free(&one);
    clv_search_workspace_free(&workspace);
}

/* The fraction of the true neighbors that the index finds. Every key is that of the scan. */
static double recall(const Data *data, const Index *index, const uint64_t *only)
{
    Index *scan = build(data, "scan", index->metric.distance, &index->vectors, (IndexOptions){0});
    Nearest found, truth;
    uint32_t hits = 0, there = 0;
    cleave_error error;

    FINE(clv_nearest_init(&found, data->context, K, &error));
    FINE(clv_nearest_init(&truth, data->context, K, &error));
    found.only = truth.only = only;
    for (uint32_t row = 0; index->gone_count && row < index->vectors.count; row++)
        if (row_bit(index->gone, row))
            FINE(clv_index_remove(scan, row, &error));
    for (uint32_t i = 0; i < QUERIES; i++) {
        find(data, index, i, &found);
        find(data, scan, i, &truth);
        assert_int_equal(found.count, truth.count);
        for (uint32_t j = 0; j < found.count; j++) {
            assert_true(may_be_found(&found, found.item[j].row));
            assert_true(found.item[j].key >= truth.item[j].key);
            hits += found.item[j].key <= truth.item[truth.count - 1].key;
        }
        there += truth.count;
    }
    clv_nearest_free(&found);
    clv_nearest_free(&truth);
    clv_index_free(scan);
    return (double)hits / there;
}

/* ---- recall ---------------------------------------------------------------------------------- */

static void recall_reaches_the_target(void **state)
{
    static const Distance distances[] = {EUCLIDEAN, COSINE, ANGLE, INNER_PRODUCT};
    static const double targets[] = {0.8, 0.95, 0.99};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++) {
            Data data = make_data(1);
            Index *index = build(&data, "ivf", distances[i], &data.vectors,
                                 (IndexOptions){.recall = targets[j]});
            double dense = recall(&data, index, NULL);

            if (dense < targets[j] - 0.04)
                fail_msg("%s, target %g: recall %g", clv_distances[distances[i]], targets[j],
                         dense);
            clv_index_free(index);
            free_data(&data);
        }
}

static void sparse_points_have_the_same_arrays(void **state)
{
    Data data = make_data(1);
    Index *dense = build(&data, "ivf", COSINE, &data.vectors, (IndexOptions){0}), *sparse;
    Vectors vectors = sparse_of(&data);

    (void)state;
    sparse = build(&data, "ivf", COSINE, &vectors, (IndexOptions){0});
    for (size_t i = 0; i < dense->arrays->count; i++) {
        const BundleItem *a = &dense->arrays->item[i],
                         *b = clv_bundle_get(sparse->arrays, a->name, a->type);

        assert_non_null(b);
        if (strcmp(a->name, "index_effort") != 0 && a->type == BUNDLE_U32)
            assert_memory_equal(a->data, b->data, a->count * sizeof(uint32_t));
    }
    assert_true(recall(&data, sparse, NULL) > 0.93);
    clv_index_free(dense);
    clv_index_free(sparse);
    free_data(&data);
}

static size_t size_of(BundleType type)
{
    return type == BUNDLE_BYTES ? 1 : type == BUNDLE_U32 || type == BUNDLE_F32 ? 4 : 8;
}

static void same_arrays(const Bundle *a, const Bundle *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->item[i].name, b->item[i].name);
        assert_int_equal(a->item[i].count, b->item[i].count);
        assert_memory_equal(a->item[i].data, b->item[i].data,
                            a->item[i].count * size_of(a->item[i].type));
    }
}

static void threads_and_kernels_change_nothing(void **state)
{
    Data one = make_data(1), three = make_data(3);
    Index *indexes[3] = {
        build(&one, "ivf", EUCLIDEAN, &one.vectors, (IndexOptions){0}),
        build(&three, "ivf", EUCLIDEAN, &three.vectors, (IndexOptions){0}),
        build(&one, "ivf", EUCLIDEAN, &one.vectors, (IndexOptions){.plain = true})};

    (void)state;
    same_arrays(indexes[0]->arrays, indexes[1]->arrays);
    same_arrays(indexes[0]->arrays, indexes[2]->arrays);
    for (int i = 0; i < 3; i++)
        clv_index_free(indexes[i]);
    free_data(&one);
    free_data(&three);
}

/* ---- criteria -------------------------------------------------------------------------------- */

static void filters_and_limits_hold(void **state)
{
    Data data = make_data(1);
    Index *index = build(&data, "ivf", EUCLIDEAN, &data.vectors, (IndexOptions){0});
    uint64_t some[ROWS / 64 + 1] = {0}, few[ROWS / 64 + 1] = {0};
    Nearest every;
    cleave_error error;

    (void)state;
    for (uint32_t row = 0; row < ROWS; row += 3)
        some[row / 64] |= (uint64_t)1 << (row % 64);
    for (uint32_t row = 0; row < ROWS; row += 1000) /* fewer than K */
        few[row / 64] |= (uint64_t)1 << (row % 64);
    assert_true(recall(&data, index, some) > 0.9);
    assert_true(recall(&data, index, few) == 1);
    FINE(clv_nearest_init(&every, data.context, EVERY_POINT, &error));
    every.limit = 30;
    for (uint32_t i = 0; i < QUERIES; i++) {
        uint32_t within = 0;

        find(&data, index, i, &every);
        for (uint32_t row = 0; row < ROWS; row++) {
            double sum = 0;

            for (uint32_t j = 0; j < WIDTH; j++) {
                double apart = (double)data.values[(size_t)row * WIDTH + j] -
                               (double)data.queries[(size_t)i * WIDTH + j];

                sum += apart * apart;
            }
            within += sum <= 30;
        }
        assert_int_equal(every.count, within);
    }
    clv_nearest_free(&every);
    clv_index_free(index);
    free_data(&data);
}

static void large_and_small_values(void **state)
{
    static const float scales[] = {1e-30F, 1e30F, 3e37F};

    (void)state;
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        Data data = make_data(1);
        Index *index;

        for (size_t j = 0; j < (size_t)ROWS * WIDTH; j++)
            data.values[j] *= scales[i] / 4;
        for (size_t j = 0; j < (size_t)QUERIES * WIDTH; j++)
            data.queries[j] *= scales[i] / 4;
        index = build(&data, "ivf", EUCLIDEAN, &data.vectors, (IndexOptions){0});
        assert_true(recall(&data, index, NULL) > 0.93);
        clv_index_free(index);
        free_data(&data);
    }
}

static void equal_points(void **state)
{
    Data data = make_data(1);
    Index *index;

    (void)state;
    for (size_t i = 0; i < (size_t)ROWS * WIDTH; i++)
        data.values[i] = 1;
    index = build(&data, "ivf", ANGLE, &data.vectors, (IndexOptions){0});
    assert_true(recall(&data, index, NULL) == 1);
    clv_index_free(index);
    free_data(&data);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* The first rows are indexed, every fifth is removed, and the others are added. */
static void extended_index_keeps_its_lists(void **state)
{
    enum { FORMER = 4000 };
    static const Distance distances[] = {EUCLIDEAN, INNER_PRODUCT};
    cleave_error error;

    (void)state;
    for (int d = 0; d < 2; d++) {
        Data data = make_data(2);
        Vectors former = data.vectors, all = data.vectors;
        uint32_t position[FORMER], kept = 0;
        IndexBefore before = {.position = position, .count = FORMER};
        Index *first, *index, *again;

        former.count = FORMER;
        first = build(&data, "ivf", distances[d], &former, (IndexOptions){0});
        for (uint32_t row = 0; row < ROWS; row++) {
            if (row < FORMER)
                position[row] = row % 5 ? kept : UINT32_MAX;
            if (row >= FORMER || row % 5)
                memmove(data.values + (size_t)kept++ * WIDTH, data.values + (size_t)row * WIDTH,
                        WIDTH * sizeof(float));
        }
        all.count = kept;
        before.arrays = first->arrays;
        index = build(&data, "ivf", distances[d], &all, (IndexOptions){.before = &before});
        assert_memory_equal(clv_bundle_get(first->arrays, "index_list_codes", BUNDLE_BYTES)->data,
                            clv_bundle_get(index->arrays, "index_list_codes", BUNDLE_BYTES)->data,
                            clv_bundle_get(index->arrays, "index_list_codes", BUNDLE_BYTES)->count);
        FINE(clv_index_check(data.context, index->arrays, &index->options, &index->metric, &all,
                             &error));
        assert_true(recall(&data, index, NULL) > 0.92);
        assert_null(index->options.before);
        for (uint32_t row = 0; row < kept; row += 2)
            FINE(clv_index_remove(index, row, &error));
        assert_true(recall(&data, index, NULL) > 0.9);
        FINE(clv_index_open(data.context, index->arrays, &index->options, &index->metric, &all,
                            &again, &error));
        clv_index_free(again);
        clv_index_free(index);
        clv_index_free(first);
        free_data(&data);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static Status check_with(const Data *data, const Index *index, const char *name, BundleType type,
                         const void *values, uint64_t count)
{
    Bundle *changed;
    cleave_error error;
    Status status;

    FINE(clv_bundle_new(data->context, &changed, &error));
    for (size_t i = 0; i < index->arrays->count; i++) {
        const BundleItem *item = &index->arrays->item[i];

        FINE(clv_bundle_borrow(changed, item->name, item->type, item->data, item->count, &error));
    }
    FINE(clv_bundle_put(changed, name, type, values, count, &error));
    status = clv_index_check(data->context, changed, &index->options, &index->metric,
                             &index->vectors, &error);
    clv_bundle_free(changed);
    return status;
}

static void broken_arrays_are_refused(void **state)
{
    static const uint32_t wrong[] = {0, 1, ROWS, UINT32_MAX - 1, UINT32_MAX};
    static const char *const names[] = {"index_places", "index_next", "index_first"};
    static const double efforts[][2] = {{-1, 2}, {3, 2}, {0.5, 0}, {0.5, 1e300}, {0.5, NAN}};
    Data data = make_data(1);
    Index *index = build(&data, "ivf", EUCLIDEAN, &data.vectors, (IndexOptions){0});
    float center[WIDTH] = {INFINITY};
    double unit = 0;

    (void)state;
    for (size_t n = 0; n < 3; n++) {
        const BundleItem *item = clv_bundle_get(index->arrays, names[n], BUNDLE_U32);
        uint32_t *copy = malloc(item->count * sizeof *copy);

        assert_non_null(copy);
        memcpy(copy, item->data, item->count * sizeof *copy);
        FINE(check_with(&data, index, names[n], BUNDLE_U32, copy, item->count));
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            uint32_t was = copy[0];

            if (was == wrong[i])
                continue;
            copy[0] = wrong[i];
            assert_int_equal(check_with(&data, index, names[n], BUNDLE_U32, copy, item->count),
                             CLEAVE_ERROR_FORMAT);
            copy[0] = was;
        }
        assert_int_equal(check_with(&data, index, names[n], BUNDLE_U32, copy, item->count - 1),
                         CLEAVE_ERROR_FORMAT);
        free(copy);
    }
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++)
        assert_int_equal(check_with(&data, index, "index_effort", BUNDLE_F64, efforts[i], 2),
                         CLEAVE_ERROR_FORMAT);
    assert_int_equal(check_with(&data, index, "index_unit", BUNDLE_F64, &unit, 1),
                     CLEAVE_ERROR_FORMAT);
    assert_int_equal(check_with(&data, index, "index_center", BUNDLE_F32, center, WIDTH),
                     CLEAVE_ERROR_FORMAT);
    clv_index_free(index);
    free_data(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recall_reaches_the_target),
        cmocka_unit_test(sparse_points_have_the_same_arrays),
        cmocka_unit_test(threads_and_kernels_change_nothing),
        cmocka_unit_test(filters_and_limits_hold),
        cmocka_unit_test(large_and_small_values),
        cmocka_unit_test(equal_points),
        cmocka_unit_test(extended_index_keeps_its_lists),
        cmocka_unit_test(broken_arrays_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
