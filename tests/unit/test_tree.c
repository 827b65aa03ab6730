/*
 * The growth of trees: bins, sums that are bit-identical for any order and number of threads, the
 * best of all splits, categories, missing values, and compiled trees that predict like the grown
 * ones. Special data has defined results.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/builder.h"
#include "learn/tree/bounds.h"
#include "learn/tree/prune_choose.h"
#include "learn/tree/split.h"
#include "learn/tree/trees.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { MOST_COLUMNS = 24 };

/* Data, and everything grown from it. */
typedef struct {
    Context *context;
    cleave_error error;
    Dataset *dataset;
    Names names;
    Schema schema;
    FitProblem problem;
    Fit fit;
    Bins bins;
    Targets targets;
    Grower grower;
} World;

/* The first `numbers` columns are numbers, the others categories. */
static void open_world(World *world, uint32_t columns, uint32_t numbers, uint32_t classes,
                       unsigned threads)
{
    *world = (World){.context = cleave_context_new(
                         &(cleave_config){.size = sizeof(cleave_config), .threads = threads})};
    FINE(clv_dataset_new(world->context, &world->dataset, &world->error));
    clv_names_init(&world->names, world->context, false);
    clv_schema_init(&world->schema, world->context);
    memcpy(world->schema.format, "csv", 4);
    for (uint32_t i = 0; i < columns; i++) {
        char name[2] = {(char)('a' + i), 0};
        uint32_t number;

        FINE(clv_names_add(&world->names, name, 1, &number, &world->error));
        FINE(clv_schema_add(&world->schema, name, 1, i < numbers ? COLUMN_NUMBER : COLUMN_CATEGORY,
                            &world->error));
    }
    world->problem = (FitProblem){.names = &world->names, .schema = &world->schema};
    world->fit = (Fit){.context = world->context,
                       .error = &world->error,
                       .problem = &world->problem,
                       .classes = classes,
                       .features = columns,
                       .task = classes ? CLEAVE_TASK_MULTICLASS : CLEAVE_TASK_REGRESSION};
}

static void add_row(World *world, Builder *builder, const float *values, uint32_t label,
                    double number)
{
    FINE(clv_builder_add_dense(builder, values, world->fit.features, label, &world->error));
    if (world->fit.classes == 0)
        FINE(clv_builder_set_number(builder, number, &world->error));
}

static void end_rows(World *world, Builder *builder)
{
    Block block;

    FINE(clv_builder_finish(builder, &block, &world->error));
    FINE(clv_dataset_add(world->dataset, &block, &world->error));
    clv_builder_free(builder);
}

static void begin_rows(const World *world, Builder *builder)
{
    clv_builder_init(builder, world->context);
    clv_builder_clear(builder);
}

static void bin(World *world)
{
    FINE(clv_bins_make(&world->bins, &world->fit, world->dataset, &(BinOptions){0}, NULL));
}

static void ask_classes(World *world)
{
    FINE(clv_targets_classes(&world->targets, &world->bins, world->fit.classes, &world->error));
    FINE(clv_targets_weigh(&world->targets, world->bins.weight, &world->error));
}

static void ask_numbers(World *world)
{
    float *gradient = clv_alloc(world->context, world->bins.rows, sizeof *gradient);

    for (uint32_t i = 0; i < world->bins.rows; i++)
        gradient[i] = (float)-world->bins.number[i];
    FINE(clv_targets_gradients(&world->targets, &world->bins, &world->error));
    world->targets.unbounded = true;
    FINE(clv_targets_set(&world->targets, gradient, NULL, &world->error));
    clv_free(world->context, gradient);
}

static void grow(World *world, const GrowOptions *options)
{
    FINE(clv_grower_init(&world->grower, &world->bins, &world->targets, options, &world->error));
    FINE(clv_grow_tree(&world->grower, NULL, world->bins.rows, 0, &world->error));
}

static void close_world(World *world)
{
    clv_grower_free(&world->grower);
    clv_targets_free(&world->targets);
    clv_bins_free(&world->bins);
    clv_names_free(&world->names);
    clv_schema_free(&world->schema);
    clv_dataset_free(world->dataset);
    cleave_context_free(world->context);
}

/* Number of misclassified rows; depth of the tree. */
static uint32_t wrong_rows(const World *world)
{
    const GrowTree *tree = &world->grower.tree;
    uint32_t wrong = 0;

    for (uint32_t row = 0; row < world->bins.rows; row++)
        wrong += clv_tree_heaviest_class(tree, clv_grow_leaf(&world->grower, row)) !=
                 world->bins.label[row];
    return wrong;
}

/* ---- bins ------------------------------------------------------------------------------------ */

static void bounds_by_hand(void **state)
{
    float values[] = {5, -1, 5, 3, 8, 3}, workspace[6], bounds[256];
    float many[1000], scratch[1000];

    (void)state;
    clv_sort_floats(values, workspace, 6);
    assert_true(values[0] == -1 && values[1] == 3 && values[5] == 8);
    assert_int_equal(clv_find_bounds(values, 6, 0, 255, bounds), 3);
    assert_true(bounds[0] == 1 && bounds[1] == 4 && bounds[2] == 6.5F);
    assert_int_equal(clv_find_bounds(values, 6, 2, 255, bounds), 4); /* 0 is a value, too */
    assert_true(bounds[0] == -0.5F && bounds[1] == 1.5F);
    assert_int_equal(clv_find_bounds(values, 0, 9, 255, bounds), 0);
    assert_true(clv_between(1, nextafterf(1, 2)) == 1);
    assert_true(isfinite(clv_between(-FLT_MAX, FLT_MAX)));
    for (int i = 0; i < 1000; i++)
        many[i] = (float)(i < 400 ? 7 : i); /* one value fills bins of its own */
    clv_sort_floats(many, scratch, 1000);
    assert_int_equal(clv_find_bounds(many, 1000, 0, 11, bounds), 10);
    assert_true(bounds[0] > 7 && bounds[0] < 401);
    for (int i = 2; i < 10; i++)
        assert_true(bounds[i] - bounds[i - 1] > 55 &&
                    bounds[i] - bounds[i - 1] < 65); /* 600 rows for 10 bins */
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Dense numbers, sparse numbers and a category; targets of all kinds. */
static void make_mixture(World *world, uint32_t rows, uint32_t classes, unsigned threads)
{
    Random random = clv_random(3, 1);
    Builder builder;

    open_world(world, 12, 11, classes, threads);
    begin_rows(world, &builder);
    for (uint32_t i = 0; i < rows; i++) {
        float row[12];

        for (uint32_t j = 0; j < 11; j++)
            row[j] = j < 7                            ? (float)clv_random_normal(&random)
                     : clv_random_unit(&random) < 0.1 ? (float)(1 + clv_random_below(&random, 3))
                                                      : 0;
        row[11] = (float)(1 + clv_random_below(&random, 40));
        if (clv_random_unit(&random) < 0.05)
            row[3] = MISSING_VALUE;
        add_row(world, &builder, row, classes ? clv_random_below(&random, classes) : 0,
                (double)row[0] + (double)row[8] + clv_random_normal(&random));
    }
    end_rows(world, &builder);
    bin(world);
    if (classes)
        ask_classes(world);
    else
        ask_numbers(world);
}

static void assert_same_sums(const World *world, const Histogram *a, const Histogram *b)
{
    size_t cells = world->bins.cells;

    if (a->count)
        assert_memory_equal(a->count, b->count, cells * world->fit.classes * sizeof *a->count);
    else
        assert_memory_equal(a->pair, b->pair, cells * sizeof *a->pair);
}

/* Every column's cells sum up to all rows; columns in lists, too. */
static void assert_complete(const World *world, const Histogram *histogram, const uint32_t *rows,
                            uint32_t count)
{
    for (uint32_t c = 0; c < world->bins.columns; c++) {
        const BinColumn *column = &world->bins.column[c];
        uint64_t found[MOST_BINS] = {0};

        for (uint32_t i = 0; i < count; i++)
            found[clv_bins_get(&world->bins, c, rows[i])]++;
        for (uint32_t bin = 0; bin < column->bins; bin++) {
            uint64_t sum = 0;

            for (uint32_t k = 0; k < world->fit.classes; k++)
                sum += histogram->count[(column->first + bin) * world->fit.classes + k];
            if (histogram->pair)
                sum = (uint64_t)histogram->pair[column->first + bin].hessian;
            assert_int_equal(sum, found[bin]);
        }
    }
}

static void check_sums(uint32_t rows, uint32_t classes)
{
    HistogramMaker maker, plain;
    Histogram fast, slow, part;
    uint32_t *all;
    World world;

    make_mixture(&world, rows, classes, 3);
    if (rows >= 100)
        assert_true(world.bins.lists == 4 && world.bins.groups == 1 && world.bins.columns == 12);
    all = clv_alloc(world.context, rows, sizeof *all);
    for (uint32_t i = 0; i < rows; i++)
        all[i] = i;
    FINE(clv_histogram_maker_init(&maker, &world.bins, &world.targets, false, &world.error));
    FINE(clv_histogram_maker_init(&plain, &world.bins, &world.targets, true, &world.error));
    plain.plain = true;
    FINE(clv_histogram_new(&maker, &fast, &world.error));
    FINE(clv_histogram_new(&maker, &slow, &world.error));
    FINE(clv_histogram_new(&maker, &part, &world.error));
    clv_histogram_sum(&maker, all, rows, &fast);
    clv_histogram_sum(&plain, all, rows, &slow);
    assert_same_sums(&world, &fast, &slow);
    assert_complete(&world, &fast, all, rows);
    clv_histogram_sum(&maker, all + rows / 3, rows - rows / 3, &part);
    clv_histogram_subtract(&maker, &fast, &part);
    clv_histogram_sum(&plain, all, rows / 3, &slow);
    assert_same_sums(&world, &fast, &slow);
    clv_histogram_free(&maker, &fast);
    clv_histogram_free(&maker, &slow);
    clv_histogram_free(&maker, &part);
    clv_histogram_maker_free(&maker);
    clv_histogram_maker_free(&plain);
    clv_free(world.context, all);
    close_world(&world);
}

static void sums_are_exact(void **state)
{
    (void)state;
    check_sums(100, 0);
    check_sums(40000, 0); /* enough for threads */
    check_sums(40000, 3);
    check_sums(7, 2);
}

static void assert_same_trees(const GrowTree *a, const GrowTree *b, uint32_t classes)
{
    assert_int_equal(a->nodes, b->nodes);
    for (uint32_t i = 0; i < a->nodes; i++) {
        assert_int_equal(a->node[i].left, b->node[i].left);
        assert_int_equal(a->node[i].rows, b->node[i].rows);
        assert_true(a->node[i].bound == b->node[i].bound && a->node[i].gain == b->node[i].gain &&
                    a->node[i].value == b->node[i].value);
    }
    if (classes) {
        assert_int_equal(a->class_counts, b->class_counts);
        assert_memory_equal(a->class_count, b->class_count,
                            a->class_counts * sizeof *a->class_count);
    }
}

static void threads_grow_the_same_tree(void **state)
{
    (void)state;
    for (uint32_t classes = 0; classes < 4; classes += 3) {
        GrowOptions options = {.criterion = classes ? BY_GINI : BY_GRADIENT, .leaves = 40};
        World one, many;

        make_mixture(&one, 40000, classes, 1);
        make_mixture(&many, 40000, classes, 7);
        grow(&one, &options);
        grow(&many, &options);
        assert_int_equal(one.grower.tree.leaves, 40);
        assert_same_trees(&one.grower.tree, &many.grower.tree, classes);
        options.alone = true;
        clv_grower_free(&many.grower);
        grow(&many, &options);
        assert_same_trees(&one.grower.tree, &many.grower.tree, classes);
        close_world(&one);
        close_world(&many);
    }
}

static double squares_of_leaves(const World *world, double below)
{
    double sum = 0;

    for (uint32_t i = 0; i < world->grower.tree.nodes; i++) {
        const GrowNode *node = &world->grower.tree.node[i];
        double mean = 0;
        uint32_t count = 0;

        if (node->left != 0)
            continue;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t j = node->first; j < node->first + node->rows; j++) {
                double number = world->bins.number[world->grower.row[j]];

                if (number >= below)
                    continue;
                if (pass == 0)
                    mean += (number - mean) / ++count;
                else
                    sum += (number - mean) * (number - mean);
            }
    }
    return sum;
}

/* One target that is a million times the others does not round them away. The result is the same
 * for any number of threads. */
static void one_outlier_hides_no_other(void **state)
{
    GrowOptions options = {.criterion = BY_GRADIENT, .leaves = 64};
    enum { ROWS = 40000 };
    World world[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        Random random = clv_random(5, 1);
        Builder builder;

        open_world(&world[i], 8, 8, 0, i ? 7 : 1);
        begin_rows(&world[i], &builder);
        for (uint32_t row = 0; row < ROWS; row++) {
            float values[8];

            for (uint32_t j = 0; j < 8; j++)
                values[j] = (float)clv_random_unit(&random);
            add_row(&world[i], &builder, values, 0, row == 77 ? 1e6 : (double)values[2]);
        }
        end_rows(&world[i], &builder);
        bin(&world[i]);
        ask_numbers(&world[i]);
        assert_true(world[i].targets.fine);
        grow(&world[i], &options);
        assert_true(squares_of_leaves(&world[i], 2) < 0.001 * ROWS / 12);
    }
    assert_same_trees(&world[0].grower.tree, &world[1].grower.tree, 0);
    close_world(&world[0]);
    close_world(&world[1]);
}

/* ---- splits ---------------------------------------------------------------------------------- */

static double squares_left(const World *world, uint32_t column, float bound)
{
    double sum[2] = {0}, square = 0;
    uint32_t count[2] = {0};

    for (uint32_t row = 0; row < world->bins.rows; row++) {
        uint32_t side = clv_bins_get(&world->bins, column, row) >
                        clv_bin_of(&world->bins, column, bound);

        sum[side] += world->bins.number[row];
        square += world->bins.number[row] * world->bins.number[row];
        count[side]++;
    }
    for (uint32_t side = 0; side < 2; side++)
        square -= count[side] ? sum[side] * sum[side] / count[side] : 0;
    return count[0] && count[1] ? square : (double)INFINITY;
}

/* The first split is the one with the smallest sum of squares, among all possible splits. */
static void the_best_split_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        Random random = clv_random(seed, 5);
        double best = (double)INFINITY;
        Builder builder;
        World world;
        GrowNode root;

        open_world(&world, 3, 3, 0, 1);
        begin_rows(&world, &builder);
        for (uint32_t i = 0; i < 60 + 20 * seed;
             i++) { /* few rows are searched without a histogram */
            float row[3];

            for (uint32_t j = 0; j < 3; j++)
                row[j] = (float)clv_random_below(&random, 12);
            add_row(&world, &builder, row, 0,
                    (double)row[seed % 3] * (row[1] > 4 ? 1 : -1) + clv_random_unit(&random));
        }
        end_rows(&world, &builder);
        bin(&world);
        ask_numbers(&world);
        grow(&world, &(GrowOptions){.criterion = BY_GRADIENT, .leaves = 2});
        root = world.grower.tree.node[0];
        for (uint32_t c = 0; c < 3; c++)
            for (float value = 0; value < 12; value++)
                best = fmin(best, squares_left(&world, c, value));
        assert_true(root.left == 1);
        assert_true(fabs(squares_left(&world, root.column, root.bound) - best) <
                    1e-3 * best); /* 16 bits */
        close_world(&world);
    }
}

/* 200 values of a category, a random half of which are of one class. A set of values separates the
 * classes by one split, while columns of 0 and 1 separate one value at a time. */
static void plant_categories(World *world, bool one_hot)
{
    enum { VALUES = 200, ROWS = 2000 };
    Builder builder;

    open_world(world, 1, 0, 2, 1);
    if (one_hot) {
        world->schema.column[0].kind = COLUMN_NUMBER;
        world->problem.names = NULL;
        world->fit.features = VALUES;
    }
    begin_rows(world, &builder);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t value = i % VALUES;
        float row[VALUES] = {0};

        if (one_hot)
            row[value] = 1;
        else
            row[0] = (float)(value + 1);
        add_row(world, &builder, row, (uint32_t)(clv_mix(value + 1) >> 13) % 2, 0);
    }
    end_rows(world, &builder);
    bin(world);
    ask_classes(world);
}

static void sets_beat_one_hot(void **state)
{
    GrowOptions options = {.criterion = BY_GINI, .depth = 6};
    World set, hot;

    (void)state;
    plant_categories(&set, false);
    plant_categories(&hot, true);
    assert_int_equal(set.bins.columns, 1);
    assert_int_equal(hot.bins.lists, 200);
    grow(&set, &options);
    grow(&hot, &options);
    assert_int_equal(set.grower.tree.leaves, 2);
    assert_int_equal(wrong_rows(&set), 0);
    assert_true(wrong_rows(&hot) > 700); /* six splits separate six values */
    close_world(&set);
    close_world(&hot);
}

/* Rows without the value are of class 1, like those above 5, or below 5, and go to the same
 * side. */
static void missing_values_go_where_they_fit(void **state)
{
    (void)state;
    for (uint32_t high = 0; high < 2; high++) {
        Builder builder;
        World world;

        open_world(&world, 1, 1, 2, 1);
        begin_rows(&world, &builder);
        for (uint32_t i = 0; i < 100; i++) {
            float value = i < 30 ? MISSING_VALUE : (float)(i % 10);

            add_row(&world, &builder, &value, i < 30 ? 1 : (value > 5) == (high == 1), 0);
        }
        end_rows(&world, &builder);
        bin(&world);
        ask_classes(&world);
        grow(&world, &(GrowOptions){.criterion = BY_ENTROPY});
        assert_int_equal(world.grower.tree.leaves, 2);
        assert_true(world.grower.tree.node[0].bound == 5.5F);
        assert_int_equal(world.grower.tree.node[0].missing_left, high == 0);
        assert_int_equal(wrong_rows(&world), 0);
        close_world(&world);
    }
}

/* As x increases, the prediction does not decrease, whatever the rows are. */
static void monotone_columns_stay_so(void **state)
{
    const int8_t direction[] = {1, 0};
    Random random = clv_random(9, 9);
    double before = -(double)INFINITY;
    Builder builder;
    World world;

    (void)state;
    open_world(&world, 2, 2, 0, 1);
    begin_rows(&world, &builder);
    for (uint32_t i = 0; i < 800; i++) {
        float row[2] = {(float)(i % 40), (float)clv_random_below(&random, 2)};

        add_row(&world, &builder, row, 0, sin((double)row[0] / 4) + 0.05 * (double)row[0]);
    }
    end_rows(&world, &builder);
    bin(&world);
    ask_numbers(&world);
    grow(&world, &(GrowOptions){
                     .criterion = BY_GRADIENT, .leaves = 30, .monotone = direction, .features = 2});
    assert_true(world.grower.tree.leaves > 5);
    for (uint32_t x = 0; x < 40; x++)
        for (uint32_t row = x; row < 800; row += 40) {
            double value = world.grower.tree.node[clv_grow_leaf(&world.grower, row)].value;

            if (world.bins.dense && clv_bins_get(&world.bins, 1, row) == 0) {
                assert_true(value >= before);
                before = value;
            }
        }
    close_world(&world);
}

/* ---- odd data -------------------------------------------------------------------------------- */

static void odd_data_has_an_answer(void **state)
{
    enum { ROWS = 3000 };
    static float code[ROWS];
    Builder builder;
    World world;

    (void)state;
    /* One row; columns that are constant or always missing are dropped. */
    open_world(&world, 3, 2, 2, 1);
    begin_rows(&world, &builder);
    add_row(&world, &builder, (float[]){1, MISSING_VALUE, 1}, 1, 0);
    end_rows(&world, &builder);
    bin(&world);
    ask_classes(&world);
    assert_int_equal(world.bins.columns, 0);
    grow(&world, &(GrowOptions){.criterion = BY_GINI});
    assert_int_equal(world.grower.tree.leaves, 1);
    assert_true(clv_tree_class_weight(&world.grower.tree, 0, 1) == 1);
    close_world(&world);

    /* Codes up to a million, one per row, except for one value of half of the rows, which has its
     * own bin. The others share a bin. */
    open_world(&world, 1, 0, 2, 1);
    begin_rows(&world, &builder);
    for (uint32_t i = 0; i < ROWS; i++) {
        code[i] = i % 2 ? 500000 : (float)(1 + i * 333);
        add_row(&world, &builder, &code[i], i % 2, 0);
    }
    end_rows(&world, &builder);
    bin(&world);
    ask_classes(&world);
    assert_int_equal(world.bins.column[0].bins, 255);
    grow(&world, &(GrowOptions){.criterion = BY_GINI});
    assert_int_equal(wrong_rows(&world), 0);
    assert_int_equal(clv_bin_of(&world.bins, 0, 999999), clv_bin_of(&world.bins, 0, 0));
    /* A value that is not a code is treated as an unknown category. */
    assert_int_equal(clv_bin_of(&world.bins, 0, -3), clv_bin_of(&world.bins, 0, 0));
    assert_int_equal(clv_bin_of(&world.bins, 0, 1e30F), clv_bin_of(&world.bins, 0, 0));
    close_world(&world);
}

static uint32_t bounds_less(const Bins *bins, const BinColumn *column, float value)
{
    uint32_t count = column->bins - 1u - (column->missing != NO_BIN), less = 0;

    for (uint32_t i = 0; i < count; i++)
        less += bins->bound[column->bound + i] < value;
    return less;
}

/* The bin found by a guide equals that found by all bounds: evenly distributed values, values of
 * different magnitudes, huge ones, at bounds and beside them. */
static void guides_are_exact(void **state)
{
    Random random = clv_random(8, 0);
    Builder builder;
    World world;

    (void)state;
    open_world(&world, 4, 4, 2, 1);
    begin_rows(&world, &builder);
    for (uint32_t i = 0; i < 3000; i++) {
        float even = (float)clv_random_unit(&random);

        add_row(&world, &builder,
                (float[]){even, expf(40 * even - 20), even * 3e38F,
                          i % 7 == 0 ? MISSING_VALUE : even - 0.5F},
                i % 2, 0);
    }
    end_rows(&world, &builder);
    bin(&world);
    assert_int_equal(world.bins.columns, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const BinColumn *column = &world.bins.column[i];

        assert_true(column->guide != NO_GUIDE);
        for (uint32_t k = 0; k + 2 < column->bins; k++) {
            float bound = world.bins.bound[column->bound + k];
            float values[] = {bound,
                              nextafterf(bound, -FLT_MAX),
                              nextafterf(bound, FLT_MAX),
                              1.1F * bound,
                              -bound,
                              0,
                              -3e38F,
                              3e38F};

            for (uint32_t v = 0; v < sizeof values / sizeof *values; v++)
                assert_int_equal(clv_bin_of(&world.bins, i, values[v]),
                                 bounds_less(&world.bins, column, values[v]));
        }
    }
    close_world(&world);
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

/* An interrupt is detected between blocks of rows. There are no bins, because rows are missing. */
static void binning_can_be_interrupted(void **state)
{
    World world;

    (void)state;
    open_world(&world, 2, 2, 2, 1);
    for (uint32_t i = 0; i < 3; i++) {
        Builder builder;

        begin_rows(&world, &builder);
        for (uint32_t k = 0; k < 100; k++) /* the second column is in lists */
            add_row(&world, &builder, (float[]){(float)k, (float)(k % 10 == 0)}, k % 2, 0);
        end_rows(&world, &builder);
    }
    world.context->config.cancelled = at_once;
    assert_int_equal(clv_bins_make(&world.bins, &world.fit, world.dataset, &(BinOptions){0}, NULL),
                     CLEAVE_ERROR_CANCELLED);
    close_world(&world);
}

/* ---- compiled -------------------------------------------------------------------------------- */

static void compile(World *world, Model *model)
{
    TreesBuilder builder;

    *model = (Model){.context = world->context, .features = world->fit.features};
    FINE(clv_bundle_new(world->context, &model->bundle, &world->error));
    FINE(clv_trees_init(&builder, &world->bins, 1, true, &world->error));
    FINE(clv_trees_add(&builder, &world->grower, NULL, 0.5, &world->error));
    FINE(clv_trees_add(&builder, &world->grower, NULL, 1, &world->error));
    FINE(clv_trees_add(&builder, &world->grower, NULL, 64, &world->error));
    clv_trees_cut(&builder, 2);
    FINE(clv_trees_put(&builder, model->bundle, &world->error));
    clv_trees_free(&builder);
}

static void compiled_trees_answer_alike(void **state)
{
    Model model;
    Trees trees;
    World world;
    uint32_t row = 0;

    (void)state;
    make_mixture(&world, 5000, 0, 1);
    grow(&world, &(GrowOptions){.criterion = BY_GRADIENT, .leaves = 200});
    compile(&world, &model);
    assert_true(clv_trees_check(&model));
    assert_true(clv_trees_of(&model, &trees));
    assert_int_equal(trees.trees, 2);
    for (uint32_t i = 0; i < world.dataset->blocks; i++) {
        double *scores;
        Block block;

        FINE(clv_dataset_block(world.dataset, i, &block, &world.error));
        scores = clv_alloc_zero(world.context, block.rows, sizeof *scores);
        FINE(clv_trees_add_scores(&trees, world.context, &block, 0, 2, 1, scores, &world.error));
        for (uint32_t k = 0; k < block.rows; k++, row++)
            assert_true(scores[k] ==
                        1.5 * world.grower.tree.node[clv_grow_leaf(&world.grower, row)].value);
        clv_free(world.context, scores);
    }
    assert_int_equal(row, 5000);
    clv_bundle_free(model.bundle);
    close_world(&world);
}

/* Adjacent rows pass through trees together as long as they are similar; many rows, on several
 * threads. */
static void rows_side_by_side_answer_alike(void **state)
{
    enum { ROWS = 2000, TIMES = 9 };

    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        double *scores;
        Builder builder;
        Block block, repeated;
        Model model;
        Trees trees;
        World world;

        make_mixture(&world, ROWS, 0, threads);
        grow(&world, &(GrowOptions){.criterion = BY_GRADIENT, .leaves = 100});
        compile(&world, &model);
        assert_true(clv_trees_of(&model, &trees));
        FINE(clv_dataset_block(world.dataset, 0, &block, &world.error));
        assert_int_equal(block.rows, ROWS);
        clv_builder_init(&builder, world.context);
        clv_builder_clear(&builder);
        for (uint32_t i = 0; i < ROWS * TIMES; i++)
            FINE(clv_builder_copy_row(&builder, &block, i / TIMES, 0, &world.error));
        FINE(clv_builder_finish(&builder, &repeated, &world.error));
        scores = clv_alloc_zero(world.context, repeated.rows, sizeof *scores);
        FINE(clv_trees_add_scores(&trees, world.context, &repeated, 0, 2, 1, scores, &world.error));
        for (uint32_t i = 0; i < repeated.rows; i++)
            assert_true(scores[i] ==
                        1.5 *
                            world.grower.tree.node[clv_grow_leaf(&world.grower, i / TIMES)].value);
        clv_free(world.context, scores);
        clv_builder_free(&builder);
        clv_bundle_free(model.bundle);
        close_world(&world);
    }
}

/* A file from outside may contain anything: a cycle, or a child, slot, set or leaf that does not
 * exist. */
static void damaged_trees_are_refused(void **state)
{
    Model model;
    World world;
    uint32_t *nodes, *starts;
    double *weights, weight;
    const BundleItem *item;

    (void)state;
    make_mixture(&world, 500, 0, 1);
    grow(&world, &(GrowOptions){.criterion = BY_GRADIENT, .leaves = 20});
    compile(&world, &model);
    item = clv_bundle_get(model.bundle, "tree_nodes", BUNDLE_U32);
    nodes = (uint32_t *)item->data;
    for (uint32_t i = 0; i < item->count; i++) {
        static const uint32_t bad[4] = {0x7FC00000, 0x7FFFFFFF, UINT32_MAX - 1, UINT32_MAX};
        uint32_t kept = nodes[i], leaf = nodes[i / 4 * 4 + 2] == i / 4;

        if (i % 4 == 3 && !leaf) /* the leaf of a node that is not a leaf: never read */
            continue;
        if (i % 4 == 0 && nodes[i + 1] & SLOT_SET)
            nodes[i] = UINT32_MAX;
        else
            nodes[i] = bad[i % 4];
        assert_false(clv_trees_check(&model));
        if (i % 4 == 2 && i > 4) {
            nodes[i] = i / 4 - 1;
            assert_false(clv_trees_check(&model));
        }
        if (i % 4 == 2 &&
            /* a node with two parents: the nodes below it would occur twice, and those below them
             * four times */
            !leaf) {
            nodes[i] = kept + (kept > i / 4 + 1 ? -1u : 2);
            assert_false(clv_trees_check(&model));
        }
        nodes[i] = kept;
    }
    starts = (uint32_t *)clv_bundle_get(model.bundle, "tree_starts", BUNDLE_U32)->data;
    starts[1]--;
    assert_false(clv_trees_check(&model));
    starts[1]++;
    weights = (double *)clv_bundle_get(model.bundle, "tree_weights", BUNDLE_F64)->data;
    weight = weights[3];
    weights[3] = (double)NAN;
    assert_false(clv_trees_check(&model));
    weights[3] = weight;
    assert_true(clv_trees_check(&model));
    clv_bundle_free(model.bundle);
    close_world(&world);
}

/* ---- pruning --------------------------------------------------------------------------------- */

/* Labels by one bound with noise, and the tree of pure leaves that fits both. */
static void grow_noisy(World *world, uint32_t count)
{
    Random random = clv_random(1, 2);
    Builder builder;

    open_world(world, 2, 2, 2, 1);
    begin_rows(world, &builder);
    for (uint32_t i = 0; i < count; i++) {
        float row[2] = {(float)clv_random_unit(&random), (float)clv_random_unit(&random)};

        add_row(world, &builder, row, (row[0] > 0.5F) != (clv_random_unit(&random) < 0.2), 0);
    }
    end_rows(world, &builder);
    bin(world);
    ask_classes(world);
    FINE(clv_grower_init(&world->grower, &world->bins, &world->targets,
                         &(GrowOptions){.criterion = BY_GINI}, &world->error));
    FINE(clv_grow_tree(&world->grower, NULL, count, 0, &world->error));
}

typedef struct {
    double cost;
    uint32_t leaves;
} Cost;

static double gini_of(const GrowTree *tree, uint32_t node)
{
    const double weight[2] = {clv_tree_class_weight(tree, node, 0),
                              clv_tree_class_weight(tree, node, 1)};

    return (tree->node[node].hessian -
            (weight[0] * weight[0] + weight[1] * weight[1]) / tree->node[node].hessian) /
           tree->node[0].hessian;
}

/* The minimum of R(T) + alpha * leaves(T) over all pruned trees below a node, and the fewest leaves
 * with this minimum. */
static Cost least_cost(const GrowTree *tree, uint32_t node, double alpha)
{
    Cost leaf = {gini_of(tree, node) + alpha, 1}, left, right;

    if (tree->node[node].left == 0)
        return leaf;
    left = least_cost(tree, tree->node[node].left, alpha);
    right = least_cost(tree, tree->node[node].left + 1, alpha);
    return leaf.cost <= left.cost + right.cost + 1e-12
               ? leaf
               : (Cost){left.cost + right.cost, left.leaves + right.leaves};
}

static double cost_of(const GrowTree *tree, uint32_t node, double alpha)
{
    uint32_t left = tree->node[node].left;

    return left ? cost_of(tree, left, alpha) + cost_of(tree, left + 1, alpha)
                : gini_of(tree, node) + alpha;
}

static void pruned_trees_cost_least(void **state)
{
    enum { ROWS = 400 };
    World world;

    (void)state;
    for (double alpha = 1e-4; alpha < 0.5; alpha *= 1.3) {
        GrowTree *tree;
        double *alphas;
        Cost least;

        grow_noisy(&world, ROWS);
        tree = &world.grower.tree;
        least = least_cost(tree, 0, alpha);
        alphas = clv_alloc(world.context, tree->nodes, sizeof *alphas);
        FINE(clv_prune_alphas(world.context, tree, alphas, &world.error));
        clv_prune_tree(tree, alphas, alpha);
        assert_int_equal(tree->leaves, least.leaves);
        assert_true(fabs(cost_of(tree, 0, alpha) - least.cost) < 1e-12);
        clv_free(world.context, alphas);
        close_world(&world);
    }
}

static Status grow_from(void *user, Grower *grower, const uint32_t *rows, uint32_t count)
{
    return clv_grow_tree(grower, rows, count, 0, user);
}

/* Validation keeps the one split that is not noise, with folds and with one held-out part. */
static void validation_prunes_noise(void **state)
{
    enum { ROWS = 2000 };
    World world;

    (void)state;
    for (uint32_t runs = 1; runs <= 5; runs += 4) {
        PruneSequence sequence;
        Grower grower;
        double *alphas;
        uint32_t best;

        grow_noisy(&world, ROWS);
        assert_true(world.grower.tree.leaves > 250);
        alphas = clv_alloc(world.context, world.grower.tree.nodes, sizeof *alphas);
        FINE(clv_prune_alphas(world.context, &world.grower.tree, alphas, &world.error));
        FINE(
            clv_prune_sequence(world.context, &world.grower.tree, alphas, &sequence, &world.error));
        assert_true(sequence.count < 200);
        assert_true(sequence.step[0].alpha == 0 &&
                    sequence.step[0].leaves == world.grower.tree.leaves);
        assert_true(sequence.step[sequence.count - 1].leaves == 1 &&
                    isinf(sequence.step[sequence.count - 1].midpoint));
        FINE(clv_grower_init(&grower, &world.bins, &world.targets,
                             &(GrowOptions){.criterion = BY_GINI}, &world.error));
        FINE(clv_prune_choose(&(PruneValidation){.bins = &world.bins,
                                                 .grower = &grower,
                                                 .seed = 1,
                                                 .folds = 5,
                                                 .runs = runs,
                                                 .grow = grow_from,
                                                 .user = &world.error},
                              &sequence, &best, &world.error));
        assert_int_equal(sequence.step[best].leaves, 2);
        assert_true(sequence.step[best].error < 0.22 && sequence.step[0].error > 0.27);
        clv_prune_tree(&world.grower.tree, alphas, sequence.step[best].alpha);
        assert_int_equal(world.grower.tree.leaves, 2);
        clv_grower_free(&grower);
        clv_free(world.context, sequence.step);
        clv_free(world.context, alphas);
        close_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_by_hand),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(threads_grow_the_same_tree),
        cmocka_unit_test(one_outlier_hides_no_other),
        cmocka_unit_test(the_best_split_is_found),
        cmocka_unit_test(sets_beat_one_hot),
        cmocka_unit_test(missing_values_go_where_they_fit),
        cmocka_unit_test(monotone_columns_stay_so),
        cmocka_unit_test(odd_data_has_an_answer),
        cmocka_unit_test(guides_are_exact),
        cmocka_unit_test(binning_can_be_interrupted),
        cmocka_unit_test(compiled_trees_answer_alike),
        cmocka_unit_test(rows_side_by_side_answer_alike),
        cmocka_unit_test(damaged_trees_are_refused),
        cmocka_unit_test(pruned_trees_cost_least),
        cmocka_unit_test(validation_prunes_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
