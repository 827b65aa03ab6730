/*
 * A sweep: the rows of a dataset once, in the order asked for, as blocks. Rows can be split by chance into parts (training
 * and held-out, or two samples); membership is a function of the seed and the row's number, so nothing is stored.
 *
 * Shuffling needs no copy of the data: blocks, dealt from all over it, make groups of one size, and the rows of a group are
 * copied in random order into small blocks, by a thread of their own where there are several (ahead.h). Data that fits one group is
 * shuffled completely. Of more, the blocks of a group are merged at random, two neighbours at a time: a hundred blocks or more that are
 * each read on from where they were left are within reach of the cache, and so are their pages, where rows from anywhere are not.
 *
 * The size of a group hangs on the data alone, whatever memory there is, so that the order of rows is a function of the data and the
 * seed, and is small enough that two groups, the one at hand and the next that is being read, fit where there is little.
 */
#ifndef DATA_TRAVERSAL_H
#define DATA_TRAVERSAL_H

#include "base/random.h"
#include "data/prefetch.h"
#include "data/tour.h"

/* Values of --order. */
enum { ORDER_AUTO, ORDER_FILE, ORDER_ONCE, ORDER_EACH, ORDER_DRAWS, ORDER_BLOCKS };

struct RowAt {
    uint32_t block, row;
};

/* What a block has in a group: rows from begin to end of it, next the one whose turn comes. */
struct Slot {
    uint32_t begin, end, next;
};

typedef struct {
    Dataset *dataset;
    int order; /* not ORDER_AUTO */
    uint64_t seed;
    double from, to; /* rows whose chance lies in [from, to); 0 and 1: all */
    /* Of a shard: rows whose number lies in [first_row, end_row), or blocks dealt to this one of so many; 0: all blocks. */
    uint64_t first_row, end_row;
    uint32_t hand, hands;

    uint32_t *blocks; /* those it visits, as in the file */
    uint32_t block_count;
    uint32_t *dealt, *group_end; /* shuffled: the same, group by group; and the place behind each group */
    uint32_t group;              /* to come */
    Block *views;                /* by number: shuffled, the blocks of the group; draws, every block opened so far */
    Tour tour;                   /* over the blocks in their order; not of draws */
    uint32_t beside;             /* sweeps over the same data at a time, where it is one of several */
    uint64_t draws;              /* left to make */
    struct RowAt *rows;          /* of the group, block by block */
    size_t row_count, row_capacity;
    uint32_t *turns; /* the order in which they come, each with up to run_rows - 1 that follow it in its block */
    size_t turn_count, turn_next, turn_capacity;
    uint32_t run_rows;
    struct Slot *slots; /* the blocks of the group */
    size_t slot_count, slot_capacity;
    Random random;
    Copies copies;
    Block block;
    uint32_t slice_rows; /* blocks of more rows are given out in slices of so many; 0: all are whole */
    const Block *sliced; /* the block under way, from row slice_next on; NULL: none */
    uint32_t slice_next;
    Copies slice;
    Ahead *
        ahead; /* shuffled: makes the copies, and has all of the above that changes; NULL: they are made when asked for */
} Traversal;

Status clv_traversal_init(Traversal *traversal, Dataset *dataset, int order, uint64_t seed, double from, double to,
                          cleave_error *error);
/* Only one shard of so many from now on: rows that follow each other where the order is the file's, else blocks from all over the
 * data, so that each has its share of every class whatever the rows are sorted by. */
void clv_traversal_limit(Traversal *traversal, uint32_t shard, uint32_t shards);
/* Blocks are given out in slices that take a method with so many outputs a few milliseconds each, so that cancellation is polled
 * and progress reported in time. */
void clv_traversal_slice(Traversal *traversal, size_t outputs);
void clv_traversal_free(Traversal *traversal);
Status clv_traversal_begin(Traversal *traversal, uint32_t round, cleave_error *error);
Status clv_traversal_next(Traversal *traversal, const Block **block, cleave_error *error); /* NULL at the end */

#endif
