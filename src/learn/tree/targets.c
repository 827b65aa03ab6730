#include "learn/tree/targets.h"

#include "base/pool.h"
#include "learn/tree/sums.h"

#include <math.h>

enum {
    MOST_GRADIENT = 32767,
    MOST_FINE_GRADIENT = 1 << 30,
    ROUGH =
        /* if gradients, in units, are this close to their mean, the largest leave too few bits for
         * the others */
    256,
    ROUGH_DITHERED = 64, /* the same with dithered rounding, whose sums are unbiased */
    MOST_HESSIAN = 65535,
    CHUNK = 1 << 16, /* rows per task */
};
#define MOST_WEIGHT 4294967295.0
#define WEIGHT_TOTAL 2147483648.0

/* Statistics of the gradients of a chunk of rows. */
typedef struct TargetExtent {
    float gradient, hessian; /* the largest values */
    int64_t sum;             /* sum of gradients below a quarter of the largest */
    uint64_t moderate;       /* number of these gradients */
    uint64_t units;          /* sum of their distances from the mean */
    bool whole;
} Extent;

/* ---- classes --------------------------------------------------------------------------------- */

Status clv_targets_classes(Targets *targets, const Bins *bins, uint32_t classes,
                           cleave_error *error)
{
    (void)error;
    *targets = (Targets){.context = bins->context,
                         .bins = bins,
                         .rows = bins->rows,
                         .classes = classes,
                         .label = bins->label,
                         .weight_unit = 1};
    return OK;
}

/* Finds whether the weights of all rows are integers, and their total, over all processes. */
static Status scan_weights(const Targets *targets, const float *weight, bool *whole, double *total,
                           cleave_error *error)
{
    uint64_t fractions = 0;
    Sums sums;

    for (uint32_t i = 0; i < targets->rows; i++)
        fractions += weight[i] != floorf(weight[i]);
    TRY(clv_add_up(targets->bins, &fractions, 1, error));
    *whole = fractions == 0;
    clv_sums_begin(&sums, targets->bins, error);
    for (uint32_t i = 0; i < targets->rows; i++)
        sums_add(&sums, (double)weight[i]);
    clv_sums_next(&sums);
    return clv_sums_finish(&sums, total, 1);
}

Status clv_targets_weigh(Targets *targets, const float *weight, cleave_error *error)
{
    double total;
    bool whole;

    if (!weight) {
        clv_workspace_give(targets->bins->workspace, targets->context, targets->weight);
        targets->weight = NULL;
        targets->weight_unit = 1;
        return OK;
    }
    if (!targets->weight)
        TRY(TAKE(targets->bins->workspace, targets->context, targets->weight, targets->rows,
                 "weights", error));
    TRY(scan_weights(targets, weight, &whole, &total, error));
    targets->weight_unit = whole && total <= MOST_WEIGHT ? 1 : total / WEIGHT_TOTAL;
    for (uint32_t i = 0; i < targets->rows; i++) {
        double units = (double)weight[i] / targets->weight_unit;

        targets->weight[i] = weight[i] > 0 && units < 1 ? 1 : (uint32_t)(units + 0.5);
    }
    return OK;
}

/* ---- gradients ------------------------------------------------------------------------------- */

Status clv_targets_gradients(Targets *targets, const Bins *bins, cleave_error *error)
{
    uint32_t rows = bins->rows;
    Status status;

    *targets = (Targets){.context = bins->context, .bins = bins, .rows = rows};
    status = TAKE(bins->workspace, bins->context, targets->packed, rows, "gradients", error);
    targets->extent = clv_alloc(bins->context, (size_t)rows / CHUNK + 1, sizeof *targets->extent);
    if (status == OK && !targets->extent)
        status = clv_fail_memory(error, "gradients",
                                 ((size_t)rows / CHUNK + 1) * sizeof *targets->extent);
    if (status != OK)
        clv_targets_free(targets);
    return status;
}

typedef struct {
    Targets *targets;
    const float *gradient, *hessian;
    float per_gradient, per_hessian;
    int64_t typical; /* typical gradient */
} Packing;

static uint32_t end_of(const Packing *packing, uint32_t task)
{
    uint32_t rows = packing->targets->rows, from = task * CHUNK;

    return rows - from < CHUNK ? rows : from + CHUNK;
}

static float largest(const float *numbers, uint32_t count)
{
    float most = 0;

    for (uint32_t i = 0; i < count; i++) {
        float size = fabsf(numbers[i]);

        most = size > most ? size : most;
    }
    return most;
}

static bool small_and_whole(const float *hessian, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (hessian[i] > (float)MOST_HESSIAN || hessian[i] != floorf(hessian[i]))
            return false;
    return true;
}

static void look(void *user, uint32_t task, unsigned worker)
{
    const Packing *packing = user;
    uint32_t from = task * CHUNK, count = end_of(packing, task) - from;
    const float *hessian = packing->hessian ? packing->hessian + from : NULL;

    (void)worker;
    packing->targets->extent[task] = (Extent){.gradient = largest(packing->gradient + from, count),
                                              .hessian = hessian ? largest(hessian, count) : 1,
                                              .whole = !hessian || small_and_whole(hessian, count)};
}

/* Numbers between 0 and 1 that are evenly distributed over any contiguous rows: fractions of
 * multiples of an irrational number (Weyl 1916). */
static inline float dither(uint32_t row, uint32_t multiplier)
{
    return (float)(int32_t)((row * multiplier) >> 8) * 0x1p-24F;
}

static inline int32_t down(float number)
{
    int32_t whole = (int32_t)number;

    return whole - (number < (float)whole);
}

static void pack_dithered(const Packing *packing, uint32_t from, uint32_t to)
{
    int64_t *restrict packed = packing->targets->packed;
    const float *restrict gradients = packing->gradient, *restrict hessians = packing->hessian;
    uint32_t first = packing->targets->dither + packing->targets->bins->first;
    float per_gradient = packing->per_gradient, per_hessian = packing->per_hessian;
    int32_t most = packing->targets->fine ? MOST_FINE_GRADIENT : MOST_GRADIENT;

    for (uint32_t i = from; i < to; i++) {
        int32_t gradient = down(gradients[i] * per_gradient +
                                dither(first + i, 0x9E3779B9u)); /* multiples of the golden ratio */
        int32_t hessian = hessians
                              ? down(hessians[i] * per_hessian + dither(first + i, 0x6A09E667u))
                              : 1; /* multiples of √2 */

        gradient = gradient > most ? most : gradient;
        hessian = hessian > MOST_HESSIAN ? MOST_HESSIAN : hessian;
        packed[i] = (int64_t)(((uint64_t)(int64_t)gradient << 32) + (uint32_t)hessian);
    }
}

static void pack(void *user, uint32_t task, unsigned worker)
{
    const Packing *packing = user;
    int64_t *packed = packing->targets->packed;
    (void)worker;
    if (packing->targets->dither) {
        pack_dithered(packing, task * CHUNK, end_of(packing, task));
        return;
    }
    for (uint32_t i = task * CHUNK, to = end_of(packing, task); i < to; i++) {
        float g = packing->gradient[i] * packing->per_gradient;
        float h = packing->hessian ? packing->hessian[i] * packing->per_hessian : 1;
        int32_t gradient = (int32_t)(g < 0 ? g - 0.5F : g + 0.5F);
        uint32_t hessian = (uint32_t)(int32_t)(h + 0.5F);

        /* Unsigned: a negative sum does not borrow from the upper half. */
        packed[i] = (int64_t)(((uint64_t)(int64_t)gradient << 32) + hessian);
    }
}

/* The number of units per 1. If a unit is too small to divide by, it is 0, and so are all
 * values. */
static float units_of(double unit)
{
    double per = 1 / unit;

    return unit > 0 && per < 3e38 ? (float)per : 0;
}

static void run(Packing *packing, uint32_t tasks, Work *work)
{
    clv_pool_run_if(!packing->targets->alone && tasks > 1, packing->targets->context, tasks, work,
                    packing);
}

static Extent find_extent(Packing *packing, uint32_t tasks)
{
    Extent *extent = packing->targets->extent, all = {.whole = true};

    run(packing, tasks, look);
    for (uint32_t task = 0; task < tasks; task++) {
        all.gradient = fmaxf(all.gradient, extent[task].gradient);
        all.hessian = fmaxf(all.hessian, extent[task].hessian);
        all.whole = all.whole && extent[task].whole;
    }
    return all;
}

static void pack_all(Packing *packing, double gradient, uint32_t tasks)
{
    Targets *targets = packing->targets;

    targets->gradient_unit = gradient / (targets->fine ? MOST_FINE_GRADIENT : MOST_GRADIENT);
    packing->per_gradient = units_of(targets->gradient_unit);
    packing->per_hessian = units_of(targets->hessian_unit);
    run(packing, tasks, pack);
}

/* Combines the statistics of all processes. */
static Status agree(const Targets *targets, Extent *extent, cleave_error *error)
{
    const Collective *collective = targets->bins->collective;
    const Extent mine = *extent;
    Buffer all = {0};

    if (!collective)
        return OK;
    TRY(collective->gather(collective->user, &mine, sizeof mine, &all, NULL, error));
    for (size_t at = 0; at + sizeof mine <= all.size; at += sizeof mine) {
        Extent theirs;

        memcpy(&theirs, all.data + at, sizeof theirs);
        extent->gradient = fmaxf(extent->gradient, theirs.gradient);
        extent->hessian = fmaxf(extent->hessian, theirs.hessian);
        extent->whole = extent->whole && theirs.whole;
    }
    clv_free(targets->context, all.data);
    return OK;
}

/* Sums the deviations of moderate gradients. When a few targets are extreme, the scores of all
 * other rows have the opposite deviation. */
static void sum_moderate(void *user, uint32_t task, unsigned worker)
{
    const Packing *packing = user;
    Extent *extent = &packing->targets->extent[task];

    (void)worker;
    extent->sum = 0;
    extent->moderate = 0;
    for (uint32_t i = task * CHUNK, to = end_of(packing, task); i < to; i++) {
        int64_t gradient = packing->targets->packed[i] >> 32;
        bool moderate = gradient <= MOST_GRADIENT / 4 && gradient >= -MOST_GRADIENT / 4;

        extent->sum += moderate ? gradient : 0;
        extent->moderate += moderate;
    }
}

static void sum_distances(void *user, uint32_t task, unsigned worker)
{
    const Packing *packing = user;
    uint64_t units = 0;

    (void)worker;
    for (uint32_t i = task * CHUNK, to = end_of(packing, task); i < to; i++) {
        int64_t gradient = packing->targets->packed[i] >> 32, off = gradient - packing->typical;
        bool moderate = gradient <= MOST_GRADIENT / 4 && gradient >= -MOST_GRADIENT / 4;

        units += moderate ? (uint64_t)(off < 0 ? -off : off) : 0;
    }
    packing->targets->extent[task].units = units;
}

static Status look_if_rough(Packing *packing, uint32_t tasks, bool *rough, cleave_error *error)
{
    const Targets *targets = packing->targets;
    /* the first sum may be negative: unsigned addition wraps correctly */
    uint64_t sums[2] = {0}, units = 0;

    run(packing, tasks, sum_moderate);
    for (uint32_t task = 0; task < tasks; task++) {
        sums[0] += (uint64_t)targets->extent[task].sum;
        sums[1] += targets->extent[task].moderate;
    }
    TRY(clv_add_up(targets->bins, sums, 2, error));
    packing->typical = sums[1] ? (int64_t)sums[0] / (int64_t)sums[1] : 0;
    run(packing, tasks, sum_distances);
    for (uint32_t task = 0; task < tasks; task++)
        units += targets->extent[task].units;
    TRY(clv_add_up(targets->bins, &units, 1, error));
    *rough = units < (targets->dither ? ROUGH_DITHERED : ROUGH) * sums[1];
    return OK;
}

Status clv_targets_set(Targets *targets, const float *gradient, const float *hessian,
                       cleave_error *error)
{
    Packing packing = {.targets = targets, .gradient = gradient, .hessian = hessian};
    uint32_t tasks = (uint32_t)(((uint64_t)targets->rows + CHUNK - 1) / CHUNK);
    Extent extent = find_extent(&packing, tasks);
    bool rough;

    TRY(agree(targets, &extent, error));
    targets->whole = extent.whole;
    targets->hessian_unit = extent.whole ? 1 : (double)extent.hessian / MOST_HESSIAN;
    targets->fine = false;
    pack_all(&packing, (double)extent.gradient, tasks);
    if (!targets->unbounded)
        return OK;
    TRY(look_if_rough(&packing, tasks, &rough, error));
    if (!rough)
        return OK;
    targets->fine = true;
    pack_all(&packing, (double)extent.gradient, tasks);
    return OK;
}

void clv_targets_free(Targets *targets)
{
    if (!targets->context)
        return;
    clv_workspace_give(targets->bins->workspace, targets->context, targets->packed);
    clv_free(targets->context, targets->extent);
    clv_workspace_give(targets->bins->workspace, targets->context, targets->weight);
    *targets = (Targets){0};
}
