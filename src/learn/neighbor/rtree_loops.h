/*
 * Inner loops of the R-tree search: the keys of all entries of a page. rtree_body.h is compiled for
 * plain C, AVX2 and AVX-512. All forms are bit-identical to distance.h, because they do the same
 * operations per entry.
 */
#ifndef LEARN_NEIGHBOR_RTREE_LOOPS_H
#define LEARN_NEIGHBOR_RTREE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* maximum number of entries processed together; columns are padded to a multiple */
enum { RTREE_STEP = 8 };

/* Entries of one group, or boxes of groups, and the query. */
typedef struct {
    /* sides of the first entry in the first column; points have no `high` */
    const float *low, *high;
    size_t stride; /* floats between columns: a multiple of RTREE_STEP */
    uint32_t width, count;
    uint32_t number; /* number of the first entry */
    /* values of the query: `width` columns, then the columns outside the tree, where points are
     * 0 */
    const double *query;
    uint32_t features;
    const uint32_t *column; /* the columns outside the tree */
    const float *value;
    size_t beyond;
} RtreeBatch;

/* Writes the keys within the bound and the numbers of their entries; returns their count. Both
 * arrays have space for all entries plus RTREE_STEP. */
typedef uint32_t RtreeBelow(const RtreeBatch *batch, double bound, double *key, uint32_t *number);

typedef struct {
    const char *name; /* "plain", "avx2", "avx512" */
    /* By distance: EUCLIDEAN, MANHATTAN, LR (NULL: see rtree_search.c), MAXIMUM. */
    RtreeBelow *points[4], *boxes[4];
} RtreeLoops;

extern const RtreeLoops clv_rtree_plain, clv_rtree_avx2, clv_rtree_avx512;

/* The fastest form of this machine. */
const RtreeLoops *clv_rtree_loops(void);
/* The forms by number, for tests; number 0 is plain. NULL after the last form that this machine
 * supports. */
const RtreeLoops *clv_rtree_loops_at(size_t number);

#endif
