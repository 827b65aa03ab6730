/*
 * Points: rows kept in memory as compact sparse arrays, to be held against other rows again and again; and views of them, laid out so
 * that one row against many is a few straight loops:
 *
 *     bits      0/1 data of few columns: a bit a column, word by word over all points; a dot product counts common bits
 *     planes    dense data: the values of one column for all points, then the next column's; a row's zeros cost nothing
 *     rows      the rest: the one row lies spread out over all columns, and each point's entries look themselves up in it
 *
 * Which one is decided by the numbers alone, not by how the data was stored.
 */
#ifndef LEARN_KERNEL_KERNEL_POINTS_H
#define LEARN_KERNEL_KERNEL_POINTS_H

#include "data/dataset.h"
#include "learn/kernel/loops.h"

typedef struct {
    Context *context;
    uint32_t count, features;
    uint64_t *end; /* entries up to and with point i */
    uint32_t *column;
    float *value;  /* NULL: all ones (once settled) */
    double *norm2; /* squared length */
    bool ones;
    size_t entries, column_capacity, value_capacity, end_capacity, norm2_capacity;
} Points;

void clv_points_init(Points *points, Context *context, uint32_t features);
void clv_points_free(Points *points);
Status clv_points_add(Points *points, const Block *block, uint32_t row, cleave_error *error);
/* All of them once more, after those that are there. */
Status clv_points_copy(Points *to, const Points *from, cleave_error *error);
bool clv_points_alike(const Points *points, uint32_t i, uint32_t j);
/* No more are added; the values go when all are 1. */
void clv_points_settle(Points *points);

/* One row, from points or from a block. */
typedef struct {
    const uint32_t *column;
    const float *value; /* NULL: all ones */
    size_t count;
    double norm2;
} Row;

static inline Row point_row(const Points *points, uint32_t i)
{
    uint64_t start = i ? points->end[i - 1] : 0;

    return (Row){.column = points->column ? points->column + start : NULL, /* no point may have an entry */
                 .value = points->value ? points->value + start : NULL,
                 .count = (size_t)(points->end[i] - start),
                 .norm2 = points->norm2[i]};
}

/* Units of work (clv_cancelled_after) of the kernel values of a row and every point. */
static inline uint64_t kernel_row_units(const Points *points)
{
    return points->entries + 8 * (uint64_t)points->count;
}

/* Some of the points, or all; points must stay as they are. */
typedef struct {
    const Points *points;
    const uint32_t *order; /* the caller's; NULL: all, in their order */
    uint32_t count;
    double *norm2;  /* in this order */
    uint64_t *bits; /* NULL unless laid out so */
    size_t words;
    float *planes;
} View;

/* order (count numbers, kept by reference) or NULL for all. */
Status clv_view_init(View *view, const Points *points, const uint32_t *order, uint32_t count, cleave_error *error);
void clv_view_free(View *view);

#endif
