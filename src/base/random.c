#include "base/random.h"

#include <math.h>

double clv_random_normal(Random *random)
{
    double radius = sqrt(-2 * log(1 - clv_random_unit(random)));

    return radius * cos(6.283185307179586477 * clv_random_unit(random));
}

void clv_fourier_phases(uint64_t seed, size_t count, float *phase)
{
    Random random = clv_random(seed, UINT64_MAX);

    for (size_t k = 0; k < count; k++)
        phase[k] = (float)(6.283185307179586477 * clv_random_unit(&random));
}

void clv_fourier_frequencies(uint64_t seed, uint32_t column, double gamma, size_t count,
                             float *frequency)
{
    Random random = clv_random(seed, column);
    /* the limit keeps products within the range of a float */
    double deviation = fmin(sqrt(2 * gamma), 1e30);

    for (size_t k = 0; k < count; k++)
        frequency[k] = (float)(deviation * clv_random_normal(&random));
}

void clv_shuffle(Random *random, uint32_t *items, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = clv_random_below(random, i);
        uint32_t other = items[j];

        items[j] = items[i - 1];
        items[i - 1] = other;
    }
}
