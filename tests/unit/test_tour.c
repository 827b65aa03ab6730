/*
 * Tours (data/tour.h): a dataset on disk returns the same rows as a mapped one, in any order, one
 * block at a time or several together. Training on it gives the same model. Damage, or truncation
 * while reading, is an error.
 */
#include "property/table.h"

#include "base/machine.h"
#include "data/tour.h"
#include "data/traversal.h"
#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <fcntl.h>
#include <unistd.h>

enum { ROWS = 40000, BLOCK_ROWS = 531, FEATURES = 300 };

typedef struct {
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context;
    Table table;
} Place;

/* The rows of the table, repeated. */
static void write_rows(Place *place, uint32_t times)
{
    Dataset *built = table_built(place->context, &place->table, BLOCK_ROWS);
    DatasetWriter *writer;
    cleave_error error;

    FINE(clv_dataset_writer_open(place->context, place->path, &writer, &error));
    for (uint32_t i = 0; i < times * built->blocks; i++) {
        Block block;

        FINE(clv_dataset_block(built, i % built->blocks, &block, &error));
        FINE(clv_dataset_writer_add(writer, &block, &error));
    }
    FINE(clv_dataset_writer_finish(writer,
                                   &(DatasetFacts){.labels = &built->labels,
                                                   .names = &built->names,
                                                   .schema = &built->schema,
                                                   .features = built->features},
                                   NULL, &error));
    clv_dataset_free(built);
}

static int make(void **state)
{
    Place *place = some(1, sizeof *place);
    Random random = clv_random(3, 1);

    test_join(place->path, test_folder_new(place->folder), "rows.cleave");
    place->context = new_context(1);
    table_random(&place->table, &random, ROWS, FEATURES, 30, 2, RANDOM_EIGHTHS);
    write_rows(place, 1);
    *state = place;
    return 0;
}

static int unmake(void **state)
{
    Place *place = *state;

    table_free(&place->table);
    cleave_context_free(place->context);
    test_folder_remove(place->folder);
    free(place);
    return 0;
}

static Dataset *open_dataset(Place *place, bool on_disk)
{
    int file = open(place->path, O_RDONLY);
    cleave_error error;
    Dataset *dataset;

    FINE(clv_dataset_map_file(place->context, place->path, file, &dataset, &error));
    if (on_disk)
        clv_dataset_leave_on_disk(dataset, file);
    assert_int_equal(dataset->on_disk, on_disk);
    close(file);
    return dataset;
}

static void see_block(const Place *place, const Block *block)
{
    for (uint32_t row = 0; row < block->rows; row++)
        assert_same_row(&place->table, (size_t)(block->first_row + row), block, row);
}

static void rows_are_the_same(void **state)
{
    Place *place = *state;
    Dataset *dataset = open_dataset(place, true);
    uint32_t *order = some(dataset->blocks, sizeof *order);
    Random random = clv_random(7, 7);
    cleave_error error;

    for (uint32_t i = 0; i < dataset->blocks; i++)
        order[i] = i;
    for (int round = 0; round < 6; round++) {
        Tour tour = {0};
        uint32_t count = 0;
        Block block;
        bool more = true;

        clv_tour_begin(&tour, dataset,
                       (TourPlan){.order = round < 2 ? NULL : order, .places = dataset->blocks});
        assert_non_null(tour.reader);
        for (; count < dataset->blocks; count++) {
            clv_tour_release(&tour);
            FINE(clv_tour_next(&tour, &block, &more, &error));
            assert_true(more);
            assert_int_equal(block.first_row,
                             dataset->block[round < 2 ? count : order[count]].first_row);
            see_block(place, &block);
        }
        clv_tour_release(&tour);
        assert_null(tour.reader); /* its memory is given back */
        FINE(clv_tour_next(&tour, &block, &more, &error));
        assert_false(more);
        clv_tour_end(&tour);
        clv_shuffle(&random, order, dataset->blocks);
    }
    free(order);
    clv_dataset_free(dataset);
}

/* Blocks are unchanged until they are released, while others are read. */
static void held_blocks_stay(void **state)
{
    enum { HELD = 9 };
    Place *place = *state;
    Dataset *dataset = open_dataset(place, true);
    Block held[HELD];
    size_t workspace = 0;
    Tour tour = {0};
    bool more = true;
    cleave_error error;

    for (uint32_t i = 0; i < dataset->blocks; i++)
        workspace = HELD * tour_bytes(dataset, i) > workspace ? HELD * tour_bytes(dataset, i)
                                                              : workspace;
    clv_tour_begin(&tour, dataset, (TourPlan){.places = dataset->blocks, .held = workspace});
    while (more) {
        int count = 0;

        clv_tour_release(&tour);
        while (count < HELD && more) {
            FINE(clv_tour_next(&tour, &held[count], &more, &error));
            count += more;
        }
        usleep(2000);
        for (int i = 0; i < count; i++)
            see_block(place, &held[i]);
    }
    clv_tour_end(&tour);
    clv_tour_begin(&tour, dataset,
                   (TourPlan){.places = dataset->blocks}); /* the tour may end at any time */
    FINE(clv_tour_next(&tour, &held[0], &more, &error));
    clv_tour_end(&tour);
    clv_dataset_free(dataset);
}

/* The first and the last row. */
static void glance_at(const Place *place, const Block *block)
{
    assert_same_row(&place->table, (size_t)(block->first_row % ROWS), block, 0);
    assert_same_row(&place->table, (size_t)((block->first_row + block->rows - 1) % ROWS), block,
                    block->rows - 1);
}

/* If the file is several times as large as the ring, threads wait for space and are woken,
 * whichever side is faster. */
static void ring_goes_round(void **state)
{
    enum { TIMES = 14, HELD = 50, PAUSE = 100 };
    Place *place = *state;
    Random random = clv_random(7, 8);
    Dataset *dataset;
    uint32_t *order;
    cleave_error error;

    write_rows(place, TIMES);
    dataset = open_dataset(place, true);
    order = some(dataset->blocks, sizeof *order);
    for (uint32_t i = 0; i < dataset->blocks; i++)
        order[i] = i;
    clv_shuffle(&random, order, dataset->blocks);
    for (int round = 0; round < 4; round++) {
        bool shuffled = round % 2, holds = round >= 2;
        TourPlan plan = {.order = shuffled ? order : NULL, .places = dataset->blocks};
        Tour tour = {0};
        Block block;
        bool more;

        for (uint32_t i = 0; i < HELD && holds; i++)
            plan.held += tour_bytes(dataset, 0);
        clv_tour_begin(&tour, dataset, plan);
        assert_non_null(tour.reader);
        for (uint32_t i = 0; i < dataset->blocks; i++) {
            if (!holds || i % HELD == 0)
                clv_tour_release(&tour);
            if (i % PAUSE == PAUSE - 1 && i < dataset->blocks / 2)
                usleep(5000); /* until all wait for space */
            FINE(clv_tour_next(&tour, &block, &more, &error));
            assert_int_equal(block.first_row, dataset->block[shuffled ? order[i] : i].first_row);
            glance_at(place, &block);
        }
        clv_tour_end(&tour);
    }
    free(order);
    clv_dataset_free(dataset);
}

static void train(Place *place, bool on_disk, int order, Buffer *bytes)
{
    Dataset *dataset = open_dataset(place, on_disk);
    const Method *method;
    RunOptions run;
    Report *report;
    Model *model;
    void *options;
    cleave_error error;

    FINE(clv_method_find("svm", &method, &error));
    options = some(1, method->options_size);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    FINE(clv_param_set(clv_param_find(method->params, "solver"), options, "sgd", &error));
    run.epochs = 3;
    run.order = order;
    run.validation_fraction = 0.25;
    FINE(clv_train(place->context,
                   &(Job){.method = method, .method_options = options, .options = &run}, dataset,
                   &model, &report, &error));
    FINE(clv_model_to_bytes(model, bytes, &error));
    cleave_model_free(model);
    cleave_report_free(&report->facts);
    clv_dataset_free(dataset);
    free(options);
}

static void models_are_the_same(void **state)
{
    static const int orders[] = {ORDER_FILE, ORDER_ONCE, ORDER_EACH, ORDER_DRAWS};
    Place *place = *state;

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        Buffer mapped = {0}, read = {0};

        train(place, false, orders[i], &mapped);
        train(place, true, orders[i], &read);
        assert_int_equal(mapped.size, read.size);
        assert_memory_equal(mapped.data, read.data, read.size);
        clv_free(place->context, mapped.data);
        clv_free(place->context, read.data);
    }
}

/* For rows on disk, auto chooses a solver that reads in epochs. */
static void solver_reads_in_epochs(void **state)
{
    Place *place = *state;
    Dataset *dataset = open_dataset(place, true);
    const Method *method;
    RunOptions run;
    Report *report;
    Model *model;
    void *options;
    cleave_error error;

    FINE(clv_method_find("svm", &method, &error));
    options = some(1, method->options_size);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    FINE(clv_train(place->context,
                   &(Job){.method = method, .method_options = options, .options = &run}, dataset,
                   &model, &report, &error));
    assert_string_equal(report->facts.solver, "asgd");
    cleave_model_free(model);
    cleave_report_free(&report->facts);
    clv_dataset_free(dataset);
    free(options);
}

static Status walk(Dataset *dataset, cleave_error *error)
{
    Tour tour = {0};
    bool more = true;
    Status status = OK;

    clv_tour_begin(&tour, dataset, (TourPlan){.places = dataset->blocks});
    while (status == OK && more) {
        Block block;

        clv_tour_release(&tour);
        status = clv_tour_next(&tour, &block, &more, error);
    }
    clv_tour_end(&tour);
    return status;
}

static void damage_is_found(void **state)
{
    Place *place = *state;
    Dataset *dataset = open_dataset(place, true);
    off_t at = (off_t)(dataset->block[dataset->blocks / 2].data - (const char *)dataset->base) +
               300;
    int file = open(place->path, O_RDWR);
    cleave_error error;
    char byte;

    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte ^= 4;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    assert_int_equal(walk(dataset, &error), CLEAVE_ERROR_FORMAT);
    assert_says(&error, "does not match its checksum");
    byte ^= 4;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    FINE(walk(dataset, &error));
    assert_int_equal(ftruncate(file, at), 0);
    assert_int_equal(walk(dataset, &error), CLEAVE_ERROR_IO);
    assert_says(&error, "the file is shorter than before");
    close(file);
    clv_dataset_free(dataset);
}

/* If there is no memory for a reader, blocks come from the mapping, without leaks. */
static void without_memory(void **state)
{
    Place *place = *state;
    Context *plain = place->context;
    TestMemory memory = {0};
    bool failed = true;

    place->context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .threads = 1, .allocate = test_allocate, .user = &memory});
    for (long long n = 1; failed; n++) {
        Dataset *dataset = open_dataset(place, true);
        long long live = memory.live;
        cleave_error error;
        Status status;

        memory.calls = memory.failures = 0;
        memory.fail_at = n;
        status = walk(dataset, &error);
        failed = memory.failures > 0;
        memory.fail_at = 0;
        assert_int_equal(status, OK);
        assert_int_equal(memory.live, live);
        clv_dataset_free(dataset);
    }
    cleave_context_free(place->context);
    assert_int_equal(memory.live, 0);
    place->context = plain;
}

static void memory_has_a_limit(void **state)
{
    (void)state;
    assert_true(clv_memory_limit() > 0);
    assert_true(clv_memory_limit() <= clv_physical_memory());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_the_same, make, unmake),
        cmocka_unit_test_setup_teardown(held_blocks_stay, make, unmake),
        cmocka_unit_test_setup_teardown(ring_goes_round, make, unmake),
        cmocka_unit_test_setup_teardown(models_are_the_same, make, unmake),
        cmocka_unit_test_setup_teardown(solver_reads_in_epochs, make, unmake),
        cmocka_unit_test_setup_teardown(damage_is_found, make, unmake),
        cmocka_unit_test_setup_teardown(without_memory, make, unmake),
        cmocka_unit_test(memory_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
