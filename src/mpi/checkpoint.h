/*
 * A checkpoint of a run: the model as it is after a round, which any verb can read, with what the run itself must know to go on kept
 * beside the parameters. Written whole or not at all.
 */
#ifndef MPI_CHECKPOINT_H
#define MPI_CHECKPOINT_H

#include "run/run.h"

typedef struct {
    uint64_t chunks, bytes; /* what the data was cut into, and its size: going on needs the same */
    uint64_t passes, mistakes;
    uint64_t last_mistakes, unchanged; /* of the rule --stable */
} Checkpoint;

Status clv_cluster_checkpoint_save(Run *run, const Checkpoint *checkpoint, const char *path);
/* NULL in *model where there is no such file. An error where it is of another run. */
Status clv_cluster_checkpoint_load(const char *path, const Run *run, uint64_t chunks, uint64_t bytes, Model **model,
                                   cleave_error *error);
/* All zeros for a model that is no checkpoint. */
void clv_cluster_checkpoint_facts(const Model *model, Checkpoint *checkpoint);

#endif
