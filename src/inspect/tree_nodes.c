/* The trees of a model, node by node. */
#include "base/number.h"
#include "learn/tree/trees.h"
#include "pipeline/pipeline.h"

#include <stdio.h>

/* Rounds to the fewest decimal digits from which the float can be recovered. */
static double short_number(float number)
{
    for (int digits = 1; digits < 10; digits++) {
        char text[NUMBER_SIZE + NUMBER_SLACK];
        int length = snprintf(text, NUMBER_SIZE, "%.*g", digits, (double)number);
        const char *stop;
        double value;

        if (clv_parse_double(text, text + length, &value, &stop) && (float)value == number)
            return value;
    }
    return (double)number;
}

static bool open_node(const Model *model, size_t tree, size_t node, Trees *trees,
                      const TreeNode **found)
{
    if (!clv_trees_of(model, trees) || tree >= trees->trees ||
        node >= trees->start[tree + 1] - trees->start[tree])
        return false;
    *found = trees->node + trees->start[tree] + node;
    return true;
}

static const uint32_t *set_of(const Trees *trees, const TreeNode *node)
{
    uint32_t set;

    memcpy(&set, &node->bound, sizeof set);
    return trees->set + (size_t)set * SET_WORDS;
}

size_t cleave_model_tree_count(const cleave_model *model)
{
    Trees trees;

    return clv_trees_of(model, &trees) ? trees.trees : 0;
}

/* The number of nodes below a node. Nodes are stored level by level, so that the descendants of a
 * node are contiguous on each level: from the children of the first split to those of the last.
 * Recursion is avoided, because the depth of a tree can reach the number of rows. */
static size_t nodes_below(const Trees *trees, uint32_t at)
{
    const TreeNode *node = trees->node;
    uint32_t first = at, last = at;
    size_t count = 0;

    for (;;) {
        count += last - first + 1;
        while (first < last && node[first].left == first)
            first++;
        while (last > first && node[last].left == last)
            last--;
        if (node[first].left == first)
            return count;
        first = node[first].left;
        last = node[last].left + 1;
    }
}

static void fill_split(const Trees *trees, uint32_t tree, const TreeNode *node,
                       cleave_tree_node *facts)
{
    const TreeSlot *slot = &trees->slot[node->slot & ~SLOT_SET];

    facts->left = node->left - trees->start[tree];
    facts->right = facts->left + 1;
    facts->column = slot->feature;
    facts->category = slot->kind == SLOT_BINS;
    if (facts->category) {
        facts->missing_left = in_set(set_of(trees, node), slot->missing);
        return;
    }
    facts->missing_left = slot->kind == SLOT_LOW;
    facts->bound = short_number(node->bound);
    facts->above = short_number(nextafterf(node->bound, INFINITY));
}

static size_t heaviest(const double *numbers, size_t count)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (numbers[i] > numbers[best])
            best = i;
    return best;
}

static size_t heaviest_share(const Trees *trees, uint32_t leaf)
{
    const float *share = trees->values + (size_t)leaf * trees->width;
    size_t best = 0;

    for (size_t i = 1; i < trees->width; i++)
        if (share[i] > share[best])
            best = i;
    return best;
}

static void fill_leaf(const Model *model, const Trees *trees, const TreeNode *node,
                      cleave_tree_node *facts)
{
    uint32_t classes = model->labels.count;

    facts->value = trees->width == 1 ? trees->value[node->leaf] : (double)NAN;
    facts->label = SIZE_MAX;
    if (facts->class_weight && classes > 2)
        facts->label = heaviest(facts->class_weight, classes);
    else if (trees->values && trees->weight && classes > 2)
        facts->label = heaviest_share(trees, node->leaf);
    else if (facts->class_weight && classes == 2)
        facts->label = facts->value > 0 ? model->positive : 1 - model->positive;
}

bool cleave_model_tree_node(const cleave_model *model, size_t tree, size_t number,
                            cleave_tree_node *facts)
{
    const TreeNode *node;
    uint32_t at;
    Trees trees;

    if (!open_node(model, tree, number, &trees, &node))
        return false;
    at = (uint32_t)(node - trees.node);
    *facts = (cleave_tree_node){.leaf = node->left == at,
                                .nodes = nodes_below(&trees, at),
                                .weight = trees.weight ? trees.weight[at] : (double)NAN,
                                .gain = trees.gain ? trees.gain[at] : (double)NAN,
                                .rows = (double)NAN};
    if (trees.rows && trees.rows[trees.start[tree]] > 0) /* 0 in trees of an older model */
        facts->rows = trees.rows[at];
    if (trees.class_weight)
        facts->class_weight = trees.class_weight + (size_t)at * model->labels.count;
    if (facts->leaf)
        fill_leaf(model, &trees, node, facts);
    else
        fill_split(&trees, (uint32_t)tree, node, facts);
    return true;
}

/* Returns the one-hot encoding step if it is the only step: its outputs have names like
 * `column=value`. */
static const Step *codes_of(const Model *model)
{
    const Step *step = model->pipeline && clv_pipeline_steps(model->pipeline) == 1
                           ? clv_pipeline_step(model->pipeline, 0)
                           : NULL;

    return step && strcmp(step->transform->name, "ordinal") == 0 ? step : NULL;
}

/* Returns `value` of `column=value`; NULL if the name has another form, which is possible in an
 * imported model. */
static const char *behind_title(const Names *inputs, uint32_t input, const Names *titles,
                                uint32_t column)
{
    size_t title;

    if (titles->implicit || column >= titles->count || inputs->implicit || input >= inputs->count)
        return NULL;
    title = clv_names_length(titles, column);
    if (clv_names_length(inputs, input) <= title)
        return NULL;
    return inputs->text.data + inputs->offset[input] + title + 1;
}

const char *clv_category_text(const Model *model, size_t column, double number)
{
    const Step *step = codes_of(model);
    const BundleItem *output = step ? clv_bundle_get(step->arrays, "output", BUNDLE_U32) : NULL;
    const BundleItem *code = step ? clv_bundle_get(step->arrays, "code", BUNDLE_U32) : NULL;

    for (size_t i = 0; output && code && number > 0 && i < output->count; i++) {
        uint32_t value = ((const uint32_t *)code->data)[i];

        if (((const uint32_t *)output->data)[i] == column && value != UINT32_MAX &&
            (double)value == number)
            return behind_title(clv_pipeline_inputs(model->pipeline), (uint32_t)i, &model->names,
                                (uint32_t)column);
    }
    return NULL;
}

bool cleave_model_tree_value(const cleave_model *model, size_t tree, size_t number, size_t *next,
                             const char **name, bool *left)
{
    const Step *step = codes_of(model);
    const BundleItem *output = step ? clv_bundle_get(step->arrays, "output", BUNDLE_U32) : NULL;
    const BundleItem *code = step ? clv_bundle_get(step->arrays, "code", BUNDLE_U32) : NULL;
    const TreeNode *node;
    const TreeSlot *slot;
    Trees trees;

    if (!output || !code || !open_node(model, tree, number, &trees, &node) ||
        !(node->slot & SLOT_SET))
        return false;
    slot = &trees.slot[node->slot & ~SLOT_SET];
    for (size_t i = *next; i < output->count; i++) {
        uint32_t value = ((const uint32_t *)code->data)[i];

        if (((const uint32_t *)output->data)[i] != slot->feature || value == 0 ||
            value == UINT32_MAX)
            continue;
        *name = behind_title(clv_pipeline_inputs(model->pipeline), (uint32_t)i, &model->names,
                             slot->feature);
        if (!*name)
            continue;
        *left = in_set(set_of(&trees, node),
                       trees.code_bin[slot->code + (value < slot->codes ? value : 0)]);
        *next = i + 1;
        return true;
    }
    return false;
}

bool cleave_model_importances(const cleave_model *model, double *gain, double *loss_increase)
{
    const BundleItem *loss_increases = clv_bundle_get(model->bundle, "importance_harm", BUNDLE_F64);
    uint64_t trees = 0;
    double all = 0;

    for (size_t i = 0; i < model->features; i++) {
        gain[i] = 0;
        loss_increase[i] = (double)NAN;
    }
    if (!clv_importance_gains(model, gain))
        return false;
    for (size_t i = 0; i < model->features; i++)
        all += gain[i];
    for (size_t i = 0; i < model->features && all > 0; i++)
        gain[i] /= all;
    if (!loss_increases || !clv_bundle_number(model->bundle, "importance_trees", &trees) ||
        trees == 0)
        return true;
    for (size_t i = 0; i < model->features; i++)
        loss_increase[i] = i < loss_increases->count
                               ? ((const double *)loss_increases->data)[i] / (double)trees
                               : 0;
    return true;
}

static bool is_more_important(const double *gain, const double *loss_increase, size_t a, size_t b)
{
    double one = isnan(loss_increase[a]) ? gain[a] : loss_increase[a],
           other = isnan(loss_increase[b]) ? gain[b] : loss_increase[b];

    if (one != other)
        return one > other;
    return gain[a] != gain[b] ? gain[a] > gain[b] : a < b;
}

size_t cleave_importance_order(const double *gain, const double *loss_increase, size_t columns,
                               size_t *order)
{
    size_t count = 0;

    for (size_t i = 0; i < columns; i++)
        if (gain[i] > 0)
            order[count++] = i;
    for (size_t gap = count / 2; gap > 0; gap /= 2) /* sorted as in Shell (1959) */
        for (size_t i = gap; i < count; i++) {
            size_t column = order[i], at = i;

            for (; at >= gap && is_more_important(gain, loss_increase, column, order[at - gap]);
                 at -= gap)
                order[at] = order[at - gap];
            order[at] = column;
        }
    return count;
}
