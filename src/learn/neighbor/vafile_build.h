/* State of a VA-file under construction: sample rows, directions, and the parameters chosen. */
#ifndef LEARN_NEIGHBOR_VAFILE_BUILD_H
#define LEARN_NEIGHBOR_VAFILE_BUILD_H

#include "learn/neighbor/vafile.h"

enum { VA_TRIED = 4096 /* rows used to choose components, bits and scale */ };

typedef struct {
    Context *context;
    const Vectors *vectors;
    const Metric *metric;
    const VaKernels *kernels;
    uint64_t seed;
    uint32_t given_parts, given_bits; /* given by the user; 0: chosen from the sample */
    uint32_t wanted;                  /* maximum number of directions */
    double *direction;
    float *center, *matrix;
    double *workspace; /* workspace of the map */
    float *spread;     /* VA_ROWS points */
    VaMap map;
    VaFull full;
    bool with_full;
    double reach;   /* mean distance of the nearest neighbors in the sample */
    double typical; /* INNER_PRODUCT: length of the points, see VaInner */
    uint64_t work;  /* values visited since the last check for cancellation */
    bool cancelled;
} VaBuild;

/* Counts visited values. After it returns true, the index will not be completed. */
static inline bool va_cancelled(VaBuild *build, uint64_t values)
{
    build->cancelled |= clv_cancelled_after(build->context, &build->work, values);
    return build->cancelled;
}

typedef struct {
    uint32_t top, bits;
} VaChoice;

/* The values of a point in the index: in place, or in one of VA_ROWS buffers if unpacked or
 * scaled to a unit vector. */
static inline const float *va_point(const VaBuild *build, uint32_t row, uint32_t place)
{
    const Vectors *vectors = build->vectors;
    float *to = build->spread + (size_t)place * vectors->features;

    const float *x = to;

    if (vectors->dense)
        x = dense_row(vectors, row);
    else
        spread_row(vectors, row, to);
    if (!metric_of_directions(build->metric))
        return x;
    clv_va_unit(x, clv_va_squares(x, vectors->features), vectors->features, to);
    return to;
}

/* Row i of `count` evenly spaced rows. */
static inline const float *va_sample_row(const VaBuild *build, uint32_t i, uint32_t count,
                                         uint32_t place)
{
    return va_point(build, (uint32_t)((uint64_t)i * build->vectors->count / count), place);
}

static inline uint32_t va_sample_size(const Vectors *vectors, uint32_t most)
{
    return vectors->count < most ? vectors->count : most;
}

/* Chooses the number of directions and bits. build->map has all candidate directions. Sets
 * build->reach. */
Status clv_va_choose(VaBuild *build, VaChoice *choice, cleave_error *error);

#endif
