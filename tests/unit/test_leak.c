/* Columns that almost determine the label (src/eval/leakage.c): planted ones are found, and others
 * raise no alarm. */
#include "property/table.h"

#include "base/param.h"
#include "eval/leakage.h"
#include "read/reader.h"
#include "support/support.h"

#include <math.h>

enum { ROWS = 600 };

typedef enum {
    NO_LEAK,
    NUMBER_LEAK,
    NOISY_LEAK,
    CATEGORY_LEAK,
    IDENTIFIER,
    NUMBER_TARGET,
    TARGET_LEAK
} Plant;

/* label,x,color,extra: x is slightly informative, color is not. */
static size_t write_row(char *text, size_t workspace, unsigned row, Random *random, Plant plant)
{
    static const char *const colors[] = {"red", "green", "blue"};
    unsigned class = clv_random_below(random, 3);
    double x = class + 3 * clv_random_unit(random), target = 100 * clv_random_unit(random);
    char label[32], extra[32];

    snprintf(label, sizeof label, "c%u", class);
    if (plant == NUMBER_TARGET || plant == TARGET_LEAK)
        snprintf(label, sizeof label, "%.5f", target);
    snprintf(extra, sizeof extra, "%.5f", clv_random_unit(random));
    if (plant == NUMBER_LEAK ||
        (plant == NOISY_LEAK && row % 150 != 0)) /* classes in no order of their numbers */
        snprintf(extra, sizeof extra, "%.5f", (class * 2 + 1) % 3 + 0.9 * clv_random_unit(random));
    if (plant == CATEGORY_LEAK)
        snprintf(extra, sizeof extra, "v%u", class + 3 * clv_random_below(random, 40));
    if (plant == IDENTIFIER)
        snprintf(extra, sizeof extra, "id%u", row);
    if (plant == TARGET_LEAK)
        snprintf(extra, sizeof extra, "%.3f", -3 * target);
    return (size_t)snprintf(text, workspace, "%s,%.5f,%s,%s\n", label, x,
                            colors[clv_random_below(random, 3)], extra);
}

static size_t look(Plant plant, unsigned rows, Suspect *suspects)
{
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(7, plant);
    size_t workspace = (size_t)rows * 64 + 64, used, count;
    char *text = malloc(workspace);
    cleave_error error = {0};
    ReadOptions options = {0};
    Source *source;
    Dataset *dataset;
    bool numbers = plant == NUMBER_TARGET || plant == TARGET_LEAK;

    assert_non_null(context);
    assert_non_null(text);
    used = (size_t)snprintf(text, workspace, "label,x,color,extra\n");
    for (unsigned row = 0; row < rows; row++)
        used += write_row(text + used, workspace - used, row, &random, plant);
    clv_params_initial(clv_read_params, &options);
    if (plant == IDENTIFIER)
        options.columns = "extra=category";
    FINE(clv_read_memory(context, "test.csv", text, used, &clv_format_csv, &options, NULL, &source,
                         &error));
    FINE(clv_dataset_load(source, &dataset, &error));
    FINE(clv_leak_in_dataset(dataset, numbers, suspects, &count, &error));
    clv_source_close(source);
    clv_dataset_free(dataset);
    cleave_context_free(context);
    free(text);
    return count;
}

static void test_nothing(void **state)
{
    Suspect suspects[MOST_SUSPECTS];

    (void)state;
    assert_int_equal(look(NO_LEAK, ROWS, suspects), 0);
    assert_int_equal(look(IDENTIFIER, ROWS, suspects), 0);
    assert_int_equal(look(NUMBER_TARGET, ROWS, suspects), 0);
    assert_int_equal(look(NUMBER_LEAK, 30, suspects), 0); /* too few rows for a conclusion */
}

static void expect(Plant plant, double most)
{
    Suspect suspects[MOST_SUSPECTS];

    assert_int_equal(look(plant, ROWS, suspects), 1);
    assert_string_equal(suspects[0].name, "extra");
    assert_true(suspects[0].error <= most);
    assert_true(suspects[0].majority > 20 * most);
}

static void test_planted(void **state)
{
    (void)state;
    expect(NUMBER_LEAK, 0.03);
    expect(NOISY_LEAK, 0.03);
    expect(CATEGORY_LEAK, 0.02);
    expect(TARGET_LEAK, 1);
}

/* More rows than are kept: the result is the same column, for any sample. */
static void test_many_rows(void **state)
{
    Suspect suspects[MOST_SUSPECTS];

    (void)state;
    assert_int_equal(look(NUMBER_LEAK, 45000, suspects), 1);
    assert_string_equal(suspects[0].name, "extra");
    assert_int_equal(look(NO_LEAK, 45000, suspects), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_many_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
