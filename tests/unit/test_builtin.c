/* The built-in sets: every row, name, label and value of the documents, in their order. */
#include "read_all.h"
#include "support/support.h"
#include "synth/synth.h"

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

static void put_row_name(Text *text, const Block *block, uint32_t row)
{
    if (block->name_end) {
        uint32_t start = row ? block->name_end[row - 1] : 0;

        text_add(text, block->name + start, block->name_end[row] - start);
        text_put(text, " ");
    }
}

/* "name label value value …" for each row, including zeros. */
static void put_rows(Text *text, Dataset *dataset)
{
    Block block;
    cleave_error error;

    assert_int_equal(dataset->blocks, 1);
    assert_int_equal(clv_dataset_block(dataset, 0, &block, &error), OK);
    for (uint32_t row = 0; row < block.rows; row++) {
        float values[16] = {0};

        put_row_name(text, &block, row);
        text_put(text, dataset->labels.list[block_label(&block, row)].text);
        for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
            values[walk.column] = walk.value;
        for (uint32_t column = 0; column < dataset->features; column++) {
            text_put(text, " ");
            text_put_value(text, values[column]);
        }
        text_put(text, "\n");
    }
}

static void check(const char *name, const char *features, const char *rows)
{
    Dataset *dataset;
    cleave_error error;
    Text text = {.data = NULL};
    uint64_t counted = 0;

    assert_int_equal(clv_builtin_open(context, name, &dataset, &error), OK);
    assert_string_equal(dataset->schema.format, "builtin");
    assert_false(dataset->names.implicit);
    assert_int_equal(dataset->features, dataset->names.count);
    for (uint32_t column = 0; column < dataset->features; column++) {
        char digits[24];

        text_put(&text, column ? "|" : "");
        text_put(&text, clv_names_get(&dataset->names, column, digits));
    }
    assert_string_equal(text.data, features);
    text.size = 0;
    put_rows(&text, dataset);
    assert_string_equal(text.data, rows);
    for (uint32_t i = 0; i < dataset->labels.count; i++)
        counted += dataset->labels.list[i].count;
    assert_int_equal(counted, dataset->rows);
    text_free(&text);
    clv_dataset_free(dataset);
}

static void test_sets(void **state)
{
    (void)state;
    check("@spam6", "and|viagra|the|of|nigeria",
          "a +1 1 1 0 1 1\nb -1 0 0 1 1 0\nc +1 0 1 1 0 0\nd -1 1 0 0 1 0\ne +1 1 0 1 0 1\nf -1 1 "
          "0 1 1 0\n");
    check("@films5", "Star Wars|Martian|Avengers|Titanic|Lake House|You've Got Mail",
          "A +1 0 1 1 1 1 0\nB +1 1 1 1 0 0 0\nC -1 0 1 0 1 1 0\nD -1 0 0 0 1 0 1\nE +1 1 0 1 0 0 "
          "1\n");
    check("@points5", "x1|x2", "A -1 1 4\nB -1 3 3\nC -1 3 1\nD +1 3 6\nE +1 5 3\n");
    check("@points6", "x1|x2", "+1 1 4\n+1 2 2\n+1 3 4\n-1 1 1\n-1 2 1\n-1 3 1\n");
    check("@line4", "x", "2 1\n1 2\n4 3\n3 4\n");
    check("@square4", "x1|x2", "+1 1 2\n-1 2 1\n+1 3 4\n-1 4 3\n");
    check("@peak7", "x", "1 1\n2 2\n4 3\n8 4\n4 5\n2 6\n1 7\n");
    check("@powers6", "x", "1 1\n2 2\n3 4\n4 8\n5 16\n6 32\n");
    check(
        "@dogs", "height|weight",
        "Chihuahua 5 2\nChihuahua 4 1\nChihuahua 6 2\nDachshund 5 4\nDachshund 6 5\nDachshund 4 6\n"
        "Beagle 8 5\nBeagle 9 6\nBeagle 10 7\nBeagle 8 8\n");
}

static void test_list(void **state)
{
    size_t count = 0;

    (void)state;
    for (const Builtin *set = clv_builtins; set->name; set++, count++) {
        Dataset *dataset;
        cleave_error error;

        assert_int_equal(set->name[0], '@');
        assert_non_null(set->brief);
        assert_int_equal(clv_builtin_open(context, set->name, &dataset, &error), OK);
        clv_dataset_free(dataset);
    }
    assert_int_equal(count, 10);
}

static void test_unknown(void **state)
{
    Dataset *dataset;
    cleave_error error;

    (void)state;
    assert_int_equal(clv_builtin_open(context, "@span6", &dataset, &error), CLEAVE_ERROR_USAGE);
    assert_string_equal(error.message, "unknown built-in dataset '@span6'; did you mean '@spam6'?");
    assert_null(dataset);
    assert_int_equal(clv_builtin_open(context, "@iris-of-fisher", &dataset, &error),
                     CLEAVE_ERROR_USAGE);
    assert_string_equal(error.message, "unknown built-in dataset '@iris-of-fisher'");
    assert_non_null(strstr(error.hint, "@powers6 @dogs"));
    assert_int_equal(clv_builtin_open(context, "", &dataset, NULL), CLEAVE_ERROR_USAGE);
}

static void test_short_memory(void **state)
{
    TestMemory memory = {.fail_at = 1};
    Context *poor;

    (void)state;
    poor = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory, .threads = 1});
    assert_null(poor);
    for (long long fail_at = 2;; fail_at++) {
        Dataset *dataset;
        cleave_error error;
        Status status;

        memory = (TestMemory){.fail_at = fail_at};
        poor = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                   .allocate = test_allocate,
                                                   .user = &memory,
                                                   .threads = 1});
        assert_non_null(poor);
        status = clv_builtin_open(poor, "@spam6", &dataset, &error);
        clv_dataset_free(status == OK ? dataset : NULL);
        cleave_context_free(poor);
        assert_int_equal(memory.live, 0);
        if (memory.failures == 0)
            break;
        if (status == OK) /* a failure to shrink an array may have no effect */
            continue;
        assert_int_equal(status, CLEAVE_ERROR_MEMORY);
        assert_int_equal(error.code, CLEAVE_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_short_memory),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
