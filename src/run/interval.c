#include "run/interval.h"

#include <math.h>
#include <stdbool.h>

static const double normal = 1.959963984540054; /* what a normal variable exceeds, either way, once in twenty times */

Interval clv_wilson(double errors, double n)
{
    const double z = normal;
    double share = errors / n, middle, half;

    if (!(n > 0))
        return (Interval){(double)NAN, 0, 1};
    middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return (Interval){share, errors <= 0 ? 0 : fmax(0, middle - half), errors >= n ? 1 : fmin(1, middle + half)};
}

Interval clv_root_mean(double squares, double fourths, double n)
{
    double mean = squares / n, spread = fourths / n - mean * mean, half;

    if (!(n > 0))
        return (Interval){(double)NAN, 0, INFINITY};
    half = normal * sqrt((spread > 0 ? spread : 0) / n);
    return (Interval){sqrt(mean), sqrt(mean > half ? mean - half : 0), sqrt(mean + half)};
}

/* The chance that |T| is below t: finite sums of cosines (Abramowitz and Stegun 26.7.3, 26.7.4). */
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
    double low = normal, high = 13;

    if (freedom == 0)
        return INFINITY;
    if (freedom > 100000)
        return normal;
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
    half = clv_student(count - 1) * sqrt((1 / (double)count + test_to_train) * squares / (double)(count - 1));
    return (Interval){mean, mean - half, mean + half};
}
