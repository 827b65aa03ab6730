/* Example 12.1: height > 7 is a Beagle; otherwise weight < 3 is a Chihuahua; otherwise it is a
 * Dachshund. With the Gini index and with entropy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cleave/expert.h>

static void assert_leaf(const cleave_model *model, size_t node, const char *label, double rows)
{
    cleave_tree_node facts;

    assert_true(cleave_model_tree_node(model, 0, node, &facts));
    assert_true(facts.leaf && facts.weight == rows && facts.class_weight[facts.label] == rows);
    assert_string_equal(cleave_model_label(model, facts.label), label);
}

static cleave_tree_node assert_question(const cleave_model *model, size_t node, const char *column)
{
    cleave_tree_node facts;
    char buffer[24];

    assert_true(cleave_model_tree_node(model, 0, node, &facts));
    assert_false(facts.leaf || facts.category);
    assert_string_equal(cleave_model_feature_name(model, facts.column, buffer), column);
    return facts;
}

static void dogs_by(const char *criterion)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_model *model = NULL;
    cleave_tree_node root, other;
    cleave_data *data = NULL;
    cleave_error error;

    assert_int_equal(cleave_options_set(options, "criterion", criterion, &error), CLEAVE_OK);
    assert_int_equal(cleave_open(context, "@dogs", NULL, &data, &error), CLEAVE_OK);
    assert_int_equal(cleave_train(context, "tree", data, NULL, options, &model, NULL, &error),
                     CLEAVE_OK);
    assert_int_equal(cleave_model_tree_count(model), 1);
    root = assert_question(model, 0, "height");
    assert_true(root.bound == 7 && root.nodes == 5); /* up to 7 goes left */
    other = assert_question(model, root.left, "weight");
    assert_true(other.above == 3); /* below 3 goes left */
    assert_leaf(model, root.right, "Beagle", 4);
    assert_leaf(model, other.left, "Chihuahua", 3);
    assert_leaf(model, other.right, "Dachshund", 3);
    assert_false(cleave_model_tree_node(model, 0, 5, &other));
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

static void example_12_1(void **state)
{
    (void)state;
    dogs_by("gini");
    dogs_by("entropy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(example_12_1)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
