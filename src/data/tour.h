/*
 * A tour of a dataset: its blocks one after another, in an order known beforehand, so that they are read before they are asked
 * for.
 *
 * A dataset that fits in memory is mapped: the kernel is told what comes next, the first time round, and keeps it. One that does
 * not (Dataset.on_disk) would push itself out of the kernel's cache before each sweep comes round to the same place again; so
 * it is read past the cache, in pieces of some megabytes, by a few threads that mostly wait for the disk, into a ring of memory of a
 * fixed size. What a tour hands out is the same bytes either way.
 */
#ifndef DATA_TOUR_H
#define DATA_TOUR_H

#include "data/dataset.h"

typedef struct {
    const uint32_t
        *order; /* block at each place of the tour, which must outlive it; NULL: as in the file, from first */
    uint32_t first;
    uint32_t places; /* so many blocks */
    size_t held;     /* room of the blocks that will be looked at together; 0: one at a time */
    uint32_t beside; /* tours that share the memory there is; 0: this one alone */
} TourPlan;

typedef struct {
    Dataset *dataset;
    TourPlan plan;
    uint32_t next;         /* place to come */
    uint32_t asked;        /* mapped: places before it have been asked for */
    struct Reader *reader; /* NULL: blocks are looked at where the dataset has them */
} Tour;

/* Workspace that a block takes while it is held. */
static inline size_t tour_room(const Dataset *dataset, uint32_t block)
{
    enum { ALIGNMENT = 2 * 4096 };

    return dataset->block[block].size + ALIGNMENT;
}

/* Begins, anew where it has begun before. Where there is no memory or thread to read ahead with, blocks come all the same. */
void clv_tour_begin(Tour *tour, Dataset *dataset, TourPlan plan);
/* false in *more at the end. The block is good until the next release. */
Status clv_tour_next(Tour *tour, Block *block, bool *more, cleave_error *error);
/* Nothing that was handed out so far will be looked at again; at the end of the tour, its memory is given back. */
void clv_tour_release(Tour *tour);
void clv_tour_end(Tour *tour); /* at any time; a tour that is all 0 is fine */

/* Visits each block; ends with the first visit that fails. */
typedef Status TourVisit(void *user, const Block *block, cleave_error *error);
Status clv_tour(Dataset *dataset, TourPlan plan, TourVisit *visit, void *user, cleave_error *error);
/* All blocks as in the file. */
Status clv_tour_all(Dataset *dataset, TourVisit *visit, void *user, cleave_error *error);

#endif
