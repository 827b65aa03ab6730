#include "learn/tree/histogram.h"

#include "base/pool.h"

enum {
    GROUP_CELLS = GROUP_COLUMNS * MOST_BINS,
    CHUNK = 65536,            /* rows whose packed sums cannot overflow: see targets.h */
    WORTH_A_THREAD = 1 << 15, /* rows times groups */
    AHEAD = 16,               /* rows on the way from memory */
};

/* ---- memory ------------------------------------------------------------------------------------------------------- */

Status clv_histogram_maker_init(HistogramMaker *maker, const Bins *bins, const Targets *targets, bool alone,
                                cleave_error *error)
{
    *maker = (HistogramMaker){.context = bins->context, .bins = bins, .targets = targets, .workers = 1};
    if (!alone)
        maker->workers = clv_pool_workers(bins->context, UINT32_MAX);
    if (targets->label)
        return OK;
    maker->scratch = clv_alloc(maker->context, (size_t)maker->workers * GROUP_CELLS, sizeof *maker->scratch);
    return maker->scratch ? OK : clv_fail_memory(error, "sums", maker->workers * GROUP_CELLS * sizeof(int64_t));
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
    return histogram->count || histogram->pair ? OK : clv_fail_memory(error, "a histogram", clv_histogram_bytes(maker));
}

void clv_histogram_free(const HistogramMaker *maker, Histogram *histogram)
{
    clv_free(maker->context, histogram->count);
    clv_free(maker->context, histogram->pair);
    *histogram = (Histogram){0};
}

/* ---- the loops ---------------------------------------------------------------------------------------------------- */

typedef struct {
    HistogramMaker *maker;
    Histogram *histogram;
    const uint32_t *rows;
    uint32_t count;
    uint32_t chunks;
    bool shared; /* several workers add to one group */
} Summing;

static inline uint64_t eight_bytes(const uint8_t *from)
{
    uint64_t bytes;

    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

/* columns is a constant wherever this is inlined, so that bytes are taken from registers and places are numbers in the code. Bytes of a
 * register are in the order of little-endian machines; bundles and datasets are of no other. */
static inline __attribute__((always_inline)) void add_pairs(const uint8_t *restrict group,
                                                            const int64_t *restrict packed,
                                                            const uint32_t *restrict rows, uint32_t count,
                                                            const unsigned columns, int64_t *restrict sums)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bins = group + (size_t)rows[i] * GROUP_COLUMNS;
        uint64_t low = eight_bytes(bins), high = columns > 8 ? eight_bytes(bins + 8) : 0;
        int64_t both = packed[rows[i]];

        if (i + AHEAD < count)
            __builtin_prefetch(group + (size_t)rows[i + AHEAD] * GROUP_COLUMNS);
#pragma GCC unroll 16
        for (unsigned j = 0; j < columns; j++)
            sums[j * MOST_BINS + (((j < 8 ? low : high) >> (8 * (j % 8))) & 255)] += both;
    }
}

static void add_pairs_plainly(const uint8_t *group, const int64_t *packed, const uint32_t *rows, uint32_t count,
                              unsigned columns, int64_t *sums)
{
    for (uint32_t i = 0; i < count; i++)
        for (unsigned j = 0; j < columns; j++)
            sums[j * MOST_BINS + group[(size_t)rows[i] * GROUP_COLUMNS + j]] += packed[rows[i]];
}

static inline __attribute__((always_inline)) void add_counts(const uint8_t *restrict group, const Targets *targets,
                                                             const uint32_t *restrict rows, uint32_t count,
                                                             const unsigned columns, const bool weighs,
                                                             uint32_t *restrict sums)
{
    uint32_t classes = targets->classes;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bins = group + (size_t)rows[i] * GROUP_COLUMNS;
        uint64_t low = eight_bytes(bins), high = columns > 8 ? eight_bytes(bins + 8) : 0;
        uint32_t weight = weighs ? targets->weight[rows[i]] : 1;
        uint32_t *mine = sums + targets->label[rows[i]];

        if (i + AHEAD < count)
            __builtin_prefetch(group + (size_t)rows[i + AHEAD] * GROUP_COLUMNS);
#pragma GCC unroll 16
        for (unsigned j = 0; j < columns; j++)
            mine[(j * MOST_BINS + (((j < 8 ? low : high) >> (8 * (j % 8))) & 255)) * (size_t)classes] += weight;
    }
}

static void add_counts_plainly(const uint8_t *group, const Targets *targets, const uint32_t *rows, uint32_t count,
                               unsigned columns, uint32_t *sums)
{
    for (uint32_t i = 0; i < count; i++)
        for (unsigned j = 0; j < columns; j++) {
            size_t cell = j * MOST_BINS + group[(size_t)rows[i] * GROUP_COLUMNS + j];

            sums[cell * targets->classes + targets->label[rows[i]]] += targets->weight ? targets->weight[rows[i]] : 1;
        }
}

#define EACH_WIDTH(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

static void add_pairs_of(const uint8_t *group, const int64_t *packed, const uint32_t *rows, uint32_t count,
                         unsigned columns, int64_t *sums)
{
#define CASE(n)                                                                                                        \
    case n:                                                                                                            \
        add_pairs(group, packed, rows, count, n, sums);                                                                \
        break;
    switch (columns) {
        EACH_WIDTH(CASE)
    default:
        break;
    }
#undef CASE
}

static void add_counts_of(const uint8_t *group, const Targets *targets, const uint32_t *rows, uint32_t count,
                          unsigned columns, uint32_t *sums)
{
    if (columns == GROUP_COLUMNS && !targets->weight)
        add_counts(group, targets, rows, count, GROUP_COLUMNS, false, sums);
    else if (columns == GROUP_COLUMNS)
        add_counts(group, targets, rows, count, GROUP_COLUMNS, true, sums);
    else
        add_counts_plainly(group, targets, rows, count, columns, sums);
}

/* ---- groups ------------------------------------------------------------------------------------------------------- */

static unsigned columns_of(const Bins *bins, uint32_t group)
{
    uint32_t left = bins->dense_columns - group * GROUP_COLUMNS;

    return left < GROUP_COLUMNS ? left : GROUP_COLUMNS;
}

static void add_packed(PairSum *pair, const int64_t *packed, unsigned columns, bool shared)
{
    for (size_t i = 0; i < (size_t)columns * MOST_BINS; i++) {
        int64_t gradient = packed[i] >> 32, hessian = (int64_t)(uint32_t)packed[i];

        if (packed[i] == 0)
            continue;
        if (shared) { /* by others, too; whole numbers do not mind the order */
            __atomic_fetch_add(&pair[i].gradient, gradient, __ATOMIC_RELAXED);
            __atomic_fetch_add(&pair[i].hessian, hessian, __ATOMIC_RELAXED);
        } else {
            pair[i].gradient += gradient;
            pair[i].hessian += hessian;
        }
    }
}

static void sum_pairs(const Summing *summing, uint32_t group, uint32_t first, uint32_t count, unsigned worker)
{
    const HistogramMaker *maker = summing->maker;
    const Bins *bins = maker->bins;
    const uint8_t *dense = bins->dense + (size_t)group * bins->rows * GROUP_COLUMNS;
    int64_t *sums = maker->scratch + (size_t)worker * GROUP_CELLS;
    unsigned columns = columns_of(bins, group);

    memset(sums, 0, (size_t)columns * MOST_BINS * sizeof *sums);
    (maker->plain ? add_pairs_plainly : add_pairs_of)(dense, maker->targets->packed, summing->rows + first, count,
                                                      columns, sums);
    add_packed(summing->histogram->pair + (size_t)group * GROUP_CELLS, sums, columns, summing->shared);
}

static void sum_counts(const Summing *summing, uint32_t group)
{
    const HistogramMaker *maker = summing->maker;
    const Bins *bins = maker->bins;
    const uint8_t *dense = bins->dense + (size_t)group * bins->rows * GROUP_COLUMNS;
    uint32_t *sums = summing->histogram->count + (size_t)group * GROUP_CELLS * maker->targets->classes;

    (maker->plain ? add_counts_plainly : add_counts_of)(dense, maker->targets, summing->rows, summing->count,
                                                        columns_of(bins, group), sums);
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

static void sum_pair_lists(const Summing *summing, PairSum *all)
{
    const Bins *bins = summing->maker->bins;
    const int64_t *packed = summing->maker->targets->packed;
    PairSum *pair = summing->histogram->pair;

    for (uint32_t i = 0; i < summing->count; i++) {
        uint32_t row = summing->rows[i];
        int64_t gradient = packed[row] >> 32, hessian = (int64_t)(uint32_t)packed[row];

        all->gradient += gradient;
        all->hessian += hessian;
        for (uint64_t at = row ? bins->entry_end[row - 1] : 0; at < bins->entry_end[row]; at++) {
            pair[bins->entry[at]].gradient += gradient;
            pair[bins->entry[at]].hessian += hessian;
        }
    }
}

static void complete_pairs(const Summing *summing)
{
    const Bins *bins = summing->maker->bins;
    PairSum all = {0};

    sum_pair_lists(summing, &all);
    for (uint32_t i = 0; i < bins->columns; i++) {
        const BinColumn *column = &bins->column[i];
        PairSum *pair = summing->histogram->pair + column->first, rest = all;

        if (column->group != NO_GROUP)
            continue;
        for (uint32_t bin = 0; bin < column->bins; bin++) {
            rest.gradient -= pair[bin].gradient;
            rest.hessian -= pair[bin].hessian;
        }
        pair[column->usual] = rest;
    }
}

static void complete_counts(const Summing *summing)
{
    const Bins *bins = summing->maker->bins;
    const Targets *targets = summing->maker->targets;
    uint32_t classes = targets->classes, *count = summing->histogram->count;

    for (uint32_t i = 0; i < bins->columns; i++) {
        const BinColumn *column = &bins->column[i];
        uint32_t *mine = count + column->first * classes, *usual = mine + (size_t)column->usual * classes;

        if (column->group != NO_GROUP)
            continue;
        for (uint32_t bin = 0; bin < column->bins; bin++)
            for (uint32_t c = 0; c < classes && bin != column->usual; c++)
                usual[c] -= mine[bin * classes + c];
    }
}

/* Every usual bin begins with all rows, from which complete_counts takes the others. */
static void sum_count_lists(const Summing *summing)
{
    const Bins *bins = summing->maker->bins;
    const Targets *targets = summing->maker->targets;
    uint32_t classes = targets->classes, *count = summing->histogram->count, *all = NULL;

    for (uint32_t i = 0; i < bins->columns && !all; i++)
        if (bins->column[i].group == NO_GROUP)
            all = count + (bins->column[i].first + bins->column[i].usual) * classes;
    for (uint32_t i = 0; i < summing->count; i++) {
        uint32_t row = summing->rows[i], label = targets->label[row],
                 weight = targets->weight ? targets->weight[row] : 1;

        all[label] += weight;
        for (uint64_t at = row ? bins->entry_end[row - 1] : 0; at < bins->entry_end[row]; at++)
            count[(size_t)bins->entry[at] * classes + label] += weight;
    }
    for (uint32_t i = 0; i < bins->columns; i++) {
        uint32_t *usual = count + (bins->column[i].first + bins->column[i].usual) * classes;

        if (bins->column[i].group == NO_GROUP && usual != all)
            memcpy(usual, all, classes * sizeof *all);
    }
    complete_counts(summing);
}

/* ---- a histogram -------------------------------------------------------------------------------------------------- */

/* Groups, their chunks of rows one after the other; and the lists at the end. */
static void work(void *user, uint32_t task, unsigned worker)
{
    const Summing *summing = user;
    const Bins *bins = summing->maker->bins;
    uint32_t group = task / summing->chunks, first = task % summing->chunks * CHUNK;

    if (group < bins->groups && summing->maker->targets->label)
        sum_counts(summing, group);
    else if (group < bins->groups)
        sum_pairs(summing, group, first, summing->count - first < CHUNK ? summing->count - first : CHUNK, worker);
    else if (summing->maker->targets->label)
        sum_count_lists(summing);
    else
        complete_pairs(summing);
}

void clv_histogram_sum(HistogramMaker *maker, const uint32_t *rows, uint32_t count, Histogram *histogram)
{
    const Bins *bins = maker->bins;
    Summing summing = {.maker = maker, .histogram = histogram, .rows = rows, .count = count, .chunks = 1};
    bool threads = maker->workers > 1 && (uint64_t)count * (bins->groups + 1) >= WORTH_A_THREAD;
    uint32_t tasks;

    memset(histogram->count ? (void *)histogram->count : (void *)histogram->pair, 0, clv_histogram_bytes(maker));
    if (!maker->targets->label && count > CHUNK)
        summing.chunks = (count + CHUNK - 1) / CHUNK;
    summing.shared = threads && summing.chunks > 1;
    tasks = bins->groups * summing.chunks + (bins->lists > 0);
    if (threads) {
        clv_pool_run(maker->context, tasks, work, &summing);
        return;
    }
    for (uint32_t task = 0; task < tasks; task++)
        work(&summing, task, 0);
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
