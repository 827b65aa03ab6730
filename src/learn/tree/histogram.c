#include "learn/tree/histogram.h"

#include "base/pool.h"

enum {
    STRIDE = MOST_BINS +
             8, /* padding of scratch sums, because powers of two cause cache conflicts */
    GROUP_CELLS = GROUP_COLUMNS * STRIDE,
    CHUNK = 65536,            /* number of rows whose packed sums cannot overflow: see targets.h */
    SMALL_CHUNK = 4096,       /* minimum size of a task */
    WORTH_A_THREAD = 1 << 17, /* minimum of rows times columns */
    AHEAD = 32,               /* prefetch distance in rows */
    LIST_CELLS = 1 << 16,     /* maximum number of list cells for packed sums: 512 KB per worker */
    /* minimum number of rows per cell, because the cells are cleared first */
    LIST_ROWS = 4,
};

/* ---- memory ---------------------------------------------------------------------------------- */

Status clv_histogram_maker_init(HistogramMaker *maker, const Bins *bins, const Targets *targets,
                                bool alone, cleave_error *error)
{
    *maker = (HistogramMaker){
        .context = bins->context, .bins = bins, .targets = targets, .workers = 1};
    if (!alone)
        maker->workers = clv_pool_workers(bins->context, UINT32_MAX);
    if (targets->label)
        return OK;
    for (uint32_t i = 0; i < bins->members; i++)
        maker->list_first += bins->column[bins->member[i]]
                                 .bins; /* cells of lists come after the bins of dense columns */
    maker->list_cells = bins->cells - maker->list_first;
    maker->scratch_cells = GROUP_CELLS;
    if (maker->list_cells >= GROUP_CELLS && maker->list_cells <= LIST_CELLS)
        maker->scratch_cells = maker->list_cells + 1; /* one more cell: see add_entries */
    return ALLOC(maker->context, maker->scratch, maker->workers * maker->scratch_cells, "sums",
                 error);
}

void clv_histogram_maker_free(HistogramMaker *maker)
{
    if (maker->context)
        clv_free(maker->context, maker->scratch);
    maker->scratch = NULL;
}

static size_t numbers_of(const HistogramMaker *maker)
{
    return maker->bins->cells * (maker->targets->label ? maker->targets->classes : 1);
}

size_t clv_histogram_bytes(const HistogramMaker *maker)
{
    return numbers_of(maker) * (maker->targets->label ? sizeof(uint32_t) : sizeof(PairSum));
}

Status clv_histogram_new(const HistogramMaker *maker, Histogram *histogram, cleave_error *error)
{
    *histogram = (Histogram){0};
    if (maker->targets->label)
        histogram->count = clv_alloc(maker->context, numbers_of(maker), sizeof *histogram->count);
    else
        histogram->pair = clv_alloc(maker->context, numbers_of(maker), sizeof *histogram->pair);
    return histogram->count || histogram->pair
               ? OK
               : clv_fail_memory(error, "a histogram", clv_histogram_bytes(maker));
}

void clv_histogram_free(const HistogramMaker *maker, Histogram *histogram)
{
    FREE(maker->context, histogram->count, histogram->pair);
    *histogram = (Histogram){0};
}

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct {
    HistogramMaker *maker;
    Histogram *histogram;
    const uint32_t *rows;
    uint32_t count;
    uint32_t chunk, chunks; /* rows per chunk, and number of chunks */
    bool shared;            /* whether several workers add to one group */
    bool packed_lists;      /* whether lists are summed like a group, in chunks of rows */
    PairSum all;            /* sum over all rows, if there are list columns */
} Summing;

static inline uint64_t eight_bytes(const uint8_t *from)
{
    uint64_t bytes;

    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

/* Eight columns at a time, with their bytes in a little-endian register. `words` and the presence
 * of a tail are compile-time constants. tail: number of further columns. */
static inline __attribute__((always_inline)) void add_pairs(
    const uint8_t *restrict group, const int64_t *restrict packed, const uint32_t *restrict rows,
    uint32_t count, const uint32_t words, const bool more, uint32_t tail, int64_t *restrict sums)
{
    const size_t stride = 8 * (size_t)(words + more);
    int64_t *last = sums + (size_t)words * 8 * STRIDE;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bins = group + rows[i] * stride;
        int64_t both = packed[rows[i]];

        if (i + AHEAD < count) {
            const uint8_t *later = group + rows[i + AHEAD] * stride;

            __builtin_prefetch(packed + rows[i + AHEAD]);
            __builtin_prefetch(later);
            if (words + more > 1)
                __builtin_prefetch(later + stride - 1);
        }
        for (uint32_t word = 0; word < words; word++) {
            uint64_t eight = eight_bytes(bins + 8 * (size_t)word);
            int64_t *here = sums + (size_t)word * 8 * STRIDE;

#pragma GCC unroll 8
            for (unsigned j = 0; j < 8; j++)
                here[j * STRIDE + ((eight >> (8 * j)) & 255)] += both;
        }
        if (more) {
            uint64_t eight = eight_bytes(bins + 8 * (size_t)words);

#define ADD(j) last[(j)*STRIDE + ((eight >> (8 * (j))) & 255)] += both
            switch (tail) { /* the same for all rows, so the branch is predicted well */
            case 7:
                ADD(6);
                /* fall through */
            case 6:
                ADD(5);
                /* fall through */
            case 5:
                ADD(4);
                /* fall through */
            case 4:
                ADD(3);
                /* fall through */
            case 3:
                ADD(2);
                /* fall through */
            case 2:
                ADD(1);
                /* fall through */
            default:
                ADD(0);
            }
#undef ADD
        }
    }
}

static void add_pairs_of(const uint8_t *group, const int64_t *packed, const uint32_t *rows,
                         uint32_t count, uint32_t columns, int64_t *sums)
{
    uint32_t tail = columns % 8;

#define CASE(n, more)                                                                              \
    case 2 * (n) + (more):                                                                         \
        add_pairs(group, packed, rows, count, n, more, tail, sums);                                \
        break;
    switch (2 * (columns / 8) + (tail != 0)) {
        CASE(0, 1)
        CASE(1, 0)
        CASE(1, 1)
        CASE(2, 0)
        CASE(2, 1)
        CASE(3, 0)
        CASE(3, 1)
        CASE(4, 0)
        CASE(4, 1)
        CASE(5, 0)
        CASE(5, 1)
        CASE(6, 0)
        CASE(6, 1)
        CASE(7, 0)
        CASE(7, 1)
        CASE(8, 0)
    default:
        break;
    }
#undef CASE
}

static void add_pairs_plainly(const uint8_t *group, const int64_t *packed, const uint32_t *rows,
                              uint32_t count, uint32_t columns, int64_t *sums)
{
    uint32_t stride = (columns + 7) / 8 * 8;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < columns; j++)
            sums[j * STRIDE + group[(size_t)rows[i] * stride + j]] += packed[rows[i]];
}

/* first: position of bin 0 of each column. */
static void add_counts(const uint8_t *restrict group, uint32_t stride, const Targets *targets,
                       const uint32_t *restrict rows, uint32_t count, uint32_t columns,
                       const size_t *restrict first, uint32_t *restrict sums)
{
    uint32_t classes = targets->classes;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bins = group + (size_t)rows[i] * stride;
        uint32_t weight = targets->weight ? targets->weight[rows[i]] : 1;
        uint32_t *mine = sums + targets->label[rows[i]];

        if (i + AHEAD < count)
            __builtin_prefetch(group + (size_t)rows[i + AHEAD] * stride);
        for (uint32_t j = 0; j < columns; j++)
            mine[first[j] + (size_t)bins[j] * classes] += weight;
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void add_column(PairSum *pair, const int64_t *packed, size_t bins, bool shared)
{
    for (size_t i = 0; i < bins; i++) {
        int64_t gradient = packed[i] >> 32, hessian = (int64_t)(uint32_t)packed[i];

        /* other workers add to the cell too; the order of integer additions does not matter */
        if (shared && packed[i] != 0) {
            __atomic_fetch_add(&pair[i].gradient, gradient, __ATOMIC_RELAXED);
            __atomic_fetch_add(&pair[i].hessian, hessian, __ATOMIC_RELAXED);
        } else if (!shared) {
            pair[i].gradient += gradient;
            pair[i].hessian += hessian;
        }
    }
}

static void sum_pairs(const Summing *summing, const BinGroup *group, uint32_t first, uint32_t count,
                      unsigned worker)
{
    const HistogramMaker *maker = summing->maker;
    const Bins *bins = maker->bins;
    int64_t *sums = maker->scratch + worker * maker->scratch_cells;

    for (uint32_t i = 0; i < group->columns; i++)
        memset(sums + (size_t)i * STRIDE, 0,
               bins->column[bins->member[group->first + i]].bins * sizeof *sums);
    (maker->plain ? add_pairs_plainly : add_pairs_of)(bins->dense + group->start,
                                                      maker->targets->packed, summing->rows + first,
                                                      count, group->columns, sums);
    for (uint32_t i = 0; i < group->columns; i++) {
        const BinColumn *column = &bins->column[bins->member[group->first + i]];

        add_column(summing->histogram->pair + column->first, sums + (size_t)i * STRIDE,
                   column->bins, summing->shared);
    }
}

/* Adds to the histogram directly, for gradients too large for packed sums. */
static void sum_fine(const Summing *summing, const BinGroup *group)
{
    const Bins *bins = summing->maker->bins;
    const int64_t *packed = summing->maker->targets->packed;
    PairSum *first[GROUP_COLUMNS];

    for (uint32_t i = 0; i < group->columns; i++)
        first[i] = summing->histogram->pair + bins->column[bins->member[group->first + i]].first;
    for (uint32_t i = 0; i < summing->count; i++) {
        uint32_t row = summing->rows[i];
        const uint8_t *cells = bins->dense + group->start + (size_t)row * group->stride;
        int64_t gradient = packed[row] >> 32, hessian = (int64_t)(uint32_t)packed[row];

        for (uint32_t j = 0; j < group->columns; j++) {
            first[j][cells[j]].gradient += gradient;
            first[j][cells[j]].hessian += hessian;
        }
    }
}

static void sum_counts(const Summing *summing, const BinGroup *group)
{
    const HistogramMaker *maker = summing->maker;
    const Bins *bins = maker->bins;
    size_t first[GROUP_COLUMNS];

    for (uint32_t i = 0; i < group->columns; i++)
        first[i] = bins->column[bins->member[group->first + i]].first * maker->targets->classes;
    add_counts(bins->dense + group->start, group->stride, maker->targets, summing->rows,
               summing->count, group->columns, first, summing->histogram->count);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Prefetches data of later rows: first the ends of their entries, then the entries. */
static inline void fetch_entries(const Bins *bins, const int64_t *packed, const uint32_t *rows,
                                 uint32_t left)
{
    if (left > 2 * AHEAD) {
        __builtin_prefetch(packed + rows[2 * AHEAD]);
        __builtin_prefetch(bins->entry_end + rows[2 * AHEAD]);
    }
    if (left > AHEAD)
        __builtin_prefetch(bins->entry + bins_entries(bins, rows[AHEAD]));
}

/* Adds packed sums, as for dense columns. Two entries at a time reduce branches; without a second
 * entry, an unused cell is changed. */
static int64_t add_entries(const Bins *bins, const int64_t *restrict packed,
                           const uint32_t *restrict rows, uint32_t count, size_t first,
                           size_t unused, int64_t *restrict sums)
{
    int64_t all = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        int64_t both = packed[row];
        uint64_t at = bins_entries(bins, row), end = bins->entry_end[row];

        fetch_entries(bins, packed, rows + i, count - i);
        all += both;
        for (; at < end; at += 2) {
            bool two = at + 1 < end;
            size_t other = bins->entry[at + two] - first;

            sums[bins->entry[at] - first] += both;
            sums[two ? other : unused] += both;
        }
    }
    return all;
}

/* all: the sum over all rows. */
static void sum_packed_lists(Summing *summing, uint32_t first, uint32_t count, unsigned worker)
{
    const HistogramMaker *maker = summing->maker;
    int64_t *sums = maker->scratch + worker * maker->scratch_cells, all;

    memset(sums, 0, maker->list_cells * sizeof *sums);
    all = add_entries(maker->bins, maker->targets->packed, summing->rows + first, count,
                      maker->list_first, maker->list_cells, sums);
    add_column(summing->histogram->pair + maker->list_first, sums, maker->list_cells,
               summing->shared);
    add_column(&summing->all, &all, 1, summing->shared);
}

/* Adds to the histogram directly, for many cells or gradients too large for packed sums. */
static void sum_pair_lists(Summing *summing)
{
    const Bins *bins = summing->maker->bins;
    const int64_t *packed = summing->maker->targets->packed;
    PairSum *pair = summing->histogram->pair;

    for (uint32_t i = 0; i < summing->count; i++) {
        uint32_t row = summing->rows[i];
        int64_t gradient = packed[row] >> 32, hessian = (int64_t)(uint32_t)packed[row];

        fetch_entries(bins, packed, summing->rows + i, summing->count - i);
        summing->all.gradient += gradient;
        summing->all.hessian += hessian;
        for (uint64_t at = bins_entries(bins, row); at < bins->entry_end[row]; at++) {
            pair[bins->entry[at]].gradient += gradient;
            pair[bins->entry[at]].hessian += hessian;
        }
    }
}

/* Sets the default bins, which are in no list, to the total minus the other bins. */
static void complete_pairs(const Summing *summing)
{
    const Bins *bins = summing->maker->bins;

    for (uint32_t i = 0; i < bins->columns; i++) {
        const BinColumn *column = &bins->column[i];
        PairSum *pair = summing->histogram->pair + column->first, rest = summing->all;

        if (column->group != NO_GROUP)
            continue;
        for (uint32_t bin = 0; bin < column->bins; bin++) {
            rest.gradient -= pair[bin].gradient;
            rest.hessian -= pair[bin].hessian;
        }
        pair[column->default_bin] = rest;
    }
}

static void complete_counts(const Summing *summing)
{
    const Bins *bins = summing->maker->bins;
    const Targets *targets = summing->maker->targets;
    uint32_t classes = targets->classes, *count = summing->histogram->count;

    for (uint32_t i = 0; i < bins->columns; i++) {
        const BinColumn *column = &bins->column[i];
        uint32_t *mine = count + column->first * classes,
                 *rest_count = mine + (size_t)column->default_bin * classes;

        if (column->group != NO_GROUP)
            continue;
        for (uint32_t bin = 0; bin < column->bins; bin++)
            for (uint32_t c = 0; c < classes && bin != column->default_bin; c++)
                rest_count[c] -= mine[bin * classes + c];
    }
}

/* Counts the entries of lists. Every default bin starts with all rows; complete_counts subtracts
 * the others. */
static void sum_count_lists(const Summing *summing)
{
    const Bins *bins = summing->maker->bins;
    const Targets *targets = summing->maker->targets;
    uint32_t classes = targets->classes, *count = summing->histogram->count, *all = NULL;

    for (uint32_t i = 0; i < bins->columns && !all; i++)
        if (bins->column[i].group == NO_GROUP)
            all = count + (bins->column[i].first + bins->column[i].default_bin) * classes;
    for (uint32_t i = 0; i < summing->count; i++) {
        uint32_t row = summing->rows[i], label = targets->label[row],
                 weight = targets->weight ? targets->weight[row] : 1;

        all[label] += weight;
        for (uint64_t at = bins_entries(bins, row); at < bins->entry_end[row]; at++)
            count[(size_t)bins->entry[at] * classes + label] += weight;
    }
    for (uint32_t i = 0; i < bins->columns; i++) {
        uint32_t *rest_count = count +
                               (bins->column[i].first + bins->column[i].default_bin) * classes;

        if (bins->column[i].group == NO_GROUP && rest_count != all)
            memcpy(rest_count, all, classes * sizeof *all);
    }
    complete_counts(summing);
}

/* ---- a histogram ----------------------------------------------------------------------------- */

/* A task: a group with a chunk of rows; after all groups, the lists. */
static void work(void *user, uint32_t task, unsigned worker)
{
    Summing *summing = user;
    const Bins *bins = summing->maker->bins;
    uint32_t group = task / summing->chunks, first = task % summing->chunks * summing->chunk;
    uint32_t left = summing->count - first, count = left < summing->chunk ? left : summing->chunk;

    if (group < bins->groups && summing->maker->targets->label)
        sum_counts(summing, &bins->group[group]);
    else if (group < bins->groups && summing->maker->targets->fine)
        sum_fine(summing, &bins->group[group]);
    else if (group < bins->groups)
        sum_pairs(summing, &bins->group[group], first, count, worker);
    else if (summing->maker->targets->label)
        sum_count_lists(summing);
    else if (summing->packed_lists)
        sum_packed_lists(summing, first, count, worker);
    else
        sum_pair_lists(summing);
}

/* Chooses as few chunks of rows as possible; with threads, several per thread. */
static void choose_chunks(Summing *summing, bool threads)
{
    uint32_t share = summing->count / (4 * summing->maker->workers);
    const Targets *targets = summing->maker->targets;

    summing->chunk = CHUNK;
    if (threads && share < CHUNK)
        summing->chunk = share > SMALL_CHUNK ? share : SMALL_CHUNK;
    summing->chunks = targets->label || targets->fine
                          ? 1
                          : (summing->count + summing->chunk - 1) / summing->chunk;
    if (summing->chunks == 0)
        summing->chunks = 1;
    summing->shared = threads && summing->chunks > 1;
    summing->packed_lists = !targets->label && !targets->fine && !summing->maker->plain &&
                            summing->maker->list_cells < summing->maker->scratch_cells &&
                            summing->maker->list_cells <= (uint64_t)LIST_ROWS * summing->count;
}

void clv_histogram_sum(HistogramMaker *maker, const uint32_t *rows, uint32_t count,
                       Histogram *histogram)
{
    const Bins *bins = maker->bins;
    Summing summing = {.maker = maker, .histogram = histogram, .rows = rows, .count = count};
    bool threads = maker->workers > 1 && (uint64_t)count * (bins->members + 1) >= WORTH_A_THREAD;
    uint32_t tasks;

    memset(histogram->count ? (void *)histogram->count : (void *)histogram->pair, 0,
           clv_histogram_bytes(maker));
    choose_chunks(&summing, threads);
    tasks = bins->groups * summing.chunks;
    if (bins->lists > 0)
        tasks += summing.packed_lists ? summing.chunks : 1;
    clv_pool_run_if(threads, maker->context, tasks, work, &summing);
    if (bins->lists > 0 && histogram->pair)
        complete_pairs(&summing);
}

void clv_histogram_subtract(const HistogramMaker *maker, Histogram *parent, const Histogram *child)
{
    size_t numbers = numbers_of(maker);

    for (size_t i = 0; parent->count && i < numbers; i++)
        parent->count[i] -= child->count[i];
    for (size_t i = 0; parent->pair && i < numbers; i++) {
        parent->pair[i].gradient -= child->pair[i].gradient;
        parent->pair[i].hessian -= child->pair[i].hessian;
    }
}
