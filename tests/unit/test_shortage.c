/*
 * Memory shortages while a model of neighbors is loaded or loses points: each allocation fails in
 * turn. The call reports a memory error, never a corrupt file, and leaks nothing. The same holds
 * while rows are split.
 */
#include "property/table.h"

#include "support/support.h"

static const char *const kinds[] = {"scan", "kdtree", "quadtree", "rtree", "vafile", "lsh", "ivf"};

typedef struct {
    char folder[TEST_PATH_SIZE], rows[TEST_PATH_SIZE], model[TEST_PATH_SIZE];
} Files;

static void train(const Files *files, const char *index)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_data *data;
    cleave_model *model;
    cleave_error error = {0};

    FINE(cleave_options_set(options, "index", index, &error));
    FINE(cleave_options_set(options, "transform", "none", &error));
    FINE(cleave_open(context, files->rows, NULL, &data, &error));
    FINE(cleave_train(context, "knn", data, NULL, options, &model, NULL, &error));
    FINE(cleave_save(model, files->model, &error));
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

static void begin(Files *files)
{
    FILE *out;

    test_folder_new(files->folder);
    test_join(files->model, files->folder, "points.model");
    out = fopen(test_join(files->rows, files->folder, "rows.csv"), "w");
    assert_non_null(out);
    fputs("x,y,label\n", out);
    for (int i = 0; i < 40; i++)
        fprintf(out, "%d,%d,%s\n", i * 7 % 40, i * 11 % 40, i % 3 ? "in" : "out");
    assert_int_equal(fclose(out), 0);
}

/* Whether everything succeeds while allocation number fail_at fails. *asked: the number of
 * allocations. */
static bool load_and_remove(const Files *files, long long fail_at, long long *asked)
{
    TestMemory memory = {.fail_at = fail_at};
    cleave_context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory, .threads = 1});
    cleave_model *model = NULL;
    cleave_error error = {0};
    cleave_code code = CLEAVE_ERROR_MEMORY;
    bool done;

    if (context) {
        code = cleave_load(context, files->model, &model, &error);
        if (code == CLEAVE_OK)
            code = cleave_model_remove(model, (const uint64_t[]){3, 7, 20}, 3, &error);
        if (code != CLEAVE_OK)
            assert_non_null(strstr(error.message, "memory"));
    }
    done = code == CLEAVE_OK;
    if (!done)
        assert_int_equal(code, CLEAVE_ERROR_MEMORY);
    cleave_model_free(model);
    cleave_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
    *asked = atomic_load(&memory.calls);
    return done;
}

static void each_allocation_fails(void **state)
{
    long long asked, ignored;
    Files files;

    (void)state;
    begin(&files);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        train(&files, kinds[i]);
        assert_true(load_and_remove(&files, 0, &asked));
        assert_true(asked > 10);
        for (long long at = 1; at <= asked; at++)
            assert_false(load_and_remove(&files, at, &ignored));
    }
    test_folder_remove(files.folder);
}

/* ---- split */

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static bool holds(const char *path, const char *text)
{
    char found[1024] = "";
    FILE *in = fopen(path, "r");

    if (!in)
        return false;
    found[fread(found, 1, sizeof found - 1, in)] = '\0';
    fclose(in);
    return strcmp(found, text) == 0;
}

static cleave_code split(const Files *files, const char *train, const char *test, long long fail_at,
                         long long *asked)
{
    TestMemory memory = {.fail_at = fail_at};
    cleave_context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory, .threads = 1});
    cleave_data *data = NULL;
    cleave_code code = CLEAVE_ERROR_MEMORY;

    if (context)
        code = cleave_open(context, files->rows, NULL, &data, NULL);
    if (code == CLEAVE_OK)
        code = cleave_split(data, train, test, NULL, NULL, NULL);
    cleave_data_free(data);
    cleave_context_free(context);
    assert_int_equal(memory.live, 0);
    *asked = memory.calls;
    return code;
}

/* A split that fails changes neither its input nor the files to be replaced. */
static void split_is_whole(void **state)
{
    static const char rows[] = "x,label\n1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n7,a\n8,b\n9,a\n10,b\n";
    char train[TEST_PATH_SIZE], test[TEST_PATH_SIZE];
    long long asked, ignored;
    Files files;

    (void)state;
    begin(&files);
    put(files.rows, rows);
    test_join(train, files.folder, "train.csv");
    test_join(test, files.folder, "test.csv");
    assert_int_equal(split(&files, train, test, 0, &asked), CLEAVE_OK);
    assert_true(asked > 20);
    for (long long at = 1; at <= asked; at++) {
        cleave_code code;

        put(train, "old train\n");
        put(test, "old test\n");
        code = split(&files, train, test, at, &ignored);
        assert_true(code == CLEAVE_OK || code == CLEAVE_ERROR_MEMORY);
        assert_true(holds(files.rows, rows));
        assert_int_equal(code != CLEAVE_OK, holds(train, "old train\n"));
        assert_int_equal(code != CLEAVE_OK, holds(test, "old test\n"));
        assert_int_equal(test_folder_count(files.folder), 3);
    }
    test_folder_remove(files.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails),
                                       cmocka_unit_test(split_is_whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
