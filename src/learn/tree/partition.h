/*
 * Partition the rows of a node: those that go left come to the front, the others behind them, both in the order they were in, whatever the number of threads.
 */
#ifndef LEARN_TREE_PARTITION_H
#define LEARN_TREE_PARTITION_H

#include "learn/tree/split.h"

enum { PART_CHUNK = 8192 }; /* rows of a task */

typedef struct {
    Context *context; /* whose threads work on chunks in parallel; NULL: none do */
    const Bins *bins;
    const Split *split;
    uint32_t *rows, count;
    uint32_t *spare; /* as many */
    uint32_t *lefts; /* one for each chunk, the last one being shorter */
} Partition;

/* How many go left. */
uint32_t clv_partition_rows(const Partition *partition);

#endif
