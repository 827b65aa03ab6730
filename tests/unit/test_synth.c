/* The generators: each row is a function of seed, part and number; documented distributions;
 * errors; failing allocations. */
#include "base/random.h"
#include "read_all.h"
#include "support/support.h"
#include "synth/synth.h"

#include <math.h>

static Context *context;

static int set_up(void **state)
{
    (void)state;
    context = cleave_context_new(NULL);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    cleave_context_free(context);
    return 0;
}

static GenerateOptions usual(void)
{
    GenerateOptions options;

    clv_params_initial(clv_generate_params, &options);
    return options;
}

static Source *open_source(const GeneratorKind *kind, GenerateOptions options, int part)
{
    Source *source;
    cleave_error error;

    assert_int_equal(clv_generator_source(context, kind, &options, part, &source, &error), OK);
    return source;
}

static const Block *next_block(Source *source)
{
    const Block *block;
    cleave_error error;

    assert_int_equal(source_next(source, &block, &error), OK);
    return block;
}

static char *all_rows(const GeneratorKind *kind, GenerateOptions options, int part)
{
    Source *source = open_source(kind, options, part);
    Text text = {.data = NULL};
    cleave_error error;

    assert_int_equal(text_put_source(&text, source, &error), OK);
    clv_source_close(source);
    return text.data;
}

/* ---- options --------------------------------------------------------------------------------- */

static void test_usual_options(void **state)
{
    GenerateOptions options = usual();
    Generator *generator;
    cleave_error error;

    (void)state;
    assert_int_equal(
        clv_generator_open(context, &clv_generator_sparse, &options, &generator, &error), OK);
    assert_int_equal(generator->options.rows, 781265);
    assert_int_equal(generator->options.features, 47236);
    assert_int_equal(generator->options.nonzeros, 75);
    assert_true(generator->options.noise == 0.012);
    assert_int_equal(clv_generator_rows(generator, PART_TEST), 0);
    clv_generator_close(generator);
    assert_int_equal(
        clv_generator_open(context, &clv_generator_blobs, &options, &generator, &error), OK);
    assert_int_equal(generator->options.rows, 10000);
    assert_int_equal(generator->options.features, 10);
    assert_int_equal(generator->options.classes, 3);
    clv_generator_close(generator);
    assert_int_equal(clv_generator_open(context, &clv_generator_spam, &options, &generator, &error),
                     OK);
    assert_int_equal(clv_generator_rows(generator, PART_TRAIN), 1000);
    clv_generator_close(generator);
}

/* Few columns and no number of non-zeros: still sparse. */
static void test_few_features(void **state)
{
    GenerateOptions options = usual();
    Generator *generator;
    cleave_error error;

    (void)state;
    options.features = 40;
    assert_int_equal(
        clv_generator_open(context, &clv_generator_sparse, &options, &generator, &error), OK);
    assert_int_equal(generator->options.nonzeros, 10);
    clv_generator_close(generator);
}

static void test_refusals(void **state)
{
    GenerateOptions options = usual();
    const GeneratorKind *kind;
    Generator *generator;
    Source *source;
    Buffer buffer = {0};
    cleave_error error;

    (void)state;
    assert_int_equal(clv_generator_find("sparse", &kind, &error), OK);
    assert_ptr_equal(kind, &clv_generator_sparse);
    assert_int_equal(clv_generator_find("spase", &kind, &error), CLEAVE_ERROR_USAGE);
    assert_string_equal(error.message, "unknown kind of data 'spase'; did you mean 'sparse'?");
    assert_int_equal(clv_generator_find("mountains", &kind, &error), CLEAVE_ERROR_USAGE);
    assert_null(kind);

    options.features = 10;
    options.nonzeros = 6;
    assert_int_equal(
        clv_generator_source(context, &clv_generator_sparse, &options, PART_TRAIN, &source, &error),
        CLEAVE_ERROR_USAGE);
    assert_string_equal(error.message, "--nonzeros 6 is more than half of --features 10");
    assert_null(source);

    assert_int_equal(
        clv_generator_source(context, &clv_generator_spam, &options, PART_TRAIN, &source, &error),
        CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.hint, ".tsv"));
    assert_int_equal(
        clv_generator_open(context, &clv_generator_blobs, &options, &generator, &error), OK);
    assert_int_equal(clv_generator_text(generator, PART_TRAIN, 0, 1, &buffer, &error),
                     CLEAVE_ERROR_USAGE);
    clv_generator_close(generator);
}

/* Every initial value except those of test_rows and seed is out of range, so that users cannot set
 * a default by accident. */
static void test_table(void **state)
{
    (void)state;
    for (const Param *param = clv_generate_params; param->name; param++) {
        bool own = strcmp(param->name, "test_rows") == 0 || strcmp(param->name, "seed") == 0;

        if (param->type == CLEAVE_TEXT)
            continue;
        assert_int_equal(own, param->initial >= param->min);
        assert_true(param->max > param->min);
        assert_non_null(param->help);
    }
}

/* ---- rows are functions of seed, part and number --------------------------------------------- */

static char *some_rows(const GeneratorKind *kind, GenerateOptions options, uint64_t first,
                       uint32_t rows)
{
    Generator *generator;
    Builder builder;
    Block block;
    Text text = {.data = NULL};
    cleave_error error;

    clv_builder_init(&builder, context);
    assert_int_equal(clv_generator_open(context, kind, &options, &generator, &error), OK);
    assert_int_equal(kind->block(generator->state, PART_TRAIN, first, rows, &builder, &error), OK);
    assert_int_equal(clv_builder_finish(&builder, &block, &error), OK);
    text_put(&text, "");
    for (uint32_t row = 0; row < block.rows; row++) {
        char number[NUMBER_SIZE];

        text_add(&text, number, clv_format_unsigned(number, block_label(&block, row)));
        for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);) {
            text_put(&text, " ");
            text_add(&text, number, clv_format_unsigned(number, walk.column));
            text_put(&text, ":");
            text_put_value(&text, walk.value);
        }
        text_put(&text, "\n");
    }
    clv_generator_close(generator);
    clv_builder_free(&builder);
    return text.data;
}

static void check_rows_stand_alone(const GeneratorKind *kind)
{
    GenerateOptions options = usual();
    char *all, *middle, *other;

    options.rows = 300;
    options.features = 500;
    all = some_rows(kind, options, 0, 300);
    middle = some_rows(kind, options, 117, 60);
    assert_non_null(strstr(all, middle));
    options.seed = 2;
    other = some_rows(kind, options, 117, 60);
    assert_string_not_equal(middle, other);
    free(all);
    free(middle);
    free(other);
}

static void test_rows_stand_alone(void **state)
{
    (void)state;
    check_rows_stand_alone(&clv_generator_sparse);
    check_rows_stand_alone(&clv_generator_blobs);
    check_rows_stand_alone(&clv_generator_steps);
}

static void test_parts_differ(void **state)
{
    GenerateOptions options = usual();
    char *train, *again, *test;

    (void)state;
    options.rows = options.test_rows = 50;
    train = all_rows(&clv_generator_sparse, options, PART_TRAIN);
    again = all_rows(&clv_generator_sparse, options, PART_TRAIN);
    test = all_rows(&clv_generator_sparse, options, PART_TEST);
    assert_string_equal(train, again);
    assert_string_not_equal(train, test);
    free(train);
    free(again);
    free(test);
}

static void test_rewind(void **state)
{
    GenerateOptions options = usual();
    Source *source;
    Text first = {.data = NULL}, second = {.data = NULL};
    cleave_error error;
    uint64_t counted = 0;

    (void)state;
    options.rows = 2500;
    source = open_source(&clv_generator_sparse, options, PART_TRAIN);
    assert_int_equal(source->rows_total, 2500);
    assert_int_equal(source->features, 47236);
    assert_true(source->names.implicit);
    assert_non_null(next_block(source));
    assert_int_equal(clv_source_rewind(source, &error), OK);
    assert_int_equal(text_put_source(&first, source, &error), OK);
    assert_int_equal(clv_source_rewind(source, &error), OK);
    assert_int_equal(text_put_source(&second, source, &error), OK);
    assert_string_equal(first.data, second.data);
    assert_null(next_block(source));
    for (uint32_t i = 0; i < source->labels.count; i++)
        counted += source->labels.list[i].count;
    assert_int_equal(counted, 2500);
    assert_int_equal(strncmp(first.data, source->labels.list[0].text, 2),
                     0); /* numbered as they appear */
    text_free(&first);
    text_free(&second);
    clv_source_close(source);
}

/* ---- sparse ---------------------------------------------------------------------------------- */

static unsigned digits_of(float value)
{
    char text[NUMBER_SIZE];
    size_t length = clv_format_float(text, value);
    unsigned digits = 0;
    bool leading = true;

    for (size_t i = 0; i < length && text[i] != 'e'; i++) {
        leading = leading && (text[i] == '0' || text[i] == '.' || text[i] == '-');
        digits += !leading && text[i] != '.';
    }
    return digits;
}

static void check_sparse_row(const Block *block, uint32_t row, uint32_t features)
{
    uint32_t last = UINT32_MAX;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        assert_true(walk.column < features);
        assert_true(last == UINT32_MAX || walk.column > last);
        assert_true(walk.value > 0 && walk.value <= 1);
        assert_true(digits_of(walk.value) <= 6);
        last = walk.column;
    }
    assert_true(last != UINT32_MAX);
    assert_true(fabs(clv_block_norm2(block, row) - 1) < 1e-4);
}

static void check_sparse(int64_t rows, int64_t features, int64_t nonzeros)
{
    GenerateOptions options = usual();
    Source *source;
    const Block *block;
    double entries = 0;
    uint32_t positive;

    options.rows = rows;
    options.features = features;
    options.nonzeros = nonzeros;
    source = open_source(&clv_generator_sparse, options, PART_TRAIN);
    while ((block = next_block(source))) {
        entries += (double)clv_block_entries(block);
        for (uint32_t row = 0; row < block->rows; row++)
            check_sparse_row(block, row, (uint32_t)features);
    }
    assert_int_equal(source->rows, rows);
    assert_true(fabs(entries / (double)rows / (double)nonzeros - 1) < 0.03);
    assert_int_equal(source->labels.count, 2);
    positive = clv_labels_find(&source->labels, "+1", 2);
    assert_true(fabs((double)source->labels.list[positive].count / (double)rows - 0.474) < 0.03);
    clv_source_close(source);
}

static void test_sparse_shape(void **state)
{
    (void)state;
    check_sparse(6000, 47236, 75);
    check_sparse(6000, 1000, 20);
    check_sparse(6000, 300000, 10);
    check_sparse(3000, 600, 300);
}

static void test_smallest(void **state)
{
    GenerateOptions options = usual();
    char *rows;

    (void)state;
    options.rows = 200;
    options.features = 2;
    rows = all_rows(&clv_generator_sparse, options, PART_TRAIN);
    assert_non_null(rows);
    free(rows);
    options.features = options.classes = 1;
    rows = all_rows(&clv_generator_blobs, options, PART_TRAIN);
    assert_non_null(rows);
    free(rows);
}

/* ---- what a linear separator makes of it ----------------------------------------------------- */

typedef struct {
    double *w, *sum, seen;
    uint32_t features;
} Averaged;

static double score(const double *w, const Block *block, uint32_t row, uint32_t features)
{
    double sum = w[features];

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        if (walk.column < features)
            sum += w[walk.column] * (double)walk.value;
    return sum;
}

/* One epoch of the averaged perceptron. Rows with the positive label are +1. */
static void traversal(Averaged *learner, Source *source, const char *positive)
{
    const Block *block;

    while ((block = next_block(source)))
        for (uint32_t row = 0; row < block->rows; row++, learner->seen++) {
            double y = strcmp(source->labels.list[block_label(block, row)].text, positive) == 0
                           ? 1
                           : -1;

            if (y * score(learner->w, block, row, learner->features) > 0)
                continue;
            for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
                learner->w[walk.column] += y * (double)walk.value;
                learner->sum[walk.column] += y * (double)walk.value * learner->seen;
            }
            learner->w[learner->features] += y;
            learner->sum[learner->features] += y * learner->seen;
        }
}

static double error_of(const Averaged *learner, Source *source, const char *positive)
{
    double *mean = malloc((learner->features + 1) * sizeof *mean);
    const Block *block;
    double errors = 0;

    assert_non_null(mean);
    for (uint32_t i = 0; i <= learner->features; i++)
        mean[i] = learner->w[i] - learner->sum[i] / learner->seen;
    while ((block = next_block(source)))
        for (uint32_t row = 0; row < block->rows; row++) {
            bool is = strcmp(source->labels.list[block_label(block, row)].text, positive) == 0;

            errors += is != (score(mean, block, row, learner->features) > 0);
        }
    free(mean);
    return errors / (double)source->rows;
}

/* train is swept ten times; both are closed. */
static double held_out_error(Source *train, Source *test, uint32_t features, const char *positive)
{
    Averaged learner = {.features = features, .seen = 1};
    cleave_error error;
    double share;

    learner.w = calloc(features + 1, sizeof *learner.w);
    learner.sum = calloc(features + 1, sizeof *learner.sum);
    assert_true(learner.w && learner.sum);
    for (int round = 0; round < 10; round++) {
        assert_int_equal(clv_source_rewind(train, &error), OK);
        traversal(&learner, train, positive);
    }
    share = error_of(&learner, test, positive);
    free(learner.w);
    free(learner.sum);
    clv_source_close(train);
    clv_source_close(test);
    return share;
}

static void test_sparse_is_learnable(void **state)
{
    GenerateOptions options = usual();
    double share;

    (void)state;
    options.rows = 5000;
    options.test_rows = 2000;
    options.features = 5000;
    share = held_out_error(open_source(&clv_generator_sparse, options, PART_TRAIN),
                           open_source(&clv_generator_sparse, options, PART_TEST), 5000, "+1");
    print_message("sparse, 5000 rows: held-out error %.3f\n", share);
    assert_true(share > 0.03 && share < 0.12);
}

/* ---- blobs ----------------------------------------------------------------------------------- */

enum { BLOB_FEATURES = 5, BLOB_CLASSES = 4 };

/* The mean of each class, in order of the labels' numbers. */
static void find_means(Source *source, double mean[BLOB_CLASSES][BLOB_FEATURES])
{
    double count[BLOB_CLASSES] = {0};
    const Block *block;

    memset(mean, 0, sizeof(double[BLOB_CLASSES][BLOB_FEATURES]));
    while ((block = next_block(source)))
        for (uint32_t row = 0; row < block->rows; row++) {
            uint32_t label = block_label(block, row);

            assert_int_equal(block->form, ROWS_DENSE);
            count[label]++;
            for (uint32_t j = 0; j < BLOB_FEATURES; j++)
                mean[label][j] += (double)block->value[row * BLOB_FEATURES + j];
        }
    for (int i = 0; i < BLOB_CLASSES; i++)
        for (int j = 0; j < BLOB_FEATURES; j++)
            mean[i][j] /= count[i];
}

static void test_blobs(void **state)
{
    GenerateOptions options = usual();
    double mean[BLOB_CLASSES][BLOB_FEATURES], nearest = INFINITY;
    Source *source;

    (void)state;
    options.rows = 20000;
    options.features = BLOB_FEATURES;
    options.classes = BLOB_CLASSES;
    options.spread = 6;
    source = open_source(&clv_generator_blobs, options, PART_TRAIN);
    find_means(source, mean);
    assert_int_equal(source->labels.count, BLOB_CLASSES);
    for (uint32_t i = 0; i < BLOB_CLASSES; i++) {
        assert_true(strlen(source->labels.list[i].text) == 1 &&
                    source->labels.list[i].text[0] < '0' + BLOB_CLASSES);
        assert_true(source->labels.list[i].count > 4500 && source->labels.list[i].count < 5500);
    }
    for (int a = 0; a < BLOB_CLASSES; a++)
        for (int b = 0; b < a; b++) {
            double sum = 0;

            for (int j = 0; j < BLOB_FEATURES; j++)
                sum += (mean[a][j] - mean[b][j]) * (mean[a][j] - mean[b][j]);
            nearest = fmin(nearest, sqrt(sum));
        }
    assert_true(fabs(nearest - 6) < 0.1);
    clv_source_close(source);
}

/* ---- spam ------------------------------------------------------------------------------------ */

static Buffer messages(GenerateOptions options, int part, uint64_t first, uint32_t rows)
{
    Generator *generator;
    Buffer buffer = {0};
    cleave_error error;

    assert_int_equal(clv_generator_open(context, &clv_generator_spam, &options, &generator, &error),
                     OK);
    assert_int_equal(clv_generator_text(generator, part, first, rows, &buffer, &error), OK);
    clv_generator_close(generator);
    return buffer;
}

static void test_messages(void **state)
{
    Buffer all = messages(usual(), PART_TRAIN, 0, 1000),
           some = messages(usual(), PART_TRAIN, 500, 7);
    const char *p = all.data, *end = all.data + all.size;
    int rows = 0, spam = 0;

    (void)state;
    for (; p < end; rows++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)),
                   *tab = memchr(p, '\t', (size_t)(end - p));

        assert_true(stop && tab && tab < stop);
        assert_true((tab - p == 3 && memcmp(p, "ham", 3) == 0) ||
                    (tab - p == 4 && memcmp(p, "spam", 4) == 0));
        spam += tab - p == 4;
        assert_null(memchr(tab + 1, '\t', (size_t)(stop - tab - 1)));
        assert_null(memchr(p, '%', (size_t)(stop - p)));
        assert_true(stop - tab > 20);
        p = stop + 1;
    }
    assert_int_equal(rows, 1000);
    assert_true(spam > 340 && spam < 460);
    assert_int_equal(clv_buffer_add(context, &all, "", 1, NULL), OK);
    assert_int_equal(clv_buffer_add(context, &some, "", 1, NULL), OK);
    assert_non_null(strstr(all.data, some.data));
    clv_free(context, all.data);
    clv_free(context, some.data);
}

static Source *read_text(const Buffer *buffer, const ReadGuide *guide)
{
    ReadOptions options = {.format = "auto"};
    Source *source;
    cleave_error error;

    clv_params_initial(clv_read_params, &options);
    assert_int_equal(clv_read_memory(context, "spam", buffer->data, buffer->size, &clv_format_text,
                                     &options, guide, &source, &error),
                     OK);
    return source;
}

static void test_spam_is_learnable(void **state)
{
    Buffer train_text = messages(usual(), PART_TRAIN, 0, 1000),
           test_text = messages(usual(), PART_TEST, 0, 3000);
    Source *train = read_text(&train_text, NULL);
    ReadGuide guide;
    Names names;
    Schema schema;
    cleave_error error;
    double share;

    (void)state;
    while (next_block(train))
        continue;
    clv_names_init(&names, context, false);
    clv_schema_init(&schema, context);
    assert_int_equal(clv_names_copy(&names, &train->names, &error), OK);
    assert_int_equal(clv_schema_copy(&schema, &train->schema, &error), OK);
    guide = (ReadGuide){.schema = &schema, .names = &names, .features = train->features};
    share = held_out_error(train, read_text(&test_text, &guide), guide.features, "spam");
    print_message("spam, 1000 messages: held-out error %.4f\n", share);
    assert_true(share > 0.01 && share < 0.06);
    clv_names_free(&names);
    clv_schema_free(&schema);
    clv_free(context, train_text.data);
    clv_free(context, test_text.data);
}

/* ---- short memory ---------------------------------------------------------------------------- */

static Status make_some(Context *poor, const GeneratorKind *kind, cleave_error *error)
{
    GenerateOptions options = usual();
    const Block *block;
    Source *source;

    options.rows = 100;
    options.features = 300;
    TRY(clv_generator_source(poor, kind, &options, PART_TRAIN, &source, error));
    do {
        Status status = source_next(source, &block, error);

        if (status != OK) {
            clv_source_close(source);
            return status;
        }
    } while (block);
    clv_source_close(source);
    return OK;
}

static void fail_in_turn(const GeneratorKind *kind)
{
    for (long long fail_at = 2;; fail_at++) {
        TestMemory memory = {.fail_at = fail_at};
        Context *poor = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                            .allocate = test_allocate,
                                                            .user = &memory,
                                                            .threads = 1});
        cleave_error error;
        Status status;

        assert_non_null(poor);
        status = make_some(poor, kind, &error);
        cleave_context_free(poor);
        assert_int_equal(memory.live, 0);
        if (memory.failures == 0)
            return;
        assert_int_equal(status, CLEAVE_ERROR_MEMORY);
        assert_int_equal(error.code, CLEAVE_ERROR_MEMORY);
    }
}

static void test_short_memory(void **state)
{
    (void)state;
    fail_in_turn(&clv_generator_sparse);
    fail_in_turn(&clv_generator_blobs);
    fail_in_turn(&clv_generator_steps);
}

/* For any number of columns. */
static void test_steps(void **state)
{
    static const int64_t widths[] = {1, 2, 20, 54, 120};

    (void)state;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        GenerateOptions options = usual();
        Generator *generator;
        cleave_error error;
        Builder builder;

        options.features = widths[i];
        options.classes = 3;
        assert_int_equal(
            clv_generator_open(context, &clv_generator_steps, &options, &generator, &error), OK);
        clv_builder_init(&builder, context);
        clv_builder_clear(&builder);
        assert_int_equal(
            generator->kind->block(generator->state, PART_TRAIN, 0, 500, &builder, &error), OK);
        assert_int_equal(builder.rows, 500);
        for (uint32_t row = 0; row < 500; row++)
            assert_true(builder.label[row] < 3);
        clv_builder_free(&builder);
        clv_generator_close(generator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_usual_options),
        cmocka_unit_test(test_few_features),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_rows_stand_alone),
        cmocka_unit_test(test_parts_differ),
        cmocka_unit_test(test_rewind),
        cmocka_unit_test(test_sparse_shape),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_sparse_is_learnable),
        cmocka_unit_test(test_blobs),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_spam_is_learnable),
        cmocka_unit_test(test_short_memory),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
