/*
 * Passes rows through trees. Rows are arranged by slot in tiles of some dozens, eight side by side.
 * Each tree processes eight rows step by step, so that eight loads overlap. A tree of some dozen
 * nodes stays in the first-level cache. Threads process different tiles of rows; predictions of
 * rows are independent.
 */
#include "base/pool.h"
#include "learn/tree/split.h"
#include "learn/tree/trees.h"

#include <math.h>

enum {
    STEP = 8,       /* rows that descend together */
    MOST_ROWS = 64, /* maximum number of rows of a tile */
    MOST_EIGHTS = MOST_ROWS / STEP,
    TILE_BYTES = 1 << 17,
    FEW_ROWS = 4,             /* at most this many rows descend one by one */
    FEW_SLOTS = 4096,         /* maximum number of slots of such a row without allocation */
    TASK_TILES = 8,           /* tiles per task */
    WORTH_A_THREAD = 1 << 15, /* minimum of rows times trees */
    MANY_ROWS = 64,           /* minimum number of rows for inspecting the trees first */
};

typedef struct {
    const Trees *trees;
    float *row;   /* a tile: groups of eight rows, slot after slot, eight values each */
    float *empty; /* eight rows of zeros */
    uint32_t rows;
    size_t stride; /* number of slots, at least 1 */
} Tile;

/* ---- layout ---------------------------------------------------------------------------------- */

float clv_slot_value(const Trees *trees, const TreeSlot *slot, float value)
{
    if (slot->kind == SLOT_LOW)
        return value;
    if (slot->kind == SLOT_HIGH)
        return value == MISSING_VALUE ? INFINITY : value;
    if (value == MISSING_VALUE)
        return (float)slot->missing;
    return trees
        ->code_bin[slot->code + (value >= 1 && value < (float)slot->codes ? (uint32_t)value : 0)];
}

/* The first slot, from `from` on, whose feature is at least this one. */
static uint32_t slot_from(const Trees *trees, uint32_t from, uint32_t feature)
{
    uint32_t low = from, high = trees->slots;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (trees->slot[middle].feature < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* to: receives the value of each slot, at a distance of `stride`. */
static inline void lay_out_sparse(const Trees *trees, const Block *block, uint32_t row, float *to,
                                  size_t stride)
{
    uint32_t at = 0;

    for (RowWalk walk = clv_walk(block, row); at < trees->slots && clv_walk_next(&walk);) {
        if (trees->slot[at].feature < walk.column)
            at = slot_from(trees, at, walk.column);
        for (; at < trees->slots && trees->slot[at].feature == walk.column; at++)
            to[at * stride] = clv_slot_value(trees, &trees->slot[at], walk.value);
    }
}

static inline void lay_out_dense(const Trees *trees, const Block *block, uint32_t row, float *to,
                                 size_t stride)
{
    const float *values = block->value + (size_t)row * block->features;

    for (uint32_t i = 0; i < trees->slots; i++) {
        const TreeSlot *slot = &trees->slot[i];

        if (slot->feature < block->features)
            to[i * stride] = clv_slot_value(trees, slot, values[slot->feature]);
    }
}

static void lay_out(const Tile *tile, const Block *block, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float *eight = tile->row + (size_t)(i / STEP) * STEP * tile->stride;

        if (i % STEP == 0)
            memcpy(eight, tile->empty, STEP * tile->stride * sizeof *eight);
        (block->form == ROWS_DENSE ? lay_out_dense : lay_out_sparse)(tile->trees, block, first + i,
                                                                     eight + i % STEP, STEP);
    }
}

static Status open_tile(Tile *tile, const Trees *trees, Context *context, cleave_error *error)
{
    size_t rows;

    *tile = (Tile){.trees = trees, .stride = trees->slots ? trees->slots : 1};
    rows = TILE_BYTES / (tile->stride * sizeof *tile->row);
    rows = rows > MOST_ROWS ? MOST_ROWS : rows < STEP ? STEP : rows / STEP * STEP;
    tile->rows = (uint32_t)rows;
    TRY(ALLOC_ZERO(context, tile->row, (rows + STEP) * tile->stride, "rows", error));
    tile->empty = tile->row + rows * tile->stride;
    for (uint32_t i = 0; i < trees->slots; i++)
        for (uint32_t k = 0; k < STEP; k++)
            tile->empty[(size_t)i * STEP + k] = clv_slot_value(trees, &trees->slot[i], 0);
    return OK;
}

/* ---- walking --------------------------------------------------------------------------------- */

uint32_t clv_trees_next(const Trees *trees, const TreeNode *node, float seen)
{
    uint32_t set;

    if (!(node->slot & SLOT_SET))
        return node->left + !(seen <= node->bound);
    memcpy(&set, &node->bound, sizeof set);
    return node->left + !in_set(trees->set + (size_t)set * SET_WORDS, (uint32_t)seen);
}

/* The number of rows, of eight, that a node sends left. */
static inline uint32_t lefts_by_set(const Trees *trees, const TreeNode *node, const float *seen)
{
    uint32_t lefts = 0, alike = 0;

    for (uint32_t i = 0; i < STEP; i++)
        alike += seen[i] == seen[0];
    if (alike == STEP)
        return clv_trees_next(trees, node, seen[0]) == node->left ? STEP : 0;
    for (uint32_t i = 0; i < STEP; i++)
        lefts += clv_trees_next(trees, node, seen[i]) == node->left;
    return lefts;
}

static inline uint32_t lefts_by_bound(const TreeNode *node, const float *seen)
{
    uint32_t lefts = 0;

    for (uint32_t i = 0; i < STEP; i++)
        lefts += seen[i] <= node->bound;
    return lefts;
}

/* Descends with eight rows together, because adjacent rows are often similar, until one of them
 * differs or all reach a leaf. All groups of a tile do this at the same time. */
static void walk_as_one(const Trees *trees, const float *eights, size_t size, uint32_t count,
                        uint32_t root, uint32_t at[MOST_EIGHTS])
{
    uint32_t moved;

    for (uint32_t i = 0; i < count; i++)
        at[i] = root;
    do {
        moved = 0;
        for (uint32_t i = 0; i < count; i++) {
            const TreeNode *node = &trees->node[at[i]];
            const float *seen = eights + i * size + (size_t)(node->slot & ~SLOT_SET) * STEP;
            uint32_t lefts = node->slot & SLOT_SET ? lefts_by_set(trees, node, seen)
                                                   : lefts_by_bound(node, seen);
            uint32_t next = lefts == 0 || lefts == STEP ? node->left + (lefts == 0) : at[i];

            moved |= next ^ at[i];
            at[i] = next;
        }
    } while (moved);
}

/* Moves each row separately from the first difference on, until all rows have reached a leaf. */
static inline __attribute__((always_inline)) void walk_together(const Trees *trees,
                                                                const float *eight, const bool sets,
                                                                uint32_t at[STEP])
{
    uint32_t moved;

    do {
        moved = 0;
#pragma GCC unroll 8
        for (uint32_t i = 0; i < STEP; i++) {
            const TreeNode *node = &trees->node[at[i]];
            float seen = eight[(size_t)(node->slot & (sets ? ~SLOT_SET : UINT32_MAX)) * STEP + i];
            uint32_t next = sets ? clv_trees_next(trees, node, seen)
                                 : node->left + !(seen <= node->bound);

            moved |= next ^ at[i];
            at[i] = next;
        }
    } while (moved);
}

/* at: receives the leaf of each row of a tile. */
static void walk(const Tile *tile, uint32_t rows, uint32_t tree, bool sets, uint32_t at[MOST_ROWS])
{
    const Trees *trees = tile->trees;
    uint32_t eights = (rows + STEP - 1) / STEP, parted[MOST_EIGHTS];

    walk_as_one(trees, tile->row, STEP * tile->stride, eights, trees->start[tree], parted);
    for (uint32_t i = 0; i < eights; i++) {
        uint32_t *mine = at + (size_t)i * STEP;
        const float *eight = tile->row + i * STEP * tile->stride;

        for (uint32_t k = 0; k < STEP; k++)
            mine[k] = parted[i];
        if (trees->node[parted[i]].left == parted[i])
            continue;
        if (sets)
            walk_together(trees, eight, true, mine);
        else
            walk_together(trees, eight, false, mine);
    }
}

static bool splits_by_sets(const Trees *trees, uint32_t tree)
{
    for (uint32_t i = trees->start[tree]; trees->sets && i < trees->start[tree + 1]; i++)
        if (trees->node[i].slot & SLOT_SET)
            return true;
    return false;
}

/* ---- predictions ----------------------------------------------------------------------------- */

typedef struct {
    const Trees *trees;
    const Block *block;
    uint32_t first, end; /* range of trees */
    size_t outputs;
    double *scores;
    Tile *tile;    /* tile of each worker */
    uint8_t *sets; /* whether each tree splits by sets; NULL: not inspected */
} Prediction;

static bool has_sets(const Prediction *prediction, uint32_t tree)
{
    return prediction->sets ? prediction->sets[tree - prediction->first]
                            : prediction->trees->sets > 0;
}

/* Adds the trees of each output in their order. */
static void add_values(const Prediction *prediction, const Tile *tile, uint32_t rows,
                       uint32_t output, double *scores)
{
    const Trees *trees = prediction->trees;
    uint32_t outputs = (uint32_t)prediction->outputs, step = prediction->first % outputs;
    uint32_t tree = prediction->first + (output + outputs - step) % outputs;
    uint32_t at[MOST_ROWS];
    double sum[MOST_ROWS];

    for (uint32_t i = 0; i < rows; i++)
        sum[i] = scores[(size_t)i * outputs + output];
    for (; tree < prediction->end; tree += outputs) {
        walk(tile, rows, tree, has_sets(prediction, tree), at);
        for (uint32_t i = 0; i < rows; i++)
            sum[i] += trees->value[trees->node[at[i]].leaf];
    }
    for (uint32_t i = 0; i < rows; i++)
        scores[(size_t)i * outputs + output] = sum[i];
}

static void add_vectors(const Prediction *prediction, const Tile *tile, uint32_t rows,
                        double *scores)
{
    const Trees *trees = prediction->trees;
    size_t outputs = prediction->outputs;

    uint32_t at[MOST_ROWS];

    for (uint32_t tree = prediction->first; tree < prediction->end; tree++) {
        walk(tile, rows, tree, has_sets(prediction, tree), at);
        for (uint32_t i = 0; i < rows; i++) {
            const float *values = trees->values + (size_t)trees->node[at[i]].leaf * trees->width;

            for (uint32_t j = 0; j < trees->width && j < outputs; j++)
                scores[i * outputs + j] += (double)values[j];
        }
    }
}

static void add_sparse_vectors(const Prediction *prediction, const Tile *tile, uint32_t rows,
                               double *scores)
{
    const Trees *trees = prediction->trees;
    size_t outputs = prediction->outputs;
    uint32_t at[MOST_ROWS];

    for (uint32_t tree = prediction->first; tree < prediction->end; tree++) {
        walk(tile, rows, tree, has_sets(prediction, tree), at);
        for (uint32_t i = 0; i < rows; i++) {
            const uint64_t *leaf = trees->leaf_start + trees->node[at[i]].leaf;

            for (uint64_t k = leaf[0]; k < leaf[1]; k++)
                if (trees->leaf_output[k] < outputs)
                    scores[i * outputs + trees->leaf_output[k]] += (double)trees->values[k];
        }
    }
}

static void answer(void *user, uint32_t task, unsigned worker)
{
    const Prediction *prediction = user;
    const Tile *tile = &prediction->tile[worker];
    const Block *block = prediction->block;
    uint32_t from = task * TASK_TILES * tile->rows;

    for (uint32_t i = 0; i < TASK_TILES && from < block->rows; i++, from += tile->rows) {
        uint32_t rows = block->rows - from < tile->rows ? block->rows - from : tile->rows;
        double *scores = prediction->scores + (size_t)from * prediction->outputs;

        lay_out(tile, block, from, rows);
        if (prediction->trees->leaf_start)
            add_sparse_vectors(prediction, tile, rows, scores);
        else if (prediction->trees->width > 1)
            add_vectors(prediction, tile, rows, scores);
        else
            for (uint32_t output = 0; output < prediction->outputs; output++)
                add_values(prediction, tile, rows, output, scores);
    }
}

static Status inspect_trees(Prediction *prediction, Context *context, cleave_error *error)
{
    uint32_t count = prediction->end - prediction->first;

    if (prediction->trees->sets == 0 || prediction->block->rows < MANY_ROWS)
        return OK;
    TRY(ALLOC(context, prediction->sets, count, "trees", error));
    for (uint32_t i = 0; i < count; i++)
        prediction->sets[i] = splits_by_sets(prediction->trees, prediction->first + i);
    return OK;
}

static Status predict_all(Prediction *prediction, Context *context, unsigned workers,
                          cleave_error *error)
{
    uint32_t each, tasks;

    TRY(inspect_trees(prediction, context, error));
    for (unsigned i = 0; i < workers; i++)
        TRY(open_tile(&prediction->tile[i], prediction->trees, context, error));
    each = TASK_TILES * prediction->tile[0].rows;
    tasks = prediction->block->rows / each + (prediction->block->rows % each != 0);
    if (workers > 1)
        clv_pool_run(context, tasks, answer, prediction);
    else
        for (uint32_t task = 0; task < tasks; task++) {
            answer(prediction, task, 0);
            clv_tick(context);
        }
    return OK;
}

/* ---- few rows -------------------------------------------------------------------------------- */

/* Finds the leaves of up to eight trees for one row. The trees are descended together, so that
 * eight loads overlap. */
static inline __attribute__((always_inline)) void walk_trees(const Trees *trees, const float *seen,
                                                             const bool sets, uint32_t count,
                                                             uint32_t at[STEP])
{
    uint32_t moved;

    do {
        moved = 0;
        for (uint32_t i = 0; i < count; i++) {
            const TreeNode *node = &trees->node[at[i]];
            float value = seen[node->slot & (sets ? ~SLOT_SET : UINT32_MAX)];
            uint32_t next = sets ? clv_trees_next(trees, node, value)
                                 : node->left + !(value <= node->bound);

            moved |= next ^ at[i];
            at[i] = next;
        }
    } while (moved);
}

static void add_leaf(const Trees *trees, uint32_t tree, uint32_t node, size_t outputs,
                     double *scores)
{
    uint32_t leaf = trees->node[node].leaf;

    if (trees->width == 1) {
        scores[tree % outputs] += trees->value[leaf];
        return;
    }
    if (trees->leaf_start) {
        for (uint64_t k = trees->leaf_start[leaf]; k < trees->leaf_start[leaf + 1]; k++)
            if (trees->leaf_output[k] < outputs)
                scores[trees->leaf_output[k]] += (double)trees->values[k];
        return;
    }
    for (uint32_t j = 0; j < trees->width && j < outputs; j++)
        scores[j] += (double)trees->values[(size_t)leaf * trees->width + j];
}

/* Passes one row through all trees, and adds their values in order, as in tiles. */
static void predict_row(const Prediction *prediction, uint32_t row, float *seen)
{
    const Trees *trees = prediction->trees;
    double *scores = prediction->scores + row * prediction->outputs;

    for (uint32_t i = 0; i < trees->slots; i++)
        seen[i] = clv_slot_value(trees, &trees->slot[i], 0);
    (prediction->block->form == ROWS_DENSE ? lay_out_dense : lay_out_sparse)(
        trees, prediction->block, row, seen, 1);
    for (uint32_t tree = prediction->first; tree < prediction->end; tree += STEP) {
        uint32_t count = prediction->end - tree < STEP ? prediction->end - tree : STEP, at[STEP];

        for (uint32_t i = 0; i < count; i++)
            at[i] = trees->start[tree + i];
        if (trees->sets)
            walk_trees(trees, seen, true, count, at);
        else if (count == STEP)
            walk_trees(trees, seen, false, STEP, at);
        else
            walk_trees(trees, seen, false, count, at);
        for (uint32_t i = 0; i < count; i++)
            add_leaf(trees, tree + i, at[i], prediction->outputs, scores);
    }
}

/* Predicts rows that are too few for a tile. Allocates memory only for trees with a large number of
 * columns. */
static Status predict_few(const Prediction *prediction, Context *context, cleave_error *error)
{
    uint32_t slots = prediction->trees->slots;
    float few[FEW_SLOTS], *seen = few;

    few[0] = 0; /* read, but not used, by trees with a single leaf */
    if (slots > FEW_SLOTS) {
        TRY(ALLOC(context, seen, slots, "a row", error));
    }
    for (uint32_t row = 0; row < prediction->block->rows; row++)
        predict_row(prediction, row, seen);
    if (seen != few)
        clv_free(context, seen);
    return OK;
}

Status clv_trees_add_scores(const Trees *trees, Context *context, const Block *block,
                            uint32_t first, uint32_t count, size_t outputs, double *scores,
                            cleave_error *error)
{
    Prediction prediction = {.trees = trees,
                             .block = block,
                             .first = first,
                             .end = trees->trees,
                             .outputs = outputs,
                             .scores = scores};
    unsigned workers = 1;
    Status status;
    Tile alone;

    if (first >= trees->trees || count == 0)
        return OK;
    if (prediction.end - first > count)
        prediction.end = first + count;
    if (block->rows <= FEW_ROWS)
        return predict_few(&prediction, context, error);
    if ((uint64_t)block->rows * (prediction.end - first) >= WORTH_A_THREAD)
        workers = clv_pool_workers(context, block->rows / MOST_ROWS);
    alone = (Tile){0};
    prediction.tile = workers > 1 ? clv_alloc_zero(context, workers, sizeof alone) : &alone;
    if (!prediction.tile)
        return clv_fail_memory(error, "rows", workers * sizeof alone);
    status = predict_all(&prediction, context, workers, error);
    for (unsigned i = 0; i < workers; i++)
        clv_free(context, prediction.tile[i].row);
    if (workers > 1)
        clv_free(context, prediction.tile);
    clv_free(context, prediction.sets);
    return status;
}

Status clv_trees_leaves(const Trees *trees, Context *context, const Block *block, uint32_t tree,
                        uint32_t *nodes, cleave_error *error)
{
    uint32_t at[MOST_ROWS];
    Tile tile;

    TRY(open_tile(&tile, trees, context, error));
    for (uint32_t from = 0; from < block->rows; from += tile.rows) {
        uint32_t rows = block->rows - from < tile.rows ? block->rows - from : tile.rows;

        lay_out(&tile, block, from, rows);
        walk(&tile, rows, tree, trees->sets > 0, at);
        memcpy(nodes + from, at, rows * sizeof *at);
    }
    clv_free(context, tile.row);
    return OK;
}
