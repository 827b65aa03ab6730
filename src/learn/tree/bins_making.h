/*
 * What the files that make bins share, and nobody else needs: what the first tour of the data (bins_look.c) finds, for all processes (bins_agree.c), what columns are
 * made of it (bins_columns.c), and the second tour, which replaces values by bins (bins_fill.c).
 */
#ifndef LEARN_TREE_BINS_MAKING_H
#define LEARN_TREE_BINS_MAKING_H

#include "data/tour.h"
#include "learn/tree/bins.h"

enum { MOST_CODES = 1 << 24 }; /* pipeline/codes.c makes no more */
#define NO_PLACE UINT32_MAX
#define MOST_ROWS (UINT32_MAX - 1)

typedef struct {
    uint32_t feature;
    float value;
} SampleEntry;

typedef struct {
    uint32_t *count; /* by code */
    size_t capacity, codes;
} Codes;

/* What the first tour finds. */
typedef struct {
    Fit *fit;
    Bins *bins;
    uint32_t features;
    uint64_t *mentions;     /* rows in which a feature is not 0 */
    uint64_t *all_mentions; /* … of all processes */
    bool *lacks, *category;
    Codes *codes;        /* of categories */
    uint32_t *column_of; /* of each feature; NO_PLACE: it tells nothing */
    uint64_t most_rows;  /* of the dataset: those with a label, and here, are not more */

    uint64_t stride, seed; /* a row of every so many is sampled */
    uint64_t met, next;    /* rows met, the next one of the sample */
    uint32_t sampled;
    SampleEntry *sample;
    size_t samples, sample_capacity;
} Making;

/* The first tour: targets of rows, a sample of numbers, how often there is what. */
Status clv_bins_look(Making *making, Dataset *dataset);
/* Codes below count can be counted. */
Status clv_bins_reach(Making *making, Codes *codes, size_t count);
/* Rows have weights from now on: those so far weigh 1. */
Status clv_bins_begin_weights(Making *making);
/* Which row of a stride is sampled, by chance: as soon as the first of them is met. */
void clv_bins_choose_sample(Making *making);

/* Several processes. Before the first tour: the number of the first row that is here, and of all rows. */
Status clv_bins_number_rows(Making *making, Dataset *dataset);
/* After it: what it found, as if it had been of all rows. */
Status clv_bins_agree(Making *making);

/* Columns, of what was found. */
Status clv_bins_make_columns(Making *making, const BinOptions *options);
/* What makes clv_bin_of quick; columns and their groups are known. */
Status clv_bins_make_guides(Making *making);

/* The second tour: the matrix. */
Status clv_bins_fill(Making *making, Dataset *dataset);

/* An interrupt ends it early: there are bins for the rows met so far, and no tree that would ask what the others are in. */
static inline Status bins_tour(const Making *making, Dataset *dataset, TourVisit *visit, void *user)
{
    Status status = clv_tour_all(dataset, visit, user, making->fit->error);

    return status == CLEAVE_ERROR_CANCELLED ? OK : status;
}

static inline void bins_give_back(const Bins *bins, void *array)
{
    clv_workspace_give(bins->workspace, bins->context, array);
}

/* Values that are no code at all are as those that nobody knows. */
static inline uint32_t bins_code(float value)
{
    return value >= 1 && value <= (float)MOST_CODES ? (uint32_t)value : 0;
}

#endif
