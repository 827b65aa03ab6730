/*
 * Losses of boosting. For each training row: its scores so far, and the first and second
 * derivatives of the loss, which are the targets of the next tree (Friedman, Hastie and Tibshirani
 * 2000; Friedman 2001).
 *
 *     squared     ½ (s − y)²           g = s − y        h = 1
 *     logistic    ln(1 + e^s) − [y] s  g = p − [y]      h = p (1 − p),  p = 1 / (1 + e^−s)
 *     softmax     ln Σ e^s_c − s_y     g = p_c − [c=y]  h = k/(k − 1) p_c (1 − p_c)
 *                 p_c = e^s_c / Σ e^s
 *     exponential e^−(s_y − mean s)    for AdaBoost, which uses classes and weights instead
 *                                  of g and h (adaboost.c)
 *
 * All are multiplied by the sample weight. Scores are stored by output, 8 bytes per row.
 * Derivatives are computed for one output at a time, because the tree of one output does not change
 * the scores of others.
 */
#ifndef LEARN_TREE_LOSSES_H
#define LEARN_TREE_LOSSES_H

#include "learn/tree/bins.h"

typedef enum { SQUARED_LOSS, LOGISTIC_LOSS, SOFTMAX_LOSS, EXPONENTIAL_LOSS } BoostLoss;

typedef struct {
    Context *context;
    const Bins *bins;
    BoostLoss loss;
    size_t outputs;
    uint32_t positive;
    double *start; /* initial score of each output: the optimal constant */
    double *score; /* outputs * rows */
    /* derivatives for one output; hessian NULL: the hessians are 1, or equal to Bins.weight */
    float *gradient, *hessian;
    float *highest, *inverse; /* softmax, per row: the highest score and 1 / Σ e^(s - highest) */
    double *partial;          /* sums per chunk of rows */
} Losses;

Status clv_losses_init(Losses *losses, const Bins *bins, BoostLoss loss, size_t outputs,
                       uint32_t positive, cleave_error *error);
void clv_losses_free(Losses *losses); /* accepts an object of zeros */
/* The weighted loss of the local rows at their scores. Called after a change of scores, before
 * clv_losses_gradients. */
double clv_losses_sum(Losses *losses);
/* Computes gradient and hessian for the next tree of an output. */
void clv_losses_gradients(Losses *losses, size_t output);
/* The number of misclassified local rows; 0 for the squared loss. With equal scores, the first
 * class is predicted. */
uint64_t clv_losses_errors(const Losses *losses);

#endif
