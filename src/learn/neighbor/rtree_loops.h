/*
 * The loops in which searching an R-tree spends its time: the keys of all entries of a page at once. rtree_body.h is their one text, compiled for
 * any machine, for AVX2 and for AVX-512; all forms give the same bits, those of metric.h, since they do the same operations on each entry.
 */
#ifndef LEARN_NEIGHBOR_RTREE_LOOPS_H
#define LEARN_NEIGHBOR_RTREE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum { RTREE_STEP = 8 }; /* entries that are looked at together, at the most: columns have room for a multiple */

/* Entries of one group, or the boxes of groups, and the query they are compared with. */
typedef struct {
    const float *low, *high; /* sides of the first, in the first column; points have no `high` */
    size_t stride;           /* from one column to the next: a multiple of RTREE_STEP */
    uint32_t width, count;
    uint32_t number;     /* of the first */
    const double *query; /* width values, and those of columns the tree does not have: its points are 0 there */
    uint32_t features;
    const uint32_t *column; /* and those behind these */
    const float *value;
    size_t beyond;
} RtreeBatch;

/* Writes the keys that are not above the bound, and the numbers of those that have them; returns how many. Workspace: as many as there are entries, and
 * RTREE_STEP more. */
typedef uint32_t RtreeBelow(const RtreeBatch *batch, double bound, double *key, uint32_t *number);

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */
    /* By distance: EUCLIDEAN, MANHATTAN, LR (NULL: rtree_search.c has it), MAXIMUM. */
    RtreeBelow *points[4], *boxes[4];
} RtreeLoops;

extern const RtreeLoops clv_rtree_plain, clv_rtree_avx2, clv_rtree_avx512;

/* The fastest this machine has. */
const RtreeLoops *clv_rtree_loops(void);
/* By number from 0, for tests; NULL past those this machine can run. The first is plain. */
const RtreeLoops *clv_rtree_loops_at(size_t number);

#endif
