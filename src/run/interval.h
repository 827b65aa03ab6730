/*
 * 95% confidence intervals of metrics. tests/property/test_intervals.c simulates their coverage; docs/guide/judging.md has the table.
 *
 *     share          Wilson (1927), with the lower bound of Brown, Cai and DasGupta (2001) where events are few: there Wilson's own covers 84%
 *     positive mean  Student's t (1908) on the logarithm of the mean. With r the standard error of the logarithm, bounds are
 *                    mean * exp(-t r + r^2 / 2) and mean * exp(t r + 8 r^2): -r^2 / 2 is the bias of the logarithm; the upper term covers what a sample
 *                    of a skewed distribution has not seen, at the price of 97% instead of 95% where losses have light tails
 *     ratio          the same of the ratio of two means, as 1 - R^2: exp(-t r - r^2) and exp(t r + 3 r^2)
 *     area           Student's t on the logit (Pepe 2003), the bound that is farther from 1 by 2 s^2 lower (1 s^2 for precision and recall), with s the
 *                    standard error of the logit; an area of 1 has the score interval of Newcombe (2006)
 *     mean of folds  Student's t over folds, never narrower than the interval over rows. Folds share training rows: Nadeau and Bengio (2003,
 *                    "Inference for the generalization error") widen the variance from 1/m to 1/m + n_test / n_train, half of which covers 93 to 98%
 *
 * Bounds are NaN where rows are too few for the coverage to hold.
 */
#ifndef RUN_INTERVAL_H
#define RUN_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double middle, low, high;
} Interval;

/* Fewest rows that an interval takes: of a mean of losses, of one class in a share, of one class in a ranking. */
enum { INTERVAL_ROWS = 30, INTERVAL_CLASS_ROWS = 5, INTERVAL_RANKED_ROWS = 10 };

/* n may be 0: nothing is known then. errors need not be whole, as the mean of several counts. */
Interval clv_wilson(double errors, double n);
/* variance: of the mean itself. rows: how many the mean is of, or is worth. */
Interval clv_positive_mean(double mean, double variance, double rows);
/* Of the ratio of two such means. */
Interval clv_ratio(double ratio, double variance, double rows);
/* The root of the mean of squares, from the sums of squares and of their squares over n rows. */
Interval clv_root_mean(double squares, double fourths, double n);
/* Of an area below a curve, or the mean of several. fewest: rows of the smallest class it ranks. freedom: degrees of freedom of the variance. */
typedef enum { AREA_ROC, AREA_PR } AreaKind;
Interval clv_area(AreaKind kind, double area, double variance, double fewest, double freedom);
/* Of m numbers, for tests of significance; test_to_train is 0 where they are independent. NaN bounds where m is 1. */
Interval clv_mean_of_folds(const double *numbers, size_t count, double test_to_train);
/* The interval of the mean of folds, at least as wide on both sides as `rows`, that over all rows. NaN bounds where either has none. */
Interval clv_fold_mean(const double *numbers, size_t count, double test_to_train, Interval rows);
/* What Student's t with so many degrees of freedom exceeds, either way, once in twenty times. */
double clv_student(uint64_t freedom);
/* The chance that |T| is below t, which is not negative. */
double clv_student_within(double t, uint64_t freedom);

#endif
