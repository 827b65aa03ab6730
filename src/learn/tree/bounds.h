/* Computes bins: bounds of numbers from a sample of values, bins of categories from their
 * frequencies. */
#ifndef LEARN_TREE_BOUNDS_H
#define LEARN_TREE_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts values without NaN; the scratch array has the same length. */
void clv_sort_floats(float *values, float *workspace, size_t count);

/* Computes at most bins - 1 ascending bounds. Values are sorted; `zeros` is the number of further
 * values, which are 0. */
uint32_t clv_find_bounds(const float *values, size_t count, size_t zeros, uint32_t bins,
                         float *bounds);

/* Returns a number x with a <= x < b, for a < b; halfway if possible. */
float clv_between(float a, float b);

#endif
