/*
 * Inner loops of the scan: single-precision distances between a few queries and the points of a
 * block. They select the points that need a distance in double; scan.c derives the bound that makes
 * this exact. Forms exist for AVX2 and AVX-512. Without them, every distance is computed in double.
 */
#ifndef LEARN_NEIGHBOR_SCAN_LOOPS_H
#define LEARN_NEIGHBOR_SCAN_LOOPS_H

#include "learn/neighbor/index.h"

enum {
    SCAN_TOGETHER = 4,      /* queries compared with a point while it is in registers */
    SCAN_AT_ONCE = 256,     /* maximum number of queries per call of the functions below */
    SCAN_MOST_PANEL = 32,   /* maximum number of points of a panel */
    SCAN_MOST_QUERIES = 12, /* maximum number of queries compared with a panel */
    SCAN_COLUMNS = 128,     /* columns of a panel and queries that stay in the cache together */
};

/* Products of vectors with lengths in this range neither overflow nor underflow. */
#define SCAN_LEAST_LENGTH 0x1p-40F
#define SCAN_MOST_LENGTH 0x1p50F

/* A point of length X with a product below base + slope X is skipped. */
typedef struct {
    float base, slope;
} ScanLimit;

/*
 * sums[query * pitch + row] = Σ(x−q)², Σ|x−q| or max|x−q| over the first `features` columns, in
 * floats. The square or absolute value of each rounded difference is added to one of several sums,
 * by column, and the sums are added. No number takes part in more than features / 8 + 8 additions.
 */
typedef void ScanSums(const float *const *query, const float *points, size_t stride, uint32_t rows,
                      uint32_t features, float *sums, size_t pitch);

typedef struct {
    const char *name;                  /* "avx2", "avx512" */
    ScanSums *one[MAXIMUM + 1];        /* loop for one query by distance; NULL: none */
    ScanSums *collective[MAXIMUM + 1]; /* loop for SCAN_TOGETHER queries */
    /* Inner products of a panel of points with some queries, both stored column by column; copies
     * of the last point replace missing ones. `pack` adds to the squares of the points,
     * `add_products` to sums[query * panel + point]; `compare` returns a bit per point that is not
     * skipped. */
    uint32_t panel, queries;
    void (*pack)(const float *points, size_t stride, uint32_t rows, uint32_t columns, float *panel,
                 float *squares);
    void (*add_products)(const float *panel, const float *queries, uint32_t columns, float *sums);
    uint64_t (*compare)(const float *sums, ScanLimit limit, const float *length);
    /* For a single query. The results have space for a multiple of 4 rows. */
    void (*product)(const float *query, const float *points, size_t stride, uint32_t rows,
                    uint32_t features, float *product, float *squares);
} ScanLoops;

/* The fastest form of this machine; NULL: none. */
const ScanLoops *clv_scan_loops(void);
/* The forms by number, for tests; NULL after the last form that this machine supports. */
const ScanLoops *clv_scan_loops_at(size_t number);

/* Compares at most SCAN_AT_ONCE queries with all points by inner products. memory:
 * clv_scan_products_size floats. */
enum { SCAN_MOST_PRODUCTS = 1 << 18 }; /* maximum number of columns */
size_t clv_scan_products_size(const Index *index, const ScanLoops *loops, uint32_t count);
void clv_scan_products(const Index *index, const ScanLoops *loops, const Query *queries,
                       Nearest *nearest, const uint32_t *which, uint32_t count, float *memory);

/* Compares the queries with all sparse points, by the entries of the points; any distance except
 * LR. */
void clv_scan_sparse(const Index *index, const Query *queries, Nearest *nearest,
                     const uint32_t *which, uint32_t count);

/* Number of packed rows that are unpacked at once for a single query, so that they stay in the
 * nearest cache. most: the maximum. */
uint32_t clv_scan_unpacked_rows(uint32_t features, uint32_t most);

#endif
