/*
 * Copies made ahead: a thread that copies rows into small blocks while those it made before are learned from, a few of them and no more.
 * They are made one after another by this thread alone and handed out in the same order, so who makes them changes nothing but the time.
 */
#ifndef DATA_PREFETCH_H
#define DATA_PREFETCH_H

#include "data/builder.h"

/* A block of rows copied from others, and the room they are in. */
typedef struct {
    Builder builder;
    uint64_t *numbers; /* of the rows in builder */
    size_t number_capacity;
    Block block;
} Copies;

void clv_copies_init(Copies *copies, Context *context);
void clv_copies_free(Copies *copies);
void clv_copies_clear(Copies *copies);
/* So many rows from this one on. */
Status clv_copies_add(Copies *copies, const Block *block, uint32_t row, uint32_t rows, cleave_error *error);
/* NULL where no row was added. */
Status clv_copies_finish(Copies *copies, const Block **block, cleave_error *error);

/* Fills the copies anew; without a row at the end. */
typedef Status MakeCopies(void *user, Copies *copies, const Block **block, cleave_error *error);

typedef struct Ahead Ahead;

/* NULL where there is no memory or no thread for it. What make uses is the thread's until the end. */
Ahead *clv_ahead_begin(Context *context, MakeCopies *make, void *user);
/* The block is good until the next call; NULL at the end. */
Status clv_ahead_next(Ahead *ahead, const Block **block, cleave_error *error);
void clv_ahead_end(Ahead *ahead); /* at any time; NULL is fine */

#endif
