#include "learn/network/minibatch.h"

/* Fraction of nonzero values above which unpacked rows are faster than lists. */
#define DENSE_SHARE .5

Status clv_minibatch_add(Minibatch *rows, const Block *block, uint32_t row, cleave_error *error)
{
    size_t used = minibatch_start(rows, rows->count), need = used + block_row_entries(block, row);

    if (need > UINT32_MAX)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "lower --batch-size",
                             "a minibatch has more than 2^32 nonzero values");
    TRY(GROW(rows->context, rows->end, rows->end_capacity, (size_t)rows->count + 1, error));
    TRY(GROW(rows->context, rows->column, rows->column_capacity, need, error));
    TRY(GROW(rows->context, rows->value, rows->value_capacity, need, error));
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        if (walk.value != 0 && walk.column < rows->features) {
            rows->column[used] = walk.column;
            rows->value[used++] = walk.value * rows->scale;
        }
    rows->end[rows->count++] = (uint32_t)used;
    return OK;
}

Status clv_minibatch_close(Minibatch *rows, cleave_error *error)
{
    size_t cells = (size_t)rows->count * rows->features;

    rows->dense = (double)minibatch_start(rows, rows->count) >= DENSE_SHARE * (double)cells;
    return rows->dense ? GROW(rows->context, rows->unpacked, rows->unpacked_capacity, cells, error)
                       : OK;
}

void clv_minibatch_unpack(Minibatch *rows, uint32_t first, uint32_t end)
{
    if (!rows->dense)
        return;
    for (uint32_t row = first; row < end; row++) {
        float *to = rows->unpacked + (size_t)row * rows->features;

        memset(to, 0, rows->features * sizeof *to);
        for (uint32_t i = minibatch_start(rows, row); i < rows->end[row]; i++)
            to[rows->column[i]] = rows->value[i];
    }
}

void clv_minibatch_free(Minibatch *rows)
{
    FREE(rows->context, rows->end, rows->column, rows->value, rows->unpacked);
}
