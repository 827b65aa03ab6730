#include "learn/tree/importance.h"

#include "base/random.h"
#include "learn/tree/split.h"

#define DEAL_STREAM 0x6465616C74212121u

/* ---- gains ---------------------------------------------------------------------------------------------------------- */

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

/* ---- permutation ---------------------------------------------------------------------------------------------------- */

Status clv_permuting_init(Permuting *permuting, const Bins *bins, size_t outputs, uint32_t positive,
                          cleave_error *error)
{
    *permuting = (Permuting){.context = bins->context, .bins = bins, .outputs = outputs, .positive = positive};
    permuting->dealt = clv_alloc(bins->context, bins->rows, sizeof *permuting->dealt);
    permuting->asked = clv_alloc(bins->context, bins->columns, sizeof *permuting->asked);
    return permuting->dealt && permuting->asked
               ? OK
               : clv_fail_memory(error, "permuted rows", bins->rows * sizeof *permuting->dealt);
}

void clv_permuting_free(Permuting *permuting)
{
    if (!permuting->context)
        return;
    clv_free(permuting->context, permuting->dealt);
    clv_free(permuting->context, permuting->asked);
    *permuting = (Permuting){0};
}

/* Where a row ends whose value of one column is another row's. */
static uint32_t leaf_dealt(const Grower *grower, uint32_t row, uint32_t column, uint32_t other)
{
    const GrowTree *tree = &grower->tree;
    uint32_t at = 0;

    while (tree->node[at].left)
        at = clv_grow_next(grower, at, tree->node[at].column == column ? other : row);
    return at;
}

static double loss_of(const Permuting *permuting, uint32_t row, const double *value)
{
    const Bins *bins = permuting->bins;
    double weight = bag_weight(bins, row), off;

    if (bins->label)
        return clv_bag_class(value, permuting->outputs, permuting->positive) != bins->label[row] ? weight : 0;
    off = *value - bins->number[row];
    return weight * off * off;
}

static double loss_dealt(const Permuting *permuting, const Grower *grower, const Bag *bag, uint32_t column,
                         const double *values)
{
    double loss = 0;

    for (uint32_t i = 0; i < bag->lefts; i++) {
        uint32_t node = leaf_dealt(grower, bag->left[i], column, bag->left[permuting->dealt[i]]);

        loss += loss_of(permuting, bag->left[i], values + node * permuting->outputs);
    }
    return loss;
}

void clv_permute(Permuting *permuting, const Grower *grower, const Bag *bag, const uint32_t *nodes,
                 const double *values, uint64_t seed, uint64_t tree, double *harm)
{
    const GrowTree *grown = &grower->tree;
    uint32_t columns = permuting->bins->columns;
    double weight = 0, loss = 0;

    memset(harm, 0, columns * sizeof *harm);
    memset(permuting->asked, 0, columns * sizeof *permuting->asked);
    for (uint32_t i = 0; i < grown->nodes; i++)
        if (grown->node[i].left)
            permuting->asked[grown->node[i].column] = true;
    for (uint32_t i = 0; i < bag->lefts; i++) {
        weight += bag_weight(permuting->bins, bag->left[i]);
        loss += loss_of(permuting, bag->left[i], values + nodes[i] * permuting->outputs);
    }
    for (uint32_t column = 0; column < columns && weight > 0; column++) {
        Random random = clv_random(seed ^ DEAL_STREAM ^ clv_mix(tree), permuting->bins->column[column].feature);

        if (!permuting->asked[column])
            continue;
        for (uint32_t i = 0; i < bag->lefts; i++)
            permuting->dealt[i] = i;
        clv_shuffle(&random, permuting->dealt, bag->lefts);
        harm[column] = (loss_dealt(permuting, grower, bag, column, values) - loss) / weight;
    }
}
