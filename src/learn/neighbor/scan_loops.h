/*
 * Inner loops of the scan: single-precision distances between a few queries and the points of a
 * block. They select the points that need a distance in double; scan.c derives the bound that makes
 * this exact. Forms exist for AVX2 and AVX-512. Without them, every distance is computed in double.
 */
#ifndef LEARN_NEIGHBOR_SCAN_LOOPS_H
#define LEARN_NEIGHBOR_SCAN_LOOPS_H

#include "learn/neighbor/index.h"

enum { SCAN_TOGETHER = 4 }; /* queries compared with a point while it is in registers */

/*
 * sums[query * pitch + row] = Σ(x−q)², Σ|x−q| or max|x−q| over the first `features` columns, in
 * floats. The square or absolute value of each rounded difference is added to one of several sums,
 * by column, and the sums are added. No number takes part in more than features / 8 + 8 additions.
 */
typedef void ScanSums(const float *const *query, const float *points, size_t stride, uint32_t rows,
                      uint32_t features, float *sums, size_t pitch);

typedef struct {
    const char *name;                  /* "avx2", "avx512" */
    ScanSums *one[MAXIMUM + 1];        /* by distance, for one query; NULL: none */
    ScanSums *collective[MAXIMUM + 1]; /* for SCAN_TOGETHER queries */
} ScanLoops;

/* The fastest form of this machine; NULL: none. */
const ScanLoops *clv_scan_loops(void);
/* By number from 0, for tests; NULL past the last one this machine can run. */
const ScanLoops *clv_scan_loops_at(size_t number);

/* Compares the queries with all sparse points, by the entries of the points; any distance except
 * LR. */
void clv_scan_sparse(const Index *index, const Query *queries, Nearest *nearest,
                     const uint32_t *which, uint32_t count);

#endif
