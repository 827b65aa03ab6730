/* The rows of a dataset that have a label. */
#ifndef LEARN_NETWORK_LABELED_H
#define LEARN_NETWORK_LABELED_H

#include "model/method.h"

static inline bool is_training_row(const Fit *fit, const Block *block, uint32_t row)
{
    return fit->task == CLEAVE_TASK_REGRESSION ? !isnan(fit_target(fit, block, row))
                                               : block_label(block, row) < fit->classes;
}

/* Copies the labeled rows to a dataset in memory, so that their shuffled order does not depend on
 * the other rows. The caller frees the dataset. */
Status clv_labeled_rows(const Fit *fit, Dataset *dataset, Dataset **labeled);

#endif
