/*
 * Decides which leaves have a histogram. Leaves of many rows have one, so that only the smaller of
 * two children is summed. Leaves of few rows or few columns are searched from their rows, column by
 * column.
 */
#include "learn/tree/growing.h"

enum {
    LOOK_UP = 4,      /* cost of finding a row's bin in a list, in additions */
    PAIR_NUMBERS = 4, /* 32-bit numbers in a pair of sums */
    /* with at most this many rows, clearing and scanning a histogram takes longer than the rows */
    FEW_ROWS = 256,
};

/* Whether searching from the rows is faster. In list columns, each row is looked up, which takes
 * longer than reading a byte, but less time than histogram cells if rows are few. */
static bool is_cheaper_by_rows(const Grower *grower, uint64_t rows)
{
    const GrowOptions *options = &grower->options;
    uint32_t columns = options->columns_drawn
                           ? options->columns_drawn
                           : clv_drawn_share(options->columns_of_node, grower->bins->columns);
    uint32_t numbers = grower->targets->label ? grower->targets->classes : PAIR_NUMBERS;

    return rows * columns * LOOK_UP <= (uint64_t)grower->bins->cells * numbers;
}

static bool searches_rows(const Grower *grower, const Leaf *leaf)
{
    const GrowOptions *options = &grower->options;
    uint64_t rows = leaf->sum.rows;
    uint32_t columns = grower->bins->columns;
    bool few_columns = (options->columns_drawn && 2 * options->columns_drawn <= columns) ||
                       (options->columns_of_node > 0 && options->columns_of_node <= 0.5);

    if (grower->bins->collective && !leaf->gathered)
        return false;
    return grower->bins->lists ? is_cheaper_by_rows(grower, rows) : rows < FEW_ROWS || few_columns;
}

static bool wants_histogram(const Grower *grower, uint32_t node)
{
    return clv_grow_may_split(grower, node) &&
           !searches_rows(grower, &grower->workspace->leaf[node]);
}

/* Reuses a spare histogram, or allocates one. */
static Status get_histogram(struct GrowWorkspace *workspace, Histogram *histogram,
                            cleave_error *error)
{
    TRY(GROW(workspace->maker.context, workspace->spare, workspace->spare_capacity,
             workspace->alive + 1, error));
    if (workspace->spares > 0) {
        *histogram = workspace->spare[--workspace->spares];
        return OK;
    }
    TRY(clv_histogram_new(&workspace->maker, histogram, error));
    workspace->alive++;
    return OK;
}

void clv_grow_drop_histogram(struct GrowWorkspace *workspace, Histogram *histogram)
{
    if (histogram->pair || histogram->count)
        /* the array has capacity for all histograms */
        workspace->spare[workspace->spares++] = *histogram;
    *histogram = (Histogram){0};
}

static Status make_histogram(Grower *grower, uint32_t number, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    const GrowNode *node = &grower->tree.node[number];
    Leaf *leaf = &workspace->leaf[number];
    HistogramMaker maker = workspace->maker;

    TRY(get_histogram(workspace, &leaf->histogram, error));
    if (leaf->gathered) {
        maker.bins = &leaf->gathered->bins;
        maker.targets = &leaf->gathered->targets;
        clv_histogram_sum(&maker, leaf->gathered->row + leaf->first, leaf->count, &leaf->histogram);
        return OK;
    }
    clv_histogram_sum(&maker, grower->row + node->first, node->rows, &leaf->histogram);
    if (leaf->histogram.count)
        return grow_add_up(grower, leaf->histogram.count,
                           grower->bins->cells * grower->targets->classes, sizeof(uint32_t), error);
    return grow_add_up(grower, leaf->histogram.pair, 2 * grower->bins->cells, sizeof(int64_t),
                       error);
}

Status clv_grow_make_histogram(Grower *grower, uint32_t node, cleave_error *error)
{
    return wants_histogram(grower, node) ? make_histogram(grower, node, error) : OK;
}

Status clv_grow_make_histograms(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error)
{
    struct GrowWorkspace *workspace = grower->workspace;
    Leaf *leaf = workspace->leaf;
    uint32_t small = left + (leaf[left].sum.rows > leaf[left + 1].sum.rows),
             large = left + (small == left);
    bool wants_small = wants_histogram(grower, small);
    bool wants_large = wants_histogram(grower, large);
    bool has_parent = has_histogram(&leaf[parent]);

    if (wants_small || (wants_large && has_parent))
        TRY(make_histogram(grower, small, error));
    if (wants_large && has_parent) {
        leaf[large].histogram = leaf[parent].histogram;
        leaf[parent].histogram = (Histogram){0};
        clv_histogram_subtract(&workspace->maker, &leaf[large].histogram, &leaf[small].histogram);
    } else if (wants_large) {
        TRY(make_histogram(grower, large, error));
    }
    clv_grow_drop_histogram(workspace, &leaf[parent].histogram);
    if (!wants_small)
        clv_grow_drop_histogram(workspace, &leaf[small].histogram);
    return OK;
}
