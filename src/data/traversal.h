/*
 * A traversal visits the rows of a dataset once, as blocks, in a given order. Rows can be split at
 * random into parts (training and held-out, or two samples). Membership is a function of the seed
 * and the row number, so it is not stored.
 *
 * Shuffling does not copy the data. Blocks from all over the data form groups of equal size. The
 * rows of a group are copied in random order into small blocks, by a separate thread if there are
 * several (prefetch.h). Data of one group is shuffled completely. In larger data the blocks of a
 * group are merged at random, because a hundred blocks that are each read sequentially stay in the
 * cache, and random rows do not.
 *
 * The size of a group depends only on the data, not on memory, so the order of rows is a function
 * of the data and the seed. Two groups, the current one and the next, fit into little memory.
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

/* The part of a block in a group: rows from `begin` to `end`, of which `next` is the next one. */
struct BlockPart {
    uint32_t begin, end, next;
};

typedef struct {
    Dataset *dataset;
    int order; /* order of the rows; not ORDER_AUTO */
    uint64_t seed;
    double from, to; /* range of the random numbers of the visited rows; 0 and 1: all rows */
    /* Shard: rows with numbers in [first_row, end_row), or blocks of one of several shards; 0:
     * all blocks. */
    uint64_t first_row, end_row;
    uint32_t shard, shards;

    uint32_t *blocks; /* numbers of the visited blocks, in file order */
    uint32_t block_count;
    /* when shuffled: the same numbers, group by group, and the end of each group */
    uint32_t *grouped, *group_end;
    uint32_t group;     /* next group */
    Block *views;       /* all opened blocks by number; when shuffled, only those of the group */
    Tour tour;          /* reads the blocks in order; unused for draws */
    uint32_t beside;    /* number of concurrent traversals of the same data */
    uint64_t draws;     /* number of remaining draws */
    struct RowAt *rows; /* rows of the group, block by block */
    size_t row_count, row_capacity;
    uint32_t *turns; /* order of the rows, each with up to run_rows - 1 successors of its block */
    size_t turn_count, turn_next, turn_capacity;
    uint32_t run_rows;
    struct BlockPart *slots; /* the blocks of the group */
    size_t slot_count, slot_capacity;
    Random random;
    Copies copies;
    Block block;
    /* limit of the rows of a returned block; larger blocks are returned in slices; 0: whole
     * blocks */
    uint32_t slice_rows;
    /* the current block, of which rows from slice_next on remain; NULL: none */
    const Block *sliced;
    uint32_t slice_next;
    Copies slice;
    /* when shuffled: makes the copies, and owns all changing fields above; NULL: copies are made on
     * demand */
    Ahead *ahead;
} Traversal;

Status clv_traversal_init(Traversal *traversal, Dataset *dataset, int order, uint64_t seed,
                          double from, double to, cleave_error *error);
/* Restricts the traversal to one of `shards` shards. In file order, a shard has consecutive rows.
 * Otherwise it has blocks from all over the data, so that each shard contains all classes even if
 * the rows are sorted. */
void clv_traversal_limit(Traversal *traversal, uint32_t shard, uint32_t shards);
/* Returns blocks in slices that take a method with this many outputs a few milliseconds each, so
 * that cancellation is polled and progress is reported in time. */
void clv_traversal_slice(Traversal *traversal, size_t outputs);
void clv_traversal_free(Traversal *traversal);
Status clv_traversal_begin(Traversal *traversal, uint32_t round, cleave_error *error);
Status clv_traversal_next(Traversal *traversal, const Block **block,
                          cleave_error *error); /* the block is NULL at the end */

#endif
