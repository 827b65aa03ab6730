/*
 * Map-reduce training with files: the model is sent to map tasks, and updates return as lines of
 * text (dist/updates.h).
 *
 *     begin     the model before the first round, from a sample of the data
 *     map       the update of some rows; one process for each part of the data
 *     reduce    sums of equal keys (dist/updates.h); one process for each part of the keys
 *     apply     adds the sums to the model and ends the round
 *
 * The model contains everything a round needs: the state of the method, as for train --from, and
 * the number of rows and their weight. Before the first round these come from the caller or the
 * sample, and afterwards from the previous round.
 */
#ifndef DIST_ROUNDS_H
#define DIST_ROUNDS_H

#include "base/file.h"
#include "train/batch_driver.h"

/* Begins training; job->from is NULL. rows: number of all rows, not only of the sample; 0: that of
 * the sample. */
Status clv_round_begin(Context *context, const Job *job, Dataset *sample, uint64_t rows,
                       Model **model, cleave_error *error);

/* Writes the update of a map task. source has the labels and features of job->from; NULL: no
 * rows. */
Status clv_round_map(Context *context, const Job *job, Source *source, Output *output,
                     cleave_round *facts, cleave_error *error);
/* The update of each row alone, as lines of feature and number, for methods that sum updates. */
Status clv_round_contributions(Context *context, const Job *job, Source *source, Output *output,
                               cleave_error *error);

Status clv_round_apply(Context *context, const Job *job, const char *const *paths, size_t count,
                       Model **next, cleave_round *facts, cleave_error *error);

#endif
