/*
 * Read-ahead: a thread copies rows into a few small blocks while the learner uses the previous
 * blocks. One thread makes all blocks and returns them in order, so the result does not depend on
 * timing.
 */
#ifndef DATA_PREFETCH_H
#define DATA_PREFETCH_H

#include "data/builder.h"

/* A block of copied rows and its memory. */
typedef struct {
    Builder builder;
    uint64_t *numbers; /* row numbers of the rows in builder */
    size_t number_capacity;
    Block block;
} Copies;

void clv_copies_init(Copies *copies, Context *context);
void clv_copies_free(Copies *copies);
void clv_copies_clear(Copies *copies);
/* Copies `count` rows from this row on. */
Status clv_copies_add(Copies *copies, const Block *block, uint32_t row, uint32_t rows,
                      cleave_error *error);
/* Ends the copies. The block is NULL if no row was added. */
Status clv_copies_finish(Copies *copies, const Block **block, cleave_error *error);

/* A function that fills the copies again. It adds no row at the end. */
typedef Status MakeCopies(void *user, Copies *copies, const Block **block, cleave_error *error);

typedef struct Ahead Ahead;

/* Starts a thread, which owns the state of `make` until the end. Returns NULL if memory or threads
 * are not available. */
Ahead *clv_ahead_begin(Context *context, MakeCopies *make, void *user);
/* Returns the next block, which is valid until the next call; NULL at the end. */
Status clv_ahead_next(Ahead *ahead, const Block **block, cleave_error *error);
void clv_ahead_end(Ahead *ahead); /* may be called at any time; accepts NULL */

#endif
