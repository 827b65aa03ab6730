/*
 * A sweep: the rows of a dataset once, in the order asked for, as blocks. Rows can be split by chance into parts (training
 * and held-out, or two samples); membership is a function of the seed and the row's number, so nothing is stored.
 *
 * Shuffling needs no copy of the data: blocks are taken in random order in groups, and the rows of a group are copied in
 * random order into small blocks. Data that fits one group is shuffled completely.
 */
#ifndef RUN_SWEEP_H
#define RUN_SWEEP_H

#include "base/random.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "run/options.h"

struct RowAt {
    uint32_t block, row;
};

typedef struct {
    Dataset *dataset;
    int order; /* not ORDER_AUTO */
    uint64_t seed;
    double from, to; /* rows whose chance lies in [from, to); 0 and 1: all */
    /* Of a shard: rows whose number lies in [first_row, end_row), or blocks dealt to this one of so many; 0: all blocks. */
    uint64_t first_row, end_row;
    uint32_t hand, hands;

    uint32_t *blocks;   /* order of the blocks */
    Block *views;       /* shuffled: every block opened so far, by its number */
    uint32_t next;      /* block to come */
    uint64_t draws;     /* left to make */
    struct RowAt *rows; /* of the group, shuffled */
    size_t row_count, row_next, row_capacity;
    Random random;
    Builder builder;
    uint64_t *numbers; /* of the rows in builder */
    size_t number_capacity;
    Block block;
} Sweep;

Status clv_sweep_init(Sweep *sweep, Dataset *dataset, int order, uint64_t seed, double from, double to,
                      cleave_error *error);
/* Only one shard of so many from now on: rows that follow each other where the order is the file's, else blocks from all over the
 * data, so that each has its share of every class whatever the rows are sorted by. */
void clv_sweep_limit(Sweep *sweep, uint32_t shard, uint32_t shards);
void clv_sweep_free(Sweep *sweep);
Status clv_sweep_begin(Sweep *sweep, uint32_t round, cleave_error *error);
Status clv_sweep_next(Sweep *sweep, const Block **block, cleave_error *error); /* NULL at the end */

/* What `auto` comes to, and in words for the report. */
Status clv_choose_order(Dataset *dataset, int wanted, uint64_t seed, int *order, char *words, size_t size,
                        cleave_error *error);

#endif
