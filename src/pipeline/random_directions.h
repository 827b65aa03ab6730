/* Functions shared by the steps with random directions: seed, memory limit, and sums. */
#ifndef PIPELINE_RANDOM_DIRECTIONS_H
#define PIPELINE_RANDOM_DIRECTIONS_H

#include "base/random.h"
#include "pipeline/transform.h"

/* Returns the step's seed if given (0 or more); otherwise the seed of the run. */
static inline uint64_t draw_seed(const Step *step, int64_t own)
{
    return own >= 0 ? (uint64_t)own : step->seed;
}

#define MOST_DIRECTIONS 268435456.0 /* limit for a table of directions, in numbers; 1 GB */

/* Checks that a table of directions, one number per input, fits the limit. */
static inline Status check_directions(const Step *step, uint32_t dimensions)
{
    double numbers = (double)dimensions * (double)step->inputs;

    if (numbers <= MOST_DIRECTIONS)
        return OK;
    return clv_fail_hint(
        step->error, CLEAVE_ERROR_DATA,
        "request fewer dimensions, or reduce the number of columns first, for example with "
        "select:top=10000",
        "--transform: %s: %u dimensions of %u columns need a table of %.3g numbers; the limit "
        "is %.3g",
        step->transform->name, dimensions, step->inputs, numbers, MOST_DIRECTIONS);
}

/* Names columns dim1, dim2, … */
Status clv_number_columns(const Step *step, const char *prefix, uint32_t count, Columns *out);
/* Computes sums[j] += Σ value * table[column * width + j] over the row. */
void clv_row_times(const FeatureRow *row, const float *table, uint32_t width, double *sums);
/* Replaces the row with the sums as columns 0, 1, …. Callers reject values that are not finite. */
Status clv_row_of_sums(RowWorkspace *workspace, const double *sums, uint32_t count,
                       cleave_error *error);
/* Returns the array if it exists, has this size, and is finite; otherwise NULL. */
const float *clv_step_floats(const Step *step, const char *name, uint64_t count);

#endif
