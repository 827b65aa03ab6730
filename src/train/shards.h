/* Epochs over shards. The rows are cut into consecutive shards, every shard is learned from the
 * same state, and the results are combined after each epoch (train/team.h). Threads take shards in
 * any order. The sum follows a fixed tree, so that the model depends on the number of shards and
 * not on the number of threads. */
#ifndef TRAIN_SHARDS_H
#define TRAIN_SHARDS_H

#include "train/run.h"

/* The number of shards: that of the options. The default is 1, or enough for all threads if the
 * sum over shards equals the result of one worker. Fails if the method does not support several
 * shards. */
Status clv_shards_choose(const Run *run, uint32_t *shards);

/* Runs one epoch on all threads, including pass. *cancelled: the user interrupted it, and the state
 * is unchanged. */
Status clv_shards_epoch(Run *run, uint32_t shards, bool *clean, bool *cancelled);

#endif
