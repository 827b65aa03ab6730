/* Platt scaling: a sigmoid for each output, p = 1 / (1 + e^(a s + b)), fitted to the scores of
 * held-out rows (Platt 1999, with the Newton method of Lin, Lin and Weng 2007). The model stores a
 * and b. */
#ifndef EVAL_PLATT_H
#define EVAL_PLATT_H

#include "eval/evaluation.h"

/* Fits a and b of each output and adds them to the model as the array "platt". */
Status clv_platt(Model *model, Traversal *held_out, cleave_error *error);

/* Fits *a and *b to `count` finite scores of positive and negative rows. Scores are divided by the
 * largest one, so that any magnitude is valid. */
Status clv_platt_fit(Context *context, const double *score, const bool *positive, size_t count,
                     double *a, double *b, cleave_error *error);

#endif
