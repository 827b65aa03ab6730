/* How good a model is on labelled rows. */
#ifndef EVAL_EVALUATE_H
#define EVAL_EVALUATE_H

#include "data/traversal.h"
#include "model/method.h"

typedef struct {
    uint64_t n, unlabelled, errors, none, unseen_label;
    bool without_loss;               /* set before: nobody wants to know it */
    double loss;                     /* summed over rows, by the method's own measure */
    double squared_error, abs_error; /* regression: summed over rows */
    double target_mean;              /* of the targets themselves, … */
    double target_spread; /* … and their squared distances from it, summed: what the mean as answer costs */
} Judgement;

/* Adds one block; scores has room for its rows times the model's outputs and holds them afterwards. numbers holds the number of
 * each label of the data when the model is a regression. */
Status clv_judge_block(const Model *model, const Block *block, const double *numbers, bool allow_none, double *scores,
                       Judgement *judgement, cleave_error *error);

/* The same, where the scores are known. */
void clv_judge_scores(const Model *model, const Block *block, const double *numbers, bool allow_none,
                      const double *scores, Judgement *judgement);

/* Called with each block judged and its scores; may be NULL. */
typedef Status (*JudgeWatcher)(void *user, const Block *block, const double *scores);
Status clv_judge(const Model *model, Traversal *traversal, const double *numbers, JudgeWatcher watcher, void *user,
                 Judgement *judgement, cleave_error *error);

#endif
