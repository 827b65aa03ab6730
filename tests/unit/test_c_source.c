/*
 * Models as C code (src/interop/c_source.c): compiled with the documented flags, the code gives
 * bit-identical scores, for tables, sparse and dense rows, in any storage form of a block.
 */
#include "property/table.h"

#include "support/support.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, MOST_SCORES = 128 };

static cleave_context *context;
static char folder[TEST_PATH_SIZE];
static uint64_t state = 1;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* ---- data ------------------------------------------------------------------------------------ */

typedef enum { TABLE, NUMBERS, SPARSE, BINARY, CONSTANT, WIDE } DataKind;

static void put_label(FILE *file, unsigned classes, unsigned hint, const char *end)
{
    if (classes)
        fprintf(file, "%u%s", draw(4) ? hint % classes : draw(classes), end);
    else
        fprintf(file, "%.3f%s", (double)hint * 0.7 + (double)draw(1000) / 999, end);
}

static void put_cells(FILE *file, DataKind shape, unsigned hint)
{
    static const char *const colors[] = {"red", "green", "blue", "a \"b\" ?\?/", "once"};

    for (unsigned i = 0; i < 9; i++) {
        unsigned value = draw(3) ? draw(1000) : 0;

        if (shape == TABLE && draw(9) == 0)
            fputs(",", file);
        else
            fprintf(file, "%g,", (double)(value + hint * 20 * (i == 2)) / 16 - 20);
    }
    if (shape == TABLE) {
        const char *color = colors[draw(50) ? (hint + draw(2)) % 4 : 4];

        for (fputc('"', file); *color; color++)
            fputs(*color == '"' ? "\"\"" : (char[]){*color, '\0'}, file);
        fprintf(file, "\",%s,", draw(8) ? (draw(2) ? "S" : "XL") : "");
    }
}

static void put_entries(FILE *file, DataKind shape, unsigned hint)
{
    for (unsigned at = 1 + hint, i = 0; i < 12; i++, at += 1 + draw(shape == WIDE ? 40000 : 9)) {
        if (shape == SPARSE || shape == WIDE)
            fprintf(file, " %u:%g", at, (double)(draw(2000) + 1) / 7 - 100);
        else
            fprintf(file, " %u:%s", at, shape == CONSTANT ? (hint % 2 ? "0.7" : "0.3") : "1");
    }
}

/* Labels depend on the values, so that the data is learnable. */
static const char *make_data(DataKind shape, unsigned classes, char path[TEST_PATH_SIZE])
{
    bool csv = shape == TABLE || shape == NUMBERS;
    FILE *file = fopen(test_join(path, folder, csv ? "data.csv" : "data.libsvm"), "w");

    assert_non_null(file);
    for (unsigned i = 0; csv && i < 9; i++)
        fprintf(file, "n%u,", i);
    if (csv)
        fputs(shape == TABLE ? "color,size,label\n" : "label\n", file);
    for (unsigned row = 0; row < ROWS; row++) {
        unsigned hint = draw(classes ? classes : 3);

        if (csv) {
            put_cells(file, shape, hint);
            put_label(file, classes, hint, "\n");
        } else {
            put_label(file, classes, hint, "");
            put_entries(file, shape, hint);
            fputc('\n', file);
        }
    }
    fclose(file);
    return path;
}

/* ---- comparison ------------------------------------------------------------------------------ */

typedef struct {
    void *library;
    void (*scores)(const float *inputs, double *scores);
    int (*predict)(const float *inputs);
    double (*number)(const float *inputs);
    int (*set)(float *inputs, const char *name, float value);
} Code;

typedef struct {
    const cleave_model *model;
    Code code;
    uint64_t *start;
    uint32_t *column;
    float *value, *inputs;
    size_t width, row, wrong;
} Comparison;

static Code compile(const cleave_model *model)
{
    char source[TEST_PATH_SIZE], library[TEST_PATH_SIZE], command[4 * TEST_PATH_SIZE];
    static int number;
    cleave_error error;
    Code code;

    snprintf(command, sizeof command, "model%d.so", number++);
    test_join(library, folder, command);
    test_join(source, folder, "model.c");
    if (cleave_export(model, source, NULL, &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
    snprintf(command, sizeof command,
             "${CC:-cc} -std=c99 -Wall -Werror -pedantic -O%d -shared -fPIC -o '%s' '%s'",
             number % 3, library, source);
    assert_int_equal(system(command), 0);
    code.library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(code.library);
    *(void **)&code.scores = dlsym(code.library, "model_scores");
    *(void **)&code.predict = dlsym(code.library, "model_predict");
    *(void **)&code.number = dlsym(code.library, "model_predict");
    *(void **)&code.set = dlsym(code.library, "model_set");
    assert_non_null(code.scores);
    assert_non_null(code.predict);
    return code;
}

static void check_row(Comparison *self, const cleave_prediction *prediction, const double *scores)
{
    self->wrong += memcmp(scores, prediction->scores, prediction->score_count * sizeof *scores) !=
                   0;
    if (cleave_model_task(self->model) == CLEAVE_TASK_REGRESSION)
        self->wrong += self->code.number(self->inputs) != prediction->value;
    else
        self->wrong += (size_t)self->code.predict(self->inputs) != prediction->label_number;
}

static cleave_code compare(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Comparison *self = user;
    uint64_t from = self->start[self->row], count = self->start[self->row + 1] - from;
    double scores[MOST_SCORES];
    cleave_prediction single;

    memset(self->inputs, 0, self->width * sizeof *self->inputs);
    for (uint64_t i = from; i < from + count; i++)
        self->inputs[self->column[i]] = self->value[i];
    self->code.scores(self->inputs, scores);
    check_row(self, prediction, scores);
    assert_int_equal(cleave_predict_row(self->model, (size_t)count, self->column + from,
                                        self->value + from, &single, error),
                     CLEAVE_OK);
    check_row(self, &single, scores);
    self->row++;
    return CLEAVE_OK;
}

static void read_rows(Comparison *self, const char *path)
{
    cleave_error error;
    cleave_data *raw;
    uint64_t entries;

    assert_int_equal(cleave_open_raw_for(self->model, &path, 1, NULL, &raw, &error), CLEAVE_OK);
    assert_int_equal(cleave_data_entries(raw, &entries, &error), CLEAVE_OK);
    self->width = 1 << 20;
    self->inputs = calloc(self->width, sizeof *self->inputs);
    self->start = calloc(ROWS + 1, sizeof *self->start);
    self->column = calloc(entries + 1, sizeof *self->column);
    self->value = calloc(entries + 1, sizeof *self->value);
    assert_int_equal(cleave_data_copy_csr(raw, self->start, self->column, self->value, &error),
                     CLEAVE_OK);
    cleave_data_free(raw);
}

static void check(const char *method, DataKind shape, unsigned classes, const char *name,
                  const char *value)
{
    cleave_options *options = cleave_options_new(context);
    char path[TEST_PATH_SIZE];
    const char *file = make_data(shape, classes, path);
    Comparison self = {0};
    cleave_data *data;
    cleave_model *model;
    cleave_error error;

    cleave_options_set(options, "task", classes ? "classification" : "regression", &error);
    if (shape == TABLE || shape == NUMBERS)
        cleave_options_set(options, "label", "label", &error);
    if (cleave_open_files(context, &file, 1, options, &data, &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
    cleave_options_free(options);
    options = cleave_options_new(context);
    if (name)
        cleave_options_set(options, name, value, &error);
    if (cleave_train(context, method, data, NULL, options, &model, NULL, &error) != CLEAVE_OK)
        fail_msg("%s: %s", method, error.message);
    cleave_data_free(data);
    self.model = model;
    self.code = compile(model);
    read_rows(&self, file);
    assert_int_equal(cleave_open_for(model, &file, 1, NULL, &data, &error), CLEAVE_OK);
    assert_int_equal(cleave_predict(model, data, NULL, compare, &self, &error), CLEAVE_OK);
    if (self.wrong || self.row != ROWS)
        fail_msg("%s, shape %d, %u classes: %zu of %zu rows differ", method, (int)shape, classes,
                 self.wrong, self.row);
    cleave_data_free(data);
    cleave_model_free(model);
    cleave_options_free(options);
    dlclose(self.code.library);
    free(self.inputs);
    free(self.start);
    free(self.column);
    free(self.value);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_linear_models_predict_the_same_bits(void **unused)
{
    (void)unused;
    check("svm", TABLE, 2, NULL, NULL);
    check("logistic", TABLE, 3, NULL, NULL);
    check("least-squares", TABLE, 0, NULL, NULL);
    check("svr", NUMBERS, 0, NULL, NULL);
    check("svm", NUMBERS, 2, "transform", "none");
    check("svm", NUMBERS, 2, "transform", "scale:by=range:clip=0.5,select:top=4");
    check("svm", NUMBERS, 2, "transform", "scale:clip=inf");
    check("svm", NUMBERS, 2, "transform", "scale,weigh:by=n1=0.25;n4=3");
    check("svm", SPARSE, 2, NULL, NULL);
    check("logistic", SPARSE, 7, NULL, NULL);
    check("perceptron", SPARSE, 2, NULL, NULL);
    check("perceptron", SPARSE, 3, NULL, NULL);
    check("svm", CONSTANT, 2, NULL, NULL);
    check("winnow", BINARY, 2, NULL, NULL);
    check("winnow", BINARY, 3, NULL, NULL);
    check("svm", WIDE, 2, NULL, NULL);
    check("logistic", WIDE, 3, NULL, NULL);
}

static void test_trees_predict_the_same_bits(void **unused)
{
    (void)unused;
    check("tree", TABLE, 2, NULL, NULL);
    check("tree-regression", TABLE, 0, NULL, NULL);
    check("forest", TABLE, 3, "trees", "20");
    check("forest", NUMBERS, 2, "trees", "20");
    check("forest-regression", TABLE, 0, "trees", "20");
    check("forest", SPARSE, 70, "trees", "20"); /* sparse leaves */
    check("boost", TABLE, 2, "rounds", "30");
    check("boost", TABLE, 4, "rounds", "10");
    check("boost", SPARSE, 3, "rounds", "10");
    check("boost-regression", NUMBERS, 0, "rounds", "30");
    check("boost", NUMBERS, 2, "transform", "scale");
}

/* Columns are set by their names; values merged into (other) and unknown columns too. */
static void test_columns_are_set_by_name(void **unused)
{
    char path[TEST_PATH_SIZE];
    const char *file = make_data(TABLE, 2, path);
    cleave_options *options = cleave_options_new(context);
    float inputs[64] = {0};
    cleave_data *data;
    cleave_model *model;
    cleave_error error;
    Code code;

    (void)unused;
    assert_int_equal(cleave_open(context, file, NULL, &data, &error), CLEAVE_OK);
    cleave_options_set(options, "transform", "rare:min-count=20,impute,scale", &error);
    assert_int_equal(cleave_train(context, "svm", data, NULL, options, &model, NULL, &error),
                     CLEAVE_OK);
    cleave_options_free(options);
    code = compile(model);
    assert_int_equal(code.set(inputs, "n3", 2), 1);
    assert_int_equal(code.set(inputs, "color=a \"b\" ?\?/", 1), 1);
    assert_int_equal(code.set(inputs, "color=never seen", 1), 1);
    assert_int_equal(code.set(inputs, "n99", 1), 0);
    cleave_data_free(data);
    cleave_model_free(model);
    dlclose(code.library);
}

static int begin(void **unused)
{
    (void)unused;
    context = cleave_context_new(NULL);
    test_folder_new(folder);
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    test_folder_remove(folder);
    cleave_context_free(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_models_predict_the_same_bits),
        cmocka_unit_test(test_trees_predict_the_same_bits),
        cmocka_unit_test(test_columns_are_set_by_name),
    };

    if (system("${CC:-cc} --version >/dev/null 2>&1") != 0) {
        puts("skipped: no C compiler");
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, begin, end);
}
