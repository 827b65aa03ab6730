/* Checkpoints of training. After an epoch or round, the state is saved atomically as a model with
 * the state of the driver (history, stopping rules, best model on held-out data) and the facts that
 * identify the run: version, method, every option, the data. The same command, started again,
 * resumes from it. The resulting model is bit-identical to that of an uninterrupted run if the
 * method's resume is exact, and equivalent otherwise. */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "train/run.h"

/* Called after the options are final and before the method begins. If the options name an existing
 * checkpoint, it becomes run->from, and the run and its report are restored. A checkpoint of
 * another run is an error that names the fact that differs. */
Status clv_checkpoint_find(Run *run);

/* ---- its parts, for drivers whose rows are not all here */
typedef struct {
    const char *name; /* NULL ends a list */
    uint64_t count;
} DataFact;

/* Facts that identify this run: the program, its options, the labels, and the driver's facts of the
 * data. */
Status clv_checkpoint_describe(Run *run, const char *program, const DataFact *data);
/* Loads the checkpoint of the options if it belongs to this run; NULL if the file does not
 * exist. */
Status clv_checkpoint_load(const Run *run, Model **model, cleave_error *error);
/* Restores the run and its report. The model may come from another process, and becomes
 * run->from. */
Status clv_checkpoint_restore(Run *run, const Model *model);
bool clv_checkpoint_is_one(const Model *model);
/* For a run that does not resume: notes an existing checkpoint and the flag that resumes it. A file
 * that is not a checkpoint is an error, because it would be overwritten. */
Status clv_checkpoint_pass_over(const Run *run, const char *flag);

/* ---- saving */

/* Whether a checkpoint is due after this epoch. */
bool clv_checkpoint_is_due(const Run *run);
/* Saves a checkpoint after an epoch that was not the last, if one is due. */
Status clv_checkpoint_save(Run *run);

/* Parameters of checkpoints, which are not part of a model. */
bool clv_checkpoint_is_param(const char *name);

#endif
