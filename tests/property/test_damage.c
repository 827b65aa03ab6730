/*
 * Damaged files: a small dataset (src/data/dataset_file.c, packed.c) and small models
 * (src/model/model_file.c, src/base/bundle.c), truncated at every length and with every byte
 * changed, are refused or unchanged in meaning. With a corrected checksum, any result is allowed,
 * but no crash. To be run with the sanitizers.
 */
#include "property/table.h"

#include "base/hash.h"
#include "data/traversal.h"
#include "model/registry.h"
#include "support/reload.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <math.h>

static int turns(int at_length)
{
    return (int)how_many((uint64_t)at_length / 4, (uint64_t)at_length);
}

typedef struct {
    Context *context;
    Table table;
    char *bytes; /* of the file */
    size_t size;
} Whole;

/* A copy in memory of exactly its size, so that sanitizers detect reading past the end. */
static char *exact_copy(const char *bytes, size_t size)
{
    char *copy = NULL;

    assert_int_equal(posix_memalign((void **)&copy, 64, size ? size : 1), 0);
    memcpy(copy, bytes, size);
    return copy;
}

static void make_small(Table *table, uint32_t classes, int values)
{
    Random random = clv_random(5, 5);

    table_random(table, &random, 12, 30, 4, classes, values);
    for (uint32_t i = 0; i < table->rows; i++) {
        table->row[i].label = i % classes;
        table->row[i].weight = (float)(1 + i % 2);
        table->row[i].qid = i;
        snprintf(table->row[i].name, sizeof table->row[i].name, "r%u", i);
    }
    table->weights = table->qids = table->names = true;
}

/* ---- datasets -------------------------------------------------------------------------------- */

static void write_dataset(Whole *whole)
{
    Context *context = whole->context;
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Dataset *dataset = table_built(context, &whole->table, 5);
    DatasetFacts facts = {.labels = &dataset->labels,
                          .names = &dataset->names,
                          .schema = &dataset->schema,
                          .features = dataset->features};
    DatasetWriter *writer;
    cleave_error error;

    test_join(path, test_folder_new(folder), "whole.cleave");
    FINE(clv_dataset_writer_open(context, path, &writer, &error));
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        FINE(clv_dataset_block(dataset, i, &block, &error));
        FINE(clv_dataset_writer_add(writer, &block, &error));
    }
    FINE(clv_dataset_writer_finish(writer, &facts, NULL, &error));
    whole->bytes = test_read_file(path, &whole->size);
    assert_non_null(whole->bytes);
    test_folder_remove(folder);
    clv_dataset_free(dataset);
}

/* Draws rows at random, by the row numbers in the file. */
static Status draw_rows(Dataset *dataset, cleave_error *error)
{
    const Block *block;
    Traversal traversal;
    Status status = clv_traversal_init(&traversal, dataset, ORDER_DRAWS, 1, 0, 1, error);

    if (status == OK)
        status = clv_traversal_begin(&traversal, 0, error);
    for (int i = 0; i < 3 && status == OK; i++) {
        status = clv_traversal_next(&traversal, &block, error);
        if (status != OK || !block)
            break;
    }
    clv_traversal_free(&traversal);
    return status;
}

/* Opens the bytes and visits every row. If `same`, a successful result is compared with the
 * table. */
static Status visit_dataset(const Whole *whole, const char *bytes, size_t size, bool same,
                            cleave_error *error)
{
    Dataset *dataset;
    Status status = clv_dataset_from_bytes(whole->context, "damaged", bytes, size, &dataset, error);
    double sum = 0;

    if (status != OK)
        return status;
    for (uint32_t i = 0; i < dataset->blocks && status == OK; i++) {
        Block block;

        status = clv_dataset_block(dataset, i, &block, error);
        for (uint32_t row = 0; status == OK && row < block.rows; row++) {
            uint32_t start = row && block.name_end ? block.name_end[row - 1] : 0;

            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);) {
                assert_true(walk.column < dataset->features);
                sum += (double)walk.value;
            }
            sum += (double)block_weight(&block, row) + (block.qid ? (double)block.qid[row] : 0);
            for (uint32_t at = start; block.name_end && at < block.name_end[row]; at++)
                sum += block.name[at];
            assert_true(block_label(&block, row) == UNLABELED ||
                        block_label(&block, row) < dataset->labels.count);
        }
    }
    assert_false(isnan(sum));
    if (status == OK && same)
        assert_same_table(&whole->table, dataset);
    if (status == OK)
        status = draw_rows(dataset, error);
    clv_dataset_free(dataset);
    return status;
}

static void assert_refusal(Status status, const cleave_error *error)
{
    assert_int_equal(status, CLEAVE_ERROR_FORMAT);
    assert_non_null(strstr(error->message, "damaged: "));
    assert_true(strlen(error->hint) > 0);
}

static void open_whole_dataset(Whole *whole, uint32_t classes)
{
    *whole = (Whole){.context = new_context(1)};
    make_small(&whole->table, classes, RANDOM_EIGHTHS);
    write_dataset(whole);
}

static void close_whole(Whole *whole)
{
    table_free(&whole->table);
    free(whole->bytes);
    cleave_context_free(whole->context);
}

static void datasets_cut_short(void **state)
{
    cleave_error error = {0};
    Whole whole;

    (void)state;
    open_whole_dataset(&whole, 2);
    FINE(visit_dataset(&whole, whole.bytes, whole.size, true, &error));
    for (size_t size = 0; size < whole.size; size++) {
        char *copy = exact_copy(whole.bytes, size);

        assert_refusal(visit_dataset(&whole, copy, size, true, &error), &error);
        free(copy);
    }
    close_whole(&whole);
}

static void datasets_changed(void **state)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xFF, 0x20};
    size_t refused = 0;
    cleave_error error = {0};
    Whole whole;

    (void)state;
    open_whole_dataset(&whole, 2);
    for (size_t at = 0; at < whole.size; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            char *copy = exact_copy(whole.bytes, whole.size);
            Status status;

            copy[at] = (char)(copy[at] ^ changes[i]);
            status = visit_dataset(&whole, copy, whole.size, true, &error);
            if (status != OK)
                assert_refusal(status, &error);
            refused += status != OK;
            free(copy);
        }
    assert_true(refused >
                whole.size * sizeof changes / 2); /* bytes between the parts may have any value */
    close_whole(&whole);
}

static uint64_t load64(const char *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static void store64(char *bytes, uint64_t value)
{
    memcpy(bytes, &value, sizeof value);
}

/* Like src/base/bundle.c: seeded with version and number of items, and the size. */
static void mend_bundle(char *bytes, size_t size)
{
    store64(bytes + 24,
            clv_hash(bytes + 64, size - 64, load64(bytes + 8) ^ (load64(bytes + 16) << 16)));
}

static bool bundle_is_mended(const char *bytes, size_t size)
{
    char *copy = exact_copy(bytes, size);
    bool same;

    mend_bundle(copy, size);
    same = memcmp(copy, bytes, size) == 0;
    free(copy);
    return same;
}

/* Like src/data/packed.c, for the blocks, which are contiguous from byte 64 on. */
static void mend_blocks(char *bytes, size_t size, size_t only)
{
    size_t footer = (size_t)load64(bytes + size - 32);

    for (size_t at = 64; at + 64 <= footer;) {
        uint64_t length = load64(bytes + at + 32);
        char header[64];

        if (length < 64 || length > footer - at)
            return;
        memcpy(header, bytes + at, sizeof header);
        store64(header + 40, 0);
        if (only >= at && only < at + length)
            store64(bytes + at + 40,
                    clv_hash(bytes + at + 64, (size_t)length - 64, clv_hash(header, 64, 0)));
        at += (size_t)length;
    }
}

/* An attacker who can write a file can write its checksum too. */
static void datasets_changed_with_checksums(void **state)
{
    Random random = clv_random(test_seed("datasets_changed_with_checksums"), 1);
    cleave_error error = {0};
    size_t footer, accepted = 0;
    char *copy;
    Whole whole;

    (void)state;
    open_whole_dataset(&whole, 3);
    footer = (size_t)load64(whole.bytes + whole.size - 32);
    copy = exact_copy(whole.bytes, whole.size);
    mend_blocks(copy, whole.size, 64);
    /* the checksums here are those of the library */
    assert_memory_equal(copy, whole.bytes, whole.size);
    assert_true(bundle_is_mended(whole.bytes + footer, whole.size - 32 - footer));
    free(copy);
    for (int i = 0; i < turns(6000); i++) {
        size_t at = i % 2
                        ? 64 + clv_random_below(&random, (uint32_t)footer - 64)
                        : footer + 64 +
                              clv_random_below(&random, (uint32_t)(whole.size - 32 - footer - 64));

        copy = exact_copy(whole.bytes, whole.size);
        copy[at] = (char)(copy[at] ^ (1u << clv_random_below(&random, 8)));
        if (clv_random_below(&random, 4) == 0)
            copy[at] = (char)clv_random_next(&random);
        mend_blocks(copy, whole.size, at);
        mend_bundle(copy + footer, whole.size - 32 - footer);
        accepted += visit_dataset(&whole, copy, whole.size, false, &error) == OK;
        free(copy);
    }
    assert_true(accepted > 0); /* a changed value is a valid value */
    close_whole(&whole);
}

static void datasets_of_the_future(void **state)
{
    cleave_error error = {0};
    uint32_t version = 2;
    Whole whole;

    (void)state;
    open_whole_dataset(&whole, 2);
    memcpy(whole.bytes + 8, &version, 4);
    memcpy(whole.bytes + 16, "9.8.7", 6);
    assert_refusal(visit_dataset(&whole, whole.bytes, whole.size, true, &error), &error);
    assert_says(&error, "9.8.7");
    assert_says(&error, "format 2");
    assert_says(&error, cleave_version());
    assert_non_null(strstr(error.hint, "upgrade"));
    close_whole(&whole);
}

static void not_a_dataset(void **state)
{
    Random random = clv_random(test_seed("not_a_dataset"), 2);
    cleave_error error = {0};
    Whole whole = {.context = new_context(1)};

    (void)state;
    for (int i = 0; i < turns(2000); i++) {
        size_t size = clv_random_below(&random, 300);
        char *bytes = some(size, 1);

        for (size_t j = 0; j < size; j++)
            bytes[j] = (char)clv_random_next(&random);
        if (i % 2 && size > 8)
            memcpy(bytes, "CLVDATA1", 8);
        if (i % 4 == 3 && size > 40)
            memcpy(bytes + size - 8, "CLVDEND1", 8);
        assert_refusal(visit_dataset(&whole, bytes, size, false, &error), &error);
        free(bytes);
    }
    cleave_context_free(whole.context);
}

/* ---- models ---------------------------------------------------------------------------------- */

/* The data that the method supports: 0 and 1, or numeric labels. */
static void make_for(const Method *method, Table *table, uint32_t classes)
{
    static const char *const numbers[] = {"-1", "2", "3.5"};
    bool regression = method->tasks == CLEAVE_TASK_REGRESSION;

    if (method->traits & CLEAVE_TRAIT_RATINGS) {
        Random random = clv_random(3, classes);

        table_random_pairs(table, &random, 20, 4, 5, classes);
        table->labels = numbers;
        return;
    }
    make_small(table, classes,
               (method->behavior & METHOD_BINARY_FEATURES) || regression ? RANDOM_ONES
                                                                         : RANDOM_EIGHTHS);
    if (regression)
        table->labels = numbers;
}

static void train_whole(Whole *whole, const Method *method, uint32_t classes, const char *name,
                        const char *value)
{
    void *options = some(1, method->options_size);
    cleave_error error = {0};
    Buffer bytes = {0};
    RunOptions run;
    Dataset *dataset;
    Report *report;
    Model *model;

    *whole = (Whole){.context = new_context(1)};
    make_for(method, &whole->table, classes);
    dataset = table_built(whole->context, &whole->table, 5);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    if (name)
        FINE(clv_param_set(clv_param_find(method->params, name), options, value, &error));
    if (name && strcmp(name, "balanced") == 0) /* is required */
        FINE(clv_param_set(clv_param_find(method->params, "threshold"), options, "1", &error));
    if (method->check_options)
        FINE(method->check_options(options, &error));
    FINE(clv_train(whole->context,
                   &(Job){.method = method, .method_options = options, .options = &run}, dataset,
                   &model, &report, &error));
    FINE(clv_model_to_bytes(model, &bytes, &error));
    whole->size = bytes.size;
    whole->bytes = exact_copy(bytes.data, bytes.size);
    clv_free(whole->context, bytes.data);
    cleave_model_free(model);
    cleave_report_free(&report->facts);
    clv_dataset_free(dataset);
    free(options);
}

static void answer_rows(const Whole *whole, Model *model)
{
    cleave_prediction answer;
    cleave_error error = {0};

    for (size_t i = 0; i < whole->table.rows; i++) {
        const TableRow *row = &whole->table.row[i];
        uint32_t index[64];
        float value[64];
        cleave_code code;

        for (size_t j = 0; j < row->count; j++) {
            index[j] = whole->table.cell[row->start + j].column;
            value[j] = whole->table.cell[row->start + j].value;
        }
        code = cleave_predict_row(model, row->count, index, value, &answer, &error);
        if (code == CLEAVE_ERROR_FORMAT) /* bounds that exclude every point */
            return;
        FINE(code);
        assert_non_null(answer.label);
    }
}

/* A regression has no label to show. */
static void answer_numbers(const Whole *whole, const Model *model)
{
    double *scores = some(whole->table.rows, sizeof *scores);
    cleave_error error = {0};
    Encoded encoded;

    encode(&whole->table, 0, whole->table.rows, (Shape){ROWS_COLUMNS, VALUES_EACH}, &encoded);
    if (model->features >= encoded.block.features)
        FINE(model->method->inference->predict(model, &encoded.block, scores, &error));
    encoded_free(&encoded);
    free(scores);
}

static Status visit_model(const Whole *whole, const char *bytes, size_t size, bool same,
                          cleave_error *error)
{
    Model *model;
    Status status = clv_model_from_bytes(whole->context, "damaged", bytes, size, &model, error);
    Buffer again = {0};
    char buffer[24];

    if (status != OK)
        return status;
    if (model->method->tasks == CLEAVE_TASK_REGRESSION)
        answer_numbers(whole, model);
    else
        answer_rows(whole, model);
    for (size_t i = 0; i < cleave_model_feature_count(model) && i < 1000; i++)
        assert_non_null(cleave_model_feature_name(model, i, buffer));
    status = clv_model_to_bytes(model, &again, error);
    assert_int_equal(status, OK);
    if (same) {
        /* Only the version of the writer, which is not what was learned, may be other than it
         * was. */
        assert_int_equal(again.size, whole->size);
        assert_memory_equal(again.data + 64, whole->bytes + 64, again.size - 64);
    }
    clv_free(whole->context, again.data);
    cleave_model_free(model);
    return OK;
}

/* Every method, two classes and three; and the forms that have more arrays. */
static void each_model(void (*body)(const Whole *whole))
{
    for (size_t i = 0; clv_methods[i]; i++)
        for (uint32_t classes = 2; classes <= 3; classes++) {
            const Param *form = clv_param_find(clv_methods[i]->params, "form");
            Whole whole;

            train_whole(&whole, clv_methods[i], classes, NULL, NULL);
            body(&whole);
            close_whole(&whole);
            for (size_t j = 0; form && form->values[j]; j++) {
                train_whole(&whole, clv_methods[i], classes, "form", form->values[j]);
                body(&whole);
                close_whole(&whole);
            }
            if (clv_param_find(clv_methods[i]->params, "balanced")) {
                train_whole(&whole, clv_methods[i], classes, "balanced", "true");
                body(&whole);
                close_whole(&whole);
            }
        }
}

static void cut_model(const Whole *whole)
{
    cleave_error error = {0};

    for (size_t size = 0; size < whole->size; size += size < (size_t)turns(2000) ? 1 : 17) {
        char *copy = exact_copy(whole->bytes, size);

        assert_refusal(visit_model(whole, copy, size, true, &error), &error);
        free(copy);
    }
    assert_fine(visit_model(whole, whole->bytes, whole->size, true, &error), &error);
}

static void models_cut_short(void **state)
{
    (void)state;
    each_model(cut_model);
}

static void change_model(const Whole *whole)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xFF};
    char *copy = exact_copy(whole->bytes, whole->size);
    cleave_error error = {0};

    for (size_t at = 0; at < whole->size; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            Status status;

            copy[at] = (char)(copy[at] ^ changes[i]);
            status = visit_model(whole, copy, whole->size, true, &error);
            if (status != OK)
                assert_refusal(status, &error);
            else
                assert_true(at >= 32 && at < 64); /* the writer's version and the zeros behind it */
            copy[at] = (char)(copy[at] ^ changes[i]);
        }
    free(copy);
}

static void models_changed(void **state)
{
    (void)state;
    each_model(change_model);
}

static Random changes_random;

static void mend_model(const Whole *whole)
{
    char *copy = exact_copy(whole->bytes, whole->size);
    cleave_error error = {0};
    size_t accepted = 0;

    assert_true(bundle_is_mended(whole->bytes, whole->size));
    for (int i = 0; i < turns(600); i++) {
        size_t at = 64 + clv_random_below(&changes_random, (uint32_t)whole->size - 64);
        char was = copy[at];

        copy[at] = (char)(i % 4 ? copy[at] ^ (1u << clv_random_below(&changes_random, 8))
                                : clv_random_next(&changes_random));
        mend_bundle(copy, whole->size);
        accepted += visit_model(whole, copy, whole->size, false, &error) == OK;
        copy[at] = was;
    }
    assert_true(accepted > 0);
    free(copy);
}

static void models_changed_with_checksums(void **state)
{
    (void)state;
    changes_random = clv_random(test_seed("models_changed_with_checksums"), 3);
    each_model(mend_model);
}

/* ---- models of points ------------------------------------------------------------------------ */

/* A model of this structure, of which a point was removed. */
static void train_index(Whole *whole, const char *index)
{
    const uint64_t gone[] = {2, 5};
    const Method *method;
    cleave_error error = {0};
    Buffer bytes = {0};
    Model *model;

    FINE(clv_method_find("knn", &method, &error));
    train_whole(whole, method, 3, "index", index);
    FINE(clv_model_from_bytes(whole->context, "whole", whole->bytes, whole->size, &model, &error));
    FINE(cleave_model_remove(model, gone, sizeof gone / sizeof *gone, &error));
    FINE(clv_model_to_bytes(model, &bytes, &error));
    free(whole->bytes);
    whole->size = bytes.size;
    whole->bytes = exact_copy(bytes.data, bytes.size);
    clv_free(whole->context, bytes.data);
    cleave_model_free(model);
}

/* Special values: none, all bits, not a number, infinity, the largest, a
 * large count. */
static void mend_words(const Whole *whole)
{
    static const uint32_t words[] = {0,           UINT32_MAX,  0x7FC00000u, 0x7F800000u,
                                     0xFF7FFFFFu, 0x7FFFFFFFu, 17,          0x80000000u};
    char *copy = exact_copy(whole->bytes, whole->size);
    cleave_error error = {0};

    for (int i = 0; i < turns(2000); i++) {
        size_t at = 64 +
                    (size_t)4 * clv_random_below(&changes_random, (uint32_t)(whole->size - 64) / 4);
        char was[4];

        memcpy(was, copy + at, sizeof was);
        memcpy(copy + at, &words[clv_random_below(&changes_random, sizeof words / sizeof *words)],
               sizeof was);
        mend_bundle(copy, whole->size);
        visit_model(whole, copy, whole->size, false, &error);
        memcpy(copy + at, was, sizeof was);
    }
    free(copy);
}

static void indexes_changed_with_checksums(void **state)
{
    static const char *const kinds[] = {"scan", "kdtree", "rtree", "vafile", "lsh", "ivf"};

    (void)state;
    changes_random = clv_random(test_seed("indexes_changed_with_checksums"), 4);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Whole whole;

        train_index(&whole, kinds[i]);
        mend_model(&whole);
        mend_words(&whole);
        close_whole(&whole);
    }
}

/* All points removed, or a point that does not exist: the model has no points for predictions. */
static void nothing_left(void **state)
{
    cleave_error error = {0};
    uint64_t gone = 1 << 2 | 1 << 5; /* the rows that train_index removes */
    size_t at = 0;
    Whole whole;

    (void)state;
    train_index(&whole, "scan");
    for (size_t i = 64; i + 8 <= whole.size; i += 8)
        if (load64(whole.bytes + i) == gone)
            at = i;
    assert_true(at > 0);
    for (uint64_t i = 0; i <= whole.table.rows; i++) {
        uint64_t wrong = i < whole.table.rows ? gone | (uint64_t)1 << (whole.table.rows + i)
                                              : ((uint64_t)1 << i) - 1;

        store64(whole.bytes + at, wrong);
        mend_bundle(whole.bytes, whole.size);
        assert_refusal(visit_model(&whole, whole.bytes, whole.size, false, &error), &error);
    }
    store64(whole.bytes + at, gone);
    mend_bundle(whole.bytes, whole.size);
    FINE(visit_model(&whole, whole.bytes, whole.size, true, &error));
    close_whole(&whole);
}

/* Codes of a VA-file with an impossible number of bits. */
static void no_such_bits(void **state)
{
    static const uint32_t wrong[] = {0, 3, 16, UINT32_MAX};
    cleave_error error = {0};
    Whole whole;

    (void)state;
    train_index(&whole, "vafile");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        BundleItem bits = {
            .name = (char[]){"index_bits"}, .type = BUNDLE_U32, .data = &wrong[i], .count = 1};
        Model *model, *changed;

        FINE(clv_model_from_bytes(whole.context, "whole", whole.bytes, whole.size, &model, &error));
        assert_int_equal(reload_with_item(model, &bits, &changed, &error), CLEAVE_ERROR_FORMAT);
        cleave_model_free(changed);
        cleave_model_free(model);
    }
    close_whole(&whole);
}

static void future_model(const Whole *whole)
{
    char *copy = exact_copy(whole->bytes, whole->size);
    cleave_error error = {0};
    uint32_t version = 77;

    memcpy(copy + 8, &version, 4);
    memcpy(copy + 32, "9.8.7", 6);
    assert_refusal(visit_model(whole, copy, whole->size, true, &error), &error);
    assert_says(&error, "9.8.7");
    assert_says(&error, "format 77");
    assert_says(&error, cleave_version());
    assert_non_null(strstr(error.hint, "upgrade"));
    free(copy);
}

static void models_of_the_future(void **state)
{
    (void)state;
    each_model(future_model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datasets_cut_short),
        cmocka_unit_test(datasets_changed),
        cmocka_unit_test(datasets_changed_with_checksums),
        cmocka_unit_test(datasets_of_the_future),
        cmocka_unit_test(not_a_dataset),
        cmocka_unit_test(models_cut_short),
        cmocka_unit_test(models_changed),
        cmocka_unit_test(models_changed_with_checksums),
        cmocka_unit_test(indexes_changed_with_checksums),
        cmocka_unit_test(nothing_left),
        cmocka_unit_test(no_such_bits),
        cmocka_unit_test(models_of_the_future),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
