/*
 * A leaf that may be split holds its best split. Leaves of many rows hold their histogram too, so that of its two children only the smaller is summed;
 * leaves of few rows, and those that look at few columns, are searched from their rows, column by column, and hold nothing.
 */
#include "learn/tree/grow.h"

#include "base/pool.h"
#include "base/random.h"
#include "learn/tree/bounds.h"
#include "learn/tree/guests.h"
#include "learn/tree/split.h"

#include <float.h>
#include <math.h>

enum {
    LOOK_UP = 4,               /* what finding a row's bin in a list costs, in additions */
    PAIR_NUMBERS = 4,          /* numbers of 4 bytes in a pair of sums */
    FEW_ROWS = 256,            /* are searched from the rows: clearing and scanning a histogram would cost more */
    WORTH_A_THREAD = 1 << 16,  /* cells or values to be looked at */
    HISTOGRAM_BYTES = 1 << 29, /* that leaves may hold together */
    FEWEST_HISTOGRAMS = 8,
    MOST_DEPTH = 65535,
    AHEAD = 32,        /* rows on the way from memory */
    PART_CHUNK = 8192, /* rows that a task parts */
    MANY_ENTRIES = 16, /* of a row: above, one is found by halving */
};
#define NO_SPLIT UINT32_MAX
#define ROUNDING 1e-12 /* a gain below this share of what is there already is rounding */

/* What grows has of each node, beside the node. */
typedef struct {
    NodeSum sum;
    Split split;         /* column NO_SPLIT: none */
    Histogram histogram; /* may be empty */
    Guests
        *guests; /* of several processes: the rows that all have of it, so many from first on; NULL: each has its own */
    uint32_t first, count;
} Leaf;

struct GrowRoom {
    HistogramMaker maker;
    SplitRules rules;
    SplitRoom *searching; /* one for each worker */
    unsigned workers;
    uint32_t *spare_rows; /* those that go right, for a moment */
    uint32_t *lefts;      /* of each chunk, how many go left */
    Leaf *leaf;           /* of each node */
    uint32_t *count;      /* of each node, classes */
    size_t leaf_capacity, count_capacity;
    uint32_t *open; /* leaves with a split */
    size_t opens, open_capacity;
    uint32_t *drawn, drawns; /* columns of the tree */
    uint32_t *chosen;        /* columns of a node: the first so many are to be looked at */
    Split *found;            /* by chosen column */
    Histogram *spare;        /* histograms nobody holds */
    size_t spares, spare_capacity, alive, most_alive;
    uint64_t most_guests; /* a node of so many rows, or fewer, is grown on from what all processes have of it */
    uint64_t number;      /* of the tree */
};

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static Status make_room(Grower *grower, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    Context *context = grower->context;
    size_t columns = (size_t)grower->bins->columns + 1, rows = (size_t)grower->bins->rows + 1;

    room->rules = (SplitRules){grower->bins, grower->targets, &grower->options};
    TRY(clv_histogram_maker_init(&room->maker, grower->bins, grower->targets, grower->options.alone, error));
    room->searching = clv_alloc_zero(context, room->maker.workers, sizeof *room->searching);
    TRY(TAKE(grower->bins->room, context, grower->row, rows, "rows", error));
    TRY(TAKE(grower->bins->room, context, room->spare_rows, rows, "rows", error));
    room->lefts = clv_alloc(context, rows / PART_CHUNK + 1, sizeof *room->lefts);
    room->drawn = clv_alloc(context, columns, sizeof *room->drawn);
    room->chosen = clv_alloc(context, columns, sizeof *room->chosen);
    room->found = clv_alloc(context, columns, sizeof *room->found);
    if (!room->searching || !room->lefts || !room->drawn || !room->chosen || !room->found)
        return clv_fail_memory(error, "growing a tree", columns * sizeof *room->found);
    for (; room->workers < room->maker.workers; room->workers++)
        TRY(clv_split_room_init(&room->searching[room->workers], context, grower->targets, error));
    room->most_alive = HISTOGRAM_BYTES / (clv_histogram_bytes(&room->maker) + 1);
    if (room->most_alive < FEWEST_HISTOGRAMS)
        room->most_alive = FEWEST_HISTOGRAMS;
    room->most_guests = clv_histogram_bytes(&room->maker) / (grower->bins->row_bytes + sizeof(int64_t));
    if (room->most_guests > PART_CHUNK)
        room->most_guests = PART_CHUNK;
    return OK;
}

Status clv_grower_init(Grower *grower, const Bins *bins, const Targets *targets, const GrowOptions *options,
                       cleave_error *error)
{
    Status status;

    *grower = (Grower){.context = bins->context, .bins = bins, .targets = targets, .options = *options};
    grower->room = clv_alloc_zero(bins->context, 1, sizeof *grower->room);
    if (!grower->room)
        return clv_fail_memory(error, "growing a tree", sizeof *grower->room);
    status = make_room(grower, error);
    if (status != OK)
        clv_grower_free(grower);
    return status;
}

static void free_room(Grower *grower)
{
    struct GrowRoom *room = grower->room;
    Context *context = grower->context;

    for (unsigned i = 0; room->searching && i < room->maker.workers; i++)
        clv_split_room_free(&room->searching[i], context);
    for (uint32_t i = 0; i < grower->tree.nodes && room->leaf; i++) {
        clv_histogram_free(&room->maker, &room->leaf[i].histogram);
        clv_guests_drop(room->leaf[i].guests);
    }
    while (room->spares > 0)
        clv_histogram_free(&room->maker, &room->spare[--room->spares]);
    clv_free(context, room->searching);
    clv_room_give(grower->bins->room, context, room->spare_rows);
    clv_free(context, room->lefts);
    clv_free(context, room->leaf);
    clv_free(context, room->count);
    clv_free(context, room->open);
    clv_free(context, room->drawn);
    clv_free(context, room->chosen);
    clv_free(context, room->found);
    clv_free(context, room->spare);
    clv_histogram_maker_free(&room->maker);
    clv_free(context, room);
}

void clv_grower_free(Grower *grower)
{
    if (!grower->context)
        return;
    if (grower->room)
        free_room(grower);
    clv_room_give(grower->bins->room, grower->context, grower->row);
    clv_free(grower->context, grower->tree.node);
    clv_free(grower->context, grower->tree.set);
    clv_free(grower->context, grower->tree.class_weight);
    *grower = (Grower){0};
}

/* One that is kept for the next is as good as one that is new. */
static Status get_histogram(struct GrowRoom *room, Histogram *histogram, cleave_error *error)
{
    TRY(GROW(room->maker.context, room->spare, room->spare_capacity, room->alive + 1, error));
    if (room->spares > 0) {
        *histogram = room->spare[--room->spares];
        return OK;
    }
    TRY(clv_histogram_new(&room->maker, histogram, error));
    room->alive++;
    return OK;
}

static void drop_histogram(struct GrowRoom *room, Histogram *histogram)
{
    if (histogram->pair || histogram->count)
        room->spare[room->spares++] = *histogram; /* there is room for as many as there are */
    *histogram = (Histogram){0};
}

/* Nobody will ask how to split it any more. */
static void close_leaf(struct GrowRoom *room, Leaf *leaf)
{
    drop_histogram(room, &leaf->histogram);
    clv_guests_drop(leaf->guests);
    leaf->guests = NULL;
}

/* ---- sums of several processes -------------------------------------------------------------------------------------- */

static Status add_up(const Grower *grower, void *numbers, size_t count, size_t bytes, cleave_error *error)
{
    const Together *together = grower->bins->together;

    return together ? together->add_up(together->user, numbers, count, bytes, error) : OK;
}

static Status add_up_histogram(const Grower *grower, Histogram *histogram, cleave_error *error)
{
    if (histogram->count)
        return add_up(grower, histogram->count, grower->bins->cells * grower->targets->classes, sizeof(uint32_t),
                      error);
    return add_up(grower, histogram->pair, 2 * grower->bins->cells, sizeof(int64_t), error);
}

/* ---- columns that are drawn ----------------------------------------------------------------------------------------- */

static uint32_t share_of(double share, uint32_t count)
{
    double wanted = share > 0 && share < 1 ? ceil(share * count) : count;

    return wanted < 1 ? 1 : (uint32_t)wanted;
}

static void sort_numbers(uint32_t *numbers, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t number = numbers[i], at = i;

            for (; at >= gap && numbers[at - gap] > number; at -= gap)
                numbers[at] = numbers[at - gap];
            numbers[at] = number;
        }
}

/* The first `wanted` are drawn, ascending; those behind follow in the order they would be drawn in. */
static void draw(Random *random, uint32_t *columns, uint32_t count, uint32_t wanted)
{
    if (wanted >= count)
        return;
    clv_shuffle(random, columns, count);
    sort_numbers(columns, wanted);
}

static void draw_for_tree(Grower *grower)
{
    struct GrowRoom *room = grower->room;
    uint32_t columns = grower->bins->columns;
    Random random = clv_random(grower->options.seed, 2 * room->number);

    for (uint32_t i = 0; i < columns; i++)
        room->drawn[i] = i;
    room->drawns = columns ? share_of(grower->options.columns_of_tree, columns) : 0;
    draw(&random, room->drawn, columns, room->drawns);
}

/* How many of a node's chosen columns are to be looked at. */
static uint32_t draw_for_node(Grower *grower, uint32_t node)
{
    struct GrowRoom *room = grower->room;
    const GrowOptions *options = &grower->options;
    uint32_t wanted = room->drawns;
    Random random = clv_random(clv_mix(options->seed + 1), clv_mix(2 * room->number + 1) + node);

    memcpy(room->chosen, room->drawn, room->drawns * sizeof *room->chosen);
    if (options->columns_drawn)
        wanted = options->columns_drawn;
    else if (options->columns_of_node > 0)
        wanted = share_of(options->columns_of_node, room->drawns);
    if (wanted >= room->drawns)
        return room->drawns;
    draw(&random, room->chosen, room->drawns, wanted);
    return wanted;
}

/* ---- the search ----------------------------------------------------------------------------------------------------- */

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
    struct GrowRoom *room = grower->room;
    const Leaf *leaf = &room->leaf[searching->node];
    const GrowNode *node = &grower->tree.node[searching->node];

    if (leaf->histogram.pair || leaf->histogram.count)
        clv_split_search(&room->rules, &room->searching[worker], &leaf->sum, column, &leaf->histogram, best);
    else if (leaf->guests)
        clv_split_search_rows(&(SplitRules){&leaf->guests->bins, &leaf->guests->targets, &grower->options},
                              &room->searching[worker], &leaf->sum, column, leaf->guests->row + leaf->first,
                              leaf->count, best);
    else
        clv_split_search_rows(&room->rules, &room->searching[worker], &leaf->sum, column, grower->row + node->first,
                              node->rows, best);
}

static void search_task(void *user, uint32_t task, unsigned worker)
{
    Searching *searching = user;
    struct GrowRoom *room = searching->grower->room;

    room->found[task] = no_split(searching->grower, &room->leaf[searching->node].sum);
    search_column(searching, searching->columns[task], worker, &room->found[task]);
}

static void search_columns(Grower *grower, uint32_t node, const uint32_t *columns, uint32_t count, Split *best)
{
    struct GrowRoom *room = grower->room;
    Searching searching = {.grower = grower, .node = node, .columns = columns};
    const Leaf *leaf = &room->leaf[node];
    bool summed = leaf->histogram.pair || leaf->histogram.count;
    uint64_t work = (uint64_t)count *
                    (summed ? MOST_BINS * (grower->targets->classes + 1) : grower->tree.node[node].rows);

    if (room->maker.workers > 1 && work >= WORTH_A_THREAD) {
        clv_pool_run(grower->context, count, search_task, &searching);
        for (uint32_t i = 0; i < count; i++)
            if (room->found[i].column != NO_SPLIT && room->found[i].gain > best->gain)
                *best = room->found[i];
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

static bool may_split(const Grower *grower, uint32_t node)
{
    const GrowOptions *options = &grower->options;
    const NodeSum *sum = &grower->room->leaf[node].sum;
    uint32_t depth = grower->tree.node[node].depth, deepest = options->depth ? options->depth : MOST_DEPTH;

    return depth < deepest && sum->rows >= 2 * (uint64_t)(options->leaf_rows ? options->leaf_rows : 1) &&
           !is_pure(grower, sum);
}

/* Columns in lists are looked up row by row, which costs more than a byte, but less than the cells of a histogram where rows are few. */
static bool is_cheaper_by_rows(const Grower *grower, uint64_t rows)
{
    const GrowOptions *options = &grower->options;
    uint32_t columns = options->columns_drawn ? options->columns_drawn
                                              : share_of(options->columns_of_node, grower->bins->columns);
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

    if (grower->bins->together && !leaf->guests)
        return false;
    return grower->bins->lists ? is_cheaper_by_rows(grower, rows) : rows < FEW_ROWS || few_columns;
}

/* The node's best split; where none of the columns drawn has any, the next are drawn until one has. */
static Status search_node(Grower *grower, uint32_t node, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    Leaf *leaf = &room->leaf[node];
    uint32_t wanted;

    leaf->split = no_split(grower, &leaf->sum);
    if (!may_split(grower, node))
        return OK;
    wanted = draw_for_node(grower, node);
    search_columns(grower, node, room->chosen, wanted, &leaf->split);
    while (leaf->split.column == NO_SPLIT && wanted < room->drawns)
        search_columns(grower, node, room->chosen + wanted++, 1, &leaf->split);
    if (leaf->split.column == NO_SPLIT)
        return OK;
    TRY(GROW(grower->context, room->open, room->open_capacity, room->opens + 1, error));
    room->open[room->opens++] = node;
    return OK;
}

/* ---- nodes ---------------------------------------------------------------------------------------------------------- */

static Status add_node(Grower *grower, uint32_t first, uint32_t rows, uint32_t depth, cleave_error *error)
{
    GrowTree *tree = &grower->tree;
    struct GrowRoom *room = grower->room;
    uint32_t classes = grower->targets->label ? grower->targets->classes : 0;
    size_t need = (size_t)tree->nodes + 1;
    size_t before = room->count_capacity;

    TRY(GROW(grower->context, tree->node, tree->node_capacity, need, error));
    TRY(GROW(grower->context, room->leaf, room->leaf_capacity, need, error));
    TRY(GROW(grower->context, tree->class_weight, tree->weight_capacity, need * classes + 1, error));
    TRY(GROW(grower->context, room->count, room->count_capacity, need * classes + 1, error));
    for (uint32_t i = 0; i < tree->nodes && before != room->count_capacity; i++)
        room->leaf[i].sum.count = room->count + (size_t)i * classes;
    tree->node[tree->nodes] = (GrowNode){.first = first, .rows = rows, .depth = (uint16_t)depth};
    room->leaf[tree->nodes] = (Leaf){.sum = {.least = -(double)INFINITY, .most = (double)INFINITY},
                                     .split = {.column = NO_SPLIT}};
    room->leaf[tree->nodes].sum.count = room->count + (size_t)tree->nodes * classes;
    memset(room->count + (size_t)tree->nodes * classes, 0, classes * sizeof *room->count);
    tree->nodes++;
    tree->leaves++;
    return OK;
}

static uint32_t *counts_of(const Grower *grower, uint32_t node)
{
    return grower->room->count + (size_t)node * grower->targets->classes;
}

/* The weights of classes in a node, from its rows. */
static Status count_node(Grower *grower, uint32_t number, cleave_error *error)
{
    const GrowNode *node = &grower->tree.node[number];
    const Leaf *leaf = &grower->room->leaf[number];
    const Guests *guests = leaf->guests;
    const uint32_t *rows = guests ? guests->row + leaf->first : grower->row + node->first;
    const Targets *targets = guests ? &guests->targets : grower->targets;
    uint32_t *count = counts_of(grower, number), there = guests ? leaf->count : node->rows;

    for (uint32_t i = 0; i < there; i++)
        count[targets->label[rows[i]]] += targets->weight ? targets->weight[rows[i]] : 1;
    return guests ? OK : add_up(grower, count, targets->classes, sizeof *count, error);
}

static void weigh_node(Grower *grower, uint32_t number)
{
    const Targets *targets = grower->targets;
    GrowNode *node = &grower->tree.node[number];
    NodeSum *sum = &grower->room->leaf[number].sum;

    for (uint32_t c = 0; c < targets->classes; c++) {
        sum->weight += sum->count[c];
        grower->tree.class_weight[(size_t)number * targets->classes + c] = sum->count[c] * targets->weight_unit;
    }
    if (targets->label) {
        node->hessian = (double)sum->weight * targets->weight_unit;
        return;
    }
    node->gradient = (double)sum->pair.gradient * targets->gradient_unit;
    node->hessian = (double)sum->pair.hessian * targets->hessian_unit;
    node->value = clv_split_value(&grower->room->rules, sum->pair, sum->least, sum->most);
}

/* ---- parting rows ----------------------------------------------------------------------------------------------------- */

static void mark_left(const Grower *grower, const Split *split, bool left[MOST_BINS])
{
    const BinColumn *column = &grower->bins->column[split->column];

    for (uint32_t bin = 0; bin < MOST_BINS; bin++)
        left[bin] = column->category         ? in_set(split->set, bin)
                    : bin == column->missing ? split->missing_left
                                             : bin <= split->bin;
}

/* The rows that go left to the front, the others elsewhere, both in their order; how many go left. */
static uint32_t part_dense(const uint8_t *restrict dense, uint32_t stride, const bool *restrict left, uint32_t *rows,
                           uint32_t count, uint32_t *restrict right)
{
    uint32_t lefts = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        bool goes = left[dense[(size_t)row * stride]];

        if (i + AHEAD < count)
            __builtin_prefetch(dense + (size_t)rows[i + AHEAD] * stride);
        rows[lefts] = row;
        right[i - lefts] = row;
        lefts += goes;
    }
    return lefts;
}

/* The bin a row is in: of its entries, two at a time with nothing to guess, the one that is of this column. */
static inline uint32_t listed_bin(const Bins *bins, const BinColumn *column, uint32_t row)
{
    uint64_t at = bins_entries(bins, row), end = bins->entry_end[row];
    uint32_t first = (uint32_t)column->first, there = column->bins, found = column->usual;

    for (; at < end; at += 2) {
        uint32_t one = bins->entry[at] - first, other = bins->entry[at + 1 < end ? at + 1 : at] - first;

        found = one < there ? one : found;
        found = other < there ? other : found;
    }
    return found;
}

/* Rows mention few columns: their entries are looked through, and those of rows to come are on the way. */
static uint32_t part_listed(const Bins *bins, uint32_t number, const bool *restrict left, uint32_t *rows,
                            uint32_t count, uint32_t *restrict right)
{
    const BinColumn *column = &bins->column[number];
    uint32_t lefts = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        bool many = bins->entry_end[row] - bins_entries(bins, row) > MANY_ENTRIES;

        if (i + 2 * AHEAD < count)
            __builtin_prefetch(bins->entry_end + rows[i + 2 * AHEAD]);
        if (i + AHEAD < count)
            __builtin_prefetch(bins->entry + bins_entries(bins, rows[i + AHEAD]));
        rows[lefts] = row;
        right[i - lefts] = row;
        lefts += left[many ? clv_bins_get(bins, number, row) : listed_bin(bins, column, row)];
    }
    return lefts;
}

typedef struct {
    const Bins *bins;
    uint32_t column;
    bool left[MOST_BINS];
    uint32_t *rows, count;
    uint32_t *spare; /* as many */
    uint32_t *lefts; /* of each chunk */
} Parting;

static void part_chunk(void *user, uint32_t task, unsigned worker)
{
    const Parting *parting = user;
    const Bins *bins = parting->bins;
    uint32_t from = task * PART_CHUNK, count = parting->count - from < PART_CHUNK ? parting->count - from : PART_CHUNK;
    uint32_t *right = parting->spare + from, *rows = parting->rows + from, stride;

    (void)worker;
    if (bins->column[parting->column].group != NO_GROUP) {
        const uint8_t *dense = bins_dense(bins, parting->column, &stride);

        parting->lefts[task] = part_dense(dense, stride, parting->left, rows, count, right);
    } else {
        parting->lefts[task] = part_listed(bins, parting->column, parting->left, rows, count, right);
    }
}

/* What chunks have on the left is moved together, then what they have on the right: both are still in their order. */
static uint32_t join_chunks(const Parting *parting, uint32_t chunks)
{
    uint32_t *rows = parting->rows, at = 0, all;

    for (uint32_t i = 0; i < chunks; i++) {
        memmove(rows + at, rows + i * PART_CHUNK, parting->lefts[i] * sizeof *rows);
        at += parting->lefts[i];
    }
    all = at;
    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t from = i * PART_CHUNK, count = parting->count - from < PART_CHUNK ? parting->count - from : PART_CHUNK;
        uint32_t rights = count - parting->lefts[i];

        memcpy(rows + at, parting->spare + from, rights * sizeof *rows);
        at += rights;
    }
    return all;
}

static uint32_t part_rows(Grower *grower, const Split *split, uint32_t *rows, uint32_t count)
{
    struct GrowRoom *room = grower->room;
    Parting parting = {.bins = grower->bins, .column = split->column, .rows = rows, .count = count};
    uint32_t chunks = (count + PART_CHUNK - 1) / PART_CHUNK;

    parting.spare = room->spare_rows;
    parting.lefts = room->lefts;
    mark_left(grower, split, parting.left);
    if (grower->room->maker.workers > 1 && chunks > 1)
        clv_pool_run(grower->context, chunks, part_chunk, &parting);
    else
        for (uint32_t i = 0; i < chunks; i++)
            part_chunk(&parting, i, 0);
    return join_chunks(&parting, chunks);
}

/* The same of rows of all processes, which are no more than a chunk. */
static uint32_t part_guests(const Grower *grower, const Leaf *leaf)
{
    Guests *guests = leaf->guests;
    uint32_t lefts = 0;
    Parting parting = {.bins = &guests->bins,
                       .column = leaf->split.column,
                       .rows = guests->row + leaf->first,
                       .count = leaf->count,
                       .spare = guests->spare,
                       .lefts = &lefts};

    mark_left(grower, &leaf->split, parting.left);
    part_chunk(&parting, 0, 0);
    return join_chunks(&parting, 1);
}

/* ---- splitting -------------------------------------------------------------------------------------------------------- */

static Status keep_set(Grower *grower, const Split *split, uint32_t *number, cleave_error *error)
{
    GrowTree *tree = &grower->tree;

    TRY(GROW(grower->context, tree->set, tree->set_capacity, ((size_t)tree->sets + 1) * SET_WORDS, error));
    memcpy(tree->set + (size_t)tree->sets * SET_WORDS, split->set, sizeof split->set);
    *number = tree->sets++;
    return OK;
}

static Status write_split(Grower *grower, uint32_t number, uint32_t left, cleave_error *error)
{
    const Split *split = &grower->room->leaf[number].split;
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
    node->bound = split->bin + 1u < values ? grower->bins->bound[column->bound + split->bin] : FLT_MAX;
    return OK;
}

/* What the children's values may be, where a column above them is monotone. */
static void limit_children(Grower *grower, uint32_t parent, uint32_t left)
{
    const GrowOptions *options = &grower->options;
    Leaf *leaf = grower->room->leaf;
    uint32_t feature = grower->bins->column[leaf[parent].split.column].feature;
    int direction = options->monotone && feature < options->features ? options->monotone[feature] : 0;
    double least = leaf[parent].sum.least, most = leaf[parent].sum.most, middle;

    for (uint32_t i = 0; i < 2; i++) {
        leaf[left + i].sum.least = least;
        leaf[left + i].sum.most = most;
    }
    if (direction == 0)
        return;
    middle = (clv_split_value(&grower->room->rules, leaf[left].sum.pair, least, most) +
              clv_split_value(&grower->room->rules, leaf[left + 1].sum.pair, least, most)) /
             2;
    leaf[left + (direction < 0)].sum.most = middle;
    leaf[left + (direction > 0)].sum.least = middle;
}

/* Sums of both children, of which the smaller is counted. */
static Status sum_children(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error)
{
    Leaf *leaf = grower->room->leaf;
    const Leaf *above = &leaf[parent];
    uint32_t small = left + (leaf[left].sum.rows > leaf[left + 1].sum.rows), large = left + (small == left);

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
    weigh_node(grower, left);
    weigh_node(grower, left + 1);
    return OK;
}

static Status make_histogram(Grower *grower, uint32_t number, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    const GrowNode *node = &grower->tree.node[number];
    Leaf *leaf = &room->leaf[number];
    HistogramMaker maker = room->maker;

    TRY(get_histogram(room, &leaf->histogram, error));
    if (leaf->guests) {
        maker.bins = &leaf->guests->bins;
        maker.targets = &leaf->guests->targets;
        clv_histogram_sum(&maker, leaf->guests->row + leaf->first, leaf->count, &leaf->histogram);
        return OK;
    }
    clv_histogram_sum(&maker, grower->row + node->first, node->rows, &leaf->histogram);
    return add_up_histogram(grower, &leaf->histogram, error);
}

/* Where its rows are fewer bytes than its histogram, this process needs no other for what is below the node. */
static Status gather_rows(Grower *grower, uint32_t number, cleave_error *error)
{
    const GrowNode *node = &grower->tree.node[number];
    Leaf *leaf = &grower->room->leaf[number];

    if (!grower->bins->together || leaf->guests || leaf->sum.rows > grower->room->most_guests ||
        !may_split(grower, number))
        return OK;
    TRY(clv_guests_new(grower->bins, grower->targets, grower->row + node->first, node->rows, &leaf->guests, error));
    leaf->first = 0;
    leaf->count = leaf->guests->bins.rows;
    return OK;
}

/* The children's histograms, where they will be wanted. */
static Status make_histograms(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    Leaf *leaf = room->leaf;
    uint32_t small = left + (leaf[left].sum.rows > leaf[left + 1].sum.rows), large = left + (small == left);
    bool wants_small = may_split(grower, small) && !searches_rows(grower, &leaf[small]);
    bool wants_large = may_split(grower, large) && !searches_rows(grower, &leaf[large]);
    bool has_parent = leaf[parent].histogram.pair || leaf[parent].histogram.count;

    if (wants_small || (wants_large && has_parent))
        TRY(make_histogram(grower, small, error));
    if (wants_large && has_parent) {
        leaf[large].histogram = leaf[parent].histogram;
        leaf[parent].histogram = (Histogram){0};
        clv_histogram_subtract(&room->maker, &leaf[large].histogram, &leaf[small].histogram);
    } else if (wants_large) {
        TRY(make_histogram(grower, large, error));
    }
    drop_histogram(room, &leaf[parent].histogram);
    if (!wants_small)
        drop_histogram(room, &leaf[small].histogram);
    return OK;
}

static Status search_child(Grower *grower, uint32_t node, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    Leaf *leaf = &room->leaf[node];

    TRY(search_node(grower, node, error));
    if (leaf->split.column == NO_SPLIT)
        close_leaf(room, leaf);
    else if (room->alive - room->spares > room->most_alive)
        drop_histogram(room, &leaf->histogram);
    return OK;
}

/* The children share what their parent had of all processes: lefts on the left. */
static void share_guests(struct GrowRoom *room, uint32_t parent, uint32_t left, uint32_t lefts)
{
    Leaf *leaf = room->leaf, *above = &leaf[parent];

    if (!above->guests)
        return;
    above->guests->users += 1; /* two more, one less */
    leaf[left].guests = leaf[left + 1].guests = above->guests;
    leaf[left].first = above->first;
    leaf[left].count = lefts;
    leaf[left + 1].first = above->first + lefts;
    leaf[left + 1].count = above->count - lefts;
    above->guests = NULL;
}

/* What no row of the node has, a value of a category or the lack of one, goes where most of them go. */
static void place_unseen(Grower *grower, uint32_t parent, uint32_t left)
{
    const Split *split = &grower->room->leaf[parent].split;
    GrowNode *node = &grower->tree.node[parent];
    bool most_left = grower->tree.node[left].hessian > grower->tree.node[left + 1].hessian;

    if (!grower->bins->column[split->column].category) {
        node->missing_left = split->missing_seen ? split->missing_left : most_left;
        return;
    }
    for (uint32_t i = 0; i < SET_WORDS && most_left; i++)
        grower->tree.set[(size_t)node->set * SET_WORDS + i] |= ~split->seen[i];
}

static Status split_leaf(Grower *grower, uint32_t parent, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    GrowNode node = grower->tree.node[parent];
    uint32_t left = grower->tree.nodes, lefts;
    uint64_t rows;

    lefts = part_rows(grower, &room->leaf[parent].split, grower->row + node.first, node.rows);
    rows = room->leaf[parent].guests ? part_guests(grower, &room->leaf[parent]) : lefts;
    if (!room->leaf[parent].guests)
        TRY(add_up(grower, &rows, 1, sizeof rows, error));
    TRY(add_node(grower, node.first, lefts, node.depth + 1u, error));
    TRY(add_node(grower, node.first + lefts, node.rows - lefts, node.depth + 1u, error));
    grower->tree.leaves--;
    share_guests(room, parent, left, (uint32_t)rows);
    room->leaf[left].sum.rows = rows;
    room->leaf[left + 1].sum.rows = room->leaf[parent].sum.rows - rows;
    TRY(write_split(grower, parent, left, error));
    TRY(sum_children(grower, parent, left, error));
    place_unseen(grower, parent, left);
    if (grower->options.leaves && grower->tree.leaves >= grower->options.leaves) {
        close_leaf(room, &room->leaf[parent]);
        return OK; /* the last one: nobody will ask how to go on */
    }
    TRY(gather_rows(grower, left, error));
    TRY(gather_rows(grower, left + 1, error));
    TRY(make_histograms(grower, parent, left, error));
    TRY(search_child(grower, left, error));
    return search_child(grower, left + 1, error);
}

/* The one that gains most; where all will be split anyhow the newest, so that few histograms are held. */
static uint32_t next_leaf(Grower *grower)
{
    struct GrowRoom *room = grower->room;
    size_t best = room->opens - 1;
    uint32_t node;

    for (size_t i = 0; grower->options.leaves && i < room->opens; i++) {
        double gain = room->leaf[room->open[i]].split.gain, most = room->leaf[room->open[best]].split.gain;

        if (gain > most || (gain == most && room->open[i] < room->open[best]))
            best = i;
    }
    node = room->open[best];
    room->open[best] = room->open[--room->opens];
    return node;
}

typedef struct {
    Grower *grower;
    const uint32_t *rows; /* NULL: all */
    PairSum sum;          /* gradients */
} Planting;

/* Rows of the root, and what they come to. */
static void plant_rows(void *user, uint32_t task, unsigned worker)
{
    Planting *planting = user;
    const Targets *targets = planting->grower->targets;
    uint32_t from = task * PART_CHUNK, left = planting->grower->rows - from;
    uint32_t count = left < PART_CHUNK ? left : PART_CHUNK, *rows = planting->grower->row + from;
    PairSum sum = {0};

    (void)worker;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = planting->rows ? planting->rows[from + i] : from + i;
    if (targets->label)
        return;
    for (uint32_t i = 0; i < count; i++) {
        sum.gradient += targets->packed[rows[i]] >> 32;
        sum.hessian += (int64_t)(uint32_t)targets->packed[rows[i]];
    }
    __atomic_fetch_add(&planting->sum.gradient, sum.gradient, __ATOMIC_RELAXED);
    __atomic_fetch_add(&planting->sum.hessian, sum.hessian, __ATOMIC_RELAXED);
}

/* The root's rows, and the sums of all. */
static Status sum_root(Grower *grower, const uint32_t *rows, uint32_t count, cleave_error *error)
{
    Planting planting = {.grower = grower, .rows = rows};
    PairSum *sum = &grower->room->leaf[0].sum.pair;
    uint32_t tasks = count / PART_CHUNK + (count % PART_CHUNK != 0);

    grower->rows = count;
    if (grower->room->maker.workers > 1)
        clv_pool_run(grower->context, tasks, plant_rows, &planting);
    else
        for (uint32_t task = 0; task < tasks; task++)
            plant_rows(&planting, task, 0);
    if (grower->targets->label)
        return count_node(grower, 0, error);
    *sum = planting.sum;
    return add_up(grower, sum, 2, sizeof(int64_t), error);
}

static Status plant(Grower *grower, const uint32_t *rows, uint32_t count, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    uint64_t all = count;

    for (uint32_t i = 0; i < grower->tree.nodes; i++)
        close_leaf(room, &room->leaf[i]);
    grower->tree.nodes = grower->tree.leaves = grower->tree.sets = 0;
    room->opens = 0;
    TRY(add_node(grower, 0, count, 0, error));
    TRY(add_up(grower, &all, 1, sizeof all, error));
    room->leaf[0].sum.rows = all;
    if (grower->options.most_value > 0) {
        room->leaf[0].sum.most = grower->options.most_value;
        room->leaf[0].sum.least = -grower->options.most_value;
    }
    TRY(sum_root(grower, rows, count, error));
    weigh_node(grower, 0);
    draw_for_tree(grower);
    TRY(gather_rows(grower, 0, error));
    if (may_split(grower, 0) && !searches_rows(grower, &room->leaf[0]))
        TRY(make_histogram(grower, 0, error));
    return search_child(grower, 0, error);
}

Status clv_grow_tree(Grower *grower, const uint32_t *rows, uint32_t count, uint64_t number, cleave_error *error)
{
    struct GrowRoom *room = grower->room;
    uint32_t most = grower->options.leaves;

    room->number = number;
    TRY(plant(grower, rows, count, error));
    while (room->opens > 0 && (!most || grower->tree.leaves < most) &&
           (grower->options.alone || grower->bins->together || !clv_cancelled(grower->context)))
        TRY(split_leaf(grower, next_leaf(grower), error));
    return OK;
}

/* ---- afterwards ------------------------------------------------------------------------------------------------------- */

void clv_grow_prune(GrowTree *tree, uint32_t node)
{
    uint32_t left = tree->node[node].left;

    if (left == 0)
        return;
    clv_grow_prune(tree, left);
    clv_grow_prune(tree, left + 1);
    tree->node[node].left = 0;
    tree->leaves--;
}

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
