/*
 * The rows of a minibatch, with values times a scale: lists of columns and values, and the same
 * rows unpacked where that is faster.
 */
#ifndef LEARN_NETWORK_MINIBATCH_H
#define LEARN_NETWORK_MINIBATCH_H

#include "base/memory.h"
#include "data/block.h"

typedef struct {
    Context *context;
    uint32_t count, features;
    float scale;
    uint32_t *end; /* end of the entries of a row */
    uint32_t *column;
    float *value;
    float *unpacked; /* rows * features */
    bool dense;      /* the unpacked rows are used; see clv_minibatch_unpack */
    size_t end_capacity, column_capacity, value_capacity, unpacked_capacity;
} Minibatch;

/* Appends a row; columns from features on are ignored. */
Status clv_minibatch_add(Minibatch *rows, const Block *block, uint32_t row, cleave_error *error);
/* Called after the last row. Decides whether the rows are unpacked, and allocates the memory. */
Status clv_minibatch_close(Minibatch *rows, cleave_error *error);
/* Unpacks the rows from first to end, if this minibatch is unpacked. */
void clv_minibatch_unpack(Minibatch *rows, uint32_t first, uint32_t end);
void clv_minibatch_free(Minibatch *rows);

static inline uint32_t minibatch_start(const Minibatch *rows, uint32_t row)
{
    return row ? rows->end[row - 1] : 0;
}

#endif
