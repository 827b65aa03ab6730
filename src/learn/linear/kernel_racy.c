/*
 * Loops for weights that several threads change without locks (Niu, Recht, Ré and Wright 2011).
 * Every weight is read and written atomically in relaxed order; a concurrent addition may be lost.
 * On x86 these are plain loads and stores. Vector forms are not used, because C does not define
 * them here.
 */
#include "learn/linear/kernel_tables.h"

static inline double load(const float *weight)
{
    float value;

    __atomic_load((float *)weight, &value, __ATOMIC_RELAXED);
    return (double)value;
}

static inline void increase(float *weight, double step)
{
    float value = (float)(load(weight) + step);

    __atomic_store(weight, &value, __ATOMIC_RELAXED);
}

static inline bool is_plain(const Block *block)
{
    return block->form == ROWS_GAPS && block->value_form == VALUES_EACH;
}

static double dot(const float *w, const Block *block, uint32_t row)
{
    double sum[2] = {0};

    if (is_plain(block)) {
        uint32_t i = block_start(block, row), end = block->end[row];
        size_t at = SIZE_MAX;

        for (; i + 2 <= end; i += 2) {
            size_t next = at + block->gap[i];

            at = next + block->gap[i + 1];
            sum[0] += load(w + next) * (double)block->value[i];
            sum[1] += load(w + at) * (double)block->value[i + 1];
        }
        if (i < end)
            sum[0] += load(w + at + block->gap[i]) * (double)block->value[i];
        return sum[0] + sum[1];
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        sum[0] += load(w + walk.column) * (double)walk.value;
    return sum[0];
}

static void add(float *w, double step, const Block *block, uint32_t row)
{
    if (is_plain(block)) {
        size_t at = SIZE_MAX;

        for (uint32_t i = block_start(block, row); i < block->end[row]; i++) {
            at += block->gap[i];
            if (block->value[i] != 0) /* not a filler */
                increase(w + at, step * (double)block->value[i]);
        }
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        increase(w + walk.column, step * (double)walk.value);
}

static void dot_many(const float *w, size_t outputs, const Block *block, uint32_t row,
                     double *scores)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (size_t i = 0; i < outputs; i++)
            scores[i] += load(w + (size_t)walk.column * outputs + i) * (double)walk.value;
}

static void add_many(float *w, size_t outputs, const double *steps, const Block *block,
                     uint32_t row)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (size_t i = 0; i < outputs; i++)
            if (steps[i] != 0)
                increase(w + (size_t)walk.column * outputs + i, steps[i] * (double)walk.value);
}

const Kernels clv_kernels_racy = {
    .name = "racy",
    .dot = dot,
    .add = add,
    .dot_many = dot_many,
    .add_many = add_many,
};
