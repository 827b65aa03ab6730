/* Conditions of tree splits as text, for `explain` and for plots. */
#include "base/number.h"

#include <cleave/expert.h>
#include <stdio.h>

typedef struct {
    const cleave_model *model;
    size_t tree, node, most_values;
    bool left;
    char *text; /* a text that is truncated if it is too long */
    size_t size, length;
} ConditionText;

static void put(ConditionText *words, const char *text)
{
    size_t length = strlen(text);

    if (words->length < words->size) {
        size_t capacity = words->size - words->length - 1,
               copied = length < capacity ? length : capacity;

        memcpy(words->text + words->length, text, copied);
        words->text[words->length + copied] = '\0';
    }
    words->length += length;
}

static size_t count_values(const ConditionText *words, bool side)
{
    size_t next = 0, count = 0;
    const char *name;
    bool left;

    while (cleave_model_tree_value(words->model, words->tree, words->node, &next, &name, &left))
        count += left == side;
    return count;
}

static void put_values(ConditionText *words, bool side)
{
    size_t next = 0, shown = 0, count = count_values(words, side);
    const char *name;
    bool left;

    while (cleave_model_tree_value(words->model, words->tree, words->node, &next, &name, &left)) {
        if (left != side)
            continue;
        if (shown == words->most_values) {
            char more[48];

            snprintf(more, sizeof more, " or %zu more", count - shown);
            put(words, more);
            return;
        }
        put(words, shown == 0 ? "" : shown + 1 == count ? " or " : ", ");
        put(words, name);
        shown++;
    }
    if (shown == 0)
        put(words, "no known value");
}

/* Writes a set of categories. The side with fewer values is listed; the other side is its
 * negation. */
static void put_category(ConditionText *words, const cleave_tree_node *node)
{
    size_t here = count_values(words, words->left), there = count_values(words, !words->left);
    bool named = here <= there || here <= words->most_values;
    size_t count = named ? here : there;

    put(words, named ? " is " : count == 1 ? " is not " : " is none of ");
    if (node->missing_left == words->left && named)
        put(words, "missing or ");
    put(words, named && count > 1 ? "one of " : "");
    put_values(words, named ? words->left : !words->left);
}

/* Writes a bound. Two forms of a bound split the same numbers; the one with fewer digits is
 * used. */
static void put_number(ConditionText *words, const cleave_tree_node *node)
{
    char bound[NUMBER_SIZE], above[NUMBER_SIZE];
    bool shorter;

    clv_format_double(bound, node->bound + 0.0); /* −0 + 0 is 0 */
    clv_format_double(above, node->above + 0.0);
    shorter = strlen(above) < strlen(bound);
    put(words, words->left ? shorter ? " < " : " <= " : shorter ? " >= " : " > ");
    put(words, shorter ? above : bound);
}

size_t cleave_model_tree_condition(const cleave_model *model, size_t tree, size_t number, bool left,
                                   size_t most_values, char *text, size_t size)
{
    ConditionText words = {
        .model = model, .tree = tree, .node = number, .most_values = most_values, .left = left};
    cleave_tree_node node;
    char name[24];

    words.text = text;
    words.size = size;
    if (size)
        *text = '\0';
    if (!cleave_model_tree_node(model, tree, number, &node) || node.leaf)
        return 0;
    put(&words, cleave_model_feature_name(model, node.column, name));
    if (node.category)
        put_category(&words, &node);
    else if (node.bound < 3e38)
        put_number(&words, &node);
    else
        put(&words, left == node.missing_left ? " is missing" : " is there");
    return words.length;
}
