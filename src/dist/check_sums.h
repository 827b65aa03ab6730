/*
 * Sums by which apply sees that the updates it was given are whole. Every map task adds to its own, for each part, the sum of value · h(index)
 * and the sum of |value|; h is a fixed hash of the index into [0.25, 0.75). The first is linear, so it sums over tasks as any other number does,
 * and must then be that of the sums; the second says how far rounding may take the two apart. A linear check, as of Huang and Abraham (1984),
 * "Algorithm-based fault tolerance for matrix operations".
 *
 * Rule r of the updates has the numbers 2r and 2r + 1 of the part UPDATE_CHECK. Rule 0, the model's mark, needs none, and lends its two to the
 * check sums themselves: a line of theirs that is lost is seen, too.
 */
#ifndef DIST_CHECK_SUMS_H
#define DIST_CHECK_SUMS_H

#include "dist/updates.h"

#define UPDATE_CHECK "check"

/* Rules as of the updates, the model's first, those of the check sums among them or not. */
Status clv_check_sums_add(Delta *delta, const UpdateRule *rules, cleave_error *error);
Status clv_check_sums_test(const Delta *sum, const UpdateRule *rules, cleave_error *error);

#endif
