/*
 * Checksums of updates, with which apply detects lost lines. For each part, every map task adds the
 * sum of value · h(index) and the sum of |value|; h is a fixed hash of the index into [0.25, 0.75).
 * The first sum is linear: its sum over tasks must equal that of the summed values. The second
 * bounds the rounding error. This is a linear check as in Huang and Abraham (1984),
 * "Algorithm-based fault tolerance for matrix operations".
 *
 * Rule r of the updates has the numbers 2r and 2r + 1 of the part UPDATE_CHECK. Rule 0, the
 * fingerprint of the model, needs none; its two numbers are the checksums of the checksums
 * themselves.
 */
#ifndef DIST_CHECK_SUMS_H
#define DIST_CHECK_SUMS_H

#include "dist/updates.h"

#define UPDATE_CHECK "check"

/* Adds the checksums of an update. rules: those of the updates, beginning with the model's, with or
 * without those of the checksums. */
Status clv_check_sums_add(Delta *delta, const UpdateRule *rules, cleave_error *error);
Status clv_check_sums_test(const Delta *sum, const UpdateRule *rules, cleave_error *error);

#endif
