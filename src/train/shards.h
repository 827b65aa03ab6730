/*
 * Rounds over shards: the rows are cut into pieces that follow each other, each is learned from the same start, and what they give is
 * put together once a round (train/team.h). Threads take pieces as they come; the sum is made along a fixed tree, so the model depends
 * on the number of pieces and never on that of threads.
 */
#ifndef TRAIN_SHARDS_H
#define TRAIN_SHARDS_H

#include "train/run.h"

/* How many pieces: what was asked for; else 1, but where a sum over pieces is what one worker would have come to, so many that threads
 * have something to share. An error where more than one was asked for and the method cannot. */
Status clv_shards_choose(const Run *run, uint32_t *shards);

/* One sweep, by all; *cancelled when the user interrupted it, and then nothing has changed. pass is included. */
Status clv_shards_sweep(Run *run, uint32_t shards, bool *clean, bool *cancelled);

#endif
