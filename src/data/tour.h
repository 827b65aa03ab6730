/*
 * A tour visits the blocks of a dataset in an order known in advance, so that blocks are read
 * ahead.
 *
 * A dataset that fits in memory is mapped; the first visit announces the next blocks to the kernel,
 * which caches them. A larger dataset (Dataset.on_disk) would evict itself from the page cache in
 * every epoch. It is therefore read with direct I/O, in pieces of some megabytes, by a few threads
 * into a ring buffer of fixed size. The returned bytes are identical in both cases.
 */
#ifndef DATA_TOUR_H
#define DATA_TOUR_H

#include "data/dataset.h"

typedef struct {
    /* block at each position of the tour, which must outlive it; NULL: file order, from first */
    const uint32_t *order;
    uint32_t first;
    uint32_t places; /* number of blocks */
    size_t held;     /* bytes of the blocks that are used together; 0: one at a time */
    uint32_t beside; /* tours that share the memory; 0: only this one */
} TourPlan;

typedef struct {
    Dataset *dataset;
    TourPlan plan;
    uint32_t next;             /* next position */
    uint32_t announced;        /* mapped: earlier positions were announced */
    struct TourReader *reader; /* NULL: blocks stay in the dataset's memory */
} Tour;

/* Returns the workspace of a block while it is held. */
static inline size_t tour_bytes(const Dataset *dataset, uint32_t block)
{
    enum { ALIGNMENT = 2 * 4096 };

    return dataset->block[block].size + ALIGNMENT;
}

/* Starts or restarts. Without memory or threads for read-ahead, blocks are read on demand. */
void clv_tour_begin(Tour *tour, Dataset *dataset, TourPlan plan);
/* *more is false at the end. The block is valid until the next release. */
Status clv_tour_next(Tour *tour, Block *block, bool *more, cleave_error *error);
/* Releases all returned blocks; at the end of the tour, frees its memory. */
void clv_tour_release(Tour *tour);
void clv_tour_end(Tour *tour); /* may be called at any time; accepts a zeroed tour */

/* Visits each block; stops at the first failed visit. */
typedef Status TourVisit(void *user, const Block *block, cleave_error *error);
Status clv_tour(Dataset *dataset, TourPlan plan, TourVisit *visit, void *user, cleave_error *error);
/* Visits all blocks in file order. */
Status clv_tour_all(Dataset *dataset, TourVisit *visit, void *user, cleave_error *error);

#endif
