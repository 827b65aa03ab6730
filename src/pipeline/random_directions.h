/* What the stages with random directions share: whose seed it is, and how much they may hold. */
#ifndef PIPELINE_RANDOM_DIRECTIONS_H
#define PIPELINE_RANDOM_DIRECTIONS_H

#include "base/random.h"
#include "pipeline/transform.h"

/* A stage's own seed, where it was given one (0 or more); otherwise the run's. */
static inline uint64_t draw_seed(const Stage *stage, int64_t own)
{
    return own >= 0 ? (uint64_t)own : stage->seed;
}

#define MOST_DIRECTIONS 268435456.0 /* numbers of a table of directions: 1 GB */

/* That a table of so many directions, a number for each input, can be held. */
static inline Status check_directions(const Stage *stage, uint32_t dimensions)
{
    double numbers = (double)dimensions * (double)stage->inputs;

    if (numbers <= MOST_DIRECTIONS)
        return OK;
    clv_fail(stage->error, CLEAVE_ERROR_DATA,
             "--transform: %s: %u dimensions of %u columns would need a table of %.3g numbers; at most %.3g are held",
             stage->transform->name, dimensions, stage->inputs, numbers, MOST_DIRECTIONS);
    return clv_hint(stage->error, CLEAVE_ERROR_DATA,
                    "ask for fewer dimensions, or have fewer columns before it, as by select:top=10000");
}

/* dim1, dim2, … */
Status clv_number_columns(const Stage *stage, const char *prefix, uint32_t count, Columns *out);
/* sums[j] += Σ value * table[column * width + j], over the row. */
void clv_row_times(const FeatureRow *row, const float *table, uint32_t width, double *sums);
/* In place of the row: the sums as columns 0, 1, …; a number that is no float is left for the caller's caller to refuse. */
Status clv_row_of_sums(RowWorkspace *workspace, const double *sums, uint32_t count, cleave_error *error);
/* Whether the array is there, of that size, and finite. */
const float *clv_stage_floats(const Stage *stage, const char *name, uint64_t count);

#endif
