/* The training rows of a dataset as a source, without held-out rows, for steps that are fitted
 * before the method. */
#ifndef TRAIN_ROW_SOURCE_H
#define TRAIN_ROW_SOURCE_H

#include "data/traversal.h"
#include "train/train_options.h"

/* The fraction of the rows that a run with these options holds out. */
double clv_run_holdout(const RunOptions *options, bool has_valid);
/* Opens the rows in file order. The dataset must outlive the source. */
Status clv_rows_source(Dataset *dataset, uint64_t seed, double held_out, Source **source,
                       cleave_error *error);

#endif
