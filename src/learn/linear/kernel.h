/*
 * The loops everything linear spends its time in: w·x and w += s x for one row of a block, w being one vector.
 *
 * Gaps are followed by adding them up, so a column costs one addition. Products are taken and summed in double:
 * a float times a float is exact there, so a score is wrong by no more than the rounding of a double, whatever the length
 * of the row; and four sums are kept, so that one addition need not wait for the one before.
 */
#ifndef LEARN_LINEAR_KERNEL_H
#define LEARN_LINEAR_KERNEL_H

#include "data/block.h"

static inline double dot_gaps_each(const float *w, const uint16_t *gap, const float *value, uint32_t count)
{
    size_t at = SIZE_MAX; /* -1: the first gap brings it to the first column */
    double a = 0, b = 0, c = 0, d = 0;
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4) {
        size_t first = at + gap[i], second = first + gap[i + 1], third = second + gap[i + 2];

        at = third + gap[i + 3];
        a += (double)w[first] * (double)value[i];
        b += (double)w[second] * (double)value[i + 1];
        c += (double)w[third] * (double)value[i + 2];
        d += (double)w[at] * (double)value[i + 3];
    }
    for (; i < count; i++) {
        at += gap[i];
        a += (double)w[at] * (double)value[i];
    }
    return (a + b) + (c + d);
}

/* All values alike: the sum of the weights. */
static inline double sum_gaps(const float *w, const uint16_t *gap, uint32_t count)
{
    size_t at = SIZE_MAX;
    double a = 0, b = 0, c = 0, d = 0;
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4) {
        size_t first = at + gap[i], second = first + gap[i + 1], third = second + gap[i + 2];

        at = third + gap[i + 3];
        a += (double)w[first];
        b += (double)w[second];
        c += (double)w[third];
        d += (double)w[at];
    }
    for (; i < count; i++) {
        at += gap[i];
        a += (double)w[at];
    }
    return (a + b) + (c + d);
}

/* The same where some gaps are fillers. */
static inline double sum_gaps_filled(const float *w, const uint16_t *gap, uint32_t count)
{
    size_t at = SIZE_MAX;
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (gap[i] == 0) {
            at += FILLER_GAP;
        } else {
            at += gap[i];
            sum += (double)w[at];
        }
    }
    return sum;
}

static inline double dot_dense(const float *w, const float *value, uint32_t count)
{
    double sum[4] = {0};
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (uint32_t j = 0; j < 4; j++)
            sum[j] += (double)w[i + j] * (double)value[i + j];
    for (; i < count; i++)
        sum[0] += (double)w[i] * (double)value[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline double dot_columns(const float *w, const uint32_t *column, const float *value, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += (double)w[column[i]] * (value ? (double)value[i] : 1);
    return sum;
}

/* w·x for row of block; w has at least block->features weights. */
static inline double dot_row(const float *w, const Block *block, uint32_t row)
{
    uint32_t start, count;
    double scale;

    if (block->form == ROWS_DENSE)
        return dot_dense(w, block->value + (size_t)row * block->features, block->features);
    start = block_start(block, row);
    count = block->end[row] - start;
    if (count == 0)
        return 0;
    if (block->form == ROWS_GAPS && block->value_form == VALUES_EACH)
        return dot_gaps_each(w, block->gap + start, block->value + start, count);
    scale = block->value_form == VALUES_PER_ROW ? (double)block->value[row] : 1;
    if (block->form == ROWS_COLUMNS)
        return scale * dot_columns(w, block->column + start,
                                   block->value_form == VALUES_EACH ? block->value + start : NULL, count);
    return scale * (block->has_fillers ? sum_gaps_filled(w, block->gap + start, count)
                                       : sum_gaps(w, block->gap + start, count));
}

/* w += step * x. */
static inline void add_row(float *w, double step, const Block *block, uint32_t row)
{
    if (block->form == ROWS_GAPS && block->value_form == VALUES_EACH) {
        size_t at = SIZE_MAX;

        for (uint32_t i = block_start(block, row); i < block->end[row]; i++) {
            at += block->gap[i];
            w[at] = (float)((double)w[at] + step * (double)block->value[i]);
        }
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        w[walk.column] = (float)((double)w[walk.column] + step * (double)walk.value);
}

#endif
