#include "base/random.h"

#include <math.h>

double clv_random_normal(Random *random)
{
    double radius = sqrt(-2 * log(1 - clv_random_unit(random)));

    return radius * cos(6.283185307179586477 * clv_random_unit(random));
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
