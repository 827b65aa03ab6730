/*
 * Writers: LIBSVM text, CSV and TSV byte for byte. Written files are read back unchanged, and data
 * that cannot be written is refused. Also the floats: the shortest text that is read back exactly.
 */
#include "base/random.h"
#include "data/dataset.h"
#include "read_all.h"
#include "support/support.h"
#include "write/writer.h"

#include <float.h>
#include <math.h>
#include <time.h>

static Context *context;
static char folder[TEST_PATH_SIZE];
static char logged[1024]; /* the last note or warning, followed by its hint */

static void keep_log(void *user, cleave_log_level level, const char *message, const char *hint)
{
    (void)user;
    (void)level;
    snprintf(logged, sizeof logged, "%s (%s)", message, hint);
}

static bool end_now; /* whether the caller cancels the run */

static bool cancelled(void *user)
{
    (void)user;
    return end_now;
}

static int set_up(void **state)
{
    (void)state;
    context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .log = keep_log, .cancelled = cancelled, .threads = 1});
    test_folder_new(folder);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    cleave_context_free(context);
    test_folder_remove(folder);
    return 0;
}

static uint64_t new_seed(void)
{
    const char *given = getenv("CLEAVE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);

    print_message("seed %llu\n", (unsigned long long)seed);
    return seed;
}

/* ---- small data sets ------------------------------------------------------------------------- */

typedef struct {
    Dataset *dataset;
    Builder builder;
} Table;

static void table_begin(Table *table)
{
    assert_int_equal(clv_dataset_new(context, &table->dataset, NULL), OK);
    clv_builder_init(&table->builder, context);
    clv_builder_begin_row(&table->builder);
}

/* label NULL: unlabeled. */
static uint32_t label_number(Table *table, const char *label)
{
    uint32_t number = UNLABELED;

    if (label)
        assert_int_equal(
            clv_labels_add(&table->dataset->labels, label, strlen(label), &number, NULL), OK);
    return number;
}

static void table_name(Table *table, const char *name)
{
    uint32_t column;

    table->dataset->names.implicit = false;
    assert_int_equal(clv_names_add(&table->dataset->names, name, strlen(name), &column, NULL), OK);
    table->dataset->features = column + 1;
}

static void table_entry(Table *table, uint32_t column, float value)
{
    assert_int_equal(clv_builder_add(&table->builder, column, value, NULL), OK);
}

static void table_row(Table *table, const char *label)
{
    assert_int_equal(clv_builder_end_row(&table->builder, label_number(table, label), NULL), OK);
    clv_builder_begin_row(&table->builder);
}

static void table_dense(Table *table, const char *label, const float *values, uint32_t width)
{
    assert_int_equal(
        clv_builder_add_dense(&table->builder, values, width, label_number(table, label), NULL),
        OK);
}

/* Turns the rows given so far into a block. */
static void table_block(Table *table)
{
    Block block;

    assert_int_equal(clv_builder_finish(&table->builder, &block, NULL), OK);
    assert_int_equal(clv_dataset_add(table->dataset, &block, NULL), OK);
    clv_builder_clear(&table->builder);
    clv_builder_begin_row(&table->builder);
}

static Source *table_end(Table *table)
{
    Source *source;

    if (table->builder.rows)
        table_block(table);
    clv_builder_free(&table->builder);
    assert_int_equal(clv_dataset_source(table->dataset, true, &source, NULL), OK);
    return source;
}

static Status write_blocks(const Writer *writer, Output *output, Source *source,
                           cleave_error *error)
{
    Buffer scratch = {0};
    const Block *block = NULL;
    Status status = writer->begin(output, source, error);

    while (status == OK && (status = source_next(source, &block, error)) == OK && block)
        status = writer->block(output, source, block, &scratch, error);
    clv_free(context, scratch.data);
    return status;
}

/* The written text, which the caller frees, or NULL with the error. Closes the source. */
static char *written(const Writer *writer, Source *source, cleave_error *error)
{
    char path[TEST_PATH_SIZE];
    Output *output;
    Status status;

    logged[0] = '\0';
    test_join(path, folder, "out");
    assert_int_equal(clv_output_open(context, path, false, &output, error), OK);
    status = write_blocks(writer, output, source, error);
    clv_source_close(source);
    if (status != OK) {
        clv_output_abandon(output);
        return NULL;
    }
    assert_int_equal(clv_output_commit(output, error), OK);
    return test_read_file(path, NULL);
}

static void assert_writes(const Writer *writer, Table *table, const char *expected)
{
    cleave_error error;
    char *text = written(writer, table_end(table), &error);

    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_refuses_to_write(const Writer *writer, Table *table, const char *message)
{
    cleave_error error;

    assert_null(written(writer, table_end(table), &error));
    assert_int_equal(error.code, CLEAVE_ERROR_DATA);
    assert_string_equal(error.message, message);
}

/* ---- finding a writer ------------------------------------------------------------------------ */

static void test_finding(void **state)
{
    (void)state;
    assert_ptr_equal(clv_writer_by_name("libsvm"), &clv_writer_libsvm);
    assert_ptr_equal(clv_writer_by_name("csv"), &clv_writer_csv);
    assert_ptr_equal(clv_writer_by_name("tsv"), &clv_writer_tsv);
    assert_null(clv_writer_by_name("parquet"));
    assert_ptr_equal(clv_writer_for("a.libsvm"), &clv_writer_libsvm);
    assert_ptr_equal(clv_writer_for("a.svm"), &clv_writer_libsvm);
    assert_ptr_equal(clv_writer_for("some/where.csv/A.CSV"), &clv_writer_csv);
    assert_ptr_equal(clv_writer_for("a.b.tsv"), &clv_writer_tsv);
    assert_null(clv_writer_for("a.cleave"));
    assert_null(clv_writer_for("a.csv.gz"));
    assert_null(clv_writer_for(".csv"));
    assert_null(clv_writer_for("csv"));
    assert_null(clv_writer_for(""));
}

/* ---- LIBSVM text ----------------------------------------------------------------------------- */

static void test_libsvm(void **state)
{
    Table table;

    (void)state;
    table_begin(&table);
    table_entry(&table, 0, 1);
    table_entry(&table, 2, -0.25f);
    table_entry(&table, 200000, 1e-30f);
    table_row(&table, "+1");
    table_row(&table, "-1");
    table_entry(&table, 1, 16777216);
    table_row(&table, NULL);
    assert_writes(&clv_writer_libsvm, &table, "+1 1:1 3:-0.25 200001:1e-30\n-1\n? 2:16777216\n");
    assert_string_equal(logged, "");
}

/* Each form of a block. */
static void test_libsvm_forms(void **state)
{
    Table table;

    (void)state;
    table_begin(&table);
    table_entry(&table, 3, 1); /* ones, with fillers */
    table_entry(&table, 140000, 1);
    table_row(&table, "a");
    table_block(&table);
    table_entry(&table, 3, 0.5f); /* one value a row, with fillers */
    table_entry(&table, 140000, 0.5f);
    table_row(&table, "b");
    table_block(&table);
    table_dense(&table, "http://c", (const float[]){1, 0, 3, 4}, 4);
    assert_writes(&clv_writer_libsvm, &table,
                  "a 4:1 140001:1\nb 4:0.5 140001:0.5\nhttp://c 1:1 3:3 4:4\n");
}

static void test_libsvm_extras(void **state)
{
    Table table;

    (void)state;
    table_begin(&table);
    table.dataset->names.first = 0;
    memcpy(table.dataset->schema.format, "libsvm", sizeof "libsvm");
    table_entry(&table, 0, 2);
    table_row(&table, "1");
    assert_int_equal(clv_builder_set_qid(&table.builder, 18446744073709551615u, NULL), OK);
    table_row(&table, "2");
    assert_writes(&clv_writer_libsvm, &table, "1 qid:18446744073709551615 0:2\n2 qid:0\n");

    table_begin(&table);
    table_name(&table, "viagra");
    table_entry(&table, 0, 2);
    table_row(&table, NULL);
    assert_int_equal(clv_builder_set_number(&table.builder, 0.1, NULL), OK);
    table_row(&table, NULL);
    assert_writes(&clv_writer_libsvm, &table, "0.1 1:2\n?\n");
    assert_non_null(strstr(logged, "no feature names"));
}

static void test_libsvm_refusals(void **state)
{
    static const struct {
        const char *label, *message;
    } cases[] = {
        {"two words",
         "row 1: label 'two words' cannot be written as LIBSVM text: it contains a blank or a "
         "control character"},
        {"a\nb", "row 1: label 'a\\nb' cannot be written as LIBSVM text: it contains a blank or a "
                 "control character"},
        {"#1", "row 1: label '#1' cannot be written as LIBSVM text: it begins like a comment"},
        {"3:4", "row 1: label '3:4' cannot be written as LIBSVM text: it looks like a feature"},
        {"", "row 1: label '' cannot be written as LIBSVM text: it is empty"},
    };
    Table table;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table_begin(&table);
        table_entry(&table, 0, 2);
        table_row(&table, cases[i].label);
        assert_refuses_to_write(&clv_writer_libsvm, &table, cases[i].message);
    }
    table_begin(&table);
    table_dense(&table, "1", (const float[]){1, INFINITY}, 2);
    assert_refuses_to_write(&clv_writer_libsvm, &table,
                            "row 1: the value of feature 2 is not a finite number");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void test_csv(void **state)
{
    Table table;

    (void)state;
    table_begin(&table);
    table_name(&table, "plain");
    table_name(&table, "a, \"b\"");
    table_name(&table, " blank ");
    table_entry(&table, 1, 0.5f);
    table_row(&table, "say \"no\"");
    table_entry(&table, 0, -3);
    table_entry(&table, 2, 1e20f);
    table_row(&table, NULL);
    table_row(&table, "line\nbreak");
    assert_writes(&clv_writer_csv, &table,
                  "plain,\"a, \"\"b\"\"\",\" blank \",label\n"
                  "0,0.5,0,\"say \"\"no\"\"\"\n"
                  "-3,0,1e+20,\n"
                  "0,0,0,\"line\nbreak\"\n");
    assert_string_equal(logged, "");
}

static void test_csv_implicit_names(void **state)
{
    Table table;

    (void)state;
    table_begin(&table);
    table_entry(&table, 2, 1);
    table_row(&table, "+1");
    assert_writes(&clv_writer_csv, &table, "x1,x2,x3,label\n0,0,1,+1\n");
    table_begin(&table);
    table_dense(&table, "1", (const float[]){1, NAN, 0}, 3);
    assert_writes(&clv_writer_tsv, &table, "x1\tx2\tx3\tlabel\n1\t\t0\t1\n");
}

static void test_csv_label_taken(void **state)
{
    Table table;

    (void)state;
    table_begin(&table);
    table_name(&table, "Label");
    table_name(&table, "label_2");
    table_entry(&table, 1, 4);
    table_row(&table, "yes");
    assert_writes(&clv_writer_csv, &table, "Label,label_2,label_3\n0,4,yes\n");
    assert_non_null(strstr(logged, "--label label_3"));
}

static void test_csv_weights(void **state)
{
    Table table;

    (void)state;
    table_begin(&table);
    assert_int_equal(clv_schema_add(&table.dataset->schema, "w", 1, COLUMN_WEIGHT, NULL), OK);
    table_entry(&table, 0, 4);
    table_row(&table, "yes");
    assert_int_equal(clv_builder_set_weight(&table.builder, 2.5f, NULL), OK);
    table_row(&table, "no");
    assert_writes(&clv_writer_csv, &table, "x1,w,label\n4,2.5,yes\n0,1,no\n");
}

/* Rows that are wider than the writer's buffer are written in pieces. */
static void test_csv_wide(void **state)
{
    enum { WIDTH = 1000003 };
    Table table;
    cleave_error error;
    char *text, *row;

    (void)state;
    table_begin(&table);
    table_entry(&table, WIDTH - 1, 7);
    table_row(&table, "last");
    text = written(&clv_writer_csv, table_end(&table), &error);
    assert_non_null(text);
    row = strchr(text, '\n') + 1;
    assert_int_equal(strlen(row), 2 * WIDTH + 5);
    assert_int_equal(strspn(row, "0,"), 2 * (WIDTH - 1));
    assert_string_equal(row + 2 * (WIDTH - 1), "7,last\n");
    free(text);
}

/* ---- there and back -------------------------------------------------------------------------- */

/* Writing a row of many columns can be cancelled within the row. */
static void test_csv_cancelled(void **state)
{
    Table table;
    cleave_error error = {0};

    (void)state;
    table_begin(&table);
    table_entry(&table, 1000000, 1);
    table_row(&table, "a");
    end_now = true;
    assert_null(written(&clv_writer_csv, table_end(&table), &error));
    end_now = false;
    assert_int_equal(error.code, CLEAVE_ERROR_CANCELLED);
}

static float random_float(Random *random)
{
    for (;;) {
        uint32_t bits = (uint32_t)clv_random_next(random);
        float value;

        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && value != 0)
            return value;
    }
}

static void fill_at_random(Table *table, Random *random, uint32_t widest)
{
    static const char *const labels[] = {"spam", "ham", "-1", "1e3", NULL, "\xC3\xA9t\xC3\xA9"};
    uint32_t rows = 1 + clv_random_below(random, 60);

    for (uint32_t row = 0; row < rows; row++) {
        uint32_t column = clv_random_below(random, widest), count = clv_random_below(random, 12);
        bool ones = clv_random_below(random, 2);

        for (; count > 0; count--, column += 1 + clv_random_below(random, widest))
            table_entry(table, column, ones ? 1 : random_float(random));
        table_row(table, labels[clv_random_below(random, 6)]);
        if (clv_random_below(random, 10) == 0)
            table_block(table);
    }
}

static void test_libsvm_round_trip(void **state)
{
    uint64_t seed = new_seed();

    (void)state;
    for (uint64_t trial = 0; trial < 200; trial++) {
        Random random = clv_random(seed, trial);
        Table table;
        Source *source;
        Text rows = {.data = NULL};
        cleave_error error;
        char *text;

        table_begin(&table);
        fill_at_random(&table, &random, trial % 2 ? 50 : 200000);
        source = table_end(&table);
        assert_int_equal(text_put_source(&rows, source, &error), OK);
        assert_int_equal(clv_source_rewind(source, &error), OK);
        text = written(&clv_writer_libsvm, source, &error);
        assert_non_null(text);
        assert_string_equal(text, rows.data);
        assert_reads(&clv_format_libsvm, text, strlen(text), (How){.name = "back"}, rows.data);
        text_free(&rows);
        free(text);
    }
}

static void test_csv_round_trip(void **state)
{
    static const char header[] = "x1,x2,x3,x4,x5,x6,label\n";
    uint64_t seed = new_seed();

    (void)state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        Random random = clv_random(seed, trial);
        Text rows = {.data = NULL};
        Table table;
        cleave_error error;
        char *text;

        table_begin(&table);
        for (int row = 0; row < 20; row++) {
            float values[6];

            for (int i = 0; i < 6; i++)
                values[i] = random_float(&random);
            table_dense(&table, row % 3 ? "yes, indeed" : "\"no\"", values, 6);
            text_put(&rows, row % 3 ? "yes, indeed" : "\"no\"");
            for (int i = 0; i < 6; i++) {
                char name[24];

                snprintf(name, sizeof name, " x%d:", i + 1);
                text_put(&rows, name);
                text_put_value(&rows, values[i]);
            }
            text_put(&rows, "\n");
        }
        text = written(&clv_writer_csv, table_end(&table), &error);
        assert_non_null(text);
        assert_int_equal(strncmp(text, header, sizeof header - 1), 0);
        assert_reads(&clv_format_csv, text, strlen(text), (How){.name = "back"}, rows.data);
        text_free(&rows);
        free(text);
    }
}

/* The writer, its scratch space and the output have a separate allocator; the source has the shared
 * one. */
static Status write_poorly(TestMemory *memory, Source *source, cleave_error *error)
{
    Context *rich = context, poor = *context;
    char path[TEST_PATH_SIZE];
    Output *output;
    Status status;

    poor.config.allocate = test_allocate;
    poor.config.user = memory;
    poor.config.log = NULL;
    source->context = context = &poor;
    status = clv_output_open(context, test_join(path, folder, "poor"), false, &output, error);
    if (status == OK) {
        status = write_blocks(&clv_writer_csv, output, source, error);
        clv_output_abandon(output);
    }
    source->context = context = rich;
    return status;
}

static void test_short_memory(void **state)
{
    (void)state;
    for (long long fail_at = 1;; fail_at++) {
        TestMemory memory = {.fail_at = fail_at};
        cleave_error error;
        Table table;
        Source *source;
        Status status;

        table_begin(&table);
        table_name(&table, "x");
        table_entry(&table, 0, 0.5f);
        table_row(&table, "yes");
        source = table_end(&table);
        status = write_poorly(&memory, source, &error);
        clv_source_close(source);
        assert_int_equal(memory.live, 0);
        if (memory.failures == 0)
            break;
        assert_int_equal(status, CLEAVE_ERROR_MEMORY);
    }
}

/* ---- floats ---------------------------------------------------------------------------------- */

/* Significant digits of the shortest decimal among those correctly rounded to 1, 2, … digits. */
static int fewest_digits(float value)
{
    char text[64];

    for (int digits = 1; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
        if (strtof(text, NULL) == value)
            return digits;
    }
    return 9;
}

static int digits_in(const char *text)
{
    int digits = 0, zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (digits == 0 && *text == '0'))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros > 0 ? digits - zeros : 1;
}

static void check_float(float value)
{
    char text[NUMBER_SIZE], *end;
    size_t length = clv_format_float(text, value);

    assert_int_equal(length, strlen(text));
    assert_true(strtof(text, &end) == value);
    assert_int_equal(*end, '\0');
    assert_true(digits_in(text) <= fewest_digits(value));
}

static void test_floats_exhaustive_exponents(void **state)
{
    (void)state;
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t low = 0; low < 40; low++) {
            uint32_t bits[] = {exponent << 23 | low, (exponent << 23) + 0x7FFFFF - low};

            for (int i = 0; i < 2; i++) {
                float value;

                memcpy(&value, &bits[i], sizeof value);
                check_float(value);
                check_float(-value);
            }
        }
}

static void test_floats_at_random(void **state)
{
    Random random = clv_random(new_seed(), 0);

    (void)state;
    for (int i = 0; i < 200000; i++) {
        float value = random_float(&random);

        check_float(value);
        check_float((float)clv_random_unit(&random));
        if (i % 8 == 0) { /* subnormal */
            uint32_t bits = (uint32_t)clv_random_next(&random) & 0x7FFFFF;

            memcpy(&value, &bits, sizeof value);
            check_float(value);
        }
    }
}

static void check_text(float value, const char *expected)
{
    char text[NUMBER_SIZE];

    assert_int_equal(clv_format_float(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_float_layout(void **state)
{
    (void)state;
    check_text(0, "0");
    check_text(-0.0f, "0");
    check_text(1, "1");
    check_text(-12, "-12");
    check_text(9999999, "9999999");
    check_text(0.1f, "0.1");
    check_text(0.057696f, "0.057696");
    check_text(12.5f, "12.5");
    check_text(-1234.5f, "-1234.5");
    check_text(0.00001f, "0.00001");
    check_text(0.000001f, "1e-06");
    check_text(1.5e-7f, "1.5e-07");
    check_text(1e10f, "10000000000");
    check_text(3e15f, "3000000000000000");
    check_text(3e16f, "3e+16");
    check_text(FLT_MAX, "3.4028235e+38");
    check_text(FLT_MIN, "1.1754944e-38");
    check_text(FLT_TRUE_MIN, "1e-45");
    check_text(0.3333333433f, "0.33333334");
    check_text(8388608.5f, "8388608"); /* not a float: the nearest float is an integer */
    check_text(0x1p-96f,
               /* a power of two: this is not the nearest decimal of eight digits, but within the
                * interval */
               "1.2621775e-29");
    check_text(INFINITY, "inf");
    check_text(-INFINITY, "-inf");
    check_text(NAN, "nan");
}

static void test_unsigned(void **state)
{
    char text[NUMBER_SIZE], expected[32];
    uint64_t power = 1;

    (void)state;
    for (int digits = 1; digits <= 20; digits++, power *= 10)
        for (int step = -1; step <= 1; step++) {
            uint64_t value = power + (uint64_t)(int64_t)step;

            snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
            assert_int_equal(clv_format_unsigned(text, value), strlen(expected));
            assert_string_equal(text, expected);
        }
    clv_format_unsigned(text, UINT64_MAX);
    assert_string_equal(text, "18446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_libsvm),
        cmocka_unit_test(test_libsvm_forms),
        cmocka_unit_test(test_libsvm_extras),
        cmocka_unit_test(test_libsvm_refusals),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_implicit_names),
        cmocka_unit_test(test_csv_label_taken),
        cmocka_unit_test(test_csv_weights),
        cmocka_unit_test(test_csv_wide),
        cmocka_unit_test(test_csv_cancelled),
        cmocka_unit_test(test_libsvm_round_trip),
        cmocka_unit_test(test_csv_round_trip),
        cmocka_unit_test(test_short_memory),
        cmocka_unit_test(test_floats_exhaustive_exponents),
        cmocka_unit_test(test_floats_at_random),
        cmocka_unit_test(test_float_layout),
        cmocka_unit_test(test_unsigned),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
