/*
 * The first pass over the data: targets of rows, number of rows per feature, counts of category
 * codes, and a sample of the numbers. The sample has one random row per stride, so that data in any
 * order is sampled evenly.
 */
#include "base/random.h"
#include "learn/tree/bins_making.h"

#include <math.h>

enum { SAMPLE_STEP = 1 << 12 }; /* growth of the sample, in entries */
#define MOST_NUMBER 1e37        /* limit of a value, so that differences are floats */

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether a row is used for training, and its target. */
static bool is_training_row(const Fit *fit, const Block *block, uint32_t row, double *number,
                            uint32_t *label, double *weight)
{
    bool regression = fit->task == CLEAVE_TASK_REGRESSION;

    *label = block_label(block, row);
    *number = regression ? fit_target(fit, block, row) : 0;
    if (regression ? isnan(*number) : *label >= fit->classes)
        return false;
    *weight = fit_weight(fit, block, row, *label);
    return *weight > 0;
}

bool clv_bins_takes(const Fit *fit, const Block *block, uint32_t row)
{
    double number, weight;
    uint32_t label;

    return is_training_row(fit, block, row, &number, &label, &weight);
}

static Status make_room_for_targets(Making *making)
{
    Bins *bins = making->bins;

    if (making->fit->task == CLEAVE_TASK_REGRESSION)
        return TAKE(bins->workspace, bins->context, bins->number, making->most_rows, "targets",
                    making->fit->error);
    return TAKE(bins->workspace, bins->context, bins->label, making->most_rows, "labels",
                making->fit->error);
}

Status clv_bins_begin_weights(Making *making)
{
    Bins *bins = making->bins;

    TRY(TAKE(bins->workspace, bins->context, bins->weight, making->most_rows, "weights",
             making->fit->error));
    for (uint32_t i = 0; i < bins->rows; i++)
        bins->weight[i] = 1;
    return OK;
}

static Status keep_target(Making *making, double number, uint32_t label, double weight)
{
    Bins *bins = making->bins;
    Fit *fit = making->fit;
    size_t need = (size_t)bins->rows + 1;

    if (bins->rows == MOST_ROWS)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA, "the data has more than %u training rows",
                        MOST_ROWS);
    if (!(fabs(number) * fmax(weight, 1) <= MOST_NUMBER))
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_DATA, "rescale the targets, or remove the row",
            "the target %g is too large: %s supports targets (times sample weight) up to a "
            "magnitude of %g",
            number, fit->method ? fit->method->name : "a tree", MOST_NUMBER);
    if (need > making->most_rows)
        return clv_fail(fit->error, CLEAVE_ERROR_INTERNAL,
                        "the dataset has more rows than its count states: %llu",
                        (unsigned long long)making->most_rows);
    if (fit->task == CLEAVE_TASK_REGRESSION)
        bins->number[bins->rows] = number;
    else
        bins->label[bins->rows] = label;
    if (weight != 1 && !bins->weight)
        TRY(clv_bins_begin_weights(making));
    if (bins->weight)
        bins->weight[bins->rows] = (float)weight;
    bins->rows++;
    return OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

Status clv_bins_reach(Making *making, BinCodes *codes, size_t count)
{
    if (count <= codes->codes)
        return OK;
    TRY(GROW(making->fit->context, codes->count, codes->capacity, count, making->fit->error));
    memset(codes->count + codes->codes, 0, (count - codes->codes) * sizeof *codes->count);
    codes->codes = count;
    return OK;
}

static Status scan_row(Making *making, const Block *block, uint32_t row, bool sampled)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        making->mentions[walk.column]++;
        making->lacks[walk.column] |= walk.value == MISSING_VALUE;
        if (making->category[walk.column]) {
            if (walk.value != MISSING_VALUE) {
                BinCodes *codes = &making->codes[walk.column];
                uint32_t code = bins_code(walk.value);

                TRY(clv_bins_reach(making, codes, (size_t)code + 1));
                codes->count[code]++;
            }
        } else if (sampled) {
            if (making->samples == making->sample_capacity)
                TRY(clv_workspace_grow(making->bins->workspace, making->fit->context,
                                       &making->sample, &making->sample_capacity,
                                       making->samples + SAMPLE_STEP, sizeof *making->sample,
                                       "a sample", making->fit->error));
            making->sample[making->samples++] = (SampleEntry){walk.column, walk.value};
        }
    }
    return OK;
}

void clv_bins_choose_sample(Making *making)
{
    uint64_t step = making->met / making->stride;
    Random random = clv_random(making->seed, step);

    making->next = step * making->stride + clv_random_next(&random) % making->stride;
}

static Status look(void *user, const Block *block, cleave_error *error)
{
    Making *making = user;

    (void)error;
    if (making->bins->rows > 0 && fit_cancelled(making->fit))
        return CLEAVE_ERROR_CANCELLED;
    for (uint32_t row = 0; row < block->rows; row++) {
        double number, weight;
        uint32_t label;
        bool sampled;

        if (!is_training_row(making->fit, block, row, &number, &label, &weight))
            continue;
        TRY(keep_target(making, number, label, weight));
        if (making->met % making->stride == 0)
            clv_bins_choose_sample(making);
        sampled = making->met++ == making->next;
        making->sampled += sampled;
        TRY(scan_row(making, block, row, sampled));
    }
    return OK;
}

Status clv_bins_scan(Making *making, Dataset *dataset)
{
    Bins *bins = making->bins;

    if (bins->collective)
        TRY(clv_bins_number_rows(making, dataset));
    TRY(make_room_for_targets(making));
    TRY(bins_tour(making, dataset, look, making));
    memcpy(making->all_mentions, making->mentions, making->features * sizeof *making->mentions);
    if (bins->collective)
        return clv_bins_agree(making);
    bins->all_rows = bins->rows;
    return OK;
}
