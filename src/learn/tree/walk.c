/*
 * Rows through trees. Rows are laid out by slots, some dozens at a time; then each tree takes them eight at a time, step by step together, so that the
 * processor has eight loads under way instead of waiting for one. A tree of some dozen nodes stays in the nearest cache meanwhile.
 */
#include "learn/tree/split.h"
#include "learn/tree/trees.h"

#include <math.h>

enum {
    STEP = 8,       /* rows that walk together */
    MOST_ROWS = 64, /* of a tile */
    TILE_BYTES = 1 << 17,
};

typedef struct {
    const Trees *trees;
    float *row;   /* tile: rows * slots */
    float *empty; /* a row that mentions nothing */
    uint32_t rows;
    size_t stride; /* at least 1 */
} Tile;

/* ---- layout --------------------------------------------------------------------------------------------------------- */

float clv_slot_value(const Trees *trees, const TreeSlot *slot, float value)
{
    if (slot->kind == SLOT_LOW)
        return value;
    if (slot->kind == SLOT_HIGH)
        return value == MISSING_VALUE ? INFINITY : value;
    if (value == MISSING_VALUE)
        return (float)slot->missing;
    return trees->code_bin[slot->code + (value >= 1 && value < (float)slot->codes ? (uint32_t)value : 0)];
}

/* The first slot from `from` on of a feature not below this one. */
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

static void lay_out_sparse(const Tile *tile, const Block *block, uint32_t row, float *to)
{
    const Trees *trees = tile->trees;
    uint32_t at = 0;

    memcpy(to, tile->empty, tile->stride * sizeof *to);
    for (RowWalk walk = clv_walk(block, row); at < trees->slots && clv_walk_next(&walk);) {
        if (trees->slot[at].feature < walk.column)
            at = slot_from(trees, at, walk.column);
        for (; at < trees->slots && trees->slot[at].feature == walk.column; at++)
            to[at] = clv_slot_value(trees, &trees->slot[at], walk.value);
    }
}

static void lay_out_dense(const Tile *tile, const Block *block, uint32_t row, float *to)
{
    const Trees *trees = tile->trees;
    const float *values = block->value + (size_t)row * block->features;

    to[0] = 0;
    for (uint32_t i = 0; i < trees->slots; i++) {
        const TreeSlot *slot = &trees->slot[i];

        to[i] = slot->feature < block->features ? clv_slot_value(trees, slot, values[slot->feature]) : tile->empty[i];
    }
}

static void lay_out(const Tile *tile, const Block *block, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (block->form == ROWS_DENSE ? lay_out_dense : lay_out_sparse)(tile, block, first + i,
                                                                     tile->row + i * tile->stride);
}

static Status open_tile(Tile *tile, const Trees *trees, Context *context, cleave_error *error)
{
    size_t rows;

    *tile = (Tile){.trees = trees, .stride = trees->slots ? trees->slots : 1};
    rows = TILE_BYTES / (tile->stride * sizeof *tile->row);
    rows = rows > MOST_ROWS ? MOST_ROWS : rows < STEP ? STEP : rows / STEP * STEP;
    tile->rows = (uint32_t)rows;
    tile->row = clv_alloc_zero(context, (rows + 1) * tile->stride, sizeof *tile->row);
    if (!tile->row)
        return clv_fail_memory(error, "rows", rows * tile->stride * sizeof *tile->row);
    tile->empty = tile->row + rows * tile->stride;
    for (uint32_t i = 0; i < trees->slots; i++)
        tile->empty[i] = clv_slot_value(trees, &trees->slot[i], 0);
    return OK;
}

/* ---- walking -------------------------------------------------------------------------------------------------------- */

static inline uint32_t next_node(const Trees *trees, const TreeNode *node, const float *row)
{
    uint32_t set;

    if (!(node->slot & SLOT_SET))
        return node->left + !(row[node->slot] <= node->bound);
    memcpy(&set, &node->bound, sizeof set);
    return node->left + !in_set(trees->set + (size_t)set * SET_WORDS, (uint32_t)row[node->slot & ~SLOT_SET]);
}

uint32_t clv_trees_next(const Trees *trees, const TreeNode *node, float seen)
{
    uint32_t set;

    if (!(node->slot & SLOT_SET))
        return node->left + !(seen <= node->bound);
    memcpy(&set, &node->bound, sizeof set);
    return node->left + !in_set(trees->set + (size_t)set * SET_WORDS, (uint32_t)seen);
}

static inline __attribute__((always_inline)) void walk_together(const Trees *trees, const float *rows, size_t stride,
                                                                uint32_t root, const bool sets, uint32_t at[STEP])
{
    uint32_t moved;

    for (uint32_t i = 0; i < STEP; i++)
        at[i] = root;
    do {
        moved = 0;
#pragma GCC unroll 8
        for (uint32_t i = 0; i < STEP; i++) {
            const TreeNode *node = &trees->node[at[i]];
            const float *row = rows + i * stride;
            uint32_t next = sets ? next_node(trees, node, row) : node->left + !(row[node->slot] <= node->bound);

            moved |= next ^ at[i];
            at[i] = next;
        }
    } while (moved);
}

static void walk(const Trees *trees, const float *rows, size_t stride, uint32_t root, uint32_t at[STEP])
{
    if (trees->sets)
        walk_together(trees, rows, stride, root, true, at);
    else
        walk_together(trees, rows, stride, root, false, at);
}

/* ---- answers -------------------------------------------------------------------------------------------------------- */

static void add_leaf(const Trees *trees, uint32_t node, uint32_t tree, size_t outputs, double *scores)
{
    uint32_t leaf = trees->node[node].leaf;

    if (trees->width == 1) {
        scores[outputs == 1 ? 0 : tree % outputs] += trees->value[leaf];
        return;
    }
    for (uint32_t i = 0; i < trees->width && i < outputs; i++)
        scores[i] += (double)trees->values[(size_t)leaf * trees->width + i];
}

Status clv_trees_add_scores(const Trees *trees, Context *context, const Block *block, uint32_t first, uint32_t count,
                            size_t outputs, double *scores, cleave_error *error)
{
    Tile tile;

    TRY(open_tile(&tile, trees, context, error));
    for (uint32_t from = 0; from < block->rows; from += tile.rows) {
        uint32_t rows = block->rows - from < tile.rows ? block->rows - from : tile.rows;

        lay_out(&tile, block, from, rows);
        for (uint32_t tree = first; tree < trees->trees && tree - first < count; tree++)
            for (uint32_t i = 0; i < rows; i += STEP) {
                uint32_t at[STEP];

                walk(trees, tile.row + i * tile.stride, tile.stride, trees->start[tree], at);
                for (uint32_t k = 0; k < STEP && i + k < rows; k++)
                    add_leaf(trees, at[k], tree, outputs, scores + (size_t)(from + i + k) * outputs);
            }
    }
    clv_free(context, tile.row);
    return OK;
}

Status clv_trees_leaves(const Trees *trees, Context *context, const Block *block, uint32_t tree, uint32_t *nodes,
                        cleave_error *error)
{
    Tile tile;

    TRY(open_tile(&tile, trees, context, error));
    for (uint32_t from = 0; from < block->rows; from += tile.rows) {
        uint32_t rows = block->rows - from < tile.rows ? block->rows - from : tile.rows;

        lay_out(&tile, block, from, rows);
        for (uint32_t i = 0; i < rows; i += STEP) {
            uint32_t at[STEP];

            walk(trees, tile.row + i * tile.stride, tile.stride, trees->start[tree], at);
            memcpy(nodes + from + i, at, (rows - i < STEP ? rows - i : STEP) * sizeof *at);
        }
    }
    clv_free(context, tile.row);
    return OK;
}
