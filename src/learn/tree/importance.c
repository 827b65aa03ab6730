#include "learn/tree/importance.h"

#include "base/random.h"
#include "learn/tree/split.h"

#define DEAL_STREAM 0x6465616C74212121u

/* ---- gains ----------------------------------------------------------------------------------- */

bool clv_importance_gains(const Model *model, double *gains)
{
    Trees trees;

    if (!clv_trees_of(model, &trees) || !trees.gain)
        return false;
    for (uint32_t i = 0; i < trees.nodes; i++)
        if (trees.node[i].left != i)
            gains[trees.slot[trees.node[i].slot & ~SLOT_SET].feature] += trees.gain[i];
    return true;
}

/* ---- permutation ----------------------------------------------------------------------------- */

Status clv_permuting_init(Permuting *permuting, const Bins *bins, size_t outputs, uint32_t positive,
                          cleave_error *error)
{
    *permuting = (Permuting){
        .context = bins->context, .bins = bins, .outputs = outputs, .positive = positive};
    return ALLOC(bins->context, permuting->last_row, bins->columns, "columns", error);
}

void clv_permuting_free(Permuting *permuting)
{
    if (!permuting->context)
        return;
    clv_free(permuting->context, permuting->last_row);
    *permuting = (Permuting){0};
}

/* The leaf of a row below a node, with the value of one column taken from another row. */
static uint32_t leaf_permuted(const Grower *grower, uint32_t at, uint32_t row, uint32_t column,
                              uint32_t other)
{
    const GrowTree *tree = &grower->tree;

    while (tree->node[at].left)
        at = clv_grow_next(grower, at, tree->node[at].column == column ? other : row);
    return at;
}

/* The class with the most rows in a leaf; with equal numbers, the first class. */
static uint32_t leaf_class(const GrowTree *tree, uint32_t node)
{
    const ClassCount *class = node_classes(tree, node);
    uint32_t best = 0;

    for (uint32_t i = 1; i < tree->node[node].classes; i++)
        if (class[i].count > class[best].count)
            best = i;
    return class[best].class;
}

/* The loss of a row at a leaf. values: `outputs` numbers per node; NULL: the class probabilities of
 * the leaf. */
static double loss_of(const Permuting *permuting, const GrowTree *tree, uint32_t row, uint32_t node,
                      const double *values)
{
    const double *value = values ? values + node * permuting->outputs : NULL;
    const Bins *bins = permuting->bins;
    double weight = bins_weight(bins, row), off;

    if (!value)
        return leaf_class(tree, node) != bins->label[row] ? weight : 0;
    if (bins->label)
        return clv_bag_class(value, permuting->outputs, permuting->positive) != bins->label[row]
                   ? weight
                   : 0;
    off = *value - bins->number[row];
    return weight * off * off;
}

/* Permutes one column. The permutation changes the path of a row only from the first split by the
 * column on. */
static void permute_column(Permuting *permuting, const Grower *grower, const Bag *bag, uint32_t i,
                           uint32_t end, const double *values, uint64_t seed, double *loss_increase)
{
    const GrowTree *tree = &grower->tree;
    uint32_t row = bag->left[i];
    double loss = loss_of(permuting, tree, row, end, values);

    for (uint32_t at = 0; tree->node[at].left; at = clv_grow_next(grower, at, row)) {
        uint32_t column = tree->node[at].column, other, leaf;
        Random random = clv_random(seed + i, permuting->bins->column[column].feature);

        if (permuting->last_row[column] == i + 1)
            continue;
        permuting->last_row[column] = i + 1;
        other = bag->left[clv_random_below(&random, bag->lefts)];
        leaf = leaf_permuted(grower, at, row, column, other);
        if (leaf != end)
            loss_increase[column] += loss_of(permuting, tree, row, leaf, values) - loss;
    }
}

void clv_permute(Permuting *permuting, const Grower *grower, const Bag *bag, const uint32_t *nodes,
                 const double *values, uint64_t seed, uint64_t tree, double *loss_increase)
{
    uint32_t columns = permuting->bins->columns;
    double weight = 0;

    memset(loss_increase, 0, columns * sizeof *loss_increase);
    memset(permuting->last_row, 0, columns * sizeof *permuting->last_row);
    for (uint32_t i = 0; i < bag->lefts; i++) {
        weight += bins_weight(permuting->bins, bag->left[i]);
        permute_column(permuting, grower, bag, i, nodes[i], values,
                       clv_mix(seed ^ DEAL_STREAM) ^ clv_mix(tree + 1), loss_increase);
    }
    for (uint32_t column = 0; column < columns && weight > 0; column++)
        loss_increase[column] /= weight;
}
