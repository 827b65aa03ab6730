#include "eval/progressive.h"

#include <math.h>
#include <string.h>

enum { TEST_EVERY = 8, LONGER = 10 };

void clv_decaying_init(Decaying *window, double half_life)
{
    *window = (Decaying){.keep = exp2(-1 / half_life)};
}

void clv_decaying_add(Decaying *window, double value)
{
    window->sum = window->keep * window->sum + value;
    window->weight = window->keep * window->weight + 1;
    window->weight2 = window->keep * window->keep * window->weight2 + 1;
}

double clv_decaying_mean(const Decaying *window)
{
    return window->weight > 0 ? window->sum / window->weight : (double)NAN;
}

double clv_decaying_size(const Decaying *window)
{
    return window->weight2 > 0 ? window->weight * window->weight / window->weight2 : 0;
}

void clv_windows_init(Windows *windows, double half_life, bool regression)
{
    double brief = half_life / LONGER;

    *windows = (Windows){.regression = regression, .half_life = half_life};
    clv_decaying_init(&windows->shown, half_life);
    clv_decaying_init(&windows->brief, brief > 1 ? brief : 1);
    clv_decaying_init(&windows->lasting, half_life * LONGER);
    clv_decaying_init(&windows->level, half_life * LONGER);
    windows->quiet_until = (uint64_t)half_life;
}

double clv_windows_error(const Windows *windows)
{
    return windows->examples ? windows->errors / (double)windows->examples : (double)NAN;
}

/* n times the Kullback-Leibler divergence between two fractions. */
static double divergence(double n, double share, double from)
{
    double sum = 0;

    if (share > 0)
        sum += share * log(share / from);
    if (share < 1)
        sum += (1 - share) * log((1 - share) / (1 - from));
    return n * sum;
}

double clv_drift_z(double p, double n, double q, double m)
{
    double both = (n * p + m * q) / (n + m), g;

    if (!(both > 0) || !(both < 1))
        return 0;
    g = 2 * (divergence(n, p, both) + divergence(m, q, both));
    return g > 0 ? (p > q ? sqrt(g) : -sqrt(g)) : 0;
}

/* Restarts the windows after an alarm. The long window begins at the new level. */
static void restart(Windows *windows)
{
    double keep = windows->lasting.keep;

    windows->lasting = windows->brief;
    windows->lasting.keep = keep;
    windows->quiet_until = windows->examples + (uint64_t)windows->half_life;
    windows->alarms++;
}

bool clv_windows_add(Windows *windows, double error, Drift *drift)
{
    double share = error;

    if (windows->regression) {
        share = error > clv_decaying_mean(&windows->level) ? 1 : 0;
        clv_decaying_add(&windows->level, error);
    }
    windows->examples++;
    windows->errors += error;
    clv_decaying_add(&windows->shown, error);
    clv_decaying_add(&windows->brief, share);
    clv_decaying_add(&windows->lasting, share);
    if (windows->examples < windows->quiet_until || windows->examples % TEST_EVERY != 0)
        return false;
    drift->before = clv_decaying_mean(&windows->lasting);
    drift->now = clv_decaying_mean(&windows->brief);
    if (drift->now <= drift->before)
        return false;
    drift->z = clv_drift_z(drift->now, clv_decaying_size(&windows->brief), drift->before,
                           clv_decaying_size(&windows->lasting));
    if (drift->z < DRIFT_Z)
        return false;
    restart(windows);
    return true;
}

/* ---- by class -------------------------------------------------------------------------------- */

void clv_class_errors_add(ClassErrors *side, bool error)
{
    side->examples++;
    side->errors += error;
    clv_decaying_add(&side->shown, error);
}

double clv_class_errors_rate(const ClassErrors *side)
{
    return side->examples > 0 ? side->errors / side->examples : (double)NAN;
}

void clv_class_errors_save(const ClassErrors *side, double numbers[CLASS_ERROR_NUMBERS])
{
    const double all[CLASS_ERROR_NUMBERS] = {side->examples, side->errors, side->shown.sum,
                                             side->shown.weight, side->shown.weight2};

    memcpy(numbers, all, sizeof all);
}

bool clv_class_errors_load(ClassErrors *side, const double numbers[CLASS_ERROR_NUMBERS])
{
    for (int i = 0; i < CLASS_ERROR_NUMBERS; i++)
        if (!(numbers[i] >= 0 && numbers[i] < 9e15))
            return false;
    side->examples = numbers[0];
    side->errors = numbers[1];
    side->shown.sum = numbers[2];
    side->shown.weight = numbers[3];
    side->shown.weight2 = numbers[4];
    return side->errors <= side->examples;
}

/* ---- as numbers ------------------------------------------------------------------------------ */

void clv_windows_save(const Windows *windows, double numbers[WINDOWS_NUMBERS])
{
    const Decaying *all[] = {&windows->shown, &windows->brief, &windows->lasting, &windows->level};

    numbers[0] = (double)windows->examples;
    numbers[1] = windows->errors;
    numbers[2] = (double)windows->quiet_until;
    numbers[3] = (double)windows->alarms;
    for (int i = 0; i < 4; i++) {
        numbers[4 + 3 * i] = all[i]->sum;
        numbers[5 + 3 * i] = all[i]->weight;
        numbers[6 + 3 * i] = all[i]->weight2;
    }
}

bool clv_windows_load(Windows *windows, const double numbers[WINDOWS_NUMBERS])
{
    Decaying *all[] = {&windows->shown, &windows->brief, &windows->lasting, &windows->level};

    for (int i = 0; i < WINDOWS_NUMBERS; i++)
        if (!(numbers[i] >= 0) || (i != 1 && i != 4 && i != 13 && !(numbers[i] < 0x1p60)))
            return false;
    windows->examples = (uint64_t)numbers[0];
    windows->errors = numbers[1];
    windows->quiet_until = (uint64_t)numbers[2];
    windows->alarms = (uint64_t)numbers[3];
    for (int i = 0; i < 4; i++) {
        all[i]->sum = numbers[4 + 3 * i];
        all[i]->weight = numbers[5 + 3 * i];
        all[i]->weight2 = numbers[6 + 3 * i];
    }
    return true;
}
