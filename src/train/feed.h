/* Passes rows to a method. Most methods learn from blocks as they arrive. Some need a sample first:
 * to find the initial learning rate (method->sample), or, every fit->calibrate_every examples, to
 * try several rates and keep the one with the lowest objective (method->copy and set_rate): one
 * half of the sample trains, the other half evaluates. A sample has a fixed number of rows,
 * gathered from any number of blocks and used for training afterwards, so that results do not
 * depend on the block boundaries. */
#ifndef TRAIN_FEED_H
#define TRAIN_FEED_H

#include "train/run.h"

Status clv_feed(Run *run, const Block *block);
/* Uses the first rows of the traversal as a sample, without training on them. */
Status clv_feed_sample(Run *run, Traversal *traversal);
/* Ends an epoch: an incomplete sample is used as it is. */
Status clv_feed_end(Run *run);
void clv_feed_free(Run *run);

#endif
