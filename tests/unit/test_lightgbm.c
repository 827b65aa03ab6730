/*
 * LightGBM text models (src/interop/lightgbm_model.c) are evaluated here as LightGBM does: a row
 * goes left if its value is at most the threshold, a missing value by bit 1 of decision_type; sums
 * of leaves, divided by the number of iterations with average_output. They equal the scores of
 * cleave. tests/interop/lightgbm.py compares with LightGBM itself, where it is installed.
 */
#include "property/table.h"

#include "model/method.h"
#include "support/support.h"

#include <math.h>

enum { ROWS = 150, COLUMNS = 4, OUTPUTS = 4, NODES = 256, DEFAULT_LEFT = 2, MISSING_IS_NAN = 8 };

typedef struct {
    cleave_context *context;
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    float value[ROWS][COLUMNS];
    double score[ROWS][OUTPUTS];
    size_t row;
} World;

static void write_table(World *world, unsigned classes, bool missing)
{
    FILE *file = fopen(test_join(world->path, world->folder, "rows.csv"), "w");
    Random random = clv_random(5, classes);

    assert_non_null(file);
    fprintf(file, "a,b,c,d,label\n");
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;

        for (size_t j = 0; j < COLUMNS; j++) {
            float value = (float)clv_random_below(&random, 40) / 4;

            sum += (j % 2 ? 1 : -1) * (double)value;
            if (missing && clv_random_below(&random, 6) == 0)
                value = NAN;
            world->value[i][j] = value;
            if (!isnan(value))
                fprintf(file, "%g", (double)value);
            fprintf(file, ",");
        }
        if (classes)
            fprintf(file, "c%u\n",
                    sum < -4  ? 0
                    : sum < 0 ? 1
                    : sum < 4 ? 2 % classes
                              : 3 % classes);
        else
            fprintf(file, "%g\n", sum * sum);
    }
    fclose(file);
}

static cleave_code see(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    World *world = user;

    (void)error;
    memcpy(world->score[world->row++], prediction->scores,
           prediction->score_count * sizeof(double));
    return CLEAVE_OK;
}

/* ---- LightGBM -------------------------------------------------------------------------------- */

/* The numbers of the line KEY=… of a section that ends before `end`; their count. */
static size_t numbers_of(const char *section, const char *end, const char *key, double *number)
{
    size_t length = strlen(key), count = 0;

    for (const char *line = section; line && line < end; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0 || line[length] != '=')
            continue;
        for (const char *at = line + length + 1; *at != '\n';) {
            char *stop;

            assert_in_range(count, 0, NODES - 1);
            number[count++] = strtod(at, &stop);
            assert_true(stop > at);
            at = stop + (*stop == ' ');
        }
        break;
    }
    return count;
}

static double leaf_of(const char *tree, const char *end, const float *row)
{
    double feature[NODES], threshold[NODES], type[NODES], left[NODES], right[NODES], leaf[NODES],
        count[NODES], leaves;
    size_t splits = numbers_of(tree, end, "split_feature", feature);
    int node = splits ? 0 : -1;

    assert_int_equal(numbers_of(tree, end, "num_leaves", &leaves), 1);
    assert_int_equal(leaves, splits + 1);
    assert_int_equal(numbers_of(tree, end, "leaf_value", leaf), splits + 1);
    assert_int_equal(numbers_of(tree, end, "threshold", threshold), splits);
    assert_int_equal(numbers_of(tree, end, "decision_type", type), splits);
    assert_int_equal(numbers_of(tree, end, "left_child", left), splits);
    assert_int_equal(numbers_of(tree, end, "right_child", right), splits);
    if (numbers_of(tree, end, "internal_count", count)) { /* a node has the rows of its children */
        double leaf_count[NODES];

        assert_int_equal(numbers_of(tree, end, "leaf_count", leaf_count), splits + 1);
        for (size_t i = 0; i < splits; i++) {
            double below = (left[i] < 0 ? leaf_count[(int)-left[i] - 1] : count[(int)left[i]]) +
                           (right[i] < 0 ? leaf_count[(int)-right[i] - 1] : count[(int)right[i]]);

            assert_true(fabs(below - count[i]) <= 2); /* rounded weights */
        }
    }
    while (node >= 0) {
        float value = row[(int)feature[node]];

        assert_true((int)type[node] & MISSING_IS_NAN);
        node = (int)((isnan(value) ? (int)type[node] & DEFAULT_LEFT
                                   : (double)value <= threshold[node])
                         ? left[node]
                         : right[node]);
    }
    return leaf[-node - 1];
}

static void check_row(const char *text, const float *row, size_t outputs, const double *score)
{
    double sum[OUTPUTS] = {0};
    size_t trees = 0;

    for (const char *tree = strstr(text, "\nTree="), *next; tree; tree = next, trees++) {
        next = strstr(tree + 1, "\nTree=");
        sum[trees % outputs] += leaf_of(tree, next ? next : strstr(tree, "end of trees"), row);
    }
    assert_true(trees > 0 && trees % outputs == 0);
    for (size_t i = 0; i < outputs; i++) {
        if (strstr(text, "\naverage_output\n"))
            sum[i] /= (double)(trees / outputs);
        assert_true(sum[i] == score[i]);
    }
}

static void check_header(const char *text, const char *method, const char *loss, unsigned classes)
{
    size_t outputs = outputs_of(classes);
    char expected[256], objective[64] = "average_output";

    if (strcmp(method, "boost") == 0)
        snprintf(objective, sizeof objective,
                 classes > 2 ? "objective=multiclass num_class:%zu"
                             : "objective=binary sigmoid:%zu",
                 classes > 2 ? outputs
                 : loss      ? (size_t)2
                             : (size_t)1);
    else if (strcmp(method, "boost-regression") == 0)
        snprintf(objective, sizeof objective, "objective=regression");
    snprintf(expected, sizeof expected,
             "tree\nversion=v4\nnum_class=%zu\nnum_tree_per_iteration=%zu\nlabel_index=0\n"
             "max_feature_idx=3\n%s\nfeature_names=a b c d\nfeature_infos=[-inf:inf] [-inf:inf] "
             "[-inf:inf] [-inf:inf]\n\nTree=0\n",
             outputs, outputs, objective);
    assert_memory_equal(text, expected, strlen(expected));
}

static void check(const char *method, const char *loss, unsigned classes, bool missing)
{
    World *world = calloc(1, sizeof *world);
    cleave_options *options;
    char path[TEST_PATH_SIZE], *text;
    cleave_error error = {0};
    cleave_data *data;
    cleave_model *model;

    world->context = cleave_context_new(NULL);
    test_folder_new(world->folder);
    write_table(world, classes, missing);
    options = cleave_options_new(world->context);
    if (loss)
        FINE(cleave_options_set(options, "loss", loss, &error));
    if (strstr(method, "boost")) {
        FINE(cleave_options_set(options, "rounds", "8", &error));
        FINE(cleave_options_set(options, "min-leaf-rows", "5", &error));
    } else if (strstr(method, "forest")) {
        FINE(cleave_options_set(options, "trees", "5", &error));
    }
    FINE(cleave_open(world->context, world->path, NULL, &data, &error));
    FINE(cleave_train(world->context, method, data, NULL, options, &model, NULL, &error));
    FINE(cleave_predict(model, data, NULL, see, world, &error));
    cleave_options_free(options);
    options = cleave_options_new(world->context);
    FINE(cleave_options_set(options, "format", "lightgbm", &error));
    FINE(cleave_export(model, test_join(path, world->folder, "m.txt"), options, &error));
    text = test_read_file(path, NULL);
    check_header(text, method, loss, classes);
    for (size_t i = 0; i < ROWS; i++)
        check_row(text, world->value[i], outputs_of(classes), world->score[i]);
    free(text);
    cleave_options_free(options);
    cleave_model_free(model);
    cleave_data_free(data);
    test_folder_remove(world->folder);
    cleave_context_free(world->context);
    free(world);
}

static void exported_trees_have_the_same_scores(void **state)
{
    static const struct {
        const char *method, *loss;
        unsigned classes;
    } cases[] = {{"boost", NULL, 2},
                 {"boost", NULL, 4},
                 {"boost", "exponential", 2},
                 {"boost", "exponential", 3},
                 {"forest", NULL, 2},
                 {"forest", NULL, 3},
                 {"tree", NULL, 2},
                 {"tree", NULL, 3},
                 {"boost-regression", NULL, 0},
                 {"forest-regression", NULL, 0},
                 {"tree-regression", NULL, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int missing = 0; missing < 2; missing++)
            check(cases[i].method, cases[i].loss, cases[i].classes, missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exported_trees_have_the_same_scores)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
