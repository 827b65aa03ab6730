/* Checks that chunks have the distribution of the whole data. The average of models of chunks is
 * a good model only if the chunks are alike: for data sorted by class, a chunk has one class,
 * and the average is poor. A chunk deviates if the fraction of a class differs from that in all
 * rows by at least half of it, and by more than five standard deviations of the hypergeometric
 * distribution. */
#ifndef MPI_SHARES_H
#define MPI_SHARES_H

#include "data/dataset.h"
#include "model/delta.h"
#include "model/method.h"

/* Adds the facts of a chunk, which is numbered from 0. Its labels have the common numbers. */
Status clv_shares_add(Delta *delta, uint64_t number, Dataset *chunk, const Labels *all,
                      cleave_error *error);

/* Warns of chunks that deviate. */
void clv_shares_warn(const Fit *fit, const void *options, const Delta *sum, uint32_t chunks,
                     const Labels *all);

#endif
