/*
 * Properties of trees, forests and boosting for all data and options: limits hold in every leaf,
 * the number of threads has no effect, curves that must increase do so, out-of-bag rows predict the
 * error on held-out rows, ensembles have lower errors than one tree, and pruning loses nothing.
 * From files to predictions, as users run them.
 */
#include "support/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

#define FINE(expression) assert_int_equal((expression), CLEAVE_OK)

enum { MOST_ROWS = 4000, FIELD = 48 };

typedef struct {
    char folder[TEST_PATH_SIZE];
    cleave_error error;
} World;

typedef struct {
    double score[MOST_ROWS];
    size_t rows, wrong;
} Answers;

static int many(int few, int long_run)
{
    return getenv("CLEAVE_LONG") ? long_run : few;
}

static void open_world(World *world)
{
    test_folder_new(world->folder);
}

static void close_world(World *world)
{
    test_folder_remove(world->folder);
}

/* Parses pairs such as "max_depth=3 max_leaves=4". */
static cleave_options *options_of(cleave_context *context, const char *pairs)
{
    cleave_options *options = cleave_options_new(context);
    char copy[512], *rest = copy;
    cleave_error error;

    snprintf(copy, sizeof copy, "%s", pairs);
    for (char *pair = strtok_r(rest, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(pair, '=');

        *value++ = '\0';
        FINE(cleave_options_set(options, pair, value, &error));
    }
    return options;
}

static cleave_data *open_file(cleave_context *context, const World *world, const char *name,
                              const char *read)
{
    cleave_options *options = options_of(context, read);
    char path[TEST_PATH_SIZE];
    cleave_data *data = NULL;
    cleave_error error = {0};

    if (cleave_open(context, test_join(path, world->folder, name), options, &data, &error) !=
        CLEAVE_OK)
        fail_msg("%s: %s", name, error.message);
    cleave_options_free(options);
    return data;
}

/* figure: of the report, NULL: none. */
static cleave_model *train(cleave_context *context, const World *world, const char *method,
                           const char *name, const char *how, const char *figure, double *value)
{
    cleave_data *data = open_file(context, world, name,
                                  strstr(method, "-regression") ? "label=y" : "");
    cleave_options *options = options_of(context, how);
    cleave_report *report = NULL;
    cleave_model *model = NULL;
    cleave_error error = {0};

    if (cleave_train(context, method, data, NULL, options, &model, &report, &error) != CLEAVE_OK)
        fail_msg("%s %s: %s", method, how, error.message);
    for (size_t i = 0; figure && i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, figure) == 0)
            *value = report->statistics[i].value;
    cleave_report_free(report);
    cleave_options_free(options);
    cleave_data_free(data);
    return model;
}

static cleave_code keep_answer(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Answers *answers = user;

    (void)error;
    assert_true(answers->rows < MOST_ROWS);
    answers->score[answers->rows++] = prediction->scores[0];
    answers->wrong += prediction->true_label && !prediction->correct;
    return CLEAVE_OK;
}

static void ask(const World *world, const cleave_model *model, const char *name, Answers *answers)
{
    char path[TEST_PATH_SIZE];
    const char *paths[] = {test_join(path, world->folder, name)};
    cleave_data *data = NULL;
    cleave_error error = {0};

    answers->rows = answers->wrong = 0;
    if (cleave_open_for(model, paths, 1, NULL, &data, &error) != CLEAVE_OK ||
        cleave_predict(model, data, NULL, keep_answer, answers, &error) != CLEAVE_OK)
        fail_msg("%s: %s", name, error.message);
    cleave_data_free(data);
}

/* The error rate on the rows of a file. */
static double error_of(const World *world, const cleave_model *model, const char *name)
{
    static Answers answers;

    ask(world, model, name, &answers);
    return (double)answers.wrong / (double)answers.rows;
}

/* ---- data ------------------------------------------------------------------------------------ */

static FILE *create(const World *world, const char *name)
{
    char path[TEST_PATH_SIZE];
    FILE *file = fopen(test_join(path, world->folder, name), "w");

    assert_non_null(file);
    return file;
}

static const char *cell(char text[FIELD], double share_missing, Random *random, const char *prefix,
                        double value)
{
    if (clv_random_unit(random) < share_missing)
        *text = '\0';
    else
        snprintf(text, FIELD, "%s%.5g", prefix, value);
    return text;
}

/* Numbers and categories, some of either missing; three classes, or a number. */
static void write_mixture(const World *world, const char *name, uint32_t rows, uint64_t seed,
                          bool numbers)
{
    Random random = clv_random(seed, 1);
    FILE *file = create(world, name);

    fprintf(file, "a,b,few,many,y\n");
    for (uint32_t i = 0; i < rows; i++) {
        double a = clv_random_unit(&random), b = clv_random_below(&random, 9);
        uint32_t few = clv_random_below(&random, 3), value = clv_random_below(&random, 30);
        double y = a + (few == 1) + (double)(clv_mix(value) % 3) / 2 + clv_random_unit(&random);
        char text[4][FIELD];

        fprintf(file, "%s,%s,%s,%s,", cell(text[0], 0.1, &random, "", a),
                cell(text[1], 0, &random, "", b), cell(text[2], 0, &random, "f", few),
                cell(text[3], 0.1, &random, "m", value));
        if (numbers)
            fprintf(file, "%.6g\n", y);
        else
            fprintf(file, "%s\n", y > 1.9 ? "high" : y > 1.2 ? "mean" : "low");
    }
    fclose(file);
}

/* ---- limits ---------------------------------------------------------------------------------- */

typedef struct {
    uint32_t depth, leaves, leaf_rows;
    double gain; /* minimum gain of a split */
} Limits;

/* Counts the leaves below a node, and checks that its sums equal those of its children. rows:
 * weights are numbers of rows. */
static uint32_t check_below(const cleave_model *model, size_t tree, size_t number, uint32_t depth,
                            const Limits *limits, bool rows)
{
    cleave_tree_node node, left, right;

    assert_true(cleave_model_tree_node(model, tree, number, &node));
    if (limits->depth)
        assert_true(depth <= limits->depth);
    if (node.leaf) {
        if (rows)
            assert_true(node.weight >= limits->leaf_rows);
        return 1;
    }
    assert_true(cleave_model_tree_node(model, tree, node.left, &left));
    assert_true(cleave_model_tree_node(model, tree, node.right, &right));
    assert_true(node.nodes == 1 + left.nodes + right.nodes);
    assert_true(node.gain >= limits->gain && node.gain > 0);
    assert_true(fabs(left.weight + right.weight - node.weight) <= 1e-3 * node.weight);
    return check_below(model, tree, node.left, depth + 1, limits, rows) +
           check_below(model, tree, node.right, depth + 1, limits, rows);
}

static void limits_hold(void **state)
{
    static const char *const methods[] = {"tree", "tree-regression", "forest", "boost",
                                          "boost-regression"};
    cleave_context *context = cleave_context_new(NULL);
    Random random = clv_random(5, 5);
    World world;

    (void)state;
    open_world(&world);
    write_mixture(&world, "classes.csv", 250, 1, false);
    write_mixture(&world, "numbers.csv", 250, 2, true);
    for (int i = 0; i < many(30, 1000); i++) {
        const char *method = methods[i % 5];
        bool numbers = strstr(method, "-regression") != NULL;
        Limits limits = {.depth = clv_random_below(&random, 7),
                         .leaves = i % 3 ? 2 + clv_random_below(&random, 20) : 0,
                         .leaf_rows = 1 + clv_random_below(&random, i % 2 ? 3 : 40)};
        cleave_model *model;
        char how[200];

        snprintf(how, sizeof how, "max_depth=%u max_leaves=%u min_leaf_rows=%u%s", limits.depth,
                 limits.leaves, limits.leaf_rows,
                 method[0] == 't'   ? ""
                 : method[0] == 'f' ? " trees=3"
                                    : " rounds=3");
        model = train(context, &world, method, numbers ? "numbers.csv" : "classes.csv", how, NULL,
                      NULL);
        for (size_t tree = 0; tree < cleave_model_tree_count(model); tree++) {
            uint32_t leaves = check_below(model, tree, 0, 0, &limits, method[0] == 't' || numbers);

            assert_true(limits.leaves == 0 || leaves <= limits.leaves);
        }
        cleave_model_free(model);
    }
    close_world(&world);
    cleave_context_free(context);
}

/* --min-gain is a fraction of the impurity of the root; with the Gini index, its weight minus the
 * sum of its squared class weights over the weight. */
static void gains_are_as_asked_for(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    uint32_t before = UINT32_MAX;
    World world;

    (void)state;
    open_world(&world);
    write_mixture(&world, "classes.csv", 300, 3, false);
    for (int i = 0; i < 5; i++) {
        double share = (double)(i * i) * 0.004;
        cleave_tree_node root;
        cleave_model *model;
        char how[64];
        double all;
        uint32_t leaves;

        snprintf(how, sizeof how, "prune=none min_gain=%g", share);
        model = train(context, &world, "tree", "classes.csv", how, NULL, NULL);
        assert_true(cleave_model_tree_node(model, 0, 0, &root));
        all = root.weight;
        for (size_t c = 0; c < 3; c++)
            all -= root.class_weight[c] * root.class_weight[c] / root.weight;
        leaves = check_below(model, 0, 0, 0, &(Limits){.gain = 0.999 * share * all, .leaf_rows = 1},
                             true);
        assert_true(leaves < before && leaves > 1);
        before = leaves;
        cleave_model_free(model);
    }
    close_world(&world);
    cleave_context_free(context);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void threads_do_not_matter(void **state)
{
    static const struct {
        const char *method, *how;
    } runs[] = {
        {"tree", "class_weight=high=3,low=2"},
        {"tree", "prune=holdout criterion=entropy class_weight=high=3,low=2"},
        {"forest", "trees=5 row_fraction=0.5 max_features=2 importance=permutation "
                   "class_weight=high=3,low=2"},
        {"boost",
         "rounds=2 row_fraction=0.5 column_fraction=0.5 min_leaf_rows=5 class_weight=high=3,low=2"},
        {"boost",
         "rounds=3 loss=exponential row_fraction=0.7 min_leaf_rows=5 class_weight=high=3,low=2"},
        {"tree-regression", "prune=cv"},
        {"forest-regression", "trees=5 row_fraction=0.5 importance=permutation"},
        {"boost-regression", "rounds=3 row_fraction=0.5 column_fraction=0.7 monotone=a=+"},
    };
    static const unsigned threads[] = {1, 2, 7};
    World world;

    (void)state;
    open_world(&world);
    write_mixture(&world, "classes.csv", 1500, 1, false);
    write_mixture(&world, "numbers.csv", 1500, 2, true);
    for (size_t run = 0; run < sizeof runs / sizeof *runs; run++) {
        char *first = NULL;
        size_t first_size = 0;

        for (size_t i = 0; i < 3; i++) {
            cleave_context *context = cleave_context_new(
                &(cleave_config){.size = sizeof(cleave_config), .threads = threads[i]});
            bool numbers = strstr(runs[run].method, "-regression") != NULL;
            cleave_model *model = train(context, &world, runs[run].method,
                                        numbers ? "numbers.csv" : "classes.csv", runs[run].how,
                                        NULL, NULL);
            char path[TEST_PATH_SIZE], *bytes;
            size_t size;

            FINE(cleave_save(model, test_join(path, world.folder, "a.model"), &world.error));
            bytes = test_read_file(path, &size);
            if (first) {
                assert_int_equal(size, first_size);
                assert_memory_equal(bytes, first, size);
                free(bytes);
            } else {
                first = bytes;
                first_size = size;
            }
            cleave_model_free(model);
            cleave_context_free(context);
        }
        free(first);
    }
    close_world(&world);
}

/* ---- what must grow -------------------------------------------------------------------------- */

enum { STEPS = 40 };

/* As a increases, the target oscillates; it is larger with b than without. */
static void write_waves(const World *world, bool numbers)
{
    Random random = clv_random(8, 8);
    FILE *file = create(world, "waves.csv");

    fprintf(file, "a,b,c,y\n");
    for (uint32_t i = 0; i < 700; i++) {
        double a = clv_random_unit(&random), b = clv_random_unit(&random);
        uint32_t c = clv_random_below(&random, 8);
        double y = a + sin(14 * a) - b + cos(9 * b) + (c % 3) / 3.0 +
                   0.3 * clv_random_normal(&random);
        char text[3][FIELD];

        fprintf(file, "%s,%s,%s,", cell(text[0], 0.1, &random, "", a),
                cell(text[1], 0.1, &random, "", b), cell(text[2], 0.1, &random, "c", c));
        if (numbers)
            fprintf(file, "%.6g\n", y);
        else
            fprintf(file, "%s\n", y > 0.5 ? "yes" : "no");
    }
    fclose(file);
}

/* For each of some rows, writes the same row with a (or b) from low to high. Some values of other
 * columns are missing or unknown. Returns the number of grids. */
static uint32_t write_grids(const World *world, bool of_a)
{
    Random random = clv_random(3, 3);
    FILE *file = create(world, "grid.csv");
    uint32_t grids = 30;

    fprintf(file, "a,b,c\n");
    for (uint32_t i = 0; i < grids; i++) {
        char other[FIELD], c[FIELD];

        cell(other, 0.2, &random, "", clv_random_unit(&random));
        cell(c, 0.2, &random, "c", clv_random_below(&random, 11));
        for (uint32_t step = 0; step <= STEPS; step++) {
            double value = (double)step / STEPS;

            if (of_a)
                fprintf(file, "%g,%s,%s\n", value, other, c);
            else
                fprintf(file, "%s,%g,%s\n", other, value, c);
        }
    }
    fclose(file);
    return grids;
}

/* Steps that go against the direction. */
static uint32_t wrong_steps(const World *world, const cleave_model *model, bool of_a)
{
    static Answers answers;
    uint32_t grids = write_grids(world, of_a), wrong = 0;

    ask(world, model, "grid.csv", &answers);
    assert_int_equal(answers.rows, grids * (STEPS + 1));
    for (uint32_t i = 0; i < answers.rows; i++)
        if (i % (STEPS + 1)) {
            double step = answers.score[i] - answers.score[i - 1];

            wrong += of_a ? step < 0 : step > 0;
        }
    return wrong;
}

static void what_must_grow_grows(void **state)
{
    static const char *const how[] = {
        "rounds=25 monotone=a=+,b=-",
        ("rounds=25 learning_rate=0.5 min_leaf_rows=2 row_fraction=0.5 column_fraction=0.7 "
         "monotone=a=+,b=-"),
        "rounds=25 max_depth=3 min_leaf_rows=1 l2=1 monotone=a=+,b=-",
    };
    cleave_context *context = cleave_context_new(NULL);
    World world;

    (void)state;
    open_world(&world);
    for (int numbers = 0; numbers < 2; numbers++) {
        const char *method = numbers ? "boost-regression" : "boost";
        cleave_model *model;

        write_waves(&world, numbers == 1);
        for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
            char text[200];

            snprintf(text, sizeof text, "%s%s", how[i], numbers ? "" : " positive=yes");
            model = train(context, &world, method, "waves.csv", text, NULL, NULL);
            assert_int_equal(wrong_steps(&world, model, true), 0);
            assert_int_equal(wrong_steps(&world, model, false), 0);
            cleave_model_free(model);
        }
        model = train(context, &world, method, "waves.csv",
                      numbers ? "rounds=25" : "rounds=25 positive=yes", NULL, NULL);
        /* the training rows have another trend */
        assert_true(wrong_steps(&world, model, true) > 100);
        assert_true(wrong_steps(&world, model, false) > 100);
        cleave_model_free(model);
    }
    close_world(&world);
    cleave_context_free(context);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Three columns, of which two are informative. `noise` is the fraction of wrong labels. */
static void write_corner(const World *world, const char *name, uint32_t rows, uint64_t seed,
                         double wrong)
{
    Random random = clv_random(seed, 7);
    FILE *file = create(world, name);

    fprintf(file, "a,b,noise,label\n");
    for (uint32_t i = 0; i < rows; i++) {
        double a = clv_random_unit(&random), b = clv_random_unit(&random);
        bool yes = (a + b > 1) != (clv_random_unit(&random) < wrong);

        fprintf(file, "%.5f,%.5f,%.5f,%s\n", a, b, clv_random_unit(&random), yes ? "yes" : "no");
    }
    fclose(file);
}

static void out_of_bag_foretells_held_out(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    World world;

    (void)state;
    open_world(&world);
    for (int seed = 1; seed <= many(2, 30); seed++) {
        double foretold = 1, held;
        cleave_model *model;

        write_corner(&world, "train.csv", 800, (uint64_t)seed, 0.1);
        write_corner(&world, "test.csv", 2000, 1000 + (uint64_t)seed, 0.1);
        model = train(context, &world, "forest", "train.csv", "trees=40", "oob_error", &foretold);
        held = error_of(&world, model, "test.csv");
        assert_true(held > 0.08 &&
                    fabs(foretold - held) < 0.04); /* the standard deviation is about 0.013 */
        cleave_model_free(model);
    }
    close_world(&world);
    cleave_context_free(context);
}

/* A diagonal border: no single split is close to it, but the sum of many is. */
static void stumps_together_err_less(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    double before = 1;
    World world;

    (void)state;
    open_world(&world);
    write_corner(&world, "train.csv", 600, 5, 0);
    for (int rounds = 1; rounds <= 100; rounds *= 10) {
        cleave_model *model;
        char how[100];
        double error;

        snprintf(how, sizeof how, "loss=exponential max_leaves=2 min_leaf_rows=1 rounds=%d",
                 rounds);
        model = train(context, &world, "boost", "train.csv", how, NULL, NULL);
        error = error_of(&world, model, "train.csv");
        cleave_model_free(model);
        assert_true(rounds > 1 || error > 0.2);
        assert_true(error < before - 0.02);
        before = error;
    }
    assert_true(before < 0.04);
    close_world(&world);
    cleave_context_free(context);
}

static void cutting_back_loses_nothing(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    World world;

    (void)state;
    open_world(&world);
    for (int seed = 1; seed <= many(3, 50); seed++) {
        cleave_model *grown, *pruned;
        cleave_tree_node all, left;

        write_corner(&world, "train.csv", 1000, (uint64_t)seed, 0.1);
        write_corner(&world, "test.csv", 2000, 1000 + (uint64_t)seed, 0.1);
        grown = train(context, &world, "tree", "train.csv", "prune=none", NULL, NULL);
        pruned = train(context, &world, "tree", "train.csv", "", NULL, NULL);
        assert_true(cleave_model_tree_node(grown, 0, 0, &all) &&
                    cleave_model_tree_node(pruned, 0, 0, &left));
        assert_true(left.nodes < all.nodes / 2);
        assert_true(error_of(&world, pruned, "test.csv") < error_of(&world, grown, "test.csv"));
        cleave_model_free(grown);
        cleave_model_free(pruned);
    }
    close_world(&world);
    cleave_context_free(context);
}

/* ---- interruptions --------------------------------------------------------------------------- */

/* Cancels at the given call of the cancellation function. */
static bool end_comes(void *user)
{
    int *left = user;

    if (*left > 0)
        (*left)--;
    return *left == 0;
}

/* After an interruption at any time, even before the first tree, the model can predict. */
static void interrupted_models_answer(void **state)
{
    static const char *const methods[] = {
        "tree", "forest", "boost", "tree-regression", "forest-regression", "boost-regression"};
    World world;

    (void)state;
    open_world(&world);
    write_mixture(&world, "classes.csv", 120, 1, false);
    write_mixture(&world, "numbers.csv", 120, 2, true);
    for (int i = 0; i < many(60, 600); i++) {
        static Answers answers;
        int left = -1;
        cleave_context *context = cleave_context_new(&(cleave_config){
            .size = sizeof(cleave_config), .cancelled = end_comes, .user = &left, .threads = 1});
        bool numbers = i % 6 >= 3;
        const char *name = numbers ? "numbers.csv" : "classes.csv";
        cleave_data *data = open_file(context, &world, name, numbers ? "label=y" : "");
        const char *method = methods[i % 6];
        cleave_options *options = options_of(context, method[0] == 'f'   ? "trees=3"
                                                      : method[0] == 'b' ? "rounds=3"
                                                                         : "");
        cleave_model *model = NULL;
        cleave_code code;

        left = 1 + i / 6;
        code = cleave_train(context, method, data, NULL, options, &model, NULL, &world.error);
        left = -1;
        assert_true(code == CLEAVE_OK || code == CLEAVE_ERROR_CANCELLED);
        if (code == CLEAVE_OK) {
            ask(&world, model, name, &answers);
            for (size_t row = 0; row < answers.rows; row++)
                assert_true(isfinite(answers.score[row]));
            cleave_model_free(model);
        }
        cleave_options_free(options);
        cleave_data_free(data);
        cleave_context_free(context);
    }
    close_world(&world);
}

/* ---- categories ------------------------------------------------------------------------------ */

static uint32_t depth_of(const cleave_model *model, size_t number)
{
    cleave_tree_node node;
    uint32_t left, right;

    assert_true(cleave_model_tree_node(model, 0, number, &node));
    if (node.leaf)
        return 0;
    left = depth_of(model, node.left);
    right = depth_of(model, node.right);
    return 1 + (left > right ? left : right);
}

/* 200 values, a random half of which belong to one class, with noise. With sets of values, one
 * split suffices, and errors on held-out rows are only noise. With one column per value, a tree
 * needs many leaves in sequence and has more errors; with few leaves it is hardly better than
 * chance. */
static void write_values(const World *world, const char *name, uint32_t rows, uint64_t seed)
{
    Random random = clv_random(seed, 2);
    FILE *file = create(world, name);

    fprintf(file, "c,label\n");
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t value = clv_random_below(&random, 200);
        bool yes = ((clv_mix(value + 1) >> 13) % 2) != (clv_random_unit(&random) < 0.05);

        fprintf(file, "v%u,%s\n", value, yes ? "yes" : "no");
    }
    fclose(file);
}

static void sets_beat_one_hot(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_model *sets, *hot, *few;
    World world;

    (void)state;
    open_world(&world);
    write_values(&world, "train.csv", 3000, 1);
    write_values(&world, "test.csv", 2000, 2);
    sets = train(context, &world, "tree", "train.csv", "max_leaves=2", NULL, NULL);
    hot = train(context, &world, "tree", "train.csv", "max_leaves=40 transform=impute", NULL, NULL);
    few = train(context, &world, "tree", "train.csv", "max_leaves=2 transform=impute", NULL, NULL);
    assert_int_equal(depth_of(sets, 0), 1);
    assert_true(depth_of(hot, 0) > 30);
    assert_true(error_of(&world, sets, "test.csv") < 0.08);
    assert_true(error_of(&world, hot, "test.csv") > 0.25);
    assert_true(error_of(&world, few, "test.csv") > 0.4);
    cleave_model_free(sets);
    cleave_model_free(hot);
    cleave_model_free(few);
    close_world(&world);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(gains_are_as_asked_for),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_must_grow_grows),
        cmocka_unit_test(out_of_bag_foretells_held_out),
        cmocka_unit_test(stumps_together_err_less),
        cmocka_unit_test(cutting_back_loses_nothing),
        cmocka_unit_test(sets_beat_one_hot),
        cmocka_unit_test(interrupted_models_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
