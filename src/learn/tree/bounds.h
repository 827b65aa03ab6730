/* Where bins begin and end: bounds of numbers from a sample of values, bins of categories from how often each is there. */
#ifndef LEARN_TREE_BOUNDS_H
#define LEARN_TREE_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts; room is as long as values. No NaN. */
void clv_sort_floats(float *values, float *workspace, size_t count);

/* Bounds between bins, ascending, at most bins - 1 of them; values are sorted, and zeros more of them are 0. */
uint32_t clv_find_bounds(const float *values, size_t count, size_t zeros, uint32_t bins, float *bounds);

/* A number that tells a from b, a < b: a <= it < b; halfway where it can be. */
float clv_between(float a, float b);

#endif
