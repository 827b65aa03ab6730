/*
 * Rows judged round after round, where rounds add to scores (MethodTraining.extend_scores): sums are kept, and a round costs what it has added, not what all rounds so far
 * would cost anew. The answer is the same, to the last bit.
 */
#ifndef TRAIN_RUNNING_SCORES_H
#define TRAIN_RUNNING_SCORES_H

#include "eval/evaluation.h"

typedef struct {
    Context *context;
    double *sums; /* rows * outputs, in the order of the sweep */
    size_t sums_capacity;
    double *scores; /* of a block */
    size_t scores_capacity;
    uint32_t parts; /* that the sums have */
} Kept;

/* How the state of a fit judges the rows of a sweep, always the same ones; model, any of the run's, knows classes and the loss. */
Status clv_evaluate_kept(Kept *kept, const Fit *fit, const Model *model, Traversal *traversal, const double *numbers,
                         Evaluation *evaluation, cleave_error *error);
void clv_kept_free(Kept *kept); /* all 0 is fine */

#endif
