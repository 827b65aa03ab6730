/*
 * Nodes and the sums over their rows: class weights, or gradient sums and the leaf value. Only the
 * root's rows and, for classes, those of the smaller child are summed; the rest follows from the
 * split or as a difference from the parent.
 */
#include "base/pool.h"
#include "learn/tree/growing.h"
#include "learn/tree/partition.h"

#include <math.h>

/* Returns zeroed counts for a leaf that may be split. clv_grow_drop_counts takes them back. */
static Status get_counts(Grower *grower, uint32_t **count, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    size_t classes = grower->targets->classes;

    TRY(GROW(grower->context, workspace->spare_count, workspace->spare_count_capacity,
             workspace->counts + 1, error));
    if (workspace->spare_counts > 0) {
        *count = workspace->spare_count[--workspace->spare_counts];
        memset(*count, 0, classes * sizeof **count);
        return OK;
    }
    TRY(ALLOC_ZERO(grower->context, *count, classes + 1, "the class counts of a node", error));
    workspace->counts++;
    return OK;
}

void clv_grow_drop_counts(struct GrowWorkspace *workspace, NodeSum *sum)
{
    if (sum->count)
        workspace->spare_count[workspace->spare_counts++] = sum->count;
    sum->count = NULL;
}

Status clv_grow_add_node(Grower *grower, uint32_t first, uint32_t rows, uint32_t depth,
                         cleave_error *error)
{
    GrowTree *tree = &grower->tree;
    struct GrowWorkspace *workspace = grower->workspace;
    size_t need = (size_t)tree->nodes + 1;
    uint32_t *count = NULL;

    TRY(GROW(grower->context, tree->node, tree->node_capacity, need, error));
    TRY(GROW(grower->context, workspace->leaf, workspace->leaf_capacity, need, error));
    if (grower->targets->label)
        TRY(get_counts(grower, &count, error));
    tree->node[tree->nodes] = (GrowNode){.first = first, .rows = rows, .depth = (uint16_t)depth};
    workspace->leaf[tree->nodes] = (Leaf){
        .sum = {.count = count, .least = -(double)INFINITY, .most = (double)INFINITY},
        .split = {.column = NO_SPLIT}};
    tree->nodes++;
    tree->leaves++;
    return OK;
}

static uint32_t *counts_of(const Grower *grower, uint32_t node)
{
    return grower->workspace->leaf[node].sum.count;
}

/* Sums the class weights of a node from its rows. */
static Status count_node(Grower *grower, uint32_t number, cleave_error *error)
{
    const GrowNode *node = &grower->tree.node[number];
    const Leaf *leaf = &grower->workspace->leaf[number];
    const NodeRows *gathered = leaf->gathered;
    const uint32_t *rows = gathered ? gathered->row + leaf->first : grower->row + node->first;
    const Targets *targets = gathered ? &gathered->targets : grower->targets;
    uint32_t *count = counts_of(grower, number), there = gathered ? leaf->count : node->rows;

    for (uint32_t i = 0; i < there; i++)
        count[targets->label[rows[i]]] += targets->weight ? targets->weight[rows[i]] : 1;
    return gathered ? OK : grow_add_up(grower, count, targets->classes, sizeof *count, error);
}

static Status keep_classes(Grower *grower, GrowNode *node, NodeSum *sum, cleave_error *error)
{
    const Targets *targets = grower->targets;
    GrowTree *tree = &grower->tree;

    for (uint32_t c = 0; c < targets->classes; c++)
        node->classes += sum->count[c] != 0;
    TRY(GROW(grower->context, tree->class_count, tree->class_capacity,
             tree->class_counts + node->classes + 1, error));
    tree->class_unit = targets->weight_unit;
    node->class_first = tree->class_counts;
    for (uint32_t c = 0; c < targets->classes; c++) {
        sum->weight += sum->count[c];
        if (sum->count[c])
            tree->class_count[tree->class_counts++] = (ClassCount){c, sum->count[c]};
    }
    node->hessian = (double)sum->weight * targets->weight_unit;
    return OK;
}

static Status weigh_node(Grower *grower, uint32_t number, cleave_error *error)
{
    const Targets *targets = grower->targets;
    GrowNode *node = &grower->tree.node[number];
    NodeSum *sum = &grower->workspace->leaf[number].sum;

    if (targets->label)
        return keep_classes(grower, node, sum, error);
    node->gradient = (double)sum->pair.gradient * targets->gradient_unit;
    node->hessian = (double)sum->pair.hessian * targets->hessian_unit;
    node->value = clv_split_value(&grower->workspace->rules, sum->pair, sum->least, sum->most);
    return OK;
}

/* Sets the limits of the children's values below a monotone column. */
static void limit_children(Grower *grower, uint32_t parent, uint32_t left)
{
    const GrowOptions *options = &grower->options;
    Leaf *leaf = grower->workspace->leaf;
    uint32_t feature = grower->bins->column[leaf[parent].split.column].feature;
    int direction = options->monotone && feature < options->features ? options->monotone[feature]
                                                                     : 0;
    double least = leaf[parent].sum.least, most = leaf[parent].sum.most, middle;

    for (uint32_t i = 0; i < 2; i++) {
        leaf[left + i].sum.least = least;
        leaf[left + i].sum.most = most;
    }
    if (direction == 0)
        return;
    middle = (clv_split_value(&grower->workspace->rules, leaf[left].sum.pair, least, most) +
              clv_split_value(&grower->workspace->rules, leaf[left + 1].sum.pair, least, most)) /
             2;
    leaf[left + (direction < 0)].sum.most = middle;
    leaf[left + (direction > 0)].sum.least = middle;
}

/* Sums both children. Only the rows of the smaller one are visited. */
Status clv_grow_sum_children(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error)
{
    Leaf *leaf = grower->workspace->leaf;
    const Leaf *above = &leaf[parent];
    uint32_t small = left + (leaf[left].sum.rows > leaf[left + 1].sum.rows),
             large = left + (small == left);

    if (grower->targets->label) {
        TRY(count_node(grower, small, error));
        for (uint32_t c = 0; c < grower->targets->classes; c++)
            counts_of(grower, large)[c] = above->sum.count[c] - counts_of(grower, small)[c];
    } else {
        leaf[left].sum.pair = above->split.left;
        leaf[left + 1].sum.pair = (PairSum){above->sum.pair.gradient - above->split.left.gradient,
                                            above->sum.pair.hessian - above->split.left.hessian};
    }
    limit_children(grower, parent, left);
    clv_grow_drop_counts(grower->workspace, &leaf[parent].sum);
    TRY(weigh_node(grower, left, error));
    return weigh_node(grower, left + 1, error);
}

typedef struct {
    Grower *grower;
    const uint32_t *rows; /* NULL: all */
    PairSum sum;          /* gradients */
} RootSum;

/* Sums over a chunk of the root's rows. */
static void sum_root_rows(void *user, uint32_t task, unsigned worker)
{
    RootSum *root_sum = user;
    const Targets *targets = root_sum->grower->targets;
    uint32_t from = task * PART_CHUNK, left = root_sum->grower->rows - from;
    uint32_t count = left < PART_CHUNK ? left : PART_CHUNK, *rows = root_sum->grower->row + from;
    PairSum sum = {0};

    (void)worker;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = root_sum->rows ? root_sum->rows[from + i] : from + i;
    if (targets->label)
        return;
    for (uint32_t i = 0; i < count; i++) {
        sum.gradient += targets->packed[rows[i]] >> 32;
        sum.hessian += (int64_t)(uint32_t)targets->packed[rows[i]];
    }
    __atomic_fetch_add(&root_sum->sum.gradient, sum.gradient, __ATOMIC_RELAXED);
    __atomic_fetch_add(&root_sum->sum.hessian, sum.hessian, __ATOMIC_RELAXED);
}

/* Sets the root's rows and the sums over all processes. */
Status clv_grow_sum_root(Grower *grower, const uint32_t *rows, uint32_t count, cleave_error *error)
{
    RootSum root_sum = {.grower = grower, .rows = rows};
    PairSum *sum = &grower->workspace->leaf[0].sum.pair;
    uint32_t tasks = count / PART_CHUNK + (count % PART_CHUNK != 0);

    grower->rows = count;
    clv_pool_run_if(grower->workspace->maker.workers > 1, grower->context, tasks, sum_root_rows,
                    &root_sum);
    *sum = root_sum.sum;
    if (grower->targets->label)
        TRY(count_node(grower, 0, error));
    else
        TRY(grow_add_up(grower, sum, 2, sizeof(int64_t), error));
    return weigh_node(grower, 0, error);
}

uint32_t clv_tree_heaviest_class(const GrowTree *tree, uint32_t node)
{
    const ClassCount *class = node_classes(tree, node);
    uint32_t best = 0;

    for (uint32_t i = 1; i < tree->node[node].classes; i++)
        if (class[i].count > class[best].count)
            best = i;
    return tree->node[node].classes ? class[best].class : 0;
}

double clv_tree_class_weight(const GrowTree *tree, uint32_t node, uint32_t class)
{
    const ClassCount *of = node_classes(tree, node);
    uint32_t low = 0, high = tree->node[node].classes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (of[middle].class < class)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tree->node[node].classes && of[low].class == class ? of[low].count *
                                                                          tree->class_unit
                                                                    : 0;
}
