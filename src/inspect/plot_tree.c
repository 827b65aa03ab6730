/* Plots of trees: one tree with its splits, and the feature importance over all trees. */
#include "base/number.h"
#include "inspect/plot.h"
#include "learn/tree/trees.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MANY_LEAVES = 64, /* a tree with more leaves is limited to some levels, as in `explain` */
    USUAL_LEVELS = 5,
    MOST_LEAVES = 400,
    MOST_VALUES = 3, /* maximum number of values of a category that are listed by name */
    WORDS_SIZE = 400,
};

static Status refuse_others(const Plot *plot, const Model *model)
{
    if (cleave_model_tree_count(model) > 0)
        return OK;
    return clv_fail_hint(
        plot->error, CLEAVE_ERROR_USAGE,
        "train 'tree', 'forest' or 'boost', or use 'cleave explain' for this model",
        "plot '%s' requires a tree model, and this is a model of '%s'", plot->facts.kind,
        model->method->name);
}

/* ---- one tree -------------------------------------------------------------------------------- */

typedef struct {
    Plot *plot;
    const Model *model;
    size_t tree, levels; /* number of levels; 0: all */
    cleave_plot_node *nodes;
    size_t count, capacity;
    size_t leaves, left_out;
    double low, high; /* range of leaf values */
} Drawing;

/* For each node of the plot: the node of the tree, and its depth. */
typedef struct {
    size_t number, level;
} Place;

static size_t leaves_of(const cleave_tree_node *node)
{
    return (node->nodes + 1) / 2;
}

static bool ends(const Drawing *drawing, const cleave_tree_node *node, size_t level)
{
    return node->leaf || (drawing->levels && level >= drawing->levels);
}

/* Counts the nodes and the leaves of the plot. */
static size_t count_nodes(const Drawing *drawing, Place *places, size_t *last)
{
    size_t count = 1;

    places[0] = (Place){0, 0};
    *last = 0;
    for (size_t i = 0; i < count; i++) {
        cleave_tree_node node;

        cleave_model_tree_node(drawing->model, drawing->tree, places[i].number, &node);
        if (ends(drawing, &node, places[i].level)) {
            ++*last;
            continue;
        }
        places[count++] = (Place){node.left, places[i].level + 1};
        places[count++] = (Place){node.right, places[i].level + 1};
    }
    return count;
}

/* Whether a column has missing values. Readers of tables name their indicators `column=?`. */
static bool may_be_missing(const Model *model, size_t column)
{
    const Names *inputs = clv_model_inputs(model);
    char name[24], mark[WORDS_SIZE];
    int length = snprintf(mark, sizeof mark, "%s=?",
                          cleave_model_feature_name(model, column, name));

    return length < WORDS_SIZE && clv_names_find(inputs, mark, (size_t)length) != NO_COLUMN;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static Status fill_leaf(Drawing *drawing, const cleave_tree_node *facts, cleave_plot_node *node)
{
    char number[NUMBER_SIZE] = "shares";

    drawing->leaves++;
    node->label = facts->label;
    if (facts->label != SIZE_MAX)
        return clv_plot_text(drawing->plot, &node->text, "%s",
                             drawing->model->labels.list[facts->label].text);
    node->value = facts->value;
    if (!isnan(facts->value)) {
        clv_format_rounded(number, facts->value, 4);
        drawing->low = fmin(drawing->low, facts->value);
        drawing->high = fmax(drawing->high, facts->value);
    }
    return clv_plot_text(drawing->plot, &node->text, "%s", number);
}

static Status copy_weights(Drawing *drawing, const cleave_tree_node *facts, cleave_plot_node *node)
{
    size_t classes = drawing->model->labels.count;
    double *weights;

    if (!facts->class_weight)
        return OK;
    weights = clv_plot_alloc(drawing->plot, classes, sizeof *weights);
    if (!weights)
        return CLEAVE_ERROR_MEMORY;
    memcpy(weights, facts->class_weight, classes * sizeof *weights);
    node->class_weight = weights;
    return OK;
}

/* Fills the nodes breadth-first: children are appended after all nodes so far. */
static Status fill_nodes(Drawing *drawing, Place *places)
{
    places[0] = (Place){0, 0};
    drawing->count = 1;
    for (size_t i = 0; i < drawing->count; i++) {
        cleave_plot_node *node = &drawing->nodes[i];
        cleave_tree_node facts;

        cleave_model_tree_node(drawing->model, drawing->tree, places[i].number, &facts);
        *node = (cleave_plot_node){.yes = SIZE_MAX,
                                   .no = SIZE_MAX,
                                   .number = places[i].number,
                                   .missing = -1,
                                   .label = SIZE_MAX,
                                   .value = (double)NAN,
                                   .weight = facts.weight,
                                   .rows = facts.rows};
        TRY(copy_weights(drawing, &facts, node));
        if (facts.leaf) {
            TRY(fill_leaf(drawing, &facts, node));
        } else if (ends(drawing, &facts, places[i].level)) {
            node->left_out = leaves_of(&facts);
            drawing->left_out += node->left_out;
            TRY(clv_plot_text(drawing->plot, &node->text, "\xE2\x80\xA6 %zu leaves below",
                              node->left_out));
        } else {
            char words[WORDS_SIZE];

            cleave_model_tree_condition(drawing->model, drawing->tree, node->number, true,
                                        MOST_VALUES, words, sizeof words);
            TRY(clv_plot_text(drawing->plot, &node->text, "%s", words));
            if (may_be_missing(drawing->model, facts.column) && !strstr(words, " is missing") &&
                !ends_with(words, "is there"))
                node->missing = facts.missing_left;
            node->yes = drawing->count;
            node->no = drawing->count + 1;
            places[drawing->count++] = (Place){facts.left, places[i].level + 1};
            places[drawing->count++] = (Place){facts.right, places[i].level + 1};
        }
    }
    return OK;
}

/* Writes the title. Leaf values are added to scores: to that of the class of a tree or, for two
 * classes, to that of the positive class. */
static Status say_title(const Drawing *drawing, size_t trees)
{
    const Model *model = drawing->model;
    Plot *plot = drawing->plot;
    char quoted[QUOTE_SIZE], of_class[QUOTE_SIZE + 16] = "";
    Trees all;

    if (model->labels.count > 2 && clv_trees_of(model, &all) && all.width == 1) {
        const char *label = model->labels.list[drawing->tree % model->labels.count].text;

        snprintf(of_class, sizeof of_class, ", for '%s'", clv_quote(quoted, label, strlen(label)));
    }
    if (trees == 1)
        return clv_plot_text(plot, &plot->facts.title, "Decision tree%s", of_class);
    return clv_plot_text(plot, &plot->facts.title, "Tree %zu of %zu of %s%s", drawing->tree + 1,
                         trees, model->method->name, of_class);
}

static Status say(const Drawing *drawing, const cleave_tree_node *root)
{
    Plot *plot = drawing->plot;
    size_t trees = cleave_model_tree_count(drawing->model), leaves = leaves_of(root);
    const Labels *labels = &drawing->model->labels;
    char rows[NUMBER_SIZE + 16] = "", low[NUMBER_SIZE], high[NUMBER_SIZE], quoted[QUOTE_SIZE];
    char numbers[2 * NUMBER_SIZE + QUOTE_SIZE + 64] = "", rest[96] = "";
    bool whole = true;
    int used;

    for (size_t i = 0; i < drawing->count; i++)
        whole = whole && drawing->nodes[i].weight == floor(drawing->nodes[i].weight);
    if (!isnan(root->weight)) {
        /* the weights may be second derivatives */
        double count = !isnan(root->rows) ? root->rows
                       : whole            ? root->weight
                                          : (double)drawing->model->rows;

        if (count == floor(count))
            clv_format_count(low, (uint64_t)count);
        else
            clv_format_rounded(low, count, 6);
        snprintf(rows, sizeof rows, ", %s row%s", low, count == 1 ? "" : "s");
    }
    if (drawing->low < drawing->high) {
        clv_format_rounded(low, drawing->low, 4);
        clv_format_rounded(high, drawing->high, 4);
        used = snprintf(numbers, sizeof numbers, "; leaf values from %s (dark) to %s (light)", low,
                        high);
        if (labels->count == 2)
            snprintf(numbers + used, sizeof numbers - (size_t)used, ", above 0 for '%s'",
                     clv_quote(quoted, labels->list[drawing->model->positive].text,
                               strlen(labels->list[drawing->model->positive].text)));
    }
    if (drawing->left_out)
        snprintf(rest, sizeof rest, "; top %zu level%s, %s leaves omitted", drawing->levels,
                 drawing->levels == 1 ? "" : "s", clv_format_count(low, drawing->left_out));
    TRY(say_title(drawing, trees));
    return clv_plot_text(plot, &plot->facts.remark, "%s lea%s%s%s%s", clv_format_count(low, leaves),
                         leaves == 1 ? "f" : "ves", rows, numbers, rest);
}

static Status draw_tree(Drawing *drawing, const cleave_tree_node *root)
{
    Plot *plot = drawing->plot;
    cleave_plot_tree *tree = clv_plot_alloc(plot, 1, sizeof *tree);
    Place *places = clv_plot_alloc(plot, root->nodes, sizeof *places);
    size_t last, count;
    cleave_plot_panel *panel;

    if (!tree || !places)
        return CLEAVE_ERROR_MEMORY;
    count = count_nodes(drawing, places, &last);
    if (last > MOST_LEAVES) {
        clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                 "%zu leaves are too many for a plot; the limit is %d", last, MOST_LEAVES);
        return clv_hint(
            plot->error, CLEAVE_ERROR_USAGE,
            "use --levels %d to plot the top levels, or 'cleave explain --levels 0' to print all",
            USUAL_LEVELS);
    }
    drawing->nodes = clv_plot_alloc(plot, count, sizeof *drawing->nodes);
    if (!drawing->nodes)
        return CLEAVE_ERROR_MEMORY;
    TRY(clv_plot_panel(plot, 0, &panel, NULL));
    TRY(fill_nodes(drawing, places));
    TRY(clv_plot_classes(plot, &drawing->model->labels));
    *tree = (cleave_plot_tree){.node_count = drawing->count,
                               .class_count = plot->facts.class_count,
                               .nodes = drawing->nodes,
                               .classes = plot->facts.classes};
    panel->tree = tree;
    return say(drawing, root);
}

Status clv_plot_tree(Plot *plot, const Model *model, cleave_data *data)
{
    Drawing drawing = {.plot = plot,
                       .model = model,
                       .tree = (size_t)plot->options.tree - 1,
                       .low = INFINITY,
                       .high = -INFINITY};
    cleave_tree_node root;

    (void)data;
    TRY(refuse_others(plot, model));
    if (!cleave_model_tree_node(model, drawing.tree, 0, &root))
        return clv_fail_hint(
            plot->error, CLEAVE_ERROR_USAGE,
            "use 'cleave plot importance' for the feature importance over all trees",
            "tree %lld does not exist: expected 1 to %zu", (long long)plot->options.tree,
            cleave_model_tree_count(model));
    drawing.levels = plot->options.levels >= 0        ? (size_t)plot->options.levels
                     : leaves_of(&root) > MANY_LEAVES ? USUAL_LEVELS
                                                      : 0;
    return draw_tree(&drawing, &root);
}

/* ---- importances ----------------------------------------------------------------------------- */

typedef struct {
    size_t column;
    double gain, harm;
} SplitImportance;

static Status refuse_no_splits(const Plot *plot, const Model *model)
{
    return clv_fail_hint(
        plot->error, CLEAVE_ERROR_USAGE,
        "train on more rows or with a smaller --min-leaf-rows, so that trees can split",
        "every tree of this model of '%s' is a single leaf, so feature importance is undefined",
        model->method->name);
}

/* Finds the columns with splits, the most important first. */
static Status find_importances(Plot *plot, const Model *model, SplitImportance **list,
                               size_t *count)
{
    double *gain = clv_plot_alloc(plot, model->features, sizeof *gain);
    double *harm = clv_plot_alloc(plot, model->features, sizeof *harm);
    size_t *order = clv_plot_alloc(plot, model->features, sizeof *order);

    *list = clv_plot_alloc(plot, model->features, sizeof **list);
    *count = 0;
    if (!gain || !harm || !order || !*list)
        return CLEAVE_ERROR_MEMORY;
    if (!cleave_model_importances(model, gain, harm))
        return clv_fail(plot->error, CLEAVE_ERROR_USAGE,
                        "this model of '%s' does not contain the gains of its splits",
                        model->method->name);
    *count = cleave_importance_order(gain, harm, model->features, order);
    for (size_t i = 0; i < *count; i++)
        (*list)[i] = (SplitImportance){order[i], gain[order[i]], harm[order[i]]};
    return *count ? OK : refuse_no_splits(plot, model);
}

static Status add_bars(Plot *plot, const SplitImportance *list, size_t count,
                       const char *const *names, bool harm)
{
    cleave_plot_bars *bars = clv_plot_alloc(plot, 1, sizeof *bars);
    double *values = clv_plot_alloc(plot, count, sizeof *values);
    cleave_plot_panel *panel;

    if (!bars || !values)
        return CLEAVE_ERROR_MEMORY;
    TRY(clv_plot_panel(plot, 0, &panel, NULL));
    for (size_t i = 0; i < count; i++)
        values[i] = harm ? list[i].harm : list[i].gain;
    *bars = (cleave_plot_bars){.count = count, .names = names, .values = values};
    panel->bars = bars;
    return OK;
}

Status clv_plot_importance(Plot *plot, const Model *model, cleave_data *data)
{
    SplitImportance *list;
    size_t count, shown, trees = cleave_model_tree_count(model);
    const char **names;
    bool harm;

    (void)data;
    TRY(refuse_others(plot, model));
    TRY(find_importances(plot, model, &list, &count));
    shown = count < (size_t)plot->options.top ? count : (size_t)plot->options.top;
    harm = !isnan(list[0].harm);
    names = clv_plot_alloc(plot, shown, sizeof *names);
    if (!names)
        return CLEAVE_ERROR_MEMORY;
    for (size_t i = 0; i < shown; i++) {
        char name[24];

        TRY(clv_plot_text(plot, &names[i], "%s",
                          cleave_model_feature_name(model, list[i].column, name)));
    }
    if (harm) {
        TRY(add_bars(plot, list, shown, names, true));
        plot->panel[0].title = "permutation";
        plot->panel[0].x.title = model->task == CLEAVE_TASK_REGRESSION
                                     ? "increase of the mean squared error"
                                     : "increase of the error rate";
    }
    TRY(add_bars(plot, list, shown, names, false));
    plot->panel[harm].title = "gain";
    plot->panel[harm].x.title = "share of the total gain";
    TRY(clv_plot_text(plot, &plot->facts.title, "Feature importance of %s", model->method->name));
    if (shown < count)
        return clv_plot_text(plot, &plot->facts.remark,
                             "top %zu of the %zu columns used by %zu tree%s", shown, count, trees,
                             trees == 1 ? "" : "s");
    return clv_plot_text(plot, &plot->facts.remark, "%zu column%s used by %zu tree%s", count,
                         count == 1 ? "" : "s", trees, trees == 1 ? "" : "s");
}
