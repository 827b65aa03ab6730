/*
 * Probabilities for scores that are none: a sigmoid for each output, p = 1 / (1 + e^(a s + b)), fitted to held-out rows
 * (Platt 1999, by the Newton steps of Lin, Lin and Weng 2007). The model keeps a and b.
 */
#ifndef EVAL_PLATT_H
#define EVAL_PLATT_H

#include "eval/evaluation.h"

/* Fits and puts the array "platt" into the model: a and b of each output. */
Status clv_platt(Model *model, Traversal *held_out, cleave_error *error);

/* The fit alone, for count finite scores of rows that are positive or not; *a and *b. Scores of any size will do: the fit
 * is made with the largest as 1. */
Status clv_platt_fit(Context *context, const double *score, const bool *positive, size_t count, double *a, double *b,
                     cleave_error *error);

#endif
