/*
 * The training rows with every value replaced by the number of its bin, eight bits each: trees look at nothing else while they grow
 * (the histogram method: Alsabti, Ranka and Singh 1998; Chen and Guestrin 2016; Ke et al. 2017).
 *
 *     numbers       at most 255 bins with about as many rows each, one for each value where values are few; bounds lie halfway
 *                   between values, and a value equal to a bound belongs below it
 *     categories    a bin for each value, of many values for the 254 most frequent; the others share one
 *     missing       MISSING_VALUE (data/block.h), a bin of its own, the last of its column, where training rows have it
 *
 * Columns that most rows mention lie in groups, row after row: the bytes of a row are read together, and a group has as many columns as their sums
 * stay in the nearest cache, 64 at most. Columns that few rows mention are kept as lists of what the rows do mention, so that one-hot bundles and words cost
 * what their entries cost; what a row does not mention is 0, whose bin is called the usual one.
 *
 * A column with one bin tells nothing and is left out.
 */
#ifndef LEARN_TREE_BINS_H
#define LEARN_TREE_BINS_H

#include "data/dataset.h"
#include "model/method.h"

enum {
    MOST_BINS = 256,    /* of a column, the missing one included: a byte */
    GROUP_COLUMNS = 64, /* at most */
    GROUP_BINS = 4096,  /* of all columns of a group, at most: 32 KB of sums */
};
#define NO_BIN 256u
#define NO_GROUP UINT32_MAX
#define NO_GUIDE UINT32_MAX

typedef struct {
    uint32_t feature; /* of the data */
    bool category;
    uint16_t bins;    /* in all */
    uint16_t missing; /* bin of missing values, the last one; NO_BIN: every training row has a value */
    uint16_t usual;   /* bin of the value 0 */
    uint32_t bound;   /* numbers: bin b ends with Bins.bound[bound + b]; the last one that is not missing has no end */
    uint32_t code,
        codes; /* categories: value c, below codes, is in bin Bins.code_bin[code + c], a larger one where 0 is */
    uint32_t group, place; /* where it lies; NO_GROUP: in the lists, under this place */
    size_t first;          /* cell of its bin 0 in a histogram */
    uint32_t guide;        /* numbers: where it begins in Bins.guide; NO_GUIDE: it has none */
    float guide_from, guide_scale;
    bool between; /* numbers: bounds lie between the values of all training rows, and are none of them */
} BinColumn;

/* Dense columns that lie together. */
typedef struct {
    uint32_t first, columns; /* of Bins.member */
    uint32_t stride;         /* bytes of a row: a multiple of 8, those behind the columns being 0 */
    size_t start;            /* of its rows in Bins.dense */
} BinGroup;

typedef struct {
    Context *context;
    const Workspace *workspace; /* the matrix and all that is as long as the rows lies there; NULL: in memory */
    /* Where several processes have rows of their own, these are the rows from first on, of so many; everything but rows is the same for all. */
    const Collective *collective; /* NULL: all rows are here */
    uint32_t first, all_rows;
    size_t row_bytes; /* that a row takes, on average of all */
    uint32_t rows, columns;
    BinColumn *column;
    float *bound;
    uint8_t *code_bin;
    uint8_t *guide; /* of dense columns of many bins: see bins_fill.c */
    size_t bounds, code_bins;
    size_t cells; /* of a histogram */

    uint32_t groups;
    BinGroup *group;
    uint32_t *member; /* dense columns, in their order, which is that of the groups */
    uint32_t members;
    uint8_t *dense; /* group after group, in it row after row */
    size_t dense_bytes;
    /* Lists: of row r, cells entry[entry_end[r - 1]] … entry[entry_end[r]], ascending; usual bins are not there. */
    uint32_t lists; /* columns that lie in them */
    uint64_t *entry_end;
    uint32_t *entry;
    uint64_t entries;

    /* Of each row of the matrix. */
    uint32_t *label; /* classes; NULL: regression */
    double *number;  /* regression; NULL: classes */
    float *weight;   /* class weights included; NULL: all 1 */
} Bins;

typedef struct {
    uint32_t bins;   /* of numbers, at most 255; 0: 255 */
    uint32_t sample; /* rows that bounds are found from, spread evenly; 0: 200,000 */
    uint64_t seed;
} BinOptions;

/* Rows with a label and a weight above 0 become rows of the matrix, in their order. */
Status clv_bins_make(Bins *bins, Fit *fit, Dataset *dataset, const BinOptions *options, const Workspace *workspace);
void clv_bins_free(Bins *bins); /* all 0 is fine */
/* Whether a row of the data is one of them. */
bool clv_bins_takes(const Fit *fit, const Block *block, uint32_t row);

static inline double bins_weight(const Bins *bins, uint32_t row)
{
    return bins->weight ? (double)bins->weight[row] : 1;
}

/* The bin a value of the data would be in. */
uint32_t clv_bin_of(const Bins *bins, uint32_t column, float value);
/* Where the bytes of a dense column begin: those of rows are a stride apart. */
static inline const uint8_t *bins_dense(const Bins *bins, uint32_t column, uint32_t *stride)
{
    const BinGroup *group = &bins->group[bins->column[column].group];

    *stride = group->stride;
    return bins->dense + group->start + bins->column[column].place;
}

/* Where the entries of a row begin. */
static inline uint64_t bins_entries(const Bins *bins, uint32_t row)
{
    return row ? bins->entry_end[row - 1] : 0;
}

/* The bin a row is in. */
uint32_t clv_bins_get(const Bins *bins, uint32_t column, uint32_t row);

#endif
