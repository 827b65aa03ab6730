/*
 * The body of each loops_*.c, which defines LOOPS (the name of the table) and LOOPS_NAME. Cosine:
 * x = n π + r with |r| ≤ π / 2, cos r by a Taylor polynomial.
 */
#include "base/exponential.h"
#include "learn/kernel/loops.h"

#include <string.h>

enum { CHUNK = 512, LANES = 8 }; /* the numbers of a chunk fit in the first-level cache */

static void dot_bits(const uint64_t *bits, size_t stride, const uint64_t *x, size_t words,
                     size_t count, double *dots)
{
    uint64_t sums[CHUNK];

    for (size_t first = 0; first < count; first += CHUNK) {
        size_t size = count - first < CHUNK ? count - first : CHUNK;

        memset(sums, 0, size * sizeof *sums);
        for (size_t w = 0; w < words; w++) {
            const uint64_t *plane = bits + w * stride + first;
            uint64_t own = x[w];

            for (size_t k = 0; k < size && own; k++)
                sums[k] += (uint64_t)__builtin_popcountll(plane[k] & own);
        }
        for (size_t k = 0; k < size; k++)
            dots[first + k] = (double)(int64_t)sums[k];
    }
}

static void add_plane(const float *restrict plane, double x, size_t count, double *restrict sums)
{
    for (size_t k = 0; k < count; k++)
        sums[k] += x * (double)plane[k];
}

/* Four independent sums, because an addition has a latency of four cycles. */
static double dot_values(const uint32_t *column, const float *value, size_t count, const float *x)
{
    double lane[4] = {0};
    size_t e = 0;

    for (; e + 4 <= count; e += 4) {
        lane[0] += (double)x[column[e]] * (double)value[e];
        lane[1] += (double)x[column[e + 1]] * (double)value[e + 1];
        lane[2] += (double)x[column[e + 2]] * (double)value[e + 2];
        lane[3] += (double)x[column[e + 3]] * (double)value[e + 3];
    }
    for (size_t j = 0; e < count; e++, j++)
        lane[j] += (double)x[column[e]] * (double)value[e];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* The same additions in the same order as dot_values. */
static double dot_ones(const uint32_t *column, size_t count, const float *x)
{
    double lane[4] = {0};
    size_t e = 0;

    for (; e + 4 <= count; e += 4) {
        lane[0] += (double)x[column[e]];
        lane[1] += (double)x[column[e + 1]];
        lane[2] += (double)x[column[e + 2]];
        lane[3] += (double)x[column[e + 3]];
    }
    for (size_t j = 0; e < count; e++, j++)
        lane[j] += (double)x[column[e]];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

static void dot_rows(const uint64_t *end, const uint32_t *column, const float *value,
                     const uint32_t *order, size_t first, size_t count, const float *x,
                     double *dots)
{
    for (size_t k = 0; k < count; k++) {
        size_t row = order ? order[first + k] : first + k;
        size_t start = row ? (size_t)end[row - 1] : 0, length = (size_t)end[row] - start;

        dots[k] = value ? dot_values(column + start, value + start, length, x)
                        : dot_ones(column + start, length, x);
    }
}

static void gaussian(const double *restrict dots, const double *restrict norm2, double own,
                     double gamma, size_t count, float *restrict out)
{
    const float least = -86.6F;

    for (size_t k = 0; k < count; k++) {
        double d = own + norm2[k] - 2 * dots[k];
        double scaled = gamma * (d > 0 ? d : 0);
        float x = (float)-(scaled < 100 ? scaled : 100);
        float e = exponential(x > least ? x : least);

        out[k] = x > least ? e : 0;
    }
}

static void cosines(const double *restrict angle, double scale, size_t count, float *restrict out)
{
    const double magic = 6755399441055744.0, pi = 3.14159265358979323846, quarter = pi / 2;

    for (size_t k = 0; k < count; k++) {
        double shifted = angle[k] * (1 / pi) + magic, r = angle[k] - (shifted - magic) * pi, r2,
               result;
        uint64_t odd, bits;

        r = r < quarter ? r : quarter; /* keeps the result finite for huge angles */
        r = r > -quarter ? r : -quarter;
        r2 = r * r;
        result = 2.08767569878681e-9;
        result = result * r2 - 2.75573192239859e-7;
        result = result * r2 + 2.48015873015873e-5;
        result = result * r2 - 1.38888888888889e-3;
        result = result * r2 + 4.16666666666667e-2;
        result = scale * (result * r2 * r2 - 0.5 * r2 + 1);
        memcpy(&odd, &shifted, sizeof odd);
        memcpy(&bits, &result, sizeof bits);
        bits ^= odd << 63;
        memcpy(&result, &bits, sizeof result);
        out[k] = (float)result;
    }
}

static double weigh(const float *k, const double *weight, size_t count)
{
    double lane[LANES] = {0};
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += (double)k[i + j] * weight[i + j];
    for (size_t j = 0; i < count; i++, j++)
        lane[j] += (double)k[i] * weight[i];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static double move(double *restrict g, const float *restrict a, const float *restrict b,
                   double step, const float *restrict gate, size_t count, size_t *at)
{
    double most = -(double)SHUT;
    size_t best = 0;

    for (size_t first = 0; first < count; first += CHUNK) {
        size_t size = count - first < CHUNK ? count - first : CHUNK;
        double *here = g + first, largest = -2 * (double)SHUT;

        for (size_t k = 0; k < size && step != 0; k++)
            here[k] -= step * ((double)a[first + k] - (double)b[first + k]);
        for (size_t k = 0; k < size; k++) {
            double value = here[k] + (double)gate[first + k];

            largest = value > largest ? value : largest;
        }
        if (largest > most) {
            most = largest;
            best = first;
        }
    }
    while (best < count && g[best] + (double)gate[best] != most)
        best++;
    *at = best;
    return most;
}

static inline float gain(double top, double shut_g, float own, float diagonal, float row)
{
    double ahead = top - shut_g;
    float b = (float)(ahead > 0 ? ahead : 0), a = own + diagonal - 2 * row, least = 1e-12F;

    return b * b / (a > least ? a : least);
}

static float pair(const double *restrict g, const float *restrict gate, const float *restrict row,
                  const float *restrict diagonal, double top, double own, size_t count, size_t *at,
                  double *least)
{
    double smallest = 2 * (double)SHUT;
    size_t best = 0;
    float most = 0;

    for (size_t first = 0; first < count; first += CHUNK) {
        size_t size = count - first < CHUNK ? count - first : CHUNK;
        float largest = 0;

        for (size_t k = first; k < first + size; k++) {
            double value = g[k] + (double)gate[k];

            smallest = value < smallest ? value : smallest;
        }
        for (size_t k = first; k < first + size; k++) {
            float value = gain(top, g[k] + (double)gate[k], (float)own, diagonal[k], row[k]);

            largest = value > largest ? value : largest;
        }
        if (largest > most) {
            most = largest;
            best = first;
        }
    }
    *least = smallest;
    while (most > 0 && best < count &&
           gain(top, g[best] + (double)gate[best], (float)own, diagonal[best], row[best]) != most)
        best++;
    *at = best;
    return best < count ? most : 0;
}

const Loops LOOPS = {
    .name = LOOPS_NAME,
    .dot_bits = dot_bits,
    .add_plane = add_plane,
    .dot_rows = dot_rows,
    .gaussian = gaussian,
    .cosines = cosines,
    .weigh = weigh,
    .move = move,
    .pair = pair,
};
