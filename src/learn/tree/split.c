#include "learn/tree/split.h"

#include <math.h>
#include <stdlib.h>

enum { DEFAULT_ONE_VS_REST = 4, MOST_ORDERS = 8 };

Status clv_split_workspace_init(SplitWorkspace *workspace, Context *context, const Targets *targets,
                                cleave_error *error)
{
    *workspace = (SplitWorkspace){0};
    if (targets->label) {
        workspace->left = clv_alloc(context, targets->classes, sizeof *workspace->left);
        workspace->count = clv_alloc_zero(context, (size_t)MOST_BINS * targets->classes,
                                          sizeof *workspace->count);
    } else {
        workspace->pair = clv_alloc_zero(context, MOST_BINS, sizeof *workspace->pair);
    }
    if (targets->label ? workspace->left && workspace->count : workspace->pair != NULL)
        return OK;
    return clv_fail_memory(error, "the split search", MOST_BINS * sizeof(PairSum));
}

void clv_split_workspace_free(SplitWorkspace *workspace, Context *context)
{
    FREE(context, workspace->left, workspace->count, workspace->pair);
}

/* One column of a node during the search. */
typedef struct {
    const SplitRules *rules;
    SplitWorkspace *workspace;
    const NodeSum *node;
    const BinColumn *column;
    uint32_t number;
    const PairSum *pair;   /* gradients: its cells */
    const uint32_t *count; /* classes: its cells, a count per class */
    Split *best;
    double l2;           /* l2 for children */
    double parent;       /* gain term of the parent, which the children must exceed */
    double least_weight; /* minimum weight of a child */
    double rows_per;     /* hessian or weight per row, in integer units */
    int monotone;
    bool missing; /* whether rows of the node lack the value */
} Search;

static void clear_set(Split *split)
{
    memset(split->set, 0, sizeof split->set);
}

static void add_to_set(Split *split, uint32_t bin)
{
    split->set[bin / 32] |= 1u << (bin % 32);
}

/* Marks the bins of the node's rows. All other bins may go either way. */
static void note_seen(const SplitWorkspace *workspace, Split *split)
{
    memset(split->seen, 0, sizeof split->seen);
    for (uint32_t i = 0; i < workspace->uses; i++)
        split->seen[workspace->used[i] / 32] |= 1u << (workspace->used[i] % 32);
}

/* The bin that ends the left side. If bins between two used bins are empty, the bound is in the
 * middle. */
static uint16_t middle_bin(const SplitWorkspace *workspace, uint32_t at)
{
    uint32_t bin = workspace->used[at];

    return (uint16_t)(at + 1 < workspace->uses ? (bin + workspace->used[at + 1] - 1u) / 2 : bin);
}

/* Sets the minimum of a child, as hessian or weight in units, for a node with this total. */
static void limit_children(Search *search, double weight, double unit)
{
    const GrowOptions *options = search->rules->options;

    search->rows_per = (double)search->node->rows / weight;
    search->least_weight = fmax(options->leaf_hessian / unit,
                                ((double)(options->leaf_rows ? options->leaf_rows : 1) - 0.5) /
                                    search->rows_per);
}

/* Records a better split by a bound: numeric bins up to the used bin at this position go left. */
static void take_bound(Search *search, uint32_t at, bool missing_left, double gain)
{
    Split *best = search->best;

    best->gain = gain;
    best->column = search->number;
    best->bin = middle_bin(search->workspace, at);
    best->missing_left = missing_left;
    best->missing_seen = search->missing;
}

/* Records a better split by one category against the rest. */
static void take_one(Search *search, uint32_t bin, double gain)
{
    search->best->gain = gain;
    search->best->column = search->number;
    clear_set(search->best);
    add_to_set(search->best, bin);
}

/* Records a better split: the sorted categories up to this one go left. UINT32_MAX: there is
 * none. */
static void take_first(Search *search, uint32_t last)
{
    if (last == UINT32_MAX)
        return;
    search->best->column = search->number;
    clear_set(search->best);
    for (uint32_t i = 0; i <= last; i++)
        add_to_set(search->best, search->workspace->order[i]);
}

/* ---- gradients ------------------------------------------------------------------------------- */

double clv_split_value(const SplitRules *rules, PairSum sum, double least, double most)
{
    double hessian = (double)sum.hessian * rules->targets->hessian_unit + rules->options->l2;
    double value = hessian > 0 ? -(double)sum.gradient * rules->targets->gradient_unit / hessian
                               : 0;

    return value < least ? least : value > most ? most : value;
}

/* Twice the reduction of the loss by a node of this gradient and hessian. */
static double gain_of_value(double gradient, double hessian, double value)
{
    return -(2 * gradient * value + hessian * value * value);
}

static double monotone_gain(const Search *search, PairSum left, PairSum right)
{
    const NodeSum *node = search->node;
    const Targets *targets = search->rules->targets;
    double lower = clv_split_value(search->rules, left, node->least, node->most);
    double upper = clv_split_value(search->rules, right, node->least, node->most);

    if (search->monotone * (upper - lower) < 0)
        return 0;
    return gain_of_value((double)left.gradient * targets->gradient_unit,
                         (double)left.hessian * targets->hessian_unit + search->l2, lower) +
           gain_of_value((double)right.gradient * targets->gradient_unit,
                         (double)right.hessian * targets->hessian_unit + search->l2, upper) -
           search->parent;
}

/* The gain; 0 or less if the split is not allowed or has no gain. */
static inline double pair_gain(const Search *search, PairSum left)
{
    const Targets *targets = search->rules->targets;
    PairSum right = {search->node->pair.gradient - left.gradient,
                     search->node->pair.hessian - left.hessian};
    double one = (double)left.hessian, other = (double)right.hessian, g, f, h, i;

    if (one < search->least_weight || other < search->least_weight)
        return 0;
    if (search->rules->options->monotone)
        return monotone_gain(search, left, right);
    g = (double)left.gradient * targets->gradient_unit;
    f = (double)right.gradient * targets->gradient_unit;
    h = one * targets->hessian_unit + search->l2;
    i = other * targets->hessian_unit + search->l2;
    return (g * g * i + f * f * h) / (h * i) - search->parent;
}

/* Insertion sort: a column has at most 256 values. If keys are equal, the lower bin comes first. */
static void sort_by_key(SplitWorkspace *workspace, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint16_t bin = workspace->order[i];
        uint32_t at = i;

        for (; at > 0 && workspace->key[workspace->order[at - 1]] > workspace->key[bin]; at--)
            workspace->order[at] = workspace->order[at - 1];
        workspace->order[at] = bin;
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

static double x_log_x(double x)
{
    return x > 0 ? x * log(x) : 0;
}

/* The sum over the node's classes in the impurity: Σ C², or Σ C ln C. */
static double sum_classes(const Search *search)
{
    bool gini = search->rules->options->criterion == BY_GINI;
    double sum = 0;

    for (uint32_t c = 0; c < search->rules->targets->classes; c++) {
        double all = search->node->count[c];

        sum += gini ? all * all : x_log_x(all);
    }
    return sum;
}

static double purity(double sum, double weight, Criterion criterion)
{
    if (weight <= 0)
        return 0;
    return criterion == BY_GINI ? sum / weight : sum - x_log_x(weight);
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* The two sides of a split while bins move from right to left. */
typedef struct {
    PairSum left;               /* gradients: sum of the left side */
    double left_sum, right_sum; /* classes: impurity terms of both sides */
    uint64_t weight;            /* classes: weight of the left side */
} Sides;

#define INLINE static inline __attribute__((always_inline))

INLINE Sides begin_sides(const Search *search, const bool classes)
{
    if (!classes)
        return (Sides){0};
    memset(search->workspace->left, 0,
           search->rules->targets->classes * sizeof *search->workspace->left);
    return (Sides){.right_sum = sum_classes(search)};
}

static void move_classes(const Search *search, Sides *sides, uint32_t bin)
{
    uint32_t classes = search->rules->targets->classes, *left = search->workspace->left;
    const uint32_t *cell = search->count + (size_t)bin * classes, *all = search->node->count;
    bool gini = search->rules->options->criterion == BY_GINI;

    for (uint32_t c = 0; c < classes; c++) {
        double moved = cell[c], here = left[c], there = (double)all[c] - here;

        if (cell[c] == 0)
            continue;
        if (gini) {
            sides->left_sum += moved * (2 * here + moved);
            sides->right_sum -= moved * (2 * there - moved);
        } else {
            sides->left_sum += x_log_x(here + moved) - x_log_x(here);
            sides->right_sum += x_log_x(there - moved) - x_log_x(there);
        }
        left[c] += cell[c];
        sides->weight += cell[c];
    }
}

static double class_gain(const Search *search, const Sides *sides)
{
    Criterion criterion = search->rules->options->criterion;
    double left = (double)sides->weight, right = (double)(search->node->weight - sides->weight);

    if (left < search->least_weight || right < search->least_weight)
        return 0;
    return (purity(sides->left_sum, left, criterion) + purity(sides->right_sum, right, criterion) -
            search->parent) *
           search->rules->targets->weight_unit;
}

/* Moves a bin to the left. Returns the gain of the split. */
INLINE double move_left(const Search *search, Sides *sides, uint32_t bin, const bool classes)
{
    if (classes) {
        move_classes(search, sides, bin);
        return class_gain(search, sides);
    }
    sides->left.gradient += search->pair[bin].gradient;
    sides->left.hessian += search->pair[bin].hessian;
    return pair_gain(search, sides->left);
}

/* Searches the bounds of numbers: a bound after each bin. */
INLINE void scan_bounds(Search *search, bool missing_left, const bool classes)
{
    Sides sides = begin_sides(search, classes);

    if (missing_left)
        move_left(search, &sides, search->column->missing, classes);
    for (uint32_t i = 0; i < search->workspace->uses; i++) {
        double gain = move_left(search, &sides, search->workspace->used[i], classes);

        if (gain > search->best->gain) {
            take_bound(search, i, missing_left, gain);
            search->best->left = sides.left;
        }
    }
}

/* Searches an order of categories: the first ones against the others. */
INLINE void scan_order(Search *search, uint32_t sorted, const bool classes)
{
    Sides sides = begin_sides(search, classes);
    uint32_t taken = UINT32_MAX;

    for (uint32_t i = 0; i < sorted; i++) {
        double gain = move_left(search, &sides, search->workspace->order[i], classes);

        if (gain > search->best->gain) {
            search->best->gain = gain;
            search->best->left = sides.left;
            taken = i;
        }
    }
    take_first(search, taken);
}

/* Searches single categories: each against the rest. Returns false if the categories are too
 * numerous. */
INLINE bool scan_few(Search *search, const bool classes)
{
    uint32_t few = search->rules->options->one_against_rest;

    if (search->workspace->uses > (few ? few : DEFAULT_ONE_VS_REST))
        return false;
    for (uint32_t i = 0; i < search->workspace->uses; i++) {
        Sides sides = begin_sides(search, classes);
        double gain = move_left(search, &sides, search->workspace->used[i], classes);

        if (gain > search->best->gain) {
            take_one(search, search->workspace->used[i], gain);
            search->best->left = sides.left;
        }
    }
    return true;
}

/* ---- searches -------------------------------------------------------------------------------- */

static void search_pair_sets(Search *search)
{
    const GrowOptions *options = search->rules->options;
    const Targets *targets = search->rules->targets;
    SplitWorkspace *workspace = search->workspace;
    uint32_t sorted = 0;

    if (scan_few(search, false))
        return;
    for (uint32_t i = 0; i < workspace->uses; i++) {
        const PairSum *pair = &search->pair[workspace->used[i]];
        double hessian = (double)pair->hessian * targets->hessian_unit + options->category_smooth;

        if ((double)pair->hessian * search->rows_per + 0.5 < options->category_rows)
            continue;
        workspace->key[workspace->used[i]] = hessian > 0 ? (double)pair->gradient *
                                                               targets->gradient_unit / hessian
                                                         : 0;
        workspace->order[sorted++] = workspace->used[i];
    }
    sort_by_key(workspace, sorted);
    search->l2 += options->category_l2;
    scan_order(search, sorted, false);
}

static void search_pairs(Search *search)
{
    const GrowOptions *options = search->rules->options;
    const Targets *targets = search->rules->targets;
    const NodeSum *node = search->node;
    uint32_t feature = search->column->feature;
    double g = (double)node->pair.gradient * targets->gradient_unit;
    double h = (double)node->pair.hessian * targets->hessian_unit + options->l2;

    if (node->pair.hessian <= 0)
        return;
    search->l2 = options->l2;
    limit_children(search, (double)node->pair.hessian, targets->hessian_unit);
    search->parent = options->monotone ? gain_of_value(g, h,
                                                       clv_split_value(search->rules, node->pair,
                                                                       node->least, node->most))
                                       : g * g / h;
    search->monotone = options->monotone && feature < options->features ? options->monotone[feature]
                                                                        : 0;
    if (search->column->category) {
        search_pair_sets(search);
        return;
    }
    search->missing = search->column->missing != NO_BIN &&
                      search->pair[search->column->missing].hessian != 0;
    scan_bounds(search, false, false);
    if (search->missing)
        scan_bounds(search, true, false);
}

/* Orders the categories by the fraction of one class among their rows. */
static void order_by_class(Search *search, uint32_t class)
{
    uint32_t classes = search->rules->targets->classes;
    SplitWorkspace *workspace = search->workspace;

    for (uint32_t i = 0; i < workspace->uses; i++) {
        const uint32_t *cell = search->count + (size_t)workspace->used[i] * classes;
        double all = 0;

        for (uint32_t c = 0; c < classes; c++)
            all += cell[c];
        workspace->key[workspace->used[i]] = cell[class] / all;
        workspace->order[i] = workspace->used[i];
    }
    sort_by_key(workspace, workspace->uses);
}

/* For two classes, one order suffices. For more, searches the order of each class, or of the
 * heaviest class. */
static void search_count_sets(Search *search)
{
    uint32_t classes = search->rules->targets->classes, last = UINT32_MAX;
    const uint32_t *count = search->node->count;

    if (scan_few(search, true))
        return;
    for (uint32_t tried = 0; tried < (classes == 2 ? 1 : MOST_ORDERS); tried++) {
        uint32_t next = UINT32_MAX;

        for (uint32_t c = 0; c < classes; c++) {
            bool after = last == UINT32_MAX || count[c] < count[last] ||
                         (count[c] == count[last] && c > last);

            if (count[c] && after && (next == UINT32_MAX || count[c] > count[next]))
                next = c;
        }
        if (next == UINT32_MAX)
            return;
        order_by_class(search, next);
        scan_order(search, search->workspace->uses, true);
        last = next;
    }
}

static bool is_empty(const uint32_t *cell, uint32_t classes)
{
    for (uint32_t c = 0; c < classes; c++)
        if (cell[c])
            return false;
    return true;
}

static void search_counts(Search *search)
{
    const Targets *targets = search->rules->targets;
    const NodeSum *node = search->node;

    if (node->weight == 0)
        return;
    limit_children(search, (double)node->weight, targets->weight_unit);
    search->parent = purity(sum_classes(search), (double)node->weight,
                            search->rules->options->criterion);
    if (search->column->category) {
        search_count_sets(search);
        return;
    }
    search->missing = search->column->missing != NO_BIN &&
                      !is_empty(search->count + (size_t)search->column->missing * targets->classes,
                                targets->classes);
    scan_bounds(search, false, true);
    if (search->missing)
        scan_bounds(search, true, true);
}

/* ---- a column -------------------------------------------------------------------------------- */

/* Whether missing values are a category of the column. Missing values of numbers can go to either
 * side instead. */
static bool is_listed(const BinColumn *column, uint32_t bin)
{
    return column->category || bin != column->missing;
}

static void search_cells(const SplitRules *rules, SplitWorkspace *workspace, const NodeSum *node,
                         uint32_t number, const PairSum *pair, const uint32_t *count, Split *best)
{
    Search search = {.rules = rules,
                     .workspace = workspace,
                     .node = node,
                     .column = &rules->bins->column[number],
                     .number = number,
                     .pair = pair,
                     .count = count,
                     .best = best};
    double before = best->gain;

    if (count)
        search_counts(&search);
    else
        search_pairs(&search);
    if (best->gain > before && search.column->category)
        note_seen(workspace, best);
}

void clv_split_search(const SplitRules *rules, SplitWorkspace *workspace, const NodeSum *node,
                      uint32_t number, const Histogram *histogram, Split *best)
{
    const BinColumn *column = &rules->bins->column[number];
    uint32_t classes = rules->targets->classes;
    const PairSum *pair = histogram->pair ? histogram->pair + column->first : NULL;
    const uint32_t *count = histogram->count ? histogram->count + column->first * classes : NULL;

    workspace->uses = 0;
    for (uint32_t bin = 0; bin < column->bins; bin++)
        if (is_listed(column, bin) && (count ? !is_empty(count + (size_t)bin * classes, classes)
                                             : pair[bin].hessian != 0 || pair[bin].gradient != 0))
            workspace->used[workspace->uses++] = (uint16_t)bin;
    search_cells(rules, workspace, node, number, pair, count, best);
}

/* Computes the cells from the rows, and marks the bins with rows. */
static void sum_rows(const SplitRules *rules, SplitWorkspace *workspace, uint32_t number,
                     const uint32_t *rows, uint32_t count, uint64_t marks[4])
{
    const Targets *targets = rules->targets;
    const BinColumn *column = &rules->bins->column[number];
    const uint8_t *dense = NULL;
    uint32_t stride = 0;

    if (column->group != NO_GROUP)
        dense = bins_dense(rules->bins, number, &stride);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        uint32_t bin = dense ? dense[(size_t)row * stride] : clv_bins_get(rules->bins, number, row);

        marks[bin / 64] |= (uint64_t)1 << (bin % 64);
        if (targets->label) {
            workspace->count[(size_t)bin * targets->classes + targets->label[row]] +=
                targets->weight ? targets->weight[row] : 1;
        } else {
            workspace->pair[bin].gradient += targets->packed[row] >> 32;
            workspace->pair[bin].hessian += (int64_t)(uint32_t)targets->packed[row];
        }
    }
}

static void clear_cell(SplitWorkspace *workspace, uint32_t classes, uint32_t bin)
{
    if (workspace->count)
        memset(workspace->count + (size_t)bin * classes, 0, classes * sizeof *workspace->count);
    else
        workspace->pair[bin] = (PairSum){0};
}

void clv_split_search_rows(const SplitRules *rules, SplitWorkspace *workspace, const NodeSum *node,
                           uint32_t number, const uint32_t *rows, uint32_t count, Split *best)
{
    const BinColumn *column = &rules->bins->column[number];
    uint32_t classes = rules->targets->classes;
    uint64_t marks[4] = {0};

    sum_rows(rules, workspace, number, rows, count, marks);
    workspace->uses = 0;
    for (uint32_t word = 0; word < 4; word++)
        for (uint64_t left = marks[word]; left; left &= left - 1) {
            uint32_t bin = 64 * word + (uint32_t)__builtin_ctzll(left);

            if (is_listed(column, bin) &&
                (!workspace->count || !is_empty(workspace->count + (size_t)bin * classes, classes)))
                workspace->used[workspace->uses++] = (uint16_t)bin;
        }
    search_cells(rules, workspace, node, number, workspace->pair, workspace->count, best);
    for (uint32_t word = 0; word < 4; word++)
        for (uint64_t left = marks[word]; left; left &= left - 1)
            clear_cell(workspace, classes, 64 * word + (uint32_t)__builtin_ctzll(left));
}
