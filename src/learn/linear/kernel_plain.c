/* The kernels in plain C: the twin the vector forms are held against, and what other machines run. */
#include "learn/linear/kernel.h"

enum { LANES = 8 };

static double add_up(const double lane[LANES])
{
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* Gaps with a value each: a filler has the value 0, so it needs no test. */
#define DOT_GAPS_EACH(weights)                                                                                         \
    double lane[LANES] = {0};                                                                                          \
    size_t at = SIZE_MAX; /* -1: the first gap brings it to the first column */                                        \
    uint32_t i = 0;                                                                                                    \
                                                                                                                       \
    for (; i + LANES <= count; i += LANES)                                                                             \
        for (uint32_t j = 0; j < LANES; j++) {                                                                         \
            at += gap[i + j];                                                                                          \
            lane[j] += (double)(weights)[at] * (double)value[i + j];                                                   \
        }                                                                                                              \
    for (uint32_t j = 0; i < count; i++, j++) {                                                                        \
        at += gap[i];                                                                                                  \
        lane[j] += (double)(weights)[at] * (double)value[i];                                                           \
    }                                                                                                                  \
    return add_up(lane)

static double dot_gaps_each(const float *w, const uint16_t *gap, const float *value, uint32_t count)
{
    DOT_GAPS_EACH(w);
}

static double dot_gaps_each_wide(const double *w, const uint16_t *gap, const float *value, uint32_t count)
{
    DOT_GAPS_EACH(w);
}

/* Any other form, entry by entry. Lanes go by entries, fillers included where they have a value. */
#define DOT_WALK(weights)                                                                                              \
    double lane[LANES] = {0};                                                                                          \
    uint32_t i = 0;                                                                                                    \
                                                                                                                       \
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk); i++)                                               \
        lane[i % LANES] += (double)(weights)[walk.column] * (double)walk.value;                                        \
    return add_up(lane)

static double dot_walk(const float *w, const Block *block, uint32_t row)
{
    DOT_WALK(w);
}

static double dot_walk_wide(const double *w, const Block *block, uint32_t row)
{
    DOT_WALK(w);
}

static double dot(const float *w, const Block *block, uint32_t row)
{
    uint32_t start;

    if (block->form != ROWS_GAPS || block->value_form != VALUES_EACH)
        return dot_walk(w, block, row);
    start = block_start(block, row);
    return dot_gaps_each(w, block->gap + start, block->value + start, block->end[row] - start);
}

static double dot_wide(const double *w, const Block *block, uint32_t row)
{
    uint32_t start;

    if (block->form != ROWS_GAPS || block->value_form != VALUES_EACH)
        return dot_walk_wide(w, block, row);
    start = block_start(block, row);
    return dot_gaps_each_wide(w, block->gap + start, block->value + start, block->end[row] - start);
}

static void add(float *w, double step, const Block *block, uint32_t row)
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

static void add_wide(double *w, double step, const Block *block, uint32_t row)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        w[walk.column] += step * (double)walk.value;
}

static void dot_many(const float *w, size_t outputs, const Block *block, uint32_t row, double *scores)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        const float *weights = w + (size_t)walk.column * outputs;

        for (size_t i = 0; i < outputs; i++)
            scores[i] += (double)weights[i] * (double)walk.value;
    }
}

static void add_many(float *w, size_t outputs, const double *steps, const Block *block, uint32_t row)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        float *weights = w + (size_t)walk.column * outputs;

        for (size_t i = 0; i < outputs; i++)
            weights[i] = (float)((double)weights[i] + steps[i] * (double)walk.value);
    }
}

static const Kernels plain = {
    .name = "plain",
    .dot = dot,
    .add = add,
    .dot_wide = dot_wide,
    .add_wide = add_wide,
    .dot_many = dot_many,
    .add_many = add_many,
};

const Kernels *clv_kernels_at(size_t number)
{
    return number == 0 ? &plain : NULL;
}

const Kernels *clv_kernels(void)
{
    return &plain;
}
