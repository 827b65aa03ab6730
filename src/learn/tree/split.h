/*
 * The best split of a node by one column, from the column's histogram cells.
 *
 *     gradients    gain = GL²/(HL + l2) + GR²/(HR + l2) − G²/(H + l2)
 *     gini         gain = Σ L²/WL + Σ R²/WR − Σ C²/W      over class weights: W times the decrease
 *     entropy      the same with Σ C ln(C/W)
 *
 * If splits have equal gain, the lower column is chosen, then the lower bin.
 */
#ifndef LEARN_TREE_SPLIT_H
#define LEARN_TREE_SPLIT_H

#include "learn/tree/grow.h"

/* Sums over the rows of a node. */
typedef struct {
    uint64_t rows;      /* number of rows of all processes */
    PairSum pair;       /* sum of gradients */
    uint32_t *count;    /* classes: weight of each; NULL when the node is no longer open */
    uint64_t weight;    /* classes: sum of the weights */
    double least, most; /* limits of its value, from monotone columns above it */
} NodeSum;

typedef struct {
    double gain; /* gain of the split; 0: no split */
    uint32_t column;
    uint16_t bin;
    /* numbers: side of missing values; whether rows of the node lack the value */
    bool missing_left, missing_seen;
    uint32_t set[SET_WORDS];  /* categories: bins of the left child */
    uint32_t seen[SET_WORDS]; /* categories: bins present in the node */
    PairSum left;             /* gradients: sum of the rows that go left */
} Split;

/* Scratch space of a thread. */
typedef struct {
    /* nonempty bins of the node; the same bins in another order */
    uint16_t used[MOST_BINS], order[MOST_BINS];
    double key[MOST_BINS];
    uint32_t uses;
    uint32_t *left; /* classes: weights of the left side */
    /* Cells of one column. They are all 0 between uses. */
    PairSum *pair;
    uint32_t *count;
} SplitWorkspace;

typedef struct {
    const Bins *bins;
    const Targets *targets;
    const GrowOptions *options;
} SplitRules;

Status clv_split_workspace_init(SplitWorkspace *workspace, Context *context, const Targets *targets,
                                cleave_error *error);
void clv_split_workspace_free(SplitWorkspace *workspace, Context *context);

/* Replaces *best if the column has a better split. */
void clv_split_search(const SplitRules *rules, SplitWorkspace *workspace, const NodeSum *node,
                      uint32_t column, const Histogram *histogram, Split *best);
/* Searches from the rows instead of the cells, for nodes of few rows or columns. */
void clv_split_search_rows(const SplitRules *rules, SplitWorkspace *workspace, const NodeSum *node,
                           uint32_t column, const uint32_t *rows, uint32_t count, Split *best);
/* The value -G / (H + l2), limited to the node's range. */
double clv_split_value(const SplitRules *rules, PairSum sum, double least, double most);

#endif
