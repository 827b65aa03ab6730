/*
 * The best split of a node by one column, from the column's cells.
 *
 *     gradients    gain = GL²/(HL + l2) + GR²/(HR + l2) − G²/(H + l2)
 *     gini         gain = Σ L²/WL + Σ R²/WR − Σ C²/W            over the weights of classes: W times what the index falls by
 *     entropy      the same with Σ C ln(C/W)
 *
 * Of splits that gain the same, the first: the lower column, the lower bin.
 */
#ifndef LEARN_TREE_SPLIT_H
#define LEARN_TREE_SPLIT_H

#include "learn/tree/grow.h"

enum { SET_WORDS = MOST_BINS / 32 };

/* What the rows of a node come to. */
typedef struct {
    uint64_t rows;      /* of all processes */
    PairSum pair;       /* gradients */
    uint32_t *count;    /* classes; NULL when the node is no longer open */
    uint64_t weight;    /* classes: their sum */
    double least, most; /* limits of its value by monotone columns above it */
} NodeSum;

typedef struct {
    double gain; /* 0: there is none */
    uint32_t column;
    uint16_t bin;
    bool missing_left, missing_seen; /* of numbers: rows of the node lack the value */
    uint32_t set[SET_WORDS];         /* categories: bins that go left */
    uint32_t seen[SET_WORDS];        /* categories: bins that rows of the node are in */
    PairSum left;                    /* gradients: of those that go left */
} Split;

/* One for each thread. */
typedef struct {
    uint16_t used[MOST_BINS], order[MOST_BINS]; /* bins of the node that are not empty; in some order */
    double key[MOST_BINS];
    uint32_t uses;
    uint32_t *left; /* classes */
    /* Cells of one column, all 0 between two uses. */
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

/* Replaces *best where the column has a better one. */
void clv_split_search(const SplitRules *rules, SplitWorkspace *workspace, const NodeSum *node, uint32_t column,
                      const Histogram *histogram, Split *best);
/* The same from the rows themselves, for nodes of few rows or columns. */
void clv_split_search_rows(const SplitRules *rules, SplitWorkspace *workspace, const NodeSum *node, uint32_t column,
                           const uint32_t *rows, uint32_t count, Split *best);
/* -G / (H + l2), as near as the node's limits allow. */
double clv_split_value(const SplitRules *rules, PairSum sum, double least, double most);

static inline bool in_set(const uint32_t *set, uint32_t bin)
{
    return (set[bin / 32] >> (bin % 32)) & 1;
}

#endif
