/*
 * Columns with gaps in their numbers. A model has only the columns that occurred, and gives a row
 * in the caller's memory, by the numbers of the file, the scores of the same row in a file. A
 * kernel model of another program, whose columns are numbered up to 2e8, gives the scores of the
 * formula sum of a K(x, s) - rho.
 */
#include "property/table.h"

#include "support/support.h"

#include <math.h>

enum { ROWS = 60, COLUMNS = 8 };

/* As in the file, ascending. */
static const uint32_t number[COLUMNS] = {1, 2, 7, 4000, 70001, 1000000, 30000000, 200000000};

typedef struct {
    uint32_t count, column[COLUMNS + 1];
    float value[COLUMNS + 1];
} Row;

typedef struct {
    cleave_context *context;
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Row row[ROWS];
} World;

/* Rows of test sets also have columns that the training set lacks. */
static void write_rows(World *world, const char *name, bool strange)
{
    FILE *file = fopen(test_join(world->path, world->folder, name), "w");
    Random random = clv_random(3, strange);

    assert_non_null(file);
    for (size_t i = 0; i < ROWS; i++) {
        Row *row = &world->row[i];
        bool high = clv_random_below(&random, 2);

        row->count = 0;
        fprintf(file, high ? "high" : "low");
        for (uint32_t j = 0; j < COLUMNS; j++) {
            uint32_t column = number[j] + (strange && clv_random_below(&random, 8) == 0);

            if (clv_random_below(&random, 3) == 0 ||
                (row->count && row->column[row->count - 1] >= column - 1))
                continue;
            row->column[row->count] = column - 1;
            row->value[row->count] = (float)(1 + clv_random_below(&random, 16)) / 8 +
                                     (float)(high == (j % 2 == 0));
            fprintf(file, " %u:%g", column, (double)row->value[row->count++]);
        }
        fprintf(file, "\n");
    }
    fclose(file);
}

static void open_world(World *world)
{
    world->context = cleave_context_new(NULL);
    test_folder_new(world->folder);
}

static void close_world(World *world)
{
    test_folder_remove(world->folder);
    cleave_context_free(world->context);
}

typedef struct {
    double score[ROWS][4];
    char label[ROWS][8];
    size_t row;
} Seen;

static cleave_code see(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Seen *seen = user;

    (void)error;
    memcpy(seen->score[seen->row], prediction->scores, prediction->score_count * sizeof(double));
    snprintf(seen->label[seen->row++], sizeof *seen->label, "%s", prediction->label);
    return CLEAVE_OK;
}

static void check_rows(World *world, const cleave_model *model)
{
    cleave_error error = {0};
    cleave_data *data;
    Seen seen = {0};

    FINE(cleave_open_for(model, (const char *[]){world->path}, 1, NULL, &data, &error));
    FINE(cleave_predict(model, data, NULL, see, &seen, &error));
    assert_int_equal(seen.row, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const Row *row = &world->row[i];
        cleave_prediction one;

        FINE(cleave_predict_row(model, row->count, row->column, row->value, &one, &error));
        assert_string_equal(one.label, seen.label[i]);
        for (size_t j = 0; j < one.score_count; j++)
            assert_true(fabs(one.scores[j] - seen.score[i][j]) <= 1e-9 * fabs(one.scores[j]));
    }
    cleave_data_free(data);
}

static void rows_in_memory_are_rows_of_files(void **state)
{
    static const char *const methods[] = {"svm",    "perceptron", "knn", "tree",
                                          "forest", "boost",      "mlp", "kernel-svm"};
    static World world;

    (void)state;
    open_world(&world);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        cleave_error error = {0};
        cleave_data *data;
        cleave_model *model;

        write_rows(&world, "train.libsvm", false);
        FINE(cleave_open(world.context, world.path, NULL, &data, &error));
        FINE(cleave_train(world.context, methods[i], data, NULL, NULL, &model, NULL, &error));
        assert_int_equal(cleave_model_feature_count(model), COLUMNS);
        check_rows(&world, model);
        write_rows(&world, "test.libsvm", true);
        check_rows(&world, model);
        cleave_data_free(data);
        cleave_model_free(model);
    }
    close_world(&world);
}

/* ---- support vectors of another program ------------------------------------------------------ */

static const Row supports[] = {
    {2, {0, 199999999}, {1, 2}}, {1, {6}, {1.5F}}, {2, {0, 99999}, {0.5F, 1}}};
static const double alphas[] = {0.5, 0.25, -0.75};

static float value_at(const Row *row, uint32_t column)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->column[i] == column)
            return row->value[i];
    return 0;
}

static double product(const Row *a, const Row *b)
{
    double sum = 0;

    for (uint32_t i = 0; i < a->count; i++)
        sum += (double)a->value[i] * (double)value_at(b, a->column[i]);
    return sum;
}

static double score_by_formula(bool gaussian, const Row *row)
{
    const double gamma = 0.125, rho = 0.25;
    double sum = -rho;

    for (size_t i = 0; i < sizeof supports / sizeof *supports; i++) {
        const Row *support = &supports[i];
        double inner = product(row, support);
        double distance = product(row, row) + product(support, support) - 2 * inner;

        sum += alphas[i] * (gaussian ? exp(-gamma * distance) : pow(gamma * inner + 1, 2));
    }
    return sum;
}

static void imported_kernels_are_the_formula(void **state)
{
    static const Row rows[] = {{0, {0}, {0}},
                               {1, {0}, {1}},
                               {3, {0, 6, 199999999}, {1, 0.5F, 2}},
                               {2, {6, 99999}, {3, 0.25F}},
                               {2, {99999, 199999999}, {-1, 1}}};
    static World world;

    (void)state;
    open_world(&world);
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        cleave_error error = {0};
        cleave_model *model;
        char text[512];

        snprintf(text, sizeof text,
                 "svm_type c_svc\nkernel_type %s\ngamma 0.125\nnr_class 2\ntotal_sv 3\nrho 0.25\n"
                 "label 1 -1\nnr_sv 2 1\nSV\n0.5 1:1 200000000:2\n0.25 7:1.5\n"
                 "-0.75 1:0.5 100000:1\n",
                 gaussian ? "rbf" : "polynomial\ndegree 2\ncoef0 1");
        test_write_text(test_join(world.path, world.folder, "kernel.txt"), text);
        FINE(cleave_import(world.context, world.path, &model, &error));
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            double expected = score_by_formula(gaussian, &rows[i]);
            cleave_prediction one;

            FINE(cleave_predict_row(model, rows[i].count, rows[i].column, rows[i].value, &one,
                                    &error));
            assert_int_equal(one.score_count, 1);
            assert_true(fabs(one.scores[0] - expected) < 1e-5);
            assert_string_equal(one.label, expected > 0 ? "1" : "-1");
        }
        cleave_model_free(model);
    }
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_memory_are_rows_of_files),
        cmocka_unit_test(imported_kernels_are_the_formula),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
