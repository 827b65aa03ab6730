/* What is known while a VA-file is built: the rows of samples, the directions, and what was chosen. */
#ifndef LEARN_NEIGHBOR_VAFILE_BUILD_H
#define LEARN_NEIGHBOR_VAFILE_BUILD_H

#include "learn/neighbor/vafile.h"

enum { VA_TRIED = 4096 /* rows that components, bits and scale are chosen by */ };

typedef struct {
    Context *context;
    const Vectors *vectors;
    const VaKernels *kernels;
    uint64_t seed;
    uint32_t told_parts, told_bits; /* 0: chosen from the sample */
    uint32_t wanted;                /* directions at the most */
    double *direction;
    float *centre, *matrix;
    double *workspace; /* of the map */
    float *spread;     /* VA_ROWS points */
    VaMap map;
    VaFull full;
    bool with_full;
    double reach;  /* how far a point's nearest are, in the sample, on average */
    uint64_t work; /* since cancellation was polled last */
    bool cancelled;
} VaBuild;

/* For so many values looked at. Once it returns true, the index will not be finished. */
static inline bool va_cancelled(VaBuild *build, uint64_t values)
{
    build->cancelled |= clv_cancelled_after(build->context, &build->work, values);
    return build->cancelled;
}

typedef struct {
    uint32_t top, bits;
} VaChoice;

/* All values of a point: where they lie, or spread out in one of VA_ROWS places. */
static inline const float *va_point(const VaBuild *build, uint32_t row, uint32_t place)
{
    const Vectors *vectors = build->vectors;
    float *to = build->spread + (size_t)place * vectors->features;

    if (vectors->dense)
        return dense_row(vectors, row);
    spread_row(vectors, row, to);
    return to;
}

/* Row i of so many that lie evenly among all. */
static inline const float *va_sample_row(const VaBuild *build, uint32_t i, uint32_t count, uint32_t place)
{
    return va_point(build, (uint32_t)((uint64_t)i * build->vectors->count / count), place);
}

static inline uint32_t va_sample_size(const Vectors *vectors, uint32_t most)
{
    return vectors->count < most ? vectors->count : most;
}

/* How many directions, and bits; build->map is that of all that are wanted, as they are. Sets build->reach. */
Status clv_va_choose(VaBuild *build, VaChoice *choice, cleave_error *error);

#endif
