/*
 * 95% confidence intervals of metrics. tests/property/test_intervals.c simulates their coverage on
 * the generators used to choose the constants, test_held_out.c on held-out generators.
 * docs/guide/evaluation.md has the tables.
 *
 *     fraction       Wilson (1927). Up to 150 rows or 10 events, each bound is the wider of
 *                    Wilson's and the mid-P bound of the binomial distribution (Lancaster 1961).
 *                    Each alone covers 84 to 92% at some fractions, both together 93% at each.
 *     positive mean  Student's t (1908) on the logarithm of the mean, whose standard error is r.
 *                    The bounds are mean * exp(-t r + r^2 / 2) and mean * exp(t r + 8 r^2). The
 *                    bias of the logarithm is -r^2 / 2. The upper term covers rare large losses
 *                    that the sample lacks. If losses have light tails, coverage is 97%.
 *     ratio          the same for the ratio of two means, as 1 - R^2, with exp(-t r - r^2) and
 *                    exp(t r + 3 r^2)
 *     area           Student's t on the logit (Pepe 2003), whose standard error is s. The lower
 *                    bound is 2 s^2 lower (PR area: s^2). An area of 1 has the score interval of
 *                    Newcombe (2006).
 *     mean of folds  Student's t over folds, never narrower than the interval over rows. Folds
 *                    share training rows: Nadeau and Bengio (2003, "Inference for the
 *                    generalization error") widen the variance from 1/m to 1/m + n_test / n_train.
 *
 * Both bounds are NaN if there are too few rows for this coverage. If all losses are equal, their
 * variance is unknown: the lower bound is NaN, and the upper bound is the value. If the variance is
 * outside the range of doubles, the lower bound is NaN, and the upper bound is infinite.
 */
#ifndef EVAL_INTERVAL_H
#define EVAL_INTERVAL_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    double middle, low, high;
} Interval;

/* Minimum numbers of rows for an interval: for a mean of losses, for the log loss, of a class for a
 * fraction, of a class for a ranking. A few confident errors cause most of the log loss, and a
 * sample of 30 rows often has none of them. */
enum {
    INTERVAL_ROWS = 30,
    INTERVAL_LOG_LOSS_ROWS = 60,
    INTERVAL_CLASS_ROWS = 5,
    INTERVAL_RANKED_ROWS = 10
};

/* Wilson's interval. It is unknown if n is 0. `errors` may be a fraction, e.g. the mean of several
 * counts. */
Interval clv_wilson(double errors, double n);
/* The interval of a positive mean. `variance` is that of the mean itself. `rows` is the number of
 * rows, or the effective number of rows, of the mean. */
Interval clv_positive_mean(double mean, double variance, double rows);
/* The interval of the ratio of two such means. */
Interval clv_ratio(double ratio, double variance, double rows);
/* A term added to a sum of powers: infinite if this power of the value underflows, otherwise 0. */
static inline double clv_underflow(double value, double power)
{
    return value != 0 && fabs(power) < DBL_MIN ? (double)INFINITY : 0;
}
/* The root of the mean of squares, from the sums of squares and of their squares over n rows. */
Interval clv_root_mean(double squares, double fourths, double n);
/* The interval of the area under a curve, or of the mean of several areas. fewest: number of rows
 * of the smallest ranked class. freedom: degrees of freedom of the variance. */
typedef enum { AREA_ROC, AREA_PR } AreaKind;
Interval clv_area(AreaKind kind, double area, double variance, double fewest, double freedom);
/* The interval of the mean of m numbers, for significance tests. test_to_train is 0 if they are
 * independent. Bounds are NaN if m is 1. */
Interval clv_mean_of_folds(const double *numbers, size_t count, double test_to_train);
/* The interval of the mean over folds. It is at least as wide on both sides as `rows`, the interval
 * over all rows. Bounds are NaN if either has none. */
Interval clv_fold_mean(const double *numbers, size_t count, double test_to_train, Interval rows);
/* The two-sided 5% quantile of Student's t with this number of degrees of freedom. */
double clv_student(uint64_t freedom);
/* P(|T| < t) for t >= 0. */
double clv_student_within(double t, uint64_t freedom);

#endif
