/* The rows of a dataset that a run trains on, as a source: all but those it holds out, for what is learned before the method is. */
#ifndef TRAIN_ROW_SOURCE_H
#define TRAIN_ROW_SOURCE_H

#include "data/traversal.h"
#include "train/train_options.h"

/* The share of the rows that a run with these options holds out of its training data. */
double clv_run_holdout(const RunOptions *options, bool has_valid);
/* In the order of the file; the dataset must outlive it. */
Status clv_rows_source(Dataset *dataset, uint64_t seed, double held_out, Source **source, cleave_error *error);

#endif
