/*
 * Checkpoints of training: after a round, the state so far is saved, whole or not at all, as a model with what the driver knows beside it
 * (rounds behind it, what the stopping rules have seen, the best model on held-out data) and the facts that tell one run from
 * another: version, method, every option, the data. The same command started again goes on from there, and ends with the model that a
 * run nobody disturbed ends with, where the method's resume is exact; where it is not, with one just as good.
 */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "train/run.h"

/* After the options are settled, before the method begins: where options name a checkpoint and there is one, it becomes run->from, and the run
 * and its report are as they were. One of another run is an error that says which fact differs. */
Status clv_checkpoint_find(Run *run);

/* ---- its parts, for drivers whose rows are not all here */
typedef struct {
    const char *name; /* NULL at the end of a list */
    uint64_t count;
} DataFact;

/* What tells this run from others: the program, its options, the labels, and what the driver knows of the data. */
Status clv_checkpoint_describe(Run *run, const char *program, const DataFact *data);
/* The checkpoint that options name, where it is of this run; NULL where there is no such file. */
Status clv_checkpoint_load(const Run *run, Model **model, cleave_error *error);
/* Makes the run and its report as they were; the model, which may have come from another process, becomes run->from. */
Status clv_checkpoint_restore(Run *run, const Model *model);
bool clv_checkpoint_is_one(const Model *model);
/* The run begins anew: notes that there is a checkpoint, and the flag that would have gone on from it. A file that is no checkpoint is an
 * error, since it would be written over. */
Status clv_checkpoint_pass_over(const Run *run, const char *flag);

/* ---- saving */

/* Whether it is time for one, after a round. */
bool clv_checkpoint_is_due(const Run *run);
/* After a round that was not the last: saves one where it is time. */
Status clv_checkpoint_save(Run *run);

/* Parameters about checkpoints, which are no part of what a model is. */
bool clv_checkpoint_is_param(const char *name);

#endif
