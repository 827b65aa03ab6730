/*
 * The first trees of gradient boosting against a slow exact form: sums of doubles over the rows of
 * each leaf, every split of every column tried, the leaf whose best split gains most split next
 * (Friedman 2001, as in docs/methods/boost.md). The predictions for the training rows must be equal
 * for squared, logistic and softmax loss. If the gains of two splits differ by less than 1%, the
 * 16-bit integers of the library may choose the other split, and the test is skipped.
 */
#include "property/table.h"

#include "model/registry.h"
#include "train/batch_driver.h"

#include <math.h>

enum { ROWS = 80, COLUMNS = 4, VALUES = 10, MOST_LEAVES = 8, CLASSES = 3, CASES = 60 };
#define CLOSE 0.01
#define RATE 0.25

typedef struct {
    uint32_t classes; /* 0: numbers */
    uint32_t leaves, leaf_rows;
    double l2;
    uint32_t value[ROWS][COLUMNS];
    uint32_t label[ROWS];
    double number[ROWS];
    double g[ROWS], h[ROWS]; /* of the output at hand */
    double start[CLASSES];
    double expected[ROWS][CLASSES];
    bool unsure;
} Case;

typedef struct {
    uint32_t row[ROWS], rows;
    double gain; /* of its best split; 0: none */
    uint32_t column, bound;
} Leaf;

static double gain_of(const Case *at, double g, double h)
{
    return g * g / (h + at->l2);
}

static void sum_rows(const Case *at, const Leaf *leaf, uint32_t column, uint32_t bound,
                     double sums[3])
{
    sums[0] = sums[1] = sums[2] = 0;
    for (uint32_t i = 0; i < leaf->rows; i++) {
        uint32_t row = leaf->row[i];

        if (at->value[row][column] > bound)
            continue;
        sums[0] += at->g[row];
        sums[1] += at->h[row];
        sums[2]++;
    }
}

static void find_split(Case *at, Leaf *leaf)
{
    double all[3], second = 0;

    leaf->gain = 0;
    sum_rows(at, leaf, 0, VALUES, all);
    for (uint32_t column = 0; column < COLUMNS; column++) {
        double before = 0;

        for (uint32_t bound = 0; bound + 1 < VALUES; bound++) {
            double left[3], gain;

            sum_rows(at, leaf, column, bound, left);
            if (left[2] == before) /* the same rows as with the bound before */
                continue;
            before = left[2];
            if (left[2] < at->leaf_rows || all[2] - left[2] < at->leaf_rows)
                continue;
            gain = gain_of(at, left[0], left[1]) + gain_of(at, all[0] - left[0], all[1] - left[1]) -
                   gain_of(at, all[0], all[1]);
            if (gain > leaf->gain) {
                second = leaf->gain;
                leaf->gain = gain;
                leaf->column = column;
                leaf->bound = bound;
            } else if (gain > second) {
                second = gain;
            }
        }
    }
    at->unsure |= leaf->gain > 0 && second > (1 - CLOSE) * leaf->gain;
    at->unsure |= leaf->gain > 0 && leaf->gain < 1e-3 * all[1];
}

static void split_leaf(Case *at, Leaf *leaf, Leaf *other)
{
    Leaf whole = *leaf;

    leaf->rows = other->rows = 0;
    for (uint32_t i = 0; i < whole.rows; i++) {
        Leaf *to = at->value[whole.row[i]][whole.column] <= whole.bound ? leaf : other;

        to->row[to->rows++] = whole.row[i];
    }
    find_split(at, leaf);
    find_split(at, other);
}

/* Best first. */
static void grow(Case *at, size_t output)
{
    static Leaf leaf[MOST_LEAVES];
    uint32_t leaves = 1;

    leaf[0].rows = ROWS;
    for (uint32_t i = 0; i < ROWS; i++)
        leaf[0].row[i] = i;
    find_split(at, &leaf[0]);
    while (leaves < at->leaves) {
        uint32_t best = 0;
        double second = 0;

        for (uint32_t i = 1; i < leaves; i++)
            best = leaf[i].gain > leaf[best].gain ? i : best;
        for (uint32_t i = 0; i < leaves; i++)
            second = i != best ? fmax(second, leaf[i].gain) : second;
        if (leaf[best].gain <= 0)
            break;
        at->unsure |= second > (1 - CLOSE) * leaf[best].gain;
        split_leaf(at, &leaf[best], &leaf[leaves++]);
    }
    for (uint32_t i = 0; i < leaves; i++) {
        double all[3];

        sum_rows(at, &leaf[i], 0, VALUES, all);
        for (uint32_t j = 0; j < leaf[i].rows; j++)
            at->expected[leaf[i].row[j]][output] = at->start[output] -
                                                   RATE * all[0] / (all[1] + at->l2);
    }
}

/* The best constant score, and the derivatives there. */
static void derive(Case *at, size_t output)
{
    double k = at->classes, share = 0, mean = 0;
    uint32_t of = at->classes == 2 ? 1
                                   : (uint32_t)output; /* the second label is the positive one */

    for (uint32_t i = 0; i < ROWS; i++) {
        mean += at->number[i] / ROWS;
        share += (at->label[i] == of) / (double)ROWS;
    }
    at->start[output] = at->classes == 0   ? mean
                        : at->classes == 2 ? log(share / (1 - share))
                                           : log(share);
    for (uint32_t i = 0; i < ROWS; i++) {
        at->g[i] = at->classes ? share - (at->label[i] == of) : mean - at->number[i];
        at->h[i] = at->classes == 0 ? 1 : (k > 2 ? k / (k - 1) : 1) * share * (1 - share);
    }
}

static void make_case(Case *at, Random *random)
{
    *at = (Case){.classes = clv_random_below(random, 3),
                 .leaves = 2 + clv_random_below(random, MOST_LEAVES - 1),
                 .leaf_rows = 1 + clv_random_below(random, 8),
                 .l2 = clv_random_below(random, 2) ? 3 * clv_random_unit(random) : 0};
    at->classes += at->classes > 0; /* 0, 2, 3 */
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t c = 0; c < COLUMNS; c++)
            at->value[i][c] = clv_random_below(random, VALUES);
        at->number[i] = at->value[i][0] + 3 * clv_random_unit(random) * at->value[i][1];
        at->label[i] = i < 3         ? i % (at->classes ? at->classes : 1)
                       : at->classes ? (at->value[i][0] +
                                        (clv_random_below(random, 3) == 0) * at->value[i][1]) /
                                           4 % at->classes
                                     : 0;
    }
}

static Dataset *data_of(const Case *at, Context *context)
{
    Table table = {.features = COLUMNS, .label_count = at->classes, .numbers = at->classes == 0};
    Dataset *dataset;

    for (uint32_t i = 0; i < ROWS; i++) {
        TableRow *row = table_row(&table, at->classes ? at->label[i] : UNLABELED);

        row->number = at->number[i];
        for (uint32_t c = 0; c < COLUMNS; c++)
            if (at->value[i][c])
                table_cell(&table, c, (float)at->value[i][c]);
    }
    dataset = table_built(context, &table, ROWS);
    table_free(&table);
    return dataset;
}

static void set_number(const Method *method, void *options, const char *name, double value)
{
    char text[32];
    cleave_error error;

    snprintf(text, sizeof text, "%.17g", value);
    FINE(clv_param_set(clv_param_find(method->params, name), options, text, &error));
}

static Model *train(const Case *at, Context *context, Dataset *dataset)
{
    const Method *method;
    cleave_error error;
    RunOptions run;
    Report *report;
    Model *model;
    void *options;

    FINE(clv_method_find(at->classes ? "boost" : "boost-regression", &method, &error));
    options = calloc(1, method->options_size);
    assert_non_null(options);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    run.epochs = 1;
    run.positive = at->classes == 2 ? "c1" : NULL;
    set_number(method, options, "learning_rate", RATE);
    set_number(method, options, "max_leaves", at->leaves);
    set_number(method, options, "min_leaf_rows", at->leaf_rows);
    set_number(method, options, "l2", at->l2);
    assert_fine(clv_train(context,
                          &(Job){.method = method, .method_options = options, .options = &run},
                          dataset, &model, &report, &error),
                &error);
    cleave_report_free(&report->facts);
    free(options);
    return model;
}

/* The maximum effect of rounding to a unit of the largest gradient on a leaf. */
static double tolerance(const Case *at)
{
    double most = 0;

    for (uint32_t i = 0; i < ROWS; i++)
        most = fmax(most, fabs(at->g[i]) / at->h[i]);
    return 2e-4 * RATE * most;
}

static void compare(const Case *at, const Model *model, Dataset *dataset, size_t outputs)
{
    static double scores[ROWS * CLASSES];
    cleave_error error;
    Block block;

    FINE(clv_dataset_block(dataset, 0, &block, &error));
    FINE(model->method->inference->predict(model, &block, scores, &error));
    for (uint32_t i = 0; i < ROWS; i++)
        for (size_t o = 0; o < outputs; o++)
            if (!(fabs(scores[i * outputs + o] - at->expected[i][o]) <= tolerance(at)))
                fail_msg("%u classes, %u leaves, %u rows in a leaf, l2 %g: row %u, output %zu: "
                         "found %.12g, expected %.12g",
                         at->classes, at->leaves, at->leaf_rows, at->l2, i, o,
                         scores[i * outputs + o], at->expected[i][o]);
}

static void first_trees_are_the_exact_ones(void **state)
{
    Random random = clv_random(test_seed("boost"), 1);
    uint32_t cases = getenv("CLEAVE_LONG") ? 20 * CASES : CASES, sure = 0;
    Context *context = new_context(1);

    (void)state;
    for (uint32_t i = 0; i < cases; i++) {
        static Case at;
        size_t outputs;
        Dataset *dataset;
        Model *model;

        make_case(&at, &random);
        outputs = outputs_of(at.classes);
        for (size_t o = 0; o < outputs; o++) {
            derive(&at, o);
            grow(&at, o);
        }
        if (at.unsure)
            continue;
        sure++;
        dataset = data_of(&at, context);
        model = train(&at, context, dataset);
        compare(&at, model, dataset, outputs);
        cleave_model_free(model);
        clv_dataset_free(dataset);
    }
    print_message("%u of %u cases have no near ties\n", sure, cases);
    assert_true(sure >= cases / 10);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_trees_are_the_exact_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
