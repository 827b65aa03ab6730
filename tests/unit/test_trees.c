/* The kd-tree and the quadtree find what the scan finds: the same rows in the same order with
 * the same bits, in every form of the walk. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/neighbor/boxtree.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { MOST_ROWS = 3000, MOST_COLUMNS = 20 };
typedef enum { UNIFORM, GRID, CLUSTERS, FLAT, WIDE_RANGE, TINY, HUGE_VALUES, EQUAL, SHAPES } Shape;

typedef struct {
    Context *context;
    Random random;
    float point[MOST_ROWS * MOST_COLUMNS];
    Vectors vectors;
    uint64_t only[MOST_ROWS / 64 + 1];
} Setting;

static float signed_unit(Random *random)
{
    return (float)(2 * clv_random_unit(random) - 1);
}

static float value_of(Random *random, Shape shape, uint32_t column)
{
    switch (shape) {
    case GRID: /* many equal distances */
        return (float)clv_random_below(random, 6);
    case CLUSTERS:
        return (float)clv_random_below(random, 4) + signed_unit(random) * 1e-3f;
    case FLAT:
        return column % 2 ? 7 : signed_unit(random);
    case WIDE_RANGE: /* 1e-30 to 1e30 */
        return (clv_random_below(random, 2) ? 1 : -1) *
               powf(10, 60 * (float)clv_random_unit(random) - 30);
    case TINY: /* squares vanish in 32 bits, values are not all normal */
        return signed_unit(random) * (clv_random_below(random, 8) ? 3e-23f : 1e-43f);
    case HUGE_VALUES: /* differences overflow in 32 bits */
        return signed_unit(random) * 3.4e38f;
    case EQUAL:
        return clv_random_below(random, 50) ? 1 : 2;
    default:
        return signed_unit(random);
    }
}

static void make_points(Setting *setting, Shape shape, uint32_t rows, uint32_t columns)
{
    setting->vectors = (Vectors){
        .count = rows, .features = columns, .dense = setting->point, .stride = columns};
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        setting->point[i] = value_of(&setting->random, shape, (uint32_t)(i % columns));
    for (uint32_t i = 1; i < rows;
         i++) /* twins: of equal keys the lower row is nearer, wherever it lies in the tree */
        if (clv_random_below(&setting->random, 3) == 0)
            memcpy(setting->point + (size_t)i * columns,
                   setting->point + (size_t)clv_random_below(&setting->random, i) * columns,
                   columns * sizeof(float));
    for (uint32_t i = 0; i <= rows / 64; i++)
        setting->only[i] = clv_random_next(&setting->random);
}

static void make_query(Setting *setting, Shape shape, float *q)
{
    uint32_t columns = setting->vectors.features,
             near = clv_random_below(&setting->random, setting->vectors.count);

    for (uint32_t i = 0; i < columns; i++)
        q[i] = clv_random_below(&setting->random, 2) ? setting->point[(size_t)near * columns + i]
                                                     : value_of(&setting->random, shape, i);
}

static Index *build(Setting *setting, const char *kind, const Metric *metric, int64_t leaf)
{
    IndexOptions options = {.index = clv_index_number(kind), .leaf = leaf, .seed = 1};
    cleave_error error;
    Index *index;

    FINE(clv_index_build(setting->context, &options, metric, &setting->vectors, &index, &error));
    return index;
}

static void assert_same(const Nearest *found, const Nearest *expected)
{
    assert_int_equal(found->count, expected->count);
    for (uint32_t i = 0; i < found->count; i++) {
        assert_int_equal(found->item[i].row, expected->item[i].row);
        assert_memory_equal(&found->item[i].key, &expected->item[i].key, sizeof(double));
    }
}

/* What is looked for: the nearest few or all, with a limit or none, of all rows or half of them. */
static void vary(Setting *setting, Nearest *nearest, const Nearest *other)
{
    bool some = clv_random_below(&setting->random, 4) == 0;

    nearest->limit = other->count && clv_random_below(&setting->random, 3) == 0
                         ? other->item[other->count / 2].key
                         : (double)INFINITY;
    nearest->only = some ? setting->only : NULL;
}

static void ask_both(Setting *setting, const Index *index, const Index *scan, Shape shape,
                     uint32_t most)
{
    SearchWorkspace workspace = {.context = setting->context};
    BoxTree *tree = index->parts;
    float q[MOST_COLUMNS];
    Nearest found, expected;
    cleave_error error;
    Query query;

    FINE(clv_nearest_init(&found, setting->context, most, &error));
    FINE(clv_nearest_init(&expected, setting->context, most, &error));
    for (int i = 0; i < 6; i++) {
        make_query(setting, shape, q);
        query_set_dense(&query, q);
        vary(setting, &expected, &expected);
        found.limit = expected.limit;
        found.only = expected.only;
        FINE(clv_index_search(scan, &query, &expected, 1, &workspace, &error));
        for (size_t form = 0; clv_boxtree_walk_at(form); form++) {
            tree->walk = clv_boxtree_walk_at(form);
            FINE(clv_index_search(index, &query, &found, 1, &workspace, &error));
            assert_same(&found, &expected);
        }
    }
    clv_nearest_free(&found);
    clv_nearest_free(&expected);
    clv_search_workspace_free(&workspace);
}

static void compare(Setting *setting, const char *kind, Shape shape)
{
    static const uint32_t mosts[] = {0, 1, 5, 10, 33, EVERY_POINT};
    static const double powers[] = {1,   1.5, 3,
                                    7.3, 40,  300}; /* keys of the last ones vanish and overflow */
    Random *random = &setting->random;

    for (Distance distance = EUCLIDEAN; distance <= MAXIMUM; distance++) {
        Metric metric = {.distance = distance, .r = powers[clv_random_below(random, 6)]};
        int64_t leaf = clv_random_below(random, 3) ? 0 : 1 + (int64_t)clv_random_below(random, 70);
        Index *scan = build(setting, "scan", &metric, 0),
              *index = build(setting, kind, &metric, leaf);

        for (size_t i = 0; i < sizeof mosts / sizeof *mosts; i++)
            ask_both(setting, index, scan, shape, mosts[i]);
        clv_index_free(scan);
        clv_index_free(index);
    }
}

static void finds_what_the_scan_finds(void **state)
{
    static Setting setting;
    Random *random = &setting.random;

    (void)state;
    setting.context = cleave_context_new(NULL);
    setting.random = clv_random(6, 1);
    for (int round = 0; round < 6; round++)
        for (Shape shape = UNIFORM; shape < SHAPES; shape++) {
            uint32_t rows = 1 + clv_random_below(random,
                                                 round < 2 ? 40 : MOST_ROWS / (round == 5 ? 1 : 4));

            make_points(&setting, shape, rows,
                        1 + clv_random_below(random, round % 2 ? MOST_COLUMNS : 9));
            compare(&setting, "kdtree", shape);
            make_points(&setting, shape, rows, 2 + clv_random_below(random, 2));
            compare(&setting, "quadtree", shape);
        }
    cleave_context_free(setting.context);
}

/* Sparse vectors of few columns, and queries with columns past the last. */
static void columns_that_the_tree_has_not(void **state)
{
    enum { ROWS = 500, COLUMNS = 3, ROUNDS = 50 };
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(7, 1);
    static uint64_t end[ROWS];
    static uint32_t column[ROWS * COLUMNS];
    static float value[ROWS * COLUMNS];
    const uint32_t asked[] = {0, 2, COLUMNS, COLUMNS + 4};
    Vectors vectors = {
        .features = COLUMNS, .count = ROWS, .end = end, .column = column, .value = value};
    uint64_t entries = 0;
    cleave_error error;

    (void)state;
    for (uint32_t row = 0; row < ROWS; end[row++] = entries)
        for (uint32_t i = 0; i < COLUMNS; i++)
            if (clv_random_below(&random, 2)) {
                column[entries] = i;
                value[entries++] = signed_unit(&random);
            }
    for (Distance distance = EUCLIDEAN; distance <= MAXIMUM; distance++)
        for (int kind = 0; kind < 2; kind++) {
            IndexOptions options = {.index = clv_index_number(kind ? "kdtree" : "quadtree")},
                         every = {.index = INDEX_SCAN};
            Metric metric = {.distance = distance, .r = 2.5};
            SearchWorkspace workspace = {.context = context};
            Nearest found, expected;
            Index *index, *scan;

            FINE(clv_index_build(context, &options, &metric, &vectors, &index, &error));
            FINE(clv_index_build(context, &every, &metric, &vectors, &scan, &error));
            FINE(clv_nearest_init(&found, context, 7, &error));
            FINE(clv_nearest_init(&expected, context, 7, &error));
            for (int round = 0; round < ROUNDS; round++) {
                float given[4], dense[COLUMNS] = {0};
                Query query = {
                    .column = asked, .value = given, .count = 4, .known = 2, .dense = dense};

                for (int i = 0; i < 4; i++)
                    given[i] = signed_unit(&random) * (round % 2 ? 1 : 1000);
                dense[0] = given[0];
                dense[2] = given[1];
                FINE(clv_index_search(scan, &query, &expected, 1, &workspace, &error));
                FINE(clv_index_search(index, &query, &found, 1, &workspace, &error));
                assert_same(&found, &expected);
            }
            clv_nearest_free(&found);
            clv_nearest_free(&expected);
            clv_search_workspace_free(&workspace);
            clv_index_free(index);
            clv_index_free(scan);
        }
    cleave_context_free(context);
}

/* Rows without columns: all are equally far. */
static void no_columns_at_all(void **state)
{
    enum { ROWS = 100 };
    static const uint64_t end[ROWS];
    const uint32_t column[] = {3};
    const float given[] = {2};
    Context *context = cleave_context_new(NULL);
    Vectors vectors = {.count = ROWS, .end = end};
    IndexOptions options = {.index = clv_index_number("kdtree")};
    Metric metric = {.distance = EUCLIDEAN};
    Query query = {.column = column, .value = given, .count = 1};
    SearchWorkspace workspace = {.context = context};
    cleave_error error;
    Nearest found;
    Index *index;

    (void)state;
    FINE(clv_index_build(context, &options, &metric, &vectors, &index, &error));
    FINE(clv_nearest_init(&found, context, 3, &error));
    FINE(clv_index_search(index, &query, &found, 1, &workspace, &error));
    assert_int_equal(found.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(found.item[i].row, i);
        assert_true(found.item[i].key == 4);
    }
    clv_nearest_free(&found);
    clv_index_free(index);
    clv_search_workspace_free(&workspace);
    cleave_context_free(context);
}

/* Rows come and go, all of them at last; a tree that is rebuilt leaves out those that are
 * gone. */
static void rows_come_and_go(void **state)
{
    static Setting setting;
    const char *const kinds[] = {"kdtree", "quadtree"};
    Metric metric = {.distance = EUCLIDEAN};

    (void)state;
    setting.context = cleave_context_new(NULL);
    setting.random = clv_random(8, 1);
    for (int kind = 0; kind < 2; kind++) {
        Index *scan, *index;
        cleave_error error;
        Vectors more;

        make_points(&setting, GRID, MOST_ROWS, 3);
        more = setting.vectors;
        setting.vectors.count = MOST_ROWS / 2;
        index = build(&setting, kinds[kind], &metric, 0);
        scan = build(&setting, "scan", &metric, 0);
        for (uint32_t row = 0; row < MOST_ROWS; row++) {
            if (row >= MOST_ROWS / 2) {
                more.count = row + 1;
                FINE(clv_index_add(index, &more, &error));
                FINE(clv_index_add(scan, &more, &error));
            }
            if (row % 3) {
                FINE(clv_index_remove(index, row, &error));
                FINE(clv_index_remove(scan, row, &error));
            }
            if (row % 100 == 0)
                ask_both(&setting, index, scan, GRID, 10);
        }
        for (uint32_t row = 0; row < MOST_ROWS; row += 3) {
            FINE(clv_index_remove(index, row, &error));
            FINE(clv_index_remove(scan, row, &error));
        }
        ask_both(&setting, index, scan, GRID, 10);
        clv_index_free(index);
        clv_index_free(scan);
    }
    cleave_context_free(setting.context);
}

/* Rectangles, with borders that go through points. */
static void rectangles(void **state)
{
    static Setting setting;
    const char *const kinds[] = {"kdtree", "quadtree", "rtree"};
    Metric metric = {.distance = EUCLIDEAN};
    Nearest found, expected;
    cleave_error error;

    (void)state;
    setting.context = cleave_context_new(NULL);
    setting.random = clv_random(9, 1);
    FINE(clv_nearest_init(&found, setting.context, EVERY_POINT, &error));
    FINE(clv_nearest_init(&expected, setting.context, EVERY_POINT, &error));
    for (int kind = 0; kind < 3; kind++)
        for (Shape shape = UNIFORM; shape < SHAPES; shape++) {
            Index *scan, *index;
            uint64_t all = 0;

            make_points(&setting, shape, MOST_ROWS, 2 + (uint32_t)kind % 2);
            index = build(&setting, kinds[kind], &metric, 0);
            scan = build(&setting, "scan", &metric, 0);
            FINE(clv_index_remove(index, 5, &error));
            FINE(clv_index_remove(scan, 5, &error));
            for (int round = 0; round < 40; round++) {
                float low[3], high[3];

                make_query(&setting, shape, low);
                make_query(&setting, shape, high);
                for (uint32_t i = 0; i < setting.vectors.features; i++)
                    if (low[i] > high[i]) {
                        float other = low[i];

                        low[i] = high[i];
                        high[i] = other;
                    }
                FINE(clv_index_inside(index, low, high, &found, &error));
                FINE(clv_index_inside(scan, low, high, &expected, &error));
                assert_same(&found, &expected);
                all += found.count;
            }
            assert_true(all > 0);
            clv_index_free(index);
            clv_index_free(scan);
        }
    clv_nearest_free(&found);
    clv_nearest_free(&expected);
    cleave_context_free(setting.context);
}

/* A bundle is opened as it is; one whose numbers lead astray is not taken. */
static void damaged_trees_are_refused(void **state)
{
    static Setting setting;
    Metric metric = {.distance = EUCLIDEAN};
    IndexOptions options = {.index = clv_index_number("kdtree")};
    uint32_t *child, *row, kept;
    const BundleItem *item;
    Index *index, *opened;
    cleave_error error;
    Bundle *bundle;
    float *value;

    (void)state;
    setting.context = cleave_context_new(NULL);
    setting.random = clv_random(10, 1);
    make_points(&setting, UNIFORM, MOST_ROWS - 5, 2);
    index = build(&setting, "kdtree", &metric, 8);
    FINE(clv_bundle_new(setting.context, &bundle, &error));
    FINE(clv_index_save(index, false, bundle, &error));
    assert_int_equal(
        clv_index_check(setting.context, bundle, &options, &metric, &setting.vectors, NULL), OK);
    FINE(clv_index_open(setting.context, bundle, &options, &metric, &setting.vectors, &opened,
                        &error));
    ask_both(&setting, opened, index, UNIFORM, 10);
    clv_index_free(opened);
    item = clv_bundle_get(bundle, "index_children", BUNDLE_U32);
    child = (uint32_t *)(uintptr_t)item->data;
    row = (uint32_t *)(uintptr_t)clv_bundle_get(bundle, "index_rows", BUNDLE_U32)->data;
    value = (float *)(uintptr_t)clv_bundle_get(bundle, "index_values", BUNDLE_F32)->data;
    for (uint32_t i = 0; i < 64; i++) {
        static const uint32_t bad[] = {0, 1, 2, 1000000, UINT32_MAX};

        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
            kept = child[i];
            child[i] = bad[j];
            assert_int_equal(
                clv_index_check(setting.context, bundle, &options, &metric, &setting.vectors, NULL),
                bad[j] == kept ? OK : CLEAVE_ERROR_FORMAT);
            child[i] = kept;
        }
    }
    kept = row[3];
    row[3] = MOST_ROWS;
    assert_int_equal(
        clv_index_check(setting.context, bundle, &options, &metric, &setting.vectors, NULL),
        CLEAVE_ERROR_FORMAT);
    row[3] = NO_ROW;
    assert_int_equal(
        clv_index_check(setting.context, bundle, &options, &metric, &setting.vectors, NULL),
        CLEAVE_ERROR_FORMAT);
    row[3] = kept;
    value[3] = NAN;
    assert_int_equal(
        clv_index_check(setting.context, bundle, &options, &metric, &setting.vectors, NULL),
        CLEAVE_ERROR_FORMAT);
    clv_bundle_free(bundle);
    clv_index_free(index);
    cleave_context_free(setting.context);
}

static void says_what_it_is_for(void **state)
{
    static const float point[4];
    Vectors vectors = {.count = 1, .features = 4, .dense = point, .stride = 4};
    Metric angle = {.distance = COSINE}, straight = {.distance = EUCLIDEAN};
    cleave_error error;

    (void)state;
    assert_int_equal(clv_index_kind(clv_index_number("kdtree"))->suits(&angle, &vectors, &error),
                     CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "cosine"));
    assert_int_equal(
        clv_index_kind(clv_index_number("quadtree"))->suits(&straight, &vectors, &error),
        CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "2 or 3 columns"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_the_scan_finds),
        cmocka_unit_test(columns_that_the_tree_has_not),
        cmocka_unit_test(no_columns_at_all),
        cmocka_unit_test(rows_come_and_go),
        cmocka_unit_test(rectangles),
        cmocka_unit_test(damaged_trees_are_refused),
        cmocka_unit_test(says_what_it_is_for),
    };

    return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
