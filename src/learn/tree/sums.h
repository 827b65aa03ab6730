/*
 * Sums over the training rows of all processes, bit-identical for any number of processes: they are
 * computed without rounding (base/exact.h), and rounded once. Usage:
 *
 *     Sums sums;
 *     clv_sums_begin(&sums, bins, error);
 *     for each sum: sums_add(&sums, value) …, clv_sums_next(&sums)    or clv_sums_put
 *     clv_sums_end(&sums);                                            sums.value[0] … are the sums
 *     clv_sums_free(&sums);
 *
 * clv_sums_end returns the first failure.
 */
#ifndef LEARN_TREE_SUMS_H
#define LEARN_TREE_SUMS_H

#include "base/exact.h"
#include "learn/tree/bins.h"

typedef struct {
    Context *context;
    const Collective *collective;
    cleave_error *error;
    Status status;
    Exact now;
    double *value;
    size_t count, capacity;
    int64_t *word; /* several processes: local part of each sum */
    size_t words, word_capacity;
} Sums;

void clv_sums_begin(Sums *sums, const Bins *bins, cleave_error *error);
void clv_sums_free(Sums *sums);

static inline void sums_add(Sums *sums, double value)
{
    clv_exact_add(&sums->now, value);
}

void clv_sums_next(Sums *sums);
/* Adds a sum that was computed elsewhere, and resets it to 0. */
void clv_sums_put(Sums *sums, Exact *sum);
Status clv_sums_end(Sums *sums);
/* Calls clv_sums_end and clv_sums_free. Copies the first `count` sums, or zeros after a failure. */
Status clv_sums_finish(Sums *sums, double *value, size_t count);

/* The weighted mean of the numbers; 0 without rows. */
Status clv_mean_number(const Bins *bins, double *mean, cleave_error *error);
/* Finds a center that is close to the numbers of most rows. It is the mean if no number is far
 * away. Differences from the center keep their precision. */
Status clv_typical_number(const Bins *bins, double *typical, cleave_error *error);
/* Adds integers of all processes. */
Status clv_add_up(const Bins *bins, uint64_t *numbers, size_t count, cleave_error *error);

#endif
