/*
 * The batch solvers (src/learn/linear/solver_lbfgs.c, solver_newton.c) on small random problems of
 * every smooth loss, penalty, kind of intercept and weights, against a slow minimizer in this file,
 * which minimizes one coordinate at a time by bisection of its derivative, in double. The bound
 * that they report must be below this minimum, even after an early stop. Degenerate data must not
 * cause NaN or a silent failure.
 */
#include "property/table.h"

#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <math.h>

extern const Method clv_method_logistic, clv_method_svm, clv_method_svr;

enum { MOST_WIDTH = 16 };

/* Losses implemented independently of the library: value and slope. */
typedef enum { LOGISTIC, SQUARED_HINGE, SQUARED_EPSILON, SQUARED, KINDS } Kind;
static const struct {
    const Method *method;
    const char *loss;
} kinds[KINDS] = {{&clv_method_logistic, "logistic"},
                  {&clv_method_svm, "squared-hinge"},
                  {&clv_method_svr, "squared-epsilon"},
                  {&clv_method_svr, "squared"}};
#define EPSILON 0.25

static double value_at(Kind kind, double y, double s)
{
    double r = kind == SQUARED_HINGE ? 1 - y * s : fabs(y - s) - EPSILON;

    if (kind == LOGISTIC)
        return y * s < -30 ? -y * s : log1p(exp(-y * s));
    if (kind == SQUARED)
        return (y - s) * (y - s) / 2;
    return r > 0 ? r * r : 0;
}

static double slope_at(Kind kind, double y, double s)
{
    switch (kind) {
    case LOGISTIC:
        return -y / (1 + exp(y * s));
    case SQUARED_HINGE:
        return y * s < 1 ? -2 * y * (1 - y * s) : 0;
    case SQUARED_EPSILON:
        return s - y > EPSILON   ? 2 * (s - y - EPSILON)
               : y - s > EPSILON ? -2 * (y - s - EPSILON)
                                 : 0;
    default:
        return s - y;
    }
}

typedef enum { FREE, PENALISED, NONE, BIASES } Intercept;

/* One problem: the table, for one output. */
typedef struct {
    const Table *table;
    Kind kind;
    Intercept intercept;
    double lambda, l1;
    uint32_t output, outputs;
    double *score, *weight; /* of the rows; weights sum to 1 */
} Problem;

static double y_of(const Problem *problem, size_t row)
{
    const TableRow *of = &problem->table->row[row];

    if (problem->kind >= SQUARED_EPSILON)
        return of->number;
    return of->label == (problem->outputs == 1 ? 1 : problem->output) ? 1 : -1;
}

static float cell_of(const Table *table, size_t row, uint32_t column)
{
    for (size_t j = 0; j < table->row[row].count; j++)
        if (table->cell[table->row[row].start + j].column == column)
            return table->cell[table->row[row].start + j].value;
    return 0;
}

/* The value of a row in the column of a coordinate; the last column is that of the intercept. */
static double x_of(const Problem *problem, size_t row, uint32_t at)
{
    return at < problem->table->features ? (double)cell_of(problem->table, row, at) : 1;
}

static void find_scores(Problem *problem, const double *w)
{
    uint32_t width = problem->table->features + (problem->intercept != NONE);

    for (size_t i = 0; i < problem->table->rows; i++) {
        problem->score[i] = 0;
        for (uint32_t at = 0; at < width; at++)
            problem->score[i] += w[at] * x_of(problem, i, at);
    }
}

static double objective_of(Problem *problem, const double *w)
{
    uint32_t features = problem->table->features;
    double sum = 0;

    find_scores(problem, w);
    for (size_t i = 0; i < problem->table->rows; i++)
        sum += problem->weight[i] * value_at(problem->kind, y_of(problem, i), problem->score[i]);
    for (uint32_t at = 0; at < features; at++)
        sum += problem->lambda *
               ((1 - problem->l1) / 2 * w[at] * w[at] + problem->l1 * fabs(w[at]));
    if (problem->intercept == PENALISED)
        sum += problem->lambda / 2 * w[features] * w[features];
    return sum;
}

/* The derivative by one coordinate, without |w|, at w[at] = to with the other coordinates fixed. */
static double slope_by(const Problem *problem, uint32_t at, double from, double to)
{
    bool penalised = at < problem->table->features || problem->intercept == PENALISED;
    double sum = penalised ? problem->lambda * (1 - problem->l1) * to : 0;

    for (size_t i = 0; i < problem->table->rows; i++) {
        double x = x_of(problem, i, at);

        if (x != 0)
            sum += problem->weight[i] * x *
                   slope_at(problem->kind, y_of(problem, i), problem->score[i] + (to - from) * x);
    }
    return sum;
}

/* The minimum along one coordinate, where the derivative, including that of |w|, changes its
 * sign. */
static double lowest_along(const Problem *problem, uint32_t at, double from)
{
    double edge = at < problem->table->features ? problem->lambda * problem->l1 : 0, low = -1,
           high = 1;
    double at_0 = slope_by(problem, at, from, 0);

    if (fabs(at_0) <= edge)
        return 0;
    edge = at_0 < 0 ? edge : -edge; /* the zero lies on the side where |w| has this slope */
    while (slope_by(problem, at, from, low) + edge > 0 && low > -1e8)
        low *= 2;
    while (slope_by(problem, at, from, high) + edge < 0 && high < 1e8)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;

        if (slope_by(problem, at, from, middle) + edge < 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static double minimize_slowly(Problem *problem, double *w)
{
    uint32_t width = problem->table->features + (problem->intercept != NONE);
    double moved = 1;

    memset(w, 0, MOST_WIDTH * sizeof *w);
    for (int traversal = 0; traversal < 3000 && moved > 1e-11; traversal++) {
        moved = 0;
        find_scores(problem, w);
        for (uint32_t at = 0; at < width; at++) {
            double to = lowest_along(problem, at, w[at]);

            for (size_t i = 0; i < problem->table->rows; i++)
                problem->score[i] += (to - w[at]) * x_of(problem, i, at);
            moved = fmax(moved, fabs(to - w[at]));
            w[at] = to;
        }
    }
    return objective_of(problem, w);
}

/* ---- ours ------------------------------------------------------------------------------------ */

typedef struct {
    const char *solver, *tolerance;
    double lambda, l1;
    Intercept intercept;
    int64_t rounds;
    const char *class_weight;
} How;

static void set(const Method *method, void *options, const char *name, const char *text)
{
    cleave_error error = {0};

    FINE(clv_param_set(clv_param_find(method->params, name), options, text, &error));
}

static void set_number(const Method *method, void *options, const char *name, double value)
{
    char text[NUMBER_SIZE];

    clv_format_double(text, value);
    set(method, options, name, text);
}

static Status train(Context *context, Dataset *dataset, Kind kind, const How *how, Model **model,
                    Report **report, cleave_error *error)
{
    const Method *method = kinds[kind].method;
    void *options = some(1, method->options_size);
    RunOptions run;
    Status status;

    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    run.epochs = how->rounds;
    run.class_weight = how->class_weight;
    set(method, options, "loss", kinds[kind].loss);
    set(method, options, "solver", how->solver);
    set(method, options, "tolerance", how->tolerance);
    set_number(method, options, "lambda", how->lambda);
    set_number(method, options, "l1_ratio", how->l1);
    set(method, options, "no_intercept", how->intercept == NONE ? "true" : "false");
    set(method, options, "regularize_intercept", how->intercept == PENALISED ? "true" : "false");
    if (kind == SQUARED_EPSILON)
        set_number(method, options, "epsilon", EPSILON);
    status = method->check_options(options, error);
    if (status == OK)
        status = clv_train(context,
                           &(Job){.method = method, .method_options = options, .options = &run},
                           dataset, model, report, error);
    free(options);
    return status;
}

static double figure(const Report *report, const char *name)
{
    for (size_t i = 0; i < report->facts.statistic_count; i++)
        if (strcmp(report->facts.statistics[i].name, name) == 0)
            return report->facts.statistics[i].value;
    return NAN;
}

static void weights_of(const Model *model, uint32_t output, double *w)
{
    uint32_t features = model->features;

    memset(w, 0, MOST_WIDTH * sizeof *w);
    for (uint32_t at = 0; at < features; at++)
        w[at] = cleave_model_weight(model, output, at);
    w[features] = -cleave_model_threshold(model, output);
}

/* ---- problems -------------------------------------------------------------------------------- */

static const char *const signs[] = {"-1", "+1", NULL};

static void make_table(Table *table, Random *random, Kind kind, uint32_t classes, bool weights)
{
    table_random(table, random, 40, 6, 4, kind >= SQUARED_EPSILON ? 0 : classes, RANDOM_EIGHTHS);
    table->labels = classes == 2 ? signs : NULL;
    table->weights = weights;
    table->numbers = kind >= SQUARED_EPSILON;
    for (size_t i = 0; i < table->rows; i++) {
        TableRow *row = &table->row[i];

        row->weight = weights ? (float)clv_random_below(random, 9) / 4 : 1;
        row->number = (double)clv_random_below(random, 200) / 20 - 3;
        for (size_t j = 0; j < row->count; j++)
            row->number += (double)table->cell[row->start + j].value;
        if (i < classes && !table->numbers) {
            row->label = (uint32_t)i;
            row->weight = 1;
        }
    }
    if (table->numbers)
        table->label_count = 0;
}

static void open_problem(Problem *problem, const Table *table, Kind kind, const How *how)
{
    double total = 0;

    *problem = (Problem){.table = table,
                         .kind = kind,
                         .intercept = how->intercept,
                         .lambda = how->lambda,
                         .l1 = how->l1};
    problem->outputs = kind >= SQUARED_EPSILON || table->label_count == 2 ? 1 : table->label_count;
    problem->score = some(table->rows, sizeof *problem->score);
    problem->weight = some(table->rows, sizeof *problem->weight);
    for (size_t i = 0; i < table->rows; i++)
        total += (double)table->row[i].weight;
    for (size_t i = 0; i < table->rows; i++)
        problem->weight[i] = (double)table->row[i].weight / total;
}

static void close_problem(Problem *problem)
{
    free(problem->score);
    free(problem->weight);
}

/* The |derivative| at our weights. At a kink of |w|, its distance from the interval of
 * derivatives. */
static void assert_kkt(Problem *problem, const double *w, double slack)
{
    uint32_t features = problem->table->features, width = features + (problem->intercept != NONE);

    find_scores(problem, w);
    for (uint32_t at = 0; at < width; at++) {
        double slope = slope_by(problem, at, w[at], w[at]),
               edge = at < features ? problem->lambda * problem->l1 : 0;

        if (w[at] == 0)
            assert_true(fabs(slope) <= edge + slack);
        else
            assert_true(fabs(slope + copysign(edge, w[at])) <= slack);
    }
}

static void check_one(Context *context, const Table *table, Kind kind, const How *how)
{
    Dataset *dataset = table_built(context, table, 7);
    cleave_error error = {0};
    Problem problem;
    Report *report;
    Model *model;
    double lowest = 0, ours = 0;

    FINE(train(context, dataset, kind, how, &model, &report, &error));
    open_problem(&problem, table, kind, how);
    for (problem.output = 0; problem.output < problem.outputs; problem.output++) {
        double best[MOST_WIDTH], found[MOST_WIDTH];

        lowest += minimize_slowly(&problem, best);
        weights_of(model, problem.output, found);
        ours += objective_of(&problem, found);
        if (how->rounds == 0)
            assert_kkt(&problem, found, 2e-5 * (1 + fabs(lowest)));
    }
    if (how->rounds == 0 &&
        (fabs(ours - lowest) > 1e-6 * (1 + fabs(lowest)) || !report->facts.converged))
        print_error("%s %s, l1 %g, bias %d: %.9g, and the lowest is %.9g (%s)\n", kinds[kind].loss,
                    how->solver, how->l1, (int)how->intercept, ours, lowest, report->facts.summary);
    assert_true(ours >= lowest - 1e-7 * (1 + fabs(lowest)));
    if (how->rounds == 0) {
        assert_true(report->facts.converged);
        assert_true(ours <= lowest + 1e-6 * (1 + fabs(lowest)));
    }
    assert_int_equal(isnan(figure(report, "dual")), how->l1 > 0);
    if (how->l1 == 0) {
        assert_true(figure(report, "dual") <= lowest + 1e-9 * (1 + fabs(lowest)));
        if (how->rounds == 0)
            assert_true(figure(report, "gap") <= 1e-4);
    }
    close_problem(&problem);
    cleave_report_free(&report->facts);
    cleave_model_free(model);
    clv_dataset_free(dataset);
}

/* Every smooth loss, penalty and kind of intercept, with and without weights, for two and three
 * classes. */
static void each_problem(uint64_t seed, const char *tolerance, int64_t rounds)
{
    static const double shares[] = {0, 0.5, 1};
    Context *context = new_context(1);
    Random random = clv_random(seed, 0);

    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t classes = 2; classes <= (kind >= SQUARED_EPSILON ? 2 : 3); classes++)
            for (int at = 0; at < 3; at++)
                for (int intercept = 0; intercept < BIASES; intercept++)
                    for (int turn = 0; turn < 4; turn++) {
                        How how = {.solver = turn % 2 ? "newton" : "lbfgs",
                                   .tolerance = tolerance,
                                   .lambda = 0.02,
                                   .l1 = shares[at],
                                   .intercept = (Intercept)intercept,
                                   .rounds = rounds};
                        Table table = {0};

                        if (how.l1 > 0 && (turn % 2 || intercept == PENALISED))
                            continue;
                        make_table(&table, &random, (Kind)kind, classes, turn / 2);
                        check_one(context, &table, (Kind)kind, &how);
                        table_free(&table);
                    }
    cleave_context_free(context);
}

static void the_minimum_is_found(void **state)
{
    (void)state;
    each_problem(test_seed("the_minimum_is_found"), "1e-10", 0);
}

static void the_bound_is_below_at_any_time(void **state)
{
    uint64_t seed = test_seed("the_bound_is_below_at_any_time");

    (void)state;
    for (int64_t rounds = 1; rounds <= 5; rounds += 2)
        each_problem(seed + (uint64_t)rounds, "0", rounds);
}

/* ---- degenerate data ------------------------------------------------------------------------- */

typedef void (*Check)(const Model *model, const Report *report);

/* Both solvers return a model of finite numbers, or an error with a message. */
static void try_both(const Table *table, Kind kind, How how, Check check)
{
    static const char *const solvers[] = {"lbfgs", "newton"};
    Context *context = new_context(1);

    for (int i = 0; i < 2; i++) {
        Dataset *dataset = table_built(context, table, 16);
        cleave_error error = {0};
        Report *report;
        Model *model;
        double w[MOST_WIDTH];

        how.solver = solvers[i];
        how.tolerance = how.tolerance ? how.tolerance : "1e-4";
        FINE(train(context, dataset, kind, &how, &model, &report, &error));
        weights_of(model, 0, w);
        for (uint32_t at = 0; at <= table->features; at++)
            assert_true(isfinite(w[at]));
        assert_true(isfinite(figure(report, "primal")));
        assert_true(strlen(report->facts.summary) > 0);
        check(model, report);
        cleave_report_free(&report->facts);
        cleave_model_free(model);
        clv_dataset_free(dataset);
    }
    cleave_context_free(context);
}

static void no_errors(const Model *model, const Report *report)
{
    (void)model;
    assert_true(report->facts.converged);
    assert_int_equal(report->facts.train_errors, 0);
}

/* x > 0 is +1; the feature times factor, a second one between 0 and 1. */
static void make_line(Table *table, double factor)
{
    for (int i = 0; i < 40; i++) {
        table_row(table, i % 2 ? 1 : 0);
        table_cell(table, 0, (float)(factor * (i % 2 ? 1 + i : -1 - i)));
        table_cell(table, 1, (float)(i % 5) / 5);
    }
    table->labels = signs;
    table->features = 2;
    table->label_count = 2;
}

static void separable_with_little_penalty(void **state)
{
    Table table = {0};

    (void)state;
    make_line(&table, 1);
    for (int kind = LOGISTIC; kind <= SQUARED_HINGE; kind++)
        try_both(&table, (Kind)kind, (How){.lambda = 1e-9}, no_errors);
    table_free(&table);
}

static void a_feature_of_another_scale(void **state)
{
    static const double factors[] = {1e6, 1e-6, 1e30, 1e-30};

    (void)state;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        Table table = {0};

        make_line(&table, factors[i]);
        for (int kind = LOGISTIC; kind <= SQUARED_HINGE; kind++)
            if (factors[i] >= 1e-6)
                try_both(&table, (Kind)kind,
                         (How){.lambda = 1e-3 * fmin(1, factors[i] * factors[i])}, no_errors);
        table_free(&table);
    }
}

static void anything_finite(const Model *model, const Report *report)
{
    (void)model;
    (void)report;
}

static void half_are_wrong(const Model *model, const Report *report)
{
    double w[MOST_WIDTH];

    weights_of(model, 0, w);
    assert_true(w[0] == 0 && w[1] == 0);
    assert_true(report->facts.converged);
    assert_true(figure(report, "mean_loss") <= 1.0001);
}

static void rows_of_zeros(void **state)
{
    Table table = {0};

    (void)state;
    for (int i = 0; i < 20; i++)
        table_row(&table, (uint32_t)i % 2);
    table.labels = signs;
    table.features = 2;
    for (int intercept = 0; intercept < BIASES; intercept++)
        for (int kind = LOGISTIC; kind <= SQUARED_HINGE; kind++)
            try_both(&table, (Kind)kind, (How){.lambda = 1e-3, .intercept = (Intercept)intercept},
                     half_are_wrong);
    table_free(&table);
}

static void positive_wins(const Model *model, const Report *report)
{
    assert_true(cleave_model_threshold(model, 0) < 0);
    assert_int_equal(report->facts.train_errors, 20); /* the rows that do not count */
}

/* A class with weight 0: the intercept of the other class is limited only by the tolerance. */
static void a_class_that_weighs_nothing(void **state)
{
    Table table = {0};

    (void)state;
    for (int i = 0; i < 40; i++) {
        table_row(&table, (uint32_t)i % 2);
        table_cell(&table, 0, (float)(i % 7 - 3) / 100);
    }
    table.labels = signs;
    table.features = 1;
    for (int kind = LOGISTIC; kind <= SQUARED_HINGE; kind++)
        try_both(&table, (Kind)kind, (How){.lambda = 1e-2, .class_weight = "-1=0,+1=1"},
                 positive_wins);
    table_free(&table);
}

static void huge_targets(void **state)
{
    Table table = {0};

    (void)state;
    for (int i = 0; i < 30; i++) {
        table_row(&table, UNLABELED)->number = 1e30 * (i - 10);
        table_cell(&table, 0, (float)i);
        table_cell(&table, 1, 1e30F * (float)(i % 3));
    }
    table.numbers = true;
    table.features = 2;
    for (int kind = SQUARED_EPSILON; kind <= SQUARED; kind++)
        try_both(&table, (Kind)kind, (How){.lambda = 1e-3}, anything_finite);
    table_free(&table);
}

/* ---- many rows, and probabilities ------------------------------------------------------------ */

/* P(+1) = 1 / (1 + exp(-(x0 - 2 x1 + 0.5))). */
static Dataset *known_probabilities(Context *context, uint32_t rows)
{
    Random random = clv_random(5, 0);
    cleave_error error = {0};
    Table labels = {.labels = signs, .label_count = 2};
    Dataset *dataset;
    Builder builder;

    FINE(clv_dataset_new(context, &dataset, &error));
    clv_builder_init(&builder, context);
    add_labels(&labels, &dataset->labels);
    for (uint32_t i = 0; i < rows;) {
        Block block;

        clv_builder_clear(&builder);
        for (uint32_t at = 0; at < 500 && i < rows; at++, i++) {
            double x0 = clv_random_unit(&random) * 4 - 2, x1 = clv_random_unit(&random) * 2 - 1;
            uint32_t label = clv_random_unit(&random) < 1 / (1 + exp(-(x0 - 2 * x1 + 0.5)));

            dataset->labels.list[label].count++;
            clv_builder_begin_row(&builder);
            FINE(clv_builder_add(&builder, 0, (float)x0, &error));
            FINE(clv_builder_add(&builder, 1, (float)x1, &error));
            FINE(clv_builder_end_row(&builder, label, &error));
        }
        FINE(clv_builder_finish(&builder, &block, &error));
        FINE(clv_dataset_add(dataset, &block, &error));
    }
    clv_builder_free(&builder);
    return dataset;
}

/* Enough rows that newton begins with a sample. */
static void probabilities_are_those_of_the_data(void **state)
{
    Context *context = new_context(1);
    Dataset *dataset = known_probabilities(context, 120000);
    static const char *const solvers[] = {"lbfgs", "newton"};
    double value[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        How how = {.solver = solvers[i], .tolerance = "1e-9", .lambda = 1e-6};
        cleave_error error = {0};
        double w[MOST_WIDTH], p[2], score;
        Report *report;
        Model *model;

        FINE(train(context, dataset, LOGISTIC, &how, &model, &report, &error));
        weights_of(model, 0, w);
        assert_true(fabs(w[0] - 1) < 0.05 && fabs(w[1] + 2) < 0.05 && fabs(w[2] - 0.5) < 0.05);
        for (score = -800; score <= 800; score += 50) {
            clv_method_logistic.inference->probabilities(model, &score, p);
            assert_true(p[0] >= 0 && p[1] >= 0 && fabs(p[0] + p[1] - 1) < 1e-15);
            assert_true(score == 0 ? p[1] == 0.5 : (p[1] > 0.5) == (score > 0));
        }
        value[i] = figure(report, "primal");
        assert_true(figure(report, "gap") < 1e-5);
        cleave_report_free(&report->facts);
        cleave_model_free(model);
    }
    assert_true(fabs(value[0] - value[1]) < 1e-8);
    clv_dataset_free(dataset);
    cleave_context_free(context);
}

/* Enough rows for dual ascent, which must not lead newton to wrong weights. */
static void huge_values_in_many_rows(void **state)
{
    static const double factors[] = {1, 1e6, 1e30};

    (void)state;
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        Table table = {0};

        for (int i = 0; i < 2500; i++) {
            table_row(&table, i % 3 == 0);
            table_cell(&table, 0, (float)(factors[f] * (i % 3 == 0 ? 1 + i % 7 : -1 - i % 5)));
            table_cell(&table, 1, (float)(i % 11) / 11);
        }
        table.labels = signs;
        try_both(&table, LOGISTIC, (How){.lambda = 1e-4}, no_errors);
        table_free(&table);
    }
}

/* Three classes, with every kind of offset: the same minimum by both solvers. */
static void many_classes_in_many_rows(void **state)
{
    Context *context = new_context(1);
    Random random = clv_random(9, 0);
    Table table = {0};
    Dataset *dataset;

    (void)state;
    table_random(&table, &random, 3000, 12, 5, 3, RANDOM_EIGHTHS);
    for (size_t i = 0; i < table.rows; i++)
        if (table.row[i].count > 0 && i % 4 != 0)
            table.row[i].label = table.cell[table.row[i].start].column % 3;
    dataset = table_built(context, &table, 100);
    for (int intercept = 0; intercept < BIASES; intercept++) {
        double value[2];

        for (int i = 0; i < 2; i++) {
            How how = {.solver = i ? "newton" : "lbfgs",
                       .tolerance = "1e-7",
                       .lambda = 1e-3,
                       .intercept = (Intercept)intercept};
            cleave_error error = {0};
            Report *report;
            Model *model;

            FINE(train(context, dataset, LOGISTIC, &how, &model, &report, &error));
            value[i] = figure(report, "primal");
            assert_true(report->facts.converged);
            cleave_report_free(&report->facts);
            cleave_model_free(model);
        }
        assert_true(fabs(value[0] - value[1]) < 1e-6 * value[0]);
    }
    clv_dataset_free(dataset);
    table_free(&table);
    cleave_context_free(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Every allocation fails in turn; of the 2,100 rows that make newton use dual ascent, one in
 * seven. */
static void short_of_memory(void **state)
{
    static const char *const solvers[] = {"lbfgs", "newton"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        long long at = 1;

        for (bool reached = true; reached; at += i < 2 ? 1 : 7) {
            TestMemory memory = {.fail_at = 0};
            Context *context = cleave_context_new(&(cleave_config){
                .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory});
            Dataset *dataset = known_probabilities(context, i < 2 ? 30 : 2100);
            How how = {.solver = solvers[i % 2], .lambda = 1e-3, .tolerance = "1e-4"};
            cleave_error error = {0};
            Report *report = NULL;
            Model *model = NULL;
            Status status;

            memory.fail_at = memory.calls + at;
            status = train(context, dataset, LOGISTIC, &how, &model, &report, &error);
            reached = memory.calls >= memory.fail_at;
            assert_true(status == CLEAVE_ERROR_MEMORY || status == OK); /* OK: no note */
            assert_true(reached || status == OK);
            memory.fail_at = 0;
            if (status == OK) {
                cleave_report_free(&report->facts);
                cleave_model_free(model);
            }
            clv_dataset_free(dataset);
            cleave_context_free(context);
            assert_int_equal(memory.live, 0);
            assert_true(at < 1000);
        }
        assert_true(at > 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimum_is_found),
        cmocka_unit_test(the_bound_is_below_at_any_time),
        cmocka_unit_test(separable_with_little_penalty),
        cmocka_unit_test(a_feature_of_another_scale),
        cmocka_unit_test(rows_of_zeros),
        cmocka_unit_test(a_class_that_weighs_nothing),
        cmocka_unit_test(huge_targets),
        cmocka_unit_test(probabilities_are_those_of_the_data),
        cmocka_unit_test(huge_values_in_many_rows),
        cmocka_unit_test(many_classes_in_many_rows),
        cmocka_unit_test(short_of_memory),
    };

    return cmocka_run_group_tests_name("property/batch", tests, NULL, NULL);
}
