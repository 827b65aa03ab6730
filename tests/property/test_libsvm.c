/*
 * LIBSVM text (src/read/libsvm.c) through the reader (src/read/reader.c) and its bytes
 * (src/read/bytes.c): written files (src/write/write_libsvm.c) are read back unchanged, for any
 * size of chunks, number of threads and compression; and a truncated stream is never taken for a
 * complete one.
 */
#include "property/table.h"

#include "base/file.h"
#include "read/libsvm_run.h"
#include "read/reader.h"
#include "support/support.h"
#include "write/writer.h"

#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* Labels in order of appearance, as a reader numbers them. */
static void number_labels(Table *table)
{
    uint32_t *number = some(table->label_count, sizeof *number), next = 0;

    for (size_t i = 0; i < table->rows; i++) {
        uint32_t *label = &table->row[i].label;

        if (*label == UNLABELED)
            continue;
        if (number[*label] == 0)
            number[*label] = ++next;
        *label = number[*label] - 1;
    }
    table->label_count = next;
    free(number);
}

/* The width a reader sees: one more than the largest column. */
static void fit_width(Table *table)
{
    table->features = 0;
    for (size_t i = 0; i < table->cells; i++)
        if (table->cell[i].column >= table->features)
            table->features = table->cell[i].column + 1;
}

static void make_any(Table *table, Random *random)
{
    static const uint32_t widths[] = {1, 20, 500, 70000, 3000000, 2147483646};
    uint32_t classes = 1 + clv_random_below(random, 6);

    table_random(table, random, 1 + clv_random_below(random, 80),
                 widths[clv_random_below(random, 6)], 1 + clv_random_below(random, 10), classes,
                 (int)clv_random_below(random, 4));
    for (size_t i = 0; i < table->rows; i++) {
        if (clv_random_below(random, 12) == 0)
            table->row[i].label = UNLABELED;
        table->row[i].qid = clv_random_below(random, 1000);
    }
    if (table->cells == 0)
        table_cell(table, 0, 1);
    table->qids = clv_random_below(random, 3) == 0;
    number_labels(table);
    fit_width(table);
}

static Status load(Context *context, const char *text, size_t size, size_t chunk_bytes,
                   Dataset **dataset, cleave_error *error)
{
    char *copy = some(size, 1); /* of exactly its size */
    ReadOptions options = {0};
    Source *source;
    Status status;

    memcpy(copy, text, size);
    clv_params_initial(clv_read_params, &options);
    options.chunk_bytes = chunk_bytes;
    *dataset = NULL;
    status = clv_read_memory(context, "text", copy, size, &clv_format_libsvm, &options, NULL,
                             &source, error);
    if (status == OK)
        status = clv_dataset_load(source, dataset, error);
    clv_source_close(source);
    free(copy);
    return status;
}

static void assert_reads_as(Context *context, const Table *table, const char *text, size_t size,
                            size_t chunk_bytes)
{
    cleave_error error = {0};
    Dataset *dataset;

    FINE(load(context, text, size, chunk_bytes, &dataset, &error));
    assert_same_table(table, dataset);
    assert_int_equal(dataset->labels.count, table->label_count);
    for (size_t i = 0; i < table->rows; i++)
        if (table->row[i].label != UNLABELED)
            dataset->labels.list[table->row[i].label].count--;
    for (uint32_t i = 0; i < dataset->labels.count; i++)
        assert_int_equal(dataset->labels.list[i].count, 0);
    clv_dataset_free(dataset);
}

static void chunks_and_threads_do_not_matter(void **state)
{
    Random random = clv_random(test_seed("chunks_and_threads_do_not_matter"), 1);
    Context *alone = new_context(1), *four = new_context(4);

    (void)state;
    for (int round = 0; round < 60; round++) {
        Table table = {0};
        size_t size;
        char *text;

        make_any(&table, &random);
        text = table_text(&table, &size);
        assert_reads_as(alone, &table, text, size, 0);
        for (int i = 0; i < 12; i++)
            assert_reads_as(i % 2 ? four : alone, &table, text, size,
                            1 + clv_random_below(&random, i < 6 ? 1000 : 60));
        free(text);
        table_free(&table);
    }
    cleave_context_free(alone);
    cleave_context_free(four);
}

static void every_chunk_size(void **state)
{
    Random random = clv_random(test_seed("every_chunk_size"), 2);
    Context *context = new_context(1);
    Table table = {0};
    size_t size;
    char *text;

    (void)state;
    make_any(&table, &random);
    text = table_text(&table, &size);
    for (size_t chunk = 1; chunk <= 1000; chunk += chunk < 200 ? 1 : 7)
        assert_reads_as(context, &table, text, size, chunk);
    free(text);
    table_free(&table);
    cleave_context_free(context);
}

/* Comments, blanks, carriage returns, empty lines, zeros and other spellings of numbers have no
 * effect. */
static void spellings_do_not_matter(void **state)
{
    Random random = clv_random(test_seed("spellings_do_not_matter"), 3);
    Context *context = new_context(1);

    (void)state;
    for (int round = 0; round < 60; round++) {
        Table table = {0};
        size_t size, length = 0, capacity = 0;
        char *plain, *text = grown(NULL, &capacity, 64, 1);

        make_any(&table, &random);
        plain = table_text(&table, &size);
        for (size_t i = 0; i < size; i++) {
            text = grown(text, &capacity, length + 64, 1);
            if (plain[i] == ' ') {
                for (uint32_t j = clv_random_below(&random, 3); j; j--)
                    text[length++] = clv_random_below(&random, 2) ? ' ' : '\t';
            } else if (plain[i] == '\n') {
                static const char *const ends[] = {
                    "", " ", "\r", " # a comment 3:nan", " \t\r", " #x", "\n", "\n# 1:2", "\n \t"};

                length += (size_t)snprintf(text + length, 32, "%s",
                                           ends[clv_random_below(&random, 9)]);
            }
            text[length++] = plain[i];
        }
        assert_reads_as(context, &table, text, length, clv_random_below(&random, 300));
        free(plain);
        free(text);
        table_free(&table);
    }
    cleave_context_free(context);
}

static void what_is_written_reads_back(void **state)
{
    Random random = clv_random(test_seed("what_is_written_reads_back"), 4);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    test_join(path, test_folder_new(folder), "a.libsvm");
    for (int round = 0; round < 60; round++) {
        Buffer scratch = {0};
        const Block *block;
        Dataset *dataset;
        Output *output;
        Source *source;
        Table table = {0};
        size_t size;
        char *text;

        make_any(&table, &random);
        dataset = table_built(context, &table, 1 + clv_random_below(&random, 40));
        FINE(clv_dataset_source(dataset, true, &source, &error));
        FINE(clv_output_open(context, path, false, &output, &error));
        FINE(clv_writer_libsvm.begin(output, source, &error));
        for (;;) {
            FINE(source_next(source, &block, &error));
            if (!block)
                break;
            FINE(clv_writer_libsvm.block(output, source, block, &scratch, &error));
        }
        FINE(clv_output_commit(output, &error));
        text = test_read_file(path, &size);
        assert_reads_as(context, &table, text, size, clv_random_below(&random, 500));
        free(text);
        clv_free(context, scratch.data);
        clv_source_close(source);
        table_free(&table);
    }
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* ---- compression ----------------------------------------------------------------------------- */

/* Compressed in members of `part` bytes, one after another. */
static char *gzipped(const char *text, size_t size, size_t part, size_t *packed_size)
{
    size_t capacity = size + 256 * (size / part + 2);
    char *packed = some(capacity, 1);

    *packed_size = 0;
    for (size_t at = 0; at < size; at += part) {
        z_stream stream = {0};

        assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                         Z_OK);
        stream.next_in = (unsigned char *)(uintptr_t)(text + at);
        stream.avail_in = (unsigned)(size - at < part ? size - at : part);
        stream.next_out = (unsigned char *)packed + *packed_size;
        stream.avail_out = (unsigned)(capacity - *packed_size);
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        *packed_size = capacity - stream.avail_out;
        deflateEnd(&stream);
    }
    return packed;
}

#ifdef HAVE_ZSTD
static char *zstandard(const char *text, size_t size, size_t part, size_t *packed_size)
{
    size_t capacity = size + 256 * (size / part + 2);
    char *packed = some(capacity, 1);

    *packed_size = 0;
    for (size_t at = 0; at < size; at += part) {
        size_t got = ZSTD_compress(packed + *packed_size, capacity - *packed_size, text + at,
                                   size - at < part ? size - at : part, 3);

        assert_false(ZSTD_isError(got));
        *packed_size += got;
    }
    return packed;
}
#endif

typedef char *(*Packer)(const char *text, size_t size, size_t part, size_t *packed_size);
static const Packer packers[] = {
    gzipped,
#ifdef HAVE_ZSTD
    zstandard,
#endif
};

static void compression_does_not_matter(void **state)
{
    Random random = clv_random(test_seed("compression_does_not_matter"), 5);
    Context *alone = new_context(1), *four = new_context(4);

    (void)state;
    for (int round = 0; round < 30; round++)
        for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
            Table table = {0};
            size_t size, packed_size;
            char *text, *packed;

            make_any(&table, &random);
            text = table_text(&table, &size);
            packed = packers[i](text, size,
                                round % 2 ? size : 1 + clv_random_below(&random, (uint32_t)size),
                                &packed_size);
            assert_reads_as(round % 3 ? alone : four, &table, packed, packed_size,
                            clv_random_below(&random, 400));
            free(text);
            free(packed);
            table_free(&table);
        }
    cleave_context_free(alone);
    cleave_context_free(four);
}

static void cut_streams_are_refused(void **state)
{
    Random random = clv_random(3, 6);
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    size_t size;
    char *text;

    (void)state;
    make_any(&table, &random);
    text = table_text(&table, &size);
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        size_t packed_size;
        char *packed = packers[i](text, size, size, &packed_size);

        /* with fewer bytes, zstd is not recognized */
        for (size_t cut = i ? 4 : 0; cut < packed_size; cut++) {
            Dataset *dataset;

            assert_int_equal(load(context, packed, cut, 100, &dataset, &error), CLEAVE_ERROR_DATA);
            if (cut > 4)
                assert_says(&error, "ends early");
        }
        for (size_t at = 0; at < packed_size;
             at++) { /* a checksum stands behind gzip; zstd has none unless asked */
            Dataset *dataset;
            Status status;

            packed[at] = (char)(packed[at] ^ 0x10);
            status = load(context, packed, packed_size, 100, &dataset, &error);
            packed[at] = (char)(packed[at] ^ 0x10);
            if (status == OK && i == 0)
                assert_same_table(&table, dataset);
            clv_dataset_free(dataset);
        }
        free(packed);
    }
    free(text);
    table_free(&table);
    cleave_context_free(context);
}

/* Truncated rows and rows of any bytes are read or refused. An error has the position. */
static void random_bytes_do_no_harm(void **state)
{
    static const char alphabet[] = "0123456789:::   \n\n\t#.e+-?aq\r\0\x80i";
    Random random = clv_random(test_seed("random_bytes_do_no_harm"), 7);
    Context *context = new_context(1);
    uint64_t accepted = 0, rounds = how_many(1000, 3000);

    (void)state;
    for (uint64_t round = 0; round < rounds; round++) {
        char text[120];
        size_t size = 1 + clv_random_below(&random, sizeof text - 1);
        cleave_error error = {0}, other = {0};
        Dataset *dataset, *again;
        Status status;

        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[clv_random_below(&random, sizeof alphabet - 1)];
        if (round % 2)
            memcpy(text, "1 3:4\n", size < 6 ? size : 6);
        status = load(context, text, size, 0, &dataset, &error);
        assert_int_equal(
            load(context, text, size, 1 + clv_random_below(&random, 40), &again, &other), status);
        assert_string_equal(error.message, other.message);
        assert_string_equal(error.hint, other.hint);
        if (status != OK)
            assert_says(&error, "text:");
        accepted += status == OK;
        clv_dataset_free(dataset);
        clv_dataset_free(again);
    }
    assert_true(accepted > rounds / 30);
    cleave_context_free(context);
}

/* ---- many features at once ------------------------------------------------------------------- */

enum { ROW_FEATURES = 40, FEATURE_TEXT = 40 };

/* A feature after `index` in plain spelling, or nearly so. */
static int spell(char *text, Random *random, uint32_t index, bool plain)
{
    static const char *const odd[] = {
        "0",   "-0.0",       "0.000000000", "1e-5",    "1.5E3",     "+2",         ".5",
        "3.",  "1.2.3",      "--1",         "1-2",     "123456789", "nan",        "0x1",
        "/.5", "0.1234567/", "4.7:",        "",        "-",         "1.12345678", "#",
        "2#",  "1\t",        "9.99999999",  "0.5\r 3", "1  "};
    uint32_t kind = clv_random_below(random, plain ? 6 : 8),
             digits = clv_random_below(random, 100000000);

    switch (kind) {
    case 0: /* a whole number */
        return snprintf(text, FEATURE_TEXT, "%u:%s%u", index, digits % 3 ? "" : "-",
                        1 + digits % (digits % 2 ? 9 : 9999999));
    case 1:
        return snprintf(text, FEATURE_TEXT, "%u:%s0.%08u", index, digits % 3 ? "" : "-",
                        1 + digits % 99999999);
    case 6:
        return snprintf(text, FEATURE_TEXT, "%u:%s", index,
                        odd[clv_random_below(random, sizeof odd / sizeof *odd)]);
    case 7:
        return snprintf(text, FEATURE_TEXT, "%u%c%.*g", index % 7 ? index : 0,
                        digits % 9 ? ':' : ';', (int)clv_random_below(random, 12), digits / 1e5);
    default:
        return snprintf(text, FEATURE_TEXT, "%u:%s%u.%0*u", index, digits % 5 ? "" : "-",
                        digits % 10, (int)kind, 1 + digits % 99);
    }
}

/* The features that were taken equal those read one by one by the exact parser. */
static void assert_taken(const char *text, const char *end, const FeatureRun *run, int64_t last)
{
    const char *p = text;

    for (size_t i = 0; i < run->count; i++) {
        uint64_t index;
        float value;

        p += clv_digits8(p, &index);
        assert_int_equal(*p, ':');
        p = clv_parse_float_exact(p + 1, end, &value);
        assert_non_null(p);
        assert_true(value != 0);
        assert_memory_equal(&run->value[i], &value, sizeof value);
        assert_int_equal(run->gap[i], (int64_t)index - last);
        assert_true(p == run->text ? *p != ' ' : *p == ' ');
        p += *p == ' ';
        last = (int64_t)index;
    }
    assert_ptr_equal(run->text, p);
    assert_int_equal(run->last, last);
}

static void many_at_once_read_as_one_by_one(void **state)
{
    Random random = clv_random(test_seed("many_at_once_read_as_one_by_one"), 8);
    TakeRun take = clv_libsvm_taker();
    size_t taken = 0;

    (void)state;
    if (!take)
        skip();
    for (int round = 0; round < 20000; round++) {
        uint32_t count = clv_random_below(&random, ROW_FEATURES),
                 reach = 1u << clv_random_below(&random, 19);
        bool plain = round % 2, ordered = true;
        uint32_t index = clv_random_below(&random, 4) == 0, first = index;
        char row[ROW_FEATURES * (FEATURE_TEXT + 1)] = "", *text;
        uint16_t gap[ROW_FEATURES + RUN_SPARE];
        float value[ROW_FEATURES + RUN_SPARE];
        size_t size = 0;

        for (uint32_t i = 0; i < count; i++) {
            uint32_t step = clv_random_below(&random, reach) +
                            (plain || clv_random_below(&random, 30) > 0);

            ordered &= step > 0 && step <= FILLER_GAP && index + step <= 9999999;
            index += step;
            size += (size_t)spell(row + size, &random, index, plain);
            row[size++] = ' ';
        }
        size -= count > 0 && clv_random_below(&random, 2);
        text = some(size + NUMBER_SLACK, 1); /* of exactly its size */
        memcpy(text, row, size);
        text[size] = '\n';
        FeatureRun run = {.text = text, .gap = gap, .value = value, .last = (int32_t)first};
        take(&run);
        assert_taken(text, text + size, &run, first);
        if (plain && ordered && count > 0)
            taken += run.count == count;
        else
            taken++;
        free(text);
    }
    assert_true(taken > 19980); /* except values in the middle between two floats */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_and_threads_do_not_matter),
        cmocka_unit_test(every_chunk_size),
        cmocka_unit_test(spellings_do_not_matter),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(compression_does_not_matter),
        cmocka_unit_test(cut_streams_are_refused),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(many_at_once_read_as_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
