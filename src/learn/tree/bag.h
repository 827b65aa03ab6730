/*
 * Bagging (Breiman 1996). Each tree is grown on a bootstrap sample: as many rows as the training
 * set has, drawn with replacement. About 37% of the rows are out of bag. Predictions of the trees
 * that have not seen a row give an unbiased error estimate without a held-out set. A sample depends
 * on the seed and the number of the tree alone.
 *
 *     one Bag per thread:  clv_bag_draw; grow a tree from bag.row and bag.times; predict bag.left
 */
#ifndef LEARN_TREE_BAG_H
#define LEARN_TREE_BAG_H

#include "learn/tree/grow.h"

typedef struct {
    Context *context;
    const Bins *bins;
    float *times;   /* number of times each row was drawn, times its sample weight */
    uint32_t *row;  /* in-bag rows, in ascending order */
    uint32_t *left; /* out-of-bag rows, in ascending order */
    uint32_t rows, lefts;
} Bag;

Status clv_bag_init(Bag *bag, const Bins *bins, cleave_error *error);
void clv_bag_free(Bag *bag);
/* share: number of drawn rows as a fraction of the number of rows. */
void clv_bag_draw(Bag *bag, double share, uint64_t seed, uint64_t tree);

/* Sums of the out-of-bag predictions of all trees. */
typedef struct {
    Context *context;
    const Bins *bins;
    size_t outputs;
    uint32_t positive; /* binary classification: number of the positive class */
    double *score;     /* rows * outputs; NULL: the outputs are numerous, and stored as votes */
    uint32_t *trees;   /* number of out-of-bag trees per row */
    struct BagVote {
        double score;
        uint32_t class, next;
    } * vote;
    uint32_t *first_vote; /* first vote of each row */
    uint32_t votes;
    size_t vote_capacity;
} OutOfBag;

typedef struct {
    double error;    /* weighted; classification: error rate; regression: mean squared error */
    double variance; /* regression: variance of the targets of these rows */
    uint64_t rows;   /* number of rows that are out of bag for at least one tree */
} OutOfBagError;

Status clv_out_of_bag_init(OutOfBag *sums, const Bins *bins, size_t outputs, uint32_t positive,
                           cleave_error *error);
void clv_out_of_bag_free(OutOfBag *sums);
/* Adds the predictions for rows, given the leaf of each row. values: `outputs` numbers per node. */
void clv_out_of_bag_add(OutOfBag *sums, const uint32_t *rows, const uint32_t *nodes, uint32_t count,
                        const double *values);
/* Adds predictions for many outputs, with the class probabilities of the leaves. */
Status clv_out_of_bag_add_shares(OutOfBag *sums, const uint32_t *rows, const uint32_t *nodes,
                                 uint32_t count, const GrowTree *tree, cleave_error *error);
/* The error over the rows of all processes. */
Status clv_out_of_bag_error(const OutOfBag *out, OutOfBagError *found, cleave_error *error);

/* The predicted class for mean scores, by the rule of the model: the class with the highest score
 * (the first of equal scores). In binary classification, the positive class if its score is above
 * 0. */
uint32_t clv_bag_class(const double *scores, size_t outputs, uint32_t positive);

#endif
