/*
 * Random tables in every form a block can take (src/data/block.c, builder.c, packed.c), into
 * datasets in memory (dataset.c), written to files and mapped again (dataset_file.c, facts.c): the
 * rows must be the same.
 */
#include "property/table.h"

#include "support/support.h"

#include <math.h>

static const Shape shapes[] = {{ROWS_DENSE, VALUES_EACH},     {ROWS_GAPS, VALUES_EACH},
                               {ROWS_GAPS, VALUES_ONES},      {ROWS_GAPS, VALUES_PER_ROW},
                               {ROWS_COLUMNS, VALUES_EACH},   {ROWS_COLUMNS, VALUES_ONES},
                               {ROWS_COLUMNS, VALUES_PER_ROW}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Widths that need no fillers, some, or more fillers than entries; labels of one, two and four
 * bytes, or none. */
static void make_any(Table *table, Random *random)
{
    static const uint32_t widths[] = {1, 3, 40, 1000, 70000, 300000, 50000000, 2147483646};
    static const uint32_t labels[] = {0, 1, 2, 254, 255, 300, 65535, 70000};
    uint32_t width = widths[clv_random_below(random, 8)];

    table_random(table, random, 1 + clv_random_below(random, 200), width,
                 1 + clv_random_below(random, 12), labels[clv_random_below(random, 8)],
                 (int)clv_random_below(random, 4));
    table->weights = clv_random_below(random, 2);
    table->qids = clv_random_below(random, 2);
    table->names = clv_random_below(random, 2);
    table->numbers = clv_random_below(random, 4) == 0;
    for (size_t i = 0; i < table->rows; i++) {
        TableRow *row = &table->row[i];

        if (clv_random_below(random, 10) == 0)
            row->label = UNLABELED;
        row->weight = random_value(random, RANDOM_EIGHTHS);
        row->qid = clv_random_next(random);
        row->number = (double)random_value(random, RANDOM_FLOATS);
        snprintf(row->name, sizeof row->name, "%.*s", (int)clv_random_below(random, 8), "rowname");
    }
}

static void assert_sound(Dataset *dataset)
{
    cleave_error error;

    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        FINE(clv_dataset_block(dataset, i, &block, &error));
        assert_true(clv_block_sound(&block, dataset->features, dataset->labels.count));
        assert_true(block.features == 0 ||
                    !clv_block_sound(&block, block.features - 1, dataset->labels.count));
    }
}

/* Writes, maps, compares; the second file, written from the map, has the same bytes. */
static void through_a_file(Context *context, const Table *table, Dataset *dataset,
                           const char *folder)
{
    DatasetFacts facts = {.labels = &dataset->labels,
                          .names = &dataset->names,
                          .schema = &dataset->schema,
                          .features = dataset->features,
                          .shuffled = true,
                          .seed = 5};
    char first[TEST_PATH_SIZE], second[TEST_PATH_SIZE];
    Dataset *from = dataset, *mapped = NULL;
    const char *path = test_join(first, folder, "first.cleave");
    size_t size[2];
    char *bytes[2];
    cleave_error error;

    test_join(second, folder, "second.cleave");
    for (int time = 0; time < 2; time++, path = second, from = mapped) {
        DatasetWriter *writer;
        uint64_t written;

        FINE(clv_dataset_writer_open(context, path, &writer, &error));
        for (uint32_t i = 0; i < from->blocks; i++) {
            Block block;

            FINE(clv_dataset_block(from, i, &block, &error));
            FINE(clv_dataset_writer_add(writer, &block, &error));
        }
        FINE(clv_dataset_writer_finish(writer, &facts, &written, &error));
        if (time == 0)
            FINE(clv_dataset_map(context, path, &mapped, &error));
        bytes[time] = test_read_file(path, &size[time]);
        assert_int_equal(written, size[time]);
    }
    assert_same_table(table, mapped);
    assert_sound(mapped);
    assert_true(mapped->shuffled);
    assert_true(mapped->numbers == (table->numbers && table->rows > 0));
    assert_int_equal(mapped->labels.count, table->label_count);
    for (uint32_t i = 0; i < table->label_count; i++) {
        char buffer[24];

        assert_string_equal(mapped->labels.list[i].text, table_label(table, i, buffer));
        assert_int_equal(mapped->labels.list[i].count, dataset->labels.list[i].count);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    assert_int_equal(test_folder_count(folder), 2);
    clv_dataset_free(mapped);
    free(bytes[0]);
    free(bytes[1]);
}

static void all_forms_hold_the_rows(void **state)
{
    Random random = clv_random(test_seed("all_forms_hold_the_rows"), 1);
    Context *context = new_context(1);
    char folder[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    for (int round = 0; round < 25; round++) {
        Table table = {0};
        Dataset *dataset;

        make_any(&table, &random);
        dataset = table_built(context, &table, 1 + clv_random_below(&random, 100));
        assert_same_table(&table, dataset);
        assert_sound(dataset);
        through_a_file(context, &table, dataset, folder);
        clv_dataset_free(dataset);
        for (size_t i = 0; i < SHAPES; i++) {
            if (!can_encode(&table, shapes[i]) ||
                (shapes[i].form == ROWS_GAPS && table.features > 1000000))
                continue;
            dataset = table_encoded(context, &table, shapes[i], 1 + clv_random_below(&random, 300));
            assert_same_table(&table, dataset);
            assert_sound(dataset);
            through_a_file(context, &table, dataset, folder);
            clv_dataset_free(dataset);
        }
        table_free(&table);
    }
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* Rows copied from blocks of any form into one builder, mixed. */
static void copies_are_the_same(void **state)
{
    Random random = clv_random(test_seed("copies_are_the_same"), 2);
    Context *context = new_context(1);
    cleave_error error;

    (void)state;
    for (int round = 0; round < 60; round++) {
        Encoded encoded[SHAPES] = {0};
        bool made[SHAPES] = {0};
        Dataset *dataset;
        Builder builder;
        Table table = {0};
        Block block;

        make_any(&table, &random);
        FINE(clv_dataset_new(context, &dataset, &error));
        clv_builder_init(&builder, context);
        clv_builder_clear(&builder);
        for (size_t i = 0; i < SHAPES; i++) {
            made[i] = can_encode(&table, shapes[i]) &&
                      !(shapes[i].form == ROWS_GAPS && table.features > 1000000);
            if (made[i])
                encode(&table, 0, table.rows, shapes[i], &encoded[i]);
        }
        for (uint32_t row = 0; row < table.rows; row++) {
            size_t i = clv_random_below(&random, SHAPES);

            while (!made[i])
                i = (i + 1) % SHAPES;
            FINE(clv_builder_copy_row(&builder, &encoded[i].block, row, table.row[row].label,
                                      &error));
        }
        FINE(clv_builder_finish(&builder, &block, &error));
        assert_true(clv_block_sound(&block, table.features, table.label_count));
        FINE(clv_dataset_add(dataset, &block, &error));
        assert_same_table(&table, dataset);
        for (size_t i = 0; i < SHAPES; i++)
            encoded_free(&encoded[i]);
        clv_builder_free(&builder);
        clv_dataset_free(dataset);
        table_free(&table);
    }
    cleave_context_free(context);
}

/* The most compact form is chosen, as ARCHITECTURE 7 has it. */
static void the_builder_picks_forms(void **state)
{
    static const struct {
        uint32_t features, nonzeros;
        int values;
        RowForm form;
        ValueForm value_form;
    } cases[] = {{1000, 9, RANDOM_ONES, ROWS_GAPS, VALUES_ONES},
                 {1000, 9, RANDOM_PER_ROW, ROWS_GAPS, VALUES_PER_ROW},
                 {1000, 9, RANDOM_EIGHTHS, ROWS_GAPS, VALUES_EACH},
                 {90000, 9, RANDOM_ONES, ROWS_GAPS, VALUES_ONES},
                 {2000000000, 9, RANDOM_ONES, ROWS_COLUMNS, VALUES_ONES},
                 {2000000000, 9, RANDOM_EIGHTHS, ROWS_COLUMNS, VALUES_EACH}};
    Context *context = new_context(1);
    cleave_error error;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Random random = clv_random(i, 3);
        Dataset *dataset;
        Table table = {0};
        Block block;

        table_random(&table, &random, 500, cases[i].features, cases[i].nonzeros, 2,
                     cases[i].values);
        dataset = table_built(context, &table, 500);
        FINE(clv_dataset_block(dataset, 0, &block, &error));
        assert_int_equal(block.form, cases[i].form);
        assert_int_equal(block.value_form, cases[i].value_form);
        assert_int_equal(block.label_bytes, 1);
        assert_same_table(&table, dataset);
        clv_dataset_free(dataset);
        table_free(&table);
    }
    cleave_context_free(context);
}

/* Dense rows stay dense if they are full, and become gaps if most of their values are 0. */
static void dense_rows(void **state)
{
    Random random = clv_random(test_seed("dense_rows"), 4);
    Context *context = new_context(1);
    cleave_error error;

    (void)state;
    for (uint32_t full = 0; full <= 10; full++) {
        uint32_t width = full == 0 ? 140000 : 30;
        float *values = some(width, sizeof *values);
        Builder builder;
        Table table = {0};
        Dataset *dataset;
        Block block;

        clv_builder_init(&builder, context);
        clv_builder_clear(&builder);
        for (uint32_t row = 0; row < 20; row++) {
            table_row(&table, row % 3);
            memset(values, 0, width * sizeof *values);
            for (uint32_t i = 0; i < width; i++)
                if (full ? clv_random_below(&random, 10) < full : i % 66000 == 65999)
                    table_cell(&table, i, values[i] = random_value(&random, RANDOM_EIGHTHS));
            table.features = width;
            FINE(clv_builder_add_dense(&builder, values, width, row % 3, &error));
        }
        FINE(clv_builder_finish(&builder, &block, &error));
        assert_true(full < 6 || block.form == ROWS_DENSE);
        assert_true(full > 1 || block.form == ROWS_GAPS);
        assert_true(clv_block_sound(&block, width, 3));
        FINE(clv_dataset_new(context, &dataset, &error));
        FINE(clv_dataset_add(dataset, &block, &error));
        assert_same_table(&table, dataset);
        clv_dataset_free(dataset);
        clv_builder_free(&builder);
        table_free(&table);
        free(values);
    }
    cleave_context_free(context);
}

static void names_and_schema_are_kept(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);
    DatasetWriter *writer;
    Dataset *dataset, *mapped;
    Table table = {0};
    cleave_error error;
    Block block;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        table_row(&table, i % 2);
        table_cell(&table, i, 1);
    }
    dataset = table_built(context, &table, 3);
    dataset->names.implicit = false;
    for (uint32_t i = 0; i < 3; i++) {
        const char *name = ((const char *const[]){"b c", "", "\xC3\xA9t\xC3\xA9"})[i];
        uint32_t column;

        FINE(clv_names_add(&dataset->names, name, strlen(name), &column, &error));
    }
    snprintf(dataset->schema.format, sizeof dataset->schema.format, "csv");
    dataset->schema.header = true;
    FINE(clv_schema_add(&dataset->schema, "label", 5, COLUMN_LABEL, &error));
    FINE(clv_schema_add(&dataset->schema, "size", 4, COLUMN_NUMBER, &error));
    dataset->schema.column[1].feature = 2;
    test_join(path, test_folder_new(folder), "a.cleave");
    FINE(clv_dataset_writer_open(context, path, &writer, &error));
    FINE(clv_dataset_block(dataset, 0, &block, &error));
    FINE(clv_dataset_writer_add(writer, &block, &error));
    FINE(clv_dataset_writer_finish(writer,
                                   &(DatasetFacts){.labels = &dataset->labels,
                                                   .names = &dataset->names,
                                                   .schema = &dataset->schema,
                                                   .features = 3},
                                   NULL, &error));
    FINE(clv_dataset_map(context, path, &mapped, &error));
    assert_false(mapped->names.implicit);
    assert_int_equal(mapped->names.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        char a[24], b[24];

        assert_string_equal(clv_names_get(&mapped->names, i, a),
                            clv_names_get(&dataset->names, i, b));
    }
    assert_string_equal(mapped->schema.format, "csv");
    assert_true(mapped->schema.header);
    assert_int_equal(mapped->schema.count, 2);
    assert_string_equal(mapped->schema.column[1].name, "size");
    assert_int_equal(mapped->schema.column[0].kind, COLUMN_LABEL);
    assert_int_equal(mapped->schema.column[1].feature, 2);
    assert_int_equal(clv_schema_find(&mapped->schema, "size", 4), 1);
    assert_int_equal(clv_schema_find(&mapped->schema, "siz", 3), -1);
    test_folder_remove(folder);
    clv_dataset_free(dataset);
    clv_dataset_free(mapped);
    table_free(&table);
    cleave_context_free(context);
}

/* Features are numbered, or each has a name. */
static void features_without_a_name_are_refused(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);
    Labels labels;
    Schema schema;
    Names names;

    (void)state;
    clv_labels_init(&labels, context);
    clv_schema_init(&schema, context);
    clv_names_init(&names, context, false);
    test_join(path, test_folder_new(folder), "a.cleave");
    for (uint32_t features = 1; features <= 2; features++) {
        DatasetFacts facts = {
            .labels = &labels, .names = &names, .schema = &schema, .features = features};
        cleave_error error = {0};
        DatasetWriter *writer;
        Dataset *mapped;

        FINE(clv_names_add(&names, "x", 1, &(uint32_t){0}, &error));
        FINE(clv_dataset_writer_open(context, path, &writer, &error));
        FINE(clv_dataset_writer_finish(writer, &facts, NULL, &error));
        assert_int_equal(clv_dataset_map(context, path, &mapped, &error),
                         features == 1 ? OK : CLEAVE_ERROR_FORMAT);
        clv_dataset_free(mapped);
    }
    test_folder_remove(folder);
    clv_labels_free(&labels);
    clv_schema_free(&schema);
    clv_names_free(&names);
    cleave_context_free(context);
}

/* A source returns the blocks of its dataset any number of times, and loading it makes the same
 * dataset. */
static void sources_give_the_rows(void **state)
{
    Random random = clv_random(test_seed("sources_give_the_rows"), 5);
    Context *context = new_context(1);
    Dataset *dataset, *loaded;
    Table table = {0};
    cleave_error error;
    Source *source;

    (void)state;
    make_any(&table, &random);
    dataset = table_built(context, &table, 17);
    FINE(clv_dataset_source(dataset, true, &source, &error));
    assert_ptr_equal(clv_source_dataset(source), dataset);
    assert_int_equal(source->rows_total, table.rows);
    for (int time = 0; time < 2; time++) {
        FINE(clv_dataset_load(source, &loaded, &error));
        assert_same_table(&table, loaded);
        assert_int_equal(source->rows, table.rows);
        assert_int_equal(source->bytes, source->bytes_total);
        clv_dataset_free(loaded);
    }
    clv_source_close(source);
    table_free(&table);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_hold_the_rows),
        cmocka_unit_test(copies_are_the_same),
        cmocka_unit_test(the_builder_picks_forms),
        cmocka_unit_test(dense_rows),
        cmocka_unit_test(names_and_schema_are_kept),
        cmocka_unit_test(sources_give_the_rows),
        cmocka_unit_test(features_without_a_name_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
