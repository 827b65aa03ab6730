/*
 * Batches of queries. Workers search pieces of a few dozen rows, which an index may process
 * together. The memory of a search (queries, results, workspace) is allocated once and reused.
 */
#ifndef LEARN_NEIGHBOR_QUERY_H
#define LEARN_NEIGHBOR_QUERY_H

#include "learn/neighbor/index.h"

/* Criteria of the search, the same for every row. */
typedef struct {
    uint32_t most; /* maximum number of neighbors; EVERY_POINT: all within the limit */
    double limit;  /* maximum key, see clv_key_limit; INFINITY: none */
    /* a bit per point that may be found, which must outlive the searcher; NULL: all */
    const uint64_t *only;
    bool share_places; /* call clv_index_share_places */
} SearchLimits;

/* The query rows: rows of a block, or values of the caller, `features` per row. */
typedef struct {
    const Block *block;
    uint32_t first; /* row of the block */
    const float *values;
    uint32_t count;
} QueryRows;

typedef struct Searcher Searcher;

/* The largest key of a point within this distance. */
double clv_key_limit(const Metric *metric, double distance);

/* rows: maximum number of query rows per call. The index must outlive the searcher and must not
 * change. */
Status clv_searcher_new(Context *context, const Index *index, const SearchLimits *wanted,
                        uint32_t rows, Searcher **searcher, cleave_error *error);
void clv_searcher_free(Searcher *searcher);

/* The number of rows that all workers process at a time; clv_searcher_workers: the maximum number
 * of workers. */
uint32_t clv_searcher_rows(const Searcher *searcher);
unsigned clv_searcher_workers(const Searcher *searcher);

/* Called for each row, from several threads, each with a different worker number. row counts
 * from 0 in the batch. `nearest` is sorted and may be exchanged for another one made by
 * clv_searcher_result. */
typedef Status TakeNeighbors(void *user, uint32_t row, Nearest *nearest, unsigned worker,
                             cleave_error *error);
Status clv_search_rows(Searcher *searcher, const QueryRows *queries, TakeNeighbors *take,
                       void *user, cleave_error *error);

Status clv_searcher_result(const Searcher *searcher, Nearest *nearest, cleave_error *error);

#endif
