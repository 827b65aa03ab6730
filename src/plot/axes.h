/*
 * Scales: the range of an axis, its ticks and their labels. Steps are 1, 2 or 5 times a power of
 * ten (Heckbert 1990, "Nice numbers for graph labels"), and a scale ends at ticks that cover the
 * data. On a logarithmic scale ticks are powers of ten, with 2 and 5 times them on a short range.
 */
#ifndef PLOT_AXES_H
#define PLOT_AXES_H

#include "base/number.h"
#include "plot/canvas.h"

enum { MOST_TICKS = 32 };

typedef struct {
    double low, high; /* both are finite, low < high; both are positive if logarithmic */
    bool logarithmic;
    size_t count;
    double tick[MOST_TICKS];
    double step; /* 0: logarithmic */
} Scale;

/* The minimum and maximum of the finite values so far. */
typedef struct {
    double low, high;
    double least_positive;
} AxisRange;
#define EMPTY_RANGE ((AxisRange){INFINITY, -INFINITY, INFINITY})
void clv_range_add(AxisRange *range, double value);

/* Makes the scale of an axis for this range of data, with about `most` ticks. exact: it ends with
 * the data, not at ticks. */
void clv_scale_make(Scale *scale, const cleave_plot_axis *axis, AxisRange range, size_t most,
                    bool exact);
/* The position of a value: 0 at low, 1 at high. It may be outside. NaN for values that the scale
 * cannot show. */
double clv_scale_place(const Scale *scale, double value);
const char *clv_tick_text(const Scale *scale, size_t number, char buffer[NUMBER_SIZE]);

#endif
