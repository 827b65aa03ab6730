/* The rows that are not held out, as a dataset for methods that fit all rows at once: in memory, or
 * in an unlinked temporary file if they do not fit. */
#ifndef TRAIN_REMAINING_ROWS_H
#define TRAIN_REMAINING_ROWS_H

#include "train/run.h"

Status clv_keep_rows(Run *run, Dataset **kept); /* the caller frees it */

#endif
