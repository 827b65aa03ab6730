/*
 * Partitions rows in chunks. The right rows of a chunk are copied elsewhere. Then the left rows of
 * all chunks are moved together, followed by the right rows. A table lists the bins that go left,
 * and each row is written to both sides, so that no branch depends on the data.
 */
#include "learn/tree/partition.h"

#include "base/pool.h"

enum {
    AHEAD = 32,        /* prefetch distance in rows */
    MANY_ENTRIES = 16, /* entries per row: with more, bisection is used */
};

typedef struct {
    const Partition *partition;
    bool left[MOST_BINS]; /* bins of the left child */
} Part;

static void mark_left(const BinColumn *column, const Split *split, bool left[MOST_BINS])
{
    for (uint32_t bin = 0; bin < MOST_BINS; bin++)
        left[bin] = column->category         ? in_set(split->set, bin)
                    : bin == column->missing ? split->missing_left
                                             : bin <= split->bin;
}

/* Moves left rows to the front and copies right rows elsewhere, both in order. Returns the number
 * of left rows. */
static uint32_t part_dense(const uint8_t *restrict dense, uint32_t stride,
                           const bool *restrict left, uint32_t *rows, uint32_t count,
                           uint32_t *restrict right)
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

/* The bin of a row: searches its entries, two at a time without branches, for the column. */
static inline uint32_t listed_bin(const Bins *bins, const BinColumn *column, uint32_t row)
{
    uint64_t at = bins_entries(bins, row), end = bins->entry_end[row];
    uint32_t first = (uint32_t)column->first, there = column->bins, found = column->default_bin;

    for (; at < end; at += 2) {
        uint32_t one = bins->entry[at] - first,
                 other = bins->entry[at + 1 < end ? at + 1 : at] - first;

        found = one < there ? one : found;
        found = other < there ? other : found;
    }
    return found;
}

/* Partitions rows of few entries: these are scanned, and those of later rows are prefetched. */
static uint32_t part_listed(const Bins *bins, uint32_t number, const bool *restrict left,
                            uint32_t *rows, uint32_t count, uint32_t *restrict right)
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

static uint32_t rows_of_chunk(const Partition *partition, uint32_t chunk)
{
    uint32_t rest = partition->count - chunk * PART_CHUNK;

    return rest < PART_CHUNK ? rest : PART_CHUNK;
}

static void part_chunk(void *user, uint32_t task, unsigned worker)
{
    const Part *part = user;
    const Partition *partition = part->partition;
    const Bins *bins = partition->bins;
    uint32_t column = partition->split->column, from = task * PART_CHUNK,
             count = rows_of_chunk(partition, task);
    uint32_t *right = partition->spare + from, *rows = partition->rows + from, stride;

    (void)worker;
    if (bins->column[column].group != NO_GROUP) {
        const uint8_t *dense = bins_dense(bins, column, &stride);

        partition->lefts[task] = part_dense(dense, stride, part->left, rows, count, right);
    } else {
        partition->lefts[task] = part_listed(bins, column, part->left, rows, count, right);
    }
}

/* Moves the left parts of the chunks together, then the right parts, both in order. */
static uint32_t join_chunks(const Partition *partition, uint32_t chunks)
{
    uint32_t *rows = partition->rows, at = 0, all;

    for (uint32_t i = 0; i < chunks; i++) {
        memmove(rows + at, rows + i * PART_CHUNK, partition->lefts[i] * sizeof *rows);
        at += partition->lefts[i];
    }
    all = at;
    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t rights = rows_of_chunk(partition, i) - partition->lefts[i];

        memcpy(rows + at, partition->spare + i * PART_CHUNK, rights * sizeof *rows);
        at += rights;
    }
    return all;
}

uint32_t clv_partition_rows(const Partition *partition)
{
    Part part = {.partition = partition};
    uint32_t chunks = (partition->count + PART_CHUNK - 1) / PART_CHUNK;

    mark_left(&partition->bins->column[partition->split->column], partition->split, part.left);
    clv_pool_run_if(partition->context && chunks > 1, partition->context, chunks, part_chunk,
                    &part);
    return join_chunks(partition, chunks);
}
