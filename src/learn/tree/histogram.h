/*
 * Sums of what rows ask, by bin of every column: all that the search for a split needs to know of a node.
 *
 * Cells of a column lie at its BinColumn.first; of a column in lists, the usual bin holds what the node has and the other bins have not. A cell is a pair of sums, or one sum for each class. Where a histogram is large it is built by several threads, each
 * with groups or rows of its own; whole numbers make the result the same.
 *
 * The smaller child is summed, the larger is what is left of the parent.
 */
#ifndef LEARN_TREE_HISTOGRAM_H
#define LEARN_TREE_HISTOGRAM_H

#include "learn/tree/bins.h"
#include "learn/tree/targets.h"

typedef struct {
    int64_t gradient, hessian;
} PairSum;

/* One of the two, as the targets are. */
typedef struct {
    PairSum *pair;   /* Bins.cells */
    uint32_t *count; /* Bins.cells * classes */
} Histogram;

/* Workspace that the building of one histogram after another needs. */
typedef struct {
    Context *context;
    const Bins *bins;
    const Targets *targets;
    int64_t *scratch; /* packed sums of a group or of the lists, for each worker */
    size_t scratch_cells;
    size_t list_first, list_cells; /* cells of columns in lists */
    unsigned workers;
    bool plain; /* the plain twin of the loops, for tests */
} HistogramMaker;

/* alone: no threads but the caller's. */
Status clv_histogram_maker_init(HistogramMaker *maker, const Bins *bins, const Targets *targets, bool alone,
                                cleave_error *error);
void clv_histogram_maker_free(HistogramMaker *maker);

Status clv_histogram_new(const HistogramMaker *maker, Histogram *histogram, cleave_error *error);
size_t clv_histogram_bytes(const HistogramMaker *maker);
void clv_histogram_free(const HistogramMaker *maker, Histogram *histogram);
/* Of the rows listed. */
void clv_histogram_sum(HistogramMaker *maker, const uint32_t *rows, uint32_t count, Histogram *histogram);
/* parent becomes parent - child. */
void clv_histogram_subtract(const HistogramMaker *maker, Histogram *parent, const Histogram *child);

#endif
