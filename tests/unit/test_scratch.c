/*
 * Arrays on disk (base/scratch_file.h): where they are stored and when, a full disk, and trees that
 * are grown with them, which are bit-identical to those grown in memory.
 */
#include "property/table.h"

#include "base/scratch_file.h"
#include "data/traversal.h"
#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROWS = 3000, DENSE = 6, SPARSE = 40, BLOCK_ROWS = 331, LARGE = 1 << 20 };

typedef struct {
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context;
} Place;

/* Some columns that all rows have, many that few rows have, weights, and labels that depend on
 * both. */
static void fill_table(Table *table, bool numbers)
{
    Random random = clv_random(5, 1);

    *table = (Table){.features = DENSE + SPARSE,
                     .label_count = numbers ? 0 : 3,
                     .weights = true,
                     .numbers = numbers};
    for (uint32_t i = 0; i < ROWS; i++) {
        float value[DENSE];
        uint32_t column = DENSE + clv_random_below(&random, SPARSE), label;
        TableRow *row;

        for (uint32_t j = 0; j < DENSE; j++)
            value[j] = (float)(1 + clv_random_below(&random, 1000)) / 8;
        label = value[0] > 60 ? column % 2 : value[1] > 30 ? 2 : clv_random_below(&random, 3);
        row = table_row(table, numbers ? UNLABELED : label);
        row->weight = i % 7 == 3 ? 2 : 1;
        row->number = (double)(value[0] * value[1]) + column;
        for (uint32_t j = 0; j < DENSE; j++)
            table_cell(table, j, value[j]);
        table_cell(table, column, 1);
    }
}

static void write_rows(Place *place, bool numbers)
{
    Table table;
    Dataset *built;
    DatasetWriter *writer;
    cleave_error error;

    fill_table(&table, numbers);
    built = table_built(place->context, &table, BLOCK_ROWS);
    FINE(clv_dataset_writer_open(place->context, place->path, &writer, &error));
    for (uint32_t i = 0; i < built->blocks; i++) {
        Block block;

        FINE(clv_dataset_block(built, i, &block, &error));
        FINE(clv_dataset_writer_add(writer, &block, &error));
    }
    FINE(clv_dataset_writer_finish(writer,
                                   &(DatasetFacts){.labels = &built->labels,
                                                   .names = &built->names,
                                                   .schema = &built->schema,
                                                   .features = built->features},
                                   NULL, &error));
    clv_dataset_free(built);
    table_free(&table);
}

static int make(void **state)
{
    Place *place = some(1, sizeof *place);

    test_join(place->path, test_folder_new(place->folder), "rows.cleave");
    place->context = new_context(2);
    *state = place;
    return 0;
}

static int unmake(void **state)
{
    Place *place = *state;

    cleave_context_free(place->context);
    test_folder_remove(place->folder);
    free(place);
    return 0;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Whether the address is in a file without a name. */
static bool is_in_file(const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    bool found = false;

    assert_non_null(maps);
    while (!found && fgets(line, sizeof line, maps)) {
        char *end;
        uintptr_t from = (uintptr_t)strtoull(line, &end, 16),
                  to = (uintptr_t)strtoull(end + 1, NULL, 16);

        found = (uintptr_t)address >= from && (uintptr_t)address < to && strstr(line, "(deleted)");
    }
    fclose(maps);
    return found;
}

static void memory_comes_first(void **state)
{
    Place *place = *state;
    uint8_t *first, *second, *third, *fourth, *tiny, *more = NULL;
    size_t capacity = 0;
    Scratch scratch;
    cleave_error error;

    clv_scratch_init(&scratch, place->context, 3 * LARGE);
    FINE(TAKE(&scratch.workspace, place->context, first, LARGE, "a thing", &error));
    FINE(TAKE(&scratch.workspace, place->context, second, LARGE, "a thing", &error));
    FINE(TAKE(&scratch.workspace, place->context, third, LARGE + 1, "a thing", &error));
    FINE(TAKE(&scratch.workspace, place->context, tiny, 3, "a thing", &error));
    assert_false(is_in_file(first));
    assert_false(is_in_file(second));
    assert_true(is_in_file(third));
    assert_false(is_in_file(tiny));
    for (size_t i = 0; i <= LARGE; i++)
        assert_int_equal(third[i], 0);
    memset(third, 7, LARGE + 1);
    clv_workspace_give(&scratch.workspace, place->context,
                       second); /* its memory is available for the next */
    FINE(TAKE(&scratch.workspace, place->context, fourth, LARGE / 2, "a thing", &error));
    assert_false(is_in_file(fourth));
    assert_int_equal(third[LARGE], 7);
    clv_workspace_give(&scratch.workspace, place->context, third);
    for (size_t need = 1; need <= 2 * LARGE; need *= 8) {
        FINE(clv_workspace_grow(&scratch.workspace, place->context, &more, &capacity, need,
                                sizeof *more, "a thing", &error));
        assert_true(capacity >= need);
        memset(more + need / 8, (int)(need % 251), need - need / 8);
        assert_int_equal(more[0], 1);
    }
    assert_true(is_in_file(more));
    clv_scratch_free(&scratch); /* with what is left */
    clv_scratch_free(&scratch);
}

static void full_disk_is_an_error(void **state)
{
    Place *place = *state;
    struct rlimit before, limit;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    char *array = place->path;
    Scratch scratch;
    cleave_error error = {0};
    Status status;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = LARGE / 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    clv_scratch_init(&scratch, place->context, 0);
    status = TAKE(&scratch.workspace, place->context, array, LARGE, "a thing", &error);
    clv_scratch_free(&scratch);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, CLEAVE_ERROR_IO);
    assert_null(array);
    assert_says(&error,
                "a temporary file of 1048576 bytes for a thing cannot be created: File too large");
    assert_non_null(strstr(error.hint, "TMPDIR"));
}

static void folder_that_is_not_there(void **state)
{
    Place *place = *state;
    char *array, *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    Scratch scratch;
    cleave_error error = {0};
    Status status;

    setenv("TMPDIR", "/nowhere", 1);
    clv_scratch_init(&scratch, place->context, 0);
    status = TAKE(&scratch.workspace, place->context, array, LARGE, "a thing", &error);
    clv_scratch_free(&scratch);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    assert_int_equal(status, CLEAVE_ERROR_IO);
    assert_says(&error, "/nowhere");
}

/* ---- trees ----------------------------------------------------------------------------------- */

typedef struct {
    const char *method, *option, *value;
    double holdout;
} Case;

static Status train(Place *place, const Case *at, bool on_disk, Buffer *bytes, cleave_error *result)
{
    int file = open(place->path, O_RDONLY);
    const Method *method;
    Dataset *dataset;
    RunOptions run;
    Report *report;
    Model *model;
    void *options;
    cleave_error error;
    Status status;

    FINE(clv_dataset_map_file(place->context, place->path, file, &dataset, &error));
    if (on_disk)
        clv_dataset_leave_on_disk(dataset, file);
    close(file);
    FINE(clv_method_find(at->method, &method, &error));
    options = some(1, method->options_size);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    if (at->option)
        FINE(clv_param_set(clv_param_find(method->params, at->option), options, at->value, &error));
    run.epochs = strcmp(at->method, "tree") == 0 || strcmp(at->method, "tree-regression") == 0 ? 0
                                                                                               : 4;
    run.validation_fraction = at->holdout;
    status = clv_train(place->context,
                       &(Job){.method = method, .method_options = options, .options = &run},
                       dataset, &model, &report, result);
    if (status == OK) {
        FINE(clv_model_to_bytes(model, bytes, &error));
        cleave_model_free(model);
        cleave_report_free(&report->facts);
    }
    clv_dataset_free(dataset);
    free(options);
    return status;
}

static const Case cases[] = {
    {"tree", NULL, NULL, 0},
    {"tree", "prune", "none", 0},
    {"tree", "prune", "holdout", 0},
    {"forest", NULL, NULL, 0},
    {"boost", NULL, NULL, 0},
    {"boost", "row-fraction", "0.5", 0.25},
    {"boost", "loss", "exponential", 0},
    {"tree-regression", NULL, NULL, 0},
    {"forest-regression", NULL, NULL, 0},
    {"boost-regression", NULL, NULL, 0.25},
};

static void trees_are_the_same(void **state)
{
    Place *place = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buffer memory = {0}, disk = {0};
        cleave_error error;

        write_rows(place, strstr(cases[i].method, "-regression"));
        FINE(train(place, &cases[i], false, &memory, &error));
        FINE(train(place, &cases[i], true, &disk, &error));
        assert_int_equal(memory.size, disk.size);
        assert_memory_equal(memory.data, disk.data, disk.size);
        clv_free(place->context, memory.data);
        clv_free(place->context, disk.data);
    }
}

/* The disk is full at any of the arrays. */
static void full_disk_ends_training(void **state)
{
    Place *place = *state;
    struct rlimit before, limit;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_rows(place, strstr(cases[i].method, "-regression"));
        for (rlim_t bytes = 8192; bytes <= 65536; bytes *= 2) {
            Buffer model = {0};
            cleave_error error = {0};
            Status status;

            limit = before;
            limit.rlim_cur = bytes;
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
            status = train(place, &cases[i], true, &model, &error);
            setrlimit(RLIMIT_FSIZE, &before);
            clv_free(place->context, model.data);
            if (bytes < ROWS * 8) /* the matrix */
                assert_int_equal(status, CLEAVE_ERROR_IO);
            if (status != OK)
                assert_says(&error, "temporary file");
        }
    }
    signal(SIGXFSZ, handler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_comes_first, make, unmake),
        cmocka_unit_test_setup_teardown(full_disk_is_an_error, make, unmake),
        cmocka_unit_test_setup_teardown(folder_that_is_not_there, make, unmake),
        cmocka_unit_test_setup_teardown(trees_are_the_same, make, unmake),
        cmocka_unit_test_setup_teardown(full_disk_ends_training, make, unmake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
