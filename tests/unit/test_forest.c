/*
 * Forests: bags and out-of-bag errors, recomputed from the finished model; importances of
 * informative and uninformative columns; contributions that sum to the score; trees over different
 * bins in one model; errors for damaged models.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/builder.h"
#include "learn/tree/importance.h"
#include "learn/tree/trees.h"

#define FINE(expression) assert_int_equal((expression), OK)

extern const Method clv_method_forest;
extern const Method clv_method_forest_regression;

enum { COLUMNS = 5, NUMBERS = 3, ROWS = 300, TREES = 12 };

/* Two informative numeric columns, one of noise, an informative category, and a constant one. */
typedef struct {
    Context *context;
    cleave_error error;
    Dataset *dataset;
    Names names;
    Schema schema;
    FitProblem problem;
    char options[256];
    Fit fit;
    Model model;
} World;

static bool round_over(Fit *fit)
{
    fit->counters.epoch++;
    return true;
}

static void set_option(World *world, const char *name, const char *value)
{
    FINE(clv_param_set(clv_param_find(world->fit.method->params, name), world->options, value,
                       &world->error));
}

static void open_world(World *world, uint32_t classes, unsigned threads)
{
    const Method *method = classes ? &clv_method_forest : &clv_method_forest_regression;

    *world = (World){.context = cleave_context_new(
                         &(cleave_config){.size = sizeof(cleave_config), .threads = threads})};
    FINE(clv_dataset_new(world->context, &world->dataset, &world->error));
    clv_names_init(&world->names, world->context, false);
    clv_schema_init(&world->schema, world->context);
    memcpy(world->schema.format, "csv", 4);
    for (uint32_t i = 0; i < COLUMNS; i++) {
        char name[2] = {(char)('a' + i), 0};
        uint32_t number;

        FINE(clv_names_add(&world->names, name, 1, &number, &world->error));
        FINE(clv_schema_add(&world->schema, name, 1, i < NUMBERS ? COLUMN_NUMBER : COLUMN_CATEGORY,
                            &world->error));
    }
    assert_true(method->options_size <= sizeof world->options);
    clv_params_initial(method->params, world->options);
    world->problem = (FitProblem){.names = &world->names, .schema = &world->schema, .seed = 7};
    world->fit = (Fit){.context = world->context,
                       .error = &world->error,
                       .method = method,
                       .options = world->options,
                       .problem = &world->problem,
                       .classes = classes,
                       .outputs = outputs_of(classes),
                       .features = COLUMNS,
                       .max_epochs = TREES,
                       .epoch_done = round_over,
                       .task = classes ? CLEAVE_TASK_MULTICLASS : CLEAVE_TASK_REGRESSION};
    world->fit.state = clv_alloc_zero(world->context, 1, method->state_size);
}

/* `shift` assigns other codes to other rows, so that bins differ. */
static void add_rows(World *world, uint32_t shift)
{
    Builder builder;
    Block block;

    clv_builder_init(&builder, world->context);
    clv_builder_clear(&builder);
    for (uint32_t i = 0; i < ROWS; i++) {
        Random random = clv_random(11 + shift, i);
        float a = (float)clv_random_below(&random, 50), b = (float)clv_random_below(&random, 50);
        uint32_t code = 1 + (clv_random_below(&random, 6) + shift) % (6 + shift);
        uint32_t label = a > 25 ? code % 2 : b > 25 ? 2 : code % 2;
        float values[COLUMNS] = {a, i % 17 ? b : MISSING_VALUE,
                                 (float)clv_random_below(&random, 50), (float)code, 3};

        FINE(clv_builder_add_dense(&builder, values, COLUMNS,
                                   label % (world->fit.classes ? world->fit.classes : 3),
                                   &world->error));
        if (world->fit.classes == 0)
            FINE(clv_builder_set_number(&builder, a + 10.0 * label, &world->error));
    }
    FINE(clv_builder_finish(&builder, &block, &world->error));
    FINE(clv_dataset_add(world->dataset, &block, &world->error));
    clv_builder_free(&builder);
}

static void train(World *world)
{
    FINE(world->fit.method->training->fit(&world->fit, world->dataset));
    world->model = (Model){.context = world->context,
                           .method = world->fit.method,
                           .features = COLUMNS,
                           .rounds = world->fit.counters.epoch};
    world->model.labels.count = world->fit.classes;
    FINE(clv_bundle_new(world->context, &world->model.bundle, &world->error));
    FINE(world->fit.method->training->end(&world->fit, &world->model));
    FINE(world->fit.method->inference->check_model(&world->model, world->fit.options,
                                                   &world->error));
}

static void close_world(World *world)
{
    world->fit.method->training->free(&world->fit);
    clv_free(world->context, world->fit.state);
    if (world->model.bundle)
        clv_bundle_free(world->model.bundle);
    clv_names_free(&world->names);
    clv_schema_free(&world->schema);
    clv_dataset_free(world->dataset);
    cleave_context_free(world->context);
}

static double figure(const Fit *fit, const char *name)
{
    for (size_t i = 0; i < fit->result.figure_count; i++)
        if (strcmp(fit->result.figures[i].name, name) == 0)
            return fit->result.figures[i].value;
    return (double)NAN;
}

/* ---- bags ------------------------------------------------------------------------------------ */

static void bags_part_the_rows(void **state)
{
    World world;
    Bins bins = {.rows = 1000, .all_rows = 1000};
    Bag bag, other;
    double drawn = 0;

    (void)state;
    open_world(&world, 3, 1);
    bins.context = world.context;
    FINE(clv_bag_init(&bag, &bins, &world.error));
    FINE(clv_bag_init(&other, &bins, &world.error));
    clv_bag_draw(&bag, 1, 5, 0);
    assert_int_equal(bag.rows + bag.lefts, bins.rows);
    for (uint32_t i = 0; i < bins.rows; i++)
        drawn += (double)bag.times[i];
    assert_true(drawn == bins.rows);
    for (uint32_t i = 0; i < bag.rows; i++)
        assert_true(bag.times[bag.row[i]] >= 1 && (i == 0 || bag.row[i] > bag.row[i - 1]));
    for (uint32_t i = 0; i < bag.lefts; i++)
        assert_true(bag.times[bag.left[i]] == 0 && (i == 0 || bag.left[i] > bag.left[i - 1]));
    /* (1 - 1/n)^n of them, with six standard deviations */
    assert_true(bag.lefts > 320 && bag.lefts < 416);
    clv_bag_draw(&other, 1, 5, 0);
    assert_memory_equal(bag.times, other.times, bins.rows * sizeof *bag.times);
    clv_bag_draw(&other, 1, 5, 1);
    assert_memory_not_equal(bag.times, other.times, bins.rows * sizeof *bag.times);
    clv_bag_draw(&other, 0.1, 5, 1);
    assert_true(other.rows <= 100 && other.rows > 80);
    clv_bag_free(&bag);
    clv_bag_free(&other);
    close_world(&world);
}

/* ---- out of them ----------------------------------------------------------------------------- */

/* The out-of-bag error, with each bag drawn again. */
static double error_again(World *world)
{
    size_t outputs = world->fit.outputs;
    static double score[ROWS * 3];
    static uint32_t node[ROWS], times[ROWS];
    Bins bins = {0};
    Trees trees;
    Block block;
    Bag bag;
    double loss = 0, rows = 0;

    memset(score, 0, sizeof score);
    memset(times, 0, sizeof times);
    assert_int_equal(world->dataset->blocks, 1);
    FINE(clv_dataset_block(world->dataset, 0, &block, &world->error));
    FINE(clv_bins_make(&bins, &world->fit, world->dataset, &(BinOptions){0}, NULL));
    FINE(clv_bag_init(&bag, &bins, &world->error));
    assert_true(clv_trees_of(&world->model, &trees));
    assert_int_equal(trees.trees, TREES);
    for (uint32_t t = 0; t < TREES; t++) {
        FINE(clv_trees_leaves(&trees, world->context, &block, t, node, &world->error));
        clv_bag_draw(&bag, 1, world->fit.problem->seed, t);
        for (uint32_t i = 0; i < bag.lefts; i++) {
            uint32_t row = bag.left[i], leaf = trees.node[node[row]].leaf;

            times[row]++;
            for (size_t o = 0; o < outputs; o++)
                score[row * outputs + o] += trees.value ? trees.value[leaf]
                                                        : (double)trees.values[leaf * outputs + o];
        }
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        if (times[i] == 0)
            continue;
        rows++;
        if (bins.label)
            loss += clv_bag_class(score + i * outputs, outputs, world->fit.positive) !=
                    bins.label[i];
        else
            loss += pow(score[i] / times[i] - bins.number[i], 2);
    }
    assert_true(figure(&world->fit, "oob_rows") == rows);
    clv_bag_free(&bag);
    clv_bins_free(&bins);
    return loss / rows;
}

static void the_error_out_of_bag_is_what_it_says(void **state)
{
    World world;

    (void)state;
    for (uint32_t classes = 2; classes <= 3; classes++) {
        open_world(&world, classes, 2);
        add_rows(&world, 0);
        train(&world);
        assert_true(fabs(figure(&world.fit, "oob_error") - error_again(&world)) < 1e-9);
        assert_true(figure(&world.fit, "oob_error") < (classes == 2 ? 0.2 : 0.3));
        close_world(&world);
    }
    open_world(&world, 0, 2);
    add_rows(&world, 0);
    train(&world);
    assert_true(fabs(figure(&world.fit, "oob_mse") / error_again(&world) - 1) < 1e-9);
    assert_true(figure(&world.fit, "oob_r2") > 0.6);
    close_world(&world);
}

/* ---- why ------------------------------------------------------------------------------------- */

static void columns_that_tell_matter(void **state)
{
    double gain[COLUMNS], harm[COLUMNS], all = 0;
    World world;

    (void)state;
    open_world(&world, 3, 1);
    add_rows(&world, 0);
    train(&world);
    assert_true(cleave_model_importances(&world.model, gain, harm) && isnan(harm[0]));
    close_world(&world);
    for (unsigned threads = 1; threads <= 2; threads++) {
        double before[COLUMNS];

        memcpy(before, harm, sizeof before);
        open_world(&world, 3, threads);
        set_option(&world, "importance", "permutation");
        add_rows(&world, 0);
        train(&world);
        assert_true(cleave_model_importances(&world.model, gain, harm));
        assert_true(threads == 1 || memcmp(before, harm, sizeof before) == 0);
        close_world(&world);
    }
    for (uint32_t i = 0; i < COLUMNS; i++)
        all += gain[i];
    assert_true(fabs(all - 1) < 1e-12);
    assert_true(gain[3] > gain[2] && harm[3] > 0.2 && harm[1] > 0.03 && harm[0] > 0.03);
    assert_true(fabs(harm[2]) < 0.03);
    assert_true(gain[4] == 0 && harm[4] == 0);
}

static void shares_are_the_score(void **state)
{
    World world;
    Block block;

    (void)state;
    for (uint32_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        size_t outputs = outputs_of(classes);
        static double scores[ROWS * 3];

        open_world(&world, classes, 1);
        add_rows(&world, 0);
        train(&world);
        FINE(clv_dataset_block(world.dataset, 0, &block, &world.error));
        FINE(world.fit.method->inference->predict(&world.model, &block, scores, &world.error));
        for (uint32_t row = 0; row < 50; row++)
            for (size_t o = 0; o < outputs; o++) {
                double shares[COLUMNS] = {0}, sum;

                assert_true(world.fit.method->inspection->contributions(&world.model, &block, row,
                                                                        o, shares, &sum));
                for (uint32_t i = 0; i < COLUMNS; i++)
                    sum += shares[i];
                assert_true(fabs(sum - scores[row * outputs + o]) < 1e-5 * (1 + fabs(sum)));
            }
        close_world(&world);
    }
}

/* ---- more trees ------------------------------------------------------------------------------ */

/* Rows of other data have other bins and other codes. The predictions of the first trees must not
 * change. */
static void trees_of_other_bins_go_along(void **state)
{
    static double first[ROWS * 3], both[ROWS * 3], second[ROWS * 3];
    World one, two;
    Trees trees;
    Block block;

    (void)state;
    open_world(&one, 3, 1);
    add_rows(&one, 0);
    train(&one);
    open_world(&two, 3, 1);
    add_rows(&two, 3);
    two.fit.counters.epoch = one.fit.counters.epoch;
    FINE(two.fit.method->training->resume(&two.fit, &one.model));
    train(&two);
    FINE(clv_dataset_block(two.dataset, 0, &block, &two.error));
    assert_true(clv_trees_of(&two.model, &trees));
    assert_int_equal(trees.trees, 2 * TREES);
    memset(second, 0, sizeof second);
    FINE(one.fit.method->inference->predict(&one.model, &block, first, &one.error));
    FINE(clv_trees_add_scores(&trees, two.context, &block, TREES, TREES, 3, second, &two.error));
    FINE(two.fit.method->inference->predict(&two.model, &block, both, &two.error));
    for (uint32_t i = 0; i < ROWS * 3; i++)
        assert_true(fabs(both[i] - (first[i] + second[i] / TREES) / 2) < 1e-9);
    close_world(&one);
    close_world(&two);
}

/* By increase of the loss if it is known, then by gain, then by position. Columns without a gain
 * are omitted. */
static void importances_in_order(void **state)
{
    enum { COLUMNS = 97 };
    Random random = clv_random(11, 0);

    (void)state;
    for (int known = 0; known < 2; known++)
        for (size_t columns = 0; columns <= COLUMNS; columns++) {
            double gain[COLUMNS], harm[COLUMNS];
            size_t order[COLUMNS], count, expected = 0;

            for (size_t i = 0; i < columns; i++) {
                gain[i] = floor(8 * clv_random_unit(&random));
                harm[i] = known ? floor(4 * clv_random_unit(&random)) : (double)NAN;
                expected += gain[i] > 0;
            }
            count = cleave_importance_order(gain, harm, columns, order);
            assert_int_equal(count, expected);
            for (size_t i = 0; i < count; i++) {
                size_t a = i ? order[i - 1] : order[i], b = order[i];

                assert_true(gain[b] > 0);
                if (known && harm[a] != harm[b])
                    assert_true(harm[a] > harm[b]);
                else if (gain[a] != gain[b])
                    assert_true(gain[a] > gain[b]);
                else
                    assert_true(i == 0 || a < b);
            }
        }
}

static void damaged_importances_are_refused(void **state)
{
    const BundleItem *item;
    double *harm;
    World world;

    (void)state;
    open_world(&world, 2, 1);
    set_option(&world, "importance", "permutation");
    add_rows(&world, 0);
    train(&world);
    item = clv_bundle_get(world.model.bundle, "importance_harm", BUNDLE_F64);
    assert_non_null(item);
    assert_int_equal(item->count, COLUMNS);
    memcpy(&harm, &item->data, sizeof harm);
    harm[1] = (double)NAN;
    assert_int_equal(
        world.fit.method->inference->check_model(&world.model, world.fit.options, NULL),
        CLEAVE_ERROR_FORMAT);
    harm[1] = 0;
    FINE(world.fit.method->inference->check_model(&world.model, world.fit.options, &world.error));
    world.model.features = COLUMNS - 1;
    assert_int_equal(
        world.fit.method->inference->check_model(&world.model, world.fit.options, NULL),
        CLEAVE_ERROR_FORMAT);
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bags_part_the_rows),
        cmocka_unit_test(the_error_out_of_bag_is_what_it_says),
        cmocka_unit_test(columns_that_tell_matter),
        cmocka_unit_test(shares_are_the_score),
        cmocka_unit_test(trees_of_other_bins_go_along),
        cmocka_unit_test(damaged_importances_are_refused),
        cmocka_unit_test(importances_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
