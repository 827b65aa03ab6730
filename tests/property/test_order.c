/*
 * Orders of rows and views of them: the stored shuffle (src/data/shuffle.c), epochs
 * (src/data/traversal.c), the models of every method from rows sorted by class, and other data sets
 * read with a model's names (src/data/remap.c).
 */
#include "property/table.h"

#include "data/remap.h"
#include "data/shuffle.h"
#include "data/traversal.h"
#include "model/registry.h"
#include "read/reader.h"
#include "support/support.h"
#include "train/batch_driver.h"
#include "train/row_order.h"

#include <math.h>

/* Rows that contain their number in column 0. */
static void make_numbered(Table *table, uint32_t rows, Random *random)
{
    for (uint32_t i = 0; i < rows; i++) {
        table_row(table, clv_random_below(random, 3))->qid = i;
        table_cell(table, 0, (float)(i + 1));
        for (uint32_t column = 1; clv_random_below(random, 3);
             column += 1 + clv_random_below(random, 90000))
            table_cell(table, column, random_value(random, RANDOM_EIGHTHS));
    }
    table->qids = true;
    table->label_count = 3;
}

static uint32_t number_in(const Block *block, uint32_t row)
{
    RowWalk walk = clv_walk(block, row);

    assert_true(clv_walk_next(&walk));
    assert_int_equal(walk.column, 0);
    return (uint32_t)walk.value - 1;
}

/* In a random order, half of the steps increase. */
static bool looks_random(const uint32_t *order, size_t count)
{
    size_t up = 0;

    for (size_t i = 1; i < count; i++)
        up += order[i] > order[i - 1];
    return fabs((double)up / (double)(count - 1) - 0.5) < 0.05;
}

/* ---- the stored shuffle ---------------------------------------------------------------------- */

/* The order of the rows after shuffling; freed with free(). Each row is the one it was. */
static uint32_t *shuffled_order(Context *context, const Table *table, uint64_t seed,
                                size_t block_rows)
{
    Dataset *dataset = table_built(context, table, block_rows);
    uint32_t *order = some(table->rows, sizeof *order), count = 0;
    bool *seen = some(table->rows, sizeof *seen);
    Source *source, *shuffled;
    cleave_error error = {0};

    FINE(clv_dataset_source(dataset, true, &source, &error));
    FINE(clv_shuffle_source(source, seed, NULL, &shuffled, &error));
    assert_true(shuffled->shuffled);
    assert_int_equal(shuffled->rows_total, table->rows);
    for (;;) {
        const Block *block;

        FINE(source_next(shuffled, &block, &error));
        if (!block)
            break;
        assert_int_equal(block->first_row, count);
        for (uint32_t row = 0; row < block->rows; row++) {
            uint32_t number = number_in(block, row);

            assert_true(number < table->rows && !seen[number]);
            seen[number] = true;
            assert_same_row(table, number, block, row);
            order[count++] = number;
        }
    }
    assert_int_equal(count, table->rows);
    clv_source_close(shuffled);
    clv_source_close(source);
    free(seen);
    return order;
}

static void shuffle_is_a_permutation(void **state)
{
    static const uint32_t sizes[] = {1, 2, 63, 1000, 5000};
    Random random = clv_random(test_seed("shuffle_is_a_permutation"), 1);
    Context *context = new_context(1);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t *first, *second, *other;
        double distance = 0;
        Table table = {0};

        make_numbered(&table, sizes[i], &random);
        first = shuffled_order(context, &table, 7, 100);
        second = shuffled_order(context, &table, 7, 33); /* blocks have no effect, the seed has */
        other = shuffled_order(context, &table, 8, 100);
        assert_memory_equal(first, second, sizes[i] * sizeof *first);
        if (sizes[i] >= 63) {
            assert_memory_not_equal(first, other, sizes[i] * sizeof *first);
            for (uint32_t j = 0; j < sizes[i]; j++)
                distance += fabs((double)first[j] - j) / sizes[i];
            distance /= sizes[i]; /* a third for a uniform shuffle */
            assert_true(distance > 0.2 && distance < 0.47);
            assert_true(sizes[i] < 1000 || looks_random(first, sizes[i]));
        }
        free(first);
        free(second);
        free(other);
        table_free(&table);
    }
    cleave_context_free(context);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

/* Visits of each row in one epoch, and their order. */
typedef struct {
    uint32_t count;
    uint32_t *order;
    uint32_t *visits;
} Visits;

static Visits visit_epoch(const Table *table, Dataset *dataset, Traversal *traversal,
                          uint32_t round)
{
    Visits visits = {.order = some(2 * table->rows, sizeof *visits.order),
                     .visits = some(table->rows, sizeof *visits.visits)};
    cleave_error error = {0};

    (void)dataset;
    FINE(clv_traversal_begin(traversal, round, &error));
    for (;;) {
        const Block *block;

        FINE(clv_traversal_next(traversal, &block, &error));
        if (!block)
            break;
        assert_true(block->rows > 0);
        for (uint32_t row = 0; row < block->rows; row++) {
            uint32_t number = number_in(block, row);

            assert_int_equal(block_row_number(block, row), number);
            assert_same_row(table, number, block, row);
            visits.visits[number]++;
            visits.order[visits.count++] = number;
            assert_true(visits.count <= 2 * table->rows);
        }
    }
    return visits;
}

static void visits_free(Visits *visits)
{
    free(visits->order);
    free(visits->visits);
}

static bool same_order(const Visits *a, const Visits *b)
{
    return a->count == b->count && memcmp(a->order, b->order, a->count * sizeof *a->order) == 0;
}

static void epochs_visit_each_row_once(void **state)
{
    Random random = clv_random(test_seed("epochs_visit_each_row_once"), 2);
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    Dataset *dataset;

    (void)state;
    make_numbered(&table, 3000, &random);
    dataset = table_built(context, &table, 77);
    for (int order = ORDER_FILE; order <= ORDER_EACH; order++) {
        Visits visits[4];
        Traversal traversal, again;

        FINE(clv_traversal_init(&traversal, dataset, order, 5, 0, 1, &error));
        FINE(clv_traversal_init(&again, dataset, order, 5, 0, 1, &error));
        visits[0] = visit_epoch(&table, dataset, &traversal, 0);
        visits[1] = visit_epoch(&table, dataset, &traversal, 1);
        visits[2] = visit_epoch(&table, dataset, &again, 1);
        clv_traversal_free(&again);
        FINE(clv_traversal_init(&again, dataset, order, 6, 0, 1, &error));
        visits[3] = visit_epoch(&table, dataset, &again, 0);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(visits[i].count, table.rows);
            for (size_t row = 0; row < table.rows; row++)
                assert_int_equal(visits[i].visits[row], 1);
        }
        assert_true(same_order(&visits[1], &visits[2])); /* a function of seed and epoch */
        assert_int_equal(same_order(&visits[0], &visits[1]), order != ORDER_EACH);
        assert_int_equal(same_order(&visits[0], &visits[3]), order == ORDER_FILE);
        assert_int_equal(looks_random(visits[1].order, table.rows), order != ORDER_FILE);
        for (uint32_t row = 0; row < table.rows && order == ORDER_FILE; row++)
            assert_int_equal(visits[0].order[row], row);
        for (size_t i = 0; i < 4; i++)
            visits_free(&visits[i]);
        clv_traversal_free(&traversal);
        clv_traversal_free(&again);
    }
    clv_dataset_free(dataset);
    table_free(&table);
    cleave_context_free(context);
}

/* If there are more rows than a group holds, sorted by a quantity, the last rows of an epoch are
 * from everywhere, like the others. */
static void groups_have_their_share_of_all(void **state)
{
    enum { ROWS = 290000, LAST = 25000, ROUNDS = 5 };
    Random random = clv_random(test_seed("groups_have_their_share_of_all"), 9);
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    Dataset *dataset;
    Traversal traversal;

    (void)state;
    make_numbered(&table, ROWS, &random);
    dataset = table_built(context, &table, 1000);
    FINE(clv_traversal_init(&traversal, dataset, ORDER_EACH, 5, 0, 1, &error));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        Visits visits = visit_epoch(&table, dataset, &traversal, round);
        double early = 0;

        assert_int_equal(visits.count, ROWS);
        for (uint32_t i = 0; i < ROWS; i++) {
            assert_int_equal(visits.visits[i], 1);
            early += i >= ROWS - LAST && visits.order[i] < ROWS / 2;
        }
        assert_true(fabs(early / LAST - 0.5) < 0.02);
        visits_free(&visits);
    }
    clv_traversal_free(&traversal);
    clv_dataset_free(dataset);
    table_free(&table);
    cleave_context_free(context);
}

/* In any thousand visits, both halves of the data, and both halves of its blocks, occur with their
 * fraction. */
static void assert_mixed(const Visits *visits, uint32_t rows, uint32_t block_rows)
{
    enum { WINDOW = 1000 };

    for (uint32_t begin = 0; begin + WINDOW <= visits->count; begin += WINDOW) {
        uint32_t late = 0, low = 0;

        for (uint32_t i = begin; i < begin + WINDOW; i++) {
            late += visits->order[i] >= rows / 2;
            low += visits->order[i] % block_rows >= block_rows / 2;
        }
        assert_in_range(late, WINDOW / 4, 3 * WINDOW / 4);
        assert_in_range(low, WINDOW / 4, 3 * WINDOW / 4);
    }
}

/* With more than one group, blocks are merged, and copied by another thread if there is one. */
static void large_data_is_mixed(void **state)
{
    enum { ROWS = 300000, BLOCK_ROWS = 997 };
    Random random = clv_random(test_seed("large_data_is_mixed"), 2);
    static const double cuts[] = {0, 0.7, 1};
    Visits visits[2][2];
    cleave_error error = {0};
    Table table = {0};

    (void)state;
    make_numbered(&table, ROWS, &random);
    for (unsigned threads = 1; threads <= 2; threads++) {
        Context *context = new_context(threads);
        Dataset *dataset = table_built(context, &table, BLOCK_ROWS);

        for (uint32_t part = 0; part < 2; part++) {
            Visits *seen = &visits[threads - 1][part];
            const Block *block;
            Traversal traversal;

            FINE(clv_traversal_init(&traversal, dataset, ORDER_EACH, 5, cuts[part], cuts[part + 1],
                                    &error));
            FINE(clv_traversal_begin(&traversal, 2, &error)); /* interrupted */
            FINE(clv_traversal_next(&traversal, &block, &error));
            *seen = visit_epoch(&table, dataset, &traversal, 1);
            FINE(clv_traversal_next(&traversal, &block, &error));
            assert_null(block); /* there are no further blocks after the end */
            FINE(clv_traversal_begin(&traversal, 2, &error));
            clv_traversal_free(&traversal);
            assert_mixed(seen, ROWS, BLOCK_ROWS);
        }
        for (uint32_t row = 0; row < ROWS; row++)
            assert_int_equal(
                visits[threads - 1][0].visits[row] + visits[threads - 1][1].visits[row], 1);
        clv_dataset_free(dataset);
        cleave_context_free(context);
    }
    for (uint32_t part = 0; part < 2; part++) {
        assert_true(same_order(&visits[0][part], &visits[1][part]));
        visits_free(&visits[0][part]);
        visits_free(&visits[1][part]);
    }
    table_free(&table);
}

/* Complete blocks are returned, each once, in an order that is random in each epoch. */
static void blocks_are_shuffled_whole(void **state)
{
    enum { ROWS = 20000, BLOCK_ROWS = 100 };
    Random random = clv_random(test_seed("blocks_are_shuffled_whole"), 4);
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    Visits visits[3];
    Dataset *dataset;
    Traversal traversal;

    (void)state;
    make_numbered(&table, ROWS, &random);
    dataset = table_built(context, &table, BLOCK_ROWS);
    FINE(clv_traversal_init(&traversal, dataset, ORDER_BLOCKS, 5, 0, 1, &error));
    for (uint32_t i = 0; i < 3; i++) {
        visits[i] = visit_epoch(&table, dataset, &traversal, i == 2 ? 0 : i);
        for (uint32_t row = 0; row < ROWS; row++) {
            assert_int_equal(visits[i].visits[row], 1);
            if (row % BLOCK_ROWS)
                assert_int_equal(visits[i].order[row], visits[i].order[row - 1] + 1);
        }
    }
    assert_false(same_order(&visits[0], &visits[1]));
    assert_true(same_order(&visits[0], &visits[2]));
    for (uint32_t i = 0; i < 3; i++)
        visits_free(&visits[i]);
    clv_traversal_free(&traversal);
    clv_dataset_free(dataset);
    table_free(&table);
    cleave_context_free(context);
}

/* The number of draws is that of the rows. Some rows are drawn more than once, about 1/e of them
 * never. */
static void draws_are_draws(void **state)
{
    Random random = clv_random(test_seed("draws_are_draws"), 3);
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    Dataset *dataset;
    Visits visits;
    Traversal traversal;
    size_t never = 0;

    (void)state;
    make_numbered(&table, 3000, &random);
    dataset = table_built(context, &table, 77);
    FINE(clv_traversal_init(&traversal, dataset, ORDER_DRAWS, 5, 0, 1, &error));
    visits = visit_epoch(&table, dataset, &traversal, 0);
    assert_int_equal(visits.count, table.rows);
    for (size_t row = 0; row < table.rows; row++)
        never += visits.visits[row] == 0;
    assert_true(never > 1000 && never < 1210);
    visits_free(&visits);
    clv_traversal_free(&traversal);
    clv_dataset_free(dataset);
    table_free(&table);
    cleave_context_free(context);
}

/* Training part and held-out part do not overlap and contain all rows, in every order; the same
 * holds for two samples. */
static void parts_are_disjoint(void **state)
{
    Random random = clv_random(test_seed("parts_are_disjoint"), 4);
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    Dataset *dataset;

    (void)state;
    make_numbered(&table, 2000, &random);
    dataset = table_built(context, &table, 61);
    for (int order = ORDER_FILE; order <= ORDER_DRAWS; order++) {
        static const double cuts[] = {0, 0.1, 0.35, 1};
        uint32_t *part = some(table.rows, sizeof *part), sizes[4] = {0};

        for (uint32_t i = 0; i < 3; i++) {
            Visits visits;
            Traversal traversal;

            FINE(clv_traversal_init(&traversal, dataset, order, 9, cuts[i], cuts[i + 1], &error));
            visits = visit_epoch(&table, dataset, &traversal, i);
            for (size_t row = 0; row < table.rows; row++) {
                if (!visits.visits[row])
                    continue;
                assert_true(part[row] == 0);
                assert_true(visits.visits[row] == 1 || order == ORDER_DRAWS);
                part[row] = i + 1;
                sizes[i + 1]++;
            }
            visits_free(&visits);
            clv_traversal_free(&traversal);
        }
        if (order != ORDER_DRAWS) {
            assert_int_equal(sizes[1] + sizes[2] + sizes[3], table.rows);
            assert_true(sizes[1] > 140 && sizes[1] < 260);
            assert_true(sizes[2] > 410 && sizes[2] < 590);
        }
        free(part);
    }
    clv_dataset_free(dataset);
    table_free(&table);
    cleave_context_free(context);
}

/* `auto` chooses the order of the file for little data and for data that looks shuffled, otherwise
 * a new order in each epoch. */
static void auto_finds_sorted_files(void **state)
{
    static const struct {
        uint32_t rows;
        bool sorted, stored;
        int order;
    } cases[] = {{1000, true, false, ORDER_FILE},
                 {1001, true, false, ORDER_EACH},
                 {4000, false, false, ORDER_FILE},
                 {4000, true, false, ORDER_EACH},
                 {4000, true, true, ORDER_FILE}};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Random random = clv_random(12, i);
        Table table = {0};
        Dataset *dataset;
        char words[96];
        int order;

        for (uint32_t row = 0; row < cases[i].rows; row++) {
            table_row(&table,
                      cases[i].sorted ? row >= cases[i].rows / 2 : clv_random_below(&random, 2));
            for (uint32_t column = 0; column < 5; column++)
                if (clv_random_below(&random, 2))
                    table_cell(&table, column, 1);
        }
        dataset = table_built(context, &table, 512);
        dataset->shuffled = cases[i].stored;
        FINE(clv_choose_order(dataset, ORDER_AUTO, 3, &order, words, sizeof words, &error));
        assert_int_equal(order, cases[i].order);
        assert_true(strlen(words) > 5);
        FINE(clv_choose_order(dataset, ORDER_DRAWS, 3, &order, words, sizeof words, &error));
        assert_int_equal(order, ORDER_DRAWS);
        assert_non_null(strstr(words, "seed 3"));
        clv_dataset_free(dataset);
        table_free(&table);
    }
    cleave_context_free(context);
}

/* ---- methods --------------------------------------------------------------------------------- */

/* A small form of bench/linear sorted: rows of 0 and 1, a third of them positive, that are not
 * separable. */
enum { CLASS_FEATURES = 60, TRAINING_ROWS = 3000, TEST_ROWS = 6000 };
/* limit for these few rows; without shuffling, the difference is ten times as large */
#define MOST_POINTS 2.0

static void add_drawn_row(Table *table, Random *random, const double *weight, bool positive)
{
    enum { NONZEROS = 12 };

    for (;;) {
        bool has[CLASS_FEATURES] = {false};
        double score = -1;

        for (int i = 0; i < NONZEROS; i++)
            has[clv_random_below(random, CLASS_FEATURES)] = true;
        for (uint32_t column = 0; column < CLASS_FEATURES; column++)
            score += has[column] ? weight[column] : 0;
        if ((clv_random_unit(random) < 1 / (1 + exp(-score))) != positive)
            continue;
        table_row(table, positive);
        for (uint32_t column = 0; column < CLASS_FEATURES; column++)
            if (has[column])
                table_cell(table, column, 1);
        return;
    }
}

static void make_classes(Table *table, Random *random, const double *weight, uint32_t rows)
{
    static const char *const names[] = {"-1", "+1"};

    for (uint32_t i = 0; i < rows; i++)
        add_drawn_row(table, random, weight, i >= rows - rows / 3);
    table->features = CLASS_FEATURES;
    table->labels = names;
    table->label_count = 2;
}

/* The error rate on the test rows, in points. A regression predicts the sign of its number. */
static double points_wrong(const Model *model, const Table *test)
{
    double *scores = some(test->rows, sizeof *scores);
    size_t errors = 0;
    cleave_error error = {0};
    Encoded encoded;

    encode(test, 0, test->rows, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    FINE(model->method->inference->predict(model, &encoded.block, scores, &error));
    for (size_t i = 0; i < test->rows; i++)
        errors += (scores[i] > 0) != (test->row[i].label == 1);
    encoded_free(&encoded);
    free(scores);
    return 100 * (double)errors / (double)test->rows;
}

/* Ten epochs over few rows: with a constant learning rate, steps of single rows would not
 * converge. */
static void settle(const Method *method, void *options)
{
    static const struct {
        const char *method, *name, *value;
    } settings[] = {
        {"perceptron", "learning_rate_decay", "1"},
        {"lms", "learning_rate", "0.02"},
        {"lms", "learning_rate_decay", "1"},
        {"winnow", "balanced", "true"},
        {"winnow", "threshold", "1"},
        {"winnow", "factor", "0.95"},
    };
    cleave_error error = {0};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i].method, method->name) == 0)
            FINE(clv_param_set(clv_param_find(method->params, settings[i].name), options,
                               settings[i].value, &error));
}

/* Returns -1 if the method does not support the value of the parameter, or the task. */
static double learn_in_order(Context *context, const Method *method, const Param *param,
                             const char *value, const Table *table, int order, const Table *test)
{
    void *options = some(1, method->options_size);
    Dataset *dataset = table_built(context, table, 500);
    cleave_error error = {0};
    RunOptions run;
    double points = -1;

    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    run.order = order;
    run.epochs = clv_param_find(method->params, "C") ? 0
                                                     : 10; /* without a penalty some never end */
    if (param && strcmp(value, "gd") == 0)
        run.epochs =
            /* each over all rows at once: the slowest to settle, and the last to mind their
             * order */
            200;
    settle(method, options);
    if (param)
        FINE(clv_param_set(param, options, value, &error));
    if (!method->check_options || method->check_options(options, &error) == OK) {
        Report *report;
        Model *model;

        FINE(clv_train(context,
                       &(Job){.method = method, .method_options = options, .options = &run},
                       dataset, &model, &report, &error));
        assert_true(model->task == CLEAVE_TASK_REGRESSION || model->positive == 1);
        points = points_wrong(model, test);
        cleave_report_free(&report->facts);
        cleave_model_free(model);
    }
    clv_dataset_free(dataset);
    free(options);
    return points;
}

typedef struct {
    Context *context;
    Table sorted, shuffled, test;
} Classes;

static void make_both(Classes *classes)
{
    Random random = clv_random(2024,
                               /* always the same seed, because not every draw satisfies a bound on
                                * noise */
                               6);
    double weight[CLASS_FEATURES];
    uint32_t order[TRAINING_ROWS];

    *classes = (Classes){.context = new_context(1)};
    for (int i = 0; i < CLASS_FEATURES; i++)
        weight[i] = 1.5 * clv_random_normal(&random);
    make_classes(&classes->sorted, &random, weight, TRAINING_ROWS);
    make_classes(&classes->test, &random, weight, TEST_ROWS);
    for (uint32_t i = 0; i < TRAINING_ROWS; i++)
        order[i] = i;
    clv_shuffle(&random, order, TRAINING_ROWS);
    for (uint32_t i = 0; i < TRAINING_ROWS; i++)
        table_copy_row(&classes->shuffled, &classes->sorted, order[i]);
    classes->shuffled.features = CLASS_FEATURES;
    classes->shuffled.labels = classes->sorted.labels;
    classes->shuffled.label_count = 2;
}

static void free_both(Classes *classes)
{
    table_free(&classes->sorted);
    table_free(&classes->shuffled);
    table_free(&classes->test);
    cleave_context_free(classes->context);
}

static int compare_orders(const Classes *classes, const Method *method, const Param *param,
                          const char *value)
{
    double sorted, shuffled;

    if (method->traits & CLEAVE_TRAIT_RATINGS)
        return 1; /* its rows are pairs */
    if (strncmp(method->name, "knn", 3) == 0)
        /* of points as near as each other the first is nearer, as stated: these rows have many
         * such */
        return 1;
    sorted = learn_in_order(classes->context, method, param, value, &classes->sorted, ORDER_AUTO,
                            &classes->test);
    shuffled = learn_in_order(classes->context, method, param, value, &classes->shuffled,
                              ORDER_AUTO, &classes->test);
    print_message("%-18s %-9s by class %6.2f, shuffled %6.2f\n", method->name, value ? value : "",
                  sorted, shuffled);
    if (sorted < 0)
        return 0;
    assert_true(fabs(sorted - shuffled) <= MOST_POINTS);
    assert_true(sorted < 30); /* a third, like a classifier that uses only the class frequencies */
    return 1;
}

/* Every method, by each of its solvers and forms. */
static void no_answer_hangs_on_the_order(void **state)
{
    static const char *const ways[] = {"solver", "form"};
    Classes classes;

    (void)state;
    make_both(&classes);
    for (const Method *const *method = clv_methods; *method; method++) {
        int compared = compare_orders(&classes, *method, NULL, NULL);

        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            const Param *param = clv_param_find((*method)->params, ways[i]);

            for (size_t j = 0; param && param->values[j]; j++)
                if (j != (size_t)param->initial) /* it was tested above */
                    compared += compare_orders(&classes, *method, param, param->values[j]);
        }
        assert_true(compared > 0);
    }
    free_both(&classes);
}

/* The result of the test above without shuffling. */
static void rows_in_order_of_class_mislead(void **state)
{
    Classes classes;
    const Method *method;
    const Param *form;
    cleave_error error = {0};
    double mixed, unmixed;

    (void)state;
    make_both(&classes);
    FINE(clv_method_find("perceptron", &method, &error));
    form = clv_param_find(method->params, "form");
    mixed = learn_in_order(classes.context, method, form, "plain", &classes.sorted, ORDER_AUTO,
                           &classes.test);
    unmixed = learn_in_order(classes.context, method, form, "plain", &classes.sorted, ORDER_FILE,
                             &classes.test);
    assert_true(unmixed - mixed > 2 * MOST_POINTS);
    free_both(&classes);
}

/* ---- with other eyes ------------------------------------------------------------------------- */

static void name_columns(Names *names, const Table *table, const uint32_t *order)
{
    cleave_error error = {0};

    names->implicit = false;
    for (uint32_t i = 0; i < table->features; i++) {
        uint32_t column;
        char name[24];

        snprintf(name, sizeof name, "word%u", order ? order[i] : i);
        FINE(clv_names_add(names, name, strlen(name), &column, &error));
    }
}

/* Data with its columns in another order, read with a model's names, equals the model's data. */
static void remap_puts_names_in_place(void **state)
{
    Random random = clv_random(test_seed("remap_puts_names_in_place"), 5);
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (int round = 0; round < 30; round++) {
        uint32_t features = 1 + clv_random_below(&random, 60),
                 known = 1 + clv_random_below(&random, features);
        uint32_t *order = some(features, sizeof *order);
        Table table = {0}, permuted = {0}, expected = {0};
        Source *source, *remapped;
        Dataset *dataset, *loaded;
        Labels labels;
        Names names;

        table_random(&table, &random, 50, features, 8, 3, (int)clv_random_below(&random, 4));
        for (uint32_t i = 0; i < features; i++)
            order[i] = i;
        clv_shuffle(&random, order,
                    features); /* column i of the permuted table is called word(order[i]) */
        for (size_t i = 0; i < table.rows; i++) {
            const TableRow *row = &table.row[i];

            table_row(&permuted, row->label)->qid = i;
            for (uint32_t column = 0; column < features; column++)
                for (size_t j = 0; j < row->count; j++)
                    if (table.cell[row->start + j].column == order[column])
                        table_cell(&permuted, column, table.cell[row->start + j].value);
            snprintf(permuted.row[i].name, sizeof permuted.row[i].name, "r%u", (unsigned)i);
            permuted.row[i].weight = (float)(1 + i % 4);
            table_row(&expected, row->label);
            for (size_t j = 0; j < row->count; j++)
                if (table.cell[row->start + j].column < known)
                    table_cell(&expected, table.cell[row->start + j].column,
                               table.cell[row->start + j].value);
            expected.row[i].qid = permuted.row[i].qid;
            expected.row[i].weight = permuted.row[i].weight;
            snprintf(expected.row[i].name, sizeof expected.row[i].name, "%s", permuted.row[i].name);
        }
        permuted.features = features;
        permuted.weights = permuted.qids = permuted.names = true;
        permuted.label_count = expected.label_count = 3;
        expected.features = known;
        expected.weights = expected.qids = expected.names = true;
        dataset = table_built(context, &permuted, 20);
        name_columns(&dataset->names, &permuted, order);
        clv_names_init(&names, context, false);
        name_columns(&names, &expected, NULL);
        clv_labels_init(&labels, context);
        add_labels(&expected, &labels);
        FINE(clv_dataset_source(dataset, true, &source, &error));
        FINE(clv_remap_source(source, true, &labels, &names, known, &remapped, &error));
        for (int time = 0; time < 2; time++) {
            FINE(clv_dataset_load(remapped, &loaded, &error));
            assert_same_table(&expected, loaded);
            assert_int_equal(loaded->labels.list[0].count, labels.list[0].count);
            clv_dataset_free(loaded);
        }
        clv_source_close(remapped);
        clv_names_free(&names);
        clv_labels_free(&labels);
        table_free(&table);
        table_free(&permuted);
        table_free(&expected);
        free(order);
    }
    cleave_context_free(context);
}

static Dataset *read_text(Context *context, const char *text, const ReadGuide *guide,
                          bool zero_based, Source **kept)
{
    cleave_error error = {0};
    ReadOptions options = {0};
    Dataset *dataset;
    Source *source;

    clv_params_initial(clv_read_params, &options);
    options.zero_based = zero_based;
    FINE(clv_read_memory(context, "text", text, strlen(text), &clv_format_libsvm, &options, guide,
                         &source, &error));
    if (kept) {
        *kept = source;
        return NULL;
    }
    FINE(clv_dataset_load(source, &dataset, &error));
    clv_source_close(source);
    return dataset;
}

static void assert_same_datasets(Dataset *a, Dataset *b)
{
    cleave_error error = {0};
    Block first, second;

    assert_int_equal(a->blocks, 1);
    assert_int_equal(b->blocks, 1);
    FINE(clv_dataset_block(a, 0, &first, &error));
    FINE(clv_dataset_block(b, 0, &second, &error));
    assert_int_equal(first.rows, second.rows);
    for (uint32_t row = 0; row < first.rows; row++) {
        RowWalk one = clv_walk(&first, row), other = clv_walk(&second, row);
        bool more;

        do {
            more = clv_walk_next(&one);
            assert_int_equal(clv_walk_next(&other), more);
            assert_true(!more || (one.column == other.column && one.value == other.value));
        } while (more);
        assert_int_equal(block_label(&first, row), block_label(&second, row));
    }
}

/* Data read with the guide, and data read alone and then mapped by name, have the same columns.
 * Indexes are names, whatever the first index is. */
static void remap_is_reading_with_the_guide(void **state)
{
    static const char training[] = "a 1:1 5:2\nb 2:3\n",
                      test[] = "b 1:7 2:8 5:9 6:10\na 6:4\nc 3:1\n";
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (int zero_based = 0; zero_based < 2; zero_based++) {
        Dataset *model = read_text(context, training, NULL, zero_based, NULL), *guided, *looked_up;
        ReadGuide guide = {
            .schema = &model->schema, .names = &model->names, .features = model->features};
        Source *plain, *with_guide, *view;

        assert_int_equal(model->features, zero_based ? 6 : 5);
        read_text(context, test, &guide, false, &with_guide);
        FINE(clv_remap_source(with_guide, true, &model->labels, &model->names, model->features,
                              &view, &error));
        FINE(clv_dataset_load(view, &guided, &error));
        clv_source_close(view);
        read_text(context, test, NULL, false, &plain);
        FINE(clv_remap_source(plain, true, &model->labels, &model->names, model->features, &view,
                              &error));
        FINE(clv_dataset_load(view, &looked_up, &error));
        clv_source_close(view);
        assert_int_equal(looked_up->entries, 4); /* index 6 is unknown */
        assert_string_equal(looked_up->labels.list[2].text, "c");
        assert_same_datasets(guided, looked_up);
        clv_dataset_free(guided);
        clv_dataset_free(looked_up);
        clv_dataset_free(model);
    }
    cleave_context_free(context);
}

/* Several data sets as one: labels and features are matched by their names, and optional values are
 * kept. */
static void chains_are_one(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (int zero_based = 0; zero_based < 2; zero_based++) {
        Dataset *collective = read_text(
            context, "a qid:1 1:1 3:2\nb qid:2 2:1\nb qid:3 1:5\nc qid:4 4:1\n", NULL, false, NULL);
        Dataset *parts[2] = {
            read_text(context, "a qid:1 1:1 3:2\nb qid:2 2:1\n", NULL, false, NULL),
            read_text(context, "b qid:3 1:5\nc qid:4 4:1\n", NULL, zero_based, NULL)};
        Source *sources[2], *chain;
        Dataset *loaded;
        uint32_t row = 0;

        for (int i = 0; i < 2; i++)
            FINE(clv_dataset_source(parts[i], true, &sources[i], &error));
        FINE(clv_chain_sources(context, sources, 2, &chain, &error));
        for (int time = 0; time < 2; time++, row = 0) {
            FINE(clv_dataset_load(chain, &loaded, &error));
            assert_int_equal(loaded->rows, 4);
            assert_int_equal(loaded->labels.count, 3);
            for (uint32_t i = 0; i < loaded->blocks; i++) {
                Block block, whole;

                FINE(clv_dataset_block(loaded, i, &block, &error));
                FINE(clv_dataset_block(collective, 0, &whole, &error));
                for (uint32_t at = 0; at < block.rows; at++, row++) {
                    RowWalk one = clv_walk(&block, at), other = clv_walk(&whole, row);

                    assert_int_equal(block_label(&block, at), block_label(&whole, row));
                    assert_non_null(block.qid);
                    assert_int_equal(block.qid[at], whole.qid[row]);
                    while (clv_walk_next(&one)) {
                        char a[24], b[24];

                        assert_true(clv_walk_next(&other));
                        assert_string_equal(clv_names_get(&loaded->names, one.column, a),
                                            clv_names_get(&collective->names, other.column, b));
                        assert_true(one.value == other.value);
                    }
                    assert_false(clv_walk_next(&other));
                }
            }
            clv_dataset_free(loaded);
        }
        clv_source_close(chain);
        clv_dataset_free(collective);
    }
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffle_is_a_permutation),
        cmocka_unit_test(epochs_visit_each_row_once),
        cmocka_unit_test(groups_have_their_share_of_all),
        cmocka_unit_test(large_data_is_mixed),
        cmocka_unit_test(blocks_are_shuffled_whole),
        cmocka_unit_test(draws_are_draws),
        cmocka_unit_test(parts_are_disjoint),
        cmocka_unit_test(auto_finds_sorted_files),
        cmocka_unit_test(no_answer_hangs_on_the_order),
        cmocka_unit_test(rows_in_order_of_class_mislead),
        cmocka_unit_test(remap_puts_names_in_place),
        cmocka_unit_test(remap_is_reading_with_the_guide),
        cmocka_unit_test(chains_are_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
