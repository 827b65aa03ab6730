/*
 * Computes bins. Few distinct values: there is a bound between every two. Many: a value that would
 * fill a bin alone has its own bin. The other values fill bins from the lowest value on, and a bin
 * is complete when it has its share of the remaining rows (as in LightGBM; Ke et al. 2017).
 */
#include "learn/tree/bounds.h"

#include "base/number.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 3, BUCKETS = 1 << DIGIT };

static void one_pass(const float *from, float *to, size_t count, unsigned shift)
{
    size_t start[BUCKETS] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        start[(clv_float_order(from[i]) >> shift) & (BUCKETS - 1)]++;
    for (size_t i = 0; i < BUCKETS; i++) {
        size_t here = start[i];

        start[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[start[(clv_float_order(from[i]) >> shift) & (BUCKETS - 1)]++] = from[i];
}

void clv_sort_floats(float *values, float *workspace, size_t count)
{
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        one_pass(values, workspace, count, digit * DIGIT);
        memcpy(values, workspace, count * sizeof *values);
    }
}

float clv_between(float a, float b)
{
    float middle = (float)((double)a / 2 + (double)b / 2);

    return middle >= a && middle < b ? middle : a;
}

/* Distinct values with their frequencies. */
typedef struct {
    const float *values;
    size_t count, at, zeros;
    bool zero_given;
} Runs;

static bool next_run(Runs *runs, float *value, size_t *times)
{
    size_t from = runs->at;

    if (!runs->zero_given && runs->zeros > 0 && (from == runs->count || runs->values[from] >= 0)) {
        runs->zero_given = true;
        *value = 0;
        *times = runs->zeros;
        while (runs->at < runs->count && runs->values[runs->at] == 0)
            runs->at++;
        *times += runs->at - from;
        return true;
    }
    if (from == runs->count)
        return false;
    *value = runs->values[from];
    while (runs->at < runs->count && runs->values[runs->at] == *value)
        runs->at++;
    *times = runs->at - from;
    return true;
}

static size_t different(const float *values, size_t count, size_t zeros)
{
    Runs runs = {.values = values, .count = count, .zeros = zeros};
    size_t found = 0, times;
    float value;

    while (next_run(&runs, &value, &times))
        found++;
    return found;
}

typedef struct {
    double mean;      /* mean number of rows per remaining bin */
    double big;       /* values with this many rows have their own bin */
    double left;      /* number of remaining rows, without frequent values */
    double bins_left; /* number of remaining bins */
} Shares;

static Shares share_out(const float *values, size_t count, size_t zeros, uint32_t bins)
{
    Runs runs = {.values = values, .count = count, .zeros = zeros};
    Shares shares = {.left = (double)(count + zeros), .bins_left = bins};
    size_t times;
    float value;

    shares.big = shares.left / bins;
    while (next_run(&runs, &value, &times))
        if ((double)times >= shares.big) {
            shares.left -= (double)times;
            shares.bins_left--;
        }
    shares.mean = shares.bins_left > 0 ? shares.left / shares.bins_left : shares.left;
    return shares;
}

static uint32_t bounds_of_many(const float *values, size_t count, size_t zeros, uint32_t bins,
                               float *bounds)
{
    Runs runs = {.values = values, .count = count, .zeros = zeros};
    Shares shares = share_out(values, count, zeros, bins);
    uint32_t found = 0;
    size_t times, next_times;
    float value, next;
    double here = 0;
    bool more = next_run(&runs, &value, &times);

    while (more && found + 1 < bins) {
        bool big = (double)times >= shares.big, next_big;

        more = next_run(&runs, &next, &next_times);
        if (!more)
            break;
        here += (double)times;
        if (!big)
            shares.left -= (double)times;
        next_big = (double)next_times >= shares.big;
        if (big || here >= shares.mean || (next_big && here >= shares.mean / 2)) {
            bounds[found++] = clv_between(value, next);
            here = 0;
            if (!big) {
                shares.bins_left--;
                shares.mean = shares.bins_left > 0 ? shares.left / shares.bins_left : shares.left;
            }
        }
        value = next;
        times = next_times;
    }
    return found;
}

uint32_t clv_find_bounds(const float *values, size_t count, size_t zeros, uint32_t bins,
                         float *bounds)
{
    Runs runs = {.values = values, .count = count, .zeros = zeros};
    uint32_t found = 0;
    size_t times;
    float value, next;

    if (different(values, count, zeros) > bins)
        return bounds_of_many(values, count, zeros, bins, bounds);
    if (!next_run(&runs, &value, &times))
        return 0;
    while (next_run(&runs, &next, &times)) {
        bounds[found++] = clv_between(value, next);
        value = next;
    }
    return found;
}
