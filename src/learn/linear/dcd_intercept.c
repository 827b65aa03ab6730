/*
 * The optimal intercept for given weights: the minimum over b of Σ C loss(y, w·x + b), convex in b.
 *
 * Hinge and epsilon losses are piecewise linear, with one or two breakpoints per row, where the
 * slope jumps by C. The minimum is the breakpoint where the slope passes 0, a weighted quantile. A
 * window around the last intercept contains it in most cases, so that only its breakpoints are
 * partitioned (quickselect, Hoare 1961). Other losses use Newton's method between bounds.
 */
#include "base/memory.h"
#include "learn/linear/dcd.h"

enum { MOST_WIDENINGS = 12, MOST_STEPS = 100 };

/* Collects the breakpoints inside (low, high); *slope is the slope to their left. */
static Status collect_corners(Dcd *dcd, size_t output, double low, double high, double *slope,
                              size_t *count)
{
    DcdCertificate *certificate = &dcd->certificate;
    const double epsilon = dcd->problem.shape.epsilon;
    const int corners = dcd->problem.shape.two_sided ? 2 : 1;

    *slope = 0;
    *count = 0;
    for (uint32_t i = 0; i < dcd->problem.count; i++) {
        const DcdRow *row = &dcd->problem.rows[i];
        double y = dcd_y(dcd, row, output),
               middle = y - dcd_centered(dcd, row, output,
                                         certificate->scores[i * dcd->fit->outputs + output]);

        if (dcd->problem.shape.two_sided || y > 0)
            *slope -= row->cost;
        for (int k = 0; k < corners; k++) {
            double at = k == 0 ? middle - epsilon : middle + epsilon;

            if (at <= low) {
                *slope += row->cost;
            } else if (at < high) {
                TRY(GROW(dcd->fit->context, certificate->corners, certificate->corner_capacity,
                         *count + 1, dcd->fit->error));
                certificate->corners[(*count)++] = (DcdCorner){.at = at, .jump = row->cost};
            }
        }
    }
    return OK;
}

static void swap(DcdCorner *a, DcdCorner *b)
{
    DcdCorner other = *a;

    *a = *b;
    *b = other;
}

/* The first breakpoint after which the slope is at least 0; the last breakpoint if there is
 * none. */
static double where_slope_passes(DcdCorner *corners, size_t count, double slope)
{
    size_t low = 0, high = count;

    for (;;) {
        double pivot = corners[low + (high - low) / 2].at, below = 0, equal = 0;
        size_t less = low, more = high, i = low;

        while (i < more) {
            if (corners[i].at < pivot) {
                below += corners[i].jump;
                swap(&corners[i++], &corners[less++]);
            } else if (corners[i].at > pivot) {
                swap(&corners[i], &corners[--more]);
            } else {
                equal += corners[i++].jump;
            }
        }
        if (slope + below >= 0 && less > low) {
            high = less;
        } else if (slope + below + equal >= 0 || more == high) {
            return pivot;
        } else {
            slope += below + equal;
            low = more;
        }
    }
}

static Status at_a_corner(Dcd *dcd, size_t output, double *b)
{
    double width = 0.01, slope = 0, end = 0, total = 0, first, last;
    size_t count = 0;

    for (int tries = 0; tries <= MOST_WIDENINGS; tries++) {
        double reach = tries < MOST_WIDENINGS ? width : (double)INFINITY;

        TRY(collect_corners(dcd, output, *b - reach, *b + reach, &slope, &count));
        end = slope;
        for (size_t i = 0; i < count; i++)
            end += dcd->certificate.corners[i].jump;
        if (slope < 0 && end > 0)
            break;
        width *= 8;
    }
    if (count == 0)
        return OK;
    for (uint32_t i = 0; i < dcd->problem.count; i++)
        total += dcd->problem.rows[i].cost;
    /* The slope of an interval is not exactly 0 after many additions. */
    first = where_slope_passes(dcd->certificate.corners, count, slope + 1e-12 * total);
    last = where_slope_passes(dcd->certificate.corners, count, slope - 1e-12 * total);
    *b = fmin(fmax(*b, first), last);
    return OK;
}

static void on_a_curve(const Dcd *dcd, size_t output, double *b)
{
    double low = -INFINITY, high = INFINITY;

    for (int step = 0; step < MOST_STEPS; step++) {
        double slope = 0, curvature = 0, next;

        for (uint32_t i = 0; i < dcd->problem.count; i++) {
            const DcdRow *row = &dcd->problem.rows[i];
            double y = dcd_y(dcd, row, output),
                   s = dcd_centered(dcd, row, output,
                                    dcd->certificate.scores[i * dcd->fit->outputs + output]) +
                       *b;

            slope += row->cost * loss_slope(dcd->risk->loss, y, s);
            curvature += row->cost * loss_curvature(dcd->risk->loss, y, s);
        }
        if (slope == 0 || curvature == 0)
            return;
        if (slope > 0)
            high = *b;
        else
            low = *b;
        next = *b - slope / curvature;
        if ((next <= low || next >= high) && isfinite(low) && isfinite(high))
            next = low + (high - low) / 2;
        if (fabs(next - *b) <= 1e-15 * fabs(next))
            return;
        *b = next;
    }
}

Status clv_dcd_best_offset(Dcd *dcd, size_t output, double *b)
{
    if (dcd->problem.shape.capped)
        return at_a_corner(dcd, output, b);
    on_a_curve(dcd, output, b);
    return OK;
}
