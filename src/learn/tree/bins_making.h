/*
 * Private header of the files that make bins: the first pass over the data (bins_scan.c), agreement
 * between processes (bins_agree.c), columns (bins_columns.c), and the second pass, which replaces
 * values by bins (bins_fill.c).
 */
#ifndef LEARN_TREE_BINS_MAKING_H
#define LEARN_TREE_BINS_MAKING_H

#include "data/tour.h"
#include "learn/tree/bins.h"

enum { MOST_CODES = 1 << 24 }; /* the same limit as in pipeline/codes.c */
#define NO_PLACE UINT32_MAX
#define MOST_ROWS (UINT32_MAX - 1)

typedef struct {
    uint32_t feature;
    float value;
} SampleEntry;

typedef struct {
    uint32_t *count; /* rows per code */
    size_t capacity, codes;
} BinCodes;

/* Results of the first pass. */
typedef struct {
    Fit *fit;
    Bins *bins;
    uint32_t features;
    uint64_t *mentions;     /* rows with a nonzero value, per feature */
    uint64_t *all_mentions; /* rows with a nonzero value, per feature, of all processes */
    bool *lacks, *category;
    BinCodes *codes;     /* for each categorical column */
    uint32_t *column_of; /* per feature; NO_PLACE: constant */
    uint64_t most_rows;  /* upper bound of the local rows with a label */

    uint64_t stride, seed; /* one row per stride is sampled */
    uint64_t met, next;    /* number of rows read; next row of the sample */
    uint32_t sampled;
    SampleEntry *sample;
    size_t samples, sample_capacity;
} Making;

/* The first pass: targets of rows, a sample of numbers, and counts of values. */
Status clv_bins_scan(Making *making, Dataset *dataset);
/* Allocates counts for codes below `count`. */
Status clv_bins_reach(Making *making, BinCodes *codes, size_t count);
/* Allocates sample weights; the weight of earlier rows is 1. */
Status clv_bins_begin_weights(Making *making);
/* Chooses the sampled row of a stride at random when its first row is read. */
void clv_bins_choose_sample(Making *making);

/* Several processes, before the first pass: computes the number of the first local row and of
 * all rows. */
Status clv_bins_number_rows(Making *making, Dataset *dataset);
/* After the first pass: combines the results of all processes. */
Status clv_bins_agree(Making *making);

/* Makes the columns from the results. */
Status clv_bins_make_columns(Making *making, const BinOptions *options);
/* Makes the guide that speeds up clv_bin_of; columns and groups are known. */
Status clv_bins_make_guides(Making *making);

/* The second pass: the matrix. */
Status clv_bins_fill(Making *making, Dataset *dataset);

/* An interrupt ends it early. Bins then exist only for the rows read so far, and no tree is grown
 * from them. */
static inline Status bins_tour(const Making *making, Dataset *dataset, TourVisit *visit, void *user)
{
    Status status = clv_tour_all(dataset, visit, user, making->fit->error);

    return status == CLEAVE_ERROR_CANCELLED ? OK : status;
}

static inline void bins_give_back(const Bins *bins, void *array)
{
    clv_workspace_give(bins->workspace, bins->context, array);
}

/* Values that are not codes are treated as unknown categories. */
static inline uint32_t bins_code(float value)
{
    return value >= 1 && value <= (float)MOST_CODES ? (uint32_t)value : 0;
}

#endif
