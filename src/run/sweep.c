#include "run/sweep.h"

#include <math.h>
#include <stdio.h>

enum {
    SMALL_DATA = 1000,
    GROUP_ROWS = 1 << 19,
    BLOCK_ROWS = 1024,
    SPLIT_STREAM = 77,
    DEAL_STREAM = 78,
    ORDER_STREAM = 1000
};
#define GROUP_BYTES ((size_t)256 << 20)

Status clv_sweep_init(Sweep *sweep, Dataset *dataset, int order, uint64_t seed, double from, double to,
                      cleave_error *error)
{
    *sweep = (Sweep){
        .dataset = dataset, .order = order, .seed = seed, .from = from, .to = to, .end_row = dataset->rows};
    clv_builder_init(&sweep->builder, dataset->context);
    sweep->builder.passing_by = true;
    sweep->blocks = clv_alloc(dataset->context, dataset->blocks, sizeof *sweep->blocks);
    if (!sweep->blocks)
        return clv_fail_memory(error, "the order of blocks", dataset->blocks * sizeof *sweep->blocks);
    if (order == ORDER_FILE)
        return OK;
    sweep->views = clv_alloc_zero(dataset->context, dataset->blocks, sizeof *sweep->views);
    return sweep->views ? OK : clv_fail_memory(error, "views of blocks", dataset->blocks * sizeof *sweep->views);
}

void clv_sweep_limit(Sweep *sweep, uint32_t shard, uint32_t shards)
{
    enum { BLOCKS_EACH = 4 }; /* fewer would make shards of very different sizes */
    uint64_t rows = sweep->dataset->rows;

    if (sweep->order != ORDER_FILE && sweep->order != ORDER_DRAWS && sweep->dataset->blocks / shards >= BLOCKS_EACH) {
        sweep->hand = shard;
        sweep->hands = shards;
        return;
    }
    sweep->first_row = rows * shard / shards;
    sweep->end_row = rows * (shard + 1) / shards;
}

void clv_sweep_free(Sweep *sweep)
{
    if (!sweep->dataset)
        return;
    clv_builder_free(&sweep->builder);
    clv_free(sweep->dataset->context, sweep->blocks);
    clv_free(sweep->dataset->context, sweep->rows);
    clv_free(sweep->dataset->context, sweep->views);
    clv_free(sweep->dataset->context, sweep->numbers);
    *sweep = (Sweep){0};
}

static bool fits_one_group(const Dataset *dataset)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < dataset->blocks; i++)
        bytes += dataset->block[i].size;
    return dataset->rows <= GROUP_ROWS && bytes <= GROUP_BYTES;
}

Status clv_sweep_begin(Sweep *sweep, uint32_t round, cleave_error *error)
{
    (void)error;
    sweep->next = 0;
    sweep->row_count = sweep->row_next = 0;
    sweep->draws = sweep->end_row - sweep->first_row;
    sweep->random = clv_random(sweep->seed, ORDER_STREAM + (sweep->order == ORDER_ONCE ? 0 : round));
    for (uint32_t i = 0; i < sweep->dataset->blocks; i++)
        sweep->blocks[i] = i;
    /* Data that fits one group is shuffled row by row, so that how it was cut into blocks does not matter. */
    if ((sweep->order == ORDER_ONCE || sweep->order == ORDER_EACH) && !fits_one_group(sweep->dataset))
        clv_shuffle(&sweep->random, sweep->blocks, sweep->dataset->blocks);
    return OK;
}

static bool takes_all(const Sweep *sweep)
{
    return sweep->from <= 0 && sweep->to >= 1;
}

static bool within(const Sweep *sweep, uint64_t row)
{
    return row >= sweep->first_row && row < sweep->end_row;
}

/* Each hand gets one of as many blocks as there are hands, in an order that chance turns. */
static uint32_t hand_of(const Sweep *sweep, uint32_t number)
{
    Random random = clv_random(sweep->seed, DEAL_STREAM);

    random.counter = number / sweep->hands;
    return (uint32_t)((number + clv_random_below(&random, sweep->hands)) % sweep->hands);
}

/* Whether no row of a block is for this sweep. */
static bool is_outside(const Sweep *sweep, uint32_t number)
{
    const Dataset *dataset = sweep->dataset;
    uint64_t first = dataset->block[number].first_row;
    uint64_t end = number + 1 < dataset->blocks ? dataset->block[number + 1].first_row : dataset->rows;

    if (sweep->hands)
        return hand_of(sweep, number) != sweep->hand;
    return end <= sweep->first_row || first >= sweep->end_row;
}

static bool takes(const Sweep *sweep, uint64_t row)
{
    Random random = clv_random(sweep->seed, SPLIT_STREAM);
    double chance;

    if (!within(sweep, row))
        return false;
    if (takes_all(sweep))
        return true;
    random.counter = row;
    chance = clv_random_unit(&random);
    return chance >= sweep->from && chance < sweep->to;
}

static Status finish_block(Sweep *sweep, const Block **block, cleave_error *error)
{
    *block = NULL;
    if (sweep->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&sweep->builder, &sweep->block, error));
    sweep->block.row_number = sweep->numbers;
    *block = &sweep->block;
    return OK;
}

static Status take_row(Sweep *sweep, const Block *block, uint32_t row, cleave_error *error)
{
    TRY(GROW(sweep->dataset->context, sweep->numbers, sweep->number_capacity, (size_t)sweep->builder.rows + 1, error));
    sweep->numbers[sweep->builder.rows] = block->first_row + row;
    return clv_builder_copy_row(&sweep->builder, block, row, block_label(block, row), error);
}

/* Blocks as they are, or what the split leaves of them. */
static Status next_in_file(Sweep *sweep, const Block **block, cleave_error *error)
{
    *block = NULL;
    while (!*block && sweep->next < sweep->dataset->blocks) {
        uint32_t number = sweep->next++;
        Block whole;

        if (is_outside(sweep, number))
            continue;
        TRY(clv_dataset_block(sweep->dataset, number, &whole, error));
        if (takes_all(sweep) && within(sweep, whole.first_row) && within(sweep, whole.first_row + whole.rows - 1)) {
            sweep->block = whole;
            *block = &sweep->block;
            return OK;
        }
        clv_builder_clear(&sweep->builder);
        for (uint32_t row = 0; row < whole.rows; row++)
            if (takes(sweep, whole.first_row + row))
                TRY(take_row(sweep, &whole, row, error));
        TRY(finish_block(sweep, block, error));
    }
    return OK;
}

static Status view_block(Sweep *sweep, uint32_t number, const Block **block, cleave_error *error)
{
    Block *view = &sweep->views[number];

    if (view->rows == 0)
        TRY(clv_dataset_block(sweep->dataset, number, view, error));
    *block = view;
    return OK;
}

/* The rows of the next blocks, shuffled. */
static Status gather_group(Sweep *sweep, cleave_error *error)
{
    size_t bytes = 0;

    sweep->row_count = sweep->row_next = 0;
    while (sweep->next < sweep->dataset->blocks && sweep->row_count < GROUP_ROWS && bytes <= GROUP_BYTES) {
        uint32_t number = sweep->blocks[sweep->next++];
        const Block *block;

        if (is_outside(sweep, number))
            continue;
        TRY(view_block(sweep, number, &block, error));
        bytes += sweep->dataset->block[number].size;
        TRY(GROW(sweep->dataset->context, sweep->rows, sweep->row_capacity, sweep->row_count + block->rows, error));
        for (uint32_t row = 0; row < block->rows; row++)
            if (takes(sweep, block->first_row + row))
                sweep->rows[sweep->row_count++] = (struct RowAt){.block = number, .row = row};
    }
    for (size_t i = sweep->row_count; i > 1; i--) {
        size_t j = clv_random_below(&sweep->random, (uint32_t)i);
        struct RowAt other = sweep->rows[j];

        sweep->rows[j] = sweep->rows[i - 1];
        sweep->rows[i - 1] = other;
    }
    return OK;
}

static Status copy_row(Sweep *sweep, struct RowAt at, cleave_error *error)
{
    const Block *block;

    TRY(view_block(sweep, at.block, &block, error));
    return take_row(sweep, block, at.row, error);
}

/* Rows in random order are not in the cache: asks for one a few steps before it is needed, and for where that row
 * lies a few steps earlier still. */
static void prefetch(const Sweep *sweep)
{
    enum { NEAR = 6, FAR = 14, LINES = 5 };

    if (sweep->row_next + FAR < sweep->row_count) {
        struct RowAt far = sweep->rows[sweep->row_next + FAR], near = sweep->rows[sweep->row_next + NEAR];
        const Block *block = &sweep->views[far.block];
        uint32_t start;

        if (block->form == ROWS_DENSE)
            return;
        __builtin_prefetch(&block->end[far.row]);
        block = &sweep->views[near.block];
        if (block->form != ROWS_GAPS)
            return;
        start = block_start(block, near.row);
        for (uint32_t line = 0; line < LINES; line++) {
            __builtin_prefetch((const char *)(block->gap + start) + 64 * line);
            if (block->value_form == VALUES_EACH)
                __builtin_prefetch((const char *)(block->value + start) + 64 * line);
        }
    }
}

static Status next_shuffled(Sweep *sweep, const Block **block, cleave_error *error)
{
    clv_builder_clear(&sweep->builder);
    while (sweep->builder.rows < BLOCK_ROWS) {
        if (sweep->row_next == sweep->row_count) {
            if (sweep->next == sweep->dataset->blocks)
                break;
            TRY(gather_group(sweep, error));
            continue;
        }
        prefetch(sweep);
        TRY(copy_row(sweep, sweep->rows[sweep->row_next++], error));
    }
    return finish_block(sweep, block, error);
}

static struct RowAt find_row(const Dataset *dataset, uint64_t row)
{
    uint32_t low = 0, high = dataset->blocks - 1;

    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;

        if (dataset->block[middle].first_row <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return (struct RowAt){.block = low, .row = (uint32_t)(row - dataset->block[low].first_row)};
}

static Status next_drawn(Sweep *sweep, const Block **block, cleave_error *error)
{
    clv_builder_clear(&sweep->builder);
    while (sweep->builder.rows < BLOCK_ROWS && sweep->draws > 0) {
        uint64_t rows = sweep->end_row - sweep->first_row;
        uint64_t row = sweep->first_row + (uint64_t)(clv_random_unit(&sweep->random) * (double)rows);

        sweep->draws--;
        if (takes(sweep, row))
            TRY(copy_row(sweep, find_row(sweep->dataset, row), error));
    }
    return finish_block(sweep, block, error);
}

Status clv_sweep_next(Sweep *sweep, const Block **block, cleave_error *error)
{
    if (sweep->order == ORDER_FILE)
        return next_in_file(sweep, block, error);
    return sweep->order == ORDER_DRAWS ? next_drawn(sweep, block, error) : next_shuffled(sweep, block, error);
}

/* ---- auto --------------------------------------------------------------------------------------------------------- */

/* How often neighbours are alike, against how often they would be if the order were chance. */
typedef struct {
    uint64_t pairs, alike;
    double expected; /* share of alike pairs by chance */
} Neighbours;

static bool by_chance(const Neighbours *seen)
{
    double n = (double)seen->pairs, deviation = sqrt(n * seen->expected * (1 - seen->expected));

    return n < 2 || fabs((double)seen->alike - n * seen->expected) <= 4.5 * deviation + 1;
}

/* Compares each row with the next by label and by whether it is longer than the mean: rows sorted by class, or by
 * anything that goes with their length, show it. */
static Status look_shuffled(Dataset *dataset, bool *shuffled, cleave_error *error)
{
    Neighbours labels = {0}, lengths = {0};
    double mean = dataset->rows ? (double)dataset->entries / (double)dataset->rows : 0, share, longer = 0;
    uint32_t label_before = UNLABELLED;
    bool long_before = false, first = true;

    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t label = block_label(&block, row);
            bool is_long = block.form != ROWS_DENSE && (double)(block.end[row] - block_start(&block, row)) > mean;

            if (!first) {
                labels.pairs++;
                labels.alike += label == label_before;
                lengths.pairs++;
                lengths.alike += is_long == long_before;
            }
            first = false;
            longer += is_long;
            label_before = label;
            long_before = is_long;
        }
    }
    for (uint32_t i = 0; i < dataset->labels.count; i++) {
        share = (double)dataset->labels.list[i].count / (double)dataset->rows;
        labels.expected += share * share;
    }
    share = longer / (double)dataset->rows;
    lengths.expected = share * share + (1 - share) * (1 - share);
    *shuffled = by_chance(&labels) && by_chance(&lengths);
    return OK;
}

Status clv_choose_order(Dataset *dataset, int wanted, uint64_t seed, int *order, char *words, size_t size,
                        cleave_error *error)
{
    static const char *const plain[] = {"", "as in the file", "shuffled once", "shuffled each round", "random draws"};
    bool shuffled = false;

    *order = wanted;
    if (wanted == ORDER_FILE) {
        snprintf(words, size, "%s", plain[wanted]);
    } else if (wanted != ORDER_AUTO) {
        snprintf(words, size, "%s (seed %llu)", plain[wanted], (unsigned long long)seed);
    } else if (dataset->rows <= SMALL_DATA) {
        *order = ORDER_FILE;
        snprintf(words, size, "as in the file");
    } else if (dataset->shuffled) {
        *order = ORDER_FILE;
        snprintf(words, size, "as in the file, which is stored shuffled");
    } else {
        TRY(look_shuffled(dataset, &shuffled, error));
        *order = shuffled ? ORDER_FILE : ORDER_EACH;
        if (shuffled)
            snprintf(words, size, "as in the file, which looks shuffled");
        else
            snprintf(words, size, "shuffled each round (seed %llu), since the file is in some order",
                     (unsigned long long)seed);
    }
    return OK;
}
