/*
 * Points: rows in compact sparse arrays; and views of them, laid out for fast products of one row
 * with many:
 *
 *     bits      0/1 data of few columns: one bit per column, word by word over all points; a dot
 *               product counts common bits
 *     planes    dense data by column: the values of all points; zeros of the row are skipped
 *     rows      otherwise: the row is unpacked over all columns, and each point's entries index it
 *
 * The layout depends on the values alone, not on how the data was stored.
 */
#ifndef LEARN_KERNEL_KERNEL_POINTS_H
#define LEARN_KERNEL_KERNEL_POINTS_H

#include "data/dataset.h"
#include "learn/kernel/loops.h"

typedef struct {
    Context *context;
    uint32_t count, features;
    uint64_t *end; /* end of the entries of point i */
    uint32_t *column;
    float *value;  /* NULL: all ones (after settling) */
    double *norm2; /* squared norm */
    bool ones;
    size_t entries, column_capacity, value_capacity, end_capacity, norm2_capacity;
} KernelPoints;

void clv_points_init(KernelPoints *points, Context *context, uint32_t features);
void clv_points_free(KernelPoints *points);
Status clv_points_add(KernelPoints *points, const Block *block, uint32_t row, cleave_error *error);
/* Appends a copy of all points. */
Status clv_points_copy(KernelPoints *to, const KernelPoints *from, cleave_error *error);
bool clv_points_alike(const KernelPoints *points, uint32_t i, uint32_t j);
/* Ends adding points; drops the values if all are 1. */
void clv_points_settle(KernelPoints *points);

/* One row, from points or from a block. */
typedef struct {
    const uint32_t *column;
    const float *value; /* NULL: all ones */
    size_t count;
    double norm2;
} KernelRow;

static inline KernelRow point_row(const KernelPoints *points, uint32_t i)
{
    uint64_t start = i ? points->end[i - 1] : 0;

    /* without entries, column is NULL */
    return (KernelRow){.column = points->column ? points->column + start : NULL,
                       .value = points->value ? points->value + start : NULL,
                       .count = (size_t)(points->end[i] - start),
                       .norm2 = points->norm2[i]};
}

/* Units of work (clv_cancelled_after) of the kernel values of a row and every point. */
static inline uint64_t kernel_row_units(const KernelPoints *points)
{
    return points->entries + 8 * (uint64_t)points->count;
}

/* Some or all points, which must not change. */
typedef struct {
    const KernelPoints *points;
    /* the points in the view and their order, owned by the caller; NULL: all points */
    const uint32_t *order;
    uint32_t count;
    double *norm2;  /* squared norms of the points in this order */
    uint64_t *bits; /* NULL if the layout is different */
    size_t words;
    float *planes;
} View;

/* Initializes a view of `count` points given by their numbers, an array that the caller keeps;
 * order NULL: all points. */
Status clv_view_init(View *view, const KernelPoints *points, const uint32_t *order, uint32_t count,
                     cleave_error *error);
void clv_view_free(View *view);

#endif
