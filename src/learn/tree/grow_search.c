/*
 * The best split of a leaf among its sampled columns. Columns are searched independently, by
 * threads if there is enough work. If splits have equal gain, the lowest column is chosen, for any
 * number of threads.
 */
#include "base/pool.h"
#include "learn/tree/growing.h"

#include <math.h>

enum {
    WORTH_A_THREAD = 1 << 16, /* minimum number of cells or values to search */
    MOST_DEPTH = 65535,
};
#define ROUNDING 1e-12 /* relative gain that may be a rounding error */

typedef struct {
    Grower *grower;
    uint32_t node;
    const uint32_t *columns;
} Searching;

static Split no_split(const Grower *grower, const NodeSum *sum)
{
    const Targets *targets = grower->targets;
    double there = (double)sum->weight * targets->weight_unit, least = grower->options.gain;

    if (!targets->label) {
        double g = (double)sum->pair.gradient * targets->gradient_unit;
        double h = (double)sum->pair.hessian * targets->hessian_unit + grower->options.l2;

        there = h > 0 ? g * g / h : 0;
    }
    return (Split){.gain = fmax(least, there * ROUNDING), .column = NO_SPLIT};
}

static void search_column(Searching *searching, uint32_t column, unsigned worker, Split *best)
{
    Grower *grower = searching->grower;
    struct GrowWorkspace *workspace = grower->workspace;
    const Leaf *leaf = &workspace->leaf[searching->node];
    const GrowNode *node = &grower->tree.node[searching->node];

    if (has_histogram(leaf))
        clv_split_search(&workspace->rules, &workspace->searching[worker], &leaf->sum, column,
                         &leaf->histogram, best);
    else if (leaf->gathered)
        clv_split_search_rows(
            &(SplitRules){&leaf->gathered->bins, &leaf->gathered->targets, &grower->options},
            &workspace->searching[worker], &leaf->sum, column, leaf->gathered->row + leaf->first,
            leaf->count, best);
    else
        clv_split_search_rows(&workspace->rules, &workspace->searching[worker], &leaf->sum, column,
                              grower->row + node->first, node->rows, best);
}

static void search_task(void *user, uint32_t task, unsigned worker)
{
    Searching *searching = user;
    struct GrowWorkspace *workspace = searching->grower->workspace;

    workspace->found[task] = no_split(searching->grower, &workspace->leaf[searching->node].sum);
    search_column(searching, searching->columns[task], worker, &workspace->found[task]);
}

static void search_columns(Grower *grower, uint32_t node, const uint32_t *columns, uint32_t count,
                           Split *best)
{
    struct GrowWorkspace *workspace = grower->workspace;
    Searching searching = {.grower = grower, .node = node, .columns = columns};
    const Leaf *leaf = &workspace->leaf[node];
    uint64_t work = (uint64_t)count * (has_histogram(leaf)
                                           ? MOST_BINS * (grower->targets->classes + 1)
                                           : grower->tree.node[node].rows);

    if (workspace->maker.workers > 1 && work >= WORTH_A_THREAD) {
        clv_pool_run(grower->context, count, search_task, &searching);
        for (uint32_t i = 0; i < count; i++)
            if (workspace->found[i].column != NO_SPLIT && workspace->found[i].gain > best->gain)
                *best = workspace->found[i];
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        search_column(&searching, columns[i], 0, best);
}

static bool is_pure(const Grower *grower, const NodeSum *sum)
{
    for (uint32_t c = 0; c < grower->targets->classes; c++)
        if (sum->count[c] == sum->weight)
            return true;
    return false;
}

bool clv_grow_may_split(const Grower *grower, uint32_t node)
{
    const GrowOptions *options = &grower->options;
    const NodeSum *sum = &grower->workspace->leaf[node].sum;
    uint32_t depth = grower->tree.node[node].depth,
             deepest = options->depth ? options->depth : MOST_DEPTH;

    return depth < deepest &&
           sum->rows >= 2 * (uint64_t)(options->leaf_rows ? options->leaf_rows : 1) &&
           !is_pure(grower, sum);
}

/* Finds the node's best split. If no sampled column has a split, further columns are drawn until
 * one has a split. */
Status clv_grow_search(Grower *grower, uint32_t node, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    Leaf *leaf = &workspace->leaf[node];
    uint32_t wanted;

    leaf->split = no_split(grower, &leaf->sum);
    if (!clv_grow_may_split(grower, node))
        return OK;
    wanted = clv_draw_for_node(&workspace->drawn, &grower->options, workspace->number, node);
    search_columns(grower, node, workspace->drawn.of_node, wanted, &leaf->split);
    while (leaf->split.column == NO_SPLIT && wanted < workspace->drawn.count)
        search_columns(grower, node, workspace->drawn.of_node + wanted++, 1, &leaf->split);
    if (leaf->split.column == NO_SPLIT)
        return OK;
    TRY(GROW(grower->context, workspace->open, workspace->open_capacity, workspace->opens + 1,
             error));
    workspace->open[workspace->opens++] = node;
    return OK;
}
