/* How good a model is on labelled rows. */
#ifndef RUN_JUDGE_H
#define RUN_JUDGE_H

#include "model/method.h"
#include "run/sweep.h"

typedef struct {
    uint64_t n, unlabelled, errors, none, unseen_label;
    double loss; /* summed over rows, by the method's own measure */
} Judgement;

/* Adds one block; scores has room for its rows times the model's outputs and holds them afterwards. */
Status clv_judge_block(const Model *model, const Block *block, bool allow_none, double *scores, Judgement *judgement,
                       cleave_error *error);
Status clv_judge(const Model *model, Sweep *sweep, Judgement *judgement, cleave_error *error);

#endif
