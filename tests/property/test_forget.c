/*
 * Forgetting takes no time per row, because the steps grow instead of the weights shrinking. Here
 * the weights are shrunk one by one in double. The predictions must be equal, over enough rows that
 * the growth is divided out several times.
 */
#include "property/table.h"

#include "model/registry.h"
#include "support/support.h"

#include <math.h>

enum { FEATURES = 12, ROWS = 1400, FEW_ROWS = 1000 };
#define KEEP 0.8

typedef struct {
    double w[FEATURES], intercept;
    double mean[FEATURES], mean_intercept,
        all; /* of the perceptron's weights, old ones counting less */
} ByHand;

typedef struct {
    FitProblem problem;
    Fit fit;
    void *options;
    cleave_error error;
} Learner;

static void begin(Learner *learner, Context *context, const char *name,
                  const char *const settings[][2])
{
    const Method *method;

    *learner = (Learner){0};
    assert_int_equal(clv_method_find(name, &method, &learner->error), OK);
    learner->options = some(1, method->options_size);
    clv_params_initial(method->params, learner->options);
    for (size_t i = 0; settings[i][0]; i++)
        assert_fine(clv_param_set(clv_param_find(method->params, settings[i][0]), learner->options,
                                  settings[i][1], &learner->error),
                    &learner->error);
    if (method->check_options)
        assert_fine(method->check_options(learner->options, &learner->error), &learner->error);
    learner->fit = (Fit){.context = context,
                         .error = &learner->error,
                         .method = method,
                         .options = learner->options,
                         .problem = &learner->problem,
                         .state = some(1, method->state_size),
                         .task = method->tasks == CLEAVE_TASK_REGRESSION ? CLEAVE_TASK_REGRESSION
                                                                         : CLEAVE_TASK_BINARY,
                         .classes = method->tasks == CLEAVE_TASK_REGRESSION ? 0 : 2,
                         .outputs = 1,
                         .positive = 1};
    assert_fine(method->training->begin(&learner->fit), &learner->error);
}

static void end(Learner *learner)
{
    learner->fit.method->training->free(&learner->fit);
    free(learner->fit.state);
    free(learner->options);
}

/* As after a restart: another state continues from the model of this one. */
static void restart(Learner *learner)
{
    Fit *fit = &learner->fit, other = *fit;
    cleave_error error;
    uint32_t label;
    Model *model;

    FINE(clv_model_new(fit->context, fit->method, &model, &error));
    FINE(clv_labels_add(&model->labels, "-1", 2, &label, &error));
    FINE(clv_labels_add(&model->labels, "+1", 2, &label, &error));
    model->features = fit->features;
    assert_fine(fit->method->training->end(fit, model), &learner->error);
    other.state = some(1, fit->method->state_size);
    assert_fine(fit->method->training->begin(&other), &learner->error);
    assert_fine(fit->method->training->resume(&other, model), &learner->error);
    cleave_model_free(model);
    fit->method->training->free(fit);
    free(fit->state);
    *fit = other;
}

/* Forgets, predicts, learns. Returns the score before. */
static double visit(Learner *learner, const Table *table, size_t row)
{
    const Method *method = learner->fit.method;
    Builder builder;
    double score;
    Block block;

    clv_builder_init(&builder, learner->fit.context);
    clv_builder_clear(&builder);
    build_row(table, row, &builder);
    assert_fine(clv_builder_finish(&builder, &block, &learner->error), &learner->error);
    assert_fine(method->online->forget(&learner->fit, KEEP), &learner->error);
    assert_fine(method->online->score(&learner->fit, &block, 0, &score), &learner->error);
    assert_fine(method->training->step(&learner->fit, &block), &learner->error);
    clv_builder_free(&builder);
    return score;
}

static double dot(const Table *table, size_t row, const double *w)
{
    double sum = 0;

    for (size_t i = 0; i < table->row[row].count; i++) {
        const Cell *cell = &table->cell[table->row[row].start + i];

        sum += w[cell->column] * (double)cell->value;
    }
    return sum;
}

static void add(const Table *table, size_t row, double step, double *w)
{
    for (size_t i = 0; i < table->row[row].count; i++) {
        const Cell *cell = &table->cell[table->row[row].start + i];

        w[cell->column] += step * (double)cell->value;
    }
}

static void shrink(double *w, double keep)
{
    for (size_t i = 0; i < FEATURES; i++)
        w[i] *= keep;
}

static void make(Table *table, int values)
{
    Random random = clv_random(5, 0);

    table_random(table, &random, ROWS, FEATURES, 5, 2, values);
    table->features = FEATURES;
}

static void assert_answer(double expected, double found, double size)
{
    assert_true(fabs(expected - found) <= 5e-6 * (size + fabs(expected)));
}

/* The average in which the weight of an example is multiplied by KEEP for every later one. */
static void average_by_hand(ByHand *by_hand)
{
    by_hand->all = KEEP * by_hand->all + 1;
    for (size_t i = 0; i < FEATURES; i++)
        by_hand->mean[i] += (by_hand->w[i] - by_hand->mean[i]) / by_hand->all;
    by_hand->mean_intercept += (by_hand->intercept - by_hand->mean_intercept) / by_hand->all;
}

static void perceptron(const char *form)
{
    const char *const settings[][2] = {
        {"learn-threshold", "true"}, {"form", form}, {"learning_rate", "0.7"}, {NULL, NULL}};
    bool chosen = strcmp(form, "auto") == 0, averaged = strcmp(form, "averaged") == 0;
    Context *context = new_context(1);
    ByHand by_hand = {0};
    Table table = {0};
    Learner learner;
    size_t mistakes = 0;

    make(&table, RANDOM_EIGHTHS);
    begin(&learner, context, "perceptron", settings);
    for (size_t row = 0; row < ROWS; row++) {
        double found, y = table.row[row].label == 1 ? 1 : -1, score;

        if (row % 333 == 100)
            restart(&learner);
        found = visit(&learner, &table, row);
        averaged |= chosen && row > FEW_ROWS;
        shrink(by_hand.w, KEEP);
        by_hand.intercept *= KEEP;
        score = dot(&table, row, by_hand.w) + by_hand.intercept;
        assert_answer(averaged ? 0.7 * (dot(&table, row, by_hand.mean) + by_hand.mean_intercept)
                               : 0.7 * score,
                      found, 10);
        if (y * score <= 0) {
            add(&table, row, y, by_hand.w);
            by_hand.intercept += y;
            mistakes++;
        }
        average_by_hand(&by_hand);
    }
    assert_int_equal(learner.fit.counters.epoch_mistakes, mistakes);
    assert_true(mistakes > ROWS / 10);
    end(&learner);
    table_free(&table);
    cleave_context_free(context);
}

static void test_plain(void **state)
{
    (void)state;
    perceptron("plain");
}

static void test_averaged(void **state)
{
    (void)state;
    perceptron("averaged");
}

/* The last weights at first, and their mean after many rows. */
static void test_auto(void **state)
{
    (void)state;
    perceptron("auto");
}

static void test_lms(void **state)
{
    const char *const settings[][2] = {
        {"normalize", "true"}, {"learning_rate", "0.5"}, {"form", "plain"}, {NULL, NULL}};
    Context *context = new_context(1);
    double numbers[] = {-3, 4};
    ByHand by_hand = {0};
    Table table = {0};
    Learner learner;

    (void)state;
    make(&table, RANDOM_EIGHTHS);
    begin(&learner, context, "lms", settings);
    learner.problem.label_number = numbers;
    for (size_t row = 0; row < ROWS; row++) {
        double found = visit(&learner, &table, row), score, step, length2 = 1;

        shrink(by_hand.w, KEEP);
        score = dot(&table, row, by_hand.w) + by_hand.intercept;
        assert_answer(score, found, 10);
        for (size_t i = 0; i < table.row[row].count; i++)
            length2 += pow((double)table.cell[table.row[row].start + i].value, 2);
        step = 0.5 * (numbers[table.row[row].label] - score) / length2;
        add(&table, row, step, by_hand.w);
        by_hand.intercept += step;
    }
    end(&learner);
    table_free(&table);
    cleave_context_free(context);
}

static void test_winnow(void **state)
{
    const char *const settings[][2] = {
        {"learn-threshold", "true"}, {"threshold", "3"}, {NULL, NULL}};
    Context *context = new_context(1);
    ByHand by_hand = {.intercept = 3};
    Table table = {0};
    Learner learner;

    (void)state;
    make(&table, RANDOM_ONES);
    for (size_t i = 0; i < FEATURES; i++)
        by_hand.w[i] = 1;
    begin(&learner, context, "winnow", settings);
    for (size_t row = 0; row < ROWS; row++) {
        uint32_t known = learner.fit.features;
        double found = visit(&learner, &table, row), y = table.row[row].label == 1 ? 1 : -1, score,
               asked;

        for (size_t i = 0; i < FEATURES; i++)
            by_hand.w[i] = pow(by_hand.w[i], KEEP);
        by_hand.intercept = 3 * pow(by_hand.intercept / 3, KEEP);
        score = asked = dot(&table, row, by_hand.w) - by_hand.intercept;
        for (size_t i = 0; i < table.row[row].count; i++) /* new columns are not queried */
            asked -= table.cell[table.row[row].start + i].column >= known;
        assert_answer(asked, found, 1);
        if (y * score > 0)
            continue;
        for (size_t i = 0; i < table.row[row].count; i++)
            by_hand.w[table.cell[table.row[row].start + i].column] *= y > 0 ? 2 : 0.5;
        by_hand.intercept *= y > 0 ? 0.5 : 2;
    }
    end(&learner);
    table_free(&table);
    cleave_context_free(context);
}

/* The sign of every weight changes half-way. A learner that forgets is soon correct again, others
 * are not. */
static size_t late_errors(const char *method, const char *solver, const char *batch, double keep)
{
    const char *const settings[][2] = {{"solver", solver},
                                       {"batch_size", batch},
                                       {strcmp(solver, "adaptive") == 0 ? NULL : "lambda", "0.01"},
                                       {NULL, NULL}};
    Context *context = new_context(1);
    Random random = clv_random(3, 0);
    size_t errors = 0;
    Learner learner;
    Table table = {0};

    table_random(&table, &random, 20000, FEATURES, 5, 2, RANDOM_EIGHTHS);
    for (size_t row = 0; row < table.rows; row++) {
        double w[FEATURES];

        for (int i = 0; i < FEATURES; i++)
            w[i] = (i % 2 ? 1 : -1) * (row < table.rows / 2 ? 1 : -1);
        table.row[row].label = dot(&table, row, w) > 0;
    }
    begin(&learner, context, method, settings);
    for (size_t row = 0; row < table.rows; row++) {
        Builder builder;
        double score;
        Block block;

        clv_builder_init(&builder, context);
        clv_builder_clear(&builder);
        for (size_t i = 0; i < (row == 0 ? 500 : 1); i++)
            build_row(&table, row + i, &builder);
        assert_fine(clv_builder_finish(&builder, &block, &learner.error), &learner.error);
        if (row == 0 && learner.fit.wants_sample)
            assert_fine(learner.fit.method->training->sample(&learner.fit, &block), &learner.error);
        if (row == 0) {
            clv_builder_free(&builder);
            continue;
        }
        if (keep < 1)
            assert_fine(learner.fit.method->online->forget(&learner.fit, keep), &learner.error);
        assert_fine(learner.fit.method->online->score(&learner.fit, &block, 0, &score),
                    &learner.error);
        errors += row > table.rows / 2 + 100 && row < table.rows / 2 + 1100 &&
                  (score > 0) != table.row[row].label;
        assert_fine(learner.fit.method->training->step(&learner.fit, &block), &learner.error);
        clv_builder_free(&builder);
    }
    end(&learner);
    table_free(&table);
    cleave_context_free(context);
    return errors;
}

static void test_drift(void **state)
{
    static const char *const solvers[][3] = {{"logistic", "sgd", "1"},
                                             {"logistic", "asgd", "1"},
                                             {"svm", "adaptive", "1"},
                                             {"svm", "pegasos", "1"},
                                             {"svm", "pegasos", "20"}};

    (void)state;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const char *const *at = solvers[i];
        size_t forgets = late_errors(at[0], at[1], at[2], 0.99),
               keeps = late_errors(at[0], at[1], at[2], 1);

        print_message("%s: %zu errors of 1000 after a turn where it forgets, %zu where not\n",
                      at[1], forgets, keeps);
        assert_true(2 * forgets < keeps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_averaged), cmocka_unit_test(test_auto),
        cmocka_unit_test(test_lms),   cmocka_unit_test(test_winnow),   cmocka_unit_test(test_drift),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
