/*
 * Splits folders of documents: FOLDER/class/document is copied to TARGET/class/document. Both
 * targets have temporary names until the end, so that a failed or interrupted split leaves neither.
 */
#ifndef PREPARE_SPLIT_FOLDERS_H
#define PREPARE_SPLIT_FOLDERS_H

#include "eval/folds.h"
#include "input/input.h"

/* Suffix of a target until it is complete. The caller holds its lock. */
#define SPLIT_SUFFIX ".cleave-split"

/* Returns whether folders are written: all data consists of folders, and neither --to nor the
 * suffix of a target is the name of a format. */
bool clv_splits_folders(const cleave_data *data, const char *const paths[2], const char *to);
/* Fails if a target exists and is not empty, or lies inside a folder of the data. */
Status clv_split_folders_check(const cleave_data *data, const char *const paths[2],
                               cleave_error *error);
/* Copies the document of every row to paths[part of the row]; done[part] receives rows and
 * bytes. */
Status clv_split_folders(const cleave_data *data, Dataset *dataset, const Folds *folds,
                         const char *const paths[2], cleave_conversion *const done[2],
                         cleave_error *error);

#endif
