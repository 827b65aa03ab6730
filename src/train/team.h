/*
 * A round made by many, whoever they are: threads of this process (train/shards.h), ranks of a cluster (mpi/), filters in a pipe (api/).
 * Each worker begins as the common state is, which it gets as a model; steps over rows of its own; and gives. The common
 * state takes the sum of what they gave. See docs/decisions/0006-rounds-made-by-many.md.
 */
#ifndef TRAIN_TEAM_H
#define TRAIN_TEAM_H

#include "model/method.h"

/* Whether rounds of this method, with these options, can be made by many; an error with a hint where not. */
Status clv_team_check(const Method *method, const void *method_options, cleave_error *error);

/* A worker as start is: same method, options, classes, weights of classes; the state that model, made of start, holds. Errors of the
 * worker go to error, which is its own. Freed by clv_team_leave, also when this fails. */
Status clv_team_join(Fit *worker, const Fit *start, const Model *model, cleave_error *error);
void clv_team_leave(Fit *worker);

/* What the worker's steps came to, DELTA_ROUND included. */
Status clv_team_give(const Fit *worker, const Fit *start, Delta *delta);

/* The sum of everybody's; ends the round (but fit->round is the driver's to count). *clean as of method->pass. */
Status clv_team_take(Fit *fit, const Delta *sum, bool *clean);

#endif
