/*
 * Adds new rows to the leaves of grown trees: the leaf statistics become those of the old and the
 * new rows together.
 *
 *     value of a leaf  +=  (target of the row − value) k / (weight of the leaf + k)
 *
 * k is the weight of the row. A value is the mean of the targets of the rows of the leaf. The
 * target is 1 or 0 for each class, 1 or −1 in binary classification, and the number itself in a
 * regression. Trees of a forest are grown on bootstrap samples. There the weight of a row is
 * multiplied by a Poisson variable with the mean --row-fraction, drawn for each tree and row: the
 * limit of drawing with replacement (Oza and Russell 2001, Online bagging and boosting).
 */
#ifndef LEARN_TREE_LEAVES_H
#define LEARN_TREE_LEAVES_H

#include "learn/tree/trees.h"

/* Trees with the arrays that an update changes; the other arrays are those of the model. */
typedef struct {
    Context *context;
    Trees trees;
    double *weight, *class_weight, *value;
    uint32_t *rows; /* NULL: the model has none */
    float *values;
    /* Sparse leaves: lists of probabilities, which become arrays after the last row. */
    struct LeafShare {
        float share;
        uint32_t output, next;
    } * share;
    size_t shares, share_capacity;
    uint32_t *first_share; /* per leaf */
    uint64_t *leaf_start;
    uint32_t *leaf_output;
    uint32_t *parent; /* parent of each node; a root is its own parent */
} LeafUpdate;

/* Copies weights and values of a model's trees, for the classes and outputs of fit. The caller
 * frees it, also after an error. */
Status clv_leaves_begin(LeafUpdate *update, const Fit *fit, const Model *from);
void clv_leaves_free(LeafUpdate *update);
/* Adds the rows of the dataset. draws: mean of the Poisson variable; 0: each row counts once. Rows
 * are numbered from fit->rows_before on. */
Status clv_leaves_add_rows(LeafUpdate *update, const Fit *fit, Dataset *dataset, double draws);
/* Adds to the weight and the rows of a node and of all nodes above it. */
void clv_leaves_add_weight(LeafUpdate *update, uint32_t node, double weight, uint32_t rows);

#endif
