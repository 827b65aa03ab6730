/*
 * Best-first growth: each open leaf has its best split, and the leaf with the largest gain is split
 * next. Its rows are partitioned, the targets of both children are summed, and both are searched
 * for a split.
 */
#include "learn/tree/grow.h"

#include "learn/tree/growing.h"
#include "learn/tree/partition.h"

#include <float.h>

enum {
    HISTOGRAM_BYTES = 1 << 29, /* maximum size of the histograms of all leaves */
    FEWEST_HISTOGRAMS = 8,
};

/* ---- memory ---------------------------------------------------------------------------------- */

static Status make_room(Grower *grower, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    Context *context = grower->context;
    size_t columns = (size_t)grower->bins->columns + 1, rows = (size_t)grower->bins->rows + 1;

    workspace->rules = (SplitRules){grower->bins, grower->targets, &grower->options};
    TRY(clv_histogram_maker_init(&workspace->maker, grower->bins, grower->targets,
                                 grower->options.alone, error));
    workspace->searching = clv_alloc_zero(context, workspace->maker.workers,
                                          sizeof *workspace->searching);
    TRY(TAKE(grower->bins->workspace, context, grower->row, rows, "rows", error));
    TRY(TAKE(grower->bins->workspace, context, workspace->spare_rows, rows, "rows", error));
    workspace->lefts = clv_alloc(context, rows / PART_CHUNK + 1, sizeof *workspace->lefts);
    workspace->found = clv_alloc(context, columns, sizeof *workspace->found);
    if (!workspace->searching || !workspace->lefts || !workspace->found)
        return clv_fail_memory(error, "tree growth", columns * sizeof *workspace->found);
    TRY(clv_drawn_init(&workspace->drawn, context, grower->bins->columns, error));
    for (; workspace->workers < workspace->maker.workers; workspace->workers++)
        TRY(clv_split_workspace_init(&workspace->searching[workspace->workers], context,
                                     grower->targets, error));
    workspace->most_alive = HISTOGRAM_BYTES / (clv_histogram_bytes(&workspace->maker) + 1);
    if (workspace->most_alive < FEWEST_HISTOGRAMS)
        workspace->most_alive = FEWEST_HISTOGRAMS;
    workspace->most_gathered = clv_histogram_bytes(&workspace->maker) /
                               (grower->bins->row_bytes + sizeof(int64_t));
    if (workspace->most_gathered > PART_CHUNK)
        workspace->most_gathered = PART_CHUNK;
    return OK;
}

Status clv_grower_init(Grower *grower, const Bins *bins, const Targets *targets,
                       const GrowOptions *options, cleave_error *error)
{
    Status status;

    *grower = (Grower){
        .context = bins->context, .bins = bins, .targets = targets, .options = *options};
    TRY(ALLOC_ZERO(bins->context, grower->workspace, 1, "tree growth", error));
    status = make_room(grower, error);
    if (status != OK)
        clv_grower_free(grower);
    return status;
}

static void free_workspace(Grower *grower)
{
    struct GrowWorkspace *workspace = grower->workspace;
    Context *context = grower->context;

    for (unsigned i = 0; workspace->searching && i < workspace->maker.workers; i++)
        clv_split_workspace_free(&workspace->searching[i], context);
    for (uint32_t i = 0; i < grower->tree.nodes && workspace->leaf; i++) {
        clv_histogram_free(&workspace->maker, &workspace->leaf[i].histogram);
        clv_free(context, workspace->leaf[i].sum.count);
        clv_node_rows_drop(workspace->leaf[i].gathered);
    }
    while (workspace->spares > 0)
        clv_histogram_free(&workspace->maker, &workspace->spare[--workspace->spares]);
    clv_free(context, workspace->searching);
    clv_workspace_give(grower->bins->workspace, context, workspace->spare_rows);
    FREE(context, workspace->lefts, workspace->leaf);
    while (workspace->spare_counts > 0)
        clv_free(context, workspace->spare_count[--workspace->spare_counts]);
    FREE(context, workspace->spare_count, workspace->open);
    clv_drawn_free(&workspace->drawn, context);
    FREE(context, workspace->found, workspace->spare);
    clv_histogram_maker_free(&workspace->maker);
    clv_free(context, workspace);
}

void clv_grower_free(Grower *grower)
{
    if (!grower->context)
        return;
    if (grower->workspace)
        free_workspace(grower);
    clv_workspace_give(grower->bins->workspace, grower->context, grower->row);
    FREE(grower->context, grower->tree.node, grower->tree.set, grower->tree.class_count);
    *grower = (Grower){0};
}

/* Releases the data of a node that will not be split. */
static void close_leaf(struct GrowWorkspace *workspace, Leaf *leaf)
{
    clv_grow_drop_histogram(workspace, &leaf->histogram);
    clv_grow_drop_counts(workspace, &leaf->sum);
    clv_node_rows_drop(leaf->gathered);
    leaf->gathered = NULL;
}

/* ---- splitting ------------------------------------------------------------------------------- */

static Status keep_set(Grower *grower, const Split *split, uint32_t *number, cleave_error *error)
{
    GrowTree *tree = &grower->tree;

    TRY(GROW(grower->context, tree->set, tree->set_capacity, ((size_t)tree->sets + 1) * SET_WORDS,
             error));
    memcpy(tree->set + (size_t)tree->sets * SET_WORDS, split->set, sizeof split->set);
    *number = tree->sets++;
    return OK;
}

static Status write_split(Grower *grower, uint32_t number, uint32_t left, cleave_error *error)
{
    const Split *split = &grower->workspace->leaf[number].split;
    const BinColumn *column = &grower->bins->column[split->column];
    GrowNode *node = &grower->tree.node[number];
    uint32_t values = column->bins - (column->missing != NO_BIN);

    node->left = left;
    node->column = split->column;
    node->bin = split->bin;
    node->gain = split->gain;
    node->missing_left = split->missing_left;
    if (column->category)
        return keep_set(grower, split, &node->set, error);
    node->bound = split->bin + 1u < values ? grower->bins->bound[column->bound + split->bin]
                                           : FLT_MAX;
    return OK;
}

/* Gathers the rows of a node from all processes if they take less memory than its histogram. Its
 * subtree then needs no communication. */
static Status gather_rows(Grower *grower, uint32_t number, cleave_error *error)
{
    const GrowNode *node = &grower->tree.node[number];
    Leaf *leaf = &grower->workspace->leaf[number];

    if (!grower->bins->collective || leaf->gathered ||
        leaf->sum.rows > grower->workspace->most_gathered || !clv_grow_may_split(grower, number))
        return OK;
    TRY(clv_node_rows_new(grower->bins, grower->targets, grower->row + node->first, node->rows,
                          &leaf->gathered, error));
    leaf->first = 0;
    leaf->count = leaf->gathered->bins.rows;
    return OK;
}

static Status search_child(Grower *grower, uint32_t node, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    Leaf *leaf = &workspace->leaf[node];

    TRY(clv_grow_search(grower, node, error));
    if (leaf->split.column == NO_SPLIT)
        close_leaf(workspace, leaf);
    else if (workspace->alive - workspace->spares > workspace->most_alive)
        clv_grow_drop_histogram(workspace, &leaf->histogram);
    return OK;
}

/* Gives the gathered rows of a node to its children, which share them. Left rows come first. */
static void share_gathered(struct GrowWorkspace *workspace, uint32_t parent, uint32_t left,
                           uint32_t lefts)
{
    Leaf *leaf = workspace->leaf, *above = &leaf[parent];

    if (!above->gathered)
        return;
    above->gathered->users += 1; /* two references are added and one is released */
    leaf[left].gathered = leaf[left + 1].gathered = above->gathered;
    leaf[left].first = above->first;
    leaf[left].count = lefts;
    leaf[left + 1].first = above->first + lefts;
    leaf[left + 1].count = above->count - lefts;
    above->gathered = NULL;
}

/* Puts categories and missing values without rows in the node on the side with more rows. */
static void place_unseen(Grower *grower, uint32_t parent, uint32_t left)
{
    const Split *split = &grower->workspace->leaf[parent].split;
    GrowNode *node = &grower->tree.node[parent];
    bool most_left = grower->tree.node[left].hessian > grower->tree.node[left + 1].hessian;

    if (!grower->bins->column[split->column].category) {
        node->missing_left = split->missing_seen ? split->missing_left : most_left;
        return;
    }
    for (uint32_t i = 0; i < SET_WORDS && most_left; i++)
        grower->tree.set[(size_t)node->set * SET_WORDS + i] |= ~split->seen[i];
}

/* Partitions the local rows of a node. Returns the number of rows that go left. */
static uint32_t partition_rows(const Grower *grower, uint32_t number)
{
    const struct GrowWorkspace *workspace = grower->workspace;
    const GrowNode *node = &grower->tree.node[number];

    return clv_partition_rows(
        &(Partition){.context = workspace->maker.workers > 1 ? grower->context : NULL,
                     .bins = grower->bins,
                     .split = &workspace->leaf[number].split,
                     .rows = grower->row + node->first,
                     .count = node->rows,
                     .spare = workspace->spare_rows,
                     .lefts = workspace->lefts});
}

/* Partitions gathered rows, which are at most one chunk. */
static uint32_t partition_gathered(const Leaf *leaf)
{
    uint32_t lefts = 0;

    return clv_partition_rows(&(Partition){.bins = &leaf->gathered->bins,
                                           .split = &leaf->split,
                                           .rows = leaf->gathered->row + leaf->first,
                                           .count = leaf->count,
                                           .spare = leaf->gathered->spare,
                                           .lefts = &lefts});
}

static Status split_leaf(Grower *grower, uint32_t parent, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    GrowNode node = grower->tree.node[parent];
    uint32_t left = grower->tree.nodes, lefts;
    uint64_t rows;

    lefts = partition_rows(grower, parent);
    rows = workspace->leaf[parent].gathered ? partition_gathered(&workspace->leaf[parent]) : lefts;
    if (!workspace->leaf[parent].gathered)
        TRY(grow_add_up(grower, &rows, 1, sizeof rows, error));
    TRY(clv_grow_add_node(grower, node.first, lefts, node.depth + 1u, error));
    TRY(clv_grow_add_node(grower, node.first + lefts, node.rows - lefts, node.depth + 1u, error));
    grower->tree.leaves--;
    share_gathered(workspace, parent, left, (uint32_t)rows);
    workspace->leaf[left].sum.rows = rows;
    workspace->leaf[left + 1].sum.rows = workspace->leaf[parent].sum.rows - rows;
    TRY(write_split(grower, parent, left, error));
    TRY(clv_grow_sum_children(grower, parent, left, error));
    place_unseen(grower, parent, left);
    if (grower->options.leaves && grower->tree.leaves >= grower->options.leaves) {
        close_leaf(workspace, &workspace->leaf[parent]);
        return OK; /* after the last split, the children are not searched */
    }
    TRY(gather_rows(grower, left, error));
    TRY(gather_rows(grower, left + 1, error));
    TRY(clv_grow_make_histograms(grower, parent, left, error));
    TRY(search_child(grower, left, error));
    return search_child(grower, left + 1, error);
}

/* The leaf to split next: the leaf with the largest gain. If all leaves will be split, the newest
 * leaf, which limits the number of stored histograms. */
static uint32_t next_leaf(Grower *grower)
{
    struct GrowWorkspace *workspace = grower->workspace;
    size_t best = workspace->opens - 1;
    uint32_t node;

    for (size_t i = 0; grower->options.leaves && i < workspace->opens; i++) {
        double gain = workspace->leaf[workspace->open[i]].split.gain,
               most = workspace->leaf[workspace->open[best]].split.gain;

        if (gain > most || (gain == most && workspace->open[i] < workspace->open[best]))
            best = i;
    }
    node = workspace->open[best];
    workspace->open[best] = workspace->open[--workspace->opens];
    return node;
}

/* ---- the root and the growth ----------------------------------------------------------------- */

static Status make_root(Grower *grower, const uint32_t *rows, uint32_t count, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    uint64_t all = count;

    for (uint32_t i = 0; i < grower->tree.nodes; i++)
        close_leaf(workspace, &workspace->leaf[i]);
    grower->tree.nodes = grower->tree.leaves = grower->tree.sets = 0;
    grower->tree.class_counts = 0;
    workspace->opens = 0;
    TRY(clv_grow_add_node(grower, 0, count, 0, error));
    TRY(grow_add_up(grower, &all, 1, sizeof all, error));
    workspace->leaf[0].sum.rows = all;
    if (grower->options.most_value > 0) {
        workspace->leaf[0].sum.most = grower->options.most_value;
        workspace->leaf[0].sum.least = -grower->options.most_value;
    }
    TRY(clv_grow_sum_root(grower, rows, count, error));
    clv_draw_for_tree(&workspace->drawn, &grower->options, grower->bins->columns,
                      workspace->number);
    TRY(gather_rows(grower, 0, error));
    TRY(clv_grow_make_histogram(grower, 0, error));
    return search_child(grower, 0, error);
}

Status clv_grow_tree(Grower *grower, const uint32_t *rows, uint32_t count, uint64_t number,
                     cleave_error *error)
{
    enum { SPLITS_PER_TICK = 16 };
    struct GrowWorkspace *workspace = grower->workspace;
    uint32_t most = grower->options.leaves, splits = 0;

    workspace->number = number;
    TRY(make_root(grower, rows, count, error));
    while (workspace->opens > 0 && (!most || grower->tree.leaves < most) &&
           (grower->options.alone || grower->bins->collective || !clv_cancelled(grower->context))) {
        /* One of several growers checks for cancellation itself; an incomplete tree must not be
         * used. */
        if (grower->options.alone && ++splits % SPLITS_PER_TICK == 0 && clv_tick(grower->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
        TRY(split_leaf(grower, next_leaf(grower), error));
    }
    return OK;
}

/* ---- afterwards ------------------------------------------------------------------------------ */

uint32_t clv_grow_next(const Grower *grower, uint32_t number, uint32_t row)
{
    const GrowTree *tree = &grower->tree;
    const GrowNode *node = &tree->node[number];
    const BinColumn *column = &grower->bins->column[node->column];
    uint32_t bin = clv_bins_get(grower->bins, node->column, row);
    bool left = column->category         ? in_set(tree->set + (size_t)node->set * SET_WORDS, bin)
                : bin == column->missing ? node->missing_left
                                         : bin <= node->bin;

    return node->left + !left;
}

uint32_t clv_grow_leaf(const Grower *grower, uint32_t row)
{
    uint32_t at = 0;

    while (grower->tree.node[at].left)
        at = clv_grow_next(grower, at, row);
    return at;
}
