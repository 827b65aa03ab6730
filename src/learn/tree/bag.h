/*
 * Bagging (Breiman 1996): each tree is grown from as many rows as there are, drawn with replacement, so that a row may be there several times, and about
 * 37 of a hundred are not. Those out of the bag are rows the tree has not seen: asked only of such trees, the training rows judge the forest
 * honestly, with nothing held out. What is drawn is a function of the seed and the number of the tree.
 *
 *     one Bag for each thread:  clv_bag_draw, grow a tree from bag.row and bag.times, ask it about bag.left
 */
#ifndef LEARN_TREE_BAG_H
#define LEARN_TREE_BAG_H

#include "learn/tree/grow.h"

typedef struct {
    Context *context;
    const Bins *bins;
    float *times;   /* each row was drawn, times its weight */
    uint32_t *row;  /* those in the bag, ascending */
    uint32_t *left; /* those out of it, ascending */
    uint32_t rows, lefts;
} Bag;

Status clv_bag_init(Bag *bag, const Bins *bins, cleave_error *error);
void clv_bag_free(Bag *bag);
/* share: of the number of rows, how often to draw. */
void clv_bag_draw(Bag *bag, double share, uint64_t seed, uint64_t tree);

/* What the trees say of rows they were not grown from, summed tree after tree. */
typedef struct {
    Context *context;
    const Bins *bins;
    size_t outputs;
    uint32_t positive; /* two classes */
    double *score;     /* rows * outputs; NULL: of many outputs, votes: */
    uint32_t *trees;   /* that a row was asked of */
    struct BagVote {
        double score;
        uint32_t class, next;
    } * vote;
    uint32_t *first_vote; /* of each row */
    uint32_t votes;
    size_t vote_capacity;
} OutOfBag;

typedef struct {
    double error;    /* classes: share that is wrong; numbers: mean square; by weight */
    double variance; /* numbers: of the targets of the same rows */
    uint64_t rows;   /* that were out of some bag */
} OutOfBagError;

Status clv_out_of_bag_init(OutOfBag *sums, const Bins *bins, size_t outputs, uint32_t positive, cleave_error *error);
void clv_out_of_bag_free(OutOfBag *sums);
/* rows, and the nodes they end in; values: outputs numbers for each node. */
void clv_out_of_bag_add(OutOfBag *sums, const uint32_t *rows, const uint32_t *nodes, uint32_t count,
                        const double *values);
/* The same for many outputs, with the shares of the classes in the leaves of the tree. */
Status clv_out_of_bag_add_shares(OutOfBag *sums, const uint32_t *rows, const uint32_t *nodes, uint32_t count,
                                 const GrowTree *tree, cleave_error *error);
/* Of the rows of all processes. */
Status clv_out_of_bag_error(const OutOfBag *out, OutOfBagError *found, cleave_error *error);

/* The class that scores mean, as the model decides: the highest, the first of several; of two classes, the positive one above 0. */
uint32_t clv_bag_class(const double *scores, size_t outputs, uint32_t positive);

#endif
