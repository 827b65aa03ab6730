#include "learn/tree/trees.h"

#include "learn/tree/growing.h"
#include "learn/tree/split.h"

#include <math.h>
#include <stdlib.h>

#define NO_SLOT UINT32_MAX

struct TreesWorkspace {
    uint32_t *start;
    TreeNode *node;
    TreeSlot *slot;
    uint8_t *code_bin;
    uint32_t *set;
    double *value;
    float *values;
    uint64_t *leaf_start; /* sparse leaves */
    uint32_t *leaf_output;
    double *weight, *gain, *class_weight;
    uint32_t *rows;
    size_t start_capacity, node_capacity, slot_capacity, set_capacity, value_capacity,
        values_capacity, weight_capacity, gain_capacity, class_capacity, code_capacity,
        leaf_start_capacity, leaf_output_capacity, rows_capacity;
    /* numbers of the slots of each column of bins, with missing values low and high */
    uint32_t *slot_of;
    uint32_t classes;
    /* Layout of a tree: the GrowNode of each node of the model. */
    uint32_t *origin;
    size_t origin_capacity;
};

/* ---- building -------------------------------------------------------------------------------- */

Status clv_trees_init(TreesBuilder *builder, const Bins *bins, uint32_t width, bool with_facts,
                      cleave_error *error)
{
    struct TreesWorkspace *workspace;
    size_t slots = 2 * (size_t)bins->columns + 1;

    *builder = (TreesBuilder){.context = bins->context, .bins = bins, .with_facts = with_facts};
    builder->trees.width = width;
    builder->workspace = workspace = clv_alloc_zero(bins->context, 1, sizeof *workspace);
    if (!workspace)
        return clv_fail_memory(error, "trees", sizeof *workspace);
    workspace->slot_of = clv_alloc(bins->context, slots, sizeof *workspace->slot_of);
    workspace->code_bin = clv_alloc(bins->context, bins->code_bins, 1);
    if (!workspace->slot_of || !workspace->code_bin) {
        clv_trees_free(builder);
        return clv_fail_memory(error, "trees", slots * sizeof *workspace->slot_of);
    }
    memset(workspace->slot_of, 0xFF, slots * sizeof *workspace->slot_of);
    if (bins->code_bins)
        memcpy(workspace->code_bin, bins->code_bin, bins->code_bins);
    workspace->code_capacity = bins->code_bins;
    builder->trees.code_bins = bins->code_bins;
    return OK;
}

void clv_trees_free(TreesBuilder *builder)
{
    struct TreesWorkspace *workspace = builder->workspace;
    Context *context = builder->context;

    if (!workspace)
        return;
    FREE(context, workspace->start, workspace->node, workspace->slot, workspace->code_bin,
         workspace->set, workspace->value, workspace->values, workspace->leaf_start,
         workspace->leaf_output, workspace->weight, workspace->gain, workspace->class_weight,
         workspace->rows, workspace->slot_of, workspace->origin, workspace);
    *builder = (TreesBuilder){0};
}

/* Finds the slot of a node's split, which is created on first use. */
static Status find_slot(TreesBuilder *builder, const GrowNode *node, uint32_t *found,
                        cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    Trees *trees = &builder->trees;
    const BinColumn *column = &builder->bins->column[node->column];
    uint32_t kind = column->category ? SLOT_BINS : node->missing_left ? SLOT_LOW : SLOT_HIGH;
    uint32_t *known = &workspace->slot_of[2 * (size_t)node->column + (kind == SLOT_HIGH)];
    TreeSlot slot = {.feature = column->feature, .kind = kind};

    if (*known == NO_SLOT) {
        TRY(GROW(builder->context, workspace->slot, workspace->slot_capacity,
                 (size_t)trees->slots + 1, error));
        if (kind == SLOT_BINS) {
            slot.code = column->code;
            slot.codes = column->codes;
            slot.missing = column->missing != NO_BIN ? column->missing
                                                     : builder->bins->code_bin[column->code];
        }
        workspace->slot[trees->slots] = slot;
        *known = trees->slots++;
    }
    *found = *known;
    return OK;
}

static Status keep_set(TreesBuilder *builder, const GrowTree *tree, const GrowNode *node,
                       uint32_t *number, cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    Trees *trees = &builder->trees;

    TRY(GROW(builder->context, workspace->set, workspace->set_capacity,
             ((size_t)trees->sets + 1) * SET_WORDS, error));
    memcpy(workspace->set + (size_t)trees->sets * SET_WORDS,
           tree->set + (size_t)node->set * SET_WORDS, SET_WORDS * sizeof *workspace->set);
    *number = trees->sets++;
    return OK;
}

/* The end of the values of all leaves so far. */
static uint64_t sparse_end(const TreesBuilder *builder)
{
    return builder->trees.leaves ? builder->workspace->leaf_start[builder->trees.leaves] : 0;
}

/* Reserves memory for this many more leaves and values. */
static Status make_sparse(TreesBuilder *builder, size_t leaves, size_t values, cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    size_t need = sparse_end(builder) + values;

    TRY(GROW(builder->context, workspace->leaf_start, workspace->leaf_start_capacity,
             builder->trees.leaves + leaves + 1, error));
    TRY(GROW(builder->context, workspace->leaf_output, workspace->leaf_output_capacity, need,
             error));
    TRY(GROW(builder->context, workspace->values, workspace->values_capacity, need, error));
    workspace->leaf_start[0] = 0;
    return OK;
}

/* Appends a value to the last leaf, which ends at *end. */
static void add_sparse(TreesBuilder *builder, uint32_t output, double value, uint64_t *end)
{
    if ((float)value == 0)
        return;
    builder->workspace->leaf_output[*end] = output;
    builder->workspace->values[(*end)++] = (float)value;
}

static Status add_sparse_leaf(TreesBuilder *builder, const GrowTree *tree, uint32_t node,
                              const double *values, double scale, cleave_error *error)
{
    const ClassCount *class = node_classes(tree, node);
    uint32_t width = builder->trees.width, classes = tree->node[node].classes;
    uint64_t end = sparse_end(builder);
    double all = 0;

    TRY(make_sparse(builder, 1, values ? width : classes, error));
    for (uint32_t i = 0; values && i < width; i++)
        add_sparse(builder, i, scale * values[i], &end);
    for (uint32_t i = 0; !values && i < classes; i++)
        all += class[i].count * tree->class_unit;
    for (uint32_t i = 0; !values && i < classes; i++)
        add_sparse(builder, class[i].class, scale * (class[i].count * tree->class_unit / all),
                   &end);
    builder->workspace->leaf_start[++builder->trees.leaves] = end;
    return OK;
}

static Status add_leaf(TreesBuilder *builder, const GrowNode *node, const double *values,
                       double scale, cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    Trees *trees = &builder->trees;
    uint32_t width = trees->width;
    size_t need = (size_t)trees->leaves + 1;

    if (width == 1) {
        TRY(GROW(builder->context, workspace->value, workspace->value_capacity, need, error));
        workspace->value[trees->leaves] = scale * (values ? *values : node->value);
    } else {
        TRY(GROW(builder->context, workspace->values, workspace->values_capacity, need * width,
                 error));
        for (uint32_t i = 0; i < width; i++)
            workspace->values[(size_t)trees->leaves * width + i] = (float)(scale *
                                                                           (values ? values[i]
                                                                                   : node->value));
    }
    trees->leaves++;
    return OK;
}

static Status keep_facts(TreesBuilder *builder, const Grower *grower, uint32_t origin, uint32_t at,
                         cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    const GrowNode *node = &grower->tree.node[origin];
    uint32_t classes = grower->targets->label ? grower->targets->classes : 0;
    size_t need = (size_t)at + 1;
    bool first;

    if (!builder->with_facts)
        return OK;
    workspace->classes = classes;
    TRY(GROW(builder->context, workspace->weight, workspace->weight_capacity, need, error));
    TRY(GROW(builder->context, workspace->gain, workspace->gain_capacity, need, error));
    workspace->weight[at] = node->hessian;
    workspace->gain[at] = node->left ? node->gain : 0;
    if (builder->with_rows) {
        TRY(GROW(builder->context, workspace->rows, workspace->rows_capacity, need, error));
        workspace->rows[at] = node->rows;
    }
    if (classes == 0)
        return OK;
    first = workspace->class_capacity == 0; /* trees before may have no class counts */
    TRY(GROW(builder->context, workspace->class_weight, workspace->class_capacity, need * classes,
             error));
    memset(workspace->class_weight, 0,
           first ? (size_t)at * classes * sizeof *workspace->class_weight : 0);
    memset(workspace->class_weight + (size_t)at * classes, 0,
           classes * sizeof *workspace->class_weight);
    for (uint32_t i = 0; i < node->classes; i++) {
        ClassCount class = node_classes(&grower->tree, origin)[i];

        workspace->class_weight[(size_t)at * classes + class.class] = class.count *
                                                                      grower->tree.class_unit;
    }
    return OK;
}

/* Writes a node. Its children get the positions after all nodes so far. */
static Status lay_out(TreesBuilder *builder, const Grower *grower, uint32_t origin, uint32_t at,
                      uint32_t *end, const double *values, double scale, cleave_error *error)
{
    const GrowNode *node = &grower->tree.node[origin];
    TreeNode made = {.bound = INFINITY, .left = at, .leaf = builder->trees.leaves};
    uint32_t set;

    if (node->left == 0) {
        values = values ? values + (size_t)origin * builder->trees.width : NULL;
        TRY(builder->sparse ? add_sparse_leaf(builder, &grower->tree, origin, values, scale, error)
                            : add_leaf(builder, node, values, scale, error));
        builder->workspace->node[at] = made;
        return OK;
    }
    TRY(find_slot(builder, node, &made.slot, error));
    made.leaf = 0;
    made.left = *end;
    made.bound = node->bound;
    if (builder->bins->column[node->column].category) {
        TRY(keep_set(builder, &grower->tree, node, &set, error));
        memcpy(&made.bound, &set, sizeof set);
        made.slot |= SLOT_SET;
    }
    builder->workspace->node[at] = made;
    *end += 2;
    return OK;
}

/* Nodes are written level by level. */
Status clv_trees_add(TreesBuilder *builder, const Grower *grower, const double *values,
                     double scale, cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    Trees *trees = &builder->trees;
    uint32_t first = trees->nodes, end = first + 1, all = 2 * grower->tree.leaves - 1;
    uint64_t done = 0;

    TRY(GROW(builder->context, workspace->start, workspace->start_capacity,
             (size_t)trees->trees + 2, error));
    TRY(GROW(builder->context, workspace->node, workspace->node_capacity, (size_t)first + all,
             error));
    TRY(GROW(builder->context, workspace->origin, workspace->origin_capacity, all, error));
    workspace->origin[0] = 0;
    for (uint32_t at = first; at < end; at++) {
        uint32_t origin = workspace->origin[at - first], left = grower->tree.node[origin].left;

        clv_tick_after(builder->context, &done,
                       50 + (builder->sparse ? 0 : 4 * (uint64_t)trees->width));
        TRY(keep_facts(builder, grower, origin, at, error));
        TRY(lay_out(builder, grower, origin, at, &end, values, scale, error));
        for (uint32_t side = 0; left && side < 2; side++)
            workspace->origin[end - 2 + side - first] = left + side;
    }
    if (builder->with_rows && builder->bins->collective)
        TRY(grow_add_up(grower, workspace->rows + first, all, sizeof *workspace->rows, error));
    workspace->start[trees->trees] = first;
    workspace->start[++trees->trees] = trees->nodes = end;
    return OK;
}

void clv_trees_cut(TreesBuilder *builder, uint32_t count)
{
    Trees *trees = &builder->trees;

    if (count >= trees->trees)
        return;
    trees->nodes = builder->workspace->start[count];
    trees->leaves = 0;
    for (uint32_t i = 0; i < trees->nodes; i++)
        trees->leaves += builder->workspace->node[i].left == i;
    trees->trees = count;
}

/* A level ends with the children of the level above. */
uint32_t clv_trees_depth(const Trees *trees, uint32_t tree)
{
    uint32_t first = trees->start[tree], level_end = first + 1, children_end = level_end, depth = 0;

    for (uint32_t at = first; at < trees->start[tree + 1]; at++) {
        if (at == level_end) {
            depth++;
            level_end = children_end;
        }
        if (trees->node[at].left != at)
            children_end = trees->node[at].left + 2;
    }
    return depth;
}

double clv_leaf_value(const Trees *trees, uint32_t leaf, size_t output)
{
    if (trees->value)
        return trees->value[leaf];
    if (!trees->leaf_start)
        return (double)trees->values[(size_t)leaf * trees->width + output];
    for (uint64_t i = trees->leaf_start[leaf]; i < trees->leaf_start[leaf + 1]; i++)
        if (trees->leaf_output[i] == output)
            return (double)trees->values[i];
    return 0;
}

/* ---- appending trees ------------------------------------------------------------------------- */

Trees clv_trees_view(const TreesBuilder *builder)
{
    const struct TreesWorkspace *workspace = builder->workspace;
    Trees trees = builder->trees;

    trees.start = workspace->start;
    trees.node = workspace->node;
    trees.slot = workspace->slot;
    trees.code_bin = workspace->code_bin;
    trees.set = workspace->set;
    trees.value = trees.width == 1 ? workspace->value : NULL;
    trees.values = trees.width == 1 ? NULL : workspace->values;
    trees.leaf_start = builder->sparse && trees.leaves ? workspace->leaf_start : NULL;
    trees.leaf_output = trees.leaf_start ? workspace->leaf_output : NULL;
    trees.weight = builder->with_facts ? workspace->weight : NULL;
    trees.gain = builder->with_facts ? workspace->gain : NULL;
    trees.rows = builder->with_rows ? workspace->rows : NULL;
    trees.classes = builder->with_facts ? workspace->classes : 0;
    trees.class_weight = trees.classes ? workspace->class_weight : NULL;
    return trees;
}

/* Columns of bins are in the order of features. */
static uint32_t column_of(const Bins *bins, uint32_t feature)
{
    uint32_t low = 0, high = bins->columns;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (bins->column[middle].feature < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low < bins->columns && bins->column[low].feature == feature ? low : NO_SLOT;
}

/* Whether a slot of other trees equals that of a column of these bins. */
static bool is_same_slot(const Bins *bins, const BinColumn *column, const Trees *more,
                         const TreeSlot *slot)
{
    if (column->category != (slot->kind == SLOT_BINS))
        return false;
    return !column->category ||
           (column->codes == slot->codes &&
            slot->missing ==
                (column->missing != NO_BIN ? column->missing : bins->code_bin[column->code]) &&
            memcmp(bins->code_bin + column->code, more->code_bin + slot->code, slot->codes) == 0);
}

static Status take_slot(TreesBuilder *builder, const Trees *more, TreeSlot slot, uint32_t *found,
                        cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    Trees *trees = &builder->trees;
    uint32_t column = column_of(builder->bins, slot.feature), *known = NULL;

    if (column != NO_SLOT &&
        is_same_slot(builder->bins, &builder->bins->column[column], more, &slot)) {
        known = &workspace->slot_of[2 * (size_t)column + (slot.kind == SLOT_HIGH)];
        if (*known != NO_SLOT) {
            *found = *known;
            return OK;
        }
    }
    TRY(GROW(builder->context, workspace->slot, workspace->slot_capacity, (size_t)trees->slots + 1,
             error));
    if (slot.kind == SLOT_BINS && known) {
        slot.code = builder->bins->column[column].code;
    } else if (slot.kind == SLOT_BINS) {
        size_t need = trees->code_bins + slot.codes;

        if (need > UINT32_MAX)
            return clv_fail(error, CLEAVE_ERROR_DATA, "the trees have too many categories");
        TRY(GROW(builder->context, workspace->code_bin, workspace->code_capacity, need, error));
        memcpy(workspace->code_bin + trees->code_bins, more->code_bin + slot.code, slot.codes);
        slot.code = (uint32_t)trees->code_bins;
        trees->code_bins = need;
    }
    workspace->slot[trees->slots] = slot;
    *found = trees->slots++;
    if (known)
        *known = *found;
    return OK;
}

static size_t count_values(const Trees *trees)
{
    size_t count = 0;

    if (trees->leaf_start)
        return (size_t)trees->leaf_start[trees->leaves];
    for (size_t i = 0; i < (size_t)trees->leaves * trees->width; i++)
        count += trees->values[i] != 0;
    return count;
}

static Status make_room_for(TreesBuilder *builder, const Trees *more, cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    const Trees *trees = &builder->trees;
    Context *context = builder->context;
    size_t nodes = (size_t)trees->nodes + more->nodes,
           leaves = (size_t)trees->leaves + more->leaves;
    size_t sets = (size_t)trees->sets + more->sets;

    if (nodes >= UINT32_MAX || sets >= UINT32_MAX ||
        trees->slots + (uint64_t)more->slots >= SLOT_SET)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "the trees have %zu nodes, more than a model supports", nodes);
    TRY(GROW(context, workspace->start, workspace->start_capacity,
             (size_t)trees->trees + more->trees + 1, error));
    TRY(GROW(context, workspace->node, workspace->node_capacity, nodes, error));
    TRY(GROW(context, workspace->set, workspace->set_capacity, sets * SET_WORDS, error));
    if (trees->width == 1)
        TRY(GROW(context, workspace->value, workspace->value_capacity, leaves, error));
    else if (builder->sparse)
        TRY(make_sparse(builder, more->leaves, count_values(more), error));
    else
        TRY(GROW(context, workspace->values, workspace->values_capacity, leaves * trees->width,
                 error));
    if (!builder->with_facts)
        return OK;
    TRY(GROW(context, workspace->weight, workspace->weight_capacity, nodes, error));
    TRY(GROW(context, workspace->gain, workspace->gain_capacity, nodes, error));
    if (builder->with_rows)
        TRY(GROW(context, workspace->rows, workspace->rows_capacity, nodes, error));
    return GROW(context, workspace->class_weight, workspace->class_capacity,
                nodes * (more->classes ? more->classes : workspace->classes), error);
}

static void copy_nodes(TreesBuilder *builder, const Trees *more, const uint32_t *slot_of)
{
    const Trees *trees = &builder->trees;

    for (uint32_t i = 0; i < more->nodes; i++) {
        TreeNode node = more->node[i];
        uint32_t set;

        if (node.left == i)
            node.leaf += trees->leaves;
        else
            node.slot = slot_of[node.slot & ~SLOT_SET] | (node.slot & SLOT_SET);
        if (node.slot & SLOT_SET) {
            memcpy(&set, &node.bound, sizeof set);
            set += trees->sets;
            memcpy(&node.bound, &set, sizeof set);
        }
        node.left += trees->nodes;
        builder->workspace->node[trees->nodes + i] = node;
    }
}

/* Copies numbers per node, or zeros if the others have not stored them. */
static void copy_facts(double *to, const double *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
}

static void copy_classes(TreesBuilder *builder, const Trees *more)
{
    struct TreesWorkspace *workspace = builder->workspace;
    uint32_t classes = more->classes ? more->classes : workspace->classes;
    size_t before = (size_t)builder->trees.nodes * classes;

    if (classes == 0)
        return;
    if (workspace->classes == 0)
        copy_facts(workspace->class_weight, NULL, before);
    copy_facts(workspace->class_weight + before, more->class_weight, (size_t)more->nodes * classes);
    workspace->classes = classes;
}

/* Converts leaves of either form to those of this builder. */
static void copy_leaves(TreesBuilder *builder, const Trees *more)
{
    struct TreesWorkspace *workspace = builder->workspace;
    size_t width = builder->trees.width;
    float *to = workspace->values + builder->trees.leaves * width;
    uint64_t end;

    if (!builder->sparse && !more->leaf_start) {
        memcpy(to, more->values, more->leaves * width * sizeof *to);
        return;
    }
    if (!builder->sparse)
        memset(to, 0, more->leaves * width * sizeof *to);
    end = builder->sparse ? sparse_end(builder) : 0;
    for (uint32_t leaf = 0; leaf < more->leaves; leaf++) {
        uint64_t first = more->leaf_start ? more->leaf_start[leaf] : leaf * (uint64_t)width;
        uint64_t last = more->leaf_start ? more->leaf_start[leaf + 1] : first + width;

        for (uint64_t i = first; i < last; i++) {
            uint32_t output = more->leaf_start ? more->leaf_output[i] : (uint32_t)(i - first);

            if (builder->sparse)
                add_sparse(builder, output, (double)more->values[i], &end);
            else
                to[leaf * width + output] = more->values[i];
        }
        if (builder->sparse)
            workspace->leaf_start[builder->trees.leaves + leaf + 1] = end;
    }
}

static void copy_trees(TreesBuilder *builder, const Trees *more, const uint32_t *slot_of)
{
    struct TreesWorkspace *workspace = builder->workspace;
    Trees *trees = &builder->trees;
    size_t width = trees->width;

    copy_nodes(builder, more, slot_of);
    if (more->sets)
        memcpy(workspace->set + (size_t)trees->sets * SET_WORDS, more->set,
               (size_t)more->sets * SET_WORDS * sizeof *workspace->set);
    if (width == 1)
        memcpy(workspace->value + trees->leaves, more->value,
               more->leaves * sizeof *workspace->value);
    else
        copy_leaves(builder, more);
    if (builder->with_facts) {
        copy_facts(workspace->weight + trees->nodes, more->weight, more->nodes);
        copy_facts(workspace->gain + trees->nodes, more->gain, more->nodes);
        copy_classes(builder, more);
    }
    for (uint32_t i = 0; builder->with_rows && i < more->nodes; i++)
        workspace->rows[trees->nodes + i] = more->rows ? more->rows[i] : 0;
    for (uint32_t i = 0; i <= more->trees; i++)
        workspace->start[trees->trees + i] = trees->nodes + more->start[i];
    trees->trees += more->trees;
    trees->nodes += more->nodes;
    trees->leaves += more->leaves;
    trees->sets += more->sets;
}

Status clv_trees_append(TreesBuilder *builder, const Trees *more, cleave_error *error)
{
    uint32_t *slot_of;
    Status status = OK;

    if (more->trees == 0)
        return OK;
    TRY(make_room_for(builder, more, error));
    TRY(ALLOC(builder->context, slot_of, (size_t)more->slots + 1, "trees", error));
    for (uint32_t i = 0; i < more->slots && status == OK; i++)
        status = take_slot(builder, more, more->slot[i], &slot_of[i], error);
    if (status == OK)
        copy_trees(builder, more, slot_of);
    clv_free(builder->context, slot_of);
    return status;
}

/* ---- into a model ---------------------------------------------------------------------------- */

static int by_feature(const void *a, const void *b)
{
    const NumberedSlot *x = a, *y = b;

    if (x->slot.feature != y->slot.feature)
        return x->slot.feature > y->slot.feature ? 1 : -1;
    if (x->slot.kind != y->slot.kind)
        return x->slot.kind > y->slot.kind ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

void clv_sort_slots(NumberedSlot *sorted, uint32_t count, TreeSlot *slot, uint32_t *place,
                    TreeNode *node, uint32_t nodes)
{
    qsort(sorted, count, sizeof *sorted, by_feature);
    for (uint32_t i = 0; i < count; i++) {
        slot[i] = sorted[i].slot;
        place[sorted[i].number] = i;
    }
    for (uint32_t i = 0; i < nodes; i++)
        if (node[i].left != i)
            node[i].slot = place[node[i].slot & ~SLOT_SET] | (node[i].slot & SLOT_SET);
}

enum {
    NODE_NUMBERS = sizeof(TreeNode) / sizeof(uint32_t),
    SLOT_NUMBERS = sizeof(TreeSlot) / sizeof(uint32_t)
};

static Status put_nodes(const TreesBuilder *builder, Bundle *bundle, cleave_error *error)
{
    const Trees *trees = &builder->trees;
    Context *context = builder->context;
    size_t slots = (size_t)trees->slots + 1;
    NumberedSlot *sorted;
    uint32_t *place = NULL;
    TreeSlot *slot = NULL;
    TreeNode *node = NULL;
    Status status = ALLOC(context, sorted, slots, "trees", error);

    THEN(status, ALLOC(context, place, slots, "trees", error));
    THEN(status, ALLOC(context, slot, slots, "trees", error));
    THEN(status, ALLOC(context, node, trees->nodes, "trees", error));
    if (status == OK) {
        for (uint32_t i = 0; i < trees->slots; i++)
            sorted[i] = (NumberedSlot){builder->workspace->slot[i], i};
        if (trees->nodes)
            memcpy(node, builder->workspace->node, trees->nodes * sizeof *node);
        clv_sort_slots(sorted, trees->slots, slot, place, node, trees->nodes);
    }
    FREE(context, sorted, place);
    if (status == OK)
        return TAKE_ARRAYS(bundle, error,
                           {"tree_slots", BUNDLE_U32, slot, (uint64_t)trees->slots * SLOT_NUMBERS},
                           {"tree_nodes", BUNDLE_U32, node, (uint64_t)trees->nodes * NODE_NUMBERS});
    FREE(context, slot, node);
    return status;
}

/* Moves the numbers to the bundle if `move`, otherwise copies them. */
static Status put_numbers(Bundle *bundle, const char *name, BundleType type, void *numbers,
                          uint64_t count, bool move, cleave_error *error)
{
    return move && numbers ? clv_bundle_take(bundle, name, type, numbers, count, error)
                           : clv_bundle_put(bundle, name, type, numbers, count, error);
}

static Status put_leaves(const TreesBuilder *builder, Bundle *bundle, bool move,
                         cleave_error *error)
{
    const Trees *trees = &builder->trees;
    struct TreesWorkspace *workspace = builder->workspace;
    float *values = workspace->values;

    if (trees->width == 1)
        return clv_bundle_put(bundle, "tree_values", BUNDLE_F64, workspace->value, trees->leaves,
                              error);
    if (move)
        workspace->values = NULL;
    if (!builder->sparse)
        return put_numbers(bundle, "tree_values", BUNDLE_F32, values,
                           (uint64_t)trees->leaves * trees->width, move, error);
    TRY(put_numbers(bundle, "tree_values", BUNDLE_F32, values, sparse_end(builder), move, error));
    TRY(clv_bundle_put(bundle, "tree_leaf_outputs", BUNDLE_U32, workspace->leaf_output,
                       sparse_end(builder), error));
    return clv_bundle_put(bundle, "tree_leaf_starts", BUNDLE_U64, workspace->leaf_start,
                          (uint64_t)trees->leaves + 1, error);
}

static Status put_class_weights(const TreesBuilder *builder, Bundle *bundle, bool move,
                                cleave_error *error)
{
    struct TreesWorkspace *workspace = builder->workspace;
    double *weights = workspace->class_weight;

    if (!workspace->classes)
        return OK;
    if (move)
        workspace->class_weight = NULL;
    return put_numbers(bundle, "tree_class_weights", BUNDLE_F64, weights,
                       (uint64_t)builder->trees.nodes * workspace->classes, move, error);
}

static Status put_all(const TreesBuilder *builder, Bundle *bundle, bool move, cleave_error *error)
{
    const Trees *trees = &builder->trees;
    const struct TreesWorkspace *workspace = builder->workspace;
    const uint32_t none = 0; /* training ended before the first tree was grown */

    TRY(clv_bundle_put_number(bundle, "tree_width", trees->width, error));
    TRY(clv_bundle_put(bundle, "tree_starts", BUNDLE_U32,
                       workspace->start ? workspace->start : &none, (uint64_t)trees->trees + 1,
                       error));
    TRY(put_nodes(builder, bundle, error));
    TRY(clv_bundle_put(bundle, "tree_sets", BUNDLE_U32, workspace->set,
                       (uint64_t)trees->sets * SET_WORDS, error));
    TRY(clv_bundle_put(bundle, "tree_code_bins", BUNDLE_BYTES, workspace->code_bin,
                       trees->code_bins, error));
    TRY(put_leaves(builder, bundle, move, error));
    if (!builder->with_facts)
        return OK;
    TRY(clv_bundle_put(bundle, "tree_gains", BUNDLE_F64, workspace->gain, trees->nodes, error));
    TRY(clv_bundle_put(bundle, "tree_weights", BUNDLE_F64, workspace->weight, trees->nodes, error));
    if (builder->with_rows)
        TRY(clv_bundle_put(bundle, "tree_rows", BUNDLE_U32, workspace->rows, trees->nodes, error));
    return put_class_weights(builder, bundle, move, error);
}

Status clv_trees_put(const TreesBuilder *builder, Bundle *bundle, cleave_error *error)
{
    return put_all(builder, bundle, false, error);
}

Status clv_trees_move(TreesBuilder *builder, Bundle *bundle, cleave_error *error)
{
    Status status = put_all(builder, bundle, true, error);

    clv_trees_free(builder);
    return status;
}

/* ---- out of a model -------------------------------------------------------------------------- */

static bool facts_of(const Model *model, Trees *trees)
{
    const Bundle *bundle = model->bundle;
    const BundleItem *gain = clv_bundle_get(bundle, "tree_gains", BUNDLE_F64);
    const BundleItem *weight = clv_bundle_get(bundle, "tree_weights", BUNDLE_F64);
    const BundleItem *classes = clv_bundle_get(bundle, "tree_class_weights", BUNDLE_F64);
    const BundleItem *rows = clv_bundle_get(bundle, "tree_rows", BUNDLE_U32);

    if ((gain && gain->count != trees->nodes) || (weight && weight->count != trees->nodes) ||
        (rows && rows->count != trees->nodes) ||
        (classes && classes->count != (uint64_t)trees->nodes * model->labels.count))
        return false;
    trees->gain = gain ? gain->data : NULL;
    trees->weight = weight ? weight->data : NULL;
    trees->rows = rows ? rows->data : NULL;
    trees->class_weight = classes ? classes->data : NULL;
    trees->classes = classes ? model->labels.count : 0;
    return true;
}

static bool values_of(const Bundle *bundle, Trees *trees)
{
    const BundleItem *values = clv_bundle_get(bundle, "tree_values",
                                              trees->width == 1 ? BUNDLE_F64 : BUNDLE_F32);
    const BundleItem *starts = clv_bundle_get(bundle, "tree_leaf_starts", BUNDLE_U64);
    const BundleItem *outputs = clv_bundle_get(bundle, "tree_leaf_outputs", BUNDLE_U32);

    if (values && starts && trees->width > 1) {
        if (starts->count < 1 || starts->count > UINT32_MAX || !outputs ||
            outputs->count != values->count)
            return false;
        trees->leaves = (uint32_t)(starts->count - 1);
        trees->values = values->data;
        trees->leaf_start = starts->data;
        trees->leaf_output = outputs->data;
        return trees->leaf_start[trees->leaves] == values->count;
    }
    if (!values || values->count % trees->width != 0 || values->count / trees->width > UINT32_MAX)
        return false;
    trees->leaves = (uint32_t)(values->count / trees->width);
    trees->value = trees->width == 1 ? values->data : NULL;
    trees->values = trees->width == 1 ? NULL : values->data;
    return true;
}

bool clv_trees_of(const Model *model, Trees *trees)
{
    const Bundle *bundle = model->bundle;
    const BundleItem *start = clv_bundle_get(bundle, "tree_starts", BUNDLE_U32);
    const BundleItem *node = clv_bundle_get(bundle, "tree_nodes", BUNDLE_U32);
    const BundleItem *slot = clv_bundle_get(bundle, "tree_slots", BUNDLE_U32);
    const BundleItem *set = clv_bundle_get(bundle, "tree_sets", BUNDLE_U32);
    const BundleItem *code = clv_bundle_get(bundle, "tree_code_bins", BUNDLE_BYTES);
    uint64_t width;

    if (!start || !node || !slot || !set || !code ||
        !clv_bundle_number(bundle, "tree_width", &width))
        return false;
    if (start->count < 1 || start->count > UINT32_MAX || node->count % NODE_NUMBERS ||
        slot->count % SLOT_NUMBERS || set->count % SET_WORDS ||
        node->count / NODE_NUMBERS >= UINT32_MAX || slot->count / SLOT_NUMBERS >= SLOT_SET ||
        width < 1 || width > UINT32_MAX)
        return false;
    *trees = (Trees){.trees = (uint32_t)(start->count - 1),
                     .nodes = (uint32_t)(node->count / NODE_NUMBERS),
                     .slots = (uint32_t)(slot->count / SLOT_NUMBERS),
                     .sets = (uint32_t)(set->count / SET_WORDS),
                     .width = (uint32_t)width,
                     .start = start->data,
                     .node = node->data,
                     .slot = slot->data,
                     .set = set->data,
                     .code_bin = code->data,
                     .code_bins = code->count};
    return values_of(bundle, trees) && facts_of(model, trees);
}

static uint32_t set_of(const TreeNode *node)
{
    uint32_t set;

    memcpy(&set, &node->bound, sizeof set);
    return set;
}

/* next: the first node without a parent. The children of a node are the next two nodes without a
 * parent, so that every node except the root has one parent, which precedes it. Cycles are
 * impossible. */
static bool node_is_sound(const Trees *trees, uint32_t at, uint32_t *next, uint32_t end)
{
    const TreeNode *node = &trees->node[at];
    uint32_t slot = node->slot & ~SLOT_SET;

    if (node->left == at)
        return node->leaf < trees->leaves && node->slot == 0 && node->bound == (float)INFINITY;
    if (node->left != *next || end - *next < 2 || slot >= trees->slots)
        return false;
    *next += 2;
    if ((trees->slot[slot].kind == SLOT_BINS) != ((node->slot & SLOT_SET) != 0))
        return false;
    return node->slot & SLOT_SET ? set_of(node) < trees->sets : isfinite(node->bound);
}

static bool slots_are_sound(const Model *model, const Trees *trees)
{
    for (uint32_t i = 0; i < trees->slots; i++) {
        const TreeSlot *slot = &trees->slot[i];

        if (slot->feature >= model->features || slot->kind > SLOT_BINS ||
            (i && slot->feature < trees->slot[i - 1].feature))
            return false;
        if (slot->kind == SLOT_BINS && (slot->codes == 0 || slot->missing >= MOST_BINS ||
                                        (uint64_t)slot->code + slot->codes > trees->code_bins))
            return false;
    }
    return true;
}

/* Checks a tree. first: first node; end: one after the last node. */
static bool tree_is_sound(const Trees *trees, uint32_t first, uint32_t end)
{
    uint32_t next = first + 1;

    if (end <= first || end > trees->nodes)
        return false;
    for (uint32_t at = first; at < end; at++)
        if (!node_is_sound(trees, at, &next, end))
            return false;
    return next == end;
}

/* Checks weights of training rows and gains of splits, if stored. */
static bool facts_are_sound(const Trees *trees)
{
    for (uint32_t i = 0; i < trees->nodes; i++)
        if ((trees->weight && !isfinite(trees->weight[i])) ||
            (trees->gain && !isfinite(trees->gain[i])))
            return false;
    for (uint64_t i = 0; i < (uint64_t)trees->nodes * trees->classes; i++)
        if (!isfinite(trees->class_weight[i]))
            return false;
    return true;
}

static bool values_are_sound(const Trees *trees)
{
    uint64_t count = trees->leaf_start ? trees->leaf_start[trees->leaves]
                                       : (uint64_t)trees->leaves * trees->width;

    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(trees->value ? trees->value[i] : (double)trees->values[i]))
            return false;
    if (trees->leaf_start && trees->leaf_start[0] != 0)
        return false;
    for (uint32_t leaf = 0; trees->leaf_start && leaf < trees->leaves; leaf++) {
        uint64_t first = trees->leaf_start[leaf], end = trees->leaf_start[leaf + 1];

        if (end < first || end > count)
            return false;
        for (uint64_t i = first; i < end; i++)
            if (trees->leaf_output[i] >= trees->width ||
                (i > first && trees->leaf_output[i] <= trees->leaf_output[i - 1]))
                return false;
    }
    return true;
}

bool clv_trees_check(const Model *model)
{
    Trees trees;

    if (!clv_trees_of(model, &trees) || !slots_are_sound(model, &trees))
        return false;
    if (trees.start[0] != 0 || trees.start[trees.trees] != trees.nodes)
        return false;
    for (uint32_t t = 0; t < trees.trees; t++)
        if (!tree_is_sound(&trees, trees.start[t], trees.start[t + 1]))
            return false;
    return values_are_sound(&trees) && facts_are_sound(&trees);
}
