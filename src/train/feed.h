/*
 * Rows on their way to a method. Most methods step over blocks as they come. Some want a sample first: to find the first rate
 * (method->sample), or, every fit->calibrate_every examples, to have several rates tried and the one that lowers the
 * objective most kept (method->copy and set_rate): one half of the sample is learned from, the other evaluated. A sample
 * is a fixed number of rows, gathered from whatever blocks they come in and learned from afterwards, so that no answer depends on how the data was cut into blocks.
 */
#ifndef TRAIN_FEED_H
#define TRAIN_FEED_H

#include "train/run.h"

Status clv_feed(Run *run, const Block *block);
/* The first rows of the sweep as a sample, and nothing learned from them. */
Status clv_feed_sample(Run *run, Traversal *traversal);
/* A sweep is over: a sample that is not full will do. */
Status clv_feed_end(Run *run);
void clv_feed_free(Run *run);

#endif
