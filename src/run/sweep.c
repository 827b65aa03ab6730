#include "run/sweep.h"

#include "base/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SMALL_DATA = 1000,
    GROUP_ROWS = 1 << 18,
    BLOCK_ROWS = 1024,
    SPLIT_STREAM = 77,
    DEAL_STREAM = 78,
    ORDER_STREAM = 1000
};
#define GROUP_BYTES ((size_t)48 << 20)

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
    sweep->dealt = clv_alloc(dataset->context, dataset->blocks, sizeof *sweep->dealt);
    sweep->group_end = clv_alloc(dataset->context, dataset->blocks, sizeof *sweep->group_end);
    if (!sweep->dealt || !sweep->group_end)
        return clv_fail_memory(error, "groups of blocks", 2 * dataset->blocks * sizeof *sweep->dealt);
    sweep->views = clv_alloc_zero(dataset->context, dataset->blocks, sizeof *sweep->views);
    return sweep->views ? OK : clv_fail_memory(error, "views of blocks", dataset->blocks * sizeof *sweep->views);
}

void clv_sweep_limit(Sweep *sweep, uint32_t shard, uint32_t shards)
{
    enum { BLOCKS_EACH = 4 }; /* fewer would make shards of very different sizes */
    uint64_t rows = sweep->dataset->rows;

    sweep->beside = clv_pool_workers(sweep->dataset->context, shards);
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
    clv_tour_end(&sweep->tour);
    clv_builder_free(&sweep->builder);
    clv_free(sweep->dataset->context, sweep->blocks);
    clv_free(sweep->dataset->context, sweep->dealt);
    clv_free(sweep->dataset->context, sweep->group_end);
    clv_free(sweep->dataset->context, sweep->rows);
    clv_free(sweep->dataset->context, sweep->views);
    clv_free(sweep->dataset->context, sweep->numbers);
    *sweep = (Sweep){0};
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

static uint64_t rows_of(const Dataset *dataset, uint32_t block)
{
    uint64_t end = block + 1 < dataset->blocks ? dataset->block[block + 1].first_row : dataset->rows;

    return end - dataset->block[block].first_row;
}

/* As few groups as keep within the limits, when all are of one size. */
static uint32_t count_groups(const Sweep *sweep)
{
    const Dataset *dataset = sweep->dataset;
    uint64_t rows = 0, bytes = 0, groups;

    for (uint32_t i = 0; i < sweep->block_count; i++) {
        rows += rows_of(dataset, sweep->blocks[i]);
        bytes += dataset->block[sweep->blocks[i]].size;
    }
    groups = (rows + GROUP_ROWS - 1) / GROUP_ROWS;
    if (groups < (bytes + GROUP_BYTES - 1) / GROUP_BYTES)
        groups = (bytes + GROUP_BYTES - 1) / GROUP_BYTES;
    if (groups > sweep->block_count)
        groups = sweep->block_count;
    return groups > 0 ? (uint32_t)groups : 1;
}

/* Every group gets one of as many blocks that follow each other as there are groups, in an order that chance turns: whatever the rows
 * are sorted by, each has its share of all. The blocks of a group are in the order of the file, which is how a disk likes to read them.
 * Returns the most room that a group takes. */
static size_t deal_blocks(Sweep *sweep)
{
    uint32_t groups = count_groups(sweep), count = sweep->block_count, place = 0;
    Random turns = sweep->random;
    size_t most = 0;

    if (groups > 1) /* else rows are shuffled alone, so that how they were cut into blocks does not matter */
        turns = clv_random(clv_random_next(&sweep->random), DEAL_STREAM);
    for (uint32_t group = 0; group < groups; group++) {
        size_t room = 0;

        for (uint32_t first = 0; first < count; first += groups) {
            uint32_t at;

            turns.counter = first / groups;
            at = first + (groups > 1 ? (group + clv_random_below(&turns, groups)) % groups : 0);
            if (at >= count)
                continue;
            sweep->dealt[place++] = sweep->blocks[at];
            room += tour_room(sweep->dataset, sweep->blocks[at]);
        }
        sweep->group_end[group] = place;
        most = room > most ? room : most;
    }
    sweep->group = 0;
    return most;
}

Status clv_sweep_begin(Sweep *sweep, uint32_t round, cleave_error *error)
{
    const uint32_t *order = sweep->blocks;
    size_t held = 0;

    (void)error;
    sweep->row_count = sweep->row_next = 0;
    sweep->draws = sweep->end_row - sweep->first_row;
    sweep->random = clv_random(sweep->seed, ORDER_STREAM + (sweep->order == ORDER_ONCE ? 0 : round));
    clv_tour_end(&sweep->tour);
    if (sweep->order == ORDER_DRAWS)
        return OK;
    sweep->block_count = 0;
    for (uint32_t i = 0; i < sweep->dataset->blocks; i++)
        if (!is_outside(sweep, i))
            sweep->blocks[sweep->block_count++] = i;
    if (sweep->order != ORDER_FILE) {
        held = deal_blocks(sweep);
        order = sweep->dealt;
    }
    clv_tour_begin(&sweep->tour, sweep->dataset,
                   (TourPlan){.order = order, .places = sweep->block_count, .held = held, .beside = sweep->beside});
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
    while (!*block) {
        Block whole;
        bool more;

        clv_tour_release(&sweep->tour);
        TRY(clv_tour_next(&sweep->tour, &whole, &more, error));
        if (!more)
            break;
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

/* The rows of the next blocks, shuffled. */
static Status gather_group(Sweep *sweep, cleave_error *error)
{
    uint32_t end = sweep->group_end[sweep->group++];

    sweep->row_count = sweep->row_next = 0;
    clv_tour_release(&sweep->tour);
    while (sweep->tour.next < end) {
        uint32_t number = sweep->dealt[sweep->tour.next];
        Block *block = &sweep->views[number];
        bool more;

        TRY(clv_tour_next(&sweep->tour, block, &more, error));
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
        struct RowAt at;

        if (sweep->row_next == sweep->row_count) {
            if (sweep->tour.next == sweep->block_count) {
                clv_tour_release(&sweep->tour);
                break;
            }
            TRY(gather_group(sweep, error));
            continue;
        }
        prefetch(sweep);
        at = sweep->rows[sweep->row_next++];
        TRY(take_row(sweep, &sweep->views[at.block], at.row, error));
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

static Status copy_row(Sweep *sweep, struct RowAt at, cleave_error *error)
{
    Block *block = &sweep->views[at.block];

    if (block->rows == 0)
        TRY(clv_dataset_block(sweep->dataset, at.block, block, error));
    return take_row(sweep, block, at.row, error);
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

typedef struct {
    Neighbours labels, lengths;
    double mean, longer; /* of the rows' lengths; rows above it */
    uint32_t label_before;
    bool long_before, begun;
} Look;

/* Compares each row with the one before. */
static Status look_at(void *user, const Block *block, cleave_error *error)
{
    Look *look = user;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        bool is_long = block->form != ROWS_DENSE && (double)(block->end[row] - block_start(block, row)) > look->mean;

        if (look->begun) {
            look->labels.pairs++;
            look->labels.alike += label == look->label_before;
            look->lengths.pairs++;
            look->lengths.alike += is_long == look->long_before;
        }
        look->begun = true;
        look->longer += is_long;
        look->label_before = label;
        look->long_before = is_long;
    }
    return OK;
}

/* By label and by whether it is longer than the mean: rows sorted by class, or by anything that goes with their length, show
 * it. */
static Status look_shuffled(Dataset *dataset, bool *shuffled, cleave_error *error)
{
    Look look = {.mean = dataset->rows ? (double)dataset->entries / (double)dataset->rows : 0};
    double share;

    TRY(clv_tour_all(dataset, look_at, &look, error));
    for (uint32_t i = 0; i < dataset->labels.count; i++) {
        share = (double)dataset->labels.list[i].count / (double)dataset->rows;
        look.labels.expected += share * share;
    }
    share = look.longer / (double)dataset->rows;
    look.lengths.expected = share * share + (1 - share) * (1 - share);
    *shuffled = by_chance(&look.labels) && by_chance(&look.lengths);
    return OK;
}

int clv_wanted_order(const Method *method, const RunOptions *options, const Dataset *dataset)
{
    bool shuffles = options->order == ORDER_AUTO && method->shuffles && dataset->rows > SMALL_DATA;

    return shuffles ? ORDER_EACH : options->order;
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
