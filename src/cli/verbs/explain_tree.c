/*
 * cleave explain, for trees: nested if and else with the smaller side first, or one rule per leaf.
 * Large trees are cut to their upper levels.
 */
#include "cli/ui/human_numbers.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY_LEAVES = 64, /* trees with more leaves are cut to DEFAULT_LEVELS */
    DEFAULT_LEVELS = 5,
    MOST_VALUES = 12,     /* maximum number of names for a set of categories */
    DEFAULT_COLUMNS = 20, /* default number of columns shown with their importance */
};

typedef struct {
    const cleave_model *model;
    Out *out;
    size_t tree;
    size_t levels; /* number of upper levels shown; 0: all */
    /* rows have sample weights, class weights or second derivatives, so that the leaves have no
     * counts */
    bool weighted;
} Showing;

/* One branch of a split. */
typedef struct {
    size_t node;
    bool left, category;
    size_t column;
} Side;

static cleave_tree_node node_of(const Showing *showing, size_t number)
{
    cleave_tree_node node = {0};

    cleave_model_tree_node(showing->model, showing->tree, number, &node);
    return node;
}

/* ---- conditions */

static void put_condition(const Showing *showing, const Side *side)
{
    size_t length = cleave_model_tree_condition(showing->model, showing->tree, side->node,
                                                side->left, MOST_VALUES, NULL, 0);
    char *words = cli_alloc(NULL, length + 1, 1);

    cleave_model_tree_condition(showing->model, showing->tree, side->node, side->left, MOST_VALUES,
                                words, length + 1);
    cli_put_name(showing->out, words);
    free(words);
}

/* ---- leaves */

/* Whether the model is boosted: its trees weigh rows by second derivatives, or by their errors in
 * earlier rounds. */
static bool is_boost(const Showing *showing)
{
    return strcmp(cleave_model_method(showing->model), "boost") == 0;
}

static bool has_weights(const Showing *showing)
{
    size_t nodes = node_of(showing, 0).nodes;

    for (size_t i = 0; i < nodes; i++) {
        double weight = node_of(showing, i).weight;

        if (weight != floor(weight) && !isnan(weight))
            return true;
    }
    return is_boost(showing);
}

/* Prints the number of rows; without row counts, the fraction of the root's weight. */
static void put_rows(const Showing *showing, const cleave_tree_node *node)
{
    double rows = isnan(node->rows) ? node->weight : node->rows;

    if (isnan(node->rows) && showing->weighted)
        cli_print(showing->out, "%.3g%% of the weight", 100 * rows / node_of(showing, 0).weight);
    else
        cli_print(showing->out, "%s%s", SHORT(rows), rows == 1 ? " row" : " rows");
}

/* others: weight of the rows of other classes. */
static void put_others(const Showing *showing, const cleave_tree_node *leaf, double others)
{
    if (showing->weighted)
        cli_print(showing->out, ", %.3g%% of %s in other classes", 100 * others / leaf->weight,
                  isnan(leaf->rows) ? "it" : "their weight");
    else
        cli_print(showing->out, ", %s of other classes", SHORT(others));
}

static void put_leaf(const Showing *showing, const cleave_tree_node *leaf)
{
    double right;

    if (leaf->label != SIZE_MAX) {
        right = leaf->class_weight ? leaf->class_weight[leaf->label] : (double)NAN;
        cli_put_name(showing->out, cleave_model_label(showing->model, leaf->label));
        cli_put(showing->out, " (");
        put_rows(showing, leaf);
        if (leaf->weight > right)
            put_others(showing, leaf, leaf->weight - right);
        cli_put(showing->out, ")");
        return;
    }
    cli_put(showing->out, isnan(leaf->value) ? "fractions" : SHORT(leaf->value));
    if (isnan(leaf->weight))
        return;
    cli_put(showing->out, " (");
    put_rows(showing, leaf);
    cli_put(showing->out, ")");
}

/* ---- nested */

static void indent(const Showing *showing, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        cli_put(showing->out, "    ");
}

static bool ends_here(const Showing *showing, const cleave_tree_node *node, size_t level)
{
    return node->leaf || (showing->levels && level >= showing->levels);
}

static void put_end(const Showing *showing, const cleave_tree_node *node)
{
    if (node->leaf)
        put_leaf(showing, node);
    else {
        cli_print(showing->out, "... %zu more leaves", (node->nodes + 1) / 2);
        if (!isnan(node->weight)) {
            cli_put(showing->out, ", ");
            put_rows(showing, node);
        }
    }
    cli_put(showing->out, "\n");
}

static void put_node(const Showing *showing, size_t number, size_t depth, size_t level);

/* Prints after `if`. Returns the larger side, which follows else. */
static size_t put_split(const Showing *showing, size_t number, size_t depth, size_t level)
{
    cleave_tree_node node = node_of(showing, number), one;
    bool left_first = node_of(showing, node.left).nodes <= node_of(showing, node.right).nodes;

    put_condition(showing, &(Side){.node = number, .left = left_first});
    one = node_of(showing, left_first ? node.left : node.right);
    if (ends_here(showing, &one, level + 1)) {
        cli_put(showing->out, ": ");
        put_end(showing, &one);
    } else {
        cli_put(showing->out, ":\n");
        put_node(showing, left_first ? node.left : node.right, depth + 1, level + 1);
    }
    return left_first ? node.right : node.left;
}

/* Prints a node. Recursion follows only the smaller sides, so that its depth is logarithmic; the
 * depth of a tree can reach the number of rows. */
static void put_node(const Showing *showing, size_t number, size_t depth, size_t level)
{
    indent(showing, depth);
    for (;; level++) {
        cleave_tree_node node = node_of(showing, number);

        if (ends_here(showing, &node, level)) {
            put_end(showing, &node);
            return;
        }
        cli_put(showing->out, "if ");
        number = put_split(showing, number, depth, level);
        node = node_of(showing, number);
        indent(showing, depth);
        cli_put(showing->out, ends_here(showing, &node, level + 1) ? "else: " : "else ");
    }
}

/* ---- rules */

/* Whether a later bound on the same side of the same column implies this one. */
static bool is_said_later(const Side *path, size_t at, size_t length)
{
    for (size_t i = at + 1; i < length && !path[at].category; i++)
        if (path[i].column == path[at].column && path[i].left == path[at].left)
            return true;
    return false;
}

static void put_rule(const Showing *showing, const Side *path, size_t length,
                     const cleave_tree_node *leaf)
{
    bool any = false;

    for (size_t i = 0; i < length; i++) {
        if (is_said_later(path, i, length))
            continue;
        cli_put(showing->out, any ? " and " : "if ");
        put_condition(showing, &path[i]);
        any = true;
    }
    cli_put(showing->out, any ? ": " : "always: ");
    put_leaf(showing, leaf);
    cli_put(showing->out, "\n");
}

/* Prints one rule per leaf. path: scratch space, one element per node of the tree. */
static void put_rules(const Showing *showing, Side *path)
{
    size_t length = 0, number = 0;

    for (;;) {
        cleave_tree_node node = node_of(showing, number);

        if (!node.leaf) {
            path[length++] = (Side){number, true, node.category, node.column};
            number = node.left;
            continue;
        }
        put_rule(showing, path, length, &node);
        while (length && !path[length - 1].left)
            length--;
        if (length == 0)
            return;
        path[length - 1].left = false;
        number = node_of(showing, path[length - 1].node).right;
    }
}

/* Prints the rule of one row, one line per condition. */
static void put_path(const Showing *showing, const Side *path, size_t length,
                     const cleave_tree_node *leaf)
{
    bool any = false;

    for (size_t i = 0; i < length; i++) {
        if (is_said_later(path, i, length))
            continue;
        cli_put(showing->out, any ? "\nand " : "if ");
        put_condition(showing, &path[i]);
        any = true;
    }
    cli_put(showing->out, any ? ":\n    " : "always: ");
    put_leaf(showing, leaf);
    cli_put(showing->out, "\n");
}

/* Parents are found from the leaf to the root. */
void cli_explain_leaf(Out *out, const cleave_model *model, size_t leaf)
{
    Showing showing = {.model = model, .out = out};
    cleave_tree_node end = node_of(&showing, leaf);
    size_t most = node_of(&showing, 0).nodes, length = most;
    Side *path = cli_alloc(NULL, most, sizeof *path);

    showing.weighted = has_weights(&showing);
    for (size_t child = leaf; child > 0 && length > 0;) {
        size_t parent = child;
        cleave_tree_node node;

        do
            node = node_of(&showing, --parent);
        while (parent > 0 && (node.leaf || (node.left != child && node.right != child)));
        path[--length] = (Side){parent, node.left == child, node.category, node.column};
        child = parent;
    }
    cli_put(out, "\n");
    put_path(&showing, path + length, most - length, &end);
    free(path);
}

/* ---- the model */

bool cli_explain_trees(const Call *call, Out *out, const cleave_model *model)
{
    const ExplainFlags *given = call->own;
    size_t count = cleave_model_tree_count(model), leaves = 0;
    Showing showing = {.model = model, .out = out};
    cleave_tree_node root;
    Side *path;

    if (count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (cleave_model_tree_node(model, i, 0, &root))
            leaves += (root.nodes + 1) / 2;
    cli_print(out, "trees      %zu, with %zu lea%s\n", count, leaves, leaves == 1 ? "f" : "ves");
    if (count > 1 && given->tree < 1) {
        cli_put(out, "hint: --tree N shows one tree\n");
        cli_explain_importances(out, model, explain_top(call, DEFAULT_COLUMNS));
        return true;
    }
    showing.tree = given->tree >= 1 ? (size_t)given->tree - 1 : 0;
    if (!cleave_model_tree_node(model, showing.tree, 0, &root))
        return true;
    showing.weighted = has_weights(&showing);
    showing.levels = given->levels >= 0                   ? (size_t)given->levels
                     : (root.nodes + 1) / 2 > MANY_LEAVES ? DEFAULT_LEVELS
                                                          : 0;
    cli_put(out, "\n");
    if (given->rules) {
        path = cli_alloc(NULL, root.nodes, sizeof *path);
        put_rules(&showing, path);
        free(path);
    } else
        put_node(&showing, 0, 0, 0);
    return true;
}

/* ---- JSON */

static void json_values(Json *json, const cleave_model *model, size_t tree, size_t number)
{
    size_t next = 0;
    const char *name;
    bool left;

    cli_json_open_key(json, "left_values", '[');
    while (cleave_model_tree_value(model, tree, number, &next, &name, &left))
        if (left)
            cli_json_string(json, name);
    cli_json_close(json, ']');
}

static void json_split(Json *json, const cleave_model *model, size_t tree, size_t number,
                       const cleave_tree_node *node)
{
    char name[24];

    cli_json_put_string(json, "column", cleave_model_feature_name(model, node->column, name));
    if (node->category)
        json_values(json, model, tree, number);
    else
        cli_json_put_number(json, "left_up_to", node->bound);
    cli_json_put_bool(json, "missing_left", node->missing_left);
    cli_json_put_count(json, "left", node->left);
    cli_json_put_count(json, "right", node->right);
    if (!isnan(node->gain))
        cli_json_put_number(json, "gain", node->gain);
}

static void json_node(Json *json, const cleave_model *model, size_t tree, size_t number,
                      const cleave_tree_node *node)
{
    size_t classes = cleave_model_label_count(model);

    cli_json_open(json, '{');
    if (!node->leaf)
        json_split(json, model, tree, number, node);
    else if (node->label != SIZE_MAX)
        cli_json_put_string(json, "class", cleave_model_label(model, node->label));
    if (node->leaf && !isnan(node->value))
        cli_json_put_number(json, "value", node->value);
    if (!isnan(node->weight))
        cli_json_put_number(json, "weight", node->weight);
    if (!isnan(node->rows))
        cli_json_put_number(json, "rows", node->rows);
    if (node->class_weight) {
        cli_json_open_key(json, "weights", '{');
        for (size_t c = 0; c < classes; c++)
            cli_json_put_number(json, cleave_model_label(model, c), node->class_weight[c]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
}

void cli_explain_trees_json(Json *json, const cleave_model *model)
{
    size_t count = cleave_model_tree_count(model);

    if (count == 0)
        return;
    if (count > 1)
        cli_explain_importances_json(json, model);
    cli_json_open_key(json, "trees", '[');
    for (size_t tree = 0; tree < count; tree++) {
        cleave_tree_node node;

        cli_json_open(json, '[');
        for (size_t i = 0; cleave_model_tree_node(model, tree, i, &node); i++)
            json_node(json, model, tree, i, &node);
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
}
