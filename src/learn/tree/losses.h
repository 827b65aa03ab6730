/*
 * The losses that boosting walks down, and where each training row stands: its scores so far, and from them what the next tree is asked for, the
 * first and second derivative of the loss (Friedman, Hastie and Tibshirani 2000; Friedman 2001).
 *
 *     squared     ½ (s − y)²                   g = s − y        h = 1
 *     logistic    ln(1 + e^s) − [y] s          g = p − [y]      h = p (1 − p)                 p = 1 / (1 + e^−s)
 *     softmax     ln Σ e^s_c − s_y             g = p_c − [c=y]  h = k/(k − 1) p_c (1 − p_c)   p_c = e^s_c / Σ e^s
 *     exponential e^−(s_y − mean of s)          AdaBoost's, which asks for classes and weights instead (adaboost.c)
 *
 * all times the row's weight. Scores lie output after output, rows × 8 bytes each; derivatives are made for one output at a time, since the tree of
 * one output does not move the scores of the others.
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
    double *start;             /* of each output: the best score that is the same for all rows */
    double *score;             /* outputs * rows */
    float *gradient, *hessian; /* of one output; hessian NULL: all 1, or Bins.weight */
    float *highest, *inverse;  /* softmax: of each row, the highest score and 1 / Σ e^(s - highest) */
    double *partial;           /* sums of chunks of rows */
} Losses;

Status clv_losses_init(Losses *losses, const Bins *bins, BoostLoss loss, size_t outputs, uint32_t positive,
                       cleave_error *error);
void clv_losses_free(Losses *losses); /* all 0 is fine */
/* The loss of all rows that are here as they stand, weighted; to be called when scores have changed, before clv_losses_ask. */
double clv_losses_sum(Losses *losses);
/* What is asked of the next tree of an output: gradient and hessian. */
void clv_losses_ask(Losses *losses, size_t output);
/* Rows here whose class is not the one with the highest score; of equal ones the first counts. Of squared loss, 0. */
uint64_t clv_losses_errors(const Losses *losses);

#endif
