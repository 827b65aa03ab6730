/*
 * Least squares (src/learn/linear/least_squares.c and its solvers) on difficult data: large means,
 * different scales, linearly dependent columns, more columns than rows. Also the dense matrices
 * (dense.h): each form against the other and against a reference in long double.
 */
#include "property/table.h"

#include "base/dense.h"
#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <math.h>

static const char *const solvers[] = {"auto", "normal", "qr", "cg"};
static const char *const exact[] = {"auto", "normal", "qr"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, EXACT = sizeof exact / sizeof *exact };

/* ---- training -------------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    Model *model;
    Report *report;
    Status status;
    cleave_error error;
} Trained;

typedef struct {
    const char *solver, *ridge, *tolerance, *no_intercept; /* NULL: as initial */
    int64_t rounds;
    const Model *from;
} Asked;

static Trained try_training(Context *context, Dataset *dataset, Asked asked)
{
    const char *const names[] = {"solver", "ridge", "tolerance", "no_intercept"};
    const char *const values[] = {asked.solver, asked.ridge, asked.tolerance, asked.no_intercept};
    Trained trained = {.context = context};
    const Method *method;
    RunOptions options;
    void *own;
    cleave_error error;

    FINE(clv_method_find("least-squares", &method, &error));
    own = some(1, method->options_size);
    clv_params_initial(method->params, own);
    for (size_t i = 0; i < 4; i++)
        if (values[i])
            FINE(clv_param_set(clv_param_find(method->params, names[i]), own, values[i], &error));
    clv_params_initial(clv_run_params, &options);
    options.epochs = asked.rounds;
    trained.status = clv_train(
        context,
        &(Job){.method = method, .method_options = own, .options = &options, .from = asked.from},
        dataset, &trained.model, &trained.report, &trained.error);
    free(own);
    return trained;
}

static Trained train_asked(Context *context, const Table *table, Asked asked)
{
    Dataset *dataset = table_built(context, table, 50);
    Trained trained = try_training(context, dataset, asked);

    clv_dataset_free(dataset);
    assert_fine(trained.status, &trained.error);
    return trained;
}

static Trained train(const Table *table, const char *solver)
{
    return train_asked(new_context(1), table, (Asked){.solver = solver});
}

static void end(Trained *trained)
{
    cleave_model_free(trained->model);
    if (trained->report)
        cleave_report_free(&trained->report->facts);
    cleave_context_free(trained->context);
}

static double figure(const Trained *trained, const char *name)
{
    const cleave_report *report = &trained->report->facts;

    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    fail_msg("no figure '%s'", name);
    return NAN;
}

static double weight(const Trained *trained, size_t column)
{
    return cleave_model_weight(trained->model, 0, column);
}

static double offset(const Trained *trained)
{
    return -cleave_model_threshold(trained->model, 0);
}

static void is_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        print_error("%.17g, expected %.17g within %g\n", value, expected, tolerance);
    assert_true(fabs(value - expected) <= tolerance);
}

/* ---- data ------------------------------------------------------------------------------------ */

static double uniform(Random *random) /* -1 … 1 */
{
    return 2 * clv_random_unit(random) - 1;
}

typedef struct {
    uint32_t rows, features;
    double offset; /* constant added to the columns */
    double noise;
    bool weights;
} Kind;

/* y = Σ (j + 1) (x_j - offset) + 3 + noise */
static void make(Table *table, Random *random, Kind shape)
{
    table->numbers = true;
    table->weights = shape.weights;
    for (uint32_t i = 0; i < shape.rows; i++) {
        TableRow *row = table_row(table, UNLABELED);
        double y = 3 + shape.noise * uniform(random);

        row->weight = shape.weights ? (float)(1 + clv_random_below(random, 3)) : 1;
        for (uint32_t j = 0; j < shape.features; j++) {
            float x = (float)(shape.offset + uniform(random));

            table_cell(table, j, x);
            y += (j + 1) * ((double)x - shape.offset);
        }
        table->row[i].number = y;
    }
}

static double cell_at(const Table *table, size_t row, uint32_t column)
{
    for (size_t j = 0; j < table->row[row].count; j++)
        if (table->cell[table->row[row].start + j].column == column)
            return (double)table->cell[table->row[row].start + j].value;
    return 0;
}

/* The solution in long double, by Gaussian elimination on the centered normal equations: weights,
 * then the intercept. Returns the squared error. */
static double reference(const Table *table, double ridge, bool intercept, double *answer)
{
    size_t d = table->features, width = d + 1;
    long double *a = some(d * width, sizeof *a), *mean = some(width, sizeof *mean), total = 0,
                sse = 0;

    for (size_t i = 0; i < table->rows; i++) {
        long double c = table->weights ? (long double)table->row[i].weight : 1;

        total += c;
        for (size_t j = 0; j < d; j++)
            mean[j] += c * cell_at(table, i, (uint32_t)j);
        mean[d] += c * table->row[i].number;
    }
    for (size_t j = 0; j < width; j++)
        mean[j] = intercept ? mean[j] / total : 0;
    for (size_t i = 0; i < table->rows; i++)
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < width; k++) {
                long double c = table->weights ? (long double)table->row[i].weight : 1;
                long double y = k < d ? cell_at(table, i, (uint32_t)k) : table->row[i].number;

                a[j * width + k] += c * (cell_at(table, i, (uint32_t)j) - mean[j]) * (y - mean[k]);
            }
    for (size_t j = 0; j < d; j++) {
        a[j * width + j] += ridge;
        for (size_t i = j + 1; i < d; i++) {
            long double share = a[i * width + j] /
                                a[j * width + j]; /* positive definite after the previous ones */

            for (size_t k = j; k < width; k++)
                a[i * width + k] -= share * a[j * width + k];
        }
    }
    for (size_t j = d; j-- > 0;) {
        long double sum = a[j * width + d];

        for (size_t k = j + 1; k < d; k++)
            sum -= a[j * width + k] * answer[k];
        answer[j] = (double)(sum / a[j * width + j]);
    }
    answer[d] = (double)mean[d];
    for (size_t j = 0; j < d; j++)
        answer[d] -= (double)(mean[j] * answer[j]);
    for (size_t i = 0; i < table->rows; i++) {
        long double off = table->row[i].number - answer[d];

        for (size_t j = 0; j < d; j++)
            off -= (long double)answer[j] * cell_at(table, i, (uint32_t)j);
        sse += (table->weights ? (long double)table->row[i].weight : 1) * off * off;
    }
    free(a);
    free(mean);
    return (double)sse;
}

/* ---- the right answer ------------------------------------------------------------------------ */

static void against_long_double(void **state)
{
    static const double offsets[] = {0, 1e3, 1e6};
    static const char *const ridges[] = {"0", "0.5", "1000"};
    static const double ridge_values[] = {0, 0.5, 1000};
    Random random = clv_random(test_seed("against_long_double"), 0);

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < SOLVERS; k++) {
                double answer[8], sse;
                Table table = {0};
                Trained trained;

                make(&table, &random,
                     (Kind){.rows = 400,
                            .features = 6,
                            .offset = offsets[i],
                            .noise = 1,
                            .weights = k % 2});
                sse = reference(&table, ridge_values[j], true, answer);
                trained = train_asked(
                    new_context(1), &table,
                    (Asked){.solver = solvers[k], .ridge = ridges[j], .tolerance = "1e-10"});
                /* At a distance of a million from 0, rounding may hide the last digits of the
                 * tolerance of cg. It then reports that it has not converged, and is as
                 * accurate. */
                assert_true(trained.report->facts.converged ||
                            (i == 2 && strcmp(solvers[k], "cg") == 0));
                for (size_t column = 0; column < 6; column++)
                    is_near(weight(&trained, column), answer[column],
                            4e-7 * (1 + fabs(answer[column])));
                /* With ridge this value is not at its minimum, and is sensitive to the rounding of
                 * weights. */
                is_near(figure(&trained, "sse"), sse, (j ? 1e-6 : 1e-9) * sse);
                end(&trained);
                table_free(&table);
            }
}

static void without_offset(void **state)
{
    Random random = clv_random(5, 0);
    double answer[4];
    Table table = {0};

    (void)state;
    make(&table, &random, (Kind){.rows = 300, .features = 3, .offset = 2, .noise = 0.5});
    reference(&table, 0, false, answer);
    for (size_t k = 0; k < SOLVERS; k++) {
        Trained trained = train_asked(
            new_context(1), &table,
            (Asked){.solver = solvers[k], .no_intercept = "true", .tolerance = "1e-9"});

        assert_true(offset(&trained) == 0);
        for (size_t column = 0; column < 3; column++)
            is_near(weight(&trained, column), answer[column], 1e-6);
        assert_string_equal(trained.report->facts.objective, "sum over examples of (y - w.x)^2");
        end(&trained);
    }
    table_free(&table);
}

/* A weight of 3 equals the row three times; a weight of 0 equals no row. */
static void weights_are_rows(void **state)
{
    Random random = clv_random(6, 0);
    Table table = {0}, repeated = {0};

    (void)state;
    make(&table, &random, (Kind){.rows = 200, .features = 4, .noise = 1, .weights = true});
    table.row[7].weight = 0;
    for (size_t i = 0; i < table.rows; i++)
        for (int j = 0; j < (int)table.row[i].weight; j++)
            table_copy_row(&repeated, &table, i);
    repeated.numbers = true;
    for (size_t k = 0; k < SOLVERS; k++) {
        Trained a = train(&table, solvers[k]), b = train(&repeated, solvers[k]);

        for (size_t column = 0; column < 4; column++)
            is_near(weight(&a, column), weight(&b, column), 1e-6);
        is_near(figure(&a, "sse"), figure(&b, "sse"), 1e-6 * figure(&b, "sse"));
        end(&a);
        end(&b);
    }
    table_free(&table);
    table_free(&repeated);
}

/* The first rows are far from the others, so that their mean cannot be used. */
static void sorted_rows(void **state)
{
    Random random = clv_random(8, 0);
    Table table = {0};

    (void)state;
    table.numbers = true;
    for (int i = 0; i < 1000; i++) {
        float x = (float)((i < 500 ? -1e6 : 1e6) + uniform(&random)), z = (float)uniform(&random);
        TableRow *row = table_row(&table, UNLABELED);

        row->number = 2 * (double)x - 5 * (double)z;
        table_cell(&table, 0, x);
        table_cell(&table, 1, z);
    }
    for (size_t k = 0; k < EXACT; k++) {
        Trained trained = train(&table, exact[k]);

        is_near(weight(&trained, 0), 2, 1e-6);
        is_near(weight(&trained, 1), -5, 1e-5);
        assert_true(figure(&trained, "rmse") < 1e-6);
        end(&trained);
    }
    table_free(&table);
}

/* x, x², … x⁶ of 1 … 6: so close that weights as floats alone would be useless. */
static void close_columns(void **state)
{
    Table table = {0};

    (void)state;
    table.numbers = true;
    for (int i = 0; i < 500; i++) {
        double x = 1 + (double)i / 100, power = 1;
        TableRow *row = table_row(&table, UNLABELED);

        row->number = sin(x);
        for (uint32_t j = 0; j < 6; j++)
            table_cell(&table, j, (float)(power *= x));
    }
    for (size_t k = 0; k < EXACT; k++) {
        Trained trained = train(&table, exact[k]);
        double answer[7], sse = reference(&table, 0, true, answer);

        assert_string_equal(trained.report->facts.solver, "qr");
        is_near(figure(&trained, "sse"), sse, 1e-6 * sse);
        end(&trained);
    }
    table_free(&table);
}

/* ---- columns that are no help ---------------------------------------------------------------- */

static void constant_column(void **state)
{
    Random random = clv_random(9, 0);
    Table table = {0};

    (void)state;
    table.numbers = true;
    for (int i = 0; i < 300; i++) {
        TableRow *row = table_row(&table, UNLABELED);
        float x = (float)uniform(&random);

        row->number = 7 * (double)x + 1;
        table_cell(&table, 0, 0.1f);
        table_cell(&table, 1, x);
        table_cell(&table, 3, 1e7f);
    }
    for (size_t k = 0; k < SOLVERS; k++) {
        Trained trained = train(&table, solvers[k]);

        assert_true(weight(&trained, 0) == 0 && weight(&trained, 2) == 0 &&
                    weight(&trained, 3) == 0);
        is_near(weight(&trained, 1), 7, 1e-5);
        is_near(offset(&trained), 1, 1e-5);
        end(&trained);
        /* Without an intercept, a constant column is one. */
        trained = train_asked(
            new_context(1), &table,
            (Asked){.solver = solvers[k], .no_intercept = "true", .tolerance = "1e-9"});
        is_near(figure(&trained, "rmse"), 0, 1e-5);
        end(&trained);
    }
    table_free(&table);
}

typedef struct {
    char text[1000];
    int notes;
} Notes;

static void keep_note(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Notes *notes = user;

    (void)level;
    (void)hint;
    notes->notes++;
    snprintf(notes->text, sizeof notes->text, "%s", message);
}

static void column_twice(void **state)
{
    Random random = clv_random(10, 0);
    Table table = {0};

    (void)state;
    table.numbers = true;
    for (int i = 0; i < 300; i++) {
        float x = (float)uniform(&random), z = (float)uniform(&random);
        TableRow *row = table_row(&table, UNLABELED);

        row->number = 4 * (double)x + (double)z;
        table_cell(&table, 0, x);
        table_cell(&table, 1, z);
        table_cell(&table, 2, x);
        table_cell(&table, 3, 2 * z);
    }
    for (size_t k = 0; k < SOLVERS; k++) {
        Notes notes = {0};
        Context *context = cleave_context_new(
            &(cleave_config){.size = sizeof(cleave_config), .log = keep_note, .user = &notes});
        Trained trained = train_asked(context, &table,
                                      (Asked){.solver = solvers[k], .tolerance = "1e-9"});

        is_near(weight(&trained, 0), 2, 1e-5);
        is_near(weight(&trained, 2), 2, 1e-5);
        if (strcmp(solvers[k], "cg") != 0) { /* the shortest of w with w1 + 2 w3 = 1 */
            is_near(weight(&trained, 1), 0.2, 1e-5);
            is_near(weight(&trained, 3), 0.4, 1e-5);
            is_near(figure(&trained, "rank"), 2, 0);
            assert_int_equal(notes.notes, 1);
            assert_non_null(
                strstr(notes.text, "2 of 4 columns are linear combinations of the others"));
        }
        is_near(figure(&trained, "rmse"), 0, 1e-6);
        end(&trained);
    }
    table_free(&table);
}

/* The shortest solution passes through every point, and is a combination of rows. */
static void more_columns_than_rows(void **state)
{
    Random random = clv_random(11, 0);
    Table table = {0};

    (void)state;
    make(&table, &random, (Kind){.rows = 12, .features = 40, .noise = 1});
    for (size_t k = 0; k < SOLVERS; k++) {
        Trained trained = train_asked(new_context(1), &table,
                                      (Asked){.solver = solvers[k], .tolerance = "1e-9"});
        Trained least = train_asked(new_context(1), &table,
                                    (Asked){.solver = "qr", .ridge = "1e-7"});

        is_near(figure(&trained, "rmse"), 0, 1e-4);
        for (size_t column = 0; column < 40 && strcmp(solvers[k], "cg") != 0; column++)
            is_near(weight(&trained, column), weight(&least, column),
                    1e-4); /* the limit as ridge goes to 0 */
        end(&trained);
        end(&least);
    }
    table_free(&table);
}

static void units_of_columns(void **state)
{
    Random random = clv_random(12, 0);
    Table table = {0};

    (void)state;
    table.numbers = true;
    for (int i = 0; i < 300; i++) {
        float x[4] = {(float)uniform(&random), (float)(1e6 * uniform(&random)),
                      (float)(1e30 * uniform(&random)), (float)(1e-30 * uniform(&random))};
        TableRow *row = table_row(&table, UNLABELED);

        row->number = (double)x[0] + 2e-6 * (double)x[1] + 3e-30 * (double)x[2] +
                      4e30 * (double)x[3];
        for (uint32_t j = 0; j < 4; j++)
            table_cell(&table, j, x[j]);
    }
    for (size_t k = 0; k < SOLVERS; k++) {
        Trained trained = train_asked(new_context(1), &table,
                                      (Asked){.solver = solvers[k], .tolerance = "1e-9"});

        is_near(weight(&trained, 0), 1, 1e-5);
        is_near(weight(&trained, 1) * 1e6, 2, 1e-5);
        is_near(weight(&trained, 2) * 1e30, 3, 1e-5);
        is_near(weight(&trained, 3) / 1e30, 4, 1e-5);
        is_near(figure(&trained, "rmse"), 0, 1e-5);
        end(&trained);
    }
    table_free(&table);
}

/* Weights of 1e-50 are below the range of floats, and those of 1e60 above it: the first are scaled,
 * the others refused. */
static void weights_beyond_floats(void **state)
{
    (void)state;
    for (size_t k = 0; k < SOLVERS; k++)
        for (int large = 0; large < 2; large++) {
            Context *context = new_context(1);
            Table table = {0};
            Dataset *dataset;
            Trained trained;

            table.numbers = true;
            for (int i = 0; i < 10; i++) {
                table_row(&table, UNLABELED)->number = i * (large ? 1e30 : 1e-20);
                table_cell(&table, 0, (float)(i * (large ? 1e-30 : 1e30)));
            }
            dataset = table_built(context, &table, 50);
            trained = try_training(context, dataset, (Asked){.solver = solvers[k]});
            if (large) {
                assert_int_equal(trained.status, CLEAVE_ERROR_DATA);
                assert_says(&trained.error, "weights");
            } else {
                assert_fine(trained.status, &trained.error);
                is_near(weight(&trained, 0) / 1e-50, 1, 1e-6);
            }
            clv_dataset_free(dataset);
            end(&trained);
            table_free(&table);
        }
}

/* 1e-50 beside 1: one of them would be lost. */
static void weights_far_apart(void **state)
{
    Context *context = new_context(1);
    Table table = {0};
    Dataset *dataset;
    Trained trained;

    (void)state;
    table.numbers = true;
    for (int i = 0; i < 10; i++) {
        table_row(&table, UNLABELED)->number = i + i % 3;
        table_cell(&table, 0, (float)i);
        table_cell(&table, 1, (float)(i % 3 * 1e30));
    }
    dataset = table_built(context, &table, 50);
    trained = try_training(context, dataset, (Asked){.solver = "qr"});
    assert_fine(trained.status, &trained.error); /* 1e-30 is a float */
    is_near(weight(&trained, 1) * 1e30, 1, 1e-6);
    cleave_model_free(trained.model);
    cleave_report_free(&trained.report->facts);
    clv_dataset_free(dataset);
    for (size_t i = 0; i < table.rows; i++) {
        table.cell[table.row[i].start].value *= i ? 1e-20f : 1;
        table.row[i].number *= 1e-20;
        for (size_t j = 0; j < table.row[i].count; j++)
            if (table.cell[table.row[i].start + j].column == 1)
                table.cell[table.row[i].start + j].value *= 1e8f;
    }
    dataset = table_built(context, &table, 50);
    trained = try_training(context, dataset, (Asked){.solver = "qr"});
    assert_int_equal(trained.status, CLEAVE_ERROR_DATA);
    assert_says(&trained.error, "exceeds float32");
    clv_dataset_free(dataset);
    end(&trained);
    table_free(&table);
}

static void targets_beyond_squares(void **state)
{
    (void)state;
    for (size_t k = 0; k < SOLVERS; k++) {
        Context *context = new_context(1);
        Table table = {0};
        Dataset *dataset;
        Trained trained;

        table.numbers = true;
        for (int i = 0; i < 10; i++) {
            table_row(&table, UNLABELED)->number = i * 1e200;
            table_cell(&table, 0, (float)(i * i));
        }
        dataset = table_built(context, &table, 50);
        trained = try_training(context, dataset, (Asked){.solver = solvers[k]});
        assert_int_equal(trained.status, CLEAVE_ERROR_DATA);
        assert_says(&trained.error, "targets");
        clv_dataset_free(dataset);
        end(&trained);
        table_free(&table);
    }
}

static void nothing_to_explain(void **state)
{
    (void)state;
    for (size_t k = 0; k < SOLVERS; k++) {
        Table table = {0};
        Trained trained;

        table.numbers = true;
        table_row(&table, UNLABELED)->number = 4; /* one row, no columns that vary */
        table_cell(&table, 2, 5);
        trained = train(&table, solvers[k]);
        is_near(offset(&trained), 4, 1e-12);
        assert_true(weight(&trained, 2) == 0);
        end(&trained);
        for (int i = 0; i < 20; i++) { /* the same target everywhere */
            table_row(&table, UNLABELED)->number = 4;
            table_cell(&table, 0, (float)i);
        }
        trained = train(&table, solvers[k]);
        is_near(weight(&trained, 0), 0, 1e-12);
        is_near(offset(&trained), 4, 1e-12);
        end(&trained);
        table_free(&table);
    }
}

static void too_wide(void **state)
{
    Context *context = new_context(1);
    Table table = {0};
    Dataset *dataset;

    (void)state;
    table.numbers = true;
    for (int i = 0; i < 10; i++) {
        table_row(&table, UNLABELED)->number = i;
        table_cell(&table, 30000u * (uint32_t)i, 1);
    }
    dataset = table_built(context, &table, 50);
    for (size_t k = 1; k < EXACT; k++) {
        Trained trained = try_training(context, dataset, (Asked){.solver = exact[k]});

        assert_int_equal(trained.status, CLEAVE_ERROR_USAGE);
        assert_says(&trained.error, "270001");
        assert_non_null(strstr(trained.error.hint, "--solver cg"));
    }
    {
        Trained trained = try_training(context, dataset, (Asked){.solver = "auto"});

        assert_fine(trained.status, &trained.error);
        assert_string_equal(trained.report->facts.solver, "cg");
        is_near(figure(&trained, "rmse"), 0, 1e-5);
        clv_dataset_free(dataset);
        end(&trained);
    }
    table_free(&table);
}

/* ---- how it runs ----------------------------------------------------------------------------- */

static void warm_start(void **state)
{
    Random random = clv_random(13, 0);
    Table table = {0};
    Trained cold, few, rest, done;

    (void)state;
    make(&table, &random, (Kind){.rows = 300, .features = 20, .noise = 1});
    cold = train_asked(new_context(1), &table, (Asked){.solver = "cg", .tolerance = "1e-6"});
    assert_true(cold.report->facts.converged);
    few = train_asked(new_context(1), &table,
                      (Asked){.solver = "cg", .tolerance = "1e-6", .rounds = 2});
    assert_false(few.report->facts.converged);
    assert_int_equal(few.report->facts.epochs, 2);
    assert_non_null(strstr(few.report->facts.summary, "--max-iterations"));
    rest = train_asked(new_context(1), &table,
                       (Asked){.solver = "cg", .tolerance = "1e-6", .from = few.model});
    assert_true(rest.report->facts.converged);
    done = train_asked(new_context(1), &table,
                       (Asked){.solver = "cg", .tolerance = "1e-6", .from = cold.model});
    assert_true(done.report->facts.epochs <= 1);
    for (size_t column = 0; column < 20; column++)
        is_near(weight(&rest, column), weight(&cold, column), 1e-4);
    end(&cold);
    end(&few);
    end(&rest);
    end(&done);
    table_free(&table);
}

static bool stop_at_once(void *user)
{
    int *asked = user;

    return ++*asked > 3;
}

/* Part of the rows has no solution, so there is no model. Complete steps of cg give one. */
static void interrupted(void **state)
{
    Random random = clv_random(14, 0);
    Table table = {0};

    (void)state;
    make(&table, &random, (Kind){.rows = 1000, .features = 3, .noise = 0});
    for (size_t k = 0; k < SOLVERS; k++) {
        int asked = 0;
        Context *context = cleave_context_new(&(cleave_config){
            .size = sizeof(cleave_config), .cancelled = stop_at_once, .user = &asked});
        Dataset *dataset = table_built(context, &table, 50);
        Trained trained = try_training(context, dataset,
                                       (Asked){.solver = solvers[k], .tolerance = "0"});

        clv_dataset_free(dataset);
        if (trained.status == OK)
            assert_true(trained.report->facts.cancelled && trained.report->facts.epochs > 0);
        else
            assert_int_equal(trained.status, CLEAVE_ERROR_CANCELLED);
        assert_true((trained.status == OK) ==
                    (trained.model != NULL && strcmp(solvers[k], "cg") == 0));
        end(&trained);
    }
    table_free(&table);
}

static void blocks_do_not_matter(void **state)
{
    static const size_t sizes[] = {1, 7, 128, 300, 2000};
    Random random = clv_random(15, 0);
    Context *context = new_context(1);
    Table table = {0};

    (void)state;
    make(&table, &random, (Kind){.rows = 1000, .features = 5, .noise = 1, .offset = 10});
    for (size_t k = 0; k < SOLVERS; k++) {
        double first[6];

        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            Dataset *dataset = table_built(context, &table, sizes[i]);
            Trained trained = try_training(context, dataset, (Asked){.solver = solvers[k]});

            assert_fine(trained.status, &trained.error);
            for (size_t column = 0; column < 5; column++)
                if (i == 0)
                    first[column] = weight(&trained, column);
                else
                    assert_true(weight(&trained, column) == first[column]);
            cleave_model_free(trained.model);
            cleave_report_free(&trained.report->facts);
            clv_dataset_free(dataset);
        }
    }
    cleave_context_free(context);
    table_free(&table);
}

/* Whichever allocation fails, it is reported and all memory is freed. */
static void memory_fails(void **state)
{
    Random random = clv_random(16, 0);
    Table table = {0};

    (void)state;
    make(&table, &random,
         (Kind){.rows = 8, .features = 12, .noise = 1}); /* linearly dependent columns */
    for (size_t k = 0; k < SOLVERS; k++)
        for (long long fail_at = 1;; fail_at++) {
            TestMemory memory = {0};
            Context *context = cleave_context_new(&(cleave_config){
                .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory});
            Dataset *dataset = table_built(context, &table, 50);
            long long before = atomic_load(&memory.live);
            Trained trained;

            memory.fail_at = atomic_load(&memory.calls) + fail_at;
            trained = try_training(context, dataset, (Asked){.solver = solvers[k], .rounds = 2});
            if (atomic_load(&memory.failures) > 0)
                assert_int_equal(trained.status, CLEAVE_ERROR_MEMORY);
            else
                assert_fine(trained.status, &trained.error);
            cleave_model_free(trained.model);
            if (trained.report)
                cleave_report_free(&trained.report->facts);
            assert_int_equal(atomic_load(&memory.live), before);
            clv_dataset_free(dataset);
            cleave_context_free(context);
            if (trained.status == OK) {
                assert_true(fail_at > 10);
                break;
            }
        }
    table_free(&table);
}

/* ---- dense matrices -------------------------------------------------------------------------- */

static double *random_matrix(Random *random, size_t rows, size_t columns)
{
    double *matrix = some(rows * columns, sizeof *matrix);

    for (size_t i = 0; i < rows * columns; i++)
        matrix[i] = uniform(random);
    return matrix;
}

/* RᵀR after fold and cholesky is the sum of products, in every form. */
static void forms_agree(void **state)
{
    static const size_t widths[] = {1, 2, 5, 33, 131};
    Random random = clv_random(test_seed("forms_agree"), 0);

    (void)state;
    for (size_t form = 0; clv_dense_at(form); form++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            const Dense *dense = clv_dense_at(form);
            size_t n = widths[i], rows = 60;
            double *products = some(n * n, sizeof *products), *r = some(n * n, sizeof *r);
            double *work = some(DENSE_WORK(n), sizeof *work), *sum = some(n * n, sizeof *sum);

            for (int panel = 0; panel < 4; panel++) {
                double *data = random_matrix(&random, rows, n);

                for (size_t a = 0; a < n; a++)
                    for (size_t b = a; b < n; b++)
                        for (size_t row = 0; row < rows; row++)
                            sum[b * n + a] += data[a * rows + row] * data[b * rows + row];
                dense->add_products(products, (Panel){data, rows, n, rows});
                dense->fold(r, (Panel){data, rows, n, rows}, work);
                free(data);
            }
            for (size_t b = 0; b < n; b++)
                for (size_t a = 0; a <= b; a++) {
                    double back = clv_dense_dot(r + a * n, r + b * n, a + 1);

                    is_near(products[b * n + a], sum[b * n + a], 1e-11);
                    is_near(back, sum[b * n + a], 1e-10);
                }
            assert_int_equal(dense->cholesky(products, n, n), n);
            for (size_t b = 0; b < n; b++)
                for (size_t a = 0; a <= b; a++)
                    is_near(fabs(products[b * n + a]), fabs(r[b * n + a]), 1e-8);
            memset(products, 0, n * n * sizeof *products);
            for (size_t a = 0; a < n; a++)
                products[a * n + a] = a == n - 1 ? -1 : 1;
            assert_int_equal(dense->cholesky(products, n, n), n - 1);
            free(products);
            free(r);
            free(work);
            free(sum);
        }
}

static void condition_is_near(void **state)
{
    Random random = clv_random(3, 0);
    double work[40];

    (void)state;
    for (int i = 0; i < 20; i++) {
        double *r = random_matrix(&random, 20, 20), inverse = 0, norm = 0, estimate;

        for (size_t j = 0; j < 20; j++) {
            double column[20] = {0}, sum = 0;

            r[j * 20 + j] = 1 + fabs(r[j * 20 + j]);
            column[j] = 1;
            clv_dense_solve(r, j + 1, 20, column);
            for (size_t k = 0; k <= j; k++)
                sum += fabs(column[k]);
            inverse = fmax(inverse, sum);
            sum = 0;
            for (size_t k = 0; k <= j; k++)
                sum += fabs(r[j * 20 + k]);
            norm = fmax(norm, sum);
        }
        estimate = clv_dense_condition(r, 20, 20, work);
        assert_true(estimate <= norm * inverse * (1 + 1e-10) && estimate >= norm * inverse / 5);
        r[7 * 20 + 7] = 0;
        assert_true(isinf(clv_dense_condition(r, 20, 20, work)));
        free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_long_double),  cmocka_unit_test(without_offset),
        cmocka_unit_test(weights_are_rows),     cmocka_unit_test(sorted_rows),
        cmocka_unit_test(close_columns),        cmocka_unit_test(constant_column),
        cmocka_unit_test(column_twice),         cmocka_unit_test(more_columns_than_rows),
        cmocka_unit_test(units_of_columns),     cmocka_unit_test(weights_beyond_floats),
        cmocka_unit_test(weights_far_apart),    cmocka_unit_test(targets_beyond_squares),
        cmocka_unit_test(nothing_to_explain),   cmocka_unit_test(too_wide),
        cmocka_unit_test(warm_start),           cmocka_unit_test(interrupted),
        cmocka_unit_test(blocks_do_not_matter), cmocka_unit_test(memory_fails),
        cmocka_unit_test(forms_agree),          cmocka_unit_test(condition_is_near),
    };

    return cmocka_run_group_tests_name("least-squares", tests, NULL, NULL);
}
