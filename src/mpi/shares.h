/*
 * Whether chunks are alike. A model that is averaged from chunks is one of all rows only where each chunk looks as all of them do: of data
 * sorted by class, a chunk knows one class, and the mean of such models is a poor one. A chunk departs where a class in it is half as
 * frequent again as in all rows, or as much less, and chance has no part in it: by more than five deviations of the
 * hypergeometric distribution.
 */
#ifndef MPI_SHARES_H
#define MPI_SHARES_H

#include "data/dataset.h"
#include "model/delta.h"
#include "model/method.h"

/* Adds what is to be said of chunk number (from 0), whose labels are numbered as all are. */
Status clv_shares_add(Delta *delta, uint64_t number, Dataset *chunk, const Labels *all, cleave_error *error);

/* Warns where chunks depart, of so many, by what was added of each. */
void clv_shares_warn(const Fit *fit, const void *options, const Delta *sum, uint32_t chunks, const Labels *all);

#endif
