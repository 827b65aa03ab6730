/* C code of trees, forests and boosted trees: see clv_trees_add_scores. A node with slot -1 is a
 * leaf, and `next` is the number of the leaf. Otherwise `next` is the left child, and the right
 * child follows it. */
#include "interop/c_source.h"

#include "learn/tree/trees.h"

enum { MOST_SETS = 1 << 24 }; /* numbers of sets below this limit are exact as floats */

static uint32_t set_of(const TreeNode *node)
{
    uint32_t set;

    memcpy(&set, &node->bound, sizeof set);
    return set;
}

static void put_nodes(const CSource *source, const Trees *trees)
{
    clv_model_text_put(source->text,
                       "static const struct {\n    float bound;\n    long slot;\n    unsigned long "
                       "next;\n} %s_node[%u] = {\n",
                       source->prefix, trees->nodes ? trees->nodes : 1);
    if (!trees->nodes)
        clv_c_put(source, "    {0, 0, 0}");
    for (uint32_t i = 0; i < trees->nodes && source->text->status == OK; i++) {
        const TreeNode *node = &trees->node[i];

        clv_c_put(source, i ? ",\n    {" : "    {");
        if (node->left == i) {
            clv_model_text_put(source->text, "0, -1, %u}", node->leaf);
            continue;
        }
        clv_c_float(source, node->slot & SLOT_SET ? (float)set_of(node) : node->bound);
        clv_model_text_put(source->text, ", %u, %u}", node->slot & ~SLOT_SET, node->left);
    }
    clv_c_put(source, "};\n");
}

static void put_slots(const CSource *source, const Trees *trees)
{
    clv_model_text_put(source->text,
                       "static const struct {\n    unsigned long feature, kind, code, codes, "
                       "missing;\n} %s_slot[%u] = {\n",
                       source->prefix, trees->slots ? trees->slots : 1);
    if (!trees->slots)
        clv_c_put(source, "    {0, 0, 0, 0, 0}");
    for (uint32_t i = 0; i < trees->slots && source->text->status == OK; i++) {
        const TreeSlot *slot = &trees->slot[i];
        bool bins = slot->kind == SLOT_BINS;

        clv_model_text_put(source->text, "%s    {%u, %u, %u, %u, %u}", i ? ",\n" : "",
                           slot->feature, slot->kind, bins ? slot->code : 0, bins ? slot->codes : 0,
                           bins ? slot->missing : 0);
    }
    clv_c_put(source, "};\n");
}

static Status put_sets(const CSource *source, const Trees *trees)
{
    uint32_t *bins;

    TRY(ALLOC(source->model->context, bins, trees->code_bins, "categories", source->text->error));
    for (size_t i = 0; i < trees->code_bins; i++)
        bins[i] = trees->code_bin[i];
    clv_c_numbers(source, "bin", bins, trees->code_bins);
    clv_c_numbers(source, "set_of", trees->set, (size_t)trees->sets * SET_WORDS);
    clv_free(source->model->context, bins);
    return OK;
}

static bool has_kind(const Trees *trees, uint32_t kind)
{
    for (uint32_t i = 0; i < trees->slots; i++)
        if (trees->slot[i].kind == kind)
            return true;
    return false;
}

/* Writes the function that decides whether a row goes left. Without categories and missing values
 * it is a comparison. */
static void put_left(const CSource *source, bool high, bool sets)
{
    clv_c_put(source, "static int @_left(unsigned long node, const float *x)\n"
                      "{\n"
                      "    unsigned long slot = (unsigned long)@_node[node].slot;\n"
                      "    float value = x[@_slot[slot].feature];\n\n");
    if (high)
        clv_c_put(source, "    if (@_slot[slot].kind == 1 && value == -FLT_MAX)\n"
                          "        return 0;\n");
    if (sets)
        clv_c_put(source, "    if (@_slot[slot].kind == 2) {\n"
                          "        unsigned long bin, code = 0;\n\n"
                          "        if (value >= 1 && value < (float)@_slot[slot].codes)\n"
                          "            code = (unsigned long)value;\n"
                          "        bin = value == -FLT_MAX ? @_slot[slot].missing\n"
                          "                                : @_bin[@_slot[slot].code + code];\n"
                          "        return (@_set_of[(unsigned long)@_node[node].bound * 8 + bin / "
                          "32] >> bin % 32) & 1;\n"
                          "    }\n");
    clv_c_put(source, "    return value <= @_node[node].bound;\n"
                      "}\n\n");
}

static void put_leaf(const CSource *source)
{
    clv_c_put(source, "static unsigned long @_leaf(unsigned long node, const float *x)\n"
                      "{\n"
                      "    while (@_node[node].slot >= 0)\n"
                      "        node = @_node[node].next + !@_left(node, x);\n"
                      "    return @_node[node].next;\n"
                      "}\n\n");
}

static Status put_values(const CSource *source, const Trees *trees)
{
    uint32_t *starts;

    if (trees->width == 1) {
        clv_c_doubles(source, "value", trees->value, trees->leaves);
        return OK;
    }
    if (!trees->leaf_start) {
        clv_c_floats(source, "value", trees->values, (size_t)trees->leaves * trees->width);
        return OK;
    }
    clv_c_floats(source, "value", trees->values, (size_t)trees->leaf_start[trees->leaves]);
    clv_c_numbers(source, "value_output", trees->leaf_output,
                  (size_t)trees->leaf_start[trees->leaves]);
    TRY(ALLOC(source->model->context, starts, (size_t)trees->leaves + 1, "leaves",
              source->text->error));
    for (uint32_t i = 0; i <= trees->leaves; i++)
        starts[i] = (uint32_t)trees->leaf_start[i];
    clv_c_numbers(source, "value_start", starts, (size_t)trees->leaves + 1);
    clv_free(source->model->context, starts);
    return OK;
}

static void put_sum(const CSource *source, const Trees *trees, uint32_t count,
                    const BundleItem *start)
{
    clv_c_put(source, "static void @_sum(const float *x, double *scores)\n"
                      "{\n");
    clv_c_put(source, trees->width > 1 ? "    unsigned long tree, leaf, j;\n\n"
                                       : "    unsigned long tree, j;\n\n");
    clv_c_put(source, "    for (j = 0; j < @_score_count; j++)\n");
    clv_c_put(source, start ? "        scores[j] = @_start[j];\n" : "        scores[j] = 0;\n");
    clv_model_text_put(source->text, "    for (tree = 0; tree < %u; tree++)", count);
    if (trees->width == 1)
        clv_c_put(source, "\n        scores[tree % @_score_count] += @_value[@_leaf(@_root[tree], "
                          "x)];\n");
    else if (trees->leaf_start)
        clv_c_put(source,
                  " {\n"
                  "        leaf = @_leaf(@_root[tree], x);\n"
                  "        for (j = @_value_start[leaf]; j < @_value_start[leaf + 1]; j++)\n"
                  "            scores[@_value_output[j]] += (double)@_value[j];\n"
                  "    }\n");
    else
        clv_c_put(source, " {\n"
                          "        leaf = @_leaf(@_root[tree], x);\n"
                          "        for (j = 0; j < @_score_count; j++)\n"
                          "            scores[j] += (double)@_value[leaf * @_score_count + j];\n"
                          "    }\n");
    if (!start && count > 1) /* the prediction is a mean */
        clv_model_text_put(source->text,
                           "    for (j = 0; j < %s_score_count; j++)\n"
                           "        scores[j] /= %u;\n",
                           source->prefix, count);
    clv_c_put(source, "}\n\n");
}

static Status put_trees(const CSource *source)
{
    const Model *model = source->model;
    const BundleItem *start = clv_boost_start(model);
    bool sets;
    Trees trees;

    if (!clv_trees_of(model, &trees) || (trees.trees == 0 && !start)) {
        clv_cannot_export(source->text, model, "c", NULL, "it has no trees");
        return OK;
    }
    if (trees.sets >= MOST_SETS ||
        (trees.leaf_start && trees.leaf_start[trees.leaves] > UINT32_MAX)) {
        clv_cannot_export(source->text, model, "c", NULL, "its trees are too large");
        return OK;
    }
    sets = has_kind(&trees, SLOT_BINS);
    put_nodes(source, &trees);
    put_slots(source, &trees);
    clv_c_numbers(source, "root", trees.start, trees.trees);
    if (sets)
        TRY(put_sets(source, &trees));
    TRY(put_values(source, &trees));
    if (start)
        clv_c_doubles(source, "start", start->data, (size_t)start->count);
    clv_c_put(source, "\n");
    put_left(source, has_kind(&trees, SLOT_HIGH), sets);
    put_leaf(source);
    put_sum(source, &trees, trees.trees, start);
    return OK;
}

void clv_c_trees(const CSource *source)
{
    clv_model_text_fail(source->text, put_trees(source));
}
