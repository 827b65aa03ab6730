/*
 * Rounds made by processes that share nothing but files: the model goes out, updates come back as lines of text (dist/updates.h).
 *
 *     begin     the model before the first round, from a sample of the data
 *     map       what some rows add to a model; as many processes as there are pieces
 *     reduce    sums of equal keys (dist/updates.h); as many as there are parts of the keys
 *     apply     the sums into the model, and the round's end
 *
 * Whatever a round needs is in the model: the state of the method as train --from would find it, and the rows and their weight, which
 * before the first round are what the caller says or the sample has, later what the round before has seen.
 */
#ifndef DIST_ROUNDS_H
#define DIST_ROUNDS_H

#include "base/file.h"
#include "train/batch_driver.h"

/* job->from is NULL. rows: number of all rows, not only of the sample; 0: that of the sample. */
Status clv_round_begin(Context *context, const Job *job, Dataset *sample, uint64_t rows, Model **model,
                       cleave_error *error);

/* source has the labels and features of job->from; NULL: no rows. */
Status clv_round_map(Context *context, const Job *job, Source *source, Output *output, cleave_round *facts,
                     cleave_error *error);

Status clv_round_apply(Context *context, const Job *job, const char *const *paths, size_t count, Model **next,
                       cleave_round *facts, cleave_error *error);

#endif
