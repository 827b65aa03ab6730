#include "plot/axes.h"

#include <math.h>

static const double FAR = 1e300;   /* above this magnitude, differences of values may be infinite */
static const double NEAR = 1e-280; /* below this magnitude, fractions of ranges underflow */

void clv_range_add(AxisRange *range, double value)
{
    if (!isfinite(value))
        return;
    value = fmin(fmax(value, -FAR), FAR);
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
    if (value > 0)
        range->least_positive = fmin(range->least_positive, value);
}

/* ---- linear ---------------------------------------------------------------------------------- */

/* Returns 1, 2 or 5 times a power of ten, not below `least`. */
static double nice_step(double least, bool whole)
{
    double power = pow(10, floor(log10(least))), part = least / power;
    double step = (part <= 1 + 1e-9 ? 1 : part <= 2 + 1e-9 ? 2 : part <= 5 + 1e-9 ? 5 : 10) * power;

    return whole ? fmax(step, 1) : step;
}

static void add_tick(Scale *scale, double value)
{
    if (scale->count < MOST_TICKS)
        scale->tick[scale->count++] = value;
}

static void make_linear(Scale *scale, bool whole, size_t most, bool exact)
{
    double slack, first;

    /* A range that is tiny relative to its values has no representable ticks. */
    if (!(scale->high - scale->low >
          fmax(1e-9 * fmax(fabs(scale->low), fabs(scale->high)), NEAR))) {
        double around = whole ? 1 : fmax(fabs(scale->low), fabs(scale->high)) / 2;

        around = around > NEAR ? around : 0.5;
        scale->low -= around;
        scale->high += around;
    }
    scale->step = nice_step((scale->high - scale->low) / (double)most, whole);
    slack = scale->step * 1e-6;
    if (!exact) {
        scale->low = scale->step * floor((scale->low + slack) / scale->step);
        scale->high = scale->step * ceil((scale->high - slack) / scale->step);
    }
    first = ceil((scale->low - slack) / scale->step);
    for (double i = 0; i < MOST_TICKS && scale->step * (first + i) <= scale->high + slack; i++)
        add_tick(scale, scale->step * (first + i));
    if (scale->count < 2 && most < MOST_TICKS &&
        !(whole && scale->step == 1)) { /* the axis ends between ticks; use a smaller distance */
        scale->count = 0;
        make_linear(scale, whole, 2 * most, exact);
    }
}

/* ---- logarithmic ----------------------------------------------------------------------------- */

/* Returns the next 1, 2 or 5 times a power of ten at or below, or at or above. */
static double round_log(double value, bool up)
{
    static const double parts[] = {0.5, 1, 2, 5, 10, 20};
    double power = pow(10, floor(log10(value))), found = up ? 20 * power : 0.5 * power;

    for (int i = 0; i < 6; i++) {
        double at = parts[i] * power;

        if (!up && at <= value * (1 + 1e-9))
            found = at;
        if (up && at >= value * (1 - 1e-9))
            return at;
    }
    return found;
}

/* Adds ticks at every n-th power of ten, possibly with 2 and 5 times them. */
static void add_powers(Scale *scale, double every, bool parts)
{
    static const double part[] = {1, 2, 5};
    double power = floor(log10(scale->low) + 1e-9), last = log10(scale->high) + 1e-9;

    for (; power <= last; power += every)
        for (int i = 0; i < (parts ? 3 : 1); i++) {
            double at = part[i] * pow(10, power);

            if (at >= scale->low * (1 - 1e-9) && at <= scale->high * (1 + 1e-9))
                add_tick(scale, at);
        }
}

static void make_log(Scale *scale, size_t most, bool exact)
{
    double decades;

    if (!(scale->high > scale->low * (1 + 1e-9))) {
        scale->low /= 2;
        scale->high *= 2;
    }
    if (!exact) {
        scale->low = round_log(scale->low, false);
        scale->high = round_log(scale->high, true);
    }
    decades = log10(scale->high) - log10(scale->low);
    add_powers(scale, fmax(1, ceil(decades / (double)most)), 3 * decades <= (double)most + 1);
    if (scale->count < 2) {
        scale->count = 0;
        add_powers(scale, 1, true);
    }
    if (scale->count == 0) { /* the whole range lies between two ticks */
        add_tick(scale, scale->low);
        add_tick(scale, scale->high);
    }
}

/* ---- all scales ------------------------------------------------------------------------------ */

void clv_scale_make(Scale *scale, const cleave_plot_axis *axis, AxisRange range, size_t most,
                    bool exact)
{
    clv_range_add(&range, axis->low);
    clv_range_add(&range, axis->high);
    *scale = (Scale){.low = range.low, .high = range.high, .logarithmic = axis->logarithmic};
    if (!(range.low <= range.high)) { /* the range is empty */
        scale->low = axis->logarithmic ? 1 : 0;
        scale->high = axis->logarithmic ? 10 : 1;
    }
    if (most < 2)
        most = 2;
    if (scale->logarithmic) {
        if (!(scale->low > 0))
            scale->low = isfinite(range.least_positive) ? range.least_positive : 1;
        scale->low = fmax(scale->low, 1e-290);
        scale->high = fmax(scale->high, scale->low);
        make_log(scale, most, exact);
    } else {
        make_linear(scale, axis->whole, most, exact);
    }
}

double clv_scale_place(const Scale *scale, double value)
{
    if (!scale->logarithmic) {
        double span = scale->high - scale->low;

        return isfinite(value) ? value / span - scale->low / span : (double)NAN;
    }
    return value > 0 ? (log10(value) - log10(scale->low)) / (log10(scale->high) - log10(scale->low))
                     : (double)NAN;
}

/* Prints enough digits to distinguish adjacent ticks. */
const char *clv_tick_text(const Scale *scale, size_t number, char buffer[NUMBER_SIZE])
{
    double value = scale->tick[number], largest = fmax(fabs(scale->low), fabs(scale->high));
    int digits = 3;

    if (scale->step > 0) {
        if (fabs(value) < scale->step / 2)
            value = 0;
        digits = (int)floor(log10(largest)) - (int)floor(log10(scale->step) + 1e-9) + 1;
        digits = digits < 1 ? 1 : digits > 9 ? 9 : digits;
    }
    /* %.*g would print 20000 with one digit as 2e+04. */
    if (fabs(value) >= 1 && fabs(value) < 1e6 && value == floor(value))
        digits = digits < 6 ? 6 : digits;
    clv_format_rounded(buffer, value, digits);
    return buffer;
}
