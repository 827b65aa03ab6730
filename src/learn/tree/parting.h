/*
 * Parting the rows of a node: those that go left come to the front, the others behind them, both in the order they were in, whatever the number of threads.
 */
#ifndef LEARN_TREE_PARTING_H
#define LEARN_TREE_PARTING_H

#include "learn/tree/split.h"

enum { PART_CHUNK = 8192 }; /* rows that a task parts */

typedef struct {
    Context *context; /* whose threads part chunks side by side; NULL: none do */
    const Bins *bins;
    const Split *split;
    uint32_t *rows, count;
    uint32_t *spare; /* as many */
    uint32_t *lefts; /* one for each chunk, the last one being shorter */
} Parting;

/* How many go left. */
uint32_t clv_part_rows(const Parting *parting);

#endif
