#include "eval/interval.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* two-sided 5% quantile of the normal distribution */
static const double normal = 1.959963984540054;

/* The regularized incomplete beta function by its continued fraction (DLMF 8.17.22), evaluated as
 * by Lentz (1976). It converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 / fmax(fabs(1 - (a + b) * x / (a + 1)), tiny), value = d;

    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), factor;

        d = 1 / (1 + even * d);
        c = 1 + even / c;
        value *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        factor = d * c;
        value *= factor;
        if (fabs(factor - 1) < 1e-12)
            break;
    }
    return value * exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a + 1) - lgamma(b));
}

/* The probability of at least this number of events in n rows (DLMF 8.17.5). */
static double upper_tail(double events, double n, double share)
{
    double a = events, b = n - events + 1;

    if (events > n)
        return 0;
    return share < (a + 1) / (a + b + 2) ? beta_fraction(share, a, b)
                                         : 1 - beta_fraction(1 - share, b, a);
}

/* The fraction at which P(X > events) + P(X = events) / 2 = 2.5%. */
static double mid_p_bound(double events, double n)
{
    double low = 0, high = events / n;

    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;

        if (upper_tail(events, n, middle) + upper_tail(events + 1, n, middle) < 0.05)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Above these numbers of rows and events, Wilson's bound alone covers 93%. */
enum { MID_P_ROWS = 150, MID_P_EVENTS = 10 };

/* Wilson's lower bound, or the mid-P bound if it is lower and there are few rows or events. */
static double lower_bound(double events, double n)
{
    const double z = normal;
    double share = events / n, middle = share + z * z / (2 * n);
    double low = (middle - z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) /
                 (1 + z * z / n);

    if (events <= 0)
        return 0;
    return n <= MID_P_ROWS || events < MID_P_EVENTS + 0.5 ? fmin(low, mid_p_bound(events, n))
                                                          : fmax(0, low);
}

Interval clv_wilson(double errors, double n)
{
    if (!(n > 0))
        return (Interval){(double)NAN, 0, 1};
    return (Interval){errors / n, lower_bound(errors, n), 1 - lower_bound(n - errors, n)};
}

/* Limit of the standard error of the logarithm: above it, bounds would differ by orders of
 * magnitude. */
#define MOST_SPREAD 1.0
/* A smaller standard error is a rounding error: all losses are equal, and their variance is
 * unknown. */
#define LEAST_SPREAD 1e-7

/* The interval by Student's t on the logarithm. less, more: terms of the squared standard error. */
static Interval log_interval(double value, double variance, double rows, double less, double more)
{
    double r = sqrt(variance) / value, t;

    if (rows >= INTERVAL_ROWS && (!isfinite(variance) || (value > 0 && value * value < DBL_MIN)))
        return (Interval){value, (double)NAN, INFINITY};
    if (!(rows >= INTERVAL_ROWS) || r > MOST_SPREAD)
        return (Interval){value, (double)NAN, (double)NAN};
    if (!(r > LEAST_SPREAD))
        return (Interval){value, (double)NAN, value};
    t = clv_student((uint64_t)rows - 1);
    return (Interval){value, value * exp(-t * r - less * r * r), value * exp(t * r + more * r * r)};
}

Interval clv_positive_mean(double mean, double variance, double rows)
{
    return log_interval(mean, variance, rows, -0.5, 8);
}

Interval clv_ratio(double ratio, double variance, double rows)
{
    return log_interval(ratio, variance, rows, 1, 3);
}

Interval clv_root_mean(double squares, double fourths, double n)
{
    double mean = squares / n;
    Interval of_squares = clv_positive_mean(mean, (fourths / n - mean * mean) / (n - 1), n);

    return (Interval){sqrt(mean), sqrt(of_squares.low), sqrt(of_squares.high)};
}

/* Variance of a ROC area by Hanley and McNeil (1982) with n rows in both classes, as in method 5
 * of Newcombe (2006). */
static double rank_variance(double area, double n)
{
    return area * (1 - area) * (1 + (n - 1) * ((1 - area) / (2 - area) + area / (1 + area))) /
           (n * n);
}

/* Lower bound of an area of 1: the smallest area that is within 1.96 of its own standard
 * deviations of 1. */
static double perfect_bound(double n)
{
    double low = 0, high = 1;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (1 - middle > normal * sqrt(rank_variance(middle, n)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

Interval clv_area(AreaKind kind, double area, double variance, double fewest, double freedom)
{
    const double exact = 1e-9; /* tolerance for rounding: errors of sums of fractions are smaller */
    double logit = log(area / (1 - area)), s = sqrt(variance) / (area * (1 - area)), t;

    if (!(fewest >= INTERVAL_RANKED_ROWS) || isnan(area))
        return (Interval){area, (double)NAN, (double)NAN};
    if (area > 1 - exact || area < exact)
        return area < exact ? (Interval){area, 0, 1 - perfect_bound(fewest)}
                            : (Interval){area, perfect_bound(fewest), 1};
    t = clv_student((uint64_t)fmax(freedom, 1));
    return (Interval){area, 1 / (1 + exp(-logit + t * s + (kind == AREA_ROC ? 2 : 1) * s * s)),
                      1 / (1 + exp(-logit - t * s + (area > 0.5 ? s * s / 2 : 0)))};
}

/* P(|T| < t): finite sums of cosines (Abramowitz and Stegun 26.7.3, 26.7.4). */
double clv_student_within(double t, uint64_t freedom)
{
    const double pi = 3.14159265358979323846;
    double angle = atan(t / sqrt((double)freedom)), cosine = cos(angle);
    bool odd = freedom % 2;
    double term = odd ? cosine : 1, sum = freedom == 1 ? 0 : term;

    for (uint64_t i = odd ? 3 : 2; i + 1 < freedom; i += 2) {
        term *= cosine * cosine * (double)(i - 1) / (double)i;
        sum += term;
    }
    return odd ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double clv_student(uint64_t freedom)
{
    double low = normal, high = 13, n = (double)freedom;

    if (freedom == 0)
        return INFINITY;
    if (freedom > 1000) /* Abramowitz and Stegun 26.7.5, accurate to 1e-9 */
        return normal + (pow(normal, 3) + normal) / (4 * n) +
               (5 * pow(normal, 5) + 16 * pow(normal, 3) + 3 * normal) / (96 * n * n);
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (clv_student_within(middle, freedom) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

Interval clv_mean_of_folds(const double *numbers, size_t count, double test_to_train)
{
    double mean = 0, squares = 0, half;

    for (size_t i = 0; i < count; i++)
        mean += numbers[i] / (double)count;
    if (count < 2)
        return (Interval){mean, (double)NAN, (double)NAN};
    for (size_t i = 0; i < count; i++)
        squares += (numbers[i] - mean) * (numbers[i] - mean);
    half = clv_student(count - 1) *
           sqrt((1 / (double)count + test_to_train) * squares / (double)(count - 1));
    return (Interval){mean, mean - half, mean + half};
}

Interval clv_fold_mean(const double *numbers, size_t count, double test_to_train, Interval rows)
{
    Interval folds = clv_mean_of_folds(numbers, count, test_to_train);
    double apart = folds.middle - rows.middle;

    if (isnan(rows.low) || isnan(folds.low))
        return (Interval){folds.middle, (double)NAN,
                          isfinite(rows.high) ? folds.middle : rows.high};
    return (Interval){folds.middle, fmin(folds.low, rows.low + apart),
                      fmax(folds.high, rows.high + apart)};
}
