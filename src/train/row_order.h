/* The order of the training rows if the user gives none. */
#ifndef TRAIN_ROW_ORDER_H
#define TRAIN_ROW_ORDER_H

#include "data/dataset.h"
#include "model/method.h"
#include "train/train_options.h"

/* The order that the method needs for `auto`; the result may still be `auto`. */
int clv_wanted_order(const Method *method, const RunOptions *options, const Dataset *dataset);
/* The order for `auto`, and its description for the report. */
Status clv_choose_order(Dataset *dataset, int wanted, uint64_t seed, int *order, char *words,
                        size_t size, cleave_error *error);

#endif
