#include "run/sweep.h"

#include "base/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SMALL_DATA = 1000,
    GROUP_ROWS = 1 << 18,
    BLOCK_ROWS = 1024,
    SLICE_UNITS = 1 << 22, /* entries times outputs */
    RUN_ROWS = 2,          /* one costs up to a tenth more CPU time, four save nothing more */
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
    clv_copies_init(&sweep->copies, dataset->context);
    clv_copies_init(&sweep->slice, dataset->context);
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
    clv_ahead_end(sweep->ahead);
    clv_tour_end(&sweep->tour);
    clv_copies_free(&sweep->copies);
    clv_copies_free(&sweep->slice);
    clv_free(sweep->dataset->context, sweep->blocks);
    clv_free(sweep->dataset->context, sweep->dealt);
    clv_free(sweep->dataset->context, sweep->group_end);
    clv_free(sweep->dataset->context, sweep->rows);
    clv_free(sweep->dataset->context, sweep->turns);
    clv_free(sweep->dataset->context, sweep->slots);
    clv_free(sweep->dataset->context, sweep->views);
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

/* Whether rows come block by block, as they lie there. */
static bool visits_whole(const Sweep *sweep)
{
    return sweep->order == ORDER_FILE || sweep->order == ORDER_BLOCKS;
}

/* Blocks as they are, or what the split leaves of them. */
static Status next_whole(Sweep *sweep, const Block **block, cleave_error *error)
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
        clv_copies_clear(&sweep->copies);
        for (uint32_t row = 0; row < whole.rows; row++)
            if (takes(sweep, whole.first_row + row))
                TRY(clv_copies_add(&sweep->copies, &whole, row, 1, error));
        TRY(clv_copies_finish(&sweep->copies, block, error));
    }
    return OK;
}

static void shuffle_turns(Sweep *sweep)
{
    for (size_t i = sweep->turn_count; i > 1; i--) {
        size_t j = clv_random_below(&sweep->random, (uint32_t)i);
        uint32_t other = sweep->turns[j];

        sweep->turns[j] = sweep->turns[i - 1];
        sweep->turns[i - 1] = other;
    }
}

/* Each row of the group for itself. */
static void shuffle_rows(Sweep *sweep)
{
    sweep->run_rows = 1;
    sweep->turn_count = sweep->row_count;
    for (uint32_t i = 0; i < sweep->row_count; i++)
        sweep->turns[i] = i;
    shuffle_turns(sweep);
}

/* A random merge of the blocks of the group, by runs of a few rows. Each begins anywhere and goes round, so that whatever order there is
 * within blocks is not that of the whole. */
static void merge_blocks(Sweep *sweep)
{
    sweep->run_rows = RUN_ROWS;
    sweep->turn_count = 0;
    for (size_t i = 0; i < sweep->slot_count; i++) {
        struct Slot *slot = &sweep->slots[i];
        uint32_t runs = (slot->end - slot->begin + RUN_ROWS - 1) / RUN_ROWS;

        for (uint32_t run = 0; run < runs; run++)
            sweep->turns[sweep->turn_count++] = (uint32_t)i;
        slot->next = slot->begin + (runs ? clv_random_below(&sweep->random, runs) * RUN_ROWS : 0);
    }
    shuffle_turns(sweep);
    for (size_t i = 0; i < sweep->turn_count; i++) {
        struct Slot *slot = &sweep->slots[sweep->turns[i]];

        sweep->turns[i] = slot->next;
        slot->next = slot->end - slot->next > RUN_ROWS ? slot->next + RUN_ROWS : slot->begin;
    }
}

/* The rows of the next blocks, shuffled. */
static Status gather_group(Sweep *sweep, cleave_error *error)
{
    Context *context = sweep->dataset->context;
    uint32_t end = sweep->group_end[sweep->group++];
    bool alone = sweep->tour.next == 0 && end == sweep->block_count;

    sweep->row_count = sweep->slot_count = sweep->turn_count = sweep->turn_next = 0;
    clv_tour_release(&sweep->tour);
    while (sweep->tour.next < end) {
        uint32_t number = sweep->dealt[sweep->tour.next];
        Block *block = &sweep->views[number];
        struct Slot slot = {.begin = (uint32_t)sweep->row_count};
        bool more;

        TRY(clv_tour_next(&sweep->tour, block, &more, error));
        TRY(GROW(context, sweep->rows, sweep->row_capacity, sweep->row_count + block->rows, error));
        for (uint32_t row = 0; row < block->rows; row++)
            if (takes(sweep, block->first_row + row))
                sweep->rows[sweep->row_count++] = (struct RowAt){.block = number, .row = row};
        slot.end = (uint32_t)sweep->row_count;
        TRY(GROW(context, sweep->slots, sweep->slot_capacity, sweep->slot_count + 1, error));
        sweep->slots[sweep->slot_count++] = slot;
    }
    TRY(GROW(context, sweep->turns, sweep->turn_capacity, sweep->row_count, error));
    if (alone)
        shuffle_rows(sweep);
    else
        merge_blocks(sweep);
    return OK;
}

/* Rows of the run whose turn it is. */
static uint32_t run_length(const Sweep *sweep, size_t turn)
{
    uint32_t first = sweep->turns[turn], rows = 1;

    while (rows < sweep->run_rows && first + rows < sweep->row_count &&
           sweep->rows[first + rows].block == sweep->rows[first].block)
        rows++;
    return rows;
}

/* The beginning of it: what comes after, the machine finds by itself. */
static void fetch(const void *from, size_t bytes)
{
    enum { LINE = 64, MOST = 16 * LINE };

    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        __builtin_prefetch((const char *)from + at);
}

/* Rows in random order are not in the cache: asks for one a few steps before it is needed, and for where that row
 * lies a few steps earlier still. */
static void prefetch(const Sweep *sweep)
{
    enum { NEAR = 6, FAR = 14 };
    struct RowAt at;
    const Block *block;
    uint32_t start, count;

    if (sweep->turn_next + FAR >= sweep->turn_count)
        return;
    at = sweep->rows[sweep->turns[sweep->turn_next + FAR]];
    block = &sweep->views[at.block];
    if (block->form == ROWS_DENSE)
        return;
    __builtin_prefetch(&block->end[at.row]);
    at = sweep->rows[sweep->turns[sweep->turn_next + NEAR]];
    block = &sweep->views[at.block];
    if (block->form != ROWS_GAPS)
        return;
    start = block_start(block, at.row);
    count = (block->end[at.row] - start) * sweep->run_rows; /* as if all were like the first */
    fetch(block->gap + start, count * sizeof *block->gap);
    if (block->value_form == VALUES_EACH)
        fetch(block->value + start, count * sizeof *block->value);
}

/* Rows that follow each other at once: what the split leaves out may stand between. */
static Status copy_run(Sweep *sweep, size_t turn, Copies *copies, cleave_error *error)
{
    const struct RowAt *at = sweep->rows + sweep->turns[turn];
    uint32_t left = run_length(sweep, turn), rows;

    for (; left > 0; left -= rows, at += rows) {
        for (rows = 1; rows < left && at[rows].row == at->row + rows;)
            rows++;
        TRY(clv_copies_add(copies, &sweep->views[at->block], at->row, rows, error));
    }
    return OK;
}

/* The next rows in their turns. */
static Status copy_turns(void *user, Copies *copies, const Block **block, cleave_error *error)
{
    Sweep *sweep = user;

    clv_copies_clear(copies);
    while (copies->builder.rows < BLOCK_ROWS) {
        if (sweep->turn_next == sweep->turn_count) {
            if (sweep->tour.next == sweep->block_count) {
                clv_tour_release(&sweep->tour);
                break;
            }
            TRY(gather_group(sweep, error));
            continue;
        }
        prefetch(sweep);
        TRY(copy_run(sweep, sweep->turn_next++, copies, error));
    }
    return clv_copies_finish(copies, block, error);
}

static Status next_shuffled(Sweep *sweep, const Block **block, cleave_error *error)
{
    return sweep->ahead ? clv_ahead_next(sweep->ahead, block, error) : copy_turns(sweep, &sweep->copies, block, error);
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
    return clv_copies_add(&sweep->copies, block, at.row, 1, error);
}

static Status next_drawn(Sweep *sweep, const Block **block, cleave_error *error)
{
    clv_copies_clear(&sweep->copies);
    while (sweep->copies.builder.rows < BLOCK_ROWS && sweep->draws > 0) {
        uint64_t rows = sweep->end_row - sweep->first_row;
        uint64_t row = sweep->first_row + (uint64_t)(clv_random_unit(&sweep->random) * (double)rows);

        sweep->draws--;
        if (takes(sweep, row))
            TRY(copy_row(sweep, find_row(sweep->dataset, row), error));
    }
    return clv_copies_finish(&sweep->copies, block, error);
}

/* Data of one group is small, and of several sweeps beside each other each has a thread already. */
static bool pays_ahead(const Sweep *sweep)
{
    return !visits_whole(sweep) && sweep->beside < 2 && sweep->dataset->context->config.threads > 1 &&
           sweep->group_end[0] < sweep->block_count;
}

Status clv_sweep_begin(Sweep *sweep, uint32_t round, cleave_error *error)
{
    const uint32_t *order = sweep->blocks;
    size_t held = 0;

    (void)error;
    sweep->sliced = NULL;
    clv_ahead_end(sweep->ahead); /* first: what follows was its own */
    sweep->ahead = NULL;
    sweep->turn_count = sweep->turn_next = 0;
    sweep->draws = sweep->end_row - sweep->first_row;
    sweep->random = clv_random(sweep->seed, ORDER_STREAM + (sweep->order == ORDER_ONCE ? 0 : round));
    clv_tour_end(&sweep->tour);
    if (sweep->order == ORDER_DRAWS)
        return OK;
    sweep->block_count = 0;
    for (uint32_t i = 0; i < sweep->dataset->blocks; i++)
        if (!is_outside(sweep, i))
            sweep->blocks[sweep->block_count++] = i;
    if (sweep->order == ORDER_BLOCKS) {
        clv_shuffle(&sweep->random, sweep->blocks, sweep->block_count);
    } else if (sweep->order != ORDER_FILE) {
        held = deal_blocks(sweep);
        order = sweep->dealt;
    }
    clv_tour_begin(&sweep->tour, sweep->dataset,
                   (TourPlan){.order = order, .places = sweep->block_count, .held = held, .beside = sweep->beside});
    if (pays_ahead(sweep))
        sweep->ahead = clv_ahead_begin(sweep->dataset->context, copy_turns, sweep);
    return OK;
}

static Status next_block(Sweep *sweep, const Block **block, cleave_error *error)
{
    if (visits_whole(sweep))
        return next_whole(sweep, block, error);
    return sweep->order == ORDER_DRAWS ? next_drawn(sweep, block, error) : next_shuffled(sweep, block, error);
}

void clv_sweep_slice(Sweep *sweep, size_t outputs)
{
    const Dataset *dataset = sweep->dataset;
    double entries = dataset->rows ? (double)dataset->entries / (double)dataset->rows : 0;
    double rows = SLICE_UNITS / ((double)outputs * (entries + 1));

    sweep->slice_rows = outputs < 2 || rows > UINT32_MAX ? 0 : rows < 1 ? 1 : (uint32_t)rows;
}

/* The next rows of the block under way. */
static Status next_slice(Sweep *sweep, const Block **block, cleave_error *error)
{
    uint32_t left = sweep->sliced->rows - sweep->slice_next;
    uint32_t rows = left < sweep->slice_rows ? left : sweep->slice_rows;

    clv_copies_clear(&sweep->slice);
    TRY(clv_copies_add(&sweep->slice, sweep->sliced, sweep->slice_next, rows, error));
    TRY(clv_copies_finish(&sweep->slice, block, error));
    sweep->slice_next += rows;
    if (rows == left)
        sweep->sliced = NULL;
    return OK;
}

Status clv_sweep_next(Sweep *sweep, const Block **block, cleave_error *error)
{
    if (!sweep->sliced) {
        TRY(next_block(sweep, block, error));
        if (!*block || sweep->slice_rows == 0 || (*block)->rows <= sweep->slice_rows)
            return OK;
        sweep->sliced = *block;
        sweep->slice_next = 0;
    }
    return next_slice(sweep, block, error);
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
    static const char *const plain[] = {"",
                                        "as in the file",
                                        "shuffled once",
                                        "shuffled each round",
                                        "random draws",
                                        "blocks of the file shuffled each round"};
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
