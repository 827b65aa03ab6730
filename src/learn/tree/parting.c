/*
 * Rows are parted in chunks, each by itself: of a chunk the rows that go right are put aside. Then the chunks' lefts are moved together, and what is aside is put behind
 * them. Which bins go left is looked up in a table, and rows are written to both sides before it is known to which they go: there is nothing to guess.
 */
#include "learn/tree/parting.h"

#include "base/pool.h"

enum {
    AHEAD = 32,        /* rows on the way from memory */
    MANY_ENTRIES = 16, /* of a row: above, one is found by halving */
};

typedef struct {
    const Parting *parting;
    bool left[MOST_BINS]; /* bins that go there */
} Part;

static void mark_left(const BinColumn *column, const Split *split, bool left[MOST_BINS])
{
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

static uint32_t rows_of_chunk(const Parting *parting, uint32_t chunk)
{
    uint32_t rest = parting->count - chunk * PART_CHUNK;

    return rest < PART_CHUNK ? rest : PART_CHUNK;
}

static void part_chunk(void *user, uint32_t task, unsigned worker)
{
    const Part *part = user;
    const Parting *parting = part->parting;
    const Bins *bins = parting->bins;
    uint32_t column = parting->split->column, from = task * PART_CHUNK, count = rows_of_chunk(parting, task);
    uint32_t *right = parting->spare + from, *rows = parting->rows + from, stride;

    (void)worker;
    if (bins->column[column].group != NO_GROUP) {
        const uint8_t *dense = bins_dense(bins, column, &stride);

        parting->lefts[task] = part_dense(dense, stride, part->left, rows, count, right);
    } else {
        parting->lefts[task] = part_listed(bins, column, part->left, rows, count, right);
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
        uint32_t rights = rows_of_chunk(parting, i) - parting->lefts[i];

        memcpy(rows + at, parting->spare + i * PART_CHUNK, rights * sizeof *rows);
        at += rights;
    }
    return all;
}

uint32_t clv_part_rows(const Parting *parting)
{
    Part part = {.parting = parting};
    uint32_t chunks = (parting->count + PART_CHUNK - 1) / PART_CHUNK;

    mark_left(&parting->bins->column[parting->split->column], parting->split, part.left);
    if (parting->context && chunks > 1)
        clv_pool_run(parting->context, chunks, part_chunk, &part);
    else
        for (uint32_t i = 0; i < chunks; i++)
            part_chunk(&part, i, 0);
    return join_chunks(parting, chunks);
}
