/*
 * R-trees against the scan: packed, changed at random, saved and opened again, with pages of any
 * size and values of any kind. Also invariants of every page, rectangles, and files that are not
 * R-trees.
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
#include "learn/neighbor/rtree.h"
#include "support/support.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { MOST_WIDTH = 40, MOST_ROWS = 3000, MOST_K = 20 };

/* ---- points ---------------------------------------------------------------------------------- */

enum { UNIFORM, INTEGERS, CLUSTERS, CONSTANT_COLUMNS, HUGE_AND_TINY, EQUAL, KINDS };

static float value_of(Random *random, int kind, uint32_t column)
{
    double unit = clv_random_unit(random);

    switch (kind) {
    case INTEGERS:
        return (float)clv_random_below(random, 4);
    case CLUSTERS:
        return (float)((double)clv_random_below(random, 3) * 100 + clv_random_normal(random));
    case CONSTANT_COLUMNS:
        return column % 2 ? 7 : (float)unit;
    case HUGE_AND_TINY:
        return (float)((unit - 0.5) * (clv_random_below(random, 2) ? 1e30 : 1e-30));
    case EQUAL:
        return 1.5f;
    default:
        return (float)(unit - 0.5);
    }
}

static Vectors random_points(Random *random, float *values, int kind, uint32_t count,
                             uint32_t width)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < width; c++)
            values[(size_t)i * width + c] = value_of(random, kind, c);
    return (Vectors){.count = count, .features = width, .dense = values, .stride = width};
}

static const Metric metrics[] = {{.distance = EUCLIDEAN},
                                 {.distance = MANHATTAN},
                                 {.distance = LR, .r = 3},
                                 {.distance = MAXIMUM},
                                 {.distance = LR, .r = 12.5}};
enum { METRICS = sizeof metrics / sizeof *metrics };

static IndexOptions options_of(const char *kind, uint32_t leaf, uint32_t fanout, bool plain)
{
    int number = clv_index_number(kind);

    assert_int_not_equal(number, INDEX_AUTO);
    return (IndexOptions){.index = number, .leaf = leaf, .fanout = fanout, .plain = plain};
}

/* ---- what must be true ----------------------------------------------------------------------- */

static void assert_page(const Rtree *tree, uint32_t number, uint32_t level, uint32_t *entries)
{
    const uint32_t *page = rtree_page(tree, number);
    const RtreePlan *plan = rtree_plan(tree, page);
    uint32_t count = rtree_count(page);

    assert_int_equal(rtree_level(page), level);
    assert_true(count <= rtree_capacity(tree, level));
    if (number != tree->root)
        assert_true(count >= rtree_least(tree, level));
    else if (level)
        assert_true(count >= 2);
    if (level == 0)
        *entries += count;
    for (uint32_t i = 0; level && i < count; i++) {
        const uint32_t *below = rtree_page(tree, rtree_ids(page)[i]);
        const RtreePlan *under = rtree_plan(tree, below);

        assert_page(tree, rtree_ids(page)[i], level - 1, entries);
        for (uint32_t c = 0; c < tree->shape.width; c++) {
            float least = INFINITY, most = -INFINITY;

            for (uint32_t j = 0; j < rtree_count(below); j++) {
                least = fminf(least, rtree_low(under, below, j)[c * under->group]);
                most = fmaxf(most, rtree_high(tree, under, below, j)[c * under->group]);
            }
            assert_true(rtree_low(plan, page, i)[c * plan->group] == least);
            assert_true(rtree_high(tree, plan, page, i)[c * plan->group] == most);
        }
    }
    for (uint32_t first = 0; plan->group_stride && first < count; first += plan->group)
        for (uint32_t c = 0; c < tree->shape.width; c++) {
            const float *box = rtree_group(plan, page, first / plan->group) +
                               c * plan->group_stride;
            float least = INFINITY, most = -INFINITY;

            for (uint32_t j = first; j < count && j < first + plan->group; j++) {
                least = fminf(least, rtree_low(plan, page, j)[c * plan->group]);
                most = fmaxf(most, rtree_high(tree, plan, page, j)[c * plan->group]);
            }
            assert_true(box[0] == least && box[tree->shape.width * plan->group_stride] == most);
        }
}

/* Boxes are tight, pages sufficiently full, leaves equally deep, and the number of entries is
 * right. */
static void assert_tree(const Rtree *tree, uint32_t entries)
{
    uint32_t found = 0;

    assert_page(tree, tree->root, rtree_level(rtree_page(tree, tree->root)), &found);
    assert_int_equal(found, entries);
}

/* ---- the same as the scan -------------------------------------------------------------------- */

typedef struct {
    Context *context;
    Random random;
    SearchWorkspace workspace;
    Nearest found, expected;
    uint64_t only[MOST_ROWS / 64 + 1];
} Checker;

static void assert_same(const Nearest *found, const Nearest *expected)
{
    assert_int_equal(found->count, expected->count);
    for (uint32_t i = 0; i < found->count; i++) {
        assert_int_equal(found->item[i].row, expected->item[i].row);
        assert_memory_equal(&found->item[i].key, &expected->item[i].key, sizeof found->item[i].key);
    }
}

static void compare(Checker *checker, const Index *index, const Index *scan, const Query *query,
                    uint32_t most, double limit, const uint64_t *only)
{
    cleave_error error;

    FINE(clv_nearest_init(&checker->found, checker->context, most, &error));
    FINE(clv_nearest_init(&checker->expected, checker->context, most, &error));
    checker->found.limit = checker->expected.limit = limit;
    checker->found.only = checker->expected.only = only;
    FINE(clv_index_search(index, query, &checker->found, 1, &checker->workspace, &error));
    FINE(clv_index_search(scan, query, &checker->expected, 1, &checker->workspace, &error));
    assert_same(&checker->found, &checker->expected);
    clv_nearest_free(&checker->found);
    clv_nearest_free(&checker->expected);
}

/* One query: the nearest, those within a distance, those of some rows. */
static void compare_query(Checker *checker, const Index *index, const Index *scan,
                          const Query *query)
{
    uint32_t rows = scan->vectors.count;
    double limit = clv_metric_key(&scan->metric, &scan->vectors,
                                  clv_random_below(&checker->random, rows), query);

    compare(checker, index, scan, query, 1 + clv_random_below(&checker->random, MOST_K), INFINITY,
            NULL);
    compare(checker, index, scan, query, 1, limit, NULL);
    if (clv_random_below(&checker->random, 4) == 0) {
        compare(checker, index, scan, query, EVERY_POINT, limit, NULL);
        for (uint32_t i = 0; i <= rows / 64; i++)
            checker->only[i] = clv_random_next(&checker->random);
        compare(checker, index, scan, query, 5, INFINITY, checker->only);
    }
}

static void compare_many(Checker *checker, const Index *index, const Index *scan, int kind,
                         int times)
{
    float values[MOST_WIDTH];
    Query query;

    for (int i = 0; i < times; i++) {
        for (uint32_t c = 0; c < scan->vectors.features; c++)
            values[c] = value_of(&checker->random, kind, c);
        query_set_dense(&query,
                        i % 3 ? values
                              : dense_row(&scan->vectors,
                                          clv_random_below(&checker->random, scan->vectors.count)));
        compare_query(checker, index, scan, &query);
    }
}

static Checker checker_of(Context *context, uint64_t seed)
{
    return (Checker){
        .context = context, .random = clv_random(seed, 1), .workspace = {.context = context}};
}

static const Rtree *tree_of(const Index *index)
{
    return index->parts; /* what its parts begin with */
}

static void packed_is_scan(void **state)
{
    static const uint32_t widths[] = {1, 2, 3, 4, 5, 8, 13, MOST_WIDTH};
    Context *context = cleave_context_new(NULL);
    Checker checker = checker_of(context, 21);
    float *values = malloc(sizeof *values * MOST_ROWS * MOST_WIDTH);
    cleave_error error;

    (void)state;
    for (int round = 0; round < 240; round++) {
        int kind = round % KINDS;
        uint32_t width = widths[clv_random_below(&checker.random, 8)], leaf = 0, fanout = 0;
        Metric metric = metrics[round / KINDS % METRICS];
        IndexOptions options, plain = options_of("scan", 0, 0, true);
        Vectors points = random_points(&checker.random, values, kind,
                                       1 + clv_random_below(&checker.random, MOST_ROWS), width);
        Index *index, *scan;

        if (round % 4) {
            leaf = 1 + clv_random_below(&checker.random, 30);
            fanout = 3 + clv_random_below(&checker.random, 12);
        }
        options = options_of("rtree", leaf, fanout, round % 2);
        FINE(clv_index_build(context, &options, &metric, &points, &index, &error));
        FINE(clv_index_build(context, &plain, &metric, &points, &scan, &error));
        assert_tree(tree_of(index), points.count);
        compare_many(&checker, index, scan, kind, 12);
        clv_index_free(index);
        clv_index_free(scan);
    }
    clv_search_workspace_free(&checker.workspace);
    free(values);
    cleave_context_free(context);
}

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct {
    float *values;
    Vectors vectors;
    Index *index, *scan;
    uint32_t there[MOST_ROWS], count; /* rows not removed */
} Changed;

static void add_one(Changed *changed, Random *random, int kind)
{
    uint32_t row = changed->vectors.count++;
    cleave_error error;

    for (uint32_t c = 0; c < changed->vectors.features; c++)
        changed->values[(size_t)row * changed->vectors.features + c] = value_of(random, kind, c);
    FINE(clv_index_add(changed->index, &changed->vectors, &error));
    FINE(clv_index_add(changed->scan, &changed->vectors, &error));
    changed->there[changed->count++] = row;
}

static void remove_one(Changed *changed, Random *random)
{
    uint32_t at = clv_random_below(random, changed->count);
    cleave_error error;

    FINE(clv_index_remove(changed->index, changed->there[at], &error));
    FINE(clv_index_remove(changed->scan, changed->there[at], &error));
    changed->there[at] = changed->there[--changed->count];
}

/* Through a bundle: the results and the possible changes are the same. */
static void save_and_open(Changed *changed, Context *context, Bundle **kept)
{
    IndexOptions options = changed->index->options;
    Metric metric = changed->index->metric;
    cleave_error error;
    Bundle *bundle;

    FINE(clv_bundle_new(context, &bundle, &error));
    FINE(clv_index_save(changed->index, false, bundle, &error));
    clv_index_free(changed->index);
    clv_bundle_free(*kept);
    *kept = bundle;
    assert_int_equal(clv_index_check(context, bundle, &options, &metric, &changed->vectors, NULL),
                     OK);
    FINE(clv_index_open(context, bundle, &options, &metric, &changed->vectors, &changed->index,
                        &error));
}

static void change_at_random(Checker *checker, int round)
{
    static const uint32_t widths[] = {1, 2, 3, 4, 7, 8, 17}, leaves[] = {0, 1, 2, 4, 9, 30, 100},
                          fanouts[] = {0, 3, 3, 4, 5, 16, 50};
    Random *random = &checker->random;
    int kind = round % KINDS;
    Metric metric = metrics[round % METRICS];
    uint32_t width = widths[clv_random_below(random, 7)], start = 1 + clv_random_below(random, 600);
    IndexOptions options = options_of("rtree", leaves[clv_random_below(random, 7)],
                                      fanouts[clv_random_below(random, 7)], round % 2 == 0),
                 plain = options_of("scan", 0, 0, true);
    Changed changed = {.values = malloc(sizeof(float) * MOST_ROWS * width)};
    Bundle *kept = NULL;
    cleave_error error;

    changed.vectors = random_points(random, changed.values, kind, start, width);
    for (uint32_t i = 0; i < start; i++)
        changed.there[changed.count++] = i;
    FINE(clv_index_build(checker->context, &options, &metric, &changed.vectors, &changed.index,
                         &error));
    FINE(clv_index_build(checker->context, &plain, &metric, &changed.vectors, &changed.scan,
                         &error));
    for (int step = 0; step < 8;
         /* more insertions than removals, then the reverse, and finally all are removed */
         step++) {
        for (int i = 0; i < 250; i++) {
            uint32_t of_ten = clv_random_below(random, 10);

            if (of_ten < (step % 4 < 2 ? 7 : 2) && changed.vectors.count < MOST_ROWS)
                add_one(&changed, random, kind);
            else if (changed.count > 0)
                remove_one(&changed, random);
        }
        assert_tree(tree_of(changed.index), changed.count);
        compare_many(checker, changed.index, changed.scan, kind, 6);
        if (step % 3 == 1)
            save_and_open(&changed, checker->context, &kept);
    }
    while (changed.count > 0)
        remove_one(&changed, random);
    assert_tree(tree_of(changed.index), 0);
    save_and_open(&changed, checker->context, &kept);
    add_one(&changed, random, kind);
    compare_many(checker, changed.index, changed.scan, kind, 2);
    clv_index_free(changed.index);
    clv_index_free(changed.scan);
    clv_bundle_free(kept);
    free(changed.values);
}

static void changed_is_scan(void **state)
{
    Context *context = cleave_context_new(NULL);
    Checker checker = checker_of(context, 22);

    (void)state;
    for (int round = 0; round < 40; round++)
        change_at_random(&checker, round);
    clv_search_workspace_free(&checker.workspace);
    cleave_context_free(context);
}

/* A row with a new column; columns that only the query has; sparse vectors. */
static void columns_come_later(void **state)
{
    enum { ROWS = 60, NARROW = 3, WIDE = 5 };
    Context *context = cleave_context_new(NULL);
    Checker checker = checker_of(context, 23);
    float values[ROWS * WIDE] = {0}, asked[WIDE];
    const uint32_t beyond[] = {WIDE + 1, WIDE + 4};
    const float more[] = {0.25f, -3};
    Metric metric = {.distance = EUCLIDEAN};
    IndexOptions options = options_of("rtree", 4, 4, false), plain = options_of("scan", 0, 0, true);
    Vectors narrow = {.count = ROWS - 2, .features = NARROW, .dense = values, .stride = WIDE},
            wide = narrow;
    Index *index, *scan;
    cleave_error error;

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t c = 0; c < (i == ROWS - 1 ? WIDE : NARROW); c++)
            values[i * WIDE + c] = value_of(&checker.random, UNIFORM, c);
    FINE(clv_index_build(context, &options, &metric, &narrow, &index, &error));
    FINE(clv_index_build(context, &plain, &metric, &narrow, &scan, &error));
    wide.features = WIDE;
    for (wide.count = ROWS - 1; wide.count <= ROWS; wide.count++) {
        FINE(clv_index_add(index, &wide, &error));
        FINE(clv_index_add(scan, &wide, &error));
        for (int i = 0; i < 50; i++) {
            Query query = {.dense = asked, .column = beyond, .value = more, .count = i % 2 ? 2 : 0};

            for (uint32_t c = 0; c < WIDE; c++)
                asked[c] = value_of(&checker.random, UNIFORM, c);
            compare_query(&checker, index, scan, &query);
        }
        assert_int_equal(tree_of(index)->shape.width, wide.count == ROWS ? WIDE : NARROW);
    }
    clv_index_free(index);
    clv_index_free(scan);
    clv_search_workspace_free(&checker.workspace);
    cleave_context_free(context);
}

static void sparse_vectors(void **state)
{
    enum { ROWS = 300, WIDTH = 6 };
    Context *context = cleave_context_new(NULL);
    Checker checker = checker_of(context, 24);
    uint64_t end[ROWS];
    uint32_t column[ROWS * WIDTH];
    float value[ROWS * WIDTH], asked[WIDTH];
    uint32_t entries = 0;
    IndexOptions options = options_of("rtree", 0, 0, false), plain = options_of("scan", 0, 0, true);
    Vectors sparse = {
        .count = ROWS - 1, .features = WIDTH, .end = end, .column = column, .value = value};
    cleave_error error;

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t c = 0; c < WIDTH; c++)
            if (clv_random_below(&checker.random, 3) == 0) {
                column[entries] = c;
                value[entries++] = value_of(&checker.random, UNIFORM, c);
            }
        end[i] = entries;
    }
    for (int m = 0; m < METRICS; m++) {
        Index *index, *scan;

        sparse.count = ROWS - 1;
        FINE(clv_index_build(context, &options, &metrics[m], &sparse, &index, &error));
        FINE(clv_index_build(context, &plain, &metrics[m], &sparse, &scan, &error));
        sparse.count = ROWS;
        FINE(clv_index_add(index, &sparse, &error));
        FINE(clv_index_add(scan, &sparse, &error));
        for (int i = 0; i < 30; i++) {
            uint32_t columns[WIDTH];
            Query query = {
                .dense = asked, .column = columns, .value = asked, .count = WIDTH, .known = WIDTH};

            for (uint32_t c = 0; c < WIDTH; c++) {
                columns[c] = c;
                asked[c] = value_of(&checker.random, UNIFORM, c);
            }
            compare_query(&checker, index, scan, &query);
        }
        clv_index_free(index);
        clv_index_free(scan);
    }
    clv_search_workspace_free(&checker.workspace);
    cleave_context_free(context);
}

static void says_what_it_is_not_for(void **state)
{
    Context *context = cleave_context_new(NULL);
    const float value = 1;
    const uint64_t end = 0;
    Vectors dense = {.count = 1, .features = 1, .dense = &value, .stride = 1},
            sparse = {.count = 1, .features = 1000000, .end = &end};
    Metric cosine = {.distance = COSINE}, euclidean = {.distance = EUCLIDEAN};
    IndexOptions options = options_of("rtree", 0, 0, false);
    cleave_error error = {0};
    Index *index;

    (void)state;
    assert_int_equal(clv_index_build(context, &options, &cosine, &dense, &index, &error),
                     CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "cosine"));
    assert_int_equal(clv_index_build(context, &options, &euclidean, &sparse, &index, &error),
                     CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "1000000 columns"));
    cleave_context_free(context);
}

/* ---- a rectangle asked for ------------------------------------------------------------------- */

static bool in_rectangle(const float *x, const float *low, const float *high, uint32_t width)
{
    for (uint32_t c = 0; c < width; c++)
        if (x[c] < low[c] || x[c] > high[c])
            return false;
    return true;
}

static void finds_what_is_inside(void **state)
{
    enum { ROWS = 1500, WIDTH = 3 };
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(31, 1);
    float values[ROWS * WIDTH], low[WIDTH], high[WIDTH];
    Metric metric = {.distance = EUCLIDEAN};
    cleave_error error;

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        IndexOptions options = options_of("rtree", 10, 6, false);
        Vectors points = random_points(&random, values, kind, ROWS, WIDTH);
        Nearest found;
        Index *index;

        FINE(clv_index_build(context, &options, &metric, &points, &index, &error));
        FINE(clv_nearest_init(&found, context, EVERY_POINT, &error));
        for (int i = 0; i < 60; i++) {
            uint32_t expected = 0;

            for (uint32_t c = 0; c < WIDTH; c++) {
                float one = values[clv_random_below(&random, ROWS) * WIDTH + c],
                      other = values[clv_random_below(&random, ROWS) * WIDTH + c];

                low[c] = fminf(one, other);
                high[c] = fmaxf(one, other);
            }
            FINE(clv_index_inside(index, low, high, &found, &error));
            for (uint32_t row = 0; row < ROWS; row++)
                if (in_rectangle(values + row * WIDTH, low, high, WIDTH))
                    assert_int_equal(found.item[expected++].row, row);
            assert_int_equal(found.count, expected);
        }
        clv_nearest_free(&found);
        clv_index_free(index);
    }
    cleave_context_free(context);
}

/* ---- rectangles held ------------------------------------------------------------------------- */

enum { BOXES = 900, BOX_WIDTH = 3 };

typedef struct {
    float low[BOXES * BOX_WIDTH], high[BOXES * BOX_WIDTH];
    bool there[BOXES];
} Boxes;

static void random_box(Random *random, Boxes *boxes, uint32_t i)
{
    for (uint32_t c = 0; c < BOX_WIDTH; c++) {
        float at = (float)clv_random_below(random, 50);

        boxes->low[i * BOX_WIDTH + c] = at;
        boxes->high[i * BOX_WIDTH + c] = at + (float)clv_random_below(random,
                                                                      6); /* some without extent */
    }
}

static double box_key(const Boxes *boxes, uint32_t i, const float *query, Distance distance)
{
    double part[4] = {0}, most = 0;

    for (uint32_t c = 0; c < BOX_WIDTH; c++) {
        double gap = fmax(0, fmax((double)boxes->low[i * BOX_WIDTH + c] - (double)query[c],
                                  (double)query[c] - (double)boxes->high[i * BOX_WIDTH + c]));

        part[c % 4] += distance == EUCLIDEAN ? gap * gap : distance == LR ? pow(gap, 3) : gap;
        most = fmax(most, gap);
    }
    return distance == MAXIMUM ? most : (part[0] + part[1]) + (part[2] + part[3]);
}

static void compare_boxes(Checker *checker, const Rtree *tree, const Boxes *boxes,
                          const RtreeLoops *loops)
{
    float query[BOX_WIDTH], high[BOX_WIDTH];
    cleave_error error;
    Query asked;

    for (uint32_t c = 0; c < BOX_WIDTH; c++) {
        query[c] = (float)clv_random_below(&checker->random, 60) - 5;
        high[c] = query[c] + (float)clv_random_below(&checker->random, 20);
    }
    query_set_dense(&asked, query);
    for (int d = EUCLIDEAN; d <= MAXIMUM; d++)
        for (int within = 0; within < 3;
             within++) { /* the nearest; all within; all that cross a rectangle */
            uint32_t most = within ? EVERY_POINT : 7;
            Metric metric = {.distance = (Distance)d, .r = 3};

            FINE(clv_nearest_init(&checker->found, checker->context, most, &error));
            FINE(clv_nearest_init(&checker->expected, checker->context, most, &error));
            if (within)
                checker->found.limit = checker->expected.limit = d == EUCLIDEAN ? 100
                                                                 : d == LR      ? 1000
                                                                                : 10;
            for (uint32_t i = 0; i < BOXES; i++) {
                bool crosses = true;

                for (uint32_t c = 0; c < BOX_WIDTH; c++)
                    crosses = crosses && boxes->low[i * BOX_WIDTH + c] <= high[c] &&
                              boxes->high[i * BOX_WIDTH + c] >= query[c];
                if (boxes->there[i] && (within < 2 || crosses))
                    nearest_push(&checker->expected,
                                 within < 2 ? box_key(boxes, i, query, (Distance)d) : 0, i);
            }
            if (within < 2)
                FINE(clv_rtree_search(tree, loops, &metric, &asked, BOX_WIDTH, &checker->found,
                                      &checker->workspace, &error));
            else
                FINE(clv_rtree_crossing(tree, query, high, &checker->found, &error));
            FINE(clv_nearest_sort(&checker->found, &error));
            FINE(clv_nearest_sort(&checker->expected, &error));
            assert_same(&checker->found, &checker->expected);
            clv_nearest_free(&checker->found);
            clv_nearest_free(&checker->expected);
        }
}

static void holds_rectangles(void **state)
{
    Context *context = cleave_context_new(NULL);
    Checker checker = checker_of(context, 41);
    Boxes boxes;
    cleave_error error;

    (void)state;
    for (uint32_t leaf = 0; leaf < 40; leaf += 5) {
        RtreeShape shape = {.width = BOX_WIDTH, .leaf = leaf, .fanout = leaf};
        uint32_t packed = leaf * 20, count;
        Rtree tree;

        memset(&boxes, 0, sizeof boxes);
        for (uint32_t i = 0; i < BOXES; i++)
            random_box(&checker.random, &boxes, i);
        FINE(clv_rtree_pack(
            context, &shape,
            &(RtreeItems){
                .count = packed, .low = boxes.low, .high = boxes.high, .stride = BOX_WIDTH},
            &tree, &error));
        memset(boxes.there, true, packed);
        count = packed;
        for (uint32_t i = packed; i < BOXES; i++, count++) {
            FINE(clv_rtree_insert(&tree, i, boxes.low + i * BOX_WIDTH, boxes.high + i * BOX_WIDTH,
                                  &error));
            boxes.there[i] = true;
        }
        assert_tree(&tree, count);
        for (int step = 0; step < 4; step++) {
            for (size_t form = 0; clv_rtree_loops_at(form); form++)
                compare_boxes(&checker, &tree, &boxes, clv_rtree_loops_at(form));
            for (int i = 0; i < 200; i++) {
                uint32_t id = clv_random_below(&checker.random, BOXES);

                count -= boxes.there[id];
                FINE(clv_rtree_remove(&tree, id, &error)); /* nothing happens if it is missing */
                boxes.there[id] = false;
            }
            assert_tree(&tree, count);
        }
        clv_rtree_free(&tree);
    }
    clv_search_workspace_free(&checker.workspace);
    cleave_context_free(context);
}

/* ---- pages and files ------------------------------------------------------------------------- */

static void pages_fit_a_disk(void **state)
{
    Rtree tree = {0};

    (void)state;
    for (uint32_t width = 1; width <= 60; width++) {
        assert_true(clv_rtree_shape(&tree, &(RtreeShape){.width = width, .points = true}));
        assert_true(tree.page_words * 4 <= RTREE_PAGE);
        assert_true(tree.shape.leaf >= 8 && tree.shape.fanout >= 8);
    }
    assert_true(clv_rtree_shape(&tree, &(RtreeShape){.width = 784, .points = true}));
    assert_int_equal(tree.shape.fanout, 8);
    assert_false(clv_rtree_shape(&tree, &(RtreeShape){.width = 2, .points = true, .fanout = 2}));
}

/* Any word of the arrays may have any value: the file is refused, or searched without a crash. */
static void damage_is_safe(void **state)
{
    enum { ROWS = 400, WIDTH = 2, TIMES = 4000 };
    Context *context = cleave_context_new(NULL);
    Checker checker = checker_of(context, 51);
    float values[ROWS * WIDTH];
    Metric metric = {.distance = EUCLIDEAN};
    IndexOptions options = options_of("rtree", 6, 4, false);
    Vectors points = random_points(&checker.random, values, UNIFORM, ROWS, WIDTH);
    uint32_t refused = 0;
    Bundle *bundle;
    Index *index;
    cleave_error error;

    (void)state;
    FINE(clv_bundle_new(context, &bundle, &error));
    FINE(clv_index_build(context, &options, &metric, &points, &index, &error));
    FINE(clv_index_save(index, true, bundle, &error));
    clv_index_free(index);
    assert_int_equal(clv_index_check(context, bundle, &options, &metric, &points, NULL), OK);
    for (int i = 0; i < TIMES; i++) {
        const BundleItem *item = clv_bundle_get(bundle, i % 10 ? "index_pages" : "index_shape",
                                                BUNDLE_U32);
        uint32_t *words = (uint32_t *)(uintptr_t)item->data,
                 *word = &words[clv_random_below(&checker.random, (uint32_t)item->count)],
                 before = *word;

        if (i % 2)
            *word = clv_random_below(&checker.random, 12);
        else
            *word = (uint32_t)clv_random_next(&checker.random) >>
                    clv_random_below(&checker.random, 32);
        if (clv_index_check(context, bundle, &options, &metric, &points, NULL) != OK) {
            refused++;
        } else {
            Query query;

            FINE(clv_index_open(context, bundle, &options, &metric, &points, &index, &error));
            query_set_dense(&query, values + clv_random_below(&checker.random, ROWS) * WIDTH);
            FINE(clv_nearest_init(&checker.found, context, 5, &error));
            FINE(clv_index_search(index, &query, &checker.found, 1, &checker.workspace, &error));
            FINE(clv_index_remove(index, clv_random_below(&checker.random, ROWS), &error));
            clv_nearest_free(&checker.found);
            clv_index_free(index);
        }
        *word = before;
    }
    assert_true(refused > TIMES / 20);
    clv_bundle_free(bundle);
    clv_search_workspace_free(&checker.workspace);
    cleave_context_free(context);
}

/* Every allocation of a sequence of changes fails in turn: an error, no leak and no crash. */
static Status live(Context *context, const Vectors *points, uint32_t start, cleave_error *error)
{
    IndexOptions options = options_of("rtree", 4, 4, false);
    Metric metric = {.distance = EUCLIDEAN};
    Vectors vectors = *points;
    Bundle *bundle = NULL;
    Index *index;
    Status status;

    vectors.count = start;
    TRY(clv_index_build(context, &options, &metric, &vectors, &index, error));
    status = clv_bundle_new(context, &bundle, error);
    for (uint32_t row = start; status == OK && row < points->count; row++) {
        vectors.count = row + 1;
        status = clv_index_add(index, &vectors, error);
        if (status == OK && row % 2)
            status = clv_index_remove(index, row - start, error);
    }
    if (status == OK)
        status = clv_index_save(index, false, bundle, error);
    clv_index_free(index);
    clv_bundle_free(bundle);
    return status;
}

static void memory_ends(void **state)
{
    enum { ROWS = 120, WIDTH = 2 };
    Random random = clv_random(61, 1);
    float values[ROWS * WIDTH];
    Vectors points = random_points(&random, values, UNIFORM, ROWS, WIDTH);
    Status status = CLEAVE_ERROR_MEMORY;

    (void)state;
    for (long long fail_at = 2; status != OK; fail_at++) { /* the first is the context's */
        TestMemory memory = {.fail_at = fail_at, .keep_failing = fail_at % 2};
        Context *context = cleave_context_new(&(cleave_config){
            .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory});
        cleave_error error = {0};

        assert_non_null(context);
        status = live(context, &points, ROWS / 2, &error);
        assert_true(status == OK || status == CLEAVE_ERROR_MEMORY);
        assert_true(status == OK || error.message[0]);
        cleave_context_free(context);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_is_scan),          cmocka_unit_test(changed_is_scan),
        cmocka_unit_test(columns_come_later),      cmocka_unit_test(sparse_vectors),
        cmocka_unit_test(says_what_it_is_not_for), cmocka_unit_test(finds_what_is_inside),
        cmocka_unit_test(holds_rectangles),        cmocka_unit_test(pages_fit_a_disk),
        cmocka_unit_test(damage_is_safe),          cmocka_unit_test(memory_ends),
    };

    return cmocka_run_group_tests_name("rtree", tests, NULL, NULL);
}
