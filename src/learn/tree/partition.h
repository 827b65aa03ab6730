/*
 * Stable partition of the rows of a node: rows that go left come first, then the others. The order
 * is bit-identical for any number of threads.
 */
#ifndef LEARN_TREE_PARTITION_H
#define LEARN_TREE_PARTITION_H

#include "learn/tree/split.h"

enum { PART_CHUNK = 8192 }; /* rows per task */

typedef struct {
    Context *context; /* threads of this context process chunks in parallel; NULL: no threads */
    const Bins *bins;
    const Split *split;
    uint32_t *rows, count;
    uint32_t *spare; /* scratch space of the same size */
    uint32_t *lefts; /* number of left rows of each chunk */
} Partition;

/* Returns the number of rows that go left. */
uint32_t clv_partition_rows(const Partition *partition);

#endif
