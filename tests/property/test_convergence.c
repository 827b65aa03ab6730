/*
 * With default options, svm and svr reach their tolerance, with a certificate, on data where
 * coordinate descent alone is slow: skewed sparse rows of 0 and 1 with correlated columns, many
 * rows of few features, and features of large values. The augmented-Lagrangian method is
 * bit-identical for any number of threads. CLEAVE_LONG=1: more seeds, and 100,000 rows.
 * CLEAVE_SEED=N repeats a run.
 */
#include "property/table.h"

#include "support/support.h"

#include <cleave/expert.h>

#include <math.h>

enum { COLUMNS = 300, GROUP = 10, FEATURES = 4 };

typedef struct {
    bool converged;
    double gap, newton; /* iterations; 0: coordinate descent was enough */
} Outcome;

static double figure(const cleave_report *report, const char *name)
{
    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return 0;
}

/* options: names and values in turn, up to NULL. The model is written to `output` unless that is
 * NULL. */
static Outcome train(const char *method, const char *path, const char *const *options,
                     unsigned threads, const char *output)
{
    cleave_context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = threads});
    cleave_options *training = cleave_options_new(context);
    cleave_report *report;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;
    Outcome outcome;

    for (; *options; options += 2)
        FINE(cleave_options_set(training, options[0], options[1], &error));
    FINE(cleave_open(context, path, NULL, &data, &error));
    FINE(cleave_train(context, method, data, NULL, training, &model, &report, &error));
    outcome = (Outcome){report->converged, figure(report, "gap"),
                        figure(report, "newton_iterations")};
    if (output)
        FINE(cleave_save(model, output, &error));
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(training);
    cleave_context_free(context);
    return outcome;
}

/* ---- skewed sparse rows ---------------------------------------------------------------------- */

static int compare_descending(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;

    return (first < second) - (first > second);
}

/* The columns of a row, by groups that are on or off together; the score that its label comes
 * from. */
static double draw_row(Random *random, const double *weight, bool *on)
{
    double score = 1.5 * clv_random_normal(random);

    for (uint32_t j = 0, group_on = 0; j < COLUMNS; j++) {
        if (j % GROUP == 0)
            group_on = clv_random_unit(random) < 0.15;
        on[j] = clv_random_unit(random) < (group_on ? 0.6 : 0.02);
        score += on[j] ? weight[j] : 0;
    }
    return score;
}

/* Classes are slices of the scores: the highest `share` of the rows is one class, the next
 * `share` another, and so on. */
static void write_skewed(const char *path, uint32_t rows, uint32_t classes, double share,
                         uint64_t seed)
{
    double *score = malloc(2 * rows * sizeof *score), *sorted = score + rows, weight[COLUMNS];
    bool *on = malloc((size_t)rows * COLUMNS);
    Random random = clv_random(seed, rows);
    FILE *file = fopen(path, "w");

    assert_true(score && on && file);
    for (uint32_t j = 0; j < COLUMNS; j++)
        weight[j] = clv_random_unit(&random) < 0.1 ? 2 * clv_random_unit(&random)
                                                   : 0.3 * clv_random_unit(&random) - 0.15;
    for (uint32_t i = 0; i < rows; i++)
        sorted[i] = score[i] = draw_row(&random, weight, on + (size_t)i * COLUMNS);
    qsort(sorted, rows, sizeof *sorted, compare_descending);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t label = 0;

        while (label + 1 < classes && score[i] < sorted[(uint32_t)((label + 1) * share * rows)])
            label++;
        fprintf(file, "%u", label);
        for (uint32_t j = 0; j < COLUMNS; j++)
            if (on[(size_t)i * COLUMNS + j])
                fprintf(file, " %u:1", j + 1);
        fprintf(file, "\n");
    }
    fclose(file);
    free(on);
    free(score);
}

static void skewed_rows_converge(void **state)
{
    static const struct {
        uint32_t rows, classes;
        double share;
    } sets[] = {
        {2000, 2, 0.03}, {10000, 2, 0.03}, {10000, 2, 0.1}, {5000, 4, 0.03}, {100000, 2, 0.03}};
    uint64_t seed = test_seed("skewed rows"), seeds = getenv("CLEAVE_LONG") ? 5 : 1;
    size_t count = sizeof sets / sizeof *sets - !getenv("CLEAVE_LONG");
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "skewed.libsvm");
    for (size_t i = 0; i < count; i++)
        for (uint64_t turn = 0; turn < seeds; turn++) {
            Outcome outcome;

            write_skewed(path, sets[i].rows, sets[i].classes, sets[i].share, seed + turn);
            outcome = train("svm", path, (const char *const[]){NULL}, 0, NULL);
            if (!outcome.converged)
                print_error("%u rows, %u classes, seed %llu: gap %g\n", sets[i].rows,
                            sets[i].classes, (unsigned long long)(seed + turn), outcome.gap);
            assert_true(outcome.converged && outcome.gap <= 1.001e-4);
        }
    test_folder_remove(folder);
}

/* ---- many rows of few features --------------------------------------------------------------- */

/* A curved target, so that most rows are support vectors. */
static void write_narrow(const char *path, uint32_t rows, uint32_t classes, uint64_t seed)
{
    Random random = clv_random(seed, rows);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "a,b,c,d,label\n");
    for (uint32_t i = 0; i < rows; i++) {
        double x[FEATURES], y = 0;

        for (uint32_t j = 0; j < FEATURES; j++) {
            x[j] = clv_random_normal(&random) + (j ? x[0] : 0);
            y += x[j] * x[j] / (j + 1) + x[j];
        }
        y += clv_random_normal(&random);
        fprintf(file, "%.6g,%.6g,%.6g,%.6g,", x[0], x[1], x[2], x[3]);
        if (classes)
            fprintf(file, "c%u\n", (uint32_t)fmin(classes - 1, fmax(0, y)));
        else
            fprintf(file, "%.9g\n", y);
    }
    fclose(file);
}

/* Coordinate descent needs thousands of passes for 1e-8. The augmented-Lagrangian method takes
 * over, for each loss and kind of intercept. */
static void narrow_rows_converge(void **state)
{
    static const char *const intercepts[] = {NULL, "regularize_intercept", "no_intercept"};
    uint64_t seed = test_seed("narrow rows");
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "narrow.csv");
    for (uint32_t classes = 0; classes <= 6; classes += classes ? 4 : 2)
        for (size_t i = 0; i < 3; i++) {
            Outcome outcome;

            write_narrow(path, 3000, classes, seed);
            outcome = train(
                classes ? "svm" : "svr", path,
                (const char *const[]){"C", "100", "tolerance", "1e-8", intercepts[i], "true", NULL},
                0, NULL);
            if (!outcome.converged || outcome.newton == 0)
                print_error("seed %llu, %u classes, intercept %zu: gap %g, %g Newton iterations\n",
                            (unsigned long long)seed, classes, i, outcome.gap, outcome.newton);
            assert_true(outcome.converged && outcome.gap <= 1.001e-8 && outcome.newton > 0);
        }
    test_folder_remove(folder);
}

/* Images of rings with values from 0 to 255. Their class is the radius, with noise. */
static void write_rings(const char *path, uint32_t rows, uint64_t seed)
{
    enum { SIDE = 12, CLASSES = 4 };
    Random random = clv_random(seed, rows);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t label = clv_random_below(&random, CLASSES);
        double x = 3 + 6 * clv_random_unit(&random), y = 3 + 6 * clv_random_unit(&random);
        double radius = 2 + 0.7 * label + 1.5 * clv_random_unit(&random);

        fprintf(file, "%u", label);
        for (uint32_t at = 0; at < SIDE * SIDE; at++) {
            double away = hypot(at % SIDE - x, (double)(at / SIDE) - y) - radius;
            int value = (int)(255 * exp(-away * away / 1.5));

            if (value > 10)
                fprintf(file, " %u:%d", at + 1, value);
        }
        fprintf(file, "\n");
    }
    fclose(file);
}

static void large_values_converge(void **state)
{
    uint64_t seed = test_seed("large values");
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Outcome outcome;

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "rings.libsvm");
    write_rings(path, 1200, seed);
    outcome = train("svm", path, (const char *const[]){NULL}, 0, NULL);
    if (!outcome.converged)
        print_error("seed %llu: gap %g, %g Newton iterations\n", (unsigned long long)seed,
                    outcome.gap, outcome.newton);
    assert_true(outcome.converged && outcome.gap <= 1.001e-4 && outcome.newton > 0);
    test_folder_remove(folder);
}

static void threads_make_no_difference(void **state)
{
    static const char *const threads[] = {"one", "two", "five"};
    static const unsigned counts[] = {1, 2, 5};
    uint64_t seed = test_seed("threads");
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], model[TEST_PATH_SIZE], *first = NULL;
    size_t first_size = 0;

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "narrow.csv");
    write_narrow(path, 5000, 3, seed);
    for (size_t i = 0; i < 3; i++) {
        size_t size;
        char *bytes;

        test_join(model, folder, threads[i]);
        assert_true(
            train("svm", path, (const char *const[]){"C", "100", NULL}, counts[i], model).newton >
            0);
        bytes = test_read_file(model, &size);
        assert_non_null(bytes);
        if (i > 0) {
            assert_int_equal(size, first_size);
            assert_memory_equal(bytes, first, size);
            free(bytes);
        } else {
            first = bytes;
            first_size = size;
        }
    }
    free(first);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skewed_rows_converge),
        cmocka_unit_test(narrow_rows_converge),
        cmocka_unit_test(large_values_converge),
        cmocka_unit_test(threads_make_no_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
