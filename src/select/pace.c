#include "select/pace.h"

#include <math.h>

/* Ratio of rows: between nearer samples the exponent would be noise. */
static const double apart = 1.5;
/* Limit of the fixed cost that two samples suggest, as a fraction of the later one. */
static const double most_fixed = 0.5;

void clv_pace_add(Pace *pace, PaceSample sample)
{
    PaceSample *last;

    if (pace->count && pace->sample[pace->count - 1].guess && !sample.guess)
        pace->count--;
    last = pace->count ? &pace->sample[pace->count - 1] : NULL;
    if (last && sample.rows <= last->rows * 1.05) {
        if (sample.rows >= last->rows * 0.95) /* the slower one of two equal trials is kept */
            *last = (PaceSample){sample.rows, fmax(sample.train, last->train),
                                 fmax(sample.predict, last->predict), sample.guess};
        return;
    }
    if (last && sample.rows < apart * last->rows && !sample.guess) {
        *last = sample;
        return;
    }
    if (pace->count == 2)
        pace->sample[0] = pace->sample[--pace->count];
    pace->sample[pace->count++] = sample;
}

/* The exponent of growth between two samples, within bounds; the minimum if it is unknown. */
static double power(double rows, double more_rows, double seconds, double more_seconds,
                    double least, double most)
{
    double found;

    if (!(seconds > 0) || !(more_seconds > 0) || !(more_rows > rows))
        return least;
    found = log(more_seconds / seconds) / log(more_rows / rows);
    return fmin(fmax(found, least), most);
}

double clv_pace_train(const Pace *pace, double rows)
{
    const PaceSample *last = &pace->sample[pace->count - 1], *first = &pace->sample[0];

    double growth;

    if (pace->count == 0)
        return 0;
    if (pace->count < 2 || last->train / first->train >= last->rows / first->rows) {
        growth = power(first->rows, last->rows, first->train, last->train, 1, 3);
        return last->train * pow(rows / last->rows, growth);
    }
    growth = (last->train - first->train) / (last->rows - first->rows);
    growth = fmax(growth, (1 - most_fixed) * last->train / last->rows);
    return rows > last->rows ? last->train + growth * (rows - last->rows)
                             : last->train * rows / last->rows;
}

double clv_pace_predict(const Pace *pace, double rows)
{
    const PaceSample *last = &pace->sample[pace->count - 1], *first = &pace->sample[0];

    if (pace->count == 0)
        return 0;
    return last->predict * pow(rows / last->rows,
                               power(first->rows, last->rows, first->predict, last->predict, 0, 1));
}

/* The number of predictions in the remaining time; negative if training alone takes too long. */
static double predictions_in(const Pace *pace, double rows, double most, double seconds)
{
    double left = seconds - clv_pace_train(pace, rows), each = clv_pace_predict(pace, rows);

    if (left < 0)
        return -1;
    return each * most <= left ? most : floor(left / each);
}

/* Whether this number of training rows leaves time for enough predictions: at least the number that
 * a tenth of the time allows. */
static bool is_enough(const Pace *pace, double rows, RowCounts all, double least, double seconds)
{
    double fast = floor(0.1 * seconds / clv_pace_predict(pace, rows));

    return predictions_in(pace, rows, all.test, seconds) >= fmin(fmax(least, fast), all.test);
}

bool clv_pace_afford(const Pace *pace, RowCounts all, double fewest, double least, double seconds,
                     RowCounts *rows)
{
    double low = fmin(fewest, all.train), high = all.train;

    *rows = (RowCounts){low, fmin(least, all.test)};
    if (!is_enough(pace, low, all, least, seconds))
        return false;
    if (is_enough(pace, high, all, least, seconds))
        low = high;
    for (int i = 0; i < 60 && low < high; i++) {
        double middle = sqrt(low * high);

        if (is_enough(pace, middle, all, least, seconds))
            low = middle;
        else
            high = middle;
    }
    *rows = (RowCounts){floor(low), predictions_in(pace, low, all.test, seconds)};
    return true;
}

double clv_fair_share(const double *needs, size_t count, double total)
{
    double level = total > 0 ? total / (double)(count ? count : 1) : 0;

    /* Time below the limit goes to the other candidates, which raises the limit at most once for
     * each. */
    for (size_t round = 0; round < count; round++) {
        double taken = 0;
        size_t above = 0;

        for (size_t i = 0; i < count; i++) {
            if (needs[i] <= level)
                taken += needs[i];
            else
                above++;
        }
        if (above == 0)
            return (double)INFINITY;
        level = fmax(level, (total - taken) / (double)above);
    }
    return level;
}

double clv_cheapest_share(const double *needs, size_t count, double total, double need)
{
    return need <= 0.5 * total ? fmax(need, clv_fair_share(needs, count, total))
                               : clv_fair_share(needs, count, total);
}

double clv_test_reserve(double budget, double longest)
{
    double most = 0.25 * budget;

    return longest > 0 ? fmin(4 * longest + 0.02 * budget, most) : most;
}
