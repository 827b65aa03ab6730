/* Shared code of the methods tree, forest and boost. */
#ifndef LEARN_TREE_DEFAULTS_H
#define LEARN_TREE_DEFAULTS_H

#include "learn/tree/trees.h"

/* MethodTraining.default_pipeline: columns of a table are not expanded, and missing values remain
 * missing. */
const char *clv_tree_default_pipeline(const void *options, const Schema *schema);

/* Makes the bins of the training rows. Warns about sparse data, for which trees are a poor
 * choice. */
Status clv_tree_make_bins(Fit *fit, Dataset *dataset, int64_t most, Bins *bins);
/* Warns if there are too few rows for two leaves. */
void clv_tree_warn_few(const Fit *fit, const Trees *trees, int64_t leaf_rows);
/* The class probabilities of a node in the form of clv_class_shares_as_probabilities. values has
 * outputs_of(classes) zeros; only nonzero values are set. */
void clv_tree_shares_of(const Fit *fit, const GrowTree *tree, uint32_t node, double *values);

/* Regression: sets the value of each leaf to the weighted mean of its targets (weight NULL: 1).
 * Sums use the exact targets, not the rounded gradients. */
Status clv_tree_means(const Grower *grower, const float *weight, double *values,
                      cleave_error *error);

/* Implements Fit.round_over for an update: counts the round, reports progress, and ends when the
 * run is cancelled. */
bool clv_tree_update_round(Fit *fit);
/* The number of trees or rounds that the new rows justify: their fraction of all rows, rounded. 0
 * if the new rows are fewer than two leaves of leaf_rows, or too few for a useful tree. */
uint32_t clv_tree_update_rounds(const Fit *fit, uint32_t rounds, int64_t leaf_rows);

/* Fails if trees for this number of classes do not fit into memory. Called before the first tree is
 * grown. */
Status clv_tree_affordable(const Fit *fit, const GrowOptions *options, uint32_t trees);

/* Stores a tree with a single leaf without information, for a model without trees. */
Status clv_tree_put_nothing(const Fit *fit, Model *model);

#endif
