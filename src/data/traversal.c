#include "data/traversal.h"

#include "base/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    GROUP_ROWS = 1 << 18,
    BLOCK_ROWS = 1024,
    SLICE_UNITS = 1 << 22, /* limit of entries times outputs */
    RUN_ROWS = 2,          /* 1 takes up to a tenth more CPU time, and 4 is not faster */
    SPLIT_STREAM = 77,
    DEAL_STREAM = 78,
    ORDER_STREAM = 1000
};
#define GROUP_BYTES ((size_t)48 << 20)

Status clv_traversal_init(Traversal *traversal, Dataset *dataset, int order, uint64_t seed,
                          double from, double to, cleave_error *error)
{
    *traversal = (Traversal){.dataset = dataset,
                             .order = order,
                             .seed = seed,
                             .from = from,
                             .to = to,
                             .end_row = dataset->rows};
    clv_copies_init(&traversal->copies, dataset->context);
    clv_copies_init(&traversal->slice, dataset->context);
    TRY(ALLOC(dataset->context, traversal->blocks, dataset->blocks, "the order of blocks", error));
    if (order == ORDER_FILE)
        return OK;
    traversal->grouped = clv_alloc(dataset->context, dataset->blocks, sizeof *traversal->grouped);
    traversal->group_end = clv_alloc(dataset->context, dataset->blocks,
                                     sizeof *traversal->group_end);
    if (!traversal->grouped || !traversal->group_end)
        return clv_fail_memory(error, "groups of blocks",
                               2 * dataset->blocks * sizeof *traversal->grouped);
    return ALLOC_ZERO(dataset->context, traversal->views, dataset->blocks, "views of blocks",
                      error);
}

void clv_traversal_limit(Traversal *traversal, uint32_t shard, uint32_t shards)
{
    /* with fewer blocks per shard, shards would have very different sizes */
    enum { BLOCKS_EACH = 4 };
    uint64_t rows = traversal->dataset->rows;

    traversal->beside = clv_pool_workers(traversal->dataset->context, shards);
    if (traversal->order != ORDER_FILE && traversal->order != ORDER_DRAWS &&
        traversal->dataset->blocks / shards >= BLOCKS_EACH) {
        traversal->shard = shard;
        traversal->shards = shards;
        return;
    }
    traversal->first_row = rows * shard / shards;
    traversal->end_row = rows * (shard + 1) / shards;
}

void clv_traversal_free(Traversal *traversal)
{
    if (!traversal->dataset)
        return;
    clv_ahead_end(traversal->ahead);
    clv_tour_end(&traversal->tour);
    clv_copies_free(&traversal->copies);
    clv_copies_free(&traversal->slice);
    FREE(traversal->dataset->context, traversal->blocks, traversal->grouped, traversal->group_end,
         traversal->rows, traversal->turns, traversal->slots, traversal->views);
    *traversal = (Traversal){0};
}

/* The shard of a block. Each shard gets one of every `shards` consecutive blocks, in a randomly
 * rotated order. */
static uint32_t shard_of(const Traversal *traversal, uint32_t number)
{
    Random random = clv_random(traversal->seed, DEAL_STREAM);

    random.counter = number / traversal->shards;
    return (uint32_t)((number + clv_random_below(&random, traversal->shards)) % traversal->shards);
}

/* Returns whether no row of a block belongs to this traversal. */
static bool is_outside(const Traversal *traversal, uint32_t number)
{
    const Dataset *dataset = traversal->dataset;
    uint64_t first = dataset->block[number].first_row;
    uint64_t end = number + 1 < dataset->blocks ? dataset->block[number + 1].first_row
                                                : dataset->rows;

    if (traversal->shards)
        return shard_of(traversal, number) != traversal->shard;
    return end <= traversal->first_row || first >= traversal->end_row;
}

static uint64_t rows_of(const Dataset *dataset, uint32_t block)
{
    uint64_t end = block + 1 < dataset->blocks ? dataset->block[block + 1].first_row
                                               : dataset->rows;

    return end - dataset->block[block].first_row;
}

/* The smallest number of equal groups within the limits. */
static uint32_t count_groups(const Traversal *traversal)
{
    const Dataset *dataset = traversal->dataset;
    uint64_t rows = 0, bytes = 0, groups;

    for (uint32_t i = 0; i < traversal->block_count; i++) {
        rows += rows_of(dataset, traversal->blocks[i]);
        bytes += dataset->block[traversal->blocks[i]].size;
    }
    groups = (rows + GROUP_ROWS - 1) / GROUP_ROWS;
    if (groups < (bytes + GROUP_BYTES - 1) / GROUP_BYTES)
        groups = (bytes + GROUP_BYTES - 1) / GROUP_BYTES;
    if (groups > traversal->block_count)
        groups = traversal->block_count;
    return groups > 0 ? (uint32_t)groups : 1;
}

/* Groups the blocks. Each group gets one of every `groups` consecutive blocks, in a randomly
 * rotated order, so that sorted rows are spread over all groups. The blocks of a group stay in file
 * order for sequential reads. Returns the largest size of a group. */
static size_t group_blocks(Traversal *traversal)
{
    uint32_t groups = count_groups(traversal), count = traversal->block_count, place = 0;
    Random turns = traversal->random;
    size_t most = 0;

    /* with one group only rows are shuffled, so that block boundaries do not matter */
    if (groups > 1)
        turns = clv_random(clv_random_next(&traversal->random), DEAL_STREAM);
    for (uint32_t group = 0; group < groups; group++) {
        size_t capacity = 0;

        for (uint32_t first = 0; first < count; first += groups) {
            uint32_t at;

            turns.counter = first / groups;
            at = first + (groups > 1 ? (group + clv_random_below(&turns, groups)) % groups : 0);
            if (at >= count)
                continue;
            traversal->grouped[place++] = traversal->blocks[at];
            capacity += tour_bytes(traversal->dataset, traversal->blocks[at]);
        }
        traversal->group_end[group] = place;
        most = capacity > most ? capacity : most;
    }
    traversal->group = 0;
    return most;
}

static bool takes_all(const Traversal *traversal)
{
    return traversal->from <= 0 && traversal->to >= 1;
}

static bool within(const Traversal *traversal, uint64_t row)
{
    return row >= traversal->first_row && row < traversal->end_row;
}

static bool takes(const Traversal *traversal, uint64_t row)
{
    Random random = clv_random(traversal->seed, SPLIT_STREAM);
    double chance;

    if (!within(traversal, row))
        return false;
    if (takes_all(traversal))
        return true;
    random.counter = row;
    chance = clv_random_unit(&random);
    return chance >= traversal->from && chance < traversal->to;
}

/* Returns whether rows are returned block by block in stored order. */
static bool visits_whole(const Traversal *traversal)
{
    return traversal->order == ORDER_FILE || traversal->order == ORDER_BLOCKS;
}

/* Returns the next block unchanged, or only with the rows that the split keeps. */
static Status next_whole(Traversal *traversal, const Block **block, cleave_error *error)
{
    *block = NULL;
    while (!*block) {
        Block whole;
        bool more;

        clv_tour_release(&traversal->tour);
        TRY(clv_tour_next(&traversal->tour, &whole, &more, error));
        if (!more)
            break;
        if (takes_all(traversal) && within(traversal, whole.first_row) &&
            within(traversal, whole.first_row + whole.rows - 1)) {
            traversal->block = whole;
            *block = &traversal->block;
            return OK;
        }
        clv_copies_clear(&traversal->copies);
        for (uint32_t row = 0; row < whole.rows; row++)
            if (takes(traversal, whole.first_row + row))
                TRY(clv_copies_add(&traversal->copies, &whole, row, 1, error));
        TRY(clv_copies_finish(&traversal->copies, block, error));
    }
    return OK;
}

static void shuffle_turns(Traversal *traversal)
{
    for (size_t i = traversal->turn_count; i > 1; i--) {
        size_t j = clv_random_below(&traversal->random, (uint32_t)i);
        uint32_t other = traversal->turns[j];

        traversal->turns[j] = traversal->turns[i - 1];
        traversal->turns[i - 1] = other;
    }
}

/* Shuffles the rows of the group individually. */
static void shuffle_rows(Traversal *traversal)
{
    traversal->run_rows = 1;
    traversal->turn_count = traversal->row_count;
    for (uint32_t i = 0; i < traversal->row_count; i++)
        traversal->turns[i] = i;
    shuffle_turns(traversal);
}

/* Merges the blocks of the group at random, a few rows at a time. Each block starts at a random row
 * and wraps around, so that an order within blocks does not become the order of the whole. */
static void merge_blocks(Traversal *traversal)
{
    traversal->run_rows = RUN_ROWS;
    traversal->turn_count = 0;
    for (size_t i = 0; i < traversal->slot_count; i++) {
        struct BlockPart *slot = &traversal->slots[i];
        uint32_t runs = (slot->end - slot->begin + RUN_ROWS - 1) / RUN_ROWS;

        for (uint32_t run = 0; run < runs; run++)
            traversal->turns[traversal->turn_count++] = (uint32_t)i;
        slot->next = slot->begin +
                     (runs ? clv_random_below(&traversal->random, runs) * RUN_ROWS : 0);
    }
    shuffle_turns(traversal);
    for (size_t i = 0; i < traversal->turn_count; i++) {
        struct BlockPart *slot = &traversal->slots[traversal->turns[i]];

        traversal->turns[i] = slot->next;
        slot->next = slot->end - slot->next > RUN_ROWS ? slot->next + RUN_ROWS : slot->begin;
    }
}

/* Shuffles the rows of the next blocks. */
static Status gather_group(Traversal *traversal, cleave_error *error)
{
    Context *context = traversal->dataset->context;
    uint32_t end = traversal->group_end[traversal->group++];
    bool alone = traversal->tour.next == 0 && end == traversal->block_count;

    traversal->row_count = traversal->slot_count = traversal->turn_count = traversal->turn_next = 0;
    clv_tour_release(&traversal->tour);
    while (traversal->tour.next < end) {
        uint32_t number = traversal->grouped[traversal->tour.next];
        Block *block = &traversal->views[number];
        struct BlockPart slot = {.begin = (uint32_t)traversal->row_count};
        bool more;

        TRY(clv_tour_next(&traversal->tour, block, &more, error));
        TRY(GROW(context, traversal->rows, traversal->row_capacity,
                 traversal->row_count + block->rows, error));
        for (uint32_t row = 0; row < block->rows; row++)
            if (takes(traversal, block->first_row + row))
                traversal->rows[traversal->row_count++] = (struct RowAt){.block = number,
                                                                         .row = row};
        slot.end = (uint32_t)traversal->row_count;
        TRY(GROW(context, traversal->slots, traversal->slot_capacity, traversal->slot_count + 1,
                 error));
        traversal->slots[traversal->slot_count++] = slot;
    }
    TRY(GROW(context, traversal->turns, traversal->turn_capacity, traversal->row_count, error));
    if (alone)
        shuffle_rows(traversal);
    else
        merge_blocks(traversal);
    return OK;
}

/* The number of rows of the next run. */
static uint32_t run_length(const Traversal *traversal, size_t turn)
{
    uint32_t first = traversal->turns[turn], rows = 1;

    while (rows < traversal->run_rows && first + rows < traversal->row_count &&
           traversal->rows[first + rows].block == traversal->rows[first].block)
        rows++;
    return rows;
}

/* Prefetches the start of a row; the hardware prefetches the rest. */
static void fetch(const void *from, size_t bytes)
{
    enum { LINE = 64, MOST = 16 * LINE };

    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        __builtin_prefetch((const char *)from + at);
}

/* Prefetches a row a few steps ahead, and its position a few steps earlier. Rows in random order
 * are not in the cache. */
static void prefetch(const Traversal *traversal)
{
    enum { NEAR = 6, FAR = 14 };
    struct RowAt at;
    const Block *block;
    uint32_t start, count;

    if (traversal->turn_next + FAR >= traversal->turn_count)
        return;
    at = traversal->rows[traversal->turns[traversal->turn_next + FAR]];
    block = &traversal->views[at.block];
    if (block->form == ROWS_DENSE)
        return;
    __builtin_prefetch(&block->end[at.row]);
    at = traversal->rows[traversal->turns[traversal->turn_next + NEAR]];
    block = &traversal->views[at.block];
    if (block->form != ROWS_GAPS)
        return;
    start = block_start(block, at.row);
    count = (block->end[at.row] - start) *
            traversal->run_rows; /* assumes that all rows resemble the first one */
    fetch(block->gap + start, count * sizeof *block->gap);
    if (block->value_form == VALUES_EACH)
        fetch(block->value + start, count * sizeof *block->value);
}

/* Copies a run of rows at once. The split may drop rows between them. */
static Status copy_run(Traversal *traversal, size_t turn, Copies *copies, cleave_error *error)
{
    const struct RowAt *at = traversal->rows + traversal->turns[turn];
    uint32_t left = run_length(traversal, turn), rows;

    for (; left > 0; left -= rows, at += rows) {
        for (rows = 1; rows < left && at[rows].row == at->row + rows;)
            rows++;
        TRY(clv_copies_add(copies, &traversal->views[at->block], at->row, rows, error));
    }
    return OK;
}

/* Copies the next rows in order. */
static Status copy_turns(void *user, Copies *copies, const Block **block, cleave_error *error)
{
    Traversal *traversal = user;

    clv_copies_clear(copies);
    while (copies->builder.rows < BLOCK_ROWS) {
        if (traversal->turn_next == traversal->turn_count) {
            if (traversal->tour.next == traversal->block_count) {
                clv_tour_release(&traversal->tour);
                break;
            }
            TRY(gather_group(traversal, error));
            continue;
        }
        prefetch(traversal);
        TRY(copy_run(traversal, traversal->turn_next++, copies, error));
    }
    return clv_copies_finish(copies, block, error);
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

static Status copy_row(Traversal *traversal, struct RowAt at, cleave_error *error)
{
    Block *block = &traversal->views[at.block];

    if (block->rows == 0)
        TRY(clv_dataset_block(traversal->dataset, at.block, block, error));
    return clv_copies_add(&traversal->copies, block, at.row, 1, error);
}

static Status next_drawn(Traversal *traversal, const Block **block, cleave_error *error)
{
    clv_copies_clear(&traversal->copies);
    while (traversal->copies.builder.rows < BLOCK_ROWS && traversal->draws > 0) {
        uint64_t rows = traversal->end_row - traversal->first_row;
        uint64_t row = traversal->first_row +
                       (uint64_t)(clv_random_unit(&traversal->random) * (double)rows);

        traversal->draws--;
        if (takes(traversal, row))
            TRY(copy_row(traversal, find_row(traversal->dataset, row), error));
    }
    return clv_copies_finish(&traversal->copies, block, error);
}

Status clv_traversal_begin(Traversal *traversal, uint32_t round, cleave_error *error)
{
    const uint32_t *order = traversal->blocks;
    size_t held = 0;

    (void)error;
    traversal->sliced = NULL;
    /* ended first, because its thread owned the following fields */
    clv_ahead_end(traversal->ahead);
    traversal->ahead = NULL;
    traversal->turn_count = traversal->turn_next = 0;
    traversal->draws = traversal->end_row - traversal->first_row;
    traversal->random = clv_random(traversal->seed,
                                   ORDER_STREAM + (traversal->order == ORDER_ONCE ? 0 : round));
    clv_tour_end(&traversal->tour);
    if (traversal->order == ORDER_DRAWS)
        return OK;
    traversal->block_count = 0;
    for (uint32_t i = 0; i < traversal->dataset->blocks; i++)
        if (!is_outside(traversal, i))
            traversal->blocks[traversal->block_count++] = i;
    if (traversal->order == ORDER_BLOCKS) {
        clv_shuffle(&traversal->random, traversal->blocks, traversal->block_count);
    } else if (traversal->order != ORDER_FILE) {
        held = group_blocks(traversal);
        order = traversal->grouped;
    }
    clv_tour_begin(&traversal->tour, traversal->dataset,
                   (TourPlan){.order = order,
                              .places = traversal->block_count,
                              .held = held,
                              .beside = traversal->beside});
    /* The data of one group is small, and concurrent traversals already use one thread each. */
    if (!visits_whole(traversal) && traversal->beside < 2 &&
        traversal->dataset->context->config.threads > 1 &&
        traversal->group_end[0] < traversal->block_count)
        traversal->ahead = clv_ahead_begin(traversal->dataset->context, copy_turns, traversal);
    return OK;
}

static Status next_block(Traversal *traversal, const Block **block, cleave_error *error)
{
    if (visits_whole(traversal))
        return next_whole(traversal, block, error);
    return traversal->order == ORDER_DRAWS ? next_drawn(traversal, block, error)
           : traversal->ahead              ? clv_ahead_next(traversal->ahead, block, error)
                              : copy_turns(traversal, &traversal->copies, block, error);
}

void clv_traversal_slice(Traversal *traversal, size_t outputs)
{
    const Dataset *dataset = traversal->dataset;
    double entries = dataset->rows ? (double)dataset->entries / (double)dataset->rows : 0;
    double rows = SLICE_UNITS / ((double)outputs * (entries + 1));

    traversal->slice_rows = outputs < 2 || rows > UINT32_MAX ? 0 : rows < 1 ? 1 : (uint32_t)rows;
}

/* Returns the next rows of the current block. */
static Status next_slice(Traversal *traversal, const Block **block, cleave_error *error)
{
    uint32_t left = traversal->sliced->rows - traversal->slice_next;
    uint32_t rows = left < traversal->slice_rows ? left : traversal->slice_rows;

    clv_copies_clear(&traversal->slice);
    TRY(clv_copies_add(&traversal->slice, traversal->sliced, traversal->slice_next, rows, error));
    TRY(clv_copies_finish(&traversal->slice, block, error));
    traversal->slice_next += rows;
    if (rows == left)
        traversal->sliced = NULL;
    return OK;
}

Status clv_traversal_next(Traversal *traversal, const Block **block, cleave_error *error)
{
    if (!traversal->sliced) {
        TRY(next_block(traversal, block, error));
        if (!*block || traversal->slice_rows == 0 || (*block)->rows <= traversal->slice_rows)
            return OK;
        traversal->sliced = *block;
        traversal->slice_next = 0;
    }
    return next_slice(traversal, block, error);
}
