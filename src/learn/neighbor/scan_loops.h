/*
 * What the scan spends its time in: distances in single precision between a few queries and the points of a block. They decide nothing:
 * they say which points need not be looked at in double precision. Each exists for the vector units that a machine may have; scan.c has the
 * bound that makes it safe, and where there is no such unit looks at every point.
 */
#ifndef LEARN_NEIGHBOR_SCAN_LOOPS_H
#define LEARN_NEIGHBOR_SCAN_LOOPS_H

#include "learn/neighbor/index.h"

enum { SCAN_TOGETHER = 4 }; /* queries that look at a point while it is in registers */

/*
 * sums[query * pitch + row] = Σ(x−q)², Σ|x−q| or max|x−q| of the first `features` columns, in floats: of each difference, rounded, the square or the
 * size is added to one of several sums, by column, and those are added up. No number is added after more than features / 8 + 8 others.
 */
typedef void ScanSums(const float *const *query, const float *points, size_t stride, uint32_t rows, uint32_t features,
                      float *sums, size_t pitch);

typedef struct {
    const char *name;                  /* "avx2", "avx512" */
    ScanSums *one[MAXIMUM + 1];        /* by distance, NULL: there is none; for one query */
    ScanSums *collective[MAXIMUM + 1]; /* for SCAN_TOGETHER */
} ScanLoops;

/* The fastest this machine has; NULL: none. */
const ScanLoops *clv_scan_loops(void);
/* By number from 0, for tests; NULL past those this machine can run. */
const ScanLoops *clv_scan_loops_at(size_t number);

/* Those of the queries against all points, which are sparse, by the entries of a point alone; any distance but LR. */
void clv_scan_sparse(const Index *index, const Query *queries, Nearest *nearest, const uint32_t *which, uint32_t count);

#endif
