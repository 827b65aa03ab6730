/*
 * The training rows with every value replaced by the number of its bin, eight bits each: trees look at nothing else while they grow
 * (the histogram method: Alsabti, Ranka and Singh 1998; Chen and Guestrin 2016; Ke et al. 2017).
 *
 *     numbers       at most 255 bins with about as many rows each, one for each value where values are few; bounds lie halfway
 *                   between values, and a value equal to a bound belongs below it
 *     categories    a bin for each value, of many values for the 254 most frequent; the others share one
 *     missing       MISSING_VALUE (data/block.h), a bin of its own, the last of its column, where training rows have it
 *
 * Columns that most rows mention lie in groups of 16, row after row: 16 bytes of a row are read together, and the sums of a group stay in the
 * nearest cache. Columns that few rows mention are kept as lists of what the rows do mention, so that one-hot bundles and words cost
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
    GROUP_COLUMNS = 16, /* of a dense group */
};
#define NO_BIN 256u
#define NO_GROUP UINT32_MAX

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
    bool between;          /* numbers: bounds lie between the values of all training rows, and are none of them */
} BinColumn;

/* Where the matrix lives. learn/ opens no files: who wants it in a mapped one hands this over; NULL: the context's memory. */
typedef struct {
    void *user;
    void *(*take)(void *user, size_t bytes); /* zeroed; NULL: there is no room */
    void (*give_back)(void *user, void *memory, size_t bytes);
} BinRoom;

typedef struct {
    Context *context;
    const BinRoom *room;
    uint32_t rows, columns;
    BinColumn *column;
    float *bound;
    uint8_t *code_bin;
    size_t bounds, code_bins;
    size_t cells; /* of a histogram */

    uint32_t groups;
    uint32_t dense_columns; /* the last group may have fewer than 16 */
    uint8_t *dense;         /* groups * rows * 16: group after group, in it row after row */
    /* Lists: of row r, cells entry[entry_end[r - 1]] … entry[entry_end[r]], ascending; usual bins are not there. */
    uint32_t lists; /* columns that lie in them */
    uint64_t *entry_end;
    uint32_t *entry;
    uint64_t entries;
    size_t entry_bytes; /* there is room for */

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
Status clv_bins_make(Bins *bins, Fit *fit, Dataset *dataset, const BinOptions *options, const BinRoom *room);
void clv_bins_free(Bins *bins); /* all 0 is fine */

/* The bin a value of the data would be in. */
uint32_t clv_bin_of(const Bins *bins, uint32_t column, float value);
/* The bin a row is in. */
uint32_t clv_bins_get(const Bins *bins, uint32_t column, uint32_t row);

#endif
