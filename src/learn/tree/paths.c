#include "learn/tree/paths.h"

#include "learn/tree/split.h"

/* A row's entries, by ascending column. */
typedef struct {
    uint32_t *column;
    float *value;
    size_t count;
} Entries;

static bool open_entries(Context *context, const Block *block, uint32_t row, Entries *entries)
{
    size_t capacity = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        capacity++;
    *entries = (Entries){.column = clv_alloc(context, capacity, sizeof *entries->column),
                         .value = clv_alloc(context, capacity, sizeof *entries->value)};
    if (!entries->column || !entries->value)
        return false;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk); entries->count++) {
        entries->column[entries->count] = walk.column;
        entries->value[entries->count] = walk.value;
    }
    return true;
}

/* The position of the column in the entries, or count. */
static size_t entry_of(const Entries *entries, uint32_t column)
{
    size_t low = 0, high = entries->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (entries->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < entries->count && entries->column[low] == column ? low : entries->count;
}

/* Computes the means of the nodes. Children come after their parent. */
static void find_means(const Trees *trees, uint32_t tree, size_t output, double *mean)
{
    uint32_t first = trees->start[tree];

    for (uint32_t at = trees->start[tree + 1]; at-- > first;) {
        uint32_t left = trees->node[at].left, right = left + 1;
        double all;

        if (left == at) {
            mean[at - first] = clv_leaf_value(trees, trees->node[at].leaf, output);
            continue;
        }
        all = trees->weight[left] + trees->weight[right];
        mean[at - first] = all > 0 ? (trees->weight[left] * mean[left - first] +
                                      trees->weight[right] * mean[right - first]) /
                                         all
                                   : (mean[left - first] + mean[right - first]) / 2;
    }
}

static void walk_down(const Trees *trees, uint32_t tree, const Entries *entries, const double *mean,
                      double scale, double *contributions, double *intercept)
{
    uint32_t first = trees->start[tree], at = first;

    *intercept += scale * mean[0];
    while (trees->node[at].left != at) {
        const TreeNode *node = &trees->node[at];
        const TreeSlot *slot = &trees->slot[node->slot & ~SLOT_SET];
        size_t entry = entry_of(entries, slot->feature);
        float seen = clv_slot_value(trees, slot,
                                    entry < entries->count ? entries->value[entry] : 0);
        uint32_t next = clv_trees_next(trees, node, seen);

        contributions[slot->feature] += scale * (mean[next - first] - mean[at - first]);
        at = next;
    }
}

static uint32_t largest_tree(const Trees *trees)
{
    uint32_t most = 0;

    for (uint32_t t = 0; t < trees->trees; t++)
        if (trees->start[t + 1] - trees->start[t] > most)
            most = trees->start[t + 1] - trees->start[t];
    return most;
}

bool clv_path_contributions(const Trees *trees, Context *context, const Block *block, uint32_t row,
                            const PathOutput *output, double *contributions, double *intercept)
{
    Entries entries;
    double *mean;
    bool there;

    if (!trees->weight)
        return false;
    mean = clv_alloc(context, largest_tree(trees), sizeof *mean);
    there = open_entries(context, block, row, &entries) && mean;
    *intercept = 0;
    for (uint32_t t = 0; there && t < trees->trees; t++) {
        if (trees->width == 1 && output->outputs > 1 && t % output->outputs != output->output)
            continue;
        find_means(trees, t, output->output, mean);
        walk_down(trees, t, &entries, mean, output->scale, contributions, intercept);
    }
    FREE(context, entries.column, entries.value, mean);
    return there;
}
