/*
 * Exports trees as the ONNX operator TreeEnsembleRegressor, with one target per score. Thresholds,
 * leaf values and start values are doubles. The operator returns floats. Forests use the aggregate
 * function AVERAGE.
 */
#include "interop/onnx_model.h"

#include "learn/tree/trees.h"

typedef struct {
    Onnx *onnx;
    Trees trees;
    size_t outputs, leaf_values;
    /* attributes with an element per node */
    int64_t *tree, *number, *feature, *yes, *no, *missing_yes;
    double *bound;
    /* attributes with an element per leaf and output, except for zeros of sparse leaves */
    int64_t *leaf_tree, *leaf_number, *leaf_output;
    double *leaf_value;
} Ensemble;

static Status reserve(Ensemble *ensemble, Arena *memory)
{
    size_t nodes = ensemble->trees.nodes, leaves;

    leaves = (size_t)ensemble->trees.leaves * (ensemble->trees.width > 1 ? ensemble->outputs : 1);
    int64_t **integers[] = {&ensemble->tree,      &ensemble->number,      &ensemble->feature,
                            &ensemble->yes,       &ensemble->no,          &ensemble->missing_yes,
                            &ensemble->leaf_tree, &ensemble->leaf_number, &ensemble->leaf_output};

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        *integers[i] = clv_arena_zero(memory, (i < 6 ? nodes : leaves) + 1, sizeof **integers[i]);
    ensemble->bound = clv_arena_zero(memory, nodes + 1, sizeof *ensemble->bound);
    ensemble->leaf_value = clv_arena_zero(memory, leaves + 1, sizeof *ensemble->leaf_value);
    return memory->status;
}

static void add_leaf(Ensemble *ensemble, uint32_t tree, uint32_t node, uint32_t first)
{
    const Trees *trees = &ensemble->trees;
    uint32_t leaf = trees->node[node].leaf;
    size_t values = trees->width > 1 ? ensemble->outputs : 1;

    for (size_t i = 0; i < values; i++) {
        double value = clv_leaf_value(trees, leaf, i);

        if (value == 0 && i > 0)
            continue;
        ensemble->leaf_tree[ensemble->leaf_values] = tree;
        ensemble->leaf_number[ensemble->leaf_values] = node - first;
        ensemble->leaf_output[ensemble->leaf_values] = (int64_t)(trees->width > 1
                                                                     ? i
                                                                     : tree % ensemble->outputs);
        ensemble->leaf_value[ensemble->leaf_values++] = value;
    }
}

static void add_tree(Ensemble *ensemble, uint32_t tree)
{
    const Trees *trees = &ensemble->trees;
    uint32_t first = trees->start[tree];

    for (uint32_t i = first; i < trees->start[tree + 1]; i++) {
        const TreeNode *node = &trees->node[i];

        ensemble->tree[i] = tree;
        ensemble->number[i] = i - first;
        if (node->left == i) {
            add_leaf(ensemble, tree, i, first);
            continue;
        }
        ensemble->feature[i] = trees->slot[node->slot].feature;
        ensemble->bound[i] = (double)node->bound;
        ensemble->yes[i] = node->left - first;
        ensemble->no[i] = node->left + 1 - first;
        ensemble->missing_yes[i] = trees->slot[node->slot].kind == SLOT_LOW;
    }
}

static const char *mode_at(const void *user, size_t node)
{
    const Trees *trees = user;

    return trees->node[node].left == node ? "LEAF" : "BRANCH_LEQ";
}

static void put_ensemble(Ensemble *ensemble, bool mean, const double *start)
{
    Onnx *onnx = ensemble->onnx;
    size_t nodes = ensemble->trees.nodes, leaves = ensemble->leaf_values;
    OnnxNode node = clv_onnx_begin(onnx, "TreeEnsembleRegressor", "ai.onnx.ml");
    const struct {
        const char *name;
        const int64_t *values;
        size_t count;
    } integers[] = {
        {"nodes_treeids", ensemble->tree, nodes},
        {"nodes_nodeids", ensemble->number, nodes},
        {"nodes_featureids", ensemble->feature, nodes},
        {"nodes_truenodeids", ensemble->yes, nodes},
        {"nodes_falsenodeids", ensemble->no, nodes},
        {"nodes_missing_value_tracks_true", ensemble->missing_yes, nodes},
        {"target_treeids", ensemble->leaf_tree, leaves},
        {"target_nodeids", ensemble->leaf_number, leaves},
        {"target_ids", ensemble->leaf_output, leaves},
    };

    clv_onnx_input(&node, onnx->current);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        clv_onnx_attribute_ints(&node, integers[i].name, integers[i].values, integers[i].count);
    clv_onnx_attribute_texts(&node, "nodes_modes", mode_at, &ensemble->trees, nodes);
    clv_onnx_attribute_doubles(&node, "nodes_values_as_tensor", ensemble->bound, nodes);
    clv_onnx_attribute_doubles(&node, "target_weights_as_tensor", ensemble->leaf_value, leaves);
    if (start)
        clv_onnx_attribute_doubles(&node, "base_values_as_tensor", start, ensemble->outputs);
    clv_onnx_attribute_int(&node, "n_targets", (int64_t)ensemble->outputs);
    clv_onnx_attribute_text(&node, "aggregate_function", mean ? "AVERAGE" : "SUM");
    clv_onnx_attribute_text(&node, "post_transform", "NONE");
    clv_onnx_end(onnx, &node, NULL);
}

static void put_scores(Onnx *onnx)
{
    OnnxNode node = clv_onnx_begin(onnx, "Cast", NULL);

    clv_onnx_input(&node, onnx->current);
    clv_onnx_attribute_int(&node, "to", ONNX_DOUBLE);
    clv_onnx_end(onnx, &node, "scores");
}

void clv_onnx_trees(Onnx *onnx)
{
    const Model *model = onnx->model;
    const BundleItem *start = clv_boost_start(model);
    Ensemble ensemble = {.onnx = onnx, .outputs = outputs_of(model->labels.count)};
    Arena memory = {.context = model->context, .error = onnx->text->error, .what = "trees"};

    if (!clv_trees_of(model, &ensemble.trees) || ensemble.trees.trees == 0) {
        clv_cannot_export(onnx->text, model, "onnx", NULL, "it has no trees");
        return;
    }
    for (uint32_t i = 0; i < ensemble.trees.slots; i++)
        if (ensemble.trees.slot[i].kind == SLOT_BINS) {
            clv_cannot_export(onnx->text, model, "onnx",
                              "train on numeric columns, or use --format c",
                              "its trees split on categorical columns");
            return;
        }
    clv_model_text_fail(onnx->text, reserve(&ensemble, &memory));
    if (onnx->text->status == OK) {
        for (uint32_t i = 0; i < ensemble.trees.trees; i++)
            add_tree(&ensemble, i);
        put_ensemble(&ensemble, !start && ensemble.trees.trees > 1, start ? start->data : NULL);
        put_scores(onnx);
    }
    clv_arena_free(&memory);
}
