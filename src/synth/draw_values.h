/* Functions shared by the generators: random numbers of a row, and realistic values. */
#ifndef SYNTH_DRAW_VALUES_H
#define SYNTH_DRAW_VALUES_H

#include "base/random.h"

/* The random stream of a row. Streams below 2^60 are reserved for shared values. */
static inline Random clv_row_random(uint64_t seed, int part, uint64_t row)
{
    return clv_random(seed, ((uint64_t)(part + 1) << 60) + row);
}

/* Rounds value to the float nearest to its decimal with six significant digits, as printed by %.6g.
 * The text of a generated file is then as long as that of a real file, and is read back exactly.
 * Values below 1e-6 have fewer digits; values from 1e6 on are integers. */
static inline float clv_rounded(double value)
{
    static const double powers[] = {1,   10,  100, 1e3,  1e4,  1e5, 1e6,
                                    1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    double magnitude = value < 0 ? -value : value;
    int small = (magnitude < 1e-1) + (magnitude < 1e-2) + (magnitude < 1e-3) + (magnitude < 1e-4) +
                (magnitude < 1e-5) + (magnitude < 1e-6);
    int large = (magnitude >= 1) + (magnitude >= 10) + (magnitude >= 1e2) + (magnitude >= 1e3) +
                (magnitude >= 1e4) + (magnitude >= 1e5);
    double power = powers[6 + small - large];
    double digits = (double)(int64_t)(magnitude * power + 0.5);

    return (float)(value < 0 ? -(digits / power) : digits / power);
}

#endif
