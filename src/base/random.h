/*
 * Counter-based random numbers: the n-th number of a stream is a function of (seed, stream, n). Any
 * thread can generate any part of a sequence with the same result. The mixing function is
 * SplitMix64's finalizer applied twice (Steele, Lea, Flood 2014), keyed by seed and stream.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t key, counter;
} Random;

static inline uint64_t clv_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static inline Random clv_random(uint64_t seed, uint64_t stream)
{
    return (Random){
        .key = clv_mix(clv_mix(seed + 0x9E3779B97F4A7C15u) ^ (stream * 0xD1342543DE82EF95u + 1))};
}

static inline uint64_t clv_random_next(Random *random)
{
    return clv_mix(random->key + 0x9E3779B97F4A7C15u * ++random->counter);
}

/* A number in [0, 1). */
static inline double clv_random_unit(Random *random)
{
    return (double)(clv_random_next(random) >> 11) * 0x1p-53;
}

/* Returns a number in [0, bound) for a bound below 2^32, with a modulo bias below 2^-32. */
static inline uint32_t clv_random_below(Random *random, uint32_t bound)
{
    return (uint32_t)(((clv_random_next(random) >> 32) * bound) >> 32);
}

/* A normally distributed number with mean 0 and standard deviation 1 (Box-Muller). */
double clv_random_normal(Random *random);

/* Draw random Fourier features √(2/D) cos(ω·x + φ) of the kernel e^(−γ d²) (Rahimi and Recht 2007):
 * D phases φ, uniform in a full turn, and the D frequencies ω of a column, normal with variance 2γ.
 * Each column has its own stream, so that it does not depend on the other columns. */
void clv_fourier_phases(uint64_t seed, size_t count, float *phase);
void clv_fourier_frequencies(uint64_t seed, uint32_t column, double gamma, size_t count,
                             float *frequency);

/* Fisher-Yates shuffle. */
void clv_shuffle(Random *random, uint32_t *items, uint32_t count);

#endif
