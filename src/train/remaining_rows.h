/*
 * What is left of the dataset when rows are held out, for methods that take it whole: a copy in memory, or in an unlinked temporary file where the rows
 * are too many for memory.
 */
#ifndef TRAIN_REMAINING_ROWS_H
#define TRAIN_REMAINING_ROWS_H

#include "train/run.h"

Status clv_keep_rows(Run *run, Dataset **kept); /* to be freed */

#endif
