/*
 * Model files of LightGBM (Ke et al. 2017), version 4. Inner nodes and leaves of a tree are
 * numbered separately; child -1 - i is leaf i. A row goes left if its value is at most the
 * threshold. Trees are written in the order of summation, so that sums are bit-identical:
 *
 *     boosted trees     the start values are trees of one leaf; the objective turns scores into
 *                       probabilities
 *     forests           average_output divides the sums by the number of trees; no objective: the
 *                       prediction is the score of cleave
 *
 * Trees whose leaves have a value for each class become one tree for each class.
 */
#include "interop/model_formats.h"
#include "pipeline/pipeline.h"

#include "learn/tree/trees.h"

enum { DEFAULT_LEFT = 2, MISSING_IS_NAN = 8 }; /* bits of decision_type */

typedef struct {
    const Model *model;
    ModelText *text;
    Trees trees;
    size_t outputs;
    uint32_t *number; /* number of each node among the inner nodes or the leaves of its tree */
    uint32_t written; /* number of trees written */
} Writing;

/* ---- one tree -------------------------------------------------------------------------------- */

static bool is_leaf(const Writing *writing, uint32_t node)
{
    return writing->trees.node[node].left == node;
}

static void put_constant(Writing *writing, double value)
{
    clv_model_text_put(writing->text,
                       "Tree=%u\nnum_leaves=1\nnum_cat=0\nleaf_value=", writing->written++);
    clv_model_text_double(writing->text, value);
    clv_model_text_put(writing->text, "\nshrinkage=1\n\n\n");
}

static void put_children(const Writing *writing, const char *key, uint32_t first, uint32_t end,
                         uint32_t side)
{
    clv_model_text_put(writing->text, "%s", key);
    for (uint32_t node = first; node < end; node++) {
        uint32_t child = writing->trees.node[node].left + side;

        if (is_leaf(writing, node))
            continue;
        if (is_leaf(writing, child))
            clv_model_text_put(writing->text, "-%u ", writing->number[child] + 1);
        else
            clv_model_text_put(writing->text, "%u ", writing->number[child]);
    }
}

static void put_counts(const Writing *writing, const char *key, uint32_t first, uint32_t end,
                       bool leaves)
{
    const Trees *trees = &writing->trees;

    if (!trees->rows && !trees->weight)
        return;
    clv_model_text_put(writing->text, "%s", key);
    for (uint32_t node = first; node < end; node++) {
        double weight = trees->rows ? (double)trees->rows[node] : trees->weight[node];

        if (is_leaf(writing, node) == leaves)
            clv_model_text_put(writing->text, "%u ",
                               weight > 0 && weight < INT32_MAX ? (unsigned)(weight + 0.5) : 0);
    }
}

static void put_splits(const Writing *writing, uint32_t first, uint32_t end)
{
    const Trees *trees = &writing->trees;
    ModelText *text = writing->text;

    clv_model_text_put(text, "\nsplit_feature=");
    for (uint32_t node = first; node < end; node++)
        if (!is_leaf(writing, node))
            clv_model_text_put(text, "%u ", trees->slot[trees->node[node].slot].feature);
    clv_model_text_put(text, trees->gain ? "\nsplit_gain=" : "");
    for (uint32_t node = first; trees->gain && node < end; node++)
        if (!is_leaf(writing, node)) {
            clv_model_text_double(text, trees->gain[node]);
            clv_model_text_put(text, " ");
        }
    clv_model_text_put(text, "\nthreshold=");
    for (uint32_t node = first; node < end; node++)
        if (!is_leaf(writing, node)) {
            clv_model_text_double(text, (double)trees->node[node].bound);
            clv_model_text_put(text, " ");
        }
    clv_model_text_put(text, "\ndecision_type=");
    for (uint32_t node = first; node < end; node++)
        if (!is_leaf(writing, node))
            clv_model_text_put(
                text, "%d ",
                MISSING_IS_NAN |
                    (trees->slot[trees->node[node].slot].kind == SLOT_LOW ? DEFAULT_LEFT : 0));
}

static void put_tree(Writing *writing, uint32_t tree, size_t output)
{
    const Trees *trees = &writing->trees;
    uint32_t first = trees->start[tree], end = trees->start[tree + 1], inner = 0, leaves = 0;

    for (uint32_t node = first; node < end; node++)
        writing->number[node] = is_leaf(writing, node) ? leaves++ : inner++;
    if (inner == 0) {
        put_constant(writing, clv_leaf_value(trees, trees->node[first].leaf, output));
        return;
    }
    clv_model_text_put(writing->text, "Tree=%u\nnum_leaves=%u\nnum_cat=0", writing->written++,
                       leaves);
    put_splits(writing, first, end);
    put_children(writing, "\nleft_child=", first, end, 0);
    put_children(writing, "\nright_child=", first, end, 1);
    clv_model_text_put(writing->text, "\nleaf_value=");
    for (uint32_t node = first; node < end; node++)
        if (is_leaf(writing, node)) {
            clv_model_text_double(writing->text,
                                  clv_leaf_value(trees, trees->node[node].leaf, output));
            clv_model_text_put(writing->text, " ");
        }
    put_counts(writing, "\nleaf_count=", first, end, true);
    put_counts(writing, "\ninternal_count=", first, end, false);
    clv_model_text_put(writing->text, "\nis_linear=0\nshrinkage=1\n\n\n");
}

/* ---- the header ------------------------------------------------------------------------------ */

/* LightGBM separates names by spaces and refuses JSON special characters. */
static bool has_plain_names(const Model *model)
{
    char buffer[24];

    for (uint32_t i = 0; i < model->features; i++) {
        const char *name = clv_names_get(&model->names, i, buffer);

        if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_.-")])
            return false;
    }
    return !model->names.implicit;
}

static void put_names(const Writing *writing)
{
    const Model *model = writing->model;
    bool plain = has_plain_names(model);
    char buffer[24];

    clv_model_text_put(writing->text, "\nfeature_names=");
    for (uint32_t i = 0; i < model->features && writing->text->status == OK; i++) {
        clv_model_text_put(writing->text, i ? " " : "");
        if (plain)
            clv_model_text_put(writing->text, "%s", clv_names_get(&model->names, i, buffer));
        else
            clv_model_text_put(writing->text, "Column_%u", i);
    }
    clv_model_text_put(writing->text, "\nfeature_infos=");
    for (uint32_t i = 0; i < model->features && writing->text->status == OK; i++)
        clv_model_text_put(writing->text, i ? " [-inf:inf]" : "[-inf:inf]");
}

static void put_objective(const Writing *writing, bool forest)
{
    const Model *model = writing->model;
    const char *loss = clv_model_param_text(model, "loss");

    if (forest)
        clv_model_text_put(writing->text, "\naverage_output");
    else if (model->task == CLEAVE_TASK_REGRESSION)
        clv_model_text_put(writing->text, "\nobjective=regression");
    else if (writing->outputs > 1)
        clv_model_text_put(writing->text, "\nobjective=multiclass num_class:%zu", writing->outputs);
    else /* with the exponential loss, a score is half the log odds */
        clv_model_text_put(writing->text, "\nobjective=binary sigmoid:%d",
                           strcmp(loss, "exponential") == 0 ? 2 : 1);
}

static void put_model(Writing *writing, const BundleItem *start)
{
    const Trees *trees = &writing->trees;
    uint32_t features = writing->model->features;

    clv_model_text_put(writing->text,
                       "tree\nversion=v4\nnum_class=%zu\nnum_tree_per_iteration=%zu\n"
                       "label_index=0\nmax_feature_idx=%u",
                       writing->outputs, writing->outputs, features ? features - 1 : 0);
    put_objective(writing, !start);
    put_names(writing);
    clv_model_text_put(writing->text, "\n\n");
    for (size_t i = 0; start && i < writing->outputs; i++)
        put_constant(writing, ((const double *)start->data)[i]);
    for (uint32_t tree = 0; tree < trees->trees && writing->text->status == OK; tree++)
        if (trees->width == 1)
            put_tree(writing, tree, 0);
        else
            for (size_t output = 0; output < writing->outputs; output++)
                put_tree(writing, tree, output);
    while (writing->written % writing->outputs) /* LightGBM ignores an incomplete iteration */
        put_constant(writing, 0);
    clv_model_text_put(writing->text, "end of trees\n\nparameters:\nend of parameters\n\n"
                                      "pandas_categorical:null\n");
}

/* ---- what can be written --------------------------------------------------------------------- */

static bool has_categories(const Trees *trees)
{
    for (uint32_t i = 0; i < trees->slots; i++)
        if (trees->slot[i].kind == SLOT_BINS)
            return true;
    return false;
}

static void write_lightgbm(const Model *model, const ExportOptions *options, ModelText *text)
{
    const BundleItem *start = clv_boost_start(model);
    Writing writing = {.model = model, .text = text, .outputs = outputs_of(model->labels.count)};

    (void)options;
    if (!clv_has_trees(model) || !clv_trees_of(model, &writing.trees) ||
        (writing.trees.trees == 0 && !start)) {
        clv_cannot_export(text, model, "lightgbm", NULL, "it has no trees");
        return;
    }
    if (!clv_has_numbers(model)) {
        clv_cannot_export(text, model, "lightgbm", "train on numeric columns, or use --format c",
                          "its pipeline changes the columns");
        return;
    }
    if (has_categories(&writing.trees)) {
        clv_cannot_export(text, model, "lightgbm", "train on numeric columns, or use --format c",
                          "its trees split on categorical columns");
        return;
    }
    clv_model_text_fail(
        text, ALLOC(model->context, writing.number, writing.trees.nodes, "trees", text->error));
    if (text->status == OK)
        put_model(&writing, start);
    clv_free(model->context, writing.number);
}

const ModelFormat clv_model_format_lightgbm = {
    .name = "lightgbm",
    .brief = "text model of LightGBM",
    .write = write_lightgbm,
};
