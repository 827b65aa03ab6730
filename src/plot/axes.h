/*
 * Scales: which numbers an axis shows, where ticks stand, and how they are written. Steps are 1, 2 or 5 times a power of ten (Heckbert 1990, "Nice
 * numbers for graph labels"), and a scale ends at ticks, so that they cover all that is shown. On a logarithmic scale ticks are powers of
 * ten, with 2 and 5 times them where it spans few.
 */
#ifndef PLOT_AXES_H
#define PLOT_AXES_H

#include "base/number.h"
#include "plot/canvas.h"

enum { MOST_TICKS = 32 };

typedef struct {
    double low, high; /* both finite, low < high; above 0 where logarithmic */
    bool logarithmic;
    size_t count;
    double tick[MOST_TICKS];
    double step; /* 0: logarithmic */
} Scale;

/* The least and the greatest of what was met so far; what is not finite is passed over. */
typedef struct {
    double low, high;
    double least_positive;
} Range;
#define EMPTY_RANGE ((Range){INFINITY, -INFINITY, INFINITY})
void clv_range_add(Range *range, double value);

/* Of an axis whose data has this range, with about `most` ticks. exact: it ends where the data does, and not at ticks. */
void clv_scale_make(Scale *scale, const cleave_plot_axis *axis, Range range, size_t most, bool exact);
/* 0 at low, 1 at high; outside, beyond. NaN for what a scale has no place for. */
double clv_scale_place(const Scale *scale, double value);
const char *clv_tick_text(const Scale *scale, size_t number, char buffer[NUMBER_SIZE]);

#endif
