/*
 * The small files of src/data: labels.c, names.c, schema.c, facts.c, source.c, block.c, builder.c,
 * packed.c. Properties for all data are in tests/property/test_dataset.c and test_order.c.
 */
#include "property/table.h"

#include "data/facts.h"

#include <math.h>

/* ---- labels.c -------------------------------------------------------------------------------- */

static uint32_t add(Labels *labels, const char *text)
{
    cleave_error error = {0};
    uint32_t number;

    FINE(clv_labels_add(labels, text, strlen(text), &number, &error));
    return number;
}

static uint32_t find(const Labels *labels, const char *text)
{
    return clv_labels_find(labels, text, strlen(text));
}

/* Labels are text: each spelling of a number is a separate class. */
static void labels_are_text(void **state)
{
    static const char *const texts[] = {
        "2134",
        "02134",
        "1e5",
        "100000",
        "9007199254740992",
        "9007199254740993",
        "1",
        "+1",
        "1.0",
        "1.00",
        "-1",
        "-0",
        "0",
        "1234567890123456788",
        "1234567890123456789",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    Context *context = new_context(1);
    cleave_error error = {0};
    Labels labels, copy;

    (void)state;
    clv_labels_init(&labels, context);
    assert_int_equal(find(&labels, "+1"), UNLABELED);
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < TEXTS; i++)
            assert_int_equal(add(&labels, texts[i]), i);
    assert_null(labels.merged[0]);
    assert_true(labels.all_numbers);
    assert_int_equal(add(&labels, "spam"), TEXTS);
    assert_false(labels.all_numbers);
    assert_int_equal(add(&labels, "Spam"), TEXTS + 1);
    assert_int_equal(add(&labels, "1st"), TEXTS + 2); /* not a number */
    assert_int_equal(add(&labels, "nan"), TEXTS + 3);
    assert_int_equal(add(&labels, "nan"), TEXTS + 3);
    assert_int_equal(find(&labels, "01"), UNLABELED);
    assert_int_equal(find(&labels, "ham"), UNLABELED);
    for (uint32_t i = 0; i < 5000; i++) {
        char text[16];

        snprintf(text, sizeof text, "label%u", i);
        assert_int_equal(add(&labels, text), TEXTS + 4 + i);
    }
    assert_int_equal(find(&labels, "label4321"), TEXTS + 4 + 4321);
    labels.list[TEXTS].count = 9;
    clv_labels_init(&copy, context);
    FINE(clv_labels_copy(&copy, &labels, &error));
    assert_int_equal(copy.count, labels.count);
    assert_int_equal(copy.list[TEXTS].count, 9);
    assert_string_equal(copy.list[TEXTS].text, "spam");
    clv_labels_free(&labels);
    clv_labels_free(&copy);
    cleave_context_free(context);
}

/* In LIBSVM files only a sign + and zeros at the end of a fraction are ignored. */
static void labels_of_libsvm_are_numbers(void **state)
{
    static const struct {
        const char *text;
        uint32_t number;
    } cases[] = {{"+1", 0},
                 {"1", 0},
                 {"-1", 1},
                 {"1.0", 0},
                 {"+1.00", 0},
                 {"1.", 0},
                 {"-1.0", 1},
                 {"01", 2},
                 {"1e0", 3},
                 {"2.50", 4},
                 {"2.5", 4},
                 {"2.05", 5},
                 {"100", 6},
                 {"10", 7},
                 {"+a", 8},
                 {"a", 9},
                 {"+", 10},
                 {"++1", 11},
                 {"a.0", 12},
                 {"1.0.0", 13},
                 {".50", 14},
                 {"-", 15},
                 {"1e5", 16},
                 {"100000", 17},
                 {"+1e5", 18},
                 {"-.0", 19},
                 {"1.0e", 20},
                 {"9007199254740992", 21},
                 {"9007199254740993", 22},
                 {"+9007199254740993.0", 22}};
    Context *context = new_context(1);
    cleave_error error = {0};
    Labels labels, text, joined;

    (void)state;
    clv_labels_init(&labels, context);
    labels.from_libsvm = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(add(&labels, cases[i].text), cases[i].number);
        if (i == 2)
            assert_null(labels.merged[0]); /* a sign alone */
    }
    assert_string_equal(labels.list[0].text, "+1"); /* spelled as in the first row */
    assert_string_equal(labels.merged[0], "+1");
    assert_string_equal(labels.merged[1], "1.0");
    /* Collective with labels that are text, the same text takes precedence over the same number. */
    clv_labels_init(&text, context);
    clv_labels_init(&joined, context);
    add(&text, "1.0");
    add(&text, "+1");
    add(&text, "1");
    add(&text, "2");
    assert_int_equal(find(&text, "+2"), UNLABELED);
    FINE(clv_labels_copy(&joined, &text, &error));
    FINE(clv_labels_join(&joined, &labels, &error));
    assert_int_equal(joined.count, 4);
    assert_int_equal(add(&joined, "1"), 2);
    assert_int_equal(add(&joined, "+1"), 1);
    assert_int_equal(add(&joined, "+1.0"), 0); /* the first of several */
    assert_int_equal(add(&joined, "+2"), 3);
    clv_labels_free(&labels);
    clv_labels_free(&text);
    clv_labels_free(&joined);
    cleave_context_free(context);
}

static char noted[4096];

static void keep_note(void *user, cleave_log_level level, const char *message, const char *hint)
{
    (void)user;
    (void)level;
    (void)hint;
    snprintf(noted + strlen(noted), sizeof noted - strlen(noted), "%s\n", message);
}

static const char *notes_of(const Labels *labels, uint32_t known)
{
    noted[0] = '\0';
    clv_labels_note(labels, known);
    return noted;
}

static void labels_that_differ_only_in_writing_are_noted(void **state)
{
    Context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = 1, .log = keep_note});
    Labels labels;

    (void)state;
    clv_labels_init(&labels, context);
    add(&labels, "9007199254740992");
    add(&labels, "9007199254740993");
    add(&labels, "2134");
    add(&labels, "a");
    add(&labels, "b");
    assert_string_equal(notes_of(&labels, 0), "");
    assert_string_equal(notes_of(&labels, 2), "");
    add(&labels, "02134");
    assert_non_null(strstr(notes_of(&labels, 0),
                           "'2134' and '02134' are equal as numbers but different classes"));
    assert_null(strchr(strchr(noted, '\n') + 1, '\n')); /* one line */
    assert_non_null(strstr(notes_of(&labels, 5), "'02134' is not a class of the model"));
    assert_string_equal(notes_of(&labels, 2), ""); /* neither is a label of the model */
    add(&labels, "2.134e3");
    assert_non_null(strstr(notes_of(&labels, 0), "(and 1 more such label)"));
    labels.from_libsvm = true;
    add(&labels, "2134.0");
    assert_non_null(strstr(notes_of(&labels, 0), "'2134' and '2134.0' are the same class"));
    clv_labels_reset(&labels);
    assert_int_equal(labels.count, 7);
    assert_null(strstr(notes_of(&labels, 0), "one class"));
    clv_labels_free(&labels);
    cleave_context_free(context);
}

static void which_label_is_positive(void **state)
{
    static const struct {
        const char *first, *second, *wanted;
        uint32_t positive;
    } cases[] = {{"-1", "+1", NULL, 1},
                 {"+1", "-1", NULL, 0},
                 {"1", "2", NULL, 1},
                 {"2", "1", NULL, 0},
                 {"spam", "ham", NULL, 1},
                 {"ham", "spam", NULL, 1},
                 {"1", "a", NULL, 1},
                 {"2", "a", NULL, 1},
                 {"spam", "ham", "spam", 0},
                 {"-1", "+1", "-1", 0},
                 {"10", "9", NULL, 0},
                 {"1", "01", NULL, 1},
                 {"9007199254740993", "9007199254740992", NULL, 0},
                 {"-9007199254740993", "-9007199254740992", NULL, 1}};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t positive;
        Labels labels;

        clv_labels_init(&labels, context);
        add(&labels, cases[i].first);
        add(&labels, cases[i].second);
        FINE(clv_labels_positive(&labels, cases[i].wanted, &positive, &error));
        assert_int_equal(positive, cases[i].positive);
        assert_int_equal(clv_labels_positive(&labels, "eggs", &positive, &error),
                         CLEAVE_ERROR_USAGE);
        assert_says(&error, "eggs");
        assert_non_null(strstr(error.hint, cases[i].first));
        clv_labels_free(&labels);
    }
    cleave_context_free(context);
}

/* ---- names.c --------------------------------------------------------------------------------- */

static void implicit_names_are_numbers(void **state)
{
    Context *context = new_context(1);
    char buffer[24];
    Names names;

    (void)state;
    clv_names_init(&names, context, true);
    assert_string_equal(clv_names_get(&names, 0, buffer), "1");
    assert_string_equal(clv_names_get(&names, 2147483646, buffer), "2147483647");
    assert_int_equal(clv_names_find(&names, "1", 1), 0);
    assert_int_equal(clv_names_find(&names, "0", 1), NO_COLUMN);
    assert_int_equal(clv_names_find(&names, "01", 2), NO_COLUMN);
    assert_int_equal(clv_names_find(&names, "x", 1), NO_COLUMN);
    assert_int_equal(clv_names_find(&names, "", 0), NO_COLUMN);
    assert_int_equal(clv_names_find(&names, "99999999999", 11), NO_COLUMN);
    names.first = 0;
    assert_string_equal(clv_names_get(&names, 0, buffer), "0");
    assert_int_equal(clv_names_find(&names, "0", 1), 0);
    clv_names_free(&names);
    cleave_context_free(context);
}

static void dictionaries_find_words(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    Names names, copy;
    uint32_t column;
    char buffer[24];

    (void)state;
    clv_names_init(&names, context, false);
    assert_int_equal(clv_names_find(&names, "a", 1), NO_COLUMN);
    for (uint32_t time = 0; time < 2; time++)
        for (uint32_t i = 0; i < 20000; i++) {
            char text[24];
            size_t length = (size_t)snprintf(text, sizeof text, "w%u", i);

            FINE(clv_names_add(&names, text, length, &column, &error));
            assert_int_equal(column, i);
        }
    assert_int_equal(names.count, 20000);
    assert_string_equal(clv_names_get(&names, 777, buffer), "w777");
    assert_int_equal(clv_names_length(&names, 777), 4);
    assert_int_equal(clv_names_find(&names, "w19999", 6), 19999);
    assert_int_equal(clv_names_find(&names, "w20000", 6), NO_COLUMN);
    FINE(clv_names_add(&names, "a\0b", 3, &column, &error)); /* any bytes are a name */
    assert_int_equal(clv_names_find(&names, "a\0c", 3), NO_COLUMN);
    assert_int_equal(clv_names_find(&names, "a", 1), NO_COLUMN);
    assert_int_equal(clv_names_find(&names, "a\0b", 3), column);
    clv_names_init(&copy, context, true);
    FINE(clv_names_copy(&copy, &names, &error));
    assert_false(copy.implicit);
    assert_int_equal(copy.count, names.count);
    copy.frozen = true;
    FINE(clv_names_add(&copy, "w5", 2, &column, &error));
    assert_int_equal(column, 5);
    FINE(clv_names_add(&copy, "new", 3, &column, &error));
    assert_int_equal(column, NO_COLUMN);
    assert_int_equal(copy.count, names.count);
    clv_names_free(&names);
    clv_names_free(&copy);
    clv_names_init(&names, context, false);
    names.frozen = true; /* a model that knows no words */
    FINE(clv_names_add(&names, "new", 3, &column, &error));
    assert_int_equal(column, NO_COLUMN);
    clv_names_free(&names);
    cleave_context_free(context);
}

/* ---- facts.c --------------------------------------------------------------------------------- */

static void facts_that_do_not_fit_are_refused(void **state)
{
    static const char *const wrong[] = {"labels", "label_counts", "column_kinds", "names"};
    Context *context = new_context(1);
    cleave_error error = {0};
    Labels labels;
    Schema schema;
    Names names;

    (void)state;
    clv_labels_init(&labels, context);
    clv_schema_init(&schema, context);
    clv_names_init(&names, context, false);
    add(&labels, "a");
    add(&labels, "b");
    FINE(clv_names_add(&names, "x", 1, &(uint32_t){0}, &error));
    FINE(clv_schema_add(&schema, "x", 1, COLUMN_NUMBER, &error));
    for (size_t i = 0; i <= sizeof wrong / sizeof *wrong; i++) {
        Labels other_labels;
        Schema other_schema;
        Names other_names;
        Bundle *bundle;
        Status status;

        clv_labels_init(&other_labels, context);
        clv_schema_init(&other_schema, context);
        clv_names_init(&other_names, context, true);
        FINE(clv_bundle_new(context, &bundle, &error));
        FINE(clv_facts_put(bundle, &labels, &names, &schema, &error));
        if (i < sizeof wrong / sizeof *wrong) /* something else under that name */
            FINE(clv_bundle_put(bundle, wrong[i], BUNDLE_F32, &(float){1}, 1, &error));
        status = clv_facts_get(bundle, "file", &other_labels, &other_names, &other_schema, &error);
        if (i < sizeof wrong / sizeof *wrong) {
            assert_int_equal(status, CLEAVE_ERROR_FORMAT);
            assert_says(&error, "file: ");
        } else {
            FINE(status);
            assert_int_equal(other_labels.count, 2);
            assert_int_equal(other_names.count, 1);
            assert_string_equal(other_schema.column[0].name, "x");
        }
        clv_bundle_free(bundle);
        clv_labels_free(&other_labels);
        clv_schema_free(&other_schema);
        clv_names_free(&other_names);
    }
    clv_labels_free(&labels);
    clv_schema_free(&schema);
    clv_names_free(&names);
    cleave_context_free(context);
}

/* ---- block.c, builder.c ---------------------------------------------------------------------- */

/* A dataset file may contain zeros that are not fillers: their gaps must survive a copy. */
static void zeros_of_a_file_are_copied(void **state)
{
    static const uint32_t end[] = {3};
    static const uint16_t gap[] = {1, 2, 3};
    static const float value[] = {1, 0, 1};
    static const uint8_t label[] = {0};
    Block file = {.rows = 1,
                  .features = 6,
                  .form = ROWS_GAPS,
                  .value_form = VALUES_EACH,
                  .target_form = TARGETS_LABELS,
                  .label_bytes = 1,
                  .end = end,
                  .gap = gap,
                  .value = value,
                  .target = label};
    Context *context = cleave_context_new(NULL);
    uint64_t count[6] = {0};
    Builder builder;
    Block copy;
    cleave_error error;

    (void)state;
    clv_builder_init(&builder, context);
    clv_builder_clear(&builder);
    FINE(clv_builder_copy_rows(&builder, &file, 0, 1, &error));
    FINE(clv_builder_finish(&builder, &copy, &error));
    clv_block_count(&copy, count);
    assert_int_equal(count[0], 1);
    assert_int_equal(count[2], 0);
    assert_int_equal(count[5], 1);
    clv_builder_free(&builder);
    cleave_context_free(context);
}

/* Adding several values at once equals adding them one by one: zeros are dropped, and distant
 * columns get fillers. */
static void entries_added_together(void **state)
{
    enum { COUNT = 12 };
    static const uint32_t columns[COUNT] = {0,     2,     3,      4,      10,     70000,
                                            70001, 70002, 200000, 200003, 200004, 200005};
    Context *context = new_context(1);
    Random random = clv_random(5, 0);
    cleave_error error = {0};
    Builder one, many;

    (void)state;
    clv_builder_init(&one, context);
    clv_builder_init(&many, context);
    for (int time = 0; time < 200; time++) {
        float values[COUNT];
        size_t count = 1 + clv_random_below(&random, COUNT);
        Block a, b;
        RowWalk left, right;

        clv_builder_clear(&one);
        clv_builder_clear(&many);
        for (size_t i = 0; i < count; i++) {
            values[i] = time % 2 ? (float)clv_random_below(&random, 3) : 1 + (float)i;
            FINE(clv_builder_add(&one, columns[i], values[i], &error));
        }
        FINE(clv_builder_add_many(&many, columns, values, count, &error));
        FINE(clv_builder_end_row(&one, 0, &error));
        FINE(clv_builder_end_row(&many, 0, &error));
        FINE(clv_builder_finish(&one, &a, &error));
        FINE(clv_builder_finish(&many, &b, &error));
        left = clv_walk(&a, 0);
        right = clv_walk(&b, 0);
        while (clv_walk_next(&left)) {
            assert_true(clv_walk_next(&right));
            assert_int_equal(left.column, right.column);
            assert_true(left.value == right.value && left.value != 0);
        }
        assert_false(clv_walk_next(&right));
    }
    clv_builder_free(&one);
    clv_builder_free(&many);
    cleave_context_free(context);
}

/* The example of data/block.h: columns 0 3 4 70000 are gaps 1 3 1 (65535) 4461. */
static void gaps_as_written(void **state)
{
    static const uint32_t columns[] = {0, 3, 4, 70000};
    Context *context = new_context(1);
    cleave_error error = {0};
    Builder builder;
    Block block;

    (void)state;
    clv_builder_init(&builder, context);
    for (int ones = 0; ones < 2; ones++) {
        clv_builder_clear(&builder);
        clv_builder_begin_row(&builder);
        for (size_t i = 0; i < 4; i++)
            FINE(clv_builder_add(&builder, columns[i], ones ? 1 : (float)(i + 1), &error));
        /* is not stored, but counts as a column */
        FINE(clv_builder_add(&builder, 80000, 0, &error));
        FINE(clv_builder_end_row(&builder, 3, &error));
        FINE(clv_builder_finish(&builder, &block, &error));
        assert_int_equal(block.form, ROWS_GAPS);
        assert_int_equal(block.value_form, ones ? VALUES_ONES : VALUES_EACH);
        assert_true(block.has_fillers);
        assert_int_equal(block.end[0], 5);
        assert_int_equal(block.gap[0], 1);
        assert_int_equal(block.gap[1], 3);
        assert_int_equal(block.gap[2], 1);
        assert_int_equal(block.gap[3], ones ? 0 : FILLER_GAP);
        assert_int_equal(block.gap[4], 4461);
        assert_int_equal(block.features, 80001);
        assert_int_equal(clv_block_entries(&block), 4);
        assert_true(clv_block_norm2(&block, 0) == (ones ? 4 : 30));
        assert_int_equal(block_label(&block, 0), 3);
    }
    clv_builder_free(&builder);
    cleave_context_free(context);
}

/* Labels are as wide as the largest requires. The largest number of a width means none. */
static void widths_of_labels(void **state)
{
    static const struct {
        uint32_t largest;
        int bytes;
    } cases[] = {{0, 1}, {254, 1}, {255, 2}, {65534, 2}, {65535, 4}, {1000000, 4}};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Builder builder;
        Block block;

        clv_builder_init(&builder, context);
        clv_builder_clear(&builder);
        for (int row = 0; row < 3; row++) {
            clv_builder_begin_row(&builder);
            FINE(clv_builder_end_row(&builder,
                                     row == 0   ? cases[i].largest
                                     : row == 1 ? UNLABELED
                                                : 0,
                                     &error));
        }
        FINE(clv_builder_finish(&builder, &block, &error));
        assert_int_equal(block.label_bytes, cases[i].bytes);
        assert_int_equal(block_label(&block, 0), cases[i].largest);
        assert_int_equal(block_label(&block, 1), UNLABELED);
        assert_int_equal(block_label(&block, 2), 0);
        assert_true(clv_block_sound(&block, 0, cases[i].largest + 1));
        assert_false(clv_block_sound(&block, 0, cases[i].largest));
        clv_builder_free(&builder);
    }
    cleave_context_free(context);
}

/* Blocks from outside that would make a learner access memory outside of its arrays. */
static void unsound_blocks_are_found(void **state)
{
    Context *context = new_context(1);
    Table table = {0};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        table_row(&table, i % 2);
        table_cell(&table, i, 2);
        table_cell(&table, i + 70000, 3);
    }
    table.weights = table.names = true;
    for (int fault = 0; fault < 11; fault++) {
        bool columns = fault == 1 || fault == 2 || fault > 8;
        Shape shape = {columns ? ROWS_COLUMNS : ROWS_GAPS,
                       fault == 8 ? VALUES_PER_ROW : VALUES_EACH};
        Encoded encoded;

        encode(&table, 0, table.rows, shape, &encoded);
        assert_true(clv_block_sound(&encoded.block, table.features, 2));
        switch (fault) {
        case 0:
            encoded.gap[1] = 65535, encoded.gap[2] = 65535; /* past the last feature */
            break;
        case 1:
            encoded.column[1] = table.features;
            break;
        case 2:
            encoded.column[1] = encoded.column[0]; /* twice */
            break;
        case 3:
            encoded.gap[0] = 0; /* backwards, to column -1 */
            break;
        case 4:
            encoded.end[1] = encoded.end[0] - 1;
            break;
        case 5:
            encoded.value[0] = NAN;
            break;
        case 6:
            encoded.weight[2] = INFINITY;
            break;
        case 7:
            encoded.label[1] = 2;
            break;
        case 8:
            encoded.block.has_fillers = false; /* and there are some */
            break;
        case 9:
            encoded.column[7] = table.features; /* in the last row */
            break;
        case 10:
            encoded.column[7] = encoded.column[6];
            break;
        }
        assert_false(clv_block_sound(&encoded.block, table.features, 2));
        encoded_free(&encoded);
    }
    table_free(&table);
    cleave_context_free(context);
}

static void blocks_are_packed(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    Buffer packed = {0};
    Encoded encoded;
    Table table = {0};
    Block block;

    (void)state;
    for (uint32_t i = 0; i < 9; i++) {
        table_row(&table, i % 2);
        table_cell(&table, i, (float)i + 1);
    }
    encode(&table, 0, table.rows, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    encoded.block.first_row = 77;
    FINE(clv_block_pack(context, &encoded.block, true, &packed, &error));
    assert_int_equal(packed.size % 64, 0);
    assert_true(clv_block_checksum_ok(packed.data, packed.size));
    assert_true(clv_block_unpack(packed.data, packed.size, &block));
    assert_int_equal(block.first_row, 77);
    for (uint32_t i = 0; i < 9; i++)
        assert_same_row(&table, i, &block, i);
    assert_false(clv_block_unpack(packed.data, packed.size - 64, &block));
    assert_false(clv_block_unpack(packed.data, 8, &block));
    assert_false(clv_block_checksum_ok(packed.data, packed.size - 64));
    packed.data[packed.size - 1]++;
    assert_false(clv_block_checksum_ok(packed.data, packed.size));
    encoded_free(&encoded);
    table_free(&table);
    clv_free(context, packed.data);
    cleave_context_free(context);
}

static void a_source_without_rewind(void **state)
{
    static const SourceOps once = {0};
    Context *context = new_context(1);
    cleave_error error = {0};
    Source source;

    (void)state;
    clv_source_init(&source, context, &once);
    FINE(clv_source_rewind(&source, &error)); /* nothing has been read */
    source.started = true;
    assert_int_equal(clv_source_rewind(&source, &error), CLEAVE_ERROR_IO);
    assert_says(&error, "only once");
    clv_source_close(NULL);
    cleave_context_free(context);
}

/* Rows from several pieces of memory come out of a drained dataset in the order in which they were
 * added, and can be moved to it again. */
static void rows_are_drained(void **state)
{
    enum { BLOCKS = 40, WIDTH = 4096 };
    static float values[WIDTH];
    Context *context = new_context(1);
    cleave_error error = {0};
    Dataset *dataset, *again;
    Source *source;
    const Block *block;

    (void)state;
    FINE(clv_dataset_new(context, &dataset, &error));
    for (int i = 0; i < BLOCKS; i++) {
        Block added = {.rows = 1,
                       .features = WIDTH,
                       .form = ROWS_DENSE,
                       .value_form = VALUES_EACH,
                       .value = values};

        values[i] = (float)(i + 1);
        FINE(clv_dataset_add(dataset, &added, &error));
    }
    assert_true(dataset->piece_count > 2);
    FINE(clv_dataset_drain(dataset, &source, &error));
    assert_int_equal(dataset->blocks, 0);
    assert_int_equal(dataset->rows, 0);
    assert_int_equal(dataset->features, WIDTH);
    FINE(clv_dataset_load(source, &again, &error));
    assert_int_equal(clv_source_rewind(source, &error), CLEAVE_ERROR_IO);
    clv_source_close(source);
    assert_int_equal(again->blocks, BLOCKS);
    clv_dataset_move_rows(again, dataset);
    assert_int_equal(again->blocks, 0);
    clv_dataset_free(again);
    FINE(clv_dataset_source(dataset, true, &source, &error));
    for (int i = 0; i < BLOCKS; i++) {
        FINE(source_next(source, &block, &error));
        assert_int_equal(block->first_row, i);
        assert_float_equal(block->value[i], i + 1, 0);
        assert_float_equal(block->value[i + 1], 0, 0);
    }
    clv_source_close(source);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_text),
        cmocka_unit_test(labels_of_libsvm_are_numbers),
        cmocka_unit_test(labels_that_differ_only_in_writing_are_noted),
        cmocka_unit_test(which_label_is_positive),
        cmocka_unit_test(implicit_names_are_numbers),
        cmocka_unit_test(dictionaries_find_words),
        cmocka_unit_test(facts_that_do_not_fit_are_refused),
        cmocka_unit_test(zeros_of_a_file_are_copied),
        cmocka_unit_test(entries_added_together),
        cmocka_unit_test(gaps_as_written),
        cmocka_unit_test(widths_of_labels),
        cmocka_unit_test(unsound_blocks_are_found),
        cmocka_unit_test(blocks_are_packed),
        cmocka_unit_test(a_source_without_rewind),
        cmocka_unit_test(rows_are_drained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
