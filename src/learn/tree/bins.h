/*
 * The training rows with every value replaced by its bin number of 8 bits. Tree growth uses bins
 * only (the histogram method: Alsabti, Ranka and Singh 1998; Chen and Guestrin 2016; Ke et al.
 * 2017).
 *
 *     numbers       at most 255 bins with about equal numbers of rows, or one bin per distinct
 *                   value; bounds lie halfway between values, and a value equal to a bound is below
 *                   it
 *     categories    one bin per value; of many values, the 254 most frequent, and one bin for the
 *                   rest
 *     missing       MISSING_VALUE (data/block.h), the last bin of its column, if training rows have
 *                   it
 *
 * Columns with a value in most rows are stored in dense groups, row by row. A group has at most 64
 * columns, so that its histogram fits in the first-level cache. Other columns are stored as sparse
 * lists of entries, so that the memory for one-hot columns and words is proportional to their
 * entries. A value absent from a list is 0; its bin is the default bin.
 *
 * A column with one bin is dropped.
 */
#ifndef LEARN_TREE_BINS_H
#define LEARN_TREE_BINS_H

#include "data/dataset.h"
#include "model/method.h"

enum {
    /* maximum per column, including the bin of missing values, so that a bin is a byte */
    MOST_BINS = 256,
    GROUP_COLUMNS = 64, /* maximum */
    GROUP_BINS = 4096,  /* maximum over all columns of a group: 32 KB of sums */
};
#define NO_BIN 256u
#define NO_GROUP UINT32_MAX
#define NO_GUIDE UINT32_MAX

typedef struct {
    uint32_t feature; /* feature of the data */
    bool category;
    uint16_t bins; /* number of bins */
    /* bin of missing values, which is the last bin; NO_BIN: the column has no missing values in
     * training */
    uint16_t missing;
    uint16_t default_bin; /* default bin: the bin of the value 0 */
    /* numbers: bin b ends at Bins.bound[bound + b]; the last non-missing bin has no end */
    uint32_t bound;
    uint32_t code,
        /* categories: value c < codes has the bin Bins.code_bin[code + c]; larger values that of
         * 0 */
        codes;
    uint32_t group, place; /* position in the group; in the lists if group is NO_GROUP */
    size_t first;          /* cell of bin 0 in a histogram */
    uint32_t guide;        /* numbers: start in Bins.guide; NO_GUIDE: none */
    float guide_from, guide_scale;
    bool between; /* numbers: whether no bound equals a training value */
} BinColumn;

/* A group of dense columns. */
typedef struct {
    uint32_t first, columns; /* first column in Bins.member; number of columns */
    uint32_t stride;         /* bytes per row: a multiple of 8, padded with 0 */
    size_t start;            /* start of its rows in Bins.dense */
} BinGroup;

typedef struct {
    Context *context;
    const Workspace *workspace; /* holds the matrix and all per-row arrays; NULL: in memory */
    /* Several processes: the bins have the rows from `first` on, of all_rows. Everything except
     * rows is the same in all processes. */
    const Collective *collective; /* NULL: all rows are local */
    uint32_t first, all_rows;
    size_t row_bytes; /* mean bytes per row */
    uint32_t rows, columns;
    BinColumn *column;
    float *bound;
    uint8_t *code_bin;
    uint8_t *guide; /* search guide for dense columns of many bins; see bins_fill.c */
    size_t bounds, code_bins;
    size_t cells; /* number of cells of a histogram */

    uint32_t groups;
    BinGroup *group;
    uint32_t *member; /* dense columns in the order of the groups */
    uint32_t members;
    uint8_t *dense; /* group by group, row by row */
    size_t dense_bytes;
    /* Lists: row r has the cells entry[entry_end[r - 1]] … entry[entry_end[r]], in ascending order,
     * without default bins. */
    uint32_t lists; /* number of columns in lists */
    uint64_t *entry_end;
    uint32_t *entry;
    uint64_t entries;

    /* Arrays per row of the matrix. */
    uint32_t *label; /* in classification; otherwise NULL */
    double *number;  /* in a regression; otherwise NULL */
    float *weight;   /* including class weights; NULL: all 1 */
} Bins;

typedef struct {
    uint32_t bins;   /* bins per numeric column, at most 255; 0: 255 */
    uint32_t sample; /* number of evenly spaced rows from which bounds are computed; 0: 200,000 */
    uint64_t seed;
} BinOptions;

/* Makes the bins. Rows with a label and a weight above 0 become rows of the matrix, in their
 * order. */
Status clv_bins_make(Bins *bins, Fit *fit, Dataset *dataset, const BinOptions *options,
                     const Workspace *workspace);
void clv_bins_free(Bins *bins); /* accepts an object of zeros */
/* Whether a row of the data is a row of the matrix. */
bool clv_bins_takes(const Fit *fit, const Block *block, uint32_t row);

static inline double bins_weight(const Bins *bins, uint32_t row)
{
    return bins->weight ? (double)bins->weight[row] : 1;
}

/* The bin of a value. */
uint32_t clv_bin_of(const Bins *bins, uint32_t column, float value);
/* The bin of the first row in a dense column. Rows are a stride apart. */
static inline const uint8_t *bins_dense(const Bins *bins, uint32_t column, uint32_t *stride)
{
    const BinGroup *group = &bins->group[bins->column[column].group];

    *stride = group->stride;
    return bins->dense + group->start + bins->column[column].place;
}

/* The first entry of a row. */
static inline uint64_t bins_entries(const Bins *bins, uint32_t row)
{
    return row ? bins->entry_end[row - 1] : 0;
}

/* The bin of a row in a column. */
uint32_t clv_bins_get(const Bins *bins, uint32_t column, uint32_t row);

/* A set of bins has a bit for each bin. */
enum { SET_WORDS = MOST_BINS / 32 };
static inline bool in_set(const uint32_t *set, uint32_t bin)
{
    return (set[bin / 32] >> (bin % 32)) & 1;
}

#endif
