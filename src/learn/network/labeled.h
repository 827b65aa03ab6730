/* The rows of a dataset that have a label. */
#ifndef LEARN_NETWORK_LABELED_H
#define LEARN_NETWORK_LABELED_H

#include "model/method.h"

static inline bool is_training_row(const Fit *fit, const Block *block, uint32_t row)
{
    return fit->task == CLEAVE_TASK_REGRESSION ? !isnan(fit_target(fit, block, row))
                                               : block_label(block, row) < fit->classes;
}

/* Copies them to a dataset in memory, so that the order of shuffled rows does not depend on the
 * others. The caller frees it. */
Status clv_labeled_rows(const Fit *fit, Dataset *dataset, Dataset **labeled);

#endif
