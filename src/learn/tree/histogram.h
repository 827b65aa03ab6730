/*
 * Histograms: sums of the targets by bin for every column, the input of the split search of a node.
 *
 * Cells of a column start at its BinColumn.first. In a list column, the default bin holds the
 * node's total minus the other bins. A cell is a pair of sums, or one sum per class. Several
 * threads build a large histogram, each with its own groups or rows. Integer sums make the result
 * bit-identical.
 *
 * The histogram of the smaller child is summed from its rows. That of the larger child is the
 * parent's minus the smaller child's.
 */
#ifndef LEARN_TREE_HISTOGRAM_H
#define LEARN_TREE_HISTOGRAM_H

#include "learn/tree/bins.h"
#include "learn/tree/targets.h"

typedef struct {
    int64_t gradient, hessian;
} PairSum;

/* One of the two arrays exists, by the kind of targets. */
typedef struct {
    PairSum *pair;   /* size: Bins.cells */
    uint32_t *count; /* size: Bins.cells * classes */
} Histogram;

/* Workspace for building histograms. */
typedef struct {
    Context *context;
    const Bins *bins;
    const Targets *targets;
    int64_t *scratch; /* packed sums of a group or of the lists, for each worker */
    size_t scratch_cells;
    size_t list_first, list_cells; /* cells of list columns: the first, and their number */
    unsigned workers;
    bool plain; /* use the plain loops, for tests */
} HistogramMaker;

/* alone: uses the caller's thread only. */
Status clv_histogram_maker_init(HistogramMaker *maker, const Bins *bins, const Targets *targets,
                                bool alone, cleave_error *error);
void clv_histogram_maker_free(HistogramMaker *maker);

Status clv_histogram_new(const HistogramMaker *maker, Histogram *histogram, cleave_error *error);
size_t clv_histogram_bytes(const HistogramMaker *maker);
void clv_histogram_free(const HistogramMaker *maker, Histogram *histogram);
/* Computes the histogram of the listed rows. */
void clv_histogram_sum(HistogramMaker *maker, const uint32_t *rows, uint32_t count,
                       Histogram *histogram);
/* Changes parent to parent - child. */
void clv_histogram_subtract(const HistogramMaker *maker, Histogram *parent, const Histogram *child);

#endif
