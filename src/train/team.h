/* An epoch run by several workers: threads of this process (train/shards.h), ranks of a cluster
 * (mpi/), or map tasks (dist/). Each worker starts from the common state, which it receives as a
 * model, learns from its own rows and gives an update. The common state takes the sum of the
 * updates. See docs/decisions/0006-distributed-training.md. */
#ifndef TRAIN_TEAM_H
#define TRAIN_TEAM_H

#include "model/method.h"

/* Whether several workers can train this method, with some or all options. */
bool clv_team_suits(const Method *method);

/* Fails with a hint unless several workers can train this method with these options. */
Status clv_team_check(const Method *method, const void *method_options, cleave_error *error);

/* Starts a worker with the method, options, classes and class weights of start. Its state is that
 * of model, which was made from start. Errors of the worker go to its own error. clv_team_leave
 * frees it, also after a failure. */
Status clv_team_join(Fit *worker, const Fit *start, const Model *model, cleave_error *error);
void clv_team_leave(Fit *worker);

/* Makes the update of the worker, including DELTA_ROUND. */
Status clv_team_give(const Fit *worker, const Fit *start, Delta *delta);

/* Takes the sum of all updates and ends the epoch; the driver counts fit->round. *clean: see
 * MethodTraining.pass. */
Status clv_team_take(Fit *fit, const Delta *sum, bool *clean);

#endif
