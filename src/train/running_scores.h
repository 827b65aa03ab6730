/* Evaluates the same rows after every round, for methods whose rounds add to scores
 * (MethodTraining.extend_scores). Sums are kept, so that the time of a round is that of its
 * additions. Results are bit-identical to a full evaluation. */
#ifndef TRAIN_RUNNING_SCORES_H
#define TRAIN_RUNNING_SCORES_H

#include "eval/evaluation.h"

typedef struct {
    Context *context;
    double *sums; /* rows * outputs, in the order of the traversal */
    size_t sums_capacity;
    double *scores; /* scores of a block */
    size_t scores_capacity;
    uint32_t parts; /* number of parts in the sums */
} KeptSums;

/* Evaluates the rows of a traversal, the same in every call, with the state of a fit. model
 * supplies classes and loss; it may be any model of the run. */
Status clv_evaluate_kept(KeptSums *kept, const Fit *fit, const Model *model, Traversal *traversal,
                         const double *numbers, Evaluation *evaluation, cleave_error *error);
void clv_kept_free(KeptSums *kept); /* accepts a zeroed structure */

#endif
