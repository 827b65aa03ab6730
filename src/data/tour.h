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
    /* block at each position of the tour; the array must outlive it. NULL: file order, from `first`
     * on. */
    const uint32_t *order;
    uint32_t first;
    uint32_t places; /* number of blocks */
    size_t held;     /* size of the blocks that are used together, in bytes; 0: one at a time */
    uint32_t beside; /* number of tours that share the memory; 0: only this one */
} TourPlan;

typedef struct {
    Dataset *dataset;
    TourPlan plan;
    uint32_t next; /* next position */
    /* mapped data: positions before this one were announced to the kernel */
    uint32_t announced;
    struct TourReader *reader; /* NULL: blocks stay in the dataset's memory */
} Tour;

/* The number of bytes that a block occupies while it is held. */
static inline size_t tour_bytes(const Dataset *dataset, uint32_t block)
{
    enum { ALIGNMENT = 2 * 4096 };

    return dataset->block[block].size + ALIGNMENT;
}

/* Starts or restarts a tour. If memory or threads for read-ahead are not available, blocks are read
 * on demand. */
void clv_tour_begin(Tour *tour, Dataset *dataset, TourPlan plan);
/* Returns the next block, which is valid until the next release. *more is false at the end. */
Status clv_tour_next(Tour *tour, Block *block, bool *more, cleave_error *error);
/* Releases all returned blocks; at the end of the tour, frees its memory. */
void clv_tour_release(Tour *tour);
void clv_tour_end(Tour *tour); /* may be called at any time; accepts a zeroed tour */

/* Visits a block. The tour stops at the first failure. */
typedef Status TourVisit(void *user, const Block *block, cleave_error *error);
Status clv_tour(Dataset *dataset, TourPlan plan, TourVisit *visit, void *user, cleave_error *error);
/* Visits all blocks in file order. */
Status clv_tour_all(Dataset *dataset, TourVisit *visit, void *user, cleave_error *error);

#endif
