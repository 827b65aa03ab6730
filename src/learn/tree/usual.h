/* What tree, forest and boost have in common as methods. */
#ifndef LEARN_TREE_USUAL_H
#define LEARN_TREE_USUAL_H

#include "learn/tree/trees.h"

/* MethodTraining.default_pipeline: columns of a table as they are in the table, missing values marked. */
const char *clv_tree_default_pipeline(const void *options, const Schema *schema);

/* Bins of the training rows, for Method.fit. Warns where trees do badly: many columns of which a row has few. */
Status clv_tree_make_bins(Fit *fit, Dataset *dataset, int64_t most, Bins *bins);
/* Says why no tree asks anything, where that is because there are too few rows for two leaves. */
void clv_tree_warn_few(const Fit *fit, const Trees *trees, int64_t leaf_rows);
/* The shares of the classes in a node, as clv_class_shares_as_probabilities takes them. values has
 * outputs_of(classes) zeros; only other values are set. */
void clv_tree_shares_of(const Fit *fit, const GrowTree *tree, uint32_t node, double *values);

/* Regression: sets the value of each leaf to the mean of its targets, by weight (NULL: 1). Sums are of the targets
 * themselves, not of the rounded gradients. */
Status clv_tree_means(const Grower *grower, const float *weight, double *values, cleave_error *error);

/* Fit.round_over of an update: counts the round, reports progress and ends when the run is cancelled. */
bool clv_tree_update_round(Fit *fit);
/* How many of so many trees or rounds the new rows stand for: their share of all rows, rounded. 0 where the new rows are fewer than two leaves
 * of leaf_rows, or than a tree needs to be of use. */
uint32_t clv_tree_update_rounds(const Fit *fit, uint32_t rounds, int64_t leaf_rows);

/* Fails if trees for the number of classes do not fit into memory. Call it before the first tree
 * is grown. */
Status clv_tree_affordable(const Fit *fit, const GrowOptions *options, uint32_t trees);

/* Into a model that is made before there is a tree: one leaf that knows nothing. */
Status clv_tree_put_nothing(const Fit *fit, Model *model);

#endif
